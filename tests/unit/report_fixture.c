/*
 * The made-up report. See report_fixture.h.
 */
#include "report_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

#define MIB           UINT64_C(1048576)
#define LENGTH(table) (sizeof(table) / sizeof((table)[0]))

static const struct param mongo_params[] = {
	{ "base_size", PARAM_SIZE_LIST, PARAM_NEXT_RUN, "100", 1, 1e6, NULL, NULL, "bytes", "" },
	{ "processes", PARAM_COUNT_LIST, PARAM_NEXT_RUN, "1", 1, 64, NULL, NULL, "", "" },
	{ "content", PARAM_CHOICE, PARAM_NEXT_RUN, "random", 0, 0, NULL, "random|a", "", "" },
	{ "seed", PARAM_COUNT, PARAM_NEXT_RUN, "1", 0, 1e9, NULL, NULL, "", "" },
};

static const struct param random_params[] = {
	{ "sizes", PARAM_SIZE_LIST, PARAM_NEXT_RUN, "1024", 1, 1e12, NULL, NULL, "bytes", "" },
	{ "block", PARAM_SIZE, PARAM_NOW, "16384", 1, 1e9, NULL, NULL, "bytes", "" },
	{ "write", PARAM_SHARE, PARAM_NOW, "25%", 0, 1, NULL, NULL, "", "" },
	{ "think", PARAM_TIME, PARAM_NOW, "0", 0, 1e12, NULL, NULL, "", "" },
	{ "offset", PARAM_INTEGER, PARAM_NOW, "-3", -10, 10, NULL, NULL, "", "" },
	{ "hot", PARAM_TEXT, PARAM_NOW, "off", 0, 0, NULL, NULL, "", "" },
};

static const struct {
	const char *workload, *set, *phase, *unit, *flush;
} rows[FIXTURE_ROWS] = {
	[FIXTURE_CREATE] = { "mongo", "base_size=100", "create", "files", "outside" },
	[FIXTURE_COPY] = { "mongo", "base_size=100", "copy", "files", "outside" },
	[FIXTURE_SLINK] = { "mongo", "base_size=100", "slink", "links", "outside" },
	[FIXTURE_READ] = { "mongo", "base_size=100", "read", "files", "outside" },
	[FIXTURE_STATS] = { "mongo", "base_size=100", "stats", "entries", "outside" },
	[FIXTURE_RENAME] = { "mongo", "base_size=100", "rename", "files", "outside" },
	[FIXTURE_DELETE] = { "mongo", "base_size=100", "delete", "entries", "outside" },
	[FIXTURE_MULTI_CREATE] = { "mongo", "base_size=1000 processes=2", "create", "files",
	        "outside" },
	[FIXTURE_WRITE] = { "bonnie", "", "write", "bytes", "inside" },
	[FIXTURE_ACCESS] = { "random", "", "access", "tries", "none" },
};

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void set_list(struct params *params, unsigned index, uint64_t item)
{
	params->values[index].list.n = 1;
	params->values[index].list.items[0] = item;
}

static void set_params(unsigned row, struct params *params)
{
	memset(params, 0, sizeof(*params));
	if (row < FIXTURE_WRITE) {
		params_init(params, mongo_params, LENGTH(mongo_params));
		set_list(params, 0, row == FIXTURE_MULTI_CREATE ? 1000 : 100);
		set_list(params, 1, row == FIXTURE_MULTI_CREATE ? 2 : 1);
	} else if (row == FIXTURE_ACCESS) {
		params_init(params, random_params, LENGTH(random_params));
		params->values[5].text[0] = '\xff';
	}
}

static void set_targets(struct report *report)
{
	static const char *const labels[] = { "ext4", "x,\"f\"s\xff", "tmpfs" };
	static const char *const types[] = { "ext4", "xfs", "tmpfs" };
	static const char *const paths[] = { "/mnt/a", "/mnt/b c%", "/mnt/\xc3\xa4\xfe" };

	for (unsigned i = 0; i < FIXTURE_TARGETS; i++) {
		struct target *target = &report->targets[i];

		text_print(target->label, sizeof(target->label), "%s", labels[i]);
		text_print(target->path, sizeof(target->path), "%s", paths[i]);
		text_print(target->mount_point, sizeof(target->mount_point), "%s", paths[i]);
		text_print(target->fs, sizeof(target->fs), "%s", types[i]);
		text_print(target->options, sizeof(target->options), "rw,relatime\xc0\xaf");
		target->size_bytes = 2048 * MIB;
		target->free_bytes = 1024 * MIB;
		target->fd = -1;
		if (i == FIXTURE_TMPFS) {
			target->flags = TARGET_TMPFS;
			continue;
		}
		target->flags = TARGET_LOOP;
		target->n_nearest = target->n_bottom = 1;
		text_print(target->nearest[0].name, sizeof(target->nearest[0].name), "loop%u", i);
		text_print(target->bottom[0].name, sizeof(target->bottom[0].name), "vda");
	}
}

struct report *fixture_new(unsigned rounds)
{
	struct report *report = must(report_new());

	report->n_targets = FIXTURE_TARGETS;
	report->targets = must(calloc(FIXTURE_TARGETS, sizeof(report->targets[0])));
	report->n_rows = FIXTURE_ROWS;
	report->rows = must(calloc(FIXTURE_ROWS, sizeof(report->rows[0])));
	set_targets(report);
	for (unsigned i = 0; i < FIXTURE_ROWS; i++) {
		struct report_row *row = &report->rows[i];

		row->workload = rows[i].workload;
		row->phase = rows[i].phase;
		row->unit = rows[i].unit;
		text_print(row->set, sizeof(row->set), "%s", rows[i].set);
		text_print(row->title, sizeof(row->title), "as planned");
		text_print(row->flush, sizeof(row->flush), "%s", rows[i].flush);
		row->is_surveyed = i <= FIXTURE_COPY || i == FIXTURE_MULTI_CREATE;
		set_params(i, &row->params);
	}
	text_print(report->id, sizeof(report->id), "20261201-002345-0001");
	text_print(report->version, sizeof(report->version), "0.1.0");
	text_print(report->profile, sizeof(report->profile), "quick");
	text_print(report->schedule, sizeof(report->schedule), "turns");
	text_print(report->schedule_reason, sizeof(report->schedule_reason), "one device (vda)");
	text_print(report->flush, sizeof(report->flush), "default");
	text_print(report->host.name, sizeof(report->host.name), "host");
	text_print(report->host.kernel, sizeof(report->host.kernel), "6.1.0");
	report->host.cpus = 2;
	report->host.memory_bytes = 4096 * MIB;
	report->command = must(strdup("fsderby /mnt/a '/mnt/b c%' \x1b[31m"));
	report->started_utc_ns = UINT64_C(1796083425123456789);
	report->seed = UINT64_MAX;
	report->rounds = rounds;
	return report;
}

void fixture_add_operation(struct result *result, const char *name, unsigned count)
{
	struct result_operation *operation;

	result->operations = must(reallocarray(
	        result->operations, result->n_operations + 1, sizeof(result->operations[0])));
	operation = &result->operations[result->n_operations++];
	memset(operation, 0, sizeof(*operation));
	operation->name = name;
	operation->count = count;
	operation->bytes = UINT64_C(4096) * count;
	operation->latency = must(calloc(1, sizeof(*operation->latency)));
	histogram_reset(operation->latency);
	for (unsigned i = 1; i <= count; i++)
		histogram_add(operation->latency, UINT64_C(1000) * i);
}

static void set_device(struct result_device *device, const char *name, uint64_t bytes)
{
	device->is_known = true;
	text_print(device->names, sizeof(device->names), "%s", name);
	device->stats.read_bytes = bytes;
	device->stats.written_bytes = 2 * bytes;
	device->stats.reads = 3;
	device->stats.writes = 4;
	device->util_percent = 12.5;
}

static void add_repetitions(struct result *result)
{
	result->n_repetitions = 3;
	result->repetitions = must(calloc(3, sizeof(result->repetitions[0])));
	for (unsigned i = 0; i < 3; i++) {
		result->repetitions[i].wall_s = result->wall_s / 3;
		result->repetitions[i].flush_s = 0.25;
		result->repetitions[i].classic_s = result->wall_s / 3;
	}
	result->classic_s = result->wall_s;
	result->flush_s = 0.75;
}

struct result *fixture_result(unsigned row, unsigned target, unsigned round, double wall_s)
{
	struct result *result = must(result_new());

	result->row = row;
	result->target = target;
	result->round = round;
	result->was_started = true;
	result->started_utc_ns = UINT64_C(1796083425123456789);
	result->ended_utc_ns = result->started_utc_ns + (uint64_t)(wall_s * 1e9);
	result->start_ns = 1000;
	result->wall_s = wall_s;
	result->first_done_s = wall_s / 2;
	result->cpu_user_s = wall_s / 4;
	result->cpu_system_s = wall_s / 4;
	result->cpu_percent = 50;
	result->machine_percent = 25;
	result->workers = row == FIXTURE_MULTI_CREATE ? 2 : 1;
	result->work = row < FIXTURE_WRITE ? FIXTURE_FILES : 1000 * MIB;
	result->bytes = 100 * MIB;
	result->order = target + 1;
	result->predecessor = (int)target - 1;
	result->space_bytes = -4096;
	if (row == FIXTURE_CREATE && target == FIXTURE_EXT4)
		result->fragments = 1 + round * 0.125;
	set_params(row, &result->params);
	if (row < FIXTURE_WRITE)
		add_repetitions(result);
	if (target != FIXTURE_TMPFS) {
		set_device(&result->nearest, target ? "loop1" : "loop0", 4096);
		set_device(&result->bottom, "vda", 8192);
	}
	fixture_add_operation(result, "openat", 2000);
	fixture_add_operation(result, "mkdir", FIXTURE_DIRS);
	fixture_add_operation(result, "fsync", 9);
	return result;
}

static void fail(struct result *result, enum result_status status, int code)
{
	result->status = status;
	result->error_operation = "write";
	result->error_errno = code;
	text_print(result->error_path, sizeof(result->error_path), "testdir1-0-0/\xff\n1");
	text_print(result->error_text, sizeof(result->error_text), "%s", strerror(code));
}

static void add(struct report *report, struct result *result)
{
	if (report_add_result(report, result))
		abort();
}

static void add_skipped(struct report *report, unsigned row, unsigned target, unsigned round)
{
	struct result *result = must(result_new());

	result->row = row;
	result->target = target;
	result->round = round;
	result->status = RESULT_SKIPPED;
	result->params = report->rows[row].params;
	add(report, result);
}

/* xfs: copy of round 2 has an error, what follows in that set is skipped. */
static void add_xfs(struct report *report, unsigned row, unsigned round, double wall_s)
{
	struct result *result;

	if (round == 2 && row > FIXTURE_COPY && row <= FIXTURE_DELETE) {
		add_skipped(report, row, FIXTURE_XFS, round);
		return;
	}
	result = fixture_result(row, FIXTURE_XFS, round, 2 * wall_s);
	if (round == 2 && row == FIXTURE_COPY)
		fail(result, RESULT_ERROR, EIO);
	if (row == FIXTURE_MULTI_CREATE)
		fail(result, RESULT_NO_SPACE, ENOSPC);
	add(report, result);
}

static void add_tmpfs(struct report *report, unsigned row, unsigned round, double wall_s)
{
	struct result *result = fixture_result(row, FIXTURE_TMPFS, round, wall_s);

	if (row == FIXTURE_READ && round == 1) {
		result->marks |= MARK_CHANGED;
		add(report, result);
		result = fixture_result(row, FIXTURE_TMPFS, round, wall_s);
		result->segment = 2;
		result->marks |= MARK_CHANGED;
	}
	if (row == FIXTURE_STATS && round == 3) {
		result->marks |= MARK_PAUSED;
		result->paused_s = 2.5;
	}
	if (row == FIXTURE_ACCESS)
		result->status = RESULT_ABORTED;
	add(report, result);
}

static void add_events(struct report *report)
{
	struct report_change change = { .at_ns = 77,
		.target = -1,
		.workload = "mongo",
		.param = "seed",
		.old_text = "1",
		.new_text = "2\xfe" };
	struct report_sample sample = { .at_ns = 88,
		.interval_s = 0.1,
		.target = FIXTURE_XFS,
		.row = FIXTURE_WRITE,
		.round = 1,
		.work = 10,
		.bytes = 20,
		.rate = 100,
		.bytes_per_s = 200,
		.cpu_percent = -1,
		.machine_percent = 0.1,
		.p50_ns = 5 };

	if (report_add_change(report, &change) || report_add_sample(report, &sample))
		abort();
	sample.rate = 1.0 / 0.0;
	if (report_add_sample(report, &sample))
		abort();
}

struct report *fixture_full(void)
{
	struct report *report = fixture_new(3);

	for (unsigned round = 1; round <= 3; round++)
		for (unsigned row = 0; row < FIXTURE_ROWS; row++) {
			double wall_s = 10 + row + 0.1 * (round - 1);

			add(report, fixture_result(row, FIXTURE_EXT4, round, wall_s));
			add_xfs(report, row, round, wall_s);
			add_tmpfs(report, row, round, wall_s);
		}
	add_events(report);
	report_end(report, report->started_utc_ns + UINT64_C(60000000000), true);
	return report;
}
