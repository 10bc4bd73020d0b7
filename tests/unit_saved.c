/*
 * Saved output: which lines count, to which connection they belong, what the
 * headers and ends say, and that no text whatever breaks the reader.
 */
#include "../measure/hostenv.h"
#include "../measure/run.h"
#include "../measure/saved.h"
#include "../measure/stats.h"
#include "../socklib.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define MAIL "tests/fixtures/mail-1998.txt"
#define REPORT "tests/fixtures/report.txt"

static struct sock_cause cause;

/* Read these bytes; -1 and the cause as saved_read(). */
static int read_bytes(const char *text, size_t size, double interval_s, struct run *run)
{
	FILE *file = tmpfile();
	int ret;

	if (!file)
		return -2;
	fwrite(text, 1, size, file);
	rewind(file);
	ret = saved_read(file, "saved.txt", interval_s, run, &cause);
	fclose(file);
	return ret;
}

static int read_text(const char *text, struct run *run)
{
	return read_bytes(text, strlen(text), 0, run);
}

/* The whole of a file, with a NUL behind it; NULL when it cannot be read. */
static char *load(const char *name, size_t *size)
{
	FILE *file = fopen(name, "r");
	char *text = file ? malloc(65536) : NULL;

	if (text) {
		*size = fread(text, 1, 65535, file);
		text[*size] = '\0';
	}
	if (file)
		fclose(file);
	return text;
}

/*
 * The run in one line: per connection "NUMBER.ROUND", and its intervals as
 * RATE@START where the start is known.
 */
static const char *shown(const struct run *run)
{
	static char text[4096];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < run->count && n < 3800; i++) {
		const struct run_series *series = &run->series[i];

		n += (size_t)sprintf(text + n, "%s%u.%u", i ? " | " : "", series->number,
				     series->round);
		for (size_t k = 0; k < series->count && n < 3800; k++) {
			n += (size_t)sprintf(text + n, " %.6g", series->rate[k]);
			if (series->start_s[k] >= 0)
				n += (size_t)sprintf(text + n, "@%.6g", series->start_s[k]);
		}
	}
	return text;
}

#define CHECK_RUN(text, want) \
	do { \
		struct run run_now; \
\
		CHECK_EQ(read_text(text, &run_now), 0); \
		CHECK_STR(shown(&run_now), want); \
		run_free(&run_now); \
	} while (0)

static double median(const struct run *run, size_t at)
{
	double result = -1;

	if (at < run->count)
		stats_median(run->series[at].rate, run->series[at].count, &result);
	return result;
}

/* ---- the mail ---- */

static void check_mail(const char *text, size_t size)
{
	struct run run;

	NEED(read_bytes(text, size, 0, &run) == 0);
	NEED(run.count == 3);
	CHECK_EQ(run.series[0].count, 13);
	CHECK_EQ(run.series[1].count, 15);
	CHECK_EQ(run.series[2].count, 8);
	CHECK_EQ(run.series[2].number, 3);
	CHECK_EQ(run.series[2].round, 3);
	CHECK_NEAR(median(&run, 0), 0.740292, 1e-12);
	CHECK_NEAR(median(&run, 1), 0.800895, 1e-12);
	CHECK_NEAR(median(&run, 2), 2.24239, 0.000005);
	CHECK_EQ(run.parallel, 1);
	CHECK_EQ(run.both_wrote, 1);
	CHECK_NEAR(run.interval_s, 0, 0);
	CHECK_NEAR(run.series[1].start_s[4], -1, 0);
	CHECK_EQ(run.passed_over, 5);
	CHECK_STR(run_setting(&run, "options"), "");
	CHECK(run_setting(&run, "early") == NULL);
	run_free(&run);
}

static void test_the_mail(void)
{
	size_t size = 0;
	char *text = load(MAIL, &size);

	NEED(text != NULL);
	check_mail(text, size);
	free(text);
}

/* Each line stands for half of the interval that was told. */
static void test_the_mail_with_an_interval(void)
{
	size_t size = 0;
	char *text = load(MAIL, &size);
	struct run run;

	NEED(text != NULL);
	CHECK_EQ(read_bytes(text, size, 2, &run), 0);
	free(text);
	CHECK_NEAR(run.interval_s, 2, 0);
	CHECK_NEAR(run.series[1].start_s[4], 4, 1e-12);
	CHECK_NEAR(run.series[1].start_s[6], 6, 1e-12);
	run_free(&run);
}

/* As it comes back from a list: quoted twice, CRLF, blanks added. */
static void test_the_mail_quoted(void)
{
	static const char *const before[] = { "> ", ">> ", "> > ", ">", "\t" };
	static const char *const behind[] = { "\r\n", " \r\n", "\r", "\t\n" };
	size_t size = 0, n = 0;
	char *text = load(MAIL, &size), *quoted = malloc(65536);

	NEED(text != NULL && quoted != NULL);
	for (size_t i = 0; i < 5 * 4; i++) {
		n = 0;
		for (char *line = text; *line; line += strcspn(line, "\n") + 1)
			n += (size_t)sprintf(quoted + n, "%s%.*s%s", before[i % 5],
					     (int)strcspn(line, "\n"), line, behind[i / 5]);
		check_mail(quoted, n);
	}
	free(quoted);
	free(text);
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* ---- which lines count ---- */

static void test_case_7(void)
{
	static const char text[] = "> host=localhost port=7001 options=[]\r\n"
				   "> 10 MB/sec   \r\n"
				   ">> 11.5 MB/sec\t\r\n"
				   "  12 MB/sec\n"
				   "1e+03 MB/sec\n"
				   "5e-05 MB/sec\n"
				   "0 MB/sec\n"
				   /* Foreign from here on. */
				   "it gave 850 MB/sec on the old kernel\n"
				   "850 MB/sec is what I had\n"
				   "850 KB/sec\n"
				   "20,9057 MB/sec\n"
				   "-3 MB/sec\n"
				   "+3 MB/sec\n"
				   "3\0 MB/sec\n"
				   "\0"
				   "3 MB/sec\n"
				   "3 MB/sec\0\n";
	struct run run;

	NEED(read_bytes(text, sizeof(text) - 1, 0, &run) == 0);
	CHECK_STR(shown(&run), "1.1 10 11.5 12 1000 5e-05 0");
	CHECK_EQ(run.passed_over, 9);
	CHECK_EQ(run.both_wrote, 0);
	run_free(&run);
}

static void test_foreign_numbers(void)
{
	static const char *const foreign[] = {
		"0x10 MB/sec",
		"inf MB/sec",
		"nan MB/sec",
		"1e999 MB/sec",
		".5 MB/sec",
		"5. MB/sec",
		"5.e3 MB/sec",
		"1e MB/sec",
		"1e+ MB/sec",
		"1 2 MB/sec",
		"1MB/sec",
		"1 MB/second",
		"1 MB/s",
		"1 mb/sec",
		"1 MB/sec.",
		"1 MB/sec, 2",
		"1 MB/sec -3",
		"1 MB/sec cpus",
		"1 MB/sec and",
		"[0] 1 MB/sec",
		"[1]1 MB/sec",
		"[x] 1 MB/sec",
		"[-1] 1 MB/sec",
		"[1 1 MB/sec",
		"[] 1 MB/sec",
		"bash$ 1 MB/sec",
		"1..2 MB/sec",
		"1 MB/sec warm-up-and-down",
		"1 MB/sec &",
		"1 MB/sec cpu,",
		"1 MB/sec \x01",
		"1e1e1 MB/sec",
		"[9999999999] 1 MB/sec",
		"MB/sec",
		"1 MB/sec\v",
		"[1] 14798",
		"1 MB / sec",
		"1 MB/sec late5 s",
		"1'000 MB/sec",
	};
	char text[128];
	struct run run;

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		sprintf(text, "%s\n7 MB/sec\n", foreign[i]);
		CHECK_EQ(read_text(text, &run), 0);
		CHECK_STR(shown(&run), "1.1 7");
		if (run.passed_over != 1)
			printf("# %s\n", foreign[i]);
		CHECK_EQ(run.passed_over, 1);
		run_free(&run);
	}
}

static void test_columns_and_their_words(void)
{
	struct run run;

	NEED(read_text("host=h port=1 options=[] interval=2\n"
		       "1 MB/sec  rwnd 99%  cpu 0>1  1.0K/read  cwnd 10\n"
		       "2 MB/sec  -  cpu n/a>1  1.0K/read  cwnd n/a\n"
		       "3 MB/sec  -             18125 B/rd\n"
		       "4 MB/sec  late 5.5 s\n"
		       "5 MB/sec  -   18125 B/rd  late 4 s\n"
		       "6 MB/sec  -   18125 B/rd  partial 0.3 s\n"
		       "7 MB/sec  partial 0.2 s\n"
		       "8 MB/sec cpu 97% path timer stopped\n",
		       &run) == 0);
	CHECK_STR(shown(&run), "1.1 1@0 2@2 3@4 4@6 5@11.5 8@16");
	CHECK_EQ(run.passed_over, 0);
	run_free(&run);
}

static void test_warm_up(void)
{
	struct run run;

	NEED(read_text("host=h port=1 options=[] interval=0.5 warmup=1\n"
		       "1 MB/sec  warm-up\n2 MB/sec\n3 MB/sec\n"
		       "connection 1: 2 s, 4 MB read, 2 MB/sec, done\n"
		       "1 MB/sec  -  4 B/rd  warm-up 1.5 s\n2 MB/sec\n",
		       &run) == 0);
	CHECK_STR(shown(&run), "1.1 2@1 3@1.5 | 2.2 2@1.5");
	CHECK_NEAR(run.warm_up_s, 1, 0);
	CHECK_NEAR(run.interval_s, 0.5, 0);
	run_free(&run);
}

/* A run printed with all that stands around it; none of it is an interval. */
static void test_our_own_other_lines(void)
{
	static const char text[] = "$ ./sock_sink -n 2 -d 1\n"
				   "host=localhost port=7001 options=[] interval=0.5\n"
				   "  connected from 127.0.0.1:45712 to 127.0.0.1:7001\n"
				   "  option           asked  when   fresh socket  connected\n"
				   "  SO_RCVBUF         8192  late         131072      16384\n"
				   "1865.62 MB/sec\n[sum] 1865.62 MB/sec\n1909.07 MB/sec\n"
				   "connection 1: 1 s, 1887 MB read, 1887 MB/sec, done\n"
				   "5312.72 MB/sec\n5188.6 MB/sec\n"
				   "connection 2: 1 s, 5250 MB read, 5250 MB/sec, done\n"
				   "\n"
				   "2 connections of 1 s, 4 intervals of 0.5 s\n"
				   "  median    1890 MB/sec, 95% interval 1870 to 5062\n"
				   "  range     1757 to 5313 MB/sec, 3.02 times\n"
				   "  changes   connection 5 after 1.5 s: 2028 to 5091 MB/sec\n"
				   "               1757                          5313 MB/sec\n"
				   "    1     1868  | 161\n"
				   "  64K  (none)             4659    1705    4734   2.78   2\n"
				   "  median         663     5586     3982     9120  MB/sec\n"
				   "verdict: slower by 14%, at least 12%.\n";
	struct run run;

	NEED(read_text(text, &run) == 0);
	CHECK_STR(shown(&run), "1.1 1865.62@0 1909.07@0.5"
			       " | 2.2 5312.72@0 5188.6@0.5");
	CHECK_EQ(run.both_wrote, 0);
	CHECK_EQ(run.parallel, 1);
	CHECK_NEAR(run.duration_s, 1, 0);
	CHECK_EQ(run.passed_over, 4 + 9);
	run_free(&run);
}

/* Behind each end, also where a header could go on. */
static void test_ledgers_are_passed_over(void)
{
	static const char ledger[] =
		"ledger of connection 1: 104 reads, 101 waited, 3.981 of 4 s (99.5%)\n"
		"  waited from       to       reads     in all   share of the waiting\n"
		"        16 us    32 us           2      36 us    <1%\n"
		"      32.8 ms  65.5 ms          99     3.98 s   >99%  #######################\n"
		"  and one cut short by the end after 19 ms, in no other figure\n"
		"  longest 40.4 ms, median 40.2 ms\n"
		"  near the delayed ACK minimum of 40 ms: 99 waits within 38 to 55 ms\n"
		"  not near: RTO minimum 200 ms (net.ipv4.tcp_rto_min_us), persist probe\n"
		"    200 ms, second RTO 400 ms\n";
	char text[4096];
	struct run run;

	snprintf(text, sizeof(text),
		 "host=localhost port=7001 options=[]\n"
		 "1.7353 MB/sec\n1.66982 MB/sec\n"
		 "connection 1: 4 s, 6.81 MB read, 1.703 MB/sec, done\n%s"
		 "2 MB/sec\n3 MB/sec\n"
		 "connection 2: 4 s, 10 MB read, 2.5 MB/sec, done\n%s",
		 ledger, ledger);
	NEED(read_text(text, &run) == 0);
	CHECK_STR(shown(&run), "1.1 1.7353@0 1.66982@2 | 2.2 2@0 3@2");
	CHECK_EQ(run.both_wrote, 0);
	CHECK_EQ(run.passed_over, 18);
	run_free(&run);
}

/* ---- reports ---- */

/* The environment in one line: KEY=VALUE, with ';' behind each. */
static const char *machine(const struct run *run)
{
	static char text[4096];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < run->environments && n < 3500; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s=%s;",
				      run->environment[i].name, run->environment[i].value);
	return text;
}

static const char report_machine[] =
	"kernel=6.18.44 x86_64, #1 SMP PREEMPT_DYNAMIC;"
	"cpu=2 online of 2, Intel(R) Xeon(R) Processor; governor n/a;"
	"virtual=yes (cpuid hypervisor); steal during the run 0.0%;"
	"memory=24.7 GB; clocksource tsc;"
	"mitigations=spectre_v2 on, mds off (not affected), 14 more not affected;"
	"lo=mtu 65536, qdisc noqueue, tso on, gso on, gro on;"
	"tcp=congestion control bbr (available: reno bbr cubic);"
	"net.ipv4.tcp_rmem=4096 131072 33554432;"
	"net.ipv4.tcp_wmem=4096 16384 4194304;"
	"net.core.rmem_max=4194304;net.core.wmem_max=4194304;"
	"net.ipv4.tcp_moderate_rcvbuf=1;"
	"net.ipv4.tcp_limit_output_bytes=4194304;"
	"load=1 min 2.03: others were running (workers waited for a CPU 6.1%);";

/* Nothing of a report but its lines is an interval, and its machine is known. */
static void check_report(const char *text, size_t size)
{
	static const double medians[] = {
		1839.235, 5041.33, 1923.335, 1895.63, 4955.815, 1919.765
	};
	struct run run;

	NEED(read_bytes(text, size, 0, &run) == 0);
	CHECK_EQ(run.count, 6);
	CHECK_EQ(run.parallel, 1);
	CHECK_EQ(run.both_wrote, 0);
	CHECK_NEAR(run.interval_s, 0.25, 0);
	CHECK_NEAR(run.duration_s, 2, 0);
	for (size_t i = 0; i < 6 && i < run.count; i++) {
		CHECK_EQ(run.series[i].number, i + 1);
		CHECK_EQ(run.series[i].count, 8);
		CHECK_NEAR(median(&run, i), medians[i], 0.005);
	}
	CHECK_STR(run_setting(&run, "options"), "TCP_CONGESTION=cubic");
	CHECK_EQ(run.settings, 2);
	CHECK_STR(machine(&run), report_machine);
	/* Its first line is a shell's. */
	CHECK_EQ(run.passed_over, 1);
	run_free(&run);
}

/* What stands among its lines, and outside of it, is foreign as ever. */
static void test_foreign_lines_of_a_report(void)
{
	static const char report[] = "Hello,\n"
				     "==== socklib report, socklib 1.0 ====\n"
				     "to repeat:  sock_sink -R -n 2\n\n"
				     "---- machine\nkernel      6.18\n\n"
				     "---- lines\n"
				     "host=localhost port=7001 options=[]\n"
				     "1865.62 MB/sec\n20,9057 MB/sec\n1909.07 MB/sec\n\n"
				     "---- options\nnone at the sink\n\n"
				     "---- summary\n2 connections\n  median    1890 MB/sec\n\n"
				     "==== end ====\n"
				     "what do you think?\n---- \n";
	struct run run;

	NEED(read_text(report, &run) == 0);
	CHECK_STR(shown(&run), "1.1 1865.62 1909.07");
	CHECK_EQ(run.passed_over, 4);
	CHECK_STR(run_environment(&run, "kernel"), "6.18");
	run_free(&run);
}

static void test_a_report(void)
{
	size_t size = 0;
	char *text = load(REPORT, &size);

	NEED(text != NULL);
	check_report(text, size);
	free(text);
}

/* As it comes back from a list: quoted, blanks gone, lines broken shorter. */
static void test_a_report_quoted(void)
{
	static const char *const before[] = { "> ", ">> ", "", "\t" };
	static const char *const behind[] = { "\r\n", " \r\n", "\r", "\n" };
	size_t size = 0, n;
	char *text = load(REPORT, &size), *quoted = malloc(65536);

	NEED(text != NULL && quoted != NULL);
	for (size_t i = 0; i < 4 * 4; i++) {
		n = 0;
		for (char *line = text; *line; line += strcspn(line, "\n") + 1) {
			size_t blanks = strspn(line, " "), length = strcspn(line, "\n");

			n += (size_t)sprintf(quoted + n, "%s%.*s%s", before[i % 4],
					     (int)(length - blanks), line + blanks, behind[i / 4]);
		}
		check_report(quoted, n);
	}
	n = 0;
	for (char *word = strstr(text, "PREEMPT"); word; word = strstr(word, "PREEMPT"))
		word[-1] = '\n', word++, n++;
	CHECK_EQ(n, 1);
	strstr(text, " 33554432")[0] = '\n';
	strstr(text, " governor")[0] = '\n';
	check_report(text, size);
	free(quoted);
	free(text);
}

#define MACHINE "---- machine\n"

static void check_machine(const char *text, const char *want, const char *series)
{
	struct run run;

	NEED(read_text(text, &run) == 0);
	CHECK_STR(machine(&run), want);
	CHECK_STR(shown(&run), series);
	run_free(&run);
}

static void test_machines(void)
{
	check_machine("1 MB/sec\nkernel 6\n", "", "1.1 1");
	check_machine(MACHINE "kernel 6\n---- lines\ncpu 1\n1 MB/sec\n", "kernel=6;", "1.1 1");
	check_machine(MACHINE "kernel 6\n==== end\ncpu 1\n1 MB/sec\n", "kernel=6;", "1.1 1");
	/* It goes on to the next title, or to a line of the run. */
	check_machine(MACHINE "kernel 6\n\n\ncpu\n2\n3\n---- x\n1 MB/sec\n", "kernel=6;cpu=2 3;",
		      "1.1 1");
	check_machine(MACHINE "kernel 6\n1 MB/sec\ncpu 2\n", "kernel=6;", "1.1 1");
	check_machine(MACHINE "kernel 6\nhost=h port=1 options=[]\n1 MB/sec\ncpu 2\n", "kernel=6;",
		      "1.1 1");
	check_machine("1 MB/sec\n" MACHINE "kernel 6", "kernel=6;", "1.1 1");
	check_machine("1 MB/sec\n" MACHINE, "", "1.1 1");
	/* What stands before the first key is of none. */
	check_machine(MACHINE "strange 1\nkernel\n---- x\n1 MB/sec\n", "kernel=;", "1.1 1");
	check_machine(MACHINE "sysctl net.ipv4.tcp_rmem 1 2\nsysctl\nnet.core.x 3\n1 MB/sec\n",
		      "net.ipv4.tcp_rmem=1 2;net.core.x=3;", "1.1 1");
	/* Two reports in one text. */
	check_machine(MACHINE "kernel 6\nlo a\n---- x\n1 MB/sec\n" MACHINE
			      "kernel 7\nlo a\ncpu 1\n---- x\n",
		      "kernel=various;lo=a;cpu=1;", "1.1 1");
	check_machine("x---- machine\nkernel 6\n---- machines\nkernel 7\n1 MB/sec\n", "", "1.1 1");
}

static void test_long_machines(void)
{
	char *text = malloc(400000);
	struct run run;
	size_t n;

	NEED(text != NULL);
	n = (size_t)sprintf(text, "1 MB/sec\n" MACHINE "kernel 6\n");
	for (int i = 0; i < 30000; i++)
		n += (size_t)sprintf(text + n, "word %d\n", i);
	n += (size_t)sprintf(text + n, "net.");
	memset(text + n, 'a', 10000);
	text[n + 10000] = '\0';
	NEED(read_text(text, &run) == 0);
	CHECK_EQ(run.environments, 1);
	CHECK(strlen(run_environment(&run, "kernel")) < 1024);
	CHECK_HAS(run_environment(&run, "kernel"), "6 word 0 word 1");
	CHECK_EQ(run.passed_over, 0);
	run_free(&run);
	free(text);
}

/* Whatever a machine is, what is printed of it is what is read. */
static void test_machines_round_trip(void)
{
	static const char *const keys[] = { "kernel",	   "cpu", "virtual", "memory",
					    "mitigations", "lo",  "tcp",     "net.ipv4.tcp_rmem",
					    "net.core.x",  "load" };
	static const char *const words[] = { "a",	   "on:", "(b", "4096", "memory", "lo",
					     "net.core.y", "#1",  "1",	";",	"sysctl", "----" };
	uint32_t state = 6;

	for (int round = 0; round < 2000; round++) {
		struct hostenv_entry entry[10];
		struct hostenv env = { .entry = entry, .count = 10 };
		char value[10][HOSTENV_VALUE], text[8192] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");
		struct run run;

		NEED(out != NULL);
		for (size_t i = 0; i < 10; i++) {
			uint32_t last = 0;
			size_t n = (size_t)sprintf(value[i], "n/a");

			for (uint32_t k = next_random(&state) % 25; k > 0 && n < 200; k--) {
				uint32_t word = next_random(&state) % 12;

				/* Many such in a row are more than a line holds. */
				if (last >= 4 && last <= 6)
					word = 0;
				n += (size_t)sprintf(value[i] + n, " %s", words[word]);
				last = word;
			}
			entry[i] = (struct hostenv_entry){ (char *)(uintptr_t)keys[i], value[i] };
		}
		fprintf(out, "1 MB/sec\n\n" MACHINE);
		hostenv_print(out, &env);
		fprintf(out, "\n---- lines\n");
		fclose(out);
		NEED(read_text(text, &run) == 0);
		NEED(run.environments == 10);
		for (size_t i = 0; i < 10; i++) {
			CHECK_STR(run.environment[i].name, keys[i]);
			CHECK_STR(run.environment[i].value, value[i]);
		}
		run_free(&run);
	}
}

/* ---- connections ---- */

/* mocks.md (a): the third joins the second. */
static void test_a_source_and_its_numbers(void)
{
	static const char text[] = "port=7001 options=[]\nwaiting for connection\naccepted\n"
				   "waiting for connection\n"
				   "1182.24 MB/sec\n1209.5 MB/sec\n1158.02 MB/sec\n"
				   "connection 1: 6.214 s, 7352 MB sent, 1183 MB/sec,"
				   " closed by the sink\n"
				   "accepted\nwaiting for connection\n1198.32 MB/sec\n"
				   "accepted\nwaiting for connection\n"
				   "[2] 696.542 MB/sec\n[3] 701.299 MB/sec\n"
				   "[2] 696.493 MB/sec\n[3] 697.101 MB/sec\n"
				   "connection 3: 4.5 s, 3146 MB sent, 699.2 MB/sec,"
				   " closed by the sink\n"
				   "[2] 951.377 MB/sec\n[2] 1178.02 MB/sec\n"
				   "connection 2: 10.34 s, 9839 MB sent, 951.8 MB/sec,"
				   " closed by the sink\n";
	struct run run;

	NEED(read_text(text, &run) == 0);
	CHECK_STR(shown(&run), "1.1 1182.24@0 1209.5@2 1158.02@4 | "
			       "2.2 1198.32@0 696.542@2 696.493@4 951.377@6"
			       " 1178.02@8 | 3.2 701.299@0 697.101@2");
	CHECK_EQ(run.passed_over, 0);
	CHECK_EQ(run.both_wrote, 0);
	CHECK_EQ(run.parallel, 2);
	CHECK_NEAR(run.interval_s, 2, 0);
	CHECK_NEAR(run.duration_s, 0, 0);
	run_free(&run);
}

static void test_rounds(void)
{
	static const char text[] = "host=h port=1 options=[] interval=1\n"
				   "[1] 1 MB/sec\n[2] 2 MB/sec\n[3] 3 MB/sec\n[sum] 6 MB/sec\n"
				   "connection 1: 1 s, 1 MB read, 1 MB/sec, done\n"
				   "connection 2: 1 s, 1 MB read, 1 MB/sec, done\n"
				   "connection 3: 1 s, 1 MB read, 1 MB/sec, done\n"
				   "[5] 5 MB/sec\n[4] 4 MB/sec\n[6] 6 MB/sec\n"
				   "connection 6: 1 s, 1 MB read, 1 MB/sec, interrupted\n"
				   "4.5 MB/sec\n";
	struct run run;

	NEED(read_text(text, &run) == 0);
	CHECK_STR(shown(&run), "1.1 1@0 | 2.1 2@0 | 3.1 3@0 | "
			       "5.2 5@0 4.5@1 | 4.2 4@0 | 6.2 6@0");
	CHECK_EQ(run.parallel, 3);
	CHECK_EQ(run.passed_over, 0);
	run_free(&run);
}

static void test_beginnings(void)
{
	/* Headers alone, as the original's sink wrote them. */
	CHECK_RUN("host=h port=1 options=[]\n9 MB/sec\n10 MB/sec\n"
		  "host=h port=1 options=[]\nhost=h port=1 options=[]\n"
		  "54 MB/sec\nhost=h port=1 options=[]\n99 MB/sec\n",
		  "1.1 9 10 | 2.2 54 | 3.3 99");
	/* The original's source had neither ends nor [N]. */
	CHECK_RUN("port=1 options=[]\nwaiting for connection\naccepted\n"
		  "waiting for connection\n1 MB/sec\n2 MB/sec\naccepted\n"
		  "waiting for connection\n3 MB/sec\n4 MB/sec\n",
		  "1.1 1 2 | 2.2 3 4");
	/* Nothing but numbers. */
	CHECK_RUN("1 MB/sec\n2 MB/sec", "1.1 1 2");
	/* From the middle of a source's log. */
	CHECK_RUN("5 MB/sec\n[7] 7 MB/sec\n[8] 8 MB/sec\n"
		  "connection 8: 2 s, 1 MB sent, 1 MB/sec, x\n[7] 6 MB/sec\n",
		  "7.1 5@0 7@2 6@4 | 8.1 8@0");
	CHECK_RUN("5 MB/sec\nconnection 7: 2 s, 1 MB sent, 1 MB/sec, x\n"
		  "6 MB/sec\n",
		  "7.1 5@0 | 8.2 6@0");
	/* A run after a run counts on. */
	CHECK_RUN("host=h port=1 options=[]\n1 MB/sec\nconnection 1: done\n"
		  "2 MB/sec\nconnection 2: done\n"
		  "host=h port=1 options=[]\n3 MB/sec\nconnection 1: done\n"
		  "[2] 4 MB/sec\n",
		  "1.1 1 | 2.2 2 | 3.3 3 | 4.4 4");
	/* The same number again without a header. */
	CHECK_RUN("1 MB/sec\nconnection 1: x\n2 MB/sec\nconnection 1: x\n"
		  "[1] 3 MB/sec\n[1] 4 MB/sec\nconnection 1: x\n",
		  "1.1 1 | 2.2 2 | 3.3 3 4");
	/* Too short for an interval. */
	CHECK_RUN("connection 1: 0.1 s, 1 MB read, 10 MB/sec, done\n"
		  "2 MB/sec\nconnection 2: 2 s, 4 MB read, 2 MB/sec, done\n",
		  "1.1 | 2.2 2@0");
}

/* A shell answers in between. */
static void test_prompts(void)
{
	struct run run;

	NEED(read_text("bash$ host=h port=1 options=[TCP_NODELAY]\n"
		       "user@host:~> waiting for connection\n"
		       "[root@host tmp]# accepted\n1 MB/sec\n"
		       "% connection 1: 2 s, 2 MB read, 1 MB/sec, done\n"
		       "$ connection 1: 2 s, 2 MB sent, 1 MB/sec, closed\n"
		       "2 MB/sec\n",
		       &run) == 0);
	CHECK_STR(run_setting(&run, "options"), "TCP_NODELAY");
	CHECK_EQ(run.passed_over, 0);
	CHECK_EQ(run.count, 2);
	run_free(&run);
}

/* script(1) keeps what drives the terminal: progress, colours. */
static void test_a_typescript(void)
{
	struct run run;

	NEED(read_text("\033[1mbash$\033[0m ./sock_sink -n 2\r\n"
		       "host=h port=1 options=[] interval=1\r\n"
		       "\r1 of 2, 4 s left\033[K\r\033[K1 MB/sec\r\n"
		       "\r1 of 2, 2 s left\033[K\r\033[K\033[31;1m2 MB/sec"
		       "\033[0m\r\n3\0331 MB/sec\r\n\033[5\r\n"
		       "4 MB/sec\r\n",
		       &run) == 0);
	CHECK_STR(shown(&run), "1.1 1@0 2@1 4@2");
	CHECK_EQ(run.passed_over, 1 + 2 + 1);
	run_free(&run);
}

/* ---- both programs on one terminal ---- */

#define READ(n) "connection " #n ": 2 s, 1 MB read, 1 MB/sec, done\n"
#define SENT(n) "connection " #n ": 2 s, 1 MB sent, 1 MB/sec, closed\n"

static void check_both(const char *text, const char *want)
{
	struct run run;

	NEED(read_text(text, &run) == 0);
	CHECK_EQ(run.both_wrote, 1);
	CHECK_STR(shown(&run), want);
	run_free(&run);
}

#define SOURCE_STARTS "port=1 options=[]\nwaiting for connection\n"
#define SINK_STARTS "host=h port=1 options=[]\n"
#define ACCEPTED "accepted\nwaiting for connection\n"

static void test_both_in_turn(void)
{
	/* The source's ends come a little later, as does a line. */
	check_both(SOURCE_STARTS SINK_STARTS ACCEPTED
		   "1 MB/sec\n1.5 MB/sec\n" READ(1) "1.7 MB/sec\n" SENT(1) ACCEPTED
		   "2 MB/sec\n2.5 MB/sec\n" READ(2)
			   ACCEPTED SENT(2) "3 MB/sec\n3.5 MB/sec\n" SENT(3) READ(3),
		   "1.1 1 1.5 1.7 | 2.2 2 2.5 | 3.3 3 3.5");
	/* A source that counts on while sinks come and go. */
	check_both(SOURCE_STARTS SINK_STARTS ACCEPTED "1 MB/sec\n1 MB/sec\n" READ(1) SENT(1)
			   SINK_STARTS ACCEPTED "2 MB/sec\n2 MB/sec\n" READ(1) SENT(2)
				   SINK_STARTS ACCEPTED "3 MB/sec\n" SENT(3) "3 MB/sec\n" READ(1),
		   "1.1 1 1 | 2.2 2 2 | 3.3 3 3");
	/* The end of one comes behind the next header. */
	check_both(SOURCE_STARTS SINK_STARTS ACCEPTED "1 MB/sec\n1 MB/sec\n" READ(1)
			   SINK_STARTS SENT(1) ACCEPTED "2 MB/sec\n2 MB/sec\n" READ(1) SENT(2),
		   "1.1 1 1 | 2.2 2 2");
	/* A source that has not yet seen the end says [N], the sink need not. */
	check_both(SOURCE_STARTS SINK_STARTS ACCEPTED "1 MB/sec\n1 MB/sec\n" READ(1) SENT(1)
			   SINK_STARTS ACCEPTED "2 MB/sec\n2 MB/sec\n" READ(1) ACCEPTED SENT(
				   2) "3 MB/sec\n[3] 3.5 MB/sec\n"
				      "[3] 3.6 MB/sec\n3.7 MB/sec\n" READ(2)
					      ACCEPTED SENT(3) "[4] 4 MB/sec\n4.5 MB/sec\n" SENT(4)
						      READ(3),
		   "1.1 1 1 | 2.2 2 2 | 3.3 3 3.5 3.6 3.7 | 4.4 4 4.5");
	/* The source is the original: no ends of its own. */
	check_both(SOURCE_STARTS SINK_STARTS ACCEPTED "1 MB/sec\n1 MB/sec\n" READ(1) ACCEPTED
		   "2 MB/sec\n2 MB/sec\n" READ(2),
		   "1.1 1 1 | 2.2 2 2");
	/* Without headers. */
	check_both("1 MB/sec\n1 MB/sec\n" READ(1) SENT(4) "2 MB/sec\n2 MB/sec\n" SENT(5)
			   READ(2) "3 MB/sec\n",
		   "1.1 1 1 | 2.2 2 2 | 3.3 3");
	/* One file behind the other. */
	check_both(SINK_STARTS "1 MB/sec\n" READ(1) "2 MB/sec\n" READ(2) SOURCE_STARTS ACCEPTED
		   "1 MB/sec\n" SENT(1) ACCEPTED "2 MB/sec\n" SENT(2),
		   "1.1 1 | 2.2 2 | 3.3 1 | 4.4 2");
}

static void test_both_at_once(void)
{
	check_both(SOURCE_STARTS SINK_STARTS ACCEPTED ACCEPTED
		   "[1] 1 MB/sec\n[2] 2 MB/sec\n[2] 2.5 MB/sec\n"
		   "[1] 1.5 MB/sec\n" READ(1) SENT(1) READ(2) SENT(2) ACCEPTED ACCEPTED
		   "[3] 3 MB/sec\n[3] 3 MB/sec\n[4] 4 MB/sec\n"
		   "[4] 4 MB/sec\n" READ(3) READ(4) SENT(3) SENT(4),
		   "1.1 1 1.5 | 2.1 2 2.5 | 3.2 3 3 | 4.2 4 4");
}

/* ---- settings ---- */

static void check_setting(const char *text, const char *name, const char *want)
{
	struct run run;

	NEED(read_text(text, &run) == 0);
	if (want)
		CHECK_STR(run_setting(&run, name), want);
	else
		CHECK(run_setting(&run, name) == NULL);
	CHECK_EQ(run.passed_over, 0);
	run_free(&run);
}

static void test_settings_of_a_header(void)
{
	static const char text[] = "host=localhost port=7001 options=[A=[1] B] early=[C D=\"]\"] "
				   "block=1024 interval=0.5 warmup=1 cpu=0\n"
				   "source=[./sock_source -b 64 -t TCP_NODELAY]\n1 MB/sec\n";

	check_setting(text, "options", "A=[1] B");
	check_setting(text, "early", "C D=\"]\"");
	check_setting(text, "block", "1024");
	check_setting(text, "interval", "0.5");
	check_setting(text, "warmup", "1");
	check_setting(text, "cpu", "0");
	check_setting(text, "source", "./sock_source -b 64 -t TCP_NODELAY");
	check_setting(text, "host", NULL);
	check_setting(text, "port", NULL);
	check_setting("host=/tmp/my socket options=[A]]\n1 MB/sec\n", "options", "A]");
	check_setting("source=[x]\nhost=h port=1 options=[A]\n1 MB/sec\n", "source", "x");
	check_setting("path=/tmp/s options=[A]\n1 MB/sec\n", "source options", "A");
	check_setting("port=1 options=[]\n1 MB/sec\n", "source options", NULL);
	check_setting("port=1 options=[A]\n1 MB/sec\n", "options", NULL);
}

static void test_several_headers(void)
{
	check_setting(SINK_STARTS "1 MB/sec\n" SINK_STARTS "1 MB/sec\n", "options", "");
	check_setting("host=h port=1 options=[A]\n1 MB/sec\n" SINK_STARTS, "options",
		      SAVED_VARIOUS);
	check_setting("host=h port=1 options=[A] cpu=1\n1 MB/sec\n" SINK_STARTS
		      "host=h port=1 options=[A] cpu=1\n",
		      "cpu", SAVED_VARIOUS);
	check_setting(SINK_STARTS "1 MB/sec\nhost=h port=1 options=[] cpu=1\n", "cpu",
		      SAVED_VARIOUS);
	/* The source's are not the sink's. */
	check_setting("port=1 options=[A]\n1 MB/sec\n" SINK_STARTS, "options", "");
	/* Each connection has the intervals of its header. */
	CHECK_RUN("host=h port=1 options=[] interval=1\n1 MB/sec\n2 MB/sec\n"
		  "host=h port=1 options=[] interval=3\n3 MB/sec\n4 MB/sec\n",
		  "1.1 1@0 2@1 | 2.2 3@0 4@3");
}

static void test_broken_headers(void)
{
	static const char whole[] = "TCP_NODELAY SO_RCVBUF=8192 "
				    "SO_SNDBUF=16384 IPTOS_THROUGHPUT";

	check_setting("host=localhost port=7001 options=[TCP_NODELAY "
		      "SO_RCVBUF=8192 \nSO_SNDBUF=16384 IPTOS_THROUGHPUT] \n"
		      "early=[A \n B] block=5\nwarmup=1 \n1 MB/sec\n",
		      "options", whole);
	check_setting("host=localhost port=7001 options=[TCP_NODELAY "
		      "SO_RCVBUF=8192 \nSO_SNDBUF=16384 IPTOS_THROUGHPUT] \n"
		      "early=[A \n B] block=5\ninterval=1\n1 MB/sec\n",
		      "early", "A B");
	check_setting("> host=h\r\n> port=7 \r\n> options=[TCP_NODELAY\r\n"
		      "> SO_RCVBUF=8192\r\n>SO_SNDBUF=16384\r\n"
		      "> IPTOS_THROUGHPUT]\r\n> cpu=1\r\n> 1 MB/sec\r\n",
		      "options", whole);
	check_setting("host=h port=7\noptions=[]\nsource=[./sock_source\n"
		      "-b 64\n-i 1]\n1 MB/sec\n",
		      "source", "./sock_source -b 64 -i 1");
	/* The end of the text completes one, too. */
	check_setting("1 MB/sec\nhost=h port=7\noptions=[A\nB]", "options", "A B");
}

/* What only looks like a header is passed over, and nothing is lost by it. */
static void test_no_headers(void)
{
	static const char *const foreign[] = {
		"host=h port=7 options=[A B",
		"host=h port=7 options=[] is what it printed",
		"host=h",
		"host= port=7 options=[]",
		"port=x options=[]",
		"host=",
		"port=",
		"port= options=[]",
		"path=",
		"port=7001",
		"host=h is my machine",
		"options=[A]",
		"early=[A]",
		"source=[x",
		"from host=h port=7 options=[]",
	};
	char text[128];
	struct run run;

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		sprintf(text, "1 MB/sec\n%s\n2 MB/sec\n", foreign[i]);
		CHECK_EQ(read_text(text, &run), 0);
		CHECK_STR(shown(&run), "1.1 1 2");
		CHECK_EQ(run.settings, 0);
		CHECK_EQ(run.passed_over, 1);
		run_free(&run);
	}
	NEED(read_text("host=h port=7 options=[A\nB C\nD\n\n2 MB/sec\n", &run) == 0);
	CHECK_EQ(run.passed_over, 3);
	run_free(&run);
}

/* ---- how long an interval is ---- */

static void check_interval(const char *text, double told, double interval, double duration)
{
	struct run run;

	NEED(read_bytes(text, strlen(text), told, &run) == 0);
	CHECK_NEAR(run.interval_s, interval, 1e-9);
	CHECK_NEAR(run.duration_s, duration, 1e-9);
	CHECK_NEAR(run.series[0].start_s[1], interval > 0 ? interval : -1, 1e-9);
	run_free(&run);
}

static void test_length_of_intervals(void)
{
	/* A header, then -i, then the ends. */
	check_interval("host=h port=1 options=[] interval=0.5\n"
		       "1 MB/sec\n1 MB/sec\n" READ(1),
		       3, 0.5, 2);
	check_interval("1 MB/sec\n1 MB/sec\n" READ(1), 3, 3, 2);
	check_interval("1 MB/sec\n1 MB/sec\n" READ(1), 0, 1, 2);
	check_interval("1 MB/sec\n1 MB/sec\n", 0, 0, 0);
	/* 2 s unless the lengths speak against it. */
	check_interval(SINK_STARTS "1 MB/sec\n1 MB/sec\n1 MB/sec\n"
				   "connection 1: 7.6 s, 1 MB read, 1 MB/sec, x\n",
		       0, 2, 0);
	check_interval("1 MB/sec\n1 MB/sec\n1 MB/sec\n"
		       "connection 1: 7.6 s, 1 MB sent, 1 MB/sec, done\n"
		       "1 MB/sec\n"
		       "connection 2: 1.9 s, 1 MB sent, 1 MB/sec, done\n",
		       0, 1.9, 0);
	/* What says its own length is taken off. */
	check_interval("1 MB/sec\n1 MB/sec\n1 MB/sec late 5.5 s\n"
		       "1 MB/sec partial 0.5 s\n"
		       "connection 1: 10.2 s, 1 MB sent, 1 MB/sec, done\n",
		       0, 2, 10.2);
	/* Measured lengths are a little longer than planned. */
	check_interval("1 MB/sec\n1 MB/sec\n1 MB/sec\n"
		       "connection 1: 0.6008 s, 1 MB sent, 1 MB/sec, done\n",
		       0, 0.2, 0.6);
	check_interval("1 MB/sec\n1 MB/sec\n1 MB/sec\n1 MB/sec\n"
		       "connection 1: 0.5003 s, 1 MB sent, 1 MB/sec, done\n",
		       0, 0.125, 0.5);
	/* Nobody knows which program's line is which. */
	check_interval(SINK_STARTS ACCEPTED "1 MB/sec\n1 MB/sec\n" READ(1), 0, 0, 2);
}

/* ---- what cannot be read ---- */

static void check_nothing_in(const char *text, size_t size)
{
	struct run run;

	CHECK_EQ(read_bytes(text, size, 0, &run), -1);
	CHECK_EQ(cause.status, 1);
	CHECK_STR(cause.object, "saved.txt");
	CHECK_STR(cause.reason, "no \"NUMBER MB/sec\" line in it");
	CHECK_EQ(run.count, 0);
	run_free(&run);
}

static void test_texts_without_intervals(void)
{
	static const char partial[] = SINK_STARTS "1 MB/sec  partial 0.3 s\n";

	check_nothing_in("", 0);
	check_nothing_in("\n", 1);
	check_nothing_in("\0\0\0", 3);
	check_nothing_in(partial, strlen(partial));
	check_nothing_in(READ(1) SINK_STARTS, strlen(READ(1) SINK_STARTS));
	check_nothing_in("{\"event\":\"interval\"}\n", 21);
}

static void test_a_directory(void)
{
	FILE *file = fopen(".", "r");
	struct run run;

	if (!file)
		TEST_SKIP("a directory cannot be opened here");
	CHECK_EQ(saved_read(file, ".", 0, &run, &cause), -1);
	CHECK_EQ(cause.status, 1);
	CHECK(cause.err != 0);
	CHECK_STR(cause.object, ".");
	run_free(&run);
	fclose(file);
}

/* ---- size ---- */

/* Of this process alone, however busy the machine. */
static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void test_lines_of_a_megabyte(void)
{
	static const char head[] = "\n1 MB/sec rwnd ", tail[] = "\n2 MB/sec\n";
	static const char fill[] = { '\0', 'x', '9', ' ', '>', ']', '[', '=' };
	size_t size = 1 << 20, n;
	char *text = malloc(3 * size + 64);
	struct run run;

	NEED(text != NULL);
	for (size_t i = 0; i < sizeof(fill); i++) {
		n = 0;
		memset(text, fill[i], size);
		n += size;
		memcpy(text + n, head, strlen(head));
		n += strlen(head);
		memset(text + n, fill[i], size);
		n += size;
		memcpy(text + n, tail, strlen(tail));
		n += strlen(tail);
		memset(text + n, fill[i], size);
		n += size;
		CHECK_EQ(read_bytes(text, n, 0, &run), 0);
		CHECK_STR(shown(&run), "1.1 1 2");
		CHECK_EQ(run.passed_over, fill[i] == ' ' || fill[i] == '>' ? 0 : 2);
		run_free(&run);
	}
	free(text);
}

/* A number of a megabyte's digits is none of ours; one of 300 is read. */
static void test_long_numbers(void)
{
	char text[512] = "0.";
	struct run run;

	memset(text + 2, '3', 300);
	strcpy(text + 302, " MB/sec\n");
	CHECK_EQ(read_text(text, &run), 0);
	CHECK_STR(shown(&run), "1.1 0.333333");
	run_free(&run);
}

/* A million of each: one connection, many, and none that ends. */
static void test_a_million_lines(void)
{
	static const char *const lines[] = {
		"20.9057 MB/sec  rwnd 99%%  cpu 0>1  cwnd 10\n",
		"[%u] 1865.62 MB/sec\n",
		"1865.62 MB/sec\nconnection %u: 4 s, 5 MB read, 1 MB/sec, x\n",
		"host=h port=%u options=[\n1865.62 MB/sec\n",
		"accepted\n%u MB/sec\n",
		"and more prose that mentions MB/sec in line %u\n2 MB/sec\n",
	};
	static const size_t count[] = { 1, 1000000, 1000000, 1, 1000000, 1 };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		FILE *file = tmpfile();
		struct run run;
		double began;

		NEED(file != NULL);
		for (unsigned int k = 1; k <= 1000000; k++)
			fprintf(file, lines[i], k);
		rewind(file);
		began = seconds_now();
		CHECK_EQ(saved_read(file, "f", 0, &run, &cause), 0);
		printf("# %.2f s for a million of \"%.*s\"\n", seconds_now() - began,
		       (int)strcspn(lines[i], "\n"), lines[i]);
		/* About 0.3 s; what is not linear takes minutes. */
		CHECK(seconds_now() - began < 10);
		CHECK_EQ(run.count, count[i]);
		run_free(&run);
		fclose(file);
	}
}

/* ---- anything ---- */

static const char *const pieces[] = {
	"1 MB/sec\n",
	"[1] 2 MB/sec\n",
	"[2] 3 MB/sec  late 5.5 s\n",
	"4 MB/sec  partial 0.3 s\n",
	"5 MB/sec  warm-up\n",
	SINK_STARTS,
	SOURCE_STARTS,
	ACCEPTED,
	READ(1),
	SENT(1),
	READ(2),
	SENT(3),
	"> ",
	"\r",
	"host=h port=1 options=[A\n",
	"] early=[",
	"interval=1e300\n",
	"[sum] ",
	"interval=0.5\n",
	"source=[x]\n",
	"\n",
	"1e308 MB/sec late 1e308 s\n",
	"[4294967295] 1 MB/sec\n",
	"connection 999999999: 1e9 s, x\n",
	"bash$ ",
	"path=",
	"port=",
	"host=",
	"options=[]",
	" warmup=1e9",
	"prose ",
	"---- machine\n",
	"---- lines\n",
	"kernel 6\n",
	"sysctl net.core.rmem_max\n",
	"\033[K",
	"\033",
	"\033[",
};

#define PIECES (sizeof(pieces) / sizeof(pieces[0]))

/* Some pieces in any order. */
static size_t compose(char *text, uint32_t *state)
{
	size_t n = 0, count = next_random(state) % 40;

	for (size_t i = 0; i < count; i++) {
		const char *piece = pieces[next_random(state) % PIECES];

		memcpy(text + n, piece, strlen(piece));
		n += strlen(piece);
	}
	return n;
}

/* Change, drop and repeat some bytes; there is room for twice as many. */
static size_t mutate(char *text, size_t n, uint32_t *state)
{
	static const char likely[] = "\n\r\0 >[]=.0189e+-,:MBsc/\xff";
	uint32_t changes = next_random(state) % 8;

	for (uint32_t i = 0; i < changes && n > 1; i++) {
		size_t at = next_random(state) % n;
		size_t length = next_random(state) % 64 % (n - at);

		switch (next_random(state) % 4) {
		case 0: text[at] = likely[next_random(state) % 24]; break;
		case 1: text[at] = (char)next_random(state); break;
		case 2:
			memmove(text + at, text + at + length, n - at - length);
			n -= length;
			break;
		default: memmove(text + at + length, text + at, n - at); n += length;
		}
	}
	return n;
}

/* The reader's promises for any input. */
static int is_sound(const struct run *run)
{
	int sound = run->parallel >= 1 && isfinite(run->interval_s) && run->interval_s >= 0 &&
		    isfinite(run->duration_s) && run->duration_s >= 0 && isfinite(run->warm_up_s) &&
		    run->warm_up_s >= 0;

	for (size_t i = 0; i < run->count; i++) {
		const struct run_series *series = &run->series[i];
		double before = -1;

		sound = sound && series->number >= 1 && series->round >= 1;
		for (size_t k = 0; k < series->count; k++) {
			double rate = series->rate[k];
			double start = series->start_s[k];

			sound = sound && isfinite(rate) && rate >= 0 && isfinite(start) &&
				start >= before;
			before = start;
		}
	}
	return sound;
}

static void test_any_text(void)
{
	size_t mail_size = 0, n;
	char *mail = load(MAIL, &mail_size), *text = malloc(65536);
	uint32_t state = 1998;
	int read = 0, unsound = 0;

	NEED(mail != NULL && text != NULL);
	for (int i = 0; i < 20000; i++) {
		FILE *file;
		struct run run;

		n = i % 4 ? compose(text, &state) : mail_size;
		if (i % 4 == 0)
			memcpy(text, mail, n);
		n = mutate(text, n, &state);
		/* Of length 0 it is not allowed to exist. */
		text[n] = '\n';
		file = fmemopen(text, n + 1, "r");
		NEED(file != NULL);
		if (saved_read(file, "any", i % 3, &run, &cause) == 0) {
			read++;
			unsound += !is_sound(&run);
		} else {
			unsound += run.count != 0 || cause.status != 1;
		}
		run_free(&run);
		fclose(file);
	}
	CHECK_EQ(unsound, 0);
	CHECK(read > 10000);
	free(text);
	free(mail);
}

int main(void)
{
	RUN(test_the_mail);
	RUN(test_the_mail_with_an_interval);
	RUN(test_the_mail_quoted);
	RUN(test_case_7);
	RUN(test_foreign_numbers);
	RUN(test_columns_and_their_words);
	RUN(test_warm_up);
	RUN(test_our_own_other_lines);
	RUN(test_ledgers_are_passed_over);
	RUN(test_a_report);
	RUN(test_foreign_lines_of_a_report);
	RUN(test_a_report_quoted);
	RUN(test_machines);
	RUN(test_long_machines);
	RUN(test_machines_round_trip);
	RUN(test_a_source_and_its_numbers);
	RUN(test_rounds);
	RUN(test_beginnings);
	RUN(test_prompts);
	RUN(test_a_typescript);
	RUN(test_both_in_turn);
	RUN(test_both_at_once);
	RUN(test_settings_of_a_header);
	RUN(test_several_headers);
	RUN(test_broken_headers);
	RUN(test_no_headers);
	RUN(test_length_of_intervals);
	RUN(test_texts_without_intervals);
	RUN(test_a_directory);
	RUN(test_lines_of_a_megabyte);
	RUN(test_long_numbers);
	RUN(test_a_million_lines);
	RUN(test_any_text);
	return test_end();
}
