/*
 * saved_line: one line of a saved text, and the values of a header.
 *
 * The grammar is that of saved.h.  Lines come without quotes and with single
 * blanks.  Pure: nothing is kept between two lines.
 */
#ifndef MEASURE_SAVED_LINE_H
#define MEASURE_SAVED_LINE_H

/* Who wrote a line, bits. */
enum saved_writer { SAVED_SINK = 1, SAVED_SOURCE = 2, SAVED_BOTH = 3 };

enum saved_kind {
	SAVED_EMPTY,
	SAVED_FOREIGN,
	SAVED_HEADER, /* or the beginning of a broken one */
	SAVED_SETTING,
	SAVED_WAITING,
	SAVED_ACCEPTED,
	SAVED_INTERVAL,
	SAVED_SUM,
	SAVED_END
};

struct saved_item {
	enum saved_kind kind;
	const char *text;    /* HEADER: from its first key on */
	unsigned int number; /* of the connection, 0: not said */
	unsigned int writer; /* END */
	double length_s;     /* below 0: not said */
	double rate;	     /* INTERVAL: MB/s */
	int counts;	     /* it is not partial nor a warm-up */
	int is_late;
	int is_done; /* END: its time was up */
};

enum saved_setting {
	SAVED_OPTIONS,
	SAVED_EARLY,
	SAVED_BLOCK,
	SAVED_INTERVAL_S,
	SAVED_WARM_UP,
	SAVED_CPU,
	SAVED_SOURCE_LINE,
	SAVED_SETTINGS
};

extern const char *const saved_setting_names[SAVED_SETTINGS];

/* What a line is; the item points into text. */
void saved_classify(const char *text, struct saved_item *item);

/* What follows prefix in text, NULL where text begins otherwise. */
const char *saved_after(const char *text, const char *prefix);

/* What stands behind "NAME=", NULL where text does not begin with that. */
const char *saved_after_key(const char *text, enum saved_setting setting);

/* 1 when a bracket of a header is open at its end: it goes on. */
int saved_is_open(const char *text);

/*
 * Cut a whole header, which is changed, into its values; those not in it are
 * NULL.  -1 where it is none.
 */
int saved_take_header(char *text, const char *value[SAVED_SETTINGS]);

/* A time by a header, 0 where it says none. */
double saved_header_seconds(const char *value);

#endif
