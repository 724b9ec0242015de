/*
 * Files of the journal. See journal_file.h; callers serialise by journal_file_lock.
 */
#include "results/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "results/owner.h"

int journal_file_directory(char *out, size_t size, struct error *err)
{
	const char *state = getenv("XDG_STATE_HOME");
	char home[PATH_MAX];
	int code, n;

	/* The base directory specification: a path that is not absolute is to be ignored. */
	if (state && state[0] == '/') {
		n = snprintf(out, size, "%s/fsderby", state);
	} else {
		code = owner_home(home, sizeof(home));
		if (code)
			return error_errno(err, code, "no home directory for the journal");
		n = snprintf(out, size, "%s/.local/state/fsderby", home);
	}
	if (n < 0 || (size_t)n >= size)
		return error_set(err, -ENAMETOOLONG, "the journal's directory has too long a path");
	return 0;
}

static int make_one(const char *path)
{
	int fd, code;

	if (mkdir(path, 0700))
		return errno == EEXIST ? 0 : -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	code = owner_give(fd);
	close(fd);
	return code;
}

int journal_file_make_directory(const char *path, struct error *err)
{
	char part[PATH_MAX];
	struct stat st;
	int code = 0;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return 0;
	for (size_t i = 1; !code; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		text_print(part, sizeof(part), "%.*s", (int)i, path);
		code = make_one(part);
		if (path[i] == '\0')
			break;
	}
	if (!code && (stat(path, &st) || !S_ISDIR(st.st_mode)))
		code = -ENOTDIR;
	if (code)
		return error_errno(err, code, "%s: cannot make the journal's directory", part);
	return 0;
}

int journal_file_lock(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX) && errno == EINTR)
		;
	return fd;
}

char *journal_file_name(char *out, size_t size, const char *id)
{
	return text_print(out, size, "run-%s.jsonl", id);
}

bool journal_file_is_kept(const char *name)
{
	size_t length = strlen(name);

	return length > strlen("run-.jsonl") && !strncmp(name, "run-", 4) &&
	       !strcmp(name + length - 6, ".jsonl");
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int journal_file_encode(char *out, size_t size, const char *path)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = 0;

	for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
		bool is_plain = *at > ' ' && *at < 0x7F && *at != '%';

		if (n + 4 > size)
			return -ENAMETOOLONG;
		if (is_plain) {
			out[n++] = (char)*at;
			continue;
		}
		out[n++] = '%';
		out[n++] = digits[*at >> 4];
		out[n++] = digits[*at & 15];
	}
	out[n] = '\0';
	return 0;
}

int journal_file_decode(char *out, size_t size, const char *text)
{
	size_t n = 0;

	for (; *text; text++) {
		int high = 0, low = 0;

		if (n + 1 >= size)
			return -ENAMETOOLONG;
		if (*text != '%') {
			out[n++] = *text;
			continue;
		}
		high = hex_digit(text[1]);
		low = high < 0 ? -1 : hex_digit(text[2]);
		if (low < 0 || (high == 0 && low == 0))
			return -EBADMSG;
		out[n++] = (char)(high << 4 | low);
		text += 2;
	}
	out[n] = '\0';
	return 0;
}

static int read_paths(struct journal_head *head, json_t *paths)
{
	size_t n = json_array_size(paths);
	size_t i;
	json_t *path;

	head->paths = calloc(n + 1, sizeof(head->paths[0]));
	if (!head->paths)
		return -ENOMEM;
	json_array_foreach(paths, i, path)
	{
		const char *text = json_string_value(path);
		char *into = head->paths[head->n_paths];

		/* One bad entry does not hide the others. */
		if (text && !journal_file_decode(into, PATH_MAX, text) && into[0] == '/')
			head->n_paths++;
	}
	return 0;
}

static void read_text(const json_t *object, const char *key, char *out, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	text_print(out, size, "%s", text ? text : "");
}

/* The first line: without a name of its own and paths a journal says nothing. */
static int read_head(struct journal_head *head, const char *line, size_t size)
{
	json_t *root = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
	json_t *run = json_object_get(root, "run");
	json_t *paths = json_object_get(root, "scratch");
	int code = -EBADMSG;

	read_text(run, "id", head->id, sizeof(head->id));
	read_text(run, "boot_id", head->process.boot_id, sizeof(head->process.boot_id));
	head->process.pid = json_integer_value(json_object_get(run, "pid"));
	head->process.start_ticks =
	        (uint64_t)json_integer_value(json_object_get(run, "process_start_ticks"));
	if (json_object_get(root, "journal") && head->id[0] && !strchr(head->id, '/') &&
	        json_is_array(paths))
		code = read_paths(head, paths);
	/* Nothing was made that could be left (a run in the lab): it ended with its process. */
	head->is_closed =
	        code == 0 && json_array_size(paths) == 0 && !journal_file_is_alive(&head->process);
	json_decref(root);
	return code;
}

static bool is_closing(const char *line, size_t size)
{
	static const char begin[] = "{\"end\":";
	json_t *root;
	bool cleaned;

	if (size < sizeof(begin) || memcmp(line, begin, sizeof(begin) - 1))
		return false;
	root = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
	cleaned = json_is_true(json_object_get(json_object_get(root, "end"), "cleaned"));
	json_decref(root);
	return cleaned;
}

int journal_file_read(int dir_fd, const char *name, struct journal_head *head)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	int code = file ? 0 : -errno;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	memset(head, 0, sizeof(*head));
	if (!file) {
		if (fd >= 0)
			close(fd);
		return code;
	}
	n = getline(&line, &room, file);
	code = n < 0 ? -EBADMSG : read_head(head, line, (size_t)n);
	while (!code && !head->is_closed && (n = getline(&line, &room, file)) > 0)
		head->is_closed = is_closing(line, (size_t)n);
	free(line);
	fclose(file);
	if (code)
		journal_file_release(head);
	return code;
}

void journal_file_release(struct journal_head *head)
{
	free(head->paths);
	memset(head, 0, sizeof(*head));
}

static int read_small(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int code;

	if (fd < 0)
		return -errno;
	n = read(fd, out, size - 1);
	code = n < 0 ? -errno : 0;
	close(fd);
	out[n < 0 ? 0 : n] = '\0';
	return code;
}

/*
 * proc(5): the command in field 2 may hold anything, so count from the last ')'. -ESRCH for a
 * process that only waits to be reaped.
 */
static int read_start_ticks(int64_t pid, uint64_t *ticks)
{
	enum { FIELDS_BEFORE = 19 }; /* fields 3 to 21 */
	char path[64], stat_text[1024];
	const char *at;
	int code;

	code = read_small(text_print(path, sizeof(path), "/proc/%" PRId64 "/stat", pid), stat_text,
	        sizeof(stat_text));
	if (code)
		return code;
	at = strrchr(stat_text, ')');
	if (!at || at[1] != ' ')
		return -EBADMSG;
	at += 2;
	if (*at == 'Z' || *at == 'X')
		return -ESRCH;
	for (int i = 0; i < FIELDS_BEFORE && at; i++) {
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	return at && sscanf(at, "%" SCNu64, ticks) == 1 ? 0 : -EBADMSG;
}

int journal_file_self(struct journal_process *process)
{
	int code = read_small(
	        "/proc/sys/kernel/random/boot_id", process->boot_id, sizeof(process->boot_id));

	if (code)
		return code;
	process->boot_id[strcspn(process->boot_id, "\n")] = '\0';
	process->pid = getpid();
	return read_start_ticks(process->pid, &process->start_ticks);
}

bool journal_file_is_alive(const struct journal_process *process)
{
	struct journal_process self;
	uint64_t ticks;

	/* Where /proc does not tell, a process of that number is taken for the owner. */
	if (journal_file_self(&self))
		return process->pid > 0 && (!kill((pid_t)process->pid, 0) || errno == EPERM);
	return !strcmp(self.boot_id, process->boot_id) && !read_start_ticks(process->pid, &ticks) &&
	       ticks == process->start_ticks;
}

int journal_file_append(int fd, const char *text, size_t size)
{
	off_t begin = lseek(fd, 0, SEEK_END);
	int code = begin < 0 ? -errno : 0;

	while (!code && size > 0) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			code = -errno;
			break;
		}
		text += n;
		size -= (size_t)n;
	}
	if (!code && fsync(fd))
		code = -errno;
	/* Half a line would swallow the next one. */
	if (code && begin >= 0 && ftruncate(fd, begin))
		return code;
	return code;
}
