/*
 * summary: what a run comes to.  Text and JSON are made from this one struct
 * (figures.h), a comparison from two of them (compare.h).
 *
 * The unit of the median and its interval, of a comparison and of the tests of
 * -E is the connection; where several run at once it is the round: the sum of
 * its connections, interval by interval.  Groups, level changes and fairness
 * are those of the connections in any case.
 *
 * Pure: no I/O, no clock.  Rates are in MB/s and never negative or infinite.
 */
#ifndef MEASURE_SUMMARY_H
#define MEASURE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

struct levels_variance;
struct run;
struct stats_groups;
struct stats_middle;

#define SUMMARY_NO_GROUP ((size_t)-1)

struct summary_range {
	double min; /* 0 without intervals, as max */
	double max;
	bool has_ratio; /* no interval is 0, and it is at most 10^15 */
	double ratio;	/* max over min */
};

/* One connection. */
struct summary_row {
	unsigned int number; /* as printed */
	size_t n;	     /* intervals that count */
	const double *rate;  /* of these, the run's: pass each through stats_rate() */
	double median;	     /* 0 without intervals */
	double level;	     /* of its longest stretch */
	size_t group;	     /* in groups->group[], or SUMMARY_NO_GROUP */
	size_t stalls;	     /* intervals of 0 */
	bool too_short;	     /* to tell whether its level changed */
};

/* A level change that is certain enough to be named. */
struct summary_change {
	unsigned int connection;
	size_t after;	/* intervals */
	double after_s; /* since the connection began; below 0: not known */
	double from;
	double to;
	double p; /* 0..0.05, adjusted for the whole run */
};

/* An interval, or a block of them, that stands out from its neighbours. */
struct summary_odd {
	unsigned int connection;
	size_t interval; /* from 1; the first of the block */
	size_t length;	 /* of the block in intervals, 1 unless there are many */
	double rate;	 /* mean */
};

struct summary {
	const struct run *run; /* what it is about; must outlive it */
	size_t connections;    /* opened */
	size_t measured;       /* of these with an interval that counts */
	size_t too_short;      /* of these too short for level changes */
	size_t rounds;
	size_t intervals;
	size_t stalls;
	struct summary_range range; /* of all intervals */
	struct summary_range sums;  /* of the units' intervals: range without rounds */
	double *unit;		    /* median of each unit that has intervals */
	size_t units;
	double *level; /* of each connection that has intervals */
	struct summary_row *row;
	struct summary_change *change;
	size_t changes;
	struct summary_odd *odd;
	size_t odds;
	bool has_jain;		     /* rounds, and one of them with a rate above 0 */
	double jain;		     /* Jain's index of the connections of a round, median */
	struct stats_middle *middle; /* of the units */
	struct stats_groups *groups;
	struct levels_variance *variance;
};

/* -1 when there is no memory; it is then empty.  Free it with summary_free(). */
int summary_make(const struct run *run, struct summary *summary);

/* Takes an empty one ({ 0 }), too. */
void summary_free(struct summary *summary);

/* What the unit is called: "connection" or "round". */
const char *summary_unit(const struct summary *summary);

/*
 * The run has less than what was asked for: connections are missing or the
 * last one was cut short.  A run without a planned end is never early.
 */
bool summary_is_early(const struct summary *summary);

#endif
