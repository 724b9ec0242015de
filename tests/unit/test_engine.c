/*
 * The engine with workloads made for the purpose: counting, pausing, pacing, skipping, faults,
 * live changes, the time limit, schedules, children, lanes that hang.
 */
#include <CUnit/CUnit.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine_fixture.h"

void suite_engine(void);

static uint64_t count_of(const struct result *result, const char *operation)
{
	for (unsigned i = 0; i < result->n_operations; i++)
		if (strcmp(result->operations[i].name, operation) == 0)
			return result->operations[i].count;
	return 0;
}

static void set_param(struct fixture *fixture, const char *param, const char *value)
{
	struct command command = { .kind = COMMAND_SET, .target = -1 };

	strcpy(command.workload, "fixture");
	strcpy(command.param, param);
	strcpy(command.value, value);
	CU_ASSERT_EQUAL(run_command(fixture->run, &command), 0);
}

static void test_counts(void)
{
	struct fixture fixture;
	const struct result *result;

	fixture_init(&fixture, 2, &fixture_workload);
	fixture_set(&fixture, "count", "101");
	fixture_set(&fixture, "threads", "4");
	fixture_set(&fixture, "passes", "2");
	fixture.config.rounds = 2;
	fixture_begin(&fixture);
	fixture_join(&fixture);
	for (unsigned target = 0; target < 2; target++) {
		CU_ASSERT_EQUAL(fixture_count_results(&fixture, target, "make"), 2);
		result = fixture_find_result(&fixture, target, "make", 1);
		CU_ASSERT_PTR_NOT_NULL_FATAL(result);
		CU_ASSERT_EQUAL(result->status, RESULT_OK);
		CU_ASSERT_EQUAL(result->round, 2);
		CU_ASSERT_EQUAL(result->work, 202);
		CU_ASSERT_EQUAL(result->workers, 4);
		CU_ASSERT_EQUAL(result->n_repetitions, 2);
		CU_ASSERT_EQUAL(count_of(result, "openat"), 202);
		CU_ASSERT_EQUAL(count_of(result, "write"), 202);
		CU_ASSERT_EQUAL(count_of(result, "close"), 202);
		CU_ASSERT_EQUAL(result->bytes, 20200);
		CU_ASSERT(result->flush_s >= 0);
		CU_ASSERT_EQUAL(result->fragments, 1.25);
		CU_ASSERT(result->wall_s > 0);
		CU_ASSERT(result->first_done_s <= result->wall_s);
		result = fixture_find_result(&fixture, target, "drop", -1);
		CU_ASSERT_EQUAL(count_of(result, "unlink"), 202);
		CU_ASSERT(result->flush_s < 0);
		CU_ASSERT(result->fragments < 0);
	}
	CU_ASSERT(run_report(fixture.run)->rows[0].is_surveyed);
	CU_ASSERT_FALSE(run_report(fixture.run)->rows[1].is_surveyed);
	CU_ASSERT_EQUAL(report_status(run_report(fixture.run)), 0);
	CU_ASSERT_FALSE(run_left_files(fixture.run));
	fixture_release(&fixture);
}

/* What was not flushed has not found its place yet, so it is not looked at. */
static void test_no_survey_without_flush(void)
{
	struct fixture fixture;
	const struct result *result;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture.config.flush = FLUSH_NONE;
	fixture_begin(&fixture);
	fixture_join(&fixture);
	result = fixture_find_result(&fixture, 0, "make", -1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(result);
	CU_ASSERT(result->fragments < 0);
	fixture_release(&fixture);
}

static void test_pause_stops_the_clock(void)
{
	struct fixture fixture;
	const struct result *result;
	const struct board *board;
	uint64_t done;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "40");
	fixture_set(&fixture, "nap", "10ms");
	fixture_begin(&fixture);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_RUNNING));
	fixture_command_send(&fixture, COMMAND_PAUSE, -1);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_PAUSED));
	fixture_sleep_ms(150);
	done = run_board_take(fixture.run)->targets[0].done;
	fixture_sleep_ms(1000);
	board = run_board_take(fixture.run);
	CU_ASSERT_EQUAL(board->state, RUN_PAUSED);
	CU_ASSERT_EQUAL(board->targets[0].done, done);
	CU_ASSERT(board->targets[0].paused_s > 0.9);
	fixture_command_send(&fixture, COMMAND_RESUME, -1);
	fixture_join(&fixture);
	result = fixture_find_result(&fixture, 0, "make", -1);
	CU_ASSERT_EQUAL(result->work, 40);
	CU_ASSERT(result->marks & MARK_PAUSED);
	CU_ASSERT(result->paused_s > 1.0);
	/* Wall and pause are apart: their sum is what a clock on the wall saw. */
	CU_ASSERT_DOUBLE_EQUAL(result->wall_s + result->paused_s,
	        (double)(result->ended_utc_ns - result->started_utc_ns) * 1e-9, 0.2);
	CU_ASSERT(result->wall_s < 1.0 + result->paused_s);
	CU_ASSERT_FALSE(result_is_ranked(result));
	fixture_release(&fixture);
}

static void test_pause_at_the_boundary(void)
{
	struct fixture fixture;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "nap", "20ms");
	fixture_begin(&fixture);
	fixture_command_send(&fixture, COMMAND_PAUSE_BOUNDARY, -1);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_PAUSED));
	CU_ASSERT_EQUAL(fixture_count_results(&fixture, 0, "drop"), 0);
	fixture_command_send(&fixture, COMMAND_RESUME, -1);
	fixture_join(&fixture);
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "drop", 0)->work, 10);
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "make", 0)->marks & MARK_PAUSED, 0);
	fixture_release(&fixture);
}

/* A limit is kept over the whole, and a pause is not paid back in a burst. */
static void test_pace(void)
{
	struct fixture fixture;
	const struct result *result;
	uint64_t before, after;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "1500");
	fixture_set(&fixture, "rate", "1000");
	fixture_begin(&fixture);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_RUNNING));
	fixture_sleep_ms(200);
	fixture_command_send(&fixture, COMMAND_PAUSE, -1);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_PAUSED));
	fixture_sleep_ms(500);
	before = run_board_take(fixture.run)->targets[0].done;
	fixture_command_send(&fixture, COMMAND_RESUME, -1);
	fixture_sleep_ms(100);
	after = run_board_take(fixture.run)->targets[0].done;
	CU_ASSERT(after <= before + 120);
	fixture_join(&fixture);
	result = fixture_find_result(&fixture, 0, "make", -1);
	CU_ASSERT_EQUAL(result->work, 1500);
	CU_ASSERT(result_rate(result) < 1020);
	/* How near it comes is a matter for the bench: a busy machine may be late. */
	CU_ASSERT(result_rate(result) > 500);
	fixture_release(&fixture);
}

static void test_skip(void)
{
	struct fixture fixture;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "100000");
	fixture_set(&fixture, "nap", "20ms");
	fixture_begin(&fixture);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_RUNNING));
	fixture_sleep_ms(100);
	fixture_command_send(&fixture, COMMAND_SKIP, 0);
	fixture_join(&fixture);
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "make", 0)->status, RESULT_SKIPPED);
	CU_ASSERT(fixture_find_result(&fixture, 0, "make", 0)->work > 0);
	CU_ASSERT_FALSE(result_is_ranked(fixture_find_result(&fixture, 0, "make", 0)));
	/* The next phase ran, and failed on the first file that was never made. */
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "look", 0)->status, RESULT_ERROR);
	fixture_release(&fixture);
}

static void test_stop_keeps_every_row(void)
{
	struct fixture fixture;

	fixture_init(&fixture, 2, &fixture_workload);
	fixture_set(&fixture, "count", "100000");
	fixture_set(&fixture, "nap", "10ms");
	fixture.config.rounds = 2;
	fixture_begin(&fixture);
	for (unsigned i = 0; i < 1000; i++) {
		const struct board *board = run_board_take(fixture.run);

		if (board->targets[0].state == LANE_RUNNING ||
		        board->targets[1].state == LANE_RUNNING)
			break;
		fixture_sleep_ms(10);
	}
	fixture_command_send(&fixture, COMMAND_STOP, -1);
	fixture_join(&fixture);
	unsigned aborted = 0, skipped = 0, all = 0;
	struct report *report = run_report(fixture.run);

	for (size_t i = 0; i < report->n_results; i++) {
		aborted += report->results[i]->status == RESULT_ABORTED;
		skipped += report->results[i]->status == RESULT_SKIPPED;
		all++;
	}
	CU_ASSERT_EQUAL(all, 12);
	CU_ASSERT_EQUAL(aborted, 1);
	CU_ASSERT_EQUAL(skipped, 11);
	CU_ASSERT_FALSE(report->is_complete);
	CU_ASSERT_EQUAL(report_status(report), 1);
	fixture_release(&fixture);
}

static void test_time_limit(void)
{
	struct fixture fixture;
	const struct result *result;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "1M");
	fixture_set(&fixture, "nap", "5ms");
	fixture_set(&fixture, "threads", "8");
	fixture.config.time_limit_ns = 300000000;
	fixture_begin(&fixture);
	fixture_join(&fixture);
	result = fixture_find_result(&fixture, 0, "make", 0);
	CU_ASSERT_EQUAL(result->status, RESULT_OK);
	CU_ASSERT(result->marks & MARK_LIMIT);
	CU_ASSERT(result->wall_s >= 0.3 && result->wall_s < 1.3);
	CU_ASSERT_FALSE(result_is_ranked(result));
	fixture_release(&fixture);
}

/* A step that outlasts the limit's grace is cancelled, but the phase is flushed like any other. */
static void test_time_limit_flushes(void)
{
	struct fixture fixture;
	const struct result *result;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "100");
	fixture_set(&fixture, "nap", "900ms");
	fixture.config.time_limit_ns = 100000000;
	fixture_begin(&fixture);
	fixture_join(&fixture);
	result = fixture_find_result(&fixture, 0, "make", 0);
	CU_ASSERT_EQUAL(result->status, RESULT_OK);
	CU_ASSERT(result->marks & MARK_LIMIT);
	CU_ASSERT(result->flush_s >= 0);
	fixture_release(&fixture);
}

static void inject(struct fixture *fixture, struct inject_rule rule)
{
	fixture->inject.rules[fixture->inject.n++] = rule;
	fixture->config.inject = &fixture->inject;
}

static void check_fault(int code, enum result_status status)
{
	struct fixture fixture;
	const struct result *result;

	fixture_init(&fixture, 2, &fixture_workload);
	inject(&fixture,
	        (struct inject_rule){ .kind = OP_WRITE, .target = 1, .skip = 4, .code = code });
	fixture_begin(&fixture);
	fixture_join(&fixture);
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "drop", 0)->status, RESULT_OK);
	result = fixture_find_result(&fixture, 1, "make", 0);
	CU_ASSERT_EQUAL(result->status, status);
	CU_ASSERT_EQUAL(result->work, 4);
	CU_ASSERT_PTR_NOT_NULL_FATAL(result->error_operation);
	CU_ASSERT_STRING_EQUAL(result->error_operation, "write");
	CU_ASSERT_EQUAL(result->error_errno, -code);
	CU_ASSERT_STRING_EQUAL(result->error_text, strerror(-code));
	CU_ASSERT_PTR_NOT_NULL(strstr(result->error_path, fixture.paths[1]));
	CU_ASSERT(result_rate(result) < 0);
	result = fixture_find_result(&fixture, 1, "drop", 0);
	CU_ASSERT_EQUAL(result->status, RESULT_SKIPPED);
	CU_ASSERT_FALSE(result->was_started);
	CU_ASSERT_EQUAL(report_status(run_report(fixture.run)), 1);
	fixture_release(&fixture);
}

static void test_faults(void)
{
	static const int codes[] = { -EIO, -EROFS, -EACCES, -EMFILE, -ESTALE };

	check_fault(-ENOSPC, RESULT_NO_SPACE);
	check_fault(-EDQUOT, RESULT_NO_SPACE);
	for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		check_fault(codes[i], RESULT_ERROR);
}

static void test_short_write(void)
{
	struct fixture fixture;
	const struct result *result;

	fixture_init(&fixture, 1, &fixture_workload);
	inject(&fixture, (struct inject_rule){
	                         .kind = OP_WRITE, .target = INJECT_ANY, .skip = 2, .length = 7 });
	fixture_begin(&fixture);
	fixture_join(&fixture);
	result = fixture_find_result(&fixture, 0, "make", 0);
	CU_ASSERT_EQUAL(result->status, RESULT_ERROR);
	CU_ASSERT_STRING_EQUAL(result->error_text, "wrote 7 of 100 bytes");
	fixture_release(&fixture);
}

static void test_live_change(void)
{
	struct fixture fixture;
	const struct result *first, *second;
	struct report *report;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "100");
	fixture_set(&fixture, "nap", "10ms");
	fixture_begin(&fixture);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_RUNNING));
	fixture_sleep_ms(200);
	set_param(&fixture, "nap", "1ms");
	set_param(&fixture, "nap", "12q");
	set_param(&fixture, "passes", "7");
	fixture_join(&fixture);
	report = run_report(fixture.run);
	CU_ASSERT_EQUAL(report->n_changes, 1);
	CU_ASSERT_STRING_EQUAL(report->changes[0].old_text, "10ms");
	CU_ASSERT_STRING_EQUAL(report->changes[0].new_text, "1ms");
	CU_ASSERT_EQUAL_FATAL(fixture_count_results(&fixture, 0, "make"), 2);
	first = fixture_find_result(&fixture, 0, "make", 0);
	second = fixture_find_result(&fixture, 0, "make", 1);
	CU_ASSERT_EQUAL(first->segment, 1);
	CU_ASSERT_EQUAL(second->segment, 2);
	CU_ASSERT(first->marks & second->marks & MARK_CHANGED);
	CU_ASSERT_EQUAL(first->work + second->work, 100);
	CU_ASSERT_EQUAL(count_of(first, "openat") + count_of(second, "openat"), 100);
	CU_ASSERT(first->work > 2 && first->wall_s > 0.1);
	CU_ASSERT(second->start_ns > first->start_ns);
	CU_ASSERT(result_rate(second) > 2 * result_rate(first));
	CU_ASSERT_EQUAL(params_number(&first->params, FIXTURE_NAP), 10000000);
	CU_ASSERT_EQUAL(params_number(&second->params, FIXTURE_NAP), 1000000);
	CU_ASSERT_FALSE(result_is_ranked(second));
	/* The change holds for later phases too, which are whole. */
	second = fixture_find_result(&fixture, 0, "look", 0);
	CU_ASSERT_EQUAL(params_number(&second->params, FIXTURE_NAP), 1000000);
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "look", 0)->marks & MARK_CHANGED, 0);
	fixture_release(&fixture);
}

/* What waits for the next phase does not slip in with a cut for something else. */
static void test_next_phase_waits(void)
{
	struct fixture fixture;
	const struct result *second;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "60");
	fixture_set(&fixture, "nap", "10ms");
	fixture_begin(&fixture);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_RUNNING));
	set_param(&fixture, "threads", "4");
	set_param(&fixture, "nap", "1ms");
	fixture_join(&fixture);
	second = fixture_find_result(&fixture, 0, "make", 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(second);
	CU_ASSERT_EQUAL(second->workers, 1);
	CU_ASSERT_EQUAL(params_number(&second->params, FIXTURE_WORKERS), 1);
	CU_ASSERT_EQUAL(params_number(&second->params, FIXTURE_NAP), 1000000);
	second = fixture_find_result(&fixture, 0, "look", 0);
	CU_ASSERT_EQUAL(second->workers, 4);
	CU_ASSERT_EQUAL(params_number(&second->params, FIXTURE_NAP), 1000000);
	fixture_release(&fixture);
}

/* Lowering the total below what is done ends the phase. */
static void test_live_total(void)
{
	struct fixture fixture;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "1M");
	fixture_set(&fixture, "nap", "10ms");
	fixture_begin(&fixture);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_RUNNING));
	fixture_sleep_ms(150);
	set_param(&fixture, "count", "3");
	fixture_join(&fixture);
	CU_ASSERT(fixture_find_result(&fixture, 0, "make", -1)->status == RESULT_OK);
	CU_ASSERT(fixture_find_result(&fixture, 0, "make", 0)->work < 1000);
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "look", 0)->work, 3);
	fixture_release(&fixture);
}

static double seconds_between(const struct result *a, const struct result *b)
{
	return ((double)b->start_ns - (double)a->start_ns) * 1e-9;
}

static void test_schedules(void)
{
	struct fixture fixture;
	const struct result *a, *b;

	for (int together = 0; together < 2; together++) {
		fixture_init(&fixture, 2, &fixture_workload);
		fixture_set(&fixture, "count", "20");
		fixture_set(&fixture, "nap", "10ms");
		fixture.config.schedule = together ? SCHEDULE_TOGETHER : SCHEDULE_TURNS;
		fixture_begin(&fixture);
		fixture_join(&fixture);
		a = fixture_find_result(&fixture, 0, "make", 0);
		b = fixture_find_result(&fixture, 1, "make", 0);
		if (seconds_between(a, b) < 0) {
			const struct result *held = a;

			a = b;
			b = held;
		}
		CU_ASSERT_STRING_EQUAL(
		        run_report(fixture.run)->schedule, together ? "together" : "turns");
		if (together)
			CU_ASSERT(seconds_between(a, b) < 0.15);
		if (!together)
			CU_ASSERT(seconds_between(a, b) >= a->wall_s);
		CU_ASSERT_EQUAL(a->order, 1);
		CU_ASSERT_EQUAL(b->order, together ? 1 : 2);
		CU_ASSERT_EQUAL(b->predecessor, together ? -1 : (int)a->target);
		fixture_release(&fixture);
	}
}

/* Used space is a file system's: where two targets lie on it at once, it is nobody's figure. */
static void test_space_is_own(void)
{
	struct fixture fixture;

	for (int shared = 0; shared < 3; shared++) {
		fixture_init(&fixture, 2, &fixture_workload);
		fixture.config.schedule = shared == 1 ? SCHEDULE_TOGETHER : SCHEDULE_TURNS;
		fixture.config.turns_by_phase = shared == 2;
		fixture_begin(&fixture);
		fixture_join(&fixture);
		for (unsigned target = 0; target < 2; target++) {
			int64_t space =
			        fixture_find_result(&fixture, target, "make", 0)->space_bytes;

			CU_ASSERT_EQUAL(space == INT64_MIN, shared != 0);
		}
		fixture_release(&fixture);
	}
}

static void test_turns_by_phase(void)
{
	struct fixture fixture;

	fixture_init(&fixture, 2, &fixture_workload);
	fixture.config.turns_by_phase = true;
	fixture_begin(&fixture);
	fixture_join(&fixture);
	/* Both have made their files before either looks. */
	for (unsigned a = 0; a < 2; a++)
		for (unsigned b = 0; b < 2; b++)
			CU_ASSERT(seconds_between(fixture_find_result(&fixture, a, "make", 0),
			                  fixture_find_result(&fixture, b, "look", 0)) > 0);
	CU_ASSERT_EQUAL(report_status(run_report(fixture.run)), 0);
	fixture_release(&fixture);
}

/* One call that takes 4 s on a lane that may hang for 1 s: the other target is not held up. */
static void test_hanging_lane(void)
{
	struct fixture fixture;
	const struct result *result;

	fixture_init(&fixture, 2, &fixture_workload);
	inject(&fixture, (struct inject_rule){ .kind = OP_STAT,
	                         .target = 0,
	                         .skip = 3,
	                         .times = 1,
	                         .delay_ns = 4 * CLOCK_SECOND_NS });
	fixture.config.lost_s = 1;
	fixture.config.rounds = 1;
	fixture.config.schedule = SCHEDULE_TOGETHER;
	fixture_begin(&fixture);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_LOST));
	CU_ASSERT_EQUAL(run_join(fixture.run, 30 * CLOCK_SECOND_NS), -ETIMEDOUT);
	CU_ASSERT(run_has_ended(fixture.run));
	CU_ASSERT(run_left_files(fixture.run));
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 1, "drop", 0)->status, RESULT_OK);
	CU_ASSERT_EQUAL(fixture_count_results(&fixture, 0, "look"), 1);
	result = fixture_find_result(&fixture, 0, "look", 0);
	CU_ASSERT_EQUAL(result->status, RESULT_ERROR);
	CU_ASSERT_STRING_EQUAL(result->error_operation, "stat");
	CU_ASSERT_STRING_EQUAL(result->error_text, "no answer for 1 s");
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "drop", 0)->status, RESULT_SKIPPED);
	/* It comes back in the end, and cleans up after itself. */
	CU_ASSERT_EQUAL(fixture_count_entries(&fixture, 0), 1);
	fixture_sleep_ms(4000);
	fixture_join(&fixture);
	fixture_release(&fixture);
}

/* In every frame the workers' rows add up to the target's. */
static void test_board_adds_up(void)
{
	struct fixture fixture;
	unsigned frames = 0, wrong = 0;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "20k");
	fixture_set(&fixture, "threads", "7");
	fixture_begin(&fixture);
	while (!run_has_ended(fixture.run)) {
		const struct board *board = run_board_take(fixture.run);
		const struct board_target *target = &board->targets[0];
		uint64_t sum = 0;

		for (unsigned i = 0; i < target->n_workers; i++)
			sum += board->workers[target->first_worker + i].work;
		wrong += target->n_workers > 0 && sum != target->done;
		frames++;
		fixture_sleep_ms(1);
	}
	CU_ASSERT(frames > 0);
	CU_ASSERT_EQUAL(wrong, 0);
	fixture_join(&fixture);
	fixture_release(&fixture);
}

/* The series adds up to the result, pauses and changes included. */
static void test_series_adds_up(void)
{
	struct fixture fixture;
	uint64_t work[3] = { 0 }, bytes = 0, result_bytes = 0;
	struct report *report;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "400");
	fixture_set(&fixture, "nap", "5ms");
	fixture_begin(&fixture);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_RUNNING));
	fixture_sleep_ms(300);
	fixture_command_send(&fixture, COMMAND_PAUSE, -1);
	fixture_sleep_ms(300);
	set_param(&fixture, "nap", "4ms");
	fixture_sleep_ms(300);
	fixture_command_send(&fixture, COMMAND_RESUME, -1);
	fixture_join(&fixture);
	report = run_report(fixture.run);
	for (size_t i = 0; i < report->n_samples; i++) {
		work[report->samples[i].row] += report->samples[i].work;
		bytes += report->samples[i].bytes;
	}
	for (size_t i = 0; i < report->n_results; i++)
		result_bytes += report->results[i]->bytes;
	for (unsigned row = 0; row < 3; row++)
		CU_ASSERT_EQUAL(work[row], 400);
	CU_ASSERT_EQUAL(bytes, result_bytes);
	fixture_release(&fixture);
}

static void test_many_passes(void)
{
	struct fixture fixture;

	fixture_init(&fixture, 1, &fixture_workload);
	fixture_set(&fixture, "count", "2");
	fixture_set(&fixture, "threads", "2");
	fixture_set(&fixture, "passes", "1000");
	fixture_begin(&fixture);
	fixture_join(&fixture);
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "make", 0)->work, 2000);
	CU_ASSERT_EQUAL(fixture_find_result(&fixture, 0, "make", 0)->n_repetitions, 1000);
	fixture_release(&fixture);
}

static void test_child(void)
{
	struct fixture fixture;
	const struct result *result;

	fixture_init(&fixture, 1, &fixture_child);
	fixture_command = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
	fixture_begin(&fixture);
	fixture_join(&fixture);
	result = fixture_find_result(&fixture, 0, "child", 0);
	CU_ASSERT_EQUAL(result->status, RESULT_OK);
	CU_ASSERT(result->cpu_user_s + result->cpu_system_s > 0.001);
	fixture_release(&fixture);

	fixture_init(&fixture, 1, &fixture_child);
	fixture_command = "exit 3";
	fixture_begin(&fixture);
	fixture_join(&fixture);
	result = fixture_find_result(&fixture, 0, "child", 0);
	CU_ASSERT_EQUAL(result->status, RESULT_ERROR);
	fixture_release(&fixture);
}

/* Pausing stops the whole group, ending kills it. */
static void test_child_group(void)
{
	struct fixture fixture;
	const struct result *result;

	fixture_init(&fixture, 1, &fixture_child);
	fixture_command = "sleep 54321 & trap '' TERM; while :; do sleep 0.05; done";
	fixture_begin(&fixture);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_RUNNING));
	fixture_sleep_ms(100);
	fixture_command_send(&fixture, COMMAND_PAUSE, -1);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_PAUSED));
	CU_ASSERT_EQUAL(system("ps -eo stat=,args= | grep -q '^T.*[s]leep 54321'"), 0);
	fixture_command_send(&fixture, COMMAND_RESUME, -1);
	CU_ASSERT(fixture_wait_state(&fixture, 0, LANE_RUNNING));
	fixture_command_send(&fixture, COMMAND_STOP, -1);
	fixture_join(&fixture);
	result = fixture_find_result(&fixture, 0, "child", 0);
	CU_ASSERT_EQUAL(result->status, RESULT_ABORTED);
	CU_ASSERT_NOT_EQUAL(system("ps -eo args= | grep -q '[s]leep 54321'"), 0);
	fixture_release(&fixture);
}

void suite_engine(void)
{
	CU_pSuite suite = CU_add_suite("engine", NULL, NULL);

	CU_add_test(suite, "work and operations are counted", test_counts);
	CU_add_test(suite, "no survey without a flush", test_no_survey_without_flush);
	CU_add_test(suite, "a pause stops the clock", test_pause_stops_the_clock);
	CU_add_test(suite, "pause at the phase boundary", test_pause_at_the_boundary);
	CU_add_test(suite, "a rate limit without bursts", test_pace);
	CU_add_test(suite, "skip", test_skip);
	CU_add_test(suite, "stop keeps every row", test_stop_keeps_every_row);
	CU_add_test(suite, "time limit", test_time_limit);
	CU_add_test(suite, "time limit in a long step", test_time_limit_flushes);
	CU_add_test(suite, "a change for the next phase waits", test_next_phase_waits);
	CU_add_test(suite, "faults", test_faults);
	CU_add_test(suite, "short write", test_short_write);
	CU_add_test(suite, "a live change cuts", test_live_change);
	CU_add_test(suite, "a lower total ends the phase", test_live_total);
	CU_add_test(suite, "schedules", test_schedules);
	CU_add_test(suite, "space that others share", test_space_is_own);
	CU_add_test(suite, "turns by phase", test_turns_by_phase);
	CU_add_test(suite, "a hanging lane", test_hanging_lane);
	CU_add_test(suite, "the board adds up", test_board_adds_up);
	CU_add_test(suite, "the series adds up", test_series_adds_up);
	CU_add_test(suite, "a thousand passes", test_many_passes);
	CU_add_test(suite, "child process", test_child);
	CU_add_test(suite, "child process group", test_child_group);
}
