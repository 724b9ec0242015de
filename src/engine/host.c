/*
 * Facts of the machine a run was measured on. Any thread; reads /proc only.
 */
#include <stdio.h>
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
}
