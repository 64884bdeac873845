#!/bin/sh
# ci-turns - what CI runs of a list, by the number of the commit: no part is forgotten.   SPDX-License-Identifier: Apache-2.0
# Ten successive commits run each known seed of the swarm once, two each test of the laboratory.  The tests with Linux 6.12 are one line of names that exist.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
size=$(sed -n 's/.*SWARM_SEEDS:-\([0-9]*\).*/\1/p' .ci/run)
number=4095 # any count of commits
while [ "$number" -lt 4105 ]; do
    first=$(.ci/run --known-seeds "$number")
    seq "$first" $((first + size - 1))
    number=$((number + 1))
done | sort -n >"$work/run"
seq 1 2000 | cmp - "$work/run" || { echo "known seeds: some seed runs twice or never"; exit 1; }

for number in 4095 4096; do .ci/run --of-laboratory $number; done | tr ' ' '\n' | grep . | sort >"$work/run"
grep -L '^# lab:.*\basked=yes' bridge/lab/tests/*.sh | sed 's,.*/,,; s,\.sh$,,' | sort | cmp - "$work/run" || { echo "laboratory: some test runs twice or never"; exit 1; }

number=4095
while [ "$number" -lt 4105 ]; do
    .ci/run --on-newer-linux "$number" >"$work/tests"
    [ "$(wc -l <"$work/tests")" = 1 ] || { echo "Linux 6.12, commit $number: more than one line"; exit 1; }
    [ "$(wc -w <"$work/tests")" = 3 ] || { echo "Linux 6.12, commit $number: not three tests"; exit 1; }
    for name in $(cat "$work/tests"); do
        [ -e "bridge/lab/tests/$name.sh" ] || { echo "Linux 6.12: no test $name"; exit 1; }
    done
    number=$((number + 1))
done
