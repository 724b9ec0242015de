/*
 * mongo's phases. Internal to workloads/mongo*.c.
 */
#ifndef FSDERBY_WORKLOADS_MONGO_PHASES_H
#define FSDERBY_WORKLOADS_MONGO_PHASES_H

#include "workloads/workload.h"

enum { MONGO_PHASES = 7 };

extern const struct phase mongo_phases[MONGO_PHASES];

#endif
