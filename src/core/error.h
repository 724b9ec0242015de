/*
 * The error a person reads: what it is about, what is wrong, what to do.
 *
 * Functions return 0 or a negative errno and fill one of these where the fault
 * happened; each boundary (target, phase, option) may add its context once.
 * Any thread; the caller owns the struct.
 */
#ifndef FSDERBY_CORE_ERROR_H
#define FSDERBY_CORE_ERROR_H

enum { ERROR_TEXT_MAX = 640 };

struct error {
	int code; /* negative errno, 0 = none */
	char text[ERROR_TEXT_MAX];
};

/* Fill @err (may be NULL) and return @code, so that `return error_set(…)` works. */
int error_set(struct error *err, int code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* As error_set, with ": <text of the errno>" behind the message. */
int error_errno(struct error *err, int code, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* Put "context: " before the text; returns err->code, -EINVAL where @err is NULL. */
int error_context(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
