/*
 * The made-up run. Deterministic: the same picture for the same seconds.
 */
#include "scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "engine/op.h"

struct scene_row {
	const char *workload, *set, *title, *phase, *unit;
};

static const struct scene_row rows[SCENE_ROWS] = {
	{ "mongo", "base_size=1000", "base 1000, 3 repetitions", "create", "files" },
	{ "mongo", "base_size=1000", "base 1000, 3 repetitions", "copy", "files" },
	{ "mongo", "base_size=1000", "base 1000, 3 repetitions", "slink", "links" },
	{ "mongo", "base_size=1000", "base 1000, 3 repetitions", "read", "files" },
	{ "bonnie", "", "512M, 16k files", "write", "bytes" },
	{ "bonnie", "", "512M, 16k files", "rewrite", "bytes" },
	{ "bonnie", "", "512M, 16k files", "seeks", "seeks" },
	{ "bonnie", "", "512M, 16k files", "seq-create", "files" },
	{ "random", "", "1 10 100 250 500M, 16536 B", "prepare", "bytes" },
	{ "random", "", "1 10 100 250 500M, 16536 B", "access", "tries" },
};

static const char *const labels[] = { "ext4", "xfs", "btrfs", "日本語", "a\033[31mb", "ext2" };

enum { N_LABELS = sizeof(labels) / sizeof(labels[0]) };

static void make_target(struct target *target, unsigned index)
{
	const char *label = labels[index % N_LABELS];

	target->fd = -1;
	if (index < N_LABELS)
		text_print(target->label, sizeof(target->label), "%s", label);
	else
		text_print(target->label, sizeof(target->label), "%s-%u", label, index);
	text_print(target->path, sizeof(target->path), "/mnt/%u", index);
	text_print(target->fs, sizeof(target->fs), "%s", label);
	text_print(target->source, sizeof(target->source), "/dev/loop%u", index);
	text_print(target->options, sizeof(target->options), "rw,relatime");
}

static int add_operation(struct result *result)
{
	struct result_operation *operation = calloc(1, sizeof(*operation));

	result->operations = operation;
	if (operation == NULL)
		return -ENOMEM;
	result->n_operations = 1;
	operation->name = "openat";
	operation->latency = calloc(1, sizeof(*operation->latency));
	if (operation->latency == NULL)
		return -ENOMEM;
	histogram_reset(operation->latency);
	for (unsigned i = 1; i <= 2000; i++)
		histogram_add(operation->latency, i * 1000);
	operation->count = 2000;
	return 0;
}

static int add_result(struct scene *scene, unsigned row, unsigned target, unsigned round)
{
	struct result *result = result_new();

	if (result == NULL)
		return -ENOMEM;
	result->row = row;
	result->target = target;
	result->round = round;
	result->was_started = true;
	result->wall_s = 2 + 0.37 * row + 0.21 * target + 0.05 * round;
	result->work = strcmp(rows[row].unit, "bytes") == 0 ? 512U << 20 : 68000;
	result->cpu_percent = 60 + 7 * (double)(target % 5);
	result->machine_percent = 40;
	result->workers = 1;
	result->space_bytes = (int64_t)(202 + target) << 20;
	if (row == 0 && target != 1)
		result->fragments = 1.021;
	if (add_operation(result) != 0) {
		result_free(result);
		return -ENOMEM;
	}
	if (target == 1 && row == 1) {
		result->status = RESULT_NO_SPACE;
		result->marks = MARK_NO_SPACE;
		result->error_operation = "write";
		result->error_errno = ENOSPC;
		text_print(result->error_path, sizeof(result->error_path), "d1/f\0332J7");
		text_print(
		        result->error_text, sizeof(result->error_text), "No space left on device");
	}
	return report_add_result(scene->report, result);
}

static int make_report(struct scene *scene, unsigned n_targets)
{
	struct report *report = report_new();

	scene->report = report;
	if (report == NULL)
		return -ENOMEM;
	report->rounds = 3;
	text_print(report->schedule, sizeof(report->schedule), "turns");
	text_print(report->schedule_reason, sizeof(report->schedule_reason), "one device (vda)");
	report->targets = calloc(n_targets, sizeof(*report->targets));
	report->rows = calloc(SCENE_ROWS, sizeof(*report->rows));
	if (report->targets == NULL || report->rows == NULL)
		return -ENOMEM;
	report->n_targets = n_targets;
	report->n_rows = SCENE_ROWS;
	for (unsigned i = 0; i < n_targets; i++)
		make_target(&report->targets[i], i);
	for (unsigned i = 0; i < SCENE_ROWS; i++) {
		report->rows[i].workload = rows[i].workload;
		report->rows[i].phase = rows[i].phase;
		report->rows[i].unit = rows[i].unit;
		report->rows[i].is_surveyed = i < 2;
		text_print(report->rows[i].set, sizeof(report->rows[i].set), "%s", rows[i].set);
		text_print(
		        report->rows[i].title, sizeof(report->rows[i].title), "%s", rows[i].title);
	}
	return 0;
}

int scene_renew(struct scene *scene)
{
	int code;

	table_release(&scene->table);
	report_view_release(&scene->results);
	code = report_view_init(&scene->results, scene->report);
	return code != 0 ? code : table_init(&scene->table, &scene->results);
}

static void make_waiting(struct board_target *target, unsigned index, unsigned row)
{
	memset(target, 0, sizeof(*target));
	target->state = LANE_WAITING;
	target->row = (int)row;
	target->round = 2;
	target->place = index;
	target->waits_for = index > 0 ? 0 : -1;
	target->eta_s = target->cpu_percent = target->machine_percent = -1;
	target->util_percent = target->write_amplification = -1;
	target->stuck_op = -1;
}

int scene_init(struct scene *scene, unsigned n_targets, unsigned row)
{
	struct error err = { 0 };
	int code;

	memset(scene, 0, sizeof(*scene));
	scene->glyphs = GLYPHS_FULL;
	view_init(&scene->view);
	code = make_report(scene, n_targets);
	for (unsigned round = 1; round <= 3; round++)
		for (unsigned r = 0; r < row; r++)
			for (unsigned t = 0; t < n_targets && code == 0; t++)
				code = add_result(scene, r, t, round);
	if (code == 0)
		code = report_view_init(&scene->results, scene->report);
	if (code == 0)
		code = table_init(&scene->table, &scene->results);
	if (code == 0)
		code = theme_load(&scene->theme, NULL, 0, &err);
	scene->board = board_new(n_targets, 0);
	if (code != 0 || scene->board == NULL)
		return code != 0 ? code : -ENOMEM;
	for (unsigned t = 0; t < n_targets; t++)
		make_waiting(&scene->board->targets[t], t, row);
	scene->board->rounds = 3;
	scene->board->round = 2;
	scene_play(scene, 10);
	return 0;
}

void scene_release(struct scene *scene)
{
	table_release(&scene->table);
	report_view_release(&scene->results);
	report_free(scene->report);
	board_free(scene->board);
}

struct frame scene_frame(const struct scene *scene)
{
	return (struct frame){
		.report = scene->report,
		.results = &scene->results,
		.table = &scene->table,
		.board = scene->board,
		.theme = &scene->theme,
		.glyphs = glyphs_get(scene->glyphs),
		.view = &scene->view,
	};
}

void scene_play(struct scene *scene, double seconds)
{
	struct board *board = scene->board;
	struct board_target *target = &board->targets[0];

	board->sequence++;
	board->state = RUN_RUNNING;
	board->elapsed_s = 751 + seconds;
	board->eta_s = 490;
	board->n_results = scene->results.n_results;
	board->n_log = 1;
	text_print(board->log[0].text, BOARD_LOG_TEXT, "copy done on xfs 6.93s");
	target->state = LANE_RUNNING;
	target->elapsed_s = seconds;
	target->total = 512U << 20;
	target->done = (uint64_t)fmin(512e6, seconds * 40e6);
	target->eta_s = 14;
	target->rate = target->bytes_per_s = 200e6 + 50e6 * sin(seconds);
	target->mean_rate = 198e6;
	target->cpu_percent = 78;
	target->machine_percent = 91;
	target->util_percent = 97;
	target->write_amplification = 1.04;
	target->p50_ns = 12000;
	target->p99_ns = 3100000;
	target->max_ns = 88000000;
	target->n_history = BOARD_HISTORY;
	for (unsigned i = 0; i < BOARD_HISTORY; i++)
		target->history[i] = (float)(200e6 + 150e6 * sin((seconds * 10 + i) / 9));
}
