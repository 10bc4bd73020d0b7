/*
 * watcher: a process of its own that asks the kernel about the connections.
 *
 * Asking for a sender's state waits for the call that it is in, up to 0.3 s
 * behind a large write, and nothing can interrupt that: so not the observer
 * asks, whose lines must be in time, but a child of it.  Questions go through
 * a socket, with a copy of the connection; answers come back in memory that
 * both share.  What has not been answered in time is unknown then.
 *
 * It looks at /proc first, at receivers next and at senders, which it may have
 * to wait for, last; each answer has its own time.
 */
#ifndef MEASURE_WATCHER_H
#define MEASURE_WATCHER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct facts_sample;
struct sock_address;
struct watcher_slot;

#define WATCHER_SLOTS 4096   /* connections at once; further ones are not watched */
#define WATCHER_COMMAND 1024 /* of a command line; longer ones are cut */

enum watcher_peer {
	WATCHER_PENDING,   /* not yet looked for, or not yet accepted */
	WATCHER_SEEN,	   /* its socket; its process when peer_pid is above 0 */
	WATCHER_NOT_FOUND, /* on another host, in another network namespace, or gone */
	WATCHER_NOT_PERMITTED,
	WATCHER_NO_ROOM, /* there are no descriptors left to look with */
	WATCHER_GONE,	 /* the watcher is */
	WATCHER_NOT_HERE /* no TCP, or this system cannot tell */
};

/* What comes with a sample. */
struct watcher_answer {
	unsigned int connection;
	enum watcher_peer peer;
	pid_t peer_pid;
	int peer_is_sure;		    /* it was looked for again */
	char peer_command[WATCHER_COMMAND]; /* "": not known */
	double asking_s;		    /* how long the sender's state was waited for */
	double cpu_s;			    /* of the watcher, so far */
};

struct watcher {
	int fd;	  /* -1: there is none */
	int gone; /* it has ended before its time */
	pid_t pid;
	struct watcher_slot *slots;
};

/*
 * Start it; own: the end that this program has, enum facts_end.  -1 with
 * errno, and every call below does nothing then.
 */
int watcher_start(struct watcher *watcher, int own);
void watcher_stop(struct watcher *watcher);

/*
 * Watch a connection of the worker pid; addresses NULL where it is no TCP.  The
 * slot to speak of it, or -1 when it cannot be watched.
 */
int watcher_add(struct watcher *watcher, unsigned int connection, int fd, pid_t pid,
		const struct sock_address *local, const struct sock_address *remote);
void watcher_drop(struct watcher *watcher, int slot);

/* Want a new answer of this slot; watcher_go() starts all that are wanted. */
void watcher_want(struct watcher *watcher, int slot);
void watcher_go(struct watcher *watcher);

/* 1 and the newest answer where it is newer than *sequence, which it sets. */
int watcher_take(const struct watcher *watcher, int slot, unsigned int *sequence,
		 struct watcher_answer *answer, struct facts_sample *sample);

#endif
