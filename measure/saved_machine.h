/*
 * saved_machine: the section of a saved report that says what machine it was
 * made on (hostenv.h), into the run's environment.
 *
 * It begins with the line "---- machine" and ends before the next line that
 * begins with "---- " or "==== ", or that is of the run itself: a title may
 * have been lost in a mail.  Lines come as saved_line.h has them, without
 * quotes and blanks in front; one that begins with no key goes on with the
 * value before.
 */
#ifndef MEASURE_SAVED_MACHINE_H
#define MEASURE_SAVED_MACHINE_H

#include <stddef.h>

struct run;
struct saved_item;

struct saved_machine {
	int is_open;
	char key[64]; /* "": none yet */
	char value[1024];
};

/*
 * Take a line that is of the section, or end it.  Returns 1 when the line was
 * taken, 0 when it is for others, -1 when there is no memory.  Begin with an
 * empty one ({ 0 }).
 */
int saved_machine_take(struct saved_machine *machine, const char *line,
		       const struct saved_item *item, struct run *run);

/* The text has ended.  -1: no memory. */
int saved_machine_finish(struct saved_machine *machine, struct run *run);

#endif
