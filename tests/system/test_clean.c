/*
 * After kill -9: clean finds and removes what the run left, and nothing else.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "document.h"
#include "place.h"
#include "program.h"

void suite_clean(void);

enum { NAME_BYTES = 64 };

#define FORGED ".fsderby-20260101T000000-0123abcd"

/* A run on "disk" that is in its second phase; with @state as its state directory. */
static void start_run(struct program *program, const char *path, const char *state)
{
	program_start(program, &(struct program_how){ .state = state },
	        ARGUMENTS("-w", "mongo", "--batch", "--no-settle", "-n", "1", "-s",
	                "mongo.base_size=1000", "-s", "mongo.bytes=300k", "-s",
	                "mongo.repetitions=1", "-s", "mongo.rate=100", path));
	EXPECT(program_await(program, " copy round 1: begins"), "never began");
}

static void kill_run(struct program *program)
{
	kill(program->pid, SIGKILL);
	program_wait(program, PROGRAM_TIMEOUT_S);
	EXPECT(program->status == PROGRAM_SIGNALED + SIGKILL, "status %d", program->status);
	program_free(program);
}

/* A killed run; its scratch directory's name into @scratch. */
static void leave_run(char scratch[NAME_BYTES])
{
	struct program program;

	start_run(&program, place_path("disk"), NULL);
	kill_run(&program);
	CU_ASSERT_FATAL(place_find_scratch(place_path("disk"), scratch, NAME_BYTES));
	EXPECT(place_count(place_path("disk/%s", scratch), PLACE_FILES) > 10, "nothing was made");
}

static void write_below(const char *dir, const char *name, const char *text)
{
	place_make(dir);
	place_write(place_path("%s/%s", strstr(dir, "disk"), name), text);
}

/* Things that look like ours but are not. @scratch: a real one, whose marker is forged. */
static void make_decoys(const char *scratch)
{
	char *marker = place_read(place_path("disk/%s/owner", scratch));

	EXPECT(marker[0] != '\0', "no marker in %s", scratch);
	write_below(place_path("disk/.fsderby-foo"), "precious", "1");
	write_below(place_path("disk/" FORGED), "owner", marker);
	place_write(place_path("disk/" FORGED "/precious"), "2");
	write_below(place_path("disk/precious"), "file", "3");
	write_below(place_path("disk/.fsderby-empty-owner"), "owner", "");
	write_below(place_path("disk/fsderby-"
	                       "20260101T000000-0123abcd"),
	        "precious", "4");
	place_write(place_path("disk/.fsderby-file"), "5");
	EXPECT(symlink("precious", place_path("disk/.fsderby-link")) == 0 &&
	                symlink(scratch, place_path("disk/.fsderby-20260101T000000-00000000")) == 0,
	        "symlink");
	free(marker);
}

/* All on disk but the scratch directory. */
static char *list_others(const char *scratch)
{
	char *list = place_list(place_path("disk")), *out = list, *rest = list;
	size_t length = strlen(scratch);

	while (*rest != '\0') {
		size_t line = strcspn(rest, "\n") + 1;
		bool is_ours = strncmp(rest, scratch, length) == 0;

		if (!is_ours) {
			memmove(out, rest, line);
			out += line;
		}
		rest += line;
	}
	*out = '\0';
	return list;
}

static void check_others(const char *before, const char *scratch)
{
	char *after = list_others(scratch);

	EXPECT(strcmp(before, after) == 0, "touched what is not ours; before:\n%safter:\n%s",
	        before, after);
	free(after);
}

static void check_journal(void)
{
	char *journal = place_read(place_path("state/fsderby/last-run.jsonl"));

	/* Create was on disk before copy began. */
	EXPECT(program_count_lines(journal, "{\"result\":") == 1, "journal: %s", journal);
	EXPECT(program_count_lines(journal, "\"create\"") >= 1, "journal: %s", journal);
	free(journal);
}

static void test_by_journal(void)
{
	char scratch[NAME_BYTES], *others, *all, *after;
	struct program program;

	leave_run(scratch);
	check_journal();
	make_decoys(scratch);
	EXPECT(symlink(place_path("disk/precious"), place_path("disk/%s/out", scratch)) == 0,
	        "symlink");
	others = list_others(scratch);
	all = place_list(place_path("disk"));
	program_run(&program, NULL, 0, ARGUMENTS("clean", "--dry-run"));
	EXPECT(strstr(program.out, scratch) != NULL, "not listed: %s", program.out);
	EXPECT(program_count_lines(program.out, NULL) == 1, "more than one line: %s", program.out);
	program_free(&program);
	after = place_list(place_path("disk"));
	EXPECT(strcmp(all, after) == 0, "a dry run changes something");
	program_run(&program, NULL, 0, ARGUMENTS("clean"));
	EXPECT(strstr(program.out, scratch) != NULL, "not said: %s", program.out);
	program_free(&program);
	EXPECT(!place_exists(place_path("disk/%s", scratch)), "%s is left", scratch);
	check_others(others, scratch);
	program_run(&program, NULL, 0, ARGUMENTS("clean"));
	EXPECT(strstr(program.out, "nothing to clean") != NULL, "again: %s", program.out);
	program_free(&program);
	free(others);
	free(all);
	free(after);
}

/* By directory, without a journal that tells of it, beside a run that lives. */
static void test_by_directory(void)
{
	char scratch[NAME_BYTES], *others;
	const struct program_how elsewhere = { .state = "state/nowhere" };
	struct program program, live;

	leave_run(scratch);
	make_decoys(scratch);
	others = list_others(scratch);
	start_run(&live, place_path("disk"), "state/other");
	program_run(&program, &elsewhere, 0, ARGUMENTS("clean", "--dry-run", place_path("disk")));
	EXPECT(strstr(program.out, scratch) != NULL, "not listed: %s", program.out);
	EXPECT(program_count_lines(program.out, "would remove") == 1, "more: %s", program.out);
	EXPECT(place_exists(place_path("disk/%s", scratch)), "a dry run removes");
	program_free(&program);
	program_run(&program, &elsewhere, 0, ARGUMENTS("clean", place_path("disk")));
	EXPECT(strstr(program.out, "still alive") != NULL, "the live one is not told of: %s",
	        program.out);
	EXPECT(!place_exists(place_path("disk/%s", scratch)), "%s is left", scratch);
	program_free(&program);
	program_wait(&live, PROGRAM_TIMEOUT_S);
	EXPECT(live.status == 0, "the live one: exit status %d: %s", live.status, live.err);
	check_others(others, scratch);
	program_free(&live);
	free(others);
}

/* What a killed run left is no obstacle for the next one. */
static void test_run_again(void)
{
	char scratch[NAME_BYTES];
	struct program program;

	leave_run(scratch);
	program_run(&program, NULL, 0,
	        ARGUMENTS("-w", "mongo", "--batch", "--no-settle", "-n", "1", "-s",
	                "mongo.base_size=1000", "-s", "mongo.bytes=300k", place_path("disk")));
	EXPECT(strstr(program.err, scratch + strlen(".fsderby-")) != NULL,
	        "does not tell of the earlier run: %s", program.err);
	program_free(&program);
	EXPECT(place_exists(place_path("disk/%s", scratch)), "the next run removes unasked");
	program_run(&program, NULL, 0, ARGUMENTS("clean"));
	program_free(&program);
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "clean leaves something");
}

/* Two killed runs in two places: all are found. */
static void test_several(void)
{
	struct program program;

	for (unsigned i = 0; i < 2; i++) {
		start_run(&program, i == 0 ? place_path("disk") : place_path("other"), NULL);
		kill_run(&program);
	}
	program_run(&program, NULL, 0, ARGUMENTS("clean"));
	EXPECT(program_count_lines(program.out, "removed ") == 2, "%s", program.out);
	program_free(&program);
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0 &&
	                place_count(place_path("other"), PLACE_ALL) == 0,
	        "clean leaves something");
}

/* A parent that does not ask how it ended does not make it alive. */
static void test_not_reaped(void)
{
	struct program program, clean;

	start_run(&program, place_path("disk"), NULL);
	kill(program.pid, SIGKILL);
	while (program_is_running(&program))
		program_pause(0.01);
	program_run(&clean, NULL, 0, ARGUMENTS("clean"));
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "not cleaned: %s", clean.out);
	program_wait(&program, PROGRAM_TIMEOUT_S);
	program_free(&program);
	program_free(&clean);
}

/* Two runs of one user at the same time, on one directory. */
static void test_two_at_once(void)
{
	struct program programs[2], clean;

	for (unsigned i = 0; i < 2; i++)
		start_run(&programs[i], place_path("disk"), NULL);
	program_run(&clean, NULL, 0, ARGUMENTS("clean", place_path("disk")));
	EXPECT(program_count_lines(clean.out, "still alive") == 2, "%s", clean.out);
	program_free(&clean);
	program_run(&clean, NULL, 0, ARGUMENTS("clean"));
	EXPECT(strstr(clean.out, "removed") == NULL, "%s", clean.out);
	program_free(&clean);
	for (unsigned i = 0; i < 2; i++) {
		program_wait(&programs[i], PROGRAM_TIMEOUT_S);
		EXPECT(programs[i].status == 0, "exit status %d: %s", programs[i].status,
		        programs[i].err);
		program_free(&programs[i]);
	}
	program_run(&clean, NULL, 0, ARGUMENTS("clean"));
	EXPECT(strstr(clean.out, "nothing to clean") != NULL, "%s", clean.out);
	program_free(&clean);
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "files are left");
}

void suite_clean(void)
{
	CU_pSuite suite = CU_add_suite_with_setup_and_teardown(
	        "after kill -9", NULL, NULL, place_begin, place_end);

	CU_add_test(suite, "cleaned by the journal", test_by_journal);
	CU_add_test(suite, "cleaned by directory", test_by_directory);
	CU_add_test(suite, "run again", test_run_again);
	CU_add_test(suite, "several", test_several);
	CU_add_test(suite, "not reaped", test_not_reaped);
	CU_add_test(suite, "two at once", test_two_at_once);
}
