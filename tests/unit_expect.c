/*
 * The tests of -E: what is one and what is not, the value of each metric, when
 * it cannot be told, and the exit status that all of them give together.
 */
#include <stdlib.h>

#include "../measure/compare.h"
#include "../measure/expect.h"
#include "../measure/figures.h"
#include "../measure/run.h"
#include "../measure/summary.h"
#include "test.h"

/* ---- parsing ---- */

/* The sentence about what is no test; "" when it is one. */
static const char *sentence(const char *text)
{
	static char why[256];
	struct expect_test test;

	why[0] = '\0';
	if (expect_parse(text, &test, why, sizeof(why)) == 0)
		return "";
	return *why ? why : "no sentence";
}

static void test_ranges(void)
{
	static const struct {
		const char *text, *metric;
		double low, high;
	} ranges[] = {
		{ "median=500..", "median", 500, HUGE_VAL },
		{ "spread=..1.5", "spread", -HUGE_VAL, 1.5 },
		{ "groups=1", "groups", 1, 1 },
		{ "changes=0", "changes", 0, 0 },
		{ "loss=..5", "loss", -HUGE_VAL, 5 },
		{ "gain=5%..10%", "gain", 5, 10 },
		{ "range=1.25..3.5", "range", 1.25, 3.5 },
		{ "cv=..12.5%", "cv", -HUGE_VAL, 0.125 },
		{ "between=0..1", "between", 0, 1 },
		{ "min=0.1..", "min", 0.1, HUGE_VAL },
		{ "max=..0000900", "max", -HUGE_VAL, 900 },
		{ "mean=7..7", "mean", 7, 7 },
		{ "stalls=..3", "stalls", -HUGE_VAL, 3 },
	};
	char why[256] = "";

	for (size_t i = 0; i < COUNT(ranges); i++) {
		struct expect_test test;

		NEED(expect_parse(ranges[i].text, &test, why, sizeof(why)) == 0);
		CHECK_STR(test.text, ranges[i].text);
		CHECK_STR(test.metric->name, ranges[i].metric);
		CHECK(!(test.low < ranges[i].low) && !(test.low > ranges[i].low));
		CHECK(!(test.high < ranges[i].high) && !(test.high > ranges[i].high));
	}
}

static void test_what_is_no_test(void)
{
	static const char shell[] = "no bound; write median=500.. "
				    "(an unquoted > is taken by the shell)";

	CHECK_STR(sentence("median"), shell);
	CHECK_STR(sentence("median="), shell);
	CHECK_STR(sentence("median=.."), shell);
	CHECK_STR(sentence("spread"),
		  "no bound; write spread=..1.5 (an unquoted > is taken by the shell)");
	CHECK_STR(sentence("median>500"), "no = behind median; write median=500..");
	CHECK_STR(sentence("groups 1"), "no = behind groups; write groups=1");
	CHECK_STR(sentence("medain=5.."),
		  "unknown metric; there are median mean min max spread range cv groups changes "
		  "between stalls loss gain");
	CHECK_HAS(sentence(""), "unknown metric");
	CHECK_HAS(sentence("=5"), "unknown metric");
	CHECK_HAS(sentence("med=5"), "unknown metric");
	CHECK_HAS(sentence("Median=5"), "unknown metric");
	CHECK_STR(sentence("median=5x.."), "\"5x\" is not a number");
	CHECK_STR(sentence("median=1..2..3"), "\"2..3\" is not a number");
	CHECK_STR(sentence("median=-5.."), "\"-5\" is not a number");
	CHECK_STR(sentence("median=1e3.."), "\"1e3\" is not a number");
	CHECK_STR(sentence("median=nan.."), "\"nan\" is not a number");
	CHECK_STR(sentence("median=5%.."), "\"5%\" is not a number");
	CHECK_STR(sentence("median= 5.."), "\" 5\" is not a number");
	CHECK_STR(sentence("median=5. .."), "\"5. \" is not a number");
	CHECK_STR(sentence("median=.5"), "\".5\" is not a number");
	CHECK_STR(sentence("median=5..."), "\".\" is not a number");
	CHECK_STR(sentence("median=9..5"),
		  "nothing is in this range: its ends are the wrong way round");
	CHECK_STR(sentence("cv=..12.5"), "cv is a share: write 12.5% or 0.125");
	CHECK_HAS(sentence("between=..50"), "write 50% or 0.5");
}

/* Each metric has an example of a bound that is one, and a line of help. */
static void test_table(void)
{
	const struct expect_metric *row;
	size_t count = 0;
	char text[64];

	for (; (row = expect_metric_row(count)) != NULL; count++) {
		snprintf(text, sizeof(text), "%s=%s", row->name, row->bound);
		CHECK_STR(sentence(text), "");
		CHECK(*row->help);
		CHECK(!row->of_run != !row->of_pair);
	}
	CHECK_EQ(count, 13);
}

/* ---- evaluation ---- */

/* Connections of n intervals each, the rates of one behind those of another. */
static struct run run_of(const double *rate, size_t connections, size_t n)
{
	struct run run = { .parallel = 1, .asked = connections, .interval_s = 1, .duration_s = 8 };

	for (unsigned int i = 0; i < connections; i++) {
		struct run_series *series = run_add_series(&run, i + 1, i + 1);

		for (size_t j = 0; series && j < n; j++)
			if (run_add_rate(series, rate[i * n + j], (double)j))
				abort();
	}
	return run;
}

/* Each of n connections has 8 intervals of one rate. */
static struct run steady_run(const double *rate, size_t n)
{
	struct run run = { .parallel = 1, .asked = n };

	for (unsigned int i = 0; i < n; i++) {
		struct run_series *series = run_add_series(&run, i + 1, i + 1);

		for (size_t j = 0; series && j < 8; j++)
			if (run_add_rate(series, rate[i], -1))
				abort();
	}
	return run;
}

static char printed[512];

static struct expect_result evaluate(const char *text, const struct run *run,
				     const struct run *saved)
{
	static struct expect_test test;
	struct summary summary, old = { .run = NULL };
	struct compare compare = { .before = NULL };
	struct expect_result result;
	char why[256] = "";
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	if (!out || expect_parse(text, &test, why, sizeof(why)) || summary_make(run, &summary) ||
	    (saved && (summary_make(saved, &old) || compare_make(&old, &summary, &compare))))
		abort();
	expect_evaluate(&test, &summary, saved ? &compare : NULL, &result);
	figures_expect(out, &result);
	figures_expect_json(out, &result);
	fclose(out);
	compare_free(&compare);
	summary_free(&old);
	summary_free(&summary);
	return result;
}

static void check_value(const struct run *run, const char *metric, double value)
{
	char text[64];
	struct expect_result result;

	snprintf(text, sizeof(text), "%s=0..", metric);
	result = evaluate(text, run, NULL);
	if (result.verdict != EXPECT_MET || fabs(result.value - value) > 1e-9 * value + 1e-12)
		test_fail(__FILE__, __LINE__, "%s is %.17g (%s %s), not %.17g", metric,
			  result.value, expect_verdict_name(result.verdict), result.why, value);
	test_now.checks++;
}

static const double steady[] = { 100, 102, 98, 104, 96, 101 };

static void test_values(void)
{
	struct run run = steady_run(steady, 6);

	check_value(&run, "median", 100.5);
	check_value(&run, "mean", 601 / 6.0);
	check_value(&run, "min", 96);
	check_value(&run, "max", 104);
	check_value(&run, "spread", 104 / 96.0);
	check_value(&run, "range", 104 / 96.0);
	check_value(&run, "cv", sqrt(49 / 6.0) / (601 / 6.0));
	check_value(&run, "groups", 1);
	check_value(&run, "changes", 0);
	check_value(&run, "stalls", 0);
	run.series[2].rate[3] = 0;
	check_value(&run, "stalls", 1);
	CHECK_EQ(evaluate("range=1..", &run, NULL).verdict, EXPECT_MET);
	CHECK_HAS(printed, "expect range=1..: no limit (lowest 0), met\n");
	CHECK_EQ(evaluate("range=..1000", &run, NULL).verdict, EXPECT_NOT_MET);
	CHECK_HAS(printed, "\"value\":null");
	run_free(&run);
}

/* A bound is met when it is reached, and a value outside is not. */
static void test_bounds(void)
{
	struct run run = steady_run(steady, 6);

	CHECK_EQ(evaluate("max=104", &run, NULL).verdict, EXPECT_MET);
	CHECK_EQ(evaluate("max=..104", &run, NULL).verdict, EXPECT_MET);
	CHECK_EQ(evaluate("max=104..", &run, NULL).verdict, EXPECT_MET);
	CHECK_EQ(evaluate("max=104.01..", &run, NULL).verdict, EXPECT_NOT_MET);
	CHECK_EQ(evaluate("max=..103.99", &run, NULL).verdict, EXPECT_NOT_MET);
	CHECK_EQ(evaluate("median=500..", &run, NULL).verdict, EXPECT_NOT_MET);
	CHECK_STR(printed, "expect median=500..: 100.5 MB/sec, not met\n"
			   "{\"event\":\"expect\",\"test\":\"median=500..\",\"metric\":\"median\","
			   "\"low\":500,\"high\":null,\"value\":100.5,\"unit\":\"MB_per_s\","
			   "\"verdict\":\"not met\",\"why\":null}\n");
	CHECK_EQ(evaluate("cv=..10%", &run, NULL).verdict, EXPECT_MET);
	CHECK_HAS(printed, "expect cv=..10%: 2.853%, met\n");
	CHECK_EQ(evaluate("spread=..1.05", &run, NULL).verdict, EXPECT_NOT_MET);
	CHECK_HAS(printed, "expect spread=..1.05: 1.083 times, not met\n");
	run_free(&run);
}

static void test_groups_changes_between(void)
{
	static const double two[] = { 10, 10.1, 10.2, 10, 50, 50.5, 51, 50 };
	static const double noisy[] = { 10, 11, 9, 10, 12, 9, 11, 10, 9, 10, 12, 9 };
	static const double change[] = { 20, 21, 19, 10, 10.5, 9.5 };
	struct run groups = steady_run(two, 8), alike = run_of(noisy, 3, 4);
	struct run changes = run_of(change, 1, 6);

	check_value(&groups, "groups", 2);
	CHECK_EQ(evaluate("groups=1", &groups, NULL).verdict, EXPECT_NOT_MET);
	CHECK_HAS(printed, "expect groups=1: 2, not met\n");
	CHECK_EQ(evaluate("between=..50%", &groups, NULL).verdict, EXPECT_NOT_MET);
	/* What may be chance counts as nothing. */
	check_value(&alike, "between", 0);
	check_value(&changes, "changes", 1);
	CHECK_EQ(evaluate("changes=0", &changes, NULL).verdict, EXPECT_NOT_MET);
	run_free(&groups);
	run_free(&alike);
	run_free(&changes);
}

static void check_untold(const struct run *run, const char *text, const char *why)
{
	CHECK_EQ(evaluate(text, run, NULL).verdict, EXPECT_CANNOT_TELL);
	CHECK_HAS(printed, why);
	CHECK_HAS(printed, "\"verdict\":\"cannot tell\"");
}

static void test_too_few(void)
{
	struct run none = steady_run(steady, 0), one = run_of(steady, 1, 5);
	struct run single = run_of(steady, 1, 1), zero = steady_run((double[]){ 0, 0, 0 }, 3);

	check_untold(&none, "median=0..",
		     "n/a, cannot tell: no connection with a whole interval\n");
	check_untold(&none, "stalls=0", "no whole interval");
	check_untold(&none, "changes=0", "no connection with a whole interval");
	check_untold(&one, "spread=..2", "it takes 2 connections");
	check_untold(&one, "cv=..0.1", "it takes 2 connections");
	check_untold(&one, "groups=1", "it takes 3 connections");
	check_untold(&one, "between=..0.5", "it takes 3 connections of 2 intervals");
	check_untold(&one, "changes=0", "1 of 1 connections below 6 intervals");
	check_untold(&one, "loss=..5", "no run to compare with");
	check_untold(&single, "range=..2", "it takes 2 intervals");
	check_untold(&zero, "spread=..2", "all are 0");
	check_untold(&zero, "cv=..0.1", "all are 0");
	check_value(&one, "median", 100);
	run_free(&none);
	run_free(&one);
	run_free(&single);
	run_free(&zero);
}

/* Less than was asked for proves nothing, but what was seen was seen. */
static void test_early_end(void)
{
	struct run run = steady_run(steady, 6);

	run.asked = 10;
	check_untold(&run, "median=1..", "100.5 MB/sec, cannot tell: only 6 of 10 connections\n");
	check_untold(&run, "median=500..", "only 6 of 10 connections");
	check_untold(&run, "stalls=..0", "only 6 of 10 connections");
	run.series[1].rate[1] = 0;
	CHECK_EQ(evaluate("stalls=0", &run, NULL).verdict, EXPECT_NOT_MET);
	CHECK_HAS(printed, "\"why\":null");
	CHECK_EQ(evaluate("range=..5", &run, NULL).verdict, EXPECT_NOT_MET);
	run.asked = 6;
	run.interrupted = 1;
	CHECK_EQ(evaluate("median=1..", &run, NULL).verdict, EXPECT_MET);
	run.duration_s = 4;
	check_untold(&run, "median=1..", "interrupted early");
	run_free(&run);
}

static void test_loss_and_gain(void)
{
	static const double a[] = { 20, 20.4, 19.7, 20.9, 20.2, 19.9, 20.6, 20.1, 20.3, 19.8 };
	static const double b[] = { 22.1, 21.7, 22.6, 21.9, 22, 22.4, 21.5, 22.8, 22.2, 21.8 };
	struct run slow = steady_run(a, 10), fast = steady_run(b, 10), few = steady_run(b, 3);

	/* b to a: 0.8964 to 0.9309, so at least 6.91 % are lost. */
	CHECK_NEAR(evaluate("loss=..5", &slow, &fast).value, 6.91, 0.01);
	CHECK_HAS(printed, "expect loss=..5: 6.912%, not met\n");
	CHECK_EQ(evaluate("loss=..7", &slow, &fast).verdict, EXPECT_MET);
	CHECK_EQ(evaluate("gain=7..", &fast, &slow).verdict, EXPECT_MET);
	CHECK_EQ(evaluate("gain=8..", &fast, &slow).verdict, EXPECT_NOT_MET);
	CHECK_NEAR(evaluate("loss=..5", &fast, &slow).value, 0, 0);
	CHECK_NEAR(evaluate("gain=0", &slow, &slow).value, 0, 0);
	CHECK_EQ(evaluate("loss=..5", &few, &fast).verdict, EXPECT_MET);
	CHECK_EQ(evaluate("loss=..5", &few, &few).verdict, EXPECT_CANNOT_TELL);
	CHECK_HAS(printed, "n/a, cannot tell: 3 against 3 connections; 4 and 4 can tell\n");
	run_free(&slow);
	run_free(&fast);
	run_free(&few);
}

/* Rounds: the sum of their connections is what is tested. */
static void test_rounds(void)
{
	struct run run = steady_run(steady, 6);

	run.parallel = 2;
	for (unsigned int i = 0; i < 6; i++)
		run.series[i].round = 1 + i / 2;
	check_value(&run, "median", 202);
	check_value(&run, "spread", 202 / 197.0);
	run.count = 2;
	run.asked = 2;
	check_untold(&run, "spread=..2", "it takes 2 rounds");
	run.count = 6;
	run_free(&run);
}

static void test_status(void)
{
	struct expect_result results[] = {
		{ .verdict = EXPECT_MET },
		{ .verdict = EXPECT_CANNOT_TELL },
		{ .verdict = EXPECT_NOT_MET },
		{ .verdict = EXPECT_CANNOT_TELL },
	};

	CHECK_EQ(expect_status(results, 0), 0);
	CHECK_EQ(expect_status(results, 1), 0);
	CHECK_EQ(expect_status(results, 2), 125);
	CHECK_EQ(expect_status(results, 3), 3);
	CHECK_EQ(expect_status(results, 4), 3);
	CHECK_EQ(expect_status(results + 3, 1), 125);
}

int main(void)
{
	RUN(test_ranges);
	RUN(test_what_is_no_test);
	RUN(test_table);
	RUN(test_values);
	RUN(test_bounds);
	RUN(test_groups_changes_between);
	RUN(test_too_few);
	RUN(test_early_end);
	RUN(test_loss_and_gain);
	RUN(test_rounds);
	RUN(test_status);
	return test_end();
}
