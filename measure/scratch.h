/*
 * scratch: files and names for the time of a run, under $TMPDIR, or /tmp where
 * that is not set.
 */
#ifndef MEASURE_SCRATCH_H
#define MEASURE_SCRATCH_H

#include <stddef.h>

struct sock_cause;

/* A file that has no name any more; -1 with a cause that begins with step. */
int scratch_file(const char *step, struct sock_cause *cause);

/*
 * The path of a file that does not exist and that nobody will think of, in
 * text.  Where it would have longest bytes or more, /tmp is taken.  -1 with a
 * cause.
 */
int scratch_name(const char *step, char *text, size_t longest, struct sock_cause *cause);

#endif
