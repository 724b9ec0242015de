/*
 * A phase that is a child process: its own process group, stopped while paused, ended when
 * cancelled, its CPU time counted. Worker threads only.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/director.h"

/* The gate is looked at this often; the end of the child wakes at once. */
enum { LOOK_MS = 20 };
#define KILL_AFTER_NS UINT64_C(2000000000)

static int spawn_shell(
        pid_t *pid, const char *command, int dir_fd, int log_fd, char *const environment[])
{
	char *const arguments[] = { "sh", "-c", (char *)command, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int code;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addfchdir_np(&actions, dir_fd);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, log_fd, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, log_fd, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	code = -posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

static void add_usage(struct worker *worker, const struct rusage *usage)
{
	worker->cpu.user_ns += (uint64_t)usage->ru_utime.tv_sec * CLOCK_SECOND_NS +
	                       (uint64_t)usage->ru_utime.tv_usec * 1000;
	worker->cpu.system_ns += (uint64_t)usage->ru_stime.tv_sec * CLOCK_SECOND_NS +
	                         (uint64_t)usage->ru_stime.tv_usec * 1000;
}

/* Heed the gate while the child runs; @killed_ns: when TERM was sent, 0 not yet. */
static void heed_gate(struct worker *worker, pid_t pid, uint64_t *killed_ns)
{
	uint32_t bits = atomic_load(worker->gate);

	if (bits & GATE_CANCEL) {
		if (*killed_ns == 0) {
			kill(-pid, SIGTERM);
			kill(-pid, SIGCONT);
			*killed_ns = clock_now_ns();
		} else if (clock_now_ns() - *killed_ns > KILL_AFTER_NS) {
			kill(-pid, SIGKILL);
		}
		return;
	}
	if ((bits & GATE_HOLD) == 0)
		return;
	kill(-pid, SIGSTOP);
	worker_gate(worker, OP_CLOSE, NULL); /* parks until let go */
	kill(-pid, SIGCONT);
}

static int wait_child(struct worker *worker, pid_t pid)
{
	struct pollfd ended = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	struct rusage usage;
	uint64_t killed_ns = 0;
	int status = 0;

	for (;;) {
		pid_t got;

		poll(&ended, ended.fd >= 0 ? 1 : 0, LOOK_MS);
		atomic_fetch_add(&worker->lane->heartbeat, 1); /* it lives, however long it takes */
		got = wait4(pid, &status, WNOHANG, &usage);
		if (got == pid)
			break;
		if (got < 0 && errno != EINTR) {
			status = -errno;
			break;
		}
		heed_gate(worker, pid, &killed_ns);
	}
	kill(-pid, SIGKILL); /* what it may have left behind in its group */
	if (ended.fd >= 0)
		close(ended.fd);
	if (status >= 0)
		add_usage(worker, &usage);
	return killed_ns != 0 ? -ECANCELED : status;
}

int worker_run_child(struct worker *worker, const char *command, int dir_fd, int log_fd,
        char *const environment[])
{
	uint64_t begin;
	pid_t pid;
	int code = worker_gate(worker, OP_CHILD, NULL);

	if (code != 0)
		return code;
	op_mark(worker);
	begin = histogram_load(&worker->mark_ns);
	atomic_store(&worker->underway, OP_CHILD);
	code = spawn_shell(&pid, command, dir_fd, log_fd, environment);
	if (code == 0)
		code = wait_child(worker, pid);
	op_mark(worker);
	op_record(
	        worker, OP_CHILD, begin, histogram_load(&worker->mark_ns), 0, code == 0 ? 0 : -EIO);
	return code;
}
