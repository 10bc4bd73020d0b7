#!/bin/sh
# Known mechanisms on real connections: what is made to be slow in a known way
# is recognised by name, with its numbers, and by the word of its intervals;
# what is healthy is not; and where a connection's speed goes with where its
# ends run, just that is found.
#
# On a busy machine an end may wait for a CPU for longer than for what the
# recipe makes it wait for.  That is a mechanism of its own (cpu-contention),
# and then it is tried again; what must not be said must not be said even so.
# limit: 150
# serial
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

SHARE='(<1|>99|[0-9]+)%'
NUMBER='[0-9]+(\.[0-9]+)?'
ONE_CPU="^Both ends ran on (CPU [0-9]+|the same CPU): $SHARE source \\+ $SHARE sink of one CPU\\.\$"
CONTENDED="^The (source|sink) was ready to run but waited for a CPU $SHARE of the time(, the sink $SHARE)?(; others used $NUMBER CPUs meanwhile)?\\.\$"
MAIL="TCP_NODELAY SO_RCVBUF=8192 SO_SNDBUF=16384 IPTOS_THROUGHPUT"

# ---- what a run said

# rules FILE: the names of its mechanisms, each between blanks.
rules() {
	echo " $(json "$1" -e mechanism name | tr '\n' ' ')"
}

# sentence FILE RULE
sentence() {
	json "$1" -e mechanism name text | sed -n "s/^$2	//p"
}

# limiters FILE: the words of its whole intervals, sorted, with their number.
limiters() {
	json "$1" -e interval kind limiter limiter_side | sed -n -E \
		-e 's/	null$//' -e 's/^whole	(.*)/\1/p' | tr '\t' ' ' |
		sort | uniq -c
}

busy() {
	awk '{ print $1 > 2.5 ? 9 : 0 }' /proc/loadavg
}

# waited FILE: by the sender or the receiver of its one connection, for a CPU,
# as a share of the time; 9 where nobody could ask in time, and the machine is busy.
waited() {
	json "$1" -e kernel sender receiver | tr '\t' '\n' | sed -n -E \
		's/^\{"length_s":([^,]*),.*"runq_ns":([0-9.e+]*),.*/\2 \1/p' | awk '
		$2 > 0 { n++; if ($1 / 1e9 / $2 > most) most = $1 / 1e9 / $2 }
		END { print n == 2 ? most + 0 : busy }' busy="$(busy)"
}

was_busy() {
	case $(rules "$1") in
	*" cpu-contention "*) return 0 ;;
	esac
	[ "$(awk "BEGIN { print ($(waited "$1") >= 0.1) }")" = 1 ]
}

# The kernel shows the other end, and how long a process runs.
need_kernel() {
	need_linux_parts "the kernel's view"
	[ "$(uname)" = Linux ] || skip "not the TCP of Linux"
	[ -r /proc/self/schedstat ] || skip "no /proc/PID/schedstat here"
}

need_peer() {
	[ "$(json "$1" -e peer seen | head -n 1)" = true ] && return
	case $(json "$1" -e peer not_seen) in
	*permitted*|*"cannot tell"*)
		skip "the other end is not seen: $(json "$1" -e peer not_seen)" ;;
	*)	fail "the other end is not seen: $(json "$1" -e peer not_seen)" ;;
	esac
}

# CPUs 0 and 1 are there for us.
need_two_cpus() {
	case $(sed -n 's/^Cpus_allowed:[^0-9a-f]*//p' /proc/self/status) in
	*[37bf]) ;;
	*) skip "CPUs 0 and 1 are not both ours" ;;
	esac
}

# preloaded PID LIBRARY
preloaded() {
	wait_for 2 grep -q "$2" "/proc/$1/maps"
}

# ---- recipes

# What each one must say, and must not, and the word of its intervals.
recipe_of() {
	options=''
	beside=''
	case $1 in
	window)	sink_options="-t SO_RCVBUF=8192"
		rule=window-below-segment word=rwnd
		not='loss|timer|receiver-limited|paced'
		text="^The receive buffer \\(16384 bytes, SO_RCVBUF=8192 set after connect\\) is smaller than one segment of the sender \\([0-9]+\\): none fits into the window, so [0-9]+ bytes leave each time its probe timer fires, $NUMBER times a second\\. The sender waited for the window (9[0-9]|>99|100)% of the time\\. Set it early \\(-e\\)\\.\$" ;;
	sndbuf)	options="-b 1M -t SO_SNDBUF=4096,$CC"
		sink_options="-l -t $CC"
		rule=send-buffer-below-two-segments word=sndbuf
		not='window-below-segment|receiver-limited|timer|small-send'
		text="^The send buffer \\(8192 bytes\\) is below two segments of this path \\(2 x [0-9]+\\): .* smoothed round trip [1-9][0-9.]* ms, shortest 0\\.[0-9]+; both CPUs idle\\." ;;
	reader)	sink_options="-D 0.001"
		rule=receiver-limited word=rwnd
		not='window-below-segment|application-limited|paced|timer'
		text="^The sender waited for the receive window $SHARE of the time: the sink sleeps 1000 us after each read\\.\$" ;;
	writer)	options="-D 0.001" sink_options=
		rule=application-limited word=app
		not='receiver-limited|timer|paced|send-buffer'
		text="^The source had nothing to send $SHARE of the time\\.\$" ;;
	paced)	options="-t SO_MAX_PACING_RATE=10M" sink_options=
		rule=paced word=pacing
		not='application-limited|timer|receiver-limited'
		text="^Paced: SO_MAX_PACING_RATE 10\\.49 MB/sec, measured (9|10)(\\.[0-9]+)?, $NUMBER MB waiting unsent\\.\$" ;;
	lossy)	sink_options=
		# Behind a segment that is missing the window fills.
		rule=loss word=loss beside=rwnd
		not='spurious-retransmits|window-below-segment|timer'
		text="^[0-9]+ segments lost and sent again \\($NUMBER%\\).*: packets are dropped, on the way or at the receiver\\.\$" ;;
	late)	options=${OTHER:+-t $OTHER} sink_options="-l -t"
		rule=window-below-segment word=rwnd not='loss|timer'
		text="^The receive buffer \\(16384 bytes, SO_RCVBUF=8192 set after connect\\) .* waited for the window (9[0-9]|>99|100)% " ;;
	small)	options="-b 64 -t TCP_NODELAY" sink_options=
		rule=small-segments word=cpu not='paced|loss|timer'
		text="^$NUMBER segments? per write, of [0-9]+ bytes each where [0-9]+ are possible: writes hardly coalesce, as with TCP_NODELAY; CPU of the source $SHARE\\.\$" ;;
	one)	options="-C 0" sink_options="-C 0"
		rule=one-cpu word=cpu not='receiver-limited|loss|timer'
		text=$ONE_CPU ;;
	esac
}

# start_recipe NAME: its source, which stays, then its sink: PID.
start_recipe() {
	recipe_of "$1"
	if [ ! -f "$1.port" ]; then
		# shellcheck disable=SC2086
		start_source $options
		echo "$PORT" >"$1.port"
	fi
	PORT=$(cat "$1.port")
	set -- "$1" -w 0.3 -d 1.5 -i 0.3 -j -R -n 1
	case $1 in
	sndbuf)	set -- "$1" -w 1 -d 4 -i 0.5 -j -R -n 1 ;;
	esac
	n=$1
	shift
	# shellcheck disable=SC2086
	set -- "$@" $sink_options
	[ "$n" != late ] || set -- "$@" "$MAIL"
	set -- "$SINK" -H 127.0.0.1 -p "$PORT" "$@"
	[ "$n" != lossy ] || set -- env LD_PRELOAD="$BUILD/shim_loss.so" "$@"
	start "$n" "$@"
	echo "$PID" >"$n.pid"
}

# all_said NAME: the rule and its numbers, and its word in most intervals in
# which nothing else of the machine came between.
all_said() {
	case $(rules "$1.out") in
	*" $rule "*) ;;
	*) return 1 ;;
	esac
	match "sentence of $1" "$(sentence "$1.out" "$rule")" "$text"
	limiters "$1.out" >words
	awk -v word="$word" -v beside="$beside" '
		$2 == word { is = $1; next }
		$2 != "runq" && $2 != "null" && $2 != beside { other += $1 }
		END { exit !(is > other) }' words
}

# judge NAME: after its sink has ended.  1: it is worth another try.
judge() {
	recipe_of "$1"
	ended 15 "$(cat "$1.pid")"
	[ "$st" = 0 ] || fail "$1: exit status $st: $(cat "$1.err")"
	need_peer "$1.out"
	no_match "mechanisms of $1" "$(rules "$1.out")" " ($not) "
	all_said "$1" && return 0
	was_busy "$1.out" ||
		fail "$1: mechanisms \"$(rules "$1.out")\", intervals" \
			"$(limiters "$1.out" | tr '\n' ';')" \
			"waited $(waited "$1.out")"
	return 1
}

# is_contended NAME: it needs all of a CPU, and others had some of that: this
# is then what there is to say.
is_contended() {
	case $1 in
	one|small) ;;
	*)	return 1 ;;
	esac
	said=$(sentence "$1.out" cpu-contention)
	[ -n "$said" ] || return 1
	match "sentence of $1" "$said" "$CONTENDED"
}

# recipes NAME...: side by side; those that a busy machine spoilt once more.
recipes() {
	busy=
	for turn in 1 2 3 4 5; do
		again=
		for name; do
			start_recipe "$name"
		done
		for name; do
			judge "$name" || again="$again $name"
		done
		busy=$again
		[ -n "$again" ] || return 0
		# shellcheck disable=SC2086
		set -- $again
	done
	for name; do
		is_contended "$name" || skip "a busy machine, $turn times:$busy"
	done
}

# They sleep nearly all the time and do not disturb each other.
recipes_of_those_who_wait() {
	need_kernel
	# With these the small window brings timeouts, which are no loss.
	congestion cubic reno
	OTHER=$CC
	congestion bbr cubic reno
	recipes window reader writer paced sndbuf late
	eq "the mail's: fullest bin, us" "$(fullest late.out)" 131072
	mail_options_set_early "$(json late.out -e summary median_MB_per_s)"
	eq "case 5: fullest bin above 1 ms, us" "$(fullest sndbuf.out)" 32768
	case_5_is_slow "$(json sndbuf.out -e summary median_MB_per_s)"
}

# mail_options_set_early MB_PER_S: no window below a segment, and far faster.
mail_options_set_early() {
	start_source
	sink -j -n 1 -R -l -d 0.8 -i 0.1 -w 0.1 -e "$MAIL"
	no_match "mechanisms of the early ones" "$(rules "$T/out")" \
		' window-below-segment '
	early=$(json "$T/out" -e summary median_MB_per_s)
	true_that "early $early, late $1 MB/sec" "$early >= 20 * $1"
	not_ok "early: fullest bin" [ "$(fullest "$T/out")" = 131072 ]
}

# case_5_is_slow MB_PER_S: at most a hundredth of what it is without.
case_5_is_slow() {
	start_source -b 1M -t "$CC"
	for _ in 1 2 3 4 5; do
		sink -j -n 1 -R -d 0.6 -i 0.1 -w 0.1 -t "$CC"
		fast=$(json "$T/out" -e summary median_MB_per_s)
		[ "$(awk "BEGIN { print ($fast >= 100 * $1) }")" = 0 ] || break
	done
	true_that "case 5: $1 MB/sec, without $fast" "$fast >= 100 * $1"
	no_match "mechanisms without" "$(rules "$T/out")" 'send-buffer'
}

recipe_of_loss() {
	need_kernel
	start_recipe lossy
	preloaded "$PID" shim_loss || skip "libraries cannot be preloaded here"
	ended 15 "$PID"
	recipes lossy
}

# Both use all of a CPU: with others on it they wait for it, which is said.
recipes_of_those_who_work() {
	need_kernel
	need_two_cpus
	recipes one
	recipes small
}

# ---- healthy runs

# faults FILE: "RULE CONNECTION" of what is said beside where the ends ran, of
# connections that had the CPUs to themselves.
faults() {
	json "$1" -e mechanism name connections | tr -d '[]' | tr ',' ' ' |
		awk '{ for (i = 2; i <= NF; i++) print $1, $i }' >said
	awk '$1 == "cpu-contention" { print $2 }' said >busy
	awk 'NR == FNR { busy[$1]; next }
		$1 !~ /^(one-cpu|cpu-contention|cpu-taken)$/ && !($2 in busy)' \
		busy said
}

# Nothing but where the ends ran and that others ran there; a full CPU of the
# source, which is usual, is a word and no mechanism.
default_runs_are_healthy() {
	need_kernel
	have=available
	[ "$(id -u)" = 0 ] || have=allowed
	have=$(cat /proc/sys/net/ipv4/tcp_"$have"_congestion_control)
	[ -n "$have" ] || skip "no congestion control"
	for c in $have; do
		start_source -t "TCP_CONGESTION=$c"
		sink -t "TCP_CONGESTION=$c" -n 10 -d 0.5 -j -R
		status 0
		need_peer "$T/out"
		stop_source
		eq "connections of $c" "$(json "$T/out" -e kernel connection |
			wc -l | tr -d ' ')" 10
		eq "mechanisms of $c" "$(faults "$T/out" | tr '\n' ';')" ""
		json "$T/out" -e mechanism text | while IFS= read -r said; do
			match "sentence" "$said" "$ONE_CPU|$CONTENDED|^The hypervisor took $SHARE of the CPU time\\.\$|(lost|sent) again|retransmission timeout"
		done || exit 1
		sed -n 's/.*"limiter":"\([a-z]*\)".*/\1/p' "$T/out" >>words
	done
	# It did look: nearly all have a word.
	true_that "words: $(sort words | uniq -c | tr '\n' ';')" \
		"$(wc -l <words) >= 20"
}

# ---- placement

# had_the_cpus SECONDS: each end had a CPU to itself while the sink was on
# CPU 1 (on CPU 0 they wait for each other, which tells nothing of others);
# each connection was watched for so long.
had_the_cpus() {
	json "$T/out" -e kernel receiver_cpu sender receiver | sed -n -E \
		's/^1	.*"runq_ns":([0-9.e+]*),.*	.*"runq_ns":([0-9.e+]*),.*/\1 \2/p' |
		awk -v length_s="$1" '
		($1 > $2 ? $1 : $2) / 1e9 > 0.04 * length_s { busy++ }
		END { exit !(NR >= 7 && busy <= 1) }'
}

# Sixteen sinks on CPU 0, where the source is, or on CPU 1, at random: what is
# said to go with their speed is that, each time.
association_names_the_placement() {
	need_kernel
	need_two_cpus
	congestion cubic reno
	start_source -C 0 -b 16K -t "$CC"
	found=0 missed=0 seed=0
	while [ "$found" -lt 3 ] && [ "$missed" -lt 4 ]; do
		seed=$((seed + 1))
		rm -f places
		run 30 env LD_PRELOAD="$BUILD/shim_place.so" SHIM_SEED="$seed" \
			SHIM_LOG="$T/places" "$SINK" -H 127.0.0.1 -p "$PORT" \
			-n 16 -d 0.2 -i 0.05 -t "$CC" -j -R
		status 0
		[ -s places ] || skip "libraries cannot be preloaded here"
		need_peer "$T/out"
		eq "places" "$(cut -d ' ' -f 2 places | sort | uniq -c |
			tr -s ' \n' ' ')" " 8 0 8 1 "
		if json "$T/out" -e association placement |
		   grep -Eq '"fact":"(same_cpu|receiver on CPU [01])"'; then
			checked
			found=$((found + 1))
			continue
		fi
		had_the_cpus 0.15 &&
			fail "seed $seed: $(json "$T/out" -e association)" \
				"$(json "$T/out" -e association placement \
				symptoms_passed best_p), rates" \
				"$(json "$T/out" -e end rate_MB_per_s |
				cut -d . -f 1 | tr '\n' ' ')"
		missed=$((missed + 1))
	done
	[ "$found" -ge 3 ] || skip "a busy machine: $found of $((found + missed))"
}

for t in recipes_of_those_who_wait recipe_of_loss recipes_of_those_who_work \
	default_runs_are_healthy association_names_the_placement; do
	it $t
done
finish
