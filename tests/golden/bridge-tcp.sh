#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bridge-tcp: NVMe over TCP on real sockets of the loopback interface sends the PDUs that the model sends: all of them, in the
# same order on each queue, with every field, in capsules and by R2T, with digests, alignments and SUCCESS. The database of the
# run is comparable with the model's, and of a scenario that differs in one parameter the PDUs differ.
set -u
. tests/golden/outside

# Ports are fixed, so each process has addresses of its own.
loopback=127.$((2 + $$ / 250 % 250)).$((2 + $$ % 250))

# scenario HOST TARGET
scenario() {
    cat <<EOF
stormglass: 1
name: pdus
about: Reads and writes, one at a time on each queue, so that timing decides about no order.
seed: 3
duration: 20s
fabric: {topology: {kind: single-switch, hosts: 3}}
hosts:
  defaults: {nvme: {$1}, target: {$2}}
  targets: {where: host0, namespaces: [{media: "null", count: 2}]}
workloads:
  - {name: small, kind: nvme, from: host1, to: host0, transport: tcp, read: 50%, block-size: 4KiB, queue-depth: 1, queues: 1, count: 60}
  - {name: large, kind: nvme, from: host2, to: host0, transport: tcp, read: 50%, block-size: 256KiB, queue-depth: 1, queues: 1, count: 40}
expect: [all-commands-complete]
EOF
}

# model NAME: the PDUs of NAME.yaml in the model
model() {
    "$program" run "$1.yaml" --record packets -q -o model.db >/dev/null && "$program" pcap model.db -o "$1.pcapng"
}

number=0
# same NAME HOST TARGET
same() {
    scenario "$2" "$3" >case.yaml
    model case || fail "$1: the model"
    number=$((number + 1))
    expect "$1: both ends in one process" 0 'all-commands-complete' \
        "$program" bridge run case.yaml --role both --address "$loopback.$number" --lead 200ms --capture real.pcapng -o real.db
    expect "$1: every PDU" 0 'equal frames' "$program" compare --wire case.pcapng real.pcapng
}

same 'as Linux' '' ''
# The result of the comparison depends on the speed of this machine; the protocol does not.
"$program" compare model.db real.db >out 2>&1
[[ $(<out) == *'the protocol is equal'* ]] || fail "the databases: $(<out)"
same 'digests' 'tcp-header-digest: true, tcp-data-digest: true' ''
same 'alignment, and data in small PDUs' 'tcp-data-alignment: 128B' 'tcp-data-alignment: 64B, tcp-max-h2c-data: 4100B'
same 'several R2Ts, one after the other' '' 'tcp-r2t-length: 96KiB'
same 'several R2Ts at once' 'tcp-max-r2t: 2' 'tcp-r2t-length: 64KiB, tcp-max-h2c-data: 32KiB'
same 'SUCCESS, and nothing in capsules' '' 'tcp-success: true, tcp-in-capsule: 0B'
scenario '' 'tcp-success: true' >case.yaml
model case
expect 'PDUs of another scenario' 1 'different' "$program" compare --wire case.pcapng real.pcapng
expect 'a capture without TCP' 2 'transport: tcp' \
    "$program" bridge run first-io --role both --address 10.9.9.1 --capture real2.pcapng
[ ! -e real2.pcapng ] || fail 'it wrote a capture without TCP'
[ $failures = 0 ]
