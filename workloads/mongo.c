/*
 * mongo: the Namesys benchmark as it was run in 2001. Parameters, sets, the cost of a set, and the
 * state that its phases share. sets, plan and manifest may run in any thread, setup and teardown in
 * the lane.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "workloads/mongo_phases.h"
#include "workloads/mongo_walk.h"

enum { CONTENT_RANDOM, CONTENT_A };
enum { ORDER_CREATION, ORDER_READDIR };

enum {
	/* A link's text up to here lies in the inode (ext4's 60 bytes with the NUL). */
	INLINE_TEXT_MAX = 59,
	DYNAMIC_INODE_BYTES = 512, /* where inodes are made as needed: XFS's default */
	/* A raw record of getdents64 for the longest of our names. */
	LISTING_RECORD = 40,
	TREES_MAX = 4096, /* numbers of trees in a stamp of data */
};

static const struct param param_table[] = {
	[MONGO_BASE_SIZE] = { "base_size", PARAM_COUNT_LIST, PARAM_NEXT_RUN,
	        "100,1000,10000,100000", 1, 2e12, NULL, NULL, "bytes",
	        "median size of a file; the mean is far larger (775, 9910, 83610, 495266); one set "
	        "each" },
	[MONGO_BYTES] = { "bytes", PARAM_SIZE, PARAM_NEXT_RUN, "auto", 1, 1e15, "auto", NULL,
	        "bytes",
	        "size of a tree; auto is the original's: 50M up to base_size 100, else 100M" },
	[MONGO_REPETITIONS] = { "repetitions", PARAM_COUNT, PARAM_NEXT_RUN, "3", 1, 100, NULL, NULL,
	        "repetitions", "how often each phase runs, on trees of its own" },
	[MONGO_PROCESSES] = { "processes", PARAM_COUNT_LIST, PARAM_NEXT_RUN, "1", 1, 512, NULL,
	        NULL, "processes", "workers at once, each with trees of full size; one set each" },
	[MONGO_SEED] = { "seed", PARAM_COUNT, PARAM_NEXT_RUN, "1", 0, 2147483647, NULL, NULL, "",
	        "of the trees; another seed is another workload" },
	[MONGO_CONTENT] = { "content", PARAM_CHOICE, PARAM_NEXT_RUN, "random", 0, 0, NULL,
	        "random|a", "", "bytes of the files: incompressible, or the original's letter" },
	[MONGO_ORDER] = { "order", PARAM_CHOICE, PARAM_NEXT_RUN, "creation", 0, 0, NULL,
	        "creation|readdir", "",
	        "of the objects: the same everywhere, or as the directory lists them" },
	[MONGO_APPEND] = { "append", PARAM_CHOICE, PARAM_NEXT_RUN, "no", 0, 0, NULL, "no|yes", "",
	        "an extra phase: make each file of the first tree longer" },
	[MONGO_MODIFY] = { "modify", PARAM_CHOICE, PARAM_NEXT_RUN, "no", 0, 0, NULL, "no|yes", "",
	        "an extra phase: change one block of each file of the first tree" },
	[MONGO_OVERWRITE] = { "overwrite", PARAM_CHOICE, PARAM_NEXT_RUN, "no", 0, 0, NULL, "no|yes",
	        "", "an extra phase: write each file of the first tree anew" },
	[MONGO_RATE] = { "rate", PARAM_COUNT, PARAM_NOW, "none", 1, 1e9, "none", NULL, "units/s",
	        "limit for all processes of a target, in the phase's unit of work" },
};

static uint64_t list_item(const struct params *set, unsigned index)
{
	return set->values[index].list.items[0];
}

static struct mongo_tree_params tree_params(const struct params *set)
{
	return (struct mongo_tree_params){
		.base_size = list_item(set, MONGO_BASE_SIZE),
		.bytes = params_number(set, MONGO_BYTES),
		.seed = (uint32_t)params_number(set, MONGO_SEED),
	};
}

/* Bytes that append adds to a file at most; 0: it is off. */
static uint32_t append_max(const struct params *set)
{
	uint64_t tenth = list_item(set, MONGO_BASE_SIZE) / 10;

	if (params_number(set, MONGO_APPEND) == 0)
		return 0;
	return tenth < 1 ? 1 : tenth > MONGO_SIZE_MAX ? MONGO_SIZE_MAX : (uint32_t)tenth;
}

static void set_item(struct params *set, unsigned index, uint64_t value)
{
	set->values[index].list.n = 1;
	set->values[index].list.items[0] = value;
}

static int check_set(const struct params *set, struct error *err)
{
	struct mongo_tree_params tree = tree_params(set);
	uint64_t processes = list_item(set, MONGO_PROCESSES);
	uint64_t repetitions = params_number(set, MONGO_REPETITIONS);

	if (2 * processes * repetitions > TREES_MAX)
		return error_set(err, -EINVAL,
		        "mongo.repetitions=%" PRIu64 " with processes=%" PRIu64
		        " makes more than %d trees; make one of them smaller",
		        repetitions, processes, TREES_MAX);
	return mongo_tree_check(&tree, err);
}

static void print_set_name(const struct params *set, char *out)
{
	uint64_t processes = list_item(set, MONGO_PROCESSES);
	int length = snprintf(
	        out, WORKLOAD_SET_NAME_MAX, "base_size=%" PRIu64, list_item(set, MONGO_BASE_SIZE));

	if (processes > 1)
		snprintf(out + length, (size_t)(WORKLOAD_SET_NAME_MAX - length),
		        " processes=%" PRIu64, processes);
}

static int make_sets(const struct params *params, struct params *out,
        char (*names)[WORKLOAD_SET_NAME_MAX], unsigned max, struct error *err)
{
	const struct param_value *bases = &params->values[MONGO_BASE_SIZE];
	const struct param_value *processes = &params->values[MONGO_PROCESSES];
	unsigned n = bases->list.n * processes->list.n;
	struct params all = *params; /* @out may be the very same block */
	int code = 0;

	if (n > max)
		return error_set(err, -EINVAL,
		        "mongo: base_size and processes make %u sets, %u are possible", n, max);
	bases = &all.values[MONGO_BASE_SIZE];
	processes = &all.values[MONGO_PROCESSES];
	for (unsigned i = 0; i < n && code == 0; i++) {
		out[i] = all;
		set_item(&out[i], MONGO_PROCESSES, processes->list.items[i / bases->list.n]);
		set_item(&out[i], MONGO_BASE_SIZE, bases->list.items[i % bases->list.n]);
		print_set_name(&out[i], names[i]);
		code = check_set(&out[i], err);
	}
	return code != 0 ? code : (int)n;
}

/* Bytes of one tree's links: those with a long text take a block. */
static uint64_t link_bytes(const struct mongo_tree *tree, uint64_t block)
{
	static const char prefix[] = "/mnt/testdir1-0-0/";
	char path[INLINE_TEXT_MAX + 1], name[MONGO_NAME_MAX];
	uint64_t n = 0;

	for (uint32_t dir = 0; dir < tree->n_dirs; dir++) {
		size_t above =
		        sizeof(prefix) - 1 + mongo_tree_print_dir(tree, dir, path, sizeof(path));
		uint32_t first = tree->first_file[dir] + 1, last = tree->first_file[dir + 1];

		if (above + mongo_print_number(name, last) <= INLINE_TEXT_MAX)
			continue;
		for (uint32_t number = first; number <= last; number++)
			n += above + mongo_print_number(name, number) > INLINE_TEXT_MAX;
	}
	return n * block;
}

/* What an inode takes from the free space, where inodes are not a table of their own. */
static uint64_t inode_bytes(const struct cost_context *context)
{
	if (context->has_fixed_inodes)
		return 0;
	return context->fs != NULL && strcmp(context->fs, "btrfs") == 0 ? 2 * DYNAMIC_INODE_BYTES
	                                                                : DYNAMIC_INODE_BYTES;
}

/* About how many calls, and bytes read and written, over all phases. */
static void plan_traffic(const struct mongo_tree *tree, uint64_t pairs, struct cost *cost)
{
	uint64_t files = tree->n_files, dirs = tree->n_dirs, writes = 0, blocks = 0;
	uint64_t walks = 2 * pairs * pairs; /* R * P times all 2 * R * P trees */

	for (uint32_t i = 0; i < tree->n_files; i++) {
		writes += (tree->sizes[i] + MONGO_WRITE_BYTES - 1) / MONGO_WRITE_BYTES;
		blocks += tree->sizes[i] / MONGO_IO_BYTES + 1;
	}
	cost->traffic_bytes = (3 * pairs + walks) * tree->bytes;
	/* create, copy, slink, rename, delete; then read and stats */
	cost->operations =
	        pairs * ((3 * dirs + 2 * files + writes) + (5 * dirs + 4 * files + 2 * blocks) +
	                        (2 * dirs + 3 * files) + (2 * dirs + files) +
	                        (6 * dirs + 3 * files)) +
	        walks * (2 * dirs + 2 * files + blocks) + walks * (5 * dirs + files) +
	        pairs * pairs * files;
}

/*
 * What the extra phases need and move, as if append drew its most for each file. One that rewrites
 * frees what was there, at once or (btrfs) with the next commit: that is not added.
 */
static void plan_extras(const struct params *set, const struct mongo_tree *tree, uint64_t pairs,
        uint64_t block, struct cost *cost)
{
	uint64_t append = append_max(set), files = tree->n_files, dirs = 2 * tree->n_dirs;
	uint64_t grown = mongo_tree_block_bytes(tree, append, block);

	if (append > 0) {
		uint64_t writes = (append + MONGO_WRITE_BYTES - 1) / MONGO_WRITE_BYTES;

		cost->bytes += pairs * (grown - mongo_tree_block_bytes(tree, 0, block));
		/* append itself, and read, which each process does for all trees */
		cost->traffic_bytes += (pairs + pairs * pairs) * files * append;
		cost->operations += pairs * (dirs + (2 + writes) * files);
	}
	if (params_number(set, MONGO_MODIFY) != 0) {
		cost->traffic_bytes += pairs * files * MONGO_IO_BYTES;
		cost->operations += pairs * (dirs + 3 * files);
	}
	if (params_number(set, MONGO_OVERWRITE) != 0) {
		uint64_t bytes = tree->bytes + files * append;

		cost->traffic_bytes += pairs * bytes;
		cost->operations += pairs * (dirs + 3 * files + bytes / MONGO_WRITE_BYTES);
	}
}

static int plan_set(const struct params *set, const struct cost_context *context, struct cost *cost,
        struct error *err)
{
	struct mongo_tree_params params = tree_params(set);
	uint64_t block = context->block_bytes != 0 ? context->block_bytes : 4096;
	uint64_t pairs = params_number(set, MONGO_REPETITIONS) * list_item(set, MONGO_PROCESSES);
	struct mongo_tree tree;
	int code = mongo_tree_init(&tree, &params, err);

	if (code != 0)
		return code;
	cost->files = 3 * pairs * tree.n_files + 2 * pairs * tree.n_dirs;
	cost->inodes = cost->files;
	cost->bytes = pairs * (2 * mongo_tree_block_bytes(&tree, 0, block) +
	                              link_bytes(&tree, block) + 2 * tree.n_dirs * block);
	cost->bytes += cost->inodes * inode_bytes(context);
	plan_traffic(&tree, pairs, cost);
	plan_extras(set, &tree, pairs, block, cost);
	if (tree.n_clamped > 0)
		error_set(err, 0,
		        "mongo.base_size=%" PRIu64 ": %u sizes were cut to 2,147,483,647 bytes",
		        params.base_size, (unsigned)tree.n_clamped);
	mongo_tree_release(&tree);
	return 0;
}

static int print_manifest(const struct params *set, FILE *out, struct error *err)
{
	struct mongo_tree_params params = tree_params(set);
	struct mongo_tree tree;
	int code = mongo_tree_init(&tree, &params, err);

	if (code != 0)
		return code;
	code = mongo_tree_print_manifest(&tree, out);
	mongo_tree_release(&tree);
	return code == 0 ? 0 : error_errno(err, code, "manifest");
}

static void state_free(struct mongo_state *state)
{
	mongo_tree_release(&state->tree);
	free(state->made);
	free(state);
}

static int setup(struct stage *stage, struct error *err)
{
	const struct params *set = stage->params;
	struct mongo_tree_params params = tree_params(set);
	struct mongo_state *state = calloc(1, sizeof(*state));
	size_t made_bytes;
	int code;

	if (state == NULL)
		return error_errno(err, -ENOMEM, "mongo");
	state->repetitions = (unsigned)params_number(set, MONGO_REPETITIONS);
	state->processes = (unsigned)list_item(set, MONGO_PROCESSES);
	state->seed = stage->seed;
	state->append_max = append_max(set);
	state->is_constant = params_number(set, MONGO_CONTENT) == CONTENT_A;
	state->is_by_readdir = params_number(set, MONGO_ORDER) == ORDER_READDIR;
	code = mongo_tree_init(&state->tree, &params, err);
	made_bytes = mongo_state_n_trees(state) * sizeof(*state->made);
	state->made = aligned_alloc(_Alignof(struct mongo_made), made_bytes);
	if (code == 0)
		state->listing_bytes = mongo_tree_listing_bytes(&state->tree, LISTING_RECORD);
	if (code == 0 && (state->made == NULL || state->listing_bytes == 0))
		code = error_errno(err, -ENOMEM, "mongo");
	if (code != 0) {
		state_free(state);
		return code;
	}
	assert(state->made != NULL);
	memset(state->made, 0, made_bytes);
	stage->state = state;
	return 0;
}

static void teardown(struct stage *stage)
{
	if (stage->state != NULL)
		state_free(stage->state);
	stage->state = NULL;
}

extern const struct workload workload_mongo;

const struct workload workload_mongo = {
	.name = "mongo",
	.help = "Namesys 2001: make, copy, link, read, stat, rename and delete trees of small "
	        "files",
	.params = param_table,
	.n_params = sizeof(param_table) / sizeof(param_table[0]),
	.phases = mongo_phases,
	.n_phases = MONGO_PHASES,
	.flush = FLUSH_OUTSIDE,
	.has_classic = true,
	.sets = make_sets,
	.plan = plan_set,
	.manifest = print_manifest,
	.setup = setup,
	.teardown = teardown,
};
