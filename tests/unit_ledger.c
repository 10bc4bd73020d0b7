/*
 * The ledger of waits: no wait falls between bins, figures are as near as a
 * bin is wide, what the warm-up and the end cut off is where it belongs, and
 * a kernel timer is named only where the waits have a peak at it.
 */
#include <stdlib.h>

#include "../measure/figures.h"
#include "../measure/ledger.h"
#include "test.h"

#define US INT64_C(1000)
#define MS (1000 * US)
#define S (1000 * MS)

/* A ledger, and the clock of its worker. */
static struct ledger book;
static int64_t now;

static void fresh(void)
{
	memset(&book, 0, sizeof(book));
	now = S;
}

static void waited(int64_t ns)
{
	ledger_wait(&book, now);
	now += ns;
	ledger_got(&book, now);
}

/* So many waits, spread evenly from low to high. */
static void spread(int count, int64_t low, int64_t high)
{
	for (int i = 0; i < count; i++)
		waited(low + (high - low) * i / (count > 1 ? count - 1 : 1));
}

static struct ledger_sum added_up(void)
{
	struct ledger_sum sum;

	ledger_add_up(&book, S, now, &sum);
	return sum;
}

/* ---- bins ---- */

static void test_bins_are_in_order_and_narrow(void)
{
	double low = 0;
	size_t before = 0;

	for (double ns = 100; ns < 6e12; ns *= 1.0007) {
		size_t bin = ledger_bin_of((int64_t)ns);

		if (bin == before)
			continue;
		if (bin != before + 1)
			test_fail(__FILE__, __LINE__, "from bin %zu to %zu at %g ns", before, bin,
				  ns);
		/* 1/32 of an octave is 3.1 % of its low end, and the steps here 0.07 %. */
		if (before > 0 && ns > low * 1.033)
			test_fail(__FILE__, __LINE__, "bin %zu: %g to %g ns", before, low, ns);
		low = ns;
		before = bin;
	}
	CHECK_EQ_U(before, LEDGER_BINS - 1);
}

static void test_octaves_begin_at_powers_of_two(void)
{
	for (int i = 0; i < LEDGER_OCTAVES; i++) {
		int64_t ns = US << i;

		CHECK_EQ_U(ledger_bin_of(ns), 1 + LEDGER_PARTS * (size_t)i);
		CHECK_EQ_U(ledger_bin_of(ns - 1), LEDGER_PARTS * (size_t)i);
	}
}

static void test_bins_of_extremes(void)
{
	CHECK_EQ_U(ledger_bin_of(-5), 0);
	CHECK_EQ_U(ledger_bin_of(0), 0);
	CHECK_EQ_U(ledger_bin_of(999), 0);
	CHECK(ledger_bin_of(3600 * S) < LEDGER_BINS - 1);
	CHECK_EQ_U(ledger_bin_of(7200 * S), LEDGER_BINS - 1);
	CHECK_EQ_U(ledger_bin_of(INT64_MAX), LEDGER_BINS - 1);
}

/* ---- figures ---- */

static void test_empty(void)
{
	struct ledger_sum sum;

	fresh();
	now += 4 * S;
	sum = added_up();
	CHECK_EQ_U(sum.waits, 0);
	CHECK_NEAR(sum.wait_s, 0, 0);
	CHECK_NEAR(sum.length_s, 4, 1e-9);
	CHECK(isnan(sum.longest_s));
	CHECK(isnan(sum.median_s));
	CHECK(isnan(sum.cut_s));
}

static void test_totals_are_exact(void)
{
	struct ledger_sum sum;
	struct ledger_row row;
	uint64_t waits = 0;
	double wait_s = 0, share = 0;

	fresh();
	spread(1000, 0, 2 * S);
	waited(5000 * S);
	sum = added_up();
	CHECK_EQ_U(sum.waits, 1001);
	CHECK_NEAR(sum.wait_s, 6000, 1e-5);
	CHECK_NEAR(sum.wait_s, sum.length_s, 1e-6);
	CHECK_NEAR(sum.longest_s, 5000, 1e-9);
	for (size_t i = 0; i < LEDGER_ROWS; i++) {
		ledger_row(&book, i, &row);
		waits += row.waits;
		wait_s += row.wait_s;
		share += row.share;
		if (row.waits > 0)
			CHECK(row.wait_s <= row.high_s * (double)row.waits &&
			      row.wait_s >= row.low_s * (double)row.waits);
	}
	CHECK_EQ_U(waits, 1001);
	CHECK_NEAR(wait_s, 6000, 1e-5);
	CHECK_NEAR(share, 1, 1e-9);
	CHECK(isinf(row.high_s));
	CHECK_EQ_U(row.waits, 1);
}

static void test_rows_are_octaves(void)
{
	struct ledger_row row;

	fresh();
	spread(99, 38 * MS, 44 * MS);
	waited(0);
	ledger_row(&book, 16, &row);
	CHECK_NEAR(row.low_s, 0.032768, 1e-12);
	CHECK_NEAR(row.high_s, 0.065536, 1e-12);
	CHECK_EQ_U(row.waits, 99);
	ledger_row(&book, 0, &row);
	CHECK_NEAR(row.low_s, 0, 0);
	CHECK_NEAR(row.high_s, 1e-6, 1e-18);
	CHECK_EQ_U(row.waits, 1);
}

static void test_median_is_within_a_bin(void)
{
	static const struct {
		int64_t wait[6];
		double median_s;
		double by; /* of it */
	} cases[] = {
		{ { 7 * MS }, 0.007, 1e-9 },
		{ { 40 * MS, 1 * US, 50 * S }, 0.040, 1e-9 },
		{ { 10 * MS, 20 * MS }, 0.015, 1e-9 },
		{ { 10 * MS, 20 * MS, 30 * MS, 1 * MS }, 0.015, 1e-9 },
		{ { 40000 * US, 40100 * US, 40200 * US }, 0.0401, 0.01 },
		{ { 1, 2, 3, 4 * S, 5 * S, 6 * S }, 2, 1e-6 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fresh();
		for (int k = 0; k < 6 && cases[i].wait[k]; k++)
			waited(cases[i].wait[k]);
		CHECK_NEAR(added_up().median_s, cases[i].median_s, cases[i].by * cases[i].median_s);
	}
	fresh();
	spread(10001, 1 * US, 1 * S);
	CHECK_NEAR(added_up().median_s, 0.5, 0.5 * 0.031);
}

/* ---- what is left out, and what is cut short ---- */

static void test_the_end_cuts_a_wait_short(void)
{
	struct ledger_sum sum;

	fresh();
	waited(10 * MS);
	ledger_wait(&book, now);
	now += 3 * S;
	ledger_cut(&book, now);
	sum = added_up();
	CHECK_EQ_U(sum.waits, 1);
	CHECK_NEAR(sum.wait_s, 0.01, 1e-9);
	CHECK_NEAR(sum.longest_s, 0.01, 1e-9);
	CHECK_NEAR(sum.cut_s, 3, 1e-9);
}

/* A killed worker has not said how long. */
static void test_a_wait_in_progress_is_cut_short(void)
{
	struct ledger_sum sum;

	fresh();
	ledger_wait(&book, now);
	now += 2 * S;
	sum = added_up();
	CHECK_EQ_U(sum.waits, 0);
	CHECK_NEAR(sum.cut_s, 2, 1e-9);
	CHECK_NEAR(sum.length_s, 2, 1e-9);
}

static void test_warm_up_is_left_out(void)
{
	struct ledger_sum sum;

	fresh();
	LEDGER_SET(book.from, LEDGER_NEVER);
	spread(5, 100 * MS, 100 * MS);
	CHECK(isnan(added_up().length_s));
	CHECK_EQ_U(added_up().waits, 0);
	now += 500 * MS;
	LEDGER_SET(book.from, now);
	now += 1 * MS;
	waited(20 * MS);
	sum = added_up();
	CHECK_EQ_U(sum.waits, 1);
	CHECK_NEAR(sum.longest_s, 0.02, 1e-9);
	CHECK_NEAR(sum.length_s, 0.021, 1e-9);
}

/* It counts whole, and the time begins with it: never above 100 %. */
static void test_a_wait_across_the_end_of_the_warm_up(void)
{
	struct ledger_sum sum;

	fresh();
	LEDGER_SET(book.from, LEDGER_NEVER);
	waited(900 * MS);
	ledger_wait(&book, now);
	LEDGER_SET(book.from, now + 100 * MS);
	now += 700 * MS;
	CHECK_NEAR(added_up().length_s, 0.7, 1e-9); /* killed here */
	CHECK_NEAR(added_up().cut_s, 0.7, 1e-9);
	ledger_got(&book, now);
	now += 300 * MS;
	sum = added_up();
	CHECK_EQ_U(sum.waits, 1);
	CHECK_NEAR(sum.wait_s, 0.7, 1e-9);
	CHECK_NEAR(sum.length_s, 1, 1e-9);
}

/* ---- timers ---- */

/* Which of the timers are near, a letter each: ack, rto, probe, second. */
static const char *peaks(double rto_min_s)
{
	static const char letters[LEDGER_TIMERS] = { 'a', 'r', 'p', 's' };
	static char near[LEDGER_TIMERS + 1];
	struct ledger_timer timer[LEDGER_TIMERS];
	struct ledger_match match;
	int n = 0;

	ledger_timers(rto_min_s, timer);
	for (int i = 0; i < LEDGER_TIMERS; i++) {
		ledger_match(&book, &timer[i], &match);
		if (match.is_near)
			near[n++] = letters[i];
	}
	near[n] = '\0';
	return near;
}

static void test_peaks(void)
{
	static const struct {
		struct {
			int count;
			int64_t low, high;
		} part[3];
		const char *near;
	} cases[] = {
		/* a receive buffer set late: probes */
		{ { { 14, 200 * MS, 216 * MS } }, "rp" },
		{ { { 14, 204 * MS, 212 * MS }, { 1, 134 * MS, 134 * MS } }, "rp" },
		/* a send buffer below a segment */
		{ { { 52, 40 * MS, 46 * MS } }, "a" },
		{ { { 67, 40 * MS, 44 * MS }, { 900, 8 * US, 2 * MS } }, "a" },
		/* HZ of 100, and of 1000 */
		{ { { 30, 41 * MS, 54 * MS } }, "a" },
		{ { { 30, 39900 * US, 41 * MS } }, "a" },
		/* loss */
		{ { { 9, 200 * MS, 270 * MS }, { 2, 428 * MS, 432 * MS }, { 99, US, MS } }, "rps" },
		{ { { 3, 204 * MS, 208 * MS }, { 9000, 100 * US, 300 * US } }, "rp" },
		/* the longest alone, below a tenth of the waiting */
		{ { { 1, 43 * MS, 43 * MS }, { 90000, 20 * US, 60 * US } }, "a" },
		/* no timer: pacing, full speed, a stopped source, all lengths */
		{ { { 400, 8 * MS, 13 * MS } }, "" },
		{ { { 60000, 1 * US, 4 * MS } }, "" },
		{ { { 1, 1001 * MS, 1001 * MS }, { 9999, 2 * US, 60 * US } }, "" },
		{ { { 1000, 0, 100 * MS } }, "" },
		{ { { 1000, 0, 1000 * MS } }, "" },
		{ { { 0, 0, 0 } }, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fresh();
		for (int k = 0; k < 3; k++)
			spread(cases[i].part[k].count, cases[i].part[k].low, cases[i].part[k].high);
		if (strcmp(peaks(NAN), cases[i].near) != 0)
			test_fail(__FILE__, __LINE__, "case %zu: \"%s\", not \"%s\"", i, peaks(NAN),
				  cases[i].near);
	}
	CHECK_EQ_U(sizeof(cases) / sizeof(cases[0]), 15);
}

static void test_a_match_has_its_figures(void)
{
	struct ledger_timer timer[LEDGER_TIMERS];
	struct ledger_match match;

	fresh();
	spread(99, 40 * MS, 44 * MS);
	waited(842 * MS);
	ledger_timers(0.2, timer);
	ledger_match(&book, &timer[0], &match);
	CHECK_NEAR(match.low_s, 0.038, 1e-9);
	CHECK_NEAR(match.high_s, 0.055, 1e-9);
	CHECK_EQ_U(match.waits, 99);
	CHECK_NEAR(match.wait_s, 99 * 0.042, 1e-6);
	CHECK_NEAR(match.share, 99 * 0.042 / 5, 1e-6);
	CHECK_EQ(match.is_near, 1);
	CHECK_EQ(match.is_longest, 0);
}

/* What the kernel says goes first; a probe stays at 200 ms or more. */
static void test_timers_of_the_kernel(void)
{
	static const struct {
		double rto_min_s, ack_s, rto_s, probe_s, second_s;
		int said;
	} cases[] = {
		{ NAN, 0.04, 0.2, 0.2, 0.4, 0 },   { 0, 0.04, 0.2, 0.2, 0.4, 0 },
		{ 0.2, 0.04, 0.2, 0.2, 0.4, 1 },   { 0.3, 0.04, 0.3, 0.3, 0.6, 1 },
		{ 0.05, 0.04, 0.05, 0.2, 0.1, 1 }, { 0.005, 0.005, 0.005, 0.2, 0.01, 1 },
	};
	struct ledger_timer timer[LEDGER_TIMERS];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ledger_timers(cases[i].rto_min_s, timer);
		CHECK_NEAR(timer[0].s, cases[i].ack_s, 1e-12);
		CHECK_NEAR(timer[1].s, cases[i].rto_s, 1e-12);
		CHECK_NEAR(timer[2].s, cases[i].probe_s, 1e-12);
		CHECK_NEAR(timer[3].s, cases[i].second_s, 1e-12);
		CHECK_STR(timer[1].source, cases[i].said ? "net.ipv4.tcp_rto_min_us" : "");
	}
	fresh();
	spread(30, 300 * MS, 310 * MS);
	CHECK_STR(peaks(0.3), "rp");
	CHECK_STR(peaks(0.2), "");
}

/* ---- the text ---- */

static char printed[8192];

/* timers: 1 known, 0 not, -1 no TCP. */
static const char *text_of(uint64_t reads, double warm_up_s, int timers, int json)
{
	struct ledger_timer timer[LEDGER_TIMERS];
	struct ledger_sum sum = added_up();
	struct figures_ledger figures = { .connection = 1,
					  .reads = reads,
					  .warm_up_s = warm_up_s,
					  .ledger = &book,
					  .sum = &sum,
					  .is_tcp = timers >= 0,
					  .timer = timer,
					  .timers = timers > 0 ? LEDGER_TIMERS : 0 };
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	ledger_timers(0.2, timer);
	(json ? figures_ledger_json : figures_ledger)(out, &figures);
	fclose(out);
	return printed;
}

static void test_text(void)
{
	fresh();
	spread(99, 40 * MS, 40421 * US);
	waited(17 * US);
	waited(19 * US);
	now = S + 4 * S;
	CHECK_STR(text_of(104, 0, 1, 0),
		  "ledger of connection 1: 104 reads, 101 waited, 3.981 of 4 s (99.5%)\n"
		  "  waited from       to       reads     in all   share of the waiting\n"
		  "        16 us    32 us           2      36 us    <1%\n"
		  "      32.8 ms  65.5 ms          99     3.98 s   >99%  "
		  "########################\n"
		  "  longest 40.4 ms, median 40.2 ms\n"
		  "  near the delayed ACK minimum of 40 ms: 99 waits within 38 to 55 ms, >99% of\n"
		  "    the waiting, and the longest\n"
		  "  not near: RTO minimum 200 ms (net.ipv4.tcp_rto_min_us), persist probe\n"
		  "    200 ms, second RTO 400 ms\n");
}

static void test_text_without_waits(void)
{
	fresh();
	now += 4 * S;
	CHECK_STR(text_of(1, 0, 1, 0), "ledger of connection 1: 1 read, 0 waited, 0 of 4 s (0%)\n");
	ledger_wait(&book, now);
	now += 3204 * MS;
	CHECK_HAS(text_of(1, 0, 1, 0),
		  "\n  and one cut short by the end after 3.2 s, in no other figure\n");
	fresh();
	LEDGER_SET(book.from, LEDGER_NEVER);
	waited(S);
	CHECK_STR(text_of(1, 1, 1, 0), "ledger of connection 1: n/a, it ended in its warm-up\n");
	CHECK_HAS(text_of(1, 1, 1, 1), "\"reads\":null,\"waits\":null,");
}

static void test_text_without_timers(void)
{
	fresh();
	waited(210 * MS);
	CHECK_HAS(text_of(1, 0, 1, 0),
		  "near the RTO minimum of 200 ms (net.ipv4.tcp_rto_min_us) or the persist\n");
	CHECK_HAS(text_of(1, 0, 0, 0), "\n  timers of this kernel: n/a\n");
	CHECK_HAS(text_of(1, 0, 0, 1), "\"timers\":null}\n");
	CHECK(strstr(text_of(1, 0, -1, 0), "near") == NULL);
	CHECK(strstr(text_of(1, 0, -1, 0), "n/a") == NULL);
	CHECK_HAS(text_of(1, 0, -1, 1), "\"timers\":[]}\n");
}

/* The largest numbers that there can be. */
static void test_text_fits_78_columns(void)
{
	fresh();
	for (int i = 0; i < LEDGER_BINS; i++) {
		LEDGER_SET(book.bin[i].waits, UINT64_C(99999999999) / 33);
		LEDGER_SET(book.bin[i].ns, UINT64_C(9999999999999999) / LEDGER_BINS);
	}
	LEDGER_SET(book.longest, 210 * MS);
	now += 99999 * S;
	text_of(UINT64_MAX, 1, 1, 0);
	for (const char *line = printed; *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 78)
			test_fail(__FILE__, __LINE__, "%zu columns: %.100s", strcspn(line, "\n"),
				  line);
	CHECK_HAS(printed, "ledger of");
}

int main(void)
{
	RUN(test_bins_are_in_order_and_narrow);
	RUN(test_octaves_begin_at_powers_of_two);
	RUN(test_bins_of_extremes);
	RUN(test_empty);
	RUN(test_totals_are_exact);
	RUN(test_rows_are_octaves);
	RUN(test_median_is_within_a_bin);
	RUN(test_the_end_cuts_a_wait_short);
	RUN(test_a_wait_in_progress_is_cut_short);
	RUN(test_warm_up_is_left_out);
	RUN(test_a_wait_across_the_end_of_the_warm_up);
	RUN(test_peaks);
	RUN(test_a_match_has_its_figures);
	RUN(test_timers_of_the_kernel);
	RUN(test_text);
	RUN(test_text_without_waits);
	RUN(test_text_without_timers);
	RUN(test_text_fits_78_columns);
	return test_end();
}
