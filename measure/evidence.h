/*
 * evidence: what the kernel said of each connection of a run, kept beside the
 * rates for what is explained at its end.
 */
#ifndef MEASURE_EVIDENCE_H
#define MEASURE_EVIDENCE_H

#include <stddef.h>

struct facts;
struct facts_sample;
struct netcount;
struct run_connection;
struct watch;

/* One connection; all that is not known is NULL. */
struct evidence_connection {
	unsigned int number;
	double rate;		      /* MB/s, of the whole connection */
	struct facts *facts;	      /* without its first moments */
	struct facts_sample *samples; /* over time, sample_count of them */
	size_t sample_count;
	double start_s;	     /* when it began, by the clock of the samples */
	double delayed_acks; /* of the whole namespace, per second; NaN: not known */
	double timeouts;     /* of the whole namespace, TCPTimeouts; NaN: not known */
};

struct evidence {
	struct evidence_connection *connection; /* in the order of their numbers */
	size_t count;
	size_t room;
	size_t samples;	    /* kept of all connections */
	char *peer_command; /* of the first connection whose peer was seen */
	double asking_s;    /* the longest time that a question waited */
	double cpu_s;	    /* of the watcher; NaN: there was none */
};

/*
 * Keep what the watch (NULL: nothing) of a connection that has ended knows.
 * before, after: the namespace's counters at its start and end.  -1: no
 * memory.
 */
int evidence_add(struct evidence *evidence, const struct run_connection *connection,
		 struct watch *watch, const struct netcount *before, const struct netcount *after);
void evidence_free(struct evidence *evidence);

#endif
