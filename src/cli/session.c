/*
 * One run: check everything that can be checked before anything is written, run it on the screen
 * or without, write what was asked for. Main thread.
 */
#include "cli/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/batch.h"
#include "cli/clean.h"
#include "cli/config.h"
#include "cli/lab.h"
#include "cli/message.h"
#include "cli/options.h"
#include "core/text.h"
#include "export/export.h"
#include "measure/clock.h"
#include "results/journal.h"
#include "ui/ui.h"

enum {
	SESSION_JOIN_S = 10,   /* for the last threads, once the run says it has ended */
	SESSION_COLUMNS = 160, /* of the table where standard output is no terminal */
};

struct session {
	struct options options;
	struct config *config;
	struct lab *lab; /* NULL: the user's own file systems */
	struct run *run;
	struct text command; /* as typed, for the report */
	struct export_target outputs[OPTIONS_OUTPUTS_MAX];
	bool has_screen;
	bool prints_table;   /* on standard output, after the end */
	bool streams_output; /* some -o FORMAT:- has standard output */
	bool has_exported;
	char export_text[ERROR_TEXT_MAX]; /* what became of the files */
	bool export_failed;
	bool lane_hangs;
	bool is_broken; /* nobody could watch the run: it was stopped */
	int signal;
};

/* A word as a shell would take it back. */
static void add_quoted(struct text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                            "0123456789_@%+=:,./-";

	if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
		text_add(text, word);
		return;
	}
	text_add(text, "'");
	for (; *word != '\0'; word++)
		if (*word == '\'')
			text_add(text, "'\\''");
		else
			text_add_bytes(text, word, 1);
	text_add(text, "'");
}

static void note_command(struct session *session, bool is_lab, int argc, char **argv)
{
	text_init(&session->command);
	text_add(&session->command, is_lab ? "fsderby lab" : "fsderby");
	for (int i = 1; i < argc; i++) {
		text_add(&session->command, " ");
		add_quoted(&session->command, argv[i]);
	}
}

static bool can_have_screen(const struct options *options)
{
	const char *term = getenv("TERM");

	return !options->is_batch && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
	       term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

static bool is_standard_output(const struct export_target *output)
{
	return strcmp(output->path, "-") == 0;
}

static bool is_table(const struct export_target *output)
{
	return strcmp(output->format->name, "txt") == 0;
}

/* What could only fail at the end: a table of a workload that does not run, one file for two. */
static int check_output_sense(const struct session *session, unsigned index, struct error *err)
{
	const struct export_target *output = &session->outputs[index];
	const struct run_config *run = &session->config->run;
	const char *needed = output->format->workload;
	bool runs = needed == NULL;

	for (unsigned i = 0; i < run->n_workloads && !runs; i++)
		runs = strcmp(run->workloads[i].workload->name, needed) == 0;
	if (!runs)
		return error_set(err, -EINVAL, "%s: shows %s only, which does not run; add -w %s",
		        session->options.outputs[index], needed, needed);
	for (unsigned i = 0; i < index; i++)
		if (!is_standard_output(output) &&
		        strcmp(session->outputs[i].path, output->path) == 0)
			return error_set(err, -EEXIST, "%s: another -o writes %s already",
			        session->options.outputs[index], output->path);
	return 0;
}

/* A file that cannot be written is said now, not after an hour. */
static int check_outputs(struct session *session, struct error *err)
{
	bool asks_table = false;

	for (unsigned i = 0; i < session->options.n_outputs; i++) {
		struct export_target *output = &session->outputs[i];
		int code = export_parse(session->options.outputs[i], output, err);

		if (code == 0)
			code = check_output_sense(session, i, err);
		if (code == 0 && is_standard_output(output)) {
			asks_table |= is_table(output);
			session->streams_output |= !is_table(output);
		} else if (code == 0)
			code = export_check(output, err);
		if (code < 0)
			return error_context(err, "option --output");
	}
	/* Whoever takes the JSON from a pipe does not want a table before it. */
	session->prints_table = asks_table || (!session->has_screen && !session->streams_output);
	return 0;
}

static void offer_cleaning(const struct session *session)
{
	struct journal_open_run *runs = NULL;
	struct error err = { 0 };
	char *clean[] = { (char[]){ "clean" }, NULL };
	unsigned n = 0;

	if (session->options.progress_json || journal_find_open(&runs, &n, &err) < 0 || n == 0)
		return;
	message_print("%u earlier run%s (%s%s) may have left files%s", n, n == 1 ? "" : "s",
	        runs[0].id, n == 1 ? "" : ", ...",
	        session->has_screen ? "" : "; `fsderby clean` removes them");
	if (session->has_screen && message_ask("remove what they left now?"))
		clean_command(1, clean);
	journal_free_open(runs, n);
}

static int check_space(struct session *session, struct error *err)
{
	struct run_plan *plan = calloc(1, sizeof(*plan));
	int n_short;

	if (plan == NULL)
		return error_errno(err, -ENOMEM, "plan");
	n_short = config_check_space(session->config, plan, err);
	free(plan);
	if (n_short <= 0)
		return n_short;
	if (session->options.strict_space)
		return error_set(err, -ENOSPC, "not enough space: nothing was started");
	/* Who gave --size has chosen; a signal at the question would leave a visible lab. */
	if (session->lab == NULL && session->has_screen && !message_ask("start all the same?"))
		return error_set(err, -ENOSPC, "nothing was started");
	return 0;
}

static void say_limits(const struct options *options)
{
	if (options->is_cold && geteuid() != 0)
		message_print("not root: caches cannot be dropped, each file is advised away "
		              "instead; names and inodes stay cached and their rows are marked "
		              "warm");
	if (options->no_settle && !options->progress_json)
		message_print("--no-settle is for tests: the results are not comparable");
}

/* An empty text has been said already. */
static int refuse(const struct error *err)
{
	if (err->text[0] != '\0')
		message_print("%s", err->text);
	return EXIT_USAGE;
}

/* What is opened later by name must not be hidden by the lab's mounts. */
static int prepare_lab(struct session *session, struct error *err)
{
	const char *used[OPTIONS_OUTPUTS_MAX + 4] = { NULL };
	const char *names[] = { session->options.lab_directory, getenv("XDG_STATE_HOME"),
		getenv("HOME") };
	unsigned n = 0;
	int code;

	for (unsigned i = 0; i < session->options.n_outputs; i++)
		used[n++] = session->outputs[i].path;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] != NULL && names[i][0] != '\0')
			used[n++] = names[i];
	code = lab_prepare(&session->lab, session->config, &session->options, used, err);
	if (code == -EINTR)
		message_let_signals_act();
	return code;
}

/* The last moment before the run: who is to end by a signal ends here, without a trace. */
static void let_signals_act(struct session *session)
{
	if (session->lab != NULL && lab_is_interrupted()) {
		config_free(session->config);
		lab_free(session->lab);
		session->config = NULL;
		session->lab = NULL;
	}
	message_let_signals_act();
}

static int prepare_lab_run(struct session *session)
{
	struct error err = { 0 };

	if (session->options.n_targets == 0) {
		message_print("no file system: give one or more SPECs, as in 'fsderby lab ext4 "
		              "xfs btrfs' (see fsderby lab --help)");
		return EXIT_USAGE;
	}
	if (config_new(&session->config, &session->options, &err) < 0 ||
	        check_outputs(session, &err) < 0)
		return message_usage(&err);
	say_limits(&session->options);
	if (geteuid() == 0)
		offer_cleaning(session);
	if (prepare_lab(session, &err) < 0 || check_space(session, &err) < 0)
		return refuse(&err);
	let_signals_act(session);
	return session->lab != NULL ? EXIT_GOOD : EXIT_USAGE;
}

/* All that needs no run. Prints what is wrong and returns the exit status. */
static int prepare(struct session *session)
{
	struct error err = { 0 };

	if (session->options.n_targets == 0) {
		message_print("no target: give one or more directories, as in 'fsderby /mnt/a "
		              "/mnt/b' (`fsderby targets` lists file systems, --help the rest)");
		return EXIT_USAGE;
	}
	if (config_new(&session->config, &session->options, &err) < 0 ||
	        check_outputs(session, &err) < 0)
		return message_usage(&err);
	if (config_probe(session->config, &session->options) < 0)
		return EXIT_USAGE;
	say_limits(&session->options);
	offer_cleaning(session);
	if (check_space(session, &err) < 0)
		return message_usage(&err);
	message_let_signals_act();
	return EXIT_GOOD;
}

/* Start the threads; the descriptors of the targets are the run's from here on. */
static int start(struct session *session)
{
	struct config *config = session->config;
	struct error err = { 0 };
	int code, at_once = 0;

	config->run.command = text_string(&session->command);
	code = run_new(&session->run, &config->run, &err);
	for (unsigned i = 0; i < config->run.n_targets; i++)
		config->targets[i].fd = -1;
	if (code == 0) {
		code = run_start(session->run, &err);
		if (code < 0 && run_join(session->run, SESSION_JOIN_S * CLOCK_SECOND_NS) < 0)
			at_once = SESSION_AT_ONCE;
		else if (code < 0)
			run_free(session->run);
	}
	return code < 0 ? message_usage(&err) | at_once : EXIT_GOOD;
}

/* Write the files. What happened goes to @text, at most @size bytes. */
static void export_all(void *context, char *text, size_t size)
{
	struct session *session = context;
	unsigned n_written = 0;

	text[0] = '\0';
	session->has_exported = true;
	for (unsigned i = 0; i < session->options.n_outputs; i++) {
		struct error err = { 0 };
		size_t length = strlen(text);

		if (is_standard_output(&session->outputs[i]))
			continue;
		if (export_write(&session->outputs[i], run_report(session->run), &err) < 0) {
			session->export_failed = true;
			text_print(text + length, size - length, "%s%s", length > 0 ? "; " : "",
			        err.text);
			continue;
		}
		n_written++;
		text_print(text + length, size - length, "%s%s", length > 0 ? ", " : "wrote ",
		        session->outputs[i].path);
	}
	text_print(session->export_text, sizeof(session->export_text), "%s", text);
}

static void run_in_batch(struct session *session, bool is_silent)
{
	struct batch_options options = {
		.live = is_silent ? LIVE_NONE : session->options.live,
		.progress_json = session->options.progress_json,
		.hangup_continues = session->options.hangup_continues,
	};
	struct batch_outcome outcome;
	struct error err = { 0 };

	if (batch_run(session->run, &options, &outcome, &err) < 0) {
		message_print("%s", err.text);
		session->is_broken = true;
	}
	if (session->signal == 0)
		session->signal = outcome.signal;
	session->lane_hangs |= outcome.lane_hangs;
}

static void run_on_screen(struct session *session)
{
	struct ui_options options = {
		.color = session->options.color,
		.theme = session->options.theme,
		.ascii = session->options.ascii,
		.no_mouse = session->options.no_mouse,
		.hangup_continues = session->options.hangup_continues,
		.on_end = export_all,
		.context = session,
	};
	struct ui_outcome outcome = { 0 };
	struct error err = { 0 };

	if (ui_run(session->run, &options, &outcome, &err) < 0) {
		message_print("%s; going on without a screen", err.text);
		session->prints_table = true;
		run_in_batch(session, false);
		return;
	}
	session->signal = outcome.signal;
	session->lane_hangs = outcome.lane_hangs;
	if (outcome.terminal_lost && session->options.hangup_continues)
		run_in_batch(session, true);
}

/* nohup ignores SIGHUP, which says the same as --hangup=continue. */
static bool hangup_is_ignored(void)
{
	struct sigaction action;

	return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static unsigned table_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return SESSION_COLUMNS;
}

static void note_export(struct session *session, int code, const struct error *err)
{
	if (code == 0)
		return;
	message_print("%s", err->text);
	session->export_failed = true;
}

static void print_standard_output(struct session *session)
{
	struct report *report = run_report(session->run);
	struct error err = { 0 };

	if (session->prints_table)
		note_export(session, export_print(report, table_columns(), stdout, &err), &err);
	for (unsigned i = 0; i < session->options.n_outputs; i++) {
		const struct export_target *output = &session->outputs[i];

		if (is_standard_output(output) && !is_table(output))
			note_export(session, export_write(output, report, &err), &err);
	}
}

/* After the end: what was asked for, once. */
static void deliver(struct session *session)
{
	char text[ERROR_TEXT_MAX];

	if (!session->has_exported)
		export_all(session, text, sizeof(text));
	/* Also after a screen, whose log line is gone by now. */
	if (session->export_text[0] != '\0' &&
	        (session->export_failed || !session->options.progress_json))
		message_print("%s", session->export_text);
	print_standard_output(session);
}

static void say_left_files(const struct session *session)
{
	const char *id = run_report(session->run)->id;

	if (session->lab != NULL || !run_left_files(session->run) || session->options.progress_json)
		return;
	message_print("files %s in .fsderby-%s of the target; `fsderby clean` removes them",
	        session->options.keep_files ? "are kept" : "stay behind", id);
}

static int finish(struct session *session)
{
	bool leaves_files;
	int status, at_once = 0;

	/* One stopped unwatched has its results, and its status, only when it has ended. */
	if (session->is_broken && run_join(session->run, SESSION_JOIN_S * CLOCK_SECOND_NS) != 0)
		session->lane_hangs = true;
	deliver(session);
	if (!session->lane_hangs &&
	        run_join(session->run, SESSION_JOIN_S * CLOCK_SECOND_NS) == -ETIMEDOUT)
		session->lane_hangs = true;
	leaves_files = run_left_files(session->run) && !session->options.keep_files;
	status = report_status(run_report(session->run));
	if ((session->export_failed || session->is_broken || leaves_files) && status == EXIT_GOOD)
		status = EXIT_CELLS;
	if (session->signal != 0)
		status = 128 + session->signal;
	if (session->lane_hangs) {
		message_print("a file system does not answer: leaving without it; `fsderby clean` "
		              "removes what stays behind");
		at_once = SESSION_AT_ONCE;
	} else {
		say_left_files(session);
		run_free(session->run);
	}
	return status | at_once;
}

static int run_session(enum options_command command, int argc, char **argv)
{
	struct session session = { 0 };
	struct error err = { 0 };
	bool is_lab = command == OPTIONS_LAB;
	int status;

	if (options_parse(&session.options, command, argc, argv, &err) < 0)
		return message_usage(&err);
	if (is_lab && session.options.wants_help) {
		lab_print_help();
		return EXIT_GOOD;
	}
	session.has_screen = can_have_screen(&session.options);
	session.options.hangup_continues |= hangup_is_ignored();
	note_command(&session, is_lab, argc, argv);
	status = is_lab ? prepare_lab_run(&session) : prepare(&session);
	if (status == EXIT_GOOD)
		status = start(&session);
	if (status == EXIT_GOOD) {
		if (session.has_screen)
			run_on_screen(&session);
		else
			run_in_batch(&session, false);
		status = finish(&session);
	}
	if ((status & SESSION_AT_ONCE) == 0) {
		config_free(session.config);
		lab_free(session.lab);
		text_release(&session.command);
	}
	return status;
}

int session_command(int argc, char **argv)
{
	return run_session(OPTIONS_RUN, argc, argv);
}

int session_lab_command(int argc, char **argv)
{
	return run_session(OPTIONS_LAB, argc, argv);
}
