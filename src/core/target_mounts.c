/*
 * Which mount a directory lies on, what a type of file system means, and the list of all mounts.
 * mountinfo is read through libmount; /etc/mtab is not trusted, it may be a stale file. The prober
 * thread and the lanes; nothing here is shared.
 */
#include "core/target_parts.h"

#include <blkid.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/text.h"

/* Magic numbers of statfs(2); ext2, ext3 and ext4 share one. */
static const struct {
	uint32_t magic;
	const char *fs;
} magic_table[] = {
	{ 0xef53, "ext4" },
	{ 0x58465342, "xfs" },
	{ 0x9123683e, "btrfs" },
	{ 0x01021994, "tmpfs" },
	{ 0x858458f6, "ramfs" },
	{ 0x794c7630, "overlay" },
	{ 0xf2f52010, "f2fs" },
	{ 0xca451a4e, "bcachefs" },
	{ 0x2fc12fc1, "zfs" },
	{ 0x3434, "nilfs2" },
	{ 0x3153464a, "jfs" },
	{ 0x52654973, "reiserfs" },
	{ 0x4d44, "vfat" },
	{ 0x2011bab0, "exfat" },
	{ 0x6969, "nfs" },
	{ 0xfe534d42, "cifs" },
	{ 0x65735546, "fuse" },
	{ 0x01021997, "9p" },
	{ 0x00c36400, "ceph" },
	{ 0x73717368, "squashfs" },
	{ 0xe0f5e1e2, "erofs" },
	{ 0x9fa0, "proc" },
	{ 0x62656572, "sysfs" },
	{ 0x1cd1, "devpts" },
	{ 0x27e0eb, "cgroup" },
	{ 0x63677270, "cgroup2" },
	{ 0x64626720, "debugfs" },
};

/* libmount counts these as pseudo, yet files can be kept in them. "fuse" is also "fuse.…". */
static const char *const storing_types[] = {
	"tmpfs",
	"ramfs",
	"rootfs",
	"overlay",
	"virtiofs",
	"vboxsf",
	"fuse",
};

static const struct {
	const char *fs;
	unsigned flags;
} type_table[] = {
	{ "tmpfs", TARGET_TMPFS },
	{ "ramfs", TARGET_TMPFS },
	{ "rootfs", TARGET_TMPFS },
	{ "overlay", TARGET_OVERLAY },
	{ "fuse", TARGET_NETWORK },
	{ "virtiofs", TARGET_NETWORK },
	{ "vboxsf", TARGET_NETWORK },
	{ "ceph", TARGET_NETWORK },
	{ "9p", TARGET_NETWORK },
	{ "smb3", TARGET_NETWORK },
	{ "btrfs", TARGET_COW },
	{ "zfs", TARGET_COW },
	{ "bcachefs", TARGET_COW },
	{ "nilfs2", TARGET_COW },
};

/* Mount options that compress, unless their value is "no" or "none". */
static const struct {
	const char *fs, *option;
} compress_table[] = {
	{ "btrfs", "compress" },
	{ "btrfs", "compress-force" },
	{ "bcachefs", "compression" },
	{ "bcachefs", "background_compression" },
	{ "f2fs", "compress_algorithm" },
	{ "ntfs3", "compress" },
	{ "ubifs", "compr" },
};

#define LENGTH(table) (sizeof(table) / sizeof((table)[0]))

/* "fuse.sshfs" is a "fuse". */
static bool is_type(const char *fs, const char *type)
{
	size_t length = strlen(type);

	return strncmp(fs, type, length) == 0 && (fs[length] == '\0' || fs[length] == '.');
}

bool target_is_pseudo(const char *fs)
{
	for (unsigned i = 0; i < LENGTH(storing_types); i++)
		if (is_type(fs, storing_types[i]))
			return false;
	return mnt_fstype_is_pseudofs(fs) != 0;
}

static bool compresses(const char *options, const char *name)
{
	char *value = NULL;
	size_t length = 0;

	if (mnt_optstr_get_option(options, name, &value, &length) != 0)
		return false;
	return !(length == 2 && strncmp(value, "no", 2) == 0) &&
	       !(length == 4 && strncmp(value, "none", 4) == 0);
}

unsigned target_type_flags(const char *fs, const char *options)
{
	unsigned flags = mnt_fstype_is_netfs(fs) ? TARGET_NETWORK : 0;

	for (unsigned i = 0; i < LENGTH(type_table); i++)
		if (is_type(fs, type_table[i].fs))
			flags |= type_table[i].flags;
	for (unsigned i = 0; i < LENGTH(compress_table); i++)
		if (strcmp(fs, compress_table[i].fs) == 0 &&
		        compresses(options, compress_table[i].option))
			flags |= TARGET_COMPRESSED;
	if (mnt_optstr_get_option(options, "ro", NULL, NULL) == 0)
		flags |= TARGET_READ_ONLY;
	return flags;
}

int target_real_path(int fd, char *out)
{
	char link[64];
	ssize_t length =
	        readlink(text_print(link, sizeof(link), "/proc/self/fd/%d", fd), out, PATH_MAX - 1);

	if (length < 0)
		return -errno;
	out[length] = '\0';
	return out[0] == '/' ? 0 : -ENOENT;
}

static struct libmnt_table *read_table(void)
{
	struct libmnt_table *table = mnt_new_table();

	if (table != NULL && mnt_table_parse_file(table, "/proc/self/mountinfo") < 0) {
		mnt_unref_table(table);
		return NULL;
	}
	return table;
}

/* Is @path @top or below it? */
static bool is_below(const char *path, const char *top)
{
	size_t length = strlen(top);

	if (length == 1 && top[0] == '/')
		return path[0] == '/';
	return strncmp(path, top, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* What a line of the table must be to be taken; the last best one wins, as mounts cover others. */
struct wanted {
	uint64_t id; /* of the mount; 0: not known */
	const char *path;
	uint64_t dev;
};

/* The better the match the higher: 0 none, 1 the device, 2 … by path, the top by id. */
static size_t rank_line(struct libmnt_fs *fs, const struct wanted *wanted)
{
	const char *point = mnt_fs_get_target(fs);

	if (wanted->id != 0 && (uint64_t)mnt_fs_get_id(fs) == wanted->id)
		return SIZE_MAX;
	if (wanted->path != NULL && point != NULL && is_below(wanted->path, point))
		return 1 + strlen(point);
	return wanted->dev != 0 && mnt_fs_get_devno(fs) == wanted->dev ? 1 : 0;
}

static struct libmnt_fs *find_line(struct libmnt_table *table, const struct wanted *wanted)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs, *best = NULL;
	size_t best_rank = 1;

	while (iter != NULL && mnt_table_next_fs(table, iter, &fs) == 0) {
		size_t rank = rank_line(fs, wanted);

		if (rank >= best_rank) {
			best = fs;
			best_rank = rank;
		}
	}
	mnt_free_iter(iter);
	return best;
}

static void copy_text(char *out, size_t size, const char *in)
{
	text_print(out, size, "%s", in != NULL ? in : "");
}

static void fill_from_line(struct target *target, struct libmnt_fs *fs)
{
	const char *options = mnt_fs_get_options(fs);

	copy_text(target->mount_point, sizeof(target->mount_point), mnt_fs_get_target(fs));
	copy_text(target->fs, sizeof(target->fs), mnt_fs_get_fstype(fs));
	copy_text(target->source, sizeof(target->source), mnt_fs_get_source(fs));
	copy_text(target->options, sizeof(target->options), options);
	target->flags |= target_type_flags(target->fs, options != NULL ? options : "");
}

/* The type that the superblock on @device shows; needs the right to read the device. */
static bool read_device_type(const char *device, char *out, size_t size)
{
	blkid_probe probe = blkid_new_probe_from_filename(device);
	const char *type = NULL;

	if (probe == NULL)
		return false;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE);
	if (blkid_do_safeprobe(probe) == 0 &&
	        blkid_probe_lookup_value(probe, "TYPE", &type, NULL) == 0)
		copy_text(out, size, type);
	blkid_free_probe(probe);
	return type != NULL;
}

/* mountinfo shows only what lies below our root directory: ask the file system and the device. */
static void fill_from_statfs(struct target *target)
{
	char *device = major(target->dev) != 0 ? blkid_devno_to_devname(target->dev) : NULL;
	struct statfs facts = { 0 };

	copy_text(target->fs, sizeof(target->fs), "unknown");
	if (fstatfs(target->fd, &facts) == 0)
		for (unsigned i = 0; i < LENGTH(magic_table); i++)
			if ((uint32_t)facts.f_type == magic_table[i].magic)
				copy_text(target->fs, sizeof(target->fs), magic_table[i].fs);
	if (device != NULL) {
		copy_text(target->source, sizeof(target->source), device);
		read_device_type(device, target->fs, sizeof(target->fs));
	}
	free(device);
	target->flags |= target_type_flags(target->fs, "");
}

static uint64_t mount_id(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &st) != 0)
		return 0;
	return (st.stx_mask & STATX_MNT_ID) != 0 ? st.stx_mnt_id : 0;
}

/* @path below the mount point, put behind the mount's own root in the file system. */
static void fill_place(struct target_place *place, struct libmnt_fs *fs, const char *path)
{
	const char *point = mnt_fs_get_target(fs), *root = mnt_fs_get_root(fs);
	const char *rest = path != NULL && point != NULL && is_below(path, point)
	                           ? path + (strcmp(point, "/") == 0 ? 0 : strlen(point))
	                           : NULL;

	if (rest == NULL || root == NULL)
		return;
	text_print(place->path, sizeof(place->path), "%s%s", strcmp(root, "/") == 0 ? "" : root,
	        strcmp(rest, "/") == 0 ? "" : rest);
	place->dev = mnt_fs_get_devno(fs);
}

void target_find_mount(struct target *target, struct target_place *place)
{
	char path[PATH_MAX];
	bool has_path = target_real_path(target->fd, path) == 0;
	struct wanted wanted = {
		.id = mount_id(target->fd),
		.path = has_path ? path : NULL,
		.dev = target->dev,
	};
	struct libmnt_table *table = read_table();
	struct libmnt_fs *fs = table != NULL ? find_line(table, &wanted) : NULL;

	if (place != NULL)
		*place = (struct target_place){ 0 };
	if (fs != NULL) {
		fill_from_line(target, fs);
		if (place != NULL)
			fill_place(place, fs, wanted.path);
	} else {
		fill_from_statfs(target);
	}
	mnt_unref_table(table);
}

int target_find_mount_of(struct target *target, const char *path)
{
	struct wanted wanted = { .path = path };
	struct libmnt_table *table = read_table();
	struct libmnt_fs *fs = table != NULL ? find_line(table, &wanted) : NULL;

	if (fs != NULL) {
		fill_from_line(target, fs);
		target->dev = mnt_fs_get_devno(fs);
	}
	mnt_unref_table(table);
	return fs != NULL ? 0 : -ENOENT;
}

/* Another mount sits on the same mount point, its parent being this one. */
static bool is_covered(struct libmnt_table *table, struct libmnt_fs *fs)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *other;
	const char *point = mnt_fs_get_target(fs);
	bool found = false;

	while (!found && iter != NULL && mnt_table_next_fs(table, iter, &other) == 0)
		found = other != fs && mnt_fs_get_parent_id(other) == mnt_fs_get_id(fs) &&
		        mnt_fs_get_target(other) != NULL && point != NULL &&
		        strcmp(mnt_fs_get_target(other), point) == 0;
	mnt_free_iter(iter);
	return found;
}

static void fill_listing(
        struct target_listing *listing, struct libmnt_table *table, struct libmnt_fs *fs)
{
	struct target *target = &listing->target;
	const char *reason = "";

	assert(listing != NULL);
	*listing = (struct target_listing){ .target = { .fd = -1 } };
	fill_from_line(target, fs);
	copy_text(target->path, sizeof(target->path), target->mount_point);
	target->dev = mnt_fs_get_devno(fs);
	listing->is_pseudo = target_is_pseudo(target->fs);
	if (listing->is_pseudo)
		reason = "a pseudo file system: it keeps no files";
	else if (is_covered(table, fs))
		reason = "hidden by another mount on top of it";
	else if ((target->flags & TARGET_READ_ONLY) != 0)
		reason = "mounted read-only";
	copy_text(listing->reason, sizeof(listing->reason), reason);
	if (!listing->is_pseudo)
		target_find_nearest(target);
}

int target_list_mounts(struct target_listing **list, unsigned *n, struct error *err)
{
	struct libmnt_table *table = read_table();
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int count = table != NULL ? mnt_table_get_nents(table) : 0, code = 0;

	*n = 0;
	*list = calloc((size_t)count + 1, sizeof(**list));
	if (table == NULL)
		code = error_set(err, -ENOENT, "/proc/self/mountinfo cannot be read; mount /proc");
	else if (*list == NULL || iter == NULL)
		code = error_set(err, -ENOMEM, "no memory for %d mounts", count);
	while (code == 0 && *list != NULL && *n < (unsigned)count &&
	        mnt_table_next_fs(table, iter, &fs) == 0)
		fill_listing(&(*list)[(*n)++], table, fs);
	mnt_free_iter(iter);
	mnt_unref_table(table);
	if (code != 0) {
		free(*list);
		*list = NULL;
	}
	return code;
}
