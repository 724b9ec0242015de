/*
 * Block devices under a target: the nearest (what the file system is mounted from) and the bottom
 * (what those lie on in the end), from /sys. Through partitions, dm, md and bcache by `slaves`,
 * through loop devices to the file system that holds the image. The prober thread; asking a loop
 * device for its image may block on that file system.
 */
#include "core/target_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/text.h"

enum {
	DEVICES_DEPTH_MAX = 16,
	SYS_PATH_MAX = 512, /* /sys/fs/btrfs/<uuid>/devices/<name>/dev */
};

/* First line of a file of /sys into @out, without its newline. */
static bool read_line(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, out, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (length < 0)
		return false;
	out[length] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return true;
}

static bool read_number(const char *path, unsigned *major_out, unsigned *minor_out)
{
	char line[32];

	return read_line(path, line, sizeof(line)) &&
	       sscanf(line, "%u:%u", major_out, minor_out) == 2;
}

/* Kernel name by /sys/dev/block/M:m; false: no such device is seen from here. */
static bool find_name(unsigned major_number, unsigned minor_number, char *out, size_t size)
{
	char path[SYS_PATH_MAX], link[PATH_MAX];
	ssize_t length = readlink(
	        text_print(path, sizeof(path), "/sys/dev/block/%u:%u", major_number, minor_number),
	        link, sizeof(link) - 1);

	if (length <= 0)
		return false;
	link[length] = '\0';
	text_print(out, size, "%s", strrchr(link, '/') != NULL ? strrchr(link, '/') + 1 : link);
	return true;
}

static bool add_device(
        struct target_device *list, unsigned *n, unsigned major_number, unsigned minor_number)
{
	struct target_device device = { .major = major_number, .minor = minor_number };

	for (unsigned i = 0; i < *n; i++)
		if (list[i].major == major_number && list[i].minor == minor_number)
			return true;
	if (*n == TARGET_DEVICES_MAX ||
	        !find_name(major_number, minor_number, device.name, sizeof(device.name)))
		return false;
	list[(*n)++] = device;
	return true;
}

/* What to do with each device that a folder of links names; @data is the caller's. */
typedef bool each_device(void *data, unsigned major_number, unsigned minor_number);

/* Calls @each for every device in @folder until one says stop (true). */
static bool visit_folder(const char *folder, each_device *each, void *data)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool stop = false;

	while (!stop && dir != NULL && (entry = readdir(dir)) != NULL) {
		char path[SYS_PATH_MAX];
		unsigned major_number, minor_number;

		if (entry->d_name[0] == '.')
			continue;
		text_print(path, sizeof(path), "%s/%s/dev", folder, entry->d_name);
		if (read_number(path, &major_number, &minor_number))
			stop = each(data, major_number, minor_number);
	}
	if (dir != NULL)
		closedir(dir);
	return stop;
}

static bool add_nearest(void *data, unsigned major_number, unsigned minor_number)
{
	struct target *target = data;

	add_device(target->nearest, &target->n_nearest, major_number, minor_number);
	return false;
}

static bool is_same_device(void *data, unsigned major_number, unsigned minor_number)
{
	return makedev(major_number, minor_number) == *(dev_t *)data;
}

/* All devices of the btrfs that @member belongs to. */
static void add_btrfs_of(struct target *target, dev_t member)
{
	DIR *dir = opendir("/sys/fs/btrfs");
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		char folder[SYS_PATH_MAX];

		text_print(folder, sizeof(folder), "/sys/fs/btrfs/%s/devices", entry->d_name);
		if (!visit_folder(folder, is_same_device, &member))
			continue;
		visit_folder(folder, add_nearest, target);
		break;
	}
	if (dir != NULL)
		closedir(dir);
}

/* All devices of the btrfs that is open here. */
static void add_btrfs_open(struct target *target)
{
	struct btrfs_ioctl_fs_info_args info = { 0 };
	const uint8_t *id = info.fsid;
	char folder[SYS_PATH_MAX];

	if (target->fd < 0 || ioctl(target->fd, BTRFS_IOC_FS_INFO, &info) != 0)
		return;
	text_print(folder, sizeof(folder),
	        "/sys/fs/btrfs/%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
	        "%02x%02x%02x%02x%02x%02x/devices",
	        id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10],
	        id[11], id[12], id[13], id[14], id[15]);
	visit_folder(folder, add_nearest, target);
}

/* Device files in the source: one, or several with ':' between (bcachefs). */
static void add_sources(struct target *target)
{
	char list[PATH_MAX];
	char *rest = NULL;

	text_print(list, sizeof(list), "%s", target->source);
	for (char *path = strtok_r(list, ":", &rest); path != NULL;
	        path = strtok_r(NULL, ":", &rest)) {
		struct stat st;

		if (strncmp(path, "/dev/", 5) != 0 || stat(path, &st) != 0 || !S_ISBLK(st.st_mode))
			continue;
		if (strcmp(target->fs, "btrfs") == 0)
			add_btrfs_of(target, st.st_rdev);
		add_nearest(target, major(st.st_rdev), minor(st.st_rdev));
	}
}

void target_find_nearest(struct target *target)
{
	target->n_nearest = 0;
	if ((target->flags & (TARGET_TMPFS | TARGET_OVERLAY | TARGET_NETWORK)) != 0)
		return;
	if (major(target->dev) != 0)
		add_nearest(target, major(target->dev), minor(target->dev));
	if (target->n_nearest == 0 && strcmp(target->fs, "btrfs") == 0)
		add_btrfs_open(target);
	if (target->n_nearest == 0)
		add_sources(target);
}

/* A place on the way down. */
struct descent {
	struct target *target;
	unsigned depth;
	bool has_found; /* something below the device one level up */
};

static bool descend(void *data, unsigned major_number, unsigned minor_number);

/* The device number of the file system that the image of loop device @name is on; 0: unknown. */
static dev_t find_image_dev(const char *name, const char *image)
{
	struct loop_info64 info = { 0 };
	char path[64];
	struct stat st;
	int fd = open(text_print(path, sizeof(path), "/dev/%s", name), O_RDONLY | O_CLOEXEC);
	bool is_known = fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0;

	if (fd >= 0)
		close(fd);
	if (is_known)
		return info.lo_device;
	return stat(image, &st) == 0 ? st.st_dev : 0;
}

/* The image lies on a file system without a device number of its own (btrfs): find its mount. */
static bool descend_mount(struct descent *below, char *image)
{
	struct target *holder = calloc(1, sizeof(*holder));
	char *deleted = strstr(image, " (deleted)");
	bool found = false;

	if (deleted != NULL && deleted[10] == '\0')
		*deleted = '\0';
	if (holder != NULL && target_find_mount_of(holder, image) == 0) {
		holder->fd = -1;
		target_find_nearest(holder);
		below->target->flags |= holder->flags & (TARGET_COMPRESSED | TARGET_NETWORK);
		for (unsigned i = 0; i < holder->n_nearest; i++)
			found |= descend(below, holder->nearest[i].major, holder->nearest[i].minor);
	}
	free(holder);
	return found;
}

static bool descend_loop(struct descent *below, const char *base, const char *name)
{
	char path[SYS_PATH_MAX], image[PATH_MAX], direct[8];
	dev_t dev;

	if (!read_line(text_print(path, sizeof(path), "%s/loop/backing_file", base), image,
	            sizeof(image)))
		return false;
	below->target->flags |= TARGET_LOOP;
	if (read_line(
	            text_print(path, sizeof(path), "%s/loop/dio", base), direct, sizeof(direct)) &&
	        strcmp(direct, "0") == 0)
		below->target->flags |= TARGET_LOOP_CACHED;
	dev = find_image_dev(name, image);
	if (major(dev) != 0)
		return descend(below, major(dev), minor(dev));
	return descend_mount(below, image);
}

static void note_encryption(struct target *target, const char *base)
{
	char path[SYS_PATH_MAX], uuid[160];

	if (read_line(text_print(path, sizeof(path), "%s/dm/uuid", base), uuid, sizeof(uuid)) &&
	        strncmp(uuid, "CRYPT-", 6) == 0)
		target->flags |= TARGET_ENCRYPTED;
}

static bool descend_slave(void *data, unsigned major_number, unsigned minor_number)
{
	struct descent *below = data;

	below->has_found |= descend(below, major_number, minor_number);
	return false;
}

/* Add what lies under a device, or itself where nothing does; false: no such device. */
static bool descend(void *data, unsigned major_number, unsigned minor_number)
{
	const struct descent *here = data;
	struct target *target = here->target;
	struct descent below = { target, here->depth + 1, false };
	char base[64], path[SYS_PATH_MAX], name[32];
	unsigned parent_major, parent_minor;

	if (here->depth >= DEVICES_DEPTH_MAX ||
	        !find_name(major_number, minor_number, name, sizeof(name)))
		return false;
	text_print(base, sizeof(base), "/sys/dev/block/%u:%u", major_number, minor_number);
	note_encryption(target, base);
	text_print(path, sizeof(path), "%s/partition", base);
	if (access(path, F_OK) == 0 &&
	        read_number(text_print(path, sizeof(path), "%s/../dev", base), &parent_major,
	                &parent_minor) &&
	        descend(&below, parent_major, parent_minor))
		return true;
	visit_folder(text_print(path, sizeof(path), "%s/slaves", base), descend_slave, &below);
	if (below.has_found || descend_loop(&below, base, name))
		return true;
	return add_device(target->bottom, &target->n_bottom, major_number, minor_number);
}

void target_find_bottom(struct target *target)
{
	struct descent top = { .target = target };

	target->n_bottom = 0;
	for (unsigned i = 0; i < target->n_nearest; i++)
		descend(&top, target->nearest[i].major, target->nearest[i].minor);
}
