/*
 * Readers and printers of sizes, times, shares and counts: what is taken, what is refused and how
 * that is said, and that what a printer writes its reader takes back. CUnit, one thread.
 */
#include "core/units.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/random.h"

void suite_units(void);

enum { N_RANDOM = 20000 };

typedef int (*reader)(const char *text, uint64_t *value, struct error *err);

struct good {
	const char *text;
	uint64_t value;
};

static const struct good good_sizes[] = {
	{ "0", 0 },
	{ "1", 1 },
	{ "007", 7 },
	{ "1k", 1024 },
	{ "1K", 1024 },
	{ "64k", 65536 },
	{ "1.5G", UINT64_C(1610612736) },
	{ "1.0", 1 },
	{ "0.5k", 512 },
	{ "0.0009765625k", 1 },
	{ "2T", UINT64_C(2199023255552) },
	{ "9223372036854775807", INT64_MAX },
	{ "8388607T", UINT64_C(8388607) << 40 },
};
static const struct good good_times[] = {
	{ "0", 0 },
	{ "0s", 0 },
	{ "1ns", 1 },
	{ "1us", 1000 },
	{ "200ms", 200000000 },
	{ "1.5s", 1500000000 },
	{ "0.000000001s", 1 },
	{ "2min", UINT64_C(120000000000) },
	{ "1h", UINT64_C(3600000000000) },
	{ "0.1h", UINT64_C(360000000000) },
};
static const struct good good_counts[] = {
	{ "0", 0 },
	{ "20k", 20000 },
	{ "20K", 20000 },
	{ "1.5M", 1500000 },
	{ "0.001k", 1 },
	{ "1000000", 1000000 },
	{ "9223372036854775807", INT64_MAX },
};

/* What no reader takes, whatever it reads. */
static const char *const bad_texts[] = { "", " ", " 1", "1 ", "+1", "1e9", "4kb", "12q", "1M-2M",
	"0x10", "nan", "inf", ".5", "5.", ".", "1.2.3", "1,5", "1,000", "1_000", "--1", "1k ", "k",
	"%", "ns", "1 k", "1kk", "1kM", "\t1", "1\n", "٣" };
static const char *const bad_sizes[] = { "-5", "-0", "1g", "1m", "1t", "1KiB", "1B", "1P", "0.5",
	"1.3k", "1.0000000000000000001k", "9223372036854775808", "8388608T", "18446744073709551616",
	"99999999999999999999999999999999", "0.1T", "1s", "1%" };
static const char *const bad_times[] = { "-5s", "5", "0.0", "1S", "1m", "1sec", "1d", "0.5ns",
	"2562048h", "99999999999999999999s", "1%", "1k" };
static const char *const bad_counts[] = { "-5", "1m", "1G", "0.5", "1.2345k", "9223372036854775808",
	"9223372036854776k", "9223372036855M", "1s", "1%" };

static void takes(reader read, const struct good *good, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t value = 77;

		CU_ASSERT_EQUAL(read(good[i].text, &value, NULL), 0);
		CU_ASSERT_EQUAL(value, good[i].value);
	}
}

/* The old value stays, and the message quotes the text. */
static void refuses_one(reader read, const char *text)
{
	struct error err = { 0 };
	uint64_t value = 77;
	int code = read(text, &value, &err);

	CU_ASSERT(code < 0);
	CU_ASSERT_EQUAL(code, err.code);
	CU_ASSERT_EQUAL(value, 77);
	CU_ASSERT_EQUAL(err.text[0], '\'');
	CU_ASSERT(text[0] < ' ' || strncmp(err.text + 1, text, strcspn(text, "\n")) == 0);
	CU_ASSERT_EQUAL(read(text, &value, NULL), code);
}

static void refuses(reader read, const char *const *texts, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		refuses_one(read, texts[i]);
	for (unsigned i = 0; i < sizeof(bad_texts) / sizeof(bad_texts[0]); i++)
		refuses_one(read, bad_texts[i]);
}

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void test_sizes(void)
{
	takes(units_parse_size, good_sizes, N(good_sizes));
	refuses(units_parse_size, bad_sizes, N(bad_sizes));
}

static void test_times(void)
{
	takes(units_parse_time, good_times, N(good_times));
	refuses(units_parse_time, bad_times, N(bad_times));
}

static void test_counts(void)
{
	takes(units_parse_count, good_counts, N(good_counts));
	refuses(units_parse_count, bad_counts, N(bad_counts));
}

/* The readers of other types in the same shape. */
static int read_integer(const char *text, uint64_t *value, struct error *err)
{
	int64_t number = 77;
	int code = units_parse_integer(text, &number, err);

	*value = (uint64_t)number;
	return code;
}

static int read_share(const char *text, uint64_t *value, struct error *err)
{
	double share = 77;
	int code = units_parse_share(text, &share, err);

	*value = (uint64_t)share;
	return code;
}

static void test_integers(void)
{
	static const struct good good[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "42", 42 },
		{ "-5", (uint64_t)-5 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", (uint64_t)INT64_MIN },
	};
	static const char *const bad[] = { "-", "- 5", "1.0", "1k", "9223372036854775808",
		"-9223372036854775809", "99999999999999999999999" };

	takes(read_integer, good, N(good));
	refuses(read_integer, bad, N(bad));
}

static void test_shares(void)
{
	static const struct {
		const char *text;
		double value;
	} good[] = { { "0%", 0 }, { "25%", 0.25 }, { "100%", 1 }, { "12.5%", 0.125 },
		{ "0.1%", 0.001 }, { "33.3%", 0.333 }, { "7%", 0.07 }, { "100.000%", 1 } };
	static const char *const bad[] = { "25", "-5%", "100.1%", "101%", "1e1%", "5%%", "25 %",
		"99999999999999999999999%", "0.1234567890123456789012345678%" };

	for (unsigned i = 0; i < N(good); i++) {
		double share = 77;

		CU_ASSERT_EQUAL(units_parse_share(good[i].text, &share, NULL), 0);
		CU_ASSERT_EQUAL(share, good[i].value);
	}
	refuses(read_share, bad, N(bad));
}

static void says(reader read, const char *text, const char *message)
{
	struct error err = { 0 };
	uint64_t value;

	CU_ASSERT(read(text, &value, &err) < 0);
	CU_ASSERT_STRING_EQUAL(err.text, message);
}

static void test_messages(void)
{
	struct error err;
	char longer[400];
	uint64_t value;

	says(units_parse_size, "4kb",
	        "'4kb' is no size: digits, then k, M, G or T (1024), like 64k");
	says(units_parse_size, "", "'' is no size: digits, then k, M, G or T (1024), like 64k");
	says(units_parse_size, "0.3", "'0.3' is no size: not a whole number of bytes");
	says(units_parse_size, "9999999T",
	        "'9999999T' is too large: at most 9223372036854775807 bytes");
	says(units_parse_time, "5",
	        "'5' is no time: digits, then ns, us, ms, s, min or h, like 200ms");
	says(units_parse_count, "1e9", "'1e9' is no count: digits, then k or M (1000), like 20k");
	says(units_parse_count, "0.5", "'0.5' is no count: not a whole number");
	says(read_share, "25", "'25' is no share: digits, then %, from 0% to 100%, like 25%");
	says(read_share, "130%", "'130%' is over 100%");
	says(read_integer, "1.5",
	        "'1.5' is no whole number: digits, with - in front where it is "
	        "negative, like -5");
	says(units_parse_size, "\033[2J",
	        "'?[2J' is no size: digits, then k, M, G or T (1024), like 64k");
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	CU_ASSERT(units_parse_size(longer, &value, &err) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "...' is no size: digits"));
	CU_ASSERT(strlen(err.text) < 150);
}

static void test_printers(void)
{
	char out[UNITS_TEXT_MAX];

	CU_ASSERT_STRING_EQUAL(units_print_size(out, 0), "0");
	CU_ASSERT_STRING_EQUAL(units_print_size(out, 65536), "64k");
	CU_ASSERT_STRING_EQUAL(units_print_size(out, 1536), "1536");
	CU_ASSERT_STRING_EQUAL(units_print_size(out, UINT64_C(3) << 40), "3T");
	CU_ASSERT_STRING_EQUAL(units_print_size(out, UINT64_MAX), "18446744073709551615");
	CU_ASSERT_STRING_EQUAL(units_print_time(out, 0), "0");
	CU_ASSERT_STRING_EQUAL(units_print_time(out, 200000000), "200ms");
	CU_ASSERT_STRING_EQUAL(units_print_time(out, UINT64_C(60000000000)), "1min");
	CU_ASSERT_STRING_EQUAL(units_print_time(out, 1500000000), "1500ms");
	CU_ASSERT_STRING_EQUAL(units_print_count(out, 16384), "16384");
	CU_ASSERT_STRING_EQUAL(units_print_count(out, 20000), "20k");
	CU_ASSERT_STRING_EQUAL(units_print_count(out, 3000000), "3M");
	CU_ASSERT_STRING_EQUAL(units_print_share(out, 0.25), "25%");
	CU_ASSERT_STRING_EQUAL(units_print_share(out, 0.07), "7%");
	CU_ASSERT_STRING_EQUAL(units_print_share(out, 0.125), "12.5%");
	CU_ASSERT_STRING_EQUAL(units_print_share(out, 1), "100%");
	CU_ASSERT_STRING_EQUAL(units_print_share(out, 0.001), "0.1%");
	CU_ASSERT_STRING_EQUAL(units_print_share(out, NAN), "0%");
	CU_ASSERT_STRING_EQUAL(units_print_share(out, 7), "100%");
}

/* A value of any magnitude up to 2^63-1, often a multiple of something round. */
static uint64_t draw_value(struct random *random)
{
	static const uint64_t round[] = { 1, 1000, 1024, 1000000, 60000000000, 3600000000000 };
	uint64_t value = random_next(random) >> (1 + random_below(random, 63));
	uint64_t factor = round[random_below(random, N(round))];

	return value > INT64_MAX / factor ? value : value * factor;
}

static void comes_back(reader read, char *(*print)(char *, uint64_t), uint64_t value)
{
	char out[UNITS_TEXT_MAX];
	uint64_t back = ~value;

	if (read(print(out, value), &back, NULL) != 0 || back != value)
		CU_FAIL("a printed value did not read back");
	if (strlen(out) >= UNITS_TEXT_MAX)
		CU_FAIL("a printed value is too long");
}

static void test_round_trip(void)
{
	struct random random;

	random_init(&random, 1, 0);
	for (unsigned i = 0; i < N_RANDOM; i++) {
		uint64_t value = draw_value(&random);

		comes_back(units_parse_size, units_print_size, value);
		comes_back(units_parse_time, units_print_time, value);
		comes_back(units_parse_count, units_print_count, value);
	}
	CU_PASS("all came back");
}

static void test_round_trip_shares(void)
{
	struct random random;
	unsigned wrong = 0;

	random_init(&random, 2, 0);
	for (unsigned i = 0; i < N_RANDOM; i++) {
		double share = random_unit(&random), back = -1;
		char out[UNITS_TEXT_MAX];

		if (i % 3 == 1)
			share = (double)random_below(&random, 100001) / 100000;
		else if (i % 3 == 2)
			share *= pow(10, -(double)random_below(&random, 10));
		units_print_share(out, share);
		wrong += units_parse_share(out, &back, NULL) != 0 || back != share;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* No reader takes or leaves alone a text for the wrong reason: any bytes, never a crash. */
static void test_noise(void)
{
	static const char letters[] = "0123456789.%kKMGT-+ nsuhmie,\x80\xff";
	struct random random;

	random_init(&random, 3, 0);
	for (unsigned i = 0; i < N_RANDOM; i++) {
		uint64_t size = 77, before = 77;
		char text[24], out[UNITS_TEXT_MAX];
		unsigned n = (unsigned)random_below(&random, sizeof(text));

		for (unsigned k = 0; k < n; k++)
			text[k] = letters[random_below(&random, sizeof(letters) - 1)];
		text[n] = '\0';
		if (units_parse_size(text, &size, NULL) == 0)
			comes_back(units_parse_size, units_print_size, size);
		else if (size != before)
			CU_FAIL("a refused text changed the value");
		read_share(text, &size, NULL);
		read_integer(text, &size, NULL);
		units_print_size(out, size);
	}
	CU_PASS("survived");
}

static void test_numbers_for_people(void)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = { { 0, "0" }, { 0.53, "0.53" }, { 5.31, "5.31" }, { 53.1, "53.1" },
		{ 531, "531" }, { 5310, "5.31k" }, { 53100, "53.1k" }, { 531000, "531k" },
		{ 5310000, "5.31M" }, { 1, "1.00" }, { 9.994, "9.99" }, { 9.996, "10.0" },
		{ 99.94, "99.9" }, { 99.96, "100" }, { 999.4, "999" }, { 999.6, "1.00k" },
		{ 999600, "1.00M" }, { -5.31, "-5.31" }, { 3e12, "3.00T" }, { 3e15, "3.00P" },
		{ NAN, "-" }, { INFINITY, "-" } };
	char out[UNITS_TEXT_MAX];

	for (unsigned i = 0; i < N(cases); i++)
		CU_ASSERT_STRING_EQUAL(units_format_number(out, cases[i].number), cases[i].text);
	CU_ASSERT(strlen(units_format_number(out, 1e300)) < UNITS_TEXT_MAX);
	CU_ASSERT(strlen(units_format_seconds(out, -1e300)) < UNITS_TEXT_MAX);
}

static void test_bytes_and_times_for_people(void)
{
	char out[UNITS_TEXT_MAX];

	CU_ASSERT_STRING_EQUAL(units_format_bytes(out, 0), "0 B");
	CU_ASSERT_STRING_EQUAL(units_format_bytes(out, 512), "512 B");
	CU_ASSERT_STRING_EQUAL(units_format_bytes(out, 1572864), "1.50 MiB");
	CU_ASSERT_STRING_EQUAL(units_format_bytes(out, 1023.0 * 1024 * 1024), "1.00 GiB");
	CU_ASSERT_STRING_EQUAL(units_format_seconds(out, 3.214), "3.21s");
	CU_ASSERT_STRING_EQUAL(units_format_seconds(out, 0.534), "0.53s");
	CU_ASSERT_STRING_EQUAL(units_format_seconds(out, 1234), "1234s");
	CU_ASSERT_STRING_EQUAL(units_format_latency(out, 0), "0ns");
	CU_ASSERT_STRING_EQUAL(units_format_latency(out, 88), "88ns");
	CU_ASSERT_STRING_EQUAL(units_format_latency(out, 999), "999ns");
	CU_ASSERT_STRING_EQUAL(units_format_latency(out, 1200), "1.20us");
	CU_ASSERT_STRING_EQUAL(units_format_latency(out, 12300), "12.3us");
	CU_ASSERT_STRING_EQUAL(units_format_latency(out, 999600), "1.00ms");
	CU_ASSERT_STRING_EQUAL(units_format_latency(out, 3100000), "3.10ms");
	CU_ASSERT_STRING_EQUAL(units_format_latency(out, 1200000000), "1.20s");
	CU_ASSERT_STRING_EQUAL(units_format_clock(out, 761), "00:12:41");
	CU_ASSERT_STRING_EQUAL(units_format_clock(out, 360000), "100:00:00");
	CU_ASSERT_STRING_EQUAL(units_format_clock(out, -3), "00:00:00");
	CU_ASSERT(strlen(units_format_clock(out, INFINITY)) < UNITS_TEXT_MAX);
	CU_ASSERT_STRING_EQUAL(units_format_grouped(out, 0), "0");
	CU_ASSERT_STRING_EQUAL(units_format_grouped(out, 999), "999");
	CU_ASSERT_STRING_EQUAL(units_format_grouped(out, 1000), "1,000");
	CU_ASSERT_STRING_EQUAL(units_format_grouped(out, 1234567), "1,234,567");
	CU_ASSERT_STRING_EQUAL(units_format_grouped(out, UINT64_MAX), "18,446,744,073,709,551,615");
}

/* Where a locale with a decimal comma is installed, it changes nothing. */
static void test_locale(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
		"fr_FR.utf8" };
	char out[UNITS_TEXT_MAX];
	double share = 0;

	for (unsigned i = 0; i < N(names); i++)
		if (setlocale(LC_NUMERIC, names[i]) != NULL)
			break;
	CU_ASSERT_STRING_EQUAL(units_format_number(out, 5310), "5.31k");
	CU_ASSERT_STRING_EQUAL(units_print_share(out, 0.125), "12.5%");
	CU_ASSERT_EQUAL(units_parse_share("12.5%", &share, NULL), 0);
	CU_ASSERT_EQUAL(share, 0.125);
	setlocale(LC_NUMERIC, "C");
}

void suite_units(void)
{
	CU_pSuite suite = CU_add_suite("units", NULL, NULL);

	CU_add_test(suite, "sizes", test_sizes);
	CU_add_test(suite, "times", test_times);
	CU_add_test(suite, "counts", test_counts);
	CU_add_test(suite, "integers", test_integers);
	CU_add_test(suite, "shares", test_shares);
	CU_add_test(suite, "messages", test_messages);
	CU_add_test(suite, "printers", test_printers);
	CU_add_test(suite, "what is printed is read back", test_round_trip);
	CU_add_test(suite, "shares are read back", test_round_trip_shares);
	CU_add_test(suite, "noise", test_noise);
	CU_add_test(suite, "numbers for people", test_numbers_for_people);
	CU_add_test(suite, "bytes and times for people", test_bytes_and_times_for_people);
	CU_add_test(suite, "locale", test_locale);
}
