/*
 * A run that does nothing but move, behind the screen: to look at the drawing without a load. Not
 * part of any program; link with ui/, src/core, src/measure, src/results and scene.c.
 *
 *     demo [TARGETS [ROW [SECONDS]]]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../scene.h"
#include "core/text.h"
#include "engine/op.h"
#include "measure/clock.h"
#include "ui/ui.h"

struct run {
	struct scene scene;
	int fd;
	uint64_t start_ns, paused_ns, pause_began_ns, stop_ns;
	double seconds; /* until it ends; 0: never */
	bool is_paused, hangs;
};

int run_command(struct run *run, const struct command *command)
{
	uint64_t now = clock_now_ns();

	if (command->kind == COMMAND_PAUSE && !run->is_paused) {
		run->is_paused = true;
		run->pause_began_ns = now;
	} else if (command->kind == COMMAND_RESUME && run->is_paused) {
		run->is_paused = false;
		run->paused_ns += now - run->pause_began_ns;
	} else if (command->kind == COMMAND_PAUSE_BOUNDARY) {
		run->scene.board->pause_at_boundary ^= true;
	} else if (command->kind == COMMAND_STOP) {
		run->stop_ns = now;
	}
	return 0;
}

int run_board_fd(const struct run *run)
{
	return run->fd;
}

bool run_has_ended(const struct run *run)
{
	uint64_t now = clock_now_ns();

	if (run->seconds > 0 && clock_seconds(now - run->start_ns) > run->seconds)
		return true;
	return run->stop_ns != 0 && !run->hangs && clock_seconds(now - run->stop_ns) > 1;
}

const struct board *run_board_take(struct run *run)
{
	struct board *board = run->scene.board;
	uint64_t beats, end = run->is_paused ? run->pause_began_ns : clock_now_ns();

	if (read(run->fd, &beats, sizeof(beats)) < 0 && errno != EAGAIN)
		return NULL;
	scene_play(&run->scene, clock_seconds(end - run->start_ns - run->paused_ns));
	if (run->hangs) {
		board->targets[0].stuck_op = OP_FSYNC;
		board->targets[0].stuck_s = clock_seconds(clock_now_ns() - run->start_ns);
		text_print(board->targets[0].stuck_path, BOARD_PATH, "mongo/d1/f7");
	}
	if (run->is_paused) {
		board->state = RUN_PAUSED;
		board->targets[0].state = LANE_PAUSED;
	}
	if (run->stop_ns != 0)
		board->state = RUN_ENDING;
	if (run_has_ended(run)) {
		board->state = RUN_ENDED;
		board->targets[0].state = LANE_DONE;
	}
	return board;
}

struct report *run_report(struct run *run)
{
	return run->scene.report;
}

static void on_end(void *context, char *text, size_t size)
{
	(void)context;
	text_print(text, size, "wrote /tmp/out.json");
}

int main(int argc, char **argv)
{
	struct itimerspec every = { { 0, 100000000 }, { 0, 100000000 } };
	struct ui_options options = { .on_end = on_end, .ascii = getenv("DEMO_ASCII") != NULL };
	struct ui_outcome outcome;
	struct error err = { 0 };
	struct run run = { .start_ns = clock_now_ns(), .hangs = getenv("DEMO_HANG") != NULL };

	ui_block_signals();
	if (scene_init(&run.scene, argc > 1 ? (unsigned)atoi(argv[1]) : 3,
	            argc > 2 ? (unsigned)atoi(argv[2]) : 5) != 0)
		return 3;
	run.seconds = argc > 3 ? atof(argv[3]) : 0;
	run.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	timerfd_settime(run.fd, 0, &every, NULL);
	if (ui_run(&run, &options, &outcome, &err) != 0) {
		fprintf(stderr, "demo: %s\n", err.text);
		return 2;
	}
	printf("signal %d, lost %d, hangs %d\n", outcome.signal, outcome.terminal_lost,
	        outcome.lane_hangs);
	close(run.fd);
	scene_release(&run.scene);
	return outcome.signal != 0 ? 128 + outcome.signal : 0;
}
