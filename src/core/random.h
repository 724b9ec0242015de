/*
 * Random numbers that are the same on every machine and libc.
 *
 * `struct random` (xoshiro256**, seeded through splitmix64; Blackman and Vigna 2018) makes data
 * and draws from the run's seed. `struct glibc_random` is the additive-feedback rule of glibc's
 * rand(), which mongo's published trees were drawn with. One owner each, no locking.
 */
#ifndef FSDERBY_CORE_RANDOM_H
#define FSDERBY_CORE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state[4];
};

/* A stream of its own for each (seed, stream) pair: worker, file, purpose. */
void random_init(struct random *random, uint64_t seed, uint64_t stream);
uint64_t random_next(struct random *random);
/* Uniform in [0, limit), limit > 0, without modulo bias. */
uint64_t random_below(struct random *random, uint64_t limit);
/* Uniform in [0, 1). */
double random_unit(struct random *random);
/* Incompressible bytes. */
void random_fill(struct random *random, void *data, size_t size);

struct glibc_random {
	uint32_t ring[31];
	unsigned next;
};

void glibc_random_init(struct glibc_random *random, uint32_t seed);
/* 0 … 2^31-1; seed 1 begins 1804289383 846930886. */
uint32_t glibc_random_next(struct glibc_random *random);

#endif
