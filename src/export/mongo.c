/*
 * The tables of the mongo benchmark as they were published in 2001, and the ratios that went with
 * them: a heading a number of processes, a block a base size, a row a target. Figures are
 * classic_s, the original's own way to take the time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/formats.h"

enum { PHASES = 7, LABEL_MIN = 15, COLUMN = 9, RULE = 62 };

static const char *const phases[PHASES] = { "create", "copy", "slink", "read", "stats", "rename",
	"delete" };
static const char *const titles[PHASES] = { "Create", "Copy", "Slink", "Read", "Stats", "Rename",
	"Delete" };

struct cell {
	bool is_known;
	double seconds;
	char mark; /* '\0': none */
};

/* One set of mongo: its rows in the table, -1 where a phase was off. */
struct block {
	int rows[PHASES];
	uint64_t base_size, processes;
};

struct writer {
	const struct report_view *view;
	const struct table *table;
	struct text *out;
	double *values; /* scratch space for n_results values */
	int label_width;
};

static bool is_mongo(const struct report *report, unsigned row)
{
	return !strcmp(report->rows[row].workload, "mongo");
}

static uint64_t read_param(const struct report_row *row, const char *name, uint64_t otherwise)
{
	int index = params_find(row->params.table, row->params.n, name);
	const struct param_value *value;
	enum param_type type;

	if (index < 0)
		return otherwise;
	value = &row->params.values[index];
	type = row->params.table[index].type;
	if (type == PARAM_COUNT_LIST || type == PARAM_SIZE_LIST)
		return value->list.n ? value->list.items[0] : otherwise;
	return value->number;
}

/* The set that begins at @row; returns the row behind it. */
static unsigned read_block(const struct table *table, unsigned row, struct block *block)
{
	const struct report *report = table->report;

	for (int i = 0; i < PHASES; i++)
		block->rows[i] = -1;
	block->base_size = read_param(&report->rows[row], "base_size", 0);
	block->processes = read_param(&report->rows[row], "processes", 1);
	do {
		for (int i = 0; i < PHASES; i++)
			if (!strcmp(report->rows[row].phase, phases[i]))
				block->rows[i] = (int)row;
		row++;
	} while (row < table->n_rows && !table_begins_group(table, row));
	return row;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(values[0]), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Median of the ranked rounds; without one, the latest whole round, with its mark. */
static struct cell find_cell(const struct writer *writer, int row, unsigned target)
{
	const struct table_cell *cell;
	struct cell found = { false, 0, '\0' };
	size_t n = 0;

	if (row < 0)
		return found;
	cell = table_at(writer->table, (unsigned)row, target);
	for (size_t i = 0; i < writer->view->n_results; i++) {
		const struct result *result = writer->view->results[i];

		if (result->row == (unsigned)row && result->target == target &&
		        result_is_ranked(result) && result->classic_s >= 0)
			writer->values[n++] = result->classic_s;
	}
	for (unsigned i = 0; i < MARK_COUNT && !n && !found.mark; i++)
		if (cell->marks & (1U << i))
			found.mark = mark_table[i].ascii[0];
	if (n) {
		found.seconds = median(writer->values, n);
		found.is_known = true;
	} else if (cell->state == CELL_DONE && cell->last->status == RESULT_OK &&
	           cell->last->classic_s >= 0) {
		found.seconds = cell->last->classic_s;
		found.is_known = true;
	}
	return found;
}

/* A whole create: the tree is the same for all, so any one tells its counts. */
static const struct result *find_create(const struct writer *writer, const struct block *block)
{
	for (size_t i = 0; i < writer->view->n_results; i++) {
		const struct result *result = writer->view->results[i];

		if ((int)result->row == block->rows[0] && result_is_ranked(result))
			return result;
	}
	return NULL;
}

static uint64_t count_operation(const struct result *result, const char *name)
{
	for (unsigned i = 0; i < result->n_operations; i++)
		if (!strcmp(result->operations[i].name, name))
			return result->operations[i].count;
	return 0;
}

/* Counts after copy: both trees, the mounted root, and lost+found where there is one. */
static void add_parameters(const struct writer *writer, const struct block *block)
{
	const struct result *create = find_create(writer, block);
	const struct target *target;
	uint64_t others;

	if (!create) {
		text_format(writer->out, "Parameters: files=?, base_size=%llu bytes, dirs=?\n",
		        (unsigned long long)block->base_size);
		return;
	}
	target = &writer->view->report->targets[create->target];
	others = strncmp(target->fs, "ext", 3) ? 1 : 2;
	text_format(writer->out, "Parameters: files=%llu, base_size=%llu bytes, dirs=%llu\n",
	        (unsigned long long)(2 * create->work), (unsigned long long)block->base_size,
	        (unsigned long long)(2 * count_operation(create, "mkdir") + others));
}

static void end_line(const struct writer *writer)
{
	struct text *out = writer->out;

	while (out->length > 0 && out->data[out->length - 1] == ' ')
		out->data[--out->length] = '\0';
	text_add(out, "\n");
}

static void add_rule(const struct writer *writer, char label)
{
	text_fill(writer->out, label, writer->label_width);
	text_add(writer->out, "|");
	text_fill(writer->out, '-', RULE + 1);
	text_add(writer->out, "\n");
}

static void add_header(const struct writer *writer)
{
	add_rule(writer, ' ');
	text_format(writer->out, "%*s|", writer->label_width, "");
	for (int i = 0; i < PHASES; i++)
		text_format(writer->out, "%*s", COLUMN, titles[i]);
	text_format(writer->out, "\n%*s|", writer->label_width, "");
	for (int i = 0; i < PHASES; i++)
		text_format(writer->out, "%*s", COLUMN, "time");
	text_add(writer->out, "\n");
	add_rule(writer, '-');
}

static void add_label(const struct writer *writer, unsigned target)
{
	char label[TARGET_LABEL_MAX];

	text_sanitize(label, sizeof(label), writer->view->report->targets[target].label);
	/* '|' ends the label */
	for (char *at = label; *at; at++)
		if (*at == '|')
			*at = '?';
	text_format(writer->out, "%-*s|", writer->label_width, label);
}

static void add_cell(const struct writer *writer, const struct cell *cell)
{
	struct text field;

	text_init(&field);
	if (cell->is_known)
		text_add_fixed(&field, cell->seconds, 2);
	if (cell->mark)
		text_fill(&field, cell->mark, 1);
	text_format(writer->out, "%*s", COLUMN, text_string(&field));
	text_release(&field);
}

static void add_block(const struct writer *writer, const struct block *block)
{
	add_parameters(writer, block);
	add_header(writer);
	for (unsigned target = 0; target < writer->table->n_targets; target++) {
		add_label(writer, target);
		for (int i = 0; i < PHASES; i++) {
			struct cell cell = find_cell(writer, block->rows[i], target);

			add_cell(writer, &cell);
		}
		end_line(writer);
		add_rule(writer, '-');
	}
}

/* value/first; '-' where there is nothing to divide by, or nothing to divide */
static void add_ratio(const struct writer *writer, int row, unsigned target)
{
	struct cell first = find_cell(writer, row, 0);
	struct cell cell = find_cell(writer, row, target);

	if (target > 0 && cell.is_known && first.is_known && first.seconds > 0)
		cell.seconds /= first.seconds;
	else if (target > 0)
		cell = (struct cell){ false, 0, cell.mark ? cell.mark : '-' };
	add_cell(writer, &cell);
}

static void add_ratios(const struct writer *writer, const struct block *block)
{
	add_parameters(writer, block);
	add_header(writer);
	for (unsigned target = 0; target < writer->table->n_targets; target++) {
		add_label(writer, target);
		for (int i = 0; i < PHASES; i++)
			add_ratio(writer, block->rows[i], target);
		end_line(writer);
		add_rule(writer, '-');
	}
}

static void add_heading(const struct writer *writer, uint64_t processes, const char *what)
{
	if (writer->out->length)
		text_add(writer->out, "\n");
	if (processes > 1)
		text_format(writer->out, "MONGO_MULTI_PROCESS (%llu processes) %s\n",
		        (unsigned long long)processes, what);
	else
		text_format(writer->out, "MONGO_SINGLE_PROCESS %s\n", what);
}

/* All sets, with a heading where the number of processes changes. */
static void add_sets(const struct writer *writer, const char *what,
        void (*add)(const struct writer *, const struct block *))
{
	uint64_t processes = 0;
	struct block block;
	unsigned row = 0;

	while (row < writer->table->n_rows) {
		if (!is_mongo(writer->view->report, row)) {
			row++;
			continue;
		}
		row = read_block(writer->table, row, &block);
		if (block.processes != processes)
			add_heading(writer, block.processes, what);
		processes = block.processes;
		add(writer, &block);
	}
}

static bool has_mongo(const struct report *report)
{
	for (unsigned row = 0; row < report->n_rows; row++)
		if (is_mongo(report, row))
			return true;
	return false;
}

static int find_label_width(const struct report *report)
{
	size_t width = LABEL_MIN;

	for (unsigned i = 0; i < report->n_targets; i++)
		if (strlen(report->targets[i].label) > width)
			width = strlen(report->targets[i].label);
	return (int)width;
}

int export_mongo(const struct report_view *view, const struct table *table,
        struct export_part *parts, struct error *err)
{
	struct writer writer = { view, table, &parts[0].text, NULL,
		find_label_width(view->report) };

	if (!has_mongo(view->report))
		return error_set(err, -ENODATA,
		        "mongo: this run has no mongo results; add -w mongo, or use another "
		        "format");
	writer.values = calloc(view->n_results + 1, sizeof(writer.values[0]));
	if (!writer.values)
		return error_errno(err, -ENOMEM, "mongo");
	add_sets(&writer, "BENCHMARK RESULTS (time in sec.)", add_block);
	add_sets(&writer, "RATIO (first line: time in sec.; others: divided by the first)",
	        add_ratios);
	free(writer.values);
	return 1;
}
