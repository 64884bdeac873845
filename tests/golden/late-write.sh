#!/bin/bash
# late-write.sh - a write late on a lost path is caught with a naive host, and does not happen with the quiesce delay.      SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
failed=0
fail() { echo "$*"; failed=1; }

stale() { # QUIESCE SEED SIZE
    "$program" run --confirm 0 late-write --seed "$2" --set hosts.defaults.nvme.quiesce-delay="$1" \
        --set workloads.db.size="$3" --json 2>/dev/null |
        gojq -r '.expectations[] | select(.text == "data.stale == 0") | .held | not'
}

# judge SIZE WORDS: with a working set of that size.
judge() {
    local size=$1 words=$2 caught=0 seed
    for seed in 1 2 3 4 5; do
        [ "$(stale 20ms $seed "$size")" = false ] || fail "seed $seed, $words: stale, though writes waited"
        [ "$(stale 0ms $seed "$size")" = true ] && caught=$((caught + 1))
    done
    [ $caught -ge 3 ] || fail "$words: only $caught of 5 seeds show what a host without a delay reads"
}
judge 64KiB 'many blocks'
judge 16KiB 'few blocks' # written many times between a late write and the read that brings it
exit $failed
