/*
 * The balanced orders and the groups of targets that share a device.
 */
#include <CUnit/CUnit.h>

#include <string.h>

#include "engine/schedule.h"

void suite_schedule(void);

/* Over a full square each target stands in each place, and follows each other, equally often. */
static void check_balance(unsigned n, uint64_t seed)
{
	unsigned place[16][16] = { 0 }, follows[16][16] = { 0 }, order[TARGETS_MAX];
	unsigned rounds = n % 2 == 1 ? 2 * n : n, bad = 0;

	for (unsigned round = 1; round <= rounds; round++) {
		unsigned seen = 0;

		schedule_order(seed, round, n, order);
		for (unsigned i = 0; i < n; i++) {
			seen |= 1U << order[i];
			place[order[i]][i]++;
			if (i > 0)
				follows[order[i]][order[i - 1]]++;
		}
		CU_ASSERT_EQUAL(seen, (1U << n) - 1);
	}
	for (unsigned a = 0; a < n; a++)
		for (unsigned b = 0; b < n; b++) {
			bad += place[a][b] != rounds / n;
			bad += a != b && follows[a][b] != rounds / n;
		}
	CU_ASSERT_EQUAL(bad, 0);
}

static void test_orders_are_balanced(void)
{
	for (unsigned n = 2; n <= 9; n++)
		for (uint64_t seed = 1; seed <= 3; seed++)
			check_balance(n, seed);
}

static void test_orders_repeat_and_differ(void)
{
	unsigned a[TARGETS_MAX], b[TARGETS_MAX], differs = 0;

	schedule_order(7, 3, 6, a);
	schedule_order(7, 3, 6, b);
	CU_ASSERT_EQUAL(memcmp(a, b, 6 * sizeof(a[0])), 0);
	for (uint64_t seed = 1; seed < 20; seed++) {
		schedule_order(seed, 3, 6, b);
		differs += memcmp(a, b, 6 * sizeof(a[0])) != 0;
	}
	CU_ASSERT(differs > 10);
	schedule_order(1, 5, 1, a);
	CU_ASSERT_EQUAL(a[0], 0);
}

static void put_device(struct target *target, const char *name, unsigned minor)
{
	struct target_device *device = &target->bottom[target->n_bottom++];

	strcpy(device->name, name);
	device->major = 8;
	device->minor = minor;
}

static void test_groups(void)
{
	static struct target targets[5];
	unsigned group[5];

	memset(targets, 0, sizeof(targets));
	put_device(&targets[0], "sda", 0);
	put_device(&targets[2], "sdb", 16);
	put_device(&targets[3], "sdb", 16);
	put_device(&targets[3], "sda", 0); /* joins both */
	put_device(&targets[4], "sdc", 32);
	CU_ASSERT_EQUAL(schedule_groups(targets, 5, group), 3);
	CU_ASSERT_EQUAL(group[0], group[2]);
	CU_ASSERT_EQUAL(group[0], group[3]);
	CU_ASSERT_NOT_EQUAL(group[0], group[1]);
	CU_ASSERT_NOT_EQUAL(group[1], group[4]);
	CU_ASSERT_STRING_EQUAL(schedule_shared_device(targets, 5), "sda");
	CU_ASSERT_PTR_NULL(schedule_shared_device(targets, 3));
}

void suite_schedule(void)
{
	CU_pSuite suite = CU_add_suite("schedule", NULL, NULL);

	CU_add_test(suite, "orders are balanced", test_orders_are_balanced);
	CU_add_test(suite, "orders repeat with the seed", test_orders_repeat_and_differ);
	CU_add_test(suite, "groups share devices", test_groups);
}
