/*
 * Scratch directories: made, found, judged and removed; and attacks on the removal, each with
 * something precious beside it that must still be there. Everything happens below a temporary
 * directory; what needs a mount runs as root in a child with its own mount namespace.
 */
#include "engine/scratch.h"

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mounts.h"

#include "core/text.h"

enum { NOBODY = 65534, DEEP = 10000, WIDE = 20000 };

#define RUN "20260101-000000-abcd"

void suite_scratch(void);

static char top[64];
static int top_fd;

static int run_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run_shell(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

static void make_top(void)
{
	/* In memory where possible: each marker is synced, and a busy disk takes its time. */
	text_print(top, sizeof(top), "%s/fsderby-scratch-XXXXXX",
	        access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(top));
	chmod(top, 0755);
	top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CU_ASSERT_FATAL(top_fd >= 0);
	run_shell("mkdir %s/precious && echo kept >%s/precious/file", top, top);
}

static bool is_precious_there(void)
{
	return run_shell("test \"$(cat %s/precious/file 2>&1)\" = kept", top) == 0;
}

static void remove_top(void)
{
	CU_ASSERT(is_precious_there());
	close(top_fd);
	CU_ASSERT_EQUAL(run_shell("rm -rf --one-file-system '%s'", top), 0);
}

static bool exists(const char *name)
{
	struct stat st;

	return fstatat(top_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

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

/* A scratch directory whose process is gone. */
static void leave_scratch(void)
{
	CHECK(scratch_make(top_fd, RUN, NULL) >= 0);
}

static enum scratch_owner find_one(struct scratch_found *one)
{
	struct scratch_found *found;
	struct error err = { 0 };
	unsigned n;

	CU_ASSERT_EQUAL_FATAL(scratch_find(top_fd, &found, &n, &err), 0);
	CU_ASSERT_EQUAL_FATAL(n, 1);
	*one = found[0];
	free(found);
	return one->owner;
}

static void test_make_and_remove(void)
{
	struct scratch_progress progress = { .hold = NULL };
	struct error err = { 0 };
	struct stat st;
	int fd;

	make_top();
	fd = scratch_make(top_fd, RUN, &err);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(fcntl(fd, F_GETFD), FD_CLOEXEC);
	CU_ASSERT_EQUAL(fstatat(top_fd, SCRATCH_PREFIX RUN, &st, 0), 0);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0700);
	CU_ASSERT_EQUAL(fstatat(fd, "owner", &st, 0), 0);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
	CU_ASSERT_EQUAL(run_shell("cd %s/%s && mkdir -p a/b/c d && : >a/f && : >a/b/g && "
	                          "ln -s ../precious l && mkfifo p && : >owner2",
	                        top, SCRATCH_PREFIX RUN),
	        0);
	CU_ASSERT_EQUAL(scratch_empty(fd, &progress, &err), 0);
	CU_ASSERT_EQUAL(atomic_load(&progress.removed), 9);
	CU_ASSERT_EQUAL(run_shell("test \"$(ls -A %s/%s)\" = owner", top, SCRATCH_PREFIX RUN), 0);
	CU_ASSERT_EQUAL(run_shell("mkdir %s/%s/again", top, SCRATCH_PREFIX RUN), 0);
	CU_ASSERT_EQUAL(scratch_remove(top_fd, RUN, fd, &progress, &err), 0);
	CU_ASSERT(!exists(SCRATCH_PREFIX RUN));
	close(fd);
	remove_top();
}

static void test_make_refusals(void)
{
	static const char *const bad[] = { "", "a/b", "..x y", "a\nb",
		"0123456789012345678901234567890123456789" };
	struct error err = { 0 };

	make_top();
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CU_ASSERT_EQUAL(scratch_make(top_fd, bad[i], &err), -EINVAL);
	CU_ASSERT_EQUAL(run_shell("mkdir %s/%s", top, SCRATCH_PREFIX RUN), 0);
	CU_ASSERT_EQUAL(scratch_make(top_fd, RUN, &err), -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "mkdir " SCRATCH_PREFIX RUN));
	CU_ASSERT(exists(SCRATCH_PREFIX RUN));
	remove_top();
}

static void test_dead(void)
{
	struct scratch_found found;
	struct error err = { 0 };

	make_top();
	run_in_child(leave_scratch);
	CU_ASSERT_EQUAL(find_one(&found), SCRATCH_DEAD);
	CU_ASSERT_STRING_EQUAL(found.name, SCRATCH_PREFIX RUN);
	CU_ASSERT_STRING_EQUAL(found.run_id, RUN);
	CU_ASSERT_EQUAL(run_shell("ln -s ../precious %s/%s/l", top, found.name), 0);
	CU_ASSERT_EQUAL(scratch_clean(top_fd, &found, NULL, &err), 0);
	CU_ASSERT(!exists(SCRATCH_PREFIX RUN));
	remove_top();
}

static void test_alive(void)
{
	struct scratch_found found;
	struct error err = { 0 };
	int fd;

	make_top();
	fd = scratch_make(top_fd, RUN, &err);
	CU_ASSERT_EQUAL(find_one(&found), SCRATCH_ALIVE);
	CU_ASSERT_EQUAL(scratch_clean(top_fd, &found, NULL, &err), -EPERM);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "alive"));
	/* Without the lock the process id still tells, but not with another start or boot. */
	close(fd);
	CU_ASSERT_EQUAL(find_one(&found), SCRATCH_ALIVE);
	CU_ASSERT_EQUAL(run_shell("sed -i s/^start=.*/start=7/ %s/%s/owner", top, found.name), 0);
	CU_ASSERT_EQUAL(find_one(&found), SCRATCH_DEAD);
	remove_top();
	make_top();
	close(scratch_make(top_fd, RUN, &err));
	CU_ASSERT_EQUAL(run_shell("sed -i s/^boot=.*/boot=x/ %s/%s/owner", top, found.name), 0);
	CU_ASSERT_EQUAL(find_one(&found), SCRATCH_DEAD);
	/* A lock held by somebody: alive, whatever the marker says. */
	fd = openat(top_fd, found.name, O_RDONLY | O_DIRECTORY);
	CU_ASSERT_EQUAL(flock(fd, LOCK_EX), 0);
	CU_ASSERT_EQUAL(find_one(&found), SCRATCH_ALIVE);
	close(fd);
	CU_ASSERT_EQUAL(find_one(&found), SCRATCH_DEAD);
	remove_top();
}

static void test_zombie(void)
{
	struct scratch_found found;
	siginfo_t info;
	pid_t pid;

	make_top();
	pid = fork();
	if (pid == 0)
		_exit(scratch_make(top_fd, RUN, NULL) < 0);
	CU_ASSERT_EQUAL(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	CU_ASSERT_EQUAL(find_one(&found), SCRATCH_DEAD);
	waitpid(pid, NULL, 0);
	remove_top();
}

/* Each of these is no marker of ours; the directory and what is in it stay. */
static void test_foreign(void)
{
	static const char *const spoils[] = {
		"rm owner",
		": >owner",
		"sed -i s/^run=.*/run=other/ owner",
		"sed -i /^pid=/d owner",
		"sed -i s/^pid=.*/pid=x/ owner",
		"rm owner; mkfifo owner",
		"rm owner; mkdir owner",
		"mv owner ../owner-elsewhere; ln -s ../owner-elsewhere owner",
		"head -c 5000 /dev/zero >owner",
	};

	for (unsigned i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		struct scratch_found found;
		struct error err = { 0 };
		int fd;

		make_top();
		run_in_child(leave_scratch);
		CU_ASSERT_EQUAL(
		        run_shell("cd %s/%s && : >data && %s", top, SCRATCH_PREFIX RUN, spoils[i]),
		        0);
		CU_ASSERT_EQUAL(find_one(&found), SCRATCH_FOREIGN);
		CU_ASSERT_PTR_NOT_NULL(found.why);
		CU_ASSERT_EQUAL(scratch_clean(top_fd, &found, NULL, &err), -EPERM);
		fd = openat(top_fd, found.name, O_RDONLY | O_DIRECTORY);
		CU_ASSERT_EQUAL(scratch_remove(top_fd, RUN, fd, NULL, &err), -EPERM);
		close(fd);
		CU_ASSERT(exists(SCRATCH_PREFIX RUN "/data"));
		remove_top();
	}
}

static void test_not_a_directory(void)
{
	struct scratch_found found;
	struct error err = { 0 };

	make_top();
	run_in_child(leave_scratch);
	CU_ASSERT_EQUAL(run_shell("cd %s && mv %s away && ln -s away %s && : >.fsderby- && "
	                          ": >'.fsderby-a b'",
	                        top, SCRATCH_PREFIX RUN, SCRATCH_PREFIX RUN),
	        0);
	CU_ASSERT_EQUAL(find_one(&found), SCRATCH_FOREIGN);
	CU_ASSERT(scratch_clean(top_fd, &found, NULL, &err) < 0);
	CU_ASSERT(exists("away/owner"));
	remove_top();
}

static void check_other_user(void)
{
	struct scratch_found found = { .name = SCRATCH_PREFIX RUN, .run_id = RUN };
	struct scratch_found *list;
	struct error err = { 0 };
	unsigned n;

	CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
	CHECK(scratch_find(top_fd, &list, &n, &err) == 0 && n == 1);
	CHECK(list[0].owner == SCRATCH_FOREIGN);
	CHECK(strstr(list[0].why, "another user") != NULL);
	CHECK(scratch_clean(top_fd, &found, NULL, &err) == -EPERM);
	free(list);
}

static void test_other_user(void)
{
	if (geteuid() != 0) {
		printf("(skipped: needs root) ");
		return;
	}
	make_top();
	run_in_child(leave_scratch);
	run_shell("chmod 0777 %s %s/%s; chmod 0666 %s/%s/owner", top, top, SCRATCH_PREFIX RUN, top,
	        SCRATCH_PREFIX RUN);
	run_in_child(check_other_user);
	CU_ASSERT(exists(SCRATCH_PREFIX RUN "/owner"));
	remove_top();
}

/* As a user whom modes bind. */
static void check_closed_modes(void)
{
	struct scratch_progress progress = { .hold = NULL };
	struct error err = { 0 };
	char dir[PATH_MAX];
	int dir_fd, fd;

	if (geteuid() == 0)
		CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
	text_print(dir, sizeof(dir), "%s/mine", top);
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY);
	fd = scratch_make(dir_fd, RUN, &err);
	CHECK(fd >= 0);
	CHECK(run_shell("cd %s/%s && mkdir -p a/b c/d e && : >a/b/f && : >c/d/g && : >e/h && "
	                "chmod 0 a/b a && chmod 0500 c/d c && chmod 0300 e",
	              dir, SCRATCH_PREFIX RUN) == 0);
	CHECK(scratch_empty(fd, &progress, &err) == 0);
	CHECK(err.code == 0);
	/* The directory cannot be removed: then the marker must come back. */
	CHECK(chmod(dir, 0500) == 0);
	CHECK(scratch_remove(dir_fd, RUN, fd, &progress, &err) == -EACCES);
	CHECK(strstr(err.text, "rmdir " SCRATCH_PREFIX RUN) != NULL);
	CHECK(faccessat(fd, "owner", R_OK, 0) == 0);
	CHECK(chmod(dir, 0700) == 0);
	CHECK(scratch_remove(dir_fd, RUN, fd, &progress, &err) == 0);
}

static void test_closed_modes(void)
{
	make_top();
	run_shell("mkdir -m 0700 %s/mine && if [ $(id -u) = 0 ]; then chown %d %s/mine; fi", top,
	        NOBODY, top);
	run_in_child(check_closed_modes);
	remove_top();
}

static void make_deep(int scratch_fd)
{
	int fd = fcntl(scratch_fd, F_DUPFD_CLOEXEC, 0);

	for (unsigned i = 0; i < DEEP && fd >= 0; i++) {
		int next;

		CHECK(mkdirat(fd, "d", 0700) == 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	CHECK(fd >= 0);
	close(fd);
}

static int deep_fd;

static void *remove_deep(void *data)
{
	(void)data;
	struct error err = { 0 };
	struct scratch_progress progress = { .hold = NULL };

	CHECK(scratch_remove(top_fd, RUN, deep_fd, &progress, &err) == 0);
	CHECK(atomic_load(&progress.removed) == DEEP);
	return NULL;
}

/* With few descriptors and a small stack. */
static void check_deep(void)
{
	struct rlimit few = { 24, 24 };
	pthread_attr_t attr;
	pthread_t thread;

	deep_fd = scratch_make(top_fd, RUN, NULL);
	make_deep(deep_fd);
	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	CHECK(pthread_create(&thread, &attr, remove_deep, NULL) == 0);
	pthread_join(thread, NULL);
	CHECK(!exists(SCRATCH_PREFIX RUN));
}

static void test_deep(void)
{
	make_top();
	run_in_child(check_deep);
	remove_top();
}

static void test_wide(void)
{
	struct scratch_progress progress = { .hold = NULL };
	struct error err = { 0 };
	int fd;

	make_top();
	fd = scratch_make(top_fd, RUN, &err);
	for (unsigned i = 0; i < WIDE; i++) {
		char name[160];
		int file = openat(
		        fd, text_print(name, sizeof(name), "%0128u", i), O_WRONLY | O_CREAT, 0600);

		CU_ASSERT_FATAL(file >= 0);
		close(file);
	}
	CU_ASSERT_EQUAL(scratch_remove(top_fd, RUN, fd, &progress, &err), 0);
	CU_ASSERT_EQUAL(atomic_load(&progress.removed), WIDE);
	close(fd);
	remove_top();
}

/* A removal in a thread that a test can hold. */
struct removal {
	int fd, code;
	struct scratch_progress progress;
	_Atomic uint32_t hold;
	struct error err;
	pthread_t thread;
};

static void *removal_main(void *data)
{
	struct removal *removal = data;

	removal->code = scratch_remove(top_fd, RUN, removal->fd, &removal->progress, &removal->err);
	return NULL;
}

static void removal_start(struct removal *removal, uint32_t hold)
{
	*removal = (struct removal){ .fd = scratch_make(top_fd, RUN, NULL) };
	removal->progress.hold = &removal->hold;
	atomic_store(&removal->hold, hold);
}

static void removal_go(struct removal *removal)
{
	CU_ASSERT_EQUAL_FATAL(pthread_create(&removal->thread, NULL, removal_main, removal), 0);
}

static void removal_end(struct removal *removal)
{
	pthread_join(removal->thread, NULL);
	close(removal->fd);
}

/* Wait until it has removed something, then hold it. */
static void removal_catch(struct removal *removal)
{
	while (atomic_load(&removal->progress.removed) == 0)
		;
	atomic_store(&removal->hold, 1);
	usleep(50 * 1000);
}

static void test_hold_and_cancel(void)
{
	struct removal removal;
	struct error err = { 0 };
	int fd;

	make_top();
	removal_start(&removal, 1);
	CU_ASSERT_EQUAL(
	        run_shell("cd %s/%s && mkdir -p a/b && : >a/b/f", top, SCRATCH_PREFIX RUN), 0);
	removal_go(&removal);
	usleep(100 * 1000);
	CU_ASSERT_EQUAL(atomic_load(&removal.progress.removed), 0);
	CU_ASSERT(exists(SCRATCH_PREFIX RUN "/a/b/f"));
	atomic_store(&removal.progress.is_cancelled, 1);
	pthread_join(removal.thread, NULL);
	CU_ASSERT_EQUAL(removal.code, -ECANCELED);
	CU_ASSERT(exists(SCRATCH_PREFIX RUN "/owner"));
	fd = openat(top_fd, SCRATCH_PREFIX RUN, O_RDONLY | O_DIRECTORY);
	CU_ASSERT_EQUAL(scratch_remove(top_fd, RUN, fd, NULL, &err), 0);
	close(fd);
	close(removal.fd);
	remove_top();
}

/* The directory under removal goes elsewhere, beside the precious one. */
static void test_moved_away(void)
{
	struct removal removal;

	make_top();
	removal_start(&removal, 0);
	CU_ASSERT_EQUAL(run_shell("cd %s/%s && mkdir -p a/b/c z && cd a/b/c && "
	                          "seq -f 'a-long-enough-name-%%g' 1 20000 | xargs touch",
	                        top, SCRATCH_PREFIX RUN),
	        0);
	removal_go(&removal);
	removal_catch(&removal);
	CU_ASSERT_EQUAL(run_shell("mv %s/%s/a/b %s/precious/b", top, SCRATCH_PREFIX RUN, top), 0);
	atomic_store(&removal.hold, 0);
	removal_end(&removal);
	CU_ASSERT(is_precious_there());
	CU_ASSERT(exists("precious/b"));
	CU_ASSERT(!exists(SCRATCH_PREFIX RUN "/a"));
	CU_ASSERT(!exists(SCRATCH_PREFIX RUN "/z"));
	remove_top();
}

/* The scratch directory itself is swapped for another, with a link of that name or without. */
static void test_replaced(void)
{
	struct error err = { 0 };
	int fd;

	make_top();
	fd = scratch_make(top_fd, RUN, &err);
	CU_ASSERT_EQUAL(run_shell("cd %s && mv %s moved && ln -s precious %s", top,
	                        SCRATCH_PREFIX RUN, SCRATCH_PREFIX RUN),
	        0);
	CU_ASSERT_EQUAL(scratch_remove(top_fd, RUN, fd, NULL, &err), -ESTALE);
	CU_ASSERT(is_precious_there());
	CU_ASSERT_EQUAL(run_shell("cd %s && rm %s && cp -r precious %s", top, SCRATCH_PREFIX RUN,
	                        SCRATCH_PREFIX RUN),
	        0);
	CU_ASSERT_EQUAL(scratch_remove(top_fd, RUN, fd, NULL, &err), -ESTALE);
	CU_ASSERT(exists(SCRATCH_PREFIX RUN "/file"));
	close(fd);
	remove_top();
}

static _Atomic uint32_t swap_stop;

/* Swaps the directory "a" of the scratch directory with a link to the precious one. */
static void *swap_main(void *data)
{
	int fd = *(int *)data;

	while (atomic_load(&swap_stop) == 0)
		renameat2(fd, "a", fd, "b", RENAME_EXCHANGE);
	return NULL;
}

static void test_swapped(void)
{
	for (unsigned i = 0; i < 40; i++) {
		struct removal removal;
		pthread_t swapper;

		make_top();
		removal_start(&removal, 0);
		CU_ASSERT_EQUAL(run_shell("cd %s/%s && mkdir -p a/file/x && ln -s ../precious b",
		                        top, SCRATCH_PREFIX RUN),
		        0);
		atomic_store(&swap_stop, 0);
		CU_ASSERT_EQUAL(pthread_create(&swapper, NULL, swap_main, &removal.fd), 0);
		removal_go(&removal);
		pthread_join(removal.thread, NULL);
		atomic_store(&swap_stop, 1);
		pthread_join(swapper, NULL);
		close(removal.fd);
		CU_ASSERT(is_precious_there());
		remove_top();
	}
}

/* A descriptor from before would go on seeing the mounts of before. */
static void enter_namespace(void)
{
	CHECK(unshare(CLONE_NEWNS) == 0);
	CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	close(top_fd);
	top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void check_mount_inside(void)
{
	char from[PATH_MAX], onto[PATH_MAX];
	struct error err = { 0 };
	int fd;

	enter_namespace();
	fd = scratch_make(top_fd, RUN, &err);
	CHECK(run_shell("cd %s/%s && mkdir -p a/m b", top, SCRATCH_PREFIX RUN) == 0);
	text_print(from, sizeof(from), "%s/precious", top);
	text_print(onto, sizeof(onto), "%s/%s/a/m", top, SCRATCH_PREFIX RUN);
	CHECK(mount(from, onto, NULL, MS_BIND, NULL) == 0);
	CHECK(scratch_remove(top_fd, RUN, fd, NULL, &err) == -EXDEV);
	CHECK(strstr(err.text, "a/m: another file system is mounted there") != NULL);
	CHECK(is_precious_there());
	CHECK(exists(SCRATCH_PREFIX RUN "/owner"));
	CHECK(!exists(SCRATCH_PREFIX RUN "/b"));
	CHECK(umount(onto) == 0);
	CHECK(scratch_remove(top_fd, RUN, fd, NULL, &err) == 0);
}

static void test_mount_inside(void)
{
	if (!mounts_are_private()) {
		printf("(skipped: needs root and private mounts) ");
		return;
	}
	make_top();
	run_in_child(check_mount_inside);
	remove_top();
}

/* No room for the marker: nothing is left behind. */
static void check_no_room(void)
{
	char path[PATH_MAX];
	struct error err = { 0 };
	int fd;

	enter_namespace();
	text_print(path, sizeof(path), "%s/tight", top);
	CHECK(mkdir(path, 0755) == 0);
	CHECK(mount("none", path, "tmpfs", 0, "nr_inodes=2") == 0);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	CHECK(scratch_make(fd, RUN, &err) == -ENOSPC);
	CHECK(strstr(err.text, "owner") != NULL);
	CHECK(faccessat(fd, SCRATCH_PREFIX RUN, F_OK, 0) != 0);
}

static void test_no_room(void)
{
	if (!mounts_are_private()) {
		printf("(skipped: needs root and private mounts) ");
		return;
	}
	make_top();
	run_in_child(check_no_room);
	remove_top();
}

void suite_scratch(void)
{
	CU_pSuite suite = CU_add_suite("scratch", NULL, NULL);

	CU_add_test(suite, "make, empty, remove", test_make_and_remove);
	CU_add_test(suite, "names and directories that are refused", test_make_refusals);
	CU_add_test(suite, "a dead run's is found and cleaned", test_dead);
	CU_add_test(suite, "a live owner's is left alone", test_alive);
	CU_add_test(suite, "a process not yet reaped is dead", test_zombie);
	CU_add_test(suite, "no marker of ours: never touched", test_foreign);
	CU_add_test(suite, "links and files with such names", test_not_a_directory);
	CU_add_test(suite, "another user's is left alone", test_other_user);
	CU_add_test(suite, "closed directories; the marker comes back", test_closed_modes);
	CU_add_test(suite, "ten thousand levels", test_deep);
	CU_add_test(suite, "many entries", test_wide);
	CU_add_test(suite, "held and cancelled", test_hold_and_cancel);
	CU_add_test(suite, "moved away while it is removed", test_moved_away);
	CU_add_test(suite, "replaced before it is removed", test_replaced);
	CU_add_test(suite, "directories swapped for links", test_swapped);
	CU_add_test(suite, "a mount inside", test_mount_inside);
	CU_add_test(suite, "no room for the marker", test_no_room);
}
