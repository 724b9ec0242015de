/*
 * The plan as a table, and the manifest of a workload. Main thread.
 */
#include "cli/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config.h"
#include "cli/message.h"
#include "cli/options.h"
#include "core/text.h"
#include "core/units.h"

/* One column of the table: its heading and what stands in a target's line. */
struct plan_column {
	const char *heading;
	void (*print)(const struct config *config, const struct run_plan *plan, unsigned target,
	        char *out, size_t size);
};

enum { CELL_MAX = 160 };

static void print_label(const struct config *config, const struct run_plan *plan, unsigned target,
        char *out, size_t size)
{
	(void)plan;
	text_sanitize(out, size, config->targets[target].label);
}

static void print_bytes(const struct config *config, const struct run_plan *plan, unsigned target,
        char *out, size_t size)
{
	char text[UNITS_TEXT_MAX];

	(void)config;
	text_print(out, size, "%s",
	        units_format_bytes(text, (double)plan->targets[target].cost.bytes));
}

static void print_files(const struct config *config, const struct run_plan *plan, unsigned target,
        char *out, size_t size)
{
	char text[UNITS_TEXT_MAX];

	(void)config;
	text_print(out, size, "%s", units_format_grouped(text, plan->targets[target].cost.files));
}

static void print_inodes(const struct config *config, const struct run_plan *plan, unsigned target,
        char *out, size_t size)
{
	char text[UNITS_TEXT_MAX];

	(void)config;
	text_print(out, size, "%s", units_format_grouped(text, plan->targets[target].cost.inodes));
}

static void print_free(const struct config *config, const struct run_plan *plan, unsigned target,
        char *out, size_t size)
{
	char text[UNITS_TEXT_MAX];

	(void)plan;
	text_print(out, size, "%s",
	        units_format_bytes(text, (double)config->targets[target].free_bytes));
}

static void print_free_inodes(const struct config *config, const struct run_plan *plan,
        unsigned target, char *out, size_t size)
{
	const struct target *facts = &config->targets[target];
	char text[UNITS_TEXT_MAX];

	(void)plan;
	text_print(out, size, "%s",
	        facts->inodes == 0 ? "as needed" : units_format_grouped(text, facts->free_inodes));
}

static void print_written(const struct config *config, const struct run_plan *plan, unsigned target,
        char *out, size_t size)
{
	char text[UNITS_TEXT_MAX];

	(void)config;
	text_print(out, size, "%s",
	        units_format_bytes(text, (double)plan->targets[target].traffic_bytes));
}

static void print_time(const struct config *config, const struct run_plan *plan, unsigned target,
        char *out, size_t size)
{
	char text[UNITS_TEXT_MAX];
	double seconds = plan->targets[target].seconds;

	(void)config;
	text_print(out, size, "%s", seconds < 0 ? "-" : units_format_clock(text, seconds));
}

static void print_fits(const struct config *config, const struct run_plan *plan, unsigned target,
        char *out, size_t size)
{
	bool bytes = plan->targets[target].fits_bytes, inodes = plan->targets[target].fits_inodes;

	(void)config;
	text_print(out, size, "%s",
	        bytes && inodes ? "yes"
	        : bytes         ? "no: inodes"
	        : inodes        ? "no: space"
	                        : "no: space, inodes");
}

static void print_worst(const struct config *config, const struct run_plan *plan, unsigned target,
        char *out, size_t size)
{
	(void)config;
	text_print(out, size, "%s", plan->targets[target].worst_set);
}

static const struct plan_column plan_columns[] = {
	{ "target", print_label },
	{ "space", print_bytes },
	{ "files", print_files },
	{ "inodes", print_inodes },
	{ "free", print_free },
	{ "free inodes", print_free_inodes },
	{ "moved in all", print_written },
	{ "about", print_time },
	{ "fits", print_fits },
	{ "at most in", print_worst },
};

enum { N_COLUMNS = sizeof(plan_columns) / sizeof(plan_columns[0]) };

/* Text columns begin at the left, numbers end at the right. */
static bool is_left(unsigned column)
{
	return column == 0 || column >= N_COLUMNS - 2;
}

static void print_cell(unsigned column, int width, const char *text)
{
	bool is_last = column == N_COLUMNS - 1;

	if (is_left(column))
		printf("%-*s%s", is_last ? 0 : width, text, is_last ? "\n" : "  ");
	else
		printf("%*s  ", width, text);
}

static void print_table(const struct config *config, const struct run_plan *plan)
{
	char cell[CELL_MAX];
	int widths[N_COLUMNS];

	for (unsigned c = 0; c < N_COLUMNS; c++) {
		widths[c] = (int)strlen(plan_columns[c].heading);
		for (unsigned t = 0; t < config->run.n_targets; t++) {
			plan_columns[c].print(config, plan, t, cell, sizeof(cell));
			if ((int)strlen(cell) > widths[c])
				widths[c] = (int)strlen(cell);
		}
	}
	for (unsigned c = 0; c < N_COLUMNS; c++)
		print_cell(c, widths[c], plan_columns[c].heading);
	for (unsigned t = 0; t < config->run.n_targets; t++)
		for (unsigned c = 0; c < N_COLUMNS; c++) {
			plan_columns[c].print(config, plan, t, cell, sizeof(cell));
			print_cell(c, widths[c], cell);
		}
}

static void print_help(void)
{
	printf("usage: fsderby plan [OPTIONS] [LABEL=]DIR...\n"
	       "       fsderby plan --manifest [-s WORKLOAD.PARAM=VALUE]\n\n"
	       "What a run with these options would write: the most space, files and inodes at a\n"
	       "time, what moves in all rounds, about how long it takes, and whether it fits.\n"
	       "Writes nothing. All options of a run are taken; these matter:\n\n");
	options_print_help(OPTIONS_PLAN, stdout);
}

static int print_manifest_of(const struct run_workload *chosen, struct error *err)
{
	const struct workload *workload = chosen->workload;
	struct params *sets = calloc(WORKLOAD_SETS_MAX, sizeof(*sets));
	char(*names)[WORKLOAD_SET_NAME_MAX] = calloc(WORKLOAD_SETS_MAX, sizeof(*names));
	int n = 1, code;

	if (sets == NULL || names == NULL) {
		code = error_errno(err, -ENOMEM, "manifest");
		goto out;
	}
	sets[0] = chosen->params;
	if (workload->sets != NULL)
		n = workload->sets(&chosen->params, sets, names, WORKLOAD_SETS_MAX, err);
	if (n < 0)
		code = n;
	else if (n != 1)
		code = error_set(err, -EINVAL,
		        "these parameters of %s make %d sets; a manifest is of one, as by "
		        "-s mongo.base_size=1000",
		        workload->name, n);
	else
		code = workload->manifest(&sets[0], stdout, err);
out:
	free(sets);
	free(names);
	return code;
}

static int print_manifest(const struct config *config, struct error *err)
{
	for (unsigned i = 0; i < config->run.n_workloads; i++)
		if (config->run.workloads[i].workload->manifest != NULL)
			return print_manifest_of(&config->run.workloads[i], err);
	return error_set(
	        err, -EINVAL, "none of the chosen workloads has a manifest; mongo has (-w mongo)");
}

static int plan_targets(struct config *config, const struct options *options, struct error *err)
{
	struct run_plan *plan;
	int n_short;

	if (options->n_targets == 0)
		return error_set(err, -EINVAL,
		        "no target: give one or more directories (`fsderby targets` lists file "
		        "systems)");
	if (config_probe(config, options) < 0)
		return error_set(err, -EINVAL, "%s", ""); /* said already */
	plan = calloc(1, sizeof(*plan));
	if (plan == NULL)
		return error_errno(err, -ENOMEM, "plan");
	n_short = config_check_space(config, plan, err);
	if (n_short >= 0)
		print_table(config, plan);
	free(plan);
	return n_short;
}

int plan_command(int argc, char **argv)
{
	struct config *config = NULL;
	struct options options;
	struct error err = { 0 };
	int code;

	if (options_parse(&options, OPTIONS_PLAN, argc, argv, &err) < 0)
		return message_usage(&err);
	if (options.wants_help) {
		print_help();
		return EXIT_GOOD;
	}
	code = config_new(&config, &options, &err);
	if (code == 0 && options.manifest && options.n_targets > 0)
		code = error_set(
		        &err, -EINVAL, "--manifest takes no target ('%s')", options.targets[0]);
	else if (code == 0 && options.manifest)
		code = print_manifest(config, &err);
	else if (code == 0)
		code = plan_targets(config, &options, &err);
	config_free(config);
	if (code < 0 && err.text[0] != '\0')
		message_print("%s", err.text);
	return code < 0 || (code > 0 && options.strict_space) ? EXIT_USAGE : EXIT_GOOD;
}
