/*
 * association: which recorded facts go with fast and slow connections.
 *
 * Rank correlation of each fact with the connections' speed, tested by
 * permutation against the largest one of its family (Westfall and Young,
 * Resampling-Based Multiple Testing, 1993, max-T), so that looking at many
 * facts finds no more by chance than looking at one.  An association is no
 * cause: the words are "goes with".
 *
 * Pure, with its own fixed random numbers: the same data give the same answer.
 */
#ifndef MEASURE_ASSOCIATION_H
#define MEASURE_ASSOCIATION_H

#include <stdbool.h>
#include <stddef.h>

#define ASSOCIATION_MIN 9   /* connections: with fewer even a perfect fact proves nothing */
#define ASSOCIATION_NAMED 3 /* facts of a family at most */

enum association_family { ASSOCIATION_PLACEMENT, ASSOCIATION_SYMPTOM, ASSOCIATION_FAMILIES };

struct association_fact {
	const char *name; /* "same_cpu", "sender rtt" */
	const char *unit;
	enum association_family family;
	const double *value; /* of each connection; NaN: not known */
};

struct association_named {
	size_t fact;   /* index of the caller's */
	double rho;    /* Spearman's rank correlation with the speed, -1..1 */
	double p;      /* corrected for its family */
	double faster; /* its median in the faster half, or the faster groups */
	double slower;
	bool has_with; /* a symptom that follows a named fact of placement: */
	size_t with;   /* which, index of the caller's */
};

enum association_verdict {
	ASSOCIATION_CANNOT_TELL, /* too few connections, or the facts take too few values */
	ASSOCIATION_NONE,	 /* nothing recorded goes with it */
	ASSOCIATION_FOUND
};

struct association {
	enum association_verdict verdict;
	size_t connections;
	size_t tried; /* facts that are known everywhere and not the same everywhere */
	size_t named_count[ASSOCIATION_FAMILIES];
	struct association_named named[ASSOCIATION_FAMILIES][ASSOCIATION_NAMED];
	double best_p;	/* the smallest that any of the facts could have come to */
	size_t need;	/* connections that could tell; 0: not known */
	bool has_drift; /* the order of the connections alone goes with the speed */
	double drift_rho;
	double drift_p;
};

/*
 * rate: MB/s of each of the n connections in the order of opening; slow[i]: 1
 * for the slower half or groups, from which the typical values are taken.
 * Whether the spread between connections is real is for the caller to ask
 * first.  -1: no memory.
 */
int association_find(const double *rate, const bool *slow, size_t n,
		     const struct association_fact *facts, size_t count,
		     struct association *association);

/*
 * Facts that changed with the level inside one connection: the gap of its
 * medians before and after, in units of its median step from sample to sample,
 * above 4.  value: n samples, of which the first `before` lie before the
 * change.  The gap in those units; NaN where it cannot be told.
 */
double association_gap(const double *value, size_t n, size_t before);

#endif
