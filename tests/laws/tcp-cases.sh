#!/bin/bash
# tcp-cases - TCP and NVMe/TCP beside the formulas of papers: losses, slow start, the R2T step, DCTCP.   SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
file=tests/validation/nvme-tcp-by-hand.yaml
wire=(hosts.defaults.rnic.pcie-generation=off fabric.host-links.rate=100Gbps)
least='.workloads[0].latency_ns.min / 1000'
minus() { awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'; }

# A read of 4 KiB at MTU 1500 takes 4,144 bytes in three frames of its own, 90 bytes around each.
near 'reads of 4 KiB, MTU 1500, Mops/s' "$(measure_of $file '.workloads[0].steady.goodput_bps / 32768e6' "${wire[@]}" \
    fabric.host-links.delay=1us duration=6ms \
    'workloads=[{name: io, kind: nvme, transport: tcp, from: host0, to: host1, block-size: 4KiB, queue-depth: 64, queues: 8}]')" \
    "$(awk 'BEGIN { print 12500 / (4144 + 3 * 90) }')" 0.5

# Beyond the data that a capsule may carry, a write needs an R2T: a round trip of about 21 us more. nvmet: above 16 KiB;
# SPDK: above 4 KiB.
write() { measure_of $file "$least" "${wire[@]}" workloads.io.read=0% workloads.io.block-size="$1" "hosts.targets.target=$2"; }
round=$(measure_of $file "$least" "${wire[@]}" workloads.io.block-size=512B)
for profile in 'linux-nvmet-tcp 16KiB 20KiB' 'spdk-target-tcp 4KiB 8KiB'; do
    read -r name below above <<<"$profile"
    near "$name: a write of $above instead of $below, us" \
        "$(minus "$(write "$above" "{profile: $name}")" "$(write "$below" "{profile: $name}")")" "$round" 5
done

# A delayed ACK never holds up a command at queue depth 1: with a timer of 200 ms instead of 40 ms the latencies are the same,
# within a round trip (an ACK more makes the window grow earlier), although the timer expires between commands 100 ms apart.
longest='.workloads[0].latency_ns.max / 1000'
late() { measure_of $file "$1" "${wire[@]}" hosts.defaults.tcp.delayed-ack="$2" workloads.io.read="$3" workloads.io.block-size="$4" \
    workloads.io.rate=10 workloads.io.start=1ms workloads.io.count=20 duration=3s drain=1s; }
for case in '100% 512B' '100% 128KiB' '0% 16KiB' '0% 20KiB' '0% 128KiB'; do
    read -r read size <<<"$case"
    within "read $read, $size, depth 1: the delayed ACK's timer, us" "$(minus "$(late "$longest" 40ms "$read" "$size")" \
        "$(late "$longest" 200ms "$read" "$size")")" '$1 * $1 < 20 * 20'
done
"$program" run $file --set hosts.defaults.tcp.delayed-ack=40ms --set workloads.io.read=0% --set workloads.io.block-size=128KiB \
    --set workloads.io.rate=10 --set workloads.io.count=20 --set duration=3s --set drain=1s -o "$work/ack.db" >"$work/out" 2>&1
within 'ACKs that waited for the timer' "$("$program" query --json "$work/ack.db" \
    "SELECT sum(value) AS n FROM v_counter WHERE name = 'TcpExtDelayedACKs'" | gojq '.[0].n')" '$1 >= 20'

# A connection that is idle begins with 10 segments: 91 segments of a read of 128 KiB leave as 10, 20, 40 and 21, so that it
# takes 3 round trips of 200 us more than a read of one flight; 15 segments of MTU 9000 leave as 10 and 5, if the receive
# buffer is larger than the default.
cold() { measure_of $file "$least" "${wire[@]}" workloads.io.block-size="$1" workloads.io.count=1 workloads.io.start=6ms \
    duration=10ms fabric.host-links.delay=50us fabric.host-links.mtu="$2" hosts.defaults.tcp.receive-buffer=1MiB; }
near 'a cold read of 128 KiB, MTU 1500, round trips more' \
    "$(awk -v us="$(minus "$(cold 128KiB 1500B)" "$(cold 4KiB 1500B)")" 'BEGIN { print us / 200.6 }')" 3 2
near 'a cold read of 128 KiB, MTU 9000, round trips more' \
    "$(awk -v us="$(minus "$(cold 128KiB 9000B)" "$(cold 4KiB 9000B)")" 'BEGIN { print us / 200.6 }')" 1 4

# Random losses at a round trip of 100 us: between the formula of Padhye et al. (SIGCOMM 1998) with a timeout of 200 ms, and
# the square root law of Mathis et al. (CCR 27(3), 1997), within 15 %.
loss=tests/laws/tcp-loss.yaml
bulk() { measure_of $loss "[.workloads[0].steady.goodput_bps] | add / $1" "${@:2}"; }
reno=$(bulk 1e9 faults.0.rate=1/1000 duration=1s)
within 'NewReno, loss of 1/1000, Gb/s' "$reno" '$1 > 0.82 && $1 < 4.49 * 1.15'
within 'NewReno, loss of 1/10000, Gb/s' "$(bulk 1e9)" '$1 > 9.78 && $1 < 14.2 * 1.15'
# Where round trips are short, CUBIC grows as Reno (RFC 9438 4.3): in a fluid model with independent losses its mean window is
# 0.974 times Reno's. At 100 ms it follows its cubic function. The formula of RFC 9438 5.1, 1.054 / 1.2247 * RTT^0.75 * p^-0.25
# times Reno's window, holds for losses at equal distances. Independent losses raise the mean of both windows, that of CUBIC
# more: the same fluid model has 1.634 instead of 1.53 times at p = 10^-4, and 2.89 instead of 2.72 times at 10^-5.
near 'CUBIC, loss of 1/1000, Gb/s' "$(bulk 1e9 faults.0.rate=1/1000 duration=1s hosts.defaults.tcp.congestion-control=cubic)" "$reno" 15
near 'CUBIC, loss of 1/10000, times NewReno' "$(awk -v c="$(bulk 1e9 duration=1s hosts.defaults.tcp.congestion-control=cubic)" \
    -v r="$(bulk 1e9 duration=1s)" 'BEGIN { print c / r }')" 0.974 10
long=(fabric.host-links.delay=25ms fabric.host-links.rate=10Gbps duration=1000s drain=10s)
near 'CUBIC, 100 ms, loss of 1/10000, times NewReno' \
    "$(awk -v c="$(bulk 1e6 "${long[@]}" hosts.defaults.tcp.congestion-control=cubic)" -v r="$(bulk 1e6 "${long[@]}")" 'BEGIN { print c / r }')" 1.634 10

# Thirteen windows of 10 segments and more do not fit into the packet memory of 256 KiB: lossy queues may use 75.5 % of it, and
# with alpha 8 one of them 8/9 of that: 114 frames of 6 cells of 256 B. 11 frames leave while the windows arrive. If one queue
# may use all of the memory, 18 windows fit. Where all data of a response is lost, the response waits for the timeout: 200 ms
# and its own time.
incast() { measure_of scenarios/cases/tcp-incast.yaml "$1" "${@:3}" fabric.topology.hosts=20 workloads.reads.to="host1..host$2" \
    workloads.reads.response-size=14480B workloads.reads.count=1 workloads.reads.start=5ms duration=1s; }
within 'incast of 12 windows of 10 segments, drops' "$(incast .drops.lossy 12)" '$1 == 0'
within 'incast of 13 windows of 10 segments, drops' "$(incast .drops.lossy 13)" '$1 > 0'
whole=(fabric.switch.alpha-egress=12800% fabric.switch.egress-lossy-pool=100%)
within 'incast of 18 windows, the whole memory, drops' "$(incast .drops.lossy 18 "${whole[@]}")" '$1 == 0'
within 'incast of 19 windows, the whole memory, drops' "$(incast .drops.lossy 19 "${whole[@]}")" '$1 > 0'
near 'incast of 16 with a lost window, ms' "$(incast '.workloads[0].latency_ns.max / 1e6' 16)" 200.2 0.5

# Alizadeh et al., SIGCOMM 2010: N flows of DCTCP hold a queue of K + N frames at most, which falls by 0.5 sqrt(2 N (C RTT + K))
# = 15; K below C RTT / 7 loses throughput. The formula reduces each window once, at once. With proportional rate reduction, as
# in Linux, the window falls over one round trip; frames of its first half are still marked, and their ACKs, which arrive after
# it, reduce the window again: two reductions instead of one, and up to twice the amplitude.
dctcp=tests/laws/tcp-dctcp.yaml
queue() { # K PRR: longest and shortest queue, their difference, frames
    "$program" run $dctcp --record counters --interval 5us --confirm 0 -o "$work/run.db" --set hosts.defaults.tcp.prr="$2" \
        --set fabric.switch.ecn.kmin="$(($1 * 1538))B" --set fabric.switch.ecn.kmax="$(($1 * 1538))B" >"$work/out" 2>&1
    "$program" query --json "$work/run.db" "SELECT max(queue_bytes)/1538.0 AS most, min(queue_bytes)/1538.0 AS least
        FROM v_series_port WHERE port = 'switch0:p2' AND priority = 0 AND at_us > 20000 AND at_us < 39900" |
        gojq -r '.[0] | "\(.most) \(.least) \(.most - .least)"'
}
read -r most least once <<<"$(queue 65 false)"
near 'DCTCP, 2 flows, K 65, reduced at once: longest queue, frames' "$most" 67 5
near 'DCTCP, 2 flows, K 65, reduced at once: shortest queue, frames' "$least" 52 5
near 'DCTCP, 2 flows, K 65, reduced at once: amplitude, frames' "$once" 15.1 15
read -r most least over <<<"$(queue 65 true)"
near 'DCTCP, 2 flows, K 65: longest queue, frames' "$most" 67 5
near 'DCTCP, 2 flows, K 65: shortest queue, frames' "$least" 52 18
within 'DCTCP, 2 flows, K 65: amplitude, times that of one reduction' "$(awk -v a="$over" -v b="$once" 'BEGIN { print a / b }')" \
    '$1 > 1.3 && $1 < 2.1'
read -r most least once <<<"$(queue 40 false)"
near 'DCTCP, 2 flows, K 40, reduced at once: amplitude, frames' "$once" 14.2 15
marks() { measure_of $dctcp '[.workloads[0].steady.goodput_bps] | add / 1e9' fabric.switch.ecn.kmin="$1" fabric.switch.ecn.kmax="$1"; }
near 'DCTCP, 2 flows, K 65, Gb/s' "$(marks 99970B)" "$(awk 'BEGIN { print 100 * 1448 / 1538 }')" 0.1
within 'DCTCP, 2 flows, K 5, Gb/s' "$(marks 7690B)" '$1 < 93.9'
[ "$failures" = 0 ]
