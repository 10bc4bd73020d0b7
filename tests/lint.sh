#!/bin/sh
# Style and static checks, each where its tool is installed; what is missing is
# said. Exits 1 when a tool that ran had something to say.
set -u

status=0
have() {
	command -v "$1" >/dev/null 2>&1 && return 0
	echo "SKIP $1: not installed"
	return 1
}
report() {
	if [ "$1" -eq 0 ]; then
		echo "PASS $2"
	else
		echo "FAIL $2"
		status=1
	fi
}

c_files=$(find . -name '*.[ch]' -not -path './build*' | sort)

if have clang-format; then
	# shellcheck disable=SC2086
	clang-format --dry-run --Werror $c_files
	report $? clang-format
fi
if have cppcheck; then
	# shellcheck disable=SC2086
	cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
		--enable=warning,performance,portability \
		--library=posix --library=bsd \
		--suppress=missingIncludeSystem --suppress=toomanyconfigs $c_files
	report $? cppcheck
fi
if have shellcheck; then
	shellcheck tests/*.sh .ci/run
	report $? shellcheck
fi
if have mandoc; then
	# A page of this system that is not installed here is no fault of ours.
	messages=$(cd man && mandoc -T lint -W style ./*.[17] 2>&1 |
		grep -v -e 'referenced manual not found' -e 'mandoc\.db lacks')
	[ -z "$messages" ] || echo "$messages"
	[ -z "$messages" ]
	report $? mandoc
fi
exit $status
