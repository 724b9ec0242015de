/*
 * The report of a run: lists that only grow, behind one lock. Lanes and the director add to them,
 * anybody may take a view.
 */
#include "results/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Calls that are not the file system's: waiting on purpose has no place in its latency. */
static const char *const idle_operations[] = { "sleep", "spin" };

static bool is_idle(const char *operation)
{
	for (size_t i = 0; i < sizeof(idle_operations) / sizeof(idle_operations[0]); i++)
		if (!strcmp(operation, idle_operations[i]))
			return true;
	return false;
}

/* Here, and not where it is shown: a table is built anew after each result. */
static void set_p99(struct result *result)
{
	struct histogram *all;

	result->p99_ns = 0;
	if (!result->n_operations)
		return;
	all = malloc(sizeof(*all));
	if (!all)
		return;
	memset(all, 0, sizeof(*all));
	histogram_reset(all);
	for (unsigned i = 0; i < result->n_operations; i++)
		if (result->operations[i].latency && !is_idle(result->operations[i].name))
			histogram_merge(all, result->operations[i].latency);
	result_percentile(all, &result_quantiles[RESULT_P99], &result->p99_ns);
	free(all);
}

/* Room for one more in a list of items of @size bytes. */
static int make_room(void *list, size_t n, size_t *room, size_t size)
{
	void *old, *grown;
	size_t wanted;

	if (n < *room)
		return 0;
	wanted = *room ? *room * 2 : 64;
	memcpy(&old, list, sizeof(old));
	grown = reallocarray(old, wanted, size);
	if (!grown)
		return -ENOMEM;
	memcpy(list, &grown, sizeof(grown));
	*room = wanted;
	/* cppcheck-suppress memleak ; it is in *list now */
	return 0;
}

static void *copy_list(const void *list, size_t n, size_t size)
{
	void *copy = malloc(n ? n * size : 1);

	if (copy && n)
		memcpy(copy, list, n * size);
	return copy;
}

struct report *report_new(void)
{
	struct report *report = calloc(1, sizeof(*report));

	if (report && pthread_mutex_init(&report->lock, NULL)) {
		free(report);
		return NULL;
	}
	return report;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->n_results; i++)
		result_free(report->results[i]);
	free(report->results);
	free(report->changes);
	free(report->samples);
	free(report->targets);
	free(report->rows);
	free(report->command);
	pthread_mutex_destroy(&report->lock);
	free(report);
}

int report_add_result(struct report *report, struct result *result)
{
	int code;

	set_p99(result);
	pthread_mutex_lock(&report->lock);
	code = make_room(&report->results, report->n_results, &report->results_room,
	        sizeof(report->results[0]));
	if (!code)
		report->results[report->n_results++] = result;
	pthread_mutex_unlock(&report->lock);
	if (code)
		result_free(result);
	return code;
}

int report_add_change(struct report *report, const struct report_change *change)
{
	int code;

	pthread_mutex_lock(&report->lock);
	code = make_room(&report->changes, report->n_changes, &report->changes_room,
	        sizeof(report->changes[0]));
	if (!code)
		report->changes[report->n_changes++] = *change;
	pthread_mutex_unlock(&report->lock);
	return code;
}

int report_add_sample(struct report *report, const struct report_sample *sample)
{
	int code;

	pthread_mutex_lock(&report->lock);
	code = make_room(&report->samples, report->n_samples, &report->samples_room,
	        sizeof(report->samples[0]));
	if (!code)
		report->samples[report->n_samples++] = *sample;
	pthread_mutex_unlock(&report->lock);
	return code;
}

void report_end(struct report *report, uint64_t utc_ns, bool is_complete)
{
	pthread_mutex_lock(&report->lock);
	report->ended_utc_ns = utc_ns;
	report->is_complete = is_complete;
	pthread_mutex_unlock(&report->lock);
}

int report_view_init(struct report_view *view, struct report *report)
{
	memset(view, 0, sizeof(*view));
	view->report = report;
	pthread_mutex_lock(&report->lock);
	view->ended_utc_ns = report->ended_utc_ns;
	view->is_complete = report->is_complete;
	view->n_results = report->n_results;
	view->n_changes = report->n_changes;
	view->n_samples = report->n_samples;
	view->results = copy_list(report->results, view->n_results, sizeof(view->results[0]));
	view->changes = copy_list(report->changes, view->n_changes, sizeof(view->changes[0]));
	view->samples = copy_list(report->samples, view->n_samples, sizeof(view->samples[0]));
	pthread_mutex_unlock(&report->lock);
	if (view->results && view->changes && view->samples)
		return 0;
	report_view_release(view);
	return -ENOMEM;
}

void report_view_release(struct report_view *view)
{
	free(view->results);
	free(view->changes);
	free(view->samples);
	memset(view, 0, sizeof(*view));
}

static bool is_bad(const struct result *result)
{
	return result->status == RESULT_ABORTED ||
	       (result_marks(result) & (MARK_ERROR | MARK_NO_SPACE));
}

int report_status(struct report *report)
{
	size_t planned = (size_t)report->n_rows * report->n_targets * report->rounds, first = 0;
	bool bad;

	pthread_mutex_lock(&report->lock);
	bad = report->ended_utc_ns && !report->is_complete;
	for (size_t i = 0; i < report->n_results && !bad; i++) {
		bad = is_bad(report->results[i]);
		first += report->results[i]->segment <= 1;
	}
	/* Each planned cell has a result: one that is missing was lost (memory). */
	bad = bad || (report->ended_utc_ns && first < planned);
	pthread_mutex_unlock(&report->lock);
	return bad ? 1 : 0;
}
