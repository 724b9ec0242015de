/*
 * What mongo's extra phases do with each file of the first trees: append, modify, overwrite. They
 * are not of the classic seven and off unless asked for. Runs in workers.
 */
#include "workloads/mongo_walk.h"

enum { MODIFY_BYTES = 4096 }; /* of the one block, at most */

/* "append", "modify", "overwr" in ASCII: any different numbers would do. */
#define SALT_APPEND    UINT64_C(0x617070656e64)
#define SALT_MODIFY    UINT64_C(0x6d6f64696679)
#define SALT_OVERWRITE UINT64_C(0x6f7665727772)

/* Only files that a cut has left in doubt are asked. */
static int find_size(struct mongo_walk *walk, int fd, uint32_t number, uint64_t *size)
{
	struct stat st;
	int code;

	if (mongo_walk_size(walk, number, size))
		return 0;
	code = op_fstat(walk->worker, fd, &st);
	*size = code == 0 ? (uint64_t)st.st_size : 0;
	return code;
}

/* The file's end, also after an error: @code is what came before. */
static int end_file(struct mongo_walk *walk, int fd, int code)
{
	int closed = op_close(walk->worker, fd);

	if (code == 0)
		code = closed;
	worker_add_work(walk->worker, code == 0);
	return code;
}

static int append_file(struct mongo_walk *walk, uint32_t number, const char *name)
{
	int fd = op_openat(
	        walk->worker, mongo_walk_fd(walk), name, O_WRONLY | O_APPEND | O_NOFOLLOW, 0);
	int code;

	if (fd < 0)
		return fd;
	code = mongo_walk_fill(
	        walk, &walk->made->bytes, fd, number, mongo_state_append_size(walk->state, number));
	code = end_file(walk, fd, code);
	walk->made->appended += code == 0;
	walk->made->is_cut |= code != 0;
	return code;
}

/* As mongo_walk_write, at a place that exists already. */
static int write_block(
        struct mongo_walk *walk, int fd, const void *data, size_t size, uint64_t offset)
{
	ssize_t got = op_pwrite(walk->worker, fd, data, size, (off_t)offset), more;

	if (got < 0 || got == (ssize_t)size)
		return got < 0 ? (int)got : 0;
	more = op_pwrite(walk->worker, fd, (const char *)data + got, size - (size_t)got,
	        (off_t)offset + got);
	if (more < 0)
		return (int)more;
	return worker_fail(walk->worker, OP_PWRITE, -EIO, "wrote %zd of %zu bytes", got, size);
}

static int modify_file(struct mongo_walk *walk, uint32_t number, const char *name)
{
	int fd = op_openat(walk->worker, mongo_walk_fd(walk), name, O_WRONLY | O_NOFOLLOW, 0);
	uint64_t size, part, offset;
	int code;

	if (fd < 0)
		return fd;
	code = find_size(walk, fd, number, &size);
	if (code == 0 && size > 0) {
		part = size < MODIFY_BYTES ? size : MODIFY_BYTES;
		offset = mongo_state_draw(walk->state, MONGO_DRAW_MODIFY, number, size - part + 1);
		code = write_block(walk, fd,
		        data_pool_window(&walk->pool, data_pool_id(walk->tree, number, 0)), part,
		        offset);
	}
	return end_file(walk, fd, code);
}

static int overwrite_file(struct mongo_walk *walk, uint32_t number, const char *name)
{
	int fd = op_openat(walk->worker, mongo_walk_fd(walk), name, O_WRONLY | O_NOFOLLOW, 0);
	uint64_t size, rewritten = 0; /* not counted: the file had these bytes before */
	int code;

	if (fd < 0)
		return fd;
	code = find_size(walk, fd, number, &size);
	if (code == 0)
		code = mongo_walk_fill(walk, &rewritten, fd, number, size);
	return end_file(walk, fd, code);
}

const struct mongo_visit mongo_visit_append = {
	.is_of_pass = true,
	.has_pool = true,
	.pool_salt = SALT_APPEND,
	.file = append_file,
};
const struct mongo_visit mongo_visit_modify = {
	.is_of_pass = true,
	.has_pool = true,
	.pool_salt = SALT_MODIFY,
	.file = modify_file,
};
const struct mongo_visit mongo_visit_overwrite = {
	.is_of_pass = true,
	.has_pool = true,
	.pool_salt = SALT_OVERWRITE,
	.file = overwrite_file,
};
