#!/bin/bash
# memory - what fabrics and queue pairs take, and that start-up is linear in them.  SPDX-License-Identifier: Apache-2.0
# Memory is what the run's own process has beyond the empty program: the built world, and what playing added.  Start-up is
# counted in instructions, which no other load changes.  LARGE=1: also 10,000 hosts that all send, and a million queue pairs.
set -u
. tests/golden/outside

# NAME LIMIT_MB OPTIONS...: at most so much, beside the program itself.
takes() {
    local name=$1 limit=$2 bytes
    shift 2
    "$program" bench --json "$name" "$@" >figures || fail "bench $name"
    bytes=$(gojq '.hosts * .bytes_per_host + .frames_at_once * .bytes_per_frame' figures)
    echo "$name $*: $bytes bytes"
    [ "$bytes" -gt 1000000 ] || fail "$name: $bytes bytes cannot be all"
    [ "$bytes" -le $((limit * 1000000)) ] || fail "$name takes $bytes bytes, $limit MB are allowed"
}

one_message='workloads=[{name: one, kind: rdma-write, from: host0, to: host1, count: 1}]'
takes fat-tree-k8 16
takes fat-tree-k16 64
takes leaf-spine-10k 200 --set "$one_message" --set 'expect=[all-commands-complete]'
[ -z "${LARGE-}" ] || takes leaf-spine-10k 700

# HOSTS_PER_LEAF: each host is connected to each and has written one message; what playing takes, for each queue pair.
connects() {
    local pairs each
    "$program" bench --json mesh-1m --set "fabric.topology.hosts-per-leaf=$1" >figures || fail "bench mesh-1m"
    pairs=$(gojq .queue_pairs figures)
    each=$(gojq '.frames_at_once * .bytes_per_frame / .queue_pairs | round' figures)
    echo "mesh-1m of $pairs queue pairs: $each bytes for each, its connection, messages and workload with it"
    [ "$pairs" = $((2 * 12 * $1 * (12 * $1 - 1))) ] || fail "$pairs queue pairs"
    [ "$each" -gt 384 ] && [ "$each" -le 2016 ] || fail "a queue pair takes $each bytes, 2016 are allowed" # 1,974 to 1,981, by pages of the process
}
connects 9
[ -z "${LARGE-}" ] || connects 59

instructions() { # COMMAND...
    valgrind --trace-children=yes --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        sed -n 's/.*I *refs: *//p' | tr -d ,
}

# Instructions from the scenario's text to the end of a run in which almost nothing happens.
starts() { # LEAVES
    instructions "$program" run leaf-spine-10k --confirm 0 \
        --set fabric.topology.hosts-per-leaf=20 --set fabric.topology.spines=4 --set "fabric.topology.leaves=$1" \
        --set "$one_message" --set 'expect=[all-commands-complete]' --until 100us
}
one=$(starts 5)
two=$(starts 10)
four=$(starts 20)
echo "start-up of 100, 200 and 400 hosts: $one, $two and $four instructions"
# Twice the hosts, twice the work beyond a constant: the second doubling may cost 2.2 times the first at most.
[ "$one" -gt 0 ] && [ $((10 * (four - two))) -le $((22 * (two - one))) ] || fail 'start-up is not linear in hosts'

# Instructions to the end of a run in which each host is connected to each: 2,520, 4,512 and 10,224 queue pairs.
# With fewer, the run also stops some 250 times to look at what has arrived, which costs more than the queue pairs.
meshes() { instructions "$program" run mesh-1m --confirm 0 --set "fabric.topology.hosts-per-leaf=$1"; }
three=$(meshes 3)
four=$(meshes 4)
six=$(meshes 6)
few=$(((four - three) / (4512 - 2520))) many=$(((six - four) / (10224 - 4512)))
echo "making and using a queue pair: $few instructions each, of more $many"
[ "$few" -gt 0 ] && [ $((10 * many)) -le $((11 * few)) ] || fail 'start-up is not linear in queue pairs'
[ $failures = 0 ]
