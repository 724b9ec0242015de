/*
 * A made-up run to draw: report, results, table, board and view, put together by hand.
 */
#ifndef FSDERBY_TESTS_TUI_SCENE_H
#define FSDERBY_TESTS_TUI_SCENE_H

#include "ui/view.h"

struct scene {
	struct report *report;
	struct report_view results;
	struct table table;
	struct board *board;
	struct theme theme;
	struct view view;
	enum glyph_level glyphs;
};

/* @n targets; the rows before @row are done in every target, @row runs on the first. */
int scene_init(struct scene *scene, unsigned n_targets, unsigned row);
void scene_release(struct scene *scene);
struct frame scene_frame(const struct scene *scene);

/* Put the board into its state after @seconds. */
void scene_play(struct scene *scene, double seconds);

/* Make the table anew after results were added. */
int scene_renew(struct scene *scene);

enum { SCENE_ROWS = 10 };

#endif
