/* The end of a command: see conclude.h. */
#include "conclude.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../socklib.h"
#include "bugreport.h"
#include "compare.h"
#include "conclude_sweep.h"
#include "expect.h"
#include "explain.h"
#include "figures.h"
#include "mechanism.h"
#include "plan.h"
#include "report.h"
#include "run.h"
#include "settings.h"
#include "saved.h"
#include "summary.h"
#include "sweep_saved.h"

/* ---- saved outputs ---- */

static int drop_warm_up(const struct plan *plan, struct run *run, const char *name,
			struct sock_cause *cause)
{
	char object[256];

	if (plan->warm_up_s <= 0 || run_drop_before(run, plan->warm_up_s) == 0)
		return 0;
	snprintf(object, sizeof(object), "%.200s", name);
	return sock_failed(cause, "-w", object, 0,
			   "the text does not say how long its intervals are; -i tells");
}

static int read_one(const struct plan *plan, const char *name, struct run *run,
		    struct sweep_saved *sweep, struct sock_cause *cause)
{
	int is_stdin = strcmp(name, "-") == 0, failed;
	FILE *file = is_stdin ? stdin : fopen(name, "re");

	if (!file)
		return sock_failed(cause, "read", name, errno, NULL);
	failed = saved_read_sweep(file, is_stdin ? "standard input" : name,
				  plan_given(plan, 'i') ? plan->interval_s : 0, run, sweep, cause);
	if (!is_stdin)
		fclose(file);
	if (failed || sweep->count > 0)
		return failed;
	return drop_warm_up(plan, run, name, cause);
}

int conclude_read(const struct plan *plan, struct run *run, struct sweep_saved *sweep,
		  struct sock_cause *cause)
{
	int is_sweep;

	for (size_t i = 0; i < plan->saved_count; i++)
		if (read_one(plan, plan->saved[i], &run[i], &sweep[i], cause))
			return -1;
	if (plan->saved_count == 0 || (plan->saved_count == 1 && !plan_is_live(plan)))
		return 0;
	is_sweep = plan->saved_count == 2 ? sweep[1].count > 0 : plan->of_sweep;
	if ((sweep[0].count > 0) != is_sweep)
		return sock_failed(cause, "-r", "", 0, "a sweep and no sweep cannot be compared");
	return 0;
}

/* ---- what is said ---- */

/* All that is known of one command's runs: the last is the one of interest. */
struct conclusion {
	const struct plan *plan;
	struct report *report;
	struct summary summary[PLAN_SAVED];
	const char *name[PLAN_SAVED];
	size_t count;
	struct compare compare;
	const struct conclude_input *input;
	struct explanation explanation; /* of the live run, when it was watched */
	int has_explanation;
};

static int add_run(struct conclusion *c, const struct run *run, const char *name)
{
	c->name[c->count] = name;
	return summary_make(run, &c->summary[c->count]) ? -1 : (c->count++, 0);
}

static int explain_live(struct conclusion *c)
{
	struct mechanism_input ours;

	if (!c->input->live || !c->input->evidence || !plan_is_watched(c->plan))
		return 0;
	settings_ours(c->plan, &ours);
	if (explain_make(&ours, &c->summary[c->count - 1], c->input->evidence, &c->explanation))
		return -1;
	c->has_explanation = 1;
	return 0;
}

static int gather(struct conclusion *c)
{
	for (size_t i = 0; i < c->plan->saved_count; i++)
		if (add_run(c, &c->input->saved[i], c->plan->saved[i]))
			return -1;
	if (c->input->live && add_run(c, c->input->live, "this run"))
		return -1;
	if (explain_live(c))
		return -1;
	return c->count < 2 ? 0 : compare_make(&c->summary[0], &c->summary[1], &c->compare);
}

static void section(struct conclusion *c, const char *title)
{
	if (!c->plan->json)
		fprintf(c->report->out, "%s---- %s\n", c->input->bug ? "\n" : "", title);
}

static void say_explanation(struct conclusion *c)
{
	FILE *out = c->report->out;
	const struct explanation *explanation = &c->explanation;

	if (c->plan->json) {
		figures_explain_json(out, explanation);
		figures_mechanisms_json(out, explanation);
		return;
	}
	if (plan_is_run(c->plan)) {
		section(c, "what goes with fast and slow");
		figures_explain(out, explanation);
	}
	/* One connection without a finding needs no word about it. */
	if (plan_is_run(c->plan) || explanation->mechanisms > 0) {
		section(c, "known mechanisms");
		figures_mechanisms(out, explanation);
	}
}

static void say_summary(struct conclusion *c)
{
	FILE *out = c->report->out;
	const struct summary *newest = &c->summary[c->count - 1];
	int pair = c->count == 2;

	if (c->plan->json) {
		for (size_t i = 0; i < c->count; i++)
			figures_summary_json(out, &c->summary[i]);
		if (pair)
			figures_compare_json(out, &c->compare, c->name[0], c->name[1]);
		return;
	}
	/* A report says all of its own run. */
	if (!pair || (c->input->bug && c->input->live)) {
		if (c->input->bug)
			section(c, "summary");
		figures_summary(out, newest);
	}
	if (pair) {
		if (c->input->bug)
			section(c, "comparison");
		figures_compare(out, &c->compare, c->name[0], c->name[1]);
	}
}

static void say_figures(struct conclusion *c)
{
	struct bugreport *bug = c->input->bug;

	if (bug && c->input->live)
		bugreport_connections(bug, c->input->evidence);
	if (plan_is_run(c->plan) || c->plan->saved_count > 0)
		say_summary(c);
	if (c->has_explanation)
		say_explanation(c);
	report_flush(c->report);
}

static int say_tests(struct conclusion *c, int *status)
{
	size_t count = c->plan->test_count;
	struct expect_result *results = calloc(count ? count : 1, sizeof(*results));

	if (!results)
		return -1;
	for (size_t i = 0; i < count; i++) {
		expect_evaluate(&c->plan->tests[i], &c->summary[c->count - 1],
				c->count == 2 ? &c->compare : NULL, &results[i]);
		if (c->plan->json)
			figures_expect_json(c->report->out, &results[i]);
		else
			figures_expect(c->report->out, &results[i]);
	}
	*status = expect_status(results, count);
	free(results);
	report_flush(c->report);
	return 0;
}

int conclude_say(struct report *report, const struct conclude_input *input, int *status,
		 struct sock_cause *cause)
{
	struct conclusion c = { .plan = report->plan, .report = report, .input = input };
	int failed;

	if (report->plan->saved_count > 0 && input->sweep[0].count > 0 && !input->live)
		return conclude_saved_sweeps(report, input->sweep, report->plan->saved_count,
					     input->bug, status, cause);
	failed = gather(&c);

	*status = 0;
	if (!failed)
		say_figures(&c);
	if (!failed && c.plan->test_count > 0) {
		if (input->bug)
			section(&c, "expectations");
		failed = say_tests(&c, status);
	}
	if (!failed && input->bug)
		failed = bugreport_end(input->bug, input->live ? input->evidence : NULL);
	if (failed)
		sock_failed(cause, "summary", "", ENOMEM, NULL);
	if (c.has_explanation)
		explain_free(&c.explanation);
	compare_free(&c.compare);
	for (size_t i = 0; i < c.count; i++)
		summary_free(&c.summary[i]);
	return failed;
}
