#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Controllers that a host's own timers give up: the timer is named, of one host or of all, and with its usual value nothing is lost.
# Where the target stood still longer than the timer, the target is to blame.
# Hazards: load is blamed, though controllers were lost; a timer that did its work is.
set -u
. tests/golden/outside

cat >base.yaml <<'END'
stormglass: 1
name: base
duration: 10ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 6}
  host-links: {rate: 25Gbps, length: 3m, mtu: 4200B}
hosts:
  defaults: {rnic: {profile: ideal}, nvme: {reconnect-delay: 500us}}
  targets: {where: "host10..host11", namespaces: [{media: flash-tlc}]}
workloads:
  - {name: db, kind: nvme, from: "host0..host3", to: "host10..host11", pairing: round-robin, read: 70%, block-size: 16KiB, queue-depth: 16}
END
"$program" run base.yaml >out || fail "base: exit code $?"
grep -q '^Harm *none' out || fail "base: $(grep -A3 '^Harm' out)"

# named NAME WORDS OPTION...: the first cause.
named() {
    local name=$1 words=$2
    shift 2
    "$program" run "$@" >out 2>err
    [ $? -le 1 ] || fail "$name: $(cat err)"
    tr -s '\n ' ' ' <out | grep -Eq "Causes [0-9]+% of the harm \(confirmed by rerun\): ${words//; / }" || fail "$name: $(grep -A3 '^Harm' out)"
}
for timer in 'io-timeout 400us an I/O timed out' 'keep-alive 100us a keep-alive came too late'; do
    read -r row value why <<<"$timer"
    sed "s/^  targets:/  odd: {where: host1, nvme: {$row: $value}}\n  targets:/" base.yaml >odd.yaml
    named "$row of one" "host1: $row is $value instead of [0-9]+s \(hosts.odd.nvme.$row\); host1 lost controllers [0-9]+ times because $why" odd.yaml
    grep -q '^Victims *.db.: 1 host lost [0-9.]*% of its I/O time to delay (the cause is on its path)' out || fail "$row of one: $(grep '^Victims' out)"
    named "$row of all" "$row is $value instead of the default [0-9]+s \(hosts.defaults.nvme.$row\); " base.yaml --set "hosts.defaults.nvme.$row=$value"
done

echo 'faults: [{kind: target-stall, where: host10, at: 2ms, for: 5ms}]' | cat base.yaml - >stall.yaml
named 'a stall' 'target-stall at host[0-9]*; ' stall.yaml
named 'a stall beyond the timer' 'target-stall at host[0-9]*; ' stall.yaml --set hosts.defaults.nvme.io-timeout=3ms
# Beside a port that drops what others of the workload send: the timer of who loses no frame, though his link is full.
cat >beside.yaml <<'END'
stormglass: 1
name: beside
seed: 968
duration: 2ms
drain: 8ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 5}
  host-links: {rate: 25Gbps, length: 3m, mtu: 4200B}
  fabric-links: {rate: 100Gbps, length: 100m, mtu: 9216B}
  switch: {buffer: 4MiB, ports: 7, alpha: 100%, ecn: {kmin: 100KB, kmax: 400KB, pmax: 20%}}
  overrides: [{where: "leaf0:p6", mtu: 1500B}]
hosts:
  defaults: {rnic: {profile: rnic-25g, congestion-control: dcqcn, timeout: 8, cm-timeout: 500us, cm-retries: 4},
             nvme: {reconnect-delay: 500us, queue-size: 128, io-timeout: 200us}}
  targets: {where: host7, namespaces: [{media: {kind: fixed, read-latency: 5us, write-latency: 5us, parallel: 64}}]}
workloads:
  - {name: oltp, kind: nvme, from: [host6, host2, host1], to: host7, read: 30%, block-size: 32KiB, queue-depth: 16, queues: 2}
  - {name: backup, kind: rdma-read, from: [host8, host4, host0, host9, host3], to: host5, message-size: 8KiB, outstanding: 2, qps: 1}
END
named 'an odd MTU beside' 'leaf0:p6: mtu is 1500B' beside.yaml -o beside.db
"$program" run beside.yaml --json >beside.json
gojq -e '[.causes[].name] | index("hosts.defaults.nvme.io-timeout")' beside.json >/dev/null || fail "beside: the timer: $(gojq -c '[.causes[].sentence]' beside.json)"
"$program" explain beside.db --prove >beside.txt
grep -q '^  and hosts.defaults.nvme.io-timeout 200us -> 30s ' beside.txt || fail "beside: not proved: $(sed -n '/^Proof/,/^Bottleneck/p' beside.txt)"
[ $failures = 0 ] && echo ok
exit $((failures > 0))
