/*
 * Surroundings that fall short: few descriptors, a limit on file sizes, no standard output, a pipe
 * that nobody reads, a marker that somebody removed. What was not measured is never a good exit
 * status, and what can be removed is.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "place.h"
#include "program.h"

void suite_limits(void);

#define TREE_RUN                                                                                   \
	"-w", "mongo", "-s", "mongo.base_size=1000", "-s", "mongo.bytes=1M", "-s",                 \
	        "mongo.repetitions=1", "-n", "1", "--no-settle", "--batch"

/* A shell that sets something up and becomes the program. */
#define SHELL(setup) ((const char *const[]){ "sh", "-c", setup "; exec \"$@\"", "sh", NULL })

/* Wherever it is that the descriptors run out, an exit status of 0 means that all was measured. */
static void test_few_descriptors(void)
{
	static const char *const setups[] = { "ulimit -n 8", "ulimit -n 9", "ulimit -n 10",
		"ulimit -n 11", "ulimit -n 12", "ulimit -n 14", "ulimit -n 16" };

	for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
		char line[64];
		const char *const wrapper[] = { "sh", "-c", line, "sh", NULL };
		struct program program;
		int status;

		text_print(line, sizeof(line), "%s; exec \"$@\"", setups[i]);
		program_start(&program, &(struct program_how){ .wrapper = wrapper },
		        ARGUMENTS(TREE_RUN, place_path("disk"), place_path("other")));
		status = program_wait(&program, PROGRAM_TIMEOUT_S);
		EXPECT(status >= 0 && status <= 2, "%s: status %d", setups[i], status);
		if (status == 0)
			EXPECT(program_count_lines(program.out, "s ") >= 7 &&
			                program_count_lines(program.out, "delete ") == 1 &&
			                strstr(program.out, " - ") == NULL,
			        "%s: status 0 and %s", setups[i], program.out);
		program_free(&program);
		EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "%s: files", setups[i]);
	}
}

static void test_file_size_limit(void)
{
	struct program program;

	program_run(&program, &(struct program_how){ .wrapper = SHELL("ulimit -f 20") }, 1,
	        ARGUMENTS(TREE_RUN, place_path("disk")));
	EXPECT_PART(program.out, "File too large");
	program_free(&program);
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "files are left");
}

static void test_no_standard_output(void)
{
	struct program program;

	program_run(&program, &(struct program_how){ .wrapper = SHELL("exec >&-") }, 1,
	        ARGUMENTS(TREE_RUN, place_path("disk")));
	EXPECT_PART(program.err, "standard output could not be written");
	program_free(&program);
}

static void test_pipe_without_reader(void)
{
	struct program program;

	CU_ASSERT_EQUAL_FATAL(mkfifo(place_path("out/pipe.json"), 0600), 0);
	program_run(&program, NULL, 1,
	        ARGUMENTS(TREE_RUN, "-o", place_path("out/pipe.json"), place_path("disk")));
	EXPECT_PART(program.err, "pipe.json: cannot be written");
	EXPECT(program_count_lines(program.out, "delete ") == 1, "no table: %s", program.out);
	program_free(&program);
}

/* Without its marker nothing is removed, and that is no good end. */
static void test_marker_removed(void)
{
	struct program program;
	char scratch[64];

	program_start(&program, NULL,
	        ARGUMENTS(TREE_RUN, "-s", "mongo.rate=2k", "--live", "lines", place_path("disk")));
	EXPECT(program_await(&program, "create"), "no phase begins");
	EXPECT(place_find_scratch(place_path("disk"), scratch, sizeof(scratch)), "no scratch");
	EXPECT(unlink(place_path("disk/%s/owner", scratch)) == 0, "no marker");
	EXPECT(program_wait(&program, PROGRAM_TIMEOUT_S) == 1, "status %d", program.status);
	EXPECT_PART(program.err, "by hand");
	program_free(&program);
	EXPECT(place_exists(place_path("disk/%s", scratch)), "removed without its marker");
}

void suite_limits(void)
{
	CU_pSuite suite = CU_add_suite_with_setup_and_teardown(
	        "what falls short", NULL, NULL, place_begin, place_end);

	CU_add_test(suite, "few descriptors", test_few_descriptors);
	CU_add_test(suite, "a limit on file sizes", test_file_size_limit);
	CU_add_test(suite, "no standard output", test_no_standard_output);
	CU_add_test(suite, "a pipe without a reader", test_pipe_without_reader);
	CU_add_test(suite, "the marker removed", test_marker_removed);
}
