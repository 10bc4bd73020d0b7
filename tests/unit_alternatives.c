/*
 * Alternatives: what a text stands for and in which order, which of its
 * numbers come from them, what is merged, and what is refused in which words.
 */
#include "short_memory.h"

#include "../measure/alternatives.c"
#include "test.h"

#define SIZE ALTERNATIVES_SIZE
#define SECONDS ALTERNATIVES_SECONDS
#define WORDS ALTERNATIVES_WORDS
#define OPTIONS ALTERNATIVES_OPTIONS

static struct sock_cause cause;

/* The texts with "|" between them, or the sentence behind "! ". */
static const char *expand(enum alternatives_kind kind, const char *text)
{
	static char all[4096];
	struct alternatives list;
	size_t used = 0;

	if (alternatives_parse(&list, text, kind, "-t", &cause)) {
		CHECK_EQ(cause.status, 2);
		CHECK_STR(cause.step, "-t");
		CHECK_EQ(list.count, 0);
		snprintf(all, sizeof(all), "! %s", cause.reason);
		return all;
	}
	all[0] = '\0';
	for (size_t i = 0; i < list.count && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? "|" : "",
					 list.texts[i].text);
	alternatives_free(&list);
	return all;
}

struct example {
	enum alternatives_kind kind;
	const char *text, *all;
};

static void expect_all(const struct example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		CHECK_STR(expand(examples[i].kind, examples[i].text), examples[i].all);
}

static void test_lists_of_numbers(void)
{
	static const struct example examples[] = {
		{ SIZE, "64K", "64K" },
		{ SIZE, "1K,64K", "1K|64K" },
		{ SIZE, "64K,1K", "64K|1K" },
		{ SIZE, "0,1", "0|1" },
		{ SIZE, "{1K,64K}", "1K|64K" },
		{ SIZE, "{1,2}K,5", "1K|2K|5" },
		{ SECONDS, "0,0.001", "0|0.001" },
		{ SECONDS, ".5,2", ".5|2" },
		/* What is no number is for the option to refuse, by itself. */
		{ SIZE, "x", "x" },
		{ SIZE, "1K,x", "1K|x" },
		{ SIZE, "", "" },
		{ SIZE, "-1", "-1" },
		{ SIZE, "1.5", "1.5" },
		{ SECONDS, "1.5.2", "1.5.2" },
		{ WORDS, "tcp", "tcp" },
		{ WORDS, "pipe,unix,tcp", "pipe|unix|tcp" },
		{ WORDS, "tcp{,6}", "tcp|tcp6" },
		{ WORDS, "a..b", "a..b" },
	};

	expect_all(examples, COUNT(examples));
}

static void test_ranges(void)
{
	static const struct example examples[] = {
		{ SIZE, "64..1K", "64|128|256|512|1K" },
		{ SIZE, "64..1M", "64|128|256|512|1K|2K|4K|8K|16K|32K|64K|128K|256K|512K|1M" },
		{ SIZE, "4K..64K", "4K|8K|16K|32K|64K" },
		{ SIZE, "1024..4096", "1024|2048|4096" },
		{ SIZE, "1000..5000", "1000|2000|4000|5000" },
		{ SIZE, "3K..10K", "3K|6K|10K" },
		{ SIZE, "512K..3M", "512K|1M|2M|3M" },
		{ SIZE, "1500..10K", "1500|3000|6000|10K" },
		{ SIZE, "7..7", "7" },
		{ SIZE, "1..2", "1|2" },
		{ SIZE, "2..3", "2|3" },
		{ SIZE, "0,1..8", "0|1|2|4|8" },
		{ SIZE, "1K,4K..16K", "1K|4K|8K|16K" },
		{ SIZE, "1..4,16..64", "1|2|4|16|32|64" },
		{ SIZE, "9223372036854775807..18446744073709551615",
		  "9223372036854775807|18446744073709551614|18446744073709551615" },
		{ SECONDS, "0.001..0.01", "0.001|0.002|0.004|0.008|0.01" },
		{ SECONDS, "0,.5..3", "0|.5|1|2|3" },
		{ SECONDS, "0.001..1.024",
		  "0.001|0.002|0.004|0.008|0.016|0.032|0.064|0.128|0.256|0.512|1.024" },
		{ OPTIONS, "SO_RCVTIMEO={0.5..3}",
		  "SO_RCVTIMEO=0.5|SO_RCVTIMEO=1|SO_RCVTIMEO=2|SO_RCVTIMEO=3" },
		{ OPTIONS, "IP_TOS={0x10..64}", "IP_TOS=0x10|IP_TOS=32|IP_TOS=64" },
	};

	expect_all(examples, COUNT(examples));
}

static void test_braces(void)
{
	static const struct example examples[] = {
		{ OPTIONS, "", "" },
		{ OPTIONS, "TCP_NODELAY,SO_SNDBUF=4K", "TCP_NODELAY,SO_SNDBUF=4K" },
		{ OPTIONS, ",A", ",A" },
		{ OPTIONS, "{,A}", "|A" },
		{ OPTIONS, "{A,}", "A|" },
		{ OPTIONS, "{A}", "A" },
		{ OPTIONS, "{,}", "" },
		{ OPTIONS, "{A,B C}", "A|B C" },
		{ OPTIONS, "S={4K,64K}", "S=4K|S=64K" },
		{ OPTIONS, "{A,B},{1,2}", "A,1|A,2|B,1|B,2" },
		{ OPTIONS, "{,A }{,B}", "|B|A|A B" },
		{ OPTIONS, "{,SO_SNDBUF={4K..64K}}",
		  "|SO_SNDBUF=4K|SO_SNDBUF=8K|SO_SNDBUF=16K|SO_SNDBUF=32K|SO_SNDBUF=64K" },
		{ OPTIONS, "{a{1,2{x,y}},b}c", "a1c|a2xc|a2yc|bc" },
		{ OPTIONS, "{{{A,B}}}", "A|B" },
		{ OPTIONS, "{1..2}{1..2}", "11|12|21|22" },
		{ OPTIONS, "C=\"{a,b}\"", "C=\"{a,b}\"" },
		{ OPTIONS, "C={\"a,b..}\",c}", "C=\"a,b..}\"|C=c" },
		/* Quotes that do not end are for the option string to refuse. */
		{ OPTIONS, "C=\"{a", "C=\"{a" },
	};

	expect_all(examples, COUNT(examples));
}

static void test_same_texts_are_merged(void)
{
	static const struct example examples[] = {
		{ SIZE, "1K,1K", "1K" },
		{ SIZE, "64K,4K..64K", "64K|4K|8K|16K|32K" },
		{ SIZE, "1024,1K,2K,2048", "1024|2K" },
		{ SECONDS, "0.5,.50,1,1.0", "0.5|1" },
		{ WORDS, "tcp,unix,tcp", "tcp|unix" },
		{ OPTIONS, "{S=4K,S={4K,8K}}", "S=4K|S=8K" },
		{ OPTIONS, "{ ,A,,, B ,,}", "|A|B" },
		{ OPTIONS, "A {,B} {,C},D", "A D|A C,D|A B D|A B C,D" },
		{ OPTIONS, "A={\" a,,b \",\",\"} ,", "A=\" a,,b \"|A=\",\"" },
		{ OPTIONS, " A ,, B ", " A ,, B " },
		{ OPTIONS, "{,A}{,A}", "|A|AA" },
		{ OPTIONS, "S={4K,4096} R={1,2}", "S=4K R=1|S=4K R=2" },
		/* These numbers are parts of others: they say nothing alone. */
		{ OPTIONS, "S={1,01}K", "S=1K|S=01K" },
	};

	expect_all(examples, COUNT(examples));
}

static void test_refusals(void)
{
	static const struct example examples[] = {
		{ OPTIONS, "{A", "! \"{A\": a { without its }" },
		{ OPTIONS, "{A,{B}", "! \"{A,{B}\": a { without its }" },
		{ OPTIONS, "{", "! \"{\": a { without its }" },
		{ OPTIONS, "{A}}", "! \"{A}}\": a } without its {" },
		{ OPTIONS, "A}", "! \"A}\": a } without its {" },
		{ OPTIONS, "{A,\"B}", "! \"{A,\"B}\": a { without its }" },
		{ OPTIONS, "S={}", "! \"S={}\": nothing between the braces" },
		{ SIZE, "1K}", "! \"1K}\": a } without its {" },
		{ SIZE, "{1K", "! \"{1K\": a { without its }" },
		{ SIZE, "1K,", "! \"1K,\": an empty alternative" },
		{ SIZE, ",1K", "! \",1K\": an empty alternative" },
		{ SIZE, "1K,,2K", "! \"1K,,2K\": an empty alternative" },
		{ SIZE, ",", "! \",\": an empty alternative" },
		{ SECONDS, "0,", "! \"0,\": an empty alternative" },
		{ WORDS, "tcp,", "! \"tcp,\": an empty alternative" },
		{ SIZE, "64..", "! \"64..\": a range goes from one number to another" },
		{ SIZE, "..64", "! \"..64\": a range goes from one number to another" },
		{ SIZE, "0.5..2", "! \"0.5..2\": a range goes from one number to another" },
		{ SECONDS, "1K..2K", "! \"1K..2K\": a range goes from one number to another" },
		{ SECONDS, "-1..2", "! \"-1..2\": a range goes from one number to another" },
		{ SIZE, "1..2..4", "! \"1..2..4\": a range goes from one number to another" },
		{ SIZE, "1..99999999999999999999",
		  "! \"1..99999999999999999999\": a range goes from one number to another" },
		{ SIZE, "1,64K..4K", "! \"64K..4K\" in \"1,64K..4K\": a range goes upwards" },
		{ SECONDS, "2..0.5", "! \"2..0.5\": a range goes upwards" },
		{ SIZE, "0..8",
		  "! \"0..8\": a range doubles, so it cannot begin at 0 (write 0,1..8)" },
		{ OPTIONS, "C={cubic..bbr}",
		  "! \"cubic..bbr\" in \"C={cubic..bbr}\": a range goes from one number to "
		  "another" },
		{ OPTIONS, "{,SO_SNDBUF=4K..64K}",
		  "! \"SO_SNDBUF=4K..64K\" in \"{,SO_SNDBUF=4K..64K}\": a range goes from one "
		  "number to another" },
		{ OPTIONS, "{{{{{{{{{{{{{{{{{{A}}}}}}}}}}}}}}}}}}",
		  "! \"{{{{{{{{{{{{{{{{{{A}}}}}}}}}}}}}}}}}}\": too many braces inside each "
		  "other" },
	};

	expect_all(examples, COUNT(examples));
}

static uint64_t asked(enum alternatives_kind kind, const char *text)
{
	struct alternatives list;
	uint64_t n;

	if (alternatives_parse(&list, text, kind, "-t", &cause))
		return 0;
	n = list.asked;
	CHECK_EQ_U(list.count, n > ALTERNATIVES_MOST ? 0 : n);
	alternatives_free(&list);
	return n;
}

/* However many they would be: nothing of the kind is made. */
static void test_too_many_are_counted_only(void)
{
	char text[64 * 8 + 1] = "";

	CHECK_EQ_U(asked(OPTIONS, "{1..8} {1..8} {1..8} {1..8} {1..8} {0,1}"), 2048);
	CHECK_EQ_U(asked(OPTIONS, "{1..128} {1..128} {1..128} {1..128}"), 4096);
	CHECK_EQ_U(asked(OPTIONS, "{1..128} {1..128} {1..128} {1..128}{a,b}"), 8192);
	CHECK_EQ_U(asked(OPTIONS, "{x,{1..128} {1..128} {1..128} {1..128}}"), 4097);
	CHECK_EQ_U(asked(OPTIONS, "{{1..128} {1..128} {1..128} {1..128},x,y}{a,b}"), 8196);
	for (int i = 0; i < 64; i++)
		strcat(text, "{a,b,c}");
	CHECK_EQ_U(asked(OPTIONS, text), UINT64_MAX);
}

/* "[64K]=65536" for each number of a text. */
static const char *numbers_of(const struct alternatives_text *text)
{
	static char all[256];
	size_t used = 0;

	all[0] = '\0';
	for (size_t i = 0; i < text->number_count; i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "[%.*s]=%.10g",
					 (int)text->numbers[i].length,
					 text->text + text->numbers[i].offset,
					 text->numbers[i].value);
	return all;
}

static void test_numbers(void)
{
	static const struct {
		enum alternatives_kind kind;
		const char *text;
		size_t which;
		const char *numbers;
	} rows[] = {
		{ SIZE, "1K,64K", 1, "[64K]=65536" },
		{ SIZE, "64..1K", 1, "[128]=128" },
		{ SECONDS, "0,0.001", 1, "[0.001]=0.001" },
		{ OPTIONS, "S=8K", 0, "" },
		{ OPTIONS, "{,S={4K..64K}}", 0, "" },
		{ OPTIONS, "{,S={4K..64K}}", 3, "[16K]=16384" },
		{ OPTIONS, "S={4K,8K} N R={1,2},T=5", 3, "[8K]=8192[2]=2" },
		{ OPTIONS, " , {,N} S={4K,8K},,R={1,2},", 7, "[8K]=8192[2]=2" },
		{ OPTIONS, "{S=4K,S=8K}", 1, "" },
		{ OPTIONS, "{S=4K,S={4K,8K}}", 0, "[4K]=4096" },
		{ OPTIONS, "S={4,8}K", 1, "" },
		{ OPTIONS, "S={1,2}{3,4}", 1, "" },
		{ OPTIONS, "IP_TOS={0x10,EF}", 0, "[0x10]=16" },
		{ OPTIONS, "IP_TOS={0x10,EF}", 1, "" },
		{ OPTIONS, "SO_RCVTIMEO={0.25,1}", 0, "[0.25]=0.25" },
		{ OPTIONS, "S=\"{1,2}\"", 0, "" },
		{ WORDS, "1,2", 1, "" },
	};
	struct alternatives list;

	for (size_t i = 0; i < COUNT(rows); i++) {
		NEED(alternatives_parse(&list, rows[i].text, rows[i].kind, "-t", &cause) == 0);
		NEED(rows[i].which < list.count);
		CHECK_STR(numbers_of(&list.texts[rows[i].which]), rows[i].numbers);
		alternatives_free(&list);
	}
}

static void test_which_are_alike(void)
{
	struct alternatives list;
	const struct alternatives_text *t;

	/* S=1 R=1, S=1 R=2, S=2 R=1, S=2 R=2, "" */
	NEED(alternatives_parse(&list, "{S={1,2} R={1,2},}", OPTIONS, "-t", &cause) == 0);
	NEED(list.count == 5);
	t = list.texts;
	CHECK(alternatives_alike(&t[0], &t[1], 1));
	CHECK(!alternatives_alike(&t[0], &t[1], 0));
	CHECK(alternatives_alike(&t[0], &t[2], 0));
	CHECK(!alternatives_alike(&t[0], &t[3], 0));
	CHECK(!alternatives_alike(&t[0], &t[3], 1));
	CHECK(!alternatives_alike(&t[0], &t[4], 0));
	CHECK(!alternatives_alike(&t[4], &t[0], 0));
	CHECK(alternatives_alike(&t[3], &t[3], SIZE_MAX));
	CHECK(!alternatives_alike(&t[2], &t[3], SIZE_MAX));
	alternatives_free(&list);
	/* Another option with the same number is another text. */
	NEED(alternatives_parse(&list, "{S={1,2},R={1,2}}", OPTIONS, "-t", &cause) == 0);
	NEED(list.count == 4);
	CHECK(!alternatives_alike(&list.texts[0], &list.texts[2], 0));
	CHECK(!alternatives_alike(&list.texts[0], &list.texts[3], 0));
	alternatives_free(&list);
}

static void test_one_more(void)
{
	struct alternatives list;
	size_t where = 99;

	NEED(alternatives_parse(&list, "S={32K,64K} R={1,2}", OPTIONS, "-t", &cause) == 0);
	NEED(list.count == 4);
	NEED(alternatives_add(&list, 1, 0, 49152, &where) == 0);
	CHECK_EQ(where, 4);
	CHECK_STR(list.texts[4].text, "S=49152 R=2");
	CHECK_STR(numbers_of(&list.texts[4]), "[49152]=49152[2]=2");
	CHECK(alternatives_alike(&list.texts[4], &list.texts[3], 0));
	/* Once more, and one that was asked for in other words. */
	NEED(alternatives_add(&list, 3, 0, 49152, &where) == 0);
	CHECK_EQ(where, 4);
	NEED(alternatives_add(&list, 0, 0, 65536, &where) == 0);
	CHECK_EQ(where, 2);
	CHECK_EQ(list.count, 5);
	NEED(alternatives_add(&list, 4, 1, 0.0625, &where) == 0);
	CHECK_STR(list.texts[where].text, "S=49152 R=0.0625");
	alternatives_free(&list);
}

/* Whichever request fails: a cause, nothing left behind, no crash. */
static void test_memory_runs_out(void)
{
	static const char text[] = "{,S={4K..64K}} R={1,{2,3}x}";
	struct alternatives list;
	int failed = 1;
	long n;

	for (n = 0; failed && n < 10000; n++) {
		memory_left = n;
		failed = alternatives_parse(&list, text, OPTIONS, "-t", &cause) != 0;
		if (failed) {
			NEED(cause.status == 1 && cause.err == ENOMEM);
			NEED(list.count == 0 && !list.texts);
		}
	}
	memory_left = -1;
	CHECK(n > 20);
	NEED(!failed);
	CHECK_EQ(list.count, 18);
	for (n = 0, failed = 1; failed && n < 10; n++) {
		size_t where;

		memory_left = n;
		failed = alternatives_add(&list, 3, 0, 5000, &where) != 0;
		CHECK_EQ(list.count, failed ? 18 : 19);
	}
	memory_left = -1;
	CHECK(n > 2);
	CHECK(!failed);
	alternatives_free(&list);
}

int main(void)
{
	RUN(test_lists_of_numbers);
	RUN(test_ranges);
	RUN(test_braces);
	RUN(test_same_texts_are_merged);
	RUN(test_refusals);
	RUN(test_too_many_are_counted_only);
	RUN(test_numbers);
	RUN(test_which_are_alike);
	RUN(test_one_more);
	RUN(test_memory_runs_out);
	return test_end();
}
