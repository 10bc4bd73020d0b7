#!/bin/sh
# Output arrives line by line, in a pipe and in a file; a reader that has
# gone ends either program quietly, a full disk or a closed descriptor is
# said and fails; the loss of standard output never harms a connection.
# limit: 60
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# A pipeline's first command, its status in the file "first.st".
first() {
	"$BUILD/help_defaults" "$@"
	echo $? >first.st
}

case8_lines_arrive_in_a_pipe() {
	gentle_source
	now
	began=$NOW
	{
		first timeout 20 "$SINK" -H 127.0.0.1 -p "$PORT" -d 7 \
			2>first.err
	} | {
		read -r header
		read -r line
		now
		echo "$((NOW - began)) $header" >header
		echo "$line" >line
	}
	now
	match "first line" "$(cat header)" 'host=127\.0\.0\.1 '
	match "second line" "$(cat line)" "^$RATE MB/sec\$"
	when=$(cut -d ' ' -f 1 header)
	true_that "a line after 2 to 3 s: $when" "$when >= 190 && $when < 400"
	true_that "over within 6 s: $((NOW - began))" "$NOW - $began < 650"
	eq "status of the sink" "$(cat first.st)" 141
	eq "complaints" "$(cat first.err)" ""
	ok "the source noted it" wait_for 5 \
		lines_of "$SRC_OUT" ', closed by the sink$' 1
}

case8_closed_pipe_ends_the_sink() {
	gentle_source
	now
	began=$NOW
	{
		first timeout 20 "$SINK" -H 127.0.0.1 -p "$PORT" -d 9 -i 0.2 \
			2>first.err
	} | head -n 1 >line
	now
	eq "first line" "$(cut -d ' ' -f 1 line)" host=127.0.0.1
	true_that "over soon: $((NOW - began))" "$NOW - $began < 300"
	eq "status of the sink" "$(cat first.st)" 141
	eq "complaints" "$(cat first.err)" ""
}

# head goes after the first line, the second ends the source; workers do
# not hold the pipe open.
closed_pipe_ends_the_source() {
	port=$(free_port)
	{
		first timeout 20 "$SOURCE" -p "$port" -i 0.2 2>first.err
	} | head -n 3 >lines &
	pipeline=$!
	run 10 "$SINK" -p "$port" -i 0.2
	match "the sink's end" "$(tail -n 1 "$T/out")" \
		', (ended|reset) by the source'
	wait "$pipeline"
	eq "lines" "$(cut -d = -f 1 lines | tr '\n' ';')" \
		"port;waiting for connection;accepted;"
	ok "the source has ended" wait_for 5 test -s first.st
	eq "status of the source" "$(cat first.st)" 141
	eq "complaints" "$(cat first.err)" ""
}

case8_full_disk_is_said() {
	[ -c /dev/full ] || skip "no /dev/full here"
	gentle_source
	for what in "" -j; do
		# shellcheck disable=SC2086
		timeout 10 "$BUILD/help_defaults" "$SINK" -p "$PORT" -d 7 \
			-H 127.0.0.1 $what >/dev/full 2>full.err
		eq "status of the sink $what" $? 1
		eq "complaint" "$(cat full.err)" \
"sock_sink: write standard output: No space left on device"
		# shellcheck disable=SC2086
		timeout 10 "$BUILD/help_defaults" "$SOURCE" -p 0 $what \
			>/dev/full 2>full.err
		eq "status of the source $what" $? 1
		eq "complaint" "$(cat full.err)" \
"sock_source: write standard output: No space left on device"
	done
	# The texts of -h and -V as well.
	for what in -h -V "-t help"; do
		for p in "$SOURCE" "$SINK"; do
			# shellcheck disable=SC2086
			"$p" $what >/dev/full 2>full.err
			eq "status of ${p##*/} $what" $? 1
			match "complaint" "$(cat full.err)" \
				': write standard output: No space'
		done
	done
}

# A socket must not become descriptor 1 and the lines its data.
closed_descriptors_are_said() {
	gentle_source
	timeout 10 "$BUILD/help_defaults" "$SINK" -H 127.0.0.1 -p "$PORT" \
		-d 1 -i 0.2 >&- 2>closed.err
	eq "status of the sink" $? 1
	match "complaint" "$(cat closed.err)" \
		'^sock_sink: write standard output: '
	stop_source
	timeout 10 "$BUILD/help_defaults" "$SOURCE" -p 0 >&- 2>closed.err
	eq "status of the source" $? 1
	match "complaint" "$(cat closed.err)" \
		'^sock_source: write standard output: '
	# Without a standard input or error nothing is wrong.
	gentle_source
	timeout 10 "$BUILD/help_defaults" "$SINK" -H 127.0.0.1 -p "$PORT" \
		-d 0.5 -i 0.2 <&- 2>&- >closed.out
	eq "status without descriptors 0 and 2" $? 0
	eq "end lines" "$(count_ends closed.out)" 1
}

# Quite another thing on standard input: it is never read.
standard_input_is_left_alone() {
	gentle_source
	printf 'one\ntwo\n' | {
		"$SINK" -H 127.0.0.1 -p "$PORT" -d 0.3 >sink.out
		cat
	} >rest
	eq "what the sink left" "$(tr '\n' ' ' <rest)" "one two "
}

complaints_go_to_stderr() {
	run 5 "$SINK" -b nonsense
	status 2
	eq "output" "$out" ""
	run 5 "$SOURCE" -b nonsense
	status 2
	eq "output" "$out" ""
}

# A reader that has stopped must not make the program deaf: a second signal
# ends it.
stalled_reader_does_not_keep_signals_out() {
	start_source -b 16K -D 0.001
	mkfifo fifo
	# shellcheck disable=SC2217
	sleep 30 <fifo &
	PIDS="$PIDS $!"
	"$BUILD/help_defaults" "$SINK" -j -i 0.01 -H 127.0.0.1 -p "$PORT" >fifo 2>/dev/null &
	stuck=$!
	PIDS="$PIDS $stuck"
	# 64 KB of pipe take some 200 lines.
	sleep 4
	kill -TERM "$stuck"
	sleep 0.5
	kill -TERM "$stuck"
	ended 5 "$stuck"
	eq "status" "$st" 143
}

for t in case8_lines_arrive_in_a_pipe case8_closed_pipe_ends_the_sink \
	closed_pipe_ends_the_source case8_full_disk_is_said \
	closed_descriptors_are_said standard_input_is_left_alone \
	complaints_go_to_stderr \
	stalled_reader_does_not_keep_signals_out; do
	it $t
done
finish
