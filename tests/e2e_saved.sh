#!/bin/sh
# -r on texts: the mail of 1998, the reported cases 3, 4, 6 and 7, and what is
# no measurement.
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# gen V...: a connection of these rates.
gen() {
	echo "host=localhost port=7001 options=[]"
	for v; do
		echo "$v MB/sec"
	done
}

# seeded SEED PROGRAM: rates made by awk, one connection.
seeded() {
	# shellcheck disable=SC2046
	gen $(awk -v seed="$1" "BEGIN { srand(seed); $2 }")
}

saved() {
	run 20 "$SINK" "$@"
}

the_mail() {
	saved -r "$HERE/fixtures/mail-1998.txt"
	status 0
	match "both" "$out" 'each interval probably stands twice'
	match "counts" "$out" '^3 connections, 36 intervals'
	match "median" "$out" '^  median +0\.8009 MB/sec'
	match "range" "$out" '^  range +0\.6825 to 20\.97 MB/sec, 30\.7 times'
	match "variance" "$out" 'no difference between'
	match "groups" "$out" '^  groups +none seen'
	eq "changes" "$(printf '%s\n' "$out" | grep -Eo 'connection [23] after [246] intervals: [0-9.]+ to [0-9.]+' |
		tr '\n' ';')" "connection 2 after 4 intervals: 20.93 to 1.138;\
connection 2 after 6 intervals: 1.138 to 0.7406;\
connection 3 after 2 intervals: 5.677 to 3.746;\
connection 3 after 4 intervals: 3.746 to 0.7299;"
	match "outlier" "$out" '^  outliers +connection 1, interval 13: 0\.9343'
	match "medians" "$out" '^ +1 +0\.7403 '
	match "medians" "$out" '^ +2 +0\.8009 '
	match "medians" "$out" '^ +3 +2\.242 '
	saved -i 2 -r "$HERE/fixtures/mail-1998.txt"
	match "with -i" "$out" 'connection 2 after [48] s: 20\.93 to 1\.138'
}

case3_between_or_within() {
	{ gen 9 10 11; gen 54 55 56; gen 99 100 101; } >f1
	{ gen 10 100 10 100 10 100; gen 10 100 10 100 10 100; } >f2
	saved -r f1
	match "between" "$out" '^  variance +(9[0-9]|>99)% between'
	saved -r f2
	no_match "within" "$out" 'mostly between|nan|inf|-[0-9]'
	saved -j -r f2
	match "share" "$out" '"between_share":0[,}]'
}

case4_flips_steps_and_noise() {
	seeded 1 'for (i = 0; i < 40; i++) print (i % 2 ? 25 : 13) * (1 + (rand() - .5) / 50)' >a
	seeded 2 'for (i = 0; i < 40; i++) print (i < 20 ? 13 : 25) * (1 + (rand() - .5) / 50)' >b
	saved -r a
	match "alternating" "$out" '^  changes +none seen'
	saved -r b
	eq "one step" "$(printf '%s\n' "$out" | grep -c ' after 20 intervals: 1[23]\.[0-9]* to 2[45]')" 1
	eq "changes" "$(printf '%s\n' "$out" | grep -c ' after [0-9]* intervals: ')" 1
	alarms=0
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		seeded "$seed" 'for (i = 0; i < 40; i++) print 100 * (.9 + rand() / 5)' >c
		saved -r c
		case $out in
		*"after "*" intervals: "*) alarms=$((alarms + 1)) ;;
		esac
	done
	true_that "$alarms alarms in 20" "$alarms <= 2"
}

case6_one_connection_proves_nothing() {
	for f in "6913.74 379.67 x" "4678.96 135.61 y"; do
		# shellcheck disable=SC2086
		set -- $f
		# shellcheck disable=SC2046
		gen $(awk -v m="$1" -v s="$2" 'BEGIN {
			d = s * sqrt(29 / 30)
			for (i = 0; i < 30; i++)
				printf "%.6f\n", i % 2 ? m + d : m - d }') >"$3"
	done
	saved -r x -r y
	status 0
	match "medians" "$out" '^  median MB/sec +6914 +4679'
	match "ratio" "$out" '^  ratio +0\.677'
	match "verdict" "$out" '^verdict: cannot tell'
	saved -r x -r x
	match "with itself" "$out" 'same|no difference'
	no_match "with itself" "$out" 'verdict: (faster|slower)'
}

case7_only_rates_count() {
	{
		printf '> host=localhost port=7001 options=[]\r\n'
		printf '> 10.5 MB/sec\r\n>> 11.5 MB/sec   \n'
		printf 'we saw 20 MB/sec here\n850 KB/sec\n20,9057 MB/sec\n'
		printf -- '-3 MB/sec\n1e+03 MB/sec\n'
		printf '7 MB/sec\000\n'
		head -c 1000000 /dev/zero | tr '\000' x
		printf '\n9 MB/sec\nnan MB/sec\ninf MB/sec\n0x10 MB/sec\n'
	} >text
	saved -j -r text
	status 0
	match "intervals" "$out" '"intervals":4,'
	match "range" "$out" '"min_MB_per_s":9,"max_MB_per_s":1000,'
	saved -r text
	match "passed over" "$out" 'passed over'
}

no_measurement_is_an_error() {
	: >empty
	echo "nothing here" >prose
	for f in empty prose /dev/null missing .; do
		saved -r "$f"
		status 1
		eq "output" "$out" ""
		eq "complaints about $f" "$(printf '%s\n' "$err" | grep -c '^sock_sink: ')" 1
	done
	saved -r prose -r prose -r prose
	status 2
	saved -r prose -r prose -n 3
	status 2
}

a_million_lines() {
	awk 'BEGIN { print "host=localhost port=7001 options=[]"
		for (i = 0; i < 1000000; i++) print 100 + i % 7 " MB/sec" }' >big
	run 20 "$SINK" -r big
	status 0
	match "intervals" "$out" '^1 connection, 1000000 intervals'
}

for t in the_mail case3_between_or_within case4_flips_steps_and_noise \
	case6_one_connection_proves_nothing case7_only_rates_count \
	no_measurement_is_an_error a_million_lines; do
	it $t
done
finish
