/*
 * The real program (FSDERBY, default build/fsderby) in a real terminal, with a load that does no
 * I/O. Asserts what is seen and what is left behind, with limits far above what it takes.
 */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "term.h"

void suite_program(void);

enum { START_MS = 10000, SOON_MS = 5000, END_MS = 10000 };

#define LONG_RUN  "null.operations=100000000000"
#define SHORT_RUN "null.operations=1000"

static char base[64], directory[2][80], state[80];

static int begin(void)
{
	snprintf(base, sizeof(base), "/tmp/fsderby-tui-XXXXXX");
	if (mkdtemp(base) == NULL)
		return 1;
	snprintf(state, sizeof(state), "%s/state", base);
	snprintf(directory[0], sizeof(directory[0]), "%s/one", base);
	snprintf(directory[1], sizeof(directory[1]), "%s/two", base);
	setenv("XDG_STATE_HOME", state, 1);
	return mkdirat(AT_FDCWD, directory[0], 0700) + mkdirat(AT_FDCWD, directory[1], 0700);
}

/* What a crash leaves, and the memory of it: the next start would ask about it. */
static void remove_leftovers(void)
{
	char command[320];

	snprintf(command, sizeof(command), "rm -rf '%s' '%s'/.fsderby-* '%s'/.fsderby-*", state,
	        directory[0], directory[1]);
	CU_ASSERT_EQUAL(system(command), 0);
}

static int end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	return system(command) != 0;
}

static bool read_file(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t n;

	if (file == NULL)
		return false;
	n = fread(out, 1, size - 1, file);
	out[n] = '\0';
	fclose(file);
	return n > 0;
}

static char *program(void)
{
	char *name = getenv("FSDERBY");

	return name != NULL ? name : "build/fsderby";
}

/* Nothing of a run is left in the targets. */
static bool is_clean(void)
{
	for (int i = 0; i < 2; i++) {
		DIR *dir = opendir(directory[i]);
		struct dirent *entry;
		unsigned n = 0;

		if (dir == NULL)
			return false;
		while ((entry = readdir(dir)) != NULL)
			n += strncmp(entry->d_name, ".fsderby-", 9) == 0;
		closedir(dir);
		if (n > 0)
			return false;
	}
	return true;
}

static void start_with(struct term *term, struct term_start start, const char *load, char *option)
{
	char *arguments[] = { program(), "-w", "null", "-s", (char *)load, "-n", "1", "--no-settle",
		directory[0], directory[1], option, NULL };

	start.arguments = arguments;
	if (start.rows == 0 && start.columns == 0) {
		start.rows = 24;
		start.columns = 80;
	}
	CU_ASSERT_EQUAL_FATAL(term_open(term, &start), 0);
}

static void start(struct term *term)
{
	start_with(term, (struct term_start){ 0 }, LONG_RUN, NULL);
	CU_ASSERT(term_wait(term, "running", START_MS));
}

/* End a run that is still going, by Ctrl-C. */
static void stop(struct term *term)
{
	term_type(term, "\003");
	CU_ASSERT(term_wait_end(term, END_MS));
	CU_ASSERT(WIFEXITED(term->status));
	CU_ASSERT_EQUAL(WEXITSTATUS(term->status), 128 + SIGINT);
	term_close(term);
	CU_ASSERT(is_clean());
}

static void test_first_frame(void)
{
	struct term term;

	start(&term);
	CU_ASSERT(term.is_alternate);
	CU_ASSERT(!term.has_cursor);
	CU_ASSERT(term.has_mouse);
	CU_ASSERT(!term_is_cooked(&term));
	CU_ASSERT(term_wait(&term, "spin", SOON_MS));
	CU_ASSERT(term_shows(&term, "F1 help"));
	CU_ASSERT(term_shows(&term, "q quit"));
	CU_ASSERT(term_shows(&term, "throughput"));
	stop(&term);
}

static void test_pause(void)
{
	struct term term;

	start(&term);
	term_type(&term, " ");
	CU_ASSERT(term_wait(&term, "PAUSED", SOON_MS));
	term_type(&term, "z");
	CU_ASSERT(term_wait(&term, "PAUSED FROZEN", SOON_MS));
	term_type(&term, "z ");
	CU_ASSERT(term_wait(&term, "▶ running", SOON_MS));
	CU_ASSERT(!term_shows(&term, "PAUSED"));
	CU_ASSERT(!term_shows(&term, "FROZEN"));
	stop(&term);
}

/* Calls of the workers so far: syscr + syscw of the threads named w<number>-…; -1: none runs. */
static long worker_calls(pid_t pid)
{
	char path[320], text[512];
	long sum = -1;
	DIR *tasks;
	struct dirent *task;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks != NULL && (task = readdir(tasks)) != NULL) {
		const char *reads, *writes;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", (int)pid, task->d_name);
		if (!read_file(path, text, sizeof(text)) || text[0] != 'w' || text[1] != '0')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/io", (int)pid, task->d_name);
		if (!read_file(path, text, sizeof(text)))
			continue;
		reads = strstr(text, "syscr: ");
		writes = strstr(text, "syscw: ");
		if (reads != NULL && writes != NULL)
			sum = (sum < 0 ? 0 : sum) + atol(reads + 7) + atol(writes + 7);
	}
	if (tasks != NULL)
		closedir(tasks);
	return sum;
}

/* While paused no worker makes a call, on either target; afterwards they go on. */
static void test_pause_stops_calls(void)
{
	struct term term;
	char *arguments[] = { program(), "-w", "mongo", "-s", "mongo.base_size=1000", "-s",
		"mongo.repetitions=1", "-s", "mongo.bytes=20M", "-s", "mongo.rate=200", "-n", "1",
		"--no-settle", "--schedule", "together", directory[0], directory[1], NULL };
	struct term_start at = { .rows = 24, .columns = 80, .arguments = arguments };
	long before, after;

	CU_ASSERT_EQUAL_FATAL(term_open(&term, &at), 0);
	CU_ASSERT(term_wait(&term, "● running", START_MS));
	term_run(&term, 500); /* the rate makes the phase last 10 s: this is amid it */
	term_type(&term, " ");
	CU_ASSERT(term_wait(&term, "‖ paused", SOON_MS));
	term_run(&term, 200);
	before = worker_calls(term.pid);
	term_run(&term, 1000);
	after = worker_calls(term.pid);
	CU_ASSERT(before > 0);
	CU_ASSERT_EQUAL(before, after);
	stop(&term);
}

static void test_pages(void)
{
	static const char *const f1[] = { "\033OP", "\033[11~", "\033[[A", "?" };
	struct term term;

	start(&term);
	for (size_t i = 0; i < sizeof(f1) / sizeof(f1[0]); i++) {
		term_type(&term, f1[i]);
		CU_ASSERT(term_wait(&term, "pause everything", SOON_MS));
		term_type(&term, "\033");
		CU_ASSERT(term_wait(&term, "throughput", 1000));
	}
	term_type(&term, "\r");
	CU_ASSERT(term_wait(&term, "phase spin", SOON_MS));
	term_type(&term, "\033");
	CU_ASSERT(term_wait(&term, "throughput", 1000));
	stop(&term);
}

static void test_resize_steps(void)
{
	struct term term;

	start(&term);
	for (int columns = 80; columns >= 1; columns--) {
		term_resize(&term, columns / 3 + 1, columns);
		term_run(&term, 10);
	}
	for (int columns = 1; columns <= 80; columns++) {
		term_resize(&term, columns < 24 ? columns : 24, columns);
		term_run(&term, 10);
	}
	CU_ASSERT(term_wait(&term, "running", SOON_MS));
	CU_ASSERT(term_wait(&term, "q quit", SOON_MS));
	CU_ASSERT(kill(term.pid, 0) == 0);
	term_resize(&term, 9, 39);
	CU_ASSERT(term_wait(&term, "running", SOON_MS));
	term_resize(&term, 1, 10);
	CU_ASSERT(term_wait(&term, "too small", SOON_MS));
	stop(&term);
}

static void check_signal(int signal_number)
{
	struct term term;

	start(&term);
	kill(term.pid, signal_number);
	CU_ASSERT(term_wait_end(&term, END_MS));
	CU_ASSERT(WIFEXITED(term.status));
	CU_ASSERT_EQUAL(WEXITSTATUS(term.status), 128 + signal_number);
	CU_ASSERT(term_is_restored(&term));
	term_close(&term);
	CU_ASSERT(is_clean());
}

static void test_signals(void)
{
	check_signal(SIGINT);
	check_signal(SIGTERM);
	check_signal(SIGHUP);
	check_signal(SIGQUIT);
}

static void test_crash(void)
{
	static const int crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE };

	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
		struct term term;

		start(&term);
		kill(term.pid, crashes[i]);
		CU_ASSERT(term_wait_end(&term, END_MS));
		CU_ASSERT(WIFSIGNALED(term.status));
		CU_ASSERT_EQUAL(WTERMSIG(term.status), crashes[i]);
		CU_ASSERT(term_is_restored(&term));
		term_close(&term);
		remove_leftovers();
	}
}

static void test_stop_and_continue(void)
{
	struct term term;

	start_with(&term, (struct term_start){ .has_shell = true }, LONG_RUN, NULL);
	CU_ASSERT(term_wait(&term, "running", START_MS));
	for (int i = 0; i < 3; i++) {
		int rows = 24 + i;

		term_type(&term, "\032");
		for (int wait = 0; wait < 300 && term_program_state(&term) != 'T'; wait++)
			term_run(&term, 10);
		CU_ASSERT_EQUAL(term_program_state(&term), 'T');
		term_run(&term, 50);
		CU_ASSERT(term_is_restored(&term));
		term_resize(&term, rows, 90);
		CU_ASSERT(term_wait(&term, "▶ running", SOON_MS));
		CU_ASSERT(term.is_alternate);
		CU_ASSERT(term.has_mouse);
		CU_ASSERT(!term_is_cooked(&term));
		CU_ASSERT(term_wait(&term, "q quit", SOON_MS));
	}
	stop(&term);
}

static void test_ascii_locale(void)
{
	struct term term;

	start_with(&term, (struct term_start){ .locale = "C" }, LONG_RUN, NULL);
	CU_ASSERT(term_wait(&term, "running", START_MS));
	term_type(&term, " ");
	CU_ASSERT(term_wait(&term, "PAUSED", SOON_MS));
	term_type(&term, "?");
	CU_ASSERT(term_wait(&term, "Keys", SOON_MS));
	CU_ASSERT(!term.has_high_bytes);
	stop(&term);
}

static void test_terminal_types(void)
{
	static const char *const types[] = {
		"xterm-256color",
		"linux",
		"vt100",
		"tmux-256color",
		"screen",
		"no-such-term",
		"xterm-kitty-of-tomorrow",
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct term term;

		start_with(&term, (struct term_start){ .type = types[i] }, LONG_RUN, NULL);
		CU_ASSERT(term_wait(&term, "running", START_MS));
		if (i >= 5)
			CU_ASSERT(term_wait(&term, types[i], SOON_MS)); /* the hint names it */
		stop(&term);
	}
}

static void test_no_size(void)
{
	struct term term;
	struct term_start no_size = { .rows = 0, .columns = 0 };
	char *arguments[] = { program(), "-w", "null", "-s", LONG_RUN, "-n", "1", "--no-settle",
		directory[0], directory[1], NULL };

	no_size.arguments = arguments;
	CU_ASSERT_EQUAL_FATAL(term_open(&term, &no_size), 0);
	CU_ASSERT(term_wait(&term, "running", START_MS));
	stop(&term);
}

/* No terminal worth the name: lines, and no escape. */
static void test_dumb(void)
{
	struct term term;

	start_with(&term, (struct term_start){ .type = "dumb" }, SHORT_RUN, NULL);
	CU_ASSERT(term_wait_end(&term, END_MS));
	CU_ASSERT(WIFEXITED(term.status));
	CU_ASSERT_EQUAL(WEXITSTATUS(term.status), 0);
	CU_ASSERT(!term.is_alternate);
	CU_ASSERT(term_shows(&term, "spin"));
	term_close(&term);
}

static void check_hang_up(bool ignores_hup)
{
	struct term term;
	struct timespec tick = { 0, 10000000 };
	int waited = 0;

	start_with(&term, (struct term_start){ .ignores_hup = ignores_hup }, LONG_RUN,
	        ignores_hup ? "--hangup=stop" : NULL);
	CU_ASSERT(term_wait(&term, "running", START_MS));
	term_hang_up(&term);
	while (waited < END_MS && waitpid(term.pid, &term.status, WNOHANG) != term.pid) {
		nanosleep(&tick, NULL);
		waited += 10;
	}
	term.has_ended = waited < END_MS;
	CU_ASSERT(waited < 2000);
	term_close(&term);
	CU_ASSERT(is_clean());
}

static void test_hang_up(void)
{
	check_hang_up(false);
}

/* User and system time of a process in clock ticks, -1 when it is gone. */
static long cpu_ticks(pid_t pid)
{
	char path[64], line[1024];
	long user = -1, system_time = 0;
	const char *after;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return -1;
	if (fgets(line, sizeof(line), file) != NULL && (after = strrchr(line, ')')) != NULL &&
	        sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
	                &system_time) != 2)
		user = -1;
	fclose(file);
	return user < 0 ? -1 : user + system_time;
}

/* Without a screen the run goes on, and waits for it without burning a core. */
static void test_headless(void)
{
	struct term term;
	struct timespec while_running = { 2, 0 };
	long before, after;

	start_with(&term, (struct term_start){ 0 }, LONG_RUN, "--hangup=continue");
	CU_ASSERT(term_wait(&term, "running", START_MS));
	term_type(&term, " ");
	CU_ASSERT(term_wait(&term, "PAUSED", SOON_MS));
	term_hang_up(&term);
	nanosleep(&(struct timespec){ 0, 500000000 }, NULL);
	before = cpu_ticks(term.pid);
	nanosleep(&while_running, NULL);
	after = cpu_ticks(term.pid);
	CU_ASSERT(before >= 0);
	CU_ASSERT(after >= before && after - before < sysconf(_SC_CLK_TCK) / 2);
	kill(term.pid, SIGTERM);
	waitpid(term.pid, &term.status, 0);
	term.has_ended = true;
	CU_ASSERT(WIFEXITED(term.status) && WEXITSTATUS(term.status) == 128 + SIGTERM);
	term_close(&term);
	CU_ASSERT(is_clean());
}

static void test_quit_asks(void)
{
	struct term term;

	start(&term);
	term_type(&term, "q");
	CU_ASSERT(term_wait(&term, "y/N", SOON_MS));
	term_type(&term, "\r"); /* anything but y: no */
	CU_ASSERT(term_wait(&term, "q quit", SOON_MS));
	CU_ASSERT(!term_wait_end(&term, 300));
	term_type(&term, "q");
	CU_ASSERT(term_wait(&term, "y/N", SOON_MS));
	term_type(&term, "y");
	CU_ASSERT(term_wait_end(&term, END_MS));
	CU_ASSERT(WIFEXITED(term.status));
	CU_ASSERT_EQUAL(WEXITSTATUS(term.status), 1); /* cells were aborted */
	CU_ASSERT(term_is_restored(&term));
	term_close(&term);
	CU_ASSERT(is_clean());
}

static void test_finished(void)
{
	struct term term;
	char option[128];

	snprintf(option, sizeof(option), "--output=%s/out.json", base);
	start_with(&term, (struct term_start){ 0 }, SHORT_RUN, option);
	CU_ASSERT(term_wait(&term, "finished", START_MS));
	CU_ASSERT(term_wait(&term, "out.json", SOON_MS));
	CU_ASSERT(!term_wait_end(&term, 300)); /* stays until q */
	term_type(&term, "q");
	CU_ASSERT(term_wait_end(&term, 2000));
	CU_ASSERT(WIFEXITED(term.status));
	CU_ASSERT_EQUAL(WEXITSTATUS(term.status), 0);
	CU_ASSERT(term_is_restored(&term));
	term_close(&term);
}

static void test_color(void)
{
	struct term term;
	VTermScreenCell cell;
	VTermPos rule = { 1, 0 };
	VTermColor plain;

	start_with(&term, (struct term_start){ .extra = "NO_COLOR=1" }, LONG_RUN, NULL);
	CU_ASSERT(term_wait(&term, "running", START_MS));
	memset(&cell, 0, sizeof(cell));
	vterm_screen_get_cell(term.screen, rule, &cell);
	plain = cell.fg;
	stop(&term);
	start_with(&term, (struct term_start){ .extra = "NO_COLOR=1" }, LONG_RUN, "--color=always");
	CU_ASSERT(term_wait(&term, "running", START_MS));
	vterm_screen_get_cell(term.screen, rule, &cell);
	CU_ASSERT(!vterm_color_is_equal(&cell.fg, &plain));
	stop(&term);
}

void suite_program(void)
{
	CU_pSuite suite = CU_add_suite("program", begin, end);

	CU_add_test(suite, "first frame", test_first_frame);
	CU_add_test(suite, "pause and freeze", test_pause);
	CU_add_test(suite, "a pause stops the calls", test_pause_stops_calls);
	CU_add_test(suite, "pages", test_pages);
	CU_add_test(suite, "resize step by step", test_resize_steps);
	CU_add_test(suite, "signals", test_signals);
	CU_add_test(suite, "crash", test_crash);
	CU_add_test(suite, "stop and continue", test_stop_and_continue);
	CU_add_test(suite, "seven bits", test_ascii_locale);
	CU_add_test(suite, "terminal types", test_terminal_types);
	CU_add_test(suite, "no size", test_no_size);
	CU_add_test(suite, "dumb", test_dumb);
	CU_add_test(suite, "window closed", test_hang_up);
	CU_add_test(suite, "window closed, run goes on", test_headless);
	CU_add_test(suite, "quit asks", test_quit_asks);
	CU_add_test(suite, "finished", test_finished);
	CU_add_test(suite, "colour", test_color);
}
