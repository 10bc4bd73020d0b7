/*
 * facts: what the kernel says about a connection while its number is made.
 *
 * One table has a row for each fact: its name, where it comes from, its unit,
 * how it behaves in time, and its part in the search for what goes with fast
 * and slow.  The row drives sampling (watcher.h), differences, the columns of
 * -v, JSON and the manual page.
 *
 * A connection has two ends, and a fact of an end is its sender's or its
 * receiver's; the third "end" is the machine.  A value that is not known is a
 * NaN, never 0: a kernel that has no such fact, a peer on another host, a
 * process that may not be looked at.
 *
 * Pure: samples come in, nothing is asked here.  Sources: <linux/tcp.h> and
 * RFC 4898 for tcp_info, sock_diag(7), proc(5), Documentation/scheduler/
 * sched-stats.rst of Linux for schedstat.
 */
#ifndef MEASURE_FACTS_H
#define MEASURE_FACTS_H

#include <stddef.h>
#include <stdint.h>

enum facts_end { FACTS_SENDER, FACTS_RECEIVER, FACTS_HOST, FACTS_ENDS };

enum fact {
	/* of the process that owns the end */
	FACT_CPU,	  /* it ran on last */
	FACT_STOPPED,	  /* 1: SIGSTOP or a tracer holds it */
	FACT_RUN,	  /* on a CPU */
	FACT_RUNQ,	  /* ready, waiting for a CPU */
	FACT_VOLUNTARY,	  /* context switches: it slept */
	FACT_INVOLUNTARY, /* it was pushed aside */
	FACT_MIGRATIONS,
	FACT_READS, /* calls of the process */
	FACT_WRITES,
	FACT_THROTTLED,
	/* of the socket, struct tcp_info */
	FACT_RETRANSMITTING, /* consecutive timeouts of the segment in flight */
	FACT_SND_WSCALE,
	FACT_RCV_WSCALE,
	FACT_APP_LIMITED,
	FACT_RTO,
	FACT_ATO,
	FACT_SND_MSS,
	FACT_RCV_MSS,
	FACT_UNACKED,
	FACT_RCV_SSTHRESH,
	FACT_RTT,
	FACT_RTTVAR,
	FACT_SSTHRESH,
	FACT_CWND,
	FACT_RCV_RTT,
	FACT_RCV_SPACE,
	FACT_RETRANSMITS,
	FACT_PACING_RATE,
	FACT_MAX_PACING_RATE,
	FACT_BYTES_ACKED,
	FACT_BYTES_RECEIVED,
	FACT_SEGMENTS_OUT,
	FACT_SEGMENTS_IN,
	FACT_NOTSENT,
	FACT_MIN_RTT,
	FACT_DATA_SEGMENTS_IN,
	FACT_DATA_SEGMENTS_OUT,
	FACT_DELIVERY_RATE,
	FACT_BUSY,
	FACT_RWND_LIMITED,
	FACT_SNDBUF_LIMITED,
	FACT_DELIVERED,
	FACT_BYTES_SENT,
	FACT_DSACK_DUPS,
	FACT_REORDERINGS,
	FACT_OUT_OF_ORDER,
	FACT_SND_WND,
	FACT_RCV_WND,
	FACT_RTOS,
	/* of the socket, SK_MEMINFO_* */
	FACT_RCVBUF,
	FACT_SNDBUF,
	FACT_WMEM_QUEUED,
	FACT_DROPS,
	/* of the machine, /proc/stat */
	FACT_CPUS,
	FACT_TICKS, /* of all CPUs */
	FACT_IDLE,
	FACT_STEAL,
	/* made from those above by facts_over() */
	FACT_SAME_CPU,	   /* share of the samples with both ends on one CPU */
	FACT_SND_WND_MOST, /* the largest */
	FACT_MEAN_SEGMENT,
	FACT_SEGMENTS_PER_ACK,
	FACT_BYTES_PER_READ,
	FACT_LOST, /* retransmits that were not found unneeded */
	FACT_STEAL_SHARE,
	FACT_OTHERS, /* CPUs that neither end used nor that were idle */
	FACTS
};

enum facts_kind {
	FACTS_LEVEL,   /* a state: the median of its samples counts */
	FACTS_SHARE,   /* 0 or 1: the mean of its samples counts */
	FACTS_COUNTER, /* grows: the difference counts */
	FACTS_RATIO    /* made from others, above */
};

/* Its part in the search for what goes with fast and slow. */
enum facts_role {
	FACTS_LEFT_OUT,	 /* restates the speed, or never explains it */
	FACTS_PLACEMENT, /* or a setting: a candidate for a cause */
	FACTS_SYMPTOM
};

/* What a counter is divided by to be compared. */
enum facts_per { FACTS_PER_NOTHING, FACTS_PER_SECOND, FACTS_PER_TIME, FACTS_PER_SEGMENT };

enum facts_source {
	FACTS_FROM_STAT,      /* /proc/PID/stat, at: the field's number */
	FACTS_FROM_SCHEDSTAT, /* /proc/PID/schedstat, at: the word's number from 1 */
	FACTS_FROM_STATUS,    /* /proc/PID/status, key */
	FACTS_FROM_SCHED,     /* /proc/PID/sched, key */
	FACTS_FROM_IO,	      /* /proc/PID/io, key */
	FACTS_FROM_CGROUP,    /* cpu.stat of its cgroup, key */
	FACTS_FROM_TCP_INFO,  /* at, size: bytes in struct tcp_info; shift, bits: in the byte */
	FACTS_FROM_SKMEMINFO, /* at: index, linux/sock_diag.h */
	FACTS_FROM_HOST,      /* /proc/stat of the machine */
	FACTS_MADE
};

struct facts_row {
	const char *name; /* "rwnd_limited", as in JSON */
	const char *unit; /* "us", "ns", "bytes", "segments", "bytes/s" ...; "" for a number */
	enum facts_source source;
	unsigned int at, size, shift, bits;
	const char *key;
	enum facts_kind kind;
	enum facts_per per;
	enum facts_role role[FACTS_ENDS];
	unsigned int ends; /* a bit for each end that it says something of, 1 << FACTS_SENDER ... */
	const char *help;
};

extern const struct facts_row facts_rows[FACTS];

#define FACTS_NAME 16 /* of a congestion control, with its end (TCP_CA_NAME_MAX) */

/* All that is known at one time; each end answers when it can. */
struct facts_sample {
	/* When the socket, or for FACTS_HOST the machine, was read; NaN: it was not. */
	double time_s[FACTS_ENDS]; /* of a monotonic clock */
	double process_time_s[FACTS_HOST];
	double value[FACTS_ENDS][FACTS];
	char congestion[FACTS_ENDS][FACTS_NAME]; /* "": not known */
};

/* The CPUs that an end was seen on; further ones are not told apart. */
#define FACTS_CPUS 8
struct facts_cpus {
	unsigned int count;
	int cpu[FACTS_CPUS];
	double share[FACTS_CPUS]; /* of the samples */
};

/* Over a stretch of time: counters are differences, levels medians. */
struct facts {
	size_t samples;
	double length_s[FACTS_ENDS]; /* by the times of the answers themselves */
	double process_length_s[FACTS_HOST];
	double value[FACTS_ENDS][FACTS];
	struct facts_cpus cpus[FACTS_HOST];
	char congestion[FACTS_ENDS][FACTS_NAME];
};

/* A sample in which nothing is known. */
void facts_nothing(struct facts_sample *sample);

/*
 * From sample[0] to sample[n - 1].  Lengths are differences between the two;
 * counters too, step by step, since those of 32 bits begin again at 0; levels
 * the median, and shares the mean, of all but the first.  What is not known in
 * both, went back, or was read once for both, is not known.  n >= 2; with fewer
 * nothing is.
 */
void facts_over(const struct facts_sample *sample, size_t n, struct facts *over);

/* A time counter's part of the time, 0..1 and a little above; or NaN. */
double facts_share(const struct facts *facts, enum facts_end end, enum fact fact);

/* A counter per second, or NaN. */
double facts_per_second(const struct facts *facts, enum facts_end end, enum fact fact);

#define FACTS_KEY 64 /* of a key, with its end */

/*
 * The name of a fact with its unit, as in JSON: "rtt" and "us" make "rtt_us",
 * "pacing_rate" and "bytes/s" "pacing_rate_bytes_per_s"; one that has its unit
 * as a word already, such as "bytes_acked", stays as it is.
 */
void facts_key(enum fact fact, char key[FACTS_KEY]);

/*
 * bytes/s that arrived over the same time as the facts are of, by either end's
 * count; or otherwise, where neither is known.
 */
double facts_rate(const struct facts *facts, double otherwise);

/*
 * A fact as its row says that it is compared: a level as it is, a counter per
 * second, time or segment; or NaN.
 */
double facts_figure(const struct facts *facts, enum facts_end end, enum fact fact);

#endif
