/* Saved output: see saved.h. */
#include "saved.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../socklib.h"
#include "run.h"
#include "saved_line.h"
#include "saved_machine.h"
#include "sweep_saved.h"

#define LINE_SIZE 65536	     /* what is beyond is not looked at */
#define HEADER_LINES 100     /* that a broken header may have */
#define DEFAULT_INTERVAL_S 2 /* since 1998 */
#define PARTIAL_BELOW 0.9    /* a shorter remainder is not printed */
#define NONE SIZE_MAX

/* What is known of a series of the run besides, under the same index. */
struct slot {
	unsigned int number;
	int is_named;	      /* number was printed with an interval or its end */
	unsigned int ended;   /* by these programs */
	unsigned int accepts; /* so many "accepted" when it began, or ended */
	size_t next;	      /* of the same bucket, NONE: the last */
	double interval_s;    /* by its header, 0: not said */
	double length_s;      /* by its end, below 0: not said */
	double known_s;	      /* of it in intervals that say their length */
	double gap_s;	      /* of that since the last whole interval */
	size_t late;	      /* intervals in known_s that count */
	int after_late;	      /* the last that counted is in gap_s */
};

struct reader {
	struct run *run;
	char line[LINE_SIZE];
	size_t length;
	int blank;    /* one is due before the next character */
	int after_cr; /* which has ended the line */
	char control; /* what a sequence for the terminal has so far, or 0 */
	char header[LINE_SIZE];
	unsigned int header_lines; /* in header, 0: none is being read */
	struct saved_machine machine;
	int in_report;		   /* between the first and the last line of one (bugreport.h) */
	int is_section;		   /* a section of it that is not its lines */
	int is_known;		   /* the line is of such a section, or a title */
	struct sweep_reader sweep; /* saved NULL: its lines are foreign */

	struct slot *slot; /* as many as series */
	size_t room;
	size_t *bucket; /* the latest slot of these numbers, NONE: none */
	size_t buckets;
	size_t first;	   /* slots before it are of an earlier header */
	size_t lowest;	   /* slots before it have ended */
	size_t unended[3]; /* the same by writer */

	unsigned int base;    /* added to a printed number: used by earlier headers */
	unsigned int highest; /* number so far */
	unsigned int round;
	unsigned int open; /* slots */
	unsigned int accepts;
	unsigned int writers; /* seen so far */
	unsigned int headers; /* their writers */
	int is_ours;	      /* the original wrote no [N] and no ends */
	double interval_s;    /* by the last header, 0: not said */
	double done_s;	      /* length of connections that were done, 0: none */
	int done_differs;
};

/* ---- headers ---- */

/* The line goes on with the header that is being read. */
static int continues(const struct reader *reader, const struct saved_item *item)
{
	const char *header = reader->header, *line = reader->line;

	if (reader->header_lines == 0 || reader->header_lines == HEADER_LINES ||
	    strlen(header) + 1 + reader->length >= LINE_SIZE)
		return 0;
	if (saved_is_open(header))
		return item->kind == SAVED_FOREIGN;
	if (!strstr(header, "options=[") && !saved_after(header, "source=["))
		return saved_after(line, "options=[") ||
		       (saved_after(line, "port=") && !strstr(header, "port="));
	for (int i = SAVED_EARLY; i < SAVED_SETTINGS; i++)
		if (saved_after_key(line, (enum saved_setting)i))
			return 1;
	return 0;
}

/* One more header has this value, or NULL: none. */
static int merge_setting(struct run *run, const char *name, const char *value, int is_first)
{
	const char *old = run_setting(run, name);

	if (is_first || (old && value && strcmp(old, value) == 0))
		return value ? run_set(run, name, value) : 0;
	return old || value ? run_set(run, name, SAVED_VARIOUS) : 0;
}

static int apply_settings(struct reader *reader, const char *value[], unsigned int writer)
{
	struct run *run = reader->run;
	int is_first = !(reader->headers & writer);

	reader->headers |= writer;
	if (value[SAVED_SOURCE_LINE] &&
	    merge_setting(run, "source", value[SAVED_SOURCE_LINE], !run_setting(run, "source")))
		return -1;
	if (writer == SAVED_SOURCE)
		return merge_setting(run, "source options",
				     *value[SAVED_OPTIONS] ? value[SAVED_OPTIONS] : NULL, is_first);
	for (int i = 0; writer == SAVED_SINK && i < SAVED_SOURCE_LINE; i++)
		if (merge_setting(run, saved_setting_names[i], value[i], is_first))
			return -1;
	return 0;
}

static void note_writer(struct reader *reader, unsigned int writer)
{
	reader->writers |= writer;
	reader->run->both_wrote = reader->writers == SAVED_BOTH;
}

/* Connections before a header have nothing to do with those after it. */
static void begin_session(struct reader *reader, const char *value[], unsigned int writer)
{
	reader->first = reader->run->count;
	reader->open = 0;
	/* Numbers beyond belief begin again rather than overflow. */
	reader->base = reader->highest < UINT_MAX / 2 ? reader->highest : 0;
	reader->interval_s = saved_header_seconds(value[SAVED_INTERVAL_S]);
	if (writer == SAVED_SINK)
		reader->run->warm_up_s = saved_header_seconds(value[SAVED_WARM_UP]);
}

/* The header is complete, or will never be. */
static int finish_header(struct reader *reader)
{
	const char *value[SAVED_SETTINGS];
	unsigned int lines = reader->header_lines;
	unsigned int writer = saved_after(reader->header, "host=")     ? SAVED_SINK
			      : saved_after(reader->header, "source=") ? 0
								       : SAVED_SOURCE;

	if (lines == 0)
		return 0;
	reader->header_lines = 0;
	if (saved_is_open(reader->header) || saved_take_header(reader->header, value)) {
		reader->run->passed_over += lines;
		return 0;
	}
	if (writer) {
		note_writer(reader, writer);
		begin_session(reader, value, writer);
	}
	return apply_settings(reader, value, writer);
}

static void add_to_header(struct reader *reader, const char *text)
{
	size_t n = reader->header_lines ? strlen(reader->header) : 0;

	if (n)
		reader->header[n++] = ' ';
	memcpy(reader->header + n, text, strlen(text) + 1);
	reader->header_lines++;
}

/* ---- connections ---- */

static size_t *bucket_of(const struct reader *reader, unsigned int number)
{
	/* They are dense, and buckets a power of two. */
	return &reader->bucket[number & (reader->buckets - 1)];
}

static void link_slot(struct reader *reader, size_t at)
{
	size_t *bucket = bucket_of(reader, reader->slot[at].number);

	reader->slot[at].next = *bucket;
	*bucket = at;
}

/* The latest slot that was named so since the last header. */
static size_t find_slot(const struct reader *reader, unsigned int number)
{
	size_t at = reader->buckets ? *bucket_of(reader, number) : NONE;

	while (at != NONE && reader->slot[at].number != number)
		at = reader->slot[at].next;
	return at == NONE || at < reader->first ? NONE : at;
}

/* Room for one more slot, and a bucket for each. */
static int grow_slots(struct reader *reader)
{
	size_t room = reader->room ? 2 * reader->room : 16;
	struct slot *slot;
	size_t *bucket;

	if (reader->run->count < reader->room)
		return 0;
	slot = realloc(reader->slot, room * sizeof(*slot));
	if (slot)
		reader->slot = slot;
	bucket = slot ? realloc(reader->bucket, room * sizeof(*bucket)) : NULL;
	if (!bucket)
		return -1;
	reader->bucket = bucket;
	reader->room = reader->buckets = room;
	for (size_t i = 0; i < room; i++)
		bucket[i] = NONE;
	for (size_t i = reader->first; i < reader->run->count; i++)
		if (slot[i].is_named)
			link_slot(reader, i);
	return 0;
}

/* Find the slot by this number from now on; of two programs' it is not shown. */
static void name_slot(struct reader *reader, size_t at, unsigned int number)
{
	reader->slot[at].number = number;
	reader->slot[at].is_named = 1;
	link_slot(reader, at);
	if (reader->run->both_wrote)
		return;
	reader->run->series[at].number = number;
	if (number > reader->highest)
		reader->highest = number;
}

/*
 * Begin a connection; number 0: none was printed.  A number that has been used
 * finds the new connection, but that is shown under another.  NONE: no memory.
 */
static size_t open_slot(struct reader *reader, unsigned int number)
{
	struct run *run = reader->run;
	size_t at = run->count;
	int is_free = number && !run->both_wrote && find_slot(reader, number) == NONE;
	unsigned int shown = is_free ? number : reader->highest + 1;

	if (grow_slots(reader))
		return NONE;
	reader->round += reader->open == 0;
	if (!run_add_series(run, shown, reader->round))
		return NONE;
	reader->slot[at] = (struct slot){ .number = number ? number : shown,
					  .is_named = number > 0,
					  .accepts = reader->accepts,
					  .interval_s = reader->interval_s,
					  .length_s = -1 };
	if (number)
		link_slot(reader, at);
	if (shown > reader->highest)
		reader->highest = shown;
	if (++reader->open > run->parallel)
		run->parallel = reader->open;
	return at;
}

static void close_slot(struct reader *reader, size_t at, unsigned int writer)
{
	struct slot *slot = &reader->slot[at];

	if (!slot->ended)
		reader->open -= reader->open > 0;
	slot->ended |= writer;
	slot->accepts = reader->accepts;
}

/* Of two programs' ends the first may be followed by the other's last interval. */
static int is_closed(const struct reader *reader, size_t at)
{
	const struct slot *slot = &reader->slot[at];

	if (at < reader->first || slot->ended == SAVED_BOTH)
		return 1;
	return slot->ended && (!reader->run->both_wrote || slot->accepts != reader->accepts);
}

/* The first connection that has not ended, NONE: none. */
static size_t lowest_slot(struct reader *reader)
{
	if (reader->lowest < reader->first)
		reader->lowest = reader->first;
	while (reader->lowest < reader->run->count && is_closed(reader, reader->lowest))
		reader->lowest++;
	return reader->lowest < reader->run->count ? reader->lowest : NONE;
}

/* The first that this program has not ended, NONE: none. */
static size_t unended_slot(struct reader *reader, unsigned int writer)
{
	size_t *at = &reader->unended[writer - 1];

	if (*at < reader->first)
		*at = reader->first;
	while (*at < reader->run->count &&
	       ((reader->slot[*at].ended & writer) == writer || is_closed(reader, *at)))
		++*at;
	return *at < reader->run->count ? *at : NONE;
}

/* Whose number has not been printed yet: the lowest one, if any. */
static size_t unnamed_slot(struct reader *reader, unsigned int number)
{
	size_t at = lowest_slot(reader);

	if (at == NONE || reader->slot[at].is_named || number < reader->slot[at].number)
		return NONE;
	return at;
}

/* Of an interval "[N] ", or without. */
static size_t slot_of_interval(struct reader *reader, unsigned int printed)
{
	unsigned int number = reader->base + printed;
	size_t at = printed ? find_slot(reader, number) : lowest_slot(reader);

	if (printed) {
		reader->is_ours = 1;
		if (at != NONE && !is_closed(reader, at))
			return at;
		at = unnamed_slot(reader, number);
		if (at == NONE)
			return open_slot(reader, number);
		name_slot(reader, at, number);
		return at;
	}
	if (at != NONE && !reader->is_ours && reader->slot[at].accepts != reader->accepts) {
		close_slot(reader, at, SAVED_BOTH);
		at = NONE;
	}
	return at == NONE ? open_slot(reader, 0) : at;
}

/* Of an end; NONE where it is of no connection with an interval. */
static size_t slot_of_end(struct reader *reader, const struct saved_item *end)
{
	unsigned int number = reader->base + end->number;
	size_t at = find_slot(reader, number);

	if (at != NONE && (reader->slot[at].ended & end->writer) != end->writer)
		return at;
	if (reader->run->both_wrote)
		return unended_slot(reader, end->writer);
	at = lowest_slot(reader);
	if (at == NONE || reader->slot[at].is_named)
		return NONE;
	if (number >= reader->slot[at].number)
		name_slot(reader, at, number);
	return at;
}

static void note_done(struct reader *reader, double length)
{
	if (reader->done_s > 0 && fabs(length - reader->done_s) > 0.01 * reader->done_s)
		reader->done_differs = 1;
	if (reader->done_s <= 0)
		reader->done_s = length;
}

static int add_end(struct reader *reader, const struct saved_item *end)
{
	size_t at;

	if (end->writer != SAVED_BOTH)
		note_writer(reader, end->writer);
	reader->is_ours = 1;
	at = slot_of_end(reader, end);
	/* It was too short for an interval; of two ends one is enough. */
	if (at == NONE && end->length_s >= 0 && !reader->run->both_wrote) {
		unsigned int number = reader->base + end->number;

		at = open_slot(reader, number > reader->highest ? number : 0);
		if (at == NONE)
			return -1;
	}
	if (at == NONE)
		return 0;
	close_slot(reader, at, end->writer);
	if (end->length_s >= 0)
		reader->slot[at].length_s = end->length_s;
	if (end->is_done && end->length_s > 0)
		note_done(reader, end->length_s);
	return 0;
}

/* ---- intervals ---- */

/*
 * How long an interval was planned may be known only at the end of the text.
 * Until then start_s holds what is said of the time since the interval before:
 * that much was between them, or if negative, from the beginning of that one.
 */
static double step_to(const struct slot *slot)
{
	return slot->after_late ? -slot->gap_s : slot->gap_s;
}

static int add_interval(struct reader *reader, const struct saved_item *interval)
{
	size_t at = slot_of_interval(reader, interval->number);
	struct slot *slot;
	double length = interval->length_s;

	if (at == NONE)
		return -1;
	slot = &reader->slot[at];
	if (interval->counts) {
		if (run_add_rate(&reader->run->series[at], interval->rate, step_to(slot)))
			return -1;
		slot->gap_s = 0;
		slot->after_late = interval->is_late && length > 0;
		slot->late += (size_t)slot->after_late;
	} else if (length < 0) {
		length = reader->run->warm_up_s;
	}
	if (!interval->counts || slot->after_late) {
		slot->gap_s += length;
		slot->known_s += length;
	}
	return 0;
}

/* What was planned, by a measured length: the plainest number near to it. */
static double plain(double seconds)
{
	char text[32];

	for (int digits = 1; digits <= 3; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, seconds);
		if (fabs(strtod(text, NULL) - seconds) <= 0.005 * seconds)
			return strtod(text, NULL);
	}
	return seconds;
}

/*
 * The planned length of intervals by how long their connections were.  What
 * remained at an end is not printed, so by each it is within limits.
 */
static double interval_by_ends(const struct reader *reader)
{
	double low = 0, high = 0;

	for (size_t i = 0; i < reader->run->count; i++) {
		const struct slot *slot = &reader->slot[i];
		size_t whole = reader->run->series[i].count - slot->late;
		double length = slot->length_s - slot->known_s;

		if (slot->interval_s > 0 || slot->length_s < 0 || length <= 0 || whole == 0)
			continue;
		low = fmax(low, length / ((double)whole + PARTIAL_BELOW));
		high = high > 0 ? fmin(high, length / (double)whole) : length / (double)whole;
	}
	if (low <= 1.01 * DEFAULT_INTERVAL_S && DEFAULT_INTERVAL_S <= 1.01 * high)
		return DEFAULT_INTERVAL_S;
	return plain(high);
}

/* From steps to times since the connection began; interval 0: not known. */
static void set_starts(struct run_series *series, double interval, double share)
{
	double at = 0;

	for (size_t i = 0; i < series->count; i++) {
		double step = series->start_s[i];

		at += step < 0 ? -step : step + (i ? interval : 0);
		series->start_s[i] = interval > 0 ? share * at : -1;
	}
}

static void finish_run(struct reader *reader, double told)
{
	struct run *run = reader->run;
	int is_hidden = run->both_wrote && told <= 0;
	double rest = told > 0 ? told : interval_by_ends(reader);

	for (size_t i = 0; i < run->count; i++) {
		double interval = reader->slot[i].interval_s;

		interval = is_hidden ? 0 : interval > 0 ? interval : rest;
		set_starts(&run->series[i], interval, run->both_wrote ? 0.5 : 1);
		if (i == 0 || interval < run->interval_s || interval > run->interval_s)
			run->interval_s = i ? 0 : interval;
	}
	run->duration_s = reader->done_differs ? 0 : plain(reader->done_s);
}

/* ---- the text ---- */

static int apply(struct reader *reader, const struct saved_item *item)
{
	switch (item->kind) {
	case SAVED_HEADER:
	case SAVED_SETTING: add_to_header(reader, item->text); break;
	case SAVED_WAITING: note_writer(reader, SAVED_SOURCE); break;
	case SAVED_ACCEPTED:
		note_writer(reader, SAVED_SOURCE);
		reader->accepts++;
		break;
	case SAVED_INTERVAL: return add_interval(reader, item);
	case SAVED_END: return add_end(reader, item);
	case SAVED_FOREIGN: reader->run->passed_over += !reader->is_known; break;
	case SAVED_EMPTY:
	case SAVED_SUM: break;
	}
	return 0;
}

/*
 * Other lines of a report of ours are known, and not what somebody should look
 * into; but those among its intervals are.
 */
static int is_known(struct reader *reader)
{
	const char *line = reader->line;
	int was_in_report = reader->in_report;

	if (saved_after(line, "==== socklib report"))
		reader->in_report = reader->is_section = 1;
	else if (!was_in_report)
		return 0;
	else if (saved_after(line, "==== end"))
		reader->in_report = 0;
	else if (saved_after(line, "---- "))
		reader->is_section = strcmp(line, "---- lines") != 0;
	else
		return reader->is_section;
	return 1;
}

/* What no open header claims.  -1: no memory. */
static int take_item(struct reader *reader, const struct saved_item *item)
{
	int taken = 0;

	if (finish_header(reader))
		return -1;
	if (reader->sweep.saved && item->kind == SAVED_FOREIGN)
		taken = sweep_saved_take(&reader->sweep, reader->line);
	return taken ? taken : apply(reader, item);
}

static int take_line(struct reader *reader)
{
	struct saved_item item;
	int ret;

	reader->line[reader->length] = '\0';
	reader->is_known = is_known(reader);
	saved_classify(reader->line, &item);
	ret = saved_machine_take(&reader->machine, reader->line, &item, reader->run);
	if (ret == 0 && continues(reader, &item))
		add_to_header(reader, reader->line);
	else if (ret == 0)
		ret = take_item(reader, &item);
	reader->length = 0;
	reader->blank = 0;
	reader->control = '\0';
	return ret < 0 ? -1 : 0;
}

static void add_visible(struct reader *reader, char c)
{
	if (c == ' ' || c == '\t') {
		reader->blank = 1;
		return;
	}
	if ((reader->length == 0 && c == '>') || reader->length + 3 > LINE_SIZE)
		return;
	if (reader->blank && reader->length)
		reader->line[reader->length++] = ' ';
	reader->blank = 0;
	/* A NUL must not end the line here, and is as foreign as any control. */
	reader->line[reader->length++] = c ? c : '\001';
}

/* Leave out "\033[", parameters, a letter: ECMA-48, 5.4. */
static void add_character(struct reader *reader, char c)
{
	char before = reader->control;

	reader->control = '\0';
	if (before == '[') {
		reader->control = c >= '@' && c <= '~' ? '\0' : '[';
		return;
	}
	if (before == '\033' && c != '[')
		add_visible(reader, before);
	if (c == '\033' || (before == '\033' && c == '['))
		reader->control = c;
	else
		add_visible(reader, c);
}

/* Each of LF, CR and CRLF ends a line. */
static int take_character(struct reader *reader, char c)
{
	int is_second = c == '\n' && reader->after_cr;

	reader->after_cr = c == '\r';
	if (is_second)
		return 0;
	if (c == '\n' || c == '\r')
		return take_line(reader);
	add_character(reader, c);
	return 0;
}

/* errno, or 0. */
static int read_text(struct reader *reader, FILE *file)
{
	char block[4096];
	size_t n;
	int err;

	do {
		errno = 0;
		n = fread(block, 1, sizeof(block), file);
		err = !ferror(file) ? 0 : errno ? errno : EIO;
		for (size_t i = 0; i < n; i++)
			if (take_character(reader, block[i]))
				return ENOMEM;
	} while (n > 0 && err == 0);
	if (err == 0 && (take_line(reader) || finish_header(reader) ||
			 saved_machine_finish(&reader->machine, reader->run) ||
			 (reader->sweep.saved && sweep_saved_finish(&reader->sweep))))
		return ENOMEM;
	return err;
}

static int has_interval(const struct run *run)
{
	for (size_t i = 0; i < run->count; i++)
		if (run->series[i].count)
			return 1;
	return 0;
}

int saved_read_sweep(FILE *file, const char *name, double interval_s, struct run *run,
		     struct sweep_saved *sweep, struct sock_cause *cause)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int err;

	*run = (struct run){ .parallel = 1 };
	if (sweep)
		*sweep = (struct sweep_saved){ .count = 0 };
	if (!reader)
		return sock_failed(cause, "read", name, ENOMEM, NULL);
	reader->run = run;
	reader->sweep.saved = sweep;
	err = read_text(reader, file);
	finish_run(reader, interval_s);
	free(reader->slot);
	free(reader->bucket);
	free(reader);
	if (err == 0 && (has_interval(run) || (sweep && sweep->count > 0)))
		return 0;
	run_free(run);
	if (sweep)
		sweep_saved_free(sweep);
	return sock_failed(cause, "read", name, err,
			   err ? NULL : "no \"NUMBER MB/sec\" line in it");
}

int saved_read(FILE *file, const char *name, double interval_s, struct run *run,
	       struct sock_cause *cause)
{
	return saved_read_sweep(file, name, interval_s, run, NULL, cause);
}
