/* What goes with fast and slow: see association.h. */
#include "association.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define PERMUTATIONS 1999 /* with the data itself 2000, of which any limit is a whole number */
#define FEWEST 199
#define WORK 4e8  /* products of two ranks */
#define TIE 1e-12 /* less is rounding, in rho and p */
#define WITH 0.8  /* of two facts that go together */

#define NEED_FEWEST 12 /* for twice the speed by placement to be found in most runs */
#define NEED_STEP 4
#define NEED_TRIES 20
#define NEED_CONNECTIONS 100 /* with more, and nothing to tell, the facts are at fault */

/* The order of the connections is a family of its own. */
#define ORDER ASSOCIATION_FAMILIES
#define FAMILIES (ASSOCIATION_FAMILIES + 1)

static const double limits[FAMILIES] = {
	[ASSOCIATION_PLACEMENT] = ASSOCIATION_PLACEMENT_P,
	[ASSOCIATION_SYMPTOM] = ASSOCIATION_SYMPTOM_P,
	[ORDER] = ASSOCIATION_DRIFT_P,
};

struct column {
	size_t fact; /* index of the caller's; none of the order */
	int family;
	double norm;
	double rho;
	double best; /* the largest |rho| that its values could have come to */
	double p;
	double best_p;
	bool is_named;
};

struct place {
	double value;
	size_t at;
};

/*
 * Ranks are twice their distance from the middle rank, midranks where values
 * are equal: whole numbers, whose products add up exactly to n = 200,000.
 */
struct trial {
	size_t n;
	size_t columns;
	size_t permutations;
	struct column *column;
	double *rank;  /* n rows, each of all columns */
	double *speed; /* ranks of the rates */
	double speed_norm;
	double *most[FAMILIES]; /* the largest |rho| in each permutation */
	size_t unknown, alike;
	/* room to work in */
	struct place *place;
	double *line; /* n */
	double *sum;  /* columns */
};

/* ---- random numbers ---- */

/* Marsaglia, Xorshift RNGs, 2003. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* 0..below-1, each as likely: what is left over at the top is drawn again. */
static size_t draw_below(uint64_t *state, uint64_t below)
{
	uint64_t top = UINT64_MAX - UINT64_MAX % below, x;

	do
		x = draw(state);
	while (x >= top);
	return (size_t)(x % below);
}

static void shuffle(double *x, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = draw_below(state, i);
		double swap = x[i - 1];

		x[i - 1] = x[j];
		x[j] = swap;
	}
}

/* ---- ranks ---- */

static int by_value(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Ranks of trial->place into each stride'th of rank; their norm, 0 if all are equal. */
static double rank_places(struct trial *t, double *rank, size_t stride)
{
	struct place *place = t->place;
	double squares = 0;
	size_t next;

	qsort(place, t->n, sizeof(*place), by_value);
	for (size_t i = 0; i < t->n; i = next) {
		double middle;

		for (next = i + 1; next < t->n && place[next].value <= place[i].value;)
			next++;
		middle = (double)i + (double)next - (double)t->n;
		for (size_t k = i; k < next; k++)
			rank[place[k].at * stride] = middle;
		squares += (double)(next - i) * middle * middle;
	}
	return sqrt(squares);
}

/* Of ranks that are sorted, over all the orders that they could have. */
static double largest_product(const double *column, const double *speed, size_t n)
{
	double up = 0, down = 0;

	for (size_t i = 0; i < n; i++) {
		up += column[i] * speed[i];
		down += column[i] * speed[n - 1 - i];
	}
	return fmax(fabs(up), fabs(down));
}

/* ---- a trial ---- */

static void trial_free(struct trial *t)
{
	free(t->column);
	free(t->rank);
	free(t->speed);
	free(t->place);
	free(t->line);
	free(t->sum);
	for (int family = 0; family < FAMILIES; family++)
		free(t->most[family]);
}

/* With fewer, too, any limit is a whole number of them. */
static size_t permutations_for(size_t n, size_t count)
{
	double most = WORK / ((double)n * (double)(count + 1));
	size_t all = FEWEST + 1; /* with the data itself */

	if (most >= PERMUTATIONS)
		return PERMUTATIONS;
	while ((double)(all + FEWEST + 1) <= most)
		all += FEWEST + 1;
	return all - 1;
}

/* n > 0; room for all facts and the order. */
static int trial_reserve(struct trial *t, size_t n, size_t count)
{
	size_t permutations = permutations_for(n, count);
	int missing = 0;

	*t = (struct trial){ .n = n, .permutations = permutations };
	if (count + 1 > SIZE_MAX / sizeof(double) / n)
		return -1;
	t->column = calloc(count + 1, sizeof(*t->column));
	t->rank = calloc((count + 1) * n, sizeof(*t->rank));
	t->speed = calloc(n, sizeof(*t->speed));
	t->place = calloc(n, sizeof(*t->place));
	t->line = calloc(n, sizeof(*t->line));
	t->sum = calloc(count + 1, sizeof(*t->sum));
	for (int family = 0; family < FAMILIES; family++) {
		t->most[family] = calloc(permutations, sizeof(*t->most[family]));
		missing |= !t->most[family];
	}
	if (missing || !t->column || !t->rank || !t->speed || !t->place || !t->line || !t->sum) {
		trial_free(t);
		return -1;
	}
	return 0;
}

static bool is_known(const double *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(value[i]))
			return false;
	return true;
}

static bool is_alike(const double *value, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (value[i] < value[0] || value[i] > value[0])
			return false;
	return true;
}

/* The facts that can be tried get a column each; the order the last. */
static void choose_columns(struct trial *t, const struct association_fact *facts, size_t count)
{
	for (size_t f = 0; f < count; f++) {
		if (!is_known(facts[f].value, t->n))
			t->unknown++;
		else if (is_alike(facts[f].value, t->n))
			t->alike++;
		else
			t->column[t->columns++] = (struct column){ .fact = f,
								   .family = (int)facts[f].family };
	}
	t->column[t->columns++] = (struct column){ .family = ORDER };
}

static void rank_speed(struct trial *t, const double *rate)
{
	for (size_t i = 0; i < t->n; i++) {
		double value = rate ? fmax(stats_rate(rate[i]), STATS_RATE_MIN) : (double)i;

		t->place[i] = (struct place){ value, i };
	}
	t->speed_norm = rank_places(t, t->speed, 1);
}

static void rank_column(struct trial *t, size_t c, const struct association_fact *facts)
{
	struct column *column = &t->column[c];

	for (size_t i = 0; i < t->n; i++) {
		double value = column->family == ORDER ? (double)i : facts[column->fact].value[i];

		t->place[i] = (struct place){ value, i };
	}
	column->norm = rank_places(t, t->rank + c, t->columns);
}

/* Each column with the speed as it lies in line. */
static void correlate(struct trial *t)
{
	for (size_t c = 0; c < t->columns; c++)
		t->sum[c] = 0;
	for (size_t i = 0; i < t->n; i++) {
		const double *row = t->rank + i * t->columns;
		double speed = t->line[i];

		for (size_t c = 0; c < t->columns; c++)
			t->sum[c] += row[c] * speed;
	}
}

static double rho_of(const struct trial *t, const struct column *column, double sum)
{
	double norm = column->norm * t->speed_norm;

	return norm > 0 ? sum / norm : 0;
}

static void measure_columns(struct trial *t)
{
	memcpy(t->line, t->speed, t->n * sizeof(*t->line));
	correlate(t);
	for (size_t c = 0; c < t->columns; c++)
		t->column[c].rho = rho_of(t, &t->column[c], t->sum[c]);
}

/* Spoils the order in speed. */
static void measure_best(struct trial *t)
{
	stats_sort_median(t->speed, t->n);
	for (size_t c = 0; c < t->columns; c++) {
		struct column *column = &t->column[c];

		for (size_t i = 0; i < t->n; i++)
			t->line[i] = t->rank[i * t->columns + c];
		stats_sort_median(t->line, t->n);
		column->best = rho_of(t, column, largest_product(t->line, t->speed, t->n));
	}
}

static void permute(struct trial *t)
{
	uint64_t state = 1;

	memcpy(t->line, t->speed, t->n * sizeof(*t->line));
	for (size_t b = 0; b < t->permutations; b++) {
		shuffle(t->line, t->n, &state);
		correlate(t);
		for (size_t c = 0; c < t->columns; c++) {
			const struct column *column = &t->column[c];
			double *most = &t->most[column->family][b];

			*most = fmax(*most, fabs(rho_of(t, column, t->sum[c])));
		}
	}
}

/* The data is one of its own permutations. */
static double p_of(const struct trial *t, int family, double rho)
{
	size_t count = 1;

	for (size_t b = 0; b < t->permutations; b++)
		count += t->most[family][b] >= fabs(rho) - TIE;
	return (double)count / (double)(t->permutations + 1);
}

/* rate NULL: all different. */
static int trial_make(struct trial *t, const double *rate, size_t n,
		      const struct association_fact *facts, size_t count)
{
	if (trial_reserve(t, n, count))
		return -1;
	choose_columns(t, facts, count);
	rank_speed(t, rate);
	for (size_t c = 0; c < t->columns; c++)
		rank_column(t, c, facts);
	measure_columns(t);
	permute(t);
	measure_best(t);
	for (size_t c = 0; c < t->columns; c++) {
		struct column *column = &t->column[c];

		column->p = p_of(t, column->family, column->rho);
		column->best_p = p_of(t, column->family, column->best);
	}
	return 0;
}

static bool is_blind(const struct column *column)
{
	return column->best_p > limits[column->family] + TIE;
}

static bool passes(const struct column *column)
{
	return column->p <= limits[column->family] + TIE;
}

/* ---- how many connections could tell ---- */

/*
 * The values of m connections like the n: each of them as often, and the middle
 * one for the rest, which makes no rare value more frequent.
 */
static void multiply(const double *value, size_t n, double *more, size_t m)
{
	for (size_t i = 0; i < m; i++)
		more[i] = value[i % n];
	if (m % n == 0 || !is_known(value, n))
		return;
	stats_sort_median(more, n);
	for (size_t i = m / n * n; i < m; i++)
		more[i] = more[n / 2];
	memcpy(more, value, n * sizeof(*more));
}

/* 1: so many connections could tell, with the values of the n mixed alike. */
static int could_tell(size_t m, const struct association_fact *facts, size_t count, size_t n)
{
	struct association_fact *more = calloc(count + 1, sizeof(*more));
	double *value = calloc(count * m + 1, sizeof(*value));
	struct trial t;
	int can = -1;

	if (!more || !value)
		goto out;
	for (size_t f = 0; f < count; f++) {
		more[f] = facts[f];
		more[f].value = value + f * m;
		multiply(facts[f].value, n, value + f * m, m);
	}
	if (trial_make(&t, NULL, m, more, count))
		goto out;
	can = 0;
	for (size_t c = 0; c + 1 < t.columns; c++)
		can |= !is_blind(&t.column[c]);
	trial_free(&t);
out:
	free(more);
	free(value);
	return can;
}

static int find_need(const struct association_fact *facts, size_t count, struct association *a)
{
	size_t n = a->connections, step = NEED_STEP + n / (4 * NEED_STEP) * NEED_STEP;
	size_t m = (n / NEED_STEP + 1) * NEED_STEP;

	if (n > NEED_CONNECTIONS || a->tried == 0)
		return 0;
	if (m < NEED_FEWEST)
		m = NEED_FEWEST;
	for (int i = 0; i < NEED_TRIES; i++, m += step) {
		int can = could_tell(m, facts, count, n);

		if (can < 0)
			return -1;
		if (can) {
			a->need = m;
			return 0;
		}
	}
	return 0;
}

/* ---- naming ---- */

/* Of two that go equally well the first by name: the caller's order is nothing. */
static bool goes_better(const struct column *a, const struct column *b,
			const struct association_fact *facts)
{
	double difference = fabs(a->rho) - fabs(b->rho);

	if (fabs(difference) > TIE)
		return difference > 0;
	return strcmp(facts[a->fact].name, facts[b->fact].name) < 0;
}

/* The best of a family that is not named yet, or NULL. */
static struct column *next_named(struct trial *t, int family, const struct association_fact *facts)
{
	struct column *best = NULL;

	for (size_t c = 0; c < t->columns; c++) {
		struct column *column = &t->column[c];

		if (column->family != family || column->is_named || !passes(column))
			continue;
		if (!best || goes_better(column, best, facts))
			best = column;
	}
	return best;
}

static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : NAN;
}

static void typical(struct trial *t, const double *value, const bool *slow,
		    struct association_named *named)
{
	double mean[2], median[2];

	for (int side = 0; side < 2; side++) {
		size_t count = 0;

		for (size_t i = 0; i < t->n; i++)
			if (slow[i] == (side == 1))
				t->line[count++] = value[i];
		mean[side] = mean_of(t->line, count);
		median[side] = count ? stats_sort_median(t->line, count) : (double)NAN;
	}
	named->is_mean = median[0] <= median[1] && median[0] >= median[1];
	named->faster = named->is_mean ? mean[0] : median[0];
	named->slower = named->is_mean ? mean[1] : median[1];
}

static double rho_between(const struct trial *t, const struct column *a, const struct column *b)
{
	const double *x = t->rank + (a - t->column), *y = t->rank + (b - t->column);
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += x[i * t->columns] * y[i * t->columns];
	return fabs(sum) / (a->norm * b->norm);
}

/* The fact of placement, of those named, that a symptom follows most. */
static void find_with(const struct trial *t, const struct column *symptom,
		      struct column *const *placement, size_t count,
		      struct association_named *named)
{
	double most = WITH - TIE;

	for (size_t k = 0; k < count; k++) {
		double rho = rho_between(t, symptom, placement[k]);

		if (rho <= most)
			continue;
		most = rho + TIE;
		named->has_with = true;
		named->with = placement[k]->fact;
	}
}

static void name_facts(struct trial *t, const bool *slow, const struct association_fact *facts,
		       struct association *a)
{
	struct column *placement[ASSOCIATION_NAMED];

	for (int family = 0; family < ASSOCIATION_FAMILIES; family++) {
		struct column *column;

		while (a->named_count[family] < ASSOCIATION_NAMED &&
		       (column = next_named(t, family, facts))) {
			size_t k = a->named_count[family]++;
			struct association_named *named = &a->named[family][k];

			column->is_named = true;
			*named = (struct association_named){ .fact = column->fact,
							     .rho = column->rho,
							     .p = column->p };
			typical(t, facts[column->fact].value, slow, named);
			if (family == ASSOCIATION_PLACEMENT)
				placement[k] = column;
			else
				find_with(t, column, placement,
					  a->named_count[ASSOCIATION_PLACEMENT], named);
		}
	}
}

/* ---- all of it ---- */

static void count_facts(const struct trial *t, struct association *a)
{
	a->tried = t->columns - 1;
	a->unknown = t->unknown;
	a->alike = t->alike;
	for (size_t c = 0; c < a->tried; c++) {
		const struct column *column = &t->column[c];
		double limit = limits[column->family];

		a->blind += is_blind(column);
		a->passed[column->family] += passes(column);
		if (c == 0 || column->best_p / limit < a->best_p / a->limit_p) {
			a->best_p = column->best_p;
			a->limit_p = limit;
		}
	}
}

/* Facts that are the same everywhere do not go with it, that much is known. */
static bool can_tell(const struct association *a)
{
	if (a->connections < ASSOCIATION_MIN)
		return false;
	return a->tried > 0 ? a->blind < a->tried : a->alike > 0;
}

static void judge_facts(struct association *a)
{
	a->verdict = ASSOCIATION_NONE;
	for (int family = 0; family < ASSOCIATION_FAMILIES; family++)
		if (a->named_count[family] > 0)
			a->verdict = ASSOCIATION_FOUND;
}

int association_find(const double *rate, const bool *slow, size_t n,
		     const struct association_fact *facts, size_t count,
		     struct association *association)
{
	struct association *a = association;
	struct trial t;
	int ret = 0;

	*a = (struct association){ .connections = n,
				   .best_p = 1,
				   .limit_p = ASSOCIATION_PLACEMENT_P };
	if (n == 0)
		return 0;
	if (trial_make(&t, rate, n, facts, count))
		return -1;
	count_facts(&t, a);
	a->has_order = n >= ASSOCIATION_MIN;
	a->order_rho = t.column[a->tried].rho;
	a->order_p = t.column[a->tried].p;
	if (can_tell(a)) {
		name_facts(&t, slow, facts, a);
		judge_facts(a);
	} else {
		memset(a->passed, 0, sizeof(a->passed));
		if (t.speed_norm > 0)
			ret = find_need(facts, count, a);
	}
	trial_free(&t);
	return ret;
}

bool association_drifts(const struct association *association)
{
	return association->has_order && association->order_p <= ASSOCIATION_DRIFT_P + TIE;
}
