/*
 * Allocation and copying of boards. Any thread, one owner a board.
 */
#include "engine/board.h"

#include <stdlib.h>
#include <string.h>

const char *lane_state_name(enum lane_state state)
{
	static const char *const names[LANE_STATES] = {
		[LANE_WAITING] = "waiting",
		[LANE_SETUP] = "set-up",
		[LANE_SETTLING] = "settling",
		[LANE_RUNNING] = "running",
		[LANE_PAUSED] = "paused",
		[LANE_PAUSING] = "pausing",
		[LANE_FLUSHING] = "flushing",
		[LANE_CLEANING] = "cleaning",
		[LANE_DONE] = "done",
		[LANE_FAILED] = "failed",
		[LANE_LOST] = "no answer",
	};

	return state < LANE_STATES ? names[state] : "?";
}

struct board *board_new(unsigned n_targets, unsigned workers_room)
{
	struct board *board = calloc(1, sizeof(*board));

	if (board == NULL)
		return NULL;
	board->targets = calloc(n_targets ? n_targets : 1, sizeof(*board->targets));
	board->workers = calloc(workers_room ? workers_room : 1, sizeof(*board->workers));
	board->n_targets = n_targets;
	board->workers_room = workers_room;
	if (board->targets == NULL || board->workers == NULL) {
		board_free(board);
		return NULL;
	}
	return board;
}

void board_copy(struct board *into, const struct board *from)
{
	struct board_target *targets = into->targets;
	struct board_worker *workers = into->workers;
	unsigned room = into->workers_room;
	unsigned n = from->n_workers < room ? from->n_workers : room;

	memcpy(targets, from->targets, from->n_targets * sizeof(*targets));
	memcpy(workers, from->workers, n * sizeof(*workers));
	*into = *from;
	into->targets = targets;
	into->workers = workers;
	into->workers_room = room;
	into->n_workers = n;
}

void board_free(struct board *board)
{
	if (board == NULL)
		return;
	free(board->targets);
	free(board->workers);
	free(board);
}
