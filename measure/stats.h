/*
 * What can honestly be said about some rates: medians and where they lie,
 * groups of connections, one run against another.  What happens inside
 * connections is in levels.h.
 *
 * Pure functions over arrays of numbers.  Rates are in MB/s.  A rate that is
 * negative or not a number counts as 0, one above STATS_RATE_MAX as that, so
 * no result is ever a NaN or an infinity.  Ratios are taken between rates of
 * at least STATS_RATE_MIN, so that a stall has one too.  What too few values
 * cannot support is said by an enum or a flag; the figures that it covers
 * are then 0.
 *
 * A function that returns an int returns 0, or -1 when there is no memory;
 * its result then holds nothing.
 *
 * Constants without another source were chosen by simulation; what they
 * achieve is asserted in tests/unit_rates.c.
 */
#ifndef MEASURE_STATS_H
#define MEASURE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#define STATS_RATE_MIN 0.001  /* 1 kB/s */
#define STATS_RATE_MAX 1e15   /* beyond any memory */
#define STATS_ALPHA 0.05      /* a p up to this is a finding */
#define STATS_CHANGE_MIN 1.10 /* a smaller step or gap is none */
#define STATS_NOISE_MIN 0.01  /* less noise counts as 1 % */
#define STATS_MARGIN 1.05     /* two boots of one kernel differ by less */

/* The rates of one connection, or whatever else has been measured in turn. */
struct stats_series {
	const double *rate; /* MB/s, whole intervals only, in order */
	size_t n;
};

/* A rate as the other functions see it: 0..STATS_RATE_MAX. */
double stats_rate(double rate);

/* Its natural logarithm, of at least STATS_RATE_MIN: -6.9..34.5. */
double stats_ln(double rate);

/*
 * Median, the mean of the two middle values where there are two, 0 without
 * values.  The first sorts its argument, which must hold no NaN; the second
 * takes rates and leaves them alone.
 */
double stats_sort_median(double *x, size_t n);
int stats_median(const double *rate, size_t n, double *median);

#define STATS_INTERVAL_FROM 6 /* values: with fewer there is no 95 % interval */

/*
 * Median with its 95 % interval from order statistics (Conover, Practical
 * Nonparametric Statistics, 3.2): it asks nothing of the distribution and
 * does not exist below 6 values.
 */
struct stats_middle {
	size_t n;
	double min; /* MB/s; 0 when n is 0, as the next two */
	double median;
	double max;
	bool has_interval;
	double low; /* MB/s */
	double high;
	double coverage; /* 0.95..1, probability that the interval covers */
};

int stats_middle(const double *rate, size_t n, struct stats_middle *middle);

/*
 * Jain's index of fairness (Jain, Chiu and Hawe 1984), 1/n..1: the share of
 * connections that would have to share alike for as unequal a result.  False
 * when it does not exist, without values or with nothing but zeros.
 */
bool stats_jain(const double *rate, size_t n, double *index);

/*
 * Coefficient of variation, sample deviation over mean, 0..sqrt(n).  False
 * when it does not exist: below 2 values, or nothing but zeros.
 */
bool stats_cv(const double *rate, size_t n, double *cv);

/* Groups of connections by their level. */
#define STATS_GROUPS_MAX 4
#define STATS_ODD_MAX 2 /* a group of so many is "odd connections" */

enum stats_grouping {
	STATS_GROUPS_TOO_FEW, /* below 3 connections: cannot tell */
	STATS_GROUPS_NONE,    /* no distinct groups */
	STATS_GROUPS_FOUND
};

struct stats_group {
	size_t n;
	double level; /* MB/s, median of its members' levels */
	double low;   /* MB/s, slowest and fastest member */
	double high;
};

struct stats_groups {
	enum stats_grouping grouping;
	size_t count;				    /* 2..4 when found, else 1; 0 without values */
	struct stats_group group[STATS_GROUPS_MAX]; /* slowest first */
};

/*
 * Cut the sorted levels at their widest gaps, into as many groups as leave
 * each gap wider than what a single cloud of connections shows in about 95 %
 * of runs.  level[] has one value per connection, that of its longest stretch
 * (levels.h), in any order.
 */
int stats_groups(const double *level, size_t n, struct stats_groups *groups);

/* The index in groups->group[] of one of the levels that it was made from. */
size_t stats_group_of(const struct stats_groups *groups, double level);

/* The verdict on two runs. */
enum stats_verdict {
	STATS_CANNOT_TELL,   /* too few connections */
	STATS_NO_DIFFERENCE, /* none seen: low <= 1 <= high */
	STATS_SMALL,	     /* significant, but less than STATS_MARGIN */
	STATS_FASTER,
	STATS_SLOWER
};

/* "cannot tell", "no difference seen", "small difference", "faster", "slower" */
const char *stats_verdict_name(enum stats_verdict verdict);

struct stats_comparison {
	enum stats_verdict verdict;
	size_t before; /* number of connections */
	size_t after;
	bool has_ratio;	 /* neither run is empty; else all below is 0 */
	double ratio;	 /* after over before, Hodges-Lehmann estimate */
	double pair_low; /* smallest and largest ratio of a single pair */
	double pair_high;
	bool has_interval; /* unless STATS_CANNOT_TELL */
	double low;	   /* 95 % interval of ratio: a loss above 1 - low */
	double high;	   /* and a gain above high - 1 are ruled out */
	double best_p;	   /* of total separation with so many connections */
	size_t need_after; /* the fewest that could tell against before, */
	size_t need_each;  /* and of each, when both can be had: 4 */
};

/*
 * Compare two runs: the Hodges-Lehmann estimate of the ratio with the interval
 * that belongs to the exact Mann-Whitney test (dist_rank_sum()).  before[] and
 * after[] have one median per connection.  Time O((n + m) log) whatever n*m.
 */
int stats_compare(const double *before, size_t n, const double *after, size_t m,
		  struct stats_comparison *comparison);

/* How two runs share out over the groups that they form together. */
struct stats_shares {
	struct stats_groups groups;	 /* of both runs' connections */
	size_t before[STATS_GROUPS_MAX]; /* connections of it in each */
	size_t after[STATS_GROUPS_MAX];
	bool has_p; /* groups were found and neither run is empty */
	double p;   /* Fisher's exact test: in the slowest or not */
};

/*
 * A fix that removes a slow mode shows here, not in the ratio.  level[] as in
 * stats_groups().
 */
int stats_share(const double *before, size_t n, const double *after, size_t m,
		struct stats_shares *shares);

#endif
