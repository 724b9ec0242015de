/*
 * Pictures of a made-up run, drawn into pads of any size.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/text.h"
#include "engine/op.h"
#include "scene.h"
#include "ui/keys.h"
#include "ui/screen.h"

void suite_race(void);

enum { LINE_MAX_BYTES = 2048 };

static SCREEN *screen;
static FILE *nowhere;

static int begin(void)
{
	nowhere = fopen("/dev/null", "r+");
	if (nowhere == NULL)
		return 1;
	screen = newterm("xterm-256color", nowhere, nowhere);
	return screen == NULL;
}

static int end(void)
{
	endwin();
	delscreen(screen);
	fclose(nowhere);
	return 0;
}

static WINDOW *drawn(struct scene *scene, int columns, int rows)
{
	WINDOW *pad = newpad(rows, columns);
	struct frame frame = scene_frame(scene);

	if (pad != NULL)
		screen_draw(pad, &scene->view, &frame);
	return pad;
}

static char *line_of(WINDOW *pad, int y, char out[LINE_MAX_BYTES])
{
	wchar_t wide[512];
	size_t n;

	wmove(pad, y, 0);
	if (winnwstr(pad, wide, 511) < 0)
		wide[0] = L'\0';
	n = wcstombs(out, wide, LINE_MAX_BYTES - 1);
	out[n == (size_t)-1 ? 0 : n] = '\0';
	return out;
}

static bool shows(WINDOW *pad, const char *text)
{
	char line[LINE_MAX_BYTES];

	for (int y = 0; y < getmaxy(pad); y++)
		if (strstr(line_of(pad, y, line), text) != NULL)
			return true;
	return false;
}

/* The scene with @n targets in row 5 drawn at this size. */
static WINDOW *scene_drawn(struct scene *scene, unsigned n, int columns, int rows)
{
	CU_ASSERT_EQUAL_FATAL(scene_init(scene, n, 5), 0);
	view_follow(&scene->view, scene->board);
	return drawn(scene, columns, rows);
}

static void test_wide(void)
{
	static const char *const texts[] = {
		"▶ running",
		"round 2 of 3",
		"bonnie › rewrite",
		"turns: one device (vda)",
		"00:12:41",
		"about 8:10 left",
		"▌ext4",
		"● running",
		"◌ next",
		"◌ 2nd",
		"throughput",
		"MiB/s",
		"78 / 91%",
		"97%  1.04×",
		"waits for ext4",
		"time",
		"rate",
		"cpu",
		"±",
		"create        files/s",
		"     space",
		"202 MiB",
		"     fragments/file",
		"1.02",
		"no space",
		"▶ rewrite",
		"2%",
		"ran out of space",
		"log: copy done on xfs 6.93s",
		"F1 help",
		"q quit",
		"access",
		"base 1000",
	};
	struct scene scene;
	WINDOW *pad = scene_drawn(&scene, 3, 120, 36);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		bool is_there = shows(pad, texts[i]);

		CU_ASSERT(is_there);
		if (!is_there)
			printf("not shown: %s\n", texts[i]);
	}
	delwin(pad);
	scene_release(&scene);
}

static void test_standard(void)
{
	struct scene scene;
	WINDOW *pad = scene_drawn(&scene, 3, 80, 24);
	char line[LINE_MAX_BYTES];

	CU_ASSERT(shows(pad, "▌ext4"));
	CU_ASSERT(shows(pad, "▌btrfs"));
	CU_ASSERT(shows(pad, "▶ rewrite"));
	CU_ASSERT(shows(pad, "running"));
	CU_ASSERT_PTR_NOT_NULL(strstr(line_of(pad, 23, line), "q quit"));
	delwin(pad);
	scene_release(&scene);
}

/* Figures below a row: none of their own for the cursor, under the time, missing where unknown. */
static void test_figures(void)
{
	struct scene scene;
	WINDOW *pad = scene_drawn(&scene, 2, 100, 40);
	struct frame frame = scene_frame(&scene);
	struct layout layout = view_layout(&scene.view, &frame, (struct span){ 100, 40 });
	int y = layout.table_y;
	char line[LINE_MAX_BYTES];

	CU_ASSERT_PTR_NOT_NULL(strstr(line_of(pad, y + 1, line), "create"));
	CU_ASSERT_PTR_NOT_NULL(strstr(line_of(pad, y + 2, line), "space"));
	CU_ASSERT_PTR_NOT_NULL(strstr(line, "203 MiB"));
	CU_ASSERT_PTR_NOT_NULL(strstr(line_of(pad, y + 3, line), "fragments/file"));
	CU_ASSERT_PTR_NOT_NULL(strstr(line, "1.02"));
	CU_ASSERT_PTR_EQUAL(strstr(line, "1.02"), strrchr(line, '1'));
	CU_ASSERT_PTR_NOT_NULL(strstr(line_of(pad, y + 4, line), "copy"));
	/* copy was surveyed without an answer: its space only */
	CU_ASSERT_PTR_NOT_NULL(strstr(line_of(pad, y + 5, line), "space"));
	CU_ASSERT_PTR_NOT_NULL(strstr(line_of(pad, y + 6, line), "slink"));
	CU_ASSERT_EQUAL(view_line_of(&scene.table, 2), 6);
	delwin(pad);
	/* A narrow label has no room for the unit. */
	scene.view.row = 0;
	pad = drawn(&scene, 80, 24);
	CU_ASSERT(shows(pad, "     fragments "));
	CU_ASSERT(!shows(pad, "fragments/"));
	delwin(pad);
	scene_release(&scene);
}

/* Columns stay columns: the rule stands in the same cells of every row, whatever the names are. */
static void test_names_shift_nothing(void)
{
	struct scene scene;
	WINDOW *pad = scene_drawn(&scene, 6, 160, 30);
	struct frame frame = scene_frame(&scene);
	struct layout layout = view_layout(&scene.view, &frame, (struct span){ 160, 30 });

	CU_ASSERT(shows(pad, "日本語"));
	CU_ASSERT(shows(pad, "a?[31mb"));
	for (int y = layout.pane_y[PANE_LABEL]; y <= layout.header_y; y++) {
		if (y == layout.rule_y[1])
			continue;
		for (int i = 0; i < layout.n_joints; i++) {
			cchar_t cell;
			wchar_t text[CCHARW_MAX + 1] = L"";
			attr_t attrs;
			short pair;

			mvwin_wch(pad, y, layout.joints[i], &cell);
			getcchar(&cell, text, &attrs, &pair, NULL);
			CU_ASSERT_EQUAL(text[0], L'│');
		}
	}
	delwin(pad);
	scene_release(&scene);
}

static void test_small(void)
{
	struct scene scene;
	WINDOW *pad = scene_drawn(&scene, 3, 39, 8);

	CU_ASSERT(shows(pad, "ext4 ● running"));
	CU_ASSERT(shows(pad, "xfs ◌ next"));
	CU_ASSERT(!shows(pad, "│"));
	delwin(pad);
	pad = drawn(&scene, 12, 3);
	CU_ASSERT(shows(pad, "too small"));
	delwin(pad);
	pad = drawn(&scene, 1, 1);
	CU_ASSERT(shows(pad, "t"));
	delwin(pad);
	scene_release(&scene);
}

static void draw_all_sizes(struct scene *scene)
{
	static const int widths[] = { 1, 2, 3, 7, 15, 16, 17, 39, 40, 41, 60, 79, 80, 184, 300 };
	static const int heights[] = { 1, 2, 3, 4, 9, 10, 11, 23, 24, 39, 100 };

	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++)
		for (size_t h = 0; h < sizeof(heights) / sizeof(heights[0]); h++) {
			WINDOW *pad = drawn(scene, widths[w], heights[h]);

			CU_ASSERT_PTR_NOT_NULL_FATAL(pad);
			delwin(pad);
		}
}

static void test_all_sizes_and_pages(void)
{
	static const unsigned targets[] = { 1, 2, 8, 64 };

	for (unsigned i = 0; i < 4; i++) {
		struct scene scene;

		CU_ASSERT_EQUAL_FATAL(scene_init(&scene, targets[i], 5), 0);
		for (int page = PAGE_RACE; page <= PAGE_HELP; page++) {
			scene.view.page = (enum page)page;
			scene.view.row = SCENE_ROWS - 1;
			scene.view.column = targets[i] - 1;
			scene.view.metric = (unsigned)page;
			draw_all_sizes(&scene);
		}
		scene_release(&scene);
	}
}

static void test_states(void)
{
	struct scene scene;
	WINDOW *pad = scene_drawn(&scene, 2, 100, 30);

	delwin(pad);
	scene.board->state = RUN_PAUSED;
	scene.board->targets[0].state = LANE_PAUSED;
	pad = drawn(&scene, 100, 30);
	CU_ASSERT(shows(pad, "PAUSED"));
	CU_ASSERT(!shows(pad, "FROZEN"));
	delwin(pad);
	scene.view.is_frozen = true;
	pad = drawn(&scene, 100, 30);
	CU_ASSERT(shows(pad, "PAUSED FROZEN"));
	delwin(pad);
	scene.view.is_frozen = false;
	scene.board->state = RUN_RUNNING;
	scene.board->targets[0].state = LANE_RUNNING;
	scene.board->targets[0].stuck_op = OP_FSYNC;
	scene.board->targets[0].stuck_s = 12.2;
	text_print(scene.board->targets[0].stuck_path, BOARD_PATH, "d1/\033f");
	pad = drawn(&scene, 100, 30);
	CU_ASSERT(shows(pad, "fsync hangs 12 s: d1/?f"));
	delwin(pad);
	scene.board->targets[0].state = LANE_LOST;
	pad = drawn(&scene, 100, 30);
	CU_ASSERT(shows(pad, "no answer for 12 s: fsync"));
	delwin(pad);
	scene.view.asks_quit = true;
	pad = drawn(&scene, 100, 30);
	CU_ASSERT(shows(pad, "y/N"));
	delwin(pad);
	scene_release(&scene);
}

static void test_metrics(void)
{
	struct scene scene;
	WINDOW *pad;

	CU_ASSERT_EQUAL_FATAL(scene_init(&scene, 2, 5), 0);
	for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
		scene.view.metric = metric + 1;
		pad = drawn(&scene, 100, 30);
		CU_ASSERT(shows(pad, metric_table[metric].header));
		CU_ASSERT(shows(pad, "ratio"));
		delwin(pad);
	}
	scene.view.metric = METRIC_TIME + 1;
	pad = drawn(&scene, 100, 30);
	CU_ASSERT(shows(pad, "1.00×"));
	CU_ASSERT(shows(pad, "1.10×")); /* create: 2.31 to 2.10 s */
	delwin(pad);
	scene_release(&scene);
}

static void test_cell_page(void)
{
	struct scene scene;
	WINDOW *pad;

	CU_ASSERT_EQUAL_FATAL(scene_init(&scene, 2, 5), 0);
	scene.view.page = PAGE_CELL;
	scene.view.row = 1;
	scene.view.column = 1;
	pad = drawn(&scene, 100, 30);
	CU_ASSERT(shows(pad, "xfs"));
	CU_ASSERT(shows(pad, "phase copy"));
	CU_ASSERT(shows(pad, "no-space"));
	CU_ASSERT(shows(pad, "openat"));
	CU_ASSERT(shows(pad, "2,000"));
	CU_ASSERT(shows(pad, "write d1/f?2J7"));
	CU_ASSERT(shows(pad, "No space left on device"));
	CU_ASSERT(shows(pad, "Esc back"));
	delwin(pad);
	scene_release(&scene);
}

/* Every key of the table is on the help page, for a window long enough. */
static void test_help_page(void)
{
	struct scene scene;
	const struct key_binding *binding;
	WINDOW *pad;

	CU_ASSERT_EQUAL_FATAL(scene_init(&scene, 2, 5), 0);
	scene.view.page = PAGE_HELP;
	pad = drawn(&scene, 100, 80);
	for (unsigned i = 0; (binding = keys_at(i)) != NULL; i++)
		if ((binding->pages & 1U << PAGE_RACE) != 0)
			CU_ASSERT(shows(pad, binding->help));
	for (unsigned bit = 0; bit < MARK_COUNT; bit++)
		CU_ASSERT(shows(pad, mark_table[bit].help));
	delwin(pad);
	/* Scrolled past its end it stands at its end. */
	scene.view.page_top = 10000;
	pad = drawn(&scene, 80, 24);
	CU_ASSERT(scene.view.page_top < 100);
	CU_ASSERT(shows(pad, "bytes written to the device"));
	delwin(pad);
	scene_release(&scene);
}

static void test_ascii_is_seven_bits(void)
{
	struct scene scene;
	char line[LINE_MAX_BYTES];

	CU_ASSERT_EQUAL_FATAL(scene_init(&scene, 6, 5), 0);
	scene.glyphs = GLYPHS_ASCII;
	for (int page = PAGE_RACE; page <= PAGE_HELP; page++) {
		WINDOW *pad;

		scene.view.page = (enum page)page;
		pad = drawn(&scene, 200, 80);
		for (int y = 0; y < 80; y++)
			for (const char *c = line_of(pad, y, line); *c != '\0'; c++)
				CU_ASSERT(*c >= 32 && *c < 127);
		delwin(pad);
	}
	scene_release(&scene);
}

/* The cursor is always in sight, rows and columns scroll. */
static void test_scrolling(void)
{
	struct scene scene;
	WINDOW *pad;

	CU_ASSERT_EQUAL_FATAL(scene_init(&scene, 8, 5), 0);
	scene.view.follows = false;
	for (unsigned row = 0; row < SCENE_ROWS; row++)
		for (unsigned column = 0; column < 8; column++) {
			struct frame frame = scene_frame(&scene);
			struct layout layout;
			unsigned line = view_line_of(&scene.table, row);

			scene.view.row = row;
			scene.view.column = column;
			layout = view_layout(&scene.view, &frame, (struct span){ 60, 12 });
			CU_ASSERT(line >= layout.first_line &&
			          line < layout.first_line + layout.n_lines);
			CU_ASSERT(column >= layout.first_column &&
			          column < layout.first_column + layout.n_shown);
		}
	scene.view.row = SCENE_ROWS - 1;
	scene.view.column = 7;
	pad = drawn(&scene, 60, 12);
	CU_ASSERT(shows(pad, "access"));
	CU_ASSERT(shows(pad, "/8"));
	delwin(pad);
	scene_release(&scene);
}

/* The first rows' heading can be reached by going up. */
static void test_heading_in_sight(void)
{
	struct scene scene;
	WINDOW *pad;

	CU_ASSERT_EQUAL_FATAL(scene_init(&scene, 2, 5), 0);
	scene.view.row = SCENE_ROWS - 1;
	pad = drawn(&scene, 80, 12);
	delwin(pad);
	scene.view.row = 0;
	pad = drawn(&scene, 80, 12);
	CU_ASSERT(shows(pad, "base 1000"));
	delwin(pad);
	scene_release(&scene);
}

void suite_race(void)
{
	CU_pSuite suite = CU_add_suite("race", begin, end);

	CU_add_test(suite, "120x36", test_wide);
	CU_add_test(suite, "80x24", test_standard);
	CU_add_test(suite, "figures below a row", test_figures);
	CU_add_test(suite, "names shift nothing", test_names_shift_nothing);
	CU_add_test(suite, "small windows", test_small);
	CU_add_test(suite, "all sizes and pages", test_all_sizes_and_pages);
	CU_add_test(suite, "states in words", test_states);
	CU_add_test(suite, "metrics", test_metrics);
	CU_add_test(suite, "cell page", test_cell_page);
	CU_add_test(suite, "help page", test_help_page);
	CU_add_test(suite, "seven bits", test_ascii_is_seven_bits);
	CU_add_test(suite, "scrolling", test_scrolling);
	CU_add_test(suite, "heading in sight", test_heading_in_sight);
}
