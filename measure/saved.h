/*
 * saved: a run from a text: what a sock_sink or a sock_source printed, ours
 * or the original's of 1998, or a mail that quotes it.
 *
 * Quotes ("> ", ">> ") in front of a line and blanks around it do not matter,
 * several blanks are one, lines end with LF, CRLF or CR, and sequences for the
 * terminal are left out: script(1) keeps them.  What counts:
 *
 *	header		[PROMPT] "host=" NAME ["port=" N] "options=[" ... "]" ...
 *			[PROMPT] "port=" N or "path=" NAME, "options=[" ... "]"
 *	setting		"source=[" ... "]"
 *	source's	[PROMPT] "waiting for connection", [PROMPT] "accepted"
 *	interval	["[" N "] "] NUMBER " MB/sec" [" " WORD ...]
 *	sum		"[sum] " and an interval: known, not used
 *	end		[PROMPT] "connection " N ": " ...
 *	size		N " settings, " N " connections " or " rounds " ... (of each)
 *	columns		AXIS ... "median" ["low" "high"] "lowest" "highest" "spread" "gr."
 *			["n"] ["limiter"] "*" ["bar"]
 *	row		VALUE ... and the figures of these columns
 *	medians		"medians " AXIS " " VALUE ... ": " NUMBER ... or "n/a"
 *	machine		"---- machine" and the lines of that section (saved_machine.h)
 *
 * NUMBER is digits with an optional fraction and exponent.  WORD is one of
 * rwnd sndbuf pacing app cpu runq loss path timer stopped - late partial
 * warm-up; anything may follow it.  "partial" or "warm-up" among what follows:
 * the interval does not count.  PROMPT ends with one of $ # % >.  A header
 * goes on in lines that begin with one of its keys, and in any line while a
 * bracket is open; the value in it ends at the last "]" before the next key.
 *
 * Connections.  A header or an end begins one; an interval without [N] is of
 * the first one that has not ended.  The original wrote no ends: there a
 * further "accepted" begins one, too.  Those with an interval or an end are in
 * the run, in the order of their first line, under the number that was
 * printed; where there is none or it has been used, under the next free one.
 * Those open at the same time are one round.
 *
 * A sweep.  Rows follow their columns, up to the first line that is none.  A
 * setting is its axes and values.  What "medians" lines say of it goes before
 * rows; several of one setting are one.  A number of connections that is not
 * in a row is that of the size line before it.
 *
 * Both programs' lines: a connection has ended when both have said so, or when
 * a header or "accepted" follows the first end.  Ends belong together by
 * number or, where intervals have no [N], by order; numbers count what is
 * found.  Where several run at once and a source's numbers are not the sink's,
 * each program's lines with [N] make connections of their own.
 */
#ifndef MEASURE_SAVED_H
#define MEASURE_SAVED_H

#include <stdio.h>

struct run;
struct sock_cause;
struct sweep_saved;

/* A setting, or fact of the machine, that one text gives different values. */
#define SAVED_VARIOUS "various"

/*
 * Read file, to its end, into run, which is overwritten, not freed; run_free()
 * frees it afterwards.  name is for the cause.  -1 with a cause of status 1, and
 * the run empty, when file cannot be read, has no interval that counts, or
 * there is no memory.
 *
 * passed_over counts all other lines that are not empty, those of a summary or
 * of -v among them; but not those of the other sections of a report (-R).
 *
 * Settings are those of the sink's header, by their keys (options, early,
 * block, interval, warmup, cpu, source), and "source options", unless empty.
 * The environment is what the text says of the machine, by the keys of
 * hostenv.h.
 *
 * interval_s: by the header, else the argument (seconds; 0: not told), else
 * from the ends: 2 where the lengths of the connections allow for it, since a
 * header says only what is not the default, or else the shortest length that
 * an interval has by them, rounded.  It is 0, and no start is known, where that
 * cannot be told, or where both wrote and the argument is 0.  Where headers
 * differ it is 0, but starts are known.  Where both wrote, each line stands for
 * half an interval.
 *
 * duration_s: the length of the connections that were done, rounded, when they
 * agree.  A text says nothing of asked and interrupted; they are 0.
 */
int saved_read(FILE *file, const char *name, double interval_s, struct run *run,
	       struct sock_cause *cause);

/*
 * The same, and the settings of a sweep into sweep, which may be all that the
 * text has; its count is 0 where it has none.  sweep_saved_free() frees it.
 */
int saved_read_sweep(FILE *file, const char *name, double interval_s, struct run *run,
		     struct sweep_saved *sweep, struct sock_cause *cause);

#endif
