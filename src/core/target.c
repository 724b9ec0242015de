/*
 * Targets: reading the argument, opening and checking the directory, labels, and pairs that get in
 * each other's way. target_probe and target_check_pair may block and run in the
 * prober's threads; the rest only looks at the struct.
 */
#include "core/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/target_parts.h"
#include "core/text.h"

enum { ARGUMENT_MAX = 256 }; /* of an argument in a message: what to do must fit behind it */

static const struct {
	int code; /* positive errno of the open */
	const char *text;
} fault_table[] = {
	{ ENOENT, "no such directory; make it or name another" },
	{ ENOTDIR, "not a directory; name a directory on the file system to measure" },
	{ EACCES, "permission denied; run as a user who may enter it, or name another" },
	{ ELOOP, "symbolic links in a circle; name the directory itself" },
	{ ENAMETOOLONG, "the path is too long; name the directory from nearer by" },
	{ EMFILE, "too many open files; raise the limit (ulimit -n)" },
	{ ESTALE, "the server no longer knows it; mount it again or name another" },
	{ ENOTCONN, "its file system's server is gone; mount it again or name another" },
};

#define LENGTH(table) (sizeof(table) / sizeof((table)[0]))

/* The argument as it was typed. */
static char *print_argument(const struct target *target, char *out, size_t size)
{
	return text_print(out, size, "%s%s%s", target->label, target->label[0] != '\0' ? "=" : "",
	        target->path);
}

static int fail(const struct target *target, struct error *err, int code, const char *text)
{
	char argument[ARGUMENT_MAX];

	return error_set(
	        err, code, "%s: %s", print_argument(target, argument, sizeof(argument)), text);
}

int target_parse(struct target *target, const char *argument, struct error *err)
{
	size_t length = strcspn(argument, "/:=+");
	const char *path = argument[length] == '=' ? argument + length + 1 : argument;

	*target = (struct target){ .fd = -1 };
	if (argument[0] == '=')
		return error_set(
		        err, -EINVAL, "%.200s: empty label; write LABEL=DIR or DIR", argument);
	if (path[0] == '\0')
		return error_set(
		        err, -EINVAL, "'%.200s': empty path; write LABEL=DIR or DIR", argument);
	if (path != argument && length >= TARGET_LABEL_MAX)
		return error_set(err, -EINVAL, "%.200s: a label has at most %d bytes; shorten it",
		        argument, TARGET_LABEL_MAX - 1);
	if (strlen(path) >= PATH_MAX)
		return error_set(err, -ENAMETOOLONG,
		        "%.200s…: the path is longer than %d bytes; name it from nearer by",
		        argument, PATH_MAX - 1);
	if (path != argument)
		memcpy(target->label, argument, length);
	memcpy(target->path, path, strlen(path) + 1);
	return 0;
}

/* Was a label meant that no label can be ("a:b=/mnt")? */
static bool has_odd_label(const char *path)
{
	size_t length = strcspn(path, "/=");

	return path[length] == '=' && strcspn(path, ":+") < length;
}

static int fail_open(const struct target *target, int code, struct error *err)
{
	char argument[ARGUMENT_MAX];

	if (code == -ENOENT && has_odd_label(target->path))
		return fail(target, err, code,
		        "no such directory, and no label: labels cannot hold '/', ':', '=' or '+'");
	for (unsigned i = 0; i < LENGTH(fault_table); i++)
		if (fault_table[i].code == -code)
			return fail(target, err, code, fault_table[i].text);
	return error_errno(err, code, "%s: cannot be opened, use another target",
	        print_argument(target, argument, sizeof(argument)));
}

static int open_directory(struct target *target, struct error *err)
{
	target->fd = open(target->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return target->fd < 0 ? fail_open(target, -errno, err) : 0;
}

static void fill_space(struct target *target, const struct statvfs *space)
{
	uint64_t unit = space->f_frsize != 0 ? space->f_frsize : space->f_bsize;

	target->size_bytes = space->f_blocks * unit;
	target->free_bytes = space->f_bavail * unit;
	target->inodes = space->f_files;
	target->free_inodes = space->f_files != 0 ? space->f_favail : 0;
	target->block_bytes = (unsigned)unit;
	if ((space->f_flag & ST_RDONLY) != 0)
		target->flags |= TARGET_READ_ONLY;
}

static int read_facts(struct target *target, struct error *err)
{
	char argument[ARGUMENT_MAX];
	struct statvfs space;
	struct stat st;

	if (fstat(target->fd, &st) != 0 || fstatvfs(target->fd, &space) != 0)
		return error_errno(err, -errno, "%s: does not answer stat, use another target",
		        print_argument(target, argument, sizeof(argument)));
	target->dev = st.st_dev;
	target->ino = st.st_ino;
	fill_space(target, &space);
	target_find_mount(target, NULL);
	return 0;
}

static int check_use(const struct target *target, struct error *err)
{
	if (target_is_pseudo(target->fs))
		return fail(target, err, -EOPNOTSUPP,
		        "a pseudo file system that keeps no files; name another");
	if ((target->flags & TARGET_READ_ONLY) != 0)
		return fail(target, err, -EROFS,
		        "mounted read-only; remount it read-write or name another");
	if (faccessat(target->fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
		return fail(target, err, -errno,
		        "not writable by this user; change its owner or mode, or name another");
	return 0;
}

/* Later commands run in other directories: the path must still mean the same. */
static void make_absolute(struct target *target)
{
	char path[PATH_MAX];

	if (target->path[0] != '/' && target_real_path(target->fd, path) == 0)
		memcpy(target->path, path, strlen(path) + 1);
}

int target_probe(struct target *target, struct error *err)
{
	int code = open_directory(target, err);

	if (code == 0)
		code = read_facts(target, err);
	if (code == 0)
		code = check_use(target, err);
	if (code != 0) {
		target_close(target);
		return code;
	}
	make_absolute(target);
	target_find_nearest(target);
	target_find_bottom(target);
	return 0;
}

void target_examine_mount(struct target_listing *listing)
{
	struct target *target = &listing->target;
	struct error err = { 0 };
	const char *reason = NULL;

	if (listing->is_pseudo || listing->reason[0] != '\0')
		return;
	target->fd = open(target->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (target->fd < 0)
		reason = errno == ENOTDIR ? "not a directory" : strerrordesc_np(errno);
	else if (read_facts(target, &err) != 0)
		reason = strerrordesc_np(-err.code);
	else if ((target->flags & TARGET_READ_ONLY) != 0)
		reason = "mounted read-only";
	else if (faccessat(target->fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
		reason = "its top is not writable by this user; a directory on it may be";
	text_print(listing->reason, sizeof(listing->reason), "%s", reason != NULL ? reason : "");
	if (target->fd >= 0 && err.code == 0) {
		target_find_nearest(target);
		target_find_bottom(target);
	}
	target_close(target);
}

int target_check_label(const struct target *targets, unsigned index, struct error *err)
{
	const char *label = targets[index].label;
	char first[ARGUMENT_MAX], second[ARGUMENT_MAX];

	for (unsigned i = 0; i < index && label[0] != '\0'; i++)
		if (strcmp(targets[i].label, label) == 0)
			return error_set(err, -EEXIST,
			        "%s: has the label of %s; give each target its own",
			        print_argument(&targets[index], second, sizeof(second)),
			        print_argument(&targets[i], first, sizeof(first)));
	return 0;
}

static bool is_label_taken(const struct target *targets, unsigned n, const char *label)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(targets[i].label, label) == 0)
			return true;
	return false;
}

static void make_label(struct target *targets, unsigned n, struct target *target)
{
	char base[TARGET_LABEL_MAX - 8], label[TARGET_LABEL_MAX];

	text_print(base, sizeof(base), "%s", target->fs[0] != '\0' ? target->fs : "target");
	for (char *c = base; *c != '\0'; c++)
		if (strchr("/:=+", *c) != NULL)
			*c = '-';
	text_print(label, sizeof(label), "%s", base);
	for (unsigned number = 2; is_label_taken(targets, n, label); number++)
		text_print(label, sizeof(label), "%s-%u", base, number);
	memcpy(target->label, label, sizeof(label));
}

int target_label_all(struct target *targets, unsigned n, struct error *err)
{
	for (unsigned i = 0; i < n; i++)
		if (target_check_label(targets, i, err) != 0)
			return -EEXIST;
	for (unsigned i = 0; i < n; i++)
		if (targets[i].label[0] == '\0')
			make_label(targets, n, &targets[i]);
	return 0;
}

/* Is the directory @outer met on the way up from @inner? Crosses mount points, as ".." does. */
static bool is_above(const struct target *outer, const struct target *inner)
{
	int fd = fcntl(inner->fd, F_DUPFD_CLOEXEC, 0);
	uint64_t dev = inner->dev, ino = inner->ino;
	bool found = false;
	struct stat st;

	while (!found && fd >= 0) {
		int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		bool is_top =
		        up < 0 || fstat(up, &st) != 0 || (st.st_dev == dev && st.st_ino == ino);

		close(fd);
		fd = up;
		if (is_top)
			break;
		dev = st.st_dev;
		ino = st.st_ino;
		found = dev == outer->dev && ino == outer->ino;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* The same by place in the file system: a bind mount hides the way up. */
static bool is_place_above(const struct target_place *outer, const struct target_place *inner)
{
	size_t length = strlen(outer->path);

	return outer->dev != 0 && outer->dev == inner->dev &&
	       strncmp(outer->path, inner->path, length) == 0 &&
	       (inner->path[length] == '/' || inner->path[length] == '\0');
}

struct pair {
	struct target copy;
	struct target_place a, b;
};

static bool are_places_nested(const struct target *a, const struct target *b, int *order)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	if (pair == NULL)
		return false;
	pair->copy = *a;
	target_find_mount(&pair->copy, &pair->a);
	pair->copy = *b;
	target_find_mount(&pair->copy, &pair->b);
	*order = is_place_above(&pair->a, &pair->b)   ? 1
	         : is_place_above(&pair->b, &pair->a) ? -1
	                                              : 0;
	free(pair);
	return *order != 0;
}

int target_check_pair(const struct target *a, const struct target *b, struct error *err)
{
	char first[ARGUMENT_MAX], second[ARGUMENT_MAX];
	const char *relation = NULL;
	int order = 0;

	if (a->dev == b->dev && a->ino == b->ino)
		relation = "is the same directory as";
	else if (is_above(a, b))
		relation = "lies inside";
	else if (is_above(b, a))
		relation = "holds";
	else if (are_places_nested(a, b, &order))
		relation = order > 0 ? "lies inside" : "holds";
	if (relation == NULL)
		return 0;
	return error_set(err, -EEXIST, "%s: %s %s; name directories beside each other",
	        print_argument(b, second, sizeof(second)), relation,
	        print_argument(a, first, sizeof(first)));
}

void target_close(struct target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
}
