/* Probabilities that a test of significance needs: see dist.h. */
#include "dist.h"

#include <math.h>
#include <stdlib.h>

#define TAIL 0.025		 /* one side of a 95 % interval */
#define TAIL_Z 1.959963984540054 /* where the normal distribution has it */
#define EXACT_SIDE 100		 /* dist_rank_sum(): C(10100, 100) < 1e308 */
#define EXACT_PAIRS 1000000
#define FRACTION_TERMS 10000 /* it converges in about sqrt(max(a, b)) */
#define FRACTION_TINY 1e-300
#define FRACTION_EPSILON 1e-13
#define FISHER_SAME 1e-7 /* tables as likely but for rounding */

/* ---- the incomplete beta function and what follows from it ---- */

static double not_zero(double x)
{
	return fabs(x) < FRACTION_TINY ? FRACTION_TINY : x;
}

/* One term of the fraction for the Lentz method: *h is the value so far. */
static double lentz(double term, double *c, double *d, double *h)
{
	*d = 1 / not_zero(1 + term * *d);
	*c = not_zero(1 + term / *c);
	*h *= *c * *d;
	return *c * *d;
}

static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), h = d;

	for (int k = 1; k < FRACTION_TERMS; k++) {
		double a2k = a + 2.0 * k;

		lentz(k * (b - k) * x / ((a2k - 1) * a2k), &c, &d, &h);
		if (fabs(lentz(-(a + k) * (a + b + k) * x / (a2k * (a2k + 1)), &c, &d, &h) - 1) <
		    FRACTION_EPSILON)
			break;
	}
	return h;
}

double dist_beta(double a, double b, double x)
{
	double front;

	if (!(a > 0 && b > 0 && isfinite(a + b) && x < 1))
		return 1;
	if (x <= 0)
		return 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	/* The fraction converges fast on one side of the mean. */
	if (x < (a + 1) / (a + b + 2))
		return fmin(front * beta_fraction(a, b, x) / a, 1);
	return fmax(1 - front * beta_fraction(b, a, 1 - x) / b, 0);
}

double dist_t(double t, double df)
{
	return dist_beta(df / 2, 0.5, df / (df + t * t));
}

double dist_f(double f, double d1, double d2)
{
	return f >= 0 ? dist_beta(d2 / 2, d1 / 2, d2 / (d2 + d1 * f)) : 1;
}

/* ---- counting ---- */

static double ln_choose(size_t n, size_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

double dist_fisher(size_t a, size_t n, size_t b, size_t m)
{
	size_t marked, first, last;
	double all, observed, p = 0;

	if (a > n || b > m)
		return 1;
	marked = a + b;
	first = marked > m ? marked - m : 0;
	last = marked < n ? marked : n;
	all = ln_choose(n + m, marked);
	observed = ln_choose(n, a) + ln_choose(m, b) + FISHER_SAME;
	for (size_t k = first; k <= last; k++) {
		double ways = ln_choose(n, k) + ln_choose(m, marked - k);

		if (ways <= observed)
			p += exp(ways - all);
	}
	return fmin(p, 1);
}

double dist_separation(size_t n, size_t m)
{
	size_t less = n < m ? n : m, more = n < m ? m : n;
	double p = 2;

	/* Factor by factor, so that 1 against 39 is 0.05 and not just above. */
	for (size_t k = 1; k <= less && p > 0; k++)
		p = p * (double)k / (double)(more + k);
	return fmin(p, 1);
}

static size_t rank_sum_normal(size_t n, size_t m)
{
	double pairs = (double)n * (double)m;
	double sd = sqrt(pairs * ((double)n + (double)m + 1) / 12);
	double rank = floor(pairs / 2 - TAIL_Z * sd - 0.5);

	return rank >= 0 ? (size_t)rank : DIST_NONE;
}

/*
 * ways[u], the number of arrangements with U = u, are the coefficients of the
 * Gaussian polynomial: the product over i = 1..n of (1 - q^(m+i)) / (1 - q^i).
 * U is symmetric, so the lower half will do.
 */
static void rank_sum_ways(size_t n, size_t m, double *ways, size_t count)
{
	ways[0] = 1;
	for (size_t i = 1; i <= n; i++) {
		for (size_t u = count; u-- > m + i;)
			ways[u] -= ways[u - (m + i)];
		for (size_t u = i; u < count; u++)
			ways[u] += ways[u - i];
	}
}

int dist_rank_sum(size_t n, size_t m, size_t *rank)
{
	size_t less = n < m ? n : m, more = n < m ? m : n, count;
	double *ways, total = 0, below = 0;

	*rank = DIST_NONE;
	if (less == 0)
		return 0;
	if (less > EXACT_SIDE || more > EXACT_PAIRS / less) {
		*rank = rank_sum_normal(n, m);
		return 0;
	}
	count = n * m / 2 + 1;
	ways = calloc(count, sizeof(*ways));
	if (!ways)
		return -1;
	rank_sum_ways(less, more, ways, count);
	for (size_t u = 0; u < count; u++)
		total += 2 * ways[u];
	if (n * m % 2 == 0)
		total -= ways[count - 1]; /* the middle stands once */
	for (size_t u = 0; (below += ways[u]) <= TAIL * total; u++)
		*rank = u;
	free(ways);
	return 0;
}

size_t dist_median_rank(size_t n, double *coverage)
{
	size_t low = 0, high = n / 2;

	/* P(B <= k) = I_1/2(n - k, k + 1) passes TAIL from low to high. */
	while (low < high) {
		size_t k = low + (high - low) / 2;

		if (dist_beta((double)(n - k), (double)k + 1, 0.5) <= TAIL)
			low = k + 1;
		else
			high = k;
	}
	*coverage = 0;
	if (low == 0)
		return DIST_NONE;
	*coverage = 1 - 2 * dist_beta((double)(n - low) + 1, (double)low, 0.5);
	return low - 1;
}
