/*
 * Reading SPECs and putting mkfs commands together. See spec.h. Any thread.
 */
#include "lab/spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

#define MIB (UINT64_C(1) << 20)

enum { SHOWN_MAX = 160, WORD_MAX = 64, LEAST_MIB = 16, ROUND_MIB = 4, SPARE_MIB = 512 };

/*
 * What a file system needs from us. Everything is written at once: inode tables and journals that
 * the kernel would initialise later, by a thread of its own, would be measured with the first
 * phases.
 */
static const struct maker {
	const char *fs;
	const char *words;
	unsigned least_mib;
	unsigned inode_bytes;
} maker_table[] = {
	{ "ext2", "-q -F -i 4096 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0", 0, 4096 },
	{ "ext3", "-q -F -i 4096 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0", 0, 4096 },
	{ "ext4", "-q -F -i 4096 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0", 0, 4096 },
	{ "xfs", "-q -K", 320, 0 },
	{ "btrfs", "-q -K", 128, 0 },
};

/*
 * Mount options that would take the mount away from our image, let another device in, or make it
 * useless as a target. X-… and x-… are instructions to mount(8).
 */
static const char *const refused_options[] = {
	"loop",
	"offset",
	"sizelimit",
	"encryption",
	"bind",
	"rbind",
	"move",
	"remount",
	"ro",
	"shared",
	"rshared",
	"slave",
	"rslave",
	"helper",
	"uhelper",
	"noauto",
	"_netdev",
	"source",
	"device",
	"logdev",
	"rtdev",
	"journal_dev",
	"journal_path",
};

/* In mkfs options: the same. Mostly parts of longer words ("-Jdevice=…", "-l logdev=…"). */
static const char *const refused_parts[] = { "/", "device=", "logdev", "rtdev",
	"name=", "file=", "UUID=", "LABEL=" };

/* Single options that read or write another file. */
static const struct {
	const char *fs;
	const char *letters;
} refused_letters[] = {
	{ "ext2", "dzlSn" },
	{ "ext3", "dzlSn" },
	{ "ext4", "dzlSn" },
	{ "xfs", "pNc" },
	{ "btrfs", "r" },
};

#define LENGTH(table) (sizeof(table) / sizeof((table)[0]))

static const struct maker *find_maker(const struct lab_spec *spec)
{
	for (unsigned i = 0; i < LENGTH(maker_table); i++)
		if (strcmp(maker_table[i].fs, spec->fs) == 0)
			return &maker_table[i];
	return NULL;
}

static int refuse(const char *text, struct error *err, const char *why)
{
	char shown[SHOWN_MAX];

	return error_set(err, -EINVAL, "%s: %s", text_quote(shown, sizeof(shown), text), why);
}

/* The part from @from up to one of @ends into @out; false: it does not fit. */
static bool take_part(char *out, size_t size, const char *from, size_t length)
{
	if (length >= size)
		return false;
	memcpy(out, from, length);
	out[length] = '\0';
	return true;
}

static bool is_refused_option(const char *option, size_t length)
{
	if (length >= 2 && (option[0] == 'x' || option[0] == 'X') && option[1] == '-')
		return true;
	for (unsigned i = 0; i < LENGTH(refused_options); i++)
		if (strlen(refused_options[i]) == length &&
		        strncmp(refused_options[i], option, length) == 0)
			return true;
	return false;
}

static int check_mount_options(const char *text, const char *options, struct error *err)
{
	char shown[SHOWN_MAX], word[WORD_MAX];

	if (strchr(options, '/') != NULL)
		return refuse(text, err,
		        "mount options that name a file or device are not for the lab: it uses "
		        "images of its own only");
	while (*options != '\0') {
		size_t length = strcspn(options, ","), name = strcspn(options, ",=");

		if (name == 0)
			return refuse(text, err, "an empty mount option between two commas");
		if (is_refused_option(options, name))
			return error_set(err, -EINVAL,
			        "%s: mount option '%s' is not for the lab, which mounts its own "
			        "images read-write",
			        text_quote(shown, sizeof(shown), text),
			        text_print(word, sizeof(word), "%.*s", (int)name, options));
		options += length;
		if (options[0] == ',' && options[1] == '\0')
			return refuse(text, err, "the mount options end with a comma");
		options += options[0] == ',';
	}
	return 0;
}

static bool is_refused_letter(const char *fs, const char *word)
{
	if (word[0] != '-' || word[1] == '\0')
		return false;
	for (unsigned i = 0; i < LENGTH(refused_letters); i++)
		if (strcmp(refused_letters[i].fs, fs) == 0 &&
		        strchr(refused_letters[i].letters, word[1]) != NULL)
			return true;
	/* btrfs --rootdir, --reflink, … read other files. */
	return strncmp(word, "--root", 6) == 0;
}

static int check_mkfs_options(const char *text, const struct lab_spec *spec, struct error *err)
{
	char copy[SPEC_MKFS_MAX], shown[SHOWN_MAX];
	char *rest = NULL;

	memcpy(copy, spec->mkfs_options, sizeof(copy));
	for (char *word = strtok_r(copy, " ", &rest); word != NULL;
	        word = strtok_r(NULL, " ", &rest)) {
		bool is_bad = is_refused_letter(spec->fs, word);

		for (unsigned i = 0; i < LENGTH(refused_parts); i++)
			is_bad |= strstr(word, refused_parts[i]) != NULL;
		if (is_bad)
			return error_set(err, -EINVAL,
			        "%s: mkfs option '%s' is not for the lab: it may name no file or "
			        "device, and makes real file systems on images of its own",
			        text_quote(shown, sizeof(shown), text), word);
	}
	if (copy[strspn(copy, " ")] == '\0')
		return refuse(text, err, "no mkfs options behind '+'; leave the '+' out");
	return 0;
}

/* A type is the end of a program's name (mkfs.X) and goes to the kernel: nothing odd. */
static int read_fs(struct lab_spec *spec, const char *text, const char *word, struct error *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                              "0123456789_-";
	size_t length = strcspn(word, ":+");

	if (length == 0)
		return refuse(text, err,
		        "no type of file system; write [LABEL=]FS[:MOUNTOPTIONS][+MKFSOPTIONS], "
		        "as in ext3:data=journal");
	if (strspn(word, allowed) < length || word[0] == '-')
		return refuse(text, err,
		        word[strcspn(word, "/:+")] == '/'
		                ? "not a type of file system; the lab takes types (ext4, xfs), "
		                  "directories are for fsderby without 'lab'"
		                : "not a type of file system; it is letters and digits, as in "
		                  "ext4 (MOUNTOPTIONS follow a ':', MKFSOPTIONS a '+')");
	if (!take_part(spec->fs, sizeof(spec->fs), word, length))
		return refuse(text, err, "a type of file system is not that long");
	return 0;
}

static int read_options(
        struct lab_spec *spec, const char *text, const char *options, struct error *err)
{
	int code = 0;

	if (options[0] == ':') {
		size_t length = strcspn(++options, "+");

		if (length == 0)
			return refuse(text, err, "no mount options behind ':'; leave the ':' out");
		if (!take_part(spec->mount_options, sizeof(spec->mount_options), options, length))
			return refuse(text, err, "the mount options are too long");
		code = check_mount_options(text, spec->mount_options, err);
		options += length;
	}
	if (code < 0 || options[0] == '\0')
		return code;
	if (lab_spec_is_memory(spec))
		return refuse(text, err, "tmpfs is not made by mkfs; leave out what follows '+'");
	if (!take_part(spec->mkfs_options, sizeof(spec->mkfs_options), options + 1,
	            strlen(options + 1)))
		return refuse(text, err, "the mkfs options are too long");
	return check_mkfs_options(text, spec, err);
}

static int read_label(struct lab_spec *spec, const char *text, const char **word, struct error *err)
{
	size_t length = strcspn(text, "/:=+");

	spec->is_label_given = text[length] == '=';
	if (spec->is_label_given && length == 0)
		return refuse(text, err, "empty label; write LABEL=FS or FS");
	*word = spec->is_label_given ? text + length + 1 : text;
	if (!spec->is_label_given)
		length = strlen(text);
	if (!take_part(spec->label, sizeof(spec->label), text, length))
		return refuse(text, err,
		        spec->is_label_given ? "a label has at most 63 bytes; shorten it"
		                             : "too long to be its own label (63 bytes); give it "
		                               "one: LABEL=FS…");
	return 0;
}

static bool has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}

int lab_spec_parse(struct lab_spec *spec, const char *text, struct error *err)
{
	struct lab_command command;
	const char *word = text;
	int code;

	*spec = (struct lab_spec){ 0 };
	if (has_control(text))
		return refuse(text, err, "control characters have no place here");
	code = read_label(spec, text, &word, err);
	if (code == 0)
		code = read_fs(spec, text, word, err);
	if (code == 0)
		code = read_options(spec, text, word + strcspn(word, ":+"), err);
	if (code == 0 && lab_spec_command(spec, &command, NULL) < 0)
		code = refuse(text, err, "too many mkfs options");
	return code;
}

int lab_spec_add_mkfs(struct lab_spec *spec, const char *options, struct error *err)
{
	struct lab_command command;
	int code;

	if (spec->mkfs_options[0] != '\0' || lab_spec_is_memory(spec))
		return 0;
	if (!take_part(spec->mkfs_options, sizeof(spec->mkfs_options), options, strlen(options)))
		return refuse(options, err, "the mkfs options are too long");
	code = check_mkfs_options(options, spec, err);
	if (code == 0 && lab_spec_command(spec, &command, NULL) < 0)
		code = refuse(options, err, "too many mkfs options");
	return code < 0 ? code : 1;
}

static bool is_label_taken(const struct lab_spec *specs, unsigned n, const struct lab_spec *spec)
{
	for (unsigned i = 0; i < n; i++)
		if (&specs[i] != spec && strcmp(specs[i].label, spec->label) == 0)
			return true;
	return false;
}

int lab_spec_label_all(struct lab_spec *specs, unsigned n, struct error *err)
{
	char shown[SHOWN_MAX];

	for (unsigned i = 0; i < n; i++)
		for (unsigned other = 0; other < i && specs[i].is_label_given; other++)
			if (specs[other].is_label_given &&
			        strcmp(specs[i].label, specs[other].label) == 0)
				return error_set(err, -EEXIST,
				        "label %s is given twice; give each its own",
				        text_quote(shown, sizeof(shown), specs[i].label));
	for (unsigned i = 0; i < n; i++) {
		char base[TARGET_LABEL_MAX - 4];

		text_print(base, sizeof(base), "%s", specs[i].label);
		/* The first of its kind keeps it: later ones meet it, given ones always do. */
		for (unsigned number = 2; !specs[i].is_label_given; number++) {
			bool is_taken = is_label_taken(specs, i, &specs[i]);

			for (unsigned k = i + 1; k < n; k++)
				is_taken |= specs[k].is_label_given &&
				            strcmp(specs[k].label, specs[i].label) == 0;
			if (!is_taken)
				break;
			text_print(specs[i].label, sizeof(specs[i].label), "%s-%u", base, number);
		}
	}
	return 0;
}

bool lab_spec_is_memory(const struct lab_spec *spec)
{
	return strcmp(spec->fs, "tmpfs") == 0;
}

static int add_word(struct lab_command *command, size_t *used, const char *word)
{
	size_t length = strlen(word) + 1;

	if (command->n == SPEC_WORDS_MAX - 2 || *used + length > sizeof(command->bytes))
		return -E2BIG;
	command->words[command->n] = command->bytes + *used;
	memcpy(command->words[command->n++], word, length);
	*used += length;
	return 0;
}

static void append(char *out, size_t size, const char *divider, const char *word)
{
	size_t length = strlen(out);

	text_print(out + length, size - length, "%s%s", length > 0 ? divider : "", word);
}

/* mke2fs takes the last -E only: the values of the user's come out of @list, to join ours. */
static void split_extended(
        const char *list, char plain[SPEC_MKFS_MAX], char extended[SPEC_MKFS_MAX])
{
	char copy[SPEC_MKFS_MAX];
	char *rest = NULL;

	plain[0] = extended[0] = '\0';
	text_print(copy, sizeof(copy), "%s", list);
	for (char *word = strtok_r(copy, " ", &rest); word != NULL;
	        word = strtok_r(NULL, " ", &rest)) {
		bool is_extended = strncmp(word, "-E", 2) == 0;
		char *value = is_extended ? word + 2 : NULL;

		if (is_extended && *value == '\0')
			value = strtok_r(NULL, " ", &rest);
		if (value != NULL)
			append(extended, SPEC_MKFS_MAX, ",", value);
		else
			append(plain, SPEC_MKFS_MAX, " ", word);
	}
}

static int add_words(struct lab_command *command, size_t *used, const char *list)
{
	char copy[SPEC_COMMAND_MAX];
	char *rest = NULL;
	int code = 0;

	text_print(copy, sizeof(copy), "%s", list);
	for (char *word = strtok_r(copy, " ", &rest); word != NULL && code == 0;
	        word = strtok_r(NULL, " ", &rest))
		code = add_word(command, used, word);
	return code;
}

int lab_spec_command(const struct lab_spec *spec, struct lab_command *command, struct error *err)
{
	const struct maker *maker = find_maker(spec);
	char ours[SPEC_COMMAND_MAX], plain[SPEC_MKFS_MAX], extended[SPEC_MKFS_MAX] = "";
	size_t used = 0;
	int code;

	*command = (struct lab_command){ .n = 0 };
	text_print(ours, sizeof(ours), "mkfs.%s %s", spec->fs, maker != NULL ? maker->words : "");
	text_print(plain, sizeof(plain), "%s", spec->mkfs_options);
	if (maker != NULL && maker->inode_bytes != 0)
		split_extended(spec->mkfs_options, plain, extended);
	if (extended[0] != '\0')
		append(ours, sizeof(ours), ",", extended); /* our -E list is the last word */
	code = add_words(command, &used, ours);
	if (code == 0)
		code = add_words(command, &used, plain);
	if (code < 0)
		return error_set(err, code, "mkfs.%s: too many options", spec->fs);
	return 0;
}

char *lab_command_print(const struct lab_command *command, char *out, size_t size)
{
	size_t length = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < command->n; i++) {
		text_print(
		        out + length, size - length, "%s%s", i > 0 ? " " : "", command->words[i]);
		length += strlen(out + length);
	}
	return out;
}

uint64_t lab_spec_least_bytes(const struct lab_spec *spec)
{
	const struct maker *maker = find_maker(spec);

	return (maker != NULL && maker->least_mib > 0 ? maker->least_mib : LEAST_MIB) * MIB;
}

unsigned lab_spec_inode_bytes(const struct lab_spec *spec)
{
	const struct maker *maker = find_maker(spec);

	return maker != NULL ? maker->inode_bytes : 0;
}

uint64_t lab_spec_image_bytes(const struct lab_spec *spec, uint64_t bytes, uint64_t inodes)
{
	uint64_t needed = bytes + bytes / 2 + SPARE_MIB * MIB, least = lab_spec_least_bytes(spec);
	/* One in twenty more: groups are rounded, some inodes are the file system's own. */
	uint64_t for_inodes = (inodes + inodes / 20) * lab_spec_inode_bytes(spec);

	needed = needed > for_inodes ? needed : for_inodes;
	needed = needed > least ? needed : least;
	return (needed + ROUND_MIB * MIB - 1) / (ROUND_MIB * MIB) * (ROUND_MIB * MIB);
}
