/*
 * edges: the pairs of neighbours in a sweep, whose speeds may differ so much
 * that there is a cliff between them (cliff.h).
 */
#ifndef MEASURE_EDGES_H
#define MEASURE_EDGES_H

#include <stddef.h>

struct cliff_pair;
struct lane;
struct sweep;

/* Two settings that differ in this number only (sweep_number()). */
struct edge {
	size_t below;
	size_t above;
	size_t number;
};

struct edges {
	struct cliff_pair *pair; /* as many */
	struct edge *edge;
	size_t count;
	size_t room;
};

/*
 * The pairs of the settings that were asked for along the number that varies
 * fastest, as the table has them, by what their lanes have come to.  -1: no
 * memory; free them in any case.
 */
int edges_find(struct edges *edges, const struct sweep *sweep, struct lane *const *lanes);
void edges_free(struct edges *edges);

#endif
