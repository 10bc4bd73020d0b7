/* The cliffs of a sweep: see figures.h. */
#include "figures.h"

#include <math.h>
#include <string.h>

#include "cliff.h"
#include "json.h"
#include "stats.h"
#include "words.h"

#define LABEL_MOST 30 /* columns; what is longer has no column of its own */

static struct words_number rate_of(const struct stats_middle *middle)
{
	return words_figure(middle->n > 0 ? middle->median : -1);
}

/* A whole number: words_figure() has four digits only. */
static struct words_number whole(double number)
{
	struct words_number text;

	snprintf(text.text, sizeof(text.text), "%.0f", number);
	return text;
}

static bool is_number_of(const struct cliff_point *a, const struct cliff_point *b)
{
	return !(a->number < b->number) && !(a->number > b->number);
}

/* ---- text ---- */

static void say_why_not_nearer(struct words *words, const struct cliff *cliff)
{
	if (cliff->result == CLIFF_EDGE || cliff->result == CLIFF_SLOPE)
		return;
	words_mark(words, ';');
	if (cliff->result == CLIFF_TRIED_OUT)
		words_text(words, "no nearer in %d settings", CLIFF_TRIES);
	else if (cliff->result == CLIFF_SWEPT_OUT)
		words_text(words, "no nearer, %d settings added to the sweep", CLIFF_SWEEP);
	else if (cliff->result == CLIFF_NO_ANSWER)
		words_text(words, "no nearer, one gave no rate");
	else
		words_text(words, "interrupted");
}

/* Its low and high, those between which something is said of the way. */
static void ends_of(const struct cliff *cliff, const struct cliff_point **low,
		    const struct cliff_point **high)
{
	bool is_slope = cliff->result == CLIFF_SLOPE;

	*low = is_slope ? &cliff->outer_low : &cliff->low;
	*high = is_slope ? &cliff->outer_high : &cliff->high;
}

static void print_tried(FILE *out, const struct cliff *cliff, int indent)
{
	const struct cliff_point *low, *high;
	struct words words;
	int count = 0;

	ends_of(cliff, &low, &high);
	for (size_t i = 0; i < cliff->tries; i++) {
		const struct cliff_point *tried = &cliff->tried[i];

		if (is_number_of(tried, low) || is_number_of(tried, high))
			continue;
		if (count++ == 0) {
			words_begin(&words, out, indent, "");
			words_text(&words, "tried between:");
		} else {
			words_mark(&words, ',');
		}
		words_add(&words, "%s: %s", whole(tried->number).text,
			  rate_of(&tried->middle).text);
	}
	if (count > 0)
		words_end(&words);
}

static void print_cliff(FILE *out, const struct cliff *cliff, int indent)
{
	const struct cliff_point *low, *high;
	struct words words;

	ends_of(cliff, &low, &high);
	words_begin(&words, out, indent, *cliff->setting ? "  " : "");
	words.column += fprintf(out, "%s", cliff->setting);
	if (words.column >= indent && *cliff->setting) {
		words_end(&words);
		words.column = 0;
	}
	words_text(&words, "%s %s", cliff->name, cliff->result == CLIFF_SLOPE ? "has no edge" : "");
	words_text(&words, "between %s and %s:", whole(low->number).text, whole(high->number).text);
	words_add(&words, "%s to %s MB/sec", rate_of(&low->middle).text,
		  rate_of(&high->middle).text);
	say_why_not_nearer(&words, cliff);
	words_end(&words);
	print_tried(out, cliff, indent);
}

void figures_cliffs(FILE *out, const struct cliffs *cliffs, size_t asked)
{
	size_t longest = 0;
	int indent;

	if (cliffs->count == 0) {
		fputs("cliffs: none, no numbers next to each other separate and differ twofold\n",
		      out);
		return;
	}
	fprintf(out, "cliffs: %zu setting%s added, %zu connection%s each\n", cliffs->added,
		words_plural(cliffs->added), asked, words_plural(asked));
	for (size_t i = 0; i < cliffs->count; i++) {
		size_t length = strlen(cliffs->cliff[i].setting);

		longest = length > longest && length <= LABEL_MOST ? length : longest;
	}
	indent = longest ? (int)longest + 4 : 2;
	for (size_t i = 0; i < cliffs->count; i++)
		print_cliff(out, &cliffs->cliff[i], indent);
}

/* ---- JSON ---- */

static void put_real(struct json *json, const char *key, const struct stats_middle *middle)
{
	json_real(json, key, middle->n > 0 ? middle->median : (double)NAN);
}

/* A whole number up to 2^53. */
static void put_number(struct json *json, const char *key, double number)
{
	json_count(json, key, (uint64_t)number);
}

static void put_cliff(FILE *out, const struct cliff *cliff)
{
	const struct cliff_point *low, *high;
	struct json json;

	ends_of(cliff, &low, &high);
	json_begin(&json, out, "cliff");
	json_text(&json, "setting", cliff->setting);
	json_text(&json, "name", cliff->name);
	json_text(&json, "result", cliff_result_name(cliff->result));
	put_number(&json, "low", low->number);
	put_number(&json, "high", high->number);
	put_real(&json, "low_MB_per_s", &low->middle);
	put_real(&json, "high_MB_per_s", &high->middle);
	json_open(&json, "tried", '[');
	for (size_t i = 0; i < cliff->tries; i++) {
		json_open(&json, NULL, '{');
		put_number(&json, "number", cliff->tried[i].number);
		put_real(&json, "median_MB_per_s", &cliff->tried[i].middle);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_end(&json);
}

void figures_cliffs_json(FILE *out, const struct cliffs *cliffs)
{
	for (size_t i = 0; i < cliffs->count; i++)
		put_cliff(out, &cliffs->cliff[i]);
}
