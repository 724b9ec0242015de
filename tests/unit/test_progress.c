/*
 * Progress without a screen, from made-up boards: which lines come and how often, that JSON lines
 * parse, that the status line keeps to its width.
 */
#include <CUnit/CUnit.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "measure/clock.h"

void suite_progress(void);

/* A report with two rows and two targets, a board, and a stream in memory. */
struct scene {
	struct report *report;
	struct board *board;
	struct progress progress;
	char *text;
	size_t size;
	FILE *out;
};

static void scene_init(struct scene *scene, enum progress_form form, unsigned columns)
{
	static const char *const phases[] = { "create", "copy" };

	memset(scene, 0, sizeof(*scene));
	scene->report = report_new();
	scene->board = board_new(2, 4);
	scene->out = open_memstream(&scene->text, &scene->size);
	CU_ASSERT_FATAL(scene->report != NULL && scene->board != NULL && scene->out != NULL);
	scene->report->targets = calloc(2, sizeof(struct target));
	scene->report->rows = calloc(2, sizeof(struct report_row));
	CU_ASSERT_FATAL(scene->report->targets != NULL && scene->report->rows != NULL);
	scene->report->n_targets = scene->report->n_rows = 2;
	for (unsigned i = 0; i < 2; i++) {
		struct report_row *row = &scene->report->rows[i];

		row->workload = "mongo";
		row->phase = phases[i];
		row->unit = "files";
		snprintf(row->set, sizeof(row->set), "base_size=100");
		scene->report->targets[i].fd = -1;
	}
	snprintf(scene->report->targets[0].label, TARGET_LABEL_MAX, "ext4");
	snprintf(scene->report->targets[1].label, TARGET_LABEL_MAX, "x\033f\377s");
	scene->board->n_targets = 2;
	scene->board->at_ns = 50 * CLOCK_SECOND_NS;
	scene->board->rounds = scene->board->round = 1;
	scene->board->eta_s = -1;
	for (unsigned i = 0; i < 2; i++) {
		scene->board->targets[i].row = -1;
		scene->board->targets[i].eta_s = -1;
		scene->board->targets[i].stuck_op = -1;
		scene->board->targets[i].waits_for = -1;
	}
	progress_init(&scene->progress, scene->out, form, columns, scene->report);
}

static void scene_release(struct scene *scene)
{
	fclose(scene->out);
	free(scene->text);
	board_free(scene->board);
	report_free(scene->report);
}

/* What was written since the last call; valid until the next. */
static const char *scene_step(struct scene *scene, double seconds)
{
	size_t before = scene->size;

	scene->board->at_ns += (uint64_t)(seconds * 1e9);
	progress_update(&scene->progress, scene->board);
	fflush(scene->out);
	return scene->text + before;
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

static void begin_phase(struct scene *scene, int row)
{
	scene->board->targets[0].state = LANE_RUNNING;
	scene->board->targets[0].row = row;
	scene->board->targets[0].round = 1;
	scene->board->targets[0].rate = 1234.5;
	scene->board->targets[0].done = 10;
	scene->board->targets[0].total = 40;
}

static void test_json_rate(void)
{
	struct scene scene;

	scene_init(&scene, PROGRESS_JSON, 80);
	CU_ASSERT_EQUAL(count_lines(scene_step(&scene, 0)), 2); /* both are new */
	CU_ASSERT_EQUAL(count_lines(scene_step(&scene, 0.1)), 0);
	begin_phase(&scene, 0);
	CU_ASSERT_EQUAL(count_lines(scene_step(&scene, 0.1)), 1); /* a state change */
	for (unsigned i = 0; i < 9; i++)
		CU_ASSERT_EQUAL(
		        count_lines(strstr(scene_step(&scene, 0.1), "ext4") != NULL ? "\n" : ""),
		        0);
	CU_ASSERT_PTR_NOT_NULL(strstr(scene_step(&scene, 0.11), "ext4")); /* a second later */
	scene.board->targets[0].state = LANE_PAUSING;
	CU_ASSERT_PTR_NOT_NULL(strstr(scene_step(&scene, 0.1), "ext4"));
	scene.board->targets[0].state = LANE_DONE;
	CU_ASSERT_PTR_NOT_NULL(strstr(scene_step(&scene, 0.1), "ext4"));
	CU_ASSERT_PTR_NULL(strstr(scene_step(&scene, 5), "ext4")); /* nothing more to say */
	scene_release(&scene);
}

static void check_line(json_t *line, bool is_running)
{
	static const char *const names[] = { "at_ns", "target", "workload", "set", "phase", "round",
		"done", "total", "rate", "eta_s", "state" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CU_ASSERT_PTR_NOT_NULL(json_object_get(line, names[i]));
	CU_ASSERT_EQUAL(json_object_size(line), sizeof(names) / sizeof(names[0]));
	CU_ASSERT_TRUE(json_is_null(json_object_get(line, "eta_s")));
	if (!is_running) {
		CU_ASSERT_TRUE(json_is_null(json_object_get(line, "phase")));
		CU_ASSERT_TRUE(json_is_null(json_object_get(line, "total")));
		return;
	}
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(line, "phase")), "create");
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(line, "set")), "base_size=100");
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(line, "total")), 40);
	CU_ASSERT_DOUBLE_EQUAL(json_real_value(json_object_get(line, "rate")), 1234.5, 1e-9);
	CU_ASSERT_STRING_EQUAL(
	        json_string_value(json_object_get(line, "state")), lane_state_name(LANE_RUNNING));
}

static void test_json_lines(void)
{
	struct scene scene;
	unsigned n = 0;

	scene_init(&scene, PROGRESS_JSON, 80);
	begin_phase(&scene, 0);
	scene.board->targets[1].rate = NAN;
	scene_step(&scene, 0);
	for (char *at = scene.text; *at != '\0'; n++) {
		char *end = strchr(at, '\n');
		json_error_t error;
		json_t *line;

		CU_ASSERT_PTR_NOT_NULL_FATAL(end);
		line = json_loadb(at, (size_t)(end - at), JSON_REJECT_DUPLICATES, &error);
		CU_ASSERT_PTR_NOT_NULL(line);
		if (line != NULL)
			check_line(line, n == 0);
		json_decref(line);
		at = end + 1;
	}
	CU_ASSERT_EQUAL(n, 2);
	scene_release(&scene);
}

static void test_lines(void)
{
	struct scene scene;
	struct result *result = result_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(result);
	scene_init(&scene, PROGRESS_LINES, 80);
	CU_ASSERT_STRING_EQUAL(scene_step(&scene, 0), "");
	begin_phase(&scene, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(
	        scene_step(&scene, 0.1), "ext4: mongo base_size=100 create round 1: begins\n"));
	scene.board->targets[0].state = LANE_PAUSED;
	CU_ASSERT_STRING_EQUAL(scene_step(&scene, 0.1), "");
	scene.board->targets[0].state = LANE_RUNNING;
	CU_ASSERT_STRING_EQUAL(scene_step(&scene, 0.1), ""); /* the same phase goes on */
	CU_ASSERT_STRING_EQUAL(scene_step(&scene, 9), "");
	CU_ASSERT_PTR_NOT_NULL(strstr(scene_step(&scene, 1), "25%")); /* ten seconds are over */
	CU_ASSERT_STRING_EQUAL(scene_step(&scene, 1), "");
	result->status = RESULT_OK;
	result->was_started = true;
	result->round = result->segment = 1;
	result->wall_s = 2;
	result->work = 40;
	CU_ASSERT_EQUAL(report_add_result(scene.report, result), 0);
	scene.board->n_results = 1;
	begin_phase(&scene, 1);
	CU_ASSERT_EQUAL(count_lines(scene_step(&scene, 0.1)), 2);
	CU_ASSERT_PTR_NOT_NULL(strstr(scene.text, "create round 1: 2"));
	CU_ASSERT_PTR_NOT_NULL(strstr(scene.text, "copy round 1: begins"));
	CU_ASSERT_TRUE(strstr(scene.text, "create round 1: 2") <
	               strstr(scene.text, "copy round 1: begins"));
	CU_ASSERT_PTR_NULL(strchr(scene.text, '\033'));
	scene_release(&scene);
}

static void test_full(void)
{
	struct scene scene;

	for (unsigned columns = 1; columns < 200; columns += 7) {
		scene_init(&scene, PROGRESS_FULL, columns);
		begin_phase(&scene, 0);
		CU_ASSERT_TRUE(strlen(scene_step(&scene, 0)) <= (columns > 1 ? columns : 80));
		CU_ASSERT_EQUAL(scene.text[0], '\r');
		CU_ASSERT_EQUAL(count_lines(scene.text), 0);
		scene.board->targets[0].state = LANE_DONE;
		/* A shorter line covers the longer one. */
		CU_ASSERT_TRUE(strlen(scene_step(&scene, 0.1)) >= strlen(scene.text) / 2);
		scene_release(&scene);
	}
}

static void test_log(void)
{
	struct scene scene;

	scene_init(&scene, PROGRESS_LINES, 80);
	scene.board->n_log = 1;
	scene.board->log[0].at_ns = 5;
	snprintf(scene.board->log[0].text, BOARD_LOG_TEXT, "first\033[2J");
	CU_ASSERT_STRING_EQUAL(scene_step(&scene, 0), "first?[2J\n");
	CU_ASSERT_STRING_EQUAL(scene_step(&scene, 0.1), "");
	scene.board->n_log = 2;
	scene.board->log[1].at_ns = 6;
	snprintf(scene.board->log[1].text, BOARD_LOG_TEXT, "second");
	CU_ASSERT_STRING_EQUAL(scene_step(&scene, 0.1), "second\n");
	scene_release(&scene);
}

void suite_progress(void)
{
	CU_pSuite suite = CU_add_suite("progress", NULL, NULL);

	CU_add_test(suite, "JSON: once a second and at changes", test_json_rate);
	CU_add_test(suite, "JSON: fields", test_json_lines);
	CU_add_test(suite, "lines", test_lines);
	CU_add_test(suite, "one line kept up to date", test_full);
	CU_add_test(suite, "log lines come once, made safe", test_log);
}
