/*
 * The table: medians, spreads, and which rounds never enter them.
 */
#include <CUnit/CUnit.h>

#include "report_fixture.h"
#include "results/table.h"

void suite_table(void);

/* The cell of ext4's create after rounds with these times. */
static struct table_value time_of(const double *times, unsigned n)
{
	struct report *report = fixture_new(n);
	struct report_view view;
	struct table table;
	struct table_value value;

	for (unsigned i = 0; i < n; i++)
		report_add_result(report, fixture_result(FIXTURE_CREATE, 0, i + 1, times[i]));
	CU_ASSERT_EQUAL_FATAL(report_view_init(&view, report), 0);
	CU_ASSERT_EQUAL_FATAL(table_init(&table, &view), 0);
	value = table_at(&table, FIXTURE_CREATE, 0)->values[METRIC_TIME];
	table_release(&table);
	report_view_release(&view);
	report_free(report);
	return value;
}

static void test_median(void)
{
	static const double times[] = { 5, 1, 4, 2 };
	struct table_value value = time_of(times, 3);

	CU_ASSERT_EQUAL(value.median, 4);
	CU_ASSERT_EQUAL(value.low, 1);
	CU_ASSERT_EQUAL(value.high, 5);
	CU_ASSERT_EQUAL(value.n, 3);
	value = time_of(times, 4);
	CU_ASSERT_EQUAL(value.median, 3);
	value = time_of(times, 1);
	CU_ASSERT(value.is_known);
	CU_ASSERT_EQUAL(value.median, 5);
	value = time_of(times, 0);
	CU_ASSERT_FALSE(value.is_known);
}

static void test_spread(void)
{
	static const double times[] = { 11, 9, 10, 10, 10, 100 };
	struct table_value value = time_of(times, 3);

	CU_ASSERT_DOUBLE_EQUAL(table_spread_percent(&value), 10, 1e-9);
	value = time_of(times, 2);
	CU_ASSERT(table_spread_percent(&value) < 0);
	/* From six rounds on the quartiles, by interpolation: 9 10 10 10 11 100 */
	value = time_of(times, 6);
	CU_ASSERT_DOUBLE_EQUAL(value.low, 10, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(value.high, 10.75, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(table_spread_percent(&value), 3.75, 1e-9);
	value = time_of(times, 5);
	CU_ASSERT_EQUAL(value.low, 9);
}

static void check_good(const struct table *table)
{
	const struct table_cell *cell = table_at(table, FIXTURE_CREATE, FIXTURE_EXT4);

	CU_ASSERT_EQUAL(cell->state, CELL_DONE);
	CU_ASSERT_EQUAL(cell->marks, 0);
	CU_ASSERT_EQUAL(cell->n_rounds, 3);
	CU_ASSERT_DOUBLE_EQUAL(cell->values[METRIC_TIME].median, 10.1, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(cell->values[METRIC_RATE].median, FIXTURE_FILES / 10.1, 1e-6);
	CU_ASSERT_EQUAL(cell->values[METRIC_CPU].median, 50);
	CU_ASSERT_EQUAL(cell->values[METRIC_MACHINE].median, 25);
	CU_ASSERT_EQUAL(cell->values[METRIC_FLUSH].median, 0.75);
	CU_ASSERT_EQUAL(cell->values[METRIC_SPACE].median, -4096);
	CU_ASSERT(cell->values[METRIC_P99].is_known);
	CU_ASSERT_EQUAL(cell->last->round, 3);
	CU_ASSERT_PTR_NULL(cell->failed);
}

static void check_failed(const struct table *table)
{
	const struct table_cell *cell = table_at(table, FIXTURE_COPY, FIXTURE_XFS);

	/* Two rounds stand, the failed one is marked and in no median. */
	CU_ASSERT_EQUAL(cell->state, CELL_DONE);
	CU_ASSERT_EQUAL(cell->marks, MARK_ERROR);
	CU_ASSERT_EQUAL(cell->values[METRIC_TIME].n, 2);
	CU_ASSERT_DOUBLE_EQUAL(cell->values[METRIC_TIME].median, 22.2, 1e-9);
	CU_ASSERT_PTR_NOT_NULL_FATAL(cell->failed);
	CU_ASSERT_EQUAL(cell->failed->round, 2);
	/* Skipped in round 2. */
	cell = table_at(table, FIXTURE_READ, FIXTURE_XFS);
	CU_ASSERT_EQUAL(cell->state, CELL_DONE);
	CU_ASSERT_EQUAL(cell->values[METRIC_TIME].n, 2);
	CU_ASSERT_EQUAL(cell->n_rounds, 3);
	/* A phase out of space has no time and no rate. */
	cell = table_at(table, FIXTURE_MULTI_CREATE, FIXTURE_XFS);
	CU_ASSERT_EQUAL(cell->state, CELL_FAILED);
	CU_ASSERT_EQUAL(cell->marks, MARK_NO_SPACE);
	CU_ASSERT_FALSE(cell->values[METRIC_TIME].is_known);
	CU_ASSERT_FALSE(cell->values[METRIC_RATE].is_known);
	CU_ASSERT_EQUAL(cell->failed->round, 1);
}

static void check_unranked(const struct table *table)
{
	const struct table_cell *cell = table_at(table, FIXTURE_READ, FIXTURE_TMPFS);

	CU_ASSERT_EQUAL(cell->marks, MARK_CHANGED);
	CU_ASSERT_EQUAL(cell->n_rounds, 3);
	CU_ASSERT_EQUAL(cell->values[METRIC_TIME].n, 2);
	CU_ASSERT_DOUBLE_EQUAL(cell->values[METRIC_TIME].low, 13.1, 1e-9);
	cell = table_at(table, FIXTURE_STATS, FIXTURE_TMPFS);
	CU_ASSERT_EQUAL(cell->marks, MARK_PAUSED);
	CU_ASSERT_EQUAL(cell->values[METRIC_TIME].n, 2);
	cell = table_at(table, FIXTURE_ACCESS, FIXTURE_TMPFS);
	CU_ASSERT_EQUAL(cell->state, CELL_FAILED);
	CU_ASSERT_FALSE(cell->values[METRIC_TIME].is_known);
	CU_ASSERT_PTR_NULL(cell->failed);
}

static void test_full(void)
{
	struct report *report = fixture_full();
	struct report_view view;
	struct table table;

	CU_ASSERT_EQUAL_FATAL(report_view_init(&view, report), 0);
	CU_ASSERT_EQUAL_FATAL(table_init(&table, &view), 0);
	check_good(&table);
	check_failed(&table);
	check_unranked(&table);
	CU_ASSERT_EQUAL(
	        table_marks(&table), MARK_ERROR | MARK_NO_SPACE | MARK_CHANGED | MARK_PAUSED);
	for (unsigned row = 0; row < FIXTURE_ROWS; row++)
		CU_ASSERT_EQUAL(table_begins_group(&table, row),
		        row == FIXTURE_CREATE || row >= FIXTURE_MULTI_CREATE);
	table_release(&table);
	report_view_release(&view);
	report_free(report);
}

/* The lines as text: 'h' heading, 'r' row, 's' space, 'f' fragments. */
static void print_lines(const struct table *table, char *out)
{
	for (unsigned i = 0; i < table->n_lines; i++) {
		const struct table_line *line = &table->lines[i];

		*out++ = line->kind == LINE_HEADING     ? 'h'
		         : line->kind == LINE_ROW       ? 'r'
		         : line->metric == METRIC_SPACE ? 's'
		                                        : 'f';
		CU_ASSERT(line->row < table->n_rows);
	}
	*out = '\0';
}

/* Figures stand below the rows that are surveyed, where a target has them. */
static void test_lines(void)
{
	struct report *report = fixture_full(), *empty = fixture_new(1);
	char lines[FIXTURE_ROWS * 4 + 1];
	struct report_view view;
	struct table table;
	const struct table_cell *cell;

	CU_ASSERT_EQUAL_FATAL(report_view_init(&view, report), 0);
	CU_ASSERT_EQUAL_FATAL(table_init(&table, &view), 0);
	print_lines(&table, lines);
	CU_ASSERT_STRING_EQUAL(lines, "hrsfrsrrrrrhrshrhr");
	cell = table_at(&table, FIXTURE_CREATE, FIXTURE_EXT4);
	CU_ASSERT_EQUAL(cell->values[METRIC_FRAGMENTS].median, 1.25);
	cell = table_at(&table, FIXTURE_CREATE, FIXTURE_XFS);
	CU_ASSERT_FALSE(cell->values[METRIC_FRAGMENTS].is_known);
	table_release(&table);
	report_view_release(&view);
	CU_ASSERT_EQUAL_FATAL(report_view_init(&view, empty), 0);
	CU_ASSERT_EQUAL_FATAL(table_init(&table, &view), 0);
	print_lines(&table, lines);
	CU_ASSERT_STRING_EQUAL(lines, "hrrrrrrrhrhrhr");
	table_release(&table);
	report_view_release(&view);
	report_free(report);
	report_free(empty);
}

/* The lone round of a cell, marked: what stands there. */
static void test_lone_round(void)
{
	struct report *report = fixture_new(1);
	struct result *result = fixture_result(FIXTURE_CREATE, 0, 1, 7);
	const struct table_cell *cell;
	struct report_view view;
	struct table table;

	result->marks = MARK_PAUSED;
	report_add_result(report, result);
	result = fixture_result(FIXTURE_COPY, 0, 1, 7);
	result->status = RESULT_SKIPPED;
	report_add_result(report, result);
	result = result_new();
	result->row = FIXTURE_READ;
	result->status = RESULT_ERROR;
	report_add_result(report, result);
	CU_ASSERT_EQUAL_FATAL(report_view_init(&view, report), 0);
	CU_ASSERT_EQUAL_FATAL(table_init(&table, &view), 0);
	cell = table_at(&table, FIXTURE_CREATE, 0);
	CU_ASSERT_EQUAL(cell->state, CELL_DONE);
	CU_ASSERT_EQUAL(cell->values[METRIC_TIME].median, 7);
	cell = table_at(&table, FIXTURE_COPY, 0);
	CU_ASSERT_EQUAL(cell->state, CELL_SKIPPED);
	CU_ASSERT_FALSE(cell->values[METRIC_TIME].is_known);
	CU_ASSERT(cell->values[METRIC_RATE].is_known);
	/* A lane that could not set up: failed, though it never started. */
	cell = table_at(&table, FIXTURE_READ, 0);
	CU_ASSERT_EQUAL(cell->state, CELL_FAILED);
	CU_ASSERT_EQUAL(cell->marks, MARK_ERROR);
	cell = table_at(&table, FIXTURE_STATS, 0);
	CU_ASSERT_EQUAL(cell->state, CELL_PLANNED);
	CU_ASSERT_PTR_NULL(cell->last);
	table_release(&table);
	report_view_release(&view);
	report_free(report);
}

void suite_table(void)
{
	CU_pSuite suite = CU_add_suite("table", NULL, NULL);

	CU_add_test(suite, "median", test_median);
	CU_add_test(suite, "spread", test_spread);
	CU_add_test(suite, "a run with everything in it", test_full);
	CU_add_test(suite, "lines", test_lines);
	CU_add_test(suite, "a cell without a ranked round", test_lone_round);
}
