/*
 * Entering and leaving the terminal by ncurses, and the bytes that put it back after a crash. Main
 * thread only, but for on_crash.
 */
#include "ui/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <term.h>

#include "core/text.h"

enum { RESCUE_BYTES_MAX = 256, ESCAPE_DELAY_MS = 25 };

/*
 * Written by terminal_open and terminal_close, read by a crash handler of whatever thread, which
 * cannot ask anybody.
 */
static struct {
	volatile sig_atomic_t is_armed;
	struct termios modes;
	size_t n;
	char bytes[RESCUE_BYTES_MAX];
} rescue;

static const int crash_signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };

static const char *const modern_terms[] = {
	"xterm",
	"kitty",
	"ghostty",
	"alacritty",
	"foot",
	"wezterm",
	"tmux",
	"screen",
	"rxvt",
	"konsole",
	"gnome",
	"vte",
	"st-",
	"contour",
	"rio",
	"iterm",
	"putty",
	NULL,
};

/* Async-signal-safe. */
static void rescue_terminal(void)
{
	if (!rescue.is_armed)
		return;
	rescue.is_armed = 0;
	for (size_t at = 0; at < rescue.n;) {
		ssize_t n = write(STDOUT_FILENO, rescue.bytes + at, rescue.n - at);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
}

static void on_crash(int signal_number)
{
	rescue_terminal();
	raise(signal_number); /* SA_RESETHAND: the default action follows */
}

/* Add a terminfo string without its padding ("$<50>"). */
static void rescue_add(const char *string)
{
	if (string == NULL || string == (const char *)-1)
		return;
	while (*string != '\0' && rescue.n < RESCUE_BYTES_MAX) {
		if (string[0] == '$' && string[1] == '<') {
			string += strcspn(string, ">");
			string += *string == '>';
			continue;
		}
		rescue.bytes[rescue.n++] = *string++;
	}
}

static void rescue_arm(const struct terminal *terminal)
{
	static bool is_registered;
	struct sigaction action = { .sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND };

	rescue.n = 0;
	if (terminal->has_mouse)
		rescue_add("\033[?1006l\033[?1000l");
	rescue_add(tigetstr("cnorm"));
	rescue_add(tigetstr("sgr0"));
	rescue_add(tigetstr("op"));
	rescue_add(tigetstr("rmkx"));
	rescue_add(tigetstr("rmcup"));
	rescue_add("\r\n");
	rescue.is_armed = 1;
	for (size_t i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++)
		sigaction(crash_signals[i], &action, NULL);
	if (!is_registered) {
		atexit(rescue_terminal);
		is_registered = true;
	}
}

static void rescue_disarm(void)
{
	rescue.is_armed = 0;
	for (size_t i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++)
		signal(crash_signals[i], SIG_DFL);
}

int terminal_color_depth(enum ui_color color, const char *no_color, int has)
{
	if (color == UI_COLOR_NEVER)
		return 0;
	if (color == UI_COLOR_AUTO && no_color != NULL && no_color[0] != '\0')
		return 0;
	/* Over 256 the numbers are no palette any more, only the first eight are (xterm-direct). */
	return has == 256 ? 256 : has > 256 ? 8 : has >= 16 ? 16 : has >= 8 ? 8 : 0;
}

enum glyph_level terminal_glyph_level(bool is_utf8, bool ascii, const char *term)
{
	if (ascii || !is_utf8 || strncmp(term, "vt1", 3) == 0 || strncmp(term, "vt2", 3) == 0)
		return GLYPHS_ASCII;
	return strncmp(term, "linux", 5) == 0 ? GLYPHS_CONSOLE : GLYPHS_FULL;
}

const char *terminal_fallback(const char *term)
{
	for (const char *const *modern = modern_terms; *modern != NULL; modern++)
		if (strstr(term, *modern) != NULL)
			return "xterm-256color";
	return "vt100";
}

/* Which entry of the terminal database to use; NULL with a message when none will do. */
static const char *choose_term(struct terminal *terminal, struct error *err)
{
	const char *term = getenv("TERM"), *use = term;
	char shown[40], *cup;
	int status = 0;

	if (term == NULL || term[0] == '\0') {
		error_set(err, -ENOTTY, "TERM is not set; use --batch");
		return NULL;
	}
	text_sanitize(shown, sizeof(shown), term);
	if (setupterm((char *)use, STDOUT_FILENO, &status) != OK) {
		use = terminal_fallback(term);
		if (setupterm((char *)use, STDOUT_FILENO, &status) != OK) {
			error_set(err, -ENOTTY,
			        "the terminal type TERM=%s is not known here; try "
			        "TERM=xterm-256color, or --batch",
			        shown);
			return NULL;
		}
		text_print(terminal->hint, sizeof(terminal->hint),
		        "TERM=%s is not known here: drawing for %s", shown, use);
	}
	cup = tigetstr("cup");
	del_curterm(cur_term);
	if (cup == NULL || cup == (char *)-1) {
		error_set(err, -ENOTTY, "TERM=%s cannot place the cursor; use --batch", shown);
		return NULL;
	}
	return use;
}

/* The Linux console reports no mouse but by the gpm daemon, whose library is not worth loading. */
static bool reports_mouse(const char *term)
{
	return strncmp(term, "linux", 5) != 0;
}

static void begin_curses(
        struct terminal *terminal, const struct ui_options *options, const char *term)
{
	set_escdelay(ESCAPE_DELAY_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	if (!options->no_mouse && reports_mouse(term)) {
		mouseinterval(0);
		terminal->has_mouse =
		        mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL) != 0;
	}
	if (has_colors() && start_color() == OK) {
		terminal->colors = terminal_color_depth(options->color, getenv("NO_COLOR"), COLORS);
		terminal->has_default_colors = use_default_colors() == OK;
	}
}

int terminal_open(struct terminal *terminal, const struct ui_options *options, struct error *err)
{
	const char *term;

	memset(terminal, 0, sizeof(*terminal));
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_set(err, -ENOTTY, "not a terminal");
	if (tcgetattr(STDIN_FILENO, &rescue.modes) != 0)
		return error_errno(err, -errno, "terminal");
	setlocale(LC_CTYPE, "");
	term = choose_term(terminal, err);
	if (term == NULL)
		return -ENOTTY;
	terminal->screen = newterm(term, stdout, stdin);
	if (terminal->screen == NULL)
		return error_set(err, -ENOTTY, "the terminal type %s cannot be used", term);
	terminal->glyphs = terminal_glyph_level(
	        strcmp(nl_langinfo(CODESET), "UTF-8") == 0, options->ascii, term);
	begin_curses(terminal, options, term);
	terminal->is_open = true;
	rescue_arm(terminal);
	return 0;
}

void terminal_close(struct terminal *terminal)
{
	if (!terminal->is_open)
		return;
	endwin();
	rescue_disarm();
	delscreen(terminal->screen);
	terminal->is_open = false;
}

void terminal_fit(struct terminal *terminal)
{
	struct winsize size;

	if (!terminal->is_open || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return;
	if (size.ws_row == 0 || size.ws_col == 0)
		return; /* not told: keep what it was */
	if (size.ws_row != getmaxy(stdscr) || size.ws_col != getmaxx(stdscr))
		resizeterm(size.ws_row, size.ws_col);
}

void terminal_suspend(struct terminal *terminal)
{
	if (!terminal->is_open)
		return;
	endwin();
	rescue.is_armed = 0;
}

void terminal_resume(struct terminal *terminal)
{
	if (!terminal->is_open)
		return;
	rescue.is_armed = 1;
	terminal_fit(terminal);
	terminal_redraw(terminal);
}

void terminal_redraw(struct terminal *terminal)
{
	if (terminal->is_open)
		clearok(curscr, TRUE);
}
