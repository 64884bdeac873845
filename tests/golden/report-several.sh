#!/bin/bash
# report-several - runs, plans and incidents in any order make one page.        SPDX-License-Identifier: Apache-2.0
set -u
. tests/golden/outside

for seed in 1 2 3; do
    "$program" run first-io --confirm 0 --seed $seed --record summary -o run$seed.db -q || fail "run $seed"
done
cp "$OLDPWD"/scenarios/cases/first-io.yaml .
cat >pair.yaml <<'END'
stormglass: 1
name: pair
duration: 2ms
fabric:
  topology: {kind: single-switch, hosts: 4}
  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}
hosts:
  defaults: {rnic: {profile: rnic-100g, path-mtu: 4096B}}
  targets: {where: host0, namespaces: [{media: storage-class, count: 2}]}
workloads:
  - {name: io, kind: nvme, from: "host1..host3", to: host0, read: 70%, block-size: 16KiB, queue-depth: 8}
END
printf '%s\n' 'stormglass-plan: 1' 'name: pair' 'scenario: pair.yaml' 'slo: ["io.latency.p99 < 1s"]' \
    'vary: [{path: fabric.host-links.length, as: far, values: [3m, 4m]}]' >plan.yaml
"$program" plan plan.yaml -o plan.db >/dev/null || fail "the plan: exit $?"
cp -r "$OLDPWD"/scenarios/incidents/pause-storm storm

parts() { grep -o '<article class="part" id="[a-z0-9]*"' "$1" | sed 's/.*id="//; s/"//' | tr '\n' ' '; }
ids() { grep -o ' id="[^"]*"' "$1" | sort | uniq -d; }

expect 'two runs, a plan, an incident' 0 '' "$program" report storm run1.db plan.db run2.db -o all.html
[ "$(parts all.html)" = 'runs plan1 incident1 ' ] || fail "parts: $(parts all.html)"
grep -q '<h1>2 runs, 1 plan and 1 incident</h1>' all.html && grep -q 'Chosen: ' all.html && grep -q 'Suspected: host5' all.html || fail 'the answers'
grep -q 'run with --record counters' all.html && grep -q 'Prices: add them to the plan' all.html && grep -q 'incident --fit' all.html || fail 'what is missing'
[ -z "$(ids all.html)" ] || fail "two elements with one id: $(ids all.html)"
expect 'three runs' 0 '' "$program" report run3.db run1.db run2.db -o three.html
[ "$(parts three.html)" = 'run1 run2 run3 ' ] && grep -q '<section id="runs">' three.html || fail "parts: $(parts three.html)"
[ -z "$(ids three.html)" ] || fail "three runs: two elements with one id: $(ids three.html)"
expect 'two plans and an incident' 0 '' "$program" report plan.db storm plan.db -o plans.html
[ "$(parts plans.html)" = 'plan1 plan2 incident1 ' ] && [ -z "$(ids plans.html)" ] || fail "plans: $(parts plans.html) $(ids plans.html)"

# Everything else is an error with the name of the file, and no page.
expect 'a scenario among them' 2 'first-io.yaml: not a run database: this is a scenario' "$program" report run1.db plan.db first-io.yaml -o no.html
expect 'a file that is missing' 2 'none.db: No such file' "$program" report run1.db plan.db none.db -o no.html
mkdir empty
expect 'a folder without counters' 2 'empty: expected counters or logs of an incident' "$program" report empty run1.db -o no.html
expect 'figures of several' 2 'figures works with one or two runs' "$program" report run1.db plan.db --figures
[ ! -e no.html ] || fail 'a page of a wrong input'
