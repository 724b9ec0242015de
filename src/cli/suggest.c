/*
 * Edit distance with swaps of neighbours (optimal string alignment; Damerau 1964). Any thread.
 */
#include "cli/suggest.h"

#include <string.h>

#include "core/text.h"

enum { SUGGEST_WORD_MAX = 31 };

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Three rows of the matrix are enough: two back (for swaps), one back, this one. */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned rows[3][SUGGEST_WORD_MAX + 1];
	size_t n = strlen(a), m = strlen(b);

	for (size_t j = 0; j <= m; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = least(above[j] + 1, row[j - 1] + 1,
			        above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			        two_above[j - 2] + 1 < row[j])
				row[j] = two_above[j - 2] + 1;
		}
	}
	return rows[n % 3][m];
}

void suggest_init(struct suggest *suggest, const char *word)
{
	size_t length = strlen(word);

	suggest->word = word;
	suggest->best = NULL;
	/* Farther than a third of the word is another word. */
	suggest->distance = length < 3 ? 2 : (unsigned)(length / 3 + 2);
}

void suggest_offer(struct suggest *suggest, const char *candidate)
{
	size_t length = strlen(suggest->word);
	unsigned distance;

	if (length > SUGGEST_WORD_MAX || strlen(candidate) > SUGGEST_WORD_MAX)
		return;
	/* The beginning of a word is near to it however long the rest is. */
	if (length >= 3 && strncmp(candidate, suggest->word, length) == 0)
		distance = 1;
	else
		distance = edit_distance(suggest->word, candidate);
	if (distance < suggest->distance) {
		suggest->distance = distance;
		suggest->best = candidate;
	}
}

char *suggest_print(const struct suggest *suggest, const char *prefix, char *out, size_t size)
{
	if (suggest->best == NULL)
		return text_print(out, size, "%s", "");
	return text_print(out, size, "; did you mean %s%s?", prefix, suggest->best);
}
