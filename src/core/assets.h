/*
 * Files built into the program (themes, profiles), so that it works without being installed.
 * The table is generated at build time. Any thread.
 */
#ifndef FSDERBY_CORE_ASSETS_H
#define FSDERBY_CORE_ASSETS_H

struct asset {
	const char *name; /* path in the source tree: "themes/default.theme" */
	const char *text;
};

/* Ends with a NULL name. */
extern const struct asset asset_table[];

/* The text of the file called @name, or NULL. */
const char *asset_find(const char *name);

#endif
