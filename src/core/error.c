/*
 * Error texts: filled where a fault happened, context added at boundaries. Any thread.
 */
#include "core/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "core/text.h"

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list args;

	if (err == NULL)
		return code;
	err->code = code;
	va_start(args, format);
	text_print_args(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}

int error_errno(struct error *err, int code, const char *format, ...)
{
	char what[ERROR_TEXT_MAX];
	const char *text = strerrordesc_np(-code); /* not translated, safe in any thread */
	va_list args;

	if (err == NULL)
		return code;
	err->code = code;
	va_start(args, format);
	text_print_args(what, sizeof(what), format, args);
	va_end(args);
	if (text != NULL)
		text_print(err->text, sizeof(err->text), "%s: %s", what, text);
	else
		text_print(err->text, sizeof(err->text), "%s: error %d", what, -code);
	return code;
}

int error_context(struct error *err, const char *format, ...)
{
	char context[ERROR_TEXT_MAX], old[ERROR_TEXT_MAX];
	va_list args;

	if (err == NULL)
		return -EINVAL;
	va_start(args, format);
	text_print_args(context, sizeof(context), format, args);
	va_end(args);
	text_print(old, sizeof(old), "%s", err->text);
	text_print(err->text, sizeof(err->text), "%s: %s", context, old);
	return err->code;
}
