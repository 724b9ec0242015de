#!/bin/sh
# Everything about the source text that a machine can judge: format, clang-tidy, cppcheck, sizes of
# functions and files, width of lines, and who may include whom. Exit status 1 when something is
# wrong. A missing tool is an error too, unless LINT_PARTIAL=1. Names of checks as arguments run
# only those: format width includes words sizes tidy cppcheck.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C # awk counts bytes, whichever awk it is

FUNCTION_WARN=70 FUNCTION_MAX=100 FILE_MAX=800 WIDTH_MAX=100
jobs=2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# Who may include what: a module, then files or folders (with a slash at the end) of ours. A module
# is a folder, or one file, which then stands for itself. The first line that fits counts; what
# has no line is refused. docs/architecture.md draws the same picture.
allowed='
src/core/           core/
src/measure/        measure/
src/results/        core/ measure/ results/
src/engine/         core/ measure/ results/ engine/ workloads/workload.h
src/export/         core/ measure/clock.h results/ export/
src/lab/            core/ engine/run.h engine/managed.h lab/
src/cli/session.c   core/ measure/clock.h results/ engine/ export/ cli/ lab/ ui/ui.h workloads/workload.h
src/cli/session.h   core/ cli/ ui/ui.h
src/cli/options.h   core/ engine/run.h cli/ ui/ui.h workloads/workload.h
src/cli/            core/ measure/clock.h results/ engine/ export/ cli/ lab/ workloads/workload.h
src/main.c          core/ export/export.h cli/ ui/ui.h
workloads/          core/ engine/worker.h engine/op.h workloads/
ui/                 core/ results/ engine/run.h engine/board.h engine/op.h measure/clock.h ui/
tests/              core/ measure/ results/ engine/ export/ lab/ cli/ ui/ workloads/ tests/ ../
'

list_files() {
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -co --exclude-standard -- '*.c' '*.h' | while read -r file; do
			[ ! -e "$file" ] || printf '%s\n' "$file"
		done
	else
		find . -name 'build*' -prune -o -name '*.[ch]' -print | sed 's|^\./||'
	fi | sort -u
}

# Print what a check found (standard input) below its name, and count its lines as problems.
report() {
	cat >"$scratch/found"
	found=$(wc -l <"$scratch/found")
	if [ "$found" -eq 0 ]; then
		echo "  ok    $1"
	else
		echo "  FAIL  $1: $found"
		sed 's/^/        /' "$scratch/found"
		cat "$scratch/found" >>"$scratch/problems" # a variable would stay in the pipe's shell
	fi
}

has_tool() {
	command -v "$1" >/dev/null && return 0
	if [ "${LINT_PARTIAL-}" = 1 ]; then
		echo "  left out: $1 is not installed (sh tests/deps.sh lint)"
	else
		echo "$1 is not installed: sh tests/deps.sh lint (LINT_PARTIAL=1 goes on without)" |
			report "$1"
	fi
	return 1
}

check_format() {
	has_tool clang-format || return
	xargs -P "$jobs" -n 20 clang-format --dry-run <"$scratch/files" 2>&1 |
		sed -n 's/^\([^ ]*:[0-9]*\):[0-9]*: [a-z]*: .*/\1: clang-format -i would change this/p' |
		sort -t: -k1,1 -k2,2n | sort -t: -k1,1 -u | report "format (first place in each file)"
}

check_width() {
	xargs awk -v max="$WIDTH_MAX" '
		{
			line = $0
			while (i = index(line, "\t")) { # a tab goes to the next multiple of 8
				pad = 8 - (length_of(substr(line, 1, i - 1)) % 8)
				line = substr(line, 1, i - 1) substr("        ", 1, pad) substr(line, i + 1)
			}
			if (length_of(line) > max)
				printf "%s:%d: %d columns\n", FILENAME, FNR, length_of(line)
			if ($0 ~ /[ \t]$/)
				printf "%s:%d: blank at the end of the line\n", FILENAME, FNR
		}
		# Characters: bytes that do not continue one.
		function length_of(text) {
			gsub(/[\200-\277]/, "", text)
			return length(text)
		}' <"$scratch/files" | report "lines over $WIDTH_MAX columns"
}

check_includes() {
	printf '%s\n' "$allowed" >"$scratch/allowed"
	xargs awk -v TABLE="$scratch/allowed" '
		BEGIN {
			while ((getline line < TABLE) > 0) {
				n = split(line, word, " ")
				if (n == 0)
					continue
				module[++modules] = word[1]
				rule[modules] = line
			}
		}
		FNR == 1 {
			which = 0
			for (i = modules; i > 0; i--)
				if (index(FILENAME, module[i]) == 1)
					which = i
			if (which == 0)
				printf "%s:1: in no module of the table in tests/lint.sh\n", FILENAME
		}
		which > 0 && /^[ \t]*#[ \t]*include[ \t]*"/ {
			split($0, part, "\"")
			name = part[2]
			if (name !~ /\//) { # beside the file
				dir = FILENAME
				sub(/[^\/]*$/, "", dir)
				name = dir name
				sub(/^src\//, "", name)
			}
			n = split(rule[which], word, " ")
			good = 0
			for (i = 2; i <= n; i++)
				if (name == word[i] || (word[i] ~ /\/$/ && index(name, word[i]) == 1))
					good = 1
			if (!good)
				printf "%s:%d: %s may not include %s\n", FILENAME, FNR, module[which], name
		}
		/^[ \t]*#[ \t]*include[ \t]*<(ncurses[w\/]*|curses|panel|term)/ && FILENAME !~ /^(ui|tests)\// {
			printf "%s:%d: only ui/ has a screen\n", FILENAME, FNR
		}' <"$scratch/files" | report "direction of includes"
}

# Calls that belong in one place. Comments and strings are blanked first.
check_words() {
	xargs awk '
		FNR == 1 { in_comment = 0 }
		{
			line = $0
			gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
			if (in_comment) {
				if (!sub(/^.*\*\//, "", line))
					next
				in_comment = 0
			}
			gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
			if (sub(/\/\*.*/, "", line))
				in_comment = 1
			line = " " line
		}
		FILENAME ~ /^ui\// && line ~ /[^A-Za-z0-9_](l|f)?(stat|statat|statvfs|statfs|statx|unlink|unlinkat|rename|renameat|rmdir|mkdir|opendir|syncfs|fsync|mount|umount)[ ]*\(/ {
			printf "%s:%d: the screen never touches a file system: %s\n", FILENAME, FNR, $0
		}
		FILENAME ~ /^(src|workloads|ui)\// && FILENAME != "src/main.c" && line ~ /[^A-Za-z0-9_](_exit|exit|abort|quick_exit)[ ]*\(/ {
			printf "%s:%d: only main.c exits: %s\n", FILENAME, FNR, $0
		}
		FILENAME ~ /^(src|workloads|ui)\// && line ~ /[^A-Za-z0-9_](sprintf|vsprintf|gets|strtok|system|popen|fork)[ ]*\(/ {
			printf "%s:%d: not to be used here: %s\n", FILENAME, FNR, $0
		}' <"$scratch/files" | report "calls that belong elsewhere"
}

check_sizes() {
	has_tool ctags || return
	ctags --version | grep -q Universal || {
		echo "this ctags is not Universal Ctags: sh tests/deps.sh lint" | report sizes
		return
	}
	ctags --languages=C --langmap=C:.c.h --kinds-C=f --fields=+ne -L "$scratch/files" -f - 2>/dev/null |
		awk -F '\t' '{
			line = end = 0
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^line:/)
					line = substr($i, 6)
				if ($i ~ /^end:/)
					end = substr($i, 5)
			}
			if (end > 0)
				printf "%d %s:%d: %s\n", end - line + 1, $2, line, $1
		}' | sort -n >"$scratch/functions"
	awk '{ n[NR] = $1 }
		END {
			if (NR > 0)
				printf "        %d functions: median %d lines, 90th percentile %d, longest %d\n",
					NR, n[int((NR + 1) / 2)], n[int((NR * 9 + 9) / 10)], n[NR]
		}' "$scratch/functions"
	awk -v low="$FUNCTION_WARN" -v high="$FUNCTION_MAX" '$1 > low && $1 <= high {
			printf "        %s %s has %d lines, over %d: is there a reason?\n", $2, $3, $1, low
		}' "$scratch/functions"
	awk -v high="$FUNCTION_MAX" '$1 > high { printf "%s %s has %d lines, over %d\n", $2, $3, $1, high }' \
		"$scratch/functions" | report "functions over $FUNCTION_MAX lines"
	while read -r file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le "$FILE_MAX" ] || echo "$file: $lines lines, over $FILE_MAX"
	done <"$scratch/files" | report "files over $FILE_MAX lines"
}

# One source file for clang-tidy. What was clean before is not looked at again: build/lint keeps
# a mark named by the hash of all that the answer depends on.
cat >"$scratch/tidy.sh" <<'END'
flags='-std=gnu11 -pthread -D_GNU_SOURCE -DFSDERBY_VERSION="0" -DFSDERBY_DATADIR="x" -Isrc -I.'
flags="$flags $(pkg-config --cflags ncursesw panelw mount blkid jansson inih 2>/dev/null)"
key=$({ echo "$1"; clang-tidy --version; cat .clang-tidy; gcc -E -C $flags "$1"; } 2>&1 | sha256sum)
mark=build/lint/${key%% *}
[ -e "$mark" ] && exit 0
clang-tidy --quiet "$1" -- $flags 2>/dev/null | tee "$2.$$" | grep -E '^[^ ]+:[0-9]+:[0-9]+: (error|warning): '
[ -s "$2.$$" ] || : >"$mark"
rm -f "$2.$$"
END

check_tidy() {
	has_tool clang-tidy || return
	mkdir -p build/lint
	find build/lint -type f -mtime +30 -exec rm -f {} +
	grep -E '^(src|ui|workloads)/.*\.c$' "$scratch/files" |
		xargs -P "$jobs" -I @ sh "$scratch/tidy.sh" @ "$scratch/tidy" |
		sed "s|^$PWD/||; s|^\([^ ]*:[0-9]*\):[0-9]*: [a-z]*: |\1: |; s|,-warnings-as-errors||" |
		sort -u | report clang-tidy
}

check_cppcheck() {
	has_tool cppcheck || return
	grep -E '^(src|ui|workloads)/.*\.c$' "$scratch/files" >"$scratch/units"
	cppcheck -j "$jobs" --quiet --std=c11 --enable=warning,performance,portability \
		--inline-suppr --suppress=missingInclude --suppress=missingIncludeSystem \
		--suppress=unmatchedSuppression --template='{file}:{line}: {message} [{id}]' \
		-D_GNU_SOURCE '-DFSDERBY_VERSION="0"' '-DFSDERBY_DATADIR="x"' -Isrc -I. \
		--file-list="$scratch/units" 2>&1 >/dev/null |
		grep -E '^[^ ]+:[0-9]+: ' | sort -u | report cppcheck
}

list_files >"$scratch/files"
: >"$scratch/problems"
echo "lint: $(wc -l <"$scratch/files") files"
for check in ${*:-format width includes words sizes cppcheck tidy}; do
	case $check in
	format | width | includes | words | sizes | tidy | cppcheck)
		begin=$(date +%s)
		"check_$check"
		took=$(($(date +%s) - begin))
		[ "$took" -lt 5 ] || echo "        ($took s)"
		;;
	*)
		echo "lint: no check '$check'" >&2
		exit 2
		;;
	esac
done
problems=$(wc -l <"$scratch/problems")
[ "$problems" -eq 0 ] || {
	echo "lint: $problems problems"
	exit 1
}
echo "lint: clean"
