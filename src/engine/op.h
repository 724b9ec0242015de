/*
 * Kinds of operations: one a system call (without digits or variants, so that strace's counts can
 * be compared), and a few that are no call. Names come from one table (op_name).
 */
#ifndef FSDERBY_ENGINE_OP_H
#define FSDERBY_ENGINE_OP_H

#include <stdbool.h>
#include <stdint.h>

enum op_kind {
	OP_OPENAT,
	OP_CLOSE,
	OP_READ,
	OP_PREAD,
	OP_WRITE,
	OP_PWRITE,
	OP_LSEEK,
	OP_FSYNC,
	OP_FDATASYNC,
	OP_SYNCFS,
	OP_MSYNC,
	OP_STAT,
	OP_STATFS,
	OP_GETDENTS,
	OP_MKDIR,
	OP_LINK,
	OP_SYMLINK,
	OP_READLINK,
	OP_RENAME,
	OP_UNLINK,
	OP_RMDIR,
	OP_FTRUNCATE,
	OP_FALLOCATE,
	OP_FCNTL,
	OP_UTIMENSAT,
	OP_LOAD,  /* bytes read through a mapping */
	OP_STORE, /* bytes written through a mapping */
	OP_PUTC,  /* a chunk of bytes by stdio */
	OP_GETC,
	OP_SPIN, /* the null workload's step: no call at all */
	OP_SLEEP,
	OP_CHILD, /* a child process, from start to end */
	OP_KINDS,
};

#define OP_BIT(kind) (UINT64_C(1) << (kind))

/* "openat"; never NULL. */
const char *op_name(enum op_kind kind);
/* Does its bytes field count file data (read, write, …; not getdents or readlink)? */
bool op_moves_data(enum op_kind kind);

#endif
