/* Monotonic time: see clock.h. */
#include "clock.h"

#include <math.h>
#include <sys/resource.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

int64_t clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t clock_from_seconds(double seconds)
{
	return (int64_t)(seconds * (double)NS_PER_S + 0.5);
}

double clock_to_seconds(int64_t time)
{
	return (double)time / (double)NS_PER_S;
}

double clock_used_s(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used))
		return NAN;
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}
