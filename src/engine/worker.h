/*
 * What a workload may call from a step: measured system calls and its worker's facts.
 *
 * A worker is a thread that runs one phase on one target. Its counters have one writer (itself)
 * and are read by the sampler without a lock. Every wrapper
 *   1. looks at the lane's gate, one relaxed load: paused workers park here, cancelled ones get
 *      -ECANCELED without a call (op_close always works), tests inject faults here;
 *   2. enters the kernel by syscall(2) (libc's cancellation points cost more);
 *   3. reads the clock once and counts the time since the worker's previous reading. The end of an
 *      operation is the start of the next; where a step does work of its own in between it calls
 *      op_mark() so that this is not charged to the next call.
 * All return the call's result or a negative errno. EINTR is retried inside.
 *
 * Only the worker's own thread may call what is in here, unless it says otherwise.
 */
#ifndef FSDERBY_ENGINE_WORKER_H
#define FSDERBY_ENGINE_WORKER_H

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/params.h"
#include "core/random.h"
#include "engine/op.h"
#include "measure/clock.h"
#include "measure/cpu.h"
#include "measure/histogram.h"

struct lane;

/* Bits of a lane's gate word; any of them sends a wrapper into worker_gate. */
enum gate_bit {
	GATE_HOLD = 1 << 0,   /* park: paused, or a cut for a parameter change */
	GATE_LAST = 1 << 1,   /* time limit: finish the step, begin no other */
	GATE_CANCEL = 1 << 2, /* skip or abort: no further call but close */
	GATE_PACE = 1 << 3,   /* a rate limit is set */
	GATE_INJECT = 1 << 4, /* tests */
};

struct op_counter {
	_Atomic uint64_t errors, bytes;
	struct histogram *latency; /* its count is the number of calls; NULL: kind not declared */
};

struct worker {
	/* Written by the worker while it runs, read by anybody. */
	_Alignas(64) _Atomic uint64_t mark_ns; /* end of the last operation = start of this one */
	_Atomic uint64_t work;                 /* units of the phase done */
	_Atomic uint64_t cursor;               /* where the step is; for the phase's describe() */
	_Atomic uint32_t underway;             /* enum op_kind, meaningful while is_running */
	_Atomic uint32_t is_running;
	struct op_counter ops[OP_KINDS];

	/* Set by the lane before the thread starts. */
	_Alignas(64) const _Atomic uint32_t *gate;
	struct lane *lane;
	unsigned index, n_workers;
	int scratch_fd; /* the run's scratch directory on this target, this worker's own */
	void *state;    /* the workload's, from its setup() */
	void *local;    /* the phase's, for open()/step()/close() */
	const struct params
	        *params; /* renewed while parked; never changes within a wrapper-free span */
	unsigned pass;
	struct random random; /* a stream of its own: (run seed, workload, worker) */

	/* For the lane, after the pass. */
	int failed_kind; /* operation of the error that ended the step, -1 none */
	int error_code;  /* negative errno of that, 0 none */
	int last_kind;   /* the latest failed call, whether or not it was fatal */
	int last_error;
	char failed_path[256];
	char error_text[512];            /* said by worker_fail, beyond the errno's text */
	uint64_t end_ns, classic_end_ns; /* active time of the phase */
	struct cpu_times cpu, cpu_base;  /* used in the phase; reading at the last (un)parking */
	uint64_t paced_work;             /* work already charged to the rate limit */
	bool is_parked, is_paced;        /* waits in the gate; guarded by the lane's lock */
	bool has_ended; /* its part of the pass is over; written under the lane's lock */
	pthread_t thread;
};

/* Slow path of a wrapper: 0 go on, else the negative errno to return. May shorten *length. */
int worker_gate(struct worker *worker, enum op_kind kind, size_t *length);

/* Called at the end of a failed call, to remember it for the report. */
void worker_note_error(struct worker *worker, enum op_kind kind, int code);

/*
 * Say why a step fails beyond an errno ("read 100 of 4096 bytes"). Returns @code for
 * `return worker_fail(…)`. @kind names the operation in the result.
 */
int worker_fail(struct worker *worker, enum op_kind kind, int code, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* Count @units of the phase's work as done. */
static inline void worker_add_work(struct worker *worker, uint64_t units)
{
	histogram_bump(&worker->work, units);
}

/* Where the step is now; describe() turns it into a path for errors and the Workers screen. */
static inline void worker_set_cursor(struct worker *worker, uint64_t cursor)
{
	atomic_store_explicit(&worker->cursor, cursor, memory_order_relaxed);
}

/* The end of what the original program timed (mongo's classic_s); last call counts. */
void worker_mark_classic(struct worker *worker);

/* Start the clock of the next operation now: the time since the last one was the step's own. */
static inline void op_mark(struct worker *worker)
{
	atomic_store_explicit(&worker->mark_ns, clock_now_ns(), memory_order_relaxed);
}

/* Count an operation that was timed elsewhere (io_uring, mmap, stdio). @result < 0: an error. */
static inline void op_record(struct worker *worker, enum op_kind kind, uint64_t begin_ns,
        uint64_t end_ns, uint64_t bytes, long result)
{
	struct op_counter *counter = &worker->ops[kind];

	histogram_add(counter->latency, end_ns - begin_ns);
	if (bytes != 0)
		histogram_bump(&counter->bytes, bytes);
	if (__builtin_expect(result < 0, 0))
		worker_note_error(worker, kind, (int)result);
}

static inline int op_enter(struct worker *worker, enum op_kind kind, size_t *length)
{
	atomic_store_explicit(&worker->underway, kind, memory_order_relaxed);
	if (__builtin_expect(atomic_load_explicit(worker->gate, memory_order_relaxed) != 0, 0))
		return worker_gate(worker, kind, length);
	return 0;
}

static inline long op_leave(struct worker *worker, enum op_kind kind, long result, uint64_t bytes)
{
	uint64_t begin = histogram_load(&worker->mark_ns), now = clock_now_ns();

	op_record(worker, kind, begin, now, bytes, result);
	atomic_store_explicit(&worker->mark_ns, now, memory_order_relaxed);
	return result;
}

/* The body of every wrapper: @call is a syscall(2) expression giving -1 and errno on error. */
#define OP_CALL(worker, kind, length, call)                                                        \
	({                                                                                         \
		long op_result_ = op_enter(worker, kind, length);                                  \
		if (__builtin_expect(op_result_ == 0, 1)) {                                        \
			do {                                                                       \
				op_result_ = (call);                                               \
			} while (__builtin_expect(op_result_ == -1, 0) && errno == EINTR);         \
			if (__builtin_expect(op_result_ == -1, 0))                                 \
				op_result_ = -errno;                                               \
			op_leave(worker, kind, op_result_,                                         \
			        (length) != NULL && op_result_ > 0 ? (uint64_t)op_result_ : 0);    \
		}                                                                                  \
		op_result_;                                                                        \
	})

static inline int op_openat(struct worker *w, int dir, const char *name, int flags, mode_t mode)
{
	return (int)OP_CALL(w, OP_OPENAT, (size_t *)NULL,
	        syscall(SYS_openat, dir, name, flags | O_CLOEXEC, mode));
}

/* After EINTR the descriptor is gone all the same (close(2)): never repeated, no error. */
static inline int op_close(struct worker *w, int fd)
{
	long result = op_enter(w, OP_CLOSE, NULL);

	if (result != 0)
		return (int)result;
	result = syscall(SYS_close, fd);
	if (__builtin_expect(result == -1, 0))
		result = errno == EINTR ? 0 : -errno;
	return (int)op_leave(w, OP_CLOSE, result, 0);
}

static inline ssize_t op_read(struct worker *w, int fd, void *data, size_t size)
{
	return OP_CALL(w, OP_READ, &size, syscall(SYS_read, fd, data, size));
}

static inline ssize_t op_write(struct worker *w, int fd, const void *data, size_t size)
{
	return OP_CALL(w, OP_WRITE, &size, syscall(SYS_write, fd, data, size));
}

static inline ssize_t op_pread(struct worker *w, int fd, void *data, size_t size, off_t offset)
{
	return OP_CALL(w, OP_PREAD, &size, syscall(SYS_pread64, fd, data, size, offset));
}

static inline ssize_t op_pwrite(
        struct worker *w, int fd, const void *data, size_t size, off_t offset)
{
	return OP_CALL(w, OP_PWRITE, &size, syscall(SYS_pwrite64, fd, data, size, offset));
}

static inline off_t op_lseek(struct worker *w, int fd, off_t offset, int whence)
{
	return OP_CALL(w, OP_LSEEK, (size_t *)NULL, syscall(SYS_lseek, fd, offset, whence));
}

static inline int op_fsync(struct worker *w, int fd)
{
	return (int)OP_CALL(w, OP_FSYNC, (size_t *)NULL, syscall(SYS_fsync, fd));
}

static inline int op_fdatasync(struct worker *w, int fd)
{
	return (int)OP_CALL(w, OP_FDATASYNC, (size_t *)NULL, syscall(SYS_fdatasync, fd));
}

static inline int op_syncfs(struct worker *w, int fd)
{
	return (int)OP_CALL(w, OP_SYNCFS, (size_t *)NULL, syscall(SYS_syncfs, fd));
}

/* lstat: never follows a link. */
static inline int op_lstat(struct worker *w, int dir, const char *name, struct stat *st)
{
	return (int)OP_CALL(w, OP_STAT, (size_t *)NULL,
	        syscall(SYS_newfstatat, dir, name, st, AT_SYMLINK_NOFOLLOW));
}

static inline int op_fstat(struct worker *w, int fd, struct stat *st)
{
	return (int)OP_CALL(w, OP_STAT, (size_t *)NULL, syscall(SYS_fstat, fd, st));
}

/* Raw getdents64 records; the bytes are not counted as data. */
static inline ssize_t op_getdents(struct worker *w, int fd, void *data, size_t size)
{
	return OP_CALL(w, OP_GETDENTS, (size_t *)NULL, syscall(SYS_getdents64, fd, data, size));
}

static inline int op_mkdirat(struct worker *w, int dir, const char *name, mode_t mode)
{
	return (int)OP_CALL(w, OP_MKDIR, (size_t *)NULL, syscall(SYS_mkdirat, dir, name, mode));
}

static inline int op_symlinkat(struct worker *w, const char *text, int dir, const char *name)
{
	return (int)OP_CALL(w, OP_SYMLINK, (size_t *)NULL, syscall(SYS_symlinkat, text, dir, name));
}

static inline ssize_t op_readlinkat(
        struct worker *w, int dir, const char *name, char *text, size_t size)
{
	return OP_CALL(
	        w, OP_READLINK, (size_t *)NULL, syscall(SYS_readlinkat, dir, name, text, size));
}

static inline int op_linkat(
        struct worker *w, int old_dir, const char *old, int dir, const char *name)
{
	return (int)OP_CALL(
	        w, OP_LINK, (size_t *)NULL, syscall(SYS_linkat, old_dir, old, dir, name, 0));
}

static inline int op_renameat(
        struct worker *w, int old_dir, const char *old, int dir, const char *name)
{
	return (int)OP_CALL(
	        w, OP_RENAME, (size_t *)NULL, syscall(SYS_renameat, old_dir, old, dir, name));
}

static inline int op_unlinkat(struct worker *w, int dir, const char *name)
{
	return (int)OP_CALL(w, OP_UNLINK, (size_t *)NULL, syscall(SYS_unlinkat, dir, name, 0));
}

static inline int op_rmdirat(struct worker *w, int dir, const char *name)
{
	return (int)OP_CALL(
	        w, OP_RMDIR, (size_t *)NULL, syscall(SYS_unlinkat, dir, name, AT_REMOVEDIR));
}

static inline int op_ftruncate(struct worker *w, int fd, off_t size)
{
	return (int)OP_CALL(w, OP_FTRUNCATE, (size_t *)NULL, syscall(SYS_ftruncate, fd, size));
}

/*
 * Run @command by /bin/sh in @dir_fd as its own process group, its output appended to @log_fd, and
 * wait. Pausing stops the group (SIGSTOP), cancelling ends it (TERM, then KILL after 2 s). CPU of
 * the child tree is added to the worker's. Returns the wait status (see waitpid) or a negative
 * errno (-ECANCELED when it was ended).
 */
int worker_run_child(struct worker *worker, const char *command, int dir_fd, int log_fd,
        char *const environment[]);

#endif
