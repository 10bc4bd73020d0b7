/*
 * The text of a sweep, read back: the same figures, also quoted; one sweep
 * against another, by medians and by rows alone; the tests of -E by setting.
 */
#include <stdlib.h>
#include <string.h>

#include "../measure/expect.h"
#include "../measure/figures.h"
#include "../measure/run.h"
#include "../measure/saved.h"
#include "../measure/sweep_compare.h"
#include "../measure/sweep_saved.h"
#include "../measure/sweep_table.h"
#include "../socklib.h"
#include "test.h"

#define SETTINGS 4
#define MOST 12 /* connections */

static struct sock_cause cause;
static char text[65536];

/* ---- sweeps ---- */

static const char *const axes[] = { "-b", "-t" };
static const char *const values[SETTINGS][2] = {
	{ "1K", "(none)" },
	{ "1K", "SO_SNDBUF=4K,TCP_NODELAY" },
	{ "64K", "(none)" },
	{ "64K", "SO_SNDBUF=4K,TCP_NODELAY" },
};

/* Connections around these levels, all the same in each call. */
static double medians[SETTINGS][MOST];
static struct sweep_row rows[SETTINGS];
static struct sweep_facts facts;

static int make_table(const double *level, size_t n, struct sweep_table *table)
{
	static const double off[MOST] = { 1,	 1.04, 0.97, 1.02,  0.98,  1.011,
					  0.992, 1.03, 0.96, 1.017, 0.985, 1.005 };

	facts = (struct sweep_facts){
		.axis = axes, .axes = 2, .asked = n, .duration_s = 0.5, .seed = 42
	};
	for (size_t i = 0; i < SETTINGS; i++) {
		for (size_t k = 0; k < n; k++)
			medians[i][k] = level[i] * off[k];
		rows[i] = (struct sweep_row){
			.value = values[i],
			.median = medians[i],
			.n = level[i] < 0 ? 0 : n,
			.limiter = i % 2 ? "sndbuf" : "",
			.neighbour = SWEEP_NO_NEIGHBOUR,
		};
	}
	return sweep_table_make(&facts, rows, SETTINGS, table);
}

/* What the program says of it, with or without the medians; into text. */
static void print_sweep(const struct sweep_table *table, int has_medians)
{
	FILE *out = tmpfile();
	size_t n = 0;

	if (out) {
		fputs("host=localhost port=40117 options=[]\n", out);
		figures_sweep(out, table);
		putc('\n', out);
		if (has_medians)
			figures_sweep_medians(out, table);
		rewind(out);
		n = fread(text, 1, sizeof(text) - 1, out);
		fclose(out);
	}
	text[n] = '\0';
}

static int read_bytes(const char *bytes, size_t size, struct sweep_saved *sweep)
{
	FILE *file = tmpfile();
	struct run run;
	int ret;

	if (!file)
		return -2;
	fwrite(bytes, 1, size, file);
	rewind(file);
	ret = saved_read_sweep(file, "saved.txt", 0, &run, sweep, &cause);
	fclose(file);
	run_free(&run);
	return ret;
}

/* The sweep at these levels, through its text. */
static int saved_sweep(const double *level, size_t n, int has_medians, struct sweep_saved *sweep)
{
	struct sweep_table table;
	int ret;

	*sweep = (struct sweep_saved){ .count = 0 };
	if (make_table(level, n, &table))
		return -1;
	print_sweep(&table, has_medians);
	sweep_table_free(&table);
	ret = read_bytes(text, strlen(text), sweep);
	return ret;
}

static const double levels[] = { 900.25, 12.5, 4659, 0.0625 };

/* ---- reading ---- */

/* To six digits. */
static void check_near(double got, double want)
{
	CHECK_NEAR(got, want, 1e-5 * want);
}

static void test_round_trip(void)
{
	static const size_t counts[] = { 1, 5, 6, 9, 12 };

	for (size_t c = 0; c < COUNT(counts); c++) {
		struct sweep_table table;
		struct sweep_saved sweep;

		NEED(make_table(levels, counts[c], &table) == 0);
		print_sweep(&table, 1);
		NEED(read_bytes(text, strlen(text), &sweep) == 0);
		CHECK_EQ(sweep.count, SETTINGS);
		for (size_t i = 0; i < sweep.count; i++) {
			const struct sweep_saved_row *row = &sweep.row[i];
			const struct stats_middle *want = &table.line[i].middle;
			char *label = sweep_label(axes, values[i], 2);

			CHECK_STR(row->label, label);
			free(label);
			CHECK(row->has_medians && row->has_rate);
			CHECK_EQ(row->n, counts[c]);
			for (size_t k = 0; k < row->n && k < counts[c]; k++)
				check_near(row->median[k], medians[i][k]);
			check_near(row->middle.median, want->median);
			check_near(row->middle.min, want->min);
			check_near(row->middle.max, want->max);
			CHECK_EQ(row->middle.has_interval, want->has_interval);
			check_near(row->middle.low, want->low);
			check_near(row->middle.high, want->high);
		}
		sweep_saved_free(&sweep);
		sweep_table_free(&table);
	}
}

/* The rows have four digits. */
static void test_rows_alone(void)
{
	static const size_t counts[] = { 1, 5, 6, 9, 12 };

	for (size_t c = 0; c < COUNT(counts); c++) {
		struct sweep_table table;
		struct sweep_saved sweep;

		NEED(make_table(levels, counts[c], &table) == 0);
		print_sweep(&table, 0);
		NEED(read_bytes(text, strlen(text), &sweep) == 0);
		CHECK_EQ(sweep.count, SETTINGS);
		for (size_t i = 0; i < sweep.count; i++) {
			const struct sweep_saved_row *row = &sweep.row[i];
			const struct stats_middle *want = &table.line[i].middle;

			CHECK(!row->has_medians && row->has_rate && !row->median);
			CHECK_EQ(row->n, counts[c]);
			CHECK_NEAR(row->middle.median, want->median, 1e-3 * want->median);
			CHECK_NEAR(row->middle.min, want->min, 1e-3 * want->min);
			CHECK_NEAR(row->middle.max, want->max, 1e-3 * want->max);
			CHECK_EQ(row->middle.has_interval, want->has_interval);
			CHECK_NEAR(row->middle.low, want->low, 1e-3 * want->low);
			CHECK_NEAR(row->middle.high, want->high, 1e-3 * want->high);
		}
		CHECK_STR(sweep.row[1].label, "-b 1K -t SO_SNDBUF=4K,TCP_NODELAY");
		sweep_saved_free(&sweep);
		sweep_table_free(&table);
	}
}

/* As a mail has it: quoted, CRLF, blanks at the ends. */
static void test_quoted(void)
{
	static char quoted[2 * sizeof(text)];

	for (int has_medians = 0; has_medians < 2; has_medians++) {
		struct sweep_saved plain, sweep;
		size_t n = 0;

		NEED(saved_sweep(levels, 5, has_medians, &plain) == 0);
		for (const char *line = text; *line;) {
			int length = (int)strcspn(line, "\n");

			n += (size_t)sprintf(quoted + n, "> > %.*s \t\r\n", length, line);
			line += length + (line[length] == '\n');
		}
		NEED(read_bytes(quoted, n, &sweep) == 0);
		CHECK_EQ(sweep.count, plain.count);
		for (size_t i = 0; i < sweep.count && i < plain.count; i++) {
			CHECK_STR(sweep.row[i].label, plain.row[i].label);
			CHECK_EQ(sweep.row[i].n, plain.row[i].n);
			CHECK_NEAR(sweep.row[i].middle.median, plain.row[i].middle.median, 0);
		}
		sweep_saved_free(&sweep);
		sweep_saved_free(&plain);
	}
}

/* Settings without a rate, and some with fewer connections than others. */
static void test_missing(void)
{
	static const double some[] = { 900, -1, 0, 4 };
	struct sweep_saved sweep;

	for (int has_medians = 0; has_medians < 2; has_medians++) {
		NEED(saved_sweep(some, 7, has_medians, &sweep) == 0);
		NEED(sweep.count == SETTINGS);
		CHECK_EQ(sweep.row[0].n, 7);
		CHECK_EQ(sweep.row[1].n, 0);
		CHECK(!sweep.row[1].has_rate && sweep.row[2].has_rate);
		CHECK_EQ(sweep.row[2].n, 7);
		CHECK_NEAR(sweep.row[2].middle.max, 0, 0);
		sweep_saved_free(&sweep);
	}
}

/* What a line is, and what is none. */
static void test_lines(void)
{
	static const struct {
		const char *text;
		const char *label; /* of the first row, NULL: there is none */
		size_t n;
		double median;
	} cases[] = {
		{ "medians -b 1K: 3 5 4\n", "-b 1K", 3, 4 },
		{ "  medians -b 1K: 3\nmedians -b 1K: 5\n", "-b 1K", 2, 4 },
		{ "medians -b 1K: n/a\n", "-b 1K", 0, 0 },
		{ "medians -e a: b: 1e+03\n", "-e a: b", 1, 1000 },
		{ "medians -b 1K: 3 5 x\n", NULL, 0, 0 },
		{ "medians -b 1K: -3\n", NULL, 0, 0 },
		{ "medians -b 1K: nan\n", NULL, 0, 0 },
		{ "medians -b 1K: 1e999\n", NULL, 0, 0 },
		{ "medians -b 1K: 1e\n", NULL, 0, 0 },
		{ "medians -b 1K:\n", NULL, 0, 0 },
		{ "medians : 5\n", NULL, 0, 0 },
		{ "medians -b 1K 5\n", NULL, 0, 0 },
		{ "the medians -b 1K: 5\n", NULL, 0, 0 },
		{ "-b median lowest highest spread gr. *\n1K 5 4 6 1.50 1 -\n", "-b 1K", 0, 5 },
		{ "3 settings, 5 connections of 1 s each (15)\n"
		  "-b median lowest highest spread gr. *\n1K 5 4 6 1.50 1 -\n",
		  "-b 1K", 5, 5 },
		{ "1 setting, 1 connection each (1), interleaved\n"
		  "-b median lowest highest spread gr. * bar\n1K 5 5 5 1.00 n/a - ##\n",
		  "-b 1K", 1, 5 },
		/* a table of a mail from before this program had a bar */
		{ "-b median lowest highest spread gr. *\n1K 5 4 6 1.50 1 - ####\n", "-b 1K", 0,
		  5 },
		{ "-b median low high lowest highest spread gr. n limiter * bar\n"
		  "1K 5 4 6 3 7 2.33 1 9 sndbuf * ##\n",
		  "-b 1K", 9, 5 },
		/* the columns end with the first line that is no row */
		{ "-b median lowest highest spread gr. *\nand then\n1K 5 4 6 1.50 1 -\n", NULL, 0,
		  0 },
		{ "-b median lowest highest spread gr. *\n\n1K 5 4 6 1.50 1 -\n", "-b 1K", 0, 5 },
		{ "-b median lowest highest spread gr. *\n1K 5 4 x 1.50 1 -\n", NULL, 0, 0 },
		{ "-b median lowest highest spread gr. *\n1K 5 4 6 1.50 1\n", NULL, 0, 0 },
		{ "median lowest highest spread gr. *\n5 4 6 1.50 1 -\n", NULL, 0, 0 },
		{ "-b median highest lowest spread gr. *\n1K 5 4 6 1.50 1 -\n", NULL, 0, 0 },
		{ "1K 5 4 6 1.50 1 -\n", NULL, 0, 0 },
		/* the medians say more */
		{ "-b median lowest highest spread gr. *\n1K 5 4 6 1.50 1 -\n"
		  "medians -b 1K: 4 5 6 7 8\n",
		  "-b 1K", 5, 6 },
		{ "medians -b 1K: 4 5 6 7 8\n"
		  "-b median lowest highest spread gr. *\n1K 5 4 6 1.50 1 -\n",
		  "-b 1K", 5, 6 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sweep_saved sweep;
		int ret = read_bytes(cases[i].text, strlen(cases[i].text), &sweep);

		CHECK_EQ(ret, cases[i].label ? 0 : -1);
		CHECK_EQ(sweep.count, cases[i].label != NULL);
		if (ret == 0 && sweep.count == 1) {
			CHECK_STR(sweep.row[0].label, cases[i].label);
			CHECK_EQ(sweep.row[0].n, cases[i].n);
			CHECK_NEAR(sweep.row[0].middle.median, cases[i].median, 1e-9);
		}
		sweep_saved_free(&sweep);
	}
}

/* A sweep with -v is still one, and no run; a run is no sweep. */
static void test_runs_beside(void)
{
	static const char both[] = "host=h port=1 options=[]\n5 MB/sec\nmedians -b 1K: 3 5 4\n";
	struct sweep_saved sweep = { .count = 0 };
	FILE *file = tmpfile();
	struct run run;

	NEED(file);
	fputs(both, file);
	rewind(file);
	NEED(saved_read_sweep(file, "f", 0, &run, &sweep, &cause) == 0);
	CHECK_EQ(sweep.count, 1);
	CHECK_EQ(run.count, 1);
	CHECK_EQ(run.passed_over, 0);
	run_free(&run);
	sweep_saved_free(&sweep);
	rewind(file);
	NEED(saved_read(file, "f", 0, &run, &cause) == 0);
	CHECK_EQ(run.passed_over, 1);
	run_free(&run);
	fclose(file);
	CHECK_EQ(read_bytes("5 MB/sec\n", 9, &sweep), 0);
	CHECK_EQ(sweep.count, 0);
	CHECK_EQ(read_bytes("prose\n", 6, &sweep), -1);
	CHECK_EQ(cause.status, 1);
}

/* More settings than anyone has: the first are read, in little time. */
static void test_too_many(void)
{
	static char many[600000];
	struct sweep_saved sweep;
	size_t n = 0;

	n += (size_t)sprintf(many + n, "-b median lowest highest spread gr. *\n");
	for (int i = 0; i < 6000; i++)
		n += (size_t)sprintf(many + n, "%d 5 4 6 1.50 1 -\n", i);
	for (int i = 0; i < 6000; i++)
		n += (size_t)sprintf(many + n, "medians -b %d: 3 4 5\n", i);
	NEED(read_bytes(many, n, &sweep) == 0);
	CHECK_EQ(sweep.count, 5000);
	CHECK_STR(sweep.row[4999].label, "-b 4999");
	CHECK_EQ(sweep.row[4999].n, 3);
	sweep_saved_free(&sweep);
}

/* No text whatever breaks the reader: one with words exchanged. */
static void test_garbage(void)
{
	static char copy[sizeof(text)];
	struct sweep_saved sweep;
	unsigned int seed = 1;
	size_t length;

	NEED(saved_sweep(levels, 9, 1, &sweep) == 0);
	sweep_saved_free(&sweep);
	length = strlen(text);
	memcpy(copy, text, length + 1);
	for (int round = 0; round < 300; round++) {
		memcpy(text, copy, length);
		for (int k = 0; k < 20; k++) {
			size_t at;

			seed = (unsigned int)(16807ULL * seed % 2147483647);
			at = seed % length;
			seed = (unsigned int)(16807ULL * seed % 2147483647);
			text[at] = seed % 3 ? copy[seed % length] : (char)(seed % 256);
		}
		if (read_bytes(text, length, &sweep) == 0)
			for (size_t i = 0; i < sweep.count; i++) {
				CHECK(*sweep.row[i].label);
				CHECK(isfinite(sweep.row[i].middle.median));
			}
		sweep_saved_free(&sweep);
	}
}

/* ---- comparing ---- */

static const char *said(void (*figures)(FILE *out, const struct sweep_compare *compare),
			const struct sweep_compare *compare)
{
	FILE *out = tmpfile();
	size_t n = 0;

	if (out) {
		figures(out, compare);
		rewind(out);
		n = fread(text, 1, sizeof(text) - 1, out);
		fclose(out);
	}
	text[n] = '\0';
	return text;
}

/* Faster, slower, a little, the same. */
static const double newer[] = { 1800.5, 10, 4800, 0.0625 };

static void test_by_medians(void)
{
	struct sweep_saved old, new;
	struct sweep_compare compare;

	NEED(saved_sweep(levels, 12, 1, &old) == 0);
	NEED(saved_sweep(newer, 12, 1, &new) == 0);
	NEED(sweep_compare_make(&old, &new, &compare) == 0);
	CHECK_EQ(compare.pairs, SETTINGS);
	CHECK_EQ(compare.pair[0].ratio.verdict, STATS_FASTER);
	CHECK_NEAR(compare.pair[0].ratio.ratio, 2, 0.001);
	CHECK_EQ(compare.pair[1].ratio.verdict, STATS_SLOWER);
	CHECK_EQ(compare.pair[2].ratio.verdict, STATS_SMALL);
	CHECK_EQ(compare.pair[3].ratio.verdict, STATS_NO_DIFFERENCE);
	for (size_t i = 0; i < SETTINGS; i++)
		CHECK(!compare.pair[i].by_rows);
	CHECK_STR(said(figures_sweep_compare, &compare),
		  "  setting              old     new  ratio  95% interval verdict\n"
		  "  -b 1K -t (none)    902.5    1805  2.000  1.956..2.045 faster\n"
		  "  -b 1K -t SO_SNDBUF=4K,TCP_NODELAY\n"
		  "                     12.53   10.03  0.800  0.782..0.818 slower\n"
		  "  -b 64K -t (none)    4671    4812  1.030  1.007..1.054 small\n"
		  "  -b 64K -t SO_SNDBUF=4K,TCP_NODELAY\n"
		  "                   0.06266 0.06266  1.000  0.978..1.023 none seen\n"
		  "4 settings in both: 1 faster, 1 slower, 1 small difference, 1 no difference\n"
		  "seen. Each is tested alone: of 4 that are alike chance alone makes 0.2 look\n"
		  "different.\n");
	sweep_compare_free(&compare);
	sweep_saved_free(&old);
	sweep_saved_free(&new);
}

static void test_by_rows(void)
{
	static const size_t counts[] = { 3, 5, 12 };
	static const enum stats_verdict wants[][SETTINGS] = {
		{ STATS_CANNOT_TELL, STATS_CANNOT_TELL, STATS_CANNOT_TELL, STATS_CANNOT_TELL },
		{ STATS_FASTER, STATS_SLOWER, STATS_CANNOT_TELL, STATS_CANNOT_TELL },
		{ STATS_FASTER, STATS_SLOWER, STATS_CANNOT_TELL, STATS_NO_DIFFERENCE },
	};

	for (size_t c = 0; c < COUNT(counts); c++) {
		struct sweep_saved old, new;
		struct sweep_compare compare;

		/* It is enough that one of them has rows alone. */
		NEED(saved_sweep(levels, counts[c], 0, &old) == 0);
		NEED(saved_sweep(newer, counts[c], 1, &new) == 0);
		NEED(sweep_compare_make(&old, &new, &compare) == 0);
		NEED(compare.pairs == SETTINGS);
		for (size_t i = 0; i < SETTINGS; i++) {
			CHECK(compare.pair[i].by_rows);
			CHECK_EQ(compare.pair[i].ratio.verdict, wants[c][i]);
			CHECK_NEAR(compare.pair[i].ratio.ratio, newer[i] / levels[i], 0.002);
			CHECK_EQ(compare.pair[i].ratio.has_interval, counts[c] >= 6);
		}
		CHECK_HAS(said(figures_sweep_compare, &compare),
			  "~ by the rows alone: a text is without each connection's median\n");
		if (counts[c] == 5)
			CHECK_HAS(text, " 900.2    1800  2.000           n/a faster~\n");
		sweep_compare_free(&compare);
		sweep_saved_free(&old);
		sweep_saved_free(&new);
	}
}

/* Two rows with lowest, median, highest; which verdict, and from where to where. */
static void test_verdicts_by_rows(void)
{
	static const struct {
		const char *old, *new; /* median lowest highest spread */
		int n;
		enum stats_verdict verdict;
		double low, high; /* 0: no interval */
	} cases[] = {
		{ "100 99 101 1.02", "103 102 104 1.02", 6, STATS_SMALL, 102.0 / 101, 104.0 / 99 },
		{ "100 99 101 1.02", "106 105 107 1.02", 6, STATS_FASTER, 105.0 / 101, 107.0 / 99 },
		{ "100 90 110 1.22", "112 95 130 1.37", 6, STATS_CANNOT_TELL, 95.0 / 110,
		  130.0 / 90 },
		{ "112 95 130 1.37", "100 90 110 1.22", 6, STATS_CANNOT_TELL, 90.0 / 130,
		  110.0 / 95 },
		{ "100 90 110 1.22", "102 95 130 1.37", 8, STATS_NO_DIFFERENCE, 95.0 / 110,
		  130.0 / 90 },
		{ "100 90 110 1.22", "102 95 130 1.37", 5, STATS_CANNOT_TELL, 0, 0 },
		/* with so many the interval is narrower, and is not in the text */
		{ "100 90 110 1.22", "102 95 130 1.37", 9, STATS_CANNOT_TELL, 0, 0 },
		{ "100 90 110 1.22", "202 195 230 1.18", 9, STATS_FASTER, 0, 0 },
		{ "100 90 110 1.22", "202 195 230 1.18", 3, STATS_CANNOT_TELL, 0, 0 },
		{ "100 90 110 1.22", "202 195 230 1.18", 0, STATS_CANNOT_TELL, 0, 0 },
	};
	static const char form[] = "-b median lowest highest spread gr. n *\n1K %s 1 %d -\n";

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sweep_saved old, new;
		struct sweep_compare compare;
		const struct stats_comparison *c;

		sprintf(text, form, cases[i].old, cases[i].n);
		NEED(read_bytes(text, strlen(text), &old) == 0);
		sprintf(text, form, cases[i].new, cases[i].n);
		NEED(read_bytes(text, strlen(text), &new) == 0);
		NEED(sweep_compare_make(&old, &new, &compare) == 0 && compare.pairs == 1);
		c = &compare.pair[0].ratio;
		CHECK_EQ(c->verdict, cases[i].verdict);
		CHECK_EQ(c->has_interval, cases[i].low > 0);
		CHECK_NEAR(c->low, cases[i].low, 1e-9);
		CHECK_NEAR(c->high, cases[i].high, 1e-9);
		sweep_compare_free(&compare);
		sweep_saved_free(&old);
		sweep_saved_free(&new);
	}
}

static void test_not_in_both(void)
{
	static const char old_text[] = "medians -b 1K: 3 4 5 6\nmedians -b 2K: 3 4 5 6\n"
				       "medians -b 4K: n/a\n";
	static const char new_text[] = "medians -b 4K: 3 4 5 6\nmedians -b 8K: 1\n"
				       "medians -b 2K: 30 40 50 60\n";
	struct sweep_saved old, new, none = { .count = 0 };
	struct sweep_compare compare;

	NEED(read_bytes(old_text, strlen(old_text), &old) == 0);
	NEED(read_bytes(new_text, strlen(new_text), &new) == 0);
	NEED(sweep_compare_make(&old, &new, &compare) == 0);
	CHECK_EQ(compare.only_before, 1);
	CHECK_EQ(compare.only_after, 1);
	CHECK_STR(said(figures_sweep_compare, &compare),
		  "  setting     old     new  ratio  95% interval verdict\n"
		  "  -b 4K       n/a     4.5    n/a           n/a cannot tell\n"
		  "  -b 2K       4.5      45     10     5.000..20 faster\n"
		  "  only in the old sweep: -b 1K\n"
		  "  only in the new sweep: -b 8K\n"
		  "2 settings in both: 1 faster, 1 cannot tell.\n");
	said(figures_sweep_compare_json, &compare);
	CHECK_HAS(text,
		  "{\"event\":\"compare_setting\",\"setting\":\"-b 4K\",\"old\":{\"connections\":0,"
		  "\"median_MB_per_s\":null,");
	CHECK_HAS(text, "\"new\":{\"connections\":4,\"median_MB_per_s\":4.5,"
			"\"median_low_MB_per_s\":null,\"median_high_MB_per_s\":null,"
			"\"lowest_MB_per_s\":3,\"highest_MB_per_s\":6},\"by_rows\":false,"
			"\"ratio\":null,");
	CHECK_HAS(text, "\"verdict\":\"faster\"}\n{\"event\":\"compare_sweep\",\"settings\":2,"
			"\"faster\":1,\"slower\":0,\"small_difference\":0,"
			"\"no_difference_seen\":0,\"cannot_tell\":1,\"only_old\":[\"-b 1K\"],"
			"\"only_new\":[\"-b 8K\"]}\n");
	sweep_compare_free(&compare);
	NEED(sweep_compare_make(&old, &none, &compare) == 0);
	CHECK_STR(said(figures_sweep_compare, &compare),
		  "  only in the old sweep: -b 1K, -b 2K, -b 4K\n0 settings in both.\n");
	sweep_compare_free(&compare);
	sweep_saved_free(&old);
	sweep_saved_free(&new);
}

/* A sweep that has just been measured, against its own text. */
static void test_live(void)
{
	struct sweep_saved old, new;
	struct sweep_compare compare;
	struct sweep_table table;

	NEED(saved_sweep(levels, 6, 1, &old) == 0);
	NEED(make_table(levels, 6, &table) == 0);
	NEED(sweep_saved_of(&table, &new) == 0);
	NEED(sweep_compare_make(&old, &new, &compare) == 0);
	CHECK_EQ(compare.pairs, SETTINGS);
	CHECK_EQ(compare.verdict[STATS_NO_DIFFERENCE], SETTINGS);
	sweep_compare_free(&compare);
	sweep_saved_free(&old);
	sweep_saved_free(&new);
	rows[2].is_added = true;
	NEED(sweep_saved_of(&table, &new) == 0);
	CHECK_EQ(new.count, SETTINGS - 1);
	sweep_saved_free(&new);
	sweep_table_free(&table);
}

/* ---- -E ---- */

static void test_expect(void)
{
	static const struct {
		const char *test;
		enum expect_verdict verdict;
		double value;
		const char *why;
	} cases[] = {
		{ "median=900..1000", EXPECT_MET, 905.2015, "" },
		{ "median=..100", EXPECT_NOT_MET, 905.2015, "" },
		{ "spread=..1.5", EXPECT_MET, 1.04 / 0.97, "" },
		{ "min=870..875", EXPECT_MET, 900.25 * 0.97, "" },
		{ "groups=1", EXPECT_MET, 1, "" },
		{ "loss=..5", EXPECT_NOT_MET, -1, "" },
		{ "gain=1..", EXPECT_NOT_MET, 0, "" },
		{ "changes=0", EXPECT_CANNOT_TELL, 0, "a sweep has no intervals" },
		{ "range=..3", EXPECT_CANNOT_TELL, 0, "a sweep has no intervals" },
		{ "between=..50%", EXPECT_CANNOT_TELL, 0, "a sweep has no intervals" },
		{ "stalls=0", EXPECT_CANNOT_TELL, 0, "a sweep has no intervals" },
	};
	struct sweep_saved old, new, alone;
	struct expect_result result;
	struct expect_test test;
	char why[256];
	FILE *out = tmpfile();

	NEED(out);
	NEED(saved_sweep(newer, 6, 1, &old) == 0);
	NEED(saved_sweep(levels, 6, 1, &new) == 0);
	NEED(saved_sweep(levels, 6, 0, &alone) == 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		NEED(expect_parse(cases[i].test, &test, why, sizeof(why)) == 0);
		NEED(sweep_expect(&test, &new.row[0], 6, &old.row[0], &result) == 0);
		CHECK_EQ(result.verdict, cases[i].verdict);
		CHECK_STR(result.why, cases[i].why);
		if (cases[i].value >= 0)
			check_near(result.value, cases[i].value);
		else
			CHECK(result.value > 40 && result.value < 50);
	}
	NEED(expect_parse("median=..100", &test, why, sizeof(why)) == 0);
	/* Fewer connections than were asked for prove nothing. */
	NEED(sweep_expect(&test, &new.row[0], 7, NULL, &result) == 0);
	CHECK_EQ(result.verdict, EXPECT_CANNOT_TELL);
	CHECK_STR(result.why, "only 6 of 7 connections");
	NEED(sweep_expect(&test, &alone.row[0], 6, NULL, &result) == 0);
	CHECK_EQ(result.verdict, EXPECT_CANNOT_TELL);
	CHECK_STR(result.why, "no medians of its connections");
	NEED(expect_parse("loss=..5", &test, why, sizeof(why)) == 0);
	NEED(sweep_expect(&test, &new.row[0], 6, NULL, &result) == 0);
	CHECK_STR(result.why, "not in the old sweep");
	NEED(sweep_expect(&test, &new.row[0], 6, &alone.row[0], &result) == 0);
	CHECK_STR(result.why, "no medians of its connections in the old sweep");
	figures_expect_setting(out, new.row[0].label, &result);
	figures_expect_setting_json(out, new.row[0].label, &result);
	rewind(out);
	text[fread(text, 1, sizeof(text) - 1, out)] = '\0';
	fclose(out);
	CHECK_STR(text,
		  "expect -b 1K -t (none): loss=..5: n/a, cannot tell: no medians of its\n"
		  "  connections in the old sweep\n"
		  "{\"event\":\"expect\",\"setting\":\"-b 1K -t (none)\",\"test\":\"loss=..5\","
		  "\"metric\":\"loss\",\"low\":null,\"high\":5,\"value\":null,"
		  "\"unit\":\"percent\",\"verdict\":\"cannot tell\","
		  "\"why\":\"no medians of its connections in the old sweep\"}\n");
	sweep_saved_free(&old);
	sweep_saved_free(&new);
	sweep_saved_free(&alone);
}

int main(void)
{
	RUN(test_round_trip);
	RUN(test_rows_alone);
	RUN(test_quoted);
	RUN(test_missing);
	RUN(test_lines);
	RUN(test_runs_beside);
	RUN(test_too_many);
	RUN(test_garbage);
	RUN(test_by_medians);
	RUN(test_by_rows);
	RUN(test_verdicts_by_rows);
	RUN(test_not_in_both);
	RUN(test_live);
	RUN(test_expect);
	return test_end();
}
