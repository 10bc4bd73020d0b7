/*
 * help_paced [-o FILE] SCHEDULE...
 *
 * A source of known speed on 127.0.0.1: print "port=N", then serve every
 * connection, several at once, in a child.  SCHEDULE is MB/s from the start
 * of a connection, and further ones from a time on: "10", "10,2@0.8" (2 from
 * 0.8 s on), "5,0@1,5@1.6" (a stall).  The first connection takes the first
 * schedule and so on, around.  -o: a line "NUMBER BYTES SECONDS" for each
 * that has ended, by its own count and clock.
 */
#include <fcntl.h>
#include "help.h"

#define STEPS 64
#define TICK_S 0.002

static struct step {
	double from_s;
	double rate; /* bytes per second */
} steps[STEPS];
static int step_count;

static char zeros[1 << 20];

static void parse_schedule(const char *text)
{
	char *copy = strdup(text), *rest = copy, *part;

	while ((part = strtok_r(rest, ",", &rest)) != NULL) {
		char *at = strchr(part, '@');

		if (step_count == STEPS || (step_count > 0) != (at != NULL))
			errx(2, "no schedule: \"%s\"", text);
		if (at)
			*at++ = '\0';
		steps[step_count].rate = help_number(part) * 1e6;
		steps[step_count++].from_s = at ? help_number(at) : 0;
	}
	free(copy);
	if (step_count == 0)
		errx(2, "no schedule: \"%s\"", text);
}

/* Bytes that are due so long after the start. */
static double due(double at_s)
{
	double sum = 0;

	for (int i = 0; i < step_count && steps[i].from_s < at_s; i++) {
		double end = i + 1 < step_count && steps[i + 1].from_s < at_s ? steps[i + 1].from_s
									      : at_s;

		sum += steps[i].rate * (end - steps[i].from_s);
	}
	return sum;
}

static void serve(int fd, int number, const char *log)
{
	double start = help_now(), sent = 0;
	ssize_t n = 0;

	signal(SIGPIPE, SIG_IGN);
	while (n >= 0) {
		double left = due(help_now() - start) - sent;

		if (left < 1) {
			char none;

			help_sleep(TICK_S);
			/* A sink that has left sends its end or a reset. */
			n = recv(fd, &none, 1, MSG_DONTWAIT);
			n = n == 0 || (n < 0 && errno != EAGAIN) ? -1 : 0;
			continue;
		}
		n = write(fd, zeros, left < sizeof(zeros) ? (size_t)left : sizeof(zeros));
		sent += n > 0 ? (double)n : 0;
	}
	if (log) {
		char line[128];
		int out = open(log, O_WRONLY | O_APPEND | O_CREAT, 0666);

		n = snprintf(line, sizeof(line), "%d %.0f %.6f\n", number, sent,
			     help_now() - start);
		if (out < 0 || write(out, line, (size_t)n) != n)
			err(1, "%s", log);
	}
	_exit(0);
}

static int listen_here(void)
{
	struct help_address a;
	int fd;

	help_resolve("127.0.0.1", "0", &a);
	fd = socket(a.family, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a.addr, a.len) < 0 || listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a.addr, &a.len) < 0)
		err(1, "listen");
	printf("port=%d\n", ntohs(((struct sockaddr_in *)&a.addr)->sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	const char *log = NULL;
	int c, listener;

	while ((c = getopt(argc, argv, "o:")) != -1) {
		if (c != 'o')
			return 2;
		log = optarg;
	}
	if (optind == argc)
		errx(2, "no schedule");
	signal(SIGCHLD, SIG_IGN);
	listener = listen_here();
	for (int number = 1;; number++) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			err(1, "accept");
		step_count = 0;
		parse_schedule(argv[optind + (number - 1) % (argc - optind)]);
		if (fork() == 0) {
			close(listener);
			serve(fd, number, log);
		}
		close(fd);
	}
}
