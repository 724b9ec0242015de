/*
 * Making, renewing and unmaking the lab's file systems. See lab.h.
 */
#include "lab/lab.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "core/units.h"
#include "engine/managed.h"
#include "lab/image.h"
#include "lab/mounter.h"
#include "lab/place.h"

#define MIB (UINT64_C(1) << 20)

enum { LINE_MAX_BYTES = 1024, BLOCK_BYTES = 4096 };

/* One file system. */
struct member {
	struct managed managed;
	const struct lab *lab;
	struct lab_spec spec;
	struct lab_image image; /* loop_fd -1: none (tmpfs, not made) */
	char path[PATH_MAX];    /* the mount point */
	char program[PATH_MAX]; /* mkfs */
	char driver[32];
	uint64_t memory_bytes; /* tmpfs: its limit */
	bool has_point;        /* the mount point exists */
	bool is_mounted;
	bool allows_discard; /* its driver has no nodiscard */
};

struct lab {
	struct lab_place place;
	struct lab_wishes wishes; /* while it is being made */
	struct member members[TARGETS_MAX];
	unsigned n;
	const struct member *underway; /* for the progress of its image */
};

bool lab_is_interrupted(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action;
	sigset_t pending;

	if (sigpending(&pending) != 0)
		return false;
	for (unsigned i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (sigismember(&pending, ending[i]) == 1 &&
		        sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			return true;
	return false;
}

static void tell(const struct lab *lab, enum lab_news news, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static void tell(const struct lab *lab, enum lab_news news, const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	va_list args;

	va_start(args, format);
	text_print_args(line, sizeof(line), format, args);
	va_end(args);
	lab->wishes.tell(lab->wishes.context, news, line);
}

/* The device's driver keeps a folder for each mount, whatever the mount's type is called. */
static void find_driver(struct member *member)
{
	char path[64];

	if (strcmp(member->spec.fs, "ext4") == 0 || member->image.loop_fd < 0)
		return;
	text_print(path, sizeof(path), "/proc/fs/ext4/%s", member->image.device + 5);
	if (access(path, F_OK) == 0)
		text_print(member->driver, sizeof(member->driver), "ext4");
}

static int mount_member(struct member *member, struct error *err)
{
	bool is_memory = lab_spec_is_memory(&member->spec);
	const char *device = is_memory ? NULL : member->image.device;
	char ours[64] = "nodiscard";
	int code;

	if (is_memory)
		text_print(ours, sizeof(ours), "size=%" PRIu64, member->memory_bytes);
	else if (member->allows_discard)
		ours[0] = '\0';
	code = lab_mount(&member->spec, device, member->path, ours, err);
	if (code == -EINVAL && !is_memory && !member->allows_discard) {
		code = lab_mount(&member->spec, device, member->path, "", err);
		member->allows_discard = code == 0;
	}
	member->is_mounted = code == 0;
	if (code == 0)
		find_driver(member);
	return code;
}

static int unmount_member(struct member *member, struct error *err)
{
	int code;

	if (!member->is_mounted)
		return 0;
	code = lab_place_unmount(member->path);
	if (code == -EBUSY)
		return error_set(err, code,
		        "%s cannot be unmounted: some process works in it or looks at it",
		        member->path);
	if (code < 0)
		return error_errno(err, code, "unmount %s", member->path);
	member->is_mounted = false;
	if (member->image.loop_fd >= 0)
		lab_image_forget(&member->image);
	return 0;
}

static struct member *member_of(struct managed *managed)
{
	return (struct member *)((char *)managed - offsetof(struct member, managed));
}

static int make_fresh(struct managed *managed, struct error *err)
{
	struct member *member = member_of(managed);
	int code = unmount_member(member, err);

	if (code == 0 && !lab_spec_is_memory(&member->spec))
		code = lab_make_file_system(&member->spec, member->program, &member->image, err);
	return code == 0 ? mount_member(member, err) : code;
}

static int remount(struct managed *managed, struct error *err)
{
	struct member *member = member_of(managed);
	int code;

	if (lab_spec_is_memory(&member->spec))
		return 0; /* its memory is all there is of it */
	code = unmount_member(member, err);
	return code == 0 ? mount_member(member, err) : code;
}

static void release_member(struct member *member)
{
	if (member->is_mounted && lab_place_unmount(member->path) < 0)
		umount2(member->path, MNT_DETACH | UMOUNT_NOFOLLOW);
	member->is_mounted = false;
	lab_image_release(&member->image);
	if (member->has_point)
		rmdir(member->path);
	member->has_point = false;
}

/* One line that names all that is missing. */
static bool can_make(struct lab *lab, struct member *member)
{
	const char *fs = member->spec.fs;
	char program[48], missing[128] = "";
	bool has_program = true, has_kernel = lab_kernel_has(fs, lab->place.path);

	text_print(program, sizeof(program), "mkfs.%s", fs);
	if (!lab_spec_is_memory(&member->spec))
		has_program = lab_find_program(program, member->program, sizeof(member->program));
	if (!has_program)
		text_print(missing, sizeof(missing),
		        "no %s in PATH or /usr/sbin (install its tools)%s", program,
		        has_kernel ? "" : ", and ");
	if (!has_kernel)
		text_print(missing + strlen(missing), sizeof(missing) - strlen(missing),
		        "this kernel has no %s", fs);
	if (missing[0] != '\0')
		tell(lab, LAB_LEFT_OUT, "%s is left out: %s", member->spec.label, missing);
	return missing[0] == '\0';
}

static int choose_members(struct lab *lab, struct error *err)
{
	for (unsigned i = 0; i < lab->wishes.n_specs; i++) {
		struct member *member = &lab->members[lab->n];

		*member = (struct member){
			.managed = { .fresh = make_fresh, .remount = remount },
			.lab = lab,
			.spec = lab->wishes.specs[i],
			.image = { .loop_fd = -1 },
		};
		text_print(member->path, sizeof(member->path), "%.80s/%u-%s", lab->place.path,
		        i + 1, member->spec.fs);
		if (can_make(lab, member))
			lab->n++;
	}
	return lab->n > 0 ? 0
	                  : error_set(err, -ENOENT, "none of these file systems can be made here");
}

/* What is known before there is a file system; target_probe finds the rest. */
static void fill_target(const struct member *member, unsigned index, struct target *target)
{
	*target = (struct target){ .fd = -1, .dev = index + 1, .block_bytes = BLOCK_BYTES };
	text_print(target->label, sizeof(target->label), "%s", member->spec.label);
	text_print(target->path, sizeof(target->path), "%s", member->path);
	text_print(target->fs, sizeof(target->fs), "%s", member->spec.fs);
	target->inodes = lab_spec_inode_bytes(&member->spec) != 0;
}

static uint64_t available_memory(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kib = UINT64_MAX >> 10;
	char line[128];

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return kib << 10;
}

static void check_memory(const struct lab *lab, const struct member *member, uint64_t bytes)
{
	char needed[UNITS_TEXT_MAX], has[UNITS_TEXT_MAX];

	if (!lab_spec_is_memory(&member->spec) || bytes <= available_memory())
		return;
	tell(lab, LAB_LEFT_OUT,
	        "%s: needs %s MiB of memory for this load, %s MiB are available; it may fail or "
	        "swap",
	        member->spec.label, units_format_grouped(needed, bytes / MIB),
	        units_format_grouped(has, available_memory() / MIB));
}

/* The largest that one of them needs: all get the same. */
static int choose_size(
        struct lab *lab, struct run_config *config, uint64_t *bytes, struct error *err)
{
	struct run_plan *plan = calloc(1, sizeof(*plan));
	int code;

	if (plan == NULL)
		return error_errno(err, -ENOMEM, "plan");
	config->n_targets = lab->n;
	for (unsigned i = 0; i < lab->n; i++)
		fill_target(&lab->members[i], i, &config->targets[i]);
	code = run_plan(config, plan, err);
	config->n_targets = 0;
	*bytes = 0;
	for (unsigned i = 0; i < lab->n && code == 0; i++) {
		const struct cost *cost = &plan->targets[i].cost;
		uint64_t needed =
		        lab_spec_image_bytes(&lab->members[i].spec, cost->bytes, cost->inodes);

		*bytes = needed > *bytes ? needed : *bytes;
		check_memory(lab, &lab->members[i], cost->bytes);
	}
	free(plan);
	if (code == 0 && lab->wishes.bytes != 0)
		*bytes = (lab->wishes.bytes + MIB - 1) / MIB * MIB;
	return code;
}

static int check_size(const struct lab *lab, uint64_t bytes, struct error *err)
{
	char least[UNITS_TEXT_MAX], has[UNITS_TEXT_MAX];

	for (unsigned i = 0; i < lab->n; i++) {
		const struct lab_spec *spec = &lab->members[i].spec;

		if (bytes < lab_spec_least_bytes(spec))
			return error_set(err, -EINVAL,
			        "option --size: %s MiB are too small for %s, which needs %s MiB; "
			        "make it larger, or leave --size out",
			        units_format_grouped(has, bytes / MIB), spec->fs,
			        units_format_grouped(least, lab_spec_least_bytes(spec) / MIB));
	}
	return 0;
}

static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	const struct lab *lab = context;
	const struct member *member = lab->underway;

	tell(lab, LAB_UNDERWAY, "writing image %u of %u (%s): %" PRIu64 " of %" PRIu64 " MiB",
	        (unsigned)(member - lab->members) + 1, lab->n, member->spec.label, done / MIB,
	        total / MIB);
	return lab_is_interrupted();
}

static int make_member(struct lab *lab, struct member *member, uint64_t bytes, struct error *err)
{
	struct lab_progress progress = { .report = show_progress, .context = lab };
	int code = 0;

	lab->underway = member;
	if (mkdir(member->path, 0755) != 0)
		return error_errno(err, -errno, "mkdir %s", member->path);
	member->has_point = true;
	member->memory_bytes = bytes;
	if (!lab_spec_is_memory(&member->spec)) {
		code = lab_image_make(&member->image, lab->wishes.directory, bytes, &progress, err);
		if (code == 0)
			tell(lab, LAB_UNDERWAY, "making %s", member->spec.label);
	}
	return code == 0 ? make_fresh(&member->managed, err) : code;
}

static char *print_mkfs(const struct member *member, char *out, size_t size)
{
	struct lab_command command;

	out[0] = '\0';
	if (!lab_spec_is_memory(&member->spec) &&
	        lab_spec_command(&member->spec, &command, NULL) == 0)
		lab_command_print(&command, out, size);
	return out;
}

static void tell_made(const struct lab *lab, const struct member *member)
{
	const char *options = member->spec.mount_options;
	const char *before = member->allows_discard ? "" : "nodiscard";
	char mkfs[SPEC_COMMAND_MAX], size[UNITS_TEXT_MAX];

	if (lab_spec_is_memory(&member->spec)) {
		tell(lab, LAB_DONE, "%s: in memory, at most %s%s%s, on %s", member->spec.label,
		        units_format_bytes(size, (double)member->memory_bytes),
		        options[0] != '\0' ? ", -o " : "", options, member->path);
		return;
	}
	tell(lab, LAB_DONE, "%s: %s; mounted%s%s%s%s on %s; %s, %s%s%s", member->spec.label,
	        print_mkfs(member, mkfs, sizeof(mkfs)),
	        before[0] != '\0' || options[0] != '\0' ? " -o " : "", before,
	        before[0] != '\0' && options[0] != '\0' ? "," : "", options, member->path,
	        member->image.device,
	        member->image.is_direct ? "direct I/O" : "loop cached: the host caches it too",
	        member->driver[0] != '\0' ? "; driver " : "", member->driver);
}

static int make_all(struct lab *lab, uint64_t bytes, struct error *err)
{
	unsigned n_images = 0;
	char size[UNITS_TEXT_MAX];
	int code = check_size(lab, bytes, err);

	for (unsigned i = 0; i < lab->n; i++)
		n_images += !lab_spec_is_memory(&lab->members[i].spec);
	if (code == 0 && n_images > 0)
		code = lab_image_check_place(lab->wishes.directory, n_images, bytes, err);
	if (code == 0 && n_images > 0)
		tell(lab, LAB_DONE, "making %u image%s of %s MiB in %s, unnamed", n_images,
		        n_images == 1 ? "" : "s", units_format_grouped(size, bytes / MIB),
		        lab->wishes.directory);
	for (unsigned i = 0; i < lab->n && code == 0; i++) {
		struct member *member = &lab->members[i];
		struct error why = { 0 };
		int made = make_member(lab, member, bytes, &why);

		if (made == -EINTR || lab_is_interrupted()) {
			code = error_set(err, -EINTR, "interrupted: nothing was started");
		} else if (made < 0) {
			tell(lab, LAB_LEFT_OUT, "%s is left out: %s", member->spec.label, why.text);
			release_member(member);
		} else {
			tell_made(lab, member);
		}
	}
	return code;
}

static int fill_targets(struct lab *lab, struct run_config *config, struct error *err)
{
	for (unsigned i = 0; i < lab->n; i++) {
		struct member *member = &lab->members[i];
		struct target *target = &config->targets[config->n_targets];

		if (!member->is_mounted)
			continue;
		fill_target(member, i, target);
		target->managed = &member->managed;
		target->image_bytes = member->image.loop_fd >= 0 ? member->image.bytes : 0;
		print_mkfs(member, target->mkfs, sizeof(target->mkfs));
		memcpy(target->driver, member->driver, sizeof(target->driver));
		config->n_targets++;
	}
	return config->n_targets > 0 ? 0 : error_set(err, -EIO, "no file system could be made");
}

int lab_new(struct lab **out, const struct lab_wishes *wishes, struct run_config *config,
        struct error *err)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	uint64_t bytes = 0;
	int code;

	*out = NULL;
	if (lab == NULL)
		return error_errno(err, -ENOMEM, "lab");
	lab->wishes = *wishes;
	lab->place.lock_fd = -1;
	code = lab_place_init(&lab->place, wishes->is_visible, wishes->used, err);
	if (code == 0)
		code = choose_members(lab, err);
	if (code == 0)
		code = choose_size(lab, config, &bytes, err);
	if (code == 0)
		code = make_all(lab, bytes, err);
	if (code == 0)
		code = fill_targets(lab, config, err);
	if (code < 0) {
		lab_free(lab);
		return code;
	}
	*out = lab;
	return 0;
}

void lab_free(struct lab *lab)
{
	if (lab == NULL)
		return;
	for (unsigned i = lab->n; i > 0; i--)
		release_member(&lab->members[i - 1]);
	lab_place_release(&lab->place);
	free(lab);
}
