/* The machine of a saved report: see saved_machine.h. */
#include "saved_machine.h"

#include <ctype.h>
#include <string.h>

#include "hostenv.h"
#include "run.h"
#include "saved.h"
#include "saved_line.h"

static int is_title(const char *line)
{
	return strcmp(line, "---- " HOSTENV_TITLE) == 0;
}

static int ends(const char *line, const struct saved_item *item)
{
	return (item->kind != SAVED_FOREIGN && item->kind != SAVED_EMPTY) ||
	       saved_after(line, "---- ") || saved_after(line, "==== ");
}

/* Reports of several machines in one text agree, or they do not. */
static int keep_entry(struct saved_machine *machine, struct run *run)
{
	const char *old = run_environment(run, machine->key), *value = machine->value;

	if (!*machine->key)
		return 0;
	if (old && strcmp(old, value) != 0)
		value = SAVED_VARIOUS;
	return run_add_environment(run, machine->key, value);
}

/* What does not fit is left out; what no report has must not reach a terminal. */
static void add_to_value(struct saved_machine *machine, const char *text)
{
	size_t length = strlen(machine->value), more = strlen(text);

	if (more == 0 || length + 1 + more >= sizeof(machine->value))
		return;
	if (length)
		machine->value[length++] = ' ';
	for (size_t i = 0; i <= more; i++)
		machine->value[length + i] = text[i] && !isprint((unsigned char)text[i]) ? '?'
											 : text[i];
}

static int take_entry(struct saved_machine *machine, const char *line, struct run *run)
{
	const char *rest = saved_after(line, "sysctl ");
	size_t length;

	if (strcmp(line, "sysctl") == 0)
		return 1;
	if (rest && hostenv_key_length(rest) > 0)
		line = rest;
	length = hostenv_key_length(line);
	if (length >= sizeof(machine->key))
		length = 0;
	if (length > 0) {
		if (keep_entry(machine, run))
			return -1;
		memcpy(machine->key, line, length);
		machine->key[length] = '\0';
		machine->value[0] = '\0';
		line += length + (line[length] == ' ');
	}
	if (*machine->key)
		add_to_value(machine, line);
	return 1;
}

int saved_machine_finish(struct saved_machine *machine, struct run *run)
{
	int ret = machine->is_open ? keep_entry(machine, run) : 0;

	*machine = (struct saved_machine){ .is_open = 0 };
	return ret;
}

int saved_machine_take(struct saved_machine *machine, const char *line,
		       const struct saved_item *item, struct run *run)
{
	if (machine->is_open && !ends(line, item))
		return take_entry(machine, line, run);
	if (saved_machine_finish(machine, run))
		return -1;
	machine->is_open = is_title(line);
	return machine->is_open;
}
