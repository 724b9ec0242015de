/*
 * Does a pause cost time? Pairs of runs of the null workload with a fixed amount of work, one
 * of each pair paused for some seconds in the middle; the measured times must be alike.
 * bench_pause [PAIRS [SECONDS]]
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/run.h"
#include "measure/clock.h"

enum { PAIRS_MAX = 99 };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void die(const char *what, const struct error *err)
{
	fprintf(stderr, "bench_pause: %s: %s\n", what, err->text);
	exit(1);
}

static void pause_for(struct run *run, int seconds)
{
	struct command command = { .kind = COMMAND_PAUSE, .target = -1 };

	while (run_board_take(run)->targets[0].state != LANE_RUNNING)
		poll(NULL, 0, 5);
	poll(NULL, 0, 300);
	run_command(run, &command);
	poll(NULL, 0, seconds * 1000);
	command.kind = COMMAND_RESUME;
	run_command(run, &command);
}

/* Seconds that one run of the null workload took by its own account. */
static double run_once(const char *path, int pause_s)
{
	static struct target target;
	struct run_config config = { .targets = &target,
		.n_targets = 1,
		.n_workloads = 1,
		.rounds = 1,
		.seed = 1,
		.no_journal = true };
	struct run *run;
	struct error err = { 0 };
	double wall;

	memset(&target, 0, sizeof(target));
	if (target_parse(&target, path, &err) != 0 || target_probe(&target, &err) != 0)
		die(path, &err);
	strcpy(target.label, "bench");
	config.workloads[0].workload = workload_find("null");
	params_init(&config.workloads[0].params, config.workloads[0].workload->params,
	        config.workloads[0].workload->n_params);
	params_set(&config.workloads[0].params, "operations", "40M", &err);
	if (run_new(&run, &config, &err) != 0 || run_start(run, &err) != 0)
		die("run", &err);
	if (pause_s > 0)
		pause_for(run, pause_s);
	run_join(run, 0);
	wall = run_report(run)->results[0]->wall_s;
	run_free(run);
	return wall;
}

int main(int argc, char **argv)
{
	int pairs = argc > 1 ? atoi(argv[1]) : 9, seconds = argc > 2 ? atoi(argv[2]) : 10;
	char path[] = "/tmp/fsderby-bench.XXXXXX";
	double ratio[PAIRS_MAX], plain[PAIRS_MAX];

	if (pairs < 1 || pairs > PAIRS_MAX || mkdtemp(path) == NULL)
		return 2;
	for (int i = 0; i < pairs; i++) {
		double paused;

		if (i % 2 == 0) {
			plain[i] = run_once(path, 0);
			paused = run_once(path, seconds);
		} else {
			paused = run_once(path, seconds);
			plain[i] = run_once(path, 0);
		}
		ratio[i] = paused / plain[i];
	}
	rmdir(path);
	qsort(ratio, (size_t)pairs, sizeof(ratio[0]), compare);
	qsort(plain, (size_t)pairs, sizeof(plain[0]), compare);
	printf("null, 40M operations, paused %d s against not paused: %d pairs\n", seconds, pairs);
	printf("  time ratio: median %.4f, quartiles %.4f to %.4f, all %.4f to %.4f\n",
	        ratio[pairs / 2], ratio[pairs / 4], ratio[pairs * 3 / 4], ratio[0],
	        ratio[pairs - 1]);
	printf("  not paused: median %.3f s, %.3f to %.3f s\n", plain[pairs / 2], plain[0],
	        plain[pairs - 1]);
	return 0;
}
