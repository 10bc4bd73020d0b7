/*
 * help_freeport [PORT]
 *
 * Print a port that is free on 127.0.0.1 and, where there is IPv6, on
 * ::1.  With PORT: exit 0 if that one is free on both, else 1.
 */
#include "help.h"

/* Bind without listening: the port found, 0 if taken, -1: no family. */
static int try_bind(const char *host, const char *port, int *fd)
{
	struct help_address a;
	int on = 1;

	help_resolve(host, port, &a);
	*fd = socket(a.family, SOCK_STREAM, 0);
	if (*fd < 0)
		return -1;
	setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(*fd, (struct sockaddr *)&a.addr, a.len) < 0)
		return errno == EADDRINUSE || errno == EACCES ? 0 : -1;
	a.len = sizeof(a.addr);
	if (getsockname(*fd, (struct sockaddr *)&a.addr, &a.len) < 0)
		err(1, "getsockname");
	if (a.family == AF_INET)
		return ntohs(((struct sockaddr_in *)&a.addr)->sin_port);
	return ntohs(((struct sockaddr_in6 *)&a.addr)->sin6_port);
}

int main(int argc, char **argv)
{
	int i, four, six, fd4, fd6;
	char port[16];

	if (argc > 1)
		return try_bind("127.0.0.1", argv[1], &fd4) <= 0 ||
		       try_bind("::1", argv[1], &fd6) == 0;
	for (i = 0; i < 100; i++) {
		four = try_bind("127.0.0.1", "0", &fd4);
		if (four <= 0)
			err(1, "bind 127.0.0.1");
		snprintf(port, sizeof(port), "%d", four);
		six = try_bind("::1", port, &fd6);
		if (six != 0) {
			puts(port);
			return 0;
		}
		close(fd4);
		close(fd6);
	}
	errx(1, "no port is free on both addresses");
}
