/* What goes with fast and slow, as text and as JSON: see figures.h. */
#include "figures.h"

#include <math.h>
#include <string.h>

#include "association.h"
#include "json.h"
#include "words.h"

#define INDENT 2 /* of what does not fit a fact's first line */

/* ---- what is found ---- */

static void add_test(struct words *words, double rho, double p)
{
	words_add(words, "(rho %.2f, p %s)", rho, words_p(p).text);
}

static void print_named(FILE *out, const struct association_named *named,
			const struct association_fact *facts)
{
	const struct association_fact *fact = &facts[named->fact];
	struct words words;

	words_begin(&words, out, INDENT, fact->name);
	if (named->has_with) {
		words_mark(&words, ',');
		words_text(&words, "which goes with %s:", facts[named->with].name);
	} else {
		words_text(&words, "goes with it:");
	}
	words_text(&words, "%s%s in the faster connections, %s in the slower",
		   named->is_mean ? "on average " : "",
		   words_quantity(named->faster, fact->unit).text,
		   words_quantity(named->slower, fact->unit).text);
	add_test(&words, named->rho, named->p);
	words_end(&words);
}

static void print_family(FILE *out, const struct association *a, enum association_family family,
			 const struct association_fact *facts)
{
	for (size_t k = 0; k < a->named_count[family]; k++)
		print_named(out, &a->named[family][k], facts);
}

static void print_drift(FILE *out, const struct association *a)
{
	struct words words;

	if (!association_drifts(a))
		return;
	words_begin(&words, out, INDENT, "later");
	words_text(&words, "connections are %s", a->order_rho > 0 ? "faster" : "slower");
	add_test(&words, a->order_rho, a->order_p);
	words_end(&words);
}

static void print_more(FILE *out, const struct association *a)
{
	size_t more = 0;

	for (int family = 0; family < ASSOCIATION_FAMILIES; family++)
		more += a->passed[family] - a->named_count[family];
	if (more > 0)
		fprintf(out, "%zu more go%s with it, none closer\n", more, more == 1 ? "es" : "");
}

/* What an answer does not cover. */
static void add_limits(struct words *words, const struct association *a)
{
	const char *more = a->tried > 0 ? " more" : "";

	if (a->blind > 0) {
		words_mark(words, ';');
		words_text(words, "%zu of them differ%s too rarely to tell", a->blind,
			   a->blind == 1 ? "s" : "");
	}
	if (a->alike > 0) {
		words_mark(words, ';');
		words_text(words, "%zu%s %s the same in all connections", a->alike, more,
			   a->alike == 1 ? "is" : "are");
	}
	if (a->unknown > 0) {
		words_mark(words, ';');
		words_text(words, "%zu%s %s not known of every connection", a->unknown, more,
			   a->unknown == 1 ? "is" : "are");
	}
}

static void print_tried(FILE *out, const struct association *a)
{
	struct words words;

	words_begin(&words, out, 0, "");
	words_text(&words, "%zu fact%s tried", a->tried, words_plural(a->tried));
	add_limits(&words, a);
	words_end(&words);
}

static void print_none(FILE *out, const struct association *a)
{
	struct words words;

	words_begin(&words, out, 0, "none");
	if (a->tried > 0)
		words_text(&words, "of the %zu recorded fact%s goes with it", a->tried,
			   words_plural(a->tried));
	else
		words_text(&words, "of the recorded facts goes with it");
	add_limits(&words, a);
	words_end(&words);
}

/* ---- what cannot be told ---- */

static void add_why(struct words *words, const struct association *a)
{
	bool falls_short = a->best_p > a->limit_p;

	words_mark(words, ':');
	if (a->tried > 0 && falls_short)
		words_text(words,
			   "the %zu fact%s tried would reach p %s at best, even in perfect step "
			   "with the speed; only up to %s counts.",
			   a->tried, words_plural(a->tried), words_p(a->best_p).text,
			   words_p(a->limit_p).text);
	else if (a->tried > 0)
		words_text(words, "below %d most of what there is would be missed.",
			   ASSOCIATION_MIN);
	else if (a->alike > 0)
		words_text(words, "all facts that are known are the same in all of them.");
	else
		words_text(words, "no fact is known of every one.");
}

static void print_cannot_tell(FILE *out, const struct association *a)
{
	struct words words;

	words_begin(&words, out, 0, "cannot");
	words_text(&words, "tell from %zu connection%s", a->connections,
		   words_plural(a->connections));
	add_why(&words, a);
	if (a->need > 0)
		words_text(&words, "%zu connections can tell: repeat with -n %zu.", a->need,
			   a->need);
	words_end(&words);
}

void figures_association(FILE *out, const struct association *association,
			 const struct association_fact *facts)
{
	switch (association->verdict) {
	case ASSOCIATION_CANNOT_TELL: print_cannot_tell(out, association); break;
	case ASSOCIATION_NONE: print_none(out, association); break;
	case ASSOCIATION_FOUND: break;
	}
	print_family(out, association, ASSOCIATION_PLACEMENT, facts);
	print_drift(out, association);
	print_family(out, association, ASSOCIATION_SYMPTOM, facts);
	print_more(out, association);
	if (association->verdict == ASSOCIATION_FOUND)
		print_tried(out, association);
}

/* ---- JSON ---- */

static void put_named(struct json *json, const struct association_named *named,
		      const struct association_fact *facts)
{
	const struct association_fact *fact = &facts[named->fact];

	json_open(json, NULL, '{');
	json_text(json, "fact", fact->name);
	json_text(json, "unit", fact->unit ? fact->unit : "");
	json_real(json, "rho", named->rho);
	json_real(json, "p", named->p);
	json_text(json, "typical", named->is_mean ? "mean" : "median");
	json_real(json, "faster", named->faster);
	json_real(json, "slower", named->slower);
	json_text(json, "goes_with", named->has_with ? facts[named->with].name : NULL);
	json_close(json, '}');
}

static void put_family(struct json *json, const char *key, const struct association *a,
		       enum association_family family, const struct association_fact *facts)
{
	json_open(json, key, '[');
	for (size_t k = 0; k < a->named_count[family]; k++)
		put_named(json, &a->named[family][k], facts);
	json_close(json, ']');
}

/* Positive: later connections are faster. */
static void put_order(struct json *json, const struct association *a)
{
	json_real(json, "order_rho", a->has_order ? a->order_rho : (double)NAN);
	json_real(json, "order_p", a->has_order ? a->order_p : (double)NAN);
	if (a->has_order)
		json_bool(json, "drift", association_drifts(a));
	else
		json_null(json, "drift");
}

void figures_association_json(FILE *out, const struct association *association,
			      const struct association_fact *facts)
{
	static const char *const verdicts[] = {
		[ASSOCIATION_CANNOT_TELL] = "cannot tell",
		[ASSOCIATION_NONE] = "none",
		[ASSOCIATION_FOUND] = "found",
	};
	const struct association *a = association;
	struct json json;

	json_begin(&json, out, "association");
	json_text(&json, "verdict", verdicts[a->verdict]);
	json_count(&json, "connections", a->connections);
	json_count(&json, "facts_tried", a->tried);
	json_count(&json, "facts_alike", a->alike);
	json_count(&json, "facts_unknown", a->unknown);
	json_count(&json, "facts_blind", a->blind);
	json_real(&json, "best_p", a->tried > 0 ? a->best_p : (double)NAN);
	json_real(&json, "limit_p", a->tried > 0 ? a->limit_p : (double)NAN);
	if (a->need > 0)
		json_count(&json, "connections_needed", a->need);
	else
		json_null(&json, "connections_needed");
	json_count(&json, "placement_passed", a->passed[ASSOCIATION_PLACEMENT]);
	put_family(&json, "placement", a, ASSOCIATION_PLACEMENT, facts);
	json_count(&json, "symptoms_passed", a->passed[ASSOCIATION_SYMPTOM]);
	put_family(&json, "symptoms", a, ASSOCIATION_SYMPTOM, facts);
	put_order(&json, a);
	json_end(&json);
}
