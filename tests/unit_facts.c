/*
 * What samples come to: medians, differences, shares and ratios; that an
 * absent value stays absent; and the table itself.
 */
#include "test.h"
#include "test_facts.h"

#define S FACTS_SENDER
#define R FACTS_RECEIVER
#define H FACTS_HOST

/* n samples, half a second apart, in which nothing else is known. */
static void begin(struct facts_sample *sample, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		facts_nothing(&sample[i]);
		for (int end = 0; end < FACTS_ENDS; end++)
			sample[i].time_s[end] = 100 + 0.5 * (double)i;
		for (int end = 0; end < FACTS_HOST; end++)
			sample[i].process_time_s[end] = sample[i].time_s[end];
	}
}

static void fill(struct facts_sample *sample, enum facts_end end, enum fact fact,
		 const double *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sample[i].value[end][fact] = value[i];
}

#define FILL(sample, end, fact, ...) \
	fill(sample, end, fact, (const double[]){ __VA_ARGS__ }, \
	     sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static void test_nothing_is_known(void)
{
	struct facts_sample sample[3];
	struct facts facts;
	int known = 0;

	begin(sample, 3);
	facts_over(sample, 3, &facts);
	CHECK_EQ(facts.samples, 3);
	for (int end = 0; end < FACTS_ENDS; end++) {
		CHECK_NEAR(facts.length_s[end], 1, 1e-12);
		for (int fact = 0; fact < FACTS; fact++) {
			enum facts_end e = (enum facts_end)end;
			enum fact f = (enum fact)fact;

			known += !isnan(facts.value[end][fact]);
			known += !isnan(facts_share(&facts, e, f));
			known += !isnan(facts_per_second(&facts, e, f));
			known += !isnan(facts_figure(&facts, e, f));
		}
	}
	CHECK_EQ(known, 0);
	CHECK_EQ(facts.cpus[S].count, 0);
	CHECK_STR(facts.congestion[S], "");
	facts_nothing(&sample[0]);
	CHECK(isnan(sample[0].time_s[H]) && isnan(sample[0].value[R][FACT_RCVBUF]));
}

static void test_too_few_samples(void)
{
	struct facts_sample sample[1];
	struct facts facts;

	begin(sample, 1);
	FILL(sample, S, FACT_RTT, 9);
	FILL(sample, S, FACT_RUN, 9);
	for (size_t n = 0; n < 2; n++) {
		facts_over(sample, n, &facts);
		CHECK_EQ(facts.samples, 0);
		CHECK(isnan(facts.length_s[S]));
		CHECK(isnan(facts.value[S][FACT_RTT]));
		CHECK(isnan(facts.value[S][FACT_RUN]));
		CHECK(isnan(facts.value[H][FACT_SAME_CPU]));
	}
}

/* The first sample is the beginning: its level is of the time before. */
static void test_levels_are_medians(void)
{
	struct facts_sample sample[5];
	struct facts facts;

	begin(sample, 5);
	FILL(sample, S, FACT_RTT, 9000, 30, 80, 20, 40);
	FILL(sample, S, FACT_CWND, 1, 10, NAN, 30, 20);
	FILL(sample, R, FACT_RCV_WND, 7, NAN, NAN, NAN, NAN);
	FILL(sample, S, FACT_NOTSENT, NAN, NAN, 0, NAN, NAN);
	FILL(sample, S, FACT_SND_WND, 99, 5, 65536, NAN, 7);
	facts_over(sample, 5, &facts);
	CHECK_NEAR(facts.value[S][FACT_RTT], 35, 0);
	CHECK_NEAR(facts.value[S][FACT_CWND], 20, 0);
	CHECK(isnan(facts.value[R][FACT_RCV_WND]));
	CHECK_NEAR(facts.value[S][FACT_NOTSENT], 0, 0);
	CHECK_NEAR(facts.value[S][FACT_SND_WND], 7, 0);
	CHECK_NEAR(facts.value[S][FACT_SND_WND_MOST], 65536, 0);
	CHECK(isnan(facts.value[R][FACT_SND_WND_MOST]));
	CHECK(isnan(facts.value[R][FACT_RTT]));
}

static void test_shares_are_means(void)
{
	struct facts_sample sample[5];
	struct facts facts;

	begin(sample, 5);
	FILL(sample, S, FACT_STOPPED, 1, 0, 1, 0, 0);
	FILL(sample, R, FACT_STOPPED, 1, NAN, 1, NAN, 0);
	facts_over(sample, 5, &facts);
	CHECK_NEAR(facts.value[S][FACT_STOPPED], 0.25, 0);
	CHECK_NEAR(facts.value[R][FACT_STOPPED], 0.5, 0);
}

static void test_counters_are_differences(void)
{
	struct facts_sample sample[3];
	struct facts facts;

	begin(sample, 3);
	sample[2].time_s[R] = 102; /* the receiver answered later */
	sample[2].process_time_s[R] = 102;
	FILL(sample, S, FACT_RUN, 5e9, NAN, 5.8e9);
	FILL(sample, R, FACT_RUN, 0, 1, 1e9);
	FILL(sample, S, FACT_BUSY, 1e6, 2e6, 1.75e6);
	FILL(sample, S, FACT_RWND_LIMITED, 40, 40, 40);
	FILL(sample, S, FACT_VOLUNTARY, 10, 20, 4010);
	FILL(sample, S, FACT_RETRANSMITS, 9, 10, 8);
	FILL(sample, S, FACT_RTOS, 0, 1, NAN);
	FILL(sample, S, FACT_DSACK_DUPS, NAN, 1, 2);
	facts_over(sample, 3, &facts);
	CHECK_NEAR(facts.length_s[S], 1, 1e-12);
	CHECK_NEAR(facts.length_s[R], 2, 1e-12);
	CHECK_NEAR(facts_share(&facts, S, FACT_RUN), 0.8, 1e-9);
	CHECK_NEAR(facts_share(&facts, R, FACT_RUN), 0.5, 1e-9);
	CHECK_NEAR(facts_share(&facts, S, FACT_BUSY), 0.75, 1e-9);
	CHECK_NEAR(facts_share(&facts, S, FACT_RWND_LIMITED), 0, 0);
	CHECK_NEAR(facts_per_second(&facts, S, FACT_VOLUNTARY), 4000, 1e-6);
	CHECK(isnan(facts.value[S][FACT_RETRANSMITS]));
	CHECK(isnan(facts.value[S][FACT_RTOS]));
	CHECK(isnan(facts.value[S][FACT_DSACK_DUPS]));
	CHECK(isnan(facts.value[S][FACT_LOST]));
}

/* Counters of 32 bits begin again at 0, between any two samples. */
static void test_counters_wrap(void)
{
	struct facts_sample sample[4];
	struct facts facts;

	begin(sample, 4);
	FILL(sample, S, FACT_DATA_SEGMENTS_OUT, 4e9, 100e6, 3e9, 200e6);
	FILL(sample, S, FACT_RTOS, 65530, 65535, 3, 4);
	FILL(sample, S, FACT_BYTES_SENT, 4e9, 100e6, 3e9, 200e6);
	FILL(sample, S, FACT_RETRANSMITS, 4294967295, NAN, 0, 1);
	facts_over(sample, 4, &facts);
	CHECK_NEAR(facts.value[S][FACT_DATA_SEGMENTS_OUT], 2 * 0x1p32 - 3.8e9, 0);
	CHECK_NEAR(facts.value[S][FACT_RTOS], 10, 0);
	CHECK(isnan(facts.value[S][FACT_BYTES_SENT])); /* of 64 bits: it went back */
	CHECK_NEAR(facts.value[S][FACT_RETRANSMITS], 2, 0);
}

/* The machine is read less often than connections: what was read once is no difference. */
static void test_read_once(void)
{
	struct facts_sample sample[2];
	struct facts facts;

	begin(sample, 2);
	sample[1].time_s[H] = sample[0].time_s[H];
	FILL(sample, H, FACT_TICKS, 100, 100);
	FILL(sample, H, FACT_CPUS, 2, 2);
	facts_over(sample, 2, &facts);
	CHECK(isnan(facts.length_s[H]));
	CHECK(isnan(facts.value[H][FACT_TICKS]));
	CHECK(isnan(facts.value[H][FACT_OTHERS]));
	CHECK_NEAR(facts.value[H][FACT_CPUS], 2, 0);
}

static void test_no_time_no_share(void)
{
	static const double last[] = { 100, 99, NAN };

	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
		struct facts_sample sample[2];
		struct facts facts;

		begin(sample, 2);
		sample[1].time_s[S] = last[i];
		sample[1].process_time_s[S] = last[i];
		FILL(sample, S, FACT_RUN, 0, 5);
		facts_over(sample, 2, &facts);
		CHECK(isnan(facts.value[S][FACT_RUN]));
		CHECK(isnan(facts_share(&facts, S, FACT_RUN)));
		CHECK(isnan(facts_per_second(&facts, S, FACT_RUN)));
	}
}

static void test_shortest_stretch(void)
{
	struct facts_sample sample[2];
	struct facts facts;

	begin(sample, 2);
	FILL(sample, S, FACT_RTT, 1, 50);
	FILL(sample, S, FACT_STOPPED, 1, 0);
	FILL(sample, S, FACT_CPU, 0, 1);
	FILL(sample, R, FACT_CPU, 0, 1);
	facts_over(sample, 2, &facts);
	CHECK_EQ(facts.samples, 2);
	CHECK_NEAR(facts.value[S][FACT_RTT], 50, 0);
	CHECK_NEAR(facts.value[S][FACT_STOPPED], 0, 0);
	CHECK_NEAR(facts.value[H][FACT_SAME_CPU], 1, 0);
	CHECK_EQ(facts.cpus[S].count, 1);
	CHECK_EQ(facts.cpus[S].cpu[0], 1);
}

static void test_cpus(void)
{
	struct facts_sample sample[6];
	struct facts facts;

	begin(sample, 6);
	FILL(sample, S, FACT_CPU, 7, 0, 1, 0, 0, NAN);
	FILL(sample, R, FACT_CPU, 7, 1, 1, NAN, 0, 0);
	facts_over(sample, 6, &facts);
	CHECK_NEAR(facts.value[H][FACT_SAME_CPU], 2.0 / 3, 1e-12);
	CHECK_EQ(facts.cpus[S].count, 2);
	CHECK_EQ(facts.cpus[S].cpu[0], 0);
	CHECK_NEAR(facts.cpus[S].share[0], 0.75, 1e-12);
	CHECK_EQ(facts.cpus[S].cpu[1], 1);
	CHECK_NEAR(facts.cpus[S].share[1], 0.25, 1e-12);
	CHECK_EQ(facts.cpus[R].count, 2);
	CHECK_NEAR(facts.cpus[R].share[0] + facts.cpus[R].share[1], 1, 1e-12);
	/* Of one end nothing: no share of the two. */
	FILL(sample, R, FACT_CPU, NAN, NAN, NAN, NAN, NAN, NAN);
	facts_over(sample, 6, &facts);
	CHECK(isnan(facts.value[H][FACT_SAME_CPU]));
	CHECK_EQ(facts.cpus[S].count, 2);
	CHECK_EQ(facts.cpus[R].count, 0);
}

/* The first of many CPUs keep their true share. */
static void test_many_cpus(void)
{
	struct facts_sample sample[21];
	struct facts facts;

	begin(sample, 21);
	for (size_t i = 0; i < 21; i++)
		sample[i].value[S][FACT_CPU] = (double)((i - 1) % 10);
	facts_over(sample, 21, &facts);
	CHECK_EQ(facts.cpus[S].count, FACTS_CPUS);
	CHECK_EQ(facts.cpus[S].cpu[FACTS_CPUS - 1], FACTS_CPUS - 1);
	for (size_t i = 0; i < FACTS_CPUS; i++)
		CHECK_NEAR(facts.cpus[S].share[i], 0.1, 1e-12);
}

static void test_ratios(void)
{
	struct facts_sample sample[2];
	struct facts facts;

	begin(sample, 2);
	FILL(sample, S, FACT_BYTES_SENT, 1000, 65484000);
	FILL(sample, S, FACT_DATA_SEGMENTS_OUT, 10, 1010);
	FILL(sample, S, FACT_SEGMENTS_IN, 0, 250);
	FILL(sample, S, FACT_RETRANSMITS, 2, 12);
	FILL(sample, S, FACT_DSACK_DUPS, 1, 8);
	FILL(sample, R, FACT_BYTES_RECEIVED, 0, 3000);
	FILL(sample, R, FACT_READS, 5, 5);
	FILL(sample, S, FACT_RUN, 0, 0.25e9);
	FILL(sample, R, FACT_RUN, 0, 0.1e9);
	FILL(sample, H, FACT_CPUS, 2, 2);
	FILL(sample, H, FACT_TICKS, 1000, 1100);
	FILL(sample, H, FACT_IDLE, 0, 20);
	FILL(sample, H, FACT_STEAL, 3, 8);
	facts_over(sample, 2, &facts);
	CHECK_NEAR(facts.value[S][FACT_MEAN_SEGMENT], 65483, 1e-9);
	CHECK_NEAR(facts.value[S][FACT_SEGMENTS_PER_ACK], 4, 1e-12);
	CHECK(isnan(facts.value[R][FACT_BYTES_PER_READ])); /* no read: no ratio, not 0 */
	CHECK_NEAR(facts.value[S][FACT_LOST], 3, 0);
	CHECK_NEAR(facts.value[H][FACT_STEAL_SHARE], 0.05, 1e-12);
	CHECK_NEAR(facts.value[H][FACT_OTHERS], 1.6 - 0.7, 1e-9);
	CHECK_NEAR(facts_figure(&facts, S, FACT_RETRANSMITS), 0.01, 1e-12);
	/* More found unneeded than were sent in this stretch. */
	FILL(sample, S, FACT_DSACK_DUPS, 0, 30);
	FILL(sample, H, FACT_IDLE, 0, 99);
	facts_over(sample, 2, &facts);
	CHECK_NEAR(facts.value[S][FACT_LOST], 0, 0);
	CHECK_NEAR(facts.value[H][FACT_OTHERS], 0, 0);
}

static void test_figures_follow_the_row(void)
{
	struct facts facts;

	nothing(&facts);
	facts.value[S][FACT_RTT] = 30;
	facts.value[S][FACT_RUN] = 1e9;
	facts.value[S][FACT_BUSY] = 1e6;
	facts.value[S][FACT_VOLUNTARY] = 10;
	facts.value[S][FACT_MIGRATIONS] = 10;
	CHECK_NEAR(facts_figure(&facts, S, FACT_RTT), 30, 0);
	CHECK_NEAR(facts_figure(&facts, S, FACT_RUN), 0.5, 1e-12);
	CHECK_NEAR(facts_figure(&facts, S, FACT_BUSY), 0.5, 1e-12);
	CHECK_NEAR(facts_figure(&facts, S, FACT_VOLUNTARY), 5, 1e-12);
	CHECK_NEAR(facts_figure(&facts, S, FACT_MIGRATIONS), 10, 0);
	facts.value[S][FACT_RETRANSMITS] = 10;
	CHECK(isnan(facts_figure(&facts, S, FACT_RETRANSMITS))); /* segments are not known */
	facts.value[S][FACT_DATA_SEGMENTS_OUT] = 0;
	CHECK(isnan(facts_figure(&facts, S, FACT_RETRANSMITS)));
}

static void test_rate(void)
{
	struct facts facts;

	nothing(&facts);
	CHECK_NEAR(facts_rate(&facts, 7), 7, 0);
	CHECK(isnan(facts_rate(&facts, NAN)));
	facts.value[S][FACT_BYTES_ACKED] = 200;
	CHECK_NEAR(facts_rate(&facts, 7), 200 / LENGTH_S, 1e-12);
	facts.value[R][FACT_BYTES_RECEIVED] = 0;
	CHECK_NEAR(facts_rate(&facts, 7), 0, 0);
	facts.value[R][FACT_BYTES_RECEIVED] = 300;
	CHECK_NEAR(facts_rate(&facts, 7), 300 / LENGTH_S, 1e-12);
	facts.length_s[R] = 0;
	CHECK_NEAR(facts_rate(&facts, 7), 200 / LENGTH_S, 1e-12);
}

static void test_congestion_of_the_end(void)
{
	struct facts_sample sample[3];
	struct facts facts;

	begin(sample, 3);
	strcpy(sample[0].congestion[S], "reno");
	strcpy(sample[2].congestion[S], "bbr");
	facts_over(sample, 3, &facts);
	CHECK_STR(facts.congestion[S], "bbr");
	CHECK_STR(facts.congestion[R], "");
}

/* Every fact has a row of its own that says where to look. */
static void test_table(void)
{
	for (int fact = 0; fact < FACTS; fact++) {
		const struct facts_row *row = &facts_rows[fact];

		NEED(row->name && row->unit && row->help);
		CHECK(row->ends > 0 && row->ends < 1U << FACTS_ENDS);
		CHECK((row->source == FACTS_MADE) == (row->kind == FACTS_RATIO));
		for (int end = 0; end < FACTS_ENDS; end++)
			CHECK(row->role[end] == FACTS_LEFT_OUT || row->ends & 1U << end);
		if (row->source == FACTS_FROM_TCP_INFO) {
			CHECK(row->size == 1 || row->size == 2 || row->size == 4 || row->size == 8);
			CHECK(row->at % row->size == 0);
			CHECK(row->shift + row->bits <= 8 * row->size);
		}
		if (row->per == FACTS_PER_TIME)
			CHECK(strcmp(row->unit, "ns") == 0 || strcmp(row->unit, "us") == 0);
		for (int other = 0; other < fact; other++)
			CHECK(strcmp(row->name, facts_rows[other].name) != 0);
	}
}

int main(void)
{
	RUN(test_nothing_is_known);
	RUN(test_too_few_samples);
	RUN(test_levels_are_medians);
	RUN(test_shares_are_means);
	RUN(test_counters_are_differences);
	RUN(test_counters_wrap);
	RUN(test_read_once);
	RUN(test_no_time_no_share);
	RUN(test_shortest_stretch);
	RUN(test_cpus);
	RUN(test_many_cpus);
	RUN(test_ratios);
	RUN(test_figures_follow_the_row);
	RUN(test_rate);
	RUN(test_congestion_of_the_end);
	RUN(test_table);
	return test_end();
}
