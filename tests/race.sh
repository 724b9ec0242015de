#!/bin/sh
# Show a race at once (`make run`): the quick profile on the disk that holds the build folder and on
# memory (/dev/shm). On a terminal it is the dashboard, else progress lines and the table. What it
# makes is removed afterwards. Usage: race.sh PROGRAM [OPTION...]
set -eu

program=$1
shift
disk= memory=
clean_up() {
	rm -rf ${disk:+"$disk"} ${memory:+"$memory"}
	rmdir "${program%/*}/race" 2>/dev/null || true
}
# The program gets Ctrl-C itself and ends in order; its exit status is ours.
trap : INT
trap 'exit 129' HUP
trap 'exit 143' TERM
trap clean_up EXIT

mkdir -p "${program%/*}/race"
disk=$(mktemp -d "${program%/*}/race/disk.XXXXXX")
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ]; then
	memory=$(mktemp -d /dev/shm/fsderby-race.XXXXXX)
else
	echo "race: /dev/shm is no tmpfs of ours: without a target in memory" >&2
fi
[ -t 0 ] && [ -t 1 ] || set -- --batch "$@"
status=0
"$program" "$@" "$disk" ${memory:+"$memory"} || status=$?
exit "$status"
