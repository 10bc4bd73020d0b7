/*
 * alternatives: one text that stands for several.
 *
 *	number, words	item { "," item }	1K,4K..64K	tcp,unix
 *	options		TEXT, with groups	SO_SNDBUF={4K..64K}
 *	group		"{" item { "," item } "}"
 *	item		low ".." high | any text, with groups of its own
 *
 * low..high doubles: 64..1K is 64,128,256,512,1K.  The upper end is always the
 * last, also where doubling passes over it: 1000..5000 is 1000,2000,4000,5000.
 * Each group multiplies: "{,A} {1,2}" is four texts, the rightmost group varies
 * fastest.  Double quotes protect braces, commas and dots.  Option strings lose
 * separators with nothing to separate.  Texts that say the same ("1K,1024") are
 * merged into the first.  Pure.
 */
#ifndef MEASURE_ALTERNATIVES_H
#define MEASURE_ALTERNATIVES_H

#include <stddef.h>
#include <stdint.h>

struct sock_cause;

#define ALTERNATIVES_MOST 4096
#define ALTERNATIVES_DEPTH 16 /* of braces */

enum alternatives_kind {
	ALTERNATIVES_SIZE,    /* items are numbers by the rules of sock_number() */
	ALTERNATIVES_SECONDS, /* by those of sock_seconds() */
	ALTERNATIVES_WORDS,   /* items are names */
	ALTERNATIVES_OPTIONS  /* an option string: only groups are alternatives */
};

/*
 * A number in a text that a group put there, and that stands for itself: no
 * part of a longer word.
 */
struct alternatives_number {
	size_t offset;
	size_t length;
	double value;
};

struct alternatives_text {
	char *text;
	struct alternatives_number *numbers; /* in the order of the text */
	size_t number_count;
};

struct alternatives {
	struct alternatives_text *texts; /* in the order asked for */
	size_t count;
	uint64_t asked; /* their number before they were merged */
};

/*
 * Take text apart; step is the letter to complain about.  -1 with a cause.
 * Where more than ALTERNATIVES_MOST are asked for, none are made: count is 0,
 * and it is for the caller to say how many there would be in all.
 */
int alternatives_parse(struct alternatives *all, const char *text, enum alternatives_kind kind,
		       const char *step, struct sock_cause *cause);

/*
 * Add a text as one more, unless it is among them: that of model with another
 * number k.  Its index is put into where.  -1: no memory.
 */
int alternatives_add(struct alternatives *all, size_t model, size_t k, double value, size_t *where);

/*
 * 1 when the two texts, with their numbers k blanked, are equal; k SIZE_MAX: as
 * they are.  How a number is written, 1K or 1024, makes no difference.
 */
int alternatives_alike(const struct alternatives_text *a, const struct alternatives_text *b,
		       size_t k);

void alternatives_free(struct alternatives *all);

#endif
