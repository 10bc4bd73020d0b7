/*
 * jsonline: reading one line of JSON Lines, as json.h writes it.
 *
 * Strict: a line that is not one whole object of RFC 8259 has no members.
 * Pure: no memory is kept, nothing is allocated.
 */
#ifndef MEASURE_JSONLINE_H
#define MEASURE_JSONLINE_H

#include <stddef.h>

/* 1 when the line, without its newline, is one object and nothing else. */
int jsonline_is_object(const char *line);

/*
 * The member of this name, of the outermost object: a string without its
 * escapes, a number or word as it stands; the first of several.  -1 when there
 * is none, when it is an object or array, or does not fit.
 */
int jsonline_member(const char *line, const char *key, char *value, size_t size);

#endif
