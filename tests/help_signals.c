/*
 * help_signals [-g] [-i SIGNAL]... [-o FILE] SIG@SECONDS[,SIG@SECONDS]...
 *              COMMAND [ARGUMENT]...
 *
 * Run COMMAND in a process group of its own, as a terminal does, with
 * every signal at its default (-i: but this one ignored), and send it the
 * signals when their time has come; -g: to the whole group, as a terminal
 * does for ^C.  The exit status is the command's, or 128 and the signal
 * that ended it; FILE gets "exit N SECONDS" or "signal N SECONDS", since
 * the status alone cannot tell these two apart.
 */
#include <sys/wait.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include "help.h"

#define MAX_PLAN 16

struct plan {
	int sig;
	double at;
};

static volatile pid_t child;

static void on_end(int sig)
{
	if (child > 0) {
		kill(-child, SIGCONT);
		kill(-child, SIGKILL);
	}
	_exit(128 + sig);
}

static int parse_plan(char *spec, struct plan *plan)
{
	int n = 0;

	while (*spec) {
		char *end = spec + strcspn(spec, ",");
		char *at = strchr(spec, '@');

		if (*end)
			*end++ = '\0';
		if (!at || n == MAX_PLAN)
			errx(2, "not SIG@SECONDS: \"%s\"", spec);
		*at = '\0';
		plan[n].sig = help_signal(spec);
		plan[n].at = help_number(at + 1);
		n++;
		spec = end;
	}
	return n;
}

static void run(char **argv, const sigset_t *ignored)
{
	int sig;

	setpgid(0, 0);
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	help_default_signals();
	for (sig = 1; sig < NSIG; sig++)
		if (sigismember(ignored, sig) == 1)
			signal(sig, SIG_IGN);
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

/* Send what is due; wait in small steps until the child has ended. */
static int watch(const struct plan *plan, int n, int group, double start)
{
	int next = 0, status;

	while (waitpid(child, &status, WNOHANG) == 0) {
		while (next < n && help_now() - start >= plan[next].at) {
			kill(group ? -child : child, plan[next].sig);
			next++;
		}
		help_sleep(0.001);
	}
	return status;
}

static void report(const char *file, int status, double seconds)
{
	FILE *f = fopen(file, "w");

	if (!f)
		err(1, "%s", file);
	if (WIFSIGNALED(status))
		fprintf(f, "signal %d %.3f\n", WTERMSIG(status), seconds);
	else
		fprintf(f, "exit %d %.3f\n", WEXITSTATUS(status), seconds);
	if (fclose(f) != 0)
		err(1, "%s", file);
}

int main(int argc, char **argv)
{
	struct plan plan[MAX_PLAN];
	const char *file = NULL;
	int c, n, status, group = 0;
	sigset_t ignored;
	double start;

	sigemptyset(&ignored);
	while ((c = getopt(argc, argv, "+gi:o:")) != -1) {
		switch (c) {
		case 'g': group = 1; break;
		case 'i': sigaddset(&ignored, help_signal(optarg)); break;
		case 'o': file = optarg; break;
		default: return 2;
		}
	}
	if (argc - optind < 2)
		errx(2, "usage: help_signals [-g] [-o FILE] PLAN COMMAND");
	n = parse_plan(argv[optind], plan);
	signal(SIGCHLD, SIG_DFL);
	start = help_now();
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (child == 0)
		run(argv + optind + 1, &ignored);
	setpgid(child, child);
	signal(SIGTERM, on_end);
	signal(SIGHUP, on_end);
	signal(SIGINT, on_end);
	status = watch(plan, n, group, start);
	if (file)
		report(file, status, help_now() - start);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
