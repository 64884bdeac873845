#!/bin/bash
# nvme-tcp - NVMe over TCP: latencies by hand, the R2T step, TLS, digests.     SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
file=tests/validation/nvme-tcp-by-hand.yaml
case=scenarios/cases/rdma-or-tcp.yaml

# An RNIC of 10 Gb/s writes each payload to memory over PCIe 3.0 x8: 13 ns for a capsule, 179 ns for the last segment of a read.
wire=hosts.defaults.rnic.pcie-generation=off
least='.workloads[0].latency_ns.min / 1000'

# At 10 Gb/s a byte takes 0.8 ns. A frame has 70 bytes around its payload, 8 of preamble before and 12 of gap after it. Both
# cables take 5 us, the switch 300 ns, and it forwards whole frames.
# alone PAYLOAD: the time of one frame in us.  train FIRST OTHERS LAST: of a first full frame, others, and the last one.
alone() { awk -v p="$1" 'BEGIN { print 2 * (p + 78) * 0.0008 + 10.3 }'; }
train() { awk -v n="$1" -v last="$2" 'BEGIN { print (1448 + 78) * 0.0008 + (n * 1538 + last + 78) * 0.0008 + 10.3 }'; }
sum() { awk -v a="$1" -v b="$2" 'BEGIN { print a + b }'; }

# CapsuleCmd 72; C2HData 24 + 4096 and CapsuleResp 24 in three segments.
near 'read of 4 KiB, us' "$(measure_of $file "$least" $wire)" "$(sum "$(alone 72)" "$(train 2 1248)")" 0.01
# CapsuleCmd 72 + 4096 in three segments; CapsuleResp 24.
near 'write of 4 KiB in its capsule, us' "$(measure_of $file "$least" $wire workloads.io.read=0%)" \
    "$(sum "$(train 2 1272)" "$(alone 24)")" 0.01
# With an R2T: CapsuleCmd 72, R2T 24, H2CData 24 + 4096, CapsuleResp 24, two round trips.
near 'write of 4 KiB with an R2T, us' \
    "$(measure_of $file "$least" $wire workloads.io.read=0% hosts.targets.target.tcp-in-capsule=0B)" \
    "$(sum "$(sum "$(alone 72)" "$(alone 24)")" "$(sum "$(train 2 1224)" "$(alone 24)")")" 0.01
# Two R2Ts of 4 KiB each, one after the other: a round trip more.
two=($wire workloads.io.read=0% workloads.io.block-size=8KiB hosts.targets.target.tcp-in-capsule=0B hosts.targets.target.tcp-r2t-length=4KiB)
part=$(sum "$(alone 24)" "$(train 2 1224)")
near 'write of 8 KiB with two R2Ts, us' "$(measure_of $file "$least" "${two[@]}")" \
    "$(sum "$(sum "$(alone 72)" "$part")" "$(sum "$part" "$(alone 24)")")" 0.01
# At once: both R2Ts share a segment, and their data follow each other, in three segments each.
near 'write of 8 KiB with two R2Ts at once, us' "$(measure_of $file "$least" "${two[@]}" hosts.defaults.nvme.tcp-max-r2t=2)" \
    "$(sum "$(sum "$(alone 72)" "$(alone 48)")" "$(sum "$(awk 'BEGIN { print (1224 + 90) * 0.0008 }')" "$(sum "$(train 4 1224)" "$(alone 24)")")")" 0.01

# With TLS, header, content type and tag add 22 bytes to each record. CapsuleCmd 94; a record of C2HData and CapsuleResp.
tls=(hosts.defaults.nvme.tcp-tls=true workloads.io.start=6ms duration=8ms)
free=("${tls[@]}" hosts.defaults.tcp.tls-cost=0ns hosts.defaults.tcp.tls-record-cost=0ns)
near 'read of 4 KiB in TLS records, us' "$(measure_of $file "$least" $wire "${free[@]}")" "$(sum "$(alone 94)" "$(train 2 1270)")" 0.01
# The target reads a record when all of it has arrived, and then acknowledges it. This ACK of 90 bytes leaves before the response.
near 'write of 4 KiB in a TLS record, us' "$(measure_of $file "$least" $wire "${free[@]}" workloads.io.read=0%)" \
    "$(sum "$(awk 'BEGIN { print 90 * 0.0008 }')" "$(sum "$(train 2 1294)" "$(alone 46)")")" 0.01
# Two records of 72 and 4,144 bytes are encrypted and, with their tags, decrypted: 1 us for each, 262 ns for each KiB.
near 'the CPU time of TLS in a read, us' \
    "$(sum "$(measure_of $file "$least" $wire "${tls[@]}")" "-$(measure_of $file "$least" $wire "${free[@]}")")" \
    "$(awk 'BEGIN { print 4 + (2 * 72 + 2 * 4144 + 2 * 17) / 1024 * 0.262 }')" 0.01
# The connections of 128 KiB writes carry 16 KiB in each record; the time breakdown accounts for all of their time.
many=$(measure_of $case '[.workloads[] | select(.name == "backup-tcp") | .completed > 40] | all' hosts.defaults.nvme.tcp-tls=true)
within 'writes of 128 KiB over TLS complete' "$([ "$many" = true ] && echo 1 || echo 0)" '$1 == 1'

# At 100 Gb/s with deep queues the wire is full. Frames carry 1,448 of 1,538 bytes, or 8,948 of 9,038; each read of 128 KiB has
# 48 bytes of PDU headers, each record of 16 KiB 22 bytes. A read of 4 KiB takes 4,144 bytes, in a
# frame of its own: the medium takes no time, so no other response waits to share it.
full=(fabric.host-links.rate=100Gbps fabric.host-links.delay=1us $wire duration=12ms)
load() { echo "workloads=[{name: io, kind: nvme, transport: tcp, from: host0, to: host1, block-size: $1, queue-depth: $2, queues: 8}]"; }
steady='.workloads[0].steady.goodput_bps / 1e9'
near 'reads of 128 KiB, MTU 1500, Gb/s' "$(measure_of $file "$steady" "${full[@]}" "$(load 128KiB 32)")" \
    "$(awk 'BEGIN { print 100 * 1448 / 1538 * 131072 / 131120 }')" 0.3
near 'reads of 128 KiB, MTU 9000, Gb/s' "$(measure_of $file "$steady" "${full[@]}" "$(load 128KiB 32)" fabric.host-links.mtu=9000B)" \
    "$(awk 'BEGIN { print 100 * 8948 / 9038 * 131072 / 131120 }')" 0.3
near 'reads of 128 KiB with TLS, MTU 9000, Gb/s' \
    "$(measure_of $file "$steady" "${full[@]}" "$(load 128KiB 32)" fabric.host-links.mtu=9000B hosts.defaults.nvme.tcp-tls=true \
        hosts.defaults.tcp.tls-{,record-,handshake-}cost=0ns)" \
    "$(awk 'BEGIN { print 100 * 8948 / 9038 * 131072 / (131120 * 16406 / 16384) }')" 0.3
near 'reads of 4 KiB, MTU 9000, Mops/s' "$(measure_of $file '.workloads[0].steady.goodput_bps / 32768e6' "${full[@]}" "$(load 4KiB 64)" \
    fabric.host-links.mtu=9000B)" "$(awk 'BEGIN { print 12500 / (4144 + 90) }')" 0.5

# A lost tail of several segments waits for the tail loss probe: 2 ms and two round trips.
lost='.workloads[0].latency_ns.max / 1e6'
within 'a lost tail, ms' "$(measure_of $file "$lost" 'faults=[{kind: link-down, where: host0-switch0, at: 1100us, for: 10us}]')" \
    '$1 > 2 && $1 < 2.3'

one=$("$program" run $case --json --confirm 0 --threads 1 2>/dev/null | gojq -r .digest)
many=$("$program" run $case --json --confirm 0 --threads 2 2>/dev/null | gojq -r .digest)
within 'digest with 2 threads' "$([ -n "$one" ] && [ "$one" = "$many" ] && echo 1 || echo 0)" '$1 == 1'
[ "$failures" = 0 ]
