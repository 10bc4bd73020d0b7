/*
 * help_facts: the tables that sock_facts(7) documents, for tests/docs.sh.
 *
 *	fact rtt_us sender symptom	of each row of the table of facts
 *	limiter rwnd			of each word
 *	mechanism NAME (TITLE) SOURCE	of each rule
 *
 * help_facts -j: the events "association", "change_facts" and "mechanism" with
 * all their members, which few runs print.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../measure/association.h"
#include "../measure/explain.h"
#include "../measure/facts.h"
#include "../measure/figures.h"
#include "../measure/limiter.h"
#include "../measure/mechanism.h"

static void print_fact(enum fact fact)
{
	static const char *const ends[] = { "sender", "receiver", "machine" };
	static const char *const roles[] = { "", " placement", " symptom" };
	const struct facts_row *row = &facts_rows[fact];
	const char *role = "", *comma = "";
	char key[FACTS_KEY];

	facts_key(fact, key);
	printf("fact %s ", key);
	for (int end = 0; end < FACTS_ENDS; end++)
		if (row->ends & 1U << end) {
			printf("%s%s", comma, ends[end]);
			comma = ",";
			role = roles[row->role[end]];
		}
	printf("%s\n", role);
}

static void print_tables(void)
{
	const struct mechanism_rule *rule;

	for (int fact = 0; fact < FACTS; fact++)
		print_fact((enum fact)fact);
	for (int word = LIMITER_NONE + 1; word < LIMITERS; word++)
		printf("limiter %s\n", limiter_name((enum limiter_word)word));
	for (size_t i = 0; (rule = mechanism_rule(i)); i++)
		printf("mechanism %s (%s) %s\n", rule->name, rule->title, rule->source);
}

static void print_events(void)
{
	struct association_fact facts[] = { { .name = "same_cpu", .unit = "share" } };
	struct association association = {
		.verdict = ASSOCIATION_FOUND,
		.named_count = { 1, 1 },
		.passed = { 1, 1 },
		.has_order = true,
	};
	struct explain_change change = { .connection = 1, .count = 1 };
	struct explain_mechanism mechanism = { .rule = mechanism_rule(0), .sentence = "" };
	struct explanation explanation = {
		.spread = EXPLAIN_SPREAD,
		.association = &association,
		.facts = facts,
		.fact_count = 1,
		.change = &change,
		.changes = 1,
		.mechanism = &mechanism,
		.mechanisms = 1,
	};

	change.fact[0].unit = "us";
	figures_explain_json(stdout, &explanation);
	figures_mechanisms_json(stdout, &explanation);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "-j") == 0)
		print_events();
	else
		print_tables();
	return ferror(stdout) || fflush(stdout);
}
