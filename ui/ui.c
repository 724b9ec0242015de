/*
 * The loop of the screen: sleeps in poll on the keyboard, the signals and the board, and draws when
 * something has changed, at most ten times a second. Main thread only.
 */
#include "ui/ui.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"
#include "measure/clock.h"
#include "ui/screen.h"
#include "ui/state.h"

enum { NOTICE_S = 5, IDLE_MS = 500, MS_NS = 1000 * 1000 };

/* How long a key press is believed over the board, which is one publication behind. */
#define PAUSE_LAG_NS (CLOCK_SECOND_NS / 2)

struct frame ui_frame(const struct ui *ui)
{
	return (struct frame){
		.report = run_report(ui->run),
		.results = &ui->results,
		.table = &ui->table,
		.board = ui->board,
		.theme = &ui->theme,
		.glyphs = glyphs_get(ui->terminal.glyphs),
		.view = &ui->view,
	};
}

static void release_table(struct ui *ui)
{
	if (!ui->has_table)
		return;
	table_release(&ui->table);
	report_view_release(&ui->results);
	ui->has_table = false;
}

/* A new table; the old one stays when there is no memory for it. */
static int renew_table(struct ui *ui)
{
	struct report_view results;
	struct table table;
	int code = report_view_init(&results, run_report(ui->run));

	if (code != 0)
		return code;
	code = table_init(&table, &results);
	if (code != 0) {
		report_view_release(&results);
		return code;
	}
	release_table(ui);
	ui->results = results;
	ui->table = table;
	ui->table.report = run_report(ui->run);
	ui->has_table = true;
	return 0;
}

static bool any_lane_pauses(const struct board *board)
{
	for (unsigned i = 0; i < board->n_targets; i++)
		if (board->targets[i].state == LANE_PAUSING)
			return true;
	return false;
}

void ui_take_board(struct ui *ui)
{
	const struct board *board = run_board_take(ui->run);

	if (board == NULL)
		return;
	if (clock_now_ns() - ui->pause_asked_ns > PAUSE_LAG_NS && !any_lane_pauses(board))
		ui->view.is_pausing = board->state == RUN_PAUSED;
	ui->is_dirty = true;
	/* Frozen is not paused: which of the two, or both, is told all the time. */
	ui->board->state = board->state;
	if (ui->view.is_frozen)
		return;
	board_copy(ui->board, board);
	if (board->n_results != ui->results.n_results)
		renew_table(ui);
	if (ui->view.follows)
		view_follow(&ui->view, board);
}

static void draw(struct ui *ui)
{
	struct frame frame = ui_frame(ui);

	screen_draw(stdscr, &ui->view, &frame);
	wnoutrefresh(stdscr);
	doupdate();
	ui->drawn_ns = clock_now_ns();
	ui->is_dirty = ui->is_dirty_now = false;
}

static void read_keys(struct ui *ui)
{
	uint64_t now = clock_now_ns();
	int key, n = 0, pending = 0;

	while (!ui->is_leaving && (key = wgetch(stdscr)) != ERR) {
		ui_key(ui, keys_filter(&ui->keys, key, now));
		n++;
	}
	/* Readable, and nothing in it: the other end is closed. */
	if (n == 0 && (ioctl(STDIN_FILENO, FIONREAD, &pending) != 0 || pending == 0))
		ui_lose_terminal(ui);
}

static void on_keyboard(struct ui *ui, short events)
{
	if ((events & POLLIN) != 0)
		read_keys(ui);
	if ((events & (POLLHUP | POLLERR | POLLNVAL)) != 0)
		ui_lose_terminal(ui);
}

/* The end of the run: tell the caller once, and leave if that was asked for. */
static void check_end(struct ui *ui)
{
	char text[sizeof(ui->view.notice)] = "";

	if (!run_has_ended(ui->run))
		return;
	if (!ui->view.has_ended) {
		ui->view.has_ended = true;
		ui->view.is_ending = ui->view.is_pausing = ui->view.asks_quit = false;
		ui->view.is_frozen = false;
		ui_take_board(ui);
		renew_table(ui);
		if (ui->options->on_end != NULL)
			ui->options->on_end(ui->options->context, text, sizeof(text));
		ui_notice(ui, "finished%s%s; q leaves", text[0] != '\0' ? ": " : "", text);
	}
	if (ui->leaves_at_end)
		ui->is_leaving = true;
}

static void expire_notice(struct ui *ui, uint64_t now)
{
	if (ui->view.notice[0] != '\0' && !ui->view.has_ended && !ui->view.is_ending &&
	        now - ui->notice_ns > NOTICE_S * CLOCK_SECOND_NS) {
		ui->view.notice[0] = '\0';
		ui->is_dirty = true;
	}
}

/* Until the next picture is due: then the board is looked at again. */
static int wait_ms(const struct ui *ui, uint64_t now)
{
	uint64_t due = ui->drawn_ns + ui->view.refresh_ms * (uint64_t)MS_NS;

	if (ui->is_headless) /* nothing to draw: the board wakes us */
		return IDLE_MS;
	if (ui->is_dirty_now)
		return 0;
	if (now < due)
		return (int)((due - now + MS_NS - 1) / MS_NS);
	return ui->is_dirty ? 0 : IDLE_MS;
}

static void step(struct ui *ui)
{
	uint64_t now = clock_now_ns();
	int wait = wait_ms(ui, now);
	bool is_due = now >= ui->drawn_ns + ui->view.refresh_ms * (uint64_t)MS_NS;
	struct pollfd polls[] = {
		{ ui->signal_fd, POLLIN, 0 },
		{ ui->is_headless ? -1 : STDIN_FILENO, POLLIN, 0 },
		/* Not looked at before a picture is due, so that it does not wake us in vain. */
		{ is_due || ui->is_headless ? ui->board_fd : -1, POLLIN, 0 },
	};

	if (poll(polls, 3, wait) < 0 && errno != EINTR)
		ui->is_leaving = true;
	if (polls[0].revents != 0)
		ui_read_signals(ui);
	if (polls[2].revents != 0)
		ui_take_board(ui);
	if (polls[1].revents != 0 && !ui->is_headless)
		on_keyboard(ui, polls[1].revents);
	check_end(ui);
	now = clock_now_ns();
	expire_notice(ui, now);
	if (ui->is_headless || ui->is_leaving)
		return;
	is_due = now >= ui->drawn_ns + ui->view.refresh_ms * (uint64_t)MS_NS;
	if (ui->is_dirty_now || (ui->is_dirty && is_due))
		draw(ui);
}

static int open_ui(struct ui *ui, struct error *err)
{
	const struct report *report = run_report(ui->run);
	const struct board *board;
	int code;

	ui->signal_fd = signals_open();
	if (ui->signal_fd < 0)
		return error_errno(err, ui->signal_fd, "signals");
	ui->board_fd = run_board_fd(ui->run);
	board = run_board_take(ui->run);
	ui->board = board_new(report->n_targets, board != NULL ? board->workers_room : 0);
	if (ui->board == NULL)
		return error_errno(err, -ENOMEM, "screen");
	if (board != NULL)
		board_copy(ui->board, board);
	code = renew_table(ui);
	if (code != 0)
		return error_errno(err, code, "screen");
	/* Before the terminal is touched: a fault in the theme must be readable. */
	code = theme_load(&ui->theme, ui->options->theme, 0, err);
	return code != 0 ? code : terminal_open(&ui->terminal, ui->options, err);
}

static void close_ui(struct ui *ui)
{
	terminal_close(&ui->terminal);
	release_table(ui);
	board_free(ui->board);
	if (ui->signal_fd >= 0)
		close(ui->signal_fd);
}

int ui_run(struct run *run, const struct ui_options *options, struct ui_outcome *outcome,
        struct error *err)
{
	struct ui ui = { .run = run, .options = options, .outcome = outcome, .signal_fd = -1 };
	int code;

	memset(outcome, 0, sizeof(*outcome));
	view_init(&ui.view);
	code = open_ui(&ui, err);
	if (code == 0) {
		theme_load(&ui.theme, options->theme, ui.terminal.colors, NULL);
		theme_apply(&ui.theme, ui.terminal.has_default_colors);
		wbkgdset(stdscr, ' ' | theme_attributes(&ui.theme, ROLE_TEXT));
		keys_begin(&ui.keys);
		if (ui.terminal.hint[0] != '\0')
			ui_notice(&ui, "%s", ui.terminal.hint);
		ui.is_dirty_now = true;
		while (!ui.is_leaving)
			step(&ui);
	}
	close_ui(&ui);
	return code;
}
