/*
 * The table of options and its reader. Main thread.
 *
 * getopt_long is not used: it takes shortened names, which change their meaning when an option is
 * added, and its messages give no hint.
 */
#include "cli/options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cli/suggest.h"
#include "core/text.h"
#include "core/units.h"

struct option_entry {
	char letter;       /* 0: none */
	const char *name;  /* without the dashes */
	const char *value; /* what its argument is called in help; NULL: takes none */
	const char *help;  /* lines; NULL: not listed */
	unsigned commands; /* enum options_command: whose help lists it */
	int (*apply)(struct options *options, const char *value, struct error *err);
	size_t flag; /* where apply is NULL: the bool of struct options that it sets */
};

/* The index of @value in @words ("a|b|c"), or a negative errno. */
static int choose(const char *value, const char *words, struct error *err)
{
	size_t length = strlen(value);
	const char *word = words;

	for (int i = 0; word != NULL; i++) {
		const char *end = strchrnul(word, '|');

		if ((size_t)(end - word) == length && strncmp(word, value, length) == 0)
			return i;
		word = *end == '|' ? end + 1 : NULL;
	}
	return error_set(err, -EINVAL, "'%s' is not one of %s", value, words);
}

static int apply_workload(struct options *options, const char *value, struct error *err)
{
	(void)err;
	options->workloads = value;
	return 0;
}

static int apply_profile(struct options *options, const char *value, struct error *err)
{
	(void)err;
	options->profile = value;
	return 0;
}

static int apply_set(struct options *options, const char *value, struct error *err)
{
	if (options->n_settings == OPTIONS_SETTINGS_MAX)
		return error_set(err, -EINVAL, "more than %d of them; use a profile file (-p)",
		        OPTIONS_SETTINGS_MAX);
	options->settings[options->n_settings++] = value;
	return 0;
}

static int apply_rounds(struct options *options, const char *value, struct error *err)
{
	uint64_t rounds;
	int code = units_parse_count(value, &rounds, err);

	if (code < 0)
		return code;
	if (rounds < 1 || rounds > OPTIONS_ROUNDS_MAX)
		return error_set(
		        err, -EINVAL, "'%s' is not from 1 to %d", value, OPTIONS_ROUNDS_MAX);
	options->rounds = (unsigned)rounds;
	return 0;
}

static int apply_schedule(struct options *options, const char *value, struct error *err)
{
	int choice = choose(value, "auto|turns|together", err);

	if (choice >= 0)
		options->schedule = (enum run_schedule)choice;
	return choice;
}

static int apply_turns(struct options *options, const char *value, struct error *err)
{
	int choice = choose(value, "set|phase", err);

	if (choice >= 0)
		options->turns_by_phase = choice == 1;
	return choice;
}

static int apply_seed(struct options *options, const char *value, struct error *err)
{
	return units_parse_count(value, &options->seed, err);
}

static int apply_flush(struct options *options, const char *value, struct error *err)
{
	static const enum flush flushes[] = { FLUSH_INSIDE, FLUSH_OUTSIDE, FLUSH_NONE };
	int choice = choose(value, "inside|outside|none", err);

	if (choice >= 0)
		options->flush = flushes[choice];
	return choice;
}

static int apply_time_limit(struct options *options, const char *value, struct error *err)
{
	return units_parse_time(value, &options->time_limit_ns, err);
}

static int apply_output(struct options *options, const char *value, struct error *err)
{
	if (options->n_outputs == OPTIONS_OUTPUTS_MAX)
		return error_set(err, -EINVAL, "more than %d of them", OPTIONS_OUTPUTS_MAX);
	options->outputs[options->n_outputs++] = value;
	return 0;
}

static int apply_live(struct options *options, const char *value, struct error *err)
{
	static const enum options_live lives[] = { LIVE_FULL, LIVE_LINES, LIVE_NONE };
	int choice = choose(value, "full|lines|none", err);

	if (choice < 0)
		return choice;
	options->live = lives[choice];
	options->is_batch = true;
	return 0;
}

static int apply_theme(struct options *options, const char *value, struct error *err)
{
	(void)err;
	options->theme = value;
	return 0;
}

static int apply_color(struct options *options, const char *value, struct error *err)
{
	static const enum ui_color colors[] = { UI_COLOR_AUTO, UI_COLOR_ALWAYS, UI_COLOR_NEVER };
	int choice = choose(value, "auto|always|never", err);

	if (choice >= 0)
		options->color = colors[choice];
	return choice;
}

static int apply_hangup(struct options *options, const char *value, struct error *err)
{
	int choice = choose(value, "stop|continue", err);

	if (choice >= 0)
		options->hangup_continues = choice == 1;
	return choice;
}

static int apply_on(struct options *options, const char *value, struct error *err)
{
	if (value[0] == '\0')
		return error_set(err, -EINVAL, "a directory cannot be empty");
	options->lab_directory = value;
	return 0;
}

static int apply_size(struct options *options, const char *value, struct error *err)
{
	int code = units_parse_size(value, &options->lab_bytes, err);

	if (code == 0 && options->lab_bytes == 0)
		return error_set(err, -EINVAL, "'%s' is no size of a file system", value);
	return code;
}

static int apply_fresh(struct options *options, const char *value, struct error *err)
{
	int choice = choose(value, "set|round", err);

	if (choice >= 0)
		options->fresh_by_round = choice == 1;
	return choice;
}

#define FLAG(member) offsetof(struct options, member)

enum {
	BOTH = OPTIONS_RUN | OPTIONS_PLAN | OPTIONS_LAB,
	RUNS = OPTIONS_RUN | OPTIONS_LAB,
};

static const struct option_entry option_table[] = {
	{ 'w', "workload", "NAME[,NAME...]",
	        "what to run (default mongo, bonnie, random, as far as\n"
	        "this version has them); `fsderby workloads` lists them",
	        BOTH, apply_workload, 0 },
	{ 'p', "profile", "NAME|FILE",
	        "quick (default: short), classic (the published\n"
	        "parameters), mongo-2001 (those runs, with two processes\n"
	        "too), or an INI file",
	        BOTH, apply_profile, 0 },
	{ 's', "set", "WORKLOAD.PARAM=VALUE", "set a parameter; repeatable", BOTH, apply_set, 0 },
	{ 'n', "rounds", "N", "repeat everything N times (default 3)", BOTH, apply_rounds, 0 },
	{ 0, "schedule", "auto|turns|together",
	        "auto (default): targets that share a device take turns", BOTH, apply_schedule, 0 },
	{ 0, "turns", "set|phase", "take turns after a whole set (default) or each phase", BOTH,
	        apply_turns, 0 },
	{ 0, "seed", "N", "of the data and all choices (default 1)", BOTH, apply_seed, 0 },
	{ 0, "cold", NULL, "drop caches before each repetition of phases that read", BOTH, NULL,
	        FLAG(is_cold) },
	{ 0, "flush", "inside|outside|none",
	        "the syncfs that ends a writing phase: inside its time,\n"
	        "timed beside it, or none (default by workload)",
	        BOTH, apply_flush, 0 },
	{ 0, "time-limit", "TIME", "of each phase (90s, 5min)", BOTH, apply_time_limit, 0 },
	{ 'o', "output", "FILE",
	        "write the results; format by ending or as FORMAT:FILE;\n"
	        "- is standard output; repeatable",
	        RUNS, apply_output, 0 },
	{ 0, "batch", NULL,
	        "no screen: progress on standard error, the table on\n"
	        "standard output",
	        RUNS, NULL, FLAG(is_batch) },
	{ 0, "live", "full|lines|none",
	        "progress without a screen: one line kept up to date,\n"
	        "a line for each event, or nothing (implies --batch)",
	        RUNS, apply_live, 0 },
	{ 0, "progress-json", NULL, "progress as JSON lines (implies --batch)", RUNS, NULL,
	        FLAG(progress_json) },
	{ 0, "theme", "NAME|FILE", "colours of the screen", RUNS, apply_theme, 0 },
	{ 0, "color", "auto|always|never", "use colours (default auto)", RUNS, apply_color, 0 },
	{ 0, "ascii", NULL, "draw with seven-bit characters only", RUNS, NULL, FLAG(ascii) },
	{ 0, "no-mouse", NULL, "leave the mouse to the terminal", RUNS, NULL, FLAG(no_mouse) },
	{ 0, "keep", NULL, "leave the files", OPTIONS_RUN, NULL, FLAG(keep_files) },
	{ 0, "strict-space", NULL, "end with 2 where space or inodes will not do", BOTH, NULL,
	        FLAG(strict_space) },
	{ 0, "hangup", "stop|continue",
	        "when the terminal goes away: stop in order (default),\n"
	        "or go on without a screen",
	        RUNS, apply_hangup, 0 },
	{ 0, "no-history", NULL, "keep no journal of the run", RUNS, NULL, FLAG(no_journal) },
	{ 0, "no-settle", NULL, NULL, RUNS, NULL, FLAG(no_settle) }, /* for the tests */
	{ 0, "on", "DIR", "where the images are made (default /var/tmp); not in memory",
	        OPTIONS_LAB, apply_on, 0 },
	{ 0, "size", "SIZE",
	        "of each image (default: half as much again as the load\n"
	        "needs, and 512 MiB)",
	        OPTIONS_LAB, apply_size, 0 },
	{ 0, "fresh", "set|round",
	        "make the file systems anew before each set (default),\n"
	        "or only before each round",
	        OPTIONS_LAB, apply_fresh, 0 },
	{ 0, "visible", NULL,
	        "mount where other terminals can look, below\n"
	        "/run/fsderby-XXXXXX; after kill -9 `fsderby clean`\n"
	        "removes what stays",
	        OPTIONS_LAB, NULL, FLAG(lab_is_visible) },
	{ 0, "manifest", NULL,
	        "print the tree that the workload would make, one entry\n"
	        "a line, and nothing else; needs no target",
	        OPTIONS_PLAN, NULL, FLAG(manifest) },
	{ 'h', "help", NULL, "print this and end", BOTH, NULL, FLAG(wants_help) },
	{ 0, "version", NULL, "print the version and end", OPTIONS_RUN, NULL, FLAG(wants_version) },
};

enum { N_OPTIONS = sizeof(option_table) / sizeof(option_table[0]) };

/* `plan` may be put before the line of a run: it takes those options too. */
static bool is_taken(const struct option_entry *entry, enum options_command command)
{
	unsigned takes = command == OPTIONS_PLAN ? OPTIONS_PLAN | OPTIONS_RUN : command;

	return (entry->commands & takes) != 0;
}

static const char *command_word(enum options_command command)
{
	return command == OPTIONS_PLAN ? "plan " : command == OPTIONS_LAB ? "lab " : "";
}

static const struct option_entry *find_long(
        const char *name, size_t length, enum options_command command)
{
	for (unsigned i = 0; i < N_OPTIONS; i++)
		if (strncmp(option_table[i].name, name, length) == 0 &&
		        option_table[i].name[length] == '\0')
			return is_taken(&option_table[i], command) ? &option_table[i] : NULL;
	return NULL;
}

static const struct option_entry *find_letter(char letter, enum options_command command)
{
	for (unsigned i = 0; i < N_OPTIONS; i++)
		if (option_table[i].letter == letter && letter != '\0')
			return is_taken(&option_table[i], command) ? &option_table[i] : NULL;
	return NULL;
}

static int unknown_option(
        const char *word, size_t length, enum options_command command, struct error *err)
{
	char name[64], hint[128];
	struct suggest suggest;

	text_print(name, sizeof(name), "%.*s", (int)length, word);
	suggest_init(&suggest, name + strspn(name, "-"));
	if (length > 2)
		for (unsigned i = 0; i < N_OPTIONS; i++)
			if (option_table[i].help != NULL && is_taken(&option_table[i], command))
				suggest_offer(&suggest, option_table[i].name);
	return error_set(err, -EINVAL, "unknown option '%s'%s (try 'fsderby %s--help')", name,
	        suggest_print(&suggest, "--", hint, sizeof(hint)), command_word(command));
}

/* One option word with its value, which may be the next word. Returns the words used. */
static int read_option(
        struct options *options, enum options_command command, char **words, struct error *err)
{
	const char *word = words[0], *value = NULL;
	bool is_long = word[1] == '-';
	size_t length = is_long ? strcspn(word, "=") : 2;
	const struct option_entry *entry =
	        is_long ? find_long(word + 2, length - 2, command) : find_letter(word[1], command);
	int used = 1;

	if (entry == NULL)
		return unknown_option(word, length, command, err);
	if (word[length] != '\0')
		value = word + length + is_long;
	if (entry->value == NULL && value != NULL)
		return error_set(
		        err, -EINVAL, "option --%s takes no value ('%s')", entry->name, value);
	if (entry->value != NULL && value == NULL) {
		value = words[used++];
		if (value == NULL)
			return error_set(err, -EINVAL, "option --%s needs a value: %s", entry->name,
			        entry->value);
	}
	if (entry->apply == NULL)
		*(bool *)((char *)options + entry->flag) = true;
	else if (entry->apply(options, value, err) < 0)
		return error_context(err, "option --%s", entry->name);
	return used;
}

static int add_target(struct options *options, const char *word, struct error *err)
{
	if (word[0] == '\0')
		return error_set(err, -EINVAL, "a target cannot be empty; give a directory");
	if (options->n_targets == TARGETS_MAX)
		return error_set(err, -EINVAL, "'%s': more than %d targets", word, TARGETS_MAX);
	options->targets[options->n_targets++] = word;
	return 0;
}

int options_parse(struct options *options, enum options_command command, int argc, char **argv,
        struct error *err)
{
	bool only_targets = false;

	*options = (struct options){ .profile = "quick", .seed = 1, .lab_directory = "/var/tmp" };
	for (int i = 1; i < argc;) {
		int used = 1;

		if (!only_targets && strcmp(argv[i], "--") == 0)
			only_targets = true;
		else if (only_targets || argv[i][0] != '-' || argv[i][1] == '\0')
			used = add_target(options, argv[i], err) < 0 ? -EINVAL : 1;
		else
			used = read_option(options, command, argv + i, err);
		if (used < 0)
			return used;
		if (options->wants_help || options->wants_version)
			return 0;
		i += used;
	}
	options->is_batch |= options->progress_json;
	if (options->progress_json && options->live != LIVE_DEFAULT && options->live != LIVE_NONE)
		return error_set(err, -EINVAL,
		        "--progress-json and --live cannot both have standard error; leave one "
		        "out");
	return 0;
}

static void print_entry(const struct option_entry *entry, FILE *out)
{
	enum { HELP_COLUMN = 34 };
	char head[80];
	int width = HELP_COLUMN;
	const char *line = entry->help;

	text_print(head, sizeof(head), "  %c%c%c --%s%s%s", entry->letter ? '-' : ' ',
	        entry->letter ? entry->letter : ' ', entry->letter ? ',' : ' ', entry->name,
	        entry->value ? " " : "", entry->value ? entry->value : "");
	if (strlen(head) >= HELP_COLUMN)
		fprintf(out, "%s\n%*s", head, width, "");
	else
		fprintf(out, "%-*s", width, head);
	for (;;) {
		const char *end = strchrnul(line, '\n');

		fprintf(out, "%.*s\n", (int)(end - line), line);
		if (*end == '\0')
			return;
		line = end + 1;
		fprintf(out, "%*s", width, "");
	}
}

void options_print_help(enum options_command command, FILE *out)
{
	for (unsigned i = 0; i < N_OPTIONS; i++)
		if (option_table[i].help != NULL && (option_table[i].commands & command) != 0)
			print_entry(&option_table[i], out);
}
