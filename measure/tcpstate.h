/*
 * tcpstate: what the kernel knows of a TCP connection, and the only user of
 * <linux/tcp.h>.
 *
 * tcp_info has a length: a field beyond what this kernel returns is unknown,
 * not 0.  Asking takes the socket's lock and so waits for a write in progress:
 * ask rarely.
 */
#ifndef MEASURE_TCPSTATE_H
#define MEASURE_TCPSTATE_H

#include <stdint.h>

/*
 * Bytes of fd that the peer has acknowledged (tcpi_bytes_acked, RFC 4898
 * tcpEStatsAppHCThruOctetsAcked).  -1 where it cannot be known: not TCP,
 * another system, an older kernel.
 */
int tcpstate_bytes_acked(int fd, uint64_t *bytes);

#endif
