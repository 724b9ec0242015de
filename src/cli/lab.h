/*
 * `fsderby lab`: from SPECs to targets that fsderby makes itself. Main thread, before any other;
 * the
 * run itself is the session's.
 */
#ifndef FSDERBY_CLI_LAB_H
#define FSDERBY_CLI_LAB_H

#include "cli/config.h"
#include "cli/options.h"
#include "core/error.h"
#include "lab/lab.h"

void lab_print_help(void);

/*
 * Make the file systems of @options and probe them as @config's targets. @used: paths that are
 * opened
 * later, NULL at the end. Progress, and what is left out, goes to standard error. On an error *@lab
 * is NULL, and the message may be empty where the lines have been said.
 */
int lab_prepare(struct lab **lab, struct config *config, const struct options *options,
        const char *const *used, struct error *err);

#endif
