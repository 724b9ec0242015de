/*
 * Making a target cold, and making it anew: what a lane does to its file system outside every
 * clock. Lane thread only, while no worker runs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/director.h"
#include "engine/managed.h"
#include "engine/scratch_owner.h"

/* Below this share of the bytes asked for, what the device read does not account for them. */
#define COLD_SHARE 0.98

static void close_target(struct lane *lane)
{
	pthread_mutex_lock(&lane->lock);
	if (lane->scratch_fd >= 0)
		close(lane->scratch_fd);
	lane->scratch_fd = -1;
	pthread_mutex_unlock(&lane->lock);
	target_close(lane->target);
}

static int open_target(struct lane *lane, struct error *err)
{
	lane->target->fd = open(lane->target->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lane->target->fd < 0)
		return error_errno(err, -errno, "open %s", lane->target->path);
	return 0;
}

/* The scratch directory again, after the file system was mounted anew. */
static int open_scratch(struct lane *lane, struct error *err)
{
	int fd = scratch_open_directory(lane->target->fd, lane->board_prefix, O_RDONLY);

	if (fd < 0)
		return error_errno(err, fd, "open %s/%s", lane->target->path, lane->board_prefix);
	flock(fd, LOCK_EX | LOCK_NB);
	pthread_mutex_lock(&lane->lock);
	lane->scratch_fd = lane->stage.scratch_fd = fd;
	pthread_mutex_unlock(&lane->lock);
	return 0;
}

int lane_make_fresh(struct lane *lane, struct error *err)
{
	struct managed *managed = lane->target->managed;
	int code;

	if (managed == NULL || !lane->is_used)
		return 0; /* the user's own, or just made */
	close_target(lane);
	code = managed->fresh(managed, err);
	return code != 0 ? code : open_target(lane, err);
}

static int remount(struct lane *lane, struct error *err)
{
	int code;

	close_target(lane);
	code = lane->target->managed->remount(lane->target->managed, err);
	if (code == 0)
		code = open_target(lane, err);
	return code != 0 ? code : open_scratch(lane, err);
}

static bool drop_caches(int target_fd)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = syncfs(target_fd) == 0 && write(fd, "3", 1) == 1;
	close(fd);
	return done;
}

static void advise_file(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

/* Advise the data of each file away; names and inodes stay. Trees of workloads are not deep. */
static int advise_tree(struct lane *lane, int dir_fd, unsigned depth)
{
	DIR *dir = depth < 256 ? fdopendir(dir_fd) : NULL;
	struct dirent *entry;
	int code = 0;

	if (dir == NULL) {
		close(dir_fd);
		return -errno;
	}
	while ((entry = readdir(dir)) != NULL && code == 0) {
		int fd;

		atomic_fetch_add(&lane->heartbeat, 1);
		if ((atomic_load(&lane->gate) & GATE_CANCEL) != 0)
			break;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		fd = scratch_open_directory(dirfd(dir), entry->d_name, O_RDONLY);
		if (fd >= 0)
			code = advise_tree(lane, fd, depth + 1);
		else
			advise_file(dirfd(dir), entry->d_name);
	}
	closedir(dir);
	return code;
}

int lane_make_cold(struct lane *lane, struct error *err)
{
	int fd;

	lane->cold_method = "none";
	if (!lane->run->config.is_cold || !lane->phase->reads)
		return 0;
	if (lane->target->managed != NULL) {
		lane->cold_method = "remount";
		return remount(lane, err);
	}
	if (drop_caches(lane->scratch_fd)) {
		lane->cold_method = "drop-caches";
		return 0;
	}
	if (syncfs(lane->scratch_fd) != 0)
		return error_errno(err, -errno, "sync %s", lane->target->path);
	fd = scratch_open_directory(lane->target->fd, lane->board_prefix, O_RDONLY);
	if (fd < 0)
		return error_errno(err, fd, "open %s/%s", lane->target->path, lane->board_prefix);
	lane->cold_method = "fadvise";
	return advise_tree(lane, fd, 0);
}

/*
 * Did the bytes come from a device? Asked of the bottom one, since a loop over a cached image reads
 * without any disk. What the workload cannot tell (0) is not judged.
 */
bool lane_was_warm(const struct lane *lane)
{
	uint64_t wanted = lane->segment.distinct_bytes;
	uint64_t got = lane->segment.active.bottom.read_bytes;

	if (!lane->run->config.is_cold || !lane->phase->reads)
		return false;
	if (lane->segment.was_limited || lane->segment.was_changed)
		return false; /* a part of a pass: what it should have read is not known */
	if (lane->bottom.n == 0 || strcmp(lane->cold_method, "none") == 0)
		return true;
	return (double)got < (double)wanted * COLD_SHARE;
}
