/* The table of facts, and what samples come to: see facts.h. */
#include "facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S (1U << FACTS_SENDER)
#define R (1U << FACTS_RECEIVER)
#define H (1U << FACTS_HOST)

/* The roles at sender and receiver. */
#define BOTH(role) \
	{ \
		[FACTS_SENDER] = (role), [FACTS_RECEIVER] = (role) \
	}
#define ONE(end, part) \
	{ \
		[end] = (part) \
	}

#define TCP(where, bytes) .source = FACTS_FROM_TCP_INFO, .at = (where), .size = (bytes)
#define TCP_BITS(where, from, count) TCP(where, 1), .shift = (from), .bits = (count)
#define MEM(index) .source = FACTS_FROM_SKMEMINFO, .at = (index)
#define STAT(field) .source = FACTS_FROM_STAT, .at = (field)
#define SCHEDSTAT(word) .source = FACTS_FROM_SCHEDSTAT, .at = (word)
#define STATUS(name) .source = FACTS_FROM_STATUS, .key = (name)
#define HOST .source = FACTS_FROM_HOST, .ends = H

/* Offsets in struct tcp_info are ABI: fields are only ever added at its end. */
const struct facts_row facts_rows[FACTS] = {
	[FACT_CPU] = { "cpu", "", STAT(39), .ends = S | R, .help = "CPU it ran on last" },
	[FACT_STOPPED] = { "stopped", "", STAT(3), .kind = FACTS_SHARE, .ends = S | R,
			   .help = "samples that found it stopped by a signal" },
	[FACT_RUN] = { "run", "ns", SCHEDSTAT(1), .kind = FACTS_COUNTER, .per = FACTS_PER_TIME,
		       .role = BOTH(FACTS_SYMPTOM), .ends = S | R,
		       .help = "time on a CPU; the sender's holds the receiver's softirq work" },
	[FACT_RUNQ] = { "runq", "ns", SCHEDSTAT(2), .kind = FACTS_COUNTER, .per = FACTS_PER_TIME,
			.role = BOTH(FACTS_SYMPTOM), .ends = S | R,
			.help = "time ready to run, waiting for a CPU" },
	[FACT_VOLUNTARY] = { "voluntary_switches", "", STATUS("voluntary_ctxt_switches"),
			     .kind = FACTS_COUNTER, .per = FACTS_PER_SECOND,
			     .role = BOTH(FACTS_SYMPTOM), .ends = S | R,
			     .help = "times it went to sleep" },
	[FACT_INVOLUNTARY] = { "involuntary_switches", "", STATUS("nonvoluntary_ctxt_switches"),
			       .kind = FACTS_COUNTER, .per = FACTS_PER_SECOND,
			       .role = BOTH(FACTS_SYMPTOM), .ends = S | R,
			       .help = "times it was pushed off its CPU" },
	[FACT_MIGRATIONS] = { "migrations", "", .source = FACTS_FROM_SCHED,
			      .key = "se.nr_migrations", .kind = FACTS_COUNTER,
			      .per = FACTS_PER_NOTHING, .role = BOTH(FACTS_PLACEMENT),
			      .ends = S | R, .help = "moves to another CPU" },
	[FACT_READS] = { "read_calls", "", .source = FACTS_FROM_IO, .key = "syscr",
			 .kind = FACTS_COUNTER, .per = FACTS_PER_SECOND, .ends = R,
			 .help = "read calls of the process" },
	[FACT_WRITES] = { "write_calls", "", .source = FACTS_FROM_IO, .key = "syscw",
			  .kind = FACTS_COUNTER, .per = FACTS_PER_SECOND, .ends = S,
			  .help = "write calls of the process" },
	[FACT_THROTTLED] = { "throttled", "", .source = FACTS_FROM_CGROUP, .key = "nr_throttled",
			     .kind = FACTS_COUNTER, .per = FACTS_PER_NOTHING, .ends = S | R,
			     .help = "times that the CPU limit of its cgroup held it" },

	[FACT_RETRANSMITTING] = { "retransmitting", "", TCP(2, 1), .ends = S,
				  .help = "timeouts in a row of the oldest segment" },
	[FACT_SND_WSCALE] = { "snd_wscale", "bits", TCP_BITS(6, 0, 4),
			      .role = ONE(FACTS_SENDER, FACTS_PLACEMENT), .ends = S,
			      .help = "window scale of the receiver, from its SYN (RFC 7323)" },
	[FACT_RCV_WSCALE] = { "rcv_wscale", "bits", TCP_BITS(6, 4, 4), .ends = R,
			      .help = "the same, seen from the receiver" },
	[FACT_APP_LIMITED] = { "app_limited", "", TCP_BITS(7, 0, 1), .kind = FACTS_SHARE, .ends = S,
			       .help = "samples whose delivery_rate was marked" },
	[FACT_RTO] = { "rto", "us", TCP(8, 4), .ends = S,
		       .help = "retransmission timeout (RFC 6298)" },
	[FACT_ATO] = { "ato", "us", TCP(12, 4), .ends = R, .help = "delayed ACK timeout" },
	[FACT_SND_MSS] = { "snd_mss", "bytes", TCP(16, 4),
			   .role = ONE(FACTS_SENDER, FACTS_PLACEMENT), .ends = S,
			   .help = "largest segment it sends" },
	[FACT_RCV_MSS] = { "rcv_mss", "bytes", TCP(20, 4), .ends = R,
			   .help = "segment size as the receiver takes it" },
	[FACT_UNACKED] = { "unacked", "segments", TCP(24, 4),
			   .role = ONE(FACTS_SENDER, FACTS_SYMPTOM), .ends = S,
			   .help = "in flight" },
	[FACT_RCV_SSTHRESH] = { "rcv_ssthresh", "bytes", TCP(64, 4),
				.role = ONE(FACTS_RECEIVER, FACTS_SYMPTOM), .ends = R,
				.help = "clamp of the window that is offered" },
	[FACT_RTT] = { "rtt", "us", TCP(68, 4), .role = ONE(FACTS_SENDER, FACTS_SYMPTOM), .ends = S,
		       .help = "smoothed round trip, delayed ACKs included" },
	[FACT_RTTVAR] = { "rttvar", "us", TCP(72, 4), .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
			  .ends = S, .help = "its deviation" },
	[FACT_SSTHRESH] = { "ssthresh", "segments", TCP(76, 4),
			    .role = ONE(FACTS_SENDER, FACTS_SYMPTOM), .ends = S,
			    .help = "slow start threshold; unknown until first reached" },
	[FACT_CWND] = { "cwnd", "segments", TCP(80, 4), .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
			.ends = S, .help = "congestion window" },
	[FACT_RCV_RTT] = { "rcv_rtt", "us", TCP(92, 4), .role = ONE(FACTS_RECEIVER, FACTS_SYMPTOM),
			   .ends = R, .help = "round trip as the receiver takes it" },
	[FACT_RCV_SPACE] = { "rcv_space", "bytes", TCP(96, 4), .ends = R,
			     .help = "read in a round trip" },
	[FACT_RETRANSMITS] = { "retransmits", "segments", TCP(100, 4), .kind = FACTS_COUNTER,
			       .per = FACTS_PER_SEGMENT, .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
			       .ends = S, .help = "segments sent again" },
	[FACT_PACING_RATE] = { "pacing_rate", "bytes/s", TCP(104, 8), .ends = S,
			       .help = "at which segments may leave" },
	[FACT_MAX_PACING_RATE] = { "max_pacing_rate", "bytes/s", TCP(112, 8), .ends = S,
				   .help = "SO_MAX_PACING_RATE; unknown without one" },
	[FACT_BYTES_ACKED] = { "bytes_acked", "bytes", TCP(120, 8), .kind = FACTS_COUNTER,
			       .per = FACTS_PER_SECOND, .ends = S, .help = "acknowledged" },
	[FACT_BYTES_RECEIVED] = { "bytes_received", "bytes", TCP(128, 8), .kind = FACTS_COUNTER,
				  .per = FACTS_PER_SECOND, .ends = R, .help = "received in order" },
	[FACT_SEGMENTS_OUT] = { "segments_out", "segments", TCP(136, 4), .kind = FACTS_COUNTER,
				.per = FACTS_PER_SECOND, .ends = S | R, .help = "sent, ACKs too" },
	[FACT_SEGMENTS_IN] = { "segments_in", "segments", TCP(140, 4), .kind = FACTS_COUNTER,
			       .per = FACTS_PER_SECOND, .ends = S | R,
			       .help = "received, ACKs too" },
	[FACT_NOTSENT] = { "notsent", "bytes", TCP(144, 4),
			   .role = ONE(FACTS_SENDER, FACTS_SYMPTOM), .ends = S,
			   .help = "written and not yet sent" },
	[FACT_MIN_RTT] = { "min_rtt", "us", TCP(148, 4), .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
			   .ends = S, .help = "smallest round trip" },
	[FACT_DATA_SEGMENTS_IN] = { "data_segments_in", "segments", TCP(152, 4),
				    .kind = FACTS_COUNTER, .per = FACTS_PER_SECOND, .ends = R,
				    .help = "received, with data" },
	[FACT_DATA_SEGMENTS_OUT] = { "data_segments_out", "segments", TCP(156, 4),
				     .kind = FACTS_COUNTER, .per = FACTS_PER_SECOND, .ends = S,
				     .help = "sent, with data" },
	[FACT_DELIVERY_RATE] = { "delivery_rate", "bytes/s", TCP(160, 8), .ends = S,
				 .help = "of the last sample, no mean" },
	[FACT_BUSY] = { "busy", "us", TCP(168, 8), .kind = FACTS_COUNTER, .per = FACTS_PER_TIME,
			.role = ONE(FACTS_SENDER, FACTS_SYMPTOM), .ends = S,
			.help = "time with data to send or in flight" },
	[FACT_RWND_LIMITED] = { "rwnd_limited", "us", TCP(176, 8), .kind = FACTS_COUNTER,
				.per = FACTS_PER_TIME, .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
				.ends = S, .help = "time waiting for the receive window" },
	[FACT_SNDBUF_LIMITED] = { "sndbuf_limited", "us", TCP(184, 8), .kind = FACTS_COUNTER,
				  .per = FACTS_PER_TIME, .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
				  .ends = S, .help = "time waiting for the send buffer" },
	[FACT_DELIVERED] = { "delivered", "segments", TCP(192, 4), .kind = FACTS_COUNTER,
			     .per = FACTS_PER_SECOND, .ends = S, .help = "delivered" },
	[FACT_BYTES_SENT] = { "bytes_sent", "bytes", TCP(200, 8), .kind = FACTS_COUNTER,
			      .per = FACTS_PER_SECOND, .ends = S, .help = "sent, again too" },
	[FACT_DSACK_DUPS] = { "dsack_dups", "segments", TCP(216, 4), .kind = FACTS_COUNTER,
			      .per = FACTS_PER_SEGMENT, .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
			      .ends = S, .help = "sent again without need (DSACK, RFC 2883)" },
	[FACT_REORDERINGS] = { "reorderings", "", TCP(220, 4), .kind = FACTS_COUNTER,
			       .per = FACTS_PER_SEGMENT, .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
			       .ends = S, .help = "reordering seen" },
	[FACT_OUT_OF_ORDER] = { "out_of_order", "segments", TCP(224, 4), .kind = FACTS_COUNTER,
				.per = FACTS_PER_SEGMENT,
				.role = ONE(FACTS_RECEIVER, FACTS_SYMPTOM), .ends = R,
				.help = "received out of order" },
	[FACT_SND_WND] = { "snd_wnd", "bytes", TCP(228, 4),
			   .role = ONE(FACTS_SENDER, FACTS_SYMPTOM), .ends = S,
			   .help = "receive window as the sender knows it" },
	[FACT_RCV_WND] = { "rcv_wnd", "bytes", TCP(232, 4),
			   .role = ONE(FACTS_RECEIVER, FACTS_SYMPTOM), .ends = R,
			   .help = "receive window offered; 0 under load is normal" },
	[FACT_RTOS] = { "rtos", "", TCP(240, 2), .kind = FACTS_COUNTER, .per = FACTS_PER_NOTHING,
			.ends = S, .help = "retransmission timeouts" },

	/* All connections of a run ask alike: where sizes differ, they were autotuned. */
	[FACT_RCVBUF] = { "rcvbuf", "bytes", MEM(1), .role = ONE(FACTS_RECEIVER, FACTS_SYMPTOM),
			  .ends = R, .help = "receive buffer, twice what was asked" },
	[FACT_SNDBUF] = { "sndbuf", "bytes", MEM(3), .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
			  .ends = S, .help = "send buffer, twice what was asked" },
	[FACT_WMEM_QUEUED] = { "wmem_queued", "bytes", MEM(5),
			       .role = ONE(FACTS_SENDER, FACTS_SYMPTOM), .ends = S,
			       .help = "in the send buffer" },
	[FACT_DROPS] = { "drops", "segments", MEM(8), .kind = FACTS_COUNTER, .ends = R,
			 .help = "thrown away; duplicates too, so no proof of loss" },

	[FACT_CPUS] = { "cpus", "", HOST, .help = "CPUs online" },
	[FACT_TICKS] = { "ticks", "ticks", HOST, .kind = FACTS_COUNTER,
			 .help = "time of all CPUs" },
	[FACT_IDLE] = { "idle", "ticks", HOST, .kind = FACTS_COUNTER,
			.help = "of that with nothing to run, waiting for a disk included" },
	[FACT_STEAL] = { "steal", "ticks", HOST, .kind = FACTS_COUNTER,
			 .help = "of that taken by the hypervisor" },

	[FACT_SAME_CPU] = { "same_cpu", "", .source = FACTS_MADE, .kind = FACTS_RATIO,
			    .role = ONE(FACTS_HOST, FACTS_PLACEMENT), .ends = H,
			    .help = "samples with both ends on one CPU" },
	[FACT_SND_WND_MOST] = { "snd_wnd_most", "bytes", .source = FACTS_MADE, .kind = FACTS_RATIO,
				.ends = S, .help = "largest snd_wnd" },
	[FACT_MEAN_SEGMENT] = { "mean_segment", "bytes", .source = FACTS_MADE, .kind = FACTS_RATIO,
				.role = ONE(FACTS_SENDER, FACTS_SYMPTOM), .ends = S,
				.help = "bytes_sent by data_segments_out" },
	[FACT_SEGMENTS_PER_ACK] = { "segments_per_ack", "", .source = FACTS_MADE,
				    .kind = FACTS_RATIO, .role = ONE(FACTS_SENDER, FACTS_SYMPTOM),
				    .ends = S, .help = "data_segments_out by segments_in" },
	[FACT_BYTES_PER_READ] = { "bytes_per_read", "bytes", .source = FACTS_MADE,
				  .kind = FACTS_RATIO, .role = ONE(FACTS_RECEIVER, FACTS_SYMPTOM),
				  .ends = R, .help = "bytes_received by read_calls" },
	[FACT_LOST] = { "lost", "segments", .source = FACTS_MADE, .kind = FACTS_RATIO, .ends = S,
			.help = "retransmits less dsack_dups" },
	[FACT_STEAL_SHARE] = { "steal_share", "", .source = FACTS_MADE, .kind = FACTS_RATIO,
			       .role = ONE(FACTS_HOST, FACTS_SYMPTOM), .ends = H,
			       .help = "of the CPU time" },
	[FACT_OTHERS] = { "others_cpus", "cpus", .source = FACTS_MADE, .kind = FACTS_RATIO,
			  .role = ONE(FACTS_HOST, FACTS_SYMPTOM), .ends = H,
			  .help = "used by neither end" },
};

void facts_nothing(struct facts_sample *sample)
{
	memset(sample->congestion, 0, sizeof(sample->congestion));
	for (int end = 0; end < FACTS_HOST; end++)
		sample->process_time_s[end] = NAN;
	for (int end = 0; end < FACTS_ENDS; end++) {
		sample->time_s[end] = NAN;
		for (int fact = 0; fact < FACTS; fact++)
			sample->value[end][fact] = NAN;
	}
}

/* ---- one fact over time ---- */

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of what is known: the middle, the mean or the largest; NaN of nothing. */
static double middle_of(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), by_value);
	return n == 0 ? NAN : n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n == 0 ? NAN : sum / (double)n;
}

static double most_of(const double *x, size_t n)
{
	double most = NAN;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, x[i]);
	return most;
}

/* The known values of a level in all samples but the first; how many. */
static size_t collect(const struct facts_sample *sample, size_t n, int end, int fact, double *x)
{
	size_t count = 0;

	for (size_t i = 1; i < n; i++)
		if (!isnan(sample[i].value[end][fact]))
			x[count++] = sample[i].value[end][fact];
	return count;
}

static int wraps(const struct facts_row *row)
{
	return row->source == FACTS_FROM_TCP_INFO && row->size <= 4;
}

/*
 * How far a counter came in one step.  Those of 32 and 16 bits of tcp_info begin
 * again at 0: at 80,000 segments a second after 15 hours.
 */
static double step_of(const struct facts_row *row, double from, double to)
{
	double step = to - from, all = row->size == 4 ? 0x1p32 : 0x1p16;

	if (wraps(row) && step < -all / 2)
		step += all;
	return step < 0 ? NAN : step;
}

/* Of a counter that is known at both ends, step by step. */
static double difference(const struct facts_sample *sample, size_t n, int end, int fact)
{
	double last = sample[0].value[end][fact], sum = 0;

	for (size_t i = 1; i < n; i++) {
		double now = sample[i].value[end][fact];

		if (i + 1 < n && (isnan(now) || !wraps(&facts_rows[fact])))
			continue;
		sum += step_of(&facts_rows[fact], last, now);
		last = now;
	}
	return sum;
}

static double over_time(const struct facts_sample *sample, size_t n, int end, int fact, double *x)
{
	switch (facts_rows[fact].kind) {
	case FACTS_LEVEL: return middle_of(x, collect(sample, n, end, fact, x));
	case FACTS_SHARE: return mean_of(x, collect(sample, n, end, fact, x));
	case FACTS_COUNTER: return difference(sample, n, end, fact);
	default: return NAN;
	}
}

/* ---- what is made from others ---- */

static double ratio(double over, double under)
{
	return under > 0 ? over / under : NAN;
}

static void count_cpu(struct facts_cpus *cpus, double cpu)
{
	unsigned int i = 0;

	while (i < cpus->count && cpus->cpu[i] != (int)cpu)
		i++;
	if (i == FACTS_CPUS)
		return;
	cpus->cpu[i] = (int)cpu;
	cpus->share[i]++;
	cpus->count += i == cpus->count;
}

static void see_cpus(const struct facts_sample *sample, size_t n, struct facts *over)
{
	double both = 0, same = 0, known[FACTS_HOST] = { 0 };

	for (size_t i = 1; i < n; i++) {
		double s = sample[i].value[FACTS_SENDER][FACT_CPU];
		double r = sample[i].value[FACTS_RECEIVER][FACT_CPU];

		for (int end = 0; end < FACTS_HOST; end++)
			if (!isnan(sample[i].value[end][FACT_CPU])) {
				known[end]++;
				count_cpu(&over->cpus[end], sample[i].value[end][FACT_CPU]);
			}
		both += !isnan(s) && !isnan(r);
		same += (int)(s >= r) & (int)(s <= r);
	}
	for (int end = 0; end < FACTS_HOST; end++)
		for (unsigned int i = 0; i < over->cpus[end].count; i++)
			over->cpus[end].share[i] /= known[end];
	over->value[FACTS_HOST][FACT_SAME_CPU] = ratio(same, both);
}

static void make_ratios(struct facts *over)
{
	double *s = over->value[FACTS_SENDER], *r = over->value[FACTS_RECEIVER];
	double *host = over->value[FACTS_HOST];
	double used = facts_share(over, FACTS_SENDER, FACT_RUN) +
		      facts_share(over, FACTS_RECEIVER, FACT_RUN);

	/* /proc/PID/io counts read(2) and write(2), not recv(2) and send(2). */
	if (s[FACT_WRITES] <= 0 && s[FACT_BYTES_SENT] > 0)
		s[FACT_WRITES] = NAN;
	if (r[FACT_READS] <= 0 && r[FACT_BYTES_RECEIVED] > 0)
		r[FACT_READS] = NAN;
	s[FACT_MEAN_SEGMENT] = ratio(s[FACT_BYTES_SENT], s[FACT_DATA_SEGMENTS_OUT]);
	s[FACT_SEGMENTS_PER_ACK] = ratio(s[FACT_DATA_SEGMENTS_OUT], s[FACT_SEGMENTS_IN]);
	r[FACT_BYTES_PER_READ] = ratio(r[FACT_BYTES_RECEIVED], r[FACT_READS]);
	/* The sample of one counter may lie between a retransmit and its DSACK. */
	if (!isnan(s[FACT_RETRANSMITS]) && !isnan(s[FACT_DSACK_DUPS]))
		s[FACT_LOST] = fmax(0, s[FACT_RETRANSMITS] - s[FACT_DSACK_DUPS]);
	host[FACT_STEAL_SHARE] = ratio(host[FACT_STEAL], host[FACT_TICKS]);
	host[FACT_OTHERS] = (1 - ratio(host[FACT_IDLE], host[FACT_TICKS])) * host[FACT_CPUS] - used;
	if (host[FACT_OTHERS] < 0)
		host[FACT_OTHERS] = 0;
}

/* From one reading to a later one; NaN where both are the same. */
static double length(double from, double to)
{
	return to > from ? to - from : NAN;
}

/* The time between the two readings that a counter comes from. */
static double length_of(const struct facts *facts, enum facts_end end, enum fact fact)
{
	if (end < FACTS_HOST && facts_rows[fact].source <= FACTS_FROM_CGROUP)
		return facts->process_length_s[end];
	return facts->length_s[end];
}

/* A counter's difference over no time at all is none. */
static double known_over_time(const struct facts *over, const struct facts_sample *sample, size_t n,
			      int end, int fact, double *x)
{
	if (facts_rows[fact].kind == FACTS_COUNTER &&
	    isnan(length_of(over, (enum facts_end)end, (enum fact)fact)))
		return NAN;
	return over_time(sample, n, end, fact, x);
}

void facts_over(const struct facts_sample *sample, size_t n, struct facts *over)
{
	double *x = n < 2 ? NULL : malloc(n * sizeof(*x));

	*over = (struct facts){ .samples = x ? n : 0 };
	for (int end = 0; end < FACTS_HOST; end++)
		over->process_length_s[end] = x ? length(sample[0].process_time_s[end],
							 sample[n - 1].process_time_s[end])
						: NAN;
	for (int end = 0; end < FACTS_ENDS; end++) {
		over->length_s[end] = x ? length(sample[0].time_s[end], sample[n - 1].time_s[end])
					: NAN;
		for (int fact = 0; fact < FACTS; fact++)
			over->value[end][fact] = x ? known_over_time(over, sample, n, end, fact, x)
						   : NAN;
		if (x)
			memcpy(over->congestion[end], sample[n - 1].congestion[end], FACTS_NAME);
	}
	if (x) {
		over->value[FACTS_SENDER][FACT_SND_WND_MOST] = most_of(
			x, collect(sample, n, FACTS_SENDER, FACT_SND_WND, x));
		see_cpus(sample, n, over);
		make_ratios(over);
	}
	free(x);
}

/* ---- as figures ---- */

double facts_share(const struct facts *facts, enum facts_end end, enum fact fact)
{
	double units = strcmp(facts_rows[fact].unit, "ns") == 0 ? 1e9 : 1e6;

	return ratio(facts->value[end][fact] / units, length_of(facts, end, fact));
}

double facts_per_second(const struct facts *facts, enum facts_end end, enum fact fact)
{
	return ratio(facts->value[end][fact], length_of(facts, end, fact));
}

double facts_rate(const struct facts *facts, double otherwise)
{
	double rate = facts_per_second(facts, FACTS_RECEIVER, FACT_BYTES_RECEIVED);

	if (isnan(rate))
		rate = facts_per_second(facts, FACTS_SENDER, FACT_BYTES_ACKED);
	return isnan(rate) ? otherwise : rate;
}

double facts_figure(const struct facts *facts, enum facts_end end, enum fact fact)
{
	double value = facts->value[end][fact];

	switch (facts_rows[fact].per) {
	case FACTS_PER_SECOND: return facts_per_second(facts, end, fact);
	case FACTS_PER_TIME: return facts_share(facts, end, fact);
	case FACTS_PER_SEGMENT:
		return ratio(value, facts->value[FACTS_SENDER][FACT_DATA_SEGMENTS_OUT]);
	default: return value;
	}
}

/* ---- names ---- */

/* word is one of those that "_" joins in name: "us" is none of "busy". */
static int has_word(const char *name, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = name; (at = strstr(at, word)); at++)
		if ((at == name || at[-1] == '_') && (!at[length] || at[length] == '_'))
			return 1;
	return 0;
}

void facts_key(enum fact fact, char key[FACTS_KEY])
{
	const char *name = facts_rows[fact].name, *unit = facts_rows[fact].unit;
	const char *slash = strchr(unit, '/');

	if (slash)
		snprintf(key, FACTS_KEY, "%s_%.*s_per_%s", name, (int)(slash - unit), unit,
			 slash + 1);
	else if (!*unit || has_word(name, unit))
		snprintf(key, FACTS_KEY, "%s", name);
	else
		snprintf(key, FACTS_KEY, "%s_%s", name, unit);
}
