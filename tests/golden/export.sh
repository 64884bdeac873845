#!/bin/bash
# export.sh - what is exported is read again as it was: switches by import sonic.      SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/../.." || exit 3
S=${STORMGLASS:-build/gcc-plain/stormglass}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "$*"; failed=1; }

plain() { sed 's/ *#.*//' "$1" | grep -v '^$'; }

# Each switch of a scenario as a file, and these as a scenario.
again() { # SCENARIO FOLDER SWITCH...
    local scenario=$1 folder=$2 node files=()
    shift 2
    mkdir -p "$folder"
    for node; do
        "$S" export sonic "$scenario" --node "$node" -o "$folder/$node.json" 2>"$folder/$node.txt" || fail "$scenario: $node: exit $?"
        files+=("$folder/$node.json")
    done
    "$S" import sonic "${files[@]}" >"$folder.yaml" 2>"$folder.notes" || fail "$scenario: import: exit $?"
}

# Real configuration: the same run, and after a second pass the same words.
clos=tests/golden/sonic/clos
"$S" import sonic $clos/*.json >"$work/clos.yaml" 2>/dev/null
again "$work/clos.yaml" "$work/once" leaf0 leaf1 tor0 tor1
again "$work/once.yaml" "$work/twice" leaf0 leaf1 tor0 tor1
diff <(plain "$work/once.yaml") <(plain "$work/twice.yaml") >/dev/null || fail "a second pass differs from the first"
digest() { "$S" run "$1" --json 2>/dev/null | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p'; }
[ -n "$(digest "$work/clos.yaml")" ] || fail "no digest"
[ "$(digest "$work/clos.yaml")" = "$(digest "$work/once.yaml")" ] || fail "the exported switches do not play as the imported ones"

# What is set arrives: every kind of value, each other than its default.
cat >"$work/set.yaml" <<'Y'
stormglass: 1
name: set
duration: 1ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}
  host-links: {rate: 25Gbps, length: 3m, mtu: 9100B}
  fabric-links: {rate: 100Gbps, length: 20m, mtu: 9100B, fec: auto}
  switch:
    profile: shared-buffer-32mb
    pfc: {priorities: [3, 4], headroom: 90KB, headroom-pool: 2MB, xon: 18KiB, xon-offset: 4608B}
    buffer: {alpha: 25%, alpha-lossy: 400%, alpha-egress: 200%, reserved: 2KiB, reserved-lossy: 1KiB, reserved-queue: 3KiB,
      lossy-pool: 20%, egress-lossy-pool: 60%, egress-limit: 8MB}
    ecn: {kmin: 150KB, kmax: 1500KB, pmax: 7%}
    watchdog: {action: forward, detection: 300ms, restoration: 500ms, poll: 200ms}
    scheduler: {weights: {0: 20, 3: 50, 4: 30}}
hosts:
  targets: {where: host0, namespaces: [{media: storage-class, count: 2}]}
workloads:
  - {name: io, kind: nvme, from: "host2..host3", to: host0, read: 50%, block-size: 16KiB, queue-depth: 4}
Y
again "$work/set.yaml" "$work/read" leaf0 leaf1 spine0 spine1
for words in 'priorities: \[3, 4\], headroom: 90KB, headroom-pool: 2MB, xon: 18KiB, xon-offset: 4608B' \
    'alpha: 25%, reserved: 2048B, alpha-lossy: 400%, reserved-lossy: 1024B' 'lossy-pool: 20%, reserved-queue: 3072B' \
    'egress-lossy-pool: 60%, alpha-egress: 200%, egress-limit: 8MB' 'kmin: 150KB, kmax: 1500KB, pmax: 7%' \
    'action: forward, detection: 300ms, restoration: 500ms, poll: 200ms' '0: 20, 1: 0, 2: 0, 3: 50, 4: 30' \
    'rate: 25Gbps, length: 3m, mtu: 9100B' 'rate: 100Gbps, length: 20m, mtu: 9100B, fec: auto'; do
    tr '\n' ' ' <"$work/read.yaml" | tr -s ' ' | grep -q "$words" || fail "not read again: $words"
done

# What SONiC cannot say is said.
"$S" export sonic "$work/set.yaml" --node leaf0 --set fabric.switch.buffer.alpha=30% --set fabric.host-links.length=2500mm \
    --set fabric.switch.latency=777ns \
    >"$work/odd.json" 2>"$work/odd.txt"
grep -q 'alpha is not a power of two.*2^-2 is written' "$work/odd.txt" || fail "alpha: $(cat "$work/odd.txt")"
grep -q 'the device itself decides this, not its configuration:.*latency 777ns' "$work/odd.txt" || fail "latency: $(cat "$work/odd.txt")"
grep -q 'whole meters' "$work/odd.txt" || fail "meters: $(cat "$work/odd.txt")"
grep -q '"pg_lossless_25000_3m_profile": {.*"xoff": "90000".*"dynamic_th": "-2"}' "$work/odd.json" || fail "the profile is not there"

# Changed settings, as a scenario that changes another: the same run, wherever it lies; a second one on it, too.
mkdir -p "$work/other/deep"
changes=(--set fabric.host-links.rate=50Gbps --set 'workloads.io.queue-depth=9' --set workloads.io.queue-depth=3
    --set 'faults[+]={kind: switch-down, where: "spine0", at: "50us"}' --set 'faults[+]={kind: link-down, where: "leaf0-spine1", at: "60us", for: 9us}'
    --set 'about="two spines: one left"' --seed 7)
(cd "$work" && "$(cd - >/dev/null; realpath "$S")" export scenario set.yaml "${changes[@]}" -o other/deep/chosen.yaml) || fail "changes: exit $?"
grep -q '^scenario: .*\.\./\.\./set.yaml' "$work/other/deep/chosen.yaml" || fail "changes: $(cat "$work/other/deep/chosen.yaml")"
[ "$(digest "$work/other/deep/chosen.yaml")" = "$("$S" run "$work/set.yaml" "${changes[@]}" --json 2>/dev/null | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p')" ] ||
    fail "changes do not play as --set does"
"$S" export scenario "$work/other/deep/chosen.yaml" --set duration=900us -o "$work/other/more.yaml" || fail "changes of changes: exit $?"
[ "$(digest "$work/other/more.yaml")" = "$("$S" run "$work/set.yaml" "${changes[@]}" --set duration=900us --json 2>/dev/null | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p')" ] ||
    fail "changes of changes do not play as --set does"
"$S" run "$work/other/more.yaml" -o "$work/more.db" >/dev/null 2>&1
rm "$work/other/deep/chosen.yaml"
"$S" replay "$work/more.db" >/dev/null 2>"$work/err" || fail "a replay needs more than its database: $(cat "$work/err")"
"$S" export scenario pause-storm --set seed=5 -o "$work/case.yaml" && [ "$(digest "$work/case.yaml")" = "$("$S" run pause-storm --seed 5 --json 2>/dev/null |
    sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p')" ] || fail "a case that is changed: $(cat "$work/case.yaml")"
"$S" run "$work/case.yaml" -o "$work/case.db" >/dev/null 2>&1
"$S" replay "$work/case.db" >/dev/null 2>"$work/err" || fail "replay of a case that is changed: $(cat "$work/err")"

# Wrong changes are said where they are written.
wrong() { # WORDS LINE...
    local words=$1
    shift
    printf '%s\n' 'stormglass: 1' "$@" >"$work/wrong.yaml"
    "$S" check "$work/wrong.yaml" >"$work/out" 2>&1
    grep -q "wrong.yaml:$words" "$work/out" || fail "wrong change: expected $words, not $(cat "$work/out")"
}
wrong "4:21: error: unknown key 'speed'" 'scenario: set.yaml' 'set:' '  fabric.host-links.speed: 1Gbps'
wrong "4:13: error: the list has no member 'oi'" 'scenario: set.yaml' 'set:' '  workloads.oi.queue-depth: 1'
wrong '4:29: error:' 'scenario: set.yaml' 'set:' '  workloads.io.queue-depth: [many]'
wrong '3:1: error: with scenario:, only the keys name, about and set are allowed' 'scenario: set.yaml' 'duration: 1ms'
wrong '2:11: error: wrong.yaml is read already\|2:11: error: .*wrong.yaml' 'scenario: wrong.yaml'
wrong '2:11: error:.*nowhere.yaml' 'scenario: nowhere.yaml'
wrong '3:6: error: expected a mapping of paths' 'scenario: set.yaml' 'set: 5'

# DCQCN of a host: units of the card's files, and what they cannot have.
"$S" export mlnx_qos "$work/set.yaml" --node host2 --set hosts.defaults.rnic.congestion-control.kind=dcqcn-mlx5 \
    --set hosts.defaults.rnic.congestion-control.min-rate=1500Kbps >"$work/host" 2>"$work/host.txt" || fail "dcqcn: exit $?"
ecn() { sed -n "s|^echo \([0-9]*\) > .*ecn/$1\"\$|\1|p" "$work/host"; }
for row in roce_rp/enable/3=1 roce_rp/dce_tcp_g=1019 roce_rp/dce_tcp_rtt=1 roce_rp/rpg_time_reset=300 roce_rp/rpg_byte_reset=32767 roce_rp/rpg_threshold=1 \
    roce_rp/rpg_ai_rate=5 roce_rp/rpg_hai_rate=50 roce_rp/rpg_min_rate=2 roce_rp/rate_reduce_monitor_period=4 roce_rp/clamp_tgt_rate=0 \
    roce_rp/initial_alpha_value=1023 roce_np/min_time_between_cnps=4; do
    [ "$(ecn "${row%=*}")" = "${row#*=}" ] || fail "dcqcn: $row, but $(ecn "${row%=*}")"
done
grep -q 'min-rate 1.5Mbps is none of what rpg_min_rate takes: 2 is written' "$work/host.txt" || fail "dcqcn: $(cat "$work/host.txt")"
[ "$(wc -l <"$work/host.txt")" = 1 ] || fail "dcqcn: $(cat "$work/host.txt")"

# A host, and wrong questions.
"$S" export mlnx_qos "$work/set.yaml" --node host2 --set hosts.defaults.rnic.dscp=34 --set hosts.defaults.rnic.priority=4 \
    --set hosts.defaults.rnic.weight-4=2 --set hosts.defaults.rnic.weight-0=1 >"$work/host" 2>"$work/host.txt" || fail "host: exit $?"
for words in 'mlnx_qos -i "$DEVICE" --pfc 0,0,0,1,1,0,0,0' '--tsa ets,strict,strict,strict,ets,strict,strict,strict --tcbw 34,0,0,0,66,0,0,0' \
    'echo 138 > "/sys/class/infiniband/$RDMA/tc/1/traffic_class" # DSCP 34, ECT' '--trust dscp'; do
    grep -qF -- "$words" "$work/host" || fail "host: expected $words"
done
bash -n "$work/host" || fail "no shell would run it"
refused() { # WORDS ARGUMENT...
    local words=$1 code=0
    shift
    "$S" export "$@" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = 2 ] && grep -q -- "$words" "$work/err" && [ ! -s "$work/out" ] || fail "export $*: exit $code, $(cat "$work/err")"
}
refused "unknown kind 'sonik'.*sonic" sonik "$work/set.yaml"
refused "expected --node: the scenario has 4 switches" sonic "$work/set.yaml"
refused "no switch 'leaf3'.*leaf" sonic "$work/set.yaml" --node leaf3
refused "no switch 'host0'" sonic "$work/set.yaml" --node host0
refused "no host 'leaf0'" mlnx_qos "$work/set.yaml" --node leaf0
# What run refuses is not written, whatever refuses it: the reader, or the switch's memory.
for change in fabric.switch.buffer=16KiB fabric.switch.buffer=1KiB seed=-1 fabric.nope=1 'faults=[{kind: link-down, where: nohost, at: 1ms}]' duration=0s; do
    "$S" run incast-8to1 --set "$change" >/dev/null 2>&1 && code=0 || code=$?
    [ "$code" = 2 ] || fail "run accepts $change: exit $code"
    refused 'error: ' scenario incast-8to1 --set "$change"
done
exit "$failed"
