/*
 * Mounted images. See images.h.
 */
#include "images.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "place.h"
#include "program.h"

enum { MOUNTS_MAX = 8, NAME_BYTES = 32, DEVICE_BYTES = 32, WORDS_MAX = 16 };

static const char *const tools[] = { "mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "mount" };

/* Written by images_prepare, images_mount* and images_release only. */
static bool is_private;
static struct {
	char name[NAME_BYTES], device[DEVICE_BYTES];
} mounts[MOUNTS_MAX];
static unsigned n_mounts;

void images_prepare(void)
{
	is_private = geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
	             mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static bool skip(const char *test, const char *why)
{
	printf("\n    skipped: %s: %s\n    ", test, why);
	return false;
}

bool images_may_mount(const char *test)
{
	if (geteuid() != 0)
		return skip(test, "mounting needs root");
	return is_private || skip(test, "no mount namespace of its own can be made");
}

bool images_are_possible(const char *test)
{
	char why[64];

	if (!images_may_mount(test))
		return false;
	if (access("/dev/loop-control", R_OK | W_OK) != 0)
		return skip(test, "no loop devices");
	for (unsigned i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!program_has_tool(tools[i]))
			return skip(test, text_print(why, sizeof(why), "no %s", tools[i]));
	return true;
}

const char *images_path(const char *name)
{
	return place_path("mnt/%s", name);
}

/* The device mounted on @path, by the kernel's own list (proc(5)). */
static void find_device(const char *path, char *out, size_t size)
{
	FILE *file = fopen("/proc/self/mounts", "r");
	char source[256], target[1024], line[4096];

	out[0] = '\0';
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "%255s %1023s", source, target) == 2 && strcmp(target, path) == 0)
			text_print(out, size, "%s",
			        strncmp(source, "/dev/", 5) == 0 ? source + 5 : "");
	if (file != NULL)
		fclose(file);
}

static void note_mount(const char *name)
{
	text_print(mounts[n_mounts].name, NAME_BYTES, "%s", name);
	find_device(images_path(name), mounts[n_mounts].device, DEVICE_BYTES);
	n_mounts++;
}

static void make_folder(const char *name)
{
	if (!place_exists(place_path("mnt")))
		place_make(place_path("mnt"));
	place_make(images_path(name));
}

static bool make_image(
        const char *image, const char *kind, unsigned size_mib, const char *const *options)
{
	const char *words[WORDS_MAX + 3] = { NULL };
	char tool[32];
	unsigned n = 0;
	int fd = open(image, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool made = fd >= 0 && ftruncate(fd, (off_t)size_mib << 20) == 0;

	if (fd >= 0)
		close(fd);
	words[n++] = text_print(tool, sizeof(tool), "mkfs.%s", kind);
	words[n++] = "-q";
	for (; options != NULL && *options != NULL && n < WORDS_MAX; options++)
		words[n++] = *options;
	words[n] = image;
	return EXPECT(made, "%s: %s", image, strerror(errno)) &&
	       EXPECT(program_tool(words) == 0, "%s fails", tool);
}

bool images_mount(const char *name, const char *kind, unsigned size_mib, const char *const *options)
{
	const char *image = place_path("%s.img", name);
	bool mounted;

	CU_ASSERT_FATAL(n_mounts < MOUNTS_MAX);
	make_folder(name);
	/* mount makes the loop device one that clears itself. */
	mounted = make_image(image, kind, size_mib, options) &&
	          EXPECT(program_tool(ARGUMENTS("mount", "-o", "loop", image, images_path(name))) ==
	                          0,
	                  "cannot mount %s", name);
	unlink(image);
	if (!mounted)
		return false;
	note_mount(name);
	return EXPECT(strncmp(images_device(name), "loop", 4) == 0, "%s lies on '%s'", name,
	        images_device(name));
}

bool images_mount_tmpfs(const char *name, const char *options, bool read_only)
{
	CU_ASSERT_FATAL(n_mounts < MOUNTS_MAX);
	make_folder(name);
	if (!EXPECT(mount("fsderby-test", images_path(name), "tmpfs", read_only ? MS_RDONLY : 0,
	                    options) == 0,
	            "tmpfs: %s", strerror(errno)))
		return false;
	note_mount(name);
	return true;
}

const char *images_device(const char *name)
{
	for (unsigned i = 0; i < n_mounts; i++)
		if (strcmp(mounts[i].name, name) == 0)
			return mounts[i].device;
	return "";
}

void images_release(void)
{
	while (n_mounts > 0)
		umount2(images_path(mounts[--n_mounts].name), MNT_DETACH);
}
