/*
 * The head of the text export: what ran, where, and under which conditions.
 */
#include <string.h>

#include "core/units.h"
#include "export/page.h"
#include "measure/clock.h"

enum {
	ROUNDS_MIN = 3,   /* below there is no comparison */
	HEAD_INDENT = 11, /* behind the names of the lines */
};

/* A line of the head. Takes the contents of @text and empties it. */
static void add_line(const struct page *page, const char *name, struct text *text)
{
	text_format(page->out, "%-*s", HEAD_INDENT, name);
	page_add_wrapped(page, HEAD_INDENT, text_string(text));
	page->out->failed |= text->failed;
	text_release(text);
	text_init(text);
}

static void add_rounds(struct text *line, const struct report *report)
{
	text_format(line, "%u round%s", report->rounds, report->rounds == 1 ? "" : "s");
	if (report->rounds < ROUNDS_MIN)
		text_add(line, ": no comparison");
}

static void add_conditions(const struct page *page)
{
	const struct report *report = page->view->report;
	struct text line;

	text_init(&line);
	add_rounds(&line, report);
	add_line(page, "rounds", &line);
	page_add_ascii(&line, report->schedule);
	if (report->schedule_reason[0]) {
		text_add(&line, ": ");
		page_add_ascii(&line, report->schedule_reason);
	}
	add_line(page, "schedule", &line);
	text_format(&line, "%llu, profile ", (unsigned long long)report->seed);
	page_add_ascii(&line, report->profile[0] ? report->profile : "none");
	text_add(&line, ", flush ");
	page_add_ascii(&line, !strcmp(report->flush, "default") ? "by workload" : report->flush);
	text_add(&line, report->is_cold ? ", cold" : ", not cold");
	add_line(page, "seed", &line);
}

static void add_host(const struct page *page)
{
	const struct report_host *host = &page->view->report->host;
	char memory[UNITS_TEXT_MAX];
	struct text line;

	text_init(&line);
	page_add_ascii(&line, host->name);
	text_add(&line, ", kernel ");
	page_add_ascii(&line, host->kernel);
	text_format(&line, ", %u x ", host->cpus);
	page_add_ascii(&line, host->cpu[0] ? host->cpu : "CPU");
	text_format(&line, ", %s memory%s", units_format_bytes(memory, (double)host->memory_bytes),
	        host->is_virtual ? ", virtual machine" : "");
	add_line(page, "host", &line);
}

static void add_times(const struct page *page)
{
	char utc[CLOCK_TEXT_MAX];
	struct text line;

	text_init(&line);
	text_add(&line, clock_print_utc(utc, page->view->report->started_utc_ns));
	add_line(page, "started", &line);
	if (!page->view->ended_utc_ns) {
		text_add(&line, "not yet: the run goes on");
	} else {
		text_add(&line, clock_print_utc(utc, page->view->ended_utc_ns));
		if (!page->view->is_complete)
			text_add(&line, " before all was done");
	}
	add_line(page, "ended", &line);
}

/* How the lab made it. */
static void add_making(struct text *line, const struct target *target)
{
	char size[UNITS_TEXT_MAX];

	if (target->mkfs[0] == '\0')
		return;
	text_format(line, ", image of %s, ", units_format_bytes(size, (double)target->image_bytes));
	page_add_ascii(line, target->mkfs);
	text_add(line, (target->flags & TARGET_LOOP_CACHED) != 0 ? ", loop cached"
	                                                         : ", loop with direct I/O");
}

static void add_target(const struct page *page, const struct target *target, bool is_first)
{
	char text[TARGET_OPTIONS_MAX + PATH_MAX], size[UNITS_TEXT_MAX], free_space[UNITS_TEXT_MAX];
	struct text line;

	text_init(&line);
	page_add_ascii(&line, target->label);
	text_add(&line, ": ");
	page_add_ascii(&line, target->path);
	text_add(&line, ", ");
	page_add_ascii(&line, target_describe(target, text, sizeof(text)));
	text_format(&line, ", %s, %s free", units_format_bytes(size, (double)target->size_bytes),
	        units_format_bytes(free_space, (double)target->free_bytes));
	if (target->flags) {
		text_add(&line, ", ");
		page_add_ascii(&line, target_flag_names(target->flags, text, sizeof(text)));
	}
	add_making(&line, target);
	add_line(page, is_first ? "targets" : "", &line);
}

void page_add_head(const struct page *page)
{
	const struct report *report = page->view->report;
	struct text line;

	text_init(&line);
	page_add_ascii(&line, report->version);
	add_line(page, "fsderby", &line);
	page_add_ascii(&line, report->id);
	add_line(page, "run", &line);
	page_add_ascii(&line, report->command ? report->command : "");
	add_line(page, "command", &line);
	add_host(page);
	add_times(page);
	add_conditions(page);
	for (unsigned i = 0; i < report->n_targets; i++)
		add_target(page, &report->targets[i], i == 0);
}
