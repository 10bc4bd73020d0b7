/* The word for what held a sender back: see limiter.h. */
#include "limiter.h"

#include <math.h>
#include <stdio.h>

#include "facts.h"

/* Every condition is one that a NaN fails: what is not known decides nothing. */
struct seen {
	const double *s, *r; /* values of sender and receiver */
	double rate;	     /* bytes/s */
	double same_cpu;
	double run_s, run_r, runq_s, runq_r; /* shares of the time */
	double busy, rwnd, sndbuf;
	double voluntary; /* a second */
	int idle;
};

static struct seen look(const struct facts *f, double rate)
{
	struct seen it = {
		.s = f->value[FACTS_SENDER],
		.r = f->value[FACTS_RECEIVER],
		.rate = facts_rate(f, rate),
		.same_cpu = f->value[FACTS_HOST][FACT_SAME_CPU],
		.run_s = facts_share(f, FACTS_SENDER, FACT_RUN),
		.run_r = facts_share(f, FACTS_RECEIVER, FACT_RUN),
		.runq_s = facts_share(f, FACTS_SENDER, FACT_RUNQ),
		.runq_r = facts_share(f, FACTS_RECEIVER, FACT_RUNQ),
		.busy = facts_share(f, FACTS_SENDER, FACT_BUSY),
		.rwnd = facts_share(f, FACTS_SENDER, FACT_RWND_LIMITED),
		.sndbuf = facts_share(f, FACTS_SENDER, FACT_SNDBUF_LIMITED),
		.voluntary = facts_per_second(f, FACTS_SENDER, FACT_VOLUNTARY),
	};

	it.idle = it.run_s < 0.10 && it.run_r < 0.10;
	return it;
}

static struct limiter say(enum limiter_word word, enum limiter_which which, double share)
{
	static const char *const ends[] = { "", " src", " snk", " both" };
	struct limiter limiter = { .word = word, .which = which, .share = fmin(share, 1) };

	if (isnan(share)) {
		const char *end = word == LIMITER_STOPPED ? "" : ends[which];
		const char *name = limiter_name(word);

		limiter.share = NAN;
		snprintf(limiter.text, sizeof(limiter.text), "%s%s", name ? name : "-", end);
	} else {
		snprintf(limiter.text, sizeof(limiter.text), "%s %.0f%%", limiter_name(word),
			 100 * limiter.share);
	}
	return limiter;
}

static struct limiter word(enum limiter_word word)
{
	return say(word, LIMITER_NEITHER, NAN);
}

/* The end with the larger of two values, of which one may not be known. */
static enum limiter_which larger(double source, double sink)
{
	return sink > source || isnan(source) ? LIMITER_SINK : LIMITER_SOURCE;
}

static int is_losing(const struct seen *it)
{
	double lost = it->s[FACT_LOST];

	return it->s[FACT_RTOS] > 0 ||
	       (lost >= 4 && lost >= 0.005 * it->s[FACT_DATA_SEGMENTS_OUT]) ||
	       (it->idle && it->s[FACT_RETRANSMITTING] > 0);
}

static int is_on_one_cpu(const struct seen *it)
{
	double sum = it->run_s + it->run_r;

	return it->same_cpu >= 0.75 && sum >= 0.85 && sum <= 1.1 &&
	       fmax(it->run_s, it->run_r) < 0.95 && it->runq_s + it->runq_r >= 0.05;
}

static int has_small_send_buffer(const struct seen *it)
{
	double mss = it->s[FACT_SND_MSS];

	return (it->s[FACT_SNDBUF] < 2 * mss && it->idle && it->busy >= 0.8) ||
	       (it->s[FACT_SNDBUF] <= 4 * mss && it->s[FACT_NOTSENT] < mss &&
		it->voluntary >= 1000);
}

static int is_paced(const struct seen *it)
{
	double pacing = it->s[FACT_PACING_RATE];

	return it->s[FACT_NOTSENT] >= it->s[FACT_SND_MSS] && it->busy >= 0.8 &&
	       it->s[FACT_UNACKED] < it->s[FACT_CWND] && pacing > 0 && it->rate >= 0.7 * pacing &&
	       it->rate <= 1.1 * pacing &&
	       (!isnan(it->s[FACT_MAX_PACING_RATE]) || it->s[FACT_RTT] < 2000);
}

/*
 * A full CPU closes the window behind it, so it comes before a window that was
 * short for a part of the time; loss comes before it, since sending again
 * costs CPU.
 */
static struct limiter at_the_ends(const struct seen *it)
{
	double runq = fmax(it->runq_s, it->runq_r), run = fmax(it->run_s, it->run_r);

	if (it->s[FACT_STOPPED] > 0 || it->r[FACT_STOPPED] > 0)
		return say(LIMITER_STOPPED, larger(it->s[FACT_STOPPED], it->r[FACT_STOPPED]), NAN);
	if (it->rwnd >= 0.80 && it->idle)
		return say(LIMITER_RWND, LIMITER_NEITHER, it->rwnd);
	if (is_losing(it))
		return word(LIMITER_LOSS);
	if (is_on_one_cpu(it))
		return say(LIMITER_CPU, LIMITER_BOTH, NAN);
	if (runq >= 0.20)
		return say(LIMITER_RUNQ, larger(it->runq_s, it->runq_r), NAN);
	if (run >= 0.85)
		return say(LIMITER_CPU, larger(it->run_s, it->run_r), NAN);
	return word(LIMITER_NONE);
}

static struct limiter between_them(const struct seen *it)
{
	/* A reader without a CPU closes the window: it must be known to have one. */
	if (it->rwnd >= 0.25 && it->run_r < 0.85)
		return say(LIMITER_RWND, LIMITER_NEITHER, it->rwnd);
	if (it->sndbuf >= 0.25)
		return say(LIMITER_SNDBUF, LIMITER_NEITHER, it->sndbuf);
	if (has_small_send_buffer(it))
		return word(LIMITER_SNDBUF);
	if (is_paced(it))
		return word(LIMITER_PACING);
	if (it->busy < 0.6)
		return word(LIMITER_APP);
	if (it->idle && it->busy >= 0.9 && it->s[FACT_UNACKED] <= 0)
		return word(LIMITER_TIMER);
	if (it->idle && it->busy >= 0.9 && it->s[FACT_UNACKED] > 0 && it->s[FACT_NOTSENT] > 0)
		return word(LIMITER_PATH);
	return word(LIMITER_NONE);
}

struct limiter limiter_of(const struct facts *facts, double rate)
{
	struct seen it = look(facts, rate);
	struct limiter limiter = at_the_ends(&it);

	return limiter.word != LIMITER_NONE ? limiter : between_them(&it);
}

const char *limiter_name(enum limiter_word word)
{
	static const char *const names[LIMITERS] = {
		[LIMITER_STOPPED] = "stopped", [LIMITER_RWND] = "rwnd", [LIMITER_LOSS] = "loss",
		[LIMITER_CPU] = "cpu",	       [LIMITER_RUNQ] = "runq", [LIMITER_SNDBUF] = "sndbuf",
		[LIMITER_PACING] = "pacing",   [LIMITER_APP] = "app",	[LIMITER_TIMER] = "timer",
		[LIMITER_PATH] = "path",
	};

	return names[word];
}
