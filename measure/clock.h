/*
 * clock: monotonic time, and the one place that reads a clock.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC (clock_gettime(2)): no step of the
 * wall clock reaches a rate.
 */
#ifndef MEASURE_CLOCK_H
#define MEASURE_CLOCK_H

#include <stdint.h>

#define CLOCK_NEVER INT64_MAX /* a deadline that does not come */

int64_t clock_now(void);

/* 0 to 9e9 seconds to nanoseconds. */
int64_t clock_from_seconds(double seconds);
double clock_to_seconds(int64_t time);

/* CPU time that this process has used, in seconds; NaN: unknown (getrusage(2)). */
double clock_used_s(void);

#endif
