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
 *
 * Three ways have no peer.  They are what bounds the others on this machine,
 * moved by the same loop, in the same blocks, into a buffer as a connection's
 * reader has one.  They are those of lmbench (McVoy and Staelin, USENIX 1996;
 * version 3), each byte counted once, as there:
 *
 * TRANSFER_COPY, "Bcopy (libc)", bw_mem SIZE bcopy: from one buffer to
 * another, both at the beginning of a page.
 * TRANSFER_FILE, "File reread", bw_file_rd SIZE io_only: read a file that has
 * been written and synced, from its beginning again at its end.
 * TRANSFER_MMAP, "Mmap reread", bw_mmap_rd SIZE mmap_only: the same file
 * through a shared mapping.
 *
 * Where we differ: lmbench adds up all words of what it has read, we do not
 * look at them, as a reader of a connection does not; instead of that we copy
 * them out of the mapping.  lmbench's files and buffers have the size that is
 * asked for, and its summary takes the largest, which no cache holds.  Ours
 * are as large as what a connection goes through: the buffers are of one block,
 * the file is of TRANSFER_FILE_SIZE, which is lmbench's own when nothing is
 * said, in whole blocks.  So a block of 64K is copied inside the caches, and
 * bw_mem 64k bcopy is what compares with that.
 *
 * The others as lmbench has them: bw_pipe and bw_unix read and write 64K (-b
 * 64K at both ends), bw_tcp asks for what -m says, 10M in its summary, both
 * its sockets with SO_SNDBUF and SO_RCVBUF of 1M; ours have the kernel's.
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
	TRANSFER_DISCARD, /* read without copying, MSG_TRUNC */
	TRANSFER_COPY,	  /* from here on: without a peer */
	TRANSFER_FILE,
	TRANSFER_MMAP
};

#define TRANSFER_FILE_SIZE (8 << 20) /* of the cached file, at least */

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
	int file;      /* the pattern, or the cached file, or -1 */
	char *from;    /* TRANSFER_COPY: what is copied, a block */
	char *map;     /* TRANSFER_MMAP: the file */
	size_t size;   /* of the cached file, whole blocks */
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

/* 0 for the ways that have no connection: their workers are started on -1. */
int transfer_has_peer(const struct transfer *transfer);

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
