/*
 * What /proc tells of processes and of the machine: of those that are made
 * here as trees of files, and of this one.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../measure/facts.h"
#include "../measure/process.h"
#include "test.h"
#include "test_facts.h"
#include "test_tree.h"

#define PID 4242
#define AT "/proc/4242/"
#define LONG_SIZE (1 << 20)

static struct facts_sample sample;
static struct process process;
static const char *program; /* our own name */

/* ---- made processes ---- */

/* The fields of proc(5) from 4 on are their own numbers, but for two. */
static void stat_text(char *text, size_t size, const char *name, char state, const char *start,
		      const char *cpu)
{
	size_t n = (size_t)snprintf(text, size, "%d (%s) %c", PID, name, state);

	for (int i = 4; i <= 52; i++) {
		if (i == 22)
			n += (size_t)snprintf(text + n, size - n, " %s", start);
		else if (i == 39)
			n += (size_t)snprintf(text + n, size - n, " %s", cpu);
		else
			n += (size_t)snprintf(text + n, size - n, " %d", i);
	}
	snprintf(text + n, size - n, "\n");
}

static void put_stat(const char *name, char state, const char *start, const char *cpu)
{
	char text[1024];

	stat_text(text, sizeof(text), name, state, start, cpu);
	put(AT "stat", text);
}

static void put_all(void)
{
	put_stat("sock_source", 'R', "777", "3");
	put(AT "schedstat", "123456789012 98765432 5\n");
	put(AT "status", "Name:\tvoluntary_ctxt_switches: 9\nState:\tR (running)\n"
			 "voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t7\n");
	put(AT "sched", "sock_source (4242, #threads: 1)\n"
			"-------------------------------------------\n"
			"se.exec_start                 :      13054819.866726\n"
			"se.nr_migrations              :                   12\n"
			"nr_switches                   :                    3\n");
	put(AT "io", "rchar: 6976\nwchar: 1\nsyscr: 10\nsyscw: 2000000000000\n");
	put(AT "cgroup", "4:memory:/x\n0::/a.slice/b c.scope\n");
	put("/sys/fs/cgroup/a.slice/b c.scope/cpu.stat",
	    "usage_usec 5\nnr_periods 9\nnr_throttled 4\nthrottled_usec 8\n");
}

static void begin(void)
{
	process_forget(&process);
	process.pid = PID;
	facts_nothing(&sample);
}

static int take(int end)
{
	facts_nothing(&sample);
	return process_sample(root, &process, &sample, end);
}

/* Nothing that is not known became a number, and no number is endless. */
static void check_sane(void)
{
	for (int end = 0; end < FACTS_ENDS; end++)
		for (int fact = 0; fact < FACTS; fact++) {
			double x = sample.value[end][fact];

			if (!isnan(x) && !(x >= 0 && x < 0x1p65))
				test_fail(__FILE__, __LINE__, "%s is %g", facts_rows[fact].name, x);
		}
}

static void test_a_whole_process(void)
{
	clear();
	put_all();
	for (int end = FACTS_SENDER; end <= FACTS_RECEIVER; end++) {
		const double *value = sample.value[end];

		begin();
		CHECK_EQ(take(end), 0);
		CHECK_NEAR(value[FACT_CPU], 3, 0);
		CHECK_NEAR(value[FACT_STOPPED], 0, 0);
		CHECK_NEAR(value[FACT_RUN], 123456789012., 0);
		CHECK_NEAR(value[FACT_RUNQ], 98765432, 0);
		CHECK_NEAR(value[FACT_VOLUNTARY], 150, 0);
		CHECK_NEAR(value[FACT_INVOLUNTARY], 7, 0);
		CHECK_NEAR(value[FACT_MIGRATIONS], 12, 0);
		CHECK_NEAR(value[FACT_READS], 10, 0);
		CHECK_NEAR(value[FACT_WRITES], 2e12, 0);
		CHECK_NEAR(value[FACT_THROTTLED], 4, 0);
		CHECK_EQ(values_known(&sample), 10);
		CHECK(sample.process_time_s[end] > 0);
		CHECK(isnan(sample.process_time_s[!end]) && isnan(sample.time_s[end]));
		CHECK_EQ_U(process.start, 777);
		CHECK_STR(process.cgroup, "/a.slice/b c.scope");
	}
}

/* 64 KB pages, no SCHED_DEBUG: all but the migrations, and "t" is stopped too. */
static void test_an_arm64_machine(void)
{
	static const struct {
		char state;
		int stopped;
	} states[] = { { 'T', 1 }, { 't', 1 }, { 'S', 0 }, { 'D', 0 }, { 'Z', 0 }, { 'I', 0 } };

	clear();
	put_all();
	unlink(tree_way(AT "sched"));
	put(AT "cgroup", "0::/\n");
	put("/sys/fs/cgroup/cpu.stat", "usage_usec 123\nuser_usec 1\n");
	for (size_t i = 0; i < COUNT(states); i++) {
		put_stat("sock_sink", states[i].state, "99", "255");
		begin();
		CHECK_EQ(take(FACTS_RECEIVER), 0);
		CHECK_NEAR(sample.value[FACTS_RECEIVER][FACT_STOPPED], states[i].stopped, 0);
		CHECK_NEAR(sample.value[FACTS_RECEIVER][FACT_CPU], 255, 0);
		CHECK_NEAR(sample.value[FACTS_RECEIVER][FACT_RUN], 123456789012., 0);
		CHECK(isnan(sample.value[FACTS_RECEIVER][FACT_MIGRATIONS]));
		CHECK(isnan(sample.value[FACTS_RECEIVER][FACT_THROTTLED]));
		CHECK_EQ(values_known(&sample), 8);
	}
}

/* No schedstat, sched, io; status without the switches; stat without field 39. */
static void test_an_old_kernel(void)
{
	clear();
	put(AT "stat", "4242 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 500 20 21\n");
	put(AT "status", "Name:\ta\nVmSize:\t    3000 kB\nSigIgn:\t0000000000000000\n");
	begin();
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK_EQ_U(process.start, 500);
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_STOPPED], 0, 0);
	CHECK_EQ(values_known(&sample), 1);
	put("/proc/stat", "cpu  100 5 30 4000 50 6 7\ncpu0 100 5 30 4000 50 6 7\nintr 12 3\n");
	facts_nothing(&sample);
	CHECK_EQ(process_sample_host(root, &sample), 0);
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_TICKS], 4198, 0);
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_IDLE], 4050, 0);
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_CPUS], 1, 0);
	CHECK(isnan(sample.value[FACTS_HOST][FACT_STEAL]));
	CHECK_EQ(values_known(&sample), 3);
	CHECK(sample.time_s[FACTS_HOST] > 0);
}

/* 2.4: not even the time of waiting for a disk. */
static void test_a_kernel_of_long_ago(void)
{
	clear();
	put("/proc/stat", "cpu  100 5 30 4000\ncpu0 50 5 30 4000\ncpu1 50 0 0 0\npage 1 2\n");
	facts_nothing(&sample);
	CHECK_EQ(process_sample_host(root, &sample), 0);
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_TICKS], 4135, 0);
	CHECK(isnan(sample.value[FACTS_HOST][FACT_IDLE]));
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_CPUS], 2, 0);
	CHECK_EQ(values_known(&sample), 2);
}

static const char *const every_file[] = { "stat", "schedstat", "status", "sched",
					  "io",	  "cgroup",    "cmdline" };

/* Files may not be read, as /proc/PID/io of another user; stat may not either. */
static void test_a_restricted_container(void)
{
	int is_root = geteuid() == 0;

	clear();
	put_all();
	chmod(tree_way(AT "io"), 0);
	chmod(tree_way(AT "schedstat"), 0);
	unlink(tree_way(AT "status"));
	if (is_root && seteuid(65534))
		TEST_SKIP("root, and cannot be another");
	begin();
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_RUN]));
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_WRITES]));
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_VOLUNTARY]));
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_CPU], 3, 0);
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_MIGRATIONS], 12, 0);
	CHECK_EQ(values_known(&sample), 4);
	if (is_root && seteuid(0))
		abort();
	chmod(tree_way(AT "stat"), 0);
	if (is_root && seteuid(65534))
		abort();
	begin();
	CHECK_EQ(take(FACTS_SENDER), -1);
	CHECK_EQ(values_known(&sample), 0);
	if (is_root && seteuid(0))
		abort();
	clear();
	begin();
	CHECK_EQ(take(FACTS_SENDER), -1);
	CHECK_EQ(process_sample_host(root, &sample), -1);
	CHECK_EQ(values_known(&sample), 0);
	CHECK(isnan(process_load(root)));
	CHECK(isnan(sample.time_s[FACTS_HOST]) && isnan(sample.process_time_s[FACTS_SENDER]));
	process.pid = 0;
	CHECK_EQ(take(FACTS_SENDER), -1);
}

static void test_names(void)
{
	static const char *const names[] = { "a b",
					     "(a) b) R 1",
					     ")",
					     "",
					     "((((",
					     ") T 99",
					     "a\nb) T 2",
					     ") ",
					     "\xc3\xa4\x80 x",
					     "1 2 3 4 5 6 7 8 9 10" };

	clear();
	for (size_t i = 0; i < COUNT(names); i++) {
		put_stat(names[i], 'S', "4711", "9");
		begin();
		CHECK_EQ(take(FACTS_SENDER), 0);
		CHECK_EQ_U(process.start, 4711);
		CHECK_NEAR(sample.value[FACTS_SENDER][FACT_CPU], 9, 0);
		CHECK_NEAR(sample.value[FACTS_SENDER][FACT_STOPPED], 0, 0);
		CHECK_EQ(values_known(&sample), 2);
	}
}

/* ---- garbage ---- */

static void put_everywhere(const char *bytes, size_t size)
{
	char path[64];

	for (size_t i = 0; i < COUNT(every_file); i++) {
		snprintf(path, sizeof(path), AT "%s", every_file[i]);
		put_bytes(path, bytes, size);
	}
	put_bytes("/proc/stat", bytes, size);
	put_bytes("/proc/loadavg", bytes, size);
}

static void test_garbage(void)
{
	static char bytes[LONG_SIZE];
	char text[64];
	unsigned int state = 1;

	clear();
	put_everywhere("", 0);
	begin();
	CHECK_EQ(take(FACTS_SENDER), -1);
	CHECK_EQ(process_sample_host(root, &sample), -1);
	CHECK_EQ(process_command(root, PID, text, sizeof(text)), -1);
	put_everywhere(bytes, 4096);
	begin();
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK_EQ(process_sample_host(root, &sample), -1);
	CHECK_EQ(values_known(&sample), 0);
	CHECK_EQ(process_command(root, PID, text, sizeof(text)), 0);
	CHECK_HAS(text, "...");
	memset(bytes, 'x', sizeof(bytes));
	put_everywhere(bytes, sizeof(bytes));
	begin();
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK_EQ(process_sample_host(root, &sample), -1);
	CHECK_EQ(values_known(&sample), 0);
	CHECK(isnan(process_load(root)));
	for (int round = 0; round < 100; round++) {
		for (size_t i = 0; i < 4096; i++) {
			state = state * 1664525U + 1013904223U;
			bytes[i] = state >> 30 ? (char)(state >> 16) : "\n:)9 cpu"[state >> 16 & 7];
		}
		memcpy(bytes, round % 2 ? "cpu  1 " : "1 (a) S", 7);
		put_everywhere(bytes, 4096);
		begin();
		take(FACTS_SENDER);
		process_sample_host(root, &sample);
		process_command(root, PID, text, sizeof(text));
		CHECK(strlen(text) < sizeof(text));
		check_sane();
	}
}

static void test_no_numbers(void)
{
	clear();
	put_all();
	put(AT "stat", "4242 (a S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 500 20 21\n");
	put(AT "schedstat", "- 98\n");
	put(AT "status", "voluntary_ctxt_switches:\nnonvoluntary_ctxt_switches\t-1\n");
	put(AT "sched", "se.nr_migrations : none\nse.nr_migrations_x : 5\n");
	put(AT "io", "syscr\nxsyscw: 5\nsyscw5: 5\n");
	begin();
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_RUNQ], 98, 0);
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_THROTTLED], 4, 0);
	CHECK_EQ(values_known(&sample), 2);
	for (int i = 0; i < 2; i++) {
		put("/proc/stat", i ? "cpu  \ncpu0 1 2 3 4\n" : "cpu  0 0 0 0 0 0 0 0 0 0\n");
		facts_nothing(&sample);
		CHECK_EQ(process_sample_host(root, &sample), -1);
		CHECK_EQ(values_known(&sample), 0);
		CHECK(isnan(sample.time_s[FACTS_HOST]));
	}
}

static void test_numbers_too_large(void)
{
	static char nines[401];
	char text[1024];

	memset(nines, '9', sizeof(nines) - 1);
	clear();
	put_all();
	put_stat("a", 'R', nines, "99999999999");
	snprintf(text, sizeof(text), "%s 18446744073709549568\n", nines);
	put(AT "schedstat", text);
	snprintf(text, sizeof(text), "syscr: %s\nsyscw: 1e999\n", nines);
	put(AT "io", text);
	begin();
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_CPU]));
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_RUN]));
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_RUNQ], 18446744073709549568., 0);
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_READS]));
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_WRITES]));
	snprintf(text, sizeof(text), "cpu  1 2 %s 4 5 6 7 8\ncpu0 1\n", nines);
	put("/proc/stat", text);
	facts_nothing(&sample);
	CHECK_EQ(process_sample_host(root, &sample), -1);
	CHECK_EQ(values_known(&sample), 0);
	put("/proc/loadavg", nines);
	CHECK(isnan(process_load(root)));
	put_all();
	memset(text, 'c', 300);
	memcpy(text, "0::/", 4);
	memcpy(text + 300, "\n", 2);
	put(AT "cgroup", text);
	begin();
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK_STR(process.cgroup, "");
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_THROTTLED]));
}

/* Directories, and pipes that nobody writes to. */
static void test_no_files(void)
{
	char path[64], text[64];

	for (int kind = 0; kind < 2; kind++) {
		clear();
		for (size_t i = 0; i <= COUNT(every_file); i++) {
			const char *way;

			snprintf(path, sizeof(path), i ? AT "%s" : "/proc/%s",
				 i ? every_file[i - 1] : "stat");
			way = tree_way(path);
			if (kind ? mkfifo(way, 0600) : mkdir(way, 0700))
				abort();
		}
		put("/proc/loadavg/x", "");
		begin();
		process.keep_open = 1;
		CHECK_EQ(take(FACTS_SENDER), -1);
		CHECK_EQ(process_sample_host(root, &sample), -1);
		CHECK_EQ(process_command(root, PID, text, sizeof(text)), -1);
		CHECK(isnan(process_load(root)));
		CHECK_EQ(values_known(&sample), 0);
		process_forget(&process);
		rmdir(tree_way(AT "stat"));
		unlink(tree_way(AT "stat"));
		put_stat("a", 'R', "5", "1");
		begin();
		CHECK_EQ(take(FACTS_SENDER), 0);
		CHECK_EQ(values_known(&sample), 2);
	}
}

/* ---- one process after another ---- */

static void test_a_number_used_again(void)
{
	for (int keep = 0; keep < 2; keep++) {
		clear();
		put_all();
		begin();
		process.keep_open = keep;
		CHECK_EQ(take(FACTS_SENDER), 0);
		CHECK_EQ(take(FACTS_SENDER), 0);
		put_stat("sock_source", 'R', "778", "1");
		CHECK_EQ(take(FACTS_SENDER), -1);
		CHECK_EQ(values_known(&sample), 0);
		CHECK(isnan(sample.process_time_s[FACTS_SENDER]));
		put(AT "stat", "4242 (cut");
		CHECK_EQ(take(FACTS_SENDER), -1);
		CHECK_EQ(values_known(&sample), 0);
		put_stat("sock_source", 'R', "777", "1");
		CHECK_EQ(take(FACTS_SENDER), 0);
		begin();
		put_stat("sock_source", 'R', "778", "1");
		CHECK_EQ(take(FACTS_SENDER), 0);
		CHECK_EQ_U(process.start, 778);
	}
}

/* The lowest descriptor that is free. */
static int next_fd(void)
{
	int fd = 0;

	while (fcntl(fd, F_GETFD) >= 0)
		fd++;
	return fd;
}

static void test_files_kept_open(void)
{
	int free_fd = next_fd();

	clear();
	put_all();
	unlink(tree_way(AT "io"));
	begin();
	process.keep_open = 1;
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK_EQ(next_fd(), free_fd + 5);
	put(AT "schedstat", "5 6 7\n");
	put(AT "io", "syscr: 1\nsyscw: 2\n");
	put_stat("sock_source", 'T', "777", "0");
	put("/sys/fs/cgroup/a.slice/b c.scope/cpu.stat", "nr_throttled 99\n");
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(take(FACTS_SENDER), 0);
		CHECK_NEAR(sample.value[FACTS_SENDER][FACT_RUN], 5, 0);
		CHECK_NEAR(sample.value[FACTS_SENDER][FACT_RUNQ], 6, 0);
		CHECK_NEAR(sample.value[FACTS_SENDER][FACT_CPU], 0, 0);
		CHECK_NEAR(sample.value[FACTS_SENDER][FACT_STOPPED], 1, 0);
		CHECK_NEAR(sample.value[FACTS_SENDER][FACT_THROTTLED], 99, 0);
		/* What could not be opened is not tried again. */
		CHECK(isnan(sample.value[FACTS_SENDER][FACT_WRITES]));
	}
	CHECK_EQ(next_fd(), free_fd + 5);
	put(AT "schedstat", "");
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_RUN]));
	process_forget(&process);
	CHECK_EQ(next_fd(), free_fd);
	CHECK_EQ(process.pid, 0);
	begin();
	CHECK_EQ(take(FACTS_SENDER), 0);
	CHECK_EQ(next_fd(), free_fd);
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_WRITES], 2, 0);
}

/* ---- the machine ---- */

static void test_4096_cpus(void)
{
	static char text[LONG_SIZE];
	size_t n = (size_t)snprintf(text, sizeof(text), "cpu  400000 5 30 8000 500 60 7 89 1 2\n");

	for (int i = 0; i < 4096; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "cpu%d 123456789 12345 12345678 1234567890 1234567 0 1234567 "
				      "0 0\n",
				      i);
	clear();
	put_bytes("/proc/stat", text, n);
	facts_nothing(&sample);
	CHECK(n > 250000);
	CHECK_EQ(process_sample_host(root, &sample), 0);
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_CPUS], 4096, 0);
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_TICKS], 408691, 0);
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_IDLE], 8500, 0);
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_STEAL], 89, 0);
	CHECK_EQ(values_known(&sample), 4);
	put("/proc/stat", "cpu  1 2 3 4 5 6 7 8\ncpu0 1\ncpu1 1\nintr 5\ncpufreq 3\nctxt 5\n");
	CHECK_EQ(process_sample_host(root, &sample), 0);
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_CPUS], 2, 0);
	put("/proc/stat", "cpu  1 2 3 4 5 6 7 8");
	CHECK_EQ(process_sample_host(root, &sample), 0);
	CHECK(isnan(sample.value[FACTS_HOST][FACT_CPUS]));
	CHECK_NEAR(sample.value[FACTS_HOST][FACT_TICKS], 36, 0);
	put("/proc/stat", "intr 5\ncpu  1 2 3 4\n");
	CHECK_EQ(process_sample_host(root, &sample), -1);
}

static void test_load(void)
{
	static const struct {
		const char *text;
		double load;
	} cases[] = {
		{ "0.43 0.85 3.34 3/100 9059\n", 0.43 },
		{ "128.00 1 1 1/1 1\n", 128 },
		{ "0.00 0.00 0.00 1/1 1\n", 0 },
		{ "-1 0 0\n", NAN },
		{ "nan\n", NAN },
		{ "inf\n", NAN },
		{ "\n", NAN },
	};

	clear();
	for (size_t i = 0; i < COUNT(cases); i++) {
		put("/proc/loadavg", cases[i].text);
		if (isnan(cases[i].load))
			CHECK(isnan(process_load(root)));
		else
			CHECK_NEAR(process_load(root), cases[i].load, 0);
	}
}

/* ---- owners ---- */

static void put_owner(int pid, const char *start, int fd, const char *link)
{
	char path[64], text[1024];

	stat_text(text, sizeof(text), "x) y", 'S', start, "1");
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	put(path, text);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	if (symlink(link, tree_way(path)))
		abort();
}

static void test_owners(void)
{
	struct process_socket sockets[] = {
		{ .inode = 99 },
		{ .inode = 7 },
		{ .inode = 1234 },
		{ .inode = 0 },
		{ .inode = 0xfffffffffULL },
		{ .inode = 55 },
	};

	clear();
	put_owner(100, "5000", 3, "socket:[7]");
	put_owner(100, "5000", 4, "socket:[99]");
	put_owner(100, "5000", 5, "pipe:[55]");
	put_owner(100, "5000", 6, "/socket:[55]");
	put_owner(100, "5000", 7, "socket:[");
	put_owner(100, "5000", 8, "socket:[]");
	put_owner(100, "5000", 9, "socket:[x55]");
	put_owner(300, "6000", 3, "socket:[7]"); /* began last */
	put_owner(200, "5500", 12, "socket:[7]");
	put_owner(200, "5500", 13, "socket:[68719476735]");
	put_owner(900, "4000", 3, "socket:[99]"); /* a higher number, but older */
	put_owner(400, "7000", 3, "socket:[1234]");
	put_owner(401, "7000", 3, "socket:[1234]"); /* in the same tick */
	put_owner(401, "7000", 4, "socket:[1234]");
	put("/proc/self/fd/none", "");
	put("/proc/500/fd", "no directory");
	put("/proc/600/comm", "no fd\n");
	put("/proc/uptime", "1 2\n");
	process_find(root, sockets, COUNT(sockets));
	CHECK_EQ(process_found(sockets, COUNT(sockets), 7), 300);
	CHECK_EQ(process_found(sockets, COUNT(sockets), 99), 100);
	CHECK_EQ(process_found(sockets, COUNT(sockets), 1234), 401);
	CHECK_EQ(process_found(sockets, COUNT(sockets), 0xfffffffffULL), 200);
	CHECK_EQ(process_found(sockets, COUNT(sockets), 55), 0);
	CHECK_EQ(process_found(sockets, COUNT(sockets), 0), 0);
	CHECK_EQ(process_found(sockets, COUNT(sockets), 8), 0);
	/* Its holder cannot be told from others by age, but is still the only one. */
	clear();
	put_owner(100, "5000", 3, "socket:[7]");
	put("/proc/100/stat", "");
	sockets[0] = (struct process_socket){ .inode = 7 };
	process_find(root, sockets, 1);
	CHECK_EQ(process_found(sockets, 1, 7), 100);
	process_find(root, sockets, 0);
	CHECK_EQ(process_found(sockets, 0, 7), 0);
	clear();
	sockets[0] = (struct process_socket){ .inode = 7 };
	process_find(root, sockets, 1);
	CHECK_EQ(process_found(sockets, 1, 7), 0);
}

/* ---- command lines ---- */

static void test_commands(void)
{
	static const struct {
		const char *line;
		size_t size;
		const char *text;
	} cases[] = {
		{ "./sock_source\0-b\0001M", 19, "sock_source -b 1M" },
		{ "/usr/bin/nc\0-l\0a b\0", 19, "nc -l \"a b\"" },
		{ "nginx: worker process\0", 22, "\"nginx: worker process\"" },
		{ "a\0\0b\0", 5, "a \"\" b" },
		{ "/usr/bin/\0/a/b\0", 15, "\"\" /a/b" },
		{ "x\0$HOME`id`\\\"\0", 14, "x \"\\$HOME\\`id\\`\\\\\\\"\"" },
		{ "\xc3\xa4\x80\0\n\x7f\0", 7, "\"???\" \" ?\"" },
		{ "a\0~\0*\0;\0'\0", 10, "a \"~\" \"*\" \";\" \"'\"" },
	};
	char text[256];

	clear();
	for (size_t i = 0; i < COUNT(cases); i++) {
		put_bytes(AT "cmdline", cases[i].line, cases[i].size);
		CHECK_EQ(process_command(root, PID, text, sizeof(text)), 0);
		CHECK_STR(text, cases[i].text);
	}
	put(AT "cmdline", "");
	CHECK_EQ(process_command(root, PID, text, sizeof(text)), -1);
	CHECK_EQ(process_command(root, 1, text, sizeof(text)), -1);
}

/* What sh makes of the words, one in brackets each. */
static void through_sh(const char *words, char *text, size_t size)
{
	char command[2048];
	FILE *pipe;
	size_t n;

	snprintf(command, sizeof(command), "printf '[%%s]' %s", words);
	pipe = popen(command, "r");
	n = pipe ? fread(text, 1, size - 1, pipe) : 0;
	text[n] = '\0';
	if (!pipe || pclose(pipe))
		abort();
}

static void test_words_through_a_shell(void)
{
	static char *const words[] = { "sock_sink", "-t",    "SO_RCVBUF=8192 TCP_NODELAY",
				       "",	    "a\"b",  "$HOME",
				       "\\",	    "\\\\",  "$(echo no)",
				       "`id`",	    "it's",  "a;b|c&d<e>f",
				       "*",	    "~",     "#x",
				       "{4K..64K}", "a\\$b", "!",
				       "%s",	    "-n",    " ",
				       "[x]",	    "?",     "\\\"",
				       "a=b",	    "1,2",   "^x",
				       NULL };
	char text[1024], out[1024], want[1024];
	size_t n = 0;

	clear();
	CHECK_EQ(process_words(words, text, sizeof(text)), 0);
	through_sh(text, out, sizeof(out));
	for (size_t i = 0; words[i]; i++)
		n += (size_t)snprintf(want + n, sizeof(want) - n, "[%s]", words[i]);
	CHECK_STR(out, want);
}

static void test_words_that_do_not_fit(void)
{
	static char long_word[2000];
	char *const words[] = { "./a", "bb", "c c", long_word, "d", NULL };
	char *const none[] = { NULL };
	char text[1024];

	memset(long_word, 'x', sizeof(long_word) - 1);
	CHECK_EQ(process_words(words, text, sizeof(text)), 0);
	CHECK_STR(text, "a bb \"c c\" ...");
	for (size_t size = 4; size < 64; size++) {
		size_t n;

		memset(text, '#', sizeof(text));
		CHECK_EQ(process_words(words, text, size), 0);
		n = strlen(text);
		CHECK(n < size && n >= 3 && strcmp(text + n - 3, "...") == 0);
		CHECK(text[size] == '#');
		CHECK(n == 3 || strncmp(text, "a bb \"c c\"", n - 4) == 0);
	}
	CHECK_EQ(process_words(none, text, sizeof(text)), -1);
	CHECK_STR(text, "");
}

static void test_a_whole_line(void)
{
	static char quotes[3000], want[2 * sizeof(quotes) + 16];
	char *const words[] = { "./a", quotes, "", "c c", NULL };
	char *const none[] = { NULL };
	size_t n = (size_t)snprintf(want, sizeof(want), "a \"");
	char *line;

	memset(quotes, '"', sizeof(quotes) - 1);
	for (size_t i = 0; i < sizeof(quotes) - 1; i++)
		n += (size_t)snprintf(want + n, sizeof(want) - n, "\\\"");
	snprintf(want + n, sizeof(want) - n, "\" \"\" \"c c\"");
	line = process_line(words);
	NEED(line != NULL);
	CHECK_STR(line, want);
	free(line);
	CHECK(process_line(none) == NULL);
}

/* ---- this machine ---- */

static void test_self(void)
{
	struct process_socket socket = { 0 };
	char text[1024];
	struct stat st;
	int pair[2];
	pid_t child;

	if (access("/proc/self/stat", R_OK) || access("/proc/self/fd", R_OK))
		TEST_SKIP("no /proc of Linux here");
	process_forget(&process);
	process.pid = getpid();
	process.keep_open = 1;
	facts_nothing(&sample);
	CHECK_EQ(process_sample("", &process, &sample, FACTS_SENDER), 0);
	CHECK(sample.value[FACTS_SENDER][FACT_CPU] >= 0);
	CHECK_NEAR(sample.value[FACTS_SENDER][FACT_STOPPED], 0, 0);
	CHECK(process.start > 0);
	CHECK(isnan(sample.value[FACTS_SENDER][FACT_RUN]) ||
	      sample.value[FACTS_SENDER][FACT_RUN] > 0);
	CHECK_EQ(process_sample("", &process, &sample, FACTS_SENDER), 0);
	process_forget(&process);
	CHECK_EQ(process_sample_host("", &sample), 0);
	CHECK(sample.value[FACTS_HOST][FACT_TICKS] > sample.value[FACTS_HOST][FACT_IDLE]);
	CHECK(sample.value[FACTS_HOST][FACT_CPUS] >= 1);
	CHECK(process_load("") >= 0);
	CHECK_EQ(process_command("", getpid(), text, sizeof(text)), 0);
	CHECK_EQ(strncmp(text, program, strlen(program)), 0);
	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && fstat(pair[0], &st) == 0);
	socket.inode = st.st_ino;
	process_find("", &socket, 1);
	CHECK_EQ(process_found(&socket, 1, st.st_ino), getpid());
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	socket.pid = 0;
	process_find("", &socket, 1);
	/* The numbers may have begun anew just then. */
	if (child > getpid())
		CHECK_EQ(process_found(&socket, 1, st.st_ino), child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	process.pid = child;
	CHECK_EQ(process_sample("", &process, &sample, FACTS_SENDER), -1);
	close(pair[0]);
	close(pair[1]);
}

int main(int argc, char **argv)
{
	program = argc && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	if (tree_begin())
		return 1;
	RUN(test_a_whole_process);
	RUN(test_an_arm64_machine);
	RUN(test_an_old_kernel);
	RUN(test_a_kernel_of_long_ago);
	RUN(test_a_restricted_container);
	RUN(test_names);
	RUN(test_garbage);
	RUN(test_no_numbers);
	RUN(test_numbers_too_large);
	RUN(test_no_files);
	RUN(test_a_number_used_again);
	RUN(test_files_kept_open);
	RUN(test_4096_cpus);
	RUN(test_load);
	RUN(test_owners);
	RUN(test_commands);
	RUN(test_words_through_a_shell);
	RUN(test_words_that_do_not_fit);
	RUN(test_a_whole_line);
	RUN(test_self);
	if (tree_end())
		return 1;
	return test_end();
}
