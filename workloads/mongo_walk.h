/*
 * The walk over mongo's trees that all its phases share, and the state of a set. Internal to
 * workloads/mongo*.c.
 *
 * A walk visits the objects of one tree after another, one object a step: it enters and leaves
 * directories by descriptors of their parents and calls the phase for files and links. In creation
 * order it follows the plan as far as things were really made; in readdir order it lists each
 * directory completely and acts on what is there.
 */
#ifndef FSDERBY_WORKLOADS_MONGO_WALK_H
#define FSDERBY_WORKLOADS_MONGO_WALK_H

#include "workloads/data_pool.h"
#include "workloads/mongo_tree.h"
#include "workloads/workload.h"

enum { MONGO_IO_BYTES = 4096, MONGO_WRITE_BYTES = 4095 }; /* of a read; of a write of create */

/*
 * What exists of one tree: in creation order the first so many of each kind. Written by the one
 * worker that works on the tree in a phase, read in later phases and between them.
 */
struct mongo_made {
	_Alignas(64) uint32_t dirs; /* with the root */
	uint32_t files, links, renamed, appended;
	bool is_cut;    /* a file was begun and not ended, so not all sizes are known */
	uint64_t bytes; /* in the files */
};

/* A set on one target, from setup to teardown. */
struct mongo_state {
	struct mongo_tree tree;
	struct mongo_made *made; /* [mongo_state_n_trees] */
	unsigned repetitions, processes;
	uint64_t seed;
	uint32_t append_max; /* bytes that append adds to a file at most */
	bool is_constant;    /* content=a */
	bool is_by_readdir;
	size_t listing_bytes; /* room for listings on one way down */
};

/* Trees are numbered: source and copy of repetition 0, process 0, then of process 1, … */
enum mongo_which { MONGO_SOURCE, MONGO_COPY };

static inline unsigned mongo_state_n_trees(const struct mongo_state *state)
{
	return 2 * state->repetitions * state->processes;
}

static inline unsigned mongo_state_tree(const struct mongo_state *state, unsigned repetition,
        unsigned process, enum mongo_which which)
{
	return 2 * (repetition * state->processes + process) + which;
}

/* "testdir1-0-0"; @out has MONGO_NAME_TEXT_MAX bytes. */
void mongo_state_print_root(const struct mongo_state *state, unsigned tree, char *out);

enum mongo_kind { MONGO_DIR, MONGO_FILE, MONGO_LINK };

/* Where a worker is, in one word: tree, kind and number of the object. */
static inline uint64_t mongo_cursor(unsigned tree, enum mongo_kind kind, uint32_t number)
{
	return (uint64_t)tree << 40 | (uint64_t)kind << 36 | number;
}

/* The path below the scratch directory that a cursor means (struct phase, describe). */
void mongo_describe(
        const void *state, unsigned worker, unsigned pass, uint64_t cursor, char *out, size_t size);

struct mongo_walk;

/* What one phase does on its walk. */
struct mongo_visit {
	bool is_of_pass;   /* the trees of this pass and process; else all trees there are */
	bool goes_to_copy; /* of the pass's two trees also the second */
	bool makes;        /* the tree: follow the plan, make directories */
	bool copies;       /* make the same directories in the copy */
	bool removes;      /* directories when they are left */
	bool lists;        /* directories, in creation order too */
	bool stats;        /* each entry: lstat tells what it is */
	bool counts_text;  /* keep the text of symbolic links */
	bool has_pool, has_buffer;
	uint64_t pool_salt; /* so that no two phases write the same data */
	/* 0 or a negative errno. Count the work and what was made themselves. NULL: not visited. */
	int (*file)(struct mongo_walk *walk, uint32_t number, const char *name);
	int (*link)(struct mongo_walk *walk, uint32_t number, const char *name);
	/* After the root of a tree was left. */
	int (*finish)(struct mongo_walk *walk);
};

/* mongo_visits.c */
extern const struct mongo_visit mongo_visit_create, mongo_visit_copy, mongo_visit_slink,
        mongo_visit_read, mongo_visit_stats, mongo_visit_rename, mongo_visit_delete;
/* mongo_changes.c */
extern const struct mongo_visit mongo_visit_append, mongo_visit_modify, mongo_visit_overwrite;

struct mongo_level {
	int fd, copy_fd; /* copy_fd -1: none */
	uint32_t dir;
	size_t begin, end;  /* its listing in the arena: still to do */
	size_t text_length; /* of the link text down to here */
};

/* A worker's own, from open to close. */
struct mongo_walk {
	struct worker *worker;
	struct mongo_state *state;
	const struct mongo_visit *visit;
	unsigned tree, tree_end;   /* under way; where to stop */
	struct mongo_made *made;   /* of that tree */
	struct mongo_made *copied; /* of its copy */
	uint32_t n_files, n_dirs;  /* how far to go in creation order */
	uint32_t next_file, next_dir;
	bool is_link_due;
	unsigned depth;             /* 0: not in a tree */
	struct mongo_level *levels; /* [tree.depth + 1]; level 0 is the scratch directory */
	char *arena;                /* listings */
	size_t arena_bytes;
	char *text;   /* "/mnt/testdir1-0-0/d0/" and room for a name */
	char *buffer; /* MONGO_IO_BYTES */
	struct data_pool pool;
	uint64_t bytes; /* read in this tree */
	char name[MONGO_NAME_TEXT_MAX];
};

/* For a phase's open, step and close. */
int mongo_walk_open(struct worker *worker, const struct mongo_visit *visit);
int mongo_walk_step(struct worker *worker);
void mongo_walk_close(struct worker *worker);

/* The directory that the object of a visit lies in, and the copy of it. */
static inline int mongo_walk_fd(const struct mongo_walk *walk)
{
	return walk->levels[walk->depth].fd;
}

static inline int mongo_walk_copy_fd(const struct mongo_walk *walk)
{
	return walk->levels[walk->depth].copy_fd;
}

/* What the extra phases draw for file @number: the same in every tree of a run's seed. */
enum mongo_draw { MONGO_DRAW_APPEND = 1, MONGO_DRAW_MODIFY };

/* Below @limit (1 … 2^32). */
static inline uint64_t mongo_state_draw(
        const struct mongo_state *state, enum mongo_draw purpose, uint32_t number, uint64_t limit)
{
	uint64_t key = data_pool_mix(state->seed ^ (uint64_t)purpose << 56);

	return (data_pool_mix(key ^ number) >> 32) * limit >> 32;
}

/* Bytes that append adds to file @number. */
static inline uint32_t mongo_state_append_size(const struct mongo_state *state, uint32_t number)
{
	return 1 + (uint32_t)mongo_state_draw(state, MONGO_DRAW_APPEND, number, state->append_max);
}

/* Length of file @number in the tree under way; false where a phase was cut and nobody knows. */
static inline bool mongo_walk_size(const struct mongo_walk *walk, uint32_t number, uint64_t *size)
{
	const struct mongo_made *made = walk->made;
	bool is_whole = made->appended == made->files;

	if (made->is_cut || (made->appended > 0 && !is_whole && walk->state->is_by_readdir))
		return false;
	*size = walk->state->tree.sizes[number - 1];
	if (made->appended > 0 && (is_whole || number <= made->appended))
		*size += mongo_state_append_size(walk->state, number);
	return true;
}

/*
 * mongo_visits.c: write all of @data. A short write is an error: what the next one says, or else
 * that it was short. *@bytes grows by what arrived.
 */
int mongo_walk_write(
        struct mongo_walk *walk, uint64_t *bytes, int fd, const void *data, size_t size);
/* @size bytes of data of file @number, in writes of MONGO_WRITE_BYTES. */
int mongo_walk_fill(
        struct mongo_walk *walk, uint64_t *bytes, int fd, uint32_t number, uint64_t size);

/* mongo_survey.c: of the trees that create and copy made (struct phase, survey). */
int mongo_survey_sources(struct stage *stage, struct survey *survey);
int mongo_survey_copies(struct stage *stage, struct survey *survey);

#endif
