#!/bin/sh
# Variance, measured live against a source whose speeds are known: its rates,
# its level changes and groups are found where they are and nowhere else;
# rounds of connections; warm-up; tests of -E; ^C; the same from saved output.
# limit: 120
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# paced SCHEDULE...: a source of known speed, see help_paced.c.
paced() {
	start paced "$BUILD/help_paced" -o "$T/truth" "$@"
	SRC=$PID
	wait_for 5 grep -q '^port=' paced.out || fail "help_paced: $(cat paced.err)"
	PORT=$(sed -n 's/^port=//p' paced.out)
}

# The lines of one label of a summary, continued ones included.
of_summary() {
	printf '%s\n' "$out" | awk -v label="$1" '
		/^  [a-z]/ { on = $1 == label }
		/^  row per/ { on = 0 }
		on { sub("^  " label, ""); sub(/^ */, ""); print }'
}

rates_are_true() {
	paced 10
	sink -n 3 -d 1.2
	status 0
	median=$(of_summary median | cut -d ' ' -f 1)
	true_that "median $median of 10 MB/sec within 1%" \
		"$median > 9.9 && $median < 10.1"
	# Its own count over its own clock.
	ok "the source's word" wait_for 5 lines_of truth . 3
	truth=$(awk '{ print $2 / $3 / 1e6 }' truth | median)
	read=$(sed -n 's/^connection .*read, \([0-9.]*\) MB.*/\1/p' "$T/out" | median)
	true_that "$read read of $truth sent within 1%" \
		"$read > 0.99 * $truth && $read < 1.01 * $truth"
}

steady_is_steady() {
	paced 8
	sink -n 7 -d 1.2 -i 0.2
	status 0
	match "connections" "$out" '^7 connections of 1\.2 s, [34][0-9] intervals of 0\.2 s'
	eq "groups" "$(of_summary groups)" "none seen"
	eq "changes" "$(of_summary changes | head -n 1)" "none seen"
	eq "stalls" "$(of_summary stalls)" "none"
	match "median" "$(of_summary median)" '^[78](\.[0-9]*)? .*95% interval [678][0-9.]* to [78](\.|$)'
	eq "rows" "$(printf '%s\n' "$out" | grep -c '^ *[0-9]* .*  |')" 7
}

change_is_found_where_it_is() {
	paced 6,24@0.8
	sink -n 3 -d 1.6 -i 0.2
	status 0
	n=$(of_summary changes | grep -Ec \
		'^connection [123] after 0\.(79|8)[0-9]* s: [56][0-9.]* to 2[2-5]')
	true_that "changes found: $n of 3" "$n >= 2"
	n=$(of_summary changes | grep -c ' after ')
	true_that "changes in all: $n" "$n <= 3"
	eq "groups" "$(of_summary groups)" "none seen"
}

groups_are_found_with_their_members() {
	paced 5 20
	sink -n 8 -d 0.6 -i 0.2
	status 0
	match "groups" "$(of_summary groups)" \
		'^2: 4 near (4|5).* \(1 3 5 7\), 4 near (19|2[01]).* \(2 4 6 8\)'
	match "variance" "$(of_summary variance)" 'mostly between'
	eq "changes" "$(of_summary changes | grep -c ' after ')" 0
}

stalls_are_counted() {
	paced 10,0@0.4,10@0.8
	sink -n 3 -d 1.2 -i 0.1
	status 0
	match "stalls" "$(of_summary stalls)" '^([6-9]|1[0-2]) intervals of 0'
}

rounds_start_together() {
	paced 4 12
	sink -n 2 -P 2 -d 0.8 -i 0.2
	status 0
	eq "connections" "$(count_ends "$T/out")" 4
	eq "sums" "$(printf '%s\n' "$out" | grep -c '^\[sum\] ')" 8
	match "rounds" "$out" '^4 connections of 0\.8 s in 2 rounds'
	median=$(of_summary median | cut -d ' ' -f 1)
	true_that "sum of a round: $median" "$median > 15.5 && $median < 16.5"
	match "fairness" "$(of_summary fairness)" "Jain's index 0\\.(79|8)"
	# Each sum is that of the two lines above it.
	eq "wrong sums" "$(awk '
		/^\[sum\]/ { d = $2 / (a + b); if (d < .999 || d > 1.001) n++; next }
		/^\[[0-9]+\] [0-9.]+ MB/ { a = b; b = $2 }
		END { print n + 0 }' "$T/out")" 0
}

warm_up_is_left_out() {
	paced 40,5@0.4
	sink -n 2 -d 1.4 -w 0.6 -i 0.2
	status 0
	match "header" "$out" '^host=.* warmup=0\.6$'
	eq "marked lines" "$(printf '%s\n' "$out" | grep -c '^[0-9.]* MB/sec  warm-up 0\.[67]')" 2
	max=$(of_summary range | sed 's/.* to \([0-9.]*\) .*/\1/')
	true_that "largest interval: $max" "$max < 8"
	eq "changes" "$(of_summary changes | grep -c ' after ')" 0
	# The same from a text that has its warm-up in it.
	cp "$T/out" saved
	run 5 "$SINK" -r saved -E median=4.5..5.5
	status 0
}

interrupted_run_has_its_summary() {
	paced 10
	run 10 "$BUILD/help_signals" INT@1.5 "$SINK" -H 127.0.0.1 -p "$PORT" \
		-n 20 -d 0.6 -i 0.2 -E groups=1
	status 125
	match "end" "$out" '^connection [123]: .*, interrupted$'
	match "summary" "$out" '^[123] of 20 connections'
	match "median" "$(of_summary median)" '^(9|10)'
	run 10 "$BUILD/help_signals" INT@1 "$SINK" -H 127.0.0.1 -p "$PORT" \
		-n 0 -d 0.6 -i 0.2
	status 0
	match "summary" "$out" '^[12] connections? of 0\.6 s'
}

expectations_decide_the_status() {
	paced 10
	sink -n 6 -d 0.6 -i 0.2 -E median=5..20 -E stalls=0 -E groups=1
	status 0
	eq "met" "$(printf '%s\n' "$out" | grep -c '^expect .*, met$')" 3
	sink -n 3 -d 0.3 -E median=500..
	status 3
	match "unmet" "$out" '^expect median=500\.\.: .*, not met$'
	sink -n 2 -d 0.3 -E groups=1
	status 125
	# Unmet goes before undecidable.
	sink -n 2 -d 0.3 -E groups=1 -E median=..1
	status 3
	# One connection has no summary, but tests.
	sink -d 0.4 -i 0.1 -E median=5..20
	status 0
	run 5 "$SINK" -H 127.0.0.1 -p "$("$BUILD/help_freeport")" -n 2 -E median=1..
	status 125
	for bad in median median= "median=a.." nonsense=1 "median=2..1"; do
		run 5 "$SINK" -H 127.0.0.1 -p "$PORT" -n 2 -E "$bad"
		status 2
		match "complaint" "$err" "^sock_sink: -E \"$bad\": "
	done
	run 5 "$SINK" -H 127.0.0.1 -p "$PORT" -n 2 -E loss=..5
	status 2
}

saved_output_gives_the_same_summary() {
	paced 5 20
	sink -n 6 -d 0.6 -i 0.2
	status 0
	printf '%s\n' "$out" >live
	members=$(of_summary groups | grep -o '([0-9 ]*)' | tr '\n' ' ')
	median=$(of_summary median | cut -d ' ' -f 1)
	stalls=$(of_summary stalls)
	for change in 's/^/> /' 's/$/\r/'; do
		sed "$change" live >saved
		run 5 "$SINK" -r saved
		status 0
		eq "groups of $change" \
			"$(of_summary groups | grep -o '([0-9 ]*)' | tr '\n' ' ')" "$members"
		eq "stalls of $change" "$(of_summary stalls)" "$stalls"
		# The lines have six digits.
		again=$(of_summary median | cut -d ' ' -f 1)
		true_that "median $again of $median" \
			"$again > .999 * $median && $again < 1.001 * $median"
	done
	# -v does not disturb it.
	sink -v -n 3 -d 0.5
	printf '%s\n' "$out" >verbose
	run 5 "$SINK" -r verbose
	match "connections" "$out" '^3 connections'
	# Standard input.
	timeout 5 "$SINK" -r - <live >piped 2>&1
	eq "status" $? 0
	match "summary" "$(cat piped)" '^6 connections'
}

saved_and_live_are_compared() {
	paced 10
	sink -n 6 -d 0.6 -i 0.3
	cp "$T/out" old
	kill "$SRC"
	paced 20
	run 30 "$SINK" -r old -H 127.0.0.1 -p "$PORT" -n 6 -d 0.6 -i 0.3 \
		-E gain=50.. -E loss=..5
	status 0
	match "settings" "$out" '^settings: the same in both'
	match "ratio" "$(of_summary ratio)" '^(1\.9|2).* new to old'
	match "verdict" "$out" '^verdict: faster'
	cp "$T/out" new
	run 5 "$SINK" -r old -r old
	match "a run with itself" "$out" '^verdict: no difference seen'
	sink -n 2 -d 0.3 -i 0.1 -b 1000
	cp "$T/out" few
	run 5 "$SINK" -r old -r few -E loss=..5
	status 125
	match "few" "$out" '^verdict: cannot tell'
	match "settings" "$out" '^settings: DIFFERENT'
	match "settings" "$out" '^  block  *unknown|^  block .*1000'
}

progress_only_on_a_terminal() {
	paced 10
	sink -n 2 -d 0.4
	eq "stderr" "$err" ""
	need script
	script -qec "$SINK -H 127.0.0.1 -p $PORT -n 2 -d 0.4 >/dev/null" typescript \
		>shown 2>&1 </dev/null
	match "progress" "$(tr '\r' '\n' <shown)" '^1 of 2, [01] s left'
}

json_has_every_figure() {
	paced 5 20
	sink -n 6 -d 0.4 -j -E median=1..
	status 0
	event=$(printf '%s\n' "$out" | grep '"event":"summary"')
	for field in connections connections_asked intervals median_MB_per_s \
		median_low_MB_per_s median_high_MB_per_s coverage_share \
		min_MB_per_s max_MB_per_s range_ratio between_share \
		between_deviation_share within_deviation_share between_p \
		stalls_intervals jain_index groups changes outliers interrupted; do
		match "summary" "$event" "\"$field\":"
	done
	match "groups" "$event" '"members":\[1,3,5\].*"members":\[2,4,6\]'
	match "expect" "$out" '"event":"expect","test":"median=1\.\.".*"verdict":"met"'
}

for t in rates_are_true steady_is_steady change_is_found_where_it_is \
	groups_are_found_with_their_members stalls_are_counted \
	rounds_start_together warm_up_is_left_out \
	interrupted_run_has_its_summary expectations_decide_the_status \
	saved_output_gives_the_same_summary saved_and_live_are_compared \
	progress_only_on_a_terminal json_has_every_figure; do
	it $t
done
finish
