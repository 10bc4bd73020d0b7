/*
 * Counters of the network namespace: names and values that belong together,
 * whatever else the files hold, what moved, and what that is printed as.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../measure/hostfile.h"
#include "../measure/netcount.h"
#include "test.h"
#include "test_tree.h"

#define NETSTAT "/proc/net/netstat"

/* NULL: no such file. */
static void put_or_not(const char *path, const char *text)
{
	unlink(tree_way(path));
	if (text)
		put(path, text);
}

static void put_both(const char *netstat, const char *snmp)
{
	put_or_not(NETSTAT, netstat);
	put_or_not("/proc/net/snmp", snmp);
}

static struct netcount take(const char *netstat, const char *snmp)
{
	struct netcount counters;

	put_both(netstat, snmp);
	if (netcount_read(&counters, root))
		abort();
	return counters;
}

/* ---- reading ---- */

static void test_a_pair(void)
{
	struct netcount c = take("TcpExt: DelayedACKs TCPTimeouts\nTcpExt: 31 4\n"
				 "IpExt: InOctets\nIpExt: 13039810893962\n",
				 "Tcp: RtoMin MaxConn RetransSegs\nTcp: 200 -1 7\n");

	CHECK_EQ(c.count, 6);
	CHECK_NEAR(netcount_get(&c, "TcpExt.DelayedACKs"), 31, 0);
	CHECK_NEAR(netcount_get(&c, "TcpExt.TCPTimeouts"), 4, 0);
	CHECK_NEAR(netcount_get(&c, "IpExt.InOctets"), 13039810893962.0, 0);
	CHECK_NEAR(netcount_get(&c, "Tcp.MaxConn"), -1, 0);
	CHECK(isnan(netcount_get(&c, "TCPTimeouts")));
	CHECK(isnan(netcount_get(&c, "Tcp.TCPTimeouts")));
	CHECK(isnan(netcount_get(&c, "")));
	netcount_free(&c);
	CHECK(isnan(netcount_get(&c, "TcpExt.DelayedACKs")));
}

static void test_broken_files(void)
{
	static const struct {
		const char *netstat;
		size_t count;
		double a; /* TcpExt.A, below 0: not known */
	} cases[] = {
		{ "", 0, -1 },
		{ "TcpExt: A B\n", 0, -1 },
		{ "TcpExt: A B\nTcpExt: 1\n", 1, 1 },
		{ "TcpExt: A\nTcpExt: 1 2 3\n", 1, 1 },
		{ "TcpExt: A\nIpExt: 1\n", 0, -1 },
		{ "IpExt: X\nTcpExt: A\nTcpExt: 5\n", 1, 5 },
		{ "TcpExt: X A\nTcpExt: x 2\n", 1, 2 },
		{ "TcpExt: A X\nTcpExt: 3x 2\n", 1, -1 },
		{ "TcpExt: A\nTcpExt: -\n", 0, -1 },
		{ "TcpExt: A\nTcpExt: 18446744073709551615\n", 1, 18446744073709551615.0 },
		{ "TcpExt: A\nTcpExt: 118446744073709551615\n", 0, -1 },
		{ "TcpExt: A!\nTcpExt: 1\n", 0, -1 },
		{ "no colon\nTcpExt: A\n\nTcpExt: 1", 1, 1 },
		{ "TcpExt: A\nTcpExt: 1\nTcpExt: A\nTcpExt: 2\n", 2, 1 },
		{ ": A\n: 1\n", 0, -1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct netcount c = take(cases[i].netstat, NULL);
		double a = netcount_get(&c, "TcpExt.A");

		CHECK_EQ(c.count, cases[i].count);
		if (cases[i].a < 0)
			CHECK(isnan(a));
		else
			CHECK_NEAR(a, cases[i].a, 0);
		netcount_free(&c);
	}
}

static void test_garbage(void)
{
	static char bytes[1 << 20];
	unsigned int state = 7;
	struct netcount a, b, moved;

	put_bytes(NETSTAT, bytes, sizeof(bytes));
	CHECK_EQ(netcount_read(&a, root), 0);
	CHECK_EQ(a.count, 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = "a 1 "[i % 4];
	memcpy(bytes, "a: ", 3);
	memcpy(bytes + 30000, "\na: ", 4);
	put_bytes(NETSTAT, bytes, sizeof(bytes));
	CHECK_EQ(netcount_read(&a, root), 0);
	CHECK_EQ(a.count, 2048);
	netcount_free(&a);
	for (int round = 0; round < 200; round++) {
		for (size_t i = 0; i < 4096; i++) {
			state = state * 1664525U + 1013904223U;
			bytes[i] = state >> 31 ? (char)(state >> 16)
					       : "Ta::1 \n\n"[state >> 16 & 7];
		}
		put_bytes(NETSTAT, bytes, 4096);
		if (netcount_read(&a, root) || netcount_read(&b, root) ||
		    netcount_moved(&a, &b, &moved))
			abort();
		for (size_t i = 0; i < moved.count; i++)
			CHECK_NEAR(moved.row[i].value, 0, 0);
		netcount_free(&a);
		netcount_free(&b);
		netcount_free(&moved);
	}
	put_both(NULL, NULL);
	mkdir(tree_way(NETSTAT), 0700);
	CHECK_EQ(netcount_read(&a, root), 0);
	CHECK_EQ(a.count, 0);
	rmdir(tree_way(NETSTAT));
}

/* ---- differences ---- */

static struct netcount difference(const char *const before[2], const char *const after[2])
{
	struct netcount a = take(before[0], before[1]), b = take(after[0], after[1]), moved;

	if (netcount_moved(&a, &b, &moved))
		abort();
	netcount_free(&a);
	netcount_free(&b);
	return moved;
}

static void test_differences(void)
{
	static const char *const before[] = { "TcpExt: A B C\nTcpExt: 1 10 100\n",
					      "Tcp: CurrEstab RetransSegs\nTcp: 1 5\n" };
	static const char *const after[] = { "TcpExt: A C New B\nTcpExt: 1 99 7 12\n",
					     "Tcp: CurrEstab RetransSegs\nTcp: 9 8\n" };
	struct netcount moved = difference(before, after);

	CHECK_EQ(moved.count, 4);
	CHECK_NEAR(netcount_get(&moved, "TcpExt.A"), 0, 0);
	CHECK_NEAR(netcount_get(&moved, "TcpExt.B"), 2, 0);
	CHECK(isnan(netcount_get(&moved, "TcpExt.C"))); /* it went back */
	CHECK(isnan(netcount_get(&moved, "TcpExt.New")));
	CHECK(isnan(netcount_get(&moved, "Tcp.CurrEstab")));
	CHECK_NEAR(netcount_get(&moved, "Tcp.RetransSegs"), 3, 0);
	netcount_free(&moved);
}

/* ---- output ---- */

static char text[1 << 16];

static const char *printed(const struct netcount *moved,
			   void (*print)(FILE *out, const struct netcount *moved))
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (!out)
		abort();
	print(out, moved);
	fclose(out);
	for (const char *line = text; print == netcount_print && *line;
	     line += strcspn(line, "\n") + 1)
		CHECK(strcspn(line, "\n") <= 78);
	return text;
}

#define EXT \
	"TcpExt: ListenDrops DelayedACKs TCPHPHits TCPPureAcks TCPTimeouts TCPAutoCorking " \
	"TCPOrigDataSent TCPToZeroWindowAdv TCPBacklogDrop\nTcpExt: "
#define TCP "Tcp: RtoMin ActiveOpens InSegs OutSegs RetransSegs\nTcp: "

static void test_text(void)
{
	static const char *const zero[] = { EXT "0 0 0 0 0 0 0 0 0\n", TCP "200 0 0 0 0\n" };
	static const char *const calm[] = { EXT "0 31 402 181604 0 1180 9 0 0\n",
					    TCP "200 6 8 9 0\n" };
	static const char *const rough[] = { EXT "0 0 0 0 2 0 9 0 5\n", TCP "200 0 8 9 0\n" };
	static const char *const no_snmp[] = { EXT "0 1 0 0 0 0 0 0 0\n", NULL };
	static const char *const no_netstat[] = { NULL, TCP "200 6 8 9 3\n" };
	static const char *const none[] = { NULL, NULL };
	static const struct {
		const char *const *before;
		const char *const *after;
		const char *text;
	} cases[] = {
		{ zero, calm,
		  "Tcp:    ActiveOpens 6\n"
		  "TcpExt: DelayedACKs 31, TCPHPHits 402, TCPPureAcks 181604,\n"
		  "        TCPAutoCorking 1180\n"
		  "retransmits, timeouts, drops, zero windows: 0\n" },
		{ zero, rough,
		  "Tcp:    nothing else moved\n"
		  "TcpExt: TCPTimeouts 2, TCPBacklogDrop 5\n"
		  "retransmits, zero windows: 0\n" },
		{ zero, no_snmp,
		  "Tcp:    n/a\nTcpExt: DelayedACKs 1\n"
		  "timeouts, drops, zero windows: 0\nretransmits: n/a\n" },
		{ no_snmp, calm,
		  "Tcp:    n/a\nTcpExt: DelayedACKs 30, TCPHPHits 402, TCPPureAcks 181604,\n"
		  "        TCPAutoCorking 1180\n"
		  "timeouts, drops, zero windows: 0\nretransmits: n/a\n" },
		{ zero, no_netstat,
		  "Tcp:    ActiveOpens 6, RetransSegs 3\nTcpExt: n/a\n"
		  "timeouts, drops, zero windows: n/a\n" },
		{ none, none,
		  "Tcp:    n/a\nTcpExt: n/a\n"
		  "retransmits, timeouts, drops, zero windows: n/a\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct netcount moved = difference(cases[i].before, cases[i].after);

		CHECK_STR(printed(&moved, netcount_print), cases[i].text);
		netcount_free(&moved);
	}
}

static void test_json(void)
{
	static const char *const before[] = {
		"TcpExt: TCPTimeouts A B\nTcpExt: 0 9 0\nIpExt: InOctets\nIpExt: 0\n",
		"Tcp: InSegs\nTcp: 0\n"
	};
	static const char *const after[] = {
		"TcpExt: TCPTimeouts A B\nTcpExt: 0 8 5\nIpExt: InOctets\nIpExt: 1\n",
		"Tcp: InSegs\nTcp: 70\n"
	};
	struct netcount moved = difference(before, after);

	CHECK_STR(printed(&moved, netcount_json),
		  "{\"event\":\"counters\",\"moved\":{\"TcpExt.A\":null,\"TcpExt.B\":5,"
		  "\"Tcp.InSegs\":70},\"retransmits\":null,\"timeouts\":0,\"drops\":null,"
		  "\"zero_windows\":null}\n");
	netcount_free(&moved);
}

static void test_this_machine(void)
{
	struct netcount c;

	NEED(netcount_read(&c, "") == 0);
	if (hostfile_exists("", "/proc/net/snmp"))
		CHECK_NEAR(netcount_get(&c, "Tcp.MaxConn"), -1, 0);
	else
		CHECK(isnan(netcount_get(&c, "Tcp.MaxConn")));
	netcount_free(&c);
}

int main(void)
{
	if (tree_begin())
		return 1;
	RUN(test_a_pair);
	RUN(test_broken_files);
	RUN(test_garbage);
	RUN(test_differences);
	RUN(test_text);
	RUN(test_json);
	RUN(test_this_machine);
	if (tree_end())
		return 1;
	return test_end();
}
