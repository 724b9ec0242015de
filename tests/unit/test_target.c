/*
 * Targets: the argument, the checks and their messages, labels, pairs, devices, and the prober's
 * deadline. What needs mounts runs as root in a child with its own mount namespace; the images lie
 * in a temporary directory and their loop devices let go by themselves.
 */
#include "core/target.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/prober.h"
#include "measure/clock.h"
#include "mounts.h"

enum { NOBODY = 65534 };

void suite_target(void);

static char top[64]; /* the temporary directory of the test under way */

static char *below_top(const char *name, char out[PATH_MAX])
{
	return text_print(out, PATH_MAX, "%s%s%s", top, name[0] != '\0' ? "/" : "", name);
}

static int run_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run_shell(const char *format, ...)
{
	char command[2 * PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

static void make_top(void)
{
	strcpy(top, "/tmp/fsderby-target-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(top));
	chmod(top, 0755);
}

static void remove_top(void)
{
	CU_ASSERT_EQUAL(run_shell("rm -rf --one-file-system '%s'", top), 0);
}

static void make_dir(const char *name)
{
	char path[PATH_MAX];

	mkdir(below_top(name, path), 0755);
}

/* In a child: what does not hold is told and counted. */
static int failures;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			failures++;                                                                \
		}                                                                                  \
	} while (0)

static void run_in_child(void (*test)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		failures = 0;
		test();
		_exit(failures > 100 ? 100 : failures);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* False with a word why when this machine or user cannot mount. */
static bool can_mount(const char *test)
{
	if (geteuid() == 0 && access("/dev/loop-control", R_OK | W_OK) == 0 && mounts_are_private())
		return true;
	printf("(skipped: %s needs root, loop devices and private mounts) ", test);
	return false;
}

static void enter_namespace(void)
{
	CHECK(unshare(CLONE_NEWNS) == 0);
	CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
}

static int probe_path(struct target *target, const char *path, struct error *err)
{
	*err = (struct error){ 0 };
	if (target_parse(target, path, err) != 0)
		return err->code;
	return target_probe(target, err);
}

static void test_parse(void)
{
	static const struct {
		const char *argument, *label, *path; /* path NULL: refused */
	} cases[] = {
		{ "a=b/c", "a", "b/c" },
		{ "/a=b", "", "/a=b" },
		{ "./a=b", "", "./a=b" },
		{ "a=b=c", "a", "b=c" },
		{ "x y=/mnt", "x y", "/mnt" },
		{ "/mnt/xfs", "", "/mnt/xfs" },
		{ "dir", "", "dir" },
		{ "a:b=c", "", "a:b=c" },
		{ "a+b=c", "", "a+b=c" },
		{ "=/mnt", NULL, NULL },
		{ "a=", NULL, NULL },
		{ "", NULL, NULL },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target target;
		struct error err = { 0 };
		int code = target_parse(&target, cases[i].argument, &err);

		CU_ASSERT_EQUAL(target.fd, -1);
		CU_ASSERT_EQUAL(code == 0, cases[i].path != NULL);
		CU_ASSERT_EQUAL(code, err.code);
		if (code != 0 || cases[i].path == NULL)
			continue;
		CU_ASSERT_STRING_EQUAL(target.label, cases[i].label);
		CU_ASSERT_STRING_EQUAL(target.path, cases[i].path);
	}
}

static void test_parse_lengths(void)
{
	char argument[PATH_MAX + 80];
	struct target target;
	struct error err = { 0 };

	memset(argument, 'l', sizeof(argument));
	text_print(argument + TARGET_LABEL_MAX - 1, 8, "=/mnt");
	CU_ASSERT_EQUAL(target_parse(&target, argument, &err), 0);
	CU_ASSERT_EQUAL(strlen(target.label), TARGET_LABEL_MAX - 1);
	argument[TARGET_LABEL_MAX - 1] = 'l';
	text_print(argument + TARGET_LABEL_MAX, 8, "=/mnt");
	CU_ASSERT_EQUAL(target_parse(&target, argument, &err), -EINVAL);
	memset(argument, 'p', sizeof(argument));
	argument[PATH_MAX - 1] = '\0';
	CU_ASSERT_EQUAL(target_parse(&target, argument, &err), 0);
	argument[PATH_MAX - 1] = 'p';
	argument[PATH_MAX] = '\0';
	CU_ASSERT_EQUAL(target_parse(&target, argument, &err), -ENAMETOOLONG);
}

static void test_probe_good(void)
{
	struct target target;
	struct error err;
	struct stat st;

	make_top();
	CU_ASSERT_EQUAL(probe_path(&target, top, &err), 0);
	CU_ASSERT(target.fd >= 0);
	CU_ASSERT_EQUAL(fcntl(target.fd, F_GETFD), FD_CLOEXEC);
	CU_ASSERT_EQUAL(fstat(target.fd, &st), 0);
	CU_ASSERT_EQUAL(st.st_ino, target.ino);
	CU_ASSERT_EQUAL(st.st_dev, target.dev);
	CU_ASSERT(target.size_bytes > 0 && target.free_bytes <= target.size_bytes);
	CU_ASSERT(target.block_bytes > 0);
	CU_ASSERT(target.fs[0] != '\0');
	target_close(&target);
	CU_ASSERT_EQUAL(target.fd, -1);
	remove_top();
}

static void test_probe_relative(void)
{
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char path[PATH_MAX];
	struct target target;
	struct error err;

	make_top();
	make_dir("here");
	CU_ASSERT_EQUAL(chdir(top), 0);
	CU_ASSERT_EQUAL(probe_path(&target, "here", &err), 0);
	CU_ASSERT_STRING_EQUAL(target.path, below_top("here", path));
	target_close(&target);
	CU_ASSERT_EQUAL(fchdir(here), 0);
	close(here);
	remove_top();
}

static void expect_fault(const char *argument, int code, const char *part)
{
	struct target target;
	struct error err;

	CU_ASSERT_EQUAL(probe_path(&target, argument, &err), code);
	CU_ASSERT_EQUAL(err.code, code);
	CU_ASSERT_EQUAL(target.fd, -1);
	CU_ASSERT_EQUAL(strncmp(err.text, argument, strlen(argument)), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, part));
}

static void test_probe_faults(void)
{
	char argument[PATH_MAX];

	make_top();
	run_shell(": >%s/file; ln -s loop %s/loop", top, top);
	expect_fault(text_print(argument, sizeof(argument), "xfs=%s/none", top), -ENOENT,
	        ": no such directory; make it or name another");
	expect_fault(text_print(argument, sizeof(argument), "%s/file", top), -ENOTDIR,
	        ": not a directory; ");
	expect_fault(text_print(argument, sizeof(argument), "%s/loop", top), -ELOOP, "in a circle");
	expect_fault("a:b=/tmp", -ENOENT, "labels cannot hold");
	expect_fault("/proc", -EOPNOTSUPP, "pseudo file system");
	remove_top();
}

static void check_not_writable(void)
{
	char path[PATH_MAX];
	struct target target;
	struct error err;

	if (geteuid() == 0)
		CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
	CHECK(probe_path(&target, below_top("closed", path), &err) == -EACCES);
	CHECK(strstr(err.text, "not writable by this user") != NULL);
	CHECK(probe_path(&target, below_top("shut", path), &err) == -EACCES);
	CHECK(strstr(err.text, "permission denied") != NULL);
}

static void test_not_writable(void)
{
	make_top();
	make_dir("closed");
	make_dir("shut");
	run_shell("chmod 0555 %s/closed; chmod 0 %s/shut", top, top);
	run_in_child(check_not_writable);
	run_shell("chmod 0755 %s/shut", top);
	remove_top();
}

static void set_label(struct target *target, const char *label, const char *fs)
{
	*target = (struct target){ .fd = -1 };
	strcpy(target->label, label);
	strcpy(target->fs, fs);
	strcpy(target->path, "/p");
}

static void test_labels(void)
{
	static struct target targets[5];
	struct error err = { 0 };

	set_label(&targets[0], "", "ext4");
	set_label(&targets[1], "", "ext4");
	set_label(&targets[2], "ext4-2", "xfs");
	set_label(&targets[3], "", "a/b:c=d+e");
	set_label(&targets[4], "", "");
	CU_ASSERT_EQUAL(target_label_all(targets, 5, &err), 0);
	CU_ASSERT_STRING_EQUAL(targets[0].label, "ext4");
	CU_ASSERT_STRING_EQUAL(targets[1].label, "ext4-3");
	CU_ASSERT_STRING_EQUAL(targets[2].label, "ext4-2");
	CU_ASSERT_STRING_EQUAL(targets[3].label, "a-b-c-d-e");
	CU_ASSERT_STRING_EQUAL(targets[4].label, "target");
	set_label(&targets[1], "x", "ext4");
	set_label(&targets[2], "x", "xfs");
	CU_ASSERT_EQUAL(target_label_all(targets, 3, &err), -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "x=/p"));
}

static void expect_pair(const char *first, const char *second, int code)
{
	char path[PATH_MAX];
	struct target a, b;
	struct error err;

	CU_ASSERT_EQUAL_FATAL(probe_path(&a, below_top(first, path), &err), 0);
	CU_ASSERT_EQUAL_FATAL(probe_path(&b, below_top(second, path), &err), 0);
	CU_ASSERT_EQUAL(target_check_pair(&a, &b, &err), code);
	CU_ASSERT_EQUAL(err.code, code);
	target_close(&a);
	target_close(&b);
}

static void test_pairs(void)
{
	make_top();
	make_dir("a");
	make_dir("a/b");
	make_dir("a/b/c");
	make_dir("ab");
	run_shell("ln -s a/b %s/link", top);
	expect_pair("a", "ab", 0);
	expect_pair("ab", "a/b/c", 0);
	expect_pair("a", "a", -EEXIST);
	expect_pair("a", "a/b/c", -EEXIST);
	expect_pair("a/b/c", "a", -EEXIST);
	expect_pair("a/b", "link", -EEXIST);
	expect_pair("link", "a", -EEXIST);
	remove_top();
}

static void check_bind_pairs(void)
{
	char path[PATH_MAX], other[PATH_MAX];
	struct target a, b;
	struct error err;

	enter_namespace();
	CHECK(mount(below_top("a/b", path), below_top("bound", other), NULL, MS_BIND, NULL) == 0);
	CHECK(probe_path(&a, below_top("a", path), &err) == 0);
	CHECK(probe_path(&b, other, &err) == 0);
	CHECK(target_check_pair(&a, &b, &err) == -EEXIST);
	CHECK(strstr(err.text, "lies inside") != NULL);
	CHECK(target_check_pair(&b, &a, &err) == -EEXIST);
	CHECK(strstr(err.text, "holds") != NULL);
	CHECK(probe_path(&b, below_top("bound/c", path), &err) == 0);
	CHECK(target_check_pair(&a, &b, &err) == -EEXIST);
	CHECK(probe_path(&a, below_top("a/b2", path), &err) == 0);
	CHECK(target_check_pair(&a, &b, &err) == 0);
}

static void test_bind_pairs(void)
{
	if (!can_mount("bind mounts"))
		return;
	make_top();
	make_dir("a");
	make_dir("a/b");
	make_dir("a/b/c");
	make_dir("a/b2");
	make_dir("bound");
	run_in_child(check_bind_pairs);
	remove_top();
}

/* Names of loop devices and what lies below the temporary directory. */
static void check_loop(const char *mkfs, const char *size, const char *options, struct target *out)
{
	char path[PATH_MAX];
	struct target under;
	struct error err;

	CHECK(run_shell("truncate -s %s %s/image && %s %s/image >/dev/null 2>&1", size, top, mkfs,
	              top) == 0);
	CHECK(run_shell("mount -o loop%s %s/image %s/mnt", options, top, top) == 0);
	CHECK(probe_path(out, below_top("mnt", path), &err) == 0);
	CHECK(probe_path(&under, top, &err) == 0);
	CHECK(out->n_nearest == 1 && strncmp(out->nearest[0].name, "loop", 4) == 0);
	CHECK((out->flags & TARGET_LOOP) != 0);
	CHECK((out->flags & TARGET_LOOP_CACHED) != 0);
	if (under.n_bottom > 0) {
		CHECK(out->n_bottom == under.n_bottom);
		CHECK(strcmp(out->bottom[0].name, under.bottom[0].name) == 0);
	} else {
		CHECK(strncmp(out->bottom[0].name, "loop", 4) == 0);
	}
	CHECK(strcmp(out->mount_point, path) == 0);
	target_close(&under);
	target_close(out);
	/* The same with the name of the image gone. */
	CHECK(run_shell("rm %s/image", top) == 0);
	CHECK(probe_path(out, path, &err) == 0);
	CHECK(under.n_bottom == 0 || strcmp(out->bottom[0].name, under.bottom[0].name) == 0);
	target_close(out);
}

static void check_ext4(void)
{
	struct target target;
	char text[256];

	enter_namespace();
	check_loop("mkfs.ext4 -q", "16M", ",noatime", &target);
	CHECK(strcmp(target.fs, "ext4") == 0);
	CHECK((target.flags & (TARGET_COW | TARGET_COMPRESSED)) == 0);
	CHECK(target.inodes > 0 && target.free_inodes > 0);
	target_describe(&target, text, sizeof(text));
	CHECK(strncmp(text, "ext4 noatime", 12) == 0);
	CHECK(strstr(text, target.nearest[0].name) != NULL && strchr(text, '>') != NULL);
	CHECK(strstr(text, "(loop-cached)") != NULL);
}

static void check_xfs(void)
{
	struct target target;

	enter_namespace();
	check_loop("mkfs.xfs -q", "300M", "", &target);
	CHECK(strcmp(target.fs, "xfs") == 0);
}

static void check_btrfs(void)
{
	struct target target;
	char path[PATH_MAX];
	struct error err;

	enter_namespace();
	check_loop("mkfs.btrfs -q", "128M", ",compress=zstd", &target);
	CHECK(strcmp(target.fs, "btrfs") == 0);
	CHECK((target.flags & TARGET_COW) != 0 && (target.flags & TARGET_COMPRESSED) != 0);
	CHECK(target.inodes == 0);
	/* An image on btrfs: its st_dev is no device, the mount has to be found. */
	CHECK(run_shell("mkdir %s/mnt/in && truncate -s 8M %s/mnt/img && "
	                "mkfs.ext4 -q %s/mnt/img && mount -o loop %s/mnt/img %s/mnt/in",
	              top, top, top, top, top) == 0);
	struct target inner;

	CHECK(probe_path(&inner, below_top("mnt/in", path), &err) == 0);
	CHECK(inner.n_bottom == target.n_bottom);
	CHECK(strcmp(inner.bottom[0].name, target.bottom[0].name) == 0);
	CHECK((inner.flags & TARGET_COMPRESSED) != 0);
	target_close(&inner);
	run_shell("umount %s/mnt/in", top);
}

static void check_btrfs_pair(void)
{
	char path[PATH_MAX];
	struct target target;
	struct error err;

	enter_namespace();
	CHECK(run_shell("cd %s && truncate -s 128M 1 2 && "
	                "A=$(losetup -f --show 1) && B=$(losetup -f --show 2) && "
	                "mkfs.btrfs -q $A $B >/dev/null 2>&1 && mount $A mnt; S=$?; "
	                "losetup -d $A $B; exit $S",
	              top) == 0);
	CHECK(run_shell("mkdir %s/mnt/d && btrfs -q subvolume create %s/mnt/sub >/dev/null", top,
	              top) == 0);
	CHECK(probe_path(&target, below_top("mnt/sub", path), &err) == 0);
	CHECK(target.n_nearest == 2);
	CHECK(strcmp(target.mount_point, below_top("mnt", path)) == 0);
	target_close(&target);
}

static void check_tmpfs(void)
{
	char path[PATH_MAX];
	struct target target, image;
	struct error err;

	enter_namespace();
	CHECK(mount("none", below_top("mnt", path), "tmpfs", 0, "size=40m") == 0);
	CHECK(probe_path(&target, path, &err) == 0);
	CHECK(strcmp(target.fs, "tmpfs") == 0 && (target.flags & TARGET_TMPFS) != 0);
	CHECK(target.n_nearest == 0 && target.n_bottom == 0);
	CHECK(target.size_bytes == 40 << 20);
	/* Another file system mounted inside is still inside. */
	struct target outer;

	CHECK(probe_path(&outer, top, &err) == 0);
	CHECK(target_check_pair(&outer, &target, &err) == -EEXIST);
	CHECK(target_check_pair(&target, &outer, &err) == -EEXIST);
	target_close(&outer);
	/* An image in memory: nothing below the loop device. */
	CHECK(run_shell("cd %s/mnt && mkdir in && truncate -s 8M img && mkfs.ext4 -q img && "
	                "mount -o loop img in",
	              top) == 0);
	CHECK(probe_path(&image, below_top("mnt/in", path), &err) == 0);
	CHECK(image.n_bottom == 1 && image.bottom[0].minor == image.nearest[0].minor);
	target_close(&image);
	run_shell("umount %s/mnt/in", top);
	target_close(&target);
	below_top("mnt", path);
	CHECK(mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
	CHECK(probe_path(&target, path, &err) == -EROFS);
	CHECK(strstr(err.text, "mounted read-only") != NULL);
}

static void check_overlay(void)
{
	char path[PATH_MAX];
	struct target target;
	struct error err;

	enter_namespace();
	CHECK(run_shell("cd %s && mount -t tmpfs none mnt && cd mnt && mkdir l u w m && "
	                "mount -t overlay none -o lowerdir=l,upperdir=u,workdir=w m",
	              top) == 0);
	CHECK(probe_path(&target, below_top("mnt/m", path), &err) == 0);
	CHECK((target.flags & TARGET_OVERLAY) != 0 && target.n_nearest == 0);
	target_close(&target);
}

/* A mount on a mount: the one on top counts, the other is hidden. */
static void check_covered(void)
{
	struct target_listing *list;
	char path[PATH_MAX];
	struct target target;
	struct error err;
	unsigned n, hidden = 0, usable = 0, read_only = 0, pseudo = 0;

	enter_namespace();
	below_top("mnt", path);
	CHECK(mount("lower", path, "tmpfs", 0, "size=8m") == 0);
	CHECK(mount("upper", path, "tmpfs", 0, "size=16m") == 0);
	CHECK(probe_path(&target, path, &err) == 0);
	CHECK(strcmp(target.source, "upper") == 0);
	target_close(&target);
	CHECK(mount("ro", below_top("ro", path), "tmpfs", MS_RDONLY, NULL) == 0);
	CHECK(target_list_mounts(&list, &n, &err) == 0);
	prober_examine_mounts(list, n, 2 * CLOCK_SECOND_NS);
	for (unsigned i = 0; i < n; i++) {
		const struct target *one = &list[i].target;

		hidden += strcmp(one->source, "lower") == 0 && strstr(list[i].reason, "hidden");
		usable += strcmp(one->source, "upper") == 0 && list[i].reason[0] == '\0' &&
		          one->size_bytes == 16 << 20;
		read_only += strcmp(one->source, "ro") == 0 && strstr(list[i].reason, "read-only");
		pseudo += strcmp(one->fs, "proc") == 0 && list[i].is_pseudo;
		CHECK(one->fd == -1);
	}
	CHECK(hidden == 1 && usable == 1 && read_only == 1 && pseudo >= 1);
	free(list);
}

/* The root of a chroot has no line in mountinfo. */
static void check_chroot(void)
{
	struct target outside, inside;
	struct error err;

	enter_namespace();
	CHECK(probe_path(&outside, top, &err) == 0);
	CHECK(run_shell("mkdir -p %s/root/proc %s/root/sys %s/root/d && "
	                "mount -t proc proc %s/root/proc && mount -t sysfs sys %s/root/sys",
	              top, top, top, top, top) == 0);
	CHECK(chdir(top) == 0 && chroot("root") == 0 && chdir("/") == 0);
	CHECK(probe_path(&inside, "/d", &err) == 0);
	CHECK(strcmp(inside.fs, outside.fs) == 0);
	CHECK(inside.n_bottom == outside.n_bottom);
	target_close(&inside);
	target_close(&outside);
}

static void run_mounted(const char *name, void (*check)(void))
{
	if (!can_mount(name))
		return;
	make_top();
	make_dir("mnt");
	make_dir("ro");
	run_in_child(check);
	remove_top();
}

static void test_ext4(void)
{
	run_mounted("ext4", check_ext4);
}

static void test_xfs(void)
{
	run_mounted("xfs", check_xfs);
}

static void test_btrfs(void)
{
	run_mounted("btrfs", check_btrfs);
}

static void test_btrfs_pair(void)
{
	run_mounted("btrfs on two devices", check_btrfs_pair);
}

static void test_tmpfs(void)
{
	run_mounted("tmpfs", check_tmpfs);
}

static void test_overlay(void)
{
	run_mounted("overlay", check_overlay);
}

static void test_covered(void)
{
	run_mounted("mounts on mounts", check_covered);
}

static void test_chroot(void)
{
	run_mounted("chroot", check_chroot);
}

static void test_flag_names(void)
{
	char out[200], tiny[8];
	unsigned n = 0;

	while (target_flag_name(n) != NULL)
		n++;
	CU_ASSERT_EQUAL(1u << (n - 1), TARGET_COW);
	CU_ASSERT_STRING_EQUAL(target_flag_names(0, out, sizeof(out)), "");
	CU_ASSERT_STRING_EQUAL(
	        target_flag_names(TARGET_TMPFS | TARGET_COW, out, sizeof(out)), "tmpfs,cow");
	target_flag_names(~0u, tiny, sizeof(tiny));
	CU_ASSERT_EQUAL(strlen(tiny), sizeof(tiny) - 1);
}

static void test_describe(void)
{
	static struct target target = {
		.fs = "ext4",
		.options = "rw,relatime,data=ordered,subvol=/x,discard",
		.n_nearest = 2,
		.nearest = { { "dm-0", 1, 1 }, { "dm-1", 1, 2 } },
		.n_bottom = 1,
		.bottom = { { "vda", 2, 1 } },
		.flags = TARGET_ENCRYPTED,
	};
	char out[128];

	CU_ASSERT_STRING_EQUAL(target_describe(&target, out, sizeof(out)),
	        "ext4 data=ordered discard dm-0+dm-1>vda (encrypted)");
	target.n_nearest = 1;
	strcpy(target.nearest[0].name, "vda");
	target.flags = 0;
	CU_ASSERT_STRING_EQUAL(
	        target_describe(&target, out, sizeof(out)), "ext4 data=ordered discard vda");
}

static void test_prober(void)
{
	static struct target targets[4];
	static struct error errs[4];
	char argument[PATH_MAX];
	struct error err;

	make_top();
	make_dir("a");
	make_dir("b");
	target_parse(&targets[0], text_print(argument, sizeof(argument), "%s/a", top), &err);
	target_parse(&targets[1], text_print(argument, sizeof(argument), "x=%s/b", top), &err);
	CU_ASSERT_EQUAL(prober_probe_all(targets, 2, PROBER_TIMEOUT_NS, errs), 0);
	CU_ASSERT(targets[0].fd >= 0 && targets[1].fd >= 0);
	CU_ASSERT_STRING_EQUAL(targets[0].label, targets[0].fs);
	CU_ASSERT_STRING_EQUAL(targets[1].label, "x");
	target_close(&targets[0]);
	target_close(&targets[1]);

	target_parse(&targets[0], text_print(argument, sizeof(argument), "%s/a", top), &err);
	target_parse(&targets[1], text_print(argument, sizeof(argument), "%s/none", top), &err);
	target_parse(&targets[2], text_print(argument, sizeof(argument), "%s/./a", top), &err);
	target_parse(&targets[3], text_print(argument, sizeof(argument), "%s", top), &err);
	CU_ASSERT_EQUAL(prober_probe_all(targets, 4, PROBER_TIMEOUT_NS, errs), -ENOENT);
	CU_ASSERT_EQUAL(errs[0].code, 0);
	CU_ASSERT_EQUAL(errs[1].code, -ENOENT);
	CU_ASSERT_EQUAL(errs[2].code, -EEXIST);
	CU_ASSERT_EQUAL(errs[3].code, -EEXIST);
	for (unsigned i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(targets[i].fd, -1);
	remove_top();
}

/* A fuse file system whose server never says a word. */
static void check_hang(void)
{
	static struct target targets[2];
	static struct error errs[2];
	struct target_listing *list;
	char path[PATH_MAX], argument[PATH_MAX], options[128];
	struct error err;
	uint64_t begin;
	unsigned n, hanging = 0;
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	enter_namespace();
	text_print(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	CHECK(mount("mute", below_top("mnt", path), "fuse", 0, options) == 0);
	CHECK(target_parse(&targets[0], path, &err) == 0);
	CHECK(target_parse(&targets[1], text_print(argument, sizeof(argument), "x=%s/ro", top),
	              &err) == 0);
	begin = clock_now_ns();
	CHECK(prober_probe_all(targets, 2, CLOCK_SECOND_NS / 4, errs) == -ETIMEDOUT);
	CHECK(clock_now_ns() - begin < 5 * CLOCK_SECOND_NS);
	CHECK(strstr(errs[0].text, "no answer for") != NULL);
	CHECK(errs[1].code == 0);
	CHECK(targets[0].fd == -1 && targets[1].fd == -1);
	CHECK(target_list_mounts(&list, &n, &err) == 0);
	prober_examine_mounts(list, n, CLOCK_SECOND_NS / 4);
	for (unsigned i = 0; i < n; i++)
		hanging += strcmp(list[i].target.source, "mute") == 0 &&
		           strstr(list[i].reason, "no answer") != NULL;
	CHECK(hanging == 1);
	free(list);
	close(fuse); /* those who wait come back, after their caller has gone on */
	usleep(200 * 1000);
}

static void test_hang(void)
{
	if (access("/dev/fuse", R_OK | W_OK) == 0)
		run_mounted("a file system that hangs", check_hang);
	else
		printf("(skipped: no /dev/fuse) ");
}

void suite_target(void)
{
	CU_pSuite suite = CU_add_suite("target", NULL, NULL);

	CU_add_test(suite, "label and path of an argument", test_parse);
	CU_add_test(suite, "too long labels and paths", test_parse_lengths);
	CU_add_test(suite, "a good directory", test_probe_good);
	CU_add_test(suite, "a relative path becomes absolute", test_probe_relative);
	CU_add_test(suite, "faults say what to do", test_probe_faults);
	CU_add_test(suite, "not writable", test_not_writable);
	CU_add_test(suite, "labels are unique", test_labels);
	CU_add_test(suite, "same and nested directories", test_pairs);
	CU_add_test(suite, "nested through bind mounts", test_bind_pairs);
	CU_add_test(suite, "ext4 on a loop device", test_ext4);
	CU_add_test(suite, "xfs on a loop device", test_xfs);
	CU_add_test(suite, "btrfs, and an image on it", test_btrfs);
	CU_add_test(suite, "btrfs on two devices", test_btrfs_pair);
	CU_add_test(suite, "tmpfs, read-only", test_tmpfs);
	CU_add_test(suite, "overlay", test_overlay);
	CU_add_test(suite, "mounts on mounts, the list", test_covered);
	CU_add_test(suite, "the root of a chroot", test_chroot);
	CU_add_test(suite, "words for flags", test_flag_names);
	CU_add_test(suite, "a line for the header", test_describe);
	CU_add_test(suite, "the prober collects all errors", test_prober);
	CU_add_test(suite, "the prober has a deadline", test_hang);
}
