/*
 * What cannot be run is refused before anything is made: exit status 2, and on standard error one
 * line that names the thing.
 */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "images.h"
#include "place.h"
#include "program.h"

void suite_refusals(void);

enum { WORDS = 6 };

/* "@" at the front of a word stands for the test's folder. */
struct refusal {
	const char *words[WORDS];
	const char *names[3]; /* all of these stand in the line */
};

static const struct refusal refusal_table[] = {
	{ { NULL }, { "no target" } },
	{ { "@missing" }, { "missing", "no such directory" } },
	{ { "x=@missing" }, { "x=", "missing", "no such directory" } },
	{ { "@file" }, { "/file", "irectory" } },
	{ { "a=@disk", "b=@disk" }, { "a=", "b=", "same" } },
	{ { "a=@disk", "b=@disk/." }, { "a=", "b=", "same" } },
	{ { "a=@disk", "b=@link" }, { "a=", "b=", "same" } },
	{ { "a=@disk", "b=@disk/inside" }, { "disk", "disk/inside" } },
	{ { "a=@disk", "a=@other" }, { "a" } },
	{ { "=@disk" }, { "=" } },
	{ { "--bathc", "@disk" }, { "--bathc", "--batch" } },
	{ { "-z", "@disk" }, { "-z" } },
	{ { "--batch=1", "@disk" }, { "--batch", "takes no value" } },
	{ { "@disk", "-o" }, { "--output", "needs a value" } },
	{ { "-n", "0", "@disk" }, { "--rounds", "'0'" } },
	{ { "-n", "many", "@disk" }, { "--rounds", "many" } },
	{ { "--schedule", "random", "@disk" }, { "--schedule", "random", "turns" } },
	{ { "--time-limit", "5 bananas", "@disk" }, { "--time-limit", "bananas" } },
	{ { "-s", "mongo.base_size=0", "@disk" }, { "--set", "mongo.base_size", "0" } },
	{ { "-s", "mongo.bytes=1M-2M", "@disk" }, { "--set", "mongo.bytes", "1M-2M" } },
	{ { "-s", "mongo.bytes=12q", "@disk" }, { "--set", "mongo.bytes", "12q" } },
	{ { "-s", "mongo.bytes=-5", "@disk" }, { "--set", "mongo.bytes", "-5" } },
	{ { "-s", "mongo.bytes=1e9", "@disk" }, { "--set", "mongo.bytes", "1e9" } },
	{ { "-s", "mongo.bytes=4kb", "@disk" }, { "--set", "mongo.bytes", "4kb" } },
	{ { "-s", "mongo.bites=4k", "@disk" }, { "bites", "mongo.bytes" } },
	{ { "-s", "mongo.base_size", "@disk" }, { "--set", "mongo.base_size" } },
	{ { "-s", "mongo.order=sideways", "@disk" }, { "mongo.order", "sideways", "readdir" } },
	{ { "-s", "mongo.base_size=100,100", "@disk" }, { "mongo.base_size", "100" } },
	{ { "-w", "mango", "@disk" }, { "mango", "mongo" } },
	{ { "-w", "mongo,mongo", "@disk" }, { "mongo", "twice" } },
	{ { "-w", "null", "-s", "mongo.bytes=1M", "@disk" }, { "mongo", "not chosen" } },
	{ { "-p", "sluggish", "@disk" }, { "sluggish" } },
	{ { "-w", "null", "-o", "mongo:r.mongo", "@disk" }, { "mongo:r.mongo", "-w mongo" } },
	{ { "-o", "json:same", "-o", "csv:same", "@disk" }, { "csv:same", "another" } },
	{ { "-o", "r.xlsx", "@disk" }, { "--output", "r.xlsx", ".json" } },
	{ { "-o", "@nowhere/r.json", "@disk" }, { "--output", "nowhere/r.json", "No such file" } },
	{ { "-o", "json:@out", "@disk" }, { "--output", "out", "irectory" } },
	{ { "--progress-json", "--live", "full", "@disk" }, { "--progress-json", "--live" } },
};

static const char *expand(const char *word, char *out, size_t size)
{
	const char *at = strchr(word, '@');

	if (at == NULL)
		return word;
	return text_print(out, size, "%.*s%s", (int)(at - word), word, place_path("%s", at + 1));
}

/* One line, which has all of @names, and nothing else printed. */
static void check_line(const struct program *program, const char *const names[3])
{
	EXPECT(program_count_lines(program->err, NULL) == 1, "not one line: %s", program->err);
	EXPECT(strncmp(program->err, "fsderby: ", 9) == 0, "not ours: %s", program->err);
	EXPECT(program->out[0] == '\0', "on standard output: %s", program->out);
	for (unsigned i = 0; i < 3 && names[i] != NULL; i++)
		EXPECT(strstr(program->err, names[i]) != NULL, "does not name '%s': %s", names[i],
		        program->err);
}

static void check_nothing_made(void)
{
	EXPECT(place_count(place_path("disk"), PLACE_ALL) == 1 &&
	                place_count(place_path("other"), PLACE_ALL) == 0 &&
	                place_count(place_path("out"), PLACE_ALL) == 0 &&
	                place_count(place_path("state"), PLACE_ALL) == 0,
	        "something was made");
}

static void try_refusal(const struct refusal *refusal)
{
	const char *words[WORDS + 2] = { "--batch" };
	char paths[WORDS][256];
	struct program program;

	for (unsigned i = 0; i < WORDS && refusal->words[i] != NULL; i++)
		words[1 + i] = expand(refusal->words[i], paths[i], sizeof(paths[i]));
	program_run(&program, NULL, 2, words);
	check_line(&program, refusal->names);
	check_nothing_made();
	program_free(&program);
}

static void test_table(void)
{
	place_make(place_path("disk/inside"));
	place_write(place_path("file"), "");
	EXPECT(symlink("disk", place_path("link")) == 0, "symlink");
	for (unsigned i = 0; i < sizeof(refusal_table) / sizeof(refusal_table[0]); i++)
		try_refusal(&refusal_table[i]);
}

/* All bad targets at once, a line each; the good one is left alone. */
static void test_several_targets(void)
{
	char good[160], missing[160], file[160];
	struct program program;

	place_make(place_path("disk/inside"));
	place_write(place_path("file"), "");
	text_print(good, sizeof(good), "good=%s", place_path("disk"));
	text_print(missing, sizeof(missing), "missing=%s", place_path("missing"));
	text_print(file, sizeof(file), "file=%s", place_path("file"));
	program_run(&program, NULL, 2, ARGUMENTS("--batch", missing, good, file));
	EXPECT(program_count_lines(program.err, NULL) == 2, "not two lines: %s", program.err);
	EXPECT(program_count_lines(program.err, "missing=") == 1 &&
	                program_count_lines(program.err, "file=") == 1,
	        "not each: %s", program.err);
	check_nothing_made();
	program_free(&program);
}

static void test_not_writable(void)
{
	const struct program_how nobody = { .as_nobody = true };
	struct program program;

	place_make(place_path("disk/inside"));
	EXPECT(chmod(place_path("disk"), 0555) == 0, "chmod");
	if (geteuid() == 0)
		EXPECT(chown(place_path("out"), PROGRAM_NOBODY, (gid_t)-1) == 0, "chown");
	program_run(&program, &nobody, 2, ARGUMENTS("--batch", place_path("disk")));
	check_line(&program, (const char *const[3]){ place_path("disk"), "not writable" });
	check_nothing_made();
	program_free(&program);
	/* As an export, too. */
	program_run(&program, &nobody, 2,
	        ARGUMENTS("--batch", "-o", place_path("disk/r.json"), place_memory()));
	check_line(
	        &program, (const char *const[3]){ "--output", "disk/r.json", "Permission denied" });
	check_nothing_made();
	program_free(&program);
	EXPECT(chmod(place_path("disk"), 0755) == 0, "chmod");
}

static void test_read_only(void)
{
	struct program program;

	if (!images_may_mount("read-only") || !images_mount_tmpfs("ro", "size=1m", true))
		return;
	place_make(place_path("disk/inside"));
	program_run(&program, NULL, 2, ARGUMENTS("--batch", images_path("ro")));
	check_line(&program, (const char *const[3]){ images_path("ro"), "ead-only" });
	check_nothing_made();
	program_free(&program);
}

static void end(void)
{
	images_release();
	place_end();
}

void suite_refusals(void)
{
	CU_pSuite suite = CU_add_suite_with_setup_and_teardown(
	        "what is refused", NULL, NULL, place_begin, end);

	CU_add_test(suite, "options and targets", test_table);
	CU_add_test(suite, "several targets", test_several_targets);
	CU_add_test(suite, "not writable", test_not_writable);
	CU_add_test(suite, "read-only", test_read_only);
}
