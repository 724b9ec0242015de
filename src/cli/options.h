/*
 * The options of a run, and of `plan`: one table that the parser and --help read. Main thread.
 */
#ifndef FSDERBY_CLI_OPTIONS_H
#define FSDERBY_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"
#include "core/target.h"
#include "engine/run.h"
#include "ui/ui.h"

enum { OPTIONS_SETTINGS_MAX = 256, OPTIONS_OUTPUTS_MAX = 16, OPTIONS_ROUNDS_MAX = 1000 };

enum options_live { LIVE_DEFAULT, LIVE_FULL, LIVE_LINES, LIVE_NONE };

/* Who takes an option; also which help lists it. */
enum options_command { OPTIONS_RUN = 1 << 0, OPTIONS_PLAN = 1 << 1, OPTIONS_LAB = 1 << 2 };

/* Strings are borrowed from argv. */
struct options {
	const char *workloads; /* as typed; NULL: the profile's, or the default list */
	const char *profile;   /* "quick" */
	const char *settings[OPTIONS_SETTINGS_MAX];
	unsigned n_settings;
	const char *outputs[OPTIONS_OUTPUTS_MAX];
	unsigned n_outputs;
	const char *targets[TARGETS_MAX];
	unsigned n_targets;
	unsigned rounds; /* 0: the profile's */
	enum run_schedule schedule;
	bool turns_by_phase;
	uint64_t seed, time_limit_ns;
	enum flush flush;
	bool is_cold, keep_files, strict_space, no_journal, no_settle;
	bool is_batch; /* also set by what only makes sense without a screen */
	enum options_live live;
	bool progress_json;
	enum ui_color color;
	const char *theme;
	bool ascii, no_mouse, hangup_continues;
	bool manifest;             /* plan */
	const char *lab_directory; /* lab: for its images */
	uint64_t lab_bytes;        /* of each image; 0: what the run needs */
	bool fresh_by_round, lab_is_visible;
	bool wants_help, wants_version;
};

/*
 * Read @argv[1…]; options and targets may be mixed, "--" ends the options. Strict: names are whole,
 * every value is checked here but those of -w, -p, -s and -o (cli/config.h). -EINVAL with a message
 * that names the option and what would be right. Stops early at --help and --version.
 */
int options_parse(struct options *options, enum options_command command, int argc, char **argv,
        struct error *err);

/* The list of options that @command uses, for --help. */
void options_print_help(enum options_command command, FILE *out);

#endif
