/*
 * conclude_sweep: what a sweep comes to: the table of its settings, cliffs,
 * the comparison with a saved one, the tests of -E for each, and the exit
 * status.
 */
#ifndef MEASURE_CONCLUDE_SWEEP_H
#define MEASURE_CONCLUDE_SWEEP_H

#include <stddef.h>

struct bugreport;
struct cliffs;
struct lane;
struct report;
struct sock_cause;
struct sweep;
struct sweep_saved;

struct conclude_sweep_input {
	const struct sweep *sweep;
	struct lane *const *lanes; /* of its settings, the first count */
	size_t count;
	const struct cliffs *cliffs;
	int has_edges;			 /* cliffs have been looked for, between some neighbours */
	const struct sweep_saved *saved; /* as many as the plan names */
	struct bugreport *bug;		 /* NULL: no -R */
	int interrupted;
};

/*
 * Print all that there is to say of a sweep.  *status gets the exit status
 * that the tests of -E call for.  -1 with a cause when there is no memory.
 */
int conclude_sweep_say(struct report *report, const struct conclude_sweep_input *input, int *status,
		       struct sock_cause *cause);

/* The same of saved ones alone, one or two.  bug NULL: no -R. */
int conclude_saved_sweeps(struct report *report, const struct sweep_saved *saved, size_t count,
			  struct bugreport *bug, int *status, struct sock_cause *cause);

#endif
