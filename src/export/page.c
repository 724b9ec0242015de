/*
 * Lines of plain ASCII text. See page.h.
 */
#include "export/page.h"

#include <stdlib.h>
#include <string.h>

char *page_ascii(char *out, size_t size, const char *in)
{
	size_t n = 0;

	text_sanitize(out, size, in);
	for (const char *at = out; *at; at++) {
		unsigned char c = (unsigned char)*at;

		/* Continuation bytes belong to the '?' of their first byte. */
		if ((c & 0xC0) != 0x80)
			out[n++] = c < 0x80 ? (char)c : '?';
	}
	out[n] = '\0';
	return out;
}

void page_add_ascii(struct text *out, const char *in)
{
	size_t size = strlen(in) + 1;
	char *room = malloc(size);

	if (!room) {
		out->failed = true;
		return;
	}
	text_add(out, page_ascii(room, size, in));
	free(room);
}

void page_add_wrapped(const struct page *page, int indent, const char *in)
{
	int at = indent;

	while (*in) {
		int n = (int)strcspn(in, " ");

		if (at > indent && at + 1 + n > page->columns) {
			text_format(page->out, "\n%*s", indent, "");
			at = indent;
		} else if (at > indent) {
			text_add(page->out, " ");
			at++;
		}
		text_add_bytes(page->out, in, (size_t)n);
		at += n;
		in += n + (int)strspn(in + n, " ");
	}
	text_add(page->out, "\n");
}
