/*
 * Results and reports: what is derived, what is ranked, and views that stand still.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdlib.h>

#include "report_fixture.h"

void suite_report(void);

static void test_new_is_absent(void)
{
	struct result *result = result_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(result);
	CU_ASSERT_FALSE(result->was_started);
	CU_ASSERT(result->flush_s < 0);
	CU_ASSERT(result->classic_s < 0);
	CU_ASSERT(result->cpu_percent < 0);
	CU_ASSERT(result->machine_percent < 0);
	CU_ASSERT_EQUAL(result->space_bytes, INT64_MIN);
	CU_ASSERT(result_rate(result) < 0);
	CU_ASSERT_FALSE(result_is_ranked(result));
	CU_ASSERT_FALSE(result_has_error(result));
	result_free(result);
	result_free(NULL);
}

static void test_rate(void)
{
	struct result *result = fixture_result(FIXTURE_CREATE, 0, 1, 10);

	CU_ASSERT_DOUBLE_EQUAL(result_rate(result), FIXTURE_FILES / 10.0, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(result_bytes_rate(result), 10485760, 1e-3);
	result->wall_s = 0;
	CU_ASSERT(result_rate(result) < 0);
	result->wall_s = 10;
	result->status = RESULT_NO_SPACE;
	CU_ASSERT(result_rate(result) < 0);
	result->status = RESULT_OK;
	result->marks = MARK_ERROR;
	CU_ASSERT(result_rate(result) < 0);
	result_free(result);
}

static void test_ranked(void)
{
	static const unsigned out =
	        MARK_NO_SPACE | MARK_ERROR | MARK_CHANGED | MARK_PAUSED | MARK_LIMIT;
	struct result *result = fixture_result(FIXTURE_CREATE, 0, 1, 10);

	for (unsigned i = 0; i < MARK_COUNT; i++) {
		result->marks = 1U << i;
		CU_ASSERT_EQUAL(result_is_ranked(result), !(out & (1U << i)));
	}
	result->marks = 0;
	CU_ASSERT(result_is_ranked(result));
	for (int status = RESULT_NO_SPACE; status <= RESULT_ABORTED; status++) {
		result->status = (enum result_status)status;
		CU_ASSERT_FALSE(result_is_ranked(result));
	}
	result->status = RESULT_OK;
	result->segment = 2;
	CU_ASSERT_FALSE(result_is_ranked(result));
	result_free(result);
}

static void test_percentiles_need_operations(void)
{
	static const unsigned counts[] = { 1, 9, 10, 99, 100, 999, 1000 };
	static const unsigned known[] = { 1, 1, 2, 2, 3, 3, 4 };
	uint64_t ns, before;

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct result *result = fixture_result(FIXTURE_CREATE, 0, 1, 10);
		const struct histogram *latency;
		unsigned n = 0;

		fixture_add_operation(result, "read", counts[i]);
		latency = result->operations[result->n_operations - 1].latency;
		before = 0;
		for (unsigned q = 0; q < RESULT_QUANTILES; q++) {
			if (!result_percentile(latency, &result_quantiles[q], &ns))
				continue;
			n++;
			CU_ASSERT(ns >= before);
			CU_ASSERT(ns <= histogram_load(&latency->max_ns));
			before = ns;
		}
		CU_ASSERT_EQUAL(n, known[i]);
		result_free(result);
	}
	CU_ASSERT_FALSE(result_percentile(NULL, &result_quantiles[0], &ns));
}

static void test_p99_of_all(void)
{
	struct report *report = fixture_new(1);
	struct result *result = fixture_result(FIXTURE_CREATE, 0, 1, 10);

	/* 2381 calls of the file system: the 99th is near 1.98 ms; a sleep of 100 ms is none. */
	fixture_add_operation(result, "sleep", 1000);
	for (unsigned i = 0; i < 1000; i++)
		histogram_add(result->operations[3].latency, UINT64_C(100000000));
	CU_ASSERT_EQUAL(report_add_result(report, result), 0);
	CU_ASSERT(result->p99_ns > 1900000 && result->p99_ns < 2000000);
	report_free(report);
}

static void test_status(void)
{
	struct report *report = fixture_new(1);
	struct result *result;

	CU_ASSERT_EQUAL(report_status(report), 0);
	report_add_result(report, fixture_result(FIXTURE_CREATE, 0, 1, 10));
	result = fixture_result(FIXTURE_COPY, 0, 1, 10);
	result->status = RESULT_SKIPPED;
	report_add_result(report, result);
	CU_ASSERT_EQUAL(report_status(report), 0);
	result = fixture_result(FIXTURE_READ, 0, 1, 10);
	result->status = RESULT_ABORTED;
	report_add_result(report, result);
	CU_ASSERT_EQUAL(report_status(report), 1);
	report_free(report);

	report = fixture_new(1);
	report_end(report, 1, false);
	CU_ASSERT_EQUAL(report_status(report), 1);
	report_end(report, 1, true);
	CU_ASSERT_EQUAL(report_status(report), 1); /* no result of what was planned */
	for (unsigned row = 0; row < report->n_rows; row++)
		for (unsigned target = 0; target < report->n_targets; target++)
			report_add_result(report, fixture_result(row, target, 1, 10));
	CU_ASSERT_EQUAL(report_status(report), 0);
	report_free(report);
}

static void *add_many(void *argument)
{
	struct report_sample sample = { .at_ns = 1 };

	for (unsigned i = 0; i < 200; i++) {
		report_add_result(argument, fixture_result(FIXTURE_CREATE, 0, 1, 10));
		report_add_sample(argument, &sample);
	}
	return NULL;
}

static void test_views_stand_still(void)
{
	struct report *report = fixture_new(1);
	struct report_view view;
	pthread_t threads[2];
	size_t n = 0;

	for (int i = 0; i < 2; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, add_many, report), 0);
	for (int i = 0; i < 50; i++) {
		CU_ASSERT_EQUAL_FATAL(report_view_init(&view, report), 0);
		CU_ASSERT(view.n_results >= n);
		n = view.n_results;
		for (size_t j = 0; j < view.n_results; j++)
			CU_ASSERT_EQUAL(view.results[j]->wall_s, 10);
		report_view_release(&view);
		CU_ASSERT_PTR_NULL(view.results);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CU_ASSERT_EQUAL(report->n_results, 400);
	CU_ASSERT_EQUAL(report->n_samples, 400);
	report_free(report);
	report_free(NULL);
}

void suite_report(void)
{
	CU_pSuite suite = CU_add_suite("report", NULL, NULL);

	CU_add_test(suite, "a new result has nothing", test_new_is_absent);
	CU_add_test(suite, "rate", test_rate);
	CU_add_test(suite, "what is ranked", test_ranked);
	CU_add_test(suite, "percentiles need operations", test_percentiles_need_operations);
	CU_add_test(suite, "p99 of all operations", test_p99_of_all);
	CU_add_test(suite, "exit status", test_status);
	CU_add_test(suite, "views stand still", test_views_stand_still);
}
