/*
 * The rows of the race: what is done, what runs, what will come. Main thread only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "core/units.h"
#include "ui/parts.h"

enum { FIELD_TEXT_MAX = 48, FIGURE_INDENT = 5 };

/* One cell with what is live in it. */
struct cell_context {
	const struct canvas *canvas;
	const struct frame *frame;
	const struct table_cell *cell;
	const struct board_target *live; /* NULL: this cell does not run now */
	const struct report_row *row;
	unsigned row_index, target;
};

static const enum metric overview[] = { METRIC_TIME, METRIC_RATE, METRIC_CPU };

char *rate_unit_print(char *out, size_t size, const char *unit)
{
	return text_print(out, size, "%s/s", unit);
}

static char *print_number(char out[32], double value)
{
	return text_print(out, 32, "%ld", lround(fmax(fmin(value, 1e15), -1e15)));
}

static char *print_hundredths(char out[32], double value)
{
	long hundredths = lround(fmax(fmin(value, 1e12), 0) * 100);

	return text_print(out, 32, "%ld.%02ld", hundredths / 100, hundredths % 100);
}

char *value_print(char out[32], enum metric metric, const char *unit, double value)
{
	switch (metric) {
	case METRIC_TIME:
	case METRIC_FLUSH:
		return units_format_seconds(out, value);
	case METRIC_RATE:
		return strcmp(unit, "bytes") == 0 ? units_format_bytes(out, value)
		                                  : units_format_number(out, value);
	case METRIC_P99:
		return units_format_latency(out, value > 0 ? (uint64_t)value : 0);
	case METRIC_BYTES_RATE:
	case METRIC_SPACE:
		return units_format_bytes(out, value);
	case METRIC_FRAGMENTS:
		return print_hundredths(out, value);
	case METRIC_CPU:
	case METRIC_MACHINE:
	case METRIC_COUNT:
		break;
	}
	return print_number(out, value);
}

/* The figure of a running phase; false: it has none yet. */
static bool live_value(const struct board_target *live, enum metric metric, double *value)
{
	switch (metric) {
	case METRIC_TIME:
		*value = live->elapsed_s;
		return true;
	case METRIC_RATE:
		*value = live->mean_rate;
		return live->elapsed_s > 0;
	case METRIC_CPU:
		*value = live->cpu_percent;
		return *value >= 0;
	case METRIC_MACHINE:
		*value = live->machine_percent;
		return *value >= 0;
	case METRIC_P99:
		*value = (double)live->p99_ns;
		return live->p99_ns > 0;
	case METRIC_BYTES_RATE:
		*value = live->bytes_per_s;
		return true;
	case METRIC_FLUSH:
	case METRIC_SPACE:
	case METRIC_FRAGMENTS:
	case METRIC_COUNT:
		break;
	}
	return false;
}

static void print_metric(
        char out[FIELD_TEXT_MAX], const struct cell_context *context, enum metric metric)
{
	const struct table_value *value = &context->cell->values[metric];
	char text[32];
	double number;

	out[0] = '\0';
	if (context->live != NULL) {
		if (live_value(context->live, metric, &number))
			text_print(out, FIELD_TEXT_MAX, "%s",
			        value_print(text, metric, context->row->unit, number));
	} else if (value->is_known) {
		text_print(out, FIELD_TEXT_MAX, "%s",
		        value_print(text, metric, context->row->unit, value->median));
	}
}

static void print_spread(
        char out[FIELD_TEXT_MAX], const struct cell_context *context, enum metric metric)
{
	double spread = table_spread_percent(&context->cell->values[metric]);

	out[0] = '\0';
	if (context->live != NULL)
		text_print(out, FIELD_TEXT_MAX, "%s", context->canvas->glyphs->ellipsis);
	else if (spread >= 0)
		text_print(out, FIELD_TEXT_MAX, "%ld%%", lround(fmin(spread, 999)));
}

/* Of this target's median to the first target's. */
static void print_ratio(
        char out[FIELD_TEXT_MAX], const struct cell_context *context, enum metric metric)
{
	const struct table_cell *base = table_at(context->frame->table, context->row_index, 0);
	const struct table_value *a = &base->values[metric], *b = &context->cell->values[metric];
	long hundredths;

	out[0] = '\0';
	if (context->live != NULL || !a->is_known || !b->is_known || !(a->median > 0))
		return;
	hundredths = lround(fmin(b->median / a->median, 9999) * 100);
	text_print(out, FIELD_TEXT_MAX, "%ld.%02ld%s", hundredths / 100, labs(hundredths % 100),
	        context->canvas->glyphs->times);
}

static void print_field(
        char out[FIELD_TEXT_MAX], const struct cell_context *context, unsigned field)
{
	unsigned chosen = context->frame->view->metric;

	if (chosen == 0 && field < sizeof(overview) / sizeof(overview[0]))
		print_metric(out, context, overview[field]);
	else if (chosen == 0)
		print_spread(out, context, METRIC_TIME);
	else if (field == 0)
		print_metric(out, context, (enum metric)(chosen - 1));
	else if (field == 1)
		print_ratio(out, context, (enum metric)(chosen - 1));
	else
		print_spread(out, context, (enum metric)(chosen - 1));
}

static const char *field_header(const struct canvas *canvas, unsigned chosen, unsigned field)
{
	if (chosen == 0 && field < sizeof(overview) / sizeof(overview[0]))
		return metric_table[overview[field]].header;
	if (chosen != 0 && field == 0)
		return metric_table[chosen - 1].header;
	if (chosen != 0 && field == 1)
		return "ratio";
	return canvas->glyphs->spread;
}

static void draw_mark(const struct cell_context *context, int y, struct span span)
{
	const struct glyphs *glyphs = context->canvas->glyphs;
	unsigned shown = 0;
	char text[16] = "";

	if (context->live != NULL) {
		canvas_put(context->canvas, y, span, ROLE_LIVE, glyphs->live);
		return;
	}
	for (unsigned bit = 0; bit < MARK_COUNT && shown < 2; bit++) {
		if ((context->cell->marks & 1U << bit) == 0)
			continue;
		strcat(text, mark_glyph(glyphs, bit)); /* two glyphs of at most 4 bytes */
		shown++;
	}
	if (shown > 0)
		canvas_put(context->canvas, y, span, ROLE_MARK, text);
}

/* The word instead of figures, or NULL. */
static const char *cell_word(const struct cell_context *context)
{
	const struct table_cell *cell = context->cell;

	if (context->live != NULL)
		return NULL;
	if (cell->state == CELL_SKIPPED)
		return "skipped";
	if (cell->state != CELL_FAILED)
		return NULL;
	if ((cell->marks & MARK_NO_SPACE) != 0)
		return "no space";
	if ((cell->marks & MARK_ERROR) != 0)
		return "error";
	return cell->last != NULL ? result_status_name(cell->last->status) : "failed";
}

static void draw_cell(
        const struct cell_context *context, const struct layout *layout, int y, struct span span)
{
	const struct view *view = context->frame->view;
	bool is_chosen = view->row == context->row_index && view->column == context->target;
	int role = context->live != NULL ? ROLE_LIVE : ROLE_TEXT,
	    flag = is_chosen ? ROLE_CURSOR : 0;
	const char *word = cell_word(context);
	char text[FIELD_TEXT_MAX];

	canvas_put(context->canvas, y, span, ROLE_TEXT | flag, "");
	if (layout->mark.width > 0)
		draw_mark(context, y, (struct span){ span.x, layout->mark.width });
	if (word != NULL) {
		struct span rest = { span.x + layout->mark.width + 1,
			span.width - layout->mark.width - 1 };

		role = context->cell->state == CELL_SKIPPED ? ROLE_DIM : ROLE_WARNING;
		canvas_put(context->canvas, y, rest, role | flag, word);
		return;
	}
	for (unsigned field = 0; field < layout->n_fields; field++) {
		struct span at = layout->fields[field];

		print_field(text, context, field);
		if (text[0] == '\0')
			continue;
		at.x += span.x + 1;
		at.width--;
		canvas_put_right(context->canvas, y, at, role | flag, text);
	}
}

/* The lane's live state when it runs exactly this row. */
static const struct board_target *live_in(const struct frame *frame, unsigned row, unsigned target)
{
	const struct board_target *live;

	if (target >= frame->board->n_targets)
		return NULL;
	live = &frame->board->targets[target];
	if (live->row < 0 || (unsigned)live->row != row)
		return NULL;
	return live->state == LANE_RUNNING || live->state == LANE_PAUSED ||
	                       live->state == LANE_PAUSING || live->state == LANE_FLUSHING ||
	                       live->state == LANE_LOST
	               ? live
	               : NULL;
}

static void draw_row_label(const struct canvas *canvas, const struct frame *frame,
        const struct layout *layout, unsigned row, int y)
{
	const struct report_row *info = &frame->report->rows[row];
	bool is_running = false, is_done = false;
	struct span span = layout->label, right;
	char unit[32], text[64];
	int role, width;

	for (unsigned t = 0; t < frame->table->n_targets; t++) {
		is_running = is_running || live_in(frame, row, t) != NULL;
		is_done = is_done || table_at(frame->table, row, t)->n_rounds > 0;
	}
	role = is_running ? ROLE_LIVE : is_done ? ROLE_TEXT : ROLE_DIM;
	text_print(text, sizeof(text), " %s %s", is_running ? canvas->glyphs->cursor_row : " ",
	        info->phase);
	rate_unit_print(unit, sizeof(unit), info->unit);
	width = widget_width(canvas->glyphs, unit);
	canvas_put(canvas, y, span, role, text);
	right = (struct span){ span.x + span.width - width, width };
	if (widget_width(canvas->glyphs, text) + 1 + width <= span.width)
		canvas_put(canvas, y, right, ROLE_DIM, unit);
}

static void draw_heading(
        const struct canvas *canvas, const struct frame *frame, unsigned row, int y)
{
	const struct report_row *info = &frame->report->rows[row];
	struct span line = { 1, getmaxx(canvas->window) - 1 };
	char safe[160];

	line = canvas_add(canvas, y, line, ROLE_TITLE, info->workload);
	text_sanitize(safe, sizeof(safe), info->title[0] != '\0' ? info->title : info->set);
	line.x += 2;
	line.width -= 2;
	canvas_put(canvas, y, line, ROLE_DIM, safe);
}

static void draw_header(
        const struct canvas *canvas, const struct frame *frame, const struct layout *layout)
{
	unsigned chosen = frame->view->metric;
	char text[64];

	text_print(text, sizeof(text), " phase%s%s", chosen > 0 ? ": " : "",
	        chosen > 0 ? metric_table[chosen - 1].header : "");
	canvas_put(canvas, layout->header_y, layout->label, ROLE_DIM, text);
	for (unsigned i = 0; i < layout->n_shown; i++) {
		for (unsigned field = 0; field < layout->n_fields; field++) {
			struct span at = layout->fields[field];

			at.x += layout->targets[i].x + 1;
			at.width--;
			canvas_put_right(canvas, layout->header_y, at, ROLE_DIM,
			        field_header(canvas, chosen, field));
		}
	}
}

static void draw_row(const struct canvas *canvas, const struct frame *frame,
        const struct layout *layout, unsigned row, int y)
{
	draw_row_label(canvas, frame, layout, row, y);
	for (unsigned i = 0; i < layout->n_shown; i++) {
		unsigned target = layout->first_column + i;
		struct cell_context context = {
			.canvas = canvas,
			.frame = frame,
			.cell = table_at(frame->table, row, target),
			.live = live_in(frame, row, target),
			.row = &frame->report->rows[row],
			.row_index = row,
			.target = target,
		};

		draw_cell(&context, layout, y, layout->targets[i]);
	}
}

/* A figure stands where its row has the time. */
static void draw_figure(const struct canvas *canvas, const struct frame *frame,
        const struct layout *layout, const struct table_line *line, int y)
{
	const struct metric_info *info = &metric_table[line->metric];
	int end = layout->n_fields > 0 ? layout->fields[0].x + layout->fields[0].width : 0;
	char text[64], number[32];
	bool has_unit = line->metric == METRIC_FRAGMENTS &&
	                FIGURE_INDENT + (int)(strlen(info->name) + strlen(info->unit)) <=
	                        layout->label.width;

	text_print(text, sizeof(text), "%*s%s%s", FIGURE_INDENT, "", info->name,
	        has_unit ? info->unit : "");
	canvas_put(canvas, y, layout->label, ROLE_DIM, text);
	for (unsigned i = 0; i < layout->n_shown && end > 0; i++) {
		const struct table_cell *cell =
		        table_at(frame->table, line->row, layout->first_column + i);
		const struct table_value *value = &cell->values[line->metric];
		struct span at = { layout->targets[i].x, end };

		if (value->is_known)
			canvas_put_right(canvas, y, at, ROLE_DIM,
			        value_print(number, line->metric, "", value->median));
	}
}

void race_table_draw(
        const struct canvas *canvas, const struct frame *frame, const struct layout *layout)
{
	const struct table *table = frame->table;

	draw_header(canvas, frame, layout);
	for (unsigned i = 0; i < layout->n_lines && layout->first_line + i < table->n_lines; i++) {
		const struct table_line *line = &table->lines[layout->first_line + i];
		int y = layout->table_y + (int)i;

		if (line->kind == LINE_HEADING)
			draw_heading(canvas, frame, line->row, y);
		else if (line->kind == LINE_ROW)
			draw_row(canvas, frame, layout, line->row, y);
		else
			draw_figure(canvas, frame, layout, line, y);
	}
}
