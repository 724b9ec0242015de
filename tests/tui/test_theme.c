/*
 * Themes: reading, falling back, contrast, and what decides about colours and glyphs.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/assets.h"
#include "ui/terminal.h"
#include "ui/theme.h"

void suite_theme(void);

static const char text_theme[] = "[theme]\nname = t\n[roles]\n"
                                 "text = 196, default, bold\n"
                                 "dim = 243, default,\n"
                                 "good = bright-green, blue, underline\n"
                                 "[8]\n"
                                 "head = yellow, default,\n";

static void test_fallbacks(void)
{
	struct theme theme;

	CU_ASSERT_EQUAL(theme_parse(&theme, text_theme, 256, NULL), 0);
	CU_ASSERT_EQUAL(theme.styles[ROLE_TEXT].foreground, 196);
	CU_ASSERT_EQUAL(theme.styles[ROLE_TEXT].background, -1);
	CU_ASSERT_EQUAL(theme.styles[ROLE_TEXT].attributes, A_BOLD);
	CU_ASSERT_EQUAL(theme.styles[ROLE_GOOD].foreground, 10);
	CU_ASSERT_EQUAL(theme.styles[ROLE_HEAD].foreground, -1);

	CU_ASSERT_EQUAL(theme_parse(&theme, text_theme, 8, NULL), 0);
	CU_ASSERT_EQUAL(theme.styles[ROLE_TEXT].foreground, COLOR_RED);
	CU_ASSERT_EQUAL(theme.styles[ROLE_DIM].foreground, -1);
	CU_ASSERT_EQUAL(theme.styles[ROLE_DIM].attributes, A_DIM);
	CU_ASSERT_EQUAL(theme.styles[ROLE_GOOD].foreground, COLOR_GREEN);
	CU_ASSERT_EQUAL(theme.styles[ROLE_GOOD].background, COLOR_BLUE);
	CU_ASSERT_EQUAL(theme.styles[ROLE_GOOD].attributes, A_UNDERLINE | A_BOLD);
	CU_ASSERT_EQUAL(theme.styles[ROLE_HEAD].foreground, COLOR_YELLOW);

	CU_ASSERT_EQUAL(theme_parse(&theme, text_theme, 0, NULL), 0);
	CU_ASSERT_EQUAL(theme.styles[ROLE_TEXT].foreground, -1);
	CU_ASSERT_EQUAL(theme.styles[ROLE_TEXT].attributes, A_BOLD);
}

static void check_refused(const char *text, const char *word)
{
	struct theme theme;
	struct error err = { 0 };

	CU_ASSERT_EQUAL(theme_parse(&theme, text, 256, &err), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, word));
}

static void test_faults(void)
{
	struct theme theme;
	struct error err = { 0 };

	check_refused("[roles]\nnope = red,,\n", "nope");
	check_refused("[roles]\ntext = rde, default,\n", "rde");
	check_refused("[roles]\ntext = 256, default,\n", "256");
	check_refused("[roles]\ntext = red, default, blod\n", "blod");
	check_refused("[rolls]\ntext = red, default,\n", "rolls");
	check_refused("[roles\n", "line 1");
	CU_ASSERT(theme_load(&theme, "no-such", 256, &err) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "no-such"));
	CU_ASSERT(theme_load(&theme, "/nonexistent/x.theme", 256, &err) < 0);
}

static double channel(int value)
{
	double part = value / 255.0;

	return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

/* WCAG 2.1's relative luminance of a colour of the 6x6x6 cube or the grey ramp. */
static double luminance(int color)
{
	static const int steps[] = { 0, 95, 135, 175, 215, 255 };
	int r, g, b;

	if (color >= 232) {
		r = g = b = 8 + 10 * (color - 232);
	} else {
		r = steps[(color - 16) / 36];
		g = steps[(color - 16) / 6 % 6];
		b = steps[(color - 16) % 6];
	}
	return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
}

static void test_default_is_readable(void)
{
	struct theme theme;

	CU_ASSERT_EQUAL_FATAL(theme_load(&theme, NULL, 256, NULL), 0);
	for (int role = ROLE_TEXT; role <= ROLE_KEY_TEXT; role++) {
		double light;

		CU_ASSERT_EQUAL(theme.styles[role].background, -1);
		if (theme.styles[role].foreground < 0)
			continue;
		light = luminance(theme.styles[role].foreground);
		CU_ASSERT(1.05 / (light + 0.05) >= 4.5);
		CU_ASSERT((light + 0.05) / 0.05 >= 4.5);
	}
}

/* Every built-in theme reads for every depth. */
static void test_all_themes(void)
{
	static const int depths[] = { 0, 8, 16, 256 };
	unsigned n = 0;

	for (const struct asset *asset = asset_table; asset->name != NULL; asset++) {
		struct theme theme;
		struct error err = { 0 };

		if (strncmp(asset->name, "themes/", 7) != 0)
			continue;
		n++;
		for (unsigned i = 0; i < 4; i++)
			CU_ASSERT_EQUAL(theme_parse(&theme, asset->text, depths[i], &err), 0);
		CU_ASSERT(theme.name[0] != '\0');
	}
	CU_ASSERT(n > 0);
}

static void test_color_depth(void)
{
	CU_ASSERT_EQUAL(terminal_color_depth(UI_COLOR_AUTO, NULL, 256), 256);
	CU_ASSERT_EQUAL(terminal_color_depth(UI_COLOR_AUTO, "", 8), 8);
	CU_ASSERT_EQUAL(terminal_color_depth(UI_COLOR_AUTO, "1", 256), 0);
	CU_ASSERT_EQUAL(terminal_color_depth(UI_COLOR_ALWAYS, "1", 256), 256);
	CU_ASSERT_EQUAL(terminal_color_depth(UI_COLOR_NEVER, NULL, 256), 0);
	CU_ASSERT_EQUAL(terminal_color_depth(UI_COLOR_AUTO, NULL, 1 << 24), 8);
	CU_ASSERT_EQUAL(terminal_color_depth(UI_COLOR_AUTO, NULL, 88), 16);
	CU_ASSERT_EQUAL(terminal_color_depth(UI_COLOR_AUTO, NULL, 0), 0);
}

static void test_glyph_level(void)
{
	CU_ASSERT_EQUAL(terminal_glyph_level(true, false, "xterm-256color"), GLYPHS_FULL);
	CU_ASSERT_EQUAL(terminal_glyph_level(true, false, "linux"), GLYPHS_CONSOLE);
	CU_ASSERT_EQUAL(terminal_glyph_level(true, false, "vt100"), GLYPHS_ASCII);
	CU_ASSERT_EQUAL(terminal_glyph_level(false, false, "xterm"), GLYPHS_ASCII);
	CU_ASSERT_EQUAL(terminal_glyph_level(true, true, "xterm"), GLYPHS_ASCII);
	CU_ASSERT_STRING_EQUAL(terminal_fallback("xterm-kitty"), "xterm-256color");
	CU_ASSERT_STRING_EQUAL(terminal_fallback("ghostty"), "xterm-256color");
	CU_ASSERT_STRING_EQUAL(terminal_fallback("no-such-term"), "vt100");
}

void suite_theme(void)
{
	CU_pSuite suite = CU_add_suite("theme", NULL, NULL);

	CU_add_test(suite, "fallbacks", test_fallbacks);
	CU_add_test(suite, "faults", test_faults);
	CU_add_test(suite, "contrast of the default", test_default_is_readable);
	CU_add_test(suite, "all themes read", test_all_themes);
	CU_add_test(suite, "colour depth", test_color_depth);
	CU_add_test(suite, "glyphs", test_glyph_level);
}
