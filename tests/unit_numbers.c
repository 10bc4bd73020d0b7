/*
 * Numbers and seconds on a command line: taken whole or not at all, in
 * their range, with K, M, G and 0x where these are allowed.
 */
#include <inttypes.h>

#include "../socklib.h"
#include "test.h"

static int number(const char *text, int accept, uint64_t max, uint64_t *value)
{
	char why[128] = "";
	int ret = sock_number(text, accept, 1, max, value, why, sizeof(why));

	if (ret)
		CHECK(*why != '\0');
	return ret;
}

static void test_numbers_are_taken_whole(void)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "1", 1 },
		{ "65536", 65536 },
		{ "007", 7 },
		{ "1K", 1024 },
		{ "1k", 1024 },
		{ "3M", 3145728 },
		{ "4G", 4294967296 },
		{ "4294968320", 4294968320 },
		{ "18446744073709551615", UINT64_MAX },
		{ "17179869183G", UINT64_MAX - 1073741823 },
	};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint64_t n = 0;

		CHECK_EQ(number(good[i].text, SOCK_NUMBER_SIZE, UINT64_MAX, &n), 0);
		CHECK_EQ_U(n, good[i].value);
	}
}

static void test_numbers_that_are_none(void)
{
	static const char *const bad[] = {
		"",
		" ",
		"0",
		"-1",
		"+1",
		" 1",
		"1 ",
		"1x",
		"x1",
		"K",
		"1KB",
		"1KK",
		"1.5",
		"1e3",
		"1,000",
		"0x10",
		"nan",
		"inf",
		"--1",
		"18446744073709551616",
		"18446744073709552640",
		"99999999999999999999999999",
		"17179869184G",
		"-0K",
		"1\n",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t n = 77;

		if (number(bad[i], SOCK_NUMBER_SIZE, UINT64_MAX, &n) != -1)
			test_fail(__FILE__, __LINE__,
				  "\"%s\" is taken as "
				  "%" PRIu64,
				  bad[i], n);
		CHECK_EQ_U(n, 77);
	}
}

static void test_numbers_have_a_range(void)
{
	char why[128] = "";
	uint64_t n = 0;

	CHECK_EQ(sock_number("65535", 0, 0, 65535, &n, why, sizeof(why)), 0);
	CHECK_EQ(sock_number("0", 0, 0, 65535, &n, why, sizeof(why)), 0);
	CHECK_EQ_U(n, 0);
	CHECK_EQ(sock_number("65536", 0, 0, 65535, &n, why, sizeof(why)), -1);
	CHECK_HAS(why, "65535");
	CHECK_EQ(sock_number("4", 0, 5, 9, &n, why, sizeof(why)), -1);
	CHECK_HAS(why, "5");
	CHECK_EQ(sock_number("64K", 0, 0, 65535, &n, why, sizeof(why)), -1);
}

static void test_hexadecimal_only_where_asked_for(void)
{
	uint64_t n = 0;

	CHECK_EQ(number("0x10", SOCK_NUMBER_HEX, 255, &n), 0);
	CHECK_EQ_U(n, 16);
	CHECK_EQ(number("0XfF", SOCK_NUMBER_HEX, 255, &n), 0);
	CHECK_EQ_U(n, 255);
	CHECK_EQ(number("0x", SOCK_NUMBER_HEX, 255, &n), -1);
	CHECK_EQ(number("0xg", SOCK_NUMBER_HEX, 255, &n), -1);
	CHECK_EQ(number("0x0x10", SOCK_NUMBER_HEX, 255, &n), -1);
	CHECK_EQ(number("0x-1", SOCK_NUMBER_HEX, 255, &n), -1);
	CHECK_EQ(number("ff", SOCK_NUMBER_HEX, 255, &n), -1);
	CHECK_EQ(number("0x100", SOCK_NUMBER_HEX, 255, &n), -1);
}

static void test_seconds(void)
{
	static const char *const bad[] = {
		"",    " ",	  ".",
		"-1",  "+1",	  "1s",
		"nan", "inf",	  "0x1",
		"1e3", "1,5",	  "1.2.3",
		" 1",  "1 ",	  "1e999",
		"-0",  "1000001", "999999999999999999999999999999999999999999999999999",
	};
	char why[128];
	double x = 0;
	size_t i;

	CHECK_EQ(sock_seconds("2", 0, 1e6, &x, why, sizeof(why)), 0);
	CHECK_NEAR(x, 2, 0);
	CHECK_EQ(sock_seconds("0.25", 0, 1e6, &x, why, sizeof(why)), 0);
	CHECK_NEAR(x, 0.25, 0);
	CHECK_EQ(sock_seconds(".5", 0, 1e6, &x, why, sizeof(why)), 0);
	CHECK_NEAR(x, 0.5, 0);
	CHECK_EQ(sock_seconds("0", 0, 1e6, &x, why, sizeof(why)), 0);
	CHECK_NEAR(x, 0, 0);
	CHECK_EQ(sock_seconds("0", 0.001, 1e6, &x, why, sizeof(why)), -1);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		x = 77;
		*why = '\0';
		if (sock_seconds(bad[i], 0, 1e6, &x, why, sizeof(why)) != -1)
			test_fail(__FILE__, __LINE__, "\"%s\" is taken as %g", bad[i], x);
		CHECK_NEAR(x, 77, 0);
		CHECK(*why != '\0');
	}
}

int main(void)
{
	RUN(test_numbers_are_taken_whole);
	RUN(test_numbers_that_are_none);
	RUN(test_numbers_have_a_range);
	RUN(test_hexadecimal_only_where_asked_for);
	RUN(test_seconds);
	return test_end();
}
