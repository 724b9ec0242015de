/*
 * What the tests of targets and scratch directories need to mount something. One thread.
 */
#ifndef FSDERBY_TESTS_MOUNTS_H
#define FSDERBY_TESTS_MOUNTS_H

#include <stdbool.h>

/*
 * Can this user mount, and keep it from others? Not in a chroot whose / is no mount: there mounts
 * cannot be made private. Tried in a child.
 */
bool mounts_are_private(void);

#endif
