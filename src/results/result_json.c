/*
 * Results as JSON. Fields that are plain numbers stand in one table: what a result that never
 * started does not have becomes null in one place.
 */
#include "results/result_json.h"

#include <stddef.h>

#include "results/jsonify.h"

enum field_type { FIELD_OPTIONAL, FIELD_COUNT, FIELD_UNSIGNED, FIELD_UTC };

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
};

static const struct field time_fields[] = {
	{ "started", FIELD_UTC, offsetof(struct result, started_utc_ns) },
	{ "ended", FIELD_UTC, offsetof(struct result, ended_utc_ns) },
	{ "start_ns", FIELD_COUNT, offsetof(struct result, start_ns) },
	{ "wall_s", FIELD_OPTIONAL, offsetof(struct result, wall_s) },
	{ "first_done_s", FIELD_OPTIONAL, offsetof(struct result, first_done_s) },
	{ "flush_s", FIELD_OPTIONAL, offsetof(struct result, flush_s) },
	{ "paused_s", FIELD_OPTIONAL, offsetof(struct result, paused_s) },
	{ "cpu_user_s", FIELD_OPTIONAL, offsetof(struct result, cpu_user_s) },
	{ "cpu_system_s", FIELD_OPTIONAL, offsetof(struct result, cpu_system_s) },
	{ "cpu_percent", FIELD_OPTIONAL, offsetof(struct result, cpu_percent) },
	{ "machine_percent", FIELD_OPTIONAL, offsetof(struct result, machine_percent) },
	{ "workers", FIELD_UNSIGNED, offsetof(struct result, workers) },
	{ "work", FIELD_COUNT, offsetof(struct result, work) },
};

static json_t *text_or_null(const char *text)
{
	return text && text[0] ? jsonify_text(text) : json_null();
}

static json_t *field_to_json(const struct result *result, const struct field *field)
{
	const void *at = (const char *)result + field->offset;

	if (!result->was_started)
		return json_null();
	switch (field->type) {
	case FIELD_OPTIONAL:
		return jsonify_optional(*(const double *)at);
	case FIELD_COUNT:
		return jsonify_unsigned(*(const uint64_t *)at);
	case FIELD_UNSIGNED:
		return jsonify_unsigned(*(const unsigned *)at);
	case FIELD_UTC:
		return jsonify_utc(*(const uint64_t *)at);
	}
	return NULL;
}

static json_t *repetitions_to_json(const struct result *result)
{
	json_t *array = json_array();
	bool failed = !array;

	for (unsigned i = 0; i < result->n_repetitions && !failed; i++) {
		const struct result_repetition *repetition = &result->repetitions[i];
		json_t *object = json_object();

		jsonify_put(object, "wall_s", jsonify_optional(repetition->wall_s), &failed);
		jsonify_put(object, "flush_s", jsonify_optional(repetition->flush_s), &failed);
		jsonify_put(object, "classic_s", jsonify_optional(repetition->classic_s), &failed);
		if (json_array_append_new(array, object))
			failed = true;
	}
	return jsonify_finish(array, failed);
}

static json_t *one_device(const struct result_device *device)
{
	json_t *object = json_object();
	bool failed = !object;

	if (!device->is_known) {
		json_decref(object);
		return json_null();
	}
	jsonify_put(object, "name", jsonify_text(device->names), &failed);
	jsonify_put(object, "read_bytes", jsonify_unsigned(device->stats.read_bytes), &failed);
	jsonify_put(
	        object, "written_bytes", jsonify_unsigned(device->stats.written_bytes), &failed);
	jsonify_put(object, "reads", jsonify_unsigned(device->stats.reads), &failed);
	jsonify_put(object, "writes", jsonify_unsigned(device->stats.writes), &failed);
	jsonify_put(object, "util_percent", jsonify_optional(device->util_percent), &failed);
	jsonify_put(
	        object, "queue_s", jsonify_number((double)device->stats.queue_ms / 1000), &failed);
	jsonify_put(
	        object, "paused_read_bytes", jsonify_unsigned(device->paused.read_bytes), &failed);
	jsonify_put(object, "paused_written_bytes", jsonify_unsigned(device->paused.written_bytes),
	        &failed);
	return jsonify_finish(object, failed);
}

static json_t *device_to_json(const struct result *result)
{
	bool failed = false;
	json_t *object;

	if (!result->was_started || !result->nearest.is_known)
		return json_null();
	object = one_device(&result->nearest);
	jsonify_put(object, "bottom", one_device(&result->bottom), &failed);
	return jsonify_finish(object, failed);
}

/*
 * A list of one number is a number where the workload has sets (mongo.base_size): it is the set's
 * own value. Elsewhere (random.sizes) a list stays an array, however short.
 */
static json_t *list_to_json(const struct param_value *value, bool has_sets)
{
	json_t *array;

	if (has_sets && value->list.n == 1)
		return jsonify_unsigned(value->list.items[0]);
	array = json_array();
	for (unsigned i = 0; i < value->list.n; i++)
		if (json_array_append_new(array, jsonify_unsigned(value->list.items[i])))
			return jsonify_finish(array, true);
	return array;
}

static json_t *param_to_json(const struct params *params, unsigned index, bool has_sets)
{
	const struct param_value *value = &params->values[index];
	char text[PARAM_TEXT_MAX];

	switch (params->table[index].type) {
	case PARAM_COUNT:
	case PARAM_SIZE:
	case PARAM_TIME:
		return jsonify_unsigned(value->number);
	case PARAM_SHARE:
		return jsonify_number(value->share);
	case PARAM_INTEGER:
		return json_integer(value->integer);
	case PARAM_CHOICE:
		return jsonify_text(params_print(params, index, text, sizeof(text)));
	case PARAM_TEXT:
		return jsonify_text(value->text);
	case PARAM_COUNT_LIST:
	case PARAM_SIZE_LIST:
		return list_to_json(value, has_sets);
	}
	return NULL;
}

static json_t *params_to_json(const struct params *params, bool has_sets)
{
	json_t *object = json_object();
	bool failed = !object;

	for (unsigned i = 0; i < params->n && !failed; i++)
		jsonify_put(
		        object, params->table[i].name, param_to_json(params, i, has_sets), &failed);
	return jsonify_finish(object, failed);
}

/* null where @latency holds nothing */
static json_t *latency_mean(const struct histogram *latency)
{
	uint64_t count, max_ns;
	double mean;

	if (!latency)
		return json_null();
	count = histogram_load(&latency->count);
	if (!count)
		return json_null();
	mean = (double)histogram_load(&latency->sum_ns) / (double)count;
	max_ns = histogram_load(&latency->max_ns);
	return jsonify_number(mean > (double)max_ns ? (double)max_ns : mean);
}

static json_t *latency_max(const struct histogram *latency)
{
	if (!latency || !histogram_load(&latency->count))
		return json_null();
	return jsonify_unsigned(histogram_load(&latency->max_ns));
}

static json_t *operation_to_json(const struct result_operation *operation)
{
	json_t *object = json_object();
	bool failed = !object;

	jsonify_put(object, "name", jsonify_text(operation->name), &failed);
	jsonify_put(object, "count", jsonify_unsigned(operation->count), &failed);
	jsonify_put(object, "errors", jsonify_unsigned(operation->errors), &failed);
	jsonify_put(object, "bytes", jsonify_unsigned(operation->bytes), &failed);
	jsonify_put(object, "mean_ns", latency_mean(operation->latency), &failed);
	for (unsigned i = 0; i < RESULT_QUANTILES; i++) {
		const struct result_quantile *quantile = &result_quantiles[i];
		uint64_t ns;
		bool is_known = result_percentile(operation->latency, quantile, &ns);

		jsonify_put(object, quantile->name, is_known ? jsonify_unsigned(ns) : json_null(),
		        &failed);
	}
	jsonify_put(object, "max_ns", latency_max(operation->latency), &failed);
	return jsonify_finish(object, failed);
}

static json_t *operations_to_json(const struct result *result)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < result->n_operations; i++)
		if (json_array_append_new(array, operation_to_json(&result->operations[i])))
			return jsonify_finish(array, true);
	return array;
}

static json_t *marks_to_json(unsigned marks)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < MARK_COUNT; i++)
		if ((marks & (1U << i)) &&
		        json_array_append_new(array, json_string(mark_table[i].word)))
			return jsonify_finish(array, true);
	return array;
}

static json_t *error_to_json(const struct result *result)
{
	json_t *object;
	bool failed = false;

	if (!result_has_error(result))
		return json_null();
	object = json_object();
	jsonify_put(object, "operation", text_or_null(result->error_operation), &failed);
	jsonify_put(object, "path", text_or_null(result->error_path), &failed);
	jsonify_put(object, "errno",
	        result->error_errno ? json_integer(result->error_errno) : json_null(), &failed);
	jsonify_put(object, "text", text_or_null(result->error_text), &failed);
	return jsonify_finish(object, failed);
}

static void put_names(
        json_t *object, const struct report *report, const struct result *result, bool *failed)
{
	const struct report_row *row = &report->rows[result->row];

	jsonify_put(object, "target", jsonify_label(report, (int)result->target), failed);
	jsonify_put(object, "workload", jsonify_text(row->workload), failed);
	jsonify_put(object, "set", jsonify_text(row->set), failed);
	jsonify_put(object, "phase", jsonify_text(row->phase), failed);
	jsonify_put(object, "round", jsonify_unsigned(result->round), failed);
	jsonify_put(object, "segment", jsonify_unsigned(result->segment), failed);
	jsonify_put(object, "status", json_string(result_status_name(result->status)), failed);
}

/* How it was measured: what a reader needs to judge a figure. */
static void put_conditions(
        json_t *object, const struct report *report, const struct result *result, bool *failed)
{
	const struct report_row *row = &report->rows[result->row];
	double nothing = -1;
	bool started = result->was_started;

	jsonify_put(
	        object, "settle_s", jsonify_optional(started ? result->settle_s : nothing), failed);
	jsonify_put(object, "dirty_kib",
	        started && result->dirty_kib >= 0 ? json_integer(result->dirty_kib) : json_null(),
	        failed);
	jsonify_put(object, "others_percent",
	        jsonify_optional(started ? result->others_percent : nothing), failed);
	jsonify_put(object, "foreign_io_percent",
	        jsonify_optional(started ? result->foreign_io_percent : nothing), failed);
	jsonify_put(object, "steal_percent",
	        jsonify_optional(started ? result->steal_percent : nothing), failed);
	jsonify_put(object, "cold_method",
	        started ? text_or_null(result->cold_method) : json_null(), failed);
	jsonify_put(object, "flush", text_or_null(row->flush), failed);
	jsonify_put(object, "order", result->order ? jsonify_unsigned(result->order) : json_null(),
	        failed);
	jsonify_put(object, "predecessor", jsonify_label(report, result->predecessor), failed);
}

static void put_work(
        json_t *object, const struct report_row *row, const struct result *result, bool *failed)
{
	double nothing = -1;
	bool started = result->was_started;

	jsonify_put(object, "unit", jsonify_text(row->unit), failed);
	jsonify_put(object, "rate", jsonify_optional(result_rate(result)), failed);
	jsonify_put(
	        object, "bytes", started ? jsonify_unsigned(result->bytes) : json_null(), failed);
	jsonify_put(object, "bytes_per_s", jsonify_optional(result_bytes_rate(result)), failed);
	jsonify_put(object, "classic_s", jsonify_optional(started ? result->classic_s : nothing),
	        failed);
	jsonify_put(object, "repetitions", repetitions_to_json(result), failed);
}

json_t *result_to_json(const struct report *report, const struct result *result)
{
	const struct report_row *row = &report->rows[result->row];
	const struct params *params = result->params.table ? &result->params : &row->params;
	bool has_space = result->was_started && result->space_bytes != INT64_MIN;
	json_t *object = json_object();
	bool failed = !object;

	put_names(object, report, result, &failed);
	for (size_t i = 0; i < sizeof(time_fields) / sizeof(time_fields[0]); i++)
		jsonify_put(object, time_fields[i].name, field_to_json(result, &time_fields[i]),
		        &failed);
	put_work(object, row, result, &failed);
	put_conditions(object, report, result, &failed);
	jsonify_put(object, "device", device_to_json(result), &failed);
	jsonify_put(object, "space_bytes",
	        has_space ? json_integer(result->space_bytes) : json_null(), &failed);
	jsonify_put(object, "fragments",
	        jsonify_optional(result->was_started ? result->fragments : -1), &failed);
	jsonify_put(object, "params", params_to_json(params, row->set[0] != '\0'), &failed);
	jsonify_put(object, "operations", operations_to_json(result), &failed);
	jsonify_put(object, "marks", marks_to_json(result_marks(result)), &failed);
	jsonify_put(object, "error", error_to_json(result), &failed);
	return jsonify_finish(object, failed);
}

json_t *change_to_json(const struct report *report, const struct report_change *change)
{
	json_t *object = json_object();
	bool failed = !object;

	jsonify_put(object, "at_ns", jsonify_unsigned(change->at_ns), &failed);
	jsonify_put(object, "target", jsonify_label(report, change->target), &failed);
	jsonify_put(object, "workload", jsonify_text(change->workload), &failed);
	jsonify_put(object, "param", jsonify_text(change->param), &failed);
	jsonify_put(object, "old", jsonify_text(change->old_text), &failed);
	jsonify_put(object, "new", jsonify_text(change->new_text), &failed);
	return jsonify_finish(object, failed);
}
