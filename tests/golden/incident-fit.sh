#!/bin/bash
# incident-fit - a hidden fault is found by runs, with its size, and diff prints the same score.
# SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside

lasts=10 # seconds that the 5 ms of the hidden run stand for

# NAME SEED FAULT: the counters of a run of the case with the fault alone, as two samples.
hide() {
    sed -e "s/^seed: .*/seed: $2/" -e "s/.*kind: slow-receiver.*/$3/" "$OLDPWD"/scenarios/cases/pause-storm.yaml >"$1.yaml"
    "$program" run "$1.yaml" --until 5ms --confirm 0 -o "$1.db" -q 2>err
    [ $? -le 1 ] || fail "$1: $(cat err)"
    mkdir -p "$1/before" "$1/after"
    "$program" counters "$1.db" | awk -v by=$((lasts * 200)) '/: [0-9]+$/ { $NF = $NF * by } { print }' >"$1/after/all.txt"
    sed 's/: [0-9]*$/: 0/' "$1/after/all.txt" >"$1/before/all.txt"
}
answer() { # NAME OPTIONS...: in NAME.json
    "$program" incident "$1" --fabric pause-storm --fit --lasted ${lasts}s "${@:2}" --json >"$1.json" 2>err
    [ $? -le 1 ] || fail "$1: $(cat err)"
}
told() { gojq -r "$2" "$1.json"; }

hide slow 77 '  - {at: 0ms, kind: slow-receiver, where: host0, drain: 12%}'
answer slow -o answer
[ "$(told slow '.hypotheses[0] | "\(.kind) \(.device) \(.confirmed)"')" = 'slow-host host0 true' ] ||
    fail "slow: $(told slow '.hypotheses[] | "\(.words) \(.score)"')"
told slow '.hypotheses[0].value' | awk '{ exit !($1 > 0.12 / 1.25 && $1 < 0.12 * 1.25) }' ||
    fail "slow: drains $(told slow '.hypotheses[0].value'), not 0.12"
told slow '.hypotheses[] | select(.kind == "no-fault") | .score' | awk -v best="$(told slow '.hypotheses[0].score')" '{ exit !($1 < best - 50) }' ||
    fail 'slow: no fault scores as well'
[ "$(told slow '.remedies | length')" -ge 2 ] || fail 'slow: no remedies'

# --- the page: the fabric with the suspect, and the largest count in the hottest color ---
grep -q 'class="host root' answer/answer.html && grep -q 'class="h5' answer/answer.html && grep -q 'host1: [0-9,]* pause frames received' answer/answer.html ||
    fail "no fabric of the incident: $(grep -o '<h3>[^<]*</h3>' answer/answer.html)"

# --- the scenario of the answer, run once more ---
until=$(sed -n 's/.* --until \([0-9]*us\) .*/\1/p' answer/fitted.yaml)
"$program" run answer/fitted.yaml --until "$until" --confirm 0 -o fitted.db -q 2>err
[ $? -le 1 ] || fail "fitted: $(cat err)"
"$program" diff answer/incident.json fitted.db --lasted ${lasts}s --json >diff.json 2>err
awk -v a="$(gojq .score diff.json)" -v b="$(told slow '.hypotheses[0].score')" 'BEGIN { exit !(a - b < 0.1 && b - a < 0.1) }' ||
    fail "diff prints $(gojq .score diff.json), incident $(told slow '.hypotheses[0].score')"

# --- the same answer again ---
cp slow.json first.json
answer slow
cmp -s slow.json first.json || fail 'another answer to the same question'

# --- without a fault ---
hide healthy 77 '  - {at: 4.999ms, kind: slow-receiver, where: host0, drain: 99%}'
answer healthy
[ "$(told healthy '.hypotheses[0] | "\(.kind) \(.confirmed)"')" = 'no-fault false' ] ||
    fail "healthy: $(told healthy '.hypotheses[] | "\(.words) \(.score)"')"

# --- what cannot be run is said ---
"$program" incident slow --fit >out 2>err
grep -q 'Nothing was run: no cables are known: give --fabric' out || fail "without cables: $(head -n 1 out)"
"$program" incident slow --fit --fabric pause-storm >out 2>err
grep -q 'Nothing was run: the samples have no dates: give --lasted' out || fail "without dates: $(head -n 1 out)"
expect 'a short time' 2 'incident: --lasted 1ms: expected at least 1s' "$program" incident slow --fit --lasted 1ms
[ $failures = 0 ]
