#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command claims; and of docs/claims.md the sections of each tenth claim, which ten successive commits complete: each figure
# is that of its run. `make claims-check` compares the whole page.
set -u
page=$PWD/docs/claims.md
turn=$(git rev-list --count HEAD 2>/dev/null || echo 0)
. tests/golden/outside

"$program" claims --list >list || fail "the list: $?"
mapfile -t names < <(sed 's/ .*//' list)
[ "${#names[@]}" -gt 0 ] || fail 'no claims'
for name in "${names[@]}"; do
    grep -q "^## $name\$" "$page" || fail "docs/claims.md lacks $name: make claims"
done
for ((i = turn % 10; i < ${#names[@]}; i += 10)); do
    name=${names[i]}
    "$program" claims --markdown "$name" >"$name.got" 2>err || fail "$name: $(cat err)"
    awk -v name="## $name" '/^## / { inside = $0 == name } inside' "$page" >"$name.page"
    diff -u "$name.page" "$name.got" || fail "$name: docs/claims.md differs from its run: make claims"
done

expect 'a claim as text' 0 '1 claim: 1 true under a condition.' "$program" claims rdma-write
expect 'a row' 0 'rdma-write (' "$program" claims c08
expect 'JSON' 0 '"verdict": "conditional", "condition": "command = read' "$program" claims rdma-write --json
gojq -e '.claims[0].cases | length == 4 and all(.[]; .figures | length == 3)' out >jq || fail "JSON: $(cat jq)"
expect 'CSV' 0 'rdma-write,C8,conditional,' "$program" claims rdma-write --csv
expect 'a chart' 0 'Verdict: true under a condition: command = read' "$program" claims rdma-write --svg
xmllint --noout out || fail 'the chart is no XML'
[ "$(grep -c '</title><path' out)" = 12 ] || fail "a chart of 4 cases with 3 figures has $(grep -c '</title><path' out) bars"
expect 'settings that must agree' 0 'one switch      PFC and DCQCN  16' "$program" claims complexity
expect 'a chart of all claims' 2 '--svg draws one claim' "$program" claims --svg
expect 'a chart of a claim without runs' 2 'has no figures' "$program" claims tp8000 --svg
expect 'a list for programs' 0 '"name": "rdma-write"' "$program" claims --list --json
expect 'a scenario of a claim' 0 'nvme-directions' "$program" run rdma-write
expect 'a misspelled claim' 2 "did you mean 'rdma-write'" "$program" claims rdma-wrte
expect 'too many jobs' 2 'from 1 to' "$program" claims rdma-write -j 0

cat >own.yaml <<'END'
stormglass-claim: 1
rows: [C8]
claim: A claim of my own.
source: me
scenario: {stormglass: 1, name: own, duration: 100us, fabric: {topology: {kind: single-switch, hosts: 2}}, workloads: [{name: io, kind: rdma-write, from: host0, to: host1}]}
figures: [{name: rate, about: goodput, value: io.goodput, unit: rate}]
true-if: ["rate > 1Gbps"]
END
expect 'a claim of a file' 0 '1 claim: 1 true.' "$program" claims own.yaml
sed 's/^figures/seeds: 3\nfigures/; s/duration: 100us/faults: [{kind: random-loss, where: host0, rate: 5e-2}], duration: 1ms/' own.yaml >seeds.yaml
expect 'three seeds' 0 'the median over seeds 1 to 3' "$program" claims seeds.yaml
gojq -e '.claims[0] | .seeds == 3 and .runs == 3' <("$program" claims seeds.yaml --json) >jq || fail "seeds: $(cat jq)"
grep -q 'Gb/s (.* to .* Gb/s)' out || fail "no least and most of three seeds: $(cat out)"
sed 's/unit: rate/unit: time/; s/1Gbps/1us/' own.yaml >unit.yaml
expect 'another unit' 3 'rate: io.goodput >= 0 has another unit' "$program" claims unit.yaml
sed 's/value: io.goodput/value: io.goodputs/' own.yaml >quantity.yaml
expect 'an unknown quantity' 3 "there is no quantity 'io.goodputs'" "$program" claims quantity.yaml
sed 's/value: io.goodput/sql: SELEKT/' own.yaml >sql.yaml
expect 'SQL that is wrong' 3 'syntax error' "$program" claims sql.yaml
sed 's/value: io.goodput/value: io.controllers.lost/; s/unit: rate/unit: count/; s/1Gbps/1/' own.yaml >false.yaml
expect 'a false claim' 0 '1 claim: 1 false.' "$program" claims false.yaml
sed 's/value: io.goodput/sql: SELECT NULL/' own.yaml >unknown.yaml
expect 'an unknown figure' 4 'undecided' "$program" claims unknown.yaml
sed 's/claim: A/claims: A/' own.yaml >key.yaml
expect 'an unknown key' 2 "key.yaml:3:1: error" "$program" claims key.yaml
sed '5,$d' own.yaml >unrun.yaml
echo 'cannot-run: no model' >>unrun.yaml
expect 'no run' 0 'cannot be run: no model' "$program" claims unrun.yaml
expect 'no scenario' 2 'it cannot be run' "$program" run unrun.yaml
exit $((failures > 0))
