/*
 * Running mkfs without a shell, mounting through libmount. See mounter.h.
 */
#include "lab/mounter.h"

#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"

enum { SAID_MAX = 400, OPTIONS_MAX = TARGET_OPTIONS_MAX + 64 };

bool lab_find_program(const char *program, char *out, size_t size)
{
	char list[PATH_MAX];
	const char *path = getenv("PATH");
	char *rest = NULL;

	text_print(
	        list, sizeof(list), "%s:/usr/sbin:/sbin:/usr/local/sbin", path != NULL ? path : "");
	for (char *folder = strtok_r(list, ":", &rest); folder != NULL;
	        folder = strtok_r(NULL, ":", &rest)) {
		text_print(out, size, "%s/%s", folder, program);
		if (folder[0] == '/' && access(out, X_OK) == 0)
			return true;
	}
	out[0] = '\0';
	return false;
}

/* "nodev\tsysfs", "\text4" */
static bool is_listed(const char *fs)
{
	FILE *file = fopen("/proc/filesystems", "re");
	char line[128];
	bool found = false;

	while (!found && file != NULL && fgets(line, sizeof(line), file) != NULL) {
		const char *tab = strchr(line, '\t');

		line[strcspn(line, "\n")] = '\0';
		found = tab != NULL && strcmp(tab + 1, fs) == 0;
	}
	if (file != NULL)
		fclose(file);
	return found;
}

bool lab_kernel_has(const char *fs, const char *directory)
{
	if (is_listed(fs))
		return true;
	/* The kernel asks for the module before it looks at the source, which is not there. */
	if (mount("fsderby-none", directory, fs, MS_RDONLY, NULL) == 0)
		umount2(directory, UMOUNT_NOFOLLOW);
	return is_listed(fs);
}

/* All that @fd gives, the first SAID_MAX bytes of it in one line. */
static void read_said(int fd, char out[SAID_MAX])
{
	size_t length = 0;
	char more[256];

	for (;;) {
		ssize_t n = length + 1 < SAID_MAX ? read(fd, out + length, SAID_MAX - 1 - length)
		                                  : read(fd, more, sizeof(more));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		length += length + 1 < SAID_MAX ? (size_t)n : 0;
	}
	while (length > 0 && (out[length - 1] == '\n' || out[length - 1] == ' '))
		length--;
	out[length] = '\0';
	for (char *c = out; *c != '\0'; c++)
		if (*c == '\n')
			*c = ' ';
}

/*
 * In /sys no file can be made and no name leads to a device; no signal of the terminal reaches it,
 * since a lane may make a file system while the run ends.
 */
static int prepare_spawn(
        posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int error_fd)
{
	sigset_t none, defaults;

	posix_spawn_file_actions_init(actions);
	posix_spawnattr_init(attributes);
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &defaults);
	posix_spawnattr_setpgroup(attributes, 0);
	posix_spawnattr_setflags(
	        attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	return posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) |
	       posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) |
	       posix_spawn_file_actions_adddup2(actions, error_fd, STDERR_FILENO) |
	       posix_spawn_file_actions_addchdir_np(actions, "/sys");
}

/* Returns the wait status, or a negative errno. */
static int run_program(const char *program, char *const *words, char said[SAID_MAX])
{
	char *const environment[] = { (char[]){ "PATH=/usr/sbin:/usr/bin:/sbin:/bin" },
		(char[]){ "LC_ALL=C" }, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int pipe_fds[2], code, status = 0;
	pid_t pid = -1;

	said[0] = '\0';
	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return -errno;
	code = prepare_spawn(&actions, &attributes, pipe_fds[1]) != 0
	               ? ENOMEM
	               : posix_spawn(&pid, program, &actions, &attributes, words, environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	close(pipe_fds[1]);
	if (code == 0)
		read_said(pipe_fds[0], said);
	close(pipe_fds[0]);
	while (code == 0 && waitpid(pid, &status, 0) < 0)
		code = errno == EINTR ? 0 : errno;
	return code != 0 ? -code : status;
}

int lab_make_file_system(const struct lab_spec *spec, const char *program,
        const struct lab_image *image, struct error *err)
{
	struct lab_command command;
	char said[SAID_MAX], shown[SPEC_COMMAND_MAX], device[sizeof(image->device)];
	int code = lab_spec_command(spec, &command, err), status;

	if (code == 0)
		code = lab_image_check(image, err);
	if (code == 0)
		code = lab_image_wipe(image, err);
	if (code < 0)
		return code;
	lab_command_print(&command, shown, sizeof(shown));
	memcpy(device, image->device, sizeof(device));
	command.words[command.n++] = device;
	status = run_program(program, command.words, said);
	if (status < 0)
		return error_errno(err, status, "%s", program);
	if (status == 0)
		return 0;
	if (WIFSIGNALED(status))
		return error_set(err, -EIO, "%s was ended by signal %d", shown, WTERMSIG(status));
	return error_set(err, -EIO, "%s failed (status %d)%s%s", shown, WEXITSTATUS(status),
	        said[0] != '\0' ? ": " : "", said);
}

static int fail_mount(const struct lab_spec *spec, const char *options, int code, struct error *err)
{
	const char *hint = code == -EINVAL ? " (most likely an option that this kernel's driver "
	                                     "does not know; `dmesg` says more)"
	                                   : "";

	return error_set(err, code, "mount -t %s%s%.200s: %s%s", spec->fs,
	        options[0] != '\0' ? " -o " : "", options, strerrordesc_np(-code), hint);
}

int lab_mount(const struct lab_spec *spec, const char *device, const char *path,
        const char *options, struct error *err)
{
	struct libmnt_context *context = mnt_new_context();
	char all[OPTIONS_MAX];
	int code;

	text_print(all, sizeof(all), "%s%s%s", options,
	        options[0] != '\0' && spec->mount_options[0] != '\0' ? "," : "",
	        spec->mount_options);
	if (context == NULL)
		return error_errno(err, -ENOMEM, "mount %s", path);
	mnt_context_disable_mtab(context, 1);
	mnt_context_disable_helpers(context, 1);
	mnt_context_disable_canonicalize(context, 1);
	mnt_context_set_optsmode(context, MNT_OMODE_NOTAB);
	code = mnt_context_set_source(context, device != NULL ? device : "fsderby-lab-tmpfs");
	if (code == 0)
		code = mnt_context_set_target(context, path);
	if (code == 0)
		code = mnt_context_set_fstype(context, spec->fs);
	if (code == 0 && all[0] != '\0')
		code = mnt_context_set_options(context, all);
	if (code == 0)
		code = mnt_context_mount(context);
	if (code != 0 && mnt_context_syscall_called(context) &&
	        mnt_context_get_syscall_errno(context) != 0)
		code = -mnt_context_get_syscall_errno(context);
	else if (code > 0)
		code = -EINVAL;
	mnt_free_context(context);
	return code != 0 ? fail_mount(spec, all, code, err) : 0;
}
