/*
 * mongo's file set: the "fractal" tree of Namesys (2001), planned in memory before the clock
 * starts.
 *
 * Everything follows from (base size, bytes, seed). Directories are numbered in the order in which
 * they are made, the root 0, `d<k>` k+1; files from 1. Both orders run through the tree depth
 * first and a directory's files come before its sub-directories, so a directory is a parent and a
 * range of files, and no path is stored: four bytes a file, eight a directory.
 * A planned tree is read-only: any thread may read it.
 */
#ifndef FSDERBY_WORKLOADS_MONGO_TREE_H
#define FSDERBY_WORKLOADS_MONGO_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"

enum {
	MONGO_FILES_MAX = 50000000, /* of one tree; 200 MB of plan */
	/* Levels of one tree. A walk holds a descriptor a level, copy two; 1024 are allowed. */
	MONGO_DEPTH_MAX = 480,
	MONGO_NAME_MAX = 24, /* "4294967295.lnk" and the root's name in a buffer */
	MONGO_NAME_TEXT_MAX = 64,
	MONGO_SIZE_MAX = 0x7fffffff, /* larger draws are cut to this */
};

struct mongo_tree_params {
	uint64_t base_size; /* median file size in bytes */
	uint64_t bytes; /* sum that the first pass of draws must reach; 0: the original's table */
	uint32_t seed;  /* 0 becomes 1 */
};

struct mongo_tree {
	uint32_t n_files, n_dirs; /* directories with the root */
	uint64_t bytes;           /* of all files */
	uint32_t *sizes;          /* of file i + 1 */
	uint32_t *first_file; /* [n_dirs + 1]: directory i holds files first[i]+1 … first[i+1] */
	uint32_t *parent;     /* the root's is 0 */
	unsigned depth;       /* levels, the root is 1 */
	size_t path_max;      /* longest path below the root, with the NUL */
	uint32_t n_clamped;   /* sizes cut to MONGO_SIZE_MAX */
};

/* The original's bytes for a base size: 50 MiB up to 100, else 100 MiB. */
uint64_t mongo_tree_default_bytes(uint64_t base_size);

/* Refuse (-EINVAL and a message) what cannot be drawn from. Cheap: draws nothing. */
int mongo_tree_check(const struct mongo_tree_params *params, struct error *err);

/*
 * Plan the tree; about 60 ns a file. On error (-EINVAL refused, -EFBIG too many files or levels,
 * -ENOMEM) there is nothing to release.
 */
int mongo_tree_init(
        struct mongo_tree *tree, const struct mongo_tree_params *params, struct error *err);
void mongo_tree_release(struct mongo_tree *tree);

/* The directory of file @number (1 … n_files). */
uint32_t mongo_tree_dir_of(const struct mongo_tree *tree, uint32_t number);

/*
 * Path of directory @dir below the root, each level ending in '/': "d0/d3/", "" for the root. Cut
 * at @size. Returns its length.
 */
size_t mongo_tree_print_dir(const struct mongo_tree *tree, uint32_t dir, char *out, size_t size);

/* Sum of the sizes, each with @more bytes added and rounded up to whole blocks. */
uint64_t mongo_tree_block_bytes(const struct mongo_tree *tree, uint64_t more, uint64_t block_bytes);

/* Room for raw directory records of @record bytes for everything on one way down the tree. */
size_t mongo_tree_listing_bytes(const struct mongo_tree *tree, size_t record);

/* In creation order "f<TAB>path<TAB>size" and "d<TAB>path<TAB>0". 0, or -EIO from the stream. */
int mongo_tree_print_manifest(const struct mongo_tree *tree, FILE *out);

/* Write @number in decimal and a NUL. Returns the length. For the operation path: no libc. */
static inline unsigned mongo_print_number(char *out, uint32_t number)
{
	char digits[12];
	unsigned n = 0, length;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	length = n;
	while (n > 0)
		*out++ = digits[--n];
	*out = '\0';
	return length;
}

/* Length of "d<k>/" for directory @dir; 0 for the root. */
static inline size_t mongo_level_length(uint32_t dir)
{
	char name[MONGO_NAME_MAX];

	return dir == 0 ? 0 : 2 + mongo_print_number(name, dir - 1);
}

#endif
