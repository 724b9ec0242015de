/*
 * The marker of a scratch directory: who made it. Internal to engine/scratch*.c; lanes and `clean`.
 */
#ifndef FSDERBY_ENGINE_SCRATCH_OWNER_H
#define FSDERBY_ENGINE_SCRATCH_OWNER_H

#include <stddef.h>

#include "core/error.h"
#include "engine/scratch.h"

#define SCRATCH_OWNER "owner" /* name of the marker file */

enum { SCRATCH_OWNER_MAX = 512 }; /* bytes of its text with the NUL */

/* Letters, digits, '.', '_' and '-', at most what scratch_found.run_id holds. */
bool scratch_is_run_id(const char *run_id);

/* The text for this process. */
int scratch_owner_print(const char *run_id, char *out, size_t size, struct error *err);

/* Write @text as a new marker. */
int scratch_owner_write(int scratch_fd, const char *text, struct error *err);

/*
 * The text of the marker into @out. -EPERM with *@why where there is none, or it is not a plain
 * file of ours.
 */
int scratch_owner_read(int scratch_fd, char *out, size_t size, const char **why);

/* What the marker in @scratch_fd says of the directory named after @run_id (NULL: any name). */
enum scratch_owner scratch_owner_judge(int scratch_fd, const char *run_id, const char **why);

/* scratch_tree.c: remove all below @scratch_fd but the marker. The first failure is told. */
int scratch_tree_remove(int scratch_fd, struct scratch_progress *progress, struct error *err);

/* Open a directory by one name below @dir_fd: no link, no mount point, nothing outside. */
int scratch_open_directory(int dir_fd, const char *name, int flags);

#endif
