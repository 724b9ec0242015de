/*
 * The smallest driver of a workload's phases: one thread, no run, no clocks of a lane. It keeps to
 * the contract of workloads/workload.h, so that tests of a workload need no engine around them.
 */
#ifndef FSDERBY_TESTS_MINI_ENGINE_H
#define FSDERBY_TESTS_MINI_ENGINE_H

#include "engine/inject.h"
#include "workloads/workload.h"

struct mini_stage {
	struct stage stage;
	struct params params; /* of one set */
	char directory[64];   /* temporary, holds what the workload makes */
	int fd;
};

/* What to do, zero for none, and what came of it. */
struct mini_totals {
	uint64_t max_steps;          /* of each worker in each pass, as at a time limit */
	struct inject_rule rules[2]; /* used where code or length is set */

	int code;                  /* 0 or the negative errno that ended it */
	char path[256], text[512]; /* of that */
	uint64_t total;            /* as the phase said before it began */
	uint64_t work, steps;
	uint64_t count[OP_KINDS], errors[OP_KINDS], bytes[OP_KINDS];
	uint64_t worker_bytes[64]; /* data of each worker over all passes */
	unsigned n_classic;        /* workers and passes that marked the classic time */
	unsigned open_files;       /* descriptors that the phase left open */
};

/*
 * A stage in a new temporary directory, set up: one "name=value" a parameter, the last argument
 * NULL. Takes the first set. A fault is a failure of CUnit and gives false.
 */
bool mini_stage_init(struct mini_stage *mini, const struct workload *workload, ...)
        __attribute__((sentinel));
/* Tear down and remove the directory with all that is left in it. */
void mini_stage_release(struct mini_stage *mini);

const struct phase *mini_find_phase(const struct workload *workload, const char *name);

/* Run all passes and workers of a phase, one worker after the other. Returns totals->code. */
int mini_run_phase(struct stage *stage, const struct phase *phase, struct mini_totals *totals);

/* A worker ready to step, for benches too: gate, histograms, lane. The struct is zeroed first. */
int mini_worker_init(struct worker *worker, struct stage *stage, const struct phase *phase,
        const _Atomic uint32_t *gate, struct lane *lane);
void mini_worker_release(struct worker *worker);

#endif
