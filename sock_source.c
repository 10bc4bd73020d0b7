/*
 * sock_source: listen, write to whoever connects.
 *
 * It persists: any number of sinks, one after another and at once.  Each is
 * accepted here, written to by a worker (measure/transfer) and watched by the
 * observer (measure/observer).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
#include "measure/watcher.h"
#include "socklib.h"

#define PORT_TRIES 100 /* ports free on one address, taken on another */
/* A source that was killed just now may need a moment to let go of its port. */
#define TRYING_S 0.3
#define TRY_AGAIN_S 0.02
#define RETRY_S 1.0 /* after the system had no room for a connection */

/* Why new connections wait; each is said once. */
enum shortage {
	SHORT_LIMIT,
	SHORT_DESCRIPTORS,
	SHORT_PROCESSES,
	SHORT_MEMORY,
	SHORT_OTHER,
	SHORTAGES
};

struct source {
	struct plan plan;
	struct report report;
	struct transfer transfer;
	struct observer observer;
	struct watcher watcher;
	struct sock_address list[SOCK_ADDRESSES]; /* where it listens */
	int listeners[SOCK_ADDRESSES];
	int count;
	struct stat socket_file; /* ours, of AF_UNIX */
	unsigned int opened;	 /* connections so far */
	int pending;		 /* accepted, waits for a worker; or -1 */
	int announced;		 /* "waiting for connection" stands there */
	int64_t retry;		 /* no accept() before */
	int said[SHORTAGES];
	int stopped;	   /* interrupted: no more connections */
	int second_signal; /* that wants an end at once, or 0 */
};

/* ---- listening ---- */

/*
 * Remove the socket file while it is still ours.  Only as long as the socket is
 * open can no other file have its number.
 */
static void remove_socket_file(struct source *source)
{
	struct stat now;

	if (plan_place(&source->plan) == PLAN_PATH && source->socket_file.st_ino &&
	    lstat(source->plan.host, &now) == 0 && now.st_ino == source->socket_file.st_ino &&
	    now.st_dev == source->socket_file.st_dev)
		unlink(source->plan.host);
	source->socket_file.st_ino = 0;
}

static void close_listeners(struct source *source)
{
	remove_socket_file(source);
	for (int i = 0; i < source->count; i++)
		close(source->listeners[i]);
	source->count = 0;
}

/*
 * Listen on each of the resolved addresses, on one port; what this host lacks
 * is passed over while another is left.  1: the port is taken on a later one.
 */
static int listen_everywhere(struct source *source, int resolved, struct sock_cause *cause)
{
	unsigned int port = source->plan.port;
	int failed = 0;

	source->count = 0;
	for (int i = 0; i < resolved; i++) {
		struct sock_address address = source->list[i];
		int fd;

		sock_address_set_port(&address, port);
		fd = sock_listen(&address, source->plan.early, cause);
		if (fd < 0 && sock_is_missing(cause->err)) {
			failed = -1;
			continue;
		}
		if (fd < 0) {
			int taken = cause->err == EADDRINUSE && source->plan.port == 0;

			close_listeners(source);
			return taken ? 1 : -1;
		}
		source->listeners[source->count] = fd;
		sock_address_local(fd, &address);
		port = sock_address_port(&address);
		source->list[source->count++] = address;
	}
	return source->count ? 0 : failed;
}

static int resolve(struct source *source, struct sock_cause *cause)
{
	return sock_resolve(source->plan.host, source->plan.port, source->list, SOCK_ADDRESSES,
			    cause);
}

static int listen_patiently(struct source *source, struct sock_cause *cause)
{
	int64_t end = clock_now() + clock_from_seconds(TRYING_S);
	int resolved, ret, path = plan_place(&source->plan) == PLAN_PATH;

	for (int i = 0; i < PORT_TRIES; i++) {
		resolved = resolve(source, cause);
		ret = resolved < 0 ? -1 : listen_everywhere(source, resolved, cause);
		if (ret == 0 ||
		    (ret < 0 && (cause->err != EADDRINUSE || path || clock_now() >= end)))
			return ret;
		if (ret < 0)
			wait_until(clock_now() + clock_from_seconds(TRY_AGAIN_S), NULL, 0, NULL);
	}
	return -1;
}

static int start_listening(struct source *source, struct sock_cause *cause)
{
	int ret = listen_patiently(source, cause);

	for (int i = 0; ret == 0 && i < source->count; i++)
		if (source->listeners[i] >= FD_SETSIZE)
			return sock_failed(cause, "listen", "", EMFILE,
					   "too many descriptors were open at start");
	if (ret == 0 && plan_place(&source->plan) == PLAN_PATH)
		lstat(source->plan.host, &source->socket_file);
	return ret;
}

/* ---- shortages ---- */

/* New connections wait in the kernel's queue, at no cost, until there is room. */
static void fall_short(struct source *source, enum shortage shortage, int err)
{
	static const char *const names[SHORTAGES] = {
		[SHORT_LIMIT] = "the limit of -m is reached",
		[SHORT_DESCRIPTORS] = "out of descriptors",
		[SHORT_PROCESSES] = "out of processes",
		[SHORT_MEMORY] = "out of memory",
	};
	char text[128];

	if (source->said[shortage]++)
		return;
	snprintf(text, sizeof(text), "%s at %zu connections; new ones wait",
		 names[shortage] ? names[shortage] : strerror(err), source->observer.count);
	report_warning(&source->report, text);
}

static enum shortage shortage_of(int err)
{
	switch (err) {
	case EMFILE:
	case ENFILE: return SHORT_DESCRIPTORS;
	case EAGAIN: return SHORT_PROCESSES;
	case ENOMEM:
	case ENOBUFS: return SHORT_MEMORY;
	default: return SHORT_OTHER;
	}
}

static void back_off(struct source *source, int err)
{
	fall_short(source, shortage_of(err), err);
	source->retry = clock_now() + clock_from_seconds(RETRY_S);
}

/* ---- connections ---- */

static void tell_opening(struct source *source, int fd, long worker,
			 const struct settings *settings)
{
	struct report_opening opening = { .number = source->opened,
					  .refused = "",
					  .worker = worker };
	struct sock_address local, peer;

	if (plan_place(&source->plan) != PLAN_PIPE) {
		sock_address_local(fd, &local);
		sock_address_peer(fd, &peer);
		opening.is_net = 1;
		opening.local = &local;
		opening.peer = &peer;
	}
	report_opened(&source->report, &opening, settings);
}

/* Give the pending connection a worker, now or when there is room for one. */
static void start_pending(struct source *source)
{
	struct sock_cause cause;
	struct settings settings;
	int fd = source->pending;
	long worker;

	if (settings_read(&settings, &source->plan, fd, &cause)) {
		back_off(source, cause.err);
		return;
	}
	worker = observer_add(&source->observer, fd, source->opened + 1);
	if (worker < 0) {
		back_off(source, errno);
	} else {
		source->pending = -1;
		source->opened++;
		tell_opening(source, fd, worker, &settings);
	}
	settings_free(&settings);
}

static void accept_one(struct source *source, int listener)
{
	struct sock_cause cause;
	int fd = accept(listener, NULL, NULL);

	if (fd < 0) {
		if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR &&
		    errno != ECONNABORTED)
			back_off(source, errno);
		return;
	}
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, 0); /* some systems pass O_NONBLOCK on */
	report_accepted(&source->report);
	source->announced = 0;
	if (sock_options_apply(source->plan.late, fd, &cause)) {
		report_error(&source->report, &cause);
		close(fd);
		return;
	}
	source->pending = fd;
	start_pending(source);
}

/* ---- the loop ---- */

static int wants_more(const struct source *source)
{
	return !source->stopped &&
	       (!source->plan.connections || source->opened < source->plan.connections);
}

static int has_room(const struct source *source)
{
	return !source->plan.at_most || source->observer.count < source->plan.at_most;
}

/* How many listeners to wait on: none while there is no room. */
static int listeners_to_watch(struct source *source, int64_t now)
{
	if (!wants_more(source))
		return 0;
	if (!has_room(source)) {
		fall_short(source, SHORT_LIMIT, 0);
		return 0;
	}
	if (source->pending >= 0 || now < source->retry)
		return 0;
	if (!source->announced)
		report_waiting(&source->report);
	source->announced = 1;
	return source->count;
}

static void stop(struct source *source, int sig, int hurry)
{
	if (hurry)
		source->second_signal = sig;
	source->stopped = 1;
	close_listeners(source);
	if (source->pending >= 0)
		close(source->pending);
	source->pending = -1;
	observer_interrupt(&source->observer, hurry);
}

static void take_turn(struct source *source)
{
	int ready[SOCK_ADDRESSES], sig, asks, watched = listeners_to_watch(source, clock_now());
	int64_t deadline = observer_next(&source->observer);

	if (source->retry < deadline && source->retry > 0)
		deadline = source->retry;
	wait_until(deadline, source->listeners, watched, ready);
	if (observer_reap(&source->observer))
		source->retry = 0;
	asks = wait_take_stop(&sig);
	if (asks)
		stop(source, sig, asks == 2);
	observer_tick(&source->observer);
	if (source->retry > 0 && clock_now() >= source->retry)
		source->retry = 0;
	if (source->pending >= 0 && source->retry == 0)
		start_pending(source);
	for (int i = 0; i < watched; i++)
		if (ready[i] && wants_more(source) && has_room(source) && source->pending < 0)
			accept_one(source, source->listeners[i]);
	if (!wants_more(source))
		close_listeners(source);
}

static int serve(struct source *source, struct sock_cause *cause)
{
	if (plan_place(&source->plan) == PLAN_PIPE) {
		source->pending = STDOUT_FILENO;
		start_pending(source);
		if (source->pending >= 0)
			return sock_failed(cause, "start a worker", "", EAGAIN, NULL);
	}
	while (!report_broken(&source->report) &&
	       (source->observer.count > 0 || source->pending >= 0 || wants_more(source)))
		take_turn(source);
	return 0;
}

/* ---- the program ---- */

static int prepare(struct source *source, int argc, char **argv, struct sock_cause *cause)
{
	struct plan *plan = &source->plan;
	int failed = plan_parse(plan, PLAN_SOURCE, argc, argv, cause);

	report_open(&source->report, "sock_source", plan);
	if (failed || plan->ask != PLAN_RUN)
		return failed;
	source->observer = (struct observer){ .plan = plan,
					      .transfer = &source->transfer,
					      .report = &source->report,
					      .watcher = &source->watcher };
	if (observer_prepare(&source->observer, &source->transfer, cause))
		return -1;
	wait_catch_signals();
	if (plan_place(plan) == PLAN_PIPE)
		return 0;
	if (start_listening(source, cause))
		return -1;
	return sock_options_try(plan->late, &source->list[0], cause);
}

static void tell_start(struct source *source)
{
	report_start(&source->report, sock_address_port(&source->list[0]));
	if (plan_place(&source->plan) != PLAN_PIPE)
		report_listening(&source->report, source->list, source->count);
}

static int conclude(struct source *source, int failed, struct sock_cause *cause)
{
	int broken = report_broken(&source->report), bad;

	/* Whoever interrupts a source has seen its lines; with -n its status tells. */
	bad = !source->stopped && source->observer.failed;
	close_listeners(source);
	observer_free(&source->observer);
	transfer_release(&source->transfer);
	plan_free(&source->plan);
	if (!failed && broken == EPIPE)
		wait_die_by(SIGPIPE);
	if (!failed && broken)
		failed = sock_failed(cause, "write", "standard output", broken, NULL);
	if (failed)
		report_error(&source->report, cause);
	if (source->second_signal)
		wait_die_by(source->second_signal);
	return failed ? cause->status : bad;
}

int main(int argc, char **argv)
{
	struct source source = { .pending = -1,
				 .transfer = { .file = -1 },
				 .watcher = { .fd = -1 } };
	struct sock_cause cause;
	int failed = prepare(&source, argc, argv, &cause);

	if (!failed && source.plan.ask != PLAN_RUN) {
		usage_answer(&source.report);
	} else if (!failed) {
		tell_start(&source);
		failed = serve(&source, &cause);
	}
	return conclude(&source, failed, &cause);
}
