/*
 * Settling before a timed part: sync the target, then wait until nobody's unwritten data can
 * disturb the measurement. Lane threads only; may block on the target.
 */
#ifndef FSDERBY_ENGINE_SETTLE_H
#define FSDERBY_ENGINE_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/device.h"

enum {
	SETTLE_QUIET_MS = 300,            /* devices and dirty memory quiet for that long */
	SETTLE_LIMIT_S = 30,              /* then go on, marked noisy */
	SETTLE_DIRTY_KIB = 16 * 1024,     /* Dirty + Writeback below this */
	SETTLE_DEVICE_RATE = 1024 * 1024, /* bytes/s at the bottom devices below this */
};

struct settle_outcome {
	double seconds;    /* all of it, with the sync */
	int64_t dirty_kib; /* at the end; negative: unknown */
	bool is_noisy;     /* the limit was reached */
	int code;          /* of the syncfs: 0 or a negative errno */
};

/* @stop nonzero ends the wait early; @heartbeat counts that the lane is alive. */
void settle_wait(int fd, const struct device_reader *bottom, const _Atomic uint32_t *stop,
        _Atomic uint64_t *heartbeat, struct settle_outcome *outcome);

#endif
