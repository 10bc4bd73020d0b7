#!/bin/sh
# What the bytes go through: both loopback addresses, an AF_UNIX socket, a
# pipe, sendfile, discarded by the kernel; every byte checked on each; and
# the options that shape a connection: -b -C -D.
# limit: 90
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# The last sink read something and was done.
read_something() {
	status 0
	match "end line" "$(ends "$T/out")" \
		'^connection 1: .* MB read, .* MB/sec, done$'
	no_match "end line" "$(ends "$T/out")" ' 0 MB read'
	eq "complaints" "$err" ""
}

source_serves_both_families() {
	start_source
	run 10 "$SINK" -H 127.0.0.1 -p "$PORT" -d 0.3
	read_something
	eq "header" "$(header_of "$T/out")" \
		"host=127.0.0.1 port=$PORT options=[]"
	[ -r /proc/net/tcp6 ] || skip "no IPv6 here"
	run 10 "$SINK" -H ::1 -p "$PORT" -d 0.3
	read_something
	eq "header" "$(header_of "$T/out")" "host=::1 port=$PORT options=[]"
	run 10 "$SINK" -p "$PORT" -d 0.3
	read_something
}

# localhost has two addresses, the server one: the other is tried.
# falls_back FAMILY ADDRESS_USED
falls_back() {
	printf '127.0.0.1 localhost\n::1 localhost\n' >hosts
	"$BUILD/help_hosts" hosts true 2>why.err || skip "$(cat why.err)"
	start foreign "$BUILD/help_server" "-$1"
	wait_for 5 grep -q port= foreign.out ||
		skip "no IPv$1: $(cat foreign.err)"
	PORT=$(sed 's/port=//' foreign.out)
	run 10 "$BUILD/help_hosts" hosts "$SINK" -v -p "$PORT" -d 0.3
	read_something
	match "address used" "$out" " to $2:$PORT"
	true_that "within a second, plus .3 s (took $took)" "$took < 130 + 400"
	# And where nobody is, all that were tried are named.
	run 10 "$BUILD/help_hosts" hosts "$SINK" -p "$(free_port)"
	status 1
	match "complaint" "$err" '\((::1, 127\.0\.0\.1|127\.0\.0\.1, ::1)\)'
}

case12_falls_back_to_ipv4() {
	falls_back 4 '127\.0\.0\.1'
}

case12_falls_back_to_ipv6() {
	[ -r /proc/net/tcp6 ] || skip "no IPv6 here"
	falls_back 6 '(::1|\[::1\])'
}

case12_source_on_one_family_only() {
	[ -r /proc/net/tcp6 ] || skip "no IPv6 here"
	start_source -H ::1
	run 10 "$SINK" -H ::1 -p "$PORT" -d 0.3
	read_something
	run 10 "$SINK" -H 127.0.0.1 -p "$PORT" -d 0.3
	status 1
	match "complaint" "$err" 'refused'
}

unix_socket() {
	start_source -H "$T/sock"
	eq "the source's first line" "$(head -n 1 "$SRC_OUT")" \
		"path=$T/sock options=[]"
	ok "it is a socket" test -S sock
	run 10 "$SINK" -H "$T/sock" -d 0.5 -i 0.2
	read_something
	eq "the sink's first line" "$(head -n 1 "$T/out")" \
		"host=$T/sock options=[] interval=0.2"
	run 10 "$SINK" -H ./sock -d 0.3
	read_something
	stop_source
	eq "status of the source" "$st" 0
	not_ok "the socket file is left" test -e sock
	run 10 "$SINK" -H ./sock
	status 1
	match "complaint" "$err" '^sock_sink: connect \./sock: '
}

unix_file_left_by_a_killed_source_is_reused() {
	start_source -H ./sock
	kill_hard "$SRC"
	wait_for 5 not_alive "$SRC"
	ok "the file is left" test -S sock
	start_source -H ./sock
	run 10 "$SINK" -H ./sock -d 0.3
	read_something
	stop_source
	not_ok "the socket file is left" test -e sock
}

unix_live_socket_is_not_touched() {
	start_source -H ./sock
	first=$SRC
	before=$(ls -i sock)
	run 5 "$SOURCE" -H ./sock
	status 1
	match "complaint" "$err" '^sock_source: .*\./sock: .*in use'
	eq "the file" "$(ls -i sock)" "$before"
	ok "the first is alive" alive "$first"
	eq "what the first noticed" "$(grep -c accepted source1.out)" 0
	run 10 "$SINK" -H ./sock -d 0.3
	read_something
}

# The file is now another's: a source removes only its own.
unix_other_sources_socket_is_left_alone() {
	start_source -H ./sock
	first=$SRC
	rm sock
	start_source -H ./sock
	kill -TERM "$first"
	ended 5 "$first"
	ok "the second's socket is there" test -S sock
	run 10 "$SINK" -H ./sock -d 0.3
	read_something
}

unix_other_files_are_never_touched() {
	echo precious >file
	mkdir dir
	ln -s file link
	mkfifo fifo
	for f in file dir link fifo; do
		before=$(ls -dli "$f")
		run 5 "$SOURCE" -H "./$f"
		status 1
		match "complaint" "$err" "^sock_source: .*\\./$f"
		eq "the $f" "$(ls -dli "$f")" "$before"
	done
	eq "the file's text" "$(cat file)" precious
	run 5 "$SOURCE" -H ./no/such/dir
	status 1
	match "complaint" "$err" '\./no/such/dir'
}

unix_path_over_the_limit_is_refused() {
	long=./$(printf '%0120d' 0)
	for p in "$SOURCE" "$SINK"; do
		run 5 "$p" -H "$long"
		match "status" "$st" '^[12]$'
		match "complaint" "$err" "^${p##*/}: .*$long.*(long|107|108)"
		eq "what was made" "$(ls ./*00* 2>/dev/null)" ""
	done
}

pipe_goes_through_the_same_loop() {
	"$SOURCE" -H - 2>src.err | "$SINK" -H - -d 0.9 -i 0.2 >snk.out \
		2>snk.err
	eq "status of the sink" $? 0
	eq "the sink's header" "$(head -n 1 snk.out)" \
		"host=- options=[] interval=0.2"
	eq "the source's header, on stderr" "$(head -n 1 src.err)" \
		"path=- options=[]"
	on_time snk.out 0.2 0.9
	match "the sink's end" "$(ends snk.out)" \
		'^connection 1: .* MB read, .* MB/sec, done$'
	ok "the source ends as well" wait_for 5 \
		lines_of src.err ', closed by the sink$' 1
	eq "complaints of the sink" "$(cat snk.err)" ""
}

pipe_ended_by_the_source() {
	(
		"$SOURCE" -H - -d 0.6 -i 0.2 2>src.err
		echo $? >src.st
	) | "$SINK" -H - -j >snk.out 2>snk.err
	eq "status of the sink" $? 0
	eq "status of the source" "$(cat src.st)" 0
	eq "ends" "$(json snk.out -e end reason)" "closed"
}

# Anything may be at the other end: the count is exact.
pipe_from_another_program_is_counted_exactly() {
	head -c 123456789 /dev/zero | "$SINK" -H - -j >snk.out 2>snk.err
	eq "status" $? 0
	eq "bytes" "$(json snk.out -e end bytes exact)" "123456789	true"
	"$SINK" -H - -b 1000 </dev/null >snk.out 2>snk.err
	eq "status of an empty input" $? 0
	match "end line" "$(ends snk.out)" \
		'^connection 1: .* s, 0 MB read'
}

pipe_to_another_program_is_a_lower_bound() {
	"$SOURCE" -H - -d 0.5 2>src.err | wc -c >bytes
	sent=$(sed -n 's/^connection 1: .* s, \(>= *\)*\([0-9.]*\) MB sent.*/\2/p' \
		src.err)
	true_that "sent and received" "$sent * 1e6 <= $(cat bytes) + 4e6 &&
		$sent * 1e6 >= $(cat bytes) * 0.9"
	ok "no text among the data" test "$(cat bytes)" -gt 0
}

pipe_refuses_a_terminal() {
	need script
	script -qec "'$SOURCE' -H - -d 1 2>'$T/tty.err'; echo status=\$?" \
		/dev/null >tty.out 2>&1 </dev/null
	match "status" "$(tr -d '\r' <tty.out)" '^status=[12]$'
	match "complaint" "$(cat tty.err)" '^sock_source: .*terminal'
	eq "bytes written to it" "$(tr -d '\r\n' <tty.out |
		sed 's/status=[12]//')" ""
	script -qec "'$SINK' -H - -d 1 2>'$T/tty.err'; echo status=\$?" \
		/dev/null >tty.out 2>&1 </dev/null
	match "status" "$(tr -d '\r' <tty.out)" '^status=[12]$'
	match "complaint" "$(cat tty.err)" '^sock_sink: .*terminal'
}

# check_holds SOURCE_OPTIONS | SINK_OPTIONS, over TCP.
check_holds() {
	# shellcheck disable=SC2086
	start_source -c $1
	# shellcheck disable=SC2086
	run 10 "$SINK" -c -p "$PORT" -d 0.4 $2
	read_something
	stop_source
}

check_holds_with_odd_blocks() {
	for b in 1 7 251 4097 65537 1000003; do
		check_holds "-b $b" "-b 64K"
		check_holds "-b 64K" "-b $b"
	done
	check_holds "-b 1000003" "-b 4099"
}

check_holds_on_every_transport() {
	check_holds "" "-H 127.0.0.1"
	[ ! -r /proc/net/tcp6 ] || check_holds "-b 999" "-H ::1 -b 1001"
	start_source -c -H ./sock -b 12345
	run 10 "$SINK" -c -H ./sock -d 0.4
	read_something
	stop_source
	"$SOURCE" -c -H - -b 70001 2>src.err |
		"$SINK" -c -H - -d 0.4 >snk.out 2>snk.err
	eq "status on a pipe" $? 0
	match "end line" "$(ends snk.out)" ', done$'
}

sendfile_is_checked_too() {
	need_linux_parts -S
	for b in 1 4097 64K 1000003; do
		check_holds "-S -b $b" ""
	done
	start_source -S -c -H ./sock
	run 10 "$SINK" -c -H ./sock -d 0.4
	read_something
	stop_source
	start_source -S
	run 10 "$SINK" -p "$PORT" -d 0.4
	read_something
}

# sendfile() is really used, and its count is right.
sendfile_count_is_exact() {
	need_linux_parts -S
	start_source -S -j -d 0.7
	run 10 "$BUILD/help_reader" 127.0.0.1 "$PORT"
	ok "an end" wait_for 5 grep -q '"event":"end"' "$SRC_OUT"
	eq "bytes" "$(json "$SRC_OUT" -e end bytes)" "${out% eof}"
	need strace
	strace -f -o trace -e trace=sendfile,write,sendto true 2>/dev/null ||
		skip "strace is not permitted"
	port=$(free_port)
	start traced strace -f -o trace -e trace=sendfile,sendfile64 \
		"$SOURCE" -S -p "$port" -n 1
	run 10 "$SINK" -p "$port" -d 0.4
	status 0
	ok "calls of sendfile" grep -q '^[0-9]* *sendfile' trace
}

check_names_the_first_wrong_byte() {
	for offset in 0 1 65535 65536 4198400 20000000; do
		"$SOURCE" -c -H - -d 2 2>src.err |
			"$BUILD/help_flip" "$offset" 2>/dev/null |
			"$SINK" -c -H - >snk.out 2>snk.err
		eq "status with a wrong byte at $offset" $? 1
		match "complaint" "$(cat snk.err)" \
"^sock_sink: check: connection 1, offset $offset: got 0x[0-9a-f]{2}, expected "
		eq "complaints" "$(wc -l <snk.err)" 1
		match "end line" "$(ends snk.out)" ', check failed$'
	done
}

# A block lost in the middle: whatever its size, the pattern shows it.
check_finds_a_lost_block() {
	for n in 1 16 256 4096 65536 1048576 2097152; do
		"$SOURCE" -c -H - -d 2 2>src.err |
			"$BUILD/help_flip" -d "$n" 3000000 2>/dev/null |
			"$SINK" -c -H - >snk.out 2>snk.err
		eq "status with $n bytes lost" $? 1
		match "complaint" "$(cat snk.err)" \
			': check: connection 1, offset 30000[0-9]{2}: '
	done
}

check_fails_when_the_source_does_not() {
	start_source
	sink -c -d 2
	status 1
	match "complaint" "$err" \
'^sock_sink: check: connection 1, offset [0-9]+: got 0x[0-9a-f]{2}, expected 0x'
	match "complaint" "$err" 'is the source run with -c'
	match "end line" "$(ends "$T/out")" ', check failed$'
	true_that "at once (took $took)" "$took < 200"
}

discarded_by_the_kernel_is_counted() {
	need_linux_parts -z
	start_source -j -d 0.8
	sink -z -j
	status 0
	ok "an end" wait_for 5 grep -q '"event":"end"' "$SRC_OUT"
	eq "bytes" "$(json "$T/out" -e end bytes)" \
		"$(json "$SRC_OUT" -e end bytes)"
	true_that "bytes" "$(json "$T/out" -e end bytes) > 0"
}

block_sizes_are_used() {
	start_source -j -b 1000 -d 0.5
	sink -d 7
	ok "an end" wait_for 5 grep -q '"event":"end"' "$SRC_OUT"
	match "header" "$(head -n 1 "$SRC_OUT")" '"block_bytes":1000[,}]'
	# In one with few calls a part of a call may count: see above 100.
	eq "intervals whose calls are not of 1000 bytes" "$(json "$SRC_OUT" \
		-e interval bytes calls | awk '$2 > 100 {
			x = $1 / $2 - 1000; if (x < -20 || x > 20) n++ }
			END { print n + 0 }')" 0
	stop_source
	start_source
	sink -b 10 -d 0.5 -j
	status 0
	eq "reads of more than 10 bytes" "$(json "$T/out" -e interval \
		bytes_per_call | awk '$1 > 10' | wc -l)" 0
}

workers_run_on_the_given_cpu() {
	need_linux_parts "-C"
	[ -r /proc/self/status ] || skip "no /proc here"
	cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' \
		/proc/self/status)
	start_source -C "$cpu"
	start_sink one -C "$cpu"
	one=$PID
	wait_for 5 has_worker "$one" || fail "no worker"
	wait_for 5 has_worker "$SRC" || fail "no worker"
	sleep 0.2
	for p in $SRC $one; do
		eq "CPUs of the worker" "$(sed -n \
			's/^Cpus_allowed_list:[^0-9]*//p' \
			"/proc/$(worker_of "$p")/status")" "$cpu"
	done
	match "header" "$(head -n 1 one.out)" " cpu=$cpu\$"
	for p in "$SOURCE" "$SINK"; do
		run 5 "$p" -p "$(free_port)" -C 9999
		match "status" "$st" '^[12]$'
		match "complaint" "$err" "^${p##*/}: .*9999"
	done
}

sleep_after_each_call() {
	start_source -b 1000 -D 0.1 -j
	sink -d 1.5 -j
	status 0
	n=$(json "$T/out" -e end bytes)
	true_that "bytes in 1.5 s at 1000 each 0.1 s: $n" \
		"$n >= 3000 && $n <= 17000"
	stop_source
	start_source
	sink -D 0.1 -b 1000 -d 1.5 -j
	status 0
	n=$(json "$T/out" -e end bytes)
	true_that "bytes in 1.5 s at 1000 each 0.1 s: $n" \
		"$n >= 3000 && $n <= 17000"
	# A sleeping worker does not delay the end.
	sink -D 20 -d 0.5
	status 0
	true_that "the end is not delayed (took $took)" "$took < 300"
}

# Some parents leave their pipes non-blocking: that is no timeout.
pipe_may_be_nonblocking() {
	mkfifo fifo
	"$BUILD/help_nonblock" "$SOURCE" -H - -b 64K -d 1 >fifo 2>source.err &
	PIDS="$PIDS $!"
	timeout 10 "$BUILD/help_nonblock" "$SINK" -H - -i 0.3 -D 0.001 \
		<fifo >sink.out 2>sink.err
	eq "status" $? 0
	match "end of the sink" "$(tail -n 1 sink.out)" ', ended by the source$'
	match "end of the source" "$(tail -n 1 source.err)" ', done$'
}

for t in source_serves_both_families case12_falls_back_to_ipv4 \
	case12_falls_back_to_ipv6 \
	case12_source_on_one_family_only unix_socket \
	unix_file_left_by_a_killed_source_is_reused \
	unix_live_socket_is_not_touched \
	unix_other_sources_socket_is_left_alone \
	unix_other_files_are_never_touched \
	unix_path_over_the_limit_is_refused pipe_goes_through_the_same_loop \
	pipe_ended_by_the_source \
	pipe_from_another_program_is_counted_exactly \
	pipe_to_another_program_is_a_lower_bound pipe_refuses_a_terminal \
	pipe_may_be_nonblocking \
	check_holds_with_odd_blocks check_holds_on_every_transport \
	sendfile_is_checked_too sendfile_count_is_exact \
	check_names_the_first_wrong_byte check_finds_a_lost_block \
	check_fails_when_the_source_does_not \
	discarded_by_the_kernel_is_counted block_sizes_are_used \
	workers_run_on_the_given_cpu sleep_after_each_call; do
	it $t
done
finish
