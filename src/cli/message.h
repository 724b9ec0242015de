/*
 * One line for a person on standard error: "fsderby: …". Foreign names are made safe to show.
 * Main thread, and only while no screen is up.
 */
#ifndef FSDERBY_CLI_MESSAGE_H
#define FSDERBY_CLI_MESSAGE_H

#include <stdbool.h>

#include "core/error.h"

/* Exit statuses every command shares. */
enum { EXIT_GOOD = 0, EXIT_CELLS = 1, EXIT_USAGE = 2 };

void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print the text of @err and return EXIT_USAGE, for `return message_usage(&err)`. */
int message_usage(const struct error *err);

/* Ask on the terminal, default no. Signals act while it waits, so that Ctrl-C leaves. */
bool message_ask(const char *question);

/* Let the signals that came in while they were blocked act now; nothing is made yet. */
void message_let_signals_act(void);

#endif
