/*
 * tcpstate: what the kernel knows of a TCP socket, our own or the peer's on
 * the same host, and the only user of <linux/tcp.h> and sock_diag(7).
 *
 * The peer's socket is asked for by its pair of addresses, which needs no
 * privilege and no protocol; from the first answer on also by its cookie, so
 * that a socket which took over the port later is not mistaken for it.
 *
 * tcp_info has a length: a field beyond what this kernel returns is unknown,
 * not 0.  Asking takes the socket's lock and so waits, uninterruptibly, for a
 * call in progress on it: a sender's large write can hold it for 0.3 s.
 */
#ifndef MEASURE_TCPSTATE_H
#define MEASURE_TCPSTATE_H

#include <stddef.h>
#include <stdint.h>

struct facts_sample;
struct sock_address;

/* 1 on a system that tells any of this. */
int tcpstate_is_here(void);

/*
 * Bytes of fd that the peer has acknowledged (tcpi_bytes_acked, RFC 4898
 * tcpEStatsAppHCThruOctetsAcked).  -1 where it cannot be known: not TCP,
 * another system, an older kernel.
 */
int tcpstate_bytes_acked(int fd, uint64_t *bytes);

/* A socket by its addresses, as the one who owns it sees them. */
struct tcpstate_socket {
	const struct sock_address *local;
	const struct sock_address *remote;
	int has_cookie;
	uint32_t cookie[2];
	uint64_t inode; /* 0: nobody holds it (yet, or any more) */
};

/* A descriptor for tcpstate_ask(), or -1 with errno. */
int tcpstate_open(void);

/*
 * What the kernel knows of the socket, put into that end (enum facts_end) of
 * the sample, which says nothing yet (facts_nothing()).  -1 with errno: ENOENT there is none on
 * this host and in this namespace, ESTALE another has its addresses now,
 * EPERM or EACCES it may not be looked at, ENOSYS or EOPNOTSUPP the kernel
 * cannot tell.
 */
int tcpstate_ask(int door, struct tcpstate_socket *socket, struct facts_sample *sample, int end);

/* The same of a socket of our own, TCP_INFO and SO_MEMINFO.  -1 with errno. */
int tcpstate_ask_own(int fd, struct facts_sample *sample, int end);

/* Of size bytes of a struct tcp_info, into value[FACTS]: what lies within. */
void tcpstate_decode_info(const void *info, size_t size, double *value);

/*
 * One answer of sock_diag, of that many bytes, as tcpstate_ask() gets it.  It
 * may hold anything.  0, or the errno value that it comes to.
 */
int tcpstate_decode_answer(const void *answer, size_t size, struct tcpstate_socket *socket,
			   struct facts_sample *sample, int end);

#endif
