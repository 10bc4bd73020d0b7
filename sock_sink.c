/*
 * sock_sink: connect, read, print MB/sec.
 *
 * One connection after another: each is connected here, read by a worker
 * (measure/transfer) and watched by the observer (measure/observer).
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/bugreport.h"
#include "measure/clock.h"
#include "measure/conclude.h"
#include "measure/dial.h"
#include "measure/evidence.h"
#include "measure/hostenv.h"
#include "measure/netcount.h"
#include "measure/observer.h"
#include "measure/plan.h"
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
	struct plan plan;
	struct report report;
	struct transfer transfer;
	struct observer observer;
	struct watcher watcher;
	struct dial dial;
	struct run run;
	struct run saved[PLAN_SAVED];
	struct evidence evidence;   /* of run, when it is watched */
	struct netcount counters;   /* as the round began */
	struct bugreport bug;	    /* -R */
	double sum;		    /* MB/sec of the intervals of a round that end now */
	unsigned int summed;	    /* how many of them */
	unsigned int sum_of;	    /* their number within the connection */
	int no_memory;		    /* some of run is missing */
	struct run_connection last; /* the connection that ended last */
	int caught;		    /* signals are caught: a connection was up */
	int stop_signal;	    /* that interrupted the run, or 0 */
	int second_signal;	    /* that wants it to end at once, or 0 */
};

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
	return sink->stop_signal || sink->second_signal;
}

/* ---- one connection ---- */

static void note_ends(const struct sink *sink, struct report_opening *opening, int fd,
		      struct sock_address *ends)
{
	if (plan_place(&sink->plan) == PLAN_PIPE)
		return;
	sock_address_local(fd, &ends[0]);
	sock_address_peer(fd, &ends[1]);
	opening->is_net = 1;
	opening->local = &ends[0];
	opening->peer = &ends[1];
}

/* For the report: those of the first connection, kept once. */
static void keep_settings(struct sink *sink, struct settings **kept, int fd)
{
	struct sock_cause unused;

	if (!sink->plan.report || *kept)
		return;
	*kept = calloc(1, sizeof(**kept));
	if (*kept && settings_read(*kept, &sink->plan, fd, &unused)) {
		free(*kept);
		*kept = NULL;
	}
}

static int hand_over(struct sink *sink, struct report_opening *opening, int fd,
		     struct sock_cause *cause)
{
	struct sock_address ends[2];
	struct settings settings;

	if (settings_read(&settings, &sink->plan, fd, cause)) {
		close(fd);
		return -1;
	}
	keep_settings(sink, &sink->bug.opened, fd);
	note_ends(sink, opening, fd, ends);
	opening->worker = observer_add(&sink->observer, fd, opening->number);
	if (opening->worker < 0) {
		sock_failed(cause, "start a worker", "", errno, NULL);
		close(fd);
	} else {
		report_opened(&sink->report, opening, &settings);
	}
	settings_free(&settings);
	return opening->worker < 0 ? -1 : 0;
}

/* Connect and hand over to a worker. */
static int start_connection(struct sink *sink, unsigned int number, unsigned int round,
			    struct sock_cause *cause)
{
	char refused[128] = "";
	struct report_opening opening = { .number = number, .refused = refused };
	int fd = dial_open(&sink->dial, &opening, refused, sizeof(refused), cause);

	if (fd < 0)
		return -1;
	if (!sink->caught)
		wait_catch_signals();
	sink->caught = 1;
	if (!run_add_series(&sink->run, number, round)) {
		close(fd);
		return sock_failed(cause, "keep the rates", "", ENOMEM, NULL);
	}
	return hand_over(sink, &opening, fd, cause);
}

/* The connections of a round begin together, when all are connected. */
static int start_round(struct sink *sink, unsigned int round, struct sock_cause *cause)
{
	unsigned int parallel = (unsigned int)sink->plan.parallel;
	int failed = 0;

	sink->sum_of = 0;
	if (plan_is_watched(&sink->plan)) {
		netcount_free(&sink->counters);
		netcount_read(&sink->counters, "");
	}
	if (parallel > 1 && observer_hold(&sink->observer))
		return sock_failed(cause, "pipe", "", errno, NULL);
	for (unsigned int i = 1; i <= parallel && !failed; i++)
		failed = start_connection(sink, (round - 1) * parallel + i, round, cause);
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
	int64_t end = clock_now() + clock_from_seconds(sink->plan.gap_s);

	while (!is_interrupted(sink) && clock_now() < end)
		take_turn(sink, end);
}

/* ---- what is kept ---- */

static void tell_progress(struct sink *sink, const struct run_connection *connection)
{
	double each = sink->plan.duration_s + sink->plan.gap_s;
	uint64_t rounds = sink->plan.connections,
		 done = (connection->number - 1) / sink->plan.parallel;
	char text[128];

	if (rounds)
		snprintf(text, sizeof(text), "%llu of %llu, %.0f s left",
			 (unsigned long long)done + 1, (unsigned long long)rounds,
			 (double)(rounds - done) * each - connection->length_s);
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
	if (++sink->summed == sink->plan.parallel && sink->plan.parallel > 1)
		report_sum(&sink->report, round, sink->sum);
}

static void keep_interval(const struct run_connection *connection,
			  const struct run_interval *interval, void *context)
{
	struct sink *sink = context;
	double rate = run_rate(interval->bytes, interval->length_s);
	struct run_series *series = &sink->run.series[connection->number - 1];

	if (interval->kind != RUN_WHOLE && interval->kind != RUN_LATE)
		return;
	if (run_add_rate(series, rate, interval->end_s - interval->length_s))
		sink->no_memory = 1;
	add_to_sum(sink, series->round, interval->number, rate);
	if (plan_is_run(&sink->plan))
		tell_progress(sink, connection);
}

static void keep_end(const struct run_connection *connection, struct watch *watch, void *context)
{
	struct sink *sink = context;
	struct netcount now;

	sink->last = *connection;
	if (!plan_is_watched(&sink->plan))
		return;
	netcount_read(&now, "");
	if (evidence_add(&sink->evidence, connection, watch, &sink->counters, &now))
		sink->no_memory = 1;
	netcount_free(&now);
}

static void before_end(const struct run_connection *connection, int fd, void *context)
{
	struct sink *sink = context;

	if (connection->number == 1)
		keep_settings(sink, &sink->bug.ended, fd);
}

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

static int describe_run(struct sink *sink)
{
	const struct plan *plan = &sink->plan;
	struct plan_setting setting;

	sink->run.asked = plan->connections * plan->parallel;
	sink->run.parallel = (unsigned int)plan->parallel;
	sink->run.interval_s = plan->interval_s;
	sink->run.duration_s = plan->duration_s;
	sink->run.warm_up_s = plan->warm_up_s;
	/* As in a header: the options always, the rest where it is said. */
	for (size_t i = 0; plan_setting(plan, i, &setting); i++)
		if ((i == 0 || *setting.value) &&
		    set_squeezed(&sink->run, setting.name, setting.value))
			return -1;
	return 0;
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

static int run_connections(struct sink *sink, struct sock_cause *cause)
{
	uint64_t rounds = sink->plan.connections;

	for (unsigned int round = 1; rounds == 0 || round <= rounds; round++) {
		if (round > 1)
			pause_between(sink);
		if (is_interrupted(sink))
			break;
		if (start_round(sink, round, cause))
			return cause->err == EINTR ? 0 : -1;
		watch_connections(sink);
		if (check_failed(sink, cause))
			return -1;
		if (report_broken(&sink->report) || is_pointless(sink))
			break;
	}
	return 0;
}

static int prepare(struct sink *sink, int argc, char **argv, struct sock_cause *cause)
{
	struct plan *plan = &sink->plan;
	int failed = plan_parse(plan, PLAN_SINK, argc, argv, cause);

	report_open(&sink->report, "sock_sink", plan);
	if (failed || plan->ask != PLAN_RUN)
		return failed;
	sink->observer = (struct observer){ .plan = plan,
					    .transfer = &sink->transfer,
					    .report = &sink->report,
					    .watcher = &sink->watcher,
					    .on_interval = keep_interval,
					    .before_end = before_end,
					    .on_end = keep_end,
					    .context = sink };
	sink->dial = (struct dial){ .is_interrupted = is_interrupted, .context = sink };
	if (describe_run(sink))
		return sock_failed(cause, "keep the settings", "", ENOMEM, NULL);
	if (conclude_read(plan, sink->saved, cause))
		return -1;
	if (!plan_is_live(plan))
		return 0;
	if (dial_resolve(&sink->dial, plan, cause))
		return -1;
	return observer_prepare(&sink->observer, &sink->transfer, cause);
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
	const struct plan *plan = &sink->plan;
	int live = plan_is_live(plan), failed;
	struct hostenv machine = { .count = 0 };

	if (plan->report &&
	    bugreport_begin(&sink->bug, &sink->report,
			    live ? NULL : &sink->saved[plan->saved_count - 1], sink->argv))
		return -1;
	if (!live || plan->saved_count == 0)
		return 0;
	if (plan->report)
		return hostenv_to_run(sink->bug.machine, &sink->run);
	failed = hostenv_read(&machine, "") || hostenv_to_run(&machine, &sink->run);
	hostenv_free(&machine);
	return failed;
}

/* A run without a connection says only where it ends. */
static int end_early(struct sink *sink)
{
	if (sink->plan.report)
		bugreport_end(&sink->bug, NULL);
	return -1;
}

/* Connect and read, and say what came out. */
static int measure(struct sink *sink, int *status, struct sock_cause *cause)
{
	int live = plan_is_live(&sink->plan), failed = 0;
	struct sock_cause second;
	const struct conclude_input input = { .saved = sink->saved,
					      .live = live ? &sink->run : NULL,
					      .evidence = &sink->evidence,
					      .bug = sink->plan.report ? &sink->bug : NULL };

	*status = 0;
	if (look_at_machine(sink))
		return sock_failed(cause, "look at the machine", "", ENOMEM, NULL);
	if (live) {
		report_start(&sink->report, sink->plan.port);
		failed = run_connections(sink, cause);
		sink->run.interrupted = sink->stop_signal != 0;
	}
	if (sink->no_memory && !failed)
		failed = sock_failed(cause, "keep the rates", "", ENOMEM, NULL);
	if (report_broken(&sink->report))
		return failed;
	/* What there is is said, also of a run that has failed. */
	if (failed && sink->run.count == 0)
		return end_early(sink);
	if (conclude_say(&sink->report, &input, status, &second) && !failed) {
		*cause = second;
		failed = -1;
	}
	return failed;
}

static void clean_up(struct sink *sink)
{
	observer_free(&sink->observer);
	transfer_release(&sink->transfer);
	dial_free(&sink->dial);
	for (int i = 0; i < PLAN_SAVED; i++)
		run_free(&sink->saved[i]);
	run_free(&sink->run);
	evidence_free(&sink->evidence);
	netcount_free(&sink->counters);
	bugreport_free(&sink->bug);
	plan_free(&sink->plan);
}

/*
 * The exit status.  With -E a failure leaves the tests undecided, unless one
 * is not met.
 */
static int final_status(const struct sink *sink, int failed, const struct sock_cause *cause,
			int tests)
{
	int status = failed ? cause->status : sink->observer.failed;

	if (sink->plan.test_count == 0 || status == 2)
		return status;
	return status && tests == 0 ? CONCLUDE_CANNOT_TELL : tests;
}

/* What the program leaves with; a closed standard output is a quiet end. */
static int leave(struct sink *sink, int failed, int tests, struct sock_cause *cause)
{
	int broken = report_broken(&sink->report), status;

	if (!failed && broken && broken != EPIPE)
		failed = sock_failed(cause, "write", "standard output", broken, NULL);
	status = final_status(sink, failed, cause, tests);
	clean_up(sink);
	if (!failed && broken == EPIPE)
		wait_die_by(SIGPIPE);
	if (failed)
		report_error(&sink->report, cause);
	if (sink->stop_signal == SIGINT)
		wait_for_second(sink);
	if (sink->second_signal)
		wait_die_by(sink->second_signal);
	return status;
}

int main(int argc, char **argv)
{
	struct sink sink = { .argv = argv,
			     .transfer = { .file = -1 },
			     .watcher = { .fd = -1 },
			     .evidence = { .cpu_s = NAN } };
	struct sock_cause cause;
	int tests = 0, failed = prepare(&sink, argc, argv, &cause);

	if (!failed && sink.plan.ask != PLAN_RUN)
		usage_answer(&sink.report);
	else if (!failed)
		failed = measure(&sink, &tests, &cause);
	return leave(&sink, failed, tests, &cause);
}
