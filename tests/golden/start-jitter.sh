#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# start-jitter: members begin apart, within it, the same in every run of a seed and on any number of threads.
set -u
program=${STORMGLASS:?the program to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

expect() { # NAME CONDITION...
    local name=$1
    shift
    if "$@"; then
        echo "ok    $name"
    else
        echo "FAIL  $name"
        failures=$((failures + 1))
    fi
}

scenario() { # JITTER
    cat <<END
stormglass: 1
name: jitter
seed: 1
duration: 500us
fabric:
  topology: {kind: single-switch, hosts: 9}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  targets: {where: host8, namespaces: [{media: "null"}]}
workloads:
  - {name: w, kind: nvme, from: host0..host7, to: host8, count: 4, start: 200us, start-jitter: $1}
END
}

firsts() { # JITTER [OPTION...]: when each host issued first, in ns, sorted
    scenario "$1" >"$work/s.yaml"
    shift
    rm -f "$work/r.db"
    "$program" run --confirm 0 "$work/s.yaml" --record packets "$@" -o "$work/r.db" >/dev/null 2>&1
    "$program" query --tabs "$work/r.db" "SELECT min(issued_ps) / 1000 AS first FROM io GROUP BY host_ip ORDER BY first" |
        tail -n +2
}

firsts 0s >"$work/exact"
firsts 50us >"$work/late"
firsts 50us --threads 3 >"$work/threads"
firsts 50us --seed 2 >"$work/other"
expect 'eight members' test "$(wc -l <"$work/late")" = 8
expect 'without it all begin at once' test "$(sort -u "$work/exact")" = 200000
expect 'with it none as another' test "$(sort -u "$work/late" | wc -l)" = 8
expect 'all within it' awk '$1 < 200000 || $1 > 250000 { bad = 1 } END { exit bad }' "$work/late"
expect 'spread over it' awk 'NR == 1 { low = $1 } { high = $1 } END { exit !(high - low > 15000) }' "$work/late"
expect 'the same on three threads' cmp -s "$work/late" "$work/threads"
expect 'another seed, other moments' test "$(cmp -s "$work/late" "$work/other"; echo $?)" = 1

scenario 300us >"$work/after.yaml"
"$program" check "$work/after.yaml" >"$work/out" 2>&1
expect 'beyond the stop it is an error' test $? = 2
expect 'which says where' grep -q 'after.yaml:11:.*start after its stop' "$work/out"
[ "$failures" = 0 ]
