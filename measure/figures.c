/* A summary and the tests of -E as text: see figures.h. */
#include "figures.h"

#include <math.h>
#include <string.h>

#include "expect.h"
#include "levels.h"
#include "run.h"
#include "stats.h"
#include "summary.h"
#include "words.h"

#define LABEL 12       /* columns of a label */
#define LINES_MAX 20   /* of one kind; what is more is counted */
#define MEMBERS_MAX 40 /* connections or ranges of them in a list */
#define MANY 20	       /* connections; with more, lists have ranges */
#define ROWS_MAX 60

/* ---- what it is about ---- */

static void print_connections(struct words *words, const struct summary *s)
{
	const struct run *run = s->run;

	if (s->connections < run->asked)
		words_text(words, "%zu of %zu connections", s->connections, run->asked);
	else
		words_text(words, "%zu connection%s", s->connections, words_plural(s->connections));
	if (run->duration_s > 0)
		words_add(words, "of %s s", words_figure(run->duration_s).text);
	if (run->parallel > 1)
		words_add(words, "in %zu round%s", s->rounds, words_plural(s->rounds));
	words_mark(words, ',');
}

static void print_title(FILE *out, const struct summary *s)
{
	const struct run *run = s->run;
	struct words words;

	words_begin(&words, out, 0, "");
	print_connections(&words, s);
	words_add(&words, "%zu interval%s", s->intervals, words_plural(s->intervals));
	if (run->interval_s > 0)
		words_add(&words, "of %s s", words_figure(run->interval_s).text);
	if (run->warm_up_s > 0) {
		words_mark(&words, ',');
		words_add(&words, "warm-up of %s s left out", words_figure(run->warm_up_s).text);
	}
	if (run->interrupted) {
		words_mark(&words, ',');
		words_add(&words, "interrupted");
	}
	words_end(&words);
	if (run->passed_over > 0)
		fprintf(out, "  text      %zu other line%s passed over\n", run->passed_over,
			words_plural(run->passed_over));
}

/* ---- the figures ---- */

static void print_median(FILE *out, const struct summary *s)
{
	const struct stats_middle *middle = s->middle;
	struct words words;

	words_begin(&words, out, LABEL, "  median");
	words_add(&words, "%s MB/sec,", words_figure(middle->median).text);
	if (s->run->parallel > 1)
		words_add(&words, "sum of a round,");
	if (middle->has_interval)
		words_add(&words, "95%% interval %s to %s", words_figure(middle->low).text,
			  words_figure(middle->high).text);
	else
		words_add(&words, "95%% interval n/a (needs %d %ss)", STATS_INTERVAL_FROM,
			  summary_unit(s));
	words_end(&words);
}

static void print_range(FILE *out, const char *label, const struct summary_range *range)
{
	struct words words;

	words_begin(&words, out, LABEL, label);
	words_add(&words, "%s to %s MB/sec,", words_figure(range->min).text,
		  words_figure(range->max).text);
	if (range->has_ratio)
		words_add(&words, "%s times", words_times(range->ratio).text);
	else
		words_add(&words, "ratio n/a");
	words_end(&words);
}

static const char *const variance_verdicts[] = {
	[LEVELS_TOO_FEW] = "too few connections to tell",
	[LEVELS_ALIKE] = "no difference between connections beyond what happens inside them",
	[LEVELS_BETWEEN] = "mostly between",
	[LEVELS_WITHIN] = "connections differ, but mostly within",
};

static void print_variance(FILE *out, const struct summary *s)
{
	const struct levels_variance *v = s->variance;
	struct words words;

	words_begin(&words, out, LABEL, "  variance");
	if (v->has_figures)
		words_text(&words, "%s between connections, %s within: %s",
			   words_share(v->share).text, words_share(1 - v->share).text,
			   variance_verdicts[v->verdict]);
	else
		words_text(&words, "one %s: cannot tell between from within",
			   s->measured == 1 ? "connection" : "interval per connection");
	words_end(&words);
	if (v->has_figures)
		fprintf(out, "%*stypical deviation: %s between, %s within\n", LABEL, "",
			words_deviation(v->between).text, words_deviation(v->within).text);
}

/* ---- groups ---- */

/* How many rows from first on are of this group, have numbers in sequence. */
static size_t run_of_members(const struct summary *s, size_t first, size_t group)
{
	size_t n = 0;

	while (first + n < s->connections && s->row[first + n].group == group &&
	       s->row[first + n].number == s->row[first].number + n)
		n++;
	return n;
}

static void print_members(struct words *words, const struct summary *s, size_t group)
{
	const char *open = "(";
	size_t left = s->groups->group[group].n, items = 0, n;

	for (size_t i = 0; i < s->connections && items < MEMBERS_MAX; i += n ? n : 1) {
		unsigned int first = s->row[i].number;

		n = run_of_members(s, i, group);
		if (n > 1 && (n < 3 || s->connections <= MANY))
			n = 1;
		if (n == 0)
			continue;
		if (n == 1)
			words_add(words, "%s%u", open, first);
		else
			words_add(words, "%s%u-%u", open, first, first + (unsigned int)n - 1);
		open = "";
		left -= n;
		items++;
	}
	if (left > 0)
		words_add(words, "and %zu more", left);
	words_mark(words, ')');
}

static void print_groups(FILE *out, const struct summary *s)
{
	const struct stats_groups *groups = s->groups;
	struct words words;

	words_begin(&words, out, LABEL, "  groups");
	if (groups->grouping == STATS_GROUPS_TOO_FEW)
		words_add(&words, "cannot tell below 3 connections");
	else if (groups->grouping == STATS_GROUPS_NONE)
		words_add(&words, "none seen");
	else
		words_add(&words, "%zu:", groups->count);
	for (size_t g = 0; g < groups->count && groups->grouping == STATS_GROUPS_FOUND; g++) {
		words_add(&words, "%zu near %s", groups->group[g].n,
			  words_figure(groups->group[g].level).text);
		print_members(&words, s, g);
		if (g + 1 < groups->count)
			words_mark(&words, ',');
	}
	words_end(&words);
}

/* ---- what happened inside connections ---- */

/* The label of the first line, nothing before the others. */
static void begin_line(struct words *words, FILE *out, const char *label, size_t line)
{
	words_begin(words, out, LABEL, line == 0 ? label : "");
}

/* What stands in no line, of count that could. */
static void print_more(FILE *out, size_t count)
{
	if (count > LINES_MAX)
		fprintf(out, "%*sand %zu more\n", LABEL, "", count - LINES_MAX);
}

static void print_change(FILE *out, const struct summary_change *change, size_t line)
{
	struct words words;

	begin_line(&words, out, "  changes", line);
	words_text(&words, "connection %u after", change->connection);
	if (change->after_s >= 0)
		words_add(&words, "%s s:", words_figure(change->after_s).text);
	else
		words_add(&words, "%zu intervals:", change->after);
	words_add(&words, "%s to %s MB/sec", words_figure(change->from).text,
		  words_figure(change->to).text);
	words_end(&words);
}

static void print_changes(FILE *out, const struct summary *s)
{
	size_t line = 0;

	for (; line < s->changes && line < LINES_MAX; line++)
		print_change(out, &s->change[line], line);
	print_more(out, s->changes);
	if (s->changes == 0 && s->too_short < s->measured)
		fprintf(out, "%-*snone seen\n", LABEL, "  changes");
	else if (s->changes == 0)
		fprintf(out, "%-*scannot tell below %d intervals\n", LABEL, "  changes",
			LEVELS_MIN);
	if (s->too_short > 0 && s->too_short < s->measured)
		fprintf(out, "%*s%zu of %zu connections too short to tell (needs %d intervals)\n",
			LABEL, "", s->too_short, s->measured, LEVELS_MIN);
}

static void print_odds(FILE *out, const struct summary *s)
{
	struct words words;

	for (size_t i = 0; i < s->odds && i < LINES_MAX; i++) {
		const struct summary_odd *odd = &s->odd[i];

		begin_line(&words, out, "  outliers", i);
		words_text(&words, "connection %u,", odd->connection);
		if (odd->length > 1)
			words_add(&words, "intervals %zu to %zu:", odd->interval,
				  odd->interval + odd->length - 1);
		else
			words_add(&words, "interval %zu:", odd->interval);
		words_add(&words, "%s MB/sec", words_figure(odd->rate).text);
		words_end(&words);
	}
	print_more(out, s->odds);
}

static void print_stalls(FILE *out, const struct summary *s)
{
	size_t listed = 0, left = s->stalls;
	struct words words;

	words_begin(&words, out, LABEL, "  stalls");
	if (s->stalls == 0)
		words_add(&words, "none");
	else
		words_add(&words, "%zu interval%s of 0 MB/sec:", s->stalls,
			  words_plural(s->stalls));
	for (size_t i = 0; i < s->connections && listed < LINES_MAX && left > 0; i++) {
		const struct summary_row *row = &s->row[i];

		if (row->stalls == 0)
			continue;
		words_add(&words, "%zu in connection %u", row->stalls, row->number);
		left -= row->stalls;
		listed++;
		if (left > 0)
			words_mark(&words, ',');
	}
	if (left > 0)
		words_add(&words, "%zu in others", left);
	words_end(&words);
}

/* ---- the picture ---- */

#define NUMBER 5     /* columns of the number of a connection, */
#define MEDIAN 7     /* of its median, */
#define PICTURE 52   /* and of the picture, where the others need no more */
#define LOG_ABOVE 10 /* of max over min */

/* Where rates lie in a row; those of 0 stand at its left end, apart. */
struct scale {
	double low; /* lowest rate above 0 */
	double high;
	bool is_log;
	size_t first; /* column of low */
	size_t last;  /* and of high */
};

/* taken: columns that the rest of the row needs beyond what is usual. */
static struct scale make_scale(const struct summary *s, size_t taken)
{
	struct scale scale = { .low = s->range.max, .high = s->range.max };

	for (size_t i = 0; i < s->connections; i++)
		for (size_t j = 0; j < s->row[i].n; j++) {
			double rate = stats_rate(s->row[i].rate[j]);

			if (rate > 0 && rate < scale.low)
				scale.low = rate;
		}
	scale.is_log = scale.high > LOG_ABOVE * scale.low;
	scale.first = s->stalls > 0 ? 2 : 0;
	scale.last = PICTURE - 1 - taken;
	return scale;
}

static size_t column_of(const struct scale *scale, double rate)
{
	double width = (double)(scale->last - scale->first), part;

	if (rate <= 0)
		return 0;
	if (scale->high <= scale->low)
		return scale->first;
	if (scale->is_log)
		part = (log(rate) - log(scale->low)) / (log(scale->high) - log(scale->low));
	else
		part = (rate - scale->low) / (scale->high - scale->low);
	return scale->first + (size_t)(fmin(part, 1) * width + 0.5);
}

static void print_places(FILE *out, const struct scale *scale, const struct summary_row *row)
{
	size_t count[PICTURE] = { 0 }, end = 0;

	for (size_t i = 0; i < row->n; i++) {
		size_t at = column_of(scale, stats_rate(row->rate[i]));

		count[at]++;
		if (at >= end)
			end = at + 1;
	}
	for (size_t i = 0; i < end; i++)
		putc(count[i] == 0 ? ' ' : count[i] > 9 ? '+' : '0' + (int)count[i], out);
}

/* The ends of the scale, about above the first and the last column. */
static void print_scale(FILE *out, const struct scale *scale, int left)
{
	int used = fprintf(out, "%*s%s%s", left, "", scale->first > 0 ? "0, " : "",
			   words_figure(scale->low).text);
	int gap = left + (int)scale->last - used;

	fprintf(out, " %*s MB/sec%s\n", gap > 0 ? gap : 0, words_figure(scale->high).text,
		scale->is_log ? " log" : "");
}

static void print_rows(FILE *out, const struct summary *s)
{
	size_t shown = s->connections < ROWS_MAX ? s->connections : ROWS_MAX;
	int number = NUMBER, median = MEDIAN;
	struct scale scale;

	for (size_t i = 0; i < shown; i++) {
		int figures = (int)strlen(words_figure(s->row[i].median).text);
		int digits = snprintf(NULL, 0, "%u", s->row[i].number);

		median = figures > median ? figures : median;
		number = digits > number ? digits : number;
	}
	scale = make_scale(s, (size_t)(number - NUMBER + median - MEDIAN));
	fputs("  row per connection: median, then where its intervals lie (digit: how many)\n",
	      out);
	print_scale(out, &scale, number + median + 3);
	for (size_t i = 0; i < shown; i++) {
		const struct summary_row *row = &s->row[i];

		fprintf(out, "%*u  %*s  |", number, row->number, median,
			row->n ? words_figure(row->median).text : "n/a");
		print_places(out, &scale, row);
		putc('\n', out);
	}
	if (shown < s->connections)
		fprintf(out, "  %zu more connections are not shown\n", s->connections - shown);
}

/* ---- all of it ---- */

void figures_summary(FILE *out, const struct summary *summary)
{
	bool rounds = summary->run->parallel > 1;

	if (summary->run->both_wrote)
		fputs("The text has both programs' lines: each interval probably stands twice.\n",
		      out);
	print_title(out, summary);
	if (summary->intervals == 0)
		return;
	print_median(out, summary);
	if (rounds)
		print_range(out, "  sums", &summary->sums);
	print_range(out, "  range", &summary->range);
	print_variance(out, summary);
	print_groups(out, summary);
	if (rounds && summary->has_jain)
		fprintf(out, "%-*sJain's index %s within a round (1: all alike)\n", LABEL,
			"  fairness", words_figure(summary->jain).text);
	print_changes(out, summary);
	print_odds(out, summary);
	print_stalls(out, summary);
	print_rows(out, summary);
}

/* ---- expectations ---- */

static struct words_number value_text(const struct expect_result *result)
{
	static const char *const units[] = {
		[EXPECT_RATE] = " MB/sec", [EXPECT_RATIO] = " times", [EXPECT_SHARE] = "%",
		[EXPECT_COUNT] = "",	   [EXPECT_PERCENT] = "%",
	};
	enum expect_unit unit = result->test->metric->unit;
	double value = unit == EXPECT_SHARE ? 100 * result->value : result->value;
	struct words_number text;

	if (!result->has_value)
		snprintf(text.text, sizeof(text.text), "n/a");
	else if (isinf(value))
		snprintf(text.text, sizeof(text.text), "no limit (lowest 0)");
	else
		snprintf(text.text, sizeof(text.text), "%.20s%s", words_figure(value).text,
			 units[unit]);
	return text;
}

void figures_expect_setting(FILE *out, const char *setting, const struct expect_result *result)
{
	struct words words;

	words_begin(&words, out, 2, "expect");
	if (setting) {
		words_text(&words, "%s", setting);
		words_mark(&words, ':');
	}
	words_text(&words, "%.60s: %s,", result->test->text, value_text(result).text);
	words_text(&words, "%s", expect_verdict_name(result->verdict));
	if (*result->why) {
		words_mark(&words, ':');
		words_text(&words, "%s", result->why);
	}
	words_end(&words);
}

void figures_expect(FILE *out, const struct expect_result *result)
{
	figures_expect_setting(out, NULL, result);
}
