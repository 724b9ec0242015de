/*
 * Whose the files are that fsderby leaves for people: under sudo the calling user's, not root's.
 * Main thread, before others read the environment; the give functions from any thread.
 */
#ifndef FSDERBY_RESULTS_OWNER_H
#define FSDERBY_RESULTS_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* True under sudo (root, with SUDO_UID and SUDO_GID), and then whose. */
bool owner_read(uid_t *uid, gid_t *gid);

/* Make that user the owner of what @fd is; nothing to do without sudo. 0 or a negative errno. */
int owner_give(int fd);

/* Home directory of the person: under sudo the calling user's. -ENOENT when there is none. */
int owner_home(char *out, size_t size);

#endif
