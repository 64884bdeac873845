#!/bin/bash
# iscsi - iSCSI: latencies by hand, bytes and PDUs, the core of a session, recovery.     SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
file=tests/validation/nvme-tcp-by-hand.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure JQ-EXPRESSION SETTING...
measure() { measure_of $file "$1" workloads.io.transport=iscsi "${@:2}"; }
free=(hosts.defaults.rnic.pcie-generation=off hosts.defaults.nvme.iscsi-submit-cost=0ns
    hosts.defaults.nvme.iscsi-complete-cost=0ns)
least='.workloads[0].latency_ns.min / 1000'

# As in nvme-tcp.sh: 0.8 ns for a byte at 10 Gb/s, frames of 70 bytes around the payload, 8 of preamble before and 12 of gap
# after them, 10.3 us of cables and switch, which forwards whole frames. The payload of a full frame is 1,448 bytes.
# alone PAYLOAD: the time of one frame in us.  train FIRST OTHERS LAST: of a first full frame, others, and the last one.
alone() { awk -v p="$1" 'BEGIN { print 2 * (p + 78) * 0.0008 + 10.3 }'; }
train() { awk -v n="$1" -v last="$2" 'BEGIN { print (1448 + 78) * 0.0008 + (n * 1538 + last + 78) * 0.0008 + 10.3 }'; }
sum() { awk -v a="$1" -v b="$2" 'BEGIN { print a + b }'; }

# RFC 7143: each PDU begins with 48 bytes. SCSI Command; one Data-In PDU with the status, in three segments.
near 'read of 4 KiB, us' "$(measure "$least" "${free[@]}")" "$(sum "$(alone 48)" "$(train 2 1248)")" 0.01
# SCSI Command with 4,096 bytes of immediate data; SCSI Response.
near 'write of 4 KiB of immediate data, us' "$(measure "$least" "${free[@]}" workloads.io.read=0%)" \
    "$(sum "$(train 2 1248)" "$(alone 48)")" 0.01
# Without: SCSI Command, R2T, Data-Out, SCSI Response, two round trips. Either side can refuse immediate data.
late=$(sum "$(sum "$(alone 48)" "$(alone 48)")" "$(sum "$(train 2 1248)" "$(alone 48)")")
for side in defaults.nvme targets.target; do
    near "write of 4 KiB, $side without immediate data, us" \
        "$(measure "$least" "${free[@]}" workloads.io.read=0% hosts.$side.iscsi-immediate-data=false)" "$late" 0.01
done
# A target that takes 8 KiB in a PDU.
short=hosts.targets.target.iscsi-max-recv-data=8KiB
# Both sides may allow unsolicited Data-Out: 8 KiB in the command and 7 Data-Outs behind it, one round trip. 8 PDUs of 8,240
# bytes are 45 full segments and 760 bytes; the default waits for an R2T after the first one.
near 'write of 64 KiB, unsolicited, us' "$(measure "$least" "${free[@]}" workloads.io.read=0% workloads.io.block-size=64KiB \
    hosts.targets.target.iscsi-initial-r2t=false $short)" "$(sum "$(train 44 760)" "$(alone 48)")" 2
step=$(awk -v a="$(measure "$least" "${free[@]}" workloads.io.read=0% workloads.io.block-size=12KiB $short)" \
    -v b="$(measure "$least" "${free[@]}" workloads.io.read=0% workloads.io.block-size=8KiB $short)" 'BEGIN { print a - b }')
# From 8 to 12 KiB: an R2T, and a Data-Out of 4,144 bytes, instead of nothing. The R2T follows an ACK of 90 bytes on the wire.
near 'an R2T and 4 KiB more, us' "$step" "$(sum "$(sum "$(alone 48)" "$(train 2 1248)")" 0.072)" 0.01

# capture NAME SETTING...: PDUs of one command as tshark reads them: direction, opcode, data length, F of byte 1.
capture() {
    local name=$1 setting args=(--set workloads.io.transport=iscsi --set workloads.io.count=1 --set workloads.io.start=2ms
        --set duration=8ms)
    shift
    for setting; do
        args+=(--set "$setting")
    done
    "$program" run $file --confirm 0 "${args[@]}" --record packets -o "$work/$name.db" >/dev/null 2>&1
    "$program" pcap "$work/$name.db" -o "$work/$name.pcapng"
}
. tests/captured
# Payload bytes and frames with payload that ADDRESS sends after the Login, from 2 ms on and before the Logout.
sent() { # CAPTURE ADDRESS
    fields "$1" "ip.src == $2 && tcp.len > 0 && frame.time_relative > 0.0019 && !(iscsi.opcode == 6) && !(iscsi.opcode == 0x26)" \
        tcp.len | awk '{ bytes += $1; frames++ } END { print bytes, frames }'
}

# 64 KiB with the defaults of LIO, which takes 256 KiB in a PDU: all of it is immediate data.
capture whole workloads.io.read=0% workloads.io.block-size=64KiB
equal 'write of 64 KiB, all immediate: bytes and frames up' "$(sent whole 10.0.0.1)" '65584 46'
equal 'write of 64 KiB, all immediate: bytes and frames down' "$(sent whole 10.0.0.2)" '48 1'
# In PDUs of 8 KiB: 8 KiB of immediate data, one R2T for 56 KiB, 7 Data-Outs: 65,920 bytes in 46 frames.
capture write workloads.io.read=0% workloads.io.block-size=64KiB $short
equal 'write of 64 KiB: bytes and frames up' "$(sent write 10.0.0.1)" '65920 46'
equal 'write of 64 KiB: bytes and frames down' "$(sent write 10.0.0.2)" '96 2'
equal 'write of 64 KiB: the R2T' "$(fields write 'iscsi.opcode == 0x31' iscsi.desireddatalength iscsi.bufferOffset)" \
    $'57344\t8192'
equal 'write of 64 KiB: Data-Outs' "$(fields write 'iscsi.opcode == 5' iscsi.datasn | tr ',' '\n' | grep -c .)" 7
# 192 KiB, with unsolicited data up to FirstBurstLength (64 KiB): 8 KiB of immediate data, 7 Data-Outs, then one R2T for the other
# 128 KiB, and 16 Data-Outs.
capture burst workloads.io.read=0% workloads.io.block-size=192KiB hosts.targets.target.iscsi-initial-r2t=false $short
equal 'write of 192 KiB, 64 KiB unsolicited: the R2T' "$(fields burst 'iscsi.opcode == 0x31' iscsi.desireddatalength iscsi.bufferOffset)" \
    $'131072\t65536'
equal 'write of 192 KiB, 64 KiB unsolicited: Data-Outs' "$(fields burst 'iscsi.opcode == 5' iscsi.datasn | tr ',' '\n' | grep -c .)" 23
# 128 KiB: one Data-In, as many frames as NVMe/TCP (transports.md: 91).
capture read workloads.io.block-size=128KiB
equal 'read of 128 KiB: bytes and frames up' "$(sent read 10.0.0.1)" '48 1'
equal 'read of 128 KiB: bytes and frames down' "$(sent read 10.0.0.2)" '131120 91'
# Digests: 4 bytes for each header, 4 for each data segment.
capture digests workloads.io.block-size=128KiB hosts.defaults.nvme.iscsi-{header,data}-digest=true
equal 'read with digests: bytes and frames down' "$(sent digests 10.0.0.2)" '131128 91'
capture pieces workloads.io.block-size=1MiB workloads.io.read=0% hosts.defaults.nvme.iscsi-data-digest=true
for name in write burst read digests pieces; do
    equal "$name: malformed frames" "$(fields "$name" _ws.malformed frame.number | grep -c .)" 0
    equal "$name: bad digests" "$(tshark -n -r "$work/$name.pcapng" -o iscsi.enable_data_digests:TRUE -V 2>/dev/null |
        grep -ciE 'digest.*(bad|incorrect)')" 0
    equal "$name: commands and responses" \
        "$(fields "$name" 'iscsi.opcode == 1 && frame.time_relative > 0.0019' frame.number | grep -c .)" \
        "$(fields "$name" 'scsi.status && frame.time_relative > 0.0019' scsi.status | tr ',' '\n' | grep -c .)"
done

# Case 13: one session is one core, 70,000 IOPS; the window is 32 commands. A medium of 100 us would allow 320,000. The core has the
# work of TCP, too, so the costs are the defaults. Without that of TCP a command takes 2 * 5.23 us + 2 us of the core: 80,257 IOPS.
slow() { echo "hosts.targets.namespaces=[{media: {kind: fixed, read-latency: $1, write-latency: $1, parallel: 64}, size: 1GiB}]"; }
one=(workloads.io.transport=iscsi fabric.host-links.rate=100Gbps fabric.host-links.delay=1us duration=30ms workloads.io.queue-depth=128
    workloads.io.count=1000000)
costs=('hosts.defaults={nvme: {}}' 'hosts.targets.target={}')
iops='.workloads[0].steady.goodput_bps / 32768'
near 'IOPS of one session' "$(measure_of $file "$iops" "${one[@]}" "${costs[@]}" "$(slow 100us)")" 70000 3
near 'IOPS of one session without the work of TCP' "$(measure_of $file "$iops" "${one[@]}" "$(slow 100us)" \
    hosts.defaults.nvme.{submit,complete}-cost=1us)" 80257 0.5
near 'IOPS of a window of 4 commands' "$(measure_of $file "$iops" "${one[@]}" "${costs[@]}" hosts.defaults.nvme.iscsi-queue-depth=4 \
    "$(slow 1ms)")" 4000 7

# Against NVMe/TCP with the default costs: a session has one core for its commands. Blockbridge measured over 50 % more IOPS and 33 % less
# latency with NVMe/TCP for 128 I/Os of 4 KiB outstanding at 100 Gb/s, and no difference with large blocks.
cat >"$work/versus.yaml" <<'YAML'
stormglass: 1
name: versus
about: The same load over iSCSI and NVMe/TCP.
seed: 1
duration: 8ms
fabric:
  topology: {kind: single-switch, hosts: 5}
  host-links: {rate: 100Gbps, length: 3m, mtu: 9000B}
hosts:
  targets: {where: host0, namespaces: [{media: {kind: fixed, read-latency: 80us, write-latency: 20us, parallel: 256}}]}
workloads:
  - {name: io, kind: nvme, transport: tcp, from: "host1..host4", to: host0, read: 100%, block-size: 4KiB, queue-depth: 32}
YAML
figures() { measure_of "$work/versus.yaml" '"\(.workloads[0].iops) \(.workloads[0].latency_ns.mean)"' "workloads.io.transport=$1" "workloads.io.block-size=$2"; }
within '4 KiB: IOPS and latency of NVMe/TCP and of iSCSI' "$(figures tcp 4KiB) $(figures iscsi 4KiB)" '$1 > 1.5 * $3 && $2 < 0.67 * $4'
within '128 KiB: IOPS and latency of NVMe/TCP and of iSCSI' "$(figures tcp 128KiB) $(figures iscsi 128KiB)" \
    '$1 < 1.05 * $3 && $1 > 0.95 * $3 && $2 < 1.05 * $4 && $2 > 0.95 * $4'
[ "$failures" = 0 ]
