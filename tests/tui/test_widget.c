/*
 * Text in cells, sparklines, bars.
 */
#include <CUnit/CUnit.h>
#include <math.h>
#include <string.h>

#include "ui/widget.h"

void suite_widget(void);

static int cells_of(const wchar_t *text, size_t n)
{
	int cells = 0;

	for (size_t i = 0; i < n; i++)
		cells += wcwidth(text[i]) > 0 ? wcwidth(text[i]) : 0;
	return cells;
}

static void check_exact(enum glyph_level level, const char *text, int width, enum align align)
{
	wchar_t wide[512];
	size_t n = widget_fit(glyphs_get(level), text, (struct span){ 0, width }, align, wide, 512);

	CU_ASSERT_EQUAL(cells_of(wide, n), width);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT(wide[i] >= 32 && wide[i] != 127);
		if (level == GLYPHS_ASCII)
			CU_ASSERT(wide[i] < 127);
	}
}

static void test_exact_cells(void)
{
	static const char *const texts[] = {
		"",
		"plain",
		"日本語日本語",
		"e\xcc\x81tude",
		"\xcc\x81lone accent",
		"a\033[31mb\r\n\t",
		"\xff\xfe broken \xe6\x97",
		"\xc2\x9b"
		"31m",
		"שלום",
		"👩‍👩‍👧 family",
		"\xe2\x80\xaeoverride",
		"\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa flag",
		"\xed\xa0\x80",
		"x\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (int width = 1; width <= 30; width++)
			for (int level = GLYPHS_ASCII; level <= GLYPHS_FULL; level++) {
				check_exact((enum glyph_level)level, texts[i], width, ALIGN_LEFT);
				check_exact((enum glyph_level)level, texts[i], width, ALIGN_RIGHT);
			}
}

static void check_fit(const char *text, int width, enum align align, const wchar_t *wanted)
{
	wchar_t wide[256];
	size_t n = widget_fit(
	        glyphs_get(GLYPHS_FULL), text, (struct span){ 0, width }, align, wide, 255);

	wide[n] = L'\0';
	CU_ASSERT_EQUAL(wcscmp(wide, wanted), 0);
}

static void test_cut_and_pad(void)
{
	check_fit("abc", 5, ALIGN_LEFT, L"abc  ");
	check_fit("abc", 5, ALIGN_RIGHT, L"  abc");
	check_fit("abcdef", 5, ALIGN_LEFT, L"abcd…");
	check_fit("日本語", 6, ALIGN_LEFT, L"日本語");
	check_fit("日本語", 5, ALIGN_LEFT, L"日本…");
	check_fit("日本語", 4, ALIGN_LEFT, L"日… "); /* half a character is never drawn */
	check_fit("日", 1, ALIGN_LEFT, L" ");
	check_fit("\xe2\x80\xae"
	          "abc",
	        3, ALIGN_LEFT, L"abc");
}

static void check_spark(
        enum glyph_level level, const float *samples, int n, int cells, const char *wanted)
{
	char out[256];

	spark_print(
	        out, sizeof(out), &glyphs_get(level)->spark, samples, (struct span){ n, cells });
	CU_ASSERT_STRING_EQUAL(out, wanted);
}

static void test_sparkline(void)
{
	static const float rise[] = { 1, 2, 3, 4 }, zero[] = { 0, 0 };
	const float gap[] = { 4, NAN, NAN, 4 };

	check_spark(GLYPHS_FULL, rise, 4, 2, "⣠⣾");
	check_spark(GLYPHS_FULL, rise, 4, 4, "  ⣠⣾"); /* newest at the right */
	check_spark(GLYPHS_FULL, rise, 4, 1, "⣾");    /* the oldest fall out */
	check_spark(GLYPHS_FULL, gap, 4, 2, "⡇⢸");    /* a gap is no zero */
	check_spark(GLYPHS_FULL, zero, 2, 1, "⣀");
	check_spark(GLYPHS_CONSOLE, rise, 4, 4, "░▒▓█");
	check_spark(GLYPHS_ASCII, rise, 4, 4, ".=*#");
	check_spark(GLYPHS_ASCII, rise, 0, 3, "   ");
}

static void test_bars(void)
{
	char out[256];
	const struct glyphs *full = glyphs_get(GLYPHS_FULL), *ascii = glyphs_get(GLYPHS_ASCII);

	CU_ASSERT_STRING_EQUAL(bar_print(out, sizeof(out), full, 0.5, 3), "█▌ ");
	CU_ASSERT_STRING_EQUAL(bar_print(out, sizeof(out), full, 7, 3), "███");
	CU_ASSERT_STRING_EQUAL(bar_print(out, sizeof(out), full, -1, 3), "   ");
	CU_ASSERT_STRING_EQUAL(bar_print(out, sizeof(out), full, NAN, 2), "  ");
	CU_ASSERT_STRING_EQUAL(bar_print(out, sizeof(out), ascii, 0.5, 4), "##  ");
	CU_ASSERT_STRING_EQUAL(progress_print(out, sizeof(out), full, 0.5, 3), "━╸─");
	CU_ASSERT_STRING_EQUAL(progress_print(out, sizeof(out), full, 1, 3), "━━━");
	CU_ASSERT_STRING_EQUAL(progress_print(out, sizeof(out), ascii, 0.5, 4), "==..");
	/* A buffer that is too small is never overrun. */
	CU_ASSERT(strlen(bar_print(out, 7, full, 1, 50)) < 7);
}

void suite_widget(void)
{
	CU_pSuite suite = CU_add_suite("widget", NULL, NULL);

	CU_add_test(suite, "exact cells", test_exact_cells);
	CU_add_test(suite, "cut and pad", test_cut_and_pad);
	CU_add_test(suite, "sparkline", test_sparkline);
	CU_add_test(suite, "bars", test_bars);
}
