/*
 * `fsderby clean [--dry-run] [DIR...]`: remove what killed runs left, and only that. Main thread,
 * no screen; may block on the file systems it cleans.
 */
#ifndef FSDERBY_CLI_CLEAN_H
#define FSDERBY_CLI_CLEAN_H

/*
 * @argv[0] is the command's name. Returns the exit status: 0, 1 where something could not be
 * removed (a live owner's or a foreign directory is left alone and is no failure), 2 usage.
 */
int clean_command(int argc, char **argv);

#endif
