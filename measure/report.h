/*
 * report: the only formatter.  Text and JSON Lines are made from the same
 * structs; nothing here touches a socket or reads a clock.
 *
 * The text is that of the mail of 1998 where the mail has a line for it.
 * Every line is flushed by itself, also into a pipe or a file.  A write that
 * fails is remembered: report_broken().
 */
#ifndef MEASURE_REPORT_H
#define MEASURE_REPORT_H

#include <stdio.h>

struct facts;
struct plan;
struct run_connection;
struct run_interval;
struct settings;
struct sock_address;
struct sock_cause;
struct watcher_answer;

struct report {
	FILE *out;
	const char *program;
	const struct plan *plan;
	int broken;	   /* errno of the first failed write, or 0 */
	int progress;	   /* a line of progress stands on the terminal */
	int quiet;	   /* no lines of connections: a table will stand for them */
	char setting[128]; /* of a sweep, whose turn it is, or "" */
};

/* How a connection came to be. */
struct report_opening {
	unsigned int number;
	int is_net; /* addresses below are known */
	const struct sock_address *local;
	const struct sock_address *peer;
	unsigned int tries;  /* 0: it was accepted */
	double elapsed_s;    /* of trying */
	const char *refused; /* addresses tried before this one, or "" */
	long worker;	     /* process, 0: not yet known */
};

/* The source's lines go to stderr when its data goes to stdout. */
void report_open(struct report *report, const char *program, const struct plan *plan);

/* errno of a failed write, 0 when all is well. */
int report_broken(const struct report *report);

/* The header, always the first line; port: the one in use. */
void report_start(struct report *report, unsigned int port);
/* The source of our own: its command line, or that of all settings of a sweep. */
void report_source(struct report *report, const char *command);

/* A setting of a sweep has its turn; label: "-b 64K -t SO_SNDBUF=32K". */
void report_setting(struct report *report, const char *label);

void report_listening(struct report *report, const struct sock_address *list, int count);
void report_waiting(struct report *report);
void report_accepted(struct report *report);

/* With warnings at the first connection where it was given less than asked. */
void report_opened(struct report *report, const struct report_opening *opening,
		   const struct settings *settings);

/* Who is at the other end; answer NULL: the kernel could not be asked. */
void report_peer(struct report *report, unsigned int connection, int prefix,
		 const struct watcher_answer *answer);

/*
 * prefix: connections are open at once, so say which this is.  facts: what the
 * kernel said of the interval, NULL: not known.
 */
void report_interval(struct report *report, const struct run_connection *connection,
		     const struct run_interval *interval, int prefix, const struct facts *facts);

/* The sum of the connections of a round, each by its own time. */
void report_sum(struct report *report, unsigned int round, double rate);

/* How far a run is; only where stderr is a terminal, gone with the next line. */
void report_progress(struct report *report, const char *text);

void report_ended(struct report *report, const struct run_connection *connection);

/* Complaints, on stderr; an error is an event too. */
void report_error(struct report *report, const struct sock_cause *cause);
void report_warning(const struct report *report, const char *sentence);

/* Lines that others have put into report->out end here. */
void report_flush(struct report *report);

#endif
