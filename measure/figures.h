/*
 * figures: a summary, a comparison, what goes with fast and slow and the tests
 * of -E as text and as JSON Lines, both from the same structs.
 *
 * The text is plain ASCII of at most 78 columns; no line of it is an interval,
 * a header or an end to the reader of saved output.  Nothing is flushed, and
 * whether writing failed is for the caller to ask (ferror(3)).
 */
#ifndef MEASURE_FIGURES_H
#define MEASURE_FIGURES_H

#include <stdio.h>

struct association;
struct association_fact;
struct compare;
struct expect_result;
struct summary;

/* Several lines. */
void figures_summary(FILE *out, const struct summary *summary);

/* before, after: what the runs are called, a file name or "this run". */
void figures_compare(FILE *out, const struct compare *compare, const char *before,
		     const char *after);

/* Without a heading; facts: those that it was made from. */
void figures_association(FILE *out, const struct association *association,
			 const struct association_fact *facts);

/* One line. */
void figures_expect(FILE *out, const struct expect_result *result);

/* The same as one event each: "summary", "compare", "association", "expect". */
void figures_summary_json(FILE *out, const struct summary *summary);
void figures_compare_json(FILE *out, const struct compare *compare, const char *before,
			  const char *after);
void figures_association_json(FILE *out, const struct association *association,
			      const struct association_fact *facts);
void figures_expect_json(FILE *out, const struct expect_result *result);

#endif
