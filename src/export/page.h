/*
 * A page of plain text being written: seven-bit ASCII whatever the names in it are, and lines that
 * are filled. Internal to the text export.
 */
#ifndef FSDERBY_EXPORT_PAGE_H
#define FSDERBY_EXPORT_PAGE_H

#include "core/text.h"
#include "results/table.h"

struct page {
	const struct report_view *view;
	const struct table *table;
	struct text *out;
	int columns;
};

/* @in with one '?' for each character that is not printable ASCII. Returns @out. */
char *page_ascii(char *out, size_t size, const char *in);
void page_add_ascii(struct text *out, const char *in);

/* Words of @in filled into lines; the first begins at column @indent, where the others follow. */
void page_add_wrapped(const struct page *page, int indent, const char *in);

/* What ran: the run, the host, the conditions, a line a target. */
void page_add_head(const struct page *page);

#endif
