/*
 * The tree that mongo plans, as `plan --manifest` prints it, and what follows from it: how much
 * work each phase of a set must have done. One thread.
 */
#ifndef FSDERBY_TESTS_SYSTEM_TREE_H
#define FSDERBY_TESTS_SYSTEM_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct tree_entry {
	char path[96];
	int64_t size;
	bool is_dir;
};

struct tree {
	struct tree_entry *entries; /* in creation order, without the root */
	unsigned n_entries;
	unsigned n_files, n_dirs; /* directories with the root */
	uint64_t bytes;
};

/* One set: what each of the R repetitions and P processes does. */
struct tree_set {
	const struct tree *tree;
	unsigned repetitions, processes;
};

/* @settings: words like "-s", "mongo.base_size=1000", NULL at the end. Failed checks on error. */
void tree_load(struct tree *tree, const char *const *settings);
void tree_free(struct tree *tree);

/* The classic seven, NULL at the end. */
extern const char *const tree_phases[];

/* Units of work, and bytes that it moves, of @phase in all repetitions. */
uint64_t tree_work(const struct tree_set *set, const char *phase);
uint64_t tree_moved_bytes(const struct tree_set *set, const char *phase);

/* Below @root lies the tree, complete and with nothing else in it, links apart. */
void tree_check_made(const struct tree *tree, const char *root);

#endif
