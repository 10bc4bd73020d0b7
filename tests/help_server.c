/*
 * help_server -4 | -6 [-p PORT] [-n BYTES] [-r SECONDS] [-N]
 *
 * A foreign server on one address family only: print "port=N", then serve
 * one connection after another with zeros until the client leaves; -n: at
 * most BYTES, then close; -r: reset the connection after SECONDS; -N:
 * never accept.
 */
#include <poll.h>
#include "help.h"

static char zeros[65536];

static int listen_on(int family, const char *port)
{
	struct help_address a;
	int fd, on = 1;

	help_resolve(family == AF_INET ? "127.0.0.1" : "::1", port, &a);
	fd = socket(family, SOCK_STREAM, 0);
	if (fd < 0)
		err(1, "socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&a.addr, a.len) < 0)
		err(1, "bind");
	if (listen(fd, 8) < 0)
		err(1, "listen");
	a.len = sizeof(a.addr);
	if (getsockname(fd, (struct sockaddr *)&a.addr, &a.len) < 0)
		err(1, "getsockname");
	if (family == AF_INET)
		printf("port=%d\n", ntohs(((struct sockaddr_in *)&a.addr)->sin_port));
	else
		printf("port=%d\n", ntohs(((struct sockaddr_in6 *)&a.addr)->sin6_port));
	fflush(stdout);
	return fd;
}

static void serve(int fd, double bytes, double reset_after)
{
	double start = help_now();
	double sent = 0;

	while (sent < bytes) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		size_t room = sizeof(zeros);
		ssize_t n;

		if (bytes - sent < (double)room)
			room = (size_t)(bytes - sent);
		if (poll(&p, 1, 10) > 0) {
			n = send(fd, zeros, room, MSG_DONTWAIT);
			if (n < 0 && errno != EAGAIN)
				break;
			if (n > 0)
				sent += (double)n;
		}
		if (reset_after > 0 && help_now() - start >= reset_after) {
			help_reset_on_close(fd);
			break;
		}
	}
	close(fd);
}

int main(int argc, char **argv)
{
	double bytes = 1e18, reset_after = 0;
	int c, fd, family = AF_INET, never = 0;
	const char *port = "0";

	signal(SIGPIPE, SIG_IGN);
	while ((c = getopt(argc, argv, "46p:n:r:N")) != -1) {
		switch (c) {
		case '4': family = AF_INET; break;
		case '6': family = AF_INET6; break;
		case 'p': port = optarg; break;
		case 'n': bytes = help_number(optarg); break;
		case 'r': reset_after = help_number(optarg); break;
		case 'N': never = 1; break;
		default: return 2;
		}
	}
	fd = listen_on(family, port);
	while (never)
		pause();
	for (;;) {
		int conn = accept(fd, NULL, NULL);

		if (conn >= 0)
			serve(conn, bytes, reset_after);
		else if (errno != EINTR && errno != ECONNABORTED)
			err(1, "accept");
	}
}
