/*
 * The sampler: ten times a second it adds up the workers' counters, once a second their histograms,
 * and publishes the board. Runs in its own thread; sampler_close_second and sampler_begin_phase are
 * called by lanes with their lock held.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/director.h"

#define TICK_NS   UINT64_C(100000000)
#define SECOND_NS UINT64_C(1000000000)
/* An interval with less running time than this has no rate. */
#define INTERVAL_MIN_NS UINT64_C(5000000)
/* A call under way for longer is shown as stuck. */
#define STUCK_S 1.0

struct totals {
	uint64_t operations, work, bytes, written, cpu_ns;
};

static uint64_t worker_operations(const struct worker *worker, struct totals *totals)
{
	uint64_t operations = 0;

	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		const struct op_counter *counter = &worker->ops[kind];

		if (counter->latency == NULL)
			continue;
		operations += histogram_load(&counter->latency->count);
		if (!op_moves_data((enum op_kind)kind))
			continue;
		totals->bytes += histogram_load(&counter->bytes);
		if (kind == OP_WRITE || kind == OP_PWRITE || kind == OP_PUTC || kind == OP_STORE)
			totals->written += histogram_load(&counter->bytes);
	}
	totals->operations += operations;
	return operations;
}

static uint64_t worker_cpu(struct worker *worker)
{
	if (atomic_load(&worker->is_running) == 0)
		return 0;
	return cpu_thread_ns(worker->thread);
}

static struct totals sum_workers(struct lane *lane)
{
	struct totals totals = { 0 };

	for (unsigned i = 0; i < lane->n_workers; i++) {
		worker_operations(&lane->workers[i], &totals);
		totals.work += histogram_load(&lane->workers[i].work);
		totals.cpu_ns += worker_cpu(&lane->workers[i]);
	}
	return totals;
}

static void merge_latencies(const struct lane *lane, struct histogram *into)
{
	histogram_reset(into);
	for (unsigned i = 0; i < lane->n_workers; i++)
		for (unsigned kind = 0; kind < OP_KINDS; kind++) {
			const struct histogram *latency = lane->workers[i].ops[kind].latency;

			if (latency != NULL && histogram_load(&latency->count) != 0)
				histogram_merge(into, latency);
		}
}

void sampler_begin_phase(struct lane *lane)
{
	struct totals totals = sum_workers(lane);
	uint64_t now = clock_now_ns();

	lane->last.at_ns = lane->second.at_ns = now;
	lane->last.active_ns = lane->second.active_ns = lane_active_ns(lane, now);
	lane->last.work = lane->second.work = totals.work;
	lane->last.bytes = lane->second.bytes = totals.bytes;
	lane->last.cpu_ns = lane->second.cpu_ns = totals.cpu_ns;
	lane->last.bottom = lane->reading.bottom;
	lane->last.machine = lane->second.machine = lane->reading.machine;
	histogram_reset(&lane->second.latency);
	lane->live_rate = lane->live_bytes_rate = 0;
	lane->live_cpu = lane->live_machine = lane->live_util = -1;
	lane->live_p50_ns = lane->live_p99_ns = lane->live_max_ns = 0;
}

/* CPU clocks of worker threads end with them, so an interval over a pass end has no figure. */
static double cpu_percent(uint64_t now_ns, uint64_t before_ns, uint64_t active_ns)
{
	if (now_ns < before_ns || active_ns == 0)
		return -1;
	return (double)(now_ns - before_ns) * 100 / (double)active_ns;
}

static void fill_latency(struct lane *lane, struct report_sample *sample)
{
	static _Thread_local struct histogram now, interval;

	merge_latencies(lane, &now);
	histogram_subtract(&interval, &now, &lane->second.latency);
	sample->p50_ns = lane->live_p50_ns = histogram_percentile(&interval, 0.5);
	sample->p99_ns = lane->live_p99_ns = histogram_percentile(&interval, 0.99);
	sample->max_ns = lane->live_max_ns = histogram_percentile(&interval, 1);
	histogram_reset(&lane->second.latency);
	histogram_merge(&lane->second.latency, &now);
}

bool sampler_close_second(struct lane *lane, uint64_t now_ns, struct report_sample *sample)
{
	struct totals totals = sum_workers(lane);
	uint64_t active = lane_active_ns(lane, now_ns);
	uint64_t span = active > lane->second.active_ns ? active - lane->second.active_ns : 0;

	if (lane->segment.start_ns == 0)
		return false;
	if (span == 0 && totals.work == lane->second.work && totals.bytes == lane->second.bytes)
		return false;
	memset(sample, 0, sizeof(*sample));
	sample->at_ns = now_ns;
	sample->interval_s = clock_seconds(span);
	sample->target = lane->index;
	sample->row = (unsigned)lane->row;
	sample->round = lane->round;
	sample->work = totals.work - lane->second.work;
	sample->bytes = totals.bytes - lane->second.bytes;
	if (span > 0) {
		sample->rate = (double)sample->work / sample->interval_s;
		sample->bytes_per_s = (double)sample->bytes / sample->interval_s;
	}
	sample->cpu_percent = cpu_percent(totals.cpu_ns, lane->second.cpu_ns, span);
	sample->machine_percent =
	        span >= SECOND_NS * 4 / 10
	                ? cpu_machine_percent(&lane->second.machine, &lane->last.machine)
	                : -1;
	fill_latency(lane, sample);
	lane->second.at_ns = now_ns;
	lane->second.active_ns = active;
	lane->second.work = totals.work;
	lane->second.bytes = totals.bytes;
	lane->second.cpu_ns = totals.cpu_ns;
	lane->second.machine = lane->last.machine;
	return true;
}

static void push_history(struct lane *lane, float rate)
{
	if (lane->n_history == BOARD_HISTORY) {
		memmove(lane->history, lane->history + 1, sizeof(float) * (BOARD_HISTORY - 1));
		lane->n_history--;
	}
	lane->history[lane->n_history++] = rate;
}

void sampler_gap(struct lane *lane)
{
	if (lane->n_history > 0)
		push_history(lane, NAN);
}

static void tick_device(struct lane *lane, uint64_t real_ns)
{
	struct device_stats now, moved;

	if (real_ns == 0 || device_read(&lane->bottom, &now) != 0)
		return;
	moved = device_subtract(&now, &lane->last.bottom);
	lane->last.bottom = now;
	lane->live_util = (double)moved.busy_ms * 1e8 / (double)real_ns;
	if (lane->live_util > 100)
		lane->live_util = 100;
}

void sampler_tick(struct lane *lane, uint64_t now_ns, const struct cpu_machine *machine)
{
	struct totals totals;
	uint64_t active, span;

	if (lane->segment.start_ns == 0 || lane->phase == NULL)
		return;
	active = lane_active_ns(lane, now_ns);
	span = active > lane->last.active_ns ? active - lane->last.active_ns : 0;
	totals = sum_workers(lane);
	tick_device(lane, now_ns - lane->last.at_ns);
	if (span >= INTERVAL_MIN_NS) {
		double seconds = clock_seconds(span);

		lane->live_rate = (double)(totals.work - lane->last.work) / seconds;
		lane->live_bytes_rate = (double)(totals.bytes - lane->last.bytes) / seconds;
		lane->live_cpu = cpu_percent(totals.cpu_ns, lane->last.cpu_ns, span);
		lane->live_machine = cpu_machine_percent(&lane->last.machine, machine);
		push_history(lane, (float)lane->live_rate);
	} else {
		lane->live_rate = lane->live_bytes_rate = 0;
	}
	lane->last.at_ns = now_ns;
	lane->last.active_ns = active;
	lane->last.work = totals.work;
	lane->last.bytes = totals.bytes;
	lane->last.cpu_ns = totals.cpu_ns;
	lane->last.machine = *machine;
}

/* One row a worker; the target's totals are the sums of these very rows. */
static void copy_workers(
        struct lane *lane, struct board *board, struct board_target *target, uint64_t now)
{
	target->first_worker = board->n_workers;
	target->n_workers = 0;
	for (unsigned i = 0; i < lane->n_workers && board->n_workers < board->workers_room; i++) {
		struct worker *worker = &lane->workers[i];
		struct board_worker *row = &board->workers[board->n_workers++];
		struct totals totals = { 0 };
		uint64_t mark = histogram_load(&worker->mark_ns);

		*row = (struct board_worker){ .target = lane->index, .index = i, .underway = -1 };
		row->operations = worker_operations(worker, &totals);
		row->bytes = totals.bytes;
		row->work = histogram_load(&worker->work);
		row->is_running = atomic_load(&worker->is_running) != 0;
		row->is_parked = worker->is_parked;
		target->done += row->work;
		target->n_workers++;
		if (!row->is_running || row->is_parked)
			continue;
		row->underway = (int)atomic_load_explicit(&worker->underway, memory_order_relaxed);
		row->since_s = now > mark ? clock_seconds(now - mark) : 0;
		row->cpu_percent = -1;
	}
}

static void find_stuck(struct lane *lane, const struct board *board, struct board_target *target)
{
	target->stuck_op = -1;
	for (unsigned i = 0; i < target->n_workers; i++) {
		const struct board_worker *row = &board->workers[target->first_worker + i];
		struct worker *worker = &lane->workers[i];
		char below[BOARD_PATH] = "";

		if (row->underway < 0 || row->since_s < STUCK_S || row->since_s < target->stuck_s)
			continue;
		/* A paced worker waits for its turn, not for the file system. */
		if (worker->is_paced)
			continue;
		target->stuck_op = row->underway;
		target->stuck_s = row->since_s;
		if (lane->phase != NULL && lane->phase->describe != NULL)
			lane->phase->describe(lane->stage.state, i, worker->pass,
			        histogram_load(&worker->cursor), below, sizeof(below));
		text_print(target->stuck_path, sizeof(target->stuck_path), "%s", below);
	}
}

static void fill_progress(struct lane *lane, struct board_target *target, uint64_t now)
{
	uint64_t active = lane_active_ns(lane, now);

	target->total = lane->total;
	target->segment = lane->segment.number;
	target->elapsed_s = clock_seconds(active);
	target->paused_s = clock_seconds(
	        lane->segment.paused_ns +
	        (lane->hold_begin_ns != 0 && lane->want_pause ? now - lane->hold_begin_ns : 0));
	target->mean_rate = target->elapsed_s > 0 ? (double)target->done / target->elapsed_s : 0;
	if (target->done > 0 && target->total > target->done && target->elapsed_s >= 0.5 &&
	        target->done * 50 >= target->total)
		target->eta_s = (double)(target->total - target->done) / target->mean_rate;
	else if (target->total > 0 && target->done >= target->total)
		target->eta_s = 0;
}

static double live_amplification(struct lane *lane)
{
	struct totals totals = { 0 };
	struct device_stats now, moved;

	for (unsigned i = 0; i < lane->n_workers; i++)
		worker_operations(&lane->workers[i], &totals);
	if (totals.written == 0 || device_read(&lane->nearest, &now) != 0)
		return -1;
	moved = device_subtract(&now, &lane->reading.nearest);
	return (double)(lane->segment.active.nearest.written_bytes + moved.written_bytes) /
	       (double)totals.written;
}

static void copy_lane(struct lane *lane, struct board *board, uint64_t now)
{
	struct board_target *target = &board->targets[lane->index];

	memset(target, 0, sizeof(*target));
	target->state = lane->state;
	target->row = lane->row;
	target->round = lane->round;
	target->waits_for = -1;
	target->eta_s = target->write_amplification = -1;
	target->rate = lane->live_rate;
	target->bytes_per_s = lane->live_bytes_rate;
	target->cpu_percent = lane->live_cpu;
	target->machine_percent = lane->live_machine;
	target->util_percent = lane->bottom.n > 0 ? lane->live_util : -1;
	target->p50_ns = lane->live_p50_ns;
	target->p99_ns = lane->live_p99_ns;
	target->max_ns = lane->live_max_ns;
	memcpy(target->history, lane->history, lane->n_history * sizeof(float));
	target->n_history = lane->n_history;
	target->stuck_op = -1;
	if (lane->state == LANE_CLEANING)
		target->done = histogram_load(&lane->cleaning.removed);
	if (lane->phase == NULL)
		return;
	copy_workers(lane, board, target, now);
	find_stuck(lane, board, target);
	fill_progress(lane, target, now);
	target->write_amplification = live_amplification(lane);
}

/* Seconds left of one lane's planned results; negative: some cell was never measured. */
static double lane_left(const struct run *run, unsigned target, unsigned rounds_left)
{
	double left = 0;
	unsigned n_rows = run->report->n_rows;

	for (unsigned row = 0; row < n_rows; row++) {
		double sum = 0;
		unsigned n = 0;

		for (unsigned other = 0; other < run->n_lanes; other++) {
			const struct run_known *known = &run->known[other * n_rows + row];

			if (other == target && known->n > 0) {
				sum = known->sum;
				n = known->n;
				break;
			}
			sum += known->sum;
			n += known->n;
		}
		if (n == 0)
			return -1;
		left += sum / n * rounds_left;
	}
	return left;
}

/*
 * What is left: the rounds to come at the mean of what was measured so far, less what this
 * round has done already; turns add up, lanes together take as long as the slowest.
 */
static double run_left(const struct run *run)
{
	unsigned n_rows = run->report->n_rows, rounds = run->config.rounds;
	double total = 0, slowest = 0;

	for (unsigned i = 0; i < run->n_lanes; i++) {
		double left = lane_left(run, i, rounds), done = 0;

		if (left < 0)
			return -1;
		for (unsigned row = 0; row < n_rows; row++)
			done += run->known[i * n_rows + row].sum;
		left = left > done ? left - done : 0;
		total += left;
		slowest = left > slowest ? left : slowest;
	}
	return run->n_groups == run->n_lanes ? slowest : total;
}

/* Whose turn is it: places in the queue, for the columns that wait. run->lock held. */
static void fill_queue(const struct run *run, struct board *board)
{
	int running = -1;

	for (unsigned i = 0; i < board->n_targets; i++) {
		enum lane_state state = board->targets[i].state;

		if (state != LANE_WAITING && state != LANE_DONE && state != LANE_FAILED &&
		        state != LANE_LOST)
			running = (int)i;
	}
	for (unsigned i = 0; i < board->n_targets; i++) {
		struct board_target *target = &board->targets[i];

		if (target->state != LANE_WAITING || running < 0)
			continue;
		target->waits_for = running;
		target->place = (run->turn_of[i] + run->n_turns - run->turn) % run->n_turns;
	}
}

static void copy_run(struct run *run, struct board *board, uint64_t now)
{
	pthread_mutex_lock(&run->lock);
	board->state = run->state;
	board->pause_at_boundary = run->pause_at_boundary;
	board->round = run->round;
	board->rounds = run->config.rounds;
	if (run->end_ns != 0)
		now = run->end_ns;
	board->paused_s = clock_seconds(
	        run->paused_ns + (run->pause_begin_ns != 0 ? now - run->pause_begin_ns : 0));
	board->elapsed_s = clock_seconds(now - run->start_ns) - board->paused_s;
	board->eta_s = run->state == RUN_ENDED ? 0 : run_left(run);
	board->n_log = run->n_log;
	memcpy(board->log, run->log, sizeof(run->log));
	if (run->n_turns > 0)
		fill_queue(run, board);
	pthread_mutex_unlock(&run->lock);
}

static void publish(struct run *run)
{
	uint32_t old = atomic_exchange(&run->middle, run->back | 4U);
	uint64_t one = 1;

	run->back = old & 3U;
	if (write(run->board_fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: the reader has not looked for ages */
}

static void sample_all(
        struct run *run, const struct cpu_machine *machine, double percent, bool is_second)
{
	struct board *board = run->boards[run->back];
	uint64_t now = clock_now_ns();

	board->n_workers = 0;
	board->at_ns = now;
	board->machine_percent = percent;
	for (unsigned i = 0; i < run->n_lanes; i++) {
		struct lane *lane = &run->lanes[i];
		struct report_sample sample;
		bool has_sample = false;

		pthread_mutex_lock(&lane->lock);
		sampler_tick(lane, now, machine);
		if (is_second && lane->phase != NULL && lane->hold_begin_ns == 0)
			has_sample = sampler_close_second(lane, now, &sample);
		copy_lane(lane, board, now);
		pthread_mutex_unlock(&lane->lock);
		if (has_sample)
			report_add_sample(run->report, &sample);
	}
	copy_run(run, board, now);
	board->sequence = ++run->sequence;
	pthread_mutex_lock(&run->report->lock);
	board->n_results = run->report->n_results;
	pthread_mutex_unlock(&run->report->lock);
	publish(run);
}

static void sleep_until(uint64_t at_ns)
{
	struct timespec until = { (time_t)(at_ns / SECOND_NS), (long)(at_ns % SECOND_NS) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

void *sampler_main(void *argument)
{
	struct run *run = argument;
	struct cpu_reader reader;
	struct cpu_machine machine = { 0 }, second = { 0 };
	uint64_t next = clock_now_ns();
	double percent = -1;
	bool has_cpu = cpu_reader_init(&reader) == 0;

	pthread_setname_np(pthread_self(), "sampler");
	for (unsigned tick = 0;; tick++) {
		bool stop = atomic_load(&run->sampler_stop) != 0;

		if (has_cpu)
			cpu_read_machine(&reader, &machine);
		if (tick % 10 == 0) {
			percent = tick > 0 ? cpu_machine_percent(&second, &machine) : -1;
			second = machine;
		}
		sample_all(run, &machine, percent, tick % 10 == 9);
		if (stop)
			break;
		next += TICK_NS;
		if (next < clock_now_ns())
			next = clock_now_ns();
		sleep_until(next);
	}
	if (has_cpu)
		cpu_reader_release(&reader);
	return NULL;
}
