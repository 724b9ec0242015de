/*
 * mongo's phases on a temporary directory, without the engine: invariants, counts of work and of
 * calls against the planned tree, trees that were never completed, and faults.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <ftw.h>
#include <string.h>

#include "mini_engine.h"
#include "workloads/mongo_walk.h"

void suite_mongo(void);

enum { WALK_DIRS = 16 };

static const char *const phase_names[] = { "create", "copy", "slink", "read", "stats", "rename",
	"delete" };

enum { CREATE, COPY, SLINK, READ, STATS, RENAME, DELETE, N_PHASES };

/* What lies in a directory, whatever its order: sums over all entries. */
struct contents {
	uint64_t files, links, dirs, bytes;
	uint64_t hash; /* of paths, types, data and link texts */
};

/* nftw has no argument for its callback. One thread. */
static struct contents walked;
static size_t walked_prefix;

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_file(uint64_t hash, const char *path)
{
	static char data[65536];
	FILE *file = fopen(path, "r");
	size_t n;

	if (file == NULL)
		return 0;
	while ((n = fread(data, 1, sizeof(data), file)) > 0)
		hash = hash_bytes(hash, data, n);
	fclose(file);
	return hash;
}

static int look_at_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	char text[512];
	uint64_t hash = hash_bytes(
	        UINT64_C(0xcbf29ce484222325), path + walked_prefix, strlen(path + walked_prefix));
	ssize_t n;

	if (walk->level == 0)
		return 0;
	if (type == FTW_F) {
		walked.files++;
		walked.bytes += (uint64_t)st->st_size;
		hash = hash_file(hash, path);
	} else if (type == FTW_SL) {
		walked.links++;
		n = readlink(path, text, sizeof(text));
		hash = hash_bytes(hash + 1, text, n > 0 ? (size_t)n : 0);
	} else {
		walked.dirs++;
		hash += 2;
	}
	walked.hash += data_pool_mix(hash);
	return 0;
}

static struct contents look(const struct mini_stage *mini)
{
	memset(&walked, 0, sizeof(walked));
	walked_prefix = strlen(mini->directory);
	CU_ASSERT_EQUAL(nftw(mini->directory, look_at_entry, WALK_DIRS, FTW_PHYS), 0);
	return walked;
}

static const struct workload *mongo(void)
{
	return workload_find("mongo");
}

static int run(struct mini_stage *mini, unsigned phase, struct mini_totals *totals)
{
	int code =
	        mini_run_phase(&mini->stage, mini_find_phase(mongo(), phase_names[phase]), totals);

	CU_ASSERT_EQUAL(totals->open_files, 0);
	return code;
}

/* A phase that must do all it says. */
static struct mini_totals run_whole(struct mini_stage *mini, unsigned phase)
{
	struct mini_totals totals = { 0 };

	CU_ASSERT_EQUAL(run(mini, phase, &totals), 0);
	CU_ASSERT_EQUAL(totals.work, totals.total);
	return totals;
}

/* Small files in a few levels: 448 in 5 directories, 4 levels deep, empty files among them. */
static bool begin(struct mini_stage *mini, const char *processes, const char *order)
{
	return mini_stage_init(mini, mongo(), "base_size=10", "bytes=20000", "seed=3",
	        "repetitions=2", processes, order, NULL);
}

static const struct mongo_tree *tree_of(const struct mini_stage *mini)
{
	return &((const struct mongo_state *)mini->stage.state)->tree;
}

/* Calls that a tree takes, from the planned sizes alone. */
struct expected {
	uint64_t n, d;                   /* files, directories */
	uint64_t creates, copies, reads; /* writes of create, writes of copy, reads of either */
	uint64_t pairs, walks;           /* R * P; trees read by all processes in all repetitions */
};

static struct expected expect(const struct mini_stage *mini)
{
	const struct mongo_state *state = mini->stage.state;
	const struct mongo_tree *tree = &state->tree;
	uint64_t pairs = (uint64_t)state->repetitions * state->processes;
	struct expected expected = {
		.n = tree->n_files, .d = tree->n_dirs, .pairs = pairs, .walks = 2 * pairs * pairs
	};

	for (uint32_t i = 0; i < tree->n_files; i++) {
		expected.creates += (tree->sizes[i] + 4094) / 4095;
		expected.copies += (tree->sizes[i] + 4095) / 4096;
		expected.reads += tree->sizes[i] / 4096 + 1;
	}
	return expected;
}

static void check_calls(const struct mini_totals *totals, enum op_kind kind, uint64_t count)
{
	CU_ASSERT_EQUAL(totals->count[kind], count);
	CU_ASSERT_EQUAL(totals->errors[kind], 0);
}

/* In creation order nothing is listed but by stats, so all counts are exact. */
static void check_create(struct mini_stage *mini)
{
	struct expected e = expect(mini);
	struct mini_totals totals = run_whole(mini, CREATE);
	struct contents there = look(mini);

	CU_ASSERT_EQUAL(totals.work, e.pairs * e.n);
	check_calls(&totals, OP_MKDIR, e.pairs * e.d);
	check_calls(&totals, OP_OPENAT, e.pairs * (e.d + e.n));
	check_calls(&totals, OP_CLOSE, e.pairs * (e.d + e.n));
	check_calls(&totals, OP_WRITE, e.pairs * e.creates);
	CU_ASSERT_EQUAL(totals.bytes[OP_WRITE], e.pairs * tree_of(mini)->bytes);
	CU_ASSERT_EQUAL(there.files, e.pairs * e.n);
	CU_ASSERT_EQUAL(there.dirs, e.pairs * e.d);
	CU_ASSERT_EQUAL(there.bytes, e.pairs * tree_of(mini)->bytes);
}

static void check_copy(struct mini_stage *mini)
{
	struct expected e = expect(mini);
	struct mini_totals totals = run_whole(mini, COPY);
	struct contents there = look(mini);

	CU_ASSERT_EQUAL(totals.work, e.pairs * e.n);
	check_calls(&totals, OP_MKDIR, e.pairs * e.d);
	check_calls(&totals, OP_OPENAT, 2 * e.pairs * (e.d + e.n));
	check_calls(&totals, OP_CLOSE, 2 * e.pairs * (e.d + e.n));
	check_calls(&totals, OP_READ, e.pairs * e.reads);
	check_calls(&totals, OP_WRITE, e.pairs * e.copies);
	check_calls(&totals, OP_GETDENTS, 0);
	CU_ASSERT_EQUAL(there.files, 2 * e.pairs * e.n);
	CU_ASSERT_EQUAL(there.dirs, 2 * e.pairs * e.d);
	CU_ASSERT_EQUAL(there.bytes, 2 * e.pairs * tree_of(mini)->bytes);
}

static void check_slink(struct mini_stage *mini)
{
	struct expected e = expect(mini);
	struct mini_totals totals = run_whole(mini, SLINK);

	CU_ASSERT_EQUAL(totals.work, e.pairs * e.n);
	check_calls(&totals, OP_SYMLINK, e.pairs * e.n);
	check_calls(&totals, OP_STAT, e.pairs * e.n);
	check_calls(&totals, OP_READLINK, e.pairs * e.n);
	check_calls(&totals, OP_OPENAT, e.pairs * e.d);
	CU_ASSERT_EQUAL(look(mini).links, e.pairs * e.n);
}

static void check_read(struct mini_stage *mini)
{
	struct expected e = expect(mini);
	struct contents before = look(mini), after;
	struct mini_totals totals = run_whole(mini, READ);
	uint64_t processes = e.pairs / 2;

	after = look(mini);
	CU_ASSERT_EQUAL(totals.work, e.walks * e.n);
	check_calls(&totals, OP_READ, e.walks * e.reads);
	check_calls(&totals, OP_OPENAT, e.walks * (e.d + e.n));
	check_calls(&totals, OP_CLOSE, e.walks * (e.d + e.n));
	for (uint64_t i = 0; i < processes; i++)
		CU_ASSERT_EQUAL(totals.worker_bytes[i], 2 * (2 * e.pairs * tree_of(mini)->bytes));
	CU_ASSERT_EQUAL(memcmp(&before, &after, sizeof(before)), 0);
}

static void check_stats(struct mini_stage *mini)
{
	struct expected e = expect(mini);
	struct contents before = look(mini), after;
	struct mini_totals totals = run_whole(mini, STATS);
	uint64_t entries = e.walks * (e.n + e.d - 1) + e.walks / 2 * e.n;

	after = look(mini);
	CU_ASSERT_EQUAL(totals.work, entries);
	check_calls(&totals, OP_STAT, entries);
	check_calls(&totals, OP_OPENAT, e.walks * e.d);
	/* Each listing ends with an empty answer. */
	CU_ASSERT(totals.count[OP_GETDENTS] >= 2 * e.walks * e.d);
	CU_ASSERT_EQUAL(memcmp(&before, &after, sizeof(before)), 0);
}

static void check_rename_delete(struct mini_stage *mini)
{
	struct expected e = expect(mini);
	struct mini_totals totals = run_whole(mini, RENAME);
	struct contents there;

	CU_ASSERT_EQUAL(totals.work, e.pairs * e.n);
	check_calls(&totals, OP_RENAME, e.pairs * e.n);
	totals = run_whole(mini, DELETE);
	CU_ASSERT_EQUAL(totals.work, 3 * e.pairs * e.n + 2 * e.pairs * e.d);
	check_calls(&totals, OP_UNLINK, 3 * e.pairs * e.n);
	check_calls(&totals, OP_RMDIR, 2 * e.pairs * e.d);
	CU_ASSERT_EQUAL(totals.n_classic, e.pairs);
	there = look(mini);
	CU_ASSERT_EQUAL(there.files + there.links + there.dirs, 0);
}

static void check_all(const char *processes)
{
	struct mini_stage mini;

	if (!begin(&mini, processes, "order=creation"))
		return;
	CU_ASSERT(tree_of(&mini)->n_dirs == 5 && tree_of(&mini)->depth > 2);
	check_create(&mini);
	check_copy(&mini);
	check_slink(&mini);
	check_read(&mini);
	check_stats(&mini);
	check_rename_delete(&mini);
	mini_stage_release(&mini);
}

static void test_one_process(void)
{
	check_all("processes=1");
}

static void test_two_processes(void)
{
	check_all("processes=2");
}

/* Both orders leave the same, phase by phase, and do the same work. */
static void test_orders_agree(void)
{
	struct mini_stage planned, listed;

	if (!begin(&planned, "processes=1", "order=creation"))
		return;
	if (begin(&listed, "processes=1", "order=readdir")) {
		for (unsigned i = 0; i < N_PHASES; i++) {
			struct mini_totals a = run_whole(&planned, i), b = run_whole(&listed, i);
			struct contents x = look(&planned), y = look(&listed);

			CU_ASSERT_EQUAL(a.work, b.work);
			CU_ASSERT_EQUAL(a.bytes[OP_READ], b.bytes[OP_READ]);
			CU_ASSERT_EQUAL(a.count[OP_STAT], b.count[OP_STAT]);
			CU_ASSERT_EQUAL(memcmp(&x, &y, sizeof(x)), 0);
			CU_ASSERT((b.count[OP_GETDENTS] > 0) == (i != CREATE));
		}
		mini_stage_release(&listed);
	}
	mini_stage_release(&planned);
}

/* The same seed gives the same bytes, another one other bytes; trees differ among each other. */
static void test_content(void)
{
	struct contents seen[3];
	char data[16] = "";
	FILE *file;
	char path[128];

	for (unsigned i = 0; i < 3; i++) {
		struct mini_stage mini;

		if (!begin(&mini, "processes=1", i == 2 ? "content=a" : "content=random"))
			return;
		if (i == 1)
			((struct mongo_state *)mini.stage.state)->seed = 2;
		run_whole(&mini, CREATE);
		seen[i] = look(&mini);
		if (i == 2) {
			snprintf(path, sizeof(path), "%s/testdir1-0-0/1", mini.directory);
			file = fopen(path, "r");
			CU_ASSERT_PTR_NOT_NULL_FATAL(file);
			CU_ASSERT(fread(data, 1, 3, file) > 0 && data[strspn(data, "a")] == '\0');
			fclose(file);
		}
		mini_stage_release(&mini);
	}
	CU_ASSERT_EQUAL(seen[0].bytes, seen[1].bytes);
	CU_ASSERT_NOT_EQUAL(seen[0].hash, seen[1].hash);
	CU_ASSERT_NOT_EQUAL(seen[0].hash, seen[2].hash);
}

static void test_pool(void)
{
	struct data_pool pool = { 0 };
	char first[MONGO_IO_BYTES], second[MONGO_IO_BYTES];

	CU_ASSERT_EQUAL_FATAL(data_pool_init(&pool, 7, false), 0);
	memcpy(first, data_pool_window(&pool, data_pool_id(1, 2, 3)), sizeof(first));
	memcpy(second, data_pool_window(&pool, data_pool_id(1, 2, 4)), sizeof(second));
	CU_ASSERT_NOT_EQUAL(memcmp(first, second, sizeof(first)), 0);
	for (uint32_t i = 0; i < 100000; i++)
		data_pool_window(&pool, data_pool_id(0, i, 0));
	CU_ASSERT_EQUAL(
	        memcmp(first, data_pool_window(&pool, data_pool_id(1, 2, 3)), sizeof(first)), 0);
	data_pool_release(&pool);
}

/* After @phase ended early in whatever way: the later ones work on what there is, all of it. */
static void check_rest(struct mini_stage *mini, unsigned phase)
{
	struct contents there;

	for (unsigned i = phase + 1; i < N_PHASES; i++) {
		struct mini_totals totals = run_whole(mini, i);

		there = look(mini);
		CU_ASSERT(totals.work > 0);
		if (i == COPY)
			CU_ASSERT_EQUAL(there.files, 2 * totals.work);
		if (i == SLINK)
			CU_ASSERT_EQUAL(there.links, totals.work);
		if (i == READ)
			CU_ASSERT_EQUAL(
			        totals.bytes[OP_READ], there.bytes * totals.work / there.files);
	}
	there = look(mini);
	CU_ASSERT_EQUAL(there.files + there.links + there.dirs, 0);
}

/* A time limit: @steps of each worker. */
static void check_limit(unsigned phase, uint64_t steps, const char *order)
{
	struct mini_totals totals = { .max_steps = steps };
	struct mini_stage mini;

	if (!begin(&mini, "processes=2", order))
		return;
	for (unsigned i = 0; i < phase; i++)
		run_whole(&mini, i);
	CU_ASSERT_EQUAL(run(&mini, phase, &totals), 0);
	CU_ASSERT(totals.work < totals.total);
	check_rest(&mini, phase);
	mini_stage_release(&mini);
}

static void test_limits(void)
{
	for (unsigned phase = CREATE; phase < DELETE; phase++) {
		check_limit(phase, 3, "order=creation");
		check_limit(phase, 333, "order=creation");
		check_limit(phase, 3, "order=readdir");
		check_limit(phase, 333, "order=readdir");
	}
}

/* Cancelled within a step, in the first repetition: @skip calls of @kind go through. */
static void check_cancel(unsigned phase, enum op_kind kind, uint64_t skip, const char *order)
{
	struct mini_totals totals = {
		.rules = { { .kind = INJECT_ANY, .skip = skip, .code = -ECANCELED } }
	};
	struct mini_stage mini;

	totals.rules[0].kind = kind;
	if (!begin(&mini, "processes=1", order))
		return;
	for (unsigned i = 0; i < phase; i++)
		run_whole(&mini, i);
	CU_ASSERT_EQUAL(run(&mini, phase, &totals), -ECANCELED);
	CU_ASSERT(totals.work < totals.total);
	check_rest(&mini, phase);
	mini_stage_release(&mini);
}

static void check_cancels(const char *order)
{
	check_cancel(CREATE, OP_WRITE, 250, order);
	check_cancel(CREATE, OP_MKDIR, 3, order);
	check_cancel(CREATE, OP_OPENAT, 244, order);
	check_cancel(COPY, OP_WRITE, 250, order);
	check_cancel(COPY, OP_MKDIR, 3, order);
	check_cancel(COPY, OP_READ, 250, order);
	check_cancel(COPY, OP_OPENAT, 445, order);
	check_cancel(COPY, OP_OPENAT, 446, order);
	check_cancel(SLINK, OP_STAT, 100, order);
	check_cancel(SLINK, OP_READLINK, 100, order);
	check_cancel(READ, OP_READ, 100, order);
	check_cancel(STATS, OP_STAT, 100, order);
	check_cancel(RENAME, OP_RENAME, 100, order);
}

static void test_cancels(void)
{
	check_cancels("order=creation");
	check_cancels("order=readdir");
}

/* The last file of a tree is there, but shorter than planned. */
static void test_last_file_cut(void)
{
	struct mini_totals totals = { .rules = { { .kind = OP_WRITE, .code = -ECANCELED } } };
	struct mini_stage mini;

	if (!begin(&mini, "processes=1", "order=creation"))
		return;
	CU_ASSERT(tree_of(&mini)->sizes[tree_of(&mini)->n_files - 1] > 0);
	totals.rules[0].skip = expect(&mini).creates - 1;
	CU_ASSERT_EQUAL(run(&mini, CREATE, &totals), -ECANCELED);
	CU_ASSERT_EQUAL(totals.work, tree_of(&mini)->n_files - 1);
	check_rest(&mini, CREATE);
	mini_stage_release(&mini);
}

/* Skipped before its first step, create leaves nothing to do for the others. */
static void test_nothing_made(void)
{
	struct mini_totals totals = { .rules = { { .kind = OP_MKDIR, .code = -ECANCELED } } };
	struct mini_stage mini;

	if (!begin(&mini, "processes=1", "order=creation"))
		return;
	CU_ASSERT_EQUAL(run(&mini, CREATE, &totals), -ECANCELED);
	for (unsigned i = COPY; i < N_PHASES; i++)
		CU_ASSERT_EQUAL(run_whole(&mini, i).work, 0);
	mini_stage_release(&mini);
}

/* A short write, and then no more room, or nothing at all. */
static void test_short_write(void)
{
	struct mini_totals full = {
		.rules = { { .kind = OP_WRITE, .skip = 40, .times = 1, .length = 1 },
		        { .kind = OP_WRITE, .skip = 41, .code = -ENOSPC } }
	};
	struct mini_totals cut = {
		.rules = { { .kind = OP_WRITE, .skip = 40, .times = 1, .length = 1 } }
	};
	struct mini_stage mini;

	if (!begin(&mini, "processes=1", "order=creation"))
		return;
	CU_ASSERT_EQUAL(run(&mini, CREATE, &full), -ENOSPC);
	CU_ASSERT_STRING_EQUAL(full.text, "");
	mini_stage_release(&mini);
	if (!begin(&mini, "processes=1", "order=creation"))
		return;
	CU_ASSERT_EQUAL(run(&mini, CREATE, &cut), -EIO);
	CU_ASSERT_EQUAL(strncmp(cut.text, "wrote 1 of ", 11), 0);
	CU_ASSERT_EQUAL(strncmp(cut.path, "testdir1-0-0/", 13), 0);
	mini_stage_release(&mini);
}

/* The path that a message names is where it happened: the copy's, where that failed. */
static void test_paths_of_errors(void)
{
	struct mini_totals from = { .rules = { { .kind = OP_READ, .skip = 5, .code = -EIO } } };
	struct mini_totals to = { .rules = { { .kind = OP_WRITE, .skip = 5, .code = -EDQUOT } } };
	struct mini_stage mini;

	if (!begin(&mini, "processes=1", "order=creation"))
		return;
	run_whole(&mini, CREATE);
	CU_ASSERT_EQUAL(run(&mini, COPY, &from), -EIO);
	CU_ASSERT_STRING_EQUAL(from.path, "testdir1-0-0/6");
	mini_stage_release(&mini);
	if (!begin(&mini, "processes=1", "order=creation"))
		return;
	run_whole(&mini, CREATE);
	CU_ASSERT_EQUAL(run(&mini, COPY, &to), -EDQUOT);
	CU_ASSERT_EQUAL(strncmp(to.path, "testdir2-0-0/", 13), 0);
	mini_stage_release(&mini);
}

/* A file that lost bytes is named by the read phase; so is a tree that lost a file. */
static void check_damage(const char *order, bool removes, const char *path, const char *words)
{
	struct mini_totals totals = { 0 };
	struct mini_stage mini;
	char name[128];

	if (!begin(&mini, "processes=1", order))
		return;
	run_whole(&mini, CREATE);
	snprintf(name, sizeof(name), "%s/testdir1-1-0/2", mini.directory);
	CU_ASSERT(tree_of(&mini)->sizes[1] > 2);
	CU_ASSERT_EQUAL(removes ? unlink(name) : truncate(name, 2), 0);
	CU_ASSERT(run(&mini, READ, &totals) < 0);
	CU_ASSERT_STRING_EQUAL(totals.path, path);
	CU_ASSERT_PTR_NOT_NULL(strstr(totals.text, words));
	mini_stage_release(&mini);
}

static void test_damage(void)
{
	check_damage("order=creation", false, "testdir1-1-0/2", "read 2 of ");
	check_damage("order=readdir", false, "testdir1-1-0/2", "read 2 of ");
	check_damage("order=creation", true, "testdir1-1-0/2", "");
	check_damage("order=readdir", true, "testdir1-1-0", "bytes");
}

static void test_describe(void)
{
	struct mini_stage mini;
	const struct phase *phase = mini_find_phase(mongo(), "create");
	char path[128];
	uint32_t last;

	if (!begin(&mini, "processes=2", "order=creation"))
		return;
	last = tree_of(&mini)->n_files;
	phase->describe(mini.stage.state, 0, 0, 0, path, sizeof(path));
	CU_ASSERT_STRING_EQUAL(path, "testdir1-0-0");
	phase->describe(mini.stage.state, 0, 0, mongo_cursor(7, MONGO_LINK, 1), path, sizeof(path));
	CU_ASSERT_STRING_EQUAL(path, "testdir2-1-1/1.lnk");
	phase->describe(
	        mini.stage.state, 0, 0, mongo_cursor(2, MONGO_FILE, last), path, sizeof(path));
	CU_ASSERT_EQUAL(strncmp(path, "testdir1-0-1/d", 14), 0);
	phase->describe(mini.stage.state, 0, 0, UINT64_MAX, path, sizeof(path));
	phase->describe(mini.stage.state, 0, 0, mongo_cursor(0, MONGO_DIR, 1), path, sizeof(path));
	CU_ASSERT_STRING_EQUAL(path, "testdir1-0-0/d0");
	mini_stage_release(&mini);
}

/* Each declared kind is used in one order or the other, and none but these. */
static void test_declared_operations(void)
{
	struct mini_stage planned, listed;

	if (!begin(&planned, "processes=1", "order=creation"))
		return;
	if (begin(&listed, "processes=1", "order=readdir")) {
		for (unsigned i = 0; i < N_PHASES; i++) {
			struct mini_totals a = run_whole(&planned, i), b = run_whole(&listed, i);
			uint64_t ops = mini_find_phase(mongo(), phase_names[i])->ops;

			/* A file system that tells the type of an entry saves this lstat. */
			ops &= ~OP_BIT(OP_STAT);
			for (unsigned kind = 0; kind < OP_KINDS; kind++)
				if (kind != OP_STAT)
					CU_ASSERT_EQUAL(a.count[kind] + b.count[kind] > 0,
					        (ops & OP_BIT(kind)) != 0);
		}
		mini_stage_release(&listed);
	}
	mini_stage_release(&planned);
}

static void test_null(void)
{
	struct mini_totals totals = { 0 };
	struct mini_stage mini;

	if (!mini_stage_init(&mini, workload_find("null"), "operations=1001", "threads=4", NULL))
		return;
	CU_ASSERT_EQUAL(mini_run_phase(&mini.stage, mini_find_phase(workload_find("null"), "spin"),
	                        &totals),
	        0);
	CU_ASSERT_EQUAL(totals.total, 1001);
	CU_ASSERT_EQUAL(totals.work, 1001);
	CU_ASSERT_EQUAL(totals.count[OP_SPIN], 1001);
	mini_stage_release(&mini);
}

/* The registry and the tables that everything else is made from. */
static void test_registry(void)
{
	unsigned n = 0;

	CU_ASSERT_PTR_NULL(workload_find("skeleton"));
	CU_ASSERT_PTR_NULL(workload_find("mong"));
	for (const struct workload *workload; (workload = workload_at(n)) != NULL; n++) {
		struct params params;

		CU_ASSERT_PTR_EQUAL(workload_find(workload->name), workload);
		params_init(&params, workload->params, workload->n_params);
		CU_ASSERT(params_find(workload->params, workload->n_params, "rate") >= 0);
		for (unsigned i = 0; i < workload->n_phases; i++)
			CU_ASSERT(workload->phases[i].step != NULL ||
			          workload->phases[i].run != NULL);
	}
	CU_ASSERT(n >= 2);
}

void suite_mongo(void)
{
	CU_pSuite suite = CU_add_suite("mongo", NULL, NULL);

	CU_add_test(suite, "registry", test_registry);
	CU_add_test(suite, "null", test_null);
	CU_add_test(suite, "one process", test_one_process);
	CU_add_test(suite, "two processes", test_two_processes);
	CU_add_test(suite, "orders agree", test_orders_agree);
	CU_add_test(suite, "declared operations", test_declared_operations);
	CU_add_test(suite, "content", test_content);
	CU_add_test(suite, "pool of data", test_pool);
	CU_add_test(suite, "limits", test_limits);
	CU_add_test(suite, "cancelled in a step", test_cancels);
	CU_add_test(suite, "last file cut", test_last_file_cut);
	CU_add_test(suite, "nothing made", test_nothing_made);
	CU_add_test(suite, "short write", test_short_write);
	CU_add_test(suite, "paths of errors", test_paths_of_errors);
	CU_add_test(suite, "damage is found", test_damage);
	CU_add_test(suite, "describe", test_describe);
}
