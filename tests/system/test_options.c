/*
 * Options of a run that show in what it does: time limit, kept files, exports to standard output
 * and in several parts, progress as JSON, plain terminals and locales.
 */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "document.h"
#include "place.h"
#include "program.h"
#include "tree.h"

void suite_options(void);

/* A run of a second or so; more words may follow. */
#define SMALL_RUN                                                                                  \
	"-w", "mongo", "--batch", "--no-settle", "-n", "1", "-s", "mongo.base_size=1000", "-s",    \
	        "mongo.bytes=300k", "-s", "mongo.repetitions=1"

static int64_t work_of(const json_t *document, const char *phase)
{
	return document_integer(document_result(document, "t", phase, 1), "work");
}

/* 40 files in a second: create makes about a dozen, and the others do with these. */
static void test_time_limit(void)
{
	struct program program;
	char target[160];
	json_t *document;

	text_print(target, sizeof(target), "t=%s", place_path("disk"));
	program_run(&program, NULL, 0,
	        ARGUMENTS(SMALL_RUN, "-s", "mongo.rate=40", "--time-limit", "300ms", "-o", "r.json",
	                target));
	document = document_load(place_path("out/r.json"));
	document_check(document);
	document_check_planned(document, tree_phases, 1, 1);
	for (unsigned i = 0; tree_phases[i] != NULL; i++) {
		const json_t *result = document_result(document, "t", tree_phases[i], 1);

		EXPECT(document_is(result, "status", "ok") && document_is_null(result, "error"),
		        "%s: status %s %s", tree_phases[i], document_text(result, "status"),
		        document_text(result, "error.text"));
		EXPECT(document_number(result, "wall_s") < 10, "%s: wall_s %g", tree_phases[i],
		        document_number(result, "wall_s"));
	}
	EXPECT(document_has_mark(document_result(document, "t", "create", 1), "limit"), "no mark");
	EXPECT(document_number(document_result(document, "t", "create", 1), "wall_s") >= 0.29,
	        "create was cut before the limit");
	/* 40 a second, however late a worker starts. */
	EXPECT(work_of(document, "create") <= 25, "create: %" PRId64, work_of(document, "create"));
	EXPECT(work_of(document, "copy") <= work_of(document, "create"), "copied more than made");
	EXPECT(work_of(document, "create") + work_of(document, "copy") + work_of(document, "read") +
	                        work_of(document, "rename") >
	                0,
	        "nothing done at all");
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "files are left");
	json_decref(document);
	program_free(&program);
}

/* The limit keeps delete from removing everything. */
static void keep_files(char *scratch, size_t size)
{
	struct program program;

	program_run(&program, NULL, 0,
	        ARGUMENTS(SMALL_RUN, "-s", "mongo.rate=40", "--time-limit", "300ms", "--keep",
	                place_path("disk")));
	CU_ASSERT_FATAL(place_find_scratch(place_path("disk"), scratch, size));
	EXPECT(strstr(program.err, scratch) != NULL && strstr(program.err, "kept") != NULL,
	        "does not say where they are: %s", program.err);
	EXPECT(place_count(place_path("disk"), PLACE_FILES) > 1, "no files are kept");
	program_free(&program);
}

static void test_keep(void)
{
	struct program program;
	char scratch[64];

	keep_files(scratch, sizeof(scratch));
	program_run(&program, NULL, 0, ARGUMENTS("clean", place_path("disk")));
	program_free(&program);
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "clean DIR leaves files");
	keep_files(scratch, sizeof(scratch));
	program_run(&program, NULL, 0, ARGUMENTS("clean"));
	EXPECT(strstr(program.out, scratch) != NULL, "not found by the journal: %s", program.out);
	program_free(&program);
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "clean leaves files");
}

static void test_standard_output(void)
{
	struct program program;
	json_t *document;
	json_error_t error;

	program_run(&program, NULL, 0, ARGUMENTS(SMALL_RUN, "-o", "-", place_path("disk")));
	EXPECT(program_count_lines(program.out, "create ") == 1, "the table: %s", program.out);
	program_free(&program);
	program_run(&program, NULL, 0, ARGUMENTS(SMALL_RUN, "-o", "json:-", place_path("disk")));
	document = json_loads(program.out, JSON_REJECT_DUPLICATES, &error);
	EXPECT(document != NULL, "line %d: %s", error.line, error.text);
	document_check(document);
	json_decref(document);
	program_free(&program);
	EXPECT(place_count(place_path("out"), PLACE_ALL) == 0, "a file was made");
}

/* What cannot be printed is told, and counts. */
static void test_full_output(void)
{
	static const char *const full[] = { "sh", "-c", "exec \"$0\" \"$@\" >/dev/full", NULL };
	struct program program;

	program_run(&program, &(struct program_how){ .wrapper = full }, 1,
	        ARGUMENTS(SMALL_RUN, place_path("disk")));
	EXPECT(strstr(program.err, "No space left") != NULL ||
	                strstr(program.err, "standard output") != NULL,
	        "not said: %s", program.err);
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "files are left");
	program_free(&program);
}

/* Fields of one line; commas in quotes do not separate (RFC 4180). Ends behind the line. */
static unsigned count_fields(const char **at)
{
	bool is_quoted = false;
	unsigned n = 1;

	for (; **at != '\0' && (is_quoted || **at != '\n'); (*at)++) {
		is_quoted ^= **at == '"';
		n += **at == ',' && !is_quoted;
	}
	*at += **at == '\n';
	return n;
}

/* Every line has as many fields as the heading. Returns the lines without it. */
static unsigned check_csv(const char *name, const char *heading)
{
	char *text = place_read(place_path("out/%s", name));
	const char *at = text;
	unsigned n_fields = count_fields(&at), n_lines = 0;

	EXPECT(strncmp(text, heading, strlen(heading)) == 0, "%s: %.200s", name, text);
	for (; *at != '\0'; n_lines++) {
		unsigned n = count_fields(&at);

		EXPECT(n == n_fields, "%s: %u fields, %u in the heading", name, n, n_fields);
	}
	free(text);
	return n_lines;
}

static void test_csv(void)
{
	struct program program;
	json_t *document;
	size_t n_operations = 0;

	program_run(&program, NULL, 0,
	        ARGUMENTS(SMALL_RUN, "-s", "mongo.rate=150", "-o", "r.csv", "-o", "r.json",
	                place_path("disk")));
	document = document_load(place_path("out/r.json"));
	for (size_t i = 0; i < document_n_results(document); i++)
		n_operations += json_array_size(
		        json_object_get(document_result_at(document, i), "operations"));
	EXPECT(check_csv("r.csv", "target,workload,set,phase,round,segment,status,started,ended,"
	                          "start_ns,wall_s,") == document_n_results(document),
	        "not a line a result");
	EXPECT(check_csv("r-operations.csv",
	               "target,workload,set,phase,round,segment,name,count,errors,bytes,mean_ns,"
	               "p50_ns,p90_ns,p99_ns,p999_ns,max_ns") == n_operations,
	        "not a line an operation");
	EXPECT(check_csv("r-series.csv", "target,workload,set,phase,round,at_ns,") ==
	                json_array_size(json_object_get(document, "series")),
	        "not a line a sample");
	EXPECT(json_array_size(json_object_get(document, "series")) > 0, "no samples");
	json_decref(document);
	program_free(&program);
}

static void check_progress_line(const char *line, bool *has_worked)
{
	static const char *const names[] = { "at_ns", "target", "workload", "set", "phase", "round",
		"done", "total", "rate", "eta_s", "state" };
	json_error_t error = { .text = "" };
	json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &error);

	EXPECT(json_is_object(object), "%s: %s", line, error.text);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		EXPECT(json_object_get(object, names[i]) != NULL, "no %s: %s", names[i], line);
	EXPECT(document_is(object, "target", "t"), "target: %s", line);
	*has_worked |=
	        document_is(object, "phase", "create") && document_integer(object, "total") > 0;
	json_decref(object);
}

static void test_progress_json(void)
{
	struct program program;
	char target[160], *rest = NULL;
	bool has_worked = false;

	text_print(target, sizeof(target), "t=%s", place_path("disk"));
	program_run(&program, NULL, 0,
	        ARGUMENTS("-w", "mongo", "--progress-json", "-n", "1", "-s", "mongo.base_size=1000",
	                "-s", "mongo.bytes=300k", "-s", "mongo.repetitions=1", "--no-settle", "-s",
	                "mongo.rate=150", "-o", "r.json", target));
	for (char *line = strtok_r(program.err, "\n", &rest); line != NULL;
	        line = strtok_r(NULL, "\n", &rest))
		check_progress_line(line, &has_worked);
	EXPECT(has_worked, "create was never shown");
	json_decref(document_load(place_path("out/r.json")));
	program_free(&program);
}

static void check_plain(const struct program *program)
{
	for (const char *at = program->out; *at != '\0'; at++)
		if (!EXPECT(*at == '\n' || (*at >= ' ' && *at <= '~'), "byte %d in the table",
		            (unsigned char)*at))
			return;
	EXPECT(strchr(program->err, '\033') == NULL, "escape sequences: %s", program->err);
	EXPECT(program_count_lines(program->out, "delete ") == 1, "the table: %s", program->out);
}

/* Neither a terminal nor --batch; surroundings that say little. */
static void test_surroundings(void)
{
	static const char *const settings[][4] = {
		{ "TERM=dumb", "LC_ALL=C", NULL },
		{ "TERM=", "LC_ALL=C", "COLUMNS=0", NULL },
		{ "TERM=xterm-ghostty", "LC_ALL=POSIX", "NO_COLOR=1", NULL },
		{ "TERM=xterm-256color", "LC_ALL=xx_XX.nothing", NULL },
	};
	struct program program;

	for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		program_run(&program, &(struct program_how){ .settings = settings[i] }, 0,
		        ARGUMENTS("-w", "mongo", "--no-settle", "-n", "1", "-s",
		                "mongo.base_size=1000", "-s", "mongo.bytes=300k",
		                place_path("disk")));
		check_plain(&program);
		program_free(&program);
	}
}

/* No state directory can be made: the run goes on without a journal and says so. */
static void test_no_state(void)
{
	struct program program;

	place_write(place_path("state/blocked"), "");
	program_run(&program, &(struct program_how){ .state = "state/blocked" }, 0,
	        ARGUMENTS(SMALL_RUN, place_path("disk")));
	EXPECT(strstr(program.err, "journal") != NULL, "not said: %s", program.err);
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 0, "files are left");
	program_free(&program);
	program_run(&program, NULL, 0, ARGUMENTS(SMALL_RUN, "--no-history", place_path("disk")));
	EXPECT(place_count(place_path("state"), PLACE_FILES) == 1, "a journal all the same");
	program_free(&program);
}

static void test_lists(void)
{
	static const char *const lists[] = { "targets", "workloads" };
	struct program program;
	json_error_t error = { .text = "" };

	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		json_t *list;

		program_run(&program, NULL, 0, ARGUMENTS(lists[i], "--json"));
		list = json_loads(program.out, JSON_REJECT_DUPLICATES, &error);
		EXPECT(list != NULL && json_array_size(list) > 0, "%s: %s", lists[i], error.text);
		json_decref(list);
		program_free(&program);
	}
}

void suite_options(void)
{
	CU_pSuite suite =
	        CU_add_suite_with_setup_and_teardown("options", NULL, NULL, place_begin, place_end);

	CU_add_test(suite, "time limit", test_time_limit);
	CU_add_test(suite, "kept files", test_keep);
	CU_add_test(suite, "standard output", test_standard_output);
	CU_add_test(suite, "full standard output", test_full_output);
	CU_add_test(suite, "CSV", test_csv);
	CU_add_test(suite, "progress as JSON", test_progress_json);
	CU_add_test(suite, "poor surroundings", test_surroundings);
	CU_add_test(suite, "no journal", test_no_state);
	CU_add_test(suite, "lists", test_lists);
}
