/*
 * `fsderby targets [--json] [--all]`: mounted file systems that could be targets, and why the
 * others could not. Main thread; a mount that hangs holds it up for two seconds at most.
 */
#ifndef FSDERBY_CLI_TARGETS_H
#define FSDERBY_CLI_TARGETS_H

/* @argv[0] is the command's name. Returns the exit status. */
int targets_command(int argc, char **argv);

#endif
