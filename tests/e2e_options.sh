#!/bin/sh
# Option strings: cut at the right places, checked before any socket
# exists, set when they should be and as they were meant, read back.
# limit: 60
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

mail="TCP_NODELAY SO_RCVBUF=8192 SO_SNDBUF=16384 IPTOS_THROUGHPUT"

need_strace() {
	need strace
	strace -f -o try true 2>/dev/null || skip "strace is not permitted"
	grep -q __asan_init "$SINK" && skip "a sanitizer cannot be traced"
	return 0
}

# traced PROGRAM OPTION...: its calls to do with sockets, in "trace".
traced() {
	p=$1
	shift
	run 20 strace -f -o trace -e \
trace=socket,setsockopt,connect,bind,listen,accept,accept4 "$p" "$@"
}

# set_on_connection TRACE: what was set on the descriptor whose connect()
# succeeded, after that: "NAME VALUE RESULT" a line.
set_after_connect() {
	awk '
	/ connect\(/ && /(= 0|EINPROGRESS .*)$/ && /(sin_port|sin6_port|sun_path)/ {
		fd = $0
		sub(/^.* connect\(/, "", fd)
		sub(/,.*/, "", fd)
		next
	}
	fd != "" && $0 ~ " setsockopt\\(" fd "," ' "$1" | sed -E \
's/^.* setsockopt\([0-9]+, [A-Za-z0-9_]+, ([A-Z0-9_a-z]+), (.*), [0-9]+\) += (.*)$/\1 \2 \3/'
}

case11_mail_string_is_set_in_order() {
	need_strace
	start_source
	traced "$SINK" -H 127.0.0.1 -p "$PORT" -d 0.2 -t "$mail"
	status 0
	eq "what was set, in order, once each" \
		"$(set_after_connect trace | tr '\n' ';')" \
"TCP_NODELAY [1] 0;SO_RCVBUF [8192] 0;SO_SNDBUF [16384] 0;IP_TOS [8] 0;"
	match "header" "$out" "options=\\[$mail\\]"
}

case11_seconds_are_a_timeval() {
	need_strace
	start_source
	traced "$SINK" -H 127.0.0.1 -p "$PORT" -d 0.2 \
		-t "SO_RCVTIMEO=15 SO_SNDTIMEO=0.25"
	status 0
	match "what was set" "$(grep SO_RCVTIMEO trace | head -n 1)" \
'SO_RCVTIMEO(_OLD|_NEW)?, ("\\17\\0|\{tv_sec=15, tv_usec=0\}|.*\\17\\0)'
	match "what was set" "$(grep SO_SNDTIMEO trace | head -n 1)" \
		'SO_SNDTIMEO(_OLD|_NEW)?, (\{tv_sec=0, tv_usec=250000\}|")'
}

# -e before connect(), -t after it, on the same descriptor.
early_and_late_at_the_sink() {
	need_strace
	start_source
	traced "$SINK" -H 127.0.0.1 -p "$PORT" -d 0.2 \
		-e "SO_RCVBUF=65536" -t "SO_SNDBUF=32768"
	status 0
	eq "order" "$(sed -n -E -e 's/.* setsockopt\(.*SO_RCVBUF.*/early/p' \
		-e 's/.* connect\(.*sin_port=htons\('"$PORT"'\).*/connect/p' \
		-e 's/.* setsockopt\(.*SO_SNDBUF.*/late/p' trace |
		tr '\n' ' ')" "early connect late "
	match "early on a connection" "$(grep SO_RCVBUF trace)" '\[65536\]'
}

# -e on the listener before listen(), -t on what accept() gives.
early_and_late_at_the_source() {
	need_strace
	port=$(free_port)
	start traced strace -f -o trace -e \
trace=setsockopt,listen,accept,accept4 "$SOURCE" -H 127.0.0.1 -p "$port" \
		-n 1 -e SO_SNDBUF=65536 -t TCP_NODELAY
	pid=$PID
	run 20 "$SINK" -H 127.0.0.1 -p "$port" -d 0.3
	status 0
	ended 10 "$pid"
	# Without the scratch pair that it tries the options on first.
	listener=$(sed -n -E \
		's/.* accept4?\(([0-9]+), .*/\1/p' trace | tail -n 1)
	conn=$(sed -n -E "s/.* accept4?\\($listener, .*= ([0-9]+)\$/\\1/p" \
		trace | tail -n 1)
	[ -n "$conn" ] || conn=$(sed -n -E \
		's/.*<\.\.\. accept4? resumed>.*= ([0-9]+)$/\1/p' trace |
		tail -n 1)
	eq "order" "$(sed -n -E \
-e "s/.* setsockopt\\($listener, SOL_SOCKET, SO_SNDBUF, \\[65536\\].*/early/p" \
-e "s/.* listen\\($listener, .*/listen/p" \
-e "s/.* accept4?\\($listener, .*= $conn\$/accept/p" \
-e "s/.*<\.\.\. accept4? resumed>.*= $conn\$/accept/p" \
-e "s/.* setsockopt\\($conn, [A-Z_]*, TCP_NODELAY, \\[1\\].*/late/p" trace |
		tr '\n' ' ' | grep -o 'early listen.*')" \
		"early listen accept late "
}

case18_empty_strings_are_no_options() {
	start_source
	for s in "" "   " "$(printf '\t')" ","; do
		sink -d 0.2 -t "$s" -v
		status 0
		no_match "output" "$out" '^  option +asked'
	done
	sink -d 0.2 -t ""
	eq "header" "$(header_of "$T/out")" \
		"host=127.0.0.1 port=$PORT options=[]"
}

case18_tab_and_newline_separate() {
	start_source
	sink -d 0.2 -v -t "$(printf 'TCP_NODELAY\tSO_SNDBUF=4096\nx')"
	status 2
	string=$(printf 'TCP_NODELAY\tSO_SNDBUF=4096\n.')
	sink -d 0.2 -v -t "${string%.}"
	status 0
	eq "header" "$(header_of "$T/out")" "host=127.0.0.1 port=$PORT\
 options=[TCP_NODELAY SO_SNDBUF=4096 ]"
	eq "options in the table" "$(option_rows)" "TCP_NODELAY SO_SNDBUF "
	sink -d 0.2 -v -t ",TCP_NODELAY,,SO_SNDBUF=4096,"
	eq "options in the table" "$(option_rows)" "TCP_NODELAY SO_SNDBUF "
}

# Names in the option table that -v prints.
option_rows() {
	sed -n 's/^  \([A-Z][A-Z0-9_]*\)  *[^ ]*  *\(late\|early\) .*/\1/p' \
		"$T/out" | tr '\n' ' '
}

# row NAME: "ASKED WHEN FRESH CONNECTED" of an option in that table.
row() {
	awk -v name="$1" '$1 == name && ($3 == "late" || $3 == "early") {
		print $2, $3, $4, $5 }' "$T/out"
}

# refused TOKEN STRING [REGEX]: exit 2 at both programs, the token named,
# and no connection made.
refused() {
	for p in "$SOURCE" "$SINK"; do
		run 5 "$p" -p "$PORT" -t "$2"
		checked
		[ "$st" -eq 2 ] ||
			fail "${p##*/} -t \"$2\": status $st, not 2: $out $err"
		match "complaint about \"$2\"" "$err" \
			"^${p##*/}: -t: .*\"$1\".*${3:-}"
		eq "output for \"$2\"" "$out" ""
	done
	run 5 "$SINK" -p "$PORT" -e "$2"
	status 2
	match "complaint about \"$2\"" "$err" "^sock_sink: -e: .*\"$1\""
	eq "connections" "$(grep -c '^accepted' "$SRC_OUT")" 0
}

case19_values_that_are_none() {
	start_source
	refused 'SO_RCVBUF' 'SO_RCVBUF'
	refused 'SO_RCVBUF=?' 'SO_RCVBUF='
	refused 'SO_RCVBUF=8192x' 'SO_RCVBUF=8192x' 'not a number'
	refused 'k' 'SO_RCVBUF=8k k'
	refused 'SO_RCVBUF=8192x' 'TCP_NODELAY SO_RCVBUF=8192x' \
		'TCP_NODELAY SO_RCVBUF=8192x'
	refused '=' 'SO_RCVBUF=8 = TCP_NODELAY'
	refused 'SO_RCVBUF==8' 'SO_RCVBUF==8'
	refused 'SO_RCVBUF=1.5' 'SO_RCVBUF=1.5'
	refused 'SO_RCVBUF=4G' 'SO_RCVBUF=4G'
	refused 'IPTOS_THROUGHPUT=1' 'IPTOS_THROUGHPUT=1'
	refused 'SO_RCVTIMEO=-1' 'SO_RCVTIMEO=-1'
	refused 'SO_RCVTIMEO=nan' 'SO_RCVTIMEO=nan'
	refused 'IP_TOS=EFF' 'IP_TOS=EFF'
	refused 'IP_TOS=256' 'IP_TOS=256'
	refused 'SO_RCVBUF=18446744073709559808' \
		'SO_RCVBUF=18446744073709559808'
	refused 'SO_RCVBUF=4294975488' 'SO_RCVBUF=4294975488'
}

case20_negative_is_refused() {
	start_source
	refused 'SO_RCVBUF=-1' 'SO_RCVBUF=-1'
	refused 'SO_SNDBUF=-8K' 'SO_SNDBUF=-8K'
}

case20_zero_is_set_and_shown() {
	start_source
	sink -d 0.2 -v -t SO_RCVBUF=0
	status 0
	match "row of SO_RCVBUF" "$(row SO_RCVBUF)" \
		'^0 late [1-9][0-9]* [1-9][0-9]*$'
	[ "$(uname)" = Linux ] || return
	true_that "what the kernel gives for 0" \
		"$(row SO_RCVBUF | cut -d ' ' -f 4) < 8192"
}

case21_booleans() {
	start_source
	refused 'TCP_NODELAY=2' 'TCP_NODELAY=2'
	refused 'TCP_NODELAY=yes' 'TCP_NODELAY=yes'
	refused 'TCP_NODELAY=?' 'TCP_NODELAY='
	for s in "TCP_NODELAY 1" "TCP_NODELAY=1 1" "TCP_NODELAY=0 0"; do
		sink -d 0.2 -v -t "${s% *}"
		status 0
		eq "row of ${s% *}" "$(row TCP_NODELAY)" \
			"${s#* } late 0 ${s#* }"
	done
}

case22_unknown_names() {
	start_source
	refused 'TCP_NODELAYX' 'TCP_NODELAYX' 'nearest: TCP_NODELAY'
	refused 'SO_RCV' 'SO_RCV' 'nearest: SO_RCV'
	refused 'SO_RCV' 'SO_RCV=1'
	refused 'TCP_NODELA' 'TCP_NODELA' 'nearest: TCP_NODELAY'
	refused 'xyzzy' 'xyzzy'
	refused 'TCPNODELAY' 'TCPNODELAY' 'nearest: TCP_NODELAY'
	long=$(printf '%05000d' 0)
	run 5 "$SINK" -p "$PORT" -t "X$long=$long"
	status 2
	eq "connections" "$(grep -c '^accepted' "$SRC_OUT")" 0
}

case22_case_does_not_matter() {
	start_source
	sink -d 0.2 -v -t 'tcp_nodelay So_RcvBuf=8K'
	status 0
	eq "row of TCP_NODELAY" "$(row TCP_NODELAY)" "1 late 0 1"
	match "row of SO_RCVBUF" "$(row SO_RCVBUF)" '^8192 late '
	match "header" "$out" 'options=\[tcp_nodelay So_RcvBuf=8K\]'
}

case22_no_connect_is_made() {
	need_strace
	start_source
	traced "$SINK" -H 127.0.0.1 -p "$PORT" -t 'TCP_NODELAYX'
	status 2
	eq "calls to do with sockets" "$(grep -Ec '(socket|connect)\(' trace)" 0
	traced "$SOURCE" -p 0 -t 'SO_RCVBUF=8192x'
	status 2
	eq "calls to do with sockets" "$(grep -Ec '(socket|bind)\(' trace)" 0
}

values_with_units_and_names() {
	need_strace
	need_linux_parts "options of Linux"
	congestion cubic reno
	start_source
	traced "$SINK" -H 127.0.0.1 -p "$PORT" -d 0.2 -t \
"SO_SNDBUF=8K SO_RCVBUF=0x4000 IP_TOS=EF SO_LINGER=0 ${CC:-SO_KEEPALIVE}"
	status 0
	set_after_connect trace >settings
	match "SO_SNDBUF=8K" "$(cat settings)" '^SO_SNDBUF \[8192\] 0$'
	match "SO_RCVBUF=0x4000" "$(cat settings)" '^SO_RCVBUF \[16384\] 0$'
	match "IP_TOS=EF" "$(cat settings)" '^IP_TOS \[(184|0xb8)\] 0$'
	match "SO_LINGER=0" "$(cat settings)" '^SO_LINGER \{(l_)?onoff=1, (l_)?linger=0\} 0$'
	[ -z "$CC" ] || match "$CC" "$(cat settings)" \
		"^TCP_CONGESTION \\[?\"${CC#*=}"
	# The rate is of 64 bits: 5G does not fit 32.
	traced "$SINK" -H 127.0.0.1 -p "$PORT" -d 0.2 -v \
		-t SO_MAX_PACING_RATE=5G
	status 0
	eq "asked and got" "$(row SO_MAX_PACING_RATE | cut -d ' ' -f 1,4)" \
		"5368709120 5368709120"
	match "length of the value" "$(grep SO_MAX_PACING_RATE trace)" ', 8\) '
}

quotes_enclose_a_value() {
	congestion cubic reno
	[ -n "$CC" ] || skip "no congestion control to choose here"
	start_source
	sink -d 0.2 -v -t "TCP_CONGESTION=\"${CC#*=}\" TCP_NODELAY"
	status 0
	eq "rows" "$(option_rows)" "TCP_CONGESTION TCP_NODELAY "
	match "row" "$(row TCP_CONGESTION)" " late [a-z0-9]+ ${CC#*=}\$"
	stop_source
	start_source
	refused '.*' 'TCP_CONGESTION="a b'
	refused '.*a b.*' 'TCP_NODELAY="a b"'
}

traffic_class_on_ipv6() {
	need_strace
	[ -r /proc/net/tcp6 ] || skip "no IPv6 here"
	start_source
	traced "$SINK" -H ::1 -p "$PORT" -d 0.2 -t IPTOS_THROUGHPUT
	status 0
	eq "what was set" "$(set_after_connect trace)" "IPV6_TCLASS [8] 0"
	traced "$SINK" -H ::1 -p "$PORT" -d 0.2 -t IP_TOS=EF
	status 0
	match "what was set" "$(set_after_connect trace)" \
		'^IPV6_TCLASS \[(184|0xb8)\] 0$'
}

case1_readback_is_shown() {
	start_source
	sink -v -d 0.3 -t "SO_RCVBUF=8192 TCP_NODELAY"
	status 0
	match "table" "$out" \
		'^  option +asked +when +fresh( socket)? +connected$'
	match "row of SO_RCVBUF" "$(row SO_RCVBUF)" \
		'^8192 late [0-9]+ (8192|16384)$'
	eq "row of TCP_NODELAY" "$(row TCP_NODELAY)" "1 late 0 1"
	eq "complaints" "$err" ""
	[ "$(uname)" = Linux ] || return
	eq "got" "$(row SO_RCVBUF | cut -d ' ' -f 4)" 16384
	sink -v -d 0.3 -t "SO_RCVBUF=1"
	match "got for 1" "$(row SO_RCVBUF)" '^1 late [0-9]+ 2[0-9]{3}$'
	sink -v -d 0.3 -e "SO_RCVBUF=8192"
	match "row of SO_RCVBUF" "$(row SO_RCVBUF)" '^8192 early [0-9]+ 16384$'
}

source_shows_readback_too() {
	start_source -v -e SO_SNDBUF=65536 -t TCP_NODELAY
	sink -d 0.3
	ok "an end" wait_for 5 lines_of "$SRC_OUT" "$END" 1
	cp "$SRC_OUT" "$T/out"
	match "row of TCP_NODELAY" "$(row TCP_NODELAY)" '^1 late 0 1$'
	match "row of SO_SNDBUF" "$(row SO_SNDBUF)" '^65536 early '
}

capped_values_are_warned_about() {
	[ -r /proc/sys/net/core/rmem_max ] || skip "no net.core.rmem_max here"
	max=$(cat /proc/sys/net/core/rmem_max)
	[ "$max" -lt 1000000000 ] || skip "net.core.rmem_max is $max"
	start_source
	sink -d 0.3 -t SO_RCVBUF=$((max + 4096))
	status 0
	match "warning" "$err" \
"^sock_sink: SO_RCVBUF=$((max + 4096)): got $((2 * max)) of $((2 * max + \
8192)), capped by net\\.core\\.rmem_max\$"
	eq "warnings" "$(wc -l <"$T/err")" 1
	sink -d 0.3 -t SO_RCVBUF="$max" -n 2
	status 0
	eq "warnings" "$err" ""
	start_source -t SO_SNDBUF=1G -n 2
	sink -n 2 -d 0.2
	match "warning" "$(cat "$SRC_ERR")" \
		'^sock_source: SO_SNDBUF=(1G|1073741824): got .* net\.core\.wmem_max$'
	eq "warnings" "$(wc -l <"$SRC_ERR")" 1
}

# What the kernel refuses: exit 1, the source at its start.
refused_by_the_kernel() {
	need_linux_parts TCP_CONGESTION
	start_source
	run 5 "$SOURCE" -p 0 -t TCP_CONGESTION=nonesuch
	status 1
	match "complaint" "$err" \
		'^sock_source: setsockopt TCP_CONGESTION=nonesuch: not found'
	no_match "output" "$out" waiting
	run 5 "$SOURCE" -p 0 -e TCP_CONGESTION=nonesuch
	status 1
	match "complaint" "$err" '^sock_source: setsockopt TCP_CONGESTION=none'
	sink -n 3 -d 0.3 -t TCP_CONGESTION=nonesuch
	status 1
	match "complaint" "$err" \
		'^sock_sink: setsockopt TCP_CONGESTION=nonesuch: not found'
	eq "complaints" "$(wc -l <"$T/err")" 1
	sink -d 0.3 -e TCP_CONGESTION=nonesuch
	status 1
	match "complaint" "$err" '^sock_sink: setsockopt TCP_CONGESTION=none'
}

help_lists_the_table() {
	for p in "$SOURCE" "$SINK"; do
		run 5 "$p" -t help
		status 0
		eq "complaints" "$err" ""
		eq "lines over 78 columns" "$(grep -Ec '^.{79}' "$T/out")" 0
		for o in SO_KEEPALIVE SO_REUSEADDR SO_BROADCAST SO_SNDBUF \
			SO_RCVBUF SO_RCVLOWAT SO_SNDTIMEO SO_RCVTIMEO \
			SO_LINGER TCP_NODELAY TCP_MAXSEG IP_TOS \
			IPTOS_LOWDELAY IPTOS_THROUGHPUT IPTOS_RELIABILITY \
			IPTOS_MINCOST IPV6_TCLASS; do
			match "$o in -t help" "$out" "^$o "
		done
	done
	run 5 "$SINK" -e help
	status 0
	need_linux_parts "options of Linux"
	[ "$(uname)" = Linux ] || skip "the other names are Linux's"
	for o in SO_SNDBUFFORCE SO_RCVBUFFORCE SO_PRIORITY SO_MARK \
		SO_BUSY_POLL SO_MAX_PACING_RATE SO_BINDTODEVICE TCP_CORK \
		TCP_QUICKACK TCP_CONGESTION TCP_NOTSENT_LOWAT \
		TCP_WINDOW_CLAMP TCP_USER_TIMEOUT TCP_KEEPIDLE \
		TCP_KEEPINTVL TCP_KEEPCNT TCP_THIN_LINEAR_TIMEOUTS \
		TCP_TX_DELAY IP_MTU_DISCOVER; do
		match "$o in -t help" "$out" "^$o "
	done
}

# Each row can be set, or the kernel's refusal is said as such; none is
# called a mistake of the user's or ends without a word.
every_row_can_be_tried() {
	start_source
	for o in $("$SINK" -t help |
		sed -n 's/^\([A-Z][A-Z0-9_]*\) .*/\1/p' | sort -u); do
		done_=
		for v in "" =1 =1024 =lo =reno; do
			sink -d 0.1 -t "$o$v"
			[ "$st" -ne 2 ] || continue
			done_=yes
			[ "$st" -eq 0 ] || match "complaint about $o$v" \
				"$err" "^sock_sink: setsockopt $o"
			break
		done
		eq "a value for $o was found" "$done_" yes
	done
}

header_is_whole() {
	start_source
	long=$(awk 'BEGIN { for (i = 0; i < 120; i++) printf "TCP_NODELAY=%d,", i % 2 }')
	sink -d 0.2 -t "$long"
	status 0
	match "header" "$(printf '%s\n' "$out" | head -n 1)" "options=\\[$long\\]"
}

for t in case11_mail_string_is_set_in_order case11_seconds_are_a_timeval \
	early_and_late_at_the_sink early_and_late_at_the_source \
	case18_empty_strings_are_no_options case18_tab_and_newline_separate \
	case19_values_that_are_none case20_negative_is_refused \
	case20_zero_is_set_and_shown case21_booleans case22_unknown_names \
	case22_case_does_not_matter case22_no_connect_is_made \
	values_with_units_and_names quotes_enclose_a_value \
	traffic_class_on_ipv6 case1_readback_is_shown \
	source_shows_readback_too capped_values_are_warned_about \
	refused_by_the_kernel help_lists_the_table every_row_can_be_tried \
	header_is_whole; do
	it $t
done
finish
