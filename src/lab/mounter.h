/*
 * mkfs and mount of one file system. Main thread at first, then its target's lane.
 */
#ifndef FSDERBY_LAB_MOUNTER_H
#define FSDERBY_LAB_MOUNTER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"
#include "lab/image.h"
#include "lab/spec.h"

/* The path of @program in PATH, /usr/sbin or /sbin; false: it is not there. */
bool lab_find_program(const char *program, char *out, size_t size);

/* Does this kernel know the type @fs? May load its module; tries to mount nothing on @directory. */
bool lab_kernel_has(const char *fs, const char *directory);

/* Run mkfs by its path on the device of @image, after checking that it is ours. */
int lab_make_file_system(const struct lab_spec *spec, const char *program,
        const struct lab_image *image, struct error *err);

/*
 * Mount @device (NULL: tmpfs) on @path with the SPEC's options behind @options ("" none). Writes
 * neither mtab nor utab, reads no fstab, runs no helper.
 */
int lab_mount(const struct lab_spec *spec, const char *device, const char *path,
        const char *options, struct error *err);

#endif
