/* The table of a sweep: see figures.h. */
#include "figures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dist.h"
#include "json.h"
#include "stats.h"
#include "sweep_table.h"
#include "words.h"

#define BAR_LEAST 4	  /* a shorter bar says nothing */
#define BAR_MOST 40	  /* more says no more */
#define MEDIANS_LEAST 4	  /* numbers on a line, however long its label is */
#define MEDIANS "medians" /* what sweep_saved.h looks for */

/* ---- the sentences ---- */

/* What the rows have, that the sentences and the columns depend on. */
struct layout {
	bool has_interval; /* some have one, */
	bool all_have;	   /* all have, */
	bool is_inside;	   /* and one is not just lowest and highest */
	bool is_uneven;	   /* connections are missing */
	bool has_limiter;
	bool has_mark;
	bool mark_above; /* each neighbour is the row above */
};

static struct layout layout_of(const struct sweep_table *t)
{
	struct layout layout = { .all_have = true, .mark_above = true };
	size_t above = SWEEP_NO_NEIGHBOUR;

	for (size_t i = 0; i < t->rows; i++) {
		const struct sweep_line *line = &t->line[i];
		const struct stats_middle *m = &line->middle;

		if (t->row[i].is_added)
			continue;
		layout.has_interval |= m->has_interval;
		layout.all_have &= m->has_interval;
		layout.is_inside |= m->has_interval && (m->low > m->min || m->high < m->max);
		/* Of a saved table it may not be known how many they were. */
		layout.is_uneven |= m->n != t->facts->asked && t->facts->asked > 0;
		layout.has_limiter |= *t->row[i].limiter != '\0';
		layout.has_mark |= line->has_mark;
		layout.mark_above &= !line->has_mark || t->row[i].neighbour == above;
		above = i;
	}
	return layout;
}

/* What has a median. */
static const char *unit_of(const struct sweep_facts *facts)
{
	return facts->parallel > 1 ? "round" : "connection";
}

static void say_size(FILE *out, const struct sweep_table *t)
{
	const struct sweep_facts *facts = t->facts;
	size_t all = t->settings * facts->asked;
	struct words words;

	words_begin(&words, out, 0, "");
	if (facts->is_saved && facts->asked == 0) {
		words_text(&words, "%zu setting%s", t->settings, words_plural(t->settings));
		words_end(&words);
		return;
	}
	words_text(&words, "%zu setting%s, %zu %s%s", t->settings, words_plural(t->settings),
		   facts->asked, unit_of(facts), words_plural(facts->asked));
	if (facts->duration_s > 0)
		words_text(&words, "of %s s", words_figure(facts->duration_s).text);
	words_text(&words, "each (%zu)", all);
	if (!facts->is_saved) {
		words_mark(&words, ',');
		words_text(&words, "interleaved, seed %" PRIu64, facts->seed);
	}
	if (facts->interrupted || t->connections < all) {
		words_mark(&words, facts->interrupted ? ',' : ';');
		words_text(&words, "%s%zu of %zu gave a rate",
			   facts->interrupted ? "interrupted: " : "", t->connections, all);
	}
	words_end(&words);
}

static void say_interval(struct words *words, const struct sweep_facts *facts,
			 const struct layout *layout)
{
	if (facts->parallel > 1)
		words_text(words,
			   "one median per round, of the sum of its %" PRIu64 " connections;",
			   facts->parallel);
	else
		words_text(words, "one median per connection;");
	if (!layout->has_interval) {
		words_text(words,
			   "below %d %ss there is no 95%% interval, so lowest and "
			   "highest stand for it.",
			   STATS_INTERVAL_FROM, unit_of(facts));
		return;
	}
	words_text(words, "%s is the 95%% interval of the median",
		   layout->is_inside ? "low to high" : "lowest to highest");
	if (!layout->all_have)
		words_text(words, "(there is none below %d %ss)", STATS_INTERVAL_FROM,
			   unit_of(facts));
	words_mark(words, '.');
}

static void say_mark(struct words *words, const struct sweep_table *t, const struct layout *layout)
{
	size_t n = t->facts->asked;

	const char *which = layout->mark_above ? "the row above" : "the number before";

	/* By chance every one would be above or below. */
	if (n == 1) {
		words_text(words, "* 10%% above or below %s; one connection proves nothing.",
			   which);
		return;
	}
	words_text(words, "* all %zu above or below all %zu of", n, n);
	words_text(words, "%s and 10%% apart", which);
	words_add(words, "(p %s).", words_p(dist_separation(n, n)).text);
}

static void say_sentences(FILE *out, const struct sweep_table *t, const struct layout *layout)
{
	struct words words;

	say_size(out, t);
	words_begin(&words, out, 0, "");
	say_interval(&words, t->facts, layout);
	if (layout->has_mark)
		say_mark(&words, t, layout);
	if (t->has_scale) {
		words_text(&words, "Bar: log scale,");
		words_add(&words, "%s to %s MB/sec.", words_figure(t->scale_low).text,
			  words_figure(t->scale_high).text);
	}
	words_end(&words);
}

/* ---- columns ---- */

struct source {
	const struct sweep_table *table;
	size_t row;
	const struct sweep_line *line;
};

static struct words_number word(const char *text)
{
	struct words_number cell;

	snprintf(cell.text, sizeof(cell.text), "%.31s", text);
	return cell;
}

static struct words_number figure(bool known, double value)
{
	return known ? words_figure(value) : word("n/a");
}

static struct words_number median_cell(const struct source *s)
{
	return figure(s->line->middle.n > 0, s->line->middle.median);
}

static struct words_number low_cell(const struct source *s)
{
	return figure(s->line->middle.has_interval, s->line->middle.low);
}

static struct words_number high_cell(const struct source *s)
{
	return figure(s->line->middle.has_interval, s->line->middle.high);
}

static struct words_number lowest_cell(const struct source *s)
{
	return figure(s->line->middle.n > 0, s->line->middle.min);
}

static struct words_number highest_cell(const struct source *s)
{
	return figure(s->line->middle.n > 0, s->line->middle.max);
}

static struct words_number spread_cell(const struct source *s)
{
	struct words_number cell = word("n/a");

	if (s->line->has_spread && s->line->spread < 9.995)
		snprintf(cell.text, sizeof(cell.text), "%.2f", s->line->spread);
	else if (s->line->has_spread)
		cell = words_times(s->line->spread);
	return cell;
}

static struct words_number groups_cell(const struct source *s)
{
	struct words_number cell = word("n/a");

	if (s->line->groups.grouping != STATS_GROUPS_TOO_FEW)
		snprintf(cell.text, sizeof(cell.text), "%zu", s->line->groups.count);
	return cell;
}

static struct words_number count_cell(const struct source *s)
{
	struct words_number cell;

	snprintf(cell.text, sizeof(cell.text), "%zu", s->line->middle.n);
	return cell;
}

static struct words_number limiter_cell(const struct source *s)
{
	const char *limiter = s->table->row[s->row].limiter;

	return word(*limiter ? limiter : "-");
}

static struct words_number mark_cell(const struct source *s)
{
	return word(s->line->differs ? "*" : "-");
}

struct column {
	const char *head;
	struct words_number (*of)(const struct source *s); /* NULL: a value */
	size_t axis;
	int width;
};

struct columns {
	struct column column[SWEEP_AXES + 10];
	size_t count;
	int bar; /* 0: there is none */
};

static void add_column(struct columns *c, const char *head,
		       struct words_number (*of)(const struct source *s), int width)
{
	int least = (int)strlen(head);

	c->column[c->count] = (struct column){
		.head = head, .of = of, .axis = c->count, .width = least > width ? least : width
	};
	c->count++;
}

static int cell_width(const struct column *column, const struct source *s)
{
	if (!column->of)
		return (int)strlen(s->table->row[s->row].value[column->axis]);
	return (int)strlen(column->of(s).text);
}

/* The bar has what is left of the line. */
static void set_widths(struct columns *c, const struct sweep_table *t)
{
	int used = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct column *column = &c->column[i];

		for (size_t row = 0; row < t->rows; row++) {
			const struct source s = { t, row, &t->line[row] };
			int width = t->row[row].is_added ? 0 : cell_width(column, &s);

			column->width = width > column->width ? width : column->width;
		}
		used += column->width + (column->of ? 1 : 2);
	}
	c->bar = WORDS_COLUMNS - used - 2;
	c->bar = c->bar > BAR_MOST ? BAR_MOST : c->bar;
	if (c->bar < BAR_LEAST || !t->has_scale)
		c->bar = 0;
}

static void make_columns(struct columns *c, const struct sweep_table *t,
			 const struct layout *layout)
{
	*c = (struct columns){ .count = 0 };
	for (size_t i = 0; i < t->facts->axes && i < SWEEP_AXES; i++)
		add_column(c, t->facts->axis[i], NULL, 0);
	add_column(c, "median", median_cell, 8);
	if (layout->is_inside) {
		add_column(c, "low", low_cell, 6);
		add_column(c, "high", high_cell, 6);
	}
	add_column(c, "lowest", lowest_cell, 7);
	add_column(c, "highest", highest_cell, 7);
	add_column(c, "spread", spread_cell, 6);
	add_column(c, "gr.", groups_cell, 3);
	if (layout->is_uneven)
		add_column(c, "n", count_cell, 2);
	if (layout->has_limiter)
		add_column(c, "limiter", limiter_cell, 7);
	add_column(c, "*", mark_cell, 2);
	set_widths(c, t);
}

/* Values begin where their column does, numbers end where it ends. */
static void put_cell(FILE *out, const struct column *column, const char *text)
{
	if (column->of)
		fprintf(out, " %*s", column->width, text);
	else
		fprintf(out, "  %-*s", column->width, text);
}

static void put_head(FILE *out, const struct columns *c)
{
	for (size_t i = 0; i < c->count; i++)
		put_cell(out, &c->column[i], c->column[i].head);
	fputs(c->bar ? "  bar\n" : "\n", out);
}

static void put_row(FILE *out, const struct columns *c, const struct source *s)
{
	static const char bar[] = "########################################";
	int length = sweep_bar(s->table, s->line, c->bar);

	for (size_t i = 0; i < c->count; i++) {
		const struct column *column = &c->column[i];
		const char *value = column->of ? NULL : s->table->row[s->row].value[column->axis];

		put_cell(out, column, value ? value : column->of(s).text);
	}
	if (c->bar && length > 0)
		fprintf(out, "  %.*s", length, bar);
	else if (c->bar)
		fputs("  -", out);
	putc('\n', out);
}

void figures_sweep(FILE *out, const struct sweep_table *table)
{
	struct layout layout = layout_of(table);
	struct columns columns;

	say_sentences(out, table, &layout);
	make_columns(&columns, table, &layout);
	putc('\n', out);
	put_head(out, &columns);
	for (size_t i = 0; i < table->rows; i++) {
		const struct source s = { table, i, &table->line[i] };

		if (!table->row[i].is_added)
			put_row(out, &columns, &s);
	}
}

/* ---- the medians ---- */

static int put_label(FILE *out, const struct sweep_table *t, size_t row)
{
	int used = fprintf(out, "  " MEDIANS);

	for (size_t i = 0; i < t->facts->axes; i++)
		used += fprintf(out, " %s %s", t->facts->axis[i], t->row[row].value[i]);
	putc(':', out);
	return used + 1;
}

static void put_medians(FILE *out, const struct sweep_table *t, size_t row)
{
	const struct sweep_row *r = &t->row[row];
	int used = put_label(out, t, row), on_line = 0;

	if (r->n == 0)
		fputs(" n/a", out);
	for (size_t i = 0; i < r->n; i++) {
		char text[32];
		int length = snprintf(text, sizeof(text), " %.6g", stats_rate(r->median[i]));

		if (on_line >= MEDIANS_LEAST && used + length > WORDS_COLUMNS) {
			putc('\n', out);
			used = put_label(out, t, row);
			on_line = 0;
		}
		fputs(text, out);
		used += length;
		on_line++;
	}
	putc('\n', out);
}

void figures_sweep_medians(FILE *out, const struct sweep_table *table)
{
	fprintf(out, "each %s's median in MB/sec, in the order of their start, for -r:\n",
		unit_of(table->facts));
	for (size_t i = 0; i < table->rows; i++)
		if (!table->row[i].is_added)
			put_medians(out, table, i);
}

/* ---- JSON ---- */

static void put_values(struct json *json, const struct sweep_table *t, size_t row)
{
	json_open(json, "setting", '{');
	for (size_t i = 0; i < t->facts->axes; i++) {
		const char *value = t->row[row].value[i];

		json_text(json, t->facts->axis[i], strcmp(value, SWEEP_EMPTY) == 0 ? "" : value);
	}
	json_close(json, '}');
}

static void put_setting(FILE *out, const struct sweep_table *t, size_t row)
{
	const struct sweep_row *r = &t->row[row];
	const struct sweep_line *line = &t->line[row];
	const struct stats_middle *m = &line->middle;
	struct json json;

	json_begin(&json, out, "setting");
	json_count(&json, "number", row + 1);
	put_values(&json, t, row);
	json_bool(&json, "added", r->is_added);
	json_count(&json, "connections", m->n);
	figures_middle_json(&json, m->n > 0, m);
	json_known(&json, "spread_ratio", line->has_spread, line->spread);
	figures_groups_json(&json, &line->groups, NULL);
	json_text(&json, "limiter", *r->limiter ? r->limiter : NULL);
	if (r->neighbour < t->rows)
		json_count(&json, "neighbour", r->neighbour + 1);
	else
		json_null(&json, "neighbour");
	if (line->has_mark)
		json_bool(&json, "differs", line->differs);
	else
		json_null(&json, "differs");
	figures_medians_json(&json, r);
	json_end(&json);
}

void figures_sweep_json(FILE *out, const struct sweep_table *table)
{
	const struct sweep_facts *facts = table->facts;
	struct json json;

	json_begin(&json, out, "sweep");
	json_open(&json, "axes", '[');
	for (size_t i = 0; i < facts->axes; i++)
		json_text(&json, NULL, facts->axis[i]);
	json_close(&json, ']');
	json_count(&json, "settings", table->settings);
	json_count(&json, "connections_asked", table->settings * facts->asked);
	json_count(&json, "connections", table->connections);
	json_known(&json, "duration_s", facts->duration_s > 0, facts->duration_s);
	if (facts->is_saved)
		json_null(&json, "seed");
	else
		json_count(&json, "seed", facts->seed);
	json_bool(&json, "interrupted", facts->interrupted);
	json_end(&json);
	for (size_t i = 0; i < table->rows; i++)
		put_setting(out, table, i);
}
