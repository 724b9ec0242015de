/*
 * Results and changes as JSON objects, the same in the journal and in every export. Figures that
 * are absent or not finite are null. New references, or NULL when out of memory. Any thread.
 */
#ifndef FSDERBY_RESULTS_RESULT_JSON_H
#define FSDERBY_RESULTS_RESULT_JSON_H

#include <jansson.h>

#include "results/report.h"

json_t *result_to_json(const struct report *report, const struct result *result);
json_t *change_to_json(const struct report *report, const struct report_change *change);

#endif
