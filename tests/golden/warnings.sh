#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hazards of a pass that is none: a run in which something else was played than what was asked for says so, in the summary and
# in the JSON, its expectations are not passed by those that did nothing, `check` says before what it can know, and nothing is
# said where nothing is wrong.
set -u
: "${STORMGLASS:?the program to test}"
program=$(realpath "$STORMGLASS")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 3
failed=0

fail() {
    echo "FAIL $*"
    failed=1
}

# leaf1 has hosts that take no part; host0 is the target.
cat >plain.yaml <<'EOF'
stormglass: 1
name: plain
duration: 500us
drain: 100ms
fabric: {topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 4}}
hosts:
  defaults: {rnic: {profile: ideal, timeout: 8, cm-timeout: 2ms}}
  targets: {where: "host0..host1", namespaces: [{media: "null"}]}
workloads:
  - {name: w, kind: nvme, from: "host4..host7", to: host0, queue-depth: 4, queues: 2}
  - {name: r, kind: rdma-write, from: host2, to: host3, message-size: 4KiB}
expect: [all-commands-complete, "w.latency.p99 < 100ms", "r.latency.p99 < 100ms"]
EOF

# Of each line: what is set, the rule, the words, and whether check knows it before.
told() { # RULE WORDS BEFORE SET...
    local rule=$1 words=$2 before=$3 sets=() name
    shift 3
    for set in "$@"; do sets+=(--set "$set"); done
    name="$rule ($*)"
    "$program" run plain.yaml "${sets[@]}" --json >run.json 2>run.err
    [ $? -le 1 ] || fail "$name: $(cat run.err)"
    gojq -e --arg rule "$rule" --arg words "$words" \
        'any(.warnings[]; .rule == $rule and (.text | contains($words)))' run.json >/dev/null ||
        fail "$name: run --json says $(gojq -c .warnings run.json)"
    "$program" run plain.yaml "${sets[@]}" 2>/dev/null | grep -A9 '^Warnings' | grep -q -F -e "$words" || fail "$name: the summary is silent"
    "$program" check plain.yaml "${sets[@]}" >check.txt
    if [ "$before" = before ]; then
        grep -q -F -e "$words" check.txt || fail "$name: check says $(grep warning check.txt)"
    else
        ! grep -q -F -e "$words" check.txt || fail "$name: check cannot know that"
    fi
}

silent() { # WORDS SET...: neither warns
    local sets=()
    for set in "$@"; do sets+=(--set "$set"); done
    "$program" run plain.yaml "${sets[@]}" --json 2>/dev/null >run.json
    gojq -e '.warnings == []' run.json >/dev/null || fail "nothing is wrong ($*), but run says $(gojq -c .warnings run.json)"
    ! "$program" check plain.yaml "${sets[@]}" | grep warning: || fail "nothing is wrong ($*), but check warns"
}

silent
silent seed=7

# A queue holds one entry less than its size; the smaller size of both ends counts.
told depths 'queue-depth 5000 is limited to 1023' before workloads.w.queue-depth=5000 hosts.defaults.nvme.queue-size=1024 hosts.defaults.target.max-queue-size=1024
told depths 'queue-depth 128 is limited to 31' before workloads.w.queue-depth=128 hosts.defaults.nvme.queue-size=32
told depths 'queue-depth 128 is limited to 31' before workloads.w.queue-depth=128 hosts.defaults.target.max-queue-size=32
told depths 'queue-depth 32 is limited to 31' before workloads.w.queue-depth=32 hosts.defaults.nvme.queue-size=32
silent workloads.w.queue-depth=31 hosts.defaults.nvme.queue-size=32
told depths 'queues 8 is limited to 3' before workloads.w.queues=8 hosts.defaults.target.max-queues=3
told depths 'queues 2 is limited to 1' before hosts.defaults.target.max-queues=1
silent workloads.w.queues=3 hosts.defaults.target.max-queues=3
# The depth of an open loop is a bound.
silent workloads.w.queue-depth=1024 workloads.w.rate=1000

# An RNIC's profile and its link.
told line-rates 'the link runs at 25Gbps, but the RNIC has the values of a 100Gbps device' before fabric.host-links.rate=25Gbps hosts.defaults.rnic.profile=rnic-100g
told line-rates 'the link runs at 400Gbps' before fabric.host-links.rate=400Gbps hosts.defaults.rnic.profile=rnic-100g
told line-rates 'the link runs at 100Gbps, but the RNIC has the values of a 25Gbps device' before hosts.defaults.rnic.profile=rnic-25g
silent fabric.host-links.rate=25Gbps hosts.defaults.rnic.profile=rnic-25g
silent fabric.host-links.rate=40Gbps hosts.defaults.rnic.profile=rnic-100g
for rate in 10 25 56 400 800; do silent fabric.host-links.rate=${rate}Gbps hosts.defaults.rnic.profile=auto; done
silent fabric.host-links.rate=400Gbps hosts.defaults.rnic.line-rate=any hosts.defaults.rnic.profile=rnic-100g

# Faults that touch nobody.
fault() { printf 'faults=[{%s}]' "$1"; }
told faults 'target-crash affects no traffic: it stops only NVMe' before "$(fault 'kind: target-crash, where: host1, at: 100us')" 'workloads.r.to=host1'
told faults 'target-stall affects no traffic: it stops only NVMe' before "$(fault 'kind: target-stall, where: host1, at: 100us')" 'workloads.r.to=host1'
told faults 'target-crash affects no traffic: no workload sends through' before "$(fault 'kind: target-crash, where: host1, at: 100us')"
told faults 'slow-receiver affects no traffic: no workload sends through' before "$(fault 'kind: slow-receiver, where: host9, at: 100us')"
told faults 'link-down affects no traffic: no workload sends through' before "$(fault 'kind: link-down, where: leaf2-spine1, at: 100us, for: 10us')"
told faults 'link-down affects no traffic: no workload sends through' before "$(fault 'kind: link-down, where: "leaf2:p2", at: 100us, for: 10us')"
told faults 'the workloads there stop before the fault begins' before "$(fault 'kind: slow-receiver, where: host3, at: 400us, drain: 50%')" workloads.r.stop=300us
told faults 'the workloads there begin after the end of the fault' before "$(fault 'kind: slow-receiver, where: host3, at: 0us, for: 10us, drain: 50%')" workloads.r.start=50us
told faults 'slow-receiver begins after the workloads have stopped' before "$(fault 'kind: slow-receiver, where: host0, at: 600us, drain: 50%')"
told faults 'slow-receiver never happened: the run ended earlier' after "$(fault 'kind: slow-receiver, where: host0, at: 499us, drain: 50%')" workloads.w.count=1 workloads.r.count=1
silent "$(fault 'kind: slow-receiver, where: host0, at: 100us, for: 10us, drain: 50%')"
told faults 'bit-errors had no effect: drops.corrupt is 0' after "$(fault 'kind: bit-errors, where: leaf1-spine1, at: 100us, for: 10us, rate: 1e-12')"
silent "$(fault 'kind: target-stall, where: host0, at: 100us, for: 10us')"

# Members that never connected: their links are down from the start and stay so.
for down in 1 3; do
    list=''
    for ((i = 0; i < down; i++)); do list+="{kind: link-down, where: host$((4 + i))}, "; done
    told members "$((4 - down)) of 4 hosts active; $down of 4 host-target pairs never connected (first: host4 to host0)" after "faults=[${list%, }]"
    gojq -e ".workloads[0] | .members == 4 and .members_idle == $down" run.json >/dev/null || fail "$down of 4 members are not counted"
    gojq -e '[.expectations[].held] == [false, false, true]' run.json >/dev/null ||
        fail "expectations are passed by those that did nothing: $(gojq -c '[.expectations[].held]' run.json)"
    "$program" run plain.yaml --set "faults=[${list%, }]" --set 'expect=[]' --json 2>/dev/null >run.json
    [ $? = 1 ] || fail "members that did nothing are no failure"
    gojq -e --arg words "$down of 4 host-target pairs" 'any(.failures[]; contains($words))' run.json >/dev/null || fail "no failure names $down members"
done
# Nobody is judged of a run that was cut before it could begin.
"$program" run plain.yaml --until 5us --json 2>/dev/null | gojq -e '.warnings == [] and .failures == []' >/dev/null || fail "a run that was cut is judged"

# A connect that waited until a timer sent its message again.
for until in 1 3; do
    told connects '1 of 4 host-target pairs lost a connection message and waited until it was sent again (first: host4 to host0; ' after \
        duration=20ms "$(fault "kind: link-down, where: host4, for: ${until}ms")"
done

# A second link that nobody uses.
cat >plain.yaml <<'EOF'
stormglass: 1
name: two-links
duration: 100us
fabric:
  topology: {kind: explicit, hosts: [a, b, c], switches: [s, t], links: [{ends: [a, s]}, {ends: [a, t]}, {ends: [b, s]}, {ends: [s, t]}, {ends: [c, s]}, {ends: [c, t]}]}
workloads:
  - {name: r, kind: rdma-write, from: a, to: b}
EOF
told host-links 'a: 1 of its 2 links carries no traffic: workloads use the first link of a host, a:p0' before
told host-links 'a (and 1 more): 1 of its 2 links' before workloads.r.to=c

# Whether a frame is lossless is decided where it is: at the switch, not by the map of the host that sent it or takes it.
cat >plain.yaml <<'EOF'
stormglass: 1
name: lossy
duration: 2ms
fabric: {topology: {kind: single-switch, hosts: 6}, switch: {buffer: {size: 4MB}}}
hosts:
  targets: {where: host0, namespaces: [{media: "null"}]}
workloads:
  - {name: w, kind: rdma-write, from: "host1..host5", to: host0, message-size: 256KiB, outstanding: 4}
expect: [no-lossless-drop]
EOF
for sets in 'rnic.dscp=0' 'rnic.dscp=10 rnic.dscp-to-priority={10:3}' 'rnic.dscp=0 rnic.dscp-to-priority={0:0}'; do
    more=()
    for set in $sets; do more+=(--set "hosts.defaults.${set/:/: }"); done
    "$program" run plain.yaml "${more[@]}" --json >run.json 2>/dev/null
    gojq -e '.drops.lossy > 0' run.json >/dev/null || fail "lossy ($sets): $(gojq -c .drops run.json)"
    "$program" run plain.yaml "${more[@]}" 2>/dev/null | grep -q 'FAIL *no-lossless-drop *no frame of a lossless class was sent' ||
        fail "no-lossless-drop of lossy frames ($sets)"
done
"$program" run plain.yaml --json | gojq -e '.expectations[0].held' >/dev/null || fail "no-lossless-drop of lossless frames"

# A window that is too short for a single completion measures no rate, which no expectation passes; a 0 over a long one is measured.
sed -i 's/  - {name: w.*/  - {name: w, kind: nvme, from: "host1..host5", to: host0, block-size: 4KiB, queue-depth: 4}/
    s/^expect.*/expect: ["w.goodput < 1Tbps", "w.iops >= 0", "w.member_goodput.min < 1Tbps"]/' plain.yaml
for set in workloads.w.warm-up=1999999ns workloads.w.start=1999us; do
    "$program" run plain.yaml --set $set --json >run.json 2>/dev/null
    gojq -e '.workloads[0] | .completed > 0 and [.iops, .goodput_bps, .member_goodput_bps.min] == [null, null, null]' run.json >/dev/null ||
        fail "a rate over no time ($set): $(gojq -c '.workloads[0] | [.completed, .iops, .goodput_bps, .member_goodput_bps]' run.json)"
    gojq -e 'any(.expectations[]; .held) | not' run.json >/dev/null || fail "a rate over no time is passed ($set): $(gojq -c .expectations run.json)"
done
"$program" run plain.yaml --set 'faults=[{kind: link-down, where: host0, at: 1ms}]' --set workloads.w.warm-up=1200us --json 2>/dev/null |
    gojq -e '.workloads[0] | [.iops, .goodput_bps] == [0, 0]' >/dev/null || fail "a rate of 0 over 800 us is not measured"
exit $failed
