/*
 * The facts of a machine: those of machines that are made here as trees of
 * files, of this one, and of none; and as text that is read back.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../measure/hostcpu.h"
#include "../measure/hostenv.h"
#include "../measure/hostfile.h"
#include "../measure/hostlo.h"
#include "../measure/run.h"
#include "test.h"
#include "test_tree.h"

#define CPUS "/sys/devices/system/cpu/"
#define IPV4 "/proc/sys/net/ipv4/"
#define LONG_SIZE (1 << 20)

static struct hostenv env;

static const char *value(const char *key)
{
	const char *found = hostenv_get(&env, key);

	return found ? found : "(none)";
}

/* Every value is a line that can be printed. */
static void check_form(void)
{
	CHECK_EQ(env.count, 35);
	for (size_t i = 0; i < env.count; i++) {
		const char *text = env.entry[i].value;

		CHECK(*text && strlen(text) < HOSTENV_VALUE && !strstr(text, "  ") &&
		      *text != ' ' && text[strlen(text) - 1] != ' ');
		for (; *text; text++)
			CHECK(*text >= ' ' && *text <= '~');
	}
}

static void read_tree(void)
{
	hostenv_free(&env);
	if (hostenv_read(&env, root))
		abort();
	check_form();
}

/* ---- machines ---- */

static void put_x86(void)
{
	put("/proc/sys/kernel/osrelease", "6.18.44\n");
	put("/proc/sys/kernel/arch", "x86_64\n");
	put("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC\n");
	put("/proc/cpuinfo",
	    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
	    "model\t\t: 143\nmodel name\t: Intel(R)  Xeon(R) Processor\ncpu MHz\t\t: 2100\n"
	    "flags\t\t: fpu vme hypervisor lahf_lm\nbugs\t\t: spectre_v1\n\n"
	    "processor\t: 1\nmodel name\t: Intel(R)  Xeon(R) Processor\n"
	    "flags\t\t: fpu vme hypervisor lahf_lm\n\n");
	put(CPUS "online", "0-1\n");
	put(CPUS "present", "0-3\n");
	put("/proc/meminfo", "MemTotal:       24142972 kB\nMemFree: 1 kB\n");
	put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	put(CPUS "vulnerabilities/spectre_v2", "Mitigation: Retpolines; STIBP: disabled\n");
	put(CPUS "vulnerabilities/spectre_v1", "Mitigation: usercopy barriers\n");
	put(CPUS "vulnerabilities/mds", "Not affected\n");
	put(CPUS "vulnerabilities/srbds", "Not affected\n");
	put(CPUS "vulnerabilities/itlb_multihit", "KVM: Mitigation: VMX disabled\n");
	put(CPUS "vulnerabilities/l1tf", "Vulnerable\n");
	put(CPUS "vulnerabilities/mmio_stale_data", "Unknown: No mitigations\n");
	put(CPUS "vulnerabilities/Strange name", "Vulnerable\n");
	put("/sys/class/net/lo/mtu", "65536\n");
	put(IPV4 "tcp_congestion_control", "bbr\n");
	put(IPV4 "tcp_available_congestion_control", "reno bbr cubic\n");
	put(IPV4 "tcp_rmem", "4096\t131072\t33554432\n");
	put("/proc/sys/net/core/default_qdisc", "fq\n");
}

static void test_a_guest(void)
{
	clear();
	put_x86();
	read_tree();
	CHECK_STR(value("kernel"), "6.18.44 x86_64, #1 SMP PREEMPT_DYNAMIC");
	CHECK_STR(value("cpu"), "2 online of 4, Intel(R) Xeon(R) Processor; governor n/a");
	CHECK_STR(value("virtual"), "yes (cpuid hypervisor)");
	CHECK_STR(value("memory"), "24.7 GB; clocksource tsc");
	CHECK_STR(value("mitigations"), "on: itlb_multihit spectre_v1 spectre_v2; off: l1tf; "
					"n/a: mmio_stale_data; 2 not affected");
	CHECK_STR(value("lo"), "mtu 65536, qdisc n/a, tso n/a, gso n/a, gro n/a");
	CHECK_STR(value("tcp"), "congestion control bbr (available: reno bbr cubic)");
	CHECK_STR(value("net.ipv4.tcp_rmem"), "4096 131072 33554432");
	CHECK_STR(value("net.core.default_qdisc"), "fq");
	CHECK_STR(value("net.core.rmem_max"), "n/a");
	CHECK_STR(env.entry[0].key, "kernel");
	CHECK_STR(env.entry[7].key, "net.ipv4.tcp_rmem");
}

static void test_where_it_runs(void)
{
	static const struct {
		const char *path, *text, *virtual;
	} cases[] = {
		{ "/proc/cpuinfo", "flags : fpu vmx\n", "no" },
		{ "/proc/cpuinfo", "flags : fpu nohypervisor hypervisors\n", "no" },
		{ "/proc/cpuinfo", "Features : fp asimd\n", "n/a" },
		{ "/proc/cpuinfo", "flags : hypervisor\n", "yes (cpuid hypervisor)" },
		{ "/proc/xen/capabilities", "control_d\n", "yes (xen dom0)" },
		{ "/proc/xen/x", "", "yes (xen)" },
		{ "/proc/device-tree/hypervisor/compatible", "linux,kvm", "yes (device tree)" },
		{ "/sys/class/dmi/id/product_name", "KVM Virtual Machine\n",
		  "yes (Vendor KVM Virtual Machine)" },
		{ "/sys/class/dmi/id/product_name", "PowerEdge R640\n",
		  "n/a (Vendor PowerEdge R640)" },
		{ "/.dockerenv", "", "n/a; container (/.dockerenv)" },
		{ "/run/.containerenv", "name=\"x\"\n", "n/a; container (/run/.containerenv)" },
		{ "/proc/self/cgroup", "0::/kubepods/besteffort/pod1/2\n",
		  "n/a; container (cgroup kubepods)" },
		{ "/proc/self/cgroup", "3:cpu:/docker/0123\n", "n/a; container (cgroup docker)" },
		{ "/proc/self/cgroup", "0::/user.slice/user-1000.slice\n", "n/a" },
		{ "/proc/self/cgroup", "0::/system.slice/docker.service\n", "n/a" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		clear();
		if (strstr(cases[i].path, "dmi"))
			put("/sys/class/dmi/id/sys_vendor", "Vendor\n");
		put(cases[i].path, cases[i].text);
		read_tree();
		CHECK_STR(value("virtual"), cases[i].virtual);
	}
	clear();
	put("/proc/cpuinfo", "flags : hypervisor\n");
	put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
	put("/sys/class/dmi/id/product_name", "Standard PC\n");
	put("/.dockerenv", "");
	read_tree();
	CHECK_STR(value("virtual"), "yes (cpuid hypervisor, QEMU Standard PC); "
				    "container (/.dockerenv)");
}

static void test_cpus_of_other_kinds(void)
{
	static const struct {
		const char *cpuinfo, *model;
	} cases[] = {
		/* arm64: two clusters, then one that nobody knows */
		{ "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n\n"
		  "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n\n"
		  "processor\t: 2\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n",
		  "2 x Cortex-A53 + 1 x Cortex-A72" },
		{ "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "Neoverse-N1" },
		{ "processor\t: 0\nCPU implementer\t: 0x7f\nCPU part\t: 0xabc\n",
		  "ARM implementer 0x7f part 0xabc" },
		{ "processor\t: 0\nmodel name\t: ARMv7 Processor rev 10 (v7l)\n"
		  "CPU implementer\t: 0x41\nCPU part\t: 0xc09\n",
		  "Cortex-A9" },
		{ "processor\t: 0\nCPU implementer\t: zz\nCPU part\t: 0xc09\n", "" },
		{ "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t: 2\n\n"
		  "timebase\t: 512000000\nplatform\t: PowerNV\nmachine\t\t: PowerNV 8335\n",
		  "POWER9, altivec supported" },
		{ "vendor_id       : IBM/S390\n# processors    : 2\n"
		  "processor 0: version = FF,  identification = 0133E8,  machine = 8561\n"
		  "processor 1: version = FF,  identification = 0133E8,  machine = 8561\n\n"
		  "cpu number      : 0\nmachine         : 8561\n",
		  "2 x" },
		{ "processor\t: 0\nhart\t: 1\nisa\t: rv64imafdc\nuarch\t: sifive,u74-mc\n",
		  "sifive,u74-mc" },
		{ "system type\t: x\nprocessor\t: 0\ncpu model\t: MIPS 24Kc V7.4\n",
		  "MIPS 24Kc V7.4" },
		{ "processor\t: 0\n", "" },
		{ "", "" },
	};
	struct hostcpu cpu;

	for (size_t i = 0; i < COUNT(cases); i++) {
		clear();
		put("/proc/cpuinfo", cases[i].cpuinfo);
		hostcpu_read(&cpu, root);
		if (strcmp(cases[i].model, "2 x") == 0)
			CHECK_STR(cpu.model, "s390 machine 8561");
		else
			CHECK_STR(cpu.model, cases[i].model);
	}
}

static void test_an_arm64_machine(void)
{
	clear();
	put("/proc/sys/kernel/osrelease", "6.1.0-18-arm64\n");
	put("/proc/sys/kernel/version", "#1 SMP Debian 6.1.76-1 (2024-02-01)\n");
	put("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd\n"
			     "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\n"
			     "CPU part\t: 0xd08\nCPU revision\t: 3\n\n"
			     "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n");
	put(CPUS "online", "0-1\n");
	put(CPUS "present", "0-1\n");
	put(CPUS "cpu0/cpufreq/scaling_governor", "ondemand\n");
	put(CPUS "cpu1/cpufreq/scaling_governor", "ondemand\n");
	put("/proc/meminfo", "MemTotal:         945364 kB\n");
	put("/sys/devices/system/clocksource/clocksource0/current_clocksource",
	    "arch_sys_counter\n");
	read_tree();
	CHECK_STR(value("kernel"), "6.1.0-18-arm64 n/a, #1 SMP Debian 6.1.76-1 (2024-02-01)");
	CHECK_STR(value("cpu"), "2 online of 2, Cortex-A72; governor ondemand");
	CHECK_STR(value("virtual"), "n/a");
	CHECK_STR(value("memory"), "0.968 GB; clocksource arch_sys_counter");
	CHECK_STR(value("mitigations"), "n/a");
}

/* Linux 2.6.32: no vulnerabilities, no governor, half of the sysctls. */
static void test_an_old_kernel(void)
{
	clear();
	put("/proc/sys/kernel/osrelease", "2.6.32-754.el6.x86_64\n");
	put("/proc/sys/kernel/version", "#1 SMP Tue Jun 19 21:26:04 UTC 2018\n");
	put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD Opteron(tm) Processor 250\n"
			     "flags\t\t: fpu vme\n");
	put("/proc/meminfo", "MemTotal:      4055616 kB\n");
	put("/sys/class/net/lo/mtu", "16436\n");
	put(IPV4 "tcp_congestion_control", "cubic\n");
	put(IPV4 "tcp_wmem", "4096\t16384\t4194304\n");
	read_tree();
	CHECK_STR(value("kernel"), "2.6.32-754.el6.x86_64 n/a, #1 SMP Tue Jun 19 21:26:04 UTC "
				   "2018");
	CHECK_STR(value("cpu"), "1 online of n/a, AMD Opteron(tm) Processor 250; governor n/a");
	CHECK_STR(value("virtual"), "no");
	CHECK_STR(value("memory"), "4.15 GB; clocksource n/a");
	CHECK_STR(value("lo"), "mtu 16436, qdisc n/a, tso n/a, gso n/a, gro n/a");
	CHECK_STR(value("tcp"), "congestion control cubic (available: n/a)");
	CHECK_STR(value("net.ipv4.tcp_wmem"), "4096 16384 4194304");
	CHECK_STR(value("net.ipv4.tcp_limit_output_bytes"), "n/a");
}

/* /proc hides what it can, /sys is not there. */
static void test_a_restricted_container(void)
{
	clear();
	put("/proc/sys/kernel/osrelease", "5.15.0\n");
	put("/proc/meminfo", "");
	put("/proc/cpuinfo", "");
	put("/run/.containerenv", "");
	put("/proc/sys/net/core/somaxconn", "4096\n");
	chmod(tree_way("/proc/sys/net/core/somaxconn"), 0);
	put("/proc/sys/net/core/rmem_max", "212992\n");
	read_tree();
	CHECK_STR(value("kernel"), "5.15.0 n/a, n/a");
	CHECK_STR(value("cpu"), "n/a online of n/a, n/a; governor n/a");
	CHECK_STR(value("virtual"), "n/a; container (/run/.containerenv)");
	CHECK_STR(value("memory"), "n/a; clocksource n/a");
	CHECK_STR(value("tcp"), "congestion control n/a (available: n/a)");
	CHECK_STR(value("net.core.rmem_max"), "212992");
	CHECK_STR(value("net.core.somaxconn"), getuid() == 0 ? "4096" : "n/a");
}

static void test_no_machine(void)
{
	clear();
	read_tree();
	CHECK_STR(value("kernel"), "n/a");
	CHECK_STR(value("lo"), "mtu n/a, qdisc n/a, tso n/a, gso n/a, gro n/a");
	hostenv_free(&env);
	CHECK_EQ(hostenv_read(&env, "/nowhere/at/all"), 0);
	check_form();
	CHECK_STR(value("kernel"), "n/a");
}

/* ---- lists of CPUs ---- */

static void test_lists(void)
{
	static const struct {
		const char *list;
		unsigned int count;
	} cases[] = {
		{ "0\n", 1 },	    { "0-3,8-11\n", 8 }, { "0-4095\n", 4096 },
		{ "0-1", 2 },	    { "3,5,7\n", 3 },	 { "\n", 0 },
		{ "", 0 },	    { "0-\n", 0 },	 { "3-0\n", 0 },
		{ "0,,1\n", 0 },    { "a\n", 0 },	 { "0 1\n", 0 },
		{ "-1\n", 0 },	    { "0-3,2-5\n", 0 },	 { "0-99999999999\n", 0 },
		{ "0-70000\n", 0 }, { "0-3,\n", 4 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		clear();
		put(CPUS "online", cases[i].list);
		CHECK_EQ(hostcpu_count(root, "online"), cases[i].count);
	}
	clear();
	CHECK_EQ(hostcpu_count(root, "online"), 0);
}

/* 4096 CPUs of which every other is online; and the same, cut at a page. */
static void test_a_long_list(void)
{
	static char list[32768];
	size_t n = 0;

	for (int i = 0; i < 4096; i += 2)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%d", i ? "," : "", i);
	list[n++] = '\n';
	clear();
	put_bytes(CPUS "online", list, n);
	put(CPUS "present", "0-4095\n");
	put(CPUS "cpu4094/cpufreq/scaling_governor", "powersave\n");
	put(CPUS "cpu4093/cpufreq/scaling_governor", "offline\n");
	read_tree();
	CHECK_STR(value("cpu"), "2048 online of 4096, n/a; governor powersave 1, n/a 2047");
	put_bytes(CPUS "online", list, 4095);
	CHECK_EQ(hostcpu_count(root, "online"), 0);
}

static void test_governors(void)
{
	char text[256], path[128];

	clear();
	put(CPUS "online", "0-2,4\n");
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), CPUS "cpu%d/cpufreq/scaling_governor", i);
		put(path, "performance\n");
	}
	hostcpu_governors(root, text, sizeof(text));
	CHECK_STR(text, "performance");
	put(CPUS "cpu1/cpufreq/scaling_governor", "powersave\n");
	hostcpu_governors(root, text, sizeof(text));
	CHECK_STR(text, "performance 3, powersave 1");
	hostcpu_governors(root, text, 12);
	CHECK_STR(text, "performance");
	put(CPUS "online", "0-9\n");
	hostcpu_governors(root, text, sizeof(text));
	CHECK_STR(text, "performance 4, powersave 1, n/a 5");
}

/* ---- garbage ---- */

static const char *const every_file[] = {
	"/proc/sys/kernel/osrelease",
	"/proc/sys/kernel/arch",
	"/proc/sys/kernel/version",
	"/proc/cpuinfo",
	"/proc/meminfo",
	"/proc/self/cgroup",
	"/proc/xen/capabilities",
	"/proc/device-tree/hypervisor/compatible",
	CPUS "online",
	CPUS "present",
	CPUS "cpu0/cpufreq/scaling_governor",
	CPUS "vulnerabilities/mds",
	"/sys/class/dmi/id/sys_vendor",
	"/sys/class/dmi/id/product_name",
	"/sys/class/net/lo/mtu",
	"/sys/devices/system/clocksource/clocksource0/current_clocksource",
	IPV4 "tcp_congestion_control",
	IPV4 "tcp_available_congestion_control",
	IPV4 "tcp_rmem",
};

static void fill_all(const char *bytes, size_t size)
{
	clear();
	for (size_t i = 0; i < COUNT(every_file); i++)
		put_bytes(every_file[i], bytes, size);
	read_tree();
}

static void test_garbage(void)
{
	static char bytes[LONG_SIZE];
	unsigned int state = 1;

	fill_all("", 0);
	CHECK_STR(value("net.ipv4.tcp_rmem"), "n/a");
	memset(bytes, 0, sizeof(bytes));
	fill_all(bytes, 100);
	CHECK_STR(value("cpu"), "n/a online of n/a, n/a; governor n/a");
	memset(bytes, 'x', sizeof(bytes));
	fill_all(bytes, sizeof(bytes));
	CHECK_STR(value("memory"),
		  "n/a; clocksource xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...");
	CHECK_HAS(value("lo"), "mtu n/a,");
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = "4096 "[i % 5];
	fill_all(bytes, sizeof(bytes));
	CHECK_EQ(strlen(value("net.ipv4.tcp_rmem")), HOSTENV_VALUE - 1);
	CHECK_HAS(value("net.ipv4.tcp_rmem"), " 4096 4...");
	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < 4096; i++) {
			state = state * 1664525U + 1013904223U;
			bytes[i] = state >> 30 ? (char)(state >> 16)
					       : "\n:0-9 ,\t"[state >> 16 & 7];
		}
		fill_all(bytes, 4096);
	}
	put_x86();
	put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: \xc3\x84\x80 \001CPU\x7f\n");
	put(IPV4 "tcp_congestion_control", "r\xe9no\n");
	put("/proc/meminfo", "MemTotal: 24142972 MB\n");
	put("/sys/class/net/lo/mtu", "-1\n");
	read_tree();
	CHECK_HAS(value("cpu"), ", ??? ?CPU?;");
	CHECK_STR(value("tcp"), "congestion control r?no (available: reno bbr cubic)");
	CHECK_STR(value("memory"), "n/a; clocksource tsc");
	CHECK_HAS(value("lo"), "mtu n/a,");
}

/* Directories, and pipes that nobody writes to. */
static void test_no_files(void)
{
	clear();
	for (size_t i = 0; i < COUNT(every_file); i++)
		if (mkdir(tree_way(every_file[i]), 0700))
			abort();
	read_tree();
	CHECK_STR(value("net.ipv4.tcp_rmem"), "n/a");
	clear();
	for (size_t i = 0; i < COUNT(every_file); i++)
		if (mkfifo(tree_way(every_file[i]), 0600))
			abort();
	read_tree();
	CHECK_STR(value("kernel"), "n/a n/a, n/a");
	CHECK_STR(value("cpu"), "n/a online of n/a, n/a; governor n/a");
	CHECK_STR(value("mitigations"), "n/a: mds");
}

/* A BSD's version names who built it. */
static void test_no_names(void)
{
	clear();
	put("/proc/sys/kernel/osrelease", "14.1\n");
	put("/proc/sys/kernel/version", "#0 releng: Fri\n    root@host.example.org:/usr/obj @0\n");
	read_tree();
	CHECK_STR(value("kernel"), "14.1 n/a, #0 releng: Fri @0");
}

static void test_clean(void)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "", "" },
		{ " \t\n", "" },
		{ "  a \t b\n\nc  ", "a b c" },
		{ "\001\xff", "??" },
		{ "123456789012345678901234567890123456789012345678 9",
		  "123456789012345678901234567890123456789012345678 9" },
		{ "1234567890123456789012345678901234567890123456789 0",
		  "123456789012345678901234567890123456789012345... 0" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[128];

		snprintf(text, sizeof(text), "%s", cases[i].from);
		hostfile_clean(text);
		CHECK_STR(text, cases[i].to);
	}
}

/* ---- this machine ---- */

static void test_this_machine(void)
{
	struct utsname name;
	struct hostlo lo;

	hostenv_free(&env);
	NEED(hostenv_read(&env, "") == 0 && uname(&name) == 0);
	check_form();
	CHECK_HAS(value("kernel"), name.release);
	CHECK_HAS(value("kernel"), name.machine);
	hostlo_read(&lo);
#if defined(__linux__) && !defined(SOCKLIB_PORTABLE)
	CHECK(lo.mtu > 0 && *lo.qdisc);
	CHECK(!strstr(value("cpu"), "n/a online"));
	CHECK(strcmp(value("net.ipv4.tcp_rmem"), "n/a") != 0);
#else
	CHECK(lo.mtu < 0 && lo.tso < 0 && !*lo.qdisc);
	CHECK_STR(value("cpu"), "n/a online of n/a, n/a; governor n/a");
	CHECK_STR(value("net.ipv4.tcp_rmem"), "n/a");
#endif
}

/* ---- text ---- */

static char text[1 << 16];

static FILE *begin(void)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (!out)
		abort();
	return out;
}

static void print(void)
{
	FILE *out = begin();

	hostenv_print(out, &env);
	fclose(out);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		CHECK(strcspn(line, "\n") <= 78);
}

static void set(const char *key, const char *to)
{
	if (hostenv_set(&env, key, to))
		abort();
}

static void test_text(void)
{
	hostenv_free(&env);
	set("kernel", "6.18.44 x86_64, #1 SMP PREEMPT_DYNAMIC");
	set("mitigations", "on: gather_data_sampling itlb_multihit mmio_stale_data retbleed "
			   "spectre_v1; 9 not affected");
	set("net.ipv4.tcp_rmem", "4096 131072 33554432");
	set("net.core.rmem_max", " 4194304\n");
	set("load", "1 min 2.03");
	set("load", "");
	print();
	CHECK_STR(text,
		  "kernel      6.18.44 x86_64, #1 SMP PREEMPT_DYNAMIC\n"
		  "mitigations on: gather_data_sampling itlb_multihit mmio_stale_data retbleed\n"
		  "            spectre_v1; 9 not affected\n"
		  "sysctl      net.ipv4.tcp_rmem 4096 131072 33554432\n"
		  "            net.core.rmem_max 4194304\n"
		  "load        n/a\n");
	CHECK(hostenv_get(&env, "cpu") == NULL);
}

/* A word that is a key never begins a line of a value. */
static void test_keys_in_values(void)
{
	static const char *const words[] = { "kernel", "cpu", "net.ipv4.tcp_rmem", "load" };
	char long_text[256];

	for (size_t i = 0; i < COUNT(words); i++) {
		for (int before = 40; before < 70; before++) {
			size_t lines = 0;

			memset(long_text, 'a', 40);
			snprintf(long_text + 40, sizeof(long_text) - 40, " %.*s %s and more words",
				 before - 40, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", words[i]);
			hostenv_free(&env);
			set("memory", long_text);
			print();
			for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
				CHECK_EQ(hostenv_key_length(line + strspn(line, " ")),
					 lines++ ? 0 : 6);
			}
		}
	}
	CHECK_EQ(hostenv_key_length("net.core.x 1"), 10);
	CHECK_EQ(hostenv_key_length("net. 1"), 0);
	CHECK_EQ(hostenv_key_length("net.Core 1"), 0);
	CHECK_EQ(hostenv_key_length("kernels 1"), 0);
	CHECK_EQ(hostenv_key_length("kernel"), 6);
	CHECK_EQ(hostenv_key_length(""), 0);
}

static void test_json_and_run(void)
{
	struct run run = { .parallel = 1 };
	FILE *out;

	hostenv_free(&env);
	set("kernel", "6 \"x\"");
	set("mitigations", "n/a");
	set("net.core.rmem_max", "1");
	out = begin();
	hostenv_json(out, &env);
	fclose(out);
	CHECK_STR(text, "{\"event\":\"environment\",\"environment\":{\"kernel\":\"6 \\\"x\\\"\","
			"\"mitigations\":null,\"net.core.rmem_max\":\"1\"}}\n");
	CHECK_EQ(hostenv_to_run(&env, &run), 0);
	CHECK_EQ(run.environments, 3);
	CHECK_EQ(run.settings, 0);
	CHECK_STR(run_environment(&run, "kernel"), "6 \"x\"");
	CHECK_STR(run_environment(&run, "mitigations"), "n/a");
	CHECK(run_environment(&run, "cpu") == NULL);
	run_free(&run);
}

int main(void)
{
	if (tree_begin())
		return 1;
	RUN(test_a_guest);
	RUN(test_where_it_runs);
	RUN(test_cpus_of_other_kinds);
	RUN(test_an_arm64_machine);
	RUN(test_an_old_kernel);
	RUN(test_a_restricted_container);
	RUN(test_no_machine);
	RUN(test_lists);
	RUN(test_a_long_list);
	RUN(test_governors);
	RUN(test_garbage);
	RUN(test_no_files);
	RUN(test_no_names);
	RUN(test_clean);
	RUN(test_this_machine);
	RUN(test_text);
	RUN(test_keys_in_values);
	RUN(test_json_and_run);
	hostenv_free(&env);
	if (tree_end())
		return 1;
	return test_end();
}
