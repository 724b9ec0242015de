/*
 * `fsderby lab`: what it makes, what it says of it, what it refuses, and that nothing of it is left
 * however it ends.
 */
#include <CUnit/CUnit.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "document.h"
#include "images.h"
#include "place.h"
#include "program.h"
#include "tree.h"

void suite_lab(void);

#define LAB                                                                                        \
	"lab", "--on", place_path("disk"), "--batch", "--no-settle", "-w", "mongo", "-s",          \
	        "mongo.base_size=1000", "-s", "mongo.bytes=2M", "-s", "mongo.repetitions=1"
#define WAIT_S 10.0

static void end(void)
{
	images_release();
	place_end();
}

/* Loop devices over files in the test's folder. */
static void add_loops(struct text *text)
{
	DIR *dir = opendir("/sys/block");
	const struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		char path[512];
		char *file;

		if (strncmp(entry->d_name, "loop", 4) != 0)
			continue;
		text_print(path, sizeof(path), "/sys/block/%s/loop/backing_file", entry->d_name);
		file = place_exists(path) ? place_read(path) : NULL;
		if (file != NULL && strstr(file, place_path("disk")) != NULL)
			text_format(text, "%s: %s", entry->d_name, file);
		free(file);
	}
	if (dir != NULL)
		closedir(dir);
}

/* Directories of visible labs. */
static void add_places(struct text *text)
{
	DIR *dir = opendir("/run");
	const struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (strncmp(entry->d_name, "fsderby-", 8) == 0)
			text_format(text, "/run/%s\n", entry->d_name);
	if (dir != NULL)
		closedir(dir);
}

/* All that a lab could leave, as text; to be freed. */
static char *list_traces(void)
{
	char *mounts = place_read("/proc/self/mounts"), *files = place_list(place_path("disk"));
	struct text text;

	text_init(&text);
	add_loops(&text);
	add_places(&text);
	text_add(&text, mounts);
	text_add(&text, files);
	free(mounts);
	free(files);
	return text.data;
}

/* A killed program's mounts and devices go a moment later, an mkfs of its own a bit more. */
static void check_no_trace(const char *before, const char *when)
{
	double until = program_clock() + WAIT_S;
	char *now = list_traces();

	while (strcmp(now, before) != 0 && program_clock() < until) {
		program_pause(0.1);
		free(now);
		now = list_traces();
	}
	EXPECT(strcmp(now, before) == 0, "left %s:\n%s\nbefore:\n%s", when, now, before);
	free(now);
}

static const struct {
	const char *spec, *fs, *mkfs, *option, *driver;
} member_table[] = {
	{ "ext2", "ext2", "mkfs.ext2 -q -F -i 4096 -E nodiscard", "rw", "ext4" },
	{ "ext3:data=journal", "ext3", "mkfs.ext3 -q -F", "data=journal", "ext4" },
	{ "plain=ext4+-O ^has_journal", "ext4", "lazy_journal_init=0 -O ^has_journal", "rw", NULL },
	{ "xfs", "xfs", "mkfs.xfs -q -K", "rw", NULL },
	{ "btrfs:compress=zstd", "btrfs", "mkfs.btrfs -q -K", "compress=zstd", NULL },
	{ "tmpfs", "tmpfs", NULL, "size=", NULL },
};

enum { MEMBERS = sizeof(member_table) / sizeof(member_table[0]), IMAGE_MIB = 320 };

/* A kernel may have a driver of its own for ext2 and ext3. */
static bool is_run_by_ext4(const char *fs)
{
	char path[64];

	return !place_exists(text_print(path, sizeof(path), "/sys/module/%s", fs)) &&
	       place_exists("/sys/fs/ext4");
}

static void check_devices(const json_t *target)
{
	const json_t *devices = json_object_get(target, "devices");
	const char *first = json_string_value(json_array_get(devices, 0));
	const json_t *flag;
	size_t i;

	EXPECT(first != NULL && strncmp(first, "loop", 4) == 0, "%s lies on %s",
	        document_text(target, "label"), first != NULL ? first : "nothing");
	EXPECT(json_array_size(devices) >= 2, "what is below %s is not told",
	        document_text(target, "label"));
	EXPECT(document_integer(target, "image_bytes") == (int64_t)IMAGE_MIB << 20, "image of %lld",
	        (long long)document_integer(target, "image_bytes"));
	json_array_foreach(json_object_get(target, "flags"), i, flag)
	        EXPECT(strcmp(json_string_value(flag), "loop-cached") != 0, "%s: no direct I/O",
	                document_text(target, "label"));
}

static void check_member(const json_t *target, unsigned i)
{
	const char *label =
	        strncmp(member_table[i].spec, "plain=", 6) == 0 ? "plain" : member_table[i].spec;

	EXPECT(document_is(target, "label", label), "label %s", document_text(target, "label"));
	EXPECT(document_is(target, "fs", member_table[i].fs), "type %s",
	        document_text(target, "fs"));
	EXPECT(strstr(document_text(target, "options"), member_table[i].option) != NULL,
	        "%s has options %s", label, document_text(target, "options"));
	if (member_table[i].driver != NULL && is_run_by_ext4(member_table[i].fs))
		EXPECT(document_is(target, "driver", member_table[i].driver), "%s: driver '%s'",
		        label, document_text(target, "driver"));
	else
		EXPECT(document_is_null(target, "driver"), "%s: driver '%s'", label,
		        document_text(target, "driver"));
	if (member_table[i].mkfs == NULL) {
		EXPECT(document_is_null(target, "mkfs") && document_is_null(target, "image_bytes"),
		        "%s has an image", label);
		return;
	}
	EXPECT(strstr(document_text(target, "mkfs"), member_table[i].mkfs) != NULL, "%s: %s", label,
	        document_text(target, "mkfs"));
	check_devices(target);
}

/* Reading is cold by a remount, which the contents survive. */
static void check_results(const json_t *document)
{
	for (unsigned i = 0; i < MEMBERS; i++)
		for (unsigned k = 0; tree_phases[k] != NULL; k++) {
			const json_t *target =
			        json_array_get(json_object_get(document, "targets"), i);
			const char *label = document_text(target, "label");
			const json_t *result = document_result(document, label, tree_phases[k], 1);

			EXPECT(document_is(result, "status", "ok"), "%s %s: %s: %s", label,
			        tree_phases[k], document_text(result, "status"),
			        document_text(result, "error.text"));
			if (strcmp(document_text(result, "phase"), "read") == 0)
				EXPECT(document_is(result, "cold_method", "remount"), "%s: %s",
				        label, document_text(result, "cold_method"));
		}
}

static void check_said(const struct program *program)
{
	EXPECT(program_count_lines(program->err, "reiserfs is left out: no mkfs.reiserfs") == 1 ||
	                program_has_tool("mkfs.reiserfs"),
	        "reiserfs is not told: %s", program->err);
	EXPECT(strstr(program->err, "making 5 images of 320 MiB") != NULL, "%s", program->err);
	EXPECT(strstr(program->err, "direct I/O") != NULL, "%s", program->err);
	EXPECT(strstr(program->out, "mkfs.xfs -q -K") != NULL, "not in the heading: %s",
	        program->out);
}

static void test_run(void)
{
	struct program program;
	json_t *document;
	char *before;

	if (!images_are_possible("lab"))
		return;
	before = list_traces();
	program_run(&program, NULL, 0,
	        ARGUMENTS(LAB, "-n", "1", "--cold", "--size", "320M", "-o", "r.json", "-o", "-",
	                member_table[0].spec, member_table[1].spec, member_table[2].spec,
	                member_table[3].spec, member_table[4].spec, member_table[5].spec,
	                "reiserfs"));
	check_no_trace(before, "after a run");
	check_said(&program);
	program_free(&program);
	document = document_load(place_path("out/r.json"));
	document_check(document);
	EXPECT(json_array_size(json_object_get(document, "targets")) == MEMBERS, "%zu targets",
	        json_array_size(json_object_get(document, "targets")));
	document_check_planned(document, tree_phases, 1, MEMBERS);
	for (unsigned i = 0; i < MEMBERS; i++)
		check_member(json_array_get(json_object_get(document, "targets"), i), i);
	check_results(document);
	json_decref(document);
	free(before);
}

/* Without --size it fits by itself, also in inodes. */
static void test_size_by_plan(void)
{
	struct program program;

	if (!images_are_possible("lab"))
		return;
	program_run(&program, NULL, 0,
	        ARGUMENTS(LAB, "-n", "1", "--strict-space", "-s", "mongo.base_size=100", "ext4",
	                "btrfs"));
	EXPECT(strstr(program.err, "making 2 images of ") != NULL, "%s", program.err);
	program_free(&program);
}

/* A stand-in for mkfs.ext4 that writes down each call, and fails from call number @good on. */
static const char *make_stand_in(unsigned good)
{
	static char path[PATH_MAX];
	char script[2 * PATH_MAX];
	const char *log = place_path("out/made"), *bin = place_path("other/mkfs.ext4");

	text_print(script, sizeof(script),
	        "#!/bin/sh\n"
	        "echo \"$*\" >>%s\n"
	        "[ \"$(wc -l <%s)\" -le %u ] || { echo out of order >&2; exit 3; }\n"
	        "for real in /usr/sbin/mkfs.ext4 /sbin/mkfs.ext4; do\n"
	        "	[ ! -x $real ] || exec $real \"$@\"\n"
	        "done\n",
	        log, log, good);
	place_write(bin, script);
	chmod(bin, 0755);
	text_print(
	        path, sizeof(path), "PATH=%s:/usr/sbin:/usr/bin:/sbin:/bin", place_path("other"));
	return path;
}

static unsigned count_made(const char *fresh)
{
	const char *settings[] = { make_stand_in(1000), NULL };
	struct program_how how = { .settings = settings };
	struct program program;
	char *log;
	unsigned n;

	unlink(place_path("out/made"));
	program_run(&program, &how, 0,
	        ARGUMENTS(LAB, "-s", "mongo.base_size=1000,2000", "-n", "2", "--size", "64M",
	                "--fresh", fresh, "ext4"));
	program_free(&program);
	log = place_read(place_path("out/made"));
	n = program_count_lines(log, "/dev/loop");
	free(log);
	return n;
}

static void test_fresh(void)
{
	unsigned n;

	if (!images_are_possible("lab"))
		return;
	n = count_made("set");
	EXPECT(n == 4, "two rounds of two sets: made %u times", n);
	n = count_made("round");
	EXPECT(n == 2, "two rounds: made %u times", n);
}

/* One that cannot be made is told, with what mkfs said, and the others go on. */
static void test_mkfs_fails(void)
{
	const char *settings[] = { make_stand_in(0), NULL };
	struct program_how how = { .settings = settings };
	struct program program;
	char *before;

	if (!images_are_possible("lab"))
		return;
	before = list_traces();
	program_run(
	        &program, &how, 0, ARGUMENTS(LAB, "-n", "1", "--size", "128M", "ext4", "btrfs"));
	EXPECT(strstr(program.err, "ext4 is left out: mkfs.ext4 -q") != NULL &&
	                strstr(program.err, "failed (status 3): out of order") != NULL,
	        "%s", program.err);
	program_free(&program);
	program_run(&program, &how, 2, ARGUMENTS(LAB, "-n", "1", "--size", "64M", "ext4"));
	EXPECT(strstr(program.err, "no file system could be made") != NULL, "%s", program.err);
	program_free(&program);
	program_run(&program, NULL, 0,
	        ARGUMENTS(LAB, "-n", "1", "--size", "128M", "ext4:no_such_option", "btrfs"));
	EXPECT(strstr(program.err, "ext4:no_such_option is left out: mount -t ext4 -o "
	                           "no_such_option: Invalid argument") != NULL,
	        "%s", program.err);
	program_free(&program);
	check_no_trace(before, "after failures");
	free(before);
}

/* The same before the second round: that cell is an error, the other target goes on. */
static void test_mkfs_fails_later(void)
{
	const char *settings[] = { make_stand_in(1), NULL };
	struct program_how how = { .settings = settings };
	struct program program;
	const json_t *result;
	json_t *document;
	char *before;

	if (!images_are_possible("lab"))
		return;
	before = list_traces();
	program_run(&program, &how, 1,
	        ARGUMENTS(LAB, "-n", "2", "--size", "128M", "-o", "r.json", "ext4", "btrfs"));
	program_free(&program);
	check_no_trace(before, "after a failure in between");
	document = document_load(place_path("out/r.json"));
	document_check(document);
	result = document_result(document, "ext4", tree_phases[0], 2);
	EXPECT(document_is(result, "status", "error") &&
	                strstr(document_text(result, "error.text"), "out of order") != NULL,
	        "%s: %s", document_text(result, "status"), document_text(result, "error.text"));
	for (unsigned k = 0; tree_phases[k] != NULL; k++)
		EXPECT(document_is(document_result(document, "btrfs", tree_phases[k], 2), "status",
		               "ok"),
		        "btrfs %s", tree_phases[k]);
	json_decref(document);
	free(before);
}

/* When it gets a signal: seconds after the start; making takes about one. */
static const double moments[] = { 0.02, 0.1, 0.3, 0.6, 0.9, 1.2, 1.6, 2.0, 2.5 };

static void end_at(double seconds, int number, bool is_visible)
{
	struct program program;
	char *before = list_traces();
	char when[64];
	int status;

	program_start(&program, NULL,
	        ARGUMENTS(LAB, "-n", "9", "--cold", "--size", "128M", "ext3", "btrfs", "tmpfs",
	                is_visible ? "--visible" : "--batch"));
	program_pause(seconds);
	kill(program.pid, number);
	status = program_wait(&program, PROGRAM_TIMEOUT_S);
	EXPECT(status == PROGRAM_SIGNALED + number || status == 128 + number,
	        "signal %d after %.2f s: status %d: %s", number, seconds, status, program.err);
	program_free(&program);
	if (is_visible && number == SIGKILL) {
		program_run(&program, NULL, 0, ARGUMENTS("clean"));
		program_free(&program);
	}
	check_no_trace(before, text_print(when, sizeof(when), "by signal %d after %.2f s%s", number,
	                               seconds, is_visible ? ", visible" : ""));
	free(before);
}

static void end_at_all(int number)
{
	if (!images_are_possible("lab"))
		return;
	for (unsigned i = 0; i < sizeof(moments) / sizeof(moments[0]); i++)
		end_at(moments[i], number, false);
}

static void test_interrupt(void)
{
	end_at_all(SIGINT);
}

static void test_kill(void)
{
	struct program program;

	end_at_all(SIGKILL);
	if (!images_are_possible("lab"))
		return;
	/* What lies in the lab goes with it: no run is open. */
	program_run(&program, NULL, 0, ARGUMENTS("clean"));
	EXPECT(strstr(program.out, "nothing to clean") != NULL, "%s", program.out);
	program_free(&program);
}

/* Where a visible lab has mounted @fs; false: nowhere. */
static bool find_visible(const char *fs, char *out, size_t size)
{
	char *mounts = place_read("/proc/self/mounts");
	char *rest = NULL, end_of_path[32];
	bool found = false;

	text_print(end_of_path, sizeof(end_of_path), "-%s", fs);
	for (char *line = strtok_r(mounts, "\n", &rest); line != NULL && !found;
	        line = strtok_r(NULL, "\n", &rest)) {
		char path[512];

		if (sscanf(line, "/dev/loop%*s %511s", path) == 1 &&
		        strncmp(path, "/run/fsderby-", 13) == 0 &&
		        strstr(path, end_of_path) != NULL) {
			text_print(out, size, "%s", path);
			found = true;
		}
	}
	free(mounts);
	return found;
}

static void test_visible(void)
{
	char *before, path[512] = "";
	struct program program;
	struct stat st;

	if (!images_are_possible("lab"))
		return;
	before = list_traces();
	program_start(
	        &program, NULL, ARGUMENTS(LAB, "-n", "1", "--visible", "--size", "128M", "ext4"));
	for (unsigned i = 0; i < 100 && !find_visible("ext4", path, sizeof(path)); i++)
		program_pause(0.02);
	EXPECT(path[0] != '\0', "nothing is seen");
	if (path[0] != '\0' && strrchr(path, '/') != NULL) {
		*strrchr(path, '/') = '\0';
		EXPECT(stat(path, &st) == 0 && (st.st_mode & 07777) == 0755, "%s: mode %o", path,
		        st.st_mode);
	}
	program_wait(&program, PROGRAM_TIMEOUT_S);
	EXPECT(program.status == 0, "%s", program.err);
	program_free(&program);
	check_no_trace(before, "by a visible lab");
	free(before);
	end_at(0.6, SIGINT, true);
	end_at(2.0, SIGINT, true);
	end_at(0.6, SIGKILL, true);
	end_at(2.0, SIGKILL, true);
}

static void refuse(const struct program_how *how, const char *const *arguments, const char *first,
        const char *second)
{
	struct program program;
	char *before = list_traces();

	program_run(&program, how, 2, arguments);
	EXPECT(strstr(program.err, first) != NULL && strstr(program.err, second) != NULL,
	        "'%s' and '%s' are not told: %s", first, second, program.err);
	EXPECT(program.out[0] == '\0', "on standard output: %s", program.out);
	program_free(&program);
	check_no_trace(before, first);
	free(before);
}

static void test_refusals(void)
{
	struct program_how as_nobody = { .as_nobody = true };
	struct program program;

	refuse(NULL, ARGUMENTS("lab"), "no file system", "lab --help");
	refuse(NULL, ARGUMENTS("lab", "/mnt", "ext4:"), "directories", "no mount options");
	refuse(NULL, ARGUMENTS("lab", "a=ext4", "a=xfs"), "'a'", "twice");
	refuse(NULL, ARGUMENTS("lab", "--keep", "ext4"), "--keep", "lab --help");
	refuse(NULL, ARGUMENTS("lab", "--size", "0", "ext4"), "--size", "'0'");
	refuse(NULL, ARGUMENTS("lab", "--fresh", "never", "ext4"), "--fresh", "set|round");
	refuse(NULL, ARGUMENTS("--on", "/tmp", "."), "--on", "unknown option");
	place_give(PROGRAM_NOBODY);
	refuse(&as_nobody, ARGUMENTS(LAB, "ext4"), "needs root", "sudo");
	program_run(&program, NULL, 0, ARGUMENTS("lab", "--help"));
	EXPECT(strstr(program.out, "--visible") != NULL && strstr(program.out, "--rounds") != NULL,
	        "%s", program.out);
	program_free(&program);
}

static void test_refusals_as_root(void)
{
	if (!images_are_possible("lab"))
		return;
	refuse(NULL, ARGUMENTS("lab", "--batch", "--on", place_memory(), "ext4"), "is memory",
	        "--on DIR");
	refuse(NULL, ARGUMENTS(LAB, "--size", "100M", "ext4", "xfs"), "too small for xfs",
	        "320 MiB");
	refuse(NULL, ARGUMENTS(LAB, "nosuchfs"), "no mkfs.nosuchfs", "kernel has no nosuchfs");
	if (!images_mount("small", "ext4", 128, NULL))
		return;
	refuse(NULL,
	        ARGUMENTS("lab", "--batch", "--on", images_path("small"), "--size", "100M", "ext2",
	                "ext4", "tmpfs"),
	        "2 images of 100 MiB need 200 MiB, has ", " MiB free");
	EXPECT(place_count(images_path("small"), PLACE_FILES) == 0, "files on the full disk");
}

void suite_lab(void)
{
	CU_pSuite suite =
	        CU_add_suite_with_setup_and_teardown("the lab", NULL, NULL, place_begin, end);

	CU_add_test(suite, "a run on all kinds", test_run);
	CU_add_test(suite, "a size by the plan", test_size_by_plan);
	CU_add_test(suite, "made anew for each set, or round", test_fresh);
	CU_add_test(suite, "mkfs or mount fails", test_mkfs_fails);
	CU_add_test(suite, "mkfs fails between rounds", test_mkfs_fails_later);
	CU_add_test(suite, "SIGINT at any moment", test_interrupt);
	CU_add_test(suite, "SIGKILL at any moment", test_kill);
	CU_add_test(suite, "visible to others", test_visible);
	CU_add_test(suite, "refusals", test_refusals);
	CU_add_test(suite, "refusals as root", test_refusals_as_root);
}
