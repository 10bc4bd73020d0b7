/*
 * served: a sock_source of our own, started for a run and stopped after it.
 *
 * It is the program that stands beside us, a process like any other: it speaks
 * JSON Lines on a pipe that we read, which tell its version and its port.  It
 * has a process group of its own, so that ^C at a terminal or timeout(1) reach
 * us alone and we end it in order; where the system can (Linux), it dies with
 * us however we die.  A source that nobody is connected to sleeps and prints
 * nothing: many at once cost a process and a descriptor each.
 *
 * Signals are to be caught before it is started (wait.h): who dies without
 * served_stop() may, where it does not die with us, leave it behind.
 */
#ifndef MEASURE_SERVED_H
#define MEASURE_SERVED_H

#include <stddef.h>
#include <sys/types.h>

struct sock_cause;

#define SERVED_PATIENCE_S 5.0 /* until it must have told where it listens */

struct served {
	int transport;	   /* enum plan_transport */
	pid_t pid;	   /* 0: it has ended, and status tells how */
	int status;	   /* of waitpid(2) */
	unsigned int port; /* 0: it has none */
	char host[128];	   /* as a sink says it with -H: an address, a path, "-" */
	char command[512]; /* its command line, for a report */
	int data;	   /* PLAN_FIFO: where its bytes come from, or -1 */
	int lines;	   /* what it prints, or -1 */
	int in_line;	   /* where served_drain() is: 0: between two lines */
	int has_file;	   /* host is one, of ours */
};

/*
 * Start one that speaks through PLAN_TCP (on 127.0.0.1), PLAN_TCP6 (::1),
 * PLAN_UNIX (a socket file that only we may connect to) or PLAN_FIFO (its
 * standard output: one connection, then it ends).  None of the options, NULL
 * behind the last, may say where it listens, nor ask for a text (-H -p -h -V).
 * argv0 is our own: with a slash it tells our directory, without one PATH
 * does; where no sock_source is there, one on PATH is taken.  -1 with a cause:
 * there is none, it is of another version, it did not start (and has said why,
 * on stderr), or has not within patience_s.
 */
int served_start(struct served *served, const char *argv0, char *const *options, int transport,
		 double patience_s, struct sock_cause *cause);

/* The descriptor of data, the caller's from now on; -1: taken, or none. */
int served_take_data(struct served *served);

/*
 * Take what it has printed, so that it never waits for us.  To be called every
 * now and then while it has a connection.  Its complaints, where they come on
 * the same pipe, go to stderr.
 */
void served_drain(struct served *served);

/* Somebody has reaped a child; 1 when it was this. */
int served_reaped(struct served *served, pid_t pid, int status);

/* 1 when it has ended, or is just about to. */
int served_died(const struct served *served);

/* Ask it to end, before it is stopped: many then end together. */
void served_ask_to_end(const struct served *served);

/*
 * End count of them: asked to at once, killed after a second.  Nothing of them
 * is left, whatever they had come to; stopping again does nothing.
 */
void served_stop(struct served *served, size_t count);

#endif
