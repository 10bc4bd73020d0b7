#!/bin/sh
# One command with a source of its own (-s), and sweeps: what they print, in
# which order they measure, cliffs, saved sweeps, transports; and that nothing
# is left behind, whatever happens.
#
# Environment: SWEEP_SETTINGS (200): settings of the sweep that looks for
# leaks.
# limit: 120
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# ---- a source of our own

# sources_of PID: the sock_sources that it has started.
sources_of() {
	for p in $(children_of "$1" | cut -d ' ' -f 1); do
		tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null |
			grep -Eq '^[^ ]*sock_source ' && echo "$p"
	done
}

sources_are() {
	[ "$(sources_of "$1" | wc -l)" -ge "$2" ]
}

# What the sources leave goes to a place of our own; run in the test's directory.
own_place() {
	mkdir place
	TMPDIR=$T/place
	export TMPDIR
}

nothing_left() {
	eq "files that are left" "$(ls -A "$TMPDIR")" ""
}

# all_gone SECONDS PID...: and nothing of them is left.
all_gone() {
	seconds=$1
	shift
	for p; do
		ok "process $p is gone" wait_for "$seconds" not_alive "$p"
	done
	nothing_left
}

# serving NAME OPTION...: a sink that has a connection to a source of its own,
# whose pid is in OWN, with its workers in OWN_ALL.
serving() {
	what=$1
	shift
	start "$what" "$SINK" -s "$@"
	wait_for 10 sources_are "$PID" 1 ||
		fail "no source: $(cat "$T/$what.err")"
	OWN=$(sources_of "$PID")
	wait_for 10 has_worker "$OWN" || fail "no connection"
	OWN_ALL="$OWN $(worker_of "$OWN") $(children_of "$PID" |
		cut -d ' ' -f 1 | tr '\n' ' ')"
}

own_source_is_a_process() {
	need_proc
	own_place
	serving sink -c -d 30 -n 1 -- -b 1K -t SO_SNDBUF=8192
	command=$(tr '\0' ' ' <"/proc/$OWN/cmdline")
	match "its command" "$command" \
		'sock_source -j -p 0 -H 127\.0\.0\.1 -b 1K -t SO_SNDBUF=8192 -c $'
	port=$(sed -n 's/^host=127\.0\.0\.1 port=\([0-9]*\) .*/\1/p' sink.out)
	ok "a port is told" test -n "$port"
	not_ok "it listens there" port_is_free "$port"
	match "the source" "$(cat sink.out)" \
		'^source=\[sock_source -b 1K -t SO_SNDBUF=8192\]$'
	kill -TERM "$PID"
	ended 10 "$PID"
	eq "status" "$st" 0
	# shellcheck disable=SC2086
	all_gone 2 $OWN_ALL
	eq "end lines" "$(count_ends sink.out)" 1
	eq "complaints" "$(cat sink.err)" ""
}

# Whatever way the bytes go, and however the sink ends.
own_source_ends_with_the_sink() {
	need_proc
	own_place
	for how in $1; do
		for way in tcp unix pipe; do
			serving sink -d 30 -n 1 -x "$way"
			case $how in
			twice)	kill -INT "$PID"
				wait_for 2 not_alive "$OWN"
				kill -INT "$PID" 2>/dev/null
				ended 10 "$PID" ;;
			KILL)	kill -KILL "$PID"
				ended 10 "$PID" ;;
			*)	kill -"$how" "$PID"
				ended 10 "$PID"
				eq "status after $how, $way" "$st" 0 ;;
			esac
			# shellcheck disable=SC2086
			all_gone 2 $OWN_ALL
		done
	done
}

own_source_ends_with_a_killed_sink() {
	need_linux_parts "a source does not know that its sink was killed"
	own_source_ends_with_the_sink KILL
}

# Nothing is connected yet while the sources of many settings start.
interrupted_before_a_connection() {
	need_proc
	own_place
	start sink "$SINK" -s -n 1 -d 30 -- -b "$(seq -s , 1000 1500)"
	wait_for 10 has_worker "$PID" || fail "no sources"
	kill -INT "$PID"
	some=$(children_of "$PID" | cut -d ' ' -f 1)
	ended 10 "$PID"
	eq "status" "$st" 130
	eq "what it printed" "$(cat sink.out sink.err)" ""
	# shellcheck disable=SC2086
	all_gone 2 $some
}

refusals_leave_nothing() {
	own_place
	for bad in "-l -b 1K,2K" "-b 3x" "-p 7001" "-H ::1" "-- -p 3" "-- -b 3x" \
		   "-- -j" "-x no" "-- -e SO_SNDBUFX=1" "-n 0 -- -b 1K,2K"; do
		# shellcheck disable=SC2086
		run 10 "$SINK" -s $bad
		status 2
		eq "what \"$bad\" prints" "$out" ""
		eq "complaints about $bad" "$(wc -l <err | tr -d ' ')" 1
		match "complaint" "$err" '^sock_sink: '
	done
	# What only the kernel knows.
	[ -n "$PORTABLE" ] || for bad in "-e" "-t"; do
		run 10 "$SINK" -s -d 0.1 -- "$bad" TCP_CONGESTION=none-such
		status 1
		match "complaint" "$err" \
			'^sock_s[a-z]*: setsockopt TCP_CONGESTION=none-such: '
		run 10 "$SINK" -s -d 0.1 "$bad" TCP_CONGESTION=none-such
		status 1
		eq "complaints" "$(wc -l <err | tr -d ' ')" 1
	done
	nothing_left
}

# other NAME: a program in place of the source, from standard input.
other() {
	{
		echo '#!/bin/sh'
		cat
	} >"$1/sock_source"
	chmod +x "$1/sock_source"
}

which_source_it_takes() {
	own_place
	mkdir bin path
	cp "$SINK" bin/sock_sink
	PATH=$T/path:$PATH run 10 ./bin/sock_sink -s -d 0.05
	status 1
	match "none" "$err" '^sock_sink: -s sock_source: there is none beside'
	eq "complaints" "$(wc -l <err | tr -d ' ')" 1
	cp "$SOURCE" path/sock_source
	PATH=$T/path:$PATH run 10 ./bin/sock_sink -s -d 0.05
	status 0
	PATH=$T/bin:$T/path:$PATH run 10 sock_sink -s -d 0.05
	status 0
	other bin <<-\END
		echo '{"event":"start","program":"sock_source","version":"0.0-x",' \
			'"port":1}'
		exec sleep 60
	END
	PATH=$T/path:$PATH run 10 ./bin/sock_sink -s -d 0.05
	status 1
	match "another version" "$err" \
		'^sock_sink: -s \./bin/sock_source: is version 0\.0-x, this '
	nothing_left
}

# What works against a started source works with one of our own.
all_works_with_our_own() {
	own_place
	run 10 "$SINK" -s -P 2 -d 0.1
	status 0
	eq "connections of -P 2" "$(count_ends out)" 2
	match "sum" "$out" '^\[sum\] '
	run 10 "$SINK" -s -l -d 0.1
	status 0
	match "ledger" "$out" 'wait'
	run 10 "$SINK" -s -w 0.05 -d 0.15
	status 0
	match "warm-up" "$out" 'warm-up 0\.0'
	run 10 "$SINK" -s -v -c -n 2 -d 0.1 -t TCP_NODELAY -e SO_RCVBUF=64K
	status 0
	match "options" "$out" '^  SO_RCVBUF  *65536  early '
	[ -n "$PORTABLE" ] ||
		match "the other end" "$out" '^  source: sock_source -j .* -c'
	eq "connections" "$(count_ends out)" 2
	run 10 "$SINK" -s -j -d 0.1 -E median=1000000..
	status 3
	eq "source event" "$(json out -e source command)" "sock_source"
	eq "end event" "$(json out -e end reason)" "done"
	[ -n "$PORTABLE" ] || {
		run 10 "$SINK" -s -z -d 0.1
		status 0
	}
	nothing_left
}

report_of_a_run() {
	own_place
	run 20 "$SINK" -s -n 6 -d 0.1 -R
	status 0
	match "source" "$out" '^source=\[sock_source\]$'
	match "end" "$out" '^==== end ='
	eq "lines above 78 columns" "$(awk 'length > 78' out)" ""
	eq "connections" "$(count_ends out)" 6
	repeat=$(sed -n 's/^to repeat: *//p' out)
	eq "to repeat" "$repeat" "sock_sink -s -n 6 -d 0.1 -R"
	cp out first
	PATH=$BIN:$PATH run 20 sh -c "$repeat"
	status 0
	eq "connections of the second" "$(count_ends out)" 6
	nothing_left
}

# ---- sweeps

# The rows of the table in a file: between its columns and an empty line.
rows() {
	awk '/ spread +gr\. / { on = 1; next }
		!NF { on = 0 }
		on' "$1"
}

a_table() {
	own_place
	run 30 "$SINK" -s -d 0.03 -n 3 -f -- -b 1K,64K \
		-t "{,SO_SNDBUF={4K..64K}}"
	status 0
	eq "complaints" "$err" ""
	match "header" "$(head -n 1 out)" \
		'^host=127\.0\.0\.1 port=[0-9]+ options=\[\] interval=0\.01$'
	eq "source" "$(sed -n 2p out)" \
		'source=[sock_source -b 1K,64K -t "{,SO_SNDBUF={4K..64K}}"]'
	match "size" "$(sed -n 3p out)" \
		'^12 settings, 3 connections of 0\.03 s each \(36\), interleaved, seed 1$'
	eq "lines of connections" "$(count_ends out) $(count_rates out)" "0 0"
	no_match "turns" "$out" '^setting '
	rows out >table
	for b in 1K 64K; do
		echo "$b (none)"
		for s in 4K 8K 16K 32K 64K; do
			echo "$b SO_SNDBUF=$s"
		done
	done >order
	eq "rows" "$(awk '{ print $1, $2 }' table)" "$(cat order)"
	# The bar is the last word, where there is room for one.
	bars=$(grep -c ' bar$' out)
	eq "words of a row" "$(awk -v b="$bars" '{ print NF - b }' table |
		sort -u)" \
		"$(awk '/ spread +gr\. / { print NF - ($NF == "bar") }' out)"
	eq "sorted" "$(sort -k3n table | awk '{ print $3 }')" \
		"$(awk '{ print $3 }' table | sort -n)"
	eq "above 78 columns" "$(awk 'length > 78' out)" ""
	awk '/^  medians / { print NF }' out | sort | uniq -c |
		awk '{ print $1, $2 }' >medians
	eq "medians" "$(cat medians)" "12 8"
	no_match "cliffs with -f" "$out" '^cliffs'
	nothing_left
}

# order OPTION...: of the settings as they take their turns.
order() {
	run 20 "$SINK" -s -j -f -n 3 -d 0.01 -b 1K,2K,4K,8K,16K "$@"
	status 0
	json out -e turn setting >turns
	eq "turns of each" "$(sort turns | uniq -c | awk '{ print $1 }' |
		sort -u)" 3
	# Each round has each of them once.
	awk '{ seen[int((NR - 1) / 5) " " $0]++ } END { for (s in seen) n++
		print n }' turns >rounds
	eq "in rounds" "$(cat rounds)" 15
}

the_order_is_the_seeds() {
	own_place
	order
	cp turns first
	order -o 1
	eq "order of seed 1" "$(cat turns)" "$(cat first)"
	order -o 7
	not_ok "order of another seed" cmp -s turns first
	match "seed" "$(json out -e sweep seed)" '^7$'
}

lines_and_events() {
	own_place
	run 30 "$SINK" -s -v -f -n 2 -d 0.1 -- -b 1K,64K
	status 0
	eq "turns" "$(grep -c '^setting -b [0-9]*K$' out)" 4
	eq "ends" "$(count_ends out)" 4
	true_that "rates" "$(count_rates out) >= 8"
	eq "rows" "$(rows out | wc -l | tr -d ' ')" 2
	# 64 bytes a call are always much slower than 4K.
	run 30 "$SINK" -s -j -n 2 -d 0.05 -- -b 64,4K
	status 0
	json out event >events
	for e in start source turn connect interval end sweep setting cliff; do
		ok "event $e" grep -qx "$e" events
	done
	eq "settings asked for" "$(json out -e sweep settings)" 2
	eq "in order" "$(json out -e setting setting | sed 2q | tr '\n' ' ')" \
		'{"-b":"64"} {"-b":"4K"} '
	added=$(json out -e setting added | grep -c true)
	true_that "settings added for cliffs: $added" \
		"$added >= 1 && $added <= 24"
	eq "connections" "$(grep -cx end events)" $((4 + 2 * added))
	eq "turns" "$(grep -cx turn events)" $((4 + 2 * added))
	eq "each setting has its connections" \
		"$(json out -e setting connections | sort -u)" 2
}

# swept NAMES OPTION...: a sweep of the sink against a source started by hand.
swept() {
	want=$1
	shift
	sink -n 1 -d 0.05 -f "$@"
	status 0
	eq "settings of $*" "$(rows out | awk '{ print $1 }' | tr '\n' ' ')" \
		"$want "
	no_match "values of $*" "$out" 'n/a.*n/a.*n/a.*n/a'
}

sweeps_of_the_sink() {
	start_source
	swept "SO_RCVBUF=32K SO_RCVBUF=64K" -t "SO_RCVBUF={32K,64K}"
	match "header" "$(head -n 1 out)" 'options=\[SO_RCVBUF=\{32K,64K\}\]'
	swept "(none) SO_RCVBUF=64K" -e "{,SO_RCVBUF=64K}"
	swept "1K 2K 4K" -b 1K..4K
	match "header" "$(head -n 1 out)" ' block=1K\.\.4K '
	swept "0 0.001" -D 0,0.001
	[ -n "$PORTABLE" ] || {
		swept "no yes" -zz
		[ ! -d /sys/devices/system/cpu/cpu1 ] || swept "0 1" -C 0,1
	}
	ok "the source is there" alive "$SRC"
}

rounds_of_a_sweep() {
	own_place
	run 10 "$SINK" -s -f -n 2 -P 3 -d 0.05 -b 1K,64K
	status 0
	match "size" "$out" '^2 settings, 2 rounds of 0\.05 s each \(4\)'
	match "unit" "$out" 'one median per round, of the sum of its 3'
	cp out old
	sed '/medians/d' old >table
	run 5 "$SINK" -r table
	match "the size is read" "$out" '^2 settings, 2 connections each \(4\)$'
	nothing_left
}

interrupted_sweep_gives_what_there_is() {
	own_place
	start sink "$SINK" -s -n 50 -d 0.1 -b 1K,2K
	wait_for 10 grep -q '^source=' sink.out || fail "no start"
	sleep 0.5
	kill -INT "$PID"
	ended 10 "$PID"
	eq "status" "$st" 0
	eq "complaints, progress" "$(cat sink.err)" ""
	match "size" "$(tr '\n' ' ' <sink.out)" \
		'seed 1, interrupted: [0-9]+ of 100 gave a rate'
	eq "rows" "$(rows sink.out | awk '{ print $1 }' | tr '\n' ' ')" "1K 2K "
	ok "a median" lines_of sink.out '^  medians -b [12]K: [0-9]' 1
	# The second ends it by the signal, wherever the first has got it to.
	start sink "$SINK" -s -n 50 -d 5 -b 1K,2K
	wait_for 10 grep -q '^source=' sink.out || fail "no start"
	kill -INT "$PID"
	sleep 0.05
	kill -INT "$PID"
	ended 10 "$PID"
	true_that "status $st" "$st == 130 || $st == 0"
	nothing_left
}

progress_on_a_terminal() {
	need script
	script -qec "'$SINK' -s -n 2 -d 0.2 -f -b 1K,2K >/dev/null" typescript \
		>/dev/null </dev/null || fail "it failed: $(cat typescript)"
	# The last two fifths or so of each connection have something to say.
	match "progress" "$(tr '\r' '\n' <typescript)" \
		'^[1-4] of 4, [0-9]+ s left'
}

expectations_of_settings() {
	own_place
	run 10 "$SINK" -s -f -n 1 -d 0.05 -b 1K,2K -E median=0..
	status 0
	eq "tests" "$(grep -c '^expect -b [12]K: median=0\.\.: ' out)" 2
	run 10 "$SINK" -s -f -n 1 -d 0.05 -b 1K,2K -E median=100000000..
	status 3
	run 10 "$SINK" -s -f -n 1 -d 0.05 -b 1K,2K -E groups=1
	status 125
}

# One of a few tries: others may take the CPUs that its mechanism leaves idle.
names_the_mechanism() {
	run 30 "$SINK" -s -R -n 2 -d 0.3 -i 0.3 -- -b 64K \
		-t "SO_SNDBUF={32K,256K}"
	status 0
	sed -n '/^---- known mechanisms/,/^---- during/p' out >mechanisms
	sed -n '/^setting -t SO_SNDBUF=32K:/,/^setting.*256K/p' mechanisms |
		grep -q 'send buffer below two segments'
}

# The mechanisms, per setting, of those that were added too.
report_of_a_sweep() {
	own_place
	named=
	for try in 1 2 3 4; do
		names_the_mechanism && named=yes && break
		[ -z "$PORTABLE" ] || break
	done
	match "end" "$out" '^==== end ='
	eq "above 78 columns" "$(awk 'length > 78' out)" ""
	eq "rows" "$(rows out | wc -l | tr -d ' ')" 2
	match "cliffs" "$out" '^cliffs: '
	eq "connections of the report" "$(count_ends out)" 0
	[ -z "$PORTABLE" ] || skip "built without Linux parts: no mechanisms"
	nothing_left
	grep -q '^65536$' /sys/class/net/lo/mtu 2>/dev/null ||
		skip "lo has another MTU than 65536"
	# The report says whether it was measured in peace.
	if [ -z "$named" ]; then
		tr -s ' \n' '  ' <out | grep -q 'others were running' ||
			fail "32K: no mechanism in $try tries, in peace"
		skip "others were running: the mechanism is not seen"
	fi
	sed -n '/^setting -t SO_SNDBUF=256K:/,/^setting/p' mechanisms >of_256k
	no_match "mechanism of 256K" "$(cat of_256k)" 'below two segments'
}

# ---- cliffs

# The edge is where the buffer that the kernel makes of it passes one segment.
# On a busy machine a connection may fail to show it: twice is enough.
cliff_of_the_send_buffer() {
	need_linux_parts "its options name no congestion control"
	grep -q '^65536$' /sys/class/net/lo/mtu 2>/dev/null ||
		skip "lo has another MTU than 65536"
	congestion reno
	[ -n "$CC" ] || skip "no reno here"
	checked
	for try in 1 2 3; do
		run 30 "$SINK" -s -j -n 2 -d 0.15 -i 0.15 -t "$CC" -- -b 64K \
			-t "SO_SNDBUF={32K,64K} $CC"
		status 0
		found=$(json out -e cliff name result low high)
		true_that "settings added" "$(json out -e cliff tried |
			awk '{ print gsub(/number/, "") }' | sort -n |
			tail -n 1) <= 6"
		echo "$found" | awk '$1 == "SO_SNDBUF" && $2 == "edge" &&
			$3 == 32768 && $4 >= 33792 && $4 <= 36864 { f = 1 }
			END { exit !f }' || continue
		# The row above is its neighbour, whatever was added between.
		eq "marks" "$(json out -e setting differs | sed 2q |
			tr '\n' ' ')" "null true "
		return
	done
	fail "no edge at 32768 to 36864 in $try tries: $found"
}

cliff_of_the_receive_buffer() {
	run 40 "$SINK" -s -j -n 2 -d 0.1 -i 0.1 -t "SO_RCVBUF={4K,128K}"
	status 0
	[ -z "$PORTABLE" ] || skip "built without Linux parts"
	slow=$(json out -e setting median_MB_per_s | sed -n 1p)
	fast=$(json out -e setting median_MB_per_s | sed -n 2p)
	true_that "128K against 4K" "$fast > 10 * $slow"
	json out -e cliff name low high | awk '$1 != "SO_RCVBUF" ||
		$2 < 4096 || $3 > 131072 || $2 >= $3 { bad = 1 }
		END { exit bad || NR == 0 }' ||
		fail "cliffs: $(json out -e cliff name low high)"
	added=$(json out -e setting added | grep -c true)
	true_that "settings added: $added" "$added <= 24"
}

# ---- saved sweeps

# What is in the table: the settings, medians, lowest and highest.
figures() {
	rows "$1" | awk '{ print $1, $2, $3, $4, $5 }'
}

saved_sweeps() {
	own_place
	run 20 "$SINK" -s -n 6 -d 0.03 -i 0.03 -f -- -b 1K,64K -t "{,SO_SNDBUF=1M}"
	status 0
	cp out old
	run 5 "$SINK" -r old
	status 0
	eq "the table again" "$(figures out)" "$(figures old)"
	# Also where the table alone was kept.
	sed '/medians/d' old >table
	run 5 "$SINK" -r table
	status 0
	eq "the table alone" "$(figures out)" "$(figures old)"
	run 5 "$SINK" -R -r old
	status 0
	match "end of a report" "$out" '^==== end ='
	# One setting three times as fast, the others as they were.  Others on
	# this machine may have made it of any spread: steady before and after.
	for times in 1 3; do
		awk -v times="$times" '/^  medians -b 64K -t \(none\):/ {
				for (i = 6; i <= NF; i++)
					$i = times * (1000 + i)
			}
			{ print }' old >"steady$times"
	done
	run 5 "$SINK" -r steady1 -r steady3
	status 0
	match "faster" "$out" '^  -b 64K -t \(none\) .* (3|3\.00.?|2\.99.?) .* faster$'
	eq "the others" "$(grep -c '^  -b .* 1\.000 .* none seen' out)" 3
	run 5 "$SINK" -r steady1 -r steady3 -E gain=50..
	true_that "status $st" "$st != 0"
	run 20 "$SINK" -r old -s -n 6 -d 0.03 -i 0.03 -f -- -b 1K,64K
	status 0
	match "other settings" "$out" '^  only in the old sweep: '
	run 20 "$SINK" -r old -s -n 6 -d 0.03 -i 0.03 -f -- -b 1K,64K \
		-t "{,SO_SNDBUF=1M}"
	status 0
	match "all in both" "$out" '^4 settings in both: '
	# A plain run is none.
	run 5 "$SINK" -s -n 2 -d 0.03 -i 0.03
	cp out plain
	for pair in "-r old -r plain" "-r plain -r old" "-r old -s -n 2" \
		    "-r plain -s -b 1K,2K"; do
		# shellcheck disable=SC2086
		run 5 "$SINK" $pair
		status 1
		eq "what $pair prints" "$out" ""
		match "complaint" "$err" 'a sweep and no sweep cannot be compared'
	done
	nothing_left
}

# ---- transports

has_tcp6() {
	run 10 "$SINK" -s -d 0.05 -x tcp6
	[ "$st" -eq 0 ]
}

transports() {
	own_place
	all=pipe,unix,tcp,tcp6,file,mmap,copy
	has_tcp6 || all=pipe,unix,tcp,file,mmap,copy
	run 30 "$SINK" -s -n 2 -d 0.05 -i 0.05 -x "$all" -- -b 64K
	status 0
	columns=$(echo "$all" | tr ',' '\n' | wc -l)
	match "size" "$out" "^$columns transports, 64K blocks, 2 connections of 0\\.05 s"
	eq "medians" "$(awk '/^  median / { print NF - 2 }' out)" "$columns"
	awk -v tcp=3 '/^  median / { for (i = 2; i <= NF; i++) m[i] = $i }
		/^  TCP\/this / {
			for (i = 2; i <= NF; i++) {
				want = m[1 + tcp] / m[i]
				if ($i < want * .9 - .006 || $i > want * 1.1 + .006)
					print i, $i, want
			}
		}' out >wrong
	eq "shares that are wrong" "$(cat wrong)" ""
	match "shares" "$out" '^  TCP/this '
	eq "above 78 columns" "$(awk 'length > 78' out)" ""
	run 30 "$SINK" -s -j -n 1 -d 0.05 -x "$all" -- -b 64K
	status 0
	eq "events" "$(json out -e transport transport | tr '\n' ,)" "$all,"
	nothing_left
	[ "$all" != "${all%tcp6*}" ] || skip "no tcp6 here; the others work"
}

# ---- many settings

# How many descriptors and children a sink has while it runs.
watch_it() {
	while alive "$1"; do
		echo "$(descriptors "$1") $(children_of "$1" | wc -l)"
		sleep 0.2
	done >seen
}

many_settings_leak_nothing() {
	need_proc
	own_place
	many=${SWEEP_SETTINGS:-200}
	# One source, and half as many settings, since each takes as long.
	start sink "$SINK" -s -n 1 -d 0.01 -f -b \
		"$(seq -s , 1000 $((999 + many / 2)))"
	watch_it "$PID"
	ended 60 "$PID"
	eq "status" "$st" 0
	eq "rows" "$(rows sink.out | wc -l | tr -d ' ')" $((many / 2))
	# A source, a worker, a watcher; a few descriptors for each.
	sort -n seen | awk '{ d = $1; if ($2 > c) c = $2 }
		END { exit !(NR > 0 && d <= 40 && c <= 6) }' ||
		fail "descriptors and children: $(tr '\n' , <seen)"
	nothing_left
	start sink "$SINK" -s -n 1 -d 0.01 -f -- -b \
		"$(seq -s , 1000 $((999 + many)))"
	watch_it "$PID"
	ended 60 "$PID"
	eq "status with as many sources" "$st" 0
	eq "rows" "$(rows sink.out | wc -l | tr -d ' ')" "$many"
	awk -v n="$many" '$1 > n + 40 || $2 > n + 6 { exit 1 }' seen ||
		fail "descriptors and children: $(tr '\n' , <seen)"
	nothing_left
}

# What the kernel refuses of one setting is no end of the others.
refused_setting_is_left_out() {
	need_linux_parts "TCP_CONGESTION"
	run 20 "$SINK" -s -n 2 -d 0.1 -t "TCP_CONGESTION={reno,nosuch}"
	status 1
	match "complaint" "$err" \
		'^sock_sink: setting -t TCP_CONGESTION=nosuch is left out: setsockopt .*: not found'
	eq "rows" "$(grep -Ec '^  TCP_CONGESTION=(reno +[0-9.]+|nosuch +n/a) ' "$T/out")" 2
}

# Its program is gone when a cliff is looked for: what there was is said.
cliff_without_a_source() {
	mkdir here
	cp "$SINK" "$SOURCE" here/
	run 20 sh -c '(sleep 1.2; rm here/sock_source) &
		PATH=/nowhere exec here/sock_sink -s -n 4 -d 0.2 -i 0.2 -- \
		-b 64K -t "SO_SNDBUF={4K,1M}"'
	case $st in
	0|1) ;;
	*) fail "status $st: $err" ;;
	esac
	eq "rows" "$(grep -c '^  SO_SNDBUF=' "$T/out")" 2
}

# A connection that ends badly is told, though a sweep has no lines of them.
bad_end_is_told() {
	run 20 "$SINK" -s -n 1 -d 0.5 -t "SO_RCVTIMEO={0.05,5}" -- -D 0.2
	status 1
	match "complaint" "$err" \
		'^sock_sink: connection [12] of setting -t SO_RCVTIMEO=0.05: SO_RCVTIMEO expired'
}

# Cliffs of texts that differ in more than the number are told apart.
cliffs_name_the_rest_of_the_text() {
	need_linux_parts "the send buffer's edge"
	run 40 "$SINK" -s -n 3 -d 0.1 -i 0.1 -j -- -b 64K \
		-t "{SO_PRIORITY=1,SO_PRIORITY=2} SO_SNDBUF={4K,1M}"
	status 0
	eq "what they are of" "$(json "$T/out" -e cliff setting | sort -u | tr '\n' ' ')" \
		"-t SO_PRIORITY=1,SO_SNDBUF=* -t SO_PRIORITY=2,SO_SNDBUF=* "
}

it own_source_is_a_process
it own_source_ends_with_the_sink "TERM twice"
it own_source_ends_with_a_killed_sink
it interrupted_before_a_connection
it refusals_leave_nothing
it which_source_it_takes
it all_works_with_our_own
it report_of_a_run
it a_table
it the_order_is_the_seeds
it lines_and_events
it sweeps_of_the_sink
it rounds_of_a_sweep
it interrupted_sweep_gives_what_there_is
it progress_on_a_terminal
it expectations_of_settings
it report_of_a_sweep
it cliff_of_the_send_buffer
it cliff_of_the_receive_buffer
it saved_sweeps
it transports
it many_settings_leak_nothing
it refused_setting_is_left_out
it cliff_without_a_source
it bad_end_is_told
it cliffs_name_the_rest_of_the_text
finish
