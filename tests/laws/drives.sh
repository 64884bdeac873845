#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Profiles of drives against what is published of them: figures that were fitted must come out, figures that were not
# must be predicted within 25 %.
set -u
program=${STORMGLASS:?the program to test}
failures=0

# near NAME MEASURED PUBLISHED PERCENT
near() {
    if [ -n "$2" ] && awk -v m="$2" -v k="$3" -v t="$4" 'BEGIN { d = 100 * (m / k - 1); exit !(d <= t && d >= -t) }'; then
        printf 'ok    %-58s %9.1f published %9.1f\n' "$1" "$2" "$3"
    else
        printf 'FAIL  %-58s %9s published %9s +- %s %%\n' "$1" "$2" "$3" "$4"
        failures=$((failures + 1))
    fi
}

# play JQ-EXPRESSION SETTING...: of the workload, or below hosts.targets.namespaces.0.
play() {
    local what=$1 setting args=()
    shift
    for setting; do
        [[ $setting == media.* ]] && setting=hosts.targets.namespaces.0.$setting || setting=workloads.0.$setting
        args+=(--set "$setting")
    done
    "$program" run tests/validation/drives.yaml --json "${args[@]}" 2>/dev/null | gojq "$what"
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

[ "$failures" = 0 ]
