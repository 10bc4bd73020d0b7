#!/bin/sh
# The command line: strict numbers, missing and stray arguments, and
# combinations that make no sense are exit 2, option and value named, at
# once and with nothing started; what is given is what is used.
# limit: 60
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# bad PROGRAM WHAT_IS_NAMED ARGUMENT...: exit 2, at once, one complaint
# that names the thing, nothing on stdout.
bad() {
	program=$1
	named=$2
	shift 2
	run 5 "$program" "$@"
	what="${program##*/} $*"
	checked
	[ "$st" -eq 2 ] ||
		fail "$what: status $st, not 2; \"$out\" \"$err\""
	match "complaint of $what" "$err" "^${program##*/}: .*$named"
	eq "output of $what" "$out" ""
	true_that "$what is at once (took $took)" "$took < 100"
}

# bad_value OPTION VALUE...: each refused by both programs.
bad_value() {
	o=$1
	shift
	for v; do
		bad "$SOURCE" "$(quoted "$o")" "$o" "$v"
		match "complaint" "$err" "\"$(quoted "$v")\""
		bad "$SINK" "$(quoted "$o")" "$o" "$v"
		match "complaint" "$err" "\"$(quoted "$v")\""
	done
}

# A text as a regular expression that matches it.
quoted() {
	printf '%s' "$1" | sed 's/[][^$.*+?(){}|\\]/\\&/g'
}

bad_sizes() {
	bad_value -b 0 -1 18446744073709552640 99999999999999999999 1x '' \
		' ' 1.5.2 nan 1KB K -1K 1e3000 '1 2' 17179869184G
}

bad_counts() {
	bad_value -n 3.7 -1 '' x 3x 99999999999999999999999
	bad "$SOURCE" -m -m 0
	bad "$SOURCE" -m -m -1
	bad "$SOURCE" -m -m 1.5
	bad "$SOURCE" -m -m ''
}

bad_ports() {
	bad_value -p 65536 -1 7001x '' 70.01 4294974297 x
	bad "$SINK" -p -p 0
}

bad_times() {
	bad_value -i 0 -1 nan inf -inf infinity '' 1s 1e999 0x1 1,5 -0
	bad_value -d 0 -1 nan inf '' x
	bad_value -D -1 nan inf '' x
	bad "$SINK" -g -g -1
	bad "$SINK" -g -g nan
	bad "$SINK" -g -g ''
}

bad_cpus() {
	need_linux_parts "-C"
	bad_value -C -1 x '' 1.5 99999999999
}

stray_and_missing_arguments() {
	for p in "$SOURCE" "$SINK"; do
		bad "$p" stray stray
		bad "$p" stray -d 1 stray
		bad "$p" 7001 7001
		for o in b d e H i n p t; do
			bad "$p" "-?-? ?.*$o" "-$o"
		done
		bad "$p" Q -Q
		bad "$p" "" --help
	done
	bad "$SOURCE" m -m
	bad "$SINK" g -g
	bad "$SOURCE" g -g 1
	bad "$SINK" m -m 1
	bad "$SINK" S -S
	bad "$SOURCE" z -z
}

# "--" alone ends the options, as everywhere; nothing follows it.
double_dash_alone_is_no_argument() {
	start_source
	sink -d 0.3 --
	status 0
}

bad_addresses() {
	for p in "$SOURCE" "$SINK"; do
		bad "$p" -H -H ''
	done
	run 20 "$SINK" -H no-such-host.invalid
	match "status" "$st" '^[12]$'
	match "complaint" "$err" '^sock_sink: .*no-such-host\.invalid'
	run 20 "$SOURCE" -H no-such-host.invalid
	match "status" "$st" '^[12]$'
	match "complaint" "$err" '^sock_source: .*no-such-host\.invalid'
}

# The table of combinations that make no sense, each with its sentence.
senseless_combinations() {
	bad "$SINK" "-H -.*-n|-n.*-H -" -H - -n 2
	bad "$SINK" "-H -.*-n|-n.*-H -" -H - -n 0
	bad "$SINK" "-g" -H - -g 1
	for p in "$SOURCE" "$SINK"; do
		bad "$p" "-e" -H - -e SO_SNDBUF=8192
		bad "$p" "-t" -H - -t TCP_NODELAY
		bad "$p" "-p" -H - -p 7002
		bad "$p" "-p" -H /tmp/none -p 7002
		bad "$p" "-t.*twice" -t SO_SNDBUF=1K -t SO_SNDBUF=2K
		bad "$p" "-e.*twice" -e SO_SNDBUF=1K -e SO_SNDBUF=2K
		bad "$p" "-b" -b 1K -b 2K
	done
	bad "$SINK" "-c.*-z|-z.*-c" -c -z
	bad "$SINK" "-z" -z -H -
	bad "$SOURCE" "-t" -t 'SO_SNDBUF={4K,8K}'
	bad "$SOURCE" "-e" -e 'SO_SNDBUF={4K..64K}'
	bad "$SOURCE" "-b.*only sock_sink" -b 1K,64K
	bad "$SOURCE" "-D.*only sock_sink" -D 0,0.001
	bad "$SOURCE" "-S" -SS
	bad "$SINK" "-s.*-H" -s -H localhost
	bad "$SINK" "-s.*-p" -s -p 7001
	bad "$SINK" "-x.*-s" -x tcp
	bad "$SINK" "-x.*udp" -s -x udp
	bad "$SINK" "-x pipe" -s -x pipe -t TCP_NODELAY
	bad "$SINK" "-x.*connection" -s -x copy -c
	bad "$SINK" "-o.*-1" -o -1
}

# In the order given: the first fault is the one that is named.
nothing_is_started_on_a_usage_error() {
	port=$(free_port)
	start_source -p "$port"
	for a in "-b 0" "-t SO_RCVBUF" "-i nan" "stray"; do
		# shellcheck disable=SC2086
		run 5 "$SINK" -p "$port" $a
		status 2
	done
	sleep 0.2
	eq "connections" "$(grep -c '^accepted' "$SRC_OUT")" 0
	stop_source
	run 5 "$SOURCE" -p "$port" -H 127.0.0.1 -b 0
	status 2
	run 5 "$SOURCE" -H ./sock -i nan
	status 2
	not_ok "a socket was made" test -e sock
}

help_and_version() {
	for p in "$SOURCE" "$SINK"; do
		name=${p##*/}
		run 5 "$p" -h
		status 0
		match "usage" "$out" "^usage: $name "
		eq "complaints" "$err" ""
		eq "lines over 78 columns" "$(grep -Ec '^.{79}' "$T/out")" 0
		run 5 "$p" -V
		status 0
		eq "complaints" "$err" ""
		eq "lines" "$(wc -l <"$T/out")" 1
		match "version" "$out" '[0-9]+\.[0-9]+'
		run 5 "$p" -Q
		status 2
		match "complaint" "$err" "$name: .*Q"
	done
}

# 4294968320 is 2^32 + 1024: it must not run as 1024.
large_sizes_are_not_cut() {
	start_source
	sink -j -b 4294968320 -d 0.3
	if [ "$st" -eq 0 ]; then
		match "start" "$(head -n 1 "$T/out")" \
			'"block_bytes":4294968320[,}]'
	else
		status 1
		match "complaint" "$err" '^sock_sink: .*4294968320.*memory'
	fi
	for p in "$SOURCE" "$SINK"; do
		grep -q __asan_init "$p" && continue
		run 5 "$BUILD/help_limit" -v 500000000 "$p" -p "$PORT" -b 4G
		if [ "$p" = "$SINK" ] || [ "$st" -ne 1 ]; then
			status 1
		fi
		match "complaint" "$err" \
			"^${p##*/}: .*(4G|4294967296).*[Mm]emory"
	done
}

sizes_and_seconds_as_documented() {
	start_source
	for b in 1K=1024 2k=2048 1M=1048576 65536=65536; do
		sink -j -b "${b%=*}" -d 0.2
		status 0
		match "start" "$(head -n 1 "$T/out")" \
			"\"block_bytes\":${b#*=}[,}]"
	done
	sink -d .25 -i .05
	status 0
	match "header" "$(head -n 1 "$T/out")" ' interval=0\.05$'
}

# What is not the default stands in the header, in this order.
header_shows_what_is_not_the_default() {
	start_source
	sink -d 0.6 -b 1024 -i 0.5 -e SO_RCVBUF=65536 -t TCP_NODELAY
	status 0
	eq "header" "$(head -n 1 "$T/out")" "host=127.0.0.1 port=$PORT\
 options=[TCP_NODELAY] early=[SO_RCVBUF=65536] block=1024 interval=0.5"
	start_source -b 1024 -i 0.5 -e SO_SNDBUF=65536
	eq "the source's header" "$(head -n 1 "$SRC_OUT")" \
		"port=$PORT options=[]"
}

for t in bad_sizes bad_counts bad_ports bad_times bad_cpus \
	stray_and_missing_arguments double_dash_alone_is_no_argument \
	bad_addresses senseless_combinations \
	nothing_is_started_on_a_usage_error help_and_version \
	large_sizes_are_not_cut sizes_and_seconds_as_documented \
	header_shows_what_is_not_the_default; do
	it $t
done
finish
