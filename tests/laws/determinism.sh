#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What may not change a run, and what must: recording levels, slices and a second run leave the digest alone, another
# seed does not; a host that does nothing changes no other host's results.  Compilers: tests/matrix.sh.
set -u
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

digest() {
    "$program" run --confirm 0 --json "$@" 2>/dev/null | gojq -r .digest
}

# same WHAT DIGEST DIGEST, other WHAT DIGEST DIGEST
same() {
    if [ -n "$2" ] && [ "$2" = "$3" ]; then echo "ok   $1: $2"; else
        echo "FAIL $1: $2 and $3"; failures=$((failures + 1)); fi
}
other() {
    if [ -n "$2" ] && [ -n "$3" ] && [ "$2" != "$3" ]; then echo "ok   $1 differs"; else
        echo "FAIL $1: $2 twice"; failures=$((failures + 1)); fi
}

for case in pause-storm oltp-fio replayed-trace mtu-mismatch; do
    file=scenarios/cases/$case.yaml
    # What the storm does and what it leaves, in 4 ms.
    less=()
    [ $case = pause-storm ] && less=(--set duration=4ms --set faults.0.for=600us)
    plain=$(digest "$file" "${less[@]}")
    same "$case again" "$plain" "$(digest "$file" "${less[@]}")"
    for level in summary counters ios packets; do
        same "$case recorded at level $level" "$plain" \
            "$(digest "$file" "${less[@]}" --record $level -o "$work/$case-$level.db")"
    done
    same "$case with its seed given" "$plain" "$(digest "$file" "${less[@]}" --seed "$(awk '/^seed:/ { print $2 }' "$file")")"
    other "$case with another seed" "$plain" "$(digest "$file" "${less[@]}" --seed 99)"
    if "$program" replay "$work/$case-summary.db" >/dev/null 2>&1; then echo "ok   $case replays"; else
        echo "FAIL $case does not replay"; failures=$((failures + 1)); fi
done

# The results of the others, to the last digit, with an idle host more; empty when nothing was done.
results() {
    "$program" run --confirm 0 --json "$@" 2>/dev/null | gojq -c 'select(.workloads[0].completed > 0) |
        [.workloads, .drops, .pfc, .ecn, .rnic, .packets, .packet_hops]' | grep . | sha256sum | grep -v "^$nothing"
}
nothing=$(sha256sum </dev/null)
alone=$(results scenarios/cases/incast-8to1.yaml)
for more in 11 17 32; do
    same "incast-8to1 with $((more - 10)) idle hosts" "$alone" \
        "$(results scenarios/cases/incast-8to1.yaml --set fabric.topology.hosts=$more)"
done

[ "$failures" -eq 0 ]
