/*
 * What happens inside connections: levels of speed, where they change, single
 * odd intervals; and whether connections differ by more than that.
 *
 * Neighbouring intervals are alike, so plain tests cry wolf.  These allow for
 * a correlation of 0.5 between neighbours and raise a false alarm in at most
 * about 5 % of runs (tests/unit_rates.c).  A drift, or a much higher
 * correlation, still looks like levels to them.
 *
 * Pure functions; rates, bad values and the int returned as in stats.h.
 * Positions count intervals from 0.
 */
#ifndef MEASURE_LEVELS_H
#define MEASURE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

struct stats_series;

#define LEVELS_MIN 6		/* intervals; a shorter connection is not judged */
#define LEVELS_POINTS_MAX 10000 /* a longer one is judged in blocks */

enum levels_state {
	LEVELS_TOO_SHORT, /* below LEVELS_MIN intervals */
	LEVELS_STEADY,	  /* no level change found */
	LEVELS_CHANGED
};

struct levels_change {
	size_t at;   /* first interval of the new level */
	double from; /* MB/s, medians of all intervals */
	double to;   /* on either side */
	double p;    /* 0..0.05, adjusted for the whole run */
};

struct levels_connection {
	enum levels_state state;
	size_t n;      /* intervals; 0: all else is 0 or NULL but step */
	double median; /* MB/s, of all intervals */
	double level;  /* MB/s, median of the longest stretch */
	size_t change_count;
	struct levels_change *change; /* in order */
	size_t odd_count;
	size_t *odd;	/* first intervals of odd blocks, in order */
	size_t step;	/* intervals per block, 1 up to LEVELS_POINTS_MAX */
	size_t points;	/* blocks: the last has what is left over, too */
	double mean;	/* of ln MB/s, with odd blocks replaced, */
	double squares; /* and the sum of squares about it */
};

struct levels {
	size_t count;
	struct levels_connection *connection; /* in the order given */
	double noise;			      /* median |difference| of neighbours' ln MB/s */
};

/*
 * Find the levels of all connections of a run at once: the noise they have in
 * common steadies the judgement of short ones, and the more connections there
 * are, the more certain each change must be.
 *
 * Optimal partitioning (Jackson et al. 2005) of the logarithms proposes; a t
 * test of each boundary decides, corrected for places, connections and the
 * correlation.  Intervals that stand out from both neighbours are set aside as
 * odd before, and an excursion of two intervals after.
 *
 * Time is O(n^2) per connection up to LEVELS_POINTS_MAX intervals.  Above
 * that, or when a run holds so many long connections that it would take
 * seconds, a connection is judged in blocks of step intervals by their mean
 * rates, as if the interval had been longer.  Medians are of all intervals.
 *
 * Free the result with levels_free(), which takes an empty one too.
 */
int levels_find(const struct stats_series *series, size_t count, struct levels *found);
void levels_free(struct levels *levels);

enum levels_verdict {
	LEVELS_TOO_FEW, /* below 3 connections, or no 2 intervals in any */
	LEVELS_ALIKE,	/* no difference beyond what happens inside them */
	LEVELS_BETWEEN, /* they differ, mostly between connections */
	LEVELS_WITHIN	/* they differ, but most variation is inside */
};

struct levels_variance {
	enum levels_verdict verdict;
	bool has_figures; /* else all below is 0; with LEVELS_TOO_FEW: for 2 */
	double f;	  /* variance of the means over what is expected */
	double p;	  /* 0..1 */
	double share;	  /* 0..1, between's of both variances */
	double between;	  /* standard deviations of ln MB/s: a typical */
	double within;	  /* deviation is a factor of exp() of this */
};

/*
 * Variance between connections against that within (one-way analysis of
 * variance with random effects on ln MB/s), where a connection counts as one
 * observation per 3.5 intervals, and not as more than it has levels when it
 * changed.  Connections without intervals are passed over.
 */
void levels_variance(const struct levels *levels, struct levels_variance *variance);

#endif
