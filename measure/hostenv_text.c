/* Facts of a machine as text, as JSON and in a run: see hostenv.h. */
#include "hostenv.h"

#include <string.h>

#include "json.h"
#include "run.h"
#include "words.h"

#define VALUE_AT 12
#define UNIT_MAX 62 /* that fits behind the indent */

/* A line that begins with one of these, or with a sysctl, begins an entry. */
static const char *const keys[] = { "kernel",	   "cpu", "virtual", "memory",
				    "mitigations", "lo",  "tcp",     "load" };

static int is_sysctl(const char *word, size_t length)
{
	static const char prefix[] = "net.";

	return length > sizeof(prefix) && memcmp(word, prefix, sizeof(prefix) - 1) == 0 &&
	       strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_.") >= length;
}

size_t hostenv_key_length(const char *line)
{
	size_t length = strcspn(line, " ");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i]) == length && memcmp(line, keys[i], length) == 0)
			return length;
	return is_sysctl(line, length) ? length : 0;
}

/* ---- text ---- */

/* At the beginning of a line this word is no part of a value to the reader. */
static int begins_other(const char *word)
{
	size_t length = strcspn(word, " ");

	return hostenv_key_length(word) > 0 || (length == 6 && memcmp(word, "sysctl", 6) == 0) ||
	       (length == 4 && (memcmp(word, "----", 4) == 0 || memcmp(word, "====", 4) == 0));
}

/* What is put on one line: a word with those behind it that must not begin one. */
static size_t unit_length(const char *text)
{
	size_t length = strcspn(text, " ");

	while (text[length] && begins_other(text + length + 1)) {
		size_t more = 1 + strcspn(text + length + 1, " ");

		if (length + more > UNIT_MAX)
			break;
		length += more;
	}
	return length;
}

static void print_entry(FILE *out, const char *label, const char *key, const char *value)
{
	struct words words;

	words_begin(&words, out, VALUE_AT, label);
	if (key)
		words_add(&words, "%s", key);
	for (const char *unit = value; *unit; unit += strspn(unit, " ")) {
		size_t length = unit_length(unit);

		words_add(&words, "%.*s", (int)length, unit);
		unit += length;
	}
	words_end(&words);
}

void hostenv_print(FILE *out, const struct hostenv *env)
{
	int sysctls = 0;

	for (size_t i = 0; i < env->count; i++) {
		const struct hostenv_entry *entry = &env->entry[i];

		if (is_sysctl(entry->key, strlen(entry->key)))
			print_entry(out, sysctls++ ? "" : "sysctl", entry->key, entry->value);
		else
			print_entry(out, entry->key, NULL, entry->value);
	}
}

/* ---- the others ---- */

void hostenv_json(FILE *out, const struct hostenv *env)
{
	struct json json;

	json_begin(&json, out, "environment");
	json_open(&json, "environment", '{');
	for (size_t i = 0; i < env->count; i++) {
		const struct hostenv_entry *entry = &env->entry[i];

		json_text(&json, entry->key,
			  strcmp(entry->value, "n/a") == 0 ? NULL : entry->value);
	}
	json_close(&json, '}');
	json_end(&json);
}

int hostenv_to_run(const struct hostenv *env, struct run *run)
{
	for (size_t i = 0; i < env->count; i++)
		if (run_add_environment(run, env->entry[i].key, env->entry[i].value))
			return -1;
	return 0;
}
