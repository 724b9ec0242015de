/*
 * The marker: lines of key=value with the run, the user, the boot and the process. A process is
 * known by its id and start time within one boot; besides, it holds a lock (flock) on the
 * scratch directory, which also tells across process id namespaces. Lanes and `clean`.
 */
#include "engine/scratch_owner.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/text.h"

enum { STAT_START_FIELD = 22 }; /* of /proc/PID/stat, proc(5) */

struct owner {
	char run[40], boot[64];
	uint64_t uid, pid, start;
};

bool scratch_is_run_id(const char *run_id)
{
	size_t length = strlen(run_id);

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)run_id[i]) && strchr("._-", run_id[i]) == NULL)
			return false;
	return length > 0 && length < sizeof(((struct scratch_found *)0)->run_id);
}

/* A whole small file of /proc; -ENOENT when the process is gone. */
static int read_small(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, out, size - 1) : -1;
	int code = length < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	out[length > 0 ? length : 0] = '\0';
	return code;
}

static int read_boot(char *out, size_t size)
{
	int code = read_small("/proc/sys/kernel/random/boot_id", out, size);

	out[strcspn(out, "\n")] = '\0';
	return code;
}

/*
 * Start time of a process in clock ticks since boot; -ESRCH for one that only waits to be reaped.
 * The name (field 2) may hold anything.
 */
static int read_start(uint64_t pid, uint64_t *start)
{
	char path[64], stat[1024];
	int code = read_small(
	        text_print(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid), stat, sizeof(stat));
	char *at = code == 0 ? strrchr(stat, ')') : NULL;

	if (at != NULL && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0))
		return -ESRCH;
	for (int field = 2; at != NULL && field < STAT_START_FIELD; field++)
		at = strchr(at + 1, ' ');
	if (at == NULL)
		return code != 0 ? code : -EINVAL;
	*start = strtoull(at + 1, NULL, 10);
	return 0;
}

int scratch_owner_print(const char *run_id, char *out, size_t size, struct error *err)
{
	uint64_t pid = (uint64_t)getpid(), start = 0;
	char boot[64];
	int code = read_boot(boot, sizeof(boot));

	if (code == 0)
		code = read_start(pid, &start);
	if (code != 0)
		return error_errno(err, code, "the marker needs /proc, mount it");
	text_print(out, size, "run=%s\nuid=%u\nboot=%s\npid=%" PRIu64 "\nstart=%" PRIu64 "\n",
	        run_id, (unsigned)geteuid(), boot, pid, start);
	return 0;
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t written = write(fd, text, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? -errno : -ENOSPC;
		text += written;
		left -= (size_t)written;
	}
	return 0;
}

/*
 * Once a run: without it a power cut can leave an empty marker, which nobody dares to clean. Some
 * file systems have no fsync; that is no reason to refuse them.
 */
static int sync_marker(int fd)
{
	if (fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)
		return 0;
	return -errno;
}

int scratch_owner_write(int scratch_fd, const char *text, struct error *err)
{
	int fd = openat(scratch_fd, SCRATCH_OWNER,
	        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int code = fd < 0 ? -errno : write_all(fd, text);

	if (code == 0)
		code = sync_marker(fd);
	if (fd >= 0) {
		close(fd);
		if (code != 0)
			unlinkat(scratch_fd, SCRATCH_OWNER, 0);
	}
	return code != 0 ? error_errno(err, code, "write " SCRATCH_OWNER) : 0;
}

static int read_marker(int fd, char *out, size_t size, const char **why)
{
	struct stat file;
	ssize_t length;

	if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size >= (off_t)size) {
		*why = "its marker is not a plain small file";
		return -EPERM;
	}
	if (geteuid() != 0 && file.st_uid != geteuid()) {
		*why = "it belongs to another user";
		return -EPERM;
	}
	length = pread(fd, out, size - 1, 0);
	if (length < 0) {
		*why = "its marker cannot be read";
		return -EPERM;
	}
	out[length] = '\0';
	return 0;
}

int scratch_owner_read(int scratch_fd, char *out, size_t size, const char **why)
{
	struct stat dir;
	int fd, code;

	if (fstat(scratch_fd, &dir) != 0 || (geteuid() != 0 && dir.st_uid != geteuid())) {
		*why = "it belongs to another user";
		return -EPERM;
	}
	/* A fifo must not make us wait. */
	fd = openat(scratch_fd, SCRATCH_OWNER, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		*why = errno == ENOENT ? "it has no marker" : "its marker cannot be opened";
		return -EPERM;
	}
	code = read_marker(fd, out, size, why);
	close(fd);
	return code;
}

/* The value of @key in @text into @out; false: absent, empty or too long. */
static bool find_value(const char *text, const char *key, char *out, size_t size)
{
	size_t length = strlen(key);

	for (const char *line = text; *line != '\0';) {
		size_t end = strcspn(line, "\n");

		if (end > length && strncmp(line, key, length) == 0 && line[length] == '=') {
			size_t value = end - length - 1;

			if (value == 0 || value >= size)
				return false;
			memcpy(out, line + length + 1, value);
			out[value] = '\0';
			return true;
		}
		line += end + (line[end] == '\n');
	}
	return false;
}

static bool find_number(const char *text, const char *key, uint64_t *number)
{
	char value[24];
	char *end;

	if (!find_value(text, key, value, sizeof(value)) || !isdigit((unsigned char)value[0]))
		return false;
	errno = 0;
	*number = strtoull(value, &end, 10);
	return errno == 0 && *end == '\0';
}

static bool parse_owner(const char *text, struct owner *owner)
{
	return find_value(text, "run", owner->run, sizeof(owner->run)) &&
	       find_value(text, "boot", owner->boot, sizeof(owner->boot)) &&
	       find_number(text, "uid", &owner->uid) && find_number(text, "pid", &owner->pid) &&
	       find_number(text, "start", &owner->start);
}

/* Where /proc cannot tell, the owner counts as alive. */
static bool is_alive(const struct owner *owner)
{
	char boot[64];
	uint64_t start;
	int code;

	if (read_boot(boot, sizeof(boot)) != 0)
		return true;
	if (strcmp(boot, owner->boot) != 0)
		return false;
	code = read_start(owner->pid, &start);
	if (code == -ENOENT || code == -ESRCH)
		return false;
	return code != 0 || start == owner->start;
}

/* By another open of the directory than ours. File systems without locks: no. */
static bool is_locked(int scratch_fd)
{
	int fd = openat(scratch_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

enum scratch_owner scratch_owner_judge(int scratch_fd, const char *run_id, const char **why)
{
	char text[SCRATCH_OWNER_MAX];
	struct owner owner = { 0 };

	*why = NULL;
	if (scratch_owner_read(scratch_fd, text, sizeof(text), why) != 0)
		return SCRATCH_FOREIGN;
	if (!parse_owner(text, &owner))
		*why = "its marker is not one of fsderby's";
	else if (run_id != NULL && strcmp(owner.run, run_id) != 0)
		*why = "its marker names another run";
	else if (geteuid() != 0 && owner.uid != geteuid())
		*why = "it belongs to another user";
	if (*why != NULL)
		return SCRATCH_FOREIGN;
	if (!is_alive(&owner) && !is_locked(scratch_fd))
		return SCRATCH_DEAD;
	*why = "its run is still alive";
	return SCRATCH_ALIVE;
}

int scratch_open_directory(int dir_fd, const char *name, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	long fd;

	/* BENEATH gives EAGAIN when something is renamed or mounted meanwhile. */
	do {
		fd = syscall(SYS_openat2, dir_fd, name, &how, sizeof(how));
	} while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	return fd < 0 ? -errno : (int)fd;
}
