/*
 * The table as plain text: what ran, a table a set, and what each mark means. Seven-bit ASCII, so
 * that it survives mails; foreign names come through page_ascii only. Where the targets do not fit
 * side by side their blocks stand underneath each other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "export/formats.h"
#include "export/page.h"

enum {
	TEXT_COLUMNS = 80,
	ROUNDS_MIN = 3, /* below there is no spread */
	FIELD_MAX = 32,
	LABEL_MAX = 24, /* a longer label does not widen its block */
	BLOCK_GAP = 2,
};

/* What stands under a target, in this order. */
enum field {
	FIELD_TIME,
	FIELD_FLUSH,
	FIELD_RATE,
	FIELD_CPU,
	FIELD_MACHINE,
	FIELD_SPREAD,
	FIELD_MARKS,
	FIELDS
};

static const char *const field_headers[FIELDS] = { "time", "flush", "rate", "cpu", "all", "+-%",
	"" };

/* Widths of one set's table; 0: the column is not there. */
struct layout {
	const struct table_line *lines; /* of the set, without its heading */
	unsigned n_lines;
	int phase, unit, fields[FIELDS], block;
	unsigned per_line; /* targets side by side */
};

/* Why there is no time, or NULL where there is one. */
static const char *state_word(const struct table_cell *cell)
{
	switch (cell->state) {
	case CELL_PLANNED:
		return "-";
	case CELL_SKIPPED:
		return "skipped";
	case CELL_FAILED:
		if (cell->marks & MARK_NO_SPACE)
			return "no space";
		return cell->marks & MARK_ERROR ? "error" : "aborted";
	case CELL_DONE:
		break;
	}
	return NULL;
}

static bool counts_bytes(const struct report_row *row)
{
	return !strcmp(row->unit, "bytes");
}

static void print_fixed(char *out, double number, int decimals)
{
	struct text text;

	text_init(&text);
	text_add_fixed(&text, number, decimals);
	text_print(out, FIELD_MAX, "%s", text_string(&text));
	text_release(&text);
}

static void print_marks(char *out, unsigned marks)
{
	size_t n = 0;

	for (unsigned i = 0; i < MARK_COUNT; i++)
		if (marks & (1U << i))
			out[n++] = mark_table[i].ascii[0];
	out[n] = '\0';
}

static void print_field(const struct page *page, unsigned row, unsigned target, enum field field,
        char out[FIELD_MAX])
{
	static const enum metric metrics[FIELDS] = { METRIC_TIME, METRIC_FLUSH, METRIC_RATE,
		METRIC_CPU, METRIC_MACHINE, METRIC_TIME, METRIC_COUNT };
	const struct table_cell *cell = table_at(page->table, row, target);
	const struct table_value *value;
	double spread;

	out[0] = '\0';
	if (field == FIELD_MARKS) {
		print_marks(out, cell->marks);
		return;
	}
	if (field == FIELD_TIME && state_word(cell)) {
		text_print(out, FIELD_MAX, "%s", state_word(cell));
		return;
	}
	value = &cell->values[metrics[field]];
	/* Of what did not come to its end only the rate so far says something. */
	if (!value->is_known || (state_word(cell) && field != FIELD_RATE))
		return;
	if (field == FIELD_TIME || field == FIELD_FLUSH)
		units_format_seconds(out, value->median);
	else if (field == FIELD_RATE && counts_bytes(&page->view->report->rows[row]))
		units_format_bytes(out, value->median);
	else if (field == FIELD_RATE)
		units_format_number(out, value->median);
	else if (field != FIELD_SPREAD)
		print_fixed(out, value->median, 0);
	spread = table_spread_percent(value);
	if (field == FIELD_SPREAD && spread >= 0)
		print_fixed(out, spread, spread < 10 ? 1 : 0);
}

/* A flush inside the time is in it already, and does not stand beside. */
static bool shows_flush(const struct page *page, unsigned row)
{
	return strcmp(page->view->report->rows[row].flush, "inside") != 0;
}

/* Where targets run at once the machine's load belongs to none of them. */
static bool shows_machine(const struct page *page)
{
	return strcmp(page->view->report->schedule, "together") != 0 || page->table->n_targets < 2;
}

static bool shows_field(const struct page *page, unsigned row, int field)
{
	if (field == FIELD_MACHINE)
		return shows_machine(page);
	return field != FIELD_FLUSH || shows_flush(page, row);
}

static const char *line_name(const struct page *page, const struct table_line *line)
{
	return line->kind == LINE_FIGURE ? metric_table[line->metric].name
	                                 : page->view->report->rows[line->row].phase;
}

static void print_unit(const struct page *page, const struct table_line *line, char out[FIELD_MAX])
{
	const struct report_row *row = &page->view->report->rows[line->row];

	if (line->kind == LINE_FIGURE)
		text_print(out, FIELD_MAX, "%s",
		        line->metric == METRIC_FRAGMENTS ? metric_table[line->metric].unit : "");
	else
		text_print(out, FIELD_MAX, "%s/s", counts_bytes(row) ? "" : row->unit);
}

/* What a line says of a target: a figure stands where its row has the time. */
static void print_line(const struct page *page, const struct table_line *line, unsigned target,
        enum field field, char out[FIELD_MAX])
{
	const struct table_value *value;

	out[0] = '\0';
	if (line->kind == LINE_ROW && shows_field(page, line->row, field))
		print_field(page, line->row, target, field, out);
	value = &table_at(page->table, line->row, target)->values[line->metric];
	if (line->kind != LINE_FIGURE || field != FIELD_TIME || !value->is_known)
		return;
	if (line->metric == METRIC_SPACE)
		units_format_bytes(out, value->median);
	else
		print_fixed(out, value->median, 2);
}

static void widen(int *width, const char *text)
{
	int n = (int)strlen(text);

	if (n > *width)
		*width = n;
}

static void measure_fields(const struct page *page, struct layout *layout)
{
	char text[FIELD_MAX];

	for (unsigned i = 0; i < layout->n_lines; i++)
		for (unsigned target = 0; target < page->table->n_targets; target++)
			for (int field = 0; field < FIELDS; field++) {
				print_line(
				        page, &layout->lines[i], target, (enum field)field, text);
				widen(&layout->fields[field], text);
			}
}

/* Blanks before a column; marks stand close to the figures they are about. */
static int field_gap(int field)
{
	return field == FIELD_TIME || field == FIELD_MARKS ? 0 : 1;
}

static void measure_block(const struct page *page, struct layout *layout)
{
	char label[TARGET_LABEL_MAX];
	int widest = 0;

	for (int field = 0; field < FIELDS; field++) {
		/* Always there, so that the tables of one page look alike: all but these. */
		bool is_optional = field == FIELD_FLUSH || field == FIELD_SPREAD ||
		                   (field == FIELD_MACHINE && !shows_machine(page));

		if (!is_optional || layout->fields[field])
			widen(&layout->fields[field], field_headers[field]);
		if (layout->fields[field])
			layout->block += layout->fields[field] + field_gap(field);
	}
	for (unsigned i = 0; i < page->table->n_targets; i++)
		widen(&widest,
		        page_ascii(label, sizeof(label), page->view->report->targets[i].label));
	if (widest > LABEL_MAX)
		widest = LABEL_MAX;
	/* The first column takes what a long label needs. */
	if (widest > layout->block) {
		layout->fields[FIELD_TIME] += widest - layout->block;
		layout->block = widest;
	}
}

static void measure(const struct page *page, struct layout *layout)
{
	char unit[FIELD_MAX];
	int left;

	widen(&layout->phase, "phase");
	widen(&layout->unit, "unit");
	for (unsigned i = 0; i < layout->n_lines; i++) {
		widen(&layout->phase, line_name(page, &layout->lines[i]));
		print_unit(page, &layout->lines[i], unit);
		widen(&layout->unit, unit);
	}
	measure_fields(page, layout);
	measure_block(page, layout);
	left = page->columns - layout->phase - 1 - layout->unit;
	layout->per_line = left < layout->block + BLOCK_GAP
	                           ? 1
	                           : (unsigned)(left / (layout->block + BLOCK_GAP));
}

/* Blanks at the end of a line are cut off. */
static void end_line(struct text *out)
{
	while (out->length > 0 && out->data[out->length - 1] == ' ')
		out->data[--out->length] = '\0';
	text_add(out, "\n");
}

static void add_labels(
        const struct page *page, const struct layout *layout, unsigned first, unsigned end)
{
	char label[TARGET_LABEL_MAX];

	text_format(page->out, "%*s", layout->phase + 1 + layout->unit, "");
	for (unsigned i = first; i < end; i++)
		text_format(page->out, "%*s%-*.*s", BLOCK_GAP, "", layout->block, layout->block,
		        page_ascii(label, sizeof(label), page->view->report->targets[i].label));
	end_line(page->out);
	text_format(page->out, "%-*s %-*s", layout->phase, "phase", layout->unit, "unit");
	for (unsigned i = first; i < end; i++) {
		text_fill(page->out, ' ', BLOCK_GAP);
		for (int field = 0; field < FIELDS; field++) {
			if (!layout->fields[field])
				continue;
			text_format(page->out, "%*s%*s", field_gap(field), "",
			        layout->fields[field], field_headers[field]);
		}
	}
	end_line(page->out);
}

static void add_cell(const struct page *page, const struct layout *layout,
        const struct table_line *line, unsigned target)
{
	char text[FIELD_MAX];

	text_fill(page->out, ' ', BLOCK_GAP);
	for (int field = 0; field < FIELDS; field++) {
		int width = layout->fields[field];

		if (!width)
			continue;
		print_line(page, line, target, (enum field)field, text);
		text_format(page->out, "%*s%*s", field_gap(field), "",
		        field == FIELD_MARKS ? -width : width, text);
	}
}

static void add_block(
        const struct page *page, const struct layout *layout, unsigned first, unsigned end)
{
	char unit[FIELD_MAX];

	add_labels(page, layout, first, end);
	for (unsigned i = 0; i < layout->n_lines; i++) {
		const struct table_line *line = &layout->lines[i];

		print_unit(page, line, unit);
		text_format(page->out, "%-*s %-*s", layout->phase, line_name(page, line),
		        layout->unit, unit);
		for (unsigned target = first; target < end; target++)
			add_cell(page, layout, line, target);
		end_line(page->out);
	}
}

static void add_heading(const struct page *page, const struct report_row *row)
{
	struct text line;

	text_init(&line);
	text_add(&line, row->workload);
	text_add(&line, row->set[0] ? " " : "");
	page_add_ascii(&line, row->set);
	if (row->title[0]) {
		text_add(&line, ": ");
		page_add_ascii(&line, row->title);
	}
	if (row->flush[0])
		text_format(&line, "; flush %s%s", row->flush,
		        strcmp(row->flush, "none") ? " the time" : "");
	text_add(page->out, "\n");
	page_add_wrapped(page, 0, text_string(&line));
	text_release(&line);
}

/* @lines begins with the heading of the set. */
static void add_set(const struct page *page, const struct table_line *lines, unsigned n_lines)
{
	struct layout layout = { .lines = lines + 1, .n_lines = n_lines - 1 };
	unsigned n_targets = page->table->n_targets;

	measure(page, &layout);
	add_heading(page, &page->view->report->rows[lines[0].row]);
	for (unsigned first = 0; first < n_targets; first += layout.per_line) {
		unsigned end = first + layout.per_line;

		if (first > 0)
			text_add(page->out, "\n");
		add_block(page, &layout, first, end < n_targets ? end : n_targets);
	}
}

static void add_sets(const struct page *page)
{
	const struct table *table = page->table;
	unsigned line = 0;

	while (line < table->n_lines) {
		unsigned end = line + 1;

		while (end < table->n_lines && table->lines[end].kind != LINE_HEADING)
			end++;
		add_set(page, &table->lines[line], end - line);
		line = end;
	}
}

static void add_failure(const struct page *page, const struct result *result)
{
	const struct report *report = page->view->report;
	const struct report_row *row = &report->rows[result->row];
	struct text line;

	text_init(&line);
	page_add_ascii(&line, report->targets[result->target].label);
	text_format(&line, ", %s %s%s%s, round %u: ", row->workload, row->set,
	        row->set[0] ? " " : "", row->phase, result->round);
	page_add_ascii(&line, result->error_operation);
	text_add(&line, result->error_operation[0] && result->error_path[0] ? " " : "");
	page_add_ascii(&line, result->error_path);
	text_add(&line, result->error_operation[0] || result->error_path[0] ? ": " : "");
	page_add_ascii(&line, result->error_text[0] ? result->error_text
	                      : result->error_errno ? strerror(result->error_errno)
	                                            : "no more is known");
	text_format(page->out, "%s ",
	        result_marks(result) & MARK_NO_SPACE ? mark_table[0].ascii : mark_table[1].ascii);
	page_add_wrapped(page, 2, text_string(&line));
	text_release(&line);
}

static bool has_figures(const struct table *table)
{
	for (unsigned line = 0; line < table->n_lines; line++)
		if (table->lines[line].kind == LINE_FIGURE)
			return true;
	return false;
}

static void add_footnotes(const struct page *page)
{
	unsigned marks = table_marks(page->table);

	text_add(page->out, "\n");
	page_add_wrapped(page, 0,
	        "time, flush, rate, cpu, all: medians over the rounds. cpu: user and system "
	        "time of "
	        "the workers in percent, 100 is one core. all: busy share of the whole machine, "
	        "with the "
	        "kernel's own threads. flush: sync of the target after a phase, beside the time.");
	if (has_figures(page->table))
		page_add_wrapped(page, 0,
		        "space: used against before the set. fragments: extents of a file over 16 "
		        "KiB, mean of a sample of at most 5000. Both after the phase's flush.");
	if (page->view->report->rounds >= ROUNDS_MIN)
		page_add_wrapped(page, 0,
		        "+-%: half of the spread of the times (lowest to highest; from 6 rounds on "
		        "the quartiles), in percent of the median.");
	for (unsigned i = 0; i < MARK_COUNT; i++)
		if (marks & (1U << i))
			text_format(page->out, "%s %s\n", mark_table[i].ascii, mark_table[i].help);
	for (size_t i = 0; i < page->view->n_results; i++)
		if (result_has_error(page->view->results[i]))
			add_failure(page, page->view->results[i]);
}

void export_text_table(struct text *out, const struct report_view *view, const struct table *table,
        unsigned columns)
{
	struct page page = { view, table, out,
		columns > 0 && columns < 10000 ? (int)columns : TEXT_COLUMNS };

	page_add_head(&page);
	add_sets(&page);
	add_footnotes(&page);
}

int export_text(const struct report_view *view, const struct table *table,
        struct export_part *parts, struct error *err)
{
	export_text_table(&parts[0].text, view, table, TEXT_COLUMNS);
	return parts[0].text.failed ? error_errno(err, -ENOMEM, "txt") : 1;
}
