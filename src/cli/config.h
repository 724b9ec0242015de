/*
 * From options to the configuration of a run: profile, workloads, parameters, targets.
 * Shared by the run and `plan`. Main thread; only config_probe touches targets, by the prober.
 */
#ifndef FSDERBY_CLI_CONFIG_H
#define FSDERBY_CLI_CONFIG_H

#include "cli/options.h"
#include "cli/profile.h"
#include "core/error.h"
#include "core/target.h"
#include "engine/run.h"

/* Heap: a run_config is large. */
struct config {
	struct run_config run;
	struct target targets[TARGETS_MAX];
	char profile[64];
	struct profile_lab lab; /* of the profile */
};

/*
 * Everything but the targets: -p, then -w, then -s, then the rest. *@config is NULL on error.
 * config_free closes the targets that were not taken over by run_new.
 */
int config_new(struct config **config, const struct options *options, struct error *err);
void config_free(struct config *config);

/*
 * Parse and probe the targets of @options. Prints one line for each bad one and returns a negative
 * errno when there was any.
 */
int config_probe(struct config *config, const struct options *options);

/* The same for targets that stand in @config already. */
int config_probe_targets(struct config *config);

/*
 * Plan @config and print what does not fit on standard error, a line a target. Returns how many
 * targets do not fit, or a negative errno.
 */
int config_check_space(const struct config *config, struct run_plan *plan, struct error *err);

#endif
