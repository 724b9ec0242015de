/*
 * The pseudo terminal. One thread; each call feeds the emulator with what has come.
 */
#include "term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int on_property(VTermProp property, VTermValue *value, void *user)
{
	struct term *term = user;

	if (property == VTERM_PROP_ALTSCREEN)
		term->is_alternate = value->boolean;
	if (property == VTERM_PROP_CURSORVISIBLE)
		term->has_cursor = value->boolean;
	return 1;
}

static VTermScreenCallbacks callbacks = { .settermprop = on_property };

static void set_environment(const struct term_start *start)
{
	char *extra = start->extra != NULL ? strdup(start->extra) : NULL;

	setenv("TERM", start->type != NULL ? start->type : "xterm-256color", 1);
	setenv("LC_ALL", start->locale != NULL ? start->locale : "C.UTF-8", 1);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	if (extra != NULL)
		putenv(extra);
}

static void become_program(const struct term_start *start)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, start->ignores_hup ? SIG_IGN : SIG_DFL);
	signal(SIGTTOU, SIG_DFL);
	set_environment(start);
	execv(start->arguments[0], start->arguments);
	_exit(127);
}

/* What a shell does: own group in the foreground; when it stops, take the terminal, then "fg". */
static void become_shell(const struct term_start *start, int tell)
{
	int status = 0;
	pid_t child;

	signal(SIGTTOU, SIG_IGN);
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		tcsetpgrp(STDIN_FILENO, getpid());
		become_program(start);
	}
	setpgid(child, child);
	if (write(tell, &child, sizeof(child)) != (ssize_t)sizeof(child))
		_exit(126);
	while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
		tcsetpgrp(STDIN_FILENO, getpgrp());
		usleep(500 * 1000);
		tcsetpgrp(STDIN_FILENO, child);
		kill(-child, SIGCONT);
	}
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 125);
}

int term_open(struct term *term, const struct term_start *start)
{
	struct winsize size = { .ws_row = (unsigned short)start->rows,
		.ws_col = (unsigned short)start->columns };
	int tell[2];

	memset(term, 0, sizeof(*term));
	term->rows = start->rows > 0 ? start->rows : 24;
	term->columns = start->columns > 0 ? start->columns : 80;
	term->has_cursor = true;
	if (pipe(tell) != 0 || openpty(&term->master, &term->slave, NULL, NULL, &size) != 0)
		return -1;
	fcntl(term->master, F_SETFD, FD_CLOEXEC);
	fcntl(term->slave, F_SETFD, FD_CLOEXEC);
	fcntl(tell[0], F_SETFD, FD_CLOEXEC);
	fcntl(tell[1], F_SETFD, FD_CLOEXEC);
	term->vterm = vterm_new(term->rows, term->columns);
	vterm_set_utf8(term->vterm, 1);
	term->screen = vterm_obtain_screen(term->vterm);
	vterm_screen_set_callbacks(term->screen, &callbacks, term);
	vterm_screen_enable_altscreen(term->screen, 1);
	vterm_screen_reset(term->screen, 1);
	term->pid = term->program = fork();
	if (term->pid == 0) {
		int fd = dup(term->slave);

		login_tty(fd);
		if (start->has_shell)
			become_shell(start, tell[1]);
		become_program(start);
	}
	if (start->has_shell &&
	        read(tell[0], &term->program, sizeof(pid_t)) != (ssize_t)sizeof(pid_t))
		term->program = term->pid;
	close(tell[0]);
	close(tell[1]);
	return term->pid > 0 ? 0 : -1;
}

/*
 * libvterm 0.1 reads only the first number of "CSI ? 1006 ; 1000 h", which is how ncurses asks for
 * the mouse, so the bytes are looked at here.
 */
static void note_mouse(struct term *term, const char *bytes, size_t n)
{
	for (size_t i = 0; i + 3 < n; i++) {
		size_t at = i + 3;
		bool is_mouse = false;

		if (memcmp(bytes + i, "\033[?", 3) != 0)
			continue;
		for (; at < n && strchr("0123456789;", bytes[at]) != NULL; at++)
			is_mouse = is_mouse || (at + 4 <= n && memcmp(bytes + at, "1000", 4) == 0);
		if (at < n && is_mouse && (bytes[at] == 'h' || bytes[at] == 'l'))
			term->has_mouse = bytes[at] == 'h';
	}
}

/* One read; false when nothing came within @ms, or the other end is closed. */
static bool take(struct term *term, int ms)
{
	struct pollfd wait = { term->master, POLLIN, 0 };
	char bytes[16384];
	ssize_t n;

	if (term->is_closed || poll(&wait, 1, ms) <= 0)
		return false;
	n = read(term->master, bytes, sizeof(bytes));
	if (n <= 0)
		return false;
	term->bytes += (size_t)n;
	for (ssize_t i = 0; i < n; i++)
		term->has_high_bytes = term->has_high_bytes || (bytes[i] & 0x80) != 0;
	note_mouse(term, bytes, (size_t)n);
	vterm_input_write(term->vterm, bytes, (size_t)n);
	return true;
}

void term_run(struct term *term, int ms)
{
	long end = now_ms() + ms;

	while (now_ms() < end && take(term, (int)(end - now_ms())))
		;
}

static size_t put_utf8(char *out, unsigned code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 63));
		return 2;
	}
	out[0] = (char)(0xe0 | code >> 12);
	out[1] = (char)(0x80 | (code >> 6 & 63));
	out[2] = (char)(0x80 | (code & 63));
	return 3;
}

void term_line(struct term *term, int row, char *out, size_t size)
{
	size_t n = 0;

	for (int column = 0; column < term->columns && n + 32 < size;) {
		VTermScreenCell cell;
		VTermPos position = { row, column };

		memset(&cell, 0, sizeof(cell));
		vterm_screen_get_cell(term->screen, position, &cell);
		if (cell.chars[0] == 0)
			out[n++] = ' ';
		for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; i++)
			n += put_utf8(out + n, cell.chars[i]);
		column += cell.width > 0 ? cell.width : 1;
	}
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}

bool term_shows(struct term *term, const char *text)
{
	char line[4096];

	for (int row = 0; row < term->rows; row++) {
		term_line(term, row, line, sizeof(line));
		if (strstr(line, text) != NULL)
			return true;
	}
	return false;
}

void term_dump(struct term *term)
{
	char line[4096];

	for (int row = 0; row < term->rows; row++) {
		term_line(term, row, line, sizeof(line));
		fprintf(stderr, "%2d|%s\n", row, line);
	}
}

bool term_wait(struct term *term, const char *text, int ms)
{
	long end = now_ms() + ms;

	while (!term_shows(term, text)) {
		if (now_ms() >= end)
			return false;
		if (!take(term, 50))
			usleep(1000);
	}
	return true;
}

bool term_wait_end(struct term *term, int ms)
{
	long end = now_ms() + ms;

	while (!term->has_ended && now_ms() < end) {
		if (!take(term, 20))
			usleep(1000);
		if (waitpid(term->pid, &term->status, WNOHANG) == term->pid)
			term->has_ended = true;
	}
	while (take(term, 20))
		;
	return term->has_ended;
}

void term_type(struct term *term, const char *keys)
{
	size_t n = strlen(keys);

	if (write(term->master, keys, n) != (ssize_t)n)
		fprintf(stderr, "cannot type\n");
}

void term_resize(struct term *term, int rows, int columns)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };

	/* First what was drawn for the old size. */
	while (take(term, 0))
		;
	vterm_set_size(term->vterm, rows, columns);
	term->rows = rows;
	term->columns = columns;
	ioctl(term->master, TIOCSWINSZ, &size);
}

void term_hang_up(struct term *term)
{
	if (term->is_closed)
		return;
	close(term->slave);
	close(term->master);
	term->is_closed = true;
}

void term_close(struct term *term)
{
	if (!term->has_ended) {
		kill(term->program, SIGKILL);
		kill(term->pid, SIGKILL);
		waitpid(term->pid, NULL, 0);
	}
	term_hang_up(term);
	vterm_free(term->vterm);
}

bool term_is_cooked(struct term *term)
{
	const tcflag_t wanted = ICANON | ECHO | ISIG;
	struct termios modes;

	return tcgetattr(term->slave, &modes) == 0 && (modes.c_lflag & wanted) == wanted;
}

bool term_is_restored(struct term *term)
{
	return term_is_cooked(term) && !term->is_alternate && term->has_cursor && !term->has_mouse;
}

char term_program_state(const struct term *term)
{
	char path[64], text[512], *end;
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)term->program);
	file = fopen(path, "re");
	if (file == NULL)
		return '?';
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	end = strrchr(text, ')');
	return end != NULL && end[1] == ' ' ? end[2] : '?';
}
