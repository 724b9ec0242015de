/*
 * Making a pool of data. One owner a pool: the worker that writes from it.
 */
#include "workloads/data_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/random.h"

/* A stream of the run's seed that nothing else draws from. */
#define POOL_STREAM UINT64_C(0x706f6f6c)

int data_pool_init(struct data_pool *pool, uint64_t seed, bool is_constant)
{
	struct random random;

	/* Two huge pages where there are any: windows lie all over and would miss the TLB. */
	pool->bytes = aligned_alloc(2 << 20, DATA_POOL_BYTES);
	if (pool->bytes == NULL)
		return -ENOMEM;
	madvise(pool->bytes, DATA_POOL_BYTES, MADV_HUGEPAGE);
	random_init(&random, seed, POOL_STREAM);
	pool->key = random_next(&random);
	pool->is_constant = is_constant;
	if (is_constant)
		memset(pool->bytes, 'a', DATA_POOL_BYTES);
	else
		random_fill(&random, pool->bytes, DATA_POOL_BYTES);
	pool->window = pool->bytes;
	memcpy(&pool->saved, pool->window, sizeof(pool->saved));
	return 0;
}

void data_pool_release(struct data_pool *pool)
{
	free(pool->bytes);
	pool->bytes = NULL;
}
