#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The shipped cases give what they gave: one line for each workload and each total, and the digest.  A change of
# tests/golden/cases.txt needs a sentence in the commit about why the physics changed; UPDATE=1 writes it.
set -u
program=${STORMGLASS:?the program to test}
known=tests/golden/cases.txt
now=$(mktemp)
trap 'rm -f "$now"' EXIT

for case in scenarios/cases/*.yaml; do
    "$program" run "$case" --json 2>/dev/null | gojq -r '
        .scenario as $s
        | "\($s) digest \(.digest)",
          "\($s) packet_hops \(.packet_hops) events \(.events)",
          (.workloads[] | "\($s) \(.name) completed \(.completed) failed \(.failed) unfinished \(.unfinished) p50 \(.latency_ns.p50) p99 \(.latency_ns.p99) ns"),
          "\($s) pfc \(.pfc.pause_frames) \(.pfc.resume_frames) paused_ps \(.pfc.paused_ps)",
          "\($s) ecn \(.ecn.marked) cnps \(.ecn.cnps) retransmitted \(.rnic.retransmitted_packets) timeouts \(.rnic.timeouts)",
          "\($s) drops \(.drops | to_entries | map("\(.key)=\(.value)") | join(" "))",
          "\($s) cause \(.root_cause)",
          (.expectations[] | "\($s) \(if .held then "held" else "BROKEN" end) \(.text)")'
done >"$now"

if [ -n "${UPDATE-}" ]; then
    cp "$now" "$known"
    echo "wrote $known"
    exit 0
fi
grep BROKEN "$now" && exit 1
diff -u "$known" "$now"
