/*
 * JSON Lines: what is written is JSON whatever goes in, numbers survive a
 * round trip, and nothing but null stands for what is not a number.
 */
#include <stdlib.h>

#include "../measure/json.h"
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

int main(void)
{
	RUN(test_objects);
	RUN(test_text_is_escaped);
	RUN(test_numbers_survive);
	RUN(test_what_is_no_number_is_null);
	return test_end();
}
