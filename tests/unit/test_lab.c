/*
 * The lab without making anything: SPECs good and bad, their labels, the mkfs command, how large
 * images are, and where they may lie.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#include "lab/image.h"
#include "lab/mounter.h"
#include "lab/spec.h"

void suite_lab(void);

#define MIB (UINT64_C(1) << 20)
#define LONG_WORD                                                                                  \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
	"aaaa"                                                                                     \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static struct lab_spec spec;
static struct error err;

static const struct {
	const char *text, *label, *fs, *mount_options, *mkfs_options;
	bool is_label_given;
} good_table[] = {
	{ "ext4", "ext4", "ext4", "", "", false },
	{ "tmpfs", "tmpfs", "tmpfs", "", "", false },
	{ "tmpfs:size=1G", "tmpfs:size=1G", "tmpfs", "size=1G", "", false },
	{ "ext3:data=journal", "ext3:data=journal", "ext3", "data=journal", "", false },
	{ "j=ext3:data=journal", "j", "ext3", "data=journal", "", true },
	{ "btrfs:compress=zstd,noatime", "btrfs:compress=zstd,noatime", "btrfs",
	        "compress=zstd,noatime", "", false },
	{ "ext4+-O ^has_journal", "ext4+-O ^has_journal", "ext4", "", "-O ^has_journal", false },
	{ "no journal=ext4+-O ^has_journal", "no journal", "ext4", "", "-O ^has_journal", true },
	{ "x=ext4:data=writeback+-E stride=4 -m 0", "x", "ext4", "data=writeback",
	        "-E stride=4 -m 0", true },
	{ "xfs+-m reflink=0 -i size=1k", "xfs+-m reflink=0 -i size=1k", "xfs", "",
	        "-m reflink=0 -i size=1k", false },
	{ "ext4+-O a+b", "ext4+-O a+b", "ext4", "", "-O a+b", false },
	{ "ntfs-3g", "ntfs-3g", "ntfs-3g", "", "", false },
};

static void test_good(void)
{
	for (unsigned i = 0; i < sizeof(good_table) / sizeof(good_table[0]); i++) {
		err = (struct error){ 0 };
		if (lab_spec_parse(&spec, good_table[i].text, &err) != 0)
			printf("\n    %s: %s\n", good_table[i].text, err.text);
		CU_ASSERT_EQUAL(err.code, 0);
		CU_ASSERT_STRING_EQUAL(spec.label, good_table[i].label);
		CU_ASSERT_STRING_EQUAL(spec.fs, good_table[i].fs);
		CU_ASSERT_STRING_EQUAL(spec.mount_options, good_table[i].mount_options);
		CU_ASSERT_STRING_EQUAL(spec.mkfs_options, good_table[i].mkfs_options);
		CU_ASSERT_EQUAL(spec.is_label_given, good_table[i].is_label_given);
	}
}

/* A SPEC and a part of what is said about it. */
static const char *const bad_table[][2] = {
	{ "", "no type" },
	{ "=ext4", "empty label" },
	{ "a=", "no type" },
	{ ":data=journal", "no type" },
	{ "+-O x", "no type" },
	{ "a=b=ext4", "not a type" },
	{ "/mnt/a", "directories are for fsderby without 'lab'" },
	{ "a=/mnt/a", "directories" },
	{ "../ext4", "not a type" },
	{ "ext4/../x", "not a type" },
	{ "-q", "not a type" },
	{ "ext 4", "not a type" },
	{ "ext4 ", "not a type" },
	{ "ext4;reboot", "not a type" },
	{ "\xc3\xa4", "not a type" },
	{ "ext4\n", "control" },
	{ "ext4+-L a\tb", "control" },
	{ "ext4:", "no mount options" },
	{ "ext4:+-O x", "no mount options" },
	{ "ext4:,", "empty mount option" },
	{ "ext4:noatime,", "comma" },
	{ "ext4:noatime,,sync", "empty mount option" },
	{ "ext4:=1", "empty mount option" },
	{ "ext4:ro", "'ro'" },
	{ "ext4:noatime,ro", "'ro'" },
	{ "ext4:loop", "'loop'" },
	{ "ext4:offset=4096", "'offset'" },
	{ "ext4:bind", "'bind'" },
	{ "ext4:remount,noatime", "'remount'" },
	{ "ext4:x-mount.mkdir", "'x-mount.mkdir'" },
	{ "ext4:X-mount.subdir=a", "'X-mount.subdir'" },
	{ "ext4:journal_dev=0x801", "'journal_dev'" },
	{ "ext4:journal_path=/dev/sda1", "file or device" },
	{ "xfs:logdev=/dev/sda1", "file or device" },
	{ "xfs:logdev=sda1", "'logdev'" },
	{ "btrfs:device=/dev/sda1", "file or device" },
	{ "ext4+", "no mkfs options" },
	{ "ext4+  ", "no mkfs options" },
	{ "ext4+/dev/sda1", "'/dev/sda1'" },
	{ "ext4+-J device=/dev/sda1", "'device=/dev/sda1'" },
	{ "ext4+-J device=UUID=12", "device=UUID=12" },
	{ "ext4+-Jdevice=LABEL=a", "-Jdevice=LABEL=a" },
	{ "ext4+-d tree", "'-d'" },
	{ "ext4+-z undo", "'-z'" },
	{ "ext4+-n", "'-n'" },
	{ "xfs+-l logdev=/dev/sda1", "logdev" },
	{ "xfs+-r rtdev=sda", "rtdev" },
	{ "xfs+-d name=image", "name=image" },
	{ "xfs+-p proto", "'-p'" },
	{ "btrfs+--rootdir=etc", "--rootdir" },
	{ "btrfs+-r etc", "'-r'" },
	{ "tmpfs+-q", "not made by mkfs" },
	{ LONG_WORD "=ext4", "at most 63" },
	{ "ext4:" LONG_WORD, "give it one: LABEL=" },
	{ LONG_WORD, "give it one" },
	{ "a=" LONG_WORD, "not that long" },
	{ "a=ext4+" LONG_WORD, "mkfs options are too long" },
	{ "a=ext4+a b c d e f g h i j k l m n o p q r s t u v w x y z A B C D E F G H I J K L M N "
	  "O "
	  "P Q R S T U V W X Y Z 0 1 2 3 4 5 6 7 8 9",
	        "too many mkfs options" },
};

static void test_bad(void)
{
	for (unsigned i = 0; i < sizeof(bad_table) / sizeof(bad_table[0]); i++) {
		err = (struct error){ 0 };
		CU_ASSERT_TRUE(lab_spec_parse(&spec, bad_table[i][0], &err) < 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad_table[i][1]));
		if (strstr(err.text, bad_table[i][1]) == NULL)
			printf("\n    '%s': '%s'\n", bad_table[i][0], err.text);
	}
}

static void parse_all(struct lab_spec *specs, unsigned n, const char *const *texts)
{
	for (unsigned i = 0; i < n; i++)
		CU_ASSERT_EQUAL(lab_spec_parse(&specs[i], texts[i], &err), 0);
}

static void test_labels(void)
{
	static const char *const texts[] = { "ext4", "xfs", "ext4", "ext4", "ext4-2=xfs",
		"b=ext4" };
	static const char *const wanted[] = { "ext4", "xfs", "ext4-3", "ext4-4", "ext4-2", "b" };
	static const char *const taken[] = { "xfs", "xfs=ext4" };
	static const char *const twice[] = { "a=xfs", "ext4", "a=ext4" };
	struct lab_spec specs[6];

	parse_all(specs, 6, texts);
	CU_ASSERT_EQUAL(lab_spec_label_all(specs, 6, &err), 0);
	for (unsigned i = 0; i < 6; i++)
		CU_ASSERT_STRING_EQUAL(specs[i].label, wanted[i]);
	parse_all(specs, 2, taken);
	CU_ASSERT_EQUAL(lab_spec_label_all(specs, 2, &err), 0);
	CU_ASSERT_STRING_EQUAL(specs[0].label, "xfs-2");
	CU_ASSERT_STRING_EQUAL(specs[1].label, "xfs");
	parse_all(specs, 3, twice);
	CU_ASSERT_EQUAL(lab_spec_label_all(specs, 3, &err), -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "'a'"));
}

static const char *const command_table[][2] = {
	{ "ext2", "mkfs.ext2 -q -F -i 4096 -E "
	          "nodiscard,lazy_itable_init=0,lazy_journal_init=0" },
	{ "ext4+-m 0", "mkfs.ext4 -q -F -i 4096 -E "
	               "nodiscard,lazy_itable_init=0,lazy_journal_init=0 -m 0" },
	/* mke2fs takes the last -E only: ours must not get lost. */
	{ "ext4+-E stride=4 -m 0 -Estripe_width=8",
	        "mkfs.ext4 -q -F -i 4096 -E "
	        "nodiscard,lazy_itable_init=0,lazy_journal_init=0,stride=4,stripe_width=8 -m 0" },
	{ "xfs+-m reflink=0", "mkfs.xfs -q -K -m reflink=0" },
	{ "btrfs", "mkfs.btrfs -q -K" },
	{ "f2fs", "mkfs.f2fs" },
};

static void test_commands(void)
{
	struct lab_command command;
	char text[SPEC_COMMAND_MAX];

	for (unsigned i = 0; i < sizeof(command_table) / sizeof(command_table[0]); i++) {
		CU_ASSERT_EQUAL(lab_spec_parse(&spec, command_table[i][0], &err), 0);
		CU_ASSERT_EQUAL(lab_spec_command(&spec, &command, &err), 0);
		CU_ASSERT_PTR_NULL(command.words[command.n]);
		CU_ASSERT_STRING_EQUAL(
		        lab_command_print(&command, text, sizeof(text)), command_table[i][1]);
	}
}

static uint64_t image_bytes(const char *text, uint64_t bytes, uint64_t inodes)
{
	CU_ASSERT_EQUAL(lab_spec_parse(&spec, text, &err), 0);
	return lab_spec_image_bytes(&spec, bytes, inodes);
}

static void test_sizes(void)
{
	CU_ASSERT_EQUAL(image_bytes("ext4", 0, 0), 512 * MIB);
	CU_ASSERT_EQUAL(image_bytes("xfs", 0, 0), 512 * MIB);
	CU_ASSERT_EQUAL(image_bytes("ext4", 1000 * MIB, 10), 2012 * MIB);
	/* Whole 4 MiB. */
	CU_ASSERT_EQUAL(image_bytes("ext4", 1, 0), 516 * MIB);
	/* An inode is made for 4 KiB: many small files need more than their bytes. */
	CU_ASSERT_EQUAL(image_bytes("ext4", MIB, 1000000),
	        (UINT64_C(1050000) * 4096 / MIB + 4) / 4 * 4 * MIB);
	CU_ASSERT_EQUAL(image_bytes("xfs", 4 * MIB, 1000000), 520 * MIB);
	CU_ASSERT_EQUAL(lab_spec_least_bytes(&spec), 320 * MIB);
	image_bytes("btrfs", 0, 0);
	CU_ASSERT_EQUAL(lab_spec_least_bytes(&spec), 128 * MIB);
	image_bytes("minix", 0, 0);
	CU_ASSERT_EQUAL(lab_spec_least_bytes(&spec), 16 * MIB);
}

static void test_place(void)
{
	struct statfs facts;

	CU_ASSERT_EQUAL(lab_image_check_place("/nowhere-at-all", 1, MIB, &err), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "--on DIR"));
	CU_ASSERT_EQUAL(lab_image_check_place("/etc/passwd", 1, MIB, &err), -ENOTDIR);
	CU_ASSERT_EQUAL(lab_image_check_place("/", 0, 0, &err), 0);
	CU_ASSERT_EQUAL(lab_image_check_place("/", 3, UINT64_C(1) << 60, &err), -ENOSPC);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "3 images of 1,099,511,627,776 MiB need"));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, " MiB free"));
	CU_ASSERT_EQUAL(lab_image_check_place("/", 64, UINT64_MAX / 2, &err), -ENOSPC);
	if (statfs("/dev/shm", &facts) == 0 && facts.f_type == TMPFS_MAGIC) {
		CU_ASSERT_EQUAL(lab_image_check_place("/dev/shm", 1, MIB, &err), -EINVAL);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "memory"));
	}
}

static void test_programs(void)
{
	char path[256];

	CU_ASSERT_TRUE(lab_find_program("sh", path, sizeof(path)));
	CU_ASSERT_EQUAL(path[0], '/');
	CU_ASSERT_FALSE(lab_find_program("mkfs.no-such-thing", path, sizeof(path)));
	CU_ASSERT_STRING_EQUAL(path, "");
}

void suite_lab(void)
{
	CU_pSuite suite = CU_add_suite("lab", NULL, NULL);

	CU_add_test(suite, "good SPECs", test_good);
	CU_add_test(suite, "bad SPECs say what is wrong", test_bad);
	CU_add_test(suite, "labels are unique", test_labels);
	CU_add_test(suite, "mkfs commands", test_commands);
	CU_add_test(suite, "sizes of images", test_sizes);
	CU_add_test(suite, "where images may lie", test_place);
	CU_add_test(suite, "finding programs", test_programs);
}
