/*
 * CPU time: of a thread, of the whole machine.
 *
 * Thread times come from getrusage(RUSAGE_THREAD) in the thread itself, or from its CPU clock when
 * another thread looks. Machine times are /proc/stat ticks (10 ms on most kernels, 4 ms here):
 * useless below 0.4 s.
 */
#ifndef FSDERBY_MEASURE_CPU_H
#define FSDERBY_MEASURE_CPU_H

#include <pthread.h>
#include <stdint.h>

struct cpu_times {
	uint64_t user_ns, system_ns;
};

/* Of the calling thread. */
void cpu_read_thread(struct cpu_times *times);
/* Of this whole process with the children it has waited for. */
void cpu_read_process(struct cpu_times *times);
/* Of all children waited for (the build workload). */
void cpu_read_children(struct cpu_times *times);
/* User + system of another thread of this process; 0 when it cannot be read. */
uint64_t cpu_thread_ns(pthread_t thread);

struct cpu_machine {
	uint64_t busy_ticks, total_ticks, steal_ticks;
	uint64_t user_ticks; /* in user mode: processes, never the kernel's own threads */
	unsigned n_cpus;
};

/* Returns 0 or a negative errno. Keeps /proc/stat open between calls (one caller a reader). */
struct cpu_reader {
	int fd;
};

int cpu_reader_init(struct cpu_reader *reader);
void cpu_reader_release(struct cpu_reader *reader);
int cpu_read_machine(struct cpu_reader *reader, struct cpu_machine *machine);

/* Busy share of the machine in percent (100 = all CPUs busy) between two readings; steal apart.
 * -1 where no tick lies between them. */
double cpu_machine_percent(const struct cpu_machine *before, const struct cpu_machine *after);
double cpu_steal_percent(const struct cpu_machine *before, const struct cpu_machine *after);

#endif
