/* One sweep against another: see sweep_compare.h. */
#include "sweep_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dist.h"

/* ---- by the rows ---- */

static bool overlap(double low, double high, double other_low, double other_high)
{
	return low <= other_high && other_low <= high;
}

static double over(double new, double old)
{
	return exp(stats_ln(new) - stats_ln(old));
}

static bool holds(const struct stats_middle *m, double rate)
{
	return m->low <= rate && rate <= m->high;
}

/* Nothing in common, of so many that this cannot well be chance. */
static bool is_difference(const struct stats_middle *old, const struct stats_middle *new)
{
	if (old->has_interval && new->has_interval &&
	    !overlap(old->low, old->high, new->low, new->high))
		return true;
	return dist_separation(old->n, new->n) <= STATS_ALPHA &&
	       !overlap(old->min, old->max, new->min, new->max);
}

static enum stats_verdict judge_rows(const struct stats_middle *old, const struct stats_middle *new)
{
	double ratio = over(new->median, old->median);

	if (is_difference(old, new)) {
		if (fabs(log(ratio)) < log(STATS_MARGIN))
			return STATS_SMALL;
		return ratio > 1 ? STATS_FASTER : STATS_SLOWER;
	}
	if (old->has_interval && new->has_interval && holds(old, new->median) &&
	    holds(new, old->median))
		return STATS_NO_DIFFERENCE;
	return STATS_CANNOT_TELL;
}

static void compare_rows(struct sweep_pair *pair)
{
	const struct stats_middle *old = &pair->before->middle, *new = &pair->after->middle;
	struct stats_comparison *c = &pair->ratio;

	*c = (struct stats_comparison){ .before = pair->before->n, .after = pair->after->n };
	pair->by_rows = true;
	if (!pair->before->has_rate || !pair->after->has_rate)
		return;
	c->has_ratio = true;
	c->ratio = over(new->median, old->median);
	c->pair_low = over(new->min, old->max);
	c->pair_high = over(new->max, old->min);
	c->verdict = judge_rows(old, new);
	if (old->has_interval && new->has_interval) {
		c->has_interval = true;
		c->low = over(new->low, old->high);
		c->high = over(new->high, old->low);
	}
}

/* ---- the settings ---- */

static int compare_pair(struct sweep_pair *pair)
{
	const struct sweep_saved_row *old = pair->before, *new = pair->after;

	if (old->has_medians && new->has_medians)
		return stats_compare(old->median, old->n, new->median, new->n, &pair->ratio);
	compare_rows(pair);
	return 0;
}

int sweep_compare_make(const struct sweep_saved *before, const struct sweep_saved *after,
		       struct sweep_compare *compare)
{
	*compare = (struct sweep_compare){ .before = before, .after = after };
	compare->pair = calloc(after->count + 1, sizeof(*compare->pair)); /* + 1: it may be 0 */
	if (!compare->pair)
		return -1;
	for (size_t i = 0; i < after->count; i++) {
		struct sweep_pair *pair = &compare->pair[compare->pairs];

		pair->after = &after->row[i];
		pair->before = sweep_saved_find(before, pair->after->label);
		if (!pair->before) {
			compare->only_after++;
			continue;
		}
		if (compare_pair(pair)) {
			sweep_compare_free(compare);
			return -1;
		}
		compare->verdict[pair->ratio.verdict]++;
		compare->pairs++;
	}
	compare->only_before = before->count - compare->pairs;
	return 0;
}

void sweep_compare_free(struct sweep_compare *compare)
{
	free(compare->pair);
	*compare = (struct sweep_compare){ .pairs = 0 };
}
