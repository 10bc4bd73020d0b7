/* What only some kernels do: see platform.h. */
#if defined(__linux__) && !defined(SOCKLIB_PORTABLE)
#define _GNU_SOURCE
#endif
#include "platform.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#define OPEN_MAX_LOOK 65536 /* a limit above this is not walked through */

static int open_max(void)
{
	long max = sysconf(_SC_OPEN_MAX);

	return max < 0 || max > OPEN_MAX_LOOK ? OPEN_MAX_LOOK : (int)max;
}

static void close_range_but(int first, int last, int fd, int other)
{
	for (int i = first; i <= last; i++)
		if (i != fd && i != other)
			close(i);
}

#if defined(__linux__) && !defined(SOCKLIB_PORTABLE)
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>

int platform_die_with_parent(pid_t parent, int sig)
{
	if (prctl(PR_SET_PDEATHSIG, sig))
		return -1;
	if (getppid() != parent) /* it died before the request */
		_exit(1);
	return 0;
}

int platform_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu < 0 || cpu >= CPU_SETSIZE) {
		errno = EINVAL;
		return -1;
	}
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

int platform_can_pin(int cpu)
{
	cpu_set_t before;

	if (sched_getaffinity(0, sizeof(before), &before) || platform_pin(cpu))
		return -1;
	return sched_setaffinity(0, sizeof(before), &before);
}

void platform_close_above(int fd)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned int)fd + 1, ~0U, 0) == 0)
		return;
#endif
	close_range_but(fd + 1, open_max() - 1, -1, -1);
}

int platform_memory_file(void)
{
#ifdef SYS_memfd_create
	return (int)syscall(SYS_memfd_create, "block", 1U /* MFD_CLOEXEC */);
#else
	errno = ENOSYS;
	return -1;
#endif
}

ssize_t platform_sendfile(int socket, int file, off_t offset, size_t size)
{
	return sendfile(socket, file, &offset, size);
}

ssize_t platform_discard(int socket, size_t size, int flags)
{
	return recv(socket, NULL, size, MSG_TRUNC | flags);
}

int platform_has_sendfile(void)
{
	return 1;
}

int platform_has_discard(void)
{
	return 1;
}

int platform_has_linux_tcp(void)
{
	return 1;
}

double platform_rto_min(void)
{
	FILE *file = fopen("/proc/sys/net/ipv4/tcp_rto_min_us", "re");
	double us = NAN;

	if (file && fscanf(file, "%lf", &us) != 1)
		us = NAN;
	if (file)
		fclose(file);
	return us / 1e6;
}

#else /* no Linux parts */

int platform_die_with_parent(pid_t parent, int sig)
{
	(void)parent;
	(void)sig;
	errno = ENOSYS;
	return -1;
}

int platform_pin(int cpu)
{
	(void)cpu;
	errno = ENOSYS;
	return -1;
}

int platform_can_pin(int cpu)
{
	return platform_pin(cpu);
}

void platform_close_above(int fd)
{
	close_range_but(fd + 1, open_max() - 1, -1, -1);
}

int platform_memory_file(void)
{
	errno = ENOSYS;
	return -1;
}

ssize_t platform_sendfile(int socket, int file, off_t offset, size_t size)
{
	(void)socket;
	(void)file;
	(void)offset;
	(void)size;
	errno = ENOSYS;
	return -1;
}

ssize_t platform_discard(int socket, size_t size, int flags)
{
	(void)socket;
	(void)size;
	(void)flags;
	errno = ENOSYS;
	return -1;
}

int platform_has_sendfile(void)
{
	return 0;
}

int platform_has_discard(void)
{
	return 0;
}

int platform_has_linux_tcp(void)
{
	return 0;
}

double platform_rto_min(void)
{
	return NAN;
}
#endif

void platform_close_all_but(int fd, int other)
{
	int low = fd < other ? fd : other, high = fd < other ? other : fd;

	close_range_but(0, high, low, high);
	platform_close_above(high);
}
