/*
 * header: the first line of what a program prints as text, from which the
 * reader of saved output (saved.h) takes the settings.
 */
#ifndef MEASURE_HEADER_H
#define MEASURE_HEADER_H

#include <stdio.h>

struct plan;

/* NULL: a source on the loopback addresses. */
const char *header_host(const struct plan *plan);

/*
 * port: the one in use.  Control characters are printed as blanks.  In a report
 * (-R) it is plain ASCII, and one that is longer than a line is broken where
 * the reader can join it; the commas of a long option string become blanks
 * there, which separate options as well.  -1: no memory, and nothing is printed.
 */
int header_print(FILE *out, const struct plan *plan, unsigned int port);

#endif
