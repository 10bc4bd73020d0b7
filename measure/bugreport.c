/* The report of -R: see bugreport.h. */
#include "bugreport.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../socklib.h"
#include "clock.h"
#include "evidence.h"
#include "facts.h"
#include "figures.h"
#include "hostenv.h"
#include "hostfile.h"
#include "json.h"
#include "netcount.h"
#include "plan.h"
#include "process.h"
#include "report.h"
#include "settings.h"
#include "words.h"

#define ROOT ""		 /* of /proc and /sys */
#define LABEL 12	 /* columns of a label */
#define OPTION_AT 36	 /* column of what an option was given, where it has no table row */
#define OTHERS_SHARE .05 /* of the time: workers that waited for a CPU so long had company */

static FILE *out_of(const struct bugreport *bug)
{
	return bug->report->out;
}

static int is_json(const struct bugreport *bug)
{
	return bug->report->plan->json;
}

/* ---- headings ---- */

static void rule(FILE *out, const char *text)
{
	int column = fprintf(out, "==== %s ", text);

	while (column++ < WORDS_COLUMNS)
		putc('=', out);
	putc('\n', out);
}

void bugreport_section(const struct bugreport *bug, const char *title)
{
	if (!is_json(bug))
		fprintf(out_of(bug), "\n---- %s\n", title);
}

/* ---- command lines ---- */

/* Of the word that command begins with; blanks between quotes are part of it. */
static int word_length(const char *command)
{
	int length = 0, quoted = 0;

	for (; command[length] && (quoted || command[length] != ' '); length++) {
		quoted ^= command[length] == '"';
		length += command[length] == '\\' && command[length + 1];
	}
	return length;
}

/* How much of a long word fits into so many columns: not a half of an escape. */
static int part_length(const char *word, int length, int room)
{
	int at = 0, cut = 0, comma = 0;

	while (at < length) {
		at += word[at] == '\\' ? 2 : 1;
		if (at > room)
			break;
		cut = at;
		if (word[at - 1] == ' ' || word[at - 1] == ',')
			comma = at;
	}
	return comma ? comma : cut;
}

/*
 * A word that is longer than a line, from this column on; the next one.  A
 * shell joins its parts, also between quotes, where they begin the line.
 */
static int print_long_word(FILE *out, const char *word, int length, int column)
{
	while (column + length > WORDS_COLUMNS - 2) {
		int part = part_length(word, length, WORDS_COLUMNS - 1 - column);

		fprintf(out, "%.*s\\\n", part, word);
		word += part;
		length -= part;
		column = 0;
	}
	return column + fprintf(out, "%.*s", length, word);
}

/* A command in lines that a shell joins. */
static void print_command(FILE *out, const char *label, const char *command)
{
	int column = fprintf(out, "%-*s", LABEL, label), first = 1;

	for (; *command; first = 0) {
		int length = word_length(command);

		if (!first && column + length > WORDS_COLUMNS - 3)
			column = fprintf(out, " \\\n%*s", LABEL, "") - 3;
		else if (!first)
			column += fprintf(out, " ");
		column = print_long_word(out, command, length, column);
		command += length + (command[length] == ' ');
	}
	putc('\n', out);
}

/* ---- the beginning ---- */

/* Unknown where this build has no such files. */
static void sample_host(struct facts_sample *sample)
{
	facts_nothing(sample);
	if (hostfile_exists(ROOT, "/proc/stat"))
		process_sample_host(ROOT, sample);
}

static int look_at_machine(struct bugreport *bug)
{
	bug->counters = calloc(1, sizeof(*bug->counters));
	bug->before = calloc(1, sizeof(*bug->before));
	if (!bug->counters || !bug->before)
		return -1;
	sample_host(bug->before);
	if (hostenv_read(bug->machine, ROOT))
		return -1;
	return netcount_read(bug->counters, ROOT);
}

static void print_head(const struct bugreport *bug, char **argv)
{
	char title[64], *command = process_line(argv);

	snprintf(title, sizeof(title), "socklib report, socklib %s", plan_version());
	rule(out_of(bug), title);
	if (command)
		print_command(out_of(bug), "to repeat:", command);
	free(command);
	if (bug->machine->count > 0) {
		bugreport_section(bug, HOSTENV_TITLE);
		hostenv_print(out_of(bug), bug->machine);
	}
	if (!bug->saved)
		bugreport_section(bug, "lines");
}

int bugreport_begin(struct bugreport *bug, struct report *report, const struct run *saved,
		    char **argv)
{
	bug->report = report;
	bug->saved = saved;
	bug->began = clock_now();
	bug->machine = calloc(1, sizeof(*bug->machine));
	if (!bug->machine)
		return -1;
	if (saved ? hostenv_from_run(bug->machine, saved) : look_at_machine(bug))
		return -1;
	if (!is_json(bug))
		print_head(bug, argv);
	else if (bug->machine->count > 0)
		hostenv_json(out_of(bug), bug->machine);
	report_flush(report);
	return 0;
}

/* ---- options ---- */

static const char *or_unknown(const char *text)
{
	return *text ? text : "n/a";
}

/* What the option was in the end; "": not known. */
static const char *ended_with(const struct bugreport *bug, size_t row)
{
	return bug->ended && row < bug->ended->count ? bug->ended->rows[row].granted : "";
}

/* Values that are longer than their columns have lines of their own. */
static void print_option(FILE *out, const char *side, const struct settings_row *row,
			 const char *ended)
{
	const char *when = row->early ? "early" : "late", *granted = or_unknown(row->granted);
	struct words words;
	char line[256];

	snprintf(line, sizeof(line), "  %-6s  %-24s %11s  %-5s %11s %11s", side, row->name,
		 row->asked, when, granted, ended);
	if (strlen(line) <= WORDS_COLUMNS) {
		fprintf(out, "%s\n", line);
		return;
	}
	snprintf(line, sizeof(line), "  %-6s  %-24s", side, row->name);
	words_begin(&words, out, OPTION_AT, line);
	words_add(&words, "asked %s,", row->asked);
	words_add(&words, "%s,", when);
	words_add(&words, "granted %s,", granted);
	words_add(&words, "at end %s", ended);
	words_end(&words);
}

static size_t count_of(const struct settings *settings)
{
	return settings ? settings->count : 0;
}

static void print_options(const struct bugreport *bug, const struct evidence *evidence)
{
	FILE *out = out_of(bug);
	const struct settings *opened = bug->opened;

	bugreport_section(bug, "options");
	print_command(out, "source:", evidence->peer_command ? evidence->peer_command : "n/a");
	if (!opened)
		fputs("n/a at the sink: no connection\n", out);
	else if (opened->count == 0)
		fputs("none at the sink\n", out);
	if (count_of(opened) + count_of(bug->source) > 0)
		fprintf(out, "  %-6s  %-24s %11s  %-5s %11s %11s\n", "side", "option", "asked",
			"when", "granted", "at end");
	for (size_t i = 0; i < count_of(opened); i++)
		print_option(out, "sink", &opened->rows[i], or_unknown(ended_with(bug, i)));
	for (size_t i = 0; i < count_of(bug->source); i++)
		print_option(out, "source", &bug->source->rows[i], "n/a");
}

static void option_json(const struct bugreport *bug, const char *side,
			const struct settings_row *row, const char *at_end)
{
	struct json json;

	json_begin(&json, out_of(bug), "option");
	json_text(&json, "side", side);
	json_text(&json, "name", row->name);
	json_read_back(&json, "asked", row->asked, row->is_number);
	json_text(&json, "when", row->early ? "early" : "late");
	json_read_back(&json, "granted", row->granted, row->is_number);
	json_read_back(&json, "at_end", at_end, row->is_number);
	json_end(&json);
}

static void options_json(const struct bugreport *bug)
{
	for (size_t i = 0; i < count_of(bug->opened); i++)
		option_json(bug, "sink", &bug->opened->rows[i], ended_with(bug, i));
	for (size_t i = 0; i < count_of(bug->source); i++)
		option_json(bug, "source", &bug->source->rows[i], "");
}

/* ---- what went on during the run ---- */

struct during {
	double length_s;
	double steal;  /* share */
	double others; /* CPUs */
	double cpus;
	double waited;	 /* share of the workers' time that they waited for a CPU */
	double load;	 /* of one minute */
	double observer; /* CPUs */
	double asking_s;
};

/* The larger of both ends, of the connection where it is largest. */
static double most_waited(const struct evidence *evidence)
{
	double most = NAN;

	for (size_t i = 0; i < evidence->count; i++) {
		const struct facts *facts = evidence->connection[i].facts;

		if (!facts)
			continue;
		most = fmax(most, facts_share(facts, FACTS_SENDER, FACT_RUNQ));
		most = fmax(most, facts_share(facts, FACTS_RECEIVER, FACT_RUNQ));
	}
	return most;
}

/* Of no TCP there is no state to ask for. */
static double longest_asking(const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->count; i++) {
		const struct facts *facts = evidence->connection[i].facts;

		if (facts && facts->length_s[FACTS_SENDER] > 0)
			return evidence->asking_s;
	}
	return NAN;
}

static struct during look_back(const struct bugreport *bug, const struct evidence *evidence)
{
	struct facts_sample two[2];
	struct facts host;
	struct during during;

	two[0] = *bug->before;
	sample_host(&two[1]);
	facts_over(two, 2, &host);
	during.length_s = clock_to_seconds(clock_now() - bug->began);
	during.steal = host.value[FACTS_HOST][FACT_STEAL_SHARE];
	during.cpus = host.value[FACTS_HOST][FACT_CPUS];
	during.others = during.cpus * (1 - host.value[FACTS_HOST][FACT_IDLE] /
						   host.value[FACTS_HOST][FACT_TICKS]);
	during.waited = most_waited(evidence);
	during.load = hostfile_exists(ROOT, "/proc/loadavg") ? process_load(ROOT) : NAN;
	during.observer = (clock_used_s() + (evidence->cpu_s >= 0 ? evidence->cpu_s : 0)) /
			  during.length_s;
	during.asking_s = longest_asking(evidence);
	return during;
}

/* Of ticks and the like: more digits would not be true. */
static struct words_number two_decimals(double value, const char *unit)
{
	struct words_number number = { "n/a" };

	if (!isnan(value))
		snprintf(number.text, sizeof(number.text), "%.2f%s", value, unit);
	return number;
}

static void print_during(const struct bugreport *bug, const struct during *during)
{
	FILE *out = out_of(bug);
	struct words words;

	bugreport_section(bug, "during the run");
	words_begin(&words, out, LABEL, "load");
	words_text(&words, "%s in 1 min; %s of %s CPUs in use; steal %s",
		   words_figure(during->load).text, two_decimals(during->others, "").text,
		   words_figure(during->cpus).text, two_decimals(100 * during->steal, "%").text);
	words_end(&words);
	words_begin(&words, out, LABEL, "waiting");
	if (isnan(during->waited))
		words_text(&words, "n/a");
	else
		words_text(&words,
			   "workers were ready but waited for a CPU %s of the time, in the "
			   "connection where that was longest%s",
			   two_decimals(100 * during->waited, "%").text,
			   during->waited <= OTHERS_SHARE ? ""
			   : bug->report->plan->parallel > 1
				   ? ": connections shared CPUs, or others were running"
				   : ": others were running");
	words_end(&words);
	words_begin(&words, out, LABEL, "observer");
	words_text(&words, "%s of one CPU; the longest wait for a sender's state %s",
		   two_decimals(100 * during->observer, "%").text,
		   words_quantity(during->asking_s * 1e3, "ms").text);
	words_end(&words);
}

static void during_json(const struct bugreport *bug, const struct during *during)
{
	struct json json;

	json_begin(&json, out_of(bug), "during");
	json_real(&json, "length_s", during->length_s);
	json_real(&json, "load_1_min", during->load);
	json_real(&json, "used_cpus", during->others);
	json_real(&json, "online_cpus", during->cpus);
	json_real(&json, "steal_share", during->steal);
	json_real(&json, "waited_for_cpu_share", during->waited);
	json_real(&json, "observer_cpus", during->observer);
	json_real(&json, "asking_s", during->asking_s);
	json_end(&json);
}

/* ---- counters ---- */

static int say_counters(const struct bugreport *bug)
{
	struct netcount now = { 0 }, moved = { 0 };
	int failed = netcount_read(&now, ROOT) || netcount_moved(bug->counters, &now, &moved);

	if (!failed && is_json(bug)) {
		netcount_json(out_of(bug), &moved);
	} else if (!failed) {
		bugreport_section(bug, NETCOUNT_TITLE);
		netcount_print(out_of(bug), &moved);
	}
	netcount_free(&now);
	netcount_free(&moved);
	return failed;
}

/* ---- before and behind the summary ---- */

void bugreport_connections(const struct bugreport *bug, const struct evidence *evidence)
{
	if (is_json(bug)) {
		options_json(bug);
		figures_kernel_json(out_of(bug), evidence);
	} else {
		print_options(bug, evidence);
		bugreport_section(bug, "kernel, over each connection");
		figures_kernel(out_of(bug), evidence);
	}
	report_flush(bug->report);
}

void bugreport_failed(const struct bugreport *bug, const struct sock_cause *cause)
{
	struct words words;

	if (is_json(bug))
		return; /* there the error is an event */
	words_begin(&words, out_of(bug), LABEL, "failed");
	words_text(&words, "%s %s: %s", cause->step, cause->object, cause->reason);
	words_end(&words);
}

int bugreport_end(struct bugreport *bug, const struct evidence *evidence)
{
	struct during during;
	int failed = 0;

	if (evidence) {
		during = look_back(bug, evidence);
		if (is_json(bug))
			during_json(bug, &during);
		else
			print_during(bug, &during);
		failed = say_counters(bug);
	}
	if (!is_json(bug)) {
		putc('\n', out_of(bug));
		rule(out_of(bug), "end");
	}
	report_flush(bug->report);
	return failed;
}

static void free_settings(struct settings *settings)
{
	if (settings)
		settings_free(settings);
	free(settings);
}

void bugreport_free(struct bugreport *bug)
{
	if (bug->machine)
		hostenv_free(bug->machine);
	if (bug->counters)
		netcount_free(bug->counters);
	free(bug->machine);
	free(bug->counters);
	free(bug->before);
	free_settings(bug->opened);
	free_settings(bug->ended);
	free_settings(bug->source);
	*bug = (struct bugreport){ 0 };
}
