#!/bin/sh
# The ledger of stalls: what it counts adds up with the connection, waits of
# a known length are found at that length and named where the kernel has a
# timer for them, however the data is read and however the connection ends.
# limit: 60
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# near FILE: the names of the timers at which there is a peak.
near() {
	json "$1" -e ledger timers | tr '{' '\n' |
		sed -n 's/.*"name":"\([^"]*\)".*"near":true.*/\1/p' | tr '\n' ';'
}

# of FILE FIELD: of its one ledger.
of() {
	json "$1" -e ledger "$2"
}

# The kernel's timers are as they are by default.
usual_timers() {
	f=/proc/sys/net/ipv4/tcp_rto_min_us
	[ ! -r "$f" ] || [ "$(cat "$f")" = 200000 ]
}

# adds_up FILE BLOCK: the ledger of its one connection agrees with its end.
adds_up() {
	reads=$(of "$1" reads)
	waits=$(of "$1" waits)
	eq "reads" "$reads" "$(json "$1" -e end calls)"
	true_that "bytes in so many reads" \
		"$(json "$1" -e end bytes) <= $reads * $2"
	true_that "some waited: $waits of $reads" "$waits >= 1"
	true_that "waits: $waits of $reads" "$waits <= $reads"
	eq "waits in bins" "$(bins "$1" | awk '{ n += $2 } END { print n }')" \
		"$waits"
	true_that "time in bins" "$(bins "$1" | awk '{ s += $3 }
		END { print s }') - $(of "$1" wait_s) < 1e-3"
	true_that "waited $(of "$1" wait_s) of $(of "$1" length_s) s" \
		"$(of "$1" wait_s) <= $(of "$1" length_s) &&
		 $(of "$1" length_s) == $(json "$1" -e end length_s)"
	true_that "median, longest" "$(of "$1" median_s) <= \
		$(of "$1" longest_s) && $(of "$1" longest_s) <= $(of "$1" wait_s)"
}

# Case 5: one segment for each delayed ACK.  Cubic and bbr have short waits
# beside these.
small_send_buffer_shows_the_delayed_ack() {
	[ "$(uname)" = Linux ] || skip "not the TCP of Linux"
	congestion reno cubic
	start_source -b 1M -t "SO_SNDBUF=4096 $CC"
	sink -l -j -w 0.3 -d 1.8
	status 0
	eq "fullest bin above 1 ms, us" "$(fullest "$T/out")" 32768
	true_that "longest: $(of "$T/out" longest_s)" \
		"$(of "$T/out" longest_s) > 0.036 && $(of "$T/out" longest_s) < 0.5"
	true_that "the warm-up is left out of $(of "$T/out" length_s) s" \
		"$(of "$T/out" length_s) > 1.3 && $(of "$T/out" length_s) < 1.7"
	true_that "reads after it" \
		"$(of "$T/out" reads) < $(json "$T/out" -e end calls)"
	[ -z "$PORTABLE" ] && usual_timers || return 0
	match "peaks" "$(near "$T/out")" '^delayed ACK minimum;'
}

mail_options_show_the_probe() {
	[ "$(uname)" = Linux ] || skip "not the TCP of Linux"
	mail="TCP_NODELAY SO_RCVBUF=8192 SO_SNDBUF=16384 IPTOS_THROUGHPUT"
	start_source -b 1024 -t "$mail"
	sink -l -d 1.5 -t "$mail"
	status 0
	usual_timers || skip "timers are not as by default"
	match "row" "$out" '^ +131 ms +262 ms +[0-9]+ .* s +(9[0-9]|>99|100)%  #{20}'
	if [ -n "$PORTABLE" ]; then
		match "peak" "$out" '^  timers of this kernel: n/a'
		return
	fi
	match "peak" "$out" '^  near the RTO minimum of 200 ms'
	match "the others" "$out" '^  not near: delayed ACK minimum 40 ms'
}

# The source and its worker.
stop_it() {
	worker=$(worker_of "$SRC")
	kill -STOP "$worker" "$SRC"
}

go_on() {
	kill -CONT "$worker" "$SRC"
}

stopped_source_is_one_wait() {
	gentle_source
	start_sink stopped -l -j -d 2.2
	wait_for 5 has_worker "$SRC" || fail "no worker"
	sleep 0.5
	stop_it
	sleep 1
	go_on
	ended 10 "$PID"
	eq "status" "$st" 0
	longest=$(of stopped.out longest_s)
	true_that "longest: $longest" "$longest > 0.9 && $longest < 2.2"
	eq "waits of half a second and more" \
		"$(bins stopped.out | awk '$1 > 0.5 { n += $2 } END { print n }')" 1
	true_that "cut: $(of stopped.out cut_short_s)" \
		"0 + $(of stopped.out cut_short_s | sed 's/null/0/') < 0.9"
}

has_no_worker() {
	! has_worker "$1"
}

# A wait that never ended: after ^C, a reset, and when the worker is killed.
a_stall_at_the_end_is_told_apart() {
	gentle_source
	for how in INT KILL; do
		start_sink "$how" -l
		wait_for 5 has_worker "$SRC" || fail "no worker"
		sleep 0.3
		stop_it
		sleep 1
		case $how in
		INT)	kill -INT "$PID" ;;
		KILL)	kill -KILL "$(worker_of "$PID")" ;;
		esac
		ended 5 "$PID"
		go_on
		wait_for 5 has_no_worker "$SRC"
		match "the wait at $how" "$(cat "$how.out")" \
			'^  and one cut short by the end after (1 s|1\.|9[0-9][0-9])'
		no_match "rows at $how" "$(cat "$how.out")" '^ .* 1\.05 s '
		no_match "peaks at $how" "$(cat "$how.out")" 'near.*longest 1'
	done
	match "end" "$(cat KILL.out)" 'worker killed by signal 9$'
}

however_the_data_is_read() {
	start_source
	sink -l -j -d 0.4 -b 5000
	status 0
	adds_up "$T/out" 5000
	if [ -z "$PORTABLE" ] && [ "$(uname)" = Linux ]; then
		sink -l -j -z -d 0.4
		status 0
		adds_up "$T/out" 65536
	fi
	# One that sleeps itself need not wait; but the first may.
	sink -l -d 0.4 -D 0.01
	status 0
	match "ledger" "$out" '^ledger of connection 1: [0-9]+ reads, [0-9]+ waited'
	stop_source
	start_source -c -b 3000
	sink -l -j -c -d 0.4 -b 5000
	status 0
	adds_up "$T/out" 5000
	stop_source
	start_source
	sink -l -c -d 1
	status 1
	match "complaint" "$err" 'offset 0: got 0x00'
	match "ledger" "$out" '^ledger of connection 1: '
}

another_kind_of_socket() {
	start_source -H "$T/socket" -b 3000
	run 5 "$SINK" -H "$T/socket" -l -j -d 0.4
	status 0
	adds_up "$T/out" 65536
	eq "timers" "$(of "$T/out" timers)" "[]"
	run 5 "$SINK" -H "$T/socket" -l -d 0.4
	no_match "text" "$out" 'near'
	run 5 "$SINK" -H - -l
	status 2
	match "complaint" "$err" '^sock_sink: -l: a pipe has no recv'
}

# "N connections N intervals" of the summary in FILE.
counted() {
	sed -n -E 's/^([0-9]+ connections) .* ([0-9]+ intervals) .*/\1 \2/p' "$1"
}

# Behind the end line of its connection, in 78 columns, and -r reads the text.
text_of_a_run() {
	gentle_source
	sink -l -P 2 -n 2 -d 0.5 -i 0.1
	status 0
	eq "ends and ledgers" "$(sed -n -E -e 's/^connection ([0-9]).*/E\1/p' \
		-e 's/^ledger of connection ([0-9]).*/L\1/p' "$T/out" |
		sed 's/\(.\)[12]/\1a/; s/\(.\)[34]/\1b/' | tr '\n' ' ')" \
		"Ea La Ea La Eb Lb Eb Lb "
	eq "longer lines" "$(awk 'length > 78' "$T/out")" ""
	cp "$T/out" saved
	before=$(counted saved)
	run 5 "$SINK" -r saved
	status 0
	match "read again" "$out" '^4 connections .*in 2 rounds, '
	eq "counts" "$(counted "$T/out")" "$before"
}

interrupted_in_its_warm_up() {
	gentle_source
	for letters in -l -lj; do
		"$BUILD/help_signals" -g -o end INT@0.5 "$SINK" -H 127.0.0.1 \
			-p "$PORT" -w 9 "$letters" >cut.out 2>cut.err </dev/null
		eq "end" "$(cut -d ' ' -f 1-2 end)" "exit 0"
		[ "$letters" = -l ] || break
		eq "last line" "$(tail -n 1 cut.out)" \
			"ledger of connection 1: n/a, it ended in its warm-up"
	done
	eq "event" "$(of cut.out reads)$(of cut.out bins)" "nullnull"
}

nothing_is_kept_unasked() {
	start_source
	sink -d 0.3
	no_match "text" "$out" 'ledger'
	sink -d 0.3 -j
	no_match "events" "$out" '"event":"ledger"'
	eq "the start says so" "$(json "$T/out" -e start ledger)" "false"
}

for t in small_send_buffer_shows_the_delayed_ack mail_options_show_the_probe \
	stopped_source_is_one_wait a_stall_at_the_end_is_told_apart \
	however_the_data_is_read another_kind_of_socket text_of_a_run \
	interrupted_in_its_warm_up nothing_is_kept_unasked; do
	it $t
done
finish
