/*
 * dial: connect to a source, patiently.
 *
 * All addresses of a name are tried, each once a round; on this host a refusal
 * may mean that the source is only just starting, so it is tried again for a
 * second.  A signal ends the trying.
 */
#ifndef MEASURE_DIAL_H
#define MEASURE_DIAL_H

#include <stddef.h>

struct plan;
struct report_opening;
struct sock_address;
struct sock_cause;

struct dial {
	const struct plan *plan;
	struct sock_address *list; /* where the source may be */
	int addresses;
	int (*is_interrupted)(void *context); /* asked between looks */
	void *context;
};

/* Find the addresses of the plan's host.  -1 with a cause. */
int dial_resolve(struct dial *dial, const struct plan *plan, struct sock_cause *cause);
void dial_free(struct dial *dial);

/*
 * A connection with all that the plan asks for set on it, or standard input
 * for a pipe.  opening gets how it came to be; refused, of that size, the
 * addresses that did not answer.  -1 with a cause; EINTR: interrupted.
 */
int dial_open(const struct dial *dial, struct report_opening *opening, char *refused, size_t size,
	      struct sock_cause *cause);

#endif
