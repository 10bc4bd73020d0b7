/* What happens inside connections: see levels.h. */
#include "levels.h"
#include "dist.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JUMP_SIGMA 1.0484   /* median jump of normal noise -> its deviation */
#define ODD_JUMPS 4	    /* 3.8 deviations of normal noise */
#define ODD_MIN 1.2	    /* what is off by less than 20 % is not odd */
#define PENALTY 4	    /* per change and ln n; BIC has 2, but jumps see */
			    /* half the variance at a correlation of 0.5 */
#define COMMON_DF 10	    /* weight of the run's noise beside its own */
#define COMMON_RATIO 4	    /* whose variance is so much larger stands alone */
#define DF_MAX 40	    /* trust no tail thinner than Student-40 */
#define PART_MIN 2	    /* points of a level; a change beside one of */
#define PART_MIN_FACTOR 10  /* so few must be so much more certain */
#define POINTS_PER_MEAN 3.5 /* correlated ones worth one independent: exact */
			    /* is 3.0 to 3.2, the rest covers few connections */
#define BUDGET 1e9	    /* pairs of points in a run: about a second */
#define POINTS_LOW 100	    /* no limit is halved from below this */

struct point {
	double y; /* ln rate */
	double w; /* the same, or what it was replaced with */
	bool odd;
};

/* About the first so many points. */
struct prefix {
	double sum;  /* of w - w[0] */
	double sq;   /* of its square */
	double cost; /* of their best partition */
	size_t back; /* where the last part of that begins */
};

/* A part's first point. */
struct edge {
	size_t at;
	double p; /* that there is no change of level here */
};

/* One connection under judgement; the arrays serve one after the other. */
struct search {
	size_t n;	    /* points */
	size_t step;	    /* intervals in each */
	double connections; /* in the run */
	double jump;	    /* median |difference| of neighbouring points, */
	double common_jump; /* and of neighbouring intervals in the run */
	size_t odd_count;
	size_t parts; /* points edge[k].at .. edge[k + 1].at - 1 */
	struct edge *edge;
	struct prefix *prefix;
	struct point *point;
	double *scratch; /* as long as there are intervals */
};

/* ---- points ---- */

static size_t step_for(size_t n, size_t limit)
{
	return n > limit ? (n + limit - 1) / limit : 1;
}

/* The most points per connection that keep the work within BUDGET. */
static size_t points_limit(const struct stats_series *series, size_t count)
{
	size_t limit = LEVELS_POINTS_MAX;
	double work;

	for (;; limit /= 2) {
		work = 0;
		for (size_t i = 0; i < count; i++) {
			size_t n = series[i].n < limit ? series[i].n : limit;

			work += (double)n * (double)n;
		}
		if (work <= BUDGET || limit <= POINTS_LOW)
			return limit;
	}
}

static void load_points(struct search *s, const struct stats_series *in)
{
	for (size_t j = 0; j < s->n; j++) {
		size_t first = j * s->step;
		size_t end = j + 1 < s->n ? first + s->step : in->n;
		double sum = 0;

		for (size_t i = first; i < end; i++)
			sum += stats_rate(in->rate[i]);
		s->point[j].y = stats_ln(sum / (double)(end - first));
	}
	for (size_t j = 0; j + 1 < s->n; j++)
		s->scratch[j] = fabs(s->point[j + 1].y - s->point[j].y);
	s->jump = s->n > 1 ? stats_sort_median(s->scratch, s->n - 1) : 0;
}

/*
 * Set points aside that are far from both neighbours, the left one as already
 * cleaned.  The first and the last have two neighbours on one side; the first
 * is often slow start.
 */
static void clean_points(struct search *s)
{
	double far = fmax(ODD_JUMPS * fmax(s->jump, s->common_jump), log(ODD_MIN));
	struct point *p = s->point;

	s->odd_count = 0;
	for (size_t j = 0; j < s->n; j++) {
		double a, b;

		p[j].w = p[j].y;
		p[j].odd = false;
		if (s->n < 3)
			continue;
		a = j > 0 ? p[j - 1].w : p[1].y;
		b = j == 0 ? p[2].y : j + 1 < s->n ? p[j + 1].y : p[j - 2].w;
		if (p[j].y < fmin(a, b) - far)
			p[j].w = fmin(a, b);
		else if (p[j].y > fmax(a, b) + far)
			p[j].w = fmax(a, b);
		else
			continue;
		p[j].odd = true;
		s->odd_count++;
	}
}

static void add_up(struct search *s)
{
	s->prefix[0] = (struct prefix){ .sum = 0, .sq = 0 };
	for (size_t j = 0; j < s->n; j++) {
		double x = s->point[j].w - s->point[0].w;

		s->prefix[j + 1].sum = s->prefix[j].sum + x;
		s->prefix[j + 1].sq = s->prefix[j].sq + x * x;
	}
}

/* ---- parts ---- */

static size_t part_length(const struct search *s, size_t k)
{
	return s->edge[k + 1].at - s->edge[k].at;
}

/* Mean of w - w[0]. */
static double part_mean(const struct search *s, size_t k)
{
	return (s->prefix[s->edge[k + 1].at].sum - s->prefix[s->edge[k].at].sum) /
	       (double)part_length(s, k);
}

/* Sum of squares of w about the mean of points from..to-1. */
static double squares(const struct search *s, size_t from, size_t to)
{
	double sum = s->prefix[to].sum - s->prefix[from].sum;

	return fmax(s->prefix[to].sq - s->prefix[from].sq - sum * sum / (double)(to - from), 0);
}

/* Optimal partitioning: the parts that cost least, of at least PART_MIN. */
static void propose(struct search *s)
{
	double penalty = PENALTY * log((double)s->n) *
			 pow(fmax(JUMP_SIGMA * s->jump, STATS_NOISE_MIN), 2);
	struct prefix *f = s->prefix;
	size_t k = 1;

	f[0].cost = -penalty;
	for (size_t j = 1; j < PART_MIN; j++)
		f[j].cost = INFINITY;
	for (size_t j = PART_MIN; j <= s->n; j++) {
		f[j].cost = INFINITY;
		f[j].back = 0;
		for (size_t i = 0; i + PART_MIN <= j; i++) {
			double sum = f[j].sum - f[i].sum;
			double cost = f[i].cost + f[j].sq - f[i].sq - sum * sum / (double)(j - i) +
				      penalty;

			if (cost < f[j].cost) {
				f[j].cost = cost;
				f[j].back = i;
			}
		}
	}
	for (size_t j = f[s->n].back; j > 0; j = f[j].back)
		k++;
	s->parts = k;
	s->edge[k].at = s->n;
	for (size_t j = s->n; k > 0; k--)
		s->edge[k - 1].at = j = f[j].back;
}

static void join_parts(struct search *s, size_t k, size_t count)
{
	memmove(s->edge + k, s->edge + k + count, (s->parts + 1 - k - count) * sizeof(*s->edge));
	s->parts -= count;
}

/* Variance of the noise inside the parts, and how far it can be trusted. */
struct noise {
	double variance;
	double df;
};

static struct noise measure_noise(const struct search *s)
{
	double common = pow(JUMP_SIGMA * s->common_jump, 2);
	double df = fmax((double)s->n - (double)s->parts - (double)s->odd_count, 1);
	double variance = 0;

	for (size_t k = 0; k < s->parts; k++)
		variance += squares(s, s->edge[k].at, s->edge[k + 1].at) / df;
	if (s->connections > 1 && variance <= COMMON_RATIO * common) {
		variance = fmax(variance, (COMMON_DF * common + df * variance) / (COMMON_DF + df));
		df += COMMON_DF;
	}
	return (struct noise){
		.variance = fmax(variance, STATS_NOISE_MIN * STATS_NOISE_MIN),
		.df = fmin(df, DF_MAX),
	};
}

/* p of a boundary with statistic t, one of whose sides is as short as can be. */
static double edge_p(const struct search *s, double t, double df, bool is_short)
{
	/* Ways to place a boundary and the far end of the next level. */
	double room = (double)s->n - 2 * (is_short ? PART_MIN : PART_MIN + 1);
	double places = (room + 1) * (room + 2) / 2;

	if (is_short)
		places *= PART_MIN_FACTOR;
	/* Bonferroni over these and connections, Benjamini-Hochberg over edges. */
	return dist_t(t, df) * places * s->connections / (double)(s->parts - 1);
}

/*
 * Student's t of the boundary at edge k; 0 when it is too small to matter.
 * A correlation of 0.5 makes the variance of the difference of two means
 * larger by 3 - 2/m, m the length of the shorter (within 5 %).
 */
static double edge_t(const struct search *s, size_t k, double variance, bool *is_short)
{
	double a = (double)part_length(s, k - 1), b = (double)part_length(s, k);
	double change = fabs(part_mean(s, k - 1) - part_mean(s, k));

	*is_short = fmin(a, b) <= PART_MIN;
	if (change < log(STATS_CHANGE_MIN))
		return 0;
	return change / sqrt(variance * (3 - 2 / fmin(a, b)) * (1 / a + 1 / b));
}

/*
 * Find the least certain boundary.  p falls with t, so only the smallest t of
 * the short and of the others need one.  Returns the p, more than 1 for a
 * change that is too small to matter.
 */
static double weakest(const struct search *s, struct noise noise, size_t *edge)
{
	double least[2] = { INFINITY, INFINITY }, p[2];
	size_t at[2] = { 0, 0 };

	for (size_t k = 1; k < s->parts; k++) {
		bool is_short;
		double t = edge_t(s, k, noise.variance, &is_short);

		if (t <= 0) {
			*edge = k;
			return INFINITY;
		}
		if (t < least[is_short]) {
			least[is_short] = t;
			at[is_short] = k;
		}
	}
	p[false] = edge_p(s, least[false], noise.df, false);
	p[true] = edge_p(s, least[true], noise.df, true);
	*edge = at[p[true] > p[false]];
	return fmax(p[false], p[true]);
}

/* Join the parts at the least certain boundary until all are certain. */
static void dismiss(struct search *s)
{
	struct noise noise = measure_noise(s);
	size_t edge;

	while (s->parts > 1 && weakest(s, noise, &edge) > STATS_ALPHA) {
		join_parts(s, edge, 1);
		noise = measure_noise(s);
	}
	for (size_t k = 1; k < s->parts; k++) {
		bool is_short;
		double t = edge_t(s, k, noise.variance, &is_short);

		s->edge[k].p = edge_p(s, t, noise.df, is_short);
	}
}

/* Out and back within the shortest part: odd points, not a level. */
static bool is_dip(const struct search *s, size_t k)
{
	double before = part_mean(s, k - 1), after = part_mean(s, k + 1);
	double out = part_mean(s, k) - before, back = part_mean(s, k) - after;

	return part_length(s, k) <= PART_MIN && out * back > 0 &&
	       fabs(before - after) < fmin(fabs(out), fabs(back)) / 2;
}

static void dismiss_dips(struct search *s)
{
	size_t k = 1;

	while (k + 1 < s->parts) {
		if (!is_dip(s, k)) {
			k++;
			continue;
		}
		for (size_t j = s->edge[k].at; j < s->edge[k + 1].at; j++) {
			s->odd_count += !s->point[j].odd;
			s->point[j].odd = true;
		}
		join_parts(s, k, 2);
	}
}

/* ---- the result ---- */

static double median_of(struct search *s, const double *rate, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s->scratch[i] = stats_rate(rate[i]);
	return stats_sort_median(s->scratch, n);
}

static void describe_parts(struct search *s, const struct stats_series *in,
			   struct levels_connection *out)
{
	size_t longest = 0;
	double before = 0;

	for (size_t k = 0; k < s->parts; k++) {
		size_t from = s->edge[k].at * s->step;
		size_t to = k + 1 < s->parts ? s->edge[k + 1].at * s->step : in->n;
		double level = s->parts > 1 ? median_of(s, in->rate + from, to - from)
					    : out->median;

		if (k > 0)
			out->change[k - 1] = (struct levels_change){
				.at = from,
				.from = before,
				.to = level,
				.p = s->edge[k].p,
			};
		if (part_length(s, k) >= longest) {
			longest = part_length(s, k);
			out->level = level;
		}
		before = level;
	}
}

static int describe(struct search *s, const struct stats_series *in, struct levels_connection *out)
{
	size_t odd = 0;

	*out = (struct levels_connection){
		.n = in->n,
		.step = s->step,
		.points = s->n,
		.change_count = s->parts - 1,
		.odd_count = s->odd_count,
	};
	if (in->n == 0)
		return 0;
	out->change = calloc(s->parts, sizeof(*out->change));
	out->odd = calloc(s->odd_count + 1, sizeof(*out->odd));
	if (!out->change || !out->odd)
		return -1;
	if (s->n >= LEVELS_MIN)
		out->state = s->parts > 1 ? LEVELS_CHANGED : LEVELS_STEADY;
	out->median = median_of(s, in->rate, in->n);
	describe_parts(s, in, out);
	for (size_t j = 0; j < s->n; j++)
		if (s->point[j].odd)
			out->odd[odd++] = j * s->step;
	out->mean = s->point[0].w + s->prefix[s->n].sum / (double)s->n;
	out->squares = squares(s, 0, s->n);
	return 0;
}

static int judge_connection(struct search *s, const struct stats_series *in, size_t limit,
			    struct levels_connection *out)
{
	s->step = step_for(in->n, limit);
	s->n = in->n / s->step;
	s->parts = 1;
	s->edge[0].at = 0;
	s->edge[1].at = s->n;
	load_points(s, in);
	clean_points(s);
	add_up(s);
	if (s->n >= LEVELS_MIN) {
		propose(s);
		dismiss(s);
		dismiss_dips(s);
	}
	return describe(s, in, out);
}

/* ---- all connections ---- */

/* Median jump between neighbouring intervals of all connections. */
static int common_jump(const struct stats_series *series, size_t count, double *median)
{
	size_t total = 0, n = 0;
	double *jump;

	for (size_t i = 0; i < count; i++)
		total += series[i].n;
	jump = calloc(total + 1, sizeof(*jump));
	if (!jump)
		return -1;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j + 1 < series[i].n; j++)
			jump[n++] = fabs(stats_ln(series[i].rate[j + 1]) -
					 stats_ln(series[i].rate[j]));
	*median = stats_sort_median(jump, n);
	free(jump);
	return 0;
}

static int search_alloc(struct search *s, size_t points, size_t intervals)
{
	s->edge = calloc(points + 2, sizeof(*s->edge));
	s->prefix = calloc(points + 1, sizeof(*s->prefix));
	s->point = calloc(points + 1, sizeof(*s->point));
	s->scratch = calloc(intervals + 1, sizeof(*s->scratch));
	return s->edge && s->prefix && s->point && s->scratch ? 0 : -1;
}

static void search_free(struct search *s)
{
	free(s->edge);
	free(s->prefix);
	free(s->point);
	free(s->scratch);
}

int levels_find(const struct stats_series *series, size_t count, struct levels *found)
{
	size_t limit = points_limit(series, count), longest = 0;
	struct search search = { .n = 0 };
	int ret = -1;

	*found = (struct levels){ .count = count };
	for (size_t i = 0; i < count; i++) {
		search.connections += series[i].n > 0;
		longest = series[i].n > longest ? series[i].n : longest;
	}
	found->connection = calloc(count + 1, sizeof(*found->connection));
	if (!found->connection || common_jump(series, count, &found->noise) ||
	    search_alloc(&search, longest < limit ? longest : limit, longest))
		goto out;
	search.common_jump = found->noise;
	for (size_t i = 0; i < count; i++)
		if (judge_connection(&search, &series[i], limit, &found->connection[i]))
			goto out;
	ret = 0;
out:
	search_free(&search);
	if (ret)
		levels_free(found);
	return ret;
}

void levels_free(struct levels *levels)
{
	for (size_t i = 0; levels->connection && i < levels->count; i++) {
		free(levels->connection[i].change);
		free(levels->connection[i].odd);
	}
	free(levels->connection);
	*levels = (struct levels){ .count = 0 };
}

/* ---- between and within ---- */

/* How many independent values the mean of a connection is worth. */
static double worth(const struct levels_connection *c)
{
	double n = (double)c->points / POINTS_PER_MEAN;

	return c->change_count > 0 ? fmin(n, (double)c->change_count + 1) : n;
}

/* Sums over the connections that have intervals. */
struct totals {
	double n;
	double mean;	  /* of their means */
	double squares;	  /* of the means about that */
	double within;	  /* squares inside connections, */
	double within_df; /* and their degrees of freedom */
	double per_mean;  /* mean of 1 / worth() */
};

static struct totals add_connections(const struct levels *levels)
{
	struct totals t = { .n = 0 };

	for (size_t i = 0; i < levels->count; i++) {
		const struct levels_connection *c = &levels->connection[i];
		double off = c->mean - t.mean;

		if (c->n == 0)
			continue;
		t.n++;
		t.mean += off / t.n;
		t.squares += off * (c->mean - t.mean); /* Welford 1962 */
		t.within += c->squares;
		t.within_df += (double)c->points - 1;
		t.per_mean += (1 / worth(c) - t.per_mean) / t.n;
	}
	return t;
}

void levels_variance(const struct levels *levels, struct levels_variance *variance)
{
	struct totals t = add_connections(levels);
	double within, chance, means, between;

	*variance = (struct levels_variance){ .verdict = LEVELS_TOO_FEW };
	if (t.n < 2 || t.within_df < 1)
		return;
	within = fmax(t.within / t.within_df, STATS_NOISE_MIN * STATS_NOISE_MIN);
	chance = within * t.per_mean; /* variance of the means without between */
	means = t.squares / (t.n - 1);
	between = fmax(means - chance, 0);
	variance->has_figures = true;
	variance->f = means / chance;
	variance->p = dist_f(variance->f, t.n - 1, t.within_df);
	variance->share = between / (between + within);
	variance->between = sqrt(between);
	variance->within = sqrt(within);
	if (t.n < 3)
		return;
	if (variance->p > STATS_ALPHA)
		variance->verdict = LEVELS_ALIKE;
	else if (variance->share >= 0.5)
		variance->verdict = LEVELS_BETWEEN;
	else
		variance->verdict = LEVELS_WITHIN;
}
