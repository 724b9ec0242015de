/*
 * Runs on temporary directories for the tests of the engine.
 */
#include "engine_fixture.h"

#include <CUnit/CUnit.h>

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *fixture_command = "true";

static const struct param param_table[] = {
	[FIXTURE_COUNT] = { "count", PARAM_COUNT, PARAM_NOW, "10", 1, 1e9, NULL, NULL, "files",
	        "files" },
	[FIXTURE_RATE] = { "rate", PARAM_COUNT, PARAM_NOW, "0", 0, 1e9, "none", NULL, "files/s",
	        "limit" },
	[FIXTURE_WORKERS] = { "threads", PARAM_COUNT, PARAM_NEXT_PHASE, "1", 1, 64, NULL, NULL, "",
	        "workers" },
	[FIXTURE_PASSES] = { "passes", PARAM_COUNT, PARAM_NEXT_RUN, "1", 1, 5000, NULL, NULL, "",
	        "passes" },
	[FIXTURE_NAP] = { "nap", PARAM_TIME, PARAM_NOW, "0", 0, 60e9, NULL, NULL, "",
	        "a step's nap" },
};

static unsigned workers(const struct stage *stage)
{
	return (unsigned)params_number(stage->params, FIXTURE_WORKERS);
}

static unsigned passes(const struct stage *stage)
{
	return (unsigned)params_number(stage->params, FIXTURE_PASSES);
}

static uint64_t total(const struct stage *stage)
{
	return params_number(stage->params, FIXTURE_COUNT) * passes(stage);
}

/* The next file of this worker, or false. Files are dealt out in turn. */
static bool next_file(struct worker *worker, char *name, size_t size)
{
	uint64_t number = histogram_load(&worker->cursor);

	if (number == 0)
		number = worker->index;
	else
		number--;
	if (number >= params_number(worker->params, FIXTURE_COUNT))
		return false;
	snprintf(name, size, "%u-%llu", worker->pass, (unsigned long long)number);
	worker_set_cursor(worker, number + worker->n_workers + 1);
	return true;
}

static int step_make(struct worker *worker)
{
	static const char data[100];
	uint64_t nap = params_number(worker->params, FIXTURE_NAP);
	struct timespec time = { (time_t)(nap / CLOCK_SECOND_NS), (long)(nap % CLOCK_SECOND_NS) };
	char name[32];
	int fd;
	ssize_t n;

	if (!next_file(worker, name, sizeof(name)))
		return STEP_DONE;
	fd = op_openat(worker, worker->scratch_fd, name, O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (fd < 0)
		return fd;
	n = op_write(worker, fd, data, sizeof(data));
	op_close(worker, fd);
	if (n < 0)
		return (int)n;
	if (n != (ssize_t)sizeof(data))
		return worker_fail(
		        worker, OP_WRITE, -EIO, "wrote %zd of %zu bytes", n, sizeof(data));
	if (nap > 0)
		nanosleep(&time, NULL);
	worker_add_work(worker, 1);
	return STEP_MORE;
}

static int step_look(struct worker *worker)
{
	struct stat st;
	char name[32];
	int code;

	if (!next_file(worker, name, sizeof(name)))
		return STEP_DONE;
	code = op_lstat(worker, worker->scratch_fd, name, &st);
	worker_add_work(worker, 1);
	return code < 0 ? code : STEP_MORE;
}

static int step_drop(struct worker *worker)
{
	char name[32];
	int code;

	if (!next_file(worker, name, sizeof(name)))
		return STEP_DONE;
	code = op_unlinkat(worker, worker->scratch_fd, name);
	worker_add_work(worker, 1);
	return code < 0 ? code : STEP_MORE;
}

static int survey(struct stage *stage, struct survey *found)
{
	(void)stage;
	if (!found->goes_on(found->context))
		return -ECANCELED;
	found->files = 4;
	found->extents_per_file = 1.25;
	return 0;
}

static void describe(
        const void *state, unsigned worker, unsigned pass, uint64_t cursor, char *out, size_t size)
{
	(void)state;
	(void)worker;
	snprintf(out, size, "%u-%llu", pass, (unsigned long long)cursor);
}

#define COMMON                                                                                     \
	.unit = "files", .help = "", .workers = workers, .passes = passes, .total = total,         \
	.describe = describe

static const struct phase phase_table[] = {
	{ .name = "make",
	        .ops = OP_BIT(OP_OPENAT) | OP_BIT(OP_WRITE) | OP_BIT(OP_CLOSE),
	        .writes = true,
	        .step = step_make,
	        .survey = survey,
	        COMMON },
	{ .name = "look", .ops = OP_BIT(OP_STAT), .step = step_look, .reads = true, COMMON },
	{ .name = "drop", .ops = OP_BIT(OP_UNLINK), .step = step_drop, COMMON },
};

const struct workload fixture_workload = {
	.name = "fixture",
	.params = param_table,
	.n_params = sizeof(param_table) / sizeof(param_table[0]),
	.phases = phase_table,
	.n_phases = 3,
	.flush = FLUSH_OUTSIDE,
};

static int run_child(struct worker *worker)
{
	static char *const environment[] = { "PATH=/usr/bin:/bin", NULL };
	int status = worker_run_child(
	        worker, fixture_command, worker->scratch_fd, STDERR_FILENO, environment);

	if (status < 0)
		return status;
	worker_add_work(worker, 1);
	return status == 0 ? 0 : worker_fail(worker, OP_CHILD, -EIO, "status %d", status);
}

static const struct phase child_phases[] = {
	{ .name = "child", .unit = "runs", .help = "", .ops = OP_BIT(OP_CHILD), .run = run_child },
};

const struct workload fixture_child = {
	.name = "child",
	.params = param_table,
	.n_params = sizeof(param_table) / sizeof(param_table[0]),
	.phases = child_phases,
	.n_phases = 1,
	.flush = FLUSH_NONE,
};

void fixture_init(struct fixture *fixture, unsigned n_targets, const struct workload *workload)
{
	memset(fixture, 0, sizeof(*fixture));
	for (unsigned i = 0; i < n_targets; i++) {
		struct error err = { 0 };

		/* Memory, where there is some: the tests are about the engine, not about a disk. */
		snprintf(fixture->paths[i], sizeof(fixture->paths[i]), "%s/fsderby-test.XXXXXX",
		        access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(fixture->paths[i]));
		CU_ASSERT_EQUAL_FATAL(
		        target_parse(&fixture->targets[i], fixture->paths[i], &err), 0);
		CU_ASSERT_EQUAL_FATAL(target_probe(&fixture->targets[i], &err), 0);
	}
	CU_ASSERT_EQUAL_FATAL(target_label_all(fixture->targets, n_targets, NULL), 0);
	inject_init(&fixture->inject);
	fixture->config = (struct run_config){
		.targets = fixture->targets,
		.n_targets = n_targets,
		.n_workloads = 1,
		.rounds = 1,
		.schedule = SCHEDULE_TURNS,
		.seed = 1,
		.no_settle = true,
		.no_journal = true,
	};
	fixture->config.workloads[0].workload = workload;
	params_init(&fixture->config.workloads[0].params, workload->params, workload->n_params);
}

void fixture_set(struct fixture *fixture, const char *param, const char *value)
{
	struct error err = { 0 };

	CU_ASSERT_EQUAL_FATAL(
	        params_set(&fixture->config.workloads[0].params, param, value, &err), 0);
}

void fixture_begin(struct fixture *fixture)
{
	struct error err = { 0 };

	CU_ASSERT_EQUAL_FATAL(run_new(&fixture->run, &fixture->config, &err), 0);
	CU_ASSERT_EQUAL_FATAL(run_start(fixture->run, &err), 0);
}

void fixture_join(struct fixture *fixture)
{
	CU_ASSERT_EQUAL_FATAL(run_join(fixture->run, 60 * CLOCK_SECOND_NS), 0);
}

void fixture_release(struct fixture *fixture)
{
	run_free(fixture->run);
	inject_release(&fixture->inject);
	for (unsigned i = 0; i < fixture->config.n_targets; i++) {
		CU_ASSERT_EQUAL(fixture_count_entries(fixture, i), 0);
		CU_ASSERT_EQUAL(rmdir(fixture->paths[i]), 0);
	}
}

void fixture_sleep_ms(unsigned ms)
{
	poll(NULL, 0, (int)ms);
}

bool fixture_wait_state(struct fixture *fixture, unsigned target, enum lane_state state)
{
	uint64_t until = clock_now_ns() + 10 * CLOCK_SECOND_NS;

	while (clock_now_ns() < until) {
		if (run_board_take(fixture->run)->targets[target].state == state)
			return true;
		fixture_sleep_ms(5);
	}
	return false;
}

void fixture_command_send(struct fixture *fixture, enum command_kind kind, int target)
{
	struct command command = { .kind = kind, .target = target };

	CU_ASSERT_EQUAL(run_command(fixture->run, &command), 0);
}

const struct result *fixture_find_result(
        struct fixture *fixture, unsigned target, const char *phase, int index)
{
	struct report *report = run_report(fixture->run);
	const struct result *found = NULL;
	int n = 0;

	pthread_mutex_lock(&report->lock);
	for (size_t i = 0; i < report->n_results; i++) {
		const struct result *result = report->results[i];

		if (result->target != target || strcmp(report->rows[result->row].phase, phase) != 0)
			continue;
		if (index < 0 || n == index)
			found = result;
		n++;
	}
	pthread_mutex_unlock(&report->lock);
	return found;
}

unsigned fixture_count_results(struct fixture *fixture, unsigned target, const char *phase)
{
	unsigned n = 0;

	while (fixture_find_result(fixture, target, phase, (int)n) != NULL)
		n++;
	return n;
}

unsigned fixture_count_entries(const struct fixture *fixture, unsigned target)
{
	DIR *dir = opendir(fixture->paths[target]);
	unsigned n = 0;

	if (dir == NULL)
		return 0;
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n - 2;
}
