/*
 * The JSON export as the tests see it: read strictly, checked field by field, asked by path.
 * One thread.
 */
#ifndef FSDERBY_TESTS_SYSTEM_DOCUMENT_H
#define FSDERBY_TESTS_SYSTEM_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* One whole document, no name twice, else a failed check and NULL. json_decref it. */
json_t *document_load(const char *path);

/* Every field that the contract names, with its type, in all its parts; and what must hold between
 * the numbers of one result. */
void document_check(const json_t *document);

/*
 * Each planned result (every target, round and row) is there exactly once. @rows names the
 * workloads' rows in order: "phase" for a set without a name, else "phase@set"; NULL at the end.
 */
void document_check_planned(
        const json_t *document, const char *const *rows, unsigned rounds, unsigned n_targets);

/* The result of @row (see above) of @target in @round; else a failed check and NULL. */
const json_t *document_result(
        const json_t *document, const char *target, const char *row, unsigned round);
size_t document_n_results(const json_t *document);
const json_t *document_result_at(const json_t *document, size_t index);
/* How many have this status. */
unsigned document_count_status(const json_t *document, const char *status);

/* A value by its path ("device.bottom.name"); NULL where a part is missing. */
const json_t *document_at(const json_t *object, const char *path);
/* "" and -1 where it is not a string, a number. */
const char *document_text(const json_t *object, const char *path);
double document_number(const json_t *object, const char *path);
int64_t document_integer(const json_t *object, const char *path);
bool document_is_null(const json_t *object, const char *path);
bool document_is(const json_t *object, const char *path, const char *text);
bool document_has_mark(const json_t *result, const char *mark);
/* A figure of the operation @name ("count"); 0 where there was no such operation. */
int64_t document_operation(const json_t *result, const char *name, const char *figure);

#endif
