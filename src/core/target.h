/*
 * A target: one directory on one mounted file system, and what lies under it.
 *
 * target_probe may block on a file system that hangs: it runs in the prober thread, never in
 * the main thread (engine/prober.h). Afterwards a target is read-only for everybody, except
 * for its descriptor, which belongs to the target's lane.
 */
#ifndef FSDERBY_CORE_TARGET_H
#define FSDERBY_CORE_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

enum {
	TARGET_LABEL_MAX = 64,
	TARGET_OPTIONS_MAX = 512,
	TARGET_DEVICES_MAX = 16,
	TARGETS_MAX = 64,
};

enum target_flag {
	TARGET_TMPFS = 1 << 0, /* memory: no device below */
	TARGET_OVERLAY = 1 << 1,
	TARGET_NETWORK = 1 << 2,    /* nfs, cifs, 9p, fuse…: no device seen from here */
	TARGET_COMPRESSED = 1 << 3, /* a mount option that compresses */
	TARGET_READ_ONLY = 1 << 4,
	TARGET_LOOP = 1 << 5,        /* an image file behind a loop device */
	TARGET_LOOP_CACHED = 1 << 6, /* that loop device goes through the host's page cache */
	TARGET_ENCRYPTED = 1 << 7,   /* dm-crypt below */
	TARGET_COW = 1 << 8,         /* copy on write: btrfs, zfs, bcachefs, nilfs2 */
};

struct target_device {
	char name[32]; /* kernel name, "loop0" */
	unsigned major, minor;
};

struct target {
	char label[TARGET_LABEL_MAX];
	char path[PATH_MAX];
	char mount_point[PATH_MAX];
	char fs[32];
	char source[PATH_MAX];
	char options[TARGET_OPTIONS_MAX];
	unsigned flags; /* enum target_flag */
	/* nearest: what the file system is mounted from; bottom: what that finally lies on */
	struct target_device nearest[TARGET_DEVICES_MAX], bottom[TARGET_DEVICES_MAX];
	unsigned n_nearest, n_bottom;
	uint64_t size_bytes, free_bytes; /* free for this user */
	uint64_t inodes, free_inodes;    /* 0, 0: made as needed */
	unsigned block_bytes;
	uint64_t dev;
	uint64_t ino;
	struct managed *managed; /* engine/managed.h; borrowed; NULL: the user's own file system */
	/* How the lab made it ("mkfs.ext4 -q -i 4096 …"), "" if it did not; and the kernel's driver
	 * where that is another than fs (ext3 run by ext4). */
	char mkfs[256], driver[32];
	uint64_t image_bytes; /* of the lab's image below it; 0: there is none */
	int fd;               /* the directory, O_RDONLY|O_DIRECTORY|O_CLOEXEC; -1 = closed */
};

/*
 * Split "[LABEL=]DIR" (labels are [^/:=+]+ before the first '='). Fills label (empty if none)
 * and path; nothing is opened.
 */
int target_parse(struct target *target, const char *argument, struct error *err);

/*
 * Open the directory and find out all the rest; a relative path becomes absolute. The message
 * names the argument and says what to do: not there, not a directory, read-only, not writable. On
 * error the descriptor is closed.
 */
int target_probe(struct target *target, struct error *err);

/*
 * Give targets without a label the type of their file system, made unique ("ext4", "ext4-2").
 * Two targets with one label given by hand: -EEXIST.
 */
int target_label_all(struct target *targets, unsigned n, struct error *err);

/* -EEXIST where targets[@index] has the label, given by hand, of one before it. */
int target_check_label(const struct target *targets, unsigned index, struct error *err);

/* -EEXIST where @b is the same directory as @a, or one lies in the other. May block. */
int target_check_pair(const struct target *a, const struct target *b, struct error *err);

/* "ext4 data=ordered loop0>vda" for headers: type, telling options, devices. Returns @out. */
char *target_describe(const struct target *target, char *out, size_t size);

/* Words for the flags, comma separated, into @out. */
char *target_flag_names(unsigned flags, char *out, size_t size);

/* The word of one flag bit, or NULL past the last: target_flag_name(0), (1), … */
const char *target_flag_name(unsigned index);

void target_close(struct target *target);

struct target_listing {
	struct target target;
	char reason[160]; /* why it cannot be a target; empty: it can */
	bool is_pseudo;
};

/*
 * All mounts of /proc/self/mountinfo as candidates, without touching them (no statvfs here: that
 * is the prober's, with a deadline). *@list is malloc'ed, the caller frees it.
 */
int target_list_mounts(struct target_listing **list, unsigned *n, struct error *err);

/*
 * The rest of a listing without a reason: sizes, the devices at the bottom, and the reason where it
 * turns out to be unusable. May block: the prober's thread.
 */
void target_examine_mount(struct target_listing *listing);

#endif
