/* Settings side by side: see sweep.h. */
#include "sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../socklib.h"
#include "sweep_table.h"

#define MAX_ARGUMENTS(words) (2 * (words) + 3) /* program, -c, NULL */

/* ---- the words of the command line ---- */

static int no_room(struct sock_cause *cause)
{
	return sock_failed(cause, "keep the settings", "", ENOMEM, NULL);
}

/* Which of the two -b it is that is wrong. */
static int say_side(int of_source, struct sock_cause *cause)
{
	char step[sizeof(cause->step)];

	if (of_source && cause->status == 2) {
		snprintf(step, sizeof(step), "%.16s behind --", cause->step);
		memcpy(cause->step, step, sizeof(step));
	}
	return -1;
}

static struct sweep_word *find_word(const struct sweep *sweep, char letter, int of_source)
{
	for (size_t i = 0; i < sweep->word_count; i++)
		if (sweep->words[i].letter == letter && sweep->words[i].of_source == of_source)
			return &sweep->words[i];
	return NULL;
}

/* Letters whose second occurrence means "without and with". */
static int is_switch(char letter)
{
	return letter == 'z' || letter == 'S';
}

static int add_word(struct sweep *sweep, char letter, int of_source, char *argument,
		    struct sock_cause *cause)
{
	struct sweep_word *old = is_switch(letter) ? find_word(sweep, letter, of_source) : NULL;
	const char option[] = { '-', letter, '\0' };

	if (old && old->both)
		return sock_usage(cause, option,
				  "given more than twice (twice: without and with it)");
	if (old) {
		old->both = 1;
		return 0;
	}
	sweep->words[sweep->word_count] = (struct sweep_word){
		.letter = letter, .of_source = of_source, .argument = argument, .axis = SWEEP_NONE
	};
	memcpy(sweep->words[sweep->word_count++].option, option, sizeof(option));
	return 0;
}

/* It asks for something to be printed: nothing is measured. */
static int asks(char letter, const char *argument)
{
	return strchr("hV", letter) || (strchr("et", letter) && strcmp(argument, "help") == 0);
}

static int check_source_letter(char letter, struct sock_cause *cause)
{
	const char option[] = { '-', letter, '\0' };

	if (strchr("bCcDeSt", letter))
		return 0;
	return sock_usage(cause, option, "not behind --; the sink runs the source");
}

/*
 * The options of one side.  Puts the number of arguments before the end or
 * "--" into used.  1: one of them asks, and is the only word now.
 */
static int read_side(struct sweep *sweep, int of_source, int argc, char **argv, int *used,
		     struct sock_cause *cause)
{
	struct plan_scan scan;
	int more;

	plan_scan_begin(&scan, of_source ? PLAN_SOURCE : PLAN_SINK, argc, argv);
	while ((more = plan_scan_next(&scan, cause)) == 1) {
		if (of_source && check_source_letter(scan.letter, cause))
			return -1;
		if (asks(scan.letter, scan.argument)) {
			sweep->word_count = 0;
			return add_word(sweep, scan.letter, 0, scan.argument, cause) ? -1 : 1;
		}
		if (add_word(sweep, scan.letter, of_source, scan.argument, cause))
			return -1;
	}
	if (more == 0 && scan.stray)
		return plan_stray(scan.stray, cause);
	if (more == 0 && of_source && scan.at < argc)
		return plan_stray(argv[scan.at], cause);
	*used = scan.at;
	return more;
}

/* A pattern is written by one side and checked by the other. */
static int check_on_both_sides(struct sweep *sweep, struct sock_cause *cause)
{
	int sink = find_word(sweep, 'c', 0) != NULL, source = find_word(sweep, 'c', 1) != NULL;

	return sink == source ? 0 : add_word(sweep, 'c', sink, NULL, cause);
}

static int read_words(struct sweep *sweep, int argc, char **argv, struct sock_cause *cause)
{
	int used = argc, asked;
	size_t most = 1; /* letters there can be, and -c */

	for (int i = 1; i < argc; i++)
		most += strlen(argv[i]);
	sweep->words = calloc(most, sizeof(*sweep->words));
	sweep->program = argv[0];
	if (!sweep->words)
		return no_room(cause);
	asked = read_side(sweep, 0, argc, argv, &used, cause);
	if (asked)
		return asked < 0 ? -1 : 0;
	if (!find_word(sweep, 's', 0)) {
		if (used == argc)
			return 0;
		return sock_usage(cause, "--", "\"%.200s\": options of a source need -s",
				  argv[used]);
	}
	/* The "--" stands for the name of the source. */
	if (used < argc)
		asked = read_side(sweep, 1, argc - used + 1, argv + used - 1, &used, cause);
	if (asked)
		return asked < 0 ? -1 : 0;
	return check_on_both_sides(sweep, cause);
}

/* ---- axes ---- */

static int has_alternatives(const struct sweep_word *word)
{
	return word->argument && strchr("bCDetx", word->letter);
}

static enum alternatives_kind kind_of(char letter)
{
	switch (letter) {
	case 'D': return ALTERNATIVES_SECONDS;
	case 'e':
	case 't': return ALTERNATIVES_OPTIONS;
	case 'x': return ALTERNATIVES_WORDS;
	default: return ALTERNATIVES_SIZE;
	}
}

/* Of a repeated number the last counts, but which of several lists would? */
static int repeated(const struct sweep *sweep, const struct sweep_word *word)
{
	size_t same = 0;

	for (size_t i = 0; i < sweep->word_count; i++)
		same += sweep->words[i].letter == word->letter &&
			sweep->words[i].of_source == word->of_source;
	return same > 1;
}

static size_t variants(const struct sweep_word *word)
{
	return word->both ? 2 : has_alternatives(word) ? word->texts.count : 1;
}

/* How many settings there are in all; the word that makes them too many. */
static int count_settings(const struct sweep *sweep, struct sock_cause *cause)
{
	const struct sweep_word *culprit = NULL;
	uint64_t all = 1;

	for (size_t i = 0; i < sweep->word_count; i++) {
		const struct sweep_word *word = &sweep->words[i];
		uint64_t n = has_alternatives(word) && word->texts.asked > SWEEP_MOST
				     ? word->texts.asked
				     : variants(word);

		all = all > UINT64_MAX / n ? UINT64_MAX : all * n;
		if (!culprit && all > SWEEP_MOST)
			culprit = word;
	}
	if (!culprit)
		return 0;
	sock_usage(cause, culprit->option,
		   "\"%.400s\": too many settings: %" PRIu64 "%s, at most %d",
		   culprit->argument ? culprit->argument : culprit->option, all,
		   all == UINT64_MAX ? " or more" : "", SWEEP_MOST);
	return say_side(culprit->of_source, cause);
}

static int parse_alternatives(struct sweep *sweep, struct sock_cause *cause)
{
	for (size_t i = 0; i < sweep->word_count; i++) {
		struct sweep_word *word = &sweep->words[i];

		if (!has_alternatives(word))
			continue;
		if (alternatives_parse(&word->texts, word->argument, kind_of(word->letter),
				       word->option, cause))
			return say_side(word->of_source, cause);
		if (word->texts.asked > 1 && repeated(sweep, word)) {
			sock_usage(cause, word->option, "given twice: for alternatives write %s",
				   strchr("et", word->letter) ? "{A,B}" : "A,B");
			return say_side(word->of_source, cause);
		}
	}
	return count_settings(sweep, cause);
}

static int name_axes(struct sweep *sweep, struct sock_cause *cause)
{
	sweep->axes = calloc(sweep->word_count + 1, sizeof(*sweep->axes));
	if (!sweep->axes)
		return no_room(cause);
	for (size_t i = 0; i < sweep->word_count; i++) {
		struct sweep_word *word = &sweep->words[i];

		if (variants(word) < 2)
			continue;
		word->axis = sweep->axis_count++;
		sweep->axes[word->axis] = (struct sweep_axis){ .letter = word->letter,
							       .of_source = word->of_source,
							       .word = word };
	}
	for (size_t i = 0; i < sweep->axis_count; i++) {
		struct sweep_axis *axis = &sweep->axes[i];
		const struct sweep_word *other = find_word(sweep, axis->letter, !axis->of_source);
		int both = axis->of_source && other && other->axis != SWEEP_NONE;

		/* One word, so that a heading has as many as the rows. */
		snprintf(axis->name, sizeof(axis->name), "%s-%c", both ? "source" : "",
			 axis->letter);
	}
	return 0;
}

/* ---- one setting ---- */

static void free_setting(struct sweep *sweep, struct sweep_setting *setting)
{
	if (!setting)
		return;
	for (size_t i = 0; setting->labels && i < sweep->axis_count; i++)
		free(setting->labels[i]);
	free(setting->labels);
	free(setting->choice);
	free(setting->sink_argv);
	free(setting->source_argv);
	plan_free(&setting->sink);
	plan_free(&setting->source);
	free(setting);
}

/* The command line of one side, with what the setting chooses. */
static char **make_argv(const struct sweep *sweep, const size_t *choice, int of_source, int *argc)
{
	static char source[] = "sock_source";
	char **argv = calloc(MAX_ARGUMENTS(sweep->word_count), sizeof(*argv));
	int n = 0;

	if (!argv)
		return NULL;
	argv[n++] = of_source ? source : sweep->program;
	for (size_t i = 0; i < sweep->word_count; i++) {
		struct sweep_word *word = &sweep->words[i];
		size_t chosen = word->axis == SWEEP_NONE ? 0 : choice[word->axis];

		if (word->of_source != of_source || (word->both && chosen == 0))
			continue;
		argv[n++] = word->option;
		if (has_alternatives(word))
			argv[n++] = word->texts.texts[chosen].text;
		else if (word->argument)
			argv[n++] = word->argument;
	}
	*argc = n;
	return argv;
}

static const char *chosen_text(const struct sweep_axis *axis, size_t chosen)
{
	if (axis->word->both)
		return chosen ? "yes" : "no";
	return axis->word->texts.texts[chosen].text;
}

static struct sweep_setting *new_setting(struct sweep *sweep, const size_t *choice)
{
	struct sweep_setting *setting = calloc(1, sizeof(*setting));
	int labelled = 1;

	if (!setting)
		return NULL;
	setting->choice = calloc(sweep->axis_count + 1, sizeof(*setting->choice));
	setting->labels = calloc(sweep->axis_count + 1, sizeof(*setting->labels));
	setting->sink_argv = make_argv(sweep, choice, 0, &setting->sink_argc);
	if (find_word(sweep, 's', 0))
		setting->source_argv = make_argv(sweep, choice, 1, &setting->source_argc);
	for (size_t i = 0; setting->labels && i < sweep->axis_count; i++) {
		setting->labels[i] = sweep_word(chosen_text(&sweep->axes[i], choice[i]));
		labelled = labelled && setting->labels[i];
	}
	if (!setting->choice || !setting->labels || !labelled || !setting->sink_argv ||
	    (find_word(sweep, 's', 0) && !setting->source_argv)) {
		free_setting(sweep, setting);
		return NULL;
	}
	if (sweep->axis_count > 0)
		memcpy(setting->choice, choice, sweep->axis_count * sizeof(*choice));
	return setting;
}

/* What the source is asked must make sense with what -x goes through. */
static int check_transport(const struct plan *sink, const struct plan *source,
			   struct sock_cause *cause)
{
	static const char net[] = "et", any[] = "DeSt";
	int nowhere = plan_place(sink) == PLAN_NOWHERE;
	const char *letters = nowhere ? any : net;
	char step[16];

	if (!nowhere && sink->transport != PLAN_FIFO)
		return 0;
	for (; *letters; letters++)
		if (plan_given(source, *letters))
			break;
	if (!*letters)
		return 0;
	snprintf(step, sizeof(step), "-x %s", plan_transport_name(sink->transport));
	return sock_usage(cause, step, "%s: not with -%c of the source",
			  nowhere ? "copy, file and mmap have no connection"
				  : "a pipe has no socket",
			  *letters);
}

static int parse_setting(struct sweep_setting *setting, int alone, struct sock_cause *cause)
{
	int (*parse)(struct plan * plan, enum plan_side side, int argc, char **argv,
		     struct sock_cause *cause) = alone ? plan_parse : plan_parse_setting;

	if (parse(&setting->sink, PLAN_SINK, setting->sink_argc, setting->sink_argv, cause))
		return -1;
	if (!setting->source_argv || setting->sink.ask != PLAN_RUN)
		return 0;
	if (parse(&setting->source, PLAN_SOURCE, setting->source_argc, setting->source_argv, cause))
		return say_side(1, cause);
	return check_transport(&setting->sink, &setting->source, cause);
}

static int keep_setting(struct sweep *sweep, struct sweep_setting *setting)
{
	size_t bytes = (sweep->count + 1) * sizeof(struct sweep_setting *);
	struct sweep_setting **grown = realloc(sweep->settings, bytes);

	if (!grown)
		return -1;
	sweep->settings = grown;
	grown[sweep->count++] = setting;
	return 0;
}

static int add_setting(struct sweep *sweep, const size_t *choice, struct sock_cause *cause)
{
	struct sweep_setting *setting = new_setting(sweep, choice);

	if (!setting)
		return no_room(cause);
	if (parse_setting(setting, sweep->axis_count == 0, cause)) {
		free_setting(sweep, setting);
		return -1;
	}
	if (keep_setting(sweep, setting)) {
		free_setting(sweep, setting);
		return no_room(cause);
	}
	return 0;
}

/* ---- all settings ---- */

static size_t find_setting(const struct sweep *sweep, const size_t *choice)
{
	for (size_t i = 0; i < sweep->count; i++)
		if (memcmp(sweep->settings[i]->choice, choice,
			   sweep->axis_count * sizeof(*choice)) == 0)
			return i;
	return SWEEP_NONE;
}

int sweep_add(struct sweep *sweep, const size_t *choice, size_t *which, struct sock_cause *cause)
{
	*which = find_setting(sweep, choice);
	if (*which != SWEEP_NONE)
		return 0;
	if (add_setting(sweep, choice, cause))
		return -1;
	*which = sweep->count - 1;
	return 0;
}

/* Count as a clock does, the last axis fastest.  0: all have been. */
static int next_choice(const struct sweep *sweep, size_t *choice)
{
	for (size_t i = sweep->axis_count; i-- > 0;) {
		if (++choice[i] < variants(sweep->axes[i].word))
			return 1;
		choice[i] = 0;
	}
	return 0;
}

static int make_settings(struct sweep *sweep, struct sock_cause *cause)
{
	size_t *choice = calloc(sweep->axis_count + 1, sizeof(*choice));
	int ret;

	if (!choice)
		return no_room(cause);
	do {
		ret = add_setting(sweep, choice, cause);
	} while (ret == 0 && next_choice(sweep, choice));
	free(choice);
	sweep->asked = sweep->count;
	return ret;
}

int sweep_parse(struct sweep *sweep, int argc, char **argv, struct sock_cause *cause)
{
	*sweep = (struct sweep){ 0 };
	if (read_words(sweep, argc, argv, cause) || parse_alternatives(sweep, cause) ||
	    name_axes(sweep, cause))
		return -1;
	return make_settings(sweep, cause);
}

void sweep_free(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->count; i++)
		free_setting(sweep, sweep->settings[i]);
	free(sweep->settings);
	free(sweep->axes);
	for (size_t i = 0; i < sweep->word_count; i++)
		alternatives_free(&sweep->words[i].texts);
	free(sweep->words);
	*sweep = (struct sweep){ 0 };
}
