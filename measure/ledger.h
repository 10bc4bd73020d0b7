/*
 * ledger: how long the reads of one connection waited.
 *
 * The worker of -l first asks for data without waiting (MSG_DONTWAIT, recv(2))
 * and reads a clock only around a read that has to wait.  A wait that ended
 * with data is counted in one of LEDGER_BINS bins: the octaves of a
 * microsecond, 1 to 2 us, 2 to 4 us and so on, each cut into LEDGER_PARTS
 * equal parts.  A wait that the connection's end cut short is kept apart: no
 * timer of the kernel made it as long as it was.
 *
 * The struct lies in memory that the worker shares with the observer.  Each
 * field has one writer, so that no store needs a lock.
 *
 * Pure: times come in, as nanoseconds of one monotonic clock (clock.h).
 */
#ifndef MEASURE_LEDGER_H
#define MEASURE_LEDGER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_OCTAVES 32 /* 1 us to 2^32 us, 72 minutes */
#define LEDGER_PARTS 32	  /* so a bin is 1.6 to 3.1 % wide */
#define LEDGER_BINS (LEDGER_OCTAVES * LEDGER_PARTS + 2)

#define LEDGER_NEVER INT64_MAX

struct ledger_bin {
	_Atomic uint64_t waits;
	_Atomic uint64_t ns; /* their sum */
};

struct ledger {
	/* Written by the observer: a wait that ends before this is left out. */
	_Atomic int64_t from;
	/* Written by the worker; 0: there is none. */
	_Atomic int64_t since; /* when the wait in progress began */
	_Atomic int64_t first; /* when the first one that is kept began */
	_Atomic int64_t longest;
	_Atomic int64_t cut;		    /* length of the one that the end cut short */
	struct ledger_bin bin[LEDGER_BINS]; /* first below, last above all octaves */
};

/* The bin of a wait of so many ns; below 0 counts as 0. */
size_t ledger_bin_of(int64_t ns);

/* ---- the worker's side; all zeros is an empty ledger from the start on ---- */

#define LEDGER_GET(field) atomic_load_explicit(&(field), memory_order_relaxed)
#define LEDGER_SET(field, value) atomic_store_explicit(&(field), (value), memory_order_relaxed)

/* A wait begins. */
static inline void ledger_wait(struct ledger *ledger, int64_t now)
{
	LEDGER_SET(ledger->since, now);
}

/* It ended with data. */
void ledger_got(struct ledger *ledger, int64_t now);

/* It ended without: so did the connection. */
void ledger_cut(struct ledger *ledger, int64_t now);

/* ---- what it comes to; seconds ---- */

struct ledger_sum {
	uint64_t waits;
	double wait_s;
	double longest_s; /* NaN without waits, as the next */
	double median_s;  /* mean of its bin: within 3.1 % */
	double cut_s;	  /* NaN: none was cut short */
	double length_s;  /* of the time that the ledger is about; NaN: never begun */
};

/*
 * start and end are those of the connection; a wait still in progress at its
 * end is cut short by it.  The time begins with the connection, with
 * ledger->from, or where a wait that is kept began before that, with this one.
 */
void ledger_add_up(const struct ledger *ledger, int64_t start, int64_t end, struct ledger_sum *sum);

/* An octave. */
struct ledger_row {
	double low_s;  /* 0 in the first row */
	double high_s; /* infinite in the last */
	uint64_t waits;
	double wait_s; /* all of them together */
	double share;  /* of the waiting, 0..1 */
};

#define LEDGER_ROWS (LEDGER_OCTAVES + 2)

/* Row number index, below LEDGER_ROWS. */
void ledger_row(const struct ledger *ledger, size_t index, struct ledger_row *row);

/* ---- timers of the kernel ---- */

struct ledger_timer {
	const char *name;   /* "RTO minimum" */
	const char *source; /* the setting that it was read from, or "" */
	double s;
};

#define LEDGER_TIMERS 4

/*
 * The timers of Linux that can keep a reader waiting, in the order of
 * include/net/tcp.h: the delayed ACK, at least HZ/25 and less than the RTO
 * minimum; that; the persist probe, the larger of RTO and HZ/5; and either of
 * them doubled, when the first had no answer.  rto_min_s: as this kernel says;
 * NaN: it does not, and HZ/5 it is.
 */
void ledger_timers(double rto_min_s, struct ledger_timer timer[LEDGER_TIMERS]);

struct ledger_match {
	double low_s; /* waits of this length may be the timer's */
	double high_s;
	uint64_t waits;
	double wait_s;
	double share; /* of the waiting, 0..1 */
	int is_longest;
	int is_near; /* there is a peak */
};

/*
 * Do the waits have a peak at this timer?  A timer never fires early and is
 * late by a few ticks (a tick is 1 to 10 ms), while the wait itself may have
 * begun after it was set: -5 % to +15 %, or +15 ms.  It is a peak where these waits
 * are a tenth of the waiting, or hold the longest, and are at least twice as
 * many as those in an equally wide stretch just below.
 */
void ledger_match(const struct ledger *ledger, const struct ledger_timer *timer,
		  struct ledger_match *match);

#endif
