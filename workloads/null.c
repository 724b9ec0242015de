/*
 * null: operations that are no system call. It shows what the harness itself costs, and is the
 * load for testing clocks, pauses and screens. Steps run in workers, the rest in the lane.
 */
#include <errno.h>
#include <stdlib.h>

#include "workloads/workload.h"

enum { NULL_OPERATIONS, NULL_THREADS, NULL_RATE };

/* A worker's own: its share of so many operations. */
struct spin {
	uint64_t operations, share;
};

static const struct param param_table[] = {
	[NULL_OPERATIONS] = { "operations", PARAM_COUNT, PARAM_NOW, "20M", 1, 1e15, NULL, NULL,
	        "operations", "how many operations in all" },
	[NULL_THREADS] = { "threads", PARAM_COUNT, PARAM_NEXT_PHASE, "1", 1, 512, NULL, NULL,
	        "threads", "workers that share them" },
	[NULL_RATE] = { "rate", PARAM_COUNT, PARAM_NOW, "none", 1, 1e9, "none", NULL,
	        "operations/s", "limit for all workers of a target" },
};

static unsigned spin_workers(const struct stage *stage)
{
	return (unsigned)params_number(stage->params, NULL_THREADS);
}

static uint64_t spin_total(const struct stage *stage)
{
	return params_number(stage->params, NULL_OPERATIONS);
}

/* An even share of all operations; the first workers take the remainder. */
static void take_share(struct worker *worker, struct spin *spin)
{
	uint64_t all = params_number(worker->params, NULL_OPERATIONS), n = worker->n_workers;

	spin->operations = all;
	spin->share = all / n + (worker->index < all % n);
}

static int spin_open(struct worker *worker)
{
	/* A cache line of its own. */
	struct spin *spin = aligned_alloc(64, 64);

	worker->local = spin;
	if (spin == NULL)
		return -ENOMEM;
	take_share(worker, spin);
	return 0;
}

/* One clock read and one histogram increment: what each wrapped call costs on top of the call. */
static int spin_step(struct worker *worker)
{
	struct spin *spin = worker->local;
	uint64_t begin, now;

	if (__builtin_expect(spin->operations != params_number(worker->params, NULL_OPERATIONS), 0))
		take_share(worker, spin);
	if (histogram_load(&worker->work) >= spin->share)
		return STEP_DONE;
	begin = histogram_load(&worker->mark_ns);
	now = clock_now_ns();
	op_record(worker, OP_SPIN, begin, now, 0, 0);
	atomic_store_explicit(&worker->mark_ns, now, memory_order_relaxed);
	worker_add_work(worker, 1);
	return STEP_MORE;
}

static void spin_close(struct worker *worker)
{
	free(worker->local);
	worker->local = NULL;
}

static const struct phase phase_table[] = {
	{
	        .name = "spin",
	        .unit = "operations",
	        .help = "a clock read and a histogram increment, nothing else",
	        .ops = OP_BIT(OP_SPIN),
	        .workers = spin_workers,
	        .total = spin_total,
	        .open = spin_open,
	        .step = spin_step,
	        .close = spin_close,
	},
};

extern const struct workload workload_null;

const struct workload workload_null = {
	.name = "null",
	.help = "no file system at all: what the harness costs",
	.params = param_table,
	.n_params = sizeof(param_table) / sizeof(param_table[0]),
	.phases = phase_table,
	.n_phases = sizeof(phase_table) / sizeof(phase_table[0]),
	.flush = FLUSH_NONE,
};
