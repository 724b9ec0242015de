/*
 * The screen: the dashboard in a terminal. Owns the terminal, and nothing else: it watches a run
 * through its board and report and talks to it by commands. Main thread only.
 */
#ifndef FSDERBY_UI_UI_H
#define FSDERBY_UI_UI_H

#include <stdbool.h>

#include "core/error.h"
#include "engine/run.h"

enum ui_color { UI_COLOR_AUTO, UI_COLOR_ALWAYS, UI_COLOR_NEVER };

struct ui_options {
	enum ui_color color;
	const char *theme; /* name or file; NULL: default */
	bool ascii, no_mouse;
	bool hangup_continues; /* --hangup=continue */
	/* Called once in the main thread when the run has ended (exports); may be NULL. Its text
	 * (at most @size bytes) is shown in the log line. */
	void (*on_end)(void *context, char *text, size_t size);
	void *context;
};

/* How the screen was left. */
struct ui_outcome {
	int signal;         /* that ended it, 0 none */
	bool terminal_lost; /* hung up: go on without a screen when hangup_continues */
	bool lane_hangs;    /* the user left while a lane did not answer */
};

/* Blocked in all threads before the first starts; the screen and the batch loop read them. */
void ui_block_signals(void);

/*
 * Show @run until it has ended and the user leaves. Returns 0, or a negative errno with a message
 * when the terminal cannot be used at all (then nothing was drawn).
 */
int ui_run(struct run *run, const struct ui_options *options, struct ui_outcome *outcome,
        struct error *err);

#endif
