/* JSON Lines: see json.h. */
#include "json.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void member(struct json *json, const char *key)
{
	if (json->members++)
		putc(',', json->out);
	if (key)
		fprintf(json->out, "\"%s\":", key);
}

/* Bytes of the UTF-8 sequence at s (RFC 3629), 0 where there is none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = s[0] < 0x80			 ? 1
		   : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		   : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

void json_begin(struct json *json, FILE *out, const char *event)
{
	*json = (struct json){ .out = out };
	putc('{', out);
	json_text(json, "event", event);
}

void json_end(struct json *json)
{
	fputs("}\n", json->out);
}

void json_text(struct json *json, const char *key, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	if (!text) {
		json_null(json, key);
		return;
	}
	member(json, key);
	putc('"', json->out);
	while (*s) {
		size_t n = utf8_length(s);

		if (n == 0)
			fputs("\\ufffd", json->out);
		else if (*s == '"' || *s == '\\')
			fprintf(json->out, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(json->out, "\\u%04x", *s);
		else
			fwrite(s, 1, n, json->out);
		s += n ? n : 1;
	}
	putc('"', json->out);
}

void json_real(struct json *json, const char *key, double value)
{
	char text[32];
	int digits;

	if (!isfinite(value)) {
		json_null(json, key);
		return;
	}
	/* The shortest of 15 to 17 digits that reads back as the same number. */
	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	member(json, key);
	fputs(text, json->out);
}

void json_known(struct json *json, const char *key, int known, double value)
{
	if (known)
		json_real(json, key, value);
	else
		json_null(json, key);
}

void json_count(struct json *json, const char *key, uint64_t value)
{
	member(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_digits(struct json *json, const char *key, const char *digits)
{
	member(json, key);
	fputs(digits, json->out);
}

void json_read_back(struct json *json, const char *key, const char *text, int is_number)
{
	if (!*text)
		json_null(json, key);
	else if (is_number && isdigit((unsigned char)*text))
		json_digits(json, key, text);
	else
		json_text(json, key, text);
}

void json_bool(struct json *json, const char *key, int value)
{
	member(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	member(json, key);
	fputs("null", json->out);
}

void json_open(struct json *json, const char *key, char bracket)
{
	member(json, key);
	putc(bracket, json->out);
	json->members = 0;
}

void json_close(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->members = 1;
}
