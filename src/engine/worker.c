/*
 * A worker's thread: descriptors of its own, the barrier, the loop over steps, and the slow path of
 * the gate (pause, cancel, pace, injected faults). Runs in worker threads, but for
 * worker_prepare … worker_release, which are the lane's.
 */
#include "engine/worker.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "engine/director.h"

/*
 * After a stall the rate limiter catches up, so that the rate holds over all, but never faster
 * than this factor; with the slack for late timers no 100 ms pass 1.1 times the limit.
 */
#define PACE_CATCH_UP 1.06
#define PACE_SLACK_NS UINT64_C(2000000)

/* Add the CPU time since @base to the worker's total. */
static void cpu_end(struct worker *worker, struct cpu_times *base)
{
	struct cpu_times now;

	cpu_read_thread(&now);
	worker->cpu.user_ns += now.user_ns - base->user_ns;
	worker->cpu.system_ns += now.system_ns - base->system_ns;
	*base = now;
}

/* Wait while the gate holds. The lane's lock is held. */
static void park(struct worker *worker)
{
	struct lane *lane = worker->lane;

	cpu_end(worker, &worker->cpu_base);
	lane->n_parked++;
	lane->last_park_ns = clock_now_ns();
	worker->is_parked = true;
	pthread_cond_signal(&lane->wake);
	while ((atomic_load(&lane->gate) & (GATE_HOLD | GATE_CANCEL)) == GATE_HOLD)
		pthread_cond_wait(&lane->gate_cond, &lane->lock);
	worker->is_parked = false;
	lane->n_parked--;
	worker->params = &lane->params[lane->params_live];
	cpu_read_thread(&worker->cpu_base);
}

static void park_if_held(struct worker *worker)
{
	pthread_mutex_lock(&worker->lane->lock);
	if ((atomic_load(&worker->lane->gate) & (GATE_HOLD | GATE_CANCEL)) == GATE_HOLD) {
		park(worker);
		op_mark(worker);
	}
	pthread_mutex_unlock(&worker->lane->lock);
}

int worker_gate(struct worker *worker, enum op_kind kind, size_t *length)
{
	struct lane *lane = worker->lane;
	uint32_t bits = atomic_load(worker->gate);
	int code = 0;

	if (worker->has_ended) /* in close(): nobody waits for this worker any more */
		return kind == OP_CLOSE ? 0 : -ECANCELED;
	while ((bits & (GATE_HOLD | GATE_CANCEL)) == GATE_HOLD) {
		park_if_held(worker);
		bits = atomic_load(worker->gate);
	}
	if (kind == OP_CLOSE)
		return 0;
	if (bits & GATE_CANCEL)
		return -ECANCELED;
	if (bits & GATE_INJECT)
		code = inject_apply(lane->inject, (int)lane->index, kind, length);
	if (code != 0)
		op_leave(worker, kind, code, 0);
	return code;
}

void worker_note_error(struct worker *worker, enum op_kind kind, int code)
{
	histogram_bump(&worker->ops[kind].errors, 1);
	worker->last_kind = (int)kind;
	worker->last_error = code;
}

int worker_fail(struct worker *worker, enum op_kind kind, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(worker->error_text, sizeof(worker->error_text), format, args);
	va_end(args);
	worker->failed_kind = (int)kind;
	worker->error_code = code;
	return code;
}

void worker_mark_classic(struct worker *worker)
{
	struct lane *lane = worker->lane;

	pthread_mutex_lock(&lane->lock);
	worker->classic_end_ns = lane_active_ns(lane, clock_now_ns());
	pthread_mutex_unlock(&lane->lock);
}

/* When the next step is due, after @units of work; moves the lane's schedule on. Lock held. */
static uint64_t pace_due(struct lane *lane, uint64_t units, uint64_t now)
{
	double span = (double)units * 1e9 / lane->rate_limit;

	if (lane->pace_floor_ns + PACE_SLACK_NS < now)
		lane->pace_floor_ns = now - PACE_SLACK_NS;
	lane->pace_floor_ns += (uint64_t)(span / PACE_CATCH_UP);
	lane->pace_ideal_ns += (uint64_t)span;
	return lane->pace_ideal_ns > lane->pace_floor_ns ? lane->pace_ideal_ns
	                                                 : lane->pace_floor_ns;
}

/*
 * Wait until the work done so far is due. One schedule a lane, shared by its workers: each charges
 * what its last step did, so that steps of different sizes are paced alike.
 */
static void pace(struct worker *worker)
{
	struct lane *lane = worker->lane;
	uint64_t work = histogram_load(&worker->work), now = clock_now_ns(), due = 0;

	pthread_mutex_lock(&lane->lock);
	if (lane->rate_limit > 0)
		due = pace_due(lane, work - worker->paced_work, now);
	worker->is_paced = due > now;
	while (due > now && (atomic_load(&lane->gate) & (GATE_CANCEL | GATE_LAST)) == 0) {
		struct timespec until = { (time_t)(due / CLOCK_SECOND_NS),
			(long)(due % CLOCK_SECOND_NS) };

		if ((atomic_load(&lane->gate) & GATE_HOLD) != 0) {
			park(worker); /* and wait for the rest afterwards */
			due += clock_now_ns() - now;
		} else {
			pthread_cond_timedwait(&lane->gate_cond, &lane->lock, &until);
		}
		now = clock_now_ns();
	}
	worker->is_paced = false;
	worker->paced_work = work;
	pthread_mutex_unlock(&lane->lock);
	op_mark(worker);
}

/* Between steps, when any gate bit is set: 0 go on, 1 begin no other step, -ECANCELED. */
static int checkpoint(struct worker *worker)
{
	uint32_t bits = atomic_load(worker->gate);

	if ((bits & GATE_PACE) && (bits & (GATE_CANCEL | GATE_LAST | GATE_HOLD)) == 0) {
		pace(worker);
		bits = atomic_load(worker->gate);
	}
	while ((bits & (GATE_HOLD | GATE_CANCEL)) == GATE_HOLD) {
		park_if_held(worker);
		bits = atomic_load(worker->gate);
	}
	if (bits & GATE_CANCEL)
		return -ECANCELED;
	return bits & GATE_LAST ? 1 : 0;
}

/* The hot loop: one relaxed load and one indirect call around each step. */
static int run_steps(struct worker *worker, const struct phase *phase)
{
	for (;;) {
		int code;

		if (__builtin_expect(
		            atomic_load_explicit(worker->gate, memory_order_relaxed) != 0, 0)) {
			code = checkpoint(worker);
			if (code != 0)
				return code < 0 ? code : 0;
		}
		code = phase->step(worker);
		if (code != STEP_MORE)
			return code == STEP_DONE ? 0 : code;
	}
}

/*
 * A descriptor table of its own: a shared one costs about 13 ns a call, and what this worker opens
 * is nobody else's. Keeps the standard three and the scratch directory.
 */
static void own_descriptors(int keep)
{
	if (unshare(CLONE_FILES) != 0)
		return;
	if (keep > 3)
		close_range(3, (unsigned)keep - 1, 0);
	close_range((unsigned)keep + 1, ~0U, 0);
}

static void wait_for_release(struct worker *worker)
{
	struct lane *lane = worker->lane;

	pthread_mutex_lock(&lane->lock);
	lane->n_ready++;
	pthread_cond_signal(&lane->wake);
	while (!lane->is_released)
		pthread_cond_wait(&lane->gate_cond, &lane->lock);
	worker->params = &lane->params[lane->params_live];
	pthread_mutex_unlock(&lane->lock);
}

/* The step's code becomes the worker's failure, with the path it was at. */
static void note_failure(struct worker *worker, const struct phase *phase, int code)
{
	if (code == 0 || code == -ECANCELED)
		return;
	if (worker->error_code == 0) {
		worker->error_code = code;
		worker->failed_kind = worker->last_error == code ? worker->last_kind : -1;
	}
	if (phase->describe != NULL)
		phase->describe(worker->state, worker->index, worker->pass,
		        histogram_load(&worker->cursor), worker->failed_path,
		        sizeof(worker->failed_path));
}

/* The end of the worker's part of the pass. */
static void note_end(struct worker *worker)
{
	struct lane *lane = worker->lane;
	uint64_t end;

	pthread_mutex_lock(&lane->lock);
	end = clock_now_ns();
	worker->end_ns = lane_active_ns(lane, end);
	if (lane->n_done == 0)
		lane->pass_first_done_ns = worker->end_ns;
	lane->n_done++;
	worker->has_ended = true;
	lane->last_park_ns = lane->pass_end_ns = end;
	if (worker->error_code != 0)
		lane_gate_set(lane, GATE_CANCEL);
	atomic_store(&worker->is_running, 0);
	pthread_cond_signal(&lane->wake);
	pthread_mutex_unlock(&lane->lock);
}

void *worker_main(void *argument)
{
	struct worker *worker = argument;
	const struct phase *phase = worker->lane->phase;
	char name[16];
	int code = 0;

	snprintf(name, sizeof(name), "w%u-%.10s", worker->index, worker->lane->target->label);
	pthread_setname_np(pthread_self(), name);
	own_descriptors(worker->scratch_fd);
	if (phase->open != NULL)
		code = phase->open(worker);
	wait_for_release(worker);
	cpu_read_thread(&worker->cpu_base);
	op_mark(worker);
	atomic_store(&worker->is_running, 1);
	if (code == 0)
		code = phase->run != NULL ? phase->run(worker) : run_steps(worker, phase);
	cpu_end(worker, &worker->cpu_base);
	note_failure(worker, phase, code);
	note_end(worker);
	if (phase->close != NULL)
		phase->close(worker);
	return NULL;
}

void worker_prepare(struct worker *worker, struct lane *lane, unsigned index, unsigned pass)
{
	uint64_t stream = ((uint64_t)lane->row << 40) ^ ((uint64_t)pass << 20) ^ index;

	worker->gate = &lane->gate;
	worker->lane = lane;
	worker->index = index;
	worker->n_workers = lane->n_workers;
	worker->scratch_fd = lane->scratch_fd;
	worker->state = lane->stage.state;
	worker->local = NULL;
	worker->params = &lane->params[lane->params_live];
	worker->pass = pass;
	worker->failed_kind = worker->last_kind = -1;
	worker->error_code = worker->last_error = 0;
	worker->failed_path[0] = worker->error_text[0] = '\0';
	worker->end_ns = worker->classic_end_ns = 0;
	worker->paced_work = histogram_load(&worker->work);
	worker->is_parked = worker->is_paced = worker->has_ended = false;
	random_init(&worker->random, lane->stage.seed, stream);
	atomic_store(&worker->cursor, 0);
}

int worker_allocate(struct worker *worker, uint64_t ops)
{
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		if ((ops & OP_BIT(kind)) == 0 || worker->ops[kind].latency != NULL)
			continue;
		worker->ops[kind].latency = malloc(sizeof(struct histogram));
		if (worker->ops[kind].latency == NULL)
			return -ENOMEM;
		histogram_reset(worker->ops[kind].latency);
	}
	return 0;
}

void worker_reset_counters(struct worker *worker)
{
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		struct op_counter *counter = &worker->ops[kind];

		atomic_store(&counter->errors, 0);
		atomic_store(&counter->bytes, 0);
		if (counter->latency != NULL && histogram_load(&counter->latency->count) != 0)
			histogram_reset(counter->latency);
	}
	worker->cpu = (struct cpu_times){ 0 };
}

void worker_release(struct worker *worker)
{
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		free(worker->ops[kind].latency);
		worker->ops[kind].latency = NULL;
	}
}
