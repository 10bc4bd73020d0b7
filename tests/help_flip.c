/*
 * help_flip [-d LENGTH] OFFSET
 *
 * Copy standard input to standard output with one fault: the byte at
 * OFFSET is changed, or with -d LENGTH bytes from there on are left out.
 */
#include "help.h"

static unsigned char buffer[65536];

static void put(const unsigned char *p, size_t n)
{
	while (n > 0) {
		ssize_t w = write(1, p, n);

		if (w <= 0)
			err(1, "write");
		p += w;
		n -= (size_t)w;
	}
}

int main(int argc, char **argv)
{
	unsigned long long from, to, at = 0;
	double drop = 0;
	ssize_t n;
	int c;

	while ((c = getopt(argc, argv, "d:")) != -1) {
		if (c != 'd')
			return 2;
		drop = help_number(optarg);
	}
	if (argc - optind != 1)
		errx(2, "usage: help_flip [-d LENGTH] OFFSET");
	from = (unsigned long long)help_number(argv[optind]);
	to = from + (unsigned long long)drop;
	while ((n = read(0, buffer, sizeof(buffer))) > 0) {
		unsigned long long end = at + (unsigned long long)n;

		if (drop == 0) {
			if (from >= at && from < end)
				buffer[from - at] ^= 0x10;
			put(buffer, (size_t)n);
		} else {
			if (at < from)
				put(buffer, (size_t)((end < from ? end : from) - at));
			if (end > to)
				put(buffer + (at < to ? to - at : 0),
				    (size_t)(end - (at < to ? to : at)));
		}
		at = end;
	}
	return 0;
}
