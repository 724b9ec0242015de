/*
 * The names of the operations. Any thread.
 */
#include "engine/op.h"

#include <stddef.h>

static const struct {
	const char *name;
	bool moves_data;
} op_table[OP_KINDS] = {
	[OP_OPENAT] = { "openat", false },
	[OP_CLOSE] = { "close", false },
	[OP_READ] = { "read", true },
	[OP_PREAD] = { "pread", true },
	[OP_WRITE] = { "write", true },
	[OP_PWRITE] = { "pwrite", true },
	[OP_LSEEK] = { "lseek", false },
	[OP_FSYNC] = { "fsync", false },
	[OP_FDATASYNC] = { "fdatasync", false },
	[OP_SYNCFS] = { "syncfs", false },
	[OP_MSYNC] = { "msync", false },
	[OP_STAT] = { "stat", false },
	[OP_STATFS] = { "statfs", false },
	[OP_GETDENTS] = { "getdents", false },
	[OP_MKDIR] = { "mkdir", false },
	[OP_LINK] = { "link", false },
	[OP_SYMLINK] = { "symlink", false },
	[OP_READLINK] = { "readlink", false },
	[OP_RENAME] = { "rename", false },
	[OP_UNLINK] = { "unlink", false },
	[OP_RMDIR] = { "rmdir", false },
	[OP_FTRUNCATE] = { "ftruncate", false },
	[OP_FALLOCATE] = { "fallocate", false },
	[OP_FCNTL] = { "fcntl", false },
	[OP_UTIMENSAT] = { "utimensat", false },
	[OP_LOAD] = { "load", true },
	[OP_STORE] = { "store", true },
	[OP_PUTC] = { "putc", true },
	[OP_GETC] = { "getc", true },
	[OP_SPIN] = { "spin", false },
	[OP_SLEEP] = { "sleep", false },
	[OP_CHILD] = { "child", false },
};

const char *op_name(enum op_kind kind)
{
	return kind < OP_KINDS ? op_table[kind].name : "?";
}

bool op_moves_data(enum op_kind kind)
{
	return kind < OP_KINDS && op_table[kind].moves_data;
}
