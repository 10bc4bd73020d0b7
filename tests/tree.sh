# shellcheck shell=sh disable=SC2034,SC2154
# Copies of the tree, to build in; for tests that are given lib.sh before it.

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
