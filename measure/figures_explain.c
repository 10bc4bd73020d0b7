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

/* ---- the kernel's table ---- */

static struct words_number figure_or_dash(const char *format, double value)
{
	struct words_number number;

	if (isnan(value))
		snprintf(number.text, sizeof(number.text), "n/a");
	else
		snprintf(number.text, sizeof(number.text), format, value);
	return number;
}

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
	fputs(" conn  MB/sec limiter    busy  cwnd     rtt  lost seg kB sndbuf rcvbuf  cpu\n"
	      "                           %   seg      us   seg   mean     MB     MB  s>r\n",
	      out);
}

static void print_table_row(FILE *out, unsigned int number, double rate, const struct facts *facts)
{
	const double *s = facts->value[FACTS_SENDER], *r = facts->value[FACTS_RECEIVER];
	struct limiter limiter = limiter_of(facts, rate * 1e6);

	fprintf(out, "%5u %7s %-9s %5s %5s %7s %5s %6s %6s %6s %2s>%s\n", number,
		words_figure(rate).text, limiter.text,
		figure_or_dash("%.0f", 100 * facts_share(facts, FACTS_SENDER, FACT_BUSY)).text,
		figure_or_dash("%.0f", s[FACT_CWND]).text, figure_or_dash("%.0f", s[FACT_RTT]).text,
		figure_or_dash("%.0f", s[FACT_LOST]).text,
		figure_or_dash("%.1f", s[FACT_MEAN_SEGMENT] / 1e3).text,
		figure_or_dash("%.3g", s[FACT_SNDBUF] / 1e6).text,
		figure_or_dash("%.3g", r[FACT_RCVBUF] / 1e6).text,
		cpu_text(&facts->cpus[FACTS_SENDER]).text,
		cpu_text(&facts->cpus[FACTS_RECEIVER]).text);
}

void figures_kernel(FILE *out, const struct evidence *evidence)
{
	size_t rows = 0, left = 0, unseen = 0;

	for (size_t i = 0; i < evidence->count; i++) {
		const struct evidence_connection *one = &evidence->connection[i];

		if (!one->facts) {
			unseen++;
		} else if (rows == ROWS_MAX) {
			left++;
		} else {
			if (rows++ == 0)
				print_table_head(out);
			print_table_row(out, one->number, one->rate, one->facts);
		}
	}
	if (left)
		fprintf(out, "  and %zu more\n", left);
	if (unseen)
		fprintf(out, "  n/a for %zu connection%s\n", unseen, unseen == 1 ? "" : "s");
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
	struct words words;

	if (!e->odds)
		return;
	words_begin(&words, out, 0, "");
	words_text(&words, "Odd connections, too few for a test; their facts:");
	words_end(&words);
	print_table_head(out);
	for (size_t i = 0; i < e->odds; i++)
		print_table_row(out, e->odd[i].number, e->odd[i].rate, e->odd[i].facts);
}

static void print_changes(FILE *out, const struct explanation *e)
{
	for (size_t i = 0; i < e->changes; i++) {
		const struct explain_change *change = &e->change[i];
		struct words words;

		words_begin(&words, out, 0, "");
		words_text(&words, "With the level of connection %u after %s s", change->connection,
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

static const char *why_nothing(const struct explanation *explanation)
{
	if (explanation->spread == EXPLAIN_NOT_WATCHED)
		return "n/a: the kernel told nothing of these connections.";
	if (explanation->watched == 1)
		return "Nothing to explain: that takes more than one connection.";
	return "Nothing to explain: no spread between connections beyond what chance does.";
}

void figures_explain(FILE *out, const struct explanation *explanation)
{
	struct words words;

	if (explanation->spread == EXPLAIN_SPREAD) {
		figures_association(out, explanation->association, explanation->facts);
	} else {
		words_begin(&words, out, 0, "");
		words_text(&words, "%s", why_nothing(explanation));
		words_end(&words);
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

/* "1 3-6 9" */
static void add_list(struct words *words, const unsigned int *number, size_t count)
{
	size_t parts = 0;

	for (size_t i = 0, last; i < count && parts < LIST_MAX; i = last + 1, parts++) {
		last = i;
		while (last + 1 < count && number[last + 1] == number[last] + 1)
			last++;
		if (last > i + 1)
			words_add(words, "%u-%u", number[i], number[last]);
		else
			words_add(words, "%u", number[last = i]);
		if (parts + 1 == LIST_MAX && last + 1 < count)
			words_add(words, "...");
	}
}

static void print_mechanism(FILE *out, const struct explain_mechanism *one, size_t watched)
{
	struct words words;

	words_begin(&words, out, 2, "");
	words_text(&words, "%s,", one->rule->title);
	if (one->members == watched && watched > 1)
		words_text(&words, "in all %zu connections:", watched);
	else
		words_text(&words, "in connection%s", one->members == 1 ? "" : "s");
	if (one->members != watched || watched == 1) {
		add_list(&words, one->member, one->members);
		words_mark(&words, ':');
	}
	words_end(&words);
	words_begin(&words, out, 4, "");
	if (one->members > 1)
		words_text(&words, "(connection %u)", one->typical);
	words_text(&words, "%s", one->sentence);
	words_end(&words);
	if (one->rule->source && *one->rule->source) {
		words_begin(&words, out, 4, "");
		words_text(&words, "[%s]", one->rule->source);
		words_end(&words);
	}
}

void figures_mechanisms(FILE *out, const struct explanation *explanation)
{
	if (explanation->watched == 0)
		fprintf(out, "n/a: the kernel told nothing of these connections\n");
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
