/* Pairs of neighbours: see edges.h. */
#include "edges.h"

#include <stdlib.h>
#include <string.h>

#include "cliff.h"
#include "lane.h"
#include "sweep.h"

static int make_room(struct edges *edges)
{
	size_t room = edges->room ? 2 * edges->room : 16;
	struct cliff_pair *pair;
	struct edge *edge;

	if (edges->count < edges->room)
		return 0;
	pair = realloc(edges->pair, room * sizeof(*pair));
	if (pair)
		edges->pair = pair;
	edge = realloc(edges->edge, room * sizeof(*edge));
	if (edge)
		edges->edge = edge;
	if (!pair || !edge)
		return -1;
	edges->room = room;
	return 0;
}

static int take_side(struct cliff_side *side, const struct lane *lane, double number)
{
	double *median;

	if (lane_medians(lane, &median, &side->n))
		return -1;
	side->median = median;
	side->number = number;
	return 0;
}

static int add_edge(struct edges *edges, const struct sweep *sweep, struct lane *const *lanes,
		    const struct edge *edge)
{
	struct sweep_number below, above;
	struct cliff_pair *pair;

	if (make_room(edges))
		return -1;
	sweep_number(sweep, edge->below, edge->number, &below);
	sweep_number(sweep, edge->above, edge->number, &above);
	pair = &edges->pair[edges->count];
	*pair = (struct cliff_pair){ .setting = sweep_label_around(sweep, edge->below,
								   edge->number),
				     .name = strdup(below.name) };
	edges->edge[edges->count++] = *edge;
	if (!pair->setting || !pair->name)
		return -1;
	if (take_side(&pair->side[0], lanes[edge->below], below.value))
		return -1;
	return take_side(&pair->side[1], lanes[edge->above], above.value);
}

/* The pair of a setting and the one with the next higher number, if there is one. */
static int look_above(struct edges *edges, const struct sweep *sweep, struct lane *const *lanes,
		      size_t setting, size_t number)
{
	struct edge edge = { .below = setting, .number = number };
	struct sweep_number found;
	size_t unused;

	sweep_number(sweep, setting, number, &found);
	if (!(found.step > 0) || sweep_neighbours(sweep, setting, number, &unused, &edge.above) ||
	    edge.above == SWEEP_NONE)
		return 0;
	return add_edge(edges, sweep, lanes, &edge);
}

int edges_find(struct edges *edges, const struct sweep *sweep, struct lane *const *lanes)
{
	*edges = (struct edges){ .count = 0 };
	for (size_t setting = 0; setting < sweep->asked; setting++) {
		size_t number = sweep_fastest(sweep, setting);

		if (number != SWEEP_NONE && look_above(edges, sweep, lanes, setting, number))
			return -1;
	}
	return 0;
}

void edges_free(struct edges *edges)
{
	for (size_t i = 0; i < edges->count; i++) {
		struct cliff_pair *pair = &edges->pair[i];

		free((char *)pair->setting);
		free((char *)pair->name);
		free((double *)pair->side[0].median);
		free((double *)pair->side[1].median);
	}
	free(edges->pair);
	free(edges->edge);
	*edges = (struct edges){ .count = 0 };
}
