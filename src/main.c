/*
 * fsderby: the classic file-system benchmarks on several file systems side by side.
 *
 * Signals, locale, and the table of commands; the only place that exits.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/clean.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/plan.h"
#include "cli/session.h"
#include "cli/targets.h"
#include "cli/workloads.h"
#include "core/text.h"
#include "export/export.h"
#include "ui/ui.h"

struct subcommand {
	const char *name;
	int (*function)(int argc, char **argv); /* NULL: a word of the interface, not built yet */
	const char *help;                       /* NULL: not listed */
};

/*
 * A script's background job has SIGINT and SIGQUIT ignored. Here they end the run in order all the
 * same: a benchmark that cannot be stopped is worse. SIGHUP stays as nohup left it.
 */
static void take_keyboard_signals(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
}

/* Blocked before the first thread; a command that does not watch for signals keeps them. */
static int run(int argc, char **argv)
{
	take_keyboard_signals();
	ui_block_signals();
	return session_command(argc, argv);
}

static int lab(int argc, char **argv)
{
	take_keyboard_signals();
	ui_block_signals();
	return session_lab_command(argc, argv);
}

static const struct subcommand command_table[] = {
	{ "targets", targets_command, "mounted file systems that could be targets" },
	{ "workloads", workloads_command, "workloads, their phases and parameters" },
	{ "plan", plan_command, "what a run would write, and whether it fits" },
	{ "clean", clean_command, "remove what killed runs left" },
	{ "lab", lab, "a run on file systems made for it (root)" },
	{ "history", NULL, NULL },
	{ "show", NULL, NULL },
	{ "compare", NULL, NULL },
	{ "export", NULL, NULL },
	{ "import", NULL, NULL },
	{ "delete", NULL, NULL },
	{ "selftest", NULL, NULL },
};

enum { N_COMMANDS = sizeof(command_table) / sizeof(command_table[0]) };

static int print_help(void)
{
	printf("usage: fsderby [OPTIONS] [LABEL=]DIR...   run on these directories' file "
	       "systems\n");
	for (unsigned i = 0; i < N_COMMANDS; i++)
		if (command_table[i].help != NULL)
			printf("       fsderby %-30s %s\n", command_table[i].name,
			        command_table[i].help);
	printf("       fsderby COMMAND --help                 more about one of these\n\n"
	       "On a terminal a run is shown live; else, or with --batch, progress goes to "
	       "standard\n"
	       "error and the table to standard output. LABEL defaults to the file system's "
	       "type.\n\n"
	       "options of a run:\n");
	options_print_help(OPTIONS_RUN, stdout);
	printf("\nformats of -o:\n");
	for (unsigned i = 0; export_format_at(i) != NULL; i++) {
		const struct export_format *format = export_format_at(i);
		char name[64];

		text_print(name, sizeof(name), "%s:FILE%s%s", format->name,
		        format->ending != NULL ? " or FILE" : "",
		        format->ending != NULL ? format->ending : "");
		printf("  %-30s  %s\n", name, format->help);
	}
	printf("\nSizes take k M G T (1024), times ns us ms s min h, shares %%, counts k M "
	       "(1000).\n"
	       "Exit status: 0 all cells good; 1 some cell has no space, an error or was aborted;\n"
	       "2 wrong usage, or nothing could start; 128+n ended by signal n.\n");
	return EXIT_GOOD;
}

static int print_version(void)
{
	printf("fsderby %s\n", FSDERBY_VERSION);
	return EXIT_GOOD;
}

/* A first word that is a command is the command; ./lab is a directory of that name. */
static int dispatch(int argc, char **argv)
{
	struct options options;
	struct error err = { 0 };

	for (unsigned i = 0; argc > 1 && i < N_COMMANDS; i++) {
		if (strcmp(argv[1], command_table[i].name) != 0)
			continue;
		if (command_table[i].function != NULL)
			return command_table[i].function(argc - 1, argv + 1);
		message_print("'%s' is not part of this version", argv[1]);
		return EXIT_USAGE;
	}
	if (options_parse(&options, OPTIONS_RUN, argc, argv, &err) < 0)
		return message_usage(&err);
	if (options.wants_help)
		return print_help();
	if (options.wants_version)
		return print_version();
	return run(argc, argv);
}

/* A file of ours must never land on descriptor 0 to 2. */
static void occupy_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

int main(int argc, char **argv)
{
	int status;

	occupy_standard_descriptors();
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	/* A reader that goes away, or a limit on file sizes, must not leave files behind: both
	 * become an error of the call. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	status = dispatch(argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		message_print("standard output could not be written");
		if (status == EXIT_GOOD)
			status = EXIT_CELLS;
	}
	if (status & SESSION_AT_ONCE)
		_exit(status & 0xff);
	exit(status);
}
