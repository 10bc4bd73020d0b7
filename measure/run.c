/* Connections and their intervals: see run.h. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#define PARTIAL_BELOW 0.9
#define LATE_ABOVE 1.5

/* An interval that a short connection ends is whole when it was planned so. */
enum run_kind run_kind_of(const struct run_connection *connection, double length_s)
{
	double planned = connection->interval_s;

	if (connection->warm_up_s > 0 && connection->length_s < connection->warm_up_s)
		return RUN_WARM_UP;
	/* What begins when its time is over is our own ending of it. */
	if (connection->planned_s > 0 && connection->length_s >= connection->planned_s)
		return RUN_PARTIAL;
	if (connection->planned_s > 0 && connection->planned_s < planned)
		planned = connection->planned_s;
	if (length_s < PARTIAL_BELOW * planned)
		return RUN_PARTIAL;
	return length_s > LATE_ABOVE * planned ? RUN_LATE : RUN_WHOLE;
}

struct run_interval run_close_interval(struct run_connection *connection, double now_s,
				       uint64_t bytes, uint64_t calls)
{
	struct run_interval interval = {
		.number = ++connection->intervals,
		.end_s = now_s,
		.length_s = now_s - connection->length_s,
	};

	if (bytes < connection->bytes)
		bytes = connection->bytes;
	interval.bytes = bytes - connection->bytes;
	interval.calls = calls - connection->calls;
	interval.kind = run_kind_of(connection, interval.length_s);
	connection->length_s = now_s;
	connection->bytes = bytes;
	connection->calls = calls;
	return interval;
}

int64_t run_next_end(int64_t now, int64_t warm_up, int64_t interval, int64_t duration)
{
	int64_t next = warm_up;

	if (now >= warm_up)
		next += ((now - warm_up) / interval + 1) * interval;
	/* Behind a late one a short remainder says little: it joins the next. */
	if (now > warm_up && next - now < interval / 2)
		next += interval;
	if (duration > 0 && now < duration && next > duration - interval / 1000)
		return duration;
	return next;
}

double run_rate(uint64_t bytes, double length_s)
{
	return length_s > 0 ? (double)bytes / length_s / 1e6 : -1;
}

int run_has_failed(const struct run_connection *connection)
{
	switch (connection->reason) {
	case RUN_DONE:
	case RUN_INTERRUPTED: return 0;
	case RUN_PEER_CLOSED: return !connection->sends && connection->planned_s > 0;
	default: return 1;
	}
}

/* Room for one more of size bytes in *array, which holds count of them. */
static int make_room(void **array, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 8;
	void *grown;

	if (count < *room)
		return 0;
	grown = realloc(*array, more * size);
	if (!grown)
		return -1;
	*array = grown;
	*room = more;
	return 0;
}

struct run_series *run_add_series(struct run *run, unsigned int number, unsigned int round)
{
	void *array = run->series;
	int failed = make_room(&array, run->count, &run->room, sizeof(*run->series));

	run->series = array;
	if (failed)
		return NULL;
	run->series[run->count] = (struct run_series){ .number = number, .round = round };
	return &run->series[run->count++];
}

int run_add_rate(struct run_series *series, double rate, double start_s)
{
	size_t room = series->room, start_room = series->room;
	void *rates = series->rate, *starts = series->start_s;
	int failed = make_room(&rates, series->count, &room, sizeof(double)) ||
		     make_room(&starts, series->count, &start_room, sizeof(double));

	series->rate = rates;
	series->start_s = starts;
	if (failed)
		return -1;
	series->room = room;
	series->rate[series->count] = rate;
	series->start_s[series->count++] = start_s;
	return 0;
}

static void drop_first(struct run_series *series, size_t n)
{
	size_t left = series->count - n;

	if (n == 0)
		return;
	memmove(series->rate, series->rate + n, left * sizeof(*series->rate));
	memmove(series->start_s, series->start_s + n, left * sizeof(*series->start_s));
	series->count = left;
}

int run_drop_before(struct run *run, double start_s)
{
	for (size_t i = 0; i < run->count; i++) {
		struct run_series *series = &run->series[i];
		size_t n = 0;

		while (n < series->count && series->start_s[n] < start_s) {
			if (series->start_s[n] < 0)
				return -1;
			n++;
		}
		drop_first(series, n);
	}
	run->warm_up_s = start_s;
	return 0;
}

static struct run_setting *find_in(struct run_setting *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	return NULL;
}

static int set_in(struct run_setting **list, size_t *count, const char *name, const char *value)
{
	struct run_setting *setting = find_in(*list, *count, name), *grown;
	char *text = strdup(value), *key = setting ? NULL : strdup(name);

	if (text && setting) {
		free(setting->value);
		setting->value = text;
		return 0;
	}
	grown = realloc(*list, (*count + 1) * sizeof(*grown));
	if (grown)
		*list = grown;
	if (!text || !key || !grown) {
		free(text);
		free(key);
		return -1;
	}
	(*list)[(*count)++] = (struct run_setting){ .name = key, .value = text };
	return 0;
}

static void free_list(struct run_setting *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(list[i].name);
		free(list[i].value);
	}
	free(list);
}

int run_set(struct run *run, const char *name, const char *value)
{
	return set_in(&run->setting, &run->settings, name, value);
}

const char *run_setting(const struct run *run, const char *name)
{
	const struct run_setting *setting = find_in(run->setting, run->settings, name);

	return setting ? setting->value : NULL;
}

int run_add_environment(struct run *run, const char *key, const char *value)
{
	return set_in(&run->environment, &run->environments, key, value);
}

const char *run_environment(const struct run *run, const char *key)
{
	const struct run_setting *entry = find_in(run->environment, run->environments, key);

	return entry ? entry->value : NULL;
}

void run_free(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		free(run->series[i].rate);
		free(run->series[i].start_s);
	}
	free_list(run->setting, run->settings);
	free_list(run->environment, run->environments);
	free(run->series);
	*run = (struct run){ .parallel = 1 };
}
