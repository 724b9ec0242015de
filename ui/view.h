/*
 * What a picture is made of. A screen is a function of a frame and the window's size and can be
 * drawn into any curses window. The view state is all that keys change. Main thread only.
 */
#ifndef FSDERBY_UI_VIEW_H
#define FSDERBY_UI_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/board.h"
#include "results/report.h"
#include "results/table.h"
#include "ui/layout.h"
#include "ui/widget.h"

enum page { PAGE_RACE, PAGE_CELL, PAGE_HELP };

struct view {
	enum page page, back; /* back: page under the help */
	unsigned row, column; /* under the cursor: row of the report, target */
	bool follows;         /* the cursor goes with the running phase */
	unsigned first_line, first_column, page_top;
	unsigned metric; /* 0: overview, else 1 + enum metric */
	unsigned refresh_ms;
	bool is_frozen, is_pausing, asks_quit, is_ending, has_ended;
	char notice[256]; /* shown instead of the log line */
};

struct frame {
	const struct report *report;
	const struct report_view *results;
	const struct table *table;
	const struct board *board;
	const struct theme *theme;
	const struct glyphs *glyphs;
	const struct view *view;
};

enum { REFRESH_MIN_MS = 100, REFRESH_MAX_MS = 2000 };

void view_init(struct view *view);

/* The line of the table that @row stands in. */
unsigned view_line_of(const struct table *table, unsigned row);

/* The layout of the race for a window; scrolls @view so that its cursor is in sight. */
struct layout view_layout(struct view *view, const struct frame *frame, struct span window);

/* Where the run is now: the row under way of the target whose turn it is. */
void view_follow(struct view *view, const struct board *board);

#endif
