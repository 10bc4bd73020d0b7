/* Sockets set up from strings: see socklib.h. */
#include "socklib.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define SCRATCH_MS 1000 /* for a connection of this host with itself */

/* ---- causes ---- */

int sock_usage(struct sock_cause *cause, const char *step, const char *reason, ...)
{
	va_list ap;

	*cause = (struct sock_cause){ .status = 2 };
	snprintf(cause->step, sizeof(cause->step), "%s", step);
	va_start(ap, reason);
	vsnprintf(cause->reason, sizeof(cause->reason), reason, ap);
	va_end(ap);
	return -1;
}

int sock_failed(struct sock_cause *cause, const char *step, const char *object, int err,
		const char *reason)
{
	*cause = (struct sock_cause){ .status = 1, .err = err };
	snprintf(cause->step, sizeof(cause->step), "%s", step);
	snprintf(cause->object, sizeof(cause->object), "%s", object);
	snprintf(cause->reason, sizeof(cause->reason), "%s", reason ? reason : strerror(err));
	return -1;
}

/* ---- numbers ---- */

static int not_a_number(char *why, size_t size)
{
	snprintf(why, size, "not a number");
	return -1;
}

static int suffix_shift(char c)
{
	switch (c) {
	case 'k':
	case 'K': return 10;
	case 'm':
	case 'M': return 20;
	case 'g':
	case 'G': return 30;
	default: return 0;
	}
}

int sock_number(const char *text, int accept, uint64_t min, uint64_t max, uint64_t *value,
		char *why, size_t size)
{
	int base = 10, shift = 0, negative = text[0] == '-';
	const char *start = text + negative;
	char *end;
	unsigned long long n;

	if ((accept & SOCK_NUMBER_HEX) && start[0] == '0' &&
	    tolower((unsigned char)start[1]) == 'x')
		base = 16;
	/* strtoull() would skip blanks and take a sign. */
	if (base == 16 ? !isxdigit((unsigned char)start[2]) : !isdigit((unsigned char)start[0]))
		return not_a_number(why, size);
	errno = 0;
	n = strtoull(start, &end, base);
	if ((accept & SOCK_NUMBER_SIZE) && base == 10)
		shift = suffix_shift(*end);
	if (end[shift != 0]) {
		snprintf(why, size, *end == '.' ? "not a whole number" : "not a number");
		return -1;
	}
	if (negative || errno || n > (UINT64_MAX >> shift) || n << shift < min ||
	    n << shift > max) {
		snprintf(why, size, "must be %" PRIu64 " to %" PRIu64, min, max);
		return -1;
	}
	*value = n << shift;
	return 0;
}

int sock_seconds(const char *text, double min, double max, double *value, char *why, size_t size)
{
	const char *start = text + (text[0] == '-');
	size_t digits = strspn(start, "0123456789");
	size_t fraction = start[digits] == '.' ? strspn(start + digits + 1, "0123456789") : 0;
	double seconds;

	if (digits + fraction == 0 || start[digits + (start[digits] == '.') + fraction])
		return not_a_number(why, size);
	seconds = strtod(text, NULL);
	if (text[0] == '-' || seconds < min || seconds > max) {
		snprintf(why, size, "must be %.10g to %.10g seconds", min, max);
		return -1;
	}
	*value = seconds;
	return 0;
}

/* ---- addresses ---- */

static int resolve_path(const char *path, struct sock_address *address, struct sock_cause *cause)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(un.sun_path))
		return sock_usage(cause, "-H", "\"%s\": a socket path is at most %zu bytes long",
				  path, sizeof(un.sun_path) - 1);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	*address = (struct sock_address){ .length = sizeof(un) };
	memcpy(&address->sa, &un, sizeof(un));
	return 1;
}

static int same_address(const struct sock_address *a, const struct sock_address *b)
{
	return a->length == b->length && memcmp(&a->sa, &b->sa, a->length) == 0;
}

static int known_address(const struct sock_address *list, int count, const struct sock_address *one)
{
	for (int i = 0; i < count; i++)
		if (same_address(&list[i], one))
			return 1;
	return 0;
}

static int resolve_name(const char *host, unsigned int port, struct sock_address *list, int max,
			struct sock_cause *cause)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all;
	struct sock_address one;
	int count = 0, error = getaddrinfo(host, NULL, &hints, &all);

	if (error)
		return sock_failed(cause, "resolve", host, error == EAI_SYSTEM ? errno : 0,
				   error == EAI_SYSTEM ? NULL : gai_strerror(error));
	for (struct addrinfo *ai = all; ai && count < max; ai = ai->ai_next) {
		if (ai->ai_addrlen > sizeof(one.sa))
			continue;
		one = (struct sock_address){ .length = ai->ai_addrlen };
		memcpy(&one.sa, ai->ai_addr, ai->ai_addrlen);
		sock_address_set_port(&one, port);
		if (!known_address(list, count, &one))
			list[count++] = one;
	}
	freeaddrinfo(all);
	return count;
}

int sock_resolve(const char *host, unsigned int port, struct sock_address *list, int max,
		 struct sock_cause *cause)
{
	int v4, v6;

	if (host)
		return strchr(host, '/') ? resolve_path(host, list, cause)
					 : resolve_name(host, port, list, max, cause);
	v4 = resolve_name("127.0.0.1", port, list, max, cause);
	if (v4 < 0)
		return -1;
	v6 = resolve_name("::1", port, list + v4, max - v4, cause);
	return v6 < 0 ? v4 : v4 + v6;
}

void sock_address_text(const struct sock_address *address, int with_port, char *text, size_t size)
{
	char host[64];
	const char *form;

	if (address->sa.ss_family == AF_UNIX) {
		const struct sockaddr_un *un = (const struct sockaddr_un *)&address->sa;

		snprintf(text, size, "%s", un->sun_path[0] ? un->sun_path : "(unnamed)");
		return;
	}
	if (getnameinfo((const struct sockaddr *)&address->sa, address->length, host, sizeof(host),
			NULL, 0, NI_NUMERICHOST)) {
		snprintf(text, size, "n/a");
		return;
	}
	if (!with_port) {
		snprintf(text, size, "%s", host);
		return;
	}
	form = address->sa.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u";
	snprintf(text, size, form, host, sock_address_port(address));
}

int sock_address_is_loopback(const struct sock_address *address)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->sa;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&address->sa;

	if (address->sa.ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
	return address->sa.ss_family == AF_INET &&
	       ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

unsigned int sock_address_port(const struct sock_address *address)
{
	if (address->sa.ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)&address->sa)->sin6_port);
	if (address->sa.ss_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)&address->sa)->sin_port);
	return 0;
}

void sock_address_set_port(struct sock_address *address, unsigned int port)
{
	if (address->sa.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&address->sa)->sin6_port = htons((uint16_t)port);
	else if (address->sa.ss_family == AF_INET)
		((struct sockaddr_in *)&address->sa)->sin_port = htons((uint16_t)port);
}

void sock_address_local(int fd, struct sock_address *address)
{
	*address = (struct sock_address){ .length = sizeof(address->sa) };
	if (getsockname(fd, (struct sockaddr *)&address->sa, &address->length))
		address->length = 0;
}

void sock_address_peer(int fd, struct sock_address *address)
{
	*address = (struct sock_address){ .length = sizeof(address->sa) };
	if (getpeername(fd, (struct sockaddr *)&address->sa, &address->length))
		address->length = 0;
}

/* ---- the table of socket options ---- */

/* clang-format off */
/* RFC 2474, 2597, 3246, 8622: the DSCP is the upper six bits of the field. */
static const struct sock_name tos_names[] = {
	{ "LE", 0x04 }, { "EF", 0xb8 }, { "VA", 0xb0 },
	{ "CS0", 0x00 }, { "CS1", 0x20 }, { "CS2", 0x40 }, { "CS3", 0x60 },
	{ "CS4", 0x80 }, { "CS5", 0xa0 }, { "CS6", 0xc0 }, { "CS7", 0xe0 },
	{ "AF11", 0x28 }, { "AF12", 0x30 }, { "AF13", 0x38 },
	{ "AF21", 0x48 }, { "AF22", 0x50 }, { "AF23", 0x58 },
	{ "AF31", 0x68 }, { "AF32", 0x70 }, { "AF33", 0x78 },
	{ "AF41", 0x88 }, { "AF42", 0x90 }, { "AF43", 0x98 },
	{ NULL, 0 }
};

#ifdef IP_MTU_DISCOVER
static const struct sock_name pmtu_names[] = {
	{ "DONT", IP_PMTUDISC_DONT }, { "WANT", IP_PMTUDISC_WANT }, { "DO", IP_PMTUDISC_DO },
	{ "PROBE", IP_PMTUDISC_PROBE }, { NULL, 0 }
};
#endif

/* clang-format on */

#ifdef __linux__
#define BUFFER SOCK_DOUBLED
#else
#define BUFFER SOCK_SAME
#endif

static const struct sock_option table[] = {
	{ "SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE, SOCK_BOOL, SOCK_ANYTIME, SOCK_SAME, 0, 1, "",
	  NULL, NULL, "probe idle connections" },
	{ "SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR, SOCK_BOOL, SOCK_EARLY, SOCK_SAME, 0, 1, "",
	  NULL, NULL, "bind beside connections that linger; the source always does" },
	{ "SO_BROADCAST", SOL_SOCKET, SO_BROADCAST, SOCK_BOOL, SOCK_ANYTIME, SOCK_SAME, 0, 1, "",
	  NULL, NULL, "allow broadcast; means nothing to TCP" },
	{ "SO_SNDBUF", SOL_SOCKET, SO_SNDBUF, SOCK_INT, SOCK_ANYTIME, BUFFER, 0, INT32_MAX, "bytes",
	  NULL, "net.core.wmem_max", "send buffer; ends its autotuning" },
	{ "SO_RCVBUF", SOL_SOCKET, SO_RCVBUF, SOCK_INT, SOCK_ANYTIME, BUFFER, 0, INT32_MAX, "bytes",
	  NULL, "net.core.rmem_max",
	  "receive buffer; ends its autotuning; early it decides the window scale" },
#ifdef SO_SNDBUFFORCE
	{ "SO_SNDBUFFORCE", SOL_SOCKET, SO_SNDBUFFORCE, SOCK_INT, SOCK_ANYTIME, BUFFER, 0,
	  INT32_MAX, "bytes", NULL, NULL, "SO_SNDBUF above wmem_max, for root" },
	{ "SO_RCVBUFFORCE", SOL_SOCKET, SO_RCVBUFFORCE, SOCK_INT, SOCK_ANYTIME, BUFFER, 0,
	  INT32_MAX, "bytes", NULL, NULL, "SO_RCVBUF above rmem_max, for root" },
#endif
	{ "SO_RCVLOWAT", SOL_SOCKET, SO_RCVLOWAT, SOCK_INT, SOCK_ANYTIME, SOCK_FLOOR, 0, INT32_MAX,
	  "bytes", NULL, "net.ipv4.tcp_rmem", "a read waits for so much" },
	{ "SO_SNDTIMEO", SOL_SOCKET, SO_SNDTIMEO, SOCK_TIME, SOCK_ANYTIME, SOCK_ROUNDED_UP, 0,
	  1000000, "seconds", NULL, NULL, "give up a write after this (0: never)" },
	{ "SO_RCVTIMEO", SOL_SOCKET, SO_RCVTIMEO, SOCK_TIME, SOCK_ANYTIME, SOCK_ROUNDED_UP, 0,
	  1000000, "seconds", NULL, NULL, "give up a read after this (0: never)" },
	{ "SO_LINGER", SOL_SOCKET, SO_LINGER, SOCK_LINGER, SOCK_ANYTIME, SOCK_SAME, 0, 32767,
	  "seconds", NULL, NULL, "close() waits so long for unsent data, then resets" },
#ifdef SO_PRIORITY
	{ "SO_PRIORITY", SOL_SOCKET, SO_PRIORITY, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 0, INT32_MAX,
	  "", NULL, NULL, "priority of packets in the qdisc" },
#endif
#ifdef SO_MARK
	{ "SO_MARK", SOL_SOCKET, SO_MARK, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 0, UINT32_MAX, "",
	  NULL, NULL, "mark for routing and filters, for root" },
#endif
#ifdef SO_BUSY_POLL
	{ "SO_BUSY_POLL", SOL_SOCKET, SO_BUSY_POLL, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 0, INT32_MAX,
	  "us", NULL, NULL, "poll the device so long before a read sleeps" },
#endif
#ifdef SO_MAX_PACING_RATE
	{ "SO_MAX_PACING_RATE", SOL_SOCKET, SO_MAX_PACING_RATE, SOCK_LONG, SOCK_ANYTIME, SOCK_SAME,
	  0, UINT64_MAX, "bytes/s", NULL, NULL, "pace the sender" },
#endif
#ifdef SO_BINDTODEVICE
	{ "SO_BINDTODEVICE", SOL_SOCKET, SO_BINDTODEVICE, SOCK_STRING, SOCK_EARLY, SOCK_SAME, 1, 15,
	  "", NULL, NULL, "use this interface only" },
#endif
	{ "TCP_NODELAY", IPPROTO_TCP, TCP_NODELAY, SOCK_BOOL, SOCK_ANYTIME, SOCK_SAME, 0, 1, "",
	  NULL, NULL, "send small writes at once (no Nagle)" },
#ifdef TCP_CORK
	{ "TCP_CORK", IPPROTO_TCP, TCP_CORK, SOCK_BOOL, SOCK_ANYTIME, SOCK_SAME, 0, 1, "", NULL,
	  NULL, "hold back small segments for up to 0.2 s" },
#endif
#ifdef TCP_QUICKACK
	{ "TCP_QUICKACK", IPPROTO_TCP, TCP_QUICKACK, SOCK_BOOL, SOCK_LATE, SOCK_INCOMPARABLE, 0, 1,
	  "", NULL, NULL, "acknowledge at once, for a while" },
#endif
	{ "TCP_MAXSEG", IPPROTO_TCP, TCP_MAXSEG, SOCK_INT, SOCK_EARLY, SOCK_INCOMPARABLE, 88, 32767,
	  "bytes", NULL, NULL, "largest segment" },
#ifdef TCP_CONGESTION
	{ "TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, SOCK_STRING, SOCK_ANYTIME, SOCK_SAME, 1,
	  15, "", NULL, NULL, "congestion control" },
#endif
#ifdef TCP_NOTSENT_LOWAT
	{ "TCP_NOTSENT_LOWAT", IPPROTO_TCP, TCP_NOTSENT_LOWAT, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 0,
	  UINT32_MAX, "bytes", NULL, NULL, "a write waits while more than this is unsent" },
#endif
#ifdef TCP_WINDOW_CLAMP
	{ "TCP_WINDOW_CLAMP", IPPROTO_TCP, TCP_WINDOW_CLAMP, SOCK_INT, SOCK_ANYTIME, SOCK_FLOOR, 0,
	  INT32_MAX, "bytes", NULL, NULL, "largest window to advertise" },
#endif
#ifdef TCP_USER_TIMEOUT
	{ "TCP_USER_TIMEOUT", IPPROTO_TCP, TCP_USER_TIMEOUT, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 0,
	  INT32_MAX, "ms", NULL, NULL, "give up when sent data stays unacknowledged so long" },
#endif
#ifdef TCP_KEEPIDLE
	{ "TCP_KEEPIDLE", IPPROTO_TCP, TCP_KEEPIDLE, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 1, 32767,
	  "seconds", NULL, NULL, "idle time before the first probe" },
	{ "TCP_KEEPINTVL", IPPROTO_TCP, TCP_KEEPINTVL, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 1, 32767,
	  "seconds", NULL, NULL, "time between probes" },
	{ "TCP_KEEPCNT", IPPROTO_TCP, TCP_KEEPCNT, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 1, 127, "",
	  NULL, NULL, "probes before giving up" },
#endif
#ifdef TCP_THIN_LINEAR_TIMEOUTS
	{ "TCP_THIN_LINEAR_TIMEOUTS", IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS, SOCK_BOOL,
	  SOCK_ANYTIME, SOCK_SAME, 0, 1, "", NULL, NULL, "no backoff for thin streams" },
#endif
#ifdef TCP_TX_DELAY
	{ "TCP_TX_DELAY", IPPROTO_TCP, TCP_TX_DELAY, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 0,
	  INT32_MAX, "us", NULL, NULL, "delay what is sent (needs the fq qdisc)" },
#endif
	{ "IP_TOS", IPPROTO_IP, IP_TOS, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 0, 255, "", tos_names,
	  NULL, "type of service, or traffic class; lowest two bits are the kernel's" },
	{ "IPTOS_LOWDELAY", IPPROTO_IP, IP_TOS, SOCK_FIXED, SOCK_ANYTIME, SOCK_SAME, 0x10, 0x10, "",
	  NULL, NULL, "IP_TOS=16, as in 1998" },
	{ "IPTOS_THROUGHPUT", IPPROTO_IP, IP_TOS, SOCK_FIXED, SOCK_ANYTIME, SOCK_SAME, 0x08, 0x08,
	  "", NULL, NULL, "IP_TOS=8, as in 1998" },
	{ "IPTOS_RELIABILITY", IPPROTO_IP, IP_TOS, SOCK_FIXED, SOCK_ANYTIME, SOCK_SAME, 0x04, 0x04,
	  "", NULL, NULL, "IP_TOS=4, as in 1998" },
	{ "IPTOS_MINCOST", IPPROTO_IP, IP_TOS, SOCK_FIXED, SOCK_ANYTIME, SOCK_SAME, 0x02, 0x02, "",
	  NULL, NULL, "IP_TOS=2, as in 1998; an ECN bit today, which Linux clears" },
#ifdef IP_MTU_DISCOVER
	{ "IP_MTU_DISCOVER", IPPROTO_IP, IP_MTU_DISCOVER, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 0, 5,
	  "", pmtu_names, NULL, "path MTU discovery" },
#endif
#ifdef IPV6_TCLASS
	{ "IPV6_TCLASS", IPPROTO_IPV6, IPV6_TCLASS, SOCK_INT, SOCK_ANYTIME, SOCK_SAME, 0, 255, "",
	  tos_names, NULL, "traffic class of an IPv6 socket" },
#endif
};

const struct sock_option *sock_option_row(size_t index)
{
	return index < sizeof(table) / sizeof(table[0]) ? &table[index] : NULL;
}

static const struct sock_option *find_option(const char *name)
{
	const struct sock_option *option;

	for (size_t i = 0; (option = sock_option_row(i)) != NULL; i++)
		if (strcasecmp(option->name, name) == 0)
			return option;
	return NULL;
}

/* Edits that turn one name into the other (Levenshtein), without case. */
static size_t name_distance(const char *a, const char *b)
{
	size_t row[64], lb = strlen(b);

	if (lb >= sizeof(row) / sizeof(row[0]))
		return SIZE_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (; *a; a++) {
		size_t diagonal = row[0]++;

		for (size_t j = 1; j <= lb; j++) {
			size_t best = diagonal + (tolower((unsigned char)*a) !=
						  tolower((unsigned char)b[j - 1]));

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

/* The known name that is most alike, NULL where none is. */
static const char *nearest_name(const char *name)
{
	const struct sock_option *option;
	size_t best = SIZE_MAX;
	const char *nearest = NULL;

	for (size_t i = 0; (option = sock_option_row(i)) != NULL; i++) {
		size_t distance = name_distance(name, option->name);

		if (distance < best) {
			best = distance;
			nearest = option->name;
		}
	}
	return best <= strlen(name) / 2 + 1 ? nearest : NULL;
}

static int unknown_name(struct sock_cause *cause, const char *step, const char *name)
{
	const char *nearest = nearest_name(name);

	if (nearest)
		return sock_usage(cause, step, "unknown option \"%.200s\"; nearest: %s", name,
				  nearest);
	return sock_usage(cause, step, "unknown option \"%.200s\"; -t help lists all", name);
}

/* ---- parsing option strings ---- */

static int number_by_name(const struct sock_name *names, const char *text, uint64_t *number)
{
	for (; names && names->name; names++)
		if (strcasecmp(names->name, text) == 0) {
			*number = names->value;
			return 0;
		}
	return -1;
}

static int parse_seconds(const char *text, double max, uint64_t unit, uint64_t *number, char *why,
			 size_t size)
{
	double seconds;

	if (sock_seconds(text, 0, max, &seconds, why, size))
		return -1;
	/* A time that is not 0 must not become 0, which means never. */
	*number = (uint64_t)ceil(seconds * (double)unit - 1e-6);
	return 0;
}

/* text is what stands behind "=", NULL where nothing does. */
static int parse_value(const struct sock_option *option, const char *text, struct sock_value *value,
		       char *why, size_t size)
{
	if (option->kind == SOCK_FIXED || (option->kind == SOCK_BOOL && !text)) {
		snprintf(why, size, "takes no value");
		value->number = option->kind == SOCK_FIXED ? option->min : 1;
		return text ? -1 : 0;
	}
	if (!text || !*text) {
		snprintf(why, size, "needs a value");
		return -1;
	}
	switch (option->kind) {
	case SOCK_TIME:
		return parse_seconds(text, (double)option->max, 1000000, &value->number, why, size);
	case SOCK_LINGER:
		value->number = SOCK_LINGER_OFF;
		if (strcasecmp(text, "off") == 0)
			return 0;
		return sock_number(text, 0, option->min, option->max, &value->number, why, size);
	case SOCK_STRING:
		if (strlen(text) > option->max) {
			snprintf(why, size, "longer than %" PRIu64 " characters", option->max);
			return -1;
		}
		snprintf(value->text, sizeof(value->text), "%s", text);
		return 0;
	case SOCK_BOOL: return sock_number(text, 0, 0, 1, &value->number, why, size);
	default:
		if (number_by_name(option->names, text, &value->number) == 0)
			return 0;
		return sock_number(text, SOCK_NUMBER_SIZE | SOCK_NUMBER_HEX, option->min,
				   option->max, &value->number, why, size);
	}
}

static int is_separator(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == ',';
}

/* Length of the option at s: double quotes protect separators. 0: no end quote. */
static size_t token_length(const char *s)
{
	size_t n = 0;
	int quoted = 0;

	for (; s[n] && (quoted || !is_separator(s[n])); n++)
		quoted ^= s[n] == '"';
	return quoted ? 0 : n;
}

/* Take the double quotes around a value away; -1 when they stand elsewhere. */
static int unquote(char *value)
{
	size_t n = strlen(value);

	if (n >= 2 && value[0] == '"' && value[n - 1] == '"') {
		memmove(value, value + 1, n - 2);
		value[n - 2] = '\0';
	}
	return strchr(value, '"') ? -1 : 0;
}

static int bad_token(struct sock_cause *cause, const char *step, const char *token,
		     const char *whole, const char *why)
{
	if (strcmp(token, whole) == 0)
		return sock_usage(cause, step, "\"%.200s\": %s", token, why);
	return sock_usage(cause, step, "\"%.200s\" in \"%.400s\": %s", token, whole, why);
}

static int parse_token(const char *token, struct sock_setting *setting, const char *step,
		       const char *whole, struct sock_cause *cause)
{
	char *name = strdup(token), *value, why[128];
	int ret;

	if (!name)
		return sock_failed(cause, step, "", errno, NULL);
	value = strchr(name, '=');
	if (value)
		*value++ = '\0';
	*setting = (struct sock_setting){ .option = find_option(name) };
	snprintf(setting->given, sizeof(setting->given), "%s", value ? value : "");
	if (!*name)
		ret = bad_token(cause, step, token, whole, "no name before the =");
	else if (!setting->option)
		ret = unknown_name(cause, step, name);
	else if (value && unquote(value))
		ret = bad_token(cause, step, token, whole, "quotes go around the whole value");
	else if (parse_value(setting->option, value, &setting->asked, why, sizeof(why)))
		ret = bad_token(cause, step, token, whole, why);
	else
		ret = 0;
	free(name);
	return ret;
}

static int add_token(struct sock_options *options, const char *s, size_t length, const char *step,
		     struct sock_cause *cause)
{
	size_t bytes = (options->count + 1) * sizeof(*options->settings);
	struct sock_setting *grown = realloc(options->settings, bytes);
	char *token;
	int ret;

	if (!grown)
		return sock_failed(cause, step, "", errno, NULL);
	options->settings = grown;
	token = strndup(s, length);
	if (!token)
		return sock_failed(cause, step, "", errno, NULL);
	ret = parse_token(token, &grown[options->count], step, options->text, cause);
	free(token);
	if (ret == 0)
		options->count++;
	return ret;
}

static int parse_string(struct sock_options *options, const char *step, struct sock_cause *cause)
{
	for (const char *s = options->text; *s;) {
		size_t n = token_length(s);

		if (is_separator(*s)) {
			s++;
			continue;
		}
		if (n == 0)
			return bad_token(cause, step, s, options->text, "no closing quote");
		if (add_token(options, s, n, step, cause))
			return -1;
		s += n;
	}
	return 0;
}

struct sock_options *sock_options_parse(const char *text, const char *step,
					struct sock_cause *cause)
{
	struct sock_options *options = calloc(1, sizeof(*options));

	if (options)
		options->text = strdup(text);
	if (!options || !options->text)
		sock_failed(cause, step, "", ENOMEM, NULL);
	else if (parse_string(options, step, cause) == 0)
		return options;
	sock_options_free(options);
	return NULL;
}

void sock_options_free(struct sock_options *options)
{
	if (!options)
		return;
	free(options->text);
	free(options->settings);
	free(options);
}

const char *sock_options_text(const struct sock_options *options)
{
	return options ? options->text : "";
}

int sock_options_have(const struct sock_options *options, const char *name)
{
	for (size_t i = 0; options && i < options->count; i++)
		if (strcmp(options->settings[i].option->name, name) == 0)
			return 1;
	return 0;
}

/* ---- setting and reading back ---- */

/* Where the kernel keeps the type of service of this socket: ipv6(7), ip(7). */
static void option_place(const struct sock_option *option, int fd, int *level, int *name)
{
	struct sock_address local;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&local.sa;

	*level = option->level;
	*name = option->option;
#ifdef IPV6_TCLASS
	if (option->level != IPPROTO_IP || option->option != IP_TOS)
		return;
	sock_address_local(fd, &local);
	if (local.sa.ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		*level = IPPROTO_IPV6;
		*name = IPV6_TCLASS;
	}
#else
	(void)fd;
	(void)in6;
#endif
}

static int set_one(const struct sock_setting *setting, int fd)
{
	uint64_t n = setting->asked.number;
	struct linger linger = { .l_onoff = n != SOCK_LINGER_OFF,
				 .l_linger = n == SOCK_LINGER_OFF ? 0 : (int)n };
	struct timeval time = { .tv_sec = (time_t)(n / 1000000),
				.tv_usec = (suseconds_t)(n % 1000000) };
	int number = (int)(uint32_t)n, level, name;

	option_place(setting->option, fd, &level, &name);
	switch (setting->option->kind) {
	case SOCK_TIME: return setsockopt(fd, level, name, &time, sizeof(time));
	case SOCK_LINGER: return setsockopt(fd, level, name, &linger, sizeof(linger));
	case SOCK_STRING:
		return setsockopt(fd, level, name, setting->asked.text,
				  (socklen_t)strlen(setting->asked.text));
	case SOCK_LONG: return setsockopt(fd, level, name, &n, sizeof(n));
	default: return setsockopt(fd, level, name, &number, sizeof(number));
	}
}

/* The kernel says only ENOENT for a congestion control that it lacks. */
static void congestion_reason(char *reason, size_t size)
{
	char line[128] = "";
	FILE *f = NULL;

#if defined(__linux__) && !defined(SOCKLIB_PORTABLE)
	f = fopen("/proc/sys/net/ipv4/tcp_available_congestion_control", "re");
#endif
	if (f && fgets(line, sizeof(line), f))
		line[strcspn(line, "\n")] = '\0';
	if (f)
		fclose(f);
	snprintf(reason, size, "not found; this kernel has: %s", *line ? line : "n/a");
}

int sock_options_apply(const struct sock_options *options, int fd, struct sock_cause *cause)
{
	for (size_t i = 0; options && i < options->count; i++) {
		const struct sock_setting *setting = &options->settings[i];
		char object[128], reason[192];
		int err;

		if (set_one(setting, fd) == 0)
			continue;
		err = errno;
		snprintf(reason, sizeof(reason), "%s", strerror(err));
#ifdef TCP_CONGESTION
		if (setting->option->option == TCP_CONGESTION &&
		    setting->option->level == IPPROTO_TCP && err == ENOENT)
			congestion_reason(reason, sizeof(reason));
#endif
		snprintf(object, sizeof(object), "%s%s%s", setting->option->name,
			 *setting->given ? "=" : "", setting->given);
		return sock_failed(cause, "setsockopt", object, err, reason);
	}
	return 0;
}

int sock_option_read(const struct sock_option *option, int fd, struct sock_value *value)
{
	union {
		int number;
		uint64_t wide;
		struct timeval time;
		struct linger linger;
		char text[sizeof(value->text)];
	} got = { .wide = 0 };
	socklen_t length = sizeof(int);
	int level, name;

	*value = (struct sock_value){ 0 };
	option_place(option, fd, &level, &name);
#ifdef SO_SNDBUFFORCE
	if (level == SOL_SOCKET && (name == SO_SNDBUFFORCE || name == SO_RCVBUFFORCE))
		name = name == SO_SNDBUFFORCE ? SO_SNDBUF : SO_RCVBUF;
#endif
	if (option->kind == SOCK_LONG)
		length = sizeof(got.wide);
	else if (option->kind == SOCK_TIME)
		length = sizeof(got.time);
	else if (option->kind == SOCK_LINGER)
		length = sizeof(got.linger);
	else if (option->kind == SOCK_STRING)
		length = sizeof(got.text) - 1;
	if (getsockopt(fd, level, name, &got, &length))
		return -1;
	if (option->kind == SOCK_LONG)
		value->number = got.wide;
	else if (option->kind == SOCK_TIME)
		value->number = (uint64_t)got.time.tv_sec * 1000000 + (uint64_t)got.time.tv_usec;
	else if (option->kind == SOCK_LINGER)
		value->number = got.linger.l_onoff ? (uint64_t)got.linger.l_linger
						   : SOCK_LINGER_OFF;
	else if (option->kind == SOCK_STRING)
		memcpy(value->text, got.text, length);
	else
		value->number = (uint32_t)got.number;
	return 0;
}

int sock_option_fell_short(const struct sock_setting *setting, const struct sock_value *got,
			   uint64_t *expected)
{
	*expected = setting->asked.number;
	if (setting->option->kind == SOCK_STRING)
		return strcmp(setting->asked.text, got->text) != 0;
	switch (setting->option->compare) {
	case SOCK_INCOMPARABLE: return 0;
	case SOCK_SAME: return got->number != *expected;
	case SOCK_DOUBLED: *expected *= 2; break;
	default: break;
	}
	return got->number < *expected;
}

void sock_value_text(const struct sock_option *option, const struct sock_value *value, char *text,
		     size_t size)
{
	if (option->kind == SOCK_STRING)
		snprintf(text, size, "%s", value->text);
	else if (option->kind == SOCK_TIME)
		snprintf(text, size, "%.13g", (double)value->number / 1e6);
	else if (option->kind == SOCK_LINGER && value->number == SOCK_LINGER_OFF)
		snprintf(text, size, "off");
	else
		snprintf(text, size, "%" PRIu64, value->number);
}

/* ---- listening and connecting ---- */

/* "127.0.0.1 port 7001", or the path. */
static void address_object(const struct sock_address *address, char *text, size_t size)
{
	char host[SOCK_ADDRESS_TEXT];

	sock_address_text(address, 0, host, sizeof(host));
	if (address->sa.ss_family == AF_UNIX)
		snprintf(text, size, "%s", host);
	else
		snprintf(text, size, "%s port %u", host, sock_address_port(address));
}

static int close_failed(int fd, struct sock_cause *cause, const char *step,
			const struct sock_address *address, int err, const char *reason)
{
	char object[SOCK_ADDRESS_TEXT + 16];

	if (fd >= 0)
		close(fd);
	address_object(address, object, sizeof(object));
	return sock_failed(cause, step, object, err, reason);
}

static int stream_socket(int family)
{
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/*
 * 1 when path is a socket file that no program answers on: its owner was
 * killed.  A datagram socket asks: the owner of a stream socket refuses it by
 * its type (EPROTOTYPE) and hears nothing of it, a dead file by ECONNREFUSED.
 */
static int is_dead_socket_file(const struct sock_address *address)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&address->sa;
	struct stat st;
	int fd, dead;

	if (lstat(un->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return 0;
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (fd < 0)
		return 0;
	dead = connect(fd, (const struct sockaddr *)&address->sa, address->length) &&
	       errno == ECONNREFUSED;
	close(fd);
	return dead;
}

static int bind_address(int fd, const struct sock_address *address)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&address->sa;
	const struct sockaddr *sa = (const struct sockaddr *)&address->sa;

	if (bind(fd, sa, address->length) == 0)
		return 0;
	if (errno != EADDRINUSE || sa->sa_family != AF_UNIX)
		return -1;
	if (!is_dead_socket_file(address) || unlink(un->sun_path)) {
		errno = EADDRINUSE;
		return -1;
	}
	return bind(fd, sa, address->length);
}

static const char *bind_reason(const struct sock_address *address, int err)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&address->sa;
	struct stat st;

	if (err != EADDRINUSE)
		return NULL;
	if (address->sa.ss_family != AF_UNIX)
		return "in use by another program (-p 0 finds a free one)";
	if (lstat(un->sun_path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return "exists and is not a socket; left alone";
	return "in use by another program";
}

static int listen_failed(int fd, struct sock_cause *cause, const char *step,
			 const struct sock_address *address, int err)
{
	return close_failed(fd, cause, step, address, err, bind_reason(address, err));
}

int sock_listen(const struct sock_address *address, const struct sock_options *early,
		struct sock_cause *cause)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->sa;
	int on = 1, family = address->sa.ss_family, fd = stream_socket(family);

	if (fd < 0)
		return close_failed(fd, cause, "socket", address, errno, NULL);
	if (family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* The wildcard serves IPv4 too; ::1 must leave 127.0.0.1 to itself. */
	if (family == AF_INET6 && !IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr))
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (sock_options_apply(early, fd, cause)) {
		close(fd);
		return -1;
	}
	if (bind_address(fd, address))
		return listen_failed(fd, cause, "bind", address, errno);
	if (listen(fd, SOMAXCONN))
		return listen_failed(fd, cause, "listen", address, errno);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/*
 * A connect() to a free port of the ephemeral range may pick that very port as
 * its own and meet itself (RFC 9293 3.5, simultaneous open).
 */
static int met_itself(int fd)
{
	struct sock_address local, peer;

	sock_address_local(fd, &local);
	sock_address_peer(fd, &peer);
	return sock_address_port(&local) != 0 && same_address(&local, &peer);
}

int sock_connect(const struct sock_address *address, const struct sock_options *early,
		 struct sock_cause *cause)
{
	int fd = stream_socket(address->sa.ss_family);

	if (fd < 0)
		return close_failed(fd, cause, "socket", address, errno, NULL);
	if (sock_options_apply(early, fd, cause)) {
		close(fd);
		return -1;
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (connect(fd, (const struct sockaddr *)&address->sa, address->length) &&
	    errno != EINPROGRESS)
		return close_failed(fd, cause, "connect", address, errno, NULL);
	return fd;
}

int sock_connected(int fd, const struct sock_address *address, int wait_ms,
		   struct sock_cause *cause)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	int err = 0;
	socklen_t length = sizeof(err);

	if (poll(&ready, 1, wait_ms) <= 0)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &length))
		err = errno;
	if (!err && met_itself(fd))
		err = ECONNREFUSED;
	if (err)
		return close_failed(-1, cause, "connect", address, err, NULL);
	fcntl(fd, F_SETFL, 0);
	return 1;
}

int sock_is_missing(int err)
{
	return err == EAFNOSUPPORT || err == EADDRNOTAVAIL || err == EPROTONOSUPPORT;
}

int sock_fresh(int fd)
{
	struct sock_address local;

	sock_address_local(fd, &local);
	return stream_socket(local.sa.ss_family);
}

/* Connect to a listener of our own, and accept it, in pair as of socketpair(2). */
static int meet(int listener, int pair[2])
{
	struct sock_address address;
	struct sock_cause ignored;

	sock_address_local(listener, &address);
	pair[0] = sock_connect(&address, NULL, &ignored);
	if (pair[0] < 0)
		return -1;
	fcntl(listener, F_SETFL, 0);
	if (sock_connected(pair[0], &address, SCRATCH_MS, &ignored) == 1)
		pair[1] = accept(listener, NULL, NULL);
	else
		pair[1] = -1;
	if (pair[1] < 0)
		close(pair[0]);
	return pair[1] < 0 ? -1 : 0;
}

/* A connection of this host with itself. */
static int scratch_pair(int family, int pair[2])
{
	struct sock_address list[2];
	struct sock_cause ignored;
	int listener, n, ret;

	if (family == AF_UNIX)
		return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	n = sock_resolve(family == AF_INET6 ? "::1" : "127.0.0.1", 0, list, 2, &ignored);
	listener = n < 1 ? -1 : sock_listen(&list[0], NULL, &ignored);
	if (listener < 0)
		return -1;
	ret = meet(listener, pair);
	close(listener);
	return ret;
}

int sock_options_try(const struct sock_options *late, const struct sock_address *address,
		     struct sock_cause *cause)
{
	int pair[2], ret;

	/* Where no pair can be had the first real connection is the try. */
	if (!late || scratch_pair(address->sa.ss_family, pair))
		return 0;
	ret = sock_options_apply(late, pair[1], cause);
	close(pair[0]);
	close(pair[1]);
	return ret;
}
