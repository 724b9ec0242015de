/*
 * The clean command on leftovers of children that are gone: by directory, by journal, dry, and what
 * it must leave alone. The journal lies in the temporary directory.
 */
#include "cli/clean.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/scratch.h"

#define RUN "20260102-000000-abcd"

void suite_clean(void);

enum { OUTPUT_MAX = 8192 };

static char top[64], output[OUTPUT_MAX];

static int run_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run_shell(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

static void make_top(void)
{
	text_print(top, sizeof(top), "%s/fsderby-clean-XXXXXX",
	        access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(top));
	run_shell("mkdir %s/dir %s/state", top, top);
	setenv("XDG_STATE_HOME", top, 1);
}

static void remove_top(void)
{
	unsetenv("XDG_STATE_HOME");
	CU_ASSERT_EQUAL(run_shell("rm -rf --one-file-system '%s'", top), 0);
}

static bool exists(const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return lstat(text_print(path, sizeof(path), "%s/%s", top, name), &st) == 0;
}

/* A scratch directory in "dir" with something in it, made by a process that is gone. */
static void leave_scratch(const char *run_id)
{
	char path[PATH_MAX];
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open(text_print(path, sizeof(path), "%s/dir", top), O_RDONLY);
		int scratch = scratch_make(fd, run_id, NULL);

		_exit(scratch >= 0 && mkdirat(scratch, "d", 0700) == 0 ? 0 : 1);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Run the command; what it prints comes into `output`. */
static int run_clean(const char *first, const char *second)
{
	char *argv[] = { (char *)"clean", (char *)first, (char *)second, NULL };
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), status;
	FILE *file = tmpfile();
	size_t length;

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	status = clean_command(first == NULL ? 1 : second == NULL ? 2 : 3, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	rewind(file);
	length = fread(output, 1, sizeof(output) - 1, file);
	output[length] = '\0';
	fclose(file);
	return status;
}

static const char *dir_path(char out[PATH_MAX])
{
	return text_print(out, PATH_MAX, "%s/dir", top);
}

static void test_directory(void)
{
	char dir[PATH_MAX];

	make_top();
	leave_scratch(RUN);
	leave_scratch("other");
	CU_ASSERT_EQUAL(run_clean("--dry-run", dir_path(dir)), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "would remove"));
	CU_ASSERT(exists("dir/" SCRATCH_PREFIX RUN "/d"));
	CU_ASSERT_EQUAL(run_clean(dir_path(dir), NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "(1 entry)"));
	CU_ASSERT(!exists("dir/" SCRATCH_PREFIX RUN));
	CU_ASSERT(!exists("dir/" SCRATCH_PREFIX "other"));
	CU_ASSERT(exists("dir"));
	CU_ASSERT_EQUAL(run_clean(dir_path(dir), NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "nothing to clean"));
	remove_top();
}

static void test_not_below(void)
{
	make_top();
	leave_scratch(RUN);
	CU_ASSERT_EQUAL(run_clean(top, NULL), 0);
	CU_ASSERT(exists("dir/" SCRATCH_PREFIX RUN "/d"));
	remove_top();
}

static void test_one_by_name(void)
{
	char path[PATH_MAX];

	make_top();
	leave_scratch(RUN);
	leave_scratch("other");
	text_print(path, sizeof(path), "%s/dir/" SCRATCH_PREFIX RUN "//", top);
	CU_ASSERT_EQUAL(run_clean(path, NULL), 0);
	CU_ASSERT(!exists("dir/" SCRATCH_PREFIX RUN));
	CU_ASSERT(exists("dir/" SCRATCH_PREFIX "other"));
	remove_top();
}

static void test_left_alone(void)
{
	char dir[PATH_MAX];
	int dir_fd, fd;

	make_top();
	dir_fd = open(dir_path(dir), O_RDONLY | O_DIRECTORY);
	fd = scratch_make(dir_fd, RUN, NULL);
	run_shell("mkdir %s/" SCRATCH_PREFIX "unmarked && : >%s/" SCRATCH_PREFIX "unmarked/f", dir,
	        dir);
	CU_ASSERT_EQUAL(run_clean(dir, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "still alive"));
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "no marker"));
	CU_ASSERT(exists("dir/" SCRATCH_PREFIX RUN "/owner"));
	CU_ASSERT(exists("dir/" SCRATCH_PREFIX "unmarked/f"));
	close(fd);
	close(dir_fd);
	remove_top();
}

static void test_usage(void)
{
	char dir[PATH_MAX];

	make_top();
	CU_ASSERT_EQUAL(run_clean("--nonsense", NULL), 2);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "--nonsense"));
	CU_ASSERT_EQUAL(run_clean("", NULL), 2);
	CU_ASSERT_EQUAL(run_clean("--help", NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "usage: fsderby clean"));
	text_print(dir, sizeof(dir), "%s/none", top);
	CU_ASSERT_EQUAL(run_clean(dir, NULL), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "No such file or directory"));
	CU_ASSERT_EQUAL(run_clean("--", dir), 1);
	remove_top();
}

/* An open journal of run RUN in "dir" and in a directory that is gone; its pid cannot be. */
static void write_journal(void)
{
	CU_ASSERT_EQUAL(
	        run_shell("mkdir -p %s/fsderby && printf '%%s\\n' '{\"journal\": 1, \"run\": "
	                  "{\"id\": \"" RUN "\", \"started\": "
	                  "\"2026-01-02T00:00:00.000000Z\", \"pid\": 99999999}, "
	                  "\"scratch\": [\"%s/dir\", \"%s/gone\"]}' "
	                  ">%s/fsderby/last-run.jsonl",
	                top, top, top, top),
	        0);
}

static void test_journal(void)
{
	make_top();
	CU_ASSERT_EQUAL(run_clean(NULL, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "nothing to clean"));
	write_journal();
	leave_scratch(RUN);
	leave_scratch("other");
	CU_ASSERT_EQUAL(run_clean("--dry-run", NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "would remove"));
	CU_ASSERT(exists("dir/" SCRATCH_PREFIX RUN "/d"));
	CU_ASSERT_EQUAL(run_clean(NULL, NULL), 0);
	CU_ASSERT(!exists("dir/" SCRATCH_PREFIX RUN));
	CU_ASSERT(exists("dir/" SCRATCH_PREFIX "other"));
	/* Now it is closed. */
	leave_scratch(RUN);
	CU_ASSERT_EQUAL(run_clean(NULL, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "no run was left open"));
	CU_ASSERT(exists("dir/" SCRATCH_PREFIX RUN));
	remove_top();
}

/* A journal is kept as long as something of its run is left. */
static void test_journal_kept(void)
{
	char dir[PATH_MAX];
	int dir_fd, fd;

	make_top();
	write_journal();
	dir_fd = open(dir_path(dir), O_RDONLY | O_DIRECTORY);
	fd = scratch_make(dir_fd, RUN, NULL);
	CU_ASSERT_EQUAL(run_clean(NULL, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "still alive"));
	CU_ASSERT_EQUAL(run_clean(NULL, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(output, "still alive"));
	close(fd);
	close(dir_fd);
	remove_top();
}

void suite_clean(void)
{
	CU_pSuite suite = CU_add_suite("clean", NULL, NULL);

	CU_add_test(suite, "what lies in a directory", test_directory);
	CU_add_test(suite, "not what lies deeper", test_not_below);
	CU_add_test(suite, "one scratch directory by name", test_one_by_name);
	CU_add_test(suite, "live and unmarked ones stay", test_left_alone);
	CU_add_test(suite, "usage and faults", test_usage);
	CU_add_test(suite, "runs that the journal shows open", test_journal);
	CU_add_test(suite, "a journal is kept while something is left", test_journal_kept);
}
