/*
 * What a target does now: the pane at the top of its column, or its line in a small window.
 * Main thread only.
 */
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "core/units.h"
#include "engine/op.h"
#include "ui/parts.h"

enum {
	TEXT_MAX = 600,
	SPARK_MIN = 4,
	ROOMY = 24,        /* cells from which on figures get a steady width */
	LATENCY_CELLS = 7, /* "88.0ms" and a blank */
};

struct pane_context {
	const struct canvas *canvas;
	const struct frame *frame;
	const struct board_target *live;
	const struct target *target;
	unsigned index;
};

struct lane_look {
	const char *glyph, *ascii;
	int role;
};

static const struct lane_look lane_looks[LANE_STATES] = {
	[LANE_WAITING] = { "◌", ".", ROLE_DIM },
	[LANE_SETUP] = { "○", "o", ROLE_TEXT },
	[LANE_SETTLING] = { "○", "o", ROLE_TEXT },
	[LANE_RUNNING] = { "●", "*", ROLE_RUNNING },
	[LANE_PAUSED] = { "‖", "=", ROLE_PAUSED },
	[LANE_PAUSING] = { "‖", "=", ROLE_PAUSED },
	[LANE_FLUSHING] = { "▾", "v", ROLE_RUNNING },
	[LANE_CLEANING] = { "▿", "v", ROLE_TEXT },
	[LANE_DONE] = { "■", "+", ROLE_GOOD },
	[LANE_FAILED] = { "✗", "!", ROLE_WARNING },
	[LANE_LOST] = { "✗", "!", ROLE_ERROR },
};

static const char *const pane_names[PANES] = {
	[PANE_LABEL] = "",
	[PANE_PATH] = "",
	[PANE_RATE] = "throughput",
	[PANE_LATENCY] = "latency p50 p99 max",
	[PANE_CPU] = "cpu / all",
	[PANE_DEVICE] = "device util, write",
	[PANE_PROGRESS] = "progress",
};

static const char *const pane_names_short[PANES] = {
	[PANE_LABEL] = "",
	[PANE_PATH] = "",
	[PANE_RATE] = "throughput",
	[PANE_LATENCY] = "p50 p99 max",
	[PANE_CPU] = "cpu / all",
	[PANE_DEVICE] = "device, write",
	[PANE_PROGRESS] = "progress",
};

static const struct report_row *row_of(const struct pane_context *pane)
{
	int row = pane->live->row;

	return row >= 0 && (unsigned)row < pane->frame->report->n_rows
	               ? &pane->frame->report->rows[row]
	               : NULL;
}

static bool is_active(const struct board_target *live)
{
	return live->state == LANE_RUNNING || live->state == LANE_PAUSED ||
	       live->state == LANE_PAUSING || live->state == LANE_FLUSHING ||
	       live->state == LANE_LOST;
}

static int series_role(const struct pane_context *pane)
{
	return ROLE_SERIES1 + (int)(pane->index % ROLE_SERIES);
}

static void print_state(char *out, size_t size, const struct pane_context *pane)
{
	static const char *const places[] = { "", "next", "2nd", "3rd" };
	const struct lane_look *look = &lane_looks[pane->live->state];
	const char *glyph = pane->canvas->glyphs->level == GLYPHS_FULL ? look->glyph : look->ascii;
	unsigned place = pane->live->place;

	if (pane->live->state != LANE_WAITING || place == 0)
		text_print(out, size, "%s %s", glyph, lane_state_name(pane->live->state));
	else if (place < sizeof(places) / sizeof(places[0]))
		text_print(out, size, "%s %s", glyph, places[place]);
	else
		text_print(out, size, "%s %uth", glyph, place);
}

static void draw_label(const struct pane_context *pane, int y, struct span span)
{
	const struct lane_look *look = &lane_looks[pane->live->state];
	bool is_chosen = pane->frame->view->column == pane->index;
	char state[48], label[TARGET_LABEL_MAX];
	int width;

	print_state(state, sizeof(state), pane);
	width = widget_width(pane->canvas->glyphs, state);
	span = canvas_add(pane->canvas, y, span, series_role(pane), pane->canvas->glyphs->flag);
	if (span.width - width >= 4) {
		struct span right = { span.x + span.width - width - 1, width };

		canvas_put(pane->canvas, y, right, look->role, state);
		span.width -= width + 2;
	}
	text_sanitize(label, sizeof(label), pane->target->label);
	if (is_chosen)
		canvas_add(pane->canvas, y, span, ROLE_LABEL | ROLE_CURSOR, label);
	else
		canvas_add(pane->canvas, y, span, ROLE_LABEL, label);
}

static void draw_path(const struct pane_context *pane, int y, struct span span)
{
	char about[256], text[TEXT_MAX], safe[TEXT_MAX];

	target_describe(pane->target, about, sizeof(about));
	text_print(text, sizeof(text), "%.300s  %s", pane->target->path, about);
	text_sanitize(safe, sizeof(safe), text);
	canvas_put(pane->canvas, y, span, ROLE_DIM, safe);
}

/* @is_short: without the unit, which the row's label tells as well. */
static void print_rate(char *out, size_t size, const struct pane_context *pane, bool is_short)
{
	const struct report_row *row = row_of(pane);
	char number[32], unit[32];

	if (row == NULL || !is_active(pane->live)) {
		text_print(out, size, "%s", pane->canvas->glyphs->dash);
		return;
	}
	value_print(number, METRIC_RATE, row->unit, pane->live->rate);
	if (is_short || strcmp(row->unit, "bytes") == 0)
		text_print(out, size, "%s/s", number);
	else
		text_print(
		        out, size, "%s %s", number, rate_unit_print(unit, sizeof(unit), row->unit));
}

static void draw_rate(const struct pane_context *pane, int y, struct span span)
{
	char text[80], spark[4 * 300 + 1];
	int width, cells;

	print_rate(text, sizeof(text), pane, false);
	width = widget_width(pane->canvas->glyphs, text);
	if (width + SPARK_MIN + 2 > span.width) {
		print_rate(text, sizeof(text), pane, true);
		width = widget_width(pane->canvas->glyphs, text);
	}
	/* A steady width, so that the sparkline does not jump with the digits. */
	if (width < (span.width < ROOMY ? 10 : 14))
		width = span.width < ROOMY ? 10 : 14;
	cells = span.width - width - 2;
	if (cells > 0) {
		int n = (int)pane->live->n_history;

		spark_print(spark, sizeof(spark), &pane->canvas->glyphs->spark, pane->live->history,
		        (struct span){ n < BOARD_HISTORY ? n : BOARD_HISTORY, cells });
		canvas_put(
		        pane->canvas, y, (struct span){ span.x, cells }, series_role(pane), spark);
		span.x += cells;
		span.width -= cells;
	}
	canvas_put_right(pane->canvas, y, (struct span){ span.x, span.width - 1 }, ROLE_TEXT, text);
}

/* p50 and p99 fit always, the maximum not. */
static bool has_three_latencies(int width)
{
	return (width - 1) / 3 >= LATENCY_CELLS;
}

static void draw_latency(const struct pane_context *pane, int y, struct span span)
{
	const uint64_t values[3] = { pane->live->p50_ns, pane->live->p99_ns, pane->live->max_ns };
	int n = has_three_latencies(span.width) ? 3 : 2, width = (span.width - 1) / n;
	char text[UNITS_TEXT_MAX];

	for (int i = 0; i < n; i++) {
		bool is_known = is_active(pane->live) && values[i] > 0;

		canvas_put_right(pane->canvas, y, (struct span){ span.x + i * width, width },
		        is_known ? ROLE_TEXT : ROLE_DIM,
		        is_known ? units_format_latency(text, values[i])
		                 : pane->canvas->glyphs->dash);
	}
}

/* A bar on the left and @text on the right. */
static void draw_bar(
        const struct pane_context *pane, int y, struct span span, double share, const char *text)
{
	char bar[4 * 300 + 1];
	int width = widget_width(pane->canvas->glyphs, text), cells;

	if (width < (span.width < ROOMY ? 9 : 13))
		width = span.width < ROOMY ? 9 : 13;
	cells = span.width - width - 2;
	if (cells >= 2) {
		bar_print(bar, sizeof(bar), pane->canvas->glyphs, share, cells);
		canvas_put(pane->canvas, y, (struct span){ span.x, cells }, ROLE_BAR, bar);
		span.x += cells;
		span.width -= cells;
	}
	canvas_put_right(pane->canvas, y, (struct span){ span.x, span.width - 1 }, ROLE_TEXT, text);
}

static void print_percent(char *out, size_t size, const struct glyphs *glyphs, double percent)
{
	if (!(percent >= 0))
		text_print(out, size, "%s", glyphs->dash);
	else
		text_print(out, size, "%ld", lround(fmin(percent, 1e6)));
}

static void draw_cpu(const struct pane_context *pane, int y, struct span span)
{
	const struct glyphs *glyphs = pane->canvas->glyphs;
	char cpu[16], all[16], text[48];

	if (!is_active(pane->live)) {
		canvas_put_right(pane->canvas, y, (struct span){ span.x, span.width - 1 }, ROLE_DIM,
		        glyphs->dash);
		return;
	}
	print_percent(cpu, sizeof(cpu), glyphs, pane->live->cpu_percent);
	print_percent(all, sizeof(all), glyphs, pane->live->machine_percent);
	text_print(text, sizeof(text), "%s / %s%%", cpu, all);
	draw_bar(pane, y, span, pane->live->cpu_percent / 100, text);
}

static void draw_device(const struct pane_context *pane, int y, struct span span)
{
	const struct glyphs *glyphs = pane->canvas->glyphs;
	double amplification = pane->live->write_amplification;
	char util[16], text[64], writes[32];

	if (!is_active(pane->live)) {
		canvas_put_right(pane->canvas, y, (struct span){ span.x, span.width - 1 }, ROLE_DIM,
		        glyphs->dash);
		return;
	}
	print_percent(util, sizeof(util), glyphs, pane->live->util_percent);
	if (amplification >= 0)
		text_print(writes, sizeof(writes), "%ld.%02ld%s",
		        lround(fmin(amplification, 1e4) * 100) / 100,
		        lround(fmin(amplification, 1e4) * 100) % 100, glyphs->times);
	else
		text_print(writes, sizeof(writes), "%s", glyphs->dash);
	text_print(text, sizeof(text), "%s%%  %s", util, writes);
	draw_bar(pane, y, span, pane->live->util_percent / 100, text);
}

/* Which call has not come back, and since when. */
static void print_stuck(char *out, size_t size, const struct board_target *live, const char *path)
{
	const char *call = op_name((enum op_kind)live->stuck_op);
	long seconds = lround(fmax(0, fmin(live->stuck_s, 1e7)));

	if (live->state == LANE_LOST)
		text_print(out, size, "no answer for %ld s: %s %s", seconds, call, path);
	else
		text_print(out, size, "%s hangs %ld s: %s", call, seconds, path);
}

/* What stands where the progress would: the reason why there is none. False: there is. */
static bool print_reason(char *out, size_t size, const struct pane_context *pane)
{
	const struct board_target *live = pane->live;
	char label[TARGET_LABEL_MAX], path[BOARD_PATH];

	if (live->stuck_op >= 0 && live->stuck_op < OP_KINDS) {
		text_sanitize(path, sizeof(path), live->stuck_path);
		print_stuck(out, size, live, path);
	} else if (live->state == LANE_LOST) {
		text_print(out, size, "no answer");
	} else if (live->state == LANE_WAITING && live->waits_for >= 0 &&
	           (unsigned)live->waits_for < pane->frame->report->n_targets) {
		text_sanitize(
		        label, sizeof(label), pane->frame->report->targets[live->waits_for].label);
		text_print(out, size, "waits for %s", label);
	} else if (live->state == LANE_SETTLING) {
		text_print(out, size, "waits for quiet devices");
	} else if (live->state == LANE_FAILED) {
		text_print(out, size, "left out: Enter tells why");
	} else if (is_active(live) || live->state == LANE_CLEANING) {
		return false;
	} else {
		text_print(out, size, "%s", pane->canvas->glyphs->dash);
	}
	return true;
}

static void print_progress(char *out, size_t size, const struct pane_context *pane)
{
	const struct board_target *live = pane->live;
	const struct report_row *row = row_of(pane);
	char count[UNITS_TEXT_MAX], left[UNITS_TEXT_MAX];

	if (live->total == 0) {
		text_print(out, size, "%s %s", units_format_number(count, (double)live->done),
		        live->state == LANE_CLEANING ? "removed"
		        : row != NULL                ? row->unit
		                                     : "");
		return;
	}
	left_print(left, live->eta_s);
	text_print(out, size, "%3ld%% %s",
	        lround(fmin(100, 100.0 * (double)live->done / (double)live->total)), left);
}

static void draw_progress(const struct pane_context *pane, int y, struct span span)
{
	const struct board_target *live = pane->live;
	char text[TEXT_MAX], bar[4 * 300 + 1];
	int width, cells;

	if (print_reason(text, sizeof(text), pane)) {
		bool is_bad = live->stuck_op >= 0 || live->state == LANE_LOST;

		canvas_put(pane->canvas, y, span, is_bad ? ROLE_WARNING : ROLE_DIM, text);
		return;
	}
	print_progress(text, sizeof(text), pane);
	width = widget_width(pane->canvas->glyphs, text);
	cells = span.width - width - 2;
	if (cells >= 3 && live->total > 0) {
		progress_print(bar, sizeof(bar), pane->canvas->glyphs,
		        (double)live->done / (double)live->total, cells);
		canvas_put(pane->canvas, y, (struct span){ span.x, cells }, ROLE_BAR, bar);
		span.x += cells;
		span.width -= cells;
	}
	canvas_put_right(pane->canvas, y, (struct span){ span.x, span.width - 1 }, ROLE_TEXT, text);
}

static void (*const drawers[PANES])(const struct pane_context *, int, struct span) = {
	[PANE_LABEL] = draw_label,
	[PANE_PATH] = draw_path,
	[PANE_RATE] = draw_rate,
	[PANE_LATENCY] = draw_latency,
	[PANE_CPU] = draw_cpu,
	[PANE_DEVICE] = draw_device,
	[PANE_PROGRESS] = draw_progress,
};

static bool pane_init(struct pane_context *pane, const struct canvas *canvas,
        const struct frame *frame, unsigned index)
{
	if (index >= frame->board->n_targets || index >= frame->report->n_targets)
		return false;
	*pane = (struct pane_context){
		.canvas = canvas,
		.frame = frame,
		.live = &frame->board->targets[index],
		.target = &frame->report->targets[index],
		.index = index,
	};
	return true;
}

/* "2-4/8" in the corner, where not all are in sight. */
static void draw_corner(
        const struct canvas *canvas, const struct frame *frame, const struct layout *layout)
{
	char text[64];

	if (layout->n_shown >= frame->report->n_targets)
		return;
	text_print(text, sizeof(text), "%s%u-%u/%u%s", canvas->glyphs->left,
	        layout->first_column + 1, layout->first_column + layout->n_shown,
	        frame->report->n_targets, canvas->glyphs->right);
	canvas_put(canvas, layout->pane_y[PANE_LABEL], (struct span){ 1, layout->label.width - 1 },
	        ROLE_TEXT, text);
}

void panes_draw(const struct canvas *canvas, const struct frame *frame, const struct layout *layout)
{
	const char *const *names = layout->label.width >= 21 ? pane_names : pane_names_short;
	struct pane_context pane;

	for (int line = 0; line < PANES; line++) {
		int y = layout->pane_y[line];

		if (y < 0)
			continue;
		canvas_put(canvas, y, (struct span){ 1, layout->label.width - 1 }, ROLE_DIM,
		        line == PANE_LATENCY && !has_three_latencies(layout->targets[0].width - 1)
		                ? "latency p50 p99"
		                : names[line]);
		for (unsigned i = 0; i < layout->n_shown; i++) {
			struct span span = layout->targets[i];

			if (!pane_init(&pane, canvas, frame, layout->first_column + i))
				continue;
			if (line != PANE_LABEL) {
				span.x++;
				span.width--;
			}
			drawers[line](&pane, y, span);
		}
	}
	draw_corner(canvas, frame, layout);
}

void list_draw(const struct canvas *canvas, const struct frame *frame, const struct layout *layout)
{
	struct pane_context pane;
	char label[TARGET_LABEL_MAX], text[TEXT_MAX], state[48], figures[TEXT_MAX];

	for (unsigned i = 0; i < layout->n_shown; i++) {
		struct span span = layout->targets[i];

		if (!pane_init(&pane, canvas, frame, layout->first_column + i))
			continue;
		print_state(state, sizeof(state), &pane);
		if (!print_reason(figures, sizeof(figures), &pane)) {
			char rate[80];

			print_progress(text, sizeof(text), &pane);
			print_rate(rate, sizeof(rate), &pane, false);
			text_print(figures, sizeof(figures), "%.200s %s", text, rate);
		}
		text_sanitize(label, sizeof(label), pane.target->label);
		text_print(text, sizeof(text), "%s %s %.400s", label, state, figures);
		canvas_put(canvas, layout->table_y + (int)i, span,
		        pane.live->state == LANE_RUNNING ? ROLE_LABEL : ROLE_TEXT, text);
	}
}
