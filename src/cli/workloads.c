/*
 * Printing the tables of the workloads, for people and as JSON. Main thread.
 */
#include "cli/workloads.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/suggest.h"
#include "core/text.h"
#include "workloads/workload.h"

enum { RANGE_MAX = 128 };

static const char *const flush_names[] = {
	[FLUSH_DEFAULT] = "none",
	[FLUSH_INSIDE] = "inside",
	[FLUSH_OUTSIDE] = "outside",
	[FLUSH_NONE] = "none",
};

static void print_help(void)
{
	printf("usage: fsderby workloads [NAME] [--json]\n\n"
	       "Workloads, their phases and their parameters: default, range, unit, and when a\n"
	       "change takes effect. Parameters are set by -s WORKLOAD.PARAM=VALUE.\n\n"
	       "  --json   as one JSON array\n");
}

static void print_phases(const struct workload *workload)
{
	struct params params;

	params_init(&params, workload->params, workload->n_params);
	printf("  phases:\n");
	for (unsigned i = 0; i < workload->n_phases; i++) {
		const struct phase *phase = &workload->phases[i];
		bool is_off = phase->is_enabled != NULL && !phase->is_enabled(&params);

		printf("    %-12s %-10s %s%s%s\n", phase->name, phase->unit, phase->help,
		        is_off ? " (off by default)" : "",
		        phase->is_unranked ? " (shown, not compared)" : "");
	}
}

/* The longest default sets the column. */
static int initial_width(const struct workload *workload)
{
	size_t width = strlen("default");

	for (unsigned i = 0; i < workload->n_params; i++)
		if (strlen(workload->params[i].initial) > width)
			width = strlen(workload->params[i].initial);
	return (int)width;
}

static void print_params(const struct workload *workload)
{
	int width = initial_width(workload);
	char range[RANGE_MAX];

	printf("  parameters:\n    %-12s %-*s %-11s %s\n", "name", width, "default", "effect",
	        "what it is, and its range");
	for (unsigned i = 0; i < workload->n_params; i++) {
		const struct param *param = &workload->params[i];

		printf("    %-12s %-*s %-11s %s: %s\n", param->name, width, param->initial,
		        param_effect_name(param->effect), param->help,
		        param_range(param, range, sizeof(range)));
	}
}

static void print_workload(const struct workload *workload)
{
	printf("%s: %s\n", workload->name, workload->help);
	printf("  flush by default: %s\n", flush_names[workload->flush]);
	print_phases(workload);
	print_params(workload);
}

static json_t *json_or_null(const char *text)
{
	return text != NULL ? json_string(text) : json_null();
}

static json_t *phase_json(const struct phase *phase, const struct params *params)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(phase->name));
	json_object_set_new(object, "unit", json_string(phase->unit));
	json_object_set_new(object, "help", json_string(phase->help));
	json_object_set_new(object, "reads", json_boolean(phase->reads));
	json_object_set_new(object, "writes", json_boolean(phase->writes));
	json_object_set_new(object, "ranked", json_boolean(!phase->is_unranked));
	json_object_set_new(object, "on_by_default",
	        json_boolean(phase->is_enabled == NULL || phase->is_enabled(params)));
	return object;
}

static json_t *param_json(const struct param *param)
{
	bool has_range = param->type != PARAM_TEXT && param->type != PARAM_CHOICE;
	json_t *object = json_object();
	char range[RANGE_MAX];

	json_object_set_new(object, "name", json_string(param->name));
	json_object_set_new(object, "type", json_string(param_type_name(param->type)));
	json_object_set_new(object, "default", json_string(param->initial));
	json_object_set_new(object, "range", json_string(param_range(param, range, sizeof(range))));
	json_object_set_new(object, "min", has_range ? json_real(param->min) : json_null());
	json_object_set_new(object, "max", has_range ? json_real(param->max) : json_null());
	json_object_set_new(object, "choices", json_or_null(param->choices));
	json_object_set_new(object, "zero_word", json_or_null(param->zero_word));
	json_object_set_new(object, "unit", json_string(param->unit));
	json_object_set_new(object, "effect", json_string(param_effect_name(param->effect)));
	json_object_set_new(object, "help", json_string(param->help));
	return object;
}

static json_t *workload_json(const struct workload *workload)
{
	json_t *object = json_object(), *phases = json_array(), *params = json_array();
	struct params initial;

	params_init(&initial, workload->params, workload->n_params);
	for (unsigned i = 0; i < workload->n_phases; i++)
		json_array_append_new(phases, phase_json(&workload->phases[i], &initial));
	for (unsigned i = 0; i < workload->n_params; i++)
		json_array_append_new(params, param_json(&workload->params[i]));
	json_object_set_new(object, "name", json_string(workload->name));
	json_object_set_new(object, "help", json_string(workload->help));
	json_object_set_new(object, "flush", json_string(flush_names[workload->flush]));
	json_object_set_new(object, "phases", phases);
	json_object_set_new(object, "parameters", params);
	return object;
}

static int unknown_workload(const char *name)
{
	struct suggest suggest;
	char hint[128];

	suggest_init(&suggest, name);
	for (unsigned i = 0; workload_at(i) != NULL; i++)
		suggest_offer(&suggest, workload_at(i)->name);
	message_print("this version has no workload '%s'%s", name,
	        suggest_print(&suggest, "", hint, sizeof(hint)));
	return EXIT_USAGE;
}

static void print_all(const struct workload *only)
{
	for (unsigned i = 0; workload_at(i) != NULL; i++) {
		if (only != NULL && workload_at(i) != only)
			continue;
		if (only == NULL && i > 0)
			printf("\n");
		print_workload(workload_at(i));
	}
}

static int print_json(const struct workload *only)
{
	json_t *array = json_array();
	int failed;

	for (unsigned i = 0; workload_at(i) != NULL; i++)
		if (only == NULL || workload_at(i) == only)
			json_array_append_new(array, workload_json(workload_at(i)));
	failed = json_dumpf(array, stdout, JSON_INDENT(2));
	json_decref(array);
	printf("\n");
	return failed ? EXIT_CELLS : EXIT_GOOD;
}

int workloads_command(int argc, char **argv)
{
	const struct workload *only = NULL;
	bool is_json = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			print_help();
			return EXIT_GOOD;
		}
		if (strcmp(argv[i], "--json") == 0) {
			is_json = true;
		} else if (argv[i][0] == '-') {
			message_print(
			        "unknown option '%s' (try 'fsderby workloads --help')", argv[i]);
			return EXIT_USAGE;
		} else if (only != NULL) {
			message_print("'%s': one workload at a time, or none for all", argv[i]);
			return EXIT_USAGE;
		} else {
			only = workload_find(argv[i]);
			if (only == NULL)
				return unknown_workload(argv[i]);
		}
	}
	if (is_json)
		return print_json(only);
	print_all(only);
	return EXIT_GOOD;
}
