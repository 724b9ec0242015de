/*
 * Images and loop devices. See image.h, loop(4).
 */
#include "lab/image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/random.h"
#include "core/text.h"
#include "core/units.h"

#define MIB (UINT64_C(1) << 20)

enum {
	CHUNK_BYTES = 1 << 20,
	CHUNK_ALIGN = 4096,
	REPORT_CHUNKS = 16,
	ATTACH_TRIES = 64, /* others take loop devices at the same time */
	ATTACH_PAUSE_US = 10000,
	DIRECT_BLOCK = 4096, /* where the disk below has such sectors */
	TEXT_MAX = 300,
};

static int check_kind(const char *directory, struct error *err)
{
	struct statfs facts = { 0 };
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int code = fd < 0 || fstatfs(fd, &facts) != 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	if (code < 0)
		return error_errno(err, code,
		        "%.300s: images cannot be made there, use --on DIR with another directory",
		        directory);
	if (facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC)
		return error_set(err, -EINVAL,
		        "%.300s is memory (tmpfs), so the file systems would never see a disk; use "
		        "--on DIR with a directory on the disk to measure",
		        directory);
	return 0;
}

int lab_image_check_place(const char *directory, unsigned n, uint64_t bytes, struct error *err)
{
	char each[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX], has[UNITS_TEXT_MAX];
	struct statvfs space;
	uint64_t free_bytes;
	int code = check_kind(directory, err);

	if (code < 0)
		return code;
	if (statvfs(directory, &space) != 0)
		return error_errno(err, -errno, "%.300s", directory);
	free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
	/* A hundredth for the host's own records of them. */
	if (n == 0 || (bytes <= UINT64_MAX / 2 / n && n * bytes + n * bytes / 100 <= free_bytes))
		return 0;
	return error_set(err, -ENOSPC,
	        "%.300s: %u image%s of %s MiB need%s %s MiB, has %s MiB free; use --on DIR with "
	        "more room, a smaller --size or load, or fewer file systems",
	        directory, n, n == 1 ? "" : "s", units_format_grouped(each, bytes / MIB),
	        n == 1 ? "s" : "", units_format_grouped(all, bytes / MIB * n),
	        units_format_grouped(has, free_bytes / MIB));
}

/* A file that no name leads to. */
static int open_file(const char *directory, struct error *err)
{
	char path[PATH_MAX];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		text_print(path, sizeof(path), "%s/.fsderby-image-XXXXXX", directory);
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		return error_errno(err, -errno, "%.300s: no image can be made there", directory);
	return fd;
}

/* Btrfs: write in place, as on a disk, not to a new place each time. Others do not know the flag.
 * */
static void forbid_copying(int fd)
{
	int flags = 0;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
		flags |= FS_NOCOW_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
}

static bool set_direct(int fd, bool is_direct)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 &&
	       fcntl(fd, F_SETFL, is_direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

static int write_chunk(int fd, const char *data, uint64_t offset, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(fd, data + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINVAL && (fcntl(fd, F_GETFL) & O_DIRECT) != 0)
			set_direct(fd, false);
		else if (n < 0 && errno != EINTR)
			return -errno;
		else if (n == 0)
			return -EIO;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Not zeros: a disk, or what stands for one, might keep those as holes. */
static char *make_chunk(void)
{
	struct random random;
	void *data = NULL;

	if (posix_memalign(&data, CHUNK_ALIGN, CHUNK_BYTES) != 0)
		return NULL;
	random_init(&random, 1, 0);
	random_fill(&random, data, CHUNK_BYTES);
	return data;
}

static int write_all(int fd, uint64_t bytes, const struct lab_progress *progress)
{
	char *data = make_chunk();
	int code = data == NULL ? -ENOMEM : 0;

	set_direct(fd, true);
	for (uint64_t offset = 0; offset < bytes && code == 0; offset += CHUNK_BYTES) {
		uint64_t left = bytes - offset;

		if (offset % (REPORT_CHUNKS * CHUNK_BYTES) == 0 &&
		        progress->report(progress->context, offset, bytes))
			code = -EINTR;
		else
			code = write_chunk(
			        fd, data, offset, left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES);
	}
	free(data);
	if (code == 0 && fdatasync(fd) != 0)
		code = -errno;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	set_direct(fd, false);
	return code;
}

static int fill_file(int fd, const char *directory, uint64_t bytes,
        const struct lab_progress *progress, struct error *err)
{
	char size[UNITS_TEXT_MAX];
	int code = 0;

	forbid_copying(fd);
	if (fallocate(fd, 0, 0, (off_t)bytes) != 0 && errno != EOPNOTSUPP)
		code = -errno;
	if (code == 0)
		code = write_all(fd, bytes, progress);
	if (code == -EINTR)
		return error_set(err, code, "interrupted");
	if (code < 0)
		return error_errno(err, code, "%.300s: an image of %s MiB cannot be written",
		        directory, units_format_grouped(size, bytes / MIB));
	return 0;
}

static bool read_direct(const struct lab_image *image)
{
	char path[64], state = '0';
	int fd = open(text_print(path, sizeof(path), "/sys/block/%s/loop/dio", image->device + 5),
	        O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, &state, 1) != 1)
			state = '0';
		close(fd);
	}
	return state == '1';
}

/* Disks with large sectors take direct I/O only in such units. */
static void want_direct(struct lab_image *image)
{
	image->is_direct = read_direct(image);
	if (image->is_direct || ioctl(image->loop_fd, LOOP_SET_BLOCK_SIZE, DIRECT_BLOCK) != 0)
		return;
	ioctl(image->loop_fd, LOOP_SET_DIRECT_IO, 1);
	image->is_direct = read_direct(image);
}

/* Take the free device @number: -EBUSY when somebody else was faster. */
static int configure(struct lab_image *image, int number, int file_fd)
{
	struct loop_config config = {
		.fd = (uint32_t)file_fd,
		.info = { .lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO },
	};
	struct stat st;
	int code = 0;

	text_print(image->device, sizeof(image->device), "/dev/loop%d", number);
	image->loop_fd = open(image->device, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (image->loop_fd < 0)
		return -errno;
	if (fstat(image->loop_fd, &st) != 0 || !S_ISBLK(st.st_mode))
		code = -ENOTBLK;
	else if (ioctl(image->loop_fd, LOOP_CONFIGURE, &config) != 0)
		code = -errno;
	if (code < 0) {
		close(image->loop_fd);
		image->loop_fd = -1;
	}
	return code;
}

static int attach(struct lab_image *image, int file_fd, struct error *err)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int code = -EBUSY;

	if (control < 0)
		return error_errno(err, -errno,
		        "/dev/loop-control: no loop devices here (load the module 'loop'; in a "
		        "container they must be let in)");
	for (unsigned i = 0; i < ATTACH_TRIES && code == -EBUSY; i++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE);

		if (i > 0)
			usleep(ATTACH_PAUSE_US);
		code = number < 0 ? -errno : configure(image, number, file_fd);
	}
	close(control);
	if (code < 0)
		return error_errno(err, code, "%s: cannot be set up for an image",
		        image->device[0] != '\0' ? image->device : "/dev/loop-control");
	want_direct(image);
	return lab_image_check(image, err);
}

int lab_image_make(struct lab_image *image, const char *directory, uint64_t bytes,
        const struct lab_progress *progress, struct error *err)
{
	struct stat st;
	int fd, code;

	*image = (struct lab_image){ .loop_fd = -1, .bytes = bytes };
	fd = open_file(directory, err);
	if (fd < 0)
		return fd;
	code = fill_file(fd, directory, bytes, progress, err);
	if (code == 0 && fstat(fd, &st) != 0)
		code = error_errno(err, -errno, "%.300s", directory);
	if (code == 0) {
		image->dev = st.st_dev;
		image->ino = st.st_ino;
		code = attach(image, fd, err);
	}
	close(fd); /* the device holds the file */
	if (code < 0)
		lab_image_release(image);
	return code;
}

int lab_image_check(const struct lab_image *image, struct error *err)
{
	struct loop_info64 info = { 0 };

	if (image->loop_fd >= 0 && ioctl(image->loop_fd, LOOP_GET_STATUS64, &info) == 0 &&
	        info.lo_device == image->dev && info.lo_inode == image->ino)
		return 0;
	return error_set(
	        err, -ENXIO, "%s is no longer the lab's: its image was taken away", image->device);
}

int lab_image_wipe(const struct lab_image *image, struct error *err)
{
	char *zeros = calloc(1, CHUNK_BYTES);
	int code = zeros == NULL ? -ENOMEM : 0;

	if (code == 0)
		code = write_chunk(image->loop_fd, zeros, 0, CHUNK_BYTES);
	if (code == 0)
		code = write_chunk(image->loop_fd, zeros, image->bytes - CHUNK_BYTES, CHUNK_BYTES);
	if (code == 0 && fsync(image->loop_fd) != 0)
		code = -errno;
	free(zeros);
	return code < 0 ? error_errno(err, code, "write %s", image->device) : 0;
}

void lab_image_forget(const struct lab_image *image)
{
	ioctl(image->loop_fd, BLKFLSBUF, 0);
}

void lab_image_release(struct lab_image *image)
{
	if (image->loop_fd >= 0)
		close(image->loop_fd); /* the last one: the device clears itself */
	image->loop_fd = -1;
}
