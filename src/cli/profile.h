/*
 * Profiles: parameters of all workloads in an INI file, built in (quick, classic, mongo-2001) or
 * the user's.
 *
 * Sections are workloads, keys their parameters, values as -s takes them; a section [run] has
 * `workloads` (a list as -w takes it) and `rounds`; a section [lab] has options for mkfs, a key a
 * type of file system, and a `note` of what differs there. A key is given once. Main thread.
 */
#ifndef FSDERBY_CLI_PROFILE_H
#define FSDERBY_CLI_PROFILE_H

#include "core/error.h"
#include "core/params.h"
#include "engine/run.h"

enum { PROFILE_NAME_MAX = 64, PROFILE_MAKERS_MAX = 16 };

/* For file systems that the lab makes; without effect on directories. */
struct profile_lab {
	struct profile_maker {
		char fs[32];
		char options[128]; /* words divided by blanks */
	} makers[PROFILE_MAKERS_MAX];
	unsigned n;
	char note[160]; /* how that differs from what the profile is named after; "": not at all */
};

struct profile {
	char name[PROFILE_NAME_MAX];    /* "quick", or the file's name without its folder */
	char workloads[PARAM_TEXT_MAX]; /* "": not said */
	unsigned rounds;                /* 0: not said */
	struct profile_lab lab;
	unsigned n;
	struct run_workload
	        all[RUN_WORKLOADS_MAX]; /* every workload there is; what was given is_set */
};

/*
 * Load the built-in profile called @name, else the file. Messages name file, line and key.
 * *@profile is NULL on error.
 */
int profile_new(struct profile **profile, const char *name, struct error *err);
void profile_free(struct profile *profile);

/* As profile_new, from @text; @file is what messages call it. */
int profile_parse(struct profile **profile, const char *file, const char *text, struct error *err);

/* The parameters of @workload, with what the profile says. */
const struct params *profile_params(const struct profile *profile, const struct workload *workload);

/* Options for mkfs of @fs, NULL where the profile has none. */
const char *profile_mkfs_options(const struct profile_lab *lab, const char *fs);

#endif
