/*
 * The exports: which formats there are, which one an argument means, and files that are whole or
 * not there. All parts are written beside their places first and renamed when all are on disk.
 */
#include "export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/formats.h"
#include "results/owner.h"

static const struct export_format formats[] = {
	{ "txt", ".txt", "the table as plain text", NULL, export_text },
	{ "csv", ".csv", "a row a result, with -operations and -series files", NULL, export_csv },
	{ "json", ".json", "all of the run as one document", NULL, export_json },
	{ "mongo", NULL, "the tables of 2001 and their ratios", "mongo", export_mongo },
};

enum { FORMATS = sizeof(formats) / sizeof(formats[0]), BESIDE_TRIES = 100 };

/* A file on its way: written under `beside`, in the place's directory. */
struct pending {
	char path[PATH_MAX], beside[PATH_MAX];
	bool is_written;
};

const struct export_format *export_format_at(unsigned index)
{
	return index < FORMATS ? &formats[index] : NULL;
}

static bool ends_with(const char *text, const char *ending)
{
	size_t n = strlen(text), m = strlen(ending);

	return n > m && !strcmp(text + n - m, ending);
}

static int refuse_format(const char *argument, struct error *err)
{
	struct text list;
	int code;

	text_init(&list);
	for (unsigned i = 0; i < FORMATS; i++) {
		if (formats[i].ending)
			text_format(&list, "%s, ", formats[i].ending);
		else
			text_format(&list, "%s:FILE, ", formats[i].name);
	}
	code = error_set(err, -EINVAL,
	        "%s: its name tells no format; use a file ending in one of %sor - for standard "
	        "output",
	        argument, text_string(&list));
	text_release(&list);
	return code;
}

int export_parse(const char *argument, struct export_target *target, struct error *err)
{
	const struct export_format *format = NULL;
	const char *path = argument;

	if (!strcmp(argument, "-"))
		format = &formats[0];
	for (unsigned i = 0; i < FORMATS && !format; i++) {
		size_t n = strlen(formats[i].name);

		if (!strncmp(argument, formats[i].name, n) && argument[n] == ':') {
			format = &formats[i];
			path = argument + n + 1;
		}
	}
	for (unsigned i = 0; i < FORMATS && !format; i++)
		if (formats[i].ending && ends_with(argument, formats[i].ending))
			format = &formats[i];
	if (!format)
		return refuse_format(argument, err);
	if (!path[0])
		return error_set(err, -EINVAL, "%s: no file; use %s:FILE", argument, format->name);
	target->format = format;
	target->path = path;
	return 0;
}

/* Devices, pipes: written to as they are, since a rename would replace them. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* A link is followed, so that it stays one. */
static int find_place(const char *path, struct pending *pending, struct error *err)
{
	char real[PATH_MAX];
	struct stat st;

	if (strlen(path) >= sizeof(real))
		return error_errno(err, -ENAMETOOLONG, "%s: cannot be written", path);
	if (!realpath(path, real))
		text_print(real, sizeof(real), "%s", path);
	if (!stat(real, &st) && S_ISDIR(st.st_mode))
		return error_errno(err, -EISDIR, "%s: cannot be written", path);
	text_print(pending->path, sizeof(pending->path), "%s", real);
	return 0;
}

/* A file that is replaced hands its mode on to its successor. */
static int keep_mode(int fd, const char *replaced)
{
	struct stat st;

	if (stat(replaced, &st))
		return 0;
	return fchmod(fd, st.st_mode & 07777) ? -errno : 0;
}

/* By open and not by mkstemp: the person's umask is to decide who may read it. */
static int open_beside(struct pending *pending, struct error *err)
{
	int fd = -1, n;

	for (unsigned try = 0; fd < 0 && try < BESIDE_TRIES; try++) {
		n = snprintf(pending->beside, sizeof(pending->beside), "%s.%ld-%u", pending->path,
		        (long)getpid(), try);
		if (n < 0 || (size_t)n >= sizeof(pending->beside))
			return error_errno(
			        err, -ENAMETOOLONG, "%s: cannot be written", pending->path);
		fd = open(pending->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		        0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		return error_errno(
		        err, -errno, "%s: cannot make a file in its directory", pending->path);
	return fd;
}

static int write_all(int fd, const struct text *text)
{
	const char *at = text_string(text);
	size_t left = text->length;

	while (left > 0) {
		ssize_t n = write(fd, at, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		left -= (size_t)n;
	}
	return 0;
}

int export_check(const struct export_target *target, struct error *err)
{
	struct pending pending;
	int fd, code;

	if (!strcmp(target->path, "-"))
		return 0;
	if (is_special(target->path)) {
		if (access(target->path, W_OK))
			return error_errno(err, -errno, "%s: cannot be written", target->path);
		return 0;
	}
	code = find_place(target->path, &pending, err);
	if (code)
		return code;
	fd = open_beside(&pending, err);
	if (fd < 0)
		return fd;
	close(fd);
	unlink(pending.beside);
	return 0;
}

static int write_beside(struct pending *pending, const struct text *text, struct error *err)
{
	int fd = open_beside(pending, err);
	int code;

	if (fd < 0)
		return fd;
	pending->is_written = true;
	code = write_all(fd, text);
	if (!code)
		code = keep_mode(fd, pending->path);
	if (!code)
		code = owner_give(fd);
	if (!code && fsync(fd))
		code = -errno;
	if (close(fd) && !code)
		code = -errno;
	return code ? error_errno(err, code, "%s: cannot be written", pending->path) : 0;
}

/* The rename itself is on disk once the directory is; not every file system can say so. */
static void sync_directory(const char *path)
{
	char directory[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int fd;

	text_print(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1,
	        slash ? path : ".");
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* "NAME.csv" and "-series" make "NAME-series.csv"; without an ending the suffix comes last. */
static void part_path(char out[PATH_MAX], const char *path, const char *suffix)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	size_t stem = dot && dot > name ? (size_t)(dot - path) : strlen(path);

	text_print(out, PATH_MAX, "%.*s%s%s", (int)stem, path, suffix, path + stem);
}

static int write_files(const char *path, const struct export_part *parts, int n, struct error *err)
{
	struct pending pending[EXPORT_PARTS_MAX] = { 0 };
	char name[PATH_MAX];
	int code = 0;

	for (int i = 0; i < n && !code; i++) {
		part_path(name, path, parts[i].suffix);
		code = find_place(name, &pending[i], err);
		if (!code)
			code = write_beside(&pending[i], &parts[i].text, err);
	}
	for (int i = 0; i < n && !code; i++) {
		if (rename(pending[i].beside, pending[i].path))
			code = error_errno(
			        err, -errno, "%s: cannot be put in place", pending[i].path);
		else
			pending[i].is_written = false;
	}
	for (int i = 0; i < n; i++)
		if (pending[i].is_written)
			unlink(pending[i].beside);
	if (!code)
		sync_directory(pending[0].path);
	return code;
}

static int write_special(const char *path, const struct text *text, struct error *err)
{
	/* Not to wait for ever for a reader of a pipe: ENXIO where there is none. */
	int fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
	bool is_blocking = flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0;
	int code = is_blocking ? write_all(fd, text) : -errno;

	if (fd >= 0 && close(fd) && !code)
		code = -errno;
	return code ? error_errno(err, code, "%s: cannot be written", path) : 0;
}

static int write_parts(const struct export_target *target, const struct export_part *parts, int n,
        struct error *err)
{
	int code;

	for (int i = 0; i < n; i++)
		if (parts[i].text.failed)
			return error_errno(err, -ENOMEM, "%s", target->path);
	/* A stream takes the main part; there is no place beside it. */
	if (!strcmp(target->path, "-")) {
		fflush(stdout);
		code = write_all(STDOUT_FILENO, &parts[0].text);
		return code ? error_errno(err, code, "standard output") : 0;
	}
	if (is_special(target->path))
		return write_special(target->path, &parts[0].text, err);
	return write_files(target->path, parts, n, err);
}

static void init_parts(struct export_part *parts)
{
	for (int i = 0; i < EXPORT_PARTS_MAX; i++) {
		parts[i].suffix = "";
		text_init(&parts[i].text);
	}
}

static void release_parts(struct export_part *parts)
{
	for (int i = 0; i < EXPORT_PARTS_MAX; i++)
		text_release(&parts[i].text);
}

int export_write(const struct export_target *target, struct report *report, struct error *err)
{
	struct export_part parts[EXPORT_PARTS_MAX];
	struct report_view view;
	struct table table = { 0 };
	int code = report_view_init(&view, report);

	if (code)
		return error_errno(err, code, "%s", target->path);
	init_parts(parts);
	code = table_init(&table, &view);
	if (code)
		error_errno(err, code, "%s", target->path);
	else
		code = target->format->write(&view, &table, parts, err);
	if (code > 0)
		code = write_parts(target, parts, code, err);
	release_parts(parts);
	table_release(&table);
	report_view_release(&view);
	return code;
}

int export_print(struct report *report, unsigned columns, FILE *out, struct error *err)
{
	struct report_view view;
	struct table table = { 0 };
	struct text text;
	int code = report_view_init(&view, report);

	if (code)
		return error_errno(err, code, "table");
	text_init(&text);
	code = table_init(&table, &view);
	if (!code) {
		export_text_table(&text, &view, &table, columns);
		code = text.failed ? -ENOMEM : 0;
	}
	if (!code && (fputs(text_string(&text), out) == EOF || fflush(out) == EOF))
		code = -errno;
	text_release(&text);
	table_release(&table);
	report_view_release(&view);
	return code ? error_errno(err, code, "table") : 0;
}
