/* What goes with fast and slow, and why: see explain.h. */
#include "explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "association.h"
#include "evidence.h"
#include "facts.h"
#include "levels.h"
#include "mechanism.h"
#include "stats.h"
#include "summary.h"

#define JUDGED_S 0.1 /* of facts: with less no mechanism is named */
#define NAME 40
#define CPUS_MAX 16 /* that are told apart */
#define CANDIDATES (FACTS_ENDS * FACTS + FACTS_HOST * CPUS_MAX)

/* ---- memory: freed all at once ---- */

struct explain_block {
	struct explain_block *next;
	max_align_t data[];
};

static void *take(struct explanation *e, size_t count, size_t size)
{
	struct explain_block *block = calloc(1, sizeof(*block) + (count ? count : 1) * size);

	if (!block)
		return NULL;
	block->next = e->memory;
	e->memory = block;
	return block->data;
}

void explain_free(struct explanation *explanation)
{
	while (explanation->memory) {
		struct explain_block *next = explanation->memory->next;

		free(explanation->memory);
		explanation->memory = next;
	}
	*explanation = (struct explanation){ 0 };
}

/* ---- the connections that have both rates and facts ---- */

struct member {
	const struct summary_row *row;
	const struct evidence_connection *evidence;
};

struct members {
	struct member *list;
	size_t count;
};

static int by_number(const void *a, const void *b)
{
	const struct evidence_connection *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static const struct evidence_connection *evidence_of(const struct evidence *evidence,
						     unsigned int number)
{
	const struct evidence_connection key = { .number = number };

	/* Without a connection there is no array either. */
	return evidence->count ? bsearch(&key, evidence->connection, evidence->count, sizeof(key),
					 by_number)
			       : NULL;
}

static int find_members(struct explanation *e, const struct summary *summary,
			const struct evidence *evidence, struct members *members)
{
	members->count = 0;
	members->list = take(e, summary->connections, sizeof(*members->list));
	if (!members->list)
		return -1;
	for (size_t i = 0; i < summary->connections; i++) {
		const struct summary_row *row = &summary->row[i];
		const struct evidence_connection *one = evidence_of(evidence, row->number);

		if (row->n > 0 && one && one->facts)
			members->list[members->count++] = (struct member){ row, one };
	}
	return 0;
}

/* ---- candidates: facts as figures ---- */

struct candidate {
	char name[NAME];
	const char *unit;
	enum facts_role role;
	enum facts_end end;
	enum fact fact;
	int cpu; /* the share of samples on this one, -1: the fact itself */
};

static const char *const end_names[] = { "sender", "receiver", "host" };

static const char *unit_of(const struct facts_row *row)
{
	switch (row->per) {
	case FACTS_PER_SECOND: return "per s";
	case FACTS_PER_TIME:
	case FACTS_PER_SEGMENT: return "share";
	default: return row->kind == FACTS_SHARE ? "share" : row->unit;
	}
}

static size_t add_facts(struct candidate *list)
{
	size_t count = 0;

	for (int end = 0; end < FACTS_ENDS; end++)
		for (int fact = 0; fact < FACTS; fact++) {
			const struct facts_row *row = &facts_rows[fact];
			struct candidate *to = &list[count];

			if (row->role[end] == FACTS_LEFT_OUT || !(row->ends & 1U << end))
				continue;
			*to = (struct candidate){ .unit = unit_of(row),
						  .role = row->role[end],
						  .end = (enum facts_end)end,
						  .fact = (enum fact)fact,
						  .cpu = -1 };
			snprintf(to->name, NAME, "%s%s%s", end == FACTS_HOST ? "" : end_names[end],
				 end == FACTS_HOST ? "" : " ", row->name);
			if (fact == FACT_SAME_CPU || fact == FACT_STEAL_SHARE)
				to->unit = "share";
			count++;
		}
	return count;
}

/* The CPUs that an end was on in any of the connections; how many. */
static size_t cpus_seen(const struct members *members, int end, int *cpu)
{
	size_t count = 0;

	for (size_t i = 0; i < members->count; i++) {
		const struct facts_cpus *cpus = &members->list[i].evidence->facts->cpus[end];

		for (unsigned int k = 0; k < cpus->count; k++) {
			size_t at = 0;

			while (at < count && cpu[at] != cpus->cpu[k])
				at++;
			if (at == count && count < CPUS_MAX)
				cpu[count++] = cpus->cpu[k];
		}
	}
	return count;
}

/* Of two CPUs one says it all. */
static size_t add_cpus(const struct members *members, struct candidate *list)
{
	size_t count = 0;

	for (int end = 0; end < FACTS_HOST; end++) {
		int cpu[CPUS_MAX];
		size_t cpus = cpus_seen(members, end, cpu);

		if (cpus == 2 && cpu[1] < cpu[0])
			cpu[0] = cpu[1];
		cpus = cpus == 2 ? 1 : cpus;
		for (size_t i = 0; i < cpus; i++) {
			struct candidate *to = &list[count++];

			*to = (struct candidate){ .unit = "share",
						  .role = FACTS_PLACEMENT,
						  .end = (enum facts_end)end,
						  .cpu = cpu[i] };
			snprintf(to->name, NAME, "%s on CPU %d", end_names[end], cpu[i]);
		}
	}
	return count;
}

static double figure_of(const struct candidate *candidate, const struct facts *facts)
{
	const struct facts_cpus *cpus = &facts->cpus[candidate->end % FACTS_HOST];

	if (candidate->cpu < 0)
		return facts_figure(facts, candidate->end, candidate->fact);
	for (unsigned int i = 0; i < cpus->count; i++)
		if (cpus->cpu[i] == candidate->cpu)
			return cpus->share[i];
	return cpus->count ? 0 : NAN;
}

/* ---- association ---- */

static enum explain_spread spread_of(const struct summary *summary)
{
	if (summary->groups->grouping == STATS_GROUPS_FOUND)
		return EXPLAIN_SPREAD;
	switch (summary->variance->verdict) {
	case LEVELS_BETWEEN:
	case LEVELS_WITHIN: return EXPLAIN_SPREAD;
	case LEVELS_TOO_FEW: return EXPLAIN_TOO_FEW;
	default: return EXPLAIN_NO_SPREAD;
	}
}

/* Two groups are slow and fast; else the halves are. */
static int mark_slow(struct explanation *e, const struct summary *summary,
		     const struct members *members, bool *slow)
{
	double *median = take(e, members->count, sizeof(*median)), middle;
	int two = summary->groups->grouping == STATS_GROUPS_FOUND && summary->groups->count == 2;

	if (!median)
		return -1;
	for (size_t i = 0; i < members->count; i++)
		median[i] = members->list[i].row->median;
	middle = stats_sort_median(median, members->count);
	for (size_t i = 0; i < members->count; i++) {
		const struct summary_row *row = members->list[i].row;

		slow[i] = two ? row->group == 0 : row->median < middle;
	}
	return 0;
}

static int associate(struct explanation *e, const struct summary *summary,
		     const struct members *members)
{
	struct candidate *list = take(e, CANDIDATES, sizeof(*list));
	double *rate = take(e, members->count, sizeof(*rate)), *value;
	bool *slow = take(e, members->count, sizeof(*slow));
	size_t n = members->count;

	e->association = take(e, 1, sizeof(*e->association));
	if (!list || !rate || !slow || !e->association || mark_slow(e, summary, members, slow))
		return -1;
	e->fact_count = add_facts(list);
	e->fact_count += add_cpus(members, list + e->fact_count);
	e->facts = take(e, e->fact_count, sizeof(*e->facts));
	value = take(e, e->fact_count * n, sizeof(*value));
	if (!e->facts || !value)
		return -1;
	for (size_t f = 0; f < e->fact_count; f++) {
		e->facts[f] = (struct association_fact){
			.name = list[f].name,
			.unit = list[f].unit,
			.family = list[f].role == FACTS_PLACEMENT ? ASSOCIATION_PLACEMENT
								  : ASSOCIATION_SYMPTOM,
			.value = value + f * n,
		};
		for (size_t i = 0; i < n; i++)
			value[f * n + i] = figure_of(&list[f], members->list[i].evidence->facts);
	}
	for (size_t i = 0; i < n; i++)
		rate[i] = members->list[i].row->median;
	return association_find(rate, slow, n, e->facts, e->fact_count, e->association);
}

/* ---- mechanisms ---- */

/* What one connection shows, with what the program knows beside its facts. */
static struct mechanism_input input_of(const struct mechanism_input *ours,
				       const struct evidence_connection *one)
{
	struct mechanism_input input = *ours;

	input.facts = one->facts;
	input.rate = facts_rate(one->facts, one->rate * 1e6);
	input.delayed_acks = one->delayed_acks;
	input.timeouts = one->timeouts;
	input.throttled = fmax(one->facts->value[FACTS_SENDER][FACT_THROTTLED],
			       one->facts->value[FACTS_RECEIVER][FACT_THROTTLED]);
	return input;
}

/* mechanism[] has one for each rule while members are found. */
static int add_member(struct explanation *e, const struct evidence *evidence,
		      const struct mechanism_hit *hit, unsigned int number)
{
	struct explain_mechanism *to = &e->mechanism[hit->rule - mechanism_rule(0)];

	if (!to->member)
		to->member = take(e, evidence->count, sizeof(*to->member));
	if (!to->member)
		return -1;
	to->member[to->members++] = number;
	return 0;
}

struct rated {
	double rate;
	const struct evidence_connection *one;
};

static int by_rate(const void *a, const void *b)
{
	const struct rated *x = a, *y = b;
	int order = (x->rate > y->rate) - (x->rate < y->rate);

	return order ? order : by_number(x->one, y->one);
}

/* The sentence is that of the member in the middle by its rate. */
static int choose_typical(struct explanation *e, const struct mechanism_input *ours,
			  const struct evidence *evidence, struct explain_mechanism *one)
{
	struct rated *rated = take(e, one->members, sizeof(*rated));
	char *sentence = take(e, MECHANISM_SENTENCE, 1);
	struct mechanism_input input;

	if (!rated || !sentence)
		return -1;
	for (size_t i = 0; i < one->members; i++) {
		rated[i].one = evidence_of(evidence, one->member[i]);
		rated[i].rate = rated[i].one->rate;
	}
	qsort(rated, one->members, sizeof(*rated), by_rate);
	one->typical = rated[one->members / 2].one->number;
	input = input_of(ours, rated[one->members / 2].one);
	one->rule->say(&input, sentence, MECHANISM_SENTENCE);
	one->sentence = sentence;
	return 0;
}

/* 1: there is enough of it for a mechanism to be named. */
static int is_judged(const struct evidence_connection *one)
{
	return one->facts && !(one->facts->length_s[FACTS_SENDER] < JUDGED_S) &&
	       !(one->facts->process_length_s[FACTS_RECEIVER] < JUDGED_S);
}

static int find_members_of_rules(struct explanation *e, const struct mechanism_input *ours,
				 const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->count; i++) {
		const struct evidence_connection *one = &evidence->connection[i];
		struct mechanism_hit hits[MECHANISMS_MAX];
		struct mechanism_input input;
		size_t count;

		e->watched += one->facts != NULL;
		if (!is_judged(one))
			continue;
		e->judged++;
		input = input_of(ours, one);
		count = mechanism_find(&input, hits);
		for (size_t k = 0; k < count; k++)
			if (add_member(e, evidence, &hits[k], one->number))
				return -1;
	}
	return 0;
}

static int find_mechanisms(struct explanation *e, const struct mechanism_input *ours,
			   const struct evidence *evidence)
{
	e->mechanism = take(e, MECHANISMS_MAX, sizeof(*e->mechanism));
	if (!e->mechanism)
		return -1;
	for (; mechanism_rule(e->rules); e->rules++)
		e->mechanism[e->rules].rule = mechanism_rule(e->rules);
	if (find_members_of_rules(e, ours, evidence))
		return -1;
	for (size_t i = 0; i < e->rules; i++)
		if (e->mechanism[i].members > 0)
			e->mechanism[e->mechanisms++] = e->mechanism[i];
	for (size_t i = 0; i < e->mechanisms; i++)
		if (choose_typical(e, ours, evidence, &e->mechanism[i]))
			return -1;
	return 0;
}

/* ---- odd connections ---- */

static int find_odd(struct explanation *e, const struct summary *summary,
		    const struct members *members)
{
	e->odd = take(e, members->count, sizeof(*e->odd));
	if (!e->odd)
		return -1;
	for (size_t i = 0; i < members->count; i++) {
		const struct member *one = &members->list[i];

		if (summary->groups->grouping == STATS_GROUPS_FOUND &&
		    one->row->group != SUMMARY_NO_GROUP &&
		    summary->groups->group[one->row->group].n <= STATS_ODD_MAX)
			e->odd[e->odds++] = (struct explain_odd){ one->row->number,
								  one->evidence->rate,
								  one->evidence->facts };
	}
	return 0;
}

/* ---- level changes ---- */

/* A candidate's figures from sample to sample, into value[]. */
static void figures_over_time(const struct evidence_connection *one, const struct candidate *list,
			      size_t count, double *value)
{
	size_t steps = one->sample_count - 1;

	for (size_t i = 0; i < steps; i++) {
		struct facts facts;

		facts_over(one->samples + i, 2, &facts);
		for (size_t f = 0; f < count; f++)
			value[f * steps + i] = figure_of(&list[f], &facts);
	}
}

/* When this program's end was looked at; its process where it has no TCP. */
static double time_of(const struct facts_sample *sample)
{
	return fmax(sample->time_s[FACTS_RECEIVER], sample->process_time_s[FACTS_RECEIVER]);
}

/* How many of the steps lie before the change. */
static size_t steps_before(const struct evidence_connection *one, double after_s)
{
	size_t before = 0;

	while (before + 1 < one->sample_count &&
	       time_of(&one->samples[before + 1]) < one->start_s + after_s)
		before++;
	return before;
}

static double median_of(const double *value, size_t n)
{
	double copy[64] = { 0 };
	size_t known = 0, step = n / 64 + 1;

	for (size_t i = 0; i < n; i += step)
		if (!isnan(value[i]))
			copy[known++] = value[i];
	if (known == 0)
		return NAN;
	stats_sort_median(copy, known);
	return copy[known / 2];
}

static void name_changed(struct explain_change *change, const struct candidate *candidate,
			 const double *value, size_t steps, size_t before)
{
	size_t k = change->count++;

	change->fact[k].name = candidate->name;
	change->fact[k].unit = candidate->unit;
	change->fact[k].before = median_of(value, before);
	change->fact[k].after = median_of(value + before, steps - before);
}

/* The first of the largest above ASSOCIATION_GAP; count: there is none. */
static size_t largest(const double *gap, size_t count)
{
	double most = ASSOCIATION_GAP;
	size_t at = count;

	for (size_t f = 0; f < count; f++)
		if (gap[f] > most) {
			most = gap[f];
			at = f;
		}
	return at;
}

/* list: count candidates, which outlive the change. */
static int explain_change(const struct candidate *list, size_t count,
			  const struct evidence_connection *one, struct explain_change *change)
{
	size_t steps = one->sample_count - 1, before = steps_before(one, change->after_s), at;
	double *value = malloc(count * steps * sizeof(*value));
	double *gap = malloc(count * sizeof(*gap));

	if (value && gap) {
		figures_over_time(one, list, count, value);
		for (size_t f = 0; f < count; f++)
			gap[f] = association_gap(value + f * steps, steps, before);
		while (change->count < EXPLAIN_CHANGED && (at = largest(gap, count)) < count) {
			name_changed(change, &list[at], value + at * steps, steps, before);
			gap[at] = NAN;
		}
	}
	free(value);
	free(gap);
	return value && gap ? 0 : -1;
}

static int find_changes(struct explanation *e, const struct summary *summary,
			const struct evidence *evidence)
{
	struct candidate *list = take(e, CANDIDATES, sizeof(*list));
	size_t count;

	e->change = take(e, summary->changes, sizeof(*e->change));
	if (!list || !e->change)
		return -1;
	count = add_facts(list);
	for (size_t i = 0; i < summary->changes; i++) {
		const struct summary_change *from = &summary->change[i];
		const struct evidence_connection *one = evidence_of(evidence, from->connection);
		struct explain_change *to = &e->change[e->changes];

		if (!one || one->sample_count < 2 || from->after_s < 0)
			continue;
		to->connection = from->connection;
		to->after_s = from->after_s;
		if (explain_change(list, count, one, to))
			return -1;
		e->changes++;
	}
	return 0;
}

/* ---- all of it ---- */

int explain_make(const struct mechanism_input *ours, const struct summary *summary,
		 const struct evidence *evidence, struct explanation *explanation)
{
	struct members members;
	int failed;

	*explanation = (struct explanation){ 0 };
	failed = find_mechanisms(explanation, ours, evidence) ||
		 find_members(explanation, summary, evidence, &members);
	if (!failed && members.count > 0) {
		explanation->spread = spread_of(summary);
		failed = find_odd(explanation, summary, &members) ||
			 find_changes(explanation, summary, evidence);
	}
	if (!failed && explanation->spread == EXPLAIN_SPREAD)
		failed = associate(explanation, summary, &members);
	if (failed)
		explain_free(explanation);
	return failed ? -1 : 0;
}
