/*
 * JSON Lines: what is written is JSON whatever goes in, numbers survive a
 * round trip, and nothing but null stands for what is not a number.
 */
#include <stdlib.h>

#include "../measure/json.h"
#include "../measure/jsonline.h"
#include "test.h"

/* The text that one call of fill wrote, between { and }. */
static const char *written(void (*fill)(struct json *))
{
	static char line[4096];
	FILE *f = tmpfile();
	struct json json;
	size_t n;

	if (!f)
		return "no temporary file";
	json_begin(&json, f, "e");
	fill(&json);
	json_end(&json);
	rewind(f);
	n = fread(line, 1, sizeof(line) - 1, f);
	line[n] = '\0';
	fclose(f);
	return line;
}

static void nothing(struct json *json)
{
	(void)json;
}

static void all_kinds(struct json *json)
{
	json_text(json, "t", "x");
	json_text(json, "n", NULL);
	json_real(json, "r", 0.5);
	json_count(json, "c", UINT64_MAX);
	json_bool(json, "b", 7);
	json_bool(json, "b2", 0);
	json_null(json, "z");
	json_open(json, "a", '[');
	json_close(json, ']');
	json_open(json, "o", '[');
	json_open(json, NULL, '{');
	json_count(json, "p", 1);
	json_count(json, "q", 2);
	json_close(json, '}');
	json_open(json, NULL, '{');
	json_close(json, '}');
	json_count(json, NULL, 3);
	json_close(json, ']');
	json_count(json, "last", 4);
}

static void odd_text(struct json *json)
{
	json_text(json, "t",
		  "a\"b\\c\n\t\001\177\xc3\xa9\xff\xc0\x80"
		  "\xed\xa0\x80\xe2\x82");
}

static double in, out;

static void one_real(struct json *json)
{
	json_real(json, "r", in);
}

static void test_objects(void)
{
	CHECK_STR(written(nothing), "{\"event\":\"e\"}\n");
	CHECK_STR(written(all_kinds), "{\"event\":\"e\",\"t\":\"x\",\"n\":null,\"r\":0.5,"
				      "\"c\":18446744073709551615,\"b\":true,\"b2\":false,"
				      "\"z\":null,\"a\":[],\"o\":[{\"p\":1,\"q\":2},{},3],"
				      "\"last\":4}\n");
}

/* Only what is UTF-8 passes; each other byte becomes one U+FFFD. */
static void test_text_is_escaped(void)
{
	CHECK_STR(written(odd_text), "{\"event\":\"e\",\"t\":\"a\\\"b\\\\c\\u000a\\u0009\\u0001"
				     "\\u007f\xc3\xa9\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"
				     "\\ufffd\\ufffd\"}\n");
}

static void test_numbers_survive(void)
{
	static const double values[] = {
		0, 1, 0.1, 1 / 3.0, 1865.62, 1e-300, 1e300, 4294967296.5, -2.5,
	};
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		in = values[i];
		if (sscanf(written(one_real), "{\"event\":\"e\",\"r\":%lf}", &out) != 1)
			test_fail(__FILE__, __LINE__, "%g is not read back", in);
		CHECK_NEAR(out, in, 0);
	}
}

static void test_what_is_no_number_is_null(void)
{
	in = (double)NAN;
	CHECK_STR(written(one_real), "{\"event\":\"e\",\"r\":null}\n");
	in = (double)INFINITY;
	CHECK_STR(written(one_real), "{\"event\":\"e\",\"r\":null}\n");
	in = -(double)INFINITY;
	CHECK_STR(written(one_real), "{\"event\":\"e\",\"r\":null}\n");
}

/* ---- read back ---- */

static const char *member(const char *line, const char *key)
{
	static char value[64];

	return jsonline_member(line, key, value, sizeof(value)) ? "(none)" : value;
}

static void test_members_are_read_back(void)
{
	const char *line = written(all_kinds);

	CHECK_STR(member(line, "event"), "e");
	CHECK_STR(member(line, "t"), "x");
	CHECK_STR(member(line, "n"), "null");
	CHECK_STR(member(line, "r"), "0.5");
	CHECK_STR(member(line, "c"), "18446744073709551615");
	CHECK_STR(member(line, "b"), "true");
	CHECK_STR(member(line, "last"), "4");
	CHECK_STR(member(line, "a"), "(none)");
	CHECK_STR(member(line, "o"), "(none)");
	CHECK_STR(member(line, "p"), "(none)"); /* it is an inner one */
	CHECK_STR(member(line, "x"), "(none)");
	CHECK_STR(member(line, "las"), "(none)");
}

static void test_escapes_are_undone(void)
{
	const char *line = "{\"a\":\"q\\\"b\\\\s\\/t\\tn\\nu\\u0041\\u00e9\\u20ac\",\"v\":\"\"}";

	CHECK_STR(member(line, "a"), "q\"b\\s/t\tn\nuA\xc3\xa9\xe2\x82\xac");
	CHECK_STR(member(line, "v"), "");
}

static void test_what_does_not_fit_is_no_member(void)
{
	char value[5];

	CHECK_EQ(jsonline_member("{\"a\":\"1234\"}", "a", value, sizeof(value)), -1);
	CHECK_EQ(jsonline_member("{\"a\":12345}", "a", value, sizeof(value)), -1);
	CHECK_EQ(jsonline_member("{\"a\":1234}", "a", value, sizeof(value)), 0);
	CHECK_STR(value, "1234");
}

static void test_only_whole_objects_are_read(void)
{
	static const char *const good[] = {
		"{}",
		"{ \"a\" : [ ] , \"b\" : { \"c\" : [1, -2.5e+3, \"x\"] } } ",
		"{\"a\":[[[[]]]]}",
		"{\"a\":0,\"b\":-0.1,\"c\":null}",
	};
	static const char *const bad[] = {
		"",
		" {}",
		"[]",
		"{",
		"{}}",
		"{} x",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{\"a\":01}",
		"{\"a\":.5}",
		"{\"a\":1.}",
		"{\"a\":+1}",
		"{\"a\":1e}",
		"{\"a\":nul}",
		"{\"a\":\"x}",
		"{a:1}",
		"{\"a\":'x'}",
		"{\"a\" 1}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12\"}",
		"{\"a\":\"\t\"}",
		"{\"a\":[1}}",
		"{\"a\":[1,]}",
		"{,}",
		"{\"a\":1 \"b\":2}",
		"{\"a\":\"\\",
		"{\"a\":-}",
		"{\"a\":[",
		"{\"a\":\"\\u",
	};
	char deep[64] = "{\"a\":";

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!jsonline_is_object(good[i]))
			test_fail(__FILE__, __LINE__, "%s is refused", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (jsonline_is_object(bad[i]))
			test_fail(__FILE__, __LINE__, "%s is taken", bad[i]);
	/* Its depth has an end, before that of our stack. */
	memset(deep + strlen(deep), '[', 40);
	CHECK(!jsonline_is_object(deep));
	CHECK_STR(member("{\"a\":1}x", "a"), "(none)");
}

int main(void)
{
	RUN(test_objects);
	RUN(test_text_is_escaped);
	RUN(test_numbers_survive);
	RUN(test_what_is_no_number_is_null);
	RUN(test_members_are_read_back);
	RUN(test_escapes_are_undone);
	RUN(test_what_does_not_fit_is_no_member);
	RUN(test_only_whole_objects_are_read);
	return test_end();
}
