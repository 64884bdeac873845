#!/bin/bash
# loopback - a host that sends to itself, in whole runs.      SPDX-License-Identifier: Apache-2.0
# What stays in a NIC has its own link, and its engines and PCIe with all else: 2 to 1 into PCIe pauses the fabric
# (Microsoft, NSDI 2023: loopback beside traffic from outside), and nothing does without it.
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures
file=tests/validation/loopback.yaml

# play JQ-EXPRESSION SETTING...
play() {
    local what=$1 setting args=()
    shift
    for setting; do
        args+=(--set "$setting")
    done
    "$program" run "$file" --json "${args[@]}" 2>/dev/null | gojq -r "$what"
}
outside='.workloads[0].goodput_bps / 1e9'
inside='.workloads[1].goodput_bps / 1e9'
alone=workloads.0.stop=1us   # inside
quiet=workloads.1.stop=1us   # outside
free=hosts.defaults.rnic.profile=rnic-100g
line=$(awk 'BEGIN { print 100 * 4096 / 4178 }')

# Without ceilings what is inside is as fast as its link, and takes nothing from what is outside.
near 'inside alone, Gb/s: 100 m / (m + 82)' "$(play "$inside" $alone $free)" "$line" 1
near 'inside beside outside, no ceilings' "$(play "$inside" $free)" "$line" 1
near 'outside beside inside, no ceilings' "$(play "$outside" $free)" "$line" 1
for rate in 25 200; do
    near "inside alone at loopback-rate $rate Gb/s" "$(play "$inside" $alone $free hosts.defaults.rnic.loopback-rate=${rate}Gbps)" \
        "$(awk -v r=$rate -v l="$line" 'BEGIN { print r * l / 100 }')" 3
done

# With them both cross one PCIe, each as often as the other.
pcie=$(play "$inside" $alone hosts.defaults.rnic.loopback-rate=400Gbps)
within 'PCIe carries more than one link and less than two, Gb/s' "$pcie" '$1 > 100 && $1 < 126'
near 'inside and outside together: what PCIe carries' "$(play "($inside) + ($outside)")" "$pcie" 3
near 'of it, outside' "$(play "$outside")" "$(awk -v p="$pcie" 'BEGIN { print p / 2 }')" 3
near 'outside alone' "$(play "$outside" $quiet)" "$line" 1
near 'a slot of half the lanes carries half' "$(play "$inside" $alone hosts.defaults.rnic.pcie-lanes=8)" \
    "$(awk -v p="$pcie" 'BEGIN { print p / 2 }')" 3

# READs cross it both ways too.
near 'READs inside and WRITEs from outside: what PCIe carries' "$(play "($inside) + ($outside)" workloads.1.kind=rdma-read)" "$pcie" 6

# The fabric is paused by the two together, never by one.
pauses=.pfc.pause_frames
within 'pauses of both' "$(play "$pauses")" '$1 > 100'
within 'pauses of outside alone' "$(play "$pauses" $quiet)" '$1 == 0'
within 'watchdogs that tripped' "$(play '.pfc.watchdog_storms + .drops.lossless')" '$1 == 0'
within 'the bottleneck is PCIe' "$(play '.bottleneck | startswith("pcie: PCIe from the RNIC of host0") | if . then 1 else 0 end')" '$1 == 1'
within 'loopback is named, of who comes from outside' \
    "$(play '[.causes[] | select(.kind == "loopback")] | length')" '$1 == 1'
within 'and not without it' "$(play '[.causes[] | select(.kind == "loopback")] | length' $quiet $free)" '$1 == 0'

# Engines are shared: the card takes each WRITE inside, and its ACK, and each WRITE from outside, at 20 ns.
small="workloads.0.message-size=8B workloads.1.message-size=8B workloads.0.qps=32 workloads.1.qps=32"
cost="hosts.defaults.rnic.rx-packet-cost=20ns hosts.defaults.rnic.post-cost=0ns"
near 'small messages inside, M a second: 40 ns' "$(play '.workloads[1].iops / 1e6' $small $alone $cost)" 25 3
near 'beside as many from outside: 60 ns for both' "$(play '.workloads[1].iops / 1e6' $small $cost)" 16.667 3
near 'those from outside' "$(play '.workloads[0].iops / 1e6' $small $cost)" 16.667 3

# Another NIC of the host has another PCIe.
near 'outside by NIC 0, inside at NIC 1' "$(play "$outside" fabric.topology.nics=2 workloads.0.nic=0 workloads.0.peer-nic=0 workloads.1.nic=1)" "$line" 1

# Two ports of one card share its slot, two cards have two.
both="fabric.topology.nics=2 workloads.0.qps=2 workloads.0.outstanding=16"
near 'two NICs from outside' "$(play "$outside" $both $quiet)" "$(awk -v l="$line" 'BEGIN { print 2 * l }')" 1
near 'two ports of one card from outside: what PCIe carries' "$(play "$outside" $both $quiet hosts.defaults.rnic.card-ports=2)" "$pcie" 6
near 'inside at the second port: what PCIe carries' \
    "$(play "($outside) + ($inside)" $both workloads.0.nic=0 workloads.0.peer-nic=0 workloads.1.nic=1 hosts.defaults.rnic.card-ports=2)" "$pcie" 6

# The digest is that of any number of threads.
one=$("$program" run $file --json --threads 1 | gojq -r .digest)
[ "$one" = "$("$program" run $file --json --threads 2 | gojq -r .digest)" ] || {
    echo "FAIL  digest with two threads"
    failures=$((failures + 1))
}
[ "$failures" = 0 ]
