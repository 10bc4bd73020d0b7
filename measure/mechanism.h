/*
 * mechanism: known ways for TCP on one host to be slow, recognised by evidence.
 *
 * A table of pure functions over the facts of one connection.  A rule fires
 * only on its evidence and says it with its numbers; on a healthy connection
 * none fires.  Thresholds were fixed before they were tried on 340 other runs.
 * Where two explain each other the one that is not the consequence is kept.
 *
 * Evidence is yes, no or unknown, since a fact may not be known; "unless" asks
 * for a no.  So a rule that cannot be judged neither fires nor lets another
 * one fire that depends on its absence.
 *
 * Pure.
 */
#ifndef MEASURE_MECHANISM_H
#define MEASURE_MECHANISM_H

#include <stddef.h>

struct facts;

/* One connection; what is not known is NaN. */
struct mechanism_input {
	const struct facts *facts; /* without its first moments */
	double rate;		   /* bytes/s over the same time, facts_rate() */
	double sink_pause_s;	   /* sleep after each read, -D of the sink; NaN: not ours */
	double source_pause_s;
	double rcvbuf_asked;   /* bytes, SO_RCVBUF at the sink; NaN: not set, not ours */
	int rcvbuf_is_late;    /* it was set after connect() */
	double delayed_acks;   /* DelayedACKs of the whole namespace per second */
	double timeouts;       /* TCPTimeouts of it; stands in where FACT_RTOS is not known */
	unsigned int parallel; /* connections of the run that are open at once */
	double throttled;      /* times that the source's or sink's cgroup was throttled */
};

#define MECHANISM_SENTENCE 512
#define MECHANISMS_MAX 16

/* In this order, so that "and" is the least of several and "or" the most. */
enum mechanism_evidence { MECHANISM_NO, MECHANISM_UNKNOWN, MECHANISM_YES };

struct mechanism_rule {
	const char *name;   /* "window-below-segment", as in JSON and the manual page */
	const char *title;  /* "receive window below one segment" */
	const char *source; /* kernel functions, RFC sections: each confirmed, or left out */
	enum mechanism_evidence (*evidence)(const struct mechanism_input *input);
	/* Where that is yes: with its numbers, of which those not known are left out. */
	void (*say)(const struct mechanism_input *input, char *sentence, size_t size);
};

/* The rules in the order of printing; NULL behind the last, MECHANISMS_MAX or fewer. */
const struct mechanism_rule *mechanism_rule(size_t index);

struct mechanism_hit {
	const struct mechanism_rule *rule;
	char sentence[MECHANISM_SENTENCE];
};

/* All that fire, at most MECHANISMS_MAX; how many. */
size_t mechanism_find(const struct mechanism_input *input, struct mechanism_hit *hits);

#endif
