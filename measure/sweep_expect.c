/* The tests of -E of a setting: see sweep_compare.h. */
#include "sweep_compare.h"

#include <stdio.h>

#include "compare.h"
#include "expect.h"
#include "run.h"
#include "summary.h"

/* A run whose connections have one interval each: their medians. */
static int make_run(const struct sweep_saved_row *row, size_t asked, struct run *run)
{
	*run = (struct run){ .parallel = 1, .asked = asked };
	for (size_t i = 0; i < row->n; i++) {
		struct run_series *series = run_add_series(run, (unsigned int)i + 1,
							   (unsigned int)i + 1);

		if (!series || run_add_rate(series, row->median[i], -1))
			return -1;
	}
	return 0;
}

/* The setting, and the older one where it has its medians. */
struct both {
	struct run run[2];
	struct summary summary[2];
	struct compare compare;
	bool has_compare;
};

static int make_both(const struct sweep_saved_row *row, size_t asked,
		     const struct sweep_saved_row *before, struct both *both)
{
	if (make_run(row, asked, &both->run[0]) || summary_make(&both->run[0], &both->summary[0]))
		return -1;
	if (!before || !before->has_medians)
		return 0;
	if (make_run(before, 0, &both->run[1]) || summary_make(&both->run[1], &both->summary[1]) ||
	    compare_make(&both->summary[1], &both->summary[0], &both->compare))
		return -1;
	both->has_compare = true;
	return 0;
}

int sweep_expect(const struct expect_test *test, const struct sweep_saved_row *row, size_t asked,
		 const struct sweep_saved_row *before, struct expect_result *result)
{
	struct both both = { .has_compare = false };
	int ret = 0;

	*result = (struct expect_result){ .test = test, .verdict = EXPECT_CANNOT_TELL };
	if (test->metric->inside) {
		snprintf(result->why, sizeof(result->why), "a sweep has no intervals");
		return 0;
	}
	if (!row->has_medians) {
		snprintf(result->why, sizeof(result->why), "no medians of its connections");
		return 0;
	}
	if (test->metric->of_pair && before && !before->has_medians) {
		snprintf(result->why, sizeof(result->why),
			 "no medians of its connections in the old sweep");
		return 0;
	}
	ret = make_both(row, asked, before, &both);
	if (ret == 0)
		expect_evaluate(test, &both.summary[0], both.has_compare ? &both.compare : NULL,
				result);
	if (ret == 0 && test->metric->of_pair && !before)
		snprintf(result->why, sizeof(result->why), "not in the old sweep");
	compare_free(&both.compare);
	for (size_t i = 0; i < 2; i++) {
		summary_free(&both.summary[i]);
		run_free(&both.run[i]);
	}
	return ret;
}
