/*
 * A stretch of cells on a line.
 */
#ifndef FSDERBY_UI_SPAN_H
#define FSDERBY_UI_SPAN_H

struct span {
	int x, width;
};

#endif
