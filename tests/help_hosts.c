/*
 * help_hosts FILE COMMAND [ARGUMENT]...
 *
 * Run COMMAND where FILE stands for /etc/hosts, in a mount namespace of its
 * own: what "localhost" means differs between systems.  Exit 125 and a
 * reason when that is not permitted here.
 */
#ifdef __linux__
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mount.h>
#endif
#include "help.h"

static void prepare(const char *file)
{
#ifdef __linux__
	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		err(125, "a mount namespace is not permitted");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(file, "/etc/hosts", NULL, MS_BIND, NULL) < 0)
		err(125, "mount over /etc/hosts");
#else
	errx(125, "%s: needs Linux", file);
#endif
}

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: help_hosts FILE COMMAND");
	prepare(argv[1]);
	execvp(argv[2], argv + 2);
	err(127, "%s", argv[2]);
}
