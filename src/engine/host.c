/*
 * Facts of the machine a run was measured on. Any thread; reads /proc only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/text.h"
#include "engine/director.h"

static void read_cpuinfo(struct report_host *host)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[4096];

	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL) {
		char *value = strchr(line, ':');

		if (value == NULL)
			continue;
		value[strcspn(value, "\n")] = '\0';
		if (strncmp(line, "model name", 10) == 0 && host->cpu[0] == '\0')
			text_print(host->cpu, sizeof(host->cpu), "%s", value + 2);
		if (strncmp(line, "flags", 5) == 0 && strstr(value, " hypervisor") != NULL)
			host->is_virtual = true;
	}
	fclose(file);
}

/* First line of a small file; false when it cannot be read. */
static bool read_line(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");
	bool has;

	out[0] = '\0';
	if (file == NULL)
		return false;
	has = fgets(out, (int)size, file) != NULL;
	fclose(file);
	out[strcspn(out, "\n")] = '\0';
	return has;
}

/* Limits of the control group this process is in (cgroup v2; "max" is none). */
static void read_cgroup(struct report_host *host)
{
	char group[512], path[640], line[128];
	unsigned long long quota, period;

	if (!read_line("/proc/self/cgroup", group, sizeof(group)) || strncmp(group, "0::", 3) != 0)
		return;
	text_print(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", group + 3);
	if (read_line(path, line, sizeof(line)) &&
	        sscanf(line, "%llu %llu", &quota, &period) == 2 && period > 0)
		host->cpu_limit = (double)quota / (double)period;
	text_print(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group + 3);
	if (read_line(path, line, sizeof(line)) && sscanf(line, "%llu", &quota) == 1)
		host->memory_limit_bytes = quota;
}

void host_fill(struct report_host *host)
{
	struct utsname names;
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	memset(host, 0, sizeof(*host));
	if (uname(&names) == 0) {
		text_print(host->name, sizeof(host->name), "%s", names.nodename);
		text_print(host->kernel, sizeof(host->kernel), "%s", names.release);
	}
	host->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	if (pages > 0 && page > 0)
		host->memory_bytes = (uint64_t)pages * (uint64_t)page;
	read_cpuinfo(host);
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", host->governor,
	        sizeof(host->governor));
	if (getloadavg(&host->load_1min, 1) != 1)
		host->load_1min = 0;
	read_cgroup(host);
}
