/*
 * Private mounts, tried in a child so that nothing of it stays.
 */
#include "mounts.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

bool mounts_are_private(void)
{
	pid_t child = fork();
	int status = 1;

	if (child == 0)
		_exit(unshare(CLONE_NEWNS) != 0 ||
		        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
