#!/bin/sh
# make demo: from the sources to both speeds within 40 s, exit 0, and
# nothing that it started is left.
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

demo() {
	mkdir tree
	for f in "$HERE"/../*; do
		case ${f##*/} in
		build) ;;
		*) cp -R "$f" tree/ ;;
		esac
	done
	make -C tree >make.out 2>&1 || fail "make: $(tail -n 3 make.out)"
	run 110 make -C tree demo
	status 0
	true_that "under 40 s on an idle machine, 100 here (took $took)" \
		"$took < 10000"
	eq "complaints" "$err" ""
	eq "processes left" "$(running)" ""
	eq "ends of six connections" "$(grep -Ec \
		'^connection [0-9]+: .* MB read, .*, done$' "$T/out")" 6
	eq "headers without options" "$(grep -c '^host=.* options=\[\]' \
		"$T/out")" "$(grep -c '^host=.* options=\[TCP_NODELAY SO_RCV' \
		"$T/out")"
	ends "$T/out" | sed -n -E 's/.* MB read, ([0-9.]+) MB.*/\1/p' >speeds
	[ "$(uname)" = Linux ] || return
	fast=$(head -n 3 speeds | median)
	slow=$(tail -n 3 speeds | median)
	true_that "the reader sees the collapse" "$fast > 10 * $slow"
}

it demo
finish
