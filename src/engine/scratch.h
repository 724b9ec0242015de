/*
 * The scratch directory: the only place on a target where anything is made or removed.
 *
 * `.fsderby-<run id>`, mode 0700, with the marker file `owner` (run id, uid, boot id, pid and its
 * start time), everything reached from its descriptor: directories by openat2(RESOLVE_BENEATH |
 * RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV). Removal never follows a link, never leaves the
 * file system, never touches a directory whose marker does not match its name.
 * May block: lanes and `clean` only, never the main thread of a screen.
 */
#ifndef FSDERBY_ENGINE_SCRATCH_H
#define FSDERBY_ENGINE_SCRATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

#define SCRATCH_PREFIX ".fsderby-"

/* Progress of a removal: entries removed, read by the sampler; and the wish to stop. */
struct scratch_progress {
	_Atomic uint64_t removed;
	_Atomic uint32_t is_cancelled;
	const _Atomic uint32_t *hold; /* while nonzero: wait (a pause); NULL: none */
};

/* Make it below @dir_fd. Returns its descriptor (O_RDONLY|O_DIRECTORY) or a negative errno. */
int scratch_make(int dir_fd, const char *run_id, struct error *err);

/* Remove what is in it but the marker. Reports the first failure, goes on with the rest. */
int scratch_empty(int scratch_fd, struct scratch_progress *progress, struct error *err);

/* Remove all of it, marker last, and the directory. */
int scratch_remove(int dir_fd, const char *run_id, int scratch_fd,
        struct scratch_progress *progress, struct error *err);

enum scratch_owner {
	SCRATCH_DEAD,    /* a run that is gone: may be removed */
	SCRATCH_ALIVE,   /* its process lives */
	SCRATCH_FOREIGN, /* no marker, or one that does not match: never touched */
};

struct scratch_found {
	char name[64]; /* directory name */
	char run_id[40];
	enum scratch_owner owner;
	const char *why; /* for people: why it is FOREIGN or ALIVE (static); NULL when DEAD */
};

/* Scratch directories directly in @dir_fd; *@found is malloc'ed. */
int scratch_find(int dir_fd, struct scratch_found **found, unsigned *n, struct error *err);

/* Remove a dead one found in @dir_fd (checks the marker again). */
int scratch_clean(int dir_fd, const struct scratch_found *found, struct scratch_progress *progress,
        struct error *err);

#endif
