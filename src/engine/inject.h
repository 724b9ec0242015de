/*
 * The seam behind the wrappers: faults put in by tests.
 *
 * A rule matches calls of one kind (or any) on one target (or any); it lets `skip` of them pass,
 * then acts on the next `times` (0: all). Checked only when a run was made with rules, so it costs
 * nothing otherwise. Workers read and count the rules under the lock inside.
 */
#ifndef FSDERBY_ENGINE_INJECT_H
#define FSDERBY_ENGINE_INJECT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/op.h"

enum { INJECT_RULES_MAX = 8, INJECT_ANY = -1 };

struct inject_rule {
	int kind;   /* enum op_kind or INJECT_ANY */
	int target; /* index or INJECT_ANY */
	uint64_t skip, times;
	int code;      /* negative errno to return instead of calling; 0: none */
	size_t length; /* call with at most this many bytes; 0: unchanged */
	uint64_t delay_ns;
	uint64_t seen, done; /* counted */
};

struct inject {
	pthread_mutex_t lock;
	unsigned n;
	struct inject_rule rules[INJECT_RULES_MAX];
};

void inject_init(struct inject *inject);
void inject_release(struct inject *inject);
/* The rule's code for this call (0: none); may shorten *length and sleep. */
int inject_apply(struct inject *inject, int target, enum op_kind kind, size_t *length);

#endif
