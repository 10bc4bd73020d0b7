/* Texts that stand for several: see alternatives.h. */
#include "alternatives.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../socklib.h"

#define EXACT 9007199254740992.0 /* 2^53: whole numbers in a double */
#define SECONDS_MOST 1e9	 /* as the options take them */

/* ---- lists of texts ---- */

static void free_text(struct alternatives_text *text)
{
	free(text->text);
	free(text->numbers);
}

void alternatives_free(struct alternatives *all)
{
	for (size_t i = 0; i < all->count; i++)
		free_text(&all->texts[i]);
	free(all->texts);
	*all = (struct alternatives){ 0 };
}

static int append(struct alternatives *all, const struct alternatives_text *text)
{
	size_t room = all->count + 1;
	struct alternatives_text *grown;

	/* Twice the room each time that a power of two is full. */
	if ((all->count & room) == 0) {
		grown = realloc(all->texts, 2 * room * sizeof(*grown));
		if (!grown)
			return -1;
		all->texts = grown;
	}
	all->texts[all->count++] = *text;
	return 0;
}

/* first, and second behind it.  -1: no memory, and nothing to free. */
static int join(struct alternatives_text *both, const struct alternatives_text *first,
		const struct alternatives_text *second)
{
	size_t shift = strlen(first->text), more = strlen(second->text), n = 0;

	*both = (struct alternatives_text){ .text = malloc(shift + more + 1) };
	both->numbers = calloc(first->number_count + second->number_count + 1,
			       sizeof(*both->numbers));
	if (!both->text || !both->numbers) {
		free_text(both);
		return -1;
	}
	memcpy(both->text, first->text, shift);
	memcpy(both->text + shift, second->text, more + 1);
	for (size_t i = 0; i < first->number_count; i++)
		both->numbers[n++] = first->numbers[i];
	for (size_t i = 0; i < second->number_count; i++) {
		both->numbers[n] = second->numbers[i];
		both->numbers[n++].offset += shift;
	}
	both->number_count = n;
	return 0;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static int too_many(const struct alternatives *all)
{
	return all->asked > ALTERNATIVES_MOST;
}

/* Only their number is kept where they are too many. */
static void let_go(struct alternatives *all)
{
	uint64_t asked = all->asked;

	alternatives_free(all);
	all->asked = asked;
}

/* Put each of more behind each of all. */
static int multiply(struct alternatives *all, const struct alternatives *more)
{
	struct alternatives product = { .asked = times(all->asked, more->asked) };
	struct alternatives_text both;

	for (size_t i = 0; !too_many(&product) && i < all->count; i++) {
		for (size_t j = 0; j < more->count; j++) {
			if (join(&both, &all->texts[i], &more->texts[j])) {
				alternatives_free(&product);
				return -1;
			}
			if (append(&product, &both)) {
				free_text(&both);
				alternatives_free(&product);
				return -1;
			}
		}
	}
	alternatives_free(all);
	*all = product;
	return 0;
}

/* Move all of more behind those of all. */
static int unite(struct alternatives *all, struct alternatives *more)
{
	size_t moved = 0;
	int ret = 0;

	all->asked = all->asked > UINT64_MAX - more->asked ? UINT64_MAX : all->asked + more->asked;
	if (too_many(all)) {
		let_go(all);
		return 0;
	}
	while (ret == 0 && moved < more->count) {
		ret = append(all, &more->texts[moved]);
		moved += ret == 0;
	}
	/* What has moved is not freed with the rest. */
	for (size_t i = moved; i < more->count; i++)
		more->texts[i - moved] = more->texts[i];
	more->count -= moved;
	return ret;
}

/* ---- numbers ---- */

struct parser {
	const char *whole;
	const char *at;
	enum alternatives_kind kind;
	const char *step;
	struct sock_cause *cause;
	int depth;
};

static int refuse(const struct parser *p, const char *why)
{
	return sock_usage(p->cause, p->step, "\"%.400s\": %s", p->whole, why);
}

static int refuse_item(const struct parser *p, const char *item, const char *why)
{
	if (strcmp(item, p->whole) == 0)
		return refuse(p, why);
	return sock_usage(p->cause, p->step, "\"%.200s\" in \"%.400s\": %s", item, p->whole, why);
}

static int no_memory(const struct parser *p)
{
	return sock_failed(p->cause, p->step, "", ENOMEM, NULL);
}

static int as_whole(const struct parser *p, const char *text, uint64_t *value)
{
	char why[128];

	return p->kind == ALTERNATIVES_SECONDS
		       ? -1
		       : sock_number(text, SOCK_NUMBER_SIZE | SOCK_NUMBER_HEX, 0, UINT64_MAX, value,
				     why, sizeof(why));
}

static int as_seconds(const struct parser *p, const char *text, double *value)
{
	char why[128];

	return p->kind == ALTERNATIVES_SIZE
		       ? -1
		       : sock_seconds(text, 0, SECONDS_MOST, value, why, sizeof(why));
}

/* The value of a text that is one number.  -1: it is none. */
static int number_value(const struct parser *p, const char *text, double *value)
{
	uint64_t whole;

	if (p->kind == ALTERNATIVES_WORDS)
		return -1;
	if (as_whole(p, text, &whole))
		return as_seconds(p, text, value);
	*value = (double)whole;
	return 0;
}

static int add_literal(struct alternatives *all, const char *text, size_t length,
		       const double *value)
{
	struct alternatives_text one = { .text = strndup(text, length) };

	if (one.text && value) {
		one.numbers = calloc(1, sizeof(*one.numbers));
		one.number_count = 1;
	}
	if (one.numbers)
		one.numbers[0] = (struct alternatives_number){ 0, length, *value };
	if (!one.text || (value && !one.numbers) || append(all, &one)) {
		free_text(&one);
		return -1;
	}
	all->asked++;
	return 0;
}

/* ---- ranges ---- */

static int has_suffix(const char *text)
{
	return strpbrk(text, "kKmMgG") != NULL;
}

/* 4096 is "4K" in a range whose ends are written so. */
static void whole_text(uint64_t value, int suffix, char *text, size_t size)
{
	static const char letters[] = "GMK";

	for (int i = 0; suffix && value && i < 3; i++) {
		int shift = 30 - 10 * i;

		if ((value & ((UINT64_C(1) << shift) - 1)) == 0) {
			snprintf(text, size, "%" PRIu64 "%c", value >> shift, letters[i]);
			return;
		}
	}
	snprintf(text, size, "%" PRIu64, value);
}

/* Without an exponent, which sock_seconds() does not take. */
static void decimal_text(double value, char *text, size_t size)
{
	int n = snprintf(text, size, "%.9f", value);

	while (text[n - 1] == '0')
		text[--n] = '\0';
	if (text[n - 1] == '.')
		text[n - 1] = '\0';
}

static int double_whole(struct alternatives *all, const char *low, const char *high, uint64_t from,
			uint64_t to)
{
	int suffix = has_suffix(low) || has_suffix(high);
	double value = (double)from, last = (double)to;
	char text[32];

	if (add_literal(all, low, strlen(low), &value))
		return -1;
	for (uint64_t v = from; v < to;) {
		if (v >= to - v)
			return add_literal(all, high, strlen(high), &last);
		v *= 2;
		value = (double)v;
		whole_text(v, suffix, text, sizeof(text));
		if (add_literal(all, text, strlen(text), &value))
			return -1;
	}
	return 0;
}

static int double_seconds(struct alternatives *all, const char *low, const char *high, double from,
			  double to)
{
	char text[64];

	if (add_literal(all, low, strlen(low), &from))
		return -1;
	/* 0.001 doubled ten times is not quite 1.024. */
	for (double v = 2 * from; v < to * (1 - 1e-9); v *= 2) {
		decimal_text(v, text, sizeof(text));
		if (add_literal(all, text, strlen(text), &v))
			return -1;
	}
	return from < to ? add_literal(all, high, strlen(high), &to) : 0;
}

/* item is "LOW..HIGH", dots where ".." is. */
static int add_range(struct parser *p, struct alternatives *all, char *item, char *dots)
{
	const char *high = dots + 2, *why = NULL;
	double from_s, to_s;
	uint64_t from, to;
	int whole, failed;

	*dots = '\0';
	whole = as_whole(p, item, &from) == 0 && as_whole(p, high, &to) == 0;
	if (whole) {
		from_s = (double)from;
		to_s = (double)to;
	} else if (as_seconds(p, item, &from_s) || as_seconds(p, high, &to_s)) {
		why = "a range goes from one number to another";
	}
	if (!why && from_s <= 0)
		why = "a range doubles, so it cannot begin at 0 (write 0,1..8)";
	else if (!why && (whole ? from > to : from_s > to_s))
		why = "a range goes upwards";
	if (why) {
		*dots = '.';
		return refuse_item(p, item, why);
	}
	failed = whole ? double_whole(all, item, high, from, to)
		       : double_seconds(all, item, high, from_s, to_s);
	return failed ? no_memory(p) : 0;
}

/* ---- the grammar ---- */

static int parse_items(struct parser *p, struct alternatives *all);

/* Text as it stands, up to what means something; 0: nothing of the kind. */
static size_t literal_length(const struct parser *p)
{
	int quoted = 0;
	size_t n = 0;

	for (; p->at[n]; n++) {
		char c = p->at[n];

		quoted ^= c == '"';
		if (!quoted && (c == '{' || c == '}' || (c == ',' && p->depth > 0)))
			break;
	}
	return n;
}

static int parse_group(struct parser *p, struct alternatives *all)
{
	int ret;

	if (p->depth > ALTERNATIVES_DEPTH)
		return refuse(p, "too many braces inside each other");
	if (p->at[1] == '}')
		return refuse(p, "nothing between the braces");
	p->at++;
	p->depth++;
	ret = parse_items(p, all);
	p->depth--;
	if (ret == 0 && *p->at != '}')
		return refuse(p, "a { without its }");
	p->at++;
	return ret;
}

/* Texts and groups in a row. */
static int parse_sequence(struct parser *p, struct alternatives *all)
{
	if (add_literal(all, "", 0, NULL))
		return no_memory(p);
	while (*p->at && *p->at != '}' && !(*p->at == ',' && p->depth > 0)) {
		struct alternatives part = { 0 };
		size_t n = literal_length(p);
		int ret = 0;

		if (n == 0)
			ret = parse_group(p, &part);
		else if (add_literal(&part, p->at, n, NULL))
			ret = no_memory(p);
		p->at += ret == 0 ? n : 0;
		if (ret == 0 && multiply(all, &part))
			ret = no_memory(p);
		alternatives_free(&part);
		if (ret)
			return ret;
	}
	return 0;
}

/* An item that is nothing but text: a range, a number, or itself. */
static int parse_plain(struct parser *p, struct alternatives *all, size_t length)
{
	char *item = strndup(p->at, length), *dots;
	double value;
	int ret;

	if (!item)
		return no_memory(p);
	dots = strchr(item, '"') ? NULL : strstr(item, "..");
	if (dots && p->kind != ALTERNATIVES_WORDS)
		ret = add_range(p, all, item, dots);
	else if (add_literal(all, item, length, number_value(p, item, &value) == 0 ? &value : NULL))
		ret = no_memory(p);
	else
		ret = 0;
	free(item);
	p->at += length;
	return ret;
}

static int parse_item(struct parser *p, struct alternatives *all)
{
	struct alternatives part = { 0 };
	size_t n = literal_length(p);
	int ret;

	/* An option string may lack something, a number not, only a part of it. */
	if (n == 0 && p->at[0] != '{' && p->kind != ALTERNATIVES_OPTIONS && p->depth == 1 &&
	    *p->whole)
		return refuse(p, "an empty alternative");
	ret = p->at[n] == '{' ? parse_sequence(p, &part) : parse_plain(p, &part, n);
	if (ret == 0 && unite(all, &part))
		ret = no_memory(p);
	alternatives_free(&part);
	return ret;
}

static int parse_items(struct parser *p, struct alternatives *all)
{
	int ret = parse_item(p, all);

	while (ret == 0 && *p->at == ',') {
		p->at++;
		ret = parse_item(p, all);
	}
	return ret;
}

/* ---- what came out ---- */

static int is_separator(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == ',';
}

/*
 * Take away the separators around options that are not there: of "A {,B}" the
 * first is "A".
 */
static void tidy(struct alternatives_text *text)
{
	size_t to = 0, number = 0;
	int quoted = 0;

	for (size_t from = 0; text->text[from]; from++) {
		char c = text->text[from];

		quoted ^= c == '"';
		if (number < text->number_count && text->numbers[number].offset == from)
			text->numbers[number++].offset = to;
		if (quoted || !is_separator(c) || (to > 0 && !is_separator(text->text[to - 1])))
			text->text[to++] = c;
	}
	if (!quoted && to > 0 && is_separator(text->text[to - 1]))
		to--;
	text->text[to] = '\0';
}

static int is_edge(char c)
{
	return c == '\0' || c == '"' || is_separator(c);
}

/* Forget numbers that became a part of a word, as in "{4,8}K". */
static void keep_whole_numbers(struct alternatives_text *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < text->number_count; i++) {
		struct alternatives_number number = text->numbers[i];
		char before = number.offset ? text->text[number.offset - 1] : '\0';

		if ((before == '=' || is_edge(before)) &&
		    is_edge(text->text[number.offset + number.length]))
			text->numbers[kept++] = number;
	}
	text->number_count = kept;
}

/* From EXACT on, different numbers may have the same value. */
static int same_number(const struct alternatives_text *a, const struct alternatives_text *b,
		       size_t i)
{
	const struct alternatives_number *m = &a->numbers[i], *n = &b->numbers[i];

	if (m->value < n->value || m->value > n->value)
		return 0;
	return m->value < EXACT ||
	       (m->length == n->length &&
		memcmp(a->text + m->offset, b->text + n->offset, m->length) == 0);
}

int alternatives_alike(const struct alternatives_text *a, const struct alternatives_text *b,
		       size_t k)
{
	size_t at_a = 0, at_b = 0;

	if (a->number_count != b->number_count)
		return 0;
	for (size_t i = 0; i < a->number_count; i++) {
		const struct alternatives_number *m = &a->numbers[i], *n = &b->numbers[i];

		if (m->offset - at_a != n->offset - at_b ||
		    memcmp(a->text + at_a, b->text + at_b, m->offset - at_a) != 0)
			return 0;
		if (i != k && !same_number(a, b, i))
			return 0;
		at_a = m->offset + m->length;
		at_b = n->offset + n->length;
	}
	return strcmp(a->text + at_a, b->text + at_b) == 0;
}

static size_t find_same(const struct alternatives *all, size_t count,
			const struct alternatives_text *text)
{
	size_t i = 0;

	while (i < count && strcmp(all->texts[i].text, text->text) != 0 &&
	       !alternatives_alike(&all->texts[i], text, SIZE_MAX))
		i++;
	return i;
}

static void merge(struct alternatives *all, enum alternatives_kind kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		/* A single one stays as it was written. */
		if (kind == ALTERNATIVES_OPTIONS && all->count > 1)
			tidy(&all->texts[i]);
		keep_whole_numbers(&all->texts[i]);
	}
	for (size_t i = 0; i < all->count; i++) {
		struct alternatives_text text = all->texts[i];
		size_t same = find_same(all, kept, &text);

		if (same == kept) {
			all->texts[kept++] = text;
			continue;
		}
		/* Of "S=4K,S={4K..64K}" the second 4K has neighbours. */
		if (text.number_count > all->texts[same].number_count) {
			struct alternatives_text less = all->texts[same];

			all->texts[same] = text;
			text = less;
		}
		free_text(&text);
	}
	all->count = kept;
}

int alternatives_parse(struct alternatives *all, const char *text, enum alternatives_kind kind,
		       const char *step, struct sock_cause *cause)
{
	struct parser p = { text, text, kind, step, cause, kind != ALTERNATIVES_OPTIONS };
	int ret;

	*all = (struct alternatives){ 0 };
	ret = kind == ALTERNATIVES_OPTIONS ? parse_sequence(&p, all) : parse_items(&p, all);
	if (ret == 0 && *p.at)
		ret = refuse(&p, "a } without its {");
	if (ret)
		alternatives_free(all);
	else
		merge(all, kind);
	return ret;
}

/* old with another number k.  -1: no memory, and nothing to free. */
static int replaced(const struct alternatives_text *old, size_t k, double value, const char *number,
		    struct alternatives_text *text)
{
	const struct alternatives_number place = old->numbers[k];
	size_t more = strlen(number), behind = place.offset + place.length;
	size_t tail = strlen(old->text + behind);

	*text = (struct alternatives_text){ .text = malloc(place.offset + more + tail + 1),
					    .numbers = calloc(old->number_count,
							      sizeof(*text->numbers)),
					    .number_count = old->number_count };
	if (!text->text || !text->numbers) {
		free_text(text);
		return -1;
	}
	memcpy(text->text, old->text, place.offset);
	memcpy(text->text + place.offset, number, more);
	memcpy(text->text + place.offset + more, old->text + behind, tail + 1);
	for (size_t i = 0; i < old->number_count; i++) {
		text->numbers[i] = old->numbers[i];
		if (i > k)
			text->numbers[i].offset += more - place.length;
	}
	text->numbers[k].length = more;
	text->numbers[k].value = value;
	return 0;
}

int alternatives_add(struct alternatives *all, size_t model, size_t k, double value, size_t *where)
{
	struct alternatives_text text;
	char number[64];

	decimal_text(value, number, sizeof(number));
	if (replaced(&all->texts[model], k, value, number, &text))
		return -1;
	*where = find_same(all, all->count, &text);
	if (*where == all->count && append(all, &text) == 0)
		return 0;
	free_text(&text);
	return *where == all->count ? -1 : 0;
}
