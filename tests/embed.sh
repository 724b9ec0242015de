#!/bin/sh
# Print C that holds the named files as strings (src/core/assets.h). Used by the Makefile.
set -eu
echo '#include "core/assets.h"'
echo 'const struct asset asset_table[] = {'
for file in "$@"; do
	printf '\t{ "%s",\n' "$file"
	sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/\t\t"&\\n"/' "$file"
	echo '	},'
done
echo '	{ 0, 0 },'
echo '};'
