#!/bin/bash
# roce-v1 - latency, goodput and ECMP of RoCE v1 by hand, and its capture.   SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
file=tests/laws/roce-v1.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure JQ-EXPRESSION SETTING...
measure() { measure_of $file "$@"; }
v2=hosts.defaults.rnic.roce-version=2
untagged=hosts.defaults.rnic.priority-tag=false

# A WRITE of 4096 B, ns. Ethernet 14, GRH 40, BTH 12, RETH 16 or AETH 4, ICRC 4, FCS 4, and the preamble of 8; both frames
# cross two cables of 15 ns and one switch of 300 ns as a whole; 300 ns in each RNIC.
alone() { awk -v more="$1" 'BEGIN { print 2 * 0.8 * (4096 + 16 + 4 + 2 * (82 + more)) + 4 * 15 + 2 * 300 + 2 * 300 }'; }
least='.workloads[0].latency_ns.min'
near 'WRITE of 4 KiB, untagged, ns' "$(measure "$least" $untagged)" "$(alone 0)" 0.02
near 'WRITE of 4 KiB, tagged, ns' "$(measure "$least")" "$(alone 4)" 0.02
# At 1 Gb/s the difference of four frames on wires: 12 B shorter with IPv4 and UDP; the tag is 4 B.
slow=fabric.host-links.rate=1Gbps
difference() { awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'; }
bare=$(measure "$least" $slow $untagged)
near 'GRH in place of IPv4 and UDP, ns' "$(difference "$bare" "$(measure "$least" $slow $v2)")" 384 0.5
near 'VLAN tag, ns' "$(difference "$(measure "$least" $slow)" "$bare")" 128 1

# Goodput: 4096 of 94 B more, or 98 B with a tag; 82 B of RoCEv2.
long=(workloads.w.message-size=16MiB workloads.w.outstanding=4 duration=200ms)
goodput='.workloads[0].goodput_bps / 1e9'
near 'goodput untagged, Gb/s' "$(measure "$goodput" $untagged "${long[@]}")" "$(awk 'BEGIN { print 10 * 4096 / 4190 }')" 0.005
near 'goodput tagged, Gb/s' "$(measure "$goodput" "${long[@]}")" "$(awk 'BEGIN { print 10 * 4096 / 4194 }')" 0.005
near 'goodput of RoCEv2, Gb/s' "$(measure "$goodput" $v2 "${long[@]}")" "$(awk 'BEGIN { print 10 * 4096 / 4178 }')" 0.005

# Each frame of the capture is RoCE v1 to tshark, and none is malformed.
if command -v tshark >"$work/which"; then
    "$program" run $file --until 50us -o "$work/run.db" --record packets >"$work/said" 2>&1
    "$program" pcap "$work/run.db" -o "$work/run.pcapng" >>"$work/said" 2>&1 || cat "$work/said"
    count() { tshark -r "$work/run.pcapng" -Y "$1" 2>>"$work/said" | wc -l; }
    all=$(count frame)
    within 'frames of the capture' "$all" '$1 >= 10'
    near 'frames with PCP 3, GRH and BTH' "$(count 'vlan.priority == 3 && infiniband.grh && infiniband.bth')" "$all" 0
    near 'malformed frames' "$(count '_ws.malformed')" 0 0
fi
[ $failures = 0 ]
