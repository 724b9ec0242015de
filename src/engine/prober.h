/*
 * Looking at targets that may hang: each in a thread of its own, with a deadline for the caller.
 *
 * What a thread works on lies on the heap and belongs to whoever is last, so that a thread that
 * comes back after the deadline does no harm. Called by the main thread; blocks it for at most
 * the time given.
 */
#ifndef FSDERBY_ENGINE_PROBER_H
#define FSDERBY_ENGINE_PROBER_H

#include <stdint.h>

#include "core/error.h"
#include "core/target.h"

#define PROBER_TIMEOUT_NS (UINT64_C(10) * 1000 * 1000 * 1000)

/*
 * Probe all targets, check that none gets in another's way and give them labels. @errs: one a
 * target, code 0 where it is good. Returns 0, or the first target's error; then all descriptors
 * are closed.
 */
int prober_probe_all(struct target *targets, unsigned n, uint64_t timeout_ns, struct error *errs);

/*
 * target_examine_mount for all of @list. @timeout_ns is for each; one that does not answer gets
 * that as its reason.
 */
void prober_examine_mounts(struct target_listing *list, unsigned n, uint64_t timeout_ns);

#endif
