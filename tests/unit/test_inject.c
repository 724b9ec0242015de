/*
 * The rules of injected faults: which calls they hit, how often, and what they do.
 */
#include "engine/inject.h"

#include <CUnit/CUnit.h>
#include <errno.h>

#include "measure/clock.h"

void suite_inject(void);

static void test_no_rule(void)
{
	struct inject inject;
	size_t length = 100;

	inject_init(&inject);
	CU_ASSERT_EQUAL(inject_apply(&inject, 0, OP_WRITE, &length), 0);
	CU_ASSERT_EQUAL(length, 100);
	inject_release(&inject);
}

static void test_skip_and_times(void)
{
	struct inject inject;

	inject_init(&inject);
	inject.rules[0] = (struct inject_rule){
		.kind = OP_FSYNC, .target = 1, .skip = 2, .times = 2, .code = -EIO
	};
	inject.n = 1;
	for (int i = 0; i < 6; i++) {
		CU_ASSERT_EQUAL(inject_apply(&inject, 0, OP_FSYNC, NULL), 0);
		CU_ASSERT_EQUAL(inject_apply(&inject, 1, OP_WRITE, NULL), 0);
		CU_ASSERT_EQUAL(
		        inject_apply(&inject, 1, OP_FSYNC, NULL), i == 2 || i == 3 ? -EIO : 0);
	}
	CU_ASSERT_EQUAL(inject.rules[0].seen, 6);
	CU_ASSERT_EQUAL(inject.rules[0].done, 2);
	inject_release(&inject);
}

static void test_any_without_end(void)
{
	struct inject inject;

	inject_init(&inject);
	inject.rules[0] =
	        (struct inject_rule){ .kind = INJECT_ANY, .target = INJECT_ANY, .code = -ENOSPC };
	inject.n = 1;
	for (int i = 0; i < 50; i++)
		CU_ASSERT_EQUAL(
		        inject_apply(&inject, i, (enum op_kind)(i % OP_KINDS), NULL), -ENOSPC);
	inject_release(&inject);
}

static void test_length(void)
{
	struct inject inject;
	size_t length = 4096, small = 7;

	inject_init(&inject);
	inject.rules[0] =
	        (struct inject_rule){ .kind = OP_WRITE, .target = INJECT_ANY, .length = 10 };
	inject.n = 1;
	CU_ASSERT_EQUAL(inject_apply(&inject, 0, OP_WRITE, &length), 0);
	CU_ASSERT_EQUAL(length, 10);
	CU_ASSERT_EQUAL(inject_apply(&inject, 0, OP_WRITE, &small), 0);
	CU_ASSERT_EQUAL(small, 7);
	CU_ASSERT_EQUAL(inject_apply(&inject, 0, OP_WRITE, NULL), 0);
	inject_release(&inject);
}

static void test_delay(void)
{
	struct inject inject;
	uint64_t begin;

	inject_init(&inject);
	inject.rules[0] = (struct inject_rule){
		.kind = OP_READ, .target = INJECT_ANY, .times = 1, .delay_ns = 20 * 1000 * 1000
	};
	inject.rules[1] = (struct inject_rule){
		.kind = OP_READ, .target = INJECT_ANY, .times = 1, .code = -EINTR
	};
	inject.n = 2;
	begin = clock_now_ns();
	CU_ASSERT_EQUAL(inject_apply(&inject, 0, OP_READ, NULL), -EINTR);
	CU_ASSERT(clock_now_ns() - begin >= 20 * 1000 * 1000);
	CU_ASSERT_EQUAL(inject_apply(&inject, 0, OP_READ, NULL), 0);
	inject_release(&inject);
}

void suite_inject(void)
{
	CU_pSuite suite = CU_add_suite("inject", NULL, NULL);

	CU_add_test(suite, "no rule, no effect", test_no_rule);
	CU_add_test(suite, "skip, times, kind and target", test_skip_and_times);
	CU_add_test(suite, "any call without end", test_any_without_end);
	CU_add_test(suite, "shorter lengths", test_length);
	CU_add_test(suite, "delays and codes add up", test_delay);
}
