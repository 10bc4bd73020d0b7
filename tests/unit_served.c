/*
 * A source of our own: it serves by each transport, ends with us however we
 * end and leaves nothing behind; one that is missing, refuses, is of another
 * version, says nothing or speaks in tongues is told of by name.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../measure/plan.h"
#include "../measure/served.h"
#include "../socklib.h"
#include "test.h"

#define MANY 200
/* Instead of SERVED_PATIENCE_S: of those that say nothing, and of those that do. */
#define SHORT_S 0.3
#define LONG_S 20.0

static char self[PATH_MAX]; /* as if we were the sock_sink of this build */
static char place[] = "/tmp/unit_served.XXXXXX";
static char *const no_options[] = { NULL };

static void nap(long ms)
{
	struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&pause, NULL);
}

static int descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) != -1;
	return count;
}

static int has_children(void)
{
	return waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
}

/* A process that is gone, or a zombie that waits for a lazy parent. */
static int is_gone(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *file;

	if (kill(pid, 0))
		return errno == ESRCH;
	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	file = fopen(path, "r");
	if (!file)
		return access("/proc/self/stat", R_OK) == 0;
	if (fscanf(file, "%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(file);
	return state == 'Z';
}

static int goes_within(pid_t pid, int ms)
{
	for (int i = 0; i < ms / 10 && !is_gone(pid); i++)
		nap(10);
	return is_gone(pid);
}

/* ---- connecting ---- */

static int connect_to(const struct served *served)
{
	struct sockaddr_storage sa;
	struct sockaddr_in *in = (struct sockaddr_in *)&sa;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&sa;
	struct sockaddr_un *un = (struct sockaddr_un *)&sa;
	socklen_t length = sizeof(*in);
	int fd;

	memset(&sa, 0, sizeof(sa));
	if (served->transport == PLAN_UNIX) {
		un->sun_family = AF_UNIX;
		strcpy(un->sun_path, served->host);
		length = sizeof(*un);
	} else if (served->transport == PLAN_TCP6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons((unsigned short)served->port);
		inet_pton(AF_INET6, served->host, &in6->sin6_addr);
		length = sizeof(*in6);
	} else {
		in->sin_family = AF_INET;
		in->sin_port = htons((unsigned short)served->port);
		inet_pton(AF_INET, served->host, &in->sin_addr);
	}
	fd = socket(sa.ss_family, SOCK_STREAM, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&sa, length)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Read so many bytes at least; the number, fewer at the end or after 20 s without. */
static size_t read_some(int fd, size_t want)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	static char data[65536];
	size_t got = 0;
	ssize_t n;

	while (got < want && poll(&ready, 1, 20000) == 1) {
		n = read(fd, data, sizeof(data));
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return got;
}

static int has_ipv6(void)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM, 0), ret;

	if (fd < 0)
		return 0;
	ret = bind(fd, (struct sockaddr *)&in6, sizeof(in6));
	close(fd);
	return ret == 0;
}

/* ---- sources that are none ---- */

/* A script in the place of sock_source; what we are called beside it. */
static const char *beside(const char *script)
{
	static char argv0[PATH_MAX];
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/sock_source", place);
	unlink(path);
	file = script ? fopen(path, "w") : NULL;
	if (file) {
		fprintf(file, "#!/bin/sh\n%s\n", script);
		fclose(file);
		chmod(path, 0755);
	}
	snprintf(argv0, sizeof(argv0), "%s/sock_sink", place);
	return argv0;
}

/* The lines of one that listens, in a script that goes on with rest. */
static const char *listening(const char *rest)
{
	static char script[1024];

	snprintf(script, sizeof(script),
		 "echo '{\"event\":\"start\",\"program\":\"sock_source\",\"version\":\"%s\","
		 "\"port\":1}'\necho '{\"event\":\"listen\",\"addresses\":[]}'\n%s",
		 plan_version(), rest);
	return script;
}

/* Such a script does not serve: nothing stays, and the cause has this in it. */
static void is_refused_within(double patience_s, const char *script, int transport, const char *why)
{
	struct sock_cause cause = { .status = 0 };
	struct served served;
	int before = descriptors();

	CHECK_EQ(served_start(&served, beside(script), no_options, transport, patience_s, &cause),
		 -1);
	CHECK_EQ(cause.status, 1);
	CHECK_STR(cause.step, "-s");
	CHECK_HAS(cause.object, "sock_source");
	CHECK_HAS(cause.reason, why);
	CHECK_EQ(descriptors(), before);
	CHECK(!has_children());
	CHECK_EQ(served.pid, 0);
	served_stop(&served, 1);
}

static void is_refused(const char *script, int transport, const char *why)
{
	is_refused_within(LONG_S, script, transport, why);
}

static void says_nothing(const char *script, int transport)
{
	is_refused_within(SHORT_S, script, transport, "has not said within 0.3 s where it listens");
}

/* ---- stderr ---- */

static int aside = -1;

/* What is printed there until give_stderr() goes to a file. */
static FILE *take_stderr(void)
{
	FILE *file = tmpfile();

	fflush(stderr);
	aside = dup(STDERR_FILENO);
	if (file)
		dup2(fileno(file), STDERR_FILENO);
	return file;
}

static const char *give_stderr(FILE *file)
{
	static char text[4096];
	size_t n;

	fflush(stderr);
	dup2(aside, STDERR_FILENO);
	close(aside);
	rewind(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	return text;
}

/* ---- the tests ---- */

static void serves(int transport)
{
	char *const options[] = { "-b", "1000", NULL };
	struct sock_cause cause = { .reason = "" };
	struct served served;
	struct stat st;
	int before = descriptors(), fd;
	pid_t pid;

	if (served_start(&served, self, options, transport, LONG_S, &cause)) {
		CHECK_STR(cause.reason, "");
		return;
	}
	pid = served.pid;
	CHECK(!served_died(&served));
	CHECK(getpgid(pid) == pid && pid != getpgrp());
	CHECK(strncmp(served.command, "sock_source -j ", 15) == 0);
	CHECK_HAS(served.command, " -b 1000");
	CHECK_HAS(served.command, served.host);
	CHECK_EQ(served.port != 0, transport <= PLAN_TCP6);
	CHECK_EQ(served.data >= 0, transport == PLAN_FIFO);
	if (transport == PLAN_UNIX)
		CHECK(stat(served.host, &st) == 0 && (st.st_mode & 077) == 0);
	fd = transport == PLAN_FIFO ? served_take_data(&served) : connect_to(&served);
	CHECK_EQ(served.data, -1);
	CHECK(fd >= 0);
	CHECK(read_some(fd, 200000) >= 200000);
	served_drain(&served);
	CHECK(!served_died(&served));
	served_stop(&served, 1);
	close(fd);
	CHECK(served_died(&served));
	CHECK(WIFEXITED(served.status) && WEXITSTATUS(served.status) == 0);
	CHECK(is_gone(pid));
	CHECK(!has_children());
	CHECK_EQ(descriptors(), before);
	if (transport == PLAN_UNIX)
		CHECK(stat(served.host, &st) && errno == ENOENT);
}

static void test_serves_by_tcp(void)
{
	serves(PLAN_TCP);
}

static void test_serves_by_tcp6(void)
{
	if (!has_ipv6())
		TEST_SKIP("no IPv6 here");
	serves(PLAN_TCP6);
}

static void test_serves_by_unix(void)
{
	char *const far = "/tmp/a/path/that/is/much/too/long/for/the/name/of/a/socket/file/in/it/"
			  "whatever/the/system/that/it/is/made/on";

	serves(PLAN_UNIX);
	setenv("TMPDIR", far, 1);
	serves(PLAN_UNIX);
	setenv("TMPDIR", place, 1);
	serves(PLAN_UNIX);
	unsetenv("TMPDIR");
}

static void test_serves_by_pipe(void)
{
	serves(PLAN_FIFO);
}

/* Whoever reads a pipe leaves: the source ends by itself, another may reap it. */
static void test_a_pipe_ends_with_its_reader(void)
{
	struct sock_cause cause;
	struct served served;
	int status, fd, before = descriptors();
	pid_t pid;

	NEED(served_start(&served, self, no_options, PLAN_FIFO, LONG_S, &cause) == 0);
	pid = served.pid;
	fd = served_take_data(&served);
	CHECK(read_some(fd, 100000) >= 100000);
	close(fd);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(served_reaped(&served, pid + 1, status), 0);
	CHECK_EQ(served_reaped(&served, pid, status), 1);
	CHECK_EQ(served_reaped(&served, pid, status), 0);
	CHECK(served_died(&served));
	served_stop(&served, 1);
	CHECK_EQ(descriptors(), before);
}

/* Its own words come through, its lines do not, and a refusal is a usage error. */
static void refuses(int transport)
{
	char *const options[] = { "-b", "3x", NULL };
	struct sock_cause cause = { .reason = "" };
	struct served served;
	FILE *file = take_stderr();
	int failed = served_start(&served, self, options, transport, LONG_S, &cause);
	const char *said = give_stderr(file);

	CHECK_EQ(failed, -1);
	CHECK_STR(said, "sock_source: -b: \"3x\": not a number\n");
	CHECK_EQ(cause.status, 2);
	CHECK_HAS(cause.reason, "did not start: exit status 2");
	CHECK(!has_children());
}

static void test_what_it_refuses_it_says_itself(void)
{
	refuses(PLAN_TCP);
	refuses(PLAN_FIFO);
}

static void test_pipe_lines_are_not_complaints(void)
{
	char *const options[] = { "-i", "0.01", NULL };
	struct sock_cause cause;
	struct served served;
	FILE *file = take_stderr();
	int failed = served_start(&served, self, options, PLAN_FIFO, LONG_S, &cause);

	if (!failed) {
		read_some(served.data, 100000);
		nap(50);
		served_drain(&served);
		served_stop(&served, 1);
	}
	CHECK_STR(give_stderr(file), "");
	CHECK_EQ(failed, 0);
}

static void test_none_is_found(void)
{
	const char *path = getenv("PATH");
	char *before = path ? strdup(path) : NULL;

	setenv("PATH", "/nonexistent", 1);
	is_refused(NULL, PLAN_TCP, "none beside this program and none on PATH");
	is_refused(NULL, PLAN_UNIX, "none beside this program and none on PATH");
	setenv("PATH", before ? before : "/bin:/usr/bin", 1);
	free(before);
}

static void starts_as(const char *argv0)
{
	struct sock_cause cause = { .reason = "" };
	struct served served;

	CHECK_EQ(served_start(&served, argv0, no_options, PLAN_TCP, LONG_S, &cause), 0);
	CHECK_STR(cause.reason, "");
	served_stop(&served, 1);
}

/* Without a slash a shell has found us on PATH; what stands beside us goes first. */
static void test_one_on_path_is_found(void)
{
	const char *path = getenv("PATH");
	char *before = path ? strdup(path) : NULL, text[2 * PATH_MAX], *bin = strdup(self);

	*strrchr(bin, '/') = '\0';
	snprintf(text, sizeof(text), "/nonexistent:%s:/bin:/usr/bin", bin);
	setenv("PATH", text, 1);
	starts_as("sock_sink");
	starts_as(beside(NULL));
	/* One that is none comes earlier on PATH, but not beside us. */
	beside("exit 1");
	snprintf(text, sizeof(text), "%s:%s:/bin:/usr/bin", place, bin);
	setenv("PATH", text, 1);
	starts_as("sock_sink");
	setenv("PATH", before ? before : "/bin:/usr/bin", 1);
	free(before);
	free(bin);
}

static void test_another_version(void)
{
	is_refused("echo '{\"event\":\"start\",\"program\":\"sock_source\",\"version\":\"0.0-x\","
		   "\"port\":1}'; sleep 100",
		   PLAN_TCP, "is version 0.0-x, this program is ");
	is_refused("echo '{\"event\":\"start\",\"program\":\"sock_source\",\"version\":\"0.0-x\"}'"
		   " >&2; sleep 100",
		   PLAN_FIFO, "is version 0.0-x, this program is ");
}

static void test_one_that_ends_at_once(void)
{
	is_refused("exit 3", PLAN_TCP, "exit status 3");
	is_refused("exit 3", PLAN_UNIX, "exit status 3");
	is_refused("exit 3", PLAN_FIFO, "exit status 3");
	is_refused("kill -KILL $$", PLAN_TCP, "killed by signal 9");
	/* What it had begun is not done. */
	is_refused("printf '{\"event\":\"start\",\"program\":\"sock_sour'; exit 4", PLAN_TCP,
		   "exit status 4");
}

static void test_one_that_speaks_in_tongues(void)
{
	static const char *const tongues[] = {
		"echo 'port=7001 options=[]'; sleep 100",
		"echo '{\"event\":\"start\"'; sleep 100",
		"echo '{\"event\":\"start\"}'; sleep 100",
		"echo '{\"event\":\"start\",\"program\":\"other\",\"version\":\"1\"}'; sleep 100",
		"echo '{}'; sleep 100",
		"head -c 70000 /dev/zero | tr '\\0' x; sleep 100",
	};
	FILE *file = take_stderr();

	for (size_t i = 0; i < sizeof(tongues) / sizeof(tongues[0]); i++)
		is_refused(tongues[i], PLAN_TCP, "does not speak as a sock_source does: \"");
	CHECK_STR(give_stderr(file), ""); /* it is not passed on */
	is_refused("printf '\\033[31m\\n'; sleep 100", PLAN_TCP, "\"?[31m\"");
}

static void test_one_that_says_nothing(void)
{
	says_nothing("sleep 100", PLAN_TCP);
	says_nothing("sleep 100", PLAN_FIFO);
	says_nothing("echo '{\"event\":\"error\"}'; sleep 100", PLAN_TCP);
}

/* It dies of what a terminal's TERM does not do, with its children. */
static void test_one_that_does_not_go(void)
{
	struct sock_cause cause;
	struct served served;
	FILE *file;
	long child = 0;
	char path[PATH_MAX];

	NEED(served_start(&served,
			  beside(listening("trap '' TERM\nsleep 100 &\necho $! >\"${0%/*}/child\"\n"
					   "mv \"${0%/*}/child\" \"${0%/*}/told\"\nwait")),
			  no_options, PLAN_TCP, LONG_S, &cause) == 0);
	snprintf(path, sizeof(path), "%s/told", place);
	for (int i = 0; i < 1000 && access(path, R_OK); i++)
		nap(10);
	file = fopen(path, "r");
	NEED(file != NULL);
	CHECK_EQ(fscanf(file, "%ld", &child), 1);
	fclose(file);
	unlink(path);
	NEED(child > 1);
	CHECK(!is_gone((pid_t)child));
	served_stop(&served, 1);
	CHECK(WIFSIGNALED(served.status) && WTERMSIG(served.status) == SIGKILL);
	CHECK(goes_within((pid_t)child, 10000));
}

/* What it prints does not stop it, as long as we take it. */
static void test_its_lines_are_taken(void)
{
	struct sock_cause cause;
	struct served served;
	int status;

	NEED(served_start(&served,
			  beside(listening("head -c 1000000 /dev/zero | tr '\\0' '{'; exit 5")),
			  no_options, PLAN_TCP, LONG_S, &cause) == 0);
	for (int i = 0; i < 2000 && !served_died(&served); i++) {
		nap(5);
		served_drain(&served);
	}
	CHECK(served_died(&served));
	CHECK_EQ(waitpid(served.pid, &status, 0), served.pid);
	CHECK_EQ(served_reaped(&served, served.pid, status), 1);
	CHECK_EQ(WEXITSTATUS(served.status), 5);
	served_stop(&served, 1);
}

/* Whatever its parent does with signals: it can be ended, even when it stands still. */
static void test_signals_are_its_own(void)
{
	struct sock_cause cause;
	struct served served;
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	failed = served_start(&served, self, no_options, PLAN_TCP, LONG_S, &cause);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	NEED(!failed);
	kill(served.pid, SIGSTOP);
	served_stop(&served, 1);
	CHECK(WIFEXITED(served.status));
	CHECK(!has_children());
}

/* It holds none of our descriptors, and nothing of ours is its input. */
static void test_descriptors_are_its_own(void)
{
	char path[PATH_MAX], name[PATH_MAX], file[PATH_MAX];
	struct sock_cause cause;
	struct served served;
	int kept, held = 0;
	ssize_t n;

	if (access("/proc/self/fd/0", F_OK))
		TEST_SKIP("no /proc here");
	snprintf(file, sizeof(file), "%s/kept", place);
	kept = open(file, O_CREAT | O_RDWR, 0600);
	NEED(kept >= 0);
	NEED(served_start(&served, self, no_options, PLAN_TCP, LONG_S, &cause) == 0);
	for (int fd = 0; fd < 256; fd++) {
		snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)served.pid, fd);
		n = readlink(path, name, sizeof(name) - 1);
		name[n > 0 ? n : 0] = '\0';
		held += strcmp(name, file) == 0;
		if (fd == 0)
			CHECK_STR(name, "/dev/null");
	}
	CHECK_EQ(held, 0);
	served_stop(&served, 1);
	close(kept);
	unlink(file);
}

static void test_many_at_once(void)
{
	static struct served served[MANY];
	struct sock_cause cause = { .reason = "" };
	int before = descriptors(), failed = 0, gone = 1;
	pid_t pids[MANY];

	for (int i = 0; i < MANY && !failed; i++) {
		failed = served_start(&served[i], self, no_options, i % 2 ? PLAN_TCP : PLAN_UNIX,
				      LONG_S, &cause);
		pids[i] = served[i].pid;
	}
	CHECK_STR(cause.reason, "");
	NEED(!failed);
	CHECK_EQ(descriptors(), before + MANY);
	for (int i = 0; i < MANY; i += 50) {
		int fd = connect_to(&served[i]);

		CHECK(read_some(fd, 1000) >= 1000);
		close(fd);
	}
	served_stop(served, MANY);
	for (int i = 0; i < MANY; i++)
		gone = gone && is_gone(pids[i]);
	CHECK(gone);
	CHECK(!has_children());
	CHECK_EQ(descriptors(), before);
}

/* A process that starts one, says where, and is killed with a connection open. */
static void dies_with_its_parent(int transport)
{
	struct sock_cause cause;
	struct served served;
	int tell[2], fd;
	pid_t child;

	NEED(pipe(tell) == 0);
	child = fork();
	if (child == 0) {
		if (served_start(&served, self, no_options, transport, LONG_S, &cause) == 0 &&
		    write(tell[1], &served, sizeof(served)) == sizeof(served))
			pause();
		_exit(1);
	}
	close(tell[1]);
	NEED(read(tell[0], &served, sizeof(served)) == sizeof(served));
	close(tell[0]);
	fd = connect_to(&served);
	CHECK(read_some(fd, 100000) >= 100000);
	CHECK(!is_gone(served.pid));
	kill(child, SIGKILL);
	CHECK_EQ(waitpid(child, NULL, 0), child);
	CHECK(goes_within(served.pid, 10000));
	/* Its worker is gone too: no more than what was underway comes. */
	CHECK(read_some(fd, (size_t)1 << 28) < (size_t)1 << 28);
	close(fd);
	CHECK(transport != PLAN_UNIX || access(served.host, F_OK));
}

static void test_it_dies_with_its_parent(void)
{
#ifdef SOCKLIB_PORTABLE
	(void)dies_with_its_parent;
	TEST_SKIP("built without Linux parts: nothing tells a source that its sink was killed");
#else
	dies_with_its_parent(PLAN_TCP);
	dies_with_its_parent(PLAN_UNIX);
#endif
}

int main(void)
{
	const char *bin = getenv("BIN");

	snprintf(self, sizeof(self), "%s/sock_sink", bin ? bin : ".");
	if (!mkdtemp(place))
		return 1;
	RUN(test_serves_by_tcp);
	RUN(test_serves_by_tcp6);
	RUN(test_serves_by_unix);
	RUN(test_serves_by_pipe);
	RUN(test_a_pipe_ends_with_its_reader);
	RUN(test_what_it_refuses_it_says_itself);
	RUN(test_pipe_lines_are_not_complaints);
	RUN(test_none_is_found);
	RUN(test_one_on_path_is_found);
	RUN(test_another_version);
	RUN(test_one_that_ends_at_once);
	RUN(test_one_that_speaks_in_tongues);
	RUN(test_one_that_says_nothing);
	RUN(test_one_that_does_not_go);
	RUN(test_its_lines_are_taken);
	RUN(test_signals_are_its_own);
	RUN(test_descriptors_are_its_own);
	RUN(test_many_at_once);
	RUN(test_it_dies_with_its_parent);
	beside(NULL);
	rmdir(place);
	return test_end();
}
