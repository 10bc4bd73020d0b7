/*
 * A library to preload: a kernel whose struct tcp_info has 104 bytes, as
 * Linux had before 3.15 and others that offer it may have; both where a
 * program asks for its own socket, getsockopt(2), and in what sock_diag(7)
 * answers about others'.
 */
#if defined(__linux__)
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#endif
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORT 104
#define IPPROTO_TCP_ 6
#define TCP_INFO_ 11

/* The shim's own, under other names, so that libc's stay declared as is. */
int shim_getsockopt(int fd, int level, int name, void *value,
		    socklen_t *length) __asm__("getsockopt");
ssize_t shim_recv(int fd, void *bytes, size_t size, int flags) __asm__("recv");
ssize_t shim_recvfrom(int fd, void *bytes, size_t size, int flags, struct sockaddr *from,
		      socklen_t *length) __asm__("recvfrom");
ssize_t shim_recvmsg(int fd, struct msghdr *message, int flags) __asm__("recvmsg");

#if defined(SYS_getsockopt) && defined(SYS_recvfrom) && defined(SYS_recvmsg)

int shim_getsockopt(int fd, int level, int name, void *value, socklen_t *length)
{
	int ret = (int)syscall(SYS_getsockopt, fd, level, name, value, length);

	if (ret == 0 && level == IPPROTO_TCP_ && name == TCP_INFO_ && *length > SHORT) {
		memset((char *)value + SHORT, 0, *length - SHORT);
		*length = SHORT;
	}
	return ret;
}

static int is_netlink(int fd)
{
	int domain = 0;
	socklen_t length = sizeof(domain);

	return syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 &&
	       domain == AF_NETLINK;
}

static size_t aligned(size_t size)
{
	return (size + NLA_ALIGNTO - 1) & ~(size_t)(NLA_ALIGNTO - 1);
}

/* Take out of an answer what a short tcp_info would not have; its new size. */
static size_t shorten(unsigned char *answer, size_t size)
{
	size_t at = NLMSG_HDRLEN + sizeof(struct inet_diag_msg);
	struct nlmsghdr header;
	struct nlattr attribute;

	if (size < at)
		return size;
	memcpy(&header, answer, sizeof(header));
	if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || header.nlmsg_len > size)
		return size;
	for (; at + sizeof(attribute) <= size; at += aligned(attribute.nla_len)) {
		size_t data = at + sizeof(attribute), surplus;

		memcpy(&attribute, answer + at, sizeof(attribute));
		if (attribute.nla_len < sizeof(attribute) || at + attribute.nla_len > size)
			break;
		if (attribute.nla_type != INET_DIAG_INFO ||
		    attribute.nla_len <= sizeof(attribute) + SHORT)
			continue;
		surplus = aligned(attribute.nla_len) - sizeof(attribute) - SHORT;
		if (data + SHORT + surplus > size)
			surplus = size - data - SHORT;
		attribute.nla_len = (unsigned short)(sizeof(attribute) + SHORT);
		memcpy(answer + at, &attribute, sizeof(attribute));
		memmove(answer + data + SHORT, answer + data + SHORT + surplus,
			size - data - SHORT - surplus);
		size -= surplus;
	}
	header.nlmsg_len = (unsigned int)size;
	memcpy(answer, &header, sizeof(header));
	return size;
}

ssize_t shim_recvfrom(int fd, void *bytes, size_t size, int flags, struct sockaddr *from,
		      socklen_t *length)
{
	ssize_t n = syscall(SYS_recvfrom, fd, bytes, size, flags, from, length);

	return n > 0 && is_netlink(fd) ? (ssize_t)shorten(bytes, (size_t)n) : n;
}

ssize_t shim_recv(int fd, void *bytes, size_t size, int flags)
{
	return shim_recvfrom(fd, bytes, size, flags, NULL, NULL);
}

ssize_t shim_recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t n = syscall(SYS_recvmsg, fd, message, flags);

	if (n > 0 && is_netlink(fd) && message->msg_iovlen == 1)
		n = (ssize_t)shorten(message->msg_iov->iov_base, (size_t)n);
	return n;
}
#endif
