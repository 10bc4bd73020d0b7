/* What changed with the level inside one connection: see association.h. */
#include "association.h"

#include <math.h>
#include <stdlib.h>

#include "stats.h"

#define GAP_SIDE 2 /* samples on a side and in all: for any gap, */
#define GAP_SAMPLES 6
#define GAP_MEDIAN_SIDE 4 /* and for a median step that is sure enough */
#define GAP_MEDIAN_SAMPLES 16

/* The known ones of value[0..n) into x; how many. */
static size_t collect(const double *value, size_t n, double *x)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(value[i]))
			x[count++] = value[i];
	return count;
}

/* Steps between neighbours that are both known, but for the one of the change. */
static size_t collect_steps(const double *value, size_t n, size_t before, double *x)
{
	size_t count = 0;

	for (size_t i = 1; i < n; i++)
		if (i != before && isfinite(value[i - 1]) && isfinite(value[i]))
			x[count++] = fabs(value[i] - value[i - 1]);
	return count;
}

double association_gap(const double *value, size_t n, size_t before)
{
	double *x = before < n ? calloc(n, sizeof(*x)) : NULL, gap = NAN, from, to, step;
	size_t left, right, steps;

	if (!x)
		return NAN;
	left = collect(value, before, x);
	from = stats_sort_median(x, left);
	right = collect(value + before, n - before, x);
	to = stats_sort_median(x, right);
	steps = collect_steps(value, n, before, x);
	step = stats_sort_median(x, steps);
	if (left < GAP_SIDE || right < GAP_SIDE || left + right < GAP_SAMPLES || steps == 0)
		goto out;
	if (left < GAP_MEDIAN_SIDE || right < GAP_MEDIAN_SIDE || left + right < GAP_MEDIAN_SAMPLES)
		step = x[steps - 1];
	gap = fabs(to - from);
	if (gap > 0)
		gap = step > 0 ? gap / step : (double)INFINITY;
out:
	free(x);
	return gap;
}
