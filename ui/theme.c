/*
 * Reading themes with inih, and what a colour becomes on terminals that have fewer.
 * Main thread only.
 */
#include "ui/theme.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/assets.h"
#include "core/text.h"

struct name_value {
	const char *name;
	long value;
};

struct parser {
	struct theme *theme;
	struct error *err;
	int code;
	bool was_exact[ROLE_COUNT]; /* set by the section of this depth: keep */
};

static const char *const role_names[ROLE_COUNT] = {
	[ROLE_TEXT] = "text",
	[ROLE_DIM] = "dim",
	[ROLE_HEAD] = "head",
	[ROLE_RULE] = "rule",
	[ROLE_TITLE] = "title",
	[ROLE_LABEL] = "label",
	[ROLE_RUNNING] = "running",
	[ROLE_PAUSED] = "paused",
	[ROLE_WARNING] = "warning",
	[ROLE_ERROR] = "error",
	[ROLE_GOOD] = "good",
	[ROLE_LIVE] = "live",
	[ROLE_MARK] = "mark",
	[ROLE_BAR] = "bar",
	[ROLE_KEY] = "key",
	[ROLE_KEY_TEXT] = "key-text",
	[ROLE_SERIES1] = "series1",
	[ROLE_SERIES2] = "series2",
	[ROLE_SERIES3] = "series3",
	[ROLE_SERIES4] = "series4",
	[ROLE_SERIES5] = "series5",
	[ROLE_SERIES6] = "series6",
};

static const struct name_value colors[] = {
	{ "default", -1 },
	{ "black", 0 },
	{ "red", 1 },
	{ "green", 2 },
	{ "yellow", 3 },
	{ "blue", 4 },
	{ "magenta", 5 },
	{ "cyan", 6 },
	{ "white", 7 },
	{ NULL, 0 },
};

static const struct name_value attributes[] = {
	{ "bold", (long)A_BOLD },
	{ "dim", (long)A_DIM },
	{ "underline", (long)A_UNDERLINE },
	{ "reverse", (long)A_REVERSE },
	{ "italic", (long)A_ITALIC },
	{ NULL, 0 },
};

const char *theme_role_name(enum role role)
{
	return role_names[role];
}

static bool find_value(const struct name_value *table, const char *name, long *value)
{
	for (; table->name != NULL; table++) {
		if (strcmp(table->name, name) == 0) {
			*value = table->value;
			return true;
		}
	}
	return false;
}

static bool parse_color(const char *text, int *color)
{
	bool is_bright = strncmp(text, "bright-", 7) == 0;
	char *end;
	long value;

	if (find_value(colors, is_bright ? text + 7 : text, &value)) {
		*color = (int)value + (is_bright && value >= 0 ? 8 : 0);
		return true;
	}
	value = strtol(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end != '\0' || value > 255)
		return false;
	*color = (int)value;
	return true;
}

/* Red, green, blue of one of the 240 colours that do not depend on the terminal. */
static void color_parts(int color, int parts[3])
{
	static const int steps[] = { 0, 95, 135, 175, 215, 255 };

	if (color >= 232) {
		parts[0] = parts[1] = parts[2] = 8 + 10 * (color - 232);
		return;
	}
	color -= 16;
	parts[0] = steps[color / 36];
	parts[1] = steps[color / 6 % 6];
	parts[2] = steps[color % 6];
}

/*
 * The nearest of the eight basic colours: those parts are on that are over the middle between the
 * strongest and the weakest. Greys become the terminal's own colour, dimmed: black and white would
 * vanish on one background or the other.
 */
static int color_basic(int color, bool is_foreground, attr_t *attrs)
{
	int parts[3], low, high, basic = 0;

	color_parts(color, parts);
	low = high = parts[0];
	for (int i = 1; i < 3; i++) {
		low = parts[i] < low ? parts[i] : low;
		high = parts[i] > high ? parts[i] : high;
	}
	if (high - low < 20) {
		if (is_foreground && high < 200)
			*attrs |= A_DIM;
		return -1;
	}
	for (int i = 0; i < 3; i++)
		basic |= parts[i] * 2 > high + low ? 1 << i : 0;
	return basic;
}

/* @color as a terminal with @depth colours has it. */
static short color_reduce(int color, int depth, bool is_foreground, attr_t *attrs)
{
	if (depth == 0)
		return -1;
	if (color >= 16 && depth < 256)
		color = color_basic(color, is_foreground, attrs);
	if (color >= 8 && depth < 16) {
		color -= 8;
		if (is_foreground)
			*attrs |= A_BOLD;
	}
	return (short)color;
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

/* Parse "fg, bg, attribute attribute"; the word that is wrong or NULL. */
static const char *parse_style(struct theme_style *style, int depth, char *value)
{
	char *part[3] = { NULL, NULL, NULL }, *rest = value, *save = NULL;
	int color[2] = { -1, -1 };
	attr_t attrs = A_NORMAL;

	for (int i = 0; i < 3; i++)
		part[i] = strsep(&rest, ",");
	if (rest != NULL)
		return rest;
	for (int i = 0; i < 2; i++)
		if (part[i] != NULL && !parse_color(trim(part[i]), &color[i]))
			return trim(part[i]);
	if (part[2] != NULL) {
		char *word = strtok_r(part[2], " \t", &save);
		long bits;

		for (; word != NULL; word = strtok_r(NULL, " \t", &save)) {
			if (!find_value(attributes, word, &bits))
				return word;
			attrs |= (attr_t)bits;
		}
	}
	style->foreground = color_reduce(color[0], depth, true, &attrs);
	style->background = color_reduce(color[1], depth, false, &attrs);
	style->attributes = attrs;
	return NULL;
}

static int find_role(const char *name)
{
	for (int role = 0; role < ROLE_COUNT; role++)
		if (strcmp(role_names[role], name) == 0)
			return role;
	return -1;
}

static bool is_depth_section(const char *section)
{
	return strcmp(section, "256") == 0 || strcmp(section, "16") == 0 ||
	       strcmp(section, "8") == 0 || strcmp(section, "mono") == 0;
}

static bool is_this_depth(const char *section, int depth)
{
	return depth == 0 ? strcmp(section, "mono") == 0 : atoi(section) == depth;
}

static int parse_role(struct parser *parser, const char *section, const char *name, char *value)
{
	int role = find_role(name);
	bool is_exact = is_depth_section(section);
	const char *wrong;

	if (role < 0)
		return error_set(parser->err, -EINVAL, "no role is called \"%s\"", name);
	if (is_exact && !is_this_depth(section, parser->theme->colors))
		return 0;
	if (!is_exact && parser->was_exact[role])
		return 0;
	parser->was_exact[role] = is_exact;
	wrong = parse_style(&parser->theme->styles[role], parser->theme->colors, value);
	if (wrong != NULL)
		return error_set(parser->err, -EINVAL,
		        "%s: \"%s\" is neither a colour nor an attribute", name, wrong);
	return 0;
}

/* inih's handler: nonzero means well. */
static int on_entry(void *user, const char *section, const char *name, const char *value)
{
	struct parser *parser = user;
	char copy[128];

	if (parser->code != 0)
		return 1;
	text_print(copy, sizeof(copy), "%s", value);
	if (strcmp(section, "theme") == 0) {
		if (strcmp(name, "name") == 0)
			text_sanitize(parser->theme->name, sizeof(parser->theme->name), value);
	} else if (strcmp(section, "roles") == 0 || is_depth_section(section)) {
		parser->code = parse_role(parser, section, name, copy);
	} else {
		parser->code = error_set(
		        parser->err, -EINVAL, "no section of a theme is called [%s]", section);
	}
	return 1;
}

int theme_parse(struct theme *theme, const char *text, int depth, struct error *err)
{
	struct parser parser = { .theme = theme, .err = err };
	int line;

	memset(theme, 0, sizeof(*theme));
	theme->colors = depth;
	for (int role = 0; role < ROLE_COUNT; role++)
		theme->styles[role] = (struct theme_style){ -1, -1, A_NORMAL };
	line = ini_parse_string(text, on_entry, &parser);
	if (parser.code != 0)
		return parser.code;
	if (line != 0)
		return error_set(err, -EINVAL, "line %d is neither [section] nor name = value",
		        line > 0 ? line : 1);
	return 0;
}

static char *read_file(const char *path, struct error *err)
{
	enum { THEME_FILE_MAX = 64 * 1024 };
	FILE *file = fopen(path, "re");
	char *text;
	size_t n;

	if (file == NULL) {
		error_errno(err, -errno, "theme %s", path);
		return NULL;
	}
	text = malloc(THEME_FILE_MAX + 1);
	if (text == NULL) {
		error_errno(err, -ENOMEM, "theme %s", path);
	} else {
		n = fread(text, 1, THEME_FILE_MAX, file);
		text[n] = '\0';
	}
	fclose(file);
	return text;
}

static bool is_file_name(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') != NULL ||
	       (length > 6 && strcmp(name + length - 6, ".theme") == 0);
}

int theme_load(struct theme *theme, const char *name, int depth, struct error *err)
{
	char asset[96], *file = NULL;
	const char *text;
	int code;

	if (name == NULL)
		name = "default";
	if (is_file_name(name)) {
		text = file = read_file(name, err);
		if (text == NULL)
			return -ENOENT;
	} else {
		text = asset_find(text_print(asset, sizeof(asset), "themes/%s.theme", name));
		if (text == NULL)
			return error_set(err, -ENOENT,
			        "no theme is called \"%s\"; give the path of a file", name);
	}
	code = theme_parse(theme, text, depth, err);
	if (code != 0)
		error_context(err, "theme %s", name);
	free(file);
	return code;
}

void theme_apply(struct theme *theme, bool has_default_colors)
{
	for (int role = 0; role < ROLE_COUNT; role++) {
		const struct theme_style *style = &theme->styles[role];
		short foreground = style->foreground, background = style->background;
		short pair = (short)(role + 1);

		theme->attributes[role] = style->attributes;
		if (theme->colors == 0 || (foreground < 0 && background < 0))
			continue;
		if (!has_default_colors) {
			foreground = foreground < 0 ? COLOR_WHITE : foreground;
			background = background < 0 ? COLOR_BLACK : background;
		}
		if (init_pair(pair, foreground, background) == OK)
			theme->attributes[role] |= (attr_t)COLOR_PAIR(pair);
	}
}

attr_t theme_attributes(const struct theme *theme, int role)
{
	attr_t attrs = theme->attributes[role & ~ROLE_CURSOR];

	return (role & ROLE_CURSOR) != 0 ? attrs ^ A_REVERSE : attrs;
}
