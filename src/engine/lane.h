/*
 * A lane: one target's conductor thread, its workers and its scratch directory. Internal to the
 * engine.
 *
 * The director posts one order at a time; the lane carries it out and answers. Everything in the
 * struct is guarded by `lock`, but for what is marked otherwise: the director, the sampler and the
 * workers' slow paths take it for moments, and nobody holds it over a system call on the target.
 * No other lock is ever taken while it is held.
 */
#ifndef FSDERBY_ENGINE_LANE_H
#define FSDERBY_ENGINE_LANE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/target.h"
#include "engine/board.h"
#include "engine/inject.h"
#include "engine/scratch.h"
#include "engine/settle.h"
#include "engine/worker.h"
#include "measure/cpu.h"
#include "measure/device.h"
#include "results/report.h"
#include "workloads/workload.h"

enum lane_order_kind {
	ORDER_NONE,
	ORDER_SETUP,    /* make the scratch directory, set the workload up for a set */
	ORDER_SETTLE,   /* write pending results to the journal, settle */
	ORDER_PHASE,    /* run one phase, all its passes */
	ORDER_TEARDOWN, /* take the set down, remove its files */
	ORDER_QUIT,     /* remove the scratch directory and end the thread */
};

struct lane_order {
	enum lane_order_kind kind;
	unsigned row, round; /* PHASE, SETTLE */
	unsigned place;      /* SETUP: place of the target in its round, from 1 */
	int predecessor;     /* SETUP: target before it, -1 none */
	bool keep_files;     /* TEARDOWN, QUIT */
	bool is_fresh;       /* SETUP: on a file system made anew, where it is managed */
};

/* What a span of running time used; passes of a segment are added up. */
struct lane_usage {
	uint64_t machine_busy, machine_total, machine_steal, machine_user; /* ticks */
	uint64_t own_user_ns; /* of this process with its children */
	struct device_stats nearest, bottom;
	uint64_t span_ns; /* real time of the device figures */
};

/* Readings at the start of a span. */
struct lane_reading {
	struct cpu_machine machine;
	struct cpu_times own;
	struct device_stats nearest, bottom;
	uint64_t at_ns;
};

/* A segment: the part of a phase between parameter changes; one result. */
struct lane_segment {
	unsigned number; /* from 1 */
	uint64_t started_utc_ns, start_ns;
	uint64_t wall_ns, paused_ns; /* of the passes that ended */
	uint64_t first_done_ns, flush_ns, classic_ns;
	bool has_flush;
	struct lane_usage active, paused;
	uint64_t work_base;      /* work of the phase before this segment */
	uint64_t distinct_bytes; /* that a cold pass must have read, summed over the passes */
	bool was_paused, was_changed, was_limited;
	double fragments; /* extents a file, as surveyed; negative: not known */
	struct result_repetition *repetitions;
	unsigned n_repetitions, repetitions_room;
};

/* State of the last sample, for rates of intervals. */
struct lane_sample {
	uint64_t at_ns, active_ns, work, bytes, cpu_ns;
	struct device_stats bottom;
	struct cpu_machine machine;
	struct histogram latency; /* all kinds and workers merged, at the last sample of a second */
};

struct lane {
	/* Fixed before the thread starts. */
	struct run *run;
	unsigned index;
	struct target *target;
	struct inject *inject;
	struct device_reader nearest, bottom;
	struct cpu_reader cpu;
	pthread_t thread;
	char board_prefix[64]; /* the scratch directory's name, for paths in messages */

	/* Atomics, no lock. */
	_Alignas(64) _Atomic uint32_t gate; /* enum gate_bit; written under the lock */
	_Atomic uint64_t heartbeat;         /* counts signs of life outside of workers */
	_Atomic uint32_t stop_settling;
	_Atomic uint32_t hold_cleaning; /* paused: clean-up waits too */
	struct scratch_progress cleaning;

	pthread_mutex_t lock;
	pthread_cond_t wake;      /* the lane thread waits here */
	pthread_cond_t gate_cond; /* workers wait here: barrier, parking, pacing */

	/* Orders. */
	struct lane_order order;
	bool has_order; /* posted and not yet answered */
	int answer;     /* of the last order: 0 or a negative errno */
	bool has_thread, has_quit;

	/* Wishes of the director. */
	bool want_pause; /* by the user */
	bool want_cut;   /* a parameter change waits in next_params */
	bool want_skip, want_abort;
	bool has_claimed;           /* the lane itself records the result of the row under way */
	bool is_abandoned;          /* did not answer: what it still finishes does not count */
	struct params *next_params; /* for the next phase: the live block with all changes */
	struct params *cut_params;  /* for a cut: with those that take effect now */

	enum lane_state state;
	int row;
	unsigned round, place;
	int predecessor;

	/* The set under way. */
	struct stage stage;
	struct params params[2]; /* live block and the one before (workers may still read it) */
	unsigned params_live;
	bool is_set_up;
	bool is_used; /* a set ran here since the file system was made */
	int scratch_fd;
	uint64_t space_before; /* used bytes of the file system before the set */

	/* The phase under way. */
	const struct phase *phase;
	struct worker *workers;
	unsigned n_workers, workers_room;
	unsigned n_started, n_ready, n_parked, n_done;
	bool is_released, is_in_pass;
	uint64_t pass_start_ns, hold_request_ns, hold_begin_ns, last_park_ns, pass_paused_ns;
	uint64_t pass_first_done_ns, pass_end_ns;
	uint64_t wall_before_ns;       /* active time of the passes before this one, all segments */
	uint64_t segment_pass_base_ns; /* active time at the start of this pass or segment */
	struct histogram flush_latency; /* syncfs calls inside the time */
	uint64_t total;
	double rate_limit;      /* units a second, 0 none */
	uint64_t pace_ideal_ns; /* when the next unit is due by the rate alone */
	uint64_t pace_floor_ns; /* and by how fast it may catch up */
	struct settle_outcome settle;
	const char *cold_method;
	struct lane_reading reading; /* at the start of the span under way */
	struct lane_segment segment;
	struct lane_sample last, second; /* of the last tick, of the last series row */
	double live_rate, live_bytes_rate, live_cpu, live_machine, live_util;
	uint64_t live_p50_ns, live_p99_ns, live_max_ns;
	float history[BOARD_HISTORY];
	unsigned n_history;

	/* The error that ended the phase or the set-up. */
	struct {
		const char *operation; /* NULL: none */
		char path[256], text[512];
		int code; /* negative errno */
	} failure;

	/* Results not yet in the journal; added by the lane, or by the director for a lost lane. */
	const struct result **pending;
	unsigned n_pending, pending_room;
};

/* lane.c: life cycle and orders. */
int lane_init(struct lane *lane, struct run *run, unsigned index, struct error *err);
int lane_start(struct lane *lane, struct error *err);
void lane_post(struct lane *lane, const struct lane_order *order);
void lane_release(struct lane *lane);
/* Append the results that wait to the journal. The lane itself, or the director for a lost one. */
void lane_write_pending(struct lane *lane);

/* Set or clear gate bits; the lock is held. */
void lane_gate_set(struct lane *lane, uint32_t bits);
void lane_gate_clear(struct lane *lane, uint32_t bits);
/* End the phase under way (skip or abort): cancels the workers and the settling. Lock held. */
void lane_cancel(struct lane *lane);
/* Remember why the phase fails, first fault only. Lock held. */
void lane_fail(
        struct lane *lane, const char *operation, const char *path, int code, const char *text);

/* lane_phase.c: run all passes of the phase in lane->row; returns 0 or a negative errno. */
int lane_run_phase(struct lane *lane);
/* Running time of the phase so far without pauses, all segments. Lock held. */
uint64_t lane_active_ns(const struct lane *lane, uint64_t now_ns);

/* lane_cold.c: outside every clock, no worker runs. */
int lane_make_fresh(struct lane *lane, struct error *err);
int lane_make_cold(struct lane *lane, struct error *err);
bool lane_was_warm(const struct lane *lane);

/* lane_result.c: readings and results. */
void lane_read(struct lane *lane, struct lane_reading *reading);
void lane_account(struct lane *lane, struct lane_usage *usage, const struct lane_reading *since);
void lane_segment_begin(struct lane *lane, unsigned number);
void lane_segment_release(struct lane_segment *segment);
/* Make the result of the segment and hand it to the report. Workers parked or joined. */
int lane_finish_segment(struct lane *lane, enum result_status status);
/* A row that never began. */
int lane_add_absent(struct lane *lane, unsigned row, unsigned round, enum result_status status);
uint64_t lane_work(const struct lane *lane);

/* worker.c: the thread body, and the slow path of the gate. */
void *worker_main(void *worker);
void worker_prepare(struct worker *worker, struct lane *lane, unsigned index, unsigned pass);
/* Allocate histograms for the kinds the phase uses; frees none. */
int worker_allocate(struct worker *worker, uint64_t ops);
void worker_reset_counters(struct worker *worker);
void worker_release(struct worker *worker);

/* sampler.c: series and live figures. Lock held. */
void sampler_tick(struct lane *lane, uint64_t now_ns, const struct cpu_machine *machine);
/* Close the series at a cut or an end: writes the rest of the second. Fills *sample, true when
 * there is one to add to the report once the lock is free. */
bool sampler_close_second(struct lane *lane, uint64_t now_ns, struct report_sample *sample);
void sampler_begin_phase(struct lane *lane);
/* A gap in the history of rates: what follows is another phase. */
void sampler_gap(struct lane *lane);

#endif
