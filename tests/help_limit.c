/*
 * help_limit [-n FILES] [-v BYTES] [-p PROCESSES] COMMAND [ARGUMENT]...
 *
 * Run COMMAND under limits, soft and hard alike: open files, address
 * space, and processes.  The last one counts a user's processes and does
 * not bind root, so with -p it becomes a user that nobody is; only root
 * can: exit 125 and a reason for anybody else.
 */
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <grp.h>
#include <sys/resource.h>
#include "help.h"

/* Beyond what systems give away; other runs of the tests have others. */
#define NOBODY_ELSE (100000 + (uid_t)getpid() % 1000000)

static struct rlimit both(const char *value)
{
	struct rlimit r;

	r.rlim_cur = (rlim_t)help_number(value);
	r.rlim_max = r.rlim_cur;
	return r;
}

static void limit_processes(const char *value)
{
#ifdef RLIMIT_NPROC
	struct rlimit r = both(value);

	if (geteuid() != 0)
		errx(125, "only root can become another user");
	if (setrlimit(RLIMIT_NPROC, &r) < 0 || setgroups(0, NULL) < 0 ||
	    setgid((gid_t)NOBODY_ELSE) < 0 || setuid(NOBODY_ELSE) < 0)
		err(125, "setuid");
#else
	errx(125, "no limit of processes here: %s", value);
#endif
}

int main(int argc, char **argv)
{
	struct rlimit r;
	int c;

	while ((c = getopt(argc, argv, "+n:v:p:")) != -1) {
		switch (c) {
		case 'n':
			r = both(optarg);
			if (setrlimit(RLIMIT_NOFILE, &r) < 0)
				err(125, "setrlimit");
			break;
		case 'v':
			r = both(optarg);
			if (setrlimit(RLIMIT_AS, &r) < 0)
				err(125, "setrlimit");
			break;
		case 'p': limit_processes(optarg); break;
		default: return 2;
		}
	}
	if (optind == argc)
		errx(2, "no command");
	execvp(argv[optind], argv + optind);
	err(127, "%s", argv[optind]);
}
