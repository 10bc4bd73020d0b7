/* What goes with fast and slow, and known mechanisms: see figures.h. */
#include <math.h>
#include <stdio.h>

#include "association.h"
#include "evidence.h"
#include "explain.h"
#include "facts.h"
#include "figures.h"
#include "json.h"
#include "limiter.h"
#include "mechanism.h"
#include "words.h"

#define ROWS_MAX 60
#define LIST_MAX 30 /* connections or ranges of them in a list */
#define INDENT 2

/* ---- lists of connections ---- */

/* "1 3-6 9", by numbers in their order. */
struct list {
	struct words *words;
	unsigned int first, last; /* a range that may go on; 0: none yet */
	size_t parts;
};

static void list_end(struct list *list)
{
	if (!list->first || ++list->parts > LIST_MAX + 1)
		return;
	if (list->parts > LIST_MAX)
		words_add(list->words, "...");
	else if (list->last > list->first + 1)
		words_add(list->words, "%u-%u", list->first, list->last);
	else if (list->last > list->first)
		words_text(list->words, "%u %u", list->first, list->last);
	else
		words_add(list->words, "%u", list->first);
}

static void list_add(struct list *list, unsigned int number)
{
	if (list->first && number == list->last + 1) {
		list->last = number;
		return;
	}
	list_end(list);
	list->first = list->last = number;
}

static void add_list(struct words *words, const unsigned int *number, size_t count)
{
	struct list list = { .words = words };

	for (size_t i = 0; i < count; i++)
		list_add(&list, number[i]);
	list_end(&list);
}

/* ---- the kernel's table ---- */

/* The CPU that it was seen on most, with a mark where there were others. */
static struct words_number cpu_text(const struct facts_cpus *cpus)
{
	struct words_number number;
	unsigned int most = 0;

	for (unsigned int i = 1; i < cpus->count; i++)
		if (cpus->share[i] > cpus->share[most])
			most = i;
	if (cpus->count == 0)
		snprintf(number.text, sizeof(number.text), "n/a");
	else
		snprintf(number.text, sizeof(number.text), "%d%s", cpus->cpu[most],
			 cpus->count > 1 ? "*" : "");
	return number;
}

static void print_table_head(FILE *out)
{
	fputs("conn  MB/sec limiter     busy  cwnd    rtt  lost   seg sndbuf rcvbuf   cpu\n"
	      "                            %   seg     us   seg    kB     kB     kB   s>r\n",
	      out);
}

/* What the two columns that need it stand for. */
static void print_table_legend(FILE *out)
{
	fputs("lost: sent again, without what was unneeded (DSACK); * on other CPUs, too\n", out);
}

static void print_table_row(FILE *out, unsigned int number, double rate, const struct facts *facts)
{
	const double *s = facts->value[FACTS_SENDER], *r = facts->value[FACTS_RECEIVER];
	double busy = facts_share(facts, FACTS_SENDER, FACT_BUSY);
	struct limiter limiter = limiter_of(facts, rate * 1e6);

	/* The kernel counts it in ticks, which may reach beyond the end. */
	busy = busy > 1 ? 1 : busy;
	fprintf(out, "%4u %7s %-11s %4s %5s %6s %5s %5s %6s %6s %4s>%s\n", number,
		words_figure(rate).text, limiter.text, words_whole(100 * busy).text,
		words_whole(s[FACT_CWND]).text, words_whole(s[FACT_RTT]).text,
		words_whole(s[FACT_LOST]).text, words_times(s[FACT_MEAN_SEGMENT] / 1e3).text,
		words_times(s[FACT_SNDBUF] / 1e3).text, words_times(r[FACT_RCVBUF] / 1e3).text,
		cpu_text(&facts->cpus[FACTS_SENDER]).text,
		cpu_text(&facts->cpus[FACTS_RECEIVER]).text);
}

/* Those of which nothing is known. */
static void print_unseen(FILE *out, const struct evidence *evidence)
{
	struct words words;
	struct list list = { .words = &words };

	for (size_t i = 0; i < evidence->count; i++) {
		if (evidence->connection[i].facts)
			continue;
		if (!list.first) {
			words_begin(&words, out, INDENT, "");
			words_text(&words, "n/a for connections:");
		}
		list_add(&list, evidence->connection[i].number);
	}
	list_end(&list);
	if (list.first)
		words_end(&words);
}

void figures_kernel(FILE *out, const struct evidence *evidence)
{
	size_t rows = 0;

	for (size_t i = 0; i < evidence->count; i++) {
		const struct evidence_connection *one = &evidence->connection[i];

		if (!one->facts || rows++ >= ROWS_MAX)
			continue;
		if (rows == 1)
			print_table_head(out);
		print_table_row(out, one->number, one->rate, one->facts);
	}
	if (rows > ROWS_MAX)
		fprintf(out, "  and %zu more\n", rows - ROWS_MAX);
	if (rows)
		print_table_legend(out);
	print_unseen(out, evidence);
	if (evidence->count == 0)
		fputs("n/a: no connection has ended\n", out);
}

void figures_kernel_json(FILE *out, const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->count; i++) {
		const struct evidence_connection *one = &evidence->connection[i];
		struct json json;

		json_begin(&json, out, "kernel");
		json_count(&json, "connection", one->number);
		json_real(&json, "rate_MB_per_s", one->rate < 0 ? NAN : one->rate);
		figures_facts_json(&json, one->facts, one->rate);
		json_end(&json);
	}
}

/* ---- what goes with it ---- */

static void print_odd(FILE *out, const struct explanation *e)
{
	if (!e->odds)
		return;
	fputs("odd connections, too few for a test; their facts:\n", out);
	print_table_head(out);
	for (size_t i = 0; i < e->odds; i++)
		print_table_row(out, e->odd[i].number, e->odd[i].rate, e->odd[i].facts);
}

static void print_changes(FILE *out, const struct explanation *e)
{
	for (size_t i = 0; i < e->changes; i++) {
		const struct explain_change *change = &e->change[i];
		struct words words;

		words_begin(&words, out, INDENT, "with");
		words_text(&words, "the level of connection %u after %s s", change->connection,
			   words_figure(change->after_s).text);
		words_text(&words, change->count ? "changed:" : "changed none of the facts.");
		for (size_t k = 0; k < change->count; k++)
			words_text(
				&words, "%s from %s to %s%s", change->fact[k].name,
				words_quantity(change->fact[k].before, change->fact[k].unit).text,
				words_quantity(change->fact[k].after, change->fact[k].unit).text,
				k + 1 < change->count ? "," : ".");
		words_end(&words);
	}
}

void figures_explain(FILE *out, const struct explanation *explanation)
{
	switch (explanation->spread) {
	case EXPLAIN_SPREAD:
		figures_association(out, explanation->association, explanation->facts);
		break;
	case EXPLAIN_NO_SPREAD:
		fputs("nothing to explain: connections differ no more than by chance\n", out);
		break;
	case EXPLAIN_TOO_FEW:
		fputs("cannot tell below 3 connections, with 2 intervals in one of them\n", out);
		break;
	case EXPLAIN_NOT_WATCHED:
		fputs("n/a: the kernel told nothing of these connections\n", out);
		break;
	}
	print_odd(out, explanation);
	print_changes(out, explanation);
}

void figures_explain_json(FILE *out, const struct explanation *explanation)
{
	struct json json;

	if (explanation->spread == EXPLAIN_SPREAD)
		figures_association_json(out, explanation->association, explanation->facts);
	for (size_t i = 0; i < explanation->changes; i++) {
		const struct explain_change *change = &explanation->change[i];

		json_begin(&json, out, "change_facts");
		json_count(&json, "connection", change->connection);
		json_real(&json, "after_s", change->after_s);
		json_open(&json, "facts", '[');
		for (size_t k = 0; k < change->count; k++) {
			json_open(&json, NULL, '{');
			json_text(&json, "name", change->fact[k].name);
			json_text(&json, "unit", change->fact[k].unit);
			json_real(&json, "before", change->fact[k].before);
			json_real(&json, "after", change->fact[k].after);
			json_close(&json, '}');
		}
		json_close(&json, ']');
		json_end(&json);
	}
}

/* ---- mechanisms ---- */

static void print_mechanism(FILE *out, const struct explain_mechanism *one, size_t watched)
{
	struct words words;

	words_begin(&words, out, INDENT, "");
	words_text(&words, "%s,", one->rule->title);
	if (one->members == watched && watched > 1) {
		words_text(&words, "in all %zu connections:", watched);
	} else {
		words_text(&words, "in connection%s", words_plural(one->members));
		add_list(&words, one->member, one->members);
		words_mark(&words, ':');
	}
	words_end(&words);
	words_begin(&words, out, 2 * INDENT, "");
	if (one->members > 1)
		words_text(&words, "(connection %u)", one->typical);
	words_text(&words, "%s", one->sentence);
	words_end(&words);
	if (one->rule->source && *one->rule->source) {
		words_begin(&words, out, 2 * INDENT, "");
		words_text(&words, "[%s]", one->rule->source);
		words_end(&words);
	}
}

void figures_mechanisms(FILE *out, const struct explanation *explanation)
{
	if (explanation->watched == 0)
		fprintf(out, "n/a: the kernel told nothing of these connections\n");
	else if (explanation->judged == 0)
		fprintf(out, "n/a: less than 0.1 s of each connection was watched\n");
	else if (explanation->mechanisms == 0)
		fprintf(out, "none of %zu has its evidence in this run\n", explanation->rules);
	for (size_t i = 0; i < explanation->mechanisms; i++)
		print_mechanism(out, &explanation->mechanism[i], explanation->watched);
}

void figures_mechanisms_json(FILE *out, const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->mechanisms; i++) {
		const struct explain_mechanism *one = &explanation->mechanism[i];
		struct json json;

		json_begin(&json, out, "mechanism");
		json_text(&json, "name", one->rule->name);
		json_text(&json, "title", one->rule->title);
		json_open(&json, "connections", '[');
		for (size_t k = 0; k < one->members; k++)
			json_count(&json, NULL, one->member[k]);
		json_close(&json, ']');
		json_count(&json, "typical_connection", one->typical);
		json_text(&json, "text", one->sentence);
		json_text(&json, "source", one->rule->source);
		json_end(&json);
	}
}
