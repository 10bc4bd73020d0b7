/* The loopback interface: see hostlo.h. */
#include "hostlo.h"

#define UNKNOWN \
	{ \
		.mtu = -1, .tso = -1, .gso = -1, .gro = -1 \
	}

#if defined(__linux__) && !defined(SOCKLIB_PORTABLE)
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>

#define NAME "lo"
#define ANSWER_SIZE 32768 /* that of a link takes 1 to 2 kB */

struct link_request {
	struct nlmsghdr header;
	struct ifinfomsg link;
};

union answer {
	struct nlmsghdr header;
	char bytes[ANSWER_SIZE];
};

/* The answer is there when send() returns, so nothing is waited for. */
static int ask_link(union answer *answer, size_t *length)
{
	struct link_request request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_type = RTM_GETLINK,
			    .nlmsg_flags = NLM_F_REQUEST },
		.link = { .ifi_family = AF_UNSPEC, .ifi_index = (int)if_nametoindex(NAME) },
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (send(fd, &request, sizeof(request), 0) == (ssize_t)sizeof(request))
		n = recv(fd, answer, sizeof(*answer), MSG_DONTWAIT);
	close(fd);
	if (n < (ssize_t)NLMSG_LENGTH(sizeof(struct ifinfomsg)) ||
	    answer->header.nlmsg_type != RTM_NEWLINK || answer->header.nlmsg_len > (size_t)n)
		return -1;
	*length = answer->header.nlmsg_len;
	return 0;
}

static void take_attribute(struct hostlo *lo, unsigned int type, const char *data, size_t size)
{
	unsigned int mtu;

	if (type == IFLA_MTU && size >= sizeof(mtu)) {
		memcpy(&mtu, data, sizeof(mtu));
		lo->mtu = (long)mtu;
	} else if (type == IFLA_QDISC) {
		snprintf(lo->qdisc, sizeof(lo->qdisc), "%.*s", (int)size, data);
	}
}

static void read_link(struct hostlo *lo)
{
	union answer answer;
	struct rtattr attribute;
	size_t length, at = NLMSG_LENGTH(sizeof(struct ifinfomsg));

	if (ask_link(&answer, &length))
		return;
	while (at + sizeof(attribute) <= length) {
		memcpy(&attribute, answer.bytes + at, sizeof(attribute));
		if (attribute.rta_len < sizeof(attribute) || attribute.rta_len > length - at)
			return;
		take_attribute(lo, attribute.rta_type, answer.bytes + at + sizeof(attribute),
			       attribute.rta_len - sizeof(attribute));
		at += RTA_ALIGN(attribute.rta_len);
	}
}

static int read_offload(int fd, unsigned int command)
{
	struct ethtool_value value = { .cmd = command };
	struct ifreq request = { .ifr_name = NAME };

	request.ifr_data = (void *)&value;
	return ioctl(fd, SIOCETHTOOL, &request) ? -1 : value.data != 0;
}

void hostlo_read(struct hostlo *lo)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*lo = (struct hostlo)UNKNOWN;
	read_link(lo);
	if (fd < 0)
		return;
	lo->tso = read_offload(fd, ETHTOOL_GTSO);
	lo->gso = read_offload(fd, ETHTOOL_GGSO);
	lo->gro = read_offload(fd, ETHTOOL_GGRO);
	close(fd);
}

#else

void hostlo_read(struct hostlo *lo)
{
	*lo = (struct hostlo)UNKNOWN;
}
#endif
