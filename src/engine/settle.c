/*
 * Settling: syncfs of the own target, then poll devices and /proc/meminfo. Lane threads only.
 */
#include "engine/settle.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "measure/clock.h"

enum { POLL_MS = 50 };

static bool device_is_quiet(
        const struct device_reader *bottom, struct device_stats *before, double seconds)
{
	struct device_stats now, moved;

	if (device_read(bottom, &now) != 0)
		return true;
	moved = device_subtract(&now, before);
	*before = now;
	return (double)(moved.read_bytes + moved.written_bytes) <= SETTLE_DEVICE_RATE * seconds;
}

void settle_wait(int fd, const struct device_reader *bottom, const _Atomic uint32_t *stop,
        _Atomic uint64_t *heartbeat, struct settle_outcome *outcome)
{
	uint64_t start = clock_now_ns(), limit, quiet_since, last;
	struct device_stats before = { 0 };
	const struct timespec nap = { .tv_nsec = POLL_MS * 1000000L };

	outcome->code = syncfs(fd) == 0 ? 0 : -errno;
	outcome->is_noisy = false;
	last = quiet_since = clock_now_ns();
	limit = last + SETTLE_LIMIT_S * CLOCK_SECOND_NS;
	device_read(bottom, &before);
	while (atomic_load_explicit(stop, memory_order_relaxed) == 0) {
		uint64_t now;
		bool quiet;

		nanosleep(&nap, NULL);
		atomic_fetch_add_explicit(heartbeat, 1, memory_order_relaxed);
		now = clock_now_ns();
		outcome->dirty_kib = device_dirty_kib();
		quiet = device_is_quiet(bottom, &before, clock_seconds(now - last)) &&
		        outcome->dirty_kib < SETTLE_DIRTY_KIB;
		last = now;
		if (!quiet)
			quiet_since = now;
		if (now - quiet_since >= SETTLE_QUIET_MS * UINT64_C(1000000))
			break;
		outcome->is_noisy = now >= limit;
		if (outcome->is_noisy)
			break;
	}
	outcome->dirty_kib = device_dirty_kib();
	outcome->seconds = clock_seconds(clock_now_ns() - start);
}
