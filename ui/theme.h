/*
 * Colours by role. A theme file says for each role "foreground, background, attributes"; what a
 * terminal cannot show falls back: 256 colours to 16, 8 and attributes alone.
 *
 *     [theme]  name, about
 *     [roles]  ROLE = COLOUR, COLOUR, ATTRIBUTE ATTRIBUTE
 *     [16] [8] [mono]  the same, for terminals with fewer colours, where the fallback will not do
 *
 * COLOUR: default, black, red, green, yellow, blue, magenta, cyan, white, the same with bright-
 * before, or 0 to 255. ATTRIBUTE: bold, dim, underline, reverse, italic. Main thread only.
 */
#ifndef FSDERBY_UI_THEME_H
#define FSDERBY_UI_THEME_H

#define NCURSES_NOMACROS 1
#include <curses.h>

#include "core/error.h"

enum role {
	ROLE_TEXT,
	ROLE_DIM,  /* what is not there yet, rules of thumb, units */
	ROLE_HEAD, /* the head line */
	ROLE_RULE,
	ROLE_TITLE, /* headings */
	ROLE_LABEL, /* a target's name */
	ROLE_RUNNING,
	ROLE_PAUSED,
	ROLE_WARNING,
	ROLE_ERROR,
	ROLE_GOOD,
	ROLE_LIVE, /* the cell that moves */
	ROLE_MARK,
	ROLE_BAR, /* bars and progress */
	ROLE_KEY, /* a key in the footer */
	ROLE_KEY_TEXT,
	ROLE_SERIES1, /* colours of targets, in turn */
	ROLE_SERIES2,
	ROLE_SERIES3,
	ROLE_SERIES4,
	ROLE_SERIES5,
	ROLE_SERIES6,
	ROLE_COUNT,
	ROLE_SERIES = ROLE_SERIES6 - ROLE_SERIES1 + 1,
	ROLE_CURSOR = 1 << 8, /* flag: the cell under the cursor (reverse) */
};

struct theme_style {
	short foreground, background; /* -1: the terminal's own */
	attr_t attributes;
};

struct theme {
	char name[64];
	int colors; /* 0 (mono), 8, 16 or 256 */
	struct theme_style styles[ROLE_COUNT];
	attr_t attributes[ROLE_COUNT]; /* with the colour pair, after theme_apply */
};

/* The role's word in theme files. */
const char *theme_role_name(enum role role);

/* Read a theme from its text for a terminal with @colors colours. Says file, role and fault. */
int theme_parse(struct theme *theme, const char *text, int colors, struct error *err);

/* Find @name (NULL: default): a file when it has a '/' or ends in .theme, else a built-in one. */
int theme_load(struct theme *theme, const char *name, int colors, struct error *err);

/* Make the colour pairs; curses must have begun (and start_color, when colors > 0). */
void theme_apply(struct theme *theme, bool has_default_colors);

/* Attributes of a role with its flags. */
attr_t theme_attributes(const struct theme *theme, int role);

#endif
