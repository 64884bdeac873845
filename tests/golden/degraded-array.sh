#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# degraded-array: what a drive that fails costs those who have nobody to be compared with: by the time before it, and as much as the
# run without the fault says.
set -u
. tests/golden/outside

# array NAME LAYOUT FROM DEPTH AT
array() {
    cat >"$1.yaml" <<END
stormglass: 1
name: $1
duration: 10ms
fabric: {topology: {kind: single-switch, hosts: 5}, host-links: {rate: 100Gbps}}
hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: flash-tlc, $2}]}}
workloads: [{name: io, kind: nvme, from: "$3", to: host0, read: 100%, block-size: 16KiB, queue-depth: $4}]
faults: [{kind: drive-failed, where: host0, at: $5}]
END
    "$program" run "$1.yaml" -o "$1.db" --json >"$1.json" || fail "$1: run: $?"
    "$program" explain "$1.db" --prove --json >"$1.proof" || fail "$1: explain: $?"
}

# costs NAME LAYOUT FROM DEPTH AT: some of the time, by what the run says as much as by the proof, within 4 points
costs() {
    array "$@"
    local said proved
    said=$(gojq '[.causes[] | select(.name == "faults.0").victims[].lost_share] | max // 0' "$1.json")
    proved=$(gojq '.proof.victims.most | map(.lost_ps / .under_way_ps) | max // 0' "$1.proof")
    awk -v said="$said" -v proved="$proved" 'BEGIN { d = said - proved; exit !(said > 0.05 && proved > 0.05 && d * d < 0.0016) }' ||
        fail "$1: it cost $said of the time, and $proved by the proof"
    gojq -e '.causes[0] | .kind == "target" and .sure and (.sentence | test("lost a drive; without this cause, the victims. highest p99 is .* disappears$"))' \
        "$1.json" >/dev/null || fail "$1: $(gojq -c .causes "$1.json")"
    "$program" explain "$1.db" | tr -s '\n ' ' ' | grep -q ' 100% of the harm (confirmed by rerun): drive-failed at host0 the target on host0 lost a drive without this cause, ' || fail "$1: explain: $("$program" explain "$1.db" | head -8)"
    echo "ok    $1: $said of the time, $proved by the proof"
}

costs mirror 'layout: mirror, drives: 2' host1 32 3ms
costs mirror-late 'layout: mirror, drives: 2' host1 32 7ms
costs parity 'layout: parity, drives: 3' host1 64 3ms
costs several 'layout: mirror, drives: 2' 'host1..host4' 8 4ms

# Who hardly asks for anything loses nothing by one drive less, and nothing is said.
array little 'layout: mirror, drives: 2' host1 1 5ms
gojq -e '.harm.sentence == "none: no measurable impact" and .proof == null' little.json >/dev/null || fail "little: $(gojq -c '.harm, .causes' little.json)"
[ "$(gojq '.proof.victims.count' little.proof)" = 0 ] || fail "little: $(gojq -c .proof little.proof)"
# Degraded from the start: where nothing may be tried, the run says so, and the experiment knows.
array always 'layout: mirror, drives: 2' host1 32 0us
gojq -e '.harm.severity == "severe" and .causes[0].name == "faults.0" and .causes[0].confirmed' always.json >/dev/null ||
    fail "always: $(gojq -c '.harm, .causes' always.json)"
"$program" run always.yaml --confirm 0 --json >always.json || fail "always: run: $?"
gojq -e '.harm.severity == "none" and .harm.sentence == "none visible in this run (explain --prove also simulates it without drive-failed at host0)"' \
    always.json >/dev/null || fail "always: $(gojq -c '.harm, .causes' always.json)"
gojq -e '.proof.culprits == ["drive-failed at host0, removed"]' always.proof >/dev/null || fail "always: $(gojq -c .proof always.proof)"
echo "ok    little, always"

[ $failures = 0 ]
