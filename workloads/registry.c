/*
 * The workloads there are, in the order in which they are listed. A new one is its file and its
 * line here. Any thread.
 */
#include <stddef.h>
#include <string.h>

#include "workloads/workload.h"

extern const struct workload workload_mongo, workload_null;

static const struct workload *const registry[] = {
	&workload_mongo,
	&workload_null,
};

const struct workload *workload_at(unsigned index)
{
	return index < sizeof(registry) / sizeof(registry[0]) ? registry[index] : NULL;
}

const struct workload *workload_find(const char *name)
{
	for (unsigned i = 0; workload_at(i) != NULL; i++)
		if (strcmp(workload_at(i)->name, name) == 0)
			return workload_at(i);
	return NULL;
}
