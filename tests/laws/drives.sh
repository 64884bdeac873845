#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Profiles of drives against what is published of them: figures that were fitted must come out, figures that were not
# must be predicted within 25 %.
set -u
program=${STORMGLASS:?the program to test}
. tests/laws/figures

# play JQ-EXPRESSION SETTING...: of the workload, or below hosts.targets.namespaces.0.
play() {
    local what=$1 setting args=()
    shift
    for setting; do
        [[ $setting == media.* ]] && setting=hosts.targets.namespaces.0.$setting || setting=workloads.0.$setting
        args+=(--set "$setting")
    done
    "$program" run --confirm 0 tests/validation/drives.yaml --json "${args[@]}" 2>/dev/null | gojq "$what"
}
iops='.workloads[0].iops / 1e3' mbps='.workloads[0].goodput_bps / 8e6'

# Intel P3700.  One read, and 16: AnandTech 11209, of 800 GB.  The rest: product specification 330566, 2 TB, queue depth 128.
near 'P3700 fitted: one random read, us' "$(play '.workloads[0].latency_ns.mean / 1e3' read=100% queue-depth=1 queues=1)" 77.9 5
near 'P3700 fitted: random reads, thousands' "$(play "$iops" read=100%)" 460 2
near 'P3700 fitted: sequential writes, MB/s' "$(play "$mbps" read=0% block-size=128KiB queue-depth=8 \
    pattern=sequential media.precondition=filled)" 2000 7
near 'P3700 predicted: random writes, thousands' "$(play "$iops" read=0%)" 175 25
near 'P3700 predicted: 70 % reads, thousands' "$(play "$iops" read=70%)" 265 25
near 'P3700 predicted: 16 random reads at once, thousands' "$(play "$iops" read=100% queue-depth=16 queues=1)" 167.2 25
# Fresh, the same drive takes random writes as fast as commands come, as long as nothing is to be collected.
near 'P3700 fresh: random writes as reads, thousands' "$(play "$iops" read=0% media.precondition=fresh)" 460 5

# Greedy collection with uniformly random writes, in closed form: Desnoyers, "Analytic modeling of SSD write performance",
# SYSTOR 2012, with the 64 units in a block of the map.  The drive is scaled, and steady when the run begins.
greedy() {
    awk -v spare="$1" 'BEGIN {
        units = 64; a = 1 + spare / 100; b = (1 + 1 / (2 * units)) * a; x = -b * exp(-b); w = -0.3
        for (i = 0; i < 100; i++) w -= (w * exp(w) - x) / (exp(w) * (w + 1))
        print units / (units - (0.5 - units / a * w - 1)) }'
}
amplification='.media.write_amplification'
for spare in 7 12.5 28 50 100; do
    near "random writes amplify with $spare % of spare area, times" \
        "$(play "$amplification" read=0% media.over-provisioning=$spare% media.buffer=4MiB)" "$(greedy $spare)" 15
done
near 'sequential writes amplify, times' "$(play "$amplification" read=0% block-size=128KiB queue-depth=8 \
    pattern=sequential media.precondition=filled media.buffer=4MiB)" 1 2

# The cliff: random writes that are asked for faster than flash takes them find the buffer full after
# buffer / (asked for - taken); what is asked for from then on waits.
taken=$(play .workloads[0].iops read=0%)
for buffer in 4 8; do
    cliff=$(awk -v units=$((buffer * 256)) -v taken="$taken" 'BEGIN { print 1e6 * units / (300e3 - taken) }')
    for part in 80 120 200; do
        stop=$(awk -v cliff="$cliff" -v part=$part 'BEGIN { printf "%d", cliff * part / 100 }')
        waited=$(play '.media.writes_waited, .workloads[0].latency_ns.max / 1e3' read=0% rate=300000 arrival=paced \
            warm-up=0ps stop="${stop}us" media.buffer=${buffer}MiB | paste -sd' ')
        what="$buffer MiB, writes at $part % of the cliff: waited, us"
        [ $part = 80 ] && within "$what" "$waited" '$1 == 0 && $2 < 40' || within "$what" "$waited" '$1 > 100'
    done
    # So long again later the host is as many behind as the buffer holds, and 128 are under way.
    near "$what" "${waited#* }" \
        "$(awk -v units=$((buffer * 256)) -v taken="$taken" 'BEGIN { print 1e6 * (units / 300e3 + 128 / taken) }')" 10
done

# A tail is felt by all who wait behind it: Pollaczek and Khinchine, with the moments of a log-logistic time,
# E[S^k] = median^k (k pi / b) / sin(k pi / b), b = ln 99 / ln(p99 / median).  One server, random arrivals, 60 % busy.
tailed() { # P99, in medians of 80 us: the rate, and the mean latency with 2 us of network, us
    awk -v ratio="$1" 'BEGIN {
        pi = atan2(0, -1); first = second = 1
        if (ratio > 1) { b = log(99) / log(ratio); first = (pi / b) / sin(pi / b); second = (2 * pi / b) / sin(2 * pi / b) }
        rate = 0.6 / (80e-6 * first)
        printf "%.3f %.1f\n", rate, (rate * second * 80e-6 ^ 2 / (2 * 0.4) + 80e-6 * first + 2e-6) * 1e6 }'
}
for ratio in 1 2 3; do
    read -r rate mean <<<"$(tailed $ratio)"
    near "one server, p99 of $ratio medians: mean latency, us" "$("$program" run --confirm 0 tests/validation/arrays.yaml --json \
        --set hosts.targets.namespaces.0.drives=1 --set hosts.targets.namespaces.0.media.parallel=1 \
        --set hosts.targets.namespaces.0.media.read-p99=$((80 * ratio))us --set workloads.0.queue-depth=127 --set duration=12s \
        --set workloads.0.queues=1 --set workloads.0.rate="$rate" --set workloads.0.arrival=poisson 2>/dev/null |
        gojq '.workloads[0].latency_ns.mean / 1e3')" "$mean" 4
done

# What is said of a tenth more: times a tenth shorter, and the amplification of a tenth more spare area.  No limit is no harm.
said=$("$program" explain --what-if tests/validation/drives.yaml --set workloads.0.read=0% --json 2>/dev/null |
    gojq -r '.what_if.reliefs[0] | .resource, .gain.mean, .without_limit.mean' | paste -sd' ')
within 'what if: media, gain of a tenth more, without limit' "$said" '$1 == "media" && $3 > 10'
near 'gain of a tenth more of the drive, %' "$(awk '{ print 100 * $2 }' <<<"$said")" \
    "$(awk -v a="$(greedy 24)" -v b="$(greedy 26.4)" 'BEGIN { print 100 * (1.1 * a / b - 1) }')" 15

[ "$failures" = 0 ]
