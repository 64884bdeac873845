#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A plan of drives: how many, and how laid out, when one of them may fail.  Each drive of an array has its price; a stripe does not
# survive, a mirror of two is too slow when one of them is gone.
set -u
. tests/golden/outside

cat >base.yaml <<END
stormglass: 1
name: base
duration: 5ms
fabric:
  topology: {kind: single-switch, hosts: 2}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  targets: {where: host1, namespaces: [{size: 512MiB, media: {kind: fixed, read-latency: 80us, write-latency: 20us}}]}
workloads: [{name: io, kind: nvme, from: host0, to: host1, read: 70%, queues: 8, queue-depth: 32, warm-up: 1ms}]
END
cat >plan.yaml <<END
stormglass-plan: 1
name: drives
scenario: base.yaml
vary:
  - {path: "hosts.targets.namespaces.0.layout", as: layout, values: [stripe, mirror]}
  - {path: "hosts.targets.namespaces.0.drives", as: drives, values: [2, 4], better: higher}
slo: ["io.iops >= 400000", all-commands-complete]
survive: [{name: a drive, kind: drive-failed, each: host1, drive: 1, at: 2ms}]
prices: prices.yaml
END
cat >prices.yaml <<END
stormglass-prices: 1
currency: USD
parts:
  - {part: switch, rate: 100Gbps, ports: 32, price: 1000}
  - {part: nic, rate: 100Gbps, price: 100}
  - {part: drive, media: fixed, price: 500}
  - {part: host, price: 100}
  - {part: target, price: 100}
  - {part: cable, rate: 100Gbps, price: 10}
END
within 120 "$program" plan plan.yaml >out 2>err || fail "$(cat err)"
grep -q '^Chosen  *layout mirror, 4 drives  USD 3,420' out || fail "another was chosen: $(head -5 out)"
grep -q 'layout stripe, 2 drives (USD 2,420): fail$' out || fail "a stripe survived: $(grep stripe out)"
grep -A1 'layout mirror, 2 drives (USD 2,420): fail$' out | grep -q 'io.iops >= 400000' || fail "two drives are enough: $(grep -A1 '2 drives' out)"
grep -q '4  drive fixed  *500 each  *2,000' out || fail "drives of the array have no price: $(grep drive out)"
[ $failures = 0 ]
