#!/bin/sh
# What the kernel says with -v: at both ends and on all ways, of whom it may
# be asked, with a tcp_info that is short; and what asking costs.
# shellcheck disable=SC2317,SC2119,SC2154
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The columns of a line that knows everything.
WORD='-|(rwnd|sndbuf)( [0-9]+%)?|(cpu|runq) (src|snk|both)'
WORD="($WORD|pacing|app|loss|path|timer|stopped)"
ALL="^$RATE MB/sec  $WORD +[0-9]+>[0-9]+ +[0-9]+ B/(rd|wr)  cw [0-9]+ +"
ALL="${ALL}rtt [0-9]+(us|ms) +rtx [0-9]+( \\+[0-9]+ spurious)?(  |\$)"

NO_TCP='cw n/a +rtt n/a +rtx n/a(  |$)'

need_kernel() {
	need_proc
	need_linux_parts "the kernel is not asked"
	grep -q . /proc/net/netlink 2>/dev/null || skip "no netlink here"
}

# worker_line FILE: the pid of the worker of its first connection.
worker_line() {
	grep -A 1 '^  conn' "$1" | tr -s ' \n' ' ' |
		sed -n 's/.* conn.*, worker \([0-9]*\) .*/\1/p' | head -n 1
}

# names FILE WHO WORDS PID: the peer's line, once; a long one is two lines.
names() {
	eq "lines of the peer in $(cat "$1")" "$(grep -c "^  $2: " "$1")" 1
	match "the $2's line" "$(grep -A 1 "^  $2: " "$1" | tr -s ' \n' ' ')" \
		"^ $2: $3.*, pid $4, seen through sock_diag "
	eq "lines of more than 78 columns in $(cat "$1")" \
		"$(grep -Ev ' spurious| (late|partial|warm-up) ' "$1" | grep -c '^.\{79\}')" 0
}

# Some line of a run that has several is whole; the first may have come
# before the answer, on a busy machine others too.
some_line() {
	match "lines" "$(cat "$1")" "$ALL"
}

# ---- both ends

# both_ends ADDRESS
both_ends() {
	gentle_source -v -i 0.2
	run 10 "$SINK" -H "$1" -p "$PORT" -v -d 0.5 -i 0.2
	status 0
	ok "an end" wait_for 5 lines_of "$SRC_OUT" "$END" 1
	some_line "$T/out"
	some_line "$SRC_OUT"
	names "$T/out" source "sock_source .* -v -i 0.2" \
		"$(worker_line "$SRC_OUT")"
	names "$SRC_OUT" sink "sock_sink -H $1 " "$(worker_line "$T/out")"
}

ipv4_shows_both_ends() {
	need_kernel
	both_ends 127.0.0.1
}

ipv6_shows_both_ends() {
	need_kernel
	[ -r /proc/net/tcp6 ] || skip "no IPv6 here"
	both_ends ::1
}

# without_tcp FILE: cwnd, round trip and retransmits are not known, never 0.
without_tcp() {
	eq "lines without a state of TCP in $(cat "$1")" "$(grep -Ec \
		"^$RATE MB/sec  (-|(cpu|runq) (src|snk)) .*$NO_TCP" "$1")" \
		"$(count_rates "$1")"
	true_that "lines" "$(count_rates "$1") >= 2"
}

unix_and_pipe_show_what_there_is() {
	start_source -v -i 0.2 -H ./sock
	run 10 "$SINK" -H ./sock -v -d 0.5 -i 0.2
	status 0
	ok "an end" wait_for 5 lines_of "$SRC_OUT" "$END" 1
	without_tcp "$T/out"
	without_tcp "$SRC_OUT"
	match "peer" "$out" '^  source: not seen \(n/a: no TCP'
	match "peer" "$(cat "$SRC_OUT")" '^  sink: not seen \(n/a: no TCP'
	# shellcheck disable=SC2016
	start pipe sh -c '"$0" -H - -d 0.6 | "$1" -H - -v -d 0.5 -i 0.2' \
		"$SOURCE" "$SINK"
	ended 10 "$PID"
	without_tcp pipe.out
	match "peer" "$(cat pipe.out)" '^  source: not seen \(n/a: no TCP'
}

# ---- whose it is

foreign_source_is_named() {
	need_kernel
	start foreign "$BUILD/help_paced" 20
	wait_for 5 grep -q '^port=' foreign.out || fail "no server"
	PORT=$(sed -n 's/^port=//p' foreign.out)
	sink -v -d 0.5 -i 0.2
	status 0
	match "peer" "$out" \
		'^  source: help_paced 20, pid [0-9]+, seen through sock_diag$'
	# It serves in a child; the one that moves the data counts.
	no_match "peer" "$out" "pid $PID,"
	some_line "$T/out"
}

another_users_source() {
	need_kernel
	[ "$(id -u)" -eq 0 ] || skip "not root: cannot be another user"
	need setpriv
	as="setpriv --reuid 65534 --clear-groups"
	$as "$SINK" -V >/dev/null 2>&1 || skip "the sink cannot be run by another"
	gentle_source
	# shellcheck disable=SC2086
	run 10 $as "$SINK" -H 127.0.0.1 -p "$PORT" -v -d 0.5 -i 0.2
	status 0
	eq "peer" "$(grep '^  source: ' "$T/out")" \
"  source: seen through sock_diag, its process not (another user's, or /proc"
	# The socket's facts without the process's.
	match "lines" "$out" \
		"^$RATE MB/sec  [^ ].* n/a>[0-9]+ .*cw [0-9]+ +rtt [0-9]+.s +rtx [0-9]"
	no_match "lines" "$out" "^$RATE MB/sec .* [0-9]+>[0-9]"
}

# Said once, and its facts are not known.
another_network_namespace() {
	need_kernel
	need unshare
	unshare -n true 2>/dev/null || skip "no other network namespace allowed"
	need ip
	name=socklib$$
	ip netns add "$name" 2>/dev/null || skip "ip netns add is not allowed"
	trap 'ip netns del "$name" 2>/dev/null; clean_up' EXIT
	ip link add "a$$" type veth peer name "b$$" netns "$name" 2>/dev/null ||
		skip "no veth here"
	ip addr add 198.51.100.1/30 dev "a$$"
	ip link set "a$$" up
	ip -n "$name" addr add 198.51.100.2/30 dev "b$$"
	ip -n "$name" link set "b$$" up
	start far ip netns exec "$name" "$SOURCE" -H 198.51.100.2 -p 0 -D 0.001
	adopt_source far
	run 10 "$SINK" -H 198.51.100.2 -p "$PORT" -v -d 0.5 -i 0.2
	status 0
	eq "peer" "$(grep '^  source: ' "$T/out")" "  source: not seen (on\
 another host or in another network namespace, or gone)"
	match "lines" "$out" "^$RATE MB/sec  - .* n/a>[0-9].*$NO_TCP"
	no_match "lines" "$out" "^$RATE MB/sec .*(cw|rtx) 0"
}

stopped_source_is_seen() {
	need_kernel
	gentle_source
	start_sink one -v -d 0.9 -i 0.2
	one=$PID
	wait_for 5 lines_of one.out 'MB/sec' 1
	worker=$(worker_of "$SRC")
	kill -STOP "$worker"
	ok "a line that says so" wait_for 5 lines_of one.out \
		'^[0-9.e+]+ MB/sec  stopped ' 1
	kill -CONT "$worker"
	ended 10 "$one"
	eq "status" "$st" 0
	match "mechanism" "$(tr '\n' ' ' <one.out)" 'source was found stopped'
}

# ---- case 15

# Whether the shim does what it is for: preload SHIM, or skip.
need_shim() {
	need_kernel
	shim=$BUILD/shim_tcpinfo.so
	[ -f "$shim" ] || skip "no shim_tcpinfo.so was built"
	start loaded env LD_PRELOAD="$shim" "$SOURCE" -p 0
	wait_for 5 grep -q '^port=' loaded.out || fail "$(cat loaded.err)"
	grep -q shim_tcpinfo "/proc/$PID/maps" ||
		skip "a static program takes no library"
	kill -TERM "$PID"
}

# Of a sender and a receiver, what lies within 104 bytes and what does not.
case15_short_tcp_info() {
	need_shim
	start_source -t SO_MAX_PACING_RATE=10M
	start_sink whole -j -v -d 0.7 -i 0.15
	whole=$PID
	for how in "-j -v" -v -R; do
		# shellcheck disable=SC2086
		start "short$how" env LD_PRELOAD="$shim" "$SINK" \
			-H 127.0.0.1 -p "$PORT" $how -d 0.7 -i 0.15
		eval "p${how##*-}=\$PID"
	done
	# shellcheck disable=SC2154
	for p in $whole $pv $pR; do
		ended 10 "$p"
		eq "status" "$st" 0
	done
	wait_for 5 grep -q '"event":"end"' "short-j -v.out"
	json whole.out -e interval sender | grep '^{' >whole
	json "short-j -v.out" -e interval sender receiver | grep '^{' >short
	true_that "intervals" "$(wc -l <whole) >= 2 && $(wc -l <short) >= 2"
	for key in busy_us rwnd_limited_us sndbuf_limited_us bytes_acked \
		bytes_sent notsent_bytes min_rtt_us delivery_rate_bytes_per_s \
		pacing_rate_bytes_per_s snd_wnd_bytes dsack_dups_segments \
		lost_segments mean_segment_bytes; do
		eq "$key of the whole one, lines" \
			"$(grep -c "\"$key\":[0-9]" whole)" "$(wc -l <whole)"
		eq "$key, lines with null" \
			"$(grep -c "\"$key\":null" short)" "$(wc -l <short)"
	done
	for key in rcv_wnd_bytes bytes_received segments_in bytes_per_read; do
		eq "$key, lines with null" \
			"$(grep -c "\"$key\":null" short)" "$(wc -l <short)"
	done
	for key in cwnd_segments rtt_us retransmits_segments snd_mss_bytes \
		rcvbuf_bytes sndbuf_bytes run_ns cpu; do
		eq "$key, lines with a number" \
			"$(grep -c "\"$key\":[0-9]" short)" "$(wc -l <short)"
	done
	# What needs the missing does not fire; without the shim it does.
	match "mechanisms of the whole one" "$(grep -v '"interval"' whole.out)" \
		'SO_MAX_PACING_RATE [0-9]'
	for f in short-v.out short-R.out "short-j -v.out"; do
		no_match "mechanisms in $f" "$(cat "$f")" \
			'SO_MAX_PACING_RATE [0-9]|waited for the|had nothing'
	done
	some_line short-v.out
	no_match "limiter" "$(cat short-v.out)" 'MB/sec  (app|rwnd|pacing|timer|path)'
	match "columns" "$(grep -A 3 '^---- kernel' short-R.out)" \
		'^ +1 +[0-9.]+ +(-|[a-z]+ [a-z]+) +n/a +[0-9]+ +[0-9]+ +n/a +n/a '
}

# ---- what it costs

# usage NAME PID: CPU time of it and of its watcher, which is the child that
# is not the worker of NAME.out.
usage() {
	worker=$(json "$1.out" -e connect worker_pid)
	# shellcheck disable=SC2046
	for p in "$2" $(children_of "$2" | cut -d ' ' -f 1); do
		[ "$p" = "$worker" ] || cpu_of "$p"
	done | awk '{ s += $1; n++ } END { print s, n }'
}

# cost NAME PID LIMIT INTERVAL: since "before", below so many percent of one
# CPU; what a sample costs is for an interval, though we do not wait for it.
cost() {
	usage "$1" "$2" >after
	now
	percent=$(paste "before$1" after | awk -v t=$((NOW - began)) -v i="$4" '
		{ t = t / 100 > i ? t / 100 : i
		  printf "%.3f", ($3 - $1) / t * 100 }')
	eq "processes, observer and watcher, of $1" "$(cut -d ' ' -f 2 after)" 2
	echo "# observer at $1: $percent% of one CPU"
	true_that "CPU of the observer at $1: $percent%" \
		"$percent < $3 * $factor && $percent > 0"
}

# Lines keep their spacing though senders in large writes are asked about; and
# this costs next to nothing.
asking_is_cheap_and_lines_are_on_time() {
	need_kernel
	[ -r /proc/self/schedstat ] || skip "no schedstat: CPU time is too coarse"
	load=$(cut -d ' ' -f 1 /proc/loadavg)
	start_source -b 1M
	start_sink often -j -v -i 0.1
	often=$PID
	start_sink seldom -j -v -i 2
	seldom=$PID
	sleep 0.6
	usage often "$often" >beforeoften
	usage seldom "$seldom" >beforeseldom
	now
	began=$NOW
	sleep 1.5
	# Wanted are 0.5% and 0.05%; machines differ, so twice that is no failure.
	factor=$(awk -v before="$load" '{
		print (before > 2 || $1 > 2 ? 4 : 2) }' /proc/loadavg)
	cost often "$often" 0.5 0.1
	# On a busy machine the last look through all processes may come late.
	[ "$factor" = 2 ] || factor=10
	cost seldom "$seldom" 0.05 2
	for p in $often $seldom; do
		kill -TERM "$p"
		ended 10 "$p"
		eq "status" "$st" 0
	done
	json often.out -e interval kind t_s >kinds
	eq "intervals that are late, of $(wc -l <kinds)" "$(awk -v f="$factor" '
		$1 == "late" { n++ }
		END { print (n > (f > 2 ? NR / 4 : NR / 20) ? n : 0) }' kinds)" 0
	# Deadlines are absolute.
	n=$(awk '$1 == "whole" { x = $2 * 10; x -= int(x); if (x > .6 && x < .99) n++ }
		END { print n + 0 }' kinds)
	true_that "$n ends far from a multiple of 0.1 s" "$n <= 0.25 * $(wc -l <kinds)"
	n=$(json often.out -e interval cwnd_segments | grep -c '^[0-9]')
	true_that "$n of $(wc -l <kinds) intervals know the sender" \
		"$n >= 0.5 * $(wc -l <kinds)"
}

# The counters of the namespace are dear: at the start and at the end only.
counters_are_read_twice() {
	need_kernel
	need strace
	strace -o trace true 2>/dev/null || skip "strace may not trace here"
	gentle_source
	run 20 strace -f -o trace -e trace=open,openat \
		"$SINK" -H 127.0.0.1 -p "$PORT" -v -d 0.3 -i 0.05
	status 0
	true_that "lines" "$(count_rates "$T/out") >= 4"
	for f in netstat snmp; do
		eq "times that $f was opened" \
			"$(grep -c "\"/proc/.*net/$f\"" trace)" 2
	done
}

for t in ipv4_shows_both_ends ipv6_shows_both_ends \
	unix_and_pipe_show_what_there_is foreign_source_is_named \
	another_users_source another_network_namespace stopped_source_is_seen \
	case15_short_tcp_info asking_is_cheap_and_lines_are_on_time \
	counters_are_read_twice; do
	it $t
done
finish
