/*
 * What strace -f saw of the workers' system calls, by worker thread in the order of their start and
 * by operation. One thread.
 */
#ifndef FSDERBY_TESTS_SYSTEM_TRACE_H
#define FSDERBY_TESTS_SYSTEM_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { TRACE_NAMES = 14, TRACE_WORKERS_MAX = 256 };

struct trace_worker {
	pid_t thread;
	uint64_t counts[TRACE_NAMES]; /* of trace_names */
};

struct trace {
	struct trace_worker workers[TRACE_WORKERS_MAX];
	unsigned n;
};

/* Operations as the export names them. */
extern const char *const trace_names[TRACE_NAMES];

/* The words to put before the program's: strace with its log in @path. */
const char *const *trace_wrapper(const char *path);
/* Does strace work here? If not, says why the test is skipped. */
bool trace_is_possible(const char *test);
void trace_load(struct trace *trace, const char *path);
/* Calls of @name made by the @n workers from @first on. */
uint64_t trace_count(const struct trace *trace, unsigned name, unsigned first, unsigned n);

#endif
