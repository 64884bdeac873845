#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hazards of `check`: a harm that it foretells does not come, its remedy does not help, one mistake fills a screen, a script
# cannot tell a warning from none.
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

sets() { # SET...: as options, in `options`
    options=()
    for set in "$@"; do options+=(--set "$set"); done
}

finds() { # FILE RULE WORDS COUNT SET...: one finding of the rule with the words, of so many things
    local file=$1 rule=$2 words=$3 count=$4
    sets "${@:5}"
    "$program" check "$file" "${options[@]}" --json >check.json 2>check.err
    [ $? -le 1 ] || fail "$rule: $(cat check.err)"
    gojq -e --arg rule "$rule" --arg words "$words" --argjson count "$count" \
        '[.findings[] | select(.rule == $rule and (.text | contains($words)))] |
         length == 1 and .[0].count == $count and (.[0].places | length) == $count' check.json >/dev/null ||
        fail "$rule (${*:5}): check says $(gojq -c '[.findings[] | select(.rule == "'"$rule"'") | [.text, .count]]' check.json)"
}

quiet() { # FILE RULE SET...: nothing of the rule
    local file=$1 rule=$2
    sets "${@:3}"
    "$program" check "$file" "${options[@]}" --json 2>check.err >check.json
    gojq -e --arg rule "$rule" 'all(.findings[]; .rule != $rule)' check.json >/dev/null ||
        fail "$rule (${*:3}): check says $(gojq -c '[.findings[] | select(.rule == "'"$rule"'") | .text]' check.json)"
}

shows() { # FILE QUERY SET...: the run's JSON holds it
    local file=$1 query=$2
    sets "${@:3}"
    "$program" run "$file" "${options[@]}" --json >run.json 2>run.err
    [ $? -le 1 ] || fail "run $file: $(cat run.err)"
    gojq -e "$query" run.json >/dev/null || fail "run $file (${*:3}): not $query"
}

# Every port of three switches is wrong: one finding, at the value, with its remedy; each place is told.
cat >incast.yaml <<'EOF'
stormglass: 1
name: incast
duration: 300us
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 4}
  switch: {buffer: 3MB, ports: 5, policy: static, xoff: 20KB,
           pfc: {headroom: auto}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads:
  - {name: w, kind: rdma-write, from: "host1..host7", to: host0}
EOF
finds incast.yaml headroom 'B of data can arrive after XOFF, but the headroom is 1024 B' 9 fabric.switch.pfc.headroom=1KB
gojq -e '.findings[0] | .level == "warning" and (.remedy | contains("or to auto")) and .places[8].name == "spine0:p1"' check.json >/dev/null ||
    fail "places or remedy: $(gojq -c '.findings[0]' check.json)"
sed 's/headroom: auto/headroom: 1KB/' incast.yaml >small.yaml
"$program" check small.yaml >check.txt || fail "a warning is no failure"
grep -q '^small.yaml:7:28: warning: 9 ports of 3 switches (leaf0:p1, ...): ' check.txt || fail "the value's place: $(cat check.txt)"
grep -q '^    remedy: set the switch' check.txt || fail "no remedy: $(cat check.txt)"
"$program" check small.yaml --strict >/dev/null && fail "--strict: a warning is no failure"
"$program" check incast.yaml --strict >/dev/null || fail "--strict: notes are a failure"
shows small.yaml '.drops.lossless > 0'
shows incast.yaml '.drops.lossless == 0'

# Headroom for the frames that are sent: a row of 66 B frames would need more than the 66,560 B that never fill.
far=(fabric.host-links.length=40m fabric.fabric-links.length=40m fabric.switch.policy=dynamic workloads.w.outstanding=8 workloads.w.qps=4)
finds incast.yaml headroom '26112 B of data can arrive after XOFF, but the headroom is 13056 B' 9 "${far[@]}" fabric.switch.pfc.headroom=13056B
shows incast.yaml '.drops.lossless > 0' "${far[@]}" fabric.switch.pfc.headroom=13056B
quiet incast.yaml headroom "${far[@]}" fabric.switch.pfc.headroom=66560B
shows incast.yaml '.drops.lossless == 0 and .buffer.headroom_peak_bytes <= 26112' "${far[@]}" fabric.switch.pfc.headroom=66560B

# Data of reads flow from the target: who reads from many has a fan-in, who is read from has none.
finds incast.yaml fan-in 'host0: 7 senders together can send up to 700 Gb/s, but the receiver's links carry 100 Gb/s: a fan-in of 7:1' 1
shows incast.yaml '.pfc.pause_frames > 0'
quiet incast.yaml fan-in workloads.w.kind=rdma-read
finds incast.yaml fan-in 'host0: 4 senders together can send up to 400 Gb/s' 1 workloads.w.kind=rdma-read workloads.w.from=host0 'workloads.w.to=host4..host7' \
    workloads.w.pairing=all-to-all
shows incast.yaml '.pfc.pause_frames > 0' workloads.w.kind=rdma-read workloads.w.from=host0 'workloads.w.to=host4..host7' workloads.w.pairing=all-to-all
# An open loop offers no more than its rate.
quiet incast.yaml fan-in workloads.w.rate=1000

# A watchdog is missed only where pauses could last.
quiet incast.yaml watchdogs
finds incast.yaml watchdogs 'the PFC watchdog is off' 3 'faults=[{kind: pause-storm, where: host0, at: 100us}]'
# A slow link in an ECMP group, and two tiers that take the same hash: half of the fabric's capacity is gone.
goodput() { # FILE SET...: of the first workload, in Gb/s
    local file=$1
    sets "${@:2}"
    "$program" run "$file" "${options[@]}" --json 2>run.err >run.json
    gojq '.workloads[0].goodput_bps / 1e9 | floor' run.json
}
worse() { # WHAT GOODPUT PERCENT OTHER: the first is less than so much of the other
    [ $(($2 * 100)) -lt $(($3 * $4)) ] || fail "$1: $2 Gb/s is not less than $3 % of $4 Gb/s"
}
cat >tree.yaml <<'EOF'
stormglass: 1
name: tree
duration: 300us
fabric:
  topology: {kind: fat-tree, k: 4}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}
workloads:
  - {name: w, kind: rdma-write, from: "host0..host7", to: "host8..host15", pairing: one-to-one, qps: 16, outstanding: 16}
EOF
finds tree.yaml hash-seeds 'flows from one switch of that hop use only 1 of 2 equal links' 8 fabric.switch.ecmp-seed=7
quiet tree.yaml hash-seeds
worse 'equal hash seeds' "$(goodput tree.yaml fabric.switch.ecmp-seed=7)" 70 "$(goodput tree.yaml)"
slow='fabric.overrides=[{where: "agg*-core0", rate: 10Gbps}]'
finds tree.yaml path-rates '10Gbps, but other links of its ECMP group have 100Gbps' 4 "$slow"
quiet tree.yaml path-rates
worse 'a slow link in a group' "$(goodput tree.yaml "$slow")" 90 "$(goodput tree.yaml)"

# Two classes to one host: a strict one starves the other, a tiny weight nearly so, and weights share.
cat >classes.yaml <<'EOF'
stormglass: 1
name: classes
duration: 300us
fabric:
  topology: {kind: single-switch, hosts: 4}
  switch: {pfc: {priorities: [3, 4]}, dscp: {10: 1, 26: 3, 34: 4}}
hosts:
  defaults: {rnic: {profile: ideal, congestion-control: none, pfc-priorities: [3, 4], dscp-to-priority: {10: 1, 34: 4}}}
workloads:
  - {name: low, kind: rdma-write, from: host1, to: host0, dscp: 26, outstanding: 16}
  - {name: high, kind: rdma-write, from: host2, to: host0, dscp: 34, outstanding: 16}
EOF
fair='fabric.switch.scheduler.weights={3: 50, 4: 50}'
tiny='fabric.switch.scheduler.weights={3: 1, 4: 99}'
finds classes.yaml starvation 'priority 4 is strict' 1
quiet classes.yaml starvation "$fair"
quiet classes.yaml weights "$fair"
finds classes.yaml weights 'priority 3 has lossless data, but a weight of only 1 of 100' 1 "$tiny"
worse 'a strict class' "$(goodput classes.yaml)" 10 "$(goodput classes.yaml "$fair")"
worse 'a tiny weight' "$(goodput classes.yaml "$tiny")" 10 "$(goodput classes.yaml "$fair")"

# A lossy class obeys no pauses, unless pfc-enabled of its links has its priority.
storm='faults=[{kind: pause-storm, where: host0, at: 0us, priority: 1}]' lossy='fabric.host-links.pfc-enabled=[1, 3, 4]'
finds classes.yaml lossy-pauses 'priority 1 is lossy at the switch' 1 workloads.low.dscp=10 "$lossy"
quiet classes.yaml lossy-pauses workloads.low.dscp=10
worse 'pauses of a lossy class' "$(goodput classes.yaml workloads.low.dscp=10 workloads.high.to=host3 "$storm" "$lossy")" 10 \
    "$(goodput classes.yaml workloads.low.dscp=10 workloads.high.to=host3 "$storm")"
finds classes.yaml faults 'the fault pause-storm at host0 has no effect: PFC of priority 1 is disabled' 1 "$storm"
quiet classes.yaml faults "$storm" "$lossy"

# One lost packet ends a queue pair that may not retry.
lost='faults=[{kind: drop-every, where: host1, at: 50us, n: 64}]'
finds classes.yaml retries 'retry-count 0' 2 hosts.defaults.rnic.retry-count=0
quiet classes.yaml retries
shows classes.yaml '.workloads[0].failed > 0' hosts.defaults.rnic.retry-count=0 "$lost" "$fair"
shows classes.yaml '.workloads[0].failed == 0' "$lost" "$fair"

# A sender whose frames cannot be marked takes the link from one that slows down.
cat >mixed.yaml <<'EOF'
stormglass: 1
name: mixed
duration: 2ms
fabric: {topology: {kind: single-switch, hosts: 3}}
hosts: {defaults: {rnic: {profile: ideal}}, deaf: {where: host2, rnic: {congestion-control: none}}}
workloads:
  - {name: reacts, kind: rdma-write, from: host1, to: host0, outstanding: 16}
  - {name: deaf, kind: rdma-write, from: host2, to: host0, outstanding: 16}
EOF
finds mixed.yaml ecn 'frames are not ECT' 1
quiet mixed.yaml ecn hosts.deaf.rnic.congestion-control=dcqcn
shows mixed.yaml '.workloads[0].goodput_bps * 3 < .workloads[1].goodput_bps'
shows mixed.yaml '.workloads[0].goodput_bps * 3 > .workloads[1].goodput_bps' hosts.deaf.rnic.congestion-control=dcqcn

# What a target writes as its DSCP changes nothing.
finds mixed.yaml idle-settings 'rnic.dscp 46 has no effect' 1 'hosts.t={where: host0, rnic: {dscp: 46, pfc-priorities: [3]}}'
[ "$(goodput mixed.yaml)" = "$(goodput mixed.yaml 'hosts.t={where: host0, rnic: {dscp: 46, pfc-priorities: [3]}}')" ] ||
    fail 'the DSCP of a target has an effect'

# An open loop beyond its link waits longer and longer; below, it does not.
rated=(workloads.deaf.to=host1 workloads.reacts.message-size=128KiB)
finds mixed.yaml offered 'that it sends, but its links carry 100Gbps' 1 "${rated[@]}" workloads.reacts.rate=100000
quiet mixed.yaml offered "${rated[@]}" workloads.reacts.rate=80000

# A host that drains slowly runs dry after each pause when its buffer resumes too low.
cat >dry.yaml <<'EOF'
stormglass: 1
name: dry
duration: 2ms
fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {length: 300m}}
hosts: {defaults: {rnic: {profile: ideal, congestion-control: none, rx-buffer: 256KiB, rx-xoff: 64KB, drain: 90Gbps}}}
workloads: [{name: w, kind: rdma-write, from: host1, to: host0, outstanding: 16}]
EOF
finds dry.yaml pauses "XON is at 4000 B, less than the" 2 hosts.defaults.rnic.rx-xon=4KB
quiet dry.yaml pauses hosts.defaults.rnic.rx-xon=50KB
[ "$(goodput dry.yaml hosts.defaults.rnic.rx-xon=4KB)" -lt "$(goodput dry.yaml hosts.defaults.rnic.rx-xon=50KB)" ] || fail 'a buffer that resumes too low costs nothing'
exit $failed
