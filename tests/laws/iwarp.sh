#!/bin/bash
# iwarp - iWARP: latencies by hand, bytes and FPDUs as tshark reads them, loss.          SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
file=tests/validation/nvme-tcp-by-hand.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure JQ-EXPRESSION SETTING...
measure() { measure_of $file "$1" workloads.io.transport=iwarp "${@:2}"; }
free=(hosts.defaults.rnic.pcie-generation=off)
least='.workloads[0].latency_ns.min / 1000'

# As in nvme-tcp.sh: 0.8 ns for a byte at 10 Gb/s, 78 bytes around the payload of a frame and 12 of gap after it, 10.3 us of cables
# and switch, which forwards whole frames.
# frames PAYLOAD...: the time in us of frames that leave together, the first of which is the largest.
frames() {
    awk 'BEGIN { first = ARGV[1] + 78; for (i = 1; i < ARGC; i++) sum += ARGV[i] + 90; print (first + sum - 12) * 0.0008 + 10.3 }' "$@"
}
sum() { awk 'BEGIN { for (i = 1; i < ARGC; i++) s += ARGV[i]; print s }' "$@"; }

# RFC 5041, 5044: a SEND is 20 + m + 4 bytes, a WRITE or READ response 16 + m + 4, a READ request 52. FPDUs fill segments of 1,448.
command=$(frames 88) response=$(frames 40)
near 'read of 4 KiB, us' "$(measure "$least" "${free[@]}")" "$(sum "$command" "$(frames 1448 1448 1260 40)")" 0.01
near 'write of 4 KiB in the capsule, us' "$(measure "$least" "${free[@]}" workloads.io.read=0%)" \
    "$(sum "$(frames 1448 1448 1336)" "$response")" 0.01
near 'write of 4 KiB by READ, us' \
    "$(measure "$least" "${free[@]}" workloads.io.read=0% hosts.targets.target.in-capsule=0B)" \
    "$(sum "$command" "$(frames 52)" "$(frames 1448 1448 1260)" "$response")" 0.01

# Verbs without NVMe. A READ is a request of 52 bytes and its response, a ping-pong two SENDs of 20 + 64 + 4 bytes.
# raw KIND SETTING...: a workload of that kind in place of the NVMe one.
raw() { echo "workloads=[{name: io, kind: $1, transport: iwarp, from: host0, to: host1, $2}]"; }
near 'READ of 4 KiB, us' "$(measure_of $file "$least" "$(raw rdma-read 'message-size: 4KiB, outstanding: 1, count: 20')" "${free[@]}")" \
    "$(sum "$(frames 52)" "$(frames 1448 1448 1260)")" 0.01
near 'ping-pong of 64 B, us' "$(measure_of $file "$least" "$(raw rdma-ping-pong 'message-size: 64B, outstanding: 1, count: 20')" "${free[@]}")" \
    "$(sum "$(frames 88)" "$(frames 88)")" 0.01
# A SEND without a receive ends the connection (RFC 5041 7.1). Shared receives are used by all queue pairs; they are not enough either
# when nobody waits for them.
flood='message-size: 4KiB, outstanding: 16, count: 4000'
within 'a SEND without a receive: completed, failed' \
    "$(measure_of $file '"\(.workloads[0].completed) \(.workloads[0].failed)"' "$(raw rdma-send "receives: 1, receive-delay: 1ms, $flood")")" \
    '$1 < 4000 && $2 > 0'
within 'SENDs of four queue pairs with 64 shared receives: completed, failed' \
    "$(measure_of $file '"\(.workloads[0].completed) \(.workloads[0].failed)"' \
        "$(raw rdma-send 'qps: 4, shared-receives: 64, receive-limit: 16, message-size: 4KiB, rate: 20000, count: 20')")" '$1 == 20 && $2 == 0'
for access in wrong-key out-of-range no-right given-back; do
    for kind in rdma-write rdma-read; do
        within "$kind, $access: failed" \
            "$(measure_of $file '.workloads[0].failed' "$(raw $kind "remote-access: $access, message-size: 64KiB, count: 100000")")" '$1 > 0'
    done
done

# capture NAME SETTING...: one command from 2 ms on.
capture() {
    local name=$1 setting args=(--set workloads.io.transport=iwarp --set workloads.io.count=1 --set workloads.io.start=2ms
        --set duration=8ms)
    shift
    for setting; do
        args+=(--set "$setting")
    done
    "$program" run $file --confirm 0 "${args[@]}" --record packets -o "$work/$name.db" >/dev/null 2>&1
    "$program" pcap "$work/$name.db" -o "$work/$name.pcapng"
}
. tests/captured
# sizes CAPTURE ADDRESS: payload of the frames that ADDRESS sends for the command.
sizes() {
    fields "$1" "ip.src == $2 && tcp.len > 0 && frame.time_relative > 0.0014" tcp.len | paste -sd ' '
}

capture read
capture write workloads.io.read=0% hosts.targets.target.in-capsule=0B
capture plain hosts.defaults.{nvme,target}.iwarp-crc=false
capture pages workloads.io.block-size=8KiB hosts.targets.target.iwarp-write-size=4KiB
capture fetch workloads.io.block-size=64KiB workloads.io.read=0% hosts.targets.target.iwarp-write-size=4KiB
equal 'read of 8 KiB, WRITEs of 4 KiB: frames down' "$(sizes pages 10.0.0.2)" '1448 1448 1260 1448 1448 1260 40'
equal 'write of 64 KiB: one READ' "$(fields fetch 'iwarp_rdma.opcode == 1 && frame.time_relative > 0.0014' frame.number | wc -l)" 1
equal 'read: frames up' "$(sizes read 10.0.0.1)" 88
equal 'read: frames down' "$(sizes read 10.0.0.2)" '1448 1448 1260 40'
equal 'write: frames up' "$(sizes write 10.0.0.1)" '88 1448 1448 1260'
equal 'write: frames down' "$(sizes write 10.0.0.2)" '52 40'
equal 'read: opcodes' "$(fields read 'ip.src == 10.0.0.2 && iwarp_rdma.opcode && frame.time_relative > 0.0014' iwarp_rdma.opcode | paste -sd ' ')" \
    '0x00 0x00 0x00 0x04'
equal 'write: opcodes' "$(fields write 'iwarp_rdma.opcode && frame.time_relative > 0.0014' iwarp_rdma.opcode | paste -sd ' ')" \
    '0x03 0x01 0x02 0x02 0x02 0x04'
equal 'MPA: revision, CRC, markers, reject of the request' \
    "$(fields read 'iwarp_mpa.req' iwarp_mpa.rev iwarp_mpa.crc_flag iwarp_mpa.marker_flag iwarp_mpa.rej_flag | head -1)" \
    $'2\t1\t0\t0'
for name in read write plain; do
    equal "$name: malformed frames" "$(fields "$name" _ws.malformed frame.number | grep -c .)" 0
    equal "$name: bad CRCs" "$(tshark -n -r "$work/$name.pcapng" -V 2>/dev/null | grep -c 'Bad CRC')" 0
done
equal 'read: good CRCs, one for each FPDU' "$(tshark -n -r "$work/read.pcapng" -V 2>/dev/null | grep -c 'Good CRC')" \
    "$(fields read iwarp_rdma.opcode frame.number | wc -l)"

# Long reads have FPDUs of 16 + m + 4 bytes that fill segments: m is 1,428 of 1,538 bytes on the wire with an MTU of 1,500 bytes
# (92.85 %), and 8,928 of 9,038 with 9,000 (98.78 %; RFC 5041, 5044). 0.2 % less: the responses, and the last FPDU of each read.
long=(workloads.io.block-size=128KiB workloads.io.queue-depth=16 workloads.io.count=1000000 duration=40ms)
near 'goodput of reads of 128 KiB, Gb/s' "$(measure '.workloads[0].steady.goodput_bps / 1e9' "${free[@]}" "${long[@]}")" 9.285 0.5
near 'goodput of reads of 128 KiB with an MTU of 9000, Gb/s' "$(measure '.workloads[0].steady.goodput_bps / 1e9' "${free[@]}" "${long[@]}" \
    fabric.host-links.mtu=9000B)" 9.878 0.5

# Loss is TCP's: every command completes, and the rate stays while one segment in 10,000 is lost; go-back-N is not involved.
lossy=(workloads.io.block-size=64KiB workloads.io.queue-depth=16 workloads.io.count=2000 duration=200ms drain=3s
    'faults=[{kind: random-loss, where: host1, rate: 1e-4}]' 'expect=[all-commands-complete]')
within 'loss: unfinished, RDMA retransmissions, TCP retransmissions' \
    "$(measure '"\(.workloads[0].unfinished) \(.rnic.retransmitted_packets) \(.tcp.retransmitted_segments)"' "${lossy[@]}")" \
    '$1 == 0 && $2 == 0 && $3 > 0'
[ "$failures" = 0 ]
