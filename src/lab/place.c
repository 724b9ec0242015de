/*
 * The lab's mount namespace and mount points. See place.h, mount_namespaces(7).
 */
#include "lab/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"

#define PLACE_SOURCE  "fsderby-lab" /* of the tmpfs; tells it from everybody else's */
#define PLACE_PREFIX  "/run/fsderby-"
#define PLACE_OPTIONS "size=1m,nr_inodes=1k,mode=0755"

enum {
	UNMOUNT_TRIES = 100,
	UNMOUNT_PAUSE_US = 20000,
	CLEAN_MAX = 64,
};

/*
 * Directories that exist everywhere and are empty on most machines: one of them is covered, in our
 * own namespace only, so that not even kill -9 leaves a directory. A full one is somebody's.
 */
static const char *const candidates[] = { "/mnt", "/media", "/srv", "/var/opt", "/var/local" };

/* The deepest part of @path that exists, resolved. */
static void resolve(const char *path, char out[PATH_MAX])
{
	char part[PATH_MAX];

	text_print(part, sizeof(part), "%s%s", path[0] == '/' ? "" : "./", path);
	while (realpath(part, out) == NULL) {
		char *slash = strrchr(part, '/');

		if (slash == NULL || slash == part) {
			text_print(out, PATH_MAX, "/");
			return;
		}
		*slash = '\0';
	}
}

static bool is_below(const char *path, const char *top)
{
	size_t length = strlen(top);

	return strncmp(path, top, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_used(const char *candidate, const char *const *used)
{
	char path[PATH_MAX];

	for (; *used != NULL; used++) {
		resolve(*used, path);
		if (is_below(path, candidate))
			return true;
	}
	resolve(".", path);
	return is_below(path, candidate);
}

/* A plain directory, no link, with nothing in it. */
static bool is_empty(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	bool found = false;

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && (entry = readdir(dir)) != NULL)
		found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return !found;
}

static int make_directory(struct lab_place *place, struct error *err)
{
	text_print(place->path, sizeof(place->path), PLACE_PREFIX "XXXXXX");
	if (mkdtemp(place->path) == NULL) {
		place->path[0] = '\0';
		return error_errno(err, -errno, "/run: no directory for mount points");
	}
	place->is_made = true;
	if (chmod(place->path, 0755) != 0)
		return error_errno(err, -errno, "%s", place->path);
	return 0;
}

static int find_directory(struct lab_place *place, const char *const *used, struct error *err)
{
	for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
		if (is_empty(candidates[i]) && !is_used(candidates[i], used)) {
			text_print(place->path, sizeof(place->path), "%s", candidates[i]);
			return 0;
		}
	return make_directory(place, err);
}

/* Nothing that we mount may be seen outside. */
static int leave_others(struct error *err)
{
	if (unshare(CLONE_NEWNS) != 0)
		return error_errno(err, -errno,
		        "no mount namespace of its own can be made; run it as the machine's root, "
		        "not in a container");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		return 0;
	if (errno == EINVAL)
		return error_set(err, -EINVAL,
		        "in a chroot mounts cannot be kept private; run the lab outside of it");
	return error_errno(err, -errno, "mounts cannot be kept private");
}

int lab_place_init(
        struct lab_place *place, bool is_visible, const char *const *used, struct error *err)
{
	int code = 0;

	*place = (struct lab_place){ .lock_fd = -1 };
	if (geteuid() != 0)
		return error_set(err, -EPERM,
		        "the lab makes and mounts file systems, which needs root (sudo fsderby lab "
		        "…); without it, give directories: fsderby DIR...");
	if (!is_visible)
		code = leave_others(err);
	if (code == 0)
		code = is_visible ? make_directory(place, err) : find_directory(place, used, err);
	if (code == 0 &&
	        mount(PLACE_SOURCE, place->path, "tmpfs", MS_NOSUID | MS_NODEV, PLACE_OPTIONS) != 0)
		code = error_errno(err, -errno, "mount a tmpfs on %s", place->path);
	if (code == 0)
		place->lock_fd = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (code == 0 && (place->lock_fd < 0 || flock(place->lock_fd, LOCK_EX | LOCK_NB) != 0))
		code = error_errno(err, -errno, "lock %s", place->path);
	if (code < 0)
		lab_place_release(place);
	return code;
}

void lab_place_release(struct lab_place *place)
{
	if (place->path[0] == '\0')
		return;
	if (place->lock_fd >= 0) {
		close(place->lock_fd);
		/* What could not be unmounted singly goes with it, once nobody uses it. */
		umount2(place->path, MNT_DETACH | UMOUNT_NOFOLLOW);
	}
	if (place->is_made)
		rmdir(place->path);
	*place = (struct lab_place){ .lock_fd = -1 };
}

int lab_place_unmount(const char *path)
{
	for (unsigned i = 0; i < UNMOUNT_TRIES; i++) {
		if (umount2(path, UMOUNT_NOFOLLOW) == 0)
			return 0;
		if (errno != EBUSY)
			return -errno;
		usleep(UNMOUNT_PAUSE_US);
	}
	return -EBUSY;
}

/* Lines of mountinfo(5): "… … major:minor root mountpoint options … - type source options". */
static unsigned find_labs(char (*paths)[PATH_MAX], unsigned max)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char line[2 * PATH_MAX], path[PATH_MAX];
	unsigned n = 0;

	while (file != NULL && n < max && fgets(line, sizeof(line), file) != NULL)
		if (strstr(line, " - tmpfs " PLACE_SOURCE " ") != NULL &&
		        sscanf(line, "%*s %*s %*s %*s %4095s", path) == 1 &&
		        strncmp(path, PLACE_PREFIX, strlen(PLACE_PREFIX)) == 0)
			text_print(paths[n++], PATH_MAX, "%s", path);
	if (file != NULL)
		fclose(file);
	return n;
}

static bool is_alive(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool is_locked = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0;

	if (fd >= 0)
		close(fd);
	return is_locked;
}

unsigned lab_place_clean(
        bool is_dry, void (*say)(void *context, const char *path, int code), void *context)
{
	char(*paths)[PATH_MAX] = calloc(CLEAN_MAX, sizeof(*paths));
	unsigned n = paths != NULL ? find_labs(paths, CLEAN_MAX) : 0, n_dead = 0;

	for (unsigned i = 0; i < n; i++) {
		int code = 0;

		if (is_alive(paths[i]))
			continue;
		n_dead++;
		if (!is_dry && (umount2(paths[i], MNT_DETACH | UMOUNT_NOFOLLOW) != 0 ||
		                       rmdir(paths[i]) != 0))
			code = -errno;
		say(context, paths[i], code);
	}
	free(paths);
	return n_dead;
}
