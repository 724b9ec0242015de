/*
 * Small drawing parts: text put into an exact number of cells, sparklines, bars. Everything drawn
 * goes through canvas_put, which leaves no foreign character on the terminal that could shift a
 * column. The printing functions know no terminal and are tested alone. Main thread only.
 */
#ifndef FSDERBY_UI_WIDGET_H
#define FSDERBY_UI_WIDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#define NCURSES_NOMACROS 1
#include <curses.h>

#include "ui/span.h"
#include "ui/theme.h"

enum glyph_level {
	GLYPHS_ASCII,   /* seven bits */
	GLYPHS_CONSOLE, /* lines and shades that the Linux console's fonts have */
	GLYPHS_FULL,    /* braille and all */
};

/* A glyph stands for per_cell samples of 0..levels each; the first sample counts most. */
struct spark_table {
	unsigned per_cell, levels;
	const char *const *glyphs;
};

struct glyphs {
	enum glyph_level level;
	struct spark_table spark;
	const char *const *bar; /* parts of a full cell, from the smallest; the last is full */
	unsigned n_bar;
	const char *bar_rest;
	const char *progress_full, *progress_head, *progress_rest;
	const char *vertical, *horizontal, *down, *cross, *up; /* rules and where they meet */
	const char *flag;                                      /* before a target's name */
	const char *live, *cursor_row, *ellipsis, *times, *spread, *arrow, *left, *right;
	const char *dash; /* stands for a value that is not known */
};

const struct glyphs *glyphs_get(enum glyph_level level);

/* Where and how to draw. */
struct canvas {
	WINDOW *window;
	const struct theme *theme;
	const struct glyphs *glyphs;
};

enum align { ALIGN_LEFT, ALIGN_RIGHT };

/*
 * @text (UTF-8, foreign) as wide characters that take exactly @cells cells: cut with an ellipsis or
 * padded with blanks. Controls, direction marks and joiners never get through; in ASCII everything
 * above 126 becomes '?'. @out has @room for at least two characters a cell. Returns how many.
 */
size_t widget_fit(const struct glyphs *glyphs, const char *text, struct span cells,
        enum align align, wchar_t *out, size_t room);

/* Cells that @text takes. */
int widget_width(const struct glyphs *glyphs, const char *text);

/* Put @text into the span of line @y; outside of the window nothing is drawn. */
void canvas_put(const struct canvas *canvas, int y, struct span span, int role, const char *text);
void canvas_put_right(
        const struct canvas *canvas, int y, struct span span, int role, const char *text);

/* As canvas_put, but only as many cells as the text takes; returns the span that is left. */
struct span canvas_add(
        const struct canvas *canvas, int y, struct span span, int role, const char *text);

/* A horizontal rule over the whole width with @joint at the columns in @joints (ends at -1). */
void canvas_rule(const struct canvas *canvas, int y, const char *joint, const int *joints);

/*
 * The newest of @n samples as text of exactly @cells cells, newest at the right, scaled to the
 * largest shown. NaN is a gap (blank); a sample of 0 still shows a base line. Returns @out, which
 * needs 4 bytes a cell and one more.
 */
char *spark_print(char *out, size_t size, const struct spark_table *table, const float *samples,
        struct span n_and_cells);

/* A bar of @cells cells, @share 0..1 of it filled (clamped; NaN counts as 0). */
char *bar_print(char *out, size_t size, const struct glyphs *glyphs, double share, int cells);
char *progress_print(char *out, size_t size, const struct glyphs *glyphs, double share, int cells);

#endif
