/*
 * Names of mongo's trees and of what a cursor means. Any thread: reads only what stays as it is
 * from setup to teardown.
 */
#include "workloads/mongo_walk.h"

#include "core/text.h"

void mongo_state_print_root(const struct mongo_state *state, unsigned tree, char *out)
{
	unsigned pair = tree / 2;

	text_print(out, MONGO_NAME_TEXT_MAX, "testdir%u-%u-%u", tree % 2 + 1,
	        pair / state->processes, pair % state->processes);
}

void mongo_describe(
        const void *state, unsigned worker, unsigned pass, uint64_t cursor, char *out, size_t size)
{
	const struct mongo_state *mongo = state;
	const struct mongo_tree *tree = &mongo->tree;
	unsigned index = (unsigned)(cursor >> 40);
	enum mongo_kind kind = (enum mongo_kind)(cursor >> 36 & 0xf);
	uint32_t number = (uint32_t)cursor, dir = number;
	char root[MONGO_NAME_TEXT_MAX], below[256];
	size_t length;

	(void)worker;
	(void)pass;
	mongo_state_print_root(mongo, index, root);
	if (kind != MONGO_DIR)
		dir = number >= 1 && number <= tree->n_files ? mongo_tree_dir_of(tree, number) : 0;
	length = mongo_tree_print_dir(tree, dir < tree->n_dirs ? dir : 0, below, sizeof(below));
	if (kind == MONGO_DIR && length > 0 && length < sizeof(below))
		below[length - 1] = '\0';
	if (kind == MONGO_DIR)
		text_print(out, size, "%s%s%s", root, length > 0 ? "/" : "", below);
	else
		text_print(out, size, "%s/%s%u%s", root, below, number,
		        kind == MONGO_LINK ? ".lnk" : "");
}
