/* Monotonic time: see clock.h. */
#include "clock.h"

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
