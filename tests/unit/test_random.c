/*
 * The generators against published values, against the rules written down a second time, and
 * against the C library's rand(). CUnit, one thread.
 */
#include "core/random.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void suite_random(void);

/* splitmix64 (Vigna, public domain), to seed with and to compare. */
static uint64_t mix(uint64_t *x)
{
	uint64_t z;

	*x += 0x9e3779b97f4a7c15ULL;
	z = *x;
	z ^= z >> 30;
	z *= 0xbf58476d1ce4e5b9ULL;
	z ^= z >> 27;
	z *= 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static void test_published_splitmix(void)
{
	static const uint64_t published[] = { UINT64_C(6457827717110365317),
		UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431), UINT64_C(16408922859458223821) };
	uint64_t x = 1234567;

	for (unsigned i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(mix(&x), published[i]);
}

/* xoshiro256** from the state 1, 2, 3, 4: the first values of the published C code. */
static void test_published_xoshiro(void)
{
	static const uint64_t published[] = { UINT64_C(11520), 0, UINT64_C(1509978240),
		UINT64_C(1215971899390074240), UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600), UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832), UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576) };
	struct random random = { { 1, 2, 3, 4 } };

	for (unsigned i = 0; i < 10; i++)
		CU_ASSERT_EQUAL(random_next(&random), published[i]);
}

/* Published runs depend on these never changing: data and draws come from them. */
static void test_seeding(void)
{
	static const uint64_t pairs[][2] = { { 1, 0 }, { 1, 1 }, { 0, 0 }, { UINT64_MAX, 7 } };

	for (unsigned i = 0; i < 4; i++) {
		uint64_t seed = pairs[i][0], stream = pairs[i][1], x;
		struct random random;

		seed = mix(&seed);
		stream = mix(&stream);
		x = seed ^ (stream << 32 | stream >> 32);
		random_init(&random, pairs[i][0], pairs[i][1]);
		for (unsigned k = 0; k < 4; k++)
			CU_ASSERT_EQUAL(random.state[k], mix(&x));
	}
}

/* No two streams begin alike, nor do (a, b) and (b, a). */
static void test_streams(void)
{
	enum { SIDE = 40 };
	static uint64_t first[SIDE * SIDE];
	unsigned same = 0;

	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		struct random random;

		random_init(&random, i / SIDE, i % SIDE);
		first[i] = random_next(&random);
		for (unsigned k = 0; k < i; k++)
			same += first[k] == first[i];
	}
	CU_ASSERT_EQUAL(same, 0);
}

static void test_below(void)
{
	static const uint64_t limits[] = { 1, 2, 3, 7, 1000, UINT64_C(1) << 32, UINT64_C(3) << 62,
		UINT64_MAX };
	struct random random;
	unsigned over = 0;

	random_init(&random, 5, 0);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < 10000; k++)
			over += random_below(&random, limits[i]) >= limits[i];
	CU_ASSERT_EQUAL(over, 0);
}

/*
 * With a limit of 3 * 2^62 a plain modulo would give the lowest third twice as often as the others,
 * and a product without rejection every third value.
 */
static void test_below_is_even(void)
{
	enum { DRAWS = 60000, CELLS = 6 };
	const uint64_t limit = UINT64_C(3) << 62;
	unsigned large[CELLS] = { 0 }, small[CELLS] = { 0 }, rest[3] = { 0 };
	struct random random;

	random_init(&random, 6, 0);
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t value = random_below(&random, limit);

		large[value / (limit / CELLS)]++;
		rest[value % 3]++;
		small[random_below(&random, CELLS)]++;
	}
	for (unsigned i = 0; i < CELLS; i++) {
		/* 10,000 expected, standard deviation 91 */
		CU_ASSERT(large[i] > 9500 && large[i] < 10500);
		CU_ASSERT(small[i] > 9500 && small[i] < 10500);
	}
	for (unsigned i = 0; i < 3; i++)
		CU_ASSERT(rest[i] > 19000 && rest[i] < 21000);
}

static void test_unit(void)
{
	struct random random;
	double sum = 0;

	random_init(&random, 7, 0);
	for (unsigned i = 0; i < 100000; i++) {
		double unit = random_unit(&random);

		if (!(unit >= 0 && unit < 1))
			CU_FAIL("outside [0, 1)");
		sum += unit;
	}
	CU_ASSERT(fabs(sum / 100000 - 0.5) < 0.005); /* standard deviation 0.0009 */
}

static void test_fill(void)
{
	unsigned char whole[64], part[64];
	struct random one, two;

	random_init(&one, 8, 1);
	random_init(&two, 8, 1);
	random_fill(&one, whole, sizeof(whole));
	for (unsigned i = 0; i < sizeof(whole); i += 8) {
		uint64_t word = random_next(&two);

		for (unsigned k = 0; k < 8; k++)
			CU_ASSERT_EQUAL(whole[i + k], (unsigned char)(word >> (8 * k)));
	}
	for (unsigned size = 0; size < sizeof(part); size++) {
		random_init(&one, 8, 1);
		memset(part, 0xee, sizeof(part));
		random_fill(&one, part, size);
		CU_ASSERT_EQUAL(memcmp(part, whole, size), 0);
		CU_ASSERT_EQUAL(part[size], 0xee);
	}
}

/* Bytes that do not compress: each value about as often (chi square, 255 degrees of freedom). */
static void test_fill_is_even(void)
{
	enum { SIZE = 1 << 20 };
	static unsigned char data[SIZE];
	unsigned counts[256] = { 0 };
	struct random random;
	double chi = 0;

	random_init(&random, 9, 0);
	random_fill(&random, data, SIZE);
	for (unsigned i = 0; i < SIZE; i++)
		counts[data[i]]++;
	for (unsigned i = 0; i < 256; i++)
		chi += pow(counts[i] - SIZE / 256.0, 2) / (SIZE / 256.0);
	CU_ASSERT(chi > 170 && chi < 360); /* 255, standard deviation 22.6 */
}

static void test_glibc_published(void)
{
	static const uint32_t published[] = { 1804289383, 846930886, 1681692777, 1714636915,
		1957747793 };
	struct glibc_random random;

	glibc_random_init(&random, 1);
	for (unsigned i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(glibc_random_next(&random), published[i]);
	glibc_random_init(&random, 0);
	CU_ASSERT_EQUAL(glibc_random_next(&random), published[0]);
}

/* The rule of the published tables as it is written down: the whole sequence in one array. */
static void test_glibc_rule(void)
{
	enum { DROPPED = 310, DRAWS = 200 };
	uint32_t r[34 + DROPPED + DRAWS];
	struct glibc_random random;

	r[0] = 20011;
	for (unsigned i = 1; i < 31; i++)
		r[i] = (uint32_t)(UINT64_C(16807) * r[i - 1] % 2147483647);
	for (unsigned i = 31; i < 34; i++)
		r[i] = r[i - 31];
	for (unsigned i = 34; i < 34 + DROPPED + DRAWS; i++)
		r[i] = r[i - 3] + r[i - 31];
	glibc_random_init(&random, 20011);
	for (unsigned i = 0; i < DRAWS; i++)
		CU_ASSERT_EQUAL(glibc_random_next(&random), r[34 + DROPPED + i] >> 1);
}

#ifdef __GLIBC__
static void test_glibc_rand(void)
{
	static const uint32_t seeds[] = { 0, 1, 2, 42, 20011, 123456789, 2147483646, 2147483647,
		2147483648, 2147483649, 4000000000, UINT32_MAX };
	unsigned different = 0;

	for (unsigned i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		struct glibc_random random;

		srand(seeds[i]);
		glibc_random_init(&random, seeds[i]);
		for (unsigned k = 0; k < 5000; k++)
			different += glibc_random_next(&random) != (uint32_t)rand();
	}
	CU_ASSERT_EQUAL(different, 0);
}
#endif

void suite_random(void)
{
	CU_pSuite suite = CU_add_suite("random", NULL, NULL);

	CU_add_test(suite, "published splitmix64", test_published_splitmix);
	CU_add_test(suite, "published xoshiro256**", test_published_xoshiro);
	CU_add_test(suite, "seeding", test_seeding);
	CU_add_test(suite, "streams", test_streams);
	CU_add_test(suite, "below a limit", test_below);
	CU_add_test(suite, "below a limit, evenly", test_below_is_even);
	CU_add_test(suite, "unit", test_unit);
	CU_add_test(suite, "fill", test_fill);
	CU_add_test(suite, "fill, evenly", test_fill_is_even);
	CU_add_test(suite, "glibc, published", test_glibc_published);
	CU_add_test(suite, "glibc, the rule", test_glibc_rule);
#ifdef __GLIBC__
	CU_add_test(suite, "glibc, its rand()", test_glibc_rand);
#endif
}
