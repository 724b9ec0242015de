/*
 * The table: sorts the results of a view into cells and takes medians. Pure: it reads the view and
 * writes only its own cells. Any thread, one owner a table.
 */
#include "results/table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* From so many rounds on the spread is the quartiles; below, the whole range. */
enum { QUARTILES_MIN = 6, SPREAD_MIN = 3 };

/* Shown below the rows that are surveyed. */
static const enum metric figures[] = { METRIC_SPACE, METRIC_FRAGMENTS };

enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

/* The results of one cell, in the order they were added. */
struct pile {
	const struct result **results;
	size_t n;
	double *values; /* scratch space for n values */
};

const struct metric_info metric_table[METRIC_COUNT] = {
	[METRIC_TIME] = { "time", "time", "s", "elapsed time of the phase, pauses taken off",
	        true },
	[METRIC_RATE] = { "rate", "rate", "1/s", "units of work a second", false },
	[METRIC_CPU] = { "cpu", "cpu", "%", "user and system time of the workers, 100 = one core",
	        true },
	[METRIC_MACHINE] = { "machine", "all", "%",
	        "busy share of the whole machine, with the kernel's own threads", true },
	[METRIC_P99] = { "p99", "p99", "ns", "99 of 100 operations took no longer than this",
	        true },
	[METRIC_BYTES_RATE] = { "bytes-rate", "bytes/s", "B/s", "bytes moved a second", false },
	[METRIC_FLUSH] = { "flush", "flush", "s", "time of the sync of the target after the phase",
	        true },
	[METRIC_SPACE] = { "space", "space", "B", "space used against before the set", true },
	[METRIC_FRAGMENTS] = { "fragments", "extents", "/file",
	        "extents of a file over 16 KiB, mean of a sample, after the flush", true },
};

/* False where the result has no such figure. */
static bool read_metric(const struct result *result, enum metric metric, double *value)
{
	assert(result != NULL);
	if (!result->was_started)
		return false;
	switch (metric) {
	case METRIC_TIME:
		*value = result->wall_s;
		return result->status == RESULT_OK && result->wall_s >= 0;
	case METRIC_RATE:
		*value = result_rate(result);
		return *value >= 0;
	case METRIC_CPU:
		*value = result->cpu_percent;
		return *value >= 0;
	case METRIC_MACHINE:
		*value = result->machine_percent;
		return *value >= 0;
	case METRIC_P99:
		*value = (double)result->p99_ns;
		return result->p99_ns > 0;
	case METRIC_BYTES_RATE:
		*value = result_bytes_rate(result);
		return result->bytes > 0 && *value >= 0;
	case METRIC_FLUSH:
		*value = result->flush_s;
		return *value >= 0;
	case METRIC_SPACE:
		*value = (double)result->space_bytes;
		return result->space_bytes != INT64_MIN;
	case METRIC_FRAGMENTS:
		*value = result->fragments;
		return *value >= 0;
	case METRIC_COUNT:
		break;
	}
	return false;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Quantile of sorted values by linear interpolation between ranks (Hyndman and Fan's type 7). */
static double quantile(const double *sorted, size_t n, double share)
{
	double place = share * (double)(n - 1);
	size_t below = (size_t)place;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

static void summarise(struct table_value *value, double *values, size_t n)
{
	bool has_quartiles = n >= QUARTILES_MIN;

	if (!n)
		return;
	qsort(values, n, sizeof(values[0]), compare_doubles);
	value->is_known = true;
	value->n = (unsigned)n;
	value->median = quantile(values, n, 0.5);
	value->low = has_quartiles ? quantile(values, n, 0.25) : values[0];
	value->high = has_quartiles ? quantile(values, n, 0.75) : values[n - 1];
}

/* The latest that has figures: what a cell without a ranked round shows. */
static const struct result *latest_started(const struct pile *pile)
{
	for (size_t i = pile->n; i-- > 0;)
		if (pile->results[i]->was_started)
			return pile->results[i];
	return NULL;
}

static void fill_values(struct table_cell *cell, const struct pile *pile, size_t n_ranked)
{
	const struct result *lone = n_ranked ? NULL : latest_started(pile);
	double value;

	for (int metric = 0; metric < METRIC_COUNT; metric++) {
		size_t n = 0;

		for (size_t i = 0; i < pile->n; i++) {
			const struct result *result = pile->results[i];

			if (n_ranked ? !result_is_ranked(result) : result != lone)
				continue;
			if (read_metric(result, (enum metric)metric, &value))
				pile->values[n++] = value;
		}
		summarise(&cell->values[metric], pile->values, n);
	}
}

static enum cell_state find_state(const struct pile *pile, size_t n_ranked)
{
	const struct result *result = latest_started(pile);

	if (n_ranked)
		return CELL_DONE;
	/* A lane that could not set up has an error that never started. */
	for (size_t i = 0; i < pile->n && !result; i++)
		if (pile->results[i]->status != RESULT_SKIPPED)
			result = pile->results[i];
	if (!result || result->status == RESULT_SKIPPED)
		return CELL_SKIPPED;
	return result->status == RESULT_OK ? CELL_DONE : CELL_FAILED;
}

static void fill_cell(struct table_cell *cell, const struct pile *pile)
{
	size_t n_ranked = 0;
	unsigned round = 0;

	if (!pile->n)
		return;
	for (size_t i = 0; i < pile->n; i++) {
		const struct result *result = pile->results[i];

		assert(result != NULL);
		cell->marks |= result_marks(result);
		n_ranked += result_is_ranked(result);
		if (result->round != round)
			cell->n_rounds++;
		round = result->round;
		if (!cell->failed && result_has_error(result))
			cell->failed = result;
	}
	cell->last = pile->results[pile->n - 1];
	cell->state = find_state(pile, n_ranked);
	fill_values(cell, pile, n_ranked);
}

/* Where the results of each cell begin in @sorted; begins has n_cells + 1 places. */
static void sort_results(const struct table *table, const struct report_view *view, size_t *begins,
        const struct result **sorted)
{
	size_t n_cells = (size_t)table->n_rows * table->n_targets;
	size_t sum = 0;

	for (size_t i = 0; i < view->n_results; i++) {
		const struct result *result = view->results[i];

		if (result->row < table->n_rows && result->target < table->n_targets)
			begins[(size_t)result->row * table->n_targets + result->target]++;
	}
	for (size_t i = 0; i <= n_cells; i++) {
		size_t count = begins[i];

		begins[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < view->n_results; i++) {
		const struct result *result = view->results[i];

		if (result->row < table->n_rows && result->target < table->n_targets)
			sorted[begins[(size_t)result->row * table->n_targets + result->target]++] =
			        result;
	}
	/* Filling has moved each beginning to its end, which is where the next one begins. */
	memmove(begins + 1, begins, n_cells * sizeof(begins[0]));
	begins[0] = 0;
}

static bool has_figure(const struct table *table, unsigned row, enum metric metric)
{
	if (!table->report->rows[row].is_surveyed)
		return false;
	for (unsigned target = 0; target < table->n_targets; target++)
		if (table_at(table, row, target)->values[metric].is_known)
			return true;
	return false;
}

static void add_line(
        struct table *table, enum table_line_kind kind, unsigned row, enum metric metric)
{
	table->lines[table->n_lines++] = (struct table_line){ kind, row, metric };
}

static void fill_lines(struct table *table)
{
	for (unsigned row = 0; row < table->n_rows; row++) {
		if (table_begins_group(table, row))
			add_line(table, LINE_HEADING, row, METRIC_TIME);
		add_line(table, LINE_ROW, row, METRIC_TIME);
		for (unsigned i = 0; i < FIGURES; i++)
			if (has_figure(table, row, figures[i]))
				add_line(table, LINE_FIGURE, row, figures[i]);
	}
}

int table_init(struct table *table, const struct report_view *view)
{
	size_t n_cells = (size_t)view->report->n_rows * view->report->n_targets;
	const struct result **sorted = calloc(view->n_results + 1, sizeof(sorted[0]));
	double *values = calloc(view->n_results + 1, sizeof(values[0]));
	size_t *begins = calloc(n_cells + 1, sizeof(begins[0]));
	int code = -ENOMEM;

	table->report = view->report;
	table->n_rows = view->report->n_rows;
	table->n_targets = view->report->n_targets;
	table->n_lines = 0;
	table->cells = calloc(n_cells + 1, sizeof(table->cells[0]));
	table->lines = calloc((size_t)table->n_rows * (2 + FIGURES) + 1, sizeof(table->lines[0]));
	if (!sorted || !values || !begins || !table->cells || !table->lines)
		goto out;
	sort_results(table, view, begins, sorted);
	for (size_t i = 0; i < n_cells; i++) {
		struct pile pile = { sorted + begins[i], begins[i + 1] - begins[i], values };

		fill_cell(&table->cells[i], &pile);
	}
	fill_lines(table);
	code = 0;
out:
	free(sorted);
	free(values);
	free(begins);
	if (code)
		table_release(table);
	return code;
}

void table_release(struct table *table)
{
	free(table->cells);
	free(table->lines);
	memset(table, 0, sizeof(*table));
}

bool table_begins_group(const struct table *table, unsigned row)
{
	const struct report_row *rows = table->report->rows;

	return row == 0 || strcmp(rows[row].workload, rows[row - 1].workload) ||
	       strcmp(rows[row].set, rows[row - 1].set);
}

double table_spread_percent(const struct table_value *value)
{
	if (!value->is_known || value->n < SPREAD_MIN || !(value->median > 0))
		return -1;
	return (value->high - value->low) / 2 / value->median * 100;
}

unsigned table_marks(const struct table *table)
{
	size_t n_cells = (size_t)table->n_rows * table->n_targets;
	unsigned marks = 0;

	for (size_t i = 0; i < n_cells; i++)
		marks |= table->cells[i].marks;
	return marks;
}
