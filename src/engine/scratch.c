/*
 * Making, finding and removing scratch directories. The tree below one is scratch_tree.c's, the
 * marker scratch_owner.c's. Lanes and `clean`.
 */
#include "engine/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/scratch_owner.h"

enum { NAME_BYTES = sizeof(((struct scratch_found *)0)->name) };

static char *print_name(const char *run_id, char out[NAME_BYTES])
{
	return text_print(out, NAME_BYTES, SCRATCH_PREFIX "%s", run_id);
}

/* The directory exists and is empty: open, lock and mark it. */
static int take_directory(int dir_fd, const char *name, const char *marker, struct error *err)
{
	int fd = scratch_open_directory(dir_fd, name, O_RDONLY), code;
	struct stat st;

	if (fd == -ENOSYS)
		return error_set(err, fd, "openat2 is missing; use Linux 5.6 or later");
	if (fd < 0)
		return error_errno(err, fd, "open %s", name);
	if (geteuid() != 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid())) {
		close(fd);
		return error_set(err, -EPERM,
		        "%s: what this user makes here belongs to another; see the mount's uid "
		        "option",
		        name);
	}
	fchmod(fd, 0700);             /* whatever the umask made of it */
	flock(fd, LOCK_EX | LOCK_NB); /* a sign of life; some file systems have none */
	code = scratch_owner_write(fd, marker, err);
	if (code != 0) {
		close(fd);
		return error_context(err, "%s", name);
	}
	return fd;
}

int scratch_make(int dir_fd, const char *run_id, struct error *err)
{
	char name[NAME_BYTES], marker[SCRATCH_OWNER_MAX];
	int code;

	if (!scratch_is_run_id(run_id))
		return error_set(
		        err, -EINVAL, "'%.60s' cannot be part of a directory's name", run_id);
	code = scratch_owner_print(run_id, marker, sizeof(marker), err);
	if (code != 0)
		return code;
	if (mkdirat(dir_fd, print_name(run_id, name), 0700) != 0)
		return error_errno(err, -errno, "mkdir %s", name);
	code = take_directory(dir_fd, name, marker, err);
	if (code < 0)
		unlinkat(dir_fd, name, AT_REMOVEDIR);
	return code;
}

static int check_marker(int scratch_fd, const char *run_id, struct error *err)
{
	const char *why = NULL;

	if (scratch_owner_judge(scratch_fd, run_id, &why) == SCRATCH_FOREIGN)
		return error_set(err, -EPERM, "%s; it is left alone", why);
	return 0;
}

int scratch_empty(int scratch_fd, struct scratch_progress *progress, struct error *err)
{
	int code = check_marker(scratch_fd, NULL, err);

	return code == 0 ? scratch_tree_remove(scratch_fd, progress, err) : code;
}

/* Does @name in @dir_fd still mean the directory that is open? */
static int check_identity(int dir_fd, const char *name, int scratch_fd, struct error *err)
{
	struct stat opened, named;

	if (fstat(scratch_fd, &opened) != 0 ||
	        fstatat(dir_fd, name, &named, AT_SYMLINK_NOFOLLOW) != 0)
		return error_errno(err, -errno, "stat %s", name);
	if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
		return error_set(
		        err, -ESTALE, "%s: moved away and replaced; it is left alone", name);
	return 0;
}

/* The marker goes last, and comes back where the directory then turns out not to be empty. */
static int remove_directory(int dir_fd, const char *name, int scratch_fd, struct error *err)
{
	char marker[SCRATCH_OWNER_MAX];
	const char *why = NULL;
	int code = scratch_owner_read(scratch_fd, marker, sizeof(marker), &why);

	if (code != 0)
		return error_set(err, code, "%s: %s", name, why);
	if (unlinkat(scratch_fd, SCRATCH_OWNER, 0) != 0)
		return error_errno(err, -errno, "unlink %s/" SCRATCH_OWNER, name);
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0)
		return 0;
	code = error_errno(err, -errno, "rmdir %s", name);
	scratch_owner_write(scratch_fd, marker, NULL);
	return code;
}

int scratch_remove(int dir_fd, const char *run_id, int scratch_fd,
        struct scratch_progress *progress, struct error *err)
{
	char name[NAME_BYTES];
	int code;

	if (!scratch_is_run_id(run_id))
		return error_set(err, -EINVAL, "'%.60s' is no run", run_id);
	print_name(run_id, name);
	code = check_marker(scratch_fd, run_id, err);
	if (code == 0)
		code = check_identity(dir_fd, name, scratch_fd, err);
	if (code == 0)
		code = scratch_tree_remove(scratch_fd, progress, err);
	if (code == 0)
		code = check_identity(dir_fd, name, scratch_fd, err);
	if (code == 0)
		code = remove_directory(dir_fd, name, scratch_fd, err);
	return code;
}

/* False: the name is not one of a scratch directory. */
static bool look_at(int dir_fd, const char *name, struct scratch_found *found)
{
	const char *run_id = name + strlen(SCRATCH_PREFIX);
	int fd;

	if (strncmp(name, SCRATCH_PREFIX, strlen(SCRATCH_PREFIX)) != 0 ||
	        !scratch_is_run_id(run_id))
		return false;
	*found = (struct scratch_found){ .owner = SCRATCH_FOREIGN };
	text_print(found->name, sizeof(found->name), "%s", name);
	text_print(found->run_id, sizeof(found->run_id), "%s", run_id);
	fd = scratch_open_directory(dir_fd, name, O_RDONLY);
	if (fd < 0) {
		found->why = fd == -ELOOP || fd == -ENOTDIR ? "it is not a directory"
		             : fd == -EXDEV                 ? "another file system is mounted on it"
		                                            : "it cannot be opened";
		return true;
	}
	found->owner = scratch_owner_judge(fd, run_id, &found->why);
	close(fd);
	return true;
}

static int add_found(struct scratch_found **list, unsigned *n, const struct scratch_found *found)
{
	struct scratch_found *more = realloc(*list, (*n + 1) * sizeof(**list));

	if (more == NULL)
		return -ENOMEM;
	*list = more;
	more[(*n)++] = *found;
	return 0;
}

static int find_in(DIR *dir, struct scratch_found **found, unsigned *n)
{
	struct scratch_found one;
	struct dirent *entry;
	int code = 0;

	for (errno = 0; code == 0 && (entry = readdir(dir)) != NULL; errno = 0)
		if (look_at(dirfd(dir), entry->d_name, &one))
			code = add_found(found, n, &one);
	return code != 0 ? code : -errno;
}

int scratch_find(int dir_fd, struct scratch_found **found, unsigned *n, struct error *err)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), code;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	*found = NULL;
	*n = 0;
	if (dir == NULL) {
		code = -errno;
		if (fd >= 0)
			close(fd);
		return error_errno(err, code, "list");
	}
	code = find_in(dir, found, n);
	closedir(dir);
	if (code == 0)
		return 0;
	free(*found);
	*found = NULL;
	*n = 0;
	return error_errno(err, code, "list");
}

int scratch_clean(int dir_fd, const struct scratch_found *found, struct scratch_progress *progress,
        struct error *err)
{
	int fd = scratch_open_directory(dir_fd, found->name, O_RDONLY), code = 0;
	const char *why = NULL;

	if (fd < 0)
		return error_errno(err, fd, "open %s", found->name);
	if (scratch_owner_judge(fd, found->run_id, &why) != SCRATCH_DEAD)
		code = error_set(err, -EPERM, "%s; it is left alone", why);
	else if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		code = error_set(err, -EBUSY, "another one is removing it");
	else
		code = scratch_remove(dir_fd, found->run_id, fd, progress, err);
	close(fd);
	return code;
}
