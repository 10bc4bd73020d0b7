/* Where the speed changes: see cliff.h. */
#include "cliff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_table.h"

#define NUMBER_MAX 9007199254740992.0 /* 2^53: whole numbers up to it are exact */

/* ---- sides ---- */

static bool is_steep(const struct cliff_point *a, const struct cliff_point *b)
{
	/* More than so many times: exactly twice as fast at twice the size is no cliff. */
	return sweep_are_apart(&a->middle, &b->middle, CLIFF_TIMES * (1 + 1e-6));
}

static bool is_apart(const struct cliff_point *a, const struct cliff_point *b)
{
	return sweep_are_apart(&a->middle, &b->middle, 1);
}

/* How far the medians are apart, by ratio. */
static double distance(const struct cliff_point *a, const struct cliff_point *b)
{
	return fabs(stats_ln(a->middle.median) - stats_ln(b->middle.median));
}

/* The whole number to be tried; one of the two where none is between them. */
static double middle_of(double low, double high)
{
	double from = fmax(low, 1);

	if (high > CLIFF_SPLIT * from) {
		/* A power of two is as good as any, and what people think in. */
		double power = exp2(round((log2(from) + log2(high)) / 2));

		if (power > low && power < high)
			return power;
	}
	return floor(low + (high - low) / 2);
}

static bool is_near(const struct cliff *cliff)
{
	double low = cliff->low.number, high = cliff->high.number;

	return high - low <= 1 || (high - low) * CLIFF_NEAR <= low;
}

/* Whether it is over with these sides. */
static void judge(struct cliff *cliff)
{
	if (is_near(cliff))
		cliff->result = is_steep(&cliff->low, &cliff->high) ? CLIFF_EDGE : CLIFF_SLOPE;
	else if (cliff->tries == CLIFF_TRIES)
		cliff->result = CLIFF_TRIED_OUT;
}

/* ---- finding ---- */

/* A setting of the pairs. */
struct known {
	const char *setting;
	const char *name;
	size_t pair;
	struct cliff_point point;
};

static bool is_same_line(const struct known *a, const struct known *b)
{
	return strcmp(a->setting, b->setting) == 0 && strcmp(a->name, b->name) == 0;
}

static int by_line_and_number(const void *left, const void *right)
{
	const struct known *a = left, *b = right;
	int order = strcmp(a->setting, b->setting);

	if (order == 0)
		order = strcmp(a->name, b->name);
	if (order == 0)
		order = (a->point.number > b->point.number) - (a->point.number < b->point.number);
	return order ? order : (a->pair > b->pair) - (a->pair < b->pair);
}

static int by_pair(const void *left, const void *right)
{
	const struct cliff *a = left, *b = right;
	double x = a->low.number, y = b->low.number;

	if (a->pair != b->pair)
		return a->pair > b->pair ? 1 : -1;
	return (x > y) - (x < y);
}

/* NULL: no memory. */
static bool is_whole(double number)
{
	return number >= 0 && number <= NUMBER_MAX && floor(number) >= number;
}

static int take_pairs(const struct cliff_pair *pair, size_t pairs, struct known *known,
		      size_t *count)
{
	for (size_t i = 0; i < 2 * pairs; i++) {
		const struct cliff_pair *from = &pair[i / 2];
		const struct cliff_side *side = &from->side[i % 2];
		struct known *k = &known[*count];

		if (!is_whole(from->side[0].number) || !is_whole(from->side[1].number))
			continue;
		*k = (struct known){ .setting = from->setting,
				     .name = from->name,
				     .pair = i / 2,
				     .point.number = side->number };
		if (stats_middle(side->median, side->n, &k->point.middle))
			return -1;
		++*count;
	}
	return 0;
}

/* One more at the end: a try that is being measured knows its cliff by place. */
static int add_cliff(struct cliffs *cliffs, size_t pair, const char *setting, const char *name,
		     struct cliff_point low, struct cliff_point high)
{
	size_t room = cliffs->room ? 2 * cliffs->room : 8;
	struct cliff *grown;

	if (cliffs->count == cliffs->room) {
		grown = realloc(cliffs->cliff, room * sizeof(*grown));
		if (!grown)
			return -1;
		cliffs->cliff = grown;
		cliffs->room = room;
	}
	cliffs->cliff[cliffs->count] = (struct cliff){ .pair = pair,
						       .setting = setting,
						       .name = name,
						       .outer_low = low,
						       .outer_high = high,
						       .low = low,
						       .high = high };
	judge(&cliffs->cliff[cliffs->count++]);
	return 0;
}

static int find_steep(struct cliffs *cliffs, const struct known *known, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct known *low = &known[i - 1], *high = &known[i];

		/* Of one setting in two pairs the samples are the same. */
		if (!is_same_line(low, high) || low->point.number >= high->point.number ||
		    !is_steep(&low->point, &high->point))
			continue;
		if (add_cliff(cliffs, low->pair < high->pair ? low->pair : high->pair, low->setting,
			      low->name, low->point, high->point))
			return -1;
	}
	return 0;
}

int cliff_find(struct cliffs *cliffs, const struct cliff_pair *pair, size_t pairs)
{
	struct known *known = calloc(2 * pairs + 1, sizeof(*known));
	size_t count = 0;
	int ret = -1;

	*cliffs = (struct cliffs){ .count = 0 };
	if (known && take_pairs(pair, pairs, known, &count) == 0) {
		qsort(known, count, sizeof(*known), by_line_and_number);
		ret = find_steep(cliffs, known, count);
	}
	free(known);
	if (ret)
		cliff_free(cliffs);
	else if (cliffs->count > 0)
		qsort(cliffs->cliff, cliffs->count, sizeof(*cliffs->cliff), by_pair);
	return ret;
}

/* ---- the search ---- */

static bool is_started(const struct cliff *cliff)
{
	return cliff->tries > 0 || cliff->is_pending;
}

/*
 * As many at a time as the sweep has room for: a few edges that are known well
 * say more than many that are not.
 */
static struct cliff *choose(struct cliffs *cliffs)
{
	struct cliff *steepest = NULL;
	size_t searched = 0;

	for (size_t i = 0; i < cliffs->count; i++) {
		struct cliff *cliff = &cliffs->cliff[i];

		if (cliff->result != CLIFF_OPEN)
			continue;
		if (is_started(cliff) && !cliff->is_pending)
			return cliff;
		searched += is_started(cliff);
		if (!is_started(cliff) &&
		    (!steepest || distance(&cliff->low, &cliff->high) >
					  distance(&steepest->low, &steepest->high)))
			steepest = cliff;
	}
	return searched < CLIFF_SWEEP / CLIFF_TRIES ? steepest : NULL;
}

static void give_up(struct cliffs *cliffs)
{
	for (size_t i = 0; i < cliffs->count; i++)
		if (cliffs->cliff[i].result == CLIFF_OPEN && !cliffs->cliff[i].is_pending)
			cliffs->cliff[i].result = CLIFF_SWEPT_OUT;
}

bool cliff_next(struct cliffs *cliffs, struct cliff_try *try)
{
	struct cliff *cliff;

	if (cliffs->added == CLIFF_SWEEP) {
		give_up(cliffs);
		return false;
	}
	cliff = choose(cliffs);
	if (!cliff)
		return false;
	cliff->is_pending = true;
	cliffs->added++;
	*try = (struct cliff_try){ .cliff = (size_t)(cliff - cliffs->cliff),
				   .pair = cliff->pair,
				   .number = middle_of(cliff->low.number, cliff->high.number) };
	return true;
}

/* The middle is of the high side: separate from the other alone, or nearer. */
static bool is_of_high(const struct cliff *cliff, const struct cliff_point *middle)
{
	bool off_low = is_apart(&cliff->low, middle), off_high = is_apart(&cliff->high, middle);

	if (off_low != off_high)
		return off_low;
	return distance(middle, &cliff->high) < distance(&cliff->low, middle);
}

static bool is_between(const struct cliff *cliff, const struct cliff_point *middle)
{
	double low = cliff->low.middle.median, high = cliff->high.middle.median;
	double median = middle->middle.median;

	return low < high ? low < median && median < high : high < median && median < low;
}

/* All of it lies between the sides, and near enough to both. */
static bool is_slope(const struct cliff *cliff, const struct cliff_point *middle)
{
	return is_between(cliff, middle) && is_apart(&cliff->low, middle) &&
	       is_apart(&cliff->high, middle) && !is_steep(&cliff->low, middle) &&
	       !is_steep(&cliff->high, middle);
}

/* The half that is left becomes a cliff of its own.  -1: no memory. */
static int split(struct cliffs *cliffs, size_t at, const struct cliff_point *middle, bool is_high)
{
	struct cliff *cliff = &cliffs->cliff[at];
	struct cliff_point low = is_high ? *middle : cliff->low;
	struct cliff_point high = is_high ? cliff->high : *middle;

	if (is_high)
		cliff->outer_high = *middle;
	else
		cliff->outer_low = *middle;
	return add_cliff(cliffs, cliff->pair, cliff->setting, cliff->name, low, high);
}

int cliff_tell(struct cliffs *cliffs, const struct cliff_try *try, const double *median, size_t n)
{
	struct cliff *cliff = &cliffs->cliff[try->cliff];
	struct cliff_point middle = { .number = try->number };
	bool is_high, has_second;

	if (stats_middle(median, n, &middle.middle))
		return -1;
	cliff->is_pending = false;
	cliff->tried[cliff->tries++] = middle;
	if (n == 0) {
		cliff->result = CLIFF_NO_ANSWER;
		return 0;
	}
	if (is_slope(cliff, &middle)) {
		cliff->result = CLIFF_SLOPE;
		return 0;
	}
	is_high = is_of_high(cliff, &middle);
	has_second = is_between(cliff, &middle) && is_steep(&cliff->low, &middle) &&
		     is_steep(&cliff->high, &middle);
	if (has_second && split(cliffs, try->cliff, &middle, is_high))
		return -1;
	cliff = &cliffs->cliff[try->cliff]; /* which may have moved */
	if (is_high)
		cliff->high = middle;
	else
		cliff->low = middle;
	judge(cliff);
	return 0;
}

void cliff_free(struct cliffs *cliffs)
{
	free(cliffs->cliff);
	*cliffs = (struct cliffs){ .count = 0 };
}

const char *cliff_result_name(enum cliff_result result)
{
	static const char *const names[] = {
		[CLIFF_OPEN] = "open",		 [CLIFF_EDGE] = "edge",
		[CLIFF_SLOPE] = "slope",	 [CLIFF_TRIED_OUT] = "tried out",
		[CLIFF_SWEPT_OUT] = "swept out", [CLIFF_NO_ANSWER] = "no answer",
	};

	return names[result];
}
