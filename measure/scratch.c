/* Files for the time of a run: see scratch.h. */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../socklib.h"

#define NAME "/socklib.XXXXXX"
#define PATH_LONGEST 4096

static const char *place(void)
{
	const char *given = getenv("TMPDIR");

	return given && *given ? given : "/tmp";
}

int scratch_file(const char *step, struct sock_cause *cause)
{
	char path[PATH_LONGEST];
	int fd;

	if (strlen(place()) + sizeof(NAME) > sizeof(path))
		return sock_failed(cause, step, "$TMPDIR", ENAMETOOLONG, NULL);
	snprintf(path, sizeof(path), "%s%s", place(), NAME);
	fd = mkstemp(path);
	if (fd < 0)
		return sock_failed(cause, step, place(), errno, NULL);
	unlink(path);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* mktemp() would do, but a linker warns of it: of a name that others may take. */
int scratch_name(const char *step, char *text, size_t longest, struct sock_cause *cause)
{
	const char *where = strlen(place()) + sizeof(NAME) > longest ? "/tmp" : place();

	snprintf(text, longest, "%s%s", where, NAME);
	if (mkdtemp(text) && rmdir(text) == 0)
		return 0;
	text[0] = '\0';
	return sock_failed(cause, step, where, errno, NULL);
}
