/* What a sweep comes to: see conclude_sweep.h. */
#include "conclude_sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../socklib.h"
#include "bugreport.h"
#include "evidence.h"
#include "expect.h"
#include "explain.h"
#include "figures.h"
#include "lane.h"
#include "mechanism.h"
#include "plan.h"
#include "report.h"
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
	struct summary *summary; /* of each row */
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

/*
 * The setting with the next lower value of the number that varies fastest, and
 * else alike: as for cliffs (edges.h).  Those that the search for these has
 * added in between have no row.
 */
static size_t neighbour_of(const struct sweep *sweep, size_t setting)
{
	size_t number = sweep_fastest(sweep, setting), below = setting, above;

	if (number == SWEEP_NONE)
		return SWEEP_NO_NEIGHBOUR;
	do {
		if (sweep_neighbours(sweep, below, number, &below, &above) || below == SWEEP_NONE)
			return SWEEP_NO_NEIGHBOUR;
	} while (below >= sweep->asked);
	return below;
}

static int make_row(struct made *made, const struct conclude_sweep_input *input, size_t setting)
{
	const struct lane *lane = input->lanes[setting];
	struct sweep_row *row = &made->row[setting];

	*row = (struct sweep_row){
		.value = (const char *const *)lane->setting->labels,
		.limiter = lane_limiter(lane),
		.neighbour = SWEEP_NO_NEIGHBOUR,
		.is_added = setting >= input->sweep->asked,
	};
	if (!row->is_added)
		row->neighbour = neighbour_of(input->sweep, setting);
	if (summary_make(lane->run, &made->summary[setting]))
		return -1;
	row->median = made->summary[setting].unit;
	row->n = made->summary[setting].units;
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
					    .parallel = plan->parallel,
					    .duration_s = plan->duration_s,
					    .seed = plan->seed,
					    .interrupted = input->interrupted };
	made->row = calloc(input->count, sizeof(*made->row));
	made->summary = calloc(input->count, sizeof(*made->summary));
	if (!made->row || !made->summary)
		return -1;
	for (size_t i = 0; i < input->count; i++)
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
		summary_free(&made->summary[i]);
	free(made->summary);
	free(made->row);
}

/* ---- what is said ---- */

static void section(const struct report *report, const char *title)
{
	if (!report->plan->json)
		fprintf(report->out, "\n---- %s\n", title);
}

/* "64K" of "-b 64K": the blocks of all transports, as they are written. */
static const char *block_of(const struct sweep *sweep)
{
	const char *found = "64K";

	/* Those of the source stand last on the command line. */
	for (size_t i = 0; i < sweep->word_count; i++)
		if (sweep->words[i].letter == 'b' && sweep->words[i].argument)
			found = sweep->words[i].argument;
	return found;
}

static void say_table(struct report *report, const struct conclude_sweep_input *input,
		      const struct made *made)
{
	const struct sweep *sweep = input->sweep;
	int only_x = sweep->axis_count == 1 && sweep->axes[0].letter == 'x';
	FILE *out = report->out;

	if (input->bug)
		bugreport_section(input->bug, "sweep");
	if (report->plan->json) {
		figures_sweep_json(out, &made->table);
		figures_cliffs_json(out, input->cliffs);
		if (only_x)
			figures_transports_json(out, &made->table);
		return;
	}
	/* Not in one piece with the lines of the connections. */
	if (!report->quiet && !input->bug)
		putc('\n', out);
	if (only_x)
		figures_transports(out, &made->table, block_of(sweep));
	else
		figures_sweep(out, &made->table);
	if (input->has_edges) {
		putc('\n', out);
		figures_cliffs(out, input->cliffs, made->facts.asked);
	}
	putc('\n', out);
	figures_sweep_medians(out, &made->table);
}

/* Of one setting; in JSON its connections tell which it is. */
static int say_mechanisms_of(struct report *report, const struct conclude_sweep_input *input,
			     size_t setting, const struct explanation *explanation)
{
	char *label;

	if (report->plan->json) {
		figures_mechanisms_json(report->out, explanation);
		return 0;
	}
	label = sweep_label_of(input->sweep, setting);
	if (!label)
		return -1;
	fprintf(report->out, "setting %s:\n", label);
	figures_mechanisms(report->out, explanation);
	free(label);
	return 0;
}

static int explain_setting(const struct lane *lane, const struct summary *summary,
			   struct explanation *explanation)
{
	struct mechanism_input ours;

	settings_ours(lane->plan, &ours);
	return explain_make(&ours, summary, lane->evidence, explanation);
}

/* The mechanisms of the settings, those that were added too. */
static int say_mechanisms(struct report *report, const struct conclude_sweep_input *input,
			  const struct made *made)
{
	int failed = 0, any = 0;

	section(report, "known mechanisms");
	for (size_t i = 0; i < made->rows && !failed; i++) {
		struct explanation explanation;

		if (explain_setting(input->lanes[i], &made->summary[i], &explanation))
			return -1;
		if (explanation.mechanisms > 0)
			failed = say_mechanisms_of(report, input, i, &explanation);
		any |= explanation.mechanisms > 0;
		explain_free(&explanation);
	}
	if (!failed && !any && !report->plan->json)
		fputs("none seen in any setting\n", report->out);
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
			const struct sweep_saved_row *row, const struct summary *live, size_t asked,
			const struct sweep_saved_row *before, struct expect_result *result)
{
	if (live && !test->metric->of_pair)
		expect_evaluate(test, live, NULL, result);
	else if (sweep_expect(test, row, asked, before, result))
		return -1;
	if (report->plan->json)
		figures_expect_setting_json(report->out, row->label, result);
	else
		figures_expect_setting(report->out, row->label, result);
	return 0;
}

static int say_tests(struct report *report, const struct sweep_saved *saved,
		     const struct summary *live, size_t asked, const struct sweep_saved *before,
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

			failed = test_setting(report, &plan->tests[t], row, live ? &live[i] : NULL,
					      asked,
					      before ? sweep_saved_find(before, row->label) : NULL,
					      &results[count++]);
		}
	if (!failed)
		*status = expect_status(results, count);
	free(results);
	return failed;
}

/* ---- all of it ---- */

/* The end of the report is about the connections of all settings: count of them. */
static int end_report(const struct conclude_sweep_input *input, size_t count)
{
	struct evidence all = { .cpu_s = NAN };
	int failed;

	for (size_t i = 0; i < count; i++)
		all.room += input->lanes[i]->evidence->count;
	all.connection = calloc(all.room + 1, sizeof(*all.connection));
	if (!all.connection)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct evidence *one = input->lanes[i]->evidence;

		if (one->count > 0)
			memcpy(all.connection + all.count, one->connection,
			       one->count * sizeof(*one->connection));
		all.count += one->count;
		all.asking_s = fmax(all.asking_s, one->asking_s);
		/* There is one watcher: it has used more each time that it told. */
		all.cpu_s = fmax(all.cpu_s, one->cpu_s);
	}
	failed = bugreport_end(input->bug, &all);
	free(all.connection);
	return failed;
}

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
		section(report, "comparison");
		failed = say_comparison(report, before, &made->saved);
	}
	if (!failed && plan->test_count > 0) {
		if (input->bug)
			bugreport_section(input->bug, "expectations");
		else if (!plan->json)
			putc('\n', report->out);
		failed = say_tests(report, &made->saved, made->summary, made->facts.asked, before,
				   status);
	}
	if (!failed && input->bug)
		failed = end_report(input, made->rows);
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

/* ---- saved sweeps ---- */

#define STANDING 3 /* medians that stand for those of a row: lowest, median, highest */

/* A saved sweep as a table again. */
struct again {
	struct sweep_facts facts;
	char *axis[SWEEP_AXES];
	char **value; /* of each row, one for each axis */
	double *standing;
	struct sweep_row *row;
	size_t rows;
	struct sweep_table table;
};

/* A label is axes and values in turn; its word number index, to be freed, or NULL. */
static char *label_word(const char *label, size_t index)
{
	for (; index > 0 && label; index--) {
		label = strchr(label, ' ');
		label += label != NULL;
	}
	return label && *label ? strndup(label, strcspn(label, " ")) : NULL;
}

static size_t count_axes(const char *label)
{
	size_t words = 1;

	for (; (label = strchr(label, ' ')) != NULL; label++)
		words++;
	return words / 2;
}

/* 1 when a label has these axes. */
static int has_axes(const struct again *again, const char *label)
{
	int same = count_axes(label) == again->facts.axes;

	for (size_t i = 0; same && i < again->facts.axes; i++) {
		char *word = label_word(label, 2 * i);

		same = word && strcmp(word, again->axis[i]) == 0;
		free(word);
	}
	return same;
}

/* Those of the first row, where all have them; else there is one for the whole setting. */
static int find_axes(struct again *again, const struct sweep_saved *saved)
{
	const char *first = saved->row[0].label;
	int same = 1;

	again->facts.axes = count_axes(first);
	if (again->facts.axes > SWEEP_AXES)
		again->facts.axes = 0;
	for (size_t i = 0; i < again->facts.axes; i++) {
		again->axis[i] = label_word(first, 2 * i);
		if (!again->axis[i])
			return -1;
	}
	for (size_t i = 0; i < saved->count; i++)
		same &= has_axes(again, saved->row[i].label);
	if (same && again->facts.axes > 0)
		return 0;
	for (size_t i = 0; i < again->facts.axes; i++) {
		free(again->axis[i]);
		again->axis[i] = NULL;
	}
	again->facts.axes = 0;
	again->axis[0] = strdup("setting");
	return again->axis[0] ? 0 : -1;
}

static int take_values(struct again *again, const char *label, char **value)
{
	if (again->facts.axes == 0) {
		*value = sweep_word(label);
		return *value ? 0 : -1;
	}
	for (size_t i = 0; i < again->facts.axes; i++) {
		value[i] = label_word(label, 2 * i + 1);
		if (!value[i])
			return -1;
	}
	return 0;
}

static void take_medians(struct again *again, const struct sweep_saved_row *saved, size_t at)
{
	struct sweep_row *row = &again->row[at];
	double *standing = again->standing + STANDING * at;

	if (saved->has_medians || !saved->has_rate) {
		row->median = saved->median;
		row->n = saved->has_medians ? saved->n : 0;
		return;
	}
	standing[0] = saved->middle.min;
	standing[1] = saved->middle.median;
	standing[2] = saved->middle.max;
	row->median = standing;
	row->n = STANDING;
}

/* What is known of a row without its medians is what it said. */
static void say_as_before(struct again *again, const struct sweep_saved_row *saved, size_t at)
{
	struct sweep_line *line = &again->table.line[at];

	if (saved->has_medians || !saved->has_rate)
		return;
	again->table.connections += saved->n;
	again->table.connections -= STANDING;
	line->middle = saved->middle;
	if (line->middle.n == 0) /* not known how many: but there are some */
		line->middle.n = 1;
	line->groups = (struct stats_groups){ .grouping = STATS_GROUPS_TOO_FEW };
}

static int make_again(struct again *again, const struct sweep_saved *saved)
{
	size_t wide;

	*again = (struct again){ .rows = saved->count };
	if (find_axes(again, saved))
		return -1;
	wide = again->facts.axes ? again->facts.axes : 1;
	again->value = calloc(saved->count * wide, sizeof(*again->value));
	again->standing = calloc(saved->count, STANDING * sizeof(*again->standing));
	again->row = calloc(saved->count, sizeof(*again->row));
	if (!again->value || !again->standing || !again->row)
		return -1;
	for (size_t i = 0; i < saved->count; i++) {
		char **value = again->value + i * wide;

		if (take_values(again, saved->row[i].label, value))
			return -1;
		again->row[i] = (struct sweep_row){ .value = (const char *const *)value,
						    .limiter = "",
						    .neighbour = SWEEP_NO_NEIGHBOUR };
		take_medians(again, &saved->row[i], i);
		if (saved->row[i].n > again->facts.asked)
			again->facts.asked = saved->row[i].n;
	}
	again->facts.axes = wide;
	again->facts.axis = (const char *const *)again->axis;
	again->facts.is_saved = true;
	if (sweep_table_make(&again->facts, again->row, saved->count, &again->table))
		return -1;
	for (size_t i = 0; i < saved->count; i++)
		say_as_before(again, &saved->row[i], i);
	return 0;
}

static void free_again(struct again *again)
{
	size_t wide = again->facts.axes ? again->facts.axes : 1;

	sweep_table_free(&again->table);
	for (size_t i = 0; again->value && i < again->rows * wide; i++)
		free(again->value[i]);
	for (size_t i = 0; i < SWEEP_AXES; i++)
		free(again->axis[i]);
	free(again->value);
	free(again->standing);
	free(again->row);
}

/* One saved sweep: its settings once more. */
static int show_saved(struct report *report, const struct sweep_saved *saved)
{
	struct again again;
	int failed = make_again(&again, saved);

	if (!failed && report->plan->json)
		figures_sweep_json(report->out, &again.table);
	else if (!failed)
		figures_sweep(report->out, &again.table);
	free_again(&again);
	return failed;
}

int conclude_saved_sweeps(struct report *report, const struct sweep_saved *saved, size_t count,
			  struct bugreport *bug, int *status, struct sock_cause *cause)
{
	const struct sweep_saved *last = &saved[count - 1];
	int failed;

	*status = 0;
	if (bug)
		bugreport_section(bug, count == 2 ? "comparison" : "sweep");
	failed = count == 2 ? say_comparison(report, &saved[0], last) : show_saved(report, last);
	if (!failed && report->plan->test_count > 0) {
		if (bug)
			bugreport_section(bug, "expectations");
		failed = say_tests(report, last, NULL, 0, count == 2 ? &saved[0] : NULL, status);
	}
	if (!failed && bug)
		failed = bugreport_end(bug, NULL);
	report_flush(report);
	return failed ? no_memory(cause) : 0;
}
