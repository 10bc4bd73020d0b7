/* A source of our own: see served.h. */
#include "served.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../socklib.h"
#include "clock.h"
#include "jsonline.h"
#include "plan.h"
#include "platform.h"
#include "process.h"
#include "scratch.h"
#include "wait.h"

#define PROGRAM "sock_source"
#define STEP "-s"
#define LINE_LONGEST 65536		/* of its first two: they hold its option strings */
#define PATIENCE_NS INT64_C(1000000000) /* from SIGTERM to SIGKILL */
#define LOOK_MS 2			/* between looks at one that has closed its pipe */
#define LOOK_AGAIN_MS 20		/* at one whose pipe another may hold */

/* ---- which program ---- */

static int is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* "directory/name"; 0 when it does not fit or is no program. */
static int is_in(const char *directory, size_t length, const char *name, char *path, size_t size)
{
	const char *where = length ? directory : ".";
	int n = length ? (int)length : 1;

	if (length > INT_MAX / 2 || strlen(name) + (size_t)n + 2 > size)
		return 0;
	snprintf(path, size, "%.*s/%s", n, where, name);
	return is_program(path);
}

static int is_on_path(const char *name, char *path, size_t size)
{
	const char *at = getenv("PATH");

	for (; at; at = strchr(at, ':')) {
		at += *at == ':';
		if (is_in(at, strcspn(at, ":"), name, path, size))
			return 1;
	}
	return 0;
}

static int find_source(const char *argv0, char *path, size_t size, struct sock_cause *cause)
{
	char self[PATH_MAX] = "";
	const char *slash;

	if (strchr(argv0, '/'))
		snprintf(self, sizeof(self), "%s", argv0);
	else if (!is_on_path(argv0, self, sizeof(self)))
		self[0] = '\0';
	slash = strrchr(self, '/');
	/* Of "/sock_sink" the directory is not "". */
	if (slash && is_in(slash == self ? "/" : self, slash == self ? 1 : (size_t)(slash - self),
			   PROGRAM, path, size))
		return 0;
	if (is_on_path(PROGRAM, path, size))
		return 0;
	return sock_failed(cause, STEP, PROGRAM, ENOENT,
			   "there is none beside this program and none on PATH");
}

/* ---- starting ---- */

static int choose_place(struct served *served, struct sock_cause *cause)
{
	struct sockaddr_un un;
	size_t longest = sizeof(un.sun_path);

	if (longest > sizeof(served->host))
		longest = sizeof(served->host);
	switch (served->transport) {
	case PLAN_TCP: snprintf(served->host, sizeof(served->host), "127.0.0.1"); return 0;
	case PLAN_TCP6: snprintf(served->host, sizeof(served->host), "::1"); return 0;
	case PLAN_FIFO: snprintf(served->host, sizeof(served->host), "-"); return 0;
	default: break; /* PLAN_UNIX */
	}
	if (scratch_name(STEP, served->host, longest, cause))
		return -1;
	served->has_file = 1;
	return 0;
}

static int has_port(const struct served *served)
{
	return served->transport == PLAN_TCP || served->transport == PLAN_TCP6;
}

/* Its arguments; NULL: no memory. */
static char **make_words(const struct served *served, char *program, char *const *options)
{
	size_t count = 0, n = 0;
	char **words;

	while (options[count])
		count++;
	words = calloc(count + 8, sizeof(*words));
	if (!words)
		return NULL;
	words[n++] = program;
	words[n++] = "-j";
	if (has_port(served)) {
		words[n++] = "-p";
		words[n++] = "0";
	}
	words[n++] = "-H";
	words[n++] = (char *)served->host;
	memcpy(words + n, options, count * sizeof(*words));
	return words;
}

/* No end is 0, 1 or 2, and none survives exec. */
static int make_pipe(int ends[2])
{
	int raw[2];

	if (pipe(raw))
		return -1;
	for (int i = 0; i < 2; i++)
		ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(raw[0]);
	close(raw[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return 0;
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return -1;
}

/* As a shell starts a program, whatever we have caught, blocked or ignored. */
static void set_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;

	sigemptyset(&action.sa_mask);
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &action, NULL);
	/* Its group is in the background: its complaints must not stop it. */
	action.sa_handler = SIG_IGN;
	sigaction(SIGTTOU, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void become(const struct served *served, char **words, pid_t parent, int data,
			     int lines)
{
	int null;

	setpgid(0, 0);
	set_signals();
	/* It removes its socket file, which nobody else may connect to. */
	platform_die_with_parent(parent, served->has_file ? SIGTERM : SIGKILL);
	if (served->has_file)
		umask(S_IRWXG | S_IRWXO);
	null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	if (data >= 0) {
		dup2(data, STDOUT_FILENO);
		dup2(lines, STDERR_FILENO);
	} else {
		dup2(lines, STDOUT_FILENO);
	}
	platform_close_above(STDERR_FILENO);
	execv(words[0], words);
	fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
	_exit(127);
}

static int launch(struct served *served, char **words, struct sock_cause *cause)
{
	int data[2] = { -1, -1 }, lines[2];
	pid_t parent = getpid();

	if (make_pipe(lines))
		return sock_failed(cause, STEP, "", errno, NULL);
	served->lines = lines[0];
	if (served->transport == PLAN_FIFO && make_pipe(data)) {
		close(lines[1]);
		return sock_failed(cause, STEP, "", errno, NULL);
	}
	served->data = data[0];
	fcntl(lines[0], F_SETFL, O_NONBLOCK);
	served->pid = fork();
	if (served->pid == 0)
		become(served, words, parent, data[1], lines[1]);
	/* Here too, lest we signal a group that is not yet there. */
	if (served->pid > 0)
		setpgid(served->pid, served->pid);
	else
		sock_failed(cause, STEP, "start a process", errno, NULL);
	close(lines[1]);
	if (data[1] >= 0)
		close(data[1]);
	if (served->pid > 0)
		return 0;
	served->pid = 0;
	return -1;
}

/* ---- what it says ---- */

/* A complaint that came on a pipe of ours goes to stderr, an event nowhere. */
static void pass_on(struct served *served, const char *text, size_t size)
{
	enum { BETWEEN, EVENT, COMPLAINT };

	for (size_t i = 0; served->transport == PLAN_FIFO && i < size; i++) {
		if (served->in_line == BETWEEN)
			served->in_line = text[i] == '{' ? EVENT : COMPLAINT;
		if (served->in_line == COMPLAINT)
			fputc(text[i], stderr);
		if (text[i] == '\n')
			served->in_line = BETWEEN;
	}
}

/* What it prints is at its end. */
static void close_lines(struct served *served)
{
	if (served->lines >= 0)
		close(served->lines);
	served->lines = -1;
}

void served_drain(struct served *served)
{
	char text[4096];
	ssize_t n;

	if (served->lines < 0)
		return;
	while ((n = read(served->lines, text, sizeof(text))) > 0)
		pass_on(served, text, (size_t)n);
	if (n == 0)
		close_lines(served);
}

/* The beginning of a line, as a complaint may quote it. */
static int is_strange(struct sock_cause *cause, const char *program, const char *line)
{
	char reason[128], quoted[48];
	size_t used = 0;

	for (; *line && used < sizeof(quoted) - 1; line++)
		quoted[used++] = *line < 0x20 || *line > 0x7e ? '?' : *line;
	quoted[used] = '\0';
	snprintf(reason, sizeof(reason), "does not speak as a sock_source does: \"%s\"", quoted);
	return sock_failed(cause, STEP, program, 0, reason);
}

static int check_start(struct served *served, const char *line, const char *program,
		       struct sock_cause *cause)
{
	char name[32], version[128], port[16], reason[320], why[128];
	uint64_t number = 0;

	if (jsonline_member(line, "program", name, sizeof(name)) || strcmp(name, PROGRAM) != 0 ||
	    jsonline_member(line, "version", version, sizeof(version)))
		return is_strange(cause, program, line);
	if (strcmp(version, plan_version()) != 0) {
		snprintf(reason, sizeof(reason), "is version %s, this program is %s", version,
			 plan_version());
		return sock_failed(cause, STEP, program, 0, reason);
	}
	if (has_port(served) && (jsonline_member(line, "port", port, sizeof(port)) ||
				 sock_number(port, 0, 1, 65535, &number, why, sizeof(why))))
		return is_strange(cause, program, line);
	served->port = (unsigned int)number;
	return 0;
}

/* What a line says: 1: it listens; 0: go on; -1 with a cause. */
static int take_line(struct served *served, const char *line, const char *program, int *started,
		     struct sock_cause *cause)
{
	char event[32];

	if (jsonline_member(line, "event", event, sizeof(event))) {
		if (served->transport != PLAN_FIFO)
			return is_strange(cause, program, line);
		fprintf(stderr, "%s\n", line);
		return 0;
	}
	if (strcmp(event, "start") == 0) {
		if (check_start(served, line, program, cause))
			return -1;
		*started = 1;
		return served->transport == PLAN_FIFO;
	}
	return *started && strcmp(event, "listen") == 0;
}

/* Look whether it has ended; its number stays its own until it is reaped. */
static int has_ended(const struct served *served, int options)
{
	siginfo_t info = { .si_pid = 0 };
	int ret;

	do
		ret = waitid(P_PID, (id_t)served->pid, &info, WEXITED | WNOWAIT | options);
	while (ret < 0 && errno == EINTR);
	return ret < 0 || info.si_pid == served->pid;
}

/* Sleep a little, or until it prints or closes its pipe. */
static void wait_for_word(const struct served *served)
{
	struct pollfd word = { .fd = served->lines, .events = POLLIN };

	if (served->lines >= 0)
		poll(&word, 1, LOOK_AGAIN_MS);
	else
		poll(NULL, 0, LOOK_MS);
}

static void end_group(struct served *served);

/* It has closed its pipe, or said nothing; it has told why, or never will. */
static int did_not_start(struct served *served, const char *program, double patience_s,
			 struct sock_cause *cause)
{
	int64_t deadline = clock_now() + PATIENCE_NS;
	char reason[128];

	while (served->lines < 0 && !has_ended(served, WNOHANG) && clock_now() < deadline)
		wait_for_word(served);
	if (!has_ended(served, WNOHANG)) {
		snprintf(reason, sizeof(reason), "has not said within %g s where it listens",
			 patience_s);
		return sock_failed(cause, STEP, program, ETIMEDOUT, reason);
	}
	end_group(served);
	if (WIFSIGNALED(served->status))
		snprintf(reason, sizeof(reason), "did not start: killed by signal %d",
			 WTERMSIG(served->status));
	else
		snprintf(reason, sizeof(reason), "did not start: exit status %d",
			 WEXITSTATUS(served->status));
	sock_failed(cause, STEP, program, 0, reason);
	/* Options that it refuses were the user's to us. */
	if (WIFEXITED(served->status) && WEXITSTATUS(served->status) == 2)
		cause->status = 2;
	return -1;
}

/* The whole lines of text; as take_line(), and how much of it they were. */
static int take_lines(struct served *served, char *text, size_t *taken, const char *program,
		      int *started, struct sock_cause *cause)
{
	int told = 0;
	char *end;

	*taken = 0;
	while (told == 0 && (end = strchr(text + *taken, '\n'))) {
		const char *line = text + *taken;

		*end = '\0';
		*taken = (size_t)(end - text) + 1;
		told = take_line(served, line, program, started, cause);
	}
	return told;
}

/* Read until it has told where it listens. */
static int hear(struct served *served, const char *program, double patience_s, char *text,
		struct sock_cause *cause)
{
	int64_t deadline = clock_now() + clock_from_seconds(patience_s);
	size_t used = 0, taken;
	int started = 0, told;
	ssize_t n;

	while (served->lines >= 0 && clock_now() < deadline) {
		if (wait_is_asked_to_stop())
			return sock_failed(cause, STEP, program, EINTR, NULL);
		n = read(served->lines, text + used, LINE_LONGEST - 1 - used);
		if (n == 0)
			close_lines(served);
		if (n < 0)
			wait_for_word(served);
		if (n <= 0)
			continue;
		used += (size_t)n;
		text[used] = '\0';
		told = take_lines(served, text, &taken, program, &started, cause);
		used -= taken;
		memmove(text, text + taken, used + 1);
		if (told > 0)
			pass_on(served, text, used);
		if (told)
			return told > 0 ? 0 : -1;
		if (used == LINE_LONGEST - 1)
			return is_strange(cause, program, text);
	}
	return did_not_start(served, program, patience_s, cause);
}

static int start(struct served *served, char *program, char *const *options, double patience_s,
		 struct sock_cause *cause)
{
	char **words = make_words(served, program, options), *text = malloc(LINE_LONGEST);
	int failed;

	if (!words || !text) {
		failed = sock_failed(cause, STEP, "", ENOMEM, NULL);
	} else {
		process_words(words, served->command, sizeof(served->command));
		failed = launch(served, words, cause);
		if (!failed)
			failed = hear(served, program, patience_s, text, cause);
	}
	free(words);
	free(text);
	return failed;
}

int served_start(struct served *served, const char *argv0, char *const *options, int transport,
		 double patience_s, struct sock_cause *cause)
{
	char program[PATH_MAX];

	*served = (struct served){ .transport = transport, .data = -1, .lines = -1 };
	if (find_source(argv0, program, sizeof(program), cause) || choose_place(served, cause) ||
	    start(served, program, options, patience_s, cause)) {
		served_stop(served, 1);
		return -1;
	}
	return 0;
}

int served_take_data(struct served *served)
{
	int data = served->data;

	served->data = -1;
	return data;
}

/* ---- the end ---- */

int served_reaped(struct served *served, pid_t pid, int status)
{
	if (pid <= 0 || pid != served->pid)
		return 0;
	served->pid = 0;
	served->status = status;
	return 1;
}

int served_died(const struct served *served)
{
	return served->pid == 0 || served->lines < 0;
}

/*
 * It has ended: kill what it may have left behind, but only while its number,
 * not yet reaped, is still that of its group and of no other.
 */
static void end_group(struct served *served)
{
	pid_t pid = served->pid, reaped;
	siginfo_t info;
	int status = 0;

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0)
		kill(-pid, SIGKILL);
	do
		reaped = waitpid(pid, &status, 0);
	while (reaped < 0 && errno == EINTR);
	served->pid = 0;
	served->status = status;
}

static void wait_for_end(struct served *served, int64_t deadline)
{
	while (!has_ended(served, WNOHANG)) {
		if (clock_now() >= deadline) {
			kill(-served->pid, SIGKILL);
			has_ended(served, 0);
			break;
		}
		served_drain(served);
		wait_for_word(served);
	}
	end_group(served);
}

static void clean_up(struct served *served)
{
	close_lines(served);
	if (served->data >= 0)
		close(served->data);
	served->data = -1;
	if (served->has_file)
		unlink(served->host);
	served->has_file = 0;
}

void served_ask_to_end(const struct served *served)
{
	if (served->pid <= 0)
		return;
	kill(served->pid, SIGTERM);
	kill(served->pid, SIGCONT);
}

void served_stop(struct served *served, size_t count)
{
	int64_t deadline = clock_now() + PATIENCE_NS;

	for (size_t i = 0; i < count; i++)
		served_ask_to_end(&served[i]);
	for (size_t i = 0; i < count; i++) {
		if (served[i].pid > 0)
			wait_for_end(&served[i], deadline);
		clean_up(&served[i]);
	}
}
