/*
 * What a run will write, before anything is written: the cost of its sets on each target, and
 * whether each file system has room for it. Touches no target. Any thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "core/units.h"
#include "engine/run.h"

/*
 * For the rough estimate of the time: what a call and a byte cost on a common disk, and what
 * settling adds to a phase. Only to tell minutes from hours.
 */
#define CALL_S   8e-6
#define BYTES_S  500e6
#define SETTLE_S 0.7

static unsigned count_phases(const struct workload *workload, const struct params *params)
{
	unsigned n = 0;

	for (unsigned i = 0; i < workload->n_phases; i++)
		if (workload->phases[i].is_enabled == NULL ||
		        workload->phases[i].is_enabled(params))
			n++;
	return n;
}

static int plan_set(const struct run_config *config, struct run_plan *plan, unsigned target,
        const struct run_workload *set, const char *name, struct error *err)
{
	const struct target *where = &config->targets[target];
	struct cost_context context = {
		.block_bytes = where->block_bytes != 0 ? where->block_bytes : 4096,
		.fs = where->fs,
		.has_fixed_inodes = where->inodes != 0,
	};
	struct cost cost = { 0 };
	int code = 0;

	if (set->workload->plan != NULL)
		code = set->workload->plan(&set->params, &context, &cost, err);
	if (code != 0)
		return code;
	if (cost.bytes >= plan->targets[target].cost.bytes) {
		plan->targets[target].cost.bytes = cost.bytes;
		text_print(plan->targets[target].worst_set, sizeof(plan->targets[target].worst_set),
		        "%s%s%s", set->workload->name, name[0] != '\0' ? " " : "", name);
	}
	if (cost.inodes > plan->targets[target].cost.inodes)
		plan->targets[target].cost.inodes = cost.inodes;
	if (cost.files > plan->targets[target].cost.files)
		plan->targets[target].cost.files = cost.files;
	plan->targets[target].traffic_bytes += cost.traffic_bytes * config->rounds;
	plan->targets[target].operations += cost.operations * config->rounds;
	plan->targets[target].seconds +=
	        config->rounds *
	        ((double)cost.operations * CALL_S + (double)cost.traffic_bytes / BYTES_S +
	                count_phases(set->workload, &set->params) * SETTLE_S);
	return 0;
}

static int plan_workload(const struct run_config *config, struct run_plan *plan,
        const struct run_workload *chosen, struct error *err)
{
	struct params *params = calloc(WORKLOAD_SETS_MAX, sizeof(*params));
	char(*names)[WORKLOAD_SET_NAME_MAX] = calloc(WORKLOAD_SETS_MAX, sizeof(*names));
	int n = 1, code = 0;

	if (params == NULL || names == NULL) {
		code = error_errno(err, -ENOMEM, "plan");
		goto out;
	}
	params[0] = chosen->params;
	if (chosen->workload->sets != NULL)
		n = chosen->workload->sets(&chosen->params, params, names, WORKLOAD_SETS_MAX, err);
	code = n < 0 ? n : 0;
	for (int i = 0; i < n && code == 0; i++)
		for (unsigned t = 0; t < config->n_targets && code == 0; t++) {
			struct run_workload set = { chosen->workload, params[i] };

			code = plan_set(config, plan, t, &set, names[i], err);
		}
out:
	free(params);
	free(names);
	return code;
}

/* Space is a matter of file systems: targets that share one add up when they run together. */
static void check_space(const struct run_config *config, struct run_plan *plan)
{
	for (unsigned t = 0; t < config->n_targets; t++) {
		const struct target *where = &config->targets[t];
		uint64_t bytes = 0, inodes = 0;

		for (unsigned other = 0; other < config->n_targets; other++) {
			const struct cost *cost = &plan->targets[other].cost;
			bool together =
			        config->schedule == SCHEDULE_TOGETHER || config->turns_by_phase;

			if (config->targets[other].dev != where->dev)
				continue;
			bytes = together ? bytes + cost->bytes
			                 : (cost->bytes > bytes ? cost->bytes : bytes);
			inodes = together ? inodes + cost->inodes
			                  : (cost->inodes > inodes ? cost->inodes : inodes);
		}
		plan->targets[t].needed_bytes = bytes;
		plan->targets[t].needed_inodes = inodes;
		plan->targets[t].fits_bytes = bytes <= where->free_bytes;
		plan->targets[t].fits_inodes = where->inodes == 0 || inodes <= where->free_inodes;
	}
}

int run_plan(const struct run_config *config, struct run_plan *plan, struct error *err)
{
	int code = 0;

	memset(plan, 0, sizeof(*plan));
	for (unsigned i = 0; i < config->n_workloads && code == 0; i++)
		code = plan_workload(config, plan, &config->workloads[i], err);
	if (code == 0)
		check_space(config, plan);
	return code;
}

char *run_plan_complaint(const struct run_config *config, const struct run_plan *plan,
        unsigned target, char *out, size_t size)
{
	const struct target *where = &config->targets[target];
	char needed[UNITS_TEXT_MAX], has[UNITS_TEXT_MAX];

	out[0] = '\0';
	if (!plan->targets[target].fits_bytes)
		text_print(out, size,
		        "%s=%s: needs %s MiB for %s, has %s MiB free; make base_size larger, "
		        "bytes smaller, or use another target",
		        where->label, where->path,
		        units_format_grouped(
		                needed, (plan->targets[target].needed_bytes + 1048575) >> 20),
		        plan->targets[target].worst_set,
		        units_format_grouped(has, where->free_bytes >> 20));
	else if (!plan->targets[target].fits_inodes)
		text_print(out, size,
		        "%s=%s: needs %s inodes, has %s free; make base_size larger, bytes "
		        "smaller, "
		        "or make the file system with more inodes (mke2fs -i 4096)",
		        where->label, where->path,
		        units_format_grouped(needed, plan->targets[target].needed_inodes),
		        units_format_grouped(has, where->free_inodes));
	return out;
}
