/*
 * Reading profiles with inih. Main thread.
 *
 * inih is fed a line at a time by a reader of our own, which counts the lines (its handler is not
 * told) and takes leading blanks away (a line that begins with some would go on with the value
 * before it).
 */
#include "cli/profile.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/suggest.h"
#include "core/assets.h"
#include "core/text.h"
#include "core/units.h"

#define PROFILE_FOLDER "workloads/profiles/"
#define PROFILE_ENDING ".ini"

enum { PROFILE_FILE_MAX = 64 * 1024 };

struct profile_reader {
	const char *next; /* rest of the text */
	const char *file;
	unsigned line;
	struct profile *profile;
	struct error *err;
	int code;          /* of the first error in a key */
	unsigned bad_line; /* and where it is */
};

/* Put "file:line: " before what @err says; the first error counts. */
static int refuse(struct profile_reader *reader)
{
	reader->code = reader->err->code;
	reader->bad_line = reader->line;
	error_context(reader->err, "%s:%u", reader->file, reader->line);
	return 0;
}

static char *read_line(char *out, int size, void *context)
{
	struct profile_reader *reader = context;
	size_t length;

	if (*reader->next == '\0' || reader->code < 0)
		return NULL;
	reader->line++;
	reader->next += strspn(reader->next, " \t");
	length = strcspn(reader->next, "\n");
	if (length + 2 > (size_t)size) {
		error_set(reader->err, -EINVAL, "the line is longer than %d characters", size - 2);
		refuse(reader);
		return NULL;
	}
	memcpy(out, reader->next, length);
	text_print(out + length, (size_t)size - length, "\n");
	reader->next += length + (reader->next[length] == '\n');
	return out;
}

static struct run_workload *find_section(struct profile *profile, const char *name)
{
	for (unsigned i = 0; i < profile->n; i++)
		if (strcmp(profile->all[i].workload->name, name) == 0)
			return &profile->all[i];
	return NULL;
}

static int unknown_section(struct profile_reader *reader, const char *section)
{
	struct suggest suggest;
	char hint[128];

	suggest_init(&suggest, section);
	suggest_offer(&suggest, "run");
	suggest_offer(&suggest, "lab");
	for (unsigned i = 0; i < reader->profile->n; i++)
		suggest_offer(&suggest, reader->profile->all[i].workload->name);
	return error_set(reader->err, -EINVAL,
	        "section [%s] is neither run, lab nor a workload of this version%s", section,
	        suggest_print(&suggest, "", hint, sizeof(hint)));
}

static int set_run_key(struct profile_reader *reader, const char *key, const char *value)
{
	struct profile *profile = reader->profile;
	uint64_t rounds;

	if (strcmp(key, "workloads") == 0) {
		if (profile->workloads[0] != '\0')
			return error_set(reader->err, -EINVAL, "workloads is given twice");
		text_print(profile->workloads, sizeof(profile->workloads), "%s", value);
		return 0;
	}
	if (strcmp(key, "rounds") != 0)
		return error_set(reader->err, -EINVAL,
		        "section [run] has no '%s'; it has workloads and rounds", key);
	if (profile->rounds != 0)
		return error_set(reader->err, -EINVAL, "rounds is given twice");
	if (units_parse_count(value, &rounds, reader->err) < 0)
		return error_context(reader->err, "rounds");
	if (rounds < 1 || rounds > OPTIONS_ROUNDS_MAX)
		return error_set(reader->err, -EINVAL, "rounds: '%s' is not from 1 to %d", value,
		        OPTIONS_ROUNDS_MAX);
	profile->rounds = (unsigned)rounds;
	return 0;
}

static int take_text(char *out, size_t size, const char *key, const char *value, struct error *err)
{
	if (value[0] == '\0' || strlen(value) >= size)
		return error_set(err, -EINVAL, "%s: nothing is given, or more than %zu characters",
		        key, size - 1);
	text_print(out, size, "%s", value);
	return 0;
}

static int set_lab_key(struct profile_reader *reader, const char *key, const char *value)
{
	struct profile_lab *lab = &reader->profile->lab;
	bool is_note = strcmp(key, "note") == 0;
	struct profile_maker *maker;
	int code;

	if (is_note ? lab->note[0] != '\0' : profile_mkfs_options(lab, key) != NULL)
		return error_set(reader->err, -EINVAL, "%s is given twice", key);
	if (is_note)
		return take_text(lab->note, sizeof(lab->note), key, value, reader->err);
	if (lab->n == PROFILE_MAKERS_MAX)
		return error_set(reader->err, -EINVAL, "more than %d types of file system",
		        PROFILE_MAKERS_MAX);
	maker = &lab->makers[lab->n];
	code = take_text(maker->fs, sizeof(maker->fs), "type of file system", key, reader->err);
	if (code == 0)
		code = take_text(maker->options, sizeof(maker->options), key, value, reader->err);
	lab->n += code == 0;
	return code;
}

static int set_param(struct profile_reader *reader, struct run_workload *entry, const char *key,
        const char *value)
{
	const struct workload *workload = entry->workload;
	int index = params_find(workload->params, workload->n_params, key);
	struct suggest suggest;
	char hint[128];

	if (index >= 0 && entry->params.values[index].is_set)
		return error_set(reader->err, -EINVAL, "%s.%s is given twice", workload->name, key);
	if (index >= 0)
		return params_set(&entry->params, key, value, reader->err);
	suggest_init(&suggest, key);
	for (unsigned i = 0; i < workload->n_params; i++)
		suggest_offer(&suggest, workload->params[i].name);
	return error_set(reader->err, -EINVAL, "workload %s has no parameter '%s'%s",
	        workload->name, key, suggest_print(&suggest, "", hint, sizeof(hint)));
}

/* Called by inih for each key; 0 is an error there. */
static int take_key(void *context, const char *section, const char *key, const char *value)
{
	struct profile_reader *reader = context;
	struct run_workload *entry;
	int code;

	if (reader->code < 0)
		return 0;
	if (strcmp(section, "run") == 0) {
		code = set_run_key(reader, key, value);
	} else if (strcmp(section, "lab") == 0) {
		code = set_lab_key(reader, key, value);
	} else if (section[0] == '\0') {
		code = error_set(reader->err, -EINVAL, "'%s' stands before any [section]", key);
	} else {
		entry = find_section(reader->profile, section);
		code = entry == NULL ? unknown_section(reader, section)
		                     : set_param(reader, entry, key, value);
	}
	return code < 0 ? refuse(reader) : 1;
}

static struct profile *make_profile(const char *file)
{
	struct profile *profile = calloc(1, sizeof(*profile));
	const char *base = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
	const struct workload *workload;

	if (profile == NULL)
		return NULL;
	text_print(profile->name, sizeof(profile->name), "%s", base);
	while (profile->n < RUN_WORKLOADS_MAX && (workload = workload_at(profile->n)) != NULL) {
		struct run_workload *entry = &profile->all[profile->n++];

		entry->workload = workload;
		params_init(&entry->params, workload->params, workload->n_params);
	}
	return profile;
}

int profile_parse(struct profile **profile, const char *file, const char *text, struct error *err)
{
	struct error local = { 0 };
	struct profile_reader reader = {
		.next = text, .file = file, .err = err != NULL ? err : &local
	};
	int line;

	*profile = NULL;
	reader.profile = make_profile(file);
	if (reader.profile == NULL)
		return error_errno(err, -ENOMEM, "%s", file);
	line = ini_parse_stream(read_line, &reader, take_key, &reader);
	/* A line that inih cannot read may be what made a later key wrong. */
	if (line > 0 && (reader.code == 0 || (unsigned)line < reader.bad_line))
		reader.code = error_set(err, -EINVAL,
		        "%s:%d: neither [section] nor key = value nor a # comment", file, line);
	if (reader.code < 0) {
		profile_free(reader.profile);
		return reader.code;
	}
	*profile = reader.profile;
	return 0;
}

/* "classic, quick" */
static char *list_built_in(char *out, size_t size)
{
	size_t length = 0, prefix = strlen(PROFILE_FOLDER), ending = strlen(PROFILE_ENDING);

	out[0] = '\0';
	for (const struct asset *asset = asset_table; asset->name != NULL; asset++)
		if (strncmp(asset->name, PROFILE_FOLDER, prefix) == 0) {
			size_t name = strlen(asset->name) - prefix - ending;

			text_print(out + length, size - length, "%s%.*s", length > 0 ? ", " : "",
			        (int)name, asset->name + prefix);
			length = strlen(out);
		}
	return out;
}

static int load_file(struct profile **profile, const char *name, struct error *err)
{
	FILE *in = fopen(name, "re");
	char *text = NULL, known[128];
	size_t size = 0;
	int code;

	if (in == NULL)
		return error_errno(err, -errno,
		        "profile '%s' is not built in (there are %s) and cannot be read as a file",
		        name, list_built_in(known, sizeof(known)));
	text = calloc(1, PROFILE_FILE_MAX + 1);
	if (text == NULL) {
		code = error_errno(err, -ENOMEM, "%s", name);
		goto out;
	}
	size = fread(text, 1, PROFILE_FILE_MAX + 1, in);
	if (ferror(in))
		code = error_errno(err, -errno, "%s: cannot be read", name);
	else if (size > PROFILE_FILE_MAX)
		code = error_set(err, -EFBIG, "%s: larger than a profile may be (%d KiB)", name,
		        PROFILE_FILE_MAX / 1024);
	else if (memchr(text, '\0', size) != NULL)
		code = error_set(err, -EINVAL, "%s: not a text file", name);
	else
		code = profile_parse(profile, name, text, err);
out:
	free(text);
	fclose(in);
	return code;
}

int profile_new(struct profile **profile, const char *name, struct error *err)
{
	char asset[PATH_MAX];
	const char *text;
	int code;

	*profile = NULL;
	text_print(asset, sizeof(asset), PROFILE_FOLDER "%s" PROFILE_ENDING, name);
	text = asset_find(asset);
	if (text == NULL)
		return load_file(profile, name, err);
	code = profile_parse(profile, asset, text, err);
	if (code == 0)
		text_print((*profile)->name, sizeof((*profile)->name), "%s", name);
	return code;
}

void profile_free(struct profile *profile)
{
	free(profile);
}

const struct params *profile_params(const struct profile *profile, const struct workload *workload)
{
	for (unsigned i = 0; i < profile->n; i++)
		if (profile->all[i].workload == workload)
			return &profile->all[i].params;
	return NULL;
}

const char *profile_mkfs_options(const struct profile_lab *lab, const char *fs)
{
	for (unsigned i = 0; i < lab->n; i++)
		if (strcmp(lab->makers[i].fs, fs) == 0)
			return lab->makers[i].options;
	return NULL;
}
