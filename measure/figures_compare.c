/* A comparison as text: see figures.h. */
#include "figures.h"

#include <stdarg.h>
#include <string.h>

#include "compare.h"
#include "levels.h"
#include "run.h"
#include "stats.h"
#include "summary.h"
#include "words.h"

#define OLD_AT 19 /* columns of the table */
#define NEW_AT 44
#define VALUE_AT 15 /* and of the settings */
#define NEW_VALUE_AT 48
#define VERDICT_AT 9
#define TIMES_FROM 2 /* a ratio of so much is no percentage */
#define WIDE 1.5     /* high over low of an interval */

/* ---- settings ---- */

/* What may have blanks in it, or be empty, stands in brackets as in a header. */
static const char *bracket(const struct compare_setting *setting, const char *value, const char *is)
{
	static const char *const names[] = { "options", "early", "source", "source options" };

	for (size_t i = 0; value && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(setting->name, names[i]) == 0)
			return is;
	return value && !*value ? is : "";
}

/* Returns the columns that it takes. */
static int print_value(FILE *out, const struct compare_setting *setting, const char *value)
{
	const char *open = bracket(setting, value, "["), *close = bracket(setting, value, "]");
	const char *text = value ? value : "not given";

	fputs(open, out);
	words_put_ascii(out, text);
	fputs(close, out);
	return (int)(strlen(open) + strlen(text) + strlen(close));
}

/* A value of any length, from the column VALUE_AT on. */
static void print_long(FILE *out, const char *which, const struct compare_setting *setting,
		       const char *value)
{
	const char *close = bracket(setting, value, "]");
	struct words words;

	words_begin(&words, out, VALUE_AT + 4, which);
	words.column += VALUE_AT;
	words_long(&words, bracket(setting, value, "["), value ? value : "not given");
	if (*close)
		words_mark(&words, *close);
	words_end(&words);
}

static size_t value_length(const char *value)
{
	return value ? strlen(value) + strlen("[]") : 0;
}

static void print_setting(FILE *out, const struct compare_setting *setting)
{
	int wide = NEW_VALUE_AT - VALUE_AT, used;

	fprintf(out, "  %-*s ", VALUE_AT - 3, setting->name);
	if (value_length(setting->before) < (size_t)wide &&
	    value_length(setting->after) <= WORDS_COLUMNS - NEW_VALUE_AT) {
		used = print_value(out, setting, setting->before);
		fprintf(out, "%*s", wide - used, "");
		print_value(out, setting, setting->after);
		putc('\n', out);
		return;
	}
	print_long(out, "old", setting, setting->before);
	fprintf(out, "%*s", VALUE_AT, "");
	print_long(out, "new", setting, setting->after);
}

static void print_settings(FILE *out, const struct compare *c)
{
	if (c->settings > 0)
		fputs("settings: DIFFERENT, so the verdict is about them too\n", out);
	else
		fputs("settings: the same in both\n", out);
	for (size_t i = 0; i < c->settings; i++)
		print_setting(out, &c->setting[i]);
}

/* ---- machines ---- */

/* The name that a value stands behind, padded; one that does not fit has a line. */
static void print_name(FILE *out, const char *name)
{
	if (strlen(name) + 3 > VALUE_AT)
		fprintf(out, "  %s\n%*s", name, VALUE_AT, "");
	else
		fprintf(out, "  %-*s ", VALUE_AT - 3, name);
}

static void print_difference(FILE *out, const struct compare_setting *entry)
{
	int wide = NEW_VALUE_AT - VALUE_AT;
	const char *old = entry->before ? entry->before : "not given";
	const char *new = entry->after ? entry->after : "not given";

	print_name(out, entry->name);
	if (strlen(old) < (size_t)wide && strlen(new) <= WORDS_COLUMNS - NEW_VALUE_AT) {
		fprintf(out, "%-*s%s\n", wide, old, new);
		return;
	}
	print_long(out, "old", entry, entry->before);
	fprintf(out, "%*s", VALUE_AT, "");
	print_long(out, "new", entry, entry->after);
}

static void print_environment(FILE *out, const struct compare *c)
{
	if (c->machines == COMPARE_DIFFERENT)
		fputs("environment: DIFFERENT, so the verdict is about it too\n", out);
	else if (c->machines == COMPARE_ALIKE)
		fputs("environment: the same in both\n", out);
	else if (c->machines != COMPARE_UNSAID)
		fprintf(out, "environment: %s\n", compare_machines(c));
	for (size_t i = 0; i < c->environments; i++)
		print_difference(out, &c->environment[i]);
}

/* ---- the table ---- */

struct cell {
	char text[48];
};

__attribute__((format(printf, 1, 2))) static struct cell cell(const char *format, ...)
{
	struct cell made;
	va_list ap;

	va_start(ap, format);
	vsnprintf(made.text, sizeof(made.text), format, ap);
	va_end(ap);
	return made;
}

static void print_cells(FILE *out, const char *label, struct cell before, struct cell after)
{
	fprintf(out, "  %-*s%-*s %s\n", OLD_AT - 2, label, NEW_AT - OLD_AT - 1, before.text,
		after.text);
}

/* A row of the table: what is said of one run. */
struct row {
	const char *label;
	struct cell (*of)(const struct summary *s);
};

static struct cell connections_cell(const struct summary *s)
{
	if (s->connections < s->run->asked)
		return cell("%zu of %zu", s->connections, s->run->asked);
	return cell("%zu", s->connections);
}

static struct cell rounds_cell(const struct summary *s)
{
	return s->run->parallel > 1 ? cell("%zu", s->rounds) : cell("n/a");
}

static struct cell median_cell(const struct summary *s)
{
	return cell("%s", s->units ? words_figure(s->middle->median).text : "n/a");
}

static struct cell interval_cell(const struct summary *s)
{
	if (!s->middle->has_interval)
		return cell("n/a (needs 6)");
	return cell("%s to %s", words_figure(s->middle->low).text,
		    words_figure(s->middle->high).text);
}

static struct cell range_cell(const struct summary *s)
{
	if (s->intervals == 0)
		return cell("n/a");
	return cell("%s to %s", words_figure(s->sums.min).text, words_figure(s->sums.max).text);
}

static struct cell between_cell(const struct summary *s)
{
	if (s->variance->verdict == LEVELS_TOO_FEW)
		return cell("cannot tell");
	if (s->variance->verdict == LEVELS_ALIKE)
		return cell("not seen");
	return cell("%s", words_share(s->variance->share).text);
}

static struct cell changes_cell(const struct summary *s)
{
	if (s->too_short == s->measured)
		return cell("cannot tell");
	return cell("%zu", s->changes);
}

static struct cell stalls_cell(const struct summary *s)
{
	return cell("%zu", s->stalls);
}

static struct cell group_cell(const struct summary *s, size_t group)
{
	const struct stats_groups *groups = s->groups;

	if (groups->grouping == STATS_GROUPS_FOUND && group < groups->count)
		return cell("%zu near %s", groups->group[group].n,
			    words_figure(groups->group[group].level).text);
	if (group > 0)
		return cell("%s", "");
	return cell(groups->grouping == STATS_GROUPS_TOO_FEW ? "cannot tell" : "none seen");
}

static void print_groups(FILE *out, const struct compare *c)
{
	size_t before = c->before->groups->count, after = c->after->groups->count;

	for (size_t g = 0; g == 0 || g < before || g < after; g++) {
		struct cell old = group_cell(c->before, g), new = group_cell(c->after, g);

		if (*new.text)
			print_cells(out, g == 0 ? "groups" : "", old, new);
		else
			fprintf(out, "%*s%s\n", OLD_AT, "", old.text);
	}
}

/* The end of a long name says more than its beginning. */
static struct cell name_cell(const char *name)
{
	const size_t most = NEW_AT - OLD_AT - 1;
	struct cell made;
	size_t length = strlen(name);

	if (length > most)
		made = cell("...%s", name + length - (most - 3));
	else
		made = cell("%s", name);
	for (char *c = made.text; *c; c++)
		*c = words_ascii(*c);
	return made;
}

static void print_table(FILE *out, const struct compare *c, const char *before, const char *after)
{
	static const struct row rows[] = {
		{ "connections", connections_cell },
		{ "rounds", rounds_cell },
		{ "median MB/sec", median_cell },
		{ "95% interval", interval_cell },
		{ "range", range_cell },
		{ "between conns.", between_cell },
		{ "groups", NULL },
		{ "level changes", changes_cell },
		{ "stalls", stalls_cell },
	};
	bool rounds = c->before->run->parallel > 1 || c->after->run->parallel > 1;

	print_cells(out, "", cell("old"), cell("new"));
	print_cells(out, "", name_cell(before), name_cell(after));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].of == rounds_cell && !rounds)
			continue;
		if (rows[i].of == stalls_cell && c->before->stalls + c->after->stalls == 0)
			continue;
		if (rows[i].of)
			print_cells(out, rows[i].label, rows[i].of(c->before),
				    rows[i].of(c->after));
		else
			print_groups(out, c);
	}
}

/* ---- both runs together ---- */

static void print_ratio(FILE *out, const struct compare *c)
{
	const struct stats_comparison *r = c->ratio;

	struct words words;

	words_begin(&words, out, OLD_AT, "  ratio");
	if (!r->has_ratio)
		words_add(&words, "n/a");
	else if (r->has_interval)
		words_text(&words, "%s new to old, 95%% interval %s to %s",
			   words_ratio(r->ratio).text, words_ratio(r->low).text,
			   words_ratio(r->high).text);
	else
		words_text(&words, "%s new to old; single pairs %s to %s",
			   words_ratio(r->ratio).text, words_ratio(r->pair_low).text,
			   words_ratio(r->pair_high).text);
	words_end(&words);
}

/* The groups that the connections of both form together. */
static void print_shares(FILE *out, const struct compare *c)
{
	const struct stats_shares *s = c->shares;
	size_t before = c->before->measured, after = c->after->measured;

	if (!s->has_p)
		return;
	for (size_t g = 0; g < s->groups.count; g++)
		print_cells(out, cell("near %s", words_figure(s->groups.group[g].level).text).text,
			    cell("%zu of %zu", s->before[g], before),
			    cell("%zu of %zu", s->after[g], after));
	fprintf(out, "  %-*sshare %s to %s, Fisher p %s%s\n", OLD_AT - 2, "slowest group",
		words_share((double)s->before[0] / (double)before).text,
		words_share((double)s->after[0] / (double)after).text, words_p(s->p).text,
		s->p <= STATS_ALPHA ? ": its share changed" : "");
}

/* ---- the verdict ---- */

static bool has_groups(const struct summary *s)
{
	return s->groups->grouping == STATS_GROUPS_FOUND;
}

/* Two speeds in a run make the ratio anything between their ratios. */
static void say_why_wide(struct words *words, const struct compare *c)
{
	static const char *const speeds[] = { "", "one speed", "two speeds", "three speeds",
					      "four speeds" };
	bool before = has_groups(c->before), after = has_groups(c->after);

	words_mark(words, ':');
	words_text(words, "its interval is wide because");
	if (before && after)
		words_text(words, "both runs have more than one speed");
	else
		words_text(words, "the %s run has %s", before ? "old" : "new",
			   speeds[(before ? c->before : c->after)->groups->count]);
}

static void say_groups(struct words *words, const struct compare *c)
{
	const struct stats_shares *s = c->shares;

	if (!c->share_changed)
		return;
	if (s->after[0] == 0)
		words_text(words, "The slow group is gone;");
	else if (s->before[0] == 0)
		words_text(words, "A slow group has appeared;");
	else
		words_text(words, "The slow group's share changed;");
	words_text(words, "read the groups before the ratio");
	if (c->ratio->high > WIDE * c->ratio->low &&
	    (has_groups(c->before) || has_groups(c->after)))
		say_why_wide(words, c);
	words_mark(words, '.');
}

static void say_size(struct words *words, const struct compare *c)
{
	const struct stats_comparison *r = c->ratio;

	if (c->share_changed) {
		words_mark(words, '.');
	} else if (r->verdict == STATS_SLOWER) {
		words_text(words, "by %s, at least %s.", words_percent(100 * (1 - r->ratio)).text,
			   words_percent(100 * (1 - r->high)).text);
	} else if (r->ratio < TIMES_FROM) {
		words_text(words, "by %s, at least %s.", words_percent(100 * (r->ratio - 1)).text,
			   words_percent(100 * (r->low - 1)).text);
	} else {
		words_mark(words, ':');
		words_text(words, "%s times, at least %s times.", words_ratio(r->ratio).text,
			   words_ratio(r->low).text);
	}
}

static void say_need(struct words *words, const struct compare *c)
{
	const struct stats_comparison *r = c->ratio;
	const char *unit = summary_unit(c->after);

	if (c->before->units == 0 || c->after->units == 0) {
		words_text(words, "There is no interval in the %s run.",
			   c->before->units == 0 ? "old" : "new");
		return;
	}
	if (c->same)
		words_text(words, "Both are the same, interval by interval: no difference.");
	if (r->before == 1 && r->after == 1) {
		words_text(words, "One %s against one proves nothing;", unit);
	} else {
		words_text(words, "With %zu and %zu %ss even total separation has", r->before,
			   r->after, unit);
		words_add(words, "p %s;", words_p(r->best_p).text);
	}
	words_text(words, "%zu and %zu can tell", r->need_each, r->need_each);
	if (r->need_after != r->need_each) {
		words_mark(words, ',');
		words_text(words, "or %zu new against %zu old", r->need_after, r->before);
	}
	words_mark(words, '.');
}

/* What a verdict rules out, or what could give one. */
static void say_more(struct words *words, const struct compare *c)
{
	const struct stats_comparison *r = c->ratio;

	switch (r->verdict) {
	case STATS_FASTER:
	case STATS_SLOWER: say_size(words, c); break;
	case STATS_SMALL:
		words_text(words, "(under 5%%). Two boots of one kernel differ by as much.");
		break;
	case STATS_NO_DIFFERENCE:
		words_mark(words, '.');
		words_text(words, "A loss above %s and a gain above %s are ruled out.",
			   words_percent(100 * (1 - r->low)).text,
			   words_percent(100 * (r->high - 1)).text);
		break;
	case STATS_CANNOT_TELL:
		words_mark(words, '.');
		say_need(words, c);
		break;
	}
}

static void print_verdict(FILE *out, const struct compare *c)
{
	enum stats_verdict verdict = c->ratio->verdict;
	struct words words;

	words_begin(&words, out, VERDICT_AT, "verdict:");
	words_text(&words, "%s", compare_verdict(c));
	say_more(&words, c);
	say_groups(&words, c);
	words_end(&words);
	if (verdict == STATS_FASTER || verdict == STATS_SLOWER || verdict == STATS_SMALL ||
	    c->share_changed)
		fputs("One boot each: repeat as before, after, before, after.\n", out);
}

static void warn_twice(FILE *out, const struct summary *s, const char *which)
{
	if (s->run->both_wrote)
		fprintf(out,
			"The %s text has both programs' lines: each interval probably stands "
			"twice.\n",
			which);
}

void figures_compare(FILE *out, const struct compare *compare, const char *before,
		     const char *after)
{
	print_environment(out, compare);
	print_settings(out, compare);
	warn_twice(out, compare->before, "old");
	warn_twice(out, compare->after, "new");
	print_table(out, compare, before, after);
	print_ratio(out, compare);
	print_shares(out, compare);
	print_verdict(out, compare);
}
