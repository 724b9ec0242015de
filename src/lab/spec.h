/*
 * What the user wants made: "[LABEL=]FS[:MOUNTOPTIONS][+MKFSOPTIONS]", and the command that makes
 * it. Only text here, nothing is touched. Any thread.
 */
#ifndef FSDERBY_LAB_SPEC_H
#define FSDERBY_LAB_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "core/target.h"

enum {
	SPEC_MKFS_MAX = 128,    /* of the user's mkfs options, with the NUL */
	SPEC_COMMAND_MAX = 256, /* of all words together */
	SPEC_WORDS_MAX = 64,
};

struct lab_spec {
	char label[TARGET_LABEL_MAX];
	bool is_label_given; /* by LABEL=; else it is the text as written */
	char fs[32];
	char mount_options[TARGET_OPTIONS_MAX]; /* "": none */
	char mkfs_options[SPEC_MKFS_MAX];       /* words divided by blanks; "": none */
};

/*
 * Take @text apart. Labels are [^/:=+]+ before the first '='; mkfs options are what follows the
 * first '+'. Options that name another device or a file are refused: the lab writes to nothing but
 * its own images.
 */
int lab_spec_parse(struct lab_spec *spec, const char *text, struct error *err);

/*
 * Give @spec mkfs options of a profile, under the same rules; for one that has some of its own, or
 * lies in memory, nothing is done and 0 returned. 1: they are taken.
 */
int lab_spec_add_mkfs(struct lab_spec *spec, const char *options, struct error *err);

/*
 * Make labels unique: those that were not given get "-2", "-3", …. Two given ones that are the
 * same:
 * -EEXIST.
 */
int lab_spec_label_all(struct lab_spec *specs, unsigned n, struct error *err);

/* In memory, without an image. */
bool lab_spec_is_memory(const struct lab_spec *spec);

/* The words of mkfs without the program's path and the device: words[0] is "mkfs.ext4". */
struct lab_command {
	char bytes[SPEC_COMMAND_MAX];
	char *words[SPEC_WORDS_MAX]; /* into bytes; NULL at the end */
	unsigned n;
};

/* Ours first (no discard, nothing left for the kernel to do later), then the user's. */
int lab_spec_command(const struct lab_spec *spec, struct lab_command *command, struct error *err);
/* The words with blanks between. */
char *lab_command_print(const struct lab_command *command, char *out, size_t size);

/* The smallest image that mkfs takes, and a file system that is any use. */
uint64_t lab_spec_least_bytes(const struct lab_spec *spec);

/* Inodes are as many as mkfs makes: one for so many bytes of the image; 0: made as needed. */
unsigned lab_spec_inode_bytes(const struct lab_spec *spec);

/* Room for a plan of @bytes and @inodes: half as much again and 512 MiB, in whole 4 MiB. */
uint64_t lab_spec_image_bytes(const struct lab_spec *spec, uint64_t bytes, uint64_t inodes);

#endif
