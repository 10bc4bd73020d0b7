#!/bin/sh
# Builds without a warning from each compiler that is here, with other flags and
# in parallel, and the programs of each work.  They take minutes: make
# check-builds.
# limit: 600
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck source-path=SCRIPTDIR source=tree.sh
. "$HERE/tree.sh"

build_as_it_stands() {
	builds
	ok "a second make has nothing to do" make -s -C tree -q
}

build_O0() {
	builds CFLAGS=-O0
}

build_sanitizers() {
	echo 'int main(void) { return 0; }' >try.c
	cc -fsanitize=address,undefined -o try try.c 2>/dev/null ||
		skip "no sanitizers here"
	./try || skip "sanitizers do not run here"
	builds CFLAGS='-O1 -g -fsanitize=address,undefined'
}

build_clang() {
	need clang
	builds CC=clang CFLAGS=-O0
}

build_musl() {
	need musl-gcc
	builds CC=musl-gcc CFLAGS=-O0
}

build_in_parallel() {
	builds -j8 CFLAGS=-O0
}

for t in build_as_it_stands build_O0 build_sanitizers build_clang build_musl \
	build_in_parallel; do
	it $t
done
finish
