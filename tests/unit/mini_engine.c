/*
 * See mini_engine.h. One thread.
 */
#include "mini_engine.h"

#include <CUnit/CUnit.h>
#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lane.h"

enum { MINI_OPEN_DIRS = 16, MINI_WORKERS_MAX = 64 };

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

static bool set_params(struct mini_stage *mini, const struct workload *workload, va_list args)
{
	static struct params sets[WORKLOAD_SETS_MAX];
	static char names[WORKLOAD_SETS_MAX][WORKLOAD_SET_NAME_MAX];
	struct error err = { 0 };
	const char *word;

	params_init(&mini->params, workload->params, workload->n_params);
	while ((word = va_arg(args, const char *)) != NULL) {
		char name[64];
		const char *equals = strchr(word, '=');

		snprintf(name, sizeof(name), "%.*s", (int)(equals - word), word);
		if (params_set(&mini->params, name, equals + 1, &err) != 0)
			return false;
	}
	if (workload->sets == NULL)
		return true;
	if (workload->sets(&mini->params, sets, names, WORKLOAD_SETS_MAX, &err) < 1)
		return false;
	mini->params = sets[0];
	return true;
}

bool mini_stage_init(struct mini_stage *mini, const struct workload *workload, ...)
{
	struct error err = { 0 };
	bool is_set;
	va_list args;

	memset(mini, 0, sizeof(*mini));
	mini->fd = -1;
	va_start(args, workload);
	is_set = set_params(mini, workload, args);
	va_end(args);
	if (!is_set) {
		CU_FAIL("parameters");
		return false;
	}
	/* Thousands of small files: in memory where that is possible. */
	snprintf(mini->directory, sizeof(mini->directory), "%s/fsderby-mini-XXXXXX",
	        access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
	if (mkdtemp(mini->directory) == NULL) {
		CU_FAIL("temporary directory");
		return false;
	}
	mini->fd = open(mini->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	mini->stage = (struct stage){ .workload = workload,
		.params = &mini->params,
		.seed = 1,
		.round = 1,
		.block_bytes = 4096,
		.scratch_fd = mini->fd };
	if (mini->fd < 0 || (workload->setup != NULL && workload->setup(&mini->stage, &err) != 0)) {
		CU_FAIL("setup");
		mini_stage_release(mini);
		return false;
	}
	return true;
}

void mini_stage_release(struct mini_stage *mini)
{
	if (mini->stage.workload->teardown != NULL)
		mini->stage.workload->teardown(&mini->stage);
	if (mini->fd >= 0)
		close(mini->fd);
	nftw(mini->directory, remove_entry, MINI_OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
}

const struct phase *mini_find_phase(const struct workload *workload, const char *name)
{
	for (unsigned i = 0; i < workload->n_phases; i++)
		if (strcmp(workload->phases[i].name, name) == 0)
			return &workload->phases[i];
	return NULL;
}

int mini_worker_init(struct worker *worker, struct stage *stage, const struct phase *phase,
        const _Atomic uint32_t *gate, struct lane *lane)
{
	memset(worker, 0, sizeof(*worker));
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		if ((phase->ops & OP_BIT(kind)) == 0)
			continue;
		worker->ops[kind].latency = malloc(sizeof(struct histogram));
		if (worker->ops[kind].latency == NULL)
			return -ENOMEM;
		histogram_reset(worker->ops[kind].latency);
	}
	worker->gate = gate;
	worker->lane = lane;
	worker->n_workers = 1;
	worker->scratch_fd = stage->scratch_fd;
	worker->state = stage->state;
	worker->params = stage->params;
	worker->failed_kind = worker->last_kind = -1;
	random_init(&worker->random, stage->seed, 0);
	return 0;
}

void mini_worker_release(struct worker *worker)
{
	for (unsigned kind = 0; kind < OP_KINDS; kind++)
		free(worker->ops[kind].latency);
}

static unsigned count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	if (dir == NULL)
		return 0;
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static int step_worker(struct worker *worker, const struct phase *phase, struct mini_totals *totals)
{
	uint64_t steps = 0;
	int code = phase->open != NULL ? phase->open(worker) : 0;

	op_mark(worker);
	while (code == STEP_MORE) {
		if (totals->max_steps != 0 && steps == totals->max_steps)
			break;
		steps++;
		code = phase->step(worker);
	}
	totals->steps += steps;
	return code < 0 ? code : 0;
}

static void add_totals(struct mini_totals *totals, const struct worker *worker)
{
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		const struct op_counter *counter = &worker->ops[kind];

		if (counter->latency == NULL)
			continue;
		totals->count[kind] += histogram_load(&counter->latency->count);
		totals->errors[kind] += histogram_load(&counter->errors);
		totals->bytes[kind] += histogram_load(&counter->bytes);
		if (op_moves_data((enum op_kind)kind))
			totals->worker_bytes[worker->index] += histogram_load(&counter->bytes);
	}
	totals->work += histogram_load(&worker->work);
	totals->n_classic += worker->classic_end_ns != 0;
}

static void note_failure(struct mini_totals *totals, const struct worker *worker,
        const struct phase *phase, int code)
{
	totals->code = code;
	snprintf(totals->text, sizeof(totals->text), "%s", worker->error_text);
	if (phase->describe != NULL)
		phase->describe(worker->state, worker->index, worker->pass,
		        histogram_load(&worker->cursor), totals->path, sizeof(totals->path));
}

/* The gate of an inject rule stays open for the whole phase. */
static struct lane *new_lane(
        struct inject *inject, const struct mini_totals *totals, _Atomic uint32_t *gate)
{
	struct lane *lane = aligned_alloc(_Alignof(struct lane), sizeof(*lane));

	if (lane == NULL)
		return NULL;
	memset(lane, 0, sizeof(*lane));
	pthread_mutex_init(&lane->lock, NULL);
	lane->wall_before_ns = 1; /* so that a mark of the classic time is not 0 */
	inject_init(inject);
	lane->inject = inject;
	for (unsigned i = 0; i < 2; i++) {
		if (totals->rules[i].code == 0 && totals->rules[i].length == 0)
			continue;
		inject->rules[inject->n] = totals->rules[i];
		inject->rules[inject->n++].target = INJECT_ANY;
		atomic_store(gate, GATE_INJECT);
	}
	return lane;
}

static void run_worker(struct worker *worker, const struct phase *phase, struct mini_totals *totals)
{
	unsigned before = count_descriptors();
	int code = step_worker(worker, phase, totals);

	if (phase->close != NULL)
		phase->close(worker);
	totals->open_files += count_descriptors() - before;
	add_totals(totals, worker);
	if (code != 0 && totals->code == 0)
		note_failure(totals, worker, phase, code);
}

int mini_run_phase(struct stage *stage, const struct phase *phase, struct mini_totals *totals)
{
	unsigned passes = phase->passes != NULL ? phase->passes(stage) : 1;
	unsigned n_workers = phase->workers != NULL ? phase->workers(stage) : 1;
	struct worker *worker = aligned_alloc(_Alignof(struct worker), sizeof(*worker));
	_Atomic uint32_t gate = 0;
	struct inject inject;
	struct lane *lane = new_lane(&inject, totals, &gate);
	struct error err = { 0 };

	totals->code = worker == NULL || lane == NULL ? -ENOMEM : 0;
	totals->total = phase->total != NULL ? phase->total(stage) : 0;
	for (unsigned pass = 0; pass < passes && totals->code == 0; pass++) {
		if (phase->prepare != NULL)
			totals->code = phase->prepare(stage, pass, &err);
		for (unsigned i = 0; i < n_workers && i < MINI_WORKERS_MAX && totals->code == 0;
		        i++) {
			if (mini_worker_init(worker, stage, phase, &gate, lane) != 0)
				totals->code = -ENOMEM;
			worker->index = i;
			worker->n_workers = n_workers;
			worker->pass = pass;
			if (totals->code == 0)
				run_worker(worker, phase, totals);
			mini_worker_release(worker);
		}
	}
	if (lane != NULL) {
		inject_release(&inject);
		pthread_mutex_destroy(&lane->lock);
	}
	free(lane);
	free(worker);
	return totals->code;
}
