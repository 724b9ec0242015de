/*
 * Signals, read from a descriptor: no handler runs but the crash handler. Main thread only.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "measure/clock.h"
#include "ui/state.h"

enum { STOP_WAIT_MS = 1000 };
#define TWICE_NS (2 * CLOCK_SECOND_NS)

static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH };

enum { N_WANTED = sizeof(wanted) / sizeof(wanted[0]) };

void ui_block_signals(void)
{
	struct sigaction action;
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < N_WANTED; i++) {
		/* A blocked signal is queued even where it is ignored: leave nohup's alone. */
		if (sigaction(wanted[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			continue;
		sigaddset(&set, wanted[i]);
	}
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int signals_open(void)
{
	sigset_t blocked, set;
	int fd;

	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	sigemptyset(&set);
	for (unsigned i = 0; i < N_WANTED; i++)
		if (sigismember(&blocked, wanted[i]))
			sigaddset(&set, wanted[i]);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static bool has_parked(const struct board *board)
{
	for (unsigned i = 0; i < board->n_targets; i++) {
		enum lane_state state = board->targets[i].state;

		if (state == LANE_RUNNING || state == LANE_PAUSING || state == LANE_FLUSHING)
			return false;
	}
	return board->state != RUN_RUNNING;
}

/* Wait until every lane has parked, so that no operation is measured across the stop. */
static void wait_for_pause(struct ui *ui)
{
	uint64_t end = clock_now_ns() + STOP_WAIT_MS * (CLOCK_SECOND_NS / 1000);

	while (!has_parked(ui->board) && clock_now_ns() < end) {
		struct pollfd wait = { ui->board_fd, POLLIN, 0 };

		if (poll(&wait, 1, 100) > 0)
			board_copy(ui->board, run_board_take(ui->run));
	}
}

/* Stop this process by its own default action. */
static void stop_here(void)
{
	struct sigaction standard = { .sa_handler = SIG_DFL }, before;
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	sigaction(SIGTSTP, &standard, &before);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL); /* stops here */
	pthread_sigmask(SIG_BLOCK, &one, NULL);
	sigaction(SIGTSTP, &before, NULL);
}

/* Ctrl-Z: the load pauses, the shell gets its terminal, and back. */
static void suspend(struct ui *ui)
{
	bool was_paused[TARGETS_MAX] = { false };
	unsigned n = ui->board->n_targets < TARGETS_MAX ? ui->board->n_targets : TARGETS_MAX;
	bool pauses =
	        !run_has_ended(ui->run) && ui->board->state < RUN_PAUSED && !ui->view.is_pausing;

	for (unsigned i = 0; i < n; i++)
		was_paused[i] = ui->board->targets[i].state == LANE_PAUSED ||
		                ui->board->targets[i].state == LANE_PAUSING;
	if (pauses) {
		ui_command(ui, COMMAND_PAUSE, -1);
		wait_for_pause(ui);
	}
	terminal_suspend(&ui->terminal);
	stop_here();
	terminal_resume(&ui->terminal);
	if (pauses)
		ui_command(ui, COMMAND_RESUME, -1);
	for (unsigned i = 0; pauses && i < n; i++)
		if (was_paused[i])
			ui_command(ui, COMMAND_PAUSE, (int)i);
	ui->is_dirty_now = true;
}

/* Second Ctrl-C: do not wait for anything but the threads that can end at once. */
static void leave_now(struct ui *ui)
{
	uint64_t end = clock_now_ns() + CLOCK_SECOND_NS / 2;

	ui_command(ui, COMMAND_STOP_NOW, -1);
	while (!run_has_ended(ui->run) && clock_now_ns() < end) {
		struct pollfd wait = { ui->board_fd, POLLIN, 0 };

		if (poll(&wait, 1, 50) > 0)
			run_board_take(ui->run);
	}
	ui->outcome->lane_hangs = !run_has_ended(ui->run);
	ui->is_leaving = true;
}

static void end_by(struct ui *ui, int signal_number)
{
	uint64_t now = clock_now_ns();
	bool is_twice = ui->outcome->signal == signal_number && signal_number != SIGHUP &&
	                ui->stop_asked_ns != 0 && now - ui->stop_asked_ns < TWICE_NS;

	ui->outcome->signal = signal_number;
	ui->leaves_at_end = true;
	if (run_has_ended(ui->run)) {
		ui->is_dirty = true; /* the loop sees the end */
		return;
	}
	if (is_twice) {
		leave_now(ui);
		return;
	}
	ui_stop(ui);
}

static void on_signal(struct ui *ui, int signal_number)
{
	switch (signal_number) {
	case SIGWINCH:
		terminal_fit(&ui->terminal);
		ui->is_dirty_now = true;
		break;
	case SIGTSTP:
		if (!ui->is_headless)
			suspend(ui);
		break;
	case SIGCONT: /* stopped by somebody else: the shell has had the terminal */
		if (!ui->is_headless) {
			terminal_suspend(&ui->terminal);
			terminal_resume(&ui->terminal);
			ui->is_dirty_now = true;
		}
		break;
	case SIGHUP: /* the keyboard tells when the terminal is gone as well */
		if (ui->options->hangup_continues)
			ui_lose_terminal(ui);
		else
			end_by(ui, SIGHUP);
		break;
	default:
		end_by(ui, signal_number);
		break;
	}
}

void ui_lose_terminal(struct ui *ui)
{
	if (ui->is_headless)
		return;
	ui->outcome->terminal_lost = true;
	ui->is_headless = true;
	terminal_close(&ui->terminal);
	if (ui->options->hangup_continues) {
		ui->is_leaving = true;
		return;
	}
	end_by(ui, SIGHUP);
}

void ui_read_signals(struct ui *ui)
{
	struct signalfd_siginfo info;

	while (!ui->is_leaving && read(ui->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		on_signal(ui, (int)info.ssi_signo);
}
