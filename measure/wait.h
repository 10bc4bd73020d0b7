/*
 * wait: the one place where the observer sleeps, until a deadline, a
 * descriptor or a signal.
 *
 * Signals are blocked except while it sleeps, so none is lost between a look
 * and the sleep, and no system call elsewhere is interrupted.  What came is
 * remembered until it is taken.  (The memory is the project's only global:
 * a handler has no other way to speak.)
 */
#ifndef MEASURE_WAIT_H
#define MEASURE_WAIT_H

#include <stdint.h>

/*
 * From here on INT, TERM, HUP are caught, unless they were ignored when the
 * program was started, and CHLD, even if it was; PIPE is ignored.
 */
void wait_catch_signals(void);

/* 1 once for the signals INT, TERM, HUP that came; sig gets its number. */
int wait_take_stop(int *sig);

/* 1 once when children have ended. */
int wait_take_child(void);

/* Let caught signals interrupt system calls (1), or only wait_until() (0). */
void wait_let_through(int yes);

/*
 * In a worker: INT, TERM and HUP are the parent's to act on, also when a
 * terminal or timeout(1) sends them to the whole process group.
 */
void wait_child_signals(void);

/* End the program as sig would have done; does not return. */
_Noreturn void wait_die_by(int sig);

/*
 * Sleep until deadline (clock.h), a caught signal, or until one of the count
 * descriptors (below FD_SETSIZE) can be read; ready[i] tells which.
 */
void wait_until(int64_t deadline, const int *fds, int count, int *ready);

#endif
