/*
 * wait: the one place where the observer sleeps, until a deadline, a
 * descriptor or a signal.
 *
 * Once caught, signals are blocked except while it sleeps, so none is lost
 * between a look and the sleep, and no system call elsewhere is interrupted.  What came is
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

/*
 * What INT, TERM or HUP, whose number sig gets, asks for: 1 the first time, to
 * end in order; 2 from then on, to end at once; 0: none came.  What comes on
 * the heels of the first is the same request: timeout(1) sends each twice.
 */
int wait_take_stop(int *sig);

/* 1 when one has come that is not yet taken: who waits for long looks now and then. */
int wait_is_asked_to_stop(void);

/* 1 once when children have ended. */
int wait_take_child(void);

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

/*
 * Sleep until a line can be written to fd (below FD_SETSIZE).  Where its reader
 * has stopped, a second signal ends the program from here.
 */
void wait_writable(int fd);

#endif
