/*
 * The run's inner state and its director: the thread that walks rounds, sets and phases, posts
 * orders to the lanes and carries out commands. Internal to the engine.
 *
 * `lock` guards the queue of commands, the log and the counters; it is never held together with a
 * lane's lock or the report's.
 */
#ifndef FSDERBY_ENGINE_DIRECTOR_H
#define FSDERBY_ENGINE_DIRECTOR_H

#include "engine/lane.h"
#include "engine/run.h"
#include "results/journal.h"

enum { RUN_QUEUE_MAX = 64, RUN_LOST_S = 30 };

/* A set of a workload: rows first_row … first_row + n_rows - 1, all with these parameters. */
struct run_set {
	const struct workload *workload;
	struct params params;
	unsigned first_row, n_rows;
	char name[WORKLOAD_SET_NAME_MAX];
};

/* Mean seconds of a cell so far, for the estimate of the time left. */
struct run_known {
	double sum;
	unsigned n;
};

struct run {
	struct run_config config; /* targets: owned copies in the report */
	struct report *report;
	struct run_set *sets;
	unsigned n_sets;
	const struct phase **phases; /* of each row */
	struct lane *lanes;
	unsigned n_lanes;
	unsigned group[TARGETS_MAX],
	        n_groups; /* groups of targets run together, in turns of members */
	struct journal *journal;
	pthread_mutex_t journal_lock;

	pthread_t director, sampler;
	bool has_director, has_sampler;

	pthread_mutex_t lock;
	pthread_cond_t changed; /* a command, an answer, a state */
	struct command queue[RUN_QUEUE_MAX];
	unsigned queue_head, queue_length;
	struct board_log log[BOARD_LOG];
	unsigned n_log;
	enum run_state state;
	unsigned round;
	unsigned turn, n_turns,
	        turn_of[TARGETS_MAX]; /* whose turn it is; each lane's in this round */
	bool pause_at_boundary, is_paused;
	bool stop, stop_now;
	uint64_t events;           /* counts wake-ups, so that none is missed */
	size_t changes_written;    /* to the journal */
	bool is_lost[TARGETS_MAX]; /* the director's: lanes left out until they answer */
	uint64_t start_ns, pause_begin_ns, paused_ns, end_ns;
	struct run_known *known; /* [target * n_rows + row] */
	bool left_files;

	_Atomic uint32_t has_ended; /* set last, by the director */
	_Atomic uint32_t sampler_stop;
	_Atomic uint32_t has_told_journal; /* its fault is said once, not for each result */

	/* Triple buffer: the sampler writes `back`, the consumer has `front`, `middle` changes. */
	uint64_t sequence;
	struct board *boards[3];
	unsigned back, front;
	_Atomic uint32_t middle; /* index, bit 2 set: fresh */
	int board_fd;
};

/* director.c */
void *director_main(void *run);
/* Add a line to the log; foreign names are shown by whoever draws it. No lock held. */
void run_log(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Wake the director: a lane has answered. No lane lock held. */
void run_wake(struct run *run);
/* A result was added: remember its time for the estimate. */
void run_note_result(struct run *run, const struct result *result);

/* sampler.c */
void *sampler_main(void *run);

/* command.c: carry out what is queued; the director only. No lock held. */
void command_process(struct run *run);
/* Pause or resume everything (target -1) or one target. */
void command_pause(struct run *run, int target, bool pause);
/* End all phases under way; the run ends in order. */
void command_stop(struct run *run, bool now);

/* host.c */
void host_fill(struct report_host *host);

#endif
