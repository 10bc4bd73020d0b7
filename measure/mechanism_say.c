/* The sentences of the mechanisms: see mechanism_say.h. */
#include "mechanism_say.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "mechanism.h"
#include "words.h"

#define MB 1e6
#define MS_US 1e3

static double sender(const struct mechanism_input *in, enum fact fact)
{
	return in->facts->value[FACTS_SENDER][fact];
}

static double receiver(const struct mechanism_input *in, enum fact fact)
{
	return in->facts->value[FACTS_RECEIVER][fact];
}

/* A whole number: bytes and segments are counted, not estimated. */
static struct words_number whole(double count)
{
	struct words_number number = { "n/a" };

	if (isfinite(count) && count >= 0)
		snprintf(number.text, sizeof(number.text), "%.0f", count);
	return number;
}

/* A share of the time: two clocks may make it a little more than all of it. */
static struct words_number share(double part)
{
	struct words_number number = { "n/a" };

	return isfinite(part) && part >= 0 ? words_share(fmin(part, 1)) : number;
}

static struct words_number run(const struct mechanism_input *in, enum facts_end end)
{
	return share(facts_share(in->facts, end, FACT_RUN));
}

static int is_known(double x)
{
	return isfinite(x);
}

void mechanism_say_window_below_segment(const struct mechanism_input *in, char *text, size_t size)
{
	double bytes = sender(in, FACT_MEAN_SEGMENT);
	double times = facts_per_second(in->facts, FACTS_SENDER, FACT_DATA_SEGMENTS_OUT);

	snprintf(text, size, "The receive buffer (%s bytes", whole(receiver(in, FACT_RCVBUF)).text);
	if (is_known(in->rcvbuf_asked))
		words_append(text, size, ", SO_RCVBUF=%s", whole(in->rcvbuf_asked).text);
	if (in->rcvbuf_is_late)
		words_append(text, size, "%s set after connect",
			     is_known(in->rcvbuf_asked) ? "" : ",");
	words_append(text, size,
		     ") is smaller than one segment of the sender (%s): none fits into the window",
		     whole(sender(in, FACT_SND_MSS)).text);
	if (is_known(bytes) && is_known(times))
		words_append(
			text, size,
			", so %s bytes leave each time its probe timer fires, %s times a second",
			whole(bytes).text, words_times(times).text);
	words_append(text, size, ". The sender waited for the window %s of the time.",
		     share(facts_share(in->facts, FACTS_SENDER, FACT_RWND_LIMITED)).text);
	if (in->rcvbuf_is_late)
		words_append(text, size, " Set it early (-e).");
}

void mechanism_say_send_buffer_below_two(const struct mechanism_input *in, char *text, size_t size)
{
	snprintf(text, size,
		 "The send buffer (%s bytes) is below two segments of this path (2 x %s): one "
		 "segment is sent, then its ACK is awaited, which the receiver delays: smoothed "
		 "round trip %s ms",
		 whole(sender(in, FACT_SNDBUF)).text, whole(sender(in, FACT_SND_MSS)).text,
		 words_times(sender(in, FACT_RTT) / MS_US).text);
	if (is_known(sender(in, FACT_MIN_RTT)))
		words_append(text, size, ", shortest %s",
			     words_times(sender(in, FACT_MIN_RTT) / MS_US).text);
	words_append(text, size, "; both CPUs idle.");
	if (in->delayed_acks > 0 && is_known(in->delayed_acks))
		words_append(text, size, " DelayedACKs of this host: %s a second.",
			     words_times(in->delayed_acks).text);
}

/* As words_times() prints it. */
static int is_one(double times)
{
	return strcmp(words_times(times).text, "1") == 0;
}

/* "2 segments of 65483" */
static struct words_number segments_in(double bytes, double mss)
{
	struct words_number number;

	snprintf(number.text, sizeof(number.text), "%.9s segment%s of %.9s",
		 words_times(bytes / mss).text, is_one(bytes / mss) ? "" : "s", whole(mss).text);
	return number;
}

/* What closed the window: the first that the facts show. */
void mechanism_say_receiver_limited(const struct mechanism_input *in, char *text, size_t size)
{
	double rcvbuf = receiver(in, FACT_RCVBUF), mss = sender(in, FACT_SND_MSS);
	double pause_us = in->sink_pause_s * 1e6;

	snprintf(text, size, "The sender waited for the receive window %s of the time",
		 share(facts_share(in->facts, FACTS_SENDER, FACT_RWND_LIMITED)).text);
	if (pause_us > 0 && is_known(pause_us))
		words_append(text, size, ": the sink sleeps %s us after each read",
			     words_figure(pause_us).text);
	else if (is_known(rcvbuf) && rcvbuf <= 4 * mss && is_known(mss))
		words_append(text, size, ": the receive buffer (%s bytes) has room for %s",
			     whole(rcvbuf).text, segments_in(rcvbuf, mss).text);
	else if (facts_share(in->facts, FACTS_RECEIVER, FACT_RUN) >= 0.80)
		words_append(text, size, ": the CPU of the sink is full (%s)",
			     run(in, FACTS_RECEIVER).text);
	words_append(text, size, ".");
}

void mechanism_say_send_buffer_small(const struct mechanism_input *in, char *text, size_t size)
{
	double sndbuf = sender(in, FACT_SNDBUF), mss = sender(in, FACT_SND_MSS);
	double sleeps = facts_per_second(in->facts, FACTS_SENDER, FACT_VOLUNTARY);

	snprintf(text, size,
		 "The send buffer (%s bytes) has room for %s: the source fills it and sleeps, %s "
		 "times a second.",
		 whole(sndbuf).text, segments_in(sndbuf, mss).text, whole(sleeps).text);
}

void mechanism_say_paced(const struct mechanism_input *in, char *text, size_t size)
{
	double limit = sender(in, FACT_MAX_PACING_RATE);
	const char *by = in->facts->congestion[FACTS_SENDER];

	if (is_known(limit) && in->rate >= 0.7 * limit && in->rate <= 1.1 * limit)
		snprintf(text, size, "Paced: SO_MAX_PACING_RATE %s MB/sec",
			 words_figure(limit / MB).text);
	else
		snprintf(text, size, "Paced by %.*s at %s MB/sec", FACTS_NAME,
			 by[0] ? by : "the congestion control",
			 words_figure(sender(in, FACT_PACING_RATE) / MB).text);
	words_append(text, size, ", measured %s, %s MB waiting unsent.",
		     words_figure(in->rate / MB).text,
		     words_times(sender(in, FACT_NOTSENT) / MB).text);
}

/* The CPU that an end was mostly seen on; -1: there is none. */
static int mostly_on(const struct facts_cpus *cpus)
{
	for (unsigned int i = 0; i < cpus->count; i++)
		if (cpus->share[i] >= 0.75)
			return cpus->cpu[i];
	return -1;
}

void mechanism_say_one_cpu(const struct mechanism_input *in, char *text, size_t size)
{
	int cpu = mostly_on(&in->facts->cpus[FACTS_SENDER]);

	if (cpu >= 0 && cpu == mostly_on(&in->facts->cpus[FACTS_RECEIVER]))
		snprintf(text, size, "Both ends ran on CPU %d", cpu);
	else
		snprintf(text, size, "Both ends ran on the same CPU");
	words_append(text, size, ": %s source + %s sink of one CPU.", run(in, FACTS_SENDER).text,
		     run(in, FACTS_RECEIVER).text);
}

void mechanism_say_contended(const struct mechanism_input *in, char *text, size_t size)
{
	double source = facts_share(in->facts, FACTS_SENDER, FACT_RUNQ);
	double sink = facts_share(in->facts, FACTS_RECEIVER, FACT_RUNQ);
	double others = in->facts->value[FACTS_HOST][FACT_OTHERS];

	if (source >= 0.20 && sink >= 0.20)
		snprintf(text, size,
			 "The source was ready to run but waited for a CPU %s of the time, the "
			 "sink %s",
			 share(source).text, share(sink).text);
	else
		snprintf(text, size, "The %s was ready to run but waited for a CPU %s of the time",
			 source >= 0.20 ? "source" : "sink",
			 share(source >= 0.20 ? source : sink).text);
	if (is_known(others))
		words_append(text, size, "; others%s used %s CPUs meanwhile",
			     in->parallel > 1 ? ", connections of this run among them," : "",
			     words_times(others).text);
	words_append(text, size, ".");
}

/* "3 segments", "1 segment" */
static void add_count(char *text, size_t size, double count, const char *what)
{
	words_append(text, size, "%s%s %s%s", text[0] ? ", " : "", whole(count).text, what,
		     count > 1 ? "s" : "");
}

void mechanism_say_loss(const struct mechanism_input *in, char *text, size_t size)
{
	double lost = sender(in, FACT_LOST), rtos = sender(in, FACT_RTOS);
	double segments = sender(in, FACT_DATA_SEGMENTS_OUT);
	double timeouts = is_known(rtos) ? rtos : in->timeouts;

	text[0] = '\0';
	if (lost > 0 && is_known(lost)) {
		add_count(text, size, lost, "segment");
		words_append(text, size, " lost and sent again");
		if (lost <= segments && is_known(segments))
			words_append(text, size, " (%s%%)",
				     words_times(100 * lost / segments).text);
	}
	if (timeouts > 0 && is_known(timeouts)) {
		add_count(text, size, timeouts, "retransmission timeout");
		words_append(text, size, "%s", is_known(rtos) ? "" : " on this host");
	}
	words_append(text, size, "%s",
		     lost >= 8 ? ": packets are dropped, on the way or at the receiver."
			       : ": an ACK did not come in time.");
}

void mechanism_say_spurious(const struct mechanism_input *in, char *text, size_t size)
{
	double again = sender(in, FACT_RETRANSMITS), late = sender(in, FACT_REORDERINGS);

	snprintf(text, size,
		 "%s segments sent again, %s of which had arrived before (DSACK): they were late "
		 "or out of order, not lost",
		 whole(again).text, share(sender(in, FACT_DSACK_DUPS) / again).text);
	if (late > 0 && is_known(late))
		words_append(text, size, "; the sender saw reordering %s times", whole(late).text);
	words_append(text, size, ".");
}

void mechanism_say_small_segments(const struct mechanism_input *in, char *text, size_t size)
{
	double per_write = sender(in, FACT_DATA_SEGMENTS_OUT) / sender(in, FACT_WRITES);
	double source = facts_share(in->facts, FACTS_SENDER, FACT_RUN);

	text[0] = '\0';
	if (is_known(per_write))
		words_append(text, size, "%s segment%s per write,", words_times(per_write).text,
			     is_one(per_write) ? "" : "s");
	else
		words_append(text, size, "Small segments");
	words_append(text, size, " of %s bytes each where %s are possible",
		     whole(sender(in, FACT_MEAN_SEGMENT)).text,
		     whole(sender(in, FACT_SND_MSS)).text);
	if (is_known(per_write))
		words_append(text, size, ": writes hardly coalesce, as with TCP_NODELAY");
	if (is_known(source))
		words_append(text, size, "; CPU of the source %s", run(in, FACTS_SENDER).text);
	words_append(text, size, ".");
}

void mechanism_say_application_limited(const struct mechanism_input *in, char *text, size_t size)
{
	double pause_us = in->source_pause_s * 1e6;
	double busy = facts_share(in->facts, FACTS_SENDER, FACT_BUSY);

	snprintf(text, size, "The source had nothing to send %s of the time",
		 share(fmax(0, 1 - busy)).text);
	if (pause_us > 0 && is_known(pause_us))
		words_append(text, size, ": it sleeps %s us after each write",
			     words_figure(pause_us).text);
	words_append(text, size, ".");
}

void mechanism_say_stopped(const struct mechanism_input *in, char *text, size_t size)
{
	double source = sender(in, FACT_STOPPED), sink = receiver(in, FACT_STOPPED);
	double larger = sink > source || isnan(source) ? sink : source;

	snprintf(text, size,
		 "The %s was found stopped in %s of the samples (SIGSTOP, or a tracer).",
		 source > 0 ? sink > 0 ? "source and the sink" : "source" : "sink",
		 share(larger).text);
}

void mechanism_say_cpu_taken(const struct mechanism_input *in, char *text, size_t size)
{
	double steal = in->facts->value[FACTS_HOST][FACT_STEAL_SHARE];

	text[0] = '\0';
	if (steal >= 0.05 && is_known(steal))
		words_append(text, size, "The hypervisor took %s of the CPU time.",
			     share(steal).text);
	if (in->throttled > 0 && is_known(in->throttled))
		words_append(text, size,
			     "%sA cgroup was held back by its CPU limit in %s period%s.",
			     text[0] ? " " : "", whole(in->throttled).text,
			     in->throttled > 1 ? "s" : "");
}

void mechanism_say_timer(const struct mechanism_input *in, char *text, size_t size)
{
	snprintf(text, size,
		 "Data waits %s of the time, nothing is in flight, and both CPUs are idle (%s "
		 "source, %s sink): a timer is awaited.",
		 share(facts_share(in->facts, FACTS_SENDER, FACT_BUSY)).text,
		 run(in, FACTS_SENDER).text, run(in, FACTS_RECEIVER).text);
}
