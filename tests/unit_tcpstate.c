/*
 * The kernel's state of TCP sockets: of tcp_info of every length, of answers
 * that are made here, whole, cut and spoilt, and of connections of our own.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "../measure/facts.h"
#include "../measure/tcpstate.h"
#include "../socklib.h"
#include "test.h"
#include "test_facts.h"

#define INFO_SIZE 280 /* of Linux 6.18 */

static struct facts_sample sample;

/* ---- struct tcp_info ---- */

static double number_at(const unsigned char *info, unsigned int at, unsigned int size)
{
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1: memcpy(&one, info + at, size); return one;
	case 2: memcpy(&two, info + at, size); return two;
	case 4: memcpy(&four, info + at, size); return four;
	default: memcpy(&eight, info + at, size); return (double)eight;
	}
}

static void fill(unsigned char *info)
{
	for (size_t i = 0; i < INFO_SIZE; i++)
		info[i] = (unsigned char)(i % 8 == 7 ? 0 : i % 4 == 3 ? 0x11 : 3 * i + 1);
}

/* The bytes lie at the very end of their memory: one too many would be seen. */
static void decode(const unsigned char *info, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, info, size);
	facts_nothing(&sample);
	tcpstate_decode_info(copy, size, sample.value[FACTS_SENDER]);
	free(copy);
}

static void test_every_length(void)
{
	unsigned char info[INFO_SIZE];
	const double *value = sample.value[FACTS_SENDER];
	int within = 0, beyond = 0;

	fill(info);
	for (size_t size = 0; size <= INFO_SIZE; size++) {
		int n = 0;

		decode(info, size);
		for (int fact = 0; fact < FACTS; fact++) {
			const struct facts_row *row = &facts_rows[fact];

			if (row->source != FACTS_FROM_TCP_INFO)
				continue;
			if (row->at + row->size > size) {
				beyond++;
				if (!isnan(value[fact]))
					test_fail(__FILE__, __LINE__, "%s is %g in %zu bytes",
						  row->name, value[fact], size);
				continue;
			}
			within++;
			n++;
			if (!row->bits)
				CHECK_NEAR(value[fact], number_at(info, row->at, row->size), 0);
		}
		CHECK_EQ(values_known(&sample), n);
	}
	CHECK(within > 1000 && beyond > 1000);
	decode(info, 104);
	CHECK(!isnan(value[FACT_RETRANSMITS]) && isnan(value[FACT_PACING_RATE]));
	decode(info, 103);
	CHECK(!isnan(value[FACT_RCV_SPACE]) && isnan(value[FACT_RETRANSMITS]));
	decode(info, 241);
	CHECK(!isnan(value[FACT_RCV_WND]) && isnan(value[FACT_RTOS]));
	decode(info, 242);
	CHECK_NEAR(value[FACT_RTOS], number_at(info, 240, 2), 0);
}

static void put_32(unsigned char *info, unsigned int at, uint32_t value)
{
	memcpy(info + at, &value, sizeof(value));
}

static void put_64(unsigned char *info, unsigned int at, uint64_t value)
{
	memcpy(info + at, &value, sizeof(value));
}

/* Values that stand for "none", and those next to them that do not. */
static void test_none(void)
{
	unsigned char info[INFO_SIZE] = { 0 };
	const double *value = sample.value[FACTS_SENDER];

	put_32(info, 76, 0x7fffffff);
	put_64(info, 104, ~UINT64_C(0));
	put_64(info, 112, ~UINT64_C(0));
	put_32(info, 148, 0xffffffff);
	decode(info, INFO_SIZE);
	CHECK(isnan(value[FACT_SSTHRESH]));
	CHECK(isnan(value[FACT_PACING_RATE]) && isnan(value[FACT_MAX_PACING_RATE]));
	CHECK(isnan(value[FACT_MIN_RTT]));
	CHECK_NEAR(value[FACT_BYTES_ACKED], 0, 0);
	put_64(info, 104, 0xffffffff);
	put_64(info, 112, 0xffffffff);
	decode(info, INFO_SIZE);
	CHECK(isnan(value[FACT_PACING_RATE]) && isnan(value[FACT_MAX_PACING_RATE]));
	put_32(info, 76, 0x7ffffffe);
	put_64(info, 104, 0xfffffffe);
	put_64(info, 112, UINT64_C(0x100000000));
	put_32(info, 148, 0xfffffffe);
	decode(info, INFO_SIZE);
	CHECK_NEAR(value[FACT_SSTHRESH], 0x7ffffffe, 0);
	CHECK_NEAR(value[FACT_PACING_RATE], 0xfffffffe, 0);
	CHECK_NEAR(value[FACT_MAX_PACING_RATE], 0x100000000, 0);
	CHECK_NEAR(value[FACT_MIN_RTT], 0xfffffffe, 0);
	put_64(info, 104, 0);
	put_64(info, 112, 12500000);
	put_32(info, 80, 10);
	put_64(info, 120, UINT64_C(5000000000000));
	decode(info, INFO_SIZE);
	CHECK_NEAR(value[FACT_PACING_RATE], 0, 0);
	CHECK_NEAR(value[FACT_MAX_PACING_RATE], 12500000, 0);
	CHECK_NEAR(value[FACT_CWND], 10, 0);
	CHECK_NEAR(value[FACT_BYTES_ACKED], 5e12, 0);
}

#if defined(__linux__) && !defined(SOCKLIB_PORTABLE)
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

#define FIELD(fact, field) \
	{ \
		fact, offsetof(struct tcp_info, tcpi_##field), \
			sizeof(((struct tcp_info *)0)->tcpi_##field) \
	}

/* The table against the kernel's own header. */
static void test_offsets(void)
{
	static const struct {
		enum fact fact;
		size_t at, size;
	} fields[] = {
		FIELD(FACT_RETRANSMITTING, retransmits),
		FIELD(FACT_RTO, rto),
		FIELD(FACT_ATO, ato),
		FIELD(FACT_SND_MSS, snd_mss),
		FIELD(FACT_RCV_MSS, rcv_mss),
		FIELD(FACT_UNACKED, unacked),
		FIELD(FACT_RCV_SSTHRESH, rcv_ssthresh),
		FIELD(FACT_RTT, rtt),
		FIELD(FACT_RTTVAR, rttvar),
		FIELD(FACT_SSTHRESH, snd_ssthresh),
		FIELD(FACT_CWND, snd_cwnd),
		FIELD(FACT_RCV_RTT, rcv_rtt),
		FIELD(FACT_RCV_SPACE, rcv_space),
		FIELD(FACT_RETRANSMITS, total_retrans),
		FIELD(FACT_PACING_RATE, pacing_rate),
		FIELD(FACT_MAX_PACING_RATE, max_pacing_rate),
		FIELD(FACT_BYTES_ACKED, bytes_acked),
		FIELD(FACT_BYTES_RECEIVED, bytes_received),
		FIELD(FACT_SEGMENTS_OUT, segs_out),
		FIELD(FACT_SEGMENTS_IN, segs_in),
		FIELD(FACT_NOTSENT, notsent_bytes),
		FIELD(FACT_MIN_RTT, min_rtt),
		FIELD(FACT_DATA_SEGMENTS_IN, data_segs_in),
		FIELD(FACT_DATA_SEGMENTS_OUT, data_segs_out),
		FIELD(FACT_DELIVERY_RATE, delivery_rate),
		FIELD(FACT_BUSY, busy_time),
		FIELD(FACT_RWND_LIMITED, rwnd_limited),
		FIELD(FACT_SNDBUF_LIMITED, sndbuf_limited),
		FIELD(FACT_DELIVERED, delivered),
		FIELD(FACT_BYTES_SENT, bytes_sent),
		FIELD(FACT_DSACK_DUPS, dsack_dups),
		FIELD(FACT_REORDERINGS, reord_seen),
		FIELD(FACT_OUT_OF_ORDER, rcv_ooopack),
		FIELD(FACT_SND_WND, snd_wnd),
	};

	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct facts_row *row = &facts_rows[fields[i].fact];

		CHECK_EQ(row->source, FACTS_FROM_TCP_INFO);
		if (row->at != fields[i].at || row->size != fields[i].size)
			test_fail(__FILE__, __LINE__, "%s is at %u, not %zu", row->name, row->at,
				  fields[i].at);
	}
	CHECK_EQ(facts_rows[FACT_RCVBUF].at, SK_MEMINFO_RCVBUF);
	CHECK_EQ(facts_rows[FACT_SNDBUF].at, SK_MEMINFO_SNDBUF);
	CHECK_EQ(facts_rows[FACT_WMEM_QUEUED].at, SK_MEMINFO_WMEM_QUEUED);
	CHECK_EQ(facts_rows[FACT_DROPS].at, SK_MEMINFO_DROPS);
}

static void test_bits(void)
{
	struct tcp_info info;

	for (unsigned int i = 0; i < 16; i++) {
		const double *value = sample.value[FACTS_SENDER];

		memset(&info, i & 1 ? 0xff : 0, sizeof(info));
		info.tcpi_snd_wscale = i & 15;
		info.tcpi_rcv_wscale = (i + 3) & 15;
		info.tcpi_delivery_rate_app_limited = i >> 1 & 1;
		decode((const unsigned char *)&info, sizeof(info));
		CHECK_NEAR(value[FACT_SND_WSCALE], i, 0);
		CHECK_NEAR(value[FACT_RCV_WSCALE], (i + 3) & 15, 0);
		CHECK_NEAR(value[FACT_APP_LIMITED], i >> 1 & 1, 0);
	}
}

/* ---- made answers ---- */

#define ROOM 1024

/* An answer in the making, and where each attribute of it ends. */
static unsigned char answer[ROOM];
static size_t answer_size, info_end, memory_end, name_end;

static size_t put_attribute(unsigned int type, const void *data, size_t size)
{
	struct nlattr header = { .nla_len = (unsigned short)(sizeof(header) + size),
				 .nla_type = (unsigned short)type };
	size_t end = answer_size + sizeof(header) + size;

	memcpy(answer + answer_size, &header, sizeof(header));
	memcpy(answer + answer_size + sizeof(header), data, size);
	answer_size = NLMSG_ALIGN(end);
	return end;
}

static void put_header(unsigned int type, size_t size)
{
	struct nlmsghdr header = { .nlmsg_len = (unsigned int)size,
				   .nlmsg_type = (unsigned short)type };

	memcpy(answer, &header, sizeof(header));
}

static void make_answer(void)
{
	struct inet_diag_msg diag = { .idiag_family = AF_INET,
				      .idiag_state = 1,
				      .idiag_inode = 4711,
				      .id.idiag_cookie = { 12, 34 } };
	uint32_t memory[9] = { 0, 131072, 0, 16384, 0, 5, 0, 0, 8 };
	unsigned char info[INFO_SIZE];

	fill(info);
	memset(answer, 0, sizeof(answer));
	memcpy(answer + NLMSG_HDRLEN, &diag, sizeof(diag));
	answer_size = NLMSG_HDRLEN + sizeof(diag);
	memory_end = put_attribute(INET_DIAG_SKMEMINFO, memory, sizeof(memory));
	put_attribute(INET_DIAG_SHUTDOWN, "", 1);
	name_end = put_attribute(INET_DIAG_CONG, "cubic", 6);
	put_attribute(0x3fff, "unknown", 7);
	info_end = put_attribute(INET_DIAG_INFO, info, sizeof(info));
	put_header(SOCK_DIAG_BY_FAMILY, answer_size);
}

static struct tcpstate_socket asked;

/* What it comes to; the bytes lie at the very end of their memory. */
static int take(size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);
	int err;

	if (!copy)
		abort();
	memcpy(copy, answer, size);
	facts_nothing(&sample);
	asked = (struct tcpstate_socket){ .inode = 1 };
	err = tcpstate_decode_answer(copy, size, &asked, &sample, FACTS_SENDER);
	free(copy);
	return err;
}

static void test_a_whole_answer(void)
{
	const double *value = sample.value[FACTS_SENDER];

	make_answer();
	CHECK_EQ(take(answer_size), 0);
	CHECK_EQ_U(asked.inode, 4711);
	CHECK(asked.has_cookie && asked.cookie[0] == 12 && asked.cookie[1] == 34);
	CHECK_NEAR(value[FACT_RCVBUF], 131072, 0);
	CHECK_NEAR(value[FACT_SNDBUF], 16384, 0);
	CHECK_NEAR(value[FACT_WMEM_QUEUED], 5, 0);
	CHECK_NEAR(value[FACT_DROPS], 8, 0);
	CHECK_STR(sample.congestion[FACTS_SENDER], "cubic");
	CHECK_STR(sample.congestion[FACTS_RECEIVER], "");
	CHECK(!isnan(value[FACT_RTOS]) && isnan(value[FACT_RUN]));
	/* What lies behind the message is not of it. */
	CHECK_EQ(take(ROOM), 0);
	CHECK(!isnan(value[FACT_RTOS]));
}

/* Cut by the reader, whose header then promises too much; and by the kernel. */
static void test_cut_answers(void)
{
	const double *value = sample.value[FACTS_SENDER];

	make_answer();
	for (size_t size = 0; size < answer_size; size++) {
		CHECK_EQ(take(size), EPROTO);
		CHECK(values_known(&sample) == 0 && !asked.has_cookie && asked.inode == 1);
	}
	for (size_t size = 0; size <= answer_size; size++) {
		int err;

		put_header(SOCK_DIAG_BY_FAMILY, size);
		err = take(size);
		CHECK_EQ(err, size < NLMSG_HDRLEN + sizeof(struct inet_diag_msg) ? EPROTO : 0);
		CHECK_EQ(!isnan(value[FACT_SNDBUF]), size >= memory_end);
		CHECK_EQ(*sample.congestion[FACTS_SENDER] != '\0', size >= name_end);
		CHECK_EQ(!isnan(value[FACT_CWND]), size >= info_end);
	}
}

static int take_error(int error, size_t size)
{
	put_header(NLMSG_ERROR, NLMSG_HDRLEN + size);
	memcpy(answer + NLMSG_HDRLEN, &error, sizeof(error));
	return take(NLMSG_HDRLEN + size);
}

static void test_errors(void)
{
	static const int errors[] = { ENOENT, ESTALE, EPERM, EACCES, EOPNOTSUPP, EINVAL, 4095 };

	for (size_t i = 0; i < COUNT(errors); i++) {
		CHECK_EQ(take_error(-errors[i], sizeof(struct nlmsgerr)), errors[i]);
		CHECK_EQ(take_error(-errors[i], 4), errors[i]);
		CHECK_EQ(take_error(-errors[i], 3), EPROTO);
		CHECK_EQ(take_error(errors[i], 4), EPROTO);
	}
	CHECK_EQ(take_error(0, 4), EPROTO);
	CHECK_EQ(take_error(-4096, 4), EPROTO);
	CHECK_EQ(take_error(-2147483647 - 1, 4), EPROTO);
	CHECK(values_known(&sample) == 0 && !asked.has_cookie && asked.inode == 1);
	make_answer();
	put_header(NLMSG_DONE, answer_size);
	CHECK_EQ(take(answer_size), EPROTO);
	put_header(0, answer_size);
	CHECK_EQ(take(answer_size), EPROTO);
	put_header(SOCK_DIAG_BY_FAMILY, 0xffffffff);
	CHECK_EQ(take(answer_size), EPROTO);
	put_header(SOCK_DIAG_BY_FAMILY, 15);
	CHECK_EQ(take(answer_size), EPROTO);
	CHECK_EQ(values_known(&sample), 0);
}

/* TIME_WAIT: a socket, but no state. */
static void test_without_attributes(void)
{
	make_answer();
	answer_size = NLMSG_HDRLEN + sizeof(struct inet_diag_msg);
	put_header(SOCK_DIAG_BY_FAMILY, answer_size);
	CHECK_EQ(take(answer_size), 0);
	CHECK(values_known(&sample) == 0 && asked.has_cookie);
	CHECK_STR(sample.congestion[FACTS_SENDER], "");
}

static void test_odd_attributes(void)
{
	static const unsigned short lengths[] = { 0, 1, 3, 500, 0xffff };
	const size_t first = NLMSG_HDRLEN + sizeof(struct inet_diag_msg);
	const double *value = sample.value[FACTS_SENDER];
	char name[40];

	/* A length that cannot be ends the list; there is no way to go on. */
	for (size_t i = 0; i < COUNT(lengths); i++) {
		make_answer();
		memcpy(answer + first, &lengths[i], sizeof(lengths[i]));
		CHECK_EQ(take(answer_size), 0);
		CHECK_EQ(values_known(&sample), 0);
	}
	/* None of 4 bytes, which is empty. */
	make_answer();
	answer_size = first;
	put_attribute(INET_DIAG_INFO, "", 0);
	put_attribute(INET_DIAG_CONG, "", 0);
	put_attribute(INET_DIAG_SKMEMINFO, "", 0);
	put_header(SOCK_DIAG_BY_FAMILY, answer_size);
	CHECK_EQ(take(answer_size), 0);
	CHECK_EQ(values_known(&sample), 0);
	/* Half a number, and a name without end, or too long. */
	answer_size = first;
	put_attribute(INET_DIAG_SKMEMINFO, "abcdefgh", 7);
	memset(name, 'n', sizeof(name));
	put_attribute(INET_DIAG_CONG, name, sizeof(name));
	put_attribute(INET_DIAG_INFO, name, 11);
	/* The flags of nested ones are no part of the type. */
	put_attribute(INET_DIAG_SKMEMINFO | NLA_F_NESTED, "\1\0\0\0\2\0\0\0", 8);
	put_header(SOCK_DIAG_BY_FAMILY, answer_size);
	CHECK_EQ(take(answer_size), 0);
	CHECK_NEAR(value[FACT_RCVBUF], number_at((const unsigned char *)"\2\0\0\0", 0, 4), 0);
	CHECK(isnan(value[FACT_SNDBUF]) && isnan(value[FACT_RTO]));
	CHECK_EQ(strlen(sample.congestion[FACTS_SENDER]), FACTS_NAME - 1);
	CHECK_EQ(values_known(&sample), 5);
}

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
	return xorshift(&random_state);
}

/* Whatever comes: an error or a sane sample, and no byte read outside. */
static void test_mutations(void)
{
	unsigned char whole[ROOM];
	size_t size, bad = 0, taken = 0;

	make_answer();
	size = answer_size;
	memcpy(whole, answer, sizeof(whole));
	for (int i = 0; i < 100000; i++) {
		size_t length = next_random() % 4 ? size : next_random() % (size + 1);
		int err;

		memcpy(answer, whole, sizeof(answer));
		for (uint64_t n = next_random() % 6; n > 0; n--) {
			size_t at = next_random() % (next_random() % 2 ? size : 150);

			answer[at] = (unsigned char)(next_random() % 3 ? next_random()
								       : next_random() % 8);
		}
		if (next_random() % 2)
			put_header(SOCK_DIAG_BY_FAMILY, length);
		err = take(length);
		taken += err == 0;
		bad += err < 0 || err >= 4096 ||
		       !memchr(sample.congestion[FACTS_SENDER], '\0', FACTS_NAME);
		for (int fact = 0; fact < FACTS; fact++) {
			double x = sample.value[FACTS_SENDER][fact];

			bad += (!isnan(x) && !(x >= 0 && x < 0x1p65)) ||
			       !isnan(sample.value[FACTS_RECEIVER][fact]);
		}
	}
	CHECK_EQ(bad, 0);
	CHECK(taken > 10000);
}

/* ---- connections of our own ---- */

struct pair {
	int a, b; /* connected from a, accepted at b */
	struct sock_address a_address, b_address;
	struct tcpstate_socket socket; /* b's, as a asks for it */
};

/* -1: no such address here. */
static int listen_there(const char *host, struct sock_address *address, struct sock_cause *cause)
{
	int listener = -1;

	if (sock_resolve(host, 0, address, 1, cause) == 1)
		listener = socket(address->sa.ss_family, SOCK_STREAM, 0);
	if (listener >= 0 &&
	    (bind(listener, (const struct sockaddr *)&address->sa, address->length) ||
	     listen(listener, 4))) {
		close(listener);
		return -1;
	}
	if (listener >= 0)
		sock_address_local(listener, address);
	return listener;
}

/* From that port, 0 for any.  -1 with errno. */
static int connect_there(struct pair *pair, int listener, const struct sock_address *to,
			 unsigned int port)
{
	struct sockaddr_in from = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int on = 1;

	from.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*pair = (struct pair){ .a = socket(to->sa.ss_family, SOCK_STREAM, 0) };
	if (pair->a < 0)
		return -1;
	setsockopt(pair->a, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if ((port && bind(pair->a, (struct sockaddr *)&from, sizeof(from))) ||
	    connect(pair->a, (const struct sockaddr *)&to->sa, to->length)) {
		close(pair->a);
		return -1;
	}
	pair->b = accept(listener, NULL, NULL);
	sock_address_local(pair->a, &pair->a_address);
	sock_address_peer(pair->a, &pair->b_address);
	pair->socket = (struct tcpstate_socket){ .local = &pair->b_address,
						 .remote = &pair->a_address };
	return pair->b < 0 ? -1 : 0;
}

static void close_hard(int fd)
{
	struct linger hard = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(fd);
}

static void close_pair(struct pair *pair)
{
	close_hard(pair->a);
	close_hard(pair->b);
}

static int move(struct pair *pair, size_t size)
{
	static char bytes[20000];

	if (send(pair->b, bytes, size, 0) != (ssize_t)size)
		return -1;
	return recv(pair->a, bytes, size, MSG_WAITALL) == (ssize_t)size ? 0 : -1;
}

/* Both ways of asking must agree on what does not change meanwhile. */
static void check_agreement(int door, struct pair *pair)
{
	struct facts_sample before, after;
	int steady = 0;

	facts_nothing(&before);
	facts_nothing(&after);
	facts_nothing(&sample);
	NEED(tcpstate_ask_own(pair->b, &before, FACTS_SENDER) == 0);
	NEED(tcpstate_ask(door, &pair->socket, &sample, FACTS_SENDER) == 0);
	NEED(tcpstate_ask_own(pair->b, &after, FACTS_SENDER) == 0);
	for (int fact = 0; fact < FACTS; fact++) {
		double x = before.value[FACTS_SENDER][fact], y = after.value[FACTS_SENDER][fact];

		CHECK_EQ(isnan(x), isnan(sample.value[FACTS_SENDER][fact]));
		if (isnan(x) || x < y || y < x)
			continue;
		steady++;
		CHECK_NEAR(sample.value[FACTS_SENDER][fact], x, 0);
	}
	CHECK(steady >= 20);
	CHECK_STR(sample.congestion[FACTS_SENDER], before.congestion[FACTS_SENDER]);
	CHECK(*sample.congestion[FACTS_SENDER]);
	CHECK(sample.time_s[FACTS_SENDER] >= before.time_s[FACTS_SENDER] &&
	      sample.time_s[FACTS_SENDER] <= after.time_s[FACTS_SENDER]);
	CHECK(isnan(sample.time_s[FACTS_RECEIVER]));
}

/* A door that answers, or the reason why not. */
static int open_door(const char **why)
{
	int door = tcpstate_open();

	*why = door < 0 ? strerror(errno) : NULL;
	return door;
}

static int cannot_tell(int err)
{
	return err == ENOSYS || err == EOPNOTSUPP || err == EPERM || err == EACCES;
}

static void ask_live(const char *host)
{
	struct sock_address address;
	struct sock_cause cause;
	struct pair pair;
	const char *why;
	int door, listener, asked_all;
	uint64_t acked = 0;
	uint32_t cookie[2];

	door = open_door(&why);
	if (door < 0)
		TEST_SKIP(why);
	listener = listen_there(host, &address, &cause);
	if (listener < 0)
		TEST_SKIP("no such address here");
	NEED(connect_there(&pair, listener, &address, 0) == 0);
	facts_nothing(&sample);
	asked_all = tcpstate_ask(door, &pair.socket, &sample, FACTS_SENDER);
	if (asked_all && cannot_tell(errno))
		TEST_SKIP("sock_diag may not be asked here");
	CHECK_EQ(asked_all, 0);
	CHECK(pair.socket.has_cookie && pair.socket.inode > 0);
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_BYTES_SENT], 0, 0);
	memcpy(cookie, pair.socket.cookie, sizeof(cookie));
	NEED(move(&pair, 12345) == 0);
	facts_nothing(&sample);
	CHECK_EQ(tcpstate_ask(door, &pair.socket, &sample, FACTS_SENDER), 0);
	/* The end that sends, not ours. */
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_BYTES_SENT], 12345, 0);
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_BYTES_RECEIVED], 0, 0);
	CHECK(memcmp(cookie, pair.socket.cookie, sizeof(cookie)) == 0);
	check_agreement(door, &pair);
	for (int i = 0; i < 200 && acked < 12345; i++) {
		CHECK_EQ(tcpstate_bytes_acked(pair.b, &acked), 0);
		usleep(10000);
	}
	CHECK_EQ_U(acked, 12345);
	close_pair(&pair);
	facts_nothing(&sample);
	CHECK_EQ(tcpstate_ask(door, &pair.socket, &sample, FACTS_SENDER), -1);
	CHECK(errno == ENOENT || errno == ESTALE);
	CHECK(values_known(&sample) == 0 && isnan(sample.time_s[FACTS_SENDER]));
	close(listener);
	close(door);
}

static void test_ipv4(void)
{
	ask_live("127.0.0.1");
}

static void test_ipv6(void)
{
	ask_live("::1");
}

static void test_v4_mapped(void)
{
	ask_live("::ffff:127.0.0.1");
}

/* The same four numbers, another connection. */
static void test_a_port_used_again(void)
{
	struct sock_address address;
	struct sock_cause cause;
	struct tcpstate_socket old;
	struct pair pair;
	const char *why;
	unsigned int port;
	int door = open_door(&why), listener, asked_first;

	if (door < 0)
		TEST_SKIP(why);
	listener = listen_there("127.0.0.1", &address, &cause);
	NEED(listener >= 0 && connect_there(&pair, listener, &address, 0) == 0);
	facts_nothing(&sample);
	asked_first = tcpstate_ask(door, &pair.socket, &sample, FACTS_SENDER);
	if (asked_first && cannot_tell(errno))
		TEST_SKIP("sock_diag may not be asked here");
	NEED(asked_first == 0);
	old = pair.socket;
	port = sock_address_port(&pair.a_address);
	close_pair(&pair);
	NEED(connect_there(&pair, listener, &address, port) == 0);
	old.local = &pair.b_address;
	old.remote = &pair.a_address;
	facts_nothing(&sample);
	CHECK_EQ(tcpstate_ask(door, &old, &sample, FACTS_SENDER), -1);
	CHECK(errno == ENOENT || errno == ESTALE);
	CHECK_EQ(values_known(&sample), 0);
	CHECK_EQ(tcpstate_ask(door, &pair.socket, &sample, FACTS_SENDER), 0);
	CHECK(memcmp(old.cookie, pair.socket.cookie, sizeof(old.cookie)) != 0);
	close_pair(&pair);
	close(listener);
	close(door);
}

/* Sockets that have nothing of this. */
static void test_no_tcp(void)
{
	struct sock_address unix_address = { .sa.ss_family = AF_UNIX };
	struct tcpstate_socket socket = { .local = &unix_address, .remote = &unix_address };
	uint64_t acked = 4;
	int pair[2], door = tcpstate_open();

	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	facts_nothing(&sample);
	CHECK_EQ(tcpstate_ask_own(pair[0], &sample, FACTS_SENDER), -1);
	CHECK_EQ(tcpstate_ask_own(-1, &sample, FACTS_SENDER), -1);
	CHECK_EQ(tcpstate_bytes_acked(pair[0], &acked), -1);
	CHECK_EQ(tcpstate_ask(door, &socket, &sample, FACTS_SENDER), -1);
	CHECK_EQ(errno, EAFNOSUPPORT);
	CHECK_EQ(values_known(&sample), 0);
	close(pair[0]);
	close(pair[1]);
	if (door >= 0)
		close(door);
}

/* Without a door: an error, and no wait. */
static void test_no_door(void)
{
	struct sock_address any = { .sa.ss_family = AF_INET, .length = 16 };
	struct tcpstate_socket socket = { .local = &any, .remote = &any };

	facts_nothing(&sample);
	CHECK_EQ(tcpstate_ask(-1, &socket, &sample, FACTS_SENDER), -1);
	CHECK_EQ(errno, EBADF);
	CHECK_EQ(values_known(&sample), 0);
}

static void run_linux(void)
{
	RUN(test_offsets);
	RUN(test_bits);
	RUN(test_a_whole_answer);
	RUN(test_cut_answers);
	RUN(test_errors);
	RUN(test_without_attributes);
	RUN(test_odd_attributes);
	RUN(test_mutations);
	RUN(test_ipv4);
	RUN(test_ipv6);
	RUN(test_v4_mapped);
	RUN(test_a_port_used_again);
	RUN(test_no_tcp);
	RUN(test_no_door);
}
#else
/* Another system: an error each, and nothing known. */
static void test_not_here(void)
{
	struct tcpstate_socket socket = { 0 };
	uint64_t acked;

	facts_nothing(&sample);
	CHECK_EQ(tcpstate_is_here(), 0);
	CHECK_EQ(tcpstate_open(), -1);
	CHECK_EQ(errno, ENOSYS);
	CHECK_EQ(tcpstate_bytes_acked(0, &acked), -1);
	CHECK_EQ(tcpstate_ask(0, &socket, &sample, FACTS_SENDER), -1);
	CHECK_EQ(tcpstate_ask_own(0, &sample, FACTS_SENDER), -1);
	CHECK_EQ(tcpstate_decode_answer("", 0, &socket, &sample, FACTS_SENDER), ENOSYS);
	CHECK_EQ(values_known(&sample), 0);
}

static void run_linux(void)
{
	RUN(test_not_here);
}
#endif

int main(void)
{
	RUN(test_every_length);
	RUN(test_none);
	run_linux();
	return test_end();
}
