/*
 * Sizes, times, shares and counts: one strict reader and one printer each.
 *
 * What a reader takes a printer gives back: parse(print(x)) == x. Readers take the whole text
 * or nothing; on error the value is left alone and the message says what would be right.
 * Any thread.
 */
#ifndef FSDERBY_CORE_UNITS_H
#define FSDERBY_CORE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum { UNITS_TEXT_MAX = 32 };

/* Bytes: digits, perhaps a fraction, then nothing or k M G T (1024; K is read too). Below 2^63. */
int units_parse_size(const char *text, uint64_t *bytes, struct error *err);

/* Nanoseconds: a number with one of ns us ms s min h; plain 0 needs no unit. */
int units_parse_time(const char *text, uint64_t *ns, struct error *err);

/* A share from 0 to 1: a number with %, 0% to 100%. */
int units_parse_share(const char *text, double *share, struct error *err);

/* A count: digits with an optional fraction, then nothing or k or M (1000). */
int units_parse_count(const char *text, uint64_t *count, struct error *err);

/* A whole number with an optional minus, no unit. */
int units_parse_integer(const char *text, int64_t *value, struct error *err);

/* Exact printers, in the largest unit that divides the value ("64k", "1536", "200ms", "25%"). */
char *units_print_size(char out[UNITS_TEXT_MAX], uint64_t bytes);
char *units_print_time(char out[UNITS_TEXT_MAX], uint64_t ns);
char *units_print_share(char out[UNITS_TEXT_MAX], double share);
char *units_print_count(char out[UNITS_TEXT_MAX], uint64_t count);

/* For people, about three digits, '.' in every locale: "1.5 MiB", "21.3k", "3.21s", "88us". */
char *units_format_bytes(char out[UNITS_TEXT_MAX], double bytes);
char *units_format_number(char out[UNITS_TEXT_MAX], double number);
char *units_format_seconds(char out[UNITS_TEXT_MAX], double seconds);
char *units_format_latency(char out[UNITS_TEXT_MAX], uint64_t ns);

/* "00:12:41" for elapsed times. */
char *units_format_clock(char out[UNITS_TEXT_MAX], double seconds);

/* 1,234,567 */
char *units_format_grouped(char out[UNITS_TEXT_MAX], uint64_t number);

#endif
