/*
 * help_noipv6 netns | off | absent COMMAND [ARGUMENT]...
 *
 * Run COMMAND where the network is a namespace of its own with only lo:
 *   netns    as it is
 *   off      IPv6 switched off by sysctl: ::1 cannot be bound
 * or on this network, but
 *   absent   as under a kernel without IPv6: socket() says EAFNOSUPPORT
 * Exit 125 and a reason when that is not permitted here.
 */
#ifdef __linux__
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#include "help.h"

#ifdef __linux__

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(125, "%s", path);
	close(fd);
}

static void new_network(void)
{
	struct ifreq lo;
	int fd;

	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		err(125, "a network namespace is not permitted");
	memset(&lo, 0, sizeof(lo));
	strcpy(lo.ifr_name, "lo");
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &lo) < 0)
		err(125, "lo");
	lo.ifr_flags = (short)(lo.ifr_flags | IFF_UP);
	if (ioctl(fd, SIOCSIFFLAGS, &lo) < 0)
		err(125, "lo up");
	close(fd);
}

static void deny_ipv6(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {
		.len = sizeof(code) / sizeof(code[0]),
		.filter = code,
	};
	int fd;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		err(125, "seccomp");
	fd = socket(AF_INET6, SOCK_STREAM, 0);
	if (fd >= 0 || errno != EAFNOSUPPORT)
		errx(125, "seccomp has no effect");
}

static void prepare(const char *how)
{
	if (strcmp(how, "netns") == 0) {
		new_network();
	} else if (strcmp(how, "off") == 0) {
		new_network();
		write_file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
	} else if (strcmp(how, "absent") == 0) {
		deny_ipv6();
	} else {
		errx(2, "neither netns nor off nor absent: \"%s\"", how);
	}
}

#else

static void prepare(const char *how)
{
	errx(125, "%s: needs Linux", how);
}

#endif

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: help_noipv6 netns | off | absent COMMAND");
	prepare(argv[1]);
	execvp(argv[2], argv + 2);
	err(127, "%s", argv[2]);
}
