# shellcheck shell=sh
# What the end-to-end scripts share.  A script begins with
#
#	. "$(dirname "$0")/lib.sh"
#
# defines its tests as functions, runs each with "it NAME" and ends with
# "finish".  A test runs in a subshell and in a directory of its own, and
# what it started is ended with it.  It fails through "fail WHY" or one of
# the checks below, which call it; a test that checks nothing has failed.

HERE=$(cd "$(dirname "$0")" && pwd) || exit 1
BIN=$(cd "${BIN:-$HERE/..}" && pwd) || exit 1
BUILD=$(cd "${BUILD:-$HERE/../build}" && pwd) || exit 1
SOURCE=$BIN/sock_source
SINK=$BIN/sock_sink
NAME=${0##*/}
NAME=${NAME%.sh}
LC_ALL=C
export LC_ALL
# A preloaded library must not have to come after the sanitizer's.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS

TOP=$(mktemp -d) || exit 1
FAILED=0
RAN=0
FINISHED=
at_exit() {
	rm -rf "$TOP"
	if [ -z "$FINISHED" ]; then
		echo "FAIL $NAME: the script ended early"
		exit 1
	fi
}
trap at_exit EXIT
trap 'exit 1' INT TERM HUP

# The inside of a test: a directory, what it started, its end.
inside() {
	FINISHED=subshell
	PIDS=
	SOURCES=0
	T=$TOP/$RAN
	mkdir "$T" && cd "$T" || exit 1
	: >checks
	trap clean_up EXIT
	trap "exit 1" INT TERM HUP
	"$@"
	[ -s "$T/checks" ] || fail "it checks nothing"
	echo yes >"$T/whole"
	exit 0
}

# Run one test; any further words are its arguments.
it() {
	RAN=$((RAN + 1))
	TEST=$1
	(inside "$@")
	case $? in
	0)	if [ -s "$TOP/$RAN/whole" ]; then
			echo "PASS $TEST"
		else
			FAILED=$((FAILED + 1))
			echo "FAIL $TEST: it left before its end"
		fi ;;
	77)	echo "SKIP $TEST: $(cat "$TOP/$RAN/why")" ;;
	*)	FAILED=$((FAILED + 1))
		# shellcheck disable=SC2015
		[ -s "$TOP/$RAN/why" ] && why=$(cat "$TOP/$RAN/why") ||
			why="it ended early"
		echo "FAIL $TEST: $why" ;;
	esac
	rm -rf "${TOP:?}/$RAN"
}

finish() {
	[ "$RAN" -gt 0 ] || echo "FAIL $NAME: no test ran"
	FINISHED=yes
	[ "$FAILED" -eq 0 ] && [ "$RAN" -gt 0 ]
	exit
}

# The reason is one line, whatever it quotes.
one_line() {
	printf '%s' "$*" | tr '\n\t' '| ' | tr -d '\000-\037' | cut -c 1-600
}

fail() {
	one_line "$@" >"$T/why"
	exit 1
}

skip() {
	one_line "$@" >"$T/why"
	exit 77
}

checked() {
	echo x >>"$T/checks"
}

# End what the test started: politely, then for good, with its children.
clean_up() {
	[ -n "$PIDS" ] || return 0
	[ -z "$PORTABLE" ] || for p in $PIDS; do
		PIDS="$PIDS $(children_of "$p" | cut -d ' ' -f 1 |
			tr '\n' ' ')"
	done
	for p in $PIDS; do
		kill -CONT "$p" 2>/dev/null
		kill -TERM "$p" 2>/dev/null
	done
	tries=0
	while [ $tries -lt 10 ]; do
		left=
		for p in $PIDS; do
			alive "$p" && left=yes
		done
		[ -n "$left" ] || break
		sleep 0.05
		tries=$((tries + 1))
	done
	for p in $PIDS; do
		kill -KILL "$p" 2>/dev/null
	done
	wait
}

# ---- checks

# ok WHAT COMMAND...: the command succeeds.
ok() {
	checked
	what=$1
	shift
	"$@" || fail "$what: failed: $*"
}

# not_ok WHAT COMMAND...: it does not.
not_ok() {
	checked
	what=$1
	shift
	if "$@"; then
		fail "$what: succeeded: $*"
	fi
}

# eq WHAT GOT WANT
eq() {
	checked
	[ "$2" = "$3" ] || fail "$1 is \"$2\", not \"$3\""
}

# match WHAT TEXT REGEX: some line of TEXT matches.
match() {
	checked
	printf '%s\n' "$2" | grep -Eq -e "$3" ||
		fail "$1 is \"$2\", which does not match \"$3\""
}

no_match() {
	checked
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		fail "$1 is \"$2\", which matches \"$3\""
	fi
}

# true_that WHAT EXPRESSION: awk finds the expression true.
true_that() {
	checked
	case $(awk "BEGIN { print (($2) ? \"true\" : \"false\") }" \
	       2>/dev/null) in
	true)	;;
	*)	fail "$1: not true: $2" ;;
	esac
}

# status WANTED: of the last run; else say what it printed.
status() {
	checked
	[ "$st" = "$1" ] || fail "exit status $st, not $1; printed" \
		"\"$(tail -n 5 "$T/out")\", \"$(tail -n 5 "$T/err")\""
}

# ---- time

# Monotonic time in hundredths of a second, in NOW.
now() {
	if [ -r /proc/uptime ]; then
		read -r up _ </proc/uptime
		NOW=${up%.*}${up#*.}
	else
		NOW=$(date +%s)00
	fi
}

# wait_for SECONDS COMMAND...: until it succeeds; 1 when time is up.
wait_for() {
	now
	until_=$((NOW + $1 * 100))
	shift
	while ! "$@" 2>/dev/null; do
		now
		[ "$NOW" -lt "$until_" ] || return 1
		sleep 0.05
	done
}

# lines_of FILE REGEX NUMBER: FILE has so many such lines, or more.
lines_of() {
	[ "$(grep -Ec -e "$2" "$1")" -ge "$3" ]
}

# ---- processes

# A process is running; a zombie is not.
alive() {
	if [ -r /proc/self/stat ]; then
		state=$(sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null)
		[ -n "$state" ] && [ "${state%% *}" != Z ]
	else
		kill -0 "$1" 2>/dev/null
	fi
}

not_alive() {
	! alive "$1"
}

# need_proc: skip where /proc cannot tell what the test asks for.
need_proc() {
	[ -d /proc/self/fd ] || skip "no /proc here"
}

need_linux_parts() {
	[ -z "$PORTABLE" ] || skip "built without Linux parts: $1"
}

need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# children_of PID: "PID STATE" of each child, zombies included.
children_of() {
	cat /proc/[0-9]*/stat 2>/dev/null |
		sed 's/^\([0-9]*\) (.*) /\1 /' |
		awk -v parent="$1" '$3 == parent { print $1, $2 }'
}

# children_are PID NUMBER: so many, zombies included.
children_are() {
	[ "$(children_of "$1" | wc -l)" -eq "$2" ]
}

# kill_hard PID: without a chance to end its workers, which, where the system
# does not, clean_up will.
kill_hard() {
	PIDS="$PIDS $(children_of "$1" | cut -d ' ' -f 1 | tr '\n' ' ')"
	kill -KILL "$1"
}

# worker_of PID: the one child that it has; empty when there is none.
worker_of() {
	children_of "$1" | awk '{ print $1; exit }'
}

has_worker() {
	[ -n "$(worker_of "$1")" ]
}

# Number of open descriptors of a process.
descriptors() {
	set -- "/proc/$1/fd"/*
	echo $#
}

# CPU seconds that a process has used, to the nanosecond where possible.
cpu_of() {
	if [ -r "/proc/$1/schedstat" ]; then
		awk '{ printf "%.6f\n", $1 / 1e9 }' "/proc/$1/schedstat"
	else
		sed 's/^.*) //' "/proc/$1/stat" |
			awk '{ printf "%.6f\n", ($12 + $13) / 100 }'
	fi
}

# run SECONDS COMMAND...: in the foreground, every signal at its default;
# leaves its status in st, its output in out and err and in these files,
# and the hundredths of a second it took in took.
run() {
	limit=$1
	shift
	now
	began=$NOW
	timeout -k 1 "$limit" "$BUILD/help_defaults" "$@" \
		>"$T/out" 2>"$T/err" </dev/null
	st=$?
	now
	# shellcheck disable=SC2034
	took=$((NOW - began))
	# shellcheck disable=SC2034
	out=$(tr -d '\000' <"$T/out")
	# shellcheck disable=SC2034
	err=$(tr -d '\000' <"$T/err")
	[ "$st" -ne 124 ] || fail "not over after $limit s: $*;" \
		"printed \"$(tail -n 3 "$T/out")\""
}

# start NAME COMMAND...: in the background; output in $T/NAME.out and
# $T/NAME.err, its pid in PID.
start() {
	what=$1
	shift
	# Before it starts: nobody may read what a former one has left.
	: >"$T/$what.out"
	"$BUILD/help_defaults" "$@" >"$T/$what.out" 2>"$T/$what.err" \
		</dev/null &
	PID=$!
	PIDS="$PIDS $PID"
}

# ended SECONDS PID: wait for it; its status in st.
ended() {
	checked
	wait_for "$1" not_alive "$2" ||
		fail "process $2 has not ended within $1 s"
	wait "$2" 2>/dev/null
	st=$?
}

# start_source OPTION...: a sock_source on a free port (unless -p or a path
# or - for -H says otherwise): its pid in SRC, port in PORT, output in SRC_OUT and
# SRC_ERR.  The descriptor numbers of its workers are its own.
start_source() {
	try_source "$@"
	adopt_source "source$SOURCES"
}

# A source that leaves the machine to others, for tests in which speed does
# not matter and times do.
gentle_source() {
	start_source -b 16K -D 0.001 "$@"
}

# adopt_source NAME: make the source that "start NAME" started the one.
adopt_source() {
	SRC=$PID
	SRC_OUT=$T/$1.out
	SRC_ERR=$T/$1.err
	wait_for 5 grep -Eq '^(port|path)=|"event"' "$SRC_OUT" ||
		fail "sock_source did not start: $(cat "$SRC_ERR")"
	PORT=$(sed -n -e 's/^port=\([0-9]*\) .*/\1/p' \
		-e 's/.*"port":\([0-9]*\).*/\1/p' "$SRC_OUT" | head -n 1)
}

# The same without waiting for its first line; may be made to fail.
try_source() {
	where="-p 0"
	before=
	for a; do
		case "$before $a" in
		*' -p'|'-H -'|'-H '*/*) where= ;;
		esac
		before=$a
	done
	SOURCES=$((SOURCES + 1))
	# shellcheck disable=SC2086
	start "source$SOURCES" "$SOURCE" $where "$@"
	SRC=$PID
	SRC_OUT=$T/source$SOURCES.out
	SRC_ERR=$T/source$SOURCES.err
}

# End the source with a signal, or with SIGTERM; its status in st.
end_source() {
	kill -"$1" "$SRC"
	ended 5 "$SRC"
}

stop_source() {
	end_source TERM
}

# sink OPTION...: against the source, in the foreground, see run.
sink() {
	run 30 "$SINK" -H 127.0.0.1 -p "$PORT" "$@"
}

# start_sink NAME OPTION...: the same in the background.
start_sink() {
	what=$1
	shift
	start "$what" "$SINK" -H 127.0.0.1 -p "$PORT" "$@"
}

# ---- numbers

RATE='[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?'
END='connection [0-9]+: '

# The rates of the lines "NUMBER MB/sec ..." of a file, one a line.
rates() {
	sed -n -E "s/^(\\[[0-9]+\\] )?($RATE) MB\\/sec.*/\\2/p" "$1"
}

count_rates() {
	rates "$1" | wc -l | tr -d ' '
}

# Seconds that the rate lines of a file stand for, at so many each; a late
# or partial one stands for what it says.
seconds_in() {
	grep -E "^(\\[[0-9]+\\] )?$RATE MB/sec" "$1" | awk -v each="$2" '
		/ (late|partial) / { sub(/^.* (late|partial) /, ""); s += $1; next }
		{ s += each }
		END { printf "%.3f\n", s }'
}

# on_time FILE INTERVAL SECONDS: the rate lines of its one connection came at
# their spacing: they stand for all of its length but a remainder, and there
# are not just a few late ones; it lasted as long as planned.
on_time() {
	n=$(count_rates "$1")
	s=$(seconds_in "$1" "$2")
	length=$(sed -n "s/^connection [0-9]*: \([0-9.]*\) s, .*/\1/p" "$1")
	what="$n lines for $s of $length s ($(tr '\n' ';' <"$1"))"
	true_that "$what" "$s > $length - 1.5 * $2 && $s < $length + 0.5 * $2"
	true_that "$what" "$n >= 0.4 * $3 / $2 - 1"
	true_that "$what" "$length > 0.95 * $3 && $length < 5 * $3"
}

# Median of numbers on standard input.
median() {
	sort -g | awk '
		{ v[NR] = $1 }
		END {
			if (NR)
				print (v[int((NR + 1) / 2)] + \
					v[int(NR / 2 + 1)]) / 2
		}'
}

# ends FILE: its end lines.
ends() {
	grep -E "^(\\[[0-9]+\\] )?$END" "$1"
}

count_ends() {
	ends "$1" | wc -l | tr -d ' '
}

# The source has printed an end line for each connection it accepted.
all_ended() {
	[ "$(count_ends "$SRC_OUT")" -eq "$(grep -c '^accepted$' "$SRC_OUT")" ]
}

# json FILE [-e EVENT] FIELD...: see help_json; a fault there is ours.
json() {
	file=$1
	shift
	"$BUILD/help_json" "$@" <"$file"
}

# bins FILE: "LOW WAITS SECONDS" a line, of each ledger's bins.
bins() {
	json "$1" -e ledger bins | tr '{' '\n' | sed -n -E \
		's/.*"low_s":([^,]*),"high_s":[^,]*,"waits":([0-9]*),"wait_s":([^}]*).*/\1 \2 \3/p'
}

# fullest FILE: the low end, in us, of the bin above 1 ms with most waiting.
fullest() {
	bins "$1" | awk '$1 >= 0.001 && $3 > most { most = $3; low = $1 }
		END { printf "%.0f\n", low * 1e6 }'
}

# congestion NAME...: the first that this kernel has, as an option, in CC;
# empty when it has none.  Those that pace need other patience.
congestion() {
	CC=
	have=/proc/sys/net/ipv4/tcp_available_congestion_control
	[ -z "$PORTABLE" ] && [ -r $have ] || return 0
	for c; do
		if grep -qw "$c" $have; then
			# shellcheck disable=SC2034
			CC=TCP_CONGESTION=$c
			return 0
		fi
	done
}

free_port() {
	"$BUILD/help_freeport"
}

port_is_free() {
	"$BUILD/help_freeport" "$1"
}

# The first line of a file, without the interval that a short -d brings.
header_of() {
	head -n 1 "$1" | sed 's/ interval=[0-9.]*$//'
}
