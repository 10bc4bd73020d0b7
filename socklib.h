/*
 * socklib: sockets set up from strings.
 *
 * What both programs share: strict numbers, addresses, and above all the
 * table of socket options with the parser that applies them from a string
 * such as "TCP_NODELAY SO_RCVBUF=8192".  One row of the table drives parsing,
 * setting, reading back, "-t help" and the check of sock_options(7).
 *
 * Nothing here prints, exits or keeps state.  What fails returns -1 (NULL for
 * a pointer) and, where there is something to tell, fills in a cause; the
 * programs speak.
 */
#ifndef SOCKLIB_H
#define SOCKLIB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * Why something failed, in the parts of one sentence:
 * "program: STEP OBJECT: REASON".  object may be empty.
 */
struct sock_cause {
	int status;	  /* exit status it calls for: 1 failed, 2 usage */
	int err;	  /* errno, 0 when no system call was to blame */
	char step[32];	  /* "connect", "setsockopt TCP_MAXSEG=1", "-p" */
	char object[256]; /* "localhost port 7001" */
	char reason[1024];
};

/* Fill in a cause and return -1: the caller was called wrongly (status 2). */
int sock_usage(struct sock_cause *cause, const char *step, const char *reason, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for a failed system call; reason NULL means strerror(err). */
int sock_failed(struct sock_cause *cause, const char *step, const char *object, int err,
		const char *reason);

/*
 * Numbers.  The whole text must be the number: no sign, no blanks, nothing
 * behind it.  On failure -1, and why is "not a number" or names the range.
 */
#define SOCK_NUMBER_SIZE 1 /* K, M, G behind it: powers of 1024 */
#define SOCK_NUMBER_HEX 2  /* 0x in front */

int sock_number(const char *text, int accept, uint64_t min, uint64_t max, uint64_t *value,
		char *why, size_t size);

/* Seconds with an optional decimal fraction: "2", "0.25", ".5"; errors as above. */
int sock_seconds(const char *text, double min, double max, double *value, char *why, size_t size);

/* Addresses: IPv4, IPv6, and AF_UNIX for a host with a slash in it. */
struct sock_address {
	struct sockaddr_storage sa;
	socklen_t length;
};

#define SOCK_ADDRESS_TEXT 128 /* room for sock_address_text() */
#define SOCK_ADDRESSES 16     /* of one name at most that are looked at */

/*
 * All addresses of host in the order to try them; at most max of them, their
 * number is returned.  host NULL: the loopback addresses, 127.0.0.1 and ::1.
 * A host that is a path must fit sun_path (unix(7)).
 */
int sock_resolve(const char *host, unsigned int port, struct sock_address *list, int max,
		 struct sock_cause *cause);

/* "127.0.0.1:7001", "[::1]:7001", a path; with_port 0: without the port. */
void sock_address_text(const struct sock_address *address, int with_port, char *text, size_t size);

/* 127.0.0.0/8 or ::1. */
int sock_address_is_loopback(const struct sock_address *address);
/* 0 for AF_UNIX, where setting does nothing. */
unsigned int sock_address_port(const struct sock_address *address);
void sock_address_set_port(struct sock_address *address, unsigned int port);

/* The local or the peer's address of a connection; empty where there is none. */
void sock_address_local(int fd, struct sock_address *address);
void sock_address_peer(int fd, struct sock_address *address);

/* Socket options: rows of the table. */
enum sock_kind {
	SOCK_BOOL,   /* int 0 or 1; bare name: 1 */
	SOCK_INT,    /* int, by number or by one of names */
	SOCK_LONG,   /* 64 bits where the kernel takes them */
	SOCK_FIXED,  /* int, always min */
	SOCK_TIME,   /* struct timeval, from seconds */
	SOCK_LINGER, /* struct linger, from seconds or "off" */
	SOCK_STRING
};

enum sock_when {
	SOCK_ANYTIME,
	SOCK_EARLY, /* only before connect() or listen() */
	SOCK_LATE   /* only on a connection */
};

/* How what the kernel reads back compares with what was asked. */
enum sock_compare {
	SOCK_SAME,
	SOCK_DOUBLED,	 /* Linux doubles buffer sizes: socket(7) */
	SOCK_ROUNDED_UP, /* to the kernel's tick */
	SOCK_FLOOR,	 /* raised to a minimum, never lowered */
	SOCK_INCOMPARABLE
};

struct sock_name {
	const char *name;
	unsigned int value;
};

struct sock_option {
	const char *name;
	int level;
	int option;
	enum sock_kind kind;
	enum sock_when when;
	enum sock_compare compare;
	uint64_t min; /* range of a number, in unit */
	uint64_t max;
	const char *unit;	       /* "" when there is none */
	const struct sock_name *names; /* other ways to say a number, or NULL */
	const char *cap;	       /* the sysctl that limits it, or NULL */
	const char *help;
};

struct sock_value {
	uint64_t number; /* SOCK_TIME: microseconds */
	char text[32];	 /* SOCK_STRING */
};

#define SOCK_LINGER_OFF UINT64_MAX

struct sock_setting {
	const struct sock_option *option;
	struct sock_value asked;
	char given[32]; /* the value as it was written, "64M" */
};

struct sock_options {
	char *text; /* as given */
	struct sock_setting *settings;
	size_t count;
};

/* The row number index, NULL behind the last. */
const struct sock_option *sock_option_row(size_t index);

/*
 * Parse an option string (grammar: sock_options(7)).  step is the letter to
 * complain about, "-t" or "-e".  NULL with a usage cause for what is refused.
 * All functions below take NULL for no options at all.
 */
struct sock_options *sock_options_parse(const char *text, const char *step,
					struct sock_cause *cause);
void sock_options_free(struct sock_options *options);

/* The string as it was given. */
const char *sock_options_text(const struct sock_options *options);

/* 1 when the row of this name is among them. */
int sock_options_have(const struct sock_options *options, const char *name);

/*
 * Set all options on fd, in order, once each.  On an IPv6 socket the rows of
 * IP_TOS set the traffic class.
 */
int sock_options_apply(const struct sock_options *options, int fd, struct sock_cause *cause);

/* What fd has now; -1 where the kernel does not say. */
int sock_option_read(const struct sock_option *option, int fd, struct sock_value *value);

/* 1 when got is not what asked should give, by the row's way to compare. */
int sock_option_fell_short(const struct sock_setting *setting, const struct sock_value *got,
			   uint64_t *expected);

/* As an option string would say it; a timeval in seconds. */
void sock_value_text(const struct sock_option *option, const struct sock_value *value, char *text,
		     size_t size);

/*
 * A socket bound to address and listening, close-on-exec and non-blocking;
 * early options are set before listen().  Of AF_UNIX, a socket file on which
 * nobody answers is replaced, anything else in the way is left alone.
 */
int sock_listen(const struct sock_address *address, const struct sock_options *early,
		struct sock_cause *cause);

/*
 * A non-blocking socket on its way to address, early options set before
 * connect().  An AF_UNIX listener whose queue is full gives EAGAIN.
 */
int sock_connect(const struct sock_address *address, const struct sock_options *early,
		 struct sock_cause *cause);

/*
 * 1 when it has arrived, and is blocking from then on; 0 when it has not after
 * wait_ms; -1 with a cause when it never will.  fd stays the caller's.
 */
int sock_connected(int fd, const struct sock_address *address, int wait_ms,
		   struct sock_cause *cause);

/* 1 for the errors of an address or family that this host does not have. */
int sock_is_missing(int err);

/* A socket with nothing set, of the family of fd, to see what is the default. */
int sock_fresh(int fd);

/*
 * Try late options, of the family of address, on a connection made for the
 * purpose and closed again, so that a server knows at start what the kernel
 * refuses.
 */
int sock_options_try(const struct sock_options *late, const struct sock_address *address,
		     struct sock_cause *cause);

#endif
