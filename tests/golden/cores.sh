#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Which core of a target serves a queue: eight controllers of one queue each, on four cores of 125,000 commands a second each.
set -u
. tests/golden/outside

{
    cat <<'END'
stormglass: 1
name: cores
duration: 26ms
fabric: {topology: {kind: single-switch, hosts: 9}}
hosts:
  targets: {where: host0, target: {cores: 4, command-cost: 8us}, namespaces: [{media: null}]}
  overrides: # each comes when the one before it is there
END
    for i in 1 2 3 4 5 6 7 8; do echo "    - {where: host$i, rnic: {context-cost: ${i}ms}}"; done
    cat <<'END'
workloads:
END
    for i in 1 2 3 4 5 6 7 8; do echo "  - {name: w$i, kind: nvme, from: host$i, to: host0, queue-depth: 32, start: 18ms}"; done
} >cores.yaml
# play SCHEDULING [OPTION...]
play() {
    local how=$1
    shift
    "$program" run cores.yaml --confirm 0 --set hosts.targets.target.core-scheduling="$how" "$@" --json -o "$how.db" >"$how.json" 2>err || fail "$how: $(cat err)"
}
# So many commands a second, all workloads together, once all are there.
rate() { gojq '[.workloads[].completed] | add' "$1.json"; }
holds() { gojq -e "$2" "$1.json" >/dev/null || fail "$1: not so: $2:" "$(gojq -c '[.workloads[] | .completed], .bottleneck' "$1.json")"; }

for how in round-robin least-queues queue-number; do
    play $how
    holds $how '[.workloads[] | .failed + .unfinished] | add == 0'
    echo "$how: $(rate $how) commands: $(gojq -c '[.workloads[].completed]' $how.json)"
done
# One after the other: admin queue, I/O queue, admin queue, I/O queue; I/O queues meet at every second core.
most=$(rate least-queues)
for how in round-robin queue-number; do
    [ $((100 * $(rate $how))) -lt $((60 * most)) ] || fail "$how: $(rate $how) of $most"
done
# As one controller of eight queues it is all the same: two at each core.
one='workloads=[{name: w, kind: nvme, from: host1, to: host0, queue-depth: 32, queues: 8}]'
for how in round-robin least-queues queue-number; do
    play $how --set "$one"
    holds $how '.workloads[0].completed > 4200'
done
# Those that lose their target come back as they like: least-queues spreads them again.
for how in round-robin least-queues; do
    play $how --set 'hosts.defaults.nvme={reconnect-delay: 100us}' --set 'faults=[{kind: target-crash, where: host0, at: 10ms, for: 200us}]'
    holds $how '[.workloads[] | .failed + .unfinished] | add == 0'
done
holds least-queues '(.workloads | map(.completed) | add) > 4000'
expect 'one core' 0 'host0: core-scheduling has no effect: the target has one core (target.cores)' \
    "$program" check cores.yaml --set hosts.targets.target.core-scheduling=least-queues --set hosts.targets.target.cores=1
"$program" check cores.yaml --set hosts.targets.target.core-scheduling=least-queues >out 2>&1
grep -q core-scheduling out && fail "four cores: $(cat out)"
# By number, the only queue of each controller is on the first core; one controller alone loses nothing.
expect 'by number' 0 'core-scheduling queue-number: 8 queues of all controllers use only 1 of 4 cores' \
    "$program" check cores.yaml --set hosts.targets.target.core-scheduling=queue-number
grep -v 'name: w[2-8]' cores.yaml >one.yaml
"$program" check one.yaml --set hosts.targets.target.core-scheduling=queue-number >out 2>&1
grep -q core-scheduling out && fail "one controller: $(cat out)"
[ $failures = 0 ]
