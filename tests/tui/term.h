/*
 * A program in a pseudo terminal, its screen read by libvterm.
 */
#ifndef FSDERBY_TESTS_TUI_TERM_H
#define FSDERBY_TESTS_TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <vterm.h>

enum { TERM_ARGUMENTS_MAX = 32, TERM_MODES_MAX = 16 };

struct term_start {
	int rows, columns;
	const char *type;   /* TERM; NULL: xterm-256color */
	const char *locale; /* LC_ALL; NULL: C.UTF-8 */
	const char *extra;  /* NAME=VALUE for the environment, or NULL */
	bool has_shell;     /* a parent that does job control stands between */
	bool ignores_hup;
	char *const *arguments;
};

struct term {
	int master, slave;  /* the slave stays open, to read its modes */
	pid_t pid, program; /* the shell's and the program's own */
	VTerm *vterm;
	VTermScreen *screen;
	int rows, columns, status;
	bool has_ended, is_alternate, has_cursor, has_mouse, has_high_bytes, is_closed;
	size_t bytes; /* that the program wrote */
};

/* 0, or -1 with errno. */
int term_open(struct term *term, const struct term_start *start);
/* Kills what still runs. */
void term_close(struct term *term);

/* Take what the program writes for @ms, or until it is silent for as long. */
void term_run(struct term *term, int ms);
/* Until the screen shows @text, at most @ms. */
bool term_wait(struct term *term, const char *text, int ms);
bool term_wait_end(struct term *term, int ms);
bool term_shows(struct term *term, const char *text);
void term_line(struct term *term, int row, char *out, size_t size);
void term_dump(struct term *term);

void term_type(struct term *term, const char *keys);
void term_resize(struct term *term, int rows, int columns);
/* Close the window: both ends. */
void term_hang_up(struct term *term);

/* Are the terminal's modes those of a shell: echo, lines, signals? */
bool term_is_cooked(struct term *term);
/* All that a program must put back. */
bool term_is_restored(struct term *term);
/* The program's state letter in /proc ('T': stopped). */
char term_program_state(const struct term *term);

#endif
