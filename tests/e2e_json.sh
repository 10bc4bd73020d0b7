#!/bin/sh
# JSON Lines: each line one object, "event" first, every documented field
# with its unit in its name, numbers that survive a round trip, the same
# events at both ends, errors as events too.
# limit: 60
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# events FILE: the kinds of events, in order, repeats once.
events() {
	json "$1" event | uniq | tr '\n' ' '
}

# has_fields FILE EVENT FIELD...: each is there, in every such event.
has_fields() {
	f=$1
	e=$2
	shift 2
	for field; do
		missing=$(json "$f" -e "$e" "$field" | grep -xc -e '-')
		eq "events \"$e\" without $field" "$missing" 0
	done
}

sink_events() {
	start_source
	sink -j -d 0.9 -i 0.2 -n 2 -t TCP_NODELAY -e SO_RCVBUF=65536
	status 0
	eq "complaints" "$err" ""
	eq "events" "$(events "$T/out")" \
		"start connect interval end connect interval end summary "
	has_fields "$T/out" start program version host port options_late \
		options_early block_bytes interval_s duration_s \
		connections_asked
	has_fields "$T/out" connect connection t_s local peer tries options
	has_fields "$T/out" interval connection interval t_s length_s bytes \
		calls bytes_per_call rate_MB_per_s kind
	has_fields "$T/out" end connection t_s length_s bytes rate_MB_per_s \
		reason errno exact
	eq "start" "$(json "$T/out" -e start program host port options_late \
		options_early block_bytes interval_s duration_s \
		connections_asked)" \
"sock_sink	127.0.0.1	$PORT	TCP_NODELAY	SO_RCVBUF=65536	\
65536	0.2	0.9	2"
	eq "peers" "$(json "$T/out" -e connect connection peer tries |
		tr '\n' ';')" "1	127.0.0.1:$PORT	1;2	127.0.0.1:$PORT	1;"
	match "options" "$(json "$T/out" -e connect options)" \
'"name": ?"SO_RCVBUF", ?"asked": ?65536, ?"when": ?"early", ?"fresh": ?[0-9]+'
	match "options" "$(json "$T/out" -e connect options)" \
'"name": ?"TCP_NODELAY", ?"asked": ?1, ?"when": ?"late", ?"fresh": ?0, ?"granted": ?1'
	eq "reasons" "$(json "$T/out" -e end connection reason errno exact |
		tr '\n' ';')" "1	done	null	true;2	done	null	true;"
}

source_events() {
	start_source -j -i 0.2 -b 1000 -t TCP_NODELAY -n 1
	sink -d 0.9
	status 0
	ended 5 "$SRC"
	eq "status" "$st" 0
	eq "events" "$(events "$SRC_OUT" | sed "s/ listen//")" "start connect interval end "
	has_fields "$SRC_OUT" start program version host port options_late \
		options_early block_bytes interval_s
	has_fields "$SRC_OUT" connect connection t_s local peer options
	has_fields "$SRC_OUT" interval connection interval t_s length_s \
		bytes calls bytes_per_call rate_MB_per_s kind
	eq "end" "$(json "$SRC_OUT" -e end connection reason)" \
		"1	closed"
	eq "program" "$(json "$SRC_OUT" -e start program port block_bytes)" \
		"sock_source	$PORT	1000"
}

# Whole and partial; numbered; rate is bytes by length, to the last digit.
intervals_are_consistent() {
	gentle_source
	sink -j -d 0.9 -i 0.2
	status 0
	json "$T/out" -e interval kind interval t_s length_s bytes calls \
		bytes_per_call rate_MB_per_s >intervals
	match "kinds" "$(cut -f 1 intervals | uniq | tr '\n' ' ')" \
		'^whole (late )?(whole )?partial $'
	eq "numbers" "$(cut -f 2 intervals | tr '\n' ' ')" \
		"$(awk '{ printf "%d ", NR }' intervals)"
	eq "faults" "$(awk -F '\t' '
		function near(a, b) {
			return a - b <= 1e-9 * b + 1e-12 &&
				b - a <= 1e-9 * b + 1e-12
		}
		!near($8, $5 / $4 / 1e6) { print "rate " $0 }
		$6 > 0 && !near($7, $5 / $6) { print "bytes per call " $0 }
		$3 <= t { print "time " $0 }
		{ t = $3; sum += $4 }' intervals)" ""
	read -r length rate bytes <<-EOT
	$(json "$T/out" -e end length_s rate_MB_per_s bytes)
	EOT
	true_that "lengths add up" "$(awk -F '\t' '{ s += $4 }
		END { printf "%.12f", s }' intervals) - $length < 1e-6"
	true_that "rate of the end" "$rate - $bytes / $length / 1e6 < 1e-6 &&
		$rate - $bytes / $length / 1e6 > -1e-6"
}

errors_are_events_too() {
	port=$(free_port)
	run 10 "$SINK" -j -p "$port"
	status 1
	eq "events" "$(events "$T/out")" "start error "
	eq "error" "$(json "$T/out" -e error step errno)" \
		"connect	ECONNREFUSED"
	match "object" "$(json "$T/out" -e error object)" "localhost port $port"
	has_fields "$T/out" error text
	match "complaint" "$err" '^sock_sink: connect localhost'
	start_source
	sink -j -c -d 5
	status 1
	eq "reason" "$(json "$T/out" -e end reason)" "mismatch"
	run 5 "$SOURCE" -j -p "$PORT"
	status 1
	eq "error" "$(json "$T/out" -e error step errno)" "bind	EADDRINUSE"
}

# Whatever the string holds, the line is JSON.
odd_strings_are_escaped() {
	start_source
	string=$(printf 'TCP_NODELAY\t\n,SO_KEEPALIVE\n.')
	sink -j -d 0.2 -t "${string%.}"
	status 0
	eq "one start" "$(json "$T/out" -e start port)" "$PORT"
	sink -j -d 0.2 -t 'SO_BINDTODEVICE="a\"b'
	ok "whatever comes out is JSON" json_or_nothing "$T/out"
	mkdir 'a"b\c'
	start_source -j -H './a"b\c/s'
	eq "path" "$(json "$SRC_OUT" -e start host)" './a"b\c/s'
	run 10 "$SINK" -j -H './a"b\c/s' -d 0.2
	status 0
	eq "path" "$(json "$T/out" -e start host)" './a"b\c/s'
}

json_or_nothing() {
	[ ! -s "$1" ] || json "$1" event >/dev/null
}

stalls_and_interrupts() {
	start_source -D 20 -b 1000
	run 10 "$BUILD/help_signals" -g -o end INT@0.9 "$SINK" -j \
		-H 127.0.0.1 -p "$PORT" -i 0.2
	eq "end" "$(cut -d ' ' -f 1-2 end)" "exit 0"
	eq "reason" "$(json "$T/out" -e end reason exact)" "interrupted	true"
	eq "bytes in all" "$(json "$T/out" -e end bytes)" 1000
	n=$(json "$T/out" -e interval rate_MB_per_s kind |
		grep -c '^0	whole')
	true_that "whole intervals of 0: $n" "$n >= 2 && $n <= 4"
	eq "bytes per call where there is none" "$(json "$T/out" -e interval \
		calls bytes_per_call | awk '$1 == 0 && $2 != "null"' |
		wc -l)" 0
}

# Piped, the events arrive one by one.
events_arrive_at_once() {
	start_source
	{
		"$SINK" -j -H 127.0.0.1 -p "$PORT" -i 0.2 -d 9
	} | {
		read -r a
		read -r b
		read -r c
		printf '%s\n%s\n%s\n' "$a" "$b" "$c" >three
	}
	eq "events" "$(events three)" "start connect interval "
}

for t in sink_events source_events intervals_are_consistent \
	errors_are_events_too odd_strings_are_escaped stalls_and_interrupts \
	events_arrive_at_once; do
	it $t
done
finish
