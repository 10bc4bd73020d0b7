/*
 * help_defaults [-i SIGNAL]... COMMAND [ARGUMENT]...
 *
 * Become COMMAND with every signal at its default, except those of -i,
 * which are ignored: a background job of a script has SIGINT ignored, and
 * nobody knows what the tests were started from.
 */
#include "help.h"

int main(int argc, char **argv)
{
	int c;

	help_default_signals();
	while ((c = getopt(argc, argv, "+i:")) != -1) {
		if (c != 'i')
			return 2;
		signal(help_signal(optarg), SIG_IGN);
	}
	if (optind == argc)
		errx(2, "no command");
	execvp(argv[optind], argv + optind);
	err(127, "%s", argv[optind]);
}
