/*
 * usage: what the command line may ask for instead of a measurement: -h, -V,
 * -t help.  All three are made from the tables that also do the parsing.
 */
#ifndef MEASURE_USAGE_H
#define MEASURE_USAGE_H

struct report;

/* Print what report->plan asks for. */
void usage_answer(struct report *report);

#endif
