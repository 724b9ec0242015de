#!/bin/sh
# One short run as a user would do it, on real ext4, XFS, Btrfs and tmpfs made for it: exit status,
# table, exports, and that nothing stays behind. FSDERBY names the program (build/fsderby).
#
# The images are mounted in a private mount namespace and unlinked at once, so that no mount, loop
# device or byte outlives the script. Needs root and loop devices, else exit 77.
set -eu

tree=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${FSDERBY:-$tree/build/fsderby}")

# The fields every JSON export has, and what must hold between them.
check_json() {
	python3 - "$1" <<'END'
import json, sys

RUN = "id started ended command profile seed rounds schedule cold flush host complete"
HOST = "name kernel cpus memory_bytes"
TARGET = "label path fs source options devices size_bytes free_bytes flags"
RESULT = """target workload set phase round segment status started ended start_ns wall_s first_done_s
flush_s paused_s cpu_user_s cpu_system_s cpu_percent machine_percent workers work unit rate bytes
bytes_per_s classic_s repetitions settle_s dirty_kib steal_percent cold_method order device space_bytes
params operations marks error"""
DEVICE = "name read_bytes written_bytes reads writes util_percent bottom paused_read_bytes paused_written_bytes"
OPERATION = "name count errors bytes mean_ns p50_ns p90_ns p99_ns p999_ns max_ns"
PHASES = "create copy slink read stats rename delete".split()
LABELS = "ext4 xfs btrfs tmpfs".split()
wrong = []

def say(text):
    wrong.append(text)

def fields(thing, names, where):
    for name in names.split():
        if name not in thing:
            say(f"{where}: no field {name}")

def strict(pairs):
    if len({name for name, _ in pairs}) != len(pairs):
        say(f"a name twice in one object: {[name for name, _ in pairs]}")
    return dict(pairs)

def no_constant(text):
    raise ValueError(f"{text} is not JSON")

def check_result(r):
    where = f"{r.get('target')} {r.get('phase')}"
    fields(r, RESULT, where)
    if r["status"] != "ok" or r["error"] is not None:
        say(f"{where}: {r['status']} {r['error']}")
        return
    if not r["wall_s"] > 0 or not r["work"] > 0:
        say(f"{where}: no time or no work")
    if r["rate"] is None or abs(r["rate"] - r["work"] / r["wall_s"]) > 1e-6 * r["rate"]:
        say(f"{where}: rate {r['rate']} is not work / wall_s")
    if r["device"] is not None:
        fields(r["device"], DEVICE, where + " device")
    if (r["device"] is None) != (r["target"] == "tmpfs"):
        say(f"{where}: device {r['device']}")
    for op in r["operations"]:
        fields(op, OPERATION, where + " " + op["name"])
        known = [op[n] for n in "p50_ns p90_ns p99_ns p999_ns max_ns".split() if op[n] is not None]
        if known != sorted(known) or op["mean_ns"] > op["max_ns"]:
            say(f"{where} {op['name']}: percentiles fall: {known}")
        if op["errors"]:
            say(f"{where} {op['name']}: {op['errors']} errors")

document = json.load(open(sys.argv[1]), object_pairs_hook=strict, parse_constant=no_constant)
fields(document, "schema version run targets results comparisons changes series", "top")
fields(document["run"], RUN, "run")
fields(document["run"]["host"], HOST, "host")
if document["schema"] != 1 or document["run"]["complete"] is not True:
    say("schema or complete is wrong")
for target in document["targets"]:
    fields(target, TARGET, "target")
if [t["label"] for t in document["targets"]] != LABELS:
    say(f"targets are {[t['label'] for t in document['targets']]}")
for target in document["targets"]:
    if target["fs"] != target["label"]:
        say(f"{target['label']} is found to be {target['fs']}")
results = document["results"]
for r in results:
    check_result(r)
for label in LABELS:
    rows = [r["phase"] for r in results if r["target"] == label]
    if rows != PHASES:
        say(f"{label}: the rows are {rows}")
for phase in PHASES:
    work = {r["work"] for r in results if r["phase"] == phase}
    if len(work) != 1:
        say(f"{phase}: not the same work for all targets: {work}")
for text in wrong[:30]:
    print("endtoend:", text, file=sys.stderr)
print(f"endtoend: {len(results)} results, {len(document['series'])} samples, {len(wrong)} faults")
sys.exit(bool(wrong))
END
}

mount_image() {
	truncate -s 512M "$folder/$1.img"
	"$2" -q ${3:+"$3"} "$folder/$1.img" >/dev/null
	mkdir "$folder/$1"
	mount -o loop "$folder/$1.img" "$folder/$1"
	rm "$folder/$1.img"
}

inside() {
	folder=$1
	mount_image ext4 mkfs.ext4 -F
	mount_image xfs mkfs.xfs
	mount_image btrfs mkfs.btrfs
	mkdir "$folder/tmpfs"
	mount -t tmpfs -o size=256M fsderby-endtoend "$folder/tmpfs"
	targets="ext4=$folder/ext4 xfs=$folder/xfs btrfs=$folder/btrfs tmpfs=$folder/tmpfs"
	export HOME="$folder" XDG_STATE_HOME="$folder/state"
	sync

	# shellcheck disable=SC2086
	set -- -w mongo -p quick -s mongo.bytes=4M -n 1
	"$program" plan "$@" $targets >"$folder/plan"
	status=0
	"$program" "$@" --batch -o "$folder/run.json" -o "$folder/run.csv" $targets \
		>"$folder/table" 2>"$folder/progress" </dev/null || status=$?
	[ "$status" -eq 0 ] || {
		cat "$folder/progress" >&2
		echo "endtoend: exit status $status" >&2
		return 1
	}
	cat "$folder/table"
	for label in ext4 xfs btrfs tmpfs create delete; do
		grep -q "$label" "$folder/table" || {
			echo "endtoend: the table does not show $label" >&2
			return 1
		}
	done
	[ -s "$folder/run.csv" ] && [ -s "$folder/run-operations.csv" ] || {
		echo "endtoend: no CSV" >&2
		return 1
	}
	left=$(find "$folder/ext4" "$folder/xfs" "$folder/btrfs" "$folder/tmpfs" -mindepth 1 \
		! -name lost+found)
	[ -z "$left" ] || {
		echo "endtoend: left on the targets: $left" >&2
		return 1
	}
	check_json "$folder/run.json"
}

if [ "${1-}" = --inside ]; then
	inside "$2"
	exit
fi

[ "$(id -u)" -eq 0 ] && [ -e /dev/loop-control ] || {
	echo "endtoend: needs root and loop devices" >&2
	exit 77
}
for tool in mkfs.ext4 mkfs.xfs mkfs.btrfs losetup unshare python3; do
	command -v "$tool" >/dev/null || {
		echo "endtoend: needs $tool (make deps)" >&2
		exit 77
	}
done

list_loops() {
	losetup -n -O NAME,BACK-FILE -a | sort
}
folder=$(mktemp -d "${TMPDIR:-/var/tmp}/fsderby-endtoend.XXXXXX")
child=
clean_up() {
	[ -z "$child" ] || {
		kill -KILL "$child" 2>/dev/null || true # and with it all processes of the namespace
		wait "$child" 2>/dev/null || true
	}
	for try in 1 2 3 4 5; do
		rm -rf --one-file-system "$folder" 2>/dev/null && break
		sleep 1
	done
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
loops=$(list_loops)
unshare --mount --propagation private --pid --fork --kill-child --mount-proc \
	sh "$tree/tests/endtoend.sh" --inside "$folder" &
child=$!
status=0
wait "$child" || status=$?
child=

# The kernel detaches the loop devices shortly after the namespace is gone.
for try in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(list_loops)" != "$loops" ] || break
	sleep 0.5
done
if [ "$(list_loops)" != "$loops" ]; then
	echo "endtoend: loop devices left: $(list_loops)" >&2
	status=1
fi
if grep -F "$folder" /proc/mounts >&2; then
	echo "endtoend: mounts left" >&2
	status=1
fi
exit "$status"
