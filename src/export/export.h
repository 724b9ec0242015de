/*
 * Exports: one report, many formats. One table of formats; which one by the file's ending or a
 * "format:" prefix. Files are written beside, fsynced and renamed: never half a file.
 * Called by the main thread; reads nothing but the report.
 */
#ifndef FSDERBY_EXPORT_EXPORT_H
#define FSDERBY_EXPORT_EXPORT_H

#include <stddef.h>
#include <stdio.h>

#include "core/error.h"
#include "core/text.h"
#include "results/table.h"

/* An extra file beside the main one ("NAME-operations.csv"). */
struct export_part {
	const char *suffix; /* put before the ending; "" is the file itself */
	struct text text;
};

enum { EXPORT_PARTS_MAX = 3 };

struct export_format {
	const char *name;   /* "json"; also the prefix "json:FILE" */
	const char *ending; /* ".json", or NULL: only by prefix */
	const char *help;
	const char *workload; /* the only one it can show; NULL: all */
	/* Fill parts[0…]; returns how many or a negative errno with @err. */
	int (*write)(const struct report_view *view, const struct table *table,
	        struct export_part *parts, struct error *err);
};

/* The table of formats, NULL past the last. */
const struct export_format *export_format_at(unsigned index);

struct export_target {
	const struct export_format *format;
	const char *path; /* within the argument; "-": standard output, as text */
};

/* Understand "-", "FILE.json", "mongo:FILE". The message lists what would be right. */
int export_parse(const char *argument, struct export_target *target, struct error *err);

/* Can the file be made? Tried at the start, so that it does not fail at the end. */
int export_check(const struct export_target *target, struct error *err);

/* Write all parts. */
int export_write(const struct export_target *target, struct report *report, struct error *err);

/* The text table for standard output, at most @columns wide where it fits. */
int export_print(struct report *report, unsigned columns, FILE *out, struct error *err);

#endif
