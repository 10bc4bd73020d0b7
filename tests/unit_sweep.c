/*
 * Sweeps: which settings a command line asks for, in which order, under which
 * names; which are neighbours; what is refused; and that the order of
 * measuring is fair.
 */
#include "short_memory.h"

#include "../measure/alternatives.c"
#include "../measure/sweep.c"
#include "../measure/sweep_near.c"
#include "../measure/platform.h"
#include "test.h"

#define WORDS_MOST 64

/* A command line as a shell would split it: words, and '' around one. */
struct command {
	char text[512];
	char *argv[WORDS_MOST + 1];
	int argc;
};

static void split(struct command *command, const char *line)
{
	char *at = command->text;

	snprintf(command->text, sizeof(command->text), "%s", line);
	for (command->argc = 0; *at && command->argc < WORDS_MOST; command->argc++) {
		int quoted = *at == '\'';

		at += quoted;
		command->argv[command->argc] = at;
		at += strcspn(at, quoted ? "'" : " ");
		if (quoted && *at)
			*at++ = '\0';
		if (*at)
			*at++ = '\0';
	}
	command->argv[command->argc] = NULL;
}

/* The commands of the tests follow each other: one is enough. */
static struct command command;
static struct sock_cause cause;

static int parse_line(struct sweep *sweep, const char *line)
{
	split(&command, line);
	return sweep_parse(sweep, command.argc, command.argv, &cause);
}

static const char *joined(int argc, char **argv)
{
	static char all[1024];
	size_t used = 0;

	all[0] = '\0';
	for (int i = 0; i < argc; i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? " " : "",
					 *argv[i] ? argv[i] : "''");
	return all;
}

static const char *sink_line(const struct sweep *sweep, size_t i)
{
	return joined(sweep->settings[i]->sink_argc, sweep->settings[i]->sink_argv);
}

static const char *source_line(const struct sweep *sweep, size_t i)
{
	return joined(sweep->settings[i]->source_argc, sweep->settings[i]->source_argv);
}

static const char *labels(const struct sweep *sweep, size_t i)
{
	return joined((int)sweep->axis_count, sweep->settings[i]->labels);
}

/* ---- settings ---- */

static void test_no_alternatives_are_one_setting(void)
{
	struct sweep sweep;

	NEED(parse_line(&sweep, "sock_sink -vb64K -p 7002 -n 3 -H - -t 'TCP_NODELAY'") != 0);
	CHECK_STR(cause.step, "-H -");
	sweep_free(&sweep);
	NEED(parse_line(&sweep, "sock_sink -vb64K -p 7002 -n 3 -t ''") == 0);
	CHECK_EQ(sweep.count, 1);
	CHECK_EQ(sweep.axis_count, 0);
	CHECK_STR(sink_line(&sweep, 0), "sock_sink -v -b 64K -p 7002 -n 3 -t ''");
	CHECK_EQ_U(sweep.settings[0]->sink.block, 65536);
	CHECK_EQ(sweep.settings[0]->sink.connections, 3);
	CHECK_EQ(sweep.settings[0]->sink.of_sweep, 0);
	CHECK_NEAR(sweep.settings[0]->sink.duration_s, 4, 1e-9);
	CHECK_EQ(sweep.settings[0]->source_argc, 0);
	CHECK(sweep.settings[0]->sink_argv[sweep.settings[0]->sink_argc] == NULL);
	sweep_free(&sweep);
}

static void test_own_source(void)
{
	struct sweep sweep;
	const struct sweep_setting *one;

	NEED(parse_line(&sweep, "sock_sink -s -d 2 -- -b 1M -c") == 0);
	NEED(sweep.count == 1);
	one = sweep.settings[0];
	CHECK_STR(sink_line(&sweep, 0), "sock_sink -s -d 2 -c");
	CHECK_STR(source_line(&sweep, 0), "sock_source -b 1M -c");
	CHECK(one->sink.serve && one->sink.check && one->source.check);
	CHECK_EQ_U(one->source.block, 1 << 20);
	CHECK_EQ(one->sink.transport, PLAN_TCP);
	CHECK_EQ(one->sink.connections, 1);
	CHECK(plan_is_run(&one->sink));
	CHECK_EQ(one->source.side, PLAN_SOURCE);
	sweep_free(&sweep);
	NEED(parse_line(&sweep, "sock_sink -c -s") == 0);
	CHECK_STR(sink_line(&sweep, 0), "sock_sink -c -s");
	CHECK_STR(source_line(&sweep, 0), "sock_source -c");
	sweep_free(&sweep);
	NEED(parse_line(&sweep, "sock_sink -s -c -- -c") == 0);
	CHECK_STR(sink_line(&sweep, 0), "sock_sink -s -c");
	CHECK_STR(source_line(&sweep, 0), "sock_source -c");
	sweep_free(&sweep);
	/* "--" as a value is a value. */
	NEED(parse_line(&sweep, "sock_sink -r -- -s -- -b 1") == 0);
	CHECK_STR(sweep.settings[0]->sink.saved[0], "--");
	CHECK_STR(source_line(&sweep, 0), "sock_source -b 1");
	sweep_free(&sweep);
}

/* The example of the manual, row by row. */
static void test_eighteen_settings(void)
{
	static const char *const rows[] = {
		"1K (none)",	    "1K SO_SNDBUF=4K",	 "1K SO_SNDBUF=8K",   "1K SO_SNDBUF=16K",
		"1K SO_SNDBUF=32K", "1K SO_SNDBUF=64K",	 "64K (none)",	      "64K SO_SNDBUF=4K",
		"64K SO_SNDBUF=8K", "64K SO_SNDBUF=16K", "64K SO_SNDBUF=32K", "64K SO_SNDBUF=64K",
		"1M (none)",	    "1M SO_SNDBUF=4K",	 "1M SO_SNDBUF=8K",   "1M SO_SNDBUF=16K",
		"1M SO_SNDBUF=32K", "1M SO_SNDBUF=64K",
	};
	struct sweep sweep;

	NEED(parse_line(&sweep,
			"sock_sink -s -n 5 -d 1 -- -b 1K,64K,1M -t {,SO_SNDBUF={4K..64K}}") == 0);
	NEED(sweep.count == COUNT(rows));
	CHECK_EQ(sweep.asked, COUNT(rows));
	NEED(sweep.axis_count == 2);
	CHECK_STR(sweep.axes[0].name, "-b");
	CHECK_STR(sweep.axes[1].name, "-t");
	CHECK(sweep.axes[0].of_source && sweep.axes[1].of_source);
	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK_STR(labels(&sweep, i), rows[i]);
		CHECK_EQ(sweep.settings[i]->sink.connections, 5);
		CHECK_NEAR(sweep.settings[i]->sink.interval_s, 0.125, 1e-9);
		CHECK_EQ(sweep.settings[i]->sink.of_sweep, 1);
	}
	CHECK_STR(sink_line(&sweep, 7), "sock_sink -s -n 5 -d 1");
	CHECK_STR(source_line(&sweep, 6), "sock_source -b 64K -t ''");
	CHECK_STR(source_line(&sweep, 7), "sock_source -b 64K -t SO_SNDBUF=4K");
	CHECK_EQ_U(sweep.settings[7]->source.block, 65536);
	CHECK_EQ_U(sweep.settings[7]->source.late->settings[0].asked.number, 4096);
	sweep_free(&sweep);
}

struct row {
	const char *line;
	const char *axes;
	const char *settings; /* the labels, "/" between settings */
};

static void expect_rows(const struct row *rows, size_t count)
{
	struct sweep sweep;
	char text[1024];

	for (size_t k = 0; k < count; k++) {
		size_t used = 0;
		char *names[8];

		NEED(parse_line(&sweep, rows[k].line) == 0);
		NEED(sweep.axis_count <= COUNT(names));
		for (size_t i = 0; i < sweep.axis_count; i++)
			names[i] = sweep.axes[i].name;
		CHECK_STR(joined((int)sweep.axis_count, names), rows[k].axes);
		for (size_t i = 0; i < sweep.count; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 i ? "/" : "", labels(&sweep, i));
		CHECK_STR(text, rows[k].settings);
		sweep_free(&sweep);
	}
}

static void test_axes_and_labels(void)
{
	static const struct row rows[] = {
		{ "sock_sink -b 1K,4K..8K", "-b", "1K/4K/8K" },
		{ "sock_sink -b1,2 -C 0", "-b", "1/2" },
		{ "sock_sink -D 0,0.001 -C 0,1", "-D -C", "0 0/0 1/0.001 0/0.001 1" },
		{ "sock_sink -C 0,1 -D 0,0.001", "-C -D", "0 0/0 0.001/1 0/1 0.001" },
		{ "sock_sink -s -b 1,2 -- -b 3,4", "-b source-b", "1 3/1 4/2 3/2 4" },
		{ "sock_sink -s -b 1 -- -b 3,4", "-b", "3/4" },
		{ "sock_sink -s -b 1,2 -- -b 3", "-b", "1/2" },
		{ "sock_sink -s -b 1,2 -- -t {,TCP_NODELAY}", "-b -t",
		  "1 (none)/1 TCP_NODELAY/2 (none)/2 TCP_NODELAY" },
		{ "sock_sink -s -x pipe,unix,tcp,tcp6,file,mmap,copy -- -b 64K", "-x",
		  "pipe/unix/tcp/tcp6/file/mmap/copy" },
		{ "sock_sink -t '{ ,TCP_NODELAY  SO_RCVBUF=8K,, IP_TOS=8 }'", "-t",
		  "(none)/TCP_NODELAY,SO_RCVBUF=8K/IP_TOS=8" },
		{ "sock_sink -e '{TCP_NODELAY,TCP_NODELAY} SO_RCVBUF={8K,9K}'", "-e",
		  "TCP_NODELAY,SO_RCVBUF=8K/TCP_NODELAY,SO_RCVBUF=9K" },
		/* One that is left is none. */
		{ "sock_sink -b 1K,1024 -D {0}", "", "" },
	};

	expect_rows(rows, COUNT(rows));
}

/* -z and -S, which only some systems have. */
static void test_switches(void)
{
	static const struct row rows[] = {
		{ "sock_sink -zz", "-z", "no/yes" },
		{ "sock_sink -z", "", "" },
		{ "sock_sink -z -b 1,2 -z", "-z -b", "no 1/no 2/yes 1/yes 2" },
		{ "sock_sink -s -- -SS", "-S", "no/yes" },
		{ "sock_sink -szz -- -S -S", "-z -S", "no no/no yes/yes no/yes yes" },
	};
	struct sweep sweep;

	if (!platform_has_sendfile() || !platform_has_discard())
		TEST_SKIP("built without Linux parts");
	expect_rows(rows, COUNT(rows));
	NEED(parse_line(&sweep, "sock_sink -szz -- -S -b 1,2") == 0);
	CHECK_STR(sink_line(&sweep, 1), "sock_sink -s");
	CHECK_STR(sink_line(&sweep, 2), "sock_sink -s -z");
	CHECK_STR(source_line(&sweep, 2), "sock_source -S -b 1");
	CHECK(sweep.settings[2]->sink.discard && sweep.settings[2]->source.sendfile);
	sweep_free(&sweep);
	NEED(parse_line(&sweep, "sock_sink -s -x tcp,file -- -S") != 0);
	CHECK_STR(cause.step, "-x file");
	CHECK_HAS(cause.reason, "not with -S of the source");
	sweep_free(&sweep);
}

static void test_defaults_of_a_sweep(void)
{
	struct sweep sweep;
	const struct plan *plan;

	NEED(parse_line(&sweep, "sock_sink -b 1K,64K") == 0);
	NEED(sweep.count == 2);
	plan = &sweep.settings[1]->sink;
	CHECK_EQ(plan->connections, 6);
	CHECK_NEAR(plan->duration_s, 1, 1e-9);
	CHECK_NEAR(plan->interval_s, 0.125, 1e-9);
	CHECK_EQ_U(plan->seed, 1);
	CHECK_EQ(plan->no_cliffs, 0);
	CHECK(plan_is_run(plan));
	sweep_free(&sweep);
	NEED(parse_line(&sweep, "sock_sink -b 1K,64K -o 77 -f -d 0.01 -n1 -i 0.5") == 0);
	plan = &sweep.settings[0]->sink;
	CHECK_EQ(plan->connections, 1);
	CHECK_NEAR(plan->duration_s, 0.01, 1e-9);
	CHECK_NEAR(plan->interval_s, 0.01, 1e-9);
	CHECK_EQ_U(plan->seed, 77);
	CHECK_EQ(plan->no_cliffs, 1);
	sweep_free(&sweep);
}

static void test_transports(void)
{
	static const enum plan_place places[] = { PLAN_NET,    PLAN_NET,     PLAN_PATH,
						  PLAN_PIPE,   PLAN_NOWHERE, PLAN_NOWHERE,
						  PLAN_NOWHERE };
	struct sweep sweep;

	NEED(parse_line(&sweep, "sock_sink -s -x tcp,tcp6,unix,pipe,copy,file,mmap -n 2 -g 1") ==
	     0);
	NEED(sweep.count == PLAN_TRANSPORTS);
	for (size_t i = 0; i < sweep.count; i++) {
		CHECK_EQ(sweep.settings[i]->sink.transport, i);
		CHECK_EQ(plan_place(&sweep.settings[i]->sink), places[i]);
		CHECK_EQ(sweep.settings[i]->sink.connections, 2);
		CHECK_STR(sweep.settings[i]->labels[0],
			  plan_transport_name((enum plan_transport)i));
	}
	sweep_free(&sweep);
}

static void test_what_only_prints(void)
{
	static const struct {
		const char *line;
		enum plan_ask ask;
	} rows[] = {
		{ "sock_sink -h", PLAN_HELP },
		{ "sock_sink -s -b 1,2 -h -Q", PLAN_HELP },
		{ "sock_sink -vV", PLAN_VERSION },
		{ "sock_sink -b 1,2 -t help", PLAN_LIST_OPTIONS },
		{ "sock_sink -ehelp", PLAN_LIST_OPTIONS },
		{ "sock_sink -s -- -b 1,2 -t help", PLAN_LIST_OPTIONS },
	};
	struct sweep sweep;

	for (size_t i = 0; i < COUNT(rows); i++) {
		NEED(parse_line(&sweep, rows[i].line) == 0);
		CHECK_EQ(sweep.count, 1);
		CHECK_EQ(sweep.settings[0]->sink.ask, rows[i].ask);
		sweep_free(&sweep);
	}
}

/* ---- refusals ---- */

static void test_refusals(void)
{
	static const struct {
		const char *line, *step, *reason;
	} rows[] = {
		/* Words that are no options. */
		{ "sock_sink -b 1,2 -Q", "-Q", "unknown option" },
		{ "sock_sink -b 1,2 -n", "-n", "needs a value" },
		{ "sock_sink -b 1,2 stray -v", "argument", "\"stray\": not expected" },
		{ "sock_sink -b 1,2 ''", "argument", "\"\": not expected" },
		{ "sock_sink --help", "--", "unknown option" },
		{ "sock_sink -b 1,2 -- -b 1", "--", "\"-b\": options of a source need -s" },
		{ "sock_sink -s stray -- -b 1", "argument", "\"stray\": not expected" },
		{ "sock_sink -s -- -b 1 stray", "argument", "\"stray\": not expected" },
		{ "sock_sink -s -- -b 1 -- x", "argument", "\"x\": not expected" },
		{ "sock_sink -s -- -Q", "-Q", "unknown option" },
		{ "sock_sink -s -- -n 3", "-n", "not behind --; the sink runs the source" },
		{ "sock_sink -s -- -p 0", "-p", "not behind --; the sink runs the source" },
		{ "sock_sink -s -- -v", "-v", "not behind --; the sink runs the source" },
		{ "sock_sink -s -- -h", "-h", "not behind --; the sink runs the source" },
		{ "sock_sink -s -- -z", "-z", "unknown option" },
		/* Alternatives. */
		{ "sock_sink -b 1K,", "-b", "\"1K,\": an empty alternative" },
		{ "sock_sink -t {", "-t", "\"{\": a { without its }" },
		{ "sock_sink -s -- -t {A", "-t behind --", "\"{A\": a { without its }" },
		{ "sock_sink -x tcp,", "-x", "\"tcp,\": an empty alternative" },
		{ "sock_sink -b 1K -b 2K", "-b", "given twice: for alternatives write A,B" },
		{ "sock_sink -b 1K,2K -b 2K", "-b", "given twice: for alternatives write A,B" },
		{ "sock_sink -C 1 -C 0,1", "-C", "given twice: for alternatives write A,B" },
		{ "sock_sink -t A -t {A,B}", "-t", "given twice: for alternatives write {A,B}" },
		{ "sock_sink -s -x tcp -x unix", "-x", "given twice: for alternatives write A,B" },
		{ "sock_sink -s -- -b 1,2 -b 3", "-b behind --",
		  "given twice: for alternatives write A,B" },
		{ "sock_sink -zzz", "-z", "given more than twice" },
		{ "sock_sink -i 1,2", "-i", "\"1,2\": not a number" },
		{ "sock_sink -b 1..64 -t {1..64},{1..64},{1..64},{1..64}", "-t",
		  "\"{1..64},{1..64},{1..64},{1..64}\": too many settings: 16807, at most 4096" },
		{ "sock_sink -s -b 1..512 -D 0.001..0.512 -- -b 1..512 -D 0.001..0.512",
		  "-D behind --", "\"0.001..0.512\": too many settings: 10000, at most 4096" },
		{ "sock_sink -e {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
		  "-e", "too many settings: 8192, at most 4096" },
		/* Values: the concrete one. */
		{ "sock_sink -b 1,0,x", "-b", "\"0\": must be 1 to" },
		{ "sock_sink -C 0,1K", "-C", "\"1K\": not a number" },
		{ "sock_sink -D 0,x", "-D", "\"x\": not a number" },
		{ "sock_sink -s -x tcp,udp", "-x",
		  "\"udp\": must be among tcp tcp6 unix pipe copy" },
		{ "sock_sink -t SO_SNDBUF={4K,-1}", "-t", "\"SO_SNDBUF=-1\": must be" },
		{ "sock_sink -t {,FOO_BAR}", "-t", "unknown option \"FOO_BAR\"" },
		{ "sock_sink -t '{,TCP_NODELAY SO_SNDBUF}'", "-t",
		  "\"SO_SNDBUF\" in \"TCP_NODELAY SO_SNDBUF\": needs a value" },
		{ "sock_sink -s -- -b 64K,0", "-b behind --", "\"0\": must be 1 to" },
		{ "sock_sink -s -b 1,2 -- -t SO_SNDBUF={1,x}", "-t behind --", "not a number" },
		/* Combinations. */
		{ "sock_sink -s -H localhost", "-s", "not with -H or -p" },
		{ "sock_sink -s -p 7001", "-s", "not with -H or -p" },
		{ "sock_sink -s -r a -r b", "-r", "leave nothing to measure" },
		{ "sock_sink -s -r a -r b -r c", "-r", "two files at most" },
		{ "sock_sink -x tcp", "-x", "needs -s" },
		{ "sock_sink -x tcp,unix", "-x", "needs -s" },
		{ "sock_sink -c -zz", "-z", "not with -c" },
		{ "sock_sink -zz -s -- -c", "-z", "not with -c" },
		{ "sock_sink -b 1,2 -n 0", "-n", "0 has no end: not with alternatives" },
		{ "sock_sink -H - -b 1,2", "-H -", "not with alternatives" },
		{ "sock_sink -s -x tcp,pipe -t TCP_NODELAY", "-x pipe", "a pipe has no socket" },
		{ "sock_sink -s -x pipe -l", "-x pipe", "a pipe has no socket" },
		{ "sock_sink -s -x pipe -P 2", "-x pipe", "a pipe has no socket" },
		{ "sock_sink -s -x pipe -z", "-x pipe", "a pipe has no socket" },
		{ "sock_sink -s -x unix -z", "-z", "only TCP can discard" },
		{ "sock_sink -s -x tcp,copy -t TCP_NODELAY", "-x", "have no connection" },
		{ "sock_sink -s -x file -e TCP_NODELAY", "-x", "have no connection" },
		{ "sock_sink -s -x mmap -P 2", "-x", "have no connection" },
		{ "sock_sink -s -x mmap -- -c", "-x", "have no connection" },
		{ "sock_sink -s -x copy -D 0,1", "-x", "have no connection" },
		{ "sock_sink -s -x copy -- -D 0,1", "-x copy", "not with -D of the source" },
		{ "sock_sink -s -x pipe -- -t TCP_NODELAY", "-x pipe",
		  "a pipe has no socket: not with -t of the source" },
		{ "sock_sink -b 1,2 -w 1", "-w", "must be shorter" },
	};
	struct sweep sweep;

	for (size_t i = 0; i < COUNT(rows); i++) {
		cause = (struct sock_cause){ 0 };
		if (parse_line(&sweep, rows[i].line) == 0)
			test_fail(__FILE__, __LINE__, "%s: taken", rows[i].line);
		CHECK_EQ(cause.status, 2);
		CHECK_STR(cause.step, rows[i].step);
		CHECK_HAS(cause.reason, rows[i].reason);
		sweep_free(&sweep);
	}
}

/* At the source itself there is nothing to take apart. */
static void test_the_source_does_not_sweep(void)
{
	static const char *const lines[] = {
		"sock_source -b 1K,64K",
		"sock_source -b 64..1M",
		"sock_source -C 0,1",
		"sock_source -D 0,0.001",
		"sock_source -t {,TCP_NODELAY}",
		"sock_source -e SO_SNDBUF={4K..64K}",
		"sock_source -SS",
	};
	struct plan plan;

	for (size_t i = 0; i < COUNT(lines); i++) {
		split(&command, lines[i]);
		CHECK_EQ(plan_parse(&plan, PLAN_SOURCE, command.argc, command.argv, &cause), -1);
		CHECK_EQ(cause.status, 2);
		CHECK_HAS(cause.reason, "only sock_sink sweeps");
		plan_free(&plan);
	}
	split(&command, "sock_source -t TCP_NODELAY,SO_SNDBUF=4K -b 1K");
	CHECK_EQ(plan_parse(&plan, PLAN_SOURCE, command.argc, command.argv, &cause), 0);
	plan_free(&plan);
}

/* ---- neighbours ---- */

static void test_numbers_of_settings(void)
{
	struct sweep sweep;
	struct sweep_number n;

	NEED(parse_line(&sweep, "sock_sink -s -D 0,0.5 -C 0,1 -e IP_TOS={0,8} -b 9 -- "
				"-b 1K,2K -t 'TCP_NODELAY,SO_SNDBUF={4K,8K} "
				"SO_SNDTIMEO={0.5,1}'") == 0);
	/* The last of all: 0.5, 1, 8, 2K, 8K and 1. */
	NEED(sweep.count == 64);
	NEED(sweep_number(&sweep, 63, 0, &n));
	CHECK_STR(n.name, "-D");
	CHECK_NEAR(n.value, 0.5, 0);
	CHECK_NEAR(n.step, 1e-6, 1e-12);
	NEED(sweep_number(&sweep, 63, 1, &n));
	CHECK_STR(n.name, "-C");
	CHECK_NEAR(n.step, 0, 0);
	NEED(sweep_number(&sweep, 63, 2, &n));
	CHECK_STR(n.name, "IP_TOS");
	CHECK_NEAR(n.step, 0, 0);
	NEED(sweep_number(&sweep, 63, 3, &n));
	CHECK_STR(n.name, "-b");
	CHECK_NEAR(n.value, 2048, 0);
	CHECK_NEAR(n.step, 1, 0);
	NEED(sweep_number(&sweep, 63, 4, &n));
	CHECK_STR(n.name, "SO_SNDBUF");
	CHECK_NEAR(n.value, 8192, 0);
	CHECK_NEAR(n.step, 1, 0);
	CHECK_EQ(n.axis, 4);
	CHECK_EQ(n.index, 0);
	NEED(sweep_number(&sweep, 63, 5, &n));
	CHECK_STR(n.name, "SO_SNDTIMEO");
	CHECK_NEAR(n.step, 1e-6, 1e-12);
	CHECK_EQ(n.index, 1);
	CHECK(!sweep_number(&sweep, 63, 6, &n));
	sweep_free(&sweep);
}

static void expect_neighbours(const struct sweep *sweep, size_t setting, size_t number,
			      size_t want_below, size_t want_above)
{
	size_t below = 99, above = 99;

	CHECK_EQ(sweep_neighbours(sweep, setting, number, &below, &above), 0);
	CHECK_EQ_U(below, want_below);
	CHECK_EQ_U(above, want_above);
}

static void test_neighbours(void)
{
	struct sweep sweep;
	size_t below, above;

	NEED(parse_line(&sweep, "sock_sink -s -- -b 1K,64K,1M -t {,SO_SNDBUF={4K..64K}}") == 0);
	/* 64K (none): along -b only. */
	expect_neighbours(&sweep, 6, 0, 0, 12);
	CHECK_EQ(sweep_neighbours(&sweep, 6, 1, &below, &above), -1);
	CHECK_EQ_U(below, SWEEP_NONE);
	/* 64K SO_SNDBUF=4K, the lowest, 16K in the middle, 64K the highest. */
	expect_neighbours(&sweep, 7, 0, 1, 13);
	expect_neighbours(&sweep, 7, 1, SWEEP_NONE, 8);
	expect_neighbours(&sweep, 9, 1, 8, 10);
	expect_neighbours(&sweep, 11, 1, 10, SWEEP_NONE);
	expect_neighbours(&sweep, 11, 0, 5, 17);
	sweep_free(&sweep);
	/* By value, whatever the order asked for; other words are no neighbours. */
	NEED(parse_line(&sweep, "sock_sink -C 0,1 -t {SO_SNDBUF={64K,4K,9000},SO_RCVBUF=8K,"
				"SO_RCVBUF={9000}} -D 1") == 0);
	NEED(sweep.count == 10);
	expect_neighbours(&sweep, 0, 1, 2, SWEEP_NONE);
	expect_neighbours(&sweep, 1, 1, SWEEP_NONE, 2);
	expect_neighbours(&sweep, 2, 1, 1, 0);
	expect_neighbours(&sweep, 4, 1, SWEEP_NONE, SWEEP_NONE);
	expect_neighbours(&sweep, 7, 1, 6, 5);
	expect_neighbours(&sweep, 7, 0, 2, SWEEP_NONE);
	sweep_free(&sweep);
}

static void test_between(void)
{
	struct sweep sweep;
	const struct sweep_setting *first;
	size_t which = 99;

	NEED(parse_line(&sweep, "sock_sink -s -n 5 -- -b 1K,64K -t {,SO_SNDBUF={4K..64K}}") == 0);
	NEED(sweep.count == 12);
	first = sweep.settings[0];
	/* 64K: SO_SNDBUF=32K and 64K. */
	NEED(sweep_between(&sweep, 10, 11, 1, 49152, &which, &cause) == 0);
	CHECK_EQ(which, 12);
	CHECK_EQ(sweep.count, 13);
	CHECK_EQ(sweep.asked, 12);
	CHECK(sweep.settings[0] == first);
	CHECK_STR(labels(&sweep, 12), "64K SO_SNDBUF=49152");
	CHECK_STR(source_line(&sweep, 12), "sock_source -b 64K -t SO_SNDBUF=49152");
	CHECK_STR(sink_line(&sweep, 12), "sock_sink -s -n 5");
	CHECK_EQ_U(sweep.settings[12]->source.late->settings[0].asked.number, 49152);
	CHECK_EQ(sweep.settings[12]->sink.connections, 5);
	CHECK_NEAR(sweep.settings[12]->sink.duration_s, 1, 1e-9);
	expect_neighbours(&sweep, 12, 1, 10, 11);
	expect_neighbours(&sweep, 10, 1, 9, 12);
	/* The next half, the other way round, and a value to be rounded. */
	NEED(sweep_between(&sweep, 12, 10, 1, 40960.3, &which, &cause) == 0);
	CHECK_EQ(which, 13);
	CHECK_STR(labels(&sweep, 13), "64K SO_SNDBUF=40960");
	expect_neighbours(&sweep, 13, 1, 10, 12);
	/* What is there already is not added. */
	NEED(sweep_between(&sweep, 10, 11, 1, 49152, &which, &cause) == 0);
	CHECK_EQ(which, 12);
	NEED(sweep_between(&sweep, 9, 11, 1, 32768, &which, &cause) == 0);
	CHECK_EQ(which, 10);
	CHECK_EQ(sweep.count, 14);
	/* Along -b, at a setting that was added: 1K has none like it. */
	expect_neighbours(&sweep, 12, 0, SWEEP_NONE, SWEEP_NONE);
	NEED(sweep_between(&sweep, 4, 10, 0, 33280, &which, &cause) == 0);
	CHECK_STR(labels(&sweep, which), "33280 SO_SNDBUF=32K");
	/* And no number twice: this text of -t is known. */
	NEED(sweep_between(&sweep, 4, 5, 1, 49152, &which, &cause) == 0);
	CHECK_STR(labels(&sweep, which), "1K SO_SNDBUF=49152");
	expect_neighbours(&sweep, 12, 0, which, SWEEP_NONE);
	sweep_free(&sweep);
}

static void test_nothing_between(void)
{
	struct sweep sweep;
	size_t which;

	NEED(parse_line(&sweep, "sock_sink -b 7,8 -C 0,8 -t {TCP_NODELAY,IP_TOS}={0,1} "
				"-D 0.1,0.3") == 0);
	NEED(sweep.count == 32);
	/* Neighbours all, but a block of 7.5 bytes, CPU 4, half an option? */
	expect_neighbours(&sweep, 0, 0, SWEEP_NONE, 16);
	CHECK_EQ(sweep_between(&sweep, 0, 16, 0, 7.5, &which, &cause), 1);
	CHECK_EQ_U(which, SWEEP_NONE);
	expect_neighbours(&sweep, 0, 1, SWEEP_NONE, 8);
	CHECK_EQ(sweep_between(&sweep, 0, 8, 1, 4, &which, &cause), 1);
	expect_neighbours(&sweep, 0, 2, SWEEP_NONE, 2);
	CHECK_EQ(sweep_between(&sweep, 0, 2, 2, 0.5, &which, &cause), 1);
	expect_neighbours(&sweep, 4, 2, SWEEP_NONE, 6);
	CHECK_EQ(sweep_between(&sweep, 4, 6, 2, 0.5, &which, &cause), 1);
	/* Not between, no such number, no neighbours. */
	CHECK_EQ(sweep_between(&sweep, 0, 1, 3, 0.1, &which, &cause), 1);
	CHECK_EQ(sweep_between(&sweep, 0, 1, 3, 0.30000001, &which, &cause), 1);
	CHECK_EQ(sweep_between(&sweep, 0, 1, 3, NAN, &which, &cause), 1);
	CHECK_EQ(sweep_between(&sweep, 0, 1, 4, 0.2, &which, &cause), 1);
	CHECK_EQ(sweep_between(&sweep, 0, 3, 3, 0.2, &which, &cause), 1);
	CHECK_EQ(sweep.count, 32);
	CHECK_EQ(sweep_between(&sweep, 0, 1, 3, 0.2, &which, &cause), 0);
	CHECK_STR(labels(&sweep, which), "7 0 TCP_NODELAY=0 0.2");
	sweep_free(&sweep);
}

/* ---- the order ---- */

#define SETTINGS 6
#define ROUNDS 6
#define SLOTS (SETTINGS * ROUNDS)

/* All repetitions, one behind the other. */
static void order_all(uint64_t seed, size_t settings, size_t repetitions, size_t *order)
{
	for (size_t i = 0; i < repetitions; i++)
		sweep_round(seed, i, settings, order + i * settings);
}

static void test_each_once_in_each_round(void)
{
	static const size_t sizes[] = { 1, 2, 3, 18, 1000, SWEEP_MOST };
	static size_t order[2 * SWEEP_MOST];

	for (size_t k = 0; k < COUNT(sizes); k++) {
		static unsigned int seen[SWEEP_MOST];
		int right = 1;

		memset(seen, 0, sizeof(seen));
		order_all(5, sizes[k], 2, order);
		for (size_t i = 0; i < sizes[k]; i++)
			seen[order[i]]++;
		for (size_t i = 0; i < sizes[k]; i++)
			right = right && seen[i] == 1 && order[sizes[k] + i] < sizes[k];
		for (size_t i = 0; right && i < sizes[k]; i++)
			seen[order[sizes[k] + i]]++;
		for (size_t i = 0; i < sizes[k]; i++)
			right = right && seen[i] == 2;
		CHECK(right);
	}
}

static void test_seeds(void)
{
	size_t a[SLOTS], b[SLOTS];

	order_all(1, SETTINGS, ROUNDS, a);
	order_all(1, SETTINGS, ROUNDS, b);
	CHECK(memcmp(a, b, sizeof(a)) == 0);
	/* Each round is an order of its own, and can be had alone. */
	CHECK(memcmp(a, a + SETTINGS, SETTINGS * sizeof(*a)) != 0);
	sweep_round(1, 3, SETTINGS, b);
	CHECK(memcmp(a + 3 * SETTINGS, b, SETTINGS * sizeof(*a)) == 0);
	for (uint64_t seed = 0; seed < 50; seed++) {
		order_all(seed, SETTINGS, ROUNDS, b);
		CHECK((memcmp(a, b, sizeof(a)) == 0) == (seed == 1));
	}
	/* The promise to those who wrote a seed down: it never changes. */
	sweep_round(1, 0, 4, b);
	CHECK_EQ(1000 * b[0] + 100 * b[1] + 10 * b[2] + b[3], 2310);
}

/* All orders of 4 settings come up as often, whatever moves the seed on. */
static void test_orders_are_unbiased(void)
{
	unsigned int seen[4 * 4 * 4 * 4] = { 0 }, orders = 0, least = 24000, most = 0;
	size_t order[4];

	for (uint64_t i = 0; i < 24000; i++) {
		sweep_round(i / 6, i % 6, 4, order);
		seen[64 * order[0] + 16 * order[1] + 4 * order[2] + order[3]]++;
	}
	for (size_t i = 0; i < COUNT(seen); i++) {
		if (seen[i] == 0)
			continue;
		orders++;
		least = seen[i] < least ? seen[i] : least;
		most = seen[i] > most ? seen[i] : most;
	}
	/* 1000 each; the deviation is 31. */
	CHECK_EQ(orders, 24);
	CHECK(least > 850);
	CHECK(most < 1150);
}

/* MB/sec of 36 connections one after another, recorded on loopback. */
static const double recorded[SLOTS] = {
	2494.47, 2445.97, 2903.64, 2746.69, 3046.15, 2762.28, 3080.66, 2916.23, 2919.93,
	2632.33, 2845.09, 2869.94, 2835.85, 2307.85, 2421.79, 2984.88, 2958.35, 2996.96,
	2760.9,	 2786.84, 2702.59, 3003.81, 2472.73, 2655.75, 2442.73, 2171.22, 2410.61,
	3002.85, 2529.11, 2517.61, 2532.89, 2297.86, 2515.9,  1991.11, 2326.5,	2490.79,
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Settings of known speed, measured in this order while all slow down. */
static void measure(const size_t *order, double drift, double median[SETTINGS])
{
	static const double speed[SETTINGS] = { 1, 1.2, 1.44, 1.73, 2.07, 2.49 };
	double rates[SETTINGS][ROUNDS];
	size_t done[SETTINGS] = { 0 };

	for (size_t slot = 0; slot < SLOTS; slot++) {
		size_t s = order[slot];
		double slower = 1 - drift * (double)slot / SLOTS;

		rates[s][done[s]++] = speed[s] * recorded[slot] * slower;
	}
	for (size_t s = 0; s < SETTINGS; s++) {
		qsort(rates[s], ROUNDS, sizeof(double), ascending);
		median[s] = (rates[s][ROUNDS / 2 - 1] + rates[s][ROUNDS / 2]) / 2;
	}
}

/* Pairs that stand in the wrong order. */
static int misplaced(const double median[SETTINGS])
{
	int wrong = 0;

	for (size_t a = 0; a < SETTINGS; a++)
		for (size_t b = a + 1; b < SETTINGS; b++)
			wrong += median[a] >= median[b];
	return wrong;
}

/*
 * A drift that halves the speed during the sweep makes a sequential one rank
 * settings by when they were measured; shuffled rounds hit all alike.
 */
static void test_drift_does_not_change_the_ranks(void)
{
	double median[SETTINGS];
	size_t order[SLOTS];
	int right = 0, wrong = 0;

	for (size_t slot = 0; slot < SLOTS; slot++)
		order[slot] = slot / ROUNDS;
	measure(order, 0, median);
	CHECK_EQ(misplaced(median), 0);
	measure(order, 0.65, median);
	CHECK(misplaced(median) >= 5);
	for (uint64_t seed = 1; seed <= 200; seed++) {
		order_all(seed, SETTINGS, ROUNDS, order);
		measure(order, 0.65, median);
		right += misplaced(median) == 0;
		wrong += misplaced(median);
	}
	/* Of 200 sweeps with 15 pairs each. */
	CHECK(right > 150);
	CHECK(wrong < 60);
}

/* ---- many, and no memory ---- */

static void test_a_thousand_settings(void)
{
	struct sweep sweep;
	size_t below, above;

	NEED(parse_line(&sweep, "sock_sink -s -n 1 -d 0.01 -- -b 1..512 -D 0.001..0.512 "
				"-t 'TCP_NODELAY SO_SNDBUF={4K..2M}'") == 0);
	CHECK_EQ(sweep.count, 1000);
	CHECK_STR(source_line(&sweep, 999),
		  "sock_source -b 512 -D 0.512 -t TCP_NODELAY SO_SNDBUF=2M");
	for (size_t i = 0; i < sweep.count; i++) {
		NEED(sweep_neighbours(&sweep, i, 0, &below, &above) == 0);
		NEED(below == (i < 100 ? SWEEP_NONE : i - 100));
		NEED(above == (i >= 900 ? SWEEP_NONE : i + 100));
	}
	sweep_free(&sweep);
	NEED(parse_line(&sweep, "sock_sink -t {0..1}") != 0);
	sweep_free(&sweep);
	NEED(parse_line(&sweep, "sock_sink -b 1..1G -s -- -b 1..1G -C 0,1,2,3") == 0);
	CHECK_EQ(sweep.count, 31 * 31 * 4);
	sweep_free(&sweep);
}

/* Letters that share a dash are more than there are arguments. */
static void test_many_letters(void)
{
	struct sweep sweep;

	NEED(parse_line(&sweep, "sock_sink -vvvvvvvvvvvvjjjjjjjjjjjjsssssssssssb1,2") == 0);
	CHECK_EQ(sweep.count, 2);
	CHECK_EQ(sweep.settings[0]->sink_argc, 38);
	CHECK_STR(sweep.settings[1]->sink_argv[37], "2");
	sweep_free(&sweep);
}

static void test_memory_runs_out(void)
{
	static const char line[] = "sock_sink -zz -s -C 0 -- -c -b 1,2 -t {,SO_SNDBUF={4K..16K}}";
	struct sweep sweep;
	size_t which;
	int failed = 1;
	long n;

	/* Discarded data cannot be checked: it fails for want of memory before. */
	NEED(parse_line(&sweep, line) != 0 && cause.status == 2);
	sweep_free(&sweep);
	split(&command, "sock_sink -s -C 0 -- -c -b 1,2 -t {,SO_SNDBUF={4K..16K}}");
	for (n = 0; failed && n < 10000; n++) {
		memory_left = n;
		failed = sweep_parse(&sweep, command.argc, command.argv, &cause);
		if (failed) {
			NEED(cause.status == 1 && cause.err == ENOMEM);
			sweep_free(&sweep);
		}
	}
	memory_left = -1;
	CHECK(n > 50);
	NEED(!failed);
	CHECK_EQ(sweep.count, 8);
	for (n = 0, failed = 1; failed && n < 100; n++) {
		memory_left = n;
		failed = sweep_between(&sweep, 5, 6, 1, 5000, &which, &cause);
		CHECK_EQ(sweep.count, failed ? 8 : 9);
		if (failed)
			NEED(cause.status == 1 && which == SWEEP_NONE);
	}
	memory_left = -1;
	CHECK(n > 5);
	CHECK(!failed);
	CHECK_EQ(which, 8);
	sweep_free(&sweep);
}

int main(void)
{
	RUN(test_no_alternatives_are_one_setting);
	RUN(test_own_source);
	RUN(test_eighteen_settings);
	RUN(test_axes_and_labels);
	RUN(test_switches);
	RUN(test_defaults_of_a_sweep);
	RUN(test_transports);
	RUN(test_what_only_prints);
	RUN(test_refusals);
	RUN(test_the_source_does_not_sweep);
	RUN(test_numbers_of_settings);
	RUN(test_neighbours);
	RUN(test_between);
	RUN(test_nothing_between);
	RUN(test_each_once_in_each_round);
	RUN(test_seeds);
	RUN(test_orders_are_unbiased);
	RUN(test_drift_does_not_change_the_ranks);
	RUN(test_a_thousand_settings);
	RUN(test_many_letters);
	RUN(test_memory_runs_out);
	return test_end();
}
