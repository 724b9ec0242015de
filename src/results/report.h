/*
 * A report: one run with its targets, planned rows, results, changes and series. What the screen,
 * the journal and every exporter read.
 *
 * The head (everything but the lists behind `lock`) is fixed before the first lane starts. Lists
 * only grow; what is in them never changes. Take a view to read them: it copies the pointers under
 * the lock, and what they point to lives as long as the report.
 */
#ifndef FSDERBY_RESULTS_REPORT_H
#define FSDERBY_RESULTS_REPORT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/target.h"
#include "results/result.h"

enum { REPORT_ID_MAX = 40, REPORT_SET_MAX = 64 };

struct report_row {
	const char *workload, *phase, *unit; /* static strings */
	char set[REPORT_SET_MAX];            /* "" or "base_size=100" */
	char title[160]; /* heading of the set: "base 100, 3 repetitions, …" */
	bool is_unranked;
	bool is_surveyed;     /* space and fragments are shown below it */
	char flush[16];       /* "inside", "outside", "none" as resolved; "": not known */
	struct params params; /* as planned; a live change shows in the results and changes */
};

struct report_change {
	uint64_t at_ns;
	int target; /* -1: all */
	char workload[16], param[24];
	char old_text[PARAM_TEXT_MAX], new_text[PARAM_TEXT_MAX];
};

struct report_sample {
	uint64_t at_ns;
	double interval_s; /* not paused */
	unsigned target, row, round;
	uint64_t work, bytes; /* done in this interval */
	double rate, bytes_per_s;
	double cpu_percent, machine_percent; /* negative: absent */
	uint64_t p50_ns, p99_ns, max_ns;     /* 0: no operation ended in it */
};

struct report_host {
	char name[65], kernel[65], cpu[128];
	unsigned cpus;
	uint64_t memory_bytes;
	bool is_virtual;
	char governor[32];           /* of CPU 0's frequency; "" where there is none */
	double load_1min;            /* before the run */
	double cpu_limit;            /* CPUs that the control group allows; 0: no limit */
	uint64_t memory_limit_bytes; /* of the control group; 0: no limit */
};

struct report {
	char id[REPORT_ID_MAX];
	char version[32];
	uint64_t started_utc_ns;
	char *command; /* owned */
	char profile[64];
	uint64_t seed;
	unsigned rounds;
	char schedule[16];         /* "turns" or "together", as resolved */
	char schedule_reason[128]; /* "one device (vda)" */
	bool is_cold;
	char flush[16]; /* "inside", "outside", "none" or "default" (by workload) */
	struct report_host host;
	struct target *targets; /* owned copies */
	unsigned n_targets;
	struct report_row *rows; /* owned */
	unsigned n_rows;

	pthread_mutex_t lock;  /* guards what follows */
	uint64_t ended_utc_ns; /* 0: still running */
	bool is_complete;
	struct result **results;
	size_t n_results, results_room;
	struct report_change *changes;
	size_t n_changes, changes_room;
	struct report_sample *samples;
	size_t n_samples, samples_room;
};

/* NULL when out of memory. report_free frees all that is in it. */
struct report *report_new(void);
void report_free(struct report *report);

/* Take ownership of @result. -ENOMEM: it was freed. */
int report_add_result(struct report *report, struct result *result);
int report_add_change(struct report *report, const struct report_change *change);
int report_add_sample(struct report *report, const struct report_sample *sample);
void report_end(struct report *report, uint64_t utc_ns, bool is_complete);

struct report_view {
	const struct report *report;
	uint64_t ended_utc_ns;
	bool is_complete;
	const struct result **results; /* owned array, borrowed results */
	size_t n_results;
	struct report_change *changes; /* owned copy */
	size_t n_changes;
	struct report_sample *samples; /* owned copy */
	size_t n_samples;
};

/* A consistent copy of the lists at this moment. -ENOMEM leaves an empty view. */
int report_view_init(struct report_view *view, struct report *report);
void report_view_release(struct report_view *view);

/* 0 all cells good, 1 some cell has no space, an error, or was aborted (the exit status). */
int report_status(struct report *report);

#endif
