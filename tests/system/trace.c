/*
 * Reading strace's log: "PID call(arguments) = result", where a call that another thread's line
 * interrupts ends in "<unfinished ...>" and goes on as "<... call resumed>", which counts no more.
 */
#include "trace.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "program.h"

const char *const trace_names[TRACE_NAMES] = { "openat", "close", "read", "write", "stat",
	"getdents", "mkdir", "symlink", "readlink", "rename", "unlink", "rmdir", "lseek", "fsync" };

/* The kernel's names of these, where an operation has another. */
static const struct {
	const char *call, *name;
} call_table[] = {
	{ "newfstatat", "stat" },
	{ "fstat", "stat" },
	{ "lstat", "stat" },
	{ "getdents64", "getdents" },
	{ "mkdirat", "mkdir" },
	{ "symlinkat", "symlink" },
	{ "readlinkat", "readlink" },
	{ "renameat", "rename" },
	{ "renameat2", "rename" },
	{ "unlinkat", "unlink" },
};

const char *const *trace_wrapper(const char *path)
{
	static const char calls[] =
	        "trace=openat,close,read,write,newfstatat,fstat,getdents64,mkdirat,symlinkat,"
	        "readlinkat,renameat,renameat2,unlinkat,lseek,fsync,prctl";
	static const char *words[] = { "strace", "-f", "-q", "-s", "32", "-o", NULL, "-e", calls,
		"-E", "ASAN_OPTIONS=detect_leaks=0", NULL };

	words[6] = path;
	return words;
}

bool trace_is_possible(const char *test)
{
	if (program_tool(ARGUMENTS("strace", "-f", "-o", "/dev/null", "true")) == 0)
		return true;
	printf("\n    skipped: %s: strace is missing or may not trace\n    ", test);
	return false;
}

static struct trace_worker *find_worker(struct trace *trace, pid_t thread)
{
	/* The latest of that number. */
	for (unsigned i = trace->n; i > 0; i--)
		if (trace->workers[i - 1].thread == thread)
			return &trace->workers[i - 1];
	return NULL;
}

static const char *name_of(const char *call, const char *arguments)
{
	if (strcmp(call, "unlinkat") == 0 && strstr(arguments, "AT_REMOVEDIR") != NULL)
		return "rmdir";
	for (unsigned i = 0; i < sizeof(call_table) / sizeof(call_table[0]); i++)
		if (strcmp(call_table[i].call, call) == 0)
			return call_table[i].name;
	return call;
}

/* A worker gives itself a name, "w0-label", before all else. */
static void take_name(struct trace *trace, pid_t thread, const char *arguments)
{
	if (strncmp(arguments, "PR_SET_NAME, \"w", 15) != 0)
		return;
	CU_ASSERT_FATAL(trace->n < TRACE_WORKERS_MAX);
	trace->workers[trace->n++] = (struct trace_worker){ .thread = thread };
}

static void take_line(struct trace *trace, char *line)
{
	char *rest, *open;
	pid_t thread = (pid_t)strtol(line, &rest, 10);
	struct trace_worker *worker;

	rest += strspn(rest, " ");
	open = strchr(rest, '(');
	if (open == NULL || rest[0] < 'a' || rest[0] > 'z')
		return;
	*open++ = '\0';
	if (strcmp(rest, "prctl") == 0) {
		take_name(trace, thread, open);
		return;
	}
	worker = find_worker(trace, thread);
	for (unsigned i = 0; worker != NULL && i < TRACE_NAMES; i++)
		worker->counts[i] += strcmp(trace_names[i], name_of(rest, open)) == 0;
}

void trace_load(struct trace *trace, const char *path)
{
	char *log = place_read(path), *rest = NULL;

	memset(trace, 0, sizeof(*trace));
	for (char *line = strtok_r(log, "\n", &rest); line != NULL;
	        line = strtok_r(NULL, "\n", &rest))
		take_line(trace, line);
	free(log);
}

uint64_t trace_count(const struct trace *trace, unsigned name, unsigned first, unsigned n)
{
	uint64_t count = 0;

	for (unsigned i = first; i < first + n && i < trace->n; i++)
		count += trace->workers[i].counts[name];
	return count;
}
