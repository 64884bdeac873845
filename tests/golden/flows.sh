#!/bin/bash
# flows - sized flows and members beside each other.                          SPDX-License-Identifier: Apache-2.0
# Hazards: a flow alone on an empty path is slowed down; flows that share a link are not; one that gets all is as fair as
# many that share; a flow that is not complete counts.
set -u
. tests/golden/outside
cat >alone.yaml <<'EOF'
stormglass: 1
name: alone
duration: 5ms
fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 4}}
workloads:
  - {name: w, kind: rdma-write, from: host4, to: host0, message-size: 64KiB, outstanding: 1, count: 1}
EOF
is() { # FILTER SET...
    local filter=$1 sets=()
    shift
    for set in "$@"; do sets+=(--set "$set"); done
    "$program" run alone.yaml "${sets[@]}" --json >run.json 2>err
    jq -e ".workloads[0] | $filter" run.json >/dev/null || fail "$*: $filter: $(jq -c '.workloads[0] | [.completed, .fairness, .flows, .fct_ns, .slowdown]' run.json)"
}
alone='.flows == 1 and .slowdown.max > 0.99 and .slowdown.max < 1.02 and .fct_ns.mean == .fct_ns.max and .fairness.jain == null'
for kind in write send read; do
    for size in 1B 4KiB 5000B 64KiB 1MiB; do
        is "$alone" workloads.w.kind=rdma-$kind workloads.w.message-size=$size
    done
done
is "$alone" fabric.fabric-links.rate=400Gbps
is "$alone" fabric.fabric-links.rate=25Gbps
is "$alone" fabric.fabric-links.length=2km
is "$alone" fabric.switch.forwarding=cut-through
is "$alone" hosts.defaults.rnic.path-mtu=1024B
is "$alone" workloads.w.count=100 workloads.w.outstanding=4
# One message at a time waits for each ACK.
is '.flows == 1 and .slowdown.max > 1.2' workloads.w.count=100 workloads.w.message-size=16KiB

# Several into one link: each takes as long as all together, and they are fair.
for n in 2 4; do
    is ".flows == $n and .fairness.jain > 0.97 and .slowdown.mean > 0.85 * $n and .slowdown.mean < 1.1 * $n and .fairness.most_bps < 1.2e11 / $n" \
        workloads.w.from=host4..host$((3 + n)) workloads.w.message-size=256KiB workloads.w.count=4 hosts.defaults.rnic.congestion-control=none
done
# One that is slow is unfair: x, x, x and next to nothing.
is '.fairness.jain > 0.6 and .fairness.jain < 0.85 and .fairness.least_bps * 4 < .fairness.most_bps' workloads.w.from=host4..host7 workloads.w.to=host0..host3 \
    workloads.w.count=0 workloads.w.outstanding=4 'faults=[{kind: slow-receiver, where: host0, drain: 5%}]' fabric.topology.spines=4
# Each of them is in the database; rates and index are worked out from there.
"$program" run alone.yaml --set workloads.w.from=host4..host7 --set workloads.w.count=8 --set 'faults=[{kind: link-down, where: host7}]' -o members.db --json >run.json 2>err
[ "$(sqlite3 members.db 'SELECT count(*), count(ready_us), sum(completed), max(host) FROM v_member')" = '4|3|24|host7' ] || fail "members: $(sqlite3 members.db 'SELECT * FROM v_member')"
[ "$(sqlite3 members.db "SELECT printf('%.4f', sum(rate_bps)*sum(rate_bps)/count(*)/sum(rate_bps*rate_bps)) FROM v_member")" = \
    "$(jq '.workloads[0].fairness.jain' run.json | xargs printf '%.4f')" ] || fail 'the index is not that of the rates'
[ "$(sqlite3 members.db 'SELECT sum(issued), sum(completed), sum(bytes) FROM member')" = "$(sqlite3 members.db 'SELECT sum(issued), sum(completed), sum(bytes) FROM workload')" ] || fail 'members do not add up'
[ "$(sqlite3 members.db 'SELECT printf("%.0f", sum(goodput_read_bps) + sum(goodput_write_bps)) FROM v_member')" = "$(sqlite3 members.db 'SELECT printf("%.0f", sum(goodput_bps)) FROM workload')" ] || fail 'the goodput of members does not add up'
# The summary tells of flows, and of members that did not get alike.
"$program" run alone.yaml --set workloads.w.from=host4..host7 --set workloads.w.count=8 2>err | grep -q 'w  *4 flows, FCT p50 .* slowdown p50 3[0-9.]* .*; rates .*, Jain 0.9' || fail 'the summary says nothing of flows'
! "$program" run incast-8to1 2>err | grep -q '^Members' || fail 'members that got alike are told of'
# What is not done is no flow, and nothing without a size is one.
is '.flows == 0 and .fct_ns.max == null and .slowdown.max == null' workloads.w.count=0
is '.flows == 0 and .fct_ns.max == null' workloads.w.count=1000000

# Where marks are made is said.
for at in enqueue dequeue; do
    "$program" run incast-8to1 --set fabric.switch.ecn-mark=$at --set duration=2ms >out 2>err
    grep -q "ECN marks at $at" out || fail "marks at $at: $(grep Transport out)"
    "$program" run incast-8to1 --set fabric.switch.ecn-mark=$at --set duration=1ms --json 2>err | jq -e ".ecn_marked_at == \"$at\"" >/dev/null || fail "marks at $at in the JSON"
done
[ $failures = 0 ]
