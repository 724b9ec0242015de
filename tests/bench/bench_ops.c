/*
 * What the harness costs on top of the system calls it measures, single-threaded on tmpfs.
 *
 * Ours and a bare loop of the same calls run in one process in alternating slices of at most 50 ms,
 * each on its own tree (names, sizes and order alike); which one comes first changes every slice.
 * Printed are the medians of ns a step, the median ratio of the slice pairs (bare / ours: 1.0 is no
 * cost at all) and its quartiles.
 *
 *   bench_ops [SLICES]     slices a row, default 300
 *
 * One thread; leaves nothing in /dev/shm.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/lane.h"
#include "workloads/mongo_walk.h"

enum {
	SLICES_DEFAULT = 300,
	SLICES_MAX = 100000,
	CALLS_A_SLICE = 4000,  /* 0.1 to 10 ms */
	STEPS_A_SLICE = 64,    /* of a phase: 30 us to 2 ms */
	TREE_BYTES = 20 << 20, /* about 2,000 files at base size 1000 */
	LEVELS_MAX = MONGO_DEPTH_MAX + 1,
};

#define SCRATCH "/dev/shm/fsderby-bench-XXXXXX"

/* ns a step of both sides, slice by slice. */
struct row {
	const char *name;
	double *ours, *bare, *ratio;
	unsigned n, room;
};

/* The bare loop's place in its two trees. */
struct bare {
	const struct mongo_tree *tree;
	struct data_pool pool;
	int scratch;
	unsigned index;   /* tree under way, 0 or 1 */
	unsigned n_trees; /* to do in this phase */
	uint32_t next_file, next_dir;
	bool is_link_due, has_links;
	unsigned depth;
	int fd[LEVELS_MAX], copy_fd[LEVELS_MAX];
	uint32_t dir[LEVELS_MAX];
	char buffer[MONGO_IO_BYTES], list[32768];
	char text[512];
	size_t text_length[LEVELS_MAX];
};

/* How a phase looks as a bare loop: what it does with a file, a link and a directory. */
struct bare_phase {
	const char *name;
	unsigned n_trees;
	bool makes, copies, removes, lists, links;
	long (*file)(struct bare *bare, const char *name, uint32_t number);
	long (*link)(struct bare *bare, const char *name, uint32_t number);
};

/* Ours: a worker of a stage, driven by the engine's own loop condition. */
struct ours {
	struct stage stage;
	struct worker worker;
	_Atomic uint32_t gate;
	int (*step)(struct worker *worker);
};

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const double *sorted, unsigned n, double p)
{
	return n == 0 ? 0 : sorted[(unsigned)(p * (n - 1) + 0.5)];
}

static void row_init(struct row *row, const char *name, unsigned room)
{
	*row = (struct row){ .name = name, .room = room };
	row->ours = malloc(room * sizeof(double));
	row->bare = malloc(room * sizeof(double));
	row->ratio = malloc(room * sizeof(double));
	if (row->ours == NULL || row->bare == NULL || row->ratio == NULL)
		abort();
}

static void row_add(struct row *row, double ours, double bare)
{
	if (row->n == row->room)
		return;
	row->ours[row->n] = ours;
	row->bare[row->n] = bare;
	row->ratio[row->n++] = bare / ours;
}

static void row_print(struct row *row)
{
	qsort(row->ours, row->n, sizeof(double), compare_doubles);
	qsort(row->bare, row->n, sizeof(double), compare_doubles);
	qsort(row->ratio, row->n, sizeof(double), compare_doubles);
	printf("%-22s %12.1f %12.1f %8.3f   %.3f-%.3f  %6u\n", row->name,
	        quantile(row->ours, row->n, 0.5), quantile(row->bare, row->n, 0.5),
	        quantile(row->ratio, row->n, 0.5), quantile(row->ratio, row->n, 0.25),
	        quantile(row->ratio, row->n, 0.75), row->n);
	free(row->ours);
	free(row->bare);
	free(row->ratio);
}

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	abort();
}

/* The engine's loop, but for what it does when a gate bit is set. */
static uint64_t run_ours(struct ours *ours, uint64_t steps, bool *is_done)
{
	uint64_t n = 0;

	while (n < steps) {
		int code;

		if (atomic_load_explicit(ours->worker.gate, memory_order_relaxed) != 0)
			abort();
		code = ours->step(&ours->worker);
		must(code >= 0, "step");
		n++;
		if (code == STEP_DONE) {
			*is_done = true;
			break;
		}
	}
	return n;
}

static void ours_open(struct ours *ours, const struct phase *phase, struct lane *lane)
{
	struct worker *worker = &ours->worker;

	memset(worker, 0, sizeof(*worker));
	for (unsigned kind = 0; kind < OP_KINDS; kind++) {
		if ((phase->ops & OP_BIT(kind)) == 0)
			continue;
		worker->ops[kind].latency = malloc(sizeof(struct histogram));
		must(worker->ops[kind].latency != NULL, "malloc");
		histogram_reset(worker->ops[kind].latency);
	}
	worker->gate = &ours->gate;
	worker->lane = lane;
	worker->n_workers = 1;
	worker->scratch_fd = ours->stage.scratch_fd;
	worker->state = ours->stage.state;
	worker->params = ours->stage.params;
	must(phase->open == NULL || phase->open(worker) == 0, "open");
	ours->step = phase->step;
	op_mark(worker);
}

static void ours_close(struct ours *ours, const struct phase *phase)
{
	if (phase->close != NULL)
		phase->close(&ours->worker);
	for (unsigned kind = 0; kind < OP_KINDS; kind++)
		free(ours->worker.ops[kind].latency);
}

/* The null step against a loop that only reads the clock. */
static void bench_null(unsigned slices, struct lane *lane)
{
	const struct workload *null = workload_find("null");
	struct ours *ours = aligned_alloc(_Alignof(struct ours), sizeof(*ours));
	static struct params params;
	struct row row;
	uint64_t sink = 0;
	bool is_done = false;

	must(ours != NULL, "malloc");
	memset(ours, 0, sizeof(*ours));
	params_init(&params, null->params, null->n_params);
	must(params_set(&params, "operations", "1000000M", NULL) == 0, "params");
	ours->stage.params = &params;
	ours_open(ours, &null->phases[0], lane);
	row_init(&row, "null step", slices);
	for (unsigned i = 0; i < slices; i++) {
		uint64_t begin = clock_now_ns(), middle, end;

		run_ours(ours, CALLS_A_SLICE, &is_done);
		middle = clock_now_ns();
		for (unsigned k = 0; k < CALLS_A_SLICE; k++)
			sink ^= clock_now_ns();
		end = clock_now_ns();
		row_add(&row, (double)(middle - begin) / CALLS_A_SLICE,
		        (double)(end - middle) / CALLS_A_SLICE);
	}
	ours_close(ours, &null->phases[0]);
	free(ours);
	must(sink != 1, "clock");
	row_print(&row);
}

/* Where the three loops of a call are timed: wrapped, bare, and bare with a clock read. */
struct call_times {
	double wrapped, bare, clocked;
};

static void time_lseek(struct ours *ours, int fd, struct call_times *times)
{
	uint64_t t[4] = { clock_now_ns() }, sink = 0;

	for (unsigned k = 0; k < CALLS_A_SLICE; k++)
		op_lseek(&ours->worker, fd, 0, SEEK_SET);
	t[1] = clock_now_ns();
	for (unsigned k = 0; k < CALLS_A_SLICE; k++)
		syscall(SYS_lseek, fd, (off_t)0, SEEK_SET);
	t[2] = clock_now_ns();
	for (unsigned k = 0; k < CALLS_A_SLICE; k++) {
		syscall(SYS_lseek, fd, (off_t)0, SEEK_SET);
		sink ^= clock_now_ns();
	}
	t[3] = clock_now_ns();
	must(sink != 1, "clock");
	*times = (struct call_times){ (double)(t[1] - t[0]) / CALLS_A_SLICE,
		(double)(t[2] - t[1]) / CALLS_A_SLICE, (double)(t[3] - t[2]) / CALLS_A_SLICE };
}

static void time_fstat(struct ours *ours, int fd, struct call_times *times)
{
	uint64_t t[4] = { clock_now_ns() }, sink = 0;
	struct stat st;

	for (unsigned k = 0; k < CALLS_A_SLICE; k++)
		op_fstat(&ours->worker, fd, &st);
	t[1] = clock_now_ns();
	for (unsigned k = 0; k < CALLS_A_SLICE; k++)
		syscall(SYS_fstat, fd, &st);
	t[2] = clock_now_ns();
	for (unsigned k = 0; k < CALLS_A_SLICE; k++) {
		syscall(SYS_fstat, fd, &st);
		sink ^= clock_now_ns();
	}
	t[3] = clock_now_ns();
	must(sink != 1, "clock");
	*times = (struct call_times){ (double)(t[1] - t[0]) / CALLS_A_SLICE,
		(double)(t[2] - t[1]) / CALLS_A_SLICE, (double)(t[3] - t[2]) / CALLS_A_SLICE };
}

static void print_difference(const char *name, double *values, unsigned n)
{
	qsort(values, n, sizeof(double), compare_doubles);
	printf("%-34s %+10.1f ns            %+.1f to %+.1f  %6u\n", name, quantile(values, n, 0.5),
	        quantile(values, n, 0.25), quantile(values, n, 0.75), n);
}

/*
 * One wrapped call, as cheap as a call gets, against syscall(2) alone and with a clock read: what
 * the wrapper adds to the one clock read it cannot do without.
 */
static void bench_call(unsigned slices, struct lane *lane, const char *name,
        void (*time)(struct ours *ours, int fd, struct call_times *times))
{
	const struct phase phase = { .ops = OP_BIT(OP_LSEEK) | OP_BIT(OP_STAT) };
	struct ours *ours = aligned_alloc(_Alignof(struct ours), sizeof(*ours));
	double *clock = malloc(slices * sizeof(double)), *rest = malloc(slices * sizeof(double));
	struct row row;
	char text[64];
	int fd = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	must(ours != NULL && clock != NULL && rest != NULL && fd >= 0, "/dev/shm");
	memset(ours, 0, sizeof(*ours));
	ours_open(ours, &phase, lane);
	snprintf(text, sizeof(text), "wrapped %s", name);
	row_init(&row, text, slices);
	for (unsigned i = 0; i < slices; i++) {
		struct call_times times;

		time(ours, fd, &times);
		row_add(&row, times.wrapped, times.bare);
		clock[i] = times.clocked - times.bare;
		rest[i] = times.wrapped - times.clocked;
	}
	ours_close(ours, &phase);
	row_print(&row);
	print_difference("  a clock read behind the call", clock, slices);
	print_difference("  the wrapper beyond that", rest, slices);
	free(clock);
	free(rest);
	free(ours);
	close(fd);
}

static long create_file(struct bare *bare, const char *name, uint32_t number)
{
	uint32_t left = bare->tree->sizes[number - 1], chunk = 0;
	long fd = syscall(SYS_openat, bare->fd[bare->depth], name,
	        O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0644);

	while (left > 0) {
		uint32_t size = left < MONGO_WRITE_BYTES ? left : MONGO_WRITE_BYTES;

		if (syscall(SYS_write, fd,
		            data_pool_window(&bare->pool, data_pool_id(0, number, chunk++)),
		            (size_t)size) != (long)size)
			return -1;
		left -= size;
	}
	return syscall(SYS_close, fd);
}

static long copy_file(struct bare *bare, const char *name, uint32_t number)
{
	long from = syscall(
	        SYS_openat, bare->fd[bare->depth], name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
	long to = syscall(SYS_openat, bare->copy_fd[bare->depth], name,
	        O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644);
	long got;

	(void)number;
	do {
		got = syscall(SYS_read, from, bare->buffer, sizeof(bare->buffer));
		if (got > 0 && syscall(SYS_write, to, bare->buffer, (size_t)got) != got)
			return -1;
	} while (got == MONGO_IO_BYTES);
	syscall(SYS_close, from);
	return syscall(SYS_close, to);
}

static long slink_file(struct bare *bare, const char *name, uint32_t number)
{
	char link[MONGO_NAME_TEXT_MAX];
	size_t length = strlen(name);
	struct stat st;
	int fd = bare->fd[bare->depth];

	(void)number;
	memcpy(bare->text + bare->text_length[bare->depth], name, length + 1);
	memcpy(link, name, length);
	memcpy(link + length, ".lnk", 5);
	if (syscall(SYS_symlinkat, bare->text, fd, link) != 0 ||
	        syscall(SYS_newfstatat, fd, link, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	return syscall(SYS_readlinkat, fd, link, bare->buffer, sizeof(bare->buffer));
}

static long read_file(struct bare *bare, const char *name, uint32_t number)
{
	long got, fd = syscall(SYS_openat, bare->fd[bare->depth], name,
	                  O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);

	(void)number;
	do {
		got = syscall(SYS_read, fd, bare->buffer, sizeof(bare->buffer));
	} while (got == MONGO_IO_BYTES);
	return syscall(SYS_close, fd);
}

static long stat_object(struct bare *bare, const char *name, uint32_t number)
{
	struct stat st;

	(void)number;
	return syscall(SYS_newfstatat, bare->fd[bare->depth], name, &st, AT_SYMLINK_NOFOLLOW);
}

static long rename_file(struct bare *bare, const char *name, uint32_t number)
{
	char renamed[MONGO_NAME_TEXT_MAX];
	size_t length = strlen(name);
	int fd = bare->fd[bare->depth];

	(void)number;
	memcpy(renamed, name, length);
	memcpy(renamed + length, ".r", 3);
	return syscall(SYS_renameat, fd, name, fd, renamed);
}

static long unlink_object(struct bare *bare, const char *name, uint32_t number)
{
	(void)number;
	return syscall(SYS_unlinkat, bare->fd[bare->depth], name, 0);
}

static const struct bare_phase bare_phases[] = {
	{ .name = "create", .n_trees = 1, .makes = true, .file = create_file },
	{ .name = "copy", .n_trees = 1, .copies = true, .file = copy_file },
	{ .name = "slink", .n_trees = 1, .file = slink_file },
	{ .name = "read", .n_trees = 2, .file = read_file },
	{ .name = "stats",
	        .n_trees = 2,
	        .lists = true,
	        .links = true,
	        .file = stat_object,
	        .link = stat_object },
	{ .name = "rename", .n_trees = 1, .file = rename_file },
	{ .name = "delete",
	        .n_trees = 2,
	        .removes = true,
	        .links = true,
	        .file = unlink_object,
	        .link = unlink_object },
};

enum { N_PHASES = sizeof(bare_phases) / sizeof(bare_phases[0]), DELETE_PHASE = N_PHASES - 1 };

static void print_dir_name(char *out, unsigned index, uint32_t dir, unsigned depth)
{
	if (depth == 0) {
		snprintf(out, MONGO_NAME_TEXT_MAX, "testdir%u-0-0", index + 1);
	} else {
		out[0] = 'd';
		mongo_print_number(out + 1, dir - 1);
	}
}

static void list_dir(struct bare *bare, long fd)
{
	while (syscall(SYS_getdents64, fd, bare->list, sizeof(bare->list)) > 0)
		;
}

static long open_dir(int parent, const char *name, bool makes)
{
	if (makes && syscall(SYS_mkdirat, parent, name, 0755) != 0)
		return -1;
	return syscall(
	        SYS_openat, parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
}

static long bare_enter(struct bare *bare, const struct bare_phase *phase)
{
	uint32_t dir = bare->next_dir++;
	unsigned above = bare->depth, depth = above + 1;
	char name[MONGO_NAME_TEXT_MAX];
	size_t length;
	long fd;

	print_dir_name(name, bare->index, dir, above);
	if (phase->lists && above > 0 && stat_object(bare, name, 0) != 0)
		return -1;
	fd = open_dir(bare->fd[above], name, phase->makes);
	if (fd < 0)
		return -1;
	if (phase->lists)
		list_dir(bare, fd);
	length = strlen(name);
	memcpy(bare->text + bare->text_length[above], name, length);
	bare->text_length[depth] = bare->text_length[above] + length + 1;
	bare->text[bare->text_length[depth] - 1] = '/';
	bare->depth = depth;
	bare->fd[depth] = (int)fd;
	bare->dir[depth] = dir;
	if (!phase->copies)
		return 0;
	print_dir_name(name, 1, dir, above);
	bare->copy_fd[depth] = (int)open_dir(bare->copy_fd[above], name, true);
	return bare->copy_fd[depth];
}

/* Up; 1 when the last tree was left. */
static long bare_leave(struct bare *bare, const struct bare_phase *phase)
{
	uint32_t dir = bare->dir[bare->depth];
	char name[MONGO_NAME_TEXT_MAX];

	if (phase->copies)
		syscall(SYS_close, bare->copy_fd[bare->depth]);
	syscall(SYS_close, bare->fd[bare->depth--]);
	print_dir_name(name, bare->index, dir, bare->depth);
	if (phase->removes && syscall(SYS_unlinkat, bare->fd[bare->depth], name, AT_REMOVEDIR) != 0)
		return -1;
	if (bare->depth > 0)
		return 0;
	bare->next_file = bare->next_dir = 0;
	return ++bare->index == phase->n_trees;
}

/* One object; links and new names are complete whenever a phase comes to them. */
static long bare_step(struct bare *bare, const struct bare_phase *phase)
{
	const struct mongo_tree *tree = bare->tree;
	uint32_t dir = bare->dir[bare->depth];
	char name[MONGO_NAME_TEXT_MAX];
	unsigned length;

	if (bare->is_link_due) {
		length = mongo_print_number(name, bare->next_file);
		memcpy(name + length, ".lnk", 5);
		bare->is_link_due = false;
		return phase->link(bare, name, bare->next_file);
	}
	if (bare->depth == 0)
		return bare_enter(bare, phase) < 0 ? -1 : 0;
	if (bare->next_file < tree->first_file[dir + 1]) {
		length = mongo_print_number(name, ++bare->next_file);
		if (phase->removes && bare->index == 0)
			memcpy(name + length, ".r", 3);
		bare->is_link_due = phase->links && bare->index == 0;
		return phase->file(bare, name, bare->next_file);
	}
	if (bare->next_dir < tree->n_dirs && tree->parent[bare->next_dir] == dir)
		return bare_enter(bare, phase) < 0 ? -1 : 0;
	return bare_leave(bare, phase);
}

static void run_bare(struct bare *bare, const struct bare_phase *phase, uint64_t steps)
{
	for (uint64_t i = 0; i < steps; i++)
		must(bare_step(bare, phase) >= 0, phase->name);
}

static void bare_begin(struct bare *bare)
{
	bare->index = 0;
	bare->depth = 0;
	bare->next_file = bare->next_dir = 0;
	bare->is_link_due = false;
	bare->fd[0] = bare->copy_fd[0] = bare->scratch;
	memcpy(bare->text, "/mnt/", 5);
	bare->text_length[0] = 5;
}

static const struct phase *find_phase(const struct workload *workload, const char *name)
{
	for (unsigned i = 0; i < workload->n_phases; i++)
		if (strcmp(workload->phases[i].name, name) == 0)
			return &workload->phases[i];
	fprintf(stderr, "bench_ops: mongo has no phase %s\n", name);
	abort();
}

/* A whole phase of both sides, slice by slice over the same steps. */
static void bench_phase(
        struct ours *ours, struct bare *bare, unsigned index, struct lane *lane, struct row *row)
{
	const struct bare_phase *phase = &bare_phases[index];
	const struct phase *real = find_phase(ours->stage.workload, phase->name);
	bool is_done = false;

	ours_open(ours, real, lane);
	bare_begin(bare);
	for (unsigned slice = 0; !is_done; slice++) {
		uint64_t begin, middle, end, steps = STEPS_A_SLICE;
		double first, second;

		/* The one that goes second must do the same steps; only ours knows the end. */
		begin = clock_now_ns();
		if (slice % 2 == 0) {
			op_mark(&ours->worker);
			steps = run_ours(ours, steps, &is_done);
			middle = clock_now_ns();
			run_bare(bare, phase, steps);
			end = clock_now_ns();
			first = (double)(middle - begin);
			second = (double)(end - middle);
		} else {
			uint64_t left = steps;

			while (left > 0 && bare->index < phase->n_trees) {
				must(bare_step(bare, phase) >= 0, phase->name);
				left--;
			}
			steps -= left;
			middle = clock_now_ns();
			op_mark(&ours->worker);
			run_ours(ours, steps, &is_done);
			end = clock_now_ns();
			first = (double)(end - middle);
			second = (double)(middle - begin);
		}
		if (steps == STEPS_A_SLICE)
			row_add(row, first / (double)steps, second / (double)steps);
	}
	ours_close(ours, real);
}

static int make_scratch(int parent, const char *name)
{
	must(mkdirat(parent, name, 0700) == 0, name);
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void setup_mongo(struct ours *ours, struct params *params, int scratch)
{
	const struct workload *mongo = workload_find("mongo");
	char bytes[32];

	params_init(params, mongo->params, mongo->n_params);
	snprintf(bytes, sizeof(bytes), "%d", TREE_BYTES);
	must(params_set(params, "base_size", "1000", NULL) == 0 &&
	                params_set(params, "bytes", bytes, NULL) == 0 &&
	                params_set(params, "repetitions", "1", NULL) == 0,
	        "params");
	ours->stage = (struct stage){ .workload = mongo,
		.params = params,
		.seed = 1,
		.round = 1,
		.block_bytes = 4096,
		.scratch_fd = scratch };
}

static void bench_mongo(unsigned slices, struct lane *lane)
{
	struct ours *ours = aligned_alloc(_Alignof(struct ours), sizeof(*ours));
	struct bare *bare = calloc(1, sizeof(*bare));
	static struct params params;
	char directory[] = SCRATCH;
	struct row rows[N_PHASES];
	int top;

	must(ours != NULL && bare != NULL && mkdtemp(directory) != NULL, directory);
	memset(ours, 0, sizeof(*ours));
	top = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(top >= 0, directory);
	setup_mongo(ours, &params, make_scratch(top, "ours"));
	bare->scratch = make_scratch(top, "bare");
	must(data_pool_init(&bare->pool, 1, false) == 0, "pool");
	for (unsigned i = 0; i < N_PHASES; i++)
		row_init(&rows[i], bare_phases[i].name, slices);
	while (rows[0].n < slices) {
		struct error err;

		must(ours->stage.workload->setup(&ours->stage, &err) == 0, "setup");
		bare->tree = &((struct mongo_state *)ours->stage.state)->tree;
		for (unsigned i = 0; i < N_PHASES; i++)
			bench_phase(ours, bare, i, lane, &rows[i]);
		ours->stage.workload->teardown(&ours->stage);
	}
	for (unsigned i = 0; i < N_PHASES; i++)
		row_print(&rows[i]);
	data_pool_release(&bare->pool);
	close(ours->stage.scratch_fd);
	close(bare->scratch);
	/* Both are empty after the delete phase. */
	must(unlinkat(top, "ours", AT_REMOVEDIR) == 0 && unlinkat(top, "bare", AT_REMOVEDIR) == 0,
	        directory);
	close(top);
	must(rmdir(directory) == 0, directory);
	free(ours);
	free(bare);
}

int main(int argc, char **argv)
{
	unsigned slices = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : SLICES_DEFAULT;
	struct lane *lane = aligned_alloc(_Alignof(struct lane), sizeof(*lane));

	if (slices == 0 || slices > SLICES_MAX || lane == NULL) {
		fprintf(stderr, "usage: bench_ops [SLICES]\n");
		return 2;
	}
	/* A worker asks its lane only where delete marks the classic time. */
	memset(lane, 0, sizeof(*lane));
	pthread_mutex_init(&lane->lock, NULL);
	printf("%-22s %12s %12s %8s   %-11s  %6s\n", "", "ours ns", "bare ns", "ratio", "quartiles",
	        "slices");
	bench_null(slices, lane);
	bench_call(slices, lane, "lseek", time_lseek);
	bench_call(slices, lane, "fstat", time_fstat);
	bench_mongo(slices, lane);
	pthread_mutex_destroy(&lane->lock);
	free(lane);
	return 0;
}
