/*
 * Intervals: their lengths and bytes add up whatever the clock did, partial
 * and late ones are told from whole ones, deadlines are multiples of the
 * interval and end with the connection; and which ends are failures.
 */
#include "../measure/run.h"
#include "test.h"

static const int64_t ms = 1000000;

static void test_intervals_add_up(void)
{
	static const double ends[] = { 0.2, 0.4, 0.61, 0.79, 1.9, 2.0, 2.05 };
	static const enum run_kind kinds[] = {
		RUN_WHOLE, RUN_WHOLE, RUN_WHOLE, RUN_WHOLE, RUN_LATE, RUN_PARTIAL, RUN_PARTIAL,
	};
	struct run_connection c = { .number = 1, .interval_s = 0.2 };
	const uint64_t step = UINT64_C(5000000000);
	double length = 0;
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct run_interval it = run_close_interval(&c, ends[i], (i + 1) * step, i + 1);

		CHECK_EQ(it.number, i + 1);
		CHECK_EQ(it.kind, kinds[i]);
		CHECK_NEAR(it.end_s, ends[i], 0);
		CHECK_EQ_U(it.bytes, step);
		CHECK_EQ_U(it.calls, 1);
		length += it.length_s;
		bytes += it.bytes;
	}
	CHECK_NEAR(length, 2.05, 1e-12);
	CHECK_NEAR(c.length_s, 2.05, 1e-12);
	CHECK_EQ_U(bytes, c.bytes);
	CHECK_EQ_U(c.bytes, 7 * step);
	CHECK_EQ(c.intervals, 7);
}

/* -d shorter than -i: one interval of that length was planned. */
static void test_short_connection_is_whole(void)
{
	struct run_connection c = { .interval_s = 2, .planned_s = 0.3 };
	struct run_interval it = run_close_interval(&c, 0.301, 1000, 1);

	CHECK_EQ(it.kind, RUN_WHOLE);
	memset(&c, 0, sizeof(c));
	c.interval_s = 2;
	c.planned_s = 0.3;
	it = run_close_interval(&c, 0.2, 1000, 1);
	CHECK_EQ(it.kind, RUN_PARTIAL);
	memset(&c, 0, sizeof(c));
	c.interval_s = 2;
	it = run_close_interval(&c, 0.301, 1000, 1);
	CHECK_EQ(it.kind, RUN_PARTIAL);
}

static void test_edges_of_partial_and_late(void)
{
	struct run_connection c = { .interval_s = 1 };

	CHECK_EQ(run_close_interval(&c, 0.91, 1, 1).kind, RUN_WHOLE);
	CHECK_EQ(run_close_interval(&c, 0.91 + 0.89, 2, 2).kind, RUN_PARTIAL);
	CHECK_EQ(run_close_interval(&c, 1.8 + 1.49, 3, 3).kind, RUN_WHOLE);
	CHECK_EQ(run_close_interval(&c, 3.29 + 1.51, 4, 4).kind, RUN_LATE);
}

static void test_deadlines_are_multiples(void)
{
	CHECK_EQ(run_next_end(0, 0, 200 * ms, 0), 200 * ms);
	CHECK_EQ(run_next_end(1, 0, 200 * ms, 0), 200 * ms);
	CHECK_EQ(run_next_end(99 * ms, 0, 200 * ms, 0), 200 * ms);
	CHECK_EQ(run_next_end(200 * ms, 0, 200 * ms, 0), 400 * ms);
	/* After a stop of 5 s: the next one of the plan, not all of them. */
	/* Held up: the rest of an interval counts if it is half of one. */
	CHECK_EQ(run_next_end(5030 * ms, 0, 200 * ms, 0), 5200 * ms);
	CHECK_EQ(run_next_end(5130 * ms, 0, 200 * ms, 0), 5400 * ms);
	CHECK_EQ(run_next_end(5130 * ms, 0, 200 * ms, 5150 * ms), 5150 * ms);
	CHECK_EQ(run_next_end(0, 300 * ms, 200 * ms, 0), 300 * ms);
	CHECK_EQ(run_next_end(300 * ms, 300 * ms, 200 * ms, 0), 500 * ms);
}

static void test_last_deadline_is_the_duration(void)
{
	CHECK_EQ(run_next_end(0, 0, 2000 * ms, 300 * ms), 300 * ms);
	CHECK_EQ(run_next_end(1400 * ms, 0, 200 * ms, 1500 * ms), 1500 * ms);
	CHECK_EQ(run_next_end(1200 * ms, 0, 200 * ms, 1500 * ms), 1400 * ms);
	/* A remainder of nothing is no interval of its own. */
	CHECK_EQ(run_next_end(200 * ms, 0, 200 * ms, 400 * ms + 10), 400 * ms + 10);
	CHECK_EQ(run_next_end(0, 0, 100 * ms, 100 * ms), 100 * ms);
}

static void test_rates(void)
{
	CHECK_NEAR(run_rate(932810000, 0.5), 1865.62, 1e-9);
	CHECK_NEAR(run_rate(0, 2), 0, 0);
	CHECK(run_rate(1, 0) < 0);
	CHECK_NEAR(run_rate(UINT64_C(1) << 40, 1), 1099511.627776, 1e-6);
}

static void test_which_ends_are_failures(void)
{
	static const struct {
		enum run_reason reason;
		double planned_s;
		int failed;
	} sink[] = {
		{ RUN_DONE, 7, 0 },	   { RUN_INTERRUPTED, 0, 0 }, { RUN_INTERRUPTED, 7, 0 },
		{ RUN_PEER_CLOSED, 0, 0 }, { RUN_PEER_CLOSED, 7, 1 }, { RUN_RESET, 0, 1 },
		{ RUN_RESET, 7, 1 },	   { RUN_TIMEOUT, 0, 1 },     { RUN_KILLED, 0, 1 },
		{ RUN_MISMATCH, 0, 1 },	   { RUN_ERROR, 0, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(sink) / sizeof(sink[0]); i++) {
		struct run_connection c = {
			.reason = sink[i].reason,
			.planned_s = sink[i].planned_s,
		};

		CHECK_EQ(run_has_failed(&c), sink[i].failed);
	}
}

/* Each connection by its own start; one whose start is unknown stops it all. */
static void test_what_began_before_is_left_out(void)
{
	static const double starts[2][4] = { { 0, 0.5, 1, 1.5 }, { 0.9, 1.1, 1.2, 1.3 } };
	struct run run = { .parallel = 1 };

	for (unsigned int i = 0; i < 2; i++) {
		struct run_series *series = run_add_series(&run, i + 1, i + 1);

		CHECK(series != NULL);
		for (unsigned int k = 0; series && k < 4; k++)
			CHECK_EQ(run_add_rate(series, 10 * (i + 1) + k, starts[i][k]), 0);
	}
	CHECK_EQ(run_drop_before(&run, 1), 0);
	CHECK_NEAR(run.warm_up_s, 1, 0);
	CHECK_EQ_U(run.series[0].count, 2);
	CHECK_NEAR(run.series[0].rate[0], 12, 0);
	CHECK_NEAR(run.series[0].start_s[1], 1.5, 0);
	CHECK_EQ_U(run.series[1].count, 3);
	CHECK_NEAR(run.series[1].rate[2], 23, 0);
	CHECK_EQ(run_drop_before(&run, 1), 0);
	CHECK_EQ_U(run.series[0].count, 2);
	CHECK_EQ(run_drop_before(&run, 9), 0);
	CHECK_EQ_U(run.series[1].count, 0);
	CHECK_EQ(run_add_rate(&run.series[0], 1, -1), 0);
	CHECK_EQ(run_drop_before(&run, 10), -1);
	run_free(&run);
}

int main(void)
{
	RUN(test_intervals_add_up);
	RUN(test_short_connection_is_whole);
	RUN(test_edges_of_partial_and_late);
	RUN(test_deadlines_are_multiples);
	RUN(test_last_deadline_is_the_duration);
	RUN(test_rates);
	RUN(test_which_ends_are_failures);
	RUN(test_what_began_before_is_left_out);
	return test_end();
}
