/* Command lines: see plan.h. */
#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../socklib.h"
#include "expect.h"
#include "platform.h"

#ifndef SOCKLIB_VERSION
#define SOCKLIB_VERSION "unknown"
#endif

#define BOTH (PLAN_SOURCE | PLAN_SINK)

#define DEFAULT_BLOCK 65536
#define DEFAULT_INTERVAL_S 2.0
#define DEFAULT_PORT 7001
#define DEFAULT_SEED 1
#define RUN_DURATION_S 4.0   /* of each connection when there are several */
#define SWEEP_DURATION_S 1.0 /* of each connection of a sweep */
#define SWEEP_CONNECTIONS 6  /* of each setting: so many give an interval */
#define RUN_INTERVALS 8	     /* at least so many in each of them */
#define MIN_INTERVAL_S 0.01
#define MAX_SECONDS 1e9

/* In the order of usage and manual page. */
static const struct plan_option table[] = {
	{ 'b', BOTH, "SIZE", "bytes per write (65536)", "bytes per read (65536)" },
	{ 'C', BOTH, "CPU", "run the workers on this CPU", NULL },
	{ 'c', BOTH, NULL, "write a pattern that sock_sink -c can check",
	  "check every byte (the source needs -c too)" },
	{ 'D', BOTH, "SECONDS", "sleep after each write (0)", "sleep after each read (0)" },
	{ 'd', BOTH, "SECONDS", "length of a connection (until interrupted)",
	  "length of a connection (until interrupted; run 4, sweep 1)" },
	{ 'E', PLAN_SINK, "TEST", "expect, e.g. median=500.. spread=..1.5; status 3 when unmet",
	  NULL },
	{ 'e', BOTH, "OPTIONS", "socket options set on the listener, before listen()",
	  "socket options set before connect()" },
	{ 'f', PLAN_SINK, NULL, "find no cliffs: a sweep adds no settings", NULL },
	{ 'g', PLAN_SINK, "SECONDS", "pause between connections (0)", NULL },
	{ 'H', BOTH, "ADDRESS", "listen here (127.0.0.1 and ::1), /path, or - for stdout",
	  "host (localhost), /path of an AF_UNIX socket, or - for stdin" },
	{ 'h', BOTH, NULL, "this text", NULL },
	{ 'i', BOTH, "SECONDS", "interval (2)",
	  "interval (2; in a run shorter than 16 s: an eighth)" },
	{ 'j', BOTH, NULL, "JSON Lines instead of text", NULL },
	{ 'l', PLAN_SINK, NULL, "ledger: how long reads waited, and kernel timers that match",
	  NULL },
	{ 'm', PLAN_SOURCE, "N", "at most N connections at once (as many as the system allows)",
	  NULL },
	{ 'n', BOTH, "N", "exit after N connections (never)",
	  "connections one after another (1; 6 in a sweep; 0: no end)" },
	{ 'o', PLAN_SINK, "SEED", "order of a sweep: the seed of its random numbers (1)", NULL },
	{ 'P', PLAN_SINK, "N", "connections at once (1); with -n: in each round", NULL },
	{ 'p', BOTH, "PORT", "port (7001); 0: any free one, printed", "port (7001)" },
	{ 'R', PLAN_SINK, NULL, "report for a mailing list", NULL },
	{ 'r', PLAN_SINK, "FILE", "read a saved output; - is stdin; twice, or with a run: compare",
	  NULL },
	{ 'S', PLAN_SOURCE, NULL, "sendfile() instead of write()", NULL },
	{ 's', PLAN_SINK, NULL, "start a sock_source for the run; its options follow --", NULL },
	{ 't', BOTH, "OPTIONS", "socket options set after accept(); \"help\" lists them",
	  "socket options set after connect(); \"help\" lists them" },
	{ 'V', BOTH, NULL, "version", NULL },
	{ 'v', BOTH, NULL, "addresses, options read back, what the kernel says", NULL },
	{ 'w', PLAN_SINK, "SECONDS", "warm-up, left out of statistics (0)", NULL },
	{ 'x', PLAN_SINK, "LIST", "with -s: " PLAN_TRANSPORT_NAMES " (tcp)", NULL },
	{ 'z', PLAN_SINK, NULL, "let the kernel discard the data (MSG_TRUNC)", NULL },
};

const struct plan_option *plan_option_row(size_t index)
{
	return index < sizeof(table) / sizeof(table[0]) ? &table[index] : NULL;
}

static const char *const transports[] = {
	[PLAN_TCP] = "tcp",   [PLAN_TCP6] = "tcp6", [PLAN_UNIX] = "unix", [PLAN_FIFO] = "pipe",
	[PLAN_COPY] = "copy", [PLAN_FILE] = "file", [PLAN_MMAP] = "mmap",
};

const char *plan_transport_name(enum plan_transport transport)
{
	return transports[transport];
}

/* ---- one option ---- */

static int letter_bit(char letter)
{
	return letter >= 'a' ? letter - 'a' : 26 + letter - 'A';
}

int plan_given(const struct plan *plan, char letter)
{
	return plan->given >> letter_bit(letter) & 1;
}

/* What the sink would take apart into settings stands at the source. */
static int is_alternative(enum plan_side side, char letter, const char *text)
{
	int quoted = 0;

	if (side != PLAN_SOURCE)
		return 0;
	if (strchr("bCD", letter))
		return strpbrk(text, ",{") != NULL || strstr(text, "..") != NULL;
	for (; strchr("et", letter) && *text; text++) {
		quoted ^= *text == '"';
		if (*text == '{' && !quoted)
			return 1;
	}
	return 0;
}

static int take_number(char letter, const char *text, int accept, uint64_t min, uint64_t max,
		       uint64_t *value, struct sock_cause *cause)
{
	const char step[] = { '-', letter, '\0' };
	char why[128];

	if (sock_number(text, accept, min, max, value, why, sizeof(why)) == 0)
		return 0;
	return sock_usage(cause, step, "\"%.200s\": %s", text, why);
}

static int take_seconds(char letter, const char *text, double min, double *value,
			struct sock_cause *cause)
{
	const char step[] = { '-', letter, '\0' };
	char why[128];

	if (sock_seconds(text, min, MAX_SECONDS, value, why, sizeof(why)) == 0)
		return 0;
	return sock_usage(cause, step, "\"%.200s\": %s", text, why);
}

static int take_cpu(struct plan *plan, const char *text, struct sock_cause *cause)
{
	uint64_t cpu;

	if (take_number('C', text, 0, 0, 65535, &cpu, cause))
		return -1;
	plan->cpu = (int)cpu;
	return 0;
}

static int take_port(struct plan *plan, const char *text, struct sock_cause *cause)
{
	uint64_t port;

	if (take_number('p', text, 0, plan->side == PLAN_SINK, 65535, &port, cause))
		return -1;
	plan->port = (unsigned int)port;
	return 0;
}

static int take_options(struct plan *plan, char letter, const char *text, struct sock_cause *cause)
{
	if (strcmp(text, "help") == 0) {
		plan->ask = PLAN_LIST_OPTIONS;
		return 0;
	}
	if (letter == 'e')
		plan->early = sock_options_parse(text, "-e", cause);
	else
		plan->late = sock_options_parse(text, "-t", cause);
	return (letter == 'e' ? plan->early : plan->late) ? 0 : -1;
}

static int take_host(struct plan *plan, const char *text, struct sock_cause *cause)
{
	if (!*text)
		return sock_usage(cause, "-H", "\"\": no address");
	plan->host = text;
	return 0;
}

static int take_test(struct plan *plan, const char *text, struct sock_cause *cause)
{
	size_t size = (plan->test_count + 1) * sizeof(*plan->tests);
	struct expect_test *grown = realloc(plan->tests, size);
	char why[128];

	if (!grown)
		return sock_failed(cause, "-E", "", ENOMEM, NULL);
	plan->tests = grown;
	if (expect_parse(text, &grown[plan->test_count++], why, sizeof(why)) == 0)
		return 0;
	sock_usage(cause, "-E", "%s", why);
	snprintf(cause->object, sizeof(cause->object), "\"%.200s\"", text);
	return -1;
}

static int take_saved(struct plan *plan, const char *text, struct sock_cause *cause)
{
	if (plan->saved_count == PLAN_SAVED)
		return sock_usage(cause, "-r", "\"%.200s\": two files at most", text);
	plan->saved[plan->saved_count++] = text;
	return 0;
}

static int take_transport(struct plan *plan, const char *text, struct sock_cause *cause)
{
	for (int i = 0; i < PLAN_TRANSPORTS; i++)
		if (strcmp(text, transports[i]) == 0) {
			plan->transport = (enum plan_transport)i;
			return 0;
		}
	return sock_usage(cause, "-x", "\"%.200s\": must be among " PLAN_TRANSPORT_NAMES, text);
}

static int take_option(struct plan *plan, char letter, const char *text, struct sock_cause *cause)
{
	const char step[] = { '-', letter, '\0' };
	uint64_t least = plan->side == PLAN_SOURCE;

	if (is_alternative(plan->side, letter, text))
		return sock_usage(cause, step, "\"%.200s\": only sock_sink sweeps", text);
	switch (letter) {
	case 'b':
		return take_number('b', text, SOCK_NUMBER_SIZE, 1, SIZE_MAX / 2, &plan->block,
				   cause);
	case 'C': return take_cpu(plan, text, cause);
	case 'c': plan->check = 1; return 0;
	case 'D': return take_seconds('D', text, 0, &plan->pause_s, cause);
	case 'd': return take_seconds('d', text, MIN_INTERVAL_S, &plan->duration_s, cause);
	case 'E': return take_test(plan, text, cause);
	case 'f': plan->no_cliffs = 1; return 0;
	case 'g': return take_seconds('g', text, 0, &plan->gap_s, cause);
	case 'H': return take_host(plan, text, cause);
	case 'h': plan->ask = PLAN_HELP; return 0;
	case 'i': return take_seconds('i', text, MIN_INTERVAL_S, &plan->interval_s, cause);
	case 'j': plan->json = 1; return 0;
	case 'l': plan->ledger = 1; return 0;
	case 'm': return take_number('m', text, 0, 1, UINT32_MAX, &plan->at_most, cause);
	case 'n': return take_number('n', text, 0, least, UINT32_MAX, &plan->connections, cause);
	case 'o': return take_number('o', text, 0, 0, UINT32_MAX, &plan->seed, cause);
	case 'P': return take_number('P', text, 0, 1, 65536, &plan->parallel, cause);
	case 'p': return take_port(plan, text, cause);
	case 'R': plan->report = 1; return 0;
	case 'r': return take_saved(plan, text, cause);
	case 'S': plan->sendfile = 1; return 0;
	case 's': plan->serve = 1; return 0;
	case 'V': plan->ask = PLAN_VERSION; return 0;
	case 'v': plan->verbose = 1; return 0;
	case 'w': return take_seconds('w', text, 0, &plan->warm_up_s, cause);
	case 'x': return take_transport(plan, text, cause);
	case 'z': plan->discard = 1; return 0;
	default: return take_options(plan, letter, text, cause);
	}
}

/* ---- combinations ---- */

static int gives_any(const struct plan *plan, const char *letters)
{
	for (; *letters; letters++)
		if (plan_given(plan, *letters))
			return 1;
	return 0;
}

/* Standard input or output, not one that -s makes. */
static int is_pipe(const struct plan *plan)
{
	return plan->host && strcmp(plan->host, "-") == 0;
}

static int path_with_port(const struct plan *plan)
{
	return plan_place(plan) == PLAN_PATH && plan_given(plan, 'p');
}

static int pipe_with_net(const struct plan *plan)
{
	return is_pipe(plan) && gives_any(plan, "etp");
}

static int pipe_with_many(const struct plan *plan)
{
	return is_pipe(plan) &&
	       (gives_any(plan, "gmP") || (plan_given(plan, 'n') && plan->connections != 1));
}

static int sweep_of_pipe(const struct plan *plan)
{
	return is_pipe(plan) && plan->of_sweep;
}

static int serve_elsewhere(const struct plan *plan)
{
	return plan->serve && gives_any(plan, "Hp");
}

static int transport_of_others(const struct plan *plan)
{
	return plan_given(plan, 'x') && !plan->serve;
}

static int own_pipe_with_net(const struct plan *plan)
{
	return plan->transport == PLAN_FIFO && gives_any(plan, "elPtz");
}

static int bound_with_net(const struct plan *plan)
{
	return plan_place(plan) == PLAN_NOWHERE && gives_any(plan, "cDelPtz");
}

static int endless_sweep(const struct plan *plan)
{
	return plan->of_sweep && plan->side == PLAN_SINK && plan->connections == 0;
}

static int ledger_of_pipe(const struct plan *plan)
{
	return plan->ledger && is_pipe(plan);
}

static int ledger_of_sweep(const struct plan *plan)
{
	return plan->ledger && plan->of_sweep && !plan->verbose && !plan->json;
}

static int check_with_discard(const struct plan *plan)
{
	return plan->check && plan->discard;
}

static int discard_without_tcp(const struct plan *plan)
{
	return plan->discard && plan_place(plan) != PLAN_NET;
}

static int gap_without_run(const struct plan *plan)
{
	return plan_given(plan, 'g') && plan->connections == 1;
}

static int pipe_is_terminal(const struct plan *plan)
{
	int fd = plan->side == PLAN_SOURCE ? STDOUT_FILENO : STDIN_FILENO;

	return is_pipe(plan) && isatty(fd);
}

static int saved_and_live(const struct plan *plan)
{
	return plan->saved_count == PLAN_SAVED && plan_is_live(plan);
}

static int nothing_to_compare(const struct plan *plan)
{
	int pair = plan->saved_count + (size_t)plan_is_live(plan) > 1;

	for (size_t i = 0; !pair && i < plan->test_count; i++)
		if (plan->tests[i].metric->of_pair)
			return 1;
	return 0;
}

static int only_warm_up(const struct plan *plan)
{
	return plan->warm_up_s > 0 && plan->duration_s > 0 && plan->warm_up_s >= plan->duration_s;
}

static int no_sendfile(const struct plan *plan)
{
	return plan->sendfile && !platform_has_sendfile();
}

static int no_discard(const struct plan *plan)
{
	return plan->discard && !platform_has_discard();
}

static const struct {
	int (*clash)(const struct plan *plan);
	const char *step;
	const char *reason;
} clashes[] = {
	{ serve_elsewhere, "-s", "starts a source of its own: not with -H or -p" },
	{ transport_of_others, "-x", "needs -s, which starts what it goes through" },
	{ own_pipe_with_net, "-x pipe", "a pipe has no socket: not with -e, -l, -P, -t or -z" },
	{ bound_with_net, "-x",
	  "copy, file and mmap have no connection: not with -c, -D, -e, -l, -P, -t or -z" },
	{ endless_sweep, "-n", "0 has no end: not with alternatives" },
	{ path_with_port, "-p", "an AF_UNIX path has no port" },
	{ pipe_with_net, "-H -", "a pipe has no socket: not with -e, -t or -p" },
	{ pipe_with_many, "-H -", "a pipe is one connection: not with -g, -m, -P or another -n" },
	{ sweep_of_pipe, "-H -", "a pipe is one connection: not with alternatives" },
	{ ledger_of_pipe, "-l", "a pipe has no recv(), which tells waits: not with -H -" },
	{ ledger_of_sweep, "-l",
	  "is of each connection, of which a sweep says nothing: needs -v or -j" },
	{ saved_and_live, "-r", "two saved outputs leave nothing to measure" },
	{ nothing_to_compare, "-E", "loss and gain need two runs to compare (-r)" },
	{ only_warm_up, "-w", "must be shorter than the connection (-d)" },
	{ check_with_discard, "-z", "discarded data cannot be checked: not with -c" },
	{ discard_without_tcp, "-z", "only TCP can discard: not with an AF_UNIX path or a pipe" },
	{ gap_without_run, "-g", "a pause between connections needs -n" },
	{ pipe_is_terminal, "-H -", "is a terminal: connect it to a pipe" },
	{ no_sendfile, "-S", "n/a: this system has no sendfile()" },
	{ no_discard, "-z", "n/a: this system has no MSG_TRUNC for TCP" },
};

/* ---- the command line ---- */

enum plan_place plan_place(const struct plan *plan)
{
	static const enum plan_place places[] = {
		[PLAN_TCP] = PLAN_NET,	    [PLAN_TCP6] = PLAN_NET,	[PLAN_UNIX] = PLAN_PATH,
		[PLAN_FIFO] = PLAN_PIPE,    [PLAN_COPY] = PLAN_NOWHERE, [PLAN_FILE] = PLAN_NOWHERE,
		[PLAN_MMAP] = PLAN_NOWHERE,
	};

	if (plan->serve)
		return places[plan->transport];
	if (is_pipe(plan))
		return PLAN_PIPE;
	return plan->host && strchr(plan->host, '/') ? PLAN_PATH : PLAN_NET;
}

int plan_is_run(const struct plan *plan)
{
	return plan->side == PLAN_SINK && (plan->connections != 1 || plan->parallel > 1 ||
					   plan->report || plan->serve || plan->of_sweep);
}

int plan_is_live(const struct plan *plan)
{
	return plan->saved_count == 0 || gives_any(plan, "bCcDdegHlnPpstxz");
}

int plan_is_watched(const struct plan *plan)
{
	return plan->verbose || plan->report;
}

static const char swept_letters[] = PLAN_SWEPT;

void plan_set_swept(struct plan *plan, char letter, const char *text)
{
	const char *at = strchr(swept_letters, letter);

	if (at)
		plan->swept[at - swept_letters] = text;
}

const char *plan_swept(const struct plan *plan, char letter)
{
	const char *at = strchr(swept_letters, letter);

	return at ? plan->swept[at - swept_letters] : NULL;
}

/* Each gives its value, or leaves "" where it is as by default. */
static void show_options(const struct plan *plan, struct plan_setting *setting)
{
	setting->value = sock_options_text(plan->late);
}

static void show_early(const struct plan *plan, struct plan_setting *setting)
{
	setting->value = sock_options_text(plan->early);
}

static void show_block(const struct plan *plan, struct plan_setting *setting)
{
	if (plan_given(plan, 'b'))
		snprintf(setting->room, sizeof(setting->room), "%" PRIu64, plan->block);
}

static void show_interval(const struct plan *plan, struct plan_setting *setting)
{
	if (plan_given(plan, 'i') || fabs(plan->interval_s - DEFAULT_INTERVAL_S) > 1e-9)
		snprintf(setting->room, sizeof(setting->room), "%.10g", plan->interval_s);
}

static void show_warm_up(const struct plan *plan, struct plan_setting *setting)
{
	if (plan->warm_up_s > 0)
		snprintf(setting->room, sizeof(setting->room), "%.10g", plan->warm_up_s);
}

static void show_cpu(const struct plan *plan, struct plan_setting *setting)
{
	if (plan->cpu >= 0)
		snprintf(setting->room, sizeof(setting->room), "%d", plan->cpu);
}

int plan_setting(const struct plan *plan, size_t index, struct plan_setting *setting)
{
	static const struct {
		const char *name;
		int is_string;
		void (*show)(const struct plan *plan, struct plan_setting *setting);
		char letter;
	} rows[] = {
		{ "options", 1, show_options, 't' }, { "early", 1, show_early, 'e' },
		{ "block", 0, show_block, 'b' },     { "interval", 0, show_interval, 'i' },
		{ "warmup", 0, show_warm_up, 'w' },  { "cpu", 0, show_cpu, 'C' },
	};
	const char *swept;

	if (index >= sizeof(rows) / sizeof(rows[0]))
		return 0;
	*setting = (struct plan_setting){ .name = rows[index].name,
					  .is_string = rows[index].is_string };
	setting->value = setting->room;
	swept = plan_swept(plan, rows[index].letter);
	if (swept)
		setting->value = swept;
	else
		rows[index].show(plan, setting);
	return 1;
}

const char *plan_version(void)
{
	return SOCKLIB_VERSION;
}

/* string: room for a few marks and two characters a letter. */
static void getopt_string(enum plan_side side, char *string)
{
#ifdef __GLIBC__
	*string++ = '+'; /* leave the order of the arguments alone, as POSIX has it */
#endif
	*string++ = ':';
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!(table[i].sides & (int)side))
			continue;
		*string++ = table[i].letter;
		if (table[i].argument)
			*string++ = ':';
	}
	*string = '\0';
}

void plan_scan_begin(struct plan_scan *scan, enum plan_side side, int argc, char **argv)
{
	*scan = (struct plan_scan){ .side = side, .argc = argc, .argv = argv, .at = 1 };
	/* Begin anew, also behind a line that was left in the middle. */
#ifdef __linux__
	optind = 0;
#else
	optind = 1;
	optreset = 1;
#endif
	opterr = 0;
}

int plan_scan_next(struct plan_scan *scan, struct sock_cause *cause)
{
	char letters[2 * sizeof(table) / sizeof(table[0]) + 3], step[] = "-?";
	int c;

	getopt_string(scan->side, letters);
	optarg = NULL; /* not all clear it */
	c = getopt(scan->argc, scan->argv, letters);
	scan->at = optind;
	if (c == -1) {
		if (optind < scan->argc && strcmp(scan->argv[optind - 1], "--") != 0)
			scan->stray = scan->argv[optind];
		return 0;
	}
	step[1] = (char)(c == ':' || c == '?' ? optopt : c);
	if (c == '?')
		return sock_usage(cause, step, "unknown option (-h shows all)");
	if (c == ':')
		return sock_usage(cause, step, "needs a value");
	scan->letter = (char)c;
	scan->argument = optarg;
	return 1;
}

int plan_stray(const char *word, struct sock_cause *cause)
{
	return sock_usage(cause, "argument", "\"%.200s\": not expected (-h shows the usage)", word);
}

static int given_twice(const struct plan *plan, char letter, struct sock_cause *cause)
{
	const char step[] = { '-', letter, '\0' };

	if (plan->side == PLAN_SOURCE)
		return sock_usage(cause, step, "given twice");
	return sock_usage(cause, step, "given twice: for alternatives write %s",
			  strchr("et", letter) ? "{A,B}" : "A,B");
}

static int parse_letters(struct plan *plan, int argc, char **argv, struct sock_cause *cause)
{
	struct plan_scan scan;
	int more;

	plan_scan_begin(&scan, plan->side, argc, argv);
	while ((more = plan_scan_next(&scan, cause)) == 1) {
		if (strchr("betx", scan.letter) && plan_given(plan, scan.letter))
			return given_twice(plan, scan.letter, cause);
		if (scan.letter == 'S' && plan->sendfile)
			return sock_usage(cause, "-S", "given twice: only sock_sink sweeps");
		plan->given |= UINT64_C(1) << letter_bit(scan.letter);
		if (take_option(plan, scan.letter, scan.argument, cause))
			return -1;
		if (plan->ask != PLAN_RUN)
			return 0;
	}
	if (more < 0)
		return -1;
	if (scan.stray || scan.at < argc)
		return plan_stray(scan.stray ? scan.stray : argv[scan.at], cause);
	return 0;
}

static void set_defaults(struct plan *plan)
{
	int run = plan_is_run(plan);
	double left;

	if (run && !plan_given(plan, 'd'))
		plan->duration_s = plan->of_sweep ? SWEEP_DURATION_S : RUN_DURATION_S;
	if (run && plan->of_sweep && !plan_given(plan, 'n'))
		plan->connections = SWEEP_CONNECTIONS;
	left = plan->duration_s - plan->warm_up_s;
	if (run && !plan_given(plan, 'i') && plan->duration_s < RUN_INTERVALS * DEFAULT_INTERVAL_S)
		plan->interval_s = left / RUN_INTERVALS;
	/* A connection shorter than an interval is one interval, planned whole. */
	if (left > 0 && plan->interval_s > left)
		plan->interval_s = left;
	if (plan->interval_s < MIN_INTERVAL_S)
		plan->interval_s = MIN_INTERVAL_S;
}

static int parse(struct plan *plan, enum plan_side side, int of_sweep, int argc, char **argv,
		 struct sock_cause *cause)
{
	*plan = (struct plan){ .side = side,
			       .block = DEFAULT_BLOCK,
			       .cpu = -1,
			       .interval_s = DEFAULT_INTERVAL_S,
			       .port = DEFAULT_PORT,
			       .parallel = 1,
			       .seed = DEFAULT_SEED,
			       .of_sweep = of_sweep,
			       .connections = side == PLAN_SINK };
	if (parse_letters(plan, argc, argv, cause))
		return -1;
	if (plan->ask != PLAN_RUN)
		return 0;
	set_defaults(plan);
	for (size_t i = 0; i < sizeof(clashes) / sizeof(clashes[0]); i++)
		if (clashes[i].clash(plan))
			return sock_usage(cause, clashes[i].step, "%s", clashes[i].reason);
	if (is_pipe(plan))
		plan->connections = 1;
	return 0;
}

int plan_parse(struct plan *plan, enum plan_side side, int argc, char **argv,
	       struct sock_cause *cause)
{
	return parse(plan, side, 0, argc, argv, cause);
}

int plan_parse_setting(struct plan *plan, enum plan_side side, int argc, char **argv,
		       struct sock_cause *cause)
{
	return parse(plan, side, 1, argc, argv, cause);
}

void plan_free(struct plan *plan)
{
	sock_options_free(plan->early);
	sock_options_free(plan->late);
	free(plan->tests);
}
