/* Summary, comparison and expectations as JSON Lines: see figures.h. */
#include "figures.h"

#include <math.h>
#include <string.h>

#include "compare.h"
#include "expect.h"
#include "json.h"
#include "levels.h"
#include "run.h"
#include "stats.h"
#include "summary.h"

/* null where the figure does not exist */
static void count(struct json *json, const char *key, bool known, size_t value)
{
	if (known)
		json_count(json, key, value);
	else
		json_null(json, key);
}

/* ---- parts of a summary ---- */

static void put_run(struct json *json, const struct summary *s)
{
	const struct run *run = s->run;

	json_count(json, "connections", s->connections);
	count(json, "connections_asked", run->asked > 0, run->asked);
	json_count(json, "parallel", run->parallel);
	count(json, "rounds", run->parallel > 1, s->rounds);
	json_count(json, "intervals", s->intervals);
	json_known(json, "interval_s", run->interval_s > 0, run->interval_s);
	json_known(json, "duration_s", run->duration_s > 0, run->duration_s);
	json_real(json, "warmup_s", run->warm_up_s);
	json_bool(json, "interrupted", run->interrupted);
	json_bool(json, "both_programs_wrote", run->both_wrote);
	json_count(json, "lines_passed_over", run->passed_over);
}

static void put_range(struct json *json, const struct summary *s)
{
	bool rounds = s->run->parallel > 1, any = s->intervals > 0, sums = rounds && s->units > 0;

	json_known(json, "min_MB_per_s", any, s->range.min);
	json_known(json, "max_MB_per_s", any, s->range.max);
	json_known(json, "range_ratio", s->range.has_ratio, s->range.ratio);
	if (!rounds)
		return;
	json_known(json, "sum_min_MB_per_s", sums, s->sums.min);
	json_known(json, "sum_max_MB_per_s", sums, s->sums.max);
	json_known(json, "sum_range_ratio", s->sums.has_ratio, s->sums.ratio);
}

static void put_middle(struct json *json, const struct summary *s)
{
	const struct stats_middle *m = s->middle;

	json_text(json, "median_of", summary_unit(s));
	json_count(json, "medians", s->units);
	json_known(json, "median_MB_per_s", m->n > 0, m->median);
	json_known(json, "median_low_MB_per_s", m->has_interval, m->low);
	json_known(json, "median_high_MB_per_s", m->has_interval, m->high);
	json_known(json, "coverage_share", m->has_interval, m->coverage);
}

static void put_variance(struct json *json, const struct summary *s)
{
	static const char *const verdicts[] = {
		[LEVELS_TOO_FEW] = "cannot tell",
		[LEVELS_ALIKE] = "no difference seen",
		[LEVELS_BETWEEN] = "mostly between",
		[LEVELS_WITHIN] = "mostly within",
	};
	const struct levels_variance *v = s->variance;

	json_text(json, "variance", verdicts[v->verdict]);
	json_known(json, "between_share", v->has_figures, v->share);
	json_known(json, "between_deviation_share", v->has_figures, expm1(v->between));
	json_known(json, "within_deviation_share", v->has_figures, expm1(v->within));
	json_known(json, "between_p", v->has_figures, v->p);
}

static void put_changes(struct json *json, const struct summary *s)
{
	json_open(json, "changes", '[');
	for (size_t i = 0; i < s->changes; i++) {
		const struct summary_change *change = &s->change[i];

		json_open(json, NULL, '{');
		json_count(json, "connection", change->connection);
		json_count(json, "after_intervals", change->after);
		json_known(json, "after_s", change->after_s >= 0, change->after_s);
		json_real(json, "from_MB_per_s", change->from);
		json_real(json, "to_MB_per_s", change->to);
		json_real(json, "p", change->p);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_count(json, "too_short_connections", s->too_short);
}

static void put_odds(struct json *json, const struct summary *s)
{
	json_open(json, "outliers", '[');
	for (size_t i = 0; i < s->odds; i++) {
		json_open(json, NULL, '{');
		json_count(json, "connection", s->odd[i].connection);
		json_count(json, "interval", s->odd[i].interval);
		json_count(json, "intervals", s->odd[i].length);
		json_real(json, "rate_MB_per_s", s->odd[i].rate);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_rows(struct json *json, const struct summary *s)
{
	json_open(json, "rows", '[');
	for (size_t i = 0; i < s->connections; i++) {
		const struct summary_row *row = &s->row[i];

		json_open(json, NULL, '{');
		json_count(json, "connection", row->number);
		json_count(json, "intervals", row->n);
		json_known(json, "median_MB_per_s", row->n > 0, row->median);
		json_known(json, "level_MB_per_s", row->n > 0, row->level);
		json_count(json, "stalls_intervals", row->stalls);
		count(json, "group", row->group != SUMMARY_NO_GROUP, row->group + 1);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void figures_summary_json(FILE *out, const struct summary *summary)
{
	struct json json;

	json_begin(&json, out, "summary");
	put_run(&json, summary);
	put_middle(&json, summary);
	put_range(&json, summary);
	put_variance(&json, summary);
	json_count(&json, "stalls_intervals", summary->stalls);
	json_known(&json, "jain_index", summary->has_jain, summary->jain);
	figures_groups_json(&json, summary->groups, summary);
	put_changes(&json, summary);
	put_odds(&json, summary);
	put_rows(&json, summary);
	json_end(&json);
}

/* ---- a comparison ---- */

static void put_settings(struct json *json, const char *key, const struct compare_setting *list,
			 size_t count_of)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < count_of; i++) {
		json_open(json, NULL, '{');
		json_text(json, "name", list[i].name);
		json_text(json, "old", list[i].before);
		json_text(json, "new", list[i].after);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* The column of one run. */
static void put_side(struct json *json, const char *key, const char *name, const struct summary *s)
{
	json_open(json, key, '{');
	json_text(json, "name", name);
	put_run(json, s);
	put_middle(json, s);
	put_range(json, s);
	put_variance(json, s);
	figures_groups_json(json, s->groups, NULL);
	count(json, "changes", s->too_short < s->measured, s->changes);
	json_count(json, "stalls_intervals", s->stalls);
	json_close(json, '}');
}

static void put_ratio(struct json *json, const struct compare *c)
{
	const struct stats_comparison *r = c->ratio;
	double loss, gain;
	bool has_loss = compare_loss(c, &loss), has_gain = compare_gain(c, &gain);

	json_known(json, "ratio", r->has_ratio, r->ratio);
	json_known(json, "ratio_low", r->has_interval, r->low);
	json_known(json, "ratio_high", r->has_interval, r->high);
	json_known(json, "pair_low", r->has_ratio, r->pair_low);
	json_known(json, "pair_high", r->has_ratio, r->pair_high);
	json_known(json, "loss_percent", has_loss, loss);
	json_known(json, "gain_percent", has_gain, gain);
	json_known(json, "separation_p", r->has_ratio, r->best_p);
	count(json, "need_each", r->has_ratio, r->need_each);
	count(json, "need_new", r->has_ratio, r->need_after);
}

static double share_of(size_t part, size_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void put_shares(struct json *json, const struct compare *c)
{
	const struct stats_shares *s = c->shares;

	json_open(json, "groups", '[');
	for (size_t g = 0; g < s->groups.count && s->has_p; g++) {
		json_open(json, NULL, '{');
		json_real(json, "level_MB_per_s", s->groups.group[g].level);
		json_count(json, "old_connections", s->before[g]);
		json_count(json, "new_connections", s->after[g]);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_known(json, "slow_old_share", s->has_p, share_of(s->before[0], c->before->measured));
	json_known(json, "slow_new_share", s->has_p, share_of(s->after[0], c->after->measured));
	json_known(json, "slow_p", s->has_p, s->p);
	json_bool(json, "slow_share_changed", c->share_changed);
}

void figures_compare_json(FILE *out, const struct compare *compare, const char *before,
			  const char *after)
{
	struct json json;

	json_begin(&json, out, "compare");
	json_text(&json, "environment", compare_machines(compare));
	put_settings(&json, "environment_differ", compare->environment, compare->environments);
	put_settings(&json, "settings_differ", compare->setting, compare->settings);
	put_side(&json, "old", before, compare->before);
	put_side(&json, "new", after, compare->after);
	put_ratio(&json, compare);
	put_shares(&json, compare);
	json_bool(&json, "same", compare->same);
	json_text(&json, "verdict", compare_verdict(compare));
	json_end(&json);
}

/* ---- expectations ---- */

void figures_expect_setting_json(FILE *out, const char *setting, const struct expect_result *result)
{
	const struct expect_test *test = result->test;
	struct json json;

	json_begin(&json, out, "expect");
	if (setting)
		json_text(&json, "setting", setting);
	json_text(&json, "test", test->text);
	json_text(&json, "metric", test->metric->name);
	json_known(&json, "low", isfinite(test->low), test->low);
	json_known(&json, "high", isfinite(test->high), test->high);
	json_known(&json, "value", result->has_value, result->value);
	json_text(&json, "unit", expect_unit_name(test->metric->unit));
	json_text(&json, "verdict", expect_verdict_name(result->verdict));
	json_text(&json, "why", *result->why ? result->why : NULL);
	json_end(&json);
}

void figures_expect_json(FILE *out, const struct expect_result *result)
{
	figures_expect_setting_json(out, NULL, result);
}
