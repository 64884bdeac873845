#!/bin/bash
# The duration that makes a run steady holds when it is followed.                           SPDX-License-Identifier: Apache-2.0
# Scenarios are drawn: senders to one host by each kind of workload, congestion control, rate and depth, some of them in
# a lossy class.  Of those that are not steady and name a duration ("run about") 90 % are steady with it, or with the
# one that the second run names; a lower bound ("run at least") is longer than the run and is no remedy.
set -u
. tests/golden/outside

# draw SEED
draw() {
    RANDOM=$1
    local kinds=(rdma-write rdma-write rdma-send nvme nvme rdma-read) controls=(dcqcn dcqcn-mlx5 dcqcn dcqcn-mlx5 none dcqcn-mlx5)
    local rates=(25Gbps 100Gbps 100Gbps 400Gbps) sizes=(4KiB 16KiB 64KiB 256KiB) durations=(500us 1ms 2ms 3ms 5ms 8ms)
    local hosts=$((3 + RANDOM % 6)) kind=${kinds[RANDOM % 6]} control=${controls[RANDOM % 6]} size=${sizes[RANDOM % 4]}
    local rate=${rates[RANDOM % 4]} duration=${durations[RANDOM % 6]} depth=$((4 << RANDOM % 4)) lossy=$((RANDOM % 2)) arrival=$((RANDOM % 4))
    local work="kind: $kind" media=storage-class
    if [ "$kind" = nvme ]; then
        [ $((RANDOM % 2)) = 0 ] && media=flash-tlc
        work+=", read: $((RANDOM % 3 * 25))%, block-size: $size, queue-depth: $depth"
    else
        work+=", message-size: $size, outstanding: $depth"
    fi
    [ $arrival = 0 ] && work+=", rate: $((1000 * (1 + RANDOM % 40))), arrival: poisson"
    cat <<SCENARIO
stormglass: 1
name: needs-$1
seed: $1
duration: $duration
fabric:
  topology: {kind: single-switch, hosts: $hosts}
  host-links: {rate: $rate, length: 3m, mtu: 4200B}
hosts:
  defaults: {rnic: {congestion-control: $control, path-mtu: 4096B}}
$([ $lossy = 0 ] && echo '  a: {where: "host1..host2", rnic: {dscp: 0}}')
  targets: {where: host0, namespaces: [{media: $media, size: 4GiB}]}
workloads:
  - {name: w, from: "host1..host$((hosts - 1))", to: host0, $work}
SCENARIO
}

# look [--set DURATION]: the verdict of a run, and the remedy
look() {
    "$program" run --confirm 0 case.yaml "$@" --json >json 2>err
    [ $? -le 1 ] || fail "$(cat err)"
    gojq -r '.workloads[0].steady | if . == null then "unknown" elif .settled then "steady" elif .remedy then .remedy
        elif .needs_at_least_ns and .needs_ns == null then "at-least=\(.needs_at_least_ns) \(.span_ns)" else "none" end' json
}

named=0 bounds=0 steady=0 seed=0
while [ $named -lt 10 ] && [ $seed -lt 400 ]; do
    seed=$((seed + 1))
    draw $seed >case.yaml
    verdict=$(look)
    case $verdict in
    at-least=*)
        bounds=$((bounds + 1))
        read -r least span <<<"${verdict#*=}"
        [ "$least" -gt "$span" ] || fail "seed $seed: at least $least ns, and the steady part alone had $span ns"
        ;;
    *=*)
        named=$((named + 1))
        again=$(look --set "$verdict")
        [[ $again == duration=* ]] && again=$(look --set "$again")
        [ "$again" = steady ] && steady=$((steady + 1)) || echo "seed $seed: $verdict, then $again"
        ;;
    esac
done
echo "$named durations were named in $seed scenarios, $steady of them held; $bounds lower bounds"
[ $named = 10 ] || fail "only $named scenarios name a duration"
[ $((10 * steady)) -ge $((9 * named)) ] || fail "of $named durations $steady held"
[ $failures = 0 ]
