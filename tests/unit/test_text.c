/*
 * Growing text, printing, and what foreign text becomes before it is shown; errors, which are made
 * of it. CUnit, one thread.
 */
#include "core/text.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/random.h"

void suite_text(void);

static void test_growing(void)
{
	struct text text;
	unsigned length = 0;

	text_init(&text);
	CU_ASSERT_STRING_EQUAL(text_string(&text), "");
	text_add(&text, "ab");
	text_add_bytes(&text, "cde", 2);
	text_format(&text, "%d-%s", 7, "x");
	text_fill(&text, '=', 3);
	text_fill(&text, '=', 0);
	text_fill(&text, '=', -1);
	text_add_fixed(&text, 1.25, 1);
	CU_ASSERT_STRING_EQUAL(text_string(&text), "abcd7-x===1.2");
	CU_ASSERT_EQUAL(text.length, strlen("abcd7-x===1.2"));
	length = (unsigned)text.length;
	for (unsigned i = 0; i < 5000; i++)
		text_format(&text, "%u,", i % 10);
	CU_ASSERT_EQUAL(text.length, length + 10000);
	CU_ASSERT_EQUAL(strlen(text_string(&text)), text.length);
	CU_ASSERT(text.capacity > text.length);
	CU_ASSERT_FALSE(text.failed);
	text_release(&text);
	CU_ASSERT_PTR_NULL(text.data);
	CU_ASSERT_STRING_EQUAL(text_string(&text), "");
}

/* What cannot be had fails the buffer, keeps what is there and takes nothing more. */
static void test_no_memory(void)
{
	struct text text;

	text_init(&text);
	text_add(&text, "kept");
	text_add_bytes(&text, "", SIZE_MAX / 2);
	CU_ASSERT(text.failed);
	text_add(&text, "lost");
	text_format(&text, "%d", 1);
	text_fill(&text, 'x', 1);
	CU_ASSERT_STRING_EQUAL(text_string(&text), "kept");
	text_release(&text);
	CU_ASSERT_FALSE(text.failed);
}

static void test_print(void)
{
	char out[8] = "?";

	uselocale(LC_GLOBAL_LOCALE);
	CU_ASSERT_STRING_EQUAL(text_print(out, sizeof(out), "%s", "abc"), "abc");
	CU_ASSERT_STRING_EQUAL(text_print(out, sizeof(out), "%s", "abcdefghij"), "abcdefg");
	CU_ASSERT_STRING_EQUAL(text_print(out, 1, "abc"), "");
	out[0] = '!';
	text_print(out, 0, "abc");
	CU_ASSERT_EQUAL(out[0], '!');
	CU_ASSERT_PTR_EQUAL(
	        uselocale((locale_t)0), LC_GLOBAL_LOCALE); /* the thread's own is back */
}

static const struct {
	const char *in, *out;
} sanitized[] = {
	{ "", "" },
	{ "plain text", "plain text" },
	{ "a\tb\nc\033[2Jd\177", "a?b?c?[2Jd?" },
	{ "größe – €", "größe – €" },
	{ "\360\237\230\200", "\360\237\230\200" },
	{ "x\303", "x?" },                          /* ends within a character */
	{ "x\342\202", "x??" },                     /* the same */
	{ "\303\050", "?(" },                       /* no continuation */
	{ "\200\277", "??" },                       /* continuations alone */
	{ "\300\200", "??" },                       /* overlong NUL */
	{ "\301\277", "??" },                       /* overlong DEL */
	{ "\340\200\257", "???" },                  /* overlong '/' */
	{ "\360\200\200\257", "????" },             /* the same in four */
	{ "\355\240\200", "???" },                  /* a surrogate */
	{ "\355\277\277", "???" },                  /* the last one */
	{ "\355\237\277", "\355\237\277" },         /* just below */
	{ "\356\200\200", "\356\200\200" },         /* just above */
	{ "\364\217\277\277", "\364\217\277\277" }, /* U+10FFFF */
	{ "\364\220\200\200", "????" },             /* beyond */
	{ "\370\210\200\200\200", "?????" },        /* five bytes */
	{ "\376\377", "??" },
	{ "\302\200|\302\237|\302\240", "?|?|\302\240" }, /* C1: U+0080-9F, not U+00A0 */
	{ "\342\200\250|\342\200\251", "?|?" },           /* U+2028, U+2029 */
	{ "\342\200\252|\342\200\256", "?|?" },           /* U+202A, U+202E */
	{ "\342\201\246|\342\201\251", "?|?" },           /* U+2066, U+2069 */
	{ "\342\200\247|\342\200\257", "\342\200\247|\342\200\257" }, /* their neighbours */
	{ "\342\201\245|\342\201\252", "\342\201\245|\342\201\252" },
};

static void test_sanitize(void)
{
	for (unsigned i = 0; i < sizeof(sanitized) / sizeof(sanitized[0]); i++) {
		char out[64];

		CU_ASSERT_PTR_EQUAL(text_sanitize(out, sizeof(out), sanitized[i].in), out);
		CU_ASSERT_STRING_EQUAL(out, sanitized[i].out);
	}
}

static void test_sanitize_cuts(void)
{
	char out[16] = "untouched";

	text_sanitize(out, 0, "abc");
	CU_ASSERT_STRING_EQUAL(out, "untouched");
	CU_ASSERT_STRING_EQUAL(text_sanitize(out, 1, "abc"), "");
	CU_ASSERT_STRING_EQUAL(text_sanitize(out, 3, "abc"), "ab");
	CU_ASSERT_STRING_EQUAL(text_sanitize(out, 4, "ab\303\266c"), "ab");
	CU_ASSERT_STRING_EQUAL(text_sanitize(out, 5, "ab\303\266c"), "ab\303\266");
	CU_ASSERT_STRING_EQUAL(text_sanitize(out, 4, "\360\237\230\200"), "");
	CU_ASSERT_STRING_EQUAL(text_sanitize(out, 3, "a\302\200b"), "a?");
}

/* Any bytes: the answer is safe, sanitizing it again changes nothing, no buffer is overrun. */
static void test_sanitize_noise(void)
{
	struct random random;
	unsigned wrong = 0;

	random_init(&random, 4, 0);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned n = (unsigned)random_below(&random, 24);
		size_t size = 1 + random_below(&random, 32);
		char in[32], out[40], again[40];

		random_fill(&random, in, n);
		in[n] = '\0';
		memset(out, 'Z', sizeof(out));
		text_sanitize(out, size, in);
		wrong += out[size] != 'Z' || strlen(out) >= size;
		text_sanitize(again, sizeof(again), out);
		wrong += strcmp(out, again) != 0;
		for (const char *p = out; *p != '\0'; p++)
			wrong += (unsigned char)*p < 0x20 || *p == 0x7f;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void test_quote(void)
{
	char out[12];

	CU_ASSERT_STRING_EQUAL(text_quote(out, sizeof(out), ""), "''");
	CU_ASSERT_STRING_EQUAL(text_quote(out, sizeof(out), "a\nb"), "'a?b'");
	CU_ASSERT_STRING_EQUAL(text_quote(out, sizeof(out), "123456789"), "'123456789'");
	CU_ASSERT_STRING_EQUAL(text_quote(out, sizeof(out), "1234567890"), "'123456...'");
	CU_ASSERT_STRING_EQUAL(text_quote(out, sizeof(out), "12345\303\266789"), "'12345...'");
	CU_ASSERT_STRING_EQUAL(text_quote(out, 8, "1234567890"), "'12...'");
}

static void test_error(void)
{
	struct error err = { 0 };

	CU_ASSERT_EQUAL(error_set(&err, -EINVAL, "%s is %d", "x", 3), -EINVAL);
	CU_ASSERT_EQUAL(err.code, -EINVAL);
	CU_ASSERT_STRING_EQUAL(err.text, "x is 3");
	CU_ASSERT_EQUAL(error_context(&err, "target %s", "a"), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err.text, "target a: x is 3");
	CU_ASSERT_EQUAL(error_errno(&err, -ENOSPC, "write %s", "/a/b"), -ENOSPC);
	CU_ASSERT_STRING_EQUAL(err.text, "write /a/b: No space left on device");
	CU_ASSERT_EQUAL(error_errno(&err, -4000, "x"), -4000);
	CU_ASSERT_STRING_EQUAL(err.text, "x: error 4000");
	CU_ASSERT_EQUAL(error_set(NULL, -EIO, "lost"), -EIO);
	CU_ASSERT_EQUAL(error_errno(NULL, -EIO, "lost"), -EIO);
	CU_ASSERT(error_context(NULL, "lost") < 0);
}

static void test_error_is_cut(void)
{
	struct error err;
	char longer[2 * ERROR_TEXT_MAX];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	error_set(&err, -EINVAL, "%s", longer);
	CU_ASSERT_EQUAL(strlen(err.text), ERROR_TEXT_MAX - 1);
	error_context(&err, "context");
	CU_ASSERT_EQUAL(strlen(err.text), ERROR_TEXT_MAX - 1);
	CU_ASSERT_EQUAL(strncmp(err.text, "context: xxx", 12), 0);
	error_errno(&err, -EIO, "%s", longer);
	CU_ASSERT_EQUAL(strlen(err.text), ERROR_TEXT_MAX - 1);
}

void suite_text(void)
{
	CU_pSuite suite = CU_add_suite("text", NULL, NULL);

	CU_add_test(suite, "growing", test_growing);
	CU_add_test(suite, "no memory", test_no_memory);
	CU_add_test(suite, "print", test_print);
	CU_add_test(suite, "sanitize", test_sanitize);
	CU_add_test(suite, "sanitize cuts between characters", test_sanitize_cuts);
	CU_add_test(suite, "sanitize any bytes", test_sanitize_noise);
	CU_add_test(suite, "quote", test_quote);
	CU_add_test(suite, "error", test_error);
	CU_add_test(suite, "a long error is cut", test_error_is_cut);
}
