/*
 * Parameter tables: defaults, reading, printing, ranges. Any thread, no state.
 */
#include "core/params.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "core/units.h"

enum { QUOTE_MAX = 64, RANGE_MAX = 160, LIST_ITEM_MAX = 64 };

/* A maximum from here on is none: "1 or more". Fits an int64_t. */
#define PARAM_UNBOUNDED 1e18

const char *param_type_name(enum param_type type)
{
	static const char *const names[] = {
		[PARAM_COUNT] = "count",
		[PARAM_SIZE] = "size",
		[PARAM_TIME] = "time",
		[PARAM_SHARE] = "share",
		[PARAM_INTEGER] = "integer",
		[PARAM_CHOICE] = "choice",
		[PARAM_TEXT] = "text",
		[PARAM_COUNT_LIST] = "list of counts",
		[PARAM_SIZE_LIST] = "list of sizes",
	};

	return names[type];
}

const char *param_effect_name(enum param_effect effect)
{
	static const char *const names[] = {
		[PARAM_NOW] = "now",
		[PARAM_NEXT_PHASE] = "next phase",
		[PARAM_NEXT_RUN] = "next run",
	};

	return names[effect];
}

/* One end of a range, in the parameter's own notation. */
static void print_bound(const struct param *param, double bound, char out[UNITS_TEXT_MAX])
{
	uint64_t number = bound > 0 ? (uint64_t)fmin(bound, PARAM_UNBOUNDED) : 0;

	switch (param->type) {
	case PARAM_SIZE:
	case PARAM_SIZE_LIST:
		units_print_size(out, number);
		/* No round number of any unit. */
		if (strlen(out) > 5 || out[strlen(out) - 1] <= '9')
			units_format_grouped(out, number);
		break;
	case PARAM_TIME:
		units_print_time(out, number);
		break;
	case PARAM_SHARE:
		units_print_share(out, bound);
		break;
	case PARAM_INTEGER:
		text_print(out, UNITS_TEXT_MAX, "%.0f", bound);
		break;
	default:
		units_format_grouped(out, number);
		break;
	}
}

/* "random|a|b" as "random, a or b" */
static void print_choices(const char *choices, char *out, size_t size)
{
	struct text text;
	const char *p = choices;

	text_init(&text);
	while (*p != '\0') {
		size_t n = strcspn(p, "|");

		if (p != choices)
			text_add(&text, strchr(p, '|') != NULL ? ", " : " or ");
		text_add_bytes(&text, p, n);
		p += n + (p[n] == '|');
	}
	text_print(out, size, "%s", text_string(&text));
	text_release(&text);
}

char *param_range(const struct param *param, char *out, size_t size)
{
	char low[UNITS_TEXT_MAX], high[UNITS_TEXT_MAX];
	bool is_bounded = param->max < PARAM_UNBOUNDED;
	const char *unit = param->unit != NULL ? param->unit : "";

	if (param->type == PARAM_CHOICE) {
		print_choices(param->choices, out, size);
		return out;
	}
	if (param->type == PARAM_TEXT)
		return text_print(out, size, "text of at most %d bytes", PARAM_TEXT_MAX - 1);
	if (param->type == PARAM_TIME || param->type == PARAM_SHARE)
		unit = ""; /* each end has its own */
	print_bound(param, param->min, low);
	print_bound(param, param->max, high);
	return text_print(out, size, "%s%s%s%s%s", low, is_bounded ? " to " : " or more",
	        is_bounded ? high : "", unit[0] != '\0' ? " " : "", unit);
}

static int check_range(const struct param *param, const char *text, double value, struct error *err)
{
	char quoted[QUOTE_MAX];

	if (value >= param->min && value <= param->max)
		return 0;
	return error_set(err, -ERANGE, "%s is too %s", text_quote(quoted, sizeof(quoted), text),
	        value < param->min ? "small" : "large");
}

static bool is_zero_word(const struct param *param, const char *text)
{
	return param->zero_word != NULL && strcmp(text, param->zero_word) == 0;
}

static int parse_number(
        const struct param *param, const char *text, uint64_t *number, struct error *err)
{
	int code;

	if (is_zero_word(param, text)) {
		*number = 0;
		return 0;
	}
	if (param->type == PARAM_SIZE || param->type == PARAM_SIZE_LIST)
		code = units_parse_size(text, number, err);
	else if (param->type == PARAM_TIME)
		code = units_parse_time(text, number, err);
	else
		code = units_parse_count(text, number, err);
	if (code == 0 && (param->zero_word == NULL || *number != 0))
		code = check_range(param, text, (double)*number, err);
	return code;
}

static int parse_share(
        const struct param *param, const char *text, double *share, struct error *err)
{
	int code;

	*share = 0;
	if (is_zero_word(param, text))
		return 0;
	code = units_parse_share(text, share, err);
	if (code == 0 && (param->zero_word == NULL || *share != 0))
		code = check_range(param, text, *share, err);
	return code;
}

static int parse_integer(
        const struct param *param, const char *text, int64_t *integer, struct error *err)
{
	int code;

	*integer = 0;
	if (is_zero_word(param, text))
		return 0;
	code = units_parse_integer(text, integer, err);
	if (code == 0 && (param->zero_word == NULL || *integer != 0))
		code = check_range(param, text, (double)*integer, err);
	return code;
}

static int parse_choice(
        const struct param *param, const char *text, uint64_t *index, struct error *err)
{
	const char *p = param->choices;
	char quoted[QUOTE_MAX];

	for (uint64_t i = 0; *p != '\0'; i++) {
		size_t n = strcspn(p, "|");

		if (strlen(text) == n && strncmp(text, p, n) == 0) {
			*index = i;
			return 0;
		}
		p += n + (p[n] == '|');
	}
	return error_set(
	        err, -EINVAL, "%s is none of its values", text_quote(quoted, sizeof(quoted), text));
}

/* The next item of a list into @item; returns what follows it, NULL with a message. */
static const char *take_item(
        const char *text, const char *p, char item[LIST_ITEM_MAX], struct error *err)
{
	size_t n = strcspn(p, ",");
	char quoted[QUOTE_MAX];

	if (n > 0 && n < LIST_ITEM_MAX) {
		memcpy(item, p, n);
		item[n] = '\0';
		return p + n;
	}
	error_set(err, -EINVAL, "%s has an %s item", text_quote(quoted, sizeof(quoted), text),
	        n == 0 ? "empty" : "overlong");
	return NULL;
}

static bool is_listed(const struct param_value *value, uint64_t number)
{
	for (unsigned i = 0; i < value->list.n; i++)
		if (value->list.items[i] == number)
			return true;
	return false;
}

static int parse_list(
        const struct param *param, const char *text, struct param_value *value, struct error *err)
{
	char item[LIST_ITEM_MAX], quoted[QUOTE_MAX];
	const char *p = text;

	text_quote(quoted, sizeof(quoted), text);
	for (value->list.n = 0;; p++) {
		uint64_t number = 0;
		int code;

		if (value->list.n == PARAM_LIST_MAX)
			return error_set(
			        err, -E2BIG, "%s has over %d items", quoted, PARAM_LIST_MAX);
		p = take_item(text, p, item, err);
		if (p == NULL)
			return -EINVAL;
		code = parse_number(param, item, &number, err);
		if (code != 0)
			return code;
		if (is_listed(value, number))
			return error_set(err, -EEXIST, "%s has %s twice", quoted, item);
		value->list.items[value->list.n++] = number;
		if (*p == '\0')
			return 0;
	}
}

static int parse_text(const char *text, struct param_value *value, struct error *err)
{
	char quoted[QUOTE_MAX];

	if (strlen(text) >= PARAM_TEXT_MAX)
		return error_set(err, -ENAMETOOLONG, "%s is too long",
		        text_quote(quoted, sizeof(quoted), text));
	memcpy(value->text, text, strlen(text) + 1);
	return 0;
}

static int parse_value(
        const struct param *param, const char *text, struct param_value *value, struct error *err)
{
	switch (param->type) {
	case PARAM_COUNT:
	case PARAM_SIZE:
	case PARAM_TIME:
		return parse_number(param, text, &value->number, err);
	case PARAM_SHARE:
		return parse_share(param, text, &value->share, err);
	case PARAM_INTEGER:
		return parse_integer(param, text, &value->integer, err);
	case PARAM_CHOICE:
		return parse_choice(param, text, &value->number, err);
	case PARAM_TEXT:
		return parse_text(text, value, err);
	case PARAM_COUNT_LIST:
	case PARAM_SIZE_LIST:
		return parse_list(param, text, value, err);
	}
	return -EINVAL;
}

void params_init(struct params *params, const struct param *table, unsigned n)
{
	assert(n <= PARAMS_MAX);
	memset(params, 0, sizeof(*params));
	params->table = table;
	params->n = n;
	for (unsigned i = 0; i < n; i++) {
		int code = parse_value(&table[i], table[i].initial, &params->values[i], NULL);

		assert(code == 0);
		(void)code;
	}
}

int params_find(const struct param *table, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(table[i].name, name) == 0)
			return (int)i;
	return -1;
}

int params_set(struct params *params, const char *name, const char *text, struct error *err)
{
	int index = params_find(params->table, params->n, name), code;
	const struct param *param;
	struct param_value value;
	struct error why;
	char range[RANGE_MAX];

	if (index < 0)
		return error_set(err, -ENOENT, "%s: no such parameter", name);
	param = &params->table[index];
	memset(&value, 0, sizeof(value));
	code = parse_value(param, text, &value, &why);
	if (code != 0)
		return error_set(err, code, "%s: %s; %s%s%s", name, why.text,
		        param_range(param, range, sizeof(range)),
		        param->zero_word != NULL ? " or " : "",
		        param->zero_word != NULL ? param->zero_word : "");
	value.is_set = true;
	params->values[index] = value;
	return 0;
}

static void print_number(const struct param *param, uint64_t number, char out[UNITS_TEXT_MAX])
{
	if (number == 0 && param->zero_word != NULL)
		text_print(out, UNITS_TEXT_MAX, "%s", param->zero_word);
	else if (param->type == PARAM_SIZE || param->type == PARAM_SIZE_LIST)
		units_print_size(out, number);
	else if (param->type == PARAM_TIME)
		units_print_time(out, number);
	else
		/* All digits: these are the names of sets and the values of other programs. */
		text_print(out, UNITS_TEXT_MAX, "%" PRIu64, number);
}

static void print_choice(const struct param *param, uint64_t index, char *out, size_t size)
{
	const char *p = param->choices;

	for (uint64_t i = 0; i < index; i++) {
		p += strcspn(p, "|");
		p += *p == '|';
	}
	text_print(out, size, "%.*s", (int)strcspn(p, "|"), p);
}

static void print_list(
        const struct param *param, const struct param_value *value, char *out, size_t size)
{
	size_t length = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < value->list.n && length + 1 < size; i++) {
		char item[UNITS_TEXT_MAX];

		print_number(param, value->list.items[i], item);
		text_print(out + length, size - length, "%s%s", i > 0 ? "," : "", item);
		length += strlen(out + length);
	}
}

/* Whether a share or an integer is what the zero word says. */
static bool is_zero(const struct param *param, const struct param_value *value)
{
	return param->zero_word != NULL &&
	       ((param->type == PARAM_SHARE && value->share == 0) ||
	               (param->type == PARAM_INTEGER && value->integer == 0));
}

char *params_print(const struct params *params, unsigned index, char *out, size_t size)
{
	const struct param *param = &params->table[index];
	const struct param_value *value = &params->values[index];
	char text[UNITS_TEXT_MAX];

	if (is_zero(param, value))
		return text_print(out, size, "%s", param->zero_word);
	switch (param->type) {
	case PARAM_COUNT:
	case PARAM_SIZE:
	case PARAM_TIME:
		print_number(param, value->number, text);
		return text_print(out, size, "%s", text);
	case PARAM_SHARE:
		return text_print(out, size, "%s", units_print_share(text, value->share));
	case PARAM_INTEGER:
		return text_print(out, size, "%" PRId64, value->integer);
	case PARAM_CHOICE:
		print_choice(param, value->number, out, size);
		return out;
	case PARAM_TEXT:
		return text_print(out, size, "%s", value->text);
	case PARAM_COUNT_LIST:
	case PARAM_SIZE_LIST:
		print_list(param, value, out, size);
		return out;
	}
	return out;
}

bool params_equal(const struct params *a, const struct params *b, unsigned index)
{
	const struct param_value *one = &a->values[index], *two = &b->values[index];

	switch (a->table[index].type) {
	case PARAM_COUNT:
	case PARAM_SIZE:
	case PARAM_TIME:
	case PARAM_CHOICE:
		return one->number == two->number;
	case PARAM_SHARE:
		return one->share == two->share;
	case PARAM_INTEGER:
		return one->integer == two->integer;
	case PARAM_TEXT:
		return strcmp(one->text, two->text) == 0;
	case PARAM_COUNT_LIST:
	case PARAM_SIZE_LIST:
		return one->list.n == two->list.n &&
		       memcmp(one->list.items, two->list.items,
		               one->list.n * sizeof(one->list.items[0])) == 0;
	}
	return false;
}
