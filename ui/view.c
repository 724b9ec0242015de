/*
 * The view state and what follows from it. Main thread only.
 */
#include "ui/view.h"

#include <string.h>

/* What a cell holds: time, rate, cpu, spread; or one metric, its ratio and spread. */
static const int overview_widths[] = { 8, 9, 5, 5 };
static const int metric_widths[] = { 9, 8, 6 };

void view_init(struct view *view)
{
	*view = (struct view){ .follows = true, .refresh_ms = REFRESH_MIN_MS };
}

unsigned view_line_of(const struct table *table, unsigned row)
{
	unsigned line = 0;

	while (line < table->n_lines &&
	        (table->lines[line].row != row || table->lines[line].kind != LINE_ROW))
		line++;
	return line;
}

void view_follow(struct view *view, const struct board *board)
{
	for (unsigned t = 0; t < board->n_targets; t++) {
		const struct board_target *target = &board->targets[t];

		if (target->row < 0 || target->place != 0 || target->state == LANE_WAITING ||
		        target->state == LANE_DONE || target->state == LANE_FAILED)
			continue;
		view->row = (unsigned)target->row;
		view->column = t;
		return;
	}
}

/* The scroll that has @at in a window of @shown places that begins at @first. */
static unsigned scrolled(unsigned first, unsigned at, unsigned shown)
{
	if (at < first)
		return at;
	return shown > 0 && at >= first + shown ? at - shown + 1 : first;
}

struct layout view_layout(struct view *view, const struct frame *frame, struct span window)
{
	const struct table *table = frame->table;
	struct layout_request request = {
		.columns = window.x,
		.rows = window.width,
		.n_targets = table->n_targets,
		.n_lines = table->n_lines,
		.first_column = view->first_column,
		.first_line = view->first_line,
		.n_fields = view->metric == 0 ? 4 : 3,
	};
	struct layout layout;
	unsigned line, row = view->row < table->n_rows ? view->row : 0;

	memcpy(request.field_widths, view->metric == 0 ? overview_widths : metric_widths,
	        request.n_fields * sizeof(int));
	layout_compute(&layout, &request);
	line = view_line_of(table, row);
	/* The heading comes into sight with the first row of its group. */
	if (line < layout.first_line + 1 && line > 0 && table->n_rows > 0 &&
	        table_begins_group(table, row))
		line--;
	request.first_line = scrolled(layout.first_line, line, layout.n_lines);
	request.first_column = scrolled(layout.first_column, view->column, layout.n_shown);
	layout_compute(&layout, &request);
	view->first_line = layout.first_line;
	view->first_column = layout.first_column;
	return layout;
}
