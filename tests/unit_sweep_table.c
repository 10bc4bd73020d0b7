/*
 * The rows of a sweep: their figures and marks, the text of the table, that
 * sort(1) takes it, its bars, and what there is of settings without rates.
 */
#include <stdlib.h>
#include <string.h>

#include "../measure/figures.h"
#include "../measure/sweep_table.h"
#include "test.h"

#define ROWS 18
#define ASKED 5

/* What was printed. */
static char text[32768];

static void print(void (*figures)(FILE *out, const struct sweep_table *table),
		  const struct sweep_table *table)
{
	FILE *out = tmpfile();
	size_t n = 0;

	text[0] = '\0';
	if (!out)
		return;
	figures(out, table);
	rewind(out);
	n = fread(text, 1, sizeof(text) - 1, out);
	text[n] = '\0';
	fclose(out);
}

/* The line number at, from 1, of what was printed; it is cut out of it. */
static const char *line_of(size_t at)
{
	static char line[512];
	const char *from = text;

	for (; at > 1 && from; at--) {
		from = strchr(from, '\n');
		from = from ? from + 1 : NULL;
	}
	snprintf(line, sizeof(line), "%.*s", from ? (int)strcspn(from, "\n") : 0, from ? from : "");
	return line;
}

static size_t words_of(const char *line)
{
	size_t count = 0;

	for (line += strspn(line, " \n"); *line; line += strspn(line, " \n")) {
		line += strcspn(line, " \n");
		count++;
	}
	return count;
}

static void check_columns(void)
{
	for (size_t i = 1; *line_of(i) || *line_of(i + 1); i++) {
		const char *line = line_of(i);
		size_t length = strlen(line);

		if (length > 78 || (length > 0 && line[length - 1] == ' '))
			test_fail(__FILE__, __LINE__, "a line of %zu columns: \"%s\"", length,
				  line);
		test_now.checks++;
	}
}

/* ---- a sweep of two axes ---- */

static const char *const axes[] = { "-b", "-t" };
static const char *const blocks[] = { "1K", "64K", "1M" };
static const char *const buffers[] = { "(none)",	"SO_SNDBUF=4K",	 "SO_SNDBUF=8K",
				       "SO_SNDBUF=16K", "SO_SNDBUF=32K", "SO_SNDBUF=64K" };
/* Measured: lowest, median and highest are those of the expected table. */
static const double medians[ROWS][ASKED] = {
	{ 900.1, 623.3, 895.3, 700.2, 1221 }, { 1342, 1019, 1421, 1400, 1100 },
	{ 1253, 372.6, 1437, 1300, 900 },     { 416.3, 368.7, 1262, 370, 1250 },
	{ 321.8, 299.4, 389, 310, 330 },      { 971.6, 936.8, 1295, 950, 1000 },
	{ 4659, 1705, 4734, 1800, 4700 },     { 12.04, 10.9, 19.44, 11, 14 },
	{ 13.52, 10.19, 22.14, 12, 15 },      { 11.6, 11.21, 12.87, 11.3, 12 },
	{ 10.68, 5.447, 14.51, 9, 12 },	      { 4372, 3951, 4914, 4000, 4500 },
	{ 2770, 2460, 5239, 2500, 3000 },     { 7.591, 3.813, 10.09, 5, 8 },
	{ 5.849, 4.994, 10, 5.5, 7 },	      { 6.613, 5.535, 8.233, 6, 7 },
	{ 7.284, 5.633, 10.64, 6, 8 },	      { 1805, 1408, 2410, 1500, 2000 },
};
static const char *values[ROWS][2];
static struct sweep_row rows[ROWS];
static const struct sweep_facts facts = {
	.axis = axes, .axes = 2, .asked = ASKED, .duration_s = 1, .seed = 1
};

static void make_rows(void)
{
	for (size_t i = 0; i < ROWS; i++) {
		values[i][0] = blocks[i / 6];
		values[i][1] = buffers[i % 6];
		rows[i] = (struct sweep_row){ .value = values[i],
					      .median = medians[i],
					      .n = ASKED,
					      .limiter = "",
					      .neighbour = i % 6 ? i - 1 : SWEEP_NO_NEIGHBOUR };
	}
}

static const char table_text[] =
	"18 settings, 5 connections of 1 s each (90), interleaved, seed 1\n"
	"one median per connection; below 6 connections there is no 95% interval, so\n"
	"lowest and highest stand for it. * all 5 above or below all 5 of the row\n"
	"above and 10% apart (p 0.0079). Bar: log scale, 3.8 to 5300 MB/sec.\n"
	"\n"
	"  -b   -t              median  lowest highest spread gr.  *  bar\n"
	"  1K   (none)           895.3   623.3    1221   1.96   1  -  #############\n"
	"  1K   SO_SNDBUF=4K      1342    1019    1421   1.39   1  -  ##############\n"
	"  1K   SO_SNDBUF=8K      1253   372.6    1437   3.86   1  -  ##############\n"
	"  1K   SO_SNDBUF=16K    416.3   368.7    1262   3.42   2  -  ############\n"
	"  1K   SO_SNDBUF=32K    321.8   299.4     389   1.30   1  -  ###########\n"
	"  1K   SO_SNDBUF=64K    971.6   936.8    1295   1.38   1  *  ##############\n"
	"  64K  (none)            4659    1705    4734   2.78   2  -  #################\n"
	"  64K  SO_SNDBUF=4K     12.04    10.9   19.44   1.78   1  *  ###\n"
	"  64K  SO_SNDBUF=8K     13.52   10.19   22.14   2.17   1  -  ###\n"
	"  64K  SO_SNDBUF=16K     11.6   11.21   12.87   1.15   1  -  ###\n"
	"  64K  SO_SNDBUF=32K    10.68   5.447   14.51   2.66   1  -  ###\n"
	"  64K  SO_SNDBUF=64K     4372    3951    4914   1.24   1  *  #################\n"
	"  1M   (none)            2770    2460    5239   2.13   1  -  ################\n"
	"  1M   SO_SNDBUF=4K     7.591   3.813   10.09   2.65   1  *  ##\n"
	"  1M   SO_SNDBUF=8K     5.849   4.994      10   2.00   1  -  ##\n"
	"  1M   SO_SNDBUF=16K    6.613   5.535   8.233   1.49   1  -  ##\n"
	"  1M   SO_SNDBUF=32K    7.284   5.633   10.64   1.89   1  -  ##\n"
	"  1M   SO_SNDBUF=64K     1805    1408    2410   1.71   1  *  ###############\n";

static void test_figures(void)
{
	static const char *const marks = ".----*.*---*.*---*";
	struct sweep_table table;

	make_rows();
	NEED(sweep_table_make(&facts, rows, ROWS, &table) == 0);
	for (size_t i = 0; i < ROWS; i++) {
		const struct sweep_line *line = &table.line[i];

		CHECK(!line->middle.has_interval);
		CHECK_EQ(line->has_mark, marks[i] != '.');
		CHECK_EQ(line->differs, marks[i] == '*');
	}
	CHECK_NEAR(table.line[0].spread, 1.96, 0.005);
	CHECK_NEAR(table.line[13].middle.median, 7.591, 0.001);
	CHECK_NEAR(table.line[13].spread, 2.65, 0.005);
	CHECK_NEAR(table.scale_low, 3.8, 1e-6);
	CHECK_NEAR(table.scale_high, 5300, 1e-6);
	CHECK_EQ(table.settings, 18);
	CHECK_EQ(table.connections, 90);
	sweep_table_free(&table);
}

static void test_text(void)
{
	struct sweep_table table;

	make_rows();
	NEED(sweep_table_make(&facts, rows, ROWS, &table) == 0);
	print(figures_sweep, &table);
	CHECK_STR(text, table_text);
	check_columns();
	/* The line of names has as many words as each row. */
	for (size_t i = 6; i < 7 + ROWS; i++)
		CHECK_EQ(words_of(line_of(i)), 9);
	CHECK_STR(line_of(7 + ROWS), "");
	sweep_table_free(&table);
}

static void test_medians(void)
{
	static const char head[] =
		"each connection's median in MB/sec, in the order of their start, for -r:\n"
		"  medians -b 1K -t (none): 900.1 623.3 895.3 700.2 1221\n"
		"  medians -b 1K -t SO_SNDBUF=4K: 1342 1019 1421 1400 1100\n";
	struct sweep_table table;

	make_rows();
	NEED(sweep_table_make(&facts, rows, ROWS, &table) == 0);
	print(figures_sweep_medians, &table);
	CHECK(strncmp(text, head, strlen(head)) == 0);
	check_columns();
	CHECK_STR(line_of(1 + ROWS), "  medians -b 1M -t SO_SNDBUF=64K: 1805 1408 2410 1500 2000");
	CHECK_STR(line_of(2 + ROWS), "");
	sweep_table_free(&table);
}

/* The rows alone, through sort -k3n: by their medians. */
static void test_sort(void)
{
	static char name[] = "/tmp/unit_sweep_table.XXXXXX";
	char command[128], line[256], buffer[64];
	struct sweep_table table;
	double last = 0;
	size_t count = 0;
	int fd = mkstemp(name);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	NEED(file);
	make_rows();
	NEED(sweep_table_make(&facts, rows, ROWS, &table) == 0);
	print(figures_sweep, &table);
	sweep_table_free(&table);
	for (size_t i = 7; i < 7 + ROWS; i++)
		fprintf(file, "%s\n", line_of(i));
	fclose(file);
	snprintf(command, sizeof(command), "LC_ALL=C sort -k3n %s", name);
	file = popen(command, "r");
	while (file && fgets(line, sizeof(line), file)) {
		double median = 0;

		if (sscanf(line, "%*s %63s %lf", buffer, &median) == 2)
			CHECK(median >= last);
		last = median;
		count++;
	}
	if (file)
		pclose(file);
	remove(name);
	CHECK_EQ(count, ROWS);
	CHECK_NEAR(last, 4659, 1e-9);
}

/* ---- sweeps of one axis ---- */

static const char *const one_axis[] = { "-b" };
static const char *const words[] = { "1K", "2K", "4K", "8K", "16K" };

/* The medians of connections, n for each of count settings. */
static int make_small(const double *rate, const size_t *n, size_t count, struct sweep_table *table)
{
	static struct sweep_facts small;
	static const char *value[5];
	static struct sweep_row row[5];

	small = (struct sweep_facts){ .axis = one_axis, .axes = 1, .asked = n[0], .seed = 7 };
	for (size_t i = 0; i < count; i++) {
		value[i] = words[i];
		row[i] = (struct sweep_row){ .value = &value[i],
					     .median = rate,
					     .n = n[i],
					     .limiter = "",
					     .neighbour = i ? i - 1 : SWEEP_NO_NEIGHBOUR };
		rate += n[i];
	}
	return sweep_table_make(&small, row, count, table);
}

/* From six connections on lowest and highest are the interval, from nine on it is narrower. */
static void test_intervals(void)
{
	static const double rates[] = { 1,  2,	3,  4,	5,  6,	7,  8,	9,
					21, 22, 23, 24, 25, 26, 27, 28, 29 };
	static const size_t six[] = { 6, 6 }, nine[] = { 9, 9 }, mixed[] = { 9, 5 };
	struct sweep_table table;

	NEED(make_small(rates, six, 2, &table) == 0);
	print(figures_sweep, &table);
	CHECK_HAS(text, "lowest to highest is the 95% interval of the\nmedian.");
	CHECK_HAS(text, "  -b   median  lowest highest spread gr.  *  bar\n");
	CHECK_HAS(text, "  1K      3.5       1       6   6.00   1  -  ");
	sweep_table_free(&table);

	NEED(make_small(rates, nine, 2, &table) == 0);
	print(figures_sweep, &table);
	CHECK_HAS(text, "low to high is the 95% interval of the median.");
	CHECK_HAS(text, "  -b   median    low   high  lowest highest spread gr.  *  bar\n");
	CHECK_HAS(text, "  1K        5      2      8       1       9   9.00   1  -  ");
	CHECK_HAS(text, "  2K       25     22     28      21      29   1.38   1  *  ");
	sweep_table_free(&table);

	NEED(make_small(rates, mixed, 2, &table) == 0);
	print(figures_sweep, &table);
	CHECK_HAS(text, "(there is none");
	CHECK_HAS(text, "; 14 of 18 gave a\nrate\n");
	CHECK_HAS(text, "  -b   median    low   high  lowest highest spread gr.  n  *  bar\n");
	CHECK_HAS(text, "  2K       23    n/a    n/a      21      25   1.19   1  5  *  ");
	sweep_table_free(&table);
}

/* No connection, a rate of 0, and all alike. */
static void test_odd_settings(void)
{
	static const double rates[] = { 5, 5, 5, 0, 0, 0, 0, 7, 10 };
	static const size_t n[] = { 3, 0, 3, 3 };
	static const double zeros[] = { 0, 0 };
	static const size_t ones[] = { 1, 1 };
	struct sweep_table table;

	NEED(make_small(rates, n, 4, &table) == 0);
	CHECK(!table.line[1].has_mark && !table.line[2].has_mark && table.line[3].has_mark);
	CHECK(!table.line[2].has_spread && !table.line[3].has_spread);
	CHECK_NEAR(table.line[0].spread, 1, 0);
	CHECK(!table.line[3].differs); /* one of its connections stood still, too */
	print(figures_sweep, &table);
	CHECK_HAS(text, "  1K        5       5       5   1.00   1  3  -  #");
	CHECK_HAS(text, "  2K      n/a     n/a     n/a    n/a n/a  0  -  -\n");
	CHECK_HAS(text, "  4K        0       0       0    n/a   1  3  -  -\n");
	CHECK_HAS(text, "  8K        7       0      10    n/a");
	check_columns();
	for (size_t i = 6; *line_of(i); i++)
		CHECK_EQ(words_of(line_of(i)), 9);
	print(figures_sweep_medians, &table);
	CHECK_HAS(text, "  medians -b 2K: n/a\n  medians -b 4K: 0 0 0\n");
	sweep_table_free(&table);

	/* Nothing to scale. */
	NEED(make_small(zeros, ones, 2, &table) == 0);
	CHECK(!table.has_scale);
	print(figures_sweep, &table);
	CHECK_HAS(text, "  -b   median  lowest highest spread gr.  *\n");
	CHECK(strstr(text, "Bar") == NULL);
	CHECK_HAS(text, "2 settings, 1 connection each (2), interleaved, seed 7\n");
	sweep_table_free(&table);

	NEED(sweep_table_make(&facts, NULL, 0, &table) == 0);
	print(figures_sweep, &table);
	CHECK_HAS(text, "0 settings, 5 connections of 1 s each (0)");
	sweep_table_free(&table);
}

/* Ten percent apart, or a little less; and apart with a common value. */
static void test_marks(void)
{
	static const double cases[][4] = {
		{ 100, 101, 109, 110 },	  { 100, 100, 110, 110 }, { 110, 110, 100, 100 },
		{ 100, 200, 200, 400 },	  { 100, 200, 201, 400 }, { 0, 0, 0.002, 0.002 },
		{ 0, 0, 0.0001, 0.0001 }, { 5, 5, 5, 5 },
	};
	static const int differs[] = { 0, 1, 1, 0, 1, 1, 0, 0 };
	static const size_t twos[] = { 2, 2 };
	struct sweep_table table;

	for (size_t i = 0; i < COUNT(cases); i++) {
		NEED(make_small(cases[i], twos, 2, &table) == 0);
		CHECK_EQ(table.line[1].differs, differs[i]);
		sweep_table_free(&table);
	}
}

/* Equal steps of the ratio are equal steps of the bar. */
static void test_bars(void)
{
	static const double decades[] = { 1, 10, 100, 1000, 10000 };
	static const double alike[] = { 40, 40 };
	static const size_t ones[] = { 1, 1, 1, 1, 1 };
	struct sweep_table table;

	NEED(make_small(decades, ones, 5, &table) == 0);
	CHECK_EQ(sweep_bar(&table, &table.line[0], 40), 1);
	for (int i = 1; i < 5; i++)
		CHECK_EQ(sweep_bar(&table, &table.line[i], 40), 10 * i);
	CHECK_EQ(sweep_bar(&table, &table.line[4], 4), 4);
	sweep_table_free(&table);

	NEED(make_small(alike, ones, 2, &table) == 0);
	CHECK_EQ(sweep_bar(&table, &table.line[0], 20), sweep_bar(&table, &table.line[1], 20));
	CHECK(sweep_bar(&table, &table.line[0], 20) > 0);
	sweep_table_free(&table);
}

/* The bar shrinks, and goes; the columns stay. */
static void test_long_values(void)
{
	static const char *const lengths[] = { "SO_SNDBUF=8K,SO_RCVBUF=8K,TCP_NODELAY",
					       "SO_SNDBUF=8K,SO_RCVBUF=8K",
					       "SO_SNDBUF=8K,SO_RCVBUF=8K,IP_TOS=8" };
	static const double rate[] = { 5, 7 };
	static const int columns[] = { 0, 1, 0 };

	for (size_t i = 0; i < COUNT(lengths); i++) {
		const char *value[] = { lengths[i] };
		const struct sweep_row row = {
			value, rate, 2, i ? "" : "sndbuf", SWEEP_NO_NEIGHBOUR, false
		};
		const struct sweep_facts long_facts = { .axis = one_axis, .axes = 1, .asked = 2 };
		struct sweep_table table;

		NEED(sweep_table_make(&long_facts, &row, 1, &table) == 0);
		print(figures_sweep, &table);
		CHECK_EQ(strstr(text, "  bar\n") != NULL, columns[i]);
		if (columns[i])
			check_columns();
		CHECK_EQ(strstr(text, " limiter  *") != NULL, i == 0);
		CHECK_EQ(strstr(text, "  sndbuf  -") != NULL, i == 0);
		CHECK_EQ(words_of(strstr(text, "  -b ")), i < 2 ? 2 * 8 : 2 * 7);
		sweep_table_free(&table);
	}
}

/* Many medians go on in lines of the same setting. */
static void test_many_medians(void)
{
	static double rate[40];
	static const size_t n[] = { 40 };
	struct sweep_table table;

	for (size_t i = 0; i < 40; i++)
		rate[i] = 1000.123 + (double)i;
	NEED(make_small(rate, n, 1, &table) == 0);
	print(figures_sweep_medians, &table);
	check_columns();
	CHECK_HAS(text, " 1039.12\n");
	for (size_t i = 2; *line_of(i); i++)
		CHECK(strncmp(line_of(i), "  medians -b 1K: 1", 18) == 0);
	sweep_table_free(&table);
}

/* Those that the search for cliffs has added are in JSON only. */
static void test_added(void)
{
	static const double extreme[] = { 0.5, 1e6 };
	struct sweep_table table;

	make_rows();
	rows[3].is_added = true;
	rows[3].median = extreme;
	rows[3].n = 2;
	NEED(sweep_table_make(&facts, rows, ROWS, &table) == 0);
	CHECK_EQ(table.settings, ROWS - 1);
	CHECK_EQ(table.connections, ASKED * (ROWS - 1));
	CHECK_NEAR(table.scale_low, 3.8, 1e-6);
	CHECK_NEAR(table.scale_high, 5300, 1e-6);
	print(figures_sweep, &table);
	CHECK_HAS(text, "17 settings, 5 connections of 1 s each (85)");
	CHECK(strstr(text, "1K   SO_SNDBUF=16K") == NULL);
	print(figures_sweep_medians, &table);
	CHECK(strstr(text, "1K -t SO_SNDBUF=16K") == NULL);
	print(figures_sweep_json, &table);
	CHECK_STR(line_of(1),
		  "{\"event\":\"sweep\",\"axes\":[\"-b\",\"-t\"],\"settings\":17,"
		  "\"connections_asked\":85,\"connections\":85,\"duration_s\":1,\"seed\":1,"
		  "\"interrupted\":false}");
	CHECK_STR(line_of(2),
		  "{\"event\":\"setting\",\"number\":1,\"setting\":{\"-b\":\"1K\",\"-t\":\"\"},"
		  "\"added\":false,\"connections\":5,\"median_MB_per_s\":895.3,"
		  "\"median_low_MB_per_s\":null,\"median_high_MB_per_s\":null,"
		  "\"lowest_MB_per_s\":623.3,\"highest_MB_per_s\":1221,"
		  "\"spread_ratio\":1.9589282849350234,\"groups\":[],\"limiter\":null,"
		  "\"neighbour\":null,\"differs\":null,"
		  "\"medians_MB_per_s\":[900.1,623.3,895.3,700.2,1221]}");
	CHECK_HAS(line_of(5), "\"number\":4,\"setting\":{\"-b\":\"1K\",\"-t\":\"SO_SNDBUF=16K\"},"
			      "\"added\":true");
	CHECK_HAS(line_of(7), "\"neighbour\":5,\"differs\":true");
	sweep_table_free(&table);
}

/* A neighbour that is not the row above. */
static void test_far_neighbour(void)
{
	struct sweep_table table;

	make_rows();
	for (size_t i = 0; i < ROWS; i++)
		rows[i].neighbour = i < 6 ? SWEEP_NO_NEIGHBOUR : i - 6;
	NEED(sweep_table_make(&facts, rows, ROWS, &table) == 0);
	CHECK(table.line[6].differs && table.line[7].differs && !table.line[12].differs);
	print(figures_sweep, &table);
	CHECK_HAS(text, "* all 5 above or below all 5 of the number\nbefore and 10% apart");
	sweep_table_free(&table);
}

static void test_words(void)
{
	static const char *const cases[][2] = {
		{ "", "(none)" },
		{ " , ", "(none)" },
		{ "64K", "64K" },
		{ "SO_SNDBUF=4K TCP_NODELAY", "SO_SNDBUF=4K,TCP_NODELAY" },
		{ "\tA=1,\n B ", "A=1,B" },
		{ "x\303\244\001y", "x???y" },
	};
	static const char *const value[] = { "64K", "(none)" };
	char *label = sweep_label(axes, value, 2);

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *word = sweep_word(cases[i][0]);

		CHECK_STR(word, cases[i][1]);
		free(word);
	}
	CHECK_STR(label, "-b 64K -t (none)");
	free(label);
}

/* ---- transports ---- */

static const char *const x_axis[] = { "-x" };

static void print_transports(FILE *out, const struct sweep_table *table)
{
	figures_transports(out, table, "64K");
}

static void test_transports(void)
{
	static const char *const names[] = { "pipe", "unix", "tcp", "file", "mmap", "copy" };
	static const double rate[][6] = {
		{ 625, 640, 650, 676, 900, 2373 },
		{ 4433, 5000, 5572, 5600, 6000, 6804 },
		{ 1749, 3000, 3964, 4000, 5000, 5214 },
		{ 8880, 9000, 9100, 9140, 9200, 9405 },
		{ 11410, 11500, 11800, 11900, 12000, 12010 },
		{ 13790, 14000, 14201, 14301, 14400, 14420 },
	};
	static const struct sweep_facts x = {
		.axis = x_axis, .axes = 1, .asked = 6, .duration_s = 1, .seed = 1
	};
	struct sweep_row row[6];
	struct sweep_table table;

	for (size_t i = 0; i < 6; i++)
		row[i] = (struct sweep_row){ &names[i], rate[i], 6, "", SWEEP_NO_NEIGHBOUR, false };
	NEED(sweep_table_make(&x, row, 6, &table) == 0);
	print(print_transports, &table);
	CHECK_STR(text, "6 transports, 64K blocks, 6 connections of 1 s each, interleaved, seed 1\n"
			"                Pipe  AF UNIX      TCP     File     Mmap    Bcopy\n"
			"                                         reread   reread   (libc)\n"
			"  median         663     5586     3982     9120    11850    14251 MB/sec\n"
			"  lowest         625     4433     1749     8880    11410    13790\n"
			"  highest       2373     6804     5214     9405    12010    14420\n"
			"  TCP/this      6.01     0.71     1.00     0.44     0.34     0.28\n");
	print(figures_transports_json, &table);
	CHECK_HAS(line_of(1), "{\"event\":\"transport\",\"transport\":\"pipe\",\"connections\":6,"
			      "\"median_MB_per_s\":663,\"median_low_MB_per_s\":625,"
			      "\"median_high_MB_per_s\":2373,\"lowest_MB_per_s\":625,"
			      "\"highest_MB_per_s\":2373,\"tcp_to_this_ratio\":6.006");
	sweep_table_free(&table);

	/* Without TCP there is nothing to hold the others against. */
	NEED(sweep_table_make(&x, row, 2, &table) == 0);
	print(print_transports, &table);
	CHECK(strstr(text, "TCP") == NULL);
	sweep_table_free(&table);

	row[1].n = 0;
	NEED(sweep_table_make(&x, row, 3, &table) == 0);
	print(print_transports, &table);
	CHECK_HAS(text, "; 12\nof 18 gave a rate\n");
	CHECK_HAS(text, "  median         663      n/a     3982 MB/sec\n");
	CHECK_HAS(text, "  TCP/this      6.01      n/a     1.00\n");
	print(figures_transports_json, &table);
	CHECK_HAS(line_of(2), "\"median_MB_per_s\":null");
	CHECK_HAS(line_of(2), "\"tcp_to_this_ratio\":null,\"medians_MB_per_s\":[]}");
	sweep_table_free(&table);
}

/* All seven fit into a line. */
static void test_all_transports(void)
{
	static const char *const names[] = {
		"tcp", "tcp6", "unix", "pipe", "copy", "file", "mmap"
	};
	static const double rate[] = { 12345, 12346 };
	static const struct sweep_facts x = { .axis = x_axis, .axes = 1, .asked = 2 };
	struct sweep_row row[7];
	struct sweep_table table;

	for (size_t i = 0; i < 7; i++)
		row[i] = (struct sweep_row){ &names[i], rate, 2, "", SWEEP_NO_NEIGHBOUR, false };
	NEED(sweep_table_make(&x, row, 7, &table) == 0);
	print(print_transports, &table);
	check_columns();
	CHECK_STR(line_of(3),
		  "                     (IPv6)                  (libc)  reread  reread");
	CHECK_HAS(line_of(7), "TCP/this     1.00    1.00    1.00");
	sweep_table_free(&table);
}

int main(void)
{
	RUN(test_figures);
	RUN(test_text);
	RUN(test_medians);
	RUN(test_sort);
	RUN(test_intervals);
	RUN(test_odd_settings);
	RUN(test_marks);
	RUN(test_bars);
	RUN(test_long_values);
	RUN(test_many_medians);
	RUN(test_added);
	RUN(test_far_neighbour);
	RUN(test_words);
	RUN(test_transports);
	RUN(test_all_transports);
	return test_end();
}
