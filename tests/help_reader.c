/*
 * help_reader [-n BYTES] [-d SECONDS] [-k BYTES_PER_SECOND] [-P N]
 *             [-s RCVBUF] HOST PORT | PATH
 *
 * A witness that shares no code with the programs: connect (-P: N times),
 * read at the given pace until EOF, BYTES or SECONDS, and print the exact
 * number of bytes and why it ended: "123456 eof".
 */
#include <poll.h>
#include "help.h"

#define MAX_FDS 1024

static struct pollfd fds[MAX_FDS];
static int n_fds = 1;
static char buffer[65536];

static double limit = 1e18, seconds = 1e9, pace;
static double total;
static int ended;

static const char *end_reason(void)
{
	if (errno)
		return strerror(errno);
	return "eof";
}

/* One read of each connection that has data; 0 when nothing is left. */
static int read_ready(const char **why)
{
	int i;

	for (i = 0; i < n_fds; i++) {
		size_t room = sizeof(buffer);
		ssize_t n;

		if (!fds[i].revents)
			continue;
		if (limit - total < (double)room)
			room = (size_t)(limit - total);
		errno = 0;
		n = read(fds[i].fd, buffer, room);
		if (n > 0) {
			total += (double)n;
			if (total >= limit) {
				*why = "limit";
				return 0;
			}
			continue;
		}
		*why = end_reason();
		close(fds[i].fd);
		fds[i].fd = -1;
		if (++ended == n_fds)
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct help_address a;
	const char *why = "time";
	int c, i, rcvbuf = 0;
	double start;

	while ((c = getopt(argc, argv, "n:d:k:P:s:")) != -1) {
		switch (c) {
		case 'n': limit = help_number(optarg); break;
		case 'd': seconds = help_number(optarg); break;
		case 'k': pace = help_number(optarg); break;
		case 'P': n_fds = (int)help_number(optarg); break;
		case 's': rcvbuf = (int)help_number(optarg); break;
		default: return 2;
		}
	}
	if (argc - optind < 1 || n_fds < 1 || n_fds > MAX_FDS)
		errx(2, "usage: help_reader [options] HOST PORT | PATH");
	help_resolve(argv[optind], argv[optind + 1], &a);
	for (i = 0; i < n_fds; i++) {
		fds[i].fd = help_connect(&a, rcvbuf);
		fds[i].events = POLLIN;
	}
	start = help_now();
	for (;;) {
		double left = seconds - (help_now() - start);

		if (left <= 0)
			break;
		if (pace > 0) {
			double ahead = total / pace - (help_now() - start);

			help_sleep(ahead < left ? ahead : left);
			if (ahead >= left)
				break;
		}
		if (poll(fds, (nfds_t)n_fds, left > 1000 ? -1 : (int)(left * 1000) + 1) < 0)
			err(1, "poll");
		if (!read_ready(&why))
			break;
	}
	printf("%.0f %s\n", total, why);
	return 0;
}
