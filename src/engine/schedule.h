/*
 * Who runs when: groups of targets that may run together, and the order of turns in each round.
 * Pure functions, any thread.
 */
#ifndef FSDERBY_ENGINE_SCHEDULE_H
#define FSDERBY_ENGINE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/target.h"

/*
 * The order of @n targets in @round (from 1), by a balanced Latin square (Williams 1949): over n
 * rounds (2n for odd n) each target stands in each place, and follows each other target, equally
 * often. Which target takes which letter of the square, and which row comes first, is
 * drawn from @seed.
 */
void schedule_order(uint64_t seed, unsigned round, unsigned n, unsigned *order);

/*
 * Number the groups of targets that share a bottom device (group[i], from 0). Targets without a
 * device (tmpfs) are a group each. Returns the number of groups.
 */
unsigned schedule_groups(const struct target *targets, unsigned n, unsigned *group);

/* A device two targets share, for the header; NULL when none do. */
const char *schedule_shared_device(const struct target *targets, unsigned n);

#endif
