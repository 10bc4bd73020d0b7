/*
 * conclude: what a command comes to: the summary of its run, the comparison
 * with a saved one, the tests of -E, and the exit status.
 */
#ifndef MEASURE_CONCLUDE_H
#define MEASURE_CONCLUDE_H

struct bugreport;
struct evidence;
struct plan;
struct report;
struct run;
struct sock_cause;
struct sweep_saved;

/* All that there is to conclude from. */
struct conclude_input {
	const struct run *saved;	 /* as many as the plan names */
	const struct sweep_saved *sweep; /* of these, where they are sweeps */
	const struct run *live;		 /* NULL: nothing was measured */
	const struct evidence *evidence; /* of the live run */
	struct bugreport *bug;		 /* NULL: no -R */
};

/* Exit status when a test of -E cannot be told: "git bisect run" skips it. */
#define CONCLUDE_CANNOT_TELL 125

/*
 * Read the saved outputs that the plan names into run[] and, where they are
 * sweeps, into sweep[], which have room for PLAN_SAVED; with -w without what
 * lies before it.  -1 with a cause.
 */
int conclude_read(const struct plan *plan, struct run *run, struct sweep_saved *sweep,
		  struct sock_cause *cause);

/*
 * Print all that there is to say.  *status gets the exit status that the tests
 * of -E call for, 0 without.  -1 with a cause when there is no memory.
 */
int conclude_say(struct report *report, const struct conclude_input *input, int *status,
		 struct sock_cause *cause);

#endif
