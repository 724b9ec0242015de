/*
 * Block device statistics from sysfs, dirty memory from /proc/meminfo. One owner a reader.
 */
#include "measure/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTOR_BYTES = 512 };

void device_reader_init(struct device_reader *reader, const unsigned (*numbers)[2], unsigned n)
{
	reader->n = 0;
	for (unsigned i = 0; i < n && reader->n < DEVICE_READER_MAX; i++) {
		char path[64];
		int fd;

		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", numbers[i][0],
		        numbers[i][1]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			reader->fds[reader->n++] = fd;
	}
}

void device_reader_release(struct device_reader *reader)
{
	for (unsigned i = 0; i < reader->n; i++)
		close(reader->fds[i]);
	reader->n = 0;
}

/* Fields: reads merged sectors ms, writes merged sectors ms, in flight, busy ms, weighted ms. */
static int read_one(int fd, struct device_stats *stats)
{
	unsigned long long f[11];
	char text[512];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return -ENODEV;
	text[n] = '\0';
	if (sscanf(text, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu", &f[0], &f[1],
	            &f[2], &f[3], &f[4], &f[5], &f[6], &f[7], &f[8], &f[9], &f[10]) != 11)
		return -ENODEV;
	stats->reads += f[0];
	stats->read_bytes += f[2] * SECTOR_BYTES;
	stats->writes += f[4];
	stats->written_bytes += f[6] * SECTOR_BYTES;
	stats->busy_ms += f[9];
	stats->queue_ms += f[10];
	return 0;
}

int device_read(const struct device_reader *reader, struct device_stats *stats)
{
	unsigned n = 0;

	memset(stats, 0, sizeof(*stats));
	for (unsigned i = 0; i < reader->n; i++)
		if (read_one(reader->fds[i], stats) == 0)
			n++;
	if (n == 0)
		return -ENODEV;
	stats->busy_ms /= n;
	return 0;
}

/* A device that has gone takes its counts out of the sum: nothing is better than 2^64 less. */
static uint64_t subtract(uint64_t after, uint64_t before)
{
	return after > before ? after - before : 0;
}

struct device_stats device_subtract(
        const struct device_stats *after, const struct device_stats *before)
{
	return (struct device_stats){
		.reads = subtract(after->reads, before->reads),
		.writes = subtract(after->writes, before->writes),
		.read_bytes = subtract(after->read_bytes, before->read_bytes),
		.written_bytes = subtract(after->written_bytes, before->written_bytes),
		.busy_ms = subtract(after->busy_ms, before->busy_ms),
		.queue_ms = subtract(after->queue_ms, before->queue_ms),
	};
}

void device_accumulate(struct device_stats *into, const struct device_stats *more)
{
	into->reads += more->reads;
	into->writes += more->writes;
	into->read_bytes += more->read_bytes;
	into->written_bytes += more->written_bytes;
	into->busy_ms += more->busy_ms;
	into->queue_ms += more->queue_ms;
}

static int64_t field_kib(const char *text, const char *name)
{
	const char *found = strstr(text, name);

	return found != NULL ? strtoll(found + strlen(name), NULL, 10) : -1;
}

int64_t device_dirty_kib(void)
{
	char text[4096];
	int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	int64_t dirty, writeback;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	text[n] = '\0';
	dirty = field_kib(text, "\nDirty:");
	writeback = field_kib(text, "\nWriteback:");
	return dirty < 0 || writeback < 0 ? -EIO : dirty + writeback;
}
