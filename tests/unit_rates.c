/*
 * How often the statistics are wrong, and how often they find what is there:
 * simulated runs with known truth against the rates of the design's tables.
 *
 * Each rate was first measured by another program, over `table` runs.  Here
 * it must come out within 3 binomial standard errors of the difference
 * between the two samples, plus the tables' rounding of 0.005, plus one run.
 * Where the tables give only a bound, it must not be exceeded by more.  The
 * noise is our own and seeded, so a pass stays a pass.
 */
#include "../measure/levels.h"
#include "../measure/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- the protocol of the tests ---- */

static const char *test_name;
static int test_failed, test_failures;

static void check_count(const char *what, size_t n, size_t k, size_t hits, size_t runs, double low,
			double high)
{
	if ((double)hits >= low && (double)hits <= high)
		return;
	printf("%s %s: %s, N %zu, K %zu: %zu of %zu runs, not %.1f to %.1f\n",
	       test_failed++ ? "# also" : "FAIL", test_name, what, n, k, hits, runs, low, high);
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
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static double margin(double p, size_t runs, double table)
{
	double q = fmin(fmax(p, 0.002), 0.998); /* 0 of 400 is not never */
	double n = (double)runs;

	return 3 * n * sqrt(q * (1 - q) * (1 / n + 1 / table)) + 0.005 * n + 1;
}

/* hits of runs agree with the rate p measured over table runs. */
static void expect(const char *what, size_t n, size_t k, size_t hits, size_t runs, double p,
		   double table)
{
	double by = margin(p, runs, table), middle = p * (double)runs;

	check_count(what, n, k, hits, runs, middle - by, middle + by);
}

static void expect_at_most(const char *what, size_t n, size_t k, size_t hits, size_t runs, double p)
{
	check_count(what, n, k, hits, runs, 0, p * (double)runs + margin(p, runs, INFINITY));
}

static void expect_at_least(const char *what, size_t n, size_t k, size_t hits, size_t runs,
			    double p)
{
	check_count(what, n, k, hits, runs, p * (double)runs - margin(p, runs, INFINITY),
		    (double)runs);
}

/* ---- noise ---- */

static uint64_t random_state;

/* xorshift64* (Vigna 2016), uniform in 0..1, never 0 or 1 */
static double uniform(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return ((double)((random_state * 0x2545F4914F6CDD1DULL) >> 12) + 0.5) * 0x1p-52;
}

/* Polar method (Marsaglia and Bray 1964); its second value is dropped. */
static double normal(void)
{
	double a, b, r;

	do {
		a = 2 * uniform() - 1;
		b = 2 * uniform() - 1;
		r = a * a + b * b;
	} while (r >= 1);
	return a * sqrt(-2 * log(r) / r);
}

static double exponential(void)
{
	return -log(uniform());
}

enum kind {
	NORMAL,
	CORRELATED, /* normal, AR(1) with 0.5 */
	STUDENT,    /* t(3) */
	LAPLACE,
	TAIL_SLOW, /* exponential, long tail to low values */
	TAIL_FAST,
	LOGNORMAL,
	UNIFORM,
	GAMMA /* ln of gamma(4): 50 % as it is */
};

/* One value of deviation 1 (LOGNORMAL and GAMMA: not centred). */
static double draw(enum kind kind)
{
	double a, b, c;

	switch (kind) {
	case STUDENT:
		a = normal();
		b = normal();
		c = normal();
		return normal() / sqrt(a * a + b * b + c * c);
	case LAPLACE: return (exponential() - exponential()) / sqrt(2);
	case TAIL_SLOW: return 1 - exponential();
	case TAIL_FAST: return exponential() - 1;
	case LOGNORMAL: return exp(normal() / 2) / 0.6039;
	case UNIFORM: return (uniform() - 0.5) * sqrt(12);
	case GAMMA: return log((exponential() + exponential() + exponential() + exponential()) / 4);
	default: return normal();
	}
}

/* Deviation of ln x when x is lognormal with this coefficient of variation. */
static double ln_deviation(double cv)
{
	return sqrt(log(1 + cv * cv));
}

/* ---- simulated runs ---- */

#define MOST_CONNECTIONS 50
#define MOST_INTERVALS 200

static double y[MOST_CONNECTIONS][MOST_INTERVALS]; /* ln rate */
static double rate[MOST_CONNECTIONS][MOST_INTERVALS];

static void make_noise(enum kind kind, double sd, size_t n, size_t k)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < k; j++) {
			double x = draw(kind);

			if (kind == CORRELATED && j > 0)
				x = 0.5 * y[i][j - 1] / sd + sqrt(0.75) * x;
			y[i][j] = sd * x;
		}
	}
}

/* Multiply the rate of some intervals of one connection. */
static void multiply(size_t i, size_t from, size_t to, double factor)
{
	for (size_t j = from; j < to; j++)
		y[i][j] += log(factor);
}

static void make_offsets(enum kind kind, double cv, size_t n, size_t k)
{
	for (size_t i = 0; i < n; i++)
		multiply(i, 0, k, exp(ln_deviation(cv) * draw(kind)));
}

static struct levels judge(size_t n, size_t k)
{
	struct stats_series series[MOST_CONNECTIONS];
	struct levels found;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < k; j++)
			rate[i][j] = 100 * exp(y[i][j]);
		series[i] = (struct stats_series){ rate[i], k };
	}
	if (levels_find(series, n, &found))
		test_failed++;
	return found;
}

static bool has_change(size_t n, size_t k)
{
	struct levels found = judge(n, k);
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= found.connection[i].change_count > 0;
	levels_free(&found);
	return any;
}

/* The first connection changed at just these places. */
static bool changed_at(size_t n, size_t k, const size_t *place, size_t count)
{
	struct levels found = judge(n, k);
	const struct levels_connection *c = found.connection;
	bool right = c->change_count == count;

	for (size_t i = 0; right && i < count; i++)
		right = c->change[i].at == place[i];
	levels_free(&found);
	return right;
}

/* So many runs that a cell takes about as long as another. */
static size_t runs_for(size_t n, size_t k)
{
	size_t runs = 120000 / (n * k);

	return runs < 40 ? 40 : runs > 1000 ? 1000 : runs;
}

static double table_runs(size_t n, size_t k, double intervals)
{
	return fmin(4000, fmax(400, floor(intervals / (double)(n * k))));
}

/* ---- level changes ---- */

enum spoil {
	PLAIN,
	SLOW_START, /* the first interval at 0.3 times the speed */
	OUTLIERS    /* one interval of each connection 5 times slower */
};

struct null {
	const char *name;
	enum kind kind;
	double sd; /* of ln rate; 0: as drawn */
	enum spoil spoil;
};

static void make_null(const struct null *null, size_t n, size_t k)
{
	make_noise(null->kind, null->sd > 0 ? null->sd : 1, n, k);
	if (null->spoil == PLAIN && null->kind != GAMMA)
		make_offsets(NORMAL, 0.05, n, k);
	for (size_t i = 0; i < n; i++) {
		if (null->spoil == SLOW_START)
			multiply(i, 0, 1, 0.3);
		if (null->spoil == OUTLIERS)
			multiply(i, k / 2, k / 2 + 1, 0.2);
	}
}

#define NULLS 12

/* The deviations are ln_deviation(0.01, 0.05, 0.2, 0.5). */
static const struct null nulls[NULLS] = {
	{ "normal 1%", NORMAL, 0.0099998, PLAIN },
	{ "normal 5%", NORMAL, 0.0499688, PLAIN },
	{ "normal 20%", NORMAL, 0.198042, PLAIN },
	{ "normal 50%", NORMAL, 0.472381, PLAIN },
	{ "correlated 20%", CORRELATED, 0.198042, PLAIN },
	{ "t(3) 5%", STUDENT, 0.0499688, PLAIN },
	{ "t(3) 20%", STUDENT, 0.198042, PLAIN },
	{ "Laplace 20%", LAPLACE, 0.198042, PLAIN },
	{ "exponential 20%", TAIL_SLOW, 0.198042, PLAIN },
	{ "slow start", CORRELATED, 0.2, SLOW_START },
	{ "outliers", CORRELATED, 0.1, OUTLIERS },
	{ "gamma 50%", GAMMA, 0, PLAIN },
};

static const struct {
	size_t n, k;
	double alarms[NULLS]; /* share of runs with any level change */
} false_changes[] = {
	{ 1, 6, { 0, .003, .015, .019, .044, .001, .013, .013, .019, .033, .021, .017 } },
	{ 3, 6, { 0, .003, .007, .007, .044, .002, .004, .005, .017, .011, .004, .006 } },
	{ 10, 6, { 0, .001, .001, .001, .020, .001, .002, .002, .012, .002, 0, .001 } },
	{ 50, 6, { 0, 0, 0, 0, .007, .001, .002, .001, .016, .001, 0, 0 } },
	{ 3, 13, { 0, 0, 0, 0, .021, .001, .001, .001, .011, .016, .004, .001 } },
	{ 10, 30, { 0, 0, 0, 0, .006, .003, .004, .001, .020, .006, .004, 0 } },
	{ 50, 30, { 0, 0, 0, 0, .010, .011, .007, 0, .054, .011, .004, 0 } },
	{ 10, 200, { 0, 0, 0, 0, 0, .002, .003, 0, .008, 0, 0, 0 } },
	{ 50, 200, { 0, 0, 0, 0, 0, .013, .010, 0, .018, 0, 0, 0 } },
};

static void test_false_level_changes(void)
{
	random_state = 101;
	for (size_t r = 0; r < COUNT(false_changes); r++) {
		size_t n = false_changes[r].n, k = false_changes[r].k;
		size_t runs = runs_for(n, k);

		for (size_t c = 0; c < NULLS; c++) {
			size_t hits = 0;

			for (size_t i = 0; i < runs; i++) {
				make_null(&nulls[c], n, k);
				hits += has_change(n, k);
			}
			expect(nulls[c].name, n, k, hits, runs, false_changes[r].alarms[c],
			       table_runs(n, k, 1200000));
		}
	}
}

enum change {
	AT_THIRD, /* at the 3rd interval */
	AT_MIDDLE,
	NEAR_END,      /* 3 before the end */
	IN_CORRELATED, /* at the middle, as all that follow */
	OF_HALF,       /* 1.5 times instead of twice */
	BUMP,	       /* and back after 3 */
	AFTER_SLOW_START,
	AMONG_OUTLIERS,
	CHANGES
};

static const char *const change_name[CHANGES] = { "3rd",	"middle",    "end - 3",
						  "correlated", "1.5 times", "bump of 3",
						  "slow start", "outliers" };

#define NOT_GIVEN -1 /* or the same as at the 3rd */

static const struct {
	size_t n, k;
	double found[CHANGES]; /* share with just this change, just there */
} true_changes[] = {
	{ 1, 6, { .98, NOT_GIVEN, NOT_GIVEN, 1.0, .66, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN } },
	{ 3, 6, { .96, NOT_GIVEN, NOT_GIVEN, .99, .54, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN } },
	{ 10, 6, { .95, NOT_GIVEN, NOT_GIVEN, .98, .37, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN } },
	{ 20, 6, { .92, NOT_GIVEN, NOT_GIVEN, .98, .26, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN } },
	{ 50, 6, { .84, NOT_GIVEN, NOT_GIVEN, .96, .12, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN } },
	{ 10, 8, { .95, .95, .95, .98, .25, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN } },
	{ 20, 8, { .91, .91, .92, .97, .15, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN } },
	{ 3, 13, { .99, 1.0, .99, .99, .56, .95, .99, .97 } },
	{ 20, 13, { .95, .99, .95, .98, .27, .86, .96, .94 } },
	{ 10, 30, { 1.0, 1.0, .99, 1.0, .93, .99, 1.0, 1.0 } },
	{ 50, 30, { .99, 1.0, .98, 1.0, .86, .96, 1.0, 1.0 } },
	{ 10, 200, { .98, 1.0, 1.0, 1.0, .95, .98, 1.0, 1.0 } },
	{ 50, 200, { .96, 1.0, .93, 1.0, .94, .95, 1.0, .99 } },
};

static bool finds_change(enum change change, size_t n, size_t k)
{
	size_t place[2] = { k / 2, k / 2 + 3 }, count = change == BUMP ? 2 : 1;

	if (change == AT_THIRD)
		place[0] = 3;
	if (change == NEAR_END)
		place[0] = k - 3;
	make_noise(change == IN_CORRELATED ? CORRELATED : NORMAL, ln_deviation(0.1), n, k);
	make_offsets(NORMAL, 0.05, n, k);
	multiply(0, place[0], change == BUMP ? place[1] : k, change == OF_HALF ? 1 / 1.5 : 0.5);
	if (change == AFTER_SLOW_START)
		multiply(0, 0, 1, 0.3);
	if (change == AMONG_OUTLIERS) {
		multiply(0, 2, 3, 0.2);
		multiply(0, k - 3, k - 2, 0.2);
	}
	return changed_at(n, k, place, count);
}

static void test_true_level_changes(void)
{
	random_state = 102;
	for (size_t r = 0; r < COUNT(true_changes); r++) {
		size_t n = true_changes[r].n, k = true_changes[r].k;
		size_t runs = runs_for(n, k);

		for (enum change c = 0; c < CHANGES; c++) {
			size_t hits = 0;

			if (true_changes[r].found[c] <= NOT_GIVEN)
				continue;
			for (size_t i = 0; i < runs; i++)
				hits += finds_change(c, n, k);
			expect(change_name[c], n, k, hits, runs, true_changes[r].found[c],
			       table_runs(n, k, 800000));
		}
	}
}

/* Of one connection among n, so many intervals at a fifth of the speed. */
static size_t excursions_called_levels(size_t n, size_t k, size_t length, size_t runs)
{
	size_t hits = 0;

	for (size_t i = 0; i < runs; i++) {
		make_noise(NORMAL, 0.1, n, k);
		multiply(0, k / 2, k / 2 + length, 0.2);
		hits += has_change(n, k);
	}
	return hits;
}

static void test_outliers_are_no_levels(void)
{
	static const size_t size[][2] = { { 10, 8 }, { 3, 13 }, { 10, 30 }, { 10, 200 } };

	random_state = 103;
	for (size_t s = 0; s < COUNT(size); s++) {
		size_t n = size[s][0], k = size[s][1], runs = runs_for(n, k);

		expect_at_most("one", n, k, excursions_called_levels(n, k, 1, runs), runs, 0);
		expect_at_most("two", n, k, excursions_called_levels(n, k, 2, runs), runs, 0);
	}
	/* 6 intervals are too few to tell a dip of 2 from 3 against 3 */
	expect("two", 10, 6, excursions_called_levels(10, 6, 2, 1000), 1000, .97, 4000);
}

/* ---- between and within ---- */

/* Share of runs in which connections are said to differ. */
static size_t runs_that_differ(enum kind kind, double sd, double offset_cv, size_t n, size_t k,
			       size_t runs)
{
	size_t hits = 0;

	for (size_t i = 0; i < runs; i++) {
		struct levels found;
		struct levels_variance v;

		make_noise(kind, sd, n, k);
		if (offset_cv > 0)
			make_offsets(NORMAL, offset_cv, n, k);
		found = judge(n, k);
		levels_variance(&found, &v);
		hits += v.verdict == LEVELS_BETWEEN || v.verdict == LEVELS_WITHIN;
		levels_free(&found);
	}
	return hits;
}

static void test_false_differences_between(void)
{
	static const struct {
		size_t n, k;
		double p; /* of correlated noise */
	} row[] = {
		{ 3, 3, .042 },	  { 3, 6, .050 },   { 10, 6, .041 },   { 3, 13, .045 },
		{ 10, 30, .023 }, { 50, 30, .013 }, { 10, 200, .043 },
	};

	random_state = 104;
	for (size_t r = 0; r < COUNT(row); r++) {
		size_t n = row[r].n, k = row[r].k, runs = runs_for(n, k);

		expect("correlated", n, k,
		       runs_that_differ(CORRELATED, ln_deviation(0.2), 0, n, k, runs), runs,
		       row[r].p, fmin(4000, fmax(300, 400000 / (double)(n * k))));
		expect_at_most("normal", n, k,
			       runs_that_differ(NORMAL, ln_deviation(0.5), 0, n, k, runs), runs,
			       .005);
		expect_at_most("t(3)", n, k,
			       runs_that_differ(STUDENT, ln_deviation(0.2), 0, n, k, runs), runs,
			       .005);
		expect_at_most("exponential", n, k,
			       runs_that_differ(TAIL_SLOW, ln_deviation(0.2), 0, n, k, runs), runs,
			       .005);
	}
}

static void test_true_differences_between(void)
{
	static const struct {
		size_t n, k;
		double cv, p;
	} row[] = {
		{ 3, 6, .05, .35 },   { 10, 6, .05, .76 }, { 10, 13, .05, .94 },
		{ 10, 30, .05, .99 }, { 3, 3, .2, .81 },   { 3, 6, .2, .91 },
	};

	random_state = 105;
	for (size_t r = 0; r < COUNT(row); r++) {
		size_t n = row[r].n, k = row[r].k, runs = runs_for(n, k);

		expect("offsets", n, k,
		       runs_that_differ(CORRELATED, ln_deviation(0.05), row[r].cv, n, k, runs),
		       runs, row[r].p, fmin(4000, 400000 / (double)(n * k)));
	}
	expect_at_least("offsets", 10, 6,
			runs_that_differ(CORRELATED, ln_deviation(0.05), .2, 10, 6, 1000), 1000,
			.95);
}

/* ---- groups ---- */

#define GROUP_RUNS 2000

static double level[MOST_CONNECTIONS];

static void make_levels(enum kind kind, double cv, size_t n)
{
	for (size_t i = 0; i < n; i++)
		level[i] = 100 * exp(ln_deviation(cv) * draw(kind));
}

static void scale_levels(size_t from, size_t to, double factor)
{
	for (size_t i = from; i < to; i++)
		level[i] *= factor;
}

static struct stats_groups groups_of(size_t n)
{
	struct stats_groups groups;

	if (stats_groups(level, n, &groups))
		test_failed++;
	return groups;
}

static double group_table_runs(size_t n)
{
	return n < 20 ? 8000 : 4000;
}

static void test_false_groups(void)
{
	static const enum kind kind[] = { NORMAL, UNIFORM, LOGNORMAL, LAPLACE, TAIL_SLOW, STUDENT };
	static const char *const name[] = { "normal",  "uniform",     "lognormal",
					    "Laplace", "exponential", "t(3)" };
	static const struct {
		size_t n;
		double p[COUNT(kind)];
	} row[] = {
		{ 3, { 0, 0, .001, 0, .001, .001 } },
		{ 5, { .005, .012, .011, .008, .024, .009 } },
		{ 6, { .031, .065, .035, .021, .057, .026 } },
		{ 8, { .023, .063, .031, .014, .056, .025 } },
		{ 10, { .013, .045, .030, .011, .060, .024 } },
		{ 13, { .007, .035, .022, .008, .049, .018 } },
		{ 20, { .001, .004, .012, .003, .033, .026 } },
		{ 50, { 0, 0, .006, .001, .013, .043 } },
	};

	random_state = 106;
	for (size_t r = 0; r < COUNT(row); r++) {
		for (size_t c = 0; c < COUNT(kind); c++) {
			size_t hits = 0, n = row[r].n, tight = 0;

			for (size_t i = 0; i < GROUP_RUNS; i++) {
				make_levels(kind[c], 0.2, n);
				hits += groups_of(n).count > 1;
				make_levels(kind[c], 0.05, n);
				tight += groups_of(n).count > 1;
			}
			expect(name[c], n, 1, hits, GROUP_RUNS, row[r].p[c], group_table_runs(n));
			expect_at_most(name[c], n, 1, tight, GROUP_RUNS, .035);
		}
	}
}

/* The first so many connections are slower: found as just that. */
static size_t slow_groups_found(size_t slow, double factor, double cv, size_t n)
{
	size_t hits = 0;

	for (size_t i = 0; i < GROUP_RUNS; i++) {
		struct stats_groups g;

		make_levels(NORMAL, cv, n);
		scale_levels(0, slow, 1 / factor);
		g = groups_of(n);
		hits += g.count == 2 && g.group[0].n == slow;
	}
	return hits;
}

static void test_true_groups(void)
{
	static const struct {
		size_t slow, n;
		double factor, cv, p;
	} row[] = {
		{ 3, 6, 1.5, .05, .92 },  { 3, 8, 1.5, .05, .92 },  { 3, 10, 1.5, .05, .92 },
		{ 3, 20, 1.5, .05, .97 }, { 3, 50, 1.5, .05, .99 }, { 1, 10, 2, .03, 1 },
		{ 1, 10, 2, .05, .91 },	  { 1, 10, 2, .1, .13 },    { 1, 4, 2, .03, .41 },
		{ 1, 5, 2, .03, .78 },	  { 1, 6, 2, .03, .96 },    { 1, 8, 2, .03, 1 },
		{ 1, 3, 28, .2, .15 },	  { 1, 5, 28, .2, .51 },    { 1, 6, 28, .2, .76 },
		{ 1, 8, 28, .2, .95 },	  { 1, 10, 28, .2, .97 },
	};
	static const size_t halves[] = { 6, 8, 10, 20, 50 };

	random_state = 107;
	for (size_t r = 0; r < COUNT(row); r++)
		expect("slow ones", row[r].n, row[r].slow,
		       slow_groups_found(row[r].slow, row[r].factor, row[r].cv, row[r].n),
		       GROUP_RUNS, row[r].p, 4000);
	for (size_t r = 0; r < COUNT(halves); r++) {
		size_t n = halves[r], hits = slow_groups_found(n / 2, 1.5, .05, n);

		expect_at_least("half of them", n, 1, hits, GROUP_RUNS, .91);
		hits = slow_groups_found(n / 2, 28, .2, n);
		expect_at_least("half, far off", n, 1, hits, GROUP_RUNS, .99);
	}
}

/* Three groups, the first two of so many connections: found as just that. */
static size_t three_groups_found(size_t first, double first_factor, size_t second,
				 double second_factor, size_t n)
{
	size_t hits = 0;

	for (size_t i = 0; i < GROUP_RUNS; i++) {
		struct stats_groups g;

		make_levels(NORMAL, 0.05, n);
		scale_levels(0, first, first_factor);
		scale_levels(first, first + second, second_factor);
		g = groups_of(n);
		hits += g.count == 3 && g.group[0].n == first && g.group[1].n == second;
	}
	return hits;
}

static void test_three_groups(void)
{
	random_state = 108;
	expect("4 4 4", 12, 1, three_groups_found(4, 0.25, 4, 0.5, 12), GROUP_RUNS, 1, 4000);
	expect("1 6 13", 20, 1, three_groups_found(1, 1 / 112., 6, 1 / 28., 20), GROUP_RUNS, .999,
	       4000);
	expect("1 8 1", 10, 1, three_groups_found(1, 0.25, 8, 0.5, 10), GROUP_RUNS, .83, 4000);
}

/* From intervals to groups, through the levels. */
static size_t runs_with_groups(enum kind offsets, double offset_cv, double sd, size_t n, size_t k,
			       size_t runs)
{
	size_t hits = 0;

	for (size_t r = 0; r < runs; r++) {
		struct levels found;

		make_noise(CORRELATED, sd, n, k);
		if (offset_cv > 0)
			make_offsets(offsets, offset_cv, n, k);
		found = judge(n, k);
		for (size_t i = 0; i < n; i++)
			level[i] = found.connection[i].level;
		levels_free(&found);
		hits += groups_of(n).count > 1;
	}
	return hits;
}

static void test_false_groups_of_intervals(void)
{
	static const size_t size[] = { 6, 10, 20 };

	random_state = 109;
	for (size_t s = 0; s < COUNT(size); s++) {
		size_t n = size[s];

		expect_at_most("offsets 3%", n, 12, runs_with_groups(NORMAL, .03, .1, n, 12, 1000),
			       1000, .034);
		expect_at_most("offsets 20%", n, 12, runs_with_groups(NORMAL, .2, .1, n, 12, 1000),
			       1000, .034);
		expect_at_most("offsets t(3) 20%", n, 12,
			       runs_with_groups(STUDENT, .2, .1, n, 12, 1000), 1000, .034);
		expect_at_most("no offsets", n, 3, runs_with_groups(NORMAL, 0, .2, n, 3, 1000),
			       1000, .037);
	}
}

/* ---- two runs ---- */

static double before[MOST_CONNECTIONS], after[MOST_CONNECTIONS];

static void make_medians(double *median, enum kind kind, double sd, size_t n, double slow)
{
	for (size_t i = 0; i < n; i++) {
		median[i] = 100 * exp(sd * draw(kind));
		if (uniform() < slow)
			median[i] /= 28;
	}
}

static struct stats_comparison compare(size_t n, size_t m)
{
	struct stats_comparison c;

	if (stats_compare(before, n, after, m, &c))
		test_failed++;
	return c;
}

static bool tells_apart(const struct stats_comparison *c)
{
	return c->verdict != STATS_NO_DIFFERENCE && c->verdict != STATS_CANNOT_TELL;
}

static bool beyond_margin(const struct stats_comparison *c)
{
	return c->verdict == STATS_FASTER || c->verdict == STATS_SLOWER;
}

static void test_false_verdicts(void)
{
	static const struct {
		size_t n;
		double p; /* of normal medians */
	} row[] = {
		{ 5, .030 }, { 6, .037 }, { 8, .051 }, { 10, .043 }, { 20, .052 }, { 50, .048 }
	};
	static const enum kind kind[] = { NORMAL, STUDENT, TAIL_SLOW, TAIL_FAST };

	random_state = 110;
	for (size_t r = 0; r < COUNT(row); r++) {
		size_t n = row[r].n, runs = n > 20 ? 500 : 2000;

		for (size_t c = 0; c <= COUNT(kind); c++) {
			bool mixture = c == COUNT(kind);
			size_t hits = 0;

			for (size_t i = 0; i < runs; i++) {
				enum kind which = mixture ? NORMAL : kind[c];
				struct stats_comparison verdict;

				make_medians(before, which, 0.03, n, mixture ? .35 : 0);
				make_medians(after, which, 0.03, n, mixture ? .35 : 0);
				verdict = compare(n, n);
				hits += tells_apart(&verdict);
			}
			if (c == 0)
				expect("normal", n, n, hits, runs, row[r].p, n > 20 ? 2000 : 8000);
			else
				expect_at_most("other noise", n, n, hits, runs, .054);
		}
	}
}

struct shift {
	size_t told;	/* runs with a difference */
	size_t beyond;	/* of these, more than the margin */
	size_t covered; /* runs whose interval holds the truth */
};

/* So many pairs of runs, n and n connections, with CV 3 %, a factor apart. */
static struct shift compare_shifted(double factor, double run_sd, size_t n, size_t runs)
{
	struct shift s = { 0 };

	for (size_t i = 0; i < runs; i++) {
		double by = factor * exp(run_sd * (normal() - normal()));
		struct stats_comparison c;

		make_medians(before, NORMAL, ln_deviation(.03), n, 0);
		make_medians(after, NORMAL, ln_deviation(.03), n, 0);
		for (size_t j = 0; j < n; j++)
			after[j] *= by;
		c = compare(n, n);
		s.told += tells_apart(&c);
		s.beyond += beyond_margin(&c);
		s.covered += c.has_interval && c.low <= factor && c.high >= factor;
	}
	return s;
}

static void test_true_verdicts(void)
{
	static const struct {
		size_t n;
		double p;
	} row[] = { { 4, .87 }, { 5, .96 }, { 6, .995 }, { 10, .999 } };
	struct shift s;

	random_state = 111;
	for (size_t r = 0; r < COUNT(row); r++) {
		s = compare_shifted(1.1, 0, row[r].n, 2000);
		expect("10%", row[r].n, row[r].n, s.beyond, 2000, row[r].p, 8000);
		expect_at_least("covers the ratio", row[r].n, row[r].n, s.covered, 2000, .944);
		expect_at_most("covers the ratio", row[r].n, row[r].n, s.covered, 2000, .972);
	}
	s = compare_shifted(1.05, 0, 10, 2000);
	expect("5%", 10, 10, s.told, 2000, .905, 8000);
}

/* Two boots of one kernel that differ a little: what the margin is for. */
static void test_margin_between_boots(void)
{
	struct shift s;

	random_state = 112;
	s = compare_shifted(1, .01, 10, 2000);
	expect("boots 1% apart", 10, 10, s.told, 2000, .151, 8000);
	expect("with margin", 10, 10, s.beyond, 2000, .013, 8000);
	s = compare_shifted(1, .02, 10, 2000);
	expect("boots 2% apart", 10, 10, s.told, 2000, .354, 8000);
	expect("with margin", 10, 10, s.beyond, 2000, .123, 8000);
}

/* Runs in which the share of the slow connections is said to have changed. */
static size_t shares_that_differ(double slow_before, double slow_after, size_t n, size_t runs)
{
	size_t hits = 0;

	for (size_t i = 0; i < runs; i++) {
		struct stats_shares s;

		make_medians(before, NORMAL, ln_deviation(.03), n, slow_before);
		make_medians(after, NORMAL, ln_deviation(.03), n, slow_after);
		if (stats_share(before, n, after, n, &s))
			test_failed++;
		hits += s.has_p && s.p <= STATS_ALPHA;
	}
	return hits;
}

static void test_slow_share(void)
{
	random_state = 113;
	expect("gone", 10, 10, shares_that_differ(.35, 0, 10, 2000), 2000, .25, 3000);
	expect("gone", 20, 20, shares_that_differ(.35, 0, 20, 2000), 2000, .89, 3000);
	expect("gone", 30, 30, shares_that_differ(.35, 0, 30, 2000), 2000, .98, 3000);
	for (size_t n = 10; n <= 30; n += 10)
		expect_at_most("the same", n, n, shares_that_differ(.35, .35, n, 2000), 2000, .028);
}

/*
 * A/A: 200 runs of each kind of noise, cut in two and compared, from the
 * intervals on.  At most 5 % may conclude anything.
 */
static void test_halves_of_one_run(void)
{
	const size_t n = 20, k = 12, runs = 200;
	size_t all = 0;

	random_state = 114;
	for (size_t c = 0; c < NULLS; c++) {
		size_t hits = 0;

		for (size_t r = 0; r < runs; r++) {
			struct levels found;
			struct stats_comparison verdict;

			make_null(&nulls[c], n, k);
			found = judge(n, k);
			for (size_t i = 0; i < n / 2; i++) {
				before[i] = found.connection[i].median;
				after[i] = found.connection[n / 2 + i].median;
			}
			levels_free(&found);
			verdict = compare(n / 2, n / 2);
			hits += tells_apart(&verdict);
		}
		expect_at_most(nulls[c].name, n, k, hits, runs, .05);
		all += hits;
	}
	expect_at_most("all kinds", n, k, all, NULLS * runs, .05);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	RUN(test_false_level_changes);
	RUN(test_true_level_changes);
	RUN(test_outliers_are_no_levels);
	RUN(test_false_differences_between);
	RUN(test_true_differences_between);
	RUN(test_false_groups);
	RUN(test_true_groups);
	RUN(test_three_groups);
	RUN(test_false_groups_of_intervals);
	RUN(test_false_verdicts);
	RUN(test_true_verdicts);
	RUN(test_margin_between_boots);
	RUN(test_slow_share);
	RUN(test_halves_of_one_run);
	return test_failures != 0;
}
