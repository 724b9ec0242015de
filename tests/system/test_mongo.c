/*
 * mongo on two plain directories, one on disk and one in memory: what is shown, what is exported,
 * what it did, and that nothing stays behind.
 */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "document.h"
#include "place.h"
#include "program.h"
#include "tree.h"

void suite_mongo(void);

enum { REPETITIONS = 2, PROCESSES = 2, PAIRS = REPETITIONS * PROCESSES, ROUNDS = 2 };

static const char *const tree_settings[] = { "-s", "mongo.base_size=1000", "-s", "mongo.bytes=400k",
	NULL };

static const char *const labels[] = { "a", "b" };

static void check_table(const char *text, const char *where)
{
	for (unsigned i = 0; tree_phases[i] != NULL; i++) {
		char line[32];

		text_print(line, sizeof(line), "\n%s ", tree_phases[i]);
		EXPECT(strstr(text, line) != NULL, "%s has no line %s", where, tree_phases[i]);
	}
	EXPECT(strstr(text, "a: ") != NULL && strstr(text, "b: ") != NULL,
	        "%s does not name both targets", where);
	EXPECT(strstr(text, "tmpfs") != NULL, "%s does not say what the targets are", where);
}

/* "Parameters: files=…, base_size=…, dirs=…" and a row of seven times for each target. */
static void check_classic(const char *text, const struct tree *tree)
{
	char head[128];

	text_print(head, sizeof(head), "Parameters: files=%u, base_size=1000 bytes, dirs=%u\n",
	        2 * PAIRS * tree->n_files, 2 * PAIRS * tree->n_dirs + 1);
	EXPECT_PART(text, "MONGO_MULTI_PROCESS (2 processes)");
	EXPECT_PART(text, head);
	for (unsigned i = 0; i < 2; i++) {
		const char *row = strstr(text, i == 0 ? "\na " : "\nb ");
		double times[7];

		if (EXPECT(row != NULL, "no row %u", i))
			EXPECT(sscanf(row + 2, " | %lf %lf %lf %lf %lf %lf %lf", &times[0],
			               &times[1], &times[2], &times[3], &times[4], &times[5],
			               &times[6]) == 7,
			        "no seven times: %.100s", row);
	}
}

static void check_operations(const json_t *result, const struct tree *tree, const char *phase)
{
	int64_t files = tree->n_files, dirs = tree->n_dirs;
	static const struct {
		const char *phase, *operation;
		int per_file, per_dir; /* of each of R*P trees */
	} table[] = {
		{ "create", "mkdir", 0, 1 },
		{ "create", "openat", 1, 1 },
		{ "create", "close", 1, 1 },
		{ "copy", "mkdir", 0, 1 },
		{ "copy", "openat", 2, 2 },
		{ "copy", "close", 2, 2 },
		{ "slink", "symlink", 1, 0 },
		{ "slink", "readlink", 1, 0 },
		{ "slink", "stat", 1, 0 },
		{ "rename", "rename", 1, 0 },
		{ "delete", "unlink", 3, 0 },
		{ "delete", "rmdir", 0, 2 },
	};

	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		int64_t count = PAIRS * (table[i].per_file * files + table[i].per_dir * dirs);

		if (strcmp(table[i].phase, phase) == 0)
			EXPECT(document_operation(result, table[i].operation, "count") == count,
			        "%s: %" PRId64 " of %s, not %" PRId64, phase,
			        document_operation(result, table[i].operation, "count"),
			        table[i].operation, count);
	}
}

static void check_result(const json_t *result, const struct tree *tree, const char *phase)
{
	const struct tree_set set = { tree, REPETITIONS, PROCESSES };
	const json_t *repetitions = json_object_get(result, "repetitions");

	EXPECT(document_is(result, "status", "ok"), "%s: status %s", phase,
	        document_text(result, "status"));
	EXPECT(document_integer(result, "work") == (int64_t)tree_work(&set, phase),
	        "%s: work %" PRId64 ", not %" PRIu64, phase, document_integer(result, "work"),
	        tree_work(&set, phase));
	EXPECT(document_integer(result, "bytes") == (int64_t)tree_moved_bytes(&set, phase),
	        "%s: %" PRId64 " bytes, not %" PRIu64, phase, document_integer(result, "bytes"),
	        tree_moved_bytes(&set, phase));
	EXPECT(document_integer(result, "workers") == PROCESSES, "%s: workers", phase);
	EXPECT(json_array_size(repetitions) == REPETITIONS, "%s: repetitions", phase);
	EXPECT(document_number(result, "classic_s") > 0, "%s: classic_s", phase);
	EXPECT(document_is(result, "set", "base_size=1000 processes=2"), "%s: set %s", phase,
	        document_text(result, "set"));
	EXPECT(document_integer(result, "params.base_size") == 1000 &&
	                document_integer(result, "params.bytes") == 400 << 10,
	        "%s: params", phase);
	check_operations(result, tree, phase);
}

static void check_document(const json_t *document, const struct tree *tree)
{
	document_check(document);
	document_check_planned(document, tree_phases, ROUNDS, 2);
	EXPECT(json_is_true(document_at(document, "run.complete")), "not complete");
	EXPECT(document_is(document, "run.profile", "quick"), "profile");
	for (unsigned target = 0; target < 2; target++)
		for (unsigned round = 1; round <= ROUNDS; round++)
			for (unsigned i = 0; tree_phases[i] != NULL; i++)
				check_result(document_result(document, labels[target],
				                     tree_phases[i], round),
				        tree, tree_phases[i]);
	for (unsigned i = 0; tree_phases[i] != NULL; i++)
		EXPECT(document_is_null(
		               document_result(document, "b", tree_phases[i], 1), "device"),
		        "a device under memory");
}

static void check_clean(const char *memory)
{
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "left on disk");
	EXPECT(place_count(memory, PLACE_ALL) == 0, "left in memory");
}

static void run_main_job(const struct program_how *how)
{
	char disk[160], memory[160], *text;
	struct program program;
	struct tree tree;
	json_t *document;

	tree_load(&tree, tree_settings);
	text_print(disk, sizeof(disk), "a=%s", place_path("disk"));
	text_print(memory, sizeof(memory), "b=%s", place_memory());
	program_run(&program, how, 0,
	        ARGUMENTS("-w", "mongo", "-p", "quick", "--batch", "--no-settle", "-n", "2", "-s",
	                "mongo.base_size=1000", "-s", "mongo.bytes=400k", "-s",
	                "mongo.repetitions=2", "-s", "mongo.processes=2", "-o", "r.json", "-o",
	                "r.txt", "-o", "mongo:r.mongo", disk, memory));
	check_table(program.out, "standard output");
	text = place_read(place_path("out/r.txt"));
	check_table(text, "r.txt");
	free(text);
	text = place_read(place_path("out/r.mongo"));
	check_classic(text, &tree);
	free(text);
	document = document_load(place_path("out/r.json"));
	check_document(document, &tree);
	json_decref(document);
	check_clean(place_memory());
	EXPECT(place_count(place_path("out"), PLACE_ALL) == 3, "more files than asked for");
	program_free(&program);
	program_run(&program, how, 0, ARGUMENTS("clean"));
	EXPECT(strstr(program.out, "nothing to clean") != NULL, "%s", program.out);
	program_free(&program);
	tree_free(&tree);
}

static void test_main_job(void)
{
	run_main_job(NULL);
}

static void test_main_job_as_nobody(void)
{
	if (geteuid() == 0)
		place_give(PROGRAM_NOBODY);
	run_main_job(&(struct program_how){ .as_nobody = true });
}

/* The published counts. */
static void test_manifest(void)
{
	struct tree tree;

	tree_load(&tree, ARGUMENTS("-s", "mongo.base_size=1000"));
	EXPECT(tree.n_files == 11422 && tree.n_dirs == 40 && tree.bytes == 113196614,
	        "%u files, %u directories, %" PRIu64 " bytes", tree.n_files, tree.n_dirs,
	        tree.bytes);
	tree_free(&tree);
}

/* Stops the program when a name with this ending appears, so that what it made can be looked at. */
static bool freeze_at(struct program *program, const char *ending)
{
	double end = program_clock() + PROGRAM_TIMEOUT_S;

	while (program_is_running(program) && program_clock() < end) {
		char *list = place_list(place_path("disk"));
		bool found = strstr(list, ending) != NULL;

		free(list);
		if (found) {
			kill(program->pid, SIGSTOP);
			return true;
		}
		program_pause(0.01);
	}
	return EXPECT(false, "%s never appeared", ending);
}

static void check_trees(const struct tree *tree, bool is_renamed)
{
	char scratch[64];

	if (!EXPECT(place_find_scratch(place_path("disk"), scratch, sizeof(scratch)),
	            "no scratch directory"))
		return;
	for (unsigned i = 0; i < 2 * REPETITIONS; i++) {
		unsigned number = i % 2 + 1;

		if (number == 2 || !is_renamed)
			tree_check_made(
			        tree, place_path("disk/%s/testdir%u-%u-0", scratch, number, i / 2));
	}
	/* The marker is a file, the scratch directory itself a directory. */
	EXPECT(place_count(place_path("disk"), PLACE_FILES) == 2 * REPETITIONS * tree->n_files + 1,
	        "%u files", place_count(place_path("disk"), PLACE_FILES));
	EXPECT(place_count(place_path("disk"), PLACE_DIRS) == 2 * REPETITIONS * tree->n_dirs + 1,
	        "%u directories", place_count(place_path("disk"), PLACE_DIRS));
}

/* What lies there when the first link, and when the first new name appears. */
static void test_what_it_makes(void)
{
	static const char *const settings[] = { "-s", "mongo.base_size=1000", "-s",
		"mongo.bytes=200k", NULL };
	struct program program;
	struct tree tree;

	tree_load(&tree, settings);
	program_start(&program, NULL,
	        ARGUMENTS("-w", "mongo", "--batch", "--no-settle", "-n", "1", "-s",
	                "mongo.base_size=1000", "-s", "mongo.bytes=200k", "-s",
	                "mongo.repetitions=2", "-s", "mongo.rate=200", place_path("disk")));
	if (freeze_at(&program, ".lnk ")) {
		check_trees(&tree, false);
		kill(program.pid, SIGCONT);
	}
	if (freeze_at(&program, ".r ")) {
		check_trees(&tree, true);
		EXPECT(place_count(place_path("disk"), PLACE_LINKS) == REPETITIONS * tree.n_files,
		        "%u links", place_count(place_path("disk"), PLACE_LINKS));
		kill(program.pid, SIGCONT);
	}
	program_wait(&program, PROGRAM_TIMEOUT_S);
	EXPECT(program.status == 0, "exit status %d: %s", program.status, program.err);
	check_clean(place_memory());
	program_free(&program);
	tree_free(&tree);
}

static void test_settling(void)
{
	struct program program;
	json_t *document;

	program_run(&program, NULL, 0,
	        ARGUMENTS("-w", "null", "--batch", "-n", "1", "-s", "null.operations=1k", "-o",
	                "r.json", place_path("disk")));
	document = document_load(place_path("out/r.json"));
	document_check(document);
	for (size_t i = 0; i < document_n_results(document); i++) {
		const json_t *result = document_result_at(document, i);

		EXPECT(document_number(result, "settle_s") > 0.2, "settle_s %g",
		        document_number(result, "settle_s"));
		EXPECT(document_integer(result, "dirty_kib") >= 0, "dirty_kib");
	}
	json_decref(document);
	program_free(&program);
}

void suite_mongo(void)
{
	CU_pSuite suite = CU_add_suite_with_setup_and_teardown(
	        "mongo on plain directories", NULL, NULL, place_begin, place_end);

	CU_add_test(suite, "manifest", test_manifest);
	CU_add_test(suite, "what is shown and exported", test_main_job);
	CU_add_test(suite, "the same as nobody", test_main_job_as_nobody);
	CU_add_test(suite, "what lies there meanwhile", test_what_it_makes);
	CU_add_test(suite, "settling", test_settling);
}
