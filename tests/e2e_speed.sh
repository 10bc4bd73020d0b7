#!/bin/sh
# What the tool is for: ratios of speeds on loopback that are right on any
# machine, as medians of three connections.
# serial: measures speed
# limit: 120
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# Median of the connections of the last run, from their end lines.
speed() {
	ends "$T/out" | sed -n -E 's/.* MB read, ([0-9.]+) MB\/sec.*/\1/p' |
		median
}

case1_small_receive_buffer() {
	[ "$(uname)" = Linux ] || skip "the figures are Linux's"
	start_source
	sink -n 3 -d 0.8 -i 0.4
	status 0
	a=$(speed)
	sink -n 3 -d 1 -i 0.5 -t SO_RCVBUF=8192
	status 0
	b=$(speed)
	eq "lines of 0 with 8192" "$(rates "$T/out" | grep -cx 0)" 0
	sink -n 3 -d 1 -i 0.5 -t SO_RCVBUF=1
	status 0
	c=$(speed)
	eq "lines of 0 with 1" "$(rates "$T/out" | grep -cx 0)" 0
	true_that "A / B >= 2" "$a >= 2 * $b"
	true_that "A / C >= 10" "$a >= 10 * $c"
	true_that "B and C are speeds" "$b > 0 && $c > 0"
}

# With bbr, which the machine may have as its default, the factor is smaller.
case2_small_writes_without_delay() {
	congestion reno cubic
	[ -n "$CC" ] || skip "the figures are those of reno"
	start_source -b 150 -t "$CC"
	sink -n 3 -d 0.8
	status 0
	plain=$(speed)
	sink -n 3 -d 0.8 -t TCP_NODELAY
	status 0
	at_sink=$(speed)
	stop_source
	start_source -b 150 -t "$CC TCP_NODELAY"
	sink -n 3 -d 0.8
	status 0
	at_source=$(speed)
	true_that "at the source: at least 2 times slower" \
		"$plain >= 2 * $at_source"
	true_that "at the sink it changes nothing" \
		"$at_sink >= 0.5 * $plain && $at_sink <= 2 * $plain"
}

case16_stopped_sink_holds_up_nobody() {
	# Both buffers fixed: one speed.
	start_source -e SO_SNDBUF=256K -i 0.3
	set -- -e SO_RCVBUF=256K -n 3 -d 0.8
	sink "$@"
	status 0
	alone=$(speed)
	start_sink frozen
	frozen=$PID
	ok "the frozen one is in" wait_for 5 \
		lines_of "$SRC_OUT" '^accepted$' 4
	sleep 0.3
	kill -STOP "$frozen"
	for w in $(children_of "$frozen" | cut -d ' ' -f 1); do
		kill -STOP "$w"
		PIDS="$PIDS $w"
	done
	sink "$@"
	status 0
	beside=$(speed)
	true_that "beside it at full rate" "$beside >= 0.3 * $alone"
	# The source's lines go on for both; the kernel may still take a little
	# for the frozen one now and then.
	grep '^\[4\]' "$SRC_OUT" >lines
	n=$(count_rates lines)
	m=$(rates lines | median)
	true_that "lines for the frozen one: $n, median $m ($(
		tr '\n' ';' <lines))" "$n >= 3 && $m < 0.1 * $alone"
	kill_hard "$frozen"
	[ -z "$PORTABLE" ] || return 0
	ok "its end" wait_for 5 lines_of "$SRC_OUT" '^(\[4\] )?connection 4: ' 1
}

# Beyond 2^32 bytes the total is the sum of rates by time.
case14_totals_beyond_4_gib() {
	for d in 2.5 10 30; do
		start_source -j -H ./sock -b 256K -d "$d" -i 0.5
		run 60 "$SINK" -H ./sock -b 256K -j -i 0.5
		status 0
		n=$(json "$T/out" -e end bytes)
		stop_source
		case $(echo "$n" | awk '{ print ($1 > 4500000000) }') in
		1) break ;;
		esac
	done
	true_that "bytes: $n" "$n > 4294967296"
	eq "bytes at the source" "$(json "$SRC_OUT" -e end bytes)" "$n"
	sum=$(json "$T/out" -e interval rate_MB_per_s length_s |
		awk '{ s += $1 * $2 * 1e6 } END { printf "%.0f\n", s }')
	true_that "sum of rates by time" "$sum > 0.95 * $n && $sum < 1.05 * $n"
	eq "sum of the intervals" "$(json "$T/out" -e interval bytes |
		awk '{ s += $1 } END { printf "%.0f\n", s }')" "$n"
}

# The mail's string, set after connect() as it was: the collapse; the same
# buffers set before it: none.
early_buffers_do_not_collapse() {
	[ "$(uname)" = Linux ] || skip "the figures are Linux's"
	start_source -b 1024
	sink -n 3 -d 0.8 -t SO_RCVBUF=8192
	status 0
	late=$(speed)
	sink -n 3 -d 0.6 -e SO_RCVBUF=8192
	status 0
	early=$(speed)
	true_that "early is far faster than late" "$early >= 10 * $late"
}

for t in case1_small_receive_buffer case2_small_writes_without_delay \
	case16_stopped_sink_holds_up_nobody case14_totals_beyond_4_gib \
	early_buffers_do_not_collapse; do
	it $t
done
finish
