#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a target has for all its hosts is not enough: what each is granted, and what check, the summary and explain say of it.  And
# that two targets are not taken for one.
set -u
. tests/golden/outside

# scenario NAME TARGET WORKLOAD: four hosts and a target
scenario() {
    cat >"$1.yaml" <<END
stormglass: 1
name: $1
duration: 1ms
fabric: {topology: {kind: single-switch, hosts: 5}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, target: {$2}, namespaces: [{media: null}]}}
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
holds budget.yaml '.warnings | map({rule, text}) == [{rule: "queue-budget",
    text: "host0 granted 10 of the 16 I/O queues that workloads request (target.queue-budget); 2 host-target pairs got fewer queues, and 0 connections were rejected"}]'
expect 'too few queues' 0 'host0: workloads request 16 I/O queues, but it has 10 (target.queue-budget): the first hosts to connect get them' \
    "$program" check budget.yaml --set hosts.targets.target.queue-budget=10

play budget.yaml --set hosts.targets.target.queue-budget=3
holds budget.yaml '.workloads[0].queues == {asked: 16, granted: 3} and .workloads[0].members_idle == 1 and .harm.severity == "severe"'
holds budget.yaml '.causes[0] | .kind == "queue-budget" and .suspect == "setting" and .name == "hosts.targets.target.queue-budget" and .sure'
expect 'a host is refused' 0 'host0 refused 1 connect because it has no free I/O queue' "$program" explain budget.yaml.db
expect 'an expectation' 1 'FAIL    w.queues.granted == 16  ' "$program" run budget.yaml --set hosts.targets.target.queue-budget=10 --set 'expect=[w.queues.granted == 16]'
echo "ok    queue-budget"

# Limits of a namespace and of a subsystem against what workloads with a rate ask for.
scenario rates '' 'rate: 10000, read: 50%, block-size: 4KiB'
space='hosts.targets.namespaces[0].iops-limit'
expect 'as many as come' 0 'rates.yaml: no findings' "$program" check rates.yaml --set "$space=40000"
expect 'fewer' 0 'host0: workloads with a rate at namespace 1 offer 40000 I/Os per second, but its iops-limit allows 39000 I/Os per second: the backlog grows without limit' \
    "$program" check rates.yaml --set "$space=39000"
tenant='hosts.targets.subsystems=[{nqn: "nqn.2014-08.org.example:a", write-limit: 600Mbps}, {nqn: "nqn.2014-08.org.example:b", iops-limit: 1}]'
expect 'a subsystem' 0 'host0: workloads with a rate at subsystem nqn.2014-08.org.example:a offer 655.36Mbps, but its write-limit allows 600Mbps' \
    "$program" check rates.yaml --set "$tenant"
grep -q 'example:b' out && fail "nobody connects there: $(cat out)"
expect 'reads alone' 0 'rates.yaml: no findings' "$program" check rates.yaml --set "$tenant" --set workloads.w.read=100%
# A fio job: rates of each direction, of I/Os or bytes, for each of its copies; the last rate_iops is 100 reads, and 50 %
# of reads means as many writes. Sizes of 4k to 12k have a mean of 8k: 80k/s are 10 writes a second.
jobs() { # OPTIONS: of a job with two copies on host1
    printf '[j]\nrw=randrw\nbs=4k\nsize=1m\nnumjobs=2\n%b' "$1" >job.fio
    printf 'stormglass: 1\nname: j\nduration: 1ms\nfabric: {topology: {kind: single-switch, hosts: 2}}\n%s\n%s\n' \
        'hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: null}]}}' \
        'workloads: [{name: w, kind: fio, file: job.fio, from: host1, to: host0}]' >jobs.yaml
}
limits() { # TEXT LIMIT=VALUE: found for one less than asked
    expect "$2" 0 "host0: workloads with a rate at namespace 1 offer $1: the fio jobs run below their rate" \
        "$program" check jobs.yaml --set "hosts.targets.namespaces[0].$2"
}
enough() { # LIMIT=VALUE
    "$program" check jobs.yaml --set "hosts.targets.namespaces[0].$1" >out 2>&1
    grep -q 'below their rate' out && fail "$1 is enough: $(cat out)"
}
jobs 'rate_iops=1000,500\n'
limits '3000 I/Os per second, but its iops-limit allows 2999 I/Os per second' iops-limit=2999
limits '65.536Mbps, but its read-limit allows 65.5Mbps' read-limit=65.5Mbps
limits '32.768Mbps, but its write-limit allows 32.7Mbps' write-limit=32.7Mbps
enough iops-limit=3000
enough write-limit=32.768Mbps
jobs 'rate_iops=100,\n'
limits '400 I/Os per second, but its iops-limit allows 399 I/Os per second' iops-limit=399
enough iops-limit=400
jobs 'rw=randwrite\nbsrange=4k-4k,4k-12k\nrate=,80k\n'
limits '20 I/Os per second, but its iops-limit allows 19 I/Os per second' iops-limit=19
enough iops-limit=20
jobs ''
enough iops-limit=1
echo "ok    limits"

# Drives that fail against those that may: as many as parity are borne, one after the other even more.
array='hosts.targets.namespaces[0]={media: fixed, drives: 6, layout: parity, parity: 2}'
drives() { printf 'faults=[{kind: drive-failed, where: host0, drive: 1, for: 100us}, {kind: drive-failed, where: host0, drive: 2}, {kind: drive-failed, where: host0, drive: 3, at: %s}]' "$1"; }
expect 'two at once' 0 'rates.yaml: no findings' "$program" check rates.yaml --set "$array" --set "$(drives 200us)"
expect 'three at once' 0 'host0: namespace 1 loses 3 of 6 drives, more than its layout tolerates: all its I/O fails from then on' \
    "$program" check rates.yaml --set "$array" --set "$(drives 50us)"
echo "ok    drives"

# Limits of a workload at its hosts.
for own in 'iops-limit=9999|10000 I/Os per second for each instance, but its iops-limit allows 9999 I/Os per second' 'rate-limit=327Mbps|327.68Mbps for each instance, but its rate-limit allows 327Mbps' \
    'read-limit=163Mbps|163.84Mbps for each instance, but its read-limit allows 163Mbps' 'write-limit=163Mbps|163.84Mbps for each instance, but its write-limit allows 163Mbps'; do
    expect "own ${own%|*}" 0 "w: its rate is ${own#*|}: the backlog grows without limit" "$program" check rates.yaml --set "workloads.w.${own%|*}"
done
expect 'as many as it asks for' 0 'rates.yaml: no findings' "$program" check rates.yaml --set workloads.w.iops-limit=10000
expect 'no writes' 0 'w: write-limit has no effect: it has no writes' "$program" check rates.yaml --set workloads.w.write-limit=1Gbps --set workloads.w.read=100%
# What it gives, of I/Os, of all data, of what is read and of what is written; what waits is done when it ends, and lost with the target.
scenario own '' 'queue-depth: 16, read: 50%, size: 1MiB'
judged='expect=[data.stale == 0, data.lost == 0, data.torn == 0, data.damaged == 0, w.corrupt == 0, all-commands-complete]'
for own in 'iops-limit=20000|.iops * 1000' 'rate-limit=800Mbps|.goodput_bps / 40' 'read-limit=400Mbps|.goodput_read_bps / 20' 'write-limit=400Mbps|.goodput_write_bps / 20'; do
    play own.yaml --set duration=20ms --set drain=100ms --set "workloads.w.${own%|*}" --set "$judged"
    holds own.yaml "([.expectations[] | select(.held | not)] == []) and .workloads[0].unfinished == 0 and (.workloads[0] | ${own#*|} | . > 78000000 and . < 86000000)"
done
play own.yaml --set duration=20ms --set drain=100ms --set workloads.w.iops-limit=20000 --set "$judged" --set 'faults=[{kind: target-crash, where: host0, at: 8ms, for: 1ms}]' \
    --set 'hosts.defaults.nvme={reconnect-delay: 500us}'
holds own.yaml '([.expectations[] | select(.held | not)] == []) and .workloads[0].unfinished == 0 and .workloads[0].failed == 0'
play own.yaml --set duration=20ms --set drain=100ms --set workloads.w.iops-limit=20000 --set 'faults=[{kind: target-crash, where: host0, at: 8ms, for: 10ms}]' \
    --set 'hosts.defaults.nvme={reconnect-delay: 500us, ctrl-loss-tmo: 1ms}'
holds own.yaml '.workloads[0].unfinished == 0 and .workloads[0].failed > 20'
# Its part of the account of time: nearly all, and none is untraced; likewise of what data work requests are waited for.
accounted() { # SCENARIO PART LEAST [OPTION...]
    local scenario=$1 part=$2 least=$3
    shift 3
    "$program" run "$scenario" --waits -o waits.db "$@" >/dev/null 2>err || fail "$scenario: $(cat err)"
    "$program" query --tabs waits.db "SELECT 100 * sum((part = '$part') * sum_ps) / sum(sum_ps), sum((part = 'untraced') * sum_ps) FROM wait" | tail -n 1 >out
    read -r share untraced <out
    [ "$share" -ge "$least" ] && [ "$untraced" = 0 ] || fail "$scenario: $part is $share% of the account, $untraced ps are untraced"
}
accounted own.yaml workload_limit 80 --set duration=20ms --set drain=100ms --set workloads.w.iops-limit=20000
accounted own.yaml data_wrs 40 --set duration=4ms --set workloads.w.block-size=128KiB --set workloads.w.read=100% --set hosts.targets.target.data-wr-pool=4 \
    --set hosts.targets.target.rdma-size=64KiB --set 'hosts.targets.namespaces[0].media={kind: fixed, parallel: 512, read-latency: 300us}'
echo "ok    limits of a workload"

# Data work requests: of use where a command is several RDMA operations, and enough for the largest.
wrs='hosts.targets.target.data-wr-pool'
expect 'no second operation' 0 'host0: data-wr-pool has no effect: each command is one RDMA operation' "$program" check rates.yaml --set "$wrs=8"
expect 'too few for one' 0 'host0: the largest command needs 15 data work requests, but there are 8 (target.data-wr-pool): it waits until no other command uses any' \
    "$program" check rates.yaml --set "$wrs=8" --set hosts.targets.target.rdma-size=64KiB
expect 'enough for one' 0 'rates.yaml: no findings' "$program" check rates.yaml --set "$wrs=15" --set hosts.targets.target.rdma-size=64KiB
expect 'a profile has them' 0 'rates.yaml: no findings' "$program" check rates.yaml --set hosts.targets.target.profile=spdk-target
echo "ok    data work requests"

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
holds receives.yaml '.rnic.rnr_naks > 100 and .causes[0].kind == "rnr" and .bottleneck_kind != "credit" and .workloads[0].unfinished == 0 and .workloads[0].failed == 0'
holds receives.yaml '.causes[0] | .kind == "rnr" and .suspect == "setting" and .name == "hosts.targets.target.receive-queue"'
holds receives.yaml "(.rnic.rnr_naks | tostring) as \$naks | .causes[0].sentence | contains(\"messages of workload 'w' found no posted receive (\" + \$naks + \" RNR NAKs)\")"
# Of each queue 8 commands are served in 80 us and what goes with them, not 32.
[ "$(gojq '.workloads[0].completed' all.json)" -gt $((3 * $(gojq '.workloads[0].completed' receives.yaml.json))) ] || fail 'receives: it costs too little'
expect 'too few receives' 0 'a queue may have 32 commands outstanding, but host0 has receives for only 31 (target.receive-queue): the others wait for RNR timers (confirm in a run: rnic.rnr_naks > 0)' \
    "$program" check receives.yaml --set "$few"
"$program" check receives.yaml --set "${few/31/32}" >out 2>&1 || fail 'check'
grep -q receive-queue out && fail "enough receives: $(cat out)"
expect 'more receives gain' 0 'hosts.targets.target.receive-queue 8 -> 9' "$program" explain receives.yaml.db --what-if
echo "ok    receive-queue"

# Receives that all share: enough of them are as good as their own, event by event; too few are refused whoever comes.
scenario shared 'shared-receives: 0' 'queues: 2, queue-depth: 8, read: 50%, size: 1MiB'
play shared.yaml --set "$timer"
mv shared.yaml.json all.json
play shared.yaml --set "$timer" --set hosts.targets.target.shared-receives=64
[ "$(gojq -r '.digest' all.json)" = "$(gojq -r '.digest' shared.yaml.json)" ] || fail 'as many shared receives as commands are not enough'
judged='expect=[data.stale == 0, data.lost == 0, data.torn == 0, data.damaged == 0, w.corrupt == 0, all-commands-complete]'
play shared.yaml --set "$timer" --set hosts.targets.target.shared-receives=8 --set "$judged"
holds shared.yaml '.rnic.rnr_naks > 20 and ([.expectations[] | select(.held | not)] == [])'
holds shared.yaml '.causes[0] | .kind == "rnr" and .name == "hosts.targets.target.shared-receives"'
holds shared.yaml '.causes[0].kind == "rnr" and .bottleneck_kind != "credit"'
expect 'more shared receives gain' 0 'hosts.targets.target.shared-receives 8 -> 9' "$program" explain shared.yaml.db --what-if
expect 'too few shared receives' 0 'host0: 64 commands may be outstanding, but it has receives for only 63 (target.shared-receives): the others wait for RNR timers' \
    "$program" check shared.yaml --set hosts.targets.target.shared-receives=63
"$program" check shared.yaml --set hosts.targets.target.shared-receives=64 >out 2>&1
grep -q 'shared-receives' out && fail "enough shared receives: $(cat out)"
expect 'two ways to say it' 0 'host0: receive-queue has no effect: shared-receives are used instead' \
    "$program" check shared.yaml --set hosts.targets.target.shared-receives=64 --set hosts.targets.target.receive-queue=8
# Connections that are lost, a target that stands still and dies: not one receive is lost with them.
for faults in '{kind: link-flap, where: host1-switch0, at: 1ms, for: 12ms, period: 1ms}' \
    '{kind: target-stall, where: host0, at: 1ms, for: 5ms}, {kind: target-crash, where: host0, at: 8ms, for: 1ms}'; do
    play shared.yaml --set duration=16ms --set drain=100ms --set "$timer" --set hosts.targets.target.shared-receives=1 --set "faults=[$faults]" --set "$judged" \
        --set 'hosts.defaults={rnic: {profile: ideal, timeout: 5, retry-count: 2, min-rnr-timer: 1, cm-timeout: 300us}, nvme: {reconnect-delay: 500us, io-timeout: 3ms}}'
    holds shared.yaml '.workloads[0].controllers.lost > 3 and .workloads[0].unfinished == 0 and ([.expectations[] | select(.held | not)] == [])'
done
echo "ok    shared-receives"

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
expect 'what is written goes before a profile' 0 'data-buffers=9; profile spdk-target sets 10 values' "$program" run real.yaml --set hosts.targets.target.data-buffers=9
expect 'a profile of another kind' 2 'expected a profile of kind target' "$program" run real.yaml --set hosts.targets.target.profile=rnic-100g
expect 'no such profile' 2 "there is no profile 'spdk-targe'; did you mean 'spdk-target'?" "$program" run real.yaml --set hosts.targets.target.profile=spdk-targe
echo "ok    profiles"

# Connect data and Identify say which: two targets of one NQN would be a duplicate controller for Linux.
scenario names 'cores: 1' 'queue-depth: 1, count: 1'
said() { # TEXT: how many frames from or to the second target have it
    sqlite3 -batch -noheader run.db "SELECT count(*) FROM frame WHERE 1 IN (source, destination) AND instr(head, CAST('$1' AS BLOB))>0"
}
"$program" run names.yaml --set 'hosts.targets.where=host0..host1' --set 'workloads.w.from=host2..host4' --set 'workloads.w.to=host0..host1' --record packets -o run.db >out 2>&1 || fail "two targets: $(cat out)"
usual=nqn.2014-08.org.nvmexpress:stormglass
[ "$(said $usual)" -gt 0 ] && [ "$(said $usual)" = "$(said $usual:host1)" ] || fail "the second target: $(said $usual) $(said $usual:host1)"
[ "$(sqlite3 -batch -noheader run.db "SELECT count(*) FROM frame WHERE instr(head, CAST('$usual:host0' AS BLOB))>0")" = 0 ] || fail 'the first target has another name'
for name in $usual $usual:host1; do
    "$program" run names.yaml --set 'hosts.targets.where=host0..host1' --set 'workloads.w.to=host1' --set 'workloads.w.from=host2..host4' --set "workloads.w.subsystem='$name'" >out 2>&1 || fail "$name: $(cat out)"
done
expect 'another target has it' 2 "host1 has no subsystem '$usual:host0'" "$program" run names.yaml --set 'hosts.targets.where=host0..host1' --set 'workloads.w.to=host1' --set 'workloads.w.from=host2..host4' --set "workloads.w.subsystem='$usual:host0'"
echo "ok    names"

[ $failures = 0 ]
