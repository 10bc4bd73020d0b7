/* The rules and their evidence: see mechanism.h; their words: mechanism_say.h. */
#include "mechanism.h"

#include <math.h>

#include "facts.h"
#include "mechanism_say.h"

#define SPURIOUS_SHARE 0.8 /* of what was sent again: so much tells reordering from loss */

/* ---- three-valued logic, Kleene's ---- */

#define ALL(...) \
	least_of((const enum mechanism_evidence[]){ __VA_ARGS__ }, \
		 sizeof((const enum mechanism_evidence[]){ __VA_ARGS__ }) / \
			 sizeof(enum mechanism_evidence))

static enum mechanism_evidence least_of(const enum mechanism_evidence *all, size_t n)
{
	enum mechanism_evidence least = MECHANISM_YES;

	for (size_t i = 0; i < n; i++)
		if (all[i] < least)
			least = all[i];
	return least;
}

static enum mechanism_evidence either(enum mechanism_evidence a, enum mechanism_evidence b)
{
	return a > b ? a : b;
}

static enum mechanism_evidence no(enum mechanism_evidence a)
{
	return MECHANISM_YES - a;
}

static enum mechanism_evidence at_least(double x, double limit)
{
	if (!isfinite(x) || !isfinite(limit))
		return MECHANISM_UNKNOWN;
	return x >= limit ? MECHANISM_YES : MECHANISM_NO;
}

static enum mechanism_evidence at_most(double x, double limit)
{
	return at_least(limit, x);
}

static enum mechanism_evidence below(double x, double limit)
{
	return no(at_least(x, limit));
}

static enum mechanism_evidence above(double x, double limit)
{
	return no(at_most(x, limit));
}

/* ---- what is asked of the facts ---- */

static double sender(const struct mechanism_input *in, enum fact fact)
{
	return in->facts->value[FACTS_SENDER][fact];
}

static double receiver(const struct mechanism_input *in, enum fact fact)
{
	return in->facts->value[FACTS_RECEIVER][fact];
}

static double host(const struct mechanism_input *in, enum fact fact)
{
	return in->facts->value[FACTS_HOST][fact];
}

static double run(const struct mechanism_input *in, enum facts_end end)
{
	return facts_share(in->facts, end, FACT_RUN);
}

static double runq(const struct mechanism_input *in, enum facts_end end)
{
	return facts_share(in->facts, end, FACT_RUNQ);
}

static double busy(const struct mechanism_input *in)
{
	return facts_share(in->facts, FACTS_SENDER, FACT_BUSY);
}

static double rwnd(const struct mechanism_input *in)
{
	return facts_share(in->facts, FACTS_SENDER, FACT_RWND_LIMITED);
}

static enum mechanism_evidence both_run_below(const struct mechanism_input *in, double share)
{
	return ALL(below(run(in, FACTS_SENDER), share), below(run(in, FACTS_RECEIVER), share));
}

static enum mechanism_evidence is_idle(const struct mechanism_input *in)
{
	return both_run_below(in, 0.10);
}

static double both_run(const struct mechanism_input *in)
{
	return run(in, FACTS_SENDER) + run(in, FACTS_RECEIVER);
}

/* Less than a segment waits to be sent. */
static enum mechanism_evidence is_queue_empty(const struct mechanism_input *in)
{
	return below(sender(in, FACT_NOTSENT), sender(in, FACT_SND_MSS));
}

static enum mechanism_evidence is_stopped(const struct mechanism_input *in, enum facts_end end)
{
	return above(in->facts->value[end][FACT_STOPPED], 0);
}

/* ---- the evidence ---- */

static enum mechanism_evidence is_window_below_segment(const struct mechanism_input *in)
{
	double mss = sender(in, FACT_SND_MSS);

	return ALL(at_least(rwnd(in), 0.80), is_idle(in), below(receiver(in, FACT_RCVBUF), mss),
		   below(sender(in, FACT_SND_WND_MOST), mss));
}

static enum mechanism_evidence is_send_buffer_below_two(const struct mechanism_input *in)
{
	return ALL(is_idle(in), below(sender(in, FACT_SNDBUF), 2 * sender(in, FACT_SND_MSS)),
		   below(rwnd(in), 0.10), at_least(busy(in), 0.80),
		   at_least(sender(in, FACT_RTT), 2000), is_queue_empty(in));
}

static enum mechanism_evidence is_on_one_cpu(const struct mechanism_input *in)
{
	return ALL(at_least(host(in, FACT_SAME_CPU), 0.75), at_least(both_run(in), 0.85),
		   at_most(both_run(in), 1.1), both_run_below(in, 0.95),
		   at_least(runq(in, FACTS_SENDER) + runq(in, FACTS_RECEIVER), 0.05));
}

/* With others, that is: not two ends that share a CPU and fill it. */
static enum mechanism_evidence is_contended(const struct mechanism_input *in)
{
	return ALL(either(at_least(runq(in, FACTS_SENDER), 0.20),
			  at_least(runq(in, FACTS_RECEIVER), 0.20)),
		   either(below(host(in, FACT_SAME_CPU), 0.5), below(both_run(in), 0.85)));
}

static enum mechanism_evidence is_receiver_limited(const struct mechanism_input *in)
{
	double four = 4 * sender(in, FACT_SND_MSS);

	return ALL(no(is_window_below_segment(in)), at_least(rwnd(in), 0.50), no(is_contended(in)),
		   no(ALL(is_on_one_cpu(in), above(receiver(in, FACT_RCVBUF), four))));
}

/*
 * TCPTimeouts is of all connections of the namespace: it counts only where this
 * one has sent something again.
 */
static enum mechanism_evidence has_timeouts(const struct mechanism_input *in)
{
	if (!isnan(sender(in, FACT_RTOS)))
		return above(sender(in, FACT_RTOS), 0);
	return ALL(above(in->timeouts, 0), above(sender(in, FACT_RETRANSMITS), 0));
}

static enum mechanism_evidence has_lost(const struct mechanism_input *in)
{
	double lost = sender(in, FACT_LOST), again = sender(in, FACT_RETRANSMITS);

	/* Where most were not needed the rest may not have been either: not all are told. */
	return ALL(at_least(lost, 8), at_least(lost, 0.0005 * sender(in, FACT_DATA_SEGMENTS_OUT)),
		   above(lost, (1 - SPURIOUS_SHARE) * again));
}

static enum mechanism_evidence is_lossy(const struct mechanism_input *in)
{
	return ALL(either(has_lost(in), has_timeouts(in)), no(is_window_below_segment(in)));
}

static enum mechanism_evidence is_send_buffer_small(const struct mechanism_input *in)
{
	double sleeps = facts_per_second(in->facts, FACTS_SENDER, FACT_VOLUNTARY);

	return ALL(no(is_send_buffer_below_two(in)),
		   at_most(sender(in, FACT_SNDBUF), 4 * sender(in, FACT_SND_MSS)),
		   at_least(sleeps, 1000), both_run_below(in, 0.80), below(rwnd(in), 0.25),
		   at_least(busy(in), 0.30), is_queue_empty(in), no(is_contended(in)),
		   no(is_lossy(in)));
}

static enum mechanism_evidence is_at(double rate, double limit)
{
	return ALL(above(limit, 0), at_least(rate, 0.7 * limit), at_most(rate, 1.1 * limit));
}

/* Behind a slow link the path is what paces: its round trip is long. */
static enum mechanism_evidence is_paced(const struct mechanism_input *in)
{
	double limit = sender(in, FACT_MAX_PACING_RATE), pacing = sender(in, FACT_PACING_RATE);

	return ALL(both_run_below(in, 0.80), below(rwnd(in), 0.25), at_least(busy(in), 0.90),
		   at_least(sender(in, FACT_NOTSENT), sender(in, FACT_SND_MSS)),
		   below(sender(in, FACT_UNACKED), sender(in, FACT_CWND)), no(is_on_one_cpu(in)),
		   no(is_lossy(in)),
		   either(is_at(in->rate, limit),
			  ALL(is_at(in->rate, pacing), below(sender(in, FACT_RTT), 2000))));
}

static enum mechanism_evidence is_spurious(const struct mechanism_input *in)
{
	double again = sender(in, FACT_RETRANSMITS);

	return ALL(at_least(again, 50),
		   at_least(sender(in, FACT_DSACK_DUPS), SPURIOUS_SHARE * again),
		   at_least(again, 0.005 * sender(in, FACT_DATA_SEGMENTS_OUT)));
}

/*
 * Where the writes are known a segment holds at most two of them; that of a
 * process that may not be looked at is small all the same.
 */
static enum mechanism_evidence is_in_small_segments(const struct mechanism_input *in)
{
	enum mechanism_evidence small = below(sender(in, FACT_MEAN_SEGMENT),
					      sender(in, FACT_SND_MSS) / 8);
	enum mechanism_evidence full = at_least(run(in, FACTS_SENDER) + runq(in, FACTS_SENDER),
						0.80);
	double writes = sender(in, FACT_WRITES);

	if (isnan(writes))
		return full == MECHANISM_NO ? MECHANISM_NO : small;
	return ALL(
		small, full, at_least(sender(in, FACT_DATA_SEGMENTS_OUT), 0.5 * writes),
		at_most(sender(in, FACT_MEAN_SEGMENT) * writes, 2 * sender(in, FACT_BYTES_SENT)));
}

static enum mechanism_evidence is_application_limited(const struct mechanism_input *in)
{
	double sndbuf_limited = facts_share(in->facts, FACTS_SENDER, FACT_SNDBUF_LIMITED);

	return ALL(below(busy(in), 0.60), below(rwnd(in), 0.25), below(run(in, FACTS_SENDER), 0.90),
		   below(runq(in, FACTS_SENDER), 0.10), below(sndbuf_limited, 0.05),
		   above(sender(in, FACT_SNDBUF), 4 * sender(in, FACT_SND_MSS)),
		   no(is_stopped(in, FACTS_SENDER)));
}

static enum mechanism_evidence is_an_end_stopped(const struct mechanism_input *in)
{
	return either(is_stopped(in, FACTS_SENDER), is_stopped(in, FACTS_RECEIVER));
}

static enum mechanism_evidence is_cpu_taken(const struct mechanism_input *in)
{
	return either(at_least(host(in, FACT_STEAL_SHARE), 0.05), above(in->throttled, 0));
}

/* The last resort: nothing else explains it. */
static enum mechanism_evidence is_timer_awaited(const struct mechanism_input *in)
{
	const struct mechanism_rule *rule;

	for (size_t i = 0; (rule = mechanism_rule(i)); i++)
		if (rule->evidence != is_timer_awaited && rule->evidence(in) == MECHANISM_YES)
			return MECHANISM_NO;
	return ALL(is_idle(in), at_least(busy(in), 0.90), below(rwnd(in), 0.10),
		   at_most(sender(in, FACT_UNACKED), 0));
}

/* ---- the table ---- */

static const struct mechanism_rule rules[] = {
	{ "window-below-segment", "receive window below one segment",
	  "tcp_snd_wnd_test() and tcp_write_wakeup() in tcp_output.c; tcp_bound_to_half_wnd() and "
	  "tcp_probe0_base() in tcp.h; tcp_probe_timer() in tcp_timer.c; RFC 9293 3.8.6.1, "
	  "3.8.6.2.1",
	  is_window_below_segment, mechanism_say_window_below_segment },
	{ "send-buffer-below-two-segments", "send buffer below two segments",
	  "__tcp_ack_snd_check() in tcp_input.c; TCP_DELACK_MIN in tcp.h; RFC 1122 4.2.3.2; "
	  "RFC 9293 3.8.6.3",
	  is_send_buffer_below_two, mechanism_say_send_buffer_below_two },
	{ "receiver-limited", "receiver limited",
	  "TCP_CHRONO_RWND_LIMITED in tcp_write_xmit() of tcp_output.c; RFC 9293 3.8.6",
	  is_receiver_limited, mechanism_say_receiver_limited },
	{ "small-send-buffer", "small send buffer", "sk_stream_wait_memory() in net/core/stream.c",
	  is_send_buffer_small, mechanism_say_send_buffer_small },
	{ "paced", "paced", "tcp_pacing_check() in tcp_output.c; sk_max_pacing_rate in sock.h",
	  is_paced, mechanism_say_paced },
	{ "one-cpu", "both ends on one CPU", "/proc/PID/schedstat, sched-stats.rst", is_on_one_cpu,
	  mechanism_say_one_cpu },
	{ "cpu-contention", "waiting for a CPU", "/proc/PID/schedstat, sched-stats.rst",
	  is_contended, mechanism_say_contended },
	{ "loss", "loss",
	  "tcp_fastretrans_alert() in tcp_input.c; tcp_retransmit_timer() in tcp_timer.c; "
	  "RFC 6298 5; RFC 8985",
	  is_lossy, mechanism_say_loss },
	{ "spurious-retransmits", "spurious retransmits",
	  "tcp_check_dsack() in tcp_input.c; RFC 2883", is_spurious, mechanism_say_spurious },
	{ "small-segments", "small segments",
	  "tcp_nagle_check() in tcp_output.c; tcp_should_autocork() in tcp.c; RFC 896",
	  is_in_small_segments, mechanism_say_small_segments },
	{ "application-limited", "source limited",
	  "TCP_CHRONO_BUSY in tcp_add_write_queue_tail() of tcp.h", is_application_limited,
	  mechanism_say_application_limited },
	{ "stopped", "stopped", "/proc/PID/stat, proc(5)", is_an_end_stopped,
	  mechanism_say_stopped },
	{ "cpu-taken", "CPU time taken away",
	  "steal in /proc/stat, proc(5); nr_throttled in cpu.stat, cgroup-v2.rst", is_cpu_taken,
	  mechanism_say_cpu_taken },
	{ "timer", "waiting for a timer", "tcpi_busy_time and tcpi_unacked in linux/tcp.h",
	  is_timer_awaited, mechanism_say_timer },
};

_Static_assert(sizeof(rules) / sizeof(rules[0]) <= MECHANISMS_MAX, "room for all that fire");

const struct mechanism_rule *mechanism_rule(size_t index)
{
	return index < sizeof(rules) / sizeof(rules[0]) ? &rules[index] : NULL;
}

size_t mechanism_find(const struct mechanism_input *input, struct mechanism_hit *hits)
{
	const struct mechanism_rule *rule;
	size_t count = 0;

	for (size_t i = 0; (rule = mechanism_rule(i)); i++) {
		if (rule->evidence(input) != MECHANISM_YES)
			continue;
		hits[count].rule = rule;
		rule->say(input, hits[count].sentence, sizeof(hits[count].sentence));
		count++;
	}
	return count;
}
