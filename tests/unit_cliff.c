/*
 * The search for cliffs: against functions that are known, which settings it
 * tries, how near it gets, when it gives up, and what it says.
 */
#include <stdlib.h>
#include <string.h>

#include "../measure/cliff.h"
#include "../measure/figures.h"
#include "test.h"

#define N 5	/* connections of a setting */
#define MOST 64 /* tries of a search, far above what is allowed */

/* ---- what is searched ---- */

/* The rate at a number; the search must find out where it changes. */
struct world {
	double (*rate)(const struct world *world, const char *setting, double number);
	double edge;
	double noise; /* each connection is off by up to this factor */
	unsigned int seed;
	double tried[MOST];
	size_t tries;
};

/* Minimal standard (Park and Miller 1988): 0..1, the same on every machine. */
static double draw(struct world *world)
{
	world->seed = (unsigned int)(16807ULL * world->seed % 2147483647);
	return (double)world->seed / 2147483647;
}

static void sample(struct world *world, const char *setting, double number, double *median)
{
	for (size_t i = 0; i < N; i++) {
		double off = world->noise > 1 ? pow(world->noise, 2 * draw(world) - 1) : 1;

		median[i] = world->rate(world, setting, number) * off;
	}
}

/* Measure and tell until there is nothing left, at most at_once side by side. */
static void search(struct cliffs *cliffs, struct world *world, size_t at_once)
{
	struct cliff_try try[CLIFF_SWEEP];
	double median[N];
	size_t count;

	do {
		for (count = 0; count < at_once && cliff_next(cliffs, &try[count]); count++)
			if (world->tries < MOST)
				world->tried[world->tries++] = try[count].number;
		for (size_t i = 0; i < count; i++) {
			const struct cliff *cliff = &cliffs->cliff[try[i].cliff];

			CHECK(try[i].number > cliff->low.number &&
			      try[i].number < cliff->high.number);
			sample(world, cliff->setting, try[i].number, median);
			NEED(cliff_tell(cliffs, &try[i], median, N) == 0);
		}
	} while (count > 0 && world->tries < MOST);
}

/* The neighbours at these numbers, as a sweep has measured them. */
static int find(struct cliffs *cliffs, struct world *world, const char *const *setting,
		size_t settings, const double *number, size_t count)
{
	static double median[2 * MOST][N];
	static struct cliff_pair pair[MOST];
	size_t pairs = 0;

	for (size_t s = 0; s < settings; s++)
		for (size_t i = 0; i < count; i++) {
			double *own = median[s * count + i];

			sample(world, setting[s], number[i], own);
			if (i == 0)
				continue;
			pair[pairs++] = (struct cliff_pair){
				.setting = setting[s],
				.name = "SO_SNDBUF",
				.side = { { number[i - 1], own - N, N }, { number[i], own, N } },
			};
		}
	return cliff_find(cliffs, pair, pairs);
}

static const char *const one_setting[] = { "-b 64K" };
static const double doubling[] = { 4096, 8192, 16384, 32768, 65536, 131072 };

static double step(const struct world *world, const char *setting, double number)
{
	(void)setting;
	return number < world->edge ? 10 : 5000;
}

static const char *said(const struct cliffs *cliffs)
{
	static char text[8192];
	FILE *out = tmpfile();
	size_t n = 0;

	if (out) {
		figures_cliffs(out, cliffs, N);
		rewind(out);
		n = fread(text, 1, sizeof(text) - 1, out);
		fclose(out);
	}
	text[n] = '\0';
	return text;
}

static const char *json_of(const struct cliffs *cliffs)
{
	static char text[8192];
	FILE *out = tmpfile();
	size_t n = 0;

	if (out) {
		figures_cliffs_json(out, cliffs);
		rewind(out);
		n = fread(text, 1, sizeof(text) - 1, out);
		fclose(out);
	}
	text[n] = '\0';
	return text;
}

/* ---- one edge ---- */

/* The real one of this kernel: what was tried, and what is said of it. */
static void test_kernel_edge(void)
{
	static const double want[] = { 49152, 40960, 36864, 34816, 33792 };
	struct world world = { .rate = step, .edge = 33000 };
	struct cliffs cliffs;

	NEED(find(&cliffs, &world, one_setting, 1, doubling, COUNT(doubling)) == 0);
	search(&cliffs, &world, 1);
	CHECK_EQ(world.tries, COUNT(want));
	for (size_t i = 0; i < COUNT(want) && i < world.tries; i++)
		CHECK_NEAR(world.tried[i], want[i], 0);
	CHECK_STR(said(&cliffs), "cliffs: 5 settings added, 5 connections each\n"
				 "  -b 64K  SO_SNDBUF between 32768 and 33792: 10 to 5000 MB/sec\n"
				 "          tried between: 49152: 5000, 40960: 5000, 36864: 5000, "
				 "34816: 5000\n");
	CHECK_STR(json_of(&cliffs),
		  "{\"event\":\"cliff\",\"setting\":\"-b 64K\",\"name\":\"SO_SNDBUF\","
		  "\"result\":\"edge\",\"low\":32768,\"high\":33792,\"low_MB_per_s\":10,"
		  "\"high_MB_per_s\":5000,\"tried\":[{\"number\":49152,\"median_MB_per_s\":5000},"
		  "{\"number\":40960,\"median_MB_per_s\":5000},"
		  "{\"number\":36864,\"median_MB_per_s\":5000},"
		  "{\"number\":34816,\"median_MB_per_s\":5000},"
		  "{\"number\":33792,\"median_MB_per_s\":5000}]}\n");
	cliff_free(&cliffs);
}

/* What was measured with two block sizes; what follows the edge is no cliff. */
static double kernel(const struct world *world, const char *setting, double number)
{
	static const double rates[][3] = {
		{ 4096, 12.04, 7.591 },	 { 8192, 13.52, 5.849 }, { 16384, 11.6, 6.613 },
		{ 32768, 10.68, 7.284 }, { 65536, 4372, 1805 },	 { 49152, 5261, 5757 },
		{ 40960, 6032, 6541 },	 { 36864, 5407, 5626 },	 { 34816, 4961, 6651 },
		{ 33792, 4687, 7043 },
	};

	(void)world;
	for (size_t i = 0; i < COUNT(rates); i++)
		if (fabs(rates[i][0] - number) < 0.5)
			return rates[i][strcmp(setting, "-b 1M") == 0 ? 2 : 1];
	test_fail(__FILE__, __LINE__, "%g is not to be tried", number);
	return 1;
}

static void test_two_settings(void)
{
	static const char *const settings[] = { "-b 64K", "-b 1M" };
	struct world world = { .rate = kernel };
	struct cliffs cliffs;

	NEED(find(&cliffs, &world, settings, 2, doubling, 5) == 0);
	search(&cliffs, &world, 2);
	CHECK_STR(said(&cliffs),
		  "cliffs: 10 settings added, 5 connections each\n"
		  "  -b 64K  SO_SNDBUF between 32768 and 33792: 10.68 to 4687 MB/sec\n"
		  "          tried between: 49152: 5261, 40960: 6032, 36864: 5407, 34816: 4961\n"
		  "  -b 1M   SO_SNDBUF between 32768 and 33792: 7.284 to 7043 MB/sec\n"
		  "          tried between: 49152: 5757, 40960: 6541, 36864: 5626, 34816: 6651\n");
	cliff_free(&cliffs);
}

static void check_edge(const struct cliffs *cliffs, const struct world *world)
{
	const struct cliff *cliff = cliffs->cliff;

	NEED(cliffs->count == 1);
	CHECK_EQ(cliff->result, CLIFF_EDGE);
	CHECK(cliff->low.number < world->edge && cliff->high.number >= world->edge);
	CHECK((cliff->high.number - cliff->low.number) * CLIFF_NEAR <= cliff->low.number);
	CHECK(cliff->tries <= CLIFF_TRIES);
	CHECK_EQ(cliffs->added, cliff->tries);
}

/* A step at any place, up or down, is found within the limits. */
static void test_any_place(void)
{
	for (double edge = 4097; edge <= 131072; edge += 333) {
		struct world world = { .rate = step, .edge = edge };
		struct cliffs cliffs;

		NEED(find(&cliffs, &world, one_setting, 1, doubling, COUNT(doubling)) == 0);
		search(&cliffs, &world, 3);
		check_edge(&cliffs, &world);
		cliff_free(&cliffs);
	}
}

/* Also where each connection is up to 3 times too slow or too fast. */
static void test_noise(void)
{
	size_t found = 0;

	for (unsigned int seed = 1; seed <= 200; seed++) {
		struct world world = {
			.rate = step, .edge = 20000 + 300 * seed, .noise = 3, .seed = seed
		};
		struct cliffs cliffs;

		NEED(find(&cliffs, &world, one_setting, 1, doubling, COUNT(doubling)) == 0);
		search(&cliffs, &world, 1);
		for (size_t i = 0; i < cliffs.count; i++) {
			const struct cliff *cliff = &cliffs.cliff[i];

			found += cliff->result == CLIFF_EDGE && cliff->low.number < world.edge &&
				 cliff->high.number >= world.edge;
		}
		cliff_free(&cliffs);
	}
	CHECK_EQ(found, 200);
}

static double flat(const struct world *world, const char *setting, double number)
{
	(void)world;
	(void)setting;
	(void)number;
	return 100;
}

/* What is noise alone adds next to nothing to a sweep. */
static void test_noise_alone(void)
{
	size_t added = 0, edges = 0;

	for (unsigned int seed = 1; seed <= 200; seed++) {
		struct world world = { .rate = flat, .noise = 3, .seed = seed };
		struct cliffs cliffs;

		NEED(find(&cliffs, &world, one_setting, 1, doubling, COUNT(doubling)) == 0);
		search(&cliffs, &world, 1);
		added += cliffs.added;
		for (size_t i = 0; i < cliffs.count; i++)
			edges += cliffs.cliff[i].result == CLIFF_EDGE;
		cliff_free(&cliffs);
	}
	/* 1000 pairs, of which 1 in 126 separate by chance. */
	CHECK(added < 200);
	CHECK(edges < 10);
}

/* ---- more than one ---- */

static double two_steps(const struct world *world, const char *setting, double number)
{
	(void)setting;
	return number < 10000 ? 10 : number < world->edge ? 300 : 9000;
}

/* Two between one pair of neighbours, and between two. */
static void test_two_edges(void)
{
	static const double near[] = { 8192, 16384 };
	static const double edges[] = { 14000, 40000 };

	for (size_t k = 0; k < COUNT(edges); k++) {
		struct world world = { .rate = two_steps, .edge = edges[k] };
		struct cliffs cliffs;

		NEED(find(&cliffs, &world, one_setting, 1, k ? doubling : near,
			  k ? COUNT(doubling) : COUNT(near)) == 0);
		search(&cliffs, &world, k ? 2 : 1);
		NEED(cliffs.count == 2);
		for (size_t i = 0; i < 2; i++) {
			const struct cliff *cliff = &cliffs.cliff[i];
			double edge = cliff->low.middle.median < 20 ? 10000 : edges[k];

			CHECK_EQ(cliff->result, CLIFF_EDGE);
			CHECK(cliff->low.number < edge && cliff->high.number >= edge);
			CHECK((cliff->high.number - cliff->low.number) * CLIFF_NEAR <=
			      cliff->low.number);
		}
		CHECK(cliffs.cliff[0].low.middle.median < cliffs.cliff[1].low.middle.median ||
		      k == 0);
		CHECK(cliffs.added <= 2 * CLIFF_TRIES);
		for (size_t i = 0; i < world.tries; i++)
			for (size_t j = 0; j < i; j++)
				CHECK(fabs(world.tried[i] - world.tried[j]) > 0);
		cliff_free(&cliffs);
	}
}

/* ---- limits ---- */

/* "7" and so on: the steepness of a setting, which also has its own edge. */
static double by_setting(const struct world *world, const char *setting, double number)
{
	double times = strtod(setting, NULL);

	(void)world;
	return number < 5000 + 100 * times ? 1 : 10 * times;
}

static void test_limit_of_a_sweep(void)
{
	static const char *const settings[] = { "1", "9", "3", "8", "5", "4", "7", "2", "6" };
	struct world world = { .rate = by_setting };
	struct cliffs cliffs;
	size_t edges = 0;

	NEED(find(&cliffs, &world, settings, COUNT(settings), doubling, COUNT(doubling)) == 0);
	CHECK_EQ(cliffs.count, COUNT(settings));
	search(&cliffs, &world, CLIFF_SWEEP);
	CHECK_EQ(cliffs.added, CLIFF_SWEEP);
	CHECK_EQ(world.tries, CLIFF_SWEEP);
	for (size_t i = 0; i < cliffs.count; i++) {
		const struct cliff *cliff = &cliffs.cliff[i];

		CHECK_STR(cliff->setting, settings[i]);
		edges += cliff->result == CLIFF_EDGE;
		if (cliff->result != CLIFF_EDGE)
			CHECK_EQ(cliff->result, CLIFF_SWEPT_OUT);
		/* Those that matter most have been looked into. */
		CHECK_EQ(cliff->result == CLIFF_EDGE, strtod(cliff->setting, NULL) > 5.5);
	}
	CHECK_EQ(edges, 4);
	CHECK_HAS(said(&cliffs), "  1  SO_SNDBUF between 4096 and 8192: 1 to 10 MB/sec; no nearer, "
				 "24 settings\n     added to the sweep\n");
	cliff_free(&cliffs);
}

/* Neighbours far apart: six settings go far, but not all the way. */
static void test_limit_of_a_cliff(void)
{
	static const double far[] = { 1024, 1048576 };
	static const double want[] = { 32768, 8192, 20480, 14336, 17408, 18944 };
	struct world world = { .rate = step, .edge = 20000 };
	struct cliffs cliffs;

	NEED(find(&cliffs, &world, one_setting, 1, far, 2) == 0);
	search(&cliffs, &world, 1);
	NEED(cliffs.count == 1);
	CHECK_EQ(cliffs.cliff->result, CLIFF_TRIED_OUT);
	for (size_t i = 0; i < COUNT(want); i++)
		CHECK_NEAR(world.tried[i], want[i], 0);
	CHECK_HAS(said(&cliffs), "SO_SNDBUF between 18944 and 20480: 10 to 5000 MB/sec; no nearer "
				 "in\n          6 settings\n");
	cliff_free(&cliffs);
}

/* ---- no cliffs ---- */

static double linear(const struct world *world, const char *setting, double number)
{
	(void)world;
	(void)setting;
	return number / 100;
}

static double cubic(const struct world *world, const char *setting, double number)
{
	(void)world;
	(void)setting;
	return pow(number / 1000, 3);
}

static void test_slopes(void)
{
	struct world straight = { .rate = linear }, steep = { .rate = cubic };
	static const double pair[] = { 8192, 16384 };
	struct cliffs cliffs;

	/* Twice as fast at twice the size. */
	NEED(find(&cliffs, &straight, one_setting, 1, doubling, COUNT(doubling)) == 0);
	search(&cliffs, &straight, 1);
	CHECK_EQ(cliffs.count, 0);
	CHECK_STR(said(&cliffs),
		  "cliffs: none, no numbers next to each other separate and differ twofold\n");
	CHECK_STR(json_of(&cliffs), "");
	cliff_free(&cliffs);

	NEED(find(&cliffs, &steep, one_setting, 1, pair, 2) == 0);
	search(&cliffs, &steep, 1);
	CHECK(cliffs.count > 0);
	CHECK(cliffs.added <= 4);
	for (size_t i = 0; i < cliffs.count; i++)
		CHECK_EQ(cliffs.cliff[i].result, CLIFF_SLOPE);
	CHECK_HAS(said(&cliffs), "SO_SNDBUF has no edge between 8192 and ");
	CHECK_HAS(json_of(&cliffs), "\"result\":\"slope\"");
	cliff_free(&cliffs);
}

/* Of these two the medians are apart, but not all connections. */
static void test_no_pair(void)
{
	static const double slow[] = { 1, 2, 3, 4, 90 }, fast[] = { 50, 100, 200, 300, 400 };
	static const double high[] = { 100, 110, 120, 130, 140 }, none[] = { 0 };
	static const struct cliff_pair pairs[] = {
		{ "", "-b", { { 1024, slow, 5 }, { 2048, fast, 5 } } },
		{ "", "-e", { { 1024, slow, 5 }, { 2048, none, 0 } } }, /* not measured */
		{ "", "-D", { { 0.25, slow, 5 }, { 0.5, high, 5 } } },	/* not whole */
		{ "", "-S", { { 1.5, slow, 5 }, { 2, high, 5 } } },	/* one of them not */
		{ "", "-C", { { -1, slow, 5 }, { 2, high, 5 } } },	/* below 0 */
		{ "", "-P", { { NAN, slow, 5 }, { INFINITY, high, 5 } } },
		{ "", "-z", { { 7, slow, 5 }, { 7, high, 5 } } }, /* the same */
	};
	struct cliffs cliffs;

	NEED(cliff_find(&cliffs, pairs, COUNT(pairs)) == 0);
	CHECK_EQ(cliffs.count, 0);
	cliff_free(&cliffs);
	NEED(cliff_find(&cliffs, NULL, 0) == 0);
	CHECK_EQ(cliffs.count, 0);
	cliff_free(&cliffs);
}

/* More than twofold is enough, and numbers of other settings are no neighbours. */
static void test_twofold(void)
{
	static const double one[] = { 10, 10, 10 }, less[] = { 19.9, 19.9, 19.9 };
	static const double twice[] = { 20, 20, 20 }, more[] = { 20.1, 20.1, 20.1 };
	static const struct {
		struct cliff_pair pair[2];
		size_t count;
	} cases[] = {
		{ { { "", "-b", { { 1, one, 3 }, { 2, less, 3 } } },
		    { "", "-b", { { 2, less, 3 }, { 3, less, 3 } } } },
		  0 },
		{ { { "", "-b", { { 1, one, 3 }, { 2, twice, 3 } } },
		    { "", "-b", { { 2, twice, 3 }, { 3, less, 3 } } } },
		  0 },
		{ { { "", "-b", { { 1, one, 3 }, { 2, more, 3 } } },
		    { "", "-b", { { 2, more, 3 }, { 3, one, 3 } } } },
		  2 },
		{ { { "-t A", "-b", { { 1, one, 3 }, { 2, one, 3 } } },
		    { "-t B", "-b", { { 3, more, 3 }, { 4, more, 3 } } } },
		  0 },
		{ { { "-t A", "-b", { { 1, one, 3 }, { 2, one, 3 } } },
		    { "-t A", "-e", { { 3, more, 3 }, { 4, more, 3 } } } },
		  0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cliffs cliffs;

		NEED(cliff_find(&cliffs, cases[i].pair, 2) == 0);
		CHECK_EQ(cliffs.count, cases[i].count);
		cliff_free(&cliffs);
	}
}

/* What looked like one, and is none when the sides are near. */
static void test_gone(void)
{
	static const double low[] = { 10, 11, 12 }, high[] = { 25, 26, 27 }, on[] = { 9, 20, 24 };
	static const struct cliff_pair pair = { "", "-b", { { 1, low, 3 }, { 3, high, 3 } } };
	struct cliffs cliffs;
	struct cliff_try try;

	NEED(cliff_find(&cliffs, &pair, 1) == 0 && cliff_next(&cliffs, &try));
	NEED(cliff_tell(&cliffs, &try, on, 3) == 0);
	CHECK_EQ(cliffs.cliff->result, CLIFF_SLOPE);
	CHECK_STR(said(&cliffs), "cliffs: 1 setting added, 5 connections each\n"
				 "  -b has no edge between 1 and 3: 11 to 26 MB/sec\n"
				 "  tried between: 2: 20\n");
	cliff_free(&cliffs);
}

/* ---- numbers ---- */

/* Small ones end next to each other; a standstill counts as slow. */
static void test_small_numbers(void)
{
	static const double slow[] = { 0, 0, 0 }, fast[] = { 5, 6, 7 };
	static const struct cliff_pair cases[] = {
		{ "", "-C", { { 1, slow, 3 }, { 2, fast, 3 } } },
		{ "", "-C", { { 3, fast, 3 }, { 1, slow, 3 } } },
		{ "", "-C", { { 0, slow, 3 }, { 8, fast, 3 } } },
	};
	static const size_t tries[] = { 0, 1, 3 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cliffs cliffs;
		struct cliff_try try;

		NEED(cliff_find(&cliffs, &cases[i], 1) == 0);
		NEED(cliffs.count == 1);
		while (cliff_next(&cliffs, &try))
			NEED(cliff_tell(&cliffs, &try, try.number < 2 ? slow : fast, 3) == 0);
		CHECK_EQ(cliffs.added, tries[i]);
		CHECK_EQ(cliffs.cliff->result, CLIFF_EDGE);
		CHECK_NEAR(cliffs.cliff->low.number, 1, 0);
		CHECK_NEAR(cliffs.cliff->high.number, 2, 0);
		if (i == 0)
			CHECK_STR(said(&cliffs), "cliffs: 0 settings added, 5 connections each\n"
						 "  -C between 1 and 2: 0 to 6 MB/sec\n");
		cliff_free(&cliffs);
	}
}

/* Numbers in any order, each measured only once. */
static void test_order(void)
{
	static const double slow[] = { 1, 1, 1 }, fast[] = { 5, 6, 7 };
	static const struct cliff_pair pairs[] = {
		{ "-b 1K", "X", { { 32768, slow, 3 }, { 65536, fast, 3 } } },
		{ "-b 1K", "X", { { 65536, fast, 3 }, { 49152, slow, 3 } } },
	};
	struct cliffs cliffs;
	struct cliff_try try;

	NEED(cliff_find(&cliffs, pairs, COUNT(pairs)) == 0);
	NEED(cliffs.count == 1);
	CHECK_NEAR(cliffs.cliff->low.number, 49152, 0);
	CHECK(cliff_next(&cliffs, &try));
	CHECK_NEAR(try.number, 57344, 0);
	CHECK(try.pair < COUNT(pairs));
	CHECK(!cliff_next(&cliffs, &try)); /* before that has been told */
	CHECK_HAS(said(&cliffs), "; interrupted\n");
	/* A setting without a rate ends it. */
	NEED(cliff_tell(&cliffs, &try, NULL, 0) == 0);
	CHECK(!cliff_next(&cliffs, &try));
	CHECK_EQ(cliffs.cliff->result, CLIFF_NO_ANSWER);
	CHECK_STR(said(&cliffs),
		  "cliffs: 1 setting added, 5 connections each\n"
		  "  -b 1K  X between 49152 and 65536: 1 to 6 MB/sec; no nearer, one gave no\n     "
		  "    rate\n         tried between: 57344: n/a\n");
	CHECK_HAS(json_of(&cliffs), "{\"number\":57344,\"median_MB_per_s\":null}");
	cliff_free(&cliffs);
}

/* On which side the middle is: by separation, else by the nearer median. */
static void test_sides(void)
{
	static const double low[] = { 10, 11, 12 }, high[] = { 1000, 1100, 1200 };
	static const struct {
		double median[3];
		int is_high;
	} cases[] = {
		{ { 11, 12, 13 }, 0 },	    /* separate from high alone */
		{ { 11.5, 900, 950 }, 0 },  /* the same, though nearer to high */
		{ { 200, 1050, 1100 }, 1 }, /* separate from low alone */
		{ { 100, 100, 100 }, 0 },   /* from both, nearer to low */
		{ { 130, 130, 130 }, 1 },    { { 5, 900, 2000 }, 1 }, /* from neither */
		{ { 5, 20, 2000 }, 0 },	     { { 1, 1, 1 }, 0 },      /* beyond */
		{ { 9000, 9000, 9000 }, 1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct cliff_pair pair = { "",
						 "-b",
						 { { 1024, low, 3 }, { 2048, high, 3 } } };
		struct cliffs cliffs;
		struct cliff_try try;

		NEED(cliff_find(&cliffs, &pair, 1) == 0 && cliff_next(&cliffs, &try));
		NEED(cliff_tell(&cliffs, &try, cases[i].median, 3) == 0);
		CHECK_NEAR(cliffs.cliff->low.number, cases[i].is_high ? 1024 : 1536, 0);
		CHECK_NEAR(cliffs.cliff->high.number, cases[i].is_high ? 1536 : 2048, 0);
		cliff_free(&cliffs);
	}
}

int main(void)
{
	RUN(test_kernel_edge);
	RUN(test_two_settings);
	RUN(test_any_place);
	RUN(test_noise);
	RUN(test_noise_alone);
	RUN(test_two_edges);
	RUN(test_limit_of_a_sweep);
	RUN(test_limit_of_a_cliff);
	RUN(test_slopes);
	RUN(test_no_pair);
	RUN(test_twofold);
	RUN(test_gone);
	RUN(test_small_numbers);
	RUN(test_order);
	RUN(test_sides);
	return test_end();
}
