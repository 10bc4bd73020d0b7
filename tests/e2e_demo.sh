#!/bin/sh
# make demo: from the sources to a report that a stranger can read, and nothing
# that it started is left.
# limit: 120
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# Processes whose program lies in the copy.
running() {
	for p in /proc/[0-9]*; do
		case $(readlink "$p/exe" 2>/dev/null) in
		"$T"/tree/*) echo "${p#/proc/}" ;;
		esac
	done
}

# The heads of the sections of a report, in order.
sections() {
	sed -n 's/^---- \([a-z]*\).*/\1/p' "$1" | tr '\n' ' '
}

demo() {
	mkdir tree
	for f in "$HERE"/../*; do
		case ${f##*/} in
		build) ;;
		*) cp -R "$f" tree/ ;;
		esac
	done
	# Not optimized: it is built on the way only, and nothing here is a speed.
	make -C tree -j2 CFLAGS=-O0 >make.out 2>&1 ||
		fail "make: $(tail -n 3 make.out)"
	run 60 make -C tree CFLAGS=-O0 demo
	status 0
	true_that "6 s of connections (took $took)" "$took >= 600"
	eq "complaints" "$err" ""
	eq "processes left" "$(running)" ""
	eq "ends of six connections" "$(grep -Ec \
		'^connection [1-6]: .* MB read, .*, done$' "$T/out")" 6
	# The report is whole, and what is said around it is not part of it.
	sed -n '/^==== socklib report/,/^==== end =/p' "$T/out" >report
	eq "its first line" "$(grep -c '^==== socklib report' report)" 1
	eq "its last line" "$(tail -n 1 report | cut -c1-9)" "==== end "
	match "its sections" "$(sections report)" "^machine lines .*summary "
	match "the command" "$(cat report)" '^to repeat: +sock_sink -s -n 6 -d 1 -R$'
	match "the source" "$(cat report)" '^source=\[sock_source\]$'
	match "the sum" "$(cat report)" '^6 connections of 1 s, '
	eq "rows of the picture" "$(grep -Ec '^ +[1-6] .*\|' report)" 6
	# A reader finds each word that is explained.
	for word in median variance groups; do
		match "what is explained" "$(cat "$T/out")" "^  $word  +[A-Z]"
		match "what is there" "$(cat report)" "^  $word  +[^A-Z]"
	done
	for s in summary "known mechanisms" "during the run"; do
		match "what is explained" "$(cat "$T/out")" "\"---- $s\""
		match "what is there" "$(cat report)" "^---- $s\$"
	done
	eq "lines over 78 columns" "$(grep -Ec '^.{79}' "$T/out")" 0
	# It can be kept, and read again.
	run 5 "$SINK" -r report
	status 0
	match "read again" "$out" '^6 connections of 1(\.0[0-9]+)? s, '
}

it demo
finish
