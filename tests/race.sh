#!/bin/sh
# Show a race at once (`make run`): the quick profile. As root on ext4, XFS and Btrfs that the lab
# makes beside the build folder; else, or where there are no loop devices, on the disk that holds the
# build folder and on memory (/dev/shm). On a terminal it is the dashboard, else progress lines and
# the table. What it makes is gone afterwards. Usage: race.sh PROGRAM [OPTION...]
set -eu

program=$1
shift
build=${program%/*}
disk= memory=
clean_up() {
	rm -rf ${disk:+"$disk"} ${memory:+"$memory"}
	rmdir "$build/race" 2>/dev/null || true
}
# The program gets Ctrl-C itself and ends in order; its exit status is ours.
trap : INT
trap 'exit 129' HUP
trap 'exit 143' TERM
trap clean_up EXIT

[ -t 0 ] && [ -t 1 ] || set -- --batch "$@"

# Exit status 2: it could not start, and has said why.
race_in_lab() {
	if [ "$(id -u)" -ne 0 ]; then
		echo "race: not root: on directories (as root: on file systems of its own)" >&2
		return 2
	fi
	if [ ! -w /dev/loop-control ]; then
		echo "race: no loop devices here: on directories" >&2
		return 2
	fi
	status=0
	"$program" lab --on "$build" "$@" ext4 xfs btrfs || status=$?
	[ "$status" -ne 2 ] || echo "race: no lab here: on directories" >&2
	return "$status"
}

race_on_directories() {
	mkdir -p "$build/race"
	disk=$(mktemp -d "$build/race/disk.XXXXXX")
	if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ]; then
		memory=$(mktemp -d /dev/shm/fsderby-race.XXXXXX)
	else
		echo "race: /dev/shm is no tmpfs of ours: without a target in memory" >&2
	fi
	status=0
	"$program" "$@" "$disk" ${memory:+"$memory"} || status=$?
	return "$status"
}

status=0
race_in_lab "$@" || status=$?
if [ "$status" -eq 2 ]; then
	status=0
	race_on_directories "$@" || status=$?
fi
exit "$status"
