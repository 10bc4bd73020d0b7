/*
 * run: the data.  A run holds connections, a connection holds intervals; what
 * was moved in each is the difference between two readings of its counters.
 *
 * Pure: times come in as numbers, seconds since the connection began.
 */
#ifndef MEASURE_RUN_H
#define MEASURE_RUN_H

#include <stddef.h>
#include <stdint.h>

enum run_kind {
	RUN_WHOLE,
	RUN_PARTIAL, /* below 0.9 of what was planned, or behind its end: in totals only */
	RUN_LATE,    /* above 1.5 of it: the observer was held up */
	RUN_WARM_UP  /* the first part of -w: in totals only */
};

struct run_interval {
	unsigned int number; /* from 1 within the connection */
	double end_s;
	double length_s; /* measured */
	uint64_t bytes;
	uint64_t calls;
	int estimated; /* bytes has parts of calls: they say nothing of a call */
	enum run_kind kind;
};

enum run_reason {
	RUN_OPEN, /* it has not ended */
	RUN_DONE, /* its time was up */
	RUN_INTERRUPTED,
	RUN_PEER_CLOSED,
	RUN_RESET,    /* by the peer, seen by a reader */
	RUN_TIMEOUT,  /* a timeout set by option; err tells which */
	RUN_KILLED,   /* the worker, by signal */
	RUN_MISMATCH, /* a byte was not the pattern's */
	RUN_ERROR     /* err */
};

struct run_connection {
	unsigned int number; /* from 1 in the order of opening */
	int sends;	     /* seen from its sender */
	double planned_s;    /* length of the connection, 0: no end planned */
	double interval_s;   /* planned length of its intervals */
	double warm_up_s;    /* of the first interval, 0: no warm-up */

	unsigned int intervals; /* closed so far */
	double length_s;	/* up to the last reading */
	uint64_t bytes;
	uint64_t calls;

	enum run_reason reason;
	int exact; /* 0: bytes is a lower bound */
	int err;
	int signal;
	uint64_t offset; /* RUN_MISMATCH: where, and what stood there */
	unsigned char got, expected;
};

/* What an interval of this length is to the connection. */
enum run_kind run_kind_of(const struct run_connection *connection, double length_s);

/* Close the interval that ends now with this reading; readings never go back. */
struct run_interval run_close_interval(struct run_connection *connection, double now_s,
				       uint64_t bytes, uint64_t calls);

/*
 * When the next interval ends, in ns since the connection began: at warm_up
 * (0: none), whole multiples of interval behind it, and at duration (0: none),
 * whichever comes first after now.  A remainder below a thousandth of an
 * interval joins the last, one below half an interval after now the next.
 */
int64_t run_next_end(int64_t now, int64_t warm_up, int64_t interval, int64_t duration);

/* MB/sec, 10^6 bytes; negative where no time has passed. */
double run_rate(uint64_t bytes, double length_s);

/* 1 when a connection that ended so makes a sink fail. */
int run_has_failed(const struct run_connection *connection);

/* One connection of a run: the intervals that count, whole and late ones. */
struct run_series {
	unsigned int number; /* as printed */
	unsigned int round;  /* from 1; those of one round started together */
	size_t count;
	size_t room;
	double *rate;	 /* MB/s */
	double *start_s; /* since the connection began; below 0: unknown */
};

/* What was set, as it stands in a header: "options", "block", "cpu" ... */
struct run_setting {
	char *name;
	char *value;
};

/* Connections measured by one command, live or from its saved output. */
struct run {
	struct run_series *series; /* in the order of opening */
	size_t count;
	size_t room;
	struct run_setting *setting;
	size_t settings;
	struct run_setting *environment; /* of the machine, by the keys of hostenv.h */
	size_t environments;		 /* 0: nothing is known of it */
	size_t asked;			 /* connections, 0: not known or without end */
	unsigned int parallel;		 /* connections at once, 1 and up */
	double interval_s;		 /* planned; 0: not known, count intervals instead */
	double duration_s;		 /* planned; 0: not known or without end */
	double warm_up_s;
	int interrupted;
	int both_wrote;	    /* the text has both programs' lines: each interval twice */
	size_t passed_over; /* lines of a saved text that are none of ours */
};

/* Append; NULL and -1 when there is no memory, and the run stays as it was. */
struct run_series *run_add_series(struct run *run, unsigned int number, unsigned int round);
int run_add_rate(struct run_series *series, double rate, double start_s);

/* Leave out what began before so many seconds.  -1 when no start is known. */
int run_drop_before(struct run *run, double start_s);

/* Append, or replace the value of the same name. */
int run_set(struct run *run, const char *name, const char *value);
const char *run_setting(const struct run *run, const char *name); /* NULL: not set */

/* The same for what is known of the machine. */
int run_add_environment(struct run *run, const char *key, const char *value);
const char *run_environment(const struct run *run, const char *key); /* NULL: not said */

void run_free(struct run *run);

#endif
