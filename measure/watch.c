/* The samples of one connection: see watch.h. */
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "facts.h"
#include "plan.h"
#include "watcher.h"

#define FIRST_S 0.02 /* the peer needs a moment to accept */
#define SETTLE_S 0.3 /* autotuning and slow start; up to 46 retransmits were seen in it */
#define LEAD_S 0.1   /* before an interval's end; 19 of 20 senders answered within 0.08 s */
#define PART 4	     /* of a short interval or connection: at most a fourth */
#define SAMPLES_MAX 512

struct watch {
	struct watcher *watcher;
	int slot;
	unsigned int connection, sequence;
	int64_t start;
	int64_t first, settled, before_end; /* when to ask, CLOCK_NEVER: not any more */
	double interval_s, duration_s, warm_up_s;
	struct watcher_answer answer; /* the newest */
	struct facts_sample newest, previous;
	int is_new;	/* the newest has not been used for an interval */
	double asked_s; /* when the newest was asked for that is for an interval's end */
	struct facts_sample *samples;
	size_t count, room;
	size_t stride, skipped; /* one of stride is kept */
};

struct watch *watch_open(struct watcher *watcher, const struct plan *plan, unsigned int connection,
			 int fd, pid_t worker, const struct sock_address *local,
			 const struct sock_address *remote)
{
	struct watch *watch = watcher->fd < 0 ? NULL : calloc(1, sizeof(*watch));

	if (!watch)
		return NULL;
	*watch = (struct watch){ .watcher = watcher,
				 .connection = connection,
				 .interval_s = plan->interval_s,
				 .duration_s = plan->duration_s,
				 .warm_up_s = plan->warm_up_s,
				 .stride = 1 };
	watch->slot = watcher_add(watcher, connection, fd, worker, local, remote);
	if (watch->slot >= 0)
		return watch;
	free(watch);
	return NULL;
}

void watch_close(struct watch *watch)
{
	if (!watch)
		return;
	watcher_drop(watch->watcher, watch->slot);
	free(watch->samples);
	free(watch);
}

/* ---- when ---- */

static double at_most(double value, double limit)
{
	return value < limit ? value : limit;
}

static double settle_s(const struct watch *watch)
{
	double settle = SETTLE_S;

	if (watch->duration_s > 0)
		settle = at_most(settle, watch->duration_s / PART);
	return watch->warm_up_s > settle ? watch->warm_up_s : settle;
}

void watch_begin(struct watch *watch, int64_t start, int64_t end)
{
	double first = at_most(FIRST_S, watch->interval_s / PART);

	watch_expect(watch, start, end);
	watch->start = start;
	watch->first = start + clock_from_seconds(first);
	watch->settled = start + clock_from_seconds(settle_s(watch));
}

void watch_expect(struct watch *watch, int64_t now, int64_t end)
{
	double lead = at_most(LEAD_S, clock_to_seconds(end - now) / PART);

	watch->before_end = end == CLOCK_NEVER ? CLOCK_NEVER : end - clock_from_seconds(lead);
	if (end == CLOCK_NEVER)
		watch->first = watch->settled = CLOCK_NEVER;
}

int64_t watch_next(const struct watch *watch)
{
	int64_t next = watch->first < watch->settled ? watch->first : watch->settled;

	return watch->before_end < next ? watch->before_end : next;
}

static int is_due(int64_t *when, int64_t now)
{
	if (now < *when)
		return 0;
	*when = CLOCK_NEVER;
	return 1;
}

/* ---- answers ---- */

/* When it was taken: the latest of its times. */
static double time_of(const struct facts_sample *sample)
{
	double latest = 0;

	for (int end = 0; end < FACTS_ENDS; end++)
		latest = fmax(latest, sample->time_s[end]);
	for (int end = 0; end < FACTS_HOST; end++)
		latest = fmax(latest, sample->process_time_s[end]);
	return latest;
}

/* Every second one goes when there is no more room. */
static void thin_out(struct watch *watch)
{
	for (size_t i = 1; 2 * i < watch->count; i++)
		watch->samples[i] = watch->samples[2 * i];
	watch->count = (watch->count + 1) / 2;
	watch->stride *= 2;
}

static int make_room(struct watch *watch)
{
	size_t room = watch->room ? 2 * watch->room : 16;
	struct facts_sample *grown;

	if (watch->count == SAMPLES_MAX)
		thin_out(watch);
	if (watch->count < watch->room)
		return 0;
	grown = realloc(watch->samples, room * sizeof(*grown));
	if (!grown)
		return -1;
	watch->samples = grown;
	watch->room = room;
	return 0;
}

static void keep(struct watch *watch)
{
	if (++watch->skipped < watch->stride || make_room(watch))
		return;
	watch->skipped = 0;
	watch->samples[watch->count++] = watch->newest;
}

/* What was another's, a server's that has found its worker, is no beginning for it. */
static void begin_anew(struct watch *watch)
{
	watch->count = 0;
	watch->stride = 1;
	watch->skipped = 0;
}

static void take(struct watch *watch)
{
	struct watcher_answer answer;
	struct facts_sample sample;
	double longest = watch->answer.asking_s;

	/* An answer for the one that had the slot before may still come in. */
	if (!watcher_take(watch->watcher, watch->slot, &watch->sequence, &answer, &sample) ||
	    answer.connection != watch->connection)
		return;
	if (watch->answer.peer_pid > 0 && answer.peer_pid > 0 &&
	    watch->answer.peer_pid != answer.peer_pid)
		begin_anew(watch);
	watch->answer = answer;
	watch->answer.asking_s = fmax(longest, answer.asking_s);
	watch->newest = sample;
	watch->is_new = 1;
	if (watch->count == 0)
		watch->previous = sample;
	keep(watch);
}

int watch_ask(struct watch *watch, int64_t now)
{
	int at_end = is_due(&watch->before_end, now);
	int due = is_due(&watch->first, now) | is_due(&watch->settled, now) | at_end;

	if (!due)
		return 0;
	if (at_end)
		watch->asked_s = clock_to_seconds(now);
	take(watch);
	watcher_want(watch->watcher, watch->slot);
	return 1;
}

int watch_interval(struct watch *watch, struct facts *facts)
{
	struct facts_sample two[2];

	take(watch);
	/* A late answer to an earlier question is not about this interval. */
	if (!watch->is_new || watch->count < 2 || time_of(&watch->newest) < watch->asked_s)
		return 0;
	two[0] = watch->previous;
	two[1] = watch->newest;
	facts_over(two, 2, facts);
	watch->previous = watch->newest;
	watch->is_new = 0;
	return 1;
}

/* It lacks an end, a process or the machine that an earlier one has. */
static int lacks(const struct facts_sample *sample, const struct facts_sample *earlier)
{
	int lacking = 0;

	for (int end = 0; end < FACTS_ENDS; end++)
		lacking |= isnan(sample->time_s[end]) && !isnan(earlier->time_s[end]);
	for (int end = 0; end < FACTS_HOST; end++)
		lacking |= isnan(sample->process_time_s[end]) &&
			   !isnan(earlier->process_time_s[end]);
	return lacking;
}

/*
 * A late answer may come after the connection's end, when an end or a process
 * is gone: no difference to it would be known.
 */
int watch_connection(struct watch *watch, struct facts *facts)
{
	double settled = clock_to_seconds(watch->start) + settle_s(watch);
	size_t from = 0, to = watch->count;

	/* The last one counts, whether it was to be kept or not. */
	if (watch->skipped > 0 && make_room(watch) == 0) {
		watch->samples[watch->count] = watch->newest;
		to = watch->count + 1;
	}
	while (to > 2 && lacks(&watch->samples[to - 1], &watch->samples[1]))
		to--;
	while (from < to && time_of(&watch->samples[from]) < settled)
		from++;
	if (from + 2 > to)
		from = 0;
	if (to < 2)
		return 0;
	facts_over(watch->samples + from, to - from, facts);
	return 1;
}

double watch_start_s(const struct watch *watch)
{
	return clock_to_seconds(watch->start);
}

size_t watch_samples(const struct watch *watch, const struct facts_sample **samples)
{
	*samples = watch->samples;
	return watch->count;
}

const struct watcher_answer *watch_peer(struct watch *watch)
{
	take(watch);
	return watch->answer.connection ? &watch->answer : NULL;
}
