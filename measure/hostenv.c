/* Facts of a machine: see hostenv.h. */
#include "hostenv.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "hostcpu.h"
#include "hostfile.h"
#include "hostlo.h"
#include "run.h"
#include "words.h"

#define TEXT_SIZE 1024 /* before it is cut */
#define FILE_SIZE 4096
#define VULNERABILITIES 64
#define NAME 40 /* of one */

/* What more than one row needs. */
struct host {
	const char *root;
	struct hostcpu cpu;
};

/* What does not fit is cut. */
static void append(char *text, const char *more)
{
	words_append(text, TEXT_SIZE, "%s", more);
}

/* The words of a file, "n/a" where it has none. */
static void append_file(const struct host *host, char *text, const char *path)
{
	char content[FILE_SIZE];

	hostfile_read(host->root, path, content, sizeof(content));
	hostfile_clean(content);
	append(text, *content ? content : "n/a");
}

static void append_count(char *text, unsigned long long count)
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", count);
	append(text, count ? number : "n/a");
}

/* ---- kernel ---- */

/* A BSD says who built it, and where: that is no matter to us. */
static void append_anonymous(char *text, char *version)
{
	char *rest = version, *word;

	hostfile_clean(version);
	while ((word = strtok_r(rest, " ", &rest)) != NULL) {
		char *at = strchr(word, '@');

		if (at && at > word && at[1])
			continue;
		append(text, " ");
		append(text, word);
	}
}

static void real_kernel(char *text)
{
	struct utsname name;

	if (uname(&name) < 0)
		return;
	if (strcmp(name.sysname, "Linux") != 0) {
		append(text, name.sysname);
		append(text, " ");
	}
	append(text, name.release);
	append(text, " ");
	append(text, name.machine);
	append(text, ",");
	append_anonymous(text, name.version);
}

/* The same as uname(2) has it; the machine only since Linux 6.1. */
static void kernel(const struct host *host, char *text)
{
	char version[FILE_SIZE];

	if (hostfile_is_real(host->root)) {
		real_kernel(text);
		return;
	}
	if (hostfile_read(host->root, "/proc/sys/kernel/version", version, sizeof(version)) < 0 &&
	    !hostfile_exists(host->root, "/proc/sys/kernel/osrelease"))
		return;
	append_file(host, text, "/proc/sys/kernel/osrelease");
	append(text, " ");
	append_file(host, text, "/proc/sys/kernel/arch");
	append(text, ",");
	append_anonymous(text, *version ? version : strcpy(version, "n/a"));
}

/* ---- CPUs and memory ---- */

static void cpu(const struct host *host, char *text)
{
	unsigned int online = hostcpu_count(host->root, "online");
	char governors[256];

	append_count(text, online ? online : host->cpu.described);
	append(text, " online of ");
	append_count(text, hostcpu_count(host->root, "present"));
	append(text, ", ");
	append(text, *host->cpu.model ? host->cpu.model : "n/a");
	append(text, "; governor ");
	hostcpu_governors(host->root, governors, sizeof(governors));
	append(text, governors);
}

/* /proc/meminfo counts in units of 1024 bytes, proc_meminfo(5). */
static void append_memory(const struct host *host, char *text)
{
	struct hostfile file;
	char line[256], unit[4] = "";
	unsigned long long kilobytes = 0;

	if (hostfile_open(&file, host->root, "/proc/meminfo") == 0) {
		while (hostfile_line(&file, line, sizeof(line)) &&
		       sscanf(line, "MemTotal: %15llu %3s", &kilobytes, unit) != 2)
			;
		hostfile_close(&file);
	}
	if (kilobytes && strcmp(unit, "kB") == 0) {
		append(text, words_times((double)kilobytes * 1024 / 1e9).text);
		append(text, " GB");
	} else {
		append(text, "n/a");
	}
}

static void memory(const struct host *host, char *text)
{
	append_memory(host, text);
	append(text, "; clocksource ");
	append_file(host, text, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

/* ---- virtual ---- */

/* Vendors and products of virtual machines, as their firmware names them. */
static const char *const firmware[] = {
	"QEMU",
	"KVM",
	"VMware",
	"VirtualBox",
	"innotek",
	"Virtual Machine",
	"Xen",
	"OpenStack",
	"BHYVE",
	"Parallels",
	"Bochs",
	"Amazon EC2",
	"Compute Engine",
	"HVM domU",
	"oVirt",
	"Alibaba Cloud",
	"Apple Virtualization",
};

/* Vendor and product, "" where one is not known. */
static void read_product(const struct host *host, char *text)
{
	char vendor[256], product[256];

	text[0] = '\0';
	hostfile_read(host->root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	hostfile_read(host->root, "/sys/class/dmi/id/product_name", product, sizeof(product));
	hostfile_clean(vendor);
	hostfile_clean(product);
	if (*vendor && *product)
		snprintf(text, TEXT_SIZE, "%s %s", vendor, product);
}

static int is_virtual_product(const char *product)
{
	/* Instances of EC2 without a hypervisor have it in their name. */
	if (strstr(product, ".metal"))
		return 0;
	for (size_t i = 0; i < sizeof(firmware) / sizeof(firmware[0]); i++)
		if (strstr(product, firmware[i]))
			return 1;
	return 0;
}

/* What shows that this is a guest, "": nothing. */
static void find_hypervisor(const struct host *host, const char *product, char *text)
{
	char content[FILE_SIZE];

	if (host->cpu.hypervisor)
		append(text, "cpuid hypervisor");
	if (hostfile_exists(host->root, "/proc/xen")) {
		hostfile_read(host->root, "/proc/xen/capabilities", content, sizeof(content));
		append(text, *text ? ", " : "");
		append(text, strstr(content, "control_d") ? "xen dom0" : "xen");
	} else if (hostfile_read(host->root, "/proc/device-tree/hypervisor/compatible", content,
				 sizeof(content)) > 0) {
		append(text, *text ? ", " : "");
		append(text, "device tree");
	}
	if (is_virtual_product(product)) {
		append(text, *text ? ", " : "");
		append(text, product);
	}
}

/* Which of the signs of a container there is, NULL: none. */
static const char *find_container(const struct host *host)
{
	static const char *const files[] = { "/.dockerenv", "/run/.containerenv",
					     "/run/systemd/container" };
	static const char *const groups[][2] = {
		{ "/docker/", "cgroup docker" },
		{ "/docker-", "cgroup docker" },
		{ "/kubepods", "cgroup kubepods" },
		{ "/lxc/", "cgroup lxc" },
		{ "/lxc.payload", "cgroup lxc" },
		{ "/libpod-", "cgroup libpod" },
		{ "cri-containerd-", "cgroup containerd" },
	};
	char content[FILE_SIZE];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (hostfile_exists(host->root, files[i]))
			return files[i];
	hostfile_read(host->root, "/proc/self/cgroup", content, sizeof(content));
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (strstr(content, groups[i][0]))
			return groups[i][1];
	return NULL;
}

static void append_bracket(char *text, const char *open, const char *what)
{
	if (!*what)
		return;
	append(text, open);
	append(text, what);
	append(text, ")");
}

/* Only x86 says that there is no hypervisor. */
static void virtual(const struct host *host, char *text)
{
	const char *container = find_container(host);
	char product[TEXT_SIZE], signs[TEXT_SIZE] = "";

	read_product(host, product);
	find_hypervisor(host, product, signs);
	append(text, *signs ? "yes" : host->cpu.has_flags ? "no" : "n/a");
	append_bracket(text, " (", *signs ? signs : product);
	append_bracket(text, "; container (", container ? container : "");
}

/* ---- mitigations ---- */

enum verdict { ON, OFF, UNKNOWN, NOT_AFFECTED, VERDICTS };

/* Documentation/ABI/testing/sysfs-devices-system-cpu; "KVM: " and more may stand in front. */
static enum verdict verdict_of(const char *text)
{
	if (strncmp(text, "Not affected", 12) == 0)
		return NOT_AFFECTED;
	if (strncmp(text, "Mitigation", 10) == 0 || strstr(text, ": Mitigation"))
		return ON;
	if (strncmp(text, "Vulnerable", 10) == 0 || strstr(text, ": Vulnerable") ||
	    strstr(text, "vulnerable"))
		return OFF;
	return UNKNOWN;
}

static int is_name(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 0 && length <= NAME &&
	       strspn(entry->d_name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

struct vulnerability {
	char name[NAME + 1];
	enum verdict verdict;
};

/* By their names.  Returns their number. */
static size_t read_vulnerabilities(const struct host *host, struct vulnerability *list)
{
	static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
	char path[FILE_SIZE], content[256];
	struct dirent **entry = NULL;
	size_t count = 0;
	int found = -1;

	snprintf(path, sizeof(path), "%s%s", hostfile_is_real(host->root) ? "" : host->root, dir);
	if (hostfile_exists(host->root, dir))
		found = scandir(path, &entry, is_name, alphasort);
	for (int i = 0; i < found; i++) {
		if (count < VULNERABILITIES) {
			snprintf(list[count].name, NAME + 1, "%.*s", NAME, entry[i]->d_name);
			snprintf(path, sizeof(path), "%s/%s", dir, list[count].name);
			hostfile_read(host->root, path, content, sizeof(content));
			list[count++].verdict = verdict_of(content);
		}
		free(entry[i]);
	}
	free(entry);
	return count;
}

static void mitigations(const struct host *host, char *text)
{
	static const char *const verdicts[] = { [ON] = "on:", [OFF] = "off:", [UNKNOWN] = "n/a:" };
	struct vulnerability list[VULNERABILITIES];
	size_t count = read_vulnerabilities(host, list), in[VERDICTS] = { 0 };

	for (size_t i = 0; i < count; i++)
		in[list[i].verdict]++;
	for (enum verdict v = ON; v < NOT_AFFECTED; v++) {
		if (in[v] == 0)
			continue;
		append(text, *text ? "; " : "");
		append(text, verdicts[v]);
		for (size_t i = 0; i < count; i++) {
			if (list[i].verdict != v)
				continue;
			append(text, " ");
			append(text, list[i].name);
		}
	}
	if (in[NOT_AFFECTED]) {
		append(text, *text ? "; " : "");
		append_count(text, in[NOT_AFFECTED]);
		append(text, " not affected");
	}
}

/* ---- network ---- */

static void append_switch(char *text, const char *name, int state)
{
	append(text, name);
	append(text, state < 0 ? "n/a" : state ? "on" : "off");
}

/* sysfs may be that of another network namespace, so netlink goes first. */
static void lo(const struct host *host, char *text)
{
	struct hostlo found = { .mtu = -1, .tso = -1, .gso = -1, .gro = -1 };
	unsigned long long mtu = 0;

	if (hostfile_is_real(host->root))
		hostlo_read(&found);
	if (found.mtu >= 0)
		mtu = (unsigned long long)found.mtu;
	else if (hostfile_number(host->root, "/sys/class/net/lo/mtu", &mtu))
		mtu = 0;
	append(text, "mtu ");
	append_count(text, mtu);
	append(text, ", qdisc ");
	append(text, *found.qdisc ? found.qdisc : "n/a");
	append_switch(text, ", tso ", found.tso);
	append_switch(text, ", gso ", found.gso);
	append_switch(text, ", gro ", found.gro);
}

static void tcp(const struct host *host, char *text)
{
	append(text, "congestion control ");
	append_file(host, text, "/proc/sys/net/ipv4/tcp_congestion_control");
	append(text, " (available: ");
	append_file(host, text, "/proc/sys/net/ipv4/tcp_available_congestion_control");
	append(text, ")");
}

/* ---- all of it ---- */

/*
 * Buffers and what they may grow to, what ends or paces a send, what a
 * connection begins with, how softirqs deal with a backlog, and where they run
 * (Documentation/networking/ip-sysctl.rst, admin-guide/sysctl/net.rst).
 */
static const struct {
	const char *key;
	/* Puts its words into text, of TEXT_SIZE bytes, or none.  NULL: a sysctl. */
	void (*words)(const struct host *host, char *text);
} rows[] = {
	{ "kernel", kernel },
	{ "cpu", cpu },
	{ "virtual", virtual },
	{ "memory", memory },
	{ "mitigations", mitigations },
	{ "lo", lo },
	{ "tcp", tcp },
	{ "net.ipv4.tcp_rmem", NULL },
	{ "net.ipv4.tcp_wmem", NULL },
	{ "net.ipv4.tcp_mem", NULL },
	{ "net.core.rmem_default", NULL },
	{ "net.core.rmem_max", NULL },
	{ "net.core.wmem_default", NULL },
	{ "net.core.wmem_max", NULL },
	{ "net.ipv4.tcp_moderate_rcvbuf", NULL },
	{ "net.ipv4.tcp_adv_win_scale", NULL },
	{ "net.ipv4.tcp_window_scaling", NULL },
	{ "net.ipv4.tcp_timestamps", NULL },
	{ "net.ipv4.tcp_sack", NULL },
	{ "net.ipv4.tcp_ecn", NULL },
	{ "net.ipv4.tcp_limit_output_bytes", NULL },
	{ "net.ipv4.tcp_notsent_lowat", NULL },
	{ "net.ipv4.tcp_autocorking", NULL },
	{ "net.ipv4.tcp_min_tso_segs", NULL },
	{ "net.ipv4.tcp_slow_start_after_idle", NULL },
	{ "net.ipv4.tcp_no_metrics_save", NULL },
	{ "net.ipv4.tcp_mtu_probing", NULL },
	{ "net.ipv4.tcp_backlog_ack_defer", NULL },
	{ "net.core.default_qdisc", NULL },
	{ "net.core.netdev_max_backlog", NULL },
	{ "net.core.netdev_budget", NULL },
	{ "net.core.busy_poll", NULL },
	{ "net.core.busy_read", NULL },
	{ "net.core.rps_sock_flow_entries", NULL },
	{ "net.core.somaxconn", NULL },
};

static void read_sysctl(const struct host *host, const char *key, char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/sys/%s", key);
	for (char *c = path; *c; c++)
		if (*c == '.')
			*c = '/';
	append_file(host, text, path);
}

int hostenv_read(struct hostenv *env, const char *root)
{
	struct host host = { .root = root };

	*env = (struct hostenv){ .count = 0 };
	hostcpu_read(&host.cpu, root);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[TEXT_SIZE] = "";

		if (rows[i].words)
			rows[i].words(&host, text);
		else
			read_sysctl(&host, rows[i].key, text);
		if (hostenv_set(env, rows[i].key, text)) {
			hostenv_free(env);
			return -1;
		}
	}
	return 0;
}

void hostenv_free(struct hostenv *env)
{
	for (size_t i = 0; i < env->count; i++) {
		free(env->entry[i].key);
		free(env->entry[i].value);
	}
	free(env->entry);
	*env = (struct hostenv){ .count = 0 };
}

/* What a value may be, for free(); NULL: no memory. */
static char *fit(const char *value)
{
	char *text = strdup(value);

	if (!text)
		return NULL;
	hostfile_clean(text);
	if (!*text) {
		free(text);
		return strdup("n/a");
	}
	if (strlen(text) >= HOSTENV_VALUE) {
		memcpy(text + HOSTENV_VALUE - 4, "...", 4);
		hostfile_clean(text);
	}
	return text;
}

static struct hostenv_entry *find(const struct hostenv *env, const char *key)
{
	for (size_t i = 0; i < env->count; i++)
		if (strcmp(env->entry[i].key, key) == 0)
			return &env->entry[i];
	return NULL;
}

int hostenv_set(struct hostenv *env, const char *key, const char *value)
{
	struct hostenv_entry *entry = find(env, key), *grown;
	char *text = fit(value), *name = entry ? NULL : strdup(key);

	if (text && entry) {
		free(entry->value);
		entry->value = text;
		return 0;
	}
	grown = realloc(env->entry, (env->count + 1) * sizeof(*grown));
	if (grown)
		env->entry = grown;
	if (!text || !name || !grown) {
		free(text);
		free(name);
		return -1;
	}
	env->entry[env->count++] = (struct hostenv_entry){ .key = name, .value = text };
	return 0;
}

const char *hostenv_get(const struct hostenv *env, const char *key)
{
	const struct hostenv_entry *entry = find(env, key);

	return entry ? entry->value : NULL;
}

int hostenv_from_run(struct hostenv *env, const struct run *run)
{
	*env = (struct hostenv){ .count = 0 };
	for (size_t i = 0; i < run->environments; i++)
		if (hostenv_set(env, run->environment[i].name, run->environment[i].value)) {
			hostenv_free(env);
			return -1;
		}
	return 0;
}
