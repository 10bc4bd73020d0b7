#!/bin/sh
# How near the pair comes to the bare loop (tests/ceiling.c), and what it
# costs: a table of speed ratios, interleaved and pinned alike, with the
# interval of the median ratio; CPU seconds per GB; instructions per call of
# the workers' loops; CPU and memory of many connections that sleep.
#
#	tests/bench.sh			about 3 minutes
#	PAIRS=10 tests/bench.sh		less exact, no intervals below 6
#
# The TCP rows with both buffers fixed use reno, where there is a choice: a
# congestion control that paces, such as bbr, adds timers and with them modes.
#
# Absolute speeds depend on the machine and on what else it does; only the
# ratios mean something.  Nothing here fails: it prints.
# shellcheck disable=SC2317

here=$(cd "$(dirname "$0")" && pwd) || exit 1
BIN=$(cd "${BIN:-$here/..}" && pwd) || exit 1
BUILD=$(cd "${BUILD:-$here/../build}" && pwd) || exit 1
PAIRS=${PAIRS:-30}
SECONDS_EACH=${SECONDS_EACH:-0.3}
LC_ALL=C
export LC_ALL

T=$(mktemp -d) || exit 1
SRC=
READER=
clean_up() {
	for p in $SRC $READER; do
		kill "$p" 2>/dev/null
	done
	rm -rf "$T"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

die() {
	echo "bench.sh: $*" >&2
	exit 1
}

for p in ceiling help_cpu help_json help_reader; do
	[ -x "$BUILD/$p" ] || die "$BUILD/$p is not built"
done

# The first and the last CPU that we may use: the source's and the sink's.
cpus() {
	list=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' \
		/proc/self/status 2>/dev/null)
	CPU0=$(echo "$list" | sed 's/[^0-9].*//')
	CPU1=$(echo "$list" | sed 's/.*[^0-9]//')
	[ -n "$CPU0" ] && [ -n "$CPU1" ]
}

# start_source COMMAND_PREFIX OPTION...: its pid in SRC, where in WHERE.
start_source() {
	: >"$T/src.out"
	"$@" >"$T/src.out" 2>"$T/src.err" &
	SRC=$!
	tries=0
	until grep -Eq '^(port|path)=|"event":"start"' "$T/src.out"; do
		sleep 0.02
		tries=$((tries + 1))
		[ $tries -lt 500 ] || die "sock_source: $(cat "$T/src.err")"
	done
	PORT=$(sed -n -e 's/^port=\([0-9]*\) .*/\1/p' \
		-e 's/.*"port":\([0-9]*\).*/\1/p' "$T/src.out" | head -n 1)
}

stop_source() {
	kill "$SRC"
	wait "$SRC" 2>/dev/null
	SRC=
}

# One connection of the pair: its MB/sec and CPU seconds into pair.dat.
pair() {
	# shellcheck disable=SC2086
	"$BUILD/help_cpu" "$T/snk.cpu" "$BIN/sock_sink" $SINK_OPTIONS \
		-b "$size" -d "$SECONDS_EACH" >"$T/snk.out" 2>"$T/snk.err" ||
		die "sock_sink: $(cat "$T/snk.err" "$T/snk.out")"
	rate=$(sed -n 's/^\([0-9.e+-]*\) MB\/sec.*/\1/p' "$T/snk.out" |
		head -n 1)
	[ -n "$rate" ] || die "sock_sink printed $(cat "$T/snk.out")"
	echo "$rate $(cat "$T/snk.cpu")" >>"$T/pair.dat"
}

bare() {
	# shellcheck disable=SC2086
	"$BUILD/ceiling" $CEILING_OPTIONS -b "$size" -d "$SECONDS_EACH" \
		>>"$T/bare.dat" || die "ceiling has failed"
}

# One row of the table: TRANSPORT SIZE PAIRS, options in the variables.
row() {
	name=$1
	size=$2
	pairs=$3
	: >"$T/pair.dat"
	: >"$T/bare.dat"
	# shellcheck disable=SC2086
	start_source "$BUILD/help_cpu" "$T/src.cpu" "$BIN/sock_source" \
		$SOURCE_OPTIONS -b "$size"
	[ "$name" = unix ] || SINK_OPTIONS="$SINK_OPTIONS -p $PORT"
	i=0
	while [ $i -lt "$pairs" ]; do
		# ABBA: a drift of the machine favours neither.
		if [ $((i % 2)) -eq 0 ]; then
			pair
			bare
		else
			bare
			pair
		fi
		i=$((i + 1))
	done
	stop_source
	paste "$T/pair.dat" "$T/bare.dat" |
		awk -v name="$name" -v size="$size" -v d="$SECONDS_EACH" \
		    -v source_cpu="$(cat "$T/src.cpu")" '
	function sort(v, n,    i, j, x) {
		for (i = 2; i <= n; i++) {
			x = v[i]
			for (j = i - 1; j >= 1 && v[j] > x; j--)
				v[j + 1] = v[j]
			v[j + 1] = x
		}
	}
	function median(v, n) {
		return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}
	# Ranks of the 95 % interval of a median: the largest k for which
	# at most k - 1 of n fair coins is 2.5 % likely or less.
	function rank(n,    k, p, sum) {
		p = 0.5 ^ n
		for (k = 0; k <= n; k++) {
			sum += p
			if (sum > 0.025)
				return k
			p *= (n - k) / (k + 1)
		}
	}
	$1 > 0 && $3 > 0 {
		n++
		a[n] = $1; b[n] = $3; r[n] = $1 / $3
	}
	{
		cpu_a += $2; cpu_b += $6
		gb_a += $1 * d / 1000; gb_b += $4 / 1e9
	}
	END {
		sort(a, n); sort(b, n); sort(r, n)
		k = rank(n)
		low = k ? r[k] : 0
		high = k ? r[n + 1 - k] : 0
		interval = k ? sprintf("%.3f to %.3f", low, high) : "-"
		verdict = name == "tcp" ? "-" : \
			k && low >= .95 && high <= 1.05 ? "met" : "not met"
		printf "%-8s %4s %9.5g %9.5g  %.3f  %-14s %-8s %7.3f %7.3f\n",
			name, size, median(a, n), median(b, n),
			median(r, n), interval, verdict,
			(cpu_a + source_cpu) / gb_a, cpu_b / gb_b
		if (n < NR)
			print "         " NR - n " pairs left out: nothing moved"
	}'
}

congestion=
if grep -qw reno /proc/sys/net/ipv4/tcp_available_congestion_control \
	2>/dev/null && "$BIN/sock_source" -t help | grep -q ^TCP_CONGESTION
then
	congestion=reno
fi

transport() {
	case $1 in
	unix)
		# A small buffer has one speed; the default has several.
		SOURCE_OPTIONS="-C $CPU0 -H $T/s -t SO_SNDBUF=32K"
		SINK_OPTIONS="-C $CPU1 -H $T/s"
		CEILING_OPTIONS="-u -S 32768 -C $CPU0,$CPU1"
		;;
	tcp256K)
		SOURCE_OPTIONS="-C $CPU0 -p 0 -e SO_SNDBUF=256K"
		SOURCE_OPTIONS="$SOURCE_OPTIONS${congestion:+,TCP_CONGESTION=$congestion}"
		SINK_OPTIONS="-C $CPU1 -H 127.0.0.1 -e SO_RCVBUF=256K"
		CEILING_OPTIONS="-S 262144 -R 262144 -C $CPU0,$CPU1"
		CEILING_OPTIONS="$CEILING_OPTIONS${congestion:+ -K $congestion}"
		;;
	tcp)
		SOURCE_OPTIONS="-C $CPU0 -p 0"
		SINK_OPTIONS="-C $CPU1 -H 127.0.0.1"
		CEILING_OPTIONS="-C $CPU0,$CPU1"
		;;
	esac
}

table() {
	echo "pair: sock_source to sock_sink; bare: the loop alone; ratio:" \
		"median of $PAIRS pairs"
	echo "of $SECONDS_EACH s and its 95% interval, wanted within 0.95" \
		"to 1.05 (default tcp: a few"
	echo "pairs, only printed); unix: send buffer 32K; CPU seconds of" \
		"both ends per GB"
	echo
	echo "                  MB/sec             pair to bare" \
		"                CPU s/GB"
	echo "           -b      pair      bare  ratio  95% interval" \
		"  wanted      pair    bare"
	for t in unix tcp256K tcp; do
		n=$PAIRS
		[ $t != tcp ] || n=2
		for b in 64 1K 64K 1M; do
			transport $t
			case $b in
			*K) bytes=$((${b%K} * 1024)) ;;
			*M) bytes=$((${b%M} * 1048576)) ;;
			*) bytes=$b ;;
			esac
			row $t "$bytes" "$n"
		done
	done
}

# Calls that a program counted, from its JSON Lines.
calls_of() {
	"$BUILD/help_json" -e interval calls <"$1" |
		awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# Instructions of the one process that is not PID (the worker).
worker_instructions() {
	for f in "$T"/cg.*; do
		[ "$f" != "$T/cg.$1" ] || continue
		awk '/^(summary|totals):/ { print $2; exit }' "$f"
	done | sort -n | tail -n 1
}

# instructions sink|source SECONDS: "INSTRUCTIONS CALLS" of one run.
instructions() {
	rm -f "$T"/cg.*
	set -- "$1" "$2" valgrind --tool=callgrind -q \
		--callgrind-out-file="$T/cg.%p"
	which=$1
	length=$2
	shift 2
	if [ "$which" = sink ]; then
		start_source "$BIN/sock_source" -p 0 -b 1K
		"$@" "$BIN/sock_sink" -j -H 127.0.0.1 -p "$PORT" -b 1K \
			-d "$length" >"$T/cg.out" 2>/dev/null &
		READER=$!
		wait "$READER"
		stop_source
		pid=$READER
	else
		start_source "$@" "$BIN/sock_source" -j -p 0 -b 1K -n 1
		"$BUILD/help_reader" -d "$length" 127.0.0.1 "$PORT" \
			>/dev/null
		wait "$SRC"
		pid=$SRC
		SRC=
		cp "$T/src.out" "$T/cg.out"
	fi
	READER=
	mv "$T/cg.out" "$T/calls.out"
	echo "$(worker_instructions "$pid") $(calls_of "$T/calls.out")"
}

loops() {
	if ! command -v valgrind >/dev/null; then
		echo "instructions per call: valgrind is not installed"
		return
	fi
	for w in source sink; do
		short=$(instructions $w 0.5)
		long=$(instructions $w 1.5)
		echo "$short $long" | awk -v who=$w '
		NF == 4 && $4 > $2 {
			n = ($3 - $1) / ($4 - $2)
			printf "instructions per call, %s: %.1f (wanted:" \
				" at most 25): %s\n", who, n,
				n <= 25 ? "met" : "not met"
			next
		}
		{ print "instructions per call, " who ": cannot tell: " $0 }'
	done
}

# Files of the source and of its workers: files_of NAME.
files_of() {
	for p in $SRC $WORKERS; do
		echo "/proc/$p/$1"
	done
}

cpu_seconds() {
	files_of schedstat | xargs cat 2>/dev/null |
		awk '{ n += $1 } END { printf "%.6f\n", n / 1e9 }'
}

# 200 connections whose worker sleeps a second after each write.
sleepers() {
	n=200
	if [ ! -r /proc/self/schedstat ] || [ ! -r /proc/self/smaps_rollup ]
	then
		echo "sleeping connections: needs schedstat and smaps_rollup"
		return
	fi
	start_source "$BIN/sock_source" -p 0 -D 1
	"$BUILD/help_reader" -P $n -d 60 127.0.0.1 "$PORT" >/dev/null &
	READER=$!
	sleep 2
	WORKERS=$(cat /proc/[0-9]*/stat 2>/dev/null |
		sed 's/^\([0-9]*\) (.*) /\1 /' |
		awk -v parent="$SRC" '$3 == parent { print $1 }')
	# shellcheck disable=SC2086
	set -- $WORKERS
	before=$(cpu_seconds)
	sleep 3
	after=$(cpu_seconds)
	files_of smaps_rollup | xargs cat 2>/dev/null |
		awk -v n="$#" -v asked=$n -v cpu="$after $before" '
		/^Private_/ { kb += $2 }
		END {
			split(cpu, c, " ")
			share = (c[1] - c[2]) / 3 * 100
			printf "%d of %d connections that sleep (-D 1): " \
				"%.2f%% of a CPU (wanted: below 2): %s\n", n,
				asked, share,
				share < 2 && n == asked ? "met" : "not met"
			printf "  private memory %.0f KB per connection " \
				"(wanted: at most 1024): %s\n", kb / asked,
				kb / asked <= 1024 ? "met" : "not met"
		}'
	kill "$READER"
	wait "$READER" 2>/dev/null
	READER=
	stop_source
}

cpus || die "cannot tell which CPUs may be used"
table
echo
loops
sleepers
