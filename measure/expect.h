/*
 * expect: the tests of -E, such as "median=500.." or "groups=1".
 *
 * A test is METRIC=LOW..HIGH, either bound may be missing, or METRIC=VALUE;
 * bounds are met when reached.  One table drives parsing, evaluation and the
 * list of metrics.  Pure.
 */
#ifndef MEASURE_EXPECT_H
#define MEASURE_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

struct compare;
struct expect_result;
struct summary;

enum expect_unit {
	EXPECT_RATE,  /* MB/s */
	EXPECT_RATIO, /* at least 1 */
	EXPECT_SHARE, /* 0.05, which may be written 5% */
	EXPECT_COUNT,
	EXPECT_PERCENT /* 5 is 5 % */
};

struct expect_metric {
	const char *name;
	enum expect_unit unit;
	const char *bound; /* an example: "500.." */
	const char *help;
	bool adds_up; /* further intervals can only raise it */
	bool inside;  /* it is about the intervals of connections */
	/*
	 * One of these puts the value, HUGE_VAL when it has no limit, into the
	 * result; -1 with result->why when it cannot be told.
	 */
	int (*of_run)(const struct summary *summary, struct expect_result *result);
	int (*of_pair)(const struct compare *compare, struct expect_result *result);
};

/* A row of the table, NULL after the last. */
const struct expect_metric *expect_metric_row(size_t index);

struct expect_test {
	const char *text; /* as given; must outlive it */
	const struct expect_metric *metric;
	double low;  /* -HUGE_VAL: none */
	double high; /* HUGE_VAL: none */
};

/*
 * -1 with a sentence in why for what is no test.  A test with metric->of_pair
 * is a mistake where nothing is compared; that is for the caller to say.
 */
int expect_parse(const char *text, struct expect_test *test, char *why, size_t size);

enum expect_verdict { EXPECT_MET, EXPECT_NOT_MET, EXPECT_CANNOT_TELL };

struct expect_result {
	const struct expect_test *test;
	enum expect_verdict verdict;
	bool has_value;
	double value; /* in the metric's unit; HUGE_VAL: no limit */
	char why[96]; /* it cannot be told, else "" */
};

/* compare: NULL when there is only this run; else summary is the newer one. */
void expect_evaluate(const struct expect_test *test, const struct summary *summary,
		     const struct compare *compare, struct expect_result *result);

/* Exit status: 3 when one is not met, else 125 when one cannot be told, else 0. */
int expect_status(const struct expect_result *result, size_t count);

/* "met", "not met", "cannot tell" */
const char *expect_verdict_name(enum expect_verdict verdict);

/* "MB_per_s", "ratio", "share", "count", "percent" */
const char *expect_unit_name(enum expect_unit unit);

#endif
