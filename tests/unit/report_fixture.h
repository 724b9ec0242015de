/*
 * A made-up report for the tests of table, journal and exports: figures that can be foretold, and
 * one of each thing that can go wrong.
 */
#ifndef FSDERBY_TESTS_REPORT_FIXTURE_H
#define FSDERBY_TESTS_REPORT_FIXTURE_H

#include "results/report.h"

/* Rows of the report. */
enum {
	FIXTURE_CREATE,
	FIXTURE_COPY,
	FIXTURE_SLINK,
	FIXTURE_READ,
	FIXTURE_STATS,
	FIXTURE_RENAME,
	FIXTURE_DELETE,
	FIXTURE_MULTI_CREATE, /* base 1000, two processes */
	FIXTURE_WRITE,        /* bonnie */
	FIXTURE_ACCESS,       /* random, with a parameter of each type */
	FIXTURE_ROWS,
};

enum { FIXTURE_EXT4, FIXTURE_XFS, FIXTURE_TMPFS, FIXTURE_TARGETS };

/* Files, and directories with roots, that a create of the fixture makes in one round. */
enum { FIXTURE_FILES = 201885, FIXTURE_DIRS = 372 };

/* Rows and targets, no results. Aborts when out of memory. */
struct report *fixture_new(unsigned rounds);

/* A good result, not yet in the report. */
struct result *fixture_result(unsigned row, unsigned target, unsigned round, double wall_s);

/* Give @result an operation of @count calls of 1000, 2000, … ns. */
void fixture_add_operation(struct result *result, const char *name, unsigned count);

/*
 * Three rounds. Times are 10 s + row + 0.1 * (round - 1), xfs twice that. Besides: xfs fails in
 * copy of round 2 (its later phases of that round are skipped), runs out of space in the multi
 * create; tmpfs was changed in read of round 1 (two segments), paused in stats of round 3, aborted
 * in access. Create and copy were surveyed: all have space, ext4's create 1 + round / 8 fragments.
 */
struct report *fixture_full(void);

#endif
