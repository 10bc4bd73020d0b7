/* The kernel's view of a connection: see tcpstate.h. */
#include "tcpstate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "../socklib.h"
#include "facts.h"

/* ---- struct tcp_info and SK_MEMINFO, by the table ---- */

static double unsigned_at(const unsigned char *from, unsigned int size)
{
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1: memcpy(&one, from, size); return (double)one;
	case 2: memcpy(&two, from, size); return (double)two;
	case 4: memcpy(&four, from, size); return (double)four;
	default: memcpy(&eight, from, size); return (double)eight;
	}
}

/* Where bytes begin with the highest, so do the bit fields in them. */
static double bits_of(double byte, unsigned int shift, unsigned int bits)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	shift = 8 - shift - bits;
#endif
	return (double)((unsigned int)byte >> shift & ((1U << bits) - 1));
}

/* Values that stand for "none": tcp_init_sock() and tcp_get_info() in Linux. */
static double without_none(int fact, double value)
{
	int is_32_bit_most = value > 0xfffffffe && value < 0x100000000;

	switch (fact) {
	case FACT_SSTHRESH: return value >= 0x7fffffff ? NAN : value;
	case FACT_PACING_RATE:
	case FACT_MAX_PACING_RATE: return value >= 0x1p63 || is_32_bit_most ? NAN : value;
	case FACT_MIN_RTT: return is_32_bit_most ? NAN : value;
	default: return value;
	}
}

void tcpstate_decode_info(const void *info, size_t size, double *value)
{
	for (int fact = 0; fact < FACTS; fact++) {
		const struct facts_row *row = &facts_rows[fact];

		if (row->source != FACTS_FROM_TCP_INFO || row->at + row->size > size)
			continue;
		value[fact] = unsigned_at((const unsigned char *)info + row->at, row->size);
		if (row->bits)
			value[fact] = bits_of(value[fact], row->shift, row->bits);
		value[fact] = without_none(fact, value[fact]);
	}
}

#if defined(__linux__) && !defined(SOCKLIB_PORTABLE)
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "clock.h"

#define INFO_MAX 1024		 /* room for a tcp_info of kernels to come */
#define ANSWER_MAX 8192		 /* one socket's answer is below 1 KB */
#define ANSWER_S 2		 /* the request runs within send(): an answer is there */
#define ALL_STATES (~(1U << 10)) /* but TCP_LISTEN, net/tcp_states.h */

static void decode_memory(const void *memory, size_t size, double *value)
{
	for (int fact = 0; fact < FACTS; fact++) {
		const struct facts_row *row = &facts_rows[fact];
		size_t at = row->at * sizeof(uint32_t);

		if (row->source == FACTS_FROM_SKMEMINFO && at + sizeof(uint32_t) <= size)
			value[fact] = unsigned_at((const unsigned char *)memory + at, 4);
	}
}

/* ---- our own sockets ---- */

int tcpstate_is_here(void)
{
	return 1;
}

int tcpstate_bytes_acked(int fd, uint64_t *bytes)
{
	unsigned char info[INFO_MAX];
	socklen_t length = sizeof(info);
	const struct facts_row *row = &facts_rows[FACT_BYTES_ACKED];

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &length) ||
	    length < row->at + sizeof(*bytes))
		return -1;
	memcpy(bytes, info + row->at, sizeof(*bytes));
	return 0;
}

int tcpstate_ask_own(int fd, struct facts_sample *sample, int end)
{
	unsigned char info[INFO_MAX];
	uint32_t memory[SK_MEMINFO_VARS + 8];
	socklen_t length = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &length))
		return -1;
	tcpstate_decode_info(info, length, sample->value[end]);
	sample->time_s[end] = clock_to_seconds(clock_now());
#ifdef SO_MEMINFO
	length = sizeof(memory);
	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &length) == 0)
		decode_memory(memory, length, sample->value[end]);
#endif
	length = FACTS_NAME - 1;
	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, sample->congestion[end], &length))
		sample->congestion[end][0] = '\0';
	return 0;
}

/* ---- others' ---- */

int tcpstate_open(void)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct timeval patience = { .tv_sec = ANSWER_S };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&kernel, sizeof(kernel)) == 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

struct request {
	struct nlmsghdr header;
	struct inet_diag_req_v2 diag;
};

/* Port and address of one side; both in network order, as in the sockaddr. */
static int put_address(const struct sock_address *address, __be16 *port, __be32 *where,
		       struct request *request)
{
	const struct sockaddr_in *four = (const void *)&address->sa;
	const struct sockaddr_in6 *six = (const void *)&address->sa;

	request->diag.sdiag_family = (__u8)address->sa.ss_family;
	if (address->sa.ss_family == AF_INET) {
		*port = four->sin_port;
		memcpy(where, &four->sin_addr, sizeof(four->sin_addr));
	} else if (address->sa.ss_family == AF_INET6) {
		*port = six->sin6_port;
		memcpy(where, &six->sin6_addr, sizeof(six->sin6_addr));
		if (six->sin6_scope_id)
			request->diag.id.idiag_if = six->sin6_scope_id;
	} else {
		errno = EAFNOSUPPORT;
		return -1;
	}
	return 0;
}

static int make_request(const struct tcpstate_socket *socket, struct request *request)
{
	struct inet_diag_sockid *id = &request->diag.id;

	*request = (struct request){
		.header = { .nlmsg_len = sizeof(*request),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST,
			    .nlmsg_seq = (__u32)clock_now() },
		.diag = { .sdiag_protocol = IPPROTO_TCP,
			  .idiag_ext = 1U << (INET_DIAG_INFO - 1) | 1U << (INET_DIAG_CONG - 1) |
				       1U << (INET_DIAG_SKMEMINFO - 1),
			  .idiag_states = ALL_STATES,
			  .id.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } },
	};
	if (socket->has_cookie)
		memcpy(id->idiag_cookie, socket->cookie, sizeof(socket->cookie));
	if (put_address(socket->local, &id->idiag_sport, id->idiag_src, request))
		return -1;
	return put_address(socket->remote, &id->idiag_dport, id->idiag_dst, request);
}

static void take_attribute(unsigned int type, const void *data, size_t size,
			   struct facts_sample *sample, int end)
{
	double *value = sample->value[end];

	switch (type) {
	case INET_DIAG_INFO: tcpstate_decode_info(data, size, value); break;
	case INET_DIAG_SKMEMINFO: decode_memory(data, size, value); break;
	case INET_DIAG_CONG:
		size = size < FACTS_NAME ? size : FACTS_NAME - 1;
		memcpy(sample->congestion[end], data, size);
		sample->congestion[end][size] = '\0';
		break;
	default: break;
	}
}

static void take_attributes(const unsigned char *from, size_t size, struct facts_sample *sample,
			    int end)
{
	struct nlattr attribute;

	while (size >= sizeof(attribute)) {
		size_t step;

		memcpy(&attribute, from, sizeof(attribute));
		if (attribute.nla_len < sizeof(attribute) || attribute.nla_len > size)
			return;
		take_attribute(attribute.nla_type & (unsigned int)NLA_TYPE_MASK,
			       from + sizeof(attribute), attribute.nla_len - sizeof(attribute),
			       sample, end);
		step = NLA_ALIGN(attribute.nla_len);
		if (step >= size)
			return;
		from += step;
		size -= step;
	}
}

static int error_of(const unsigned char *body, size_t size)
{
	int error = 0;

	if (size >= sizeof(error))
		memcpy(&error, body, sizeof(error));
	return error < 0 && error > -4096 ? -error : EPROTO;
}

int tcpstate_decode_answer(const void *answer, size_t size, struct tcpstate_socket *socket,
			   struct facts_sample *sample, int end)
{
	const unsigned char *body = (const unsigned char *)answer + NLMSG_HDRLEN;
	struct nlmsghdr header;
	struct inet_diag_msg diag;

	if (size < NLMSG_HDRLEN)
		return EPROTO;
	memcpy(&header, answer, sizeof(header));
	if (header.nlmsg_len < NLMSG_HDRLEN || header.nlmsg_len > size)
		return EPROTO;
	size = header.nlmsg_len - NLMSG_HDRLEN;
	if (header.nlmsg_type == NLMSG_ERROR)
		return error_of(body, size);
	if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || size < sizeof(diag))
		return EPROTO;
	memcpy(&diag, body, sizeof(diag));
	memcpy(socket->cookie, diag.id.idiag_cookie, sizeof(socket->cookie));
	socket->has_cookie = 1;
	socket->inode = diag.idiag_inode;
	take_attributes(body + NLMSG_ALIGN(sizeof(diag)), size - NLMSG_ALIGN(sizeof(diag)), sample,
			end);
	return 0;
}

static int is_answer(const void *answer, size_t size, const struct request *request)
{
	struct nlmsghdr header;

	if (size < sizeof(header))
		return 1; /* an answer, if no good one */
	memcpy(&header, answer, sizeof(header));
	return header.nlmsg_seq == request->header.nlmsg_seq;
}

static int ask_once(int door, const struct request *request, struct tcpstate_socket *socket,
		    struct facts_sample *sample, int end)
{
	unsigned char answer[ANSWER_MAX];
	ssize_t n = send(door, request, sizeof(*request), 0);

	if (n < 0)
		return errno;
	/* What a question left behind that was given up is not for this one. */
	do
		n = recv(door, answer, sizeof(answer), 0);
	while ((n < 0 && errno == EINTR) || (n > 0 && !is_answer(answer, (size_t)n, request)));
	if (n < 0)
		return errno;
	return tcpstate_decode_answer(answer, (size_t)n, socket, sample, end);
}

int tcpstate_ask(int door, struct tcpstate_socket *socket, struct facts_sample *sample, int end)
{
	struct request request;
	int err;

	if (make_request(socket, &request))
		return -1;
	err = ask_once(door, &request, socket, sample, end);
	/* One that is bound to a device is found by that device alone. */
	if (err == ENOENT && request.diag.id.idiag_if == 0) {
		request.diag.id.idiag_if = if_nametoindex("lo");
		err = ask_once(door, &request, socket, sample, end);
	}
	/* TIME_WAIT has no tcp_info: what is not there has no time. */
	if (err == 0 && !isnan(sample->value[end][FACT_SND_MSS]))
		sample->time_s[end] = clock_to_seconds(clock_now());
	errno = err;
	return err ? -1 : 0;
}

#else /* no sock_diag */

int tcpstate_is_here(void)
{
	return 0;
}

int tcpstate_bytes_acked(int fd, uint64_t *bytes)
{
	(void)fd;
	(void)bytes;
	return -1;
}

int tcpstate_open(void)
{
	errno = ENOSYS;
	return -1;
}

int tcpstate_ask(int door, struct tcpstate_socket *socket, struct facts_sample *sample, int end)
{
	(void)door;
	(void)socket;
	(void)sample;
	(void)end;
	errno = ENOSYS;
	return -1;
}

int tcpstate_ask_own(int fd, struct facts_sample *sample, int end)
{
	(void)fd;
	(void)sample;
	(void)end;
	errno = ENOSYS;
	return -1;
}

int tcpstate_decode_answer(const void *answer, size_t size, struct tcpstate_socket *socket,
			   struct facts_sample *sample, int end)
{
	(void)answer;
	(void)size;
	(void)socket;
	(void)sample;
	(void)end;
	return ENOSYS;
}
#endif
