/*
 * The one table: rows x targets x cells with marks, computed from results. The screen and every
 * exporter draw this.
 *
 * A cell is the median of its ranked rounds with the spread (min to max below 6 rounds, quartiles
 * from 6). Rounds that were paused, changed, failed or cut short are shown by their marks and
 * never enter a median; where there is no ranked round the latest one's figures stand, marked.
 */
#ifndef FSDERBY_RESULTS_TABLE_H
#define FSDERBY_RESULTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "results/report.h"

/* What a cell can show; `metric_table` has name, header and unit for each. */
enum metric {
	METRIC_TIME,    /* wall_s */
	METRIC_RATE,    /* work / wall_s */
	METRIC_CPU,     /* percent of one core */
	METRIC_MACHINE, /* percent of the machine */
	METRIC_P99,     /* ns, of all operations of the phase together */
	METRIC_BYTES_RATE,
	METRIC_FLUSH,     /* s */
	METRIC_SPACE,     /* bytes */
	METRIC_FRAGMENTS, /* extents a file */
	METRIC_COUNT,
};

struct metric_info {
	const char *name, *header, *unit, *help;
	bool smaller_is_better;
};
extern const struct metric_info metric_table[METRIC_COUNT];

struct table_value {
	bool is_known;
	double median, low, high;
	unsigned n; /* rounds in it */
};

enum cell_state { CELL_PLANNED, CELL_DONE, CELL_SKIPPED, CELL_FAILED };

struct table_cell {
	enum cell_state state;
	unsigned marks; /* of all results of this cell */
	struct table_value values[METRIC_COUNT];
	unsigned n_rounds;           /* results that exist */
	const struct result *last;   /* latest result, for details; NULL: none yet */
	const struct result *failed; /* first one with an error, for the footnote; NULL: none */
};

/* What stands in a line of the table, from top to bottom. */
enum table_line_kind {
	LINE_HEADING, /* of the workload or set that begins with @row */
	LINE_ROW,
	LINE_FIGURE, /* below @row: one more @metric of it, which is no result of its own */
};

struct table_line {
	enum table_line_kind kind;
	unsigned row;
	enum metric metric; /* of a figure */
};

struct table {
	const struct report *report;
	unsigned n_rows, n_targets, n_lines;
	struct table_cell *cells; /* row major */
	struct table_line *lines; /* figures only where a target has one */
};

/* Build from a view (results are borrowed: the view must outlive the table). */
int table_init(struct table *table, const struct report_view *view);
void table_release(struct table *table);

static inline const struct table_cell *table_at(
        const struct table *table, unsigned row, unsigned target)
{
	return &table->cells[(size_t)row * table->n_targets + target];
}

/* Does row @row begin a new workload or set (a heading comes before it)? */
bool table_begins_group(const struct table *table, unsigned row);

/* Spread in percent of the median: half of (high - low); negative below 3 rounds. */
double table_spread_percent(const struct table_value *value);

/* Union of all cells' marks, for the legend. */
unsigned table_marks(const struct table *table);

#endif
