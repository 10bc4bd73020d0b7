/*
 * usage: what the command line may ask for instead of a measurement: -h, -V,
 * -t help.  All three are made from the tables that also do the parsing.
 */
#ifndef MEASURE_USAGE_H
#define MEASURE_USAGE_H

struct report;

/* Print what report->plan asks for. */
void usage_answer(struct report *report);

/* "1.0-3f2a91c": the version, and the commit where it is known. */
const char *usage_version(void);

#endif
