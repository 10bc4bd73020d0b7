/* What the kernel said of a run: see evidence.h. */
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "netcount.h"
#include "run.h"
#include "watch.h"
#include "watcher.h"

#define SAMPLES_MAX 20000 /* of all connections: about 40 MB */

static struct evidence_connection *append(struct evidence *evidence)
{
	size_t room = evidence->room ? 2 * evidence->room : 16;
	struct evidence_connection *grown;

	if (evidence->count == evidence->room) {
		grown = realloc(evidence->connection, room * sizeof(*grown));
		if (!grown)
			return NULL;
		evidence->connection = grown;
		evidence->room = room;
	}
	return &evidence->connection[evidence->count++];
}

static int keep_facts(struct evidence_connection *to, struct watch *watch)
{
	struct facts *facts = malloc(sizeof(*facts));

	if (!facts)
		return -1;
	if (watch_connection(watch, facts))
		to->facts = facts;
	else
		free(facts);
	return 0;
}

/* All or none: a part of them would not reach to the end. */
static int keep_samples(struct evidence *evidence, struct evidence_connection *to,
			const struct watch *watch)
{
	const struct facts_sample *samples;
	size_t count = watch_samples(watch, &samples);

	to->start_s = watch_start_s(watch);
	if (count == 0 || evidence->samples + count > SAMPLES_MAX)
		return 0;
	to->samples = malloc(count * sizeof(*samples));
	if (!to->samples)
		return -1;
	memcpy(to->samples, samples, count * sizeof(*samples));
	to->sample_count = count;
	evidence->samples += count;
	return 0;
}

static int keep_peer(struct evidence *evidence, const struct watcher_answer *answer)
{
	if (!answer)
		return 0;
	evidence->asking_s = fmax(evidence->asking_s, answer->asking_s);
	evidence->cpu_s = answer->cpu_s;
	if (evidence->peer_command || !*answer->peer_command)
		return 0;
	evidence->peer_command = strdup(answer->peer_command);
	return evidence->peer_command ? 0 : -1;
}

static double counted(const struct netcount *before, const struct netcount *after, const char *name)
{
	double from = before ? netcount_get(before, name) : NAN;
	double to = after ? netcount_get(after, name) : NAN;

	return to >= from ? to - from : NAN;
}

static int fill(struct evidence *evidence, struct evidence_connection *to, struct watch *watch)
{
	if (!watch)
		return 0;
	if (keep_facts(to, watch) || keep_samples(evidence, to, watch))
		return -1;
	return keep_peer(evidence, watch_peer(watch));
}

/* Connections of a round end in any order; the last one goes where it belongs. */
static void sort_in_last(struct evidence *evidence)
{
	struct evidence_connection *list = evidence->connection, last = list[evidence->count - 1];
	size_t at = evidence->count - 1;

	for (; at > 0 && list[at - 1].number > last.number; at--)
		list[at] = list[at - 1];
	list[at] = last;
}

int evidence_add(struct evidence *evidence, const struct run_connection *connection,
		 struct watch *watch, const struct netcount *before, const struct netcount *after)
{
	struct evidence_connection *to = append(evidence);
	double length_s = connection->length_s > 0 ? connection->length_s : NAN;
	int failed;

	if (!to)
		return -1;
	*to = (struct evidence_connection){
		.number = connection->number,
		.rate = run_rate(connection->bytes, connection->length_s),
		.delayed_acks = counted(before, after, "TcpExt.DelayedACKs") / length_s,
		.timeouts = counted(before, after, "TcpExt.TCPTimeouts"),
	};
	failed = fill(evidence, to, watch);
	sort_in_last(evidence);
	return failed;
}

void evidence_free(struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->count; i++) {
		free(evidence->connection[i].facts);
		free(evidence->connection[i].samples);
	}
	free(evidence->connection);
	free(evidence->peer_command);
	*evidence = (struct evidence){ .cpu_s = NAN };
}
