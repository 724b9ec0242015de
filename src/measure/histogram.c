/*
 * The parts of the histogram that are not in the operation path. See histogram.h for threads.
 */
#include "measure/histogram.h"

#include <math.h>
#include <stddef.h>

static uint32_t low_of(const struct histogram *histogram)
{
	return atomic_load_explicit(&histogram->low, memory_order_relaxed);
}

static uint32_t high_of(const struct histogram *histogram)
{
	return atomic_load_explicit(&histogram->high, memory_order_relaxed);
}

static void set_range(struct histogram *histogram, uint32_t low, uint32_t high)
{
	atomic_store_explicit(&histogram->low, low, memory_order_relaxed);
	atomic_store_explicit(&histogram->high, high, memory_order_relaxed);
}

static void store(_Atomic uint64_t *counter, uint64_t value)
{
	atomic_store_explicit(counter, value, memory_order_relaxed);
}

void histogram_reset(struct histogram *histogram)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		store(&histogram->buckets[i], 0);
	store(&histogram->count, 0);
	store(&histogram->sum_ns, 0);
	store(&histogram->max_ns, 0);
	set_range(histogram, HISTOGRAM_BUCKETS, 0);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	uint32_t low = low_of(from), high = high_of(from);
	uint64_t max = histogram_load(&from->max_ns), count = 0;

	if (low > high)
		return;
	for (uint32_t i = low; i <= high; i++) {
		uint64_t n = histogram_load(&from->buckets[i]);

		histogram_bump(&into->buckets[i], n);
		count += n;
	}
	/* Not from->count: the writer may be between the two, and ranks need the buckets' sum. */
	histogram_bump(&into->count, count);
	histogram_bump(&into->sum_ns, histogram_load(&from->sum_ns));
	if (max > histogram_load(&into->max_ns))
		store(&into->max_ns, max);
	set_range(into, low < low_of(into) ? low : low_of(into),
	        high > high_of(into) ? high : high_of(into));
}

void histogram_subtract(
        struct histogram *into, const struct histogram *now, const struct histogram *before)
{
	uint32_t low = low_of(now), high = high_of(now), top = 0, bottom = HISTOGRAM_BUCKETS;
	uint64_t count = 0, max = 0;

	histogram_reset(into);
	for (uint32_t i = low; low <= high && i <= high; i++) {
		uint64_t was = histogram_load(&before->buckets[i]);
		uint64_t is = histogram_load(&now->buckets[i]);

		if (is <= was)
			continue;
		store(&into->buckets[i], is - was);
		count += is - was;
		bottom = i < bottom ? i : bottom;
		top = i;
	}
	if (count == 0)
		return;
	max = histogram_bucket_middle(top);
	if (max > histogram_load(&now->max_ns))
		max = histogram_load(&now->max_ns);
	store(&into->count, count);
	store(&into->sum_ns, histogram_load(&now->sum_ns) - histogram_load(&before->sum_ns));
	store(&into->max_ns, max);
	set_range(into, bottom, top);
}

uint64_t histogram_bucket_low(unsigned bucket)
{
	unsigned shift;

	if (bucket < HISTOGRAM_STEPS)
		return bucket;
	shift = (bucket >> HISTOGRAM_STEP_BITS) - 1;
	return (uint64_t)(HISTOGRAM_STEPS + bucket % HISTOGRAM_STEPS) << shift;
}

uint64_t histogram_bucket_middle(unsigned bucket)
{
	unsigned shift;

	if (bucket < HISTOGRAM_STEPS)
		return bucket;
	shift = (bucket >> HISTOGRAM_STEP_BITS) - 1;
	return histogram_bucket_low(bucket) + ((UINT64_C(1) << shift) >> 1);
}

/* ceil(p * count) from 1 to count, where 0.07 * 100 = 7.000000000000001 is 7. */
static uint64_t nearest_rank(double p, uint64_t count)
{
	double exact = p * (double)count * (1 - 1e-12);

	if (!(exact > 1))
		return 1;
	return exact < (double)count && p < 1 ? (uint64_t)ceil(exact) : count;
}

uint64_t histogram_percentile(const struct histogram *histogram, double p)
{
	uint64_t count = histogram_load(&histogram->count),
	         max = histogram_load(&histogram->max_ns);
	uint64_t rank, seen = 0;

	if (count == 0)
		return 0;
	rank = nearest_rank(p, count);
	if (rank >= count)
		return max;
	for (uint32_t i = low_of(histogram); i <= high_of(histogram); i++) {
		seen += histogram_load(&histogram->buckets[i]);
		if (seen >= rank) {
			uint64_t middle = histogram_bucket_middle(i);

			return middle < max ? middle : max;
		}
	}
	return max;
}
