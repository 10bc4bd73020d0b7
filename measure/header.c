/* The header of the text: see header.h. */
#include "header.h"

#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "words.h"

#define FIRM '\037'    /* stands for a blank at which the reader could not join lines */
#define LONG_STRING 60 /* of options; shorter ones fit a line as they are */

const char *header_host(const struct plan *plan)
{
	if (plan->serve && plan_place(plan) == PLAN_PIPE)
		return "-";
	if (plan->serve && plan_place(plan) == PLAN_NOWHERE)
		return "none";
	if (plan->host || plan->side == PLAN_SOURCE)
		return plan->host;
	return "localhost";
}

/* ---- what it says ---- */

/* is_firm: not to be broken. */
static void put_text(FILE *out, const struct plan *plan, const char *text, int is_firm)
{
	if (!plan->report) {
		words_put_clean(out, text);
		return;
	}
	for (; *text; text++) {
		char c = words_ascii(*text);

		putc(c == ' ' && is_firm ? FIRM : c, out);
	}
}

/* Outside of quotes a comma is as good as a blank. */
static void put_long_string(FILE *out, const char *text)
{
	int quoted = 0;

	for (; *text; text++) {
		quoted ^= *text == '"';
		putc(*text == ',' && !quoted ? ' ' : words_ascii(*text), out);
	}
}

static void put_setting(FILE *out, const struct plan *plan, const struct plan_setting *setting)
{
	const char *value = setting->value;
	/* The reader takes a bracket for closed from the first one on. */
	int is_firm = strchr(value, ']') != NULL;

	fprintf(out, setting->is_string ? " %s=[" : " %s=", setting->name);
	if (plan->report && setting->is_string && !is_firm && strlen(value) > LONG_STRING)
		put_long_string(out, value);
	else
		put_text(out, plan, value, is_firm);
	fputs(setting->is_string ? "]" : "", out);
}

/* The options are always said, the rest where it is not as by default. */
static void put_settings(FILE *out, const struct plan *plan)
{
	struct plan_setting setting;

	for (size_t i = 0; plan_setting(plan, i, &setting); i++)
		if (i == 0 || (plan->side == PLAN_SINK && *setting.value))
			put_setting(out, plan, &setting);
}

static void put_header(FILE *out, const struct plan *plan, unsigned int port)
{
	int net = plan_place(plan) == PLAN_NET, source = plan->side == PLAN_SOURCE;

	if (!(source && net)) {
		fputs(source ? "path=" : "host=", out);
		put_text(out, plan, header_host(plan), 1);
		fputs(net ? " " : "", out);
	}
	if (net)
		fprintf(out, "port=%u", port);
	put_settings(out, plan);
}

/* ---- how it is printed ---- */

static void unfirm(char *text)
{
	for (; *text; text++)
		if (*text == FIRM)
			*text = ' ';
}

/* In lines that end where a blank was. */
static void print_broken(FILE *out, char *text)
{
	size_t column = 0;

	for (char *word = text; *word;) {
		size_t length = strcspn(word, " ");
		char *next = word + length + strspn(word + length, " ");

		word[length] = '\0';
		if (column && column + 1 + length > WORDS_COLUMNS) {
			putc('\n', out);
			column = 0;
		}
		unfirm(word);
		fprintf(out, "%s%s", column ? " " : "", word);
		column += (column > 0) + length;
		word = next;
	}
	putc('\n', out);
}

/* All of it in memory, for free(); NULL: there is none. */
static char *header_text(const struct plan *plan, unsigned int port)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return NULL;
	put_header(memory, plan, port);
	if (fclose(memory) == 0)
		return text;
	free(text);
	return NULL;
}

int header_print(FILE *out, const struct plan *plan, unsigned int port)
{
	char *text;

	if (!plan->report) {
		put_header(out, plan, port);
		putc('\n', out);
		return 0;
	}
	text = header_text(plan, port);
	if (!text)
		return -1;
	if (strlen(text) <= WORDS_COLUMNS) {
		unfirm(text);
		fprintf(out, "%s\n", text);
	} else {
		print_broken(out, text);
	}
	free(text);
	return 0;
}
