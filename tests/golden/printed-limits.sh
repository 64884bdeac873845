#!/bin/bash
# What run --json prints of a latency holds as a limit for the same run, and the figures are in order.       SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside
compared=0
for scenario in first-io oltp-fio pause-storm incast-8to1; do
    "$program" run $scenario --json >run.json 2>/dev/null
    gojq -e '[.workloads[].latency_ns | select(.mean != null) | .min <= .mean and .mean <= .max and .min <= .p50 and .p50 <= .p99 and .p99 <= .max] | all' run.json >/dev/null ||
        fail "$scenario: $(gojq -c '[.workloads[].latency_ns]' run.json)"
    gojq -r '[.workloads[] | .name as $w | .latency_ns | to_entries[] | select(.value != null) | "\($w).latency.\(.key)" as $q
        | "\($q) <= \(.value)ns", "\($q) >= \(.value)ns"]' run.json >limits.json
    "$program" run $scenario --set "expect=$(gojq -c . limits.json)" --json >again.json 2>/dev/null
    gojq -e '.expectations | length > 10' again.json >/dev/null || fail "$scenario: no expectations"
    gojq -e '[.expectations[] | select(.result != "pass" and (.actual | test("failed|completed") | not))] == []' again.json >/dev/null ||
        fail "$scenario: $(gojq -c '[.expectations[] | select(.result != "pass")][:3]' again.json)"
    compared=$((compared + $(gojq '.expectations | length' again.json)))
done
echo "$compared printed figures as limits"
[ $compared -gt 80 ] || fail "only $compared figures"
[ $failures = 0 ]
