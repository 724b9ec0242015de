/*
 * The page of Enter: everything about one cell. Main thread only.
 */
#include <math.h>

#include "core/text.h"
#include "core/units.h"
#include "ui/parts.h"

static bool is_of_cell(const struct result *result, const struct view *view)
{
	return result->row == view->row && result->target == view->column;
}

/* Value or a dash. */
static const char *or_dash(const struct pager *pager, bool is_known, const char *text)
{
	return is_known ? text : pager->canvas->glyphs->dash;
}

static void percent_print(char out[32], double percent)
{
	text_print(out, 32, "%ld", percent >= 0 ? lround(fmin(percent, 1e6)) : -1L);
}

static void add_round(struct pager *pager, const struct result *result, const char *unit)
{
	char wall[32], rate[32], cpu[32], all[32], flush[32], marks[128] = "";
	double per_second = result_rate(result);
	size_t length = 0;

	if (!result->was_started) {
		pager_format(pager, ROLE_DIM, "  %5u  %-9s", result->round,
		        result_status_name(result->status));
		return;
	}
	for (unsigned bit = 0; bit < MARK_COUNT; bit++)
		if ((result->marks & 1U << bit) != 0)
			length += (size_t)snprintf(marks + length, sizeof(marks) - length, " %s",
			        mark_table[bit].word);
	percent_print(cpu, result->cpu_percent);
	percent_print(all, result->machine_percent);
	pager_format(pager, ROLE_TEXT, "  %5u  %-9s %9s %9s %5s %5s %9s %s", result->round,
	        result_status_name(result->status), units_format_seconds(wall, result->wall_s),
	        or_dash(pager, per_second >= 0, value_print(rate, METRIC_RATE, unit, per_second)),
	        or_dash(pager, result->cpu_percent >= 0, cpu),
	        or_dash(pager, result->machine_percent >= 0, all),
	        or_dash(pager, result->flush_s >= 0, units_format_seconds(flush, result->flush_s)),
	        marks);
}

static void add_rounds(struct pager *pager, const struct frame *frame, const char *unit)
{
	char rate[32];
	bool has_any = false;

	pager_format(pager, ROLE_TITLE, "%7s  %-9s %9s %9s %5s %5s %9s %s", "round", "status",
	        "time", rate_unit_print(rate, sizeof(rate), unit), "cpu", "all", "flush", " marks");
	for (size_t i = 0; i < frame->results->n_results; i++) {
		if (!is_of_cell(frame->results->results[i], frame->view))
			continue;
		add_round(pager, frame->results->results[i], unit);
		has_any = true;
	}
	if (!has_any)
		pager_line(pager, ROLE_DIM, "  nothing measured yet");
}

static void add_operations(struct pager *pager, const struct result *result)
{
	pager_format(pager, ROLE_TITLE, "  %-10s %12s %9s %7s %8s %8s %8s %8s", "operation",
	        "count", "per s", "errors", "p50", "p90", "p99", "max");
	for (unsigned i = 0; i < result->n_operations; i++) {
		const struct result_operation *operation = &result->operations[i];
		char count[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX], values[4][UNITS_TEXT_MAX];
		const struct histogram *latency = operation->latency;

		for (int p = 0; p < 4; p++) {
			uint64_t ns = 0;
			bool is_known = false;

			/* Blank where too few operations make a percentile. */
			if (p < 3)
				is_known = result_percentile(latency, &result_quantiles[p], &ns);
			else if (latency != NULL && operation->count > 0)
				ns = histogram_load(&latency->max_ns);
			text_print(values[p], UNITS_TEXT_MAX, "%s", pager->canvas->glyphs->dash);
			if (is_known || ns > 0)
				units_format_latency(values[p], ns);
		}
		pager_format(pager, ROLE_TEXT, "  %-10s %12s %9s %7lu %8s %8s %8s %8s",
		        operation->name, units_format_grouped(count, operation->count),
		        result->wall_s > 0 ? units_format_number(rate,
		                                     (double)operation->count / result->wall_s)
		                           : pager->canvas->glyphs->dash,
		        (unsigned long)operation->errors, values[0], values[1], values[2],
		        values[3]);
	}
}

static void add_error(struct pager *pager, const struct result *result)
{
	char path[256], text[512];

	text_sanitize(path, sizeof(path), result->error_path);
	text_sanitize(text, sizeof(text), result->error_text);
	pager_line(pager, ROLE_TEXT, "");
	pager_format(pager, ROLE_WARNING, "error in round %u: %s %s", result->round,
	        result->error_operation != NULL ? result->error_operation : "", path);
	pager_format(pager, ROLE_WARNING, "  %s", text);
}

static void add_marks(struct pager *pager, unsigned marks)
{
	if (marks == 0)
		return;
	pager_line(pager, ROLE_TEXT, "");
	for (unsigned bit = 0; bit < MARK_COUNT; bit++)
		if ((marks & 1U << bit) != 0)
			pager_format(pager, ROLE_TEXT, "  %s %s: %s",
			        mark_glyph(pager->canvas->glyphs, bit), mark_table[bit].word,
			        mark_table[bit].help);
}

static void add_device(struct pager *pager, const struct result *result)
{
	char read[UNITS_TEXT_MAX], written[UNITS_TEXT_MAX], work[UNITS_TEXT_MAX], name[64];

	units_format_bytes(work, (double)result->bytes);
	pager_format(pager, ROLE_TEXT,
	        "  last round moved %s of file data, %u worker%s, caches: %s", work,
	        result->workers, result->workers == 1 ? "" : "s",
	        result->cold_method != NULL ? result->cold_method : "none");
	if (!result->nearest.is_known)
		return;
	text_sanitize(name, sizeof(name), result->nearest.names);
	pager_format(pager, ROLE_TEXT, "  device %s: read %s, written %s", name,
	        units_format_bytes(read, (double)result->nearest.stats.read_bytes),
	        units_format_bytes(written, (double)result->nearest.stats.written_bytes));
}

void cell_draw(struct pager *pager, const struct frame *frame)
{
	const struct view *view = frame->view;
	const struct table_cell *cell;
	const struct report_row *row;
	char label[TARGET_LABEL_MAX], path[PATH_MAX];

	if (view->row >= frame->table->n_rows || view->column >= frame->table->n_targets) {
		pager_line(pager, ROLE_DIM, "no cell");
		return;
	}
	row = &frame->report->rows[view->row];
	cell = table_at(frame->table, view->row, view->column);
	text_sanitize(label, sizeof(label), frame->report->targets[view->column].label);
	text_sanitize(path, sizeof(path), frame->report->targets[view->column].path);
	pager_format(pager, ROLE_TITLE, "%s  %.200s", label, path);
	pager_format(pager, ROLE_TITLE, "%s %s, phase %s", row->workload, row->title, row->phase);
	pager_line(pager, ROLE_TEXT, "");
	add_rounds(pager, frame, row->unit);
	pager_line(pager, ROLE_TEXT, "");
	if (cell->last != NULL && cell->last->was_started) {
		add_operations(pager, cell->last);
		pager_line(pager, ROLE_TEXT, "");
		add_device(pager, cell->last);
	}
	add_marks(pager, cell->marks);
	if (cell->failed != NULL)
		add_error(pager, cell->failed);
}
