/*
 * The page of F1, made from the tables of keys, marks and metrics; and the scrolling pages' lines.
 * Main thread only.
 */
#include <stdarg.h>
#include <stdio.h>

#include "core/text.h"
#include "ui/parts.h"

static const char *const pane_help[] = {
	"  throughput  units of work of the phase a second, a sample an interval",
	"  latency     of all operations in the last second: half took at most",
	"              p50, 99 of 100 at most p99",
	"  cpu         user and system time of the workers, 100 = one core",
	"  all         busy share of the whole machine",
	"  device      time the disk at the bottom was busy",
	"  write       bytes written to the device for each byte asked for",
};

void pager_line(struct pager *pager, int role, const char *text)
{
	unsigned line = pager->n++;
	int y;

	if (line < pager->first || line - pager->first >= (unsigned)pager->rows)
		return;
	y = pager->top_y + (int)(line - pager->first);
	canvas_put(pager->canvas, y, (struct span){ 1, getmaxx(pager->canvas->window) - 1 }, role,
	        text);
}

void pager_format(struct pager *pager, int role, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pager_line(pager, role, text);
}

static void add_keys(struct pager *pager, const struct frame *frame)
{
	const struct key_binding *binding;

	pager_line(pager, ROLE_TITLE, "Keys");
	for (unsigned i = 0; (binding = keys_at(i)) != NULL; i++)
		if ((binding->pages & (1U << frame->view->back | 1U << PAGE_HELP)) != 0)
			pager_format(pager, ROLE_TEXT, "  %-10s %s", binding->name, binding->help);
	pager_format(pager, ROLE_TEXT, "  %-10s %s", "Ctrl-C",
	        "end the run in order; again within 2 s: leave at once");
	pager_format(pager, ROLE_TEXT, "  %-10s %s", "Ctrl-Z",
	        "pause the load and go to the shell; fg goes on");
}

static void add_marks(struct pager *pager)
{
	pager_line(pager, ROLE_TITLE, "Marks in cells");
	for (unsigned bit = 0; bit < MARK_COUNT; bit++)
		pager_format(pager, ROLE_TEXT, "  %s %-9s %s",
		        mark_glyph(pager->canvas->glyphs, bit), mark_table[bit].word,
		        mark_table[bit].help);
	pager_format(pager, ROLE_TEXT, "  %s %-9s %s", pager->canvas->glyphs->live, "runs",
	        "the cell moves while its phase runs");
	pager_line(
	        pager, ROLE_TEXT, "  A cell is the median of its rounds. Rounds that were paused,");
	pager_line(
	        pager, ROLE_TEXT, "  changed or cut are shown by their mark and left out of it.");
}

static void add_metrics(struct pager *pager)
{
	pager_line(pager, ROLE_TITLE, "What a cell can show (m)");
	for (unsigned metric = 0; metric < METRIC_COUNT; metric++)
		pager_format(pager, ROLE_TEXT, "  %-10s %s", metric_table[metric].header,
		        metric_table[metric].help);
	pager_format(pager, ROLE_TEXT, "  %-10s to the first target's median", "ratio");
	pager_format(pager, ROLE_TEXT, "  %-10s half the spread of the rounds, of the median",
	        pager->canvas->glyphs->spread);
}

void help_draw(struct pager *pager, const struct frame *frame)
{
	add_keys(pager, frame);
	pager_line(pager, ROLE_TEXT, "");
	add_marks(pager);
	pager_line(pager, ROLE_TEXT, "");
	add_metrics(pager);
	pager_line(pager, ROLE_TEXT, "");
	pager_line(pager, ROLE_TITLE, "The panes");
	for (unsigned i = 0; i < sizeof(pane_help) / sizeof(pane_help[0]); i++)
		pager_line(pager, ROLE_TEXT, pane_help[i]);
}
