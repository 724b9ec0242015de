#!/bin/sh
# What screen and sampler cost: CPU of the main and the sampler thread, in percent of one core, and
# bytes written to the terminal a second, at 80x24 and 120x36 with the null workload at a fixed
# rate. Needs tmux and python3.
set -eu
program=$(realpath "${FSDERBY:-build/fsderby}")
seconds=${1:-15}
if ! command -v tmux >/dev/null; then
	echo "screen: no tmux here, left out"
	exit 0
fi
work=$(mktemp -d /tmp/fsderby-bench.XXXXXX)
session=fsderby-bench-$$
trap 'tmux kill-session -t "$session" 2>/dev/null || true; rm -rf "$work"' EXIT
for size in "80 24" "120 36"; do
	set -- $size
	mkdir -p "$work/a" "$work/b" "$work/c"
	tmux new-session -d -s "$session" -x "$1" -y "$2" \
		"exec env XDG_STATE_HOME=$work/state $program -w null -s null.operations=1000M -s null.rate=20k \
		--schedule together -n 1 $work/a $work/b $work/c"
	sleep 4
	pid=$(tmux list-panes -t "$session" -F '#{pane_pid}')
	python3 - "$pid" "$seconds" "$1x$2" <<'PY'
import os, sys, time
pid, seconds, size = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
tick = os.sysconf("SC_CLK_TCK")
def cpu():
    used = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as f:
            ns = int(f.read().split()[0])
        with open(f"/proc/{pid}/task/{task}/comm") as f:
            name = f.read().strip()
        used[name if name in ("fsderby", "sampler") else "other"] = \
            used.get(name if name in ("fsderby", "sampler") else "other", 0) + ns
    return used
def written():
    with open(f"/proc/{pid}/io") as f:
        return int([l for l in f if l.startswith("wchar")][0].split()[1])
a, w = cpu(), written()
start = time.monotonic()
time.sleep(seconds)
b, v = cpu(), written()
took = time.monotonic() - start
main = (b["fsderby"] - a["fsderby"]) / took / 1e7
sampler = (b["sampler"] - a["sampler"]) / took / 1e7
print(f"screen at {size}, 3 targets: main {main:.2f} %, sampler {sampler:.2f} %, "
      f"together {main + sampler:.2f} % of a core; {(v - w) / took:.0f} bytes/s written")
PY
	tmux send-keys -t "$session" q y
	sleep 1
	tmux kill-session -t "$session" 2>/dev/null || true
done
