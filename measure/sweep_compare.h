/*
 * sweep_compare: one sweep against another, setting by setting.
 *
 * Pure.  Where both texts have the median of each connection a setting is
 * compared as two runs are (stats_compare()).  Where one has the rows of the
 * table alone, what they have must do: a difference is seen when the 95 %
 * intervals of the medians, or from lowest to highest so many connections as
 * can tell, have nothing in common.
 */
#ifndef MEASURE_SWEEP_COMPARE_H
#define MEASURE_SWEEP_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats.h"
#include "sweep_saved.h"

struct expect_result;
struct expect_test;

#define SWEEP_VERDICTS 5 /* those of enum stats_verdict */

/* A setting of both. */
struct sweep_pair {
	const struct sweep_saved_row *before;
	const struct sweep_saved_row *after;
	bool by_rows; /* then ratio is that of the medians, its interval a cautious one */
	struct stats_comparison ratio;
};

struct sweep_compare {
	const struct sweep_saved *before; /* both must outlive it */
	const struct sweep_saved *after;
	struct sweep_pair *pair; /* in the order of after */
	size_t pairs;
	size_t verdict[SWEEP_VERDICTS]; /* how many pairs have each */
	size_t only_before;		/* settings that the other does not have */
	size_t only_after;
};

/* -1 when there is no memory; it is then empty.  Free it with sweep_compare_free(). */
int sweep_compare_make(const struct sweep_saved *before, const struct sweep_saved *after,
		       struct sweep_compare *compare);

/* Takes an empty one ({ 0 }), too. */
void sweep_compare_free(struct sweep_compare *compare);

/*
 * A test of -E of one setting, by the medians of its connections: what is
 * about their intervals cannot be told.  asked: connections, 0: not known.
 * before: the same setting of an older sweep, NULL: none.  -1: no memory.
 */
int sweep_expect(const struct expect_test *test, const struct sweep_saved_row *row, size_t asked,
		 const struct sweep_saved_row *before, struct expect_result *result);

#endif
