/*
 * The CSV export (RFC 4180): a row a result, with the operations and the series in files of their
 * own. Rows are read from the JSON objects, so that both exports hold the same figures; the tables
 * of columns fix which, in what order. A nested name is joined by '_'.
 */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "export/formats.h"
#include "results/jsonify.h"
#include "results/result_json.h"

/* Paths in the JSON object; '.' goes down. */
static const char *const result_columns[] = { "target", "workload", "set", "phase", "round",
	"segment", "status", "started", "ended", "start_ns", "wall_s", "first_done_s", "flush_s",
	"paused_s", "cpu_user_s", "cpu_system_s", "cpu_percent", "machine_percent", "workers",
	"work", "unit", "rate", "bytes", "bytes_per_s", "classic_s", "repetitions", "settle_s",
	"dirty_kib", "steal_percent", "others_percent", "foreign_io_percent", "cold_method",
	"flush", "order", "predecessor", "device.name", "device.read_bytes", "device.written_bytes",
	"device.reads", "device.writes", "device.util_percent", "device.paused_read_bytes",
	"device.paused_written_bytes", "device.bottom.name", "device.bottom.read_bytes",
	"device.bottom.written_bytes", "device.bottom.reads", "device.bottom.writes",
	"device.bottom.util_percent", "device.bottom.paused_read_bytes",
	"device.bottom.paused_written_bytes", "space_bytes", "fragments", "params", "marks",
	"error.operation", "error.path", "error.errno", "error.text", NULL };

static const char *const key_columns[] = { "target", "workload", "set", "phase", "round", "segment",
	NULL };

static const char *const operation_columns[] = { "name", "count", "errors", "bytes", "mean_ns",
	"p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", NULL };

static const char *const sample_columns[] = { "target", "workload", "set", "phase", "round",
	"at_ns", "interval_s", "work", "bytes", "rate", "bytes_per_s", "cpu_percent",
	"machine_percent", "p50_ns", "p99_ns", "max_ns", NULL };

static void add_quoted(struct text *out, const char *field)
{
	if (!strpbrk(field, ",\"\r\n")) {
		text_add(out, field);
		return;
	}
	text_add(out, "\"");
	for (; *field; field++)
		text_add(out, *field == '"' ? "\"\"" : (char[]){ *field, '\0' });
	text_add(out, "\"");
}

/* Words of an array of strings, with blanks between. */
static void add_words(struct text *out, const json_t *array)
{
	size_t i;
	json_t *word;

	json_array_foreach(array, i, word)
	{
		text_add(out, i ? " " : "");
		text_add(out, json_string_value(word));
	}
}

static void add_dump(struct text *out, const json_t *value)
{
	char *dump = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSONIFY_FLAGS);

	if (!dump) {
		out->failed = true;
		return;
	}
	add_quoted(out, dump);
	free(dump);
}

/* null is an empty field; what has structure stays JSON. */
static void add_value(struct text *out, const json_t *value)
{
	if (!value || json_is_null(value))
		return;
	if (json_is_string(value))
		add_quoted(out, json_string_value(value));
	else if (json_is_array(value) && json_is_string(json_array_get(value, 0)))
		add_words(out, value);
	else if (!json_is_array(value) || json_array_size(value) > 0)
		add_dump(out, value);
}

static const json_t *find_value(const json_t *object, const char *path)
{
	char key[64];
	size_t length = strcspn(path, ".");

	text_print(key, sizeof(key), "%.*s", (int)length, path);
	object = json_object_get(object, key);
	return path[length] ? find_value(object, path + length + 1) : object;
}

static void add_names(struct text *out, const char *const *columns, bool is_first)
{
	for (; *columns; columns++) {
		text_add(out, is_first ? "" : ",");
		is_first = false;
		for (const char *at = *columns; *at; at++)
			text_fill(out, *at == '.' ? '_' : *at, 1);
	}
}

static void add_values(
        struct text *out, const json_t *object, const char *const *columns, bool is_first)
{
	for (; *columns; columns++) {
		text_add(out, is_first ? "" : ",");
		is_first = false;
		add_value(out, find_value(object, *columns));
	}
}

static void add_operations(struct text *out, const json_t *result)
{
	const json_t *operations = json_object_get(result, "operations");
	size_t i;
	json_t *operation;

	json_array_foreach(operations, i, operation)
	{
		add_values(out, result, key_columns, true);
		add_values(out, operation, operation_columns, false);
		text_add(out, "\r\n");
	}
}

static void write_results(
        struct text *results, struct text *operations, const struct report_view *view)
{
	add_names(results, result_columns, true);
	text_add(results, "\r\n");
	add_names(operations, key_columns, true);
	add_names(operations, operation_columns, false);
	text_add(operations, "\r\n");
	for (size_t i = 0; i < view->n_results && !results->failed; i++) {
		json_t *result = result_to_json(view->report, view->results[i]);

		if (!result)
			results->failed = true;
		add_values(results, result, result_columns, true);
		text_add(results, "\r\n");
		add_operations(operations, result);
		json_decref(result);
	}
}

static void write_series(struct text *out, const struct report_view *view)
{
	add_names(out, sample_columns, true);
	text_add(out, "\r\n");
	for (size_t i = 0; i < view->n_samples && !out->failed; i++) {
		json_t *sample = export_json_sample(view->report, &view->samples[i]);

		if (!sample)
			out->failed = true;
		add_values(out, sample, sample_columns, true);
		text_add(out, "\r\n");
		json_decref(sample);
	}
}

int export_csv(const struct report_view *view, const struct table *table, struct export_part *parts,
        struct error *err)
{
	(void)table;
	parts[1].suffix = "-operations";
	parts[2].suffix = "-series";
	write_results(&parts[0].text, &parts[1].text, view);
	write_series(&parts[2].text, view);
	for (int i = 0; i < EXPORT_PARTS_MAX; i++)
		if (parts[i].text.failed)
			return error_errno(err, -ENOMEM, "csv");
	return EXPORT_PARTS_MAX;
}
