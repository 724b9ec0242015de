/*
 * What the contract says of the JSON export's fields, as tables, and the checks by them.
 */
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "document.h"
#include "place.h"

enum kind { TEXT, INTEGER, NUMBER, TRUTH, ARRAY, OBJECT };
/* STARTED: null exactly where the result never began. */
enum presence { ALWAYS, STARTED, OPTIONAL };

struct field {
	const char *name;
	enum kind kind;
	enum presence presence;
};

static const struct field top_fields[] = { { "schema", INTEGER, ALWAYS },
	{ "version", TEXT, ALWAYS }, { "run", OBJECT, ALWAYS }, { "targets", ARRAY, ALWAYS },
	{ "results", ARRAY, ALWAYS }, { "comparisons", ARRAY, ALWAYS },
	{ "changes", ARRAY, ALWAYS }, { "series", ARRAY, ALWAYS }, { NULL, 0, 0 } };

static const struct field run_fields[] = { { "id", TEXT, ALWAYS }, { "started", TEXT, ALWAYS },
	{ "ended", TEXT, ALWAYS }, { "command", TEXT, ALWAYS }, { "profile", TEXT, ALWAYS },
	{ "seed", INTEGER, ALWAYS }, { "rounds", INTEGER, ALWAYS }, { "schedule", TEXT, ALWAYS },
	{ "cold", TRUTH, ALWAYS }, { "flush", TEXT, ALWAYS }, { "host", OBJECT, ALWAYS },
	{ "host.name", TEXT, ALWAYS }, { "host.kernel", TEXT, ALWAYS },
	{ "host.cpus", INTEGER, ALWAYS }, { "host.memory_bytes", INTEGER, ALWAYS },
	{ "complete", TRUTH, ALWAYS }, { NULL, 0, 0 } };

static const struct field target_fields[] = { { "label", TEXT, ALWAYS }, { "path", TEXT, ALWAYS },
	{ "fs", TEXT, ALWAYS }, { "source", TEXT, ALWAYS }, { "options", TEXT, ALWAYS },
	{ "devices", ARRAY, ALWAYS }, { "size_bytes", INTEGER, ALWAYS },
	{ "free_bytes", INTEGER, ALWAYS }, { "flags", ARRAY, ALWAYS }, { NULL, 0, 0 } };

static const struct field result_fields[] = { { "target", TEXT, ALWAYS },
	{ "workload", TEXT, ALWAYS }, { "set", TEXT, ALWAYS }, { "phase", TEXT, ALWAYS },
	{ "round", INTEGER, ALWAYS }, { "segment", INTEGER, ALWAYS }, { "status", TEXT, ALWAYS },
	{ "started", TEXT, OPTIONAL }, { "ended", TEXT, STARTED }, { "start_ns", INTEGER, STARTED },
	{ "wall_s", NUMBER, STARTED }, { "first_done_s", NUMBER, STARTED },
	{ "flush_s", NUMBER, OPTIONAL }, { "paused_s", NUMBER, STARTED },
	{ "cpu_user_s", NUMBER, STARTED }, { "cpu_system_s", NUMBER, STARTED },
	{ "cpu_percent", NUMBER, OPTIONAL }, { "machine_percent", NUMBER, OPTIONAL },
	{ "workers", INTEGER, STARTED }, { "work", INTEGER, STARTED }, { "unit", TEXT, ALWAYS },
	{ "rate", NUMBER, OPTIONAL }, { "bytes", INTEGER, STARTED },
	{ "bytes_per_s", NUMBER, OPTIONAL }, { "classic_s", NUMBER, OPTIONAL },
	{ "repetitions", ARRAY, ALWAYS }, { "settle_s", NUMBER, STARTED },
	{ "dirty_kib", INTEGER, OPTIONAL }, { "steal_percent", NUMBER, OPTIONAL },
	{ "cold_method", TEXT, STARTED }, { "order", INTEGER, OPTIONAL },
	{ "device", OBJECT, OPTIONAL }, { "space_bytes", INTEGER, OPTIONAL },
	{ "params", OBJECT, ALWAYS }, { "operations", ARRAY, ALWAYS }, { "marks", ARRAY, ALWAYS },
	{ "error", OBJECT, OPTIONAL }, { NULL, 0, 0 } };

static const struct field device_fields[] = { { "name", TEXT, ALWAYS },
	{ "read_bytes", INTEGER, ALWAYS }, { "written_bytes", INTEGER, ALWAYS },
	{ "reads", INTEGER, ALWAYS }, { "writes", INTEGER, ALWAYS },
	{ "util_percent", NUMBER, OPTIONAL }, { "paused_read_bytes", INTEGER, ALWAYS },
	{ "paused_written_bytes", INTEGER, ALWAYS }, { NULL, 0, 0 } };

static const struct field error_fields[] = { { "operation", TEXT, ALWAYS },
	{ "path", TEXT, OPTIONAL }, { "errno", INTEGER, OPTIONAL }, { "text", TEXT, ALWAYS },
	{ NULL, 0, 0 } };

static const struct field operation_fields[] = { { "name", TEXT, ALWAYS },
	{ "count", INTEGER, ALWAYS }, { "errors", INTEGER, ALWAYS }, { "bytes", INTEGER, ALWAYS },
	{ "mean_ns", NUMBER, ALWAYS }, { "p50_ns", NUMBER, OPTIONAL },
	{ "p90_ns", NUMBER, OPTIONAL }, { "p99_ns", NUMBER, OPTIONAL },
	{ "p999_ns", NUMBER, OPTIONAL }, { "max_ns", NUMBER, ALWAYS }, { NULL, 0, 0 } };

static const struct field series_fields[] = { { "target", TEXT, ALWAYS },
	{ "workload", TEXT, ALWAYS }, { "set", TEXT, ALWAYS }, { "phase", TEXT, ALWAYS },
	{ "round", INTEGER, ALWAYS }, { "at_ns", INTEGER, ALWAYS }, { "rate", NUMBER, OPTIONAL },
	{ "bytes_per_s", NUMBER, OPTIONAL }, { "cpu_percent", NUMBER, OPTIONAL },
	{ "machine_percent", NUMBER, OPTIONAL }, { "p50_ns", NUMBER, OPTIONAL },
	{ "p99_ns", NUMBER, OPTIONAL }, { NULL, 0, 0 } };

static const char *const statuses[] = { "ok", "no-space", "error", "skipped", "aborted", NULL };
static const char *const marks[] = { "no-space", "error", "changed", "paused", "short", "warm",
	"noisy", "limit", NULL };

static bool is_kind(const json_t *value, enum kind kind)
{
	switch (kind) {
	case TEXT:
		return json_is_string(value);
	case INTEGER:
		return json_is_integer(value);
	case NUMBER:
		return json_is_number(value);
	case TRUTH:
		return json_is_boolean(value);
	case ARRAY:
		return json_is_array(value);
	case OBJECT:
		return json_is_object(value);
	}
	return false;
}

static void check_fields(const json_t *object, const struct field *fields, const char *where)
{
	bool has_started = json_is_string(json_object_get(object, "started"));

	for (; fields->name != NULL; fields++) {
		const json_t *value = document_at(object, fields->name);
		bool may_be_null = fields->presence == OPTIONAL ||
		                   (fields->presence == STARTED && !has_started);

		if (!EXPECT(value != NULL, "%s: no %s", where, fields->name))
			continue;
		EXPECT(is_kind(value, fields->kind) || (may_be_null && json_is_null(value)),
		        "%s: %s has the wrong type", where, fields->name);
		if (fields->presence == STARTED && !has_started)
			EXPECT(json_is_null(value), "%s: %s without a start", where, fields->name);
	}
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

static bool is_close(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(1e-3, fmax(fabs(a), fabs(b)));
}

static void check_operation(const json_t *operation, const char *where)
{
	static const char *const rising[] = { "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns" };
	double before = 0;

	check_fields(operation, operation_fields, where);
	EXPECT(document_integer(operation, "count") > 0, "%s: an operation never made", where);
	EXPECT(document_number(operation, "mean_ns") <= document_number(operation, "max_ns"),
	        "%s: the mean is over the maximum", where);
	for (unsigned i = 0; i < sizeof(rising) / sizeof(rising[0]); i++) {
		double value = document_number(operation, rising[i]);

		if (value < 0)
			continue;
		EXPECT(value >= before, "%s: %s is under the one before", where, rising[i]);
		before = value;
	}
}

static void check_repetitions(const json_t *result, const char *where)
{
	const json_t *repetitions = json_object_get(result, "repetitions");
	double sum = 0;

	for (size_t i = 0; i < json_array_size(repetitions); i++) {
		double wall_s = document_number(json_array_get(repetitions, i), "wall_s");

		EXPECT(wall_s >= 0, "%s: a repetition without wall_s", where);
		sum += wall_s;
	}
	EXPECT(is_close(sum, document_number(result, "wall_s")), "%s: the repetitions take %g s",
	        where, sum);
}

/* What was measured fits together. */
static void check_figures(const json_t *result, const char *where)
{
	double wall_s = document_number(result, "wall_s"), rate = document_number(result, "rate");
	double work = (double)document_integer(result, "work");
	double bytes = (double)document_integer(result, "bytes");

	EXPECT(wall_s > 0, "%s: wall_s %g", where, wall_s);
	EXPECT(is_close(rate, work / wall_s), "%s: rate %g is not work / wall_s", where, rate);
	EXPECT(is_close(document_number(result, "bytes_per_s"), bytes / wall_s),
	        "%s: bytes_per_s is not bytes / wall_s", where);
	EXPECT(document_number(result, "first_done_s") <= wall_s + 1e-9, "%s: first_done_s %g",
	        where, document_number(result, "first_done_s"));
	EXPECT(strcmp(document_text(result, "started"), document_text(result, "ended")) < 0,
	        "%s: ended before it started", where);
	EXPECT(document_integer(result, "workers") > 0, "%s: no workers", where);
	check_repetitions(result, where);
}

static void check_device(const json_t *result, const char *where)
{
	const json_t *device = json_object_get(result, "device");
	const json_t *bottom = json_object_get(device, "bottom");

	if (!json_is_object(device))
		return;
	check_fields(device, device_fields, where);
	EXPECT(bottom != NULL, "%s: no device.bottom", where);
	if (json_is_object(bottom))
		check_fields(bottom, device_fields, where);
}

static void check_result(const json_t *result)
{
	const json_t *operations = json_object_get(result, "operations");
	const json_t *words = json_object_get(result, "marks");
	bool has_started = json_is_string(json_object_get(result, "started"));
	char where[160];

	text_print(where, sizeof(where), "%s %s %s round %d", document_text(result, "target"),
	        document_text(result, "set"), document_text(result, "phase"),
	        (int)document_integer(result, "round"));
	check_fields(result, result_fields, where);
	EXPECT(is_one_of(document_text(result, "status"), statuses), "%s: status %s", where,
	        document_text(result, "status"));
	for (size_t i = 0; i < json_array_size(words); i++)
		EXPECT(is_one_of(json_string_value(json_array_get(words, i)), marks), "%s: mark %s",
		        where, json_string_value(json_array_get(words, i)));
	for (size_t i = 0; i < json_array_size(operations); i++)
		check_operation(json_array_get(operations, i), where);
	check_device(result, where);
	if (json_is_object(json_object_get(result, "error")))
		check_fields(json_object_get(result, "error"), error_fields, where);
	if (document_is(result, "status", "ok"))
		check_figures(result, where);
	EXPECT(has_started || json_array_size(operations) == 0, "%s: operations without a start",
	        where);
}

void document_check(const json_t *document)
{
	const json_t *targets = json_object_get(document, "targets");
	const json_t *series = json_object_get(document, "series");

	check_fields(document, top_fields, "document");
	check_fields(json_object_get(document, "run"), run_fields, "run");
	EXPECT(document_integer(document, "schema") == 1, "schema");
	for (size_t i = 0; i < json_array_size(targets); i++)
		check_fields(json_array_get(targets, i), target_fields, "target");
	for (size_t i = 0; i < document_n_results(document); i++)
		check_result(document_result_at(document, i));
	for (size_t i = 0; i < json_array_size(series); i++)
		check_fields(json_array_get(series, i), series_fields, "series");
}
