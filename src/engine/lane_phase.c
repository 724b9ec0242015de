/*
 * One phase on one target: its passes, their barrier and clock, pausing, cuts, the time limit and
 * the flush. Runs in the lane's thread; the loop in conduct() is the only place where a
 * running phase changes state.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/director.h"

/* How long workers may finish their step after the time limit before they are cancelled. */
#define LIMIT_GRACE_NS UINT64_C(500000000)
/* The conductor looks at least this often; events wake it earlier. */
#define CONDUCT_TICK_NS UINT64_C(50000000)

uint64_t lane_active_ns(const struct lane *lane, uint64_t now_ns)
{
	uint64_t end = lane->hold_begin_ns != 0 ? lane->hold_begin_ns : now_ns;

	if (!lane->is_in_pass)
		return lane->wall_before_ns;
	if (end < lane->pass_start_ns + lane->pass_paused_ns)
		return lane->wall_before_ns;
	return lane->wall_before_ns + end - lane->pass_start_ns - lane->pass_paused_ns;
}

static bool all_parked(const struct lane *lane)
{
	return lane->n_parked + lane->n_done == lane->n_workers;
}

/* The last worker has parked: stop every clock. Lock held. */
static void stop_clocks(struct lane *lane)
{
	lane->hold_begin_ns = lane->last_park_ns > lane->hold_request_ns ? lane->last_park_ns
	                                                                 : lane->hold_request_ns;
	lane_account(lane, &lane->segment.active, &lane->reading);
	lane_read(lane, &lane->reading);
	if (lane->want_pause) {
		lane->state = LANE_PAUSED;
		lane->segment.was_paused = true;
	}
}

/* The first moment of a segment. */
static void stamp_segment(struct lane *lane, uint64_t now)
{
	if (lane->segment.start_ns != 0)
		return;
	lane->segment.start_ns = now;
	lane->segment.started_utc_ns = clock_utc_ns();
	sampler_begin_phase(lane);
}

static void start_clocks(struct lane *lane)
{
	uint64_t now = clock_now_ns(), held = now - lane->hold_begin_ns;

	lane_account(lane, &lane->segment.paused, &lane->reading);
	lane_read(lane, &lane->reading);
	lane->pass_paused_ns += held;
	if (lane->segment.was_paused)
		lane->segment.paused_ns += held;
	lane->hold_begin_ns = 0;
	lane->pace_ideal_ns += held; /* no debt from the pause, and none forgiven */
	lane->pace_floor_ns += held;
	lane->state = LANE_RUNNING;
	stamp_segment(lane, now);
	lane_gate_clear(lane, GATE_HOLD);
}

static void update_rate(struct lane *lane)
{
	int index =
	        params_find(lane->stage.workload->params, lane->stage.workload->n_params, "rate");

	lane->rate_limit =
	        index < 0 ? 0 : (double)params_number(lane->stage.params, (unsigned)index);
	if (lane->rate_limit > 0)
		lane_gate_set(lane, GATE_PACE);
	else
		lane_gate_clear(lane, GATE_PACE);
}

/* Put the parameters that wait in force. No worker runs. Lock held. */
static void take_params(struct lane *lane, struct params **block)
{
	if (*block == NULL)
		return;
	lane->params_live ^= 1;
	lane->params[lane->params_live] = **block;
	lane->stage.params = &lane->params[lane->params_live];
	free(*block);
	*block = NULL;
	update_rate(lane);
	if (lane->phase != NULL && lane->phase->total != NULL)
		lane->total = lane->phase->total(&lane->stage);
}

static int add_repetition(struct lane_segment *segment, uint64_t wall_ns, uint64_t classic_ns)
{
	if (segment->n_repetitions == segment->repetitions_room) {
		unsigned room = segment->repetitions_room ? segment->repetitions_room * 2 : 4;
		struct result_repetition *grown =
		        realloc(segment->repetitions, room * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		segment->repetitions = grown;
		segment->repetitions_room = room;
	}
	segment->repetitions[segment->n_repetitions++] = (struct result_repetition){
		.wall_s = clock_seconds(wall_ns),
		.flush_s = -1,
		.classic_s = clock_seconds(classic_ns),
	};
	return 0;
}

/* The part of the pass before a cut becomes the old segment's. Lock held, clocks stand. */
static void cut_pass(struct lane *lane)
{
	uint64_t now = clock_now_ns(), active = lane_active_ns(lane, now);
	uint64_t held = now - lane->hold_begin_ns, part = active - lane->segment_pass_base_ns;

	lane->segment.wall_ns += part;
	lane->segment.classic_ns += part;
	add_repetition(&lane->segment, part, part);
	lane->segment_pass_base_ns = active;
	lane->pass_paused_ns += held;
	if (lane->segment.was_paused)
		lane->segment.paused_ns += held;
	lane->hold_begin_ns = now;
	lane_account(lane, &lane->segment.paused, &lane->reading);
}

/*
 * A parameter change: no worker runs (parked, or at the barrier), the clocks stand. Close the
 * measurement and begin the next segment. Lock held on entry and return, released in between.
 */
static void cut(struct lane *lane)
{
	struct report_sample sample;
	bool has_sample = sampler_close_second(lane, clock_now_ns(), &sample);
	unsigned number = lane->segment.number;

	if (lane->is_in_pass)
		cut_pass(lane);
	lane->segment.was_changed = true;
	pthread_mutex_unlock(&lane->lock);
	if (has_sample)
		report_add_sample(lane->run->report, &sample);
	lane_finish_segment(lane, RESULT_OK);
	pthread_mutex_lock(&lane->lock);
	lane_segment_begin(lane, number + 1);
	lane->segment.was_changed = true;
	lane->segment.was_paused = lane->want_pause;
	for (unsigned i = 0; i < lane->n_workers; i++)
		worker_reset_counters(&lane->workers[i]);
	sampler_begin_phase(lane);
	take_params(lane, &lane->cut_params);
	lane->want_cut = false;
	lane_read(lane, &lane->reading);
}

/* Ask for parking, or let go, as the wishes stand. Lock held. */
static void heed_wishes(struct lane *lane)
{
	bool hold = lane->want_pause || lane->want_cut;

	if (hold && (atomic_load(&lane->gate) & GATE_HOLD) == 0) {
		lane->hold_request_ns = clock_now_ns();
		lane_gate_set(lane, GATE_HOLD);
		if (lane->want_pause)
			lane->state = LANE_PAUSING;
	}
	if ((atomic_load(&lane->gate) & GATE_HOLD) == 0)
		return;
	if (lane->hold_begin_ns == 0 && all_parked(lane) && lane->n_done < lane->n_workers)
		stop_clocks(lane);
	if (lane->hold_begin_ns != 0 && lane->want_pause && lane->state != LANE_PAUSED) {
		lane->state = LANE_PAUSED; /* a pause that came during a cut */
		lane->segment.was_paused = true;
	}
	if (lane->hold_begin_ns != 0 && lane->want_cut)
		cut(lane);
	if (lane->want_pause || lane->want_cut)
		return;
	if (lane->hold_begin_ns != 0) {
		start_clocks(lane);
	} else {
		lane->state = LANE_RUNNING; /* taken back before all had parked */
		lane_gate_clear(lane, GATE_HOLD);
	}
}

/* Gate bits of the time limit. Lock held. */
static void heed_limit(struct lane *lane, uint64_t now)
{
	uint64_t limit = lane->run->config.time_limit_ns, active = lane_active_ns(lane, now);

	if (limit == 0 || active < limit)
		return;
	if ((atomic_load(&lane->gate) & GATE_LAST) == 0) {
		lane->segment.was_limited = true;
		lane_gate_set(lane, GATE_LAST);
	}
	if (active >= limit + LIMIT_GRACE_NS && lane->hold_begin_ns == 0)
		lane_gate_set(lane, GATE_CANCEL);
}

/* When the conductor must look again though nobody wakes it. */
static struct timespec next_look(const struct lane *lane, uint64_t now)
{
	uint64_t until = now + CONDUCT_TICK_NS, limit = lane->run->config.time_limit_ns;

	if (limit != 0 && lane->hold_begin_ns == 0) {
		uint64_t active = lane_active_ns(lane, now);

		if (active < limit && now + limit - active < until)
			until = now + limit - active;
	}
	return (struct timespec){ (time_t)(until / CLOCK_SECOND_NS),
		(long)(until % CLOCK_SECOND_NS) };
}

/* From the release of the workers to the last one's end. Lock held, released while waiting. */
static void conduct(struct lane *lane)
{
	while (lane->n_done < lane->n_workers) {
		uint64_t now = clock_now_ns();
		struct timespec until;

		heed_wishes(lane);
		heed_limit(lane, now);
		if (lane->n_done >= lane->n_workers)
			break;
		until = next_look(lane, now);
		pthread_cond_timedwait(&lane->wake, &lane->lock, &until);
	}
	if (lane->hold_begin_ns != 0) /* cancelled while paused */
		start_clocks(lane);
	lane_gate_clear(lane, GATE_HOLD);
}

static int start_workers(struct lane *lane, unsigned pass)
{
	lane->n_started = lane->n_ready = lane->n_parked = lane->n_done = 0;
	lane->is_released = false;
	for (unsigned i = 0; i < lane->n_workers; i++) {
		int code;

		pthread_mutex_lock(&lane->lock);
		worker_prepare(&lane->workers[i], lane, i, pass);
		pthread_mutex_unlock(&lane->lock);
		code = -pthread_create(
		        &lane->workers[i].thread, NULL, worker_main, &lane->workers[i]);
		if (code != 0)
			return code;
		lane->n_started++;
	}
	return 0;
}

/* Wait until all stand at the barrier (and nobody holds the run), then let go. Lock held. */
static void release_workers(struct lane *lane)
{
	while (lane->n_ready < lane->n_started)
		pthread_cond_wait(&lane->wake, &lane->lock);
	while (lane->want_pause && (atomic_load(&lane->gate) & GATE_CANCEL) == 0) {
		lane->state = LANE_PAUSED;
		pthread_cond_wait(&lane->wake, &lane->lock);
	}
	if (lane->want_cut && lane->segment.start_ns != 0)
		cut(lane); /* a change between two passes */
	if (lane->want_cut)
		take_params(lane, &lane->cut_params);
	lane->want_cut = false;
	lane->state = LANE_RUNNING;
	lane_read(lane, &lane->reading);
	lane->hold_begin_ns = 0;
	lane->pass_paused_ns = 0;
	lane->pass_first_done_ns = 0;
	lane->segment_pass_base_ns = lane->wall_before_ns;
	lane->pass_start_ns = clock_now_ns();
	lane->pace_ideal_ns = lane->pace_floor_ns = lane->pass_start_ns;
	lane->is_in_pass = true;
	stamp_segment(lane, lane->pass_start_ns);
	lane->is_released = true;
	pthread_cond_broadcast(&lane->gate_cond);
}

/* Add up what the pass took, from the last worker's end. Workers joined, lock held. */
static int close_pass(struct lane *lane)
{
	struct worker *first = &lane->workers[0];
	uint64_t base = lane->segment_pass_base_ns, end = lane_active_ns(lane, lane->pass_end_ns);
	uint64_t classic = first->classic_end_ns != 0 ? first->classic_end_ns : first->end_ns;
	struct lane_segment *segment = &lane->segment;

	lane->wall_before_ns = end;
	lane->is_in_pass = false;
	if (end <= base)
		end = base;
	classic = classic > base ? classic - base : 0;
	segment->wall_ns += end - base;
	segment->classic_ns += classic;
	if (lane->pass_first_done_ns > base)
		segment->first_done_ns += lane->pass_first_done_ns - base;
	return add_repetition(segment, end - base, classic);
}

/* The first failing worker's error becomes the phase's. Lock held. */
static int collect_failure(struct lane *lane)
{
	for (unsigned i = 0; i < lane->n_workers; i++) {
		const struct worker *worker = &lane->workers[i];
		char path[sizeof(lane->failure.path)];

		if (worker->error_code == 0)
			continue;
		text_print(path, sizeof(path), "%s/%s/%s", lane->target->path, lane->board_prefix,
		        worker->failed_path);
		lane_fail(lane,
		        worker->failed_kind >= 0 ? op_name((enum op_kind)worker->failed_kind)
		                                 : "step",
		        path, worker->error_code, worker->error_text);
	}
	return lane->failure.operation != NULL ? lane->failure.code : 0;
}

static enum flush flush_of(const struct lane *lane)
{
	if (!lane->phase->writes)
		return FLUSH_NONE;
	if (lane->run->config.flush != FLUSH_DEFAULT)
		return lane->run->config.flush;
	return lane->stage.workload->flush;
}

/* Ended by the user or given up; a time limit also cancels, and is no reason to leave work out. */
static bool is_stopped(struct lane *lane)
{
	bool stopped;

	pthread_mutex_lock(&lane->lock);
	stopped = lane->want_skip || lane->want_abort || lane->is_abandoned;
	pthread_mutex_unlock(&lane->lock);
	return stopped;
}

static int flush(struct lane *lane)
{
	enum flush how = flush_of(lane);
	struct lane_segment *segment = &lane->segment;
	uint64_t begin, took;
	int code;

	if (how == FLUSH_NONE || how == FLUSH_DEFAULT)
		return 0;
	pthread_mutex_lock(&lane->lock);
	lane->state = LANE_FLUSHING;
	pthread_mutex_unlock(&lane->lock);
	begin = clock_now_ns();
	code = syncfs(lane->scratch_fd) == 0 ? 0 : -errno;
	took = clock_now_ns() - begin;
	pthread_mutex_lock(&lane->lock);
	segment->has_flush = true;
	segment->flush_ns += took;
	if (segment->n_repetitions > 0)
		segment->repetitions[segment->n_repetitions - 1].flush_s = clock_seconds(took);
	if (how == FLUSH_INSIDE) {
		segment->wall_ns += took;
		lane->wall_before_ns += took;
		if (segment->n_repetitions > 0)
			segment->repetitions[segment->n_repetitions - 1].wall_s +=
			        clock_seconds(took);
		histogram_add(&lane->flush_latency, took);
	}
	if (code != 0)
		lane_fail(lane, "syncfs", lane->target->path, code, "");
	pthread_mutex_unlock(&lane->lock);
	return code;
}

/* What the workers' time used; the next reading begins here. */
static void account_pass(struct lane *lane)
{
	pthread_mutex_lock(&lane->lock);
	lane_account(lane, &lane->segment.active, &lane->reading);
	lane_read(lane, &lane->reading);
	pthread_mutex_unlock(&lane->lock);
}

/*
 * What the flush used. Inside the time it counts like the rest; outside, only its bytes are the
 * phase's (they are its write-back), not the machine's time.
 */
static void account_flush(struct lane *lane)
{
	struct lane_usage usage = { 0 };

	if (flush_of(lane) == FLUSH_INSIDE) {
		account_pass(lane);
		return;
	}
	pthread_mutex_lock(&lane->lock);
	lane_account(lane, &usage, &lane->reading);
	usage.nearest.busy_ms = usage.bottom.busy_ms = 0;
	device_accumulate(&lane->segment.active.nearest, &usage.nearest);
	device_accumulate(&lane->segment.active.bottom, &usage.bottom);
	pthread_mutex_unlock(&lane->lock);
}

/* One pass: prepare, start, conduct, join, flush. */
static int run_pass(struct lane *lane, unsigned pass)
{
	struct error err = { 0 };
	int code = 0;

	if (lane->phase->prepare != NULL)
		code = lane->phase->prepare(&lane->stage, pass, &err);
	if (code == 0)
		code = lane_make_cold(lane, &err);
	if (code != 0) {
		pthread_mutex_lock(&lane->lock);
		lane_fail(lane, "prepare", lane->target->path, code, err.text);
		pthread_mutex_unlock(&lane->lock);
		return code;
	}
	if (lane->phase->distinct_bytes != NULL)
		lane->segment.distinct_bytes += lane->phase->distinct_bytes(&lane->stage);
	code = start_workers(lane, pass);
	pthread_mutex_lock(&lane->lock);
	if (code != 0) {
		lane_fail(lane, "pthread_create", lane->target->label, code, "");
		lane_gate_set(lane, GATE_CANCEL);
	}
	lane->n_workers = lane->n_started;
	release_workers(lane);
	conduct(lane);
	pthread_mutex_unlock(&lane->lock);
	for (unsigned i = 0; i < lane->n_started; i++)
		pthread_join(lane->workers[i].thread, NULL);
	pthread_mutex_lock(&lane->lock);
	if (lane->n_workers > 0)
		close_pass(lane);
	code = collect_failure(lane);
	pthread_mutex_unlock(&lane->lock);
	account_pass(lane);
	if (code == 0 && !is_stopped(lane)) {
		code = flush(lane);
		account_flush(lane);
	}
	return code;
}

static int make_workers(struct lane *lane)
{
	unsigned n = lane->phase->workers != NULL ? lane->phase->workers(&lane->stage) : 1;
	int code = 0;

	if (n == 0)
		n = 1;
	if (n > lane->workers_room) {
		struct worker *grown = aligned_alloc(64, n * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		memset(grown, 0, n * sizeof(*grown));
		for (unsigned i = 0; i < lane->workers_room; i++)
			worker_release(&lane->workers[i]);
		pthread_mutex_lock(&lane->lock);
		free(lane->workers);
		lane->workers = grown;
		lane->workers_room = n;
		lane->n_workers = 0;
		pthread_mutex_unlock(&lane->lock);
	}
	for (unsigned i = 0; i < n && code == 0; i++)
		code = worker_allocate(&lane->workers[i], lane->phase->ops);
	pthread_mutex_lock(&lane->lock);
	for (unsigned i = 0; i < n && code == 0; i++) {
		worker_reset_counters(&lane->workers[i]);
		atomic_store(&lane->workers[i].work, 0);
		atomic_store(&lane->workers[i].is_running, 0);
	}
	lane->n_workers = code == 0 ? n : 0;
	pthread_mutex_unlock(&lane->lock);
	return code;
}

static int begin_phase(struct lane *lane)
{
	int code;

	pthread_mutex_lock(&lane->lock);
	lane->phase = lane->run->phases[lane->row];
	sampler_gap(lane);
	lane->wall_before_ns = 0;
	lane->is_in_pass = false;
	lane->n_done = lane->n_parked = lane->n_started = 0;
	take_params(lane, &lane->next_params); /* holds all changes, also those meant for a cut */
	free(lane->cut_params);
	lane->cut_params = NULL;
	lane->want_cut = false;
	histogram_reset(&lane->flush_latency);
	pthread_mutex_unlock(&lane->lock);
	code = make_workers(lane);
	pthread_mutex_lock(&lane->lock);
	lane->total = lane->phase->total != NULL ? lane->phase->total(&lane->stage) : 0;
	update_rate(lane);
	lane_segment_begin(lane, 1);
	if (code != 0)
		lane_fail(lane, "allocate", lane->target->label, code, "");
	pthread_mutex_unlock(&lane->lock);
	return code;
}

static enum result_status outcome(const struct lane *lane, int code)
{
	if (code == -ENOSPC || code == -EDQUOT)
		return RESULT_NO_SPACE;
	if (code != 0)
		return RESULT_ERROR;
	if (lane->want_abort)
		return RESULT_ABORTED;
	if (lane->want_skip)
		return RESULT_SKIPPED;
	return RESULT_OK;
}

static void end_phase(struct lane *lane, int code)
{
	struct report_sample sample;
	enum result_status status;
	bool has_sample, drop;

	pthread_mutex_lock(&lane->lock);
	has_sample = sampler_close_second(lane, clock_now_ns(), &sample);
	status = outcome(lane, code);
	drop = lane->is_abandoned;
	lane->has_claimed = !drop;
	pthread_mutex_unlock(&lane->lock);
	if (!drop && has_sample)
		report_add_sample(lane->run->report, &sample);
	if (!drop && lane_finish_segment(lane, status) != 0)
		run_log(lane->run, "%s: a result is lost: out of memory", lane->target->label);
	pthread_mutex_lock(&lane->lock);
	lane->phase = NULL;
	lane->n_workers = 0;
	lane->want_skip = false;
	lane->live_rate = lane->live_bytes_rate = 0;
	lane->live_cpu = lane->live_machine = lane->live_util = -1;
	lane->state = code == 0 ? LANE_WAITING : LANE_FAILED;
	pthread_mutex_unlock(&lane->lock);
}

/* A sign of life with each question, as for an operation. */
static bool survey_goes_on(void *context)
{
	struct lane *lane = context;

	atomic_fetch_add_explicit(&lane->heartbeat, 1, memory_order_relaxed);
	return (atomic_load(&lane->gate) & GATE_CANCEL) == 0;
}

/* Outside of every clock. Only what was flushed has found its place. */
static void survey(struct lane *lane)
{
	struct survey survey = {
		.goes_on = survey_goes_on, .context = lane, .extents_per_file = -1
	};

	if (lane->phase->survey == NULL || !lane->segment.has_flush ||
	        lane->phase->survey(&lane->stage, &survey) != 0)
		return;
	lane->segment.fragments = survey.extents_per_file;
}

int lane_run_phase(struct lane *lane)
{
	unsigned passes;
	int code = begin_phase(lane);

	passes = lane->phase->passes != NULL ? lane->phase->passes(&lane->stage) : 1;
	for (unsigned pass = 0; pass < passes && code == 0; pass++) {
		if (pass > 0 && (atomic_load(&lane->gate) & (GATE_CANCEL | GATE_LAST)) != 0)
			break;
		code = run_pass(lane, pass);
	}
	if (code == 0 && (atomic_load(&lane->gate) & GATE_CANCEL) == 0)
		survey(lane);
	end_phase(lane, code);
	return code;
}
