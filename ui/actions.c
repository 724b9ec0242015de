/*
 * What keys do: change the view, or send the run a command. Main thread only.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "measure/clock.h"
#include "ui/screen.h"
#include "ui/state.h"

static const unsigned refresh_steps[] = { REFRESH_MIN_MS, 200, 500, 1000, REFRESH_MAX_MS };

enum { N_REFRESH_STEPS = sizeof(refresh_steps) / sizeof(refresh_steps[0]), WHEEL_LINES = 3 };

void ui_notice(struct ui *ui, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ui->view.notice, sizeof(ui->view.notice), format, args);
	va_end(args);
	ui->notice_ns = clock_now_ns();
	ui->is_dirty_now = true;
}

void ui_command(struct ui *ui, enum command_kind kind, int target)
{
	struct command command = { .kind = kind, .target = target };
	int code = run_command(ui->run, &command);

	if (code == -EAGAIN)
		ui_notice(ui, "too many commands at once: try again");
	else if (code == -ESHUTDOWN)
		ui_notice(ui, "the run has ended");
	else if (code < 0)
		ui_notice(ui, "command refused: %s", strerror(-code));
}

void ui_stop(struct ui *ui)
{
	ui->view.is_ending = true;
	ui->stop_asked_ns = clock_now_ns();
	ui_command(ui, COMMAND_STOP, -1);
	ui_notice(ui, "ending in order: results are kept, files removed. "
	              "Ctrl-C twice leaves at once");
}

static bool is_target_paused(const struct ui *ui, unsigned target)
{
	enum lane_state state;

	if (target >= ui->board->n_targets)
		return false;
	state = ui->board->targets[target].state;
	return state == LANE_PAUSED || state == LANE_PAUSING;
}

static void toggle_pause(struct ui *ui)
{
	ui->view.is_pausing = !ui->view.is_pausing;
	ui->pause_asked_ns = clock_now_ns();
	ui_command(ui, ui->view.is_pausing ? COMMAND_PAUSE : COMMAND_RESUME, -1);
}

static void change_refresh(struct ui *ui, int step)
{
	int at = 0;

	while (at + 1 < N_REFRESH_STEPS && refresh_steps[at] < ui->view.refresh_ms)
		at++;
	at += step;
	if (at < 0 || at >= N_REFRESH_STEPS)
		return;
	ui->view.refresh_ms = refresh_steps[at];
	ui_notice(ui, "the picture is renewed every %u ms", ui->view.refresh_ms);
}

static void move_row(struct ui *ui, long by)
{
	long row = (long)ui->view.row + by, last = (long)ui->table.n_rows - 1;

	ui->view.follows = false;
	ui->view.row = (unsigned)(row < 0 ? 0 : row > last ? (last < 0 ? 0 : last) : row);
}

static void move_column(struct ui *ui, long by)
{
	long column = (long)ui->view.column + by, last = (long)ui->table.n_targets - 1;

	ui->view.follows = false;
	ui->view.column = (unsigned)(column < 0 ? 0 : column > last ? last : column);
}

/* Up and down: rows of the race, targets of the list, lines of a page. */
static void move_lines(struct ui *ui, long by)
{
	if (ui->view.page != PAGE_RACE) {
		long top = (long)ui->view.page_top + by;

		ui->view.page_top = top < 0 ? 0 : top > 100000 ? 100000 : (unsigned)top;
	} else if (getmaxy(stdscr) < 10 || getmaxx(stdscr) < 40) {
		move_column(ui, by);
	} else {
		move_row(ui, by);
	}
}

static void open_page(struct ui *ui, enum page page)
{
	ui->view.back = page == PAGE_HELP ? ui->view.page : PAGE_RACE;
	ui->view.page = page;
	ui->view.page_top = 0;
}

static void close_page(struct ui *ui)
{
	ui->view.page = ui->view.page == PAGE_HELP ? ui->view.back : PAGE_RACE;
	ui->view.page_top = 0;
}

static void freeze(struct ui *ui)
{
	ui->view.is_frozen = !ui->view.is_frozen;
	ui_take_board(ui);
}

static void quit(struct ui *ui)
{
	if (run_has_ended(ui->run)) {
		ui->leaves_at_end = true;
		ui->is_dirty = true;
	} else if (!ui->view.is_ending) {
		ui->view.asks_quit = true;
	} else {
		ui_notice(ui, "still ending; Ctrl-C twice leaves at once");
	}
}

static void answer_quit(struct ui *ui, int key)
{
	ui->view.asks_quit = false;
	if (key != 'y' && key != 'Y')
		return;
	ui->leaves_at_end = true;
	if (!run_has_ended(ui->run))
		ui_stop(ui);
}

/* Actions that change what is seen. False: not one of them. */
static bool do_view(struct ui *ui, enum action action)
{
	long page = getmaxy(stdscr) > 12 ? getmaxy(stdscr) / 2 : 4;

	switch (action) {
	case ACTION_HELP:
		open_page(ui, PAGE_HELP);
		break;
	case ACTION_OPEN:
		open_page(ui, PAGE_CELL);
		break;
	case ACTION_BACK:
		close_page(ui);
		break;
	case ACTION_METRIC:
		ui->view.metric = (ui->view.metric + 1) % (1 + METRIC_COUNT);
		break;
	case ACTION_FREEZE:
		freeze(ui);
		break;
	case ACTION_FOLLOW:
		ui->view.follows = true;
		view_follow(&ui->view, ui->board);
		break;
	case ACTION_UP:
	case ACTION_DOWN:
		move_lines(ui, action == ACTION_UP ? -1 : 1);
		break;
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
		move_lines(ui, action == ACTION_PAGE_UP ? -page : page);
		break;
	case ACTION_FIRST:
	case ACTION_LAST:
		move_lines(ui, action == ACTION_FIRST ? -100000 : 100000);
		break;
	case ACTION_LEFT:
	case ACTION_RIGHT:
		move_column(ui, action == ACTION_LEFT ? -1 : 1);
		break;
	case ACTION_FASTER:
	case ACTION_SLOWER:
		change_refresh(ui, action == ACTION_FASTER ? -1 : 1);
		break;
	case ACTION_REDRAW:
		terminal_fit(&ui->terminal);
		terminal_redraw(&ui->terminal);
		break;
	default:
		return false;
	}
	return true;
}

static void do_action(struct ui *ui, enum action action)
{
	int column = (int)ui->view.column;

	ui->view.notice[0] = '\0';
	if (do_view(ui, action))
		return;
	if (action == ACTION_QUIT) {
		quit(ui);
		return;
	}
	if (run_has_ended(ui->run) || ui->view.is_ending) {
		ui_notice(ui, "the run %s", ui->view.is_ending ? "is ending" : "has ended");
		return;
	}
	if (action == ACTION_PAUSE)
		toggle_pause(ui);
	else if (action == ACTION_PAUSE_TARGET)
		ui_command(ui,
		        is_target_paused(ui, ui->view.column) ? COMMAND_RESUME : COMMAND_PAUSE,
		        column);
	else if (action == ACTION_PAUSE_BOUNDARY)
		ui_command(ui, COMMAND_PAUSE_BOUNDARY, -1);
	else if (action == ACTION_SKIP)
		ui_command(ui, COMMAND_SKIP, column);
}

static void on_mouse(struct ui *ui)
{
	struct frame frame = ui_frame(ui);
	MEVENT event;

	if (getmouse(&event) != OK)
		return;
	if ((event.bstate & BUTTON4_PRESSED) != 0) {
		move_lines(ui, -WHEEL_LINES);
	} else if ((event.bstate & BUTTON5_PRESSED) != 0) {
		move_lines(ui, WHEEL_LINES);
	} else if ((event.bstate & BUTTON1_PRESSED) != 0) {
		if (screen_cell_at(&ui->view, &frame,
		            (struct span){ getmaxx(stdscr), getmaxy(stdscr) },
		            (struct span){ event.x, event.y }))
			ui->view.follows = false;
	}
}

void ui_key(struct ui *ui, int key)
{
	enum action action;

	if (key == KEY_NONE)
		return;
	ui->is_dirty_now = true;
	if (key == KEY_MOUSE) {
		on_mouse(ui);
		return;
	}
	if (ui->view.asks_quit) {
		answer_quit(ui, key);
		return;
	}
	action = keys_action(ui->view.page, key);
	if (action != ACTION_NONE)
		do_action(ui, action);
}
