/* The order in which settings are measured: see sweep.h. */
#include "sweep.h"

/* xorshift64* (Vigna 2016): period 2^64-1, state never 0. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* Below bound, each as likely: what would favour the low ones is drawn again. */
static uint64_t random_below(uint64_t *state, uint64_t bound)
{
	uint64_t unfair = (UINT64_MAX % bound + 1) % bound, drawn;

	do {
		drawn = next_random(state);
	} while (drawn > UINT64_MAX - unfair);
	return drawn % bound;
}

/* splitmix64's last step: seeds and repetitions that are near lie far apart. */
static uint64_t scatter(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

void sweep_round(uint64_t seed, uint64_t repetition, size_t settings, size_t *order)
{
	uint64_t state = scatter(scatter(seed + UINT64_C(0x9E3779B97F4A7C15)) + repetition);

	if (state == 0)
		state = 1;
	for (size_t i = 0; i < settings; i++) {
		size_t j = (size_t)random_below(&state, i + 1);

		/* Fisher and Yates, from the inside out. */
		if (j < i)
			order[i] = order[j];
		order[j] = i;
	}
}
