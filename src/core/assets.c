#include "core/assets.h"

#include <stddef.h>
#include <string.h>

const char *asset_find(const char *name)
{
	for (const struct asset *asset = asset_table; asset->name != NULL; asset++)
		if (strcmp(asset->name, name) == 0)
			return asset->text;
	return NULL;
}
