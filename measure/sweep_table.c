/* The rows of a sweep: see sweep_table.h. */
#include "sweep_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures ---- */

#define ROUNDING 1e-9 /* 110 is 10 % above 100, whatever log() makes of it */

static bool are_times_apart(double a, double b, double times)
{
	return fabs(stats_ln(a) - stats_ln(b)) >= log(times) - ROUNDING;
}

bool sweep_are_apart(const struct stats_middle *a, const struct stats_middle *b, double times)
{
	if (a->n == 0 || b->n == 0)
		return false;
	return (a->min > b->max || a->max < b->min) && are_times_apart(a->median, b->median, times);
}

static int make_line(const struct sweep_row *row, struct sweep_line *line)
{
	*line = (struct sweep_line){ .has_mark = false };
	if (stats_middle(row->median, row->n, &line->middle) ||
	    stats_groups(row->median, row->n, &line->groups))
		return -1;
	line->has_spread = line->middle.n > 0 && line->middle.min > 0;
	if (line->has_spread)
		line->spread = line->middle.max / line->middle.min;
	return 0;
}

static void mark_line(struct sweep_table *table, size_t at)
{
	size_t neighbour = table->row[at].neighbour;
	struct sweep_line *line = &table->line[at];

	if (neighbour >= table->rows)
		return;
	line->has_mark = line->middle.n > 0 && table->line[neighbour].middle.n > 0;
	line->differs = sweep_are_apart(&line->middle, &table->line[neighbour].middle,
					STATS_CHANGE_MIN);
}

/* ---- the scale ---- */

/* Two significant digits, down or up, as they are printed. */
static double round_down(double value)
{
	double unit = pow(10, floor(log10(value)) - 1);

	return floor(value / unit) * unit;
}

static double round_up(double value)
{
	double unit = pow(10, floor(log10(value)) - 1);

	return ceil(value / unit) * unit;
}

static void make_scale(struct sweep_table *table)
{
	double low = HUGE_VAL, high = 0;

	for (size_t i = 0; i < table->rows; i++) {
		for (size_t k = 0; k < table->row[i].n && !table->row[i].is_added; k++) {
			double rate = stats_rate(table->row[i].median[k]);

			low = rate > 0 ? fmin(low, rate) : low;
			high = fmax(high, rate);
		}
	}
	table->has_scale = high > 0;
	if (!table->has_scale)
		return;
	table->scale_low = round_down(low);
	table->scale_high = round_up(high);
	/* All are alike, and a round number: their bars are full. */
	if (table->scale_high <= table->scale_low)
		table->scale_low = table->scale_high / 2;
}

int sweep_bar(const struct sweep_table *table, const struct sweep_line *line, int size)
{
	double share;
	int length;

	if (!table->has_scale || line->middle.n == 0 || line->middle.median <= 0)
		return 0;
	share = log(line->middle.median / table->scale_low) /
		log(table->scale_high / table->scale_low);
	length = (int)ceil(share * size);
	return length < 1 ? 1 : length > size ? size : length;
}

/* ---- the table ---- */

int sweep_table_make(const struct sweep_facts *facts, const struct sweep_row *row, size_t rows,
		     struct sweep_table *table)
{
	*table = (struct sweep_table){ .facts = facts, .row = row, .rows = rows };
	table->line = calloc(rows + 1, sizeof(*table->line)); /* + 1: rows may be 0 */
	if (!table->line)
		return -1;
	for (size_t i = 0; i < rows; i++) {
		if (make_line(&row[i], &table->line[i])) {
			sweep_table_free(table);
			return -1;
		}
		table->settings += !row[i].is_added;
		table->connections += row[i].is_added ? 0 : row[i].n;
	}
	for (size_t i = 0; i < rows; i++)
		mark_line(table, i);
	make_scale(table);
	return 0;
}

void sweep_table_free(struct sweep_table *table)
{
	free(table->line);
	*table = (struct sweep_table){ .rows = 0 };
}

/* ---- words ---- */

static bool is_separator(char c)
{
	return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

char *sweep_word(const char *value)
{
	size_t used = 0, size = strlen(value) + sizeof(SWEEP_EMPTY);
	char *word = malloc(size);

	if (!word)
		return NULL;
	for (const char *c = value; *c; c++) {
		if (!is_separator(*c))
			word[used++] = *c > ' ' && *c < 0x7f ? *c : '?';
		else if (used > 0 && word[used - 1] != ',')
			word[used++] = ',';
	}
	used -= used > 0 && word[used - 1] == ',';
	word[used] = '\0';
	if (used == 0)
		memcpy(word, SWEEP_EMPTY, sizeof(SWEEP_EMPTY));
	return word;
}

char *sweep_label(const char *const *axis, const char *const *value, size_t axes)
{
	size_t size = 1, used = 0;
	char *label;

	for (size_t i = 0; i < axes; i++)
		size += strlen(axis[i]) + strlen(value[i]) + 2;
	label = malloc(size);
	if (!label)
		return NULL;
	for (size_t i = 0; i < 2 * axes; i++) {
		const char *text = i % 2 ? value[i / 2] : axis[i / 2];
		size_t length = strlen(text);

		if (i > 0)
			label[used++] = ' ';
		memcpy(label + used, text, length);
		used += length;
	}
	label[used] = '\0';
	return label;
}
