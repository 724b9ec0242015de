/*
 * The table of keys and the filter of escape sequences.
 */
#include <CUnit/CUnit.h>
#include <string.h>

#include "ui/keys.h"

void suite_keys(void);

#define MS UINT64_C(1000000)

/* No key means two things on one page, and each action has a letter or a plain key. */
static void test_table(void)
{
	const struct key_binding *a, *b;

	for (unsigned i = 0; (a = keys_at(i)) != NULL; i++) {
		bool has_plain = false;

		CU_ASSERT(a->name[0] != '\0' && a->help[0] != '\0');
		for (unsigned k = 0; k < KEYS_PER_ACTION; k++)
			has_plain = has_plain || (a->keys[k] > 0 && a->keys[k] < 127);
		CU_ASSERT(has_plain);
		for (unsigned j = i + 1; (b = keys_at(j)) != NULL; j++) {
			if ((a->pages & b->pages) == 0)
				continue;
			for (unsigned k = 0; k < KEYS_PER_ACTION * KEYS_PER_ACTION; k++) {
				int left = a->keys[k % KEYS_PER_ACTION];

				CU_ASSERT(left == 0 || left != b->keys[k / KEYS_PER_ACTION]);
			}
		}
	}
}

static void test_actions(void)
{
	CU_ASSERT_EQUAL(keys_action(PAGE_RACE, ' '), ACTION_PAUSE);
	CU_ASSERT_EQUAL(keys_action(PAGE_RACE, KEY_F(1)), ACTION_HELP);
	CU_ASSERT_EQUAL(keys_action(PAGE_RACE, 'k'), ACTION_UP);
	CU_ASSERT_EQUAL(keys_action(PAGE_RACE, KEY_ESCAPE), ACTION_NONE);
	CU_ASSERT_EQUAL(keys_action(PAGE_CELL, KEY_ESCAPE), ACTION_BACK);
	CU_ASSERT_EQUAL(keys_action(PAGE_RACE, 0), ACTION_NONE);
	CU_ASSERT_EQUAL(keys_action(PAGE_RACE, 0xe9), ACTION_NONE); /* AltGr */
}

static void test_escape(void)
{
	struct keys keys = { .state = KEYS_PLAIN };

	/* Alone: at once. */
	CU_ASSERT_EQUAL(keys_filter(&keys, 27, 1000 * MS), KEY_ESCAPE);
	CU_ASSERT_EQUAL(keys_filter(&keys, 'q', 1300 * MS), 'q');
	/* With a key in the same packet: Alt, nothing. */
	CU_ASSERT_EQUAL(keys_filter(&keys, 27, 2000 * MS), KEY_ESCAPE);
	CU_ASSERT_EQUAL(keys_filter(&keys, 'q', 2000 * MS), KEY_NONE);
	CU_ASSERT_EQUAL(keys_filter(&keys, 'q', 2002 * MS), 'q');
	/* An arrow in three reads. */
	CU_ASSERT_EQUAL(keys_filter(&keys, 27, 3000 * MS), KEY_ESCAPE);
	CU_ASSERT_EQUAL(keys_filter(&keys, '[', 3100 * MS), KEY_NONE);
	CU_ASSERT_EQUAL(keys_filter(&keys, 'B', 3200 * MS), KEY_DOWN);
	/* A sequence nobody knows is swallowed whole. */
	CU_ASSERT_EQUAL(keys_filter(&keys, 27, 4000 * MS), KEY_ESCAPE);
	CU_ASSERT_EQUAL(keys_filter(&keys, '[', 4001 * MS), KEY_NONE);
	CU_ASSERT_EQUAL(keys_filter(&keys, '2', 4001 * MS), KEY_NONE);
	CU_ASSERT_EQUAL(keys_filter(&keys, '~', 4001 * MS), KEY_NONE);
	CU_ASSERT_EQUAL(keys_filter(&keys, 'n', 4001 * MS), 'n');
	/* ESC [ and nothing more does not hold up the next key for long. */
	CU_ASSERT_EQUAL(keys_filter(&keys, 27, 5000 * MS), KEY_ESCAPE);
	CU_ASSERT_EQUAL(keys_filter(&keys, '[', 5001 * MS), KEY_NONE);
	CU_ASSERT_EQUAL(keys_filter(&keys, 'q', 6000 * MS), 'q');
}

void suite_keys(void)
{
	CU_pSuite suite = CU_add_suite("keys", NULL, NULL);

	CU_add_test(suite, "table", test_table);
	CU_add_test(suite, "actions", test_actions);
	CU_add_test(suite, "escape", test_escape);
}
