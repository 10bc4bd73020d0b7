/*
 * watch: the samples of one connection, when they are due and what they come to.
 *
 * A sample is asked for (watcher.h) a little before an interval ends, so that
 * it is there when the interval's line is due; the line never waits for it.
 * Two more are asked for near the connection's start: the first, when the
 * peer has accepted, is where the first interval's differences begin; the
 * second, after its first moments (autotuning, slow start), is where those of
 * the connection do.
 */
#ifndef MEASURE_WATCH_H
#define MEASURE_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct facts;
struct facts_sample;
struct plan;
struct sock_address;
struct watch;
struct watcher;
struct watcher_answer;

/*
 * Watch the connection on fd, moved by the process worker; addresses NULL
 * where it is no TCP.  NULL when it cannot be watched.
 */
struct watch *watch_open(struct watcher *watcher, const struct plan *plan, unsigned int connection,
			 int fd, pid_t worker, const struct sock_address *local,
			 const struct sock_address *remote);
void watch_close(struct watch *watch); /* NULL: nothing to close */

/* The connection began at start, and its first interval ends at end; clock.h. */
void watch_begin(struct watch *watch, int64_t start, int64_t end);

/* The next interval ends then; CLOCK_NEVER: there is none. */
void watch_expect(struct watch *watch, int64_t now, int64_t end);

/* When a sample is to be asked for. */
int64_t watch_next(const struct watch *watch);

/* Want one if it is due; 1 when so, and watcher_go() is for the caller. */
int watch_ask(struct watch *watch, int64_t now);

/* What the last interval comes to, 0 where no answer has come since the one before. */
int watch_interval(struct watch *watch, struct facts *facts);

/*
 * The connection without its first moments, as long as two samples are there;
 * else as a whole.  0 where there are none.
 */
int watch_connection(struct watch *watch, struct facts *facts);

/* All samples so far, thinned out when they are many; how many. */
size_t watch_samples(const struct watch *watch, const struct facts_sample **samples);

/* When the connection began, by the clock of the samples. */
double watch_start_s(const struct watch *watch);

/* The newest answer, for what it says of the peer, with the longest asking_s; or NULL. */
const struct watcher_answer *watch_peer(struct watch *watch);

#endif
