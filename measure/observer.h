/*
 * observer: the parent's side of the open connections.
 *
 * It starts a worker for each, wakes at absolute deadlines, reads the worker's
 * counters, closes the interval and reports it.  A connection is ended by
 * shutdown(2), so that a write in progress returns how far it came; a worker
 * that ignores this for a second is killed and its count is a lower bound.
 */
#ifndef MEASURE_OBSERVER_H
#define MEASURE_OBSERVER_H

#include <stddef.h>
#include <stdint.h>

#include <sys/types.h>

struct observed;
struct plan;
struct report;
struct run_connection;
struct run_interval;
struct sock_cause;
struct transfer;
struct watch;
struct watcher;

struct observer {
	const struct plan *plan;
	const struct transfer *transfer;
	struct report *report;
	struct watcher *watcher; /* asks the kernel, when the plan wants that */
	struct observed *open;	 /* the open connections, oldest first */
	size_t count;
	size_t room;
	int failed;  /* one has ended badly, run_has_failed() */
	int gate[2]; /* holds workers back, see observer_hold() */
	int holding;
	/* Told of each interval and of each connection that has ended; may be NULL. */
	void (*on_interval)(const struct run_connection *connection,
			    const struct run_interval *interval, void *context);
	/* A connection is about to end, and its socket as it was. */
	void (*before_end)(const struct run_connection *connection, int fd, void *context);
	/* watch: what the kernel said of it, NULL when it was not asked. */
	void (*on_end)(const struct run_connection *connection, struct watch *watch, void *context);
	/* A child that is none of the observer's has ended; its status of waitpid(2). */
	void (*on_other)(pid_t pid, int status, void *context);
	void *context;
};

/*
 * Make of the plan what workers need, and start the watcher if the plan wants
 * one.  A way without a peer that stands in transfer stays, else it follows
 * from the plan.  -1 with a cause: no memory, no such CPU.
 */
int observer_prepare(struct observer *observer, struct transfer *transfer,
		     struct sock_cause *cause);

/*
 * Start a worker on fd, which the observer keeps (for a pipe: gives up) and
 * closes; -1 where the way has no peer.  Its process, or -1 with errno, and fd
 * is still the caller's.
 */
pid_t observer_add(struct observer *observer, int fd, unsigned int number);

/*
 * Between the two, workers are added but move nothing; then all begin at once,
 * with deadlines in common.  -1 with errno: no pipe to hold them with.
 */
int observer_hold(struct observer *observer);
void observer_go(struct observer *observer);

/* When something is due next, CLOCK_NEVER with nothing open. */
int64_t observer_next(const struct observer *observer);

/* Do what is due: close intervals, end what has lasted long enough. */
void observer_tick(struct observer *observer);

/* Look for workers that have ended, and report their connections; how many. */
int observer_reap(struct observer *observer);

/* Ask all open connections to end, as interrupted; with hurry, leave no second. */
void observer_interrupt(struct observer *observer, int hurry);

/* Kill what is still open, without a word. */
void observer_free(struct observer *observer);

#endif
