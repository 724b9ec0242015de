/*
 * The loop of a run without a screen. Main thread.
 */
#include "cli/batch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "measure/clock.h"

enum {
	BATCH_TWICE_S = 2,   /* two SIGINTs within this: leave at once */
	BATCH_PARK_S = 10,   /* wait for the workers to park before stopping on SIGTSTP */
	BATCH_LOST_S = 10,   /* after the wish to stop, for lanes that do not answer */
	BATCH_AT_ONCE_S = 5, /* after the second SIGINT */
	BATCH_TICK_MS = 500,
};

struct batch {
	struct run *run;
	const struct batch_options *options;
	struct batch_outcome *outcome;
	struct progress progress;
	int signal_fd;
	uint64_t interrupted_ns; /* last SIGINT, 0 none */
	uint64_t alive_ns;       /* stopping: when some lane last answered */
	uint64_t give_up_ns;     /* after the second SIGINT, 0 none */
	bool is_parking;         /* paused for SIGTSTP, stops once parked */
	uint64_t park_ns;
};

static void command(struct batch *batch, enum command_kind kind)
{
	struct command wish = { .kind = kind, .target = -1 };

	run_command(batch->run, &wish);
}

static void say(struct batch *batch, const char *text)
{
	progress_clear(&batch->progress);
	if (!batch->options->progress_json)
		message_print("%s", text);
}

static void stop_in_order(struct batch *batch, int number)
{
	if (batch->outcome->signal == 0)
		batch->outcome->signal = number;
	if (batch->alive_ns == 0)
		batch->alive_ns = clock_now_ns();
	command(batch, COMMAND_STOP);
}

static void interrupt(struct batch *batch)
{
	uint64_t now = clock_now_ns();
	bool is_second = batch->interrupted_ns != 0 &&
	                 now - batch->interrupted_ns < BATCH_TWICE_S * CLOCK_SECOND_NS;

	batch->interrupted_ns = now;
	if (is_second) {
		say(batch, "ending at once; `fsderby clean` removes what stays behind");
		command(batch, COMMAND_STOP_NOW);
		batch->give_up_ns = now + BATCH_AT_ONCE_S * CLOCK_SECOND_NS;
		return;
	}
	say(batch, "ending in order and removing the files; Ctrl-C twice ends at once");
	stop_in_order(batch, SIGINT);
}

static void take_signal(struct batch *batch, int number)
{
	switch (number) {
	case SIGINT:
		interrupt(batch);
		break;
	case SIGHUP:
		if (batch->options->hangup_continues)
			break;
		/* fall through */
	case SIGTERM:
	case SIGQUIT:
		say(batch, "ending in order and removing the files");
		stop_in_order(batch, number);
		break;
	case SIGTSTP:
		if (batch->is_parking || batch->outcome->signal != 0)
			break;
		command(batch, COMMAND_PAUSE);
		batch->is_parking = true;
		batch->park_ns = clock_now_ns();
		break;
	}
}

static void read_signals(struct batch *batch)
{
	struct signalfd_siginfo info;

	while (read(batch->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		take_signal(batch, (int)info.ssi_signo);
}

/* Stop the process as the shell expects it, and come back when it goes on. */
static void suspend(struct batch *batch)
{
	sigset_t set, before;

	batch->is_parking = false;
	progress_clear(&batch->progress);
	if (batch->outcome->signal == 0) {
		sigemptyset(&set);
		sigaddset(&set, SIGTSTP);
		raise(SIGTSTP);
		pthread_sigmask(SIG_UNBLOCK, &set, &before); /* stops here */
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	command(batch, COMMAND_RESUME);
}

/* Is anybody left who may still end? Lanes that are lost do not. */
static bool some_lane_answers(const struct board *board)
{
	for (unsigned i = 0; i < board->n_targets; i++) {
		enum lane_state state = board->targets[i].state;

		if (state != LANE_LOST && state != LANE_DONE && state != LANE_FAILED)
			return true;
	}
	return false;
}

static bool gives_up(struct batch *batch, const struct board *board)
{
	uint64_t now = clock_now_ns();

	if (batch->outcome->signal == 0)
		return false;
	if (batch->give_up_ns != 0 && now > batch->give_up_ns)
		return true;
	if (some_lane_answers(board))
		batch->alive_ns = now;
	return now - batch->alive_ns > BATCH_LOST_S * CLOCK_SECOND_NS;
}

static void watch(struct batch *batch)
{
	struct pollfd fds[] = {
		{ .fd = batch->signal_fd, .events = POLLIN },
		{ .fd = run_board_fd(batch->run), .events = POLLIN },
	};
	const struct board *board;

	for (;;) {
		bool has_ended;

		poll(fds, 2, BATCH_TICK_MS);
		read_signals(batch);
		/* Asked before the board is taken: the last board is then shown too. */
		has_ended = run_has_ended(batch->run);
		board = run_board_take(batch->run);
		progress_update(&batch->progress, board);
		if (has_ended)
			return;
		if (batch->is_parking &&
		        (board->state == RUN_PAUSED ||
		                clock_now_ns() - batch->park_ns > BATCH_PARK_S * CLOCK_SECOND_NS))
			suspend(batch);
		if (gives_up(batch, board)) {
			batch->outcome->lane_hangs = true;
			return;
		}
	}
}

static unsigned terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static enum progress_form choose_form(const struct batch_options *options)
{
	static const enum progress_form forms[] = {
		[LIVE_FULL] = PROGRESS_FULL,
		[LIVE_LINES] = PROGRESS_LINES,
		[LIVE_NONE] = PROGRESS_NONE,
	};
	const char *term = getenv("TERM");

	if (options->progress_json)
		return PROGRESS_JSON;
	if (options->live != LIVE_DEFAULT)
		return forms[options->live];
	return isatty(STDERR_FILENO) && (term == NULL || strcmp(term, "dumb") != 0)
	               ? PROGRESS_FULL
	               : PROGRESS_LINES;
}

static int open_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int batch_run(struct run *run, const struct batch_options *options, struct batch_outcome *outcome,
        struct error *err)
{
	struct batch batch = { .run = run, .options = options, .outcome = outcome };

	*outcome = (struct batch_outcome){ 0 };
	progress_init(
	        &batch.progress, stderr, choose_form(options), terminal_columns(), run_report(run));
	batch.signal_fd = open_signals();
	if (batch.signal_fd < 0) {
		int code = -errno;

		command(&batch, COMMAND_STOP);
		return error_errno(err, code, "signalfd");
	}
	watch(&batch);
	progress_clear(&batch.progress);
	close(batch.signal_fd);
	return 0;
}
