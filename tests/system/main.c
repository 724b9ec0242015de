/*
 * Runs the system tests and says how many failed by its exit status. Names of suites as arguments
 * run only those.
 *
 * Two processes: one makes the folders, waits and removes them whatever happens; the other, in a
 * mount namespace of its own, runs the tests. When it ends its mounts and loop devices go with it.
 */
#include <CUnit/Basic.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "images.h"
#include "place.h"
#include "program.h"

void suite_mongo(void);
void suite_trace(void);
void suite_filesystems(void);
void suite_trouble(void);
void suite_signals(void);
void suite_clean(void);
void suite_refusals(void);
void suite_options(void);
void suite_lab(void);
void suite_limits(void);

static const struct {
	const char *name;
	void (*add)(void);
} suites[] = {
	{ "mongo", suite_mongo },
	{ "trace", suite_trace },
	{ "filesystems", suite_filesystems },
	{ "trouble", suite_trouble },
	{ "signals", suite_signals },
	{ "clean", suite_clean },
	{ "refusals", suite_refusals },
	{ "options", suite_options },
	{ "lab", suite_lab },
	{ "limits", suite_limits },
};

/* Without names all are. */
static bool is_wanted(const char *name, char *const *names)
{
	if (names[0] == NULL)
		return true;
	for (; names[0] != NULL; names++)
		if (strcmp(names[0], name) == 0)
			return true;
	return false;
}

static int run_tests(pid_t guard, char *const *names)
{
	unsigned failures;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != guard)
		return EXIT_FAILURE;
	images_prepare();
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		if (is_wanted(suites[i].name, names))
			suites[i].add();
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	failures = CU_get_number_of_failures();
	CU_cleanup_registry();
	return failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Until the tests end, or somebody wants us to. */
static int guard_tests(pid_t tests, const sigset_t *signals)
{
	int status = -1, number;

	for (;;) {
		number = sigwaitinfo(signals, NULL);
		if (number < 0 && errno != EINTR)
			break;
		if (number != SIGCHLD && number > 0)
			kill(tests, SIGKILL);
		if (waitpid(tests, &status, WNOHANG) == tests)
			return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
	}
	kill(tests, SIGKILL);
	waitpid(tests, &status, 0);
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	static const int numbers[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP };
	sigset_t signals, before;
	pid_t guard = getpid(), tests;
	int status = EXIT_FAILURE;

	(void)argc;
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&signals, numbers[i]);
	sigprocmask(SIG_BLOCK, &signals, &before);
	if (!program_find() || !place_open())
		return EXIT_FAILURE;
	tests = fork();
	if (tests == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		exit(run_tests(guard, argv + 1));
	}
	if (tests > 0)
		status = guard_tests(tests, &signals);
	place_close();
	return status;
}
