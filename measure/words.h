/*
 * words: text in lines of at most 78 columns, and numbers as people read them.
 *
 * A number is a struct, so that one call of printf() can hold several:
 * printf("%s to %s", words_figure(a).text, words_figure(b).text).
 */
#ifndef MEASURE_WORDS_H
#define MEASURE_WORDS_H

#include <stdint.h>
#include <stdio.h>

#define WORDS_COLUMNS 78

/* Words that follow each other, from the column indent on in every line. */
struct words {
	FILE *out;
	int indent;
	int column;
};

/* Begin a line with this label, which may be longer than indent. */
void words_begin(struct words *words, FILE *out, int indent, const char *label);

/* One word; blanks in it do not break. */
__attribute__((format(printf, 2, 3))) void words_add(struct words *words, const char *format, ...);

/* Text that may break at each of its blanks. */
__attribute__((format(printf, 2, 3))) void words_text(struct words *words, const char *format, ...);

/*
 * What others wrote, of any length, open directly before it: it breaks at its
 * blanks, and behind a comma in a word that is longer than a line.
 */
void words_long(struct words *words, const char *open, const char *text);

/* The same of a text that is there. */
void words_break(struct words *words, const char *text);

/* A mark directly behind the last word, such as a comma. */
void words_mark(struct words *words, char mark);

/* End the line. */
void words_end(struct words *words);

/* Control characters as blanks: a line stays a line, a terminal unharmed. */
void words_put_clean(FILE *out, const char *text);

/* The same of one character, and '?' for what is no ASCII. */
char words_ascii(char c);
void words_put_ascii(FILE *out, const char *text);

/* Behind what stands in text, of that size; what does not fit is cut. */
__attribute__((format(printf, 3, 4))) void words_append(char *text, size_t size, const char *format,
							...);

/* "s" behind a noun, but of one. */
const char *words_plural(uint64_t count);

struct words_number {
	char text[32];
};

/* 4 significant digits, no exponent: "0.6516", "20.81", "20765"; "n/a" below 0. */
struct words_number words_figure(double value);

/* "4096"; "n/a" where it is not known. */
struct words_number words_whole(double value);

/* 3 significant digits: "30.7". */
struct words_number words_times(double ratio);

/* "0.996", three decimals where that is about four digits. */
struct words_number words_ratio(double ratio);

/* Of a share, 0..1: "88%", "<1%" and ">99%" for what is not quite 0 or 100. */
struct words_number words_share(double share);

/* Of a percentage: "3.0%", "14%". */
struct words_number words_percent(double percent);

/* A deviation of a logarithm: "17%", from twice on "2.94 times". */
struct words_number words_deviation(double deviation);

/*
 * A value with its unit, "91 us"; of the unit "share", 0..1, "100%"; bytes and
 * bytes/s as kB, MB ... where that is shorter.
 */
struct words_number words_quantity(double value, const char *unit);

/* A probability: "0.0031", "<0.0001". */
struct words_number words_p(double p);

#endif
