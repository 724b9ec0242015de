/*
 * Runs the system tests and says how many failed by its exit status.
 *
 * Two processes: one makes the folders, waits and removes them whatever happens; the other, in a
 * mount namespace of its own, runs the tests. When it ends its mounts and loop devices go with it.
 */
#include <CUnit/Basic.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

static void (*const suites[])(void) = {
	suite_mongo,
	suite_trace,
	suite_filesystems,
	suite_trouble,
	suite_signals,
	suite_clean,
	suite_refusals,
	suite_options,
};

static int run_tests(pid_t guard)
{
	unsigned failures;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != guard)
		return EXIT_FAILURE;
	images_prepare();
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		suites[i]();
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

int main(void)
{
	static const int numbers[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP };
	sigset_t signals, before;
	pid_t guard = getpid(), tests;
	int status = EXIT_FAILURE;

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
		exit(run_tests(guard));
	}
	if (tests > 0)
		status = guard_tests(tests, &signals);
	place_close();
	return status;
}
