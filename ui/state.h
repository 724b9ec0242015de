/*
 * The state of the running screen, shared by ui/ui.c (loop), ui/actions.c (keys) and
 * ui/signals.c. Main thread only.
 */
#ifndef FSDERBY_UI_STATE_H
#define FSDERBY_UI_STATE_H

#include <signal.h>
#include <stdint.h>

#include "ui/keys.h"
#include "ui/terminal.h"
#include "ui/ui.h"
#include "ui/view.h"

struct ui {
	struct run *run;
	const struct ui_options *options;
	struct ui_outcome *outcome;
	struct terminal terminal;
	struct theme theme;
	struct keys keys;
	struct view view;
	struct board *board;        /* as shown */
	struct report_view results; /* what `table` was made from */
	struct table table;
	bool has_table, is_dirty, is_dirty_now; /* _now: a key was pressed, do not wait */
	bool is_leaving;                        /* the loop ends */
	bool leaves_at_end;                     /* when the run has ended, without asking */
	bool is_headless;                       /* the terminal is lost: only wait for the end */
	int signal_fd, board_fd;
	uint64_t drawn_ns, pause_asked_ns, stop_asked_ns, notice_ns;
};

struct frame ui_frame(const struct ui *ui);
void ui_notice(struct ui *ui, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Take the newest board over (and the table, when it has changed), unless frozen. */
void ui_take_board(struct ui *ui);

/* Send a command; what went wrong is shown. */
void ui_command(struct ui *ui, enum command_kind kind, int target);
/* Ask the run to end in order. */
void ui_stop(struct ui *ui);
/* A key or a click, as keys_filter gives it. */
void ui_key(struct ui *ui, int key);
/* All that has arrived in the signalfd. */
void ui_read_signals(struct ui *ui);
/* The terminal is gone: end the run, or leave it alone, as the options say. */
void ui_lose_terminal(struct ui *ui);

/* Descriptor for those signals that are blocked and the screen cares for; negative errno. */
int signals_open(void);

#endif
