/*
 * The small steps of making JSON: values that may be absent, strings that may be anything, and one
 * place for running out of memory. All return a new reference, or NULL when out of memory.
 * Strings that are not UTF-8 get U+FFFD for each bad byte. Any thread.
 */
#ifndef FSDERBY_RESULTS_JSONIFY_H
#define FSDERBY_RESULTS_JSONIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "results/report.h"

/* Flags for json_dumps: 15 digits give back every time to the nanosecond, and 0.1 as 0.1. */
#define JSONIFY_FLAGS (JSON_REAL_PRECISION(15))

/* Put @value (the reference is taken over) in @object; a NULL of either sets *@failed. */
void jsonify_put(json_t *object, const char *key, json_t *value, bool *failed);
/* @object, or NULL (and @object is released) where *@failed. */
json_t *jsonify_finish(json_t *object, bool failed);

json_t *jsonify_text(const char *text);
json_t *jsonify_unsigned(uint64_t number);
/* null where the number is not finite */
json_t *jsonify_number(double number);
/* null where it is negative */
json_t *jsonify_optional(double number);
/* null where it is 0 */
json_t *jsonify_utc(uint64_t utc_ns);

/* The label of a target; null for -1. */
json_t *jsonify_label(const struct report *report, int target);

#endif
