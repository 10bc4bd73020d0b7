/*
 * Memory that runs out on demand.  Included before the code under test, which
 * a test then includes as source: every request of it can be the one that
 * fails.
 */
#ifndef SHORT_MEMORY_H
#define SHORT_MEMORY_H

#include <stdlib.h>
#include <string.h>

static long memory_left = -1; /* requests that succeed; -1: all */

static int memory_is_out(void)
{
	if (memory_left == 0)
		return 1;
	memory_left -= memory_left > 0;
	return 0;
}

static void *short_malloc(size_t size)
{
	return memory_is_out() ? NULL : malloc(size);
}

static void *short_calloc(size_t count, size_t size)
{
	return memory_is_out() ? NULL : calloc(count, size);
}

static void *short_realloc(void *old, size_t size)
{
	return memory_is_out() ? NULL : realloc(old, size);
}

static char *short_strndup(const char *text, size_t length)
{
	return memory_is_out() ? NULL : strndup(text, length);
}

#undef strndup
#define malloc short_malloc
#define calloc short_calloc
#define realloc short_realloc
#define strndup short_strndup

#endif
