/*
 * sock_sink: connect, read, print MB/sec.
 *
 * One connection after another: each is connected here, read by a worker
 * (measure/transfer) and watched by the observer (measure/observer).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bugreport.h"
#include "measure/clock.h"
#include "measure/conclude.h"
#include "measure/conclude_sweep.h"
#include "measure/edges.h"
#include "measure/cliff.h"
#include "measure/lane.h"
#include "measure/served.h"
#include "measure/sweep.h"
#include "measure/sweep_saved.h"
#include "measure/evidence.h"
#include "measure/hostenv.h"
#include "measure/netcount.h"
#include "measure/observer.h"
#include "measure/plan.h"
#include "measure/process.h"
#include "measure/report.h"
#include "measure/run.h"
#include "measure/settings.h"
#include "measure/transfer.h"
#include "measure/usage.h"
#include "measure/wait.h"
#include "measure/watcher.h"
#include "socklib.h"

/* After ^C a second one within this time ends a shell's loop as well. */
#define SECOND_CHANCE_S 0.25

struct sink {
	char **argv;
	struct sweep sweep;  /* the settings, one without alternatives */
	struct lane **lanes; /* one for each, where they stay */
	size_t lane_count;
	struct lane *lane; /* whose turn it is */
	struct plan *plan; /* of the first setting: what is common to all */
	struct edges edges;
	struct cliffs cliffs;
	struct plan no_plan;
	struct report report;
	struct observer observer;
	struct watcher watcher;
	struct run saved[PLAN_SAVED];
	struct sweep_saved saved_sweep[PLAN_SAVED];
	struct netcount counters;   /* as the round began */
	struct bugreport bug;	    /* -R */
	unsigned int opened;	    /* connections */
	uint64_t turns, turns_done; /* rounds of all lanes, for the progress */
	double sum;		    /* MB/sec of the intervals of a round that end now */
	unsigned int summed;	    /* how many of them */
	unsigned int sum_of;	    /* their number within the connection */
	int no_memory;		    /* some of what came out is missing */
	struct run_connection last; /* the connection that ended last */
	int caught;		    /* signals are caught */
	int stop_signal;	    /* that interrupted the run, or 0 */
	int second_signal;	    /* that wants it to end at once, or 0 */
};

static int is_sweep(const struct sink *sink)
{
	return sink->sweep.axis_count > 0;
}

/* ---- signals ---- */

/* Take a signal, if one came; it ends the connections. */
static int is_interrupted(void *context)
{
	struct sink *sink = context;
	int sig, asks = wait_take_stop(&sig);

	if (asks == 1)
		sink->stop_signal = sig;
	if (asks == 2)
		sink->second_signal = sig;
	if (asks)
		observer_interrupt(&sink->observer, asks == 2);
	if (sink->lane && sink->lane->served)
		served_drain(sink->lane->served);
	return sink->stop_signal || sink->second_signal;
}

/* ---- one connection ---- */

static void note_ends(const struct sink *sink, struct report_opening *opening, int fd,
		      struct sock_address *ends)
{
	enum plan_place place = plan_place(sink->lane->plan);

	if (place == PLAN_PIPE || place == PLAN_NOWHERE)
		return;
	sock_address_local(fd, &ends[0]);
	sock_address_peer(fd, &ends[1]);
	opening->is_net = 1;
	opening->local = &ends[0];
	opening->peer = &ends[1];
}

/* For the report, as are those below: the first connection's, kept once. */
static void keep_opened(struct sink *sink, struct settings *settings)
{
	if (!sink->plan->report || sink->bug.opened)
		return;
	sink->bug.opened = malloc(sizeof(*settings));
	if (sink->bug.opened) {
		*sink->bug.opened = *settings;
		*settings = (struct settings){ .count = 0 };
	}
}

static void keep_settings(struct sink *sink, struct settings **kept, const struct plan *plan,
			  int fd)
{
	struct sock_cause unused;

	if (!sink->plan->report || *kept)
		return;
	*kept = calloc(1, sizeof(**kept));
	if (*kept && settings_read(*kept, plan, fd, &unused)) {
		free(*kept);
		*kept = NULL;
	}
}

static int hand_over(struct sink *sink, struct report_opening *opening, int fd,
		     struct sock_cause *cause)
{
	struct sock_address ends[2];
	struct settings settings;

	if (settings_read(&settings, sink->lane->plan, fd, cause)) {
		close(fd);
		return -1;
	}
	if (sink->plan->serve)
		keep_settings(sink, &sink->bug.source, &sink->lane->setting->source, -1);
	note_ends(sink, opening, fd, ends);
	opening->worker = observer_add(&sink->observer, fd, opening->number);
	if (opening->worker < 0) {
		sock_failed(cause, "start a worker", "", errno, NULL);
		close(fd);
	} else {
		report_opened(&sink->report, opening, &settings);
	}
	keep_opened(sink, &settings);
	settings_free(&settings);
	return opening->worker < 0 ? -1 : 0;
}

static void catch_signals(struct sink *sink)
{
	if (!sink->caught)
		wait_catch_signals();
	sink->caught = 1;
}

/* Connect and hand over to a worker. */
static int start_connection(struct sink *sink, struct sock_cause *cause)
{
	char refused[128] = "";
	struct report_opening opening = { .number = sink->opened + 1, .refused = refused };
	struct lane *lane = sink->lane;
	int fd;

	if (lane_connect(lane, sink->argv[0], &opening, refused, sizeof(refused), &fd, cause))
		return -1;
	catch_signals(sink);
	sink->opened++;
	if (!run_add_series(lane->run, opening.number, lane->rounds)) {
		close(fd);
		return sock_failed(cause, "keep the rates", "", ENOMEM, NULL);
	}
	return hand_over(sink, &opening, fd, cause);
}

static void begin_round(struct sink *sink)
{
	struct lane *lane = sink->lane;

	lane->rounds++;
	lane->first = lane->run->count;
	lane->opened_at = sink->opened + 1;
	sink->sum_of = 0;
	sink->observer.plan = lane->plan;
	sink->observer.transfer = lane->transfer;
	if (plan_is_watched(lane->plan)) {
		netcount_free(&sink->counters);
		netcount_read(&sink->counters, "");
	}
}

/* The connections of a round begin together, when all are connected. */
static int start_round(struct sink *sink, struct sock_cause *cause)
{
	uint64_t parallel = sink->lane->plan->parallel;
	int failed = 0;

	begin_round(sink);
	if (parallel > 1 && observer_hold(&sink->observer))
		return sock_failed(cause, "pipe", "", errno, NULL);
	for (uint64_t i = 0; i < parallel && !failed; i++)
		failed = start_connection(sink, cause);
	observer_go(&sink->observer);
	return failed;
}

/* Sleep until there is something to do, and do it. */
static void take_turn(struct sink *sink, int64_t deadline)
{
	int64_t next = observer_next(&sink->observer);

	wait_until(next < deadline ? next : deadline, NULL, 0, NULL);
	observer_reap(&sink->observer);
	is_interrupted(sink);
	observer_tick(&sink->observer);
}

static void watch_connections(struct sink *sink)
{
	while (sink->observer.count > 0 && !report_broken(&sink->report))
		take_turn(sink, CLOCK_NEVER);
}

static void pause_between(struct sink *sink)
{
	int64_t end = clock_now() + clock_from_seconds(sink->plan->gap_s);

	while (!is_interrupted(sink) && clock_now() < end)
		take_turn(sink, end);
}

/* ---- what is kept ---- */

static void tell_progress(struct sink *sink, const struct run_connection *connection)
{
	double each = sink->plan->duration_s + sink->plan->gap_s;
	uint64_t done = sink->turns_done;
	double left = (double)(sink->turns - done) * each - connection->length_s;
	char text[128];

	if (sink->turns)
		snprintf(text, sizeof(text), "%llu of %llu, %.0f s left",
			 (unsigned long long)done + 1, (unsigned long long)sink->turns,
			 left > 0 ? left : 0);
	else
		snprintf(text, sizeof(text), "%llu, until interrupted",
			 (unsigned long long)done + 1);
	report_progress(&sink->report, text);
}

/* The sum is said when all connections of the round have closed the interval. */
static void add_to_sum(struct sink *sink, unsigned int round, unsigned int interval, double rate)
{
	if (interval != sink->sum_of) {
		sink->sum = 0;
		sink->summed = 0;
		sink->sum_of = interval;
	}
	sink->sum += rate;
	if (++sink->summed == sink->lane->plan->parallel && sink->summed > 1)
		report_sum(&sink->report, round, sink->sum);
}

static void keep_interval(const struct run_connection *connection,
			  const struct run_interval *interval, void *context)
{
	struct sink *sink = context;
	double rate = run_rate(interval->bytes, interval->length_s);
	struct run_series *series = lane_series(sink->lane, connection->number);

	if (interval->kind != RUN_WHOLE && interval->kind != RUN_LATE)
		return;
	if (!series || run_add_rate(series, rate, interval->end_s - interval->length_s))
		sink->no_memory = 1;
	if (series)
		add_to_sum(sink, series->round, interval->number, rate);
	if (plan_is_run(sink->plan))
		tell_progress(sink, connection);
}

static void keep_end(const struct run_connection *connection, struct watch *watch, void *context)
{
	struct sink *sink = context;
	struct netcount now;

	sink->last = *connection;
	if (!plan_is_watched(sink->plan))
		return;
	netcount_read(&now, "");
	if (evidence_add(sink->lane->evidence, connection, watch, &sink->counters, &now))
		sink->no_memory = 1;
	netcount_free(&now);
}

static void before_end(const struct run_connection *connection, int fd, void *context)
{
	struct sink *sink = context;

	if (connection->number == 1)
		keep_settings(sink, &sink->bug.ended, sink->lane->plan, fd);
}

/* A source of our own has ended before its time. */
static void note_source(pid_t pid, int status, void *context)
{
	struct sink *sink = context;

	for (size_t i = 0; i < sink->lane_count; i++)
		if (sink->lanes[i]->served && served_reaped(sink->lanes[i]->served, pid, status))
			return;
}

/* ---- the run ---- */

static int check_failed(const struct sink *sink, struct sock_cause *cause)
{
	char reason[256];

	if (sink->last.reason != RUN_MISMATCH)
		return 0;
	snprintf(reason, sizeof(reason),
		 "connection %u, offset %llu: got 0x%02x, expected 0x%02x (is the source run with "
		 "-c?)",
		 sink->last.number, (unsigned long long)sink->last.offset, sink->last.got,
		 sink->last.expected);
	return sock_failed(cause, "check", "", 0, reason);
}

/* A source that gives nothing will not give more the next time. */
static int is_pointless(const struct sink *sink)
{
	return (sink->last.reason == RUN_PEER_CLOSED || sink->last.reason == RUN_RESET) &&
	       sink->last.bytes == 0;
}

static void tell_setting(struct sink *sink, size_t index)
{
	char *label = sweep_label_of(&sink->sweep, index);

	if (label)
		report_setting(&sink->report, label);
	free(label);
}

/* What its workers need. */
static int prepare_work(struct sink *sink, struct lane *lane, struct sock_cause *cause)
{
	sink->observer.plan = lane->plan;
	return observer_prepare(&sink->observer, lane->transfer, cause);
}

/* 1 with a cause when the source of our own, which is to outlive its sinks, has ended. */
static int source_died(struct sink *sink, struct sock_cause *cause)
{
	const struct lane *lane = sink->lane;
	char reason[256], how[32] = "";
	int status;

	if (!lane->served || plan_place(lane->plan) == PLAN_PIPE || cause->err == EINTR ||
	    !served_died(lane->served))
		return 0;
	status = lane->served->status;
	if (lane->served->pid == 0)
		snprintf(how, sizeof(how), ", by %s %d",
			 WIFSIGNALED(status) ? "signal" : "exit status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	snprintf(reason, sizeof(reason), "has ended before its time%s%s%s", how,
		 *sink->report.setting ? "; setting " : "", sink->report.setting);
	sock_failed(cause, "-s", "sock_source", 0, reason);
	return 1;
}

/* A setting that the kernel refuses has no part in the rest; the others have. */
static void refuse(struct sink *sink, size_t index, const struct sock_cause *cause)
{
	char *label = sweep_label_of(&sink->sweep, index);
	char text[2048];

	snprintf(text, sizeof(text), "setting %s is left out: %s %s: %s", label ? label : "",
		 cause->step, cause->object, cause->reason);
	free(label);
	report_warning(&sink->report, text);
	sink->lane->is_refused = 1;
	sink->observer.failed = 1;
}

/* A lane's turn: one round of its connections. */
static int take_lane(struct sink *sink, size_t index, struct sock_cause *cause)
{
	struct lane *lane = sink->lanes[index];
	int failed;

	sink->lane = lane;
	if (lane->is_refused) {
		sink->turns_done++;
		return 0;
	}
	if (is_sweep(sink))
		tell_setting(sink, index);
	if (is_sweep(sink) && prepare_work(sink, lane, cause))
		return -1;
	failed = start_round(sink, cause);
	if (failed && is_sweep(sink) && strcmp(cause->step, "setsockopt") == 0) {
		refuse(sink, index, cause);
		failed = 0;
	}
	if (failed)
		return source_died(sink, cause) ? -1 : failed;
	watch_connections(sink);
	sink->turns_done++;
	if (is_sweep(sink))
		transfer_release(lane->transfer);
	if (check_failed(sink, cause))
		return -1;
	return source_died(sink, cause) ? -1 : 0;
}

/* 1 when there is no point in going on. */
static int is_over(struct sink *sink)
{
	wait_until(0, NULL, 0, NULL); /* signals come in while we wait */
	return is_interrupted(sink) || report_broken(&sink->report);
}

/* All lanes from the first on, interleaved, as often as the plan says. */
static int run_lanes(struct sink *sink, size_t first, struct sock_cause *cause)
{
	size_t count = sink->lane_count - first;
	uint64_t rounds = sink->plan->connections;
	size_t *order = calloc(count + 1, sizeof(*order));
	int failed = order ? 0 : sock_failed(cause, "order", "", ENOMEM, NULL), over = 0;

	sink->turns += rounds * count;
	for (uint64_t round = 1; !failed && !over && (rounds == 0 || round <= rounds); round++) {
		sweep_round(sink->plan->seed, round - 1, count, order);
		for (size_t i = 0; i < count && !failed && !over; i++) {
			if (sink->opened > 0)
				pause_between(sink);
			over = is_over(sink);
			if (!over)
				failed = take_lane(sink, first + order[i], cause);
			over |= is_over(sink) || (!is_sweep(sink) && is_pointless(sink));
		}
	}
	free(order);
	return failed && cause->err == EINTR ? 0 : failed;
}

/* ---- lanes ---- */

/*
 * All that it needs, once tried, so that errors come before any connection.
 * In a sweep what workers need is made for each turn: there may be thousands.
 */
static int prepare_lane(struct sink *sink, struct lane *lane, struct sock_cause *cause)
{
	if (lane->plan->serve && plan_given(&lane->setting->source, 'b') &&
	    plan_place(lane->plan) == PLAN_NOWHERE)
		lane->plan->block = lane->setting->source.block;
	if (lane_serve(lane, sink->lanes, sink->lane_count, sink->argv[0], cause) ||
	    lane_find(lane, is_interrupted, sink, cause))
		return -1;
	/* A large file that is written and thrown away again for each would take long. */
	if (is_sweep(sink) && sink->lane_count > 0 && plan_place(lane->plan) == PLAN_NOWHERE)
		return 0;
	if (prepare_work(sink, lane, cause))
		return -1;
	if (is_sweep(sink))
		transfer_release(lane->transfer);
	return 0;
}

/* The lanes of all settings that have none yet. */
static int open_lanes(struct sink *sink, struct sock_cause *cause)
{
	size_t count = sink->sweep.count;
	struct lane **grown = realloc(sink->lanes, count * sizeof(struct lane *));

	if (!grown)
		return sock_failed(cause, "settings", "", ENOMEM, NULL);
	sink->lanes = grown;
	while (sink->lane_count < count) {
		struct lane *lane = calloc(1, sizeof(*lane));

		if (!lane || lane_open(lane, sink->sweep.settings[sink->lane_count])) {
			if (lane)
				lane_free(lane);
			free(lane);
			return sock_failed(cause, "settings", "", ENOMEM, NULL);
		}
		if (plan_is_live(lane->plan) && prepare_lane(sink, lane, cause)) {
			lane_free(lane);
			free(lane);
			is_over(sink);
			return -1;
		}
		grown[sink->lane_count++] = lane;
		/* Hundreds of sources take a while. */
		if (sink->plan->serve && sink->opened == 0 && is_over(sink))
			return sock_failed(cause, "-s", "", EINTR, NULL);
	}
	return 0;
}

/* ---- cliffs ---- */

#define TOGETHER 8 /* settings that are added and measured interleaved */

/* Add settings that lie between others, as many as can be told apart for now. */
static int add_tries(struct sink *sink, struct cliff_try *try, size_t *which, size_t *count,
		     struct sock_cause *cause)
{
	*count = 0;
	while (*count < TOGETHER && cliff_next(&sink->cliffs, &try[*count])) {
		const struct edge *edge = &sink->edges.edge[try[*count].pair];
		int ret = sweep_between(&sink->sweep, edge->below, edge->above, edge->number,
					try[*count].number, &which[*count], cause);

		if (ret < 0)
			return -1;
		if (ret == 0)
			++*count;
		else if (cliff_tell(&sink->cliffs, &try[*count], NULL, 0))
			return sock_failed(cause, "cliffs", "", ENOMEM, NULL);
	}
	return 0;
}

static int tell_tries(struct sink *sink, const struct cliff_try *try, const size_t *which,
		      size_t count, struct sock_cause *cause)
{
	for (size_t i = 0; i < count; i++) {
		double *median = NULL;
		size_t n;
		int failed = lane_medians(sink->lanes[which[i]], &median, &n) ||
			     cliff_tell(&sink->cliffs, &try[i], median, n);

		free(median);
		if (failed)
			return sock_failed(cause, "cliffs", "", ENOMEM, NULL);
	}
	return 0;
}

/* Where neighbours differ much, measure settings between them. */
static int find_cliffs(struct sink *sink, struct sock_cause *cause)
{
	struct cliff_try try[TOGETHER];
	size_t which[TOGETHER], count = 1;

	if (edges_find(&sink->edges, &sink->sweep, sink->lanes) ||
	    cliff_find(&sink->cliffs, sink->edges.pair, sink->edges.count))
		return sock_failed(cause, "cliffs", "", ENOMEM, NULL);
	while (count > 0 && !is_over(sink)) {
		size_t first = sink->lane_count;

		if (add_tries(sink, try, which, &count, cause) || open_lanes(sink, cause) ||
		    (count > 0 && run_lanes(sink, first, cause)))
			return -1;
		if (!is_over(sink) && tell_tries(sink, try, which, count, cause))
			return -1;
	}
	return 0;
}

/* ---- the command ---- */

static int prepare(struct sink *sink, int argc, char **argv, struct sock_cause *cause)
{
	int failed = sweep_parse(&sink->sweep, argc, argv, cause);

	sink->plan = sink->sweep.count ? &sink->sweep.settings[0]->sink : &sink->no_plan;
	report_open(&sink->report, "sock_sink", sink->plan);
	if (failed || sink->plan->ask != PLAN_RUN)
		return failed;
	sink->observer = (struct observer){ .plan = sink->plan,
					    .report = &sink->report,
					    .watcher = &sink->watcher,
					    .on_interval = keep_interval,
					    .before_end = before_end,
					    .on_end = keep_end,
					    .on_other = note_source,
					    .context = sink };
	sink->report.quiet = is_sweep(sink) && !sink->plan->verbose && !sink->plan->json;
	if (conclude_read(sink->plan, sink->saved, sink->saved_sweep, cause))
		return -1;
	/* A source of ours must not be left behind by a signal. */
	if (sink->plan->serve)
		catch_signals(sink);
	return open_lanes(sink, cause);
}

static void wait_for_second(struct sink *sink)
{
	int64_t end = clock_now() + clock_from_seconds(SECOND_CHANCE_S);

	while (!sink->second_signal && clock_now() < end) {
		wait_until(end, NULL, 0, NULL);
		is_interrupted(sink);
	}
}

/*
 * What a live run is made on, for its report and for the comparison with a
 * saved one; what saved ones were made on: of two the newer.
 */
static int look_at_machine(struct sink *sink)
{
	const struct plan *plan = sink->plan;
	int live = plan_is_live(plan), failed;
	struct hostenv machine = { .count = 0 };

	if (plan->report &&
	    bugreport_begin(&sink->bug, &sink->report,
			    live ? NULL : &sink->saved[plan->saved_count - 1], sink->argv))
		return -1;
	if (!live || plan->saved_count == 0)
		return 0;
	if (plan->report)
		return hostenv_to_run(sink->bug.machine, sink->lanes[0]->run);
	failed = hostenv_read(&machine, "") || hostenv_to_run(&machine, sink->lanes[0]->run);
	hostenv_free(&machine);
	return failed;
}

/* A report without a connection says why, and where it ends. */
static int end_early(struct sink *sink, const struct sock_cause *cause)
{
	if (sink->plan->report) {
		bugreport_failed(&sink->bug, cause);
		bugreport_end(&sink->bug, NULL);
	}
	return -1;
}

/* What stands behind "--": of a sweep with all its alternatives. */
static void tell_source(struct sink *sink)
{
	static char source[] = "sock_source";
	char *alone[] = { source, NULL };
	char **behind = sink->argv, *given, *command;

	while (*behind && strcmp(*behind, "--") != 0)
		behind++;
	given = *behind;
	if (given)
		*behind = source;
	command = process_line(given ? behind : alone);
	if (given)
		*behind = given;
	if (command)
		report_source(&sink->report, command);
	free(command);
}

/* Of a sweep a header that is true of all settings, not of the first. */
static void tell_start(struct sink *sink)
{
	for (size_t i = 0; i < sink->sweep.axis_count; i++) {
		const struct sweep_axis *axis = &sink->sweep.axes[i];

		if (!axis->of_source && axis->word->argument)
			plan_set_swept(sink->plan, axis->letter, axis->word->argument);
	}
	report_start(&sink->report, sink->plan->port);
}

static int run_all(struct sink *sink, struct sock_cause *cause)
{
	int failed;

	tell_start(sink);
	if (sink->plan->serve)
		tell_source(sink);
	failed = run_lanes(sink, 0, cause);
	if (!failed && is_sweep(sink) && !sink->plan->no_cliffs && !is_over(sink))
		failed = find_cliffs(sink, cause);
	sink->lanes[0]->run->interrupted = sink->stop_signal != 0;
	return failed;
}

static int say(struct sink *sink, int *status, struct sock_cause *cause)
{
	const struct conclude_input input = {
		.saved = sink->saved,
		.sweep = sink->saved_sweep,
		.live = plan_is_live(sink->plan) ? sink->lanes[0]->run : NULL,
		.evidence = sink->lanes[0]->evidence,
		.bug = sink->plan->report ? &sink->bug : NULL,
	};
	const struct conclude_sweep_input sweep = {
		.sweep = &sink->sweep,
		.lanes = sink->lanes,
		.count = sink->lane_count,
		.cliffs = &sink->cliffs,
		.has_edges = sink->edges.count > 0,
		.saved = sink->saved_sweep,
		.bug = input.bug,
		.interrupted = sink->stop_signal != 0,
	};

	if (is_sweep(sink) && input.live)
		return conclude_sweep_say(&sink->report, &sweep, status, cause);
	return conclude_say(&sink->report, &input, status, cause);
}

/* Connect and read, and say what came out. */
static int measure(struct sink *sink, int *status, struct sock_cause *cause)
{
	int failed = 0;
	struct sock_cause second;

	*status = 0;
	if (look_at_machine(sink))
		return sock_failed(cause, "look at the machine", "", ENOMEM, NULL);
	if (plan_is_live(sink->plan))
		failed = run_all(sink, cause);
	if (sink->no_memory && !failed)
		failed = sock_failed(cause, "keep the rates", "", ENOMEM, NULL);
	if (report_broken(&sink->report))
		return failed;
	/* What there is is said, also of a run that has failed. */
	if (failed && sink->opened == 0)
		return end_early(sink, cause);
	if (say(sink, status, &second) && !failed) {
		*cause = second;
		failed = -1;
	}
	return failed;
}

static void clean_up(struct sink *sink)
{
	observer_free(&sink->observer);
	for (size_t i = 0; i < sink->lane_count; i++)
		lane_end(sink->lanes[i]);
	for (size_t i = 0; i < sink->lane_count; i++) {
		lane_free(sink->lanes[i]);
		free(sink->lanes[i]);
	}
	free(sink->lanes);
	/* Signals are taken still. */
	sink->lane = NULL;
	sink->lane_count = 0;
	for (int i = 0; i < PLAN_SAVED; i++) {
		run_free(&sink->saved[i]);
		sweep_saved_free(&sink->saved_sweep[i]);
	}
	cliff_free(&sink->cliffs);
	edges_free(&sink->edges);
	netcount_free(&sink->counters);
	bugreport_free(&sink->bug);
	sweep_free(&sink->sweep);
}

/*
 * The exit status.  With -E a failure leaves the tests undecided, unless one
 * is not met.
 */
static int final_status(int failed, int bad, size_t tests_asked, const struct sock_cause *cause,
			int tests)
{
	int status = failed ? cause->status : bad;

	if (tests_asked == 0 || status == 2)
		return status;
	return status && tests == 0 ? CONCLUDE_CANNOT_TELL : tests;
}

/* What the program leaves with; a closed standard output is a quiet end. */
static int leave(struct sink *sink, int failed, int tests, struct sock_cause *cause)
{
	int broken = report_broken(&sink->report), status;
	int before_any = sink->stop_signal && sink->opened == 0;

	if (!failed && broken && broken != EPIPE)
		failed = sock_failed(cause, "write", "standard output", broken, NULL);
	status = final_status(failed, sink->observer.failed, sink->plan->test_count, cause, tests);
	if (failed && !before_any)
		report_error(&sink->report, cause);
	clean_up(sink);
	if (!failed && broken == EPIPE)
		wait_die_by(SIGPIPE);
	if (before_any)
		wait_die_by(sink->stop_signal);
	if (sink->stop_signal == SIGINT)
		wait_for_second(sink);
	if (sink->second_signal)
		wait_die_by(sink->second_signal);
	return status;
}

int main(int argc, char **argv)
{
	struct sink sink = { .argv = argv, .watcher = { .fd = -1 } };
	struct sock_cause cause = { .err = 0 };
	int tests = 0, failed = prepare(&sink, argc, argv, &cause);

	if (!failed && sink.plan->ask != PLAN_RUN)
		usage_answer(&sink.report);
	else if (!failed)
		failed = measure(&sink, &tests, &cause);
	return leave(&sink, failed, tests, &cause);
}
