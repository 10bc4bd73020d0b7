/* Lines and headers of a saved text: see saved_line.h. */
#include "saved_line.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_DIGITS 9	 /* of a connection */
#define LENGTH_MAX_S 1e9 /* a longer one is not believed */

/* ---- words ---- */

/* What follows prefix in text, NULL where text begins otherwise. */
const char *saved_after(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

static const char *after_digits(const char *text)
{
	return text + strspn(text, "0123456789");
}

/* What follows a number, NULL where there is none. */
static const char *take_number(const char *text, double *value)
{
	const char *end = after_digits(text), *digits;

	if (end == text)
		return NULL;
	if (*end == '.') {
		digits = end + 1;
		end = after_digits(digits);
		if (end == digits)
			return NULL;
	}
	if (*end == 'e' || *end == 'E') {
		digits = end + 1 + (end[1] == '+' || end[1] == '-');
		end = after_digits(digits);
		if (end == digits)
			return NULL;
	}
	*value = strtod(text, NULL);
	return isfinite(*value) ? end : NULL;
}

/* The same for the number of a connection. */
static const char *take_connection(const char *text, unsigned int *number)
{
	const char *end = after_digits(text);

	if (end == text || end - text > NUMBER_DIGITS)
		return NULL;
	*number = (unsigned int)strtoul(text, NULL, 10);
	return *number ? end : NULL;
}

/* "5.5 s" at the beginning of text, below 0 where it is not there. */
static double length_at(const char *text)
{
	double length;
	const char *end = take_number(text, &length);

	if (!end || length > LENGTH_MAX_S)
		return -1;
	end = saved_after(end, " s");
	return end && (*end == '\0' || *end == ' ' || *end == ',') ? length : -1;
}

/* Behind the prompt of a shell, NULL where there is none. */
static const char *after_prompt(const char *text)
{
	const char *blank = text;

	while ((blank = strchr(blank, ' ')) != NULL) {
		if (blank > text && strchr("$#%>", blank[-1]))
			return blank + 1;
		blank++;
	}
	return NULL;
}

/* ---- lines ---- */

/*
 * Each of these fills in the item that its line is; -1 where it is another.
 *
 * The words behind the unit of an interval, the first is one of these.
 */
static int take_columns(const char *text, struct saved_item *item)
{
	static const char words[] = " rwnd sndbuf pacing app cpu runq loss path timer stopped - "
				    "late partial warm-up ";
	size_t n = strcspn(text, " ");
	char first[16];

	if (n == 0 || n > sizeof(first) - 3)
		return -1;
	snprintf(first, sizeof(first), " %.*s ", (int)n, text);
	if (!strstr(words, first))
		return -1;
	for (; *text; text += n, text += *text == ' ') {
		n = strcspn(text, " ");
		if (n == 4 && saved_after(text, "late"))
			item->is_late = 1;
		else if (n == 7 && (saved_after(text, "partial") || saved_after(text, "warm-up")))
			item->counts = 0;
		else
			continue;
		item->length_s = text[n] ? length_at(text + n + 1) : -1;
	}
	return 0;
}

/* What follows "[N] ", or text where no bracket is; NULL: another one is. */
static const char *take_prefix(const char *text, struct saved_item *item)
{
	if (*text != '[')
		return text;
	text = take_connection(text + 1, &item->number);
	return text ? saved_after(text, "] ") : NULL;
}

static int take_interval(const char *text, struct saved_item *item)
{
	const char *sum = saved_after(text, "[sum] ");

	item->kind = sum ? SAVED_SUM : SAVED_INTERVAL;
	item->counts = 1;
	item->length_s = -1;
	text = sum ? sum : take_prefix(text, item);
	text = text ? take_number(text, &item->rate) : NULL;
	text = text ? saved_after(text, " MB/sec") : NULL;
	if (!text || (*text && *text != ' '))
		return -1;
	return *text ? take_columns(text + 1, item) : 0;
}

static int take_end(const char *text, struct saved_item *item)
{
	text = saved_after(text, "connection ");
	text = text ? take_connection(text, &item->number) : NULL;
	text = text ? saved_after(text, ": ") : NULL;
	if (!text)
		return -1;
	item->kind = SAVED_END;
	item->length_s = length_at(text);
	item->writer = strstr(text, " MB sent,")   ? SAVED_SOURCE
		       : strstr(text, " MB read,") ? SAVED_SINK
						   : SAVED_BOTH;
	text = strrchr(text, ',');
	item->is_done = text && strcmp(text, ", done") == 0;
	return 0;
}

/* A header has options; a broken one may end before them. */
static int is_header(const char *text)
{
	const char *port = saved_after(text, "port="), *host = saved_after(text, "host=");

	if (!host)
		host = saved_after(text, "path=");
	if (host && *host != ' ' && strstr(host, " options=["))
		return 1;
	if (host) {
		text = host + strcspn(host, " ");
		port = saved_after(text, " port=");
		return text > host && (*text == '\0' || (port && *after_digits(port) == '\0'));
	}
	text = port ? after_digits(port) : NULL;
	return text > port && (*text == '\0' || saved_after(text, " options=["));
}

static int take_event(const char *text, struct saved_item *item)
{
	if (is_header(text))
		item->kind = SAVED_HEADER;
	else if (strcmp(text, "waiting for connection") == 0)
		item->kind = SAVED_WAITING;
	else if (strcmp(text, "accepted") == 0)
		item->kind = SAVED_ACCEPTED;
	else
		return take_end(text, item);
	item->text = text;
	return 0;
}

void saved_classify(const char *text, struct saved_item *item)
{
	const char *rest;

	*item = (struct saved_item){ .kind = SAVED_EMPTY, .text = text };
	if (*text == '\0')
		return;
	if ((*text == '[' || (*text >= '0' && *text <= '9')) && take_interval(text, item) == 0)
		return;
	*item = (struct saved_item){ .kind = SAVED_SETTING, .text = text };
	if (saved_after(text, "source=[") || take_event(text, item) == 0)
		return;
	rest = after_prompt(text);
	if (!rest || take_event(rest, item))
		item->kind = SAVED_FOREIGN;
}

/* ---- headers ---- */

const char *const saved_setting_names[SAVED_SETTINGS] = {
	[SAVED_OPTIONS] = "options",	 [SAVED_EARLY] = "early",    [SAVED_BLOCK] = "block",
	[SAVED_INTERVAL_S] = "interval", [SAVED_WARM_UP] = "warmup", [SAVED_CPU] = "cpu",
	[SAVED_SOURCE_LINE] = "source"
};

/* What stands behind "NAME=", NULL where text does not begin with that. */
const char *saved_after_key(const char *text, enum saved_setting setting)
{
	const char *rest = saved_after(text, saved_setting_names[setting]);

	return rest ? saved_after(rest, "=") : NULL;
}

/* A bracket is open at its end. */
int saved_is_open(const char *text)
{
	static const char *const keys[] = { "options=[", "early=[", "source=[" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *key = strstr(text, keys[i]);

		if (key && !strchr(key, ']'))
			return 1;
	}
	return 0;
}

/* Words of the form KEY=VALUE; -1 where there is another. */
static int take_words(char *text, const char *value[])
{
	while (*text) {
		char *end = text + strcspn(text, " "), *next = end + (*end == ' ');

		*end = '\0';
		if (*text && !strchr(text, '='))
			return -1;
		for (int i = SAVED_BLOCK; i <= SAVED_CPU; i++)
			if (saved_after_key(text, (enum saved_setting)i))
				value[i] = saved_after_key(text, (enum saved_setting)i);
		text = next;
	}
	return 0;
}

/* Cut "KEY=[...]" and the words behind it off a header, at its key. */
static int take_bracket(char *key, enum saved_setting setting, const char *value[])
{
	char *open = strchr(key, '['), *close = strrchr(key, ']');

	if (!close)
		return -1;
	*key = *close = '\0';
	value[setting] = open + 1;
	return take_words(close + 1, value);
}

/*
 * Cut a header into values; those not in it are NULL.  From its end, since an
 * option string may hold anything but the next key.
 */
int saved_take_header(char *text, const char *value[SAVED_SETTINGS])
{
	char *key = saved_after(text, "source=[") ? text : strstr(text, " source=[");

	for (int i = 0; i < SAVED_SETTINGS; i++)
		value[i] = NULL;
	if (key && take_bracket(key, SAVED_SOURCE_LINE, value))
		return -1;
	if (key == text)
		return 0;
	key = strstr(text, "] early=[");
	if (key && take_bracket(key + 1, SAVED_EARLY, value))
		return -1;
	key = strstr(text, " options=[");
	return key ? take_bracket(key, SAVED_OPTIONS, value) : -1;
}

/* A time by a header, 0 where it says none. */
double saved_header_seconds(const char *value)
{
	double seconds;
	const char *end = value ? take_number(value, &seconds) : NULL;

	return end && *end == '\0' && seconds <= LENGTH_MAX_S ? seconds : 0;
}
