/*
 * lane: one setting while it is measured: the source that it has, how it is
 * reached, what its workers do, and what has come of it so far.
 *
 * A command without alternatives is one lane.  Lanes of a sweep take turns;
 * those whose settings ask the same of the source share one.
 */
#ifndef MEASURE_LANE_H
#define MEASURE_LANE_H

#include <stddef.h>
#include <sys/types.h>

struct dial;
struct evidence;
struct observer;
struct plan;
struct report_opening;
struct run;
struct run_series;
struct served;
struct sock_cause;
struct sweep_setting;
struct transfer;

struct lane {
	struct plan *plan; /* the sink's */
	const struct sweep_setting *setting;
	struct run *run;
	struct evidence *evidence; /* of run, when it is watched */
	struct transfer *transfer;
	struct dial *dial;
	struct served *served;	/* NULL: a source that was there before us, or none */
	int shares;		/* served is another lane's */
	int is_refused;		/* the kernel does not take its options */
	unsigned int rounds;	/* begun */
	size_t first;		/* series of the round that was begun last */
	unsigned int opened_at; /* number of its first connection */
};

/* -1: no memory; then, and later on, free it with lane_free(). */
int lane_open(struct lane *lane, struct sweep_setting *setting);

/* Ask its source to end, so that many end together, and free it. */
void lane_end(struct lane *lane);
void lane_free(struct lane *lane);

/*
 * Start its source, if it is for us to start one: argv0 is our own.  Where one
 * of the count other lanes has the same it is shared.  -1 with a cause.
 */
int lane_serve(struct lane *lane, struct lane *const *others, size_t count, const char *argv0,
	       struct sock_cause *cause);

/* Find the addresses of its source.  -1 with a cause. */
int lane_find(struct lane *lane, int (*is_interrupted)(void *context), void *context,
	      struct sock_cause *cause);

/*
 * A connection for a worker into fd, -1 where the way has no peer.  refused,
 * of that size: addresses that did not answer.  -1 with a cause.
 */
int lane_connect(struct lane *lane, const char *argv0, struct report_opening *opening,
		 char *refused, size_t size, int *fd, struct sock_cause *cause);

/* What the connection of this number has come to; NULL: it is not of the last round. */
struct run_series *lane_series(const struct lane *lane, unsigned int number);

/*
 * The median of each connection, of each round where several run at once, into
 * *median, to be freed; how many, or -1: no memory.
 */
int lane_medians(const struct lane *lane, double **median, size_t *count);

/* "rwnd": what held most of its connections back; "": not known. */
const char *lane_limiter(const struct lane *lane);

#endif
