/* Connecting to a source: see dial.h. */
#include "dial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../socklib.h"
#include "clock.h"
#include "plan.h"
#include "report.h"
#include "wait.h"

/* A source that is being started at the same moment gets this long. */
#define TRYING_S 1.0
#define TRY_AGAIN_S 0.02
#define LOOK_MS 5 /* between looks at signals while a connection is made */

int dial_resolve(struct dial *dial, const struct plan *plan, struct sock_cause *cause)
{
	dial->plan = plan;
	dial->addresses = 0;
	if (plan_place(plan) == PLAN_PIPE)
		return 0;
	dial->list = calloc(SOCK_ADDRESSES, sizeof(*dial->list));
	if (!dial->list)
		return sock_failed(cause, "resolve", "", ENOMEM, NULL);
	dial->addresses = sock_resolve(plan->host ? plan->host : "localhost", plan->port,
				       dial->list, SOCK_ADDRESSES, cause);
	return dial->addresses < 0 ? -1 : 0;
}

void dial_free(struct dial *dial)
{
	free(dial->list);
	dial->list = NULL;
	dial->addresses = 0;
}

/* On this host a refusal may mean that the source is only just starting. */
static int worth_another_try(const struct dial *dial, int err)
{
	if (err == EAGAIN)
		return 1;
	if (err != ECONNREFUSED && err != ENOENT)
		return 0;
	for (int i = 0; i < dial->addresses; i++)
		if (dial->list[i].sa.ss_family != AF_UNIX &&
		    !sock_address_is_loopback(&dial->list[i]))
			return 0;
	return 1;
}

/* "::1, 127.0.0.1": the first count addresses. */
static void list_addresses(const struct dial *dial, int count, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < count && used < size; i++) {
		char one[SOCK_ADDRESS_TEXT];

		sock_address_text(&dial->list[i], 0, one, sizeof(one));
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", one);
	}
}

static int connect_failed(const struct dial *dial, struct sock_cause *cause, double tried_s)
{
	const char *host = dial->plan->host ? dial->plan->host : "localhost";
	char object[256], addresses[128], reason[256], tried[64] = "";
	struct stat st;
	int err = cause->err;

	list_addresses(dial, dial->addresses, addresses, sizeof(addresses));
	if (plan_place(dial->plan) == PLAN_PATH)
		snprintf(object, sizeof(object), "%s", host);
	else
		snprintf(object, sizeof(object), "%.100s port %u (%s)", host, dial->plan->port,
			 addresses);
	if (tried_s >= TRYING_S)
		snprintf(tried, sizeof(tried), ", after %.0f s of trying", tried_s);
	if (plan_place(dial->plan) == PLAN_PATH && lstat(host, &st) == 0 && !S_ISSOCK(st.st_mode))
		snprintf(reason, sizeof(reason), "not a socket");
	else if (err == ECONNREFUSED || err == ENOENT)
		snprintf(reason, sizeof(reason), "%s%s; is sock_source running?",
			 err == ENOENT ? "no such socket" : "refused", tried);
	else
		snprintf(reason, sizeof(reason), "%s", strerror(err));
	return sock_failed(cause, "connect", object, err, reason);
}

/* Connect to one address, however long it takes.  -1 with a cause. */
static int connect_to(const struct dial *dial, const struct sock_address *address,
		      struct sock_cause *cause)
{
	int fd = sock_connect(address, dial->plan->early, cause), arrived = 0;

	while (fd >= 0 && arrived == 0) {
		if (dial->is_interrupted(dial->context))
			arrived = sock_failed(cause, "connect", "", EINTR, NULL);
		else
			arrived = sock_connected(fd, address, LOOK_MS, cause);
		wait_until(0, NULL, 0, NULL);
	}
	if (fd >= 0 && arrived < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Each address once.  The socket, and which address it was; the best cause. */
static int connect_once(const struct dial *dial, int *which, struct sock_cause *cause)
{
	struct sock_cause one;

	cause->err = 0;
	for (*which = 0; *which < dial->addresses; ++*which) {
		int fd = connect_to(dial, &dial->list[*which], &one);

		if (fd >= 0)
			return fd;
		if (cause->err == 0 || !sock_is_missing(one.err))
			*cause = one;
		if (one.err == EINTR || strcmp(one.step, "setsockopt") == 0)
			return -1;
	}
	return -1;
}

static int connect_patiently(const struct dial *dial, struct report_opening *opening, char *refused,
			     size_t size, struct sock_cause *cause)
{
	int64_t start = clock_now();
	int which, fd;

	for (;;) {
		opening->tries++;
		fd = connect_once(dial, &which, cause);
		opening->elapsed_s = clock_to_seconds(clock_now() - start);
		if (fd >= 0) {
			list_addresses(dial, which, refused, size);
			return fd;
		}
		if (cause->err == EINTR || strcmp(cause->step, "connect") != 0)
			return -1;
		if (!worth_another_try(dial, cause->err) ||
		    (cause->err != EAGAIN && opening->elapsed_s >= TRYING_S))
			return connect_failed(dial, cause, opening->elapsed_s);
		wait_until(clock_now() + clock_from_seconds(TRY_AGAIN_S), NULL, 0, NULL);
	}
}

/* The connection, with all that was asked set on it. */
int dial_open(const struct dial *dial, struct report_opening *opening, char *refused, size_t size,
	      struct sock_cause *cause)
{
	int fd;

	if (plan_place(dial->plan) == PLAN_PIPE)
		return STDIN_FILENO;
	fd = connect_patiently(dial, opening, refused, size, cause);
	if (fd >= 0 && sock_options_apply(dial->plan->late, fd, cause)) {
		close(fd);
		return -1;
	}
	return fd;
}
