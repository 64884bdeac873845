#!/bin/bash
# infiniband - latency, goodput, credits and captures of InfiniBand by hand.   SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
file=tests/laws/infiniband.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

least='.workloads[0].latency_ns.min'
goodput='.workloads[0].goodput_bps / 1e9'

# A WRITE of 4096 B, ns. Both packets cross two cables of 15.15 ns; 80 ps a byte. LRH 8, BTH 12, RETH 16 or AETH 4, ICRC 4, VCRC 2.
# Store-and-forward sends each twice; 300 ns in each RNIC, 110 ns in the switch.
alone() { awk -v grh="$1" 'BEGIN { print 2 * 0.08 * (4096 + 16 + 4 + 2 * (26 + grh)) + 4 * 15.15 + 2 * 110 + 2 * 300 }'; }
whole=fabric.switch.forwarding=store-and-forward
near 'WRITE of 4 KiB, ns' "$(measure_of $file "$least" $whole)" "$(alone 0)" 0.1
near 'WRITE of 4 KiB with GRH, ns' "$(measure_of $file "$least" $whole hosts.defaults.rnic.grh=true)" "$(alone 40)" 0.1
# Cut-through: the switch has 64 B of the WRITE, and all of the ACK, when it begins.
near 'cut-through, ns' "$(measure_of $file "$least")" \
    "$(awk 'BEGIN { print 0.08 * (4138 + 64 + 30 + 30) + 4 * 15.15 + 2 * 110 + 2 * 300 }')" 0.1

# Goodput of long messages: M of M + 26 B; no preamble, no gap.
long=(workloads.w.message-size=16MiB workloads.w.outstanding=2 duration=20ms fabric.host-links.vl-buffer=128KiB)
for mtu in 256 512 1024 2048 4096; do
    near "goodput at MTU $mtu, Gb/s" \
        "$(measure_of $file "$goodput" "${long[@]}" fabric.host-links.mtu=${mtu}B hosts.defaults.rnic.path-mtu=${mtu}B)" \
        "$(awk -v m=$mtu 'BEGIN { print 100 * m / (m + 26) }')" 0.3
done
near 'goodput with GRH, Gb/s' "$(measure_of $file "$goodput" "${long[@]}" hosts.defaults.rnic.grh=true)" \
    "$(awk 'BEGIN { print 100 * 4096 / 4162 }')" 0.3

# Rates by name.
for pair in SDR:8 DDR:16 QDR:32 FDR:54.5 HDR:200 NDR:400 XDR:800; do
    near "goodput of ${pair%:*}, Gb/s" "$(measure_of $file "$goodput" "${long[@]}" fabric.host-links.rate=${pair%:*})" \
        "$(awk -v r="${pair#*:}" 'BEGIN { print r * 4096 / 4122 }')" 0.3
done

# 128 KiB of credits are 10.5 us of EDR: full rate up to that round trip, and B / RTT beyond. The credits allow 31 packets of 65
# blocks (the 32nd would leave less than a largest packet). A round trip: packet 330 ns, cable twice, update 0.6 ns, switch 110 ns.
far() { # far ONE-WAY-DELAY-NS
    awk -v d="$1" 'BEGIN { n = int((2048 - 66) / 65) + 1; r = n * 4122 * 8 / (4122 * 0.08 + 2 * d + 0.64 + 110)
                           print (r < 100 ? r : 100) * 4096 / 4122 }'
}
for delay in 4800 10000 50000; do
    near "goodput, EDR, $delay ns of cable, Gb/s" \
        "$(measure_of $file "$goodput" "${long[@]}" workloads.w.outstanding=16 fabric.host-links.delay=${delay}ns duration=50ms)" \
        "$(far $delay)" 2
done

# A lane fills at 100 Gb/s in and 50 Gb/s out: 128 KiB / (100 - 50 Gb/s) = 20.97 us. Packets of 2074 B take 33 blocks, so 62 fit: the
# 124th fills it, after 20.57 us. From then on the switch, and later the sender behind it, waits half of the time.
"$program" run $file --set workloads.w.message-size=4MiB --set workloads.w.count=1 --set fabric.host-links.vl-buffer=128KiB \
    --set fabric.host-links.mtu=2048B --set hosts.defaults.rnic.path-mtu=2048B --set hosts.host1.where=host1 \
    --set hosts.host1.rnic.drain=50Gbps --record packets -o "$work/fill.db" -q >"$work/said" 2>&1 || cat "$work/said"
ask() { "$program" query --csv "$work/fill.db" "$1" | tail -1; }
start='SELECT min(at_ps) FROM frame WHERE node=2 AND bth=6'
near 'time until a lane of 128 KiB is full, us' \
    "$(ask "SELECT (min(from_ps) - ($start)) / 1e6 FROM blocked WHERE node=2")" 20.57 3
near 'share of time that the switch waits, %' \
    "$(ask "SELECT 100.0 * sum(until_ps - from_ps) / (max(until_ps) - min(from_ps)) FROM blocked WHERE node=2")" 50 2
near 'share of time that the sender waits, %' \
    "$(ask "SELECT 100.0 * sum(until_ps - from_ps) / (max(until_ps) - min(from_ps)) FROM blocked WHERE node=0")" 50 2

# Equal buffers, two switches: the victim gets its share of the shared queue, not the line rate; credits and PFC agree in what
# each sender puts on the wire (2048 of 2074 B, and of 2130 B).
victim=tests/laws/infiniband-victim.yaml
credits=(fabric.kind=infiniband)
pauses=('fabric.switch.pfc.priorities=[3]' fabric.switch.policy=static fabric.switch.xoff=120KiB fabric.switch.xon=116KiB
    fabric.switch.xon-offset=0B fabric.switch.reserved=0B fabric.switch.headroom=16KiB fabric.switch.cell=64B
    fabric.switch.ecn.kmax=0B)
for links in host-links fabric-links; do
    credits+=("fabric.$links.mtu=2048B" "fabric.$links.vl-buffer=128KiB")
    pauses+=("fabric.$links.pfc-response=100ns")
done
rates='[.workloads[].goodput_bps / 1e9] | join(" ")'
read -r hot fill other <<<"$(measure_of $victim "$rates" "${credits[@]}")"
read -r hot_pfc fill_pfc other_pfc <<<"$(measure_of $victim "$rates" "${pauses[@]}")"
wire() { awk -v g="$1" -v b="$2" 'BEGIN { print g * b / 2048 }'; }
near 'hot sender, credits as PFC, Gb/s' "$(wire "$hot" 2074)" "$(wire "$hot_pfc" 2130)" 5
near 'filler, credits as PFC, Gb/s' "$(wire "$fill" 2074)" "$(wire "$fill_pfc" 2130)" 5
near 'victim, credits as PFC, Gb/s' "$(wire "$other" 2074)" "$(wire "$other_pfc" 2130)" 5
near 'victim gets half of the line, Gb/s' "$(wire "$other" 2074)" 50 5
within 'frames dropped' "$(measure_of $victim '.drops | add' "${credits[@]}")" '$1 == 0'

# VL arbitration: lanes with weights share a link of EDR by them. A lane without a weight is of the high-priority table: it takes all, or
# n of n + 1 packets with a VLHighLimit of n (a packet of 4122 B is 65 blocks of 64 B, the limit n x 64 blocks; one packet with 0).
cat >"$work/lanes.yaml" <<'YAML'
stormglass: 1
name: lanes
about: Two lanes share the link to a host.
seed: 1
duration: 2ms
fabric:
  kind: infiniband
  topology: {kind: single-switch, hosts: 3}
  host-links: {rate: EDR, length: 3m, mtu: 4096B}
workloads:
  - {name: low, kind: rdma-write, from: host0, to: host2, message-size: 1MiB, outstanding: 8, priority: 0}
  - {name: high, kind: rdma-write, from: host1, to: host2, message-size: 1MiB, outstanding: 8, priority: 1}
YAML
lanes() { # lanes WEIGHT-OF-HIGH LIMIT: percent of the goodput that the lane `high` has
    measure_of "$work/lanes.yaml" '[.workloads[].goodput_bps] | 100 * .[1] / add' fabric.switch.scheduler.weights="{0: 1, 1: $1}" \
        fabric.switch.vl-high-limit="$2"
}
near 'lane with weight 3 of 4, %' "$(lanes 3 255)" 75 1
for limit in 0:1 1:1 3:3 10:10; do
    near "lane without weight, VLHighLimit ${limit%:*}, %" "$(lanes 0 "${limit%:*}")" \
        "$(awk -v n="${limit#*:}" 'BEGIN { print 100 * n / (n + 1) }')" 1
done
near 'lane without weight, no limit, %' "$(lanes 0 255)" 100 0.1

# Five switches in a ring, each host sends two switches further: shortest paths form a credit loop, and nothing moves any more. Paths
# up to switch s0 and down have none. With a short lifetime, discards break the loop.
ring() { # ring SETTING...
    measure_of tests/laws/infiniband-ring.yaml '[.workloads[].goodput_bps / 1e9] | min' "$@"
}
within 'goodput of the ring with min-hop, Gb/s' "$(ring duration=20ms)" '$1 < 0.05'
within 'goodput of the ring with up-down, Gb/s' "$(ring fabric.routing.algorithm=up-down)" '$1 > 40'
within 'discards that break the loop' \
    "$(measure_of tests/laws/infiniband-ring.yaml '[.drops.lifetime, .workloads[0].goodput_bps] | join(" ")' \
        fabric.switch.head-of-queue-lifetime=4 fabric.switch.leaf-head-of-queue-lifetime=4 duration=5ms)" '$1 > 100 && $2 > 0'

# A shift by 7 in a fat-tree of 16 hosts: one root for each destination leaves a link to each flow; min-hop lets flows share links.
shift_of() { measure_of tests/laws/infiniband-shift.yaml '[.workloads[].goodput_bps / 1e9] | min' "fabric.routing.algorithm=$1"; }
near 'slowest flow of a shift with fat-tree, Gb/s' "$(shift_of fat-tree)" "$(awk 'BEGIN { print 100 * 4096 / 4122 }')" 2
near 'slowest flow of a shift with min-hop, Gb/s' "$(shift_of min-hop)" "$(awk 'BEGIN { print 50 * 4096 / 4122 }')" 2

# Congestion control of annex A10. Four senders fill the link of a host: without it, each of them, and a fifth one on the same lane to an
# idle host, gets a quarter of that link. With it, the fifth one gets nearly its own link, and the hot link stays at more than 70 %.
hot=scenarios/cases/infiniband-hot-spot.yaml
both='[.workloads[].goodput_bps / 1e9] | join(" ")'
quarter=$(awk 'BEGIN { print 25 * 4096 / 4122 }')
for off in hosts.defaults.rnic.congestion-control=none fabric.switch.fecn-threshold=0 fabric.switch.fecn-marking-rate=65535 \
    'hosts.defaults.rnic.congestion-control={kind: ibcc, ccti-increase: 0}'; do
    near "victim with ${off##*.}, Gb/s" "$(measure_of $hot '.workloads[1].goodput_bps / 1e9' "$off")" "$quarter" 3
done
within 'hot spot and victim with ibcc, Gb/s' "$(measure_of $hot "$both")" '$1 > 70 && $1 < 100 && $2 > 80 && $2 < 100'
within 'hot spot and victim with BECN in ACKs, Gb/s' \
    "$(measure_of $hot "$both" 'hosts.defaults.rnic.congestion-control={kind: ibcc, becn: ack, ccti-increase: 4}')" '$1 > 70 && $2 > 50'
# The root is the port to the hot host. The ports before it lack credits: victims, which mark only by their mask; then the leaf finds
# the packets marked already.
marks() { # marks VICTIMS: packets that get FECN at the port to the hot host, and at the port of the first leaf to the spine
    "$program" run $hot -q --until 1ms --set fabric.switch.fecn-victims="$1" -o "$work/marks.db" \
        --set 'hosts.defaults.rnic.congestion-control={kind: ibcc, ccti-increase: 0}' >"$work/said" 2>&1 || cat "$work/said"
    "$program" query --csv "$work/marks.db" "SELECT sum(ecn_marked_frames) FILTER (WHERE p.name = 'leaf1:p0') || ' ' ||
        sum(ecn_marked_frames) FILTER (WHERE p.name = 'leaf0:p5') FROM series_port JOIN port p USING (node, port)" | tail -1 | tr -d '"'
}
for victims in none hosts; do
    within "marks at the root and at a victim, fecn-victims $victims" "$(marks $victims)" '$1 > 1000 && $2 < 100'
done
within 'marks at the root and at a victim, fecn-victims all' "$(marks all)" '$1 == 0 && $2 > 1000'

# A lost update is replaced by the next one: nothing hangs, and little is lost.
lossy=('faults=[{at: 0s, kind: drop-every, where: host0, n: 50, frames: resume}]')
near 'goodput with lost credit updates, Gb/s' "$(measure_of $file "$goodput" "${long[@]}" "${lossy[@]}")" \
    "$(awk 'BEGIN { print 100 * 4096 / 4122 }')" 2

# To tshark each packet is InfiniBand with an LRH, none is malformed, and commands of NVMe are found.
if command -v tshark >"$work/which"; then
    "$program" run $file --until 50us -o "$work/run.db" --record packets >"$work/said" 2>&1
    "$program" pcap "$work/run.db" -o "$work/run.pcapng" >>"$work/said" 2>&1 || cat "$work/said"
    count() { tshark -r "$work/run.pcapng" -Y "$1" 2>>"$work/said" | wc -l; }
    all=$(count frame)
    within 'packets of the capture' "$all" '$1 >= 10'
    near 'packets with LRH and BTH' "$(count 'infiniband.lrh.vl == 0 && infiniband.lrh.slid >= 1 && infiniband.bth')" "$all" 0
    near 'malformed packets' "$(count '_ws.malformed')" 0 0
    # FECN and BECN are the first bits of the fifth byte of the BTH.
    "$program" run $hot --until 100us -o "$work/marked.db" --record packets >"$work/said" 2>&1
    "$program" pcap "$work/marked.db" --port host5:p0 --port leaf1:p0 -o "$work/run.pcapng" >>"$work/said" 2>&1 || cat "$work/said"
    within 'WRITEs with FECN' "$(count 'infiniband.bth.opcode < 0x0c && infiniband.bth[4] == 80')" '$1 > 10'
    within 'CNPs with BECN, and without' "$(count 'infiniband.bth.opcode == 0x80 && infiniband.bth[4] == 40') \
        $(count 'infiniband.bth.opcode == 0x80 && infiniband.bth[4] != 40')" '$1 > 10 && $2 == 0'
fi

# Published figures of EDR with one queue pair; the factors are in docs/model.md.
cat >"$work/published.yaml" <<'YAML'
stormglass: 1
name: published
about: Two hosts on a switch of InfiniBand EDR.
seed: 1
duration: 1ms
fabric:
  kind: infiniband
  topology: {kind: single-switch, hosts: 2}
  host-links: {rate: EDR, length: 3m, mtu: 4096B}
hosts: {defaults: {rnic: {profile: connectx-5-100g}}}
workloads:
  - {name: w, kind: rdma-ping-pong, from: host0, to: host1, message-size: 32B}
YAML
one_way() { measure_of "$work/published.yaml" '.workloads[0].latency_ns.p50 / 2000' "workloads.w.message-size=$1"; }
near 'published, one way of 32 B, us' "$(one_way 32B)" 0.83 40
near 'published, one way of 4 KiB, us' "$(one_way 4KiB)" 2.26 5
near 'published, one way of 32 KiB, us' "$(one_way 32KiB)" 4.57 5
near 'published, ib_write_bw of 2 MiB, Gb/s' "$(measure_of "$work/published.yaml" "$goodput" workloads.w.kind=rdma-write \
    workloads.w.message-size=2MiB workloads.w.outstanding=8 duration=2ms)" 96.6 4
[ $failures = 0 ]
