#!/bin/sh
# Lines covered by the tests, a row for each folder (`make coverage`), by gcov, which comes with gcc.
# Usage: coverage.sh FOLDER (build-coverage).
set -eu

folder=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$tree"

[ -n "$(find "$folder" -name '*.gcda' -print -quit)" ] || {
	echo "coverage: no test has run in $folder" >&2
	exit 1
}

# Lines "file covered lines"; of what several objects hold (headers) the best.
find "$folder" -name '*.gcda' -exec gcov --no-output --source-prefix "$tree" {} + 2>/dev/null |
	awk '/^File / { file = substr($0, 7, length($0) - 7) }
		/^Lines executed:/ && file != "" {
			split($0, part, /[:% ]+/)
			lines = part[5]
			print file, int(part[3] * lines / 100 + 0.5), lines
			file = ""
		}' | sort -k1,1 -k2,2nr | awk '!seen[$1]++' >"$scratch/files"
[ -s "$scratch/files" ] || {
	echo "coverage: gcov, which comes with gcc, tells nothing" >&2
	exit 1
}

sed "s|^$tree/||" "$scratch/files" | awk '
	$1 !~ /^(src|workloads|ui)\// || $1 !~ /\.[ch]$/ { next }
	{
		n = split($1, part, "/")
		name = part[1]
		if (name == "src")
			name = n > 2 ? "src/" part[2] : "src"
		hit[name] += $2
		all[name] += $3
		hit["total"] += $2
		all["total"] += $3
		if ($3 >= 20 && $2 / $3 < 0.5)
			low = low sprintf("  %-28s %5.1f %%\n", $1, 100 * $2 / $3)
	}
	END {
		printf "%-14s %8s %8s %8s\n", "folder", "lines", "covered", "share"
		for (name in all)
			if (name != "total")
				printf "%-14s %8d %8d %6.1f %%\n", name, all[name], hit[name],
					100 * hit[name] / all[name] | "sort"
		close("sort")
		if (all["total"] > 0)
			printf "%-14s %8d %8d %6.1f %%\n", "total", all["total"], hit["total"],
				100 * hit["total"] / all["total"]
		if (low != "")
			printf "\nless than half covered:\n%s", low
	}'
