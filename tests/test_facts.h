/*
 * Facts of a connection as the rules are told them: shares of the time, times
 * a second, levels.  What a table does not name is not known.
 */
#ifndef TEST_FACTS_H
#define TEST_FACTS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/facts.h"

#define LENGTH_S 2.0

struct given {
	enum facts_end end;
	enum fact fact;
	double figure; /* as facts_figure() gives it, but a count of segments as it is */
};

#define SRC(fact, figure) \
	{ \
		FACTS_SENDER, FACT_##fact, (figure) \
	}
#define SNK(fact, figure) \
	{ \
		FACTS_RECEIVER, FACT_##fact, (figure) \
	}
#define HST(fact, figure) \
	{ \
		FACTS_HOST, FACT_##fact, (figure) \
	}

static inline void give(struct facts *facts, const struct given *given)
{
	const struct facts_row *row = &facts_rows[given->fact];
	double value = given->figure;

	if (row->per == FACTS_PER_TIME)
		value *= LENGTH_S * (strcmp(row->unit, "ns") == 0 ? 1e9 : 1e6);
	else if (given->fact == FACT_VOLUNTARY)
		value *= LENGTH_S;
	facts->value[given->end][given->fact] = value;
}

/* Nothing is known but that time passed. */
static inline void nothing(struct facts *facts)
{
	*facts = (struct facts){ .samples = 5 };
	for (int end = 0; end < FACTS_ENDS; end++) {
		facts->length_s[end] = LENGTH_S;
		facts->process_length_s[end % FACTS_HOST] = LENGTH_S;
		for (int fact = 0; fact < FACTS; fact++)
			facts->value[end][fact] = NAN;
	}
}

/* How many values are known, at all ends. */
static inline int values_known(const struct facts_sample *sample)
{
	int n = 0;

	for (int end = 0; end < FACTS_ENDS; end++)
		for (int fact = 0; fact < FACTS; fact++)
			n += !isnan(sample->value[end][fact]);
	return n;
}

static inline void give_all(struct facts *facts, const struct given *given, size_t n)
{
	for (size_t i = 0; i < n; i++)
		give(facts, &given[i]);
}

static inline uint64_t xorshift(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Any number that a kernel or a mistake may come to. */
static inline double odd_number(uint64_t *state)
{
	static const double odd[] = { NAN, NAN, NAN, 0, 0, -1, 1, 65483, 1e300, INFINITY };
	size_t kind = xorshift(state) % 20;
	double fraction = (double)(xorshift(state) >> 11) / 9007199254740992.0;

	if (kind < sizeof(odd) / sizeof(odd[0]))
		return odd[kind];
	return fraction * pow(10, (double)(xorshift(state) % 12));
}

/* A share, a size in segments, or an odd number: so that rules do fire. */
static inline void give_any(struct facts *facts, uint64_t *state)
{
	*facts = (struct facts){ .samples = 2 };
	for (int end = 0; end < FACTS_ENDS; end++) {
		facts->length_s[end] = xorshift(state) % 8 ? LENGTH_S : odd_number(state);
		facts->process_length_s[end % FACTS_HOST] = xorshift(state) % 16
								    ? LENGTH_S
								    : odd_number(state);
		facts->cpus[end % FACTS_HOST] = (struct facts_cpus){ 1, { 3 }, { 1 } };
		for (int fact = 0; fact < FACTS; fact++) {
			struct given given = { (enum facts_end)end, (enum fact)fact,
					       odd_number(state) };

			if (facts_rows[fact].per == FACTS_PER_TIME && xorshift(state) % 8)
				given.figure = (double)(xorshift(state) % 120) / 100;
			give(facts, &given);
		}
	}
}

#endif
