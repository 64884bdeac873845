#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a target has for all its hosts is not enough: what each is granted, and what check, the summary and explain say of it.
set -u
. tests/golden/outside

# scenario NAME TARGET WORKLOAD: four hosts and a target
scenario() {
    cat >"$1.yaml" <<END
stormglass: 1
name: $1
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 5}}
hosts: {targets: {where: host0, target: {$2}, namespaces: [{media: null}]}}
workloads: [{name: w, kind: nvme, from: "host1..host4", to: host0, $3}]
END
}
play() { # NAME [OPTION...]
    "$program" run "$@" --json -o "$1.db" >"$1.json" 2>err
    [ $? -le 1 ] || fail "$1: $(cat err)"
}
holds() { gojq -e "$2" "$1.json" >/dev/null || fail "$1: not so: $2:" "$(gojq -c '.workloads[0], .warnings, .causes' "$1.json")"; }

# A budget of queues: 4 + 4 + 4 + 4 are asked for.
scenario budget 'queue-budget: 16' 'queues: 4, queue-depth: 4'
play budget.yaml
holds budget.yaml '.workloads[0] | .queues == {asked: 16, granted: 16} and .members_idle == 0'
holds budget.yaml '.warnings == [] and .causes == []'
expect 'enough queues' 0 '' "$program" check budget.yaml
grep -q queue-budget out && fail "enough queues: $(cat out)"

play budget.yaml --set hosts.targets.target.queue-budget=10
holds budget.yaml '.workloads[0].queues == {asked: 16, granted: 10} and .workloads[0].members_idle == 0 and .workloads[0].failed == 0'
holds budget.yaml '.warnings == [{rule: "queue-budget",
    text: "host0: granted 10 of the 16 I/O queues that workloads ask for (target.queue-budget): members with fewer 2, connects refused 0"}]'
expect 'too few queues' 0 'host0: workloads ask for 16 I/O queues of its 10 (target.queue-budget): who connects first gets them' \
    "$program" check budget.yaml --set hosts.targets.target.queue-budget=10

play budget.yaml --set hosts.targets.target.queue-budget=3
holds budget.yaml '.workloads[0].queues == {asked: 16, granted: 3} and .workloads[0].members_idle == 1 and .harm.severity == "severe"'
holds budget.yaml '.causes[0] | .kind == "queue-budget" and .suspect == "setting" and .name == "hosts.targets.target.queue-budget" and .sure'
expect 'a host is refused' 0 'host0 refused 1 connect: none of its I/O queues was left' "$program" explain budget.yaml.db
expect 'an expectation' 1 'BROKEN  w.queues.granted == 16  ' "$program" run budget.yaml --set hosts.targets.target.queue-budget=10 --set 'expect=[w.queues.granted == 16]'
echo "ok    queue-budget"

# Receives of a queue pair: 31 of 32 commands at once find none, and wait for a timer of 10 us.
scenario receives 'receive-queue: auto' 'queue-depth: 32'
media='hosts.targets.namespaces[0].media={kind: fixed, parallel: 512, read-latency: 80us}'
timer='hosts.defaults.rnic.min-rnr-timer=1'
few='hosts.targets.target.receive-queue=31'
play receives.yaml --set "$media" --set "$timer"
holds receives.yaml '.rnic.rnr_naks == 0 and .bottleneck_kind != "credit" and .causes == []'
cp receives.yaml.json all.json
play receives.yaml --set "$media" --set "$timer" --set "${few/31/32}"
[ "$(gojq -c '[.workloads, .bottleneck, .rnic]' all.json)" = "$(gojq -c '[.workloads, .bottleneck, .rnic]' receives.yaml.json)" ] || fail 'as many receives as commands are not enough'
play receives.yaml --set "$media" --set "$timer" --set "${few/31/8}"
holds receives.yaml '.rnic.rnr_naks > 100 and .bottleneck_kind == "credit" and .workloads[0].unfinished == 0 and .workloads[0].failed == 0'
holds receives.yaml '.causes[0] | .kind == "rnr" and .suspect == "setting" and .name == "hosts.targets.target.receive-queue"'
holds receives.yaml '(.rnic.rnr_naks | tostring) as $naks | .causes[0].sentence | contains($naks + " RNR NAKs: messages of w found no receive posted")'
# Of each queue 8 commands are served in 80 us and what goes with them, not 32.
[ "$(gojq '.workloads[0].completed' all.json)" -gt $((3 * $(gojq '.workloads[0].completed' receives.yaml.json))) ] || fail 'receives: it costs too little'
expect 'too few receives' 0 'of the 32 commands that a queue may have under way host0 has receives for 31 (target.receive-queue): the others wait for RNR timers (a run shows rnic.rnr_naks > 0)' \
    "$program" check receives.yaml --set "$few"
"$program" check receives.yaml --set "${few/31/32}" >out 2>&1 || fail 'check'
grep -q receive-queue out && fail "enough receives: $(cat out)"
expect 'more receives gain' 0 'hosts.targets.target.receive-queue 8 -> 9' "$program" explain receives.yaml.db --what-if
echo "ok    receive-queue"

# The limits of real targets: what is sent at once, and how many buffers that takes.
scenario real 'profile: spdk-target' 'queue-depth: 32, block-size: 256KiB'
expect 'SPDK sends 128 KiB at most' 0 'is sent as 2 commands: target.max-transfer of host0 is 131072 B' "$program" check real.yaml
# 4 hosts, 64 commands each: 16 buffers of 8 KiB for each are one more than there are.
"$program" run real.yaml >out 2>&1
grep -q '^  buffer wait  *[1-9]' out || fail "no wait for buffers: $(cat out)"
"$program" run real.yaml --set workloads.w.queue-depth=31 >out 2>&1
grep -q '^  buffer wait' out && fail "a wait for buffers: $(cat out)"
"$program" check real.yaml --set hosts.targets.target.profile=linux-nvmet >out 2>&1 || fail "nvmet: $(cat out)"
grep -q 'is sent as' out && fail "nvmet: $(cat out)"
"$program" run real.yaml --set hosts.targets.target.profile=linux-nvmet >out 2>&1
grep -q '^  buffer wait' out && fail "nvmet has no buffers to wait for: $(cat out)"
expect 'what is written goes before a profile' 0 'profile spdk-target, data-buffers 9 + 7 from profile spdk-target' "$program" run real.yaml --set hosts.targets.target.data-buffers=9
expect 'a profile of another kind' 2 'expected a profile of kind target' "$program" run real.yaml --set hosts.targets.target.profile=rnic-100g
expect 'no such profile' 2 "there is no profile 'spdk-targe'; did you mean 'spdk-target'?" "$program" run real.yaml --set hosts.targets.target.profile=spdk-targe
echo "ok    profiles"

[ $failures = 0 ]
