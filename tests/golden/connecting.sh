#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# connecting: settings that make connecting slow, of one host or of all, are named, and without them the loss is gone.
set -u
. tests/golden/outside

# named NAME SECTION VALUE KIND SUSPECT WORKLOAD: the odd host's `SECTION: {VALUE}` is the first cause, and proved
named() {
    cat >"$1.yaml" <<END
stormglass: 1
name: $1
duration: 10ms
fabric: {topology: {kind: single-switch, hosts: 6}, host-links: {rate: 100Gbps}}
hosts:
  defaults: {rnic: {profile: ideal}}
  $7
  odd: {where: host3, $2: {$3}}
workloads: [{name: w, $6}]
END
    "$program" run "$1.yaml" -o "$1.db" --json >"$1.json" 2>err || fail "$1: $(cat err)"
    gojq -e ".causes[0] | .kind == \"$4\" and .name == \"$5\"" "$1.json" >/dev/null || fail "$1: $(gojq -c .causes "$1.json")"
    "$program" explain "$1.db" --prove >"$1.txt" || fail "$1: explain: $?"
    grep -q "^  proved: $5 .* of the delay" "$1.txt" || fail "$1: not proved:" "$(sed -n '/^Proof/,/^Bottleneck/p' "$1.txt")"
    # Without it nobody lost anything.
    sed "s/^  odd: .*/  odd: {where: host3}/" "$1.yaml" >none.yaml
    "$program" run none.yaml --json >none.json || fail "$1: without it: $?"
    [ "$(gojq '.causes | length' none.json)" = 0 ] || fail "$1: without it: $(gojq -c .causes none.json)"
    echo "ok    $1"
}

pairs='kind: rdma-send, from: "host3..host5", to: "host0..host2", message-size: 4KiB, qps: 4, outstanding: 1'
for value in 'context-cost: 2500us' 'resolve-cost: 2500us' 'qp-create-cost: 600us' 'qp-modify-cost: 250us'; do
    named "${value%%:*}" rnic "$value" odd-setting "hosts.odd.rnic.${value%%:*}" "$pairs" ''
done
# The side that accepts waits for its device too.
back=${pairs/'from: "host3..host5", to: "host0..host2"'/'from: "host0..host2", to: "host3..host5"'}
named accepting rnic 'qp-create-cost: 600us' odd-setting hosts.odd.rnic.qp-create-cost "$back" ''
# Two of the device's costs: the dearer one.
named both rnic 'qp-create-cost: 100us, qp-modify-cost: 250us' odd-setting hosts.odd.rnic.qp-modify-cost "$pairs" ''
# Partitions are read of each namespace before any I/O: of many, from a medium that is slow.
named scan nvme 'partition-scan: true' odd-setting hosts.odd.nvme.partition-scan \
    'kind: nvme, from: "host3..host5", to: "host0..host2", queues: 1, queue-depth: 4' \
    'targets: {where: "host0..host2", namespaces: [{media: flash-tlc, count: 8}]}'
# The 34 commands of Linux's scan of a logical unit.
named unit-scan nvme 'iscsi-unit-scan: true' odd-setting hosts.odd.nvme.iscsi-unit-scan \
    'kind: nvme, transport: iscsi, from: "host3..host5", to: "host0..host2", queue-depth: 4' \
    'targets: {where: "host0..host2", namespaces: [{media: flash-tlc}]}'
# PCIe where the others have none.
named pcie rnic 'pcie-generation: 1, pcie-lanes: 8' odd-setting hosts.odd.rnic.pcie-generation \
    'kind: rdma-write, from: "host3..host5", to: "host0..host2", message-size: 64KiB, outstanding: 8' ''

# Of all hosts: the setting, once.
cat >all.yaml <<END
stormglass: 1
name: all
duration: 10ms
fabric: {topology: {kind: single-switch, hosts: 6}, host-links: {rate: 100Gbps}}
hosts: {defaults: {rnic: {profile: ideal, qp-create-cost: 600us}}}
workloads: [{name: w, $pairs}]
END
"$program" run all.yaml --json >all.json || fail "all: $?"
gojq -e '.causes | length == 1 and .[0].name == "hosts.defaults.rnic.qp-create-cost"' all.json \
    >/dev/null || fail "all: $(gojq -c .causes all.json)"
# What is dear and takes no time to speak of is not named.
"$program" run all.yaml --set hosts.defaults.rnic.qp-create-cost=50us --json >little.json || fail "little: $?"
[ "$(gojq '.causes | length' little.json)" = 0 ] || fail "little: $(gojq -c .causes little.json)"
echo "ok    of all"

[ $failures = 0 ]
