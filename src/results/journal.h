/*
 * The journal: every result appended to $XDG_STATE_HOME/fsderby/last-run.jsonl and fsynced before
 * the next timed part begins, so that a killed run loses at most the phase that ran, and
 * `fsderby clean` knows what may lie about.
 *
 * First line: {"journal": 1, "run": {id, started, pid, …}, "scratch": [paths]}, then a line a
 * result ({"result": …} as in the JSON export) or change, last {"end": …}. A journal without an end
 * is open; at the start of a run an open last-run.jsonl is renamed run-<id>.jsonl and kept until
 * `clean` has dealt with it. Under sudo it belongs to, and lies in the home of, the calling user.
 * Called by the lanes while nothing of theirs is timed; serialised inside.
 */
#ifndef FSDERBY_RESULTS_JOURNAL_H
#define FSDERBY_RESULTS_JOURNAL_H

#include "core/error.h"
#include "results/report.h"

struct journal;

/* The state directory, made when missing, into @out. */
int journal_directory(char *out, size_t size, struct error *err);

/* Begin a journal for @report; *@journal is NULL on error. The run may go on without one. */
int journal_open(struct journal **journal, const struct report *report, struct error *err);
int journal_add_result(struct journal *journal, const struct result *result, struct error *err);
int journal_add_change(
        struct journal *journal, const struct report_change *change, struct error *err);
/* @cleaned: every scratch directory is gone. Only then the journal counts as closed. */
void journal_close(struct journal *journal, bool is_complete, bool cleaned);

struct journal_open_run {
	char file[PATH_MAX];
	char id[REPORT_ID_MAX];
	char (*paths)[PATH_MAX]; /* directories of its targets, owned */
	unsigned n_paths;
};

/* Runs whose journal shows them open. *@runs is malloc'ed with journal_free_open. */
int journal_find_open(struct journal_open_run **runs, unsigned *n, struct error *err);
void journal_free_open(struct journal_open_run *runs, unsigned n);
/* Forget an open run after its leftovers are gone: the file is removed (last-run.jsonl: closed). */
int journal_forget(const struct journal_open_run *run, struct error *err);

#endif
