/*
 * bugreport: a run with all that a kernel mailing list asks for, -R.
 *
 * Plain ASCII of at most 78 columns, in sections under a line that begins with
 * "---- ", from "==== socklib report" to "==== end".  It names neither this
 * host nor a user, unless the command line does.  The reader of saved output
 * takes the lines and the machine from it (saved.h).  With -j the same facts
 * are events.
 *
 * In this order: bugreport_begin(), the lines as the run goes on,
 * bugreport_connections(), summary and explanation, bugreport_end().
 */
#ifndef MEASURE_BUGREPORT_H
#define MEASURE_BUGREPORT_H

#include <stddef.h>
#include <stdint.h>

struct evidence;
struct facts_sample;
struct hostenv;
struct netcount;
struct report;
struct run;
struct settings;
struct sock_cause;

struct bugreport {
	struct report *report;
	int64_t began;
	const struct run *saved;     /* what it is about instead of a live run, or NULL */
	struct hostenv *machine;     /* empty: a saved text says nothing of it */
	struct netcount *counters;   /* as the run began */
	struct facts_sample *before; /* the machine as the run began */
	struct settings *opened;     /* what the first connection was given, */
	struct settings *ended;	     /* and had at its end; NULL: not known */
	struct settings *source;     /* what a source of ours was asked for; or NULL */
};

/*
 * Print what comes before the lines of a live run, which is not begun before
 * this has looked at the machine; or, saved not NULL, before what is said of
 * that one, with its machine.  argv is that of the program.  -1: no memory.
 */
int bugreport_begin(struct bugreport *bug, struct report *report, const struct run *saved,
		    char **argv);

/* What was set, and what the kernel said of each connection. */
void bugreport_connections(const struct bugreport *bug, const struct evidence *evidence);

/* Why there is nothing to report. */
void bugreport_failed(const struct bugreport *bug, const struct sock_cause *cause);

/* What went on meanwhile, and the end; evidence NULL: no live run.  -1: no memory. */
int bugreport_end(struct bugreport *bug, const struct evidence *evidence);
void bugreport_free(struct bugreport *bug);

/* "---- TITLE" with a blank line before it. */
void bugreport_section(const struct bugreport *bug, const char *title);

#endif
