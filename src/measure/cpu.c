/*
 * CPU times from getrusage, thread clocks and /proc/stat. See cpu.h for threads.
 */
#include "measure/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void read_usage(int who, struct cpu_times *times)
{
	struct rusage usage;

	memset(times, 0, sizeof(*times));
	if (getrusage(who, &usage) != 0)
		return;
	times->user_ns = (uint64_t)usage.ru_utime.tv_sec * 1000000000U +
	                 (uint64_t)usage.ru_utime.tv_usec * 1000U;
	times->system_ns = (uint64_t)usage.ru_stime.tv_sec * 1000000000U +
	                   (uint64_t)usage.ru_stime.tv_usec * 1000U;
}

void cpu_read_thread(struct cpu_times *times)
{
	read_usage(RUSAGE_THREAD, times);
}

void cpu_read_children(struct cpu_times *times)
{
	read_usage(RUSAGE_CHILDREN, times);
}

void cpu_read_process(struct cpu_times *times)
{
	struct cpu_times children;

	read_usage(RUSAGE_SELF, times);
	read_usage(RUSAGE_CHILDREN, &children);
	times->user_ns += children.user_ns;
	times->system_ns += children.system_ns;
}

uint64_t cpu_thread_ns(pthread_t thread)
{
	struct timespec used;
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000U + (uint64_t)used.tv_nsec;
}

int cpu_reader_init(struct cpu_reader *reader)
{
	reader->fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	return reader->fd < 0 ? -errno : 0;
}

void cpu_reader_release(struct cpu_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
}

/* Lines "cpuN": those that are online. More than the text holds are asked for elsewhere. */
static unsigned count_cpus(const char *text)
{
	const char *p = strstr(text, "\ncpu");
	unsigned n = 0;

	if (strstr(text, "\nintr") == NULL)
		return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	for (; p != NULL; p = strstr(p + 1, "\ncpu"))
		n++;
	return n;
}

/* "cpu user nice system idle iowait irq softirq steal guest guest_nice"; guest times are already
 * in user and nice (Documentation/filesystems/proc.rst). */
int cpu_read_machine(struct cpu_reader *reader, struct cpu_machine *machine)
{
	char text[8192];
	unsigned long long t[8] = { 0 };
	ssize_t n = pread(reader->fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
	            &t[4], &t[5], &t[6], &t[7]) < 4)
		return -EIO;
	machine->busy_ticks = t[0] + t[1] + t[2] + t[5] + t[6];
	machine->steal_ticks = t[7];
	machine->user_ticks = t[0] + t[1];
	machine->total_ticks = machine->busy_ticks + t[3] + t[4] + t[7];
	machine->n_cpus = count_cpus(text);
	return 0;
}

/* Idle and iowait can run backwards (proc.rst), so the parts are not trusted to add up. */
static double percent(uint64_t part, uint64_t part_before, uint64_t all, uint64_t all_before)
{
	if (all <= all_before)
		return -1;
	if (part < part_before)
		return 0;
	return fmin((double)(part - part_before) * 100 / (double)(all - all_before), 100);
}

double cpu_machine_percent(const struct cpu_machine *before, const struct cpu_machine *after)
{
	return percent(
	        after->busy_ticks, before->busy_ticks, after->total_ticks, before->total_ticks);
}

double cpu_steal_percent(const struct cpu_machine *before, const struct cpu_machine *after)
{
	return percent(
	        after->steal_ticks, before->steal_ticks, after->total_ticks, before->total_ticks);
}
