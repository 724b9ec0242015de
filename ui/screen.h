/*
 * A whole picture into any curses window: the page that the view is on. Main thread only.
 */
#ifndef FSDERBY_UI_SCREEN_H
#define FSDERBY_UI_SCREEN_H

#include "ui/view.h"

/* Draw the page of frame->view (which must be @view) and keep @view's scroll in range. */
void screen_draw(WINDOW *window, struct view *view, const struct frame *frame);

/* What a click at @y, @x of the picture last laid out means: the cell, or false. */
bool screen_cell_at(
        struct view *view, const struct frame *frame, struct span window, struct span position);

#endif
