/* How long reads waited: see ledger.h. */
#include "ledger.h"

#include <math.h>

#define NS_PER_S 1e9
/* Bins are counted in 1/1024 us, so that octaves begin at 1 us: ns * 128/125. */
#define UNIT_BITS 10
#define PART_BITS 5 /* LEDGER_PARTS */
#define LONGEST_NS (INT64_MAX / 128)

#define DELAYED_ACK_S 0.040 /* TCP_DELACK_MIN, HZ/25 */
#define RTO_MIN_S 0.200	    /* TCP_RTO_MIN, HZ/5 */

#define EARLY 0.05 /* of a timer */
#define LATE 0.15
#define LATE_S 0.015 /* at least: more than a tick of HZ=100 and a wake-up */
#define PEAK_SHARE 0.1
#define PEAK_RISE 2

/* ---- bins ---- */

static unsigned int highest_bit(uint64_t value)
{
	return 63 - (unsigned int)__builtin_clzll(value);
}

size_t ledger_bin_of(int64_t ns)
{
	uint64_t units = ns <= 0 ? 0 : ns > LONGEST_NS ? UINT64_MAX : (uint64_t)ns * 128 / 125;
	unsigned int bit;

	if (units >> UNIT_BITS == 0)
		return 0;
	bit = highest_bit(units);
	if (bit >= UNIT_BITS + LEDGER_OCTAVES)
		return LEDGER_BINS - 1;
	return 1 + (bit - UNIT_BITS) * LEDGER_PARTS +
	       (size_t)(units >> (bit - PART_BITS) & (LEDGER_PARTS - 1));
}

/* Seconds of a bin's waits together. */
static double bin_seconds(const struct ledger *ledger, size_t i)
{
	return (double)LEDGER_GET(ledger->bin[i].ns) / NS_PER_S;
}

/* ---- the worker's side ---- */

/* A wait is over: its length, or -1 where it is left out. */
static int64_t end_of_wait(struct ledger *ledger, int64_t now)
{
	int64_t since = LEDGER_GET(ledger->since);

	LEDGER_SET(ledger->since, 0);
	if (now < LEDGER_GET(ledger->from))
		return -1;
	if (LEDGER_GET(ledger->first) == 0)
		LEDGER_SET(ledger->first, since);
	return now - since;
}

void ledger_got(struct ledger *ledger, int64_t now)
{
	int64_t ns = end_of_wait(ledger, now);
	struct ledger_bin *bin = &ledger->bin[ledger_bin_of(ns)];

	if (ns < 0)
		return;
	LEDGER_SET(bin->ns, LEDGER_GET(bin->ns) + (uint64_t)ns);
	LEDGER_SET(bin->waits, LEDGER_GET(bin->waits) + 1);
	if (ns > LEDGER_GET(ledger->longest))
		LEDGER_SET(ledger->longest, ns);
}

void ledger_cut(struct ledger *ledger, int64_t now)
{
	int64_t ns = end_of_wait(ledger, now);

	if (ns >= 0)
		LEDGER_SET(ledger->cut, ns > 0 ? ns : 1);
}

/* ---- what it comes to ---- */

static double mean_of(const struct ledger *ledger, size_t i)
{
	return bin_seconds(ledger, i) / (double)LEDGER_GET(ledger->bin[i].waits);
}

/* The mean of the bin that holds the wait of this rank, from 0; NaN: none does. */
static double at_rank(const struct ledger *ledger, uint64_t rank)
{
	for (size_t i = 0; i < LEDGER_BINS; i++) {
		uint64_t waits = LEDGER_GET(ledger->bin[i].waits);

		if (rank < waits)
			return mean_of(ledger, i);
		rank -= waits;
	}
	return NAN;
}

static double cut_seconds(const struct ledger *ledger, int64_t end)
{
	int64_t since = LEDGER_GET(ledger->since), cut = LEDGER_GET(ledger->cut);

	if (since > 0 && end > since)
		cut = end - since;
	return cut > 0 ? (double)cut / NS_PER_S : (double)NAN;
}

static double length_seconds(const struct ledger *ledger, int64_t start, int64_t end)
{
	int64_t from = LEDGER_GET(ledger->from), first = LEDGER_GET(ledger->first);

	if (from == LEDGER_NEVER)
		return NAN;
	if (first == 0)
		first = LEDGER_GET(ledger->since);
	if (first > 0 && first < from)
		from = first;
	return (double)(end - (from > start ? from : start)) / NS_PER_S;
}

void ledger_add_up(const struct ledger *ledger, int64_t start, int64_t end, struct ledger_sum *sum)
{
	*sum = (struct ledger_sum){ .longest_s = NAN, .median_s = NAN, .cut_s = NAN };
	sum->length_s = length_seconds(ledger, start, end);
	if (isnan(sum->length_s))
		return;
	sum->cut_s = cut_seconds(ledger, end);
	for (size_t i = 0; i < LEDGER_BINS; i++) {
		sum->waits += LEDGER_GET(ledger->bin[i].waits);
		sum->wait_s += bin_seconds(ledger, i);
	}
	if (sum->waits == 0)
		return;
	sum->longest_s = (double)LEDGER_GET(ledger->longest) / NS_PER_S;
	sum->median_s = (at_rank(ledger, (sum->waits - 1) / 2) + at_rank(ledger, sum->waits / 2)) /
			2;
}

static double all_seconds(const struct ledger *ledger)
{
	double all_s = 0;

	for (size_t i = 0; i < LEDGER_BINS; i++)
		all_s += bin_seconds(ledger, i);
	return all_s;
}

static double share_of(double part, double all)
{
	return all > 0 ? part / all : 0;
}

void ledger_row(const struct ledger *ledger, size_t index, struct ledger_row *row)
{
	size_t first = index == 0 ? 0 : 1 + (index - 1) * LEDGER_PARTS;
	size_t behind = index == 0 ? 1 : first + LEDGER_PARTS;

	if (behind > LEDGER_BINS)
		behind = LEDGER_BINS;
	*row = (struct ledger_row){ .low_s = index ? ldexp(1e-6, (int)index - 1) : 0,
				    .high_s = index + 1 < LEDGER_ROWS ? ldexp(1e-6, (int)index)
								      : (double)INFINITY };
	for (size_t i = first; i < behind; i++) {
		row->waits += LEDGER_GET(ledger->bin[i].waits);
		row->wait_s += bin_seconds(ledger, i);
	}
	row->share = share_of(row->wait_s, all_seconds(ledger));
}

/* ---- timers ---- */

void ledger_timers(double rto_min_s, struct ledger_timer timer[LEDGER_TIMERS])
{
	int known = isfinite(rto_min_s) && rto_min_s > 0;
	double rto_s = known ? rto_min_s : RTO_MIN_S;

	timer[0] = (struct ledger_timer){ "delayed ACK minimum", "", fmin(DELAYED_ACK_S, rto_s) };
	timer[1] = (struct ledger_timer){ "RTO minimum", known ? "net.ipv4.tcp_rto_min_us" : "",
					  rto_s };
	timer[2] = (struct ledger_timer){ "persist probe", "", fmax(rto_s, RTO_MIN_S) };
	timer[3] = (struct ledger_timer){ "second RTO", "", 2 * rto_s };
}

/* Waits of low to below high, each bin by the mean of its own. */
static uint64_t waits_within(const struct ledger *ledger, double low_s, double high_s,
			     double *wait_s)
{
	uint64_t count = 0;

	*wait_s = 0;
	for (size_t i = 0; i < LEDGER_BINS; i++) {
		uint64_t waits = LEDGER_GET(ledger->bin[i].waits);
		double mean_s = waits ? mean_of(ledger, i) : -1;

		if (mean_s < low_s || mean_s >= high_s)
			continue;
		count += waits;
		*wait_s += bin_seconds(ledger, i);
	}
	return count;
}

void ledger_match(const struct ledger *ledger, const struct ledger_timer *timer,
		  struct ledger_match *match)
{
	double longest_s = (double)LEDGER_GET(ledger->longest) / NS_PER_S, ignored;
	double low_s = timer->s * (1 - EARLY), high_s = timer->s + fmax(LATE * timer->s, LATE_S);
	uint64_t below = waits_within(ledger, fmax(2 * low_s - high_s, 0), low_s, &ignored);

	*match = (struct ledger_match){ .low_s = low_s, .high_s = high_s };
	match->waits = waits_within(ledger, low_s, high_s, &match->wait_s);
	match->share = share_of(match->wait_s, all_seconds(ledger));
	match->is_longest = longest_s >= low_s && longest_s < high_s;
	match->is_near = match->waits > 0 && match->waits >= PEAK_RISE * below &&
			 (match->share >= PEAK_SHARE || match->is_longest);
}
