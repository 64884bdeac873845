#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lag: the NICs of a host as one link aggregate: who sends by which member, what a member that fails leaves, what is said.
set -u
. tests/golden/outside
says() { grep -qF -e "$2" "$1" || fail "$1 does not say '$2':" "$(cat "$1")"; }
holds() { gojq -e "$2" "$1.json" >/dev/null || fail "$1: not so: $2: $(gojq -c . "$1.json" | cut -c1-600)"; } # NAME FILTER

# scenario LAG TOPOLOGY WORKLOADS MORE
scenario() {
    cat <<YAML
stormglass: 1
name: lag
duration: 1ms
fabric: {topology: {$2, nics: 2}, host-links: {rate: 100Gbps, length: 2m}, routing: {detection: 50us, convergence: 100us}}
hosts:
  defaults: {rnic: {profile: ideal, congestion-control: none, timeout: 5, lag: $1}}
  targets: {where: host1, namespaces: [{media: "null"}]}
workloads: [$3]
$4
YAML
}
played() { # NAME LAG TOPOLOGY WORKLOADS MORE
    scenario "${@:2}" >"$1.yaml"
    "$program" run "$1.yaml" -o "$1.db" --json >"$1.json" 2>"$1.err"
    [ $? -le 1 ] || fail "$1: $(cat "$1.err")"
    "$program" run "$1.yaml" >"$1.txt" 2>&1
}
rate() { gojq '.workloads[0].goodput_bps / 1000000000 | round' "$1.json"; } # Gb/s
near() { [ "$(rate "$1")" -ge "$2" ] && [ "$(rate "$1")" -le "$3" ] || fail "$1: $(rate "$1") Gb/s, not $2 to $3"; }

switch='kind: single-switch, hosts: 3'
writes='name: w, kind: rdma-write, from: host0, to: host1, message-size: 64KiB, outstanding: 4'

# One queue pair has one member's rate, two that are on two members twice as much; by layer2 all share one.
played one queue-affinity "$switch" "{$writes}" ''
near one 90 99
played two queue-affinity "$switch" "{$writes, qps: 2}" ''
near two 180 198
for hash in layer2 layer2+3; do
    played $hash $hash "$switch" "{$writes, qps: 8}" ''
    near $hash 90 99
done
# Eight ports of connections are on both members: what a hash of few leaves idle is seen, and no more than both carry.
played hash layer3+4 "$switch" "{$writes, qps: 16}" ''
near hash 110 198
echo "ok    rates"

# The polarized run is explained, and what it says comes true: with queue affinity it is as fast as two.
"$program" run layer2.yaml --confirm 0 >suspected.txt
says suspected.txt 'host0:p1 of its link aggregate: 0%'
says layer2.txt 'lag is layer2'
says layer2.txt 'of the same link aggregation group only 0%, because its flows share one member'
says layer2.txt 'all its frames leave by one link of its link aggregation group (polarization)'
holds layer2 '[.causes[] | select(.kind == "aggregate")] | length == 1'
says one.txt 'a queue pair uses one member'
holds two '[.causes[] | select(.kind == "aggregate")] | length == 0'
"$program" run layer2.yaml --set hosts.defaults.rnic.lag=queue-affinity --json >mended.json || fail "mended: exit code $?"
near mended 180 198

# A member that carries no more than half of what the busiest carries is named with its share: a write of 64 KiB with its
# headers takes 5.4 us of 100 Gb/s, so 90,000 a second are 48 % of one member, and 94,000 more than half.
paced='{name: a, kind: rdma-write, from: host0, to: host1, message-size: 64KiB, outstanding: 4},
  {name: b, kind: rdma-write, from: host0, to: host2, message-size: 64KiB, arrival: paced, rate'
for rate in 40000:21 80000:43 90000:48; do
    played half queue-affinity "$switch" "$paced: ${rate%:*}}" ''
    says half.txt "link: host0:p0 to switch0 (host0:p1 of its link aggregate: ${rate#*:}%) is 100% busy"
done
played half queue-affinity "$switch" "$paced: 94000}" ''
says half.txt 'link: host0:p0 to switch0 is 100% busy'
echo "ok    what is said"

# The queues of one NVMe controller are spread too, at both ends.
played nvme queue-affinity "$switch" '{name: n, kind: nvme, from: host0, to: host1, queues: 4, queue-depth: 8, block-size: 64KiB}' ''
near nvme 180 198
holds nvme '.workloads[0].failed == 0'
echo "ok    nvme"

# A member that fails: what is under way is lost, then all goes by the one that is left, also when both ends go to two switches.
down() { echo "faults: [{kind: link-down, where: \"$1\", at: 300us}]"; }
for place in host0:p1 host1:p0; do
    for homing in same dual; do
        case $homing in
        same) topology=$switch ;;
        dual) topology='kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 1, homing: dual' ;;
        esac
        played down queue-affinity "$topology" "{$writes, qps: 4, start: 0us, stop: 3ms}" "$(down $place)"
        "$program" run down.yaml --set duration=3ms -o late.db --json >late.json 2>err || [ $? = 1 ] || fail "late: $(cat err)"
        # 0.3 ms of both and 2.5 ms of one
        near late $((100 + 100 * 3 / 30 - 14)) $((100 + 100 * 3 / 30))
        holds late '.workloads[0].failed == 0 and .rnic.timeouts > 0 and .drops.link_down > 0'
        "$program" run down.yaml --set duration=3ms --threads 2 --json >threads.json 2>/dev/null
        [ "$(gojq -r .digest threads.json)" = "$(gojq -r .digest late.json)" ] || fail "$place $homing: another digest on two threads"
    done
done
# It comes back: both carry again.
played back queue-affinity "$switch" "{$writes, qps: 2}" 'faults: [{kind: link-down, where: "host0:p1", at: 100us, for: 100us}]'
near back 165 185
grep -q 'its flows share one member' back.txt && fail "back: a hash is blamed for a link that was down"
echo "ok    a member that fails"

# A slow cable at the other end pauses the member that sends to it, and no other: the flow of that one goes on.
links='{ends: [host0, s]}, {ends: [host0, s]}, {ends: [host1, s], rate: 10Gbps}, {ends: [host1, s]}'
played slow queue-affinity "kind: explicit, hosts: [host0, host1], switches: [s], links: [$links]" "{$writes, qps: 2}" 'seed: 4'
"$program" run slow.yaml --set workloads[0].outstanding=200 -o slow.db --json >slow.json # some are left at the end
near slow 100 115
paused() { "$program" query --tabs slow.db "SELECT count(*) FROM v_counter WHERE port='$1' AND name='rx_prio3_pause' AND value > 0" | tail -n 1; }
[ "$(paused host0:p0)$(paused host0:p1)" = 10 ] || [ "$(paused host0:p0)$(paused host0:p1)" = 01 ] ||
    fail "slow: paused are host0:p0 '$(paused host0:p0)', host0:p1 '$(paused host0:p1)'"
"$program" check slow.yaml >checked
says checked 'host1:p0: the links of its link aggregation group have different rates'
echo "ok    pauses"

# What is no aggregate: software, separate fabrics, one NIC; a NIC cannot be chosen of one.
played fabrics queue-affinity 'kind: single-switch, hosts: 2, homing: fabrics' "{$writes, qps: 2}" ''
says fabrics.txt 'rnic.lag has no effect, the NICs are not aggregated: they are in separate fabrics'
scenario queue-affinity "$switch" "{$writes, nic: 1}" '' >chosen.yaml
expect "a NIC of an aggregate" 2 'nic: the NICs of host0 are aggregated by rnic.lag' "$program" check chosen.yaml

[ $failures = 0 ]
