/*
 * Text that grows, and text made safe to show.
 *
 * A buffer remembers that an allocation failed and then takes nothing more; check text_failed
 * once at the end. Names of files, labels and mount options are foreign: everything that goes to
 * a terminal passes text_sanitize first. Any thread, one owner a buffer.
 */
#ifndef FSDERBY_CORE_TEXT_H
#define FSDERBY_CORE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
	char *data; /* NUL terminated once anything was added; NULL when empty */
	size_t length, capacity;
	bool failed;
};

void text_init(struct text *text);
void text_release(struct text *text);
void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const void *data, size_t size);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_format_args(struct text *text, const char *format, va_list args)
        __attribute__((format(printf, 2, 0)));
/* @count times @c */
void text_fill(struct text *text, char c, int count);
/* A number with @decimals places and '.' in every locale. */
void text_add_fixed(struct text *text, double number, int decimals);
/* The contents, never NULL. */
const char *text_string(const struct text *text);

/*
 * Copy @in to @out (at most @size bytes with the NUL), with control characters, DEL, C1 controls,
 * line separators, what reorders text (U+202A-202E, U+2066-2069), U+FEFF and bytes that are not
 * UTF-8 replaced by '?'. Cuts only between characters. Returns @out.
 */
char *text_sanitize(char *out, size_t size, const char *in);

/* The same in 'quotes', for messages; cut with "..." where it does not fit. @size of 8 or more. */
char *text_quote(char *out, size_t size, const char *in);

/* snprintf that always ends in NUL and returns @out; numbers have '.' in every locale, here and
 * in text_format. */
char *text_print(char *out, size_t size, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
char *text_print_args(char *out, size_t size, const char *format, va_list args)
        __attribute__((format(printf, 3, 0)));

#endif
