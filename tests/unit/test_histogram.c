/*
 * Histogram: where values fall, how far a percentile may be off, merging and subtracting, and
 * reading while the writer writes. CUnit.
 */
#include "measure/histogram.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

void suite_histogram(void);

enum { N_VALUES = 20000 };

static struct histogram one, two, sum, difference;
static uint64_t values[2 * N_VALUES];

/* From one nanosecond to an hour, each magnitude as often as another. */
static uint64_t draw_ns(struct random *random)
{
	return random_next(random) >> (64 - HISTOGRAM_TOP_BIT + random_below(random, 42));
}

static void fill(struct histogram *histogram, uint64_t seed, uint64_t *copy)
{
	struct random random;

	random_init(&random, seed, 0);
	histogram_reset(histogram);
	for (unsigned i = 0; i < N_VALUES; i++) {
		uint64_t ns = draw_ns(&random);

		if (copy != NULL)
			copy[i] = ns;
		histogram_add(histogram, ns);
	}
}

static uint64_t count_of(const struct histogram *histogram)
{
	return histogram_load(&histogram->count);
}

static unsigned n_different_buckets(const struct histogram *a, const struct histogram *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		n += histogram_load(&a->buckets[i]) != histogram_load(&b->buckets[i]);
	return n;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void test_buckets(void)
{
	unsigned wrong = 0;

	CU_ASSERT_EQUAL(histogram_bucket(0), 0);
	CU_ASSERT_EQUAL(histogram_bucket(63), 63);
	CU_ASSERT_EQUAL(histogram_bucket(64), 64);
	CU_ASSERT_EQUAL(histogram_bucket(127), 127);
	CU_ASSERT_EQUAL(histogram_bucket(128), 128);
	CU_ASSERT_EQUAL(histogram_bucket(129), 128);
	CU_ASSERT_EQUAL(histogram_bucket(130), 129);
	CU_ASSERT_EQUAL(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	CU_ASSERT_EQUAL(
	        histogram_bucket((UINT64_C(1) << HISTOGRAM_TOP_BIT) - 1), HISTOGRAM_BUCKETS - 1);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low = histogram_bucket_low(i), middle = histogram_bucket_middle(i);
		uint64_t end = i + 1 < HISTOGRAM_BUCKETS ? histogram_bucket_low(i + 1)
		                                         : UINT64_C(1) << HISTOGRAM_TOP_BIT;

		wrong += histogram_bucket(low) != i || histogram_bucket(end - 1) != i ||
		         middle < low || middle >= end;
		wrong += i > 0 && histogram_bucket(low - 1) != i - 1;
		/* From the middle to either end: less than 1 % of the value. */
		wrong += (double)(middle - low) > 0.0079 * (double)low ||
		         (double)(end - 1 - middle) > 0.0079 * (double)(end - 1);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* A bucket begins at each power of two, and those below 64 ns hold one value each. */
static void test_powers_of_two(void)
{
	for (unsigned bit = 0; bit < HISTOGRAM_TOP_BIT; bit++) {
		uint64_t power = UINT64_C(1) << bit;

		CU_ASSERT_EQUAL(histogram_bucket_low(histogram_bucket(power)), power);
		CU_ASSERT_EQUAL(histogram_bucket(power - 1), histogram_bucket(power) - 1);
		if (bit >= HISTOGRAM_STEP_BITS)
			CU_ASSERT_EQUAL(histogram_bucket(power) % HISTOGRAM_STEPS, 0);
	}
}

static void test_empty(void)
{
	memset(&one, 0xff, sizeof(one));
	histogram_reset(&one);
	CU_ASSERT_EQUAL(count_of(&one), 0);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 0.5), 0);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 1), 0);
	CU_ASSERT(one.low > one.high);
	histogram_reset(&two);
	histogram_merge(&two, &one);
	CU_ASSERT_EQUAL(count_of(&two), 0);
	CU_ASSERT(two.low > two.high);
	histogram_subtract(&difference, &one, &two);
	CU_ASSERT_EQUAL(count_of(&difference), 0);
}

/* Memory of zeros is an empty histogram as well. */
static void test_zeroed(void)
{
	struct histogram *zeroed = calloc(1, sizeof(*zeroed));

	CU_ASSERT_PTR_NOT_NULL_FATAL(zeroed);
	CU_ASSERT_EQUAL(histogram_percentile(zeroed, 0.99), 0);
	histogram_add(zeroed, 5000);
	histogram_add(zeroed, 5000);
	CU_ASSERT_EQUAL(histogram_percentile(zeroed, 0.5), histogram_percentile(zeroed, 1));
	CU_ASSERT_EQUAL(histogram_percentile(zeroed, 1), 5000);
	free(zeroed);
}

static void test_one_value(void)
{
	static const uint64_t cases[] = { 0, 1, 63, 64, 1000, 123456789, UINT64_C(1) << 42,
		UINT64_C(1) << 50 };

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		histogram_reset(&one);
		histogram_add(&one, cases[i]);
		CU_ASSERT_EQUAL(histogram_percentile(&one, 0), cases[i]);
		CU_ASSERT_EQUAL(histogram_percentile(&one, 0.5), cases[i]);
		CU_ASSERT_EQUAL(histogram_percentile(&one, 1), cases[i]);
		CU_ASSERT_EQUAL(histogram_load(&one.sum_ns), cases[i]);
	}
}

/* Values under 64 ns, which have buckets of their own: nearest rank, as the textbooks have it. */
static void test_nearest_rank(void)
{
	histogram_reset(&one);
	for (uint64_t ns = 1; ns <= 50; ns++)
		histogram_add(&one, ns);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 0), 1);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 0.02), 1);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 0.021), 2);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 0.5), 25);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 0.501), 26);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 0.99), 50);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 1), 50);
	CU_ASSERT_EQUAL(histogram_percentile(&one, 2), 50);
	CU_ASSERT_EQUAL(histogram_percentile(&one, -1), 1);
	CU_ASSERT_EQUAL(histogram_percentile(&one, NAN), 1);
	/* Every hundredth of 100 values: 0.07 * 100 is a little over 7. */
	histogram_reset(&one);
	for (unsigned i = 0; i < 100; i++)
		histogram_add(&one, i / 2);
	for (unsigned i = 1; i <= 100; i++)
		CU_ASSERT_EQUAL(histogram_percentile(&one, i / 100.0), (i - 1) / 2);
}

static void test_error_bound(void)
{
	unsigned wrong = 0;

	for (uint64_t seed = 1; seed <= 5; seed++) {
		fill(&one, seed, values);
		qsort(values, N_VALUES, sizeof(values[0]), compare);
		for (unsigned i = 1; i <= 1000; i++) {
			double p = i / 1000.0;
			double exact = (double)values[(unsigned)(N_VALUES / 1000 * i) - 1];
			double got = (double)histogram_percentile(&one, p);

			wrong += fabs(got - exact) > 0.01 * exact;
		}
		CU_ASSERT_EQUAL(histogram_load(&one.max_ns), values[N_VALUES - 1]);
		CU_ASSERT_EQUAL(histogram_percentile(&one, 1), values[N_VALUES - 1]);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Percentiles rise, none is over the maximum, the mean is not either. */
static void test_order(void)
{
	struct random random;
	unsigned wrong = 0;

	random_init(&random, 11, 0);
	for (unsigned round = 0; round < 300; round++) {
		unsigned n = 1 + (unsigned)random_below(&random, 40);
		uint64_t last = 0, max;

		histogram_reset(&one);
		for (unsigned i = 0; i < n; i++)
			histogram_add(&one, random_next(&random) >> random_below(&random, 64));
		max = histogram_load(&one.max_ns);
		for (unsigned i = 0; i <= 1000; i++) {
			uint64_t ns = histogram_percentile(&one, i / 1000.0);

			wrong += ns < last || ns > max;
			last = ns;
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	fill(&one, 12, NULL);
	CU_ASSERT(histogram_load(&one.sum_ns) / count_of(&one) <= histogram_load(&one.max_ns));
}

static void test_merge(void)
{
	fill(&one, 1, values);
	fill(&two, 2, values + N_VALUES);
	histogram_reset(&sum);
	histogram_merge(&sum, &one);
	CU_ASSERT_EQUAL(n_different_buckets(&sum, &one), 0);
	histogram_merge(&sum, &two);
	histogram_reset(&difference);
	for (unsigned i = 0; i < 2 * N_VALUES; i++)
		histogram_add(&difference, values[i]);
	CU_ASSERT_EQUAL(n_different_buckets(&sum, &difference), 0);
	CU_ASSERT_EQUAL(count_of(&sum), UINT64_C(2) * N_VALUES);
	CU_ASSERT_EQUAL(histogram_load(&sum.sum_ns), histogram_load(&difference.sum_ns));
	CU_ASSERT_EQUAL(histogram_load(&sum.max_ns), histogram_load(&difference.max_ns));
	CU_ASSERT_EQUAL(sum.low, difference.low);
	CU_ASSERT_EQUAL(sum.high, difference.high);
}

static void test_subtract(void)
{
	uint64_t max = 0;

	fill(&one, 3, NULL); /* before */
	fill(&two, 4, values);
	histogram_reset(&sum); /* now */
	histogram_merge(&sum, &one);
	histogram_merge(&sum, &two);
	histogram_subtract(&difference, &sum, &one);
	CU_ASSERT_EQUAL(n_different_buckets(&difference, &two), 0);
	CU_ASSERT_EQUAL(count_of(&difference), N_VALUES);
	CU_ASSERT_EQUAL(histogram_load(&difference.sum_ns), histogram_load(&two.sum_ns));
	CU_ASSERT_EQUAL(difference.low, two.low);
	CU_ASSERT_EQUAL(difference.high, two.high);
	/* The maximum of an interval is known to its bucket, and never over that of the whole. */
	for (unsigned i = 0; i < N_VALUES; i++)
		max = values[i] > max ? values[i] : max;
	CU_ASSERT(fabs((double)histogram_load(&difference.max_ns) - (double)max) <
	          0.01 * (double)max);
	CU_ASSERT(histogram_load(&difference.max_ns) <= histogram_load(&sum.max_ns));
	CU_ASSERT(histogram_percentile(&difference, 1) <= histogram_load(&difference.max_ns));
	histogram_subtract(&difference, &sum, &sum);
	CU_ASSERT_EQUAL(count_of(&difference), 0);
	CU_ASSERT_EQUAL(histogram_load(&difference.max_ns), 0);
	CU_ASSERT_EQUAL(histogram_percentile(&difference, 0.5), 0);
}

/* An interval whose largest value is small, after a large one: it is not inherited. */
static void test_subtract_forgets_maximum(void)
{
	histogram_reset(&one);
	histogram_add(&one, 5000000);
	histogram_reset(&sum);
	histogram_merge(&sum, &one);
	histogram_add(&sum, 50);
	histogram_subtract(&difference, &sum, &one);
	CU_ASSERT_EQUAL(count_of(&difference), 1);
	CU_ASSERT_EQUAL(histogram_load(&difference.max_ns), 50);
	CU_ASSERT_EQUAL(histogram_load(&difference.sum_ns), 50);
}

static void *write_values(void *stop)
{
	struct random random;

	random_init(&random, 5, 0);
	while (!atomic_load((atomic_bool *)stop))
		histogram_add(&one, draw_ns(&random));
	return NULL;
}

/* Copies made while the writer writes: the count is what is in the buckets, no rank is beyond. */
static void test_concurrent_read(void)
{
	atomic_bool stop = false;
	unsigned wrong = 0;
	pthread_t thread;

	histogram_reset(&one);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, write_values, &stop), 0);
	while (count_of(&one) < 1000)
		sched_yield();
	for (unsigned round = 0; round < 3000; round++) {
		uint64_t count = 0;

		histogram_reset(&two);
		histogram_merge(&two, &one);
		for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
			count += histogram_load(&two.buckets[i]);
		wrong += count != count_of(&two);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(count_of(&one) >= count_of(&two));
}

void suite_histogram(void)
{
	CU_pSuite suite = CU_add_suite("histogram", NULL, NULL);

	CU_add_test(suite, "buckets", test_buckets);
	CU_add_test(suite, "powers of two", test_powers_of_two);
	CU_add_test(suite, "empty", test_empty);
	CU_add_test(suite, "zeroed", test_zeroed);
	CU_add_test(suite, "one value", test_one_value);
	CU_add_test(suite, "nearest rank", test_nearest_rank);
	CU_add_test(suite, "error under 1 %", test_error_bound);
	CU_add_test(suite, "percentiles rise to the maximum", test_order);
	CU_add_test(suite, "merge", test_merge);
	CU_add_test(suite, "subtract", test_subtract);
	CU_add_test(suite, "subtract forgets the maximum", test_subtract_forgets_maximum);
	CU_add_test(suite, "read while written", test_concurrent_read);
}
