/*
 * What a run comes to, and one run against another: each figure of the design's
 * example and of the mail of 1998, the five verdicts, and text and JSON that
 * stay in form whatever goes in.
 */
#include <stdlib.h>

#include "../measure/compare.h"
#include "../measure/figures.h"
#include "../measure/levels.h"
#include "../measure/run.h"
#include "../measure/stats.h"
#include "../measure/summary.h"
#include "test.h"

/* ---- runs ---- */

static void add(struct run *run, unsigned int round, const double *rate, size_t n, double step_s)
{
	unsigned int number = (unsigned int)run->count + 1;
	struct run_series *series = run_add_series(run, number, round);

	for (size_t i = 0; series && i < n; i++)
		if (run_add_rate(series, rate[i], step_s > 0 ? (double)i * step_s : -1))
			abort();
	if (!series)
		abort();
}

/* The design's example: ten connections, two groups, one level change. */
static const double mock[10][8] = {
	{ 1865.62, 1909.07, 1867.29, 1862.31, 1828.27, 1868.01, 1943.77, 1904.07 },
	{ 5312.72, 5188.6, 5211.35, 5178.71, 4898.92, 5283.85, 5228.83, 5227.65 },
	{ 1815.5, 1812.64, 1859.7, 1883.36, 1927.58, 1907.37, 1940.09, 1873.55 },
	{ 1867.21, 1872.01, 1813.67, 1947.82, 1881.15, 1917.64, 1815.89, 1809.41 },
	{ 2018.07, 2027.68, 2057.85, 5162.59, 5091.24, 5039.62, 5083.79, 5263.98 },
	{ 1859.38, 1919.04, 1929.53, 1821.74, 1907.77, 1981.13, 1793.29, 1886.71 },
	{ 1864.06, 1824.71, 1898.11, 1866.51, 1789.61, 1917.02, 1907.93, 1923.82 },
	{ 2015.24, 1951.09, 1936.92, 1856.23, 1965.97, 1894.9, 1903.97, 1858.14 },
	{ 4934.66, 4999.7, 5280.27, 4779.6, 4862.63, 5116.61, 5304.8, 5168.93 },
	{ 1790.01, 1757.11, 1915.43, 1853.6, 1832.4, 1951.39, 1958.68, 1903.96 },
};

static const char mock_text[] =
	"10 connections of 4 s, 80 intervals of 0.5 s\n"
	"  median    1890 MB/sec, 95% interval 1870 to 5062\n"
	"  range     1757 to 5313 MB/sec, 3.02 times\n"
	"  variance  88% between connections, 12% within: mostly between\n"
	"            typical deviation: 53% between, 17% within\n"
	"  groups    2: 7 near 1879 (1 3 4 6 7 8 10), 3 near 5091 (2 5 9)\n"
	"  changes   connection 5 after 1.5 s: 2028 to 5091 MB/sec\n"
	"  stalls    none\n"
	"  row per connection: median, then where its intervals lie (digit: how many)\n"
	"               1757                                            5313 MB/sec\n"
	"    1     1868  | 161\n"
	"    2     5220  |                                             1   232\n"
	"    3     1878  | 341\n"
	"    4     1870  | 341\n"
	"    5     5062  |    3                                          1211\n"
	"    6     1897  | 341\n"
	"    7     1882  |116\n"
	"    8     1920  | 2231\n"
	"    9     5058  |                                           1 11111 2\n"
	"   10     1879  |2222\n";

static struct run mock_run(void)
{
	struct run run = { .parallel = 1, .asked = 10, .interval_s = 0.5, .duration_s = 4 };

	for (unsigned int i = 0; i < 10; i++)
		add(&run, i + 1, mock[i], 8, 0.5);
	return run;
}

/* The mail: positions are in intervals, and both programs wrote. */
static struct run mail_run(void)
{
	static const double one[] = { 0.793292, 0.79679,  0.687321, 0.715289, 0.756733,
				      0.740292, 0.743484, 0.728355, 0.747519, 0.740157,
				      0.740038, 0.733245, 0.934274 };
	static const double two[] = { 20.9057,	20.3226,  20.9555,  20.9682,  1.13213,
				      1.14311,	0.722275, 0.800895, 0.736669, 0.682532,
				      0.740097, 0.74058,  0.744444, 0.743216, 0.828012 };
	static const double three[] = { 5.69272,  5.66049,  3.74547,  3.74673,
					0.730152, 0.729695, 0.722755, 0.739306 };
	struct run run = { .parallel = 1, .both_wrote = 1 };

	add(&run, 1, one, COUNT(one), 0);
	add(&run, 2, two, COUNT(two), 0);
	add(&run, 3, three, COUNT(three), 0);
	return run;
}

/* A connection of 8 intervals for each of these medians. */
static struct run run_of(const double *median, size_t n)
{
	static const double noise[] = { 0.99, 1.01, 1, 0.995, 1.005, 0.998, 1.002, 1 };
	struct run run = { .parallel = 1, .asked = n, .interval_s = 0.5, .duration_s = 4 };

	for (unsigned int i = 0; i < n; i++) {
		double rate[COUNT(noise)];

		for (size_t j = 0; j < COUNT(noise); j++)
			rate[j] = median[i] * noise[j];
		add(&run, i + 1, rate, COUNT(rate), 0.5);
	}
	return run;
}

/* ---- what is printed ---- */

static char text[1 << 20];

static FILE *begin(void)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (!out)
		abort();
	return out;
}

/* What the reader of saved output would take for an interval, header or end. */
static int is_taken(const char *line)
{
	char after[8] = "";
	double number;

	line += strspn(line, " ");
	if (sscanf(line, "connection %lf%1[:]", &number, after) == 2)
		return 1;
	if (strncmp(line, "host=", 5) == 0 || strncmp(line, "port=", 5) == 0)
		return 1;
	return sscanf(line, "%lf %7s", &number, after) == 2 && strcmp(after, "MB/sec") == 0;
}

static void check_lines(void)
{
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		NEED(end);
		*end = '\0';
		if (strlen(line) > 78 || (end > line && end[-1] == ' ') || is_taken(line) ||
		    strstr(line, "nan") || strstr(line, "inf "))
			test_fail(__FILE__, __LINE__, "out of form: \"%s\"", line);
		for (char *c = line; *c; c++)
			if (*c < ' ' || *c > '~')
				test_fail(__FILE__, __LINE__, "not ASCII: \"%s\"", line);
		*end = '\n';
	}
}

/* A strict reader of JSON without blanks; NULL where it is none. */
static const char *json_value(const char *p)
{
	static const char *const words[] = { "true", "false", "null" };
	char close = *p == '{' ? '}' : ']', *end;

	if (*p == '"')
		return strchr(p + 1, '"') ? strchr(p + 1, '"') + 1 : NULL;
	for (size_t i = 0; i < COUNT(words); i++)
		if (strncmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	if (*p != '{' && *p != '[')
		return (strtod(p, &end), end > p && strchr("-0123456789", *p)) ? end : NULL;
	if (p[1] == close)
		return p + 2;
	do {
		p++;
		if (close == '}') {
			p = *p == '"' ? json_value(p) : NULL;
			p = p && *p == ':' ? p + 1 : NULL;
		}
		p = p ? json_value(p) : NULL;
	} while (p && *p == ',');
	return p && *p == close ? p + 1 : NULL;
}

static void check_json(void)
{
	const char *end = json_value(text);

	if (!end || strcmp(end, "\n") != 0)
		test_fail(__FILE__, __LINE__, "no JSON: %.300s", text);
}

/* Make a summary of the run; its text, after its JSON has been checked. */
static void summarize(const struct run *run, struct summary *summary)
{
	FILE *out;

	if (summary_make(run, summary))
		abort();
	out = begin();
	figures_summary_json(out, summary);
	fclose(out);
	check_json();
	out = begin();
	figures_summary(out, summary);
	fclose(out);
	check_lines();
}

/* The same of two runs; frees them. */
static void compare(struct run before, struct run after)
{
	struct summary one, two;
	struct compare compared;
	FILE *out;

	if (summary_make(&before, &one) || summary_make(&after, &two) ||
	    compare_make(&one, &two, &compared))
		abort();
	out = begin();
	figures_compare_json(out, &compared, "old.txt", "new.txt");
	fclose(out);
	check_json();
	out = begin();
	figures_compare(out, &compared, "old.txt", "new.txt");
	fclose(out);
	check_lines();
	compare_free(&compared);
	summary_free(&one);
	summary_free(&two);
	run_free(&before);
	run_free(&after);
}

/* ---- one run ---- */

static void test_example_of_the_design(void)
{
	struct run run = mock_run();
	struct summary s;

	summarize(&run, &s);
	CHECK_STR(text, mock_text);
	CHECK_NEAR(s.middle->coverage, 0.9785, 5e-5);
	CHECK_NEAR(s.variance->share, 0.8845, 5e-5);
	CHECK_NEAR(exp(s.variance->between) - 1, 0.531, 5e-4);
	CHECK_NEAR(exp(s.variance->within) - 1, 0.166, 5e-4);
	CHECK_NEAR(s.variance->p, 3.5e-15, 5e-17);
	CHECK_EQ(s.change[0].after, 3);
	CHECK(!s.has_jain && !summary_is_early(&s));
	summary_free(&s);
	run_free(&run);
}

static const char mail_text[] =
	"The text has both programs' lines: each interval probably stands twice.\n"
	"3 connections, 36 intervals\n"
	"  median    0.8009 MB/sec, 95% interval n/a (needs 6 connections)\n"
	"  range     0.6825 to 20.97 MB/sec, 30.7 times\n"
	"  variance  0% between connections, 100% within: no difference between\n"
	"            connections beyond what happens inside them\n"
	"            typical deviation: 0% between, 2.93 times within\n"
	"  groups    none seen\n"
	"  changes   connection 2 after 4 intervals: 20.93 to 1.138 MB/sec\n"
	"            connection 2 after 6 intervals: 1.138 to 0.7406 MB/sec\n"
	"            connection 3 after 2 intervals: 5.677 to 3.746 MB/sec\n"
	"            connection 3 after 4 intervals: 3.746 to 0.7299 MB/sec\n"
	"  outliers  connection 1, interval 13: 0.9343 MB/sec\n"
	"  stalls    none\n"
	"  row per connection: median, then where its intervals lie (digit: how many)\n"
	"               0.6825                                         20.97 MB/sec log\n"
	"    1   0.7403  |183  1\n"
	"    2   0.8009  |1611    2                                          4\n"
	"    3    2.242  | 4                       2      2\n";

static void test_mail(void)
{
	static const double medians[] = { 0.740292, 0.800895, 2.242388 };
	static const size_t counts[] = { 13, 15, 8 };
	static const struct summary_change changes[] = {
		{ 2, 4, -1, 20.93, 1.138, 3e-21 },
		{ 2, 6, -1, 1.138, 0.7406, 4.769e-05 },
		{ 3, 2, -1, 5.677, 3.746, 5.243e-08 },
		{ 3, 4, -1, 3.746, 0.7299, 1e-17 },
	};
	struct run run = mail_run();
	struct summary s;

	summarize(&run, &s);
	CHECK_STR(text, mail_text);
	NEED(s.changes == COUNT(changes));
	for (size_t i = 0; i < 3; i++) {
		CHECK_EQ(s.row[i].n, counts[i]);
		CHECK_NEAR(s.row[i].median, medians[i], 1e-6);
	}
	for (size_t i = 0; i < COUNT(changes); i++) {
		CHECK_EQ(s.change[i].connection, changes[i].connection);
		CHECK_EQ(s.change[i].after, changes[i].after);
		CHECK(s.change[i].after_s < 0);
		CHECK_NEAR(s.change[i].from / changes[i].from, 1, 5e-4);
		CHECK_NEAR(s.change[i].to / changes[i].to, 1, 5e-4);
		CHECK_NEAR(log10(s.change[i].p / changes[i].p), 0, 0.25);
	}
	CHECK_NEAR(s.middle->median, 0.800895, 0);
	CHECK_NEAR(s.range.ratio, 30.7, 0.05);
	CHECK_NEAR(s.variance->p, 0.4972, 5e-5);
	CHECK_EQ(s.odds, 1);
	summary_free(&s);
	run_free(&run);
}

/* -P: the round's sum is the unit, as far as all of its connections go. */
static void test_rounds(void)
{
	static const double a[] = { 10, 12, 11, 10 }, b[] = { 20, 22, 21 }, c[] = { 15, 15, 15 };
	struct run run = { .parallel = 2, .asked = 6, .interval_s = 1, .duration_s = 4 };
	struct summary s;

	add(&run, 1, a, 4, 1);
	add(&run, 1, b, 3, 1);
	add(&run, 2, c, 3, 1);
	add(&run, 2, c, 3, 1);
	add(&run, 3, a, 4, 1);
	add(&run, 3, NULL, 0, 1);
	summarize(&run, &s);
	CHECK_EQ(s.rounds, 3);
	CHECK_EQ(s.units, 2); /* none for the third, which is not whole */
	CHECK_NEAR(s.unit[0], 32, 0);
	CHECK_NEAR(s.unit[1], 30, 0);
	CHECK_NEAR(s.middle->median, 31, 0);
	CHECK_NEAR(s.sums.max, 34, 0);
	CHECK_NEAR(s.range.max, 22, 0);
	CHECK(s.has_jain && s.measured == 5 && summary_is_early(&s));
	/* Medians 10.5 and 21: (31.5)^2 / (2 * 551.25); 1; 0.5 with one idle */
	CHECK_NEAR(s.jain, 0.9, 1e-12);
	CHECK_HAS(text, "6 connections of 4 s in 3 rounds, 17 intervals of 1 s\n"
			"  median    31 MB/sec, sum of a round, 95% interval n/a (needs 6 rounds)\n"
			"  sums      30 to 34 MB/sec, 1.13 times\n"
			"  range     10 to 22 MB/sec, 2.2 times\n");
	CHECK_HAS(text, "  fairness  Jain's index 0.9 within a round (1: all alike)\n");
	summary_free(&s);
	run_free(&run);
}

static void test_too_few(void)
{
	static const double rates[] = { 5, 6, 5, 6 };
	struct run run = { .parallel = 1,
			   .asked = 3,
			   .interrupted = 1,
			   .duration_s = 4,
			   .passed_over = 1,
			   .warm_up_s = 1,
			   .interval_s = 0.5 };
	struct summary s;

	summarize(&run, &s);
	CHECK_STR(text,
		  "0 of 3 connections of 4 s, 0 intervals of 0.5 s, warm-up of 1 s left out,\n"
		  "interrupted\n  text      1 other line passed over\n");
	summary_free(&s);
	add(&run, 1, rates, 4, 0.5);
	summarize(&run, &s);
	CHECK_HAS(text, "1 of 3 connections of 4 s");
	CHECK_HAS(text, "95% interval n/a (needs 6 connections)\n");
	CHECK_HAS(text, "  variance  one connection: cannot tell between from within\n");
	CHECK_HAS(text, "  groups    cannot tell below 3 connections\n");
	CHECK_HAS(text, "  changes   cannot tell below 6 intervals\n");
	CHECK(summary_is_early(&s));
	summary_free(&s);
	add(&run, 2, rates, 1, 0.5);
	summarize(&run, &s);
	CHECK_HAS(text, "% within: too few connections to tell\n"
			"            typical deviation: ");
	summary_free(&s);
	run_free(&run);
	for (unsigned int i = 0; i < 4; i++)
		add(&run, i + 1, rates, 1, 0.5);
	summarize(&run, &s);
	CHECK_HAS(text, "4 connections, 4 intervals\n");
	CHECK_HAS(text, "one interval per connection: cannot tell between from within\n");
	summary_free(&s);
	run_free(&run);
}

/* Reported cases: all of the variance between, or all of it within. */
static void test_all_between_or_within(void)
{
	static const double between[] = { 9, 10, 11, 54, 55, 56, 99, 100, 101 };
	static const double within[] = { 10, 100, 10, 100, 10, 100 };
	struct run run = { .parallel = 1 };
	struct summary s;

	for (unsigned int i = 0; i < 3; i++)
		add(&run, i + 1, between + 3 * i, 3, 0);
	summarize(&run, &s);
	CHECK_HAS(text, "  variance  >99% between connections, <1% within: mostly between\n");
	summary_free(&s);
	run_free(&run);
	for (unsigned int i = 0; i < 2; i++)
		add(&run, i + 1, within, 6, 0);
	summarize(&run, &s);
	CHECK_HAS(text,
		  "  variance  0% between connections, 100% within: too few connections to tell\n");
	summary_free(&s);
	run_free(&run);
}

/* A stall has a column of its own, at the left end; the scale is the rest. */
static void test_stalls_and_log_scale(void)
{
	static const double stalled[] = { 100, 0, 105, 0, 110, 100, 100 };
	static const double wide[] = { 1, 10, 100, 1000, 1000, 0, 1000 };
	struct run run = { .parallel = 1, .interval_s = 2 };
	struct summary s;

	add(&run, 1, stalled, COUNT(stalled), 2);
	add(&run, 2, stalled + 4, 3, 2);
	summarize(&run, &s);
	CHECK_HAS(text, "  range     0 to 110 MB/sec, ratio n/a\n");
	CHECK_HAS(text, "  stalls    2 intervals of 0 MB/sec: 2 in connection 1\n");
	CHECK_HAS(text, "1 of 2 connections too short to tell (needs 6 intervals)\n");
	CHECK_HAS(text,
		  "               0, 100                                           110 MB/sec\n"
		  "    1      100  |2 3                        1                       1\n"
		  "    2      100  |  2                                                1\n");
	summary_free(&s);
	run_free(&run);
	add(&run, 1, wide, COUNT(wide), 2);
	summarize(&run, &s);
	CHECK_HAS(text, " 1000 MB/sec log\n"
			"    1      100  |1 1               1                1               3\n");
	summary_free(&s);
	run_free(&run);
}

static void test_many_connections(void)
{
	struct run run = { .parallel = 1 };
	struct summary s;

	for (unsigned int i = 0; i < 3000; i++) {
		double level = i % 7 == 3 ? 100 : 1000, rate[] = { level, level * 1.01, level };

		add(&run, i + 1, rate, 3, 0);
	}
	summarize(&run, &s);
	CHECK_HAS(text, "  groups    2: 429 near 100 (4 11 18 ");
	CHECK_HAS(text, " 277 and 389 more), 2571 near 1000\n"
			"            (1-3 5-10 12-17 ");
	CHECK_HAS(text, "  2940 more connections are not shown\n");
	summary_free(&s);
	run_free(&run);
}

/* Long connections: many changes are cut, outliers may be blocks. */
static void test_long_connections(void)
{
	struct run run = { .parallel = 1, .interval_s = 1 };
	struct run_series *series = run_add_series(&run, 1, 1);
	struct summary s;

	for (int i = 0; i < 400; i++)
		run_add_rate(series, (i / 10 % 2 ? 500 : 100) + i % 3, -1);
	summarize(&run, &s);
	CHECK_EQ(s.changes, 39);
	CHECK_HAS(text, "  changes   connection 1 after 10 s: 101 to 501 MB/sec\n"
			"            connection 1 after 20 s: ");
	CHECK_HAS(text, "            and 19 more\n");
	summary_free(&s);
	run_free(&run);
	series = run_add_series(&run, 1, 1);
	for (int i = 0; i < 25001; i++)
		run_add_rate(series, i >= 12000 && i < 12003 ? 1 : 100 + i % 3, -1);
	summarize(&run, &s);
	CHECK_HAS(text, "  outliers  connection 1, intervals 12001 to 12003: 1 MB/sec\n");
	summary_free(&s);
	run_free(&run);
}

/* Nothing but figures comes out, of whatever rates. */
static void test_odd_rates(void)
{
	static const double odd[] = {
		(double)NAN, (double)INFINITY, -5, 0, 1e300, 1e-300, 1e15, 3
	};
	struct summary s;

	for (size_t n = 0; n < 20; n++)
		for (unsigned int parallel = 1; parallel < 3; parallel++) {
			struct run run = { .parallel = parallel };

			for (unsigned int i = 0; i < n; i++) {
				double rate[8];

				for (size_t j = 0; j < 8; j++)
					rate[j] = n < 8 ? odd[n] : odd[(i * n + j * (n - 7)) % 8];
				add(&run, i / parallel + 1, rate, (i * 3 + n) % 9, 0);
			}
			summarize(&run, &s);
			CHECK_EQ(s.connections, n);
			summary_free(&s);
			compare(run, mock_run());
		}
}

/* ---- two runs ---- */

static const double a[] = { 20, 20.4, 19.7, 20.9, 20.2, 19.9, 20.6, 20.1, 20.3, 19.8 };
static const double b[] = { 22.1, 21.7, 22.6, 21.9, 22, 22.4, 21.5, 22.8, 22.2, 21.8 };

static const char faster_text[] =
	"settings: the same in both\n"
	"                   old                      new\n"
	"                   old.txt                  new.txt\n"
	"  connections      10                       10\n"
	"  median MB/sec    20.15                    22.05\n"
	"  95% interval     19.8 to 20.6             21.7 to 22.6\n"
	"  range            19.5 to 21.11            21.29 to 23.03\n"
	"  between conns.   75%                      75%\n"
	"  groups           none seen                none seen\n"
	"  level changes    0                        0\n"
	"  ratio            1.095 new to old, 95% interval 1.074 to 1.116\n"
	"verdict: faster by 9.5%, at least 7.4%.\n"
	"One boot each: repeat as before, after, before, after.\n";

static void test_faster_and_slower(void)
{
	double triple[10];

	compare(run_of(a, 10), run_of(b, 10));
	CHECK_STR(text, faster_text);
	compare(run_of(b, 10), run_of(a, 10));
	CHECK_HAS(text, "  ratio            0.913 new to old, 95% interval 0.896 to 0.931\n");
	CHECK_HAS(text, "verdict: slower by 8.7%, at least 6.9%.\nOne boot each: ");
	for (size_t i = 0; i < 10; i++)
		triple[i] = 3 * a[i];
	compare(run_of(a, 10), run_of(triple, 10));
	CHECK_HAS(text, "verdict: faster: 3.000 times, at least 2.94");
}

static void test_small_or_no_difference(void)
{
	double more[10];

	for (size_t i = 0; i < 10; i++)
		more[i] = 1.03 * a[i];
	compare(run_of(a, 10), run_of(more, 10));
	CHECK_HAS(text,
		  "1.030 new to old, 95% interval 1.010 to 1.050\n"
		  "verdict: small difference (under 5%). Two boots of one kernel differ by as\n"
		  "         much.\nOne boot each: ");
	compare(run_of(a, 5), run_of(a + 5, 5));
	CHECK_HAS(text, "0.995 new to old, 95% interval 0.962 to 1.030\n"
			"verdict: no difference seen. A loss above 3.8% and a gain above 3.0% are\n"
			"         ruled out.\n");
	CHECK(!strstr(text, "One boot"));
}

static void test_cannot_tell(void)
{
	compare(run_of(a, 3), run_of(b, 3));
	CHECK_HAS(text, "  95% interval     n/a (needs 6)            n/a (needs 6)\n");
	CHECK_HAS(text, "  ratio            1.105 new to old; single pairs 1.064 to 1.147\n");
	CHECK_HAS(text, "verdict: cannot tell. With 3 and 3 connections even total separation has\n"
			"         p 0.1; 4 and 4 can tell, or 5 new against 3 old.\n");
	compare(run_of(a, 1), run_of(b, 1));
	CHECK_HAS(text, "  median MB/sec    20                       22.1\n");
	CHECK_HAS(text, "  ratio            1.105 new to old; single pairs 1.105 to 1.105\n");
	CHECK_HAS(text,
		  "verdict: cannot tell. One connection against one proves nothing; 4 and 4 can\n"
		  "         tell, or 39 new against 1 old.\n");
	compare(run_of(a, 1), run_of(a, 1));
	CHECK_HAS(text,
		  "verdict: cannot tell. Both are the same, interval by interval: no difference.\n"
		  "         One connection against one proves nothing;");
	compare(run_of(a, 1), run_of(a, 0));
	CHECK_HAS(text, "verdict: cannot tell. There is no interval in the new run.\n");
}

static const char gone_text[] =
	"settings: the same in both\n"
	"                   old                      new\n"
	"                   old.txt                  new.txt\n"
	"  connections      10                       10\n"
	"  median MB/sec    1890                     5128\n"
	"  95% interval     1870 to 5062             5050 to 5240\n"
	"  range            1757 to 5313             4940 to 5404\n"
	"  between conns.   88%                      78%\n"
	"  groups           7 near 1879              none seen\n"
	"                   3 near 5091\n"
	"  level changes    1                        0\n"
	"  ratio            2.701 new to old, 95% interval 1.025 to 2.746\n"
	"  near 1879        7 of 10                  0 of 10\n"
	"  near 5125        3 of 10                  10 of 10\n"
	"  slowest group    share 70% to 0%, Fisher p 0.0031: its share changed\n"
	"verdict: faster. The slow group is gone; read the groups before the ratio:\n"
	"         its interval is wide because the old run has two speeds.\n"
	"One boot each: repeat as before, after, before, after.\n";

/* A fix that removes the slow mode of the design's example. */
static void test_slow_group_is_gone(void)
{
	static const double fast[] = { 5100, 5125, 5160, 5050, 5220, 4990, 5130, 5350, 5088, 5240 };

	compare(mock_run(), run_of(fast, 10));
	CHECK_STR(text, gone_text);
	compare(run_of(fast, 10), mock_run());
	CHECK_HAS(
		text,
		"verdict: slower. A slow group has appeared; read the groups before the ratio:\n");
	/* Where all of a run is slow, there is no slow group. */
	compare(mock_run(), mail_run());
	CHECK_HAS(text, "  near 0.7403      0 of 10                  3 of 3\n");
	CHECK_HAS(text, "verdict: slower by >99%, at least >99%.\n");
	compare(mock_run(), mock_run());
	CHECK_HAS(text, "  slowest group    share 70% to 70%, Fisher p 1\n");
	CHECK_HAS(text, "verdict: no difference seen. A loss above 2.7% and a gain above 2.8% are\n"
			"         ruled out.\n");
}

static const char settings_text[] =
	"settings: DIFFERENT, so the verdict is about them too\n"
	"  options      [TCP_NODELAY]                    []\n"
	"  source       [-b 1024]                        not given\n"
	"  early        old not given\n"
	"               new [SO_SNDBUF=4096 SO_RCVBUF=8192 TCP_MAXSEG=1400]\n"
	"  parallel     1 at once                        5 at once\n"
	"  interval     0.5 s                            0.25 s\n"
	"                   old                      new\n";

static const char long_settings_text[] =
	"  options      old [SO_KEEPALIVE,SO_SNDBUF=65536,SO_RCVBUF=262144,IP_TOS=EF,\n"
	"                   SO_PRIORITY=3,TCP_KEEPIDLE=30 TCP_KEEPINTVL=10\n"
	"                   TCP_CONGESTION=??]\n"
	"               new []\n";

static void test_long_settings(void)
{
	struct run before = run_of(a, 5), after = run_of(b, 5);

	if (run_set(&before, "options",
		    "SO_KEEPALIVE,SO_SNDBUF=65536,SO_RCVBUF=262144,IP_TOS=EF,SO_PRIORITY=3,"
		    "TCP_KEEPIDLE=30 TCP_KEEPINTVL=10 TCP_CONGESTION=\303\251") ||
	    run_set(&after, "options", ""))
		abort();
	compare(before, after);
	CHECK_HAS(text, long_settings_text);
}

/* A report has blanks where commas were; what separates options is no difference. */
static void test_option_strings(void)
{
	static const struct {
		const char *before, *after;
		int is_same;
	} rows[] = {
		{ "TCP_NODELAY,SO_KEEPALIVE", "TCP_NODELAY SO_KEEPALIVE", 1 },
		{ " TCP_NODELAY ", "TCP_NODELAY", 1 },
		{ ",,", "", 1 },
		{ "TCP_NODELAY SO_KEEPALIVE", "SO_KEEPALIVE TCP_NODELAY", 0 },
		{ "TCP_NODELAY", "TCP_NODELAY=0", 0 },
		{ "TCP_NODELAY", "", 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run before = run_of(a, 5), after = run_of(b, 5);

		if (run_set(&before, "early", rows[i].before) ||
		    run_set(&after, "early", rows[i].after))
			abort();
		compare(before, after);
		CHECK_HAS(text, rows[i].is_same ? "settings: the same in both\n"
						: "settings: DIFFERENT, ");
	}
}

static void test_settings(void)
{
	struct run before = run_of(a, 5), after = run_of(b, 5);

	if (run_set(&before, "options", "TCP_NODELAY") || run_set(&after, "options", "") ||
	    run_set(&before, "source", "-b 1024") || run_set(&before, "port", "7001") ||
	    run_set(&after, "early", "SO_SNDBUF=4096 SO_RCVBUF=8192 TCP_MAXSEG=1400") ||
	    run_set(&before, "cpu", "1") || run_set(&after, "cpu", "1"))
		abort();
	after.interval_s = 0.25;
	after.parallel = 5;
	before.duration_s = 4.003;
	compare(before, after);
	CHECK_HAS(text, settings_text);
	compare(run_of(a, 5), run_of(b, 5));
	CHECK_HAS(text, "settings: the same in both\n");
}

/* ---- machines ---- */

static void add_machine(struct run *run, const char *const *entry)
{
	for (; entry[0]; entry += 2)
		if (run_add_environment(run, entry[0], entry[1]))
			abort();
}

/* Compare runs made on these machines; NULL: nothing is known. */
static void compare_machine(const char *const *before, const char *const *after)
{
	struct run old = run_of(a, 5), new = run_of(b, 5);

	if (before)
		add_machine(&old, before);
	if (after)
		add_machine(&new, after);
	compare(old, new);
}

static const char machines_text[] =
	"environment: DIFFERENT, so the verdict is about it too\n"
	"  kernel       6.17.9                           6.18.44\n"
	"  cpu          old 2 online of 2, Intel(R) Xeon(R) Processor; governor n/a\n"
	"               new 2 online of 2, Intel(R) Xeon(R) Processor; governor\n"
	"                   performance 1, powersave 1\n"
	"  virtual      no; steal 1%                     yes; steal 1%\n"
	"  net.ipv4.tcp_rmem\n"
	"               4096 131072 6291456              4096 131072 33554432\n"
	"  net.core.busy_poll\n"
	"               0                                not given\n"
	"  net.core.rps_sock_flow_entries\n"
	"               not given                        n/a\n"
	"settings: the same in both\n";

static void test_machines(void)
{
	static const char *const old[] = { "kernel",
					   "6.17.9",
					   "cpu",
					   "2 online of 2, Intel(R) Xeon(R) Processor; governor "
					   "n/a",
					   "virtual",
					   "no; steal 1%",
					   "memory",
					   "24.7 GB; clocksource tsc",
					   "net.ipv4.tcp_rmem",
					   "4096 131072 6291456",
					   "net.core.busy_poll",
					   "0",
					   "load",
					   "1 min 2.03",
					   NULL };
	static const char *const new[] = { "kernel",
					   "6.18.44",
					   "cpu",
					   "2 online of 2, Intel(R) Xeon(R) Processor; governor "
					   "performance 1, powersave 1",
					   "virtual",
					   "yes; steal 1%",
					   "memory",
					   "24.7 GB; clocksource tsc",
					   "net.ipv4.tcp_rmem",
					   "4096 131072 33554432",
					   "net.core.rps_sock_flow_entries",
					   "n/a",
					   "load",
					   "1 min 0.1",
					   NULL };

	compare_machine(old, new);
	CHECK(strncmp(text, machines_text, strlen(machines_text)) == 0);
	CHECK_HAS(text, machines_text);
}

static void test_same_machine(void)
{
	static const char *const old[] = { "kernel", "6.17.9",	   "virtual", "no; steal 1%",
					   "load",   "1 min 2.03", NULL };
	static const char *const new[] = { "virtual", "no", "kernel", "6.17.9", NULL };

	compare_machine(old, new);
	CHECK(strncmp(text, "environment: the same in both\nsettings: ", 40) == 0);
	compare_machine(old, NULL);
	CHECK(strncmp(text, "environment: not given by the new run\nsettings: ", 48) == 0);
	compare_machine(NULL, old);
	CHECK(strncmp(text, "environment: not given by the old run\nsettings: ", 48) == 0);
	compare_machine(NULL, NULL);
	CHECK(strncmp(text, "settings: ", 10) == 0);
}

static void test_machines_as_json(void)
{
	static const char *const old[] = { "kernel", "6.17.9", "lo", "mtu 1", NULL };
	static const char *const new[] = { "kernel", "6.18.44", NULL };
	struct run before = run_of(a, 5), after = run_of(b, 5);
	struct summary one, two;

	add_machine(&before, old);
	for (int with = 0; with < 2; with++) {
		struct compare compared;
		FILE *out;

		if (with)
			add_machine(&after, new);
		if (summary_make(&before, &one) || summary_make(&after, &two) ||
		    compare_make(&one, &two, &compared))
			abort();
		out = begin();
		figures_compare_json(out, &compared, "old.txt", "new.txt");
		fclose(out);
		check_json();
		if (with)
			CHECK_HAS(text, "{\"event\":\"compare\",\"environment\":\"different\","
					"\"environment_differ\":[{\"name\":\"kernel\","
					"\"old\":\"6.17.9\",\"new\":\"6.18.44\"},{\"name\":\"lo\","
					"\"old\":\"mtu 1\",\"new\":null}],\"settings_differ\":[");
		else
			CHECK_HAS(text, "\"environment\":\"not given by the new run\","
					"\"environment_differ\":[],");
		compare_free(&compared);
		summary_free(&one);
		summary_free(&two);
	}
	run_free(&before);
	run_free(&after);
	compare_machine(NULL, NULL);
}

int main(void)
{
	RUN(test_example_of_the_design);
	RUN(test_mail);
	RUN(test_rounds);
	RUN(test_too_few);
	RUN(test_all_between_or_within);
	RUN(test_stalls_and_log_scale);
	RUN(test_many_connections);
	RUN(test_long_connections);
	RUN(test_odd_rates);
	RUN(test_faster_and_slower);
	RUN(test_small_or_no_difference);
	RUN(test_cannot_tell);
	RUN(test_slow_group_is_gone);
	RUN(test_settings);
	RUN(test_long_settings);
	RUN(test_option_strings);
	RUN(test_machines);
	RUN(test_same_machine);
	RUN(test_machines_as_json);
	return test_end();
}
