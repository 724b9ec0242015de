/*
 * The contract between the engine and a workload: a struct of tables and functions.
 *
 * The engine owns loop, barrier, clock, counting, pausing, rate limit, error policy, cancellation
 * and live parameters. A workload says what one *step* is (a file, a try, a chunk), and what its
 * phases, passes and totals are. workloads/skeleton.c is a documented example.
 *
 * Which thread calls what: setup, prepare, total, survey and teardown run in the target's lane
 * while no worker of it runs; open, step, close and run in a worker. sets, plan and manifest may
 * run in any thread and touch no target.
 */
#ifndef FSDERBY_WORKLOADS_WORKLOAD_H
#define FSDERBY_WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"
#include "core/params.h"
#include "engine/worker.h"

enum { WORKLOAD_SETS_MAX = 64, WORKLOAD_SET_NAME_MAX = 64 };

/* What a step returns besides a negative errno. */
enum { STEP_MORE = 0, STEP_DONE = 1 };

/* Which flush (the target's syncfs) ends a writing phase, where the user did not say. */
enum flush { FLUSH_DEFAULT, FLUSH_INSIDE, FLUSH_OUTSIDE, FLUSH_NONE };

/* One target x set x round of a workload, in its lane. Lives from setup to teardown. */
struct stage {
	const struct workload *workload;
	const struct params *params; /* of this set; a list that makes sets holds one item here */
	uint64_t seed;               /* the run's */
	unsigned round;              /* from 1 */
	unsigned block_bytes;        /* of the file system */
	int scratch_fd;              /* empty at setup; the engine removes what is left */
	void *state;                 /* the workload's own */
};

/* What one set will need on a file system. Fields are totals over one round. */
struct cost {
	uint64_t bytes;         /* peak space, rounded up to blocks */
	uint64_t inodes;        /* peak */
	uint64_t files;         /* peak number of files, directories and links */
	uint64_t traffic_bytes; /* read and written in all, for the time estimate */
	uint64_t operations;    /* about how many calls, for the time estimate */
};

/* Facts of the file system that a cost depends on. */
struct cost_context {
	unsigned block_bytes;
	const char *fs;        /* type */
	bool has_fixed_inodes; /* inodes are a table; else they take space as they are made */
};

/* What a phase left on the target, looked at while nothing is timed. */
struct survey {
	/* From the engine: asked before each file; false: stop and return -ECANCELED. */
	bool (*goes_on)(void *context);
	void *context;
	uint64_t files;          /* looked at */
	double extents_per_file; /* negative, as it comes: not known */
};

struct phase {
	const char *name; /* row of the table */
	const char *unit; /* of `work`: "files" */
	const char *help;
	uint64_t ops;     /* OP_BIT(…)s a step may use: only these may be called */
	bool reads;       /* meant to be cold before each pass when asked for */
	bool writes;      /* ends with the flush */
	bool is_unranked; /* shown, never compared (random's prepare) */

	/* NULL: always. A phase that is off is no row at all. */
	bool (*is_enabled)(const struct params *params);
	/* Worker threads and passes (repetitions); NULL: 1. Asked once, before the first pass. */
	unsigned (*workers)(const struct stage *stage);
	unsigned (*passes)(const struct stage *stage);
	/* Work of the whole phase over all passes and workers; 0: unknown. Asked again after a
	 * live change, with the new parameters. */
	uint64_t (*total)(const struct stage *stage);
	/* Bytes of data (and 128 an inode) that one pass reads at least once, for telling whether a
	 * cold pass was cold; NULL: not known. Descriptors must not be kept from pass to pass: a
	 * cold one comes after a remount. */
	uint64_t (*distinct_bytes)(const struct stage *stage);
	/* Before each pass, untimed. NULL: nothing to do. */
	int (*prepare)(struct stage *stage, unsigned pass, struct error *err);
	/* Each worker before the barrier, untimed (memory, descriptors); NULL: nothing to do. */
	int (*open)(struct worker *worker);
	/* One unit of work: STEP_MORE, STEP_DONE, or a negative errno that ends the phase. */
	int (*step)(struct worker *worker);
	/* Instead of step, for a phase that is one child process: called once a pass. */
	int (*run)(struct worker *worker);
	/* Each worker after its last step, untimed; also after an error or a failed open. */
	void (*close)(struct worker *worker);
	/* In the lane after the last pass and its flush, untimed, by plain system calls. An errno
	 * is
	 * no error of the phase: the figures are absent then. NULL: nothing to see. */
	int (*survey)(struct stage *stage, struct survey *survey);
	/* The path below the scratch directory that @cursor of a worker means. May be called by
	 * another thread while the phase runs, so it reads only what does not change in a phase. */
	void (*describe)(const void *state, unsigned worker, unsigned pass, uint64_t cursor,
	        char *out, size_t size);
};

struct workload {
	const char *name;
	const char *help;
	const struct param *params;
	unsigned n_params;
	const struct phase *phases;
	unsigned n_phases;
	enum flush flush;
	bool has_classic; /* results carry classic_s */

	/*
	 * Split @params into sets: @out[i] gets the parameters and @names[i] the set's name ("" for
	 * the only one). Returns the number of sets (at most @max) or a negative errno. NULL: one.
	 * Also the place to refuse combinations that cannot work.
	 */
	int (*sets)(const struct params *params, struct params *out,
	        char (*names)[WORKLOAD_SET_NAME_MAX], unsigned max, struct error *err);
	int (*plan)(const struct params *set, const struct cost_context *context, struct cost *cost,
	        struct error *err);
	/* Print what would be made, for checking without writing (mongo's tree). NULL: none. */
	int (*manifest)(const struct params *set, FILE *out, struct error *err);
	int (*setup)(struct stage *stage, struct error *err);
	void (*teardown)(struct stage *stage);
};

/* workloads/registry.c: the explicit list. */
const struct workload *workload_find(const char *name);
const struct workload *workload_at(unsigned index); /* NULL past the last */

#endif
