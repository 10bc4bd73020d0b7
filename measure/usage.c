/* What -h, -V and -t help print: see usage.h. */
#include "usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../socklib.h"
#include "plan.h"
#include "report.h"

#define COLUMNS 78

static void print_forms(const char *program, int source)
{
	if (source) {
		printf("usage: %s [options]         listen, write to whoever connects\n", program);
		return;
	}
	printf("usage: %s [options]           connect, read, print MB/sec\n"
	       "       %s -s [options] [-- source options]\n"
	       "                                     the same with a sock_source of its own\n"
	       "       %s -r FILE [-r NEW]    statistics from saved output\n",
	       program, program, program);
}

static void print_alternatives(void)
{
	printf("Alternatives make a sweep: 1K,64K or 64..1M (doubling) for -b, -C, -D, -x; in\n"
	       "option strings {4K,8K} or {4K..1M}; also behind --. -z or -S given twice means\n"
	       "without and with. Try %s\n",
	       "sock_sink -s -- -b 64K -t \"SO_SNDBUF={4K..1M}\"");
}

static void print_usage(const char *program, enum plan_side side)
{
	int source = side == PLAN_SOURCE;
	const struct plan_option *option;

	print_forms(program, source);
	putchar('\n');
	for (size_t i = 0; (option = plan_option_row(i)) != NULL; i++) {
		const char *help = source || !option->sink_help ? option->source_help
								: option->sink_help;

		if (option->sides & (int)side)
			printf("  -%c %-8s %s\n", option->letter,
			       option->argument ? option->argument : "", help);
	}
	printf("\nSizes take K, M, G (powers of 1024); 1 MB/sec is 10^6 bytes a second.\n");
	if (!source)
		print_alternatives();
	printf("Status: 0 done%s, 1 failed, 2 usage%s.\nSee %s(1), sock_options(7), "
	       "sock_facts(7).\n",
	       source ? " (also when interrupted)" : "",
	       source ? "" : ", 3 expectation not met, 125 cannot tell", program);
}

static void value_range(const struct sock_option *option, char *text, size_t size)
{
	if (option->kind == SOCK_FIXED)
		snprintf(text, size, "(none)");
	else if (option->kind == SOCK_BOOL)
		snprintf(text, size, "0 1");
	else if (option->kind == SOCK_TIME)
		snprintf(text, size, "seconds");
	else if (option->kind == SOCK_STRING)
		snprintf(text, size, "name");
	else if (option->kind == SOCK_LINGER)
		snprintf(text, size, "%" PRIu64 "..%" PRIu64 " off", option->min, option->max);
	else if (option->max == UINT64_MAX)
		snprintf(text, size, "%" PRIu64 "..2^64-1", option->min);
	else
		snprintf(text, size, "%" PRIu64 "..%" PRIu64 "%s", option->min, option->max,
			 option->names ? " name" : "");
}

/* Words of text from column on, broken before COLUMNS and set in below it. */
static void wrapped(const char *text, int column)
{
	int at = column;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (at > column && at + 1 + n > COLUMNS) {
			printf("\n%*s", column, "");
			at = column;
		} else if (at > column) {
			putchar(' ');
			at++;
		}
		printf("%.*s", n, text);
		at += n;
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

static void print_option_list(void)
{
	const int value_at = 19, unit_at = 33, help_at = 42;
	const struct sock_option *option;
	char help[256], range[64];

	printf("%-*s%-*s%-*s%s\n", value_at, "name", unit_at - value_at, "value", help_at - unit_at,
	       "unit", "what it does");
	for (size_t i = 0; (option = sock_option_row(i)) != NULL; i++) {
		int at = printf("%-*s ", value_at - 1, option->name);

		value_range(option, range, sizeof(range));
		at += printf("%-*s ", unit_at - at - 1, range);
		printf("%-*s", help_at - at, option->unit);
		snprintf(help, sizeof(help), "%s%s", option->help,
			 option->when == SOCK_EARLY  ? "; early only"
			 : option->when == SOCK_LATE ? "; late only"
						     : "");
		wrapped(help, help_at);
	}
}

void usage_answer(struct report *report)
{
	if (report->plan->ask == PLAN_HELP)
		print_usage(report->program, report->plan->side);
	else if (report->plan->ask == PLAN_LIST_OPTIONS)
		print_option_list();
	else
		printf("%s (socklib) %s\n", report->program, plan_version());
	report_flush(report);
}
