/*
 * The layout. See the header; what is dropped, and in which order, is in drop_order and in the
 * fields' own order (the last goes first). Any thread: it knows nothing but its arguments.
 */
#include "ui/layout.h"

#include <string.h>

enum {
	RACE_COLUMNS_MIN = 40,
	RACE_ROWS_MIN = 10,
	LIST_COLUMNS_MIN = 16,
	LIST_ROWS_MIN = 2,
	LABEL_MIN = 12,
	LABEL_MAX = 24,
	TARGET_MIN = 19, /* below this a column is scrolled away, not squeezed */
	TARGET_MAX = 60,
	MARK_WIDTH = 2,
	FIELD_EXTRA_MAX = 3,
	LINES_WANTED = 8,
};

/* Offsets of the droppable lines in struct layout. */
static int *droppable(struct layout *layout, unsigned step)
{
	int *const order[] = {
		&layout->log_y,
		&layout->pane_y[PANE_DEVICE],
		&layout->pane_y[PANE_LATENCY],
		&layout->pane_y[PANE_CPU],
		&layout->pane_y[PANE_RATE],
		&layout->pane_y[PANE_PATH],
		&layout->rule_y[0],
		&layout->rule_y[2],
		&layout->rule_y[1],
		&layout->legend_y,
	};

	return step < sizeof(order) / sizeof(order[0]) ? order[step] : NULL;
}

/* Give the lines that are kept (not -1) their places. */
static void place_lines(struct layout *layout)
{
	int *const before[] = { &layout->head_y, &layout->rule_y[0] };
	int *const after[] = { &layout->footer_y, &layout->log_y, &layout->legend_y,
		&layout->rule_y[2] };
	int top = 0, bottom = layout->rows;

	for (unsigned i = 0; i < 2; i++)
		if (*before[i] >= 0)
			*before[i] = top++;
	for (unsigned i = 0; i < PANES; i++)
		if (layout->pane_y[i] >= 0)
			layout->pane_y[i] = top++;
	if (layout->rule_y[1] >= 0)
		layout->rule_y[1] = top++;
	layout->header_y = top++;
	layout->table_y = top;
	for (unsigned i = 0; i < 4; i++)
		if (*after[i] >= 0)
			*after[i] = --bottom;
	layout->n_lines = bottom > top ? (unsigned)(bottom - top) : 0;
}

static void fit_lines(struct layout *layout, const struct layout_request *request)
{
	unsigned wanted = layout->rows >= 24 ? LINES_WANTED : (unsigned)layout->rows / 3;
	int *drop;

	if (wanted > request->n_lines)
		wanted = request->n_lines;
	if (wanted == 0)
		wanted = 1;
	place_lines(layout);
	for (unsigned step = 0; layout->n_lines < wanted; step++) {
		drop = droppable(layout, step);
		if (drop == NULL)
			break;
		*drop = -1;
		place_lines(layout);
	}
	layout->first_line = request->first_line;
	if (layout->first_line + layout->n_lines > request->n_lines)
		layout->first_line =
		        request->n_lines > layout->n_lines ? request->n_lines - layout->n_lines : 0;
}

/* Values from the left until the width is used up; what is left over goes between them. */
static void fit_fields(struct layout *layout, const struct layout_request *request, int width)
{
	int used = MARK_WIDTH, extra, x;

	layout->mark = (struct span){ 0, MARK_WIDTH < width ? MARK_WIDTH : 0 };
	for (unsigned i = 0; i < request->n_fields && i < LAYOUT_FIELDS_MAX; i++) {
		if (used + request->field_widths[i] > width)
			break;
		used += request->field_widths[i];
		layout->n_fields++;
	}
	if (layout->n_fields == 0)
		return;
	extra = (width - used) / (int)layout->n_fields;
	if (extra > FIELD_EXTRA_MAX)
		extra = FIELD_EXTRA_MAX;
	x = MARK_WIDTH;
	for (unsigned i = 0; i < layout->n_fields; i++) {
		layout->fields[i] = (struct span){ x, request->field_widths[i] + extra };
		x += layout->fields[i].width;
	}
}

static void fit_columns(struct layout *layout, const struct layout_request *request)
{
	unsigned n = request->n_targets < TARGETS_MAX ? request->n_targets : TARGETS_MAX;
	int label = layout->columns / 4, room, width;
	unsigned fits;

	label = label < LABEL_MIN ? LABEL_MIN : label > LABEL_MAX ? LABEL_MAX : label;
	if (label > 18 && layout->columns < 100)
		label = 18; /* the values need the room more */
	/* A rule before each target, and one more cell for the rule after the last. */
	room = layout->columns - label - 1;
	fits = (unsigned)((room + 1) / (TARGET_MIN + 1));
	layout->n_shown = fits == 0 ? 1 : fits < n ? fits : n;
	width = (room + 1) / (int)layout->n_shown - 1;
	if (width > TARGET_MAX)
		width = TARGET_MAX;
	/* The cells that do not divide among the targets. */
	if (width < TARGET_MAX)
		label = layout->columns - (int)layout->n_shown * (width + 1);
	layout->label = (struct span){ 0, label };
	layout->first_column = request->first_column;
	if (layout->first_column + layout->n_shown > n)
		layout->first_column = n - layout->n_shown;
	for (unsigned i = 0; i < layout->n_shown; i++) {
		int x = label + (int)i * (width + 1);

		layout->joints[layout->n_joints++] = x;
		layout->targets[i] = (struct span){ x + 1, width };
		if (i + 1 == layout->n_shown && x + 1 + width < layout->columns)
			layout->joints[layout->n_joints++] = x + 1 + width;
	}
	fit_fields(layout, request, width);
}

/* One line a target below the head. */
static void fit_list(struct layout *layout, const struct layout_request *request)
{
	unsigned n = request->n_targets < TARGETS_MAX ? request->n_targets : TARGETS_MAX;
	unsigned room;

	layout->kind = LAYOUT_LIST;
	layout->head_y = 0;
	layout->table_y = 1;
	layout->footer_y = layout->rows >= 4 ? layout->rows - 1 : -1;
	room = (unsigned)(layout->rows - 1 - (layout->footer_y >= 0));
	layout->n_shown = room < n ? room : n;
	layout->first_column = request->first_column;
	if (layout->first_column + layout->n_shown > n)
		layout->first_column = n - layout->n_shown;
	for (unsigned i = 0; i < layout->n_shown; i++)
		layout->targets[i] = (struct span){ 0, layout->columns };
}

void layout_compute(struct layout *layout, const struct layout_request *request)
{
	memset(layout, 0, sizeof(*layout));
	layout->columns = request->columns;
	layout->rows = request->rows;
	if (request->columns < LIST_COLUMNS_MIN || request->rows < LIST_ROWS_MIN ||
	        request->n_targets == 0) {
		layout->kind = LAYOUT_TOO_SMALL;
	} else if (request->columns < RACE_COLUMNS_MIN || request->rows < RACE_ROWS_MIN) {
		memset(layout->rule_y, -1, sizeof(layout->rule_y));
		memset(layout->pane_y, -1, sizeof(layout->pane_y));
		layout->header_y = layout->legend_y = layout->log_y = -1;
		fit_list(layout, request);
	} else {
		layout->kind = LAYOUT_RACE;
		fit_columns(layout, request);
		fit_lines(layout, request);
	}
	layout->joints[layout->n_joints] = -1;
}
