/* What the kernel said, in print: see figures.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "figures.h"
#include "json.h"
#include "limiter.h"
#include "watcher.h"
#include "words.h"

/* ---- the columns of an interval ---- */

/* Microseconds as they are below 10000, milliseconds from there on. */
static struct words_number round_trip(double us)
{
	struct words_number number;

	if (isnan(us))
		snprintf(number.text, sizeof(number.text), "n/a");
	else if (us < 10000)
		snprintf(number.text, sizeof(number.text), "%.0fus", us);
	else
		snprintf(number.text, sizeof(number.text), "%.0fms", us / 1000);
	return number;
}

/* NULL are facts of which none is known. */
static const struct facts *or_nothing(const struct facts *facts, struct facts *nothing)
{
	if (facts)
		return facts;
	facts_over(NULL, 0, nothing);
	return nothing;
}

void figures_columns(FILE *out, const struct facts *facts, double rate, double bytes_per_call,
		     const char *unit)
{
	struct facts nothing;
	const double *s, *r;
	struct limiter limiter;

	facts = or_nothing(facts, &nothing);
	s = facts->value[FACTS_SENDER];
	r = facts->value[FACTS_RECEIVER];
	limiter = limiter_of(facts, rate * 1e6);
	fprintf(out, "  %-9s %3s>%-3s %6s %s  cw %-4s rtt %-7s rtx ", limiter.text,
		words_whole(s[FACT_CPU]).text, words_whole(r[FACT_CPU]).text,
		words_whole(bytes_per_call).text, unit, words_whole(s[FACT_CWND]).text,
		round_trip(s[FACT_RTT]).text);
	if (s[FACT_DSACK_DUPS] > 0)
		fprintf(out, "%s +%.0f spurious", words_whole(s[FACT_LOST]).text,
			s[FACT_DSACK_DUPS]);
	else
		fprintf(out, "%s", words_whole(s[FACT_RETRANSMITS]).text);
}

/* ---- JSON ---- */

static void end_json(struct json *json, const char *name, const struct facts *facts, int end)
{
	char key[FACTS_KEY];

	if (!facts->samples) {
		json_null(json, name);
		return;
	}
	json_open(json, name, '{');
	json_real(json, "length_s", facts->length_s[end]);
	if (end != FACTS_HOST)
		json_text(json, "congestion",
			  *facts->congestion[end] ? facts->congestion[end] : NULL);
	for (int fact = 0; fact < FACTS; fact++) {
		if (!(facts_rows[fact].ends & 1U << end))
			continue;
		facts_key((enum fact)fact, key);
		json_real(json, key, facts->value[end][fact]);
	}
	json_close(json, '}');
}

void figures_facts_json(struct json *json, const struct facts *facts, double rate)
{
	static const char *const sides[] = { [LIMITER_NEITHER] = NULL,
					     [LIMITER_SOURCE] = "source",
					     [LIMITER_SINK] = "sink",
					     [LIMITER_BOTH] = "both" };
	struct facts nothing;
	const double *s;
	struct limiter limiter;

	facts = or_nothing(facts, &nothing);
	s = facts->value[FACTS_SENDER];
	limiter = limiter_of(facts, rate * 1e6);
	json_text(json, "limiter", limiter_name(limiter.word));
	json_text(json, "limiter_side", sides[limiter.which]);
	json_real(json, "limiter_share", limiter.share);
	json_real(json, "sender_cpu", s[FACT_CPU]);
	json_real(json, "receiver_cpu", facts->value[FACTS_RECEIVER][FACT_CPU]);
	json_real(json, "cwnd_segments", s[FACT_CWND]);
	json_real(json, "rtt_us", s[FACT_RTT]);
	json_real(json, "retransmits_segments", s[FACT_RETRANSMITS]);
	end_json(json, "sender", facts, FACTS_SENDER);
	end_json(json, "receiver", facts, FACTS_RECEIVER);
	end_json(json, "host", facts, FACTS_HOST);
}

/* ---- who is at the other end ---- */

static const char *not_seen(const struct watcher_answer *answer)
{
	switch (answer ? answer->peer : WATCHER_NOT_HERE) {
	case WATCHER_NOT_FOUND: return "on another host or in another network namespace, or gone";
	case WATCHER_NOT_PERMITTED: return "not permitted";
	case WATCHER_GONE: return "the process that asks the kernel is gone";
	case WATCHER_NO_ROOM: return "no descriptors left to look with";
	case WATCHER_PENDING: return "it was not looked for in time";
	default: return "n/a: no TCP, or this system cannot tell";
	}
}

void figures_peer(FILE *out, const char *other, unsigned int connection,
		  const struct watcher_answer *answer)
{
	struct words words;

	words_begin(&words, out, 2, "");
	words_text(&words, "%s", other);
	if (connection)
		words_text(&words, "of connection %u", connection);
	words_mark(&words, ':');
	words.indent = 4;
	if (!answer || answer->peer != WATCHER_SEEN) {
		words_text(&words, "not seen (%s)", not_seen(answer));
	} else if (answer->peer_pid <= 0) {
		words_text(&words, "seen through sock_diag, its process not (another user's, or "
				   "/proc does not show it)");
	} else {
		words_break(&words, *answer->peer_command ? answer->peer_command : "command n/a");
		words_mark(&words, ',');
		words_add(&words, "pid %ld, seen through sock_diag", (long)answer->peer_pid);
	}
	words_end(&words);
}

void figures_peer_json(FILE *out, unsigned int connection, const struct watcher_answer *answer)
{
	int seen = answer && answer->peer == WATCHER_SEEN;
	struct json json;

	json_begin(&json, out, "peer");
	json_count(&json, "connection", connection);
	json_bool(&json, "seen", seen);
	json_text(&json, "not_seen", seen ? NULL : not_seen(answer));
	if (seen && answer->peer_pid > 0)
		json_count(&json, "pid", (uint64_t)answer->peer_pid);
	else
		json_null(&json, "pid");
	json_text(&json, "command", seen && *answer->peer_command ? answer->peer_command : NULL);
	json_end(&json);
}
