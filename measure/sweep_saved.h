/*
 * sweep_saved: a sweep as its text has it, to be compared with another.
 *
 * The grammar is that of saved.h.  Rates are in MB/s.
 */
#ifndef MEASURE_SWEEP_SAVED_H
#define MEASURE_SWEEP_SAVED_H

#include <stdbool.h>
#include <stddef.h>

#include "stats.h"
#include "sweep_table.h"

struct sweep_saved_row {
	char *label;	/* sweep_label(): "-b 64K -t SO_SNDBUF=32K" */
	double *median; /* of each connection; NULL: only what a row of the table has */
	size_t n;	/* connections; 0: none, or how many is not known */
	size_t room;
	bool has_medians;	    /* as printed, in a "medians" line */
	bool has_rate;		    /* a median is known */
	struct stats_middle middle; /* 0 where it is not; low and high as n allows */
};

struct sweep_saved {
	struct sweep_saved_row *row; /* in the order of the text */
	size_t count;		     /* 0: it is not a sweep */
	size_t room;
};

/* Reading, one line after another. */
struct sweep_reader {
	struct sweep_saved *saved;
	size_t asked; /* connections per setting, 0: not said */
	size_t axes;  /* of the table that is being read, 0: none is */
	size_t words; /* of each row, a bar not counted */
	bool has_interval;
	bool has_count;
	char axis[SWEEP_AXES][64];
};

/*
 * Take a line, without quotes and with single blanks.  1 when it is one of a
 * sweep, 0 when it is not, -1 when there is no memory.
 */
int sweep_saved_take(struct sweep_reader *reader, const char *line);

/* After the last line.  -1: no memory. */
int sweep_saved_finish(struct sweep_reader *reader);

/* What the text of this sweep would give, but for its digits.  -1: no memory. */
int sweep_saved_of(const struct sweep_table *table, struct sweep_saved *saved);

/* NULL: there is none. */
const struct sweep_saved_row *sweep_saved_find(const struct sweep_saved *saved, const char *label);

/* Takes an empty one ({ 0 }), too. */
void sweep_saved_free(struct sweep_saved *saved);

#endif
