#!/bin/sh
# The build: without Linux parts; dependencies on headers; install and uninstall
# put and remove the same files and touch nothing else; clean leaves what the
# archive had.  All in copies of the tree.
# limit: 240
# shellcheck disable=SC2317,SC2119
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck source-path=SCRIPTDIR source=tree.sh
. "$HERE/tree.sh"

build_portable() {
	builds PORTABLE=1 CFLAGS=-O0
	SINK=$T/tree/sock_sink
	start_source -j -d 0.5
	run 10 "$SINK" -j -p "$PORT" -t "TCP_NODELAY SO_RCVBUF=65536"
	status 0
	eq "bytes" "$(json "$T/out" -e end bytes)" \
		"$(json "$SRC_OUT" -e end bytes)"
	# A report is one all the same, of what is not known as well.
	run 10 "$SINK" -R -n 2 -d 0.2 -p "$PORT"
	status 0
	match "last line" "$(tail -n 1 "$T/out")" '^==== end ='
	match "machine" "$out" '^memory +n/a'
	match "kernel" "$out" '^  n/a for connections: 1 2$'
	match "load" "$out" '^load +n/a in 1 min; n/a of n/a CPUs'
	match "counters" "$out" '^TcpExt: n/a$'
}

# A copy of the tree that has been built, once for all who want one.
built_tree() {
	if [ ! -d "$TOP/built" ]; then
		copy_tree
		make -C tree CFLAGS=-O0 >make.out 2>&1 || fail "$(tail -n 3 make.out)"
		mv tree "$TOP/built"
	fi
	cp -pR "$TOP/built" tree
}

# A header changed is a program made anew; from any directory.
header_dependencies() {
	built_tree
	ok "nothing to do" make -s -C tree -q CFLAGS=-O0
	for h in tree/*.h tree/measure/*.h; do
		o=${h#tree/}
		[ -f "tree/build/${o%.h}.o" ] || continue
		cp -p "$h" kept
		touch "$h"
		not_ok "nothing to do after ${h#tree/} changed" \
			make -s -C tree -q CFLAGS=-O0
		cp -p kept "$h"
	done
	touch tree/measure/clock.h
	make -C tree CFLAGS=-O0 >make.out 2>&1
	ok "nothing to do after it was made" make -s -C tree -q CFLAGS=-O0
}

# Names of all files below a directory, with what they hold.
listing() {
	(cd "$1" && find . -type f -exec cksum {} + | sort -k 3)
}

clean_leaves_what_the_archive_had() {
	copy_tree
	make -C tree clean >make.out 2>&1
	listing tree >before
	rm -rf tree
	built_tree
	listing tree >between
	not_ok "nothing was made" cmp -s before between
	make -C tree clean >make.out 2>&1
	eq "status of make clean" $? 0
	listing tree >after
	eq "files that differ" "$(diff before after)" ""
	eq "directories left" "$(find tree -name build)" ""
}

manual_is_found_by_man() {
	need man
	built_tree
	make -C tree CFLAGS=-O0 install DESTDIR="$T/a b" >make.out 2>&1
	pages="$T/a b/usr/local/share/man"
	for page in sock_source.1 sock_sink.1 sock_options.7 sock_facts.7; do
		eq "where man finds it" "$(man -M "$pages" -w "${page%.*}" 2>&1)" \
			"$pages/man${page#*.}/$page"
	done
}

# Of the repository, of an archive of it, and of a copy with neither.
version_names_its_commit() {
	need git
	copy_tree
	eq "version of a copy" "$(make -s -C tree version)" "$(number_of tree)"
	git="git -C tree -c user.name=test -c user.email=test@localhost"
	{ $git init -q && $git add -A && $git commit -q -m test; } >git.out 2>&1 ||
		fail "$(tail -n 3 git.out)"
	commit=$($git rev-parse --short HEAD)
	eq "version of a repository" "$(make -s -C tree version)" \
		"$(number_of tree)-$commit"
	mkdir archive
	$git archive HEAD | tar -x -C archive
	eq "version of an archive" "$(make -s -C archive version)" \
		"$(number_of tree)-$commit"
	echo >>tree/README.md
	eq "version of a changed tree" "$(make -s -C tree version)" \
		"$(number_of tree)-$commit-dirty"
}

# The one place that has it.
number_of() {
	sed -n 's/^VERSION = //p' "$1/Makefile"
}

# What guards against faults not yet found: on where the toolchain has it.
guards_are_in_by_default() {
	need readelf
	grep -q -e '-z,relro,-z,now' "$BUILD/flags" || skip "this toolchain has none"
	for p in "$SOURCE" "$SINK"; do
		match "type of ${p##*/}" "$(readelf -hW "$p")" '^ *Type: +DYN'
		match "segments" "$(readelf -lW "$p")" '^ *GNU_RELRO'
		match "dynamic section" "$(readelf -dW "$p")" 'NOW'
		match "symbols" "$(readelf -sW "$p")" '__stack_chk_fail'
		if grep -q -e ' -O[1-3s]' "$BUILD/flags" &&
		   grep -q FORTIFY_SOURCE=2 "$BUILD/flags" &&
		   readelf -dW "$p" | grep -q 'libc\.so\.6'; then
			match "symbols" "$(readelf -sW "$p")" '__[a-z]+_chk'
		fi
	done
}

guards_may_be_left_out() {
	copy_tree
	make -C tree HARDEN= -n all >make.out 2>&1
	eq "status of make -n HARDEN=" $? 0
	match "its commands" "$(cat make.out)" ' -c -o build/socklib\.o '
	no_match "its commands" "$(cat make.out)" 'stack-protector|FORTIFY|relro'
}

# A packager's flags for the linker take none of ours away.
flags_of_a_packager() {
	copy_tree
	make -s -C tree CFLAGS=-O0 LDFLAGS=-Wl,-O1 build/unit_explain >make.out 2>&1
	eq "status of make with LDFLAGS" $? 0
}

install_and_uninstall() {
	built_tree
	mkdir dest home
	for prefix in "" /usr /opt/sock; do
		if [ -n "$prefix" ]; then
			set -- PREFIX="$prefix"
		else
			prefix=/usr/local
			set --
		fi
		HOME=$T/home make -C tree CFLAGS=-O0 install "$@" \
			DESTDIR="$T/dest" >make.out 2>&1
		eq "status of make install" $? 0
		eq "files" "$(cd dest && find . -type f | sort | tr '\n' ' ')" \
"./${prefix#/}/bin/sock_sink ./${prefix#/}/bin/sock_source \
./${prefix#/}/share/man/man1/sock_sink.1 \
./${prefix#/}/share/man/man1/sock_source.1 \
./${prefix#/}/share/man/man7/sock_facts.7 \
./${prefix#/}/share/man/man7/sock_options.7 "
		ok "it runs" "dest$prefix/bin/sock_sink" -V >/dev/null
		make -C tree CFLAGS=-O0 uninstall "$@" DESTDIR="$T/dest" \
			>make.out 2>&1
		eq "status of make uninstall" $? 0
		eq "files left" "$(find dest -type f)" ""
		eq "files in the home" "$(find home -type f)" ""
	done
}

for t in build_portable header_dependencies \
	clean_leaves_what_the_archive_had install_and_uninstall manual_is_found_by_man \
	version_names_its_commit flags_of_a_packager \
	guards_are_in_by_default guards_may_be_left_out; do
	it $t
done
finish
