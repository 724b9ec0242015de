/*
 * mongo's extra phases (append, modify, overwrite): counts of calls, sizes, which bytes they change
 * and which not; trees of which only a part was appended to; what is asked of a cold pass, and the
 * survey of extents.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mini_engine.h"
#include "workloads/mongo_walk.h"

void suite_mongo_changes(void);

enum { DATA_MAX = 4 << 20, BLOCK = 4096, PAIRS = 4, APPEND_MAX = 100 };

static const char *const later_phases[] = { "modify", "overwrite", "slink", "read", "stats",
	"rename", "delete" };

static const struct workload *mongo(void)
{
	return workload_find("mongo");
}

static bool begin(struct mini_stage *mini, const char *order)
{
	return mini_stage_init(mini, mongo(), "base_size=1000", "bytes=2000000", "repetitions=2",
	        "processes=2", "append=yes", "modify=yes", "overwrite=yes", order, NULL);
}

static const struct mongo_state *state_of(const struct mini_stage *mini)
{
	return mini->stage.state;
}

static struct mini_totals run(struct mini_stage *mini, const char *phase)
{
	struct mini_totals totals = { 0 };

	CU_ASSERT_EQUAL(mini_run_phase(&mini->stage, mini_find_phase(mongo(), phase), &totals), 0);
	CU_ASSERT_EQUAL(totals.work, totals.total);
	CU_ASSERT_EQUAL(totals.open_files, 0);
	return totals;
}

static void run_later(struct mini_stage *mini)
{
	for (size_t i = 0; i < sizeof(later_phases) / sizeof(later_phases[0]); i++)
		CU_ASSERT(run(mini, later_phases[i]).work > 0);
}

/* File @number of a tree into @data; its size. */
static size_t load(
        const struct mini_stage *mini, unsigned tree, uint32_t number, char data[DATA_MAX])
{
	char below[128], path[256];
	FILE *file;
	size_t size;

	mini_find_phase(mongo(), "create")
	        ->describe(state_of(mini), 0, 0, mongo_cursor(tree, MONGO_FILE, number), below,
	                sizeof(below));
	snprintf(path, sizeof(path), "%s/%s", mini->directory, below);
	file = fopen(path, "r");
	if (file == NULL)
		return 0;
	size = fread(data, 1, DATA_MAX, file);
	fclose(file);
	return size;
}

/* The bytes from the first to the last in which @a and @b differ. */
static size_t differing(const char *a, const char *b, size_t size)
{
	size_t first = 0, end = size;

	while (first < size && a[first] == b[first])
		first++;
	while (end > first && a[end - 1] == b[end - 1])
		end--;
	return end - first;
}

/* Sums over the planned files of one tree. */
struct expected {
	uint64_t n, d;
	uint64_t append_bytes, append_writes, modify_bytes, overwrite_writes, bytes;
};

static struct expected expect(const struct mini_stage *mini)
{
	const struct mongo_state *state = state_of(mini);
	const struct mongo_tree *tree = &state->tree;
	struct expected e = { .n = tree->n_files, .d = tree->n_dirs };

	for (uint32_t i = 0; i < tree->n_files; i++) {
		uint64_t append = mongo_state_append_size(state, i + 1);
		uint64_t size = tree->sizes[i] + append;

		CU_ASSERT(append >= 1 && append <= APPEND_MAX);
		e.append_bytes += append;
		e.append_writes += 1; /* 100 bytes at most */
		e.modify_bytes += size < BLOCK ? size : BLOCK;
		e.overwrite_writes += (size + 4094) / 4095;
		e.bytes += size;
	}
	return e;
}

static void check_calls(const struct mini_totals *totals, enum op_kind kind, uint64_t count)
{
	CU_ASSERT_EQUAL(totals->count[kind], count);
	CU_ASSERT_EQUAL(totals->errors[kind], 0);
}

static void check_walk(const struct mini_totals *totals, const struct expected *e)
{
	CU_ASSERT_EQUAL(totals->work, PAIRS * e->n);
	check_calls(totals, OP_OPENAT, PAIRS * (e->n + e->d));
	check_calls(totals, OP_CLOSE, PAIRS * (e->n + e->d));
	check_calls(totals, OP_STAT, 0);
}

static void check_append(struct mini_stage *mini, char *now, char *before)
{
	const struct mongo_state *state = state_of(mini);
	struct expected e = expect(mini);
	struct mini_totals totals = run(mini, "append");
	uint64_t most = 0;

	check_walk(&totals, &e);
	check_calls(&totals, OP_WRITE, PAIRS * e.append_writes);
	CU_ASSERT_EQUAL(totals.bytes[OP_WRITE], PAIRS * e.append_bytes);
	/* Drawn: neither all the same nor all small. */
	CU_ASSERT(e.append_bytes > 30 * e.n && e.append_bytes < 70 * e.n);
	for (unsigned tree = 0; tree < 2 * PAIRS; tree += 2)
		for (uint32_t number = 1; number <= e.n; number++) {
			size_t size = load(mini, tree, number, now);
			size_t old = load(mini, tree + 1, number, before);
			uint64_t known = 0;

			CU_ASSERT_EQUAL(old, state->tree.sizes[number - 1]);
			CU_ASSERT_EQUAL(size, old + mongo_state_append_size(state, number));
			CU_ASSERT_EQUAL(memcmp(now, before, old), 0);
			known = size - old;
			most = known > most ? known : most;
		}
	CU_ASSERT(most > APPEND_MAX * 9 / 10);
}

/* The copies are as before; the first trees differ from them by a block, or wholly. */
static void check_content(struct mini_stage *mini, bool is_whole, char *now, char *before)
{
	const struct mongo_state *state = state_of(mini);
	unsigned n_at_start = 0, n_long = 0;

	for (unsigned tree = 0; tree < 2 * PAIRS; tree += 2)
		for (uint32_t number = 1; number <= state->tree.n_files; number++) {
			size_t size = load(mini, tree, number, now);
			size_t old = load(mini, tree + 1, number, before);
			size_t differs = differing(now, before, old);

			CU_ASSERT_EQUAL(size, old + mongo_state_append_size(state, number));
			CU_ASSERT(is_whole ? old < 64 || differs > old - 16 : differs <= BLOCK);
			n_long += old > 3 * BLOCK;
			n_at_start += old > 3 * BLOCK && memcmp(now, before, BLOCK) != 0;
		}
	CU_ASSERT(n_long > 0);
	CU_ASSERT(is_whole ? n_at_start == n_long : n_at_start < n_long);
}

static void check_extras(struct mini_stage *mini, char *now, char *before)
{
	struct expected e = expect(mini);
	struct mini_totals totals;

	check_append(mini, now, before);
	totals = run(mini, "modify");
	check_walk(&totals, &e);
	check_calls(&totals, OP_PWRITE, PAIRS * e.n);
	CU_ASSERT_EQUAL(totals.bytes[OP_PWRITE], PAIRS * e.modify_bytes);
	check_content(mini, false, now, before);
	totals = run(mini, "overwrite");
	check_walk(&totals, &e);
	check_calls(&totals, OP_WRITE, PAIRS * e.overwrite_writes);
	CU_ASSERT_EQUAL(totals.bytes[OP_WRITE], PAIRS * e.bytes);
	check_content(mini, true, now, before);
	totals = run(mini, "read");
	/* 2 repetitions x 2 processes read all trees */
	CU_ASSERT_EQUAL(totals.bytes[OP_READ],
	        4 * PAIRS * (2 * state_of(mini)->tree.bytes + e.append_bytes));
}

static void test_counts(void)
{
	char *now = malloc(DATA_MAX), *before = malloc(DATA_MAX);
	struct mini_stage mini;

	CU_ASSERT_FATAL(now != NULL && before != NULL);
	if (begin(&mini, "order=creation")) {
		run(&mini, "create");
		run(&mini, "copy");
		check_extras(&mini, now, before);
		mini_stage_release(&mini);
	}
	free(now);
	free(before);
}

/* Empty files: modify opens and closes them, overwrite too. */
static void test_empty_files(void)
{
	struct mini_totals totals;
	struct mini_stage mini;
	uint64_t n_empty = 0;

	if (!mini_stage_init(&mini, mongo(), "base_size=2", "bytes=3000", "repetitions=1", NULL))
		return;
	for (uint32_t i = 0; i < state_of(&mini)->tree.n_files; i++)
		n_empty += state_of(&mini)->tree.sizes[i] == 0;
	CU_ASSERT(n_empty > 10);
	run(&mini, "create");
	totals = run(&mini, "modify");
	CU_ASSERT_EQUAL(totals.count[OP_PWRITE], totals.work - n_empty);
	totals = run(&mini, "overwrite");
	CU_ASSERT_EQUAL(totals.bytes[OP_WRITE], state_of(&mini)->tree.bytes);
	run(&mini, "read");
	mini_stage_release(&mini);
}

/* Both orders: after a limit of some steps the later phases work on what there is. */
static void check_limit(const char *phase, const char *order, uint64_t steps)
{
	struct mini_totals totals = { .max_steps = steps };
	struct mini_stage mini;

	if (!begin(&mini, order))
		return;
	run(&mini, "create");
	run(&mini, "copy");
	CU_ASSERT_EQUAL(mini_run_phase(&mini.stage, mini_find_phase(mongo(), phase), &totals), 0);
	CU_ASSERT(totals.work > 0 && totals.work < totals.total);
	run_later(&mini);
	mini_stage_release(&mini);
}

/* Cancelled within a file: its length is asked for, and nobody trips over it. */
static void check_cut(const char *order)
{
	struct mini_totals totals = {
		.rules = { { .kind = OP_WRITE, .skip = 9, .times = 1, .length = 1 },
		        { .kind = OP_WRITE, .skip = 10, .code = -ECANCELED } }
	};
	struct mini_stage mini;

	if (!begin(&mini, order))
		return;
	run(&mini, "create");
	run(&mini, "copy");
	CU_ASSERT_EQUAL(mini_run_phase(&mini.stage, mini_find_phase(mongo(), "append"), &totals),
	        -ECANCELED);
	CU_ASSERT_EQUAL(totals.work, 9);
	CU_ASSERT(run(&mini, "modify").count[OP_STAT] >= state_of(&mini)->tree.n_files);
	run_later(&mini);
	mini_stage_release(&mini);
}

static void test_partial(void)
{
	static const char *const orders[] = { "order=creation", "order=readdir" };

	for (unsigned i = 0; i < 2; i++) {
		check_limit("append", orders[i], 7);
		check_limit("append", orders[i], 100);
		check_limit("modify", orders[i], 7);
		check_limit("overwrite", orders[i], 100);
		check_cut(orders[i]);
	}
}

/* A short write in a block that exists is told like any other. */
static void test_short_block(void)
{
	struct mini_totals totals = {
		.rules = { { .kind = OP_PWRITE, .skip = 3, .times = 1, .length = 1 } }
	};
	struct mini_stage mini;

	if (!begin(&mini, "order=creation"))
		return;
	run(&mini, "create");
	CU_ASSERT_EQUAL(
	        mini_run_phase(&mini.stage, mini_find_phase(mongo(), "modify"), &totals), -EIO);
	CU_ASSERT_EQUAL(strncmp(totals.text, "wrote 1 of ", 11), 0);
	CU_ASSERT_STRING_EQUAL(totals.path, "testdir1-0-0/4");
	mini_stage_release(&mini);
}

/* The run's seed alone decides what is drawn, not the target nor the round. */
static void test_draws(void)
{
	struct mongo_state one = { .seed = 1, .append_max = 1000 }, two = one, same = one;
	unsigned n_other = 0;

	two.seed = 2;
	for (uint32_t number = 1; number <= 1000; number++) {
		uint32_t size = mongo_state_append_size(&one, number);

		CU_ASSERT(size >= 1 && size <= 1000);
		CU_ASSERT_EQUAL(size, mongo_state_append_size(&same, number));
		n_other += size != mongo_state_append_size(&two, number);
	}
	CU_ASSERT(n_other > 900);
	one.append_max = 1;
	CU_ASSERT_EQUAL(mongo_state_append_size(&one, 5), 1);
	CU_ASSERT_EQUAL(mongo_state_draw(&one, MONGO_DRAW_MODIFY, 5, 1), 0);
}

static void test_switches(void)
{
	static const char *const names[] = { "append", "modify", "overwrite" };
	struct params params;
	struct error err = { 0 };

	params_init(&params, mongo()->params, mongo()->n_params);
	for (unsigned i = 0; i < 3; i++) {
		const struct phase *phase = mini_find_phase(mongo(), names[i]);

		CU_ASSERT_PTR_NOT_NULL_FATAL(phase);
		CU_ASSERT_PTR_EQUAL(phase, &mongo()->phases[2 + i]);
		CU_ASSERT_FALSE(phase->is_enabled(&params));
		CU_ASSERT_EQUAL(params_set(&params, names[i], "yes", &err), 0);
		CU_ASSERT(phase->is_enabled(&params));
	}
}

/* The plan has room for the most that append may draw, on the first trees only. */
static void test_plan(void)
{
	struct cost_context context = { 4096, "ext4", true };
	struct cost plain = { 0 }, longer = { 0 };
	struct mini_stage mini;
	uint64_t more = 0;

	if (!begin(&mini, "order=creation"))
		return;
	for (uint32_t i = 0; i < state_of(&mini)->tree.n_files; i++) {
		uint64_t size = state_of(&mini)->tree.sizes[i];

		more += (size + APPEND_MAX + 4095) / 4096 - (size + 4095) / 4096;
	}
	CU_ASSERT(more > 0);
	CU_ASSERT_EQUAL(mongo()->plan(&mini.params, &context, &longer, NULL), 0);
	params_set(&mini.params, "append", "no", NULL);
	CU_ASSERT_EQUAL(mongo()->plan(&mini.params, &context, &plain, NULL), 0);
	CU_ASSERT_EQUAL(longer.bytes, plain.bytes + PAIRS * more * 4096);
	CU_ASSERT_EQUAL(longer.inodes, plain.inodes);
	CU_ASSERT(longer.traffic_bytes > plain.traffic_bytes);
	CU_ASSERT(longer.operations > plain.operations);
	mini_stage_release(&mini);
}

static uint64_t distinct(struct mini_stage *mini, const char *phase)
{
	return mini_find_phase(mongo(), phase)->distinct_bytes(&mini->stage);
}

/* Data of all trees that there are, and 128 bytes an inode. */
static void test_distinct_bytes(void)
{
	struct mini_totals some = { .max_steps = 21 };
	struct mini_stage mini;
	struct expected e;
	uint64_t bytes;

	if (!begin(&mini, "order=creation"))
		return;
	e = expect(&mini);
	bytes = state_of(&mini)->tree.bytes;
	CU_ASSERT_EQUAL(distinct(&mini, "read"), 0);
	CU_ASSERT_EQUAL(distinct(&mini, "stats"), 0);
	run(&mini, "create");
	CU_ASSERT_EQUAL(distinct(&mini, "read"), PAIRS * (bytes + 128 * (e.n + e.d)));
	/* 20 files in each tree, besides its root */
	mini_run_phase(&mini.stage, mini_find_phase(mongo(), "copy"), &some);
	CU_ASSERT_EQUAL(some.work, PAIRS * 20);
	CU_ASSERT_EQUAL(distinct(&mini, "read"),
	        PAIRS * (bytes + 128 * (e.n + e.d)) + some.bytes[OP_WRITE] + 128 * PAIRS * 21);
	CU_ASSERT_EQUAL(distinct(&mini, "stats"), 128 * PAIRS * (e.n + e.d + 21));
	run(&mini, "append");
	CU_ASSERT_EQUAL(
	        distinct(&mini, "read"), PAIRS * (bytes + e.append_bytes + 128 * (e.n + e.d)) +
	                                         some.bytes[OP_WRITE] + 128 * PAIRS * 21);
	run(&mini, "slink");
	CU_ASSERT_EQUAL(distinct(&mini, "stats"), 128 * PAIRS * (2 * e.n + e.d + 21));
	/* What is read at least once is no more than what is read. */
	CU_ASSERT(run(&mini, "read").bytes[OP_READ] >= 4 * PAIRS * bytes);
	mini_stage_release(&mini);
}

struct patience {
	unsigned asked, end;
};

static bool goes_on(void *context)
{
	struct patience *patience = context;

	return ++patience->asked != patience->end;
}

static int survey(struct mini_stage *mini, unsigned end, struct survey *found)
{
	struct patience patience = { 0, end };

	*found =
	        (struct survey){ .goes_on = goes_on, .context = &patience, .extents_per_file = -1 };
	return mini_find_phase(mongo(), "create")->survey(&mini->stage, found);
}

/* On the disk below the temporary files, where that tells of extents. */
static void check_survey(struct mini_stage *mini)
{
	const struct mongo_tree *tree = &state_of(mini)->tree;
	uint64_t n_large = 0;
	struct survey found;
	int code;

	for (uint32_t i = 0; i < tree->n_files; i++)
		n_large += tree->sizes[i] > 16384;
	CU_ASSERT(n_large > 3);
	run(mini, "create");
	syncfs(mini->stage.scratch_fd);
	code = survey(mini, 0, &found);
	if (code == 0) {
		CU_ASSERT_EQUAL(found.files, PAIRS * n_large);
		CU_ASSERT(found.extents_per_file > 0.5);
		CU_ASSERT_EQUAL(survey(mini, 3, &found), -ECANCELED);
		CU_ASSERT_EQUAL(found.files, 2);
	} else {
		CU_ASSERT(code == -EOPNOTSUPP || code == -ENOTTY);
	}
	CU_ASSERT(code == 0 || found.extents_per_file < 0);
	run(mini, "delete");
}

static void test_survey(void)
{
	char directory[] = "/var/tmp/fsderby-survey-XXXXXX";
	struct mini_stage mini;
	struct survey found;
	int fd;

	if (!begin(&mini, "order=creation"))
		return;
	CU_ASSERT_EQUAL(survey(&mini, 0, &found), 0); /* nothing made */
	CU_ASSERT(found.files == 0 && found.extents_per_file < 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
	fd = open(directory, O_RDONLY | O_DIRECTORY);
	mini.stage.scratch_fd = fd;
	check_survey(&mini);
	close(fd);
	CU_ASSERT_EQUAL(rmdir(directory), 0);
	mini_stage_release(&mini);
}

void suite_mongo_changes(void)
{
	CU_pSuite suite = CU_add_suite("mongo's extra phases", NULL, NULL);

	CU_add_test(suite, "switches", test_switches);
	CU_add_test(suite, "draws", test_draws);
	CU_add_test(suite, "counts, sizes, contents", test_counts);
	CU_add_test(suite, "empty files", test_empty_files);
	CU_add_test(suite, "partial trees", test_partial);
	CU_add_test(suite, "a short write", test_short_block);
	CU_add_test(suite, "space", test_plan);
	CU_add_test(suite, "bytes of a cold pass", test_distinct_bytes);
	CU_add_test(suite, "survey", test_survey);
}
