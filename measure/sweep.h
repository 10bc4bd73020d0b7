/*
 * sweep: a command line with alternatives as settings to be measured side by
 * side, each with its own command line for the sink and for the source.
 *
 * The options of sock_sink that take alternatives (see alternatives.h) are -b,
 * -C, -D, -e, -t and -x, behind "--" the first five of the source; -z of the
 * sink and -S of the source given twice mean without and with.  The rightmost
 * on the command line varies fastest.  A command line without alternatives is
 * one setting.  Pure: it makes no socket, and all that is wrong with any of the
 * settings is found before there is one.
 */
#ifndef MEASURE_SWEEP_H
#define MEASURE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "alternatives.h"
#include "plan.h"

struct sock_cause;

#define SWEEP_MOST ALTERNATIVES_MOST /* settings that can be asked for */
#define SWEEP_NONE SIZE_MAX

/* An option of the command line. */
struct sweep_word {
	char letter;
	char option[3]; /* "-b" */
	int of_source;
	char *argument;		   /* as given; NULL: it takes none */
	struct alternatives texts; /* of argument, where it may have some */
	int both;		   /* given twice: without and with it */
	size_t axis;		   /* SWEEP_NONE: it does not vary */
};

/* An option that varies: a column of the table. */
struct sweep_axis {
	char letter;
	int of_source;
	char name[16]; /* "-b"; "source-b" where both sides vary it */
	struct sweep_word *word;
};

struct sweep_setting {
	size_t *choice; /* for each axis, which of its texts */
	char **labels;	/* for each axis, that text as one word of ASCII */
	int sink_argc;
	char **sink_argv; /* ends with NULL */
	struct plan sink;
	int source_argc; /* 0 without -s */
	char **source_argv;
	struct plan source; /* all 0 without -s */
};

struct sweep {
	struct sweep_setting **settings; /* a setting stays where it is */
	size_t count;
	size_t asked; /* of these by the command line; the others were added */
	struct sweep_axis *axes;
	size_t axis_count;
	struct sweep_word *words;
	size_t word_count;
	char *program; /* argv[0] */
};

/*
 * Take the command line of a sink apart.  -1 with a cause.  With -h, -V or
 * "-t help" there is one setting, whose sink.ask tells.  The plans point into
 * argv, which must outlive them.
 */
int sweep_parse(struct sweep *sweep, int argc, char **argv, struct sock_cause *cause);

/* The last number of a setting that is a quantity, SWEEP_NONE: it has none. */
size_t sweep_fastest(const struct sweep *sweep, size_t setting);

/* What a setting has in common with those that differ in this number; to be freed. */
char *sweep_label_around(const struct sweep *sweep, size_t setting, size_t number);

/* What a setting is called, "-b 64K -t SO_SNDBUF=32K"; to be freed.  NULL: no memory. */
char *sweep_label_of(const struct sweep *sweep, size_t setting);

/* What sweep_parse() got, also where it failed. */
void sweep_free(struct sweep *sweep);

/*
 * Add the setting with these texts of the axes, unless there is one; which says
 * where it is.  -1 with a cause.
 */
int sweep_add(struct sweep *sweep, const size_t *choice, size_t *which, struct sock_cause *cause);

/* A number of a setting that comes from alternatives. */
struct sweep_number {
	size_t axis;
	size_t index;  /* among those of the axis' text */
	char name[32]; /* "SO_SNDBUF", "-b" */
	double value;
	double step; /* the least difference that matters; 0: it is no quantity */
};

/* The number number of a setting; 0 behind the last. */
int sweep_number(const struct sweep *sweep, size_t setting, size_t number,
		 struct sweep_number *found);

/*
 * The settings that differ from this one in one number only, and have the next
 * lower and the next higher value of it; SWEEP_NONE where there is none.  -1
 * where the setting has no such number.
 */
int sweep_neighbours(const struct sweep *sweep, size_t setting, size_t number, size_t *below,
		     size_t *above);

/*
 * The setting that lies between two that differ in this number only, with this
 * value, rounded to its step.  It is added unless it is there already; which
 * says where.  1 where no such value lies between the two; -1 with a cause.
 */
int sweep_between(struct sweep *sweep, size_t a, size_t b, size_t number, double value,
		  size_t *which, struct sock_cause *cause);

/*
 * The order of one repetition: each of the settings once, shuffled anew for
 * each repetition of each seed, and always the same for these.
 */
void sweep_round(uint64_t seed, uint64_t repetition, size_t settings, size_t *order);

#endif
