/* The ledger of a connection as text and as JSON Lines: see figures.h. */
#include "figures.h"

#include <inttypes.h>
#include <math.h>

#include "json.h"
#include "ledger.h"
#include "words.h"

#define BAR 24 /* columns for all of the waiting */

/* ---- text ---- */

/* "44.1 ms": 3 significant digits. */
static struct words_number span(double seconds)
{
	const char *unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
	double factor = seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1;
	struct words_number number = words_times(factor * seconds), spelled;

	snprintf(spelled.text, sizeof(spelled.text), "%.20s %s", number.text, unit);
	return spelled;
}

static void print_title(FILE *out, const struct figures_ledger *figures)
{
	const struct ledger_sum *sum = figures->sum;
	struct words words;

	words_begin(&words, out, 2, "ledger of connection");
	words_add(&words, "%u:", figures->connection);
	if (isnan(sum->length_s)) {
		words_text(&words, "n/a, it ended in its warm-up");
		words_end(&words);
		return;
	}
	words_add(&words, "%" PRIu64 " read%s,", figures->reads, words_plural(figures->reads));
	words_add(&words, "%" PRIu64 " waited,", sum->waits);
	words_text(&words, "%s of %s s", words_figure(sum->wait_s).text,
		   words_figure(sum->length_s).text);
	if (sum->length_s > 0)
		words_add(&words, "(%s%%)", words_times(100 * sum->wait_s / sum->length_s).text);
	if (figures->warm_up_s > 0) {
		words_mark(&words, ',');
		words_text(&words, "warm-up left out");
	}
	words_end(&words);
}

static void print_bar(FILE *out, double share)
{
	int length = (int)(share * BAR + 0.5);

	for (int i = 0; i < length; i++)
		fputs(i == 0 ? "  #" : "#", out);
	putc('\n', out);
}

static void print_rows(FILE *out, const struct figures_ledger *figures)
{
	struct ledger_row row;

	fprintf(out, "  waited from       to       reads     in all   share of the waiting\n");
	for (size_t i = 0; i < LEDGER_ROWS; i++) {
		ledger_row(figures->ledger, i, &row);
		if (row.waits == 0)
			continue;
		fprintf(out, "%13s %8s %11" PRIu64 " %10s %6s", span(row.low_s).text,
			isinf(row.high_s) ? "more" : span(row.high_s).text, row.waits,
			span(row.wait_s).text, words_share(row.share).text);
		print_bar(out, row.share);
	}
}

/* What it is called, and in parentheses where its length was read. */
static void print_timer(struct words *words, const struct ledger_timer *timer, const char *of)
{
	words_text(words, "%s", timer->name);
	words_add(words, "%s%s", of, span(timer->s).text);
	if (*timer->source)
		words_add(words, "(%s)", timer->source);
}

/* Timers of one length have one peak; how many from this one on. */
static size_t same_length(const struct figures_ledger *figures, size_t i)
{
	size_t n = 1;

	while (i + n < figures->timers &&
	       fabs(figures->timer[i + n].s - figures->timer[i].s) < 1e-6)
		n++;
	return n;
}

static void print_peak(FILE *out, const struct figures_ledger *figures, size_t i, size_t n,
		       const struct ledger_match *match)
{
	struct words words;

	words_begin(&words, out, 4, "  near the");
	for (size_t k = i; k < i + n; k++) {
		if (k > i)
			words_text(&words, "or the");
		print_timer(&words, &figures->timer[k], "of ");
	}
	words_mark(&words, ':');
	words_text(&words, "%" PRIu64 " wait%s within %s to %s, %s of the waiting", match->waits,
		   words_plural(match->waits), words_times(1e3 * match->low_s).text,
		   span(match->high_s).text, words_share(match->share).text);
	if (match->is_longest) {
		words_mark(&words, ',');
		words_text(&words, match->waits > 1 ? "and the longest" : "the longest");
	}
	words_end(&words);
}

static void print_timers(FILE *out, const struct figures_ledger *figures)
{
	struct ledger_match match;
	struct words words;
	int far = 0;

	for (size_t i = 0, n; i < figures->timers; i += n) {
		n = same_length(figures, i);
		ledger_match(figures->ledger, &figures->timer[i], &match);
		if (match.is_near)
			print_peak(out, figures, i, n, &match);
	}
	for (size_t i = 0; i < figures->timers; i++) {
		ledger_match(figures->ledger, &figures->timer[i], &match);
		if (match.is_near)
			continue;
		if (far++)
			words_mark(&words, ',');
		else
			words_begin(&words, out, 4, "  not near:");
		print_timer(&words, &figures->timer[i], "");
	}
	if (far)
		words_end(&words);
}

void figures_ledger(FILE *out, const struct figures_ledger *figures)
{
	const struct ledger_sum *sum = figures->sum;

	print_title(out, figures);
	if (sum->waits > 0)
		print_rows(out, figures);
	if (!isnan(sum->cut_s))
		fprintf(out, "  and one cut short by the end after %s, in no other figure\n",
			span(sum->cut_s).text);
	if (sum->waits == 0)
		return;
	fprintf(out, "  longest %s, median %s\n", span(sum->longest_s).text,
		span(sum->median_s).text);
	if (figures->is_tcp && figures->timers == 0)
		fputs("  timers of this kernel: n/a\n", out);
	print_timers(out, figures);
}

/* ---- JSON Lines ---- */

static void put_bins(struct json *json, const struct ledger *ledger)
{
	struct ledger_row row;

	json_open(json, "bins", '[');
	for (size_t i = 0; i < LEDGER_ROWS; i++) {
		ledger_row(ledger, i, &row);
		if (row.waits == 0)
			continue;
		json_open(json, NULL, '{');
		json_real(json, "low_s", row.low_s);
		json_real(json, "high_s", row.high_s);
		json_count(json, "waits", row.waits);
		json_real(json, "wait_s", row.wait_s);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_timers(struct json *json, const struct figures_ledger *figures)
{
	struct ledger_match match;

	if (figures->is_tcp && figures->timers == 0) {
		json_null(json, "timers");
		return;
	}
	json_open(json, "timers", '[');
	for (size_t i = 0; i < figures->timers; i++) {
		const struct ledger_timer *timer = &figures->timer[i];

		ledger_match(figures->ledger, timer, &match);
		json_open(json, NULL, '{');
		json_text(json, "name", timer->name);
		json_text(json, "source", *timer->source ? timer->source : NULL);
		json_real(json, "timer_s", timer->s);
		json_real(json, "low_s", match.low_s);
		json_real(json, "high_s", match.high_s);
		json_count(json, "waits", match.waits);
		json_real(json, "wait_s", match.wait_s);
		json_bool(json, "longest", match.is_longest);
		json_bool(json, "near", match.is_near);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void figures_ledger_json(FILE *out, const struct figures_ledger *figures)
{
	const struct ledger_sum *sum = figures->sum;
	int known = !isnan(sum->length_s);
	struct json json;

	json_begin(&json, out, "ledger");
	json_count(&json, "connection", figures->connection);
	if (known) {
		json_count(&json, "reads", figures->reads);
		json_count(&json, "waits", sum->waits);
	} else {
		json_null(&json, "reads");
		json_null(&json, "waits");
	}
	json_known(&json, "wait_s", known, sum->wait_s);
	json_real(&json, "length_s", sum->length_s);
	json_real(&json, "longest_s", sum->longest_s);
	json_real(&json, "median_s", sum->median_s);
	json_real(&json, "cut_short_s", sum->cut_s);
	if (known) {
		put_bins(&json, figures->ledger);
		put_timers(&json, figures);
	} else {
		json_null(&json, "bins");
		json_null(&json, "timers");
	}
	json_end(&json);
}
