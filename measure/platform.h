/*
 * platform: the one door to what only some kernels do for a worker.
 *
 * Where this system, or a build with SOCKLIB_PORTABLE, lacks the means for
 * what a function does, that returns -1 with errno ENOSYS.
 */
#ifndef MEASURE_PLATFORM_H
#define MEASURE_PLATFORM_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The calling child gets this signal when its parent dies (PR_SET_PDEATHSIG,
 * prctl(2)); it ends now if it has.
 */
int platform_die_with_parent(pid_t parent, int sig);

/* Run the calling process on this CPU alone (sched_setaffinity(2)). */
int platform_pin(int cpu);

/* 0 when the calling process could be pinned to this CPU; its place is kept. */
int platform_can_pin(int cpu);

/* Close every descriptor of the calling process but these two (-1: none). */
void platform_close_all_but(int fd, int other);

/* Close every descriptor above this one. */
void platform_close_above(int fd);

/* A file without a name, for sendfile (memfd_create(2)). */
int platform_memory_file(void);

/* sendfile(2) from offset; at most size bytes. */
ssize_t platform_sendfile(int socket, int file, off_t offset, size_t size);

/* Read and throw away without copying (MSG_TRUNC, tcp(7)); flags of recv(2). */
ssize_t platform_discard(int socket, size_t size, int flags);

/* 1 when the two above exist here. */
int platform_has_sendfile(void);
int platform_has_discard(void);

/* 1 when its TCP is that of Linux, whose timers are known. */
int platform_has_linux_tcp(void);

/* net.ipv4.tcp_rto_min_us in seconds (since Linux 6.11); NaN: it does not say. */
double platform_rto_min(void);

#endif
