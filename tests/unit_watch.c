/*
 * The process that asks the kernel, and the samples of a connection: with real
 * pairs, watched from either end; and when that process is gone.
 */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../measure/clock.h"
#include "../measure/facts.h"
#include "../measure/plan.h"
#include "../measure/tcpstate.h"
#include "../measure/watch.h"
#include "../measure/watcher.h"
#include "../socklib.h"
#include "test.h"

#define PATIENCE_S 10 /* for anything that should come at once */
#define MANY 200
#define SAMPLES_MOST 512 /* that a watch keeps */

static struct watcher watcher = { .fd = -1 };
static struct plan plan = { .interval_s = 1 };

struct pair {
	int sink, source;
	struct sock_address local, remote; /* of the sink */
};

static int listener;
static struct sock_address there;

static int begin_listening(void)
{
	struct sockaddr_in loopback = { .sin_family = AF_INET };

	loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&loopback, sizeof(loopback)) ||
	    listen(listener, 8))
		return -1;
	sock_address_local(listener, &there);
	return 0;
}

/* Its sink's end only: nobody has accepted it yet. */
static int open_sink(struct pair *pair)
{
	pair->source = -1;
	pair->sink = socket(AF_INET, SOCK_STREAM, 0);
	if (pair->sink < 0 || connect(pair->sink, (const struct sockaddr *)&there.sa, there.length))
		return -1;
	sock_address_local(pair->sink, &pair->local);
	sock_address_peer(pair->sink, &pair->remote);
	return 0;
}

static int open_pair(struct pair *pair)
{
	if (open_sink(pair))
		return -1;
	pair->source = accept(listener, NULL, NULL);
	return pair->source < 0 ? -1 : 0;
}

static void close_pair(struct pair *pair)
{
	struct linger hard = { .l_onoff = 1 };

	setsockopt(pair->sink, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(pair->sink);
	if (pair->source >= 0)
		close(pair->source);
}

static unsigned int newest; /* the number of the connection that came last */

static int add(const struct pair *pair, unsigned int number)
{
	newest = number;
	return watcher_add(&watcher, number, pair->sink, getpid(), &pair->local, &pair->remote);
}

/* While the watcher has much to hear there is no room, and we do not wait. */
static int add_again(const struct pair *pair, unsigned int number)
{
	for (int64_t end = clock_now() + clock_from_seconds(PATIENCE_S); clock_now() < end;
	     usleep(1000)) {
		int slot = add(pair, number);

		if (slot >= 0)
			return slot;
	}
	return -1;
}

static struct watch *open_watch(const struct pair *pair, unsigned int number)
{
	return watch_open(&watcher, &plan, number, pair->sink, getpid(), &pair->local,
			  &pair->remote);
}

static struct watcher_answer answer;
static struct facts_sample sample;

static int64_t deadline(void)
{
	return clock_now() + clock_from_seconds(PATIENCE_S);
}

/* The next answer of a slot; 0 when none comes.  One of another may stand there. */
static int await(int slot, unsigned int *sequence)
{
	for (int64_t end = deadline(); clock_now() < end; usleep(200))
		if (watcher_take(&watcher, slot, sequence, &answer, &sample) &&
		    answer.connection == newest)
			return 1;
	return 0;
}

static int ask(int slot, unsigned int *sequence)
{
	watcher_want(&watcher, slot);
	watcher_go(&watcher);
	return await(slot, sequence);
}

/* The same, again until the peer's process is known. */
static int ask_for_process(int slot, unsigned int *sequence)
{
	for (int64_t end = deadline(); clock_now() < end; usleep(2000))
		if (ask(slot, sequence) && answer.peer_pid > 0)
			return 1;
	return 0;
}

static int is_known(enum facts_end end, enum fact fact)
{
	return !isnan(sample.value[end][fact]);
}

static int count_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF;
	return n;
}

/* A process, and not a dead one that nobody has asked for. */
static int is_alive(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	if (file)
		fclose(file);
	return state != 'Z' && state != 'X';
}

/* ---- the watcher ---- */

static void test_answers(void)
{
	unsigned int sequence = 0;
	struct pair pair;
	double before;
	int slot;

	NEED(open_pair(&pair) == 0);
	slot = add(&pair, 7);
	NEED(slot >= 0);
	CHECK_EQ(watcher_take(&watcher, slot, &sequence, &answer, &sample), 0);
	before = clock_to_seconds(clock_now());
	NEED(ask_for_process(slot, &sequence));
	CHECK_EQ(answer.connection, 7);
	CHECK_EQ(answer.peer, WATCHER_SEEN);
	CHECK_EQ(answer.peer_pid, getpid());
	CHECK_HAS(answer.peer_command, "unit");
	CHECK(answer.asking_s >= 0 && answer.cpu_s > 0);
	NEED(send(pair.source, "12345", 5, 0) == 5 && ask(slot, &sequence));
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_BYTES_SENT], 5, 0);
	CHECK_NEAR(sample.value[FACTS_RECEIVER][FACT_BYTES_RECEIVED], 5, 0);
	CHECK(is_known(FACTS_SENDER, FACT_SNDBUF) && is_known(FACTS_RECEIVER, FACT_RCVBUF));
	CHECK(is_known(FACTS_SENDER, FACT_CPU) && is_known(FACTS_RECEIVER, FACT_CPU));
	CHECK(is_known(FACTS_HOST, FACT_CPUS));
	for (int end = 0; end < FACTS_HOST; end++) {
		CHECK(sample.time_s[end] > before);
		CHECK(sample.process_time_s[end] > before);
	}
	CHECK(sample.time_s[FACTS_SENDER] >= sample.time_s[FACTS_RECEIVER]);
	/* Nothing was asked, so nothing is new. */
	CHECK_EQ(watcher_take(&watcher, slot, &sequence, &answer, &sample), 0);
	watcher_drop(&watcher, slot);
	close_pair(&pair);
}

/* Before the peer accepts, its socket is seen and has no owner. */
static void test_not_yet_accepted(void)
{
	unsigned int sequence = 0;
	struct pair pair;
	int slot;

	NEED(open_sink(&pair) == 0);
	slot = add(&pair, 8);
	NEED(slot >= 0 && ask(slot, &sequence));
	CHECK_EQ(answer.peer, WATCHER_SEEN);
	CHECK_EQ(answer.peer_pid, 0);
	CHECK_STR(answer.peer_command, "");
	pair.source = accept(listener, NULL, NULL);
	NEED(pair.source >= 0 && ask_for_process(slot, &sequence));
	CHECK_EQ(answer.peer_pid, getpid());
	watcher_drop(&watcher, slot);
	close_pair(&pair);
}

/* The peer is a child, which has it from us: the one that began last. */
static void test_a_worker_of_the_peer(void)
{
	unsigned int sequence = 0;
	struct pair pair;
	pid_t child;
	int slot;

	NEED(open_pair(&pair) == 0);
	child = fork();
	if (child == 0) {
		close(watcher.fd);
		for (;;)
			pause();
	}
	slot = add(&pair, 9);
	NEED(slot >= 0 && ask_for_process(slot, &sequence));
	if (child > getpid()) /* else the numbers have begun anew */
		CHECK_EQ(answer.peer_pid, child);
	kill(child, SIGSTOP);
	for (int64_t end = deadline(); clock_now() < end; usleep(2000))
		if (!ask(slot, &sequence) || sample.value[FACTS_SENDER][FACT_STOPPED] > 0)
			break;
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_STOPPED], child > getpid(), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	/* Gone: its number is nobody's.  A last look may find the one that is left, us. */
	NEED(ask(slot, &sequence));
	CHECK(answer.peer_pid == 0 || answer.peer_pid == getpid());
	CHECK_EQ(is_known(FACTS_SENDER, FACT_CPU), answer.peer_pid > 0);
	CHECK_EQ(answer.peer, WATCHER_SEEN);
	watcher_drop(&watcher, slot);
	close_pair(&pair);
}

/* A server accepts, and only then starts the worker that moves the data. */
static void test_a_worker_that_comes_late(void)
{
	const struct facts_sample *samples;
	unsigned int sequence = 0;
	struct watch *watch;
	struct facts facts;
	struct pair pair;
	pid_t child;
	int slot;

	NEED(open_pair(&pair) == 0);
	slot = add(&pair, 12);
	watch = open_watch(&pair, 13);
	NEED(slot >= 0 && watch && ask_for_process(slot, &sequence));
	CHECK_EQ(answer.peer_pid, getpid());
	watch_begin(watch, clock_now(), clock_now());
	child = fork();
	if (child == 0) {
		close(watcher.fd);
		for (;;)
			pause();
	}
	for (int64_t end = deadline(); clock_now() < end; usleep(5000)) {
		int64_t now = clock_now();

		watch_expect(watch, now, now);
		watch_ask(watch, now);
		watch_interval(watch, &facts);
		if (!ask(slot, &sequence) || answer.peer_pid != getpid())
			break;
	}
	if (child > getpid())
		CHECK_EQ(answer.peer_pid, child);
	CHECK(answer.peer_is_sure);
	/* All samples that are kept are of one process. */
	for (int64_t end = deadline(); clock_now() < end; usleep(5000)) {
		int64_t now = clock_now();

		watch_expect(watch, now, now);
		watch_ask(watch, now);
		watcher_go(&watcher);
		if (watch_peer(watch) && watch_peer(watch)->peer_pid == answer.peer_pid &&
		    watch_samples(watch, &samples) > 2)
			break;
	}
	NEED(watch_samples(watch, &samples) > 2);
	CHECK(samples[0].value[FACTS_SENDER][FACT_RUN] <=
		      samples[1].value[FACTS_SENDER][FACT_RUN] ||
	      isnan(samples[0].value[FACTS_SENDER][FACT_RUN]));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	watcher_drop(&watcher, slot);
	watch_close(watch);
	close_pair(&pair);
}

/* The other end is on no socket of this host. */
static void test_no_peer(void)
{
	unsigned int sequence = 0;
	struct pair pair;
	int slot;

	NEED(open_pair(&pair) == 0);
	sock_address_set_port(&pair.remote, 1);
	slot = add(&pair, 10);
	NEED(slot >= 0 && ask(slot, &sequence));
	CHECK_EQ(answer.peer, WATCHER_NOT_FOUND);
	CHECK_EQ(answer.peer_pid, 0);
	CHECK(!is_known(FACTS_SENDER, FACT_CWND) && isnan(sample.time_s[FACTS_SENDER]));
	CHECK(is_known(FACTS_RECEIVER, FACT_RCVBUF));
	watcher_drop(&watcher, slot);
	close_pair(&pair);
}

/* A pair that is no TCP: its worker is known, and the machine. */
static void test_no_tcp(void)
{
	unsigned int sequence = 0;
	int pair[2], slot;

	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	newest = 11;
	slot = watcher_add(&watcher, newest, pair[0], getpid(), NULL, NULL);
	NEED(slot >= 0 && ask(slot, &sequence));
	CHECK_EQ(answer.peer, WATCHER_NOT_HERE);
	CHECK(is_known(FACTS_RECEIVER, FACT_CPU) && is_known(FACTS_HOST, FACT_CPUS));
	CHECK(!is_known(FACTS_RECEIVER, FACT_RCVBUF) && !is_known(FACTS_SENDER, FACT_CPU));
	CHECK(isnan(sample.time_s[FACTS_RECEIVER]));
	watcher_drop(&watcher, slot);
	close(pair[0]);
	close(pair[1]);
}

/* A slot is used again, and what it said of another is not taken for ours. */
static void test_slots_used_again(void)
{
	struct pair first, second;
	struct facts facts;
	struct watch *watch;
	unsigned int sequence = 0;
	int64_t now = clock_now();
	int slot, other;

	NEED(open_pair(&first) == 0 && open_pair(&second) == 0);
	other = add(&second, 21);
	slot = add(&first, 20);
	NEED(slot >= 0 && other >= 0 && slot != other);
	NEED(ask(slot, &sequence));
	watcher_drop(&watcher, slot);
	/* The watcher needs a moment to leave it. */
	usleep(20000);
	slot = add(&second, 22);
	sequence = 0;
	NEED(slot >= 0 && ask(slot, &sequence));
	CHECK_EQ(answer.connection, 22);
	watcher_drop(&watcher, slot);
	usleep(20000);
	/* The answer that stands there is of 22. */
	watch = open_watch(&first, 23);
	NEED(watch);
	watch_begin(watch, now, now);
	CHECK(watch_peer(watch) == NULL);
	CHECK_EQ(watch_interval(watch, &facts), 0);
	CHECK(watch_peer(watch) == NULL);
	CHECK_EQ(watch_ask(watch, now), 1);
	watcher_go(&watcher);
	for (int64_t end = deadline(); clock_now() < end && !watch_peer(watch); usleep(200))
		continue;
	NEED(watch_peer(watch));
	CHECK_EQ(watch_peer(watch)->connection, 23);
	watch_close(watch);
	watch_close(NULL);
	watcher_drop(&watcher, other);
	close_pair(&first);
	close_pair(&second);
}

/* The connection ends while its copy is with the watcher. */
static void test_the_copy_is_let_go(void)
{
	struct pair pair;
	char byte;
	int slot;

	NEED(open_pair(&pair) == 0);
	slot = add(&pair, 30);
	NEED(slot >= 0);
	watcher_drop(&watcher, slot);
	close(pair.sink);
	/* Our end of it: only when no copy is left. */
	CHECK_EQ(recv(pair.source, &byte, 1, 0), 0);
	close(pair.source);
}

static void test_200_connections(void)
{
	static struct pair pairs[MANY];
	static int slots[MANY];
	static unsigned int sequences[MANY];
	int before = count_descriptors(), seen = 0, owned = 0;

	for (int i = 0; i < MANY; i++) {
		NEED(open_pair(&pairs[i]) == 0);
		sequences[i] = 0;
		slots[i] = add_again(&pairs[i], 100 + (unsigned int)i);
		NEED(slots[i] >= 0);
	}
	CHECK_EQ(count_descriptors(), before + 2 * MANY);
	for (int round = 0; round < 20 && (seen < MANY || owned < MANY); round++) {
		seen = owned = 0;
		for (int i = 0; i < MANY; i++)
			watcher_want(&watcher, slots[i]);
		watcher_go(&watcher);
		for (int i = 0; i < MANY; i++) {
			newest = 100 + (unsigned int)i;
			if (!await(slots[i], &sequences[i]))
				break;
			seen += answer.connection == 100 + (unsigned int)i &&
				answer.peer == WATCHER_SEEN && is_known(FACTS_SENDER, FACT_CWND);
			owned += answer.peer_pid == getpid();
		}
	}
	CHECK_EQ(seen, MANY);
	CHECK_EQ(owned, MANY);
	for (int i = 0; i < MANY; i++) {
		watcher_drop(&watcher, slots[i]);
		close_pair(&pairs[i]);
	}
	CHECK_EQ(count_descriptors(), before);
}

/* ---- samples ---- */

/* Ask and wait until that many more answers have come; 0 when they do not. */
static int take_answers(struct watch *watch, int count, int64_t *last)
{
	struct facts facts;

	for (int i = 0; i < count; i++) {
		int64_t now = clock_now(), end = deadline();

		watch_expect(watch, now, now);
		if (!watch_ask(watch, now))
			return 0;
		watcher_go(&watcher);
		for (;;) {
			const struct facts_sample *samples;
			size_t before = watch_samples(watch, &samples);

			if (watch_interval(watch, &facts))
				break;
			/* The very first one makes no interval. */
			if (before == 0 && watch_samples(watch, &samples) == 1)
				break;
			if (clock_now() > end)
				return 0;
			usleep(100);
		}
		*last = clock_now();
	}
	return 1;
}

static int in_order(const struct facts_sample *samples, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!(samples[i].time_s[FACTS_RECEIVER] > samples[i - 1].time_s[FACTS_RECEIVER]))
			return 0;
	return 1;
}

static void test_samples_are_thinned_out(void)
{
	const struct facts_sample *samples;
	struct facts facts;
	struct watch *watch;
	struct pair pair;
	double first, start;
	int64_t now = clock_now(), last = now;
	size_t n;

	NEED(open_pair(&pair) == 0);
	watch = open_watch(&pair, 40);
	NEED(watch);
	watch_begin(watch, now - clock_from_seconds(1), CLOCK_NEVER);
	start = watch_start_s(watch);
	CHECK_NEAR(start, clock_to_seconds(now) - 1, 1e-6);
	CHECK_EQ(watch_samples(watch, &samples), 0);
	CHECK_EQ(watch_connection(watch, &facts), 0);
	NEED(take_answers(watch, 1, &last));
	CHECK_EQ(watch_samples(watch, &samples), 1);
	first = samples[0].time_s[FACTS_RECEIVER];
	CHECK_EQ(watch_connection(watch, &facts), 0);
	CHECK_EQ(watch_interval(watch, &facts), 0);
	NEED(take_answers(watch, SAMPLES_MOST - 1, &last));
	n = watch_samples(watch, &samples);
	CHECK_EQ(n, SAMPLES_MOST);
	CHECK(in_order(samples, n));
	CHECK_NEAR(samples[0].time_s[FACTS_RECEIVER], first, 0);
	for (int round = 0; round < 2; round++) {
		/* Half of them go, and one comes; then of two, and of four, one is kept. */
		NEED(take_answers(watch, round ? SAMPLES_MOST : 1, &last));
		n = watch_samples(watch, &samples);
		CHECK_EQ(n, SAMPLES_MOST / 2 + (round ? SAMPLES_MOST / 4 : 1));
		CHECK(in_order(samples, n));
		CHECK_NEAR(samples[0].time_s[FACTS_RECEIVER], first, 0);
		CHECK_EQ(watch_connection(watch, &facts), 1);
		/* Up to the newest, which need not be one of those kept. */
		CHECK(facts.length_s[FACTS_RECEIVER] >=
		      samples[n - 1].time_s[FACTS_RECEIVER] - first - 1e-9);
		if (!round)
			take_answers(watch, SAMPLES_MOST - 2, &last);
	}
	watch_close(watch);
	close_pair(&pair);
}

/* A sample near the start, one when it has settled, one before each end. */
static void test_when_samples_are_due(void)
{
	const int64_t ms = clock_from_seconds(0.001);
	int64_t start = clock_now();
	struct watch *watch;
	struct pair pair;

	NEED(open_pair(&pair) == 0);
	watch = open_watch(&pair, 41);
	NEED(watch);
	watch_begin(watch, start, start + 1000 * ms);
	CHECK_EQ(watch_next(watch), start + 20 * ms);
	CHECK_EQ(watch_ask(watch, start + 19 * ms), 0);
	CHECK_EQ(watch_ask(watch, start + 20 * ms), 1);
	CHECK_EQ(watch_ask(watch, start + 21 * ms), 0);
	CHECK_EQ(watch_next(watch), start + 300 * ms);
	CHECK_EQ(watch_ask(watch, start + 950 * ms), 1); /* both at once: one question */
	CHECK(watch_next(watch) == CLOCK_NEVER);
	watch_expect(watch, start + 1000 * ms, start + 1100 * ms);
	CHECK_EQ(watch_next(watch), start + 1075 * ms);
	watch_expect(watch, start + 1100 * ms, CLOCK_NEVER);
	CHECK(watch_next(watch) == CLOCK_NEVER);
	watch_close(watch);
	close_pair(&pair);
}

/* ---- its life ---- */

static void test_no_descriptor_is_left(void)
{
	int before = count_descriptors();
	pid_t pid;

	for (int i = 0; i < 5; i++) {
		struct watcher other;

		NEED(watcher_start(&other, FACTS_SENDER) == 0);
		CHECK_EQ(count_descriptors(), before + 1);
		pid = other.pid;
		watcher_stop(&other);
		watcher_stop(&other);
		CHECK_EQ(count_descriptors(), before);
		CHECK(!is_alive(pid));
		CHECK_EQ(waitpid(pid, NULL, 0), -1);
	}
}

/* All is unknown from then on, and nothing waits for it. */
static void test_a_killed_watcher(void)
{
	struct watcher killed = { .fd = -1 };
	struct watcher_answer last;
	unsigned int sequence = 0;
	struct facts facts;
	struct watch *watch;
	struct pair pair;
	int64_t start = clock_now();

	watcher_stop(&watcher);
	NEED(watcher_start(&watcher, FACTS_RECEIVER) == 0);
	NEED(open_pair(&pair) == 0);
	watch = open_watch(&pair, 50);
	NEED(watch);
	watch_begin(watch, start, start);
	kill(watcher.pid, SIGKILL);
	CHECK_EQ(waitpid(watcher.pid, NULL, 0), watcher.pid);
	watcher.pid = 0;
	start = clock_now();
	for (int i = 0; i < 1000; i++) {
		watch_expect(watch, start, start);
		CHECK_EQ(watch_ask(watch, start), 1);
		watcher_go(&watcher);
		CHECK_EQ(watch_interval(watch, &facts), 0);
	}
	CHECK(watch_peer(watch) == NULL);
	CHECK_EQ(watch_connection(watch, &facts), 0);
	CHECK_EQ(add(&pair, 51), -1);
	CHECK(open_watch(&pair, 52) == NULL);
	watch_close(watch);
	watcher_stop(&watcher);
	CHECK(clock_to_seconds(clock_now() - start) < PATIENCE_S);
	/* One that was never there. */
	CHECK_EQ(watcher_add(&killed, 1, pair.sink, getpid(), &pair.local, &pair.remote), -1);
	watcher_want(&killed, -1);
	watcher_go(&killed);
	watcher_drop(&killed, -1);
	CHECK_EQ(watcher_take(&killed, 0, &sequence, &last, &sample), 0);
	watcher_stop(&killed);
	close_pair(&pair);
	NEED(watcher_start(&watcher, FACTS_RECEIVER) == 0);
}

/* One that stands still does not hold the observer up either. */
static void test_a_stopped_watcher(void)
{
	unsigned int sequence = 0;
	struct pair pair;
	int64_t start;
	char byte;
	int slot;

	NEED(open_pair(&pair) == 0);
	slot = add(&pair, 60);
	NEED(slot >= 0 && ask(slot, &sequence));
	kill(watcher.pid, SIGSTOP);
	start = clock_now();
	for (int i = 0; i < 2000; i++) {
		watcher_want(&watcher, slot);
		watcher_go(&watcher);
	}
	CHECK_EQ(watcher_take(&watcher, slot, &sequence, &answer, &sample), 0);
	/* It cannot be told of the end now, but later it is, and lets the copy go. */
	watcher_drop(&watcher, slot);
	CHECK_EQ(add(&pair, 61), -1);
	close(pair.sink);
	CHECK_EQ(recv(pair.source, &byte, 1, MSG_DONTWAIT), -1);
	CHECK(clock_to_seconds(clock_now() - start) < PATIENCE_S);
	kill(watcher.pid, SIGCONT);
	CHECK_EQ(recv(pair.source, &byte, 1, 0), 0);
	close(pair.source);
	NEED(open_pair(&pair) == 0);
	slot = add_again(&pair, 62);
	sequence = 0;
	CHECK(slot >= 0 && ask(slot, &sequence));
	watcher_drop(&watcher, slot);
	close_pair(&pair);
}

/* With SIGKILL, so that it has no chance to end it. */
static void test_the_parent_dies(void)
{
	int told[2];
	pid_t child, its_watcher = 0;

	NEED(pipe(told) == 0);
	child = fork();
	if (child == 0) {
		struct watcher mine;

		if (watcher_start(&mine, FACTS_SENDER) == 0 &&
		    write(told[1], &mine.pid, sizeof(mine.pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	NEED(read(told[0], &its_watcher, sizeof(its_watcher)) == (ssize_t)sizeof(its_watcher));
	CHECK(is_alive(its_watcher));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (int64_t end = deadline(); clock_now() < end && is_alive(its_watcher); usleep(1000))
		continue;
	CHECK(!is_alive(its_watcher));
	close(told[0]);
	close(told[1]);
}

static void test_not_here(void)
{
	struct watcher none;

	CHECK_EQ(watcher_start(&none, FACTS_SENDER), -1);
	CHECK_EQ(errno, ENOSYS);
	CHECK_EQ(none.fd, -1);
	watcher_stop(&none);
	CHECK(watch_open(&none, &plan, 1, 0, getpid(), NULL, NULL) == NULL);
}

/* What cannot be asked here; NULL when all can. */
static const char *why_not(void)
{
	int door = tcpstate_open();

	if (door < 0)
		return strerror(errno);
	close(door);
	return access("/proc/self/stat", R_OK) ? "no /proc of Linux here" : NULL;
}

int main(void)
{
	if (!tcpstate_is_here()) {
		RUN(test_not_here);
		return test_end();
	}
	if (why_not()) {
		printf("SKIP watch: sock_diag: %s\n", why_not());
		return 0;
	}
	if (begin_listening() || watcher_start(&watcher, FACTS_RECEIVER))
		return 1;
	RUN(test_answers);
	RUN(test_not_yet_accepted);
	RUN(test_a_worker_of_the_peer);
	RUN(test_a_worker_that_comes_late);
	RUN(test_no_peer);
	RUN(test_no_tcp);
	RUN(test_slots_used_again);
	RUN(test_the_copy_is_let_go);
	RUN(test_200_connections);
	RUN(test_samples_are_thinned_out);
	RUN(test_when_samples_are_due);
	RUN(test_no_descriptor_is_left);
	RUN(test_a_killed_watcher);
	RUN(test_a_stopped_watcher);
	RUN(test_the_parent_dies);
	watcher_stop(&watcher);
	return test_end();
}
