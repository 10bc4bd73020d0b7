#!/bin/sh
# The source persists: any number of sinks, one after another and at once,
# killed, reset, stopped, lost web browsers and port scans; out of
# descriptors or processes it says so once and goes on; it listens on
# loopback only, refuses a taken port, and takes its workers along.
# limit: 120
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

no_child() {
	children_are "$1" 0
}

# The source has come to rest: no child, descriptors as before.
at_rest() {
	ok "no child or zombie is left" wait_for 10 no_child "$SRC"
	eq "descriptors" "$(descriptors "$SRC")" "$1"
}

serves() {
	sink -d 0.3
	status 0
	match "end line of the next sink" "$(tail -n 1 "$T/out")" ', done$'
}

# Lines per connection: accepted, waiting, its end; and some intervals.
no_flood() {
	n=$(grep -vc 'MB/sec$' "$SRC_OUT")
	true_that "lines printed: $n for $1 connections" "$n <= 3 * $1 + 3"
}

survives_1000_connections() {
	need_proc
	start_source
	before=$(descriptors "$SRC")
	c=$BUILD/help_connect
	run 60 "$c" -n 300 127.0.0.1 "$PORT"
	status 0
	ok "300 ends" wait_for 20 lines_of "$SRC_OUT" "$END" 300
	at_rest "$before"
	memory=$(awk '/^VmRSS/ { print $2 }' "/proc/$SRC/status")
	run 60 "$c" -n 300 -r ::1 "$PORT"
	status 0
	run 60 "$c" -n 200 -w 'GET / HTTP/1.0

' 127.0.0.1 "$PORT"
	status 0
	run 60 "$c" -n 200 -r -w x -k 0.001 127.0.0.1 "$PORT"
	status 0
	ok "1000 ends" wait_for 20 lines_of "$SRC_OUT" "$END" 1000
	at_rest "$before"
	no_flood 1000
	eq "complaints" "$(cat "$SRC_ERR")" ""
	eq "connections" "$(grep -c '^accepted$' "$SRC_OUT")" 1000
	eq "ends that are not the sink's leaving" \
		"$(ends "$SRC_OUT" | grep -vc ', closed by the sink$')" 0
	if ! grep -q libasan "/proc/$SRC/maps"; then
		grown=$(awk -v was="$memory" \
			'/^VmRSS/ { print $2 - was }' "/proc/$SRC/status")
		true_that "growth of 700 connections: $grown kB" \
			"$grown < 300"
	fi
	serves
}

survives_killed_sinks() {
	need_proc
	need_linux_parts "workers die with their parent"
	start_source
	before=$(descriptors "$SRC")
	for i in 1 2 3 4 5; do
		start_sink "k$i"
		lines_of "$SRC_OUT" '^accepted$' "$i" || wait_for 5 \
			lines_of "$SRC_OUT" '^accepted$' "$i"
		sleep 0.1
		kill_hard "$PID"
	done
	ok "5 ends" wait_for 5 lines_of "$SRC_OUT" ', closed by the sink$' 5
	at_rest "$before"
	serves
}

many_at_once() {
	need_proc
	start_source -b 1K -D 0.05
	before=$(descriptors "$SRC")
	run 30 "$BUILD/help_reader" -P 100 -d 1.5 127.0.0.1 "$PORT"
	status 0
	ok "100 ends" wait_for 10 lines_of "$SRC_OUT" "$END" 100
	at_rest "$before"
	serves
}

# case9_signals OPTIONS_OF_help_defaults...
signals_and_short_sinks() {
	need_proc
	start source1 "$BUILD/help_defaults" "$@" "$SOURCE" -p 0
	adopt_source source1
	before=$(descriptors "$SRC")
	for i in 1 2 3 4 5 6 7 8 9 10; do
		for j in 1 2 3 4 5; do
			"$SINK" -p "$PORT" -d 0.05 >"o$j" 2>&1 &
			eval "s$j=$!"
		done
		for j in 1 2 3 4 5; do
			eval "wait \$s$j" || fail "sink $i.$j: $(cat "o$j")"
		done
	done
	for s in CHLD WINCH STOP CONT CHLD; do
		kill -"$s" "$SRC"
		sleep 0.1
	done
	ok "50 ends" wait_for 10 lines_of "$SRC_OUT" "$END" 50
	at_rest "$before"
	serves
}

case9_no_zombies_after_signals() {
	signals_and_short_sinks
}

case9_started_with_SIGCHLD_ignored() {
	signals_and_short_sinks -i CHLD
}

case13_second_source_refused() {
	gentle_source
	start_sink one
	run 5 "$SOURCE" -p "$PORT"
	status 1
	true_that "within a second, five allowed (took $took)" "$took < 500"
	match "complaint" "$err" "^sock_source: bind .*port $PORT: in use"
	match "complaint" "$err" '127\.0\.0\.1|::1'
	eq "output" "$out" ""
	ok "the first is alive" alive "$SRC"
	serves
}

# A program on one of the two addresses is enough.
case13_port_taken_on_one_address() {
	for family in 4 6; do
		start other "$BUILD/help_server" "-$family"
		wait_for 5 grep -q port= other.out ||
			skip "no IPv$family: $(cat other.err)"
		port=$(sed 's/port=//' other.out)
		run 5 "$SOURCE" -p "$port"
		status 1
		case $family in
		4) match "complaint" "$err" \
			"bind 127\.0\.0\.1 port $port: in use" ;;
		6) match "complaint" "$err" "bind ::1 port $port: in use" ;;
		esac
		eq "output" "$out" ""
		kill "$PID"
	done
}

case13_restart_after_kill() {
	need_linux_parts "workers die with their parent"
	start_source
	for i in 1 2 3; do
		start_sink "cut$i"
		sink_pid=$PID
		ok "the sink reads" wait_for 5 \
			lines_of "$SRC_OUT" '^accepted$' 1
		sleep 0.3
		kill_hard "$SRC"
		wait_for 5 not_alive "$SRC"
		start_source -p "$PORT"
		ended 5 "$sink_pid"
		match "status of the sink cut off" "$st" '^[01]$'
		match "its end line" "$(tail -n 1 "cut$i.out")" \
			'^connection 1: .*, (ended|reset) by the source'
	done
	# With a duration to go it is a failure whichever it was.
	start_sink cut -d 7
	sink_pid=$PID
	wait_for 5 lines_of "$SRC_OUT" '^accepted$' 1
	sleep 0.3
	kill_hard "$SRC"
	wait_for 5 not_alive "$SRC"
	ended 5 "$sink_pid"
	eq "status of the sink cut off" "$st" 1
	match "its end line" "$(tail -n 1 cut.out)" \
		', (ended by the source after 0\.[0-9]+ s of 7|reset by the )'
	start_source -p "$PORT"
	serves
}

killed_source_takes_its_workers_along() {
	need_proc
	need_linux_parts "workers die with their parent"
	gentle_source
	start_sink one
	start_sink two
	wait_for 5 children_are "$SRC" 2 || fail "not two workers"
	workers=$(children_of "$SRC" | cut -d ' ' -f 1)
	kill_hard "$SRC"
	for w in $workers; do
		ok "worker $w has ended" wait_for 5 not_alive "$w"
	done
}

killed_sink_takes_its_worker_along() {
	need_proc
	need_linux_parts "workers die with their parent"
	start_source
	start_sink one
	wait_for 5 has_worker "$PID" || fail "no worker"
	w=$(worker_of "$PID")
	kill -KILL "$PID"
	ok "worker $w has ended" wait_for 5 not_alive "$w"
}

# The connection's own descriptor and the shared page: nothing else.
worker_holds_only_its_connection() {
	need_proc
	gentle_source
	start_sink one
	first=$PID
	start_sink two
	wait_for 5 children_are "$SRC" 2 || fail "not two workers"
	wait_for 5 has_worker "$first" || fail "no worker"
	sleep 0.2
	for w in $(children_of "$SRC" | cut -d ' ' -f 1) \
		 $(worker_of "$first"); do
		eq "descriptors of worker $w" "$(for f in "/proc/$w/fd"/*; do
			readlink "$f"
		done | sed 's/\[.*//' | tr '\n' ' ')" "socket: "
	done
}

# A source that new connections wait for uses no CPU, and has said so once.
waits_at_rest() {
	cpu=$(cpu_of "$SRC")
	sleep 1
	used=$(echo "$(cpu_of "$SRC") $cpu" | awk '{ print $1 - $2 }')
	true_that "CPU seconds in 1 s of waiting: $used" "$used < 0.1"
	eq "complaints" "$(wc -l <"$SRC_ERR")" 1
}

limit_of_connections() {
	need_proc
	gentle_source -m 2
	start_sink one
	one=$PID
	start_sink two
	wait_for 5 lines_of "$SRC_OUT" '^accepted$' 2 || fail "not two"
	start_sink three -d 0.5
	three=$PID
	sleep 0.5
	eq "accepted" "$(grep -c '^accepted$' "$SRC_OUT")" 2
	waits_at_rest
	match "complaint" "$(cat "$SRC_ERR")" '^sock_source: .*2.* wait'
	kill -INT "$one"
	ok "the third comes in" wait_for 5 \
		lines_of "$SRC_OUT" '^accepted$' 3
	ended 5 "$three"
	eq "status of the third" "$st" 0
	eq "complaints" "$(wc -l <"$SRC_ERR")" 1
}

out_of_descriptors() {
	need_proc
	start limited "$BUILD/help_limit" -n 14 "$SOURCE" -p 0 -b 1K -D 0.05
	adopt_source limited
	start many "$BUILD/help_reader" -P 30 -d 20 127.0.0.1 "$PORT"
	many=$PID
	ok "it says so" wait_for 5 lines_of "$SRC_ERR" \
		'^sock_source: out of descriptors at [0-9]+ connections' 1
	n=$(sed -n 's/.* at \([0-9]*\) connections.*/\1/p' "$SRC_ERR")
	true_that "connections: $n" "$n >= 3 && $n < 14"
	sleep 0.5
	waits_at_rest
	eq "accepted" "$(grep -c '^accepted$' "$SRC_OUT")" "$n"
	eq "those it has go on" "$(children_of "$SRC" | wc -l)" "$n"
	kill "$many"
	ok "all are served in the end" wait_for 10 \
		lines_of "$SRC_OUT" "$END" 30
	serves
	true_that "complaints: $(wc -l <"$SRC_ERR")" "$(wc -l <"$SRC_ERR") < 4"
}

out_of_processes() {
	need_proc
	need_linux_parts "a limit of processes"
	"$BUILD/help_limit" -p 2 true 2>why.err || skip "$(cat why.err)"
	mkdir -m 755 bin
	cp "$SOURCE" bin/
	chmod 755 "$TOP" "$T" bin/sock_source
	"$BUILD/help_limit" -p 4 ./bin/sock_source -V >/dev/null 2>why.err ||
		skip "another user cannot run it here: $(cat why.err)"
	start limited "$BUILD/help_limit" -p 4 ./bin/sock_source -p 0 \
		-b 1K -D 0.05
	adopt_source limited
	start many "$BUILD/help_reader" -P 10 -d 20 127.0.0.1 "$PORT"
	many=$PID
	ok "it says so" wait_for 5 lines_of "$SRC_ERR" \
		'^sock_source: out of processes.* at [0-9]+ connections' 1
	sleep 0.5
	waits_at_rest
	kill "$many"
	ok "no child is left" wait_for 10 no_child "$SRC"
	ok "it is alive" alive "$SRC"
	serves
}

# Rows of the kernel's tables that listen on the port: their addresses.
listening() {
	hex=$(printf '%04X' "$PORT")
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
		awk -v p=":$hex" '$4 == "0A" && substr($2, length($2) - 4) == p {
			print substr($2, 1, length($2) - 5) }' |
		sort | tr '\n' ' '
}

listens_on_loopback_only() {
	[ -r /proc/net/tcp ] || skip "no /proc/net/tcp here"
	v6=00000000000000000000000001000000
	[ -r /proc/net/tcp6 ] || v6=
	start_source
	case $(listening) in
	"0100007F "|"$v6 0100007F ") checked ;;
	*) fail "it listens on $(listening)" ;;
	esac
	stop_source
	start_source -H 127.0.0.1
	eq "addresses with -H 127.0.0.1" "$(listening)" "0100007F "
	stop_source
	[ -n "$v6" ] || return
	start_source -H ::1
	eq "addresses with -H ::1" "$(listening)" "$v6 "
}

verbose_source_says_where() {
	start_source -v
	ok "127.0.0.1 is named" wait_for 2 grep -q '127\.0\.0\.1' "$SRC_OUT"
	[ -r /proc/net/tcp6 ] || return
	match "its lines" "$(cat "$SRC_OUT")" "::1"
}

# case12: starts where IPv6 is off (how: off or absent) and says so.
starts_without_ipv6() {
	"$BUILD/help_noipv6" "$1" true 2>why.err || skip "$(cat why.err)"
	# shellcheck disable=SC2016
	start source1 "$BUILD/help_noipv6" "$1" sh -c '
		"$1" -v -p 0 -n 1 >src.out 2>src.err &
		n=0
		until grep -q "^waiting" src.out || [ $((n += 1)) -gt 100 ]
		do
			sleep 0.05
		done
		port=$(sed -n "s/^port=\([0-9]*\) .*/\1/p" src.out)
		"$2" -v -p "$port" -d 0.3 >snk.out 2>snk.err
		echo "sink $?"
		wait $!
		echo "source $?"' test "$SOURCE" "$SINK"
	ended 15 "$PID"
	eq "statuses" "$(tr '\n' ' ' <source1.out)" "sink 0 source 0 "
	eq "complaints" "$(cat src.err snk.err)" ""
	match "where it listens" "$(cat src.out)" 'listening.*127\.0\.0\.1'
	no_match "where it listens" "$(cat src.out)" 'listening.*::1'
	match "where the sink went" "$(cat snk.out)" 'to 127\.0\.0\.1:'
}

case12_source_starts_where_ipv6_is_off() {
	starts_without_ipv6 off
}

case12_source_starts_where_ipv6_is_absent() {
	starts_without_ipv6 absent
}

ends_by_signal_with_an_end_line_each() {
	for sig in INT TERM HUP; do
		gentle_source -i 0.2
		start_sink "one$sig"
		one=$PID
		start_sink "two$sig"
		two=$PID
		wait_for 5 lines_of "$SRC_OUT" '^accepted$' 2
		sleep 0.5
		end_source "$sig"
		eq "status after $sig" "$st" 0
		eq "ends after $sig" "$(count_ends "$SRC_OUT")" 2
		eq "ends after $sig that say so" \
			"$(ends "$SRC_OUT" | grep -c ', interrupted$')" 2
		eq "complaints" "$(cat "$SRC_ERR")" ""
		ended 5 "$one"
		ended 5 "$two"
	done
}

idle_source_ends_by_interrupt() {
	"$BUILD/help_signals" -o end INT@0.3 "$SOURCE" -p 0 >idle.out
	eq "end of an idle source" "$(cut -d ' ' -f 1-2 end)" "exit 0"
}

ignored_hangup_stays_ignored() {
	start source1 "$BUILD/help_defaults" -i HUP "$SOURCE" -p 0
	adopt_source source1
	kill -HUP "$SRC"
	sleep 0.3
	ok "it is alive" alive "$SRC"
	serves
}

ends_after_n_connections() {
	gentle_source -n 2
	sink -d 0.3
	status 0
	ok "it goes on after one" alive "$SRC"
	sink -d 0.3
	status 0
	ended 5 "$SRC"
	eq "status" "$st" 0
	eq "ends" "$(count_ends "$SRC_OUT")" 2
	eq "accepted" "$(grep -c '^accepted$' "$SRC_OUT")" 2
}

ends_its_connections_after_d() {
	start_source -d 0.5
	run 10 "$BUILD/help_reader" 127.0.0.1 "$PORT"
	match "what the reader saw" "$out" '^[0-9]+ eof$'
	match "the source's end line" "$(ends "$SRC_OUT")" \
		'^connection 1: [01]\.[0-9]* s, .* MB sent, .*, done$'
	ok "it goes on" alive "$SRC"
}

# Workers are reaped, and ends told, while connections rush in.
rush_is_reaped() {
	need_proc
	start_source -b 1K
	"$BUILD/help_connect" -n 2000 127.0.0.1 "$PORT" &
	rush=$!
	PIDS="$PIDS $rush"
	worst=0
	while alive "$rush" || ! lines_of "$SRC_OUT" "$END" 2000; do
		n=$(children_of "$SRC" | grep -c ' Z$')
		[ "$n" -le "$worst" ] || worst=$n
		now
		: "${until_rush:=$((NOW + 3000))}"
		[ "$NOW" -lt "$until_rush" ] || fail "not over after 30 s"
		sleep 0.05
	done
	true_that "zombies at once: $worst of 2000" "$worst < 500"
	ok "no child is left" wait_for 10 no_child "$SRC"
	serves
}

for t in survives_1000_connections survives_killed_sinks many_at_once \
	case9_no_zombies_after_signals case9_started_with_SIGCHLD_ignored \
	case13_second_source_refused case13_port_taken_on_one_address \
	case13_restart_after_kill killed_source_takes_its_workers_along \
	killed_sink_takes_its_worker_along worker_holds_only_its_connection \
	limit_of_connections out_of_descriptors out_of_processes \
	listens_on_loopback_only verbose_source_says_where \
	case12_source_starts_where_ipv6_is_off \
	case12_source_starts_where_ipv6_is_absent \
	ends_by_signal_with_an_end_line_each idle_source_ends_by_interrupt \
	ignored_hangup_stays_ignored ends_after_n_connections \
	ends_its_connections_after_d rush_is_reaped; do
	it $t
done
finish
