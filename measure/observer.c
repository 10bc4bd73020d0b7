/* Watching the open connections: see observer.h. */
#include "observer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../socklib.h"
#include "clock.h"
#include "facts.h"
#include "figures.h"
#include "ledger.h"
#include "plan.h"
#include "platform.h"
#include "report.h"
#include "run.h"
#include "tcpstate.h"
#include "transfer.h"
#include "wait.h"
#include "watch.h"
#include "watcher.h"

#define PATIENCE_NS INT64_C(1000000000) /* from shutdown() to SIGKILL */
#define FEW_CALLS 16			/* in an interval: one call is a visible part of it */
#define PEER_S 0.5			/* so long it may take to see the peer */
#define DRAIN_BYTES (4 << 20)		/* of what a peer sent us, at most */

/* Of a worker's counters, at one time. */
struct reading {
	int64_t time; /* 0: none was taken */
	uint64_t bytes;
	uint64_t calls;
	int estimated; /* bytes holds a part of a call */
};

/* One open connection. */
struct observed {
	struct run_connection run;
	struct transfer_page *page;
	int fd; /* -1: a pipe, which only its worker has, or no peer at all */
	pid_t pid;
	int64_t start;
	struct reading reading;
	int64_t next; /* the interval's end */
	int64_t kill_at;
	uint64_t warm_calls;   /* of the warm-up */
	enum run_reason asked; /* why we ended it, RUN_OPEN when we did not */
	struct watch *watch;   /* NULL: the kernel is not asked */
	int peer_told;	       /* what the watch says of the peer has been printed */
	int prefix;	       /* another connection was open beside it */
	int estimated;	       /* the last reading held a part of a call */
};

/* ---- opening ---- */

static enum transfer_way way_of(const struct plan *plan)
{
	switch (plan->serve ? plan->transport : PLAN_TCP) {
	case PLAN_COPY: return TRANSFER_COPY;
	case PLAN_FILE: return TRANSFER_FILE;
	case PLAN_MMAP: return TRANSFER_MMAP;
	default: break;
	}
	if (plan->side == PLAN_SOURCE)
		return plan->sendfile ? TRANSFER_SENDFILE : TRANSFER_WRITE;
	return plan->discard ? TRANSFER_DISCARD : TRANSFER_READ;
}

/* Up to what the system allows without asking. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int observer_prepare(struct observer *observer, struct transfer *transfer, struct sock_cause *cause)
{
	const struct plan *plan = observer->plan;
	enum transfer_way way = transfer_has_peer(transfer) ? way_of(plan) : transfer->way;
	char step[32];

	*transfer = (struct transfer){ .way = way,
				       .block = (size_t)plan->block,
				       .check = plan->check,
				       .pause_s = plan->pause_s,
				       .cpu = plan->cpu,
				       .ledger = plan->ledger,
				       .ledger_held = plan->warm_up_s > 0 };
	raise_descriptor_limit();
	snprintf(step, sizeof(step), "-C %d", plan->cpu);
	if (plan->cpu >= 0 && platform_can_pin(plan->cpu))
		return sock_failed(cause, step, "", errno,
				   errno == ENOSYS ? "n/a: this system cannot pin a process"
						   : "no such CPU here");
	if (transfer_prepare(transfer, cause))
		return -1;
	/* Without one, all that it would tell is n/a. */
	if (plan_is_watched(plan) && observer->watcher->fd < 0 &&
	    watcher_start(observer->watcher,
			  plan->side == PLAN_SOURCE ? FACTS_SENDER : FACTS_RECEIVER) &&
	    errno != ENOSYS)
		report_warning(observer->report,
			       "no process can be started to ask the kernel; what "
			       "it would have told is n/a");
	return 0;
}

static int is_socket(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* A pipe ends when its last holder lets go: that must be the worker. */
static int give_up_pipe(int fd)
{
	int null = fd <= STDERR_FILENO ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

	if (null < 0)
		close(fd);
	else
		dup2(null, fd); /* what is opened later must not become 0, 1 or 2 */
	if (null > 2)
		close(null);
	return -1;
}

static int make_room(struct observer *observer)
{
	size_t room = observer->room ? 2 * observer->room : 16;
	struct observed *grown;

	if (observer->count < observer->room)
		return 0;
	grown = realloc(observer->open, room * sizeof(*grown));
	if (!grown)
		return -1;
	observer->open = grown;
	observer->room = room;
	return 0;
}

static int64_t next_end(const struct observer *observer, const struct observed *one, int64_t now)
{
	return one->start + run_next_end(now - one->start,
					 clock_from_seconds(observer->plan->warm_up_s),
					 clock_from_seconds(observer->plan->interval_s),
					 clock_from_seconds(observer->plan->duration_s));
}

static void start_watch(struct observer *observer, struct observed *one, int fd)
{
	struct sock_address local, remote;
	int is_tcp;

	sock_address_local(fd, &local);
	sock_address_peer(fd, &remote);
	is_tcp = local.sa.ss_family == AF_INET || local.sa.ss_family == AF_INET6;
	one->watch = watch_open(observer->watcher, observer->plan, one->run.number, fd, one->pid,
				is_tcp ? &local : NULL, is_tcp ? &remote : NULL);
	if (one->watch)
		watch_begin(one->watch, one->start, one->next);
}

pid_t observer_add(struct observer *observer, int fd, unsigned int number)
{
	struct observed *one;
	struct transfer_page *page;
	int64_t start = clock_now();
	const int *gate = observer->holding ? observer->gate : NULL;
	pid_t pid = make_room(observer) ? -1 : transfer_start(observer->transfer, fd, gate, &page);

	if (pid < 0)
		return -1;
	one = &observer->open[observer->count++];
	*one = (struct observed){
		.run = { .number = number,
			 .sends = observer->plan->side == PLAN_SOURCE,
			 .planned_s = observer->plan->duration_s,
			 .interval_s = observer->plan->interval_s,
			 .warm_up_s = observer->plan->warm_up_s,
			 .exact = 1 },
		.page = page,
		.pid = pid,
		.start = start,
		.kill_at = CLOCK_NEVER,
	};
	one->next = next_end(observer, one, start);
	if (plan_is_watched(observer->plan))
		start_watch(observer, one, fd);
	one->fd = fd < 0 || is_socket(fd) ? fd : give_up_pipe(fd);
	for (size_t i = 0; observer->count > 1 && i < observer->count; i++)
		observer->open[i].prefix = 1;
	return pid;
}

int observer_hold(struct observer *observer)
{
	if (pipe(observer->gate))
		return -1;
	fcntl(observer->gate[0], F_SETFD, FD_CLOEXEC);
	fcntl(observer->gate[1], F_SETFD, FD_CLOEXEC);
	observer->holding = 1;
	return 0;
}

void observer_go(struct observer *observer)
{
	int64_t start = clock_now();

	if (!observer->holding)
		return;
	close(observer->gate[0]);
	close(observer->gate[1]);
	observer->holding = 0;
	for (size_t i = 0; i < observer->count; i++) {
		struct observed *one = &observer->open[i];

		one->start = start;
		one->next = next_end(observer, one, start);
		if (one->watch)
			watch_begin(one->watch, start, one->next);
	}
}

/* ---- reading counters ---- */

/*
 * When calls are rare a sender's count of returned writes lags by what the
 * write in progress has achieved; what the peer has acknowledged tells a part
 * of that.  0 where it does not matter or is not known.
 */
static uint64_t acked_bytes(const struct observed *one)
{
	uint64_t calls = atomic_load_explicit(&one->page->calls, memory_order_relaxed), acked;

	if (!one->run.sends || one->fd < 0 || calls - one->run.calls >= FEW_CALLS ||
	    tcpstate_bytes_acked(one->fd, &acked))
		return 0;
	/* Our end of the stream counts as a byte (RFC 9293 3.4). */
	return acked - (one->asked != RUN_OPEN && acked > 0);
}

/*
 * How far the connection has come; counted: by returned calls alone.  The
 * kernel may be slow to answer, so the clock and the counters come after.
 */
static void take_reading(const struct observer *observer, struct observed *one, int counted)
{
	struct reading *reading = &one->reading;
	uint64_t acked = counted ? 0 : acked_bytes(one), bytes;

	reading->time = clock_now();
	bytes = atomic_load_explicit(&one->page->bytes, memory_order_relaxed);
	reading->calls = atomic_load_explicit(&one->page->calls, memory_order_relaxed);
	reading->estimated = acked > bytes;
	reading->bytes = bytes;
	if (acked > bytes)
		reading->bytes = acked - bytes < observer->plan->block
					 ? acked
					 : bytes + observer->plan->block;
}

/* The ledger is about what comes behind the warm-up, if anything does. */
static void begin_ledger(struct observed *one, const struct run_interval *interval)
{
	if (!one->page->ledger || interval->kind != RUN_WARM_UP || one->run.reason != RUN_OPEN)
		return;
	one->warm_calls = one->run.calls;
	LEDGER_SET(one->page->ledger->from, one->start + clock_from_seconds(one->run.length_s));
}

/*
 * Who is at the other end, once; as soon as that is sure.  Where the kernel has
 * nothing better to say it is told with the interval that ends then.
 */
static void tell_peer(struct observer *observer, struct observed *one, int at_end)
{
	static const struct watcher_answer too_soon = { .peer = WATCHER_PENDING };
	static const struct watcher_answer gone = { .peer = WATCHER_GONE };
	const struct watcher_answer *answer = one->watch ? watch_peer(one->watch) : NULL;
	int is_over = one->run.reason != RUN_OPEN;

	if (one->watch && !answer)
		answer = &too_soon;
	if (observer->watcher->gone && (!answer || answer->peer == WATCHER_PENDING))
		answer = &gone;
	if (one->peer_told || !plan_is_watched(observer->plan))
		return;
	if (!at_end && (!answer || !answer->peer_pid || !answer->peer_is_sure))
		return;
	if (answer && !is_over && answer->peer == WATCHER_PENDING)
		return;
	if (answer && !is_over && one->run.length_s < PEER_S && answer->peer == WATCHER_SEEN &&
	    !answer->peer_is_sure)
		return;
	one->peer_told = 1;
	report_peer(observer->report, one->run.number, one->prefix, answer);
}

static void close_interval(struct observer *observer, struct observed *one)
{
	struct reading reading = one->reading;
	struct run_interval interval;
	struct facts facts;
	int has_facts = one->watch && watch_interval(one->watch, &facts);

	interval = run_close_interval(&one->run, clock_to_seconds(reading.time - one->start),
				      reading.bytes, reading.calls);
	interval.estimated = one->estimated || reading.estimated;
	one->estimated = reading.estimated;
	one->reading.time = 0;
	begin_ledger(one, &interval);
	tell_peer(observer, one, 1);
	report_interval(observer->report, &one->run, &interval, one->prefix,
			has_facts ? &facts : NULL);
	if (observer->on_interval)
		observer->on_interval(&one->run, &interval, observer->context);
}

/* ---- ending ---- */

/*
 * A sender is shut down: what it has written still goes out.  A reader resets:
 * once shut down it would send no more window updates (tcp_cleanup_rbuf() in
 * Linux), and its sender could stand before a closed window for a minute.
 * Dissolving the association, connect(2), does both, where it is possible.
 */
static void end_connection(const struct observed *one)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };

	if (one->run.sends)
		shutdown(one->fd, SHUT_WR);
	else if (connect(one->fd, &none, sizeof(none)))
		shutdown(one->fd, SHUT_RDWR);
}

static void ask_to_end(const struct observer *observer, struct observed *one,
		       enum run_reason reason, int64_t now)
{
	if (one->asked != RUN_OPEN)
		return;
	if (observer->before_end && one->fd >= 0)
		observer->before_end(&one->run, one->fd, observer->context);
	one->asked = reason;
	one->next = CLOCK_NEVER;
	if (one->watch)
		watch_expect(one->watch, now, CLOCK_NEVER);
	one->kill_at = now + PATIENCE_NS;
	if (one->fd >= 0)
		end_connection(one);
	/* A pipe or a copy cannot be shut down, and a sleeper does not hear it. */
	if (one->fd < 0 || atomic_load_explicit(&one->page->resting, memory_order_relaxed)) {
		one->kill_at = CLOCK_NEVER;
		kill(one->pid, SIGKILL);
	}
}

static enum run_reason error_reason(const struct observed *one)
{
	switch (one->page->err) {
	case EPIPE:
	case ECONNRESET: return one->run.sends ? RUN_PEER_CLOSED : RUN_RESET;
	case ETIMEDOUT:
	case EAGAIN: return RUN_TIMEOUT;
	default: return RUN_ERROR;
	}
}

/* Where nobody is at the other end no byte is underway: what was counted is all. */
static int is_exact(const struct observer *observer, const struct observed *one)
{
	return one->page->end != TRANSFER_RUNNING || !transfer_has_peer(observer->transfer) ||
	       atomic_load_explicit(&one->page->resting, memory_order_relaxed);
}

static void judge_end(const struct observer *observer, struct observed *one, int status)
{
	const struct transfer_page *page = one->page;

	one->run.err = page->end == TRANSFER_ERROR && one->asked == RUN_OPEN ? page->err : 0;
	if (page->end == TRANSFER_MISMATCH) {
		one->run.reason = RUN_MISMATCH;
		one->run.offset = page->offset;
		one->run.got = page->got;
		one->run.expected = page->expected;
	} else if (one->asked != RUN_OPEN) {
		one->run.reason = one->asked;
	} else if (page->end == TRANSFER_EOF) {
		one->run.reason = RUN_PEER_CLOSED;
	} else if (page->end == TRANSFER_ERROR) {
		one->run.reason = error_reason(one);
	} else {
		one->run.reason = RUN_KILLED;
		one->run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	one->run.exact = is_exact(observer, one);
}

/*
 * A close() with unread data resets the connection and takes away what the
 * peer has yet to read (RFC 2525 2.17): an HTTP client must get our bytes too.
 */
static void drain(int fd)
{
	char sink[16384];
	size_t left = DRAIN_BYTES;
	ssize_t n;

	while (left > 0 && (n = recv(fd, sink, sizeof(sink), MSG_DONTWAIT)) > 0)
		left -= (size_t)n < left ? (size_t)n : left;
}

static void close_connection(const struct observed *one)
{
	if (one->fd < 0)
		return;
	if (one->run.sends)
		drain(one->fd);
	close(one->fd);
}

static void forget(struct observer *observer, struct observed *one)
{
	size_t behind = observer->count - (size_t)(one - observer->open) - 1;

	close_connection(one);
	watch_close(one->watch);
	transfer_unmap(one->page);
	memmove(one, one + 1, behind * sizeof(*one));
	observer->count--;
}

static void report_ledger(struct observer *observer, const struct observed *one)
{
	struct figures_ledger figures = { .connection = one->run.number,
					  .reads = one->run.calls - one->warm_calls,
					  .warm_up_s = one->run.warm_up_s,
					  .is_tcp = plan_place(observer->plan) == PLAN_NET,
					  .ledger = one->page->ledger };
	struct ledger_timer timer[LEDGER_TIMERS];
	struct ledger_sum sum;

	figures.timer = timer;
	figures.timers = figures.is_tcp && platform_has_linux_tcp() ? LEDGER_TIMERS : 0;
	figures.sum = &sum;
	ledger_timers(platform_rto_min(), timer);
	ledger_add_up(one->page->ledger, one->start,
		      one->start + clock_from_seconds(one->run.length_s), &sum);
	/* A read may have been counted as a wait and not yet as a call. */
	if (figures.reads < sum.waits)
		figures.reads = sum.waits;
	if (observer->plan->json)
		figures_ledger_json(observer->report->out, &figures);
	else
		figures_ledger(observer->report->out, &figures);
	report_flush(observer->report);
}

static void ended(struct observer *observer, struct observed *one, int status)
{
	if (one->asked == RUN_OPEN && observer->before_end && one->fd >= 0)
		observer->before_end(&one->run, one->fd, observer->context);
	judge_end(observer, one, status);
	take_reading(observer, one, one->run.exact);
	close_interval(observer, one);
	report_ended(observer->report, &one->run);
	if (one->page->ledger && !observer->report->quiet)
		report_ledger(observer, one);
	observer->failed |= run_has_failed(&one->run);
	if (observer->on_end)
		observer->on_end(&one->run, one->watch, observer->context);
	forget(observer, one);
}

/* ---- the observer's turn ---- */

int64_t observer_next(const struct observer *observer)
{
	int64_t next = CLOCK_NEVER;

	for (size_t i = 0; i < observer->count; i++) {
		const struct observed *one = &observer->open[i];

		if (one->next < next)
			next = one->next;
		if (one->kill_at < next)
			next = one->kill_at;
		if (one->watch && watch_next(one->watch) < next)
			next = watch_next(one->watch);
	}
	return next;
}

/* Close the interval that a reading was taken for, and the connection in time. */
static void use_reading(struct observer *observer, struct observed *one)
{
	int64_t duration = clock_from_seconds(observer->plan->duration_s);
	int64_t now = one->reading.time;
	double length_s = clock_to_seconds(now - one->start) - one->run.length_s;
	int over = duration > 0 && now - one->start >= duration;

	/* What is left of an interval goes with the connection's end. */
	if (!over || run_kind_of(&one->run, length_s) != RUN_PARTIAL)
		close_interval(observer, one);
	one->reading.time = 0;
	if (over)
		ask_to_end(observer, one, RUN_DONE, now);
	else
		one->next = next_end(observer, one, now);
	if (one->watch)
		watch_expect(one->watch, now, one->next);
}

/* Ask what is due, all with one word. */
static void ask_kernel(struct observer *observer)
{
	int64_t now = clock_now();
	int asked = 0;

	for (size_t i = 0; i < observer->count; i++) {
		struct observed *one = &observer->open[i];

		if (!one->watch || one->asked != RUN_OPEN)
			continue;
		asked |= watch_ask(one->watch, now);
		tell_peer(observer, one, 0);
	}
	if (asked)
		watcher_go(observer->watcher);
}

static void kill_when_due(struct observed *one, int64_t now)
{
	if (now < one->kill_at)
		return;
	one->kill_at = CLOCK_NEVER;
	kill(one->pid, SIGKILL);
}

/* All counters first: no line of one connection delays another's reading. */
void observer_tick(struct observer *observer)
{
	int64_t now = clock_now();

	for (size_t i = 0; i < observer->count; i++) {
		kill_when_due(&observer->open[i], now);
		if (now >= observer->open[i].next)
			take_reading(observer, &observer->open[i], 0);
	}
	for (size_t i = 0; i < observer->count; i++)
		if (observer->open[i].reading.time)
			use_reading(observer, &observer->open[i]);
	if (plan_is_watched(observer->plan))
		ask_kernel(observer);
}

static void lose_watcher(struct observer *observer)
{
	observer->watcher->pid = 0;
	observer->watcher->gone = 1;
	report_warning(observer->report,
		       "the process that asks the kernel has ended; what it would "
		       "have told is n/a from here on");
}

static int reap(struct observer *observer, pid_t pid, int status)
{
	for (size_t i = 0; i < observer->count; i++)
		if (observer->open[i].pid == pid) {
			ended(observer, &observer->open[i], status);
			return 1;
		}
	if (observer->watcher && pid == observer->watcher->pid)
		lose_watcher(observer);
	else if (observer->on_other)
		observer->on_other(pid, status, observer->context);
	return 0;
}

int observer_reap(struct observer *observer)
{
	int status, count = 0;
	pid_t pid;

	if (!wait_take_child())
		return 0;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		count += reap(observer, pid, status);
	return count;
}

void observer_interrupt(struct observer *observer, int hurry)
{
	int64_t now = clock_now();

	for (size_t i = 0; i < observer->count; i++) {
		struct observed *one = &observer->open[i];

		ask_to_end(observer, one, RUN_INTERRUPTED, now);
		if (hurry)
			kill(one->pid, SIGKILL);
	}
}

void observer_free(struct observer *observer)
{
	for (size_t i = 0; i < observer->count; i++)
		kill(observer->open[i].pid, SIGKILL);
	while (observer->count > 0) {
		struct observed *one = &observer->open[observer->count - 1];

		waitpid(one->pid, NULL, 0);
		forget(observer, one);
	}
	free(observer->open);
	observer->open = NULL;
	if (observer->watcher)
		watcher_stop(observer->watcher);
}
