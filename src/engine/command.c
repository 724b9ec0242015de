/*
 * Commands: taken from the queue by the director, validated, carried out on the lanes, answered by
 * a line in the log. Director thread only, but for run_command.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "engine/director.h"

int run_command(struct run *run, const struct command *command)
{
	int code = 0;

	if (atomic_load(&run->has_ended))
		return -ESHUTDOWN;
	pthread_mutex_lock(&run->lock);
	if (run->queue_length == RUN_QUEUE_MAX) {
		code = -EAGAIN;
	} else {
		run->queue[(run->queue_head + run->queue_length) % RUN_QUEUE_MAX] = *command;
		run->queue_length++;
		run->events++;
		pthread_cond_broadcast(&run->changed);
	}
	pthread_mutex_unlock(&run->lock);
	return code;
}

static bool take_command(struct run *run, struct command *command)
{
	bool has;

	pthread_mutex_lock(&run->lock);
	has = run->queue_length > 0;
	if (has) {
		*command = run->queue[run->queue_head];
		run->queue_head = (run->queue_head + 1) % RUN_QUEUE_MAX;
		run->queue_length--;
	}
	pthread_mutex_unlock(&run->lock);
	return has;
}

static void pause_lane(struct lane *lane, bool pause)
{
	pthread_mutex_lock(&lane->lock);
	lane->want_pause = pause;
	atomic_store(&lane->hold_cleaning, pause ? 1 : 0);
	pthread_cond_signal(&lane->wake);
	pthread_mutex_unlock(&lane->lock);
}

void command_pause(struct run *run, int target, bool pause)
{
	uint64_t now = clock_now_ns();

	for (unsigned i = 0; i < run->n_lanes; i++)
		if (target < 0 || (unsigned)target == i)
			pause_lane(&run->lanes[i], pause);
	if (target >= 0) {
		run_log(run, "%s %s", run->lanes[target].target->label,
		        pause ? "paused" : "resumed");
		return;
	}
	pthread_mutex_lock(&run->lock);
	if (pause && !run->is_paused) {
		run->pause_begin_ns = now;
	} else if (!pause && run->is_paused) {
		run->paused_ns += now - run->pause_begin_ns;
		run->pause_begin_ns = 0;
	}
	run->is_paused = pause;
	if (run->state == RUN_RUNNING || run->state == RUN_PAUSED)
		run->state = pause ? RUN_PAUSED : RUN_RUNNING;
	pthread_mutex_unlock(&run->lock);
	run_log(run, pause ? "paused" : "resumed");
}

void command_stop(struct run *run, bool now)
{
	pthread_mutex_lock(&run->lock);
	run->stop = true;
	run->stop_now = run->stop_now || now;
	pthread_mutex_unlock(&run->lock);
	for (unsigned i = 0; i < run->n_lanes; i++) {
		struct lane *lane = &run->lanes[i];

		pthread_mutex_lock(&lane->lock);
		lane->want_abort = true;
		lane->want_pause = false;
		atomic_store(&lane->hold_cleaning, 0);
		if (now)
			atomic_store(&lane->cleaning.is_cancelled, 1);
		lane_cancel(lane);
		pthread_mutex_unlock(&lane->lock);
	}
	pthread_mutex_lock(&run->lock);
	if (run->is_paused) {
		run->paused_ns += clock_now_ns() - run->pause_begin_ns;
		run->pause_begin_ns = 0;
		run->is_paused = false;
	}
	run->state = RUN_ENDING;
	pthread_mutex_unlock(&run->lock);
	run_log(run, now ? "ending at once" : "ending: finishing calls, removing files");
}

static void skip(struct run *run, int target)
{
	unsigned n = 0;

	for (unsigned i = 0; i < run->n_lanes; i++) {
		struct lane *lane = &run->lanes[i];

		if (target >= 0 && (unsigned)target != i)
			continue;
		pthread_mutex_lock(&lane->lock);
		if (lane->phase != NULL || lane->state == LANE_SETTLING) {
			lane->want_skip = true;
			lane_cancel(lane);
			n++;
		}
		pthread_mutex_unlock(&lane->lock);
	}
	if (n > 0)
		run_log(run, "phase skipped");
	else
		run_log(run, "nothing to skip: no phase is running");
}

/* Put the new value into a block that waits, made from the live one when there is none. */
static void set_in_block(
        struct lane *lane, struct params **block, const struct param *param, const char *value)
{
	if (*block == NULL) {
		*block = malloc(sizeof(**block));
		if (*block != NULL)
			**block = lane->params[lane->params_live];
	}
	if (*block != NULL)
		params_set(*block, param->name, value, NULL);
}

/* Put the new value into what @lane will use next. */
static void set_on_lane(struct lane *lane, const struct workload *workload,
        const struct param *param, const char *value)
{
	bool concerns;

	pthread_mutex_lock(&lane->lock);
	concerns =
	        lane->stage.workload == workload && (lane->is_set_up || lane->state == LANE_SETUP);
	if (concerns)
		set_in_block(lane, &lane->next_params, param, value);
	if (concerns && param->effect == PARAM_NOW && lane->phase != NULL) {
		set_in_block(lane, &lane->cut_params, param, value);
		lane->want_cut = lane->cut_params != NULL;
		pthread_cond_signal(&lane->wake);
	}
	pthread_mutex_unlock(&lane->lock);
}

static const struct workload *find_workload(const struct run *run, const char *name)
{
	for (unsigned i = 0; i < run->config.n_workloads; i++)
		if (strcmp(run->config.workloads[i].workload->name, name) == 0)
			return run->config.workloads[i].workload;
	return NULL;
}

/* Later sets and rounds take it too. Fills the old value's text; 0 or a negative errno. */
static int set_on_sets(struct run *run, const struct workload *workload,
        const struct command *command, char *old, struct error *err)
{
	int index = params_find(workload->params, workload->n_params, command->param), code = 0;

	pthread_mutex_lock(&run->lock);
	old[0] = '\0';
	for (unsigned i = 0; i < run->n_sets && code == 0; i++) {
		if (run->sets[i].workload != workload)
			continue;
		if (old[0] == '\0')
			params_print(&run->sets[i].params, (unsigned)index, old, PARAM_TEXT_MAX);
		code = params_set(&run->sets[i].params, command->param, command->value, err);
	}
	pthread_mutex_unlock(&run->lock);
	return code;
}

static void set(struct run *run, const struct command *command)
{
	const struct workload *workload = find_workload(run, command->workload);
	struct report_change change = { .at_ns = clock_now_ns(), .target = -1 };
	const struct param *param;
	struct error err = { 0 };
	int index;

	if (workload == NULL) {
		run_log(run, "%s is not part of this run", command->workload);
		return;
	}
	index = params_find(workload->params, workload->n_params, command->param);
	if (index < 0) {
		run_log(run, "%s has no parameter %s", command->workload, command->param);
		return;
	}
	param = &workload->params[index];
	if (param->effect == PARAM_NEXT_RUN) {
		run_log(run, "%s.%s can only change in the next run", workload->name, param->name);
		return;
	}
	if (set_on_sets(run, workload, command, change.old_text, &err) != 0) {
		run_log(run, "%s.%s stays: %s", workload->name, param->name, err.text);
		return;
	}
	for (unsigned i = 0; i < run->n_lanes; i++)
		set_on_lane(&run->lanes[i], workload, param, command->value);
	text_print(change.workload, sizeof(change.workload), "%s", workload->name);
	text_print(change.param, sizeof(change.param), "%s", param->name);
	text_print(change.new_text, sizeof(change.new_text), "%s", command->value);
	report_add_change(run->report, &change);
	run_log(run, "%s.%s: %s -> %s, %s", workload->name, param->name, change.old_text,
	        change.new_text, param_effect_name(param->effect));
}

static void carry_out(struct run *run, const struct command *command)
{
	if (command->target >= (int)run->n_lanes)
		return;
	switch (command->kind) {
	case COMMAND_PAUSE:
		if (run->stop) /* it would only hold up the clean-up */
			break;
		command_pause(run, command->target, true);
		break;
	case COMMAND_RESUME:
		command_pause(run, command->target, false);
		break;
	case COMMAND_PAUSE_BOUNDARY:
		pthread_mutex_lock(&run->lock);
		run->pause_at_boundary = !run->pause_at_boundary;
		pthread_mutex_unlock(&run->lock);
		run_log(run, run->pause_at_boundary ? "will pause at the next phase boundary"
		                                    : "will not pause at the phase boundary");
		break;
	case COMMAND_SKIP:
		skip(run, command->target);
		break;
	case COMMAND_SET:
		set(run, command);
		break;
	case COMMAND_STOP:
		if (!run->stop)
			command_stop(run, false);
		break;
	case COMMAND_STOP_NOW:
		command_stop(run, true);
		break;
	}
}

void command_process(struct run *run)
{
	struct command command;

	while (take_command(run, &command))
		carry_out(run, &command);
}
