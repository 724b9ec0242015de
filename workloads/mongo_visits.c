/*
 * What mongo's seven phases do with each file and link. Runs in workers.
 *
 * Content, system calls and their order are the original's (Namesys, 2001), but for what is said
 * at each place.
 */
#include "workloads/mongo_walk.h"

#include <inttypes.h>
#include <string.h>

enum { FILE_MODE = 0644 };

/* @out = @name with @suffix; @out has MONGO_NAME_TEXT_MAX bytes, names of ours are far shorter. */
static void print_name(char *out, const char *name, const char *suffix)
{
	size_t length = strlen(name);

	memcpy(out, name, length);
	memcpy(out + length, suffix, strlen(suffix) + 1);
}

static int check_read(struct mongo_walk *walk, uint64_t got, uint64_t expected)
{
	if (got == expected)
		return 0;
	return worker_fail(walk->worker, OP_READ, -EIO, "read %" PRIu64 " of %" PRIu64 " bytes",
	        got, expected);
}

/* The bytes of one file, where its length is known. */
static int check_size(struct mongo_walk *walk, uint32_t number, uint64_t got)
{
	uint64_t expected;

	return mongo_walk_size(walk, number, &expected) ? check_read(walk, got, expected) : 0;
}

int mongo_walk_write(
        struct mongo_walk *walk, uint64_t *bytes, int fd, const void *data, size_t size)
{
	ssize_t got = op_write(walk->worker, fd, data, size), more;

	if (got > 0)
		*bytes += (uint64_t)got;
	if (got == (ssize_t)size)
		return 0;
	if (got < 0)
		return (int)got;
	more = op_write(walk->worker, fd, (const char *)data + got, size - (size_t)got);
	if (more < 0)
		return (int)more;
	*bytes += (uint64_t)more;
	return worker_fail(walk->worker, OP_WRITE, -EIO, "wrote %zd of %zu bytes", got, size);
}

int mongo_walk_fill(
        struct mongo_walk *walk, uint64_t *bytes, int fd, uint32_t number, uint64_t size)
{
	uint32_t chunk = 0;
	int code = 0;

	while (size > 0 && code == 0) {
		size_t part = size < MONGO_WRITE_BYTES ? (size_t)size : MONGO_WRITE_BYTES;
		const void *data =
		        data_pool_window(&walk->pool, data_pool_id(walk->tree, number, chunk++));

		code = mongo_walk_write(walk, bytes, fd, data, part);
		size -= part;
	}
	return code;
}

static int create_file(struct mongo_walk *walk, uint32_t number, const char *name)
{
	int fd = op_openat(walk->worker, mongo_walk_fd(walk), name,
	        O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, FILE_MODE);
	int code, closed;

	if (fd < 0)
		return fd;
	walk->made->files++;
	code = mongo_walk_fill(
	        walk, &walk->made->bytes, fd, number, walk->state->tree.sizes[number - 1]);
	closed = op_close(walk->worker, fd);
	if (code == 0)
		code = closed;
	walk->made->is_cut |= code != 0;
	worker_add_work(walk->worker, code == 0);
	return code;
}

/* The cursor moves to the copy where that is what failed. */
static int fail_in_copy(struct mongo_walk *walk, uint32_t number, int code)
{
	worker_set_cursor(walk->worker, mongo_cursor(walk->tree + 1, MONGO_FILE, number));
	return code;
}

static int copy_data(struct mongo_walk *walk, uint32_t number, int from, int to)
{
	uint64_t sum = 0;
	ssize_t got;

	do {
		int code;

		got = op_read(walk->worker, from, walk->buffer, MONGO_IO_BYTES);
		if (got < 0)
			return (int)got;
		if (got == 0)
			break;
		sum += (uint64_t)got;
		code = mongo_walk_write(walk, &walk->copied->bytes, to, walk->buffer, (size_t)got);
		if (code != 0)
			return fail_in_copy(walk, number, code);
	} while (got == MONGO_IO_BYTES);
	return check_size(walk, number, sum);
}

static int copy_file(struct mongo_walk *walk, uint32_t number, const char *name)
{
	struct worker *worker = walk->worker;
	int from, to, code, closed;

	from = op_openat(worker, mongo_walk_fd(walk), name, O_RDONLY | O_NOFOLLOW, 0);
	if (from < 0)
		return from;
	to = op_openat(worker, mongo_walk_copy_fd(walk), name,
	        O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, FILE_MODE);
	if (to < 0) {
		op_close(worker, from);
		return fail_in_copy(walk, number, to);
	}
	walk->copied->files++;
	code = copy_data(walk, number, from, to);
	closed = op_close(worker, from);
	if (code == 0)
		code = closed;
	closed = op_close(worker, to);
	if (code == 0 && closed != 0)
		code = fail_in_copy(walk, number, closed);
	walk->copied->is_cut |= code != 0 || walk->made->is_cut;
	worker_add_work(worker, code == 0);
	return code;
}

/*
 * Ours: the text is the path under /mnt on every target. The original's was the absolute path, so
 * that the length of the mount point decided how long this took.
 */
static int link_file(struct mongo_walk *walk, uint32_t number, const char *name)
{
	size_t below = walk->levels[walk->depth].text_length, length = below + strlen(name);
	char link[MONGO_NAME_TEXT_MAX];
	struct stat st;
	ssize_t got;
	int code;

	(void)number;
	print_name(walk->text + below, name, "");
	print_name(link, name, ".lnk");
	code = op_symlinkat(walk->worker, walk->text, mongo_walk_fd(walk), link);
	if (code != 0)
		return code;
	walk->made->links++;
	code = op_lstat(walk->worker, mongo_walk_fd(walk), link, &st);
	if (code != 0)
		return code;
	got = op_readlinkat(walk->worker, mongo_walk_fd(walk), link, walk->buffer, MONGO_IO_BYTES);
	if (got < 0)
		return (int)got;
	if ((size_t)got != length)
		return worker_fail(walk->worker, OP_READLINK, -EIO,
		        "read a link text of %zd bytes that had %zu", got, length);
	worker_add_work(walk->worker, 1);
	return 0;
}

static int read_file(struct mongo_walk *walk, uint32_t number, const char *name)
{
	struct worker *worker = walk->worker;
	uint64_t sum = 0;
	ssize_t got;
	int fd = op_openat(worker, mongo_walk_fd(walk), name, O_RDONLY | O_NOFOLLOW, 0), code = 0;

	if (fd < 0)
		return fd;
	do {
		got = op_read(worker, fd, walk->buffer, MONGO_IO_BYTES);
		if (got > 0)
			sum += (uint64_t)got;
	} while (got == MONGO_IO_BYTES);
	if (got < 0)
		code = (int)got;
	else
		code = check_size(walk, number, sum);
	walk->bytes += sum;
	got = op_close(worker, fd);
	if (code == 0)
		code = (int)got;
	worker_add_work(worker, code == 0);
	return code;
}

/* All that was written must have been read: nothing is missing and nothing is too short. */
static int finish_read(struct mongo_walk *walk)
{
	return check_read(walk, walk->bytes, walk->made->bytes);
}

static int stat_object(struct mongo_walk *walk, uint32_t number, const char *name)
{
	struct stat st;
	int code = op_lstat(walk->worker, mongo_walk_fd(walk), name, &st);

	(void)number;
	worker_add_work(walk->worker, code == 0);
	return code;
}

static int rename_file(struct mongo_walk *walk, uint32_t number, const char *name)
{
	char renamed[MONGO_NAME_TEXT_MAX];
	int fd = mongo_walk_fd(walk), code;

	(void)number;
	print_name(renamed, name, ".r");
	code = op_renameat(walk->worker, fd, name, fd, renamed);
	walk->made->renamed += code == 0;
	worker_add_work(walk->worker, code == 0);
	return code;
}

static int unlink_object(struct mongo_walk *walk, uint32_t number, const char *name)
{
	int code = op_unlinkat(walk->worker, mongo_walk_fd(walk), name);

	(void)number;
	worker_add_work(walk->worker, code == 0);
	return code;
}

/* The original timed the removal of the first tree only. */
static int finish_delete(struct mongo_walk *walk)
{
	if (walk->tree % 2 == MONGO_SOURCE) {
		worker_mark_classic(walk->worker);
		op_mark(walk->worker);
	}
	return 0;
}

const struct mongo_visit mongo_visit_create = {
	.is_of_pass = true,
	.makes = true,
	.has_pool = true,
	.file = create_file,
};
const struct mongo_visit mongo_visit_copy = {
	.is_of_pass = true,
	.copies = true,
	.has_buffer = true,
	.file = copy_file,
};
const struct mongo_visit mongo_visit_slink = {
	.is_of_pass = true,
	.counts_text = true,
	.has_buffer = true,
	.file = link_file,
};
const struct mongo_visit mongo_visit_read = {
	.has_buffer = true,
	.file = read_file,
	.finish = finish_read,
};
const struct mongo_visit mongo_visit_stats = {
	.lists = true,
	.stats = true,
	.file = stat_object,
	.link = stat_object,
};
const struct mongo_visit mongo_visit_rename = {
	.is_of_pass = true,
	.file = rename_file,
};
const struct mongo_visit mongo_visit_delete = {
	.is_of_pass = true,
	.goes_to_copy = true,
	.removes = true,
	.file = unlink_object,
	.link = unlink_object,
	.finish = finish_delete,
};
