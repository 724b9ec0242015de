/*
 * A managed target: a file system that fsderby made itself and may make anew and mount again. The
 * lab provides these; the engine only calls them, from the target's lane, while nothing of the
 * engine is open on the file system.
 */
#ifndef FSDERBY_ENGINE_MANAGED_H
#define FSDERBY_ENGINE_MANAGED_H

#include "core/error.h"

struct managed {
	/* Unmount, mkfs with the same options, mount: an empty file system at the same path. */
	int (*fresh)(struct managed *managed, struct error *err);
	/* Unmount and mount: nothing of it is in any cache but the host's. */
	int (*remount)(struct managed *managed, struct error *err);
};

#endif
