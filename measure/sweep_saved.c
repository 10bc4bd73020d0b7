/* The text of a sweep: see sweep_saved.h. */
#include "sweep_saved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (SWEEP_AXES + 12) /* of a row at most, and one more */
#define ROWS_MAX 5000		/* beyond belief: others are passed over */
#define ASKED_MAX 1000000000
#define INSIDE_FROM 9 /* from so many on the interval is not just lowest and highest */

/* ---- rows ---- */

static struct sweep_saved_row *find_row(const struct sweep_saved *saved, const char *label)
{
	for (size_t i = 0; i < saved->count; i++)
		if (strcmp(saved->row[i].label, label) == 0)
			return &saved->row[i];
	return NULL;
}

const struct sweep_saved_row *sweep_saved_find(const struct sweep_saved *saved, const char *label)
{
	return find_row(saved, label);
}

/* Takes label over.  NULL: no memory. */
static struct sweep_saved_row *add_row(struct sweep_saved *saved, char *label)
{
	size_t room = saved->room ? 2 * saved->room : 16;
	struct sweep_saved_row *grown = saved->row;

	if (saved->count == saved->room) {
		grown = realloc(saved->row, room * sizeof(*grown));
		if (grown) {
			saved->row = grown;
			saved->room = room;
		}
	}
	if (!grown) {
		free(label);
		return NULL;
	}
	grown[saved->count] = (struct sweep_saved_row){ .label = label };
	return &grown[saved->count++];
}

static int add_median(struct sweep_saved_row *row, double median)
{
	size_t room = row->room ? 2 * row->room : 8;
	double *grown;

	if (row->n == row->room) {
		grown = realloc(row->median, room * sizeof(*grown));
		if (!grown)
			return -1;
		row->median = grown;
		row->room = room;
	}
	row->median[row->n++] = median;
	return 0;
}

static int set_middle(struct sweep_saved_row *row)
{
	row->has_rate = row->n > 0;
	return stats_middle(row->median, row->n, &row->middle);
}

/* ---- words ---- */

struct word {
	const char *text;
	size_t length;
};

/* How many words there are in a line, of which the first most are kept. */
static size_t cut(const char *line, struct word *word, size_t most)
{
	size_t count = 0;

	for (line += strspn(line, " "); *line; line += strspn(line, " ")) {
		size_t length = strcspn(line, " ");

		if (count < most)
			word[count] = (struct word){ line, length };
		count++;
		line += length;
	}
	return count;
}

static bool is_word(const struct word *word, const char *text)
{
	return strlen(text) == word->length && strncmp(word->text, text, word->length) == 0;
}

/* Digits, perhaps a fraction and an exponent, and nothing else. */
static bool take_number(const struct word *word, double *value)
{
	size_t n = strspn(word->text, "0123456789.e+");
	char *end;

	if (n != word->length || *word->text < '0' || *word->text > '9')
		return false;
	*value = strtod(word->text, &end);
	return end == word->text + n && isfinite(*value);
}

static bool take_count(const struct word *word, size_t *value)
{
	double number;

	if (strspn(word->text, "0123456789") != word->length || !take_number(word, &number) ||
	    number > ASKED_MAX)
		return false;
	*value = (size_t)number;
	return true;
}

/* ---- the medians ---- */

/* The words behind the colon, whether they are all of the kind. */
static bool are_medians(const char *text)
{
	struct word word;
	double unused;

	if (strcmp(text, "n/a") == 0)
		return true;
	for (; *text; text += strspn(text, " ")) {
		cut(text, &word, 1);
		if (!take_number(&word, &unused))
			return false;
		text += word.length;
	}
	return true;
}

/* The last colon of a line: values may have one. */
static const char *colon_of(const char *text)
{
	const char *found = NULL;

	for (const char *at = text; (at = strstr(at, ": ")) != NULL; at++)
		found = at;
	return found;
}

static int take_medians(struct sweep_reader *reader, const char *line)
{
	static const char key[] = "medians ";
	const char *from = line + strlen(key), *colon;
	struct sweep_saved_row *row;
	struct word word;
	char *label;

	if (strncmp(line, key, strlen(key)) != 0)
		return 0;
	colon = colon_of(from);
	if (!colon || colon == from || !colon[2] || !are_medians(colon + 2))
		return 0;
	label = strndup(from, (size_t)(colon - from));
	if (!label)
		return -1;
	row = find_row(reader->saved, label);
	if (row || reader->saved->count == ROWS_MAX)
		free(label);
	else
		row = add_row(reader->saved, label);
	if (!row)
		return reader->saved->count == ROWS_MAX ? 0 : -1;
	if (!row->has_medians)
		row->n = 0;
	row->has_medians = true;
	for (const char *at = colon + 2; *at && *at != 'n'; at += strspn(at, " ")) {
		double median;

		cut(at, &word, 1);
		if (take_number(&word, &median) && add_median(row, median))
			return -1;
		at += word.length;
	}
	return 1;
}

/* ---- the table ---- */

/* "18 settings, 5 connections of 1 s each (90), ..." */
static int take_size(struct sweep_reader *reader, const char *line)
{
	struct word word[4];
	size_t settings, asked;

	if (cut(line, word, 4) < 5 || !take_count(&word[0], &settings) ||
	    (!is_word(&word[1], "settings,") && !is_word(&word[1], "setting,")) ||
	    !take_count(&word[2], &asked) ||
	    (!is_word(&word[3], "connections") && !is_word(&word[3], "connection") &&
	     !is_word(&word[3], "rounds") && !is_word(&word[3], "round")))
		return 0;
	reader->asked = asked;
	return 1;
}

/* The word number at is this one; then at is moved on. */
static bool skip(const struct word *word, size_t count, size_t *at, const char *text)
{
	if (*at >= count || !is_word(&word[*at], text))
		return false;
	++*at;
	return true;
}

/* The names of the columns: those behind the axes. */
static int take_head(struct sweep_reader *reader, const char *line)
{
	struct word word[WORDS];
	size_t count = cut(line, word, WORDS), axes = 0, at;
	bool has_interval, has_count;

	if (count > WORDS)
		return 0;
	while (axes < count && !is_word(&word[axes], "median"))
		axes++;
	at = axes;
	if (axes == 0 || axes > SWEEP_AXES || !skip(word, count, &at, "median"))
		return 0;
	has_interval = skip(word, count, &at, "low");
	if (has_interval && !skip(word, count, &at, "high"))
		return 0;
	if (!skip(word, count, &at, "lowest") || !skip(word, count, &at, "highest") ||
	    !skip(word, count, &at, "spread") || !skip(word, count, &at, "gr."))
		return 0;
	has_count = skip(word, count, &at, "n");
	skip(word, count, &at, "limiter");
	if (!skip(word, count, &at, "*"))
		return 0;
	reader->words = at;
	skip(word, count, &at, "bar");
	if (at < count)
		return 0;
	for (size_t i = 0; i < axes; i++) {
		if (word[i].length >= sizeof(reader->axis[i]))
			return 0;
		memcpy(reader->axis[i], word[i].text, word[i].length);
		reader->axis[i][word[i].length] = '\0';
	}
	reader->axes = axes;
	reader->has_interval = has_interval;
	reader->has_count = has_count;
	return 1;
}

/* The figures of a row; false where they are none. */
static bool take_figures(const struct sweep_reader *reader, const struct word *word,
			 struct sweep_saved_row *row)
{
	const size_t inside = reader->has_interval ? 2 : 0;
	struct stats_middle *m = &row->middle;
	double spread;
	bool has_interval;

	*m = (struct stats_middle){ .n = 0 };
	row->n = reader->asked;
	if (reader->has_count && !take_count(&word[5 + inside], &row->n))
		return false;
	if (is_word(word, "n/a")) {
		row->n = 0;
		return is_word(&word[1 + inside], "n/a");
	}
	if (!take_number(&word[0], &m->median) || !take_number(&word[1 + inside], &m->min) ||
	    !take_number(&word[2 + inside], &m->max) ||
	    (!take_number(&word[3 + inside], &spread) && !is_word(&word[3 + inside], "n/a")))
		return false;
	m->n = row->n;
	row->has_rate = true;
	has_interval = inside && !is_word(&word[1], "n/a");
	if (has_interval) {
		m->has_interval = true;
		return take_number(&word[1], &m->low) && take_number(&word[2], &m->high);
	}
	if (row->n >= STATS_INTERVAL_FROM && row->n < INSIDE_FROM) {
		m->has_interval = true;
		m->low = m->min;
		m->high = m->max;
	}
	return true;
}

/* "-b 64K -t SO_SNDBUF=32K" of the first words of a row, NULL: no memory. */
static char *label_of(const struct sweep_reader *reader, const struct word *word)
{
	const char *axis[SWEEP_AXES], *value[SWEEP_AXES] = { NULL };
	char *copy[SWEEP_AXES] = { NULL }, *label = NULL;
	size_t i;

	for (i = 0; i < reader->axes; i++) {
		axis[i] = reader->axis[i];
		value[i] = copy[i] = strndup(word[i].text, word[i].length);
		if (!copy[i])
			break;
	}
	if (i == reader->axes)
		label = sweep_label(axis, value, reader->axes);
	for (i = 0; i < reader->axes; i++)
		free(copy[i]);
	return label;
}

static int take_row(struct sweep_reader *reader, const char *line)
{
	struct word word[WORDS];
	size_t count = cut(line, word, WORDS);
	struct sweep_saved_row figures = { .label = NULL }, *row;
	char *label;

	if (reader->axes == 0)
		return 0;
	if ((count != reader->words && count != reader->words + 1) ||
	    !take_figures(reader, word + reader->axes, &figures)) {
		reader->axes = 0;
		return 0;
	}
	label = label_of(reader, word);
	if (!label)
		return -1;
	row = find_row(reader->saved, label);
	if (row || reader->saved->count == ROWS_MAX) {
		/* What has been read of it is better, or as good. */
		free(label);
		return row ? 1 : 0;
	}
	row = add_row(reader->saved, label);
	if (!row)
		return -1;
	figures.label = label;
	*row = figures;
	return 1;
}

int sweep_saved_take(struct sweep_reader *reader, const char *line)
{
	int taken = 0;

	if (*line == '\0')
		return 0;
	taken = take_row(reader, line);
	if (taken == 0)
		taken = take_head(reader, line);
	if (taken == 0)
		taken = take_size(reader, line);
	if (taken == 0)
		taken = take_medians(reader, line);
	return taken;
}

int sweep_saved_finish(struct sweep_reader *reader)
{
	for (size_t i = 0; i < reader->saved->count; i++) {
		struct sweep_saved_row *row = &reader->saved->row[i];

		if (row->has_medians && set_middle(row))
			return -1;
	}
	return 0;
}

/* ---- a sweep that is here ---- */

static int add_setting(const struct sweep_table *table, size_t at, struct sweep_saved *saved)
{
	const struct sweep_row *from = &table->row[at];
	char *label = sweep_label(table->facts->axis, from->value, table->facts->axes);
	struct sweep_saved_row *row = label ? add_row(saved, label) : NULL;

	if (!row)
		return -1;
	row->has_medians = true;
	for (size_t i = 0; i < from->n; i++)
		if (add_median(row, stats_rate(from->median[i])))
			return -1;
	return set_middle(row);
}

int sweep_saved_of(const struct sweep_table *table, struct sweep_saved *saved)
{
	*saved = (struct sweep_saved){ .count = 0 };
	for (size_t i = 0; i < table->rows; i++)
		if (!table->row[i].is_added && add_setting(table, i, saved)) {
			sweep_saved_free(saved);
			return -1;
		}
	return 0;
}

void sweep_saved_free(struct sweep_saved *saved)
{
	for (size_t i = 0; i < saved->count; i++) {
		free(saved->row[i].label);
		free(saved->row[i].median);
	}
	free(saved->row);
	*saved = (struct sweep_saved){ .count = 0 };
}
