/*
 * Where the lab mounts: a small tmpfs that holds nothing but mount points. In a mount namespace of
 * our own, which the kernel takes down with the process; or, visible to others, below /run. Main
 * thread; lab_place_init must come before the process has a second one.
 */
#ifndef FSDERBY_LAB_PLACE_H
#define FSDERBY_LAB_PLACE_H

#include <limits.h>
#include <stdbool.h>

#include "core/error.h"

struct lab_place {
	char path[PATH_MAX]; /* "": nothing is mounted */
	int lock_fd;         /* says that we live, for lab_place_clean; -1 */
	bool is_made;        /* the directory is ours, to be removed */
};

/*
 * Leave the mounts of the others (unless @is_visible) and mount the tmpfs. @used: paths that will
 * be opened later, NULL at the end; none of them gets hidden. -EPERM when not root.
 */
int lab_place_init(
        struct lab_place *place, bool is_visible, const char *const *used, struct error *err);
void lab_place_release(struct lab_place *place);

/* Unmount @path, waiting a moment for those who still look at it. -EBUSY: somebody stays. */
int lab_place_unmount(const char *path);

/*
 * Visible labs whose process is gone: unmount and remove them, or only name them (@is_dry). @say
 * gets the directory of each and 0, or a negative errno. Returns how many there were.
 */
unsigned lab_place_clean(
        bool is_dry, void (*say)(void *context, const char *path, int code), void *context);

#endif
