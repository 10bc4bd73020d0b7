/*
 * cliff: where between two neighbours of a sweep the speed changes.
 *
 * Two neighbours are steep when all connections of one lie above all of the
 * other and their medians are more than CLIFF_TIMES apart.  The search halves
 * the gap between them: a setting in the middle is measured and becomes one of
 * the two sides, until they are within 1/CLIFF_NEAR of each other.  Where the
 * middle is between the sides in speed, too, and steep against neither there
 * is a slope and no edge; where it is steep against both there are two cliffs,
 * and the second is looked for on its own.  The steepest come first.
 *
 * Pure: the caller measures, like this:
 *
 *	cliff_find(&cliffs, pair, pairs);
 *	while (cliff_next(&cliffs, &try))	more than once for several
 *		cliff_tell(&cliffs, &try, median, n);	that are measured together
 *	cliff_free(&cliffs);
 *
 * A function that returns an int returns -1 when there is no memory.
 */
#ifndef MEASURE_CLIFF_H
#define MEASURE_CLIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "stats.h"

#define CLIFF_TIMES 2.0
#define CLIFF_NEAR 32
#define CLIFF_TRIES 6	/* settings added per cliff */
#define CLIFF_SWEEP 24	/* and per sweep */
#define CLIFF_SPLIT 4.0 /* numbers further apart are not halved but split evenly by ratio */

/* One of two settings that differ in one number. */
struct cliff_side {
	double number;	      /* what is no whole number from 0 to 2^53 is passed over */
	const double *median; /* of its connections */
	size_t n;
};

/* Two neighbours, in any order. */
struct cliff_pair {
	const char *setting; /* what both have in common: "-b 64K"; "": nothing */
	const char *name;    /* what the number is of: "SO_SNDBUF", "-b" */
	struct cliff_side side[2];
};

/* A setting that has been measured. */
struct cliff_point {
	double number;
	struct stats_middle middle;
};

enum cliff_result {
	CLIFF_OPEN,	 /* it is still looked for */
	CLIFF_EDGE,	 /* between low and high, as near as asked or next to each other */
	CLIFF_SLOPE,	 /* no edge between outer_low and outer_high */
	CLIFF_TRIED_OUT, /* CLIFF_TRIES were not enough to get as near */
	CLIFF_SWEPT_OUT, /* CLIFF_SWEEP were not, with other cliffs */
	CLIFF_NO_ANSWER	 /* a setting in the middle gave no rate */
};

struct cliff {
	size_t pair; /* index of one with the setting and name */
	const char *setting;
	const char *name;
	enum cliff_result result;
	struct cliff_point outer_low; /* as they were at first, by number */
	struct cliff_point outer_high;
	struct cliff_point low; /* as near as is known by now */
	struct cliff_point high;
	struct cliff_point tried[CLIFF_TRIES]; /* in this order, those without a rate too */
	size_t tries;
	bool is_pending; /* one more is being measured */
};

struct cliffs {
	struct cliff *cliff; /* in the order of the pairs */
	size_t count;
	size_t room;
	size_t added; /* settings, with those that are being measured */
};

/* To be measured: the setting of a side of this pair, but with this number. */
struct cliff_try {
	size_t cliff;
	size_t pair;
	double number; /* whole, and nothing that was measured before */
};

/*
 * Those of the pairs that are steep, or of the numbers next to each other
 * where pairs of the same setting and name overlap.  The strings must outlive
 * the cliffs, the medians need not.
 */
int cliff_find(struct cliffs *cliffs, const struct cliff_pair *pair, size_t pairs);

/* False when there is nothing (more) to be measured before something is told. */
bool cliff_next(struct cliffs *cliffs, struct cliff_try *try);

/* What came out, the medians of its connections; n is 0 where nothing did. */
int cliff_tell(struct cliffs *cliffs, const struct cliff_try *try, const double *median, size_t n);

/* Takes an empty one ({ 0 }), too. */
void cliff_free(struct cliffs *cliffs);

/* "open", "edge", "slope", "tried out", "swept out", "no answer" */
const char *cliff_result_name(enum cliff_result result);

#endif
