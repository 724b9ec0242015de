/*
 * The formats, one file each; listed in export.c. Main thread, pure functions of view and table.
 */
#ifndef FSDERBY_EXPORT_FORMATS_H
#define FSDERBY_EXPORT_FORMATS_H

#include <jansson.h>

#include "export/export.h"

/* As struct export_format's write. */
int export_text(const struct report_view *view, const struct table *table,
        struct export_part *parts, struct error *err);
int export_json(const struct report_view *view, const struct table *table,
        struct export_part *parts, struct error *err);
int export_csv(const struct report_view *view, const struct table *table, struct export_part *parts,
        struct error *err);
int export_mongo(const struct report_view *view, const struct table *table,
        struct export_part *parts, struct error *err);

/* The text table at most @columns wide where it fits; ASCII. */
void export_text_table(struct text *out, const struct report_view *view, const struct table *table,
        unsigned columns);

/* One row of the series; shared by JSON and CSV. NULL when out of memory. */
json_t *export_json_sample(const struct report *report, const struct report_sample *sample);

#endif
