/*
 * A run from the command line: from its options to the exit status. Main thread.
 */
#ifndef FSDERBY_CLI_SESSION_H
#define FSDERBY_CLI_SESSION_H

/* Added to an exit status: a thread hangs in the kernel, leave by _exit. */
enum { SESSION_AT_ONCE = 1 << 16 };

/*
 * Run with the options and targets @argv[1…]. The signals must be blocked (ui_block_signals) and
 * no other thread running. Returns the exit status.
 */
int session_command(int argc, char **argv);

/* The same on file systems made for it: @argv[0] is "lab", the others are options and SPECs. */
int session_lab_command(int argc, char **argv);

#endif
