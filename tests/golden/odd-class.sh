#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A host that marks what it sends with another DSCP than the others: below their class it starves, also where only its answers wait,
# above it they do; it is named, and with their DSCP nobody loses anything.
# Hazards: the host's own map hides where switches put it; a workload is accused of the class that one host has put it into.
set -u
. tests/golden/outside

scenario() { # NAME LINE_OF_HOSTS
    cat >"$1.yaml" <<END
stormglass: 1
name: $1
duration: 2ms
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 6}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  targets: {where: "host9..host11", namespaces: [{media: flash-p3700}]}
$2
workloads:
  - {name: db, kind: nvme, from: "host0..host5", to: "host9..host11", pairing: round-robin, read: 50%, block-size: 16KiB, queue-depth: 8, queues: 2}
  - {name: log, kind: rdma-write, from: "host0..host5", to: "host6..host8", pairing: round-robin, message-size: 32KiB, outstanding: 2}
END
}
for dscp in 0 1 46; do
    scenario odd "  odd: {where: host2, rnic: {dscp: $dscp}}"
    "$program" run odd.yaml --json >odd.json 2>err
    [ $? -le 1 ] || fail "dscp $dscp: $(cat err)"
    gojq -e '.causes[0].name == "hosts.odd.rnic.dscp"' odd.json >/dev/null ||
        fail "dscp $dscp: $(gojq -c '.harm.sentence, .causes[].sentence' odd.json)"
done
scenario even "  even: {where: host2, rnic: {dscp: 26}}"
"$program" run even.yaml --json >even.json || fail "even: exit code $?"
gojq -e '[.causes[] | select(.suspect != "load")] == []' even.json >/dev/null || fail "even: $(gojq -c '.causes[].sentence' even.json)"
[ $failures = 0 ] && echo ok
exit $((failures > 0))
