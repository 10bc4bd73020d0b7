/* The numbers of a setting, and what lies near it: see sweep.h. */
#include "sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../socklib.h"
#include "sweep_table.h"

#define MICROSECOND 1e-6

/* The name before "=NUMBER" in an option string. */
static void option_name(const struct alternatives_text *text, size_t offset, char *name,
			size_t size)
{
	size_t end = offset, start;

	if (end > 0 && text->text[end - 1] == '"')
		end--;
	if (end > 0 && text->text[end - 1] == '=')
		end--;
	for (start = end; start > 0 && !strchr(" \t\n,", text->text[start - 1]);)
		start--;
	snprintf(name, size, "%.*s", (int)(end - start), text->text + start);
}

/* Only what has a unit, or is a time, has values in between that mean something. */
static double option_step(const char *name)
{
	const struct sock_option *row;

	for (size_t i = 0; (row = sock_option_row(i)) != NULL; i++) {
		if (strcasecmp(row->name, name) != 0)
			continue;
		if (row->kind == SOCK_TIME)
			return MICROSECOND;
		return *row->unit && row->kind != SOCK_STRING ? 1 : 0;
	}
	return 0;
}

static const struct alternatives_text *text_of(const struct sweep *sweep, size_t setting,
					       size_t axis)
{
	const struct sweep_word *word = sweep->axes[axis].word;

	return word->both ? NULL : &word->texts.texts[sweep->settings[setting]->choice[axis]];
}

static void describe(const struct sweep_axis *axis, const struct alternatives_text *text,
		     struct sweep_number *found)
{
	const struct alternatives_number *number = &text->numbers[found->index];

	found->value = number->value;
	if (strchr("et", axis->letter)) {
		option_name(text, number->offset, found->name, sizeof(found->name));
		found->step = option_step(found->name);
		return;
	}
	snprintf(found->name, sizeof(found->name), "%s", axis->name);
	found->step = axis->letter == 'b' ? 1 : axis->letter == 'D' ? MICROSECOND : 0;
}

int sweep_number(const struct sweep *sweep, size_t setting, size_t number,
		 struct sweep_number *found)
{
	for (size_t i = 0; i < sweep->axis_count; i++) {
		const struct alternatives_text *text = text_of(sweep, setting, i);

		if (text && number < text->number_count) {
			*found = (struct sweep_number){ .axis = i, .index = number };
			describe(&sweep->axes[i], text, found);
			return 1;
		}
		number -= text ? text->number_count : 0;
	}
	return 0;
}

/* Equal but for this number, which both have. */
static int alike(const struct sweep *sweep, size_t a, size_t b, const struct sweep_number *number)
{
	for (size_t i = 0; i < sweep->axis_count; i++)
		if (i != number->axis &&
		    sweep->settings[a]->choice[i] != sweep->settings[b]->choice[i])
			return 0;
	return alternatives_alike(text_of(sweep, a, number->axis), text_of(sweep, b, number->axis),
				  number->index);
}

static double value_of(const struct sweep *sweep, size_t setting, const struct sweep_number *number)
{
	return text_of(sweep, setting, number->axis)->numbers[number->index].value;
}

int sweep_neighbours(const struct sweep *sweep, size_t setting, size_t number, size_t *below,
		     size_t *above)
{
	struct sweep_number here;

	*below = *above = SWEEP_NONE;
	if (!sweep_number(sweep, setting, number, &here))
		return -1;
	for (size_t i = 0; i < sweep->count; i++) {
		double value;

		if (!alike(sweep, setting, i, &here))
			continue;
		value = value_of(sweep, i, &here);
		if (value < here.value &&
		    (*below == SWEEP_NONE || value > value_of(sweep, *below, &here)))
			*below = i;
		if (value > here.value &&
		    (*above == SWEEP_NONE || value < value_of(sweep, *above, &here)))
			*above = i;
	}
	return 0;
}

/* The setting a with another text of one axis. */
static int add_like(struct sweep *sweep, size_t a, size_t axis, size_t text, size_t *which,
		    struct sock_cause *cause)
{
	size_t *choice = calloc(sweep->axis_count, sizeof(*choice));
	int ret;

	if (!choice)
		return sock_failed(cause, "keep the settings", "", ENOMEM, NULL);
	memcpy(choice, sweep->settings[a]->choice, sweep->axis_count * sizeof(*choice));
	choice[axis] = text;
	ret = sweep_add(sweep, choice, which, cause);
	free(choice);
	return ret;
}

int sweep_between(struct sweep *sweep, size_t a, size_t b, size_t number, double value,
		  size_t *which, struct sock_cause *cause)
{
	struct sweep_number from;
	size_t text;
	double low, high;

	*which = SWEEP_NONE;
	if (!sweep_number(sweep, a, number, &from) || !alike(sweep, a, b, &from) || from.step <= 0)
		return 1;
	low = fmin(from.value, value_of(sweep, b, &from));
	high = fmax(from.value, value_of(sweep, b, &from));
	value = round(value / from.step) * from.step;
	if (!(value > low + from.step / 2 && value < high - from.step / 2))
		return 1;
	if (alternatives_add(&sweep->axes[from.axis].word->texts,
			     sweep->settings[a]->choice[from.axis], from.index, value, &text))
		return sock_failed(cause, "keep the settings", "", ENOMEM, NULL);
	return add_like(sweep, a, from.axis, text, which, cause);
}

/* Of all axes but one (SWEEP_NONE: of all), which has this value, NULL: none, at the end. */
static char *label_but(const struct sweep *sweep, size_t setting, size_t axis, const char *last)
{
	const char *names[SWEEP_AXES], *values[SWEEP_AXES];
	size_t count = 0;

	for (size_t i = 0; i < sweep->axis_count && count < SWEEP_AXES; i++) {
		if (i == axis)
			continue;
		names[count] = sweep->axes[i].name;
		values[count++] = sweep->settings[setting]->labels[i];
	}
	if (last) {
		names[count] = sweep->axes[axis].name;
		values[count++] = last;
	}
	return count ? sweep_label(names, values, count) : strdup("");
}

char *sweep_label_of(const struct sweep *sweep, size_t setting)
{
	return label_but(sweep, setting, SWEEP_NONE, NULL);
}

size_t sweep_fastest(const struct sweep *sweep, size_t setting)
{
	struct sweep_number number;
	size_t found = SWEEP_NONE;

	for (size_t k = 0; sweep_number(sweep, setting, k, &number); k++)
		if (number.step > 0)
			found = k;
	return found;
}

/* "SO_RCVBUF=4M SO_SNDBUF=*"; NULL: the number, or an option of it, is all there is. */
static char *masked_text(const struct alternatives_text *text, size_t index)
{
	const struct alternatives_number *number = &text->numbers[index];
	size_t size = strlen(text->text) + 2;
	char *masked;

	if (text->text[strcspn(text->text, " \t\n,")] == '\0')
		return NULL;
	masked = malloc(size);
	if (masked)
		snprintf(masked, size, "%.*s*%s", (int)number->offset, text->text,
			 text->text + number->offset + number->length);
	return masked;
}

char *sweep_label_around(const struct sweep *sweep, size_t setting, size_t number)
{
	struct sweep_number found;
	char *label, *masked, *word;

	if (!sweep_number(sweep, setting, number, &found))
		return NULL;
	masked = masked_text(text_of(sweep, setting, found.axis), found.index);
	word = masked ? sweep_word(masked) : NULL;
	label = masked && !word ? NULL : label_but(sweep, setting, found.axis, word);
	free(word);
	free(masked);
	return label;
}
