/*
 * The walk over mongo's trees. Runs in a worker.
 */
#include "workloads/mongo_walk.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum {
	LIST_CALL_BYTES = 32768, /* of one getdents, as libc's readdir asks for */
	ROOT_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
	DIR_MODE = 0755,
};

/* Where the trees would be mounted for the text of links: the original's own. */
#define TEXT_MOUNT "/mnt/"

/* A raw record of getdents64 (getdents(2)). */
struct list_entry {
	uint64_t ino;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

static void set_cursor(struct mongo_walk *walk, enum mongo_kind kind, uint32_t number)
{
	worker_set_cursor(walk->worker, mongo_cursor(walk->tree, kind, number));
}

/* The name of a directory in its parent into walk->name. */
static void print_dir_name(struct mongo_walk *walk, uint32_t dir, unsigned depth)
{
	if (depth == 0) {
		mongo_state_print_root(walk->state, walk->tree, walk->name);
	} else {
		walk->name[0] = 'd';
		mongo_print_number(walk->name + 1, dir - 1);
	}
}

/* Go on to the next tree that there is, from walk->tree. */
static int begin_tree(struct mongo_walk *walk)
{
	const struct mongo_tree *plan = &walk->state->tree;

	for (; walk->tree < walk->tree_end; walk->tree++) {
		walk->made = &walk->state->made[walk->tree];
		assert(walk->made != NULL);
		if (walk->visit->makes || walk->made->dirs > 0)
			break;
	}
	if (walk->tree == walk->tree_end)
		return STEP_DONE;
	walk->copied = walk->visit->copies ? walk->made + 1 : NULL;
	walk->n_files = walk->visit->makes ? plan->n_files : walk->made->files;
	walk->n_dirs = walk->visit->makes ? plan->n_dirs : walk->made->dirs;
	walk->next_file = walk->next_dir = 0;
	walk->is_link_due = false;
	walk->bytes = 0;
	return STEP_MORE;
}

/* Read the whole listing of the directory just entered; in creation order only to have it read. */
static int list(struct mongo_walk *walk, struct mongo_level *level)
{
	bool is_kept = walk->state->is_by_readdir;
	ssize_t got;

	do {
		if (walk->arena_bytes - level->end < LIST_CALL_BYTES)
			return worker_fail(walk->worker, OP_GETDENTS, -EOVERFLOW,
			        "the directory lists more entries than were made in it");
		got = op_getdents(
		        walk->worker, level->fd, walk->arena + level->end, LIST_CALL_BYTES);
		if (got > 0 && is_kept)
			level->end += (size_t)got;
	} while (got > 0);
	return (int)got;
}

/* The same directory in the copy. */
static int enter_copy(struct mongo_walk *walk, const char *name)
{
	struct mongo_level *level = &walk->levels[walk->depth];
	int parent = level[-1].copy_fd, code;
	char root[MONGO_NAME_TEXT_MAX];

	if (walk->depth == 1) {
		mongo_state_print_root(walk->state, walk->tree + 1, root);
		name = root;
	}
	code = op_mkdirat(walk->worker, parent, name, DIR_MODE);
	if (code == 0) {
		walk->copied->dirs++;
		code = op_openat(walk->worker, parent, name, ROOT_FLAGS, 0);
	}
	if (code >= 0)
		level->copy_fd = code;
	else
		worker_set_cursor(
		        walk->worker, mongo_cursor(walk->tree + 1, MONGO_DIR, level->dir));
	return code < 0 ? code : 0;
}

static void extend_text(struct mongo_walk *walk, struct mongo_level *level, const char *name)
{
	size_t at = level[-1].text_length, length = strlen(name);

	memcpy(walk->text + at, name, length);
	walk->text[at + length] = '/';
	level->text_length = at + length + 1;
}

static int enter(struct mongo_walk *walk, uint32_t dir, const char *name)
{
	struct mongo_level *parent = &walk->levels[walk->depth], *level = parent + 1;
	int code = 0;

	set_cursor(walk, MONGO_DIR, dir);
	if (walk->depth == walk->state->tree.depth)
		return worker_fail(
		        walk->worker, OP_OPENAT, -EOVERFLOW, "a directory that was not made here");
	if (walk->visit->makes) {
		code = op_mkdirat(walk->worker, parent->fd, name, DIR_MODE);
		walk->made->dirs += code == 0;
	}
	if (code == 0)
		code = op_openat(walk->worker, parent->fd, name, ROOT_FLAGS, 0);
	if (code < 0)
		return code;
	*level = (struct mongo_level){
		.fd = code, .copy_fd = -1, .dir = dir, .begin = parent->end, .end = parent->end
	};
	walk->depth++;
	code = 0;
	if (walk->text != NULL)
		extend_text(walk, level, name);
	if (walk->visit->copies)
		code = enter_copy(walk, name);
	if (code == 0 &&
	        (walk->visit->lists || (walk->state->is_by_readdir && !walk->visit->makes)))
		code = list(walk, level);
	return code;
}

/* Nothing is left to do in this directory: up, and on to the next tree after a root. */
static int leave(struct mongo_walk *walk)
{
	struct mongo_level *level = &walk->levels[walk->depth];
	int code = 0, closed;

	set_cursor(walk, MONGO_DIR, level->dir);
	if (level->copy_fd >= 0)
		code = op_close(walk->worker, level->copy_fd);
	closed = op_close(walk->worker, level->fd);
	walk->depth--;
	if (code == 0)
		code = closed;
	if (code == 0 && walk->visit->removes) {
		print_dir_name(walk, level->dir, walk->depth);
		code = op_rmdirat(walk->worker, level[-1].fd, walk->name);
		worker_add_work(walk->worker, code == 0);
	}
	if (code != 0 || walk->depth > 0)
		return code;
	if (walk->visit->finish != NULL)
		code = walk->visit->finish(walk);
	if (code != 0)
		return code;
	walk->tree++;
	return begin_tree(walk);
}

static int stat_entry(struct mongo_walk *walk, const char *name, struct stat *st)
{
	int code = op_lstat(walk->worker, mongo_walk_fd(walk), name, st);

	worker_add_work(walk->worker, code == 0);
	return code;
}

static int visit_file(struct mongo_walk *walk, uint32_t number, const char *name)
{
	set_cursor(walk, MONGO_FILE, number);
	return walk->visit->file(walk, number, name);
}

static int visit_link(struct mongo_walk *walk, uint32_t number, const char *name)
{
	set_cursor(walk, MONGO_LINK, number);
	return walk->visit->link(walk, number, name);
}

/* The next planned file, in its present name. */
static int next_file(struct mongo_walk *walk)
{
	uint32_t number = ++walk->next_file;
	unsigned length = mongo_print_number(walk->name, number);

	if (number <= walk->made->renamed)
		memcpy(walk->name + length, ".r", sizeof(".r"));
	walk->is_link_due = walk->visit->link != NULL && number <= walk->made->links;
	return visit_file(walk, number, walk->name);
}

static int next_link(struct mongo_walk *walk)
{
	unsigned length = mongo_print_number(walk->name, walk->next_file);

	memcpy(walk->name + length, ".lnk", sizeof(".lnk"));
	walk->is_link_due = false;
	return visit_link(walk, walk->next_file, walk->name);
}

static int next_dir(struct mongo_walk *walk)
{
	uint32_t dir = walk->next_dir++;
	struct stat st;
	int code;

	print_dir_name(walk, dir, walk->depth);
	if (walk->visit->stats && walk->depth > 0) {
		set_cursor(walk, MONGO_DIR, dir);
		code = stat_entry(walk, walk->name, &st);
		if (code != 0)
			return code;
	}
	return enter(walk, dir, walk->name);
}

/* One object in creation order. */
static int step_planned(struct mongo_walk *walk)
{
	const struct mongo_tree *plan = &walk->state->tree;
	uint32_t dir = walk->levels[walk->depth].dir;

	if (walk->is_link_due)
		return next_link(walk);
	if (walk->depth == 0)
		return next_dir(walk);
	if (walk->next_file < plan->first_file[dir + 1] && walk->next_file < walk->n_files)
		return next_file(walk);
	if (walk->next_dir < walk->n_dirs && plan->parent[walk->next_dir] == dir)
		return next_dir(walk);
	return leave(walk);
}

/* The number in the name of something of ours: "17", "17.r", "17.lnk", "d16". False: foreign. */
static bool parse_name(const char *name, uint32_t *number)
{
	bool is_dir = name[0] == 'd';
	const char *p = name + is_dir;
	uint64_t value = 0;

	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9' && value < UINT32_MAX; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	*number = (uint32_t)(value + is_dir);
	return *p == '\0' || (!is_dir && *p == '.');
}

/* What an entry is: a DT_ constant, or a negative errno. Asks where the listing does not say. */
static int type_of(struct mongo_walk *walk, const struct list_entry *entry)
{
	struct stat st;
	int code;

	st.st_mode = 0;
	if (walk->visit->stats)
		code = stat_entry(walk, entry->name, &st);
	else if (entry->type == DT_UNKNOWN)
		code = op_lstat(walk->worker, mongo_walk_fd(walk), entry->name, &st);
	else
		return entry->type;
	return code < 0 ? code : (int)IFTODT(st.st_mode);
}

/* Act on one entry: 0 acted, 1 nothing to do with it, negative errno. */
static int visit_entry(struct mongo_walk *walk, const struct list_entry *entry)
{
	uint32_t number;
	int type;

	if (!parse_name(entry->name, &number))
		return 1;
	set_cursor(walk, entry->name[0] == 'd' ? MONGO_DIR : MONGO_FILE, number);
	type = type_of(walk, entry);
	if (type < 0)
		return type;
	if (type == DT_DIR)
		return enter(walk, number, entry->name);
	if (walk->visit->stats)
		return 0;
	if (type == DT_REG && number >= 1 && number <= walk->state->tree.n_files)
		return visit_file(walk, number, entry->name);
	if (type == DT_LNK && walk->visit->link != NULL)
		return visit_link(walk, number, entry->name);
	return 1;
}

/* One object in the order of the listings. */
static int step_listed(struct mongo_walk *walk)
{
	struct mongo_level *level = &walk->levels[walk->depth];
	int code = 1;

	if (walk->depth == 0) {
		print_dir_name(walk, 0, 0);
		return enter(walk, 0, walk->name);
	}
	while (code == 1 && level->begin < level->end) {
		const struct list_entry *entry =
		        (const struct list_entry *)(walk->arena + level->begin);

		level->begin += entry->length;
		code = visit_entry(walk, entry);
	}
	return code == 1 ? leave(walk) : code;
}

int mongo_walk_step(struct worker *worker)
{
	struct mongo_walk *walk = worker->local;

	if (__builtin_expect(walk->tree == walk->tree_end, 0))
		return STEP_DONE;
	if (walk->state->is_by_readdir && !walk->visit->makes)
		return step_listed(walk);
	return step_planned(walk);
}

static int allocate(struct mongo_walk *walk)
{
	const struct mongo_state *state = walk->state;
	const struct mongo_visit *visit = walk->visit;

	walk->levels = calloc(state->tree.depth + 1, sizeof(*walk->levels));
	if (visit->lists || (state->is_by_readdir && !visit->makes)) {
		walk->arena_bytes =
		        LIST_CALL_BYTES + (state->is_by_readdir ? state->listing_bytes : 0);
		walk->arena = malloc(walk->arena_bytes);
		if (walk->arena == NULL)
			return -ENOMEM;
	}
	if (visit->counts_text)
		walk->text = malloc(sizeof(TEXT_MOUNT) + MONGO_NAME_TEXT_MAX +
		                    state->tree.path_max + MONGO_NAME_MAX);
	if (visit->has_buffer)
		walk->buffer = aligned_alloc(MONGO_IO_BYTES, MONGO_IO_BYTES);
	if (walk->levels == NULL || (visit->counts_text && walk->text == NULL) ||
	        (visit->has_buffer && walk->buffer == NULL))
		return -ENOMEM;
	if (visit->has_buffer)
		memset(walk->buffer, 0, MONGO_IO_BYTES);
	if (!visit->has_pool)
		return 0;
	return data_pool_init(&walk->pool, state->seed ^ visit->pool_salt, state->is_constant);
}

int mongo_walk_open(struct worker *worker, const struct mongo_visit *visit)
{
	struct mongo_walk *walk = calloc(1, sizeof(*walk));
	int code;

	worker->local = walk;
	if (walk == NULL)
		return -ENOMEM;
	walk->worker = worker;
	walk->state = worker->state;
	walk->visit = visit;
	code = allocate(walk);
	if (code != 0)
		return code;
	walk->levels[0].fd = walk->levels[0].copy_fd = worker->scratch_fd;
	if (visit->counts_text) {
		memcpy(walk->text, TEXT_MOUNT, sizeof(TEXT_MOUNT));
		walk->levels[0].text_length = sizeof(TEXT_MOUNT) - 1;
	}
	if (visit->is_of_pass) {
		walk->tree =
		        mongo_state_tree(walk->state, worker->pass, worker->index, MONGO_SOURCE);
		walk->tree_end = walk->tree + (visit->goes_to_copy ? 2 : 1);
	} else {
		walk->tree_end = mongo_state_n_trees(walk->state);
	}
	begin_tree(walk);
	return 0;
}

void mongo_walk_close(struct worker *worker)
{
	struct mongo_walk *walk = worker->local;

	if (walk == NULL)
		return;
	for (; walk->depth > 0; walk->depth--) {
		struct mongo_level *level = &walk->levels[walk->depth];

		/* By number, like the wrappers: this thread has a table of its own. */
		syscall(SYS_close, level->fd);
		if (level->copy_fd >= 0)
			syscall(SYS_close, level->copy_fd);
	}
	data_pool_release(&walk->pool);
	free(walk->buffer);
	free(walk->text);
	free(walk->arena);
	free(walk->levels);
	free(walk);
	worker->local = NULL;
}
