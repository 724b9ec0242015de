/*
 * mongo's phases. Internal to workloads/mongo*.c.
 */
#ifndef FSDERBY_WORKLOADS_MONGO_PHASES_H
#define FSDERBY_WORKLOADS_MONGO_PHASES_H

#include "workloads/workload.h"

enum { MONGO_PHASES = 10 };

/* The parameters, as in the table of mongo.c. */
enum {
	MONGO_BASE_SIZE,
	MONGO_BYTES,
	MONGO_REPETITIONS,
	MONGO_PROCESSES,
	MONGO_SEED,
	MONGO_CONTENT,
	MONGO_ORDER,
	MONGO_APPEND,
	MONGO_MODIFY,
	MONGO_OVERWRITE,
	MONGO_RATE,
};

extern const struct phase mongo_phases[MONGO_PHASES];

#endif
