/*
 * The program under test (FSDERBY, default build/fsderby) as a child: with arguments, a user, a
 * surrounding; what it prints and how it ended. It runs in a session of its own, without a
 * terminal, in the test's folder "out", with its state in "state", and dies with the tests. One
 * thread.
 */
#ifndef FSDERBY_TESTS_SYSTEM_PROGRAM_H
#define FSDERBY_TESTS_SYSTEM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	PROGRAM_TIMEOUT_S = 120, /* far above what anything takes */
	PROGRAM_SIGNALED = 1000, /* plus the signal: a status of program_wait */
	PROGRAM_NOBODY = 65534,
};

/* How to run it; all zero is the plain way. */
struct program_how {
	bool as_nobody;      /* when we are root; else as ourselves */
	bool ignores_hangup; /* as by nohup */
	const char *state;   /* folder of the test for its state; NULL: "state" */
	const char *const
	        *settings;          /* NAME=VALUE of the environment, NULL at the end; NULL: none */
	const char *const *wrapper; /* words before the program's, NULL at the end; NULL: none */
};

struct program {
	pid_t pid;
	char out_path[128], err_path[128];
	char *out, *err; /* what it has printed, after program_wait; to be freed by program_free */
	int status;
};

/* Find the program; false with a message when there is none. Once, before anything else. */
bool program_find(void);

/* @arguments ends with NULL; the program's name is not among them. */
void program_start(
        struct program *program, const struct program_how *how, const char *const *arguments);
/*
 * Until it ends: its exit status, PROGRAM_SIGNALED + n, or -1 when it was killed because it took
 * longer than @timeout_s (which also counts as a failed check).
 */
int program_wait(struct program *program, double timeout_s);
/* Wait until @text stands on its standard error; false: it has ended, or the time is over. */
bool program_await(struct program *program, const char *text);
bool program_is_running(const struct program *program);
void program_free(struct program *program);

/* Run to the end and check the exit status; prints what it said where it is another. */
void program_run(struct program *program, const struct program_how *how, int status,
        const char *const *arguments);

/* An argument list from words. */
#define ARGUMENTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* End all that still run. */
void program_kill_all(void);

/* Run another program quietly; @words ends with NULL. Its exit status, 127 where there is none. */
int program_tool(const char *const *words);
bool program_has_tool(const char *name);

/* Sleep. */
void program_pause(double seconds);
double program_clock(void);

/* How many lines @text has that contain @part; NULL: all lines. */
unsigned program_count_lines(const char *text, const char *part);

#endif
