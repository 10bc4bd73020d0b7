/*
 * The macros of the unit tests.
 *
 * A test is a function without arguments.  RUN() calls it and prints one
 * line, PASS, FAIL or SKIP, under its name without the leading "test_".
 * The first check that fails gives the reason on the FAIL line; further
 * ones follow as lines that begin with "#".  A test that checks nothing
 * has failed.  main() ends with "return test_end();".
 */
#ifndef TEST_H
#define TEST_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct test_state {
	const char *name; /* of the running test */
	int checks;	  /* made by it */
	int failed;	  /* of these */
	int skipped;	  /* it has said why */
	int failures;	  /* tests that failed so far */
	int ran;	  /* tests run so far */
};

static struct test_state test_now;

__attribute__((format(printf, 3, 4))) static inline void test_fail(const char *file, int line,
								   const char *fmt, ...)
{
	va_list ap;

	if (test_now.failed++ == 0)
		printf("FAIL %s: %s:%d: ", test_now.name, file, line);
	else
		printf("# also: %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

static inline void test_run(const char *name, void (*test)(void))
{
	if (strncmp(name, "test_", 5) == 0)
		name += 5;
	test_now.name = name;
	test_now.checks = 0;
	test_now.failed = 0;
	test_now.skipped = 0;
	test_now.ran++;
	fflush(stdout);
	test();
	if (!test_now.skipped && !test_now.failed && test_now.checks == 0)
		test_fail("test.h", __LINE__, "it checks nothing");
	if (test_now.failed)
		test_now.failures++;
	else if (!test_now.skipped)
		printf("PASS %s\n", name);
	fflush(stdout);
}

static inline int test_end(void)
{
	if (test_now.ran == 0) {
		printf("FAIL main: no test ran\n");
		return 1;
	}
	return test_now.failures != 0;
}

static inline void test_eq(const char *file, int line, const char *what, long long got,
			   long long want)
{
	test_now.checks++;
	if (got != want)
		test_fail(file, line, "%s is %lld, not %lld", what, got, want);
}

static inline void test_eq_u(const char *file, int line, const char *what, unsigned long long got,
			     unsigned long long want)
{
	test_now.checks++;
	if (got != want)
		test_fail(file, line, "%s is %llu, not %llu", what, got, want);
}

static inline void test_near(const char *file, int line, const char *what, double got, double want,
			     double by)
{
	test_now.checks++;
	if (!(fabs(got - want) <= by)) /* a NaN is near nothing */
		test_fail(file, line, "%s is %.17g, not %.17g within %g", what, got, want, by);
}

static inline void test_str(const char *file, int line, const char *what, const char *got,
			    const char *want)
{
	test_now.checks++;
	if (got == NULL)
		test_fail(file, line, "%s is NULL, not \"%s\"", what, want);
	else if (strcmp(got, want) != 0)
		test_fail(file, line, "%s is \"%s\", not \"%s\"", what, got, want);
}

static inline void test_has(const char *file, int line, const char *what, const char *got,
			    const char *part)
{
	test_now.checks++;
	if (got == NULL || strstr(got, part) == NULL)
		test_fail(file, line, "%s is \"%s\", without \"%s\"", what, got ? got : "(null)",
			  part);
}

static inline void test_true(const char *file, int line, const char *what, int holds)
{
	test_now.checks++;
	if (!holds)
		test_fail(file, line, "not true: %s", what);
}

#define RUN(test) test_run(#test, test)

/* The condition holds. */
#define CHECK(cond) test_true(__FILE__, __LINE__, #cond, (cond) ? 1 : 0)

/* Two integers are equal; the second is what is right. */
#define CHECK_EQ(got, want) test_eq(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))

/* The same for unsigned ones that may not fit a long long. */
#define CHECK_EQ_U(got, want) \
	test_eq_u(__FILE__, __LINE__, #got, (unsigned long long)(got), (unsigned long long)(want))

/* Two floating point numbers differ by at most so much. */
#define CHECK_NEAR(got, want, by) \
	test_near(__FILE__, __LINE__, #got, (double)(got), (double)(want), (double)(by))

/* Two strings are equal. */
#define CHECK_STR(got, want) test_str(__FILE__, __LINE__, #got, got, want)

/* A string contains another. */
#define CHECK_HAS(got, part) test_has(__FILE__, __LINE__, #got, got, part)

/* Leave the test function unless the condition holds. */
#define NEED(cond) \
	do { \
		test_now.checks++; \
		if (!(cond)) { \
			test_fail(__FILE__, __LINE__, "not true: %s", #cond); \
			return; \
		} \
	} while (0)

/* Leave the test function, saying why it cannot run here. */
#define TEST_SKIP(why) \
	do { \
		printf("SKIP %s: %s\n", test_now.name, why); \
		test_now.skipped = 1; \
		return; \
	} while (0)

#endif
