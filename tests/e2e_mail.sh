#!/bin/sh
# The session of 1998, typed as it stands: default port, both programs in
# their directory, ^C and restart of the sink against one source; the
# exact lines, one every 2 seconds on both sides, at once in a file too.
# limit: 90
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Port 7001 may be taken: then in a network of our own, where permitted.
if [ -z "$MAIL_IN_NETNS" ] && ! port_is_free 7001 &&
   "$BUILD/help_noipv6" netns true 2>/dev/null; then
	MAIL_IN_NETNS=yes
	export MAIL_IN_NETNS
	rm -rf "$TOP"
	exec "$BUILD/help_noipv6" netns sh "$0"
fi

# ^C the sink after so many seconds: mail_sink NAME SECONDS.
mail_sink() {
	(cd "$BIN" && exec "$BUILD/help_signals" -g -o "$T/$1.end" "INT@$2" \
		./sock_sink -H localhost >"$T/$1.out" 2>"$T/$1.err")
}

mail_session() {
	port_is_free 7001 || skip "port 7001 is in use"
	(cd "$BIN" && exec "$BUILD/help_defaults" ./sock_source -b 1024 \
		>"$T/src.out" 2>"$T/src.err") &
	SRC=$!
	PIDS="$PIDS $SRC"
	mail_sink one 5.2 &
	first=$!
	# While it runs: a file has the lines already, at both ends.
	sleep 3.4
	eq "rates in a file after 3.4 s" "$(count_rates "$T/one.out")" 1
	wait "$first"
	mail_sink two 2.9
	mail_sink three 0.7
	ok "the source is still there" alive "$SRC"
	for i in one two three; do
		eq "end of sink $i" "$(cut -d ' ' -f 1-2 "$T/$i.end")" "exit 0"
		eq "first line of sink $i" "$(head -n 1 "$T/$i.out")" \
			"host=localhost port=7001 options=[]"
		eq "complaints of sink $i" "$(cat "$T/$i.err")" ""
		eq "end lines of sink $i" "$(count_ends "$T/$i.out")" 1
		match "end line of sink $i" "$(tail -n 1 "$T/$i.out")" \
			'^connection 1: .* MB read, .* MB/sec, interrupted$'
	done
	eq "rates of sink one" "$(count_rates "$T/one.out")" 2
	eq "rates of sink two" "$(count_rates "$T/two.out")" 1
	eq "rates of sink three" "$(count_rates "$T/three.out")" 0
	eq "rates of the source" "$(count_rates "$T/src.out")" 3
	wait_for 2 lines_of "$T/src.out" 'closed by the sink$' 3
	# All of the source's lines, each rate and end as one word.
	eq "the source's lines" "$(sed -E -e 's/^[0-9.e+]+ MB\/sec$/RATE/' \
		-e 's/^connection ([0-9]): .* closed by the sink$/END \1/' \
		"$T/src.out" | tr '\n' ';')" \
"port=7001 options=[];waiting for connection;\
accepted;waiting for connection;RATE;RATE;END 1;\
accepted;waiting for connection;RATE;END 2;\
accepted;waiting for connection;END 3;"
	eq "complaints of the source" "$(cat "$T/src.err")" ""
}

# %.6g: at most six significant digits, no trailing zeros, no more words.
rate_lines_have_the_old_format() {
	start_source -b 1024 -i 0.1
	sink -b 1024 -i 0.1 -d 1.5
	status 0
	ok "ten lines" lines_of "$T/out" ' MB/sec$' 10
	for f in "$T/out" "$SRC_OUT"; do
		bad=$(grep 'MB/sec$' "$f" | sed 's/ MB\/sec$//' | awk '
			sprintf("%.6g", $1) != $0 || NF != 1')
		eq "rates that are not as %.6g prints them" "$bad" ""
	done
}

# The same string on both ends is shown unchanged and does what it did.
mail_option_string_collapses() {
	mail="TCP_NODELAY SO_RCVBUF=8192 SO_SNDBUF=16384 IPTOS_THROUGHPUT"
	start_source -b 1024
	sink -d 2 -i 0.5 -b 1024
	status 0
	free=$(rates "$T/out" | median)
	stop_source
	start_source -b 1024 -t "$mail"
	eq "the source's first line" "$(head -n 1 "$SRC_OUT")" \
		"port=$PORT options=[$mail]"
	sink -d 2.5 -i 0.5 -b 1024 -t "$mail"
	status 0
	match "the sink's first line" "$(head -n 1 "$T/out")" \
		"^host=127.0.0.1 port=$PORT options=\\[$mail\\] "
	slow=$(rates "$T/out" | median)
	eq "rates of the sink" "$(count_rates "$T/out")" 5
	[ -z "$PORTABLE" ] || return
	[ "$(uname)" = Linux ] || return
	true_that "it collapses" "$free > 10 * $slow && $slow > 0"
}

# ./sock_source & ./sock_sink: the sink may be there first.
sink_may_be_first() {
	for i in 1 2 3; do
		port=$(free_port)
		(sleep "0.$i"
		 exec "$BUILD/help_defaults" "$SOURCE" -p "$port" -n 1 \
			>src.out 2>src.err) &
		PIDS="$PIDS $!"
		run 10 "$SINK" -p "$port" -d 0.2
		status 0
		eq "complaints" "$err" ""
		port=$(free_port)
		try_source -p "$port" -n 1
		run 10 "$SINK" -p "$port" -d 0.2
		status 0
	done
}

# Nobody there: it says so after the second that it tries.
nobody_there_is_said_after_a_second() {
	port=$(free_port)
	run 10 "$SINK" -p "$port"
	status 1
	true_that "it tries for a second (took $took)" \
		"$took >= 90 && $took <= 500"
	match "complaint" "$err" "^sock_sink: connect localhost port $port"
	match "complaint" "$err" 'refused, after 1 s of trying'
	match "complaint" "$err" 'is sock_source running'
	eq "complaints" "$(printf '%s\n' "$err" | wc -l)" 1
	eq "output" "$out" "host=localhost port=$port options=[]"
}

# Two sinks at once: prefixes while both are there, and to the end of each.
lines_of_two_connections_are_told_apart() {
	start_source -i 0.2
	start_sink one -d 2
	wait_for 5 lines_of "$SRC_OUT" 'MB/sec$' 2 || fail "no lines"
	sink -d 0.6
	ended 5 "$PID"
	wait_for 5 lines_of "$SRC_OUT" "$END" 2 || fail "no end lines"
	sed -n -E -e 's/^\[([0-9])\] .* MB\/sec$/\1/p' \
		-e 's/^[0-9.e+]+ MB\/sec$/-/p' \
		-e 's/^accepted$/a/p' -e 's/^connection ([0-9]).*/E\1/p' \
		"$SRC_OUT" | tr -d '\n' >pattern
	match "who wrote which line" "$(cat pattern)" \
		'^a--+a[12]*1[12]*2[12]*E211+E1$'
}

it mail_session
it rate_lines_have_the_old_format
it mail_option_string_collapses
it sink_may_be_first
it nobody_there_is_said_after_a_second
it lines_of_two_connections_are_told_apart
finish
