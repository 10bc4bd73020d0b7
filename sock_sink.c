/*
 * sock_sink: connect, read, print MB/sec.
 *
 * One connection after another: each is connected here, read by a worker
 * (measure/transfer) and watched by the observer (measure/observer).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/observer.h"
#include "measure/plan.h"
#include "measure/report.h"
#include "measure/run.h"
#include "measure/settings.h"
#include "measure/transfer.h"
#include "measure/usage.h"
#include "measure/wait.h"
#include "socklib.h"

/* A source that is being started at the same moment gets this long. */
#define TRYING_S 1.0
#define TRY_AGAIN_S 0.02
/* After ^C a second one within this time ends a shell's loop as well. */
#define SECOND_CHANCE_S 0.25

struct sink {
	struct plan plan;
	struct report report;
	struct transfer transfer;
	struct observer observer;
	struct sock_address list[SOCK_ADDRESSES];
	int addresses;
	struct run_connection last; /* the connection that ended last */
	int caught;		    /* signals are caught: a connection was up */
	int stop_signal;	    /* that interrupted the run, or 0 */
	int second_signal;	    /* that wants it to end at once, or 0 */
};

/* ---- connecting ---- */

static int worth_another_try(const struct sink *sink, int err)
{
	if (err != ECONNREFUSED && err != ENOENT)
		return 0;
	for (int i = 0; i < sink->addresses; i++)
		if (sink->list[i].sa.ss_family != AF_UNIX &&
		    !sock_address_is_loopback(&sink->list[i]))
			return 0;
	return 1;
}

/* "::1, 127.0.0.1": the first count addresses. */
static void list_addresses(const struct sink *sink, int count, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < count && used < size; i++) {
		char one[SOCK_ADDRESS_TEXT];

		sock_address_text(&sink->list[i], 0, one, sizeof(one));
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", one);
	}
}

static int connect_failed(const struct sink *sink, struct sock_cause *cause, double tried_s)
{
	const char *host = sink->plan.host ? sink->plan.host : "localhost";
	char object[256], addresses[128], reason[256], tried[64] = "";
	int err = cause->err;

	list_addresses(sink, sink->addresses, addresses, sizeof(addresses));
	if (plan_place(&sink->plan) == PLAN_PATH)
		snprintf(object, sizeof(object), "%s", host);
	else
		snprintf(object, sizeof(object), "%.100s port %u (%s)", host, sink->plan.port,
			 addresses);
	if (tried_s >= TRYING_S)
		snprintf(tried, sizeof(tried), ", after %.0f s of trying", tried_s);
	if (err == ECONNREFUSED || err == ENOENT)
		snprintf(reason, sizeof(reason), "%s%s; is sock_source running?",
			 err == ENOENT ? "no such socket" : "refused", tried);
	else
		snprintf(reason, sizeof(reason), "%s", strerror(err));
	return sock_failed(cause, "connect", object, err, reason);
}

/* Each address once.  The socket, and which address it was. */
static int connect_once(const struct sink *sink, int *which, struct sock_cause *cause)
{
	for (*which = 0; *which < sink->addresses; ++*which) {
		int fd = sock_connect(&sink->list[*which], sink->plan.early, cause);

		if (fd >= 0)
			return fd;
		if (strcmp(cause->step, "connect") != 0 || cause->err == EINTR)
			return -1;
	}
	return -1;
}

static int connect_patiently(struct sink *sink, struct report_opening *opening, char *refused,
			     size_t size, struct sock_cause *cause)
{
	int64_t start = clock_now();
	int which, fd;

	for (;;) {
		opening->tries++;
		fd = connect_once(sink, &which, cause);
		opening->elapsed_s = clock_to_seconds(clock_now() - start);
		if (fd >= 0) {
			list_addresses(sink, which, refused, size);
			return fd;
		}
		if (strcmp(cause->step, "connect") != 0)
			return -1;
		if (!worth_another_try(sink, cause->err) || opening->elapsed_s >= TRYING_S)
			return connect_failed(sink, cause, opening->elapsed_s);
		wait_until(clock_now() + clock_from_seconds(TRY_AGAIN_S), NULL, 0, NULL);
	}
}

/* The connection, with all that was asked set on it. */
static int open_connection(struct sink *sink, struct report_opening *opening, char *refused,
			   size_t size, struct sock_cause *cause)
{
	int fd;

	if (plan_place(&sink->plan) == PLAN_PIPE)
		return STDIN_FILENO;
	if (sink->caught)
		wait_let_through(1);
	fd = connect_patiently(sink, opening, refused, size, cause);
	if (sink->caught)
		wait_let_through(0);
	if (fd >= 0 && sock_options_apply(sink->plan.late, fd, cause)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- one connection ---- */

static void tell_opening(struct sink *sink, struct report_opening *opening, int fd,
			 const struct settings *settings, struct sock_address *ends)
{
	if (plan_place(&sink->plan) != PLAN_PIPE) {
		sock_address_local(fd, &ends[0]);
		sock_address_peer(fd, &ends[1]);
		opening->is_net = 1;
		opening->local = &ends[0];
		opening->peer = &ends[1];
	}
	for (size_t i = 0; opening->number == 1 && i < settings->count; i++)
		if (*settings->rows[i].warning)
			report_warning(&sink->report, settings->rows[i].warning);
}

/* Connect and hand over to a worker. */
static int start_connection(struct sink *sink, unsigned int number, struct sock_cause *cause)
{
	char refused[128] = "";
	struct report_opening opening = { .number = number, .refused = refused };
	struct sock_address ends[2];
	struct settings settings;
	int fd = open_connection(sink, &opening, refused, sizeof(refused), cause);

	if (fd < 0)
		return -1;
	if (!sink->caught)
		wait_catch_signals();
	sink->caught = 1;
	if (settings_read(&settings, &sink->plan, fd, cause)) {
		close(fd);
		return -1;
	}
	tell_opening(sink, &opening, fd, &settings, ends);
	opening.worker = observer_add(&sink->observer, fd, number);
	if (opening.worker < 0)
		sock_failed(cause, "start a worker", "", errno, NULL);
	else
		report_opened(&sink->report, &opening, &settings);
	settings_free(&settings);
	return opening.worker < 0 ? -1 : 0;
}

/* Sleep until there is something to do, and take signals. */
static void take_turn(struct sink *sink, int64_t deadline)
{
	int64_t next = observer_next(&sink->observer);
	int sig;

	wait_until(next < deadline ? next : deadline, NULL, 0, NULL);
	if (wait_take_stop(&sig)) {
		if (sink->stop_signal)
			sink->second_signal = sig;
		else
			sink->stop_signal = sig;
		observer_interrupt(&sink->observer, sink->second_signal);
	}
	observer_tick(&sink->observer);
	if (wait_take_child())
		observer_reap(&sink->observer);
}

static void watch_connection(struct sink *sink)
{
	while (sink->observer.count > 0 && !report_broken(&sink->report))
		take_turn(sink, CLOCK_NEVER);
}

static void pause_between(struct sink *sink)
{
	int64_t end = clock_now() + clock_from_seconds(sink->plan.gap_s);

	while (clock_now() < end && !sink->stop_signal)
		take_turn(sink, end);
}

static void remember(const struct run_connection *connection, void *context)
{
	struct sink *sink = context;

	sink->last = *connection;
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
	return sink->last.reason == RUN_PEER_CLOSED && sink->last.bytes == 0;
}

static int run_connections(struct sink *sink, struct sock_cause *cause)
{
	uint64_t asked = sink->plan.connections;

	for (unsigned int number = 1; asked == 0 || number <= asked; number++) {
		if (number > 1)
			pause_between(sink);
		if (sink->stop_signal)
			break;
		if (start_connection(sink, number, cause))
			return cause->err == EINTR ? 0 : -1;
		watch_connection(sink);
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
	if (plan_place(plan) != PLAN_PIPE) {
		sink->addresses = sock_resolve(plan->host ? plan->host : "localhost", plan->port,
					       sink->list, SOCK_ADDRESSES, cause);
		if (sink->addresses < 0)
			return -1;
	}
	sink->observer = (struct observer){ .plan = plan,
					    .transfer = &sink->transfer,
					    .report = &sink->report,
					    .on_end = remember,
					    .context = sink };
	return observer_prepare(plan, &sink->transfer, cause);
}

static void wait_for_second(struct sink *sink)
{
	int64_t end = clock_now() + clock_from_seconds(SECOND_CHANCE_S);

	while (!sink->second_signal && clock_now() < end) {
		wait_until(end, NULL, 0, NULL);
		wait_take_stop(&sink->second_signal);
	}
}

/* What the program leaves with; a closed standard output is a quiet end. */
static int conclude(struct sink *sink, int failed, struct sock_cause *cause)
{
	int broken = report_broken(&sink->report), bad = sink->observer.failed;

	observer_free(&sink->observer);
	transfer_release(&sink->transfer);
	plan_free(&sink->plan);
	if (!failed && broken == EPIPE)
		wait_die_by(SIGPIPE);
	if (!failed && broken)
		failed = sock_failed(cause, "write", "standard output", broken, NULL);
	if (failed)
		report_error(&sink->report, cause);
	if (sink->stop_signal == SIGINT)
		wait_for_second(sink);
	if (sink->second_signal)
		wait_die_by(sink->second_signal);
	return failed ? cause->status : bad;
}

int main(int argc, char **argv)
{
	struct sink sink = { .transfer = { .file = -1 } };
	struct sock_cause cause;
	int failed = prepare(&sink, argc, argv, &cause);

	if (!failed && sink.plan.ask != PLAN_RUN) {
		usage_answer(&sink.report);
	} else if (!failed) {
		report_start(&sink.report, sink.plan.port);
		failed = run_connections(&sink, &cause);
	}
	return conclude(&sink, failed, &cause);
}
