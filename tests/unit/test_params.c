/*
 * Parameter tables: defaults, what is taken and refused and how that is said, printing, ranges,
 * and that every value that is printed is read back the same. CUnit, one thread.
 */
#include "core/params.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "core/text.h"
#include "core/units.h"

void suite_params(void);

enum { COUNT, SIZE, TIME, SHARE, INTEGER, CHOICE, TEXT, COUNTS, SIZES, RATE, FREE, N_TABLE };

static const struct param table[N_TABLE] = {
	[COUNT] = { "files", PARAM_COUNT, PARAM_NOW, "16k", 1, 1e6, NULL, NULL, "files", "" },
	[SIZE] = { "chunk", PARAM_SIZE, PARAM_NEXT_PHASE, "64k", 512, 1 << 20, "auto", NULL,
	        "bytes", "" },
	[TIME] = { "think", PARAM_TIME, PARAM_NOW, "1ms", 0, 3.6e12, "none", NULL, "", "" },
	[SHARE] = { "write", PARAM_SHARE, PARAM_NOW, "25%", 0.01, 1, "off", NULL, "", "" },
	[INTEGER] = { "nice", PARAM_INTEGER, PARAM_NOW, "-5", -20, 19, NULL, NULL, "", "" },
	[CHOICE] = { "content", PARAM_CHOICE, PARAM_NEXT_RUN, "random", 0, 0, NULL, "random|a|zero",
	        "", "" },
	[TEXT] = { "source", PARAM_TEXT, PARAM_NEXT_RUN, "", 0, 0, NULL, NULL, "", "" },
	[COUNTS] = { "base_size", PARAM_COUNT_LIST, PARAM_NEXT_RUN, "100,1000,10000,100000", 1, 1e6,
	        NULL, NULL, "bytes", "" },
	[SIZES] = { "sizes", PARAM_SIZE_LIST, PARAM_NEXT_RUN, "1M,10M", 1, 1e15, NULL, NULL,
	        "bytes", "" },
	[RATE] = { "rate", PARAM_COUNT, PARAM_NOW, "none", 0, 1e9, "none", NULL, "files/s", "" },
	[FREE] = { "seed", PARAM_COUNT, PARAM_NOW, "1", 1, 1e18, NULL, NULL, "", "" },
};

static void prints(const struct params *params, unsigned index, const char *text)
{
	char out[PARAM_TEXT_MAX];

	CU_ASSERT_STRING_EQUAL(params_print(params, index, out, sizeof(out)), text);
}

static void test_defaults(void)
{
	struct params params;

	params_init(&params, table, N_TABLE);
	CU_ASSERT_EQUAL(params.n, N_TABLE);
	CU_ASSERT_EQUAL(params_number(&params, COUNT), 16000);
	CU_ASSERT_EQUAL(params_number(&params, SIZE), 65536);
	CU_ASSERT_EQUAL(params_number(&params, TIME), 1000000);
	CU_ASSERT_EQUAL(params.values[SHARE].share, 0.25);
	CU_ASSERT_EQUAL(params.values[INTEGER].integer, -5);
	CU_ASSERT_EQUAL(params_number(&params, CHOICE), 0);
	CU_ASSERT_STRING_EQUAL(params.values[TEXT].text, "");
	CU_ASSERT_EQUAL(params.values[COUNTS].list.n, 4);
	CU_ASSERT_EQUAL(params.values[COUNTS].list.items[3], 100000);
	CU_ASSERT_EQUAL(params_number(&params, RATE), 0);
	for (unsigned i = 0; i < N_TABLE; i++)
		CU_ASSERT_FALSE(params.values[i].is_set);
	CU_ASSERT_EQUAL(params_find(table, N_TABLE, "think"), TIME);
	CU_ASSERT_EQUAL(params_find(table, N_TABLE, "thin"), -1);
	CU_ASSERT_EQUAL(params_find(table, 0, "think"), -1);
}

static void sets(struct params *params, unsigned index, const char *text, const char *printed)
{
	CU_ASSERT_EQUAL(params_set(params, table[index].name, text, NULL), 0);
	CU_ASSERT(params->values[index].is_set);
	prints(params, index, printed);
}

static void test_set_and_print(void)
{
	struct params params;

	params_init(&params, table, N_TABLE);
	sets(&params, COUNT, "20k", "20000");
	sets(&params, SIZE, "1.5k", "1536");
	sets(&params, SIZE, "1M", "1M");
	sets(&params, SIZE, "auto", "auto");
	CU_ASSERT_EQUAL(params_number(&params, SIZE), 0);
	sets(&params, SIZE, "0", "auto");
	sets(&params, TIME, "200ms", "200ms");
	sets(&params, TIME, "0", "none");
	sets(&params, SHARE, "12.5%", "12.5%");
	sets(&params, SHARE, "off", "off");
	CU_ASSERT_EQUAL(params.values[SHARE].share, 0);
	sets(&params, INTEGER, "-20", "-20");
	sets(&params, INTEGER, "0", "0");
	sets(&params, CHOICE, "zero", "zero");
	CU_ASSERT_EQUAL(params_number(&params, CHOICE), 2);
	sets(&params, CHOICE, "a", "a");
	sets(&params, TEXT, "/usr/src, and 'more'", "/usr/src, and 'more'");
	sets(&params, COUNTS, "1000", "1000");
	CU_ASSERT_EQUAL(params.values[COUNTS].list.n, 1);
	sets(&params, COUNTS, "1k,100", "1000,100");
	sets(&params, SIZES, "500M,1G,1", "500M,1G,1");
	sets(&params, COUNTS, "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
	        "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16");
	sets(&params, FREE, "999999999999999999", "999999999999999999");
}

static bool is_same(const struct params *a, const struct params *b)
{
	bool same = true;

	for (unsigned i = 0; i < N_TABLE; i++)
		same &= params_equal(a, b, i) && a->values[i].is_set == b->values[i].is_set;
	return same;
}

/* Nothing changes and the message is this. */
static void refuses(unsigned index, const char *text, const char *message)
{
	struct params params, before;
	struct error err = { 0 };

	params_init(&params, table, N_TABLE);
	before = params;
	CU_ASSERT(params_set(&params, table[index].name, text, &err) < 0);
	CU_ASSERT(err.code < 0);
	CU_ASSERT(is_same(&params, &before));
	CU_ASSERT_STRING_EQUAL(err.text, message);
	CU_ASSERT(params_set(&params, table[index].name, text, NULL) < 0);
}

static void test_messages(void)
{
	refuses(COUNTS, "4kb",
	        "base_size: '4kb' is no count: digits, then k or M (1000), like 20k; 1 to "
	        "1,000,000 "
	        "bytes");
	refuses(COUNTS, "0", "base_size: '0' is too small; 1 to 1,000,000 bytes");
	refuses(COUNTS, "100,2M", "base_size: '2M' is too large; 1 to 1,000,000 bytes");
	refuses(COUNTS, "", "base_size: '' has an empty item; 1 to 1,000,000 bytes");
	refuses(COUNTS, "100,,1000",
	        "base_size: '100,,1000' has an empty item; 1 to 1,000,000 bytes");
	refuses(COUNTS, "100,", "base_size: '100,' has an empty item; 1 to 1,000,000 bytes");
	refuses(COUNTS, ",100", "base_size: ',100' has an empty item; 1 to 1,000,000 bytes");
	refuses(COUNTS, "1000,1k", "base_size: '1000,1k' has 1k twice; 1 to 1,000,000 bytes");
	refuses(COUNTS, "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
	        "base_size: '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17' has over 16 items; 1 to "
	        "1,000,000 bytes");
	refuses(COUNTS, "1, 2",
	        "base_size: ' 2' is no count: digits, then k or M (1000), like 20k; 1 to 1,000,000 "
	        "bytes");
	refuses(COUNT, "0", "files: '0' is too small; 1 to 1,000,000 files");
	refuses(COUNT, "1M-2M",
	        "files: '1M-2M' is no count: digits, then k or M (1000), like 20k; 1 to 1,000,000 "
	        "files");
	refuses(SIZE, "511", "chunk: '511' is too small; 512 to 1M bytes or auto");
	refuses(SIZE, "AUTO",
	        "chunk: 'AUTO' is no size: digits, then k, M, G or T (1024), like 64k; 512 to 1M "
	        "bytes or auto");
	refuses(TIME, "2h", "think: '2h' is too large; 0 to 1h or none");
	refuses(SHARE, "0.5%", "write: '0.5%' is too small; 1% to 100% or off");
	refuses(INTEGER, "-21", "nice: '-21' is too small; -20 to 19");
	refuses(INTEGER, "+1",
	        "nice: '+1' is no whole number: digits, with - in front where it is negative, like "
	        "-5; -20 to 19");
	refuses(CHOICE, "rand", "content: 'rand' is none of its values; random, a or zero");
	refuses(CHOICE, "", "content: '' is none of its values; random, a or zero");
	refuses(CHOICE, "random|a", "content: 'random|a' is none of its values; random, a or zero");
	refuses(FREE, "0", "seed: '0' is too small; 1 or more");
}

static void test_bad_names_and_texts(void)
{
	static const char *const bad[] = { "", " 1", "1 ", "+1", "1e9", "4kb", "12q", "1M-2M",
		"0x10", "nan", "99999999999999999999999", "-99999999999999999999999", "1,," };
	struct params params, before;
	struct error err;
	char longer[PARAM_TEXT_MAX + 1];

	params_init(&params, table, N_TABLE);
	before = params;
	CU_ASSERT_EQUAL(params_set(&params, "base_sise", "1", &err), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "base_sise"));
	for (unsigned i = 0; i < N_TABLE; i++)
		for (unsigned k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
			if (i != TEXT)
				CU_ASSERT(params_set(&params, table[i].name, bad[k], &err) < 0);
	memset(longer, 'x', sizeof(longer));
	longer[PARAM_TEXT_MAX] = '\0';
	CU_ASSERT(params_set(&params, "source", longer, &err) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "is too long; text of at most 255 bytes"));
	CU_ASSERT(is_same(&params, &before));
	longer[PARAM_TEXT_MAX - 1] = '\0';
	CU_ASSERT_EQUAL(params_set(&params, "source", longer, &err), 0);
	prints(&params, TEXT, longer);
}

static void ranges(unsigned index, const char *text)
{
	char out[80];

	CU_ASSERT_STRING_EQUAL(param_range(&table[index], out, sizeof(out)), text);
	CU_ASSERT_STRING_EQUAL(param_range(&table[index], out, 1), "");
}

static void test_ranges(void)
{
	ranges(COUNT, "1 to 1,000,000 files");
	ranges(SIZE, "512 to 1M bytes");
	ranges(TIME, "0 to 1h");
	ranges(SHARE, "1% to 100%");
	ranges(INTEGER, "-20 to 19");
	ranges(CHOICE, "random, a or zero");
	ranges(TEXT, "text of at most 255 bytes");
	ranges(SIZES, "1 to 1,000,000,000,000,000 bytes");
	ranges(FREE, "1 or more");
}

static void test_equal(void)
{
	struct params one, two;
	static const char *const other[N_TABLE] = { "17k", "auto", "2ms", "26%", "5", "a", "x",
		"100,1000,10000", "1M,11M", "1", "2" };

	params_init(&one, table, N_TABLE);
	for (unsigned i = 0; i < N_TABLE; i++) {
		params_init(&two, table, N_TABLE);
		CU_ASSERT_EQUAL(params_set(&two, table[i].name, table[i].initial, NULL), 0);
		CU_ASSERT(params_equal(&one, &two, i)); /* is_set is no part of the value */
		CU_ASSERT_EQUAL(params_set(&two, table[i].name, other[i], NULL), 0);
		CU_ASSERT_FALSE(params_equal(&one, &two, i));
		CU_ASSERT(params_equal(&one, &two, (i + 1) % N_TABLE));
	}
}

/* A number of any magnitude within the range of @param, sometimes what its word stands for. */
static uint64_t draw_number(struct random *random, const struct param *param)
{
	uint64_t low = (uint64_t)param->min, span = (uint64_t)param->max - low + 1;

	if (param->zero_word != NULL && random_below(random, 8) == 0)
		return 0;
	if (random_below(random, 2) == 0)
		return low + random_below(random, span);
	return low +
	       random_below(random, 1 + (span - 1) / (UINT64_C(1) << random_below(random, 40)));
}

static void draw_list(struct random *random, const struct param *param, struct param_value *value)
{
	/* Twelve items of any size fit PARAM_TEXT_MAX. */
	unsigned n = 1 + (unsigned)random_below(random, 12);

	value->list.n = 0;
	while (value->list.n < n) {
		uint64_t number = draw_number(random, param);
		bool is_new = true;

		for (unsigned i = 0; i < value->list.n; i++)
			is_new &= value->list.items[i] != number;
		if (is_new)
			value->list.items[value->list.n++] = number;
		else
			n--;
	}
}

static void draw_text(struct random *random, char *out)
{
	unsigned n = (unsigned)random_below(random, PARAM_TEXT_MAX);

	for (unsigned i = 0; i < n; i++)
		out[i] = (char)(1 + random_below(random, 255));
	out[n] = '\0';
}

static void draw(struct random *random, const struct param *param, struct param_value *value)
{
	memset(value, 0, sizeof(*value));
	switch (param->type) {
	case PARAM_COUNT:
	case PARAM_SIZE:
	case PARAM_TIME:
		value->number = draw_number(random, param);
		break;
	case PARAM_SHARE:
		value->share = param->min + random_unit(random) * (param->max - param->min);
		break;
	case PARAM_INTEGER:
		value->integer = (int64_t)param->min + (int64_t)random_below(random, 40);
		break;
	case PARAM_CHOICE:
		value->number = random_below(random, 3);
		break;
	case PARAM_TEXT:
		draw_text(random, value->text);
		break;
	case PARAM_COUNT_LIST:
	case PARAM_SIZE_LIST:
		draw_list(random, param, value);
		break;
	}
}

static void test_round_trip(void)
{
	struct params one, two;
	struct random random;
	unsigned wrong = 0;

	params_init(&one, table, N_TABLE);
	params_init(&two, table, N_TABLE);
	random_init(&random, 10, 0);
	for (unsigned i = 0; i < 30000; i++) {
		unsigned index = i % N_TABLE;
		char out[PARAM_TEXT_MAX];

		draw(&random, &table[index], &one.values[index]);
		params_print(&one, index, out, sizeof(out));
		wrong += params_set(&two, table[index].name, out, NULL) != 0 ||
		         !params_equal(&one, &two, index);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Whatever the room, a value is cut and never written past it. */
static void test_print_cuts(void)
{
	struct params params;
	unsigned wrong = 0;

	params_init(&params, table, N_TABLE);
	for (unsigned i = 0; i < N_TABLE; i++) {
		char whole[PARAM_TEXT_MAX];

		params_print(&params, i, whole, sizeof(whole));
		for (size_t size = 1; size < 30; size++) {
			char out[32];

			memset(out, 'Z', sizeof(out));
			params_print(&params, i, out, size);
			wrong += out[size] != 'Z' || strlen(out) >= size ||
			         strncmp(out, whole, strlen(out)) != 0;
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void test_names(void)
{
	for (int i = PARAM_COUNT; i <= PARAM_SIZE_LIST; i++)
		CU_ASSERT(strlen(param_type_name((enum param_type)i)) > 0);
	CU_ASSERT_STRING_EQUAL(param_effect_name(PARAM_NOW), "now");
	CU_ASSERT_STRING_EQUAL(param_effect_name(PARAM_NEXT_PHASE), "next phase");
	CU_ASSERT_STRING_EQUAL(param_effect_name(PARAM_NEXT_RUN), "next run");
}

void suite_params(void)
{
	CU_pSuite suite = CU_add_suite("params", NULL, NULL);

	CU_add_test(suite, "defaults", test_defaults);
	CU_add_test(suite, "set and print", test_set_and_print);
	CU_add_test(suite, "messages", test_messages);
	CU_add_test(suite, "bad names and texts", test_bad_names_and_texts);
	CU_add_test(suite, "ranges", test_ranges);
	CU_add_test(suite, "equal", test_equal);
	CU_add_test(suite, "what is printed is read back", test_round_trip);
	CU_add_test(suite, "printing cuts", test_print_cuts);
	CU_add_test(suite, "names", test_names);
}
