/*
 * The table of mongo's phases and their totals. Totals are asked for in the lane while no worker
 * of it runs.
 */
#include "workloads/mongo_phases.h"

#include "workloads/mongo_walk.h"

/* Calls of each phase that a walk in readdir order adds. */
#define LISTING_OPS (OP_BIT(OP_GETDENTS) | OP_BIT(OP_STAT))
/* To go down and up again. */
#define WALK_OPS (OP_BIT(OP_OPENAT) | OP_BIT(OP_CLOSE))

#define OPEN_FUNCTION(name)                                                                        \
	static int name##_open(struct worker *worker)                                              \
	{                                                                                          \
		return mongo_walk_open(worker, &mongo_visit_##name);                               \
	}

OPEN_FUNCTION(create)
OPEN_FUNCTION(copy)
OPEN_FUNCTION(append)
OPEN_FUNCTION(modify)
OPEN_FUNCTION(overwrite)
OPEN_FUNCTION(slink)
OPEN_FUNCTION(read)
OPEN_FUNCTION(stats)
OPEN_FUNCTION(rename)
OPEN_FUNCTION(delete)

#define ENABLED_FUNCTION(name, index)                                                              \
	static bool name##_is_enabled(const struct params *params)                                 \
	{                                                                                          \
		return params_number(params, index) != 0;                                          \
	}

ENABLED_FUNCTION(append, MONGO_APPEND)
ENABLED_FUNCTION(modify, MONGO_MODIFY)
ENABLED_FUNCTION(overwrite, MONGO_OVERWRITE)

static unsigned count_workers(const struct stage *stage)
{
	return ((const struct mongo_state *)stage->state)->processes;
}

static unsigned count_passes(const struct stage *stage)
{
	return ((const struct mongo_state *)stage->state)->repetitions;
}

static uint64_t create_total(const struct stage *stage)
{
	const struct mongo_state *state = stage->state;

	return (uint64_t)mongo_state_n_trees(state) / 2 * state->tree.n_files;
}

/* Of what exists of every @step'th tree: @weigh adds it up. */
static uint64_t sum_trees(
        const struct stage *stage, unsigned step, uint64_t (*weigh)(const struct mongo_made *made))
{
	const struct mongo_state *state = stage->state;
	uint64_t sum = 0;

	for (unsigned i = 0; i < mongo_state_n_trees(state); i += step)
		sum += weigh(&state->made[i]);
	return sum;
}

static uint64_t weigh_files(const struct mongo_made *made)
{
	return made->files;
}

static uint64_t weigh_entries(const struct mongo_made *made)
{
	return (uint64_t)made->files + made->links + (made->dirs > 0 ? made->dirs - 1 : 0);
}

static uint64_t weigh_objects(const struct mongo_made *made)
{
	return (uint64_t)made->files + made->links + made->dirs;
}

/* The files of the first trees: copy, slink, rename, and the extra phases. */
static uint64_t source_total(const struct stage *stage)
{
	return sum_trees(stage, 2, weigh_files);
}

/* Each process does all trees in each repetition. */
static uint64_t read_total(const struct stage *stage)
{
	return sum_trees(stage, 1, weigh_files) * count_passes(stage) * count_workers(stage);
}

static uint64_t stats_total(const struct stage *stage)
{
	return sum_trees(stage, 1, weigh_entries) * count_passes(stage) * count_workers(stage);
}

/* An inode counts as so many bytes (struct phase). */
static uint64_t weigh_inodes(const struct mongo_made *made)
{
	return 128 * weigh_objects(made);
}

static uint64_t weigh_data(const struct mongo_made *made)
{
	return made->bytes + 128 * ((uint64_t)made->files + made->dirs);
}

static uint64_t read_distinct_bytes(const struct stage *stage)
{
	return sum_trees(stage, 1, weigh_data);
}

static uint64_t stats_distinct_bytes(const struct stage *stage)
{
	return sum_trees(stage, 1, weigh_inodes);
}

static uint64_t delete_total(const struct stage *stage)
{
	return sum_trees(stage, 1, weigh_objects);
}

#define PHASE_COMMON(verb)                                                                         \
	.name = #verb, .workers = count_workers, .passes = count_passes, .open = verb##_open,      \
	.step = mongo_walk_step, .close = mongo_walk_close, .describe = mongo_describe

/* append, modify and overwrite are not of the classic seven. */
const struct phase mongo_phases[MONGO_PHASES] = {
	{
	        PHASE_COMMON(create),
	        .unit = "files",
	        .help = "make a tree of directories and files",
	        .ops = WALK_OPS | OP_BIT(OP_MKDIR) | OP_BIT(OP_WRITE),
	        .writes = true,
	        .total = create_total,
	        .survey = mongo_survey_sources,
	},
	{
	        PHASE_COMMON(copy),
	        .unit = "files",
	        .help = "copy the tree to another by reads and writes of 4096 bytes",
	        .ops = WALK_OPS | OP_BIT(OP_MKDIR) | OP_BIT(OP_READ) | OP_BIT(OP_WRITE) |
	               LISTING_OPS,
	        .writes = true,
	        .total = source_total,
	        .survey = mongo_survey_copies,
	},
	{
	        PHASE_COMMON(append),
	        .unit = "files",
	        .help = "write up to a tenth of base_size to the end of each file of the tree",
	        .ops = WALK_OPS | OP_BIT(OP_WRITE) | LISTING_OPS,
	        .writes = true,
	        .is_enabled = append_is_enabled,
	        .total = source_total,
	},
	{
	        PHASE_COMMON(modify),
	        .unit = "files",
	        .help = "write one block of at most 4 KiB somewhere in each file of the tree",
	        .ops = WALK_OPS | OP_BIT(OP_PWRITE) | LISTING_OPS,
	        .writes = true,
	        .is_enabled = modify_is_enabled,
	        .total = source_total,
	},
	{
	        PHASE_COMMON(overwrite),
	        .unit = "files",
	        .help = "write each file of the tree anew, in its place and length",
	        .ops = WALK_OPS | OP_BIT(OP_WRITE) | LISTING_OPS,
	        .writes = true,
	        .is_enabled = overwrite_is_enabled,
	        .total = source_total,
	},
	{
	        PHASE_COMMON(slink),
	        .unit = "links",
	        .help = "make a symbolic link beside each file, lstat it and read it",
	        .ops = WALK_OPS | OP_BIT(OP_SYMLINK) | OP_BIT(OP_READLINK) | LISTING_OPS,
	        .writes = true,
	        .total = source_total,
	},
	{
	        PHASE_COMMON(read),
	        .unit = "files",
	        .help = "read the files of all trees, each process all of them",
	        .ops = WALK_OPS | OP_BIT(OP_READ) | LISTING_OPS,
	        .reads = true,
	        .total = read_total,
	        .distinct_bytes = read_distinct_bytes,
	},
	{
	        PHASE_COMMON(stats),
	        .unit = "entries",
	        .help = "list all directories and lstat each entry",
	        .ops = WALK_OPS | LISTING_OPS,
	        .reads = true,
	        .total = stats_total,
	        .distinct_bytes = stats_distinct_bytes,
	},
	{
	        PHASE_COMMON(rename),
	        .unit = "files",
	        .help = "rename each file X to X.r",
	        .ops = WALK_OPS | OP_BIT(OP_RENAME) | LISTING_OPS,
	        .writes = true,
	        .total = source_total,
	},
	{
	        PHASE_COMMON(delete),
	        .unit = "entries",
	        .help = "remove the tree, then its copy",
	        .ops = WALK_OPS | OP_BIT(OP_UNLINK) | OP_BIT(OP_RMDIR) | LISTING_OPS,
	        .writes = true,
	        .total = delete_total,
	},
};
