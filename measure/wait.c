/* Sleeping until something is due: see wait.h. */
#include "wait.h"

#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t child_ended;
static int64_t first_stop; /* when the first was taken, 0: none was */

#define HEELS_NS 10000000 /* a second signal so soon is the first once more */

static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
#define STOPS (sizeof(stops) / sizeof(stops[0]))

static void on_stop(int sig)
{
	stop_signal = sig;
}

static void on_child(int sig)
{
	(void)sig;
	child_ended = 1;
}

static void set_action(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

static void stop_set(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < STOPS; i++)
		sigaddset(set, stops[i]);
	sigaddset(set, SIGCHLD);
}

void wait_catch_signals(void)
{
	struct sigaction before;
	sigset_t set;

	stop_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (size_t i = 0; i < STOPS; i++)
		if (sigaction(stops[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			set_action(stops[i], on_stop);
	set_action(SIGCHLD, on_child);
	set_action(SIGPIPE, SIG_IGN);
}

int wait_take_stop(int *sig)
{
	int64_t now;

	*sig = stop_signal;
	stop_signal = 0;
	if (*sig == 0)
		return 0;
	now = clock_now();
	if (first_stop == 0) {
		first_stop = now;
		return 1;
	}
	return now - first_stop < HEELS_NS ? 0 : 2;
}

int wait_is_asked_to_stop(void)
{
	sigset_t pending;

	if (stop_signal || sigpending(&pending))
		return stop_signal != 0;
	for (size_t i = 0; i < STOPS; i++)
		if (sigismember(&pending, stops[i]) == 1)
			return 1;
	return 0;
}

int wait_take_child(void)
{
	int came = child_ended;

	child_ended = 0;
	return came;
}

void wait_child_signals(void)
{
	sigset_t none;

	for (size_t i = 0; i < STOPS; i++)
		set_action(stops[i], SIG_IGN);
	set_action(SIGPIPE, SIG_IGN);
	set_action(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void wait_die_by(int sig)
{
	sigset_t set;

	set_action(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	_exit(128 + sig);
}

/* Whole timeouts only up to a day: some systems refuse longer ones. */
static struct timespec time_left(int64_t deadline)
{
	int64_t left = deadline == CLOCK_NEVER ? INT64_MAX : deadline - clock_now();
	int64_t day = clock_from_seconds(86400);

	if (left < 0)
		left = 0;
	if (left > day)
		left = day;
	return (struct timespec){ .tv_sec = (time_t)(left / 1000000000),
				  .tv_nsec = (long)(left % 1000000000) };
}

/* The mask to sleep with: what is caught comes through. */
static void open_mask(sigset_t *open)
{
	sigprocmask(SIG_BLOCK, NULL, open);
	for (size_t i = 0; i < STOPS; i++)
		sigdelset(open, stops[i]);
	sigdelset(open, SIGCHLD);
}

static void let_pending_in(const sigset_t *open)
{
	sigset_t before;

	sigprocmask(SIG_SETMASK, open, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void wait_until(int64_t deadline, const int *fds, int count, int *ready)
{
	struct timespec timeout = time_left(deadline);
	sigset_t open;
	fd_set set;
	int top = -1, n;

	FD_ZERO(&set);
	for (int i = 0; i < count; i++) {
		FD_SET((size_t)fds[i], &set);
		top = fds[i] > top ? fds[i] : top;
		ready[i] = 0;
	}
	open_mask(&open);
	n = pselect(top + 1, &set, NULL, NULL, &timeout, &open);
	/* pselect() delivers none while a descriptor is ready: in a rush, never. */
	if (n > 0)
		let_pending_in(&open);
	for (int i = 0; i < count && n > 0; i++)
		ready[i] = FD_ISSET((size_t)fds[i], &set) != 0;
}

void wait_writable(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	sigset_t open;
	fd_set set;
	int held = 0; /* the first, for who asks later */

	open_mask(&open);
	while (poll(&ready, 1, 0) == 0) {
		if (stop_signal && (held || first_stop))
			wait_die_by(stop_signal);
		if (stop_signal)
			held = stop_signal;
		stop_signal = 0;
		FD_ZERO(&set);
		FD_SET((size_t)fd, &set);
		pselect(fd + 1, NULL, &set, NULL, NULL, &open);
	}
	if (held)
		stop_signal = held;
}
