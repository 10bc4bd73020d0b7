#!/bin/sh
# Builds without a warning from each compiler that is here, with other flags and
# in parallel, and the programs of each work.  They take minutes: make
# check-builds.
# limit: 600
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# What the make that runs the tests was told is none of these builds'.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CC CFLAGS LDFLAGS PORTABLE \
	BUILD_DIR PREFIX DESTDIR

# A copy of the tree as the archive has it, in "tree".
copy_tree() {
	mkdir tree
	for f in "$HERE"/../* "$HERE"/../.[a-z]*; do
		case ${f##*/} in
		build|.git|sock_source|sock_sink|.|..) ;;
		*) [ ! -e "$f" ] || cp -R "$f" tree/ ;;
		esac
	done
	find tree -name '*.o' -exec rm -f {} +
}

# Both programs of the tree work with each other.
works() {
	SOURCE=$T/tree/sock_source
	SINK=$T/tree/sock_sink
	start_source
	sink -d 0.3
	status 0
	match "end line" "$(tail -n 1 "$T/out")" ', done$'
	stop_source
	eq "status of the source" "$st" 0
	eq "complaints" "$err$(cat "$SRC_ERR")" ""
}

# builds MAKE_ARGUMENT...: without a warning, and it works.
builds() {
	copy_tree
	make -C tree "$@" >make.out 2>&1
	eq "status of make $*" $? 0
	eq "warnings of make $*" "$(grep -Ei 'warning|error:' make.out |
		head -n 3)" ""
	works
}

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
