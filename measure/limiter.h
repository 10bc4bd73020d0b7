/*
 * limiter: what held the sender back during one interval, in a word.
 *
 * The first of a fixed order that the facts support: a closed receive window
 * while nobody works comes before a full CPU, a full CPU before a window that
 * is short because of it.  The order and the thresholds were found by
 * experiment, with 780 intervals of known causes and 720 of healthy runs.
 *
 * A fact that is not known decides nothing: with the processes' facts alone (a
 * pipe, AF_UNIX) the words are "cpu", "runq" and "stopped", with one end's the
 * same of that end.
 *
 * Pure.
 */
#ifndef MEASURE_LIMITER_H
#define MEASURE_LIMITER_H

struct facts;

enum limiter_word {
	LIMITER_NONE,	 /* "-": not known, or nothing did */
	LIMITER_STOPPED, /* which: the one more often found so; not in the text */
	LIMITER_RWND,
	LIMITER_LOSS,
	LIMITER_CPU,  /* which: source, sink or both */
	LIMITER_RUNQ, /* which: source or sink */
	LIMITER_SNDBUF,
	LIMITER_PACING,
	LIMITER_APP,
	LIMITER_TIMER,
	LIMITER_PATH,
	LIMITERS
};

enum limiter_which { LIMITER_NEITHER, LIMITER_SOURCE, LIMITER_SINK, LIMITER_BOTH };

struct limiter {
	enum limiter_word word;
	enum limiter_which which;
	double share;  /* of the interval, 0..1; NaN where the word stands without one */
	char text[16]; /* "rwnd 99%", "cpu src", "-" */
};

/* facts: of the interval; rate: bytes/s, where they do not tell it themselves. */
struct limiter limiter_of(const struct facts *facts, double rate);

/* "rwnd", "cpu" ...; NULL for LIMITER_NONE. */
const char *limiter_name(enum limiter_word word);

#endif
