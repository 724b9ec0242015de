#!/bin/sh
# Every measurement of the program itself, one report (`make bench`): all programs in the folder
# given, then all other scripts beside this one. FSDERBY names the program, BENCH a pattern that
# chooses (BENCH='pause*'). Exit status 1 when one of them fails.
set -u

folder=$1
here=$(cd "$(dirname "$0")" && pwd)
failed=

echo "# fsderby bench: $(date -u +%Y-%m-%dT%H:%M:%SZ), $(uname -sr), $(getconf _NPROCESSORS_ONLN) CPUs"
grep -m 1 '^model name' /proc/cpuinfo | sed 's/^[^:]*: /# /'
for bench in "$folder"/* "$here"/*.sh; do
	name=$(basename "$bench")
	[ -f "$bench" ] && [ "$name" != run.sh ] || continue
	case $name in
	${BENCH:-*}) ;;
	*) continue ;;
	esac
	printf '\n## %s\n\n' "${name%.sh}"
	begin=$(date +%s)
	status=0
	case $name in
	*.sh) sh "$bench" </dev/null || status=$? ;;
	*) "$bench" </dev/null || status=$? ;;
	esac
	echo "($(($(date +%s) - begin)) s)"
	case $status in
	0) ;;
	77) echo "left out: see above" ;;
	*)
		echo "FAILED: exit status $status"
		failed="$failed $name"
		;;
	esac
done
[ -z "$failed" ] || {
	printf '\nfailed:%s\n' "$failed"
	exit 1
}
