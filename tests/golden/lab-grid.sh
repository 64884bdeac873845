#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The laboratory's grid with several queues is what its seed draws: some 144 cells, and predict takes it.
set -u
program=${STORMGLASS:?the program to test}
failures=0
equal() { # NAME GOT WANTED
    if [ "$2" = "$3" ]; then
        echo "ok    $1: $2"
    else
        echo "FAIL  $1: got '$2', expected '$3'"
        failures=$((failures + 1))
    fi
}
grid=bridge/lab/cases/queues.yaml
seed=$(sed -n 's/^# Written by bridge\/lab\/draw.sh \([0-9]*\)\.$/\1/p' $grid)
equal 'what the seed draws' "$(bridge/lab/draw.sh "$seed" | cksum)" "$(cksum <$grid)"
equal 'cells' "$("$program" predict --list $grid | wc -l)" 144
equal 'with several queues' "$("$program" predict --list $grid | grep -c -v 'queues=1 ')" 108
other=$(mktemp -d)
trap 'rm -rf "$other"' EXIT
for seed in 1 2 3; do
    bridge/lab/draw.sh $seed >"$other/$seed.yaml"
    equal "cells of seed $seed" "$("$program" predict --list "$other/$seed.yaml" | wc -l)" 144
done
equal 'another seed, other cells' "$(cmp -s "$other/1.yaml" "$other/2.yaml"; echo $?)" 1
[ "$failures" -eq 0 ]
