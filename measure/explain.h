/*
 * explain: which recorded facts go with fast and slow connections, and which
 * known mechanisms the evidence of a run supports.
 *
 * Association is asked for only where the spread between connections is real
 * or they form groups; a connection that is odd, of a group of one or two, is
 * too few for any test, so its facts stand beside it without one.  Pure.
 */
#ifndef MEASURE_EXPLAIN_H
#define MEASURE_EXPLAIN_H

#include <stddef.h>

struct association;
struct association_fact;
struct evidence;
struct explain_block;
struct facts;
struct mechanism_input;
struct mechanism_rule;
struct summary;

enum explain_spread {
	EXPLAIN_NOT_WATCHED, /* the kernel was not asked, or did not answer */
	EXPLAIN_TOO_FEW,     /* connections or intervals to see a spread */
	EXPLAIN_NO_SPREAD,   /* connections are alike: there is nothing to explain */
	EXPLAIN_SPREAD
};

/* A mechanism, and the connections that show it. */
struct explain_mechanism {
	const struct mechanism_rule *rule;
	unsigned int *member; /* numbers of connections */
	size_t members;
	unsigned int typical; /* the one that the sentence is about: the middle by rate */
	const char *sentence;
};

/* A connection of known facts whose speed is not that of the others. */
struct explain_odd {
	unsigned int number;
	double rate;		   /* MB/s, of the whole connection */
	const struct facts *facts; /* of the evidence, which must outlive it */
};

/* Facts that changed with a level inside a connection. */
#define EXPLAIN_CHANGED 3
struct explain_change {
	unsigned int connection;
	double after_s;
	size_t count;
	struct {
		const char *name;
		const char *unit;
		double before, after;
	} fact[EXPLAIN_CHANGED];
};

struct explanation {
	enum explain_spread spread;
	size_t judged;			 /* of those watched: long enough for a mechanism */
	size_t watched;			 /* connections with facts */
	struct association *association; /* with EXPLAIN_SPREAD */
	struct association_fact *facts;
	size_t fact_count;
	struct explain_mechanism *mechanism;
	size_t mechanisms;
	size_t rules; /* that were tried */
	struct explain_odd *odd;
	size_t odds;
	struct explain_change *change;
	size_t changes;
	struct explain_block *memory; /* all of it */
};

/*
 * ours: what this program set itself; its facts and figures are not looked at.
 * -1: no memory, and there is nothing to free.
 */
int explain_make(const struct mechanism_input *ours, const struct summary *summary,
		 const struct evidence *evidence, struct explanation *explanation);
void explain_free(struct explanation *explanation);

#endif
