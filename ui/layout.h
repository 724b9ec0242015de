/*
 * Where everything goes: a pure function of the window's size, the number of targets and what is to
 * be shown. What does not fit is dropped in a fixed order. Nothing lies outside the window and
 * nothing overlaps, for any input.
 */
#ifndef FSDERBY_UI_LAYOUT_H
#define FSDERBY_UI_LAYOUT_H

#include <stdbool.h>

#include "core/target.h"
#include "ui/span.h"

enum layout_kind {
	LAYOUT_TOO_SMALL, /* the words only */
	LAYOUT_LIST,      /* a line a target */
	LAYOUT_RACE,
};

/* Lines of a target's pane, from top to bottom. */
enum pane {
	PANE_LABEL,
	PANE_PATH,
	PANE_RATE,
	PANE_LATENCY,
	PANE_CPU,
	PANE_DEVICE,
	PANE_PROGRESS,
	PANES
};

enum { LAYOUT_FIELDS_MAX = 4 };

struct layout_request {
	int columns, rows;                 /* of the window */
	unsigned n_targets;                /* at least 1 */
	unsigned n_lines;                  /* of the table */
	unsigned first_column, first_line; /* wanted scroll; corrected in the result */
	unsigned n_fields;                 /* values in a cell */
	int field_widths[LAYOUT_FIELDS_MAX];
};

struct layout {
	enum layout_kind kind;
	int columns, rows;
	struct span label;                     /* phase column */
	unsigned first_column, n_shown;        /* targets in sight */
	struct span targets[TARGETS_MAX];      /* index 0: first_column */
	int n_joints, joints[TARGETS_MAX + 2]; /* columns of the vertical rules, ends with -1 */
	struct span mark;                      /* within a target's span, from its x */
	unsigned n_fields;
	struct span fields[LAYOUT_FIELDS_MAX];
	/* Lines; -1: dropped. */
	int head_y, rule_y[3], pane_y[PANES], header_y, table_y, legend_y, log_y, footer_y;
	unsigned first_line, n_lines; /* of the table, in sight */
};

void layout_compute(struct layout *layout, const struct layout_request *request);

#endif
