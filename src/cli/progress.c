/*
 * Progress lines. Main thread.
 */
#include "cli/progress.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "core/units.h"
#include "measure/clock.h"

enum { PROGRESS_JSON_EVERY_S = 1, PROGRESS_LINE_EVERY_S = 10, PROGRESS_LINE_MAX = 512 };

void progress_init(struct progress *progress, FILE *out, enum progress_form form, unsigned columns,
        struct report *report)
{
	*progress =
	        (struct progress){ .out = out, .form = form, .report = report, .columns = columns };
}

void progress_clear(struct progress *progress)
{
	/* Blanks instead of an escape sequence: works on any terminal. */
	if (progress->width > 0)
		fprintf(progress->out, "\r%*s\r", (int)progress->width, "");
	progress->width = 0;
	fflush(progress->out);
}

static void print_line(struct progress *progress, const char *text)
{
	char safe[PROGRESS_LINE_MAX];

	progress_clear(progress);
	fprintf(progress->out, "%s\n", text_sanitize(safe, sizeof(safe), text));
}

static bool is_working(enum lane_state state)
{
	return state == LANE_RUNNING || state == LANE_PAUSED || state == LANE_PAUSING ||
	       state == LANE_FLUSHING;
}

/* "mongo base_size=100 create", or "" where there is no row. */
static char *name_row(const struct report *report, int index, char *out, size_t size)
{
	const struct report_row *row;

	if (index < 0 || (unsigned)index >= report->n_rows)
		return text_print(out, size, "%s", "");
	row = &report->rows[index];
	return text_print(out, size, "%s%s%s %s", row->workload, row->set[0] != '\0' ? " " : "",
	        row->set, row->phase);
}

/* "21.3k files/s", "212 MiB/s" */
static char *print_rate(const struct report *report, int row, double rate, char *out, size_t size)
{
	const char *unit = row >= 0 && (unsigned)row < report->n_rows ? report->rows[row].unit : "";
	char number[UNITS_TEXT_MAX];

	if (!(rate >= 0) || !isfinite(rate))
		return text_print(out, size, "-");
	if (strcmp(unit, "bytes") == 0)
		return text_print(out, size, "%s/s", units_format_bytes(number, rate));
	return text_print(out, size, "%s %s/s", units_format_number(number, rate), unit);
}

/* What one target does: "ext4 mongo create 45% 21.3k files/s, 0:12 left". */
static void describe_target(const struct progress *progress, const struct board *board,
        unsigned index, char *out, size_t size)
{
	const struct report *report = progress->report;
	const struct board_target *target = &board->targets[index];
	char row[192], rate[64], percent[16] = "", eta[64] = "", clock[UNITS_TEXT_MAX];

	name_row(report, target->row, row, sizeof(row));
	if (target->total > 0)
		text_print(percent, sizeof(percent), " %u%%",
		        (unsigned)(100.0 * (double)target->done / (double)target->total));
	if (target->eta_s >= 0)
		text_print(eta, sizeof(eta), ", %s left", units_format_clock(clock, target->eta_s));
	if (!is_working(target->state))
		text_print(out, size, "%s %s", report->targets[index].label,
		        lane_state_name(target->state));
	else
		text_print(out, size, "%s%s%s %s%s %s%s", report->targets[index].label,
		        target->state == LANE_RUNNING ? "" : " ",
		        target->state == LANE_RUNNING ? "" : lane_state_name(target->state), row,
		        percent, print_rate(report, target->row, target->rate, rate, sizeof(rate)),
		        eta);
}

static void describe_run(const struct board *board, char *out, size_t size)
{
	char clock[UNITS_TEXT_MAX], left[UNITS_TEXT_MAX], eta[64] = "";

	if (board->eta_s >= 0)
		text_print(eta, sizeof(eta), ", about %s left",
		        units_format_clock(left, board->eta_s));
	text_print(out, size, "%s round %u of %u%s", units_format_clock(clock, board->elapsed_s),
	        board->round, board->rounds, eta);
}

/* The line that is rewritten: those that work first, cut to the window. */
static void show_status(struct progress *progress, const struct board *board)
{
	char line[PROGRESS_LINE_MAX], safe[PROGRESS_LINE_MAX], part[256];
	size_t limit = progress->columns > 1 ? progress->columns : 80;

	describe_run(board, line, sizeof(line));
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < board->n_targets; i++) {
			size_t length = strlen(line);

			if (is_working(board->targets[i].state) != (pass == 0))
				continue;
			describe_target(progress, board, i, part, sizeof(part));
			text_print(line + length, sizeof(line) - length, " | %s", part);
		}
	/* Bytes are never fewer than columns; the last column stays free against wrapping. */
	text_sanitize(safe, limit < sizeof(safe) ? limit : sizeof(safe), line);
	fprintf(progress->out, "\r%s", safe);
	if (strlen(safe) < progress->width)
		fprintf(progress->out, "%*s", (int)(progress->width - strlen(safe)), "");
	progress->width = strlen(safe);
	fflush(progress->out);
}

static void show_result(struct progress *progress, const struct result *result)
{
	const struct report *report = progress->report;
	char row[192], rate[64], line[PROGRESS_LINE_MAX], seconds[UNITS_TEXT_MAX];
	const char *label = report->targets[result->target].label;

	name_row(report, (int)result->row, row, sizeof(row));
	if (!result->was_started)
		text_print(line, sizeof(line), "%s: %s round %u: %s%s%s", label, row, result->round,
		        result_status_name(result->status),
		        result->error_text[0] != '\0' ? ": " : "", result->error_text);
	else if (result->status == RESULT_OK)
		text_print(line, sizeof(line), "%s: %s round %u: %s, %s", label, row, result->round,
		        units_format_seconds(seconds, result->wall_s),
		        print_rate(
		                report, (int)result->row, result_rate(result), rate, sizeof(rate)));
	else
		text_print(line, sizeof(line), "%s: %s round %u: %s after %s%s%s", label, row,
		        result->round, result_status_name(result->status),
		        units_format_seconds(seconds, result->wall_s),
		        result->error_text[0] != '\0' ? ": " : "", result->error_text);
	print_line(progress, line);
}

static void show_results(struct progress *progress, const struct board *board)
{
	struct report_view view;

	if (board->n_results <= progress->n_results)
		return;
	if (report_view_init(&view, progress->report) < 0)
		return; /* next time */
	for (size_t i = progress->n_results; i < view.n_results; i++)
		show_result(progress, view.results[i]);
	progress->n_results = view.n_results;
	report_view_release(&view);
}

static void show_log(struct progress *progress, const struct board *board)
{
	uint64_t newest = progress->log_ns;

	for (unsigned i = 0; i < board->n_log; i++)
		if (board->log[i].at_ns > progress->log_ns) {
			print_line(progress, board->log[i].text);
			newest = board->log[i].at_ns;
		}
	progress->log_ns = newest;
}

static bool has_changed(const struct progress_target *seen, const struct board_target *target)
{
	return !seen->is_seen || seen->state != target->state || seen->row != target->row ||
	       seen->round != target->round;
}

static void note(struct progress_target *seen, const struct board_target *target)
{
	seen->is_seen = true;
	seen->state = target->state;
	seen->row = target->row;
	seen->round = target->round;
}

static void show_starts(struct progress *progress, const struct board *board)
{
	char row[192], line[PROGRESS_LINE_MAX];

	for (unsigned i = 0; i < board->n_targets; i++) {
		const struct board_target *target = &board->targets[i];
		struct progress_target *seen = &progress->targets[i];
		const char *label = progress->report->targets[i].label;

		if (!has_changed(seen, target))
			continue;
		name_row(progress->report, target->row, row, sizeof(row));
		if (target->state == LANE_RUNNING &&
		        (seen->row != target->row || seen->round != target->round ||
		                !is_working(seen->state) || !seen->is_seen))
			text_print(line, sizeof(line), "%s: %s round %u: begins", label, row,
			        target->round);
		else
			line[0] = '\0';
		note(seen, target);
		if (line[0] != '\0')
			print_line(progress, line);
	}
}

static void show_periodic(struct progress *progress, const struct board *board)
{
	char head[128], part[256], line[PROGRESS_LINE_MAX];

	if (progress->shown_ns == 0)
		progress->shown_ns = board->at_ns;
	if (board->at_ns - progress->shown_ns < PROGRESS_LINE_EVERY_S * CLOCK_SECOND_NS)
		return;
	progress->shown_ns = board->at_ns;
	describe_run(board, head, sizeof(head));
	for (unsigned i = 0; i < board->n_targets; i++) {
		if (board->targets[i].state == LANE_WAITING || board->targets[i].state == LANE_DONE)
			continue;
		describe_target(progress, board, i, part, sizeof(part));
		text_print(line, sizeof(line), "%s: %s", head, part);
		print_line(progress, line);
	}
}

static json_t *json_number(double number, bool is_known)
{
	return is_known && isfinite(number) ? json_real(number) : json_null();
}

static json_t *json_text(const char *text)
{
	char safe[192];

	return json_string(text_sanitize(safe, sizeof(safe), text));
}

static void write_json_line(struct progress *progress, const struct board *board, unsigned index)
{
	const struct report *report = progress->report;
	const struct board_target *target = &board->targets[index];
	bool has_row = target->row >= 0 && (unsigned)target->row < report->n_rows;
	const struct report_row *row = has_row ? &report->rows[target->row] : NULL;
	bool runs = is_working(target->state);
	json_t *line = json_object();

	json_object_set_new(line, "at_ns", json_integer((json_int_t)board->at_ns));
	json_object_set_new(line, "target", json_text(report->targets[index].label));
	json_object_set_new(line, "workload", row ? json_text(row->workload) : json_null());
	json_object_set_new(line, "set", row ? json_text(row->set) : json_null());
	json_object_set_new(line, "phase", row ? json_text(row->phase) : json_null());
	json_object_set_new(line, "round", json_integer(target->round));
	json_object_set_new(line, "done", json_integer((json_int_t)target->done));
	json_object_set_new(line, "total",
	        target->total > 0 ? json_integer((json_int_t)target->total) : json_null());
	json_object_set_new(line, "rate", json_number(target->rate, runs && target->rate >= 0));
	json_object_set_new(line, "eta_s", json_number(target->eta_s, target->eta_s >= 0));
	json_object_set_new(line, "state", json_text(lane_state_name(target->state)));
	json_dumpf(line, progress->out, JSON_COMPACT);
	fputc('\n', progress->out);
	json_decref(line);
}

static void update_json(struct progress *progress, const struct board *board)
{
	for (unsigned i = 0; i < board->n_targets; i++) {
		const struct board_target *target = &board->targets[i];
		struct progress_target *seen = &progress->targets[i];
		bool is_over = target->state == LANE_DONE || target->state == LANE_FAILED;
		bool is_due =
		        board->at_ns - seen->shown_ns >= PROGRESS_JSON_EVERY_S * CLOCK_SECOND_NS;

		if (!has_changed(seen, target) && (is_over || !is_due))
			continue;
		note(seen, target);
		seen->shown_ns = board->at_ns;
		write_json_line(progress, board, i);
	}
	fflush(progress->out);
}

void progress_update(struct progress *progress, const struct board *board)
{
	switch (progress->form) {
	case PROGRESS_NONE:
		return;
	case PROGRESS_FULL:
		show_log(progress, board);
		show_status(progress, board);
		return;
	case PROGRESS_LINES:
		/* In the order things happen: one phase ends, the next begins. */
		show_log(progress, board);
		show_results(progress, board);
		show_starts(progress, board);
		show_periodic(progress, board);
		fflush(progress->out);
		return;
	case PROGRESS_JSON:
		update_json(progress, board);
		return;
	}
}
