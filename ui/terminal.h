/*
 * The terminal: entered and left in one place, put back on every way out, a crash included. Main
 * thread only, but for the crash handler, which any thread may run.
 */
#ifndef FSDERBY_UI_TERMINAL_H
#define FSDERBY_UI_TERMINAL_H

#include <stdbool.h>

#include "core/error.h"
#include "ui/ui.h"
#include "ui/widget.h"

struct terminal {
	bool is_open;
	bool has_mouse, has_default_colors;
	int colors; /* 0, 8, 16 or 256 that may be used */
	enum glyph_level glyphs;
	char hint[200]; /* something the user should know, or "" */
	SCREEN *screen;
};

/*
 * Begin: alternate screen, no echo, no cursor, mouse reports. -ENOTTY with a message where there is
 * no terminal, or one without cursor addressing (TERM=dumb or unset): then nothing was written.
 */
int terminal_open(struct terminal *terminal, const struct ui_options *options, struct error *err);

/* Put everything back. May be called twice. */
void terminal_close(struct terminal *terminal);

/* Take over the window's size if it has changed. */
void terminal_fit(struct terminal *terminal);

/* Leave for a while (job control), and come back: the next drawing is a full one. */
void terminal_suspend(struct terminal *terminal);
void terminal_resume(struct terminal *terminal);

/* Draw everything anew at the next update (Ctrl-L). */
void terminal_redraw(struct terminal *terminal);

/* How many colours may be used: --color, NO_COLOR and what the terminal has (its `colors`). */
int terminal_color_depth(enum ui_color color, const char *no_color, int has);

/* Which glyphs: UTF-8 or not, --ascii, TERM. */
enum glyph_level terminal_glyph_level(bool is_utf8, bool ascii, const char *term);

/* What to try for a TERM that is not known here. */
const char *terminal_fallback(const char *term);

#endif
