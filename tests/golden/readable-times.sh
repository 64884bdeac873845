#!/bin/bash
# No text has a time of six digits or more: times are scaled (7.81 s, not 7809224 us).       SPDX-License-Identifier: Apache-2.0
set -u
top=$PWD
. tests/golden/outside

# readable NAME <TEXT
readable() {
    ! grep -nE '(^|[^0-9.])[0-9]{6,}(\.[0-9]+)? ?(us|ns|ps|ms)( |$|[,.;:)])' >long || echo "FAIL  $1: $(head -3 long)" | tee -a failed
    echo >>seen
}

cat >stall.yaml <<'SCENARIO'
stormglass: 1
name: stall
duration: 8s
fabric:
  topology: {kind: single-switch, hosts: 4}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  defaults: {nvme: {keep-alive: 0s, io-timeout: 60s}}
  targets: {where: host0, namespaces: [{media: storage-class, size: 4GiB}]}
workloads:
  - {name: io, kind: nvme, from: host1, to: host0, read: 100%, block-size: 4KiB, queue-depth: 1, rate: 1000}
  - {name: raw, kind: rdma-write, from: host2, to: host0, message-size: 1MiB, rate: 100}
faults:
  - {kind: target-stall, where: host0, at: 190776us}
  - {kind: link-down, where: host3, at: 100s}
SCENARIO
"$program" run --confirm 0 stall.yaml -o stall.db >out 2>&1
grep -q '1 I/O to 10.0.0.1 outstanding, the oldest is a read of 4096 B, issued 7.8[0-9] s ago' out || fail "the oldest operation: $(grep oldest out)"
readable stall <out
for command in 'check stall.yaml' 'explain stall.db' 'report stall.db' 'counters stall.db'; do
    "$program" $command 2>&1 | readable "$command"
done
printf '%s\n' 'until 7s' 'why io' 'show io' 'show host1' | "$program" step stall.yaml 2>&1 | grep -v ' us, after event ' | readable step # where it is, exactly
for case in pause-storm target-crash oltp-fio incast-8to1; do
    "$program" run --confirm 0 $case 2>&1 | readable $case
    "$program" check $case 2>&1 | readable "check $case"
done
for said in "$top"/tests/golden/words/words-{run,cause}/*.txt; do
    grep -v '^json:' "$said" | readable "$(basename "$said")"
done
[ "$(wc -l <seen)" -gt 50 ] || fail "only $(wc -l <seen) texts"
[ $failures = 0 ] && [ ! -e failed ]
