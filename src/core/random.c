/*
 * Generators that give the same numbers everywhere. One owner each.
 */
#include "core/random.h"

#include <endian.h>
#include <string.h>

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

void random_init(struct random *random, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed, mixed = stream;

	/* Both words go through the mixer, so that (1, 2) and (2, 1) are far apart. */
	state = splitmix64(&state) ^ rotate(splitmix64(&mixed), 32);
	for (unsigned i = 0; i < 4; i++)
		random->state[i] = splitmix64(&state);
}

uint64_t random_next(struct random *random)
{
	uint64_t *s = random->state, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

/* Lemire's multiply-and-reject: unbiased, one division only when needed. */
uint64_t random_below(struct random *random, uint64_t limit)
{
	unsigned __int128 product = (unsigned __int128)random_next(random) * limit;
	uint64_t low = (uint64_t)product;

	if (low < limit) {
		uint64_t threshold = -limit % limit;

		while (low < threshold) {
			product = (unsigned __int128)random_next(random) * limit;
			low = (uint64_t)product;
		}
	}
	return (uint64_t)(product >> 64);
}

double random_unit(struct random *random)
{
	return (double)(random_next(random) >> 11) * 0x1p-53;
}

void random_fill(struct random *random, void *data, size_t size)
{
	unsigned char *out = data;

	while (size > 0) {
		uint64_t word = htole64(random_next(random));
		size_t n = size < sizeof(word) ? size : sizeof(word);

		memcpy(out, &word, n);
		out += n;
		size -= n;
	}
}

/* r[i] = r[i-31] for 31..33, then o[k] = o[k-3] + o[k-31]; the ring holds the last 31 values. */
void glibc_random_init(struct glibc_random *random, uint32_t seed)
{
	int64_t value = seed == 0 ? 1 : seed;

	value = (int32_t)value;
	for (unsigned i = 0; i < 31; i++) {
		random->ring[i] = (uint32_t)value;
		value = 16807 * value % 2147483647;
		if (value < 0)
			value += 2147483647;
	}
	/* r[31..33] repeat r[0..2], which stand in the ring already: k-3 of o[34] is index 0. */
	random->next = 3;
	for (unsigned i = 0; i < 310; i++)
		glibc_random_next(random);
}

uint32_t glibc_random_next(struct glibc_random *random)
{
	unsigned i = random->next;
	uint32_t value = random->ring[i] + random->ring[(i + 28) % 31];

	random->ring[i] = value;
	random->next = (i + 1) % 31;
	return value >> 1;
}
