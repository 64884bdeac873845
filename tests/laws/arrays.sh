#!/bin/bash
# arrays - several drives as one namespace, in whole runs.      SPDX-License-Identifier: Apache-2.0
# What stripes, mirrors and parity give of N drives, and what they cost; who survives which failure; how long a rebuild is.
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures

# play JQ-EXPRESSION SETTING...: of the workload; ns.SETTING of the namespace; others as they are.
play() {
    local what=$1 setting args=()
    shift
    for setting; do
        case $setting in
        ns.*) setting=hosts.targets.namespaces.0.${setting#ns.} ;;
        fabric.* | faults* | duration=*) ;;
        *) setting=workloads.0.$setting ;;
        esac
        args+=(--set "$setting")
    done
    "$program" run --confirm 0 tests/validation/arrays.yaml --json "${args[@]}" 2>/dev/null | gojq "$what"
}
iops='.workloads[0].iops / 1e3' gbps='.workloads[0].goodput_bps / 1e9'
drive_reads=200 drive_writes=800

for drives in 2 4 8; do
    near "stripe of $drives: random reads, thousands" "$(play "$iops" ns.drives=$drives read=100%)" $((drives * drive_reads)) 3
    near "mirror of $drives: random reads, thousands" \
        "$(play "$iops" ns.drives=$drives ns.layout=mirror read=100%)" $((drives * drive_reads)) 3
    near "parity over $drives: random reads, thousands" \
        "$(play "$iops" ns.drives=$drives ns.layout=parity read=100%)" $((drives * drive_reads)) 3
done
near 'stripe of 2: random writes, thousands' "$(play "$iops" ns.drives=2 read=0%)" $((2 * drive_writes)) 3
near 'mirror of 2: random writes, thousands' "$(play "$iops" ns.drives=2 ns.layout=mirror read=0%)" $drive_writes 3
near 'mirror of 4: random writes, thousands' "$(play "$iops" ns.drives=4 ns.layout=mirror read=0%)" $drive_writes 3
near '2 copies over 6: random reads, thousands' "$(play "$iops" ns.drives=6 ns.layout=mirror ns.copies=2 read=100%)" 1200 3
near '2 copies over 4: random writes, thousands' "$(play "$iops" ns.drives=4 ns.layout=mirror ns.copies=2 read=0%)" $((2 * drive_writes)) 3
# Until the network limits: 4096 of 4178 bytes on the wire, and headers of READ responses.
near 'stripe of 16, 64 KiB on 100 Gb/s: reads, Gb/s' \
    "$(play "$gbps" ns.drives=16 read=100% block-size=64KiB queue-depth=16 fabric.host-links.rate=100Gbps)" 98 1
# A stripe of strips that are read at once is as fast as one strip.
near 'stripe of 4, one read of 256 KiB, us: 80, 5.3 on the wire, 2' \
    "$(play '.workloads[0].latency_ns.min / 1e3' ns.drives=4 read=100% block-size=256KiB queue-depth=1 queues=1)" 87.3 2

# Writes of small parts of a stripe read first: of the old data and parity each, or of the rest where that is less.
both() { play "(.array.drive_bytes_$1 / .array.host_bytes_written)" read=0% queue-depth=1 queues=1 "${@:2}"; }
near '4 + 1, writes of 4 KiB: written for each' "$(both written ns.drives=5 ns.layout=parity)" 2 1
near '4 + 1, writes of 4 KiB: read for each' "$(both read ns.drives=5 ns.layout=parity)" 2 1
near '8 + 2, writes of 4 KiB: written for each' "$(both written ns.drives=10 ns.layout=parity ns.parity=2)" 3 1
near '8 + 2, writes of 4 KiB: read for each' "$(both read ns.drives=10 ns.layout=parity ns.parity=2)" 3 1
near '2 + 1, writes of 4 KiB: read for each (the other strip)' "$(both read ns.drives=3 ns.layout=parity)" 1 1
near '4 + 1, one write of 4 KiB: read, then write, us more than a mirror' \
    "$(awk -v p="$(play '.workloads[0].latency_ns.p50 / 1e3' read=0% queue-depth=1 queues=1 ns.drives=5 ns.layout=parity)" \
        -v m="$(play '.workloads[0].latency_ns.p50 / 1e3' read=0% queue-depth=1 queues=1 ns.layout=mirror)" 'BEGIN { print p - m }')" 80 2
near '4 + 1: random writes of 4 KiB, thousands: two reads, two writes each' \
    "$(play "$iops" ns.drives=5 ns.layout=parity read=0%)" 400 5
# Whole stripes cost (k + m) / k and no read.
for layout in '4 1' '4 2' '8 2'; do
    read -r k m <<<"$layout"
    whole=(ns.drives=$((k + m)) ns.layout=parity ns.parity=$m block-size=$((k * 64))KiB pattern=sequential)
    near "$k + $m, whole stripes: written for each" "$(both written "${whole[@]}")" "$(awk -v k=$k -v m=$m 'BEGIN { print (k + m) / k }')" 1
    near "$k + $m, whole stripes: read for each" "$(both read "${whole[@]}")" 0 1
done

# A drive fails in mid-run.
fault=(faults='[{kind: drive-failed, where: host1, drive: 1, at: 5ms}]')
for layout in mirror parity; do
    near "$layout: I/O that failed with a drive" \
        "$(play .workloads[0].failed ns.drives=4 ns.layout=$layout read=50% "${fault[@]}")" 0 0
done
near 'stripe: some I/O failed with a drive (1: yes)' \
    "$(play 'if .workloads[0].failed > 100 then 1 else 0 end' ns.drives=4 read=100% queue-depth=4 "${fault[@]}")" 1 0
near 'parity of 1, two drives: some I/O failed (1: yes)' "$(play 'if .workloads[0].failed > 100 then 1 else 0 end' ns.drives=5 \
    ns.layout=parity queue-depth=4 faults='[{kind: drive-failed, where: host1, drive: 1, at: 5ms}, {kind: drive-failed, where: host1, drive: 3, at: 6ms}]')" 1 0
near 'parity of 2, two drives: I/O that failed' "$(play .workloads[0].failed ns.drives=6 ns.layout=parity ns.parity=2 \
    faults='[{kind: drive-failed, where: host1, drive: 1, at: 5ms}, {kind: drive-failed, where: host1, drive: 3, at: 6ms}]')" 0 0
# Of N reads one is of the drive that is gone, and is k: all together 2 (N - 1) / N of them, on N - 1 drives.
near '4 + 1 without a drive: random reads, thousands' "$(play "$iops" ns.drives=5 ns.layout=parity read=100% \
    faults='[{kind: drive-failed, where: host1}]')" $((4 * drive_reads * 5 / 8)) 4

# A rebuild is the capacity of a drive over the rate: as the setting says; alone, a read and a write for each window.
rebuild=(faults='[{kind: drive-failed, where: host1, for: 1us}]' ns.size=64MiB queue-depth=1 queues=1 rate=1000)
near '64 MiB mirror at 16 Gb/s: rebuilt in ms' \
    "$(play '.array.rebuild_ps / 1e9' duration=60ms ns.layout=mirror ns.rebuild-rate=16Gbps "${rebuild[@]}")" 33.6 3
near '64 MiB mirror, as fast as it goes: rebuilt in ms' \
    "$(play '.array.rebuild_ps / 1e9' ns.layout=mirror "${rebuild[@]}")" 6.4 5
near '4 + 1 of 64 MiB at 4 Gb/s: rebuilt in ms' \
    "$(play '.array.rebuild_ps / 1e9' duration=60ms ns.drives=5 ns.layout=parity ns.rebuild-rate=4Gbps "${rebuild[@]}")" 33.6 7
near '4 + 1 of 64 MiB: bytes read for each that is rebuilt' \
    "$(play '.array.drive_bytes_read / .array.bytes_rebuilt' ns.drives=5 ns.layout=parity "${rebuild[@]}" read=0% rate=1)" 4 1
near 'rebuilds that were done' "$(play '.array.rebuilds' ns.layout=mirror "${rebuild[@]}")" 1 0

# Hosts and the rebuild compete, and the setting is the dial.
slow=$(play "$iops" queue-depth=8 ns.size=4GiB ns.drives=5 ns.layout=parity read=100% 'faults=[{kind: drive-failed, where: host1, for: 1us}]')
held=$(play "$iops" queue-depth=8 ns.size=4GiB ns.drives=5 ns.layout=parity read=100% ns.rebuild-rate=500Mbps 'faults=[{kind: drive-failed, where: host1, for: 1us}]')
near 'reads beside a rebuild at 0.5 Gb/s against a free one (1: more)' "$(awk -v a="$held" -v b="$slow" 'BEGIN { print (a > b * 1.01) }')" 1 0

[ "$failures" = 0 ]
