/*
 * association: which recorded facts go with fast and slow connections.
 *
 * Spearman's rank correlation of each fact with the connections' speed, tested
 * by permutation against the largest one of its family (Westfall and Young,
 * Resampling-Based Multiple Testing, 1993, max-T), so that looking at many
 * facts finds no more by chance than looking at one.  An association is no
 * cause: the words are "goes with".
 *
 * A fact that could not pass even in perfect step with the speed is blind: one
 * that differs in a single connection of ten is.  Where all are, or there are
 * too few connections, nothing can be told.
 *
 * Pure, with its own fixed random numbers, and sums that are whole numbers: the
 * same data give the same answer on every machine.  The order of the facts
 * does not matter.  Error rates and power are asserted in
 * tests/unit_association.c.
 */
#ifndef MEASURE_ASSOCIATION_H
#define MEASURE_ASSOCIATION_H

#include <stdbool.h>
#include <stddef.h>

#define ASSOCIATION_MIN 9   /* connections; with fewer most of what there is would be missed */
#define ASSOCIATION_NAMED 3 /* facts of a family at most */

/* The largest p that counts; together 5 % of runs name an unrelated fact. */
#define ASSOCIATION_PLACEMENT_P 0.03
#define ASSOCIATION_SYMPTOM_P 0.02
#define ASSOCIATION_DRIFT_P 0.05

enum association_family { ASSOCIATION_PLACEMENT, ASSOCIATION_SYMPTOM, ASSOCIATION_FAMILIES };

struct association_fact {
	const char *name; /* "same_cpu", "sender rtt"; never NULL */
	const char *unit; /* "us", "bytes"; "share" for 0..1; NULL or "" for a number */
	enum association_family family;
	const double *value; /* of each connection; NaN: not known */
};

struct association_named {
	size_t fact;   /* index of the caller's */
	double rho;    /* Spearman's rank correlation with the speed, -1..1 */
	double p;      /* corrected for its family, 0.0005..1 */
	bool is_mean;  /* the medians do not differ: the next two are means */
	double faster; /* its median in the faster half; NaN: there is none */
	double slower;
	bool has_with; /* a symptom that follows a named fact of placement, |rho| >= 0.8: */
	size_t with;   /* which, index of the caller's */
};

enum association_verdict {
	ASSOCIATION_CANNOT_TELL, /* too few connections, or no fact that is not blind */
	ASSOCIATION_NONE,	 /* nothing recorded goes with it */
	ASSOCIATION_FOUND
};

struct association {
	enum association_verdict verdict;
	size_t connections;
	size_t tried;	/* facts that are known everywhere and not the same everywhere */
	size_t unknown; /* facts that are not known of every connection */
	size_t alike;	/* facts that are the same in all */
	size_t blind;	/* of those tried */
	size_t named_count[ASSOCIATION_FAMILIES];
	size_t passed[ASSOCIATION_FAMILIES]; /* that many go with it, named or not */
	struct association_named named[ASSOCIATION_FAMILIES][ASSOCIATION_NAMED]; /* |rho| falls */
	double best_p;	/* of the least blind fact in perfect step with the speed; 1: none tried */
	double limit_p; /* the largest p that counts for that fact */
	size_t need; /* connections that could tell, if they are of the same kinds; 0: not known */
	bool has_order;	  /* the next two were looked at */
	double order_rho; /* of the connections' order with the speed */
	double order_p;	  /* on its own */
};

/*
 * rate: MB/s of each of the n connections in the order of opening, one that is
 * negative or no number counts as 0; slow[i]: it is of the slower half or
 * groups, from which the typical values are taken.  Whether the spread between
 * connections is real is for the caller to ask first.  -1: no memory.
 *
 * 1999 permutations; fewer, but at least 199, where n * count is above 200,000.
 * With 60 facts that takes 0.1 s for 1000 connections, 0.2 s for 10,000 and 2 s
 * for 100,000.
 */
int association_find(const double *rate, const bool *slow, size_t n,
		     const struct association_fact *facts, size_t count,
		     struct association *association);

/* Connections that were opened later are faster or slower. */
bool association_drifts(const struct association *association);

#define ASSOCIATION_GAP 4 /* a larger one changed with the level */

/*
 * How far a fact changed with the level inside one connection: the gap of its
 * medians before and after, in units of its median step from sample to sample;
 * of its largest step where fewer than 4 samples are known on a side or 16 in
 * all.  Of a fact that is noise below 1 in 1000 is above ASSOCIATION_GAP.
 *
 * value: n samples, of which the first `before` lie before the change; a NaN is
 * left out with both its steps.  INFINITY where that step is 0 and the medians
 * differ.  NaN where it cannot be told: fewer than 2 known on a side or 6 in
 * all, no memory.
 */
double association_gap(const double *value, size_t n, size_t before);

#endif
