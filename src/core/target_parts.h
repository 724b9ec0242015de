/*
 * What target.c is put together from: the mount (target_mounts.c) and the devices
 * (target_devices.c). Internal to core/target*.c; any thread, but what takes a descriptor or looks
 * below a loop device may block on a file system.
 */
#ifndef FSDERBY_CORE_TARGET_PARTS_H
#define FSDERBY_CORE_TARGET_PARTS_H

#include "core/target.h"

/* Where a directory lies in its file system, whichever mount or bind mount it is seen through. */
struct target_place {
	uint64_t dev;        /* of the file system as mountinfo tells it; 0: not known */
	char path[PATH_MAX]; /* from the root of the file system */
};

/*
 * Fill mount_point, fs, source and options from the directory open at target->fd (target->dev is
 * known). Where mountinfo has no line for it (a chroot's root), fs comes from statfs or the
 * device and mount_point stays empty. @place may be NULL.
 */
void target_find_mount(struct target *target, struct target_place *place);

/* The same for the mount that @path lies on, by its name only. -ENOENT: no line. */
int target_find_mount_of(struct target *target, const char *path);

/* The real path of an open directory into @out (PATH_MAX), or a negative errno. */
int target_real_path(int fd, char *out);

/* A type that keeps no files of a user: proc, sysfs, … (not tmpfs, overlay, fuse). */
bool target_is_pseudo(const char *fs);

/* Flags that follow from the type and the mount options. */
unsigned target_type_flags(const char *fs, const char *options);

/* Fill nearest; without touching the file system when target->fd is -1. */
void target_find_nearest(struct target *target);

/* Fill bottom and the flags that the devices tell. */
void target_find_bottom(struct target *target);

#endif
