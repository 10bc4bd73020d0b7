/*
 * transfer: a child process that moves the bytes of one connection and counts
 * them.  The only hot loop.
 *
 * The worker's loop makes the I/O call and stores two counters in a page that
 * it shares with the observer, nothing else: no clock, no signal, no print.
 * It holds no descriptor but its connection (and the file of sendfile).  It
 * ends at end of file, at an error, or because the observer shut the
 * connection down; then it leaves the reason in the page and exits.
 *
 * A worker that keeps a ledger (ledger.h) reads the clock around those reads
 * that have to wait; the loop of the others does not know of it.
 */
#ifndef MEASURE_TRANSFER_H
#define MEASURE_TRANSFER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ledger;
struct sock_cause;

enum transfer_way {
	TRANSFER_WRITE,
	TRANSFER_SENDFILE,
	TRANSFER_READ,
	TRANSFER_DISCARD /* read without copying, MSG_TRUNC */
};

/* What all workers of a program do.  The first seven are the caller's. */
struct transfer {
	enum transfer_way way;
	size_t block;	 /* bytes per call, at least 1 */
	int check;	 /* write, or verify, the pattern */
	double pause_s;	 /* sleep between calls, 0 for none */
	int cpu;	 /* to run on, -1 for any */
	int ledger;	 /* of how long reads wait: from a socket only */
	int ledger_held; /* it begins when the observer says so */

	char *buffer;  /* the block; the pattern behind it when read */
	char *pattern; /* block + TRANSFER_PERIOD bytes, with check */
	int file;      /* the pattern as a file, or -1 */
};

/* How a worker came to its end. */
enum transfer_end {
	TRANSFER_RUNNING, /* no word: it was killed */
	TRANSFER_EOF,
	TRANSFER_ERROR,	  /* err says which */
	TRANSFER_MISMATCH /* offset, got, expected say where */
};

/* The page shared with one worker, which alone writes to it. */
struct transfer_page {
	struct ledger *ledger;	/* shared too, NULL: none is kept */
	_Atomic uint64_t bytes; /* moved by calls that returned */
	_Atomic uint64_t calls;
	_Atomic int resting;   /* asleep between two calls: the counters are exact */
	enum transfer_end end; /* from here on: valid when it has ended */
	int err;
	uint64_t offset;
	unsigned char got, expected;
};

/* The pattern of -c repeats after so many bytes: prime, so no block divides it. */
#define TRANSFER_PERIOD 65521

/* The byte at this offset of a checked connection; never 0. */
unsigned char transfer_pattern(uint64_t offset);

/* Get the memory for the blocks.  -1 with a cause when there is not enough. */
int transfer_prepare(struct transfer *transfer, struct sock_cause *cause);
void transfer_release(struct transfer *transfer);

/*
 * Start a worker on fd; its process and its page.  -1 with errno when there
 * are no more processes or memory.  The page goes with transfer_unmap().
 * gate: the ends of a pipe, NULL for none; the worker moves nothing before its
 * parent closes the second.
 */
pid_t transfer_start(const struct transfer *transfer, int fd, const int *gate,
		     struct transfer_page **page);
void transfer_unmap(struct transfer_page *page);

#endif
