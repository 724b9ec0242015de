/*
 * A target in words: the header's line and the names of the flags. Any thread; only looks at the
 * struct.
 */
#include "core/target.h"

#include <string.h>

#include "core/text.h"

static const char *const flag_words[] = {
	"tmpfs",
	"overlay",
	"network",
	"compressed",
	"read-only",
	"loop",
	"loop-cached",
	"encrypted",
	"cow",
};

/* Mount options that nearly every mount has or that do not bear on speed: not worth a header. */
static const char *const dull_options[] = {
	"rw",
	"ro",
	"relatime",
	"nosuid",
	"nodev",
	"noexec",
	"seclabel",
	"attr2",
	"inode64",
	"noquota",
	"subvolid",
	"subvol",
	"user_id",
	"group_id",
	"default_permissions",
	"allow_other",
	"mode",
	"uid",
	"gid",
	"size",
	"nr_inodes",
	"lowerdir",
	"upperdir",
	"workdir",
	"uuid",
	"redirect_dir",
	"errors",
	"resuid",
	"resgid",
};

#define LENGTH(table) (sizeof(table) / sizeof((table)[0]))

static bool is_dull(const char *name, size_t length)
{
	for (unsigned i = 0; i < LENGTH(dull_options); i++)
		if (strlen(dull_options[i]) == length &&
		        strncmp(dull_options[i], name, length) == 0)
			return true;
	return false;
}

static void add_options(struct text *text, const char *options)
{
	while (*options != '\0') {
		size_t length = strcspn(options, ",");

		if (length > 0 && !is_dull(options, strcspn(options, ",="))) {
			text_add(text, " ");
			text_add_bytes(text, options, length);
		}
		options += length + (options[length] == ',');
	}
}

static void add_devices(struct text *text, const struct target_device *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_format(text, "%s%s", i > 0 ? "+" : "", list[i].name);
}

static bool are_same_devices(const struct target *target)
{
	if (target->n_nearest != target->n_bottom)
		return false;
	for (unsigned i = 0; i < target->n_nearest; i++)
		if (strcmp(target->nearest[i].name, target->bottom[i].name) != 0)
			return false;
	return true;
}

char *target_describe(const struct target *target, char *out, size_t size)
{
	unsigned telling = TARGET_NETWORK | TARGET_COMPRESSED | TARGET_LOOP_CACHED |
	                   TARGET_ENCRYPTED | TARGET_COW;
	char words[160];
	struct text text;

	text_init(&text);
	text_add(&text, target->fs);
	if (target->driver[0] != '\0')
		text_format(&text, " (driver %s)", target->driver);
	add_options(&text, target->options);
	if (target->n_nearest > 0)
		text_add(&text, " ");
	add_devices(&text, target->nearest, target->n_nearest);
	if (target->n_bottom > 0 && !are_same_devices(target)) {
		text_add(&text, ">");
		add_devices(&text, target->bottom, target->n_bottom);
	}
	if ((target->flags & telling) != 0)
		text_format(&text, " (%s)",
		        target_flag_names(target->flags & telling, words, sizeof(words)));
	text_print(out, size, "%s", text_string(&text));
	text_release(&text);
	return out;
}

const char *target_flag_name(unsigned index)
{
	return index < LENGTH(flag_words) ? flag_words[index] : NULL;
}

char *target_flag_names(unsigned flags, char *out, size_t size)
{
	size_t used = 0;

	if (size > 0)
		out[0] = '\0';
	for (unsigned i = 0; i < LENGTH(flag_words) && used < size; i++) {
		if ((flags & (1u << i)) == 0)
			continue;
		text_print(out + used, size - used, "%s%s", used > 0 ? "," : "", flag_words[i]);
		used += strlen(out + used);
	}
	return out;
}
