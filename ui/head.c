/*
 * The head line, the legend, the message line and the footer. Main thread only.
 */
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "core/units.h"
#include "ui/parts.h"

struct state_look {
	const char *word, *glyph;
	int role;
};

static const struct state_look state_looks[] = {
	[RUN_PREPARING] = { "preparing", "○", ROLE_DIM },
	[RUN_RUNNING] = { "running", "▶", ROLE_RUNNING },
	[RUN_PAUSED] = { "PAUSED", "‖", ROLE_PAUSED },
	[RUN_ENDING] = { "ending", "▿", ROLE_WARNING },
	[RUN_ENDED] = { "finished", "■", ROLE_GOOD },
};

static const struct state_look *look_of(const struct frame *frame)
{
	static const struct state_look pausing = { "pausing", "‖", ROLE_PAUSED };
	enum run_state state = frame->board->state;

	if (frame->view->has_ended)
		state = RUN_ENDED;
	else if (frame->view->is_ending && state != RUN_ENDED)
		state = RUN_ENDING;
	else if (frame->view->is_pausing && (state == RUN_RUNNING || state == RUN_PREPARING))
		return &pausing;
	return &state_looks[state];
}

const char *head_state(const struct frame *frame, int *role)
{
	const struct state_look *look = look_of(frame);

	*role = look->role;
	return look->word;
}

/* The row under way: of the target whose turn it is, else of any that works. */
static int current_row(const struct board *board)
{
	int row = -1;

	for (unsigned t = 0; t < board->n_targets; t++) {
		const struct board_target *target = &board->targets[t];

		if (target->row < 0 || target->state == LANE_DONE || target->state == LANE_FAILED)
			continue;
		if (target->place == 0 && target->state != LANE_WAITING)
			return target->row;
		if (row < 0)
			row = target->row;
	}
	return row;
}

static void print_phase(char *out, size_t size, const struct frame *frame)
{
	int index = current_row(frame->board);
	const struct report_row *row;

	out[0] = '\0';
	if (index < 0 || (unsigned)index >= frame->report->n_rows ||
	        frame->board->state == RUN_ENDED)
		return;
	row = &frame->report->rows[index];
	text_print(out, size, "%s%s%s %s %s", row->workload, row->set[0] != '\0' ? " " : "",
	        row->set, frame->glyphs->level == GLYPHS_FULL ? "›" : ">", row->phase);
}

char *left_print(char out[32], double seconds)
{
	long left = lround(fmin(seconds, 1e7));

	if (!(seconds >= 0))
		return text_print(out, 32, "--");
	if (left < 3600)
		return text_print(out, 32, "%ld:%02ld", left / 60, left % 60);
	return text_print(out, 32, "%ld:%02ld:%02ld", left / 3600, left / 60 % 60, left % 60);
}

static void print_times(char *out, size_t size, const struct frame *frame, int columns)
{
	const struct board *board = frame->board;
	char elapsed[UNITS_TEXT_MAX], left[32], about[64] = "";

	units_format_clock(elapsed, board->elapsed_s);
	if (columns >= 60 && board->state < RUN_ENDING) {
		text_print(about, sizeof(about), "  %s%s left", board->eta_s >= 0 ? "about " : "",
		        left_print(left, board->eta_s));
	}
	text_print(out, size, "%s%s ", elapsed, about);
}

static struct span add_gap(
        const struct canvas *canvas, struct span span, int role, const char *text, int gap)
{
	if (text[0] == '\0' || span.width <= gap)
		return span;
	span.x += gap;
	span.width -= gap;
	return canvas_add(canvas, 0, span, role, text);
}

void head_draw(const struct canvas *canvas, const struct frame *frame, struct span line)
{
	const struct board *board = frame->board;
	const struct report *report = frame->report;
	const struct state_look *look = look_of(frame);
	char text[320];
	int width;

	canvas_put(canvas, 0, line, ROLE_HEAD, "");
	print_times(text, sizeof(text), frame, line.width);
	width = widget_width(canvas->glyphs, text);
	if (width < line.width / 2) {
		canvas_put_right(canvas, 0, line, ROLE_HEAD, text);
		line.width -= width + 1;
	}
	if (line.width >= 50)
		line = add_gap(canvas, line, ROLE_HEAD, "fsderby", 1);
	if (canvas->glyphs->level == GLYPHS_FULL)
		line = add_gap(canvas, line, look->role, look->glyph, 1);
	line = add_gap(canvas, line, look->role, look->word, 1);
	if (frame->view->is_frozen)
		line = add_gap(canvas, line, ROLE_PAUSED, "FROZEN", 1);
	if (board->pause_at_boundary)
		line = add_gap(canvas, line, ROLE_PAUSED, "pause at phase end", 1);
	if (line.width >= 30 && board->rounds > 0) {
		text_print(text, sizeof(text), "round %u of %u", board->round, board->rounds);
		line = add_gap(canvas, line, ROLE_TEXT, text, 2);
	}
	print_phase(text, sizeof(text), frame);
	line = add_gap(canvas, line, ROLE_HEAD, text, 2);
	text_print(text, sizeof(text), "%s: %s", report->schedule, report->schedule_reason);
	if (report->schedule[0] != '\0' && line.width >= 12)
		add_gap(canvas, line, ROLE_DIM, text, 2);
}

const char *mark_glyph(const struct glyphs *glyphs, unsigned bit)
{
	return glyphs->level == GLYPHS_FULL ? mark_table[bit].glyph : mark_table[bit].ascii;
}

void legend_draw(const struct canvas *canvas, const struct frame *frame, int y)
{
	struct span line = { 1, getmaxx(canvas->window) - 1 };
	bool is_wide = line.width >= 100;
	unsigned marks = table_marks(frame->table);
	char text[96];

	if (y < 0)
		return;
	if (marks == 0) {
		text_print(text, sizeof(text), "cells: median of the rounds; %s half their spread",
		        canvas->glyphs->spread);
		canvas_put(canvas, y, line, ROLE_DIM, text);
		return;
	}
	for (unsigned bit = 0; bit < MARK_COUNT && line.width > 0; bit++) {
		if ((marks & 1U << bit) == 0)
			continue;
		line = canvas_add(canvas, y, line, ROLE_MARK, mark_glyph(canvas->glyphs, bit));
		text_print(text, sizeof(text), " %s  ",
		        is_wide ? mark_table[bit].help : mark_table[bit].word);
		line = canvas_add(canvas, y, line, ROLE_DIM, text);
	}
}

void log_draw(const struct canvas *canvas, const struct frame *frame, int y)
{
	const struct board *board = frame->board;
	struct span line = { 1, getmaxx(canvas->window) - 1 };
	char safe[BOARD_LOG_TEXT + 64];

	if (y < 0)
		return;
	if (frame->view->notice[0] != '\0') {
		text_sanitize(safe, sizeof(safe), frame->view->notice);
		canvas_put(canvas, y, line, ROLE_LABEL, safe);
	} else if (board->n_log > 0) {
		text_sanitize(safe, sizeof(safe), board->log[board->n_log - 1].text);
		line = canvas_add(canvas, y, line, ROLE_DIM, "log: ");
		canvas_put(canvas, y, line, ROLE_TEXT, safe);
	}
}

/* The key's first name ("F1 ?": F1). */
static void print_key(char *out, size_t size, const struct key_binding *binding)
{
	text_print(out, size, "%.*s", (int)strcspn(binding->name, " "), binding->name);
}

static int item_width(const struct frame *frame, const struct key_binding *binding)
{
	char key[16];

	print_key(key, sizeof(key), binding);
	return widget_width(frame->glyphs, key) + widget_width(frame->glyphs, binding->footer) + 3;
}

/* The next binding of the footer from *@index on that fits into @room; the last always does. */
static const struct key_binding *next_item(const struct frame *frame, unsigned *index, int room)
{
	const struct key_binding *binding;
	int last = item_width(frame, keys_at(0));

	for (unsigned i = 0; (binding = keys_at(i)) != NULL; i++)
		if (binding->action == ACTION_QUIT)
			last = item_width(frame, binding);
	while ((binding = keys_at(*index)) != NULL) {
		int width;

		++*index;
		if (binding->footer == NULL || (binding->pages & 1U << frame->view->page) == 0)
			continue;
		width = item_width(frame, binding);
		if (binding->action == ACTION_QUIT || width + last <= room)
			return binding;
	}
	return NULL;
}

void footer_draw(const struct canvas *canvas, const struct frame *frame, int y)
{
	struct span line = { 0, getmaxx(canvas->window) };
	const struct key_binding *binding;
	unsigned index = 0;
	char key[16];

	if (y < 0)
		return;
	if (frame->view->asks_quit) {
		canvas_put(canvas, y, line, ROLE_WARNING,
		        line.width < 60 ? " End the run? y/N"
		                        : " End the run? Finished rows are kept.   y: end   "
		                          "any other key: go on (y/N)");
		return;
	}
	while ((binding = next_item(frame, &index, line.width)) != NULL) {
		print_key(key, sizeof(key), binding);
		line.x++;
		line.width--;
		line = canvas_add(canvas, y, line, ROLE_KEY, key);
		line = canvas_add(canvas, y, line, ROLE_KEY_TEXT, " ");
		line = canvas_add(canvas, y, line, ROLE_KEY_TEXT, binding->footer);
		line.x++;
		line.width--;
	}
}
