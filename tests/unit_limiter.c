/*
 * The word for an interval: real lines of known causes, the order in which
 * words yield to each other, and what is said when facts are not known.
 */
#include "../measure/limiter.h"
#include "test.h"
#include "test_facts.h"

#define MOST 24

struct scene {
	const char *what;
	double rate; /* bytes/s */
	const char *text;
	struct given given[MOST];
};

/* A healthy line of cubic, which each scene then changes. */
static const struct given healthy[] = {
	SRC(STOPPED, 0),	SNK(STOPPED, 0),   SRC(RUN, 0.62),
	SNK(RUN, 0.60),		SRC(RUNQ, 0.01),   SNK(RUNQ, 0.01),
	SRC(VOLUNTARY, 300),	SRC(BUSY, 0.98),   SRC(RWND_LIMITED, 0.02),
	SRC(SNDBUF_LIMITED, 0), SRC(RTOS, 0),	   SRC(RETRANSMITTING, 0),
	SRC(SND_MSS, 65483),	SRC(RTT, 30),	   SRC(CWND, 24),
	SRC(UNACKED, 9),	SRC(NOTSENT, 4e5), SRC(SNDBUF, 2626560),
	SRC(LOST, 0),		SRC(RTOS, 0),	   SRC(DATA_SEGMENTS_OUT, 85000),
	SRC(PACING_RATE, 60e9), HST(SAME_CPU, 0),
};

static struct limiter in_scene(const struct scene *scene)
{
	struct facts facts;

	nothing(&facts);
	give_all(&facts, healthy, sizeof(healthy) / sizeof(healthy[0]));
	for (size_t i = 0; i < MOST; i++)
		if (scene->given[i].end != 0 || scene->given[i].fact != 0)
			give(&facts, &scene->given[i]);
	return limiter_of(&facts, scene->rate);
}

static void check(const struct scene *scenes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct limiter limiter = in_scene(&scenes[i]);

		test_str(__FILE__, __LINE__, scenes[i].what, limiter.text, scenes[i].text);
	}
}

#define CHECK_SCENES(scenes) check(scenes, sizeof(scenes) / sizeof((scenes)[0]))

static void test_known_causes(void)
{
	static const struct scene scenes[] = {
		{ "healthy",
		  5549e6,
		  "-",
		  { SRC(RUN, 0.80), SNK(RUN, 0.75), SRC(UNACKED, 24), SRC(NOTSENT, 1e6) } },
		{ "cubic, default", 5549.33e6, "cpu src", { SRC(RUN, 0.97), SNK(RUN, 0.80) } },
		{ "bbr, default",
		  1176e6,
		  "cpu src",
		  { SRC(RUN, 0.94), SNK(RUN, 0.50), SRC(PACING_RATE, 4e9), SRC(RTT, 80) } },
		{ "1K reads",
		  900e6,
		  "cpu snk",
		  { SRC(RUN, 0.30), SNK(RUN, 0.99), SRC(RWND_LIMITED, 0.84) } },
		{ "SO_RCVBUF=8192 late",
		  0.0983e6,
		  "rwnd 100%",
		  { SRC(RUN, 0), SNK(RUN, 0), SRC(BUSY, 1), SRC(RWND_LIMITED, 1.002),
		    SRC(SND_MSS, 32768), SRC(UNACKED, 0), SRC(CWND, 12), SRC(NOTSENT, 3e6) } },
		{ "SO_SNDBUF=4096",
		  6.6794e6,
		  "sndbuf",
		  { SRC(RUN, 0.01), SNK(RUN, 0.01), SRC(SNDBUF, 8192), SRC(RTT, 18000),
		    SRC(NOTSENT, 0), SRC(UNACKED, 1), SRC(CWND, 10) } },
		{ "SO_SNDBUF=65536 -b 1M",
		  1.9e9,
		  "sndbuf",
		  { SRC(SNDBUF, 131072), SRC(NOTSENT, 0), SRC(VOLUNTARY, 9400) } },
		{ "send buffer by the kernel's own clock",
		  1e9,
		  "sndbuf 31%",
		  { SRC(SNDBUF_LIMITED, 0.31) } },
		{ "SO_MAX_PACING_RATE=100M",
		  100.07e6,
		  "pacing",
		  { SRC(RUN, 0.03), SNK(RUN, 0.02), SRC(PACING_RATE, 100e6),
		    SRC(MAX_PACING_RATE, 100e6), SRC(NOTSENT, 3.9e6), SRC(RTT, 26) } },
		{ "the same, in an interval that began with a burst",
		  140e6,
		  "pacing",
		  { SRC(RUN, 0.03), SNK(RUN, 0.02), SRC(PACING_RATE, 100e6),
		    SRC(MAX_PACING_RATE, 100e6), SRC(NOTSENT, 3.9e6), SRC(RTT, 26),
		    SNK(BYTES_RECEIVED, 100e6 * LENGTH_S) } },
		{ "sink -D 1000",
		  41.01e6,
		  "rwnd 95%",
		  { SRC(RUN, 0.01), SNK(RUN, 0.02), SRC(RWND_LIMITED, 0.95), SRC(RTT, 1164) } },
		{ "a window short for a part", 3e9, "rwnd 42%", { SRC(RWND_LIMITED, 0.42) } },
		{ "one CPU, cubic",
		  2295.54e6,
		  "cpu both",
		  { SRC(RUN, 0.13), SNK(RUN, 0.86), SRC(RUNQ, 0.3), SNK(RUNQ, 0.1),
		    HST(SAME_CPU, 1) } },
		{ "a busy loop on the sink's CPU",
		  2e9,
		  "runq snk",
		  { SRC(RUN, 0.5), SNK(RUN, 0.5), SNK(RUNQ, 0.45) } },
		{ "a busy loop on the source's CPU",
		  2e9,
		  "runq src",
		  { SRC(RUN, 0.5), SNK(RUN, 0.5), SRC(RUNQ, 0.45), SNK(RUNQ, 0.21) } },
		{ "loss of 1 %",
		  200e6,
		  "loss",
		  { SRC(RUN, 0.2), SNK(RUN, 0.2), SRC(LOST, 376), SRC(DATA_SEGMENTS_OUT, 60000) } },
		{ "a timeout", 200e6, "loss", { SRC(RTOS, 1), SRC(RUN, 0.97) } },
		{ "waiting for a timeout",
		  0,
		  "loss",
		  { SRC(RUN, 0), SNK(RUN, 0), SRC(RETRANSMITTING, 2) } },
		{ "source -D 1000",
		  60e6,
		  "app",
		  { SRC(RUN, 0.02), SNK(RUN, 0.02), SRC(BUSY, 0.03), SRC(NOTSENT, 0) } },
		{ "SIGSTOP", 0, "stopped", { SNK(STOPPED, 1), SRC(RWND_LIMITED, 1) } },
		{ "a queue of 20 KB, bbr",
		  0.007e6,
		  "timer",
		  { SRC(RUN, 0), SNK(RUN, 0), SRC(UNACKED, 0), SRC(RTT, 18600) } },
		{ "100 Mbit",
		  12e6,
		  "path",
		  { SRC(RUN, 0.01), SNK(RUN, 0.01), SRC(UNACKED, 23), SRC(RTT, 18600),
		    SRC(PACING_RATE, 12e6) } },
	};

	CHECK_SCENES(scenes);
}

/* Each scene has the evidence of the word and of those behind it. */
static void test_order(void)
{
	static const struct scene scenes[] = {
		{ "stopped before rwnd",
		  0,
		  "stopped",
		  { SRC(STOPPED, 0.5), SRC(RUN, 0), SNK(RUN, 0), SRC(RWND_LIMITED, 1),
		    SRC(RTOS, 1) } },
		{ "rwnd of idle ends before loss",
		  1,
		  "rwnd 80%",
		  { SRC(RUN, 0), SNK(RUN, 0), SRC(RWND_LIMITED, 0.8), SRC(RTOS, 1) } },
		{ "loss before one CPU",
		  1,
		  "loss",
		  { SRC(RTOS, 1), SRC(RUN, 0.5), SNK(RUN, 0.5), SRC(RUNQ, 0.3),
		    HST(SAME_CPU, 1) } },
		{ "one CPU before the run queue",
		  1,
		  "cpu both",
		  { SRC(RUN, 0.5), SNK(RUN, 0.5), SRC(RUNQ, 0.5), HST(SAME_CPU, 1) } },
		{ "the run queue before a full CPU",
		  1,
		  "runq snk",
		  { SRC(RUN, 0.99), SNK(RUN, 0.7), SNK(RUNQ, 0.2) } },
		{ "a full CPU before rwnd",
		  1,
		  "cpu snk",
		  { SNK(RUN, 0.85), SRC(RWND_LIMITED, 0.9) } },
		{ "rwnd before the send buffer",
		  1,
		  "rwnd 25%",
		  { SRC(RWND_LIMITED, 0.25), SRC(SNDBUF_LIMITED, 0.9) } },
		{ "a small send buffer before pacing",
		  1e8,
		  "sndbuf",
		  { SRC(RUN, 0.02), SNK(RUN, 0.02), SRC(SNDBUF, 8192), SRC(PACING_RATE, 1e8),
		    SRC(MAX_PACING_RATE, 1e8) } },
		{ "pacing before app",
		  1e8,
		  "pacing",
		  { SRC(BUSY, 0.8), SRC(PACING_RATE, 1e8), SRC(MAX_PACING_RATE, 1e8) } },
		{ "app before path",
		  1e6,
		  "app",
		  { SRC(RUN, 0.02), SNK(RUN, 0.02), SRC(BUSY, 0.59) } },
	};

	CHECK_SCENES(scenes);
}

static void test_just_not(void)
{
	static const struct scene scenes[] = {
		{ "3 lost", 1, "-", { SRC(LOST, 3), SRC(DATA_SEGMENTS_OUT, 10) } },
		{ "4 of many lost", 1, "-", { SRC(LOST, 4), SRC(DATA_SEGMENTS_OUT, 801) } },
		{ "4 of 800 lost", 1, "loss", { SRC(LOST, 4), SRC(DATA_SEGMENTS_OUT, 800) } },
		{ "retransmitting while busy", 1, "-", { SRC(RETRANSMITTING, 1) } },
		{ "one CPU, nobody waits",
		  1,
		  "-",
		  { SRC(RUN, 0.5), SNK(RUN, 0.5), HST(SAME_CPU, 1) } },
		{ "one CPU, one end has it all",
		  1,
		  "cpu src",
		  { SRC(RUN, 0.96), SNK(RUN, 0.04), SRC(RUNQ, 0.1), HST(SAME_CPU, 1) } },
		{ "one CPU in half of the samples",
		  1,
		  "-",
		  { SRC(RUN, 0.5), SNK(RUN, 0.5), SRC(RUNQ, 0.1), HST(SAME_CPU, 0.5) } },
		{ "run queue", 1, "-", { SRC(RUNQ, 0.19), SNK(RUNQ, 0.19) } },
		{ "CPU", 1, "-", { SRC(RUN, 0.84) } },
		{ "window", 1, "-", { SRC(RWND_LIMITED, 0.24) } },
		{ "send buffer of more than 4",
		  1,
		  "-",
		  { SRC(SNDBUF, 261933), SRC(NOTSENT, 0), SRC(VOLUNTARY, 9400) } },
		{ "few sleeps",
		  1,
		  "-",
		  { SRC(SNDBUF, 131072), SRC(NOTSENT, 0), SRC(VOLUNTARY, 999) } },
		{ "much unsent",
		  1,
		  "-",
		  { SRC(SNDBUF, 131072), SRC(NOTSENT, 65483), SRC(VOLUNTARY, 9400) } },
		{ "a rate below pacing",
		  0.69e8,
		  "-",
		  { SRC(PACING_RATE, 1e8), SRC(MAX_PACING_RATE, 1e8) } },
		{ "a rate above pacing",
		  1.11e8,
		  "-",
		  { SRC(PACING_RATE, 1e8), SRC(MAX_PACING_RATE, 1e8) } },
		{ "pacing by a slow path", 1e8, "-", { SRC(PACING_RATE, 1e8), SRC(RTT, 2000) } },
		{ "pacing by bbr", 1e8, "pacing", { SRC(PACING_RATE, 1e8), SRC(RTT, 1999) } },
		{ "a full congestion window",
		  1e8,
		  "-",
		  { SRC(PACING_RATE, 1e8), SRC(UNACKED, 24) } },
		{ "busy", 1, "-", { SRC(BUSY, 0.6) } },
		{ "not idle", 1, "-", { SRC(BUSY, 1), SRC(RUN, 0.1), SNK(RUN, 0.1) } },
	};

	CHECK_SCENES(scenes);
}

#define ONE_CPU SRC(RUN, 0.5), SNK(RUN, 0.5), SRC(RUNQ, 0.1), SNK(RUNQ, 0.1), HST(SAME_CPU, 1)
#define IDLE SRC(RUN, 0.05), SNK(RUN, 0.05)

/* Both sides of limits. */
static void test_limits(void)
{
	static const struct scene scenes[] = {
		{ "rwnd below 80 % comes after loss",
		  1,
		  "loss",
		  { IDLE, SRC(RWND_LIMITED, 0.79), SRC(RTOS, 1) } },
		{ "rwnd of an end that works",
		  1,
		  "loss",
		  { SRC(RUN, 0.1), SNK(RUN, 0), SRC(RWND_LIMITED, 0.9), SRC(RTOS, 1) } },
		{ "rwnd of an end that hardly works",
		  1,
		  "rwnd 90%",
		  { SRC(RUN, 0.099), SNK(RUN, 0.099), SRC(RWND_LIMITED, 0.9), SRC(RTOS, 1) } },
		{ "rwnd of a sink that works",
		  1,
		  "loss",
		  { SRC(RUN, 0), SNK(RUN, 0.1), SRC(RWND_LIMITED, 0.9), SRC(RTOS, 1) } },
		{ "mostly one CPU", 1, "cpu both", { ONE_CPU, HST(SAME_CPU, 0.75) } },
		{ "hardly one CPU", 1, "-", { ONE_CPU, HST(SAME_CPU, 0.74) } },
		{ "one CPU, least", 1, "cpu both", { ONE_CPU, SNK(RUN, 0.351) } },
		{ "one CPU, too little", 1, "-", { ONE_CPU, SNK(RUN, 0.349) } },
		{ "one CPU, most", 1, "cpu both", { ONE_CPU, SNK(RUN, 0.599) } },
		{ "one CPU, too much", 1, "-", { ONE_CPU, SNK(RUN, 0.601) } },
		{ "one CPU, an end with 95 %",
		  1,
		  "cpu snk",
		  { ONE_CPU, SRC(RUN, 0.1), SNK(RUN, 0.95) } },
		{ "one CPU, an end with less",
		  1,
		  "cpu both",
		  { ONE_CPU, SRC(RUN, 0.1), SNK(RUN, 0.949) } },
		{ "one CPU, some waiting",
		  1,
		  "cpu both",
		  { ONE_CPU, SRC(RUNQ, 0.03), SNK(RUNQ, 0.021) } },
		{ "one CPU, less waiting", 1, "-", { ONE_CPU, SRC(RUNQ, 0.03), SNK(RUNQ, 0.019) } },
		{ "the kernel's own clock, just", 1, "sndbuf 25%", { SRC(SNDBUF_LIMITED, 0.25) } },
		{ "the kernel's own clock, not", 1, "-", { SRC(SNDBUF_LIMITED, 0.24) } },
		{ "less than two segments",
		  1,
		  "sndbuf",
		  { IDLE, SRC(SNDBUF, 130965), SRC(BUSY, 0.8) } },
		{ "two segments", 1, "path", { IDLE, SRC(SNDBUF, 130966), SRC(BUSY, 0.98) } },
		{ "less than two segments, less busy",
		  1,
		  "-",
		  { IDLE, SRC(SNDBUF, 130965), SRC(BUSY, 0.79) } },
		{ "four segments",
		  1,
		  "sndbuf",
		  { SRC(SNDBUF, 261932), SRC(NOTSENT, 65482), SRC(VOLUNTARY, 1000) } },
		{ "pacing of a busy queue",
		  1e8,
		  "pacing",
		  { SRC(PACING_RATE, 1.4e8), SRC(BUSY, 0.8), SRC(UNACKED, 23) } },
		{ "pacing of a less busy one",
		  1e8,
		  "-",
		  { SRC(PACING_RATE, 1e8), SRC(BUSY, 0.79) } },
		{ "pacing at nothing", 0, "-", { SRC(PACING_RATE, 0) } },
		{ "pacing of a full segment",
		  1e8,
		  "pacing",
		  { SRC(PACING_RATE, 1e8), SRC(NOTSENT, 65483) } },
		{ "pacing of less than one",
		  1e8,
		  "-",
		  { SRC(PACING_RATE, 1e8), SRC(NOTSENT, 65482) } },
		{ "one in flight", 1, "path", { IDLE, SRC(BUSY, 0.9), SRC(UNACKED, 1) } },
		{ "none in flight", 1, "timer", { IDLE, SRC(BUSY, 0.9), SRC(UNACKED, 0) } },
		{ "one in flight, less busy", 1, "-", { IDLE, SRC(BUSY, 0.89), SRC(UNACKED, 1) } },
		{ "none in flight, less busy", 1, "-", { IDLE, SRC(BUSY, 0.89), SRC(UNACKED, 0) } },
	};

	CHECK_SCENES(scenes);
}

static void test_values(void)
{
	static const struct scene cpu = { "", 1, "", { SRC(RUN, 0.5), SNK(RUN, 0.9) } };
	static const struct scene stop = { "", 1, "", { SRC(STOPPED, 1) } };
	static const struct scene window = {
		"", 1, "", { SRC(RUN, 0), SNK(RUN, 0), SRC(RWND_LIMITED, 1.01) }
	};
	struct limiter limiter = in_scene(&cpu);

	CHECK_EQ(limiter.word, LIMITER_CPU);
	CHECK_EQ(limiter.which, LIMITER_SINK);
	CHECK(isnan(limiter.share));
	limiter = in_scene(&stop);
	CHECK_EQ(limiter.word, LIMITER_STOPPED);
	CHECK_EQ(limiter.which, LIMITER_SOURCE);
	limiter = in_scene(&window);
	CHECK_EQ(limiter.word, LIMITER_RWND);
	CHECK_EQ(limiter.which, LIMITER_NEITHER);
	CHECK_NEAR(limiter.share, 1, 0);
	CHECK_STR(limiter_name(LIMITER_RWND), "rwnd");
	CHECK_STR(limiter_name(LIMITER_PATH), "path");
	CHECK(limiter_name(LIMITER_NONE) == NULL);
}

/* A pipe, AF_UNIX, a peer of another user: no more than one end's process. */
static void test_what_is_not_known(void)
{
	static const struct {
		const char *text;
		struct given given[4];
		size_t n;
	} cases[] = {
		{ "-", { SRC(RUN, 0) }, 0 },
		{ "cpu src", { SRC(RUN, 0.9) }, 1 },
		{ "cpu snk", { SNK(RUN, 0.9) }, 1 },
		{ "-", { SNK(RUN, 0.02) }, 1 },
		{ "runq snk", { SNK(RUN, 0.6), SNK(RUNQ, 0.3) }, 2 },
		{ "runq src", { SRC(RUN, 0.6), SRC(RUNQ, 0.3) }, 2 },
		{ "stopped", { SNK(STOPPED, 1) }, 1 },
		{ "stopped", { SRC(STOPPED, 0), SNK(STOPPED, 1) }, 2 },
		{ "cpu src", { SRC(RUN, 0.97), SNK(RUN, 0.6), SNK(RUNQ, 0.1) }, 3 },
		{ "rwnd 97%", { SRC(RWND_LIMITED, 0.97), SNK(RUN, 0.3) }, 2 },
		{ "-", { SRC(RWND_LIMITED, 0.97) }, 1 }, /* its reader may lack a CPU */
		{ "app", { SRC(BUSY, 0.1) }, 1 },
		/* struct tcp_info of an old kernel: up to total_retrans */
		{ "-", { SRC(UNACKED, 3), SRC(SND_MSS, 65483), SRC(RTT, 9), SRC(CWND, 9) }, 4 },
		{ "loss", { SRC(RUN, 0), SNK(RUN, 0), SRC(RETRANSMITTING, 1) }, 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct facts facts;

		nothing(&facts);
		give_all(&facts, cases[i].given, cases[i].n);
		CHECK_STR(limiter_of(&facts, 1e9).text, cases[i].text);
		CHECK_STR(limiter_of(&facts, NAN).text, cases[i].text);
	}
}

static int is_text(const char *text)
{
	static const char *const known[] = { "-",	"stopped",  "loss",	"cpu src",
					     "cpu snk", "cpu both", "runq src", "runq snk",
					     "sndbuf",	"pacing",   "app",	"timer",
					     "path" };
	int percent = -1, end = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(text, known[i]) == 0)
			return 1;
	if (sscanf(text, "rwnd %d%%%n", &percent, &end) != 1 || text[end] != '\0')
		if (sscanf(text, "sndbuf %d%%%n", &percent, &end) != 1)
			return 0;
	return percent >= 25 && percent <= 100 && text[end] == '\0';
}

static void test_any_facts(void)
{
	uint64_t state = 42;
	int seen[LIMITERS] = { 0 };
	struct facts facts;

	for (int i = 0; i < 20000; i++) {
		struct limiter limiter;

		give_any(&facts, &state);
		limiter = limiter_of(&facts, odd_number(&state));
		seen[limiter.word]++;
		if (!is_text(limiter.text)) {
			CHECK_STR(limiter.text, "a known word");
			return;
		}
	}
	CHECK(seen[LIMITER_NONE] > 0 && seen[LIMITER_NONE] < 10000);
	CHECK(seen[LIMITER_RWND] > 0 && seen[LIMITER_SNDBUF] > 0 && seen[LIMITER_CPU] > 0);
}

int main(void)
{
	RUN(test_known_causes);
	RUN(test_order);
	RUN(test_just_not);
	RUN(test_limits);
	RUN(test_values);
	RUN(test_what_is_not_known);
	RUN(test_any_facts);
	return test_end();
}
