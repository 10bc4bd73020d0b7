/*
 * plan: what a command line asks to be measured, and how.
 *
 * One table of option letters serves both programs: it drives getopt(3), the
 * usage text and the parsing, so the three cannot disagree.  A second table
 * holds the combinations that make no sense.
 *
 * A plan is of one setting: alternatives such as "-b 1K,64K" are taken apart
 * before (see sweep.h).
 */
#ifndef MEASURE_PLAN_H
#define MEASURE_PLAN_H

#include <stddef.h>
#include <stdint.h>

struct expect_test;
struct sock_cause;
struct sock_options;

enum plan_side { PLAN_SOURCE = 1, PLAN_SINK = 2 };

/* What the command line asks for before any measuring. */
enum plan_ask { PLAN_RUN, PLAN_HELP, PLAN_VERSION, PLAN_LIST_OPTIONS };

enum plan_place {
	PLAN_NET,    /* TCP */
	PLAN_PATH,   /* AF_UNIX: the host has a slash, or -x unix */
	PLAN_PIPE,   /* standard output or input: the host is "-", or -x pipe */
	PLAN_NOWHERE /* no connection: -x copy, file, mmap */
};

/* -x: what the bytes go through, and what bounds it. */
enum plan_transport {
	PLAN_TCP,
	PLAN_TCP6,
	PLAN_UNIX,
	PLAN_FIFO, /* "pipe" */
	PLAN_COPY,
	PLAN_FILE,
	PLAN_MMAP,
	PLAN_TRANSPORTS /* their number */
};

#define PLAN_TRANSPORT_NAMES "tcp tcp6 unix pipe copy file mmap"

#define PLAN_SAVED 2	  /* saved outputs at most */
#define PLAN_SWEPT "tebC" /* options of the header that take alternatives */

struct plan {
	enum plan_side side;
	enum plan_ask ask;
	uint64_t block;		       /* -b, bytes per call */
	int cpu;		       /* -C, -1: any */
	int check;		       /* -c */
	double pause_s;		       /* -D, between two calls */
	double duration_s;	       /* -d, of a connection; 0: until interrupted */
	struct sock_options *early;    /* -e, NULL: none */
	const char *host;	       /* -H, NULL: the default */
	double interval_s;	       /* -i */
	int json;		       /* -j */
	uint64_t connections;	       /* -n, 0: without end */
	unsigned int port;	       /* -p */
	struct sock_options *late;     /* -t, NULL: none */
	int verbose;		       /* -v */
	uint64_t at_most;	       /* -m, connections at once, 0: no limit; source */
	int sendfile;		       /* -S; source */
	int ledger;		       /* -l; sink */
	double gap_s;		       /* -g, between connections; sink */
	int discard;		       /* -z; sink */
	uint64_t parallel;	       /* -P, connections at once in a round; sink */
	int report;		       /* -R; sink */
	double warm_up_s;	       /* -w, the first part of a connection; sink */
	const char *saved[PLAN_SAVED]; /* -r; sink */
	size_t saved_count;
	struct expect_test *tests; /* -E; sink */
	size_t test_count;
	int serve;				   /* -s: start a source for it; sink */
	enum plan_transport transport;		   /* -x; sink */
	uint64_t seed;				   /* -o, of the order of a sweep; sink */
	int no_cliffs;				   /* -f; sink */
	int of_sweep;				   /* one of several settings */
	const char *swept[sizeof(PLAN_SWEPT) - 1]; /* see plan_set_swept() */
	uint64_t given;				   /* which letters stood there, see plan_given() */
};

/* A row of the option table, as the usage text shows it. */
struct plan_option {
	char letter;
	int sides;	      /* enum plan_side, or both */
	const char *argument; /* "SIZE", NULL when it takes none */
	const char *source_help;
	const char *sink_help; /* NULL: as source_help */
};

const struct plan_option *plan_option_row(size_t index);

/*
 * The options of a command line, one after the other, by getopt(3); "--" ends
 * them.  One command line is scanned to its end before the next is begun: a
 * sweep looks at thousands.
 */
struct plan_scan {
	enum plan_side side;
	int argc;
	char **argv;
	int at;		   /* the next argument; at the end the first behind "--" */
	char letter;	   /* of the option */
	char *argument;	   /* its value, NULL where it takes none */
	const char *stray; /* a word that is no option, which ends them too, or NULL */
};

void plan_scan_begin(struct plan_scan *scan, enum plan_side side, int argc, char **argv);

/* 1 and the next option; 0 at the end; -1 with a usage cause. */
int plan_scan_next(struct plan_scan *scan, struct sock_cause *cause);

/* What is wrong with a word that is no option. */
int plan_stray(const char *word, struct sock_cause *cause);

/*
 * Parse and check a command line.  -1 with a usage cause (status 2) for what
 * is wrong in itself or in combination.  The plan points into argv.
 */
int plan_parse(struct plan *plan, enum plan_side side, int argc, char **argv,
	       struct sock_cause *cause);

/* The same for one of the settings of a sweep, which has other defaults. */
int plan_parse_setting(struct plan *plan, enum plan_side side, int argc, char **argv,
		       struct sock_cause *cause);

/* What plan_parse() got, also where it failed. */
void plan_free(struct plan *plan);

/* "1.0-3f2a91c": the version, and the commit where it is known. */
const char *plan_version(void);

/* 1 when this letter stood on the command line. */
int plan_given(const struct plan *plan, char letter);

/* Where the transfer goes, by the form of the host, or by -x. */
enum plan_place plan_place(const struct plan *plan);

/* "tcp6", as -x has it. */
const char *plan_transport_name(enum plan_transport transport);

/* 1 when the sink makes more than one connection: intervals have other defaults. */
int plan_is_run(const struct plan *plan);

/* 0 when only saved outputs are looked at. */
int plan_is_live(const struct plan *plan);

/* 1 when the kernel is to be asked about each connection. */
int plan_is_watched(const struct plan *plan);

/*
 * A header is of all settings of a sweep: what varies stands there as it was
 * given.  NULL where it does not.
 */
void plan_set_swept(struct plan *plan, char letter, const char *text);
const char *plan_swept(const struct plan *plan, char letter);

/* What a header says: NAME=VALUE, in brackets where it is an option string. */
struct plan_setting {
	const char *name;
	int is_string;
	const char *value; /* "": not said, since it is as by default */
	char room[32];	   /* for a number */
};

/* The setting number index, in the order of a header.  0 behind the last. */
int plan_setting(const struct plan *plan, size_t index, struct plan_setting *setting);

#endif
