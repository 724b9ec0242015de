/*
 * File systems made for a test: images behind loop devices, and tmpfs, mounted in the test's folder
 * "mnt" within a mount namespace of our own. An image is unlinked as soon as it is attached and its
 * loop device clears itself, so that nothing outlives the process. Needs root. One thread.
 */
#ifndef FSDERBY_TESTS_SYSTEM_IMAGES_H
#define FSDERBY_TESTS_SYSTEM_IMAGES_H

#include <stdbool.h>

/* Leave the mounts of the others; before the first child or thread. Does nothing when not root. */
void images_prepare(void);

/* Can images be mounted here? If not, says why the test is skipped. */
bool images_are_possible(const char *test);
/* The same for mounts alone (tmpfs). */
bool images_may_mount(const char *test);

/*
 * Make a file system of @kind ("ext4", "xfs", "btrfs") with @size_mib, mount it as mnt/@name.
 * @options are words for mkfs, NULL at the end, or NULL. False after a failed check.
 */
bool images_mount(
        const char *name, const char *kind, unsigned size_mib, const char *const *options);
bool images_mount_tmpfs(const char *name, const char *options, bool read_only);
/* Where @name is mounted; see place_path for how long the text lives. */
const char *images_path(const char *name);
/* The name of the device mounted there ("loop3"), "" for none. */
const char *images_device(const char *name);

/* Unmount all; in the tear-down of each test that mounts. */
void images_release(void);

#endif
