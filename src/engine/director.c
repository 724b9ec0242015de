/*
 * The director: walks rounds, sets and phases, posts orders to the lanes, waits for their answers
 * and leaves out those that do not answer. One thread a run.
 */
#include "engine/director.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "engine/schedule.h"

/* How long lanes may take to come out of a call when the run is to end at once. */
#define STOP_NOW_GRACE_NS UINT64_C(1000000000)

/* Lanes that are given the same orders at the same time. */
struct wave {
	struct lane *lanes[TARGETS_MAX];
	bool is_out[TARGETS_MAX]; /* failed in this set */
	int predecessor[TARGETS_MAX];
	unsigned place[TARGETS_MAX];
	unsigned n;
};

/* What a lane did last, to tell a slow one from one that hangs. */
struct sign_of_life {
	uint64_t count, at_ns;
};

void run_log(struct run *run, const char *format, ...)
{
	struct board_log *line;
	va_list args;

	pthread_mutex_lock(&run->lock);
	if (run->n_log == BOARD_LOG) {
		memmove(run->log, run->log + 1, sizeof(run->log[0]) * (BOARD_LOG - 1));
		run->n_log--;
	}
	line = &run->log[run->n_log++];
	line->at_ns = clock_now_ns();
	va_start(args, format);
	vsnprintf(line->text, sizeof(line->text), format, args);
	va_end(args);
	pthread_mutex_unlock(&run->lock);
}

void run_wake(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	run->events++;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

void run_note_result(struct run *run, const struct result *result)
{
	struct run_known *known =
	        &run->known[(size_t)result->target * run->report->n_rows + result->row];

	if (!result->was_started)
		return;
	pthread_mutex_lock(&run->lock);
	known->sum += result->wall_s + result->settle_s;
	if (result->flush_s > 0)
		known->sum += result->flush_s;
	if (result->segment == 1)
		known->n++;
	pthread_mutex_unlock(&run->lock);
}

/* Anything that moves when a lane is alive: operations, clean-up, settling, its device. */
static uint64_t signs(struct lane *lane)
{
	struct device_stats stats = { 0 };
	uint64_t count = atomic_load(&lane->heartbeat) + histogram_load(&lane->cleaning.removed);

	for (unsigned i = 0; i < lane->n_workers; i++)
		if (lane->workers[i].is_paced)
			return clock_now_ns(); /* waits for its rate, not for the target */
	for (unsigned i = 0; i < lane->n_workers; i++)
		for (unsigned kind = 0; kind < OP_KINDS; kind++)
			if (lane->workers[i].ops[kind].latency != NULL)
				count += histogram_load(&lane->workers[i].ops[kind].latency->count);
	/* A long flush on a slow disk is no hang while the disk writes. */
	if ((lane->state == LANE_FLUSHING || lane->state == LANE_SETTLING) &&
	        device_read(&lane->bottom, &stats) == 0)
		count += stats.writes;
	return count;
}

/* Leave out a lane that gave no sign for RUN_LOST_S. Returns whether it is lost. */
static bool check_lost(struct run *run, struct lane *lane, struct sign_of_life *sign)
{
	uint64_t now = clock_now_ns(), count;
	unsigned limit_s = run->config.lost_s != 0 ? run->config.lost_s : RUN_LOST_S;
	bool lost = false;

	pthread_mutex_lock(&lane->lock);
	if (!lane->has_order) { /* it has answered since the caller looked */
		pthread_mutex_unlock(&lane->lock);
		return false;
	}
	count = signs(lane);
	if (count != sign->count || lane->want_pause || sign->at_ns == 0) {
		sign->count = count;
		sign->at_ns = now;
	}
	if (now - sign->at_ns > limit_s * CLOCK_SECOND_NS) {
		char text[64];

		snprintf(text, sizeof(text), "no answer for %u s", limit_s);
		lane_fail(lane,
		        lane->n_workers > 0
		                ? op_name((enum op_kind)atomic_load(&lane->workers[0].underway))
		                : "syncfs",
		        lane->target->path, -ETIMEDOUT, text);
		lane->is_abandoned = true;
		lane->state = LANE_LOST;
		lane_cancel(lane);
		lost = true;
	}
	pthread_mutex_unlock(&lane->lock);
	if (lost) {
		run->is_lost[lane->index] = true;
		run_log(run, "%s does not answer: left out", lane->target->label);
	}
	return lost;
}

static bool has_answered(struct lane *lane)
{
	bool answered;

	pthread_mutex_lock(&lane->lock);
	answered = !lane->has_order;
	pthread_mutex_unlock(&lane->lock);
	return answered;
}

static uint64_t events_of(struct run *run)
{
	uint64_t events;

	pthread_mutex_lock(&run->lock);
	events = run->events;
	pthread_mutex_unlock(&run->lock);
	return events;
}

/* Sleep until something happened since @events, at most 100 ms. */
static void wait_for_event(struct run *run, uint64_t events)
{
	uint64_t until = clock_now_ns() + CLOCK_SECOND_NS / 10;
	struct timespec at = { (time_t)(until / CLOCK_SECOND_NS), (long)(until % CLOCK_SECOND_NS) };

	pthread_mutex_lock(&run->lock);
	if (run->events == events)
		pthread_cond_timedwait(&run->changed, &run->lock, &at);
	pthread_mutex_unlock(&run->lock);
}

/* Until all lanes of the wave have answered or are lost; commands are heeded meanwhile. */
static void wait_answers(struct run *run, struct wave *wave)
{
	struct sign_of_life sign[TARGETS_MAX] = { 0 };
	uint64_t hurry_until = 0;

	for (;;) {
		uint64_t events = events_of(run);
		bool waiting = false;

		command_process(run);
		for (unsigned i = 0; i < wave->n; i++) {
			struct lane *lane = wave->lanes[i];

			if (run->is_lost[lane->index] || has_answered(lane))
				continue;
			waiting = !check_lost(run, lane, &sign[i]) || waiting;
		}
		if (run->stop_now && hurry_until == 0)
			hurry_until = clock_now_ns() + STOP_NOW_GRACE_NS;
		if (!waiting || (run->stop_now && clock_now_ns() > hurry_until))
			return;
		wait_for_event(run, events);
	}
}

static void post(struct run *run, struct wave *wave, struct lane_order order, bool also_out)
{
	for (unsigned i = 0; i < wave->n; i++) {
		assert(wave->lanes[i] != NULL);
		if (run->is_lost[wave->lanes[i]->index] || (wave->is_out[i] && !also_out))
			continue;
		if (!has_answered(wave->lanes[i])) /* after a second Ctrl-C: still in a call */
			continue;
		order.place = wave->place[i];
		order.predecessor = wave->predecessor[i];
		lane_post(wave->lanes[i], &order);
	}
}

/* Has the lane recorded the row itself, or is about to? */
static bool has_claimed(struct lane *lane)
{
	bool claimed;

	pthread_mutex_lock(&lane->lock);
	claimed = lane->has_claimed;
	pthread_mutex_unlock(&lane->lock);
	return claimed;
}

/*
 * After an order: lanes that failed or are lost are out of this set. @row is the one that has
 * failed; @row_is_recorded: the lane itself made its result. The rows behind it are skipped.
 */
static void drop_failed(struct run *run, struct wave *wave, const struct run_set *set, unsigned row,
        bool row_is_recorded)
{
	for (unsigned i = 0; i < wave->n; i++) {
		struct lane *lane = wave->lanes[i];
		bool lost = run->is_lost[lane->index];

		if (wave->is_out[i] || (!lost && (!has_answered(lane) || lane->answer >= 0)))
			continue;
		wave->is_out[i] = true;
		if (lost ? !has_claimed(lane) : !row_is_recorded)
			lane_add_absent(lane, row, run->round, RESULT_ERROR);
		for (unsigned later = row + 1; later < set->first_row + set->n_rows; later++)
			lane_add_absent(lane, later, run->round, RESULT_SKIPPED);
		if (lost)
			lane_write_pending(lane);
	}
}

/* Rows from @row on that a stop left undone; the lanes are out afterwards. */
static void skip_rest(struct run *run, struct wave *wave, const struct run_set *set, unsigned row)
{
	unsigned end = set->first_row + set->n_rows;

	for (unsigned i = 0; i < wave->n; i++) {
		for (unsigned later = row; later < end && !wave->is_out[i]; later++)
			lane_add_absent(wave->lanes[i], later, run->round, RESULT_SKIPPED);
		wave->is_out[i] = true;
	}
}

/* A change is small and rare, but its fsync waits for a boundary like the results'. */
static void journal_changes(struct run *run)
{
	struct report_view view;
	struct error err = { 0 };

	if (run->journal == NULL || report_view_init(&view, run->report) != 0)
		return;
	pthread_mutex_lock(&run->journal_lock);
	for (; run->changes_written < view.n_changes; run->changes_written++)
		journal_add_change(run->journal, &view.changes[run->changes_written], &err);
	pthread_mutex_unlock(&run->journal_lock);
	report_view_release(&view);
}

static bool wave_is_held(struct run *run, struct wave *wave)
{
	bool held = run->is_paused;

	/* A lane alone waits here; together, the paused one waits at its barrier. */
	if (wave->n == 1) {
		pthread_mutex_lock(&wave->lanes[0]->lock);
		held = held || wave->lanes[0]->want_pause;
		if (held)
			wave->lanes[0]->state = LANE_PAUSED;
		pthread_mutex_unlock(&wave->lanes[0]->lock);
	}
	return held && !run->stop;
}

/* Between two phases: heed commands, and stay here while paused. */
static void boundary(struct run *run, struct wave *wave)
{
	command_process(run);
	journal_changes(run);
	if (run->pause_at_boundary && !run->stop) {
		pthread_mutex_lock(&run->lock);
		run->pause_at_boundary = false;
		pthread_mutex_unlock(&run->lock);
		command_pause(run, -1, true);
	}
	while (wave_is_held(run, wave)) {
		uint64_t events = events_of(run);

		command_process(run);
		wait_for_event(run, events);
	}
}

static void set_up(struct run *run, struct wave *wave, const struct run_set *set)
{
	/* A lane that was lost and has answered since takes part again. */
	for (unsigned i = 0; i < wave->n; i++) {
		struct lane *lane = wave->lanes[i];

		wave->is_out[i] = false;
		if (run->is_lost[lane->index] && has_answered(lane)) {
			struct wave one = { .lanes = { lane }, .n = 1 };

			run->is_lost[lane->index] = false;
			run_log(run, "%s answers again", lane->target->label);
			post(run, &one, (struct lane_order){ .kind = ORDER_TEARDOWN }, true);
			wait_answers(run, &one);
		}
	}
	post(run, wave,
	        (struct lane_order){ .kind = ORDER_SETUP,
	                .row = set->first_row,
	                .round = run->round,
	                .is_fresh = !run->config.fresh_by_round || set == &run->sets[0] },
	        false);
	wait_answers(run, wave);
	drop_failed(run, wave, set, set->first_row, false);
}

/* One row on all lanes of the wave: settle, then run. */
static void run_row(struct run *run, struct wave *wave, const struct run_set *set, unsigned row)
{
	struct lane_order order = { .kind = ORDER_SETTLE, .row = row, .round = run->round };

	post(run, wave, order, false);
	wait_answers(run, wave);
	drop_failed(run, wave, set, row, false);
	if (run->stop) {
		skip_rest(run, wave, set, row);
		return;
	}
	order.kind = ORDER_PHASE;
	post(run, wave, order, false);
	wait_answers(run, wave);
	drop_failed(run, wave, set, row, true);
	if (run->stop)
		skip_rest(run, wave, set, row + 1);
}

static bool is_last(const struct run *run, const struct run_set *set)
{
	return run->stop ||
	       (run->round == run->config.rounds && set == &run->sets[run->n_sets - 1]);
}

static void tear_down(struct run *run, struct wave *wave, const struct run_set *set)
{
	post(run, wave,
	        (struct lane_order){ .kind = ORDER_TEARDOWN,
	                .keep_files = run->config.keep_files && is_last(run, set) },
	        true);
	wait_answers(run, wave);
}

static void run_set(struct run *run, struct wave *wave, const struct run_set *set)
{
	unsigned end = set->first_row + set->n_rows, row = set->first_row;

	set_up(run, wave, set);
	for (; row < end; row++) {
		boundary(run, wave);
		if (run->stop)
			skip_rest(run, wave, set, row);
		else
			run_row(run, wave, set, row);
	}
	tear_down(run, wave, set);
}

/* Wave @k: the k-th member of each group, in this round's order. */
static void make_wave(struct run *run, const unsigned *order, unsigned k, struct wave *wave)
{
	unsigned seen[TARGETS_MAX] = { 0 };
	int last[TARGETS_MAX];

	memset(wave, 0, sizeof(*wave));
	for (unsigned i = 0; i < TARGETS_MAX; i++)
		last[i] = -1;
	for (unsigned i = 0; i < run->n_lanes; i++) {
		unsigned group = run->group[order[i]];

		if (seen[group] == k) {
			wave->lanes[wave->n] = &run->lanes[order[i]];
			wave->place[wave->n] = k + 1;
			wave->predecessor[wave->n] = last[group];
			wave->n++;
		}
		last[group] = (int)order[i];
		seen[group]++;
	}
}

/* Which turn each lane has in this round, for the columns that wait. */
static void plan_turns(struct run *run, const unsigned *order)
{
	unsigned seen[TARGETS_MAX] = { 0 };

	pthread_mutex_lock(&run->lock);
	run->turn = run->n_turns = 0;
	for (unsigned i = 0; i < run->n_lanes; i++) {
		unsigned turn = seen[run->group[order[i]]]++;

		run->turn_of[order[i]] = turn;
		run->n_turns = turn + 1 > run->n_turns ? turn + 1 : run->n_turns;
	}
	pthread_mutex_unlock(&run->lock);
}

static void set_turn(struct run *run, unsigned turn)
{
	pthread_mutex_lock(&run->lock);
	run->turn = turn;
	pthread_mutex_unlock(&run->lock);
}

/* Turns by phase: all lanes are set up, and each row goes round them. */
static void run_set_by_phase(struct run *run, const unsigned *order, const struct run_set *set)
{
	struct wave waves[TARGETS_MAX];
	unsigned n = 0;

	for (;; n++) {
		make_wave(run, order, n, &waves[n]);
		if (waves[n].n == 0)
			break;
		set_up(run, &waves[n], set);
	}
	for (unsigned row = set->first_row; row < set->first_row + set->n_rows; row++)
		for (unsigned k = 0; k < n; k++) {
			set_turn(run, k);
			if (!run->stop)
				boundary(run, &waves[k]);
			if (run->stop)
				skip_rest(run, &waves[k], set, row);
			else
				run_row(run, &waves[k], set, row);
		}
	for (unsigned k = 0; k < n; k++)
		tear_down(run, &waves[k], set);
}

static void run_round(struct run *run)
{
	unsigned order[TARGETS_MAX];

	schedule_order(run->config.seed, run->round, run->n_lanes, order);
	plan_turns(run, order);
	for (unsigned s = 0; s < run->n_sets; s++) {
		if (run->config.turns_by_phase) {
			run_set_by_phase(run, order, &run->sets[s]);
			continue;
		}
		for (unsigned k = 0;; k++) {
			struct wave wave;

			make_wave(run, order, k, &wave);
			if (wave.n == 0)
				break;
			set_turn(run, k);
			if (run->stop)
				skip_rest(run, &wave, &run->sets[s], run->sets[s].first_row);
			else
				run_set(run, &wave, &run->sets[s]);
		}
	}
}

static void set_round(struct run *run, unsigned round)
{
	pthread_mutex_lock(&run->lock);
	run->round = round;
	if (run->state == RUN_PREPARING)
		run->state = RUN_RUNNING;
	pthread_mutex_unlock(&run->lock);
}

/* A lane still in a call when the run ends at once: its phase is aborted, whatever comes of it. */
static void abandon(struct run *run, struct lane *lane)
{
	unsigned row, round;
	bool in_phase;

	pthread_mutex_lock(&lane->lock);
	row = (unsigned)lane->row;
	round = lane->round;
	in_phase = lane->has_order && lane->order.kind == ORDER_PHASE && !lane->is_abandoned &&
	           !lane->has_claimed;
	lane->is_abandoned = true;
	lane->state = LANE_LOST;
	pthread_mutex_unlock(&lane->lock);
	if (in_phase)
		lane_add_absent(lane, row, round, RESULT_ABORTED);
	run->is_lost[lane->index] = true;
}

/* Scratch directories go, lanes end, the report and the journal close. */
static void finish(struct run *run)
{
	struct wave all = { .n = run->n_lanes };
	bool cleaned = true, complete = !run->stop;

	pthread_mutex_lock(&run->lock);
	run->state = RUN_ENDING;
	pthread_mutex_unlock(&run->lock);
	for (unsigned i = 0; i < run->n_lanes; i++) {
		all.lanes[i] = &run->lanes[i];
		if (run->is_lost[i] && has_answered(&run->lanes[i]))
			run->is_lost[i] = false;
		if (!has_answered(&run->lanes[i]))
			abandon(run, &run->lanes[i]);
	}
	post(run, &all,
	        (struct lane_order){ .kind = ORDER_QUIT, .keep_files = run->config.keep_files },
	        true);
	wait_answers(run, &all);
	journal_changes(run);
	for (unsigned i = 0; i < run->n_lanes; i++)
		if (run->is_lost[i]) {
			lane_write_pending(&run->lanes[i]);
			cleaned = false;
		}
	cleaned = cleaned && !run->left_files;
	report_end(run->report, clock_utc_ns(), complete);
	/* A lane that comes back late may still want to write. */
	pthread_mutex_lock(&run->journal_lock);
	if (run->journal != NULL)
		journal_close(run->journal, complete, cleaned);
	run->journal = NULL;
	pthread_mutex_unlock(&run->journal_lock);
	pthread_mutex_lock(&run->lock);
	run->left_files = !cleaned;
	run->state = RUN_ENDED;
	run->end_ns = clock_now_ns();
	pthread_mutex_unlock(&run->lock);
}

void *director_main(void *argument)
{
	struct run *run = argument;

	pthread_setname_np(pthread_self(), "director");
	for (unsigned round = 1; round <= run->config.rounds; round++) {
		set_round(run, round);
		run_round(run);
	}
	finish(run);
	atomic_store(&run->has_ended, 1);
	atomic_store(&run->sampler_stop, 1);
	return NULL;
}
