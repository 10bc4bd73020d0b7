/*
 * hostlo: the loopback interface, as the calling process's network namespace
 * has it.
 *
 * Sources: rtnetlink(7) for MTU and queueing discipline, the ioctl SIOCETHTOOL
 * of netdevice(7) for offloads; neither needs a privilege.
 */
#ifndef MEASURE_HOSTLO_H
#define MEASURE_HOSTLO_H

struct hostlo {
	long mtu;	   /* bytes; this and the next three below 0: not known */
	int tso, gso, gro; /* 1: on */
	char qdisc[32];	   /* "": not known */
};

/* All is unknown where this system, or a build with SOCKLIB_PORTABLE, lacks the means. */
void hostlo_read(struct hostlo *lo);

#endif
