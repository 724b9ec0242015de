/*
 * The parts that pages are put together from; each draws its own lines and no others. Only for
 * ui/screen.c and its neighbours. Main thread only.
 */
#ifndef FSDERBY_UI_PARTS_H
#define FSDERBY_UI_PARTS_H

#include "ui/keys.h"
#include "ui/view.h"

/* The head line: state, round, phase, schedule, times. */
void head_draw(const struct canvas *canvas, const struct frame *frame, struct span line);
/* Word and role of the run's state. */
const char *head_state(const struct frame *frame, int *role);

/* A target's pane. */
void panes_draw(
        const struct canvas *canvas, const struct frame *frame, const struct layout *layout);
/* A target in one line, for small windows. */
void list_draw(const struct canvas *canvas, const struct frame *frame, const struct layout *layout);

void race_draw(const struct canvas *canvas, const struct frame *frame, const struct layout *layout);
void race_table_draw(
        const struct canvas *canvas, const struct frame *frame, const struct layout *layout);

/* Legend of marks, the latest message, the keys. */
void legend_draw(const struct canvas *canvas, const struct frame *frame, int y);
void log_draw(const struct canvas *canvas, const struct frame *frame, int y);
void footer_draw(const struct canvas *canvas, const struct frame *frame, int y);

/* Pages of lines that scroll: between the head and the footer. */
struct pager {
	const struct canvas *canvas;
	int top_y, rows;
	unsigned first, n; /* line at the top; lines so far */
};

void pager_line(struct pager *pager, int role, const char *text);
void pager_format(struct pager *pager, int role, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

void help_draw(struct pager *pager, const struct frame *frame);
void cell_draw(struct pager *pager, const struct frame *frame);

/* The glyph of mark @bit for this terminal. */
const char *mark_glyph(const struct glyphs *glyphs, unsigned bit);

/* @value of @metric as people read it ("3.21s", "21.3k", "202 MiB"). */
char *value_print(char out[32], enum metric metric, const char *unit, double value);

/* "0:14", "8:10", "1:02:03"; "--" when negative: not known. @out has 32 bytes. */
char *left_print(char out[32], double seconds);

/* "files/s", "bytes/s" */
char *rate_unit_print(char *out, size_t size, const char *unit);

#endif
