#!/bin/bash
# tcp - TCP in whole runs: rate on an idle line, losses, incast, digests.      SPDX-License-Identifier: Apache-2.0
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
file=tests/validation/tcp-clean.yaml
incast=scenarios/cases/tcp-incast.yaml

steady='.workloads[0].steady.goodput_bps / 1e9'
tcp=hosts.defaults.tcp

# Full segments back to back: 1448 of 1538 bytes, 8948 of 9038.
near 'MTU 1500, Gb/s' "$(measure_of $file "$steady")" "$(awk 'BEGIN { print 100 * 1448 / 1538 }')" 0.5
near 'MTU 9000, Gb/s' "$(measure_of $file "$steady" fabric.host-links.mtu=9000B)" "$(awk 'BEGIN { print 100 * 8948 / 9038 }')" 0.5
near 'MTU 1500 without timestamps, Gb/s' "$(measure_of $file "$steady" $tcp.timestamps=false)" "$(awk 'BEGIN { print 100 * 1460 / 1538 }')" 0.5
within 'retransmissions on an idle line' "$(measure_of $file .tcp.retransmitted_segments)" '$1 == 0'

# A window of 128 KiB, half of the receive buffer, in each round trip of 1 ms; with the costs of a host, its times add to the
# round trip.
limited=(fabric.host-links.delay=250us $tcp.receive-buffer=256KiB $tcp.receive-buffer-max=256KiB duration=1s drain=1s)
whole='.workloads[0].goodput_bps / 1e9'
near 'a window of 128 KiB and 1 ms, Gb/s' "$(measure_of $file "$whole" "${limited[@]}")" "$(awk 'BEGIN { print 131072 * 8 / 1000700 }')" 4
host=($tcp.interrupt-delay=10us $tcp.interrupt-cost=1us $tcp.wakeup-cost=3100ns $tcp.rx-batch-cost=300ns $tcp.tx-batch-cost=500ns
    $tcp.rx-segment-cost=100ns $tcp.copy-cost=195ns)
near 'the same with the costs of a host, Gb/s' "$(measure_of $file "$whole" "${limited[@]}" "${host[@]}")" \
    "$(awk 'BEGIN { print 131072 * 8 / (1000700 + 2 * 14000) }')" 6

# One core that copies 1 KiB in 195 ns and merges 45 segments or fewer: about 40 Gb/s.
within 'one core, Gb/s' "$(measure_of $file "$steady" $tcp.copy-cost=195ns)" '$1 > 38 && $1 < 42.1'

# Reads meet at one port: timeouts of 200 ms, with DCTCP none.
within 'incast of 16, CUBIC, p99 in ms' "$(measure_of $incast '.workloads[0].latency_ns.p99 / 1e6')" '$1 > 150'
within 'incast of 16, DCTCP, p99 in ms' "$(measure_of $incast '.workloads[0].latency_ns.p99 / 1e6' \
    $tcp.congestion-control=dctcp fabric.switch.ecn.kmin=40KB fabric.switch.ecn.kmax=40KB)" '$1 < 20'
within 'incast of 8, DCTCP, drops' "$(measure_of $incast .drops.lossy workloads.reads.to=host1..host8 \
    $tcp.congestion-control=dctcp fabric.switch.ecn.kmin=40KB fabric.switch.ecn.kmax=40KB)" '$1 == 0'

# Marks that DCTCP's senders hear of, of those that the switch made: classic ECN needs a receiver that has DCTCP, too.
heard() { # SETTING...
    local sets=() work
    for setting in "$@"; do sets+=(--set "$setting"); done
    work=$(mktemp -d)
    "$program" run tests/laws/tcp-ecn-feedback.yaml --confirm 0 --record counters --json -o "$work/run.db" "${sets[@]}" \
        2>/dev/null | gojq .ecn.marked >"$work/marked"
    "$program" query --json "$work/run.db" "SELECT sum(value) AS n FROM counter WHERE name='TcpExtTCPDeliveredCE'" |
        gojq --slurpfile marked "$work/marked" '.[0].n / $marked[0]'
    rm -rf "$work"
}
cubic=hosts.receiver.tcp.congestion-control=cubic
within 'marks heard of with classic ECN, receiver DCTCP' "$(heard)" '$1 > 0.99 && $1 < 1.01'
within 'marks heard of with classic ECN, receiver CUBIC' "$(heard $cubic)" '$1 > 1.5'
within 'marks heard of with accurate ECN, receiver DCTCP' "$(heard $tcp.ecn=accurate)" '$1 == 1'
within 'marks heard of with accurate ECN, receiver CUBIC' "$(heard $tcp.ecn=accurate $cubic)" '$1 == 1'

# One digest with any number of threads.
one=$("$program" run $incast --json --confirm 0 --threads 1 2>/dev/null | gojq -r .digest)
for threads in 2 3; do
    many=$("$program" run $incast --json --confirm 0 --threads $threads 2>/dev/null | gojq -r .digest)
    within "digest with $threads threads" "$([ "$one" = "$many" ] && echo 1 || echo 0)" '$1 == 1'
done
[ "$failures" = 0 ]
