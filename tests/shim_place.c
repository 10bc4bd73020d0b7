/*
 * A library to preload: each child that the program forks, but the first
 * SHIM_FREE (1), runs on CPU 0 or on CPU 1, at random from SHIM_SEED (1): of
 * two that follow each other one on each, so that what else happens meanwhile
 * meets both alike.  To the file SHIM_LOG goes a line "PID CPU" for each.
 */
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__linux__)
static unsigned int forks, left_free = 1, cpu;
static uint64_t state = 1;

static unsigned int number_of(const char *name, unsigned int otherwise)
{
	const char *s = getenv(name);

	return s ? (unsigned int)strtoul(s, NULL, 10) : otherwise;
}

static void note(void)
{
	const char *path = getenv("SHIM_LOG");
	char line[64];
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
	int n = snprintf(line, sizeof(line), "%ld %u\n", (long)getpid(), cpu);

	if (fd < 0)
		return;
	if (write(fd, line, (size_t)n) != n)
		abort();
	close(fd);
}

static void before_fork(void)
{
	if (++forks <= left_free)
		return;
	if ((forks - left_free) % 2 == 0) {
		cpu = !cpu;
		return;
	}
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	cpu = state >> 40 & 1;
}

static void in_child(void)
{
	cpu_set_t set;

	if (forks <= left_free)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		note();
}

__attribute__((constructor)) static void begin(void)
{
	state = 0x9e3779b97f4a7c15 * (number_of("SHIM_SEED", 1) + 1ULL);
	left_free = number_of("SHIM_FREE", 1);
	pthread_atfork(before_fork, NULL, in_child);
}
#endif
