/*
 * hostfile: the small files in which a kernel describes a machine, proc(5) and
 * sysfs(5), below a root: "" and "/" are this machine, a test has a directory
 * of its own.
 *
 * Whatever stands there is harmless: a directory or a pipe instead of a file,
 * bytes that are no text, lines without end.  A NUL is read as \001, so that
 * text ends where the file does.  Where this system, or a build with
 * SOCKLIB_PORTABLE, is no Linux, this machine has no such files.
 */
#ifndef MEASURE_HOSTFILE_H
#define MEASURE_HOSTFILE_H

#include <stddef.h>
#include <stdio.h>

/* 1: root is this machine. */
int hostfile_is_real(const char *root);

/* 1: there is something by this path ("/proc/xen"). */
int hostfile_exists(const char *root, const char *path);

/*
 * The beginning of a file, of at most size - 1 bytes.  Returns their number,
 * at least 1, or -1 when it cannot be read or has none; text is then "".
 */
long hostfile_read(const char *root, const char *path, char *text, size_t size);

/* A file that is one number alone.  -1 when it is not. */
int hostfile_number(const char *root, const char *path, unsigned long long *value);

/* A file line by line, up to 16 MB of it. */
struct hostfile {
	FILE *file;
	size_t left; /* bytes */
};

int hostfile_open(struct hostfile *file, const char *root, const char *path); /* -1: cannot */
void hostfile_close(struct hostfile *file);

/* The next line, cut at size - 1 bytes, without its end.  0 behind the last. */
int hostfile_line(struct hostfile *file, char *line, size_t size);

/*
 * Make text printable and one line in place: blanks are single and not at the
 * ends, a byte that is not printable ASCII is '?', a word of more than 48
 * characters is cut ("...").
 */
void hostfile_clean(char *text);

#endif
