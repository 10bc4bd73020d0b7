/*
 * hostcpu: what a machine computes with.
 *
 * Sources: /proc/cpuinfo, whose keys are each architecture's own (x86, LoongArch
 * "model name"; ppc "cpu"; MIPS "cpu model"; s390 "machine"; RISC-V "uarch";
 * arm64 has numbers alone, arch/arm64/include/asm/cputype.h of Linux), and
 * Documentation/admin-guide/cputopology.rst and pm/cpufreq.rst.
 */
#ifndef MEASURE_HOSTCPU_H
#define MEASURE_HOSTCPU_H

#include <stddef.h>

struct hostcpu {
	char model[160];	/* "2 x Cortex-A72 + 4 x Cortex-A53"; "": not known */
	unsigned int described; /* CPUs that cpuinfo has, 0: not known */
	int has_flags;		/* x86: it says what the CPU can */
	int hypervisor;		/* and that it is of a virtual machine (CPUID 1, ECX 31) */
};

/* From root/proc/cpuinfo; all is unknown where that cannot be read. */
void hostcpu_read(struct hostcpu *cpu, const char *root);

/* CPUs in a list as of root/sys/devices/system/cpu/online: "0-3,8-11"; 0: not known. */
unsigned int hostcpu_count(const char *root, const char *file);

/* "performance", "performance 4, powersave 2"; "n/a" where no CPU has one. */
void hostcpu_governors(const char *root, char *text, size_t size);

#endif
