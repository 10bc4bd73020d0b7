/*
 * measure/stats, levels and dist: figures worked out elsewhere, and what holds
 * for any input.  "To 4 digits" is half a unit of the fourth.
 */
#include "../measure/dist.h"
#include "../measure/levels.h"
#include "../measure/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the protocol of the tests; names as in test.h ---- */

static const char *test_name;
static int test_failed, test_failures;

static void check(int line, const char *what, double got, double want, double by)
{
	if (fabs(got - want) <= by) /* false for a NaN */
		return;
	printf("%s %s: line %d: %s is %.17g, not %.17g\n", test_failed++ ? "# also" : "FAIL",
	       test_name, line, what, got, want);
}

static void test_run(const char *name, void (*test)(void))
{
	test_name = name + strlen("test_");
	test_failed = 0;
	test();
	if (test_failed)
		test_failures++;
	else
		printf("PASS %s\n", test_name);
}

#define RUN(test) test_run(#test, test)
#define CHECK(cond) check(__LINE__, #cond, (cond) ? 1 : 0, 1, 0)
#define CHECK_EQ(got, want) check(__LINE__, #got, (double)(got), (double)(want), 0)
#define CHECK_NEAR(got, want, by) check(__LINE__, #got, got, want, by)
#define CHECK_4(got, want) check(__LINE__, #got, got, want, half_digit(want))

static double half_digit(double x)
{
	return 0.501 * pow(10, floor(log10(fabs(x))) - 3);
}

/* ---- what goes in ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SERIES(array) \
	{ \
		array, COUNT(array) \
	}

static struct levels find(const struct stats_series *series, size_t count)
{
	struct levels found;

	CHECK_EQ(levels_find(series, count, &found), 0);
	return found;
}

static void check_change(const struct levels_connection *c, size_t k, size_t at, double from,
			 double to)
{
	CHECK(k < c->change_count);
	if (k >= c->change_count)
		return;
	CHECK_EQ(c->change[k].at, at);
	CHECK_4(c->change[k].from, from);
	CHECK_4(c->change[k].to, to);
}

static void check_group(const struct stats_groups *g, size_t k, size_t n, double level)
{
	CHECK(k < g->count);
	CHECK_EQ(g->group[k].n, n);
	CHECK_4(g->group[k].level, level);
}

static uint64_t random_state;

/* xorshift64* (Vigna 2016), uniform in 0..1 without 1 */
static double uniform(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (double)((random_state * 0x2545F4914F6CDD1DULL) >> 11) * 0x1p-53;
}

static size_t below(size_t n)
{
	return (size_t)(uniform() * (double)n);
}

static const double mail_1[] = { 0.793292, 0.79679,  0.687321, 0.715289, 0.756733,
				 0.740292, 0.743484, 0.728355, 0.747519, 0.740157,
				 0.740038, 0.733245, 0.934274 };
static const double mail_2[] = { 20.9057,  20.3226,  20.9555,  20.9682,	 1.13213,
				 1.14311,  0.722275, 0.800895, 0.736669, 0.682532,
				 0.740097, 0.74058,  0.744444, 0.743216, 0.828012 };
static const double mail_3[] = { 5.69272,  5.66049,  3.74547,  3.74673,
				 0.730152, 0.729695, 0.722755, 0.739306 };
static const struct stats_series mail[] = { SERIES(mail_1), SERIES(mail_2), SERIES(mail_3) };

static const double run_a[] = { 20, 20.4, 19.7, 20.9, 20.2, 19.9, 20.6, 20.1, 20.3, 19.8 };
static const double run_b[] = { 22.1, 21.7, 22.6, 21.9, 22, 22.4, 21.5, 22.8, 22.2, 21.8 };

/* ---- distributions ---- */

static void test_dist_t_and_f(void)
{
	const double pi = acos(-1);

	CHECK_4(dist_t(2.776445, 4), 0.05);
	CHECK_4(dist_t(5, 14), 1.945e-4);
	CHECK_4(dist_f(4, 2, 9), 0.05716);
	/* Closed forms: df 1 is Cauchy's distribution, and df 2, d1 2 */
	for (double t = 0; t < 1000; t = 2 * t + 0.01) {
		CHECK_NEAR(dist_t(t, 1), 1 - 2 / pi * atan(t), 1e-12);
		CHECK_NEAR(dist_t(-t, 2), 1 - t / sqrt(2 + t * t), 1e-12);
		CHECK_NEAR(dist_f(t, 2, 9), pow(1 + 2 * t / 9, -4.5), 1e-12);
	}
	CHECK_EQ(dist_t(0, 7), 1);
	CHECK_EQ(dist_t(INFINITY, 7), 0);
	CHECK_EQ(dist_f(0, 2, 9), 1);
}

static void test_dist_beta(void)
{
	for (double x = 0.01; x < 1; x += 0.07) {
		CHECK_NEAR(dist_beta(1, 3.5, x), 1 - pow(1 - x, 3.5), 1e-12);
		CHECK_NEAR(dist_beta(3.5, 1, x), pow(x, 3.5), 1e-12);
		CHECK_NEAR(dist_beta(7, 0.4, x) + dist_beta(0.4, 7, 1 - x), 1, 1e-12);
	}
	/* Large ones are nearly normal: 0.5 in the middle */
	for (double a = 10; a < 1e7; a *= 10)
		CHECK_NEAR(dist_beta(a, a, 0.5), 0.5, 1e-7);
	CHECK_EQ(dist_beta(2, 3, 0), 0);
	CHECK_EQ(dist_beta(2, 3, 1), 1);
}

static void test_dist_out_of_range(void)
{
	CHECK_EQ(dist_t(3, 0), 1);
	CHECK_EQ(dist_t(3, -1), 1);
	CHECK_EQ(dist_t(NAN, 3), 1);
	CHECK_EQ(dist_t(3, NAN), 1);
	CHECK_EQ(dist_f(-1, 2, 3), 1);
	CHECK_EQ(dist_f(NAN, 2, 3), 1);
	CHECK_EQ(dist_f(3, 0, 3), 1);
	CHECK_EQ(dist_f(3, 2, INFINITY), 1);
	CHECK_EQ(dist_beta(INFINITY, 2, 0.5), 1);
	CHECK_EQ(dist_fisher(3, 2, 0, 2), 1);
	CHECK_EQ(dist_fisher(0, 0, 0, 0), 1);
	CHECK_EQ(dist_separation(0, 9), 1);
}

static void test_dist_fisher(void)
{
	CHECK_4(dist_fisher(7, 20, 0, 20), 0.008316);
	CHECK_4(dist_fisher(0, 20, 7, 20), 0.008316);
	CHECK_4(dist_fisher(5, 10, 0, 10), 0.03251);
	CHECK_EQ(dist_fisher(3, 10, 3, 10), 1);
	CHECK_4(dist_fisher(3, 3, 0, 3), 0.1);
	CHECK_4(dist_fisher(7, 10, 0, 10), 0.003096);
	/* Tables just as likely count, whatever rounding makes of them */
	CHECK_NEAR(dist_fisher(1, 2, 2, 8), 1, 1e-9);
	CHECK_NEAR(dist_fisher(0, 2, 5, 8), 112 / 252., 1e-9);
	CHECK_NEAR(dist_fisher(3500, 10000, 3500, 10000), 1, 1e-9);
	CHECK(dist_fisher(10000, 20000, 0, 20000) < 1e-300);
}

static size_t critical(size_t n, size_t m)
{
	size_t rank = 0;

	CHECK_EQ(dist_rank_sum(n, m, &rank), 0);
	return rank;
}

static void test_dist_rank_sum(void)
{
	static const size_t known[][3] = {
		{ 3, 3, DIST_NONE },   { 3, 4, DIST_NONE }, { 3, 5, 0 },
		{ 4, 4, 0 },	       { 5, 5, 2 },	    { 6, 7, 6 },
		{ 8, 8, 13 },	       { 10, 10, 23 },	    { 20, 20, 127 },
		{ 50, 50, 965 },       { 2, 7, DIST_NONE }, { 2, 8, 0 },
		{ 1, 38, DIST_NONE },  { 1, 39, 0 },	    { 1, 79, 1 },
		{ 1, 1000000, 24999 }, { 0, 5, DIST_NONE }, { 100, 100, 4197 },
	};

	for (size_t i = 0; i < COUNT(known); i++) {
		CHECK_EQ(critical(known[i][0], known[i][1]), known[i][2]);
		CHECK_EQ(critical(known[i][1], known[i][0]), known[i][2]);
	}
	/* By the tables either can or cannot tell at all */
	for (size_t n = 0; n < 45; n++)
		for (size_t m = 0; m < 45; m++)
			CHECK_EQ(critical(n, m) != DIST_NONE, dist_separation(n, m) <= STATS_ALPHA);
	/* The normal approximation takes over smoothly */
	CHECK_NEAR((double)critical(101, 101) - (double)critical(100, 100), 88, 3);
	CHECK(critical(20000, 20000) < 200000000);
}

static void test_dist_median_rank(void)
{
	double coverage;

	for (size_t n = 0; n < 6; n++) {
		CHECK_EQ(dist_median_rank(n, &coverage), DIST_NONE);
		CHECK_EQ(coverage, 0);
	}
	CHECK_EQ(dist_median_rank(6, &coverage), 0);
	CHECK_4(coverage, 0.9688);
	CHECK_EQ(dist_median_rank(10, &coverage), 1);
	CHECK_4(coverage, 0.9785);
	CHECK_EQ(dist_median_rank(20, &coverage), 5);
	CHECK_4(coverage, 0.9586);
	/* n/2 - 1.96 sqrt(n)/2, to within the step of one rank */
	CHECK_NEAR((double)dist_median_rank(1000000, &coverage), 499020, 1);
	CHECK_NEAR(coverage, 0.95, 0.001);
}

/* ---- medians and the like ---- */

static void test_median(void)
{
	static const double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 };
	double median = -1;

	CHECK_EQ(stats_median(NULL, 0, &median), 0);
	CHECK_EQ(median, 0);
	CHECK_EQ(stats_median(odd, 1, &median), 0);
	CHECK_EQ(median, 3);
	CHECK_EQ(stats_median(odd, 3, &median), 0);
	CHECK_EQ(median, 2);
	CHECK_EQ(stats_median(even, 4, &median), 0);
	CHECK_EQ(median, 2.5);
	CHECK_EQ(even[0], 4);
}

static void test_bad_rates(void)
{
	static const double bad[] = { NAN, -1, -INFINITY, -0.0, INFINITY, 1e300 };
	double median;

	for (size_t i = 0; i < 4; i++) {
		CHECK_EQ(stats_rate(bad[i]), 0);
		CHECK(!signbit(stats_rate(bad[i])));
	}
	CHECK_EQ(stats_rate(bad[4]), STATS_RATE_MAX);
	CHECK_EQ(stats_rate(bad[5]), STATS_RATE_MAX);
	CHECK_EQ(stats_rate(1e-9), 1e-9);
	CHECK_EQ(stats_rate(1e12), 1e12);
	CHECK_EQ(stats_median(bad, 6, &median), 0);
	CHECK_EQ(median, 0);
	CHECK_EQ(stats_ln(NAN), log(0.001));
	CHECK_EQ(stats_ln(1e-9), log(0.001));
}

static void test_middle(void)
{
	struct stats_middle m;
	double x[20];

	for (size_t i = 0; i < 20; i++)
		x[i] = (double)(i * 7 % 20) + 1; /* 1..20 in disorder */
	CHECK_EQ(stats_middle(x, 20, &m), 0);
	CHECK(m.has_interval);
	CHECK_EQ(m.min, 1);
	CHECK_EQ(m.low, 6);
	CHECK_EQ(m.median, 10.5);
	CHECK_EQ(m.high, 15);
	CHECK_EQ(m.max, 20);
	CHECK_4(m.coverage, 0.9586);
	CHECK_EQ(stats_middle(x, 5, &m), 0);
	CHECK(!m.has_interval);
	CHECK_EQ(m.low, 0);
	CHECK_EQ(m.high, 0);
	CHECK_EQ(m.coverage, 0);
	CHECK_EQ(m.median, 8); /* of 1 8 15 2 9 */
	CHECK_EQ(stats_middle(NULL, 0, &m), 0);
	CHECK_EQ(m.n, 0);
	CHECK_EQ(m.median, 0);
	CHECK(!m.has_interval);
}

static void test_jain_and_cv(void)
{
	static const double one_takes_all[] = { 0, 0, 7, 0 };
	static const double two[] = { 1, 3 }, tiny[] = { 1e-200, 3e-200 };
	static const double zeros[] = { 0, 0, -5 }, equal[] = { 0.1, 0.1, 0.1 };
	double x;

	CHECK(stats_jain(one_takes_all, 4, &x));
	CHECK_EQ(x, 0.25);
	CHECK(stats_jain(two, 2, &x));
	CHECK_NEAR(x, 0.8, 1e-12);
	CHECK(stats_jain(tiny, 2, &x));
	CHECK_NEAR(x, 0.8, 1e-12);
	CHECK(stats_jain(equal, 3, &x));
	CHECK_EQ(x, 1);
	CHECK(!stats_jain(zeros, 3, &x));
	CHECK(!stats_jain(NULL, 0, &x));
	CHECK_EQ(x, 0);
	CHECK(stats_cv(one_takes_all, 4, &x));
	CHECK_NEAR(x, 2, 1e-12);
	CHECK(stats_cv(two, 2, &x));
	CHECK_NEAR(x, sqrt(2) / 2, 1e-12);
	CHECK(stats_cv(tiny, 2, &x));
	CHECK_NEAR(x, sqrt(2) / 2, 1e-12);
	CHECK(stats_cv(equal, 3, &x));
	CHECK_EQ(x, 0);
	CHECK(!stats_cv(two, 1, &x));
	CHECK(!stats_cv(zeros, 3, &x));
	CHECK_EQ(x, 0);
}

/* ---- inside connections ---- */

static void test_mail_of_1998(void)
{
	struct levels found = find(mail, COUNT(mail));
	const struct levels_connection *c = found.connection;
	struct levels_variance v;
	struct stats_groups groups;
	struct stats_middle middle;
	double median[3], level[3];

	CHECK_4(found.noise, 0.02264);
	CHECK_EQ(c[0].state, LEVELS_STEADY);
	CHECK_4(c[0].median, 0.7403);
	CHECK_EQ(c[0].odd_count, 1);
	CHECK_EQ(c[0].odd[0], 12);
	CHECK_EQ(c[1].state, LEVELS_CHANGED);
	CHECK_4(c[1].median, 0.8009);
	CHECK_EQ(c[1].change_count, 2);
	check_change(&c[1], 0, 4, 20.93, 1.138);
	check_change(&c[1], 1, 6, 1.138, 0.7406);
	CHECK_NEAR(c[1].change[0].p, 3e-21, 0.5e-21);
	CHECK_4(c[1].change[1].p, 4.769e-5);
	CHECK_4(c[2].median, 2.242);
	CHECK_EQ(c[2].change_count, 2);
	check_change(&c[2], 0, 2, 5.677, 3.746);
	check_change(&c[2], 1, 4, 3.746, 0.7299);
	CHECK_4(c[2].change[0].p, 5.243e-8);
	CHECK_NEAR(c[2].change[1].p, 1e-17, 0.5e-17);
	for (size_t i = 0; i < 3; i++) {
		median[i] = c[i].median;
		level[i] = c[i].level;
	}
	CHECK_4(level[0], 0.7403);
	CHECK_4(level[1], 0.7406);
	CHECK_4(level[2], 0.7299);
	levels_variance(&found, &v);
	CHECK_EQ(v.verdict, LEVELS_ALIKE);
	CHECK_4(v.f, 0.7139);
	CHECK_4(v.p, 0.4972);
	CHECK_EQ(v.share, 0);
	CHECK_4(v.within, 1.077);
	CHECK_EQ(stats_groups(level, 3, &groups), 0);
	CHECK_EQ(groups.grouping, STATS_GROUPS_NONE);
	check_group(&groups, 0, 3, 0.7403);
	CHECK_EQ(stats_middle(median, 3, &middle), 0);
	CHECK_4(middle.median, 0.8009);
	CHECK(!middle.has_interval);
	levels_free(&found);
}

static void test_one_change(void)
{
	static const double rate[] = { 20, 21, 19, 10, 10.5, 9.5 };
	struct stats_series series = SERIES(rate);
	struct levels found = find(&series, 1);

	CHECK_4(found.noise, 0.1001);
	CHECK_EQ(found.connection->change_count, 1);
	check_change(found.connection, 0, 3, 20, 10);
	CHECK_4(found.connection->change[0].p, 3.741e-4);
	CHECK_EQ(found.connection->level, 10); /* the later of two as long */
	levels_free(&found);
	series.n = 5;
	found = find(&series, 1);
	CHECK_EQ(found.connection->state, LEVELS_TOO_SHORT);
	CHECK_EQ(found.connection->change_count, 0);
	CHECK_EQ(found.connection->level, 19);
	levels_free(&found);
}

static void test_single_outlier(void)
{
	static const double slow[] = { 10, 10.2, 9.9, 2, 10.1, 9.8, 10, 10.3 };
	static const double stall[] = { 5, 5.1, 4.9, 0, 5, 5.2, 4.8 };
	const struct stats_series series[] = { SERIES(slow), SERIES(stall) };
	const double noise[] = { 0.02985, 0.06002 };

	for (size_t i = 0; i < 2; i++) {
		struct levels found = find(&series[i], 1);

		CHECK_4(found.noise, noise[i]);
		CHECK_EQ(found.connection->state, LEVELS_STEADY);
		CHECK_EQ(found.connection->odd_count, 1);
		CHECK_EQ(found.connection->odd[0], 3);
		levels_free(&found);
	}
}

static void test_small_change_is_none(void)
{
	double rate[100];
	const struct stats_series series = { rate, 100 };

	/* However certain, below 10 % it does not matter. */
	for (int percent = 9; percent <= 11; percent += 2) {
		struct levels found;

		for (size_t i = 0; i < 100; i++)
			rate[i] = i < 50 ? 10 : 10 * (1 + percent / 100.);
		found = find(&series, 1);
		CHECK_EQ(found.connection->change_count, percent > 10);
		levels_free(&found);
	}
}

/* Whether rate[4] is odd when it is so many times slower than its neighbours. */
static bool is_odd(double *rate, size_t n, double times)
{
	const struct stats_series series = { rate, n };
	struct levels found;
	bool odd;

	rate[4] = rate[3] / times;
	found = find(&series, 1);
	odd = found.connection->odd_count == 1 && found.connection->odd[0] == 4;
	CHECK(odd || found.connection->odd_count == 0);
	levels_free(&found);
	return odd;
}

static void test_what_is_odd(void)
{
	double quiet[] = { 10, 10, 10, 10, 0, 10, 10, 10, 10, 10 };
	double noisy[] = { 10, 11, 10, 11, 0, 11, 10, 11, 10, 11, 10, 11 };

	CHECK(!is_odd(quiet, COUNT(quiet), 1.19)); /* under 20 % */
	CHECK(is_odd(quiet, COUNT(quiet), 1.21));
	CHECK(!is_odd(noisy, COUNT(noisy), 1.45)); /* 4 ln 1.1 = ln 1.464 */
	CHECK(is_odd(noisy, COUNT(noisy), 1.47));
}

static void test_slow_start_and_change(void)
{
	static const double rate[] = { 3, 20.1, 19.8, 20.3, 20, 10.1, 9.9, 10, 10.2, 9.8 };
	const struct stats_series series = SERIES(rate);
	struct levels found = find(&series, 1);

	CHECK_EQ(found.connection->odd_count, 1);
	CHECK_EQ(found.connection->odd[0], 0);
	CHECK_EQ(found.connection->change_count, 1);
	check_change(found.connection, 0, 5, 20, 10);
	CHECK_4(found.connection->change[0].p, 7.463e-9);
	CHECK_4(found.connection->median, 10.15);
	levels_free(&found);
}

static void test_dip_is_no_level(void)
{
	static const double rate[] = { 5, 5.1, 4.9, 5, 1, 1.02, 5, 5.2, 4.8, 5.1, 4.95, 5.05 };
	const struct stats_series series = SERIES(rate);
	struct levels found = find(&series, 1);

	CHECK_4(found.noise, 0.03922);
	CHECK_EQ(found.connection->state, LEVELS_STEADY);
	CHECK_EQ(found.connection->odd_count, 2);
	CHECK_EQ(found.connection->odd[0], 4);
	CHECK_EQ(found.connection->odd[1], 5);
	levels_free(&found);
}

static void test_dip_beside_outlier(void)
{
	/* 4 is odd for itself and again as half of a dip: said once */
	static const double rate[] = { 5, 5, 5, 5, 0.01, 1, 5, 5, 5, 5 };
	const struct stats_series series = SERIES(rate);
	struct levels found = find(&series, 1);

	CHECK_EQ(found.connection->state, LEVELS_STEADY);
	CHECK_EQ(found.connection->odd_count, 2);
	CHECK_EQ(found.connection->odd[0], 4);
	CHECK_EQ(found.connection->odd[1], 5);
	levels_free(&found);
}

static void test_there_and_back(void)
{
	static const double first[] = { 5, 5.1, 4.9, 5, 1, 1.02, .98, 5, 5.2, 4.8, 5.1, 4.95 };
	static const double second[] = { 5, 5.1, 4.9, 5, 5.2, 4.8, 5.1, 4.95, 5, 5.05, 4.9, 5.1 };
	const struct stats_series series[] = { SERIES(first), SERIES(second) };
	struct levels found = find(series, 2);
	struct levels_variance v;

	CHECK_EQ(found.connection[0].change_count, 2);
	check_change(&found.connection[0], 0, 4, 5, 1);
	check_change(&found.connection[0], 1, 7, 1, 5);
	CHECK(found.connection[0].change[0].p < 1e-15);
	CHECK(found.connection[0].change[1].p < 1e-15);
	CHECK_EQ(found.connection[1].state, LEVELS_STEADY);
	levels_variance(&found, &v);
	CHECK_EQ(v.verdict, LEVELS_TOO_FEW);
	CHECK(v.has_figures);
	CHECK_4(v.f, 0.9788);
	CHECK_4(v.p, 0.3332);
	CHECK_EQ(v.share, 0);
	levels_free(&found);
}

static void test_between(void)
{
	static const double a[] = { 10, 10.4, 9.8, 10.2 };
	static const double b[] = { 12, 12.6, 11.8, 12.2 };
	static const double c[] = { 9, 9.1, 8.8, 9.3 };
	const struct stats_series series[] = { SERIES(a), { NULL, 0 }, SERIES(b), SERIES(c) };
	struct levels found = find(series, 4);
	struct levels_variance v;

	CHECK_EQ(found.connection[0].state, LEVELS_TOO_SHORT);
	levels_variance(&found, &v);
	CHECK_EQ(v.verdict, LEVELS_BETWEEN);
	CHECK_4(v.f, 38.62);
	CHECK_4(v.p, 3.830e-5);
	CHECK_4(v.share, 0.9705);
	CHECK_4(v.between, 0.1469);
	CHECK_4(v.within, 0.02560);
	levels_free(&found);
}

static void test_mostly_within(void)
{
	static double rate[3][60];
	struct stats_series series[3];
	struct levels_variance v;
	struct levels found;

	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < 60; j++)
			rate[i][j] = (10 + (double)i) * (j % 2 ? 1.2 : 1 / 1.2);
		series[i] = (struct stats_series){ rate[i], 60 };
	}
	found = find(series, 3);
	levels_variance(&found, &v);
	CHECK_EQ(v.verdict, LEVELS_WITHIN);
	/* ln 1.2, 60 of 59; ln 10, 11, 12 are 0.09117 apart in deviation */
	CHECK_NEAR(v.within, log(1.2) * sqrt(60 / 59.), 1e-9);
	CHECK_NEAR(v.between, sqrt(0.09120 * 0.09120 - v.within * v.within * 3.5 / 60), 1e-3);
	CHECK(v.share > 0.1 && v.share < 0.5);
	levels_free(&found);
}

static void test_too_few_to_split(void)
{
	static const double one[] = { 10, 11, 12, 11, 10, 11, 12 };
	const struct stats_series alone = SERIES(one);
	const struct stats_series singles[] = {
		{ one, 1 }, { one + 1, 1 }, { one + 2, 1 }, { one + 3, 1 }
	};
	struct levels found = find(&alone, 1);
	struct levels_variance v;

	levels_variance(&found, &v);
	CHECK_EQ(v.verdict, LEVELS_TOO_FEW);
	CHECK(!v.has_figures);
	levels_free(&found);
	found = find(singles, 4);
	levels_variance(&found, &v);
	CHECK_EQ(v.verdict, LEVELS_TOO_FEW);
	CHECK(!v.has_figures);
	levels_free(&found);
	found = find(NULL, 0);
	levels_variance(&found, &v);
	CHECK_EQ(v.verdict, LEVELS_TOO_FEW);
	levels_free(&found);
	levels_free(&found);
}

/* A connection of 0..39 intervals with whatever may happen in one. */
static size_t make_connection(double *rate)
{
	size_t n = below(40);
	double wild = below(4) == 0 ? 0.5 : 0.1, level = 10 + uniform();

	for (size_t j = 0; j < n; j++) {
		double x;

		if (below(10) == 0)
			level *= 0.5 + 1.5 * uniform();
		x = uniform();
		rate[j] = level * (1 + wild * (x + uniform() - 1));
		if (below(12) == 0)
			rate[j] *= 0.3;
	}
	return n;
}

/*
 * 400 runs of such connections: the sums were made with another program, in
 * another language, for the same random numbers.
 */
static void test_sums_over_many_runs(void)
{
	size_t changes = 0, change_places = 0, odd = 0, odd_places = 0;
	double levels = 0, p = 0, share = 0;
	static double rate[8][40];

	random_state = 5;
	for (int run = 0; run < 400; run++) {
		size_t count = 1 + below(8);
		struct stats_series series[8];
		struct levels_variance v;
		struct levels found;

		for (size_t i = 0; i < count; i++)
			series[i] = (struct stats_series){ rate[i], make_connection(rate[i]) };
		found = find(series, count);
		levels_variance(&found, &v);
		share += v.share;
		for (size_t i = 0; i < count; i++) {
			const struct levels_connection *c = &found.connection[i];

			changes += c->change_count;
			odd += c->odd_count;
			levels += c->level;
			for (size_t k = 0; k < c->change_count; k++) {
				change_places += c->change[k].at;
				p += c->change[k].p;
			}
			for (size_t k = 0; k < c->odd_count; k++)
				odd_places += c->odd[k];
		}
		levels_free(&found);
	}
	CHECK_EQ(changes, 1176);
	CHECK_EQ(change_places, 16688);
	CHECK_EQ(odd, 2335);
	CHECK_EQ(odd_places, 30196);
	CHECK_NEAR(levels, 23233.72378, 1e-4);
	CHECK_NEAR(p, 2.869698746, 1e-7);
	CHECK_NEAR(share, 113.8988838, 1e-6);
}

/* ---- groups ---- */

static struct stats_groups group(const double *level, size_t n)
{
	struct stats_groups groups;

	CHECK_EQ(stats_groups(level, n, &groups), 0);
	return groups;
}

static void test_two_groups(void)
{
	static const double level[] = { .74, .75,  .73, 20.9, 21.1, .72,  .76,	.745, 20.7, .735,
					.74, 20.8, 21,	.755, .725, 20.6, .742, .738, 21.2, .751 };
	struct stats_groups g = group(level, COUNT(level));
	struct stats_middle middle;

	CHECK_EQ(g.grouping, STATS_GROUPS_FOUND);
	CHECK_EQ(g.count, 2);
	check_group(&g, 0, 13, 0.74);
	check_group(&g, 1, 7, 20.9);
	CHECK_EQ(g.group[0].high, .76);
	CHECK_EQ(g.group[1].low, 20.6);
	for (size_t i = 0; i < COUNT(level); i++)
		CHECK_EQ(stats_group_of(&g, level[i]), level[i] > 1);
	CHECK_EQ(stats_middle(level, COUNT(level), &middle), 0);
	CHECK_4(middle.low, 0.74);
	CHECK_4(middle.high, 20.7);
	CHECK_4(middle.coverage, 0.9586);
}

static void test_odd_connection(void)
{
	static const double ten[] = { 10, 10.2, 9.9, 10.4, 9.7, 10.1, 9.8, 10.3, 10.05, 5 };
	static const double near_three[] = { 10, 10.2, 5 };
	static const double far_three[] = { 20.9, 20.7, .74 };
	static const double six[] = { 20, 13, 21, 13.5, 19.5, 12.8 };
	struct stats_groups g = group(ten, 10);
	struct stats_middle middle;

	CHECK_EQ(g.count, 2);
	check_group(&g, 0, 1, 5);
	check_group(&g, 1, 9, 10.05);
	CHECK_EQ(stats_middle(ten, 10, &middle), 0);
	CHECK_EQ(middle.low, 9.7);
	CHECK_EQ(middle.high, 10.3);
	CHECK_4(middle.coverage, 0.9785);
	g = group(near_three, 3);
	CHECK_EQ(g.grouping, STATS_GROUPS_NONE);
	CHECK_EQ(g.count, 1);
	g = group(far_three, 3);
	CHECK_EQ(g.count, 2);
	check_group(&g, 0, 1, 0.74);
	check_group(&g, 1, 2, 20.8);
	g = group(six, 6);
	CHECK_EQ(g.count, 2);
	check_group(&g, 0, 3, 13);
	check_group(&g, 1, 3, 20);
}

static void test_four_groups(void)
{
	struct stats_groups g;
	double level[20];

	for (size_t i = 0; i < 20; i++)
		level[i] = pow(2, (double)(i % 4)) * (1 + 0.01 * (double)(i % 5));
	g = group(level, 20);
	CHECK_EQ(g.count, 4);
	for (size_t i = 0; i < 4; i++)
		check_group(&g, i, 5, 1.02 * pow(2, (double)i));
	CHECK_EQ(stats_group_of(&g, 8), 3);
	/* 4 groups need 12 connections, 3 need 9 */
	CHECK(group(level, 11).count <= 3);
	CHECK(group(level, 8).count <= 2);
}

static void test_groups_of_few(void)
{
	static const double two[] = { 1, 100 };
	static const double equal[] = { 5, 5, 5, 5, 5, 5 };
	static const double stalled[] = { 0, 20, 0, 21, 0, 20.5 };
	struct stats_groups g = group(NULL, 0);

	CHECK_EQ(g.grouping, STATS_GROUPS_TOO_FEW);
	CHECK_EQ(g.count, 0);
	g = group(two, 2);
	CHECK_EQ(g.grouping, STATS_GROUPS_TOO_FEW);
	check_group(&g, 0, 2, 50.5);
	g = group(equal, 6);
	CHECK_EQ(g.grouping, STATS_GROUPS_NONE);
	check_group(&g, 0, 6, 5);
	g = group(stalled, 6);
	CHECK_EQ(g.count, 2);
	CHECK_EQ(g.group[0].level, 0);
	CHECK_EQ(g.group[0].n, 3);
}

/* ---- two runs ---- */

static struct stats_comparison compare(const double *before, size_t n, const double *after,
				       size_t m)
{
	struct stats_comparison c;

	CHECK_EQ(stats_compare(before, n, after, m, &c), 0);
	return c;
}

static void check_ratio(int line, const struct stats_comparison *c, int verdict, double ratio,
			double low, double high)
{
	check(line, "verdict", c->verdict, verdict, 0);
	check(line, "has_interval", c->has_interval, 1, 0);
	check(line, "ratio", c->ratio, ratio, half_digit(ratio));
	check(line, "low", c->low, low, half_digit(low));
	check(line, "high", c->high, high, half_digit(high));
}

#define CHECK_RATIO(...) check_ratio(__LINE__, __VA_ARGS__)

static void test_verdicts(void)
{
	struct stats_comparison c = compare(run_a, 10, run_b, 10);
	double more[10];

	CHECK_RATIO(&c, STATS_FASTER, 1.095, 1.074, 1.116);
	c = compare(run_b, 10, run_a, 10);
	CHECK_RATIO(&c, STATS_SLOWER, 0.9134, 0.8964, 0.9309);
	for (size_t i = 0; i < 10; i++)
		more[i] = 1.03 * run_a[i];
	c = compare(run_a, 10, more, 10);
	CHECK_RATIO(&c, STATS_SMALL, 1.030, 1.010, 1.050);
	c = compare(run_a, 5, run_a + 5, 5);
	CHECK_RATIO(&c, STATS_NO_DIFFERENCE, 0.9950, 0.9617, 1.030);
	c = compare(run_a, 4, run_b, 4);
	CHECK_RATIO(&c, STATS_FASTER, 1.090, 1.038, 1.147);
}

static void test_cannot_tell(void)
{
	struct stats_comparison c = compare(run_a, 3, run_b, 3);

	CHECK_EQ(c.verdict, STATS_CANNOT_TELL);
	CHECK(c.has_ratio);
	CHECK(!c.has_interval);
	CHECK_4(c.ratio, 1.105);
	CHECK_4(c.pair_low, 1.064);
	CHECK_4(c.pair_high, 1.147);
	CHECK_EQ(c.low, 0);
	CHECK_4(c.best_p, 0.1);
	CHECK_EQ(c.need_each, 4);
	CHECK_EQ(c.need_after, 5);
	CHECK_EQ(compare(run_a, 1, run_b, 1).need_after, 39);
	CHECK_EQ(compare(run_a, 2, run_b, 1).need_after, 8);
	CHECK_EQ(compare(run_a, 4, run_b, 1).need_after, 4);
	c = compare(run_a, 10, NULL, 0);
	CHECK_EQ(c.verdict, STATS_CANNOT_TELL);
	CHECK_EQ(c.before, 10);
	CHECK_EQ(c.after, 0);
	CHECK(!c.has_ratio);
	CHECK_EQ(c.ratio, 0);
	c = compare(NULL, 0, NULL, 0);
	CHECK(!c.has_ratio);
}

static void test_compare_equal_runs(void)
{
	static const double zeros[8], equal[] = { 7, 7, 7, 7, 7, 7, 7, 7 };
	struct stats_comparison c = compare(zeros, 8, zeros, 8);

	CHECK_RATIO(&c, STATS_NO_DIFFERENCE, 1, 1, 1);
	c = compare(equal, 8, equal, 8);
	CHECK_RATIO(&c, STATS_NO_DIFFERENCE, 1, 1, 1);
	c = compare(zeros, 8, equal, 8); /* a stall counts as 1 kB/s */
	CHECK_RATIO(&c, STATS_FASTER, 7000, 7000, 7000);
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The selection without making all differences, against making them. */
static void test_hodges_lehmann_by_sorting(void)
{
	static double a[30], b[30], d[900];

	random_state = 7;
	for (int round = 0; round < 300; round++) {
		size_t n = 1 + below(30), m = 1 + below(30), all = n * m, rank;
		double grain = round % 3 == 0 ? 4 : 1e6; /* with ties or without */
		struct stats_comparison c;

		for (size_t i = 0; i < n; i++)
			a[i] = exp(floor(uniform() * grain) / grain);
		for (size_t i = 0; i < m; i++)
			b[i] = exp(floor(uniform() * grain) / grain);
		for (size_t i = 0; i < all; i++)
			d[i] = log(b[i % m]) - log(a[i / m]);
		qsort(d, all, sizeof(*d), by_value);
		c = compare(a, n, b, m);
		rank = critical(n, m);
		CHECK_NEAR(log(c.ratio), (d[(all - 1) / 2] + d[all / 2]) / 2, 1e-9);
		CHECK_NEAR(log(c.pair_low), d[0], 1e-9);
		CHECK_NEAR(log(c.pair_high), d[all - 1], 1e-9);
		CHECK_EQ(c.has_interval, rank != DIST_NONE);
		if (rank == DIST_NONE)
			continue;
		CHECK_NEAR(log(c.low), d[rank], 1e-9);
		CHECK_NEAR(log(c.high), d[all - 1 - rank], 1e-9);
	}
}

static void test_share_of_slow(void)
{
	static const double old[] = { 1880, 5190, 1875, 1866, 5091, 1887, 1874, 1923, 5056, 1870 };
	static const double new[] = { 5100, 5200, 5150, 5080, 5120, 5130, 5110, 5090, 5160, 5140 };
	struct stats_shares s;

	CHECK_EQ(stats_share(old, 10, new, 10, &s), 0);
	CHECK_EQ(s.groups.count, 2);
	CHECK_EQ(s.before[0], 7);
	CHECK_EQ(s.before[1], 3);
	CHECK_EQ(s.after[0], 0);
	CHECK_EQ(s.after[1], 10);
	CHECK(s.has_p);
	CHECK_4(s.p, 0.003096);
	CHECK_EQ(stats_share(old, 10, new, 5, &s), 0);
	CHECK_NEAR(s.p, dist_fisher(7, 10, 0, 5), 1e-12);
	CHECK_EQ(stats_share(new, 10, new, 10, &s), 0);
	CHECK_EQ(s.groups.grouping, STATS_GROUPS_NONE);
	CHECK_EQ(s.before[0], 10);
	CHECK(!s.has_p);
	CHECK_EQ(stats_share(old, 10, NULL, 0, &s), 0);
	CHECK_EQ(s.groups.count, 2);
	CHECK(!s.has_p);
	CHECK_EQ(stats_share(NULL, 0, NULL, 0, &s), 0);
	CHECK_EQ(s.groups.count, 0);
}

/* ---- any input ---- */

static void check_share(double x)
{
	CHECK(x >= 0 && x <= 1);
}

static void check_rate(double x)
{
	CHECK(x >= 0 && x <= STATS_RATE_MAX);
}

static void check_levels(const struct levels *found)
{
	CHECK(found->noise >= 0 && found->noise < 100);
	for (size_t i = 0; i < found->count; i++) {
		const struct levels_connection *c = &found->connection[i];
		size_t at = 0;

		check_rate(c->median);
		check_rate(c->level);
		CHECK(isfinite(c->mean));
		CHECK(isfinite(c->squares) && c->squares >= 0);
		CHECK_EQ(c->change_count > 0, c->state == LEVELS_CHANGED);
		for (size_t k = 0; k < c->change_count; k++) {
			CHECK(c->change[k].at >= at + 2);
			at = c->change[k].at;
			check_rate(c->change[k].from);
			check_rate(c->change[k].to);
			CHECK(c->change[k].p >= 0 && c->change[k].p <= 0.05);
		}
		CHECK(at == 0 || at + 2 <= c->n);
		for (size_t k = 0; k < c->odd_count; k++)
			CHECK(c->odd[k] < c->n && (k == 0 || c->odd[k] > c->odd[k - 1]));
	}
}

static void check_groups(const struct stats_groups *g, size_t n)
{
	size_t sum = 0;

	CHECK(g->count <= STATS_GROUPS_MAX);
	for (size_t i = 0; i < g->count; i++) {
		check_rate(g->group[i].low);
		check_rate(g->group[i].high);
		CHECK(g->group[i].level >= g->group[i].low);
		CHECK(g->group[i].level <= g->group[i].high);
		sum += g->group[i].n;
	}
	CHECK_EQ(sum, n);
}

static void check_comparison(const struct stats_comparison *c)
{
	const double figure[] = { c->ratio, c->pair_low, c->pair_high, c->low, c->high, c->best_p };

	for (size_t i = 0; i < COUNT(figure); i++)
		CHECK(isfinite(figure[i]) && figure[i] >= 0);
	CHECK_EQ(c->has_interval, c->verdict != STATS_CANNOT_TELL);
	CHECK(c->low <= c->ratio || !c->has_interval);
	CHECK(c->high >= c->ratio || !c->has_interval);
}

/* Everything that the module can say about some connections. */
static void check_all(const struct stats_series *series, size_t count)
{
	double *level = calloc(count + 1, sizeof(*level)), x;
	struct levels found = find(series, count);
	struct levels_variance v;
	struct stats_comparison comparison;
	struct stats_shares shares;
	struct stats_middle m;
	size_t half = count / 2;

	check_levels(&found);
	levels_variance(&found, &v);
	CHECK(isfinite(v.f) && v.f >= 0);
	check_share(v.p);
	check_share(v.share);
	CHECK(v.between >= 0 && v.between < 100);
	CHECK(v.within >= 0 && v.within < 100);
	for (size_t i = 0; level && i < count; i++)
		level[i] = found.connection[i].level;
	CHECK_EQ(stats_middle(level, count, &m), 0);
	CHECK(m.min <= m.median && m.median <= m.max);
	CHECK(!m.has_interval ||
	      (m.min <= m.low && m.low <= m.median && m.median <= m.high && m.high <= m.max));
	check_share(m.coverage);
	check_rate(m.max);
	CHECK_EQ(stats_share(level, half, level + half, count - half, &shares), 0);
	check_groups(&shares.groups, count);
	check_share(shares.p);
	comparison = compare(level, half, level + half, count - half);
	check_comparison(&comparison);
	CHECK_EQ(stats_jain(level, count, &x), count > 0 && m.max > 0);
	check_share(x);
	stats_cv(level, count, &x);
	CHECK(isfinite(x) && x >= 0);
	levels_free(&found);
	free(level);
}

static void test_constant_input(void)
{
	static const double value[] = { 0, 1e-9, 5, 1e12, -3, NAN, INFINITY };
	static double rate[40];
	struct stats_series series[10];

	for (size_t v = 0; v < COUNT(value); v++)
		for (size_t n = 0; n <= 40; n += n < 8 ? 1 : 8)
			for (size_t count = 0; count <= 10; count++) {
				for (size_t i = 0; i < 40; i++)
					rate[i] = value[v];
				for (size_t i = 0; i < count; i++)
					series[i] = (struct stats_series){ rate, n };
				check_all(series, count);
			}
}

static double odd_value(void)
{
	switch (below(12)) {
	case 0: return 0;
	case 1: return NAN;
	case 2: return -uniform();
	case 3: return INFINITY;
	case 4: return 5e-324;
	case 5: return 1.7e308;
	case 6: return 1e-9;
	case 7: return 1e12;
	case 8: return pow(10, 24 * uniform() - 12);
	case 9: return 5;
	default: return 5 + uniform();
	}
}

static void test_odd_input(void)
{
	static double rate[20][60];
	struct stats_series series[20];

	random_state = 11;
	for (int round = 0; round < 2000; round++) {
		size_t count = below(21), longest = 1 + below(60);
		size_t plain = below(3); /* times out of 2 */

		for (size_t i = 0; i < count; i++) {
			series[i] = (struct stats_series){ rate[i], below(longest + 1) };
			for (size_t j = 0; j < series[i].n; j++)
				rate[i][j] = below(2) < plain ? 5 + uniform() : odd_value();
		}
		check_all(series, count);
	}
}

static void test_same_again(void)
{
	struct levels one = find(mail, 3), two = find(mail, 3);
	struct stats_comparison c = compare(run_a, 10, run_b, 10);
	struct stats_comparison d = compare(run_a, 10, run_b, 10);

	for (size_t i = 0; i < 3; i++) {
		CHECK_EQ(one.connection[i].change_count, two.connection[i].change_count);
		for (size_t k = 0; k < one.connection[i].change_count; k++)
			CHECK_EQ(one.connection[i].change[k].p, two.connection[i].change[k].p);
		CHECK_EQ(one.connection[i].mean, two.connection[i].mean);
	}
	CHECK_EQ(c.ratio, d.ratio);
	CHECK_EQ(c.low, d.low);
	levels_free(&one);
	levels_free(&two);
}

/* ---- very much input ---- */

#define MILLION 1000000

static double *many_rates(double spread)
{
	double *rate = calloc(MILLION, sizeof(*rate));

	random_state = 3;
	for (size_t i = 0; rate && i < MILLION; i++)
		rate[i] = 100 * exp(spread * (uniform() + uniform() - 1));
	return rate;
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* A million intervals, however they are shared out, take seconds. */
static void test_million_intervals(void)
{
	static const size_t split[] = { 1, 10, 100, 1000, 20000, 166666 };
	double *rate = many_rates(0.2), began = cpu_seconds();

	CHECK(rate != NULL);
	for (size_t i = 0; rate && i < COUNT(split); i++) {
		size_t count = split[i], n = MILLION / count;
		struct stats_series *series = calloc(count, sizeof(*series));

		CHECK(series != NULL);
		for (size_t k = 0; series && k < count; k++)
			series[k] = (struct stats_series){ rate + k * n, n };
		if (series)
			check_all(series, count);
		free(series);
	}
	CHECK(cpu_seconds() - began < 60); /* measured: 4 s */
	free(rate);
}

static void test_long_connection(void)
{
	double *rate = many_rates(0.2), before, after;
	struct stats_series series = { rate, MILLION };
	struct levels found;

	CHECK(rate != NULL);
	if (!rate)
		return;
	for (size_t i = 600000; i < MILLION; i++)
		rate[i] /= 2;
	found = find(&series, 1);
	CHECK_EQ(found.connection->step, 100);
	CHECK_EQ(found.connection->points, 10000);
	CHECK_EQ(found.connection->change_count, 1);
	CHECK_EQ(found.connection->change[0].at, 600000);
	CHECK_EQ(stats_median(rate, 600000, &before), 0);
	CHECK_EQ(stats_median(rate + 600000, 400000, &after), 0);
	CHECK_EQ(found.connection->change[0].from, before);
	CHECK_EQ(found.connection->change[0].to, after);
	CHECK_EQ(found.connection->level, before);
	levels_free(&found);
	/* What does not fill a block belongs to the last one. */
	series.n = 20003;
	rate[20002] *= 100;
	found = find(&series, 1);
	CHECK_EQ(found.connection->step, 3);
	CHECK_EQ(found.connection->points, 6667);
	CHECK_EQ(found.connection->state, LEVELS_STEADY);
	CHECK_EQ(found.connection->odd_count, 1);
	CHECK_EQ(found.connection->odd[0], 19998);
	levels_free(&found);
	free(rate);
}

/* Blocks are for runs that would take long, and no longer than need be. */
static void test_blocks(void)
{
	double *rate = many_rates(0.2);
	struct stats_series series[100];
	struct levels found;

	CHECK(rate != NULL);
	for (size_t i = 0; i < COUNT(series); i++)
		series[i] = (struct stats_series){ rate, LEVELS_POINTS_MAX };
	series[0].n = 6;
	for (size_t count = 10; rate && count <= 100; count *= 10) {
		found = find(series, count);
		CHECK_EQ(found.connection[0].step, 1);
		CHECK_EQ(found.connection[1].step, count == 10 ? 1 : 4);
		levels_free(&found);
	}
	free(rate);
}

static void test_many_connections(void)
{
	double *rate = many_rates(0.1), began = cpu_seconds();
	const size_t n = 20000;
	struct stats_groups g;
	struct stats_comparison c;

	CHECK(rate != NULL);
	if (!rate)
		return;
	for (size_t i = 0; i < n / 4; i++)
		rate[i] /= 3;
	for (size_t i = n; i < 2 * n; i++)
		rate[i] *= 1.1;
	g = group(rate, n);
	CHECK_EQ(g.count, 2);
	CHECK_EQ(g.group[0].n, n / 4);
	c = compare(rate + n / 4, 3 * n / 4, rate + n, n);
	CHECK_EQ(c.verdict, STATS_FASTER);
	CHECK_NEAR(c.ratio, 1.1, 0.01);
	CHECK(c.low < 1.1 && c.high > 1.1 && c.high - c.low < 0.01);
	c = compare(rate, MILLION / 2, rate + MILLION / 2, MILLION / 2);
	check_comparison(&c);
	CHECK(cpu_seconds() - began < 30); /* measured: 1 s */
	free(rate);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	RUN(test_dist_t_and_f);
	RUN(test_dist_beta);
	RUN(test_dist_out_of_range);
	RUN(test_dist_fisher);
	RUN(test_dist_rank_sum);
	RUN(test_dist_median_rank);
	RUN(test_median);
	RUN(test_bad_rates);
	RUN(test_middle);
	RUN(test_jain_and_cv);
	RUN(test_mail_of_1998);
	RUN(test_one_change);
	RUN(test_single_outlier);
	RUN(test_small_change_is_none);
	RUN(test_what_is_odd);
	RUN(test_slow_start_and_change);
	RUN(test_dip_is_no_level);
	RUN(test_dip_beside_outlier);
	RUN(test_there_and_back);
	RUN(test_between);
	RUN(test_mostly_within);
	RUN(test_too_few_to_split);
	RUN(test_sums_over_many_runs);
	RUN(test_two_groups);
	RUN(test_odd_connection);
	RUN(test_four_groups);
	RUN(test_groups_of_few);
	RUN(test_verdicts);
	RUN(test_cannot_tell);
	RUN(test_compare_equal_runs);
	RUN(test_hodges_lehmann_by_sorting);
	RUN(test_share_of_slow);
	RUN(test_constant_input);
	RUN(test_odd_input);
	RUN(test_same_again);
	RUN(test_million_intervals);
	RUN(test_long_connection);
	RUN(test_blocks);
	RUN(test_many_connections);
	return test_failures != 0;
}
