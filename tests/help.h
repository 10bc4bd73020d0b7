/*
 * What the helper programs of the tests share: complaints, numbers, the
 * clock, and one blocking connection to a loopback address.
 */
#ifndef HELP_H
#define HELP_H

#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* A number without anything behind it, or exit 2. */
static inline double help_number(const char *s)
{
	char *end;
	double x = strtod(s, &end);

	if (*s == '\0' || *end != '\0' || !(x >= 0))
		errx(2, "not a number: \"%s\"", s);
	return x;
}

static inline double help_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline void help_sleep(double seconds)
{
	struct timespec t;

	if (seconds <= 0)
		return;
	t.tv_sec = (time_t)seconds;
	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		continue;
}

/* "INT" to SIGINT; only those that the tests send. */
static inline int help_signal(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} known[] = {
		{ "HUP", SIGHUP },   { "INT", SIGINT },	  { "QUIT", SIGQUIT }, { "KILL", SIGKILL },
		{ "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "PIPE", SIGPIPE }, { "ALRM", SIGALRM },
		{ "TERM", SIGTERM }, { "CHLD", SIGCHLD }, { "CONT", SIGCONT }, { "STOP", SIGSTOP },
		{ "TSTP", SIGTSTP }, { "XFSZ", SIGXFSZ },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].number;
	errx(2, "unknown signal \"%s\"", name);
}

/* Every signal as a login shell's foreground job has it. */
static inline void help_default_signals(void)
{
	struct sigaction sa;
	sigset_t none;
	int sig;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = SIG_DFL;
	for (sig = 1; sig < NSIG; sig++)
		sigaction(sig, &sa, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A listening or connected address: HOST and PORT, or a path. */
struct help_address {
	struct sockaddr_storage addr;
	socklen_t len;
	int family;
};

static inline void help_resolve(const char *host, const char *port, struct help_address *a)
{
	memset(a, 0, sizeof(*a));
	if (strchr(host, '/')) {
		struct sockaddr_un *un = (struct sockaddr_un *)&a->addr;

		if (strlen(host) >= sizeof(un->sun_path))
			errx(2, "path too long: %s", host);
		un->sun_family = AF_UNIX;
		strcpy(un->sun_path, host);
		a->len = sizeof(*un);
		a->family = AF_UNIX;
	} else {
		struct addrinfo hints, *res;
		int rc;

		memset(&hints, 0, sizeof(hints));
		hints.ai_socktype = SOCK_STREAM;
		hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
		rc = getaddrinfo(host, port, &hints, &res);
		if (rc)
			errx(2, "%s port %s: %s", host, port, gai_strerror(rc));
		memcpy(&a->addr, res->ai_addr, res->ai_addrlen);
		a->len = res->ai_addrlen;
		a->family = res->ai_family;
		freeaddrinfo(res);
	}
}

static inline int help_connect(const struct help_address *a, int rcvbuf)
{
	int fd = socket(a->family, SOCK_STREAM, 0);

	if (fd < 0)
		err(1, "socket");
	if (rcvbuf && setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof(rcvbuf)) < 0)
		err(1, "setsockopt SO_RCVBUF");
	if (connect(fd, (const struct sockaddr *)&a->addr, a->len) < 0)
		err(1, "connect");
	return fd;
}

/* Make close() send a reset. */
static inline void help_reset_on_close(int fd)
{
	struct linger l = { .l_onoff = 1, .l_linger = 0 };

	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l)) < 0)
		err(1, "setsockopt SO_LINGER");
}

#endif
