/*
 * Leftovers of killed runs: from the journals that are open, or directly in the directories named.
 * What may be removed is scratch.h's decision; this only asks and tells. Main thread.
 */
#include "cli/clean.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "core/text.h"
#include "engine/scratch.h"
#include "lab/place.h"
#include "results/journal.h"

struct cleaning {
	bool is_dry;
	unsigned n_seen;   /* scratch directories looked at */
	unsigned n_failed; /* could not be removed, or not even looked for */
	unsigned n_left;   /* still there: failed, alive, foreign, or a dry run */
};

/* A place to look in. A scratch directory itself stands for its parent and its own name. */
struct place {
	char dir[PATH_MAX];
	char only[NAME_MAX + 1]; /* name to take; "": any */
};

static void split_place(struct place *place, const char *path)
{
	char *slash, *name;

	text_print(place->dir, sizeof(place->dir), "%s", path);
	place->only[0] = '\0';
	for (size_t length = strlen(place->dir); length > 1 && place->dir[length - 1] == '/';)
		place->dir[--length] = '\0';
	slash = strrchr(place->dir, '/');
	name = slash != NULL ? slash + 1 : place->dir;
	if (strncmp(name, SCRATCH_PREFIX, strlen(SCRATCH_PREFIX)) != 0)
		return;
	text_print(place->only, sizeof(place->only), "%s", name);
	if (slash == NULL)
		text_print(place->dir, sizeof(place->dir), ".");
	else if (slash == place->dir)
		place->dir[1] = '\0';
	else
		*slash = '\0';
}

static void say(const char *dir, const char *name, const char *before, const char *after)
{
	char safe[PATH_MAX + NAME_MAX + 2], path[PATH_MAX + NAME_MAX + 2];

	text_print(path, sizeof(path), "%s%s%s", dir, strcmp(dir, "/") == 0 ? "" : "/", name);
	printf("%s %s%s\n", before, text_sanitize(safe, sizeof(safe), path), after);
}

static void remove_found(
        struct cleaning *cleaning, int dir_fd, const char *dir, const struct scratch_found *found)
{
	struct scratch_progress progress = { .hold = NULL };
	struct error err = { 0 };
	char count[64];
	uint64_t removed;

	if (scratch_clean(dir_fd, found, &progress, &err) != 0) {
		cleaning->n_failed++;
		cleaning->n_left++;
		message_print("%.300s/%s: not removed: %s", dir, found->name, err.text);
		return;
	}
	removed = atomic_load(&progress.removed);
	say(dir, found->name, "removed",
	        text_print(count, sizeof(count), " (%" PRIu64 " %s)", removed,
	                removed == 1 ? "entry" : "entries"));
}

static void handle_found(
        struct cleaning *cleaning, int dir_fd, const char *dir, const struct scratch_found *found)
{
	char after[128];

	cleaning->n_seen++;
	if (found->owner == SCRATCH_DEAD && !cleaning->is_dry) {
		remove_found(cleaning, dir_fd, dir, found);
		return;
	}
	cleaning->n_left++;
	if (found->owner == SCRATCH_DEAD)
		say(dir, found->name, "would remove", "");
	else
		say(dir, found->name, "left alone",
		        text_print(after, sizeof(after), ": %s", found->why));
	fflush(stdout);
}

static void clean_open_place(struct cleaning *cleaning, int dir_fd, const struct place *place)
{
	struct scratch_found *found;
	struct error err = { 0 };
	unsigned n, n_before = cleaning->n_seen;

	if (scratch_find(dir_fd, &found, &n, &err) != 0) {
		cleaning->n_failed++;
		cleaning->n_left++;
		message_print("%.300s: %s", place->dir, err.text);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		if (place->only[0] == '\0' || strcmp(place->only, found[i].name) == 0)
			handle_found(cleaning, dir_fd, place->dir, &found[i]);
	free(found);
	if (cleaning->n_seen == n_before)
		say(place->dir, place->only, "nothing to clean in", "");
}

/* @is_asked: the user named it, so that one that is not there is a mistake. */
static void clean_place(struct cleaning *cleaning, const struct place *place, bool is_asked)
{
	int fd = open(place->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		clean_open_place(cleaning, fd, place);
		close(fd);
	} else if (errno == ENOENT && !is_asked) {
		say(place->dir, "", "gone:", "");
	} else {
		cleaning->n_failed++;
		cleaning->n_left++;
		message_print("%.300s: %s", place->dir, strerrordesc_np(errno));
	}
}

/* Only the run's own directories; the journal is forgotten when none is left. */
static void clean_run(struct cleaning *all, const struct journal_open_run *run)
{
	struct cleaning cleaning = { .is_dry = all->is_dry };
	struct error err = { 0 };

	for (unsigned i = 0; i < run->n_paths; i++) {
		struct place place;

		split_place(&place, run->paths[i]);
		text_print(place.only, sizeof(place.only), SCRATCH_PREFIX "%s", run->id);
		clean_place(&cleaning, &place, false);
	}
	if (!cleaning.is_dry && cleaning.n_left == 0 && journal_forget(run, &err) != 0) {
		cleaning.n_failed++;
		message_print("%s", err.text);
	}
	all->n_seen += cleaning.n_seen;
	all->n_failed += cleaning.n_failed;
}

static void say_lab(void *context, const char *path, int code)
{
	struct cleaning *cleaning = context;
	struct place place;
	char *name;

	cleaning->n_seen++;
	if (code < 0) {
		cleaning->n_failed++;
		message_print("%.300s: a visible lab, not removed: %s%s", path,
		        strerrordesc_np(-code), code == -EPERM ? " (needs root)" : "");
		return;
	}
	text_print(place.dir, sizeof(place.dir), "%s", path);
	name = strrchr(place.dir, '/');
	*name = '\0';
	say(place.dir, name + 1, cleaning->is_dry ? "would unmount" : "unmounted",
	        ": a lab whose process is gone");
}

static int clean_journals(struct cleaning *cleaning)
{
	struct journal_open_run *runs = NULL;
	struct error err = { 0 };
	unsigned n = 0;

	if (journal_find_open(&runs, &n, &err) != 0) {
		message_print("%s", err.text);
		return EXIT_CELLS;
	}
	for (unsigned i = 0; i < n; i++)
		clean_run(cleaning, &runs[i]);
	if (lab_place_clean(cleaning->is_dry, say_lab, cleaning) == 0 && n == 0)
		printf("nothing to clean: no run was left open\n");
	journal_free_open(runs, n);
	return EXIT_GOOD;
}

static int print_help(void)
{
	puts("usage: fsderby clean [--dry-run] [DIR...]\n"
	     "\n"
	     "Remove what killed runs left, and only that: directories " SCRATCH_PREFIX
	     "RUN whose\n"
	     "marker tells of a run that is gone. Without DIR the runs that the journal shows "
	     "open;\n"
	     "with DIR what lies directly in these directories. Without DIR also what a killed\n"
	     "`fsderby lab --visible` left mounted.\n"
	     "\n"
	     "  --dry-run   list, remove nothing\n"
	     "  --help      this text\n"
	     "\n"
	     "Exit status: 0; 1 something could not be removed; 2 usage.");
	return EXIT_GOOD;
}

static int clean_named(struct cleaning *cleaning, int n, char **dirs)
{
	for (int i = 0; i < n; i++) {
		struct place place;

		if (dirs[i][0] == '\0' || strlen(dirs[i]) >= sizeof(place.dir)) {
			message_print("clean: '%.100s': no path; name a directory", dirs[i]);
			return EXIT_USAGE;
		}
		split_place(&place, dirs[i]);
		clean_place(cleaning, &place, true);
	}
	return EXIT_GOOD;
}

int clean_command(int argc, char **argv)
{
	struct cleaning cleaning = { 0 };
	int n = 0, status;
	bool is_plain = false; /* after "--" */

	/* The directories move to the front of argv[1…]. */
	for (int i = 1; i < argc; i++) {
		if (is_plain || argv[i][0] != '-')
			argv[1 + n++] = argv[i];
		else if (strcmp(argv[i], "--") == 0)
			is_plain = true;
		else if (strcmp(argv[i], "--dry-run") == 0)
			cleaning.is_dry = true;
		else if (strcmp(argv[i], "--help") == 0)
			return print_help();
		else {
			message_print(
			        "clean: '%.100s' is no option; see fsderby clean --help", argv[i]);
			return EXIT_USAGE;
		}
	}
	status = n > 0 ? clean_named(&cleaning, n, argv + 1) : clean_journals(&cleaning);
	if (status == EXIT_GOOD && cleaning.n_failed > 0)
		status = EXIT_CELLS;
	return status;
}
