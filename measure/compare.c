/* One run against another: see compare.h. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "stats.h"
#include "summary.h"

/* ---- settings ---- */

static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void free_setting(struct compare_setting *setting)
{
	free(setting->name);
	free(setting->before);
	free(setting->after);
}

static void free_settings(struct compare_setting *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free_setting(&list[i]);
	free(list);
}

/* Keep what differs or what only one of them has. */
static int note_value(struct compare_setting **list, size_t *count, const char *name,
		      const char *before, const char *after)
{
	struct compare_setting one, *grown;

	if (before == after || (before && after && strcmp(before, after) == 0))
		return 0;
	one = (struct compare_setting){ copy_of(name), copy_of(before), copy_of(after) };
	grown = realloc(*list, (*count + 1) * sizeof(*grown));
	if (grown)
		*list = grown;
	if (!grown || !one.name || (before && !one.before) || (after && !one.after)) {
		free_setting(&one);
		return -1;
	}
	(*list)[(*count)++] = one;
	return 0;
}

/* Option strings that differ in nothing but what separates their options. */
static int is_same_string(const char *a, const char *b)
{
	static const char separators[] = " \t\n,";

	for (;;) {
		size_t n;

		a += strspn(a, separators);
		b += strspn(b, separators);
		n = strcspn(a, separators);
		if (n != strcspn(b, separators) || strncmp(a, b, n) != 0)
			return 0;
		if (n == 0)
			return 1;
		a += n;
		b += n;
	}
}

static int is_option_string(const char *name)
{
	return strcmp(name, "options") == 0 || strcmp(name, "early") == 0 ||
	       strcmp(name, "source options") == 0;
}

static int note_setting(struct compare *c, const char *name, const char *before, const char *after)
{
	if (before && after && is_option_string(name) && is_same_string(before, after))
		return 0;
	return note_value(&c->setting, &c->settings, name, before, after);
}

static double run_parallel(const struct run *run)
{
	return run->parallel;
}

static double run_interval(const struct run *run)
{
	return run->interval_s;
}

static double run_duration(const struct run *run)
{
	return run->duration_s;
}

static double run_warm_up(const struct run *run)
{
	return run->warm_up_s;
}

/*
 * What a run knows as a number: a header says it only where it is not the
 * default, and then under this name or, as a port, without any effect.
 */
static const struct {
	const char *name;
	double (*of)(const struct run *run); /* NULL: no matter */
	const char *unit;
	int zero_is_unknown;
	int both_only; /* of no matter unless both are known */
} numbers[] = {
	{ "parallel", run_parallel, "at once", 1, 0 },
	{ "interval", run_interval, "s", 1, 0 },
	{ "duration", run_duration, "s", 1, 1 },
	{ "warmup", run_warm_up, "s", 0, 0 },
	{ "port", NULL, "", 0, 0 },
};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static int note_number(struct compare *c, size_t row)
{
	double before = numbers[row].of(c->before->run), after = numbers[row].of(c->after->run);
	int has_before = before > 0 || !numbers[row].zero_is_unknown;
	int has_after = after > 0 || !numbers[row].zero_is_unknown;
	char old[48], new[48];

	if (numbers[row].both_only && (!has_before || !has_after))
		return 0;
	/* A length that was read from a text is rounded. */
	if (fabs(before - after) <= 0.01 * fmax(before, after))
		return 0;
	snprintf(old, sizeof(old), "%.6g %s", before, numbers[row].unit);
	snprintf(new, sizeof(new), "%.6g %s", after, numbers[row].unit);
	return note_setting(c, numbers[row].name, has_before ? old : NULL, has_after ? new : NULL);
}

static int is_number(const char *name)
{
	for (size_t i = 0; i < NUMBERS; i++)
		if (strcmp(numbers[i].name, name) == 0)
			return 1;
	return 0;
}

static int note_settings(struct compare *c)
{
	const struct run *before = c->before->run, *after = c->after->run;

	for (size_t i = 0; i < before->settings; i++) {
		const struct run_setting *old = &before->setting[i];

		if (!is_number(old->name) &&
		    note_setting(c, old->name, old->value, run_setting(after, old->name)))
			return -1;
	}
	for (size_t i = 0; i < after->settings; i++) {
		const struct run_setting *new = &after->setting[i];

		if (!is_number(new->name) && !run_setting(before, new->name) &&
		    note_setting(c, new->name, NULL, new->value))
			return -1;
	}
	for (size_t i = 0; i < NUMBERS; i++)
		if (numbers[i].of && note_number(c, i))
			return -1;
	return 0;
}

/* ---- machines ---- */

/* The length of what a value says of the machine. */
static size_t machine_length(const char *value)
{
	const char *steal = strstr(value, "; steal ");

	return steal ? (size_t)(steal - value) : strlen(value);
}

static int is_alike(const char *name, const char *before, const char *after)
{
	size_t length;

	if (strcmp(name, "load") == 0)
		return 1;
	if (!before || !after || strcmp(name, "virtual") != 0)
		return 0;
	length = machine_length(before);
	return length == machine_length(after) && strncmp(before, after, length) == 0;
}

static int note_environment(struct compare *c, const char *name, const char *before,
			    const char *after)
{
	if (is_alike(name, before, after))
		return 0;
	return note_value(&c->environment, &c->environments, name, before, after);
}

static int note_environments(struct compare *c)
{
	const struct run *before = c->before->run, *after = c->after->run;

	if (before->environments == 0 || after->environments == 0) {
		c->machines = before->environments  ? COMPARE_OLD_ONLY
			      : after->environments ? COMPARE_NEW_ONLY
						    : COMPARE_UNSAID;
		return 0;
	}
	for (size_t i = 0; i < before->environments; i++) {
		const struct run_setting *old = &before->environment[i];

		if (note_environment(c, old->name, old->value, run_environment(after, old->name)))
			return -1;
	}
	for (size_t i = 0; i < after->environments; i++) {
		const struct run_setting *new = &after->environment[i];

		if (!run_environment(before, new->name) &&
		    note_environment(c, new->name, NULL, new->value))
			return -1;
	}
	c->machines = c->environments ? COMPARE_DIFFERENT : COMPARE_ALIKE;
	return 0;
}

/* ---- the runs ---- */

static bool same_rates(const struct summary_row *a, const struct summary_row *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (fabs(stats_rate(a->rate[i]) - stats_rate(b->rate[i])) > 0)
			return false;
	return true;
}

static bool is_same(const struct summary *a, const struct summary *b)
{
	if (a->connections != b->connections || a->intervals == 0)
		return false;
	for (size_t i = 0; i < a->connections; i++)
		if (!same_rates(&a->row[i], &b->row[i]))
			return false;
	return true;
}

static bool is_split(size_t part, size_t whole)
{
	return part > 0 && part < whole;
}

static bool share_changed(const struct compare *c)
{
	const struct stats_shares *s = c->shares;

	return s->has_p && s->p <= STATS_ALPHA &&
	       (is_split(s->before[0], c->before->measured) ||
		is_split(s->after[0], c->after->measured));
}

int compare_make(const struct summary *before, const struct summary *after, struct compare *compare)
{
	*compare = (struct compare){
		.before = before,
		.after = after,
		.same = is_same(before, after),
		.ratio = calloc(1, sizeof(*compare->ratio)),
		.shares = calloc(1, sizeof(*compare->shares)),
	};
	if (!compare->ratio || !compare->shares || note_settings(compare) ||
	    note_environments(compare) ||
	    stats_compare(before->unit, before->units, after->unit, after->units, compare->ratio) ||
	    stats_share(before->level, before->measured, after->level, after->measured,
			compare->shares)) {
		compare_free(compare);
		return -1;
	}
	compare->share_changed = share_changed(compare);
	return 0;
}

void compare_free(struct compare *compare)
{
	free_settings(compare->setting, compare->settings);
	free_settings(compare->environment, compare->environments);
	free(compare->ratio);
	free(compare->shares);
	*compare = (struct compare){ .before = NULL };
}

const char *compare_verdict(const struct compare *compare)
{
	return stats_verdict_name(compare->ratio->verdict);
}

const char *compare_machines(const struct compare *compare)
{
	static const char *const names[] = {
		[COMPARE_UNSAID] = NULL,
		[COMPARE_OLD_ONLY] = "not given by the new run",
		[COMPARE_NEW_ONLY] = "not given by the old run",
		[COMPARE_ALIKE] = "the same",
		[COMPARE_DIFFERENT] = "different",
	};

	return names[compare->machines];
}

bool compare_loss(const struct compare *compare, double *percent)
{
	bool known = compare->ratio->has_interval;

	*percent = known ? fmax(1 - compare->ratio->high, 0) * 100 : 0;
	return known;
}

bool compare_gain(const struct compare *compare, double *percent)
{
	bool known = compare->ratio->has_interval;

	*percent = known ? fmax(compare->ratio->low - 1, 0) * 100 : 0;
	return known;
}
