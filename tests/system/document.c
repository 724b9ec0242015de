/*
 * The JSON export, asked. The checks of its fields are in document_check.c.
 */
#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "place.h"

json_t *document_load(const char *path)
{
	json_error_t error = { .text = "" };
	json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	EXPECT(document != NULL, "%s: line %d: %s", path, error.line, error.text);
	return document;
}

const json_t *document_at(const json_t *object, const char *path)
{
	char key[64];
	size_t length = strcspn(path, ".");

	text_print(key, sizeof(key), "%.*s", (int)length, path);
	object = json_object_get(object, key);
	return path[length] != '\0' ? document_at(object, path + length + 1) : object;
}

const char *document_text(const json_t *object, const char *path)
{
	const char *text = json_string_value(document_at(object, path));

	return text != NULL ? text : "";
}

double document_number(const json_t *object, const char *path)
{
	const json_t *value = document_at(object, path);

	return json_is_number(value) ? json_number_value(value) : -1;
}

int64_t document_integer(const json_t *object, const char *path)
{
	const json_t *value = document_at(object, path);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

bool document_is_null(const json_t *object, const char *path)
{
	return json_is_null(document_at(object, path));
}

bool document_is(const json_t *object, const char *path, const char *text)
{
	return strcmp(document_text(object, path), text) == 0;
}

size_t document_n_results(const json_t *document)
{
	return json_array_size(json_object_get(document, "results"));
}

const json_t *document_result_at(const json_t *document, size_t index)
{
	return json_array_get(json_object_get(document, "results"), index);
}

unsigned document_count_status(const json_t *document, const char *status)
{
	unsigned n = 0;

	for (size_t i = 0; i < document_n_results(document); i++)
		n += document_is(document_result_at(document, i), "status", status);
	return n;
}

static bool is_row(const json_t *result, const char *row)
{
	size_t length = strcspn(row, "@");
	const char *phase = document_text(result, "phase");
	const char *set = row[length] == '@' ? row + length + 1 : NULL;

	return strlen(phase) == length && strncmp(phase, row, length) == 0 &&
	       (set == NULL || document_is(result, "set", set));
}

const json_t *document_result(
        const json_t *document, const char *target, const char *row, unsigned round)
{
	for (size_t i = 0; i < document_n_results(document); i++) {
		const json_t *result = document_result_at(document, i);

		if (document_is(result, "target", target) && is_row(result, row) &&
		        document_integer(result, "round") == (int64_t)round)
			return result;
	}
	EXPECT(false, "no result of %s %s round %u", target, row, round);
	return NULL;
}

void document_check_planned(
        const json_t *document, const char *const *rows, unsigned rounds, unsigned n_targets)
{
	const json_t *targets = json_object_get(document, "targets");
	unsigned n_planned = 0, n_rows = 0;

	for (; rows[n_rows] != NULL; n_rows++)
		;
	n_planned = n_rows * rounds * n_targets;
	EXPECT(json_array_size(targets) == n_targets, "%zu targets", json_array_size(targets));
	EXPECT(document_n_results(document) == n_planned, "%zu results, not %u",
	        document_n_results(document), n_planned);
	for (unsigned i = 0; i < n_planned; i++) {
		const json_t *target = json_array_get(targets, i % n_targets);

		document_result(document, document_text(target, "label"),
		        rows[i / n_targets % n_rows], i / n_targets / n_rows + 1);
	}
}

bool document_has_mark(const json_t *result, const char *mark)
{
	const json_t *marks = json_object_get(result, "marks");

	for (size_t i = 0; i < json_array_size(marks); i++)
		if (strcmp(json_string_value(json_array_get(marks, i)), mark) == 0)
			return true;
	return false;
}

int64_t document_operation(const json_t *result, const char *name, const char *figure)
{
	const json_t *operations = json_object_get(result, "operations");

	for (size_t i = 0; i < json_array_size(operations); i++) {
		const json_t *operation = json_array_get(operations, i);

		if (document_is(operation, "name", name))
			return document_integer(operation, figure);
	}
	return 0;
}
