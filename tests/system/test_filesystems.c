/*
 * mongo on real file systems, in turns and together: what it says of their devices, and the order
 * in which they are measured.
 */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/text.h"
#include "document.h"
#include "images.h"
#include "place.h"
#include "program.h"
#include "tree.h"

void suite_filesystems(void);

enum { TARGETS = 4, TARGET_BYTES = 200 };

static const struct {
	const char *kind;
	unsigned size_mib; /* XFS wants 300 at least */
} kind_table[TARGETS] = { { "ext4", 128 }, { "xfs", 512 }, { "btrfs", 256 }, { "tmpfs", 0 } };

static bool mount_all(void)
{
	bool mounted = true;

	for (unsigned i = 0; i < TARGETS && mounted; i++)
		mounted = kind_table[i].size_mib > 0
		                  ? images_mount(kind_table[i].kind, kind_table[i].kind,
		                            kind_table[i].size_mib, NULL)
		                  : images_mount_tmpfs(kind_table[i].kind, "size=128m", false);
	return mounted;
}

static void end(void)
{
	images_release();
	place_end();
}

/* A device without others under it: what the images lie on. "" where it cannot be told simply. */
static void find_disk(char *out, size_t size)
{
	char path[96], link[512];
	struct stat st;
	ssize_t length;

	out[0] = '\0';
	if (stat(place_path("disk"), &st) != 0)
		return;
	text_print(path, sizeof(path), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	length = readlink(path, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	text_print(path, sizeof(path), "/sys/dev/block/%u:%u/partition", major(st.st_dev),
	        minor(st.st_dev));
	if (length <= 0 || place_exists(path) || strrchr(link, '/') == NULL ||
	        strncmp(strrchr(link, '/'), "/dm-", 4) == 0 ||
	        strncmp(strrchr(link, '/'), "/md", 3) == 0 ||
	        strncmp(strrchr(link, '/'), "/loop", 5) == 0)
		return;
	text_print(out, size, "%s", strrchr(link, '/') + 1);
}

static void check_device(const json_t *result, const char *kind, const char *disk)
{
	if (strcmp(kind, "tmpfs") == 0) {
		EXPECT(document_is_null(result, "device"), "a device under tmpfs");
		return;
	}
	EXPECT(document_is(result, "device.name", images_device(kind)), "%s: device %s, not %s",
	        kind, document_text(result, "device.name"), images_device(kind));
	EXPECT(document_text(result, "device.bottom.name")[0] != '\0', "%s: no bottom", kind);
	if (disk[0] != '\0')
		EXPECT(document_is(result, "device.bottom.name", disk), "%s: bottom %s, not %s",
		        kind, document_text(result, "device.bottom.name"), disk);
}

static void check_targets(const json_t *document, const char *disk)
{
	for (unsigned i = 0; i < TARGETS; i++) {
		const char *kind = kind_table[i].kind;
		const json_t *target = json_array_get(json_object_get(document, "targets"), i);

		EXPECT(document_is(target, "fs", kind), "%s is said to be %s", kind,
		        document_text(target, "fs"));
		EXPECT(document_is(target, "label", kind), "its label is %s",
		        document_text(target, "label"));
		for (unsigned k = 0; tree_phases[k] != NULL; k++) {
			const json_t *result = document_result(document, kind, tree_phases[k], 1);

			EXPECT(document_is(result, "status", "ok"), "%s %s: status %s: %s", kind,
			        tree_phases[k], document_text(result, "status"),
			        document_text(result, "error.text"));
			check_device(result, kind, disk);
		}
		EXPECT(place_count(images_path(kind), PLACE_ALL) == 0, "left on %s", kind);
	}
}

/* The written data went to the loop device at some time, at the latest in a flush or by rival's. */
static void check_written(const json_t *document)
{
	for (unsigned i = 0; i < TARGETS - 1; i++) {
		int64_t written = 0;

		for (unsigned k = 0; tree_phases[k] != NULL; k++)
			written += document_integer(
			        document_result(document, kind_table[i].kind, tree_phases[k], 1),
			        "device.written_bytes");
		EXPECT(written > 0, "%s: nothing written", kind_table[i].kind);
	}
}

static json_t *run_on_all(const char *schedule)
{
	const char *words[24 + TARGETS] = { "-w", "mongo", "--batch", "--no-settle", "-n", "1",
		"--flush", "inside", "-s", "mongo.base_size=1000", "-s", "mongo.bytes=2M", "-s",
		"mongo.repetitions=1", "-o", "r.json", "--schedule", schedule };
	char paths[TARGETS][TARGET_BYTES];
	struct program program;

	for (unsigned i = 0; i < TARGETS; i++)
		words[18 + i] = text_print(paths[i], TARGET_BYTES, "%s=%s", kind_table[i].kind,
		        images_path(kind_table[i].kind));
	program_run(&program, NULL, 0, words);
	program_free(&program);
	return document_load(place_path("out/r.json"));
}

/* When a phase on a target began and ended, seconds. */
static double start_of(const json_t *result)
{
	return (double)document_integer(result, "start_ns") / 1e9;
}

static double end_of(const json_t *result)
{
	return start_of(result) + document_number(result, "wall_s");
}

/* In turns nobody measures while another does. */
static void check_turns(const json_t *document)
{
	size_t n = document_n_results(document);

	EXPECT(document_is(document, "run.schedule", "turns"), "schedule %s",
	        document_text(document, "run.schedule"));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			const json_t *a = document_result_at(document, i);
			const json_t *b = document_result_at(document, k);

			EXPECT(end_of(a) <= start_of(b) || end_of(b) <= start_of(a),
			        "%s %s and %s %s overlap", document_text(a, "target"),
			        document_text(a, "phase"), document_text(b, "target"),
			        document_text(b, "phase"));
		}
}

/* Together all meet before each phase. */
static void check_together(const json_t *document)
{
	EXPECT(document_is(document, "run.schedule", "together"), "schedule %s",
	        document_text(document, "run.schedule"));
	for (unsigned k = 1; tree_phases[k] != NULL; k++)
		for (unsigned i = 0; i < TARGETS * TARGETS; i++) {
			const char *one = kind_table[i / TARGETS].kind;
			const char *other = kind_table[i % TARGETS].kind;

			EXPECT(end_of(document_result(document, one, tree_phases[k - 1], 1)) <=
			                start_of(document_result(
			                        document, other, tree_phases[k], 1)),
			        "%s begins on %s while %s still does %s", tree_phases[k], other,
			        one, tree_phases[k - 1]);
		}
}

static void run_scheduled(const char *schedule, void (*check)(const json_t *document))
{
	char disk[32];
	json_t *document;

	if (!images_are_possible(schedule) || !mount_all())
		return;
	find_disk(disk, sizeof(disk));
	document = run_on_all(schedule);
	document_check(document);
	document_check_planned(document, tree_phases, 1, TARGETS);
	check_targets(document, disk);
	check_written(document);
	check(document);
	json_decref(document);
}

static void test_turns(void)
{
	run_scheduled("turns", check_turns);
}

static void test_together(void)
{
	run_scheduled("together", check_together);
}

void suite_filesystems(void)
{
	CU_pSuite suite = CU_add_suite_with_setup_and_teardown(
	        "ext4, XFS, Btrfs and tmpfs", NULL, NULL, place_begin, end);

	CU_add_test(suite, "in turns", test_turns);
	CU_add_test(suite, "together", test_together);
}
