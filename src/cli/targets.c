/*
 * The list of mounts as a table or as JSON. Main thread; what may hang is the prober's.
 */
#include "cli/targets.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "core/target.h"
#include "core/text.h"
#include "core/units.h"
#include "engine/prober.h"

#define TARGETS_TIMEOUT_NS (UINT64_C(2) * 1000 * 1000 * 1000)

enum { COLUMN_PATH, COLUMN_FS, COLUMN_SIZE, COLUMN_FREE, COLUMN_NOTE, COLUMNS };

enum { CELL_MAX = 512, WIDTH_MAX = 48 };

struct line {
	char cells[COLUMNS][CELL_MAX];
};

static const struct {
	const char *name;
	bool is_number;
} column_table[COLUMNS] = {
	[COLUMN_PATH] = { "MOUNTED ON", false },
	[COLUMN_FS] = { "TYPE", false },
	[COLUMN_SIZE] = { "SIZE", true },
	[COLUMN_FREE] = { "FREE", true },
	[COLUMN_NOTE] = { "OPTIONS, DEVICES", false },
};

static bool is_usable(const struct target_listing *listing)
{
	return listing->reason[0] == '\0';
}

static void fill_line(struct line *line, const struct target_listing *listing)
{
	const struct target *target = &listing->target;
	char raw[CELL_MAX], number[UNITS_TEXT_MAX];
	const char *note = listing->reason;

	text_sanitize(line->cells[COLUMN_PATH], CELL_MAX, target->path);
	text_sanitize(line->cells[COLUMN_FS], CELL_MAX, target->fs);
	if (target->size_bytes > 0) {
		text_print(line->cells[COLUMN_SIZE], CELL_MAX, "%s",
		        units_format_bytes(number, (double)target->size_bytes));
		text_print(line->cells[COLUMN_FREE], CELL_MAX, "%s",
		        units_format_bytes(number, (double)target->free_bytes));
	}
	if (is_usable(listing)) {
		target_describe(target, raw, sizeof(raw));
		note = raw + strcspn(raw, " "); /* the type has a column of its own */
		note += *note == ' ';
	}
	text_sanitize(line->cells[COLUMN_NOTE], CELL_MAX, note);
}

static void print_line(const struct line *line, const int widths[COLUMNS])
{
	char out[COLUMNS * CELL_MAX + COLUMNS * WIDTH_MAX];
	size_t length = 0;

	for (unsigned i = 0; i < COLUMNS; i++) {
		int width = column_table[i].is_number ? widths[i] : -widths[i];

		text_print(out + length, sizeof(out) - length, "%*s  ", width, line->cells[i]);
		length += strlen(out + length);
	}
	while (length > 0 && out[length - 1] == ' ')
		out[--length] = '\0';
	puts(out);
}

static void print_lines(const struct line *lines, unsigned n)
{
	int widths[COLUMNS] = { 0 };

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < COLUMN_NOTE; j++) {
			int width = (int)strlen(lines[i].cells[j]);

			widths[j] = width > widths[j] ? width : widths[j];
			widths[j] = widths[j] < WIDTH_MAX ? widths[j] : WIDTH_MAX;
		}
	for (unsigned i = 0; i < n; i++)
		print_line(&lines[i], widths);
}

/* A table of those that are usable, or of those that are not; pseudo ones only on request. */
static unsigned print_group(
        const struct target_listing *list, unsigned n, bool want_usable, bool want_pseudo)
{
	struct line *lines = calloc(n + 1, sizeof(*lines));
	unsigned n_lines = 1;

	if (lines == NULL)
		return 0;
	for (unsigned j = 0; j < COLUMNS; j++)
		text_print(lines[0].cells[j], CELL_MAX, "%s",
		        j == COLUMN_NOTE && !want_usable ? "NOT USABLE: WHY"
		                                         : column_table[j].name);
	for (unsigned i = 0; i < n; i++)
		if (is_usable(&list[i]) == want_usable && (want_pseudo || !list[i].is_pseudo))
			fill_line(&lines[n_lines++], &list[i]);
	if (n_lines > 1) {
		if (!want_usable)
			puts("");
		print_lines(lines, n_lines);
	}
	free(lines);
	return n_lines - 1;
}

static int print_text(const struct target_listing *list, unsigned n, bool want_pseudo)
{
	unsigned n_pseudo = 0;

	if (print_group(list, n, true, want_pseudo) == 0)
		puts("no mounted file system can be a target as a whole; a directory on one may "
		     "be");
	print_group(list, n, false, want_pseudo);
	for (unsigned i = 0; i < n; i++)
		n_pseudo += list[i].is_pseudo;
	if (n_pseudo > 0 && !want_pseudo)
		printf("\nand %u pseudo file system%s (--all lists them)\n", n_pseudo,
		        n_pseudo == 1 ? "" : "s");
	return EXIT_GOOD;
}

/* JSON is UTF-8; a path need not be. */
static json_t *make_string(const char *text)
{
	char safe[PATH_MAX];
	json_t *value = json_string(text);

	return value != NULL ? value : json_string(text_sanitize(safe, sizeof(safe), text));
}

static json_t *list_devices(const struct target *target)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < target->n_nearest; i++)
		json_array_append_new(array, make_string(target->nearest[i].name));
	for (unsigned i = 0; i < target->n_bottom; i++) {
		bool is_listed = false;

		for (unsigned j = 0; j < target->n_nearest; j++)
			is_listed |= strcmp(target->nearest[j].name, target->bottom[i].name) == 0;
		if (!is_listed)
			json_array_append_new(array, make_string(target->bottom[i].name));
	}
	return array;
}

static json_t *list_flags(unsigned flags)
{
	json_t *array = json_array();

	for (unsigned i = 0; target_flag_name(i) != NULL; i++)
		if ((flags & (1u << i)) != 0)
			json_array_append_new(array, json_string(target_flag_name(i)));
	return array;
}

static json_t *size_or_null(const struct target *target, uint64_t bytes)
{
	return target->size_bytes > 0 ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *make_object(const struct target_listing *listing)
{
	const struct target *target = &listing->target;
	json_t *object = json_object();

	json_object_set_new(object, "path", make_string(target->path));
	json_object_set_new(object, "fs", make_string(target->fs));
	json_object_set_new(object, "source", make_string(target->source));
	json_object_set_new(object, "options", make_string(target->options));
	json_object_set_new(object, "devices", list_devices(target));
	json_object_set_new(object, "size_bytes", size_or_null(target, target->size_bytes));
	json_object_set_new(object, "free_bytes", size_or_null(target, target->free_bytes));
	json_object_set_new(object, "flags", list_flags(target->flags));
	json_object_set_new(object, "usable", json_boolean(is_usable(listing)));
	json_object_set_new(object, "pseudo", json_boolean(listing->is_pseudo));
	json_object_set_new(
	        object, "reason", is_usable(listing) ? json_null() : make_string(listing->reason));
	return object;
}

/* All of them, --all or not. */
static int print_json(const struct target_listing *list, unsigned n)
{
	json_t *array = json_array();
	int code = 0;

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(array, make_object(&list[i]));
	code = json_dumpf(array, stdout, JSON_INDENT(2));
	json_decref(array);
	puts("");
	return code == 0 ? EXIT_GOOD : EXIT_CELLS;
}

static int print_help(void)
{
	puts("usage: fsderby targets [--json] [--all]\n"
	     "\n"
	     "Mounted file systems that could be targets, and why the others could not. Any\n"
	     "directory on one can be a target too.\n"
	     "\n"
	     "  --json   one array of objects, pseudo file systems included\n"
	     "  --all    list pseudo file systems too\n"
	     "  --help   this text");
	return EXIT_GOOD;
}

int targets_command(int argc, char **argv)
{
	struct target_listing *list = NULL;
	struct error err = { 0 };
	unsigned n = 0;
	bool want_json = false, want_all = false;
	int status;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			return print_help();
		want_json |= strcmp(argv[i], "--json") == 0;
		want_all |= strcmp(argv[i], "--all") == 0;
		if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--all") == 0)
			continue;
		message_print(
		        "targets: '%.100s' is not understood; see fsderby targets --help", argv[i]);
		return EXIT_USAGE;
	}
	if (target_list_mounts(&list, &n, &err) != 0) {
		message_print("%s", err.text);
		return EXIT_CELLS;
	}
	prober_examine_mounts(list, n, TARGETS_TIMEOUT_NS);
	status = want_json ? print_json(list, n) : print_text(list, n, want_all);
	free(list);
	return status;
}
