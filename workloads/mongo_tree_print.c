/*
 * What is asked of a planned mongo tree: paths, sums and the manifest. Any thread.
 */
#include "workloads/mongo_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

size_t mongo_tree_print_dir(const struct mongo_tree *tree, uint32_t dir, char *out, size_t size)
{
	size_t length = 0, at;
	char name[MONGO_NAME_MAX];

	for (uint32_t i = dir; i != 0; i = tree->parent[i])
		length += mongo_level_length(i);
	at = length;
	for (; dir != 0; dir = tree->parent[dir]) {
		size_t n = mongo_level_length(dir);

		name[0] = 'd';
		mongo_print_number(name + 1, dir - 1);
		name[n - 1] = '/';
		at -= n;
		for (size_t i = 0; i < n; i++)
			if (at + i + 1 < size)
				out[at + i] = name[i];
	}
	if (size > 0)
		out[length < size ? length : size - 1] = '\0';
	return length;
}

uint64_t mongo_tree_block_bytes(const struct mongo_tree *tree, uint64_t more, uint64_t block_bytes)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < tree->n_files; i++)
		blocks += (tree->sizes[i] + more + block_bytes - 1) / block_bytes;
	return blocks * block_bytes;
}

size_t mongo_tree_listing_bytes(const struct mongo_tree *tree, size_t record)
{
	size_t *need = calloc(tree->n_dirs, sizeof(*need)), most = 0;

	if (need == NULL)
		return 0;
	for (uint32_t i = 1; i < tree->n_dirs; i++)
		need[tree->parent[i]] += record;
	for (uint32_t i = 0; i < tree->n_dirs; i++) {
		size_t files = tree->first_file[i + 1] - tree->first_file[i];

		/* A file may have a link beside it; "." and "..". Parents come before children. */
		need[i] += (2 * files + 2) * record + (i != 0 ? need[tree->parent[i]] : 0);
		if (need[i] > most)
			most = need[i];
	}
	free(need);
	return most;
}

int mongo_tree_print_manifest(const struct mongo_tree *tree, FILE *out)
{
	char *path = malloc(tree->path_max + 1);

	if (path == NULL)
		return -ENOMEM;
	for (uint32_t dir = 0; dir < tree->n_dirs; dir++) {
		size_t length = mongo_tree_print_dir(tree, dir, path, tree->path_max + 1);

		if (dir != 0)
			fprintf(out, "d\t%.*s\t0\n", (int)length - 1, path);
		for (uint32_t i = tree->first_file[dir]; i < tree->first_file[dir + 1]; i++)
			fprintf(out, "f\t%s%" PRIu32 "\t%" PRIu32 "\n", path, i + 1,
			        tree->sizes[i]);
	}
	free(path);
	return ferror(out) != 0 ? -EIO : 0;
}
