/*
 * The one table of keys: what dispatches, what F1 explains and what the footer shows. And the
 * decoder that makes sense of escape sequences which curses does not know or got in pieces.
 * Main thread only.
 */
#ifndef FSDERBY_UI_KEYS_H
#define FSDERBY_UI_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/view.h"

enum { KEY_ESCAPE = 27, KEY_NONE = -1, KEYS_PER_ACTION = 5 };

enum action {
	ACTION_NONE,
	ACTION_HELP,
	ACTION_PAUSE,
	ACTION_PAUSE_TARGET,
	ACTION_PAUSE_BOUNDARY,
	ACTION_SKIP,
	ACTION_METRIC,
	ACTION_FREEZE,
	ACTION_FASTER,
	ACTION_SLOWER,
	ACTION_OPEN,
	ACTION_FOLLOW,
	ACTION_UP,
	ACTION_DOWN,
	ACTION_LEFT,
	ACTION_RIGHT,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_FIRST,
	ACTION_LAST,
	ACTION_BACK,
	ACTION_REDRAW,
	ACTION_QUIT,
};

struct key_binding {
	enum action action;
	int keys[KEYS_PER_ACTION];
	const char *name;   /* of the key, as people say it */
	const char *footer; /* short word; NULL: not in the footer */
	const char *help;
	unsigned pages; /* bit (1 << page) where it does something */
};

/* The table; NULL past the last. */
const struct key_binding *keys_at(unsigned index);

/* What @key does on @page; ACTION_NONE if nothing. */
enum action keys_action(enum page page, int key);

struct keys {
	enum { KEYS_PLAIN, KEYS_AFTER_ESCAPE, KEYS_IN_SEQUENCE } state;
	uint64_t at_ns;
};

/* Teach curses the sequences that terminfo leaves out. */
void keys_begin(struct keys *keys);

/*
 * One key as curses gives it, at @now_ns (the same for all that were read at once): the key it
 * means, or KEY_NONE when it is part of a sequence or of a combination with Alt (which does
 * nothing).
 */
int keys_filter(struct keys *keys, int key, uint64_t now_ns);

#endif
