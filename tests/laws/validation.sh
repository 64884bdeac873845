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
    got=$("$program" run tests/validation/v03-goodput.yaml --json \
        --set "hosts.defaults.rnic.path-mtu=${mtu}B" | jq '.workloads[0].goodput_bps / 1e9')
    near "V03 goodput at path MTU $mtu, Gb/s" "$got" "$(awk -v m=$mtu 'BEGIN { print 100 * m / (m + 82) }')" 0.05
done

# V10: go-back-0 completes nothing while the link is busy; go-back-N keeps 1 / (1 + W/256), within 3 %.
livelock() { # RECOVERY JQ-EXPRESSION
    "$program" run tests/validation/v10-livelock.yaml --json \
        --set "hosts.defaults.rnic.loss-recovery=$1" 2>/dev/null | jq "$2"
}
near 'V10 go-back-0, messages' "$(livelock go-back-0 '.workloads[0].completed')" 0 0
share=$(livelock go-back-n '.workloads[0].goodput_bps / (40e9 * 1024 / 1106)')
near 'V10 go-back-n, share of the link' "$share" 0.865 0.026

[ "$failures" -eq 0 ]
