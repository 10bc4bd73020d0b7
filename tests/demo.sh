#!/bin/sh
# What the tool is for, in half a minute: the session of 1998 (one source that
# writes 1024 bytes at a time, three connections), then the same with the
# mail's socket options on both ends, where throughput collapses.
set -eu

dir=$(mktemp -d)
source=
trap 'test -z "$source" || kill "$source" 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP

start_source() {
	: >"$dir/source"
	./sock_source -p 0 "$@" >"$dir/source" 2>&1 &
	source=$!
	tries=0
	until port=$(sed -n 's/^port=\([0-9]*\) .*/\1/p' "$dir/source") && [ -n "$port" ]; do
		tries=$((tries + 1))
		if [ $tries -gt 100 ] || ! kill -0 "$source" 2>/dev/null; then
			cat "$dir/source" >&2
			exit 1
		fi
		sleep 0.1
	done
}

stop_source() {
	kill "$source"
	wait "$source"
	source=
}

options="TCP_NODELAY SO_RCVBUF=8192 SO_SNDBUF=16384 IPTOS_THROUGHPUT"

echo "1. Three connections to one source, as in the mail of 1998."
echo
start_source -b 1024
for _ in 1 2 3; do
	./sock_sink -p "$port" -d 4 -i 1
done
stop_source

echo
echo "2. The same with the mail's socket options, set after connect() and"
echo "   accept() as it did. The receive window is now below one segment."
echo
start_source -b 1024 -t "$options"
for _ in 1 2 3; do
	./sock_sink -p "$port" -d 4 -i 1 -t "$options"
done
stop_source
