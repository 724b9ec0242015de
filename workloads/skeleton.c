/*
 * skeleton: how to add a workload. It compiles and does next to nothing: its one phase makes and
 * removes a file a step. It is not in the registry, so no user sees it.
 *
 * To add a workload: copy this file to workloads/<name>.c, fill it in, and put `workload_<name>`
 * into workloads/registry.c. The Makefile, --help, the screens, `fsderby workloads`, plans and
 * every export follow from the tables below. The contract is workloads/workload.h; what a step may
 * call is engine/worker.h, and nothing else of ours but core/ may be included.
 */
#include <errno.h>
#include <stdlib.h>

#include "workloads/workload.h"

/* One constant a parameter, in the order of the table; they index params->values. */
enum { SKELETON_FILES, SKELETON_THREADS, SKELETON_RATE };

static const struct param param_table[] = {
	[SKELETON_FILES] = {
		.name = "files",        /* -s skeleton.files=2k */
		.type = PARAM_COUNT,    /* decides the parser and the member of the union */
		.effect = PARAM_NOW,    /* when a change in a run counts: now, next phase or run */
		.initial = "1000",      /* the default, as a user would type it */
		.min = 1, .max = 1e9,   /* what the parser lets through */
		.zero_word = NULL,      /* a word for 0, such as "none" */
		.choices = NULL,        /* "this|that" of PARAM_CHOICE; the value is its index */
		.unit = "files",        /* for people */
		.help = "how many files are made and removed",
	},
	[SKELETON_THREADS] = { "threads", PARAM_COUNT, PARAM_NEXT_PHASE, "1", 1, 512, NULL, NULL,
		"threads", "workers that share them" },
	/* Every workload has `rate`; the engine finds it by its name and keeps to it. */
	[SKELETON_RATE] = { "rate", PARAM_COUNT, PARAM_NOW, "none", 1, 1e9, "none", NULL, "files/s",
		"limit for all workers of a target" },
};

/* What the phases of one set on one target share, from setup to teardown: stage->state. */
struct skeleton {
	uint64_t seed;
};

/* What a worker needs, from open to close: worker->local. */
struct skeleton_local {
	uint64_t next;
};

/* In the lane, before the first phase. The scratch directory (stage->scratch_fd) is empty. */
static int setup(struct stage *stage, struct error *err)
{
	struct skeleton *skeleton = calloc(1, sizeof(*skeleton));

	if (skeleton == NULL)
		return error_errno(err, -ENOMEM, "skeleton");
	skeleton->seed = stage->seed;
	stage->state = skeleton;
	return 0;
}

/* In the lane, after the last phase. Files that are left are removed by the engine. */
static void teardown(struct stage *stage)
{
	free(stage->state);
	stage->state = NULL;
}

static unsigned touch_workers(const struct stage *stage)
{
	return (unsigned)params_number(stage->params, SKELETON_THREADS);
}

/* Units of work of the whole phase, for progress and the time left. */
static uint64_t touch_total(const struct stage *stage)
{
	return params_number(stage->params, SKELETON_FILES);
}

/* In the worker, before the clock: memory and descriptors. No allocation later. */
static int touch_open(struct worker *worker)
{
	worker->local = calloc(1, sizeof(struct skeleton_local));
	return worker->local != NULL ? 0 : -ENOMEM;
}

/*
 * One unit of work, timed. Only op_*() enter the kernel, because they count, pause and can be
 * cancelled. A negative errno (-ECANCELED among them) is returned as it came; it ends the phase.
 * op_close always works, so nothing stays open. Say where you are before anything can fail.
 */
static int touch_step(struct worker *worker)
{
	struct skeleton_local *local = worker->local;
	uint64_t files = params_number(worker->params, SKELETON_FILES), n = worker->n_workers;
	char name[] = "w000";
	int fd, code;

	if (local->next >= files / n + (worker->index < files % n))
		return STEP_DONE;
	local->next++;
	worker_set_cursor(worker, worker->index);
	for (unsigned i = 3, rest = worker->index; i > 0; i--, rest /= 10)
		name[i] = (char)('0' + rest % 10);
	fd = op_openat(
	        worker, worker->scratch_fd, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0644);
	if (fd < 0)
		return fd;
	code = op_close(worker, fd);
	if (code == 0)
		code = op_unlinkat(worker, worker->scratch_fd, name);
	if (code != 0)
		return code;
	worker_add_work(worker, 1);
	return STEP_MORE;
}

/* In the worker, after the clock; also after an error, also when open failed half way. */
static void touch_close(struct worker *worker)
{
	free(worker->local);
	worker->local = NULL;
}

/* The path that a cursor means. Other threads call it while steps run: read nothing that moves. */
static void touch_describe(
        const void *state, unsigned worker, unsigned pass, uint64_t cursor, char *out, size_t size)
{
	(void)state;
	(void)worker;
	(void)pass;
	snprintf(out, size, "w%03u", (unsigned)cursor);
}

/* What a set needs on a file system, before anything is written. */
static int plan(const struct params *set, const struct cost_context *context, struct cost *cost,
        struct error *err)
{
	(void)context;
	(void)err;
	cost->files = cost->inodes = params_number(set, SKELETON_THREADS);
	cost->operations = 3 * params_number(set, SKELETON_FILES);
	return 0;
}

static const struct phase phase_table[] = {
	{
	        .name = "touch", /* the row */
	        .unit = "files", /* of the work */
	        .help = "make, close and remove a file",
	        /* Exactly the operations that steps use: each gets a histogram. */
	        .ops = OP_BIT(OP_OPENAT) | OP_BIT(OP_CLOSE) | OP_BIT(OP_UNLINK),
	        .reads = false,       /* true: made cold before each pass when asked for */
	        .writes = true,       /* the flush ends it */
	        .is_unranked = false, /* true: shown, never compared */
	        .is_enabled = NULL,   /* for phases that a parameter switches on */
	        .workers = touch_workers,
	        .passes = NULL, /* repetitions inside the phase; NULL: 1 */
	        .total = touch_total,
	        .distinct_bytes = NULL, /* of a phase that reads: to tell whether it was cold */
	        .prepare = NULL,        /* in the lane before each pass, untimed */
	        .open = touch_open,
	        .step = touch_step,
	        .run = NULL, /* instead of step: a phase that is one child process */
	        .close = touch_close,
	        .survey = NULL, /* of what lies there after the flush: how scattered it is */
	        .describe = touch_describe,
	},
};

extern const struct workload workload_skeleton;

const struct workload workload_skeleton = {
	.name = "skeleton",
	.help = "an example for those who write workloads",
	.params = param_table,
	.n_params = sizeof(param_table) / sizeof(param_table[0]),
	.phases = phase_table,
	.n_phases = sizeof(phase_table) / sizeof(phase_table[0]),
	.flush = FLUSH_NONE,  /* what ends a writing phase when the user does not say */
	.has_classic = false, /* true: a worker calls worker_mark_classic */
	.sets = NULL, /* splits lists into sets, and refuses what cannot work; NULL: one set */
	.plan = plan,
	.manifest = NULL, /* prints what would be made */
	.setup = setup,
	.teardown = teardown,
};
