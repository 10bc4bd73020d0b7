#!/bin/sh
# The sink ends well: ^C at any time, -d, -n, end and reset by the source,
# a killed worker, a read that timed out: each told apart in one end line
# and the exit status, no line lost; the source notes a sink's leaving in
# one line and goes on.
# limit: 90
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# end_of NAME: "exit N" or "signal N" as help_signals has written it.
end_of() {
	cut -d ' ' -f 1-2 "$T/$1.end"
}

# signalled NAME PLAN OPTION...: a sink that gets signals, in its group.
signalled() {
	name=$1
	plan=$2
	shift 2
	"$BUILD/help_signals" -g -o "$T/$name.end" "$plan" \
		"$SINK" -H 127.0.0.1 -p "$PORT" "$@" \
		>"$T/$name.out" 2>"$T/$name.err" </dev/null
}

case17_interrupt_at_any_time() {
	gentle_source
	jobs=
	for sig in INT TERM; do
		for t in 0.1 1 3 7; do
			signalled "$sig$t" "$sig@$t" -i 0.5 &
			jobs="$jobs $!"
		done
	done
	for j in $jobs; do
		wait "$j"
	done
	for sig in INT TERM; do
		for t in 0.1 1 3 7; do
			name=$sig$t
			# Before a connection is up it dies by the signal.
			if [ "$t" = 0.1 ] && [ "$(end_of "$name")" != "exit 0" ]
			then
				match "end of $name" "$(end_of "$name")" \
					'^signal (2|15)$'
				eq "end lines of $name" \
					"$(count_ends "$T/$name.out")" 0
				continue
			fi
			eq "end of $name" "$(end_of "$name")" "exit 0"
			eq "end lines of $name" \
				"$(count_ends "$T/$name.out")" 1
			match "last line of $name" \
				"$(tail -n 1 "$T/$name.out")" \
				'^connection 1: .*, interrupted$'
			eq "complaints of $name" "$(cat "$T/$name.err")" ""
			n=$(count_rates "$T/$name.out")
			true_that "whole intervals of $name: $n" \
				"$n <= $t / 0.5 && $n >= ($t - 1) / 0.5 - 1"
		done
	done
	ok "an end for each connection" wait_for 5 all_ended
	eq "the source's ends" "$(ends "$SRC_OUT" |
		grep -vc ', closed by the sink$')" 0
	true_that "connections" "$(count_ends "$SRC_OUT") >= 6"
	sink -d 0.3
	status 0
}

# Two that arrive as one, on a machine that is busy, are one: try again.
case17_second_interrupt_kills() {
	start_source
	for _ in 1 2 3; do
		signalled twice INT@0.7,INT@0.8
		[ "$(end_of twice)" = "exit 0" ] || break
	done
	eq "end" "$(end_of twice)" "signal 2"
	eq "end lines" "$(count_ends "$T/twice.out")" 1
	match "end line" "$(tail -n 1 "$T/twice.out")" ', interrupted$'
	sink -d 0.3
	status 0
}

two_interrupts_leave_a_shell_loop() {
	need bash
	gentle_source
	for _ in 1 2 3; do
		"$BUILD/help_signals" -g -o loop.end INT@0.8,INT@0.9,KILL@3 \
			bash -c 'for i in 1 2 3; do "$@"; done; echo whole' \
			loop "$SINK" -H 127.0.0.1 -p "$PORT" >loop.out 2>&1
		[ "$(end_of loop)" = "signal 9" ] || break
	done
	eq "end of the loop" "$(end_of loop)" "signal 2"
	eq "sinks started" "$(grep -c '^host=' loop.out)" 1
	no_match "output" "$(cat loop.out)" whole
}

# The same while nothing is connected yet: the signal's own end.
interrupt_before_a_connection_kills() {
	PORT=$(free_port)
	for sig in INT TERM; do
		signalled early "$sig@0.4"
		match "end of $sig" "$(end_of early)" '^signal (2|15)$'
		eq "lines" "$(wc -l <early.out)" 1
	done
}

# -n 0 goes on until interrupted; a ^C ends the run, not one connection.
interrupt_ends_a_run() {
	gentle_source
	signalled run INT@1.8 -n 0 -d 0.5 -i 0.25
	eq "end" "$(end_of run)" "exit 0"
	n=$(count_ends run.out)
	true_that "connections: $n" "$n >= 2 && $n <= 4"
	eq "interrupted ones" "$(grep -c '^connection .*, interrupted$' run.out)" 1
	match "last end" "$(grep '^connection ' run.out | tail -n 1)" \
		"^connection $n: .*, interrupted\$"
	eq "done ones" "$(grep -c ', done$' run.out)" $((n - 1))
}

# Between two connections ^C ends the run just so; also with the source gone.
interrupt_between_connections() {
	gentle_source
	now
	began=$NOW
	signalled gap INT@1.2 -n 3 -d 0.3 -i 0.15 -g 20
	now
	eq "end" "$(end_of gap)" "exit 0"
	eq "connections" "$(count_ends gap.out)" 1
	true_that "hundredths of a second: $((NOW - began))" "$NOW - $began < 600"
}

# nohup and background jobs: what was ignored at the start stays so.
ignored_signals_stay_ignored() {
	gentle_source
	for sig in INT TERM HUP; do
		"$BUILD/help_signals" -g -i "$sig" -o "$sig.end" "$sig@0.4" \
			"$SINK" -H 127.0.0.1 -p "$PORT" -d 1 >"$sig.out" 2>&1
		eq "end with $sig ignored" "$(end_of "$sig")" "exit 0"
		match "last line" "$(tail -n 1 "$sig.out")" ', done$'
	done
}

hangup_ends_the_sink() {
	gentle_source
	signalled hup HUP@0.5
	match "end" "$(end_of hup)" '^(exit 0|signal 1)$'
	ok "the source noted it" wait_for 5 \
		lines_of "$SRC_OUT" ', closed by the sink$' 1
}

duration_is_done() {
	gentle_source
	sink -d 1.5 -i 0.2
	status 0
	match "end line" "$(tail -n 1 "$T/out")" \
		'^connection 1: 1\.[5-9][0-9]* s, .* MB read, .* MB/sec, done$'
	on_time "$T/out" 0.2 1.5
	sink -d 0.3
	status 0
	eq "one planned interval where -d is shorter than -i" \
		"$(count_rates "$T/out")" 1
	match "end line" "$(tail -n 1 "$T/out")" ', done$'
}

number_of_connections_is_done() {
	gentle_source
	sink -n 3 -d 0.4 -i 0.2
	status 0
	eq "numbered ends" "$(sed -n -E \
		's/^connection ([0-9]+): .*, done$/\1/p' "$T/out" |
		tr '\n' ' ')" "1 2 3 "
	eq "headers" "$(grep -c '^host=' "$T/out")" 1
}

pause_between_connections() {
	gentle_source
	sink -n 3 -d 0.3 -g 0.5
	status 0
	true_that "3 x 0.3 s and 2 x 0.5 s (took $took)" \
		"$took >= 185 && $took < 950"
	eq "connections" "$(count_ends "$T/out")" 3
}

eof_without_duration_is_success() {
	gentle_source -d 0.6 -i 0.2
	sink -i 0.2
	status 0
	match "end line" "$(tail -n 1 "$T/out")" ', ended by the source$'
	ok "the source is done" wait_for 5 \
		lines_of "$SRC_OUT" '^connection 1: .* MB sent, .*, done$' 1
}

eof_before_duration_fails() {
	gentle_source -d 0.6
	sink -d 7
	status 1
	match "end line" "$(tail -n 1 "$T/out")" \
		', ended by the source after 0\.[5-9][0-9]* s of 7$'
}

eof_before_number_is_reached_fails() {
	gentle_source -n 1 -d 0.5
	sink -n 3
	status 1
	eq "ends" "$(count_ends "$T/out")" 1
}

# A source that ends says goodbye to an open connection.
source_stopped_under_the_sink() {
	start_source
	start_sink one
	sink_pid=$PID
	wait_for 5 lines_of "$SRC_OUT" '^accepted$' 1
	sleep 0.5
	stop_source
	eq "the source's status" "$st" 0
	eq "the source's ends" "$(count_ends "$SRC_OUT")" 1
	ended 5 "$sink_pid"
	eq "the sink's status" "$st" 0
	match "end line" "$(tail -n 1 one.out)" ', ended by the source$'
}

reset_fails() {
	for with in "" "-d 5"; do
		start foreign "$BUILD/help_server" -4 -r 0.6
		wait_for 5 grep -q port= foreign.out
		PORT=$(sed 's/port=//' foreign.out)
		# shellcheck disable=SC2086
		sink $with
		status 1
		match "end line" "$(tail -n 1 "$T/out")" \
			', reset by the source'
		kill "$PID"
	done
}

killed_worker_is_named() {
	need_proc
	start_source
	start_sink one
	sink_pid=$PID
	wait_for 5 has_worker "$sink_pid" || fail "the sink has no worker"
	sleep 0.4
	kill -KILL "$(worker_of "$sink_pid")"
	ended 5 "$sink_pid"
	eq "status" "$st" 1
	match "end line" "$(tail -n 1 one.out)" \
		'^connection 1: .*, worker killed by signal 9'
	# And at the source, which goes on.
	start_sink two
	sink_pid=$PID
	wait_for 5 has_worker "$SRC" || fail "the source has no worker"
	sleep 0.4
	kill -KILL "$(worker_of "$SRC")"
	ok "the source says so" wait_for 5 lines_of "$SRC_OUT" \
		'^connection 2: .*, worker killed by signal 9' 1
	ended 5 "$sink_pid"
	sink -d 0.3
	status 0
}

# A worker that does not react is killed after a second: a lower bound.
stopped_worker_does_not_hold_up_the_end() {
	need_proc
	gentle_source
	start_sink one -d 1.2
	wait_for 5 has_worker "$PID" || fail "the sink has no worker"
	kill -STOP "$(worker_of "$PID")"
	ended 11 "$PID"
	match "end line" "$(tail -n 1 one.out)" \
		'^connection 1: .* s, >= ?[0-9.]+ MB read, '
}

timed_out_read_is_named() {
	start_source -D 20
	sink -t SO_RCVTIMEO=0.5 -d 10
	status 1
	match "end line" "$(tail -n 1 "$T/out")" ', SO_RCVTIMEO expired'
	true_that "it took half a second ($took)" "$took < 250"
}

timed_out_write_is_named() {
	start_source -t SO_SNDTIMEO=0.5
	start lazy "$BUILD/help_reader" -k 1 127.0.0.1 "$PORT"
	ok "the source says so" wait_for 5 lines_of "$SRC_OUT" \
		'^connection 1: .*, SO_SNDTIMEO expired' 1
	ok "it goes on" alive "$SRC"
}

user_timeout_is_named() {
	need_linux_parts TCP_USER_TIMEOUT
	unit=$("$SOURCE" -t help | sed -n '/^TCP_USER_TIMEOUT/p')
	[ -n "$unit" ] || skip "no TCP_USER_TIMEOUT here"
	case $unit in
	*ms*|*milli*) value=700 ;;
	*) value=0.7 ;;
	esac
	start_source -t "TCP_USER_TIMEOUT=$value"
	start lazy "$BUILD/help_reader" -k 1 127.0.0.1 "$PORT"
	ok "the source says so" wait_for 15 lines_of "$SRC_OUT" \
		'^connection 1: .*TCP_USER_TIMEOUT expired' 1
	ok "it goes on" alive "$SRC"
}

it case17_interrupt_at_any_time
it case17_second_interrupt_kills
it two_interrupts_leave_a_shell_loop
it interrupt_before_a_connection_kills
it interrupt_ends_a_run
it interrupt_between_connections
it ignored_signals_stay_ignored
it hangup_ends_the_sink
it duration_is_done
it number_of_connections_is_done
it pause_between_connections
it eof_without_duration_is_success
it eof_before_duration_fails
it eof_before_number_is_reached_fails
it source_stopped_under_the_sink
it reset_fails
it killed_worker_is_named
it stopped_worker_does_not_hold_up_the_end
it timed_out_read_is_named
it timed_out_write_is_named
it user_timeout_is_named
finish
