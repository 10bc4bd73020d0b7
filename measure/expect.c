/* The tests of -E: see expect.h. */
#include "expect.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "levels.h"
#include "run.h"
#include "stats.h"
#include "summary.h"

#define STATUS_NOT_MET 3
#define STATUS_CANNOT_TELL 125
#define ROUNDING 1e-9

/* ---- metrics ---- */

__attribute__((format(printf, 2, 3))) static int unknown(struct expect_result *result,
							 const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(result->why, sizeof(result->why), format, ap);
	va_end(ap);
	return -1;
}

static int need_units(const struct summary *s, size_t count, struct expect_result *result)
{
	if (s->units >= count)
		return 0;
	if (s->units == 0)
		return unknown(result, "no %s with a whole interval", summary_unit(s));
	return unknown(result, "it takes %zu %ss", count, summary_unit(s));
}

/* How often low goes into high. */
static int measure_times(double low, double high, struct expect_result *result)
{
	if (high <= 0)
		return unknown(result, "all are 0");
	result->value = low > 0 ? high / low : HUGE_VAL;
	return 0;
}

static int measure_median(const struct summary *s, struct expect_result *result)
{
	result->value = s->middle->median;
	return need_units(s, 1, result);
}

static int measure_mean(const struct summary *s, struct expect_result *result)
{
	if (need_units(s, 1, result))
		return -1;
	for (size_t i = 0; i < s->units; i++)
		result->value += s->unit[i];
	result->value /= (double)s->units;
	return 0;
}

static int measure_min(const struct summary *s, struct expect_result *result)
{
	result->value = s->middle->min;
	return need_units(s, 1, result);
}

static int measure_max(const struct summary *s, struct expect_result *result)
{
	result->value = s->middle->max;
	return need_units(s, 1, result);
}

static int measure_spread(const struct summary *s, struct expect_result *result)
{
	if (need_units(s, 2, result))
		return -1;
	return measure_times(s->middle->min, s->middle->max, result);
}

static int measure_range(const struct summary *s, struct expect_result *result)
{
	if (need_units(s, 1, result))
		return -1;
	if (s->intervals < 2)
		return unknown(result, "it takes 2 intervals");
	return measure_times(s->sums.min, s->sums.max, result);
}

static int measure_cv(const struct summary *s, struct expect_result *result)
{
	if (need_units(s, 2, result))
		return -1;
	return stats_cv(s->unit, s->units, &result->value) ? 0 : unknown(result, "all are 0");
}

static int measure_groups(const struct summary *s, struct expect_result *result)
{
	result->value = (double)s->groups->count;
	if (s->groups->grouping == STATS_GROUPS_TOO_FEW)
		return unknown(result, "it takes 3 connections");
	return 0;
}

static int measure_changes(const struct summary *s, struct expect_result *result)
{
	result->value = (double)s->changes;
	if (s->measured == 0)
		return unknown(result, "no connection with a whole interval");
	if (s->too_short > 0)
		return unknown(result, "%zu of %zu connections below %d intervals", s->too_short,
			       s->measured, LEVELS_MIN);
	return 0;
}

/* What may be chance is no difference between connections. */
static int measure_between(const struct summary *s, struct expect_result *result)
{
	if (s->variance->verdict == LEVELS_TOO_FEW)
		return unknown(result, "it takes 3 connections of 2 intervals");
	result->value = s->variance->verdict == LEVELS_ALIKE ? 0 : s->variance->share;
	return 0;
}

static int measure_stalls(const struct summary *s, struct expect_result *result)
{
	result->value = (double)s->stalls;
	return s->intervals ? 0 : unknown(result, "no whole interval");
}

static int unknown_ratio(const struct compare *compare, struct expect_result *result)
{
	if (!compare->ratio->has_ratio)
		return unknown(result, "no %s in one of the runs", summary_unit(compare->after));
	return unknown(result, "%zu against %zu %ss; %zu and %zu can tell", compare->ratio->before,
		       compare->ratio->after, summary_unit(compare->after),
		       compare->ratio->need_each, compare->ratio->need_each);
}

static int measure_loss(const struct compare *compare, struct expect_result *result)
{
	if (compare_loss(compare, &result->value))
		return 0;
	return unknown_ratio(compare, result);
}

static int measure_gain(const struct compare *compare, struct expect_result *result)
{
	if (compare_gain(compare, &result->value))
		return 0;
	return unknown_ratio(compare, result);
}

static const struct expect_metric table[] = {
	{ "median", EXPECT_RATE, "500..", "of the connection medians, MB/sec", false, false,
	  measure_median, NULL },
	{ "mean", EXPECT_RATE, "500..", "of the connection medians", false, false, measure_mean,
	  NULL },
	{ "min", EXPECT_RATE, "400..", "lowest connection median", false, false, measure_min,
	  NULL },
	{ "max", EXPECT_RATE, "..900", "highest connection median", false, false, measure_max,
	  NULL },
	{ "spread", EXPECT_RATIO, "..1.5", "highest to lowest connection median", false, false,
	  measure_spread, NULL },
	{ "range", EXPECT_RATIO, "..3", "highest to lowest interval", true, true, measure_range,
	  NULL },
	{ "cv", EXPECT_SHARE, "..10%", "deviation of the connection medians over their mean", false,
	  false, measure_cv, NULL },
	{ "groups", EXPECT_COUNT, "1", "of connections, 1: no distinct ones", false, false,
	  measure_groups, NULL },
	{ "changes", EXPECT_COUNT, "0", "of level inside connections", true, true, measure_changes,
	  NULL },
	{ "between", EXPECT_SHARE, "..50%", "share of variance between connections, 0: none seen",
	  false, true, measure_between, NULL },
	{ "stalls", EXPECT_COUNT, "0", "intervals of 0 MB/sec", true, true, measure_stalls, NULL },
	{ "loss", EXPECT_PERCENT, "..5", "certain loss against the saved run, percent", false,
	  false, NULL, measure_loss },
	{ "gain", EXPECT_PERCENT, "5..", "certain gain over the saved run, percent", false, false,
	  NULL, measure_gain },
};

#define METRICS (sizeof(table) / sizeof(table[0]))

const struct expect_metric *expect_metric_row(size_t index)
{
	return index < METRICS ? &table[index] : NULL;
}

/* ---- parsing ---- */

static const struct expect_metric *find_metric(const char *name, size_t length)
{
	for (size_t i = 0; i < METRICS; i++)
		if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
			return &table[i];
	return NULL;
}

static int unknown_metric(char *why, size_t size)
{
	size_t used = (size_t)snprintf(why, size, "unknown metric; there are");

	for (size_t i = 0; i < METRICS && used < size; i++)
		used += (size_t)snprintf(why + used, size - used, " %s", table[i].name);
	return -1;
}

static int no_bound(const struct expect_metric *metric, char *why, size_t size)
{
	snprintf(why, size, "no bound; write %s=%s (an unquoted > is taken by the shell)",
		 metric->name, metric->bound);
	return -1;
}

/*
 * One bound: digits, perhaps a fraction and, where it means something, a %.
 * A share above 1 is more likely a forgotten % than meant.
 */
static int parse_bound(const struct expect_metric *metric, const char *text, size_t length,
		       double *bound, char *why, size_t size)
{
	static const char digits[] = "0123456789";
	size_t n = strspn(text, digits), fraction = 0;
	bool share = metric->unit == EXPECT_SHARE, percent;

	if (n > 0 && text[n] == '.' && n < length)
		fraction = strspn(text + n + 1, digits);
	if (fraction > 0)
		n += 1 + fraction;
	percent = n > 0 && n < length && text[n] == '%' &&
		  (share || metric->unit == EXPECT_PERCENT);
	if (n == 0 || n + percent != length) {
		snprintf(why, size, "\"%.*s\" is not a number", length > 40 ? 40 : (int)length,
			 text);
		return -1;
	}
	*bound = strtod(text, NULL);
	if (share && percent)
		*bound /= 100;
	else if (share && *bound > 1) {
		snprintf(why, size, "%s is a share: write %.*s%% or %g", metric->name,
			 length > 40 ? 40 : (int)length, text, *bound / 100);
		return -1;
	}
	return 0;
}

static int parse_range(const char *text, struct expect_test *test, char *why, size_t size)
{
	const struct expect_metric *metric = test->metric;
	const char *dots = strstr(text, ".."), *high = dots ? dots + 2 : text;
	size_t length = dots ? (size_t)(dots - text) : strlen(text);

	test->low = -HUGE_VAL;
	test->high = HUGE_VAL;
	if (length == 0 && !*high)
		return no_bound(metric, why, size);
	if (length > 0 && parse_bound(metric, text, length, &test->low, why, size))
		return -1;
	if (!dots)
		test->high = test->low;
	else if (*high && parse_bound(metric, high, strlen(high), &test->high, why, size))
		return -1;
	if (test->low > test->high) {
		snprintf(why, size, "nothing is in this range: its ends are the wrong way round");
		return -1;
	}
	return 0;
}

int expect_parse(const char *text, struct expect_test *test, char *why, size_t size)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");

	*test = (struct expect_test){ .text = text, .metric = find_metric(text, length) };
	if (!test->metric)
		return unknown_metric(why, size);
	if (text[length] == '\0')
		return no_bound(test->metric, why, size);
	if (text[length] != '=') {
		snprintf(why, size, "no = behind %s; write %s=%s", test->metric->name,
			 test->metric->name, test->metric->bound);
		return -1;
	}
	return parse_range(text + length + 1, test, why, size);
}

/* ---- evaluation ---- */

/* A run that came to less than was asked for proves nothing. */
static int is_early(const struct summary *s, struct expect_result *result)
{
	if (!summary_is_early(s))
		return 0;
	if (s->measured < s->run->asked)
		unknown(result, "only %zu of %zu connections", s->measured, s->run->asked);
	else
		unknown(result, "interrupted early");
	return 1;
}

static int measure(const struct summary *summary, const struct compare *compare,
		   struct expect_result *result)
{
	const struct expect_metric *metric = result->test->metric;

	if (metric->of_run)
		return metric->of_run(summary, result);
	if (!compare)
		return unknown(result, "no run to compare with");
	return metric->of_pair(compare, result);
}

/* A bound is met when reached, also by a value that exp() has rounded. */
static bool is_inside(const struct expect_test *test, double value)
{
	return value >= test->low - fabs(test->low) * ROUNDING &&
	       value <= test->high + fabs(test->high) * ROUNDING;
}

void expect_evaluate(const struct expect_test *test, const struct summary *summary,
		     const struct compare *compare, struct expect_result *result)
{
	bool sure;

	*result = (struct expect_result){ .test = test };
	result->has_value = measure(summary, compare, result) == 0;
	sure = result->has_value && !is_early(summary, result);
	if (!sure && test->metric->adds_up && result->value > test->high) {
		sure = result->has_value = true;
		result->why[0] = '\0';
	}
	if (!sure)
		result->verdict = EXPECT_CANNOT_TELL;
	else
		result->verdict = is_inside(test, result->value) ? EXPECT_MET : EXPECT_NOT_MET;
	if (!result->has_value)
		result->value = 0;
}

int expect_status(const struct expect_result *result, size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count; i++) {
		if (result[i].verdict == EXPECT_NOT_MET)
			return STATUS_NOT_MET;
		if (result[i].verdict == EXPECT_CANNOT_TELL)
			status = STATUS_CANNOT_TELL;
	}
	return status;
}

const char *expect_verdict_name(enum expect_verdict verdict)
{
	static const char *const names[] = {
		[EXPECT_MET] = "met",
		[EXPECT_NOT_MET] = "not met",
		[EXPECT_CANNOT_TELL] = "cannot tell",
	};

	return names[verdict];
}

const char *expect_unit_name(enum expect_unit unit)
{
	static const char *const names[] = {
		[EXPECT_RATE] = "MB_per_s", [EXPECT_RATIO] = "ratio",	  [EXPECT_SHARE] = "share",
		[EXPECT_COUNT] = "count",   [EXPECT_PERCENT] = "percent",
	};

	return names[unit];
}
