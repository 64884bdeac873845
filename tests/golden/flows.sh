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
hosts: {defaults: {rnic: {profile: ideal}}}
workloads:
  - {name: w, kind: rdma-write, from: host4, to: host0, message-size: 64KiB, outstanding: 1, count: 1}
EOF
is() { # FILTER SET...
    local filter=$1 sets=()
    shift
    for set in "$@"; do sets+=(--set "$set"); done
    "$program" run alone.yaml "${sets[@]}" --json >run.json 2>err
    gojq -e ".workloads[0] | $filter" run.json >/dev/null || fail "$*: $filter: $(gojq -c '.workloads[0] | [.completed, .fairness, .flows, .fct_ns, .slowdown]' run.json)"
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
    "$(gojq '.workloads[0].fairness.jain' run.json | xargs printf '%.4f')" ] || fail 'the index is not that of the rates'
[ "$(sqlite3 members.db 'SELECT sum(issued), sum(completed), sum(bytes) FROM member')" = "$(sqlite3 members.db 'SELECT sum(issued), sum(completed), sum(bytes) FROM workload')" ] || fail 'members do not add up'
[ "$(sqlite3 members.db 'SELECT printf("%.0f", sum(goodput_read_bps) + sum(goodput_write_bps)) FROM v_member')" = "$(sqlite3 members.db 'SELECT printf("%.0f", sum(goodput_bps)) FROM workload')" ] || fail 'the goodput of members does not add up'
# The summary tells of flows, and of members that did not get alike.
"$program" run alone.yaml --set workloads.w.from=host4..host7 --set workloads.w.count=8 2>err | grep -q 'w  *4 flows, FCT p50 .* slowdown p50 3[0-9.]* .*; goodput of a pair of hosts: .* to .*; Jain.s fairness index 0.9' || fail 'the summary says nothing of flows'
! "$program" run incast-8to1 2>err | grep -q '^Flows and fairness' || fail 'members that got alike are told of'
# What is not done is no flow, and nothing without a size is one.
is '.flows == 0 and .fct_ns.max == null and .slowdown.max == null' workloads.w.count=0
is '.flows == 0 and .fct_ns.max == null' workloads.w.count=1000000

# A rate may be a fraction: one message in 800 us, six or seven in 5 ms; a whole one plays as it always did.
is '.issued >= 6 and .issued <= 7 and .missed == 0' workloads.w.count=0 workloads.w.rate=1250.5
for rate in 20000 20000.0 2e4; do
    "$program" run alone.yaml --set workloads.w.count=0 --set workloads.w.rate=$rate --json 2>err | gojq -r .digest
done | uniq -c | grep -qE '^ *3 [0-9a-f]{32}$' || fail 'one rate in three spellings plays differently'
"$program" run alone.yaml --set workloads.w.rate=0.0005 >out 2>err
[ $? = 2 ] && grep -q 'expected a number such as 1250 or 0.5, to the thousandth, but "0.0005"' err || fail "a rate below a thousandth: $(cat err)"
"$program" run alone.yaml --set workloads.w.rate=1000000000.5 >out 2>err
[ $? = 2 ] && grep -q '1000000000.5 is more than the maximum, 1000000000' err || fail "a rate that is too high: $(cat err)"

# Where marks are made is said.
for at in enqueue dequeue; do
    "$program" run incast-8to1 --set fabric.switch.ecn-mark=$at --set duration=2ms >out 2>err
    grep -q "ECN marks at $at" out || fail "marks at $at: $(grep Transport out)"
    "$program" run incast-8to1 --set fabric.switch.ecn-mark=$at --set duration=1ms --json 2>err | gojq -e ".ecn_marked_at == \"$at\"" >/dev/null || fail "marks at $at in the JSON"
done
# ---- sizes that are drawn ----

cat >sizes.yaml <<'EOF'
stormglass: 1
name: sizes
duration: 200ms
fabric: {topology: {kind: single-switch, hosts: 3}, host-links: {rate: 100Gbps}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads:
  - {name: w, kind: rdma-write, from: host0, to: host1, sizes: storage, rate: 20000, arrival: poisson, outstanding: 64, qps: 32}
EOF
"$program" run sizes.yaml --json >one.json || fail "sizes: exit code $?"
# 6.5 Gb/s of 100: hardly anything waits, and a flow takes what it takes alone.
gojq -e '.workloads[0] | .by_size.small.flows > 3000 and .by_size.medium.flows > 50 and .by_size.large == null and
    .flows == .completed and .by_size.small.slowdown.p50 > 0.99 and .by_size.small.slowdown.p50 < 1.02' one.json >/dev/null ||
    fail "sizes: $(gojq -c '.workloads[0] | [.completed, .flows, .by_size]' one.json)"
gojq -e '.workloads[0] | .bytes / .completed | . > 36000 and . < 46000' one.json >/dev/null ||
    fail "the mean size: $(gojq '.workloads[0].bytes / .workloads[0].completed' one.json)"
"$program" run sizes.yaml --json --threads 3 >two.json || fail "sizes on three threads: exit code $?"
"$program" run sizes.yaml --json -o sizes.db >three.json || fail "sizes recorded: exit code $?"
[ "$(gojq -r .digest one.json two.json three.json | sort -u | wc -l)" = 1 ] || fail "sizes: the digest depends on threads or recording"
"$program" run sizes.yaml >text || fail "sizes as text: exit code $?"
grep -q '^    up to 100 KB  .* flows, FCT p50 .* slowdown p50 1.0' text || fail "no line of small flows: $(cat text)"
printf '1000 50\n2000 100\n' >mine.cdf
sed 's/sizes: storage/sizes-file: mine.cdf/' sizes.yaml >mine.yaml
"$program" run mine.yaml --json >mine.json || fail "a file of sizes: exit code $?"
gojq -e '.workloads[0] | .bytes / .completed | . > 1230 and . < 1270' mine.json >/dev/null || fail "a file of sizes: $(gojq -c .workloads[0] mine.json)"
for kind in send read ping-pong; do
    "$program" run mine.yaml --json --set workloads.0.kind=rdma-$kind --set duration=20ms >mine.json || fail "sizes of rdma-$kind: exit code $?"
    gojq -e '.workloads[0] | .failed == 0 and .completed > 300' mine.json >/dev/null || fail "sizes of rdma-$kind: $(gojq -c .workloads[0] mine.json)"
done
"$program" run mine.yaml --set workloads.0.sizes=storage >/dev/null 2>err
[ $? -eq 2 ] && grep -q 'sizes and sizes-file: expected one of them' err || fail "two distributions: $(cat err)"
printf '1000 50\n900 100\n' >mine.cdf
"$program" run mine.yaml >/dev/null 2>err
[ $? -eq 2 ] && grep -q '^mine.cdf:2:1: error: expected sizes and percentages that rise' err || fail "a file that falls: $(cat err)"
sed 's/sizes: storage/sizes: web-serch/' sizes.yaml >typo.yaml
"$program" run typo.yaml >/dev/null 2>err
[ $? -eq 2 ] && grep -q 'web-search' err || fail "a typo: $(cat err)"
exit $((failures > 0))
