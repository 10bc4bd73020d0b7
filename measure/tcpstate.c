/* The kernel's view of a connection: see tcpstate.h. */
#include "tcpstate.h"

#if defined(__linux__) && !defined(SOCKLIB_PORTABLE)
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

int tcpstate_bytes_acked(int fd, uint64_t *bytes)
{
	struct tcp_info info;
	socklen_t length = sizeof(info);
	const size_t needed = offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof(*bytes);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) || length < needed)
		return -1;
	*bytes = info.tcpi_bytes_acked;
	return 0;
}
#else
int tcpstate_bytes_acked(int fd, uint64_t *bytes)
{
	(void)fd;
	(void)bytes;
	return -1;
}
#endif
