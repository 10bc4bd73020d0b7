#!/bin/sh
# The documentation says what the programs do: the same options in getopt,
# usage and manual page, in one order, with their defaults; the same socket
# options in -t help and sock_options(7); the tables of sock_facts(7) those of
# the code; each field of -j described; and the commands shown in the manual
# pages and the README run as they stand.
# limit: 120
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

TREE=$(cd "$HERE/.." && pwd)
MAN=$TREE/man

# Option letters in the order of the usage text: usage_letters PROGRAM.
usage_letters() {
	"$1" -h | sed -n 's/^  -\(.\) .*/\1/p' | tr '\n' ' '
}

# In that of the manual page's list, and of its synopsis.
list_letters() {
	sed -n 's/^\.It Fl \(.\)\( .*\)*$/\1/p' "$1" | tr '\n' ' '
}

synopsis_letters() {
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$1" |
		sed -n 's/^\.Op Fl \([A-Za-z0-9]*\).*/\1/p' | grep -o . |
		sort -u | tr '\n' ' '
}

# The letters that getopt takes: any other is unknown.  Two empty words
# behind it make sure that nothing is started.
known_letters() {
	for c in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z \
		a b c d e f g h i j k l m n o p q r s t u v w x y z \
		0 1 2 3 4 5 6 7 8 9; do
		"$1" "-$c" '' '' 2>&1 >/dev/null </dev/null |
			grep -q 'unknown option' || echo "$c"
	done | sort | tr '\n' ' '
}

sorted() {
	printf '%s' "$1" | tr ' ' '\n' | sort | tr '\n' ' '
}

same_letters_everywhere() {
	for name in sock_source sock_sink; do
		p=$BIN/$name
		page=$MAN/$name.1
		ok "$name.1 is there" test -f "$page"
		usage=$(usage_letters "$p")
		match "letters of $name" "$usage" 'b C .*v'
		eq "letters in $name.1, in order" "$(list_letters "$page")" \
			"$usage"
		eq "letters that $name takes" "$(known_letters "$p")" \
			"$(sorted "$usage")"
		eq "letters in the synopsis of $name.1" \
			"$(synopsis_letters "$page")" "$(sorted "$usage")"
	done
}

# The paragraph of one option: option_text PAGE LETTER.
option_text() {
	awk -v letter="$2" '
	/^\.It Fl / { inside = $3 == letter }
	/^\.El/ || /^\.Sh/ { inside = 0 }
	inside' "$1"
}

# A default in the usage, "(65536)", stands in the option's paragraph too.
defaults_are_documented() {
	for name in sock_source sock_sink; do
		"$BIN/$name" -h | sed -n -E \
			's/^  -(.) .*\(([0-9]+|localhost|never)[;)].*/\1 \2/p' \
			>defaults
		ok "defaults in the usage" test -s defaults
		while read -r letter value; do
			match "-$letter in $name.1" \
				"$(option_text "$MAN/$name.1" "$letter")" \
				"(^|[^0-9])$value([^0-9]|\$)"
		done <defaults
	done
}

sections_are_there() {
	for name in sock_source sock_sink; do
		for s in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" EXAMPLES \
			"SEE ALSO"; do
			match "sections of $name.1" \
				"$(grep '^\.Sh' "$MAN/$name.1")" "^\\.Sh $s"
		done
		ok "$name.1 speaks to users of iperf" \
			grep -qi iperf "$MAN/$name.1"
	done
}

same_socket_options_everywhere() {
	[ -z "$PORTABLE" ] || skip "built without Linux parts"
	"$SINK" -t help | sed -n 's/^\([A-Z][A-Z0-9_]*\) .*/\1/p' |
		sort -u >table
	ok "the table is there" test -s table
	sed -n -E 's/^\.It ([A-Z][a-z] )?([A-Z0-9]+_[A-Z0-9_]+).*/\2/p' \
		"$MAN/sock_options.7" | sort -u >page
	eq "only in -t help" "$(comm -23 table page | tr '\n' ' ')" ""
	eq "only in sock_options.7" "$(comm -13 table page |
		tr '\n' ' ')" ""
	"$SOURCE" -t help | sed -n 's/^\([A-Z][A-Z0-9_]*\) .*/\1/p' |
		sort -u | cmp -s - table || fail "the programs' tables differ"
}

# The tables of sock_facts(7) as help_facts prints those of the code.
page_tables() {
	sed -n -E '/^\.Sh FACTS/,/^\.Sh COLUMNS/ {
		s/; / /g
		s/, /,/g
		s/^\.It Sy ([^ ]+) Pq (.*)/fact \1 \2/p
	}
	/^\.Sh LIMITER/,/^\.Sh MECHANISMS/s/^\.It Sy ([^ ]+).*/limiter \1/p' "$1"
	awk '
	/^\.Sh / { inside = $2 == "MECHANISMS" }
	!inside { next }
	/^\.It Sy |^\.El/ {
		if (line != "")
			print line
		line = ""
	}
	/^\.It Sy / {
		source = 0
		line = "mechanism " $3 " ("
		sub(/^\.It Sy [^ ]* Pq /, "")
		line = line $0 ")"
		next
	}
	source && sub(/^\.Fn /, "") { $0 = $0 "()" }
	source { line = line " " $0 }
	/^Source:$/ { source = 1 }' "$1"
}

# Which facts there are is no matter of what this system can tell.
same_facts_everywhere() {
	"$BUILD/help_facts" >tables
	for what in fact limiter mechanism; do
		true_that "tables: $what" "$(grep -c "^$what " tables) >= 10"
	done
	page_tables "$MAN/sock_facts.7" >page
	eq "only in the code" "$(grep -vxF -f page tables)" ""
	eq "only in sock_facts.7" "$(grep -vxF -f tables page)" ""
	ok "the order is that of the code" cmp tables page
}

# All names of members in JSON Lines.
json_names() {
	grep -o '"[A-Za-z_]*":' "$@" | sed 's/.*"\(.*\)":/\1/' | sort -u
}

# fields_in FILE PAGE: each name of a member is a word of the page, or a
# fact, which sock_facts(7) has.
fields_in() {
	"$BUILD/help_facts" | sed -n 's/^fact \([^ ]*\).*/\1/p' >facts
	json_names "$1" | grep -vxF -f facts >names
	ok "names in $1" test -s names
	while read -r n; do
		grep -qw -e "$n" "$2" || echo "$n"
	done <names >missing
	eq "fields of -j not in ${2##*/}" "$(tr '\n' ' ' <missing)" ""
}

# The events of sweeps into $1.  A source that sleeps is as fast as its blocks
# are large on any machine: between two of them there is a cliff, if only a
# slope.  What it adds is no neighbour of what was asked for, and has no
# mechanisms.
sweeps() {
	run 20 "$SINK" -s -v -j -n 2 -d 0.04 -E median=1.. -- -D 0.005 -b 1K,16K
	status 3
	match "the second has a mark" "$out" '"number":2,.*"differs":true'
	cp "$T/out" "$1"
	run 20 "$SINK" -s -j -n 2 -d 0.02 -x copy,tcp
	status 0
	cat "$T/out" >>"$1"
	run 20 "$SINK" -s -f -n 2 -d 0.02 -b 1K,2K
	status 0
	match "the header is of all" "$out" '^host=.* block=1K,2K '
	cp "$T/out" sweep.txt
	run 5 "$SINK" -j -r sweep.txt
	status 0
	match "no seed is known" "$out" '"event":"sweep",.*"seed":null'
	cat "$T/out" >>"$1"
	run 5 "$SINK" -j -r sweep.txt -r sweep.txt
	status 0
	cat "$T/out" >>"$1"
}

json_fields_are_documented() {
	start_source -j -v -i 0.2 -t TCP_NODELAY
	sink -j -d 0.5 -i 0.2 -t SO_RCVBUF=8192
	status 0
	cp "$T/out" sink.all
	sink -j -l -d 0.3
	status 0
	cat "$T/out" >>sink.all
	sink -j -c -d 1
	cat "$T/out" >>sink.all
	run 5 "$SINK" -j -p "$(free_port)"
	cat "$T/out" >>sink.all
	start_sink cut -j
	wait_for 5 has_worker "$PID" && kill -KILL "$(worker_of "$PID")"
	ended 5 "$PID"
	cat cut.out >>sink.all
	sink -j -R -d 0.5 -t SO_RCVBUF=8192
	status 0
	cat "$T/out" >>sink.all
	sweeps sweeps.out
	"$BUILD/help_facts" -j >facts.out
	cat sweeps.out facts.out >>sink.all
	for e in environment peer option kernel during counters association \
		change_facts mechanism source turn sweep setting cliff \
		transport compare_setting compare_sweep; do
		ok "there is an event $e" grep -q "^{\"event\":\"$e\"" sink.all
		ok "$e is in sock_sink.1" grep -q "^\.It Li $e\$" \
			"$MAN/sock_sink.1"
	done
	fields_in sink.all "$MAN/sock_sink.1"
	# The sysctls of the machine: names with dots, as a whole.
	grep '"event":"environment"' sink.all |
		grep -o '"net\.[a-z_.0-9]*"' | tr -d '"' >sysctls
	while read -r n; do
		grep -qw -e "$(printf '%s' "$n" | sed 's/\./\\./g')" \
			"$MAN/sock_sink.1" || echo "$n"
	done <sysctls >missing
	eq "sysctls not in sock_sink.1" "$(tr '\n' ' ' <missing)" ""
	cp "$SRC_OUT" source.all
	run 5 "$SOURCE" -j -p "$PORT"
	cat "$T/out" >>source.all
	fields_in source.all "$MAN/sock_source.1"
}

manual_pages_are_clean() {
	need mandoc
	for page in "$MAN"/*.[17]; do
		mandoc -T lint -W warning "$page" >lint.out 2>&1
		eq "complaints about ${page##*/}" \
			"$(sed 's/^mandoc: [^:]*: *//; s/^mandoc: //' \
			lint.out | head -n 3)" ""
	done
}

# The commands of a manual page: each .Dl line of its EXAMPLES is one.
page_commands() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/s/^\.Dl //p' "$1" | sed \
		-e 's/\\&//g' -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" \
		-e 's/\\(dq/"/g' -e 's/\\e/\\/g'
}

# In order and in one shell, with the programs in the PATH; each must end
# by itself and well.
page_examples() {
	page=$MAN/$1
	ok "$1 is there" test -f "$page"
	port_is_free 7001 || skip "port 7001 is in use"
	page_commands "$page" >commands
	n=$(wc -l <commands)
	true_that "commands: $n" "$n >= 6"
	mkdir bin
	ln -s "$SOURCE" "$SINK" bin/
	while IFS= read -r command; do
		printf '%s\n' "$command"
		case $command in
		*\&) ;;
		*) printf '[ $? -eq 0 ] || echo "FAILED: %s"\n' \
			"$(printf '%s' "$command" | tr -d '"$\\`')" ;;
		esac
	done <commands >script
	echo wait >>script
	PATH=$T/bin:$PATH
	export PATH
	run 60 sh ./script
	status 0
	eq "commands that failed" "$(grep '^FAILED' "$T/out")" ""
	# The lines of a source on a pipe stand there too.
	eq "complaints" "$(grep -E '^(sock_|sh:|\./script|timeout:)' \
		"$T/err")" ""
	true_that "end lines: $(count_ends "$T/out")" \
		"$(count_ends "$T/out") >= $n"
}

# The commands that the README shows: lines that begin with "$ ".
readme_commands() {
	sed -n -e 's/^ *\$ //p' -e 's/^```.*/--/p' "$1"
}

# Run them in order: a source in the background, a sink for 1 s at most.
# Only our programs: what installs or fetches is not ours to try here.
run_commands() {
	mkdir bin
	ln -s "$SOURCE" "$SINK" bin/
	ran=0
	background=
	while IFS= read -r command; do
		case $command in
		--)
			# shellcheck disable=SC2086
			[ -z "$background" ] || kill $background 2>/dev/null
			# shellcheck disable=SC2086
			[ -z "$background" ] || wait $background 2>/dev/null
			background=
			continue
			;;
		*sock_source*|*sock_sink*) ;;
		*) continue ;;
		esac
		ran=$((ran + 1))
		(
			PATH=$T/bin:$PATH
			cd bin || exit 1
			case $command in
			*\&)	exec "$BUILD/help_defaults" sh -c \
				"exec ${command% &}" >"$T/bg.out" \
				2>"$T/bg$ran.err" </dev/null ;;
			esac
			exec "$BUILD/help_signals" -g \
				INT@1,INT@8,KILL@9 sh -c "$command" \
				>"$T/ex.out" 2>"$T/ex.err" </dev/null
		) &
		p=$!
		case $command in
		*\&)
			background="$background $p"
			PIDS="$PIDS $p"
			sleep 0.3
			[ ! -s "bg$ran.err" ] ||
				echo "$command: $(cat "bg$ran.err")"
			;;
		*)
			wait "$p"
			st=$?
			case $st in
			0|130) ;;
			*) echo "$command: status $st: $(cat ex.err)" ;;
			esac
			;;
		esac
	done
	# shellcheck disable=SC2086
	[ -z "$background" ] || kill $background 2>/dev/null
	echo "ran $ran"
}

examples_of_the_readme() {
	ok "README.md is there" test -f "$TREE/README.md"
	port_is_free 7001 || skip "port 7001 is in use"
	readme_commands "$TREE/README.md" >commands
	run_commands <commands >results
	n=$(sed -n 's/^ran //p' results)
	true_that "commands that were run: $n" "$n >= 2"
	eq "commands that failed" "$(grep -v '^ran ' results)" ""
}

# Port 7001 may be taken: then in a network of our own, where permitted.
if [ -z "$DOCS_IN_NETNS" ] &&
   "$BUILD/help_noipv6" netns true 2>/dev/null; then
	DOCS_IN_NETNS=yes
	export DOCS_IN_NETNS
	rm -rf "$TOP"
	exec "$BUILD/help_noipv6" netns sh "$0"
fi

examples_of_sock_source() {
	page_examples sock_source.1
}

examples_of_sock_sink() {
	page_examples sock_sink.1
}

for t in same_letters_everywhere defaults_are_documented sections_are_there \
	same_socket_options_everywhere same_facts_everywhere \
	json_fields_are_documented manual_pages_are_clean \
	examples_of_sock_source examples_of_sock_sink examples_of_the_readme; do
	it $t
done
finish
