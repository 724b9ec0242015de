/*
 * What a lane measured, as a result: readings of the machine and the devices around a span, and the
 * sums over workers. Lane thread only, but for lane_add_absent, which the director
 * calls too; the sampler reads the same counters by itself.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/director.h"

/* Below this the machine's ticks say nothing. */
#define MACHINE_MIN_S 0.4
/* Over this a measurement is marked noisy: CPU of others, steal, foreign traffic. */
#define NOISE_PERCENT    5.0
#define FOREIGN_IO_BYTES (1024.0 * 1024)
/* Below this a phase is marked short. */
#define SHORT_S 0.5

void lane_read(struct lane *lane, struct lane_reading *reading)
{
	if (cpu_read_machine(&lane->cpu, &reading->machine) != 0)
		reading->machine = (struct cpu_machine){ 0 };
	cpu_read_process(&reading->own);
	if (device_read(&lane->nearest, &reading->nearest) != 0)
		reading->nearest = (struct device_stats){ 0 };
	if (device_read(&lane->bottom, &reading->bottom) != 0)
		reading->bottom = (struct device_stats){ 0 };
	reading->at_ns = clock_now_ns();
}

void lane_account(struct lane *lane, struct lane_usage *usage, const struct lane_reading *since)
{
	struct lane_reading now;
	struct device_stats moved;

	lane_read(lane, &now);
	usage->machine_busy += now.machine.busy_ticks - since->machine.busy_ticks;
	usage->machine_total += now.machine.total_ticks - since->machine.total_ticks;
	usage->machine_user += now.machine.user_ticks - since->machine.user_ticks;
	usage->own_user_ns += now.own.user_ns - since->own.user_ns;
	usage->machine_steal += now.machine.steal_ticks - since->machine.steal_ticks;
	moved = device_subtract(&now.nearest, &since->nearest);
	device_accumulate(&usage->nearest, &moved);
	moved = device_subtract(&now.bottom, &since->bottom);
	device_accumulate(&usage->bottom, &moved);
	usage->span_ns += now.at_ns - since->at_ns;
}

uint64_t lane_work(const struct lane *lane)
{
	uint64_t work = 0;

	for (unsigned i = 0; i < lane->n_workers; i++)
		work += histogram_load(&lane->workers[i].work);
	return work;
}

void lane_segment_begin(struct lane *lane, unsigned number)
{
	lane_segment_release(&lane->segment);
	memset(&lane->segment, 0, sizeof(lane->segment));
	lane->segment.number = number;
	lane->segment.fragments = -1;
	lane->segment.work_base = lane_work(lane);
}

void lane_segment_release(struct lane_segment *segment)
{
	free(segment->repetitions);
	segment->repetitions = NULL;
	segment->n_repetitions = segment->repetitions_room = 0;
}

static void device_names(char *out, size_t size, const struct target_device *devices, unsigned n)
{
	size_t length = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < n && length + 1 < size; i++) {
		text_print(out + length, size - length, "%s%s", i > 0 ? "+" : "", devices[i].name);
		length = strlen(out);
	}
}

static void fill_device(struct result_device *device, const struct device_reader *reader,
        const struct device_stats *active, const struct device_stats *paused, uint64_t span_ns)
{
	device->is_known = reader->n > 0;
	device->stats = *active;
	device->paused = *paused;
	device->util_percent = -1;
	if (device->is_known && span_ns > 0) {
		device->util_percent = (double)active->busy_ms * 1e8 / (double)span_ns;
		if (device->util_percent > 100)
			device->util_percent = 100;
	}
}

static void fill_devices(struct result *result, const struct lane *lane)
{
	const struct lane_usage *active = &lane->segment.active, *paused = &lane->segment.paused;
	const struct target *target = lane->target;

	fill_device(&result->nearest, &lane->nearest, &active->nearest, &paused->nearest,
	        active->span_ns);
	fill_device(
	        &result->bottom, &lane->bottom, &active->bottom, &paused->bottom, active->span_ns);
	device_names(result->nearest.names, sizeof(result->nearest.names), target->nearest,
	        target->n_nearest);
	device_names(result->bottom.names, sizeof(result->bottom.names), target->bottom,
	        target->n_bottom);
}

static uint64_t sum_op(const struct lane *lane, unsigned kind, struct result_operation *into)
{
	for (unsigned i = 0; i < lane->n_workers; i++) {
		const struct op_counter *counter = &lane->workers[i].ops[kind];

		if (counter->latency == NULL || histogram_load(&counter->latency->count) == 0)
			continue;
		if (into->latency == NULL) {
			into->latency = malloc(sizeof(*into->latency));
			if (into->latency == NULL)
				return 0;
			histogram_reset(into->latency);
		}
		histogram_merge(into->latency, counter->latency);
		into->errors += histogram_load(&counter->errors);
		into->bytes += histogram_load(&counter->bytes);
	}
	if (into->latency == NULL)
		return 0;
	into->name = op_name((enum op_kind)kind);
	into->count = histogram_load(&into->latency->count);
	return into->count;
}

/* The syncfs calls of `flush inside` are operations of the phase too; the lane makes them. */
static void add_flush_op(const struct lane *lane, struct result_operation *into)
{
	if (histogram_load(&lane->flush_latency.count) == 0)
		return;
	if (into->latency == NULL) {
		into->latency = malloc(sizeof(*into->latency));
		if (into->latency == NULL)
			return;
		histogram_reset(into->latency);
	}
	histogram_merge(into->latency, &lane->flush_latency);
	into->name = op_name(OP_SYNCFS);
	into->count = histogram_load(&into->latency->count);
}

static int fill_operations(struct result *result, const struct lane *lane)
{
	result->operations = calloc(OP_KINDS, sizeof(*result->operations));
	if (result->operations == NULL)
		return -ENOMEM;
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		struct result_operation *operation = &result->operations[result->n_operations];

		sum_op(lane, kind, operation);
		if (kind == OP_SYNCFS)
			add_flush_op(lane, operation);
		if (operation->count == 0)
			continue;
		if (op_moves_data((enum op_kind)kind))
			result->bytes += operation->bytes;
		result->n_operations++;
	}
	return 0;
}

static void fill_times(struct result *result, struct lane *lane)
{
	struct lane_segment *segment = &lane->segment;

	result->segment = segment->number;
	result->started_utc_ns = segment->started_utc_ns;
	result->start_ns = segment->start_ns;
	result->ended_utc_ns = clock_utc_ns();
	result->wall_s = clock_seconds(segment->wall_ns);
	result->first_done_s = clock_seconds(segment->first_done_ns);
	result->paused_s = clock_seconds(segment->paused_ns);
	result->flush_s = segment->has_flush ? clock_seconds(segment->flush_ns) : -1;
	result->classic_s =
	        lane->stage.workload->has_classic ? clock_seconds(segment->classic_ns) : -1;
	result->repetitions = segment->repetitions;
	result->n_repetitions = segment->n_repetitions;
	segment->repetitions = NULL;
	segment->n_repetitions = segment->repetitions_room = 0;
	result->settle_s = lane->settle.seconds;
	result->dirty_kib = lane->settle.dirty_kib;
}

static void fill_cpu(struct result *result, const struct lane *lane)
{
	const struct lane_usage *active = &lane->segment.active;
	uint64_t user = 0, system = 0;

	for (unsigned i = 0; i < lane->n_workers; i++) {
		user += lane->workers[i].cpu.user_ns;
		system += lane->workers[i].cpu.system_ns;
	}
	result->cpu_user_s = clock_seconds(user);
	result->cpu_system_s = clock_seconds(system);
	result->cpu_percent = result->machine_percent = result->steal_percent = -1;
	if (result->wall_s > 0)
		result->cpu_percent =
		        (result->cpu_user_s + result->cpu_system_s) * 100 / result->wall_s;
	if (result->wall_s >= MACHINE_MIN_S && active->machine_total > 0) {
		double total = (double)active->machine_total;

		result->machine_percent = (double)active->machine_busy * 100 / total;
		result->steal_percent = (double)active->machine_steal * 100 / total;
	}
}

/*
 * What others did meanwhile, in percent of the machine: user time that is not ours (the kernel's
 * threads have none, so our write-back does not count; that of short-lived processes does).
 */
static double others_percent(const struct lane *lane)
{
	const struct lane_usage *active = &lane->segment.active;
	double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
	double others = (double)active->machine_user * tick_ns - (double)active->own_user_ns;

	if (active->machine_total == 0)
		return -1;
	return others > 0 ? others * 100 / ((double)active->machine_total * tick_ns) : 0;
}

/*
 * Foreign traffic at the bottom device in percent of it all: known only where all of ours goes
 * through a loop of our own without a cache, and no other target runs.
 */
static double foreign_io_percent(const struct lane *lane)
{
	const struct lane_usage *active = &lane->segment.active;
	double ours = (double)(active->nearest.read_bytes + active->nearest.written_bytes);
	double all = (double)(active->bottom.read_bytes + active->bottom.written_bytes);

	if (lane->target->managed == NULL || (lane->target->flags & TARGET_LOOP_CACHED) != 0 ||
	        lane->bottom.n == 0 || lane->run->n_groups > 1)
		return -1;
	return all - ours > FOREIGN_IO_BYTES ? (all - ours) * 100 / all : 0;
}

static void fill_noise(struct result *result, const struct lane *lane)
{
	result->others_percent = result->foreign_io_percent = -1;
	if (result->wall_s < MACHINE_MIN_S)
		return;
	result->others_percent = others_percent(lane);
	result->foreign_io_percent = foreign_io_percent(lane);
	if (result->others_percent > NOISE_PERCENT || result->steal_percent > NOISE_PERCENT ||
	        result->foreign_io_percent > NOISE_PERCENT)
		result->marks |= MARK_NOISY;
}

static void fill_marks(struct result *result, const struct lane *lane)
{
	const struct lane_segment *segment = &lane->segment;

	if (result->status == RESULT_NO_SPACE)
		result->marks |= MARK_NO_SPACE;
	if (result->status == RESULT_ERROR)
		result->marks |= MARK_ERROR;
	if (segment->was_changed)
		result->marks |= MARK_CHANGED;
	if (segment->was_paused)
		result->marks |= MARK_PAUSED;
	if (segment->was_limited)
		result->marks |= MARK_LIMIT;
	if (result->wall_s < SHORT_S)
		result->marks |= MARK_SHORT;
	if (lane->settle.is_noisy)
		result->marks |= MARK_NOISY;
	if (lane_was_warm(lane))
		result->marks |= MARK_WARM;
}

static void fill_failure(struct result *result, const struct lane *lane)
{
	if (lane->failure.operation == NULL)
		return;
	result->error_operation = lane->failure.operation;
	result->error_errno = -lane->failure.code;
	text_print(result->error_path, sizeof(result->error_path), "%s", lane->failure.path);
	text_print(result->error_text, sizeof(result->error_text), "%s", lane->failure.text);
}

/* One file system: the same device number, or (subvolumes have numbers of their own) one source. */
static bool is_same_fs(const struct target *a, const struct target *b)
{
	return a->dev == b->dev ||
	       (a->n_nearest > 0 && strcmp(a->fs, b->fs) == 0 && strcmp(a->source, b->source) == 0);
}

/*
 * Is another target's set laid out on this file system at the same time? Then what is used there is
 * nobody's own.
 */
static bool shares_space(const struct lane *lane)
{
	const struct run *run = lane->run;

	if (run->n_groups == 1 && !run->config.turns_by_phase)
		return false;
	for (unsigned i = 0; i < run->n_lanes; i++)
		if (i != lane->index && is_same_fs(run->lanes[i].target, lane->target))
			return true;
	return false;
}

static int64_t space_used(const struct lane *lane)
{
	struct statvfs fs;

	if (shares_space(lane))
		return INT64_MIN;
	if (lane->scratch_fd < 0 || fstatvfs(lane->scratch_fd, &fs) != 0)
		return INT64_MIN;
	return (int64_t)((uint64_t)(fs.f_blocks - fs.f_bfree) * fs.f_frsize) -
	       (int64_t)lane->space_before;
}

/* Give it to the report, and remember it for the journal. */
static int hand_over(struct lane *lane, struct result *result)
{
	int code = report_add_result(lane->run->report, result);

	if (code != 0)
		return code;
	run_note_result(lane->run, result);
	pthread_mutex_lock(&lane->lock);
	if (lane->n_pending == lane->pending_room) {
		unsigned room = lane->pending_room ? lane->pending_room * 2 : 16;
		const struct result **grown = realloc(lane->pending, room * sizeof(*grown));

		if (grown != NULL) {
			lane->pending = grown;
			lane->pending_room = room;
		}
	}
	if (lane->n_pending < lane->pending_room)
		lane->pending[lane->n_pending++] = result;
	else
		code = -ENOMEM;
	pthread_mutex_unlock(&lane->lock);
	return code;
}

static void fill_head(struct result *result, const struct lane *lane, unsigned row, unsigned round)
{
	result->row = row;
	result->target = lane->index;
	result->round = round;
	result->segment = 1;
	result->order = lane->place;
	result->predecessor = lane->predecessor;
	result->cold_method = lane->cold_method != NULL ? lane->cold_method : "none";
	result->space_bytes = INT64_MIN;
}

int lane_finish_segment(struct lane *lane, enum result_status status)
{
	struct result *result = result_new();
	int code;

	if (result == NULL)
		return -ENOMEM;
	fill_head(result, lane, (unsigned)lane->row, lane->round);
	result->status = status;
	result->was_started = true;
	result->params = *lane->stage.params;
	result->workers = lane->n_workers;
	result->work = lane_work(lane) - lane->segment.work_base;
	fill_times(result, lane);
	fill_cpu(result, lane);
	fill_devices(result, lane);
	fill_marks(result, lane);
	fill_noise(result, lane);
	fill_failure(result, lane);
	result->space_bytes = space_used(lane);
	result->fragments = lane->segment.fragments;
	code = fill_operations(result, lane);
	if (code != 0) {
		result_free(result);
		return code;
	}
	return hand_over(lane, result);
}

int lane_add_absent(struct lane *lane, unsigned row, unsigned round, enum result_status status)
{
	struct result *result = result_new();

	if (result == NULL)
		return -ENOMEM;
	pthread_mutex_lock(&lane->lock);
	fill_head(result, lane, row, round);
	if (lane->phase != NULL && (unsigned)lane->row == row && lane->segment.number > 1)
		result->segment = lane->segment.number; /* it stands for the one under way */
	if (status == RESULT_ERROR)
		fill_failure(result, lane);
	pthread_mutex_unlock(&lane->lock);
	result->status = status;
	result->params = lane->run->report->rows[row].params;
	result->flush_s = result->classic_s = result->fragments = -1;
	result->others_percent = result->foreign_io_percent = -1;
	result->cpu_percent = result->machine_percent = result->steal_percent = -1;
	result->dirty_kib = -1;
	if (status == RESULT_ERROR) {
		result->marks |= MARK_ERROR;
	}
	if (status == RESULT_NO_SPACE)
		result->marks |= MARK_NO_SPACE;
	return hand_over(lane, result);
}
