#!/bin/sh
# Run the tests on a build that counts which lines are executed, and list those
# that none of them is.
#
#	tests/coverage.sh [FILE]...
#
# The last lines say, per file, how many there are, and which have no reason in
# tests/untested.txt; exit 1 when there are any, or a reason is out of date.
# FILE: only these, with no test run anew.
#
# Environment: BUILD (build): a copy of the tree is built in BUILD/coverage.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
dir=$BUILD/coverage
reasons=tests/untested.txt
# Children that are killed do not write: what only they run is not counted.
files="socklib.c sock_source.c sock_sink.c measure/*.c"

if ! command -v gcov >/dev/null || ! command -v gcc >/dev/null; then
	echo "SKIP coverage: gcc and gcov are needed"
	exit 0
fi

if [ $# -eq 0 ]; then
	rm -rf "$dir"
	mkdir -p "$dir/tree"
	tar -c --exclude=./.git --exclude="./$BUILD" . | tar -x -C "$dir/tree"
	gcc -O1 -c -o "$dir/tree/end.o" tests/coverage_end.c || exit 1
	PATIENCE=4 make -s -j2 -C "$dir/tree" CC=gcc BUILD=build \
		CFLAGS='-O0 -g --coverage -fprofile-update=atomic' \
		LIBS='-lm end.o -Wl,--wrap=_exit,--wrap=raise' \
		check >"$dir/check.log" 2>&1
	tail -n 1 "$dir/check.log"
	# shellcheck disable=SC2086
	set -- $files
fi

# "FILE LINE EXECUTED FUNCTION" for each line with code, whoever linked it.
find "$dir/tree" -name '*.gcda' | while read -r counts; do
	gcov -t -o "${counts%/*}" "$counts" 2>/dev/null
done | awk '
	/^ *-: *0:Source:/ {
		file = $0
		sub(/^[^:]*:[^:]*:Source:/, "", file)
		sub(/^tests\/\.\.\//, "", file)
		next
	}
	{
		n = split($0, field, ":")
		count = field[1]
		line = field[2] + 0
		text = substr($0, length(field[1]) + length(field[2]) + 3)
		if (text ~ /^[a-z].*[a-z_]\(/ && text !~ /;$/) {
			function_ = text
			sub(/\(.*/, "", function_)
			sub(/.*[ *]/, "", function_)
		}
		gsub(/[ *]/, "", count)
		if (n < 3 || count == "-" || line == 0)
			next
		key = file " " line
		name[key] = function_
		if (count !~ /^[#=]+$/)
			executed[key] = 1
	}
	END {
		for (key in name)
			print key, executed[key] + 0, name[key]
	}' | sort -k 1,1 -k 2,2n >"$dir/lines"

for f; do
	echo "$f"
done | awk -v lines="$dir/lines" -v reasons="$reasons" '
	BEGIN {
		while ((getline row < reasons) > 0) {
			if (row ~ /^#/ || row == "")
				continue
			split(row, field, " ")
			allowed[field[1] " " field[2]] = field[3]
		}
		while ((getline row < lines) > 0) {
			split(row, field, " ")
			all[field[1]]++
			if (field[3])
				continue
			missed[field[1]]++
			where = field[1] " " field[4]
			count[where]++
			list[where] = list[where] " " field[2]
			of[where] = field[1]
		}
	}
	{
		wanted[$1] = 1
		printf "%-34s %5d lines, %3d not executed\n", $1, all[$1], missed[$1]
		total += all[$1]
		total_missed += missed[$1]
	}
	END {
		bad = 0
		for (where in count)
			if (wanted[of[where]] && allowed[where] != count[where]) {
				print "no reason: " where ":" list[where] | "sort"
				bad++
			}
		for (where in allowed) {
			split(where, field, " ")
			if (wanted[field[1]] && !count[where]) {
				print "out of date: " where " is executed" | "sort"
				bad++
			}
		}
		close("sort")
		printf "%d of %d lines executed, %.1f%%\n", total - total_missed, total, \
			total ? 100 * (total - total_missed) / total : 0
		exit bad || !total
	}'
