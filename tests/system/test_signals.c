/*
 * Signals to a run without a screen, in every phase: it ends in order, removes its files, keeps
 * what is finished and says of all else what became of it.
 */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "document.h"
#include "place.h"
#include "program.h"
#include "tree.h"

void suite_signals(void);

enum { WORDS = 40, TARGET_BYTES = 160, END_S = 60 };

static const char *const rows[] = { "spin", "create", "copy", "slink", "read", "stats", "rename",
	"delete", NULL };

static const char *const tree_settings[] = { "-s", "mongo.base_size=1000", "-s", "mongo.bytes=100k",
	NULL };

/* A moment: so long after this text on standard error ("": after the start). */
struct moment {
	const char *text;
	int number;
};

static const struct moment moments[] = {
	{ "", SIGINT },
	{ "", SIGTERM },
	{ "", SIGHUP },
	{ " spin round 1", SIGTERM },
	{ " create round 1", SIGINT },
	{ " copy round 1", SIGHUP },
	{ " slink round 1", SIGTERM },
	{ " read round 1", SIGINT },
	{ " stats round 1", SIGHUP },
	{ " rename round 1", SIGTERM },
	{ " delete round 1", SIGINT },
	{ "b: null spin round 1", SIGHUP },
	{ "a: mongo base_size=1000 copy round 1", SIGTERM },
	{ "b: mongo base_size=1000 stats round 1", SIGINT },
	{ " spin round 2", SIGHUP },
	{ " create round 2", SIGTERM },
};

/* Paced, so that each phase lasts some tenths of a second. */
static void start_run(
        struct program *program, const struct program_how *how, const char *const *options)
{
	const char *words[WORDS] = { "-w", "null,mongo", "--batch", "--no-settle", "-s",
		"null.operations=10k", "-s", "null.rate=40k", "-s", "mongo.base_size=1000", "-s",
		"mongo.bytes=100k", "-s", "mongo.repetitions=1", "-s", "mongo.rate=80", "-o",
		"r.json" };
	char targets[2][TARGET_BYTES];
	unsigned n = 18;

	words[n++] = text_print(targets[0], TARGET_BYTES, "a=%s", place_path("disk"));
	words[n++] = text_print(targets[1], TARGET_BYTES, "b=%s", place_memory());
	for (; *options != NULL; options++)
		words[n++] = *options;
	program_start(program, how, words);
}

static bool all_is_gone(void)
{
	return place_count(place_path("disk"), PLACE_ALL) == 0 &&
	       place_count(place_memory(), PLACE_ALL) == 0;
}

/* A finished row is whole; one that never began has nothing. */
static void check_result(const json_t *result, const struct tree *tree)
{
	const struct tree_set set = { tree, 1, 1 };
	const char *phase = document_text(result, "phase");

	if (document_is(result, "status", "ok") && document_is(result, "workload", "mongo"))
		EXPECT(document_integer(result, "work") == (int64_t)tree_work(&set, phase),
		        "%s: finished with %" PRId64 " of %" PRIu64, phase,
		        document_integer(result, "work"), tree_work(&set, phase));
	if (document_is(result, "status", "skipped"))
		EXPECT(document_is_null(result, "start_ns") && document_is_null(result, "wall_s"),
		        "%s: skipped with figures", phase);
	if (document_is(result, "status", "aborted"))
		EXPECT(document_is_null(result, "rate") || document_number(result, "wall_s") >= 0,
		        "%s: aborted without a time", phase);
	EXPECT(document_is_null(result, "error"), "%s: error %s", phase,
	        document_text(result, "error.text"));
}

/* @said: standard error. Rows that it tells of as finished. */
static unsigned count_said(const char *said)
{
	unsigned n = 0;

	while (*said != '\0') {
		size_t length = strcspn(said, "\n");

		n += memmem(said, length, " round ", 7) != NULL && length > 2 &&
		     memcmp(said + length - 2, "/s", 2) == 0;
		said += length + (said[length] == '\n');
	}
	return n;
}

static void check_stopped(const char *said, const struct tree *tree, unsigned rounds, bool together)
{
	json_t *document = document_load(place_path("out/r.json"));
	unsigned n_ok, n_aborted, n_skipped;

	if (document == NULL)
		return;
	document_check(document);
	document_check_planned(document, rows, rounds, 2);
	n_ok = document_count_status(document, "ok");
	n_aborted = document_count_status(document, "aborted");
	n_skipped = document_count_status(document, "skipped");
	EXPECT(n_ok + n_aborted + n_skipped == document_n_results(document),
	        "%u ok, %u aborted, %u skipped of %zu", n_ok, n_aborted, n_skipped,
	        document_n_results(document));
	EXPECT(n_aborted <= (together ? 2u : 1u), "%u aborted", n_aborted);
	EXPECT(n_ok >= count_said(said), "%u kept, but %u were said to be finished: %s", n_ok,
	        count_said(said), said);
	EXPECT(json_is_false(document_at(document, "run.complete")), "complete");
	for (size_t i = 0; i < document_n_results(document); i++)
		check_result(document_result_at(document, i), tree);
	json_decref(document);
}

static void stop_at(
        const struct moment *moment, double delay_s, const struct tree *tree, const char *schedule)
{
	struct program program;

	start_run(&program, NULL, ARGUMENTS("-n", "2", "--schedule", schedule));
	if (moment->text[0] != '\0')
		EXPECT(program_await(&program, moment->text), "never came to '%s'", moment->text);
	program_pause(delay_s);
	kill(program.pid, moment->number);
	program_wait(&program, END_S);
	EXPECT(all_is_gone(), "after '%s' and signal %d: files are left: %s", moment->text,
	        moment->number, program.err);
	/* Before it watches for signals, they act as on any program; nothing is made by then. */
	if (program.status != PROGRAM_SIGNALED + moment->number || moment->text[0] != '\0') {
		EXPECT(program.status == 128 + moment->number,
		        "after '%s' and signal %d: exit status %d: %s", moment->text,
		        moment->number, program.status, program.err);
		check_stopped(program.err, tree, 2, strcmp(schedule, "together") == 0);
	}
	unlink(place_path("out/r.json"));
	program_free(&program);
	program_run(&program, NULL, 0, ARGUMENTS("clean", "--dry-run"));
	EXPECT(strstr(program.out, "nothing to clean") != NULL, "the journal is open: %s",
	        program.out);
	program_free(&program);
}

static void test_moments(void)
{
	unsigned n = sizeof(moments) / sizeof(moments[0]);
	struct tree tree;

	tree_load(&tree, tree_settings);
	srandom(1);
	for (unsigned i = 0; i < n; i++)
		stop_at(&moments[i], (double)(random() % 120) / 1000, &tree,
		        i % 3 == 2 ? "together" : "turns");
	tree_free(&tree);
}

static void check_went_on(struct program *program)
{
	json_t *document;

	program_wait(program, PROGRAM_TIMEOUT_S);
	EXPECT(program->status == 0, "exit status %d: %s", program->status, program->err);
	document = document_load(place_path("out/r.json"));
	document_check(document);
	document_check_planned(document, rows, 1, 2);
	EXPECT(document_count_status(document, "ok") == document_n_results(document), "not all ok");
	EXPECT(json_is_true(document_at(document, "run.complete")), "not complete");
	EXPECT(all_is_gone(), "files are left");
	json_decref(document);
	program_free(program);
}

/* Several, since one may be taken and the next kill. */
static void hang_up(struct program *program)
{
	EXPECT(program_await(program, " create round 1"), "never began");
	for (unsigned i = 0; i < 3; i++) {
		kill(program->pid, SIGHUP);
		program_pause(0.05);
	}
}

static void test_hangup_continue(void)
{
	struct program program;

	start_run(&program, NULL,
	        ARGUMENTS("-n", "1", "--schedule", "together", "--hangup=continue"));
	hang_up(&program);
	check_went_on(&program);
}

static void test_hangup_ignored(void)
{
	struct program program;

	start_run(&program, &(struct program_how){ .ignores_hangup = true },
	        ARGUMENTS("-n", "1", "--schedule", "together"));
	hang_up(&program);
	check_went_on(&program);
}

/* The first one while there is much to remove; what the second leaves, clean finds. */
static void test_twice(void)
{
	struct program program;
	double begin;

	program_start(&program, NULL,
	        ARGUMENTS("-w", "mongo", "--batch", "--no-settle", "-n", "1", "-s",
	                "mongo.base_size=100", "-s", "mongo.bytes=2M", "-s", "mongo.rate=4000",
	                "-o", "r.json", place_path("disk")));
	EXPECT(program_await(&program, " copy round 1: begins"), "never began");
	begin = program_clock();
	kill(program.pid, SIGINT);
	EXPECT(program_await(&program, "ending in order"), "no answer to the first");
	kill(program.pid, SIGINT);
	program_wait(&program, END_S);
	EXPECT(program.status == 128 + SIGINT, "exit status %d: %s", program.status, program.err);
	EXPECT(program_clock() - begin < 10, "left after %g s only", program_clock() - begin);
	EXPECT(strstr(program.err, "ending at once") != NULL, "the second is not heard: %s",
	        program.err);
	json_decref(document_load(place_path("out/r.json")));
	program_free(&program);
	program_run(&program, NULL, 0, ARGUMENTS("clean"));
	program_free(&program);
	EXPECT(all_is_gone(), "clean leaves files");
}

void suite_signals(void)
{
	CU_pSuite suite = CU_add_suite_with_setup_and_teardown(
	        "signals without a screen", NULL, NULL, place_begin, place_end);

	CU_add_test(suite, "stopped at many moments", test_moments);
	CU_add_test(suite, "--hangup=continue", test_hangup_continue);
	CU_add_test(suite, "hang-up ignored", test_hangup_ignored);
	CU_add_test(suite, "interrupted twice", test_twice);
}
