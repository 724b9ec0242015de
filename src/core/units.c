/*
 * Strict readers and printers of sizes, times, shares and counts. Any thread. Digits and '.' are
 * read by hand and printed in the C locale, so LC_NUMERIC changes nothing.
 */
#include "core/units.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

enum {
	QUOTE_MAX = 64,       /* how much of a wrong text a message repeats */
	FRACTION_DIGITS = 18, /* 10^18 * 2^63 is under 2^128 */
	SHARE_DECIMALS = 27,  /* of the percents; "0." and "%" with them fill UNITS_TEXT_MAX */
};

struct unit {
	const char *name;
	uint64_t factor;
	bool is_read_only; /* another spelling that is never printed */
};

struct kind {
	const struct unit *units; /* largest first: a printer takes the first that divides */
	const char *name;
	const char *right;    /* what would have been right */
	const char *smallest; /* the unit that cannot be divided; "" where it has no name */
};

/* A number as it was typed: before the point, behind it, and where it ends. */
struct decimal {
	const char *fraction, *end;
	unsigned n_fraction;
	uint64_t whole;
	bool is_too_large;
};

static const struct unit size_units[] = {
	{ "T", UINT64_C(1) << 40, false },
	{ "G", UINT64_C(1) << 30, false },
	{ "M", UINT64_C(1) << 20, false },
	{ "k", UINT64_C(1) << 10, false },
	{ "K", UINT64_C(1) << 10, true },
	{ "", 1, false },
	{ NULL, 0, false },
};
static const struct unit time_units[] = {
	{ "h", UINT64_C(3600000000000), false },
	{ "min", UINT64_C(60000000000), false },
	{ "s", UINT64_C(1000000000), false },
	{ "ms", UINT64_C(1000000), false },
	{ "us", UINT64_C(1000), false },
	{ "ns", 1, false },
	{ NULL, 0, false },
};
static const struct unit count_units[] = {
	{ "M", 1000000, false },
	{ "k", 1000, false },
	{ "K", 1000, true },
	{ "", 1, false },
	{ NULL, 0, false },
};
static const struct kind size_kind = {
	size_units,
	"size",
	"digits, then k, M, G or T (1024), like 64k",
	"bytes",
};
static const struct kind time_kind = {
	time_units,
	"time",
	"digits, then ns, us, ms, s, min or h, like 200ms",
	"nanoseconds",
};
static const struct kind count_kind = {
	count_units,
	"count",
	"digits, then k or M (1000), like 20k",
	"",
};
static const struct kind integer_kind = {
	NULL,
	"whole number",
	"digits, with - in front where it is negative, like -5",
	"",
};
static const struct kind share_kind = {
	NULL,
	"share",
	"digits, then %, from 0% to 100%, like 25%",
	"",
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int refuse(struct error *err, const char *text, const struct kind *kind)
{
	char quoted[QUOTE_MAX];

	return error_set(err, -EINVAL, "%s is no %s: %s", text_quote(quoted, sizeof(quoted), text),
	        kind->name, kind->right);
}

/* Digits, then perhaps '.' and digits. False: no such number at the start of @text. */
static bool read_decimal(const char *text, struct decimal *decimal)
{
	const char *p = text;

	memset(decimal, 0, sizeof(*decimal));
	for (; is_digit(*p); p++) {
		decimal->is_too_large |=
		        __builtin_mul_overflow(decimal->whole, 10, &decimal->whole) ||
		        __builtin_add_overflow(
		                decimal->whole, (uint64_t)(*p - '0'), &decimal->whole);
	}
	if (p == text)
		return false;
	if (*p == '.') {
		decimal->fraction = ++p;
		while (is_digit(*p))
			p++;
		if (p == decimal->fraction)
			return false;
		decimal->n_fraction = (unsigned)(p - decimal->fraction);
	}
	decimal->end = p;
	return true;
}

/* The fraction times @factor; false where that is no whole number. */
static bool scale_fraction(const struct decimal *decimal, uint64_t factor, uint64_t *value)
{
	unsigned __int128 digits = 0, power = 1;
	unsigned n = decimal->n_fraction;

	while (n > 0 && decimal->fraction[n - 1] == '0')
		n--;
	if (n > FRACTION_DIGITS)
		return false;
	for (unsigned i = 0; i < n; i++) {
		digits = digits * 10 + (unsigned)(decimal->fraction[i] - '0');
		power *= 10;
	}
	digits *= factor;
	*value = (uint64_t)(digits / power);
	return digits % power == 0;
}

/* The value in the smallest unit, at most @limit. */
static int scale(const struct decimal *decimal, uint64_t factor, uint64_t limit, uint64_t *value)
{
	uint64_t scaled, fraction;

	if (!scale_fraction(decimal, factor, &fraction))
		return -EINVAL;
	if (decimal->is_too_large || __builtin_mul_overflow(decimal->whole, factor, &scaled) ||
	        __builtin_add_overflow(scaled, fraction, &scaled) || scaled > limit)
		return -ERANGE;
	*value = scaled;
	return 0;
}

/* What scale said, in words. */
static int refuse_value(struct error *err, int code, const char *text, const struct kind *kind)
{
	char quoted[QUOTE_MAX];

	text_quote(quoted, sizeof(quoted), text);
	if (code == -EINVAL)
		return error_set(err, code, "%s is no %s: not a whole number%s%s", quoted,
		        kind->name, kind->smallest[0] != '\0' ? " of " : "", kind->smallest);
	return error_set(err, code, "%s is too large: at most %" PRId64 "%s%s", quoted, INT64_MAX,
	        kind->smallest[0] != '\0' ? " " : "", kind->smallest);
}

static int parse(const char *text, const struct kind *kind, uint64_t *value, struct error *err)
{
	const struct unit *unit = kind->units;
	struct decimal decimal;
	int code;

	if (!read_decimal(text, &decimal))
		return refuse(err, text, kind);
	while (unit->name != NULL && strcmp(decimal.end, unit->name) != 0)
		unit++;
	if (unit->name == NULL)
		return refuse(err, text, kind);
	code = scale(&decimal, unit->factor, INT64_MAX, value);
	return code == 0 ? 0 : refuse_value(err, code, text, kind);
}

int units_parse_size(const char *text, uint64_t *bytes, struct error *err)
{
	return parse(text, &size_kind, bytes, err);
}

int units_parse_time(const char *text, uint64_t *ns, struct error *err)
{
	if (strcmp(text, "0") == 0) {
		*ns = 0;
		return 0;
	}
	return parse(text, &time_kind, ns, err);
}

int units_parse_count(const char *text, uint64_t *count, struct error *err)
{
	return parse(text, &count_kind, count, err);
}

int units_parse_integer(const char *text, int64_t *value, struct error *err)
{
	bool is_negative = text[0] == '-';
	struct decimal decimal;
	uint64_t size;
	int code;

	if (!read_decimal(text + is_negative, &decimal) || *decimal.end != '\0' ||
	        decimal.n_fraction > 0)
		return refuse(err, text, &integer_kind);
	code = scale(&decimal, 1, (uint64_t)INT64_MAX + is_negative, &size);
	if (code != 0)
		return refuse_value(err, code, text, &integer_kind);
	*value = is_negative ? (int64_t)(0 - size) : (int64_t)size;
	return 0;
}

int units_parse_share(const char *text, double *share, struct error *err)
{
	char scaled[SHARE_DECIMALS + 16], quoted[QUOTE_MAX];
	struct decimal decimal;
	double value;

	if (!read_decimal(text, &decimal) || strcmp(decimal.end, "%") != 0)
		return refuse(err, text, &share_kind);
	if (decimal.n_fraction > SHARE_DECIMALS)
		return error_set(err, -EINVAL, "%s is no share: over %d decimals",
		        text_quote(quoted, sizeof(quoted), text), SHARE_DECIMALS);
	if (decimal.is_too_large || decimal.whole > 100)
		return error_set(
		        err, -ERANGE, "%s is over 100%%", text_quote(quoted, sizeof(quoted), text));
	/* Let strtod divide by 100, so that the value is the double nearest to what was typed. */
	text_print(scaled, sizeof(scaled), "%" PRIu64 ".%.*se-2", decimal.whole,
	        decimal.n_fraction > 0 ? (int)decimal.n_fraction : 1,
	        decimal.n_fraction > 0 ? decimal.fraction : "0");
	value = strtod_l(scaled, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0));
	if (value > 1)
		return error_set(
		        err, -ERANGE, "%s is over 100%%", text_quote(quoted, sizeof(quoted), text));
	*share = value;
	return 0;
}

static char *print(char *out, const struct unit *unit, uint64_t value)
{
	while (unit->is_read_only || (unit->factor > 1 && (value == 0 || value % unit->factor)))
		unit++;
	return text_print(out, UNITS_TEXT_MAX, "%" PRIu64 "%s", value / unit->factor, unit->name);
}

char *units_print_size(char out[UNITS_TEXT_MAX], uint64_t bytes)
{
	return print(out, size_units, bytes);
}

char *units_print_time(char out[UNITS_TEXT_MAX], uint64_t ns)
{
	return ns == 0 ? text_print(out, UNITS_TEXT_MAX, "0") : print(out, time_units, ns);
}

char *units_print_count(char out[UNITS_TEXT_MAX], uint64_t count)
{
	return print(out, count_units, count);
}

/* "0.2512" as "25.12%": the point moves by two places, nothing is rounded. */
static void print_percent(char out[UNITS_TEXT_MAX], const char *share)
{
	const char *decimals = strchr(share, '.') + 1;
	char digits[8];
	unsigned percent = (unsigned)(share[0] - '0') * 100 + (unsigned)(decimals[0] - '0') * 10 +
	                   (unsigned)(decimals[1] - '0');

	text_print(digits, sizeof(digits), "%u", percent);
	text_print(out, UNITS_TEXT_MAX, "%s%s%s%%", digits, decimals[2] != '\0' ? "." : "",
	        decimals + 2);
}

/* With the fewest decimals that read back as the same double. */
char *units_print_share(char out[UNITS_TEXT_MAX], double share)
{
	share = share > 0 ? fmin(share, 1) : 0; /* also what is not a number */
	for (int decimals = 0; decimals <= SHARE_DECIMALS; decimals++) {
		char text[SHARE_DECIMALS + 8];
		double back = -1;

		text_print(text, sizeof(text), "%.*f", decimals + 2, share);
		print_percent(out, text);
		if (units_parse_share(out, &back, NULL) == 0 && back == share)
			break;
	}
	return out;
}

/* Decimals for three digits: 0.53, 5.31, 53.1, 531. The bounds are where rounding adds a digit. */
static int decimals_for(double number)
{
	return number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
}

static char *format_scaled(char *out, double number, double step, const char *const *suffixes)
{
	double size = fabs(number);

	if (!isfinite(number))
		return text_print(out, UNITS_TEXT_MAX, "-");
	while (size >= 999.5 && suffixes[1] != NULL) {
		size /= step;
		suffixes++;
	}
	if (size == 0)
		return text_print(out, UNITS_TEXT_MAX, "0%s", *suffixes);
	if (size >= 1e12)
		return text_print(
		        out, UNITS_TEXT_MAX, "%s%.2e%s", number < 0 ? "-" : "", size, *suffixes);
	return text_print(out, UNITS_TEXT_MAX, "%s%.*f%s", number < 0 ? "-" : "",
	        decimals_for(size), size, *suffixes);
}

char *units_format_bytes(char out[UNITS_TEXT_MAX], double bytes)
{
	static const char *const suffixes[] = { " B", " KiB", " MiB", " GiB", " TiB", " PiB",
		NULL };

	if (fabs(bytes) < 999.5)
		return text_print(out, UNITS_TEXT_MAX, "%.0f B", bytes + 0.0);
	return format_scaled(out, bytes, 1024, suffixes);
}

char *units_format_number(char out[UNITS_TEXT_MAX], double number)
{
	static const char *const suffixes[] = { "", "k", "M", "G", "T", "P", NULL };

	return format_scaled(out, number, 1000, suffixes);
}

char *units_format_seconds(char out[UNITS_TEXT_MAX], double seconds)
{
	static const char *const suffixes[] = { "s", NULL };

	return format_scaled(out, seconds, 1, suffixes);
}

char *units_format_latency(char out[UNITS_TEXT_MAX], uint64_t ns)
{
	static const char *const suffixes[] = { "ns", "us", "ms", "s", NULL };

	if (ns < 1000)
		return text_print(out, UNITS_TEXT_MAX, "%" PRIu64 "ns", ns);
	return format_scaled(out, (double)ns, 1000, suffixes);
}

char *units_format_clock(char out[UNITS_TEXT_MAX], double seconds)
{
	uint64_t whole = seconds > 0 ? (uint64_t)fmin(seconds, 1e15) : 0;

	return text_print(out, UNITS_TEXT_MAX, "%02" PRIu64 ":%02u:%02u", whole / 3600,
	        (unsigned)(whole / 60 % 60), (unsigned)(whole % 60));
}

char *units_format_grouped(char out[UNITS_TEXT_MAX], uint64_t number)
{
	char digits[24];
	size_t n, length = 0;

	text_print(digits, sizeof(digits), "%" PRIu64, number);
	n = strlen(digits);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			out[length++] = ',';
		out[length++] = digits[i];
	}
	out[length] = '\0';
	return out;
}
