/* Counters of the network namespace: see netcount.h. */
#include "netcount.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hostfile.h"
#include "json.h"
#include "words.h"

#define FILE_SIZE 65536 /* netstat takes 4 kB */
#define NAME_MAX_LENGTH 63
#define COUNT_MAX 2048
#define VALUE_AT 8

/* ---- lists ---- */

static int add(struct netcount *counters, const char *name, double value)
{
	size_t room = counters->room ? 2 * counters->room : 256;
	struct netcount_row *grown = counters->row;
	char *text = strdup(name);

	if (counters->count == counters->room) {
		grown = realloc(counters->row, room * sizeof(*grown));
		if (grown) {
			counters->row = grown;
			counters->room = room;
		}
	}
	if (!grown || !text) {
		free(text);
		return -1;
	}
	counters->row[counters->count++] = (struct netcount_row){ .name = text, .value = value };
	return 0;
}

void netcount_free(struct netcount *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		free(counters->row[i].name);
	free(counters->row);
	*counters = (struct netcount){ .count = 0 };
}

double netcount_get(const struct netcount *counters, const char *name)
{
	for (size_t i = 0; i < counters->count; i++)
		if (strcmp(counters->row[i].name, name) == 0)
			return counters->row[i].value;
	return (double)NAN;
}

/* ---- files ---- */

static int is_name(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return 0;
	return length > 0 && length <= NAME_MAX_LENGTH;
}

/* -1: it is no number of 64 bits. */
static int take_number(const char *text, double *value)
{
	size_t digits = strspn(text + (*text == '-'), "0123456789");

	if (digits == 0 || digits > 20 || text[digits + (*text == '-')])
		return -1;
	*value = strtod(text, NULL);
	return 0;
}

/* Take "Tcp" and the words behind it in both lines, as far as both go. */
static int take_pair(struct netcount *counters, const char *group, char *names, char *values)
{
	char full[2 * NAME_MAX_LENGTH + 2], *name, *text;

	while ((name = strtok_r(names, " ", &names)) != NULL &&
	       (text = strtok_r(values, " ", &values)) != NULL) {
		double value;

		if (!is_name(name) || take_number(text, &value) || counters->count == COUNT_MAX)
			continue;
		snprintf(full, sizeof(full), "%.*s.%.*s", NAME_MAX_LENGTH, group, NAME_MAX_LENGTH,
			 name);
		if (add(counters, full, value))
			return -1;
	}
	return 0;
}

/* Cut "Tcp: ..." at its colon; what follows, NULL where it is no such line. */
static char *after_group(char *line)
{
	char *colon = strchr(line, ':');

	if (!colon)
		return NULL;
	*colon = '\0';
	return is_name(line) ? colon + 1 : NULL;
}

static int read_file(struct netcount *counters, const char *root, const char *path, char *text)
{
	char *rest = text, *line, *group = NULL, *names = NULL;
	int ret = 0;

	hostfile_read(root, path, text, FILE_SIZE);
	while (ret == 0 && (line = strtok_r(rest, "\n", &rest)) != NULL) {
		char *words = after_group(line);

		if (words && names && strcmp(group, line) == 0) {
			ret = take_pair(counters, group, names, words);
			names = NULL;
		} else {
			group = line;
			names = words;
		}
	}
	return ret;
}

int netcount_read(struct netcount *counters, const char *root)
{
	char *text = malloc(FILE_SIZE);
	int failed;

	*counters = (struct netcount){ .count = 0 };
	failed = !text || read_file(counters, root, "/proc/net/netstat", text) ||
		 read_file(counters, root, "/proc/net/snmp", text);
	free(text);
	if (!failed)
		return 0;
	netcount_free(counters);
	return -1;
}

/* ---- differences ---- */

/* Settings and states among the counters (RFC 1213, RFC 4022). */
static int is_state(const char *name)
{
	static const char *const states[] = { "Tcp.RtoAlgorithm", "Tcp.RtoMin",	   "Tcp.RtoMax",
					      "Tcp.MaxConn",	  "Tcp.CurrEstab", "Ip.Forwarding",
					      "Ip.DefaultTTL" };

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(name, states[i]) == 0)
			return 1;
	return 0;
}

/* Both lists have the same order unless something is broken. */
static double value_before(const struct netcount *before, size_t at, const char *name)
{
	if (at < before->count && strcmp(before->row[at].name, name) == 0)
		return before->row[at].value;
	return netcount_get(before, name);
}

int netcount_moved(const struct netcount *before, const struct netcount *after,
		   struct netcount *moved)
{
	*moved = (struct netcount){ .count = 0 };
	for (size_t i = 0; i < after->count; i++) {
		const struct netcount_row *row = &after->row[i];
		double old = value_before(before, i, row->name), by = row->value - old;

		if (isnan(old) || is_state(row->name))
			continue;
		if (add(moved, row->name, by < 0 ? (double)NAN : by)) {
			netcount_free(moved);
			return -1;
		}
	}
	return 0;
}

/* ---- sums ---- */

/* What a run hopes not to see; the first of each has been there since Linux 2.6. */
static const struct {
	const char *name, *key;
	const char *counters[10];
} sums[] = {
	{ "retransmits", "retransmits", { "Tcp.RetransSegs" } },
	{ "timeouts", "timeouts", { "TcpExt.TCPTimeouts" } },
	{ "drops",
	  "drops",
	  { "TcpExt.ListenDrops", "TcpExt.TCPBacklogDrop", "TcpExt.TCPRcvQDrop",
	    "TcpExt.TCPZeroWindowDrop", "TcpExt.TCPOFODrop", "TcpExt.PFMemallocDrop",
	    "TcpExt.TCPReqQFullDrop", "TcpExt.RcvPruned", "TcpExt.OfoPruned" } },
	{ "zero windows",
	  "zero_windows",
	  { "TcpExt.TCPToZeroWindowAdv", "TcpExt.TCPWantZeroWindowAdv",
	    "TcpExt.TCPFromZeroWindowAdv" } },
};

#define SUMS (sizeof(sums) / sizeof(sums[0]))

/* Of those that this kernel has; NaN where it lacks the first. */
static double sum_of(const struct netcount *moved, size_t row)
{
	double sum = netcount_get(moved, sums[row].counters[0]);

	for (const char *const *name = sums[row].counters + 1; *name; name++) {
		double value = netcount_get(moved, *name);

		sum += isnan(value) ? 0 : value;
	}
	return sum;
}

/* ---- text ---- */

/* What follows "GROUP.", NULL where it is of another group. */
static const char *in_group(const char *name, const char *group)
{
	size_t length = strlen(group);

	return strncmp(name, group, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

/* These grow with each segment, and say no more than the speed does. */
static int is_segment(const char *name)
{
	static const char *const segments[] = { "Tcp.InSegs", "Tcp.OutSegs",
						"TcpExt.TCPOrigDataSent", "TcpExt.TCPDelivered" };

	for (size_t i = 0; i < sizeof(segments) / sizeof(segments[0]); i++)
		if (strcmp(name, segments[i]) == 0)
			return 1;
	return 0;
}

static void print_group(FILE *out, const struct netcount *moved, const char *group)
{
	size_t printed = 0, known = 0;
	struct words words;
	char label[16];

	snprintf(label, sizeof(label), "%s:", group);
	words_begin(&words, out, VALUE_AT, label);
	for (size_t i = 0; i < moved->count; i++) {
		const struct netcount_row *row = &moved->row[i];
		const char *name = in_group(row->name, group);

		known += name != NULL;
		if (!name || is_segment(row->name) || !(row->value > 0))
			continue;
		if (printed++)
			words_mark(&words, ',');
		words_add(&words, "%s %.0f", name, row->value);
	}
	if (printed == 0)
		words_add(&words, "%s", known ? "nothing else moved" : "n/a");
	words_end(&words);
}

/* Those of the sums that are 0, or not known. */
static void print_sums(FILE *out, const struct netcount *moved, int known)
{
	size_t printed = 0;

	for (size_t i = 0; i < SUMS; i++) {
		double sum = sum_of(moved, i);

		if (known ? !(sum <= 0) : !isnan(sum))
			continue;
		fprintf(out, "%s%s", printed++ ? ", " : "", sums[i].name);
	}
	if (printed)
		fprintf(out, ": %s\n", known ? "0" : "n/a");
}

void netcount_print(FILE *out, const struct netcount *moved)
{
	print_group(out, moved, "Tcp");
	print_group(out, moved, "TcpExt");
	print_sums(out, moved, 1);
	print_sums(out, moved, 0);
}

void netcount_json(FILE *out, const struct netcount *moved)
{
	struct json json;

	json_begin(&json, out, "counters");
	json_open(&json, "moved", '{');
	for (size_t i = 0; i < moved->count; i++) {
		const struct netcount_row *row = &moved->row[i];

		if ((in_group(row->name, "Tcp") || in_group(row->name, "TcpExt")) &&
		    (row->value > 0 || isnan(row->value)))
			json_real(&json, row->name, row->value);
	}
	json_close(&json, '}');
	for (size_t i = 0; i < SUMS; i++)
		json_real(&json, sums[i].key, sum_of(moved, i));
	json_end(&json);
}
