/*
 * Option strings: cut where their grammar says, each value checked before
 * any socket exists; and they reach the kernel as they were meant and are
 * read back.
 */
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "../socklib.h"
#include "test.h"

static struct sock_options *parsed; /* by the last good() */

/* The number of options in a string that must be good. */
static int good(const char *text)
{
	struct sock_cause cause;
	struct sock_options *o;

	sock_options_free(parsed);
	parsed = o = sock_options_parse(text, "-t", &cause);
	if (!o) {
		test_fail(__FILE__, __LINE__, "\"%s\" is refused: %s", text, cause.reason);
		return -1;
	}
	CHECK_STR(sock_options_text(o), text);
	return (int)o->count;
}

/* The reason for which a string is refused; "" when it is not. */
static const char *refused(const char *text)
{
	static struct sock_cause cause;
	struct sock_options *o;

	memset(&cause, 0, sizeof(cause));
	o = sock_options_parse(text, "-t", &cause);
	if (o) {
		sock_options_free(o);
		test_fail(__FILE__, __LINE__, "\"%s\" is taken", text);
		return "";
	}
	CHECK_EQ(cause.status, 2);
	CHECK_STR(cause.step, "-t");
	return cause.reason;
}

static uint64_t value_of(int i)
{
	return parsed->settings[i].asked.number;
}

static const char *name_of(int i)
{
	return parsed->settings[i].option->name;
}

static void test_case18_separators(void)
{
	CHECK_EQ(good(""), 0);
	CHECK_EQ(good("   "), 0);
	CHECK_EQ(good(" ,\t\n, "), 0);
	NEED(good("TCP_NODELAY\tSO_SNDBUF=4096\n") == 2);
	CHECK_STR(name_of(0), "TCP_NODELAY");
	CHECK_EQ_U(value_of(0), 1);
	CHECK_STR(name_of(1), "SO_SNDBUF");
	CHECK_EQ_U(value_of(1), 4096);
	NEED(good(",SO_SNDBUF=1K,,SO_RCVBUF=0x10,") == 2);
	CHECK_EQ_U(value_of(0), 1024);
	CHECK_EQ_U(value_of(1), 16);
}

static void test_case11_the_mails_string(void)
{
	NEED(good("TCP_NODELAY SO_RCVBUF=8192 SO_SNDBUF=16384 "
		  "IPTOS_THROUGHPUT") == 4);
	CHECK_STR(name_of(0), "TCP_NODELAY");
	CHECK_EQ_U(value_of(1), 8192);
	CHECK_EQ_U(value_of(2), 16384);
	CHECK_STR(name_of(3), "IPTOS_THROUGHPUT");
	CHECK_EQ_U(value_of(3), 8);
	NEED(good("SO_RCVTIMEO=15") == 1);
	CHECK_EQ_U(value_of(0), 15000000);
	NEED(good("SO_RCVTIMEO=0.25") == 1);
	CHECK_EQ_U(value_of(0), 250000);
}

static void test_case19_values_that_are_none(void)
{
	CHECK_HAS(refused("SO_RCVBUF"), "\"SO_RCVBUF\"");
	CHECK_HAS(refused("SO_RCVBUF="), "\"SO_RCVBUF=\"");
	CHECK_HAS(refused("SO_RCVBUF=8192x"), "not a number");
	CHECK_HAS(refused("SO_RCVBUF=8k k"), "\"k\"");
	CHECK_HAS(refused("TCP_NODELAY SO_RCVBUF=8192x"),
		  "\"SO_RCVBUF=8192x\" in \"TCP_NODELAY SO_RCVBUF=8192x\"");
	CHECK_HAS(refused("SO_RCVBUF==8192"), "\"SO_RCVBUF==8192\"");
	CHECK_HAS(refused("SO_RCVBUF =8192"), "SO_RCVBUF");
	CHECK_HAS(refused("SO_RCVBUF= 8192"), "SO_RCVBUF=");
	CHECK_HAS(refused("IPTOS_THROUGHPUT=8"), "IPTOS_THROUGHPUT=8");
	CHECK_HAS(refused("=8"), "");
	CHECK_HAS(refused("="), "");
}

static void test_case20_negative_and_too_large(void)
{
	CHECK_HAS(refused("SO_RCVBUF=-1"), "SO_RCVBUF=-1");
	CHECK_HAS(refused("SO_SNDBUF=-8K"), "SO_SNDBUF=-8K");
	CHECK_HAS(refused("SO_RCVBUF=2G"), "2147483647");
	CHECK_HAS(refused("SO_RCVBUF=4294975488"), "2147483647");
	CHECK_HAS(refused("SO_RCVTIMEO=-1"), "SO_RCVTIMEO=-1");
	CHECK_HAS(refused("IP_TOS=256"), "255");
	NEED(good("SO_RCVBUF=0") == 1);
	CHECK_EQ_U(value_of(0), 0);
}

static void test_case21_booleans(void)
{
	NEED(good("TCP_NODELAY=0 TCP_NODELAY=1 TCP_NODELAY") == 3);
	CHECK_EQ_U(value_of(0), 0);
	CHECK_EQ_U(value_of(1), 1);
	CHECK_EQ_U(value_of(2), 1);
	CHECK_HAS(refused("TCP_NODELAY=2"), "TCP_NODELAY=2");
	CHECK_HAS(refused("TCP_NODELAY=yes"), "TCP_NODELAY=yes");
	CHECK_HAS(refused("TCP_NODELAY="), "TCP_NODELAY=");
	CHECK_HAS(refused("TCP_NODELAY=01x"), "TCP_NODELAY=01x");
}

static void test_case22_names(void)
{
	char long_name[5000];

	CHECK_HAS(refused("TCP_NODELAYX"), "nearest: TCP_NODELAY");
	CHECK_HAS(refused("SO_RCV"), "unknown option \"SO_RCV\"");
	CHECK_HAS(refused("TCP_NODELA"), "nearest: TCP_NODELAY");
	CHECK_HAS(refused("TCPNODELAY=1"), "nearest: TCP_NODELAY");
	NEED(good("tcp_nodelay So_RcvBuf=1") == 2);
	CHECK_STR(name_of(0), "TCP_NODELAY");
	CHECK_STR(name_of(1), "SO_RCVBUF");
	memset(long_name, 'A', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	CHECK_HAS(refused(long_name), "AAAA");
	long_name[2000] = '=';
	CHECK_HAS(refused(long_name), "AAAA");
}

static void test_names_and_quotes_as_values(void)
{
	NEED(good("IP_TOS=EF IP_TOS=ef IP_TOS=0x10") == 3);
	CHECK_EQ_U(value_of(0), 0xb8);
	CHECK_EQ_U(value_of(1), 0xb8);
	CHECK_EQ_U(value_of(2), 0x10);
	CHECK_HAS(refused("IP_TOS=EFF"), "IP_TOS=EFF");
	NEED(good("SO_SNDBUF=\"4096\" TCP_NODELAY") == 2);
	CHECK_EQ_U(value_of(0), 4096);
	CHECK_HAS(refused("TCP_NODELAY SO_SNDBUF=\"4096"), "SO_SNDBUF");
	CHECK_HAS(refused("SO_SNDBUF=\"40 96\""), "40 96");
	CHECK_HAS(refused("SO_SNDBUF=40\"96\""), "SO_SNDBUF");
#ifdef TCP_CONGESTION
	NEED(good("TCP_CONGESTION=cubic TCP_CONGESTION=\"a b,c\"") == 2);
	CHECK_STR(parsed->settings[0].asked.text, "cubic");
	CHECK_STR(parsed->settings[1].asked.text, "a b,c");
	CHECK_HAS(refused("TCP_CONGESTION="), "TCP_CONGESTION=");
	CHECK_HAS(refused("TCP_CONGESTION"), "TCP_CONGESTION");
	CHECK_HAS(refused("TCP_CONGESTION=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "TCP_CONGESTION");
#endif
#ifdef SO_MAX_PACING_RATE
	NEED(good("SO_MAX_PACING_RATE=1G") == 1);
	CHECK_EQ_U(value_of(0), 1073741824);
	NEED(good("SO_MAX_PACING_RATE=18446744073709551615") == 1);
	CHECK_EQ_U(value_of(0), UINT64_MAX);
#endif
}

/* The table: sane rows, each name once, help that is there. */
static void test_table(void)
{
	const struct sock_option *a, *b;
	size_t i, j;

	for (i = 0; (a = sock_option_row(i)) != NULL; i++) {
		CHECK(a->name && *a->name);
		CHECK(a->help && *a->help);
		CHECK(a->unit != NULL);
		CHECK(a->min <= a->max);
		for (j = 0; j < i; j++) {
			b = sock_option_row(j);
			if (strcmp(a->name, b->name) == 0)
				test_fail(__FILE__, __LINE__,
					  "%s is there "
					  "twice",
					  a->name);
		}
	}
	CHECK(i >= 17);
}

/* ---- the kernel's side */

static int tcp_socket(int family)
{
	return socket(family, SOCK_STREAM, 0);
}

static int int_option(int fd, int level, int option)
{
	socklen_t len = sizeof(int);
	int n = -1;

	if (getsockopt(fd, level, option, &n, &len) < 0)
		return -1;
	return n;
}

static void test_values_reach_the_kernel(void)
{
	struct sock_cause cause;
	struct timeval tv = { 0, 0 };
	struct linger linger = { 0, 0 };
	socklen_t len = sizeof(tv);
	int fd = tcp_socket(AF_INET);

	NEED(fd >= 0);
	NEED(good("TCP_NODELAY SO_RCVTIMEO=15 SO_LINGER=3 IPTOS_THROUGHPUT "
		  "SO_KEEPALIVE") == 5);
	NEED(sock_options_apply(parsed, fd, &cause) == 0);
	CHECK(int_option(fd, IPPROTO_TCP, TCP_NODELAY) != 0);
	CHECK(int_option(fd, SOL_SOCKET, SO_KEEPALIVE) != 0);
	CHECK_EQ(int_option(fd, IPPROTO_IP, IP_TOS), 8);
	NEED(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, &len) == 0);
	CHECK_EQ(tv.tv_sec, 15);
	CHECK_EQ(tv.tv_usec, 0);
	len = sizeof(linger);
	NEED(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len) == 0);
	CHECK_EQ(linger.l_onoff != 0, 1);
	CHECK_EQ(linger.l_linger, 3);
	NEED(good("TCP_NODELAY=0 SO_LINGER=off") == 2);
	NEED(sock_options_apply(parsed, fd, &cause) == 0);
	CHECK_EQ(int_option(fd, IPPROTO_TCP, TCP_NODELAY), 0);
	close(fd);
}

static void test_traffic_class_of_ipv6(void)
{
#ifdef IPV6_TCLASS
	struct sockaddr_in6 any;
	struct sock_cause cause;
	int fd = tcp_socket(AF_INET6);

	if (fd < 0)
		TEST_SKIP("no IPv6 here");
	memset(&any, 0, sizeof(any));
	any.sin6_family = AF_INET6;
	any.sin6_addr = in6addr_loopback;
	if (bind(fd, (struct sockaddr *)&any, sizeof(any)) < 0)
		TEST_SKIP("no ::1 here");
	NEED(good("IPTOS_LOWDELAY") == 1);
	NEED(sock_options_apply(parsed, fd, &cause) == 0);
	CHECK_EQ(int_option(fd, IPPROTO_IPV6, IPV6_TCLASS), 0x10);
	close(fd);
#else
	TEST_SKIP("no IPV6_TCLASS here");
#endif
}

static void test_read_back(void)
{
	struct sock_value got;
	struct sock_cause cause;
	uint64_t expected = 0;
	char text[64];
	int fd = tcp_socket(AF_INET);

	NEED(fd >= 0);
	NEED(good("SO_RCVBUF=65536 TCP_NODELAY SO_RCVTIMEO=0.5 "
		  "SO_RCVBUF=2147483647") == 4);
	NEED(sock_options_apply(parsed, fd, &cause) == 0);
	NEED(sock_option_read(parsed->settings[1].option, fd, &got) == 0);
	CHECK_EQ_U(got.number, 1);
	NEED(sock_option_read(parsed->settings[2].option, fd, &got) == 0);
	sock_value_text(parsed->settings[2].option, &got, text, sizeof(text));
	CHECK_NEAR(atof(text), 0.5, 0.02);
	NEED(sock_option_read(parsed->settings[3].option, fd, &got) == 0);
	CHECK(got.number >= 65536);
	/* No system gives 2 GB: what was cut is seen, what was not is not. */
	CHECK_EQ(sock_option_fell_short(&parsed->settings[3], &got, &expected), 1);
	got.number = expected;
	CHECK_EQ(sock_option_fell_short(&parsed->settings[3], &got, &expected), 0);
	close(fd);
}

static void test_refusal_names_the_option(void)
{
#ifdef TCP_CONGESTION
	struct sock_cause cause;
	int fd = tcp_socket(AF_INET);

	NEED(fd >= 0);
	NEED(good("TCP_NODELAY TCP_CONGESTION=nonesuch") == 2);
	CHECK_EQ(sock_options_apply(parsed, fd, &cause), -1);
	CHECK_EQ(cause.status, 1);
	CHECK_STR(cause.step, "setsockopt");
	CHECK_STR(cause.object, "TCP_CONGESTION=nonesuch");
	CHECK_HAS(cause.reason, "not found");
	close(fd);
#else
	TEST_SKIP("no TCP_CONGESTION here");
#endif
}

static void test_options_are_tried(void)
{
	struct sock_address at;
	struct sock_cause cause;

	NEED(sock_resolve("127.0.0.1", 0, &at, 1, &cause) == 1);
	NEED(good("TCP_NODELAY SO_SNDBUF=8192") == 2);
	CHECK_EQ(sock_options_try(parsed, &at, &cause), 0);
#ifdef TCP_CONGESTION
	NEED(good("TCP_CONGESTION=nonesuch") == 1);
	CHECK_EQ(sock_options_try(parsed, &at, &cause), -1);
	CHECK_EQ(cause.status, 1);
#endif
}

int main(void)
{
	RUN(test_case18_separators);
	RUN(test_case11_the_mails_string);
	RUN(test_case19_values_that_are_none);
	RUN(test_case20_negative_and_too_large);
	RUN(test_case21_booleans);
	RUN(test_case22_names);
	RUN(test_names_and_quotes_as_values);
	RUN(test_table);
	RUN(test_values_reach_the_kernel);
	RUN(test_traffic_class_of_ipv6);
	RUN(test_read_back);
	RUN(test_refusal_names_the_option);
	RUN(test_options_are_tried);
	sock_options_free(parsed);
	return test_end();
}
