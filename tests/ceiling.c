/*
 * ceiling [-u] [-b SIZE] [-r SIZE] [-d SECONDS] [-S SNDBUF] [-R RCVBUF]
 *         [-C WRITER,READER] [-K CONGESTION_CONTROL]
 *
 * The bare loop, nothing else: fork, connect, write and read, count.  What
 * this does not reach on a machine no program with these calls does: it is
 * the yardstick for the pair.  -u: AF_UNIX instead of TCP; -b, -r: bytes
 * per write and per read (-r: as -b); -S is set before listen(), -R before
 * connect(), -K before listen(); -C: the CPUs of the two ends.  The reader
 * reads until its time is up.  It prints
 *	MB/s  bytes  seconds  CPU seconds of both
 */
#if defined(__linux__)
#define _GNU_SOURCE
#include <sched.h>
#endif
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "help.h"

struct result {
	double bytes;
	double seconds;
};

static size_t write_size = 65536, read_size;
static double duration = 1;
static int sndbuf, rcvbuf;
static const char *congestion;
static int cpus[2] = { -1, -1 };

static volatile sig_atomic_t time_is_up;

static void on_alarm(int sig)
{
	(void)sig;
	time_is_up = 1;
}

static void pin(int cpu)
{
#if defined(__linux__)
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		err(1, "CPU %d", cpu);
#else
	if (cpu >= 0)
		errx(1, "-C needs Linux");
#endif
}

static char *block(size_t size)
{
	char *p = malloc(size);

	if (!p)
		err(1, "%zu bytes", size);
	memset(p, 0, size);
	return p;
}

static int listen_on(struct help_address *a)
{
	int fd = socket(a->family, SOCK_STREAM, 0);

	if (fd < 0)
		err(1, "socket");
	if (sndbuf && setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof(sndbuf)) < 0)
		err(1, "setsockopt SO_SNDBUF");
#ifdef TCP_CONGESTION
	if (congestion && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion,
				     (socklen_t)strlen(congestion)) < 0)
		err(1, "setsockopt TCP_CONGESTION");
#endif
	if (bind(fd, (struct sockaddr *)&a->addr, a->len) < 0)
		err(1, "bind");
	if (listen(fd, 1) < 0)
		err(1, "listen");
	a->len = sizeof(a->addr);
	if (getsockname(fd, (struct sockaddr *)&a->addr, &a->len) < 0)
		err(1, "getsockname");
	return fd;
}

static void start_timer(double seconds)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval t = { .it_value = { .tv_sec = (time_t)seconds } };

	t.it_value.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6);
	sigaction(SIGALRM, &sa, NULL);
	if (setitimer(ITIMER_REAL, &t, NULL) < 0)
		err(1, "setitimer");
}

static void reader(const struct help_address *a, struct result *out)
{
	char *buf = block(read_size);
	unsigned long long total = 0;
	double start;
	int fd;

	pin(cpus[1]);
	fd = help_connect(a, rcvbuf);
	start = help_now();
	start_timer(duration);
	while (!time_is_up) {
		ssize_t n = read(fd, buf, read_size);

		if (n <= 0)
			break;
		total += (unsigned long long)n;
	}
	out->seconds = help_now() - start;
	out->bytes = (double)total;
	close(fd);
	_exit(0);
}

static void writer(int listener)
{
	char *buf = block(write_size);
	int fd = accept(listener, NULL, NULL);

	if (fd < 0)
		err(1, "accept");
	/* AF_UNIX does not pass it on from the listener. */
	if (sndbuf && setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof(sndbuf)) < 0)
		err(1, "setsockopt SO_SNDBUF");
	close(listener);
	while (write(fd, buf, write_size) > 0)
		continue;
	close(fd);
	free(buf);
}

static double cpu_seconds(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6 +
	       (double)u.ru_stime.tv_sec + (double)u.ru_stime.tv_usec / 1e6;
}

static size_t parse_size(const char *s)
{
	double x = help_number(s);

	if (x < 1 || x > 1e12)
		errx(2, "no size: \"%s\"", s);
	return (size_t)x;
}

static void parse_options(int argc, char **argv, int *unix_too)
{
	int c;

	while ((c = getopt(argc, argv, "ub:r:d:S:R:C:K:")) != -1) {
		switch (c) {
		case 'u': *unix_too = 1; break;
		case 'b': write_size = parse_size(optarg); break;
		case 'r': read_size = parse_size(optarg); break;
		case 'd': duration = help_number(optarg); break;
		case 'S': sndbuf = (int)help_number(optarg); break;
		case 'R': rcvbuf = (int)help_number(optarg); break;
		case 'K': congestion = optarg; break;
		case 'C':
			if (sscanf(optarg, "%d,%d", &cpus[0], &cpus[1]) != 2)
				errx(2, "not WRITER,READER: \"%s\"", optarg);
			break;
		default: exit(2);
		}
	}
	if (!read_size)
		read_size = write_size;
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/ceiling.XXXXXX", path[64];
	struct help_address a;
	struct result *out;
	int listener, unix_too = 0;
	pid_t child;

	parse_options(argc, argv, &unix_too);
	out = mmap(NULL, sizeof(*out), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (out == MAP_FAILED)
		err(1, "mmap");
	if (unix_too) {
		if (!mkdtemp(dir))
			err(1, "%s", dir);
		snprintf(path, sizeof(path), "%s/s", dir);
		help_resolve(path, NULL, &a);
	} else {
		help_resolve("127.0.0.1", "0", &a);
	}
	listener = listen_on(&a);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (child == 0)
		reader(&a, out);
	signal(SIGPIPE, SIG_IGN);
	pin(cpus[0]);
	writer(listener);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (unix_too) {
		unlink(path);
		rmdir(dir);
	}
	if (out->seconds <= 0)
		errx(1, "the reader has failed");
	printf("%.6g %.0f %.6f %.6f\n", out->bytes / 1e6 / out->seconds, out->bytes, out->seconds,
	       cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN));
	return 0;
}
