/*
 * Probabilities that a test of significance needs: Student's t, Fisher's F,
 * Fisher's exact test of a 2x2 table, the Mann-Whitney statistic, the ranks
 * around a median.
 *
 * All functions are pure.  A p is 0..1; an argument outside its range, a NaN
 * included, gives 1: no evidence of anything.
 */
#ifndef MEASURE_DIST_H
#define MEASURE_DIST_H

#include <stddef.h>

/* What dist_rank_sum() and dist_median_rank() say when there is no such rank. */
#define DIST_NONE ((size_t)-1)

/*
 * Regularised incomplete beta function I_x(a, b), 0..1, for a, b > 0.
 * Continued fraction by the modified Lentz method: Numerical Recipes, 6.4;
 * DLMF 8.17.22.
 */
double dist_beta(double a, double b, double x);

/* Two-sided p of Student's t; df > 0 need not be whole. */
double dist_t(double t, double df);

/* p of a variance ratio of at least f >= 0; d1, d2 > 0 need not be whole. */
double dist_f(double f, double d1, double d2);

/*
 * Fisher's exact test, two-sided: a of n against b of m, with a <= n, b <= m.
 * The p is the sum over all tables with the same margins that are at most as
 * likely as this one.  Takes time in proportion to the smaller margin.
 */
double dist_fisher(size_t a, size_t n, size_t b, size_t m);

/*
 * The smallest two-sided p that the Mann-Whitney test can have with n and m
 * values, that of total separation: 2 / C(n + m, n).  1 when n or m is 0.
 */
double dist_separation(size_t n, size_t m);

/*
 * Critical value of the Mann-Whitney U of n and m values without ties: the
 * largest u with P(U <= u) <= 0.025, DIST_NONE when P(U = 0) is above that.
 * With d[0] <= d[1] <= ... the n*m differences, d[u] .. d[n*m - 1 - u] is the
 * 95 % interval of the shift (Hodges and Lehmann 1963).
 * Exact for the smaller of n, m up to 100 and n*m up to 10^6; above, the
 * normal approximation with continuity correction.  In *rank; returns 0, or
 * -1 when there is no memory (4 MB at most).
 */
int dist_rank_sum(size_t n, size_t m, size_t *rank);

/*
 * The largest k with P(B <= k) <= 0.025 for B binomial (n, 1/2), DIST_NONE
 * below n = 6.  Of sorted x[0..n-1], x[k] .. x[n-1-k] holds the median with
 * a probability of *coverage, 0.95..1 (0 with DIST_NONE).
 */
size_t dist_median_rank(size_t n, double *coverage);

#endif
