/*
 * The table of keys and the escape sequence filter. Main thread only.
 */
#include "ui/keys.h"

#include <stddef.h>

#include "measure/clock.h"
#include "ui/widget.h"

#define ON_RACE  (1U << PAGE_RACE)
#define ON_CELL  (1U << PAGE_CELL)
#define ON_HELP  (1U << PAGE_HELP)
#define ON_PAGES (ON_CELL | ON_HELP)
#define ON_ALL   (ON_RACE | ON_PAGES)
#define CTRL(c)  ((c)&0x1f)

enum {
	ALT_NS = 1000 * 1000,            /* ESC and a key in one packet: Alt */
	SEQUENCE_NS = 500 * 1000 * 1000, /* the rest of a sequence cut by a slow line */
};

struct sequence {
	const char *bytes;
	int key;
};

static const struct key_binding bindings[] = {
	{ ACTION_HELP, { KEY_F(1), '?' }, "F1 ?", "help", "what the keys and marks mean",
	        ON_RACE | ON_CELL },
	{ ACTION_BACK, { KEY_ESCAPE, KEY_BACKSPACE, 127, 8 }, "Esc", "back", "back to the race",
	        ON_PAGES },
	{ ACTION_PAUSE, { ' ' }, "Space", "pause",
	        "pause everything, or go on: all clocks stop with it", ON_ALL },
	{ ACTION_PAUSE_TARGET, { 'P' }, "P", "pause one",
	        "pause only the target under the cursor, or let it go on", ON_RACE | ON_CELL },
	{ ACTION_PAUSE_BOUNDARY, { 'b' }, "b", "at phase end",
	        "pause when the phases under way have ended; again: take it back", ON_ALL },
	{ ACTION_SKIP, { 'n' }, "n", "skip",
	        "end the phase that runs on the target under the cursor; it is kept, unranked",
	        ON_RACE | ON_CELL },
	{ ACTION_METRIC, { 'm' }, "m", "metric",
	        "what the cells show: overview, time, rate, cpu, all, p99, …", ON_RACE },
	{ ACTION_OPEN, { '\r', '\n', KEY_ENTER }, "Enter", "details",
	        "everything about the cell under the cursor", ON_RACE },
	{ ACTION_FREEZE, { 'z' }, "z", "freeze", "freeze the picture, not the load; again: thaw",
	        ON_RACE | ON_CELL },
	{ ACTION_FOLLOW, { 'f' }, "f", "follow", "let the cursor follow the phase that runs",
	        ON_RACE },
	{ ACTION_FASTER, { '+', '=' }, "+", "faster",
	        "renew the picture more often, up to 10 times a second", ON_ALL },
	{ ACTION_SLOWER, { '-' }, "-", "slower",
	        "renew the picture less often, down to once in 2 s", ON_ALL },
	{ ACTION_LEFT, { KEY_LEFT, 'h' }, "Left h", NULL, "to the target on the left", ON_RACE },
	{ ACTION_RIGHT, { KEY_RIGHT, 'l' }, "Right l", NULL, "to the target at the right",
	        ON_RACE },
	{ ACTION_UP, { KEY_UP, 'k' }, "Up k", NULL, "one row up", ON_ALL },
	{ ACTION_DOWN, { KEY_DOWN, 'j' }, "Down j", NULL, "one row down", ON_ALL },
	{ ACTION_PAGE_UP, { KEY_PPAGE, CTRL('b') }, "PgUp", NULL, "a page up", ON_ALL },
	{ ACTION_PAGE_DOWN, { KEY_NPAGE, CTRL('f') }, "PgDn", NULL, "a page down", ON_ALL },
	{ ACTION_FIRST, { KEY_HOME, 'g' }, "Home g", NULL, "to the first row", ON_ALL },
	{ ACTION_LAST, { KEY_END, 'G' }, "End G", NULL, "to the last row", ON_ALL },
	{ ACTION_REDRAW, { CTRL('l') }, "Ctrl-L", NULL, "draw the screen anew", ON_ALL },
	{ ACTION_QUIT, { 'q' }, "q", "quit", "leave; asks while the run goes on", ON_ALL },
};

static const struct sequence sequences[] = {
	{ "\033OP", KEY_F(1) },
	{ "\033[11~", KEY_F(1) },
	{ "\033[[A", KEY_F(1) },
	{ "\033[A", KEY_UP },
	{ "\033OA", KEY_UP },
	{ "\033[B", KEY_DOWN },
	{ "\033OB", KEY_DOWN },
	{ "\033[C", KEY_RIGHT },
	{ "\033OC", KEY_RIGHT },
	{ "\033[D", KEY_LEFT },
	{ "\033OD", KEY_LEFT },
	{ "\033[5~", KEY_PPAGE },
	{ "\033[6~", KEY_NPAGE },
	{ "\033[H", KEY_HOME },
	{ "\033[1~", KEY_HOME },
	{ "\033OH", KEY_HOME },
	{ "\033[F", KEY_END },
	{ "\033[4~", KEY_END },
	{ "\033OF", KEY_END },
};
/* clang-format on */

const struct key_binding *keys_at(unsigned index)
{
	return index < sizeof(bindings) / sizeof(bindings[0]) ? &bindings[index] : NULL;
}

enum action keys_action(enum page page, int key)
{
	const struct key_binding *binding;

	if (key <= 0)
		return ACTION_NONE;
	for (unsigned i = 0; (binding = keys_at(i)) != NULL; i++) {
		if ((binding->pages & 1U << page) == 0)
			continue;
		for (unsigned k = 0; k < KEYS_PER_ACTION; k++)
			if (binding->keys[k] == key)
				return binding->action;
	}
	return ACTION_NONE;
}

void keys_begin(struct keys *keys)
{
	*keys = (struct keys){ .state = KEYS_PLAIN };
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		if (key_defined(sequences[i].bytes) == 0)
			define_key(sequences[i].bytes, sequences[i].key);
}

/* The last character of a sequence that came in pieces. */
static int sequence_end(struct keys *keys, int key)
{
	static const int arrows[] = { KEY_UP, KEY_DOWN, KEY_RIGHT, KEY_LEFT };

	if (key == '[' || (key >= 0x20 && key < 0x40))
		return KEY_NONE;
	keys->state = KEYS_PLAIN;
	return key >= 'A' && key <= 'D' ? arrows[key - 'A'] : KEY_NONE;
}

int keys_filter(struct keys *keys, int key, uint64_t now_ns)
{
	uint64_t since = now_ns - keys->at_ns;

	if (keys->state != KEYS_PLAIN && since > SEQUENCE_NS)
		keys->state = KEYS_PLAIN;
	if (keys->state == KEYS_IN_SEQUENCE)
		return sequence_end(keys, key);
	if (keys->state == KEYS_AFTER_ESCAPE) {
		keys->state = KEYS_PLAIN;
		if (key == '[' || key == 'O') {
			keys->state = KEYS_IN_SEQUENCE;
			return KEY_NONE;
		}
		if (since < ALT_NS && key != KEY_ESCAPE && key < 256)
			return KEY_NONE;
	}
	if (key == KEY_ESCAPE) {
		keys->state = KEYS_AFTER_ESCAPE;
		keys->at_ns = now_ns;
	}
	return key;
}
