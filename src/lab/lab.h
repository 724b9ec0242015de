/*
 * The lab: file systems that fsderby makes itself, on images of one size, as targets of a run. They
 * can be made anew and remounted, and nothing of them is left afterwards.
 *
 * lab_new and lab_free are the main thread's; lab_new must come before any other thread. In between
 * each target's `managed` belongs to its lane; labs share nothing.
 */
#ifndef FSDERBY_LAB_LAB_H
#define FSDERBY_LAB_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "engine/run.h"
#include "lab/spec.h"

struct lab;

enum lab_news {
	LAB_DONE,     /* something is made: a line to keep */
	LAB_LEFT_OUT, /* something cannot be made, the others go on */
	LAB_UNDERWAY, /* progress, until the next news */
};

struct lab_wishes {
	const struct lab_spec *specs; /* with unique labels */
	unsigned n_specs;
	const char *directory;   /* for the images */
	uint64_t bytes;          /* of each image; 0: what the plan needs */
	bool is_visible;         /* mounted where others can look */
	const char *const *used; /* paths that must not be hidden, NULL at the end */
	void (*tell)(void *context, enum lab_news news, const char *line);
	void *context;
};

/*
 * Make all that can be made and fill @config's targets with them, not yet probed; its workloads say
 * how large. What is missing (mkfs, the kernel's driver) or fails is told and left out; an error
 * where
 * nothing is left, or where nothing may be begun (not root, no space). -EINTR: lab_is_interrupted.
 */
int lab_new(struct lab **lab, const struct lab_wishes *wishes, struct run_config *config,
        struct error *err);

/* Unmount all and let the images go. NULL is fine. */
void lab_free(struct lab *lab);

/* A signal that ends the process is pending; the signals are blocked. */
bool lab_is_interrupted(void);

#endif
