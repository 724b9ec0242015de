/*
 * The journal of a run. Lines are complete JSON documents, each on disk before the next timed part
 * begins. Its own lock serialises the lanes; the directory's lock keeps several runs apart.
 */
#include "results/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "measure/clock.h"
#include "results/journal_file.h"
#include "results/jsonify.h"
#include "results/owner.h"
#include "results/result_json.h"

struct journal {
	pthread_mutex_t lock;
	const struct report *report; /* borrowed */
	int fd;
	char directory[PATH_MAX];
};

/* A growing list of open runs. */
struct found_runs {
	struct journal_open_run *runs;
	unsigned n, room;
};

int journal_directory(char *out, size_t size, struct error *err)
{
	int code = journal_file_directory(out, size, err);

	return code ? code : journal_file_make_directory(out, err);
}

/* Append @line and release it. */
static int append_json(int fd, json_t *line)
{
	char *dump = line ? json_dumps(line, JSON_COMPACT | JSONIFY_FLAGS) : NULL;
	struct text text;
	int code = -ENOMEM;

	json_decref(line);
	if (!dump)
		return -ENOMEM;
	text_init(&text);
	text_format(&text, "%s\n", dump);
	free(dump);
	if (!text.failed)
		code = journal_file_append(fd, text_string(&text), text.length);
	text_release(&text);
	return code;
}

/* Append {"key": value}; takes the value's reference over. */
static int append_line(int fd, const char *key, json_t *value)
{
	json_t *line = json_object();
	bool failed = !line;

	jsonify_put(line, key, value, &failed);
	return append_json(fd, jsonify_finish(line, failed));
}

static json_t *run_to_json(const struct report *report, const struct journal_process *process)
{
	json_t *run = json_object();
	bool failed = !run;

	jsonify_put(run, "id", jsonify_text(report->id), &failed);
	jsonify_put(run, "started", jsonify_utc(report->started_utc_ns), &failed);
	jsonify_put(run, "version", jsonify_text(report->version), &failed);
	jsonify_put(run, "command", jsonify_text(report->command ? report->command : ""), &failed);
	jsonify_put(run, "pid", json_integer(process->pid), &failed);
	jsonify_put(run, "process_start_ticks", jsonify_unsigned(process->start_ticks), &failed);
	jsonify_put(run, "boot_id", jsonify_text(process->boot_id), &failed);
	return jsonify_finish(run, failed);
}

/* Absolute and encoded. Made from the names alone: asking a target here might hang. */
static json_t *path_to_json(const char *path)
{
	char here[PATH_MAX], full[PATH_MAX * 2], encoded[PATH_MAX * 3];

	if (path[0] == '/' || !getcwd(here, sizeof(here)))
		text_print(full, sizeof(full), "%s", path);
	else
		text_print(full, sizeof(full), "%s/%s", here, path);
	if (journal_file_encode(encoded, sizeof(encoded), full))
		return json_null();
	return json_string(encoded);
}

static json_t *head_to_json(const struct report *report, const struct journal_process *process)
{
	json_t *head = json_object(), *paths = json_array();
	bool failed = !head || !paths;

	/* What the lab made goes with its process. */
	for (unsigned i = 0; i < report->n_targets; i++)
		if (report->targets[i].managed == NULL &&
		        json_array_append_new(paths, path_to_json(report->targets[i].path)))
			failed = true;
	jsonify_put(head, "journal", json_integer(1), &failed);
	jsonify_put(head, "run", run_to_json(report, process), &failed);
	jsonify_put(head, "scratch", paths, &failed);
	return jsonify_finish(head, failed);
}

/* A last-run.jsonl that is open, or still written, gets a name of its own. Directory locked. */
static int keep_last(int dir_fd)
{
	struct journal_head head;
	char name[NAME_MAX];
	int code = journal_file_read(dir_fd, JOURNAL_LAST, &head);

	/* None, or one that says nothing: it may be replaced. */
	if (code)
		return code == -ENOENT || code == -EBADMSG ? 0 : code;
	if (!head.is_closed && renameat(dir_fd, JOURNAL_LAST, dir_fd,
	                               journal_file_name(name, sizeof(name), head.id)))
		code = -errno;
	journal_file_release(&head);
	return code;
}

/* Written under another name first: whoever finds last-run.jsonl finds a whole first line. */
static int make_file(int dir_fd, const struct report *report, int *fd)
{
	struct journal_process process;
	char name[NAME_MAX];
	int code = journal_file_self(&process);

	if (code)
		return code;
	text_print(name, sizeof(name), ".new-%s.jsonl", report->id);
	*fd = openat(
	        dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd < 0)
		return -errno;
	code = owner_give(*fd);
	if (!code)
		code = append_json(*fd, head_to_json(report, &process));
	if (!code)
		code = keep_last(dir_fd);
	if (!code && renameat(dir_fd, name, dir_fd, JOURNAL_LAST))
		code = -errno;
	if (!code) {
		fsync(dir_fd);
		return 0;
	}
	unlinkat(dir_fd, name, 0);
	close(*fd);
	*fd = -1;
	return code;
}

int journal_open(struct journal **journal, const struct report *report, struct error *err)
{
	struct journal *made = calloc(1, sizeof(*made));
	int code, dir_fd;

	*journal = NULL;
	if (!made)
		return error_errno(err, -ENOMEM, "journal");
	code = journal_directory(made->directory, sizeof(made->directory), err);
	if (code) {
		free(made);
		return code;
	}
	made->report = report;
	dir_fd = journal_file_lock(made->directory);
	code = dir_fd < 0 ? dir_fd : make_file(dir_fd, report, &made->fd);
	if (dir_fd >= 0)
		close(dir_fd);
	if (!code)
		code = -pthread_mutex_init(&made->lock, NULL);
	if (code) {
		error_errno(err, code, "%s: cannot begin the journal", made->directory);
		free(made);
		return code;
	}
	*journal = made;
	return 0;
}

/* Takes the value's reference over. */
static int add_line(struct journal *journal, const char *key, json_t *value, struct error *err)
{
	int code;

	pthread_mutex_lock(&journal->lock);
	code = append_line(journal->fd, key, value);
	pthread_mutex_unlock(&journal->lock);
	if (code)
		return error_errno(err, code, "%s: cannot write the journal", journal->directory);
	return 0;
}

int journal_add_result(struct journal *journal, const struct result *result, struct error *err)
{
	return add_line(journal, "result", result_to_json(journal->report, result), err);
}

int journal_add_change(
        struct journal *journal, const struct report_change *change, struct error *err)
{
	return add_line(journal, "change", change_to_json(journal->report, change), err);
}

static json_t *end_to_json(bool is_complete, bool cleaned)
{
	json_t *end = json_object();
	bool failed = !end;

	jsonify_put(end, "ended", jsonify_utc(clock_utc_ns()), &failed);
	jsonify_put(end, "complete", json_boolean(is_complete), &failed);
	jsonify_put(end, "cleaned", json_boolean(cleaned), &failed);
	return jsonify_finish(end, failed);
}

/*
 * A run that began later has moved this journal aside. Closed, it has nothing left to say to
 * `clean`: it takes the place of the last run again if that one has ended too, else it goes.
 */
static void put_back(const struct journal *journal)
{
	struct journal_head last;
	char name[NAME_MAX];
	int dir_fd = journal_file_lock(journal->directory);
	bool is_free;

	if (dir_fd < 0)
		return;
	journal_file_name(name, sizeof(name), journal->report->id);
	if (!faccessat(dir_fd, name, F_OK, 0)) {
		int code = journal_file_read(dir_fd, JOURNAL_LAST, &last);

		is_free = code || last.is_closed;
		if (!code)
			journal_file_release(&last);
		if (is_free)
			renameat(dir_fd, name, dir_fd, JOURNAL_LAST);
		else
			unlinkat(dir_fd, name, 0);
	}
	close(dir_fd);
}

void journal_close(struct journal *journal, bool is_complete, bool cleaned)
{
	if (!journal)
		return;
	add_line(journal, "end", end_to_json(is_complete, cleaned), NULL);
	close(journal->fd);
	if (cleaned)
		put_back(journal);
	pthread_mutex_destroy(&journal->lock);
	free(journal);
}

/* The head's paths go over to the list. */
static int add_found(struct found_runs *found, const char *directory, const char *name,
        struct journal_head *head)
{
	struct journal_open_run *run;

	if (found->n == found->room) {
		unsigned room = found->room ? found->room * 2 : 8;

		run = reallocarray(found->runs, room, sizeof(*run));
		if (!run)
			return -ENOMEM;
		found->runs = run;
		found->room = room;
	}
	run = &found->runs[found->n++];
	text_print(run->file, sizeof(run->file), "%s/%s", directory, name);
	text_print(run->id, sizeof(run->id), "%s", head->id);
	run->paths = head->paths;
	run->n_paths = head->n_paths;
	head->paths = NULL;
	return 0;
}

static int look_at(struct found_runs *found, int dir_fd, const char *directory, const char *name)
{
	struct journal_head head;
	int code = 0;

	/* A file that cannot be read, or says nothing, is no run to clean up after. */
	if (journal_file_read(dir_fd, name, &head))
		return 0;
	if (!head.is_closed && !journal_file_is_alive(&head.process))
		code = add_found(found, directory, name, &head);
	journal_file_release(&head);
	return code;
}

static int look_through(struct found_runs *found, int dir_fd, const char *directory)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int code = 0;

	if (!dir) {
		code = -errno;
		if (fd >= 0)
			close(fd);
		return code;
	}
	while (!code && (entry = readdir(dir)))
		if (!strcmp(entry->d_name, JOURNAL_LAST) || journal_file_is_kept(entry->d_name))
			code = look_at(found, dir_fd, directory, entry->d_name);
	closedir(dir);
	return code;
}

int journal_find_open(struct journal_open_run **runs, unsigned *n, struct error *err)
{
	struct found_runs found = { NULL, 0, 0 };
	char directory[PATH_MAX];
	int code = journal_file_directory(directory, sizeof(directory), err);
	int dir_fd;

	*runs = NULL;
	*n = 0;
	if (code)
		return code;
	dir_fd = journal_file_lock(directory);
	if (dir_fd == -ENOENT)
		return 0;
	code = dir_fd < 0 ? dir_fd : look_through(&found, dir_fd, directory);
	if (dir_fd >= 0)
		close(dir_fd);
	if (code) {
		journal_free_open(found.runs, found.n);
		return error_errno(err, code, "%s: cannot read the journals", directory);
	}
	*runs = found.runs;
	*n = found.n;
	return 0;
}

void journal_free_open(struct journal_open_run *runs, unsigned n)
{
	for (unsigned i = 0; runs && i < n; i++)
		free(runs[i].paths);
	free(runs);
}

/* Add an end; the newline first, since a killed run's last line may have been cut off. */
static int close_file(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	int code;

	if (fd < 0)
		return -errno;
	code = journal_file_append(fd, "\n", 1);
	if (!code)
		code = append_line(fd, "end", end_to_json(false, true));
	close(fd);
	return code;
}

static int forget_in(int dir_fd, const struct journal_open_run *run)
{
	struct journal_head head;
	char kept[NAME_MAX];
	bool is_last;

	/* Under the lock again: a run that has begun since may have given it another name. */
	is_last = !journal_file_read(dir_fd, JOURNAL_LAST, &head);
	if (is_last) {
		is_last = !strcmp(head.id, run->id);
		journal_file_release(&head);
	}
	if (is_last)
		return close_file(dir_fd, JOURNAL_LAST);
	journal_file_name(kept, sizeof(kept), run->id);
	return unlinkat(dir_fd, kept, 0) && errno != ENOENT ? -errno : 0;
}

int journal_forget(const struct journal_open_run *run, struct error *err)
{
	char directory[PATH_MAX];
	int code = journal_file_directory(directory, sizeof(directory), err);
	int dir_fd;

	if (code)
		return code;
	dir_fd = journal_file_lock(directory);
	code = dir_fd < 0 ? dir_fd : forget_in(dir_fd, run);
	if (dir_fd >= 0)
		close(dir_fd);
	if (code)
		return error_errno(err, code, "%s: cannot be closed", run->file);
	return 0;
}
