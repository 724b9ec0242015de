/*
 * The journal: what is left of runs that were killed, that still live, that began at the same time.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
#include "report_fixture.h"
#include "results/journal.h"
#include "results/journal_file.h"
#include "results/owner.h"

void suite_journal(void);

static const char *const variables[] = { "XDG_STATE_HOME", "HOME", "SUDO_UID", "SUDO_GID" };
enum { VARIABLES = sizeof(variables) / sizeof(variables[0]), RUNS = 6 };

/* A state directory of the test's own, and the environment as it was. */
struct place {
	char state[64], directory[128], last[192];
	char *saved[VARIABLES];
};

static void place_init(struct place *place)
{
	for (int i = 0; i < VARIABLES; i++) {
		const char *value = getenv(variables[i]);

		place->saved[i] = value ? strdup(value) : NULL;
		unsetenv(variables[i]);
	}
	text_print(place->state, sizeof(place->state), "/tmp/fsderby-journal-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(place->state));
	text_print(place->directory, sizeof(place->directory), "%s/fsderby", place->state);
	text_print(place->last, sizeof(place->last), "%s/last-run.jsonl", place->directory);
	setenv("XDG_STATE_HOME", place->state, 1);
}

static void place_release(struct place *place)
{
	char command[128];

	text_print(command, sizeof(command), "rm -r '%s'", place->state);
	CU_ASSERT_EQUAL(system(command), 0);
	for (int i = 0; i < VARIABLES; i++) {
		if (place->saved[i])
			setenv(variables[i], place->saved[i], 1);
		else
			unsetenv(variables[i]);
		free(place->saved[i]);
	}
}

static unsigned count_open(void)
{
	struct journal_open_run *runs;
	unsigned n;

	CU_ASSERT_EQUAL_FATAL(journal_find_open(&runs, &n, NULL), 0);
	journal_free_open(runs, n);
	return n;
}

/* In a child: begin a journal with two results, tell @fd, wait to be killed. */
static void live(unsigned number, int fd)
{
	struct report *report = fixture_new(1);
	struct result *result = fixture_result(FIXTURE_CREATE, 0, 1, 10);
	struct journal *journal;
	char c = 'e';

	text_print(report->id, sizeof(report->id), "run%u", number);
	if (!journal_open(&journal, report, NULL) && !journal_add_result(journal, result, NULL) &&
	        !journal_add_result(journal, result, NULL))
		c = '.';
	if (write(fd, &c, 1) == 1)
		pause();
	_exit(0);
}

/* Start a run that lives until it is killed. */
static pid_t start_run(unsigned number, int fd)
{
	pid_t child = fork();

	if (child == 0)
		live(number, fd);
	CU_ASSERT_FATAL(child > 0);
	return child;
}

static void wait_for(int fd, unsigned n)
{
	char c;

	for (unsigned i = 0; i < n; i++) {
		CU_ASSERT_EQUAL_FATAL(read(fd, &c, 1), 1);
		CU_ASSERT_EQUAL(c, '.');
	}
}

static void end_run(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A run that was killed after two results. */
static void leave_dead_run(unsigned number)
{
	int fds[2];
	pid_t child;

	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	child = start_run(number, fds[1]);
	wait_for(fds[0], 1);
	end_run(child);
	close(fds[0]);
	close(fds[1]);
}

static void test_lines(void)
{
	struct place place;
	struct report *report = fixture_full();
	struct journal *journal;
	char *line = NULL;
	size_t room = 0, n = 0;
	FILE *file;

	place_init(&place);
	CU_ASSERT_EQUAL_FATAL(journal_open(&journal, report, NULL), 0);
	for (size_t i = 0; i < report->n_results; i++)
		CU_ASSERT_EQUAL(journal_add_result(journal, report->results[i], NULL), 0);
	CU_ASSERT_EQUAL(journal_add_change(journal, &report->changes[0], NULL), 0);
	journal_close(journal, true, true);
	file = fopen(place.last, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	while (getline(&line, &room, file) > 0) {
		json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

		CU_ASSERT_PTR_NOT_NULL_FATAL(root);
		if (n == 0)
			CU_ASSERT_EQUAL(json_array_size(json_object_get(root, "scratch")), 3);
		if (n == 1)
			CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(
			                               json_object_get(root, "result"), "phase")),
			        "create");
		n++;
		json_decref(root);
	}
	CU_ASSERT_EQUAL(n, report->n_results + 3);
	free(line);
	fclose(file);
	report_free(report);
	place_release(&place);
}

static void test_live_and_closed(void)
{
	struct place place;
	struct report *report = fixture_new(1);
	struct journal *journal;

	place_init(&place);
	CU_ASSERT_EQUAL(count_open(), 0);
	CU_ASSERT_NOT_EQUAL(access(place.directory, F_OK), 0);
	CU_ASSERT_EQUAL_FATAL(journal_open(&journal, report, NULL), 0);
	/* It is open, but this process lives. */
	CU_ASSERT_EQUAL(count_open(), 0);
	journal_close(journal, true, true);
	CU_ASSERT_EQUAL(count_open(), 0);
	report_free(report);
	place_release(&place);
}

static void test_killed(void)
{
	struct journal_open_run *runs;
	struct place place;
	unsigned n;

	place_init(&place);
	leave_dead_run(1);
	CU_ASSERT_EQUAL_FATAL(journal_find_open(&runs, &n, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(n, 1);
	CU_ASSERT_STRING_EQUAL(runs[0].id, "run1");
	CU_ASSERT_STRING_EQUAL(runs[0].file, place.last);
	CU_ASSERT_EQUAL_FATAL(runs[0].n_paths, 3);
	CU_ASSERT_STRING_EQUAL(runs[0].paths[1], "/mnt/b c%");
	CU_ASSERT_STRING_EQUAL(runs[0].paths[2], "/mnt/\xc3\xa4\xfe");
	CU_ASSERT_EQUAL(journal_forget(&runs[0], NULL), 0);
	journal_free_open(runs, n);
	CU_ASSERT_EQUAL(count_open(), 0);
	CU_ASSERT_EQUAL(access(place.last, F_OK), 0);
	place_release(&place);
}

/* Cut the file to every length: a run is found as soon as its first line is whole. */
static void test_cut_off(void)
{
	struct place place;
	struct stat st;
	char *text, *end;
	int fd;

	place_init(&place);
	leave_dead_run(1);
	fd = open(place.last, O_RDWR);
	CU_ASSERT_FATAL(fd >= 0 && !fstat(fd, &st));
	text = calloc(1, (size_t)st.st_size + 1);
	CU_ASSERT_EQUAL_FATAL(read(fd, text, (size_t)st.st_size), st.st_size);
	end = strchr(text, '\n');
	for (off_t size = st.st_size; size > 0; size -= size > 1500 ? 97 : 1) {
		CU_ASSERT_EQUAL_FATAL(ftruncate(fd, size), 0);
		CU_ASSERT_EQUAL(count_open(), size >= end - text);
	}
	close(fd);
	free(text);
	place_release(&place);
}

static void test_damaged(void)
{
	static const char garbage[] =
	        "{\"result\": {\"tar\0\xff\n\n{\"end\": {\"cleaned\": tru\n[1";
	struct journal_open_run *runs;
	struct place place;
	unsigned n;
	int fd;

	place_init(&place);
	leave_dead_run(1);
	fd = open(place.last, O_WRONLY | O_APPEND);
	CU_ASSERT_EQUAL(write(fd, garbage, sizeof(garbage) - 1), sizeof(garbage) - 1);
	CU_ASSERT_EQUAL_FATAL(journal_find_open(&runs, &n, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(n, 1);
	/* The end goes on a line of its own, behind the half one. */
	CU_ASSERT_EQUAL(journal_forget(&runs[0], NULL), 0);
	journal_free_open(runs, n);
	CU_ASSERT_EQUAL(count_open(), 0);
	CU_ASSERT_EQUAL(ftruncate(fd, 0), 0);
	CU_ASSERT_EQUAL(write(fd, garbage, sizeof(garbage) - 1), sizeof(garbage) - 1);
	CU_ASSERT_EQUAL(count_open(), 0);
	close(fd);
	place_release(&place);
}

/* An open journal is kept under its own name when the next run begins. */
static void test_kept(void)
{
	struct journal_open_run *runs;
	struct report *report = fixture_new(1);
	struct journal *journal;
	struct place place;
	char kept[256];
	unsigned n;

	place_init(&place);
	leave_dead_run(1);
	CU_ASSERT_EQUAL_FATAL(journal_open(&journal, report, NULL), 0);
	text_print(kept, sizeof(kept), "%s/run-run1.jsonl", place.directory);
	CU_ASSERT_EQUAL(access(kept, F_OK), 0);
	journal_close(journal, true, true);
	CU_ASSERT_EQUAL_FATAL(journal_find_open(&runs, &n, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(n, 1);
	CU_ASSERT_STRING_EQUAL(runs[0].file, kept);
	CU_ASSERT_EQUAL(journal_forget(&runs[0], NULL), 0);
	CU_ASSERT_NOT_EQUAL(access(kept, F_OK), 0);
	journal_free_open(runs, n);
	report_free(report);
	place_release(&place);
}

static void test_left_files(void)
{
	struct place place;
	pid_t child;
	int status;

	place_init(&place);
	child = fork();
	if (child == 0) {
		struct report *report = fixture_new(1);
		struct journal *journal;

		if (journal_open(&journal, report, NULL))
			_exit(1);
		journal_close(journal, false, false);
		report_free(report);
		_exit(0);
	}
	waitpid(child, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(count_open(), 1);
	place_release(&place);
}

static void test_at_the_same_time(void)
{
	struct report *report = fixture_new(1);
	struct journal *journal;
	struct place place;
	pid_t children[RUNS];
	int fds[2];

	place_init(&place);
	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	for (unsigned i = 0; i < RUNS; i++)
		children[i] = start_run(i, fds[1]);
	wait_for(fds[0], RUNS);
	CU_ASSERT_EQUAL(count_open(), 0);
	for (unsigned i = 0; i < RUNS; i++) {
		end_run(children[i]);
		CU_ASSERT_EQUAL(count_open(), i + 1);
	}
	close(fds[0]);
	close(fds[1]);
	CU_ASSERT_EQUAL_FATAL(journal_open(&journal, report, NULL), 0);
	CU_ASSERT_EQUAL(count_open(), RUNS);
	journal_close(journal, true, true);
	CU_ASSERT_EQUAL(count_open(), RUNS);
	report_free(report);
	place_release(&place);
}

/* Moved aside by a later run, closed first: nothing of it is left open, or left over. */
static void test_overtaken(void)
{
	struct report *first = fixture_new(1), *second = fixture_new(1);
	struct journal *a, *b;
	struct place place;
	char kept[256];

	place_init(&place);
	text_print(first->id, sizeof(first->id), "first");
	text_print(kept, sizeof(kept), "%s/run-first.jsonl", place.directory);
	CU_ASSERT_EQUAL_FATAL(journal_open(&a, first, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(journal_open(&b, second, NULL), 0);
	CU_ASSERT_EQUAL(access(kept, F_OK), 0);
	journal_close(a, true, true);
	CU_ASSERT_NOT_EQUAL(access(kept, F_OK), 0);
	CU_ASSERT_EQUAL(access(place.last, F_OK), 0);
	journal_close(b, true, true);
	CU_ASSERT_EQUAL(access(place.last, F_OK), 0);
	report_free(first);
	report_free(second);
	place_release(&place);
}

static void test_no_directory(void)
{
	struct report *report = fixture_new(1);
	struct journal *journal = (void *)report;
	struct error err = { 0 };
	struct place place;

	place_init(&place);
	setenv("XDG_STATE_HOME", "/dev/null/state", 1);
	CU_ASSERT(journal_open(&journal, report, &err) < 0);
	CU_ASSERT_PTR_NULL(journal);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/dev/null"));
	journal_close(NULL, true, true);
	report_free(report);
	place_release(&place);
}

static void test_paths(void)
{
	char encoded[64], decoded[64];

	CU_ASSERT_EQUAL(journal_file_encode(encoded, sizeof(encoded), "/a b%\xff\n"), 0);
	CU_ASSERT_STRING_EQUAL(encoded, "/a%20b%25%FF%0A");
	CU_ASSERT_EQUAL(journal_file_decode(decoded, sizeof(decoded), encoded), 0);
	CU_ASSERT_STRING_EQUAL(decoded, "/a b%\xff\n");
	CU_ASSERT_EQUAL(journal_file_decode(decoded, sizeof(decoded), "/%"), -EBADMSG);
	CU_ASSERT_EQUAL(journal_file_decode(decoded, sizeof(decoded), "/%4"), -EBADMSG);
	CU_ASSERT_EQUAL(journal_file_decode(decoded, sizeof(decoded), "/%zz"), -EBADMSG);
	CU_ASSERT_EQUAL(journal_file_decode(decoded, sizeof(decoded), "/%00"), -EBADMSG);
	CU_ASSERT_EQUAL(journal_file_decode(decoded, 4, "/abc"), -ENAMETOOLONG);
	CU_ASSERT_EQUAL(journal_file_encode(encoded, 4, "/abc"), -ENAMETOOLONG);
}

static void test_home(void)
{
	char directory[PATH_MAX];
	struct place place;

	place_init(&place);
	unsetenv("XDG_STATE_HOME");
	setenv("HOME", place.state, 1);
	CU_ASSERT_EQUAL(journal_directory(directory, sizeof(directory), NULL), 0);
	CU_ASSERT_EQUAL(strncmp(directory, place.state, strlen(place.state)), 0);
	CU_ASSERT_STRING_EQUAL(directory + strlen(place.state), "/.local/state/fsderby");
	CU_ASSERT_EQUAL(access(directory, W_OK), 0);
	/* Not absolute: as if it were not set. */
	setenv("XDG_STATE_HOME", "here", 1);
	CU_ASSERT_EQUAL(journal_directory(directory, sizeof(directory), NULL), 0);
	CU_ASSERT_EQUAL(strncmp(directory, place.state, strlen(place.state)), 0);
	place_release(&place);
}

static void test_sudo(void)
{
	struct report *report = fixture_new(1);
	struct journal *journal;
	struct place place;
	struct stat st;
	uid_t uid;
	gid_t gid;

	place_init(&place);
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "12x", 1);
	CU_ASSERT_FALSE(owner_read(&uid, &gid));
	setenv("SUDO_GID", "23456", 1);
	/* For anybody but root these are only words. */
	CU_ASSERT_EQUAL(owner_read(&uid, &gid), geteuid() == 0);
	CU_ASSERT_EQUAL_FATAL(journal_open(&journal, report, NULL), 0);
	journal_close(journal, true, true);
	CU_ASSERT_EQUAL_FATAL(stat(place.last, &st), 0);
	CU_ASSERT_EQUAL(st.st_uid, geteuid() == 0 ? 12345 : geteuid());
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
	CU_ASSERT_EQUAL_FATAL(stat(place.directory, &st), 0);
	CU_ASSERT_EQUAL(st.st_uid, geteuid() == 0 ? 12345 : geteuid());
	/* What was there before stays whose it was. */
	CU_ASSERT_EQUAL_FATAL(stat(place.state, &st), 0);
	CU_ASSERT_EQUAL(st.st_uid, geteuid());
	report_free(report);
	place_release(&place);
}

void suite_journal(void)
{
	CU_pSuite suite = CU_add_suite("journal", NULL, NULL);

	CU_add_test(suite, "each line is a document", test_lines);
	CU_add_test(suite, "live and closed runs are not open", test_live_and_closed);
	CU_add_test(suite, "a killed run is", test_killed);
	CU_add_test(suite, "cut off anywhere", test_cut_off);
	CU_add_test(suite, "damaged", test_damaged);
	CU_add_test(suite, "kept when the next begins", test_kept);
	CU_add_test(suite, "ended with files left", test_left_files);
	CU_add_test(suite, "runs at the same time", test_at_the_same_time);
	CU_add_test(suite, "overtaken by a later run", test_overtaken);
	CU_add_test(suite, "no place for it", test_no_directory);
	CU_add_test(suite, "paths of any bytes", test_paths);
	CU_add_test(suite, "state directory", test_home);
	CU_add_test(suite, "under sudo", test_sudo);
}
