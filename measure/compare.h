/*
 * compare: one run against another, before and after a change.
 *
 * Pure, over the summaries of both; the statistics are those of stats.h, with
 * the unit of the summaries.
 *
 * Of the machines all is compared but what is of the run alone: "load", and
 * "; steal ..." in "virtual" (hostenv.h).
 */
#ifndef MEASURE_COMPARE_H
#define MEASURE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

struct stats_comparison;
struct stats_shares;
struct summary;

/* A setting that is not the same in both runs; NULL: one that says nothing. */
struct compare_setting {
	char *name;
	char *before;
	char *after;
};

/* What the runs say of the machines they were made on. */
enum compare_environment {
	COMPARE_UNSAID, /* neither says anything */
	COMPARE_OLD_ONLY,
	COMPARE_NEW_ONLY,
	COMPARE_ALIKE,
	COMPARE_DIFFERENT
};

struct compare {
	const struct summary *before; /* both must outlive it */
	const struct summary *after;
	struct compare_setting *setting;
	size_t settings;
	enum compare_environment machines;
	struct compare_setting *environment; /* what differs, COMPARE_DIFFERENT */
	size_t environments;
	bool same; /* they have intervals, and these are equal one by one */
	struct stats_comparison *ratio;
	struct stats_shares *shares; /* of the groups of both runs' connections */
	bool share_changed;	     /* of the slowest group, where a run has groups of its own */
};

/* -1 when there is no memory; it is then empty.  Free it with compare_free(). */
int compare_make(const struct summary *before, const struct summary *after,
		 struct compare *compare);

/* Takes an empty one ({ 0 }), too. */
void compare_free(struct compare *compare);

/* As stats_verdict_name(). */
const char *compare_verdict(const struct compare *compare);

/* "different", "the same", "not given by the new run"; NULL: neither says anything */
const char *compare_machines(const struct compare *compare);

/*
 * What is certain of a loss or a gain, in percent: the near end of the ratio's
 * interval, 0 while that holds 1.  False when it cannot be told.
 */
bool compare_loss(const struct compare *compare, double *percent);
bool compare_gain(const struct compare *compare, double *percent);

#endif
