/* The processes at both ends: see process.h. */
#include "process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "facts.h"

#define FILE_MAX 8192	   /* of what is read of a file: /proc/PID/sched has 3 KB */
#define STAT_MAX (2 << 20) /* of the machine's: 80 bytes a CPU, of which there may be 8192 */
#define PAGE 4000	   /* a little less than any system's */

/* ---- files ---- */

/*
 * The file's beginning as a string of at most size - 1 bytes; -1: unreadable.
 * A file of /proc gives what fits a page at once: less is the end.
 */
static ssize_t read_open(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n = 0;

	do {
		used += (size_t)n;
		n = pread(fd, text + used, size - 1 - used, (off_t)used);
	} while (n >= PAGE && used + (size_t)n < size - 1);
	if (n < 0)
		return -1;
	used += (size_t)n;
	text[used] = '\0';
	return (ssize_t)used;
}

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open_file(path);
	ssize_t n = fd < 0 ? -1 : read_open(fd, text, size);

	if (fd >= 0)
		close(fd);
	return n;
}

static ssize_t read_of(const char *root, pid_t pid, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/%ld/%s", root, (long)pid, name);
	return read_file(path, text, size);
}

/* The number that text begins with, behind blanks and a colon; NaN: none that a kernel has. */
static double number_at(const char *text)
{
	double value;

	while (*text == ' ' || *text == '\t' || *text == ':')
		text++;
	value = isdigit((unsigned char)*text) ? strtod(text, NULL) : NAN;
	return value < 0x1p64 ? value : NAN;
}

/* The word number index, from 1; NULL: there are fewer. */
static const char *word_at(const char *text, unsigned int index)
{
	for (;;) {
		text += strspn(text, " \t\n");
		if (!*text)
			return NULL;
		if (--index == 0)
			return text;
		text += strcspn(text, " \t\n");
	}
}

/* What stands behind a key at the beginning of a line: "KEY: 12", "KEY  :  12". */
static double keyed(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0 && strchr(" \t:", line[length]))
			return number_at(line + length);
	}
	return NAN;
}

/* ---- one process ---- */

/* The line "0::/PATH" of cgroups(7) version 2; a longer path is not followed. */
static void find_cgroup(const char *root, struct process *process)
{
	char text[FILE_MAX];
	const char *line, *later;
	size_t length;

	process->cgroup[0] = '\0';
	if (read_of(root, process->pid, "cgroup", text, sizeof(text)) <= 0)
		return;
	later = strstr(text, "\n0::");
	if (strncmp(text, "0::", 3) != 0 && !later)
		return;
	line = strncmp(text, "0::", 3) == 0 ? text + 3 : later + 4;
	length = strcspn(line, "\n");
	if (length < sizeof(process->cgroup)) {
		memcpy(process->cgroup, line, length);
		process->cgroup[length] = '\0';
	}
}

/* A name may hold blanks and parentheses: fields count from the last ')', proc(5). */
static const char *field(const char *stat, unsigned int number)
{
	const char *end = strrchr(stat, ')');

	return end ? word_at(end + 1, number - 2) : NULL;
}

enum process_file { FILE_STAT, FILE_SCHEDSTAT, FILE_STATUS, FILE_SCHED, FILE_IO, FILE_CPU_STAT };

static const struct {
	enum facts_source source;
	const char *name;
} files[PROCESS_FILES] = {
	[FILE_STAT] = { FACTS_FROM_STAT, "stat" },
	[FILE_SCHEDSTAT] = { FACTS_FROM_SCHEDSTAT, "schedstat" },
	[FILE_STATUS] = { FACTS_FROM_STATUS, "status" },
	[FILE_SCHED] = { FACTS_FROM_SCHED, "sched" },
	[FILE_IO] = { FACTS_FROM_IO, "io" },
	[FILE_CPU_STAT] = { FACTS_FROM_CGROUP, "cpu.stat" },
};

static int open_of(const char *root, const struct process *process, size_t file)
{
	char path[PATH_MAX];

	if (file == FILE_CPU_STAT && !*process->cgroup)
		return -1;
	if (file == FILE_CPU_STAT)
		snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s/%s", root, process->cgroup,
			 files[file].name);
	else
		snprintf(path, sizeof(path), "%s/proc/%ld/%s", root, (long)process->pid,
			 files[file].name);
	return open_file(path);
}

/* One of its files, FILE_MAX bytes of it at most; what cannot be opened is not tried again. */
static ssize_t read_kept(const char *root, struct process *process, size_t file, char *text)
{
	int fd = process->file[file] - 1;
	ssize_t n;

	if (process->file[file] < 0)
		return -1;
	if (process->file[file] == 0)
		fd = open_of(root, process, file);
	/* Out of descriptors it may be there the next time. */
	if (fd < 0 && process->keep_open && (errno == ENOENT || errno == EACCES))
		process->file[file] = -1;
	if (fd < 0)
		return -1;
	n = read_open(fd, text, FILE_MAX);
	if (process->keep_open)
		process->file[file] = fd + 1;
	else
		close(fd);
	return n;
}

void process_forget(struct process *process)
{
	for (int i = 0; i < PROCESS_FILES; i++)
		if (process->file[i] > 0)
			close(process->file[i] - 1);
	*process = (struct process){ .pid = 0 };
}

static int read_stat(const char *root, struct process *process, char *text)
{
	const char *start;
	uint64_t began;

	if (read_kept(root, process, FILE_STAT, text) <= 0)
		return -1;
	start = field(text, 22);
	began = start ? strtoull(start, NULL, 10) : 0;
	if (process->start && began != process->start)
		return -1;
	process->start = began;
	return 0;
}

static double from_stat(const char *text, unsigned int number)
{
	const char *word = field(text, number);
	double value = word ? number_at(word) : NAN;

	if (word && number == 3) /* stopped by a signal, or by a tracer */
		return *word == 'T' || *word == 't';
	return value <= INT_MAX ? value : NAN; /* a CPU */
}

/* All rows of one source, from one reading of its file. */
static void take_source(enum facts_source source, const char *text, double *value)
{
	for (int fact = 0; fact < FACTS; fact++) {
		const struct facts_row *row = &facts_rows[fact];
		const char *word;

		if (row->source != source)
			continue;
		if (source == FACTS_FROM_STAT) {
			value[fact] = from_stat(text, row->at);
		} else if (source == FACTS_FROM_SCHEDSTAT) {
			word = word_at(text, row->at);
			value[fact] = word ? number_at(word) : NAN;
		} else {
			value[fact] = keyed(text, row->key);
		}
	}
}

int process_sample(const char *root, struct process *process, struct facts_sample *sample, int end)
{
	char text[FILE_MAX];
	double *value = sample->value[end];
	int is_first = process->start == 0;

	if (process->pid <= 0 || read_stat(root, process, text))
		return -1;
	if (is_first)
		find_cgroup(root, process);
	take_source(FACTS_FROM_STAT, text, value);
	for (size_t file = FILE_SCHEDSTAT; file < PROCESS_FILES; file++)
		if (read_kept(root, process, file, text) > 0)
			take_source(files[file].source, text, value);
	sample->process_time_s[end] = clock_to_seconds(clock_now());
	return 0;
}

/* ---- the machine ---- */

static double count_cpus(const char *text)
{
	double cpus = 0;

	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n'))
		cpus += strncmp(line, "\ncpu", 4) == 0 && isdigit((unsigned char)line[4]);
	return cpus > 0 ? cpus : NAN;
}

/* user nice system idle iowait irq softirq steal; guest times are in user's. */
static int take_host(const char *text, int is_whole, double *value)
{
	const char *end = text + strcspn(text, "\n"), *word = word_at(text, 2);
	double ticks = 0, one[9];

	for (int i = 0; i < 9; i++)
		one[i] = NAN;
	for (int i = 1; i <= 8 && word && word < end; i++) {
		one[i] = number_at(word);
		ticks += one[i];
		word = word_at(word, 2);
	}
	if (!(ticks > 0))
		return -1;
	value[FACT_TICKS] = ticks;
	value[FACT_IDLE] = one[4] + one[5];
	value[FACT_STEAL] = one[8];
	value[FACT_CPUS] = is_whole ? count_cpus(text) : NAN;
	return 0;
}

int process_sample_host(const char *root, struct facts_sample *sample)
{
	char path[PATH_MAX], *text = malloc(STAT_MAX);
	ssize_t n;
	int ret = -1;

	snprintf(path, sizeof(path), "%s/proc/stat", root);
	n = text ? read_file(path, text, STAT_MAX) : -1;
	if (n > 0 && strncmp(text, "cpu ", 4) == 0)
		ret = take_host(text, n < STAT_MAX - 1, sample->value[FACTS_HOST]);
	if (ret == 0)
		sample->time_s[FACTS_HOST] = clock_to_seconds(clock_now());
	free(text);
	return ret;
}

/* ---- who holds a socket ---- */

static int by_inode(const void *a, const void *b)
{
	const struct process_socket *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* When it started, in ticks; 0: it is gone. */
static uint64_t start_of(const char *root, pid_t pid)
{
	struct process process = { .pid = pid };
	char text[FILE_MAX];

	return read_stat(root, &process, text) ? 0 : process.start;
}

/* A server's child, which does the work, began after the server. */
static void found(const char *root, struct process_socket *socket, pid_t pid)
{
	uint64_t before = socket->pid ? start_of(root, socket->pid) : 0;
	uint64_t now = start_of(root, pid);

	if (now > before || (now == before && pid > socket->pid))
		socket->pid = pid;
}

static void look_at_link(const char *root, const char *path, pid_t pid,
			 struct process_socket *sockets, size_t count)
{
	struct process_socket key = { 0 }, *one;
	char link[64];
	ssize_t n = readlink(path, link, sizeof(link) - 1);

	if (n <= 8 || strncmp(link, "socket:[", 8) != 0)
		return;
	link[n] = '\0';
	key.inode = strtoull(link + 8, NULL, 10);
	one = bsearch(&key, sockets, count, sizeof(*sockets), by_inode);
	if (one && key.inode)
		found(root, one, pid);
}

static void look_at_process(const char *root, pid_t pid, struct process_socket *sockets,
			    size_t count)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc/%ld/fd", root, (long)pid);
	dir = opendir(path);
	/* cppcheck-suppress readdirCalled; there are no threads */
	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "%s/proc/%ld/fd/%.32s", root, (long)pid,
			 entry->d_name);
		look_at_link(root, path, pid, sockets, count);
	}
	if (dir)
		closedir(dir);
}

void process_find(const char *root, struct process_socket *sockets, size_t count)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *dir;

	qsort(sockets, count, sizeof(*sockets), by_inode);
	snprintf(path, sizeof(path), "%s/proc", root);
	dir = count ? opendir(path) : NULL;
	/* cppcheck-suppress readdirCalled; there are no threads */
	while (dir && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0)
			look_at_process(root, pid, sockets, count);
	}
	if (dir)
		closedir(dir);
}

pid_t process_found(const struct process_socket *sockets, size_t count, uint64_t inode)
{
	struct process_socket key = { .inode = inode };
	const struct process_socket *one = bsearch(&key, sockets, count, sizeof(*sockets),
						   by_inode);

	return one ? one->pid : 0;
}

/* ---- command lines ---- */

static int is_plain(const char *word)
{
	return *word && word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					  "0123456789_-+=:,./@%^")] == '\0';
}

/* One word, quoted where a shell would see more in it; 0 when it does not fit. */
static size_t put_word(const char *word, char *text, size_t size)
{
	size_t used = 0;
	int plain = is_plain(word);

	if (2 * strlen(word) + 4 > size)
		return 0;
	if (!plain)
		text[used++] = '"';
	for (; *word; word++) {
		unsigned char c = (unsigned char)*word;

		if (!plain && strchr("\"\\$`", c))
			text[used++] = '\\';
		/* Among options a tab or newline is as good as a blank. */
		text[used++] = isspace(c) ? ' ' : c < 0x20 || c >= 0x7f ? '?' : (char)c;
	}
	if (!plain)
		text[used++] = '"';
	text[used] = '\0';
	return used;
}

/* One more word behind used bytes; 0: it does not fit, and "..." stands there. */
static size_t add_word(const char *word, char *text, size_t size, size_t used)
{
	const char *base = used ? NULL : strrchr(word, '/');
	size_t room = size > used + 8 ? size - used - 8 : 0, put;

	if (used)
		text[used++] = ' ';
	put = put_word(base ? base + 1 : word, text + used, room);
	if (!put)
		snprintf(text + used, size - used, "...");
	return put ? used + put : 0;
}

int process_command(const char *root, pid_t pid, char *text, size_t size)
{
	char line[FILE_MAX];
	ssize_t n = read_of(root, pid, "cmdline", line, sizeof(line));
	size_t used = 0;

	if (n <= 0)
		return -1;
	for (const char *word = line; word < line + n; word += strlen(word) + 1) {
		used = add_word(word, text, size, used);
		if (!used)
			break;
	}
	return 0;
}

int process_words(char *const *argv, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; argv[i] && (i == 0 || used); i++)
		used = add_word(argv[i], text, size, used);
	return *text ? 0 : -1;
}

char *process_line(char *const *argv)
{
	size_t size = 16;
	char *text;

	/* Each byte may get a backslash, each word quotes and a blank. */
	for (size_t i = 0; argv[i]; i++)
		size += 2 * strlen(argv[i]) + 8;
	text = malloc(size);
	if (text && process_words(argv, text, size) == 0)
		return text;
	free(text);
	return NULL;
}

double process_load(const char *root)
{
	char path[PATH_MAX], text[64];

	snprintf(path, sizeof(path), "%s/proc/loadavg", root);
	return read_file(path, text, sizeof(text)) > 0 ? number_at(text) : NAN;
}
