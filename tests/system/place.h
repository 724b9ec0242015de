/*
 * Where the system tests work: one folder on disk (/var/tmp) and one in memory (/dev/shm) for the
 * whole program, and in them fresh ones for each test, removed after it however it ended.
 *
 * place_open and place_close belong to the guarding process (main.c), the rest to the tests. All in
 * one thread.
 */
#ifndef FSDERBY_TESTS_SYSTEM_PLACE_H
#define FSDERBY_TESTS_SYSTEM_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Make the two folders; false with a message when that cannot be. */
bool place_open(void);
/* Remove them; tries again while a mount in them goes away. */
void place_close(void);

/* Set-up and tear-down of each test. The folders "disk", "other", "out" and "state" are on disk. */
void place_begin(void);
void place_end(void);

/*
 * A path in the test's folder on disk, or in that in memory. Lives until sixteen others have been
 * asked for.
 */
const char *place_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *place_memory(void);
/* A path in the program's own folder on disk: lives as long as all tests. */
const char *place_shared(const char *name);

/* The test's folders shall belong to @uid. */
void place_give(uid_t uid);

void place_make(const char *path);
void place_write(const char *path, const char *text);
/* The whole file, NUL-terminated, to be freed; "" where there is none. */
char *place_read(const char *path);
bool place_exists(const char *path);

/* What a count takes. */
enum place_kind { PLACE_FILES = 1, PLACE_DIRS = 2, PLACE_LINKS = 4, PLACE_ALL = 7 };
/* How many entries lie below @path, at any depth; a lost+found at its top is not counted. */
unsigned place_count(const char *path, unsigned kinds);
/* Name, type, size, mode and owner of all below @path, sorted; to be freed. */
char *place_list(const char *path);
/* The name of the only scratch directory in @path into @out; false: there is none, or several. */
bool place_find_scratch(const char *path, char *out, size_t size);

/* Like CU_ASSERT, with a message that says what was found. */
#define EXPECT(value, ...) place_expect((value), __FILE__, __LINE__, __VA_ARGS__)
bool place_expect(bool value, const char *file, unsigned line, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
/* @part stands in @text. */
#define EXPECT_PART(text, part) place_expect_part((text), (part), __FILE__, __LINE__)
bool place_expect_part(const char *text, const char *part, const char *file, unsigned line);

#endif
