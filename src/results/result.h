/*
 * A result: what one phase of one round on one target measured. Made by a lane, immutable once it
 * was added to the report, freed with it.
 */
#ifndef FSDERBY_RESULTS_RESULT_H
#define FSDERBY_RESULTS_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/params.h"
#include "measure/device.h"
#include "measure/histogram.h"

enum result_status {
	RESULT_OK,
	RESULT_NO_SPACE,
	RESULT_ERROR,
	RESULT_SKIPPED,
	RESULT_ABORTED,
};

enum result_mark {
	MARK_NO_SPACE = 1 << 0, /* * */
	MARK_ERROR = 1 << 1,    /* ! */
	MARK_CHANGED = 1 << 2,  /* ~ */
	MARK_PAUSED = 1 << 3,   /* ‖ */
	MARK_SHORT = 1 << 4,    /* ? */
	MARK_WARM = 1 << 5,     /* w */
	MARK_NOISY = 1 << 6,    /* ↯ */
	MARK_LIMIT = 1 << 7,
	MARK_COUNT = 8,
};

/* One table for screen, exports and legends. */
struct mark_info {
	const char *word;  /* in JSON and CSV: "no-space" */
	const char *glyph; /* UTF-8, one cell */
	const char *ascii; /* one character */
	const char *help;
};
extern const struct mark_info mark_table[MARK_COUNT];

struct result_operation {
	const char *name; /* op_name */
	uint64_t count, errors, bytes;
	struct histogram *latency; /* merged over the workers, owned by the result */
};

struct result_repetition {
	double wall_s, flush_s;
	double classic_s;
};

struct result_device {
	bool is_known;
	char names[64]; /* "loop0", several joined by '+' */
	struct device_stats stats, paused;
	double util_percent; /* negative: unknown */
};

struct result {
	unsigned row;            /* index in report.rows: workload, set, phase */
	unsigned target;         /* index in report.targets */
	unsigned round, segment; /* from 1 */
	enum result_status status;
	unsigned marks;
	bool was_started; /* false: skipped before it began, all figures absent */

	uint64_t started_utc_ns, ended_utc_ns, start_ns;
	double wall_s, first_done_s, paused_s;
	double flush_s; /* negative: no flush */
	double cpu_user_s, cpu_system_s;
	double cpu_percent, machine_percent, steal_percent; /* negative: absent */
	double others_percent;     /* CPU of other processes, of the machine; negative: absent */
	double foreign_io_percent; /* of the bottom device's traffic; negative: not known */
	unsigned workers;
	uint64_t work, bytes;
	double classic_s; /* negative: absent */
	struct result_repetition *repetitions;
	unsigned n_repetitions;
	double settle_s;
	int64_t dirty_kib;       /* negative: absent */
	const char *cold_method; /* static: "none", "remount", "drop-caches", "fadvise" */
	unsigned order;          /* place of the target in its round, from 1 */
	int predecessor;         /* target that ran before it in this round, -1 none */
	struct result_device nearest, bottom;
	int64_t space_bytes;  /* used space against before the set; INT64_MIN: absent */
	double fragments;     /* extents a file over 16 KiB after the phase; negative: absent */
	struct params params; /* as in force */
	struct result_operation *operations;
	unsigned n_operations;
	uint64_t p99_ns; /* all operations together; set by report_add_result, 0: too few */
	/* error: operation "" when there is none */
	const char *error_operation;
	char error_path[256];
	int error_errno; /* positive */
	char error_text[512];
};

struct result *result_new(void);
void result_free(struct result *result);

/* work / wall_s; negative (absent) when there is no time, or the phase had errors. */
double result_rate(const struct result *result);
double result_bytes_rate(const struct result *result);
/* May it enter medians and comparisons: ok, whole, not paused, not changed, not limited. */
bool result_is_ranked(const struct result *result);

const char *result_status_name(enum result_status status);

/* The marks, with those that the status implies. */
unsigned result_marks(const struct result *result);
/* Did something fail, so that there is an error to tell? */
bool result_has_error(const struct result *result);

/* The percentiles that are reported, and how many operations each needs to mean anything. */
struct result_quantile {
	const char *name; /* "p99_ns" */
	double share;
	uint64_t min_count;
};
enum { RESULT_P50, RESULT_P90, RESULT_P99, RESULT_P999, RESULT_QUANTILES };
extern const struct result_quantile result_quantiles[RESULT_QUANTILES];

/* False, and nothing written, where @latency (may be NULL) holds too few operations. */
bool result_percentile(
        const struct histogram *latency, const struct result_quantile *quantile, uint64_t *ns);

#endif
