/*
 * One picture: erase, lay out, draw the page. Main thread only.
 */
#include "ui/screen.h"

#include <string.h>

#include "core/text.h"
#include "ui/parts.h"

static void draw_too_small(const struct canvas *canvas)
{
	struct span line = { 0, getmaxx(canvas->window) };

	canvas_put(canvas, 0, line, ROLE_TEXT, "too small");
}

static void draw_page(const struct canvas *canvas, struct view *view, const struct frame *frame)
{
	int rows = getmaxy(canvas->window);
	struct pager pager = { .canvas = canvas, .top_y = 1, .rows = rows - 2 };

	if (pager.rows < 1)
		pager.rows = 1;
	/* Drawn outside the window first, to count: the end of the page stays at the bottom. */
	pager.first = (unsigned)-1;
	(view->page == PAGE_HELP ? help_draw : cell_draw)(&pager, frame);
	if (view->page_top + (unsigned)pager.rows > pager.n)
		view->page_top =
		        pager.n > (unsigned)pager.rows ? pager.n - (unsigned)pager.rows : 0;
	pager.first = view->page_top;
	pager.n = 0;
	(view->page == PAGE_HELP ? help_draw : cell_draw)(&pager, frame);
	head_draw(canvas, frame, (struct span){ 0, getmaxx(canvas->window) });
	footer_draw(canvas, frame, rows - 1);
}

void screen_draw(WINDOW *window, struct view *view, const struct frame *frame)
{
	struct canvas canvas = { window, frame->theme, frame->glyphs };
	struct span size = { getmaxx(window), getmaxy(window) };
	struct layout layout = view_layout(view, frame, size);

	werase(window);
	if (layout.kind == LAYOUT_TOO_SMALL) {
		draw_too_small(&canvas);
		return;
	}
	if (view->page != PAGE_RACE && size.width >= 3) {
		draw_page(&canvas, view, frame);
		return;
	}
	head_draw(&canvas, frame, (struct span){ 0, size.x });
	if (layout.kind == LAYOUT_LIST)
		list_draw(&canvas, frame, &layout);
	else
		race_draw(&canvas, frame, &layout);
	/* What must be read takes the footer where there is no line of its own. */
	if (layout.footer_y < 0 ||
	        (view->notice[0] != '\0' && layout.log_y < 0 && !view->asks_quit))
		log_draw(&canvas, frame, layout.footer_y);
	else
		footer_draw(&canvas, frame, layout.footer_y);
}

bool screen_cell_at(
        struct view *view, const struct frame *frame, struct span window, struct span position)
{
	struct layout layout = view_layout(view, frame, window);
	int x = position.x, y = position.width;
	bool is_found = false;

	if (layout.kind != LAYOUT_RACE || view->page != PAGE_RACE)
		return false;
	for (unsigned i = 0; i < layout.n_shown; i++) {
		if (x < layout.targets[i].x || x >= layout.targets[i].x + layout.targets[i].width)
			continue;
		view->column = layout.first_column + i;
		is_found = y > 0 && y < layout.table_y + (int)layout.n_lines;
	}
	if (is_found && y >= layout.table_y) {
		unsigned line = layout.first_line + (unsigned)(y - layout.table_y);

		if (line < frame->table->n_lines)
			view->row = frame->table->lines[line].row;
	}
	return is_found;
}
