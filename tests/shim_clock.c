/*
 * A library to preload: SHIM_AFTER seconds (3) after the program's start
 * the wall clock, but not the monotonic one, is set back by one hour, as
 * an administrator or a time server may do.
 */
#if defined(__linux__)
#define _GNU_SOURCE
#include <dlfcn.h>
#endif
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The shim's own, under other names, so that libc's stay declared as is. */
int shim_clock_gettime(clockid_t id, struct timespec *t) __asm__("clock_gettime");
int shim_gettimeofday(struct timeval *tv, void *tz) __asm__("gettimeofday");
time_t shim_time(time_t *t) __asm__("time");

static double started;
static double after = 3;

static void real(clockid_t id, struct timespec *t)
{
	syscall(SYS_clock_gettime, id, t);
}

static double monotonic(void)
{
	struct timespec t;

	real(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((constructor)) static void begin(void)
{
	const char *s = getenv("SHIM_AFTER");

	if (s)
		after = strtod(s, NULL);
	started = monotonic();
}

static void wall(struct timespec *t)
{
	real(CLOCK_REALTIME, t);
	if (monotonic() - started >= after)
		t->tv_sec -= 3600;
}

int shim_clock_gettime(clockid_t id, struct timespec *t)
{
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		wall(t);
	else
		return (int)syscall(SYS_clock_gettime, id, t);
	return 0;
}

int shim_gettimeofday(struct timeval *tv, void *tz)
{
	struct timespec t;

	(void)tz;
	wall(&t);
	tv->tv_sec = t.tv_sec;
	tv->tv_usec = t.tv_nsec / 1000;
	return 0;
}

time_t shim_time(time_t *p)
{
	struct timespec t;

	wall(&t);
	if (p)
		*p = t.tv_sec;
	return t.tv_sec;
}
