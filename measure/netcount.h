/*
 * netcount: what the network namespace counts, /proc/net/netstat and snmp.
 *
 * A counter's name has its group in front, as nstat(8) shows them without the
 * dot: "TcpExt.DelayedACKs", "Tcp.RetransSegs".  All sockets of the namespace
 * count, so a difference is evidence for a connection only where nothing else
 * ran.
 *
 * A file that cannot be read has no counters, and what is not known is a NaN,
 * never 0.  Both files are lines in pairs, of names and of values (proc_pid_net(5),
 * Documentation/networking/snmp_counter.rst).
 */
#ifndef MEASURE_NETCOUNT_H
#define MEASURE_NETCOUNT_H

#include <stddef.h>
#include <stdio.h>

#define NETCOUNT_TITLE "counters that moved (whole network namespace, during the run)"

struct netcount_row {
	char *name;
	double value; /* exact up to 2^53; of a difference, a NaN where it went back */
};

struct netcount {
	struct netcount_row *row; /* in the order of the files, netstat first */
	size_t count;
	size_t room;
};

/*
 * Read both files below root ("" or "/": this machine).  A value that is no
 * number is left out.  -1: no memory, and it is empty.
 */
int netcount_read(struct netcount *counters, const char *root);
void netcount_free(struct netcount *counters);

/* NaN where there is none of this name. */
double netcount_get(const struct netcount *counters, const char *name);

/*
 * after - before, of all counters that both have; those that are no counters
 * but settings and states (Tcp.CurrEstab) are left out.  -1: no memory, and
 * moved is empty.
 */
int netcount_moved(const struct netcount *before, const struct netcount *after,
		   struct netcount *moved);

/*
 * Of such a difference: a paragraph for each of the groups Tcp and TcpExt with
 * what is not 0, but what counts each segment, and a line with which of
 * retransmits, timeouts, drops and zero windows stayed at 0.  At most 78
 * columns, without a title.
 */
void netcount_print(FILE *out, const struct netcount *moved);

/*
 * One event, "counters": an object with all of Tcp and TcpExt that moved, null
 * where that is not known, and the four sums of the last line.
 */
void netcount_json(FILE *out, const struct netcount *moved);

#endif
