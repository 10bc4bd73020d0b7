/*
 * sweep_table: what a sweep comes to, one row per setting.
 *
 * Pure, over the medians of the connections of each setting.  Text and JSON
 * are made from it by figures.h.  Rates are in MB/s.
 */
#ifndef MEASURE_SWEEP_TABLE_H
#define MEASURE_SWEEP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats.h"

#define SWEEP_NO_NEIGHBOUR ((size_t)-1)
#define SWEEP_EMPTY "(none)" /* stands for an empty value */
#define SWEEP_AXES 24	     /* at most: the option letters of both programs */

/* A setting, as measured; all that it points to must outlive the table. */
struct sweep_row {
	const char *const *value; /* of each axis, a word as sweep_word() makes it */
	const double *median;	  /* of its connections, in the order of their start */
	size_t n;		  /* those with an interval that counts */
	const char *limiter;	  /* "": not watched; a word */
	size_t neighbour;	  /* the row with the number before, SWEEP_NO_NEIGHBOUR: none */
	bool is_added;		  /* by the search for cliffs: it is not in the text */
};

/* The sweep that they are of. */
struct sweep_facts {
	const char *const *axis; /* "-b", "-t": words, the columns in front */
	size_t axes;
	size_t asked;	   /* connections per setting, or rounds of them */
	uint64_t parallel; /* connections of a round; 0 or 1: there are none */
	double duration_s; /* of each, 0: not planned */
	uint64_t seed;	   /* of their order */
	bool interrupted;
	bool is_saved; /* the order is not known; asked is what the largest row has */
};

/* What a row comes to. */
struct sweep_line {
	struct stats_middle middle; /* of the connections: n may be 0 */
	bool has_spread;	    /* there is a connection, and none is 0 */
	double spread;		    /* highest over lowest */
	struct stats_groups groups;
	bool has_mark; /* it has a neighbour, and both have connections */
	bool differs;  /* from it: sweep_are_apart(), STATS_CHANGE_MIN */
};

struct sweep_table {
	const struct sweep_facts *facts;
	const struct sweep_row *row;
	size_t rows;
	struct sweep_line *line; /* as many */
	size_t settings;	 /* rows that are not added */
	size_t connections;	 /* of these */
	bool has_scale;		 /* one of these is not 0 */
	double scale_low;	 /* two digits: at most the lowest that is not 0, */
	double scale_high;	 /* and above the highest connection of these */
};

/* -1 when there is no memory; it is then empty.  Free it with sweep_table_free(). */
int sweep_table_make(const struct sweep_facts *facts, const struct sweep_row *row, size_t rows,
		     struct sweep_table *table);

/* Takes an empty one ({ 0 }), too. */
void sweep_table_free(struct sweep_table *table);

/*
 * All of a lie above or below all of b, and the medians are at least so many
 * times apart.  False where one is empty.
 */
bool sweep_are_apart(const struct stats_middle *a, const struct stats_middle *b, double times);

/* How many of size characters a bar has, 0 where the median is 0 or unknown. */
int sweep_bar(const struct sweep_table *table, const struct sweep_line *line, int size);

/*
 * A value as one word, to be freed: blanks and commas, which separate options,
 * become one comma, what is not printable ASCII a "?", and nothing SWEEP_EMPTY.
 * NULL: no memory.
 */
char *sweep_word(const char *value);

/*
 * What a setting is called, to be freed: "-b 64K -t SO_SNDBUF=32K".  It is the
 * same in the text of every sweep with these axes.  NULL: no memory.
 */
char *sweep_label(const char *const *axis, const char *const *value, size_t axes);

#endif
