/*
 * json: one JSON object a line (JSON Lines, RFC 8259).
 *
 * Numbers survive a round trip; what is unknown is null, never NaN.
 * Text that is not UTF-8 keeps its valid parts, other bytes become U+FFFD.
 */
#ifndef MEASURE_JSON_H
#define MEASURE_JSON_H

#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	int members; /* written so far in the innermost object or array */
};

void json_begin(struct json *json, FILE *out, const char *event);
void json_end(struct json *json); /* with the newline */

/* key NULL inside an array. */
void json_text(struct json *json, const char *key, const char *text); /* NULL: null */
void json_real(struct json *json, const char *key, double value);
/* null unless it is known. */
void json_known(struct json *json, const char *key, int known, double value);
void json_count(struct json *json, const char *key, uint64_t value);
/* A number that is already written as JSON has it. */
void json_digits(struct json *json, const char *key, const char *digits);
/* What was read back as text: "" is null, a number where is_number and it is one. */
void json_read_back(struct json *json, const char *key, const char *text, int is_number);
void json_bool(struct json *json, const char *key, int value);
void json_null(struct json *json, const char *key);
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);		  /* '}' or ']' */

#endif
