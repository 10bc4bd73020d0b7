#!/bin/sh
# What the programs count, against witnesses that are not theirs: the bytes of
# lo in a network of the test's own, less headers, and what the kernel says of
# the sockets to ss(8).
# limit: 60
# shellcheck disable=SC2317,SC2154
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

if [ -z "$TRUTH_IN_NETNS" ] && "$BUILD/help_noipv6" netns true 2>/dev/null; then
	TRUTH_IN_NETNS=yes
	export TRUTH_IN_NETNS
	rm -rf "$TOP"
	exec "$BUILD/help_noipv6" netns sh "$0"
fi

# Payload that lo has carried, headers of $1 bytes taken off.  It counts each
# buffer once, however many segments it stands for, and without the Ethernet
# header, which is taken off before (loopback_xmit(), drivers/net/loopback.c).
carried() {
	awk -v header="$1" '/^ *lo:/ {
		sub(/^ *lo: */, "")
		printf "%.0f\n", $1 - header * $2
	}' /proc/net/dev
}

# agree WHAT ONE OTHER: within 0.5%.
agree() {
	true_that "$1: $2 and $3 within 0.5%" \
		"$2 > 1e6 && $2 >= 0.995 * $3 && $2 <= 1.005 * $3"
}

# Of all intervals of a connection so far.
counted() {
	json "$1" -e interval bytes | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# whole_transfer HEADER SINK_OPTION... -- SOURCE_OPTION...: totals, once all is
# over, and the sum of the intervals, which is the total to the byte.
whole_transfer() {
	header=$1
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	start_source -j -i 0.2 "$@"
	before=$(carried "$header")
	# shellcheck disable=SC2086
	run 20 "$SINK" -j -p "$PORT" -d 1 -i 0.2 $options
	status 0
	wait_for 5 lines_of "$SRC_OUT" '"event":"end"' \
		"$(grep -c '"event":"end"' "$T/out")"
	after=$(carried "$header")
	stop_source
	witness=$((after - before))
	read=$(json "$T/out" -e end bytes | awk '{ n += $1 } END { printf "%.0f\n", n }')
	sent=$(json "$SRC_OUT" -e end bytes | awk '{ n += $1 } END { printf "%.0f\n", n }')
	agree "read, and carried by lo" "$read" "$witness"
	agree "sent, and carried by lo" "$sent" "$witness"
	eq "sum of the sink's intervals" "$(counted "$T/out")" "$read"
	eq "sum of the source's intervals" "$(counted "$SRC_OUT")" "$sent"
}

need_own_lo() {
	[ -n "$TRUTH_IN_NETNS" ] || skip "no network namespace of our own: lo carries more"
	[ -r /proc/net/dev ] || skip "no /proc/net/dev here"
}

# 20 bytes of IPv4, 20 of TCP, 12 of timestamps.
totals_agree_with_lo() {
	need_own_lo
	whole_transfer 52 -H 127.0.0.1 -- -b 64K
}

totals_agree_with_lo_over_ipv6() {
	need_own_lo
	[ -r /proc/net/tcp6 ] || skip "no IPv6 here"
	whole_transfer 72 -H ::1 -- -b 1M
}

totals_agree_side_by_side() {
	need_own_lo
	whole_transfer 52 -H 127.0.0.1 -P 4 -- -b 16K -t SO_SNDBUF=128K
}

# Where headers are most of what is to be taken off.
totals_agree_of_small_segments() {
	need_own_lo
	whole_transfer 52 -H 127.0.0.1 -- -b 200 -t TCP_NODELAY
}

totals_agree_without_copies() {
	need_linux_parts "-z, -S"
	need_own_lo
	whole_transfer 52 -H 127.0.0.1 -z -- -S -b 64K
}

# field NAME LOCAL_PORT_SIDE: of the one established socket with that side.
field() {
	ss -tinH state established "$2" "= :$PORT" | tr ' ' '\n' |
		sed -n "s/^$1://p" | head -n 1
}

last_line_is_nothing() {
	[ "$(json "$T/held.out" -e interval bytes | tail -n 1)" = 0 ]
}

# In mid-transfer, with the sender held: nothing moves while witnesses are heard.
intervals_agree_with_the_sockets() {
	need ss
	need_own_lo
	need_proc
	start_source -b 64K
	before=$(carried 52)
	start_sink held -j -i 0.2 -d 20
	ok "intervals" wait_for 5 lines_of "$T/held.out" '"event":"interval"' 4
	held=$(worker_of "$SRC")
	kill -STOP "$held"
	ok "an interval of nothing" wait_for 5 last_line_is_nothing
	acked=$(field bytes_acked sport)
	received=$(field bytes_received dport)
	agree "counted, and acknowledged" "$(counted "$T/held.out")" "$acked"
	eq "counted, and received" "$(counted "$T/held.out")" "$received"
	agree "counted, and carried by lo" "$(counted "$T/held.out")" \
		"$(($(carried 52) - before))"
	kill -CONT "$held"
}

for t in totals_agree_with_lo totals_agree_with_lo_over_ipv6 \
	totals_agree_side_by_side totals_agree_of_small_segments \
	totals_agree_without_copies intervals_agree_with_the_sockets; do
	it $t
done
finish
