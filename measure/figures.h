/*
 * figures: a summary, a comparison, what goes with fast and slow, ledgers and
 * the tests of -E as text and as JSON Lines, both from the same structs.
 *
 * The text is plain ASCII of at most 78 columns; no line of it is an interval,
 * a header or an end to the reader of saved output.  Nothing is flushed, and
 * whether writing failed is for the caller to ask (ferror(3)).
 */
#ifndef MEASURE_FIGURES_H
#define MEASURE_FIGURES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct association;
struct association_fact;
struct cliffs;
struct compare;
struct evidence;
struct expect_result;
struct explanation;
struct facts;
struct json;
struct ledger;
struct ledger_sum;
struct ledger_timer;
struct stats_groups;
struct stats_middle;
struct summary;
struct sweep_row;
struct sweep_compare;
struct sweep_table;
struct watcher_answer;

/* Several lines. */
void figures_summary(FILE *out, const struct summary *summary);

/* before, after: what the runs are called, a file name or "this run". */
void figures_compare(FILE *out, const struct compare *compare, const char *before,
		     const char *after);

/* Without a heading; facts: those that it was made from. */
void figures_association(FILE *out, const struct association *association,
			 const struct association_fact *facts);

/* One line; setting: what it is of, in a sweep. */
void figures_expect(FILE *out, const struct expect_result *result);
void figures_expect_setting(FILE *out, const char *setting, const struct expect_result *result);

/* The ledger of one connection. */
struct figures_ledger {
	unsigned int connection;
	uint64_t reads;
	double warm_up_s; /* left out, 0: nothing is */
	const struct ledger *ledger;
	const struct ledger_sum *sum;
	int is_tcp;			  /* else there are no timers */
	const struct ledger_timer *timer; /* to be matched */
	size_t timers;			  /* 0: none are known */
};

/* Several lines. */
void figures_ledger(FILE *out, const struct figures_ledger *figures);
void figures_ledger_json(FILE *out, const struct figures_ledger *figures);

/* The same as one event each: "summary", "compare", "association", "expect". */
void figures_summary_json(FILE *out, const struct summary *summary);
void figures_compare_json(FILE *out, const struct compare *compare, const char *before,
			  const char *after);
void figures_association_json(FILE *out, const struct association *association,
			      const struct association_fact *facts);
void figures_expect_json(FILE *out, const struct expect_result *result);
void figures_expect_setting_json(FILE *out, const char *setting,
				 const struct expect_result *result);

/*
 * What the kernel said of an interval, behind its rate: the limiter, the CPUs
 * of sender and receiver, bytes per call of this program (NaN: not known; unit
 * "B/rd" or "B/wr"), congestion window, smoothed round trip, retransmits.
 * rate: MB/s.  facts NULL: nothing is known.
 */
void figures_columns(FILE *out, const struct facts *facts, double rate, double bytes_per_call,
		     const char *unit);

/* The same as members of an open object, and all facts in objects of each end. */
void figures_facts_json(struct json *json, const struct facts *facts, double rate);

/* A row for each connection, as a whole; and one event "kernel" for each. */
void figures_kernel(FILE *out, const struct evidence *evidence);
void figures_kernel_json(FILE *out, const struct evidence *evidence);

/* What goes with fast and slow; and the events "association", "change_facts". */
void figures_explain(FILE *out, const struct explanation *explanation);
void figures_explain_json(FILE *out, const struct explanation *explanation);

/* The mechanisms that the evidence supports, with it; and events "mechanism". */
void figures_mechanisms(FILE *out, const struct explanation *explanation);
void figures_mechanisms_json(FILE *out, const struct explanation *explanation);

/*
 * A sweep: what it was, and a row for each setting, all with the same number of
 * words, as the line above them: sort(1) and gnuplot take them as they are.
 * Where the values of a setting are long the bar shrinks and then goes; beyond
 * that a line may be longer than others here.
 * JSON: "sweep", and "setting" for each row, the added ones too.
 */
void figures_sweep(FILE *out, const struct sweep_table *table);
void figures_sweep_json(FILE *out, const struct sweep_table *table);

/* What -r reads of it: the median of each connection, six digits. */
void figures_sweep_medians(FILE *out, const struct sweep_table *table);

/* asked: connections per setting.  JSON: "cliff" for each. */
void figures_cliffs(FILE *out, const struct cliffs *cliffs, size_t asked);
void figures_cliffs_json(FILE *out, const struct cliffs *cliffs);

/*
 * A sweep whose only axis is -x, a column for each transport; block: "64K".
 * JSON: "transport" for each.
 */
void figures_transports(FILE *out, const struct sweep_table *table, const char *block);
void figures_transports_json(FILE *out, const struct sweep_table *table);

/* One sweep against another, a line for each setting of both.  JSON:
 * "compare_setting" for each, and "compare_sweep". */
void figures_sweep_compare(FILE *out, const struct sweep_compare *compare);
void figures_sweep_compare_json(FILE *out, const struct sweep_compare *compare);

/*
 * Members of an open object.  A median with its interval, lowest and highest;
 * known: there is a rate.  The medians of a setting's connections.  Groups, null
 * where it cannot be told, [] where none are seen; with the connections of each
 * unless members_of is NULL.
 */
void figures_middle_json(struct json *json, int known, const struct stats_middle *middle);
void figures_medians_json(struct json *json, const struct sweep_row *row);
void figures_groups_json(struct json *json, const struct stats_groups *groups,
			 const struct summary *members_of);

/*
 * Who is at the other end, which is called a "source" or "sink"; one line or more.
 * connection 0: there is but one.
 */
void figures_peer(FILE *out, const char *other, unsigned int connection,
		  const struct watcher_answer *answer);
void figures_peer_json(FILE *out, unsigned int connection, const struct watcher_answer *answer);

#endif
