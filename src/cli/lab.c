/*
 * The lab on the command line: reading SPECs, telling what is made. Main thread.
 */
#include "cli/lab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/message.h"
#include "core/text.h"
#include "measure/clock.h"

/* Between two signs of progress: on a terminal, and as lines in a log. */
#define SHOWN_NS  (CLOCK_SECOND_NS / 10)
#define LOGGED_NS (CLOCK_SECOND_NS * 5)

struct teller {
	bool is_quiet; /* standard error is for JSON */
	bool is_terminal;
	bool has_line;    /* a line of progress stands there */
	uint64_t told_ns; /* the last sign of progress */
};

void lab_print_help(void)
{
	printf("usage: fsderby lab [OPTIONS] SPEC...\n"
	       "       SPEC: [LABEL=]FS[:MOUNTOPTIONS][+MKFSOPTIONS]\n"
	       "\n"
	       "Run on file systems that are made for it, and gone afterwards: on images of one\n"
	       "size, written once from end to end, behind loop devices with direct I/O, in a "
	       "mount\n"
	       "namespace of their own. Needs root. They are made anew before each set and, with\n"
	       "--cold, remounted before each reading phase. Nothing but these images is touched,\n"
	       "and whatever ends the program leaves no mount, no loop device and no file.\n"
	       "\n"
	       "FS is any type that has a mkfs.FS and a driver in this kernel, or tmpfs; what is\n"
	       "missing is told and left out. MOUNTOPTIONS are divided by commas, MKFSOPTIONS by\n"
	       "blanks. LABEL defaults to the SPEC.\n"
	       "\n"
	       "  fsderby lab ext4 xfs btrfs\n"
	       "  fsderby lab --cold ext2 ext3:data=journal ext3:data=writeback ext4 xfs tmpfs\n"
	       "  fsderby lab -w mongo -n 5 plain=btrfs zstd=btrfs:compress=zstd -o race.json\n"
	       "  fsderby lab --on /srv/disk --size 4G ext4 'nojournal=ext4+-O ^has_journal'\n"
	       "\n"
	       "options:\n");
	options_print_help(OPTIONS_LAB, stdout);
	printf("\nExit status as for a run; 2 also where none of the file systems can be made.\n");
}

static void clear_line(struct teller *teller)
{
	if (teller->has_line)
		fputs("\r\033[K", stderr);
	teller->has_line = false;
}

static void show_underway(struct teller *teller, const char *line)
{
	uint64_t now = clock_now_ns();
	char safe[ERROR_TEXT_MAX];

	if (now - teller->told_ns < (teller->is_terminal ? SHOWN_NS : LOGGED_NS))
		return;
	teller->told_ns = now;
	if (!teller->is_terminal) {
		message_print("%s", line);
		return;
	}
	clear_line(teller);
	fprintf(stderr, "fsderby: %s", text_sanitize(safe, sizeof(safe), line));
	fflush(stderr);
	teller->has_line = true;
}

static void tell(void *context, enum lab_news news, const char *line)
{
	struct teller *teller = context;

	if (teller->is_quiet && news != LAB_LEFT_OUT)
		return;
	if (news == LAB_UNDERWAY) {
		show_underway(teller, line);
		return;
	}
	clear_line(teller);
	message_print("%s", line);
}

/* Prints a line for each bad one; NULL where there was any. */
static struct lab_spec *parse_specs(const struct options *options, struct error *err)
{
	struct lab_spec *specs = calloc(options->n_targets, sizeof(*specs));
	unsigned n_bad = 0;

	if (specs == NULL) {
		error_errno(err, -ENOMEM, "lab");
		return NULL;
	}
	for (unsigned i = 0; i < options->n_targets; i++) {
		struct error why = { 0 };

		if (lab_spec_parse(&specs[i], options->targets[i], &why) < 0) {
			message_print("%s", why.text);
			n_bad++;
		}
	}
	if (n_bad > 0)
		error_set(err, -EINVAL, "%s", "");
	else if (lab_spec_label_all(specs, options->n_targets, err) == 0)
		return specs;
	free(specs);
	return NULL;
}

/* What the profile wants of mkfs, and what is different from what it is named after. */
static int apply_profile(const struct config *config, const struct options *options,
        struct lab_spec *specs, struct error *err)
{
	unsigned n_taken = 0;

	for (unsigned i = 0; i < options->n_targets; i++) {
		const char *words = profile_mkfs_options(&config->lab, specs[i].fs);
		int code = words != NULL ? lab_spec_add_mkfs(&specs[i], words, err) : 0;

		if (code < 0)
			return error_context(
			        err, "profile %s: [lab] %s", config->profile, specs[i].fs);
		n_taken += (unsigned)code;
	}
	if (n_taken > 0 && config->lab.note[0] != '\0' && !options->progress_json)
		message_print("profile %s: %s", config->profile, config->lab.note);
	return 0;
}

int lab_prepare(struct lab **lab, struct config *config, const struct options *options,
        const char *const *used, struct error *err)
{
	struct teller teller = {
		.is_quiet = options->progress_json,
		.is_terminal = isatty(STDERR_FILENO) == 1,
		.told_ns = clock_now_ns(),
	};
	struct lab_wishes wishes = {
		.n_specs = options->n_targets,
		.directory = options->lab_directory,
		.bytes = options->lab_bytes,
		.is_visible = options->lab_is_visible,
		.used = used,
		.tell = tell,
		.context = &teller,
	};
	struct lab_spec *specs = parse_specs(options, err);
	int code;

	*lab = NULL;
	if (specs == NULL)
		return err->code;
	wishes.specs = specs;
	code = apply_profile(config, options, specs, err);
	if (code == 0)
		code = lab_new(lab, &wishes, &config->run, err);
	clear_line(&teller);
	free(specs);
	if (code == 0 && config_probe_targets(config) < 0) {
		lab_free(*lab);
		*lab = NULL;
		code = error_set(err, -EIO, "%s", "");
	}
	return code;
}
