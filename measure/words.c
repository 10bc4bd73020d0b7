/* Lines of words, and numbers: see words.h. */
#include "words.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define P_LEAST 0.0001
#define TEXT_MAX 512

/* ---- what others wrote ---- */

static int is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

void words_put_clean(FILE *out, const char *text)
{
	for (; *text; text++)
		putc(is_control(*text) ? ' ' : *text, out);
}

char words_ascii(char c)
{
	if (is_control(c))
		return ' ';
	return (unsigned char)c > 0x7e ? '?' : c;
}

void words_put_ascii(FILE *out, const char *text)
{
	for (; *text; text++)
		putc(words_ascii(*text), out);
}

/* ---- lines ---- */

void words_begin(struct words *words, FILE *out, int indent, const char *label)
{
	*words = (struct words){ .out = out, .indent = indent };
	words->column = fprintf(out, "%s", label);
}

/*
 * A line is padded only when something follows: no blanks at its end.  There
 * is room for a mark behind each word.
 */
static void put(struct words *words, const char *word, int length)
{
	int blanks = words->column > 0;

	if (words->column < words->indent)
		blanks = words->indent - words->column;
	if (words->column > words->indent && words->column + 1 + length >= WORDS_COLUMNS) {
		putc('\n', words->out);
		words->column = 0;
		blanks = words->indent;
	}
	words->column += fprintf(words->out, "%*s%.*s", blanks, "", length, word);
}

void words_add(struct words *words, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	put(words, text, (int)strlen(text));
}

void words_text(struct words *words, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	words_break(words, text);
}

/* A word is cut as words_add() cuts it. */
void words_break(struct words *words, const char *text)
{
	for (const char *word = text; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");

		put(words, word, length < TEXT_MAX ? (int)length : TEXT_MAX - 1);
		word += length;
	}
}

const char *words_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* How much of a word that goes on is put on one line. */
static int cut_behind_comma(const char *piece, int length)
{
	for (int at = length; at > 1; at--)
		if (piece[at - 1] == ',')
			return at;
	return length;
}

void words_long(struct words *words, const char *open, const char *text)
{
	char piece[WORDS_COLUMNS];
	int most = WORDS_COLUMNS - 2 - words->indent;
	int length = snprintf(piece, sizeof(piece), "%s", open), cut;

	while (*text || length) {
		while (*text && *text != ' ' && length < most)
			piece[length++] = words_ascii(*text++);
		cut = *text && *text != ' ' ? cut_behind_comma(piece, length) : length;
		if (cut)
			put(words, piece, cut);
		length -= cut;
		memmove(piece, piece + cut, (size_t)length);
		if (length == 0)
			text += strspn(text, " ");
	}
}

void words_mark(struct words *words, char mark)
{
	putc(mark, words->out);
	words->column++;
}

void words_end(struct words *words)
{
	putc('\n', words->out);
}

/* ---- numbers ---- */

struct words_number words_figure(double value)
{
	struct words_number number = { "n/a" };
	int decimals = 0;
	char *end;

	if (value < 0 || !isfinite(value))
		return number;
	if (value > 0)
		decimals = 3 - (int)floor(log10(value));
	decimals = decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
	snprintf(number.text, sizeof(number.text), "%.*f", decimals, value);
	if (!strchr(number.text, '.'))
		return number;
	end = number.text + strlen(number.text);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
	return number;
}

struct words_number words_whole(double value)
{
	struct words_number number = { "n/a" };

	if (isfinite(value))
		snprintf(number.text, sizeof(number.text), "%.0f", value);
	return number;
}

struct words_number words_times(double ratio)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2e", ratio);
	return words_figure(strtod(text, NULL));
}

struct words_number words_ratio(double ratio)
{
	struct words_number number = { "" };

	if (ratio < 0.1 || ratio >= 10)
		return words_figure(ratio);
	snprintf(number.text, sizeof(number.text), "%.3f", ratio);
	return number;
}

struct words_number words_share(double share)
{
	struct words_number number = { "" };

	if (share > 0 && share < 0.01)
		snprintf(number.text, sizeof(number.text), "<1%%");
	else if (share > 0.99 && share < 1)
		snprintf(number.text, sizeof(number.text), ">99%%");
	else
		snprintf(number.text, sizeof(number.text), "%.0f%%", 100 * share);
	return number;
}

struct words_number words_percent(double percent)
{
	struct words_number number = { "" };

	if (percent > 99 && percent < 100)
		snprintf(number.text, sizeof(number.text), ">99%%");
	else
		snprintf(number.text, sizeof(number.text), "%.*f%%", percent < 9.95 ? 1 : 0,
			 percent);
	return number;
}

struct words_number words_deviation(double deviation)
{
	struct words_number number = { "" };
	double factor = exp(deviation);

	if (factor < 2)
		snprintf(number.text, sizeof(number.text), "%.0f%%", 100 * (factor - 1));
	else
		snprintf(number.text, sizeof(number.text), "%.20s times", words_times(factor).text);
	return number;
}

struct words_number words_p(double p)
{
	struct words_number number = { "" };
	char text[32];

	if (p < P_LEAST) {
		snprintf(number.text, sizeof(number.text), "<%g", P_LEAST);
		return number;
	}
	snprintf(text, sizeof(text), "%.1e", p);
	return words_figure(strtod(text, NULL));
}

#define BYTES "bytes"

static struct words_number bytes(double value, const char *per)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
	struct words_number number;
	size_t k = 0;

	while (k + 1 < sizeof(units) / sizeof(units[0]) &&
	       (value >= 10000 || (k > 0 && value >= 1000))) {
		value /= 1000;
		k++;
	}
	snprintf(number.text, sizeof(number.text), "%.18s %s%.5s", words_figure(value).text,
		 units[k], per);
	return number;
}

struct words_number words_quantity(double value, const char *unit)
{
	struct words_number number = { "n/a" };

	if (!isfinite(value))
		return number;
	if (value < 0) {
		snprintf(number.text, sizeof(number.text), "-%.30s",
			 words_quantity(-value, unit).text);
		return number;
	}
	if (!unit || !*unit)
		return words_figure(value);
	if (strcmp(unit, "share") == 0)
		return words_share(value < 1 ? value : 1);
	if (strncmp(unit, BYTES, strlen(BYTES)) == 0)
		return bytes(value, unit + strlen(BYTES));
	snprintf(number.text, sizeof(number.text), "%.18s %.12s", words_figure(value).text, unit);
	return number;
}

void words_append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + used, size - used, format, ap);
	va_end(ap);
}
