/*
 * Removing a tree that may be deep, wide, or tampered with while it is removed.
 *
 * Depth first with one open directory and a stack on the heap: 10,000 levels need neither
 * descriptors nor stack. A directory is listed to its end before anything in it is removed. The way
 * back up is "..", believed only when it is the very directory we came from, else the way down is
 * walked again. Directories are entered by openat2 without links and mount points and must be on
 * the same device; everything else goes by unlinkat, which never follows. Lanes and `clean`.
 */
#include "engine/scratch_owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/text.h"

enum {
	TREE_BUFFER_BYTES = 64 * 1024, /* of a getdents call */
	TREE_ENTRIES_FIRST = 512,      /* bytes; more than the longest entry */
	TREE_HOLD_NS = 20 * 1000 * 1000,
	TREE_NAMES_SHOWN = 3, /* directories before the name in a message */
	TREE_PATH_SHOWN = 400,
};

/* A directory on the way down. An entry is a type byte, the name, NUL. */
struct level {
	const char *name; /* in the level above, whose entries outlive this; "" at the top */
	uint64_t ino;
	char *entries;
	size_t length, room, at;
};

struct tree {
	int top_fd; /* borrowed */
	int fd;     /* of the deepest level, own */
	uint64_t dev;
	struct level *levels;
	size_t depth, room;
	struct scratch_progress *progress; /* may be NULL */
	char *buffer;
	int code; /* first failure */
	struct error *err;
};

static char *print_path(const struct tree *tree, const char *name, char *out, size_t size)
{
	size_t first = tree->depth > TREE_NAMES_SHOWN ? tree->depth - TREE_NAMES_SHOWN : 1;
	struct text path;

	text_init(&path);
	if (first > 1)
		text_add(&path, "…/");
	for (size_t i = first; i < tree->depth; i++)
		text_format(&path, "%s/", tree->levels[i].name);
	text_add(&path, name);
	text_print(out, size, "%s", text_string(&path));
	text_release(&path);
	return out;
}

static void note_failure(struct tree *tree, const char *operation, const char *name, int code)
{
	char path[TREE_PATH_SHOWN];

	if (tree->code != 0)
		return;
	tree->code = code;
	print_path(tree, name, path, sizeof(path));
	if (code == -EXDEV)
		error_set(tree->err, code,
		        "%s %s: another file system is mounted there; unmount it", operation, path);
	else
		error_errno(tree->err, code, "%s %s", operation, path);
}

static void count_removed(struct tree *tree)
{
	if (tree->progress != NULL)
		atomic_fetch_add_explicit(&tree->progress->removed, 1, memory_order_relaxed);
}

/* Waits while held; false: cancelled. */
static bool may_go_on(const struct scratch_progress *progress)
{
	struct timespec nap = { .tv_nsec = TREE_HOLD_NS };

	if (progress == NULL)
		return true;
	while (atomic_load_explicit(&progress->is_cancelled, memory_order_relaxed) == 0) {
		if (progress->hold == NULL ||
		        atomic_load_explicit(progress->hold, memory_order_relaxed) == 0)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

static int add_entry(struct level *level, unsigned char type, const char *name)
{
	size_t size = strlen(name) + 1;

	if (level->length + 1 + size > level->room) {
		size_t room = level->room > 0 ? 2 * level->room : TREE_ENTRIES_FIRST;
		char *entries = realloc(level->entries, room);

		if (entries == NULL)
			return -ENOMEM;
		level->entries = entries;
		level->room = room;
	}
	level->entries[level->length] = (char)type;
	memcpy(level->entries + level->length + 1, name, size);
	level->length += 1 + size;
	return 0;
}

static bool is_left_out(const char *name, bool is_top)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       (is_top && strcmp(name, SCRATCH_OWNER) == 0);
}

/* Read the directory @fd to its end. */
static int list_level(struct tree *tree, int fd, struct level *level, bool is_top)
{
	for (;;) {
		ssize_t length = getdents64(fd, tree->buffer, TREE_BUFFER_BYTES);

		if (length <= 0)
			return length < 0 ? -errno : 0;
		for (ssize_t at = 0; at < length;) {
			const struct dirent64 *entry = (const void *)(tree->buffer + at);
			int code = is_left_out(entry->d_name, is_top)
			                   ? 0
			                   : add_entry(level, entry->d_type, entry->d_name);

			if (code != 0)
				return code;
			at += entry->d_reclen;
		}
	}
}

static int push_level(struct tree *tree, const struct level *level)
{
	if (tree->depth == tree->room) {
		size_t room = tree->room > 0 ? 2 * tree->room : 16;
		struct level *levels = realloc(tree->levels, room * sizeof(*levels));

		if (levels == NULL)
			return -ENOMEM;
		tree->levels = levels;
		tree->room = room;
	}
	tree->levels[tree->depth++] = *level;
	return 0;
}

static void drop_levels(struct tree *tree, size_t depth)
{
	while (tree->depth > depth)
		free(tree->levels[--tree->depth].entries);
}

/* A directory of ours that its mode closes: give it back to us, by a descriptor, not by name. */
static int open_closed_directory(int parent_fd, const char *name)
{
	int fd = scratch_open_directory(parent_fd, name, O_PATH);
	char path[64];
	int code;

	if (fd < 0)
		return fd;
	code = chmod(text_print(path, sizeof(path), "/proc/self/fd/%d", fd), 0700) == 0 ? 0
	                                                                                : -errno;
	close(fd);
	return code == 0 ? scratch_open_directory(parent_fd, name, O_RDONLY) : code;
}

/* Opened, on our device and writable for us; or a negative errno. */
static int open_child(struct tree *tree, const char *name, struct stat *st)
{
	int fd = scratch_open_directory(tree->fd, name, O_RDONLY);

	if (fd == -EACCES)
		fd = open_closed_directory(tree->fd, name);
	if (fd < 0)
		return fd;
	if (fstat(fd, st) != 0 || st->st_dev != tree->dev) {
		close(fd);
		return -EXDEV;
	}
	if ((st->st_mode & 0700) != 0700)
		fchmod(fd, 0700);
	return fd;
}

static void remove_file(struct tree *tree, const char *name)
{
	if (unlinkat(tree->fd, name, 0) == 0)
		count_removed(tree);
	else if (errno != ENOENT)
		note_failure(tree, "unlink", name, -errno);
}

/* List the directory and make it the deepest level. */
static void enter_directory(struct tree *tree, const char *name)
{
	struct level level = { .name = name };
	struct stat st;
	int fd = open_child(tree, name, &st), code;

	if (fd == -ELOOP || fd == -ENOTDIR) {
		remove_file(tree, name); /* it was swapped for something else */
		return;
	}
	if (fd < 0) {
		if (fd != -ENOENT)
			note_failure(tree, "open", name, fd);
		return;
	}
	level.ino = st.st_ino;
	code = list_level(tree, fd, &level, false);
	if (code == 0)
		code = push_level(tree, &level);
	if (code != 0) {
		note_failure(tree, "list", name, code);
		free(level.entries);
		close(fd);
		return;
	}
	close(tree->fd);
	tree->fd = fd;
}

static void remove_next(struct tree *tree)
{
	struct level *level = &tree->levels[tree->depth - 1];
	char type = level->entries[level->at];
	const char *name = level->entries + level->at + 1;

	level->at += 1 + strlen(name) + 1;
	if (type == DT_DIR) {
		enter_directory(tree, name);
		return;
	}
	if (unlinkat(tree->fd, name, 0) == 0)
		count_removed(tree);
	else if (errno == EISDIR)
		enter_directory(tree, name);
	else if (errno != ENOENT)
		note_failure(tree, "unlink", name, -errno);
}

static bool is_level(const struct tree *tree, int fd, const struct level *level)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == tree->dev && st.st_ino == level->ino;
}

/* The way down again from the top, as far as it still is what we came by. */
static int walk_down(struct tree *tree)
{
	int fd = scratch_open_directory(tree->top_fd, ".", O_RDONLY);

	for (size_t i = 1; fd >= 0 && i < tree->depth; i++) {
		int next = scratch_open_directory(fd, tree->levels[i].name, O_RDONLY);

		if (next < 0 || !is_level(tree, next, &tree->levels[i])) {
			if (next >= 0)
				close(next);
			note_failure(tree, "leave", tree->levels[i].name, -ESTALE);
			drop_levels(tree, i);
			break;
		}
		close(fd);
		fd = next;
	}
	return fd;
}

/* tree->fd becomes the deepest level that is left. */
static void go_up(struct tree *tree)
{
	int up = openat(tree->fd, "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (up >= 0 && !is_level(tree, up, &tree->levels[tree->depth - 1])) {
		close(up);
		up = -1;
	}
	close(tree->fd);
	tree->fd = up >= 0 ? up : walk_down(tree);
	if (tree->fd < 0) {
		note_failure(tree, "open", ".", tree->fd);
		drop_levels(tree, 0);
	}
}

/* The deepest level has nothing left to do: remove its directory from the one above. */
static void leave_directory(struct tree *tree)
{
	const char *name = tree->levels[tree->depth - 1].name;
	size_t above = tree->depth - 1;

	drop_levels(tree, above);
	if (above == 0)
		return;
	go_up(tree);
	if (tree->depth != above)
		return;
	if (unlinkat(tree->fd, name, AT_REMOVEDIR) == 0)
		count_removed(tree);
	else if (errno != ENOENT)
		note_failure(tree, "rmdir", name, -errno);
}

static int tree_init(struct tree *tree)
{
	struct level top = { .name = "" };
	struct stat st;
	int code;

	tree->fd = scratch_open_directory(tree->top_fd, ".", O_RDONLY);
	if (tree->fd < 0)
		return tree->fd;
	tree->buffer = malloc(TREE_BUFFER_BYTES);
	if (tree->buffer == NULL)
		return -ENOMEM;
	if (fstat(tree->fd, &st) != 0)
		return -errno;
	tree->dev = st.st_dev;
	top.ino = st.st_ino;
	code = list_level(tree, tree->fd, &top, true);
	if (code == 0)
		code = push_level(tree, &top);
	if (code != 0)
		free(top.entries);
	return code;
}

int scratch_tree_remove(int scratch_fd, struct scratch_progress *progress, struct error *err)
{
	struct tree tree = { .top_fd = scratch_fd, .fd = -1, .progress = progress, .err = err };
	int code = tree_init(&tree);

	if (code != 0)
		note_failure(&tree, "list", ".", code);
	while (tree.depth > 0) {
		const struct level *level = &tree.levels[tree.depth - 1];

		if (!may_go_on(progress)) {
			tree.code = error_set(err, -ECANCELED, "the removal was cancelled");
			break;
		}
		if (level->at < level->length)
			remove_next(&tree);
		else
			leave_directory(&tree);
	}
	drop_levels(&tree, 0);
	free(tree.levels);
	free(tree.buffer);
	if (tree.fd >= 0)
		close(tree.fd);
	return tree.code;
}
