/*
 * What goes with fast and slow in made-up runs: when it is asked, mechanisms
 * with their connections, odd ones, facts that changed with a level, what is
 * not known, no memory; and all of it as text and as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "../measure/association.h"
#include "../measure/evidence.h"
#include "../measure/explain.h"
#include "../measure/figures.h"
#include "../measure/mechanism.h"
#include "../measure/run.h"
#include "../measure/summary.h"
#include "test.h"
#include "test_facts.h"

#define CONNECTIONS 60
#define INTERVALS 8
#define TEXT 65536

/* ---- no memory ---- */

static int calls_left = -1; /* of calloc() that succeed; below 0: all do */

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	if (calls_left == 0)
		return NULL;
	calls_left -= calls_left > 0;
	return __real_calloc(n, size);
}

/* ---- made-up runs ---- */

struct made {
	struct run run;
	struct summary summary;
	struct evidence evidence;
	struct evidence_connection connection[CONNECTIONS];
	struct facts facts[CONNECTIONS];
	struct explanation explanation;
};

static const struct mechanism_input ours = { .sink_pause_s = 0,
					     .source_pause_s = NAN,
					     .rcvbuf_asked = NAN };

/* A healthy connection, on two CPUs. */
static const struct given healthy[] = {
	SRC(STOPPED, 0),	SNK(STOPPED, 0),     SRC(RUN, 0.97),
	SNK(RUN, 0.80),		SRC(RUNQ, 0.02),     SNK(RUNQ, 0.03),
	SRC(VOLUNTARY, 300),	SRC(BUSY, 0.99),     SRC(RWND_LIMITED, 0.03),
	SRC(SNDBUF_LIMITED, 0), SRC(SND_MSS, 65483), SRC(RTT, 30),
	SRC(CWND, 24),		SRC(UNACKED, 9),     SRC(NOTSENT, 8e5),
	SRC(SNDBUF, 2626560),	SNK(RCVBUF, 6.3e6),  SRC(MEAN_SEGMENT, 65294),
	SRC(LOST, 0),		HST(SAME_CPU, 0),
};

/* The same on one. */
static const struct given on_one_cpu[] = {
	SRC(RUN, 0.13), SNK(RUN, 0.86), SRC(RUNQ, 0.4), SNK(RUNQ, 0.1), HST(SAME_CPU, 1),
};

/* Its buffer is below a segment: window-below-segment. */
static const struct given closed_window[] = {
	SRC(RUN, 0),	    SNK(RUN, 0),	 SRC(RWND_LIMITED, 1),
	SNK(RCVBUF, 16384), SRC(SND_MSS, 32768), SRC(SND_WND_MOST, 16384),
};

static void healthy_facts(struct made *made, size_t i)
{
	struct facts *facts = &made->facts[i];

	nothing(facts);
	give_all(facts, healthy, COUNT(healthy));
	facts->cpus[FACTS_SENDER] = (struct facts_cpus){ 1, { 0 }, { 1 } };
	facts->cpus[FACTS_RECEIVER] = (struct facts_cpus){ 2, { 1, 0 }, { 0.9, 0.1 } };
	made->connection[i] = (struct evidence_connection){
		.number = (unsigned int)i + 1, .facts = facts, .delayed_acks = NAN, .timeouts = NAN
	};
}

static void put_on_one_cpu(struct made *made, size_t i)
{
	struct facts *facts = &made->facts[i];

	give_all(facts, on_one_cpu, COUNT(on_one_cpu));
	facts->cpus[FACTS_RECEIVER] = facts->cpus[FACTS_SENDER];
}

/* So many connections of these speeds in turn, each a little different. */
static int begin(struct made *made, size_t n, const double *speed, size_t speeds)
{
	*made = (struct made){ .run = { .parallel = 1, .interval_s = 0.5, .duration_s = 4 } };
	made->evidence = (struct evidence){ .connection = made->connection, .count = n };
	for (size_t i = 0; i < n; i++) {
		double level = speed[i % speeds] * (1 + 0.001 * (double)(i * 7 % 13));
		struct run_series *series = run_add_series(&made->run, (unsigned int)i + 1,
							   (unsigned int)i + 1);

		for (size_t k = 0; series && k < INTERVALS; k++)
			if (run_add_rate(series, level * (1 + 0.004 * (double)((i + 3 * k) % 5)),
					 0.5 * (double)k))
				return -1;
		healthy_facts(made, i);
		made->connection[i].rate = level;
	}
	return 0;
}

static int explain(struct made *made)
{
	if (summary_make(&made->run, &made->summary))
		return -1;
	return explain_make(&ours, &made->summary, &made->evidence, &made->explanation);
}

static void end(struct made *made)
{
	explain_free(&made->explanation);
	CHECK(made->explanation.memory == NULL);
	summary_free(&made->summary);
	run_free(&made->run);
}

/* ---- what is printed ---- */

static char printed[TEXT];

static const char *print(void (*figures)(FILE *out, const struct explanation *explanation),
			 const struct made *made)
{
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	printed[0] = '\0';
	if (out) {
		figures(out, &made->explanation);
		fclose(out);
	}
	return printed;
}

static const char *print_kernel(void (*figures)(FILE *out, const struct evidence *evidence),
				const struct made *made)
{
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	printed[0] = '\0';
	if (out) {
		figures(out, &made->evidence);
		fclose(out);
	}
	return printed;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (strcspn(text, "\n") > longest)
			longest = strcspn(text, "\n");
	return longest;
}

/* ---- is there anything to explain ---- */

static const double alike[] = { 1000 };
static const double two_speeds[] = { 1000, 3000 };

static void test_no_spread(void)
{
	struct made made;

	NEED(begin(&made, 12, alike, 1) == 0 && explain(&made) == 0);
	CHECK_EQ(made.explanation.spread, EXPLAIN_NO_SPREAD);
	CHECK_EQ(made.explanation.watched, 12);
	CHECK(made.explanation.association == NULL);
	CHECK_EQ(made.explanation.mechanisms, 0);
	CHECK_STR(print(figures_explain, &made),
		  "nothing to explain: connections differ no more than by chance\n");
	CHECK_STR(print(figures_explain_json, &made), "");
	CHECK_STR(print(figures_mechanisms, &made), "none of 14 has its evidence in this run\n");
	CHECK_STR(print(figures_mechanisms_json, &made), "");
	end(&made);
}

static void test_too_few(void)
{
	struct made made;

	NEED(begin(&made, 2, two_speeds, 2) == 0 && explain(&made) == 0);
	CHECK_EQ(made.explanation.spread, EXPLAIN_TOO_FEW);
	CHECK_STR(print(figures_explain, &made),
		  "cannot tell below 3 connections, with 2 intervals in one of them\n");
	end(&made);
}

static void test_not_watched(void)
{
	struct made made;

	NEED(begin(&made, 12, two_speeds, 2) == 0);
	for (size_t i = 0; i < 12; i++)
		made.connection[i].facts = NULL;
	NEED(explain(&made) == 0);
	CHECK_EQ(made.explanation.spread, EXPLAIN_NOT_WATCHED);
	CHECK_EQ(made.explanation.watched, 0);
	CHECK_STR(print(figures_explain, &made),
		  "n/a: the kernel told nothing of these connections\n");
	CHECK_STR(print(figures_mechanisms, &made),
		  "n/a: the kernel told nothing of these connections\n");
	CHECK_STR(print_kernel(figures_kernel, &made), "  n/a for connections: 1-12\n");
	end(&made);
}

static void test_placement_goes_with_it(void)
{
	struct made made;

	NEED(begin(&made, 12, two_speeds, 2) == 0);
	for (size_t i = 0; i < 12; i += 2)
		put_on_one_cpu(&made, i);
	NEED(explain(&made) == 0);
	CHECK_EQ(made.explanation.spread, EXPLAIN_SPREAD);
	NEED(made.explanation.association != NULL);
	CHECK_EQ(made.explanation.association->verdict, ASSOCIATION_FOUND);
	CHECK_EQ(made.explanation.association->connections, 12);
	CHECK_HAS(print(figures_explain, &made),
		  "same_cpu goes with it: 0% in the faster connections, 100% in the slower");
	CHECK_HAS(printed, "receiver on CPU 0 goes with it: 10% in the faster connections, 100%");
	CHECK(longest_line(printed) <= 78);
	CHECK_HAS(print(figures_explain_json, &made),
		  "{\"event\":\"association\",\"verdict\":\"found\",\"connections\":12,");
	end(&made);
}

/* Slow and fast are the groups, where there are two; not the halves. */
static void test_groups_are_slow_and_fast(void)
{
	static const double mostly_slow[] = { 1000, 1000, 3000 };
	struct made made;

	NEED(begin(&made, 12, mostly_slow, 3) == 0);
	for (size_t i = 0; i < 12; i++)
		if (i % 3 < 2)
			put_on_one_cpu(&made, i);
	NEED(explain(&made) == 0);
	CHECK_HAS(print(figures_explain, &made),
		  "same_cpu goes with it: 0% in the faster connections, 100% in the slower");
	end(&made);
}

/* They are in no test; the others are. */
static void test_connections_without_facts(void)
{
	struct made made;

	NEED(begin(&made, 14, two_speeds, 2) == 0);
	for (size_t i = 0; i < 14; i += 2)
		put_on_one_cpu(&made, i);
	made.connection[2].facts = NULL;
	made.connection[7].facts = NULL;
	made.connection[8].facts = NULL;
	made.connection[9].facts = NULL;
	NEED(explain(&made) == 0);
	CHECK_EQ(made.explanation.watched, 10);
	NEED(made.explanation.association != NULL);
	CHECK_EQ(made.explanation.association->connections, 10);
	NEED(made.explanation.mechanisms == 1);
	CHECK_EQ(made.explanation.mechanism[0].members, 5);
	CHECK_HAS(print_kernel(figures_kernel, &made), "\n  n/a for connections: 3 8-10\n");
	/* And not one of which there is no evidence at all. */
	made.evidence.count = 13;
	explain_free(&made.explanation);
	NEED(explain_make(&ours, &made.summary, &made.evidence, &made.explanation) == 0);
	CHECK_EQ(made.explanation.association->connections, 9);
	end(&made);
}

/* ---- mechanisms ---- */

static void test_mechanisms_have_members(void)
{
	struct made made;
	const struct explain_mechanism *one;

	NEED(begin(&made, 9, alike, 1) == 0);
	for (size_t i = 0; i < 9; i++) {
		if (i < 5)
			put_on_one_cpu(&made, i);
		/* Told from the others by what its sentence says. */
		give(&made.facts[i],
		     &(struct given){ FACTS_SENDER, FACT_RUN, 0.1 + 0.01 * (double)i });
		made.connection[i].rate = i == 3 ? 500 : 100 * (double)(i + 1);
	}
	NEED(explain(&made) == 0 && made.explanation.mechanisms == 1);
	one = &made.explanation.mechanism[0];
	CHECK_STR(one->rule->name, "one-cpu");
	CHECK_EQ(one->members, 5);
	for (unsigned int i = 0; i < 5; i++)
		CHECK_EQ(one->member[i], i + 1);
	/* 100 200 300 500 500: the middle is the third. */
	CHECK_EQ(one->typical, 3);
	CHECK_HAS(one->sentence, "12% source + 86% sink");
	CHECK_STR(print(figures_mechanisms, &made),
		  "  both ends on one CPU, in connections 1-5:\n"
		  "    (connection 3) Both ends ran on CPU 0: 12% source + 86% sink of one CPU.\n"
		  "    [/proc/PID/schedstat, sched-stats.rst]\n");
	CHECK_STR(print(figures_mechanisms_json, &made),
		  "{\"event\":\"mechanism\",\"name\":\"one-cpu\","
		  "\"title\":\"both ends on one CPU\",\"connections\":[1,2,3,4,5],"
		  "\"typical_connection\":3,\"text\":\"Both ends ran on CPU 0: 12% source + 86% "
		  "sink of one CPU.\",\"source\":\"/proc/PID/schedstat, sched-stats.rst\"}\n");
	end(&made);
}

/* In the order of the rules, whichever connection showed one first. */
static void test_mechanisms_are_in_order(void)
{
	struct made made;

	NEED(begin(&made, 6, alike, 1) == 0);
	put_on_one_cpu(&made, 0);
	give_all(&made.facts[4], closed_window, COUNT(closed_window));
	NEED(explain(&made) == 0 && made.explanation.mechanisms == 2);
	CHECK_STR(made.explanation.mechanism[0].rule->name, "window-below-segment");
	CHECK_EQ(made.explanation.mechanism[0].member[0], 5);
	CHECK_STR(made.explanation.mechanism[1].rule->name, "one-cpu");
	CHECK_EQ(made.explanation.mechanism[1].typical, 1);
	CHECK(longest_line(print(figures_mechanisms, &made)) <= 78);
	CHECK_HAS(printed, "  receive window below one segment, in connection 5:\n    The ");
	CHECK_HAS(printed, "  both ends on one CPU, in connection 1:\n    Both ");
	end(&made);
}

static void test_a_mechanism_of_all(void)
{
	struct made made;

	NEED(begin(&made, 4, alike, 1) == 0);
	for (size_t i = 0; i < 4; i++)
		put_on_one_cpu(&made, i);
	NEED(explain(&made) == 0);
	CHECK_HAS(print(figures_mechanisms, &made),
		  "  both ends on one CPU, in all 4 connections:\n    (connection ");
	end(&made);
}

static void test_long_lists_are_cut(void)
{
	struct made made;

	NEED(begin(&made, CONNECTIONS, alike, 1) == 0);
	for (size_t i = 0; i < CONNECTIONS; i++)
		if (i % 3 != 2 && i != 30)
			put_on_one_cpu(&made, i);
	NEED(explain(&made) == 0);
	CHECK_HAS(print(figures_mechanisms, &made), "in connections 1 2 4 5 7 8 ");
	CHECK_HAS(printed, " 28 29 32 34 35 ");
	CHECK(longest_line(printed) <= 78);
	end(&made);
}

/* ---- odd ones ---- */

static void test_odd_connections(void)
{
	struct made made;

	NEED(begin(&made, 12, alike, 1) == 0);
	for (size_t k = 0; k < INTERVALS; k++)
		made.run.series[7].rate[k] *= 3;
	made.connection[7].rate *= 3;
	put_on_one_cpu(&made, 7);
	NEED(explain(&made) == 0);
	NEED(made.explanation.odds == 1);
	CHECK_EQ(made.explanation.odd[0].number, 8);
	CHECK_NEAR(made.explanation.odd[0].rate, made.connection[7].rate, 0);
	CHECK(made.explanation.odd[0].facts == &made.facts[7]);
	CHECK_HAS(print(figures_explain, &made),
		  "\nodd connections, too few for a test; their facts:\n"
		  "conn  MB/sec limiter     busy  cwnd    rtt  lost   seg sndbuf rcvbuf   cpu\n"
		  "                            %   seg     us   seg    kB     kB     kB   s>r\n"
		  "   8    3030 cpu both      99    24     30     0  65.3   2630   6300    0>0\n");
	/* One of which nothing is known is not shown. */
	made.connection[7].facts = NULL;
	explain_free(&made.explanation);
	NEED(explain_make(&ours, &made.summary, &made.evidence, &made.explanation) == 0);
	CHECK_EQ(made.explanation.odds, 0);
	end(&made);
}

/* ---- changes of level ---- */

#define SAMPLES 17 /* two in each interval */

/* The round trip triples, at the same time as the speed; the window does not. */
static void sample_change(struct facts_sample *samples, struct evidence_connection *one,
			  size_t change, int process_only)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		struct facts_sample *sample = &samples[i];
		double time_s = 100 + 0.25 * (double)i, wobble = (double)(i * 5 % 3);

		facts_nothing(sample);
		for (int end = 0; end < FACTS_HOST; end++) {
			sample->time_s[end] = process_only ? NAN : time_s;
			sample->process_time_s[end] = time_s;
		}
		sample->value[FACTS_SENDER][FACT_RTT] = (i > change ? 90 : 30) + wobble;
		sample->value[FACTS_SENDER][FACT_CWND] = 20 + wobble;
		sample->value[FACTS_RECEIVER][FACT_RUN] = 1e9 * (0.25 * (double)i *
								 (i > change ? 0.5 : 1));
	}
	one->samples = samples;
	one->sample_count = SAMPLES;
	one->start_s = 100;
}

static int begin_change(struct made *made)
{
	if (begin(made, 12, alike, 1))
		return -1;
	for (size_t k = INTERVALS / 2; k < INTERVALS; k++)
		made->run.series[4].rate[k] *= 3;
	return 0;
}

static void test_facts_changed_with_a_level(void)
{
	struct made made;
	struct facts_sample samples[SAMPLES];
	const struct explain_change *change;

	NEED(begin_change(&made) == 0);
	sample_change(samples, &made.connection[4], 8, 0);
	for (size_t i = 0; i < SAMPLES; i++)
		samples[i].value[FACTS_RECEIVER][FACT_RUN] = NAN;
	NEED(explain(&made) == 0 && made.explanation.changes == 1);
	change = &made.explanation.change[0];
	CHECK_EQ(change->connection, 5);
	CHECK_NEAR(change->after_s, 2, 1e-9);
	NEED(change->count == 1);
	CHECK_STR(change->fact[0].name, "sender rtt");
	CHECK_STR(change->fact[0].unit, "us");
	CHECK_NEAR(change->fact[0].before, 31, 1);
	CHECK_NEAR(change->fact[0].after, 91, 1);
	CHECK_HAS(print(figures_explain, &made),
		  "with the level of connection 5 after 2 s changed: sender rtt from 31 us to "
		  "91\n  us.\n");
	CHECK_HAS(print(figures_explain_json, &made),
		  "{\"event\":\"change_facts\",\"connection\":5,\"after_s\":2,\"facts\":[{\"name\":"
		  "\"sender rtt\",\"unit\":\"us\",\"before\":31,\"after\":91}]}\n");
	end(&made);
}

/* Nothing steps, or nothing is known at that time. */
static void test_no_fact_changed(void)
{
	struct made made;
	struct facts_sample samples[SAMPLES];

	NEED(begin_change(&made) == 0);
	sample_change(samples, &made.connection[4], SAMPLES, 0);
	NEED(explain(&made) == 0 && made.explanation.changes == 1);
	CHECK_EQ(made.explanation.change[0].count, 0);
	CHECK_HAS(print(figures_explain, &made),
		  "with the level of connection 5 after 2 s changed none of the facts.\n");
	made.connection[4].sample_count = 1;
	explain_free(&made.explanation);
	NEED(explain_make(&ours, &made.summary, &made.evidence, &made.explanation) == 0);
	CHECK_EQ(made.explanation.changes, 0);
	end(&made);
}

/* Of a pipe only the processes are known, and their times. */
static void test_changes_of_processes(void)
{
	struct made made;
	struct facts_sample samples[SAMPLES];

	NEED(begin_change(&made) == 0);
	sample_change(samples, &made.connection[4], 8, 1);
	NEED(explain(&made) == 0 && made.explanation.changes == 1);
	CHECK_HAS(print(figures_explain, &made), " sender rtt from 31 us to 91 us");
	end(&made);
}

/* ---- the kernel's table ---- */

static void test_kernel_table(void)
{
	struct made made;

	NEED(begin(&made, 3, alike, 1) == 0);
	put_on_one_cpu(&made, 0);
	nothing(&made.facts[2]);
	made.facts[2].cpus[FACTS_RECEIVER] = (struct facts_cpus){ 1, { 127 }, { 1 } };
	give(&made.facts[1], &(struct given){ FACTS_SENDER, FACT_BUSY, 1.06 });
	CHECK_STR(print_kernel(figures_kernel, &made),
		  "conn  MB/sec limiter     busy  cwnd    rtt  lost   seg sndbuf rcvbuf   cpu\n"
		  "                            %   seg     us   seg    kB     kB     kB   s>r\n"
		  "   1    1000 cpu both      99    24     30     0  65.3   2630   6300    0>0\n"
		  "   2    1007 cpu src      100    24     30     0  65.3   2630   6300    0>1*\n"
		  "   3    1001 -            n/a   n/a    n/a   n/a   n/a    n/a    n/a  n/a>127\n"
		  "lost: sent again, without what was unneeded (DSACK); * on other CPUs, too\n");
	made.evidence.count = 0;
	CHECK_STR(print_kernel(figures_kernel, &made), "n/a: no connection has ended\n");
	end(&made);
}

/* The largest that is believable in each column still fits. */
static void test_kernel_table_is_narrow(void)
{
	static const struct given large[] = {
		SRC(RTT, 999999),	SRC(CWND, 99999), SRC(LOST, 99999),   SRC(RUN, 0),
		SRC(SNDBUF_LIMITED, 1), SRC(BUSY, 1),	  SNK(RCVBUF, 999e6), SRC(SNDBUF, 4608),
		SRC(MEAN_SEGMENT, 64),	SNK(RUN, 0),
	};
	struct made made;

	NEED(begin(&made, 1, alike, 1) == 0);
	give_all(&made.facts[0], large, COUNT(large));
	made.connection[0].rate = 0.09876;
	made.connection[0].number = 9999;
	for (int end = 0; end < FACTS_HOST; end++)
		made.facts[0].cpus[end] = (struct facts_cpus){ 2, { 126, 127 }, { 0.1, 0.9 } };
	CHECK_HAS(print_kernel(figures_kernel, &made), "\n9999 0.09876 ");
	CHECK_HAS(printed, " 127*>127*\n");
	CHECK(longest_line(printed) <= 78);
	end(&made);
}

static void test_kernel_json(void)
{
	struct made made;

	NEED(begin(&made, 2, alike, 1) == 0);
	made.connection[0].facts = NULL;
	made.connection[0].rate = -1;
	CHECK_HAS(print_kernel(figures_kernel_json, &made),
		  "{\"event\":\"kernel\",\"connection\":1,\"rate_MB_per_s\":null,\"limiter\":null,"
		  "\"limiter_side\":null,\"limiter_share\":null,\"sender_cpu\":null,"
		  "\"receiver_cpu\":null,\"cwnd_segments\":null,\"rtt_us\":null,"
		  "\"retransmits_segments\":null,\"sender\":null,\"receiver\":null,"
		  "\"host\":null}\n{\"event\":\"kernel\",\"connection\":2,");
	CHECK_HAS(printed, "\"limiter\":\"cpu\",\"limiter_side\":\"source\",");
	CHECK_HAS(printed, "\"cwnd_segments\":24,\"rtt_us\":30,");
	end(&made);
}

/* ---- no memory ---- */

static void test_no_memory(void)
{
	struct made made;
	struct facts_sample samples[SAMPLES];
	int calls = 0, failed = 1;

	NEED(begin_change(&made) == 0);
	for (size_t i = 0; i < 12; i += 2)
		put_on_one_cpu(&made, i);
	for (size_t k = 0; k < INTERVALS; k++)
		made.run.series[7].rate[k] *= 5;
	sample_change(samples, &made.connection[4], 8, 0);
	NEED(summary_make(&made.run, &made.summary) == 0);
	for (; failed && calls < 1000; calls++) {
		calls_left = calls;
		failed = explain_make(&ours, &made.summary, &made.evidence, &made.explanation);
		calls_left = -1;
		CHECK(!failed || made.explanation.memory == NULL);
	}
	CHECK(!failed);
	CHECK(calls > 10);
	CHECK_EQ(made.explanation.changes, 1);
	CHECK(made.explanation.association != NULL);
	end(&made);
}

int main(void)
{
	RUN(test_no_spread);
	RUN(test_too_few);
	RUN(test_not_watched);
	RUN(test_placement_goes_with_it);
	RUN(test_groups_are_slow_and_fast);
	RUN(test_connections_without_facts);
	RUN(test_mechanisms_have_members);
	RUN(test_mechanisms_are_in_order);
	RUN(test_a_mechanism_of_all);
	RUN(test_long_lists_are_cut);
	RUN(test_odd_connections);
	RUN(test_facts_changed_with_a_level);
	RUN(test_no_fact_changed);
	RUN(test_changes_of_processes);
	RUN(test_kernel_table);
	RUN(test_kernel_table_is_narrow);
	RUN(test_kernel_json);
	RUN(test_no_memory);
	return test_end();
}
