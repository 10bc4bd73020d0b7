/* What a run comes to: see summary.h. */
#include "summary.h"

#include <math.h>
#include <stdlib.h>

#include "levels.h"
#include "run.h"
#include "stats.h"

/* calloc() of nothing may be NULL, which would look like no memory. */
static void *array(size_t count, size_t size)
{
	return calloc(count + 1, size);
}

const char *summary_unit(const struct summary *summary)
{
	return summary->run->parallel > 1 ? "round" : "connection";
}

bool summary_is_early(const struct summary *summary)
{
	const struct run *run = summary->run;

	return summary->measured < run->asked || (run->interrupted && run->duration_s > 0);
}

/* ---- ranges ---- */

static void widen(struct summary_range *range, double rate, bool first)
{
	range->min = first ? rate : fmin(range->min, rate);
	range->max = first ? rate : fmax(range->max, rate);
}

static void finish_range(struct summary_range *range)
{
	range->has_ratio = range->min > 0 && range->max / range->min <= STATS_RATE_MAX;
	range->ratio = range->has_ratio ? range->max / range->min : 0;
}

/* ---- connections ---- */

static struct summary_row make_row(const struct run_series *series,
				   const struct levels_connection *levels)
{
	struct summary_row row = {
		.number = series->number,
		.n = series->count,
		.rate = series->rate,
		.median = levels->median,
		.level = levels->level,
		.group = SUMMARY_NO_GROUP,
		.too_short = levels->state == LEVELS_TOO_SHORT,
	};

	for (size_t i = 0; i < row.n; i++)
		row.stalls += stats_rate(row.rate[i]) <= 0;
	return row;
}

static void make_rows(struct summary *s, const struct levels *levels)
{
	for (size_t i = 0; i < s->connections; i++) {
		struct summary_row *row = &s->row[i];

		*row = make_row(&s->run->series[i], &levels->connection[i]);
		for (size_t j = 0; j < row->n; j++)
			widen(&s->range, stats_rate(row->rate[j]), s->intervals++ == 0);
		s->stalls += row->stalls;
		s->changes += levels->connection[i].change_count;
		s->odds += levels->connection[i].odd_count;
		if (row->n == 0)
			continue;
		s->too_short += row->too_short;
		s->level[s->measured++] = row->level;
	}
	finish_range(&s->range);
}

/*
 * Seconds from the beginning of a connection to an interval of it.  Where both
 * programs wrote, counting lines says nothing about the time.
 */
static double seconds_to(const struct run *run, const struct run_series *series, size_t at)
{
	if (series->start_s[at] >= 0)
		return series->start_s[at];
	if (run->both_wrote || run->interval_s <= 0)
		return -1;
	return run->warm_up_s + (double)at * run->interval_s;
}

static double mean_rate(const double *rate, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += stats_rate(rate[i]);
	return n ? sum / (double)n : 0;
}

/* The blocks of a connection have step intervals, its last what is left, too. */
static struct summary_odd make_odd(const struct run_series *series,
				   const struct levels_connection *levels, size_t at)
{
	bool last = at / levels->step + 1 == levels->points;
	size_t length = last ? levels->n - at : levels->step;

	return (struct summary_odd){
		.connection = series->number,
		.interval = at + 1,
		.length = length,
		.rate = mean_rate(series->rate + at, length),
	};
}

/* What happened inside connections, in their order. */
static int list_events(struct summary *s, const struct levels *levels)
{
	size_t change = 0, odd = 0;

	s->change = array(s->changes, sizeof(*s->change));
	s->odd = array(s->odds, sizeof(*s->odd));
	if (!s->change || !s->odd)
		return -1;
	for (size_t i = 0; i < s->connections; i++) {
		const struct levels_connection *found = &levels->connection[i];
		const struct run_series *series = &s->run->series[i];

		for (size_t k = 0; k < found->change_count; k++)
			s->change[change++] = (struct summary_change){
				.connection = series->number,
				.after = found->change[k].at,
				.after_s = seconds_to(s->run, series, found->change[k].at),
				.from = found->change[k].from,
				.to = found->change[k].to,
				.p = found->change[k].p,
			};
		for (size_t k = 0; k < found->odd_count; k++)
			s->odd[odd++] = make_odd(series, found, found->odd[k]);
	}
	return 0;
}

static int make_groups(struct summary *s)
{
	if (stats_groups(s->level, s->measured, s->groups))
		return -1;
	if (s->groups->grouping != STATS_GROUPS_FOUND)
		return 0;
	for (size_t i = 0; i < s->connections; i++)
		if (s->row[i].n > 0)
			s->row[i].group = stats_group_of(s->groups, s->row[i].level);
	return 0;
}

static int judge_connections(struct summary *s)
{
	struct stats_series *series = array(s->connections, sizeof(*series));
	struct levels levels = { .count = 0 };
	int ret = -1;

	if (!series)
		return -1;
	for (size_t i = 0; i < s->connections; i++)
		series[i] = (struct stats_series){ s->run->series[i].rate,
						   s->run->series[i].count };
	if (levels_find(series, s->connections, &levels))
		goto out;
	make_rows(s, &levels);
	levels_variance(&levels, s->variance);
	ret = list_events(s, &levels) || make_groups(s) ? -1 : 0;
out:
	levels_free(&levels);
	free(series);
	return ret;
}

/* ---- rounds ---- */

/* The connections of one round, at most all of the run. */
struct round {
	size_t count;
	size_t common; /* intervals that each of them has */
	size_t *member;
	double *median; /* of each member */
	double *sum;	/* as long as the longest connection */
	double *jain;	/* of each round before and this */
	size_t jains;
};

/* Gather the round that connection first is the first of; false: it is not. */
static bool gather(const struct summary *s, size_t first, struct round *round)
{
	const struct run_series *series = s->run->series;

	for (size_t i = 0; i < first; i++)
		if (series[i].round == series[first].round)
			return false;
	round->count = 0;
	round->common = series[first].count;
	for (size_t i = first; i < s->connections; i++) {
		if (series[i].round != series[first].round)
			continue;
		if (series[i].count < round->common)
			round->common = series[i].count;
		round->median[round->count] = s->row[i].median;
		round->member[round->count++] = i;
	}
	return true;
}

static int add_round(struct summary *s, struct round *round)
{
	for (size_t k = 0; k < round->common; k++) {
		round->sum[k] = 0;
		for (size_t i = 0; i < round->count; i++)
			round->sum[k] += stats_rate(s->run->series[round->member[i]].rate[k]);
		widen(&s->sums, stats_rate(round->sum[k]), s->units == 0 && k == 0);
	}
	s->rounds++;
	if (stats_jain(round->median, round->count, &round->jain[round->jains]))
		round->jains++;
	if (round->common == 0)
		return 0;
	return stats_median(round->sum, round->common, &s->unit[s->units++]);
}

static int add_rounds(struct summary *s)
{
	size_t longest = 0;
	struct round round = { .count = 0 };
	int ret = -1;

	for (size_t i = 0; i < s->connections; i++)
		if (s->row[i].n > longest)
			longest = s->row[i].n;
	round.member = array(s->connections, sizeof(*round.member));
	round.median = array(s->connections, sizeof(*round.median));
	round.jain = array(s->connections, sizeof(*round.jain));
	round.sum = array(longest, sizeof(*round.sum));
	if (!round.member || !round.median || !round.jain || !round.sum)
		goto out;
	for (size_t i = 0; i < s->connections; i++)
		if (gather(s, i, &round) && add_round(s, &round))
			goto out;
	finish_range(&s->sums);
	s->has_jain = round.jains > 0;
	s->jain = stats_sort_median(round.jain, round.jains);
	ret = 0;
out:
	free(round.member);
	free(round.median);
	free(round.jain);
	free(round.sum);
	return ret;
}

static int make_units(struct summary *s)
{
	if (s->run->parallel > 1)
		return add_rounds(s);
	s->rounds = s->connections;
	s->sums = s->range;
	for (size_t i = 0; i < s->connections; i++)
		if (s->row[i].n > 0)
			s->unit[s->units++] = s->row[i].median;
	return 0;
}

/* ---- all of it ---- */

static int reserve(struct summary *s)
{
	s->unit = array(s->connections, sizeof(*s->unit));
	s->level = array(s->connections, sizeof(*s->level));
	s->row = array(s->connections, sizeof(*s->row));
	s->middle = array(1, sizeof(*s->middle));
	s->groups = array(1, sizeof(*s->groups));
	s->variance = array(1, sizeof(*s->variance));
	return s->unit && s->level && s->row && s->middle && s->groups && s->variance ? 0 : -1;
}

int summary_make(const struct run *run, struct summary *summary)
{
	*summary = (struct summary){ .run = run, .connections = run->count };
	if (reserve(summary) || judge_connections(summary) || make_units(summary) ||
	    stats_middle(summary->unit, summary->units, summary->middle)) {
		summary_free(summary);
		return -1;
	}
	return 0;
}

void summary_free(struct summary *summary)
{
	free(summary->unit);
	free(summary->level);
	free(summary->row);
	free(summary->change);
	free(summary->odd);
	free(summary->middle);
	free(summary->groups);
	free(summary->variance);
	*summary = (struct summary){ .run = NULL };
}
