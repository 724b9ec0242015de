/*
 * The small steps of making JSON. Any thread.
 */
#include "results/jsonify.h"

#include <math.h>

#include "core/text.h"
#include "measure/clock.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

void jsonify_put(json_t *object, const char *key, json_t *value, bool *failed)
{
	if (json_object_set_new(object, key, value))
		*failed = true;
}

json_t *jsonify_finish(json_t *object, bool failed)
{
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

/* Bytes of the well-formed UTF-8 character at @text (Unicode, table 3-7), 0 where it is none. */
static unsigned utf8_length(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xBF;
	unsigned n;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xC2 || text[0] > 0xF4)
		return 0;
	n = text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
	if (text[0] == 0xE0)
		low = 0xA0;
	else if (text[0] == 0xED)
		high = 0x9F;
	else if (text[0] == 0xF0)
		low = 0x90;
	else if (text[0] == 0xF4)
		high = 0x8F;
	if (text[1] < low || text[1] > high)
		return 0;
	for (unsigned i = 2; i < n; i++)
		if ((text[i] & 0xC0) != 0x80)
			return 0;
	return n;
}

json_t *jsonify_text(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	json_t *string = json_string(text);
	struct text clean;

	if (string)
		return string;
	text_init(&clean);
	while (*bytes) {
		unsigned n = utf8_length(bytes);

		if (n)
			text_add_bytes(&clean, bytes, n);
		else
			text_add(&clean, replacement);
		bytes += n ? n : 1;
	}
	string = clean.failed ? NULL : json_string(text_string(&clean));
	text_release(&clean);
	return string;
}

json_t *jsonify_unsigned(uint64_t number)
{
	/* JSON has no limit, jansson's integers have: a double is nearest beyond it. */
	if (number > INT64_MAX)
		return json_real((double)number);
	return json_integer((json_int_t)number);
}

json_t *jsonify_number(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

json_t *jsonify_optional(double number)
{
	return number >= 0 ? jsonify_number(number) : json_null();
}

json_t *jsonify_utc(uint64_t utc_ns)
{
	char text[CLOCK_TEXT_MAX];

	return utc_ns ? json_string(clock_print_utc(text, utc_ns)) : json_null();
}

json_t *jsonify_label(const struct report *report, int target)
{
	if (target < 0 || (unsigned)target >= report->n_targets)
		return json_null();
	return jsonify_text(report->targets[target].label);
}
