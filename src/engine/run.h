/*
 * A run, as the screen and the batch output see it: configure, start, watch, command, end.
 *
 * run_new … run_free belong to the main thread. Commands may come from any thread: they go into
 * one queue, are validated by the run's director thread and answered by a line in the board's log.
 */
#ifndef FSDERBY_ENGINE_RUN_H
#define FSDERBY_ENGINE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/params.h"
#include "core/target.h"
#include "engine/board.h"
#include "engine/inject.h"
#include "results/report.h"
#include "workloads/workload.h"

enum { RUN_WORKLOADS_MAX = 16 };

enum run_schedule { SCHEDULE_AUTO, SCHEDULE_TURNS, SCHEDULE_TOGETHER };

struct run_workload {
	const struct workload *workload;
	struct params params;
};

struct run_config {
	struct target
	        *targets; /* probed, with open descriptors; run_new takes the descriptors over */
	unsigned n_targets;
	struct run_workload workloads[RUN_WORKLOADS_MAX];
	unsigned n_workloads;
	unsigned rounds;
	enum run_schedule schedule;
	bool turns_by_phase; /* --turns phase */
	uint64_t seed;
	bool is_cold;
	bool fresh_by_round; /* managed targets: made anew each round, else each set */
	enum flush flush;
	uint64_t time_limit_ns; /* of each phase, 0 none */
	bool keep_files;
	bool no_settle; /* tests only: results are not comparable */
	bool no_journal;
	unsigned lost_s; /* a lane without a sign of life for so long is left out; 0: 30 */
	const char *command, *profile; /* for the report */
	struct inject *inject;         /* tests only; borrowed */
};

/* All that @config's workloads will write, per target: for `plan`, the space check, the screen. */
struct run_plan {
	struct {
		struct cost cost;                   /* peak over the sets */
		uint64_t traffic_bytes, operations; /* all rounds */
		double seconds;                     /* a rough estimate; negative: none */
		bool fits_bytes, fits_inodes;
		uint64_t needed_bytes,
		        needed_inodes; /* on its file system, with the targets that share it */
		char worst_set[96];    /* "mongo base_size=100": the set with the peak */
	} targets[TARGETS_MAX];
};

int run_plan(const struct run_config *config, struct run_plan *plan, struct error *err);
/* The message for a target that does not fit; returns @out. */
char *run_plan_complaint(const struct run_config *config, const struct run_plan *plan,
        unsigned target, char *out, size_t size);

struct run;

/* Takes over the targets' descriptors (also on error). */
int run_new(struct run **run, const struct run_config *config, struct error *err);
int run_start(struct run *run, struct error *err);

enum command_kind {
	COMMAND_PAUSE, /* target -1: all */
	COMMAND_RESUME,
	COMMAND_PAUSE_BOUNDARY, /* pause everything at the next phase boundary; again: take back */
	COMMAND_SKIP,           /* end the phase under way of one target, or of all (-1) */
	COMMAND_SET,            /* workload, param, value as text */
	COMMAND_STOP,           /* end the run in order: abort phases, clean up, keep results */
	COMMAND_STOP_NOW,       /* do not even wait for clean-up (second Ctrl-C) */
};

struct command {
	enum command_kind kind;
	int target;
	char workload[16], param[24], value[PARAM_TEXT_MAX];
};

/* Queue a command. -EAGAIN: the queue is full; -ESHUTDOWN: the run has ended. */
int run_command(struct run *run, const struct command *command);

/* Readable (poll) after each publication; run_board_take clears it. */
int run_board_fd(const struct run *run);
/* The newest board, valid until the next call; one consumer only. */
const struct board *run_board_take(struct run *run);
/* Fixed head, growing lists: see results/report.h. Lives until run_free. */
struct report *run_report(struct run *run);
bool run_has_ended(const struct run *run);
/* Is there any scratch directory left (kept, or not reached)? Valid after the end. */
bool run_left_files(const struct run *run);

/* Wait for the end of all threads, at most @timeout_ns (0: no limit); -ETIMEDOUT: a lane hangs. */
int run_join(struct run *run, uint64_t timeout_ns);
/* After run_join succeeded. A run whose lane hangs is left alone: the process ends by _exit. */
void run_free(struct run *run);

#endif
