#!/bin/sh
# Run the test programs given, each to its end, and sum up. FSDERBY names the program under test.
set -u
passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program in "$@"; do
	echo "== $program"
	"$program" >"$log" 2>&1
	status=$?
	cat "$log"
	# CUnit's summary: "asserts  total ran passed failed n/a" and "tests total ran passed failed"
	set -- $(sed -n 's/^ *tests  *[0-9]*  *[0-9]*  *\([0-9]*\)  *\([0-9]*\).*/\1 \2/p' "$log" | tail -n 1)
	if [ $# -lt 2 ]; then
		echo "== $program ended without a summary (status $status)"
		failed=$((failed + 1))
	else
		passed=$((passed + $1)) failed=$((failed + $2))
		[ "$status" -eq 0 ] || [ "$2" -gt 0 ] || {
			echo "== $program: exit status $status"
			failed=$((failed + 1))
		}
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
