/*
 * The board: the live state of a run, published ten times a second by the sampler and copied by
 * whoever shows it. A screen is a function of (board, table, window, view state).
 *
 * Fixed facts (labels, paths, rows) are in the report; the board has what moves. All strings in it
 * may hold foreign names: sanitise before showing (core/text.h).
 */
#ifndef FSDERBY_ENGINE_BOARD_H
#define FSDERBY_ENGINE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BOARD_HISTORY = 240, BOARD_LOG = 64, BOARD_LOG_TEXT = 200, BOARD_PATH = 160 };

enum run_state {
	RUN_PREPARING,
	RUN_RUNNING,
	RUN_PAUSED, /* everything parked */
	RUN_ENDING, /* cleaning up after the last phase or an abort */
	RUN_ENDED,
};

enum lane_state {
	LANE_WAITING, /* for its turn or the others */
	LANE_SETUP,
	LANE_SETTLING, /* syncing and waiting for quiet devices */
	LANE_RUNNING,
	LANE_PAUSED,  /* asked to; all its workers have parked */
	LANE_PAUSING, /* asked to; some still in a call */
	LANE_FLUSHING,
	LANE_CLEANING,
	LANE_DONE,   /* nothing left to do in this run */
	LANE_FAILED, /* could not set up, or is left out */
	LANE_LOST,   /* does not answer */
	LANE_STATES,
};

/* "running", "paused", … for screens and progress lines. */
const char *lane_state_name(enum lane_state state);

struct board_target {
	enum lane_state state;
	int row; /* of report.rows, of the phase under way or next; -1 none */
	unsigned round;
	unsigned place; /* in the queue of turns: 0 = it is its turn, 1 = next, … */
	int waits_for;  /* target it waits for, -1 none */
	unsigned segment;
	uint64_t done, total; /* units of the phase; total 0: unknown. While cleaning: entries */
	double elapsed_s, paused_s;               /* of the phase, elapsed without pauses */
	double eta_s;                             /* negative: not known */
	double rate, bytes_per_s;                 /* of the last interval */
	double mean_rate;                         /* of the phase so far */
	double cpu_percent, machine_percent;      /* negative: not known */
	double util_percent, write_amplification; /* negative: no device or nothing asked for */
	uint64_t p50_ns, p99_ns, max_ns;          /* of the last second; 0: no operation */
	float history[BOARD_HISTORY]; /* rates by interval, newest at the end; NaN: gap */
	unsigned n_history;
	unsigned n_workers, first_worker; /* its rows in board.workers */
	/* A call under way for over a second. */
	int stuck_op; /* enum op_kind, -1 none */
	double stuck_s;
	char stuck_path[BOARD_PATH];
};

struct board_worker {
	unsigned target, index;
	bool is_running, is_parked;
	int underway; /* enum op_kind, -1 none */
	double since_s;
	uint64_t operations, work, bytes;
	double rate, cpu_percent;
};

struct board_log {
	uint64_t at_ns;
	char text[BOARD_LOG_TEXT];
};

struct board {
	uint64_t sequence; /* counts publications */
	uint64_t at_ns;
	enum run_state state;
	bool pause_at_boundary;
	unsigned round, rounds;
	double elapsed_s, paused_s;
	double eta_s;           /* of the run; negative: not known */
	double machine_percent; /* negative: not known */
	size_t n_results;       /* in the report: has the table changed? */
	unsigned n_targets, n_workers, workers_room;
	struct board_target *targets;
	struct board_worker *workers;    /* at most workers_room rows */
	struct board_log log[BOARD_LOG]; /* newest last */
	unsigned n_log;
};

/* A deep copy, for tests and golden screens; NULL when out of memory. */
struct board *board_new(unsigned n_targets, unsigned workers_room);
void board_copy(struct board *into, const struct board *from);
void board_free(struct board *board);

#endif
