/*
 * `fsderby plan`: what a run would write, and whether it fits; writes nothing. Main thread.
 */
#ifndef FSDERBY_CLI_PLAN_H
#define FSDERBY_CLI_PLAN_H

/* @argv[0] is the command's name. Returns the exit status. */
int plan_command(int argc, char **argv);

#endif
