/*
 * help_json [-e EVENT] FIELD... < lines
 *
 * A strict reader of JSON Lines.  Each line must be one JSON object whose
 * first member is "event"; else complain and exit 1, as when there is no
 * line at all.  For each line (-e: of this event) print the values of the
 * named fields, separated by tabs: numbers and words as they stand,
 * strings decoded, arrays and objects as their text, "-" when missing.
 */
#include "help.h"

#define MAX_LINE (1 << 20)
#define MAX_MEMBERS 64

struct member {
	char name[64];
	const char *from; /* the value's text in the line */
	const char *to;
};

static char line[MAX_LINE];
static long line_no;

static const char *value(const char *p, int depth);

__attribute__((noreturn)) static void bad(const char *p, const char *what)
{
	errx(1, "line %ld, column %ld: %s: %.200s", line_no, (long)(p - line) + 1, what, line);
}

static const char *blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static int is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *string(const char *p)
{
	if (*p != '"')
		bad(p, "not a string");
	for (p++; *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			bad(p, "a bare control character or no end");
		if (*p != '\\')
			continue;
		p++;
		if (*p == 'u') {
			int i;

			for (i = 0; i < 4; i++)
				if (!is_hex(*++p))
					bad(p, "not four hex digits");
		} else if (!*p || !strchr("\"\\/bfnrt", *p)) {
			bad(p, "unknown escape");
		}
	}
	return p + 1;
}

static const char *digits(const char *p)
{
	if (!is_digit(*p))
		bad(p, "not a digit");
	while (is_digit(*p))
		p++;
	return p;
}

static const char *number(const char *p)
{
	if (*p == '-')
		p++;
	p = *p == '0' ? p + 1 : digits(p);
	if (*p == '.')
		p = digits(p + 1);
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		p = digits(p);
	}
	return p;
}

static const char *array(const char *p, int depth)
{
	p = blanks(p + 1);
	if (*p == ']')
		return p + 1;
	for (;;) {
		p = blanks(value(blanks(p), depth + 1));
		if (*p == ']')
			return p + 1;
		if (*p != ',')
			bad(p, "neither , nor ]");
		p++;
	}
}

/* An object; its members are kept when there is a place for them. */
static const char *object(const char *p, int depth, struct member *m, int *n)
{
	*n = 0;
	if (*p != '{')
		bad(p, "not an object");
	p = blanks(p + 1);
	if (*p == '}')
		return p + 1;
	for (;;) {
		const char *name = p + 1;
		int i;

		p = string(p);
		if (*n >= MAX_MEMBERS || p - 1 - name >= 64)
			bad(name, "too much for this reader");
		memset(m[*n].name, 0, sizeof(m[*n].name));
		memcpy(m[*n].name, name, (size_t)(p - 1 - name));
		for (i = 0; i < *n; i++)
			if (strcmp(m[i].name, m[*n].name) == 0)
				bad(name, "a name twice in one object");
		p = blanks(p);
		if (*p != ':')
			bad(p, "no :");
		m[*n].from = blanks(p + 1);
		m[*n].to = value(m[*n].from, depth + 1);
		p = blanks(m[*n].to);
		++*n;
		if (*p == '}')
			return p + 1;
		if (*p != ',')
			bad(p, "neither , nor }");
		p = blanks(p + 1);
	}
}

static const char *value(const char *p, int depth)
{
	static const char *const words[] = { "true", "false", "null" };
	struct member inner[MAX_MEMBERS];
	size_t i;
	int n;

	if (depth > 8)
		bad(p, "too deep for this reader");
	if (*p == '"')
		return string(p);
	if (*p == '{')
		return object(p, depth, inner, &n);
	if (*p == '[')
		return array(p, depth);
	if (*p == '-' || is_digit(*p))
		return number(p);
	for (i = 0; i < 3; i++)
		if (strncmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	bad(p, "not a value");
}

/* Print a value; of a string what it says, a \u of ASCII included. */
static void print_value(const char *from, const char *to)
{
	static const char what[] = "bfnrt", is[] = "\b\f\n\r\t";

	if (*from != '"') {
		printf("%.*s", (int)(to - from), from);
		return;
	}
	for (from++; from < to - 1; from++) {
		const char *at;

		if (*from != '\\') {
			putchar(*from);
			continue;
		}
		from++;
		at = strchr(what, *from);
		if (*from == 'u') {
			char hex[5] = { from[1], from[2], from[3], from[4], 0 };

			putchar((int)strtol(hex, NULL, 16) & 0xff);
			from += 4;
		} else {
			putchar(at ? is[at - what] : *from);
		}
	}
}

static void print_fields(char **fields, const struct member *m, int n)
{
	char **f;

	for (f = fields; *f; f++) {
		int i;

		if (f != fields)
			putchar('\t');
		for (i = 0; i < n; i++)
			if (strcmp(m[i].name, *f) == 0)
				break;
		if (i < n)
			print_value(m[i].from, m[i].to);
		else
			putchar('-');
	}
	putchar('\n');
}

static void read_line(const char *event, char **fields)
{
	struct member m[MAX_MEMBERS];
	size_t len = strlen(line);
	const char *end;
	int n;

	if (len == 0 || line[len - 1] != '\n')
		bad(line, "not a whole line");
	line[len - 1] = '\0';
	end = object(line, 0, m, &n);
	if (*end)
		bad(end, "something behind the object");
	if (n == 0 || strcmp(m[0].name, "event") != 0 || *m[0].from != '"')
		bad(line, "\"event\" does not come first");
	len = (size_t)(m[0].to - m[0].from) - 2;
	if (!event || (strlen(event) == len && strncmp(m[0].from + 1, event, len) == 0))
		print_fields(fields, m, n);
}

int main(int argc, char **argv)
{
	const char *event = NULL;
	int c;

	while ((c = getopt(argc, argv, "e:")) != -1) {
		if (c != 'e')
			return 2;
		event = optarg;
	}
	while (fgets(line, sizeof(line), stdin)) {
		line_no++;
		read_line(event, argv + optind);
	}
	if (line_no == 0)
		errx(1, "no line");
	return 0;
}
