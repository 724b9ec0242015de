/*
 * The race: panes above, the table below, put into the places of a layout. Main thread only.
 */
#include "core/text.h"
#include "ui/parts.h"

/* The vertical rules of the lines between @from and @to that are no headings. */
static void draw_verticals(
        const struct canvas *canvas, const struct frame *frame, const struct layout *layout)
{
	const struct glyphs *glyphs = canvas->glyphs;
	const struct table *table = frame->table;
	int last = layout->table_y + (int)layout->n_lines;

	for (int y = 1; y < last; y++) {
		unsigned line = layout->first_line + (unsigned)(y - layout->table_y);
		bool is_heading = false;

		if (y == layout->rule_y[0] || y == layout->rule_y[1])
			continue;
		if (y >= layout->table_y && line < table->n_lines)
			is_heading = table->lines[line].kind == LINE_HEADING;
		if (is_heading)
			continue;
		for (int i = 0; i < layout->n_joints; i++)
			canvas_put(canvas, y, (struct span){ layout->joints[i], 1 }, ROLE_RULE,
			        glyphs->vertical);
	}
}

static void draw_rules(const struct canvas *canvas, const struct layout *layout)
{
	const struct glyphs *glyphs = canvas->glyphs;
	const char *const joints[] = { glyphs->down, glyphs->cross, glyphs->up };

	for (unsigned i = 0; i < 3; i++)
		if (layout->rule_y[i] >= 0)
			canvas_rule(canvas, layout->rule_y[i], joints[i], layout->joints);
}

void race_draw(const struct canvas *canvas, const struct frame *frame, const struct layout *layout)
{
	draw_rules(canvas, layout);
	draw_verticals(canvas, frame, layout);
	panes_draw(canvas, frame, layout);
	race_table_draw(canvas, frame, layout);
	legend_draw(canvas, frame, layout->legend_y);
	log_draw(canvas, frame, layout->log_y);
}
