/*
 * A run without a screen: waits in poll() for the board and for signals, shows progress on
 * standard error, turns signals into commands. Main thread; the signals it reads were blocked by
 * ui_block_signals before the first thread started.
 */
#ifndef FSDERBY_CLI_BATCH_H
#define FSDERBY_CLI_BATCH_H

#include <stdbool.h>

#include "cli/options.h"
#include "core/error.h"
#include "engine/run.h"

struct batch_options {
	enum options_live live;
	bool progress_json;
	bool hangup_continues; /* SIGHUP does not end the run */
};

struct batch_outcome {
	int signal;      /* that ended the run, 0 none */
	bool lane_hangs; /* a lane did not answer the wish to end */
};

/*
 * Watch @run until it has ended. First SIGINT: stop in order, a second within 2 s: at once.
 * SIGTERM, SIGQUIT and SIGHUP stop in order. SIGTSTP pauses, stops the process, and goes on after
 * SIGCONT. Returns 0 or a negative errno when it cannot watch (the run was told to stop then).
 */
int batch_run(struct run *run, const struct batch_options *options, struct batch_outcome *outcome,
        struct error *err);

#endif
