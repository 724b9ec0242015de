/*
 * Balanced orders and shared devices. Pure functions, any thread.
 */
#include "engine/schedule.h"

#include <string.h>

#include "core/random.h"

enum { STREAM_ORDER = 0x6f72646572 };

/* Cell (@row, @column) of the Williams square: 0, 1, n-1, 2, n-2, … shifted by the row; for odd n
 * the second half of the rows is the mirror image, which balances the neighbours. */
static unsigned square_cell(unsigned n, unsigned row, unsigned column)
{
	bool mirrored = n % 2 == 1 && row >= n;
	unsigned step;

	if (mirrored) {
		row -= n;
		column = n - 1 - column;
	}
	step = column % 2 == 1 ? (column + 1) / 2 : n - column / 2;
	return (step + row) % n;
}

static void shuffle(struct random *random, unsigned n, unsigned *items)
{
	for (unsigned i = 0; i < n; i++)
		items[i] = i;
	for (unsigned i = n; i > 1; i--) {
		unsigned j = (unsigned)random_below(random, i), held = items[i - 1];

		items[i - 1] = items[j];
		items[j] = held;
	}
}

void schedule_order(uint64_t seed, unsigned round, unsigned n, unsigned *order)
{
	unsigned letters[TARGETS_MAX], rows[2 * TARGETS_MAX];
	unsigned n_rows = n % 2 == 1 && n > 1 ? 2 * n : n;
	struct random random;

	random_init(&random, seed, STREAM_ORDER);
	shuffle(&random, n, letters);
	shuffle(&random, n_rows, rows);
	for (unsigned i = 0; i < n; i++)
		order[i] = letters[square_cell(n, rows[(round - 1) % n_rows], i)];
}

static const struct target_device *shared(const struct target *a, const struct target *b)
{
	for (unsigned i = 0; i < a->n_bottom; i++)
		for (unsigned j = 0; j < b->n_bottom; j++)
			if (a->bottom[i].major == b->bottom[j].major &&
			        a->bottom[i].minor == b->bottom[j].minor)
				return &a->bottom[i];
	return NULL;
}

unsigned schedule_groups(const struct target *targets, unsigned n, unsigned *group)
{
	unsigned n_groups = 0;

	for (unsigned i = 0; i < n; i++)
		group[i] = i;
	/* Join to the lowest index until nothing moves; n is at most 64. */
	for (bool moved = true; moved;) {
		moved = false;
		for (unsigned i = 0; i < n; i++)
			for (unsigned j = 0; j < i; j++)
				if (group[i] != group[j] && shared(&targets[i], &targets[j])) {
					unsigned low = group[i] < group[j] ? group[i] : group[j];

					group[i] = group[j] = low;
					moved = true;
				}
	}
	for (unsigned i = 0; i < n; i++) {
		if (group[i] == i)
			group[i] = n_groups++;
		else
			group[i] = group[group[i]];
	}
	return n_groups;
}

const char *schedule_shared_device(const struct target *targets, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < i; j++) {
			const struct target_device *device = shared(&targets[i], &targets[j]);

			if (device != NULL)
				return device->name;
		}
	return NULL;
}
