/* Members that several events have, of stats.h: see figures.h. */
#include "figures.h"

#include "json.h"
#include "stats.h"
#include "summary.h"
#include "sweep_table.h"

void figures_middle_json(struct json *json, int known, const struct stats_middle *middle)
{
	json_known(json, "median_MB_per_s", known, middle->median);
	json_known(json, "median_low_MB_per_s", middle->has_interval, middle->low);
	json_known(json, "median_high_MB_per_s", middle->has_interval, middle->high);
	json_known(json, "lowest_MB_per_s", known, middle->min);
	json_known(json, "highest_MB_per_s", known, middle->max);
}

void figures_medians_json(struct json *json, const struct sweep_row *row)
{
	json_open(json, "medians_MB_per_s", '[');
	for (size_t i = 0; i < row->n; i++)
		json_real(json, NULL, stats_rate(row->median[i]));
	json_close(json, ']');
}

static void put_members(struct json *json, const struct summary *s, size_t group)
{
	json_open(json, "members", '[');
	for (size_t i = 0; i < s->connections; i++)
		if (s->row[i].group == group)
			json_count(json, NULL, s->row[i].number);
	json_close(json, ']');
}

void figures_groups_json(struct json *json, const struct stats_groups *groups,
			 const struct summary *members_of)
{
	if (groups->grouping == STATS_GROUPS_TOO_FEW) {
		json_null(json, "groups");
		return;
	}
	json_open(json, "groups", '[');
	for (size_t g = 0; g < groups->count && groups->grouping == STATS_GROUPS_FOUND; g++) {
		json_open(json, NULL, '{');
		json_real(json, "level_MB_per_s", groups->group[g].level);
		json_count(json, "connections", groups->group[g].n);
		if (members_of)
			put_members(json, members_of, g);
		json_close(json, '}');
	}
	json_close(json, ']');
}
