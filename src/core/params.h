/*
 * Parameters as tables: parser, help, completion, plan, form and docs read the same array.
 *
 * A `struct params` is one immutable-once-published block of values for a table. Workers get it
 * by pointer; a live change makes a new block. Any thread, no locking of its own.
 */
#ifndef FSDERBY_CORE_PARAMS_H
#define FSDERBY_CORE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum { PARAMS_MAX = 32, PARAM_LIST_MAX = 16, PARAM_TEXT_MAX = 256 };

enum param_type {
	PARAM_COUNT,      /* value.number, plain or k M (1000) */
	PARAM_SIZE,       /* value.number, bytes */
	PARAM_TIME,       /* value.number, nanoseconds */
	PARAM_SHARE,      /* value.share, 0 to 1 */
	PARAM_INTEGER,    /* value.integer, may be negative */
	PARAM_CHOICE,     /* value.number = index in `choices` */
	PARAM_TEXT,       /* value.text */
	PARAM_COUNT_LIST, /* value.list, comma separated */
	PARAM_SIZE_LIST,
};

enum param_effect { PARAM_NOW, PARAM_NEXT_PHASE, PARAM_NEXT_RUN };

struct param {
	const char *name;
	enum param_type type;
	enum param_effect effect;
	const char *initial;   /* the default, as text this table's own parser takes */
	double min, max;       /* range of number, share (0..1), integer and of each list item */
	const char *zero_word; /* a word that stands for 0 ("auto", "none"), or NULL */
	const char *choices;   /* PARAM_CHOICE: "random|a" */
	const char *unit;      /* "bytes", "files", … for people; "" if none */
	const char *help;      /* one line */
};

struct param_value {
	bool is_set; /* given by the user or a profile */
	union {
		uint64_t number;
		int64_t integer;
		double share;
		char text[PARAM_TEXT_MAX];
		struct {
			unsigned n;
			uint64_t items[PARAM_LIST_MAX];
		} list;
	};
};

struct params {
	const struct param *table;
	unsigned n;
	struct param_value values[PARAMS_MAX];
};

/* Set every value to its default. A default that does not parse is a programming error (assert). */
void params_init(struct params *params, const struct param *table, unsigned n);

/* Index of @name in the table, or -1. */
int params_find(const struct param *table, unsigned n, const char *name);

/*
 * Parse @text into the value called @name. On error nothing changes and the message names the
 * parameter, the text, what is wrong and the range.
 */
int params_set(struct params *params, const char *name, const char *text, struct error *err);

/* Print value @index as params_set would take it. Returns @out. */
char *params_print(const struct params *params, unsigned index, char *out, size_t size);

bool params_equal(const struct params *a, const struct params *b, unsigned index);

/* "1 to 4,096 files", "random or a", for messages and help. */
char *param_range(const struct param *param, char *out, size_t size);

const char *param_type_name(enum param_type type);
const char *param_effect_name(enum param_effect effect);

static inline uint64_t params_number(const struct params *params, unsigned index)
{
	return params->values[index].number;
}

#endif
