/*
 * The exports: documents that parse, the same figures everywhere, files that are whole or absent.
 */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "export/export.h"
#include "report_fixture.h"

void suite_export(void);

static char directory[64];

static int make_directory(void)
{
	text_print(directory, sizeof(directory), "/tmp/fsderby-export-XXXXXX");
	return mkdtemp(directory) ? 0 : 1;
}

/* Fails when a test has left a file. */
static int remove_directory(void)
{
	return rmdir(directory) ? 1 : 0;
}

static const char *place(const char *name)
{
	static char path[256];

	return text_print(path, sizeof(path), "%s/%s", directory, name);
}

static unsigned count_files(void)
{
	DIR *dir = opendir(directory);
	unsigned n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

/* NULL when it is not there; the caller frees it. */
static char *read_file(const char *name)
{
	FILE *file = fopen(place(name), "r");
	char *text = NULL;
	size_t room = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &room, '\0', file) < 0 && text)
		text[0] = '\0';
	fclose(file);
	return text;
}

static int write_name(
        const char *prefix, const char *name, struct report *report, struct error *err)
{
	struct export_target target;
	char argument[320];

	text_print(argument, sizeof(argument), "%s%s", prefix, place(name));
	CU_ASSERT_EQUAL_FATAL(export_parse(argument, &target, err), 0);
	return export_write(&target, report, err);
}

/* Export, read back, remove; the caller frees it. */
static char *export_read(const char *prefix, const char *name, struct report *report)
{
	struct error err = { 0 };
	char *text;

	CU_ASSERT_EQUAL_FATAL(write_name(prefix, name, report, &err), 0);
	text = read_file(name);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	unlink(place(name));
	return text;
}

static json_t *export_document(struct report *report)
{
	char *text = export_read("", "a.json", report);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(root);
	free(text);
	return root;
}

static void test_parse(void)
{
	static const struct {
		const char *argument, *format, *path;
	} good[] = {
		{ "-", "txt", "-" },
		{ "a.txt", "txt", "a.txt" },
		{ "/x.y/a.json", "json", "/x.y/a.json" },
		{ "a.csv", "csv", "a.csv" },
		{ "mongo:a.txt", "mongo", "a.txt" },
		{ "json:-", "json", "-" },
		{ "who:a.csv", "csv", "who:a.csv" },
	};
	static const char *const bad[] = { "", "a", "a.xyz", ".json", "mongo:", "json",
		"a.json.gz" };
	struct export_target target;
	struct error err;

	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		CU_ASSERT_EQUAL_FATAL(export_parse(good[i].argument, &target, &err), 0);
		CU_ASSERT_STRING_EQUAL(target.format->name, good[i].format);
		CU_ASSERT_STRING_EQUAL(target.path, good[i].path);
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CU_ASSERT_EQUAL(export_parse(bad[i], &target, &err), -EINVAL);
	for (unsigned i = 0; export_format_at(i); i++) {
		const struct export_format *format = export_format_at(i);

		export_parse("a.xyz", &target, &err);
		CU_ASSERT_PTR_NOT_NULL(
		        strstr(err.text, format->ending ? format->ending : format->name));
	}
}

static int check(const char *path, struct error *err)
{
	struct export_target target = { export_format_at(0), path };

	return export_check(&target, err);
}

static void test_check(void)
{
	char name[300];
	struct error err = { 0 };

	CU_ASSERT_EQUAL(check("-", &err), 0);
	CU_ASSERT_EQUAL(check("/dev/null", &err), 0);
	CU_ASSERT_EQUAL(check(place("a.txt"), &err), 0);
	CU_ASSERT_EQUAL(count_files(), 0);
	CU_ASSERT_EQUAL(check(place("none/a.txt"), &err), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "none/a.txt"));
	CU_ASSERT_EQUAL(check(directory, &err), -EISDIR);
	CU_ASSERT(check("/proc/a.txt", &err) < 0);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	CU_ASSERT_EQUAL(check(name, &err), -ENAMETOOLONG);
}

static const json_t *find_result(const json_t *root, unsigned row, unsigned target, unsigned round)
{
	const json_t *results = json_object_get(root, "results");
	size_t index = 0;

	/* In the order of the fixture, which adds one more for the changed read of round 1. */
	for (unsigned r = 1; r <= 3; r++)
		for (unsigned i = 0; i < FIXTURE_ROWS; i++)
			for (unsigned t = 0; t < FIXTURE_TARGETS; t++, index++) {
				if (r == round && i == row && t == target)
					return json_array_get(results, index);
				if (r == 1 && i == FIXTURE_READ && t == FIXTURE_TMPFS)
					index++;
			}
	return NULL;
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static const char *word(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "(none)";
}

static bool is_null(const json_t *object, const char *key)
{
	return json_is_null(json_object_get(object, key));
}

static void test_json_head(void)
{
	struct report *report = fixture_full();
	json_t *root = export_document(report);
	const json_t *run = json_object_get(root, "run");
	const json_t *targets = json_object_get(root, "targets");
	const json_t *xfs = json_array_get(targets, FIXTURE_XFS);

	CU_ASSERT_EQUAL(number(root, "schema"), 1);
	CU_ASSERT_STRING_EQUAL(word(run, "started"), "2026-12-01T00:03:45.123456Z");
	CU_ASSERT(json_is_true(json_object_get(run, "complete")));
	CU_ASSERT_DOUBLE_EQUAL(number(run, "seed"), 18446744073709551615.0, 1e5);
	CU_ASSERT_EQUAL(json_array_size(targets), FIXTURE_TARGETS);
	CU_ASSERT_STRING_EQUAL(word(xfs, "label"), "x,\"f\"s\xEF\xBF\xBD");
	CU_ASSERT_STRING_EQUAL(word(xfs, "options"), "rw,relatime\xEF\xBF\xBD\xEF\xBF\xBD");
	CU_ASSERT_EQUAL(json_array_size(json_object_get(xfs, "devices")), 2);
	CU_ASSERT_STRING_EQUAL(
	        json_string_value(json_array_get(json_object_get(xfs, "flags"), 0)), "loop");
	CU_ASSERT_EQUAL(json_array_size(json_object_get(root, "comparisons")), 0);
	CU_ASSERT(json_is_array(json_object_get(root, "comparisons")));
	CU_ASSERT_STRING_EQUAL(
	        word(json_array_get(json_object_get(root, "changes"), 0), "new"), "2\xEF\xBF\xBD");
	/* Not finite, and not known. */
	CU_ASSERT(is_null(json_array_get(json_object_get(root, "series"), 1), "rate"));
	CU_ASSERT(is_null(json_array_get(json_object_get(root, "series"), 0), "cpu_percent"));
	json_decref(root);
	report_free(report);
}

static void check_operation(const json_t *operation)
{
	static const char *const rising[] = { "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns" };
	double before = 0;

	CU_ASSERT(number(operation, "mean_ns") <= number(operation, "max_ns"));
	for (unsigned i = 0; i < sizeof(rising) / sizeof(rising[0]); i++) {
		if (is_null(operation, rising[i]))
			continue;
		CU_ASSERT(number(operation, rising[i]) >= before);
		before = number(operation, rising[i]);
	}
	CU_ASSERT_EQUAL(is_null(operation, "p90_ns"), number(operation, "count") < 10);
	CU_ASSERT_EQUAL(is_null(operation, "p99_ns"), number(operation, "count") < 100);
	CU_ASSERT_EQUAL(is_null(operation, "p999_ns"), number(operation, "count") < 1000);
}

static void test_json_result(void)
{
	struct report *report = fixture_full();
	json_t *root = export_document(report);
	const json_t *result = find_result(root, FIXTURE_CREATE, FIXTURE_EXT4, 2);
	const json_t *device = json_object_get(result, "device");
	size_t i;
	json_t *operation;

	CU_ASSERT_STRING_EQUAL(word(result, "set"), "base_size=100");
	CU_ASSERT_STRING_EQUAL(word(result, "status"), "ok");
	CU_ASSERT_DOUBLE_EQUAL(number(result, "wall_s"), 10.1, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(
	        number(result, "rate"), number(result, "work") / number(result, "wall_s"), 1e-6);
	CU_ASSERT_EQUAL(json_array_size(json_object_get(result, "repetitions")), 3);
	CU_ASSERT_STRING_EQUAL(word(device, "name"), "loop0");
	CU_ASSERT_EQUAL(number(device, "written_bytes"), 8192);
	CU_ASSERT_EQUAL(number(json_object_get(device, "bottom"), "written_bytes"), 16384);
	CU_ASSERT_EQUAL(number(result, "space_bytes"), -4096);
	CU_ASSERT_EQUAL(number(result, "fragments"), 1.25);
	CU_ASSERT(is_null(find_result(root, FIXTURE_CREATE, FIXTURE_XFS, 2), "fragments"));
	CU_ASSERT(is_null(result, "error"));
	CU_ASSERT(is_null(result, "steal_percent"));
	json_array_foreach(json_object_get(result, "operations"), i, operation)
	        check_operation(operation);
	CU_ASSERT_EQUAL(i, 3);
	result = find_result(root, FIXTURE_CREATE, FIXTURE_TMPFS, 2);
	CU_ASSERT_STRING_EQUAL(word(result, "target"), "tmpfs");
	CU_ASSERT(is_null(result, "device"));
	json_decref(root);
	report_free(report);
}

static void test_json_failures(void)
{
	struct report *report = fixture_full();
	json_t *root = export_document(report);
	const json_t *result = find_result(root, FIXTURE_COPY, FIXTURE_XFS, 2);
	const json_t *error = json_object_get(result, "error");

	CU_ASSERT_STRING_EQUAL(word(result, "status"), "error");
	CU_ASSERT_STRING_EQUAL(word(error, "operation"), "write");
	CU_ASSERT_STRING_EQUAL(word(error, "path"), "testdir1-0-0/\xEF\xBF\xBD\n1");
	CU_ASSERT_EQUAL(number(error, "errno"), EIO);
	CU_ASSERT_STRING_EQUAL(word(error, "text"), "Input/output error");
	CU_ASSERT(is_null(result, "rate"));
	CU_ASSERT_STRING_EQUAL(
	        json_string_value(json_array_get(json_object_get(result, "marks"), 0)), "error");
	result = find_result(root, FIXTURE_READ, FIXTURE_XFS, 2);
	CU_ASSERT_STRING_EQUAL(word(result, "status"), "skipped");
	CU_ASSERT(is_null(result, "wall_s"));
	CU_ASSERT(is_null(result, "work"));
	CU_ASSERT(is_null(result, "started"));
	CU_ASSERT(is_null(result, "device"));
	CU_ASSERT_EQUAL(number(json_object_get(result, "params"), "base_size"), 100);
	result = find_result(root, FIXTURE_STATS, FIXTURE_TMPFS, 3);
	CU_ASSERT_EQUAL(number(result, "paused_s"), 2.5);
	json_decref(root);
	report_free(report);
}

static void test_json_params(void)
{
	struct report *report = fixture_full();
	json_t *root = export_document(report);
	const json_t *params;

	params =
	        json_object_get(find_result(root, FIXTURE_MULTI_CREATE, FIXTURE_EXT4, 1), "params");
	CU_ASSERT(json_is_integer(json_object_get(params, "base_size")));
	CU_ASSERT_EQUAL(number(params, "base_size"), 1000);
	CU_ASSERT_EQUAL(number(params, "processes"), 2);
	CU_ASSERT_STRING_EQUAL(word(params, "content"), "random");
	params = json_object_get(find_result(root, FIXTURE_ACCESS, FIXTURE_EXT4, 1), "params");
	CU_ASSERT_EQUAL(json_array_size(json_object_get(params, "sizes")), 1);
	CU_ASSERT_EQUAL(number(params, "block"), 16384);
	CU_ASSERT_EQUAL(number(params, "write"), 0.25);
	CU_ASSERT_EQUAL(number(params, "think"), 0);
	CU_ASSERT_EQUAL(number(params, "offset"), -3);
	CU_ASSERT_STRING_EQUAL(word(params, "hot"), "\xEF\xBF\xBD"
	                                            "ff");
	json_decref(root);
	report_free(report);
}

/* A run at its very beginning is a whole document too. */
static void test_json_empty(void)
{
	struct report *report = fixture_new(2);
	json_t *root = export_document(report);

	CU_ASSERT_EQUAL(json_array_size(json_object_get(root, "results")), 0);
	CU_ASSERT(is_null(json_object_get(root, "run"), "ended"));
	CU_ASSERT(json_is_false(json_object_get(json_object_get(root, "run"), "complete")));
	json_decref(root);
	report_free(report);
}

/* Where the machine has a locale with a comma, the point stays. */
static void test_locale(void)
{
	static const char *const names[] = { "txt", "csv", "json", "mongo" };
	static const char *const locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE" };
	struct report *report = fixture_full();
	char *before[4], *after;
	bool has_comma = false;

	for (int i = 0; i < 4; i++) {
		char prefix[16];

		before[i] = export_read(
		        text_print(prefix, sizeof(prefix), "%s:", names[i]), "a", report);
		unlink(place("a-operations"));
		unlink(place("a-series"));
	}
	for (int i = 0; i < 3 && !has_comma; i++)
		has_comma = setlocale(LC_NUMERIC, locales[i]) != NULL;
	for (int i = 0; i < 4; i++) {
		char prefix[16];

		after = export_read(
		        text_print(prefix, sizeof(prefix), "%s:", names[i]), "a", report);
		unlink(place("a-operations"));
		unlink(place("a-series"));
		CU_ASSERT_STRING_EQUAL(before[i], after);
		free(before[i]);
		free(after);
	}
	setlocale(LC_NUMERIC, "C");
	report_free(report);
}

/* Split RFC 4180 text: the number of rows, and the fields of each row must be the same number. */
static unsigned check_csv(const char *text, unsigned *n_fields)
{
	unsigned rows = 0, fields = 1;
	bool is_quoted = false;

	*n_fields = 0;
	for (; *text; text++) {
		if (*text == '"')
			is_quoted = !is_quoted;
		else if (!is_quoted && *text == ',')
			fields++;
		else if (!is_quoted && text[0] == '\r' && text[1] == '\n') {
			if (!rows)
				*n_fields = fields;
			CU_ASSERT_EQUAL(fields, *n_fields);
			rows++;
			fields = 1;
			text++;
		} else if (!is_quoted) {
			CU_ASSERT(*text != '\n' && *text != '\r');
		}
	}
	CU_ASSERT_FALSE(is_quoted);
	return rows;
}

static void test_csv(void)
{
	struct report *report = fixture_full();
	char *results = export_read("", "a.csv", report);
	char *operations = read_file("a-operations.csv"), *series = read_file("a-series.csv");
	size_t n_operations = 0;
	unsigned fields;

	CU_ASSERT_PTR_NOT_NULL_FATAL(operations);
	CU_ASSERT_PTR_NOT_NULL_FATAL(series);
	for (size_t i = 0; i < report->n_results; i++)
		n_operations += report->results[i]->n_operations;
	CU_ASSERT_EQUAL(check_csv(results, &fields), report->n_results + 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(results, ",device_bottom_read_bytes,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(results, ",error_operation,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(results, "\"x,\"\"f\"\"s\xEF\xBF\xBD\""));
	CU_ASSERT_EQUAL(check_csv(operations, &fields), n_operations + 1);
	CU_ASSERT_EQUAL(fields, 16);
	CU_ASSERT_EQUAL(
	        strncmp(operations, "target,workload,set,phase,round,segment,name,count,", 51), 0);
	CU_ASSERT_EQUAL(check_csv(series, &fields), 3);
	free(results);
	free(operations);
	free(series);
	unlink(place("a-operations.csv"));
	unlink(place("a-series.csv"));
	report_free(report);
}

static void test_text(void)
{
	struct report *report = fixture_full();
	char *text = export_read("", "a.txt", report);
	unsigned column = 0;

	for (const char *at = text; *at; at++) {
		CU_ASSERT(*at == '\n' || (*at >= ' ' && *at < 127));
		column = *at == '\n' ? 0 : column + 1;
		CU_ASSERT(column <= 80);
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "mongo base_size=100"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "10.1"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "no space"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "aborted"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nfragments /file"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, " 1.25\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "-4.00 KiB"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "used against before the set"));
	CU_ASSERT_PTR_NOT_NULL(
	        strstr(text, "! x,\"f\"s?, mongo base_size=100 copy, round 2: write"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Input/output error"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "* ran out of space"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "| was paused"));
	CU_ASSERT_PTR_NULL(strstr(text, "shorter than"));
	CU_ASSERT_PTR_NULL(strstr(text, "no comparison"));
	report_free(report);
	report = fixture_new(1);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, " cpu all"));
	free(text);
	text_print(report->schedule, sizeof(report->schedule), "together");
	text = export_read("", "a.txt", report);
	CU_ASSERT_PTR_NULL(strstr(text, " cpu all"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "1 round: no comparison"));
	CU_ASSERT_PTR_NULL(strstr(text, "+-"));
	free(text);
	report_free(report);
}

/* Any width: no crash, and wide enough puts all targets on one line. */
static void test_print(void)
{
	struct report *report = fixture_full();
	char *text;
	size_t size;

	for (unsigned columns = 0; columns < 300; columns += 7) {
		FILE *file = open_memstream(&text, &size);

		CU_ASSERT_EQUAL(export_print(report, columns, file, NULL), 0);
		fclose(file);
		CU_ASSERT(size > 1000);
		if (columns > 200)
			CU_ASSERT_PTR_NOT_NULL(strstr(text, "  ext4 "));
		free(text);
	}
	report_free(report);
}

/* Sets of one and of two processes in one run: a heading each, single first, in both parts. */
static void test_mongo_processes(void)
{
	struct report *report = fixture_full();
	char *text = export_read("mongo:", "a", report), *at = text;
	static const char *const headings[] = {
		"MONGO_SINGLE_PROCESS BENCHMARK",
		"base_size=100 bytes",
		"MONGO_MULTI_PROCESS (2 processes) BENCHMARK",
		"files=403770, base_size=1000 bytes, dirs=746",
		"MONGO_SINGLE_PROCESS RATIO",
		"base_size=100 bytes",
		"MONGO_MULTI_PROCESS (2 processes) RATIO",
		"base_size=1000 bytes",
	};
	unsigned n = 0;

	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		at = strstr(at, headings[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	}
	for (at = text; (at = strstr(at, "MONGO_")) != NULL; at++)
		n++;
	CU_ASSERT_EQUAL(n, 4);
	free(text);
	report_free(report);
}

static void test_mongo(void)
{
	struct report *report = fixture_full();
	char *text = export_read("mongo:", "a", report);
	const char *ratio = strstr(text, "RATIO");

	CU_ASSERT_EQUAL(
	        strncmp(text, "MONGO_SINGLE_PROCESS BENCHMARK RESULTS (time in sec.)\n", 54), 0);
	CU_ASSERT_PTR_NOT_NULL(
	        strstr(text, "Parameters: files=403770, base_size=100 bytes, dirs=746\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "MONGO_MULTI_PROCESS (2 processes)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "ext4           |    10.10    11.10    12.10"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "x,\"f\"s?        |        *\n"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(ratio);
	CU_ASSERT_PTR_NOT_NULL(strstr(ratio, "ext4           |    10.10"));
	CU_ASSERT_PTR_NOT_NULL(strstr(ratio, "tmpfs          |     1.00     1.00"));
	CU_ASSERT_PTR_NOT_NULL(strstr(ratio, "x,\"f\"s?        |     2.00     2.00"));
	free(text);
	report_free(report);
}

/* Nothing to divide by. */
static void test_mongo_zero(void)
{
	struct report *report = fixture_new(1);
	struct result *result = fixture_result(FIXTURE_CREATE, FIXTURE_EXT4, 1, 10);
	char *text;

	result->classic_s = 0;
	report_add_result(report, result);
	report_add_result(report, fixture_result(FIXTURE_CREATE, FIXTURE_XFS, 1, 10));
	text = export_read("mongo:", "a", report);
	CU_ASSERT_PTR_NOT_NULL(strstr(strstr(text, "RATIO"), "x,\"f\"s?        |        -"));
	free(text);
	report->n_rows = 0;
	CU_ASSERT_EQUAL(write_name("mongo:", "a", report, NULL), -ENODATA);
	report_free(report);
}

/* In a child with a limit on file sizes: what write answers when there is no room. */
static int write_without_room(struct report *report, const char *name)
{
	struct rlimit limit = { 4096, 4096 };
	pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(write_name("", name, report, NULL) == -EFBIG ? 0 : 1);
	}
	waitpid(child, &status, 0);
	return status;
}

static void test_never_half(void)
{
	struct report *report = fixture_full();
	char *text;
	FILE *file;

	CU_ASSERT_EQUAL(write_without_room(report, "a.json"), 0);
	CU_ASSERT_EQUAL(count_files(), 0);
	file = fopen(place("a.csv"), "w");
	fputs("old", file);
	fclose(file);
	/* The series would fit, the results do not: none is replaced. */
	CU_ASSERT_EQUAL(write_without_room(report, "a.csv"), 0);
	CU_ASSERT_EQUAL(count_files(), 1);
	text = read_file("a.csv");
	CU_ASSERT_STRING_EQUAL(text, "old");
	free(text);
	unlink(place("a.csv"));
	report_free(report);
}

/* What is no regular file is written to and never replaced. */
static void test_special(void)
{
	struct report *report = fixture_full();
	struct export_target full = { export_format_at(0), "/dev/full" };
	char text[64] = "";
	struct stat st;
	int fd;

	CU_ASSERT_EQUAL_FATAL(mkfifo(place("a.txt"), 0600), 0);
	fd = open(place("a.txt"), O_RDONLY | O_NONBLOCK);
	CU_ASSERT_EQUAL(write_name("", "a.txt", report, NULL), 0);
	CU_ASSERT(read(fd, text, sizeof(text) - 1) > 0);
	CU_ASSERT_EQUAL(strncmp(text, "fsderby", 7), 0);
	CU_ASSERT_EQUAL(lstat(place("a.txt"), &st), 0);
	CU_ASSERT(S_ISFIFO(st.st_mode));
	close(fd);
	unlink(place("a.txt"));
	/* Not as root: were this broken, the device would be gone. */
	if (geteuid() != 0)
		CU_ASSERT_EQUAL(export_write(&full, report, NULL), -ENOSPC);
	CU_ASSERT_EQUAL(count_files(), 0);
	report_free(report);
}

static void test_places(void)
{
	struct report *report = fixture_full();
	struct stat st;
	FILE *file;

	/* A link stays a link, what it leads to keeps its mode. */
	file = fopen(place("real.txt"), "w");
	fclose(file);
	CU_ASSERT_EQUAL(chmod(place("real.txt"), 0640), 0);
	CU_ASSERT_EQUAL_FATAL(symlink("real.txt", place("link.txt")), 0);
	CU_ASSERT_EQUAL(write_name("", "link.txt", report, NULL), 0);
	CU_ASSERT_EQUAL(lstat(place("link.txt"), &st), 0);
	CU_ASSERT(S_ISLNK(st.st_mode));
	CU_ASSERT_EQUAL(stat(place("real.txt"), &st), 0);
	CU_ASSERT(st.st_size > 1000);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0640);
	unlink(place("link.txt"));
	unlink(place("real.txt"));
	CU_ASSERT_EQUAL(count_files(), 0);
	report_free(report);
}

static void test_owner(void)
{
	struct report *report = fixture_new(1);
	mode_t mask = umask(027);
	struct stat st;

	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "23456", 1);
	CU_ASSERT_EQUAL(write_name("", "a.txt", report, NULL), 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	umask(mask);
	CU_ASSERT_EQUAL_FATAL(stat(place("a.txt"), &st), 0);
	CU_ASSERT_EQUAL(st.st_uid, geteuid() == 0 ? 12345 : geteuid());
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0640);
	unlink(place("a.txt"));
	report_free(report);
}

void suite_export(void)
{
	CU_pSuite suite = CU_add_suite("export", make_directory, remove_directory);

	CU_add_test(suite, "arguments", test_parse);
	CU_add_test(suite, "checked at the start", test_check);
	CU_add_test(suite, "json: run and targets", test_json_head);
	CU_add_test(suite, "json: a result", test_json_result);
	CU_add_test(suite, "json: failures", test_json_failures);
	CU_add_test(suite, "json: parameters", test_json_params);
	CU_add_test(suite, "json: nothing yet", test_json_empty);
	CU_add_test(suite, "the point in every locale", test_locale);
	CU_add_test(suite, "csv", test_csv);
	CU_add_test(suite, "text", test_text);
	CU_add_test(suite, "text at any width", test_print);
	CU_add_test(suite, "mongo", test_mongo);
	CU_add_test(suite, "mongo: processes", test_mongo_processes);
	CU_add_test(suite, "mongo: ratio to nothing", test_mongo_zero);
	CU_add_test(suite, "never half a file", test_never_half);
	CU_add_test(suite, "links", test_places);
	CU_add_test(suite, "pipes and devices", test_special);
	CU_add_test(suite, "owner and mode", test_owner);
}
