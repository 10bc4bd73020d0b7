#!/bin/sh
# The report of -R: plain ASCII in 78 columns that names nobody, its sections,
# a command that can be pasted; what it reads back to, also as a mail quotes
# it; machines compared; as JSON; and what becomes of it where things fail or
# are not known.
# limit: 120
# shellcheck disable=SC2317,SC2119,SC2016
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

LONG='TCP_NODELAY,SO_KEEPALIVE,SO_SNDBUF=65536,SO_RCVBUF=262144,IP_TOS=EF,SO_PRIORITY=3,TCP_KEEPIDLE=30,TCP_KEEPINTVL=10'

# of_section TITLE [FILE]: its lines without the last, which is empty.
of_section() {
	sed -n "/^---- $1\$/,/^\$/p" "${2:-$T/out}" | sed -e 1d -e '$d'
}

titles() {
	sed -n 's/^---- //p' "${1:-$T/out}" | tr '\n' ';'
}

ALL='machine;lines;options;kernel, over each connection;summary;'\
'what goes with fast and slow;known mechanisms;during the run;'\
'counters that moved (whole network namespace, during the run);'

# whole FILE: framed, narrow, plain.
whole() {
	match "first line" "$(head -n 1 "$1")" '^==== socklib report, socklib .* =+$'
	match "last line" "$(tail -n 1 "$1")" '^==== end =+$'
	eq "long lines" "$(awk 'length($0) > 78' "$1")" ""
	eq "bytes that are no ASCII" "$(LC_ALL=C tr -d '\n -~' <"$1")" ""
	eq "blanks at the end of a line" "$(grep -n ' $' "$1")" ""
}

# nobody FILE: it does not say where it was made, or by whom.
nobody() {
	for word in "$(uname -n)" "$(id -un)"; do
		case $word in
		''|?|??|localhost) ;;
		*)	checked
			grep -Fqw -e "$word" "$1" && fail "it says \"$word\":" \
				"$(grep -Fw -e "$word" "$1")" ;;
		esac
	done
	for path in "$HOME" "$(dirname "$SINK")"; do
		case $path in
		''|/) ;;
		*)	checked
			grep -Fq -e "$path" "$1" && fail "it says \"$path\":" \
				"$(grep -F -e "$path" "$1")" ;;
		esac
	done
}

# The command behind a label, as a shell would take it.
command_of() {
	awk -v label="$1" '
		index($0, label) == 1 { on = 1; $0 = substr($0, length(label) + 1) }
		on { print }
		on && !/\\$/ { exit }' "${2:-$T/out}"
}

# The report that several tests read: kept outside of their directories.
KEPT=$TOP/report.txt

sections_and_width() {
	gentle_source -t SO_SNDBUF=1M
	sink -R -n 6 -d 0.4 -t "$LONG SO_MAX_PACING_RATE=18446744073709551615" \
		-e 'SO_RCVBUF=65536 TCP_MAXSEG=30000'
	status 0
	cp out "$KEPT"
	whole out
	nobody out
	eq "sections" "$(titles)" "$ALL"
	match "program" "$(command_of 'to repeat:')" '^ *sock_sink -H 127\.0\.0\.1 '
	ok "the header is broken" [ "$(of_section lines | sed '/interval=/q' | wc -l)" -ge 3 ]
	eq "header, joined" "$(of_section lines | sed '/interval=/q' | tr '\n' ' ')" \
		"host=127.0.0.1 port=$PORT options=[$(echo "$LONG" | tr , ' ')\
 SO_MAX_PACING_RATE=18446744073709551615] early=[SO_RCVBUF=65536\
 TCP_MAXSEG=30000] interval=0.05 "
	eq "options" "$(of_section options | grep -c '^  sink  ')" 11
	match "option" "$(of_section options)" '^  sink +SO_SNDBUF +65536  late '
	match "long option" "$(of_section options)" '^  sink +SO_MAX_PACING_RATE +asked '
	[ -n "$PORTABLE" ] || {
		match "source" "$(command_of source:)" \
			'^ *sock_source -p 0 -b 16K -D 0\.001 -t SO_SNDBUF=1M$'
		# One that was not looked at in time has none.
		rows=$(of_section 'kernel, over each connection' | grep -Ec '^ +[1-6] ')
		true_that "$rows rows of the kernel" "$rows >= 1 && $rows <= 6"
		match "machine" "$(of_section machine)" '^kernel +[0-9]'
	}
	match "load" "$(of_section 'during the run')" '^load +'
}

# same_figures WHAT FILE FILE: word by word, but that numbers were rounded on
# their way, which may move one to the next column, and that a length or the
# time of a change was planned in one and measured in the other.
same_figures() {
	for f in "$2" "$3"; do
		sed -e '1s/ of [0-9.]* s,/,/' -e 's/ after [0-9.]* s:/:/' \
			-e 's/|.*//' "$f" >"$f.words"
	done
	eq "$1" "$(awk '
		{ other = ""; getline other <"'"$3.words"'"; n = split(other, b) }
		n != NF { print; next }
		{
			for (i = 1; i <= NF; i++)
				if ($i "" != b[i] "" && (b[i] + 0 == 0 ||
				    $i / b[i] < 0.99 || $i / b[i] > 1.01)) {
					print $0 " / " other
					next
				}
		}' "$2.words")" ""
	eq "$1: lines" "$(wc -l <"$2.words")" "$(wc -l <"$3.words")"
}

# What the report says of its lines is what -r says of them.
reads_back() {
	[ -s "$KEPT" ] || skip "there is no report"
	of_section summary "$KEPT" >live
	sed -e 's/^/> /' -e 's/$/\r/' "$KEPT" >quoted
	{ echo "Look at this: 5 MB/sec was more."; cat quoted; } >mail
	for f in "$KEPT" quoted; do
		run 10 "$SINK" -r "$f"
		status 0
		same_figures "summary of ${f##*/}" out live
	done
	run 10 "$SINK" -r mail
	match "prose" "$out" '^  text +1 other line passed over'
	run 10 "$SINK" -r "$KEPT" -r quoted
	match "settings" "$out" '^settings: the same in both'
	match "figures" "$out" '^  ratio +1\.000 new to old'
	[ -n "$PORTABLE" ] ||
		match "machine" "$(head -n 1 out)" '^environment: the same in both'
}

machines_are_compared() {
	[ -s "$KEPT" ] || skip "there is no report"
	need_linux_parts "no machine is known"
	sed 's/^\( *net\.core\.somaxconn\) .*/\1 77/' "$KEPT" >other
	run 10 "$SINK" -r other -r "$KEPT"
	match "first" "$(head -n 1 out)" '^environment: DIFFERENT'
	match "second" "$(sed -n 2p out)$(sed -n 3p out)" 'net\.core\.somaxconn.* 77 '
	match "third" "$(sed -n '4,$p' out)" '^settings: '
	# A live run has a machine, too, with a report or without.
	gentle_source
	sink -n 6 -d 0.1 -r "$KEPT"
	status 0
	match "live" "$out" '^environment: the same in both'
	match "live" "$out" '^settings: DIFFERENT'
	sink -R -n 6 -d 0.1 -r other
	status 0
	whole out
	match "sections" "$(titles)" 'summary;comparison;what goes with'
	match "live" "$(of_section comparison | head -n 1)" '^environment: DIFFERENT'
}

reports_of_saved_output() {
	[ -s "$KEPT" ] || skip "there is no report"
	run 10 "$SINK" -R -r "$KEPT"
	status 0
	whole out
	eq "machine" "$(of_section machine)" "$(of_section machine "$KEPT")"
	eq "sections" "$(titles)" "machine;summary;"
	printf '%s\n' "host=h port=1 options=[]" "10 MB/sec" "11 MB/sec" >bare
	run 10 "$SINK" -R -r "$KEPT" -r bare
	status 0
	whole out
	eq "sections" "$(titles)" "comparison;"
	match "machine" "$out" '^environment: not given by the new run'
	run 10 "$SINK" -R -j -r "$KEPT"
	eq "events" "$(json out event | tr '\n' ' ')" "environment summary "
}

# As it stands there, whatever it is that was typed.
can_be_repeated() {
	gentle_source
	odd='a "saved" $(echo text)\of `1998`'
	echo "5 MB/sec" >"$odd"
	set -- -R -n 2 -d 0.05 -t 'TCP_NODELAY,SO_KEEPALIVE TCP_KEEPIDLE=30 TCP_KEEPINTVL=10,SO_SNDBUF=8K,SO_RCVBUF=16K TCP_KEEPCNT=3' \
		-r "$odd"
	sink "$@"
	status 0
	whole out
	{ echo "PATH=$(dirname "$SINK"):\$PATH"; command_of 'to repeat:'; } >again
	command_of 'to repeat:' >first
	ok "it is broken" lines_of first '\\$' 2
	run 10 sh ./again
	status 0
	eq "the command of the second run" "$(command_of 'to repeat:')" "$(cat first)"
	eq "connections" "$(count_ends out)" 2
}

no_ascii() {
	d=$(printf 's\303\251\tx')
	start_source -H "./$d"
	run 10 "$SINK" -R -H "./$d" -n 2 -d 0.1
	status 0
	whole out
	match "header" "$out" '^host=\./s\?\? x options='
	match "command" "$(command_of 'to repeat:')" '"\./s\?\? x"'
}

as_json() {
	start paced "$BUILD/help_paced" 1 30
	wait_for 5 grep -q '^port=' paced.out || fail "help_paced: $(cat paced.err)"
	PORT=$(sed -n 's/^port=//p' paced.out)
	sink -R -j -n 10 -d 0.2 -t SO_RCVBUF=65536 -e TCP_NODELAY
	status 0
	eq "the first" "$(json out event | head -n 2 | tr '\n' ' ')" "environment start "
	association=
	[ -n "$PORTABLE" ] || association='association '
	eq "the others" "$(json out event | sed '1,/^end$/d' | grep -v -e interval \
		-e connect -e end -e peer | uniq | tr '\n' ' ' |
		sed 's/\(mechanism\|change_facts\) //g')" \
		"option kernel summary ${association}during counters "
	eq "options" "$(json out -e option side name asked when | tr '\t\n' ' ;')" \
		"sink TCP_NODELAY 1 early;sink SO_RCVBUF 65536 late;"
	eq "connections" "$(json out -e kernel connection | tr '\n' ' ')" "1 2 3 4 5 6 7 8 9 10 "
	[ -z "$PORTABLE" ] || return 0
	eq "granted" "$(json out -e option granted at_end | sed -n 2p)" "131072	131072"
	match "machine" "$(json out -e environment environment)" '"net\.ipv4\.tcp_rmem"'
	match "during" "$(json out -e during online_cpus)" '^[1-9]'
	# One that was not looked at in time is in no test.
	match "connections of it" "$(json out -e association connections)" '^([5-9]|10)$'
	match "counters" "$(json out -e counters moved)" '"Tcp\.ActiveOpens":[1-9][0-9]'
	no_match "mechanism" "$(json out -e mechanism connections)" '\[\]'
}

in_rounds() {
	gentle_source
	sink -R -P 2 -n 2 -d 0.2
	status 0
	whole out
	eq "sections" "$(titles)" "$ALL"
	match "rounds" "$out" '^4 connections of 0\.2 s in 2 rounds'
	need_linux_parts "nothing is known of a connection"
	rows=$(of_section 'kernel, over each connection' |
		sed -n 's/^ *\([1-4]\) .*/\1/p')
	eq "rows, in order" "$rows" "$(printf '%s\n' "$rows" | sort -n)"
}

# With tests of -E, in an empty environment.
one_connection() {
	gentle_source
	run 10 env -i "$SINK" -R -d 0.3 -H 127.0.0.1 -p "$PORT" -E 'median=..0.001' -E changes=0..9
	status 3
	whole out
	eq "sections" "$(titles)" "$(echo "$ALL" | sed 's/during/expectations;during/')"
	match "expectation" "$(of_section expectations)" '^expect median=\.\.0\.001: .*, not met$'
	match "variance" "$(of_section summary)" '^  variance +one connection'
	match "explanation" "$(of_section 'what goes with fast and slow')" '^(cannot tell|n/a)'
}

interrupted() {
	gentle_source
	for signal in INT TERM; do
		run 10 "$BUILD/help_signals" -g -o end "$signal@0.5" "$SINK" -R \
			-n 5 -d 3 -i 0.1 -H 127.0.0.1 -p "$PORT"
		eq "end" "$(cut -d ' ' -f 1-2 end)" "exit 0"
		whole out
		eq "sections" "$(titles)" "$ALL"
		match "connection" "$out" '^connection 1: .*, interrupted$'
		match "summary" "$(of_section summary | head -n 1)" '^1 of 5 .*, interrupted$'
	done
}

closed_and_full_output() {
	gentle_source
	{ "$BUILD/help_defaults" "$SINK" -R -n 2 -d 0.2 -H 127.0.0.1 -p "$PORT" 2>head.err
		echo $? >head.status; } | head -n 1 >head.out
	match "line" "$(cat head.out)" '^==== socklib report'
	eq "complaints" "$(cat head.err)" ""
	eq "status" "$(cat head.status)" 141
	[ -w /dev/full ] || skip "no /dev/full here"
	"$SINK" -R -n 2 -d 0.2 -H 127.0.0.1 -p "$PORT" >/dev/full 2>full.err
	eq "status" $? 1
	match "complaint" "$(cat full.err)" '^sock_sink: write standard output: '
}

without_tcp() {
	start_source -H ./socket -D 0.001
	run 10 "$SINK" -R -H ./socket -n 2 -d 0.2
	status 0
	whole out
	eq "sections" "$(titles)" "$ALL"
	eq "source" "$(command_of source:)" "     n/a"
	match "sender's state" "$(of_section 'during the run' | tr '\n' ' ')" 'state +n/a'
	no_match "sender" "$(of_section 'kernel, over each connection' |
		grep '^ *[12] ')" '>n/a|n/a +[0-9]+ +n/a'
	"$SOURCE" -H - -D 0.001 2>/dev/null | "$SINK" -R -H - -d 0.2 >pipe 2>pipe.err
	eq "complaints" "$(cat pipe.err)" ""
	whole pipe
	eq "sections" "$(titles pipe)" "$ALL"
	match "header" "$(of_section lines pipe | head -n 1)" '^host=- options=\[\] interval='
}

nobody_listens() {
	PORT=$(free_port)
	sink -R -n 2 -d 0.2
	status 1
	match "complaint" "$err" '^sock_sink: connect .* refused'
	whole out
	eq "sections" "$(titles)" "machine;lines;"
	match "header" "$(of_section lines)" '^host='
	gentle_source -n 1 -d 0.2
	sink -R -n 3 -d 0.1
	st_first=$st
	whole out
	eq "status where the second fails" "$st_first" 1
	eq "sections where the second fails" "$(titles)" "$ALL"
	start server "$BUILD/help_server" -4 -n 100000
	wait_for 5 grep -q '^port=' server.out || fail "$(cat server.err)"
	PORT=$(sed -n 's/^port=//p' server.out)
	sink -R -n 1 -d 0.5
	status 1
	whole out
	match "end" "$out" '^connection 1: .* MB/sec, (ended|reset) by the source$'
}

many_connections() {
	gentle_source
	sink -R -n 63 -d 0.05
	status 0
	whole out
	need_linux_parts "nothing is known of a connection"
	kernel=$(of_section 'kernel, over each connection')
	rows=$(printf '%s\n' "$kernel" | grep -Ec '^ *[0-9]+ ')
	more=$(printf '%s\n' "$kernel" | sed -n 's/^  and \([0-9]*\) more$/\1/p')
	true_that "$rows rows, $more more" "$rows <= 60 && $rows + 0$more <= 63 &&
		$rows + 0$more > 10"
	match "rows of the summary" "$out" '^  3 more connections are not shown'
}

for t in sections_and_width reads_back machines_are_compared reports_of_saved_output \
	can_be_repeated no_ascii as_json in_rounds one_connection interrupted \
	closed_and_full_output without_tcp nobody_listens many_connections; do
	it $t
done
finish
