/*
 * A library to preload: every TCP socket that connects loses SHIM_LOSS
 * percent (10) of the segments that come to it, those of less than 100 bytes
 * excepted, so that it still connects.  The filter is of the socket itself and
 * needs no privilege: to the sender it is a path that drops.
 */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/filter.h>
#include <stdint.h>
#include <stdlib.h>

#define SMALL 100

static void lose(int fd)
{
	const char *percent = getenv("SHIM_LOSS");
	uint32_t below = (uint32_t)(UINT32_MAX / 100. * (percent ? strtod(percent, NULL) : 10));
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, SMALL, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_RANDOM)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, below, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX), /* keep all of it */
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };
	int kind = 0;
	socklen_t length = sizeof(kind);

	/* What it cannot do the test finds out: nothing is lost then. */
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &length) == 0 && kind == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
}

/* The shim's own, under another name, so that libc's stays declared as is. */
int shim_connect(int fd, const struct sockaddr *address, socklen_t length) __asm__("connect");

int shim_connect(int fd, const struct sockaddr *address, socklen_t length)
{
	if (address->sa_family == AF_INET || address->sa_family == AF_INET6)
		lose(fd);
	return (int)syscall(SYS_connect, fd, address, length);
}
#endif
