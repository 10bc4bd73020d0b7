/* Text and JSON Lines: see report.h. */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "../socklib.h"
#include "figures.h"
#include "header.h"
#include "json.h"
#include "plan.h"
#include "run.h"
#include "settings.h"
#include "wait.h"
#include "words.h"

/* ---- lines ---- */

/*
 * A standard descriptor that is closed must not become a socket: reading finds
 * the end of the file then, and writing fails.
 */
static void keep_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void report_open(struct report *report, const char *program, const struct plan *plan)
{
	int pipe = plan->side == PLAN_SOURCE && plan->ask == PLAN_RUN &&
		   plan_place(plan) == PLAN_PIPE;

	*report =
		(struct report){ .out = pipe ? stderr : stdout, .program = program, .plan = plan };
	/* Lines are flushed here and nowhere else, so that a failure is seen. */
	keep_standard_descriptors();
	setvbuf(report->out, NULL, _IOFBF, BUFSIZ);
}

int report_broken(const struct report *report)
{
	return report->broken;
}

static void erase_progress(struct report *report)
{
	if (report->progress)
		fputs("\r\033[K", stderr);
	report->progress = 0;
}

void report_progress(struct report *report, const char *text)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%s\033[K", text);
	report->progress = 1;
}

void report_flush(struct report *report)
{
	erase_progress(report);
	wait_writable(fileno(report->out));
	/* A long text may have failed in the middle, and its end not. */
	if ((fflush(report->out) || ferror(report->out)) && !report->broken)
		report->broken = errno ? errno : EIO;
}

__attribute__((format(printf, 2, 3))) static void line(struct report *report, const char *format,
						       ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(report->out, format, ap);
	va_end(ap);
	putc('\n', report->out);
	report_flush(report);
}

static void json_start_line(struct report *report, struct json *json, const char *event)
{
	json_begin(json, report->out, event);
}

static void json_end_line(struct report *report, struct json *json)
{
	json_end(json);
	report_flush(report);
}

/* ---- the start ---- */

static void start_json(struct report *report, unsigned int port)
{
	const struct plan *plan = report->plan;
	struct json json;

	json_start_line(report, &json, "start");
	json_text(&json, "program", report->program);
	json_text(&json, "version", plan_version());
	json_text(&json, "host", header_host(plan));
	if (plan_place(plan) == PLAN_NET)
		json_count(&json, "port", port);
	else
		json_null(&json, "port");
	json_text(&json, "options_late",
		  plan_swept(plan, 't') ? plan_swept(plan, 't') : sock_options_text(plan->late));
	json_text(&json, "options_early",
		  plan_swept(plan, 'e') ? plan_swept(plan, 'e') : sock_options_text(plan->early));
	if (plan_swept(plan, 'b'))
		json_null(&json, "block_bytes");
	else
		json_count(&json, "block_bytes", plan->block);
	json_real(&json, "interval_s", plan->interval_s);
	json_real(&json, "duration_s", plan->duration_s > 0 ? plan->duration_s : NAN);
	json_real(&json, "pause_s", plan->pause_s);
	json_real(&json, "warmup_s", plan->warm_up_s);
	json_count(&json, "parallel", plan->parallel);
	if (plan->connections)
		json_count(&json, "connections_asked", plan->connections);
	else
		json_null(&json, "connections_asked");
	json_bool(&json, "check", plan->check);
	if (plan->cpu >= 0 && !plan_swept(plan, 'C'))
		json_count(&json, "cpu", (uint64_t)plan->cpu);
	else
		json_null(&json, "cpu");
	if (plan->side == PLAN_SOURCE) {
		json_bool(&json, "sendfile", plan->sendfile);
	} else {
		json_bool(&json, "discard", plan->discard);
		json_real(&json, "gap_s", plan->gap_s);
		json_bool(&json, "ledger", plan->ledger);
	}
	json_end_line(report, &json);
}

void report_start(struct report *report, unsigned int port)
{
	if (report->plan->json) {
		start_json(report, port);
		return;
	}
	if (header_print(report->out, report->plan, port))
		report->broken = ENOMEM;
	report_flush(report);
}

void report_source(struct report *report, const char *command)
{
	struct json json;

	if (report->plan->json) {
		json_start_line(report, &json, "source");
		json_text(&json, "command", command);
		json_end_line(report, &json);
		return;
	}
	fputs("source=[", report->out);
	words_put_clean(report->out, command);
	line(report, "]");
}

void report_setting(struct report *report, const char *label)
{
	struct json json;

	snprintf(report->setting, sizeof(report->setting), "%s", label);
	if (report->quiet)
		return;
	if (!report->plan->json) {
		line(report, "setting %s", label);
		return;
	}
	json_start_line(report, &json, "turn");
	json_text(&json, "setting", label);
	json_end_line(report, &json);
}

void report_listening(struct report *report, const struct sock_address *list, int count)
{
	char text[SOCK_ADDRESS_TEXT];
	struct json json;

	if (report->plan->json) {
		json_start_line(report, &json, "listen");
		json_open(&json, "addresses", '[');
	} else if (!report->plan->verbose) {
		return;
	} else {
		fputs("  listening on", report->out);
	}
	for (int i = 0; i < count; i++) {
		sock_address_text(&list[i], 1, text, sizeof(text));
		if (report->plan->json)
			json_text(&json, NULL, text);
		else
			fprintf(report->out, "%s %s", i ? " and" : "", text);
	}
	if (report->plan->json) {
		json_close(&json, ']');
		json_end_line(report, &json);
	} else {
		line(report, "%s", "");
	}
}

void report_waiting(struct report *report)
{
	if (!report->plan->json)
		line(report, "waiting for connection");
}

void report_accepted(struct report *report)
{
	if (!report->plan->json)
		line(report, "accepted");
}

/* ---- a connection opens ---- */

static void opened_json(struct report *report, const struct report_opening *opening,
			const char *local, const char *peer, const struct settings *settings)
{
	struct json json;

	json_start_line(report, &json, "connect");
	json_count(&json, "connection", opening->number);
	json_real(&json, "t_s", opening->elapsed_s);
	json_text(&json, "local", local);
	json_text(&json, "peer", peer);
	if (opening->tries)
		json_count(&json, "tries", opening->tries);
	else
		json_null(&json, "tries");
	json_count(&json, "worker_pid", (uint64_t)opening->worker);
	json_open(&json, "options", '[');
	for (size_t i = 0; i < settings->count; i++) {
		const struct settings_row *row = &settings->rows[i];

		json_open(&json, NULL, '{');
		json_text(&json, "name", row->name);
		json_read_back(&json, "asked", row->asked, row->is_number);
		json_text(&json, "when", row->early ? "early" : "late");
		json_read_back(&json, "fresh", row->fresh, row->is_number);
		json_read_back(&json, "granted", row->granted, row->is_number);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_end_line(report, &json);
}

static void opened_addresses(struct report *report, const struct report_opening *opening,
			     const char *local, const char *peer)
{
	struct words words;

	words_begin(&words, report->out, 2, "");
	if (opening->tries) {
		words_text(&words, "connected from %s to %s,", local, peer);
		words.indent = 4;
		if (opening->tries == 1)
			words_text(&words, "at the first try,");
		else
			words_text(&words, "after %.2f s and %u tries,", opening->elapsed_s,
				   opening->tries);
		if (*opening->refused)
			words_text(&words, "refused by %s,", opening->refused);
	} else {
		words_text(&words, "connection %u from %s to %s,", opening->number, peer, local);
		words.indent = 4;
	}
	words_add(&words, "worker %ld", opening->worker);
	words_end(&words);
	report_flush(report);
}

static void opened_options(struct report *report, const struct settings *settings)
{
	if (settings->count)
		line(report, "  %-24s %12s  %-5s %12s %12s", "option", "asked", "when", "fresh",
		     "connected");
	for (size_t i = 0; i < settings->count; i++) {
		const struct settings_row *row = &settings->rows[i];

		line(report, "  %-24s %12s  %-5s %12s %12s", row->name, row->asked,
		     row->early ? "early" : "late", *row->fresh ? row->fresh : "n/a",
		     *row->granted ? row->granted : "n/a");
	}
}

void report_opened(struct report *report, const struct report_opening *opening,
		   const struct settings *settings)
{
	char local[SOCK_ADDRESS_TEXT] = "pipe", peer[SOCK_ADDRESS_TEXT] = "pipe";

	if (opening->is_net) {
		sock_address_text(opening->local, 1, local, sizeof(local));
		sock_address_text(opening->peer, 1, peer, sizeof(peer));
	}
	/* What the kernel grants once it grants always. */
	for (size_t i = 0; opening->number == 1 && i < settings->count; i++)
		if (*settings->rows[i].warning)
			report_warning(report, settings->rows[i].warning);
	if (report->plan->json) {
		opened_json(report, opening, local, peer, settings);
	} else if (report->plan->verbose) {
		opened_addresses(report, opening, local, peer);
		opened_options(report, settings);
	}
}

void report_peer(struct report *report, unsigned int connection, int prefix,
		 const struct watcher_answer *answer)
{
	const char *other = report->plan->side == PLAN_SOURCE ? "sink" : "source";

	erase_progress(report);
	if (report->plan->json)
		figures_peer_json(report->out, connection, answer);
	else if (report->plan->verbose)
		figures_peer(report->out, other, prefix ? connection : 0, answer);
	report_flush(report);
}

/* ---- intervals ---- */

static const char *kind_name(enum run_kind kind)
{
	static const char *const names[] = {
		[RUN_WHOLE] = "whole",
		[RUN_PARTIAL] = "partial",
		[RUN_LATE] = "late",
		[RUN_WARM_UP] = "warm-up",
	};

	return names[kind];
}

static double bytes_per_call(const struct run_interval *interval)
{
	if (!interval->calls || interval->estimated)
		return NAN;
	return (double)interval->bytes / (double)interval->calls;
}

static void interval_json(struct report *report, const struct run_connection *connection,
			  const struct run_interval *interval, const struct facts *facts)
{
	struct json json;
	double rate = run_rate(interval->bytes, interval->length_s);

	json_start_line(report, &json, "interval");
	json_count(&json, "connection", connection->number);
	json_count(&json, "interval", interval->number);
	json_real(&json, "t_s", interval->end_s);
	json_real(&json, "length_s", interval->length_s);
	json_count(&json, "bytes", interval->bytes);
	json_count(&json, "calls", interval->calls);
	json_real(&json, "bytes_per_call", bytes_per_call(interval));
	json_real(&json, "rate_MB_per_s", rate < 0 ? NAN : rate);
	json_text(&json, "kind", kind_name(interval->kind));
	if (plan_is_watched(report->plan))
		figures_facts_json(&json, facts, rate);
	json_end_line(report, &json);
}

void report_interval(struct report *report, const struct run_connection *connection,
		     const struct run_interval *interval, int prefix, const struct facts *facts)
{
	double rate = run_rate(interval->bytes, interval->length_s);

	if (report->quiet)
		return;
	if (report->plan->json) {
		interval_json(report, connection, interval, facts);
		return;
	}
	/* The mail shows no remainder; totals hold it. */
	if (interval->kind == RUN_PARTIAL && connection->reason != RUN_OPEN)
		return;
	if (prefix)
		fprintf(report->out, "[%u] ", connection->number);
	fprintf(report->out, "%.6g MB/sec", rate);
	if (report->plan->verbose)
		figures_columns(report->out, facts, rate, bytes_per_call(interval),
				report->plan->side == PLAN_SOURCE ? "B/wr" : "B/rd");
	if (interval->kind != RUN_WHOLE) {
		fprintf(report->out, "  %s %s s", kind_name(interval->kind),
			words_figure(interval->length_s).text);
	}
	line(report, "%s", "");
}

void report_sum(struct report *report, unsigned int round, double rate)
{
	struct json json;

	if (report->quiet)
		return;
	if (!report->plan->json) {
		line(report, "[sum] %.6g MB/sec", rate);
		return;
	}
	json_start_line(report, &json, "sum");
	json_count(&json, "round", round);
	json_real(&json, "rate_MB_per_s", rate);
	json_end_line(report, &json);
}

/* ---- ends ---- */

/* Which option's timeout an error stands for: socket(7), tcp(7). */
static const char *timeout_name(const struct report *report,
				const struct run_connection *connection)
{
	static const char user_timeout[] = "TCP_USER_TIMEOUT";

	if (connection->err != ETIMEDOUT)
		return connection->sends ? "SO_SNDTIMEO expired" : "SO_RCVTIMEO expired";
	if (sock_options_have(report->plan->early, user_timeout) ||
	    sock_options_have(report->plan->late, user_timeout))
		return "TCP_USER_TIMEOUT expired";
	return "timed out";
}

/* In a report the line is short: it says how long it was, and the command what was planned. */
static void early_end(const struct report *report, const struct run_connection *connection,
		      const char *what, char *text, size_t size)
{
	if (connection->planned_s > 0 && !report->plan->report)
		snprintf(text, size, "%s after %s s of %s", what,
			 words_figure(connection->length_s).text,
			 words_figure(connection->planned_s).text);
	else
		snprintf(text, size, "%s", what);
}

static void reason_text(const struct report *report, const struct run_connection *connection,
			char *text, size_t size)
{
	switch (connection->reason) {
	case RUN_DONE: snprintf(text, size, "done"); break;
	case RUN_INTERRUPTED: snprintf(text, size, "interrupted"); break;
	case RUN_PEER_CLOSED:
		if (connection->sends)
			snprintf(text, size, "closed by the sink");
		else
			early_end(report, connection, "ended by the source", text, size);
		break;
	case RUN_RESET: early_end(report, connection, "reset by the source", text, size); break;
	case RUN_TIMEOUT: snprintf(text, size, "%s", timeout_name(report, connection)); break;
	case RUN_KILLED:
		snprintf(text, size, "worker killed by signal %d", connection->signal);
		break;
	case RUN_MISMATCH: snprintf(text, size, "check failed"); break;
	default: snprintf(text, size, "%s", strerror(connection->err));
	}
}

static const char *reason_name(enum run_reason reason)
{
	static const char *const names[] = {
		[RUN_OPEN] = "open",
		[RUN_DONE] = "done",
		[RUN_INTERRUPTED] = "interrupted",
		[RUN_PEER_CLOSED] = "closed",
		[RUN_RESET] = "reset",
		[RUN_TIMEOUT] = "timeout",
		[RUN_KILLED] = "killed",
		[RUN_MISMATCH] = "mismatch",
		[RUN_ERROR] = "error",
	};

	return names[reason];
}

/* The symbolic names of the errors that a transfer or a connection meets. */
static const char *errno_name(int err)
{
#define NAME(e) \
	{ \
		e, #e \
	}
	static const struct {
		int err;
		const char *name;
	} names[] = {
		NAME(EPIPE),	   NAME(ECONNRESET),   NAME(ECONNREFUSED), NAME(ECONNABORTED),
		NAME(ETIMEDOUT),   NAME(EAGAIN),       NAME(EADDRINUSE),   NAME(EADDRNOTAVAIL),
		NAME(EACCES),	   NAME(EPERM),	       NAME(ENOENT),	   NAME(EINVAL),
		NAME(ENOPROTOOPT), NAME(EOPNOTSUPP),   NAME(ENOMEM),	   NAME(ENOBUFS),
		NAME(EMFILE),	   NAME(ENFILE),       NAME(EHOSTUNREACH), NAME(ENETUNREACH),
		NAME(ENOSYS),	   NAME(EIO),	       NAME(ENOSPC),	   NAME(EBADF),
		NAME(EFAULT),	   NAME(EAFNOSUPPORT), NAME(ENODEV),	   NAME(EDOM),
	};
#undef NAME

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].err == err)
			return names[i].name;
	return err ? strerror(err) : NULL;
}

static void ended_json(struct report *report, const struct run_connection *connection)
{
	double rate = run_rate(connection->bytes, connection->length_s);
	struct json json;

	json_start_line(report, &json, "end");
	json_count(&json, "connection", connection->number);
	json_real(&json, "t_s", connection->length_s);
	json_real(&json, "length_s", connection->length_s);
	json_count(&json, "bytes", connection->bytes);
	json_count(&json, "calls", connection->calls);
	json_real(&json, "rate_MB_per_s", rate < 0 ? NAN : rate);
	json_text(&json, "reason", reason_name(connection->reason));
	json_text(&json, "errno", errno_name(connection->err));
	if (connection->reason == RUN_KILLED)
		json_count(&json, "signal", (uint64_t)connection->signal);
	if (connection->reason == RUN_MISMATCH) {
		json_count(&json, "mismatch_offset_bytes", connection->offset);
		json_count(&json, "got", connection->got);
		json_count(&json, "expected", connection->expected);
	}
	json_bool(&json, "exact", connection->exact);
	json_end_line(report, &json);
}

/* Also where stderr is the report, and so not flushed by itself. */
static void complain(const struct report *report, const char *sentence)
{
	fprintf(stderr, "%s: ", report->program);
	words_put_clean(stderr, sentence);
	putc('\n', stderr);
	fflush(stderr);
}

/* Where no line tells it, one that ended badly is worth a word all the same. */
static void complain_of_end(struct report *report, const struct run_connection *connection)
{
	char reason[160], text[512];

	if (!run_has_failed(connection))
		return;
	erase_progress(report);
	reason_text(report, connection, reason, sizeof(reason));
	snprintf(text, sizeof(text), "connection %u of setting %s: %s", connection->number,
		 report->setting, reason);
	complain(report, text);
}

void report_ended(struct report *report, const struct run_connection *connection)
{
	const char *least = connection->exact ? "" : ">=";
	struct words_number length = words_figure(connection->length_s);
	struct words_number total = words_figure((double)connection->bytes / 1e6);
	struct words_number rate = words_figure(run_rate(connection->bytes, connection->length_s));
	char reason[128];

	if (report->plan->json) {
		ended_json(report, connection);
		return;
	}
	if (report->quiet) {
		complain_of_end(report, connection);
		return;
	}
	reason_text(report, connection, reason, sizeof(reason));
	line(report, "connection %u: %s s, %s%s MB %s, %s%s MB/sec, %s", connection->number,
	     length.text, least, total.text, connection->sends ? "sent" : "read", least, rate.text,
	     reason);
}

/* ---- complaints ---- */

static void error_json(struct report *report, const struct sock_cause *cause)
{
	struct json json;

	json_start_line(report, &json, "error");
	json_text(&json, "step", cause->step);
	json_text(&json, "object", cause->object);
	json_text(&json, "errno", errno_name(cause->err));
	json_text(&json, "text", cause->reason);
	json_end_line(report, &json);
}

void report_error(struct report *report, const struct sock_cause *cause)
{
	char sentence[2048];

	erase_progress(report);
	snprintf(sentence, sizeof(sentence), "%s%s%s: %s", cause->step, *cause->object ? " " : "",
		 cause->object, cause->reason);
	complain(report, sentence);
	if (report->plan->json && cause->status == 1 && !report->broken)
		error_json(report, cause);
}

void report_warning(const struct report *report, const char *sentence)
{
	complain(report, sentence);
}
