/*
 * The layout, swept over every size: all inside, nothing overlaps.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "ui/layout.h"

void suite_layout(void);

enum { COLUMNS_MAX = 300, ROWS_MAX = 100 };

static struct layout_request request_for(int columns, int rows, unsigned targets)
{
	return (struct layout_request){
		.columns = columns,
		.rows = rows,
		.n_targets = targets,
		.n_lines = 34,
		.first_column = targets / 2,
		.first_line = 20,
		.n_fields = 4,
		.field_widths = { 8, 9, 5, 5 },
	};
}

static bool is_inside(struct span span, int columns)
{
	return span.x >= 0 && span.width >= 0 && span.x + span.width <= columns;
}

/* Every line that is kept has a row of its own and they rise in the order they are drawn. */
static bool lines_rise(const struct layout *layout)
{
	int last = -1;
	const int head[] = { layout->head_y, layout->rule_y[0] };
	const int tail[] = { layout->rule_y[2], layout->legend_y, layout->log_y, layout->footer_y };

	for (unsigned i = 0; i < 2; i++) {
		if (head[i] >= 0 && head[i] <= last)
			return false;
		last = head[i] >= 0 ? head[i] : last;
	}
	for (unsigned i = 0; i < PANES; i++) {
		if (layout->pane_y[i] >= 0 && layout->pane_y[i] <= last)
			return false;
		last = layout->pane_y[i] >= 0 ? layout->pane_y[i] : last;
	}
	if (layout->rule_y[1] >= 0 && layout->rule_y[1] <= last)
		return false;
	last = layout->rule_y[1] >= 0 ? layout->rule_y[1] : last;
	if (layout->header_y <= last || layout->table_y <= layout->header_y)
		return false;
	last = layout->table_y + (int)layout->n_lines - 1;
	for (unsigned i = 0; i < 4; i++) {
		if (tail[i] >= 0 && tail[i] <= last)
			return false;
		last = tail[i] >= 0 ? tail[i] : last;
	}
	return last < layout->rows;
}

static bool columns_fit(const struct layout *layout, unsigned targets)
{
	int end = layout->label.x + layout->label.width;

	if (layout->n_shown < 1 || layout->first_column + layout->n_shown > targets)
		return false;
	for (unsigned i = 0; i < layout->n_shown; i++) {
		/* The rule lies in the cell between. */
		if (layout->targets[i].x < end + 1 || layout->targets[i].width < 1 ||
		        !is_inside(layout->targets[i], layout->columns))
			return false;
		end = layout->targets[i].x + layout->targets[i].width;
	}
	for (int i = 0; i < layout->n_joints; i++)
		if (layout->joints[i] < 0 || layout->joints[i] >= layout->columns)
			return false;
	return layout->joints[layout->n_joints] == -1;
}

static bool fields_fit(const struct layout *layout)
{
	int end = layout->mark.x + layout->mark.width;

	for (unsigned i = 0; i < layout->n_fields; i++) {
		if (layout->fields[i].x < end || layout->fields[i].width < 2)
			return false;
		end = layout->fields[i].x + layout->fields[i].width;
	}
	return end <= layout->targets[0].width;
}

static bool list_fits(const struct layout *layout, unsigned targets)
{
	int bottom = layout->footer_y >= 0 ? layout->footer_y : layout->rows;

	return layout->n_shown >= 1 && layout->first_column + layout->n_shown <= targets &&
	       layout->table_y + (int)layout->n_shown <= bottom;
}

static bool is_good(const struct layout *layout, unsigned targets)
{
	if (layout->kind == LAYOUT_TOO_SMALL)
		return true;
	if (layout->kind == LAYOUT_LIST)
		return list_fits(layout, targets);
	return columns_fit(layout, targets) && fields_fit(layout) && lines_rise(layout) &&
	       layout->n_lines >= 1 && layout->label.width >= 1;
}

static void test_sweep(void)
{
	unsigned bad = 0;

	for (unsigned targets = 1; targets <= TARGETS_MAX; targets++)
		for (int columns = 1; columns <= COLUMNS_MAX; columns++)
			for (int rows = 1; rows <= ROWS_MAX; rows++) {
				struct layout_request request = request_for(columns, rows, targets);
				struct layout layout;

				layout_compute(&layout, &request);
				if (!is_good(&layout, targets) && bad++ == 0)
					fprintf(stderr, "bad: %u targets, %dx%d\n", targets,
					        columns, rows);
			}
	CU_ASSERT_EQUAL(bad, 0);
}

static void test_kinds(void)
{
	static const struct {
		int columns, rows;
		enum layout_kind kind;
	} cases[] = {
		{ 80, 24, LAYOUT_RACE },
		{ 40, 10, LAYOUT_RACE },
		{ 39, 10, LAYOUT_LIST },
		{ 40, 9, LAYOUT_LIST },
		{ 16, 2, LAYOUT_LIST },
		{ 15, 30, LAYOUT_TOO_SMALL },
		{ 1, 1, LAYOUT_TOO_SMALL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct layout_request request = request_for(cases[i].columns, cases[i].rows, 3);
		struct layout layout;

		layout_compute(&layout, &request);
		CU_ASSERT_EQUAL(layout.kind, cases[i].kind);
	}
}

static void test_what_is_dropped(void)
{
	struct layout_request request = request_for(120, 36, 3);
	struct layout layout;

	layout_compute(&layout, &request);
	CU_ASSERT_EQUAL(layout.n_shown, 3);
	CU_ASSERT_EQUAL(layout.n_fields, 4);
	for (unsigned i = 0; i < PANES; i++)
		CU_ASSERT(layout.pane_y[i] > 0);

	request = request_for(80, 24, 3);
	layout_compute(&layout, &request);
	CU_ASSERT_EQUAL(layout.n_shown, 3);
	CU_ASSERT_EQUAL(layout.n_fields, 2); /* spread and cpu went */
	CU_ASSERT(layout.n_lines >= 8);

	request = request_for(80, 18, 3);
	layout_compute(&layout, &request);
	CU_ASSERT(layout.pane_y[PANE_DEVICE] < 0);
	CU_ASSERT(layout.pane_y[PANE_RATE] > 0);

	request = request_for(80, 10, 3);
	layout_compute(&layout, &request);
	CU_ASSERT(layout.pane_y[PANE_RATE] < 0);
	CU_ASSERT(layout.pane_y[PANE_PROGRESS] > 0);
}

static void test_scroll_is_corrected(void)
{
	struct layout_request request = request_for(80, 24, 8);
	struct layout layout;

	request.first_column = 1000;
	request.first_line = 1000;
	layout_compute(&layout, &request);
	CU_ASSERT_EQUAL(layout.first_column + layout.n_shown, 8);
	CU_ASSERT_EQUAL(layout.first_line + layout.n_lines, 34);
}

void suite_layout(void)
{
	CU_pSuite suite = CU_add_suite("layout", NULL, NULL);

	CU_add_test(suite, "every size", test_sweep);
	CU_add_test(suite, "kinds", test_kinds);
	CU_add_test(suite, "what is dropped", test_what_is_dropped);
	CU_add_test(suite, "scroll", test_scroll_is_corrected);
}
