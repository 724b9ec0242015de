/*
 * The generator of mongo's tree. One draw serves sizes, files a directory and branching; each of
 * the three steps starts the generator anew. Any thread; owns nothing but what it returns.
 */
#include "workloads/mongo_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/text.h"

/* The original's fixed parameters. */
#define FILE_SIZE_MAX    1e6
#define DIR_FILES_MEDIAN 100.0
#define DIR_FILES_MAX    1e4
#define BRANCH_MEDIAN    0.0
#define BRANCH_MAX       1.0

/* P(value <= s) is about s / (s + m): a median of m - 1 and a tail like 1/s. */
struct draw {
	double m, q, grain;
	uint32_t limit; /* the random number is taken modulo this */
};

/* Directories while they are found. */
struct dir_list {
	uint32_t *files;
	uint32_t n, room;
};

/* What is left to build: directories first … first + n - 1, the first one below @parent. */
struct slice {
	uint32_t first, n, parent, level;
	size_t path; /* bytes of the parent's path */
};

struct slice_stack {
	struct slice *items;
	size_t n, room;
};

static const char *const out_of_memory = "plan of the mongo tree";

/* False: the random number would be taken modulo 0. */
static bool draw_init(struct draw *draw, double median, double max)
{
	double limit;

	draw->m = median + 1;
	draw->q = max / draw->m;
	draw->grain = draw->q < 1024 ? 1048576 : 1;
	limit = draw->grain * draw->q;
	draw->limit = (uint32_t)limit;
	return draw->limit > 0;
}

/* The next value. Binary64 and truncation as in the original; every step of it matters. */
static double draw_next(const struct draw *draw, struct glibc_random *random)
{
	double x = (double)(glibc_random_next(random) % draw->limit) / draw->grain;
	double u = x / draw->q;

	return draw->m * (1 / (1 - u) - 1);
}

/* The same cut to a whole number that fits. */
static uint32_t draw_number(const struct draw *draw, struct glibc_random *random)
{
	double value = draw_next(draw, random);

	return value >= MONGO_SIZE_MAX ? MONGO_SIZE_MAX : (uint32_t)value;
}

uint64_t mongo_tree_default_bytes(uint64_t base_size)
{
	return base_size <= 100 ? UINT64_C(52428800) : UINT64_C(104857600);
}

int mongo_tree_check(const struct mongo_tree_params *params, struct error *err)
{
	struct draw draw;

	if (!draw_init(&draw, (double)params->base_size, FILE_SIZE_MAX))
		return error_set(err, -EINVAL,
		        "mongo.base_size=%" PRIu64 " is too large: sizes are drawn up to 1,000,000 "
		        "bytes over the median, and nothing is left to draw from",
		        params->base_size);
	if (draw.limit == 1)
		return error_set(err, -EINVAL,
		        "mongo.base_size=%" PRIu64 " is too large: every file would be empty",
		        params->base_size);
	return 0;
}

/* Step 1: how many files until their sum reaches the bytes. */
static int count_files(const struct mongo_tree_params *params, const struct draw *draw,
        uint32_t *n_files, struct error *err)
{
	uint64_t bytes =
	        params->bytes != 0 ? params->bytes : mongo_tree_default_bytes(params->base_size);
	uint64_t sum = 0;
	struct glibc_random random;
	uint32_t n;

	glibc_random_init(&random, params->seed);
	for (n = 0; sum < bytes && n < MONGO_FILES_MAX; n++)
		sum += draw_number(draw, &random);
	if (sum < bytes)
		return error_set(err, -EFBIG,
		        "mongo.base_size=%" PRIu64 " and bytes=%" PRIu64
		        " need more than %d files a tree; make bytes smaller or base_size larger",
		        params->base_size, bytes, MONGO_FILES_MAX);
	*n_files = n;
	return 0;
}

static int dir_list_add(struct dir_list *list, uint32_t files)
{
	if (list->n == list->room) {
		uint32_t room = list->room != 0 ? list->room * 2 : 256;
		uint32_t *grown = realloc(list->files, room * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		list->files = grown;
		list->room = room;
	}
	list->files[list->n++] = files;
	return 0;
}

/* Step 2: files a directory, until all are placed. */
static int list_dirs(struct dir_list *list, uint32_t n_files, uint32_t seed)
{
	struct glibc_random random;
	struct draw draw;
	int code = 0;

	draw_init(&draw, DIR_FILES_MEDIAN, DIR_FILES_MAX);
	glibc_random_init(&random, seed);
	while (n_files > 0 && code == 0) {
		uint32_t files = draw_number(&draw, &random);

		if (files == 0)
			files = 1;
		if (files > n_files)
			files = n_files;
		n_files -= files;
		code = dir_list_add(list, files);
	}
	return code;
}

static int slice_push(struct slice_stack *stack, struct slice slice)
{
	if (stack->n == stack->room) {
		size_t room = stack->room != 0 ? stack->room * 2 : 64;
		struct slice *grown = realloc(stack->items, room * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		stack->items = grown;
		stack->room = room;
	}
	stack->items[stack->n++] = slice;
	return 0;
}

/*
 * Step 3b to 3d for one directory: share the rest of its slice out to slots. Only the lengths are
 * drawn, the sub-slices lie one behind the other. @counts has a zero for each possible slot, and
 * has them again afterwards.
 */
static int split_slice(struct slice_stack *stack, struct slice slice, uint32_t slots,
        uint32_t *counts, struct glibc_random *random)
{
	uint32_t rest = slice.n - 1, end = slice.first + slice.n;
	int code = 0;

	if (rest == 0)
		return 0;
	for (uint32_t i = 0; i < rest; i++)
		counts[glibc_random_next(random) % slots]++;
	/* The last one first, so that the first lies on top of the stack. */
	for (uint32_t slot = slots; slot-- > 0;) {
		uint32_t n = counts[slot];

		counts[slot] = 0;
		if (n == 0 || code != 0)
			continue;
		end -= n;
		code = slice_push(
		        stack, (struct slice){ end, n, slice.first, slice.level + 1, slice.path });
	}
	return code;
}

/* Step 3a: the files of directory @dir and their sizes. */
static void draw_files(
        struct mongo_tree *tree, uint32_t dir, const struct draw *draw, struct glibc_random *random)
{
	for (uint32_t i = tree->first_file[dir]; i < tree->first_file[dir + 1]; i++) {
		double value = draw_next(draw, random);

		if (value >= MONGO_SIZE_MAX + 1.0) {
			value = MONGO_SIZE_MAX;
			tree->n_clamped++;
		}
		tree->sizes[i] = (uint32_t)value;
		tree->bytes += tree->sizes[i];
	}
}

/* The directory at the head of a slice. */
static void note_dir(struct mongo_tree *tree, struct slice *slice)
{
	char name[MONGO_NAME_MAX];
	size_t name_length = mongo_print_number(name, tree->n_files) + 1;

	slice->path += mongo_level_length(slice->first);
	tree->parent[slice->first] = slice->parent;
	if (slice->level > tree->depth)
		tree->depth = slice->level;
	if (slice->path + name_length > tree->path_max)
		tree->path_max = slice->path + name_length;
}

/* Step 3: depth first. A slice begins with its own directory, so they come in list order. */
static int build(struct mongo_tree *tree, const struct draw *sizes, uint32_t seed)
{
	struct slice_stack stack = { 0 };
	struct glibc_random random;
	struct draw branch;
	uint32_t *counts;
	int code;

	draw_init(&branch, BRANCH_MEDIAN, BRANCH_MAX);
	counts = calloc((size_t)branch.limit + 1, sizeof(*counts));
	glibc_random_init(&random, seed);
	code = counts == NULL ? -ENOMEM
	                      : slice_push(&stack, (struct slice){ 0, tree->n_dirs, 0, 1, 0 });
	while (stack.n > 0 && code == 0) {
		struct slice slice = stack.items[--stack.n];
		uint32_t slots;

		note_dir(tree, &slice);
		draw_files(tree, slice.first, sizes, &random);
		slots = draw_number(&branch, &random) + 1;
		code = split_slice(&stack, slice, slots, counts, &random);
	}
	free(stack.items);
	free(counts);
	return code;
}

static int allocate(struct mongo_tree *tree, const struct dir_list *list)
{
	tree->n_dirs = list->n;
	tree->sizes = malloc(tree->n_files * sizeof(*tree->sizes));
	tree->first_file = malloc((list->n + (size_t)1) * sizeof(*tree->first_file));
	tree->parent = malloc(list->n * sizeof(*tree->parent));
	if (tree->sizes == NULL || tree->first_file == NULL || tree->parent == NULL)
		return -ENOMEM;
	tree->first_file[0] = 0;
	for (uint32_t i = 0; i < list->n; i++)
		tree->first_file[i + 1] = tree->first_file[i] + list->files[i];
	return 0;
}

int mongo_tree_init(
        struct mongo_tree *tree, const struct mongo_tree_params *params, struct error *err)
{
	struct dir_list list = { 0 };
	struct draw draw;
	int code;

	memset(tree, 0, sizeof(*tree));
	code = mongo_tree_check(params, err);
	if (code != 0)
		return code;
	draw_init(&draw, (double)params->base_size, FILE_SIZE_MAX);
	code = count_files(params, &draw, &tree->n_files, err);
	if (code != 0)
		return code;
	code = list_dirs(&list, tree->n_files, params->seed);
	if (code == 0)
		code = allocate(tree, &list);
	if (code == 0)
		code = build(tree, &draw, params->seed);
	free(list.files);
	if (code != 0)
		error_errno(err, code, "%s", out_of_memory);
	else if (tree->depth > MONGO_DEPTH_MAX)
		code = error_set(err, -EFBIG,
		        "mongo.base_size=%" PRIu64
		        ": the tree of seed %u is %u levels deep, at most %d "
		        "can be walked; use another mongo.seed",
		        params->base_size, (unsigned)params->seed, tree->depth, MONGO_DEPTH_MAX);
	if (code != 0)
		mongo_tree_release(tree);
	return code;
}

void mongo_tree_release(struct mongo_tree *tree)
{
	free(tree->sizes);
	free(tree->first_file);
	free(tree->parent);
	memset(tree, 0, sizeof(*tree));
}

uint32_t mongo_tree_dir_of(const struct mongo_tree *tree, uint32_t number)
{
	uint32_t low = 0, high = tree->n_dirs;

	/* first_file[low] < number <= first_file[high] */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (tree->first_file[middle] < number)
			low = middle;
		else
			high = middle;
	}
	return low;
}
