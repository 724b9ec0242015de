/*
 * Glyph tables, text in cells, sparklines and bars. One algorithm each for all three glyph tables.
 * Main thread only.
 */
#include "ui/widget.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { CELLS_MAX = 1024, WIDE_MAX = 2 * CELLS_MAX };

/* clang-format off */
static const char *const spark_ascii[] = { " ", "_", ".", "-", "=", "+", "*", "#" };
static const char *const spark_console[] = { " ", "░", "▒", "▓", "█" };
/* Left sample 0..4 by right sample 0..4. */
static const char *const spark_braille[] = {
	" ", "⢀", "⢠", "⢰", "⢸",
	"⡀", "⣀", "⣠", "⣰", "⣸",
	"⡄", "⣄", "⣤", "⣴", "⣼",
	"⡆", "⣆", "⣦", "⣶", "⣾",
	"⡇", "⣇", "⣧", "⣷", "⣿",
};
static const char *const bar_ascii[] = { "#" };
static const char *const bar_console[] = { "█" };
static const char *const bar_full[] = { "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };

static const struct glyphs glyph_table[] = {
	[GLYPHS_ASCII] = {
		.level = GLYPHS_ASCII, .spark = { 1, 7, spark_ascii }, .bar = bar_ascii, .n_bar = 1,
		.bar_rest = " ",
		.progress_full = "=", .progress_head = ">", .progress_rest = ".",
		.vertical = "|", .horizontal = "-", .down = "+", .cross = "+", .up = "+",
		.flag = "#", .live = ">", .cursor_row = ">", .ellipsis = "~", .times = "x",
		.spread = "+-", .arrow = ">", .left = "<", .right = ">", .dash = "-",
	},
	[GLYPHS_CONSOLE] = {
		.level = GLYPHS_CONSOLE, .spark = { 1, 4, spark_console }, .bar = bar_console,
		.n_bar = 1, .bar_rest = "░",
		.progress_full = "█", .progress_head = "█", .progress_rest = "░",
		.vertical = "│", .horizontal = "─", .down = "┬", .cross = "┼", .up = "┴",
		.flag = "█", .live = ">", .cursor_row = ">", .ellipsis = "~", .times = "x",
		.spread = "±", .arrow = ">", .left = "<", .right = ">", .dash = "-",
	},
	[GLYPHS_FULL] = {
		.level = GLYPHS_FULL, .spark = { 2, 4, spark_braille }, .bar = bar_full, .n_bar = 8,
		.bar_rest = " ",
		.progress_full = "━", .progress_head = "╸", .progress_rest = "─",
		.vertical = "│", .horizontal = "─", .down = "┬", .cross = "┼", .up = "┴",
		.flag = "▌", .live = "▸", .cursor_row = "▶", .ellipsis = "…", .times = "×",
		.spread = "±", .arrow = "→", .left = "◂", .right = "▸", .dash = "–",
	},
};
/* clang-format on */

const struct glyphs *glyphs_get(enum glyph_level level)
{
	return &glyph_table[level];
}

/* The next character of UTF-8 text; 0 at the end, '?' for a byte that does not belong. */
static wchar_t utf8_next(const char **text)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)*text;
	unsigned length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t code = s[0];

	if (s[0] == 0)
		return 0;
	if (length == 0 || s[0] > 0xf4) {
		*text += 1;
		return L'?';
	}
	if (length > 1)
		code = s[0] & (0x7fU >> length);
	for (unsigned i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80) {
			*text += 1;
			return L'?';
		}
		code = code << 6 | (s[i] & 0x3fU);
	}
	*text += length;
	if (length > 1 && (code < smallest[length] || code > 0x10ffff))
		return L'?';
	return (wchar_t)code;
}

/*
 * Characters without a cell of their own that change how their neighbours are drawn: direction
 * marks and overrides, joiners, variation selectors, the byte order mark.
 */
static bool is_reshaping(wchar_t c)
{
	return (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff ||
	       (c >= 0xe0000 && c <= 0xe0fff) || c == 0x061c;
}

/* The character as it may be shown and its cells; -1 cells: leave it out. */
static int shown_as(const struct glyphs *glyphs, wchar_t *c)
{
	int width;

	if (is_reshaping(*c) && glyphs->level != GLYPHS_ASCII)
		return -1;
	if (*c >= 32 && *c < 127)
		return 1;
	if (*c < 32 || glyphs->level == GLYPHS_ASCII) {
		*c = L'?';
		return 1;
	}
	width = wcwidth(*c);
	if (width < 0) {
		*c = L'?';
		return 1;
	}
	return width;
}

int widget_width(const struct glyphs *glyphs, const char *text)
{
	int cells = 0;

	for (wchar_t c; (c = utf8_next(&text)) != 0;) {
		int width = shown_as(glyphs, &c);

		cells += width > 0 ? width : 0;
	}
	return cells;
}

/* Characters of @text up to @limit cells; *@used gets the cells taken. */
static size_t take(const struct glyphs *glyphs, const char *text, int limit, wchar_t *out,
        size_t room, int *used)
{
	size_t n = 0;

	*used = 0;
	for (wchar_t c; n < room && (c = utf8_next(&text)) != 0;) {
		int width = shown_as(glyphs, &c);

		/* A combining character needs something to stand on. */
		if (width < 0 || (width == 0 && n == 0))
			continue;
		if (*used + width > limit)
			break;
		out[n++] = c;
		*used += width;
	}
	return n;
}

size_t widget_fit(const struct glyphs *glyphs, const char *text, struct span cells,
        enum align align, wchar_t *out, size_t room)
{
	int limit = cells.width, used = 0, whole = widget_width(glyphs, text);
	size_t n, pad;

	if (limit <= 0 || room < 2 * (size_t)limit)
		return 0;
	room -= (size_t)limit; /* for blanks and the ellipsis, whatever combines */
	if (whole <= limit || limit < 3) {
		n = take(glyphs, text, limit, out, room, &used);
	} else {
		const char *ellipsis = glyphs->ellipsis;

		n = take(glyphs, text, limit - 1, out, room, &used);
		out[n++] = utf8_next(&ellipsis);
		used++;
	}
	pad = (size_t)(limit - used);
	if (align == ALIGN_RIGHT) {
		memmove(out + pad, out, n * sizeof(*out));
		wmemset(out, L' ', pad);
	} else {
		wmemset(out + n, L' ', pad);
	}
	return n + pad;
}

static void put(const struct canvas *canvas, int y, struct span span, int role, const char *text,
        enum align align)
{
	wchar_t wide[WIDE_MAX];
	int rows, columns;
	size_t n;

	getmaxyx(canvas->window, rows, columns);
	if (y < 0 || y >= rows || span.x < 0 || span.x >= columns)
		return;
	if (span.width > columns - span.x)
		span.width = columns - span.x;
	if (span.width > CELLS_MAX)
		span.width = CELLS_MAX;
	n = widget_fit(canvas->glyphs, text, span, align, wide, WIDE_MAX);
	wattrset(canvas->window, (int)theme_attributes(canvas->theme, role));
	if (n > 0)
		mvwaddnwstr(canvas->window, y, span.x, wide, (int)n);
}

void canvas_put(const struct canvas *canvas, int y, struct span span, int role, const char *text)
{
	put(canvas, y, span, role, text, ALIGN_LEFT);
}

void canvas_put_right(
        const struct canvas *canvas, int y, struct span span, int role, const char *text)
{
	put(canvas, y, span, role, text, ALIGN_RIGHT);
}

struct span canvas_add(
        const struct canvas *canvas, int y, struct span span, int role, const char *text)
{
	int width = widget_width(canvas->glyphs, text);

	if (width > span.width)
		width = span.width;
	if (width <= 0)
		return span;
	put(canvas, y, (struct span){ span.x, width }, role, text, ALIGN_LEFT);
	return (struct span){ span.x + width, span.width - width };
}

void canvas_rule(const struct canvas *canvas, int y, const char *joint, const int *joints)
{
	int rows, columns;

	getmaxyx(canvas->window, rows, columns);
	if (y < 0 || y >= rows)
		return;
	for (int x = 0; x < columns; x++)
		canvas_put(canvas, y, (struct span){ x, 1 }, ROLE_RULE, canvas->glyphs->horizontal);
	for (; *joints >= 0; joints++)
		canvas_put(canvas, y, (struct span){ *joints, 1 }, ROLE_RULE, joint);
}

static void append(char *out, size_t size, size_t *length, const char *glyph)
{
	size_t n = strlen(glyph);

	if (*length + n >= size)
		return;
	memcpy(out + *length, glyph, n + 1);
	*length += n;
}

static unsigned spark_level(const struct spark_table *table, float sample, float top)
{
	double level;

	if (isnan(sample))
		return 0;
	if (top <= 0 || sample <= 0)
		return 1;
	level = ceil((double)sample / (double)top * table->levels);
	return level < 1 ? 1 : level > table->levels ? table->levels : (unsigned)level;
}

char *spark_print(char *out, size_t size, const struct spark_table *table, const float *samples,
        struct span n_and_cells)
{
	int n = n_and_cells.x, cells = n_and_cells.width;
	int first = n - cells * (int)table->per_cell;
	size_t length = 0;
	float top = 0;

	for (int i = first > 0 ? first : 0; i < n; i++)
		if (samples[i] > top) /* false for NaN */
			top = samples[i];
	out[0] = '\0';
	for (int cell = 0; cell < cells; cell++) {
		unsigned glyph = 0;

		for (unsigned part = 0; part < table->per_cell; part++) {
			int i = first + cell * (int)table->per_cell + (int)part;
			unsigned level = i < 0 ? 0 : spark_level(table, samples[i], top);

			glyph = glyph * (table->levels + 1) + level;
		}
		append(out, size, &length, table->glyphs[glyph]);
	}
	return out;
}

static double clamp_share(double share)
{
	return share > 0 ? (share < 1 ? share : 1) : 0; /* NaN: 0 */
}

char *bar_print(char *out, size_t size, const struct glyphs *glyphs, double share, int cells)
{
	unsigned parts = (unsigned)lround(clamp_share(share) * cells * glyphs->n_bar);
	size_t length = 0;

	out[0] = '\0';
	for (int cell = 0; cell < cells; cell++) {
		unsigned part = parts < glyphs->n_bar ? parts : glyphs->n_bar;

		append(out, size, &length, part == 0 ? glyphs->bar_rest : glyphs->bar[part - 1]);
		parts -= part;
	}
	return out;
}

char *progress_print(char *out, size_t size, const struct glyphs *glyphs, double share, int cells)
{
	/* In half cells; the head takes the odd one. */
	int halves = (int)(clamp_share(share) * cells * 2);
	size_t length = 0;

	out[0] = '\0';
	for (int cell = 0; cell < cells; cell++) {
		int here = halves - 2 * cell;

		append(out, size, &length,
		        here >= 2   ? glyphs->progress_full
		        : here == 1 ? glyphs->progress_head
		                    : glyphs->progress_rest);
	}
	return out;
}
