/*
 * The JSON export: one document, schema 1. Rows come from results/result_json.c, which the journal
 * shares.
 */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "export/formats.h"
#include "results/jsonify.h"
#include "results/result_json.h"

enum { JSON_SCHEMA = 1 };

static json_t *host_to_json(const struct report_host *host)
{
	json_t *object = json_object();
	bool failed = !object;

	jsonify_put(object, "name", jsonify_text(host->name), &failed);
	jsonify_put(object, "kernel", jsonify_text(host->kernel), &failed);
	jsonify_put(object, "cpus", jsonify_unsigned(host->cpus), &failed);
	jsonify_put(object, "cpu", jsonify_text(host->cpu), &failed);
	jsonify_put(object, "memory_bytes", jsonify_unsigned(host->memory_bytes), &failed);
	jsonify_put(object, "virtual", json_boolean(host->is_virtual), &failed);
	jsonify_put(object, "governor",
	        host->governor[0] != '\0' ? jsonify_text(host->governor) : json_null(), &failed);
	jsonify_put(object, "load_1min", jsonify_number(host->load_1min), &failed);
	jsonify_put(object, "cpu_limit",
	        host->cpu_limit > 0 ? jsonify_number(host->cpu_limit) : json_null(), &failed);
	jsonify_put(object, "memory_limit_bytes",
	        host->memory_limit_bytes > 0 ? jsonify_unsigned(host->memory_limit_bytes)
	                                     : json_null(),
	        &failed);
	return jsonify_finish(object, failed);
}

static json_t *run_to_json(const struct report_view *view)
{
	const struct report *report = view->report;
	json_t *object = json_object();
	bool failed = !object;

	jsonify_put(object, "id", jsonify_text(report->id), &failed);
	jsonify_put(object, "started", jsonify_utc(report->started_utc_ns), &failed);
	jsonify_put(object, "ended", jsonify_utc(view->ended_utc_ns), &failed);
	jsonify_put(
	        object, "command", jsonify_text(report->command ? report->command : ""), &failed);
	jsonify_put(object, "profile", jsonify_text(report->profile), &failed);
	jsonify_put(object, "seed", jsonify_unsigned(report->seed), &failed);
	jsonify_put(object, "rounds", jsonify_unsigned(report->rounds), &failed);
	jsonify_put(object, "schedule", jsonify_text(report->schedule), &failed);
	jsonify_put(object, "schedule_reason", jsonify_text(report->schedule_reason), &failed);
	jsonify_put(object, "cold", json_boolean(report->is_cold), &failed);
	jsonify_put(object, "flush", jsonify_text(report->flush), &failed);
	jsonify_put(object, "host", host_to_json(&report->host), &failed);
	jsonify_put(object, "complete", json_boolean(view->is_complete), &failed);
	return jsonify_finish(object, failed);
}

static bool has_device(const struct target_device *devices, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(devices[i].name, name))
			return true;
	return false;
}

/* From the nearest to those at the bottom, each once. */
static json_t *devices_to_json(const struct target *target)
{
	json_t *array = json_array();
	bool failed = !array;

	for (unsigned i = 0; i < target->n_nearest; i++)
		if (json_array_append_new(array, jsonify_text(target->nearest[i].name)))
			failed = true;
	for (unsigned i = 0; i < target->n_bottom; i++)
		if (!has_device(target->nearest, target->n_nearest, target->bottom[i].name) &&
		        json_array_append_new(array, jsonify_text(target->bottom[i].name)))
			failed = true;
	return jsonify_finish(array, failed);
}

static json_t *flags_to_json(unsigned flags)
{
	json_t *array = json_array();
	const char *name;
	bool failed = !array;

	for (unsigned i = 0; (name = target_flag_name(i)); i++)
		if ((flags & (1U << i)) && json_array_append_new(array, jsonify_text(name)))
			failed = true;
	return jsonify_finish(array, failed);
}

static json_t *text_or_null(const char *text)
{
	return text[0] != '\0' ? jsonify_text(text) : json_null();
}

static json_t *target_to_json(const struct target *target)
{
	json_t *object = json_object();
	bool failed = !object;
	bool has_inodes = target->inodes > 0;

	jsonify_put(object, "label", jsonify_text(target->label), &failed);
	jsonify_put(object, "path", jsonify_text(target->path), &failed);
	jsonify_put(object, "mount_point", jsonify_text(target->mount_point), &failed);
	jsonify_put(object, "fs", jsonify_text(target->fs), &failed);
	jsonify_put(object, "source", jsonify_text(target->source), &failed);
	jsonify_put(object, "options", jsonify_text(target->options), &failed);
	jsonify_put(object, "devices", devices_to_json(target), &failed);
	jsonify_put(object, "size_bytes", jsonify_unsigned(target->size_bytes), &failed);
	jsonify_put(object, "free_bytes", jsonify_unsigned(target->free_bytes), &failed);
	jsonify_put(object, "inodes", has_inodes ? jsonify_unsigned(target->inodes) : json_null(),
	        &failed);
	jsonify_put(object, "free_inodes",
	        has_inodes ? jsonify_unsigned(target->free_inodes) : json_null(), &failed);
	jsonify_put(object, "block_bytes", jsonify_unsigned(target->block_bytes), &failed);
	jsonify_put(object, "flags", flags_to_json(target->flags), &failed);
	jsonify_put(object, "mkfs", text_or_null(target->mkfs), &failed);
	jsonify_put(object, "driver", text_or_null(target->driver), &failed);
	jsonify_put(object, "image_bytes",
	        target->image_bytes > 0 ? jsonify_unsigned(target->image_bytes) : json_null(),
	        &failed);
	return jsonify_finish(object, failed);
}

static json_t *latency(uint64_t ns)
{
	return ns ? jsonify_unsigned(ns) : json_null();
}

json_t *export_json_sample(const struct report *report, const struct report_sample *sample)
{
	const struct report_row *row = &report->rows[sample->row];
	json_t *object = json_object();
	bool failed = !object;

	jsonify_put(object, "target", jsonify_label(report, (int)sample->target), &failed);
	jsonify_put(object, "workload", jsonify_text(row->workload), &failed);
	jsonify_put(object, "set", jsonify_text(row->set), &failed);
	jsonify_put(object, "phase", jsonify_text(row->phase), &failed);
	jsonify_put(object, "round", jsonify_unsigned(sample->round), &failed);
	jsonify_put(object, "at_ns", jsonify_unsigned(sample->at_ns), &failed);
	jsonify_put(object, "interval_s", jsonify_optional(sample->interval_s), &failed);
	jsonify_put(object, "work", jsonify_unsigned(sample->work), &failed);
	jsonify_put(object, "bytes", jsonify_unsigned(sample->bytes), &failed);
	jsonify_put(object, "rate", jsonify_optional(sample->rate), &failed);
	jsonify_put(object, "bytes_per_s", jsonify_optional(sample->bytes_per_s), &failed);
	jsonify_put(object, "cpu_percent", jsonify_optional(sample->cpu_percent), &failed);
	jsonify_put(object, "machine_percent", jsonify_optional(sample->machine_percent), &failed);
	jsonify_put(object, "p50_ns", latency(sample->p50_ns), &failed);
	jsonify_put(object, "p99_ns", latency(sample->p99_ns), &failed);
	jsonify_put(object, "max_ns", latency(sample->max_ns), &failed);
	return jsonify_finish(object, failed);
}

static json_t *targets(const struct report_view *view)
{
	json_t *array = json_array();
	bool failed = !array;

	for (unsigned i = 0; i < view->report->n_targets; i++)
		if (json_array_append_new(array, target_to_json(&view->report->targets[i])))
			failed = true;
	return jsonify_finish(array, failed);
}

static json_t *results(const struct report_view *view)
{
	json_t *array = json_array();
	bool failed = !array;

	for (size_t i = 0; i < view->n_results && !failed; i++)
		if (json_array_append_new(array, result_to_json(view->report, view->results[i])))
			failed = true;
	return jsonify_finish(array, failed);
}

static json_t *changes(const struct report_view *view)
{
	json_t *array = json_array();
	bool failed = !array;

	for (size_t i = 0; i < view->n_changes && !failed; i++)
		if (json_array_append_new(array, change_to_json(view->report, &view->changes[i])))
			failed = true;
	return jsonify_finish(array, failed);
}

static json_t *series(const struct report_view *view)
{
	json_t *array = json_array();
	bool failed = !array;

	for (size_t i = 0; i < view->n_samples && !failed; i++)
		if (json_array_append_new(
		            array, export_json_sample(view->report, &view->samples[i])))
			failed = true;
	return jsonify_finish(array, failed);
}

static int add_text(const char *data, size_t size, void *text)
{
	text_add_bytes(text, data, size);
	return 0;
}

int export_json(const struct report_view *view, const struct table *table,
        struct export_part *parts, struct error *err)
{
	json_t *document = json_object();
	bool failed = !document;

	(void)table;
	jsonify_put(document, "schema", json_integer(JSON_SCHEMA), &failed);
	jsonify_put(document, "version", jsonify_text(view->report->version), &failed);
	jsonify_put(document, "run", run_to_json(view), &failed);
	jsonify_put(document, "targets", targets(view), &failed);
	jsonify_put(document, "results", results(view), &failed);
	jsonify_put(document, "comparisons", json_array(), &failed);
	jsonify_put(document, "changes", changes(view), &failed);
	jsonify_put(document, "series", series(view), &failed);
	document = jsonify_finish(document, failed);
	if (!document || json_dump_callback(document, add_text, &parts[0].text,
	                         JSON_INDENT(1) | JSONIFY_FLAGS)) {
		json_decref(document);
		return error_errno(err, -ENOMEM, "json");
	}
	json_decref(document);
	text_add(&parts[0].text, "\n");
	return 1;
}
