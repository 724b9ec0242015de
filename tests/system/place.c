/*
 * Folders of the tests. See place.h.
 */
#include "place.h"

#include <CUnit/CUnit.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "program.h"

enum { PATHS = 16, LINE_BYTES = PATH_MAX + 80, CLOSE_TRIES = 20 };

static const char *const folders[] = { "disk", "other", "out", "state" };

/* Written by place_open and place_begin only. */
static char top_disk[] = "/var/tmp/fsderby-sys-XXXXXX",
            top_memory[] = "/dev/shm/fsderby-sys-XXXXXX";
static bool is_open;
static unsigned test_number;

bool place_expect(bool value, const char *file, unsigned line, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	CU_assertImplementation(value, line, text, file, "", CU_FALSE);
	return value;
}

bool place_expect_part(const char *text, const char *part, const char *file, unsigned line)
{
	bool found = text != NULL && strstr(text, part) != NULL;

	return place_expect(found, file, line, "no '%s' in: %s", part, text != NULL ? text : "");
}

static void remove_tree(const char *path)
{
	const char *const words[] = { "rm", "-rf", "--one-file-system", "--", path, NULL };

	program_tool(words);
}

bool place_open(void)
{
	if (mkdtemp(top_disk) == NULL) {
		fprintf(stderr, "%s: %s\n", top_disk, strerror(errno));
		return false;
	}
	if (mkdtemp(top_memory) == NULL) {
		fprintf(stderr, "%s: %s\n", top_memory, strerror(errno));
		rmdir(top_disk);
		return false;
	}
	chmod(top_disk, 0755);
	chmod(top_memory, 0755);
	is_open = true;
	return true;
}

void place_close(void)
{
	if (!is_open)
		return;
	for (unsigned try = 0; try < CLOSE_TRIES && place_exists(top_disk); try++) {
		if (try > 0)
			usleep(250000);
		remove_tree(top_disk);
	}
	remove_tree(top_memory);
}

const char *place_path(const char *format, ...)
{
	static char paths[PATHS][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % PATHS], below[PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(below, sizeof(below), format, args);
	va_end(args);
	return text_print(path, PATH_MAX, "%s/%u/%s", top_disk, test_number, below);
}

const char *place_memory(void)
{
	static char path[64];

	return text_print(path, sizeof(path), "%s/%u", top_memory, test_number);
}

const char *place_shared(const char *name)
{
	static char path[96];

	return text_print(path, sizeof(path), "%s/%s", top_disk, name);
}

void place_make(const char *path)
{
	EXPECT(mkdir(path, 0755) == 0, "mkdir %s: %s", path, strerror(errno));
}

void place_begin(void)
{
	test_number++;
	place_make(place_path("%s", ""));
	place_make(place_memory());
	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		place_make(place_path("%s", folders[i]));
}

void place_end(void)
{
	program_kill_all();
	remove_tree(place_path("%s", ""));
	remove_tree(place_memory());
}

void place_give(uid_t uid)
{
	bool given = chown(place_memory(), uid, (gid_t)-1) == 0;

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		given = chown(place_path("%s", folders[i]), uid, (gid_t)-1) == 0 && given;
	EXPECT(given, "chown: %s", strerror(errno));
}

void place_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	bool written = file != NULL && fputs(text, file) >= 0;

	written = file != NULL && fclose(file) == 0 && written;
	EXPECT(written, "write %s", path);
}

char *place_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (file != NULL && getdelim(&text, &room, '\0', file) < 0 && text != NULL)
		text[0] = '\0';
	if (file != NULL)
		fclose(file);
	if (text == NULL)
		text = calloc(1, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	return text;
}

bool place_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* What a walk does with each entry; @name is its path below the start. */
struct visitor {
	void (*entry)(struct visitor *visitor, const char *name, const struct stat *st);
	unsigned kinds, n;
	char **lines;
};

static void walk(int dir_fd, const char *prefix, struct visitor *visitor)
{
	DIR *dir = fdopendir(dir_fd);
	const struct dirent *entry;
	char name[PATH_MAX];
	struct stat st;

	if (dir == NULL) {
		close(dir_fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		        (prefix[0] == '\0' && strcmp(entry->d_name, "lost+found") == 0))
			continue;
		/* It may be gone by now: a program may be at work here. */
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		text_print(
		        name, sizeof(name), "%s%s%s", prefix, prefix[0] ? "/" : "", entry->d_name);
		visitor->entry(visitor, name, &st);
		if (S_ISDIR(st.st_mode)) {
			int fd = openat(dirfd(dir), entry->d_name,
			        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (fd >= 0)
				walk(fd, name, visitor);
		}
	}
	closedir(dir);
}

static void walk_from(const char *path, struct visitor *visitor)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		walk(fd, "", visitor);
}

static void count_entry(struct visitor *visitor, const char *name, const struct stat *st)
{
	unsigned kind = S_ISDIR(st->st_mode)   ? PLACE_DIRS
	                : S_ISLNK(st->st_mode) ? PLACE_LINKS
	                                       : PLACE_FILES;

	(void)name;
	visitor->n += (visitor->kinds & kind) != 0;
}

unsigned place_count(const char *path, unsigned kinds)
{
	struct visitor visitor = { .entry = count_entry, .kinds = kinds };

	walk_from(path, &visitor);
	return visitor.n;
}

static void list_entry(struct visitor *visitor, const char *name, const struct stat *st)
{
	char line[LINE_BYTES];
	char **grown = realloc(visitor->lines, (visitor->n + 1) * sizeof(*grown));

	if (grown == NULL)
		return;
	text_print(line, sizeof(line), "%s %o %lld %u\n", name, (unsigned)st->st_mode,
	        S_ISDIR(st->st_mode) ? 0LL : (long long)st->st_size, (unsigned)st->st_uid);
	visitor->lines = grown;
	grown[visitor->n++] = strdup(line);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *place_list(const char *path)
{
	struct visitor visitor = { .entry = list_entry };
	struct text text;
	char *list;

	text_init(&text);
	walk_from(path, &visitor);
	if (visitor.n > 0)
		qsort(visitor.lines, visitor.n, sizeof(*visitor.lines), compare_lines);
	for (unsigned i = 0; i < visitor.n; i++) {
		text_add(&text, visitor.lines[i]);
		free(visitor.lines[i]);
	}
	free(visitor.lines);
	list = strdup(text_string(&text));
	text_release(&text);
	return list;
}

bool place_find_scratch(const char *path, char *out, size_t size)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned n = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (strncmp(entry->d_name, ".fsderby-2", strlen(".fsderby-2")) == 0) {
			text_print(out, size, "%s", entry->d_name);
			n++;
		}
	if (dir != NULL)
		closedir(dir);
	return n == 1;
}
