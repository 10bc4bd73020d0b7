/* Socket options asked and granted: see settings.h. */
#include "settings.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../socklib.h"
#include "mechanism.h"
#include "plan.h"

static void read_text(const struct sock_option *option, int fd, char *text)
{
	struct sock_value value;

	if (fd >= 0 && sock_option_read(option, fd, &value) == 0)
		sock_value_text(option, &value, text, SETTINGS_TEXT);
}

static void warn_short(struct settings_row *row, const struct sock_setting *setting, int fd)
{
	const char *cap = setting->option->cap, *is = *setting->given ? "=" : "";
	struct sock_value got;
	uint64_t expected;

	if (sock_option_read(setting->option, fd, &got) ||
	    !sock_option_fell_short(setting, &got, &expected))
		return;
	if (setting->option->kind == SOCK_STRING)
		snprintf(row->warning, sizeof(row->warning), "%s=%s: got %s", row->name,
			 setting->given, row->granted);
	else
		snprintf(row->warning, sizeof(row->warning),
			 "%s%s%s: got %" PRIu64 " of %" PRIu64 "%s%s", row->name, is,
			 setting->given, got.number, expected, cap ? ", capped by " : "",
			 cap ? cap : "");
}

static void fill_row(struct settings_row *row, const struct sock_setting *setting, int early,
		     int fd, int fresh)
{
	const struct sock_option *option = setting->option;

	*row = (struct settings_row){ .name = option->name, .early = early };
	row->is_number = option->kind != SOCK_STRING;
	sock_value_text(option, &setting->asked, row->asked, sizeof(row->asked));
	read_text(option, fresh, row->fresh);
	read_text(option, fd, row->granted);
	if (early ? option->when == SOCK_LATE : option->when == SOCK_EARLY)
		snprintf(row->warning, sizeof(row->warning),
			 "%s: has its effect only %s the "
			 "connection is made (%s)",
			 row->name, early ? "after" : "before", early ? "-t" : "-e");
	else
		warn_short(row, setting, fd);
}

int settings_read(struct settings *settings, const struct plan *plan, int fd,
		  struct sock_cause *cause)
{
	const struct sock_options *lists[2] = { plan->early, plan->late };
	size_t early = plan->early ? plan->early->count : 0;
	size_t late = plan->late ? plan->late->count : 0, k = 0;
	int fresh;

	*settings = (struct settings){ .count = early + late };
	if (settings->count == 0)
		return 0;
	settings->rows = calloc(settings->count, sizeof(*settings->rows));
	if (!settings->rows)
		return sock_failed(cause, "read back options", "", ENOMEM, NULL);
	fresh = sock_fresh(fd);
	for (int l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && i < lists[l]->count; i++)
			fill_row(&settings->rows[k++], &lists[l]->settings[i], l == 0, fd, fresh);
	if (fresh >= 0)
		close(fresh);
	return 0;
}

void settings_free(struct settings *settings)
{
	free(settings->rows);
	*settings = (struct settings){ 0 };
}

void settings_ours(const struct plan *plan, struct mechanism_input *ours)
{
	const struct sock_options *lists[] = { plan->early, plan->late };

	*ours = (struct mechanism_input){ .parallel = (unsigned int)plan->parallel,
					  .sink_pause_s = plan->pause_s,
					  .source_pause_s = NAN,
					  .rcvbuf_asked = NAN };
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && i < lists[l]->count; i++)
			if (strcmp(lists[l]->settings[i].option->name, "SO_RCVBUF") == 0) {
				ours->rcvbuf_asked = (double)lists[l]->settings[i].asked.number;
				ours->rcvbuf_is_late = l == 1;
			}
}
