/*
 * settings: what was asked of a connection's socket, when, and what it got.
 *
 * When an option is set is part of the experiment (the window scale is agreed
 * in the SYN, RFC 7323), so each row says it.
 */
#ifndef MEASURE_SETTINGS_H
#define MEASURE_SETTINGS_H

#include <stddef.h>

struct mechanism_input;
struct plan;
struct sock_cause;

#define SETTINGS_TEXT 32

struct settings_row {
	const char *name;
	int is_number; /* the texts below are JSON numbers */
	int early;
	char asked[SETTINGS_TEXT];
	char fresh[SETTINGS_TEXT];   /* a socket with nothing set; "" unknown */
	char granted[SETTINGS_TEXT]; /* the connection now; "" unknown */
	char warning[160];	     /* one sentence where less was given, or "" */
};

struct settings {
	struct settings_row *rows;
	size_t count;
};

/* Read all that the plan asks for back from the connection fd.  -1: no memory. */
int settings_read(struct settings *settings, const struct plan *plan, int fd,
		  struct sock_cause *cause);
void settings_free(struct settings *settings);

/* What a sink set itself that tells one mechanism from another; all else is unknown. */
void settings_ours(const struct plan *plan, struct mechanism_input *ours);

#endif
