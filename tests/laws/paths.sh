#!/bin/bash
# paths - what fails on the paths of a namespace loses no data.      SPDX-License-Identifier: Apache-2.0
# Drawn failures (tests/swarm/draw_paths.h), played as the swarm plays: no read is lost, stale or torn, no path is
# used that its target refuses, nothing is sent again whose status has DNR.  The same without quiesce-delay: some
# read is stale, or the judge of data looks away.  `make failures` plays 1,000; `make swarm-defects` plants naive hosts.
set -u
cd "$(dirname "$0")/../.." || exit 3
swarm=${SWARM:-build/gcc-plain/tests/swarm/swarm}
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
failed=0

"$swarm" --bent paths --first 1 --seeds 30 --keep "$work" >"$work/out" 2>"$work/err" || {
    grep '^seed' "$work/err"
    failed=1
}

stale=0
for seed in {1..25}; do
    "$swarm" --bent paths --print "$seed" | sed 's/quiesce-delay: .*/quiesce-delay: 0s/' >"$work/case.yaml"
    "$program" run --confirm 0 "$work/case.yaml" --json >"$work/json" 2>"$work/err" || [ $? = 1 ] || { cat "$work/err"; failed=1; }
    gojq -e '.data.stale > 0' "$work/json" >/dev/null && stale=$((stale + 1))
done
echo "without quiesce-delay $stale of 25 scenarios have stale reads"
[ $stale -ge 1 ] || failed=1
exit $failed
