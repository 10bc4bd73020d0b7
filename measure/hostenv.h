/*
 * hostenv: the facts of a machine that a speed over its loopback depends on,
 * as keys and values in words.
 *
 * Keys, in this order: kernel, cpu, virtual, memory, mitigations, lo, tcp, and
 * sysctls by their full names ("net.ipv4.tcp_rmem").  What is not known is
 * "n/a", alone or within a value.  Values are one line of printable ASCII with
 * single blanks, at most HOSTENV_VALUE - 1 characters, and name neither host
 * nor user.
 *
 * In a report the machine has a section of its own under HOSTENV_TITLE, and
 * the reader of saved output (saved.h) takes it from there.
 */
#ifndef MEASURE_HOSTENV_H
#define MEASURE_HOSTENV_H

#include <stddef.h>
#include <stdio.h>

struct run;

#define HOSTENV_TITLE "machine"
#define HOSTENV_VALUE 240

struct hostenv_entry {
	char *key;
	char *value;
};

struct hostenv {
	struct hostenv_entry *entry;
	size_t count;
};

/*
 * Read what is below root, "" or "/" for this machine: proc(5), sysfs(5); of
 * this machine also uname(2), and of its lo what hostlo.h says.  A root of
 * another name is that of a test.  It takes about a millisecond, more with
 * hundreds of CPUs.  -1: no memory, and it is empty.
 */
int hostenv_read(struct hostenv *env, const char *root);
void hostenv_free(struct hostenv *env);

/*
 * Append, or replace the value of this key; "" becomes "n/a".  For what is of
 * the run and not of the machine there are the key "load" and, behind what
 * "virtual" says, "; steal ...": these are not compared (compare.h).  Other
 * keys are not read back.  -1: no memory.
 */
int hostenv_set(struct hostenv *env, const char *key, const char *value);
const char *hostenv_get(const struct hostenv *env, const char *key); /* NULL: none */

/*
 * The lines of the section, without its title: keys at column 0, values from
 * column 12 on, at most 78 columns.
 */
void hostenv_print(FILE *out, const struct hostenv *env);

/* One event, "environment", with an object of this name; what is "n/a" is null. */
void hostenv_json(FILE *out, const struct hostenv *env);

/* Into the run, as if it had been read from its report.  -1: no memory. */
int hostenv_to_run(const struct hostenv *env, struct run *run);

/* What the run says of its machine.  -1: no memory, and it is empty. */
int hostenv_from_run(struct hostenv *env, const struct run *run);

/*
 * The length of the key with which a line of the section begins, 0 where it
 * goes on with the value before.  Lines have no blanks in front, and no
 * "sysctl ".
 */
size_t hostenv_key_length(const char *line);

#endif
