/*
 * help_clock: print the wall clock in seconds, as the three functions that
 * read it give it; for the test of shim_clock.
 */
#include <sys/time.h>
#include "help.h"

int main(void)
{
	struct timespec t;
	struct timeval tv;

	clock_gettime(CLOCK_REALTIME, &t);
	gettimeofday(&tv, NULL);
	printf("%lld\n%lld\n%lld\n", (long long)t.tv_sec, (long long)tv.tv_sec,
	       (long long)time(NULL));
	return 0;
}
