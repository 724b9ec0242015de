/*
 * Faults put in by tests, behind the wrappers' gate. Workers call inject_apply; the rules are set
 * before the run starts.
 */
#include "engine/inject.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "measure/clock.h"

/* What all rules together do to one call. */
struct effect {
	int code;
	uint64_t delay_ns;
};

static bool is_hit(struct inject_rule *rule, int target, enum op_kind kind)
{
	if (rule->kind != INJECT_ANY && rule->kind != (int)kind)
		return false;
	if (rule->target != INJECT_ANY && rule->target != target)
		return false;
	rule->seen++;
	if (rule->seen <= rule->skip || (rule->times != 0 && rule->done >= rule->times))
		return false;
	rule->done++;
	return true;
}

static void add_effect(const struct inject_rule *rule, struct effect *effect, size_t *length)
{
	if (effect->code == 0)
		effect->code = rule->code;
	effect->delay_ns += rule->delay_ns;
	if (length != NULL && rule->length != 0 && *length > rule->length)
		*length = rule->length;
}

static void nap(uint64_t ns)
{
	struct timespec rest = {
		.tv_sec = (time_t)(ns / CLOCK_SECOND_NS),
		.tv_nsec = (long)(ns % CLOCK_SECOND_NS),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR)
		;
}

void inject_init(struct inject *inject)
{
	memset(inject, 0, sizeof(*inject));
	pthread_mutex_init(&inject->lock, NULL);
}

void inject_release(struct inject *inject)
{
	pthread_mutex_destroy(&inject->lock);
}

int inject_apply(struct inject *inject, int target, enum op_kind kind, size_t *length)
{
	struct effect effect = { 0 };

	pthread_mutex_lock(&inject->lock);
	for (unsigned i = 0; i < inject->n && i < INJECT_RULES_MAX; i++)
		if (is_hit(&inject->rules[i], target, kind))
			add_effect(&inject->rules[i], &effect, length);
	pthread_mutex_unlock(&inject->lock);
	if (effect.delay_ns != 0)
		nap(effect.delay_ns);
	return effect.code;
}
