#!/bin/sh
# The observer: intervals end when the clock says so, data or no data, at
# true lengths; what a long write has done so far is seen; totals are
# exact at both ends and the sum of their intervals; the wall clock may
# jump.
# limit: 90
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Rates that are exactly zero.
zeros() {
	rates "$1" | grep -c '^0$'
}

intervals_are_on_time() {
	gentle_source -i 0.2
	sink -i 0.2 -d 3
	status 0
	on_time "$T/out" 0.2 3
	ok "an end" wait_for 5 lines_of "$SRC_OUT" "$END" 1
	on_time "$SRC_OUT" 0.2 3
	# Deadlines are absolute: lateness does not add up.
	sink -i 0.1 -d 3 -j
	status 0
	n=$(json "$T/out" -e interval t_s kind | awk '$2 == "whole" {
		x = $1 * 10
		x -= int(x)
		if (x > .6 && x < .99)
			n++
		all++
	} END { print n + 0, "of", all }')
	true_that "far from a multiple of 0.1 s: $n intervals" \
		"${n%% *} <= 0.2 * ${n##* }"
	true_that "the last end on time" \
		"$(json "$T/out" -e end length_s) < 3.2"
}

stall_prints_zero_on_time() {
	need_proc
	gentle_source -i 0.2
	start_sink one -i 0.2 -d 3
	one=$PID
	wait_for 5 has_worker "$SRC" || fail "no worker"
	wait_for 5 lines_of one.out 'MB/sec$' 2
	worker=$(worker_of "$SRC")
	kill -STOP "$worker"
	sleep 1.3
	n=$(zeros one.out)
	kill -CONT "$worker"
	true_that "lines of 0 while the source's worker is stopped: $n ($(
		tr '\n' ';' <one.out))" "$n >= 3 && $n <= 7"
	ended 10 "$one"
	eq "status" "$st" 0
	on_time one.out 0.2 3
	last=$(rates one.out | tail -n 3 | sort -g | tail -n 1)
	true_that "it went on: $last" "$last > 0"
	n=$(zeros "$SRC_OUT")
	true_that "lines of 0 at the source: $n ($(tr '\n' ';' <"$SRC_OUT"))" \
		"$n >= 3 && $n <= 7"
	on_time "$SRC_OUT" 0.2 3
}

# The sink, worker and all, stands still: one late line of the true rate.
case10_stopped_sink_prints_the_true_rate() {
	start_source -b 64K -D 0.01 -H ./sock
	run 20 "$BUILD/help_signals" -g -o end STOP@1.3,CONT@4.1 \
		"$SINK" -H ./sock -i 0.2 -d 6
	eq "end" "$(cut -d ' ' -f 1-2 end)" "exit 0"
	no_match "output" "$out" 'inf|nan'
	grep ' late [2-9]' "$T/out" >late
	eq "lines that are late by seconds" "$(wc -l <late)" 1
	match "late line" "$(cat late)" "^$RATE MB/sec  late [23]\\.[0-9]+ s\$"
	before=$(sed '/ late [2-9]/,$d' "$T/out" | sed -n 's/ MB\/sec.*//p' |
		sort -g | tail -n 1)
	after=$(sed '1,/ late [2-9]/d' "$T/out" | sed -n 's/ MB\/sec.*//p' |
		sort -g | tail -n 1)
	true_that "largest before and after" "$after <= 1.5 * $before"
	true_that "the late one is low" \
		"$(cut -d ' ' -f 1 late) < 0.5 * $before"
	on_time "$T/out" 0.2 6
}

# Only the observer stands still; its worker has read on meanwhile.
case10_stopped_observer_prints_the_true_rate() {
	start_source -b 64K -D 0.01 -H ./sock
	run 20 "$BUILD/help_signals" -o end STOP@1.1,CONT@2.6 \
		"$SINK" -H ./sock -i 0.2 -d 4 -j
	eq "end" "$(cut -d ' ' -f 1-2 end)" "exit 0"
	json "$T/out" -e interval kind rate_MB_per_s length_s bytes >intervals
	eq "late ones" "$(awk '$1 == "late" && $3 > 1' intervals | wc -l)" 1
	late=$(awk '$1 == "late" && $3 > 1 { print $2 }' intervals)
	usual=$(awk '$1 == "whole" { print $2 }' intervals | median)
	true_that "late rate and usual rate" \
		"$late > 0.5 * $usual && $late < 1.5 * $usual"
	eq "intervals whose rate is not bytes by time" "$(awk '
		{ x = $4 / $3 / 1e6 - $2; if (x < 0) x = -x
		  if (x > 1e-6 * $2 + 1e-9) n++ } END { print n + 0 }' \
		intervals)" 0
	true_that "lengths add up to the end's" \
"$(awk '{ s += $3 } END { printf "%.9f", s }' intervals) - $(json "$T/out" \
		-e end length_s) < 0.001"
}

# On TCP as well there is neither infinity nor a burst of lines.
case10_stopped_sink_on_tcp() {
	gentle_source
	run 20 "$BUILD/help_signals" -g -o end STOP@0.7,CONT@2.2 \
		"$SINK" -H 127.0.0.1 -p "$PORT" -i 0.2 -d 3
	eq "end" "$(cut -d ' ' -f 1-2 end)" "exit 0"
	no_match "output" "$out" 'inf|nan'
	eq "lines that are late by a second" \
		"$(grep -c ' late [1-9]\.*[0-9]* s$' "$T/out")" 1
	on_time "$T/out" 0.2 3
}

case10_wall_clock_set_back() {
	shim=$BUILD/shim_clock.so
	[ -f "$shim" ] || skip "no shim_clock.so was built"
	"$BUILD/help_clock" >now
	LD_PRELOAD=$shim SHIM_AFTER=0 "$BUILD/help_clock" >shifted
	n=$(paste now shifted | awk '$1 - $2 > 3000' | wc -l)
	[ "$n" -eq 3 ] || skip "libraries cannot be preloaded here"
	start shifted env LD_PRELOAD="$shim" SHIM_AFTER=0.9 \
		"$SOURCE" -p 0 -i 0.2 -b 16K -D 0.001
	adopt_source shifted
	start one env LD_PRELOAD="$shim" SHIM_AFTER=0.9 \
		"$SINK" -H 127.0.0.1 -p "$PORT" -i 0.2 -d 2.4
	one=$PID
	sleep 0.3
	alive "$one" || fail "the sink has ended: $(cat one.err)"
	grep -q shim_clock "/proc/$one/maps" ||
		skip "a static program takes no library"
	ended 10 "$one"
	eq "status" "$st" 0
	for f in one.out "$SRC_OUT"; do
		on_time "$f" 0.2 2.4
		no_match "lines" "$(cat "$f")" 'inf|nan'
		n=$(zeros "$f")
		true_that "lines of 0: $n" "$n <= 3"
	done
	match "end line" "$(tail -n 1 one.out)" '^connection 1: 2\.[34]'
}

# One write of 64 MB takes seconds: its progress is seen at the source.
long_write_shows_its_progress() {
	need_linux_parts "the kernel's count of bytes acknowledged"
	start_source -b 64M -i 0.2
	run 10 "$BUILD/help_reader" -k 20e6 -s 65536 -d 2.6 127.0.0.1 "$PORT"
	status 0
	got=${out% *}
	ok "an end" wait_for 5 lines_of "$SRC_OUT" "$END" 1
	on_time "$SRC_OUT" 0.2 2.6
	z=$(zeros "$SRC_OUT")
	true_that "intervals of 0: $z" "$z <= 2"
	# None holds much more than the pace and what buffers take at once.
	true_that "largest" "$(rates "$SRC_OUT" | sort -g | tail -n 1) < 100"
	sent=$(sed -n 's/^connection 1: .* s, \(>= *\)*\([0-9.]*\) MB sent.*/\2/p' \
		"$SRC_OUT")
	true_that "sent and received" "$sent * 1e6 > 0.99 * $got &&
		$sent * 1e6 < $got + 64e6"
}

# Sums over the intervals of the last run, exactly: json_sum FILE.
json_sum() {
	json "$1" -e interval bytes | awk '{ s += $1 }
		END { printf "%.0f\n", s }'
}

json_total() {
	json "$1" -e end bytes
}

one_end() {
	grep -q '"event":"end"' "$SRC_OUT"
}

# The source ends; both ends and a witness agree to the byte.
# totals_agree SOURCE_OPTIONS | SINK_OPTIONS
totals_agree() {
	# shellcheck disable=SC2086
	start_source -j -i 0.2 -d 0.9 $1
	# shellcheck disable=SC2086
	run 10 "$SINK" -j -i 0.2 -p "$PORT" $2
	status 0
	ok "an end" wait_for 5 one_end
	n=$(json_total "$T/out")
	true_that "bytes" "$n > 0"
	eq "bytes of source $1 and sink $2" "$(json_total "$SRC_OUT")" "$n"
	eq "sum of the sink's intervals" "$(json_sum "$T/out")" "$n"
	eq "sum of the source's intervals" "$(json_sum "$SRC_OUT")" "$n"
	eq "exact" "$(json "$T/out" -e end exact)" true
	eq "exact" "$(json "$SRC_OUT" -e end exact)" true
	stop_source
}

totals_of_both_ends_agree() {
	totals_agree "" "-H 127.0.0.1"
	totals_agree "-b 1" "-H 127.0.0.1"
	totals_agree "-b 1M" "-H 127.0.0.1 -b 777"
	[ -n "$PORTABLE" ] || totals_agree "-b 999 -S" "-H 127.0.0.1 -z"
	[ ! -r /proc/net/tcp6 ] || totals_agree "" "-H ::1"
}

totals_agree_with_a_witness() {
	start_source -j -i 0.2 -d 0.9 -b 100000
	run 10 "$BUILD/help_reader" 127.0.0.1 "$PORT"
	ok "an end" wait_for 5 one_end
	eq "bytes" "$(json_total "$SRC_OUT") eof" "$out"
	stop_source
	start_source -j -i 0.2 -d 0.9 -H ./sock
	run 10 "$BUILD/help_reader" ./sock
	ok "an end" wait_for 5 one_end
	eq "bytes" "$(json_total "$SRC_OUT") eof" "$out"
}

totals_agree_after_sigterm() {
	for b in 64K 64M; do
		start_source -j -i 0.2 -b "$b"
		start reader "$BUILD/help_reader" -k 200e6 127.0.0.1 "$PORT"
		reader=$PID
		sleep 1
		stop_source
		eq "status" "$st" 0
		ended 10 "$reader"
		eq "bytes with -b $b" "$(json_total "$SRC_OUT") eof" \
			"$(cat reader.out)"
		eq "sum of the intervals" "$(json_sum "$SRC_OUT")" \
			"$(json_total "$SRC_OUT")"
	done
}

# The sink ends: the source is ahead by what the buffers held.
source_is_ahead_by_the_buffers() {
	start_source -j
	sink -j -d 0.9 -i 0.2
	status 0
	ok "an end" wait_for 5 one_end
	room=100000000
	if [ -r /proc/sys/net/ipv4/tcp_rmem ]; then
		room=$(cat /proc/sys/net/ipv4/tcp_rmem \
			/proc/sys/net/ipv4/tcp_wmem |
			awk '{ n += $3 } END { printf "%.0f", n + 65536 }')
	fi
	true_that "bytes sent and read" "$(json_total "$SRC_OUT") >= $(
		json_total "$T/out") && $(json_total "$SRC_OUT") <= $(
		json_total "$T/out") + $room"
	eq "sum of the sink's intervals" "$(json_sum "$T/out")" \
		"$(json_total "$T/out")"
}

# -d 0.9 and -i 0.2: four lines; what is left is in the end line alone.  (On
# a busy machine an interval may come late and be made up for: try again.)
remainder_is_not_printed() {
	gentle_source
	for _ in 1 2 3 4 5; do
		sink -d 0.9 -i 0.2
		status 0
		lines=$(sed -E "s/$RATE/N/g" "$T/out" | tr '\n' ';')
		case $lines in
		*late*|*partial*) ;;
		*) break ;;
		esac
	done
	match "lines" "$lines" '^[^;]*;(N MB/sec;){4}connection N: [^;]*;$'
	true_that "MB in the end line and in the lines" "$(ends "$T/out" |
		sed -E 's/.* s, ([0-9.]+) MB read.*/\1/') > 1.02 * $(
		rates "$T/out" | awk '{ s += $1 * .2 } END { print s }')"
}

# The end line's figures: bytes by time, and the lines above it.
end_line_adds_up() {
	start_source -b 64K -D 0.001 -i 0.2
	sink -d 1.7 -i 0.2
	status 0
	ok "an end" wait_for 5 lines_of "$SRC_OUT" "$END" 1
	for f in "$T/out" "$SRC_OUT"; do
		ends "$f" | sed -E \
's/^connection 1: ([0-9.]+) s, ([0-9.]+) MB [a-z]+, ([0-9.]+) MB.*/\1 \2 \3/' \
			>figures
		read -r s mb rate <figures
		true_that "MB by seconds is the rate" \
			"$mb / $s > 0.99 * $rate && $mb / $s < 1.01 * $rate"
		sum=$(rates "$f" | awk '{ s += $1 * .2 } END { print s }')
		true_that "MB and the sum of the lines" \
			"$mb > 0.95 * $sum && $mb < 1.4 * $sum"
	done
}

verbose_lines_go_on_after_the_rate() {
	start_source -v -b 1000 -i 0.2
	sink -v -b 500 -d 0.9 -i 0.2
	status 0
	match "address line" "$out" \
"^  connected from 127\\.0\\.0\\.1:[0-9]+ to 127\\.0\\.0\\.1:$PORT"
	eq "rate lines with bytes per read" "$(grep -Ec \
		"^$RATE MB/sec  .* [0-9.]+K? B/rd" "$T/out")" \
		"$(count_rates "$T/out")"
	ok "an end" wait_for 5 lines_of "$SRC_OUT" "$END" 1
	eq "rate lines with bytes per write" "$(grep -Ec \
		"^$RATE MB/sec  .* 1000 B/wr" "$SRC_OUT")" \
		"$(count_rates "$SRC_OUT")"
}

for t in intervals_are_on_time stall_prints_zero_on_time \
	case10_stopped_sink_prints_the_true_rate \
	case10_stopped_observer_prints_the_true_rate \
	case10_stopped_sink_on_tcp case10_wall_clock_set_back \
	long_write_shows_its_progress totals_of_both_ends_agree \
	totals_agree_with_a_witness totals_agree_after_sigterm \
	source_is_ahead_by_the_buffers remainder_is_not_printed \
	end_line_adds_up \
	verbose_lines_go_on_after_the_rate; do
	it $t
done
finish
