/*
 * UTC stamps for exports and the journal. Any thread.
 */
#include "measure/clock.h"

#include <stdio.h>

uint64_t clock_utc_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * CLOCK_SECOND_NS + (uint64_t)now.tv_nsec;
}

char *clock_print_utc(char out[CLOCK_TEXT_MAX], uint64_t utc_ns)
{
	/* The largest stamp is in 2554: gmtime_r cannot fail, and the year has four digits. */
	time_t seconds = (time_t)(utc_ns / CLOCK_SECOND_NS);
	struct tm parts;
	char stamp[24];

	gmtime_r(&seconds, &parts);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(out, CLOCK_TEXT_MAX, "%s.%06uZ", stamp,
	        (unsigned)(utc_ns % CLOCK_SECOND_NS / 1000));
	return out;
}
