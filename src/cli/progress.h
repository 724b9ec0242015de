/*
 * Progress of a run without a screen, on a stream: a line kept up to date, lines, or JSON lines.
 * Reads a board and the report's results; knows no terminal but the width it is told. Main thread.
 */
#ifndef FSDERBY_CLI_PROGRESS_H
#define FSDERBY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/board.h"
#include "results/report.h"

enum progress_form { PROGRESS_NONE, PROGRESS_FULL, PROGRESS_LINES, PROGRESS_JSON };

struct progress_target {
	int row;
	unsigned round;
	enum lane_state state;
	bool is_seen;      /* anything was shown yet */
	uint64_t shown_ns; /* JSON: when its last line was written */
};

struct progress {
	FILE *out;
	enum progress_form form;
	struct report *report;
	unsigned columns;  /* of the terminal, for the full form */
	size_t n_results;  /* shown already */
	uint64_t log_ns;   /* newest log line shown */
	uint64_t shown_ns; /* last periodic line */
	size_t width;      /* of the status line that stands, 0 none */
	struct progress_target targets[TARGETS_MAX];
};

void progress_init(struct progress *progress, FILE *out, enum progress_form form, unsigned columns,
        struct report *report);

/* Show what is new on @board. */
void progress_update(struct progress *progress, const struct board *board);

/* Take the status line away, so that something else can be written. */
void progress_clear(struct progress *progress);

#endif
