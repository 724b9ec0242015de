/*
 * Data to write that costs almost nothing while the clock runs: 4 MiB of random bytes from the
 * run's seed, of which each write takes a window at a drawn offset with a stamp of eight bytes in
 * front. So no two blocks are the same, nothing compresses, and the same (seed, id) gives the same
 * bytes whatever was written before.
 *
 * Generating each block would double the price of a 4 KiB write; a pool of 256 KiB would be seen
 * through by compression over 1 MiB records. Each worker has a pool of its own, because the stamp
 * is put into it.
 */
#ifndef FSDERBY_WORKLOADS_DATA_POOL_H
#define FSDERBY_WORKLOADS_DATA_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	DATA_POOL_BYTES = 4 << 20,
	DATA_POOL_WINDOW_MAX = 64 << 10, /* largest window */
	DATA_POOL_STEP = 64,             /* windows begin at cache lines */
};

struct data_pool {
	unsigned char *bytes; /* NULL: not made */
	unsigned char *window;
	uint64_t saved; /* what the stamp in `window` covers */
	uint64_t key;
	bool is_constant;
};

/* 0 or -ENOMEM. @is_constant: all bytes are 'a' and there is no stamp, as the original had it. */
int data_pool_init(struct data_pool *pool, uint64_t seed, bool is_constant);
/* Also for a pool that is all zeros. */
void data_pool_release(struct data_pool *pool);

/* A bijection: different ids give different stamps (finaliser of splitmix64). */
static inline uint64_t data_pool_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* An id for a chunk of a file: chunks up to 2^20, files up to 2^32, 4,096 trees. */
static inline uint64_t data_pool_id(unsigned tree, uint32_t file, uint32_t chunk)
{
	return (uint64_t)tree << 52 | (uint64_t)file << 20 | (chunk & 0xfffff);
}

/*
 * DATA_POOL_WINDOW_MAX bytes to write for @id; good until the next call. The first eight carry the
 * stamp.
 */
static inline const void *data_pool_window(struct data_pool *pool, uint64_t id)
{
	const uint64_t windows = (DATA_POOL_BYTES - DATA_POOL_WINDOW_MAX) / DATA_POOL_STEP + 1;
	uint64_t stamp;

	if (pool->is_constant)
		return pool->bytes;
	stamp = data_pool_mix(id ^ pool->key);
	memcpy(pool->window, &pool->saved, sizeof(pool->saved));
	pool->window = pool->bytes + ((stamp >> 32) * windows >> 32) * DATA_POOL_STEP;
	memcpy(&pool->saved, pool->window, sizeof(pool->saved));
	memcpy(pool->window, &stamp, sizeof(stamp));
	return pool->window;
}

#endif
