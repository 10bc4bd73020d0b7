/*
 * help_cpu FILE COMMAND [ARGUMENT]...
 *
 * Run COMMAND and write the CPU seconds that it and all it waited for
 * have used to FILE.  The exit status is the command's.
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include "help.h"

static volatile pid_t child;

static void pass_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = pass_on };
	struct rusage u;
	int status;
	FILE *f;

	if (argc < 3)
		errx(2, "usage: help_cpu FILE COMMAND");
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (child == 0) {
		help_default_signals();
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			err(1, "waitpid");
	getrusage(RUSAGE_CHILDREN, &u);
	f = fopen(argv[1], "w");
	if (!f)
		err(1, "%s", argv[1]);
	fprintf(f, "%.6f\n",
		(double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6 +
			(double)u.ru_stime.tv_sec + (double)u.ru_stime.tv_usec / 1e6);
	if (fclose(f) != 0)
		err(1, "%s", argv[1]);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
