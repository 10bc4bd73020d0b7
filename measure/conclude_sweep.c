/* What a sweep comes to: see conclude_sweep.h. */
#include "conclude_sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../socklib.h"
#include "bugreport.h"
#include "cliff.h"
#include "expect.h"
#include "explain.h"
#include "figures.h"
#include "lane.h"
#include "mechanism.h"
#include "plan.h"
#include "report.h"
#include "run.h"
#include "settings.h"
#include "summary.h"
#include "sweep.h"
#include "sweep_compare.h"
#include "sweep_saved.h"
#include "sweep_table.h"

/* A table of settings, and what it is made of. */
struct made {
	struct sweep_facts facts;
	struct sweep_row *row;
	size_t rows;
	const char *axis[SWEEP_AXES];
	struct sweep_table table;
	struct sweep_saved saved; /* the same, as a text would have it */
};

static int no_memory(struct sock_cause *cause)
{
	return sock_failed(cause, "summary", "", ENOMEM, NULL);
}

/* ---- the table of a live sweep ---- */

/* The next lower in this number of those asked for: others may lie in between. */
static size_t asked_below(const struct sweep *sweep, size_t setting, size_t number)
{
	size_t below = setting, above;

	do {
		if (sweep_neighbours(sweep, below, number, &below, &above))
			return SWEEP_NONE;
	} while (below != SWEEP_NONE && below >= sweep->asked);
	return below;
}

/* The setting before it in the order asked for, that differs in one number only. */
static size_t neighbour_of(const struct sweep *sweep, size_t setting)
{
	struct sweep_number unused;
	size_t found = SWEEP_NO_NEIGHBOUR;

	for (size_t k = 0; sweep_number(sweep, setting, k, &unused); k++) {
		size_t below = asked_below(sweep, setting, k);

		if (below != SWEEP_NONE)
			found = below;
	}
	return found;
}

static int make_row(struct made *made, const struct conclude_sweep_input *input, size_t setting)
{
	const struct lane *lane = input->lanes[setting];
	struct sweep_row *row = &made->row[setting];
	double *median;

	*row = (struct sweep_row){
		.value = (const char *const *)lane->setting->labels,
		.limiter = lane_limiter(lane),
		.neighbour = SWEEP_NO_NEIGHBOUR,
		.is_added = setting >= input->sweep->asked,
	};
	if (!row->is_added)
		row->neighbour = neighbour_of(input->sweep, setting);
	if (lane_medians(lane, &median, &row->n))
		return -1;
	row->median = median;
	made->rows = setting + 1;
	return 0;
}

static int make_live(struct made *made, const struct conclude_sweep_input *input)
{
	const struct sweep *sweep = input->sweep;
	const struct plan *plan = &sweep->settings[0]->sink;

	*made = (struct made){ .rows = 0 };
	for (size_t i = 0; i < sweep->axis_count && i < SWEEP_AXES; i++)
		made->axis[i] = sweep->axes[i].name;
	made->facts = (struct sweep_facts){ .axis = made->axis,
					    .axes = sweep->axis_count,
					    .asked = plan->connections,
					    .duration_s = plan->duration_s,
					    .seed = plan->seed,
					    .interrupted = input->interrupted };
	made->row = calloc(sweep->count, sizeof(*made->row));
	if (!made->row)
		return -1;
	for (size_t i = 0; i < sweep->count; i++)
		if (make_row(made, input, i))
			return -1;
	if (sweep_table_make(&made->facts, made->row, made->rows, &made->table))
		return -1;
	return sweep_saved_of(&made->table, &made->saved);
}

static void free_made(struct made *made)
{
	sweep_saved_free(&made->saved);
	sweep_table_free(&made->table);
	for (size_t i = 0; i < made->rows; i++)
		free((double *)made->row[i].median);
	free(made->row);
}

/* ---- what is said ---- */

static void section(const struct bugreport *bug, const char *title)
{
	if (bug)
		bugreport_section(bug, title);
}

/* "64K" of "-b 64K": the blocks of all transports. */
static const char *block_of(const struct sweep *sweep)
{
	static const char *const none = "64K";

	for (size_t i = 0; i < sweep->word_count; i++)
		if (sweep->words[i].letter == 'b' && sweep->words[i].argument)
			return sweep->words[i].argument;
	return none;
}

static void say_table(struct report *report, const struct conclude_sweep_input *input,
		      const struct made *made)
{
	const struct sweep *sweep = input->sweep;
	int only_x = sweep->axis_count == 1 && sweep->axes[0].letter == 'x';
	FILE *out = report->out;

	section(input->bug, "sweep");
	if (report->plan->json) {
		figures_sweep_json(out, &made->table);
		figures_cliffs_json(out, input->cliffs);
		if (only_x)
			figures_transports_json(out, &made->table);
		return;
	}
	if (only_x)
		figures_transports(out, &made->table, block_of(sweep));
	else
		figures_sweep(out, &made->table);
	if (input->cliffs->count > 0 || input->has_looked) {
		putc('\n', out);
		figures_cliffs(out, input->cliffs, made->facts.asked);
	}
	putc('\n', out);
	figures_sweep_medians(out, &made->table);
}

/* The mechanisms of each setting that was asked for, where it shows any. */
static int say_mechanisms(struct report *report, const struct conclude_sweep_input *input,
			  const struct made *made)
{
	int failed = 0, any = 0;

	for (size_t i = 0; i < made->saved.count && !failed; i++) {
		const struct lane *lane = input->lanes[i];
		struct mechanism_input ours;
		struct explanation explanation;
		struct summary summary;

		settings_ours(lane->plan, &ours);
		failed = summary_make(lane->run, &summary);
		if (!failed && explain_make(&ours, &summary, lane->evidence, &explanation) == 0) {
			if (explanation.mechanisms > 0 && !report->plan->json) {
				if (!any++)
					section(input->bug, "known mechanisms");
				fprintf(report->out, "setting %s:\n", made->saved.row[i].label);
				figures_mechanisms(report->out, &explanation);
			} else if (explanation.mechanisms > 0) {
				figures_mechanisms_json(report->out, &explanation);
			}
			explain_free(&explanation);
		}
		if (!failed)
			summary_free(&summary);
	}
	return failed;
}

static int say_comparison(struct report *report, const struct sweep_saved *before,
			  const struct sweep_saved *after)
{
	struct sweep_compare compare;

	if (sweep_compare_make(before, after, &compare))
		return -1;
	if (report->plan->json)
		figures_sweep_compare_json(report->out, &compare);
	else
		figures_sweep_compare(report->out, &compare);
	sweep_compare_free(&compare);
	return 0;
}

/* ---- -E ---- */

/* A test of one setting; live: of the run itself, which can tell more. */
static int test_setting(struct report *report, const struct expect_test *test,
			const struct sweep_saved_row *row, const struct run *live, size_t asked,
			const struct sweep_saved_row *before, struct expect_result *result)
{
	struct summary summary;

	if (live && !test->metric->of_pair) {
		if (summary_make(live, &summary))
			return -1;
		expect_evaluate(test, &summary, NULL, result);
		summary_free(&summary);
	} else if (sweep_expect(test, row, asked, before, result)) {
		return -1;
	}
	if (report->plan->json)
		figures_expect_setting_json(report->out, row->label, result);
	else
		figures_expect_setting(report->out, row->label, result);
	return 0;
}

static int say_tests(struct report *report, const struct sweep_saved *saved,
		     struct lane *const *lanes, size_t asked, const struct sweep_saved *before,
		     int *status)
{
	const struct plan *plan = report->plan;
	size_t count = 0;
	struct expect_result *results = calloc(saved->count * plan->test_count + 1,
					       sizeof(*results));
	int failed = results ? 0 : -1;

	for (size_t i = 0; i < saved->count && !failed; i++)
		for (size_t t = 0; t < plan->test_count && !failed; t++) {
			const struct sweep_saved_row *row = &saved->row[i];

			failed = test_setting(report, &plan->tests[t], row,
					      lanes ? lanes[i]->run : NULL, asked,
					      before ? sweep_saved_find(before, row->label) : NULL,
					      &results[count++]);
		}
	if (!failed)
		*status = expect_status(results, count);
	free(results);
	return failed;
}

/* ---- all of it ---- */

static int say_all(struct report *report, const struct conclude_sweep_input *input,
		   const struct made *made, int *status)
{
	const struct plan *plan = report->plan;
	const struct sweep_saved *before = plan->saved_count > 0 ? &input->saved[0] : NULL;
	int failed = 0;

	say_table(report, input, made);
	if (plan_is_watched(plan))
		failed = say_mechanisms(report, input, made);
	if (!failed && before) {
		section(input->bug, "comparison");
		failed = say_comparison(report, before, &made->saved);
	}
	if (!failed && plan->test_count > 0) {
		section(input->bug, "expectations");
		failed = say_tests(report, &made->saved, input->lanes, made->facts.asked, before,
				   status);
	}
	if (!failed && input->bug)
		failed = bugreport_end(input->bug, input->lanes[0]->evidence);
	return failed;
}

int conclude_sweep_say(struct report *report, const struct conclude_sweep_input *input, int *status,
		       struct sock_cause *cause)
{
	struct made made;
	int failed = make_live(&made, input) || say_all(report, input, &made, status);

	free_made(&made);
	report_flush(report);
	return failed ? no_memory(cause) : 0;
}

/* One saved sweep: its settings once more, under the name of one axis. */
static int show_saved(struct report *report, const struct sweep_saved *saved)
{
	static const char *const axis[] = { "setting" };
	struct sweep_facts facts = { .axis = axis, .axes = 1, .is_saved = true };
	struct sweep_row *row = calloc(saved->count, sizeof(*row));
	char **word = calloc(saved->count, sizeof(*word));
	struct sweep_table table;
	int failed = !row || !word;

	for (size_t i = 0; i < saved->count && !failed; i++) {
		word[i] = sweep_word(saved->row[i].label);
		failed = !word[i];
		row[i] = (struct sweep_row){ .value = (const char *const *)&word[i],
					     .median = saved->row[i].median,
					     .n = saved->row[i].n,
					     .limiter = "",
					     .neighbour = SWEEP_NO_NEIGHBOUR };
		facts.asked = saved->row[i].n > facts.asked ? saved->row[i].n : facts.asked;
	}
	if (!failed && sweep_table_make(&facts, row, saved->count, &table) == 0) {
		if (report->plan->json)
			figures_sweep_json(report->out, &table);
		else
			figures_sweep(report->out, &table);
		sweep_table_free(&table);
	}
	for (size_t i = 0; word && i < saved->count; i++)
		free(word[i]);
	free(word);
	free(row);
	return failed;
}

int conclude_saved_sweeps(struct report *report, const struct sweep_saved *saved, size_t count,
			  struct bugreport *bug, int *status, struct sock_cause *cause)
{
	const struct sweep_saved *last = &saved[count - 1];
	int failed;

	section(bug, count == 2 ? "comparison" : "sweep");
	failed = count == 2 ? say_comparison(report, &saved[0], last) : show_saved(report, last);
	*status = 0;
	if (!failed && report->plan->test_count > 0) {
		section(bug, "expectations");
		failed = say_tests(report, last, NULL, 0, count == 2 ? &saved[0] : NULL, status);
	}
	if (!failed && bug)
		failed = bugreport_end(bug, NULL);
	report_flush(report);
	return failed ? no_memory(cause) : 0;
}
