/*
 * A run's life: made from a configuration, started, watched, joined, freed. Main thread, but for
 * what run.h says.
 */
#include "engine/run.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/director.h"
#include "engine/schedule.h"

/* Rows of the board's worker list: what 64 targets x 64 workers need. */
enum { WORKERS_ROOM_A_TARGET = 512, WORKERS_ROOM_MAX = 4096 };

static const char *const flush_names[] = {
	[FLUSH_DEFAULT] = "default",
	[FLUSH_INSIDE] = "inside",
	[FLUSH_OUTSIDE] = "outside",
	[FLUSH_NONE] = "none",
};

static void make_id(char *out, size_t size)
{
	uint64_t now = clock_utc_ns(), noise = 0;
	time_t seconds = (time_t)(now / CLOCK_SECOND_NS);
	struct tm parts;
	char stamp[32];

	if (getrandom(&noise, sizeof(noise), 0) != (ssize_t)sizeof(noise))
		noise = now ^ (uint64_t)getpid();
	gmtime_r(&seconds, &parts);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &parts);
	text_print(out, size, "%s-%08x", stamp, (unsigned)(noise & 0xffffffffU));
}

/* What ends a phase's time, as it will be carried out. */
static const char *flush_of(
        const struct run *run, const struct run_set *set, const struct phase *phase)
{
	enum flush flush = run->config.flush;

	if (flush == FLUSH_DEFAULT)
		flush = set->workload->flush;
	return phase->writes ? flush_names[flush] : flush_names[FLUSH_NONE];
}

/* "base_size=1000 repetitions=1": what was chosen, for headings. */
static void make_title(char *out, size_t size, const struct params *params)
{
	size_t length = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < params->n && length + 1 < size; i++) {
		char value[PARAM_TEXT_MAX];

		if (!params->values[i].is_set)
			continue;
		text_print(out + length, size - length, "%s%s=%s", length > 0 ? " " : "",
		        params->table[i].name, params_print(params, i, value, sizeof(value)));
		length = strlen(out);
	}
}

static int add_row(struct run *run, const struct run_set *set, const struct phase *phase)
{
	struct report *report = run->report;
	struct report_row *row;
	struct report_row *rows = realloc(report->rows, (report->n_rows + 1) * sizeof(*rows));
	const struct phase **phases;

	if (rows == NULL)
		return -ENOMEM;
	report->rows = rows;
	phases = realloc(run->phases, (report->n_rows + 1) * sizeof(*phases));
	if (phases == NULL)
		return -ENOMEM;
	run->phases = phases;
	phases[report->n_rows] = phase;
	row = &rows[report->n_rows++];
	memset(row, 0, sizeof(*row));
	row->workload = set->workload->name;
	row->phase = phase->name;
	row->unit = phase->unit;
	row->is_unranked = phase->is_unranked;
	row->is_surveyed = phase->survey != NULL;
	row->params = set->params;
	text_print(row->set, sizeof(row->set), "%s", set->name);
	text_print(row->flush, sizeof(row->flush), "%s", flush_of(run, set, phase));
	make_title(row->title, sizeof(row->title), &set->params);
	return 0;
}

static int add_set(struct run *run, const struct run_set *made)
{
	struct run_set *sets = realloc(run->sets, (run->n_sets + 1) * sizeof(*sets));
	struct run_set *set;
	const struct workload *workload = made->workload;

	if (sets == NULL)
		return -ENOMEM;
	run->sets = sets;
	set = &sets[run->n_sets++];
	*set = *made;
	set->first_row = run->report->n_rows;
	for (unsigned i = 0; i < workload->n_phases; i++) {
		const struct phase *phase = &workload->phases[i];

		if (phase->is_enabled != NULL && !phase->is_enabled(&set->params))
			continue;
		if (add_row(run, set, phase) != 0)
			return -ENOMEM;
		set->n_rows++;
	}
	return 0;
}

static int add_workload(struct run *run, const struct run_workload *chosen, struct error *err)
{
	struct params *params = calloc(WORKLOAD_SETS_MAX, sizeof(*params));
	char(*names)[WORKLOAD_SET_NAME_MAX] = calloc(WORKLOAD_SETS_MAX, sizeof(*names));
	int n = 1, code = 0;

	if (params == NULL || names == NULL) {
		code = error_errno(err, -ENOMEM, "%s", chosen->workload->name);
		goto out;
	}
	params[0] = chosen->params;
	if (chosen->workload->sets != NULL)
		n = chosen->workload->sets(&chosen->params, params, names, WORKLOAD_SETS_MAX, err);
	if (n < 0)
		code = n;
	for (int i = 0; i < n && code == 0; i++) {
		struct run_set set = { .workload = chosen->workload, .params = params[i] };

		text_print(set.name, sizeof(set.name), "%s", names[i]);
		code = add_set(run, &set);
		if (code != 0)
			error_errno(err, code, "%s", chosen->workload->name);
	}
out:
	free(params);
	free(names);
	return code;
}

/* The most workers any set of the run has on one target. */
static unsigned most_workers(const struct run *run)
{
	static const char *const names[] = { "threads", "processes", "clients", "seekers" };
	uint64_t most = 1;

	for (unsigned s = 0; s < run->n_sets; s++)
		for (unsigned k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			const struct run_set *set = &run->sets[s];
			int index = params_find(set->params.table, set->params.n, names[k]);

			if (index < 0)
				continue;
			const struct param_value *value = &set->params.values[index];
			bool is_list = set->params.table[index].type == PARAM_COUNT_LIST;
			uint64_t n = is_list ? value->list.items[0] : value->number;

			most = n > most ? n : most;
		}
	return (unsigned)most;
}

/* Resolve the schedule, and say why, for the header. */
static void resolve_schedule(struct run *run)
{
	struct report *report = run->report;
	unsigned n = report->n_targets, cpus = report->host.cpus, workers = most_workers(run) * n;
	const char *shared = schedule_shared_device(report->targets, n);
	enum run_schedule wish = run->config.schedule;
	char *reason = report->schedule_reason;
	size_t size = sizeof(report->schedule_reason);

	run->n_groups = schedule_groups(report->targets, n, run->group);
	if (n == 1)
		text_print(reason, size, "one target");
	else if (wish != SCHEDULE_AUTO)
		text_print(reason, size, "as asked");
	else if (run->n_groups > 1 && workers + 1 > cpus)
		text_print(reason, size, "%u workers on %u CPUs", workers, cpus);
	else if (shared != NULL)
		text_print(reason, size, "one device (%s)", shared);
	else
		text_print(reason, size, "devices of their own");
	if (wish == SCHEDULE_TURNS || (wish == SCHEDULE_AUTO && workers + 1 > cpus)) {
		memset(run->group, 0, sizeof(run->group));
		run->n_groups = 1;
	} else if (wish == SCHEDULE_TOGETHER) {
		for (unsigned i = 0; i < n; i++)
			run->group[i] = i;
		run->n_groups = n;
	}
	text_print(report->schedule, sizeof(report->schedule), "%s",
	        run->n_groups == n && n > 1 ? "together" : "turns");
}

static int fill_report(struct run *run, struct error *err)
{
	const struct run_config *config = &run->config;
	struct report *report = run->report;

	assert(report != NULL);
	make_id(report->id, sizeof(report->id));
	text_print(report->version, sizeof(report->version), "%s", FSDERBY_VERSION);
	report->started_utc_ns = clock_utc_ns();
	report->command = strdup(config->command != NULL ? config->command : "");
	text_print(report->profile, sizeof(report->profile), "%s",
	        config->profile != NULL ? config->profile : "");
	report->seed = config->seed;
	report->rounds = config->rounds;
	report->is_cold = config->is_cold;
	text_print(report->flush, sizeof(report->flush), "%s", flush_names[config->flush]);
	host_fill(&report->host);
	report->targets = calloc(config->n_targets, sizeof(*report->targets));
	if (report->command == NULL || report->targets == NULL)
		return error_errno(err, -ENOMEM, "run");
	for (unsigned i = 0; i < config->n_targets; i++) {
		report->targets[i] = config->targets[i];
		config->targets[i].fd = -1; /* taken over */
	}
	report->n_targets = config->n_targets;
	return 0;
}

static void init_sync(struct run *run)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&run->lock, NULL);
	pthread_mutex_init(&run->journal_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&run->changed, &attr);
	pthread_condattr_destroy(&attr);
}

static int make_lanes(struct run *run, struct error *err)
{
	unsigned n = run->report->n_targets;
	size_t size = n * sizeof(*run->lanes);
	int code = 0;

	run->lanes = aligned_alloc(64, (size + 63) / 64 * 64);
	run->known = calloc((size_t)n * run->report->n_rows, sizeof(*run->known));
	if (run->lanes == NULL || run->known == NULL)
		return error_errno(err, -ENOMEM, "run");
	for (unsigned i = 0; i < n && code == 0; i++) {
		code = lane_init(&run->lanes[i], run, i, err);
		run->n_lanes++;
	}
	return code;
}

static int make_boards(struct run *run, struct error *err)
{
	unsigned n = run->report->n_targets, room = n * WORKERS_ROOM_A_TARGET;

	if (room > WORKERS_ROOM_MAX)
		room = WORKERS_ROOM_MAX;
	run->board_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (run->board_fd < 0)
		return error_errno(err, -errno, "eventfd");
	for (unsigned i = 0; i < 3; i++) {
		run->boards[i] = board_new(n, room);
		if (run->boards[i] == NULL)
			return error_errno(err, -ENOMEM, "board");
		run->boards[i]->rounds = run->config.rounds;
		run->boards[i]->eta_s = run->boards[i]->machine_percent = -1;
		for (unsigned t = 0; t < n; t++)
			run->boards[i]->targets[t] = (struct board_target){ .row = -1,
				.waits_for = -1,
				.stuck_op = -1,
				.eta_s = -1,
				.cpu_percent = -1,
				.machine_percent = -1,
				.util_percent = -1,
				.write_amplification = -1 };
	}
	run->back = 0;
	atomic_store(&run->middle, 1);
	run->front = 2;
	return 0;
}

int run_new(struct run **result, const struct run_config *config, struct error *err)
{
	struct run *run = calloc(1, sizeof(*run));
	int code = 0;

	*result = NULL;
	if (run == NULL)
		return error_errno(err, -ENOMEM, "run");
	run->config = *config;
	run->board_fd = -1;
	init_sync(run);
	run->report = report_new();
	if (run->report == NULL)
		code = error_errno(err, -ENOMEM, "run");
	if (code == 0)
		code = fill_report(run, err);
	for (unsigned i = 0; i < config->n_workloads && code == 0; i++)
		code = add_workload(run, &config->workloads[i], err);
	if (code == 0 && run->report->n_rows == 0)
		code = error_set(err, -EINVAL, "nothing to run: no phase is switched on");
	if (code == 0) {
		resolve_schedule(run);
		code = make_boards(run, err);
	}
	if (code == 0)
		code = make_lanes(run, err);
	run->config.targets = NULL;
	if (code != 0) {
		run_free(run);
		return code;
	}
	*result = run;
	return 0;
}

static void open_journal(struct run *run)
{
	struct error err = { 0 };

	if (run->config.no_journal)
		return;
	if (journal_open(&run->journal, run->report, &err) != 0)
		run_log(run, "no journal, results are kept in memory only: %s", err.text);
}

int run_start(struct run *run, struct error *err)
{
	int code = 0;

	run->start_ns = clock_now_ns();
	open_journal(run);
	for (unsigned i = 0; i < run->n_lanes && code == 0; i++)
		code = lane_start(&run->lanes[i], err);
	if (code == 0)
		code = -pthread_create(&run->sampler, NULL, sampler_main, run);
	run->has_sampler = code == 0;
	if (code == 0)
		code = -pthread_create(&run->director, NULL, director_main, run);
	run->has_director = code == 0;
	if (code != 0 && err != NULL && err->code == 0)
		error_errno(err, code, "cannot start a thread");
	return code;
}

int run_board_fd(const struct run *run)
{
	return run->board_fd;
}

const struct board *run_board_take(struct run *run)
{
	uint64_t count;

	if (read(run->board_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return run->boards[run->front];
	if (atomic_load(&run->middle) & 4U) {
		uint32_t fresh = atomic_exchange(&run->middle, run->front);

		run->front = fresh & 3U;
	}
	return run->boards[run->front];
}

struct report *run_report(struct run *run)
{
	return run->report;
}

bool run_has_ended(const struct run *run)
{
	return atomic_load(&run->has_ended) != 0;
}

bool run_left_files(const struct run *run)
{
	return run->left_files;
}

static bool lanes_have_quit(struct run *run)
{
	bool quit = true;

	for (unsigned i = 0; i < run->n_lanes; i++) {
		pthread_mutex_lock(&run->lanes[i].lock);
		quit = quit && (run->lanes[i].has_quit || !run->lanes[i].has_thread);
		pthread_mutex_unlock(&run->lanes[i].lock);
	}
	return quit;
}

/* Lanes that nobody tells to quit any more: the director never started, or has given them up and
 * they came back. */
static void quit_orphans(struct run *run)
{
	if (run->has_director && !run_has_ended(run))
		return;
	atomic_store(&run->sampler_stop, 1);
	for (unsigned i = 0; i < run->n_lanes; i++) {
		struct lane *lane = &run->lanes[i];
		bool idle;

		pthread_mutex_lock(&lane->lock);
		idle = lane->has_thread && !lane->has_quit && !lane->has_order;
		pthread_mutex_unlock(&lane->lock);
		if (idle)
			lane_post(lane, &(struct lane_order){ .kind = ORDER_QUIT,
			                        .keep_files = run->config.keep_files });
	}
}

int run_join(struct run *run, uint64_t timeout_ns)
{
	uint64_t start = clock_now_ns();

	quit_orphans(run);
	while ((run->has_director && !run_has_ended(run)) || !lanes_have_quit(run)) {
		if (timeout_ns != 0 && clock_now_ns() - start > timeout_ns)
			return -ETIMEDOUT;
		if (run_has_ended(run) && clock_now_ns() - start > CLOCK_SECOND_NS)
			return -ETIMEDOUT; /* the director has given the rest up */
		poll(NULL, 0, 5);
		quit_orphans(run);
	}
	for (unsigned i = 0; i < run->n_lanes; i++)
		if (run->lanes[i].has_thread)
			pthread_join(run->lanes[i].thread, NULL);
	if (run->has_director)
		pthread_join(run->director, NULL);
	if (run->has_sampler)
		pthread_join(run->sampler, NULL);
	run->has_director = run->has_sampler = false;
	return 0;
}

void run_free(struct run *run)
{
	for (unsigned i = 0; i < run->n_lanes; i++)
		lane_release(&run->lanes[i]);
	for (unsigned i = 0; run->report != NULL && i < run->report->n_targets; i++)
		target_close(&run->report->targets[i]);
	free(run->lanes);
	free(run->known);
	free(run->sets);
	free(run->phases);
	for (unsigned i = 0; i < 3; i++)
		board_free(run->boards[i]);
	if (run->board_fd >= 0)
		close(run->board_fd);
	if (run->report != NULL)
		report_free(run->report);
	pthread_mutex_destroy(&run->lock);
	pthread_mutex_destroy(&run->journal_lock);
	pthread_cond_destroy(&run->changed);
	free(run);
}
