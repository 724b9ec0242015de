/*
 * An image file behind a loop device of its own. The file has no name (O_TMPFILE, or unlinked
 * before
 * a byte is written), and the device clears itself when its last user goes: whatever ends the
 * process, nothing is left. Main thread; lab_image_check and lab_image_forget also from a lane.
 */
#ifndef FSDERBY_LAB_IMAGE_H
#define FSDERBY_LAB_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

struct lab_image {
	int loop_fd;     /* keeps the device ours; -1: there is none */
	char device[32]; /* "/dev/loop3" */
	dev_t dev;       /* of the image file */
	ino_t ino;
	uint64_t bytes;
	bool is_direct; /* past the host's page cache */
};

/* How far the first write has come, and whether to stop (true). */
struct lab_progress {
	bool (*report)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/*
 * Can images lie in @directory? -EINVAL for memory (tmpfs), -ENOSPC with both figures where
 * @n images of @bytes do not fit.
 */
int lab_image_check_place(const char *directory, unsigned n, uint64_t bytes, struct error *err);

/*
 * Make an image in @directory, write all of it once, so that no later write has to allocate, and
 * attach it. -EINTR when @progress wanted to stop.
 */
int lab_image_make(struct lab_image *image, const char *directory, uint64_t bytes,
        const struct lab_progress *progress, struct error *err);

/* Is what lies behind the device still our image? Before anything writes to it. */
int lab_image_check(const struct lab_image *image, struct error *err);

/* Overwrite the ends of the device, where programs look for an older file system. */
int lab_image_wipe(const struct lab_image *image, struct error *err);

/* Drop what the kernel has cached of the device; nothing is mounted from it. */
void lab_image_forget(const struct lab_image *image);

void lab_image_release(struct lab_image *image);

#endif
