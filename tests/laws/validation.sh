#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Published cases with known answers, played by the program (V05, V07 and V09 are C programs beside this one
# and in tests/unit).  Each line says what was measured and what is known.
set -u
program=${STORMGLASS:?the program to test}
failures=0

# near NAME MEASURED KNOWN TOLERANCE
near() {
    if awk -v m="$2" -v k="$3" -v t="$4" 'BEGIN { d = m - k; exit !(d <= t && d >= -t) }'; then
        printf 'ok    %-40s %12.3f known %12.3f\n' "$1" "$2" "$3"
    else
        printf 'FAIL  %-40s %12.3f known %12.3f +- %s\n' "$1" "$2" "$3" "$4"
        failures=$((failures + 1))
    fi
}

# V03: goodput of one flow at 100 Gb/s is 100 m / (m + 82), within 0.05 Gb/s.
for mtu in 512 1024 2048 4096; do
    got=$("$program" run --confirm 0 tests/validation/v03-goodput.yaml --json \
        --set "hosts.defaults.rnic.path-mtu=${mtu}B" | gojq '.workloads[0].goodput_bps / 1e9')
    near "V03 goodput at path MTU $mtu, Gb/s" "$got" "$(awk -v m=$mtu 'BEGIN { print 100 * m / (m + 82) }')" 0.05
done

# V08: the thresholds of the DCQCN paper (section 4).  With a static threshold of 24.475 KB and one sender for the queue
# marking comes first below it and not above it; with beta 8 it comes long before.  (test_carve has the arithmetic.)
marks_before_pause() { # KMIN [--set ...]: marks up to the first XOFF; "none" when there is no XOFF
    local db at ecn="{kmin: $1B, kmax: $(($1 + 1))B, pmax: 100%}"
    shift
    db=$(mktemp -u)
    set -- tests/validation/v08-thresholds.yaml --set "fabric.switch.ecn=$ecn" "$@"
    "$program" run --confirm 0 "$@" --record counters -o "$db" >/dev/null 2>&1
    at=$("$program" query --json "$db" "SELECT min(at_ps) AS at FROM pause_edge JOIN node USING(node)
        WHERE edge = 'xoff' AND kind = 'switch'" | gojq '.[0].at')
    rm -f "$db" "$db"-wal "$db"-shm
    [ "$at" = null ] && echo none && return
    "$program" run --confirm 0 "$@" --until "${at}ps" --json 2>/dev/null | gojq '[.ecn.marked, 1] | min'
}
beta8=(--set fabric.switch.buffer.policy=dynamic --set fabric.switch.buffer.alpha=800%)
near 'V08 static, kmin 5 KB: a mark first' "$(marks_before_pause 5000)" 1 0
near 'V08 static, kmin 23 KB: a mark first' "$(marks_before_pause 23000)" 1 0
near 'V08 static, kmin 25 KB: the pause first' "$(marks_before_pause 25000)" 0 0
[ "$(marks_before_pause 21000 "${beta8[@]}")" = none ]
near 'V08 beta 8, kmin 21 KB: no pause at all' $? 0 0

# V24: what arrives after the pause over a long link: 126.25 KB for each km at 100 Gb/s, with the peer's response, the
# ingress latency and a frame on top; within 1 % and a frame.
overshoot() { # GBPS LENGTH
    local db
    db=$(mktemp -u)
    "$program" run --confirm 0 tests/validation/v24-distance.yaml --set "fabric.topology.links.1.length=$2" \
        --set "fabric.host-links.rate=$1Gbps" --set "fabric.fabric-links.rate=$1Gbps" \
        --set "duration=$3" --set "faults.0.at=$4" -o "$db" >/dev/null 2>&1
    "$program" query --tabs "$db" "SELECT value FROM v_counter WHERE port = 'far:p1'
        AND name = 'rx_prio3_headroom_peak'" | tail -1
    rm -f "$db" "$db"-wal "$db"-shm
}
for at in '100 0.1km 3ms 2ms' '100 1km 3ms 2ms' '100 10km 3ms 2ms' '100 80km 5ms 3ms' '400 10km 1ms 500us'; do
    read -r gbps length stop pause <<<"$at"
    known=$(awk -v c="$gbps" -v l="${length%km}" \
        'BEGIN { print (2 * l * 1000 * 5.05 + 800) * c / 8 * 4158 / 4178 + 4158 }')
    near "V24 $gbps Gb/s, $length: bytes after the pause" "$(overshoot "$gbps" "$length" "$stop" "$pause")" "$known" \
        "$(awk -v k="$known" 'BEGIN { print k / 100 + 4178 }')"
done

# V10: go-back-0 completes nothing while the link is busy.  Of go-back-N each loss costs W packets, a round trip of them:
# of N sent the one that is lost and W behind it when every Nth is lost, within 1.5 % of the link.
livelock() { # RECOVERY JQ-EXPRESSION
    "$program" run --confirm 0 tests/validation/v10-livelock.yaml --json \
        --set "hosts.defaults.rnic.loss-recovery=$1" 2>/dev/null | gojq "$2"
}
near 'V10 go-back-0, messages' "$(livelock go-back-0 '.workloads[0].completed')" 0 0
share='.workloads[0].goodput_bps / (40e9 * 1024 / 1106)'
window=$(awk 'BEGIN { print 8e-6 * 40e9 / 8 / 1106 }')
for n in 64 128 256; do
    near "V10 go-back-n, each ${n}th lost: share of the link" \
        "$("$program" run --confirm 0 tests/validation/v10-livelock.yaml --json --set "faults.0.n=$n" 2>/dev/null | gojq "$share")" \
        "$(awk -v n=$n -v w="$window" 'BEGIN { print 1 - (w + 1) / n }')" 0.015
done

# Random loss of p: each loss costs W packets, too; and where the packet that was asked for again is lost as well, nobody
# asks once more (IBTA 9.7.5.1.1: one NAK for a gap), so that it costs the timeout, here 65.5 us, or 296 packets.
for n in 64 128 256; do
    near "V10 go-back-n, random loss of 1/$n: share" \
        "$("$program" run --confirm 0 tests/validation/v10-livelock.yaml --json --set hosts.defaults.rnic.timeout=4 \
            --set "faults=[{at: 100us, kind: random-loss, rate: 1/$n, where: 'host0:p0'}]" 2>/dev/null | gojq "$share")" \
        "$(awk -v p=$((n)) -v w="$window" \
            'BEGIN { p = 1 / p; t = 65.536e-6 * 40e9 / 8 / 1106; print (1 - p) / (1 + p * (w + p * t)) }')" 0.01
done

# V23: a drive's mean latency against depth, and what it can do at most.
device() { # DEPTH JQ-EXPRESSION
    "$program" run --confirm 0 tests/validation/v23-device.yaml --set "workloads.w.queue-depth=$1" --json | gojq "$2"
}
for at in '8 65.3' '16 74.5' '32 93.8' '64 137.8'; do
    read -r depth known <<<"$at"
    near "V23 mean latency at depth $depth, us" "$(device "$depth" '.workloads[0].latency_ns.mean / 1e3')" "$known" \
        "$(awk -v k="$known" 'BEGIN { print k * 0.03 }')"
done
near 'V23 thousand reads a second at depth 256' "$(device 256 '.workloads[0].iops / 1e3')" 540 5

# wire_rates END SCENARIO [OPTION...]: for each sender its name and what it put on the wire from 50 ms to END ms, in
# Gb/s with preamble and gap (20 bytes beside each frame of 1,086), from the samples of its port.
wire_rates() {
    local db end=$1
    shift
    db=$(mktemp -u)
    "$program" run --confirm 0 "$@" --interval 50ms -o "$db" >/dev/null 2>&1
    "$program" query --json "$db" "SELECT n.name AS host, sum(tx_bytes) * (1 + 20 / 1086.0) * 8 / (($end - 50) * 1e6) AS gbps
        FROM series_port JOIN series USING(sample) JOIN node n USING(node) WHERE n.kind = 'host' AND priority = 3
        AND from_ps >= 50000000000 AND until_ps <= ${end}000000000 GROUP BY n.name HAVING sum(tx_bytes) > 1000000" |
        gojq -r '.[] | "\(.host) \(.gbps)"'
    rm -f "$db" "$db"-wal "$db"-shm
}

# HotNets 2016: the same circle of buffers locks up by the rate of one flow, and `check` warns of it either way.
deadlocks() { # MESSAGES PER SECOND of 4 KiB
    "$program" run --confirm 0 tests/validation/hotnets-deadlock.yaml --json --set "workloads.2.rate=$1" | gojq .pfc.deadlocks
}
near 'HotNets16 deadlocks, flow three at 0.03 Gb/s' "$(deadlocks 1000)" 0 0
near 'HotNets16 deadlocks, flow three at 1 Gb/s' "$(deadlocks 30000)" 0 0
near 'HotNets16 deadlocks, flow three at 5 Gb/s' "$(deadlocks 150000)" 1 0
near 'HotNets16 deadlocks, flow three unlimited' "$(deadlocks 0)" 1 0
near 'HotNets16 warnings' "$("$program" check tests/validation/hotnets-deadlock.yaml | grep -c 'warning: cyclic buffer')" 1 0

# V14: N DCQCN flows on one 40 Gb/s link.  The fluid model's fixed point is C/N each (Zhu et al., CoNEXT 2016):
# each rate within 5 % over 100 ms, and the link full to 0.3 %.
for flows in 2 4 8; do
    sum=0
    while read -r host rate; do
        near "V14 $host, one of $flows, Gb/s" "$rate" "$((40 / flows))" \
            "$(awk -v n="$flows" 'BEGIN { print 2 / n }')"
        sum=$(awk -v s="$sum" -v r="$rate" 'BEGIN { print s + r }')
    done < <(wire_rates 150 tests/validation/v14-dcqcn.yaml --set "workloads.0.from=host0..host$((flows - 1))")
    near "V14 all $flows flows, Gb/s" "$sum" 40 0.12
done

# V15: the second of two flows joins later; 20 Gb/s each from 50 ms on, within 1.5.
sum=0
while read -r host rate; do
    near "V15 $host, Gb/s" "$rate" 20 1.5
    sum=$(awk -v s="$sum" -v r="$rate" 'BEGIN { print s + r }')
done < <(wire_rates 100 tests/validation/v15-convergence.yaml)
near 'V15 together, Gb/s' "$sum" 40 0.5

# V17: a queue is held while its mean stays below kmax (1,000 KB), and lost when it never comes back to that.
queue_of_flows() { # AGGREGATE FLOWS: of the queue in KB, from 50 ms to 100 ms
    local db
    db=$(mktemp -u)
    "$program" run --confirm 0 tests/validation/v17-many-flows.yaml --set "workloads.0.from=host1..host$2" --interval 1ms \
        -o "$db" >/dev/null 2>&1
    "$program" query --json "$db" "SELECT $1(queue_bytes) / 1000.0 AS kb FROM v_series_port
        WHERE port = 'switch0:p0' AND priority = 3 AND at_us > 50000 AND at_us <= 100000" | gojq '.[0].kb'
    rm -f "$db" "$db"-wal "$db"-shm
}
near 'V17 60 flows at 10 Gb/s: mean queue, KB' "$(queue_of_flows avg 60)" 500 499
near 'V17 80 flows at 10 Gb/s: least queue, KB' "$(queue_of_flows min 80)" 12000 11000

# Little's law: rate times mean latency is what is under way, 4 queues of 127, however long the latency.
near "Little's law, I/Os under way" "$("$program" run --confirm 0 tests/validation/little.yaml --json |
    gojq '.workloads[0] | .iops * .latency_ns.mean / 1e9')" 508 5

[ "$failures" -eq 0 ]
