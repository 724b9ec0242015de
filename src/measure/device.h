/*
 * Block device statistics from /sys/dev/block/M:m/stat (Documentation/block/stat.rst; sectors of
 * 512 bytes whatever the device's block size). One owner a reader.
 */
#ifndef FSDERBY_MEASURE_DEVICE_H
#define FSDERBY_MEASURE_DEVICE_H

#include <stdint.h>

enum { DEVICE_READER_MAX = 16 };

struct device_stats {
	uint64_t reads, writes; /* operations completed */
	uint64_t read_bytes, written_bytes;
	uint64_t busy_ms;  /* time with I/O under way; the mean of several devices */
	uint64_t queue_ms; /* weighted: sum of the time of each request */
};

/* Reads the sum over a list of devices. */
struct device_reader {
	unsigned n;
	int fds[DEVICE_READER_MAX];
};

/* @numbers: n pairs of major, minor. Devices that are gone are left out; n may become 0. */
void device_reader_init(struct device_reader *reader, const unsigned (*numbers)[2], unsigned n);
void device_reader_release(struct device_reader *reader);
/* 0, or -ENODEV when there is none. */
int device_read(const struct device_reader *reader, struct device_stats *stats);
/* after - before, field by field; 0 where a device that has gone makes it less. */
struct device_stats device_subtract(
        const struct device_stats *after, const struct device_stats *before);
void device_accumulate(struct device_stats *into, const struct device_stats *more);

/* Dirty + Writeback of /proc/meminfo in KiB, or a negative errno. */
int64_t device_dirty_kib(void);

#endif
