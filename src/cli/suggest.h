/*
 * "did you mean …": the nearest of several words to one that was typed wrong. Any thread.
 */
#ifndef FSDERBY_CLI_SUGGEST_H
#define FSDERBY_CLI_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *word; /* borrowed */
	const char *best; /* borrowed from what was offered; NULL: nothing is near */
	unsigned distance;
};

void suggest_init(struct suggest *suggest, const char *word);
void suggest_offer(struct suggest *suggest, const char *candidate);
/* "; did you mean @prefix<best>?" or "", into @out. */
char *suggest_print(const struct suggest *suggest, const char *prefix, char *out, size_t size);

#endif
