/*
 * Trouble on one target: a file system that is too small, in bytes or in inodes, or files that
 * vanish. The cell says so, the rest of that set is skipped, everything else goes on.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "document.h"
#include "images.h"
#include "place.h"
#include "program.h"
#include "tree.h"

void suite_trouble(void);

static void end(void)
{
	images_release();
	place_end();
}

static char *make_target(char *out, size_t size, const char *label, const char *path)
{
	return text_print(out, size, "%s=%s", label, path);
}

static void check_full(const json_t *result, const char *phase)
{
	EXPECT(document_is(result, "status", "no-space"), "%s: status %s", phase,
	        document_text(result, "status"));
	EXPECT(document_has_mark(result, "no-space"), "%s: no mark", phase);
	EXPECT(document_is_null(result, "rate"), "%s: a rate", phase);
	EXPECT(document_integer(result, "error.errno") == ENOSPC, "%s: errno %d", phase,
	        (int)document_integer(result, "error.errno"));
	EXPECT(document_text(result, "error.operation")[0] != '\0' &&
	                document_text(result, "error.text")[0] != '\0',
	        "%s: no operation or no text", phase);
	EXPECT(strstr(document_text(result, "error.path"), "/testdir") != NULL, "%s: path %s",
	        phase, document_text(result, "error.path"));
}

static void check_skipped(const json_t *result, const char *phase)
{
	EXPECT(document_is(result, "status", "skipped"), "%s: status %s", phase,
	        document_text(result, "status"));
	EXPECT(document_is_null(result, "wall_s") && document_is_null(result, "work") &&
	                document_is_null(result, "rate"),
	        "%s: figures though skipped", phase);
}

/* Row by row of one set: ok, then full at one of them, then skipped. Returns where it was full. */
static unsigned check_set(const json_t *document, const char *set)
{
	unsigned n_full = 0, full = 0;

	for (unsigned i = 0; tree_phases[i] != NULL; i++) {
		const json_t *result;
		char row[64];

		text_print(row, sizeof(row), "%s@%s", tree_phases[i], set);
		EXPECT(document_is(document_result(document, "other", row, 1), "status", "ok"),
		        "other: %s", row);
		result = document_result(document, "small", row, 1);
		if (n_full > 0) {
			check_skipped(result, row);
		} else if (!document_is(result, "status", "ok")) {
			check_full(result, row);
			n_full++;
			full = i;
		}
	}
	EXPECT(n_full == 1, "%s: never full", set);
	return full;
}

static void check_table(const char *text)
{
	EXPECT_PART(text, "*");
	EXPECT_PART(text, "ran out of space");
}

/* Two sets that both overflow in the copy: the second is tried again from an empty one. */
static void test_bytes(void)
{
	char small[200], other[200];
	struct program program;
	json_t *document;

	if (!images_are_possible("a full ext4") || !images_mount("small", "ext4", 64, NULL))
		return;
	make_target(small, sizeof(small), "small", images_path("small"));
	make_target(other, sizeof(other), "other", place_memory());
	program_run(&program, NULL, 1,
	        ARGUMENTS("-w", "mongo", "--batch", "--no-settle", "-n", "1", "-s",
	                "mongo.base_size=1000,10000", "-s", "mongo.bytes=28M", "-s",
	                "mongo.repetitions=1", "-o", "r.json", small, other));
	EXPECT(strstr(program.err, "small=") != NULL && strstr(program.err, "MiB") != NULL,
	        "not warned before: %s", program.err);
	check_table(program.out);
	document = document_load(place_path("out/r.json"));
	document_check(document);
	EXPECT(check_set(document, "base_size=1000") == 1, "not full in the copy");
	EXPECT(check_set(document, "base_size=10000") == 1, "second set: not full in the copy");
	EXPECT(place_count(images_path("small"), PLACE_ALL) == 0, "left on the small one");
	EXPECT(place_count(place_memory(), PLACE_ALL) == 0, "left in memory");
	json_decref(document);
	program_free(&program);
}

static void test_inodes(void)
{
	char small[200], other[200];
	struct program program;
	json_t *document;

	if (!images_are_possible("out of inodes") ||
	        !images_mount("small", "ext4", 64, ARGUMENTS("-N", "200")))
		return;
	make_target(small, sizeof(small), "small", images_path("small"));
	make_target(other, sizeof(other), "other", place_memory());
	program_run(&program, NULL, 1,
	        ARGUMENTS("-w", "mongo", "--batch", "--no-settle", "-n", "1", "-s",
	                "mongo.base_size=100", "-s", "mongo.bytes=300k", "-s",
	                "mongo.repetitions=1", "-o", "r.json", small, other));
	EXPECT(strstr(program.err, "small=") != NULL && strstr(program.err, "inodes") != NULL,
	        "not warned before: %s", program.err);
	check_table(program.out);
	document = document_load(place_path("out/r.json"));
	document_check(document);
	check_set(document, "base_size=100");
	EXPECT(place_count(images_path("small"), PLACE_ALL) == 0, "left on the small one");
	json_decref(document);
	program_free(&program);
}

/* Refused before anything is written, with both figures. */
static void test_strict(void)
{
	char small[200], other[200];
	struct program program;

	if (!images_may_mount("strict space") || !images_mount_tmpfs("small", "size=8m", false))
		return;
	make_target(small, sizeof(small), "small", images_path("small"));
	make_target(other, sizeof(other), "other", place_path("disk"));
	program_run(&program, NULL, 2,
	        ARGUMENTS("-w", "mongo", "--batch", "--strict-space", "-s", "mongo.base_size=1000",
	                "-s", "mongo.bytes=8M", "-o", "r.json", small, other));
	EXPECT(strstr(program.err, small) != NULL && strstr(program.err, "needs") != NULL,
	        "does not say what is missing: %s", program.err);
	EXPECT(place_count(images_path("small"), PLACE_ALL) == 0 &&
	                place_count(place_path("disk"), PLACE_ALL) == 0 &&
	                place_count(place_path("out"), PLACE_ALL) == 0,
	        "something was made");
	program_free(&program);
	program_run(&program, NULL, 2,
	        ARGUMENTS("plan", "-w", "mongo", "--strict-space", "-s", "mongo.base_size=1000",
	                "-s", "mongo.bytes=8M", small));
	program_free(&program);
	program_run(&program, NULL, 0,
	        ARGUMENTS("plan", "-w", "mongo", "-s", "mongo.base_size=1000", "-s",
	                "mongo.bytes=8M", small));
	EXPECT(strstr(program.out, "no: space") != NULL, "the plan: %s", program.out);
	EXPECT(place_count(images_path("small"), PLACE_ALL) == 0 &&
	                place_count(place_path("state"), PLACE_ALL) == 0,
	        "the plan makes something");
	program_free(&program);
}

static void check_vanished(const json_t *document)
{
	const json_t *read = document_result(document, "small", "read", 1);

	EXPECT(document_is(read, "status", "error") && document_has_mark(read, "error"),
	        "read: status %s", document_text(read, "status"));
	EXPECT(document_is(read, "error.operation", "openat") &&
	                document_integer(read, "error.errno") == ENOENT &&
	                document_is(read, "error.text", strerror(ENOENT)),
	        "read: %s: %s", document_text(read, "error.operation"),
	        document_text(read, "error.text"));
	EXPECT(strstr(document_text(read, "error.path"), "/testdir2-0-0") != NULL, "read: path %s",
	        document_text(read, "error.path"));
	EXPECT(document_is_null(read, "rate"), "read: a rate");
	check_skipped(document_result(document, "small", "stats", 1), "stats");
	check_skipped(document_result(document, "small", "delete", 1), "delete");
	for (unsigned i = 0; tree_phases[i] != NULL; i++)
		EXPECT(document_is(document_result(document, "other", tree_phases[i], 1), "status",
		               "ok"),
		        "other: %s", tree_phases[i]);
}

/* Somebody removes the copy while the first tree is read. */
static void test_vanishing(void)
{
	char small[200], other[200], scratch[64];
	struct program program;
	json_t *document;

	make_target(small, sizeof(small), "small", place_path("disk"));
	make_target(other, sizeof(other), "other", place_memory());
	program_start(&program, NULL,
	        ARGUMENTS("-w", "mongo", "--batch", "--no-settle", "-n", "1", "-s",
	                "mongo.base_size=1000", "-s", "mongo.bytes=300k", "-s",
	                "mongo.repetitions=1", "-s", "mongo.rate=150", "-o", "r.json", small,
	                other));
	EXPECT(program_await(&program, "small: mongo base_size=1000 read round 1: begins"),
	        "never began");
	CU_ASSERT_FATAL(place_find_scratch(place_path("disk"), scratch, sizeof(scratch)));
	program_tool(ARGUMENTS("rm", "-r", "--", place_path("disk/%s/testdir2-0-0", scratch)));
	program_wait(&program, PROGRAM_TIMEOUT_S);
	EXPECT(program.status == 1, "exit status %d: %s", program.status, program.err);
	EXPECT(strstr(program.out, "!") != NULL && strstr(program.out, "openat") != NULL,
	        "not in the table: %s", program.out);
	document = document_load(place_path("out/r.json"));
	document_check(document);
	check_vanished(document);
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "files are left");
	json_decref(document);
	program_free(&program);
}

void suite_trouble(void)
{
	CU_pSuite suite = CU_add_suite_with_setup_and_teardown(
	        "trouble on one target", NULL, NULL, place_begin, end);

	CU_add_test(suite, "bytes", test_bytes);
	CU_add_test(suite, "inodes", test_inodes);
	CU_add_test(suite, "strict", test_strict);
	CU_add_test(suite, "vanishing files", test_vanishing);
}
