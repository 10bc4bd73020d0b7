/*
 * The observer of workers that have no peer: they end in time by its hand, and
 * all that they have counted is exact.  A pipe of ours leaves no descriptor
 * behind, and children that are none of its own are told of.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../measure/clock.h"
#include "../measure/observer.h"
#include "../measure/plan.h"
#include "../measure/report.h"
#include "../measure/run.h"
#include "../measure/transfer.h"
#include "../measure/wait.h"
#include "../measure/watcher.h"
#include "../socklib.h"
#include "test.h"

struct seen {
	struct run_connection last;
	uint64_t bytes; /* of all intervals */
	unsigned int intervals;
	unsigned int ends;
	pid_t other;
	int status;
};

struct bench {
	struct plan plan;
	struct report report;
	struct transfer transfer;
	struct observer observer;
	struct watcher watcher;
	struct seen seen;
};

static void on_interval(const struct run_connection *connection,
			const struct run_interval *interval, void *context)
{
	struct seen *seen = context;

	(void)connection;
	seen->intervals++;
	seen->bytes += interval->bytes;
}

static void on_end(const struct run_connection *connection, struct watch *watch, void *context)
{
	struct seen *seen = context;

	(void)watch;
	seen->last = *connection;
	seen->ends++;
}

static void on_other(pid_t pid, int status, void *context)
{
	struct seen *seen = context;

	seen->other = pid;
	seen->status = status;
}

/* A sink's observer of such options; what it prints is thrown away. */
static int set_up(struct bench *bench, enum transfer_way way, char **words)
{
	struct sock_cause cause;
	int count = 0;

	*bench = (struct bench){ .transfer = { .way = way, .file = -1 }, .watcher = { .fd = -1 } };
	while (words[count])
		count++;
	optind = 1;
	if (plan_parse(&bench->plan, PLAN_SINK, count, words, &cause))
		return -1;
	report_open(&bench->report, "unit_observer", &bench->plan);
	bench->report.out = fopen("/dev/null", "w");
	bench->observer = (struct observer){ .plan = &bench->plan,
					     .transfer = &bench->transfer,
					     .report = &bench->report,
					     .watcher = &bench->watcher,
					     .on_interval = on_interval,
					     .on_end = on_end,
					     .on_other = on_other,
					     .context = &bench->seen };
	return observer_prepare(&bench->observer, &bench->transfer, &cause);
}

static void tear_down(struct bench *bench)
{
	observer_free(&bench->observer);
	transfer_release(&bench->transfer);
	fclose(bench->report.out);
	plan_free(&bench->plan);
}

/* Until nothing is open; 0 when 20 s do not suffice. */
static int watch_all(struct bench *bench)
{
	int64_t end = clock_now() + clock_from_seconds(20);

	while (bench->observer.count > 0 && clock_now() < end) {
		int64_t next = observer_next(&bench->observer);

		wait_until(next < end ? next : end, NULL, 0, NULL);
		observer_reap(&bench->observer);
		observer_tick(&bench->observer);
	}
	return bench->observer.count == 0;
}

static int descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) != -1;
	return count;
}

static void ends_exactly(enum transfer_way way, char **words)
{
	struct bench bench;

	NEED(set_up(&bench, way, words) == 0);
	CHECK_EQ(bench.transfer.way, way);
	CHECK(observer_add(&bench.observer, -1, 1) > 0);
	CHECK(watch_all(&bench));
	CHECK_EQ(bench.seen.ends, 1);
	CHECK_EQ(bench.seen.last.reason, RUN_DONE);
	CHECK_EQ(bench.seen.last.exact, 1);
	CHECK_EQ(bench.seen.last.err, 0);
	CHECK(bench.seen.last.length_s >= 0.3);
	CHECK(bench.seen.intervals >= 1);
	CHECK(bench.seen.bytes > 0);
	CHECK_EQ_U(bench.seen.bytes, bench.seen.last.bytes);
	CHECK_EQ(bench.observer.failed, 0);
	tear_down(&bench);
}

static void test_ways_without_a_peer_end_exactly(void)
{
	char *plain[] = { "sock_sink", "-d", "0.3", "-i", "0.1", NULL };
	char *paused[] = { "sock_sink", "-d", "0.3", "-i", "0.1", "-D", "1", "-b", "1M", NULL };
	/* The kernel is asked about a connection that is none. */
	char *watched[] = { "sock_sink", "-d", "0.3", "-i", "0.1", "-v", NULL };

	ends_exactly(TRANSFER_COPY, plain);
	ends_exactly(TRANSFER_FILE, plain);
	ends_exactly(TRANSFER_MMAP, plain);
	ends_exactly(TRANSFER_FILE, paused);
	ends_exactly(TRANSFER_COPY, watched);
}

static void test_interrupted_without_a_peer(void)
{
	char *words[] = { "sock_sink", NULL };
	struct bench bench;

	NEED(set_up(&bench, TRANSFER_COPY, words) == 0);
	CHECK(observer_add(&bench.observer, -1, 1) > 0);
	observer_interrupt(&bench.observer, 0);
	CHECK(watch_all(&bench));
	CHECK_EQ(bench.seen.last.reason, RUN_INTERRUPTED);
	CHECK_EQ(bench.seen.last.exact, 1);
	tear_down(&bench);
}

/* Killed by another it has not done what it should. */
static void test_killed_without_a_peer(void)
{
	char *words[] = { "sock_sink", "-d", "100", NULL };
	struct bench bench;
	pid_t pid;

	NEED(set_up(&bench, TRANSFER_COPY, words) == 0);
	pid = observer_add(&bench.observer, -1, 1);
	NEED(pid > 0);
	kill(pid, SIGKILL);
	CHECK(watch_all(&bench));
	CHECK_EQ(bench.seen.last.reason, RUN_KILLED);
	CHECK_EQ(bench.seen.last.exact, 1);
	CHECK_EQ(bench.observer.failed, 1);
	tear_down(&bench);
}

/* The writer leaves; the reader's end is nobody's any more, in no table. */
static void test_a_pipe_leaves_no_descriptor(void)
{
	char *words[] = { "sock_sink", "-H", "-", "-d", "100", NULL };
	struct bench bench;
	int before, pair[2];

	NEED(set_up(&bench, TRANSFER_WRITE, words) == 0);
	CHECK_EQ(bench.transfer.way, TRANSFER_READ);
	before = descriptors();
	for (unsigned int i = 1; i <= 3; i++) {
		NEED(pipe(pair) == 0);
		CHECK_EQ(write(pair[1], "hello", 5), 5);
		CHECK(observer_add(&bench.observer, pair[0], i) > 0);
		close(pair[1]);
		/* Descriptors are counted while the worker is there, too. */
		CHECK_EQ(descriptors(), before);
		CHECK(watch_all(&bench));
		CHECK_EQ_U(bench.seen.last.bytes, 5);
		CHECK_EQ(bench.seen.last.reason, RUN_PEER_CLOSED);
	}
	tear_down(&bench);
}

static void test_other_children_are_told_of(void)
{
	char *words[] = { "sock_sink", "-d", "0.3", NULL };
	struct bench bench;
	pid_t pid;

	NEED(set_up(&bench, TRANSFER_COPY, words) == 0);
	CHECK(observer_add(&bench.observer, -1, 1) > 0);
	pid = fork();
	if (pid == 0)
		_exit(7);
	CHECK(watch_all(&bench));
	CHECK_EQ(bench.seen.other, pid);
	CHECK(WIFEXITED(bench.seen.status) && WEXITSTATUS(bench.seen.status) == 7);
	CHECK_EQ(bench.seen.ends, 1);
	tear_down(&bench);
}

int main(void)
{
	wait_catch_signals();
	/* No terminal: -H - would be refused. */
	if (!freopen("/dev/null", "r", stdin))
		return 1;
	RUN(test_ways_without_a_peer_end_exactly);
	RUN(test_interrupted_without_a_peer);
	RUN(test_killed_without_a_peer);
	RUN(test_a_pipe_leaves_no_descriptor);
	RUN(test_other_children_are_told_of);
	return test_end();
}
