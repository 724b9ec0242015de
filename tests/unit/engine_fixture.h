/*
 * A run on temporary directories with workloads made for the tests. One thread.
 */
#ifndef FSDERBY_TESTS_ENGINE_FIXTURE_H
#define FSDERBY_TESTS_ENGINE_FIXTURE_H

#include "engine/run.h"

enum { FIXTURE_COUNT, FIXTURE_RATE, FIXTURE_WORKERS, FIXTURE_PASSES, FIXTURE_NAP };

/*
 * Phases: `make` creates `count` files of 100 bytes spread over the workers (and naps `nap` a
 * step), `look` lstats them, `drop` removes them. Parameters by the enum above; `count`, `rate` and
 * `nap` change at once.
 */
extern const struct workload fixture_workload;
/* One phase that runs the shell command in `fixture_command`. */
extern const struct workload fixture_child;
extern const char *fixture_command;

struct fixture {
	struct run_config config;
	struct target targets[4];
	char paths[4][64];
	struct run *run;
	struct inject inject;
};

/* @n_targets temporary directories; set parameters in fixture->config, then begin. */
void fixture_init(struct fixture *fixture, unsigned n_targets, const struct workload *workload);
void fixture_set(struct fixture *fixture, const char *param, const char *value);
void fixture_begin(struct fixture *fixture);
/* Wait for the end (at most 60 s, fatal otherwise). */
void fixture_join(struct fixture *fixture);
void fixture_release(struct fixture *fixture);

/* Wait until the board shows @state on @target; false after 10 s. */
bool fixture_wait_state(struct fixture *fixture, unsigned target, enum lane_state state);
void fixture_command_send(struct fixture *fixture, enum command_kind kind, int target);
void fixture_sleep_ms(unsigned ms);
/* Result number @index (-1: last) of phase @phase on @target, or NULL. */
const struct result *fixture_find_result(
        struct fixture *fixture, unsigned target, const char *phase, int index);
unsigned fixture_count_results(struct fixture *fixture, unsigned target, const char *phase);
/* Entries left in the target's directory. */
unsigned fixture_count_entries(const struct fixture *fixture, unsigned target);

#endif
