/*
 * The worker: its pattern shows a lost, doubled or moved block of any size,
 * its counters are those of the calls it made, and its end is told: end of
 * file, an error, a wrong byte and where.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../measure/ledger.h"
#include "../measure/transfer.h"
#include "../socklib.h"
#include "test.h"

/* Bytes until the pattern and the pattern moved by shift differ. */
static int run_alike(uint64_t at, uint64_t shift)
{
	int n = 0;

	while (n < 1000 &&
	       transfer_pattern(at + (uint64_t)n) == transfer_pattern(at + shift + (uint64_t)n))
		n++;
	return n;
}

static void test_pattern_shows_every_shift(void)
{
	uint64_t shift;
	int longest = 0;

	for (shift = 1; shift < 2 * TRANSFER_PERIOD; shift++) {
		int n;

		if (shift == TRANSFER_PERIOD)
			continue;
		n = run_alike(3000000, shift);
		if (n > longest)
			longest = n;
	}
	if (longest > 16)
		test_fail(__FILE__, __LINE__, "%d bytes are alike", longest);
	CHECK(longest <= 16);
	CHECK(run_alike(7, 1 << 16) < 16);
	CHECK(run_alike(7, 1 << 20) < 16);
	CHECK(run_alike(7, UINT64_C(1) << 32) < 16);
	CHECK(run_alike((UINT64_C(1) << 32) - 3, 4096) < 16);
}

/* Zeros, as a source without -c writes, are never the pattern. */
static void test_pattern_is_never_zero(void)
{
	uint64_t i;
	int zeros = 0;

	for (i = 0; i < TRANSFER_PERIOD; i++)
		zeros += transfer_pattern(i) == 0;
	CHECK_EQ(zeros, 0);
}

/* A worker on one end of a socket pair; the other end is ours. */
static pid_t worker_on(struct transfer *t, int *fd, struct transfer_page **page)
{
	struct sock_cause cause;
	int pair[2];
	pid_t pid;

	if (transfer_prepare(t, &cause) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return -1;
	pid = transfer_start(t, pair[0], NULL, page);
	close(pair[0]);
	*fd = pair[1];
	return pid;
}

static void test_reader_counts_to_the_end(void)
{
	struct transfer t = { .way = TRANSFER_READ, .block = 10, .cpu = -1 };
	struct transfer_page *page = NULL;
	char data[1234];
	int fd, status;
	pid_t pid = worker_on(&t, &fd, &page);

	NEED(pid > 0);
	memset(data, 0, sizeof(data));
	CHECK_EQ(write(fd, data, sizeof(data)), (ssize_t)sizeof(data));
	close(fd);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ_U(page->bytes, 1234);
	CHECK_EQ_U(page->calls, 124);
	CHECK_EQ(page->end, TRANSFER_EOF);
	transfer_unmap(page);
	transfer_release(&t);
}

static void test_writer_ends_by_the_readers_leaving(void)
{
	struct transfer t = { .way = TRANSFER_WRITE, .block = 100, .cpu = -1 };
	struct transfer_page *page = NULL;
	char data[1000];
	int fd, status;
	size_t got = 0;
	pid_t pid = worker_on(&t, &fd, &page);

	NEED(pid > 0);
	while (got < sizeof(data)) {
		ssize_t n = read(fd, data + got, sizeof(data) - got);

		NEED(n > 0);
		got += (size_t)n;
	}
	close(fd);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status)); /* not killed by SIGPIPE */
	CHECK(page->bytes >= 1000);
	CHECK_EQ_U(page->bytes, page->calls * 100);
	CHECK_EQ(page->end, TRANSFER_ERROR);
	CHECK(page->err == EPIPE || page->err == ECONNRESET);
	transfer_unmap(page);
	transfer_release(&t);
}

/* Shut down from here, as the observer does it: what was moved counts. */
static void test_shutdown_ends_a_long_write(void)
{
	struct transfer t = { .way = TRANSFER_WRITE, .block = 64 << 20, .cpu = -1 };
	struct timespec pause = { .tv_nsec = 100000000 };
	struct transfer_page *page = NULL;
	struct sock_cause cause;
	static char data[65536];
	int pair[2], status;
	uint64_t got = 0;
	ssize_t n;
	pid_t pid;

	NEED(transfer_prepare(&t, &cause) == 0);
	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	pid = transfer_start(&t, pair[0], NULL, &page);
	NEED(pid > 0);
	n = read(pair[1], data, sizeof(data));
	NEED(n > 0);
	got = (uint64_t)n;
	nanosleep(&pause, NULL);
	shutdown(pair[0], SHUT_RDWR);
	while ((n = read(pair[1], data, sizeof(data))) > 0)
		got += (uint64_t)n;
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ_U(page->bytes, got);
	close(pair[0]);
	close(pair[1]);
	transfer_unmap(page);
	transfer_release(&t);
}

/* Serve the checking reader so many right bytes, then a wrong one. */
static void check_finds_with(int ledger, size_t block, uint64_t offset)
{
	struct transfer t = {
		.way = TRANSFER_READ, .block = block, .check = 1, .cpu = -1, .ledger = ledger
	};
	struct transfer_page *page = NULL;
	char *data = malloc(offset + 100);
	int fd, status;
	size_t sent = 0;
	uint64_t i;
	pid_t pid;

	NEED(data != NULL);
	pid = worker_on(&t, &fd, &page);
	NEED(pid > 0);
	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < offset + 100; i++)
		data[i] = (char)transfer_pattern(i);
	data[offset] = (char)(data[offset] + 1);
	while (sent < offset + 100) {
		ssize_t n = write(fd, data + sent, offset + 100 - sent);

		if (n <= 0)
			break;
		sent += (size_t)n;
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(page->end, TRANSFER_MISMATCH);
	CHECK_EQ_U(page->offset, offset);
	CHECK_EQ(page->expected, transfer_pattern(offset));
	CHECK_EQ(page->got, (unsigned char)data[offset]);
	close(fd);
	free(data);
	transfer_unmap(page);
	transfer_release(&t);
}

static void check_finds(size_t block, uint64_t offset)
{
	check_finds_with(0, block, offset);
	check_finds_with(1, block, offset);
}

static void test_check_names_the_wrong_byte(void)
{
	check_finds(64, 0);
	check_finds(64, 63);
	check_finds(64, 64);
	check_finds(7, TRANSFER_PERIOD);
	check_finds(65536, 1000000);
	check_finds(TRANSFER_PERIOD, 3 * TRANSFER_PERIOD + 1);
}

/* What the worker with this page wrote down, over a time that does not matter. */
static struct ledger_sum ledger_of(const struct transfer_page *page)
{
	struct ledger_sum sum;

	ledger_add_up(page->ledger, 0, INT64_MAX / 2, &sum);
	return sum;
}

/* Five writes with pauses before them: as many waits, none shorter. */
static void waits_are_kept(int check)
{
	struct transfer t = {
		.way = TRANSFER_READ, .block = 100, .check = check, .cpu = -1, .ledger = 1
	};
	struct timespec pause = { .tv_nsec = 50000000 };
	struct transfer_page *page = NULL;
	struct ledger_sum sum;
	char data[50];
	int fd, status;
	pid_t pid = worker_on(&t, &fd, &page);

	NEED(pid > 0);
	for (uint64_t i = 0; i < 5 * sizeof(data); i++) {
		data[i % sizeof(data)] = (char)transfer_pattern(i);
		if ((i + 1) % sizeof(data))
			continue;
		nanosleep(&pause, NULL);
		CHECK_EQ(write(fd, data, sizeof(data)), (ssize_t)sizeof(data));
	}
	nanosleep(&pause, NULL);
	close(fd);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(page->end, TRANSFER_EOF);
	CHECK_EQ_U(page->bytes, 250);
	sum = ledger_of(page);
	/* A busy machine may have let the worker sleep through a write. */
	CHECK(sum.waits >= 1 && sum.waits <= 5);
	CHECK(sum.waits <= page->calls);
	CHECK(sum.wait_s > 0.02 && sum.wait_s < 5);
	CHECK(sum.longest_s > 0.02);
	transfer_unmap(page);
	transfer_release(&t);
}

static void test_waits_are_kept(void)
{
	waits_are_kept(0);
	waits_are_kept(1);
}

/* The end of a connection is no end of a wait, and neither is a timeout. */
static void test_ends_cut_waits_short(void)
{
	struct transfer t = { .way = TRANSFER_READ, .block = 100, .cpu = -1, .ledger = 1 };
	struct timeval limit = { .tv_usec = 200000 };
	struct transfer_page *page = NULL;
	struct sock_cause cause;
	int pair[2], status;
	pid_t pid;

	NEED(transfer_prepare(&t, &cause) == 0);
	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	NEED(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
	pid = transfer_start(&t, pair[0], NULL, &page);
	NEED(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(page->end, TRANSFER_ERROR);
	CHECK_EQ(page->err, EAGAIN);
	CHECK_EQ_U(ledger_of(page).waits, 0);
	CHECK(ledger_of(page).cut_s >= 0.19 && ledger_of(page).cut_s < 10);
	close(pair[0]);
	close(pair[1]);
	transfer_unmap(page);
	transfer_release(&t);
}

static void test_no_ledger_is_kept_unasked(void)
{
	struct transfer t = { .way = TRANSFER_READ, .block = 100, .cpu = -1 };
	struct transfer_page *page = NULL;
	int fd, status;
	pid_t pid = worker_on(&t, &fd, &page);

	NEED(pid > 0);
	CHECK(page->ledger == NULL);
	close(fd);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	transfer_unmap(page);
	transfer_release(&t);
}

/* ---- without a peer ---- */

static const enum transfer_way alone[] = { TRANSFER_COPY, TRANSFER_FILE, TRANSFER_MMAP };

#define ALONE (sizeof(alone) / sizeof(alone[0]))

static void rest(long ms)
{
	struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&pause, NULL);
}

/* Wait until the worker has made so many calls; 0 after 20 s without. */
static int has_called(const struct transfer_page *page, uint64_t calls)
{
	for (int i = 0; i < 20000 && page->calls < calls; i++)
		rest(1);
	return page->calls >= calls;
}

static int end_worker(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
}

static void moves_alone(enum transfer_way way, size_t block, uint64_t calls)
{
	struct transfer t = { .way = way, .block = block, .cpu = -1 };
	struct transfer_page *page = NULL;
	struct sock_cause cause;
	struct stat st;
	uint64_t more;
	pid_t pid;

	NEED(transfer_prepare(&t, &cause) == 0);
	CHECK(!transfer_has_peer(&t));
	if (way != TRANSFER_COPY) {
		NEED(fstat(t.file, &st) == 0);
		CHECK_EQ(st.st_nlink, 0);
		CHECK_EQ_U(st.st_size, t.size);
		CHECK(t.size >= TRANSFER_FILE_SIZE && t.size % block == 0);
		CHECK(t.size < TRANSFER_FILE_SIZE + block);
	}
	pid = transfer_start(&t, -1, NULL, &page);
	NEED(pid > 0);
	CHECK(has_called(page, calls));
	CHECK_EQ(page->end, TRANSFER_RUNNING);
	CHECK(end_worker(pid));
	/* It may have ended between its two stores. */
	more = page->bytes - page->calls * block;
	CHECK(more == 0 || more == block);
	transfer_unmap(page);
	transfer_release(&t);
	CHECK(t.file == -1 && !t.map && !t.from && !t.buffer);
}

/* Often enough to come by the end of the file. */
static void test_ways_without_a_peer_count(void)
{
	for (size_t i = 0; i < ALONE; i++) {
		moves_alone(alone[i], 1, 1000);
		moves_alone(alone[i], 65536, 3 * TRANSFER_FILE_SIZE / 65536);
		moves_alone(alone[i], (1 << 20) + 1, 20);
		moves_alone(alone[i], TRANSFER_FILE_SIZE + 4097, 5);
	}
}

/* The worker's block in memory that we see too; where it stood before. */
static char *share_buffer(struct transfer *t)
{
	char *before = t->buffer;

	t->buffer = mmap(NULL, t->block, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return before;
}

/* How many bytes of the block are not what they should be. */
static size_t wrong_bytes(const char *block, size_t size, char right)
{
	size_t wrong = 0;

	for (size_t i = 0; i < size; i++)
		wrong += block[i] != right;
	return wrong;
}

/* One of many blocks, each of a letter of its own, is what a call brings. */
static void brings_block(enum transfer_way way, uint64_t calls)
{
	struct transfer t = { .way = way, .block = 3 << 20, .cpu = -1, .pause_s = 0.05 };
	struct transfer_page *page = NULL;
	struct sock_cause cause;
	char *before, *fill;
	uint64_t blocks, made;
	int rests;
	pid_t pid;

	NEED(transfer_prepare(&t, &cause) == 0);
	blocks = t.size ? t.size / t.block : 1;
	before = share_buffer(&t);
	fill = malloc(t.block);
	NEED(t.buffer != MAP_FAILED && fill);
	for (size_t i = 0; i < blocks; i++) {
		memset(fill, (int)('a' + i), t.block);
		if (way == TRANSFER_COPY)
			memcpy(t.from, fill, t.block);
		else
			NEED(pwrite(t.file, fill, t.block, (off_t)(i * t.block)) ==
			     (ssize_t)t.block);
	}
	pid = transfer_start(&t, -1, NULL, &page);
	NEED(pid > 0);
	CHECK(has_called(page, calls));
	for (int i = 0; i < 10000 && !page->resting; i++)
		rest(1);
	CHECK(end_worker(pid));
	rests = page->resting;
	made = page->calls;
	/* On a busy machine the signal may have come to it at work. */
	if (rests) {
		CHECK_EQ_U(page->bytes, made * t.block);
		CHECK_EQ_U(wrong_bytes(t.buffer, t.block, (char)('a' + (made - 1) % blocks)), 0);
	}
	munmap(t.buffer, t.block);
	t.buffer = before;
	free(fill);
	transfer_unmap(page);
	transfer_release(&t);
	if (!rests)
		brings_block(way, calls);
}

static void test_each_call_brings_the_next_block(void)
{
	brings_block(TRANSFER_COPY, 2);
	for (uint64_t calls = 1; calls <= 4; calls++) {
		brings_block(TRANSFER_FILE, calls);
		brings_block(TRANSFER_MMAP, calls);
	}
}

static void test_pause_without_a_peer(void)
{
	for (size_t i = 0; i < ALONE; i++) {
		struct transfer t = { .way = alone[i], .block = 1000, .cpu = -1, .pause_s = 1000 };
		struct transfer_page *page = NULL;
		struct sock_cause cause;
		pid_t pid;

		NEED(transfer_prepare(&t, &cause) == 0);
		pid = transfer_start(&t, -1, NULL, &page);
		NEED(pid > 0);
		CHECK(has_called(page, 1));
		rest(50);
		CHECK(end_worker(pid));
		CHECK_EQ_U(page->calls, 1);
		CHECK_EQ_U(page->bytes, 1000);
		transfer_unmap(page);
		transfer_release(&t);
	}
}

/* Where no file can be made, the cause says where. */
static void test_no_place_for_the_file(void)
{
	struct transfer t = { .way = TRANSFER_FILE, .block = 1000, .cpu = -1 };
	struct sock_cause cause = { .status = 0 };
	const char *given = getenv("TMPDIR");
	char *before = given ? strdup(given) : NULL;

	setenv("TMPDIR", "/nonexistent", 1);
	CHECK_EQ(transfer_prepare(&t, &cause), -1);
	CHECK_STR(cause.step, "-x file");
	CHECK_STR(cause.object, "/nonexistent");
	CHECK_EQ(cause.err, ENOENT);
	transfer_release(&t);
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	free(before);
}

int main(void)
{
	RUN(test_pattern_shows_every_shift);
	RUN(test_pattern_is_never_zero);
	RUN(test_reader_counts_to_the_end);
	RUN(test_writer_ends_by_the_readers_leaving);
	RUN(test_shutdown_ends_a_long_write);
	RUN(test_check_names_the_wrong_byte);
	RUN(test_waits_are_kept);
	RUN(test_ends_cut_waits_short);
	RUN(test_no_ledger_is_kept_unasked);
	RUN(test_ways_without_a_peer_count);
	RUN(test_each_call_brings_the_next_block);
	RUN(test_pause_without_a_peer);
	RUN(test_no_place_for_the_file);
	return test_end();
}
