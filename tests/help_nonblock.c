/*
 * help_nonblock COMMAND [ARGUMENT]...
 *
 * Become COMMAND with standard input and output non-blocking, as some parents
 * leave their pipes.
 */
#include <fcntl.h>
#include "help.h"

int main(int argc, char **argv)
{
	if (argc < 2)
		errx(2, "no command");
	for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++)
		if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0)
			err(1, "descriptor %d", fd);
	execvp(argv[1], argv + 1);
	err(127, "%s", argv[1]);
}
