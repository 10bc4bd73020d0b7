/*
 * The mechanisms: each fires on the facts of its recipe with these words, not
 * when any one condition is broken, and none on a healthy connection; what is
 * not known never makes one fire, and never stands in a sentence.
 */
#include "../measure/mechanism.h"
#include "test.h"
#include "test_facts.h"

#define MOST 20

struct recipe {
	const char *what;
	const char *rules; /* all that fire */
	const char *sentence;
	double rate_mb;
	double sink_pause_s, source_pause_s, delayed_acks, timeouts, throttled; /* 0: not known */
	double rcvbuf_asked;
	const char *congestion;
	struct given given[MOST];  /* on top of the healthy ones */
	struct given broken[MOST]; /* each alone: the first of rules must not fire */
	struct given kept[MOST];   /* each alone, at its limit: it must */
};

/* cubic with 64K writes on two CPUs; not known: max_pacing_rate, ssthresh. */
static const struct given healthy[] = {
	SRC(STOPPED, 0),
	SNK(STOPPED, 0),
	SRC(RUN, 0.97),
	SNK(RUN, 0.80),
	SRC(RUNQ, 0.02),
	SNK(RUNQ, 0.03),
	SRC(VOLUNTARY, 300),
	SRC(BUSY, 0.99),
	SRC(RWND_LIMITED, 0.03),
	SRC(SNDBUF_LIMITED, 0.01),
	SRC(SND_MSS, 65483),
	SRC(RTT, 30),
	SRC(MIN_RTT, 8),
	SRC(CWND, 24),
	SRC(UNACKED, 9),
	SRC(NOTSENT, 8e5),
	SRC(SNDBUF, 2626560),
	SNK(RCVBUF, 6291456),
	SRC(SND_WND_MOST, 3145728),
	SRC(PACING_RATE, 60e9),
	SRC(BYTES_SENT, 11.1e9),
	SRC(WRITES, 169000),
	SRC(DATA_SEGMENTS_OUT, 170000),
	SRC(MEAN_SEGMENT, 65294),
	SRC(RETRANSMITS, 56),
	SRC(DSACK_DUPS, 55),
	SRC(LOST, 1),
	SRC(REORDERINGS, 3),
	SRC(RTOS, 0),
	SRC(RETRANSMITTING, 0),
	SRC(APP_LIMITED, 0.6),
	HST(SAME_CPU, 0),
	HST(STEAL_SHARE, 0.001),
	HST(OTHERS, 0.05),
};

static double known(double value)
{
	return value > 0 ? value : NAN;
}

static struct mechanism_input input_of(const struct recipe *recipe, struct facts *facts)
{
	nothing(facts);
	give_all(facts, healthy, sizeof(healthy) / sizeof(healthy[0]));
	for (size_t i = 0; i < MOST; i++)
		if (recipe->given[i].end != 0 || recipe->given[i].fact != 0)
			give(facts, &recipe->given[i]);
	facts->cpus[FACTS_SENDER] = (struct facts_cpus){ 2, { 1, 0 }, { 0.1, 0.9 } };
	facts->cpus[FACTS_RECEIVER] = (struct facts_cpus){ 1, { 0 }, { 1 } };
	if (recipe->congestion)
		strcpy(facts->congestion[FACTS_SENDER], recipe->congestion);
	return (struct mechanism_input){
		.facts = facts,
		.rate = recipe->rate_mb > 0 ? 1e6 * recipe->rate_mb : 5.5e9,
		.sink_pause_s = known(recipe->sink_pause_s),
		.source_pause_s = known(recipe->source_pause_s),
		.rcvbuf_asked = known(recipe->rcvbuf_asked),
		.rcvbuf_is_late = recipe->rcvbuf_asked > 0,
		.delayed_acks = known(recipe->delayed_acks),
		.timeouts = known(recipe->timeouts),
		.throttled = known(recipe->throttled),
	};
}

/* The names of all that fire, with a blank between them. */
static const char *names(const struct mechanism_input *in, struct mechanism_hit *hits)
{
	static char text[512];
	size_t n = mechanism_find(in, hits);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 hits[i].rule->name);
	return text;
}

static const struct recipe recipes[] = {
	{
		.what = "sink -t SO_RCVBUF=8192",
		.rules = "window-below-segment",
		.sentence =
			"The receive buffer (16384 bytes, SO_RCVBUF=8192 set after connect) is "
			"smaller than one segment of the sender (32768): none fits into the "
			"window, so 16384 bytes leave each time its probe timer fires, 5 times a "
			"second. The sender waited for the window 100% of the time. Set it early "
			"(-e).",
		.rate_mb = 0.08,
		.rcvbuf_asked = 8192,
		/* cubic: one timeout in the first second, which is not loss */
		.given = { SRC(RUN, 0), SNK(RUN, 0), SRC(RWND_LIMITED, 1.003), SRC(BUSY, 1),
			   SNK(RCVBUF, 16384), SRC(SND_MSS, 32768), SRC(SND_WND_MOST, 16384),
			   SRC(RTOS, 1), SRC(UNACKED, 0), SRC(DATA_SEGMENTS_OUT, 10),
			   SRC(MEAN_SEGMENT, 16384), SRC(LOST, 0), SRC(RETRANSMITS, 0),
			   SRC(DSACK_DUPS, 0), SRC(WRITES, 4) },
		.broken = { SRC(RWND_LIMITED, 0.79), SRC(RUN, 0.1), SNK(RUN, 0.1),
			    SNK(RCVBUF, 32768), SRC(SND_WND_MOST, 32768) },
		.kept = { SRC(RWND_LIMITED, 0.8), SRC(RUN, 0.099), SNK(RUN, 0.099),
			  SNK(RCVBUF, 32767), SRC(SND_WND_MOST, 32767) },
	},
	{
		.what = "source -b 1M -t SO_SNDBUF=4096",
		.rules = "send-buffer-below-two-segments",
		.sentence = "The send buffer (8192 bytes) is below two segments of this path (2 x "
			    "65483): one segment is sent, then its ACK is awaited, which the "
			    "receiver delays: smoothed round trip 32.7 ms, shortest 0.002; both "
			    "CPUs idle. DelayedACKs of this host: 23 a second.",
		.rate_mb = 1.7,
		.delayed_acks = 23,
		.given = { SRC(RUN, 0.01), SNK(RUN, 0.01), SRC(SNDBUF, 8192), SRC(RWND_LIMITED, 0),
			   SRC(BUSY, 0.99), SRC(RTT, 32700), SRC(MIN_RTT, 2), SRC(NOTSENT, 0),
			   SRC(UNACKED, 1), SRC(VOLUNTARY, 25) },
		.broken = { SRC(RUN, 0.1), SNK(RUN, 0.1), SRC(SNDBUF, 130966),
			    SRC(RWND_LIMITED, 0.1), SRC(BUSY, 0.79), SRC(RTT, 1999),
			    SRC(NOTSENT, 65483) },
		.kept = { SRC(RUN, 0.099), SNK(RUN, 0.099), SRC(SNDBUF, 130965),
			  SRC(RWND_LIMITED, 0.099), SRC(BUSY, 0.8), SRC(RTT, 2000),
			  SRC(NOTSENT, 65482) },
	},
	{
		.what = "sink -D 1000",
		.rules = "receiver-limited",
		.sentence = "The sender waited for the receive window 95% of the time: the sink "
			    "sleeps 1000 us after each read.",
		.rate_mb = 41,
		.sink_pause_s = 0.001,
		.given = { SRC(RUN, 0.01), SNK(RUN, 0.02), SRC(RWND_LIMITED, 0.95),
			   SRC(RTT, 1164) },
		.broken = { SRC(RWND_LIMITED, 0.49), SNK(RUNQ, 0.2), SRC(RUNQ, 0.2) },
		.kept = { SRC(RWND_LIMITED, 0.5), SNK(RUNQ, 0.199), SRC(RUNQ, 0.199) },
	},
	{
		.what = "sink -e SO_RCVBUF=65536",
		.rules = "receiver-limited",
		.sentence = "The sender waited for the receive window 61% of the time: the receive "
			    "buffer (131072 bytes) has room for 4 segments of 32768.",
		.given = { SRC(RWND_LIMITED, 0.61), SNK(RCVBUF, 131072), SRC(SND_MSS, 32768) },
	},
	{
		.what = "1K reads",
		.rules = "receiver-limited",
		.sentence = "The sender waited for the receive window 84% of the time: the CPU of "
			    "the sink is full (91%).",
		.given = { SRC(RUN, 0.3), SNK(RUN, 0.91), SRC(RWND_LIMITED, 0.84) },
	},
	{
		.what = "a slow foreign sink",
		.rules = "receiver-limited",
		.sentence = "The sender waited for the receive window 84% of the time.",
		.given = { SRC(RUN, 0.3), SNK(RUN, 0.3), SRC(RWND_LIMITED, 0.84) },
	},
	{
		.what = "source -b 1M -t SO_SNDBUF=65536",
		.rules = "small-send-buffer",
		.sentence = "The send buffer (131072 bytes) has room for 2 segments of 65483: the "
			    "source fills it and sleeps, 9400 times a second.",
		.rate_mb = 1900,
		.given = { SRC(RUN, 0.6), SNK(RUN, 0.5), SRC(SNDBUF, 131072), SRC(NOTSENT, 0),
			   SRC(VOLUNTARY, 9400), SRC(BUSY, 0.7) },
		.broken = { SRC(SNDBUF, 262144), SRC(VOLUNTARY, 999), SRC(RUN, 0.8), SNK(RUN, 0.8),
			    SRC(RWND_LIMITED, 0.25), SRC(BUSY, 0.29), SRC(NOTSENT, 65483),
			    SNK(RUNQ, 0.2), SRC(RTOS, 1) },
		.kept = { SRC(SNDBUF, 261932), SRC(VOLUNTARY, 1000), SRC(RUN, 0.799),
			  SNK(RUN, 0.799), SRC(RWND_LIMITED, 0.249), SRC(BUSY, 0.3),
			  SRC(NOTSENT, 65482), SNK(RUNQ, 0.199) },
	},
	{
		.what = "source -t SO_MAX_PACING_RATE=100M",
		.rules = "paced",
		.sentence = "Paced: SO_MAX_PACING_RATE 100 MB/sec, measured 99.8, 3.9 MB waiting "
			    "unsent.",
		.rate_mb = 99.8,
		.given = { SRC(RUN, 0.03), SNK(RUN, 0.02), SRC(NOTSENT, 3.9e6),
			   SRC(MAX_PACING_RATE, 100e6), SRC(PACING_RATE, 100e6) },
		.broken = { SRC(RUN, 0.8), SNK(RUN, 0.8), SRC(RWND_LIMITED, 0.25), SRC(BUSY, 0.89),
			    SRC(NOTSENT, 65482), SRC(UNACKED, 24), SRC(LOST, 90), SRC(RTOS, 1) },
		.kept = { SRC(RUN, 0.799), SNK(RUN, 0.799), SRC(RWND_LIMITED, 0.249),
			  SRC(BUSY, 0.9), SRC(NOTSENT, 65483), SRC(UNACKED, 23),
			  SRC(MAX_PACING_RATE, 142e6), SRC(MAX_PACING_RATE, 91e6) },
	},
	{
		.what = "bbr paces",
		.rules = "paced",
		.sentence = "Paced by bbr at 500 MB/sec, measured 480, 0.8 MB waiting unsent.",
		.rate_mb = 480,
		.congestion = "bbr",
		.given = { SRC(RUN, 0.3), SNK(RUN, 0.3), SRC(PACING_RATE, 500e6) },
		.broken = { SRC(PACING_RATE, 687e6), SRC(PACING_RATE, 436e6), SRC(RTT, 2000) },
		.kept = { SRC(PACING_RATE, 685e6), SRC(PACING_RATE, 437e6), SRC(RTT, 1999) },
	},
	{
		.what = "-C 0 at both",
		.rules = "one-cpu",
		.sentence = "Both ends ran on CPU 0: 13% source + 86% sink of one CPU.",
		.given = { SRC(RUN, 0.13), SNK(RUN, 0.86), SRC(RUNQ, 0.4), SNK(RUNQ, 0.1),
			   HST(SAME_CPU, 1) },
		.broken = { HST(SAME_CPU, 0.74), SNK(RUN, 0.71), SNK(RUN, 0.98), SRC(RUN, 0.95),
			    SRC(RUNQ, -0.06) },
		.kept = { HST(SAME_CPU, 0.75), SNK(RUN, 0.721), SNK(RUN, 0.949),
			  SRC(RUNQ, -0.049) },
	},
	{
		.what = "a busy loop on the sink's CPU",
		.rules = "cpu-contention",
		.sentence =
			"The sink was ready to run but waited for a CPU 36% of the time; others "
			"used 0.98 CPUs meanwhile.",
		.given = { SRC(RUN, 0.5), SNK(RUN, 0.55), SNK(RUNQ, 0.36), HST(OTHERS, 0.98) },
		.broken = { SNK(RUNQ, 0.19), HST(SAME_CPU, 0.5) },
		.kept = { SNK(RUNQ, 0.2), HST(SAME_CPU, 0.49) },
	},
	{
		.what = "a busy loop on each CPU, both ends on one",
		.rules = "cpu-contention",
		.sentence = "The source was ready to run but waited for a CPU 40% of the time, the "
			    "sink 45%; others used 1.25 CPUs meanwhile.",
		.given = { SRC(RUN, 0.2), SNK(RUN, 0.35), SRC(RUNQ, 0.4), SNK(RUNQ, 0.45),
			   HST(SAME_CPU, 1), HST(OTHERS, 1.25) },
		.broken = { SNK(RUN, 0.65) },
		.kept = { SNK(RUN, 0.649) },
	},
	{
		.what = "loss of 1 %",
		.rules = "loss",
		.sentence = "376 segments lost and sent again (0.627%), 3 retransmission timeouts: "
			    "packets are dropped, on the way or at the receiver.",
		.given = { SRC(RUN, 0.2), SNK(RUN, 0.2), SRC(RTOS, 3), SRC(LOST, 376),
			   SRC(RETRANSMITS, 380), SRC(DSACK_DUPS, 4),
			   SRC(DATA_SEGMENTS_OUT, 60000) },
	},
	{
		.what = "loss without a timeout",
		.rules = "loss",
		.sentence =
			"376 segments lost and sent again (0.627%): packets are dropped, on the "
			"way or at the receiver.",
		.given = { SRC(LOST, 376), SRC(DATA_SEGMENTS_OUT, 60000) },
		.broken = { SRC(LOST, 7), SRC(DATA_SEGMENTS_OUT, 752001) },
		.kept = { SRC(DATA_SEGMENTS_OUT, 752000) },
	},
	{
		.what = "one timeout of an old kernel",
		.rules = "loss",
		.sentence =
			"1 segment lost and sent again (0.000588%), 1 retransmission timeout on "
			"this host: an ACK did not come in time.",
		.timeouts = 1,
		.given = { SRC(RTOS, NAN) },
		.broken = { SRC(RETRANSMITS, 0), SRC(RTOS, 0) },
		.kept = { SRC(RETRANSMITS, 1), SRC(LOST, 0) },
	},
	{
		.what = "bbr, MTU 1500",
		.rules = "spurious-retransmits",
		.sentence =
			"16904 segments sent again, >99% of which had arrived before (DSACK): "
			"they were late or out of order, not lost; the sender saw reordering 12 "
			"times.",
		.given = { SRC(RETRANSMITS, 16904), SRC(DSACK_DUPS, 16880), SRC(LOST, 24),
			   SRC(REORDERINGS, 12), SRC(SND_MSS, 1448),
			   SRC(DATA_SEGMENTS_OUT, 3380800), SRC(MEAN_SEGMENT, 1448) },
		.broken = { SRC(RETRANSMITS, 49), SRC(DSACK_DUPS, 13523),
			    SRC(DATA_SEGMENTS_OUT, 3380801) },
		.kept = { SRC(DSACK_DUPS, 13524) },
	},
	{
		.what = "50 of 10000 segments unneeded",
		.rules = "spurious-retransmits",
		.sentence = "50 segments sent again, 88% of which had arrived before (DSACK): they "
			    "were late or out of order, not lost.",
		.given = { SRC(RETRANSMITS, 50), SRC(DSACK_DUPS, 44), SRC(LOST, 6),
			   SRC(REORDERINGS, NAN), SRC(DATA_SEGMENTS_OUT, 10000) },
		.broken = { SRC(RETRANSMITS, 49), SRC(DATA_SEGMENTS_OUT, 10001),
			    SRC(DSACK_DUPS, 39) },
		.kept = { SRC(DSACK_DUPS, 40) },
	},
	{
		.what = "8 of 16000 segments lost",
		.rules = "loss",
		.sentence =
			"8 segments lost and sent again (0.05%): packets are dropped, on the way "
			"or at the receiver.",
		.given = { SRC(LOST, 8), SRC(RETRANSMITS, 39), SRC(DSACK_DUPS, 31),
			   SRC(DATA_SEGMENTS_OUT, 16000) },
		.broken = { SRC(LOST, 7), SRC(DATA_SEGMENTS_OUT, 16001), SRC(RETRANSMITS, 41) },
	},
	{
		.what = "throttled once",
		.rules = "cpu-taken",
		.sentence = "A cgroup was held back by its CPU limit in 1 period.",
		.throttled = 1,
	},
	{
		.what = "source -b 64 -t TCP_NODELAY",
		.rules = "small-segments",
		.sentence = "1 segment per write, of 64 bytes each where 65483 are possible: "
			    "writes hardly coalesce, as with TCP_NODELAY; CPU of the source 100%.",
		.rate_mb = 30,
		.given = { SRC(RUN, 1), SRC(MEAN_SEGMENT, 64), SRC(WRITES, 940000),
			   SRC(DATA_SEGMENTS_OUT, 940000), SRC(BYTES_SENT, 60160000) },
		.broken = { SRC(MEAN_SEGMENT, 8186), SRC(DATA_SEGMENTS_OUT, 469999),
			    SRC(MEAN_SEGMENT, 129), SRC(RUN, 0.77) },
		.kept = { SRC(MEAN_SEGMENT, 128), SRC(DATA_SEGMENTS_OUT, 470000), SRC(RUN, 0.781) },
	},
	{
		.what = "small segments of another user's process",
		.rules = "small-segments",
		.sentence = "Small segments of 64 bytes each where 65483 are possible.",
		.given = { SRC(RUN, NAN), SRC(RUNQ, NAN), SRC(WRITES, NAN), SRC(MEAN_SEGMENT, 64) },
		.broken = { SRC(MEAN_SEGMENT, 8186) },
		.kept = { SRC(MEAN_SEGMENT, 8185), SRC(RUN, 0.9) },
	},
	{
		.what = "source -D 1000",
		.rules = "application-limited",
		.sentence = "The source had nothing to send 97% of the time: it sleeps 1000 us "
			    "after each write.",
		.rate_mb = 58,
		.source_pause_s = 0.001,
		.given = { SRC(RUN, 0.02), SNK(RUN, 0.02), SRC(BUSY, 0.03), SRC(NOTSENT, 0) },
		.broken = { SRC(BUSY, 0.6), SRC(RWND_LIMITED, 0.25), SRC(RUN, 0.9), SRC(RUNQ, 0.1),
			    SRC(SNDBUF_LIMITED, 0.05), SRC(SNDBUF, 261932), SRC(STOPPED, 0.1) },
		.kept = { SRC(BUSY, 0.599), SRC(RWND_LIMITED, 0.249), SRC(RUN, 0.899),
			  SRC(RUNQ, 0.099), SRC(SNDBUF_LIMITED, 0.049), SRC(SNDBUF, 261933) },
	},
	{
		.what = "SIGSTOP",
		.rules = "stopped",
		.sentence = "The source was found stopped in 40% of the samples (SIGSTOP, or a "
			    "tracer).",
		.given = { SRC(STOPPED, 0.4), SRC(RUN, 0.02), SNK(RUN, 0.02), SRC(BUSY, 0.5) },
		.broken = { SRC(STOPPED, 0) },
	},
	{
		.what = "steal and throttling",
		.rules = "cpu-taken",
		.sentence = "The hypervisor took 13% of the CPU time. A cgroup was held back by "
			    "its CPU limit in 4 periods.",
		.throttled = 4,
		.given = { HST(STEAL_SHARE, 0.13) },
	},
	{
		.what = "steal",
		.rules = "cpu-taken",
		.sentence = "The hypervisor took 13% of the CPU time.",
		.given = { HST(STEAL_SHARE, 0.13) },
		.broken = { HST(STEAL_SHARE, 0.049) },
		.kept = { HST(STEAL_SHARE, 0.05) },
	},
	{
		.what = "throttling",
		.rules = "cpu-taken",
		.sentence = "A cgroup was held back by its CPU limit in 4 periods.",
		.throttled = 4,
	},
	{
		.what = "a queue of 20 KB, bbr",
		.rules = "timer",
		.sentence = "Data waits 98% of the time, nothing is in flight, and both CPUs are "
			    "idle (0% source, 1% sink): a timer is awaited.",
		.rate_mb = 0.007,
		.given = { SRC(RUN, 0), SNK(RUN, 0.01), SRC(BUSY, 0.98), SRC(UNACKED, 0),
			   SRC(RTT, 18600) },
		.broken = { SRC(RUN, 0.1), SNK(RUN, 0.1), SRC(BUSY, 0.89), SRC(RWND_LIMITED, 0.1),
			    SRC(UNACKED, 1), SRC(RTOS, 1) },
		.kept = { SRC(RUN, 0.099), SNK(RUN, 0.099), SRC(BUSY, 0.9),
			  SRC(RWND_LIMITED, 0.099) },
	},
};

#define RECIPES (sizeof(recipes) / sizeof(recipes[0]))

static int has_word(const char *text, const char *word)
{
	const char *found = strstr(text, word);

	return found && (found == text || found[-1] == ' ') &&
	       (found[strlen(word)] == ' ' || found[strlen(word)] == '\0');
}

static void test_recipes(void)
{
	for (size_t i = 0; i < RECIPES; i++) {
		struct mechanism_hit hits[MECHANISMS_MAX];
		struct facts facts;
		struct mechanism_input in = input_of(&recipes[i], &facts);

		test_str(__FILE__, __LINE__, recipes[i].what, names(&in, hits), recipes[i].rules);
		test_str(__FILE__, __LINE__, recipes[i].what, hits[0].sentence,
			 recipes[i].sentence);
	}
}

static void check_each(const struct recipe *recipe, const struct given *change, int fires)
{
	for (size_t k = 0; k < MOST; k++) {
		struct mechanism_hit hits[MECHANISMS_MAX];
		struct facts facts;
		struct mechanism_input in = input_of(recipe, &facts);

		if (change[k].end == 0 && change[k].fact == 0)
			continue;
		give(&facts, &change[k]);
		test_now.checks++;
		if (has_word(names(&in, hits), recipe->rules) != fires)
			test_fail(__FILE__, __LINE__, "%s, %s with %s %g: %s", recipe->what,
				  recipe->rules, facts_rows[change[k].fact].name, change[k].figure,
				  names(&in, hits));
	}
}

static void test_each_condition_counts(void)
{
	for (size_t i = 0; i < RECIPES; i++) {
		check_each(&recipes[i], recipes[i].broken, 0);
		check_each(&recipes[i], recipes[i].kept, 1);
	}
}

static void test_healthy(void)
{
	static const struct recipe ones[] = {
		{ .what = "cubic 64K" },
		{ .what = "reno 1M", .given = { SRC(RUN, 0.99), SNK(RUN, 0.70), SRC(CWND, 40) } },
		{ .what = "cubic 1K",
		  .given = { SRC(RUN, 0.99), SRC(MEAN_SEGMENT, 21000), SRC(WRITES, 1800000),
			     SRC(DATA_SEGMENTS_OUT, 85000), SRC(NOTSENT, 5000) } },
		{ .what = "bbr 64K",
		  .rate_mb = 1176,
		  .congestion = "bbr",
		  .given = { SRC(RUN, 0.94), SNK(RUN, 0.50), SRC(PACING_RATE, 1.6e9), SRC(RTT, 90),
			     SRC(RETRANSMITS, 40), SRC(DSACK_DUPS, 40) } },
		{ .what = "bbr, paced at hardly more than its rate, but with a full CPU",
		  .rate_mb = 1176,
		  .given = { SRC(RUN, 0.94), SNK(RUN, 0.50), SRC(PACING_RATE, 1.2e9) } },
		{ .what = "SO_RCVBUF=32768 early",
		  .given = { SRC(RWND_LIMITED, 0.42), SNK(RCVBUF, 65536), SRC(SND_MSS, 32768) } },
		{ .what = "SO_SNDBUF=262144 -b 1M",
		  .given = { SRC(SNDBUF, 524288), SRC(VOLUNTARY, 5000), SRC(NOTSENT, 0) } },
		{ .what = "100 Mbit",
		  .rate_mb = 12,
		  .given = { SRC(RUN, 0.01), SNK(RUN, 0.01), SRC(PACING_RATE, 12e6),
			     SRC(RTT, 18600) } },
		{ .what = "most spurious retransmits of a default run",
		  .given = { SRC(RETRANSMITS, 130), SRC(DSACK_DUPS, 125), SRC(LOST, 5) } },
		{ .what = "timeouts elsewhere on the host", .timeouts = 9 },
		{ .what = "idle", .given = { SRC(RUN, 0.05), SNK(RUN, 0.05) } },
	};

	for (size_t i = 0; i < sizeof(ones) / sizeof(ones[0]); i++) {
		struct mechanism_hit hits[MECHANISMS_MAX];
		struct facts facts;
		struct mechanism_input in = input_of(&ones[i], &facts);

		test_str(__FILE__, __LINE__, ones[i].what, names(&in, hits), "");
	}
}

static void test_which_yields(void)
{
	static const struct recipe ones[] = {
		{ .what = "loss yields to the window below a segment",
		  .rules = "window-below-segment",
		  .given = { SRC(RUN, 0), SNK(RUN, 0), SRC(RWND_LIMITED, 1), SNK(RCVBUF, 16384),
			     SRC(SND_MSS, 32768), SRC(SND_WND_MOST, 16384), SRC(RTOS, 1),
			     SRC(LOST, 9), SRC(RETRANSMITS, 9), SRC(DSACK_DUPS, 0),
			     SRC(DATA_SEGMENTS_OUT, 10) } },
		{ .what = "the receiver yields to contention",
		  .rules = "cpu-contention",
		  .given = { SRC(RUN, 0.5), SNK(RUN, 0.5), SNK(RUNQ, 0.4),
			     SRC(RWND_LIMITED, 0.9) } },
		{ .what = "the receiver yields to one CPU",
		  .rules = "one-cpu",
		  .given = { SRC(RUN, 0.2), SNK(RUN, 0.75), SRC(RUNQ, 0.4), HST(SAME_CPU, 1),
			     SRC(RWND_LIMITED, 0.6) } },
		{ .what = "a buffer of just more than four segments",
		  .rules = "one-cpu",
		  .given = { SRC(RUN, 0.2), SNK(RUN, 0.75), SRC(RUNQ, 0.4), HST(SAME_CPU, 1),
			     SRC(RWND_LIMITED, 0.6), SNK(RCVBUF, 261933) } },
		{ .what = "but not where its buffer is small",
		  .rules = "receiver-limited one-cpu",
		  .given = { SRC(RUN, 0.2), SNK(RUN, 0.75), SRC(RUNQ, 0.4), HST(SAME_CPU, 1),
			     SRC(RWND_LIMITED, 0.6), SNK(RCVBUF, 261932) } },
		{ .what = "the small send buffer yields to that below two segments",
		  .rules = "send-buffer-below-two-segments",
		  .given = { SRC(RUN, 0.01), SNK(RUN, 0.01), SRC(SNDBUF, 8192),
			     SRC(RWND_LIMITED, 0), SRC(RTT, 32700), SRC(NOTSENT, 0),
			     SRC(VOLUNTARY, 2000) } },
		{ .what = "pacing yields to one CPU",
		  .rules = "one-cpu",
		  .rate_mb = 100,
		  .given = { SRC(RUN, 0.45), SNK(RUN, 0.45), SRC(RUNQ, 0.4), HST(SAME_CPU, 1),
			     SRC(MAX_PACING_RATE, 100e6) } },
		{ .what = "a timer is the last resort",
		  .rules = "cpu-taken",
		  .given = { SRC(RUN, 0), SNK(RUN, 0.01), SRC(UNACKED, 0),
			     HST(STEAL_SHARE, 0.3) } },
	};

	for (size_t i = 0; i < sizeof(ones) / sizeof(ones[0]); i++) {
		struct mechanism_hit hits[MECHANISMS_MAX];
		struct facts facts;
		struct mechanism_input in = input_of(&ones[i], &facts);

		test_str(__FILE__, __LINE__, ones[i].what, names(&in, hits), ones[i].rules);
	}
}

static int is_clean(const char *sentence)
{
	size_t length = strlen(sentence);

	for (const char *c = sentence; *c; c++)
		if (*c < ' ' || *c > '~')
			return 0;
	return length > 20 && length < MECHANISM_SENTENCE && sentence[length - 1] == '.' &&
	       !strstr(sentence, "nan") && !strstr(sentence, "inf");
}

static void test_nothing_is_known(void)
{
	struct mechanism_hit hits[MECHANISMS_MAX];
	struct facts facts;
	struct mechanism_input in = { .facts = &facts,
				      .rate = NAN,
				      .sink_pause_s = NAN,
				      .source_pause_s = NAN,
				      .rcvbuf_asked = NAN,
				      .delayed_acks = NAN,
				      .timeouts = NAN,
				      .throttled = NAN };

	nothing(&facts);
	CHECK_STR(names(&in, hits), "");
	for (size_t i = 0; i + 1 < 14; i++)
		CHECK_EQ(mechanism_rule(i)->evidence(&in), MECHANISM_UNKNOWN);
	/* A pipe, AF_UNIX: of the processes alone. */
	give_all(&facts, (const struct given[]){ SRC(RUN, 0.01), SNK(RUN, 0.01), SRC(RUNQ, 0) }, 3);
	CHECK_STR(names(&in, hits), "");
	give_all(&facts, (const struct given[]){ SRC(RUN, 0.5), SNK(RUNQ, 0.5) }, 2);
	CHECK_STR(names(&in, hits), "cpu-contention");
	CHECK_STR(hits[0].sentence,
		  "The sink was ready to run but waited for a CPU 50% of the time.");
}

/* What goes missing silences rules; only those that allow for it may fire anew. */
static void test_each_fact_not_known(void)
{
	for (size_t i = 0; i < RECIPES; i++) {
		for (int which = 0; which < FACTS_ENDS * FACTS; which++) {
			struct mechanism_hit hits[MECHANISMS_MAX];
			struct facts facts;
			struct mechanism_input in = input_of(&recipes[i], &facts);
			size_t n;

			facts.value[which / FACTS][which % FACTS] = NAN;
			n = mechanism_find(&in, hits);
			for (size_t k = 0; k < n; k++) {
				const char *name = hits[k].rule->name;

				test_now.checks++;
				if (!is_clean(hits[k].sentence) || strstr(hits[k].sentence, "n/a"))
					test_fail(__FILE__, __LINE__, "%s without %s: %s", name,
						  facts_rows[which % FACTS].name, hits[k].sentence);
				if (!has_word(recipes[i].rules, name) && strcmp(name, "timer") != 0)
					test_fail(__FILE__, __LINE__, "%s: %s fires without %s",
						  recipes[i].what, name,
						  facts_rows[which % FACTS].name);
			}
		}
	}
}

/* "Unless" asks for a no, not for a lack of evidence. */
static void test_unknown_is_no_excuse(void)
{
	static const struct {
		const char *rule;
		struct given gone;
	} cases[] = {
		{ "receiver-limited", SNK(RUNQ, NAN) },
		{ "small-send-buffer", SRC(LOST, NAN) },
		{ "small-send-buffer", SRC(RUNQ, NAN) },
		{ "paced", SRC(RTOS, NAN) },
		{ "paced", SRC(UNACKED, NAN) },
		{ "application-limited", SRC(STOPPED, NAN) },
		{ "loss", SRC(RWND_LIMITED, NAN) },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mechanism_hit hits[MECHANISMS_MAX];
		struct mechanism_input in;
		struct facts facts;
		size_t k = 0;

		while (strcmp(recipes[k].rules, cases[i].rule) != 0)
			k++;
		in = input_of(&recipes[k], &facts);
		/* So that the rule that is unless'd cannot be told by another fact. */
		if (strcmp(cases[i].rule, "loss") == 0)
			give_all(&facts,
				 (const struct given[]){ SNK(RCVBUF, NAN), SRC(RUN, NAN),
							 SNK(RUN, NAN), SRC(SND_WND_MOST, NAN) },
				 4);
		give(&facts, &cases[i].gone);
		test_str(__FILE__, __LINE__, cases[i].rule, names(&in, hits), "");
	}
}

static void test_any_facts(void)
{
	uint64_t state = 7;
	size_t total = 0;

	for (int i = 0; i < 20000; i++) {
		struct mechanism_hit hits[MECHANISMS_MAX];
		struct facts facts;
		struct mechanism_input in = { .facts = &facts };
		size_t n;

		give_any(&facts, &state);
		in.rate = odd_number(&state);
		in.sink_pause_s = odd_number(&state);
		in.source_pause_s = odd_number(&state);
		in.rcvbuf_asked = odd_number(&state);
		in.rcvbuf_is_late = xorshift(&state) % 2;
		in.delayed_acks = odd_number(&state);
		in.timeouts = odd_number(&state);
		in.throttled = odd_number(&state);
		n = mechanism_find(&in, hits);
		total += n;
		NEED(n <= MECHANISMS_MAX);
		for (size_t k = 0; k < n; k++)
			if (!is_clean(hits[k].sentence)) {
				CHECK_STR(hits[k].sentence, "a clean sentence");
				return;
			}
	}
	CHECK(total > 1000);
}

/* Cut short where there is no room, never beyond it. */
static void test_short_room(void)
{
	for (size_t i = 0; i < RECIPES; i++) {
		struct facts facts;
		struct mechanism_input in = input_of(&recipes[i], &facts);
		const struct mechanism_rule *rule;

		for (size_t k = 0; (rule = mechanism_rule(k)); k++)
			for (size_t size = 1; size < 40; size++) {
				char text[64];

				memset(text, '#', sizeof(text));
				rule->say(&in, text, size);
				NEED(memchr(text, '\0', size) != NULL);
				NEED(text[size] == '#');
			}
	}
}

static void test_table(void)
{
	const struct mechanism_rule *rule;
	size_t n = 0;

	for (; (rule = mechanism_rule(n)); n++) {
		CHECK(rule->name[0] && rule->title[0] && rule->source[0] && rule->say);
		CHECK(strspn(rule->name, "abcdefghijklmnopqrstuvwxyz-") == strlen(rule->name));
		for (size_t k = 0; k < n; k++)
			CHECK(strcmp(mechanism_rule(k)->name, rule->name) != 0);
	}
	CHECK_EQ(n, 14);
	CHECK(n <= MECHANISMS_MAX);
	CHECK(mechanism_rule(1000) == NULL);
}

int main(void)
{
	RUN(test_recipes);
	RUN(test_each_condition_counts);
	RUN(test_healthy);
	RUN(test_which_yields);
	RUN(test_nothing_is_known);
	RUN(test_each_fact_not_known);
	RUN(test_unknown_is_no_excuse);
	RUN(test_any_facts);
	RUN(test_short_room);
	RUN(test_table);
	return test_end();
}
