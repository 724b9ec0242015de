/*
 * Growing text and safe text. Any thread, one owner a buffer.
 */
#include "core/text.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* vsnprintf in the C locale, so that a number has its '.' whatever LC_NUMERIC says. */
static int print_in_c(char *out, size_t size, const char *format, va_list args)
{
	/* glibc hands out its static C locale here: nothing is allocated, nothing to free. */
	locale_t old = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
	/* The analyzer loses a va_list that is passed on twice. */
	int length = vsnprintf(out, size, format, args); // NOLINT(clang-analyzer-valist*)

	uselocale(old);
	return length;
}

void text_init(struct text *text)
{
	memset(text, 0, sizeof(*text));
}

void text_release(struct text *text)
{
	free(text->data);
	text_init(text);
}

/* Room for @more bytes and the NUL. */
static bool reserve(struct text *text, size_t more)
{
	size_t need = text->length + more + 1, room = text->capacity ? text->capacity : 256;
	char *grown;

	if (text->failed)
		return false;
	if (more > SIZE_MAX / 4) {
		text->failed = true;
		return false;
	}
	if (need <= text->capacity)
		return true;
	while (room < need)
		room *= 2;
	grown = realloc(text->data, room);
	if (grown == NULL) {
		text->failed = true;
		return false;
	}
	text->data = grown;
	text->capacity = room;
	return true;
}

void text_add_bytes(struct text *text, const void *data, size_t size)
{
	if (!reserve(text, size))
		return;
	memcpy(text->data + text->length, data, size);
	text->length += size;
	text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_add_bytes(text, string, strlen(string));
}

void text_format_args(struct text *text, const char *format, va_list args)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = print_in_c(NULL, 0, format, args);
	if (length < 0)
		text->failed = true;
	else if (reserve(text, (size_t)length)) {
		print_in_c(text->data + text->length, (size_t)length + 1, format, again);
		text->length += (size_t)length;
	}
	va_end(again);
}

void text_format(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_format_args(text, format, args);
	va_end(args);
}

void text_fill(struct text *text, char c, int count)
{
	if (count <= 0 || !reserve(text, (size_t)count))
		return;
	memset(text->data + text->length, c, (size_t)count);
	text->length += (size_t)count;
	text->data[text->length] = '\0';
}

void text_add_fixed(struct text *text, double number, int decimals)
{
	text_format(text, "%.*f", decimals, number);
}

const char *text_string(const struct text *text)
{
	return text->data != NULL ? text->data : "";
}

/* Length of the valid UTF-8 sequence at @s with its code point, 0 when there is none. */
static unsigned decode(const unsigned char *s, uint32_t *point)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned n = s[0] < 0x80             ? 1
	             : (s[0] & 0xe0) == 0xc0 ? 2
	             : (s[0] & 0xf0) == 0xe0 ? 3
	             : (s[0] & 0xf8) == 0xf0 ? 4
	                                     : 0;

	if (n == 0)
		return 0;
	*point = n == 1 ? s[0] : s[0] & (0x7fU >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (s[i] & 0x3f);
	}
	if (*point < lowest[n] || *point > 0x10ffff || (*point >= 0xd800 && *point <= 0xdfff))
		return 0;
	return n;
}

/* Controls, line and paragraph separators, and what reorders text. */
static bool is_unsafe(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point <= 0x9f) || point == 0x2028 ||
	       point == 0x2029 || (point >= 0x202a && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

/* As text_sanitize; returns where in @in it stopped. */
static const char *sanitize(char *out, size_t size, const char *in)
{
	const unsigned char *s = (const unsigned char *)in;
	size_t length = 0;

	while (*s != '\0') {
		uint32_t point = 0;
		unsigned n = decode(s, &point);
		bool is_bad = n == 0 || is_unsafe(point);
		unsigned width = is_bad ? 1 : n;

		if (length + width + 1 > size)
			break;
		if (is_bad)
			out[length] = '?';
		else
			memcpy(out + length, s, n);
		length += width;
		s += n == 0 ? 1 : n;
	}
	out[length] = '\0';
	return (const char *)s;
}

char *text_sanitize(char *out, size_t size, const char *in)
{
	if (size > 0)
		sanitize(out, size, in);
	return out;
}

char *text_quote(char *out, size_t size, const char *in)
{
	const char *end = "'";

	if (*sanitize(out + 1, size - 2, in) != '\0') {
		end = "...'";
		sanitize(out + 1, size - 5, in);
	}
	out[0] = '\'';
	memcpy(out + strlen(out), end, strlen(end) + 1);
	return out;
}

char *text_print_args(char *out, size_t size, const char *format, va_list args)
{
	if (size > 0 && print_in_c(out, size, format, args) < 0)
		out[0] = '\0';
	return out;
}

char *text_print(char *out, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_print_args(out, size, format, args);
	va_end(args);
	return out;
}
