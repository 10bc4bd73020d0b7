/* What can honestly be said about some rates: see stats.h. */
#include "stats.h"
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_MIN (STATS_ODD_MAX + 1) /* connections; fewer are odd ones */

/* ---- rates and medians ---- */

double stats_rate(double rate)
{
	return rate > 0 ? fmin(rate, STATS_RATE_MAX) : 0;
}

double stats_ln(double rate)
{
	return log(fmax(stats_rate(rate), STATS_RATE_MIN));
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double middle_of_sorted(const double *x, size_t n)
{
	if (n == 0)
		return 0;
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

double stats_sort_median(double *x, size_t n)
{
	if (n > 0)
		qsort(x, n, sizeof(*x), by_value);
	return middle_of_sorted(x, n);
}

/* A sorted copy, each value passed through of(); NULL without memory. */
static double *sorted(const double *rate, size_t n, double (*of)(double))
{
	double *x = calloc(n + 1, sizeof(*x)); /* + 1: n may be 0 */

	if (!x)
		return NULL;
	for (size_t i = 0; i < n; i++)
		x[i] = of(rate[i]);
	stats_sort_median(x, n);
	return x;
}

int stats_median(const double *rate, size_t n, double *median)
{
	double *x = sorted(rate, n, stats_rate);

	*median = 0;
	if (!x)
		return -1;
	*median = middle_of_sorted(x, n);
	free(x);
	return 0;
}

int stats_middle(const double *rate, size_t n, struct stats_middle *middle)
{
	double *x = sorted(rate, n, stats_rate);
	size_t rank;

	*middle = (struct stats_middle){ .n = n };
	if (!x)
		return -1;
	if (n > 0) {
		middle->min = x[0];
		middle->median = middle_of_sorted(x, n);
		middle->max = x[n - 1];
	}
	rank = dist_median_rank(n, &middle->coverage);
	if (rank != DIST_NONE) {
		middle->has_interval = true;
		middle->low = x[rank];
		middle->high = x[n - 1 - rank];
	}
	free(x);
	return 0;
}

/* ---- how unequal ---- */

static double largest(const double *rate, size_t n)
{
	double max = 0;

	for (size_t i = 0; i < n; i++)
		max = fmax(max, stats_rate(rate[i]));
	return max;
}

/* Both work on shares of the largest rate, whose squares stay in range. */

bool stats_jain(const double *rate, size_t n, double *index)
{
	double max = largest(rate, n), sum = 0, squares = 0;

	*index = 0;
	if (!(max > 0))
		return false;
	for (size_t i = 0; i < n; i++) {
		double x = stats_rate(rate[i]) / max;

		sum += x;
		squares += x * x;
	}
	*index = fmin(sum * sum / ((double)n * squares), 1);
	return true;
}

bool stats_cv(const double *rate, size_t n, double *cv)
{
	double max = largest(rate, n), sum = 0, squares = 0;

	*cv = 0;
	if (n < 2 || !(max > 0))
		return false;
	for (size_t i = 0; i < n; i++)
		sum += stats_rate(rate[i]) / max;
	for (size_t i = 0; i < n; i++) {
		double off = stats_rate(rate[i]) / max - sum / (double)n;

		squares += off * off;
	}
	*cv = sqrt(squares / (double)(n - 1)) / (sum / (double)n);
	return true;
}

/* ---- groups ---- */

/*
 * How many standard deviations inside the groups a gap between groups of a
 * and b must have: simulated 95 to 97 % points over five distributions, df =
 * connections - groups.  To stand alone takes more than to stand with others.
 */
static double gap_limit(size_t a, size_t b, double df)
{
	if (a >= GROUP_MIN && b >= GROUP_MIN)
		return fmin(3.6, 2.5 + 9 / df);
	return 7.5 + 90 / (df * df);
}

static bool is_cut(const size_t *cut, size_t count, size_t at)
{
	while (count > 0 && cut[count - 1] != at)
		count--;
	return count > 0;
}

/*
 * The groups - 1 gaps of z that are widest for their limit, in order of place:
 * cut[k] is the first value of group k + 1.
 */
static void cut_widest(const double *z, size_t n, size_t groups, size_t *cut)
{
	double df = (double)(n - groups);

	for (size_t have = 0; have < groups - 1; have++) {
		double widest = -1;
		size_t at = 0, k;

		for (size_t i = 1; i < n; i++) {
			double width = (z[i] - z[i - 1]) / gap_limit(i, n - i, df);

			if (width > widest && !is_cut(cut, have, i)) {
				widest = width;
				at = i;
			}
		}
		for (k = have; k > 0 && cut[k - 1] > at; k--)
			cut[k] = cut[k - 1];
		cut[k] = at;
	}
}

static double squares_about_mean(const double *z, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += z[i];
	for (size_t i = 0; i < n; i++)
		squares += (z[i] - sum / (double)n) * (z[i] - sum / (double)n);
	return squares;
}

/* Whether all gaps at edge[1..groups-1] are too wide to be chance. */
static bool gaps_are_wide(const double *z, const size_t *edge, size_t groups)
{
	double df = (double)(edge[groups] - groups), squares = 0, spread;

	for (size_t g = 0; g < groups; g++)
		squares += squares_about_mean(z + edge[g], edge[g + 1] - edge[g]);
	spread = fmax(sqrt(squares / df), STATS_NOISE_MIN);
	for (size_t g = 1; g < groups; g++) {
		double gap = z[edge[g]] - z[edge[g] - 1];
		double limit = gap_limit(edge[g] - edge[g - 1], edge[g + 1] - edge[g], df);

		if (gap < log(STATS_CHANGE_MIN) || gap < limit * spread)
			return false;
	}
	return true;
}

/* The largest number of groups that passes; edge[] bounds them: 0, .., n. */
static size_t find_edges(const double *z, size_t n, size_t *edge)
{
	size_t best = 1;

	edge[0] = 0;
	edge[1] = n;
	for (size_t groups = 2; groups <= STATS_GROUPS_MAX; groups++) {
		size_t try[STATS_GROUPS_MAX + 1] = { 0 };

		if (groups > 2 && n < GROUP_MIN * groups)
			break;
		cut_widest(z, n, groups, try + 1);
		try[groups] = n;
		if (gaps_are_wide(z, try, groups)) {
			best = groups;
			memcpy(edge, try, sizeof(try));
		}
	}
	return best;
}

int stats_groups(const double *level, size_t n, struct stats_groups *groups)
{
	size_t edge[STATS_GROUPS_MAX + 1] = { 0, n };
	double *x, *z;
	int ret = -1;

	*groups = (struct stats_groups){ .grouping = STATS_GROUPS_TOO_FEW };
	x = sorted(level, n, stats_rate);
	z = sorted(level, n, stats_ln);
	if (!x || !z)
		goto out;
	ret = 0;
	groups->count = n > 0;
	if (n >= GROUP_MIN) {
		groups->count = find_edges(z, n, edge);
		groups->grouping = groups->count > 1 ? STATS_GROUPS_FOUND : STATS_GROUPS_NONE;
	}
	for (size_t g = 0; g < groups->count; g++) {
		size_t size = edge[g + 1] - edge[g];

		groups->group[g] = (struct stats_group){
			.n = size,
			.level = middle_of_sorted(x + edge[g], size),
			.low = x[edge[g]],
			.high = x[edge[g + 1] - 1],
		};
	}
out:
	free(x);
	free(z);
	return ret;
}

size_t stats_group_of(const struct stats_groups *groups, double level)
{
	size_t g = 0;

	while (g + 1 < groups->count && stats_rate(level) > groups->group[g].high)
		g++;
	return g;
}

/* ---- two runs ---- */

const char *stats_verdict_name(enum stats_verdict verdict)
{
	static const char *const names[] = {
		[STATS_CANNOT_TELL] = "cannot tell", [STATS_NO_DIFFERENCE] = "no difference seen",
		[STATS_SMALL] = "small difference",  [STATS_FASTER] = "faster",
		[STATS_SLOWER] = "slower",
	};

	return names[verdict];
}

/* Two sorted arrays and the n*m differences b[j] - a[i] between them. */
struct pairs {
	const double *a;
	const double *b;
	size_t n;
	size_t m;
};

/*
 * How many differences are at most limit, the largest of these, and the
 * smallest above it.
 */
static size_t pairs_up_to(const struct pairs *p, double limit, double *below, double *above)
{
	size_t count = 0, j = 0;

	*below = -INFINITY;
	*above = INFINITY;
	for (size_t i = 0; i < p->n; i++) {
		while (j < p->m && p->b[j] - p->a[i] <= limit)
			j++;
		count += j;
		if (j > 0)
			*below = fmax(*below, p->b[j - 1] - p->a[i]);
		if (j < p->m)
			*above = fmin(*above, p->b[j] - p->a[i]);
	}
	return count;
}

/*
 * The difference of rank 0..n*m-1, without making them all: halve the range,
 * and pull its ends in to differences that exist, until they meet.
 */
static double pairs_select(const struct pairs *p, size_t rank)
{
	double low = p->b[0] - p->a[p->n - 1];
	double high = p->b[p->m - 1] - p->a[0];

	while (low < high) {
		double mid = low + (high - low) / 2, below, above;

		if (mid >= high) /* neighbours, and rounded up */
			mid = low;
		if (pairs_up_to(p, mid, &below, &above) > rank)
			high = below;
		else
			low = above;
	}
	return low;
}

static double pairs_median(const struct pairs *p)
{
	size_t all = p->n * p->m;

	return (pairs_select(p, (all - 1) / 2) + pairs_select(p, all / 2)) / 2;
}

static enum stats_verdict judge(const struct stats_comparison *c)
{
	if (!c->has_interval)
		return STATS_CANNOT_TELL;
	if (c->low <= 1 && c->high >= 1)
		return STATS_NO_DIFFERENCE;
	if (fabs(log(c->ratio)) < log(STATS_MARGIN))
		return STATS_SMALL;
	return c->low > 1 ? STATS_FASTER : STATS_SLOWER;
}

/* The least number of connections that could tell from n others; n > 0. */
static size_t need_against(size_t n)
{
	size_t m = 1;

	while (dist_separation(n, m) > STATS_ALPHA)
		m++;
	return m;
}

static size_t need_each(void)
{
	size_t n = 1;

	while (dist_separation(n, n) > STATS_ALPHA)
		n++;
	return n;
}

static int compare(const struct pairs *p, struct stats_comparison *c)
{
	size_t rank;

	if (dist_rank_sum(p->n, p->m, &rank))
		return -1;
	c->has_ratio = true;
	c->ratio = exp(pairs_median(p));
	c->pair_low = exp(p->b[0] - p->a[p->n - 1]);
	c->pair_high = exp(p->b[p->m - 1] - p->a[0]);
	if (rank != DIST_NONE) {
		c->has_interval = true;
		c->low = exp(pairs_select(p, rank));
		c->high = exp(pairs_select(p, p->n * p->m - 1 - rank));
	}
	c->best_p = dist_separation(p->n, p->m);
	c->need_after = need_against(p->n);
	c->need_each = need_each();
	c->verdict = judge(c);
	return 0;
}

int stats_compare(const double *before, size_t n, const double *after, size_t m,
		  struct stats_comparison *comparison)
{
	struct stats_comparison empty = { .before = n, .after = m };
	double *a = sorted(before, n, stats_ln), *b = sorted(after, m, stats_ln);
	int ret = -1;

	*comparison = empty;
	if (a && b)
		ret = 0;
	if (a && b && n > 0 && m > 0) {
		ret = compare(&(struct pairs){ a, b, n, m }, comparison);
		if (ret)
			*comparison = empty;
	}
	free(a);
	free(b);
	return ret;
}

int stats_share(const double *before, size_t n, const double *after, size_t m,
		struct stats_shares *shares)
{
	double *both = calloc(n + m + 1, sizeof(*both));
	int ret;

	*shares = (struct stats_shares){ .has_p = false };
	if (!both)
		return -1;
	for (size_t i = 0; i < n + m; i++)
		both[i] = i < n ? before[i] : after[i - n];
	ret = stats_groups(both, n + m, &shares->groups);
	free(both);
	if (ret)
		return -1;
	for (size_t i = 0; i < n; i++)
		shares->before[stats_group_of(&shares->groups, before[i])]++;
	for (size_t i = 0; i < m; i++)
		shares->after[stats_group_of(&shares->groups, after[i])]++;
	if (shares->groups.grouping == STATS_GROUPS_FOUND && n > 0 && m > 0) {
		shares->has_p = true;
		shares->p = dist_fisher(shares->before[0], n, shares->after[0], m);
	}
	return 0;
}
