/*
 * The journal's files: where they lie, what one says, who may touch them at the same time.
 * Internal to the journal.
 */
#ifndef FSDERBY_RESULTS_JOURNAL_FILE_H
#define FSDERBY_RESULTS_JOURNAL_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "results/report.h"

#define JOURNAL_LAST "last-run.jsonl"

enum { JOURNAL_BOOT_ID_MAX = 40 };

/* The process that keeps a journal: a pid alone may have gone to another one since. */
struct journal_process {
	int64_t pid;
	uint64_t start_ticks; /* field 22 of /proc/PID/stat */
	char boot_id[JOURNAL_BOOT_ID_MAX];
};

/* What a journal says of its run. */
struct journal_head {
	char id[REPORT_ID_MAX];
	struct journal_process process;
	char (*paths)[PATH_MAX]; /* owned */
	unsigned n_paths;
	bool is_closed; /* it has an end, and nothing was left */
};

/* Path of the state directory, not made. */
int journal_file_directory(char *out, size_t size, struct error *err);
/* Make it with its parents (0700). Under sudo what is new belongs to the calling user. */
int journal_file_make_directory(const char *path, struct error *err);

/*
 * The directory's descriptor, locked against other runs until it is closed. -ENOENT: there is no
 * directory. A file system without locks is no obstacle.
 */
int journal_file_lock(const char *directory);

/* "run-<id>.jsonl" */
char *journal_file_name(char *out, size_t size, const char *id);
/* Is it run-<something>.jsonl? */
bool journal_file_is_kept(const char *name);

/*
 * Read file @name. Lines that are damaged or cut off are passed over; without a readable first line
 * -EBADMSG. The caller releases the head when 0 was returned.
 */
int journal_file_read(int dir_fd, const char *name, struct journal_head *head);
void journal_file_release(struct journal_head *head);

/* The calling process; 0 or a negative errno. */
int journal_file_self(struct journal_process *process);
bool journal_file_is_alive(const struct journal_process *process);

/* Write all of @text at the end and fsync; on an error what was written is taken back. */
int journal_file_append(int fd, const char *text, size_t size);

/*
 * A path as plain ASCII and back: '%' and all that is not printable ASCII as %XX, so that a path
 * that is not UTF-8 survives. Decoding is strict: -EBADMSG.
 */
int journal_file_encode(char *out, size_t size, const char *path);
int journal_file_decode(char *out, size_t size, const char *text);

#endif
