/* One sweep against another: see figures.h. */
#include "figures.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "stats.h"
#include "sweep_compare.h"
#include "words.h"

#define FIGURES_WIDTH 50 /* all behind the label */
#define LABEL_MOST (WORDS_COLUMNS - 2 - FIGURES_WIDTH)

/* ---- text ---- */

/* One word where the table has room for one. */
static const char *verdict_word(enum stats_verdict verdict)
{
	if (verdict == STATS_NO_DIFFERENCE)
		return "none seen";
	return verdict == STATS_SMALL ? "small" : stats_verdict_name(verdict);
}

static struct words_number interval_of(const struct stats_comparison *c)
{
	struct words_number text = { "n/a" };

	if (c->has_interval)
		snprintf(text.text, sizeof(text.text), "%.14s..%.14s", words_ratio(c->low).text,
			 words_ratio(c->high).text);
	return text;
}

static void put_figures(FILE *out, const struct sweep_pair *pair)
{
	const struct sweep_saved_row *old = pair->before, *new = pair->after;
	const struct stats_comparison *c = &pair->ratio;

	fprintf(out, " %7s %7s %6s %13s %s%s\n",
		words_figure(old->has_rate ? old->middle.median : -1).text,
		words_figure(new->has_rate ? new->middle.median : -1).text,
		c->has_ratio ? words_ratio(c->ratio).text : "n/a", interval_of(c).text,
		verdict_word(c->verdict), pair->by_rows ? "~" : "");
}

static void put_pair(FILE *out, const struct sweep_pair *pair, int width)
{
	const char *label = pair->after->label;

	/* A label that is too long has a line of its own. */
	if (strlen(label) > (size_t)width)
		fprintf(out, "  %s\n%*s", label, width + 2, "");
	else
		fprintf(out, "  %-*s", width, label);
	put_figures(out, pair);
}

static void put_only(FILE *out, const char *which, const struct sweep_saved *here,
		     const struct sweep_saved *there)
{
	struct words words;
	int count = 0;

	for (size_t i = 0; i < here->count; i++) {
		if (sweep_saved_find(there, here->row[i].label))
			continue;
		if (count++ == 0) {
			words_begin(&words, out, 2, "");
			words_text(&words, "only in the %s sweep:", which);
		} else {
			words_mark(&words, ',');
		}
		words_add(&words, "%s", here->row[i].label);
	}
	if (count > 0)
		words_end(&words);
}

static void put_sum(FILE *out, const struct sweep_compare *c)
{
	static const enum stats_verdict order[SWEEP_VERDICTS] = { STATS_FASTER, STATS_SLOWER,
								  STATS_SMALL, STATS_NO_DIFFERENCE,
								  STATS_CANNOT_TELL };
	size_t told = c->pairs - c->verdict[STATS_CANNOT_TELL];
	struct words words;
	int some = 0;

	words_begin(&words, out, 0, "");
	words_text(&words, "%zu setting%s in both%s", c->pairs, words_plural(c->pairs),
		   c->pairs ? ":" : "");
	for (size_t i = 0; i < SWEEP_VERDICTS; i++) {
		if (c->verdict[order[i]] == 0)
			continue;
		if (some++)
			words_mark(&words, ',');
		words_text(&words, "%zu %s", c->verdict[order[i]], stats_verdict_name(order[i]));
	}
	words_mark(&words, '.');
	if (told > 1)
		words_text(&words,
			   "Each is tested alone: of %zu that are alike chance alone "
			   "makes %s look different.",
			   told, words_figure(STATS_ALPHA * (double)told).text);
	words_end(&words);
}

static bool has_rows_only(const struct sweep_compare *c)
{
	for (size_t i = 0; i < c->pairs; i++)
		if (c->pair[i].by_rows)
			return true;
	return false;
}

void figures_sweep_compare(FILE *out, const struct sweep_compare *compare)
{
	size_t width = strlen("setting");

	for (size_t i = 0; i < compare->pairs; i++) {
		size_t length = strlen(compare->pair[i].after->label);

		width = length > width && length <= LABEL_MOST ? length : width;
	}
	if (compare->pairs > 0)
		fprintf(out, "  %-*s%8s%8s%7s%14s %s\n", (int)width, "setting", "old", "new",
			"ratio", "95% interval", "verdict");
	for (size_t i = 0; i < compare->pairs; i++)
		put_pair(out, &compare->pair[i], (int)width);
	if (has_rows_only(compare))
		fputs("~ by the rows alone: a text is without each connection's median\n", out);
	put_only(out, "old", compare->before, compare->after);
	put_only(out, "new", compare->after, compare->before);
	put_sum(out, compare);
}

/* ---- JSON ---- */

static void put_side(struct json *json, const char *key, const struct sweep_saved_row *row)
{
	json_open(json, key, '{');
	if (row->n > 0 || row->has_medians)
		json_count(json, "connections", row->n);
	else
		json_null(json, "connections");
	figures_middle_json(json, row->has_rate, &row->middle);
	json_close(json, '}');
}

static void put_setting(FILE *out, const struct sweep_pair *pair)
{
	const struct stats_comparison *c = &pair->ratio;
	struct json json;

	json_begin(&json, out, "compare_setting");
	json_text(&json, "setting", pair->after->label);
	put_side(&json, "old", pair->before);
	put_side(&json, "new", pair->after);
	json_bool(&json, "by_rows", pair->by_rows);
	json_known(&json, "ratio", c->has_ratio, c->ratio);
	json_known(&json, "ratio_low", c->has_interval, c->low);
	json_known(&json, "ratio_high", c->has_interval, c->high);
	json_known(&json, "pair_low", c->has_ratio, c->pair_low);
	json_known(&json, "pair_high", c->has_ratio, c->pair_high);
	json_text(&json, "verdict", stats_verdict_name(c->verdict));
	json_end(&json);
}

static void put_labels(struct json *json, const char *key, const struct sweep_saved *here,
		       const struct sweep_saved *there)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < here->count; i++)
		if (!sweep_saved_find(there, here->row[i].label))
			json_text(json, NULL, here->row[i].label);
	json_close(json, ']');
}

void figures_sweep_compare_json(FILE *out, const struct sweep_compare *compare)
{
	struct json json;

	for (size_t i = 0; i < compare->pairs; i++)
		put_setting(out, &compare->pair[i]);
	json_begin(&json, out, "compare_sweep");
	json_count(&json, "settings", compare->pairs);
	json_count(&json, "faster", compare->verdict[STATS_FASTER]);
	json_count(&json, "slower", compare->verdict[STATS_SLOWER]);
	json_count(&json, "small_difference", compare->verdict[STATS_SMALL]);
	json_count(&json, "no_difference_seen", compare->verdict[STATS_NO_DIFFERENCE]);
	json_count(&json, "cannot_tell", compare->verdict[STATS_CANNOT_TELL]);
	put_labels(&json, "only_old", compare->before, compare->after);
	put_labels(&json, "only_new", compare->after, compare->before);
	json_end(&json);
}
