/*
 * A lane's thread: waits for orders of the director and carries them out on its target. The
 * passes of a phase are in lane_phase.c, readings and results in lane_result.c.
 */
#include "engine/lane.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/director.h"

void lane_gate_set(struct lane *lane, uint32_t bits)
{
	atomic_store(&lane->gate, atomic_load(&lane->gate) | bits);
	pthread_cond_broadcast(&lane->gate_cond);
}

void lane_gate_clear(struct lane *lane, uint32_t bits)
{
	atomic_store(&lane->gate, atomic_load(&lane->gate) & ~bits);
	pthread_cond_broadcast(&lane->gate_cond);
}

void lane_cancel(struct lane *lane)
{
	lane_gate_set(lane, GATE_CANCEL);
	atomic_store(&lane->stop_settling, 1);
	pthread_cond_signal(&lane->wake);
}

void lane_fail(
        struct lane *lane, const char *operation, const char *path, int code, const char *text)
{
	if (lane->failure.operation != NULL)
		return;
	lane->failure.operation = operation;
	lane->failure.code = code;
	text_print(lane->failure.path, sizeof(lane->failure.path), "%s", path);
	if (text[0] != '\0')
		text_print(lane->failure.text, sizeof(lane->failure.text), "%s", text);
	else
		text_print(lane->failure.text, sizeof(lane->failure.text), "%s", strerror(-code));
}

static void set_state(struct lane *lane, enum lane_state state)
{
	pthread_mutex_lock(&lane->lock);
	lane->state = state;
	pthread_mutex_unlock(&lane->lock);
}

static uint64_t used_bytes(int fd)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs) != 0)
		return 0;
	return (uint64_t)(fs.f_blocks - fs.f_bfree) * fs.f_frsize;
}

/* Find the set that @row belongs to. */
static const struct run_set *set_of_row(const struct run *run, unsigned row)
{
	unsigned i = 0;

	while (i + 1 < run->n_sets && run->sets[i + 1].first_row <= row)
		i++;
	return &run->sets[i];
}

static int make_scratch(struct lane *lane, struct error *err)
{
	if (lane->scratch_fd >= 0)
		return 0;
	int fd = scratch_make(lane->target->fd, lane->run->report->id, err);

	if (fd < 0)
		return fd;
	lane->scratch_fd = fd;
	return 0;
}

static int begin_set(struct lane *lane, const struct run_set *set, struct error *err)
{
	struct params params;
	int code = lane->order.is_fresh ? lane_make_fresh(lane, err) : 0;

	if (code == 0)
		code = make_scratch(lane, err);
	if (code != 0)
		return code;
	lane->is_used = true;
	pthread_mutex_lock(&lane->run->lock);
	params = set->params;
	pthread_mutex_unlock(&lane->run->lock);
	pthread_mutex_lock(&lane->lock);
	lane->params[0] = params;
	lane->params_live = 0;
	free(lane->next_params);
	free(lane->cut_params);
	lane->next_params = lane->cut_params = NULL;
	lane->want_cut = lane->is_set_up = false;
	lane->stage = (struct stage){
		.workload = set->workload,
		.params = &lane->params[0],
		.seed = lane->run->config.seed,
		.round = lane->round,
		.block_bytes = lane->target->block_bytes,
		.scratch_fd = lane->scratch_fd,
	};
	pthread_mutex_unlock(&lane->lock);
	lane->space_before = used_bytes(lane->scratch_fd);
	code = set->workload->setup != NULL ? set->workload->setup(&lane->stage, err) : 0;
	pthread_mutex_lock(&lane->lock);
	lane->is_set_up = code == 0;
	pthread_mutex_unlock(&lane->lock);
	return code;
}

static int do_setup(struct lane *lane, const struct lane_order *order)
{
	struct error err = { 0 };
	int code;

	pthread_mutex_lock(&lane->lock);
	lane->state = LANE_SETUP;
	lane->row = (int)order->row;
	lane->round = order->round;
	lane->place = order->place;
	lane->predecessor = order->predecessor;
	lane->failure.operation = NULL;
	lane->is_abandoned = false;
	pthread_mutex_unlock(&lane->lock);
	code = begin_set(lane, set_of_row(lane->run, order->row), &err);
	if (code != 0) {
		pthread_mutex_lock(&lane->lock);
		lane_fail(lane, "setup", lane->target->path, code, err.text);
		lane->state = LANE_FAILED;
		pthread_mutex_unlock(&lane->lock);
	}
	return code;
}

/* The journal's fsync may lie on the measured disk, so it happens while settling and in the
 * teardown, where nothing of any lane in step with this one is timed. */
void lane_write_pending(struct lane *lane)
{
	struct run *run = lane->run;
	struct error err = { 0 };
	const struct result **pending;
	unsigned n;

	pthread_mutex_lock(&lane->lock);
	pending = lane->pending;
	n = lane->n_pending;
	lane->pending = NULL;
	lane->n_pending = lane->pending_room = 0;
	pthread_mutex_unlock(&lane->lock);
	pthread_mutex_lock(&run->journal_lock);
	for (unsigned i = 0; i < n && err.code == 0 && run->journal != NULL; i++)
		journal_add_result(run->journal, pending[i], &err);
	pthread_mutex_unlock(&run->journal_lock);
	if (err.code != 0 && atomic_exchange(&run->has_told_journal, 1) == 0)
		run_log(run, "journal: %s", err.text);
	free(pending);
}

static int do_settle(struct lane *lane, const struct lane_order *order)
{
	lane_write_pending(lane);
	pthread_mutex_lock(&lane->lock);
	lane->state = LANE_SETTLING;
	lane->row = (int)order->row;
	lane->round = order->round;
	lane->want_skip = lane->has_claimed = false;
	lane->failure.operation = NULL;
	if (!lane->want_abort) {
		atomic_store(&lane->stop_settling, 0);
		lane_gate_clear(lane, GATE_CANCEL | GATE_LAST);
	}
	pthread_mutex_unlock(&lane->lock);
	lane->settle = (struct settle_outcome){ .dirty_kib = -1 };
	if (!lane->run->config.no_settle)
		settle_wait(lane->scratch_fd, &lane->bottom, &lane->stop_settling, &lane->heartbeat,
		        &lane->settle);
	set_state(lane, LANE_WAITING);
	if (lane->settle.code != 0) {
		pthread_mutex_lock(&lane->lock);
		lane_fail(lane, "syncfs", lane->target->path, lane->settle.code, "");
		pthread_mutex_unlock(&lane->lock);
	}
	return lane->settle.code;
}

static int do_teardown(struct lane *lane, const struct lane_order *order)
{
	struct error err = { 0 };
	int code = 0;

	lane_write_pending(lane);
	set_state(lane, LANE_CLEANING);
	atomic_store(&lane->cleaning.removed, 0);
	if (lane->is_set_up && lane->stage.workload->teardown != NULL)
		lane->stage.workload->teardown(&lane->stage);
	pthread_mutex_lock(&lane->lock);
	lane->is_set_up = false;
	pthread_mutex_unlock(&lane->lock);
	if (lane->scratch_fd >= 0 && !order->keep_files)
		code = scratch_empty(lane->scratch_fd, &lane->cleaning, &err);
	if (code != 0 && code != -ECANCELED)
		run_log(lane->run, "%s: clean-up: %s", lane->target->label, err.text);
	set_state(lane, LANE_WAITING);
	return code;
}

/* `clean` takes only what has its marker and its name; anything else is for a person to judge. */
static void say_left(struct lane *lane, int code, const struct error *err)
{
	bool is_altered = code == -EPERM || code == -ENOENT;

	run_log(lane->run, "%s: left %s/%s behind (%s); %s", lane->target->label,
	        lane->target->path, lane->board_prefix,
	        code == -ECANCELED ? "clean-up was cut short" : err->text,
	        is_altered ? "somebody changed it: remove by hand what is left of it"
	                   : "`fsderby clean` removes it");
}

static int do_quit(struct lane *lane, const struct lane_order *order)
{
	struct error err = { 0 };
	int code = 0;

	lane_write_pending(lane);
	set_state(lane, LANE_CLEANING);
	if (lane->scratch_fd >= 0 && !order->keep_files)
		code = scratch_remove(lane->target->fd, lane->run->report->id, lane->scratch_fd,
		        &lane->cleaning, &err);
	if (code != 0)
		say_left(lane, code, &err);
	if (lane->scratch_fd >= 0 && (code != 0 || order->keep_files)) {
		pthread_mutex_lock(&lane->run->lock);
		lane->run->left_files = true;
		pthread_mutex_unlock(&lane->run->lock);
	}
	if (lane->scratch_fd >= 0)
		close(lane->scratch_fd);
	lane->scratch_fd = -1;
	target_close(lane->target);
	set_state(lane, code == 0 ? LANE_DONE : LANE_FAILED);
	return code;
}

static int carry_out(struct lane *lane, const struct lane_order *order)
{
	switch (order->kind) {
	case ORDER_SETUP:
		return do_setup(lane, order);
	case ORDER_SETTLE:
		return do_settle(lane, order);
	case ORDER_PHASE:
		return lane_run_phase(lane);
	case ORDER_TEARDOWN:
		return do_teardown(lane, order);
	case ORDER_QUIT:
		return do_quit(lane, order);
	case ORDER_NONE:
		break;
	}
	return 0;
}

static void *lane_main(void *argument)
{
	struct lane *lane = argument;
	char name[16];
	bool quit = false;

	snprintf(name, sizeof(name), "lane-%.10s", lane->target->label);
	pthread_setname_np(pthread_self(), name);
	while (!quit) {
		struct lane_order order;
		int answer;

		pthread_mutex_lock(&lane->lock);
		while (!lane->has_order)
			pthread_cond_wait(&lane->wake, &lane->lock);
		order = lane->order;
		pthread_mutex_unlock(&lane->lock);
		answer = carry_out(lane, &order);
		quit = order.kind == ORDER_QUIT;
		pthread_mutex_lock(&lane->lock);
		lane->has_order = false;
		lane->answer = answer;
		lane->has_quit = quit;
		pthread_mutex_unlock(&lane->lock);
		run_wake(lane->run);
	}
	return NULL;
}

static void init_sync(struct lane *lane)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&lane->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&lane->wake, &attr);
	pthread_cond_init(&lane->gate_cond, &attr);
	pthread_condattr_destroy(&attr);
}

static void open_devices(
        struct device_reader *reader, const struct target_device *devices, unsigned n)
{
	unsigned numbers[TARGET_DEVICES_MAX][2];

	for (unsigned i = 0; i < n; i++) {
		numbers[i][0] = devices[i].major;
		numbers[i][1] = devices[i].minor;
	}
	device_reader_init(reader, (const unsigned(*)[2])numbers, n);
}

int lane_init(struct lane *lane, struct run *run, unsigned index, struct error *err)
{
	int code;

	memset(lane, 0, sizeof(*lane));
	lane->run = run;
	lane->index = index;
	lane->target = &run->report->targets[index];
	lane->inject = run->config.inject;
	lane->row = lane->predecessor = -1;
	lane->scratch_fd = -1;
	lane->cleaning.hold = &lane->hold_cleaning;
	text_print(lane->board_prefix, sizeof(lane->board_prefix), SCRATCH_PREFIX "%s",
	        run->report->id);
	if (lane->inject != NULL)
		atomic_store(&lane->gate, GATE_INJECT);
	init_sync(lane);
	open_devices(&lane->nearest, lane->target->nearest, lane->target->n_nearest);
	open_devices(&lane->bottom, lane->target->bottom, lane->target->n_bottom);
	code = cpu_reader_init(&lane->cpu);
	if (code != 0)
		return error_errno(err, code, "cannot read /proc/stat");
	return 0;
}

int lane_start(struct lane *lane, struct error *err)
{
	int code = -pthread_create(&lane->thread, NULL, lane_main, lane);

	if (code != 0)
		return error_errno(err, code, "%s: cannot start a thread", lane->target->label);
	lane->has_thread = true;
	return 0;
}

void lane_post(struct lane *lane, const struct lane_order *order)
{
	pthread_mutex_lock(&lane->lock);
	lane->order = *order;
	lane->has_order = true;
	pthread_cond_signal(&lane->wake);
	pthread_mutex_unlock(&lane->lock);
}

void lane_release(struct lane *lane)
{
	for (unsigned i = 0; i < lane->workers_room; i++)
		worker_release(&lane->workers[i]);
	free(lane->workers);
	free(lane->pending);
	free(lane->next_params);
	free(lane->cut_params);
	lane_segment_release(&lane->segment);
	device_reader_release(&lane->nearest);
	device_reader_release(&lane->bottom);
	cpu_reader_release(&lane->cpu);
	pthread_mutex_destroy(&lane->lock);
	pthread_cond_destroy(&lane->wake);
	pthread_cond_destroy(&lane->gate_cond);
}
