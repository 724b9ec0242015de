/*
 * Probing with a deadline. A batch is a heap block with one item a target, one detached thread an
 * item, and a count of those who still hold it. All but an item's own payload is guarded by the
 * batch's lock; the payload belongs to its thread until is_done, then to the caller.
 */
#include "engine/prober.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "core/text.h"
#include "core/units.h"
#include "measure/clock.h"

enum {
	PROBER_STACK_BYTES = 1024 * 1024, /* several PATH_MAX buffers, with room for sanitizers */
	PROBER_AT_ONCE = TARGETS_MAX,
};

/* For the pairs, where one target used all the time up and the others are good. */
#define PAIRS_LEAST_NS CLOCK_SECOND_NS

struct batch;

struct item {
	struct batch *batch;
	unsigned index;
	struct target_listing listing; /* .target alone where nothing else is asked */
	struct error err;
	bool is_active; /* has a thread */
	bool is_done, is_taken;
};

struct batch {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned refs, n_left;
	void (*work)(struct item *item);
	unsigned n;
	struct item items[];
};

static struct batch *batch_new(unsigned n, void (*work)(struct item *item))
{
	struct batch *batch = calloc(1, sizeof(*batch) + n * sizeof(batch->items[0]));
	pthread_condattr_t attr;

	if (batch == NULL)
		return NULL;
	pthread_mutex_init(&batch->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&batch->changed, &attr);
	pthread_condattr_destroy(&attr);
	batch->refs = 1;
	batch->work = work;
	batch->n = n;
	for (unsigned i = 0; i < n; i++) {
		batch->items[i].batch = batch;
		batch->items[i].index = i;
		batch->items[i].listing.target.fd = -1;
	}
	return batch;
}

/* Give up one hold; the last closes what nobody took. */
static void batch_drop(struct batch *batch)
{
	pthread_mutex_lock(&batch->lock);
	bool is_last = --batch->refs == 0;

	pthread_mutex_unlock(&batch->lock);
	if (!is_last)
		return;
	for (unsigned i = 0; i < batch->n; i++)
		if (!batch->items[i].is_taken)
			target_close(&batch->items[i].listing.target);
	pthread_cond_destroy(&batch->changed);
	pthread_mutex_destroy(&batch->lock);
	free(batch);
}

static void *item_main(void *data)
{
	struct item *item = data;
	struct batch *batch = item->batch;

	pthread_setname_np(pthread_self(), "prober");
	batch->work(item);
	pthread_mutex_lock(&batch->lock);
	item->is_done = true;
	batch->n_left--;
	pthread_cond_signal(&batch->changed);
	pthread_mutex_unlock(&batch->lock);
	batch_drop(batch);
	return NULL;
}

/* A signal is the main thread's: these threads take none. */
static int start_thread(struct item *item)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;
	int code;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, PROBER_STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&thread, &attr, item_main, item);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -code;
}

static void start_item(struct item *item)
{
	struct batch *batch = item->batch;
	int code;

	pthread_mutex_lock(&batch->lock);
	batch->refs++;
	batch->n_left++;
	pthread_mutex_unlock(&batch->lock);
	code = start_thread(item);
	if (code == 0)
		return;
	error_errno(&item->err, code, "%s: no thread to look at it", item->listing.target.path);
	pthread_mutex_lock(&batch->lock);
	item->is_done = true;
	batch->n_left--;
	pthread_mutex_unlock(&batch->lock);
	batch_drop(batch);
}

/* Start a thread for each active item and wait until all are done or the deadline has passed. */
static void batch_run(struct batch *batch, uint64_t deadline_ns)
{
	struct timespec deadline = {
		.tv_sec = (time_t)(deadline_ns / CLOCK_SECOND_NS),
		.tv_nsec = (long)(deadline_ns % CLOCK_SECOND_NS),
	};
	int code = 0;

	for (unsigned i = 0; i < batch->n; i++)
		if (batch->items[i].is_active)
			start_item(&batch->items[i]);
	pthread_mutex_lock(&batch->lock);
	while (batch->n_left > 0 && code != ETIMEDOUT)
		code = pthread_cond_timedwait(&batch->changed, &batch->lock, &deadline);
	pthread_mutex_unlock(&batch->lock);
}

/* Take the item's payload over where its thread is done with it. */
static bool take_item(struct item *item)
{
	pthread_mutex_lock(&item->batch->lock);
	bool is_done = item->is_done;

	item->is_taken |= is_done;
	pthread_mutex_unlock(&item->batch->lock);
	return is_done;
}

static void say_no_answer(const struct target *target, uint64_t timeout_ns, struct error *err)
{
	char seconds[UNITS_TEXT_MAX];

	error_set(err, -ETIMEDOUT,
	        "%s%s%.300s: no answer for %s; is its device or server there? Use another target",
	        target->label, target->label[0] != '\0' ? "=" : "", target->path,
	        units_print_time(seconds, timeout_ns));
}

static void probe_item(struct item *item)
{
	target_probe(&item->listing.target, &item->err);
}

static int probe_each(struct target *targets, unsigned n, uint64_t timeout_ns, struct error *errs)
{
	struct batch *batch = batch_new(n, probe_item);

	if (batch == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		batch->items[i].listing.target = targets[i];
		batch->items[i].is_active = true;
	}
	batch_run(batch, clock_now_ns() + timeout_ns);
	for (unsigned i = 0; i < n; i++) {
		struct item *item = &batch->items[i];

		if (take_item(item)) {
			targets[i] = item->listing.target;
			errs[i] = item->err;
		} else {
			say_no_answer(&targets[i], timeout_ns, &errs[i]);
		}
	}
	batch_drop(batch);
	return 0;
}

/* Against every good one before it; those are only read. */
static void pair_item(struct item *item)
{
	const struct batch *batch = item->batch;
	int code = 0;

	for (unsigned i = 0; i < item->index && code == 0; i++)
		if (batch->items[i].is_active)
			code = target_check_pair(
			        &batch->items[i].listing.target, &item->listing.target, &item->err);
}

/* The threads get descriptors of their own: the caller may close its while one still hangs. */
static int check_pairs(
        const struct target *targets, unsigned n, uint64_t timeout_ns, struct error *errs)
{
	struct batch *batch = batch_new(n, pair_item);

	if (batch == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		struct item *item = &batch->items[i];

		item->listing.target = targets[i];
		item->listing.target.fd =
		        targets[i].fd >= 0 ? fcntl(targets[i].fd, F_DUPFD_CLOEXEC, 0) : -1;
		item->is_active = item->listing.target.fd >= 0;
		if (targets[i].fd >= 0 && !item->is_active)
			error_errno(&errs[i], -errno, "%.300s: cannot be checked", targets[i].path);
	}
	batch_run(batch, clock_now_ns() + timeout_ns);
	for (unsigned i = 0; i < n; i++) {
		struct item *item = &batch->items[i];

		if (!item->is_active)
			continue;
		/* Not taken: the batch closes the copied descriptors itself. */
		pthread_mutex_lock(&batch->lock);
		bool is_done = item->is_done;

		pthread_mutex_unlock(&batch->lock);
		if (!is_done)
			say_no_answer(&targets[i], timeout_ns, &errs[i]);
		else if (item->err.code != 0)
			errs[i] = item->err;
	}
	batch_drop(batch);
	return 0;
}

static int first_code(const struct error *errs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (errs[i].code != 0)
			return errs[i].code;
	return 0;
}

int prober_probe_all(struct target *targets, unsigned n, uint64_t timeout_ns, struct error *errs)
{
	uint64_t end_ns = clock_now_ns() + timeout_ns, now_ns;
	int code;

	for (unsigned i = 0; i < n; i++)
		errs[i] = (struct error){ 0 };
	code = probe_each(targets, n, timeout_ns, errs);
	now_ns = clock_now_ns();
	if (code == 0)
		code = check_pairs(targets, n,
		        end_ns > now_ns + PAIRS_LEAST_NS ? end_ns - now_ns : PAIRS_LEAST_NS, errs);
	if (code != 0 && n > 0)
		error_errno(&errs[0], code, "%.300s: cannot be probed", targets[0].path);
	for (unsigned i = 0; i < n; i++)
		if (errs[i].code == 0)
			target_check_label(targets, i, &errs[i]);
	code = first_code(errs, n);
	if (code == 0)
		return target_label_all(targets, n, NULL);
	for (unsigned i = 0; i < n; i++)
		target_close(&targets[i]);
	return code;
}

static void examine_item(struct item *item)
{
	target_examine_mount(&item->listing);
}

static void examine_some(struct target_listing *list, unsigned n, uint64_t timeout_ns)
{
	struct batch *batch = batch_new(n, examine_item);
	char seconds[UNITS_TEXT_MAX];

	for (unsigned i = 0; batch != NULL && i < n; i++) {
		batch->items[i].listing = list[i];
		batch->items[i].is_active = !list[i].is_pseudo && list[i].reason[0] == '\0';
	}
	if (batch != NULL)
		batch_run(batch, clock_now_ns() + timeout_ns);
	for (unsigned i = 0; i < n; i++) {
		if (list[i].is_pseudo || list[i].reason[0] != '\0')
			continue;
		if (batch != NULL && take_item(&batch->items[i]))
			list[i] = batch->items[i].listing;
		else
			text_print(list[i].reason, sizeof(list[i].reason), "no answer for %s",
			        units_print_time(seconds, timeout_ns));
	}
	if (batch != NULL)
		batch_drop(batch);
}

void prober_examine_mounts(struct target_listing *list, unsigned n, uint64_t timeout_ns)
{
	for (unsigned i = 0; i < n; i += PROBER_AT_ONCE)
		examine_some(&list[i], n - i < PROBER_AT_ONCE ? n - i : PROBER_AT_ONCE, timeout_ns);
}
