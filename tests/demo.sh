#!/bin/sh
# What the tool is for, in ten seconds: how fast TCP is from one process to
# another on this host, and whether it is so each time, as a report that can go
# to a mailing list; and how to read it.
set -eu

cat <<'EOF'
Six connections of a second over loopback TCP, one after another, from a
sock_source to a sock_sink, and all that bears on their speed:

  ./sock_sink -s -n 6 -d 1 -R

EOF
./sock_sink -s -n 6 -d 1 -R
cat <<'EOF'

How to read it, from "---- summary":
  median     How fast it is. The 95% interval says how well six connections
             can tell: a wide one means that they differ.
  variance   Where the difference is. "Between": what makes a connection fast
             or slow is settled when it is made. "Within": the speed changes
             while it lasts.
  groups     Two or more: there is no one speed, and which of them a
             connection gets is chance until its cause is known.
  the rows   Each digit counts intervals at that speed: all rows in one place
             is a steady host, two places are two speeds.
Then "---- known mechanisms" for why, and "---- during the run" before you
blame TCP: where others were running, they may be the reason.

Next: ./sock_sink -s -n 12             longer, and more certain
      ./sock_sink -s -- -b 64..1M      which block size is fast
      ./sock_sink -s -x pipe,unix,tcp,file,mmap,copy
                                       what TCP is measured against
EOF
