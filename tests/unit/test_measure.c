/*
 * Clock, CPU times and device statistics, as far as a test can know them: against a second way to
 * read the same, and the arithmetic on made-up readings. CUnit. Needs no root and no block device.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/cpu.h"
#include "measure/device.h"

void suite_measure(void);

enum { BURN_MS = 60 };

/* Work for this much CPU time of the calling thread. */
static void burn(unsigned ms)
{
	struct timespec now;
	uint64_t end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	end = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec + ms * UINT64_C(1000000);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec < end);
}

static uint64_t total_ns(const struct cpu_times *times)
{
	return times->user_ns + times->system_ns;
}

static void test_clock(void)
{
	struct timespec pause = { 0, 2000000 };
	uint64_t before = clock_now_ns(), last = before;
	unsigned back = 0;

	for (unsigned i = 0; i < 10000; i++) {
		uint64_t now = clock_now_ns();

		back += now < last;
		last = now;
	}
	CU_ASSERT_EQUAL(back, 0);
	nanosleep(&pause, NULL);
	CU_ASSERT(clock_now_ns() - before >= 2000000);
	CU_ASSERT_DOUBLE_EQUAL(clock_seconds(1500000000), 1.5, 1e-12);
	CU_ASSERT(
	        llabs((long long)(clock_utc_ns() / CLOCK_SECOND_NS) - (long long)time(NULL)) <= 1);
}

static void test_utc(void)
{
	char out[CLOCK_TEXT_MAX];

	CU_ASSERT_STRING_EQUAL(clock_print_utc(out, 0), "1970-01-01T00:00:00.000000Z");
	CU_ASSERT_STRING_EQUAL(
	        clock_print_utc(out, UINT64_C(951782400123456789)), "2000-02-29T00:00:00.123456Z");
	CU_ASSERT_STRING_EQUAL(
	        clock_print_utc(out, UINT64_C(1796083425000001999)), "2026-12-01T00:03:45.000001Z");
	CU_ASSERT_STRING_EQUAL(clock_print_utc(out, UINT64_MAX), "2554-07-21T23:34:33.709551Z");
	setenv("TZ", "JST-9", 1);
	tzset();
	CU_ASSERT_STRING_EQUAL(clock_print_utc(out, 0), "1970-01-01T00:00:00.000000Z");
	unsetenv("TZ");
	tzset();
}

static void test_thread_time(void)
{
	struct cpu_times before, after;
	uint64_t seen = cpu_thread_ns(pthread_self());

	cpu_read_thread(&before);
	burn(BURN_MS);
	cpu_read_thread(&after);
	CU_ASSERT(after.user_ns >= before.user_ns && after.system_ns >= before.system_ns);
	/* Exact in sum; a tick of 10 ms for what reads only ticks. */
	CU_ASSERT(total_ns(&after) - total_ns(&before) >= (BURN_MS - 10) * UINT64_C(1000000));
	CU_ASSERT(cpu_thread_ns(pthread_self()) - seen >= BURN_MS * UINT64_C(1000000));
}

struct burner {
	struct cpu_times times;
	atomic_int state; /* 1: has burnt, 2: may end */
};

static void *burn_and_wait(void *argument)
{
	struct burner *burner = argument;
	struct timespec nap = { 0, 1000000 };

	burn(BURN_MS);
	cpu_read_thread(&burner->times);
	atomic_store(&burner->state, 1);
	while (atomic_load(&burner->state) != 2)
		nanosleep(&nap, NULL);
	return NULL;
}

/* A thread's time is its own: seen from outside, and not charged to who looks. */
static void test_other_thread(void)
{
	struct timespec nap = { 0, 1000000 };
	struct burner burner = { 0 };
	struct cpu_times before, after;
	pthread_t thread;

	cpu_read_thread(&before);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, burn_and_wait, &burner), 0);
	while (atomic_load(&burner.state) == 0)
		nanosleep(&nap, NULL);
	CU_ASSERT(cpu_thread_ns(thread) >= BURN_MS * UINT64_C(1000000));
	CU_ASSERT(total_ns(&burner.times) >= (BURN_MS - 10) * UINT64_C(1000000));
	cpu_read_thread(&after);
	CU_ASSERT(total_ns(&after) - total_ns(&before) < BURN_MS * UINT64_C(1000000));
	atomic_store(&burner.state, 2);
	pthread_join(thread, NULL);
}

static void test_children(void)
{
	struct cpu_times before, after, all_before, all_after;
	int status = -1;
	pid_t child;

	cpu_read_children(&before);
	cpu_read_process(&all_before);
	child = fork();
	if (child == 0) {
		burn(BURN_MS);
		_exit(0);
	}
	CU_ASSERT_FATAL(child > 0);
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	cpu_read_children(&after);
	cpu_read_process(&all_after);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT(
	        total_ns(&all_after) - total_ns(&all_before) >= (BURN_MS - 10) * UINT64_C(1000000));
	CU_ASSERT(total_ns(&after) - total_ns(&before) >= (BURN_MS - 10) * UINT64_C(1000000));
}

/* The reader against the first line of /proc/stat read a second time. */
static void test_machine(void)
{
	unsigned long long t[10] = { 0 };
	struct cpu_machine before, after;
	struct cpu_reader reader;
	FILE *file;

	CU_ASSERT_EQUAL_FATAL(cpu_reader_init(&reader), 0);
	CU_ASSERT_EQUAL(cpu_read_machine(&reader, &before), 0);
	file = fopen("/proc/stat", "re");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0],
	                        &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7], &t[8], &t[9]),
	        10);
	fclose(file);
	burn(BURN_MS);
	CU_ASSERT_EQUAL(cpu_read_machine(&reader, &after), 0);
	/* user nice system idle iowait irq softirq steal; guest is in user and not added again */
	CU_ASSERT(before.busy_ticks <= t[0] + t[1] + t[2] + t[5] + t[6]);
	CU_ASSERT(after.busy_ticks >= t[0] + t[1] + t[2] + t[5] + t[6]);
	CU_ASSERT(before.total_ticks <= t[0] + t[1] + t[2] + t[3] + t[4] + t[5] + t[6] + t[7]);
	CU_ASSERT(before.steal_ticks <= t[7] && after.steal_ticks >= t[7]);
	CU_ASSERT_EQUAL(before.n_cpus, (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	CU_ASSERT(cpu_machine_percent(&before, &after) > 0);
	CU_ASSERT(cpu_machine_percent(&before, &after) <= 100);
	cpu_reader_release(&reader);
	CU_ASSERT_EQUAL(cpu_read_machine(&reader, &after), -EBADF);
	cpu_reader_release(&reader);
}

/* A file in the format of /proc/stat, unlinked, in place of it. */
static int fake_stat(const char *text, struct cpu_machine *machine)
{
	struct cpu_reader reader = { -1 };
	FILE *file = tmpfile();
	int code;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(text, file);
	fflush(file);
	reader.fd = fileno(file);
	code = cpu_read_machine(&reader, machine);
	fclose(file);
	return code;
}

static void test_stat_lines(void)
{
	struct cpu_machine machine = { 0 };

	CU_ASSERT_EQUAL(fake_stat("cpu  100 20 30 4000 500 6 7 80 90 10\n"
	                          "cpu0 50 10 15 2000 250 3 3 40 45 5\n"
	                          "cpu1 50 10 15 2000 250 3 4 40 45 5\n"
	                          "intr 1 2 3\nctxt 4\nprocesses 5\n",
	                        &machine),
	        0);
	CU_ASSERT_EQUAL(machine.busy_ticks, 100 + 20 + 30 + 6 + 7);
	CU_ASSERT_EQUAL(machine.user_ticks, 100 + 20);
	CU_ASSERT_EQUAL(machine.steal_ticks, 80);
	CU_ASSERT_EQUAL(machine.total_ticks, 100 + 20 + 30 + 4000 + 500 + 6 + 7 + 80);
	CU_ASSERT_EQUAL(machine.n_cpus, 2);
	CU_ASSERT(fake_stat("", &machine) < 0);
	CU_ASSERT(fake_stat("cpu 1 2\n", &machine) < 0);
	CU_ASSERT(fake_stat("intr 1 2 3 4 5\n", &machine) < 0);
}

static void test_machine_percent(void)
{
	struct cpu_machine before = { .busy_ticks = 1000, .total_ticks = 5000, .steal_ticks = 10 };
	struct cpu_machine after = { .busy_ticks = 1060, .total_ticks = 5200, .steal_ticks = 30 };

	CU_ASSERT_DOUBLE_EQUAL(cpu_machine_percent(&before, &after), 30, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(cpu_steal_percent(&before, &after), 10, 1e-9);
	CU_ASSERT_EQUAL(cpu_machine_percent(&before, &before), -1);
	CU_ASSERT_EQUAL(cpu_steal_percent(&before, &before), -1);
	/* Counters that ran backwards never make more than all or less than nothing. */
	after.busy_ticks = 900;
	CU_ASSERT_EQUAL(cpu_machine_percent(&before, &after), 0);
	after.busy_ticks = 9000;
	CU_ASSERT_EQUAL(cpu_machine_percent(&before, &after), 100);
	after.total_ticks = 4000;
	CU_ASSERT_EQUAL(cpu_machine_percent(&before, &after), -1);
}

/* Files in the format of a device's stat, unlinked. */
static void fake_devices(struct device_reader *reader, const char *const *texts, unsigned n)
{
	reader->n = n;
	for (unsigned i = 0; i < n; i++) {
		FILE *file = tmpfile();

		CU_ASSERT_PTR_NOT_NULL_FATAL(file);
		fputs(texts[i], file);
		fflush(file);
		reader->fds[i] = dup(fileno(file));
		fclose(file);
	}
}

static void test_device_sum(void)
{
	static const char *const texts[] = {
		"     100        1     2000       30      400        5     6000       70        8"
		"      900     1000       11       12       13       14       15       16\n",
		"1 2 3 4 5 6 7 8 9 101 11\n", /* before 4.18 there were eleven */
	};
	struct device_reader reader;
	struct device_stats stats;

	fake_devices(&reader, texts, 2);
	CU_ASSERT_EQUAL(device_read(&reader, &stats), 0);
	CU_ASSERT_EQUAL(stats.reads, 101);
	CU_ASSERT_EQUAL(stats.writes, 405);
	CU_ASSERT_EQUAL(stats.read_bytes, 2003 * UINT64_C(512));
	CU_ASSERT_EQUAL(stats.written_bytes, 6007 * UINT64_C(512));
	CU_ASSERT_EQUAL(stats.busy_ms, (900 + 101) / 2);
	CU_ASSERT_EQUAL(stats.queue_ms, 1011);
	device_reader_release(&reader);
	CU_ASSERT_EQUAL(reader.n, 0);
	CU_ASSERT_EQUAL(device_read(&reader, &stats), -ENODEV);
}

/* One that does not answer is left out; where none does, that is said. */
static void test_device_gone(void)
{
	static const unsigned none[1][2] = { { 4095, 1048575 } };
	static const char *const some[] = { "", "1 2 3 4 5 6 7 8 9 100 11\n" };
	struct device_reader reader;
	struct device_stats stats;

	fake_devices(&reader, some, 2);
	CU_ASSERT_EQUAL(device_read(&reader, &stats), 0);
	CU_ASSERT_EQUAL(stats.busy_ms, 100);
	device_reader_release(&reader);
	fake_devices(&reader, some, 1);
	CU_ASSERT_EQUAL(device_read(&reader, &stats), -ENODEV);
	device_reader_release(&reader);
	device_reader_init(&reader, none, 1);
	CU_ASSERT_EQUAL(reader.n, 0);
	CU_ASSERT_EQUAL(device_read(&reader, &stats), -ENODEV);
	device_reader_release(&reader);
}

/* The first devices of this machine, where it has any. */
static unsigned find_devices(unsigned (*numbers)[2], unsigned max)
{
	DIR *dir = opendir("/sys/dev/block");
	struct dirent *entry;
	unsigned n = 0;

	if (dir == NULL)
		return 0;
	while (n < max && (entry = readdir(dir)) != NULL)
		n += sscanf(entry->d_name, "%u:%u", &numbers[n][0], &numbers[n][1]) == 2;
	closedir(dir);
	return n;
}

static void test_device_real(void)
{
	unsigned numbers[DEVICE_READER_MAX + 4][2],
	        n = find_devices(numbers, DEVICE_READER_MAX + 4);
	struct device_reader reader;
	struct device_stats before, after;

	device_reader_init(&reader, (const unsigned(*)[2])numbers, n);
	CU_ASSERT(reader.n <= n && reader.n <= DEVICE_READER_MAX);
	CU_ASSERT(n == 0 || reader.n > 0);
	if (reader.n > 0) {
		CU_ASSERT_EQUAL(device_read(&reader, &before), 0);
		CU_ASSERT_EQUAL(device_read(&reader, &after), 0);
		CU_ASSERT(after.reads >= before.reads && after.writes >= before.writes);
		CU_ASSERT_EQUAL(after.read_bytes % 512, 0);
	}
	device_reader_release(&reader);
}

static void test_device_arithmetic(void)
{
	struct device_stats before = { 1, 2, 512, 1024, 5, 6 },
	                    after = { 11, 22, 5120, 10240, 55, 66 };
	struct device_stats difference = device_subtract(&after, &before), sum = before;

	CU_ASSERT_EQUAL(difference.reads, 10);
	CU_ASSERT_EQUAL(difference.writes, 20);
	CU_ASSERT_EQUAL(difference.read_bytes, 4608);
	CU_ASSERT_EQUAL(difference.written_bytes, 9216);
	CU_ASSERT_EQUAL(difference.busy_ms, 50);
	CU_ASSERT_EQUAL(difference.queue_ms, 60);
	device_accumulate(&sum, &difference);
	CU_ASSERT_EQUAL(memcmp(&sum, &after, sizeof(sum)), 0);
	difference = device_subtract(&before, &after);
	CU_ASSERT_EQUAL(difference.reads, 0);
	CU_ASSERT_EQUAL(difference.written_bytes, 0);
}

/* Against the same two lines read in another way, a little before or after. */
static void test_dirty(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	long long number, total = 0, memory = 0;
	int64_t dirty = device_dirty_kib();
	char line[128];

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "Dirty: %lld kB", &number) == 1 ||
		        sscanf(line, "Writeback: %lld kB", &number) == 1)
			total += number;
		if (sscanf(line, "MemTotal: %lld kB", &number) == 1)
			memory = number;
	}
	fclose(file);
	CU_ASSERT(dirty >= 0 && dirty <= memory);
	/* Others write meanwhile: only the order of magnitude can be compared. */
	CU_ASSERT(llabs(total - (long long)dirty) < 256 * 1024LL);
}

void suite_measure(void)
{
	CU_pSuite suite = CU_add_suite("measure", NULL, NULL);

	CU_add_test(suite, "clock", test_clock);
	CU_add_test(suite, "utc", test_utc);
	CU_add_test(suite, "thread time", test_thread_time);
	CU_add_test(suite, "time of another thread", test_other_thread);
	CU_add_test(suite, "time of children", test_children);
	CU_add_test(suite, "machine", test_machine);
	CU_add_test(suite, "lines of /proc/stat", test_stat_lines);
	CU_add_test(suite, "machine percent", test_machine_percent);
	CU_add_test(suite, "sum of devices", test_device_sum);
	CU_add_test(suite, "devices that are gone", test_device_gone);
	CU_add_test(suite, "devices of this machine", test_device_real);
	CU_add_test(suite, "device arithmetic", test_device_arithmetic);
	CU_add_test(suite, "dirty memory", test_dirty);
}
