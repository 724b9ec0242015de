/*
 * `fsderby workloads [NAME] [--json]`: the workloads from their own tables. Main thread.
 */
#ifndef FSDERBY_CLI_WORKLOADS_H
#define FSDERBY_CLI_WORKLOADS_H

/* @argv[0] is the command's name. Returns the exit status. */
int workloads_command(int argc, char **argv);

#endif
