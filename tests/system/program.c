/*
 * The program as a child. See program.h.
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"
#include "place.h"

enum { RUNNING_MAX = 8, WORDS_MAX = 96, POLL_US = 2000 };

/* Written by program_find, program_start and program_wait only. */
static char program_path[PATH_MAX];
static pid_t running[RUNNING_MAX];
static unsigned n_started;

static void note_running(pid_t old, pid_t new)
{
	for (unsigned i = 0; i < RUNNING_MAX; i++)
		if (running[i] == old) {
			running[i] = new;
			return;
		}
}

bool program_find(void)
{
	const char *name = getenv("FSDERBY");

	if (name == NULL || name[0] == '\0')
		name = "build/fsderby";
	if (realpath(name, program_path) != NULL && access(program_path, X_OK) == 0)
		return true;
	fprintf(stderr, "%s: %s; FSDERBY names the program to test\n", name, strerror(errno));
	return false;
}

/* Others may not reach where the program lies, so they get a copy. */
static const char *copy_for_others(void)
{
	const char *copy = place_shared("fsderby");

	if (!place_exists(copy)) {
		int status = program_tool(ARGUMENTS("cp", program_path, copy));

		EXPECT(status == 0 && chmod(copy, 0755) == 0, "cannot copy %s", program_path);
	}
	return copy;
}

static void redirect(const char *path, int flags, int to)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0 || dup2(fd, to) < 0)
		_exit(126);
}

static void set_environment(const struct program_how *how)
{
	setenv("HOME", place_path("state"), 1);
	setenv("XDG_STATE_HOME", place_path("%s", how->state != NULL ? how->state : "state"), 1);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	if (how->as_nobody)
		setenv("GCOV_PREFIX", place_path("state"), 1);
	for (const char *const *setting = how->settings; setting && *setting; setting++) {
		char name[64];
		size_t length = strcspn(*setting, "=");

		text_print(name, sizeof(name), "%.*s", (int)length, *setting);
		setenv(name, *setting + length + 1, 1);
	}
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) != 0 || setgid(PROGRAM_NOBODY) != 0 || setuid(PROGRAM_NOBODY) != 0)
		_exit(126);
}

/* In the child: never returns. */
static void enter(const struct program *program, const struct program_how *how,
        const char *const *words, pid_t parent)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGHUP, how->ignores_hangup ? SIG_IGN : SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	redirect("/dev/null", O_RDONLY, STDIN_FILENO);
	redirect(program->out_path, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
	redirect(program->err_path, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
	set_environment(how);
	if (how->as_nobody && geteuid() == 0)
		become_nobody();
	if (chdir(place_path("out")) != 0)
		_exit(126);
	/* After the change of user, which would undo it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(126);
	execvp(words[0], (char *const *)words);
	_exit(127);
}

static unsigned add_words(const char **words, unsigned n, const char *const *more)
{
	for (; more != NULL && *more != NULL && n < WORDS_MAX; more++)
		words[n++] = *more;
	return n;
}

void program_start(
        struct program *program, const struct program_how *how, const char *const *arguments)
{
	static const struct program_how plain;
	const char *words[WORDS_MAX + 1] = { NULL };
	unsigned n;
	pid_t parent = getpid();

	how = how != NULL ? how : &plain;
	*program = (struct program){ .pid = -1, .status = -1 };
	n_started++;
	text_print(program->out_path, sizeof(program->out_path), "%s",
	        place_path("program-%u.out", n_started));
	text_print(program->err_path, sizeof(program->err_path), "%s",
	        place_path("program-%u.err", n_started));
	n = add_words(words, 0, how->wrapper);
	words[n++] = how->as_nobody && geteuid() == 0 ? copy_for_others() : program_path;
	add_words(words, n, arguments);
	fflush(NULL);
	program->pid = fork();
	if (program->pid == 0)
		enter(program, how, words, parent);
	EXPECT(program->pid > 0, "fork: %s", strerror(errno));
	note_running(0, program->pid);
}

void program_pause(double seconds)
{
	struct timespec time = { (time_t)seconds,
		(long)((seconds - (double)(time_t)seconds) * 1e9) };

	while (nanosleep(&time, &time) != 0 && errno == EINTR)
		;
}

double program_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void program_free(struct program *program)
{
	free(program->out);
	free(program->err);
	program->out = program->err = NULL;
}

static void take_output(struct program *program)
{
	program_free(program);
	program->out = place_read(program->out_path);
	program->err = place_read(program->err_path);
}

static void note_end(struct program *program, int status)
{
	note_running(program->pid, 0);
	program->pid = -1;
	program->status =
	        WIFSIGNALED(status) ? PROGRAM_SIGNALED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Its whole group: what it started, too. */
static void kill_group(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int program_wait(struct program *program, double timeout_s)
{
	double end = program_clock() + timeout_s;
	int status;

	if (program->pid <= 0)
		return program->status;
	while (waitpid(program->pid, &status, WNOHANG) == 0) {
		if (program_clock() > end) {
			kill_group(program->pid);
			note_running(program->pid, 0);
			program->pid = -1;
			take_output(program);
			EXPECT(false, "not ended after %g s: %s", timeout_s, program->err);
			return -1;
		}
		usleep(POLL_US);
	}
	note_end(program, status);
	take_output(program);
	return program->status;
}

bool program_is_running(const struct program *program)
{
	siginfo_t info = { 0 };

	return program->pid > 0 &&
	       waitid(P_PID, (id_t)program->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

bool program_await(struct program *program, const char *text)
{
	double end = program_clock() + PROGRAM_TIMEOUT_S;

	for (;;) {
		bool runs = program_is_running(program);
		char *err = place_read(program->err_path);
		bool found = strstr(err, text) != NULL;

		free(err);
		if (found)
			return true;
		if (!runs || program_clock() > end)
			return false;
		usleep(POLL_US);
	}
}

void program_run(struct program *program, const struct program_how *how, int status,
        const char *const *arguments)
{
	program_start(program, how, arguments);
	program_wait(program, PROGRAM_TIMEOUT_S);
	EXPECT(program->status == status, "exit status %d, not %d: %s", program->status, status,
	        program->err);
}

void program_kill_all(void)
{
	for (unsigned i = 0; i < RUNNING_MAX; i++)
		if (running[i] > 0) {
			kill_group(running[i]);
			running[i] = 0;
		}
}

int program_tool(const char *const *words)
{
	posix_spawn_file_actions_t actions;
	int status = -1, code;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	code = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (code != 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 127;
	return WEXITSTATUS(status);
}

bool program_has_tool(const char *name)
{
	static const char *const folders[] = { "/usr/sbin", "/sbin", "/usr/bin", "/bin" };
	char path[PATH_MAX];

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (access(text_print(path, sizeof(path), "%s/%s", folders[i], name), X_OK) == 0)
			return true;
	return false;
}

unsigned program_count_lines(const char *text, const char *part)
{
	unsigned n = 0;

	while (*text != '\0') {
		size_t length = strcspn(text, "\n");

		if (part == NULL || memmem(text, length, part, strlen(part)) != NULL)
			n++;
		text += length + (text[length] == '\n');
	}
	return n;
}
