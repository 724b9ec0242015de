/*
 * The options of a run: what is taken, what is refused and with which words, and that --help lists
 * what the parser takes; and the configuration made of them.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config.h"
#include "cli/options.h"
#include "cli/suggest.h"

void suite_options(void);

enum { WORDS_MAX = 16 };

static struct options options;
static struct error err;

/* Parse a line of words divided by blanks. */
static int parse_as(enum options_command command, const char *line)
{
	static char copy[512];
	char *argv[WORDS_MAX + 2] = { (char[]){ "fsderby" } };
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word != NULL && argc <= WORDS_MAX;
	        word = strtok(NULL, " "))
		argv[argc++] = word;
	err = (struct error){ 0 };
	return options_parse(&options, command, argc, argv, &err);
}

static int parse(const char *line)
{
	return parse_as(OPTIONS_RUN, line);
}

static void test_defaults(void)
{
	CU_ASSERT_EQUAL(parse("/mnt"), 0);
	CU_ASSERT_EQUAL(options.n_targets, 1);
	CU_ASSERT_STRING_EQUAL(options.targets[0], "/mnt");
	CU_ASSERT_STRING_EQUAL(options.profile, "quick");
	CU_ASSERT_PTR_NULL(options.workloads);
	CU_ASSERT_EQUAL(options.rounds, 0);
	CU_ASSERT_EQUAL(options.seed, 1);
	CU_ASSERT_EQUAL(options.schedule, SCHEDULE_AUTO);
	CU_ASSERT_EQUAL(options.flush, FLUSH_DEFAULT);
	CU_ASSERT_FALSE(options.is_batch || options.is_cold || options.keep_files);
	CU_ASSERT_FALSE(options.hangup_continues || options.no_journal || options.no_settle);
}

static void test_every_option(void)
{
	CU_ASSERT_EQUAL(parse("-w mongo,null -p classic -s mongo.base_size=100 -n 5 a"), 0);
	CU_ASSERT_STRING_EQUAL(options.workloads, "mongo,null");
	CU_ASSERT_STRING_EQUAL(options.profile, "classic");
	CU_ASSERT_EQUAL(options.n_settings, 1);
	CU_ASSERT_STRING_EQUAL(options.settings[0], "mongo.base_size=100");
	CU_ASSERT_EQUAL(options.rounds, 5);
	CU_ASSERT_EQUAL(parse("--schedule together --turns phase --seed 77 --cold --flush inside "
	                      "--time-limit 90s b"),
	        0);
	CU_ASSERT_EQUAL(options.schedule, SCHEDULE_TOGETHER);
	CU_ASSERT_TRUE(options.turns_by_phase);
	CU_ASSERT_EQUAL(options.seed, 77);
	CU_ASSERT_TRUE(options.is_cold);
	CU_ASSERT_EQUAL(options.flush, FLUSH_INSIDE);
	CU_ASSERT_EQUAL(options.time_limit_ns, 90 * UINT64_C(1000000000));
	CU_ASSERT_EQUAL(
	        parse("--batch --live lines --theme dark --color never --ascii --no-mouse"), 0);
	CU_ASSERT_TRUE(options.is_batch);
	CU_ASSERT_EQUAL(options.live, LIVE_LINES);
	CU_ASSERT_STRING_EQUAL(options.theme, "dark");
	CU_ASSERT_EQUAL(options.color, UI_COLOR_NEVER);
	CU_ASSERT_TRUE(options.ascii && options.no_mouse);
	CU_ASSERT_EQUAL(parse("--keep --strict-space --hangup continue --no-history --no-settle "
	                      "--progress-json -o a.json -o - --schedule turns --flush none"),
	        0);
	CU_ASSERT_TRUE(options.keep_files && options.strict_space && options.hangup_continues);
	CU_ASSERT_TRUE(options.no_journal && options.no_settle && options.progress_json);
	CU_ASSERT_TRUE(options.is_batch);
	CU_ASSERT_EQUAL(options.n_outputs, 2);
	CU_ASSERT_STRING_EQUAL(options.outputs[1], "-");
	CU_ASSERT_EQUAL(options.schedule, SCHEDULE_TURNS);
	CU_ASSERT_EQUAL(options.flush, FLUSH_NONE);
}

static void test_forms(void)
{
	CU_ASSERT_EQUAL(parse("--rounds=4 x"), 0);
	CU_ASSERT_EQUAL(options.rounds, 4);
	CU_ASSERT_EQUAL(parse("x -n7 y"), 0);
	CU_ASSERT_EQUAL(options.rounds, 7);
	CU_ASSERT_EQUAL(options.n_targets, 2);
	CU_ASSERT_STRING_EQUAL(options.targets[1], "y");
	CU_ASSERT_EQUAL(parse("-n 2 -- --rounds -x"), 0);
	CU_ASSERT_EQUAL(options.n_targets, 2);
	CU_ASSERT_STRING_EQUAL(options.targets[0], "--rounds");
	CU_ASSERT_EQUAL(parse("-n 2 -n 3"), 0);
	CU_ASSERT_EQUAL(options.rounds, 3);
	CU_ASSERT_EQUAL(parse("--set=mongo.seed=3 a=/b"), 0);
	CU_ASSERT_STRING_EQUAL(options.settings[0], "mongo.seed=3");
	CU_ASSERT_STRING_EQUAL(options.targets[0], "a=/b");
	CU_ASSERT_EQUAL(parse("--help --nonsense"), 0);
	CU_ASSERT_TRUE(options.wants_help);
}

struct refusal {
	const char *line;
	const char *word; /* that the message must hold */
	const char *hint;
};

static const struct refusal refusals[] = {
	{ "--rond 3 a", "'--rond'", "--rounds" },
	{ "--round 3 a", "'--round'", "--rounds" },
	{ "--sched=auto", "'--sched'", "--schedule" },
	{ "-x a", "'-x'", "--help" },
	{ "--precision 5%", "'--precision'", "--help" },
	{ "--max-rounds 5", "'--max-rounds'", "--help" },
	{ "--verify", "'--verify'", "--help" },
	{ "--manifest", "'--manifest'", "--help" },
	{ "a -n", "--rounds", "needs a value" },
	{ "-n 0 a", "--rounds", "1 to" },
	{ "-n -5 a", "--rounds", "-5" },
	{ "-n 1e9 a", "--rounds", "1e9" },
	{ "-n 3x a", "--rounds", "3x" },
	{ "--batch=yes a", "--batch", "no value" },
	{ "--schedule both a", "--schedule", "auto|turns|together" },
	{ "--schedule aut a", "--schedule", "auto|turns|together" },
	{ "--turns sets a", "--turns", "set|phase" },
	{ "--flush in a", "--flush", "inside|outside|none" },
	{ "--live all a", "--live", "full|lines|none" },
	{ "--color yes a", "--color", "auto|always|never" },
	{ "--hangup go a", "--hangup", "stop|continue" },
	{ "--time-limit 5 a", "--time-limit", "5" },
	{ "--seed x a", "--seed", "x" },
	{ "--progress-json --live lines a", "--progress-json", "--live" },
};

static void test_refused(void)
{
	for (unsigned i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		int code = parse(refusals[i].line);

		if (code >= 0 || strstr(err.text, refusals[i].word) == NULL ||
		        strstr(err.text, refusals[i].hint) == NULL)
			printf("\n  %s: %d '%s'\n", refusals[i].line, code, err.text);
		CU_ASSERT_TRUE(code < 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, refusals[i].word));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, refusals[i].hint));
	}
}

static void test_too_many(void)
{
	static char word[] = "d";
	static char *argv[TARGETS_MAX + 3];
	int argc = 0;

	while (argc <= TARGETS_MAX)
		argv[argc++] = word;
	CU_ASSERT_EQUAL(options_parse(&options, OPTIONS_RUN, argc, argv, &err), 0);
	CU_ASSERT_EQUAL(options.n_targets, TARGETS_MAX);
	argv[argc++] = word;
	CU_ASSERT_TRUE(options_parse(&options, OPTIONS_RUN, argc, argv, &err) < 0);
}

static void test_plan_takes_all(void)
{
	CU_ASSERT_EQUAL(parse_as(OPTIONS_PLAN, "--manifest -s mongo.base_size=100"), 0);
	CU_ASSERT_TRUE(options.manifest);
	CU_ASSERT_EQUAL(parse_as(OPTIONS_PLAN, "--batch -o x.json --keep a"), 0);
}

/* Each option that --help lists is taken: with a value where it shows one. */
static void test_help_is_true(void)
{
	char *text = NULL, line[256];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	unsigned n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	options_print_help(OPTIONS_RUN, out);
	fclose(out);
	for (const char *at = text; (at = strstr(at, " --")) != NULL; at++) {
		char name[64];

		/* Only at the head of an entry: "  -w, --workload" or "      --batch". */
		if (at - text < 5 || (at != text + 5 && at[-6] != '\n'))
			continue;
		CU_ASSERT_EQUAL(sscanf(at, " %63s", name), 1);
		snprintf(line, sizeof(line), "%s=@", name);
		parse(line);
		CU_ASSERT_PTR_NULL(strstr(err.text, "unknown"));
		n++;
	}
	CU_ASSERT_TRUE(n >= 20);
	CU_ASSERT_PTR_NULL(strstr(text, "no-settle"));
	CU_ASSERT_PTR_NULL(strstr(text, "manifest"));
	free(text);
}

static void test_suggest(void)
{
	struct suggest suggest;
	char out[64];

	suggest_init(&suggest, "bsae_size");
	suggest_offer(&suggest, "bytes");
	suggest_offer(&suggest, "base_size");
	suggest_offer(&suggest, "seed");
	CU_ASSERT_STRING_EQUAL(suggest_print(&suggest, "mongo.", out, sizeof(out)),
	        "; did you mean mongo.base_size?");
	suggest_init(&suggest, "elephant");
	suggest_offer(&suggest, "seed");
	CU_ASSERT_STRING_EQUAL(suggest_print(&suggest, "", out, sizeof(out)), "");
	suggest_init(&suggest, "");
	suggest_offer(&suggest, "seed");
	CU_ASSERT_PTR_NULL(suggest.best);
}

/* Make the configuration of a line; 0 or the error. */
static int configure(const char *line, struct config **config)
{
	*config = NULL;
	CU_ASSERT_EQUAL_FATAL(parse(line), 0);
	err = (struct error){ 0 };
	return config_new(config, &options, &err);
}

static uint64_t first_base(const struct config *config)
{
	const struct run_workload *mongo = &config->run.workloads[0];
	int index = params_find(mongo->params.table, mongo->params.n, "base_size");

	return index < 0 ? 0 : mongo->params.values[index].list.items[0];
}

static void test_config(void)
{
	struct config *config;

	CU_ASSERT_EQUAL_FATAL(configure("-s mongo.base_size=250 -w mongo a", &config), 0);
	CU_ASSERT_EQUAL(config->run.n_workloads, 1);
	CU_ASSERT_STRING_EQUAL(config->run.workloads[0].workload->name, "mongo");
	CU_ASSERT_EQUAL(first_base(config), 250);
	CU_ASSERT_EQUAL(config->run.rounds, 3);
	CU_ASSERT_EQUAL(config->run.seed, 1);
	CU_ASSERT_STRING_EQUAL(config->run.profile, "quick");
	config_free(config);
	CU_ASSERT_EQUAL_FATAL(configure("-n 2 -p classic a", &config), 0);
	CU_ASSERT_STRING_EQUAL(config->run.workloads[0].workload->name, "mongo");
	CU_ASSERT_EQUAL(first_base(config), 100);
	CU_ASSERT_EQUAL(config->run.rounds, 2);
	config_free(config);
}

static const struct refusal config_refusals[] = {
	{ "-s mongo.bsae_size=3 a", "bsae_size", "mongo.base_size" },
	{ "-s mongo.base_size=4kb a", "base_size", "4kb" },
	{ "-s mongo.base_size=1M-2M a", "base_size", "1M-2M" },
	{ "-s mongo.repetitions=-5 a", "repetitions", "-5" },
	{ "-s mongoo.seed=3 a", "mongoo", "mongo" },
	{ "-s mongo.seed a", "mongo.seed", "WORKLOAD.PARAM=VALUE" },
	{ "-s seed=3 a", "seed=3", "WORKLOAD.PARAM=VALUE" },
	{ "-s .seed=3 a", ".seed=3", "WORKLOAD.PARAM=VALUE" },
	{ "-s mongo.=3 a", "mongo.=3", "WORKLOAD.PARAM=VALUE" },
	{ "-w mogno a", "mogno", "mongo" },
	{ "-w mongo,mongo a", "mongo", "twice" },
	{ "-w mongo, a", "''", "workload" },
	{ "-p /nonexistent/p.ini a", "/nonexistent/p.ini", "quick" },
};

static void test_config_refused(void)
{
	for (unsigned i = 0; i < sizeof(config_refusals) / sizeof(config_refusals[0]); i++) {
		const struct refusal *refusal = &config_refusals[i];
		struct config *config;
		int code = configure(refusal->line, &config);

		if (code >= 0 || strstr(err.text, refusal->word) == NULL ||
		        strstr(err.text, refusal->hint) == NULL)
			printf("\n  %s: %d '%s'\n", refusal->line, code, err.text);
		CU_ASSERT_TRUE(code < 0);
		CU_ASSERT_PTR_NULL(config);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, refusal->word));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, refusal->hint));
		config_free(config);
	}
}

/* Only where there is a second workload to choose. */
static void test_not_chosen(void)
{
	char line[128];

	for (unsigned i = 0; workload_at(i) != NULL; i++) {
		struct config *config;

		if (strcmp(workload_at(i)->name, "mongo") == 0)
			continue;
		snprintf(line, sizeof(line), "-w %s -s mongo.seed=3 a", workload_at(i)->name);
		CU_ASSERT_TRUE(configure(line, &config) < 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "mongo is not chosen"));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "-w"));
		config_free(config);
	}
}

void suite_options(void)
{
	CU_pSuite suite = CU_add_suite("options", NULL, NULL);

	CU_add_test(suite, "defaults", test_defaults);
	CU_add_test(suite, "every option is taken", test_every_option);
	CU_add_test(suite, "forms of options", test_forms);
	CU_add_test(suite, "refused, naming it, with a hint", test_refused);
	CU_add_test(suite, "more targets than there may be", test_too_many);
	CU_add_test(suite, "plan takes the options of a run", test_plan_takes_all);
	CU_add_test(suite, "help lists what is taken", test_help_is_true);
	CU_add_test(suite, "did you mean", test_suggest);
	CU_add_test(suite, "configuration", test_config);
	CU_add_test(suite, "configuration refused", test_config_refused);
	CU_add_test(suite, "a parameter of a workload not chosen", test_not_chosen);
}
