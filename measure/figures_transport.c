/* Transports side by side, as lmbench's users know them: see figures.h. */
#include "figures.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "stats.h"
#include "sweep_table.h"
#include "words.h"

#define LABEL_WIDTH 11
#define COLUMNS 7 /* side by side */
#define NONE ((size_t)-1)

/* By the words of -x. */
static const struct {
	const char *word;
	const char *head[2];
} transports[] = {
	{ "pipe", { "Pipe", "" } },	   { "unix", { "AF UNIX", "" } },
	{ "tcp", { "TCP", "" } },	   { "tcp6", { "TCP", "(IPv6)" } },
	{ "file", { "File", "reread" } },  { "mmap", { "Mmap", "reread" } },
	{ "copy", { "Bcopy", "(libc)" } },
};

static const char *head_of(const char *word, size_t line)
{
	for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++)
		if (strcmp(transports[i].word, word) == 0)
			return transports[i].head[line];
	return line ? "" : word;
}

/* The row that the others are held against, NONE: there is none. */
static size_t find_tcp(const struct sweep_table *t)
{
	static const char *const words[] = { "tcp", "tcp6" };

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		for (size_t i = 0; i < t->rows; i++)
			if (strcmp(t->row[i].value[0], words[k]) == 0 && t->line[i].middle.n > 0)
				return i;
	return NONE;
}

/* How TCP compares with a transport; false where one of them has no rate. */
static bool tcp_to(const struct sweep_table *t, size_t tcp, size_t row, double *ratio)
{
	const struct stats_middle *m = &t->line[row].middle;

	if (tcp == NONE || m->n == 0 || m->median <= 0)
		return false;
	*ratio = t->line[tcp].middle.median / m->median;
	return true;
}

/* ---- text ---- */

struct part {
	const struct sweep_table *table;
	size_t first; /* of the rows that stand side by side, */
	size_t end;   /* and behind the last */
	size_t tcp;
	int width;
};

static void put_heads(FILE *out, const struct part *p)
{
	for (size_t line = 0; line < 2; line++) {
		int blanks = LABEL_WIDTH, any = 0;

		/* No blanks at the end of a line. */
		for (size_t i = p->first; i < p->end; i++) {
			const char *head = head_of(p->table->row[i].value[0], line);

			blanks += p->width;
			if (*head) {
				fprintf(out, "%*s", blanks, head);
				blanks = 0;
				any = 1;
			}
		}
		if (any)
			putc('\n', out);
	}
}

static void put_rates(FILE *out, const struct part *p, const char *label,
		      double (*of)(const struct stats_middle *m), const char *unit)
{
	fprintf(out, "%-*s", LABEL_WIDTH, label);
	for (size_t i = p->first; i < p->end; i++) {
		const struct stats_middle *m = &p->table->line[i].middle;

		fprintf(out, "%*s", p->width, words_figure(m->n > 0 ? of(m) : -1).text);
	}
	fprintf(out, "%s\n", unit);
}

static double median_of(const struct stats_middle *m)
{
	return m->median;
}

static double lowest_of(const struct stats_middle *m)
{
	return m->min;
}

static double highest_of(const struct stats_middle *m)
{
	return m->max;
}

static void put_shares(FILE *out, const struct part *p)
{
	fprintf(out, "%-*s", LABEL_WIDTH, "  TCP/this");
	for (size_t i = p->first; i < p->end; i++) {
		double ratio;

		if (!tcp_to(p->table, p->tcp, i, &ratio))
			fprintf(out, "%*s", p->width, "n/a");
		else if (ratio >= 0.1 && ratio < 99.995)
			fprintf(out, "%*.2f", p->width, ratio);
		else
			fprintf(out, "%*s", p->width, words_times(ratio).text);
	}
	putc('\n', out);
}

static void put_part(FILE *out, const struct part *p)
{
	put_heads(out, p);
	put_rates(out, p, "  median", median_of, " MB/sec");
	put_rates(out, p, "  lowest", lowest_of, "");
	put_rates(out, p, "  highest", highest_of, "");
	if (p->tcp != NONE)
		put_shares(out, p);
}

void figures_transports(FILE *out, const struct sweep_table *table, const char *block)
{
	const struct sweep_facts *facts = table->facts;
	struct words words;

	words_begin(&words, out, 0, "");
	words_text(&words, "%zu transport%s, %s blocks, %zu connection%s", table->settings,
		   words_plural(table->settings), block, facts->asked, words_plural(facts->asked));
	if (facts->duration_s > 0)
		words_text(&words, "of %s s", words_figure(facts->duration_s).text);
	words_text(&words, "each, interleaved, seed %llu", (unsigned long long)facts->seed);
	if (table->connections < table->settings * facts->asked) {
		words_mark(&words, facts->interrupted ? ',' : ';');
		words_text(&words, "%s%zu of %zu gave a rate",
			   facts->interrupted ? "interrupted: " : "", table->connections,
			   table->settings * facts->asked);
	}
	words_end(&words);
	for (size_t i = 0; i < table->rows; i += COLUMNS) {
		struct part part = { table, i, table->rows, find_tcp(table), 9 };

		if (part.end - i >= COLUMNS) {
			part.end = i + COLUMNS;
			part.width = 8;
		}
		put_part(out, &part);
	}
}

/* ---- JSON ---- */

void figures_transports_json(FILE *out, const struct sweep_table *table)
{
	size_t tcp = find_tcp(table);

	for (size_t i = 0; i < table->rows; i++) {
		const struct stats_middle *m = &table->line[i].middle;
		struct json json;
		double ratio;

		json_begin(&json, out, "transport");
		json_text(&json, "transport", table->row[i].value[0]);
		json_count(&json, "connections", m->n);
		figures_middle_json(&json, m->n > 0, m);
		json_real(&json, "tcp_to_this_ratio",
			  tcp_to(table, tcp, i, &ratio) ? ratio : (double)NAN);
		figures_medians_json(&json, &table->row[i]);
		json_end(&json);
	}
}
