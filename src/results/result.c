/*
 * One result: its life, the figures derived from it, and the table of marks. Pure functions on the
 * caller's object; a lane makes a result, anybody may read it once it is in the report.
 */
#include "results/result.h"

#include <stdlib.h>

const struct mark_info mark_table[MARK_COUNT] = {
	{ "no-space", "*", "*", "ran out of space" },
	{ "error", "!", "!", "a system call failed" },
	{ "changed", "~", "~", "a parameter was changed during the phase" },
	{ "paused", "‖", "|", "was paused" },
	{ "short", "?", "?", "shorter than 0.5 s" },
	{ "warm", "w", "w", "meant to be cold, but was read from memory" },
	{ "noisy", "↯", "#",
	        "the machine was not quiet: before the phase, or others took over 5 % meanwhile" },
	{ "limit", "t", "t", "ended by the time limit" },
};

static const char *const status_names[] = {
	[RESULT_OK] = "ok",
	[RESULT_NO_SPACE] = "no-space",
	[RESULT_ERROR] = "error",
	[RESULT_SKIPPED] = "skipped",
	[RESULT_ABORTED] = "aborted",
};

const struct result_quantile result_quantiles[RESULT_QUANTILES] = {
	{ "p50_ns", 0.5, 1 },
	{ "p90_ns", 0.9, 10 },
	{ "p99_ns", 0.99, 100 },
	{ "p999_ns", 0.999, 1000 },
};

struct result *result_new(void)
{
	struct result *result = calloc(1, sizeof(*result));

	if (!result)
		return NULL;
	result->round = result->segment = 1;
	result->flush_s = result->classic_s = result->fragments = -1;
	result->cpu_percent = result->machine_percent = result->steal_percent = -1;
	result->others_percent = result->foreign_io_percent = -1;
	result->dirty_kib = -1;
	result->cold_method = "none";
	result->predecessor = -1;
	result->nearest.util_percent = result->bottom.util_percent = -1;
	result->space_bytes = INT64_MIN;
	result->error_operation = "";
	return result;
}

void result_free(struct result *result)
{
	if (!result)
		return;
	for (unsigned i = 0; i < result->n_operations; i++)
		free(result->operations[i].latency);
	free(result->operations);
	free(result->repetitions);
	free(result);
}

static bool has_failed(const struct result *result)
{
	return result->status == RESULT_ERROR || result->status == RESULT_NO_SPACE ||
	       (result->marks & (MARK_ERROR | MARK_NO_SPACE));
}

static double per_second(const struct result *result, uint64_t amount)
{
	if (!result->was_started || has_failed(result) || !(result->wall_s > 0))
		return -1;
	return (double)amount / result->wall_s;
}

double result_rate(const struct result *result)
{
	return per_second(result, result->work);
}

double result_bytes_rate(const struct result *result)
{
	return per_second(result, result->bytes);
}

bool result_is_ranked(const struct result *result)
{
	const unsigned unranked =
	        MARK_NO_SPACE | MARK_ERROR | MARK_CHANGED | MARK_PAUSED | MARK_LIMIT;

	return result->was_started && result->status == RESULT_OK && result->segment == 1 &&
	       !(result->marks & unranked);
}

unsigned result_marks(const struct result *result)
{
	unsigned marks = result->marks;

	if (result->status == RESULT_NO_SPACE)
		marks |= MARK_NO_SPACE;
	if (result->status == RESULT_ERROR)
		marks |= MARK_ERROR;
	return marks;
}

bool result_has_error(const struct result *result)
{
	return has_failed(result) || result->error_operation[0] || result->error_errno ||
	       result->error_text[0];
}

bool result_percentile(
        const struct histogram *latency, const struct result_quantile *quantile, uint64_t *ns)
{
	if (!latency || histogram_load(&latency->count) < quantile->min_count)
		return false;
	*ns = histogram_percentile(latency, quantile->share);
	return true;
}

const char *result_status_name(enum result_status status)
{
	return status_names[status];
}
