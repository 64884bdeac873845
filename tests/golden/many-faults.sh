#!/bin/bash
# A run with twice as many faults takes twice as long, not four times: counted in instructions, which no other load
# changes.                                                          SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside

scenario() { # COUNT FAULT
    cat <<SCENARIO
stormglass: 1
name: many-faults
duration: 1ms
fabric:
  topology: {kind: single-switch, hosts: 4}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts: {targets: {where: host0, namespaces: [{media: storage-class, size: 4GiB}]}}
workloads:
  - {name: w, kind: rdma-write, from: host1, to: host0, message-size: 64KiB, count: 5}
faults:
SCENARIO
    for ((i = 0; i < $1; i++)); do echo "  - {$2, at: $((i * 60))ns}"; done
}

instructions() { # COUNT FAULT
    scenario "$1" "$2" >many.yaml
    valgrind --trace-children=yes --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$program" run many.yaml --confirm 0 2>&1 >/dev/null |
        sed -n 's/.*I *refs: *//p' | tr -d ,
}

for fault in 'kind: target-stall, where: host0, for: 20ns' 'kind: link-down, where: host2, for: 500us'; do
    one=$(instructions 1000 "$fault") two=$(instructions 2000 "$fault") four=$(instructions 4000 "$fault")
    echo "$fault: 1000, 2000 and 4000 take $one, $two and $four instructions"
    # The second doubling may cost 2.2 times the first at most.
    [ "${one:-0}" -gt 0 ] && [ $((10 * (four - two))) -le $((22 * (two - one))) ] || fail "$fault: not linear in faults"
done
[ $failures = 0 ]
