/*
 * Latency histogram: 64 steps a power of two.
 *
 * Values below 64 ns have a bucket each; above, every power of two is cut in 64 equal steps, so a
 * bucket is at most 1/64 of its value wide and its middle is off by at most 0.79 %. Values from
 * 2^HISTOGRAM_TOP_BIT ns (73 minutes) on share the last bucket; the maximum is kept exactly and no
 * percentile is reported above it. Counters are relaxed atomics with one writer; anybody may
 * read. Merging adds buckets and is exact.
 */
#ifndef FSDERBY_MEASURE_HISTOGRAM_H
#define FSDERBY_MEASURE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

enum {
	HISTOGRAM_STEP_BITS = 6,
	HISTOGRAM_STEPS = 1 << HISTOGRAM_STEP_BITS,
	HISTOGRAM_TOP_BIT = 42,
	HISTOGRAM_BUCKETS = HISTOGRAM_STEPS * (HISTOGRAM_TOP_BIT - HISTOGRAM_STEP_BITS + 1),
};

struct histogram {
	_Atomic uint64_t count, sum_ns, max_ns;
	_Atomic uint32_t low, high; /* touched buckets: low..high, low > high when empty */
	_Atomic uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline uint64_t histogram_load(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* For counters with one writer: a plain add that readers never see torn. */
static inline void histogram_bump(_Atomic uint64_t *counter, uint64_t amount)
{
	uint64_t old = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, old + amount, memory_order_relaxed);
}

static inline unsigned histogram_bucket(uint64_t ns)
{
	if (ns < HISTOGRAM_STEPS)
		return (unsigned)ns;
	unsigned top = 63U - (unsigned)__builtin_clzll(ns);
	if (top >= HISTOGRAM_TOP_BIT)
		return HISTOGRAM_BUCKETS - 1;
	unsigned shift = top - HISTOGRAM_STEP_BITS;
	return ((shift + 1) << HISTOGRAM_STEP_BITS) + (unsigned)((ns >> shift) - HISTOGRAM_STEPS);
}

static inline void histogram_add(struct histogram *histogram, uint64_t ns)
{
	unsigned bucket = histogram_bucket(ns);

	histogram_bump(&histogram->count, 1);
	histogram_bump(&histogram->sum_ns, ns);
	histogram_bump(&histogram->buckets[bucket], 1);
	if (ns > histogram_load(&histogram->max_ns))
		atomic_store_explicit(&histogram->max_ns, ns, memory_order_relaxed);
	if (bucket < atomic_load_explicit(&histogram->low, memory_order_relaxed))
		atomic_store_explicit(&histogram->low, bucket, memory_order_relaxed);
	if (bucket > atomic_load_explicit(&histogram->high, memory_order_relaxed))
		atomic_store_explicit(&histogram->high, bucket, memory_order_relaxed);
}

/* Empty it; only the writer, or while the writer is parked. */
void histogram_reset(struct histogram *histogram);

/* Add all of @from to @into (reading @from may race with its writer; @into is the caller's). */
void histogram_merge(struct histogram *into, const struct histogram *from);

/* @into = @now - @before, bucket by bucket (@before: an older copy of @now); max from buckets. */
void histogram_subtract(
        struct histogram *into, const struct histogram *now, const struct histogram *before);

/* Lowest and middle value of a bucket in ns. */
uint64_t histogram_bucket_low(unsigned bucket);
uint64_t histogram_bucket_middle(unsigned bucket);

/*
 * The value at or below which a share @p (0..1) of the values lies (nearest rank): the middle of
 * the bucket that holds rank ceil(p * count), at most the maximum, which the last rank is itself.
 * 0 when empty.
 */
uint64_t histogram_percentile(const struct histogram *histogram, double p);

#endif
