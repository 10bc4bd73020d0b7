/* One setting while it is measured: see lane.h. */
#include "lane.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../socklib.h"
#include "dial.h"
#include "evidence.h"
#include "limiter.h"
#include "plan.h"
#include "run.h"
#include "served.h"
#include "summary.h"
#include "sweep.h"
#include "transfer.h"

/* ---- its run ---- */

/* As a saved text is read: a comparison must not see blanks. */
static int set_squeezed(struct run *run, const char *name, const char *value)
{
	char *text = strdup(value), *to = text;
	int ret;

	for (const char *from = value; text && *from; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	if (!text)
		return -1;
	*to = '\0';
	ret = run_set(run, name, text);
	free(text);
	return ret;
}

static int describe_run(struct lane *lane)
{
	const struct plan *plan = lane->plan;
	struct plan_setting setting;
	struct run *run = lane->run;

	run->asked = plan->connections * plan->parallel;
	run->parallel = (unsigned int)plan->parallel;
	run->interval_s = plan->interval_s;
	run->duration_s = plan->duration_s;
	run->warm_up_s = plan->warm_up_s;
	/* As in a header: the options always, the rest where it is said. */
	for (size_t i = 0; plan_setting(plan, i, &setting); i++)
		if ((i == 0 || *setting.value) && set_squeezed(run, setting.name, setting.value))
			return -1;
	return 0;
}

int lane_open(struct lane *lane, struct sweep_setting *setting)
{
	*lane = (struct lane){ .plan = &setting->sink,
			       .setting = setting,
			       .run = calloc(1, sizeof(*lane->run)),
			       .evidence = calloc(1, sizeof(*lane->evidence)),
			       .transfer = calloc(1, sizeof(*lane->transfer)),
			       .dial = calloc(1, sizeof(*lane->dial)) };
	if (!lane->run || !lane->evidence || !lane->transfer || !lane->dial)
		return -1;
	lane->transfer->file = -1;
	lane->evidence->cpu_s = NAN;
	return describe_run(lane);
}

void lane_end(struct lane *lane)
{
	if (lane->served && !lane->shares)
		served_ask_to_end(lane->served);
}

void lane_free(struct lane *lane)
{
	if (lane->served && !lane->shares) {
		served_stop(lane->served, 1);
		free(lane->served);
	}
	if (lane->run)
		run_free(lane->run);
	if (lane->evidence)
		evidence_free(lane->evidence);
	if (lane->transfer)
		transfer_release(lane->transfer);
	if (lane->dial)
		dial_free(lane->dial);
	free(lane->run);
	free(lane->evidence);
	free(lane->transfer);
	free(lane->dial);
	*lane = (struct lane){ .plan = NULL };
}

/* ---- its source ---- */

static int same_source(const struct sweep_setting *a, const struct sweep_setting *b)
{
	if (a->sink.transport != b->sink.transport || a->source_argc != b->source_argc)
		return 0;
	for (int i = 1; i < a->source_argc; i++)
		if (strcmp(a->source_argv[i], b->source_argv[i]) != 0)
			return 0;
	return 1;
}

static int start_source(struct lane *lane, const char *argv0, struct sock_cause *cause)
{
	return served_start(lane->served, argv0, lane->setting->source_argv + 1,
			    (int)lane->plan->transport, SERVED_PATIENCE_S, cause);
}

/* What the sink would have been told with -H and -p. */
static void point_at_source(struct lane *lane)
{
	lane->plan->host = lane->served->host;
	if (lane->served->port)
		lane->plan->port = lane->served->port;
}

int lane_serve(struct lane *lane, struct lane *const *others, size_t count, const char *argv0,
	       struct sock_cause *cause)
{
	enum plan_place place = plan_place(lane->plan);

	if (!lane->plan->serve || place == PLAN_NOWHERE)
		return 0;
	for (size_t i = 0; i < count && place != PLAN_PIPE; i++)
		if (others[i]->served && same_source(others[i]->setting, lane->setting)) {
			lane->served = others[i]->served;
			lane->shares = 1;
			point_at_source(lane);
			return 0;
		}
	lane->served = calloc(1, sizeof(*lane->served));
	if (!lane->served)
		return sock_failed(cause, "-s", "", ENOMEM, NULL);
	*lane->served = (struct served){ .data = -1, .lines = -1 };
	/* That of a pipe lasts for one connection: lane_connect(). */
	if (place == PLAN_PIPE)
		return 0;
	if (start_source(lane, argv0, cause))
		return -1;
	point_at_source(lane);
	return 0;
}

int lane_find(struct lane *lane, int (*is_interrupted)(void *context), void *context,
	      struct sock_cause *cause)
{
	*lane->dial = (struct dial){ .is_interrupted = is_interrupted, .context = context };
	if (plan_place(lane->plan) == PLAN_NOWHERE)
		return 0;
	return dial_resolve(lane->dial, lane->plan, cause);
}

int lane_connect(struct lane *lane, const char *argv0, struct report_opening *opening,
		 char *refused, size_t size, int *fd, struct sock_cause *cause)
{
	*fd = -1;
	if (plan_place(lane->plan) == PLAN_NOWHERE)
		return 0;
	if (lane->served && plan_place(lane->plan) == PLAN_PIPE) {
		served_stop(lane->served, 1);
		if (start_source(lane, argv0, cause))
			return -1;
		*fd = served_take_data(lane->served);
		return 0;
	}
	*fd = dial_open(lane->dial, opening, refused, size, cause);
	return *fd < 0 ? -1 : 0;
}

/* ---- what has come of it ---- */

struct run_series *lane_series(const struct lane *lane, unsigned int number)
{
	size_t index = lane->first + (number - lane->opened_at);

	if (number < lane->opened_at || index >= lane->run->count)
		return NULL;
	return &lane->run->series[index];
}

int lane_medians(const struct lane *lane, double **median, size_t *count)
{
	struct summary summary;

	if (summary_make(lane->run, &summary))
		return -1;
	*median = summary.unit;
	*count = summary.units;
	summary.unit = NULL;
	summary_free(&summary);
	return 0;
}

const char *lane_limiter(const struct lane *lane)
{
	size_t seen[LIMITERS] = { 0 }, most = LIMITER_NONE;
	const char *name;

	for (size_t i = 0; i < lane->evidence->count; i++) {
		const struct evidence_connection *one = &lane->evidence->connection[i];

		if (one->facts)
			seen[limiter_of(one->facts, one->rate * 1e6).word]++;
	}
	for (size_t word = 0; word < LIMITERS; word++)
		if (seen[word] > seen[most])
			most = word;
	name = limiter_name((enum limiter_word)most);
	return name ? name : seen[most] ? "-" : "";
}
