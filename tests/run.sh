#!/bin/sh
# Run the tests and count them.
#
#	tests/run.sh [NAME]...
#
# NAME is "unit" for all unit programs, the name of one of them
# (unit_numbers), of an end-to-end script (e2e_mail) or "docs"; without a
# name: all.  Each prints "PASS name", "FAIL name: why" or "SKIP name: why"
# per test; what dies, runs out of time or prints nothing has failed.  The
# last line is "N passed, N failed, N skipped"; exit 1 if any failed or
# none ran.
#
# Most scripts mostly sleep and run side by side, JOBS (5) at a time; one
# that says "# serial" measures a speed and runs alone, afterwards.  One
# that says "# limit: SECONDS" gets that much time instead of 60 seconds.
#
# Environment: BUILD (build) holds the test programs, BIN (.) sock_source
# and sock_sink, PORTABLE=1 says that they were built without Linux parts;
# PATIENCE (1) multiplies the limits, for builds that are slow.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
cd "$here/.." || exit 1
BUILD=$(cd "${BUILD:-build}" 2>/dev/null && pwd) || {
	echo "run.sh: no test programs in ${BUILD:-build}: run make check" >&2
	exit 1
}
BIN=$(cd "${BIN:-.}" && pwd) || exit 1
export BUILD BIN

# One test program, told by run.sh to itself: run, collect, judge, print.
run_one() {
	case $1 in
	unit_*)	command=$BUILD/$1 ;;
	*)	command=$here/$1.sh ;;
	esac
	limit=$(sed -n 's/^# limit: \([0-9]*\)$/\1/p' "$command" \
		2>/dev/null | head -n 1)
	limit=$((${limit:-60} * ${PATIENCE:-1}))
	out=$RESULTS/$1
	began=$(date +%s)
	set -- "$1" timeout -k 5 "$limit"
	case $command in
	*.sh)	set -- "$@" sh "$command" ;;
	*)	set -- "$@" "$command" ;;
	esac
	name=$1
	shift
	# In the background, so that a signal can be passed on; with default
	# dispositions, since a background job would have SIGINT ignored.
	"$BUILD/help_defaults" "$@" >"$out.raw" 2>"$out.err" </dev/null &
	pid=$!
	trap 'kill "$pid"; exit 1' INT TERM HUP
	wait "$pid"
	status=$?
	took=$(($(date +%s) - began))
	{
		cat "$out.raw"
		case $status in
		0)	grep -q -e '^PASS ' -e '^SKIP ' "$out.raw" ||
				echo "FAIL $name: it printed no result" ;;
		124|137) echo "FAIL $name: not over after $limit s" ;;
		1)	grep -q '^FAIL ' "$out.raw" ||
				echo "FAIL $name: exit 1 without a reason" ;;
		*)	echo "FAIL $name: ended with status $status" ;;
		esac
		sed 's/^/# stderr: /' "$out.err" | tail -n 40
	} >"$out.done"
	until mkdir "$RESULTS/lock" 2>/dev/null; do
		sleep 0.02
	done
	echo "# $name, $took s"
	cat "$out.done"
	rmdir "$RESULTS/lock"
}

if [ "$1" = --one ]; then
	run_one "$2"
	exit 0
fi

# Names to programs and scripts, those that measure speed apart.
together=
alone=
add() {
	if grep -q '^# serial' "$here/$1.sh" 2>/dev/null; then
		alone="$alone $1"
	else
		together="$together $1"
	fi
}

add_units() {
	for f in "$BUILD"/unit_*; do
		case ${f##*/} in
		*.*|'unit_*') ;;
		*) add "${f##*/}" ;;
		esac
	done
}

# Scripts, those that may take longest first.
scripts() {
	for f in "$here"/docs.sh "$here"/e2e_*.sh; do
		[ -f "$f" ] || continue
		limit=$(sed -n 's/^# limit: //p' "$f" | head -n 1)
		f=${f##*/}
		echo "${limit:-60} ${f%.sh}"
	done | sort -rn | cut -d ' ' -f 2
}

if [ $# -eq 0 ]; then
	for name in $(scripts); do
		add "$name"
	done
	add_units
fi
for name; do
	if [ "$name" = unit ]; then
		add_units
	elif [ -f "$here/$name.sh" ] || [ -x "$BUILD/$name" ]; then
		add "$name"
	else
		echo "run.sh: no test is named \"$name\"" >&2
		exit 1
	fi
done

RESULTS=$(mktemp -d) || exit 1
export RESULTS
trap 'rm -rf "$RESULTS"' EXIT
trap 'exit 1' INT TERM HUP

# xargs starts them in the foreground: ^C reaches them all.
for name in $together; do
	echo "$name"
done >"$RESULTS/together"
[ ! -s "$RESULTS/together" ] || xargs -n 1 -P "${JOBS:-5}" sh "$here/run.sh" --one \
	<"$RESULTS/together"
for name in $alone; do
	sh "$here/run.sh" --one "$name"
done

count() {
	cat "$RESULTS"/*.done 2>/dev/null | grep -c "^$1 "
}
passed=$(count PASS)
failed=$(count FAIL)
skipped=$(count SKIP)
for name in $together $alone; do
	[ -f "$RESULTS/$name.done" ] && continue
	echo "FAIL $name: it did not run"
	failed=$((failed + 1))
done
if [ "$failed" -gt 0 ]; then
	echo
	grep -h '^FAIL ' "$RESULTS"/*.done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
