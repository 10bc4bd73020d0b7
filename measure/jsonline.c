/* Reading one object: see jsonline.h. */
#include "jsonline.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 16 /* objects and arrays inside each other */

/* Each of these returns what follows, NULL where the text is not such a thing. */
static const char *skip_value(const char *text, int depth);

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

static const char *skip_escape(const char *text)
{
	if (*text == 'u')
		return strspn(text + 1, "0123456789abcdefABCDEF") >= 4 ? text + 5 : NULL;
	return *text && strchr("\"\\/bfnrt", *text) ? text + 1 : NULL;
}

static const char *skip_string(const char *text)
{
	if (*text++ != '"')
		return NULL;
	while (text && *text != '"') {
		if ((unsigned char)*text < 0x20)
			return NULL;
		text = *text == '\\' ? skip_escape(text + 1) : text + 1;
	}
	return text ? text + 1 : NULL;
}

static const char *skip_digits(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits ? text + digits : NULL;
}

static const char *skip_number(const char *text)
{
	const char *from = text + (*text == '-'), *end = skip_digits(from);

	if (!end || (*from == '0' && end > from + 1))
		return NULL;
	if (*end == '.')
		end = skip_digits(end + 1);
	if (end && (*end == 'e' || *end == 'E'))
		end = skip_digits(end + 1 + (end[1] == '+' || end[1] == '-'));
	return end;
}

static const char *skip_word(const char *text)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(text, words[i], strlen(words[i])) == 0)
			return text + strlen(words[i]);
	return NULL;
}

/* The name of a member with its colon. */
static const char *skip_name(const char *text)
{
	text = skip_string(text);
	text = text ? skip_blanks(text) : NULL;
	return text && *text == ':' ? skip_blanks(text + 1) : NULL;
}

static const char *skip_list(const char *text, int depth)
{
	char close = *text == '{' ? '}' : ']';

	text = skip_blanks(text + 1);
	if (*text == close)
		return text + 1;
	for (;;) {
		if (close == '}')
			text = skip_name(text);
		text = text ? skip_value(text, depth) : NULL;
		if (!text)
			return NULL;
		text = skip_blanks(text);
		if (*text == close)
			return text + 1;
		if (*text != ',')
			return NULL;
		text = skip_blanks(text + 1);
	}
}

static const char *skip_value(const char *text, int depth)
{
	if (*text == '{' || *text == '[')
		return depth < DEEPEST ? skip_list(text, depth + 1) : NULL;
	if (*text == '"')
		return skip_string(text);
	return *text == '-' || (*text >= '0' && *text <= '9') ? skip_number(text) : skip_word(text);
}

int jsonline_is_object(const char *line)
{
	const char *end = *line == '{' ? skip_value(line, 0) : NULL;

	return end && *skip_blanks(end) == '\0';
}

/* ---- a member ---- */

/* UTF-8 of one unit of \u; a half of a pair is a character by itself. */
static size_t put_unit(unsigned int unit, char *to)
{
	if (unit < 0x80) {
		to[0] = (char)unit;
		return 1;
	}
	if (unit < 0x800) {
		to[0] = (char)(0xc0 | unit >> 6);
		to[1] = (char)(0x80 | (unit & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | unit >> 12);
	to[1] = (char)(0x80 | (unit >> 6 & 0x3f));
	to[2] = (char)(0x80 | (unit & 0x3f));
	return 3;
}

/* One character behind a backslash; how many bytes it is. */
static size_t put_escape(const char *text, char *to)
{
	static const char names[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *name = strchr(names, *text);
	char hex[5] = "";

	if (*text == 'u') {
		memcpy(hex, text + 1, 4);
		return put_unit((unsigned int)strtoul(hex, NULL, 16), to);
	}
	*to = name ? meant[name - names] : *text;
	return 1;
}

/* A string that is known to be one; -1: it does not fit. */
static int copy_string(const char *text, char *value, size_t size)
{
	size_t used = 0;

	for (text++; *text != '"'; text++) {
		if (used + 4 > size)
			return -1;
		if (*text != '\\') {
			value[used++] = *text;
			continue;
		}
		used += put_escape(text + 1, value + used);
		text += text[1] == 'u' ? 5 : 1;
	}
	if (used >= size)
		return -1;
	value[used] = '\0';
	return 0;
}

static int copy_value(const char *text, char *value, size_t size)
{
	size_t length = (size_t)(skip_value(text, 0) - text);

	if (*text == '{' || *text == '[')
		return -1;
	if (*text == '"')
		return copy_string(text, value, size);
	if (length >= size)
		return -1;
	memcpy(value, text, length);
	value[length] = '\0';
	return 0;
}

/* The name at text is this one; names of ours have no escapes. */
static int is_name(const char *text, const char *key)
{
	size_t length = strlen(key);

	return strncmp(text + 1, key, length) == 0 && text[1 + length] == '"';
}

int jsonline_member(const char *line, const char *key, char *value, size_t size)
{
	const char *text;

	if (!jsonline_is_object(line))
		return -1;
	text = skip_blanks(line + 1);
	while (*text == '"') {
		const char *member = skip_name(text);

		if (is_name(text, key))
			return copy_value(member, value, size);
		text = skip_blanks(skip_value(member, 0));
		if (*text == ',')
			text = skip_blanks(text + 1);
	}
	return -1;
}
