/*
 * The planned tree. The sums are those of the workload's description: R repetitions and P processes
 * make R*P trees and as many copies.
 */
#include "tree.h"

#include <CUnit/CUnit.h>
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/text.h"
#include "place.h"
#include "program.h"

enum { SETTINGS_MAX = 16 };

const char *const tree_phases[] = { "create", "copy", "slink", "read", "stats", "rename", "delete",
	NULL };

static void add_line(struct tree *tree, const char *line)
{
	struct tree_entry entry = { 0 }, *grown;
	char kind;

	if (!EXPECT(sscanf(line, "%c\t%95[^\t]\t%" SCNd64, &kind, entry.path, &entry.size) == 3,
	            "manifest: %s", line))
		return;
	if ((tree->n_entries & (tree->n_entries - 1)) == 0) { /* full at each power of two */
		unsigned room = tree->n_entries > 0 ? 2 * tree->n_entries : 1;

		grown = realloc(tree->entries, room * sizeof(*grown));
		CU_ASSERT_PTR_NOT_NULL_FATAL(grown);
		tree->entries = grown;
	}
	assert(tree->entries != NULL);
	entry.is_dir = kind == 'd';
	tree->entries[tree->n_entries++] = entry;
	tree->n_files += !entry.is_dir;
	tree->n_dirs += entry.is_dir;
	tree->bytes += (uint64_t)entry.size;
}

void tree_load(struct tree *tree, const char *const *settings)
{
	const char *words[SETTINGS_MAX + 5] = { "plan", "--manifest", "-w", "mongo" };
	struct program program;
	char *rest = NULL;

	for (unsigned i = 0; settings[i] != NULL && i < SETTINGS_MAX; i++)
		words[4 + i] = settings[i];
	*tree = (struct tree){ .n_dirs = 1 };
	program_run(&program, NULL, 0, words);
	for (char *line = strtok_r(program.out, "\n", &rest); line != NULL;
	        line = strtok_r(NULL, "\n", &rest))
		add_line(tree, line);
	program_free(&program);
	EXPECT(tree->n_files > 0, "an empty manifest");
}

void tree_free(struct tree *tree)
{
	free(tree->entries);
	tree->entries = NULL;
}

uint64_t tree_work(const struct tree_set *set, const char *phase)
{
	uint64_t pairs = (uint64_t)set->repetitions * set->processes;
	uint64_t files = set->tree->n_files, dirs = set->tree->n_dirs;

	/* Each process goes over all trees in each repetition. */
	if (strcmp(phase, "read") == 0)
		return pairs * 2 * pairs * files;
	/* All but the roots, which are not lstat'ed. */
	if (strcmp(phase, "stats") == 0)
		return pairs * pairs * (2 * (files + dirs - 1) + files);
	if (strcmp(phase, "delete") == 0)
		return pairs * (2 * (files + dirs) + files);
	return pairs * files;
}

uint64_t tree_moved_bytes(const struct tree_set *set, const char *phase)
{
	uint64_t pairs = (uint64_t)set->repetitions * set->processes;

	if (strcmp(phase, "create") == 0)
		return pairs * set->tree->bytes;
	if (strcmp(phase, "copy") == 0) /* read and written */
		return 2 * pairs * set->tree->bytes;
	if (strcmp(phase, "read") == 0)
		return pairs * 2 * pairs * set->tree->bytes;
	return 0;
}

void tree_check_made(const struct tree *tree, const char *root)
{
	for (unsigned i = 0; i < tree->n_entries; i++) {
		const struct tree_entry *entry = &tree->entries[i];
		char path[512];
		struct stat st;
		bool found =
		        lstat(text_print(path, sizeof(path), "%s/%s", root, entry->path), &st) == 0;

		EXPECT(found && (entry->is_dir ? S_ISDIR(st.st_mode)
		                               : S_ISREG(st.st_mode) && st.st_size == entry->size),
		        "%s is not as planned", path);
	}
	EXPECT(place_count(root, PLACE_FILES) == tree->n_files, "%s: %u files", root,
	        place_count(root, PLACE_FILES));
	EXPECT(place_count(root, PLACE_DIRS) == tree->n_dirs - 1, "%s: %u directories", root,
	        place_count(root, PLACE_DIRS));
}
