#!/bin/bash
# late-write.sh - a write late on a lost path is caught with a naive host, and does not happen with the quiesce delay.      SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
failed=0
fail() { echo "$*"; failed=1; }

stale() { # QUIESCE SEED [SIZE]
    "$program" run late-write --seed "$2" --set hosts.defaults.nvme.quiesce-delay="$1" \
        --set workloads.db.size="${3-64KiB}" --json 2>/dev/null |
        gojq -r '.expectations[] | select(.text == "data.stale == 0") | .held | not'
}

caught=0
for seed in 1 2 3 4 5; do
    [ "$(stale 20ms $seed)" = false ] || fail "seed $seed: stale, though writes waited"
    [ "$(stale 0ms $seed)" = true ] && caught=$((caught + 1))
done
[ $caught -ge 3 ] || fail "only $caught of 5 seeds show what a host without a delay reads"

# Few blocks are written many times between a late write and the read that brings it.
caught=0
for seed in 1 2 3 4 5; do
    [ "$(stale 20ms $seed 16KiB)" = false ] || fail "seed $seed, few blocks: stale, though writes waited"
    [ "$(stale 0ms $seed 16KiB)" = true ] && caught=$((caught + 1))
done
[ $caught -ge 3 ] || fail "few blocks: only $caught of 5 seeds show what a host without a delay reads"
exit $failed
