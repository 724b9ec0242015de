/*
 * The operations that a result counts are the system calls that its workers made, as strace sees
 * them.
 */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "document.h"
#include "place.h"
#include "program.h"
#include "trace.h"
#include "tree.h"

void suite_trace(void);

enum { REPETITIONS = 2 };

static bool is_known(const char *operation)
{
	for (unsigned i = 0; i < TRACE_NAMES; i++)
		if (strcmp(trace_names[i], operation) == 0)
			return true;
	return false;
}

static void check_phase(const json_t *result, const struct trace *trace, unsigned first, unsigned n)
{
	const json_t *operations = json_object_get(result, "operations");
	const char *phase = document_text(result, "phase");

	for (unsigned i = 0; i < TRACE_NAMES; i++) {
		uint64_t seen = trace_count(trace, i, first, n);
		int64_t counted = document_operation(result, trace_names[i], "count");

		EXPECT(counted == (int64_t)seen, "%s: %" PRId64 " of %s counted, %" PRIu64 " seen",
		        phase, counted, trace_names[i], seen);
	}
	for (size_t i = 0; i < json_array_size(operations); i++) {
		const char *name = document_text(json_array_get(operations, i), "name");

		EXPECT(is_known(name), "%s: %s was not looked for", phase, name);
	}
}

static void trace_with(unsigned processes, const char *order)
{
	char processes_setting[32], order_setting[32], target[160],
	        *log = strdup(place_path("strace.log"));
	struct trace *trace = calloc(1, sizeof(*trace));
	struct program program;
	json_t *document;
	unsigned n = REPETITIONS * processes;

	text_print(processes_setting, sizeof(processes_setting), "mongo.processes=%u", processes);
	text_print(target, sizeof(target), "t=%s", place_path("disk"));
	text_print(order_setting, sizeof(order_setting), "mongo.order=%s", order);
	program_run(&program, &(struct program_how){ .wrapper = trace_wrapper(log) }, 0,
	        ARGUMENTS("-w", "mongo", "--batch", "--no-settle", "-n", "1", "-s",
	                "mongo.base_size=1000", "-s", "mongo.bytes=200k", "-s",
	                "mongo.repetitions=2", "-s", processes_setting, "-s", order_setting, "-o",
	                "r.json", target));
	trace_load(trace, log);
	document = document_load(place_path("out/r.json"));
	EXPECT(trace->n == 7 * n, "%u workers", trace->n);
	for (unsigned i = 0; tree_phases[i] != NULL && document != NULL; i++)
		check_phase(document_result(document, "t", tree_phases[i], 1), trace, i * n, n);
	json_decref(document);
	program_free(&program);
	free(trace);
	free(log);
}

static void test_one_process(void)
{
	if (trace_is_possible("counts against strace"))
		trace_with(1, "creation");
}

static void test_two_processes(void)
{
	if (trace_is_possible("counts against strace"))
		trace_with(2, "creation");
}

static void test_readdir_order(void)
{
	if (trace_is_possible("counts against strace"))
		trace_with(1, "readdir");
}

void suite_trace(void)
{
	CU_pSuite suite = CU_add_suite_with_setup_and_teardown(
	        "counts against strace", NULL, NULL, place_begin, place_end);

	CU_add_test(suite, "one process", test_one_process);
	CU_add_test(suite, "two processes", test_two_processes);
	CU_add_test(suite, "order of the listings", test_readdir_order);
}
