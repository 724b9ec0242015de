/*
 * The one clock: CLOCK_MONOTONIC in nanoseconds. Any thread.
 */
#ifndef FSDERBY_MEASURE_CLOCK_H
#define FSDERBY_MEASURE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_SECOND_NS UINT64_C(1000000000)

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * CLOCK_SECOND_NS + (uint64_t)now.tv_nsec;
}

static inline double clock_seconds(uint64_t ns)
{
	return (double)ns * 1e-9;
}

/* UTC now, nanoseconds since 1970; only for stamps, never for durations. */
uint64_t clock_utc_ns(void);

/* "2026-12-01T00:23:45.123456Z", ISO 8601. */
enum { CLOCK_TEXT_MAX = 40 };
char *clock_print_utc(char out[CLOCK_TEXT_MAX], uint64_t utc_ns);

#endif
