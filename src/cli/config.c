/*
 * Building a run's configuration. Main thread.
 */
#include "cli/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/suggest.h"
#include "core/text.h"
#include "engine/prober.h"

/* What runs where neither -w nor the profile says; what this version does not have is left out. */
static const char *const default_workloads[] = { "mongo", "bonnie", "random" };

enum { WORD_MAX = 64 };

static int unknown_workload(const char *name, struct error *err)
{
	struct suggest suggest;
	char hint[128];

	suggest_init(&suggest, name);
	for (unsigned i = 0; workload_at(i) != NULL; i++)
		suggest_offer(&suggest, workload_at(i)->name);
	return error_set(err, -EINVAL,
	        "this version has no workload '%s'%s (`fsderby workloads` lists them)", name,
	        suggest_print(&suggest, "", hint, sizeof(hint)));
}

static struct run_workload *find_chosen(struct run_config *run, const struct workload *workload)
{
	for (unsigned i = 0; i < run->n_workloads; i++)
		if (run->workloads[i].workload == workload)
			return &run->workloads[i];
	return NULL;
}

static int choose_workload(
        struct run_config *run, const char *name, const struct profile *profile, struct error *err)
{
	const struct workload *workload = workload_find(name);
	struct run_workload *chosen;

	if (workload == NULL)
		return unknown_workload(name, err);
	if (find_chosen(run, workload) != NULL)
		return error_set(err, -EINVAL, "workload %s is named twice", name);
	if (run->n_workloads == RUN_WORKLOADS_MAX)
		return error_set(err, -EINVAL, "more than %d workloads", RUN_WORKLOADS_MAX);
	chosen = &run->workloads[run->n_workloads++];
	chosen->workload = workload;
	chosen->params = *profile_params(profile, workload);
	return 0;
}

static int choose_listed(
        struct run_config *run, const char *list, const struct profile *profile, struct error *err)
{
	for (const char *word = list;;) {
		size_t length = strcspn(word, ",");
		char name[WORD_MAX];
		int code;

		text_print(name, sizeof(name), "%.*s", (int)length, word);
		code = choose_workload(run, name, profile, err);
		if (code < 0)
			return code;
		if (word[length] == '\0')
			return 0;
		word += length + 1;
	}
}

static int choose_workloads(struct run_config *run, const struct options *options,
        const struct profile *profile, struct error *err)
{
	if (options->workloads != NULL) {
		if (choose_listed(run, options->workloads, profile, err) < 0)
			return error_context(err, "option --workload");
		return 0;
	}
	if (profile->workloads[0] != '\0') {
		if (choose_listed(run, profile->workloads, profile, err) < 0)
			return error_context(err, "profile %s: [run] workloads", profile->name);
		return 0;
	}
	for (unsigned i = 0; i < sizeof(default_workloads) / sizeof(default_workloads[0]); i++)
		if (workload_find(default_workloads[i]) != NULL)
			choose_workload(run, default_workloads[i], profile, NULL);
	if (run->n_workloads == 0)
		return error_set(err, -EINVAL, "no workload is chosen; name one by -w");
	return 0;
}

static int unknown_param(const struct workload *workload, const char *name, struct error *err)
{
	struct suggest suggest;
	char hint[128], prefix[WORD_MAX];

	suggest_init(&suggest, name);
	for (unsigned i = 0; i < workload->n_params; i++)
		suggest_offer(&suggest, workload->params[i].name);
	text_print(prefix, sizeof(prefix), "%s.", workload->name);
	return error_set(err, -EINVAL,
	        "workload %s has no parameter '%s'%s (`fsderby workloads %s` lists them)",
	        workload->name, name, suggest_print(&suggest, prefix, hint, sizeof(hint)),
	        workload->name);
}

/* WORKLOAD.PARAM=VALUE */
static int apply_setting(struct run_config *run, const char *text, struct error *err)
{
	char name[WORD_MAX], param[WORD_MAX];
	size_t dot = strcspn(text, ".="), equals = strcspn(text, "=");
	const struct workload *workload;
	struct run_workload *chosen;
	struct error why;

	if (text[dot] != '.' || text[equals] != '=' || dot == 0 || equals == dot + 1)
		return error_set(err, -EINVAL,
		        "'%s' is not WORKLOAD.PARAM=VALUE, as in mongo.base_size=1000", text);
	text_print(name, sizeof(name), "%.*s", (int)dot, text);
	text_print(param, sizeof(param), "%.*s", (int)(equals - dot - 1), text + dot + 1);
	workload = workload_find(name);
	if (workload == NULL)
		return unknown_workload(name, err);
	if (params_find(workload->params, workload->n_params, param) < 0)
		return unknown_param(workload, param, err);
	chosen = find_chosen(run, workload);
	if (chosen == NULL)
		return error_set(err, -EINVAL,
		        "'%s': workload %s is not chosen; add it by -w, or leave this out", text,
		        name);
	if (params_set(&chosen->params, param, text + equals + 1, &why) < 0)
		return error_set(err, why.code, "%s.%s", name, why.text); /* names the parameter */
	return 0;
}

static int fill(struct config *config, const struct options *options, const struct profile *profile,
        struct error *err)
{
	struct run_config *run = &config->run;
	int code = choose_workloads(run, options, profile, err);

	for (unsigned i = 0; code == 0 && i < options->n_settings; i++)
		if (apply_setting(run, options->settings[i], err) < 0)
			code = error_context(err, "option --set");
	if (code < 0)
		return code;
	run->targets = config->targets;
	run->rounds = options->rounds != 0   ? options->rounds
	              : profile->rounds != 0 ? profile->rounds
	                                     : 3;
	run->schedule = options->schedule;
	run->turns_by_phase = options->turns_by_phase;
	run->seed = options->seed;
	run->is_cold = options->is_cold;
	run->fresh_by_round = options->fresh_by_round;
	run->flush = options->flush;
	run->time_limit_ns = options->time_limit_ns;
	run->keep_files = options->keep_files;
	run->no_settle = options->no_settle;
	run->no_journal = options->no_journal;
	text_print(config->profile, sizeof(config->profile), "%s", profile->name);
	run->profile = config->profile;
	config->lab = profile->lab;
	return 0;
}

int config_new(struct config **out, const struct options *options, struct error *err)
{
	struct profile *profile;
	struct config *config;
	int code;

	*out = NULL;
	code = profile_new(&profile, options->profile, err);
	if (code < 0)
		return code;
	config = calloc(1, sizeof(*config));
	code = config == NULL ? error_errno(err, -ENOMEM, "configuration")
	                      : fill(config, options, profile, err);
	profile_free(profile);
	if (code < 0) {
		free(config);
		return code;
	}
	*out = config;
	return 0;
}

void config_free(struct config *config)
{
	if (config == NULL)
		return;
	for (unsigned i = 0; i < config->run.n_targets; i++)
		if (config->targets[i].fd >= 0)
			target_close(&config->targets[i]);
	free(config);
}

/* Returns the number of bad ones, each with its line. */
static unsigned parse_targets(struct config *config, const struct options *options)
{
	unsigned n_bad = 0;

	for (unsigned i = 0; i < options->n_targets; i++) {
		struct target *target = &config->targets[config->run.n_targets];
		struct error err = { 0 };

		if (target_parse(target, options->targets[i], &err) < 0) {
			message_print("%s", err.text);
			n_bad++;
			continue;
		}
		target->fd = -1;
		config->run.n_targets++;
	}
	return n_bad;
}

static unsigned probe_targets(struct config *config)
{
	unsigned n = config->run.n_targets, n_bad = 0;
	struct error *errs = calloc(n + 1, sizeof(*errs));
	int code = errs == NULL ? -ENOMEM
	                        : prober_probe_all(config->targets, n, PROBER_TIMEOUT_NS, errs);

	for (unsigned i = 0; errs != NULL && i < n; i++)
		if (errs[i].code < 0) {
			message_print("%s", errs[i].text);
			n_bad++;
		}
	free(errs);
	if (code < 0 && n_bad == 0) {
		message_print("targets: %s", strerror(-code));
		n_bad++;
	}
	return n_bad;
}

int config_probe(struct config *config, const struct options *options)
{
	/* All bad lines at once: those that cannot be read do not hide the others. */
	unsigned n_bad = parse_targets(config, options);

	n_bad += probe_targets(config);
	return n_bad > 0 ? -EINVAL : 0;
}

int config_probe_targets(struct config *config)
{
	return probe_targets(config) > 0 ? -EINVAL : 0;
}

int config_check_space(const struct config *config, struct run_plan *plan, struct error *err)
{
	int code = run_plan(&config->run, plan, err), n_short = 0;

	if (code < 0)
		return code;
	for (unsigned i = 0; i < config->run.n_targets; i++) {
		char text[ERROR_TEXT_MAX];

		if (plan->targets[i].fits_bytes && plan->targets[i].fits_inodes)
			continue;
		message_print("%s", run_plan_complaint(&config->run, plan, i, text, sizeof(text)));
		n_short++;
	}
	return n_short;
}
