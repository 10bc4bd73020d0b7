/*
 * Memory that runs out in what is pure: each request in turn is refused.  Then
 * -1 comes back, nothing is lost or left behind, and no result is made of a
 * part; once all are granted there is a result.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "../measure/association.h"
#include "../measure/compare.h"
#include "../measure/dist.h"
#include "../measure/levels.h"
#include "../measure/run.h"
#include "../measure/saved.h"
#include "../measure/stats.h"
#include "../measure/summary.h"
#include "../measure/sweep_saved.h"
#include "../socklib.h"
#include "test.h"

#define UNITS 12
#define INTERVALS 40

/* ---- the memory: the linker gives all requests of ours to these ---- */

static long left = -1; /* requests that are granted; below 0: all */
static long refused;
static long held; /* granted and not given back */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);
void __wrap_free(void *old);

static bool granted(void)
{
	if (left == 0) {
		refused++;
		return false;
	}
	left -= left > 0;
	return true;
}

static void *hold(void *memory)
{
	held += memory != NULL;
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return granted() ? hold(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return granted() ? hold(__real_calloc(n, size)) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	bool anew = old == NULL;
	void *memory = granted() ? __real_realloc(old, size) : NULL;

	return anew ? hold(memory) : memory;
}

char *__wrap_strdup(const char *text)
{
	return granted() ? hold(__real_strdup(text)) : NULL;
}

char *__wrap_strndup(const char *text, size_t n)
{
	return granted() ? hold(__real_strndup(text, n)) : NULL;
}

void __wrap_free(void *old)
{
	held -= old != NULL;
	__real_free(old);
}

/* Refuse the first, the second ... until the work gets all that it asks for. */
static void refuse_each(int (*work)(void))
{
	long before = held;
	long n = 0;

	for (;; n++) {
		int result;

		left = n;
		refused = 0;
		result = work();
		left = -1;
		CHECK_EQ(held, before);
		if (refused == 0) {
			CHECK_EQ(result, 0);
			break;
		}
		CHECK_EQ(result, -1);
	}
	CHECK(n > 0);
}

/* ---- the data ---- */

/* Two levels inside a connection, two groups of connections, 0 at one place. */
static double rate_of(size_t unit, size_t interval)
{
	double level = unit % 2 ? 100 : 300;

	if (unit == 3 && interval == 7)
		return 0;
	return level * (interval < INTERVALS / 2 ? 1 : 1.5) + (double)((interval * 7) % 5);
}

static int make_run(struct run *run)
{
	*run = (struct run){ .parallel = 1, .interval_s = 0.1, .duration_s = 4 };
	for (unsigned int i = 0; i < UNITS; i++) {
		struct run_series *series = run_add_series(run, i + 1, i + 1);

		for (size_t k = 0; series && k < INTERVALS; k++)
			if (run_add_rate(series, rate_of(i, k), 0.1 * (double)k) < 0)
				return -1;
		if (!series)
			return -1;
	}
	if (run_set(run, "options", "TCP_NODELAY") < 0 || run_set(run, "block", "1024") < 0 ||
	    run_set(run, "block", "2048") < 0 || run_add_environment(run, "kernel", "6.18") < 0)
		return -1;
	return 0;
}

static double unit_rate[UNITS];
static struct run whole, other;
static struct summary whole_summary, other_summary;

static void make_data(void)
{
	for (size_t i = 0; i < UNITS; i++)
		unit_rate[i] = rate_of(i, 0) + (double)i;
	CHECK_EQ(make_run(&whole), 0);
	CHECK_EQ(make_run(&other), 0);
	CHECK_EQ(run_set(&other, "block", "4096"), 0);
	CHECK_EQ(run_add_environment(&other, "kernel", "6.1"), 0);
	CHECK_EQ(summary_make(&whole, &whole_summary), 0);
	CHECK_EQ(summary_make(&other, &other_summary), 0);
}

static void free_data(void)
{
	summary_free(&whole_summary);
	summary_free(&other_summary);
	run_free(&whole);
	run_free(&other);
}

/* ---- the works ---- */

static int work_median(void)
{
	double median;

	return stats_median(unit_rate, UNITS, &median);
}

static int work_middle(void)
{
	struct stats_middle middle;

	return stats_middle(unit_rate, UNITS, &middle);
}

static int work_groups(void)
{
	struct stats_groups groups;

	return stats_groups(unit_rate, UNITS, &groups);
}

static int work_comparison(void)
{
	struct stats_comparison comparison;

	return stats_compare(unit_rate, UNITS, unit_rate, UNITS - 1, &comparison);
}

static int work_shares(void)
{
	struct stats_shares shares;

	return stats_share(unit_rate, UNITS, unit_rate, UNITS - 1, &shares);
}

static int work_ranks(void)
{
	size_t rank;

	return dist_rank_sum(UNITS, UNITS, &rank) < 0 ? -1 : 0;
}

static int work_levels(void)
{
	struct stats_series series[UNITS];
	struct levels levels;

	for (size_t i = 0; i < UNITS; i++)
		series[i] = (struct stats_series){ .rate = whole.series[i].rate,
						   .n = whole.series[i].count };
	if (levels_find(series, UNITS, &levels) < 0)
		return -1;
	levels_free(&levels);
	return 0;
}

static int work_association(void)
{
	static const double value[UNITS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	static const double same[UNITS] = { 0 };
	struct association_fact fact[] = { { .value = value }, { .value = same } };
	bool slow[UNITS];
	struct association association;

	for (size_t i = 0; i < UNITS; i++)
		slow[i] = i % 2;
	return association_find(unit_rate, slow, UNITS, fact, COUNT(fact), &association);
}

static int work_run(void)
{
	struct run run;
	int result = make_run(&run);

	run_free(&run);
	return result;
}

static int work_summary(void)
{
	struct summary summary;
	int result = summary_make(&whole, &summary);

	summary_free(&summary);
	return result;
}

static int work_compare(void)
{
	struct compare compare;
	int result = compare_make(&whole_summary, &other_summary, &compare);

	compare_free(&compare);
	return result;
}

/* What libc asks for itself, a line and the stream, is not refused here. */
static int work_saved(void)
{
	static char text[] = "host=localhost port=7001 options=[TCP_NODELAY] interval=0.5\n"
			     "source=[-b 64K]\n"
			     "10 MB/sec\n11 MB/sec\n"
			     "connection 1: 1 s, 10.5 MB read, 10.5 MB/sec, done\n"
			     "connection 2: 1 s, 11 MB read, 11 MB/sec, done\n"
			     "---- machine\n"
			     "kernel      6.18 x86_64\n"
			     "memory      25.3 GB; clocksource tsc\n";
	FILE *file = fmemopen(text, sizeof(text) - 1, "r");
	struct sock_cause cause = { 0 };
	struct sweep_saved sweep;
	struct run run;
	int result;

	if (!file)
		return 1;
	result = saved_read_sweep(file, "text", 0, &run, &sweep, &cause);
	fclose(file);
	if (result < 0) {
		CHECK_EQ(cause.status, 1);
		CHECK_EQ_U(run.count, 0);
	} else {
		CHECK_EQ_U(run.count, 2);
	}
	sweep_saved_free(&sweep);
	run_free(&run);
	return result;
}

#define REFUSED(name) \
	static void refused_##name(void) \
	{ \
		refuse_each(work_##name); \
	}

REFUSED(median)
REFUSED(middle)
REFUSED(groups)
REFUSED(comparison)
REFUSED(shares)
REFUSED(ranks)
REFUSED(levels)
REFUSED(association)
REFUSED(run)
REFUSED(summary)
REFUSED(compare)
REFUSED(saved)

int main(void)
{
	RUN(make_data);
	RUN(refused_median);
	RUN(refused_middle);
	RUN(refused_groups);
	RUN(refused_comparison);
	RUN(refused_shares);
	RUN(refused_ranks);
	RUN(refused_levels);
	RUN(refused_association);
	RUN(refused_run);
	RUN(refused_summary);
	RUN(refused_compare);
	RUN(refused_saved);
	free_data();
	return test_end();
}
