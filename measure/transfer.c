/* Moving and counting bytes in a child process: see transfer.h. */
#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../socklib.h"
#include "clock.h"
#include "ledger.h"
#include "platform.h"
#include "scratch.h"
#include "wait.h"

/* A counter that needed a lock could not be shared by two processes. */
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit counters must be lock-free");

/* One worker at work. */
struct worker {
	const struct transfer *transfer;
	struct transfer_page *page;
	int fd;
	size_t block;
	char *buffer;
	uint64_t offset; /* in the stream, kept with check alone; in the cached file */
	ssize_t (*receive)(struct worker *worker, int flags); /* with a ledger */
	ssize_t (*paused)(struct worker *worker);
	int rested;
};

/* ---- memory ---- */

unsigned char transfer_pattern(uint64_t offset)
{
	uint32_t x = (uint32_t)(offset % TRANSFER_PERIOD) + 1;

	/* Marsaglia's xorshift (JSS 8/14), so that neighbours look unrelated */
	for (int i = 0; i < 3; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
	}
	return (unsigned char)(x % 255 + 1);
}

static int no_memory(const struct transfer *transfer, struct sock_cause *cause)
{
	char step[32];

	snprintf(step, sizeof(step), "-b %zu", transfer->block);
	return sock_failed(cause, step, "", ENOMEM, "not enough memory for such a block");
}

static int make_pattern(struct transfer *transfer, struct sock_cause *cause)
{
	size_t size = transfer->block + TRANSFER_PERIOD;

	transfer->pattern = malloc(size);
	if (!transfer->pattern)
		return no_memory(transfer, cause);
	for (size_t i = 0; i < TRANSFER_PERIOD; i++)
		transfer->pattern[i] = (char)transfer_pattern(i);
	for (size_t i = TRANSFER_PERIOD; i < size; i += TRANSFER_PERIOD) {
		size_t left = size - i;

		memcpy(transfer->pattern + i, transfer->pattern,
		       left < TRANSFER_PERIOD ? left : TRANSFER_PERIOD);
	}
	return 0;
}

static int make_file(struct transfer *transfer, struct sock_cause *cause)
{
	size_t size = transfer->block + (transfer->check ? TRANSFER_PERIOD : 0);
	const char *from = transfer->check ? transfer->pattern : transfer->buffer;

	transfer->file = platform_memory_file();
	if (transfer->file < 0)
		return sock_failed(cause, "-S", "", errno, NULL);
	while (size > 0) {
		ssize_t n = write(transfer->file, from, size);

		if (n <= 0)
			return sock_failed(cause, "-S", "write the file", errno, NULL);
		from += n;
		size -= (size_t)n;
	}
	return 0;
}

int transfer_has_peer(const struct transfer *transfer)
{
	return transfer->way < TRANSFER_COPY;
}

/* Pages of its own, as valloc() of lmbench gives them. */
static char *get_pages(size_t size)
{
	void *pages;

	return posix_memalign(&pages, (size_t)sysconf(_SC_PAGESIZE), size) ? NULL : pages;
}

/*
 * The file is a real one, in the page cache of a real file system: reading a
 * memory file is another path in the kernel.  Synced, so that its writing is
 * over before it is read; a system that cannot has it cached all the same.
 * How large the pieces are in which a file is written makes those of the page
 * cache: on ext4 one written by 8K is read at 0.7 of the speed of one by 64K.
 */
static int make_cached_file(struct transfer *transfer, const char *step, struct sock_cause *cause)
{
	size_t blocks = (TRANSFER_FILE_SIZE + transfer->block - 1) / transfer->block, left;
	char fill[65536];

	transfer->size = blocks * transfer->block;
	transfer->file = scratch_file(step, cause);
	if (transfer->file < 0)
		return -1;
	/* Not zeros, which a file system may leave out. */
	memset(fill, 'x', sizeof(fill));
	for (left = transfer->size; left > 0;) {
		size_t part = left < sizeof(fill) ? left : sizeof(fill);
		ssize_t n = write(transfer->file, fill, part);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return sock_failed(cause, step, "write the file", errno, NULL);
		left -= (size_t)n;
	}
	fsync(transfer->file);
	return 0;
}

static int make_map(struct transfer *transfer, struct sock_cause *cause)
{
	void *map = mmap(NULL, transfer->size, PROT_READ, MAP_SHARED, transfer->file, 0);

	if (map == MAP_FAILED)
		return sock_failed(cause, "-x mmap", "", errno, NULL);
	transfer->map = map;
	return 0;
}

static int prepare_alone(struct transfer *transfer, struct sock_cause *cause)
{
	transfer->buffer = get_pages(transfer->block);
	if (!transfer->buffer)
		return no_memory(transfer, cause);
	if (transfer->way == TRANSFER_FILE)
		return make_cached_file(transfer, "-x file", cause);
	if (transfer->way == TRANSFER_MMAP)
		return make_cached_file(transfer, "-x mmap", cause) ? -1
								    : make_map(transfer, cause);
	transfer->from = get_pages(transfer->block);
	if (!transfer->from)
		return no_memory(transfer, cause);
	/* Pages of its own here too. */
	memset(transfer->from, 'x', transfer->block);
	return 0;
}

int transfer_prepare(struct transfer *transfer, struct sock_cause *cause)
{
	int writes = transfer->way == TRANSFER_WRITE || transfer->way == TRANSFER_SENDFILE;

	transfer->buffer = NULL;
	transfer->pattern = NULL;
	transfer->file = -1;
	transfer->from = NULL;
	transfer->map = NULL;
	if (!transfer_has_peer(transfer))
		return prepare_alone(transfer, cause);
	if (transfer->check && make_pattern(transfer, cause))
		return -1;
	if (!(writes && transfer->check)) {
		transfer->buffer = malloc(transfer->block);
		if (!transfer->buffer)
			return no_memory(transfer, cause);
	}
	/* Pages of its own, not the kernel's one page of zeros. */
	if (writes && transfer->buffer)
		memset(transfer->buffer, 0, transfer->block);
	return transfer->way == TRANSFER_SENDFILE ? make_file(transfer, cause) : 0;
}

void transfer_release(struct transfer *transfer)
{
	free(transfer->buffer);
	free(transfer->pattern);
	free(transfer->from);
	if (transfer->map)
		munmap(transfer->map, transfer->size);
	if (transfer->file >= 0)
		close(transfer->file);
	transfer->buffer = NULL;
	transfer->pattern = NULL;
	transfer->file = -1;
	transfer->from = NULL;
	transfer->map = NULL;
}

/* ---- one call ---- */

static ssize_t call_write(struct worker *w)
{
	return write(w->fd, w->buffer, w->block);
}

static ssize_t call_write_pattern(struct worker *w)
{
	const char *from = w->transfer->pattern + w->offset % TRANSFER_PERIOD;
	ssize_t n = write(w->fd, from, w->block);

	w->offset += n > 0 ? (uint64_t)n : 0;
	return n;
}

static ssize_t call_sendfile(struct worker *w)
{
	off_t from = w->transfer->check ? (off_t)(w->offset % TRANSFER_PERIOD) : 0;
	ssize_t n = platform_sendfile(w->fd, w->transfer->file, from, w->block);

	w->offset += n > 0 ? (uint64_t)n : 0;
	return n;
}

static ssize_t call_read(struct worker *w)
{
	return read(w->fd, w->buffer, w->block);
}

static ssize_t call_discard(struct worker *w)
{
	return platform_discard(w->fd, w->block, 0);
}

/*
 * What a read has returned is in the buffer: is it the pattern?  The bytes up
 * to the wrong one still count: they were read.
 */
static void check_pattern(struct worker *w, ssize_t n)
{
	const char *expected = w->transfer->pattern + w->offset % TRANSFER_PERIOD;

	if (n > 0 && memcmp(w->buffer, expected, (size_t)n) != 0) {
		size_t i = 0;

		while (w->buffer[i] == expected[i])
			i++;
		w->page->end = TRANSFER_MISMATCH;
		w->page->offset = w->offset + i;
		w->page->got = (unsigned char)w->buffer[i];
		w->page->expected = (unsigned char)expected[i];
	}
	w->offset += n > 0 ? (uint64_t)n : 0;
}

static ssize_t call_read_pattern(struct worker *w)
{
	ssize_t n = read(w->fd, w->buffer, w->block);

	check_pattern(w, n);
	return n;
}

/* ---- one call without a peer ---- */

static ssize_t call_copy(struct worker *w)
{
	memcpy(w->buffer, w->transfer->from, w->block);
	return (ssize_t)w->block;
}

/* Behind what was moved, at the beginning again behind the last block. */
static void go_on(struct worker *w, ssize_t n)
{
	w->offset += n > 0 ? (uint64_t)n : 0;
	if (w->offset >= w->transfer->size)
		w->offset = 0;
}

/* pread(): workers that were started of one process share the file's position. */
static ssize_t call_file(struct worker *w)
{
	ssize_t n = pread(w->transfer->file, w->buffer, w->block, (off_t)w->offset);

	go_on(w, n);
	return n;
}

static ssize_t call_map(struct worker *w)
{
	memcpy(w->buffer, w->transfer->map + w->offset, w->block);
	go_on(w, (ssize_t)w->block);
	return (ssize_t)w->block;
}

/* ---- one call with a ledger ---- */

static ssize_t receive_copy(struct worker *w, int flags)
{
	return recv(w->fd, w->buffer, w->block, flags);
}

static ssize_t receive_discard(struct worker *w, int flags)
{
	return platform_discard(w->fd, w->block, flags);
}

/* A wait goes on when a signal has interrupted it; EAGAIN is a timeout's. */
static ssize_t receive_waiting(struct worker *w)
{
	struct ledger *ledger = w->page->ledger;
	ssize_t n;
	int err;

	ledger_wait(ledger, clock_now());
	do
		n = w->receive(w, 0);
	while (n < 0 && errno == EINTR);
	err = errno;
	if (n > 0)
		ledger_got(ledger, clock_now());
	else
		ledger_cut(ledger, clock_now());
	errno = err;
	return n;
}

static ssize_t call_ledger(struct worker *w)
{
	ssize_t n = w->receive(w, MSG_DONTWAIT);

	return n < 0 && errno == EAGAIN ? receive_waiting(w) : n;
}

static ssize_t call_ledger_pattern(struct worker *w)
{
	ssize_t n = call_ledger(w);

	check_pattern(w, n);
	return n;
}

static ssize_t call_paused(struct worker *w)
{
	double s = w->transfer->pause_s;
	struct timespec pause = { .tv_sec = (time_t)s,
				  .tv_nsec = (long)((s - (double)(time_t)s) * 1e9) };

	if (w->rested++) {
		atomic_store_explicit(&w->page->resting, 1, memory_order_relaxed);
		while (nanosleep(&pause, &pause) && errno == EINTR)
			;
		atomic_store_explicit(&w->page->resting, 0, memory_order_relaxed);
	}
	return w->paused(w);
}

/* ---- the loop ---- */

/* A pipe may come to us non-blocking; elsewhere EAGAIN is a timeout's. */
static int try_again(const struct worker *w)
{
	int writes = w->transfer->way == TRANSFER_WRITE || w->transfer->way == TRANSFER_SENDFILE;
	struct pollfd ready = { .fd = w->fd, .events = writes ? POLLOUT : POLLIN };
	int err = errno, again = err == EINTR;

	if (err == EAGAIN && (fcntl(w->fd, F_GETFL) & O_NONBLOCK))
		again = poll(&ready, 1, -1) > 0;
	errno = err;
	return again;
}

static void move_bytes(struct worker *w, ssize_t (*call)(struct worker *))
{
	struct transfer_page *page = w->page;
	uint64_t bytes = 0, calls = 0;

	while (page->end == TRANSFER_RUNNING) {
		ssize_t n = call(w);

		if (n <= 0) {
			if (n < 0 && try_again(w))
				continue;
			page->err = errno;
			page->end = n == 0 ? TRANSFER_EOF : TRANSFER_ERROR;
			return;
		}
		bytes += (uint64_t)n;
		calls++;
		atomic_store_explicit(&page->bytes, bytes, memory_order_relaxed);
		atomic_store_explicit(&page->calls, calls, memory_order_relaxed);
	}
}

static ssize_t (*choose_call(const struct transfer *transfer))(struct worker *)
{
	if (transfer->ledger)
		return transfer->check ? call_ledger_pattern : call_ledger;
	switch (transfer->way) {
	case TRANSFER_WRITE: return transfer->check ? call_write_pattern : call_write;
	case TRANSFER_SENDFILE: return call_sendfile;
	case TRANSFER_READ: return transfer->check ? call_read_pattern : call_read;
	case TRANSFER_COPY: return call_copy;
	case TRANSFER_FILE: return call_file;
	case TRANSFER_MMAP: return call_map;
	default: return call_discard;
	}
}

static _Noreturn void work(const struct transfer *transfer, int fd, struct transfer_page *page)
{
	struct worker w = { .transfer = transfer,
			    .page = page,
			    .fd = fd,
			    .block = transfer->block,
			    .buffer = transfer->buffer,
			    .receive = transfer->way == TRANSFER_DISCARD ? receive_discard
									 : receive_copy };
	ssize_t (*call)(struct worker *) = choose_call(transfer);

	platform_close_all_but(fd, transfer->file);
	if (transfer->cpu >= 0)
		platform_pin(transfer->cpu);
	if (transfer->pause_s > 0) {
		w.paused = call;
		call = call_paused;
	}
	move_bytes(&w, call);
	_exit(0);
}

/* Nobody writes to the gate: its opening is the end of the file. */
static void wait_at_gate(const int *gate)
{
	char none;

	close(gate[1]);
	while (read(gate[0], &none, 1) < 0 && errno == EINTR)
		;
}

static void *map_shared(size_t size)
{
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return NULL;
	return shared;
}

/* All zeros, with a ledger of its own where one is kept. */
static struct transfer_page *make_page(const struct transfer *transfer)
{
	struct transfer_page *page = map_shared(sizeof(*page));

	if (!page || !transfer->ledger)
		return page;
	page->ledger = map_shared(sizeof(*page->ledger));
	if (!page->ledger) {
		transfer_unmap(page);
		return NULL;
	}
	if (transfer->ledger_held)
		LEDGER_SET(page->ledger->from, LEDGER_NEVER);
	return page;
}

pid_t transfer_start(const struct transfer *transfer, int fd, const int *gate,
		     struct transfer_page **page)
{
	pid_t parent = getpid(), pid;
	struct transfer_page *shared = make_page(transfer);

	if (!shared)
		return -1;
	pid = fork();
	if (pid == 0) {
		wait_child_signals();
		platform_die_with_parent(parent, SIGKILL);
		if (gate)
			wait_at_gate(gate);
		work(transfer, fd, shared);
	}
	if (pid < 0) {
		transfer_unmap(shared);
		return -1;
	}
	*page = shared;
	return pid;
}

void transfer_unmap(struct transfer_page *page)
{
	if (page->ledger)
		munmap(page->ledger, sizeof(*page->ledger));
	munmap(page, sizeof(*page));
}
