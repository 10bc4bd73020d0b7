/*
 * help_connect [-n TIMES] [-r] [-w TEXT] [-k SECONDS] HOST PORT
 *
 * Connect and close at once, TIMES times, as a port scan does; -w: send
 * TEXT first, as a lost web browser does; -k: stay for so long; -r: end
 * with a reset.
 */
#include "help.h"

int main(int argc, char **argv)
{
	struct help_address a;
	const char *text = "";
	long i, times = 1;
	int c, reset = 0;
	double stay = 0;

	signal(SIGPIPE, SIG_IGN);
	while ((c = getopt(argc, argv, "n:rw:k:")) != -1) {
		switch (c) {
		case 'n': times = (long)help_number(optarg); break;
		case 'r': reset = 1; break;
		case 'w': text = optarg; break;
		case 'k': stay = help_number(optarg); break;
		default: return 2;
		}
	}
	if (argc - optind < 1)
		errx(2, "usage: help_connect [options] HOST PORT");
	help_resolve(argv[optind], argv[optind + 1], &a);
	for (i = 0; i < times; i++) {
		int fd = help_connect(&a, 0);

		if (*text && write(fd, text, strlen(text)) < 0)
			warn("write");
		help_sleep(stay);
		if (reset)
			help_reset_on_close(fd);
		close(fd);
	}
	return 0;
}
