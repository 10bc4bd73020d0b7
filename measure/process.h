/*
 * process: what /proc tells of the processes at both ends, and of the machine
 * while they run; proc(5).
 *
 * All is read under a given root, "" for the real one, so that tests can show
 * it other machines.  What a kernel does not have, or does not show to this
 * user, is unknown.
 */
#ifndef MEASURE_PROCESS_H
#define MEASURE_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct facts_sample;

#define PROCESS_FILES 6 /* of /proc that are read of one process */

/*
 * A process, told from a later one of the same number by when it started.  Its
 * files stay open where keep_open says so: opening costs more than reading.
 */
struct process {
	pid_t pid;	  /* 0: none */
	uint64_t start;	  /* /proc/PID/stat field 22, ticks since boot; 0: not yet read */
	char cgroup[192]; /* of version 2, "" for none; known with start */
	int keep_open;
	int file[PROCESS_FILES]; /* descriptor + 1; 0: not open */
};

/* Forget the process, and close its files. */
void process_forget(struct process *process);

/*
 * What is known of the process, put into that end (enum facts_end) of the
 * sample.  -1 when it is gone or another has its number.
 */
int process_sample(const char *root, struct process *process, struct facts_sample *sample, int end);

/* The machine's CPU time, into FACTS_HOST of the sample.  -1: unknown. */
int process_sample_host(const char *root, struct facts_sample *sample);

/* A socket whose process is looked for. */
struct process_socket {
	uint64_t inode;
	pid_t pid; /* found: of several that hold it the one that began last; 0: none */
};

/* Look through the descriptors of all processes that may be looked at; sorts. */
void process_find(const char *root, struct process_socket *sockets, size_t count);

/* Whose the socket is, after that; 0: not found. */
pid_t process_found(const struct process_socket *sockets, size_t count, uint64_t inode);

/*
 * The command line as a shell would take it, the program by its base name;
 * words that do not fit are left out, "..." in their place.  -1: unknown.
 */
int process_command(const char *root, pid_t pid, char *text, size_t size);

/* The same of our own argv. */
int process_words(char *const *argv, char *text, size_t size);

/* The same, whole, to be freed.  NULL: no memory, or there is none. */
char *process_line(char *const *argv);

/* The load average of one minute; NaN: unknown. */
double process_load(const char *root);

#endif
