#!/bin/bash
# plan-results - pass, fail and undecided are three results, in text, page, JSON, CSV and exit status.   SPDX-License-Identifier: Apache-2.0
# usage: tests/golden/plan-results.sh
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
program=${STORMGLASS:-$top/build/gcc-plain/stormglass}
work=${TMPDIR:-/tmp}/plan-results.$$
failed=0
fail() { echo "FAIL: $*"; failed=1; }
trap 'rm -rf "$work"' EXIT
mkdir -p "$work" && cd "$work" || exit 3

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
plan() { # LIMIT LINE...
    printf '%s\n' 'stormglass-plan: 1' 'name: pair' 'scenario: pair.yaml' "slo: [\"io.latency.p99 < $1\"]" \
        'vary: [{path: fabric.host-links.length, as: far, values: [3m, 4m]}]' "${@:2}"
}
results() { gojq -c '[.result, .pass, .fail, .undecided]' "$1"; }

# Pass: every figure with its interval and its number of runs.
plan 1s >plan.yaml
"$program" plan plan.yaml --json -o pass.db >pass.json; code=$?
[ $code = 0 ] && [ "$(results pass.json)" = '["pass",2,0,0]' ] || fail "pass: exit $code, $(results pass.json)"
gojq -e '.error_probability == 0.05 and all(.candidates[]; .result == "pass" and .held == true and
    all(.objectives[]; .low <= .mean and .mean <= .high and .runs >= 5))' pass.json >/dev/null || fail "pass: $(gojq -c '.candidates[0]' pass.json)"
"$program" plan plan.yaml --resume pass.db >pass.txt
grep -q '^  2 candidates: 2 pass, 0 fail, 0 undecided$' pass.txt && grep -q 'probability of a wrong answer at most 5%' pass.txt &&
    grep -Eq 'io.latency.p99 < 1s  .* [0-9.]+ us \+- [0-9.]+ (us|ns) \([0-9]+ runs\), .* to spare' pass.txt || fail "pass in words: $(head -n 12 pass.txt)"

# A later version's database.
cp pass.db later.db && sqlite3 later.db "UPDATE plan SET value=1000 WHERE key='format'"
"$program" report later.db -o later.html 2>err; code=$?
[ $code = 2 ] && grep -q 'written by a later stormglass, .*, in format 1000' err || fail "a later version: exit $code, $(cat err)"
"$program" query later.db 'SELECT 1' 2>err; code=$?
[ $code = 2 ] && grep -q 'written by a later stormglass, .*, in format 1000' err || fail "query of a later version: exit $code, $(cat err)"

# Fail: exit 1 only where every candidate fails.
plan 10us >plan.yaml
"$program" plan plan.yaml --json -o fail.db >fail.json; code=$?
[ $code = 1 ] && [ "$(results fail.json)" = '["fail",0,2,0]' ] || fail "fail: exit $code, $(results fail.json)"
gojq -e 'all(.candidates[]; .result == "fail" and .held == false)' fail.json >/dev/null || fail "fail: $(gojq -c '.candidates[0]' fail.json)"
"$program" report fail.db -o fail.html && grep -q '<p class="verdict bad">Every candidate fails</p>' fail.html || fail "page of a failure"

# Undecided: the limit is the mean itself, and three runs are all that it may have.
mean=$(gojq '[.candidates[].objectives[0].mean] | add / length | floor' pass.json)
plan "${mean}ps" 'seeds: 3' 'most-seeds: 3' 'tolerance: 0.1%' >plan.yaml
"$program" plan plan.yaml --json -o open.db >open.json; code=$?
[ $code = 4 ] && [ "$(gojq -c '[.result, .chosen]' open.json)" = '["undecided",null]' ] || fail "undecided: exit $code, $(results open.json)"
gojq -e 'any(.candidates[]; .result == "undecided" and .held == null and (.why | test("undecided at .* \\+- .* \\(3 runs\\); .*raise ")))' open.json >/dev/null ||
    fail "undecided: $(gojq -c '.candidates[0] | [.result, .held, .why]' open.json)"
"$program" plan plan.yaml --resume open.db >open.txt
grep -q 'no candidate passes yet' open.txt && ! grep -q 'holds$\|no candidate holds' open.txt || fail "undecided in words: $(head -n 12 open.txt)"
"$program" report open.db -o open.html && grep -q '<p class="verdict unsure">Undecided: no candidate passes yet</p>' open.html && ! grep -q 'verdict bad' open.html ||
    fail "page of an undecided plan: $(grep -o '<p class="verdict.*</p>' open.html)"
grep -q 'No candidate passes yet: .* undecided, so the front is undecided' open.html && ! grep -q 'No candidate passes\.' open.html ||
    fail "the front of an undecided plan: $(grep -o '<p>No candidate.*</p>' open.html)"
"$program" plan plan.yaml --resume open.db --csv | grep -q ',undecided$' || fail "undecided in CSV"
[ "$(sqlite3 open.db "SELECT count(*) FROM candidate WHERE result = 'undecided'")" -ge 1 ] || fail "undecided in the database"

# What it says to do decides it, with what is in the database.
sed -i 's/^tolerance: .*/tolerance: 20%/; s/^most-seeds: .*/most-seeds: 100/' plan.yaml
"$program" plan plan.yaml --json >decided.json; code=$?
[ $code -le 1 ] && gojq -e '.result != "undecided"' decided.json >/dev/null || fail "decided: exit $code, $(results decided.json)"
# Near the limit: the tolerance decides on either side of it, and is named.  No pass has negative room.
sed -i 's/storage-class, count: 2/flash-tlc/; s/^duration.*/duration: 1ms/; s/16KiB/4KiB/; /rnic-100g/d' pair.yaml
near=0
plan 1s >near.yaml
mean=$("$program" plan near.yaml --json | gojq '.candidates[0].objectives[0].mean | floor')
for part in 980 992 994 996 997 998 999 1000 1002; do
    plan "$((${mean:-0} * part / 1000))ps" | sed 's/, 4m//' >near.yaml
    "$program" plan near.yaml --json -o "near$part.db" >near.json
    "$program" plan near.yaml --resume "near$part.db" >near.txt
    "$program" plan near.yaml --resume "near$part.db" --csv >near.csv
    "$program" report "near$part.db" -o near.html
    ! grep -Eq -e '-[0-9.e]+ % to spare|headroom -' near.txt || fail "a pass of negative room ($part): $(grep -e ' -[0-9]' near.txt)"
    ! grep -E 'misses the limit' near.txt near.html | grep -v 'within the tolerance of 5%' || fail "misses the limit, without the tolerance ($part)"
    gojq -e 'all(.candidates[].objectives[]; .within_tolerance == true)' near.json >/dev/null || fail "JSON near the limit ($part)"
    [ "$(head -n 1 near.csv | grep -c ,within_tolerance,)" = 1 ] || fail "CSV has no within_tolerance"
    if gojq -e 'any(.candidates[]; .result == "pass" and .headroom < 0)' near.json >/dev/null; then
        grep -q '), within the tolerance of 5%' near.txt || fail "a pass beyond its limit in words ($part): $(grep -A 3 Chosen near.txt)"
        grep -q '>within the tolerance of 5%<' near.html || fail "page of a pass beyond its limit ($part)"
        grep -q ',1,pass$' near.csv || fail "CSV of a pass beyond its limit ($part)"
        near=$((near | 1))
    fi
    gojq -e 'any(.candidates[]; .result == "fail")' near.json >/dev/null && near=$((near | 2))
done
[ $near = 3 ] || fail "no limit near the mean is passed and missed: $near"

# One OLTP workload over all seven transports: one table, one page.
plan=$top/scenarios/plans/transports.yaml
"$program" plan --exhaustive "$plan" -o seven.db >seven.txt || fail "transports: exit $?"
"$program" report seven.db -o seven.html || fail "page of transports: exit $?"
sed -n '/^All candidates .* iops .* latency.p99 .* cpu_per_io.host /,/^$/p' seven.txt | tail -n +2 >table.txt
for transport in roce-v2 roce-v1 infiniband iwarp nvme-tcp iscsi nvme-fc; do
    grep -qE "^  transport $transport +[0-9.]+ Gb/s +[0-9]+ k +[0-9.]+ us +[0-9.]+ us " table.txt || fail "no row of $transport in $(cat table.txt)"
    grep -q "transport $transport" seven.html || fail "no $transport on the page"
done
[ "$(grep -c . table.txt)" = 7 ] || fail "rows of the table: $(cat table.txt)"
# Their parts: a fabric of Fibre Channel has no switch of Ethernet, whose price is lower.
sed "s,^scenario: ,&$top/scenarios/plans/," "$plan" >priced.yaml
echo "prices: $top/scenarios/plans/prices.yaml" >>priced.yaml
"$program" plan --list priced.yaml >priced.txt || fail "prices of transports: exit $?"
grep -q 'transport nvme-fc (USD 62,550,' priced.txt || fail "5 nic, switch and 5 cable of 64GFC, and a drive: $(grep nvme-fc priced.txt)"
grep -q 'transport infiniband (USD 18,300,' priced.txt || fail "prices of InfiniBand: $(grep infiniband priced.txt)"

exit $failed
